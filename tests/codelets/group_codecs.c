/* group_codecs.c: see group_codecs.h. */
#define _DEFAULT_SOURCE
#include "group_codecs.h"

#include <float.h>
#include <sys/mman.h>
#include <unistd.h>

#include <inline/fp8_e4m3.h>
#include <inline/fp8_e5m2.h>
#include <inline/int8.h>
#include <inline/mx4.h>

/* ---- the tables. Options are constants, as in codelets. */

#define SCALAR(id, P)                                                                              \
    static void id##_look(struct scale *scale, const float *values, int64_t count)                 \
    {                                                                                              \
        P##_seen seen = P##_nothing();                                                             \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            seen = P##_see(seen, values[i]);                                                       \
        }                                                                                          \
        const P##_group group = P##_settle(seen, id##_options);                                    \
        memcpy(scale, &group, sizeof group);                                                       \
    }                                                                                              \
    static void id##_write(char *to, const float *values, int64_t count,                           \
                           const struct scale *scale, const uint32_t *random)                      \
    {                                                                                              \
        P##_group group;                                                                           \
        memcpy(&group, scale, sizeof group);                                                       \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            P##_write_wire(to, i, values[i], group, random[i], id##_options);                      \
        }                                                                                          \
    }                                                                                              \
    static void id##_read(float *values, const char *from, int64_t count,                          \
                          const struct scale *scale)                                               \
    {                                                                                              \
        P##_group group;                                                                           \
        memcpy(&group, scale, sizeof group);                                                       \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            values[i] = P##_read_wire(from, i, group, id##_options);                               \
        }                                                                                          \
    }                                                                                              \
    static void id##_round(float *rounded, const float *values, int64_t count,                     \
                           const struct scale *scale, const uint32_t *random)                      \
    {                                                                                              \
        P##_group group;                                                                           \
        memcpy(&group, scale, sizeof group);                                                       \
        for (int64_t i = 0; i < count; ++i) {                                                      \
            rounded[i] = P##_round(values[i], group, random[i], id##_options);                     \
        }                                                                                          \
    }                                                                                              \
    static void id##_put(char *at, const struct scale *scale)                                      \
    {                                                                                              \
        P##_group group;                                                                           \
        memcpy(&group, scale, sizeof group);                                                       \
        P##_put_group(at, group, id##_options);                                                    \
    }                                                                                              \
    static void id##_get(struct scale *scale, const char *at)                                      \
    {                                                                                              \
        const P##_group group = P##_get_group(at, id##_options);                                   \
        memcpy(scale, &group, sizeof group);                                                       \
    }                                                                                              \
    static int id##_saturates(float value, const struct scale *scale)                              \
    {                                                                                              \
        P##_group group;                                                                           \
        memcpy(&group, scale, sizeof group);                                                       \
        return P##_saturates(value, group, id##_options);                                          \
    }                                                                                              \
    _Static_assert(sizeof(P##_group) <= sizeof(struct scale), "a scale has no room for a group");

#if EMBDIST_X86
enum { LANES_avx2 = 8, LANES_avx512 = 16 };
#define VALUES_avx2 __m256
#define VALUES_avx512 __m512
#define BITS_avx2 __m256i
#define BITS_avx512 __m512i

EMBDIST_AVX2 __m256i read_bits_avx2(const uint32_t *random)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)random);
}

EMBDIST_AVX2 __m256i read_bits_part_avx2(const uint32_t *random, int64_t count)
{
    return _mm256_maskload_epi32((const int *)(const void *)random, embdist_mask_avx2(count));
}

EMBDIST_AVX512 __m512i read_bits_avx512(const uint32_t *random)
{
    return _mm512_loadu_si512(random);
}

EMBDIST_AVX512 __m512i read_bits_part_avx512(const uint32_t *random, int64_t count)
{
    return _mm512_maskz_loadu_epi32(embdist_mask_avx512(count), random);
}

