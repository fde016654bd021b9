/* mx4.h: the codec mx4: elements of 4 bits (E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and a sign) and an
 * exponent for each group. group.h says what a codec header of groups gives, doc/wire.md has the
 * formulas and their error. */
#ifndef EMBDIST_INLINE_MX4_H
#define EMBDIST_INLINE_MX4_H

#include "group.h"

/* From the largest magnitude m of a group to the exponent e + 2 of its scale. */
enum {
    EMBDIST_MX4_EVEN = 0,   /* floor(log2 m), after m was rounded to the elements' mantissa */
    EMBDIST_MX4_FLOOR = 1,  /* floor(log2 m) */
    EMBDIST_MX4_CEIL = 2,   /* ceil(log2 m) */
    EMBDIST_MX4_NEAREST = 3 /* floor(log2 m + 1/2) */
};

typedef struct embdist_mx4_options {
    int stochastic; /* non-zero: a value between two elements becomes the upper one as often as it
                       is near to it; the upper bits of `random` decide. Else the nearest, half away
                       from zero */
    int scale_rounding;
} embdist_mx4_options;

typedef struct embdist_mx4_seen {
    int32_t largest; /* bits of the largest finite magnitude; negative before the first */
    int nan;
} embdist_mx4_seen;

typedef struct embdist_mx4_group {
    float scale;   /* 2^e; NaN in a group with NaN */
    float inverse; /* 2^-e; 0 there */
    float largest; /* values are clamped to this magnitude */
    uint32_t mask; /* of codes: 15; 0 in a group with NaN */
    uint8_t code;  /* of the scale: e + 127; 255 in a group with NaN */
} embdist_mx4_group;

enum { EMBDIST_MX4_GROUP_BYTES = 1, EMBDIST_MX4_NAN = 255, EMBDIST_MX4_MOST_EXPONENT = 125 };
#define EMBDIST_MX4_MAGNITUDE 0x7fffffffU /* of an fp32 number's bits */
#define EMBDIST_MX4_EXPONENT 0x7f800000U  /* and infinity */
#define EMBDIST_MX4_LARGEST 0x1.fffffep127F
#define EMBDIST_MX4_ROOT 0x3504f4U /* mantissa of the least fp32 number above the root of 2 */

/* ---- shared */

/* The scale with code e + 127. */
EMBDIST_SHARED embdist_mx4_group embdist_mx4_scaled(uint32_t code)
{
    embdist_mx4_group group = {0.0F, 0.0F, 0.0F, 15, (uint8_t)code};
    /* 2^-127 is subnormal; the inverse is 2^(127 - code) */
    const uint32_t scale = code == 0 ? 0x400000U : code << 23;
    const uint32_t inverse = (254U - code) << 23;
    memcpy(&group.scale, &scale, sizeof scale);
    memcpy(&group.inverse, &inverse, sizeof inverse);
    return group;
}

EMBDIST_SHARED embdist_mx4_group embdist_mx4_nan_group(void)
{
    const uint32_t nan = 0x7fc00000U;
    embdist_mx4_group group = {0.0F, 0.0F, 0.0F, 0, EMBDIST_MX4_NAN};
    memcpy(&group.scale, &nan, sizeof nan);
    return group;
}

EMBDIST_SHARED embdist_mx4_group embdist_mx4_settle(embdist_mx4_seen seen,
                                                    embdist_mx4_options options)
{
    if (seen.nan) {
        return embdist_mx4_nan_group();
    }
    const float most = EMBDIST_MX4_LARGEST;
    uint32_t bits = (uint32_t)seen.largest;
    if (seen.largest < 0) { /* infinities only */
        memcpy(&bits, &most, sizeof bits);
    }
    const uint32_t mantissa = bits & 0x7fffffU;
    uint32_t exponent = bits >> 23;
    if (options.scale_rounding == EMBDIST_MX4_EVEN) {
        exponent = (bits + 0x1fffffU) >> 23;
    } else if (options.scale_rounding == EMBDIST_MX4_CEIL) {
        exponent += mantissa != 0;
    } else if (options.scale_rounding == EMBDIST_MX4_NEAREST) {
        exponent += mantissa >= EMBDIST_MX4_ROOT;
    }
    uint32_t code = exponent > 2 ? exponent - 2 : 0;
    if (code > 127 + EMBDIST_MX4_MOST_EXPONENT) {
        code = 127 + EMBDIST_MX4_MOST_EXPONENT;
    }
    embdist_mx4_group group = embdist_mx4_scaled(code);
    memcpy(&group.largest, &bits, sizeof bits);
    return group;
}

