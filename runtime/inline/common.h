/* common.h: what every codelet and every codec header shares: the work of a call, the ban on
 * inexact arithmetic, and the names of the instruction sets. Codec headers include it; it includes
 * nothing of ours. */
#ifndef EMBDIST_INLINE_COMMON_H
#define EMBDIST_INLINE_COMMON_H

#include <stdint.h>
#include <string.h>

#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "embdist's codelets need IEEE arithmetic: compile them without -ffast-math and its parts"
#endif

/* The x87 keeps sums in more than fp32: other bits. */
#if defined(__FLT_EVAL_METHOD__) && (__FLT_EVAL_METHOD__ == 1 || __FLT_EVAL_METHOD__ == 2)
#error "embdist's codelets need fp32 sums: compile them with -msse2 -mfpmath=sse on this CPU"
#endif

/* A fused multiply-add rounds once where two operations round twice: other bits. gcc contracts even
 * intrinsics. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif

/* What scalar and vector functions share is inlined into both: compiled by itself, it would be called
 * from code for another instruction set. */
#if defined(__GNUC__) || defined(__clang__)
#define EMBDIST_SHARED static inline __attribute__((always_inline))
#else
#define EMBDIST_SHARED static inline
#endif

/* What an inspection of rows has found so far; zero before the first. */
typedef struct embdist_inspection {
    int64_t rows;      /* that hold a NaN or an infinity */
    int64_t nans;      /* values */
    int64_t saturated; /* values that the codec replaces by the largest it has, infinities too */
    int64_t refused;   /* values that nonfinite = "fail" refuses */
    int64_t row;       /* of the first of these: rows before it in the work, all blocks counted */
    int64_t column;    /* and its place in the row */
    float value;
} embdist_inspection;

/* The work of one codelet call. A row is one embedding vector: DIM values of the dist's dtype in the
 * caller's memory, or its wire bytes. Rows come in blocks of adjacent rows; blocks are a step apart
 * on each side. What an op reads:
 *
 *   op                         source        sources                starts   index  steps  divisor
 *   pack_runs                  caller's rows -                      -        -      yes    -
 *   pack_transposed            -             caller's row addresses or NULL  -      -      -
 *   unpack_runs (wire|rows)    rows          -                      -        -      yes    yes
 *   unpack_gather (wire|rows)  -             received row addresses -        yes    -      -
 *   unpack_sum (wire|rows)     -             first row by rank      -        -      yes    yes
 *   unpack_transposed (rows)   -             caller's row addresses or NULL  -      -      yes
 *
 * The target is wire rows for pack and the caller's rows for unpack; the pack ops' inspect has none
 * and adds to `inspection`. Ops without steps write `rows` adjacent rows. Addresses are aligned to
 * their element type only: 2 or 4 bytes for the caller's rows, 1 for wire rows.
 *
 * Codecs of groups need `scratch`. Those that round stochastically need random numbers wherever they
 * encode (pack) or round (the sides "rows"): see random.h for keys. */
typedef struct embdist_work {
    void *target;
    const void *source;
    const void *const *sources; /* sum: [ranks]; else one address a row */
    const int64_t *starts;      /* [rows + 1]: row i is the fp32 sum, in order, of the rows at
                              sources[starts[i]] up to but not sources[starts[i + 1]], and +0 where
                              there is none. NULL: row i is the one at sources[i] */
    const void *index; /* [rows] of the spec's index type: row i comes from received row index[i] */
    int64_t blocks;
    int64_t rows;        /* of a block */
    int64_t source_step; /* bytes from a block to the next; for unpack_sum the same in every rank's
                            rows */
    int64_t target_step;
    int64_t ranks;
    float divisor; /* each value is divided by it in fp32, last; 1: not */
    int stream;    /* non-zero: the target is larger than the cache, write past it (non-temporal
                      stores) */

    float *scratch;       /* [DIM], aligned to a cache line */
    uint64_t key;         /* of the rank whose rows these are */
    const uint64_t *keys; /* unpack_sum: that of each rank, [ranks]; unpack_gather: that of each
                             received row */
    int64_t place;        /* of the first row on the wire of the rank that encodes it, in bytes, */
    int64_t place_step;   /* and from a block's first row to the next's */
    embdist_inspection *inspection;
} embdist_work;

typedef void (*embdist_codelet_function)(const embdist_work *work);

/* Whether vector versions are compiled: x86-64 with a compiler that knows target attributes. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define EMBDIST_X86 1
#else
#define EMBDIST_X86 0
#endif

/* The finalizer of MurmurHash3: every input bit changes half of the output bits. */
static inline uint64_t embdist_mix(uint64_t x)
{
    x = (x ^ (x >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ (x >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* Neighbouring numbers are spread by the golden ratio before they are mixed. */
#define EMBDIST_MIX_STEP UINT64_C(0x9e3779b97f4a7c15)

/* Adds a value of a row to an inspection: NaN and infinities are refused, and others where `refused`
 * says so. Returns whether the value is a NaN or an infinity. */
static inline int embdist_inspect(embdist_inspection *inspection, int64_t row, int64_t column,
                                  float value, int saturates, int refused)
{
    const int nonfinite = !(value - value == 0.0F);
    inspection->nans += value != value;
    inspection->saturated += saturates != 0;
    if ((nonfinite || refused) && inspection->refused++ == 0) {
        inspection->row = row;
        inspection->column = column;
        inspection->value = value;
    }
    return nonfinite;
}

#endif
