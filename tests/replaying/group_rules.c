#include "group_rules.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/group_truth.h"
#include "origins.h"
#include "sent.h"

const char *const group_sort_names[GROUP_SORTS] = {
    "the recorded bits",
    "within the bound, groups that cross rows in the recorder",
    "within the bound, int8 range below 0.25",
    "within the bound, mx4 maximum just below 1.75 * 2^k",
    "within the bound, fp8",
    "within the bound, mx4 maximum above 2.97e38",
    "within the bound, int8 range beyond fp32",
    "within the bound or NaN, groups with NaN or infinities",
    "within the bound, recorded with another codec",
};

/* What a value should arrive as. */
typedef struct value_truth {
    double value; /* infinities replaced */
    double bound;
    double theirs; /* the recorder's bound; infinite where its value says nothing */
    int nan;
    group_sort sort;
} value_truth;

/* What a rank sends, and what is known of it. */
typedef struct truths {
    sent_rows sent;
    value_truth *of; /* [sent.count] */
} truths;

static struct group_codec codec_for(const reference_codec *codec)
{
    struct group_codec result = {.name = "", .stochastic = codec->stochastic};
    result.kind = codec->format == REFERENCE_INT8       ? INT8
                  : codec->format == REFERENCE_FP8_E4M3 ? E4M3
                  : codec->format == REFERENCE_FP8_E5M2 ? E5M2
                                                        : MX4;
    result.scale_rounding = (enum scale_rounding)codec->scale_rounding;
    return result;
}

/* ---- the recorder's groups */

typedef struct group_place {
    int64_t first; /* of the sent values */
    int64_t count;
} group_place;

/* The recorder's group of a value of our group. */
static group_place their_group(const recorded_peer *peer, group_place ours, int64_t i)
{
    group_place theirs = {i / peer->group * peer->group, peer->group};
    return peer->padded ? ours : theirs;
}

static int is_finite(const float *values, group_place group)
{
    int64_t i;
    for (i = group.first; i < group.first + group.count; i++) {
        if (!isfinite(values[i]))
            return 0;
    }
    return 1;
}

/* Whether a maximum lies so near below 1.75 * 2^k, or on it, that log2 in fp32 does not tell. */
static int is_on_brink(double largest)
{
    const uint32_t near = 64, most = fp32_bits(FLT_MAX);
    const uint32_t bits = fp32_bits((float)fmax(largest, 0x1p-126));
    const float above = float_of(bits < most - near ? bits + near : most);
    return mx4_exponent(EVEN, largest) != mx4_exponent(EVEN, (double)above);
}

static group_sort sort_of(const struct group_codec *codec, const recorded_peer *peer,
                          const float *values, group_place ours, int64_t i)
{
    const group_place theirs = their_group(peer, ours, i);
    const struct truth truth = truth_of(codec, values + ours.first, ours.count);
    const double range = truth.most - truth.least;
    if (!is_finite(values, ours) || !is_finite(values, theirs))
        return GROUP_NONFINITE;
    if (codec->kind == E4M3 || codec->kind == E5M2)
        return GROUP_FORMAT;
    if (theirs.first != ours.first || theirs.count != ours.count)
        return GROUP_GROUPING;
    if (codec->kind == INT8)
        return range > (double)FLT_MAX     ? GROUP_OVERFLOW
               : range > 0 && range < 0.25 ? GROUP_LITTLE
                                           : GROUP_EXACT;
    if (codec->scale_rounding != EVEN)
        return GROUP_EXACT;
    return truth.largest > 2.97e38      ? GROUP_HUGE
           : is_on_brink(truth.largest) ? GROUP_BRINK
                                        : GROUP_EXACT;
}

/* The recorder's error, of a group of finite values (the README of the recorded cases has its
 * formulas). Infinite where it overflows. */