EMBDIST_SHARED void embdist_mx4_put_group(char *at, embdist_mx4_group group,
                                          embdist_mx4_options options)
{
    (void)options;
    memcpy(at, &group.code, sizeof group.code);
}

EMBDIST_SHARED embdist_mx4_group embdist_mx4_get_group(const char *at, embdist_mx4_options options)
{
    uint8_t code;
    (void)options;
    memcpy(&code, at, sizeof code);
    return code == EMBDIST_MX4_NAN ? embdist_mx4_nan_group() : embdist_mx4_scaled(code);
}

/* ---- scalar */

static inline embdist_mx4_seen embdist_mx4_nothing(void)
{
    const embdist_mx4_seen seen = {-1, 0};
    return seen;
}

static inline embdist_mx4_seen embdist_mx4_see(embdist_mx4_seen seen, float value)
{
    uint32_t magnitude;
    memcpy(&magnitude, &value, sizeof magnitude);
    magnitude &= EMBDIST_MX4_MAGNITUDE;
    if (value != value) {
        seen.nan = 1;
    } else if (magnitude < EMBDIST_MX4_EXPONENT && (int32_t)magnitude > seen.largest) {
        seen.largest = (int32_t)magnitude;
    }
    return seen;
}

static inline float embdist_mx4_element(uint32_t code)
{
    static const float ELEMENTS[8] = {0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F};
    return code & 8U ? -ELEMENTS[code & 7U] : ELEMENTS[code & 7U];
}

static inline uint32_t embdist_mx4_code(float value, embdist_mx4_group group, uint32_t random,
                                        embdist_mx4_options options)
{
    uint32_t bits, code = 0;
    memcpy(&bits, &value, sizeof bits);
    const float given = value < 0.0F ? -value : value;
    const float scaled = (given < group.largest ? given : group.largest) * group.inverse;
    while (code < 7 && embdist_mx4_element(code + 1) <= scaled) { /* the one below */
        ++code;
    }
    if (code < 7) {
        const float below = embdist_mx4_element(code), above = embdist_mx4_element(code + 1);
        const float chance = (float)(random >> 16) * 0x1p-16F * (above - below);
        const float middle = 0.5F * (below + above);
        code += options.stochastic ? scaled - below > chance : scaled >= middle;
    }
    return (code | (bits >> 28 & 8U)) & group.mask;
}

static inline void embdist_mx4_write_wire(char *row, int64_t i, float value,
                                          embdist_mx4_group group, uint32_t random,
                                          embdist_mx4_options options)
{
    const uint32_t code = embdist_mx4_code(value, group, random, options);
    uint8_t byte = (uint8_t)code;
    if (i % 2 != 0) {
        memcpy(&byte, row + i / 2, sizeof byte);
        byte = (uint8_t)(byte | code << 4);
    }
    memcpy(row + i / 2, &byte, sizeof byte);
}

static inline float embdist_mx4_read_wire(const char *row, int64_t i, embdist_mx4_group group,
                                          embdist_mx4_options options)
{
    uint8_t byte;
    (void)options;
    memcpy(&byte, row + i / 2, sizeof byte);
    return embdist_mx4_element(i % 2 != 0 ? byte >> 4 : byte & 15U) * group.scale;
}

static inline float embdist_mx4_round(float value, embdist_mx4_group group, uint32_t random,
                                      embdist_mx4_options options)
{
    return embdist_mx4_element(embdist_mx4_code(value, group, random, options)) * group.scale;
}

/* The element after 6 would be 8. */
static inline int embdist_mx4_saturates(float value, embdist_mx4_group group,
                                        embdist_mx4_options options)
{
    const float given = value < 0.0F ? -value : value;
    (void)options;
    if (group.code == EMBDIST_MX4_NAN) { /* all arrive as NaN */
        return 0;
    }
    return given > EMBDIST_MX4_LARGEST || given * group.inverse >= 7.0F;
}

#if EMBDIST_X86

