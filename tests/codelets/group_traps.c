/* group_traps.c: numbers that other implementations have got wrong, through every codec where they
 * apply: a line a codec and a trap. What arrives is held to the codec's bound, and to more where
 * the trap says so.
 *
 * Compiled with group_codecs.c and group_truth.c, with -I of runtime/ and -lm. */
#include "group_truth.h"

#include <float.h>

#include <inline/bf16.h>
#include <inline/fp16.h>

/* ---- the codecs: those of groups, and two of elements */

enum half { NO_HALF, FP16, BF16 };
struct subject {
    const char *name;
    const struct group_codec *codec; /* or NULL */
    enum half half;
    int propagate;
    int isa;
};

enum { MOST = 300 };

static void pass_half(const struct subject *subject, float *decoded, const float *values, int count)
{
    const embdist_half_options options = {1.0F, !subject->propagate};
    for (int i = 0; i < count; ++i) {
        char wire[2];
        if (subject->half == FP16) {
            embdist_fp16_write_wire(wire, 0, values[i], options);
            decoded[i] = embdist_fp16_read_wire(wire, 0, options);
        } else {
            embdist_bf16_write_wire(wire, 0, values[i], options);
            decoded[i] = embdist_bf16_read_wire(wire, 0, options);
        }
    }
}

/* A row through the wire, the whole row a group unless the codec's groups are smaller. */
static void arrive(const struct subject *subject, float *decoded, const float *values, int count)
{
    uint32_t random[MOST];
    for (int i = 0; i < count; ++i) {
        random[i] = (uint32_t)random_bits();
    }
    if (subject->codec) {
        pass(subject->codec, subject->isa, decoded, values, count, random);
    } else {
        pass_half(subject, decoded, values, count);
    }
}

static int is_half_within(const struct subject *subject, float value, float got)
{
    const int fp16 = subject->half == FP16;
    const double largest = fp16 ? 65504.0 : (2 - 0x1p-7) * 0x1p127;
    const double x = (double)value;
    if (isnan(value)) {
        return isnan(got);
    }
    if (fabs(x) > largest) {
        const double last = fp16 ? 65520.0 : (2 - 0x1p-8) * 0x1p127;
        const double most = subject->propagate && fabs(x) >= last ? (double)INFINITY : largest;
        return (double)got == copysign(most, x);
    }
    return fabs((double)got - x) <= fmax(fabs(x) * (fp16 ? 0x1p-11 : 0x1p-8), //
                                         fp16 ? 0x1p-25 : 0x1p-134);
}

/* How many values of a row arrive farther off than the codec's bound, or with other NaNs. */
static int outside(const struct subject *subject, const float *values, const float *decoded,
                   int count)
{
    struct truth truth = {0, 0, 0, 0, 0};
    int wrong = 0;
    if (subject->codec) {
        truth = truth_of(subject->codec, values, count);
    }
    for (int i = 0; i < count; ++i) {
        int right;
        if (subject->half != NO_HALF) {
            right = is_half_within(subject, values[i], decoded[i]);
        } else if (isnan(values[i]) || (truth.nans && subject->codec->kind == MX4)) {
            right = isnan(decoded[i]) != 0;
        } else {
            const double x = true_value(subject->codec, &truth, values[i]);
            const double bound = error_bound(subject->codec, &truth, values[i]);
            right = isinf(x) ? (double)decoded[i] == x : fabs((double)decoded[i] - x) <= bound;
        }
        if (!right && wrong++ < TOLD) {
            printf("# %s %s: value %d, %a, arrives as %a\n", subject->name, isa_names[subject->isa],
                   i, (double)values[i], (double)decoded[i]);
        }
    }
    return wrong;
}

/* How many of a row's values are not, bit for bit but for the sign of zero, what is expected. */
static int differ(const struct subject *subject, const float *values, const float *expected,
                  int count)
{
    float decoded[MOST];
    int wrong = 0;
    arrive(subject, decoded, values, count);
    for (int i = 0; i < count; ++i) {
        if (!equal(decoded[i], expected[i]) && wrong++ < TOLD) {
            printf("# %s %s: value %d, %a, arrives as %a, expected %a\n", subject->name,
                   isa_names[subject->isa], i, (double)values[i], (double)decoded[i],
                   (double)expected[i]);
        }
    }
    return wrong;
}

