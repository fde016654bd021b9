/* fp8.h: what the codecs fp8_e4m3 and fp8_e5m2 share: nearly all. Codes are those of the OCP
 * formats; a group's scale is its largest finite magnitude divided by the format's. group.h says
 * what a codec header of groups gives, doc/wire.md has the formulas and their error. */
#ifndef EMBDIST_INLINE_FP8_H
#define EMBDIST_INLINE_FP8_H

#include "group.h"

typedef struct embdist_fp8_options {
    int stochastic; /* non-zero: a value between two codes becomes the upper one as often as it is
                       near to it; the upper 16 bits of `random` decide. Else half to even */
    int propagate;  /* non-zero: infinities stay (fp8_e5m2); else they become the largest value */
} embdist_fp8_options;

typedef struct embdist_fp8_seen {
    int32_t largest; /* bits of the largest finite magnitude; negative before the first */
} embdist_fp8_seen;

typedef struct embdist_fp8_group {
    float scale;   /* of codes: a value is its code times scale */
    float inverse; /* of values */
    float largest; /* values are clamped to this magnitude */
} embdist_fp8_group;

/* A format, constant after inlining. */
typedef struct embdist_fp8_format {
    uint32_t mantissa_bits;
    uint32_t least_exponent; /* of normal numbers, as fp32 has it in its bits */
    float max;
} embdist_fp8_format;

enum {
    EMBDIST_FP8_SIGN = 0x80,
    EMBDIST_FP8_NAN = 0x7f,      /* what NaN becomes */
    EMBDIST_FP8_INFINITY = 0x7c, /* in e5m2; there all above is NaN */
    EMBDIST_FP8_GROUP_BYTES = 4,
    EMBDIST_FP8_CHANCE_BITS = 16 /* so many bits below a code's last are what chance works on */
};
#define EMBDIST_FP8_MAGNITUDE 0x7fffffffU /* of an fp32 number's bits */
#define EMBDIST_FP8_EXPONENT 0x7f800000U  /* and infinity */
#define EMBDIST_FP8_QUIET 0x400000U
#define EMBDIST_FP8_LARGEST 0x1.fffffep127F
#define EMBDIST_FP8_SMALLEST_SCALE 0x1p-126F /* the reciprocal is finite */

/* ---- shared */

/* Where all finite values are 0 the scale is too. An infinity that stays must not meet it. */
EMBDIST_SHARED embdist_fp8_group embdist_fp8_settle(embdist_fp8_seen seen,
                                                    embdist_fp8_options options,
                                                    embdist_fp8_format format)
{
    embdist_fp8_group group = {0.0F, 0.0F, EMBDIST_FP8_LARGEST};
    if (seen.largest >= 0) {
        memcpy(&group.largest, &seen.largest, sizeof group.largest);
    }
    group.scale = group.largest / format.max;
    if (group.scale < EMBDIST_FP8_SMALLEST_SCALE && (seen.largest != 0 || options.propagate)) {
        group.scale = EMBDIST_FP8_SMALLEST_SCALE;
    }
    if (group.scale > 0.0F) {
        group.inverse = 1.0F / group.scale;
    }
    return group;
}

EMBDIST_SHARED void embdist_fp8_put_group(char *at, embdist_fp8_group group)
{
    memcpy(at, &group.scale, sizeof group.scale);
}

EMBDIST_SHARED embdist_fp8_group embdist_fp8_get_group(const char *at)
{
    embdist_fp8_group group = {0.0F, 0.0F, 0.0F};
    memcpy(&group.scale, at, sizeof group.scale);
    return group;
}

/* ---- scalar */

static inline embdist_fp8_seen embdist_fp8_nothing(void)
{
    const embdist_fp8_seen seen = {-1};
    return seen;
}

static inline uint32_t embdist_fp8_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float embdist_fp8_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline embdist_fp8_seen embdist_fp8_see(embdist_fp8_seen seen, float value)
{
    const uint32_t magnitude = embdist_fp8_bits(value) & EMBDIST_FP8_MAGNITUDE;
    if (magnitude < EMBDIST_FP8_EXPONENT && (int32_t)magnitude > seen.largest) {
        seen.largest = (int32_t)magnitude;
    }
    return seen;
}

