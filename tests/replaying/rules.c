#include "rules.h"

#include "group_rules.h"
#include "origins.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Rule: the wire rows that we pack hold the values of the recorded ones. */
static void rule_wire(const subject *of, reference_format format, const loaded_rank *recorded,
                      int direction, const rank_result *got, rule_counts *counts)
{
    int64_t i, count = recorded->send_count[direction];
    float *values;
    if (got->wire_length != count * wire_width(format)) {
        add_fault(of->faults,
                  "%s: rank %" PRId64 ", wire: expected %" PRId64 " bytes, got %" PRId64, of->run,
                  of->rank, count * wire_width(format), got->wire_length);
        return;
    }
    values = wire_values(format, got->wire, count);
    for (i = 0; i < count; i++) {
        if (!same_value(values[i], recorded->send[direction][i]))
            differ(of, i, "the recorded wire row", recorded->send[direction][i], values[i]);
        else
            counts->wire++;
    }
    free(values);
}

static int scale_is_exact(const reference_codec *codec)
{
    return codec->format == REFERENCE_FP32 || codec->loss_scale == 0 ||
           is_power_of_two(codec->loss_scale);
}

/* Whether numbers of this magnitude, in the wire type, before or after the division by the loss
 * scale, may pass its largest finite value. */
static int may_overflow(const reference_codec *codec, double magnitude)
{
    double scale = codec->loss_scale == 0 || codec->loss_scale < 1 ? 1 : (double)codec->loss_scale;
    return magnitude * scale * SLACK >= reference_largest(codec->format);
}

/* Rule: no comparison with a recorded value that overflowed. Covers our own sum too, where the
 * fp32 sum in rank order overflows and the recorder's other order did not. */
static int rule_overflowed(const reference_codec *codec, float recorded, float got,
                           double magnitude)
{
    return (!isfinite(recorded) || !isfinite(got)) && may_overflow(codec, magnitude);
}

static int within(float recorded, float got, double bound)
{
    return isfinite(recorded) && isfinite(got) && fabs((double)recorded - (double)got) <= bound;
}

/* Rule: a sum lies within k u sum|x| (1 + 2^-7), and the least number of the wire type, of the
 * recorded sum, which was made in another order, in the wire type: W - 1 roundings of 16 bits, one
 * more for the division by a loss scale that is no power of two; in fp32 both sums round. */
static double sum_bound(const reference_codec *codec, int64_t world, double magnitude)
{
    int64_t roundings = codec->format == REFERENCE_FP32 ? 2 * (world - 1)
                        : scale_is_exact(codec)         ? world - 1
                                                        : world;
    return (double)roundings * reference_roundoff(codec->format) * magnitude * SLACK +
           reference_least(codec->format);
}

/* The sum of an element, divided where the gradient is a mean, and the bound with it. A quotient
 * that is not exact rounds on both sides. */
static void rule_sum(const subject *of, const loaded_case *loaded, int direction, int64_t element,
                     float got, double magnitude, rule_counts *counts)
{
    const reference_codec *codec = &loaded->recorded->shape->codec[direction];
    float recorded = loaded->ranks[of->rank].output[direction][element];
    float divisor = divisor_of(loaded, direction);
    double bound = sum_bound(codec, loaded->recorded->world, magnitude) / (double)divisor;
    if (!is_power_of_two(divisor))
        bound += 2 * reference_roundoff(REFERENCE_FP32) * fabs((double)recorded);
    if (same_value(recorded, got))
        counts->bitwise++;
    else if (loaded->recorded->integers) /* rule: exact sums are equal in any order and type */
        differ(of, element, "the recorded sum of small integers", recorded, got);
    else if (rule_overflowed(codec, recorded, got, magnitude))
        counts->overflowed++;
    else if (within(recorded, got, bound))
        counts->sums++;
    else
        differ(of, element, "beyond the bound of the recorded sum", recorded, got);
}

/* Rule: a reduce-scatter gives, bit for bit, the fp32 sum in rank order of the decoded pieces of
 * the recorded wire rows, divided in fp32 where it is a mean; what was recorded as the sum is met
 * within rule_sum. */
static void rule_reduce(const subject *of, const loaded_case *loaded, int direction,
                        const rank_result *got, rule_counts *counts)
{
    const recorded_case *recorded = loaded->recorded;
    const loaded_rank *to = &loaded->ranks[of->rank];
    int64_t i, s, first = 0;
    for (s = 0; s < of->rank; s++)
        first += loaded->ranks[s].piece_count;
    for (i = 0; i < to->piece_count; i++) {
        float sum = 0;
        double magnitude = 0;
        for (s = 0; s < recorded->world; s++) {
            float x = reference_decode(&recorded->shape->codec[direction],
                                       loaded->ranks[s].send[direction][first + i]);
            sum = s == 0 ? x : sum + x;
            magnitude += isfinite(x) ? fabs((double)x) : 0;
        }
        sum /= divisor_of(loaded, direction);
        if (same_value(sum, got->output[i]))
            rule_sum(of, loaded, direction, i, got->output[i], magnitude, counts);
        else
            differ(of, i, "the sum in rank order of the recorded wire rows", sum, got->output[i]);
    }
}

