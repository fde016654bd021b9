/* codecs.c: the codec functions that codelets call, fp16 and bf16: every code decodes to what the
 * format's definition says, every value rounds half to even, and the vector functions give the
 * scalar ones' bits.
 *
 * Compiled alone, with -I of runtime/ and -lm. */
#include <float.h>
#include <math.h>

#include <inline/bf16.h>
#include <inline/fp16.h>

#include "tap.h"

/* ---- the formats, defined once more */

struct format {
    const char *name;
    int mantissa_bits; /* without the leading one */
    int bias;
    uint16_t infinity; /* its code; NaN's codes are above */
};

static const struct format FP16 = {"fp16", 10, 15, 0x7c00};
static const struct format BF16 = {"bf16", 7, 127, 0x7f80};

static int is_nan_code(const struct format *format, uint16_t code)
{
    return (code & 0x7fff) > format->infinity;
}

static float defined_value(const struct format *format, uint16_t code)
{
    const int exponent = (code & 0x7fff) >> format->mantissa_bits;
    const int mantissa = code & ((1 << format->mantissa_bits) - 1);
    const int scale = (exponent == 0 ? 1 : exponent) - format->bias - format->mantissa_bits;
    const int leading = exponent == 0 ? 0 : 1 << format->mantissa_bits;
    double value = ldexp(leading + mantissa, scale);
    if ((code & 0x7fff) == format->infinity) {
        value = INFINITY;
    }
    return (float)(code & 0x8000 ? -value : value);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int same(float a, float b)
{
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* ---- the functions under test, by codec and instruction set */

struct codec {
    const struct format *format;
    int isa;
    const char *version;
    /* `count` values each; count is a multiple of 16 for all but scalar */
    void (*decode)(const uint16_t *codes, float *values, int count, embdist_half_options options);
    void (*encode)(const float *values, uint16_t *codes, int count, embdist_half_options options);
    void (*round)(const float *values, float *rounded, int count, embdist_half_options options);
};

#define SCALAR(name)                                                                               \
    static void name##_decode(const uint16_t *codes, float *values, int count,                     \
                              embdist_half_options options)                                        \
    {                                                                                              \
        for (int i = 0; i < count; ++i) {                                                          \
            values[i] = embdist_##name##_read_wire((const char *)codes, i, options);               \
        }                                                                                          \
    }                                                                                              \
    static void name##_encode(const float *values, uint16_t *codes, int count,                     \
                              embdist_half_options options)                                        \
    {                                                                                              \
        for (int i = 0; i < count; ++i) {                                                          \
            embdist_##name##_write_wire((char *)codes, i, values[i], options);                     \
        }                                                                                          \
    }                                                                                              \
    static void name##_round(const float *values, float *rounded, int count,                       \
                             embdist_half_options options)                                         \
    {                                                                                              \
        for (int i = 0; i < count; ++i) {                                                          \
            rounded[i] = embdist_##name##_round(values[i], options);                               \
        }                                                                                          \
    }

#define VECTOR(name, isa, ISA, vector, lanes)                                                      \
    EMBDIST_##ISA##_CODELET void name##_decode_##isa(const uint16_t *codes, float *values,         \
                                                     int count, embdist_half_options options)      \
    {                                                                                              \
        for (int i = 0; i < count; i += lanes) {                                                   \
            const char *from = (const char *)(codes + i);                                          \
            const vector value = embdist_##name##_read_wire_##isa(from, options);                  \
            embdist_write_##isa((char *)(values + i), value, EMBDIST_CACHED);                      \
        }                                                                                          \
    }                                                                                              \
    EMBDIST_##ISA##_CODELET void name##_encode_##isa(const float *values, uint16_t *codes,         \
                                                     int count, embdist_half_options options)      \
    {                                                                                              \
        for (int i = 0; i < count; i += lanes) {                                                   \
            const vector value = embdist_read_##isa((const char *)(values + i));                   \
            char *to = (char *)(codes + i);                                                        \
            embdist_##name##_write_wire_##isa(to, value, EMBDIST_CACHED, options);                 \
        }                                                                                          \
    }                                                                                              \
    EMBDIST_##ISA##_CODELET void name##_round_##isa(const float *values, float *rounded,           \
                                                    int count, embdist_half_options options)       \
    {                                                                                              \
        for (int i = 0; i < count; i += lanes) {                                                   \
            const vector value = embdist_read_##isa((const char *)(values + i));                   \
            const vector near = embdist_##name##_round_##isa(value, options);                      \
            embdist_write_##isa((char *)(rounded + i), near, EMBDIST_CACHED);                      \
        }                                                                                          \
    }