static int strays(const struct subject *subject, const float *values, int count)
{
    float decoded[MOST];
    arrive(subject, decoded, values, count);
    return outside(subject, values, decoded, count);
}

static int is_kind(const struct subject *subject, enum kind kind)
{
    return subject->codec && subject->codec->kind == kind;
}

/* ---- the traps: each returns how much is wrong, or NOT_HERE where a codec has no such trap */

enum { NOT_HERE = -1 };

static int one_nan(const struct subject *subject)
{
    const float values[] = {1, NAN, 3}, four[] = {1, 2, NAN, 4};
    return strays(subject, values, 3) + strays(subject, four, 4);
}

static int only_nan(const struct subject *subject)
{
    const float values[] = {NAN, NAN, -NAN}, one[] = {NAN};
    return strays(subject, values, 3) + strays(subject, one, 1);
}

static int one_infinity(const struct subject *subject)
{
    const float above[] = {1, 2, INFINITY, 4}, below[] = {1, 2, -INFINITY, 4};
    const float both[] = {-INFINITY, 1, INFINITY}, beside[] = {1, NAN, INFINITY, -3};
    return strays(subject, above, 4) + strays(subject, below, 4) + strays(subject, both, 3) +
           strays(subject, beside, 4);
}

static int only_infinities(const struct subject *subject)
{
    const float values[] = {INFINITY, -INFINITY, INFINITY}, one[] = {-INFINITY};
    const float zero[] = {0, INFINITY, -0.0F, 0}, nan[] = {NAN, INFINITY};
    const float small[] = {1e-44F, -INFINITY};
    return strays(subject, values, 3) + strays(subject, one, 1) + strays(subject, zero, 4) +
           strays(subject, nan, 2) + strays(subject, small, 2);
}

static int outlier(const struct subject *subject)
{
    const float values[] = {0, 0.001F, 0.001F, 1000};
    float decoded[4];
    arrive(subject, decoded, values, 4);
    int wrong = outside(subject, values, decoded, 4);
    if (subject->half != NO_HALF || is_kind(subject, E5M2)) { /* have room for both */
        wrong += decoded[1] == 0 || decoded[2] == 0;
    } else if (!subject->codec->stochastic) { /* documented: it flattens the others */
        wrong += decoded[1] != 0 || decoded[2] != 0;
    }
    return wrong + (decoded[3] < (is_kind(subject, MX4) ? 700 : 900));
}

/* The same in groups of two: only the outlier's neighbour is flattened. */
static int outlier_in_groups(const struct subject *subject)
{
    const float values[] = {0, 0.001F, 0.001F, 1000};
    const uint32_t random[4] = {0};
    float decoded[4];
    char row[64];
    if (!subject->codec) {
        return NOT_HERE;
    }
    encode_row(subject->codec, subject->isa, row, values, 4, 2, random);
    decode_row(subject->codec, subject->isa, decoded, row, 4, 2);
    return outside(subject, values, decoded, 2) + outside(subject, values + 2, decoded + 2, 2) +
           (decoded[1] < 0.0007F);
}

static int little_range(const struct subject *subject)
{
    const float values[] = {1e-30F, 2e-30F, 3e-30F}, less[] = {1e-37F, 2e-37F, 3e-37F};
    float decoded[3];
    arrive(subject, decoded, values, 3);
    int wrong = outside(subject, values, decoded, 3) + strays(subject, less, 3);
    if (is_kind(subject, MX4)) { /* has few steps */
        wrong += !(decoded[0] < decoded[2]);
    } else if (subject->half != FP16) { /* for which all of them are 0 */
        wrong += !(decoded[0] < decoded[1] && decoded[1] < decoded[2]);
    }
    return wrong;
}

static int large_range(const struct subject *subject)
{
    const float values[] = {-3e38F, 0, 3e38F}, ends[] = {-FLT_MAX, FLT_MAX, 1, -1, 0};
    const float skew[] = {-FLT_MAX, 0x1p124F, 1}, other[] = {FLT_MAX, -0x1p124F, 1};
    return strays(subject, values, 3) + strays(subject, ends, 5) + strays(subject, skew, 3) +
           strays(subject, other, 3);
}

