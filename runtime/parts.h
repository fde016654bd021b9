/* parts.h: which rank holds which features, and the parts in which codelets walk them.
 *
 * A part is what one codelet call can walk: neighbouring features of equal dim (pooled), or one
 * feature (sequences). Where features have owners, neighbours are those of one owner. */
#ifndef EMBDIST_PARTS_H
#define EMBDIST_PARTS_H

#include "embdist_descriptor.h"

typedef struct embdist_part {
    int64_t group;    /* of the descriptor: one with the part's dim and codelets */
    int64_t first;    /* place in embdist_parts.order of its first feature */
    int64_t features; /* how many */
} embdist_part;

/* All parts of a dist. */
typedef struct embdist_parts {
    const embdist_descriptor *descriptor;
    int64_t world;
    const int64_t *owners; /* [features] the rank that holds a feature; NULL: every rank does */
    const int64_t *order;  /* [features] features by owner, then by number */
    const embdist_part *part;
    const int64_t *first; /* [world + 1] a rank's first part; without owners [2], of any rank */
    void *memory;
} embdist_parts;

/* The parts that one rank holds, in the order of its local side. */
typedef struct embdist_part_list {
    const embdist_part *part;
    int64_t count;
} embdist_part_list;

/* Checks `owners` ([features], or NULL) and makes the parts of a dist. Errors begin with
 * "embdist_open"; nothing needs to be freed after one. */
embdist_status embdist_parts_make(embdist_parts *parts, const embdist_descriptor *descriptor,
                                  int64_t world, const int64_t *owners);

/* Leaves zeroed parts alone. */
void embdist_parts_free(embdist_parts *parts);

embdist_part_list embdist_parts_of(const embdist_parts *parts, int64_t rank);

/* Whether a dist is of sequences, whose parts are single features. */
int embdist_parts_are_features(const embdist_descriptor *descriptor);

#endif
