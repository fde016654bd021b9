/* fp8_e5m2.h: the codec fp8_e5m2: OCP E5M2 codes, a scale for each group.
 * group.h says what a codec header of groups gives, fp8.h does it. */
#ifndef EMBDIST_INLINE_FP8_E5M2_H
#define EMBDIST_INLINE_FP8_E5M2_H

#include "fp8.h"

typedef embdist_fp8_options embdist_fp8_e5m2_options;
typedef embdist_fp8_seen embdist_fp8_e5m2_seen;
typedef embdist_fp8_group embdist_fp8_e5m2_group;

/* Exponents count from 15, infinities and NaN are as in IEEE formats. */
#define EMBDIST_FP8_E5M2 ((embdist_fp8_format){2, 113, 57344.0F})

/* ---- scalar */

static inline embdist_fp8_e5m2_seen embdist_fp8_e5m2_nothing(void)
{
    return embdist_fp8_nothing();
}

static inline embdist_fp8_e5m2_seen embdist_fp8_e5m2_see(embdist_fp8_e5m2_seen seen, float value)
{
    return embdist_fp8_see(seen, value);
}

EMBDIST_SHARED embdist_fp8_e5m2_group embdist_fp8_e5m2_settle(embdist_fp8_e5m2_seen seen,
                                                              embdist_fp8_e5m2_options options)
{
    return embdist_fp8_settle(seen, options, EMBDIST_FP8_E5M2);
}

EMBDIST_SHARED void embdist_fp8_e5m2_put_group(char *at, embdist_fp8_e5m2_group group,
                                               embdist_fp8_e5m2_options options)
{
    (void)options;
    embdist_fp8_put_group(at, group);
}

EMBDIST_SHARED embdist_fp8_e5m2_group embdist_fp8_e5m2_get_group(const char *at,
                                                                 embdist_fp8_e5m2_options options)
{
    (void)options;
    return embdist_fp8_get_group(at);
}

static inline float embdist_fp8_e5m2_read_wire(const char *row, int64_t i,
                                               embdist_fp8_e5m2_group group,
                                               embdist_fp8_e5m2_options options)
{
    (void)options;
    return embdist_fp8_read_wire(row, i, group, EMBDIST_FP8_E5M2);
}

static inline void embdist_fp8_e5m2_write_wire(char *row, int64_t i, float value,
                                               embdist_fp8_e5m2_group group, uint32_t random,
                                               embdist_fp8_e5m2_options options)
{
    embdist_fp8_write_wire(row, i, value, group, random, options, EMBDIST_FP8_E5M2);
}

static inline float embdist_fp8_e5m2_round(float value, embdist_fp8_e5m2_group group,
                                           uint32_t random, embdist_fp8_e5m2_options options)
{
    return embdist_fp8_round(value, group, random, options, EMBDIST_FP8_E5M2);
}

static inline int embdist_fp8_e5m2_saturates(float value, embdist_fp8_e5m2_group group,
                                             embdist_fp8_e5m2_options options)
{
    return embdist_fp8_saturates(value, group, options);
}

#if EMBDIST_X86

/* ---- AVX2 */

typedef embdist_fp8_seen_avx2 embdist_fp8_e5m2_seen_avx2;

EMBDIST_AVX2 embdist_fp8_e5m2_seen_avx2 embdist_fp8_e5m2_nothing_avx2(void)
{
    return embdist_fp8_nothing_avx2();
}

EMBDIST_AVX2 embdist_fp8_e5m2_seen_avx2 embdist_fp8_e5m2_see_avx2(embdist_fp8_e5m2_seen_avx2 seen,
                                                                  __m256 value)
{
    return embdist_fp8_see_avx2(seen, value);
}

EMBDIST_AVX2 embdist_fp8_e5m2_seen_avx2
embdist_fp8_e5m2_see_part_avx2(embdist_fp8_e5m2_seen_avx2 seen, __m256 value, int64_t count)
{
    return embdist_fp8_see_part_avx2(seen, value, count);
}

EMBDIST_AVX2 embdist_fp8_e5m2_seen embdist_fp8_e5m2_reduce_avx2(embdist_fp8_e5m2_seen_avx2 seen)
{
    return embdist_fp8_reduce_avx2(seen);
}