static double their_bound(const struct group_codec *codec, const recorded_peer *peer,
                          const float *values, group_place theirs, float value)
{
    const struct truth truth = truth_of(codec, values + theirs.first, theirs.count);
    const double range = truth.most - truth.least, ours = error_bound(codec, &truth, value);
    const int is_143 = peer->format == PEER_FP8_143;
    const double p = is_143 ? 0x1p-4 : 0x1p-3, h = is_143 ? 0x1p-18 : 0x1p-33;
    const double scale = (truth.largest + 2e-20) / (is_143 ? 0.9375 : 0.875);
    if (peer->format == PEER_INT8) /* 1e-8 is added to the range that codes are made with */
        return range > (double)FLT_MAX ? INFINITY : ours + range * 1e-8 / (range + 1e-8);
    if (peer->format == PEER_MX4) /* the exponent may be larger by one */
        return truth.largest > 2.97e38 ? INFINITY : 2 * ours + truth.step;
    return truth.largest > 1e38 ? INFINITY
                                : (1 + 0x1p-18) * fmax(p * fabs((double)value), h * scale);
}

/* ---- the truth */

static void look_at_group(const struct group_codec *codec, const recorded_peer *peer,
                          const float *values, group_place ours, value_truth *to)
{
    const struct truth truth = truth_of(codec, values + ours.first, ours.count);
    int64_t i;
    for (i = ours.first; i < ours.first + ours.count; i++) {
        to[i] = (value_truth){
            .value = true_value(codec, &truth, values[i]),
            .bound = error_bound(codec, &truth, values[i]),
            .nan = isnan(values[i]) || (codec->kind == MX4 && truth.nans > 0),
            .sort = GROUP_UNRECORDED,
            .theirs = INFINITY,
        };
        if (peer->format != PEER_NONE)
            to[i].sort = sort_of(codec, peer, values, ours, i);
        if (peer->format != PEER_NONE && to[i].sort <= GROUP_FORMAT)
            to[i].theirs = their_bound(codec, peer, values, their_group(peer, ours, i), values[i]);
    }
}

static int64_t group_size(const reference_codec *codec, int64_t dim)
{
    return codec->group == 0 || codec->group > dim ? dim : codec->group;
}

static truths look(const loaded_case *loaded, int direction, int64_t rank)
{
    const reference_codec *codec = &loaded->recorded->shape->codec[direction];
    const struct group_codec kind = codec_for(codec);
    truths result = {.sent = make_sent(loaded, direction, rank)};
    int64_t row, first = 0, i;
    result.of = allocate(result.sent.count, sizeof *result.of);
    for (row = 0; row < result.sent.rows; first += result.sent.dims[row++]) {
        int64_t dim = result.sent.dims[row], size = group_size(codec, dim);
        for (i = 0; i < dim; i += size)
            look_at_group(&kind, &loaded->recorded->peer[direction], result.sent.values,
                          (group_place){first + i, dim - i < size ? dim - i : size}, result.of);
    }
    return result;
}

static void forget(truths *known)
{
    free_sent(&known->sent);
    free(known->of);
}

/* ---- the wire */

static int code_at(const struct group_codec *codec, const unsigned char *codes, int64_t i)
{
    return codec->kind != MX4 ? codes[i] : i % 2 ? codes[i / 2] >> 4 : codes[i / 2] & 15;
}

