/* vector.h: vectors of fp32 values for AVX2 and AVX-512. Every function and macro exists once for
 * each instruction set, whose name ends its name, so that one text of a template serves both:
 *
 *   EMBDIST_AVX2, EMBDIST_AVX512               what an inlined function begins with; with
 *                                              _CODELET: what the function in the table does
 *   embdist_read_I, embdist_read_part_I        LANES values, or the first `count` of them
 *   embdist_write_I, embdist_write_part_I      the same; EMBDIST_CACHED etc. say how
 *   embdist_zero_I, embdist_add_I, embdist_divide_I
 *
 * Addresses need no alignment, except those of streaming stores. A part is 0 to LANES - 1 values;
 * it neither reads nor writes a byte beyond them, and reads as +0 there. */
#ifndef EMBDIST_INLINE_VECTOR_H
#define EMBDIST_INLINE_VECTOR_H

#include "common.h"

/* How values are stored. Streaming stores pass the cache by: a line that is not read first costs
 * half the traffic. They want an aligned address. */
enum {
    EMBDIST_CACHED = 0,
    EMBDIST_STREAMED = 1,   /* to an address that is a multiple of the vector's size */
    EMBDIST_STREAMED_16 = 2 /* a row from and to multiples of 16: its ends in pieces of 16 bytes,
                               whole vectors between, where they are aligned */
};

/* How the whole vectors of a row or run are stored. */
static inline int embdist_whole(int store)
{
    return store == EMBDIST_CACHED ? EMBDIST_CACHED : EMBDIST_STREAMED;
}

/* The size of a cache line. */
enum { EMBDIST_LINE = 64 };

/* How adjacent rows of row_bytes are stored, each by itself. Memory from malloc is often a multiple
 * of 16 and no more. */
static inline int embdist_row_store(const void *target, int64_t row_bytes, int stream)
{
    const uintptr_t bits = (uintptr_t)target | (uintptr_t)row_bytes;
    if (!stream || bits % 16 != 0) {
        return EMBDIST_CACHED;
    }
    return bits % EMBDIST_LINE == 0 ? EMBDIST_STREAMED : EMBDIST_STREAMED_16;
}

/* How a run of elements is stored: element by element up to where vectors are aligned, then
 * streamed. Elements that lie askew never come to that point. */
static inline int embdist_run_store(const void *target, int64_t element_bytes, int stream)
{
    const int aligned = (uintptr_t)target % (uintptr_t)element_bytes == 0;
    return stream && aligned ? EMBDIST_STREAMED : EMBDIST_CACHED;
}

/* How many of count elements lie before the first vector that is aligned; less than lanes. */
static inline int64_t embdist_run_head(const void *target, int64_t element_bytes, int64_t lanes,
                                       int64_t count)
{
    const uintptr_t vector = (uintptr_t)(lanes * element_bytes);
    const int64_t head = (int64_t)((0 - (uintptr_t)target) % vector) / element_bytes;
    return head < count ? head : count;
}

/* How values are divided. A reciprocal gives the quotient's bits only for powers of two. */
enum { EMBDIST_UNDIVIDED = 0, EMBDIST_BY_RECIPROCAL = 1, EMBDIST_BY_DIVISION = 2 };

static inline int embdist_division(float divisor)
{
    uint32_t bits;
    memcpy(&bits, &divisor, sizeof bits);
    const uint32_t exponent = bits >> 23;
    if (divisor == 1.0F) {
        return EMBDIST_UNDIVIDED;
    }
    if ((bits & 0x7fffffU) == 0 && exponent >= 1 && exponent <= 253) {
        return EMBDIST_BY_RECIPROCAL; /* 2^(exponent - 127), and the reciprocal is normal too */
    }
    return EMBDIST_BY_DIVISION;
}

/* What a loop over vectors knows before it starts; constant after inlining, except the divisor. */
typedef struct embdist_writing {
    int store;
    int division;
    float divisor;
} embdist_writing;