EMBDIST_AVX2 __m256 embdist_fp8_e5m2_read_wire_avx2(const char *from, embdist_fp8_e5m2_group group,
                                                    embdist_fp8_e5m2_options options)
{
    (void)options;
    return embdist_fp8_read_wire_avx2(from, group, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX2 __m256 embdist_fp8_e5m2_read_wire_part_avx2(const char *from, int64_t count,
                                                         embdist_fp8_e5m2_group group,
                                                         embdist_fp8_e5m2_options options)
{
    (void)options;
    return embdist_fp8_read_wire_part_avx2(from, count, group, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX2 void embdist_fp8_e5m2_write_wire_avx2(char *to, __m256 value,
                                                   embdist_fp8_e5m2_group group, __m256i random,
                                                   embdist_fp8_e5m2_options options)
{
    embdist_fp8_write_wire_avx2(to, value, group, random, options, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX2 void embdist_fp8_e5m2_write_wire_part_avx2(char *to, __m256 value, int64_t count,
                                                        embdist_fp8_e5m2_group group,
                                                        __m256i random,
                                                        embdist_fp8_e5m2_options options)
{
    embdist_fp8_write_wire_part_avx2(to, value, count, group, random, options, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX2 __m256 embdist_fp8_e5m2_round_avx2(__m256 value, embdist_fp8_e5m2_group group,
                                                __m256i random, embdist_fp8_e5m2_options options)
{
    return embdist_fp8_round_avx2(value, group, random, options, EMBDIST_FP8_E5M2);
}

/* ---- AVX-512 */

typedef embdist_fp8_seen_avx512 embdist_fp8_e5m2_seen_avx512;

EMBDIST_AVX512 embdist_fp8_e5m2_seen_avx512 embdist_fp8_e5m2_nothing_avx512(void)
{
    return embdist_fp8_nothing_avx512();
}

EMBDIST_AVX512 embdist_fp8_e5m2_seen_avx512
embdist_fp8_e5m2_see_avx512(embdist_fp8_e5m2_seen_avx512 seen, __m512 value)
{
    return embdist_fp8_see_avx512(seen, value);
}

EMBDIST_AVX512 embdist_fp8_e5m2_seen_avx512
embdist_fp8_e5m2_see_part_avx512(embdist_fp8_e5m2_seen_avx512 seen, __m512 value, int64_t count)
{
    return embdist_fp8_see_part_avx512(seen, value, count);
}

EMBDIST_AVX512 embdist_fp8_e5m2_seen
embdist_fp8_e5m2_reduce_avx512(embdist_fp8_e5m2_seen_avx512 seen)
{
    return embdist_fp8_reduce_avx512(seen);
}

EMBDIST_AVX512 __m512 embdist_fp8_e5m2_read_wire_avx512(const char *from,
                                                        embdist_fp8_e5m2_group group,
                                                        embdist_fp8_e5m2_options options)
{
    (void)options;
    return embdist_fp8_read_wire_avx512(from, group, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX512 __m512 embdist_fp8_e5m2_read_wire_part_avx512(const char *from, int64_t count,
                                                             embdist_fp8_e5m2_group group,
                                                             embdist_fp8_e5m2_options options)
{
    (void)options;
    return embdist_fp8_read_wire_part_avx512(from, count, group, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX512 void embdist_fp8_e5m2_write_wire_avx512(char *to, __m512 value,
                                                       embdist_fp8_e5m2_group group, __m512i random,
                                                       embdist_fp8_e5m2_options options)
{
    embdist_fp8_write_wire_avx512(to, value, group, random, options, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX512 void embdist_fp8_e5m2_write_wire_part_avx512(char *to, __m512 value, int64_t count,
                                                            embdist_fp8_e5m2_group group,
                                                            __m512i random,
                                                            embdist_fp8_e5m2_options options)
{
    embdist_fp8_write_wire_part_avx512(to, value, count, group, random, options, EMBDIST_FP8_E5M2);
}

EMBDIST_AVX512 __m512 embdist_fp8_e5m2_round_avx512(__m512 value, embdist_fp8_e5m2_group group,
                                                    __m512i random,
                                                    embdist_fp8_e5m2_options options)
{
    return embdist_fp8_round_avx512(value, group, random, options, EMBDIST_FP8_E5M2);
}

#endif

#endif
