/* bf16.h: the codec bf16: the upper half of an fp32, rounded half to even. half.h says what a codec
 * header gives. */
#ifndef EMBDIST_INLINE_BF16_H
#define EMBDIST_INLINE_BF16_H

#include "half.h"

typedef embdist_half_options embdist_bf16_options;

#define EMBDIST_BF16_MAX 0x1.fep127F

/* ---- scalar */

static inline float embdist_bf16_to_float(uint16_t code)
{
    const uint32_t bits = (uint32_t)code << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t embdist_bf16_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fffffffU) > 0x7f800000U) { /* NaN: quiet; rounding could carry it away */
        return (uint16_t)((bits | 0x400000U) >> 16);
    }
    return (uint16_t)((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

static inline float embdist_bf16_read_wire(const char *wire, int64_t i,
                                           embdist_bf16_options options)
{
    return embdist_half_leave(embdist_bf16_to_float(embdist_half_get(wire, i)), options);
}

static inline void embdist_bf16_write_wire(char *wire, int64_t i, float value,
                                           embdist_bf16_options options)
{
    value = embdist_half_enter(value, EMBDIST_BF16_MAX, options);
    embdist_half_put(wire, i, embdist_bf16_from_float(value));
}

static inline float embdist_bf16_round(float value, embdist_bf16_options options)
{
    value = embdist_half_enter(value, EMBDIST_BF16_MAX, options);
    return embdist_half_leave(embdist_bf16_to_float(embdist_bf16_from_float(value)), options);
}

static inline int embdist_bf16_saturates(float value, embdist_bf16_options options)
{
    return embdist_half_saturates(value, EMBDIST_BF16_MAX, options);
}

#if EMBDIST_X86

/* ---- AVX2 */

/* The rounded value, in fp32. Not the instruction of AVX512_BF16: it takes subnormals for zero. */
EMBDIST_AVX2 __m256i embdist_bf16_rounded_avx2(__m256 value, embdist_bf16_options options)
{
    value = embdist_half_enter_avx2(value, EMBDIST_BF16_MAX, options);
    const __m256i bits = _mm256_castps_si256(value);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i half = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
    const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
    const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(value, value, _CMP_UNORD_Q));
    const __m256i rounded = _mm256_blendv_epi8(_mm256_add_epi32(bits, half), quiet, nan);
    return _mm256_and_si256(rounded, _mm256_set1_epi32((int)0xffff0000U));
}

EMBDIST_AVX2 __m128i embdist_bf16_codes_avx2(__m256 value, embdist_bf16_options options)
{
    const __m256i codes = _mm256_srli_epi32(embdist_bf16_rounded_avx2(value, options), 16);
    const __m256i twice = _mm256_packus_epi32(codes, codes); /* in each half by itself */
    return _mm256_castsi256_si128(_mm256_permute4x64_epi64(twice, 0x08));
}

EMBDIST_AVX2 __m256 embdist_bf16_values_avx2(__m128i codes, embdist_bf16_options options)
{
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(codes), 16);
    return embdist_half_leave_avx2(_mm256_castsi256_ps(bits), options);
}

EMBDIST_AVX2 __m256 embdist_bf16_read_wire_avx2(const char *from, embdist_bf16_options options)
{
    return embdist_bf16_values_avx2(embdist_half_read_avx2(from), options);
}

EMBDIST_AVX2 __m256 embdist_bf16_read_wire_part_avx2(const char *from, int64_t count,
                                                     embdist_bf16_options options)
{
    return embdist_bf16_values_avx2(embdist_half_read_part_avx2(from, count), options);
}

EMBDIST_AVX2 void embdist_bf16_write_wire_avx2(char *to, __m256 value, int store,
                                               embdist_bf16_options options)
{
    embdist_half_write_avx2(to, embdist_bf16_codes_avx2(value, options), store);
}

EMBDIST_AVX2 void embdist_bf16_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                    int store, embdist_bf16_options options)
{
    (void)store;
    embdist_half_write_part_avx2(to, embdist_bf16_codes_avx2(value, options), count);
}

EMBDIST_AVX2 __m256 embdist_bf16_round_avx2(__m256 value, embdist_bf16_options options)
{
    const __m256i rounded = embdist_bf16_rounded_avx2(value, options);
    return embdist_half_leave_avx2(_mm256_castsi256_ps(rounded), options);
}

/* ---- AVX-512 */

EMBDIST_AVX512 __m512i embdist_bf16_rounded_avx512(__m512 value, embdist_bf16_options options)
{
    value = embdist_half_enter_avx512(value, EMBDIST_BF16_MAX, options);
    const __m512i bits = _mm512_castps_si512(value);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i half = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    const __m512i quiet = _mm512_or_si512(bits, _mm512_set1_epi32(0x400000));
    const __mmask16 nan = _mm512_cmp_ps_mask(value, value, _CMP_UNORD_Q);
    const __m512i rounded = _mm512_mask_mov_epi32(_mm512_add_epi32(bits, half), nan, quiet);
    return _mm512_and_si512(rounded, _mm512_set1_epi32((int)0xffff0000U));
}

EMBDIST_AVX512 __m256i embdist_bf16_codes_avx512(__m512 value, embdist_bf16_options options)
{
    const __m512i rounded = embdist_bf16_rounded_avx512(value, options);
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(rounded, 16));
}

EMBDIST_AVX512 __m512 embdist_bf16_values_avx512(__m256i codes, embdist_bf16_options options)
{
    const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(codes), 16);
    return embdist_half_leave_avx512(_mm512_castsi512_ps(bits), options);
}

EMBDIST_AVX512 __m512 embdist_bf16_read_wire_avx512(const char *from, embdist_bf16_options options)
{
    return embdist_bf16_values_avx512(embdist_half_read_avx512(from), options);
}

EMBDIST_AVX512 __m512 embdist_bf16_read_wire_part_avx512(const char *from, int64_t count,
                                                         embdist_bf16_options options)
{
    return embdist_bf16_values_avx512(embdist_half_read_part_avx512(from, count), options);
}

EMBDIST_AVX512 void embdist_bf16_write_wire_avx512(char *to, __m512 value, int store,
                                                   embdist_bf16_options options)
{
    embdist_half_write_avx512(to, embdist_bf16_codes_avx512(value, options), store);
}

EMBDIST_AVX512 void embdist_bf16_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                        int store, embdist_bf16_options options)
{
    embdist_half_write_part_avx512(to, embdist_bf16_codes_avx512(value, options), count, store);
}

EMBDIST_AVX512 __m512 embdist_bf16_round_avx512(__m512 value, embdist_bf16_options options)
{
    const __m512i rounded = embdist_bf16_rounded_avx512(value, options);
    return embdist_half_leave_avx512(_mm512_castsi512_ps(rounded), options);
}

#endif

#endif
