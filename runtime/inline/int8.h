/* int8.h: the codec int8: codes of 8 bits between the smallest and the largest value of a group.
 * group.h says what a codec header of groups gives, doc/wire.md has the formulas and their error.
 *
 * On the wire a group has two fp32 numbers, scale and bias; code q stands for q * scale + bias,
 * rounded once. A scale whose sign bit is set says that the group holds NaN: code 255 is NaN there,
 * and 254 the largest of the others. */
#ifndef EMBDIST_INLINE_INT8_H
#define EMBDIST_INLINE_INT8_H

#include "group.h"

typedef struct embdist_int8_options {
    int stochastic; /* non-zero: a value between two codes becomes the upper one with a probability
                       that is its distance from the lower, in steps; the upper 24 bits of `random`
                       decide. Else the nearest one, ties to even */
} embdist_int8_options;

typedef struct embdist_int8_seen {
    float least;    /* of the finite values; greater than `greatest` where there are none */
    float greatest; /* of the finite values */
    int nan;        /* whether there is a NaN, */
    int above;      /* a positive infinity, */
    int below;      /* a negative one */
} embdist_int8_seen;

/* The code of value is (value * unit - start) * inverse, rounded, from 0 to `top`. */
typedef struct embdist_int8_group {
    float scale; /* without the sign bit */
    float bias;
    int nan_code; /* 255, or -1 in a group without NaN */
    float unit;   /* a power of two that keeps the difference within fp32, nearly always 1 */
    float start;  /* bias * unit */
    float inverse;
    float top;
} embdist_int8_group;

enum { EMBDIST_INT8_NAN = 255, EMBDIST_INT8_GROUP_BYTES = 8 };
#define EMBDIST_INT8_LARGEST 0x1.fffffep127F
#define EMBDIST_INT8_NAN_BITS 0x7fc00000U

/* ---- shared */

/* The next fp32 number above (1) or below (-1) a positive one; from 0 only above. */
static inline float embdist_int8_next(float value, int step)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits += (uint32_t)step;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The group of finite values from least to greatest. */
EMBDIST_SHARED embdist_int8_group embdist_int8_between(float least, float greatest, int nan)
{
    const float steps = nan ? 254.0F : 255.0F;
    const float range = greatest - least;
    embdist_int8_group group;
    group.bias = least + 0.0F; /* -0 becomes +0: which zero is the smallest depends on the order */
    group.nan_code = nan ? EMBDIST_INT8_NAN : -1;
    group.unit = 1.0F;
    group.scale = range / steps;
    group.inverse = steps / range;
    group.top = steps;
    if (group.scale < 0x1p-126F) {
        if (range <= 0.0F) {
            group.scale = 0.0F;
            group.inverse = 1.0F;
            group.top = 0.0F;
        } else { /* few bits are left of the scale: rounded up, and values in its own steps */
            if ((double)group.scale * (double)steps < (double)range) {
                group.scale = embdist_int8_next(group.scale, 1);
            }
            group.unit = 0x1p100F; /* the values are below 2^-93, the scale at least 2^-149 */
            group.inverse = 1.0F / (group.scale * group.unit);
            const float last = range * group.unit * group.inverse;
            group.top = last < steps ? last : steps;
        }
    } else if (range >= 0x1p127F) { /* or infinite */
        if (range > EMBDIST_INT8_LARGEST) {
            const float half = 0.5F * greatest - 0.5F * least;
            group.unit = 0.5F;
            group.scale = half / steps * 2.0F;
            group.inverse = steps / half;
        }
        /* a scale that was rounded up must not lead beyond fp32 */
        if ((double)group.scale * (double)steps + (double)least > (double)EMBDIST_INT8_LARGEST) {
            group.scale = embdist_int8_next(group.scale, -1);
        }
    }
    group.start = group.bias * group.unit;
    return group;
}