#define VECTOR(id, P, width, isa, ISA)                                                             \
    EMBDIST_##ISA##_CODELET void id##_look_##isa(struct scale *scale, const float *values,         \
                                                 int64_t count)                                    \
    {                                                                                              \
        const char *from = (const char *)values;                                                   \
        P##_seen_##isa seen = P##_nothing_##isa();                                                 \
        int64_t i = 0;                                                                             \
        for (; i + LANES_##isa <= count; i += LANES_##isa) {                                       \
            seen = P##_see_##isa(seen, embdist_read_##isa(from + 4 * i));                          \
        }                                                                                          \
        if (i < count) {                                                                           \
            const VALUES_##isa rest = embdist_read_part_##isa(from + 4 * i, count - i);            \
            seen = P##_see_part_##isa(seen, rest, count - i);                                      \
        }                                                                                          \
        const P##_group group = P##_settle(P##_reduce_##isa(seen), id##_options);                  \
        memcpy(scale, &group, sizeof group);                                                       \
    }                                                                                              \
    EMBDIST_##ISA##_CODELET void id##_write_##isa(char *to, const float *values, int64_t count,    \
                                                  const struct scale *scale,                       \
                                                  const uint32_t *random)                          \
    {                                                                                              \
        const char *from = (const char *)values;                                                   \
        P##_group group;                                                                           \
        int64_t i = 0;                                                                             \
        memcpy(&group, scale, sizeof group);                                                       \
        for (; i + LANES_##isa <= count; i += LANES_##isa) {                                       \
            const VALUES_##isa value = embdist_read_##isa(from + 4 * i);                           \
            const BITS_##isa bits = read_bits_##isa(random + i);                                   \
            P##_write_wire_##isa(to + i * width / 8, value, group, bits, id##_options);            \
        }                                                                                          \
        if (i < count) {                                                                           \
            const VALUES_##isa rest = embdist_read_part_##isa(from + 4 * i, count - i);            \
            const BITS_##isa bits = read_bits_part_##isa(random + i, count - i);                   \
            char *at = to + i * width / 8;                                                         \
            P##_write_wire_part_##isa(at, rest, count - i, group, bits, id##_options);             \
        }                                                                                          \
    }                                                                                              \
    EMBDIST_##ISA##_CODELET void id##_read_##isa(float *values, const char *from, int64_t count,   \
                                                 const struct scale *scale)                        \
    {                                                                                              \
        char *to = (char *)values;                                                                 \
        P##_group group;                                                                           \
        int64_t i = 0;                                                                             \
        memcpy(&group, scale, sizeof group);                                                       \
        for (; i + LANES_##isa <= count; i += LANES_##isa) {                                       \
            const char *at = from + i * width / 8;                                                 \
            const VALUES_##isa value = P##_read_wire_##isa(at, group, id##_options);               \
            embdist_write_##isa(to + 4 * i, value, EMBDIST_CACHED);                                \
        }                                                                                          \
        if (i < count) {                                                                           \
            const char *at = from + i * width / 8;                                                 \
            const VALUES_##isa rest =                                                              \
                P##_read_wire_part_##isa(at, count - i, group, id##_options);                      \
            embdist_write_part_##isa(to + 4 * i, rest, count - i, EMBDIST_CACHED);                 \
        }                                                                                          \
    }                                                                                              \
    EMBDIST_##ISA##_CODELET void id##_round_##isa(float *rounded, const float *values,             \
                                                  int64_t count, const struct scale *scale,        \
                                                  const uint32_t *random)                          \
    {                                                                                              \
        const char *from = (const char *)values;                                                   \
        char *to = (char *)rounded;                                                                \
        P##_group group;                                                                           \
        int64_t i = 0;                                                                             \
        memcpy(&group, scale, sizeof group);                                                       \
        for (; i + LANES_##isa <= count; i += LANES_##isa) {                                       \
            const BITS_##isa bits = read_bits_##isa(random + i);                                   \
            VALUES_##isa value = embdist_read_##isa(from + 4 * i);                                 \
            value = P##_round_##isa(value, group, bits, id##_options);                             \
            embdist_write_##isa(to + 4 * i, value, EMBDIST_CACHED);                                \
        }                                                                                          \
        if (i < count) {                                                                           \
            const BITS_##isa bits = read_bits_part_##isa(random + i, count - i);                   \
            VALUES_##isa rest = embdist_read_part_##isa(from + 4 * i, count - i);                  \
            rest = P##_round_##isa(rest, group, bits, id##_options);                               \
            embdist_write_part_##isa(to + 4 * i, rest, count - i, EMBDIST_CACHED);                 \
        }                                                                                          \
    }