static int constant(const struct subject *subject)
{
    static const float OF[] = {1.5F, -1.5F, 0.1F, 1e-30F, 3e38F, -FLT_MAX, 1e-42F, 65504.0F, 1.0F};
    int wrong = 0;
    for (int i = 0; i < 9; ++i) {
        float values[33];
        for (int k = 0; k < 33; ++k) {
            values[k] = OF[i];
        }
        for (int count = 1; count <= 33; count += 16) {
            wrong += is_kind(subject, INT8) ? differ(subject, values, values, count)
                                            : strays(subject, values, count);
        }
        if (is_kind(subject, MX4) && i < 2) { /* is an element */
            wrong += differ(subject, values, values, 33);
        }
    }
    return wrong;
}

static int zeros(const struct subject *subject)
{
    float values[33] = {0};
    return differ(subject, values, values, 1) + differ(subject, values, values, 3) +
           differ(subject, values, values, 33);
}

/* The sign stays, but in int8, whose bias is +0. */
static int negative_zeros(const struct subject *subject)
{
    float values[33], decoded[33];
    int wrong = 0;
    for (int i = 0; i < 33; ++i) {
        values[i] = i % 3 == 1 ? 0.0F : -0.0F;
    }
    arrive(subject, decoded, values, 33);
    for (int i = 0; i < 33; ++i) {
        wrong += is_kind(subject, INT8) ? bits_of(decoded[i]) != 0
                                        : bits_of(decoded[i]) != bits_of(values[i]);
    }
    return wrong;
}

static int subnormals(const struct subject *subject)
{
    const float values[] = {1e-40F, 2e-40F, -3e-40F, 1e-45F, 0}, least[] = {1e-45F, 0, -1e-45F};
    float many[33];
    for (int i = 0; i < 33; ++i) {
        many[i] = float_of((uint32_t)i * 250000U);
    }
    return strays(subject, values, 5) + strays(subject, least, 3) + strays(subject, many, 33);
}

/* N7: clamped in fp32, before the narrowing. */
static int half_overflow(const struct subject *subject)
{
    const float values[] = {65504.0F, 65519.0F, 65520.0F, 1e30F, -65520.0F, -1e30F};
    float decoded[6];
    if (!subject->half) {
        return NOT_HERE;
    }
    arrive(subject, decoded, values, 6);
    int wrong = outside(subject, values, decoded, 6);
    if (subject->half == FP16) {
        const float beyond = subject->propagate ? INFINITY : 65504.0F;
        wrong += decoded[0] != 65504.0F || decoded[1] != 65504.0F || decoded[2] != beyond;
        wrong += decoded[3] != beyond || decoded[4] != -beyond || decoded[5] != -beyond;
    }
    return wrong;
}

/* N7 again: what was bf16, in the caller's memory, and becomes fp16. */
static int bf16_to_fp16(const struct subject *subject)
{
    const float value = 1e30F;
    char row[2];
    const embdist_half_options plain = {1.0F, 0};
    if (subject->half != FP16) {
        return NOT_HERE;
    }
    embdist_bf16_write_wire(row, 0, value, plain);
    const float read = embdist_bf16_read_wire(row, 0, plain);
    const float expected = subject->propagate ? INFINITY : 65504.0F;
    return differ(subject, &read, &expected, 1);
}

/* N8: what becomes of infinities is the spec's choice, and NaN stays NaN. */
static int policies(const struct subject *subject)
{
    const float values[] = {INFINITY, -INFINITY, NAN, 2};
    float decoded[4];
    arrive(subject, decoded, values, 4);
    int wrong = outside(subject, values, decoded, 4) + !isnan(decoded[2]);
    if (!is_kind(subject, MX4)) { /* whose groups with NaN are all NaN */
        wrong += (isinf(decoded[0]) != 0) != subject->propagate;
        wrong += (isinf(decoded[1]) != 0) != subject->propagate;
    }
    return wrong;
}