/* Infinities count as the largest magnitude of the finite values. */
EMBDIST_SHARED embdist_int8_group embdist_int8_settle(embdist_int8_seen seen,
                                                      embdist_int8_options options)
{
    (void)options;
    float least = seen.least;
    float greatest = seen.greatest;
    const int finite = least <= greatest;
    if (seen.above || seen.below || !finite) {
        float most = EMBDIST_INT8_LARGEST;
        if (finite) {
            most = -least > greatest ? -least : greatest;
        }
        if (!finite && !seen.above && !seen.below) {
            least = greatest = 0.0F;
        }
        if (seen.above) {
            greatest = most;
            least = finite ? least : most;
        }
        if (seen.below) {
            greatest = finite || seen.above ? greatest : -most;
            least = -most;
        }
    }
    return embdist_int8_between(least, greatest, seen.nan);
}

EMBDIST_SHARED void embdist_int8_put_group(char *at, embdist_int8_group group,
                                           embdist_int8_options options)
{
    (void)options;
    uint32_t scale;
    memcpy(&scale, &group.scale, sizeof scale);
    scale |= group.nan_code == EMBDIST_INT8_NAN ? 0x80000000U : 0;
    memcpy(at, &scale, sizeof scale);
    memcpy(at + sizeof scale, &group.bias, sizeof group.bias);
}

EMBDIST_SHARED embdist_int8_group embdist_int8_get_group(const char *at,
                                                         embdist_int8_options options)
{
    (void)options;
    uint32_t scale;
    embdist_int8_group group = {.nan_code = -1};
    memcpy(&scale, at, sizeof scale);
    memcpy(&group.bias, at + sizeof scale, sizeof group.bias);
    if ((scale & 0x80000000U) != 0) {
        group.nan_code = EMBDIST_INT8_NAN;
    }
    scale &= 0x7fffffffU;
    memcpy(&group.scale, &scale, sizeof scale);
    return group;
}

/* ---- scalar */

static inline embdist_int8_seen embdist_int8_nothing(void)
{
    const embdist_int8_seen seen = {
        .least = EMBDIST_INT8_LARGEST,
        .greatest = -EMBDIST_INT8_LARGEST,
    };
    return seen;
}

static inline embdist_int8_seen embdist_int8_see(embdist_int8_seen seen, float value)
{
    if (value != value) {
        seen.nan = 1;
    } else if (value > EMBDIST_INT8_LARGEST) {
        seen.above = 1;
    } else if (value < -EMBDIST_INT8_LARGEST) {
        seen.below = 1;
    } else {
        seen.least = value < seen.least ? value : seen.least;
        seen.greatest = value > seen.greatest ? value : seen.greatest;
    }
    return seen;
}

/* code * scale + bias, rounded once. The product is exact in fp64, and so are the sum and what its
 * rounding left; a sum that was rounded to an odd last bit is rounded to fp32 as the exact one. */
static inline float embdist_int8_fma(float code, float scale, float bias)
{
    const double product = (double)code * (double)scale;
    double sum = product + (double)bias;
    const double added = sum - product;
    const double rest = (product - (sum - added)) + ((double)bias - added);
    if (rest > 0.0 || rest < 0.0) {
        uint64_t bits;
        memcpy(&bits, &sum, sizeof bits);
        if ((bits & 1U) == 0) {
            bits += (rest > 0.0) == (sum > 0.0) ? 1U : UINT64_MAX;
        }
        memcpy(&sum, &bits, sizeof sum);
    }
    return (float)sum;
}

static inline int embdist_int8_code(float value, embdist_int8_group group, uint32_t random,
                                    embdist_int8_options options)
{
    if (value != value) {
        return EMBDIST_INT8_NAN;
    }
    float place = (value * group.unit - group.start) * group.inverse;
    place = place < 0.0F ? 0.0F : place;
    place = place > group.top ? group.top : place;
    const int lower = (int)place;
    const float rest = place - (float)lower;
    if (options.stochastic) {
        return lower + ((float)(random >> 8) * 0x1p-24F < rest);
    }
    return lower + (rest > 0.5F || (rest == 0.5F && lower % 2 == 1));
}