/* Rule: what is only moved equals the recorded value. But where the loss scale is no power of two,
 * the recorder divided in the wire type, which rounds once more; then it equals, bit for bit, the
 * fp32 quotient of the recorded wire row, and lies within that rounding of the recorded value. The
 * same goes for the quotient by a power of two that the wire type cannot hold (a subnormal). */
static void rule_moved(const subject *of, const loaded_case *loaded, int direction, int64_t element,
                       float wire, float got, rule_counts *counts)
{
    const recorded_shape *shape = loaded->recorded->shape;
    const reference_codec *codec = &shape->codec[direction];
    const reference_codec plain = {.format = codec->format};
    float recorded = loaded->ranks[of->rank].output[direction][element];
    float quotient = reference_decode(codec, wire);
    float expected = quotient / divisor_of(loaded, direction);
    int held = same_value(reference_encode(&plain, quotient), quotient);
    double magnitude = fabs((double)expected);
    if (!same_value(expected, got)) {
        differ(of, element, "the decoded recorded wire row", expected, got);
    } else if (scale_is_exact(codec) && held) {
        if (same_value(recorded, got))
            counts->bitwise++;
        else
            differ(of, element, "the recorded value", recorded, got);
    } else if (!same_value(recorded, got) &&
               rule_overflowed(codec, recorded, got, fabs((double)quotient))) {
        counts->overflowed++;
    } else if (same_value(recorded, got) ||
               within(recorded, got,
                      reference_roundoff(codec->format) * magnitude * SLACK +
                          reference_least(codec->format))) {
        *(scale_is_exact(codec) ? &counts->subnormal_quotients : &counts->quotients) += 1;
    } else {
        differ(of, element, "beyond one rounding of the recorded value", recorded, got);
    }
}

static void rule_all_moved(const subject *of, const loaded_case *loaded, int direction,
                           const rank_result *got, rule_counts *counts)
{
    const recorded_case *recorded = loaded->recorded;
    int64_t dim = recorded->mode == RECORDED_SEQUENCE ? recorded->shape->dims[0] : 1, i;
    origin *origins = find_origins(loaded, direction, of->rank);
    for (i = 0; i < loaded->ranks[of->rank].output_count[direction]; i++) {
        const origin *from = &origins[i / dim];
        float wire = loaded->ranks[from->sender].send[direction][from->element + i % dim];
        rule_moved(of, loaded, direction, i, wire, got->output[i], counts);
    }
    free(origins);
}

/* Rule: one rank alone encodes and divides nothing. */
static void rule_alone(const subject *of, const loaded_rank *recorded, int direction,
                       const rank_result *got, rule_counts *counts)
{
    int64_t i;
    for (i = 0; i < recorded->output_count[direction]; i++) {
        if (same_value(recorded->output[direction][i], got->output[i]))
            counts->bitwise++;
        else
            differ(of, i, "the recorded value", recorded->output[direction][i], got->output[i]);
    }
}

void judge(const loaded_case *loaded, int direction, const run *result, rule_counts *counts,
           fault_list *faults)
{
    const recorded_case *recorded = loaded->recorded;
    subject of = {.run = result->label, .faults = faults};
    for (of.rank = 0; of.rank < recorded->world; of.rank++) {
        const rank_result *got = &result->ranks[direction][of.rank];
        const loaded_rank *rank = &loaded->ranks[of.rank];
        if (got->error[0] != '\0') {
            add_fault(faults, "%s: rank %" PRId64 ": %s", of.run, of.rank, got->error);
            continue;
        }
        if (recorded->world > 1 &&
            !reference_is_element(recorded->shape->codec[direction].format)) {
            judge_groups(&of, loaded, direction, got, &counts->groups);
            continue;
        }
        of.what = "wire";
        if (got->wire != NULL && recorded->world > 1)
            rule_wire(&of, recorded->shape->codec[direction].format, rank, direction, got, counts);
        of.what = direction == FORWARD ? "output" : "gradient";
        if (recorded->world == 1)
            rule_alone(&of, rank, direction, got, counts);
        else if (adds(recorded, direction))
            rule_reduce(&of, loaded, direction, got, counts);
        else
            rule_all_moved(&of, loaded, direction, got, counts);
    }
}

void judge_same_bits(const loaded_case *loaded, int direction, const run *first, const run *second,
                     fault_list *faults)
{
    subject of = {.run = second->label, .what = "against the other form or way", .faults = faults};
    int64_t i;
    for (of.rank = 0; of.rank < loaded->recorded->world; of.rank++) {
        const rank_result *a = &first->ranks[direction][of.rank];
        const rank_result *b = &second->ranks[direction][of.rank];
        if (a->error[0] != '\0' || b->error[0] != '\0')
            continue; /* judge tells */
        for (i = 0; i < loaded->ranks[of.rank].output_count[direction]; i++) {
            /* Which NaN a sum of two is, is the compiler's choice of operand order. */
            if (fp32_bits(a->output[i]) != fp32_bits(b->output[i]) &&
                !(isnan(a->output[i]) && isnan(b->output[i])))
                differ(&of, i, "not the same bits", a->output[i], b->output[i]);
        }
    }
}