SCALAR(fp16)
SCALAR(bf16)
#if EMBDIST_X86
VECTOR(fp16, avx2, AVX2, __m256, 8)
VECTOR(bf16, avx2, AVX2, __m256, 8)
VECTOR(fp16, avx512, AVX512, __m512, 16)
VECTOR(bf16, avx512, AVX512, __m512, 16)
#define ON_X86(function) function
#else
#define ON_X86(function) NULL
#endif

static const struct codec CODECS[] = {
    {&FP16, TAP_PLAIN, "scalar", fp16_decode, fp16_encode, fp16_round},
    {&BF16, TAP_PLAIN, "scalar", bf16_decode, bf16_encode, bf16_round},
    {&FP16, TAP_AVX2, "AVX2", ON_X86(fp16_decode_avx2), ON_X86(fp16_encode_avx2),
     ON_X86(fp16_round_avx2)},
    {&BF16, TAP_AVX2, "AVX2", ON_X86(bf16_decode_avx2), ON_X86(bf16_encode_avx2),
     ON_X86(bf16_round_avx2)},
    {&FP16, TAP_AVX512, "AVX-512", ON_X86(fp16_decode_avx512), ON_X86(fp16_encode_avx512),
     ON_X86(fp16_round_avx512)},
    {&BF16, TAP_AVX512, "AVX-512", ON_X86(bf16_decode_avx512), ON_X86(bf16_encode_avx512),
     ON_X86(bf16_round_avx512)},
};
enum { CODEC_COUNT = sizeof CODECS / sizeof CODECS[0] };

/* ---- the checks: each returns how many values are wrong, and tells of the first few */

enum { BATCH = 16, TOLD = 3 };
static const embdist_half_options SATURATE = {.loss_scale = 1.0F, .saturate = 1};
static const embdist_half_options PROPAGATE = {.loss_scale = 1.0F, .saturate = 0};

static int wrong_decode(const struct codec *codec, uint16_t code, float got, float expected,
                        int told)
{
    if (same(got, expected)) {
        return 0;
    }
    if (told < TOLD) {
        printf("# %s code 0x%04x: expected %a, got %a\n", codec->format->name, code,
               (double)expected, (double)got);
    }
    return 1;
}

/* Encodes value sixteen times over, so that every lane sees it. */
static int wrong_encode(const struct codec *codec, float value, uint16_t expected,
                        embdist_half_options options, int told)
{
    float values[BATCH], rounded[BATCH], decoded[BATCH];
    uint16_t codes[BATCH];
    for (int i = 0; i < BATCH; ++i) {
        values[i] = value;
    }
    codec->encode(values, codes, BATCH, options);
    codec->round(values, rounded, BATCH, options);
    codec->decode(codes, decoded, BATCH, options);
    for (int i = 0; i < BATCH; ++i) {
        const int both_nan =
            is_nan_code(codec->format, expected) && is_nan_code(codec->format, codes[i]);
        if (!both_nan && codes[i] != expected) {
            if (told < TOLD) {
                printf("# %s value %a (lane %d): expected code 0x%04x, got 0x%04x\n",
                       codec->format->name, (double)value, i, expected, codes[i]);
            }
            return 1;
        }
        if (!same(rounded[i], decoded[i])) {
            if (told < TOLD) {
                printf("# %s value %a (lane %d): decode(encode) gives %a, round %a\n",
                       codec->format->name, (double)value, i, (double)decoded[i],
                       (double)rounded[i]);
            }
            return 1;
        }
    }
    return 0;
}

/* A value and its mirror image. */
static int wrong_both(const struct codec *codec, float value, uint16_t expected,
                      embdist_half_options options, int told)
{
    return wrong_encode(codec, value, expected, options, told) +
           wrong_encode(codec, -value, (uint16_t)(expected | 0x8000), options, told);
}

static int check_decode(const struct codec *codec)
{
    int wrong = 0;
    for (int first = 0; first < 65536; first += BATCH) {
        uint16_t codes[BATCH];
        float values[BATCH];
        for (int i = 0; i < BATCH; ++i) {
            codes[i] = (uint16_t)(first + i);
        }
        codec->decode(codes, values, BATCH, SATURATE);
        for (int i = 0; i < BATCH; ++i) {
            const float expected =
                is_nan_code(codec->format, codes[i]) ? NAN : defined_value(codec->format, codes[i]);
            wrong += wrong_decode(codec, codes[i], values[i], expected, wrong);
        }
    }
    return wrong;
}