static double fp32_at(const unsigned char *at)
{
    return (double)float_of((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                            (uint32_t)at[3] << 24);
}

static double decode(const struct group_codec *codec, int code, const unsigned char *scale)
{
    if (codec->kind == MX4)
        return *scale == 255 ? NAN : ldexp(element_value(MX4, code), *scale - 127);
    if (codec->kind != INT8)
        return element_value(codec->kind, code) * fp32_at(scale);
    if (signbit(fp32_at(scale)) && code == 255)
        return NAN;
    return code * fabs(fp32_at(scale)) + fp32_at(scale + 4);
}

static int64_t scale_bytes(const struct group_codec *codec)
{
    return codec->kind == INT8 ? 8 : codec->kind == MX4 ? 1 : 4;
}

/* Whether the recorded scale is ours; the sign of a bias of 0 is any. */
static int same_scale(const struct group_codec *codec, const unsigned char *ours,
                      const unsigned char *theirs)
{
    const size_t bytes = codec->kind == INT8 ? 4 : (size_t)scale_bytes(codec);
    return memcmp(ours, theirs, bytes) == 0 &&
           (codec->kind != INT8 ||
            same_value((float)fp32_at(ours + 4), (float)fp32_at(theirs + 4)));
}

/* Rule: +0 and -0 are equal: sequence gradients are added to +0 by the recorder. */
static int same_code(const struct group_codec *codec, int a, int b)
{
    return a == b ||
           (codec->kind == MX4 && element_value(MX4, a) == 0 && element_value(MX4, b) == 0);
}

/* Rule: a packed group has the recorded codes and scale where its sort says so, and decodes within
 * its bound everywhere. `codes` holds those of the row, `i` is the group's first element in it. */
static void rule_wire_group(const subject *of, const struct group_codec *codec,
                            const value_truth *truth, int64_t first, int64_t count,
                            const unsigned char *codes, int64_t i, const unsigned char *scale,
                            const unsigned char *theirs, int64_t their_codes, group_counts *counts)
{
    int exact = truth->sort == GROUP_EXACT;
    int64_t k;
    if (exact && !same_scale(codec, scale, theirs + their_codes))
        add_fault(of->faults, "%s: rank %lld, wire, element %lld: not the recorded scale", of->run,
                  (long long)of->rank, (long long)first);
    for (k = 0; k < count; k++) {
        int code = code_at(codec, codes, i + k);
        double value = decode(codec, code, scale);
        double bound = truth[k].bound * (1 + 0x1p-20) + 0x1p-149;
        if (exact && !same_code(codec, code, code_at(codec, theirs, k)))
            differ(of, first + k, "the recorded code", (float)code_at(codec, theirs, k),
                   (float)code);
        else if (truth[k].nan ? !isnan(value) : !(fabs(value - truth[k].value) <= bound))
            differ(of, first + k, "a code beyond the codec's error bound", (float)truth[k].value,
                   (float)value);
        else
            *(exact ? &counts->wire_bits : &counts->wire_bound) += 1;
    }
}

static int64_t wire_length(const reference_codec *codec, const sent_rows *sent)
{
    int64_t row, sum = 0;
    for (row = 0; row < sent->rows; row++)
        sum += reference_row_bytes(codec, sent->dims[row]);
    return sum;
}

static void rule_wire_groups(const subject *of, const loaded_case *loaded, int direction,
                             const truths *known, const rank_result *got, group_counts *counts)
{
    const reference_codec *codec = &loaded->recorded->shape->codec[direction];
    const recorded_peer *peer = &loaded->recorded->peer[direction];
    const unsigned char *theirs = loaded->ranks[of->rank].send_bytes[direction];
    const struct group_codec kind = codec_for(codec);
    const unsigned char *wire = got->wire;
    int64_t row, first = 0, i, groups = 0, length = wire_length(codec, &known->sent);
    if (got->wire_length != length) {
        add_fault(of->faults, "%s: rank %lld, wire: expected %lld bytes, got %lld", of->run,
                  (long long)of->rank, (long long)length, (long long)got->wire_length);
        return;
    }
    for (row = 0; row < known->sent.rows; first += known->sent.dims[row++]) {
        int64_t dim = known->sent.dims[row], size = group_size(codec, dim);
        const unsigned char *scale = wire + (kind.kind == MX4 ? (dim + 1) / 2 : dim);
        for (i = 0; i < dim; i += size, scale += scale_bytes(&kind), groups++) {
            int64_t number = peer->padded || peer->group == 0 ? groups : (first + i) / peer->group;
            rule_wire_group(of, &kind, &known->of[first + i], first + i,
                            dim - i < size ? dim - i : size, wire, i, scale,
                            theirs == NULL ? NULL : theirs + number * peer->bytes,
                            peer->bytes - scale_bytes(&kind), counts);
        }
        wire += reference_row_bytes(codec, dim);
    }
}

/* ---- results */

/* The bound of a quotient: division rounds, in fp32. */
static double divided(double value, double bound, float divisor)
{
    double rounding = is_power_of_two(divisor) ? 0 : 0x1p-24 * (fabs(value) + bound) * SLACK;
    return (bound + rounding) / (double)divisor + (divisor == 1 ? 0 : 0x1p-149);
}

/* Rule: within the bound of the truth. 1 where it is. */
static int rule_bound(const subject *of, int64_t element, double value, double bound, int nan,
                      float got, group_counts *counts)
{
    double error = fabs((double)got - value);
    if (nan ? !isnan(got) : !(error <= bound)) {
        differ(of, element, nan ? "NaN" : "beyond the codec's error bound",
               nan ? NAN : (float)value, got);
        return 0;
    }
    if (!nan && error > 0)
        counts->worst = fmax(counts->worst, error / bound);
    return 1;
}

/* Rule: what is only moved lies within its bound, and equals the recorded value or lies as near to it
 * as both bounds let it. */
static void rule_moved_group(const subject *of, int64_t element, const value_truth *truth,
                             float divisor, float recorded, float got, group_counts *counts)
{
    double value = truth->value / (double)divisor;
    double bound = divided(truth->value, truth->bound, divisor);
    double theirs = divided(truth->value, truth->theirs, divisor);
    if (!rule_bound(of, element, value, bound, truth->nan, got, counts))
        return;
    if (truth->sort == GROUP_EXACT && !same_value(recorded, got))
        differ(of, element, "the recorded value", recorded, got);
    else if (truth->sort <= GROUP_FORMAT && isfinite(truth->theirs) &&
             !(fabs((double)recorded - (double)got) <= bound + theirs))
        differ(of, element, "further from the recorded value than both bounds", recorded, got);
    else
        counts->moved[truth->sort]++;
}

static void rule_all_moved_groups(const subject *of, const loaded_case *loaded, int direction,
                                  const truths *known, const rank_result *got, group_counts *counts)
{
    const recorded_case *recorded = loaded->recorded;
    const loaded_rank *to = &loaded->ranks[of->rank];
    int64_t dim = recorded->mode == RECORDED_SEQUENCE ? recorded->shape->dims[0] : 1, i;
    origin *origins = find_origins(loaded, direction, of->rank);
    for (i = 0; i < to->output_count[direction]; i++) {
        const origin *from = &origins[i / dim];
        rule_moved_group(of, i, &known[from->sender].of[from->element + i % dim],
                         divisor_of(loaded, direction), to->output[direction][i], got->output[i],
                         counts);
    }
    free(origins);
}

/* Rule: a sum lies within the sum of the ranks' bounds of the sum of their truths; its W - 1 fp32
 * additions widen that. There is no recorded one. */
static void rule_reduced_groups(const subject *of, const loaded_case *loaded, int direction,
                                const truths *known, const rank_result *got, group_counts *counts)
{
    int64_t world = loaded->recorded->world, first = 0, i, s;
    float divisor = divisor_of(loaded, direction);
    for (s = 0; s < of->rank; s++)
        first += loaded->ranks[s].piece_count;
    for (i = 0; i < loaded->ranks[of->rank].piece_count; i++) {
        double value = 0, bound = 0, magnitude = 0;
        int nan = 0;
        for (s = 0; s < world; s++) {
            const value_truth *truth = &known[s].of[first + i];
            nan |= truth->nan;
            value += truth->nan ? 0 : truth->value;
            bound += truth->bound;
            magnitude += truth->nan ? 0 : fabs(truth->value) + truth->bound;
        }
        if (!nan && magnitude * SLACK >= (double)FLT_MAX) {
            counts->overflowed++;
            continue;
        }
        bound += (double)(world - 1) * 0x1p-24 * magnitude * SLACK;
        if (rule_bound(of, i, value / (double)divisor, divided(value, bound, divisor), nan,
                       got->output[i], counts))
            counts->sums++;
    }
}

void judge_groups(const subject *of, const loaded_case *loaded, int direction,
                  const rank_result *got, group_counts *counts)
{
    int64_t world = loaded->recorded->world, s;
    truths *known = allocate(world, sizeof *known);
    subject part = *of;
    for (s = 0; s < world; s++)
        known[s] = look(loaded, direction, s);
    part.what = "wire";
    if (got->wire != NULL)
        rule_wire_groups(&part, loaded, direction, &known[of->rank], got, counts);
    part.what = direction == FORWARD ? "output" : "gradient";
    if (adds(loaded->recorded, direction))
        rule_reduced_groups(&part, loaded, direction, known, got, counts);
    else
        rule_all_moved_groups(&part, loaded, direction, known, got, counts);
    for (s = 0; s < world; s++)
        forget(&known[s]);
    free(known);
}
