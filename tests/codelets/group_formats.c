/* group_formats.c: the elements of the codecs of groups are those of their formats: every code
 * decodes to its value, every value, tie and neighbour of a tie gets its code, recorded tables say
 * the same, and what was decoded is encoded to its code again. Argument: the folder of the recorded
 * tables, else tests/vectors/format of the source.
 *
 * Compiled with group_codecs.c, group_truth.c and recorded_tensors.c, with -I of runtime/ and
 * -lm. */
#include "group_truth.h"
#include "recorded_tensors.h"

/* Each check returns how many values are wrong, and tells of the first few. */
struct tested {
    const struct group_codec *codec;
    int isa;
};

static char folder[4096];

static const char *format_name(enum kind kind)
{
    return kind == E4M3 ? "fp8_e4m3" : kind == E5M2 ? "fp8_e5m2" : "mx4_elements";
}

static int64_t complain(struct tested tested, const char *what, float scale, float value,
                        int expected, int got)
{
    static int told;
    if (told++ < 20) {
        printf("# %s %s: %s: scale %a, value %a: expected 0x%02x, got 0x%02x\n", tested.codec->name,
               isa_names[tested.isa], what, (double)scale, (double)value, (unsigned)expected,
               (unsigned)got);
    }
    return 1;
}

enum { LANES = 32 };

/* The codes of LANES values under a scale; mx4's nibbles apart. */
static void encode(struct tested tested, const struct scale *scale, const float *values,
                   uint32_t random, int *codes)
{
    unsigned char bytes[LANES];
    uint32_t bits[LANES];
    for (int i = 0; i < LANES; ++i) {
        bits[i] = random;
    }
    tested.codec->by[tested.isa].write((char *)bytes, values, LANES, scale, bits);
    for (int i = 0; i < LANES; ++i) {
        codes[i] = tested.codec->element_bits == 8 ? bytes[i] : bytes[i / 2] >> (i % 2 * 4) & 15;
    }
}

static void decode(struct tested tested, const struct scale *scale, const int *codes, float *values)
{
    char bytes[LANES] = {0};
    for (int i = 0; i < LANES; ++i) {
        if (tested.codec->element_bits == 8) {
            bytes[i] = (char)codes[i];
        } else {
            bytes[i / 2] = (char)(bytes[i / 2] | codes[i] << (i % 2 * 4));
        }
    }
    tested.codec->by[tested.isa].read(values, bytes, LANES, scale);
}

/* The largest magnitude of a group whose scale is 1: the largest element, but for roundings of
 * mx4's exponent that do not use it. */
static double largest_of(struct tested tested)
{
    return tested.codec->kind == MX4 && tested.codec->scale_rounding >= CEIL
               ? 4
               : element_largest(tested.codec->kind);
}

static struct scale scale_of(struct tested tested, int power)
{
    const float largest = (float)ldexp(largest_of(tested), power);
    struct scale scale;
    tested.codec->by[tested.isa].look(&scale, &largest, 1);
    return scale;
}

static int code_count(struct tested tested)
{
    return tested.codec->element_bits == 8 ? 256 : 16;
}

static int wrong_value(struct tested tested, const struct scale *scale, float step, int first,
                       const double *expected)
{
    int codes[LANES], wrong = 0;
    float values[LANES];
    for (int i = 0; i < LANES; ++i) {
        codes[i] = (first + i) % code_count(tested);
    }
    decode(tested, scale, codes, values);
    for (int i = 0; i < LANES; ++i) {
        const float value = (float)(expected[codes[i]] * (double)step);
        if (!same(values[i], value)) {
            wrong += (int)complain(tested, "another decoded value than that of the code", step,
                                   values[i], codes[i], (int)bits_of(values[i]));
        }
    }
    return wrong;
}