#define VECTORS(id, P, width) VECTOR(id, P, width, avx2, AVX2) VECTOR(id, P, width, avx512, AVX512)
#define TABLE(id, isa)                                                                             \
    {                                                                                              \
        id##_look_##isa, id##_write_##isa, id##_read_##isa, id##_round_##isa                       \
    }
#else
#define VECTORS(id, P, width)
#define TABLE(id, isa)                                                                             \
    {                                                                                              \
        NULL, NULL, NULL, NULL                                                                     \
    }
#endif

#define CODEC(id, P, width, ...)                                                                   \
    static const P##_options id##_options = __VA_ARGS__;                                           \
    SCALAR(id, P)                                                                                  \
    VECTORS(id, P, width)
#define FUNCTIONS(id)                                                                              \
    .put = id##_put, .get = id##_get, .saturates = id##_saturates,                                 \
    .by = {{id##_look, id##_write, id##_read, id##_round}, TABLE(id, avx2), TABLE(id, avx512)}

/* clang-format off: tables */
CODEC(int8, embdist_int8, 8, {.stochastic = 0})
CODEC(int8_sr, embdist_int8, 8, {.stochastic = 1})
CODEC(e4m3, embdist_fp8_e4m3, 8, {.stochastic = 0})
CODEC(e4m3_sr, embdist_fp8_e4m3, 8, {.stochastic = 1})
CODEC(e5m2, embdist_fp8_e5m2, 8, {.stochastic = 0})
CODEC(e5m2_sr, embdist_fp8_e5m2, 8, {.stochastic = 1})
CODEC(e5m2_propagate, embdist_fp8_e5m2, 8, {.stochastic = 0, .propagate = 1})
CODEC(e5m2_propagate_sr, embdist_fp8_e5m2, 8, {.stochastic = 1, .propagate = 1})
CODEC(mx4, embdist_mx4, 4, {.stochastic = 0})
CODEC(mx4_sr, embdist_mx4, 4, {.stochastic = 1})
CODEC(mx4_floor, embdist_mx4, 4, {.stochastic = 0, .scale_rounding = EMBDIST_MX4_FLOOR})
CODEC(mx4_floor_sr, embdist_mx4, 4, {.stochastic = 1, .scale_rounding = EMBDIST_MX4_FLOOR})
CODEC(mx4_ceil, embdist_mx4, 4, {.stochastic = 0, .scale_rounding = EMBDIST_MX4_CEIL})
CODEC(mx4_ceil_sr, embdist_mx4, 4, {.stochastic = 1, .scale_rounding = EMBDIST_MX4_CEIL})
CODEC(mx4_nearest, embdist_mx4, 4, {.stochastic = 0, .scale_rounding = EMBDIST_MX4_NEAREST})
CODEC(mx4_nearest_sr, embdist_mx4, 4, {.stochastic = 1, .scale_rounding = EMBDIST_MX4_NEAREST})

const struct group_codec group_codecs[GROUP_CODECS] = {
    {"int8", INT8, 0, 0, EVEN, 8, 8, FUNCTIONS(int8)},
    {"int8 stochastic", INT8, 1, 0, EVEN, 8, 8, FUNCTIONS(int8_sr)},
    {"fp8_e4m3", E4M3, 0, 0, EVEN, 8, 4, FUNCTIONS(e4m3)},
    {"fp8_e4m3 stochastic", E4M3, 1, 0, EVEN, 8, 4, FUNCTIONS(e4m3_sr)},
    {"fp8_e5m2", E5M2, 0, 0, EVEN, 8, 4, FUNCTIONS(e5m2)},
    {"fp8_e5m2 stochastic", E5M2, 1, 0, EVEN, 8, 4, FUNCTIONS(e5m2_sr)},
    {"fp8_e5m2 propagate", E5M2, 0, 1, EVEN, 8, 4, FUNCTIONS(e5m2_propagate)},
    {"fp8_e5m2 propagate stochastic", E5M2, 1, 1, EVEN, 8, 4, FUNCTIONS(e5m2_propagate_sr)},
    {"mx4", MX4, 0, 0, EVEN, 4, 1, FUNCTIONS(mx4)},
    {"mx4 stochastic", MX4, 1, 0, EVEN, 4, 1, FUNCTIONS(mx4_sr)},
    {"mx4 floor", MX4, 0, 0, FLOOR, 4, 1, FUNCTIONS(mx4_floor)},
    {"mx4 floor stochastic", MX4, 1, 0, FLOOR, 4, 1, FUNCTIONS(mx4_floor_sr)},
    {"mx4 ceil", MX4, 0, 0, CEIL, 4, 1, FUNCTIONS(mx4_ceil)},
    {"mx4 ceil stochastic", MX4, 1, 0, CEIL, 4, 1, FUNCTIONS(mx4_ceil_sr)},
    {"mx4 nearest", MX4, 0, 0, NEAREST, 4, 1, FUNCTIONS(mx4_nearest)},
    {"mx4 nearest stochastic", MX4, 1, 0, NEAREST, 4, 1, FUNCTIONS(mx4_nearest_sr)},
};
/* clang-format on */
const char *const isa_names[TAP_ISAS] = {"scalar", "AVX2", "AVX-512"};

const struct group_codec *codec_of(enum kind kind, int stochastic)
{
    const struct group_codec *codec = group_codecs;
    while (codec->kind != kind || codec->stochastic != stochastic) {
        ++codec;
    }
    return codec;
}

/* ---- rows */

int64_t payload_bytes(const struct group_codec *codec, int64_t dim)
{
    return (dim * codec->element_bits + 7) / 8;
}

int64_t row_bytes(const struct group_codec *codec, int64_t dim, int64_t group)
{
    return payload_bytes(codec, dim) + (dim + group - 1) / group * codec->group_bytes;
}

void encode_row(const struct group_codec *codec, int isa, char *row, const float *values,
                int64_t dim, int64_t group, const uint32_t *random)
{
    char *at = row + payload_bytes(codec, dim);
    for (int64_t i = 0; i < dim; i += group) {
        const int64_t count = dim - i < group ? dim - i : group;
        char *to = row + i * codec->element_bits / 8;
        struct scale scale;
        codec->by[isa].look(&scale, values + i, count);
        codec->by[isa].write(to, values + i, count, &scale, random + i);
        codec->put(at, &scale);
        at += codec->group_bytes;
    }
}

void decode_row(const struct group_codec *codec, int isa, float *values, const char *row,
                int64_t dim, int64_t group)
{
    const char *at = row + payload_bytes(codec, dim);
    for (int64_t i = 0; i < dim; i += group) {
        const int64_t count = dim - i < group ? dim - i : group;
        const char *from = row + i * codec->element_bits / 8;
        struct scale scale;
        codec->get(&scale, at);
        codec->by[isa].read(values + i, from, count, &scale);
        at += codec->group_bytes;
    }
}

void round_row(const struct group_codec *codec, int isa, float *rounded, const float *values,
               int64_t dim, int64_t group, const uint32_t *random)
{
    for (int64_t i = 0; i < dim; i += group) {
        const int64_t count = dim - i < group ? dim - i : group;
        struct scale scale;
        codec->by[isa].look(&scale, values + i, count);
        codec->by[isa].round(rounded + i, values + i, count, &scale, random + i);
    }
}

void pass(const struct group_codec *codec, int isa, float *decoded, const float *values,
          int64_t count, const uint32_t *random)
{
    static char row[ROW_BYTES_MOST];
    encode_row(codec, isa, row, values, count, count, random);
    decode_row(codec, isa, decoded, row, count, count);
}

/* ---- numbers */

static uint64_t random_state = 1;

void random_seed(uint64_t seed)
{
    random_state = seed;
}

/* Not the generator of the codelets: that is tested too. */
uint64_t random_bits(void)
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

int64_t pick(int64_t below)
{
    return (int64_t)((random_bits() >> 1) % (uint64_t)below);
}

/* Of any magnitude: sign, mantissa and an exponent from `low` to `high` at random. */
static float of_magnitude(int low, int high)
{
    const float mantissa = 1.0F + (float)pick(1 << 23) * 0x1p-23F;
    const float value = ldexpf(mantissa, low + (int)pick(high - low + 1));
    return pick(2) ? value : -value;
}

/* About normally distributed. */
static float of_normal(void)
{
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
        sum += (float)(pick(1 << 22) - (1 << 21)) * 0x1p-21F;
    }
    return sum;
}

static float special(int nonfinite)
{
    static const uint32_t FINITE[] = {0,          0x80000000, 1,          0x80000001, 0x007fffff,
                                      0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f800000,
                                      0x7e800000, 0xfe800000, 0x00ffffff, 0x43e00000, 0x47600000};
    static const uint32_t NONFINITE[] = {0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001,
                                         0x7f800001, 0x7fffffff, 0xffffffff};
    return float_of(nonfinite ? NONFINITE[pick(sizeof NONFINITE / sizeof NONFINITE[0])]
                              : FINITE[pick(sizeof FINITE / sizeof FINITE[0])]);
}

/* A largest value that the rules for scales find awkward: about a power of two, the middle between
 * two (as exponents are rounded), or the largest value of a format, times a power of two. */
static float awkward_largest(void)
{
    static const float NAMED[] = {1.0F, 1.5F, 1.75F, 0x1.6a09e6p0F, 448.0F, 57344.0F, 6.0F, 255.0F};
    const float value = pick(8) ? ldexpf(NAMED[pick(8)], (int)pick(230) - 125)
                                : ldexpf(NAMED[pick(4)], (int)pick(4) + 124);
    return float_of(bits_of(value) + (uint32_t)pick(9) - 4);
}

void make_values(float *values, int64_t count, int kind)
{
    const float base = of_magnitude(-100, 100);
    const float step = ldexpf(1.0F, (int)pick(60) - 40);
    const float largest = awkward_largest();
    const int low = (int)pick(240) - 149;
    const int64_t named = pick(count);
    for (int64_t i = 0; i < count; ++i) {
        switch (kind) {
        case 0: /* what embeddings look like */
        case 1:
            values[i] = of_normal();
            break;
        case 2: /* magnitudes far apart */
            values[i] = of_magnitude(-126, 127);
            break;
        case 3:
            values[i] = of_magnitude(low, low + 12);
            break;
        case 4: /* constant */
            values[i] = base;
            break;
        case 5: /* zeros */
            values[i] = pick(2) ? 0.0F : -0.0F;
            break;
        case 6: /* subnormals */
            values[i] = float_of((uint32_t)pick(1 << 23) | (uint32_t)pick(2) << 31);
            break;
        case 7: /* small integers, times a power of two: ties */
            values[i] = (float)(pick(511) - 255) * 0.5F * step;
            break;
        case 8: /* little differences, far from zero */
            values[i] = float_of(bits_of(base) + (uint32_t)pick(300));
            break;
        case 9: /* one outlier */
            values[i] = i == named ? 1000.0F : of_normal() * 0.001F;
            break;
        case 10: /* an awkward maximum */
            values[i] = i == named ? largest : largest * ((float)(pick(4097) - 2048) * 0x1p-11F);
            break;
        case 11: /* the ends of fp32 */
            values[i] = pick(4) ? of_magnitude(125, 127) : special(0);
            break;
        case 12: /* the least normal ones */
            values[i] = of_magnitude(-130, -118);
            break;
        case 13: /* zeros and little else */
            values[i] = pick(4) ? 0.0F : special(0);
            break;
        case 14: /* any bits */
            values[i] = float_of((uint32_t)random_bits());
            break;
        case 15: /* some NaN or infinity */
            values[i] = pick(16) ? of_normal() : special(1);
            break;
        case 16: /* little else */
            values[i] = special(pick(2) == 0);
            break;
        default: /* one of them */
            values[i] = i == named ? special(1) : of_magnitude(low, low + 12);
        }
    }
}

int64_t runs(int64_t all)
{
    const char *small = getenv("EMBDIST_TEST_SMALL");
    return small && *small ? (all + 7) / 8 : all;
}

/* ---- memory */

char *guarded_end(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *all =
        (char *)mmap(NULL, GUARDED + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, GUARDED, PROT_READ | PROT_WRITE) != 0) {
        printf("Bail out! no memory between guard pages\n");
        exit(1);
    }
    return all + page + GUARDED;
}
