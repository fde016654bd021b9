/* dists.h: generated dists as the tests call them: the functions of a dist in a table, and one
 * start function for all kinds, modes and directions. */
#ifndef EMBDIST_TESTS_DISTS_H
#define EMBDIST_TESTS_DISTS_H

#include <embdist_descriptor.h>

typedef embdist_status even_function(embdist_dist *dist, const float *in, int64_t in_count,
                                     int64_t batch, float *out, int64_t out_count, void *stream,
                                     embdist_request **request);
/* batch: ragged [world], per feature [world][features] */
typedef embdist_status counts_function(embdist_dist *dist, const float *in, int64_t in_count,
                                       const int64_t *batch, float *out, int64_t out_count,
                                       void *stream, embdist_request **request);
typedef embdist_status sequence_function(embdist_dist *dist, const float *in, int64_t in_count,
                                         const embdist_sequence_batch *batch, float *out,
                                         int64_t out_count, void *stream,
                                         embdist_request **request);

/* Arrays are indexed by direction. A dist has the functions of its kind. */
typedef struct test_dist {
    const char *name;
    const embdist_descriptor *descriptor;
    even_function *even[2];
    counts_function *ragged[2];
    counts_function *per_feature[2];
    sequence_function *sequence[2];
} test_dist;

#define TEST_BOTH(dist, mode)                                                                      \
    {                                                                                              \
        dist##_forward##mode, dist##_backward##mode                                                \
    }
#define TEST_POOLED(dist)                                                                          \
    {                                                                                              \
        .name = #dist, .descriptor = &dist, .even = TEST_BOTH(dist, _even),                        \
        .ragged = TEST_BOTH(dist, _ragged), .per_feature = TEST_BOTH(dist, _per_feature)           \
    }
#define TEST_SEQUENCE(dist)                                                                        \
    {                                                                                              \
        .name = #dist, .descriptor = &dist, .sequence = TEST_BOTH(dist, )                          \
    }

/* What a generated function is given; batch.mode says which of the dist's functions it is. */
typedef struct test_call {
    const test_dist *entry;
    embdist_direction direction;
    embdist_batch batch;
    const float *in;
    int64_t in_count;
    float *out;
    int64_t out_count;
    void *stream;
} test_call;

/* Calls the generated function. */
embdist_status start_call(const test_call *call, embdist_dist *dist, embdist_request **request);

/* The owners that tests give the features of a dist whose features have some, unequally spread and not in
 * the order of ranks; 0 for a dist whose features have none. owners[features] */
int choose_owners(const embdist_descriptor *descriptor, int64_t world, int64_t *owners);

/* Opens the dist of an entry in a way, with those owners. */
embdist_status open_dist(embdist_dist **dist, embdist_comm *comm, const test_dist *entry,
                         embdist_way way);

/* What ranks compare, by name; "" where there is no such line. */
const char *field_of(const embdist_descriptor *descriptor, const char *name);

/* The dim of each feature. */
void dims_of(const embdist_descriptor *descriptor, int64_t *dims);

/* "even", "ragged", "per_feature" or "sequence"; "forward" or "backward"; "in place" or "staged" */
const char *mode_text(embdist_mode mode);
const char *direction_text(embdist_direction direction);
const char *way_text(embdist_way way);

#endif