/* How far ahead rows are prefetched: 16 KiB of rows hide the misses of a random gather, if not more
 * than EMBDIST_MOST_ROWS_AHEAD; long rows are begun ahead, and then the hardware follows. */
enum { EMBDIST_BYTES_AHEAD = 16384, EMBDIST_LEAST_ROWS_AHEAD = 2, EMBDIST_MOST_ROWS_AHEAD = 64 };
#define EMBDIST_ROWS_AHEAD(row_bytes)                                                              \
    (EMBDIST_BYTES_AHEAD / (row_bytes) < EMBDIST_LEAST_ROWS_AHEAD                                  \
         ? EMBDIST_LEAST_ROWS_AHEAD                                                                \
         : (EMBDIST_BYTES_AHEAD / (row_bytes) > EMBDIST_MOST_ROWS_AHEAD                            \
                ? EMBDIST_MOST_ROWS_AHEAD                                                          \
                : EMBDIST_BYTES_AHEAD / (row_bytes)))

#if EMBDIST_X86

#include <immintrin.h>

#define EMBDIST_TARGET_avx2 "avx2,fma,f16c"
#define EMBDIST_TARGET_avx512 "avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c"
#define EMBDIST_AVX2_CODELET __attribute__((target(EMBDIST_TARGET_avx2))) static
#define EMBDIST_AVX512_CODELET __attribute__((target(EMBDIST_TARGET_avx512))) static
#define EMBDIST_AVX2 __attribute__((always_inline, target(EMBDIST_TARGET_avx2))) static inline
#define EMBDIST_AVX512 __attribute__((always_inline, target(EMBDIST_TARGET_avx512))) static inline

/* Before a loop over an array of vectors, which shall become registers. Not under clang's address
 * sanitizer: with the undefined one beside it, a sum of 0.5 s takes clang 14 88 s to compile. */
#if defined(__clang__)
#if __has_feature(address_sanitizer)
#define EMBDIST_UNROLL
#else
#define EMBDIST_UNROLL _Pragma("unroll")
#endif
#else
#define EMBDIST_UNROLL _Pragma("GCC unroll 16")
#endif

/* A row of a gather, to the second-level cache: the first is too small for as many. */
static inline __attribute__((always_inline)) void embdist_prefetch_row(const void *row,
                                                                       int64_t bytes)
{
    const char *first = (const char *)row;
    const int64_t end = bytes < 16 * EMBDIST_LINE ? bytes : 16 * EMBDIST_LINE;
    EMBDIST_UNROLL
    for (int64_t at = 0; at < end; at += EMBDIST_LINE) {
        _mm_prefetch(first + at, _MM_HINT_T1);
    }
    _mm_prefetch(first + bytes - 1, _MM_HINT_T1);
}

/* What a run will read soon. The hardware follows a run, but only to the end of a page of memory.
 * The address may lie beyond the run. */
static inline __attribute__((always_inline)) void embdist_prefetch_run(const void *now)
{
    _mm_prefetch((const char *)((uintptr_t)now + 4096), _MM_HINT_T0);
}

/* The same for `bytes` of a run. */
static inline __attribute__((always_inline)) void embdist_prefetch_runs(const char *now,
                                                                        int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += EMBDIST_LINE) {
        embdist_prefetch_run(now + at);
    }
}

/* A single word of memory. */
static inline __attribute__((always_inline)) void embdist_prefetch_word(const void *word)
{
    _mm_prefetch((const char *)word, _MM_HINT_T0);
}

/* Streaming stores are ordered by nothing else. */
static inline __attribute__((always_inline)) void embdist_fence(int stream)
{
    if (stream) {
        _mm_sfence();
    }
}

/* ---- AVX2 */

EMBDIST_AVX2 __m256i embdist_mask_avx2(int64_t count)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count), lane);
}

EMBDIST_AVX2 __m256 embdist_read_avx2(const char *from)
{
    return _mm256_loadu_ps((const float *)(const void *)from);
}

