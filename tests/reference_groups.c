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

/* P_row: every group of a row is seen, settled and rounded. */
#define ROW(P)                                                                                     \
    static void P##_row(const reference_codec *codec, P##_options options, float *to,              \
                        const float *from, int64_t dim, int64_t sender, int64_t place)             \
    {                                                                                              \
        int64_t first, i, size = codec->group != 0 ? codec->group : dim;                           \
        for (first = 0; first < dim; first += size) {                                              \
            P##_seen seen = P##_nothing();                                                         \
            P##_group group;                                                                       \
            for (i = first; i < dim && i < first + size; i++)                                      \
                seen = P##_see(seen, from[i]);                                                     \
            group = P##_settle(seen, options);                                                     \
            for (i = first; i < dim && i < first + size; i++)                                      \
                to[i] = P##_round(from[i], group, bits_of(codec, sender, place, i), options);      \
        }                                                                                          \
    }

ROW(embdist_int8)
ROW(embdist_fp8_e4m3)
ROW(embdist_fp8_e5m2)
ROW(embdist_mx4)

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

void reference_groups_row(const reference_codec *codec, float *to, const float *from, int64_t dim,
                          int64_t sender, int64_t place)
{
    embdist_int8_options int8 = {.stochastic = codec->stochastic};
    embdist_fp8_options fp8 = {.stochastic = codec->stochastic, .propagate = codec->propagate};
    embdist_mx4_options mx4 = {.stochastic = codec->stochastic,
                               .scale_rounding = codec->scale_rounding};
    switch (codec->format) {
    case REFERENCE_INT8:
        embdist_int8_row(codec, int8, to, from, dim, sender, place);
        break;
    case REFERENCE_FP8_E4M3:
        embdist_fp8_e4m3_row(codec, fp8, to, from, dim, sender, place);
        break;
    case REFERENCE_FP8_E5M2:
        embdist_fp8_e5m2_row(codec, fp8, to, from, dim, sender, place);
        break;
    default:
        embdist_mx4_row(codec, mx4, to, from, dim, sender, place);
        break;
    }
}
