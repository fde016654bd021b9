/* random.h: random numbers for stochastic rounding. They are a function of the call's seed, the rank
 * that encodes, the row's place among those that the rank packs, and the element's place in the
 * row: who computes them, when and in which order makes no difference.
 *
 * Scalar and, for each instruction set I: embdist_random_I, LANES neighbouring elements from i. */
#ifndef EMBDIST_INLINE_RANDOM_H
#define EMBDIST_INLINE_RANDOM_H

#include "vector.h"

/* The key of a rank's rows in a call. */
static inline uint64_t embdist_random_key(uint64_t seed, int64_t rank)
{
    return embdist_mix(embdist_mix(seed + EMBDIST_MIX_STEP) + (uint64_t)rank);
}

/* The key of one row, whose place is in bytes from the start of the rank's packed rows. */
static inline uint64_t embdist_random_row(uint64_t key, int64_t place)
{
    return embdist_mix(key + (uint64_t)place * EMBDIST_MIX_STEP);
}

/* 32 bits for element i of a row: two rounds of multiplication and shift, each with half of the
 * row's key. */
static inline uint32_t embdist_random(uint64_t row, int64_t i)
{
    uint32_t x = (uint32_t)i * 0x9e3779b9U + (uint32_t)row;
    x = (x ^ (x >> 16)) * 0x7feb352dU;
    x = (x ^ (x >> 15)) + (uint32_t)(row >> 32);
    x *= 0x846ca68bU;
    return x ^ (x >> 16);
}

#if EMBDIST_X86

EMBDIST_AVX2 __m256i embdist_no_random_avx2(void)
{
    return _mm256_setzero_si256();
}

EMBDIST_AVX2 __m256i embdist_random_avx2(uint64_t row, int64_t i)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i x = _mm256_add_epi32(_mm256_set1_epi32((int)i), lane);
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)0x9e3779b9U));
    x = _mm256_add_epi32(x, _mm256_set1_epi32((int)row));
    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 16));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32(0x7feb352d));
    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 15));
    x = _mm256_add_epi32(x, _mm256_set1_epi32((int)(row >> 32)));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)0x846ca68bU));
    return _mm256_xor_si256(x, _mm256_srli_epi32(x, 16));
}

EMBDIST_AVX512 __m512i embdist_no_random_avx512(void)
{
    return _mm512_setzero_si512();
}

EMBDIST_AVX512 __m512i embdist_random_avx512(uint64_t row, int64_t i)
{
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i x = _mm512_add_epi32(_mm512_set1_epi32((int)i), lane);
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)0x9e3779b9U));
    x = _mm512_add_epi32(x, _mm512_set1_epi32((int)row));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32(0x7feb352d));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
    x = _mm512_add_epi32(x, _mm512_set1_epi32((int)(row >> 32)));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)0x846ca68bU));
    return _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
}

#endif

#endif