static inline float embdist_int8_value(int code, embdist_int8_group group)
{
    if (code == group.nan_code) {
        const uint32_t bits = EMBDIST_INT8_NAN_BITS;
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    return embdist_int8_fma((float)code, group.scale, group.bias);
}

static inline void embdist_int8_write_wire(char *row, int64_t i, float value,
                                           embdist_int8_group group, uint32_t random,
                                           embdist_int8_options options)
{
    const uint8_t code = (uint8_t)embdist_int8_code(value, group, random, options);
    memcpy(row + i, &code, sizeof code);
}

static inline float embdist_int8_read_wire(const char *row, int64_t i, embdist_int8_group group,
                                           embdist_int8_options options)
{
    (void)options;
    uint8_t code;
    memcpy(&code, row + i, sizeof code);
    return embdist_int8_value(code, group);
}

static inline float embdist_int8_round(float value, embdist_int8_group group, uint32_t random,
                                       embdist_int8_options options)
{
    return embdist_int8_value(embdist_int8_code(value, group, random, options), group);
}

/* The codes reach from the least of the finite values to the greatest. */
static inline int embdist_int8_saturates(float value, embdist_int8_group group,
                                         embdist_int8_options options)
{
    (void)group;
    (void)options;
    return value > EMBDIST_INT8_LARGEST || value < -EMBDIST_INT8_LARGEST;
}

#if EMBDIST_X86

/* Where an operand is NaN, vector min and max give the second one. */

/* ---- AVX2 */

typedef struct embdist_int8_seen_avx2 {
    __m256 least;
    __m256 greatest;
    __m256 low;  /* of all values but NaN, and 0 */
    __m256 high; /* the same */
    __m256 nan;  /* all bits set where there was a NaN */
} embdist_int8_seen_avx2;

EMBDIST_AVX2 embdist_int8_seen_avx2 embdist_int8_nothing_avx2(void)
{
    const embdist_int8_seen_avx2 seen = {
        .least = _mm256_set1_ps(EMBDIST_INT8_LARGEST),
        .greatest = _mm256_set1_ps(-EMBDIST_INT8_LARGEST),
        .low = _mm256_setzero_ps(),
        .high = _mm256_setzero_ps(),
        .nan = _mm256_setzero_ps(),
    };
    return seen;
}

/* Lanes of `skip` whose bits are all set count for neither least nor greatest, and neither do NaN
 * and infinities: times zero they are NaN, and others are 0. */
EMBDIST_AVX2 embdist_int8_seen_avx2 embdist_int8_see_but_avx2(embdist_int8_seen_avx2 seen,
                                                              __m256 value, __m256 skip)
{
    const __m256 finite = _mm256_or_ps(_mm256_fmadd_ps(value, _mm256_setzero_ps(), value), skip);
    seen.least = _mm256_min_ps(finite, seen.least);
    seen.greatest = _mm256_max_ps(finite, seen.greatest);
    seen.low = _mm256_min_ps(value, seen.low);
    seen.high = _mm256_max_ps(value, seen.high);
    seen.nan = _mm256_or_ps(seen.nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return seen;
}

EMBDIST_AVX2 embdist_int8_seen_avx2 embdist_int8_see_avx2(embdist_int8_seen_avx2 seen, __m256 value)
{
    return embdist_int8_see_but_avx2(seen, value, _mm256_setzero_ps());
}

EMBDIST_AVX2 embdist_int8_seen_avx2 embdist_int8_see_part_avx2(embdist_int8_seen_avx2 seen,
                                                               __m256 value, int64_t count)
{
    const __m256i all = _mm256_set1_epi32(-1);
    const __m256i others = _mm256_xor_si256(embdist_mask_avx2(count), all);
    return embdist_int8_see_but_avx2(seen, value, _mm256_castsi256_ps(others));
}

/* The least of pairs of lanes: of the even lanes and of the odd ones. */
EMBDIST_AVX2 __m128 embdist_int8_least_pair_avx2(__m256 pairs)
{
    const __m128 two = _mm_min_ps(_mm256_castps256_ps128(pairs), _mm256_extractf128_ps(pairs, 1));
    return _mm_min_ps(two, _mm_movehl_ps(two, two));
}

EMBDIST_AVX2 embdist_int8_seen embdist_int8_reduce_avx2(embdist_int8_seen_avx2 seen)
{
    /* one reduction for both ends: the greatest is the least of the negatives */
    const __m256 negative = _mm256_xor_ps(seen.greatest, _mm256_set1_ps(-0.0F));
    const __m128 ends = embdist_int8_least_pair_avx2(_mm256_min_ps(
        _mm256_unpacklo_ps(seen.least, negative), _mm256_unpackhi_ps(seen.least, negative)));
    const __m256 most = _mm256_set1_ps(EMBDIST_INT8_LARGEST);
    const __m256 least = _mm256_set1_ps(-EMBDIST_INT8_LARGEST);
    const embdist_int8_seen found = {
        .least = _mm_cvtss_f32(ends),
        .greatest = -_mm_cvtss_f32(_mm_movehdup_ps(ends)),
        .nan = _mm256_movemask_ps(seen.nan) != 0,
        .above = _mm256_movemask_ps(_mm256_cmp_ps(seen.high, most, _CMP_GT_OQ)) != 0,
        .below = _mm256_movemask_ps(_mm256_cmp_ps(seen.low, least, _CMP_LT_OQ)) != 0,
    };
    return found;
}

/* Eight codes, as integers. */
EMBDIST_AVX2 __m256i embdist_int8_codes_avx2(__m256 value, embdist_int8_group group, __m256i random,
                                             embdist_int8_options options)
{
    /* one rounding as in two steps: the product is exact, or nothing beside the start */
    __m256 place = _mm256_fmsub_ps(value, _mm256_set1_ps(group.unit), _mm256_set1_ps(group.start));
    place = _mm256_mul_ps(place, _mm256_set1_ps(group.inverse));
    place = _mm256_max_ps(_mm256_setzero_ps(), place);
    place = _mm256_min_ps(_mm256_set1_ps(group.top), place); /* still NaN where the value is */
    if (options.stochastic) {
        const __m256 lower = _mm256_floor_ps(place);
        const __m256 chance = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_srli_epi32(random, 8)),
                                            _mm256_set1_ps(0x1p-24F));
        const __m256 up = _mm256_cmp_ps(chance, _mm256_sub_ps(place, lower), _CMP_LT_OQ);
        place = _mm256_add_ps(lower, _mm256_and_ps(up, _mm256_set1_ps(1.0F)));
    }
    return _mm256_cvtps_epi32(_mm256_min_ps(place, _mm256_set1_ps(EMBDIST_INT8_NAN)));
}