/* N10: nothing saturates below the group's largest. */
static int above_one(const struct subject *subject)
{
    const float values[] = {1.0F, 3.7F, 100.0F};
    float decoded[3];
    arrive(subject, decoded, values, 3);
    return outside(subject, values, decoded, 3) + (decoded[2] < 90);
}

/* N12: sums are made of decoded values, and leave the format. */
static int sums(const struct subject *subject)
{
    const float e4m3[] = {448, 18}, e5m2[] = {57344, 4096};
    if (is_kind(subject, E4M3)) {
        return differ(subject, e4m3, e4m3, 2);
    }
    return is_kind(subject, E5M2) ? differ(subject, e5m2, e5m2, 2) : NOT_HERE;
}

/* N13: the OCP formats, not their FNUZ variants, whose code 0x80 is NaN and which stop earlier. */
static int not_fnuz(const struct subject *subject)
{
    const float e4m3[] = {448, 256, 240, -0.0F}, e5m2[] = {57344, 1, -0.0F, 2};
    const float *values = is_kind(subject, E4M3) ? e4m3 : e5m2;
    static const unsigned char E4M3_CODES[] = {0x7e, 0x78, 0x77, 0x80};
    static const unsigned char E5M2_CODES[] = {0x7b, 0x3c, 0x80, 0x40};
    const uint32_t random[4] = {1, 2, 3, UINT32_MAX};
    char row[8];
    if (!is_kind(subject, E4M3) && !is_kind(subject, E5M2)) {
        return NOT_HERE;
    }
    encode_row(subject->codec, subject->isa, row, values, 4, 4, random);
    return memcmp(row, is_kind(subject, E4M3) ? E4M3_CODES : E5M2_CODES, 4) != 0;
}

/* N17: a scale that is no fp16 number. */
static int wide_scales(const struct subject *subject)
{
    const float little[] = {1e-10F, 2e-10F, -3e-10F}, large[] = {1e10F, 2e10F, -3e10F};
    float decoded[3];
    if (!subject->codec) {
        return NOT_HERE;
    }
    arrive(subject, decoded, little, 3);
    return outside(subject, little, decoded, 3) + strays(subject, large, 3) + (decoded[2] >= 0);
}

/* N20: ties go to the even code, mx4's away from zero. */
static int ties(const struct subject *subject)
{
    const float int8[] = {0, 255, 0.5F, 1.5F, 2.5F, 253.5F},
                int8_expected[] = {0, 255, 0, 2, 2, 254};
    const float e4m3[] = {448, 17, 19, -17, 0x1p-10F, 0x3p-10F};
    const float e4m3_expected[] = {448, 16, 20, -16, 0, 0x1p-8F};
    const float e5m2[] = {57344, 9, 11, -9, 0x1p-17F, 0x3p-17F};
    const float e5m2_expected[] = {57344, 8, 12, -8, 0, 0x1p-15F};
    const float mx4[] = {6, 0.25F, 0.75F, 1.25F, -2.5F, 5},
                mx4_expected[] = {6, 0.5F, 1, 1.5F, -3, 6};
    const float fp16[] = {2049, 2051, -2049}, fp16_expected[] = {2048, 2052, -2048};
    const float bf16[] = {257, 259, -257}, bf16_expected[] = {256, 260, -256};
    if (subject->half != NO_HALF) {
        return subject->half == FP16 ? differ(subject, fp16, fp16_expected, 3)
                                     : differ(subject, bf16, bf16_expected, 3);
    }
    if (subject->codec->stochastic) {
        return NOT_HERE;
    }
    switch (subject->codec->kind) {
    case INT8:
        return differ(subject, int8, int8_expected, 6);
    case E4M3:
        return differ(subject, e4m3, e4m3_expected, 6);
    case E5M2:
        return differ(subject, e5m2, e5m2_expected, 6);
    default: /* 6 is 1.5 * 4: "ceil" and "nearest" give it another scale */
        return subject->codec->scale_rounding <= FLOOR ? differ(subject, mx4, mx4_expected, 6)
                                                       : NOT_HERE;
    }
}

