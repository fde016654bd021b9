/* group_codecs.h: the codecs of groups as tables of functions, one table for each set of options
 * that changes code, so that one text tests them all; and rows, random numbers and memory to test
 * them with. */
#ifndef EMBDIST_TESTS_GROUP_CODECS_H
#define EMBDIST_TESTS_GROUP_CODECS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* A P_group of any codec. */
struct scale {
    double content[8];
};

/* The functions of one instruction set. `count` values, which begin with an even element of a row;
 * random numbers one a value. */
struct group_functions {
    void (*look)(struct scale *scale, const float *values, int64_t count);
    void (*write)(char *to, const float *values, int64_t count, const struct scale *scale,
                  const uint32_t *random);
    void (*read)(float *values, const char *from, int64_t count, const struct scale *scale);
    void (*round)(float *rounded, const float *values, int64_t count, const struct scale *scale,
                  const uint32_t *random);
};

enum kind { INT8, E4M3, E5M2, MX4, KINDS };
enum scale_rounding { EVEN, FLOOR, CEIL, NEAREST };

struct group_codec {
    const char *name;
    enum kind kind;
    int stochastic;
    int propagate;
    enum scale_rounding scale_rounding; /* mx4 */
    int element_bits;
    int group_bytes;
    void (*put)(char *at, const struct scale *scale);
    void (*get)(struct scale *scale, const char *at);
    int (*saturates)(float value, const struct scale *scale);
    struct group_functions by[TAP_ISAS];
};

enum { GROUP_CODECS = 16 };
extern const struct group_codec group_codecs[GROUP_CODECS];
extern const char *const isa_names[TAP_ISAS];

/* The codec of a kind with its default options, but for the way of rounding. */
const struct group_codec *codec_of(enum kind kind, int stochastic);

/* ---- rows: groups of `group` values and a last one that may be short */

enum { DIM_MOST = 255, ROW_BYTES_MOST = DIM_MOST + 8 * DIM_MOST };

int64_t payload_bytes(const struct group_codec *codec, int64_t dim);
int64_t row_bytes(const struct group_codec *codec, int64_t dim, int64_t group);
void encode_row(const struct group_codec *codec, int isa, char *row, const float *values,
                int64_t dim, int64_t group, const uint32_t *random);
void decode_row(const struct group_codec *codec, int isa, float *values, const char *row,
                int64_t dim, int64_t group);
void round_row(const struct group_codec *codec, int isa, float *rounded, const float *values,
               int64_t dim, int64_t group, const uint32_t *random);

/* One group through the wire: encoded, and decoded with the scale that arrived. */
void pass(const struct group_codec *codec, int isa, float *decoded, const float *values,
          int64_t count, const uint32_t *random);

/* ---- numbers */

/* 64 random bits; the same in every run. */
uint64_t random_bits(void);
void random_seed(uint64_t seed);
/* From 0 up to but not `below`. */
int64_t pick(int64_t below);

/* A row of one of VALUE_KINDS kinds. Kinds from FINITE_KINDS on may hold NaN and infinities. */
enum { FINITE_KINDS = 14, VALUE_KINDS = 18 };
void make_values(float *values, int64_t count, int kind);

static inline uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The same bits, or two NaNs. */
static inline int same(float a, float b)
{
    return bits_of(a) == bits_of(b) || (isnan(a) && isnan(b));
}

/* The same, where the sign of a zero says nothing. */
static inline int equal(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* `all` runs of a check, or an eighth of them where EMBDIST_TEST_SMALL asks for less. */
int64_t runs(int64_t all);

/* ---- memory that ends before a page that cannot be touched */

enum { GUARDED = 1 << 16 };
/* The end of GUARDED bytes. */
char *guarded_end(void);

/* Two lines of the value that was wrong, for the first few wrong ones. */
enum { TOLD = 3 };

#endif