EMBDIST_AVX2 __m256 embdist_int8_values_avx2(__m256i codes, embdist_int8_group group)
{
    const __m256 value = _mm256_fmadd_ps(_mm256_cvtepi32_ps(codes), _mm256_set1_ps(group.scale),
                                         _mm256_set1_ps(group.bias));
    const __m256i nan = _mm256_cmpeq_epi32(codes, _mm256_set1_epi32(group.nan_code));
    return _mm256_blendv_ps(value,
                            _mm256_castsi256_ps(_mm256_set1_epi32((int)EMBDIST_INT8_NAN_BITS)),
                            _mm256_castsi256_ps(nan));
}

EMBDIST_AVX2 void embdist_int8_write_wire_avx2(char *to, __m256 value, embdist_int8_group group,
                                               __m256i random, embdist_int8_options options)
{
    embdist_bytes_write_avx2(to, embdist_int8_codes_avx2(value, group, random, options));
}

EMBDIST_AVX2 void embdist_int8_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                    embdist_int8_group group, __m256i random,
                                                    embdist_int8_options options)
{
    const __m256i codes = embdist_int8_codes_avx2(value, group, random, options);
    embdist_bytes_write_part_avx2(to, codes, count);
}

EMBDIST_AVX2 __m256 embdist_int8_read_wire_avx2(const char *from, embdist_int8_group group,
                                                embdist_int8_options options)
{
    (void)options;
    const __m128i codes = embdist_bytes_read_avx2(from);
    return embdist_int8_values_avx2(_mm256_cvtepu8_epi32(codes), group);
}

EMBDIST_AVX2 __m256 embdist_int8_read_wire_part_avx2(const char *from, int64_t count,
                                                     embdist_int8_group group,
                                                     embdist_int8_options options)
{
    (void)options;
    const __m128i codes = embdist_bytes_read_part_avx2(from, count);
    return embdist_int8_values_avx2(_mm256_cvtepu8_epi32(codes), group);
}

