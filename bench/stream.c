#include "stream.h"

#include <stdlib.h>
#include <string.h>

static void copy_plain(float *target, const float *source, int64_t count)
{
    memcpy(target, source, (size_t)count * sizeof *source);
}

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <immintrin.h>

__attribute__((target("avx512f"))) static void copy_avx512(float *target, const float *source,
                                                           int64_t count)
{
    int64_t i = 0;
    for (; i + 16 <= count; i += 16)
        _mm512_stream_ps(target + i, _mm512_load_ps(source + i));
    _mm_sfence();
    memcpy(target + i, source + i, (size_t)(count - i) * sizeof *source);
}

__attribute__((target("avx2"))) static void copy_avx2(float *target, const float *source,
                                                      int64_t count)
{
    int64_t i = 0;
    for (; i + 8 <= count; i += 8)
        _mm256_stream_ps(target + i, _mm256_load_ps(source + i));
    _mm_sfence();
    memcpy(target + i, source + i, (size_t)(count - i) * sizeof *source);
}

static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") != 0;
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") != 0;
}
#else
#define copy_avx512 copy_plain
#define copy_avx2 copy_plain

static int has_avx512(void)
{
    return 0;
}

static int has_avx2(void)
{
    return 0;
}
#endif

static int may_use(const char *isa)
{
    const char *named = getenv("EMBDIST_ISA");
    return !named || !*named || strcmp(named, isa) == 0;
}

stream_copier stream_widest(const char **isa)
{
    if (has_avx512() && may_use("avx512")) {
        *isa = "avx512";
        return copy_avx512;
    }
    if (has_avx2() && may_use("avx2")) {
        *isa = "avx2";
        return copy_avx2;
    }
    *isa = "plain";
    return copy_plain;
}