/* ---- AVX2: eight elements, four bytes */

typedef struct embdist_mx4_seen_avx2 {
    __m256i largest;
    __m256 nan; /* lanes */
} embdist_mx4_seen_avx2;

EMBDIST_AVX2 embdist_mx4_seen_avx2 embdist_mx4_nothing_avx2(void)
{
    const embdist_mx4_seen_avx2 seen = {_mm256_set1_epi32(-1), _mm256_setzero_ps()};
    return seen;
}

/* Magnitudes of finite values; of the others -1. */
EMBDIST_AVX2 __m256i embdist_mx4_finite_avx2(__m256 value)
{
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(EMBDIST_MX4_MAGNITUDE));
    const __m256i most = _mm256_set1_epi32(EMBDIST_MX4_EXPONENT - 1);
    return _mm256_or_si256(magnitude, _mm256_cmpgt_epi32(magnitude, most));
}

EMBDIST_AVX2 embdist_mx4_seen_avx2 embdist_mx4_see_avx2(embdist_mx4_seen_avx2 seen, __m256 value)
{
    seen.largest = _mm256_max_epi32(seen.largest, embdist_mx4_finite_avx2(value));
    seen.nan = _mm256_or_ps(seen.nan, _mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    return seen;
}

/* Lanes beyond count hold +0, which must not count where the others are infinite. */
EMBDIST_AVX2 embdist_mx4_seen_avx2 embdist_mx4_see_part_avx2(embdist_mx4_seen_avx2 seen,
                                                             __m256 value, int64_t count)
{
    const __m256 infinity = _mm256_castsi256_ps(_mm256_set1_epi32(EMBDIST_MX4_EXPONENT));
    const __m256 inside = _mm256_castsi256_ps(embdist_mask_avx2(count));
    return embdist_mx4_see_avx2(seen, _mm256_blendv_ps(infinity, value, inside));
}

EMBDIST_AVX2 embdist_mx4_seen embdist_mx4_reduce_avx2(embdist_mx4_seen_avx2 seen)
{
    const __m128i high = _mm256_extracti128_si256(seen.largest, 1);
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(seen.largest), high);
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4e));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xb1));
    const embdist_mx4_seen all = {_mm_cvtsi128_si32(most), _mm256_movemask_ps(seen.nan) != 0};
    return all;
}

EMBDIST_AVX2 __m256i embdist_mx4_codes_avx2(__m256 value, embdist_mx4_group group, __m256i random,
                                            embdist_mx4_options options)
{
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 28), _mm256_set1_epi32(8));
    const __m256 magnitude =
        _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_set1_epi32(INT32_MIN)), value);
    /* of NaN the minimum is its second operand */
    __m256 scaled = _mm256_min_ps(magnitude, _mm256_set1_ps(group.largest));
    scaled = _mm256_mul_ps(scaled, _mm256_set1_ps(group.inverse));
    scaled = _mm256_min_ps(scaled, _mm256_set1_ps(6.0F));
    const __m256 one = _mm256_set1_ps(1.0F);
    __m256i add = _mm256_set1_epi32(0x200000); /* half of a step, where there is a mantissa bit */
    __m256 low;
    if (options.stochastic) {
        const __m256i chance = _mm256_srli_epi32(random, 16);
        add = _mm256_sub_epi32(_mm256_set1_epi32(0x3fffff), _mm256_slli_epi32(chance, 6));
        low = _mm256_mul_ps(_mm256_cvtepi32_ps(chance), _mm256_set1_ps(0x1p-17F));
        const __m256 half = _mm256_set1_ps(0.5F);
        const __m256 first = _mm256_cmp_ps(scaled, low, _CMP_GT_OQ);
        const __m256 second = _mm256_cmp_ps(_mm256_sub_ps(scaled, half), low, _CMP_GT_OQ);
        const __m256 whole = _mm256_cmp_ps(scaled, half, _CMP_GE_OQ);
        low = _mm256_castsi256_ps(
            _mm256_sub_epi32(_mm256_setzero_si256(),
                             _mm256_add_epi32(_mm256_castps_si256(_mm256_or_ps(first, whole)),
                                              _mm256_castps_si256(_mm256_and_ps(second, whole)))));
    } else {
        const __m256 first = _mm256_cmp_ps(scaled, _mm256_set1_ps(0.25F), _CMP_GE_OQ);
        const __m256 second = _mm256_cmp_ps(scaled, _mm256_set1_ps(0.75F), _CMP_GE_OQ);
        low = _mm256_castsi256_ps(_mm256_sub_epi32(
            _mm256_setzero_si256(),
            _mm256_add_epi32(_mm256_castps_si256(first), _mm256_castps_si256(second))));
    }
    __m256i code = _mm256_srli_epi32(_mm256_add_epi32(_mm256_castps_si256(scaled), add), 22);
    code = _mm256_sub_epi32(code, _mm256_set1_epi32(252));
    const __m256 is_low = _mm256_cmp_ps(scaled, one, _CMP_LT_OQ);
    code = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(code), low, is_low));
    code = _mm256_or_si256(code, sign);
    return _mm256_and_si256(code, _mm256_set1_epi32((int)group.mask));
}