/* What a code stands for, before the scale. */
static inline float embdist_fp8_unscaled(uint32_t code, embdist_fp8_format format)
{
    const uint32_t bits = format.mantissa_bits;
    const uint32_t sign = (code & EMBDIST_FP8_SIGN) << 24;
    const uint32_t magnitude = code & 0x7fU;
    const uint32_t exponent = magnitude >> bits;
    const uint32_t mantissa = (magnitude & ((1U << bits) - 1U)) << (23 - bits);
    if (bits == 2 && magnitude == EMBDIST_FP8_INFINITY) {
        return embdist_fp8_float(sign | EMBDIST_FP8_EXPONENT);
    }
    if (magnitude == EMBDIST_FP8_NAN || (bits == 2 && magnitude > EMBDIST_FP8_INFINITY)) {
        return embdist_fp8_float(sign | EMBDIST_FP8_EXPONENT | EMBDIST_FP8_QUIET | mantissa);
    }
    if (exponent == 0) { /* subnormal: the mantissa has no leading 1 */
        const float one = embdist_fp8_float(format.least_exponent << 23);
        const float value = embdist_fp8_float(embdist_fp8_bits(one) | mantissa) - one;
        return embdist_fp8_float(embdist_fp8_bits(value) | sign);
    }
    return embdist_fp8_float(sign | ((exponent - 1 + format.least_exponent) << 23) | mantissa);
}

/* mantissa / 2^drop, rounded half to even; mantissa < 2^24. */
static inline uint32_t embdist_fp8_shift(uint32_t mantissa, uint32_t drop)
{
    if (drop > 24) { /* less than a half */
        return 0;
    }
    const uint32_t rest = mantissa & ((1U << drop) - 1U);
    const uint32_t half = 1U << (drop - 1);
    uint32_t kept = mantissa >> drop;
    kept += rest > half || (rest == half && (kept & 1U) != 0);
    return kept;
}

static inline uint32_t embdist_fp8_code(float value, embdist_fp8_group group, uint32_t random,
                                        embdist_fp8_options options, embdist_fp8_format format)
{
    const uint32_t bits = embdist_fp8_bits(value);
    const uint32_t sign = (bits >> 24) & EMBDIST_FP8_SIGN;
    float magnitude = embdist_fp8_float(bits & EMBDIST_FP8_MAGNITUDE);
    if (value != value) {
        return sign | EMBDIST_FP8_NAN;
    }
    if (options.propagate && magnitude > EMBDIST_FP8_LARGEST) {
        return sign | EMBDIST_FP8_INFINITY;
    }
    magnitude = magnitude > group.largest ? group.largest : magnitude;
    const uint32_t scaled = embdist_fp8_bits(magnitude * group.inverse);
    const uint32_t own = scaled >> 23;
    const uint32_t mantissa = (scaled & 0x7fffffU) | (own != 0 ? 0x800000U : 0);
    const uint32_t least = format.least_exponent;
    const uint32_t exponent = own > least ? own : least; /* of the code's last bit */
    const uint32_t drop = 23 - format.mantissa_bits + (exponent - own);
    const uint32_t binades = (exponent - least) << format.mantissa_bits;
    uint32_t code = binades + embdist_fp8_shift(mantissa, drop); /* a carry counts on */
    if (options.stochastic && embdist_fp8_unscaled(code, format) * group.scale != magnitude) {
        const uint32_t fine = embdist_fp8_shift(mantissa, drop - EMBDIST_FP8_CHANCE_BITS);
        code = binades + ((fine + (random >> 16)) >> EMBDIST_FP8_CHANCE_BITS);
    }
    return sign | code;
}

static inline void embdist_fp8_write_wire(char *row, int64_t i, float value,
                                          embdist_fp8_group group, uint32_t random,
                                          embdist_fp8_options options, embdist_fp8_format format)
{
    const uint8_t code = (uint8_t)embdist_fp8_code(value, group, random, options, format);
    memcpy(row + i, &code, sizeof code);
}

static inline float embdist_fp8_read_wire(const char *row, int64_t i, embdist_fp8_group group,
                                          embdist_fp8_format format)
{
    uint8_t code;
    memcpy(&code, row + i, sizeof code);
    return embdist_fp8_unscaled(code, format) * group.scale;
}

static inline float embdist_fp8_round(float value, embdist_fp8_group group, uint32_t random,
                                      embdist_fp8_options options, embdist_fp8_format format)
{
    const uint32_t code = embdist_fp8_code(value, group, random, options, format);
    return embdist_fp8_unscaled(code, format) * group.scale;
}

