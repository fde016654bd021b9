/* fp8_codec.h: EMBDIST_FP8_CODEC(P, FORMAT), the functions of a codec header (group.h) for a prefix:
 * those of fp8.h with a format. */
#ifndef EMBDIST_INLINE_FP8_CODEC_H
#define EMBDIST_INLINE_FP8_CODEC_H

#include "fp8.h"

#define EMBDIST_FP8_SCALAR(P, FORMAT)                                                              \
    typedef embdist_fp8_options P##_options;                                                       \
    typedef embdist_fp8_seen P##_seen;                                                             \
    typedef embdist_fp8_group P##_group;                                                           \
    static inline P##_seen P##_nothing(void)                                                       \
    {                                                                                              \
        return embdist_fp8_nothing();                                                              \
    }                                                                                              \
    static inline P##_seen P##_see(P##_seen seen, float value)                                     \
    {                                                                                              \
        return embdist_fp8_see(seen, value);                                                       \
    }                                                                                              \
    EMBDIST_SHARED P##_group P##_settle(P##_seen seen, P##_options options)                        \
    {                                                                                              \
        return embdist_fp8_settle(seen, options, FORMAT);                                          \
    }                                                                                              \
    EMBDIST_SHARED void P##_put_group(char *at, P##_group group, P##_options options)              \
    {                                                                                              \
        (void)options;                                                                             \
        embdist_fp8_put_group(at, group);                                                          \
    }                                                                                              \
    EMBDIST_SHARED P##_group P##_get_group(const char *at, P##_options options)                    \
    {                                                                                              \
        (void)options;                                                                             \
        return embdist_fp8_get_group(at);                                                          \
    }                                                                                              \
    static inline float P##_read_wire(const char *row, int64_t i, P##_group group,                 \
                                      P##_options options)                                         \
    {                                                                                              \
        (void)options;                                                                             \
        return embdist_fp8_read_wire(row, i, group, FORMAT);                                       \
    }                                                                                              \
    static inline void P##_write_wire(char *row, int64_t i, float value, P##_group group,          \
                                      uint32_t random, P##_options options)                        \
    {                                                                                              \
        embdist_fp8_write_wire(row, i, value, group, random, options, FORMAT);                     \
    }                                                                                              \
    static inline float P##_round(float value, P##_group group, uint32_t random,                   \
                                  P##_options options)                                             \
    {                                                                                              \
        return embdist_fp8_round(value, group, random, options, FORMAT);                           \
    }                                                                                              \
    static inline int P##_saturates(float value, P##_group group, P##_options options)             \
    {                                                                                              \
        return embdist_fp8_saturates(value, group, options);                                       \
    }

#if EMBDIST_X86
#define EMBDIST_FP8_CODEC(P, FORMAT)                                                               \
    EMBDIST_FP8_SCALAR(P, FORMAT)                                                                  \
    EMBDIST_FP8_VECTOR(P, FORMAT, avx2, EMBDIST_AVX2, __m256, __m256i)                             \
    EMBDIST_FP8_VECTOR(P, FORMAT, avx512, EMBDIST_AVX512, __m512, __m512i)
#else
#define EMBDIST_FP8_CODEC(P, FORMAT) EMBDIST_FP8_SCALAR(P, FORMAT)
#endif

#define EMBDIST_FP8_VECTOR(P, FORMAT, isa, ISA, vector, integers)                                  \
    typedef embdist_fp8_seen_##isa P##_seen_##isa;                                                 \
    ISA P##_seen_##isa P##_nothing_##isa(void)                                                     \
    {                                                                                              \
        return embdist_fp8_nothing_##isa();                                                        \
    }                                                                                              \
    ISA P##_seen_##isa P##_see_##isa(P##_seen_##isa seen, vector value)                            \
    {                                                                                              \
        return embdist_fp8_see_##isa(seen, value);                                                 \
    }                                                                                              \
    ISA P##_seen_##isa P##_see_part_##isa(P##_seen_##isa seen, vector value, int64_t count)        \
    {                                                                                              \
        return embdist_fp8_see_part_##isa(seen, value, count);                                     \
    }                                                                                              \
    ISA P##_seen P##_reduce_##isa(P##_seen_##isa seen)                                             \
    {                                                                                              \
        return embdist_fp8_reduce_##isa(seen);                                                     \
    }                                                                                              \
    ISA vector P##_read_wire_##isa(const char *from, P##_group group, P##_options options)         \
    {                                                                                              \
        (void)options;                                                                             \
        return embdist_fp8_read_wire_##isa(from, group, FORMAT);                                   \
    }                                                                                              \
    ISA vector P##_read_wire_part_##isa(const char *from, int64_t count, P##_group group,          \
                                        P##_options options)                                       \
    {                                                                                              \
        (void)options;                                                                             \
        return embdist_fp8_read_wire_part_##isa(from, count, group, FORMAT);                       \
    }                                                                                              \
    ISA void P##_write_wire_##isa(char *to, vector value, P##_group group, integers random,        \
                                  P##_options options)                                             \
    {                                                                                              \
        embdist_fp8_write_wire_##isa(to, value, group, random, options, FORMAT);                   \
    }                                                                                              \
    ISA void P##_write_wire_part_##isa(char *to, vector value, int64_t count, P##_group group,     \
                                       integers random, P##_options options)                       \
    {                                                                                              \
        embdist_fp8_write_wire_part_##isa(to, value, count, group, random, options, FORMAT);       \
    }                                                                                              \
    ISA vector P##_round_##isa(vector value, P##_group group, integers random,                     \
                               P##_options options)                                                \
    {                                                                                              \
        return embdist_fp8_round_##isa(value, group, random, options, FORMAT);                     \
    }

#endif