/* Eight codes to four bytes, in the lowest. */
EMBDIST_AVX2 int embdist_mx4_pack_avx2(__m256i codes)
{
    const __m256i words = _mm256_packus_epi32(codes, codes);
    const __m128i eight = _mm256_castsi256_si128(_mm256_permute4x64_epi64(words, 0x08));
    const __m128i bytes = _mm_packus_epi16(eight, eight);
    const __m128i pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x1001));
    return _mm_cvtsi128_si32(_mm_packus_epi16(pairs, pairs));
}

EMBDIST_AVX2 __m256 embdist_mx4_elements_avx2(__m256i codes, embdist_mx4_group group)
{
    const __m256 table = _mm256_setr_ps(0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F);
    const __m256i sign = _mm256_slli_epi32(_mm256_and_si256(codes, _mm256_set1_epi32(8)), 28);
    const __m256 magnitude = _mm256_permutevar8x32_ps(table, codes); /* the lower three bits */
    const __m256 element = _mm256_or_ps(magnitude, _mm256_castsi256_ps(sign));
    return _mm256_mul_ps(element, _mm256_set1_ps(group.scale));
}

EMBDIST_AVX2 void embdist_mx4_write_wire_avx2(char *to, __m256 value, embdist_mx4_group group,
                                              __m256i random, embdist_mx4_options options)
{
    const int bytes = embdist_mx4_pack_avx2(embdist_mx4_codes_avx2(value, group, random, options));
    memcpy(to, &bytes, sizeof bytes);
}

EMBDIST_AVX2 void embdist_mx4_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                   embdist_mx4_group group, __m256i random,
                                                   embdist_mx4_options options)
{
    const __m256i codes = embdist_mx4_codes_avx2(value, group, random, options);
    int bytes = embdist_mx4_pack_avx2(_mm256_and_si256(codes, embdist_mask_avx2(count)));
    for (int64_t i = 0; i < count; i += 2, bytes >>= 8) {
        to[i / 2] = (char)(bytes & 0xff);
    }
}

EMBDIST_AVX2 __m256 embdist_mx4_unpack_avx2(int bytes, embdist_mx4_group group)
{
    const __m256i shift = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const __m256i codes = _mm256_srlv_epi32(_mm256_set1_epi32(bytes), shift);
    return embdist_mx4_elements_avx2(codes, group);
}

EMBDIST_AVX2 __m256 embdist_mx4_read_wire_avx2(const char *from, embdist_mx4_group group,
                                               embdist_mx4_options options)
{
    int bytes;
    (void)options;
    memcpy(&bytes, from, sizeof bytes);
    return embdist_mx4_unpack_avx2(bytes, group);
}

EMBDIST_AVX2 __m256 embdist_mx4_read_wire_part_avx2(const char *from, int64_t count,
                                                    embdist_mx4_group group,
                                                    embdist_mx4_options options)
{
    uint32_t bytes = 0;
    (void)options;
    for (int64_t i = 0; i < count; i += 2) {
        bytes |= (uint32_t)(unsigned char)from[i / 2] << 4 * i;
    }
    return embdist_mx4_unpack_avx2((int)bytes, group);
}

EMBDIST_AVX2 __m256 embdist_mx4_round_avx2(__m256 value, embdist_mx4_group group, __m256i random,
                                           embdist_mx4_options options)
{
    return embdist_mx4_elements_avx2(embdist_mx4_codes_avx2(value, group, random, options), group);
}