static inline int embdist_fp8_saturates(float value, embdist_fp8_group group,
                                        embdist_fp8_options options)
{
    const float magnitude = embdist_fp8_float(embdist_fp8_bits(value) & EMBDIST_FP8_MAGNITUDE);
    return magnitude > group.largest && !(options.propagate && magnitude > EMBDIST_FP8_LARGEST);
}

#if EMBDIST_X86

/* In vectors a scaled magnitude y is rounded by adding a magic number to it, so large that the
 * sum's last bit is worth as much as that of y's code: 2^(23 - mantissa bits) times the power of
 * two that begins y's binade (the least normal one for smaller y). The sum's lower bits then are
 * y's code but for a multiple of 2^(mantissa bits), which the exponent's bits, shifted and added,
 * give but for a constant; the even `offset` in the magic number is that. For stochastic rounding
 * the magic number is less by 2^16: chance adds to the 16 bits below the code's last. */

static inline uint32_t embdist_fp8_offset(embdist_fp8_format format)
{
    return (0U - (format.least_exponent << format.mantissa_bits)) & 0x7fU;
}

/* What EMBDIST_FP8_NAN decodes to. */
static inline uint32_t embdist_fp8_nan_bits(embdist_fp8_format format)
{
    const uint32_t mantissa = (1U << format.mantissa_bits) - 1U;
    return EMBDIST_FP8_EXPONENT | (mantissa << (23 - format.mantissa_bits));
}

static inline int embdist_fp8_magic(embdist_fp8_format format)
{
    return (int)(((23 - format.mantissa_bits) << 23) + embdist_fp8_offset(format));
}

static inline int embdist_fp8_chance_magic(embdist_fp8_format format)
{
    return (int)(((23 - format.mantissa_bits - EMBDIST_FP8_CHANCE_BITS) << 23) +
                 (embdist_fp8_offset(format) << EMBDIST_FP8_CHANCE_BITS));
}

/* While values are looked at, a magnitude has this added to its bits: NaN and infinities become
 * negative, less than every finite one. */
#define EMBDIST_FP8_LOOK 0x800000

EMBDIST_SHARED embdist_fp8_seen embdist_fp8_looked(int32_t look)
{
    embdist_fp8_seen seen = {-1};
    if (look >= 0) {
        seen.largest = look - EMBDIST_FP8_LOOK;
    }
    return seen;
}

/* ---- AVX2 */

typedef struct embdist_fp8_seen_avx2 {
    __m256i look;
} embdist_fp8_seen_avx2;

EMBDIST_AVX2 embdist_fp8_seen_avx2 embdist_fp8_nothing_avx2(void)
{
    const embdist_fp8_seen_avx2 seen = {_mm256_set1_epi32(INT32_MIN)};
    return seen;
}

EMBDIST_AVX2 __m256i embdist_fp8_magnitude_avx2(__m256 value)
{
    return _mm256_and_si256(_mm256_castps_si256(value), _mm256_set1_epi32(INT32_MAX));
}

EMBDIST_AVX2 embdist_fp8_seen_avx2 embdist_fp8_see_avx2(embdist_fp8_seen_avx2 seen, __m256 value)
{
    const __m256i look =
        _mm256_add_epi32(embdist_fp8_magnitude_avx2(value), _mm256_set1_epi32(EMBDIST_FP8_LOOK));
    seen.look = _mm256_max_epi32(seen.look, look);
    return seen;
}

EMBDIST_AVX2 embdist_fp8_seen_avx2 embdist_fp8_see_part_avx2(embdist_fp8_seen_avx2 seen,
                                                             __m256 value, int64_t count)
{
    const embdist_fp8_seen_avx2 all = embdist_fp8_see_avx2(seen, value);
    seen.look = _mm256_blendv_epi8(seen.look, all.look, embdist_mask_avx2(count));
    return seen;
}

EMBDIST_AVX2 embdist_fp8_seen embdist_fp8_reduce_avx2(embdist_fp8_seen_avx2 seen)
{
    __m128i look =
        _mm_max_epi32(_mm256_castsi256_si128(seen.look), _mm256_extracti128_si256(seen.look, 1));
    look = _mm_max_epi32(look, _mm_shuffle_epi32(look, 0x4e));
    look = _mm_max_epi32(look, _mm_shuffle_epi32(look, 0xb1));
    return embdist_fp8_looked(_mm_cvtsi128_si32(look));
}