EMBDIST_AVX2 __m256 embdist_read_part_avx2(const char *from, int64_t count)
{
    return _mm256_maskload_ps((const float *)(const void *)from, embdist_mask_avx2(count));
}

EMBDIST_AVX2 void embdist_write_avx2(char *to, __m256 value, int store)
{
    float *const target = (float *)(void *)to;
    if (store == EMBDIST_STREAMED) {
        _mm256_stream_ps(target, value);
    } else {
        _mm256_storeu_ps(target, value);
    }
}

/* A part is streamed only as an end of a row: four values. */
EMBDIST_AVX2 void embdist_write_part_avx2(char *to, __m256 value, int64_t count, int store)
{
    float *const target = (float *)(void *)to;
    if (store != EMBDIST_CACHED) {
        _mm_stream_ps(target, _mm256_castps256_ps128(value));
    } else {
        _mm256_maskstore_ps(target, embdist_mask_avx2(count), value);
    }
}

EMBDIST_AVX2 __m256 embdist_zero_avx2(void)
{
    return _mm256_setzero_ps();
}

EMBDIST_AVX2 __m256 embdist_add_avx2(__m256 a, __m256 b)
{
    return _mm256_add_ps(a, b);
}

EMBDIST_AVX2 __m256 embdist_divide_avx2(__m256 value, int division, float divisor)
{
    if (division == EMBDIST_BY_RECIPROCAL) {
        return _mm256_mul_ps(value, _mm256_set1_ps(1.0F / divisor));
    }
    if (division == EMBDIST_BY_DIVISION) {
        return _mm256_div_ps(value, _mm256_set1_ps(divisor));
    }
    return value;
}

/* ---- AVX-512 */

EMBDIST_AVX512 __mmask16 embdist_mask_avx512(int64_t count)
{
    return (__mmask16)((1U << (unsigned)count) - 1U);
}

EMBDIST_AVX512 __m512 embdist_read_avx512(const char *from)
{
    return _mm512_loadu_ps(from);
}

EMBDIST_AVX512 __m512 embdist_read_part_avx512(const char *from, int64_t count)
{
    return _mm512_maskz_loadu_ps(embdist_mask_avx512(count), from);
}

EMBDIST_AVX512 void embdist_write_avx512(char *to, __m512 value, int store)
{
    float *const target = (float *)(void *)to;
    if (store == EMBDIST_STREAMED) {
        _mm512_stream_ps(target, value);
    } else {
        _mm512_storeu_ps(target, value);
    }
}

/* A part is streamed only as an end of a row: 4, 8 or 12 values. */
EMBDIST_AVX512 void embdist_write_part_avx512(char *to, __m512 value, int64_t count, int store)
{
    float *const target = (float *)(void *)to;
    if (store != EMBDIST_CACHED) {
        _mm_stream_ps(target, _mm512_castps512_ps128(value));
        if (count > 4) {
            _mm_stream_ps(target + 4, _mm512_extractf32x4_ps(value, 1));
        }
        if (count > 8) {
            _mm_stream_ps(target + 8, _mm512_extractf32x4_ps(value, 2));
        }
    } else {
        _mm512_mask_storeu_ps(target, embdist_mask_avx512(count), value);
    }
}

EMBDIST_AVX512 __m512 embdist_zero_avx512(void)
{
    return _mm512_setzero_ps();
}

EMBDIST_AVX512 __m512 embdist_add_avx512(__m512 a, __m512 b)
{
    return _mm512_add_ps(a, b);
}

EMBDIST_AVX512 __m512 embdist_divide_avx512(__m512 value, int division, float divisor)
{
    if (division == EMBDIST_BY_RECIPROCAL) {
        return _mm512_mul_ps(value, _mm512_set1_ps(1.0F / divisor));
    }
    if (division == EMBDIST_BY_DIVISION) {
        return _mm512_div_ps(value, _mm512_set1_ps(divisor));
    }
    return value;
}

#endif

#endif
