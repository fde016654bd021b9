/* dists.h: generated dists as the tests call them: the functions of a dist in a table, and one
 * start function for all kinds, modes and directions. */
#ifndef EMBDIST_TESTS_DISTS_H
#define EMBDIST_TESTS_DISTS_H

#include <embdist_descriptor.h>

/* The types of generated functions: PLAIN or SEEDED(name, batch, type of rows). A batch is even, counts
 * (ragged [world], per feature [world][features]) or sequence. */
#define TEST_EACH_TYPE(PLAIN, SEEDED)                                                              \
    PLAIN(even_fp32, even, float)                                                                  \
    PLAIN(even_half, even, uint16_t)                                                               \
    SEEDED(even_fp32_seeded, even, float)                                                          \
    SEEDED(even_half_seeded, even, uint16_t)                                                       \
    PLAIN(counts_fp32, counts, float)                                                              \
    PLAIN(counts_half, counts, uint16_t)                                                           \
    SEEDED(counts_fp32_seeded, counts, float)                                                      \
    SEEDED(counts_half_seeded, counts, uint16_t)                                                   \
    PLAIN(sequence_fp32, sequence, float)                                                          \
    PLAIN(sequence_half, sequence, uint16_t)                                                       \
    SEEDED(sequence_fp32_seeded, sequence, float)                                                  \
    SEEDED(sequence_half_seeded, sequence, uint16_t)

typedef int64_t test_even_batch;
typedef const int64_t *test_counts_batch;
typedef const embdist_sequence_batch *test_sequence_batch;

#define TEST_PLAIN(name, batch, row)                                                               \
    typedef embdist_status test_##name(embdist_dist *, const row *, int64_t, test_##batch##_batch, \
                                       row *, int64_t, void *, embdist_request **);
#define TEST_SEEDED(name, batch, row)                                                              \
    typedef embdist_status test_##name(embdist_dist *, const row *, int64_t, test_##batch##_batch, \
                                       uint64_t, row *, int64_t, void *, embdist_request **);
TEST_EACH_TYPE(TEST_PLAIN, TEST_SEEDED)
#undef TEST_PLAIN
#undef TEST_SEEDED

#define TEST_ENUMERATOR(name, batch, row) TEST_TYPE_##name,
typedef enum test_type { TEST_EACH_TYPE(TEST_ENUMERATOR, TEST_ENUMERATOR) TEST_TYPES } test_type;
#undef TEST_ENUMERATOR

/* A function, with its type; NULL where a dist has none. */
typedef struct test_function {
    test_type type;
    void (*function)(void);
} test_function;

/* A function of another type than those does not compile. */
#define TEST_MATCH(name, batch, row) test_##name * : TEST_TYPE_##name,
#define TEST_FUNCTION(name)                                                                        \
    {                                                                                              \
        _Generic(&(name), TEST_EACH_TYPE(TEST_MATCH, TEST_MATCH) int : 0), (void (*)(void))(name)  \
    }

/* Arrays are indexed by direction. A dist has the functions of its kind. */
typedef struct test_dist {
    const char *name;
    const embdist_descriptor *descriptor;
    test_function even[2];
    test_function ragged[2];
    test_function per_feature[2];
    test_function sequence[2];
} test_dist;

#define TEST_BOTH(dist, mode)                                                                      \
    {                                                                                              \
        TEST_FUNCTION(dist##_forward##mode), TEST_FUNCTION(dist##_backward##mode)                  \
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
    uint64_t seed; /* of functions that take one */
    const void *in;
    int64_t in_count;
    void *out;
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