/* Scaled magnitudes, rounded. */
typedef struct embdist_fp8_rounded_avx2 {
    __m256 sum;
    __m256 magic;
    __m256i exponent;
} embdist_fp8_rounded_avx2;

EMBDIST_AVX2 embdist_fp8_rounded_avx2 embdist_fp8_rounded_of_avx2(__m256i magnitude,
                                                                  embdist_fp8_group group,
                                                                  __m256i random,
                                                                  embdist_fp8_options options,
                                                                  embdist_fp8_format format)
{
    embdist_fp8_rounded_avx2 rounded;
    const __m256 clamped =
        _mm256_min_ps(_mm256_castsi256_ps(magnitude), _mm256_set1_ps(group.largest));
    __m256 scaled = _mm256_mul_ps(clamped, _mm256_set1_ps(group.inverse));
    rounded.exponent = _mm256_max_epi32(
        _mm256_and_si256(_mm256_castps_si256(scaled), _mm256_set1_epi32((int)EMBDIST_FP8_EXPONENT)),
        _mm256_set1_epi32((int)(format.least_exponent << 23)));
    rounded.magic = _mm256_castsi256_ps(
        _mm256_add_epi32(rounded.exponent, _mm256_set1_epi32(embdist_fp8_magic(format))));
    rounded.sum = _mm256_add_ps(scaled, rounded.magic);
    if (options.stochastic) { /* what a code decodes to gets just that code */
        const __m256 nearest = _mm256_sub_ps(rounded.sum, rounded.magic);
        const __m256 decoded = _mm256_mul_ps(nearest, _mm256_set1_ps(group.scale));
        scaled = _mm256_blendv_ps(scaled, nearest, _mm256_cmp_ps(decoded, clamped, _CMP_EQ_OQ));
        rounded.magic = _mm256_castsi256_ps(_mm256_add_epi32(
            rounded.exponent, _mm256_set1_epi32(embdist_fp8_chance_magic(format))));
        rounded.sum = _mm256_castsi256_ps(
            _mm256_add_epi32(_mm256_castps_si256(_mm256_add_ps(scaled, rounded.magic)),
                             _mm256_srli_epi32(random, 16)));
    }
    return rounded;
}

/* A code in the lower eight bits of each lane; the others have no meaning. */
EMBDIST_AVX2 __m256i embdist_fp8_codes_avx2(__m256 value, embdist_fp8_group group, __m256i random,
                                            embdist_fp8_options options, embdist_fp8_format format)
{
    const __m256i infinity = _mm256_set1_epi32((int)EMBDIST_FP8_EXPONENT);
    const __m256i magnitude = embdist_fp8_magnitude_avx2(value);
    const embdist_fp8_rounded_avx2 rounded =
        embdist_fp8_rounded_of_avx2(magnitude, group, random, options, format);
    __m256i code = _mm256_castps_si256(rounded.sum);
    if (options.stochastic) {
        code = _mm256_srli_epi32(code, EMBDIST_FP8_CHANCE_BITS);
    }
    code =
        _mm256_add_epi32(code, format.mantissa_bits == 3 ? _mm256_srli_epi32(rounded.exponent, 20)
                                                         : _mm256_srli_epi32(rounded.exponent, 21));
    if (options.propagate) {
        code = _mm256_blendv_epi8(code, _mm256_set1_epi32(EMBDIST_FP8_INFINITY),
                                  _mm256_cmpeq_epi32(magnitude, infinity));
    }
    code = _mm256_or_si256(code, _mm256_cmpgt_epi32(magnitude, infinity)); /* NaN: all bits */
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(_mm256_castps_si256(value), 24),
                                          _mm256_set1_epi32(EMBDIST_FP8_SIGN));
    return _mm256_or_si256(_mm256_and_si256(code, _mm256_set1_epi32(0x7f)), sign);
}

EMBDIST_AVX2 void embdist_fp8_write_wire_avx2(char *to, __m256 value, embdist_fp8_group group,
                                              __m256i random, embdist_fp8_options options,
                                              embdist_fp8_format format)
{
    embdist_bytes_write_avx2(to, embdist_fp8_codes_avx2(value, group, random, options, format));
}

