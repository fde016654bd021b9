#include "reference.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* ---- codecs ---- */

/* significant bits, exponent of the least normal number */
static int significant_bits(reference_format format)
{
    return format == REFERENCE_FP16 ? 11 : format == REFERENCE_BF16 ? 8 : 24;
}

static int least_exponent(reference_format format)
{
    return format == REFERENCE_FP16 ? -14 : -126;
}

double reference_largest(reference_format format)
{
    int above = format == REFERENCE_FP16 ? 16 : 128;
    return ldexp(1, above) - ldexp(1, above - significant_bits(format));
}

double reference_least(reference_format format)
{
    return ldexp(1, least_exponent(format) - significant_bits(format) + 1);
}

double reference_roundoff(reference_format format)
{
    return ldexp(1, -significant_bits(format));
}

/* Rounds to the nearest number of the format, ties to even; numbers past the largest stay there. */
static double round_to(reference_format format, double x)
{
    int exponent;
    double quantum;
    if (x == 0)
        return x;
    exponent = ilogb(x);
    if (exponent < least_exponent(format))
        exponent = least_exponent(format);
    quantum = ldexp(1, exponent - significant_bits(format) + 1);
    return rint(x / quantum) * quantum; /* both operations are exact: the quantum is a power of 2 */
}

static int has_scale(const reference_codec *codec)
{
    return codec->format != REFERENCE_FP32 && codec->loss_scale != 0;
}

float reference_encode(const reference_codec *codec, float x)
{
    double largest = reference_largest(codec->format), rounded;
    float scaled = has_scale(codec) ? x * codec->loss_scale : x;
    if (codec->format == REFERENCE_FP32 || isnan(scaled))
        return scaled;
    if (codec->propagate) {
        if (isinf(scaled))
            return scaled;
        rounded = round_to(codec->format, (double)scaled);
        return fabs(rounded) > largest ? copysignf(INFINITY, scaled) : (float)rounded;
    }
    if (fabs((double)scaled) > largest)
        return (float)copysign(largest, (double)scaled);
    return (float)round_to(codec->format, (double)scaled);
}

float reference_decode(const reference_codec *codec, float wire)
{
    return has_scale(codec) ? wire / codec->loss_scale : wire;
}

float reference_round_trip(const reference_codec *codec, float x)
{
    return reference_decode(codec, reference_encode(codec, x));
}

/* ---- rw_pooled ---- */

int64_t reference_pooled_piece(int64_t features, const int64_t *dims, int64_t batch)
{
    int64_t f, sum = 0;
    for (f = 0; f < features; f++)
        sum += batch * dims[f];
    return sum;
}

int64_t reference_pooled_piece_per_feature(int64_t features, const int64_t *dims,
                                           const int64_t *batch)
{
    int64_t f, sum = 0;
    for (f = 0; f < features; f++)
        sum += batch[f] * dims[f];
    return sum;
}

void reference_pooled_forward(const reference_pooled *dist, const float *const *local_embs,
                              float *const *out)
{
    int64_t r, s, i, first = 0;
    for (r = 0; r < dist->world; first += dist->piece_count[r], r++) {
        for (i = 0; i < dist->piece_count[r]; i++) {
            float sum = local_embs[0][first + i];
            if (dist->world > 1)
                sum = reference_round_trip(&dist->forward, sum);
            for (s = 1; s < dist->world; s++)
                sum += reference_round_trip(&dist->forward, local_embs[s][first + i]);
            out[r][i] = sum;
        }
    }
}

/* What arrives of a value: alone, the value itself. */
static float arrival(const reference_codec *codec, int64_t world, int mean, float x)
{
    if (world == 1)
        return x;
    x = reference_round_trip(codec, x);
    return mean ? x / (float)world : x;
}

void reference_pooled_backward(const reference_pooled *dist, const float *const *grad_out,
                               float *const *grad_local_embs)
{
    int64_t r, s, i, first = 0;
    for (r = 0; r < dist->world; first += dist->piece_count[r], r++) {
        for (i = 0; i < dist->piece_count[r]; i++) {
            for (s = 0; s < dist->world; s++)
                grad_local_embs[s][first + i] =
                    arrival(&dist->backward, dist->world, dist->mean, grad_out[r][i]);
        }
    }
}

/* ---- all_gather ---- */