/* Every finite value, the middle between it and the next, and the neighbours of that middle. */
static int check_rounding(const struct codec *codec)
{
    const uint16_t infinity = codec->format->infinity;
    int wrong = 0;
    for (uint16_t code = 0; code < infinity - 1; ++code) {
        const uint16_t next = (uint16_t)(code + 1);
        const uint16_t even = code % 2 == 0 ? code : next;
        const double low = (double)defined_value(codec->format, code);
        const double high = (double)defined_value(codec->format, next);
        const float middle = (float)((low + high) / 2);
        wrong += wrong_both(codec, (float)low, code, SATURATE, wrong);
        wrong += wrong_both(codec, middle, even, SATURATE, wrong);
        wrong += wrong_both(codec, nextafterf(middle, 0.0F), code, SATURATE, wrong);
        wrong += wrong_both(codec, nextafterf(middle, INFINITY), next, SATURATE, wrong);
        wrong += wrong_both(codec, middle, even, PROPAGATE, wrong);
    }
    return wrong;
}

static int check_overflow(const struct codec *codec)
{
    const uint16_t infinity = codec->format->infinity;
    const uint16_t largest = (uint16_t)(infinity - 1);
    const float max = defined_value(codec->format, largest);
    const float below = defined_value(codec->format, (uint16_t)(largest - 1));
    const float tie = max + (max - below) / 2; /* halfway to what would come next */
    const float rounds_down[] = {max, nextafterf(max, INFINITY), nextafterf(tie, 0.0F)};
    const float overflows[] = {tie, nextafterf(tie, INFINITY), FLT_MAX, INFINITY};
    int wrong = 0;
    for (int i = 0; i < 3; ++i) {
        wrong += wrong_both(codec, rounds_down[i], largest, SATURATE, wrong);
        wrong += wrong_both(codec, rounds_down[i], largest, PROPAGATE, wrong);
    }
    for (int i = 0; i < 4; ++i) {
        wrong += wrong_both(codec, overflows[i], largest, SATURATE, wrong);
        wrong += wrong_both(codec, overflows[i], infinity, PROPAGATE, wrong);
    }
    if (codec->format == &FP16) {
        const float named[] = {65504.0F, 65519.0F, 65520.0F, 1e30F};
        for (int i = 0; i < 4; ++i) {
            wrong += wrong_both(codec, named[i], 0x7bff, SATURATE, wrong);
            wrong += wrong_both(codec, named[i], i < 2 ? 0x7bff : 0x7c00, PROPAGATE, wrong);
        }
    }
    return wrong;
}

/* NaN stays NaN, whatever its payload, and is quiet on the wire. */
static int check_nan(const struct codec *codec)
{
    static const uint32_t NANS[] = {0x7fc00000, 0x7f800001, 0x7f80ffff, 0x7fffffff, 0x7fc00001,
                                    0xffc00000, 0xff800001, 0xff80ffff, 0xffffffff, 0xffbfffff};
    const uint16_t quiet =
        (uint16_t)(codec->format->infinity | (1U << (unsigned)(codec->format->mantissa_bits - 1)));
    int wrong = 0;
    for (int i = 0; i < 10; ++i) {
        float values[BATCH];
        uint16_t codes[BATCH];
        const float nan = float_of(NANS[i]);
        wrong += wrong_encode(codec, nan, 0x7fff, SATURATE, wrong);
        wrong += wrong_encode(codec, nan, 0x7fff, PROPAGATE, wrong);
        for (int lane = 0; lane < BATCH; ++lane) {
            memcpy(&values[lane], &NANS[i], sizeof NANS[i]);
        }
        codec->encode(values, codes, BATCH, SATURATE);
        for (int lane = 0; lane < BATCH; ++lane) {
            if ((codes[lane] & quiet) != quiet && wrong++ < TOLD) {
                printf("# NaN 0x%08x gives code 0x%04x, not a quiet NaN\n", (unsigned)NANS[i],
                       codes[lane]);
            }
        }
    }
    return wrong;
}