EMBDIST_AVX2 __m256 embdist_int8_round_avx2(__m256 value, embdist_int8_group group, __m256i random,
                                            embdist_int8_options options)
{
    return embdist_int8_values_avx2(embdist_int8_codes_avx2(value, group, random, options), group);
}

/* ---- AVX-512 */

typedef struct embdist_int8_seen_avx512 {
    __m512 least;
    __m512 greatest;
    __m512 others; /* EMBDIST_INT8_CLASSES of all values */
} embdist_int8_seen_avx512;

/* What vfixupimmps makes of a value: -0 of NaN, 90 of -inf, 0.5 of +inf, +0 of any other. A bit
 * that only one of them has tells whether it was among those that were or-ed. */
#define EMBDIST_INT8_CLASSES 0x88bc8877U
#define EMBDIST_INT8_NAN_BIT 0x80000000U
#define EMBDIST_INT8_BELOW_BIT 0x40000000U
#define EMBDIST_INT8_ABOVE_BIT 0x01000000U

EMBDIST_AVX512 embdist_int8_seen_avx512 embdist_int8_nothing_avx512(void)
{
    const embdist_int8_seen_avx512 seen = {
        .least = _mm512_set1_ps(EMBDIST_INT8_LARGEST),
        .greatest = _mm512_set1_ps(-EMBDIST_INT8_LARGEST),
        .others = _mm512_setzero_ps(),
    };
    return seen;
}

/* A macro in which gcc -O0 warns. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
EMBDIST_AVX512 __m512 embdist_int8_classes_avx512(__m512 value)
{
    return _mm512_fixupimm_ps(value, value, _mm512_set1_epi32((int)EMBDIST_INT8_CLASSES), 0);
}
#pragma GCC diagnostic pop

/* Infinities times zero are NaN, as NaN are; finite values are 0. The values of other lanes than
 * `lanes` are 0. */
EMBDIST_AVX512 embdist_int8_seen_avx512 embdist_int8_see_lanes_avx512(embdist_int8_seen_avx512 seen,
                                                                      __m512 value, __mmask16 lanes)
{
    const __m512 finite = _mm512_fmadd_ps(value, _mm512_setzero_ps(), value);
    seen.least = _mm512_mask_min_ps(seen.least, lanes, finite, seen.least);
    seen.greatest = _mm512_mask_max_ps(seen.greatest, lanes, finite, seen.greatest);
    seen.others = _mm512_or_ps(seen.others, embdist_int8_classes_avx512(value));
    return seen;
}

EMBDIST_AVX512 embdist_int8_seen_avx512 embdist_int8_see_avx512(embdist_int8_seen_avx512 seen,
                                                                __m512 value)
{
    return embdist_int8_see_lanes_avx512(seen, value, (__mmask16)0xffffU);
}

EMBDIST_AVX512 embdist_int8_seen_avx512 embdist_int8_see_part_avx512(embdist_int8_seen_avx512 seen,
                                                                     __m512 value, int64_t count)
{
    return embdist_int8_see_lanes_avx512(seen, value, embdist_mask_avx512(count));
}

EMBDIST_AVX512 int embdist_int8_any_avx512(__m512i values, uint32_t bit)
{
    return _mm512_test_epi32_mask(values, _mm512_set1_epi32((int)bit)) != 0;
}

EMBDIST_AVX512 embdist_int8_seen embdist_int8_reduce_avx512(embdist_int8_seen_avx512 seen)
{
    const __m512 negative = _mm512_xor_ps(seen.greatest, _mm512_set1_ps(-0.0F));
    const __m512 pairs = _mm512_min_ps(_mm512_unpacklo_ps(seen.least, negative),
                                       _mm512_unpackhi_ps(seen.least, negative));
    const __m128 ends = embdist_int8_least_pair_avx2(
        _mm256_min_ps(_mm512_castps512_ps256(pairs), _mm512_extractf32x8_ps(pairs, 1)));
    embdist_int8_seen found = {
        .least = _mm_cvtss_f32(ends),
        .greatest = -_mm_cvtss_f32(_mm_movehdup_ps(ends)),
    };
    const __m512i others = _mm512_castps_si512(seen.others);
    if (_mm512_test_epi32_mask(others, others) != 0) {
        found.nan = embdist_int8_any_avx512(others, EMBDIST_INT8_NAN_BIT);
        found.above = embdist_int8_any_avx512(others, EMBDIST_INT8_ABOVE_BIT);
        found.below = embdist_int8_any_avx512(others, EMBDIST_INT8_BELOW_BIT);
    }
    return found;
}

