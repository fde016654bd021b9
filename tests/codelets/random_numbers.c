/* random_numbers.c: the random numbers of stochastic rounding are uniform and independent, along
 * the elements of a row and from row to row, rank to rank and seed to seed, and the vector
 * functions give the scalar one's.
 *
 * Compiled alone, with -I of runtime/ and -lm. */
#include <math.h>
#include <stdlib.h>

#include <inline/random.h>

#include "tap.h"

enum { NUMBERS = 1 << 20 };

/* ---- sequences: number n of each */

static uint32_t along_row(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key(0, 0), 0), n);
}

/* Rows of 16 elements. */
static uint32_t by_rows(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key(1, 3), n / 16), n % 16);
}

static uint32_t along_rows(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key(0, 0), n), 0);
}

/* The same with another element, beyond 2^31 rows. */
static uint32_t along_late_rows(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key(5, 1), (INT64_C(1) << 33) + n), 77);
}

static uint32_t along_ranks(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key(0, n), 0), 0);
}

static uint32_t along_seeds(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key((uint64_t)n, 0), 0), 0);
}

/* Seeds that differ in their upper bits only. */
static uint32_t along_high_seeds(int64_t n)
{
    return embdist_random(embdist_random_row(embdist_random_key((uint64_t)n << 44, 2), 9), 1);
}

static const struct sequence {
    const char *name;
    uint32_t (*number)(int64_t n);
} SEQUENCES[] = {
    {"elements of a row", along_row},
    {"rows of 16 elements", by_rows},
    {"rows", along_rows},
    {"rows beyond 2^33", along_late_rows},
    {"ranks", along_ranks},
    {"seeds", along_seeds},
    {"upper bits of seeds", along_high_seeds},
};
enum { SEQUENCE_COUNT = sizeof SEQUENCES / sizeof SEQUENCES[0] };

/* Chi-square over 256 bins of each byte: 255, give or take 22.6 * 5. Less is no good sign. */
static int is_uniform(const struct sequence *sequence)
{
    static int64_t bins[4][256];
    int right = 1;
    memset(bins, 0, sizeof bins);
    for (int64_t n = 0; n < NUMBERS; ++n) {
        const uint32_t number = sequence->number(n);
        for (int byte = 0; byte < 4; ++byte) {
            ++bins[byte][number >> (8 * byte) & 255];
        }
    }
    for (int byte = 0; byte < 4; ++byte) {
        const double expected = NUMBERS / 256.0;
        double sum = 0;
        for (int bin = 0; bin < 256; ++bin) {
            const double off = (double)bins[byte][bin] - expected;
            sum += off * off / expected;
        }
        if (!(fabs(sum - 255) < 5 * 22.6)) {
            printf("# %s, byte %d: chi-square %.1f of 256 bins\n", sequence->name, byte, sum);
            right = 0;
        }
    }
    return right;
}

/* Neighbours, and those two, three, 16 and 128 apart: the correlation of the numbers, and of each
 * bit with each bit, is that of chance: 1 / sqrt(n) is its deviation, and 6 are allowed. */
