/* group.h: what the codecs of groups share. `group` neighbouring values of a row have a scale of
 * their own; the last group of a row may be short. A wire row is the codes of all its values, then
 * the scales of its groups.
 *
 * A codec header P gives, for the templates (int8.h is an example):
 *
 *   P_options                           the options that change code; has `int stochastic`
 *   P_seen                              what a look at a group's values has found so far
 *   P_group                             the scale of a group: enough to encode and to decode
 *   P_nothing()                         a P_seen before the first value
 *   P_see(seen, value)                  one value more
 *   P_settle(seen, options)             the group's scale
 *   P_put_group(at, group, options)     the scale, to the wire
 *   P_get_group(at, options)            a scale from the wire: enough to decode
 *   P_read_wire(row, i, group, options) element i of a wire row, decoded
 *   P_write_wire(row, i, value, group, random, options)
 *                                       value, encoded, to element i of a wire row; elements are
 *                                       written in order
 *   P_round(value, group, random, options)
 *                                       decode(encode(value))
 *   P_saturates(value, group, options)  whether the code of a value that is no NaN is the nearest
 *                                       only because there is no larger one; infinities too
 *
 * and, for each instruction set I (see vector.h for the words), sharing no code with those but
 * P_settle, P_put_group and P_get_group:
 *
 *   P_seen_I, P_nothing_I()
 *   P_see_I(seen, value)                LANES values
 *   P_see_part_I(seen, value, count)    the first `count` of them
 *   P_reduce_I(seen)                    the lanes brought together: a P_seen
 *   P_read_wire_I(from, group, options)
 *   P_read_wire_part_I(from, count, group, options)
 *   P_write_wire_I(to, value, group, random, options)
 *   P_write_wire_part_I(to, value, count, group, random, options)
 *   P_round_I(value, group, random, options)
 *
 * `random` is 32 bits for each value, used where options.stochastic. `from` and `to` are where the
 * code of the first of the values lies. Codes of fewer bits than a byte: an even element is the
 * lower half of its byte, vectors begin with even elements, and a byte's unused half is 0. */
#ifndef EMBDIST_INLINE_GROUP_H
#define EMBDIST_INLINE_GROUP_H

#include "random.h"

#if EMBDIST_X86

/* ---- AVX2: eight codes of a byte each, the lower bytes of eight integers from 0 to 255 */

EMBDIST_AVX2 __m128i embdist_bytes_pack_avx2(__m256i codes)
{
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1));
    return _mm_packus_epi16(words, words);
}

EMBDIST_AVX2 void embdist_bytes_write_avx2(char *to, __m256i codes)
{
    _mm_storel_epi64((__m128i *)(void *)to, embdist_bytes_pack_avx2(codes));
}

EMBDIST_AVX2 void embdist_bytes_write_part_avx2(char *to, __m256i codes, int64_t count)
{
    char bytes[8];
    int64_t at = 0; /* in pieces of constant size: no call */
    embdist_bytes_write_avx2(bytes, codes);
    if (count & 4) {
        memcpy(to, bytes, 4);
        at = 4;
    }
    if (count & 2) {
        memcpy(to + at, bytes + at, 2);
        at += 2;
    }
    if (count & 1) {
        to[at] = bytes[at];
    }
}

/* The bytes, in the lower half. */
EMBDIST_AVX2 __m128i embdist_bytes_read_avx2(const char *from)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)from);
}

EMBDIST_AVX2 __m128i embdist_bytes_read_part_avx2(const char *from, int64_t count)
{
    char bytes[8] = {0};
    int64_t at = 0;
    if (count & 4) {
        memcpy(bytes, from, 4);
        at = 4;
    }
    if (count & 2) {
        memcpy(bytes + at, from + at, 2);
        at += 2;
    }
    if (count & 1) {
        bytes[at] = from[at];
    }
    return embdist_bytes_read_avx2(bytes);
}

#endif

#endif
