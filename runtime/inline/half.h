/* half.h: what the 16-bit codecs fp16 and bf16 share: options, the way into the format's range and
 * back, and how codes are read and written.
 *
 * A codec header P gives, for the templates (fp32.h is the shortest example):
 *
 *   P_options                                the options that change code
 *   P_read_wire(wire, i, options)            element i of a wire row, decoded
 *   P_write_wire(wire, i, value, options)    value, encoded, to element i of a wire row
 *   P_round(value, options)                  decode(encode(value))
 *   P_saturates(value, options)              whether a value that is no NaN becomes the largest that
 *                                            the format has, only because there is no larger one;
 *                                            infinities too
 *
 * and, for each instruction set I, sharing no code with those (see vector.h for the words):
 *
 *   P_read_wire_I(from, options)             LANES values
 *   P_read_wire_part_I(from, count, options)
 *   P_write_wire_I(to, value, store, options)
 *   P_write_wire_part_I(to, value, count, store, options)
 *   P_round_I(value, options)
 */
#ifndef EMBDIST_INLINE_HALF_H
#define EMBDIST_INLINE_HALF_H

#include "vector.h"

typedef struct embdist_half_options {
    float loss_scale; /* values are multiplied by it in fp32 before encode, divided after decode */
    int saturate;     /* non-zero: finite overflow and infinities become the largest finite value;
                         else IEEE conversion */
} embdist_half_options;

/* ---- scalar */

static inline uint16_t embdist_half_get(const char *wire, int64_t i)
{
    uint16_t code;
    memcpy(&code, wire + 2 * i, sizeof code);
    return code;
}

static inline void embdist_half_put(char *wire, int64_t i, uint16_t code)
{
    memcpy(wire + 2 * i, &code, sizeof code);
}

/* Into the range of a format whose largest finite value is max. NaN passes. */
static inline float embdist_half_enter(float value, float max, embdist_half_options options)
{
    if (options.loss_scale != 1.0F) {
        value *= options.loss_scale;
    }
    if (options.saturate) {
        value = value > max ? max : value;
        value = value < -max ? -max : value;
    }
    return value;
}

/* Whether a value that is no NaN is clamped on its way in. */
static inline int embdist_half_saturates(float value, float max, embdist_half_options options)
{
    value *= options.loss_scale;
    return options.saturate && (value > max || value < -max);
}

static inline float embdist_half_leave(float value, embdist_half_options options)
{
    return options.loss_scale != 1.0F ? value / options.loss_scale : value;
}

#if EMBDIST_X86

/* ---- AVX2: eight codes */

EMBDIST_AVX2 __m256 embdist_half_enter_avx2(__m256 value, float max, embdist_half_options options)
{
    if (options.loss_scale != 1.0F) {
        value = _mm256_mul_ps(value, _mm256_set1_ps(options.loss_scale));
    }
    if (options.saturate) { /* where value is NaN, min and max give their second operand */
        value = _mm256_min_ps(_mm256_set1_ps(max), value);
        value = _mm256_max_ps(_mm256_set1_ps(-max), value);
    }
    return value;
}

EMBDIST_AVX2 __m256 embdist_half_leave_avx2(__m256 value, embdist_half_options options)
{
    return embdist_divide_avx2(value, embdist_division(options.loss_scale), options.loss_scale);
}

EMBDIST_AVX2 __m128i embdist_half_read_avx2(const char *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

EMBDIST_AVX2 __m128i embdist_half_read_part_avx2(const char *from, int64_t count)
{
    char codes[16] = {0};
    int64_t at = 0; /* in pieces of constant size: no call */
    if (count & 4) {
        memcpy(codes, from, 8);
        at = 8;
    }
    if (count & 2) {
        memcpy(codes + at, from + at, 4);
        at += 4;
    }
    if (count & 1) {
        memcpy(codes + at, from + at, 2);
    }
    return _mm_loadu_si128((const __m128i *)(const void *)codes);
}

EMBDIST_AVX2 void embdist_half_write_avx2(char *to, __m128i codes, int store)
{
    __m128i *const target = (__m128i *)(void *)to;
    if (store == EMBDIST_CACHED) {
        _mm_storeu_si128(target, codes);
    } else {
        _mm_stream_si128(target, codes);
    }
}

/* Eight codes are 16 bytes: a row that is streamed has no part. */
EMBDIST_AVX2 void embdist_half_write_part_avx2(char *to, __m128i value, int64_t count)
{
    char codes[16];
    int64_t at = 0;
    _mm_storeu_si128((__m128i *)(void *)codes, value);
    if (count & 4) {
        memcpy(to, codes, 8);
        at = 8;
    }
    if (count & 2) {
        memcpy(to + at, codes + at, 4);
        at += 4;
    }
    if (count & 1) {
        memcpy(to + at, codes + at, 2);
    }
}

/* ---- AVX-512: sixteen codes */

EMBDIST_AVX512 __m512 embdist_half_enter_avx512(__m512 value, float max,
                                                embdist_half_options options)
{
    if (options.loss_scale != 1.0F) {
        value = _mm512_mul_ps(value, _mm512_set1_ps(options.loss_scale));
    }
    if (options.saturate) {
        value = _mm512_min_ps(_mm512_set1_ps(max), value);
        value = _mm512_max_ps(_mm512_set1_ps(-max), value);
    }
    return value;
}

EMBDIST_AVX512 __m512 embdist_half_leave_avx512(__m512 value, embdist_half_options options)
{
    return embdist_divide_avx512(value, embdist_division(options.loss_scale), options.loss_scale);
}

EMBDIST_AVX512 __m256i embdist_half_read_avx512(const char *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

EMBDIST_AVX512 __m256i embdist_half_read_part_avx512(const char *from, int64_t count)
{
    return _mm256_maskz_loadu_epi16(embdist_mask_avx512(count), from);
}

EMBDIST_AVX512 void embdist_half_write_avx512(char *to, __m256i codes, int store)
{
    if (store == EMBDIST_STREAMED) {
        _mm256_stream_si256((__m256i *)(void *)to, codes);
    } else {
        _mm256_storeu_si256((__m256i *)(void *)to, codes);
    }
}

/* A part is streamed only as an end of a row: eight codes. */
EMBDIST_AVX512 void embdist_half_write_part_avx512(char *to, __m256i codes, int64_t count,
                                                   int store)
{
    if (store != EMBDIST_CACHED) {
        _mm_stream_si128((__m128i *)(void *)to, _mm256_castsi256_si128(codes));
    } else {
        _mm256_mask_storeu_epi16(to, embdist_mask_avx512(count), codes);
    }
}

#endif

#endif