/* Sixteen codes, as integers; that of NaN is 2^31, which saturates to EMBDIST_INT8_NAN. */
EMBDIST_AVX512 __m512i embdist_int8_codes_avx512(__m512 value, embdist_int8_group group,
                                                 __m512i random, embdist_int8_options options)
{
    __m512 place = _mm512_fmsub_ps(value, _mm512_set1_ps(group.unit), _mm512_set1_ps(group.start));
    place = _mm512_mul_ps(place, _mm512_set1_ps(group.inverse));
    place = _mm512_max_ps(_mm512_setzero_ps(), place);
    place = _mm512_min_ps(_mm512_set1_ps(group.top), place); /* still NaN where the value is */
    if (options.stochastic) {
        const __m512 lower = _mm512_floor_ps(place);
        const __m512 chance = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_srli_epi32(random, 8)),
                                            _mm512_set1_ps(0x1p-24F));
        const __mmask16 up = _mm512_cmp_ps_mask(chance, _mm512_sub_ps(place, lower), _CMP_LT_OQ);
        place = _mm512_mask_add_ps(lower, up, lower, _mm512_set1_ps(1.0F));
    }
    return _mm512_cvtps_epi32(place);
}

EMBDIST_AVX512 __m512 embdist_int8_values_avx512(__m512i codes, embdist_int8_group group)
{
    const __m512 value = _mm512_fmadd_ps(_mm512_cvtepi32_ps(codes), _mm512_set1_ps(group.scale),
                                         _mm512_set1_ps(group.bias));
    const __mmask16 nan = _mm512_cmpeq_epi32_mask(codes, _mm512_set1_epi32(group.nan_code));
    return _mm512_mask_mov_ps(value, nan,
                              _mm512_castsi512_ps(_mm512_set1_epi32((int)EMBDIST_INT8_NAN_BITS)));
}

EMBDIST_AVX512 void embdist_int8_write_wire_avx512(char *to, __m512 value, embdist_int8_group group,
                                                   __m512i random, embdist_int8_options options)
{
    const __m512i codes = embdist_int8_codes_avx512(value, group, random, options);
    _mm_storeu_si128((__m128i *)(void *)to, _mm512_cvtusepi32_epi8(codes));
}

EMBDIST_AVX512 void embdist_int8_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                        embdist_int8_group group, __m512i random,
                                                        embdist_int8_options options)
{
    const __m512i codes = embdist_int8_codes_avx512(value, group, random, options);
    _mm_mask_storeu_epi8(to, embdist_mask_avx512(count), _mm512_cvtusepi32_epi8(codes));
}

EMBDIST_AVX512 __m512 embdist_int8_read_wire_avx512(const char *from, embdist_int8_group group,
                                                    embdist_int8_options options)
{
    (void)options;
    const __m128i codes = _mm_loadu_si128((const __m128i *)(const void *)from);
    return embdist_int8_values_avx512(_mm512_cvtepu8_epi32(codes), group);
}

EMBDIST_AVX512 __m512 embdist_int8_read_wire_part_avx512(const char *from, int64_t count,
                                                         embdist_int8_group group,
                                                         embdist_int8_options options)
{
    (void)options;
    const __m128i codes = _mm_maskz_loadu_epi8(embdist_mask_avx512(count), from);
    return embdist_int8_values_avx512(_mm512_cvtepu8_epi32(codes), group);
}

EMBDIST_AVX512 __m512 embdist_int8_round_avx512(__m512 value, embdist_int8_group group,
                                                __m512i random, embdist_int8_options options)
{
    const __m512i codes = embdist_int8_codes_avx512(value, group, random, options);
    return embdist_int8_values_avx512(_mm512_min_epu32(codes, _mm512_set1_epi32(EMBDIST_INT8_NAN)),
                                      group);
}

#endif

#endif