void reference_gather_forward(const reference_pooled *dist, const float *const *local_embs,
                              float *const *out)
{
    int64_t r, s, i, first = 0;
    for (s = 0; s < dist->world; first += dist->piece_count[s], s++) {
        for (i = 0; i < dist->piece_count[s]; i++) {
            for (r = 0; r < dist->world; r++)
                out[r][first + i] = arrival(&dist->forward, dist->world, 0, local_embs[s][i]);
        }
    }
}

void reference_gather_backward(const reference_pooled *dist, const float *const *grad_out,
                               float *const *grad_local_embs)
{
    int64_t r, s, i, first = 0;
    for (s = 0; s < dist->world; first += dist->piece_count[s], s++) {
        for (i = 0; i < dist->piece_count[s]; i++) {
            float sum = arrival(&dist->backward, dist->world, 0, grad_out[0][first + i]);
            for (r = 1; r < dist->world; r++)
                sum += arrival(&dist->backward, dist->world, 0, grad_out[r][first + i]);
            grad_local_embs[s][i] = dist->mean ? sum / (float)dist->world : sum;
        }
    }
}

/* ---- tw_pooled ---- */

/* Whether feature f comes before feature g in out. */
static int is_before(const reference_table *dist, int64_t f, int64_t g)
{
    return dist->owners[f] == dist->owners[g] ? f < g : dist->owners[f] < dist->owners[g];
}

/* Elements of rank r's batch (where a sample's features are adjacent, of one sample) in the features
 * that come before f in out, or in `all`; with `own`, only those of f's owner. */
static int64_t elements_before(const reference_table *dist, int64_t r, int64_t f, int all, int own)
{
    int64_t g, sum = 0;
    for (g = 0; g < dist->features; g++) {
        if ((all || is_before(dist, g, f)) && (!own || dist->owners[g] == dist->owners[f]))
            sum += dist->dims[g] * (dist->adjacent ? 1 : dist->batch[r * dist->features + g]);
    }
    return sum;
}

/* Elements of all samples of rank r in the features of a rank. */
static int64_t elements_for(const reference_table *dist, int64_t owner, int64_t r)
{
    int64_t f, sum = 0;
    for (f = 0; f < dist->features; f++) {
        if (dist->owners[f] == owner)
            sum += dist->dims[f] * dist->batch[r * dist->features + f];
    }
    return sum;
}

int64_t reference_table_local(const reference_table *dist, int64_t rank)
{
    int64_t r, sum = 0;
    for (r = 0; r < dist->world; r++)
        sum += elements_for(dist, rank, r);
    return sum;
}

int64_t reference_table_out(const reference_table *dist, int64_t rank)
{
    int64_t owner, sum = 0;
    for (owner = 0; owner < dist->world; owner++)
        sum += elements_for(dist, owner, rank);
    return sum;
}

/* Where the row of sample b of rank r lies in feature f: in its owner's local_embs ... */
static int64_t local_place(const reference_table *dist, int64_t r, int64_t f, int64_t b)
{
    int64_t j, place = elements_before(dist, r, f, 0, 1);
    for (j = 0; j < r; j++)
        place += elements_for(dist, dist->owners[f], j);
    return place + b * (dist->adjacent ? elements_before(dist, r, f, 1, 1) : dist->dims[f]);
}

/* ... and in rank r's out. */
static int64_t out_place(const reference_table *dist, int64_t r, int64_t f, int64_t b)
{
    return elements_before(dist, r, f, 0, 0) +
           b * (dist->adjacent ? elements_before(dist, r, f, 1, 0) : dist->dims[f]);
}

void reference_table_forward(const reference_table *dist, const float *const *local_embs,
                             float *const *out)
{
    int64_t r, f, b, d;
    for (r = 0; r < dist->world; r++) {
        for (f = 0; f < dist->features; f++) {
            for (b = 0; b < dist->batch[r * dist->features + f]; b++) {
                const float *from = local_embs[dist->owners[f]] + local_place(dist, r, f, b);
                float *to = out[r] + out_place(dist, r, f, b);
                for (d = 0; d < dist->dims[f]; d++)
                    to[d] = arrival(&dist->forward, dist->world, 0, from[d]);
            }
        }
    }
}

void reference_table_backward(const reference_table *dist, const float *const *grad_out,
                              float *const *grad_local_embs)
{
    int64_t r, f, b, d;
    for (r = 0; r < dist->world; r++) {
        for (f = 0; f < dist->features; f++) {
            for (b = 0; b < dist->batch[r * dist->features + f]; b++) {
                const float *from = grad_out[r] + out_place(dist, r, f, b);
                float *to = grad_local_embs[dist->owners[f]] + local_place(dist, r, f, b);
                for (d = 0; d < dist->dims[f]; d++)
                    to[d] = arrival(&dist->backward, dist->world, dist->mean, from[d]);
            }
        }
    }
}