EMBDIST_AVX2 void embdist_fp8_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                   embdist_fp8_group group, __m256i random,
                                                   embdist_fp8_options options,
                                                   embdist_fp8_format format)
{
    const __m256i codes = embdist_fp8_codes_avx2(value, group, random, options, format);
    embdist_bytes_write_part_avx2(to, codes, count);
}

/* The first eight codes. As fp16 numbers they have their mantissa and exponent bits where fp16 has
 * them; of e4m3, whose exponents count from 7 and not 15, that is the 256th part, and NaN has to be
 * set right: its sum with 1 in the last place alone carries into the uppermost exponent bit. 256
 * times the scale of a group of e4m3 is finite. */
EMBDIST_AVX2 __m256 embdist_fp8_values_avx2(__m128i codes, embdist_fp8_group group,
                                            embdist_fp8_format format)
{
    __m128i half = _mm_cvtepi8_epi16(codes);
    float scale = group.scale;
    if (format.mantissa_bits == 3) {
        const __m128i top = _mm_set1_epi16(0x4000);
        half = _mm_andnot_si128(top, _mm_slli_epi16(half, 7));
        half = _mm_or_si128(half, _mm_and_si128(_mm_add_epi16(half, _mm_set1_epi16(0x80)), top));
        scale *= 256.0F;
    } else {
        half = _mm_slli_epi16(half, 8);
    }
    return _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(scale));
}

EMBDIST_AVX2 __m256 embdist_fp8_read_wire_avx2(const char *from, embdist_fp8_group group,
                                               embdist_fp8_format format)
{
    return embdist_fp8_values_avx2(embdist_bytes_read_avx2(from), group, format);
}

EMBDIST_AVX2 __m256 embdist_fp8_read_wire_part_avx2(const char *from, int64_t count,
                                                    embdist_fp8_group group,
                                                    embdist_fp8_format format)
{
    return embdist_fp8_values_avx2(embdist_bytes_read_part_avx2(from, count), group, format);
}

EMBDIST_AVX2 __m256 embdist_fp8_round_avx2(__m256 value, embdist_fp8_group group, __m256i random,
                                           embdist_fp8_options options, embdist_fp8_format format)
{
    const __m256i infinity = _mm256_set1_epi32((int)EMBDIST_FP8_EXPONENT);
    const __m256i magnitude = embdist_fp8_magnitude_avx2(value);
    const embdist_fp8_rounded_avx2 rounded =
        embdist_fp8_rounded_of_avx2(magnitude, group, random, options, format);
    __m256 sum = rounded.sum;
    if (options.stochastic) {
        sum = _mm256_and_ps(sum, _mm256_castsi256_ps(_mm256_set1_epi32(-0x10000)));
    }
    __m256 result = _mm256_sub_ps(sum, rounded.magic);
    if (options.propagate) {
        result = _mm256_blendv_ps(result, _mm256_castsi256_ps(infinity),
                                  _mm256_castsi256_ps(_mm256_cmpeq_epi32(magnitude, infinity)));
    }
    const __m256i nan = _mm256_set1_epi32((int)embdist_fp8_nan_bits(format));
    result = _mm256_blendv_ps(result, _mm256_castsi256_ps(nan),
                              _mm256_castsi256_ps(_mm256_cmpgt_epi32(magnitude, infinity)));
    result = _mm256_or_ps(result, _mm256_and_ps(value, _mm256_set1_ps(-0.0F)));
    return _mm256_mul_ps(result, _mm256_set1_ps(group.scale));
}

/* ---- AVX-512 */

typedef struct embdist_fp8_seen_avx512 {
    __m512i look;
} embdist_fp8_seen_avx512;

EMBDIST_AVX512 embdist_fp8_seen_avx512 embdist_fp8_nothing_avx512(void)
{
    const embdist_fp8_seen_avx512 seen = {_mm512_set1_epi32(INT32_MIN)};
    return seen;
}

EMBDIST_AVX512 __m512i embdist_fp8_magnitude_avx512(__m512 value)
{
    return _mm512_and_si512(_mm512_castps_si512(value), _mm512_set1_epi32(INT32_MAX));
}