/* ---- AVX-512: sixteen elements, eight bytes */

typedef struct embdist_mx4_seen_avx512 {
    __m512i largest;
    __mmask16 nan;
} embdist_mx4_seen_avx512;

EMBDIST_AVX512 embdist_mx4_seen_avx512 embdist_mx4_nothing_avx512(void)
{
    const embdist_mx4_seen_avx512 seen = {_mm512_set1_epi32(-1), 0};
    return seen;
}

EMBDIST_AVX512 embdist_mx4_seen_avx512 embdist_mx4_see_mask_avx512(embdist_mx4_seen_avx512 seen,
                                                                   __m512 value, __mmask16 lanes)
{
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(EMBDIST_MX4_MAGNITUDE));
    const __m512i infinity = _mm512_set1_epi32(EMBDIST_MX4_EXPONENT);
    const __mmask16 finite = _mm512_mask_cmplt_epi32_mask(lanes, magnitude, infinity);
    seen.largest = _mm512_mask_max_epi32(seen.largest, finite, seen.largest, magnitude);
    seen.nan = (__mmask16)(seen.nan | _mm512_mask_cmp_ps_mask(lanes, value, value, _CMP_UNORD_Q));
    return seen;
}

EMBDIST_AVX512 embdist_mx4_seen_avx512 embdist_mx4_see_avx512(embdist_mx4_seen_avx512 seen,
                                                              __m512 value)
{
    return embdist_mx4_see_mask_avx512(seen, value, 0xffff);
}

EMBDIST_AVX512 embdist_mx4_seen_avx512 embdist_mx4_see_part_avx512(embdist_mx4_seen_avx512 seen,
                                                                   __m512 value, int64_t count)
{
    return embdist_mx4_see_mask_avx512(seen, value, embdist_mask_avx512(count));
}

EMBDIST_AVX512 embdist_mx4_seen embdist_mx4_reduce_avx512(embdist_mx4_seen_avx512 seen)
{
    const __m256i low = _mm512_castsi512_si256(seen.largest);
    const __m256i both = _mm256_max_epi32(low, _mm512_extracti64x4_epi64(seen.largest, 1));
    __m128i most = _mm_max_epi32(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0x4e));
    most = _mm_max_epi32(most, _mm_shuffle_epi32(most, 0xb1));
    const embdist_mx4_seen all = {_mm_cvtsi128_si32(most), seen.nan != 0};
    return all;
}

EMBDIST_AVX512 __m512i embdist_mx4_codes_avx512(__m512 value, embdist_mx4_group group,
                                                __m512i random, embdist_mx4_options options)
{
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i sign = _mm512_and_si512(_mm512_srli_epi32(bits, 28), _mm512_set1_epi32(8));
    const __m512i one = _mm512_set1_epi32(1);
    /* of NaN the minimum is its second operand */
    __m512 scaled = _mm512_min_ps(_mm512_abs_ps(value), _mm512_set1_ps(group.largest));
    scaled = _mm512_mul_ps(scaled, _mm512_set1_ps(group.inverse));
    scaled = _mm512_min_ps(scaled, _mm512_set1_ps(6.0F));
    __m512i add = _mm512_set1_epi32(0x200000); /* half of a step, where there is a mantissa bit */
    __mmask16 first, second;
    if (options.stochastic) {
        const __m512i chance = _mm512_srli_epi32(random, 16);
        const __m512 low = _mm512_mul_ps(_mm512_cvtepi32_ps(chance), _mm512_set1_ps(0x1p-17F));
        const __m512 half = _mm512_set1_ps(0.5F);
        add = _mm512_sub_epi32(_mm512_set1_epi32(0x3fffff), _mm512_slli_epi32(chance, 6));
        const __mmask16 whole = _mm512_cmp_ps_mask(scaled, half, _CMP_GE_OQ);
        first = (__mmask16)(whole | _mm512_cmp_ps_mask(scaled, low, _CMP_GT_OQ));
        second = _mm512_mask_cmp_ps_mask(whole, _mm512_sub_ps(scaled, half), low, _CMP_GT_OQ);
    } else {
        first = _mm512_cmp_ps_mask(scaled, _mm512_set1_ps(0.25F), _CMP_GE_OQ);
        second = _mm512_cmp_ps_mask(scaled, _mm512_set1_ps(0.75F), _CMP_GE_OQ);
    }
    const __mmask16 is_low = _mm512_cmp_ps_mask(scaled, _mm512_set1_ps(1.0F), _CMP_LT_OQ);
    __m512i code = _mm512_srli_epi32(_mm512_add_epi32(_mm512_castps_si512(scaled), add), 22);
    code = _mm512_sub_epi32(code, _mm512_set1_epi32(252));
    code = _mm512_mask_mov_epi32(code, is_low, _mm512_maskz_mov_epi32(first, one));
    code = _mm512_mask_add_epi32(code, (__mmask16)(is_low & second), code, one);
    code = _mm512_or_si512(code, sign);
    return _mm512_and_si512(code, _mm512_set1_epi32((int)group.mask));
}