/* ---- sequences ---- */

void reference_sequence_rows(int64_t world, int64_t features, const int32_t *lengths,
                             const int64_t *batch_per_rank, int64_t *rows)
{
    int64_t f, j, i;
    for (f = 0; f < features; f++) {
        for (j = 0; j < world; j++) {
            rows[f * world + j] = 0;
            for (i = 0; i < batch_per_rank[j]; i++)
                rows[f * world + j] += *lengths++;
        }
    }
}

static int64_t held_by(const reference_sequence *dist, int64_t rank)
{
    return dist->held ? dist->held[rank] : dist->features;
}

int64_t reference_sequence_received(const reference_sequence *dist, int64_t rank)
{
    int64_t s, f, sum = 0;
    for (s = 0; s < dist->world; s++) {
        for (f = 0; f < held_by(dist, s); f++)
            sum += dist->rows[s][f * dist->world + rank];
    }
    return sum;
}

/* A row of some rank's local_embs. */
typedef struct place {
    int64_t holder;
    int64_t row;
} place;

/* Where each row that a rank receives lies; freed by the caller. */
static place *received_places(const reference_sequence *dist, int64_t rank)
{
    place *places = malloc(((size_t)reference_sequence_received(dist, rank) + 1) * sizeof *places);
    place *next = places;
    int64_t s, f, j, i;
    if (places == NULL)
        abort();
    for (s = 0; s < dist->world; s++) {
        int64_t row = 0; /* the first row of (f, j) in rank s's local_embs */
        for (f = 0; f < held_by(dist, s); f++) {
            for (j = 0; j < dist->world; row += dist->rows[s][f * dist->world + j], j++) {
                for (i = 0; j == rank && i < dist->rows[s][f * dist->world + j]; i++) {
                    next->holder = s;
                    next->row = row + i;
                    next++;
                }
            }
        }
    }
    return places;
}

static const int64_t *permute_of(const reference_sequence *dist, int64_t rank)
{
    return dist->permute == NULL ? NULL : dist->permute[rank];
}

void reference_sequence_forward(const reference_sequence *dist, const float *const *local_embs,
                                float *const *out)
{
    int64_t r, i, d, dim = dist->dim;
    for (r = 0; r < dist->world; r++) {
        const int64_t *permute = permute_of(dist, r);
        place *places = received_places(dist, r);
        int64_t rows = permute ? dist->output_rows[r] : reference_sequence_received(dist, r);
        for (i = 0; i < rows; i++) {
            const place *from = &places[permute ? permute[i] : i];
            for (d = 0; d < dim; d++) {
                float x = local_embs[from->holder][from->row * dim + d];
                out[r][i * dim + d] =
                    dist->world == 1 ? x : reference_round_trip(&dist->forward, x);
            }
        }
        free(places);
    }
}

void reference_sequence_backward(const reference_sequence *dist, const float *const *grad_out,
                                 float *const *grad_local_embs)
{
    int64_t r, i, d, k, dim = dist->dim;
    for (r = 0; r < dist->world; r++) {
        const int64_t *permute = permute_of(dist, r);
        place *places = received_places(dist, r);
        int64_t received = reference_sequence_received(dist, r);
        int64_t rows = permute ? dist->output_rows[r] : received;
        unsigned char *named = calloc((size_t)received + 1, 1);
        if (named == NULL)
            abort();
        for (k = 0; k < received * dim; k++)
            grad_local_embs[places[k / dim].holder][places[k / dim].row * dim + k % dim] = 0;
        for (i = 0; i < rows; i++) { /* the sums are made at their final place */
            k = permute ? permute[i] : i;
            for (d = 0; d < dim; d++) {
                float *sum = &grad_local_embs[places[k].holder][places[k].row * dim + d];
                float x = grad_out[r][i * dim + d];
                *sum = named[k] ? *sum + x : x;
            }
            named[k] = 1;
        }
        for (k = 0; k < received * dim; k++) {
            float *sum =
                &grad_local_embs[places[k / dim].holder][places[k / dim].row * dim + k % dim];
            *sum = arrival(&dist->backward, dist->world, dist->mean, *sum);
        }
        free(named);
        free(places);
    }
}
