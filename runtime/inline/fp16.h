/* fp16.h: the codec fp16: IEEE half precision, rounded half to even. half.h says what a codec
 * header gives. */
#ifndef EMBDIST_INLINE_FP16_H
#define EMBDIST_INLINE_FP16_H

#include "half.h"

typedef embdist_half_options embdist_fp16_options;

#define EMBDIST_FP16_MAX 65504.0F

/* ---- scalar */

static inline float embdist_fp16_to_float(uint16_t code)
{
    const uint32_t sign = (uint32_t)(code & 0x8000U) << 16;
    const uint32_t exponent = (code >> 10) & 0x1fU;
    const uint32_t mantissa = code & 0x3ffU;
    uint32_t bits;
    float value;
    if (exponent == 0) { /* a multiple of 2^-24, exact in fp32 */
        value = (float)mantissa * 0x1p-24F;
        memcpy(&bits, &value, sizeof bits);
    } else if (exponent == 0x1f) { /* infinity or NaN, made quiet */
        bits = 0x7f800000U | (mantissa << 13) | (mantissa != 0 ? 0x400000U : 0);
    } else {
        bits = ((exponent + 112) << 23) | (mantissa << 13);
    }
    bits |= sign;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint16_t embdist_fp16_from_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t sign = (bits >> 16) & 0x8000U;
    const uint32_t magnitude = bits & 0x7fffffffU;
    uint32_t code;
    if (magnitude > 0x7f800000U) { /* NaN: quiet, with the upper bits of its payload */
        code = 0x7e00U | ((magnitude >> 13) & 0x3ffU);
    } else if (magnitude >= 0x477ff000U) { /* 65520, halfway to the next exponent, and above */
        code = 0x7c00U;
    } else if (magnitude >= 0x38800000U) { /* 2^-14: normal; a carry runs into the exponent */
        code = (magnitude - 0x38000000U + 0xfffU + ((magnitude >> 13) & 1U)) >> 13;
    } else if (magnitude >= 0x33000000U) { /* 2^-25: rounded to a multiple of 2^-24 */
        const uint32_t shift = 126 - (magnitude >> 23);
        const uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
        const uint32_t rest = mantissa & ((1U << shift) - 1U);
        const uint32_t tie = 1U << (shift - 1U);
        code = mantissa >> shift;
        code += rest > tie || (rest == tie && (code & 1U) != 0);
    } else {
        code = 0;
    }
    return (uint16_t)(sign | code);
}

static inline float embdist_fp16_read_wire(const char *wire, int64_t i,
                                           embdist_fp16_options options)
{
    return embdist_half_leave(embdist_fp16_to_float(embdist_half_get(wire, i)), options);
}

static inline void embdist_fp16_write_wire(char *wire, int64_t i, float value,
                                           embdist_fp16_options options)
{
    value = embdist_half_enter(value, EMBDIST_FP16_MAX, options);
    embdist_half_put(wire, i, embdist_fp16_from_float(value));
}

static inline float embdist_fp16_round(float value, embdist_fp16_options options)
{
    value = embdist_half_enter(value, EMBDIST_FP16_MAX, options);
    return embdist_half_leave(embdist_fp16_to_float(embdist_fp16_from_float(value)), options);
}

static inline int embdist_fp16_saturates(float value, embdist_fp16_options options)
{
    return embdist_half_saturates(value, EMBDIST_FP16_MAX, options);
}

#if EMBDIST_X86

#define EMBDIST_FP16_ROUNDING (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)

/* ---- AVX2 */

EMBDIST_AVX2 __m128i embdist_fp16_codes_avx2(__m256 value, embdist_fp16_options options)
{
    value = embdist_half_enter_avx2(value, EMBDIST_FP16_MAX, options);
    return _mm256_cvtps_ph(value, EMBDIST_FP16_ROUNDING);
}

EMBDIST_AVX2 __m256 embdist_fp16_values_avx2(__m128i codes, embdist_fp16_options options)
{
    return embdist_half_leave_avx2(_mm256_cvtph_ps(codes), options);
}

EMBDIST_AVX2 __m256 embdist_fp16_read_wire_avx2(const char *from, embdist_fp16_options options)
{
    return embdist_fp16_values_avx2(embdist_half_read_avx2(from), options);
}

EMBDIST_AVX2 __m256 embdist_fp16_read_wire_part_avx2(const char *from, int64_t count,
                                                     embdist_fp16_options options)
{
    return embdist_fp16_values_avx2(embdist_half_read_part_avx2(from, count), options);
}

EMBDIST_AVX2 void embdist_fp16_write_wire_avx2(char *to, __m256 value, int store,
                                               embdist_fp16_options options)
{
    embdist_half_write_avx2(to, embdist_fp16_codes_avx2(value, options), store);
}

EMBDIST_AVX2 void embdist_fp16_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                    int store, embdist_fp16_options options)
{
    (void)store;
    embdist_half_write_part_avx2(to, embdist_fp16_codes_avx2(value, options), count);
}

EMBDIST_AVX2 __m256 embdist_fp16_round_avx2(__m256 value, embdist_fp16_options options)
{
    return embdist_fp16_values_avx2(embdist_fp16_codes_avx2(value, options), options);
}

/* ---- AVX-512 */

EMBDIST_AVX512 __m256i embdist_fp16_codes_avx512(__m512 value, embdist_fp16_options options)
{
    value = embdist_half_enter_avx512(value, EMBDIST_FP16_MAX, options);
    /* not _mm512_cvtps_ph, a macro in which gcc -O0 warns */
    return _mm512_maskz_cvtps_ph((__mmask16)0xffffU, value, EMBDIST_FP16_ROUNDING);
}

EMBDIST_AVX512 __m512 embdist_fp16_values_avx512(__m256i codes, embdist_fp16_options options)
{
    return embdist_half_leave_avx512(_mm512_cvtph_ps(codes), options);
}

EMBDIST_AVX512 __m512 embdist_fp16_read_wire_avx512(const char *from, embdist_fp16_options options)
{
    return embdist_fp16_values_avx512(embdist_half_read_avx512(from), options);
}

EMBDIST_AVX512 __m512 embdist_fp16_read_wire_part_avx512(const char *from, int64_t count,
                                                         embdist_fp16_options options)
{
    return embdist_fp16_values_avx512(embdist_half_read_part_avx512(from, count), options);
}

EMBDIST_AVX512 void embdist_fp16_write_wire_avx512(char *to, __m512 value, int store,
                                                   embdist_fp16_options options)
{
    embdist_half_write_avx512(to, embdist_fp16_codes_avx512(value, options), store);
}

EMBDIST_AVX512 void embdist_fp16_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                        int store, embdist_fp16_options options)
{
    embdist_half_write_part_avx512(to, embdist_fp16_codes_avx512(value, options), count, store);
}

EMBDIST_AVX512 __m512 embdist_fp16_round_avx512(__m512 value, embdist_fp16_options options)
{
    return embdist_fp16_values_avx512(embdist_fp16_codes_avx512(value, options), options);
}

#endif

#endif