EMBDIST_AVX512 __m512i embdist_fp8_look_avx512(__m512 value)
{
    return _mm512_add_epi32(embdist_fp8_magnitude_avx512(value),
                            _mm512_set1_epi32(EMBDIST_FP8_LOOK));
}

EMBDIST_AVX512 embdist_fp8_seen_avx512 embdist_fp8_see_avx512(embdist_fp8_seen_avx512 seen,
                                                              __m512 value)
{
    seen.look = _mm512_max_epi32(seen.look, embdist_fp8_look_avx512(value));
    return seen;
}

EMBDIST_AVX512 embdist_fp8_seen_avx512 embdist_fp8_see_part_avx512(embdist_fp8_seen_avx512 seen,
                                                                   __m512 value, int64_t count)
{
    seen.look = _mm512_mask_max_epi32(seen.look, embdist_mask_avx512(count), seen.look,
                                      embdist_fp8_look_avx512(value));
    return seen;
}

EMBDIST_AVX512 embdist_fp8_seen embdist_fp8_reduce_avx512(embdist_fp8_seen_avx512 seen)
{
    return embdist_fp8_looked(_mm512_reduce_max_epi32(seen.look));
}

typedef struct embdist_fp8_rounded_avx512 {
    __m512 sum;
    __m512 magic;
    __m512i exponent;
} embdist_fp8_rounded_avx512;

EMBDIST_AVX512 embdist_fp8_rounded_avx512 embdist_fp8_rounded_of_avx512(__m512i magnitude,
                                                                        embdist_fp8_group group,
                                                                        __m512i random,
                                                                        embdist_fp8_options options,
                                                                        embdist_fp8_format format)
{
    embdist_fp8_rounded_avx512 rounded;
    const __m512 clamped =
        _mm512_min_ps(_mm512_castsi512_ps(magnitude), _mm512_set1_ps(group.largest));
    __m512 scaled = _mm512_mul_ps(clamped, _mm512_set1_ps(group.inverse));
    rounded.exponent = _mm512_max_epi32(
        _mm512_and_si512(_mm512_castps_si512(scaled), _mm512_set1_epi32((int)EMBDIST_FP8_EXPONENT)),
        _mm512_set1_epi32((int)(format.least_exponent << 23)));
    rounded.magic = _mm512_castsi512_ps(
        _mm512_add_epi32(rounded.exponent, _mm512_set1_epi32(embdist_fp8_magic(format))));
    rounded.sum = _mm512_add_ps(scaled, rounded.magic);
    if (options.stochastic) {
        const __m512 nearest = _mm512_sub_ps(rounded.sum, rounded.magic);
        const __m512 decoded = _mm512_mul_ps(nearest, _mm512_set1_ps(group.scale));
        scaled =
            _mm512_mask_mov_ps(scaled, _mm512_cmp_ps_mask(decoded, clamped, _CMP_EQ_OQ), nearest);
        rounded.magic = _mm512_castsi512_ps(_mm512_add_epi32(
            rounded.exponent, _mm512_set1_epi32(embdist_fp8_chance_magic(format))));
        rounded.sum = _mm512_castsi512_ps(
            _mm512_add_epi32(_mm512_castps_si512(_mm512_add_ps(scaled, rounded.magic)),
                             _mm512_srli_epi32(random, 16)));
    }
    return rounded;
}

EMBDIST_AVX512 __m128i embdist_fp8_codes_avx512(__m512 value, embdist_fp8_group group,
                                                __m512i random, embdist_fp8_options options,
                                                embdist_fp8_format format)
{
    const __m512i infinity = _mm512_set1_epi32((int)EMBDIST_FP8_EXPONENT);
    const __m512i magnitude = embdist_fp8_magnitude_avx512(value);
    const embdist_fp8_rounded_avx512 rounded =
        embdist_fp8_rounded_of_avx512(magnitude, group, random, options, format);
    __m512i code = _mm512_castps_si512(rounded.sum);
    if (options.stochastic) {
        code = _mm512_srli_epi32(code, EMBDIST_FP8_CHANCE_BITS);
    }
    code =
        _mm512_add_epi32(code, format.mantissa_bits == 3 ? _mm512_srli_epi32(rounded.exponent, 20)
                                                         : _mm512_srli_epi32(rounded.exponent, 21));
    if (options.propagate) {
        code = _mm512_mask_mov_epi32(code, _mm512_cmpeq_epi32_mask(magnitude, infinity),
                                     _mm512_set1_epi32(EMBDIST_FP8_INFINITY));
    }
    code = _mm512_mask_mov_epi32(code, _mm512_cmpgt_epi32_mask(magnitude, infinity),
                                 _mm512_set1_epi32(EMBDIST_FP8_NAN));
    const __m512i sign = _mm512_srli_epi32(_mm512_castps_si512(value), 24);
    const __m512i lower = _mm512_set1_epi32(0x7f); /* from code where set, from sign elsewhere */
    return _mm512_cvtepi32_epi8(_mm512_ternarylogic_epi32(lower, code, sign, 0xca));
}

