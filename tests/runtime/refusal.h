/* refusal.h: a wrong call on one rank, among right ones on the others: the rank gets a status and a
 * sentence, the others get its sentence, no byte of any output changes, and the next right call
 * works on all. */
#ifndef EMBDIST_TESTS_REFUSAL_H
#define EMBDIST_TESTS_REFUSAL_H

#include "cases.h"

enum { REFUSAL_TEXTS = 3, REFUSAL_TEXT = 160 };

/* A right call of one rank, whose every argument may be spoiled: it points to the copies here. */
typedef struct spoiled {
    test_call call;
    embdist_sequence_batch sequence;
    int64_t *counts; /* pooled: [world] or [world][features] */
    int64_t *send, *recv, *rows;
    int32_t *lengths;
    int64_t *batch_per_rank; /* beside lengths */
    void *index;             /* permute in the spec's type */
    float *values;           /* a copy of the input, for call.in */
    int64_t *permute;        /* its values */
    int64_t world, rank, features, dim, received;
    buffer *in, *out;                       /* the rank's */
    char says[REFUSAL_TEXTS][REFUSAL_TEXT]; /* what the sentence must contain */
} spoiled;

/* Adds a text that the sentence must contain. */
void says(spoiled *wrong, const char *format, ...) TEST_PRINTF(2, 3);

typedef struct refusal {
    const char *name;
    const test_dist *entry;
    embdist_mode mode;
    embdist_direction direction;
    permute_style permute;
    int lengths;
    void (*spoil)(spoiled *wrong);
    embdist_status status;
} refusal;

/* One TAP line for a wrong call, tried on each rank of worlds 1 and 3, in place and staged, with a
 * request and without. EMBDIST_NONFINITE not in world 1, which encodes nothing. */
void refusal_run(const refusal *wrong);

#endif