/* fp8: every code by the recorded table, under scales of all kinds. */
static int64_t check_fp8_codes(struct tested tested)
{
    static const float STEPS[] = {1.0F, 0x1p-126F, 0x1.8p-126F, 0x1p100F, 3.14159274F, 1e-30F};
    struct recorded *recorded = recorded_load(folder, format_name(tested.codec->kind));
    const struct tensor *decoded = recorded_tensor(recorded, "codes", "decoded");
    double expected[256];
    int64_t wrong = decoded == NULL || decoded->count != 256;
    for (int code = 0; code < 256 && !wrong; ++code) {
        expected[code] = (double)recorded_float(decoded, code);
        if (!same((float)expected[code], (float)element_value(tested.codec->kind, code))) {
            wrong += complain(tested, "the test's own format is wrong", 1, (float)expected[code],
                              code, code);
        }
    }
    for (int i = 0; i < 6 && !wrong; ++i) {
        unsigned char wire[4];
        struct scale scale;
        for (int byte = 0; byte < 4; ++byte) {
            wire[byte] = (unsigned char)(bits_of(STEPS[i]) >> (8 * byte));
        }
        tested.codec->get(&scale, (const char *)wire);
        for (int first = 0; first < 256; first += LANES) {
            wrong += wrong_value(tested, &scale, STEPS[i], first, expected);
        }
    }
    recorded_free(recorded);
    return wrong;
}

/* mx4: every code under every shared exponent, by the recorded tables. */
static int64_t check_mx4_codes(struct tested tested)
{
    struct recorded *recorded = recorded_load(folder, "mx4_elements");
    const struct tensor *decoded = recorded_tensor(recorded, "codes", "decoded");
    const struct tensor *scales = recorded_tensor(recorded, "scales", "decoded");
    double expected[16];
    int64_t wrong = !decoded || decoded->count != 16 || !scales || scales->count != 256;
    for (int code = 0; code < 16 && !wrong; ++code) {
        expected[code] = (double)recorded_float(decoded, code);
        wrong += !same((float)expected[code], (float)element_value(MX4, code));
    }
    for (int exponent = 0; exponent < 256 && !wrong; ++exponent) {
        const char wire = (char)exponent;
        struct scale scale;
        tested.codec->get(&scale, &wire);
        wrong += wrong_value(tested, &scale, recorded_float(scales, exponent), 0, expected);
        wrong += wrong_value(tested, &scale, recorded_float(scales, exponent), 7, expected);
    }
    recorded_free(recorded);
    return wrong;
}

/* Encodes a value LANES times over, so that every lane sees it. */
static int64_t wrong_code(struct tested tested, const struct scale *scale, float step, float value,
                          int expected)
{
    float values[LANES];
    int codes[LANES];
    for (int i = 0; i < LANES; ++i) {
        values[i] = value;
    }
    encode(tested, scale, values, 0, codes);
    for (int i = 0; i < LANES; ++i) {
        if (codes[i] != expected) {
            return complain(tested, "another code", step, value, expected, codes[i]);
        }
    }
    return 0;
}

/* fp8: the recorded values. */
static int64_t check_fp8_recorded(struct tested tested)
{
    struct recorded *recorded = recorded_load(folder, format_name(tested.codec->kind));
    const struct tensor *input = recorded_tensor(recorded, NULL, "input");
    const struct tensor *encoded = recorded_tensor(recorded, NULL, "encoded");
    const struct scale scale = scale_of(tested, 0);
    int64_t wrong = !input || !encoded || input->count < 2000 || encoded->count != input->count;
    for (int64_t i = 0; !wrong && i < input->count; ++i) {
        wrong += wrong_code(tested, &scale, 1, recorded_float(input, i), encoded->bytes[i]);
    }
    recorded_free(recorded);
    return wrong;
}

