#include "reference.h"

#include "reference_groups.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

int reference_is_element(reference_format format)
{
    return format <= REFERENCE_BF16;
}

int64_t reference_row_bytes(const reference_codec *codec, int64_t dim)
{
    if (!reference_is_element(codec->format))
        return reference_groups_row_bytes(codec, dim);
    return dim * (codec->format == REFERENCE_FP32 ? 4 : 2);
}

void reference_row(const reference_codec *codec, float *to, const float *from, int64_t dim,
                   int64_t sender, int64_t place)
{
    int64_t i;
    if (!reference_is_element(codec->format)) {
        reference_groups_row(codec, to, from, dim, sender, place);
        return;
    }
    for (i = 0; i < dim; i++)
        to[i] = reference_round_trip(codec, from[i]);
}

/* What arrives of a row: alone, the row itself. */
static void arrive(const reference_codec *codec, int64_t world, int mean, float *to,
                   const float *from, int64_t dim, int64_t sender, int64_t place)
{
    int64_t i;
    if (world == 1) {
        memmove(to, from, (size_t)dim * sizeof *to);
        return;
    }
    reference_row(codec, to, from, dim, sender, place);
    for (i = 0; mean && i < dim; i++)
        to[i] /= (float)world;
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

int64_t reference_pooled_dims(int64_t features, const int64_t *dims, const int64_t *batch,
                              int adjacent, int64_t *to)
{
    int64_t f, i, rows = 0;
    for (f = 0; !adjacent && f < features; f++) {
        for (i = 0; i < batch[f]; i++, rows++) {
            if (to != NULL)
                to[rows] = dims[f];
        }
    }
    for (i = 0; adjacent && i < batch[0] * features; i++, rows++) {
        if (to != NULL)
            to[rows] = dims[i % features];
    }
    return rows;
}

/* What arrives of a piece that lies `place` bytes from the start of the sender's wire; returns where
 * its end lies. The piece of rank `whose` is meant. */
static int64_t arrive_piece(const reference_pooled *dist, const reference_codec *codec, int mean,
                            int64_t whose, float *to, const float *from, int64_t sender,
                            int64_t place)
{
    const int64_t count = dist->piece_count[whose];
    const int64_t *dims = dist->dims != NULL ? dist->dims[whose] : &count;
    int64_t i;
    for (i = 0; i < count; i += *dims++) {
        arrive(codec, dist->world, mean, to + i, from + i, *dims, sender, place);
        place += reference_row_bytes(codec, *dims);
    }
    return place;
}

/* As much memory as the largest piece. */
static float *piece_memory(const reference_pooled *dist)
{
    int64_t r, most = 1;
    float *memory;
    for (r = 0; r < dist->world; r++) {
        if (dist->piece_count[r] > most)
            most = dist->piece_count[r];
    }
    memory = malloc((size_t)most * sizeof *memory);
    if (memory == NULL)
        abort();
    return memory;
}

/* in[s]: the pieces of all ranks, one after another. out[r]: receives rank r's, summed over ranks in
 * rank order. */
static void sum_pieces(const reference_pooled *dist, const reference_codec *codec, int mean,
                       const float *const *in, float *const *out)
{
    float *piece = piece_memory(dist);
    int64_t s, r, i;
    for (s = 0; s < dist->world; s++) {
        int64_t first = 0, place = 0;
        for (r = 0; r < dist->world; first += dist->piece_count[r], r++) {
            place = arrive_piece(dist, codec, 0, r, piece, in[s] + first, s, place);
            for (i = 0; i < dist->piece_count[r]; i++) {
                out[r][i] = s > 0 ? out[r][i] + piece[i] : piece[i];
                if (mean && dist->world > 1 && s == dist->world - 1)
                    out[r][i] /= (float)dist->world;
            }
        }
    }
    free(piece);
}

/* in[s]: rank s's piece. out[r]: receives all, one after another. */
static void spread_pieces(const reference_pooled *dist, const reference_codec *codec, int mean,
                          const float *const *in, float *const *out)
{
    int64_t s, r, first = 0;
    for (s = 0; s < dist->world; first += dist->piece_count[s], s++) {
        for (r = 0; r < dist->world; r++)
            arrive_piece(dist, codec, mean, s, out[r] + first, in[s], s, 0);
    }
}

void reference_pooled_forward(const reference_pooled *dist, const float *const *local_embs,
                              float *const *out)
{
    sum_pieces(dist, &dist->forward, 0, local_embs, out);
}

void reference_pooled_backward(const reference_pooled *dist, const float *const *grad_out,
                               float *const *grad_local_embs)
{
    spread_pieces(dist, &dist->backward, dist->mean, grad_out, grad_local_embs);
}

/* ---- all_gather ---- */

void reference_gather_forward(const reference_pooled *dist, const float *const *local_embs,
                              float *const *out)
{
    spread_pieces(dist, &dist->forward, 0, local_embs, out);
}

void reference_gather_backward(const reference_pooled *dist, const float *const *grad_out,
                               float *const *grad_local_embs)
{
    sum_pieces(dist, &dist->backward, dist->mean, grad_out, grad_local_embs);
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

/* Where the row of sample b of rank r lies in feature f: in what passes between the two ranks, ... */
static int64_t chunk_place(const reference_table *dist, int64_t r, int64_t f, int64_t b)
{
    return elements_before(dist, r, f, 0, 1) +
           b * (dist->adjacent ? elements_before(dist, r, f, 1, 1) : dist->dims[f]);
}

/* ... in its owner's local_embs, in all that the owner sends forward, ... */
static int64_t local_place(const reference_table *dist, int64_t r, int64_t f, int64_t b)
{
    int64_t j, place = chunk_place(dist, r, f, b);
    for (j = 0; j < r; j++)
        place += elements_for(dist, dist->owners[f], j);
    return place;
}

/* ... in all that rank r sends backward, to owner after owner, ... */
static int64_t backward_place(const reference_table *dist, int64_t r, int64_t f, int64_t b)
{
    int64_t owner, place = chunk_place(dist, r, f, b);
    for (owner = 0; owner < dist->owners[f]; owner++)
        place += elements_for(dist, owner, r);
    return place;
}

/* ... and in rank r's out. */
static int64_t out_place(const reference_table *dist, int64_t r, int64_t f, int64_t b)
{
    return elements_before(dist, r, f, 0, 0) +
           b * (dist->adjacent ? elements_before(dist, r, f, 1, 0) : dist->dims[f]);
}

/* The dist as its wire is: with bytes of a codec's rows in place of dims, freed by the caller. */
static int64_t *wire_dims(const reference_table *dist, const reference_codec *codec)
{
    int64_t f, *bytes = malloc((size_t)dist->features * sizeof *bytes);
    if (bytes == NULL)
        abort();
    for (f = 0; f < dist->features; f++)
        bytes[f] = reference_row_bytes(codec, dist->dims[f]);
    return bytes;
}

void reference_table_forward(const reference_table *dist, const float *const *local_embs,
                             float *const *out)
{
    int64_t r, f, b, *bytes = wire_dims(dist, &dist->forward);
    reference_table wire = *dist;
    wire.dims = bytes;
    for (r = 0; r < dist->world; r++) {
        for (f = 0; f < dist->features; f++) {
            for (b = 0; b < dist->batch[r * dist->features + f]; b++)
                arrive(&dist->forward, dist->world, 0, out[r] + out_place(dist, r, f, b),
                       local_embs[dist->owners[f]] + local_place(dist, r, f, b), dist->dims[f],
                       dist->owners[f], local_place(&wire, r, f, b));
        }
    }
    free(bytes);
}

void reference_table_backward(const reference_table *dist, const float *const *grad_out,
                              float *const *grad_local_embs)
{
    int64_t r, f, b, *bytes = wire_dims(dist, &dist->backward);
    reference_table wire = *dist;
    wire.dims = bytes;
    for (r = 0; r < dist->world; r++) {
        for (f = 0; f < dist->features; f++) {
            for (b = 0; b < dist->batch[r * dist->features + f]; b++)
                arrive(&dist->backward, dist->world, dist->mean,
                       grad_local_embs[dist->owners[f]] + local_place(dist, r, f, b),
                       grad_out[r] + out_place(dist, r, f, b), dist->dims[f], r,
                       backward_place(&wire, r, f, b));
        }
    }
    free(bytes);
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
    int64_t sent; /* rows before it in all that the holder sends */
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
        int64_t sent = 0;
        for (f = 0; f < held_by(dist, s); f++) {
            for (j = 0; j < rank; j++)
                sent += dist->rows[s][f * dist->world + j];
        }
        for (f = 0; f < held_by(dist, s); f++) {
            for (j = 0; j < dist->world; row += dist->rows[s][f * dist->world + j], j++) {
                for (i = 0; j == rank && i < dist->rows[s][f * dist->world + j]; i++) {
                    next->holder = s;
                    next->row = row + i;
                    next->sent = sent++;
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
    int64_t r, i, dim = dist->dim, bytes = reference_row_bytes(&dist->forward, dim);
    for (r = 0; r < dist->world; r++) {
        const int64_t *permute = permute_of(dist, r);
        place *places = received_places(dist, r);
        int64_t rows = permute ? dist->output_rows[r] : reference_sequence_received(dist, r);
        for (i = 0; i < rows; i++) {
            const place *from = &places[permute ? permute[i] : i];
            arrive(&dist->forward, dist->world, 0, out[r] + i * dim,
                   local_embs[from->holder] + from->row * dim, dim, from->holder,
                   from->sent * bytes);
        }
        free(places);
    }
}

void reference_sequence_backward(const reference_sequence *dist, const float *const *grad_out,
                                 float *const *grad_local_embs)
{
    int64_t r, i, d, k, dim = dist->dim, bytes = reference_row_bytes(&dist->backward, dim);
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
        for (k = 0; k < received; k++) {
            float *sum = grad_local_embs[places[k].holder] + places[k].row * dim;
            arrive(&dist->backward, dist->world, dist->mean, sum, sum, dim, r, k * bytes);
        }
        free(named);
        free(places);
    }
}
