#include "reference_groups.h"

#include <inline/fp8_e4m3.h>
#include <inline/fp8_e5m2.h>
#include <inline/int8.h>
#include <inline/mx4.h>

/* The random bits of element i, 0 for a codec that uses none. */
static uint32_t bits_of(const reference_codec *codec, int64_t sender, int64_t place, int64_t i)
{
    if (!codec->stochastic)
        return 0;
    return embdist_random(
        embdist_random_row(embdist_random_key(codec->seed[sender], sender), place), i);
}

/* Where a row passes: with `wire` to wire bytes, else to the values that they stand for. */
typedef struct passage {
    const reference_codec *codec;
    float *to;
    char *wire;
    const float *from;
    int64_t dim, sender, place;
} passage;

/* P_pass: every group of a row is seen, settled and encoded. */
#define PASS(P, bits, scale_bytes)                                                                 \
    static void P##_pass(passage row, P##_options options)                                         \
    {                                                                                              \
        int64_t first, i, size = row.codec->group != 0 ? row.codec->group : row.dim;               \
        char *scale = row.wire != NULL ? row.wire + (row.dim * (bits) + 7) / 8 : NULL;             \
        for (first = 0; first < row.dim; first += size) {                                          \
            P##_seen seen = P##_nothing();                                                         \
            P##_group group;                                                                       \
            for (i = first; i < row.dim && i < first + size; i++)                                  \
                seen = P##_see(seen, row.from[i]);                                                 \
            group = P##_settle(seen, options);                                                     \
            for (i = first; i < row.dim && i < first + size; i++) {                                \
                uint32_t random = bits_of(row.codec, row.sender, row.place, i);                    \
                if (row.wire != NULL)                                                              \
                    P##_write_wire(row.wire, i, row.from[i], group, random, options);              \
                else                                                                               \
                    row.to[i] = P##_round(row.from[i], group, random, options);                    \
            }                                                                                      \
            if (row.wire != NULL) {                                                                \
                P##_put_group(scale, group, options);                                              \
                scale += (scale_bytes);                                                            \
            }                                                                                      \
        }                                                                                          \
    }

PASS(embdist_int8, 8, 8)
PASS(embdist_fp8_e4m3, 8, 4)
PASS(embdist_fp8_e5m2, 8, 4)
PASS(embdist_mx4, 4, 1)

int64_t reference_groups_row_bytes(const reference_codec *codec, int64_t dim)
{
    int64_t groups = codec->group != 0 ? (dim + codec->group - 1) / codec->group : 1;
    switch (codec->format) {
    case REFERENCE_INT8:
        return dim + 8 * groups;
    case REFERENCE_FP8_E4M3:
    case REFERENCE_FP8_E5M2:
        return dim + 4 * groups;
    default: /* mx4 */
        return (dim + 1) / 2 + groups;
    }
}

static void pass(passage row)
{
    const reference_codec *codec = row.codec;
    embdist_int8_options int8 = {.stochastic = codec->stochastic};
    embdist_fp8_options fp8 = {.stochastic = codec->stochastic, .propagate = codec->propagate};
    embdist_mx4_options mx4 = {.stochastic = codec->stochastic,
                               .scale_rounding = codec->scale_rounding};
    switch (codec->format) {
    case REFERENCE_INT8:
        embdist_int8_pass(row, int8);
        break;
    case REFERENCE_FP8_E4M3:
        embdist_fp8_e4m3_pass(row, fp8);
        break;
    case REFERENCE_FP8_E5M2:
        embdist_fp8_e5m2_pass(row, fp8);
        break;
    default:
        embdist_mx4_pass(row, mx4);
        break;
    }
}

void reference_groups_row(const reference_codec *codec, float *to, const float *from, int64_t dim,
                          int64_t sender, int64_t place)
{
    pass((passage){codec, to, NULL, from, dim, sender, place});
}

void reference_wire_row(const reference_codec *codec, char *to, const float *from, int64_t dim,
                        int64_t sender, int64_t place)
{
    pass((passage){codec, NULL, to, from, dim, sender, place});
}