/* Every value, every tie and both its neighbours, under scales that are powers of two. */
static int64_t check_ties(struct tested tested)
{
    static const int POWERS[] = {0, 1, -1, 17, -40, -117, 80, 110, 118};
    const enum kind kind = tested.codec->kind;
    const int sign = code_count(tested) / 2;
    int64_t wrong = 0;
    for (int i = 0; i < 9; ++i) {
        if (ldexp(element_largest(kind), POWERS[i]) > 0x1p127) {
            continue;
        }
        const struct scale scale = scale_of(tested, POWERS[i]);
        const double step = ldexp(1, POWERS[i]);
        for (int code = 0; element_value(kind, code) < largest_of(tested); ++code) {
            const double low = element_value(kind, code), high = element_value(kind, code + 1);
            const float middle = (float)((low + high) / 2 * step);
            const float four[] = {(float)(low * step), (float)(high * step), middle,
                                  nextafterf(middle, 0.0F), nextafterf(middle, INFINITY)};
            for (int k = 0; k < 5; ++k) {
                const int expected = nearest_code(kind, (double)four[k] / step);
                wrong += wrong_code(tested, &scale, (float)step, four[k], expected);
                wrong += wrong_code(tested, &scale, (float)step, -four[k], expected | sign);
            }
        }
    }
    return wrong;
}

/* Random groups of mx4, by looking for the nearest element; the wire's bytes. */
static int64_t check_mx4_groups(struct tested tested)
{
    int64_t wrong = 0;
    random_seed(4);
    for (int64_t number = 0; number < runs(20000); ++number) {
        const int64_t count = 1 + pick(40);
        float values[40];
        uint32_t random[40] = {0};
        unsigned char wire[21];
        make_values(values, count, (int)pick(FINITE_KINDS));
        encode_row(tested.codec, tested.isa, (char *)wire, values, count, count + count % 2,
                   random);
        const struct truth truth = truth_of(tested.codec, values, count);
        for (int64_t i = 0; i < count + count % 2; ++i) {
            const int expected = i < count ? nearest_code(MX4, (double)values[i] / truth.step) : 0;
            const int got = wire[i / 2] >> (i % 2 * 4) & 15;
            if (got != expected) {
                wrong += complain(tested, "another code", (float)truth.step,
                                  i < count ? values[i] : 0, expected, got);
            }
        }
    }
    return wrong;
}

/* Random groups of int8: FBGEMM's formula in fp32, the last rounding by libm. */
static int64_t check_int8_groups(struct tested tested)
{
    int64_t wrong = 0;
    random_seed(5);
    for (int64_t number = 0; number < runs(40000); ++number) {
        const int64_t count = 1 + pick(40);
        float values[40], decoded[40], least = INFINITY, most = -INFINITY;
        uint32_t random[40] = {0};
        unsigned char wire[48];
        make_values(values, count, (int)pick(FINITE_KINDS));
        for (int64_t i = 0; i < count; ++i) {
            least = fminf(least, values[i]);
            most = fmaxf(most, values[i]);
        }
        volatile float range = most - least;
        volatile float inverse = 255.0F / range, scale = range / 255.0F;
        if (range < 0.25F || range > 1e38F) {
            continue;
        }
        encode_row(tested.codec, tested.isa, (char *)wire, values, count, count, random);
        decode_row(tested.codec, tested.isa, decoded, (char *)wire, count, count);
        for (int64_t i = 0; i < count; ++i) {
            volatile float product = values[i] - least;
            product = product * inverse;
            const float code = fminf(nearbyintf(product), 255.0F);
            if (wire[i] != (int)code || !equal(decoded[i], fmaf(code, scale, least))) {
                wrong +=
                    complain(tested, "another code or value", scale, values[i], (int)code, wire[i]);
            }
        }
    }
    return wrong;
}

/* Codes of random groups: decoded, then encoded by the same scale. int8 only where fp32 has room
 * for 255 steps between the values, and two roundings do not add up to half a step. */