static int is_independent(const struct sequence *sequence)
{
    static const int64_t APART[] = {1, 2, 3, 16, 128};
    const double allowed = 6 / sqrt(NUMBERS);
    int right = 1;
    for (int a = 0; a < 5; ++a) {
        static int64_t together[32][32];
        double sum = 0;
        memset(together, 0, sizeof together);
        for (int64_t n = 0; n < NUMBERS; ++n) {
            const uint32_t x = sequence->number(n), y = sequence->number(n + APART[a]);
            sum += ((double)x * 0x1p-32 - 0.5) * ((double)y * 0x1p-32 - 0.5) * 12;
            if (n % 8 == 0) {
                for (int bit = 0; bit < 32; ++bit) {
                    const uint32_t agree = ~(x ^ (y >> bit | y << (31 - bit) << 1));
                    for (int i = 0; i < 32; ++i) {
                        together[bit][i] += agree >> i & 1;
                    }
                }
            }
        }
        double worst = 0;
        for (int bit = 0; bit < 32; ++bit) {
            for (int i = 0; i < 32; ++i) {
                const double share = (double)together[bit][i] / (NUMBERS / 8);
                worst = fmax(worst, fabs(2 * share - 1));
            }
        }
        if (fabs(sum / NUMBERS) > allowed || worst > allowed * sqrt(8)) {
            printf("# %s, %d apart: correlation %.5f, of bits %.5f\n", sequence->name,
                   (int)APART[a], sum / NUMBERS, worst);
            right = 0;
        }
    }
    return right;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Rows, ranks and seeds have keys of their own: no two of a million are equal. */
static int are_keys_different(void)
{
    static uint64_t keys[NUMBERS];
    int64_t n = 0;
    for (int seed = 0; seed < 4; ++seed) {
        for (int rank = 0; rank < 16; ++rank) {
            const uint64_t key = embdist_random_key((uint64_t)seed, rank);
            for (int64_t row = 0; row < NUMBERS / 64; ++row) {
                keys[n++] = embdist_random_row(key, row);
            }
        }
    }
    qsort(keys, NUMBERS, sizeof keys[0], by_value);
    for (n = 1; n < NUMBERS; ++n) {
        if (keys[n] == keys[n - 1]) {
            return 0;
        }
    }
    return 1;
}

/* ---- vectors */

static void scalar(uint64_t row, int64_t i, uint32_t *to)
{
    for (int lane = 0; lane < 16; ++lane) {
        to[lane] = embdist_random(row, i + lane);
    }
}

#if EMBDIST_X86
EMBDIST_AVX2_CODELET void by_avx2(uint64_t row, int64_t i, uint32_t *to)
{
    _mm256_storeu_si256((__m256i *)(void *)to, embdist_random_avx2(row, i));
    _mm256_storeu_si256((__m256i *)(void *)(to + 8), embdist_random_avx2(row, i + 8));
}

EMBDIST_AVX512_CODELET void by_avx512(uint64_t row, int64_t i, uint32_t *to)
{
    _mm512_storeu_si512(to, embdist_random_avx512(row, i));
}
#else
#define by_avx2 scalar
#define by_avx512 scalar
#endif

static int is_same(void (*tested)(uint64_t row, int64_t i, uint32_t *to))
{
    for (int64_t n = 0; n < 200000; ++n) {
        const uint64_t row = embdist_random_row(embdist_random_key(3, n), n);
        const int64_t i = n % 2 ? n : (int64_t)(row % 3000000000U);
        uint32_t expected[16], got[16];
        scalar(row, i, expected);
        tested(row, i, got);
        if (memcmp(expected, got, sizeof got) != 0) {
            printf("# row key %llx, element %lld: other numbers\n", (unsigned long long)row,
                   (long long)i);
            return 0;
        }
    }
    return 1;
}

int main(void)
{
    char name[128];
    tap_plan(2 * SEQUENCE_COUNT + 3);
    for (int s = 0; s < SEQUENCE_COUNT; ++s) {
        snprintf(name, sizeof name, "%s: every byte is uniform", SEQUENCES[s].name);
        tap_line(is_uniform(&SEQUENCES[s]), name, NULL);
        snprintf(name, sizeof name, "%s: neighbours are independent", SEQUENCES[s].name);
        tap_line(is_independent(&SEQUENCES[s]), name, NULL);
    }
    tap_line(are_keys_different(), "no two of a million rows have one key", NULL);
    const char *why_not = tap_why_not(TAP_AVX2);
    tap_line(why_not || is_same(by_avx2), "AVX2: the scalar function's numbers", why_not);
    why_not = tap_why_not(TAP_AVX512);
    tap_line(why_not || is_same(by_avx512), "AVX-512: the scalar function's numbers", why_not);
    return tap_status();
}
