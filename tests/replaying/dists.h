/* dists.h: the generated functions of the dists that the cases need, as a table that tables.lua
 * fills (dists.c). A dist has the functions of its kind. */
#ifndef EMBDIST_TESTS_DISTS_H
#define EMBDIST_TESTS_DISTS_H

#include <embdist.h>

typedef embdist_status replay_even(embdist_dist *dist, const float *in, int64_t in_count,
                                   int64_t batch, float *out, int64_t out_count, void *stream,
                                   embdist_request **request);
/* ragged: batch[world]; per_feature: batch[world][features] */
typedef embdist_status replay_counts(embdist_dist *dist, const float *in, int64_t in_count,
                                     const int64_t *batch, float *out, int64_t out_count,
                                     void *stream, embdist_request **request);
typedef embdist_status replay_sequence(embdist_dist *dist, const float *in, int64_t in_count,
                                       const embdist_sequence_batch *batch, float *out,
                                       int64_t out_count, void *stream, embdist_request **request);

/* Arrays are indexed by direction. */
typedef struct replay_dist {
    const embdist_descriptor *descriptor;
    replay_even *even[2];
    replay_counts *ragged[2];
    replay_counts *per_feature[2];
    replay_sequence *sequence[2];
} replay_dist;

extern const replay_dist replay_dists[];

#endif