static int64_t check_again(struct tested tested)
{
    int64_t wrong = 0;
    random_seed(6);
    for (int64_t number = 0; number < runs(4000); ++number) {
        struct scale scale, arrived;
        char wire[8];
        float values[LANES], decoded[LANES];
        int codes[LANES], again[LANES];
        make_values(values, LANES, (int)pick(FINITE_KINDS));
        const struct truth truth = truth_of(tested.codec, values, LANES);
        const double far = fmax(fabs(truth.least), fabs(truth.most));
        if (tested.codec->kind == INT8 && (truth.step < far * 0x1p-20 || truth.step < 0x1p-126)) {
            continue;
        }
        if (truth.step == 0) { /* zeros only: all codes are 0 */
            continue;
        }
        tested.codec->by[tested.isa].look(&scale, values, LANES);
        tested.codec->put(wire, &scale);
        tested.codec->get(&arrived, wire);
        for (int first = 0; first < code_count(tested); first += LANES) {
            for (int i = 0; i < LANES; ++i) {
                codes[i] = (first + i) % code_count(tested);
            }
            decode(tested, &arrived, codes, decoded);
            /* nearest: any random number; stochastic: one far from the ends of its range */
            encode(tested, &scale, decoded, tested.codec->stochastic ? 0x80000000U : 1, again);
            for (int i = 0; i < LANES; ++i) {
                /* not beyond what the group holds */
                const int possible = tested.codec->kind == INT8 ||
                                     fabs((double)decoded[i]) <= truth.largest * (1 + 0x1p-20);
                if (possible && again[i] != codes[i]) {
                    wrong += complain(tested, "another code when encoded again", (float)truth.step,
                                      decoded[i], codes[i], again[i]);
                }
            }
        }
    }
    return wrong;
}

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *name;
        unsigned kinds;
        int stochastic; /* too */
        int64_t (*run)(struct tested tested);
    } CHECKS[] = {
        {"every code decodes to its recorded value", 1 << E4M3 | 1 << E5M2, 0, check_fp8_codes},
        {"every code decodes to its recorded value", 1 << MX4, 0, check_mx4_codes},
        {"recorded values get their codes", 1 << E4M3 | 1 << E5M2, 0, check_fp8_recorded},
        {"every value, tie and neighbour of a tie gets its code", 1 << E4M3 | 1 << E5M2 | 1 << MX4,
         0, check_ties},
        {"random groups get the nearest elements", 1 << MX4, 0, check_mx4_groups},
        {"random groups get the codes of FBGEMM's formula", 1 << INT8, 0, check_int8_groups},
        {"what was decoded is encoded to its code", ~0U, 1, check_again},
    };
    enum { CHECK_COUNT = sizeof CHECKS / sizeof CHECKS[0] };
    const char *top = getenv("top_srcdir");
    int count = 0;
    if (argument_count > 1) {
        snprintf(folder, sizeof folder, "%s", arguments[1]);
    } else {
        snprintf(folder, sizeof folder, "%s/tests/vectors/format", top ? top : ".");
    }
    for (int run = 0; run < 2; ++run) { /* first to count */
        if (run == 1) {
            tap_plan(count);
        }
        for (int c = 0; c < GROUP_CODECS; ++c) {
            for (int i = 0; i < CHECK_COUNT; ++i) {
                if (!(CHECKS[i].kinds >> group_codecs[c].kind & 1) ||
                    (group_codecs[c].stochastic && !CHECKS[i].stochastic)) {
                    continue;
                }
                for (int isa = 0; isa < TAP_ISAS; ++isa, ++count) {
                    const char *why_not = tap_why_not(isa);
                    const struct tested tested = {&group_codecs[c], isa};
                    char name[128];
                    snprintf(name, sizeof name, "%s %s: %s", group_codecs[c].name, isa_names[isa],
                             CHECKS[i].name);
                    if (run == 1) {
                        tap_line(why_not || CHECKS[i].run(tested) == 0, name, why_not);
                    }
                }
            }
        }
    }
    return tap_status();
}
