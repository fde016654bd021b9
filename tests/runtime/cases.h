/* cases.h: one call on all ranks of a group: its batch, inputs, outputs and what the direct
 * reference (tests/reference.h) expects. Made by one thread; then each rank uses its own part. */
#ifndef EMBDIST_TESTS_CASES_H
#define EMBDIST_TESTS_CASES_H

#include "dists.h"
#include "support.h"

typedef enum permute_style {
    PERMUTE_NONE,
    PERMUTE_BIJECTION, /* each row once, not promised */
    PERMUTE_PROMISED,  /* each row once, promised */
    PERMUTE_REPEATS,   /* any rows, as many as are received; on odd ranks more */
    PERMUTE_OMITS,     /* some of the rows, none twice */
    PERMUTE_STYLES
} permute_style;

typedef struct case_shape {
    const test_dist *entry;
    int64_t world;
    embdist_mode mode;
    embdist_direction direction;
    const int64_t *batch;  /* [world] samples of each rank; even: of rank 0, for all. Per feature
                              about so many rows of a feature */
    int64_t empty_feature; /* 0, or 1 + a feature that has no rows anywhere (not even, ragged) */
    int64_t only_rank;     /* sequences: 0, or 1 + the rank to which all rows belong */
    int lengths;           /* sequences: say rows by lengths */
    permute_style permute; /* sequences */
    int64_t in_offset, out_offset; /* bytes from a multiple of 64 */
    random_kind values;
    const int64_t *owners; /* [features], of kinds whose features have owners; NULL: those of
                              choose_owners. Only cases_run opens with others */
    const uint64_t *seeds; /* [world] of calls that round stochastically; NULL: random ones */
} case_shape;

typedef struct test_case {
    case_shape shape;
    int64_t features, dim;            /* dim: of sequences */
    int64_t *dims;                    /* [features] */
    int64_t *owners;                  /* [features]; NULL: they have none */
    int64_t *held;                    /* [world] features that a rank holds */
    uint64_t *seeds;                  /* [world] */
    buffer *in, *out;                 /* [world] of the dist's dtype */
    float **expected;                 /* [world] */
    embdist_batch *batch;             /* [world] */
    embdist_sequence_batch *sequence; /* [world] */
    int64_t *counts;                  /* pooled: [world], or [world][features] */
    int64_t **rows;                   /* sequences, all by rank: [held][world] */
    int32_t **lengths;                /* [held][sum(batch)] */
    int64_t *send, *recv;             /* [world][world] */
    int64_t **permute;                /* NULL where there is none */
    void **index;                     /* permute in the spec's type */
    int64_t *output_rows;
} test_case;

test_case *case_new(const case_shape *shape, random_state *random);

/* What a rank gives to the generated function; and the call, with request NULL completed. */
test_call case_call(const test_case *made, int64_t rank);
embdist_status case_start(const test_case *made, int64_t rank, embdist_dist *dist,
                          embdist_request **request);

/* Whether a rank's output is what the reference expects; else why not, in words. */
int case_is_right(const test_case *made, int64_t rank, char *why, size_t size);

/* Forgets a rank's output. */
void case_reset(const test_case *made, int64_t rank);

void case_free(test_case *made);

/* Opens the dist of the cases, which is the same for all, on every rank in a thread of its own, and
 * makes the calls in order; returns whether all is right, and says why not. comms NULL: one rank
 * without a comm. */
int cases_run(test_case **cases, int64_t count, embdist_comm **comms, embdist_way way);

#endif