/* Sixteen codes to eight bytes, in the lower half. */
EMBDIST_AVX512 __m128i embdist_mx4_pack_avx512(__m512i codes)
{
    const __m128i bytes = _mm512_cvtepi32_epi8(codes);
    const __m128i pairs = _mm_maddubs_epi16(bytes, _mm_set1_epi16(0x1001));
    return _mm_packus_epi16(pairs, pairs);
}

EMBDIST_AVX512 __m512 embdist_mx4_elements_avx512(__m512i codes, embdist_mx4_group group)
{
    const __m512 table = _mm512_setr_ps(0.0F, 0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -0.0F,
                                        -0.5F, -1.0F, -1.5F, -2.0F, -3.0F, -4.0F, -6.0F);
    return _mm512_mul_ps(_mm512_permutexvar_ps(codes, table), _mm512_set1_ps(group.scale));
}

EMBDIST_AVX512 void embdist_mx4_write_wire_avx512(char *to, __m512 value, embdist_mx4_group group,
                                                  __m512i random, embdist_mx4_options options)
{
    const __m512i codes = embdist_mx4_codes_avx512(value, group, random, options);
    _mm_storel_epi64((__m128i *)(void *)to, embdist_mx4_pack_avx512(codes));
}

EMBDIST_AVX512 void embdist_mx4_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                       embdist_mx4_group group, __m512i random,
                                                       embdist_mx4_options options)
{
    __m512i codes = embdist_mx4_codes_avx512(value, group, random, options);
    codes = _mm512_maskz_mov_epi32(embdist_mask_avx512(count), codes);
    _mm_mask_storeu_epi8(to, embdist_mask_avx512((count + 1) / 2), embdist_mx4_pack_avx512(codes));
}

EMBDIST_AVX512 __m512 embdist_mx4_unpack_avx512(__m128i bytes, embdist_mx4_group group)
{
    const __m128i nibble = _mm_set1_epi8(15);
    const __m128i even = _mm_and_si128(bytes, nibble);
    const __m128i odd = _mm_and_si128(_mm_srli_epi16(bytes, 4), nibble);
    const __m512i codes = _mm512_cvtepu8_epi32(_mm_unpacklo_epi8(even, odd));
    return embdist_mx4_elements_avx512(codes, group);
}

EMBDIST_AVX512 __m512 embdist_mx4_read_wire_avx512(const char *from, embdist_mx4_group group,
                                                   embdist_mx4_options options)
{
    (void)options;
    return embdist_mx4_unpack_avx512(_mm_loadl_epi64((const __m128i *)(const void *)from), group);
}

EMBDIST_AVX512 __m512 embdist_mx4_read_wire_part_avx512(const char *from, int64_t count,
                                                        embdist_mx4_group group,
                                                        embdist_mx4_options options)
{
    const __mmask16 bytes = embdist_mask_avx512((count + 1) / 2);
    (void)options;
    return embdist_mx4_unpack_avx512(_mm_maskz_loadu_epi8(bytes, from), group);
}

EMBDIST_AVX512 __m512 embdist_mx4_round_avx512(__m512 value, embdist_mx4_group group,
                                               __m512i random, embdist_mx4_options options)
{
    const __m512i codes = embdist_mx4_codes_avx512(value, group, random, options);
    return embdist_mx4_elements_avx512(codes, group);
}

#endif

#endif