/* Values smaller than the least subnormal, among them fp32's own subnormals. */
static int check_small(const struct codec *codec)
{
    const float least = defined_value(codec->format, 1);
    int wrong = wrong_both(codec, 0.0F, 0, SATURATE, 0);
    wrong += wrong_both(codec, least, 1, SATURATE, wrong);
    wrong += wrong_both(codec, least / 2, 0, SATURATE, wrong);
    wrong += wrong_both(codec, nextafterf(least / 2, 1.0F), 1, SATURATE, wrong);
    wrong += wrong_both(codec, nextafterf(least / 2, 0.0F), 0, SATURATE, wrong);
    wrong += wrong_both(codec, least / 2 * 3, 2, SATURATE, wrong);
    wrong += wrong_both(codec, float_of(1), 0, SATURATE, wrong);
    if (codec->format == &FP16) { /* fp32's largest subnormal is far below */
        wrong += wrong_both(codec, float_of(0x007fffff), 0, SATURATE, wrong);
    }
    return wrong;
}

/* The scalar functions without a scale, held right by the checks above, applied to what an fp32
 * multiplication and an fp32 division give. */
static int check_loss_scale(const struct codec *codec)
{
    static const float SCALES[] = {4.0F, 1024.0F, 0.25F, 3.0F, 0.1F, 1e-3F, 0x1p-126F, 0x1p126F};
    const struct codec *scalar = codec->format == &FP16 ? &CODECS[0] : &CODECS[1];
    uint32_t random = 1;
    int wrong = 0;
    for (int i = 0; i < 20000; ++i) {
        random = random * 1664525U + 1013904223U;
        const float scale = SCALES[i % 8];
        const float value = i % 3 == 0 ? float_of(random) : (float)(int32_t)random * 0x1p-24F;
        const embdist_half_options options = {scale, i % 5 != 0};
        const embdist_half_options unscaled = {1.0F, i % 5 != 0};
        volatile float product = value * scale;
        const float scaled = product;
        uint16_t expected, codes[BATCH];
        float decoded[BATCH], unscaled_value;
        scalar->encode(&scaled, &expected, 1, unscaled);
        wrong += wrong_encode(codec, value, expected, options, wrong);
        for (int lane = 0; lane < BATCH; ++lane) {
            codes[lane] = (uint16_t)(random >> (lane % 16));
        }
        codec->decode(codes, decoded, BATCH, options);
        for (int lane = 0; lane < BATCH; ++lane) {
            scalar->decode(&codes[lane], &unscaled_value, 1, unscaled);
            volatile float quotient = unscaled_value / scale;
            wrong += wrong_decode(codec, codes[lane], decoded[lane], quotient, wrong);
        }
    }
    return wrong;
}

/* Random bits: the vector functions agree with the scalar ones. */
static int check_random(const struct codec *codec)
{
    const struct codec *scalar = codec->format == &FP16 ? &CODECS[0] : &CODECS[1];
    uint32_t random = 7;
    int wrong = 0;
    for (int i = 0; i < 200000; ++i) {
        random = random * 1664525U + 1013904223U;
        const float value = float_of(random);
        uint16_t expected;
        scalar->encode(&value, &expected, 1, SATURATE);
        wrong += wrong_encode(codec, value, expected, SATURATE, wrong);
    }
    return wrong;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(const struct codec *codec);
    } CHECKS[] = {
        {"every code decodes to its defined value", check_decode},
        {"every value, middle and neighbour of a middle rounds half to even", check_rounding},
        {"overflow and infinity saturate or propagate", check_overflow},
        {"NaN stays NaN and is quiet", check_nan},
        {"values about the least subnormal", check_small},
        {"a loss scale is a multiplication before and a division after", check_loss_scale},
        {"random values as the scalar function has them", check_random},
    };
    enum { CHECK_COUNT = sizeof CHECKS / sizeof CHECKS[0] };
    tap_plan(CODEC_COUNT * CHECK_COUNT);
    for (int c = 0; c < CODEC_COUNT; ++c) {
        const char *why_not = tap_why_not(CODECS[c].isa);
        for (int i = 0; i < CHECK_COUNT; ++i) {
            char name[128];
            snprintf(name, sizeof name, "%s %s: %s", CODECS[c].format->name, CODECS[c].version,
                     CHECKS[i].name);
            tap_line(why_not || CHECKS[i].run(&CODECS[c]) == 0, name, why_not);
        }
    }
    return tap_status();
}