/* Only infinities, but where mx4's scale is small. */
static int saturation(const struct subject *subject)
{
    const float values[] = {7.75F, 1, -5};
    struct scale scale;
    if (!subject->codec) {
        return NOT_HERE;
    }
    const struct group_codec *codec = subject->codec;
    codec->by[subject->isa].look(&scale, values, 3);
    const int small = codec->kind == MX4 && codec->scale_rounding == FLOOR; /* 1: up to 6 */
    const int infinite = !codec->propagate;
    return (codec->saturates(values[0], &scale) != 0) != small ||
           codec->saturates(values[1], &scale) != 0 ||
           (codec->saturates(INFINITY, &scale) != 0) != infinite ||
           (codec->saturates(-INFINITY, &scale) != 0) != infinite;
}

static const struct trap {
    const char *name;
    int (*run)(const struct subject *subject);
} TRAPS[] = {
    {"{1, NaN, 3}: NaN stays visible (N9)", one_nan},
    {"nothing but NaN", only_nan},
    {"{1, 2, inf, 4}: one infinity spoils no other value (N11)", one_infinity},
    {"nothing finite but zeros or next to nothing", only_infinities},
    {"{0, .001, .001, 1000}: an outlier (N16)", outlier},
    {"{0, .001, .001, 1000} in groups of two (N16)", outlier_in_groups},
    {"{1e-30, 2e-30, 3e-30}: no constant swallows a little range (N15)", little_range},
    {"{-3e38, 0, 3e38}: a range that overflows", large_range},
    {"constant rows (N14)", constant},
    {"zero rows (N14)", zeros},
    {"-0.0 rows (N14)", negative_zeros},
    {"subnormal rows", subnormals},
    {"65504, 65519, 65520, 1e30 (N7)", half_overflow},
    {"1e30 from bf16 rows (N7)", bf16_to_fp16},
    {"infinities saturate or propagate, NaN passes (N8)", policies},
    {"{1, 3.7, 100}: nothing saturates early (N10)", above_one},
    {"448 + 18, 57344 + 4096: sums leave the format (N12)", sums},
    {"OCP formats, not FNUZ (N13)", not_fnuz},
    {"scales beyond fp16 (N17)", wide_scales},
    {"ties (N20)", ties},
    {"what saturates", saturation},
};
enum { TRAP_COUNT = sizeof TRAPS / sizeof TRAPS[0], SUBJECTS = GROUP_CODECS + 4 };

/* On all instruction sets that there are. */
static int wrong_all(struct subject subject, const struct trap *trap)
{
    int wrong = 0;
    for (subject.isa = 0; subject.isa < (subject.codec ? TAP_ISAS : 1); ++subject.isa) {
        if (!tap_why_not(subject.isa)) {
            const int more = trap->run(&subject);
            if (more == NOT_HERE) {
                return NOT_HERE;
            }
            wrong += more;
        }
    }
    return wrong;
}

int main(void)
{
    static int wrong[SUBJECTS][TRAP_COUNT];
    struct subject subjects[SUBJECTS] = {
        {"fp16", NULL, FP16, 0, 0},
        {"fp16 propagate", NULL, FP16, 1, 0},
        {"bf16", NULL, BF16, 0, 0},
        {"bf16 propagate", NULL, BF16, 1, 0},
    };
    int lines = 0;
    for (int c = 0; c < GROUP_CODECS; ++c) {
        const struct group_codec *codec = &group_codecs[c];
        subjects[4 + c] = (struct subject){codec->name, codec, NO_HALF, codec->propagate, 0};
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int s = 0; s < SUBJECTS; ++s) {
        for (int t = 0; t < TRAP_COUNT; ++t) {
            wrong[s][t] = wrong_all(subjects[s], &TRAPS[t]);
            lines += wrong[s][t] != NOT_HERE;
        }
    }
    tap_plan(lines);
    for (int s = 0; s < SUBJECTS; ++s) {
        for (int t = 0; t < TRAP_COUNT; ++t) {
            char name[160];
            snprintf(name, sizeof name, "%s: %s", subjects[s].name, TRAPS[t].name);
            if (wrong[s][t] != NOT_HERE) {
                tap_line(wrong[s][t] == 0, name, NULL);
            }
        }
    }
    return tap_status();
}