EMBDIST_AVX512 void embdist_fp8_write_wire_avx512(char *to, __m512 value, embdist_fp8_group group,
                                                  __m512i random, embdist_fp8_options options,
                                                  embdist_fp8_format format)
{
    _mm_storeu_si128((__m128i *)(void *)to,
                     embdist_fp8_codes_avx512(value, group, random, options, format));
}

EMBDIST_AVX512 void embdist_fp8_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                       embdist_fp8_group group, __m512i random,
                                                       embdist_fp8_options options,
                                                       embdist_fp8_format format)
{
    _mm_mask_storeu_epi8(to, embdist_mask_avx512(count),
                         embdist_fp8_codes_avx512(value, group, random, options, format));
}

EMBDIST_AVX512 __m512 embdist_fp8_values_avx512(__m128i codes, embdist_fp8_group group,
                                                embdist_fp8_format format)
{
    __m256i half = _mm256_cvtepi8_epi16(codes);
    float scale = group.scale;
    if (format.mantissa_bits == 3) {
        const __m256i top = _mm256_set1_epi16(0x4000);
        half = _mm256_andnot_si256(top, _mm256_slli_epi16(half, 7));
        half = _mm256_or_si256(
            half, _mm256_and_si256(_mm256_add_epi16(half, _mm256_set1_epi16(0x80)), top));
        scale *= 256.0F;
    } else {
        half = _mm256_slli_epi16(half, 8);
    }
    return _mm512_mul_ps(_mm512_cvtph_ps(half), _mm512_set1_ps(scale));
}

EMBDIST_AVX512 __m512 embdist_fp8_read_wire_avx512(const char *from, embdist_fp8_group group,
                                                   embdist_fp8_format format)
{
    const __m128i codes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return embdist_fp8_values_avx512(codes, group, format);
}

EMBDIST_AVX512 __m512 embdist_fp8_read_wire_part_avx512(const char *from, int64_t count,
                                                        embdist_fp8_group group,
                                                        embdist_fp8_format format)
{
    const __m128i codes = _mm_maskz_loadu_epi8(embdist_mask_avx512(count), from);
    return embdist_fp8_values_avx512(codes, group, format);
}

EMBDIST_AVX512 __m512 embdist_fp8_round_avx512(__m512 value, embdist_fp8_group group,
                                               __m512i random, embdist_fp8_options options,
                                               embdist_fp8_format format)
{
    const __m512i infinity = _mm512_set1_epi32((int)EMBDIST_FP8_EXPONENT);
    const __m512i magnitude = embdist_fp8_magnitude_avx512(value);
    const embdist_fp8_rounded_avx512 rounded =
        embdist_fp8_rounded_of_avx512(magnitude, group, random, options, format);
    __m512 sum = rounded.sum;
    if (options.stochastic) {
        sum = _mm512_and_ps(sum, _mm512_castsi512_ps(_mm512_set1_epi32(-0x10000)));
    }
    __m512 result = _mm512_sub_ps(sum, rounded.magic);
    if (options.propagate) {
        result = _mm512_mask_mov_ps(result, _mm512_cmpeq_epi32_mask(magnitude, infinity),
                                    _mm512_castsi512_ps(infinity));
    }
    const __m512i nan = _mm512_set1_epi32((int)embdist_fp8_nan_bits(format));
    result = _mm512_mask_mov_ps(result, _mm512_cmpgt_epi32_mask(magnitude, infinity),
                                _mm512_castsi512_ps(nan));
    result = _mm512_or_ps(result, _mm512_and_ps(value, _mm512_set1_ps(-0.0F)));
    return _mm512_mul_ps(result, _mm512_set1_ps(group.scale));
}

#endif

#endif
