/* fp32.h: the codec fp32, the identity. See half.h for the functions that a codec header gives. */
#ifndef EMBDIST_INLINE_FP32_H
#define EMBDIST_INLINE_FP32_H

#include "vector.h"

/* fp32 has nothing to scale and nothing to clamp. */
typedef struct embdist_fp32_options {
    int none; /* 0 */
} embdist_fp32_options;

/* ---- scalar */

static inline float embdist_fp32_read_wire(const char *wire, int64_t i,
                                           embdist_fp32_options options)
{
    float value;
    (void)options;
    memcpy(&value, wire + 4 * i, sizeof value);
    return value;
}

static inline void embdist_fp32_write_wire(char *wire, int64_t i, float value,
                                           embdist_fp32_options options)
{
    (void)options;
    memcpy(wire + 4 * i, &value, sizeof value);
}

static inline float embdist_fp32_round(float value, embdist_fp32_options options)
{
    (void)options;
    return value;
}

static inline int embdist_fp32_saturates(float value, embdist_fp32_options options)
{
    (void)value;
    (void)options;
    return 0;
}

#if EMBDIST_X86

/* ---- AVX2 */

EMBDIST_AVX2 __m256 embdist_fp32_read_wire_avx2(const char *from, embdist_fp32_options options)
{
    (void)options;
    return embdist_read_avx2(from);
}

EMBDIST_AVX2 __m256 embdist_fp32_read_wire_part_avx2(const char *from, int64_t count,
                                                     embdist_fp32_options options)
{
    (void)options;
    return embdist_read_part_avx2(from, count);
}

EMBDIST_AVX2 void embdist_fp32_write_wire_avx2(char *to, __m256 value, int store,
                                               embdist_fp32_options options)
{
    (void)options;
    embdist_write_avx2(to, value, store);
}

EMBDIST_AVX2 void embdist_fp32_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                    int store, embdist_fp32_options options)
{
    (void)options;
    embdist_write_part_avx2(to, value, count, store);
}

EMBDIST_AVX2 __m256 embdist_fp32_round_avx2(__m256 value, embdist_fp32_options options)
{
    (void)options;
    return value;
}

/* ---- AVX-512 */

EMBDIST_AVX512 __m512 embdist_fp32_read_wire_avx512(const char *from, embdist_fp32_options options)
{
    (void)options;
    return embdist_read_avx512(from);
}

EMBDIST_AVX512 __m512 embdist_fp32_read_wire_part_avx512(const char *from, int64_t count,
                                                         embdist_fp32_options options)
{
    (void)options;
    return embdist_read_part_avx512(from, count);
}

EMBDIST_AVX512 void embdist_fp32_write_wire_avx512(char *to, __m512 value, int store,
                                                   embdist_fp32_options options)
{
    (void)options;
    embdist_write_avx512(to, value, store);
}

EMBDIST_AVX512 void embdist_fp32_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                        int store, embdist_fp32_options options)
{
    (void)options;
    embdist_write_part_avx512(to, value, count, store);
}

EMBDIST_AVX512 __m512 embdist_fp32_round_avx512(__m512 value, embdist_fp32_options options)
{
    (void)options;
    return value;
}

#endif

#endif
