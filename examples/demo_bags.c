/* demo_bags.c: the pooled embeddings of examples/dlrm.lua: each rank's partial sums of all ranks'
 * samples are added on the samples' own ranks, and the gradients go back. */
#include "demo.h"
#include "dlrm.h"
#include "team.h"

#include <pthread.h>
#include <stdlib.h>

/* The batch of all ranks, in the three modes. */
typedef struct bags_batch {
    int64_t even;
    int64_t *per_rank;         /* [world] */
    int64_t *per_rank_feature; /* [world][features] */
} bags_batch;

/* A mode: the generated functions, and how many elements each rank's piece has. */
typedef struct bags_mode {
    const char *name;
    demo_start forward, backward;
    int64_t (*piece)(const bags_batch *batch, int64_t rank);
    int64_t (*rows)(const bags_batch *batch, int64_t rank);
} bags_mode;

static embdist_status forward_even(const void *batch, int64_t rank, embdist_dist *dist,
                                   const demo_buffers *b, embdist_request **request)
{
    (void)rank;
    return dlrm_bags_forward_even(dist, b->input, b->input_count, ((const bags_batch *)batch)->even,
                                  b->output, b->output_count, NULL, request);
}

static embdist_status backward_even(const void *batch, int64_t rank, embdist_dist *dist,
                                    const demo_buffers *b, embdist_request **request)
{
    (void)rank;
    return dlrm_bags_backward_even(dist, b->input, b->input_count,
                                   ((const bags_batch *)batch)->even, b->output, b->output_count,
                                   NULL, request);
}

static embdist_status forward_ragged(const void *batch, int64_t rank, embdist_dist *dist,
                                     const demo_buffers *b, embdist_request **request)
{
    (void)rank;
    return dlrm_bags_forward_ragged(dist, b->input, b->input_count,
                                    ((const bags_batch *)batch)->per_rank, b->output,
                                    b->output_count, NULL, request);
}

static embdist_status backward_ragged(const void *batch, int64_t rank, embdist_dist *dist,
                                      const demo_buffers *b, embdist_request **request)
{
    (void)rank;
    return dlrm_bags_backward_ragged(dist, b->input, b->input_count,
                                     ((const bags_batch *)batch)->per_rank, b->output,
                                     b->output_count, NULL, request);
}

static embdist_status forward_per_feature(const void *batch, int64_t rank, embdist_dist *dist,
                                          const demo_buffers *b, embdist_request **request)
{
    (void)rank;
    return dlrm_bags_forward_per_feature(dist, b->input, b->input_count,
                                         ((const bags_batch *)batch)->per_rank_feature, b->output,
                                         b->output_count, NULL, request);
}

static embdist_status backward_per_feature(const void *batch, int64_t rank, embdist_dist *dist,
                                           const demo_buffers *b, embdist_request **request)
{
    (void)rank;
    return dlrm_bags_backward_per_feature(dist, b->input, b->input_count,
                                          ((const bags_batch *)batch)->per_rank_feature, b->output,
                                          b->output_count, NULL, request);
}

/* ---- sizes ---- */

/* Elements of one sample, and rows and elements of a feature's batch. */
static int64_t sum_over_features(const int64_t *batch, int64_t each, int in_rows)
{
    int64_t sum = 0, f = 0;
    for (int64_t g = 0; g < dlrm_bags.groups; g++) {
        for (int64_t i = 0; i < dlrm_bags.group[g].features; i++, f++)
            sum += (batch ? batch[f] : each) * (in_rows ? 1 : dlrm_bags.group[g].dim);
    }
    return sum;
}

static int64_t piece_even(const bags_batch *batch, int64_t rank)
{
    (void)rank;
    return sum_over_features(NULL, batch->even, 0);
}

static int64_t rows_even(const bags_batch *batch, int64_t rank)
{
    (void)rank;
    return sum_over_features(NULL, batch->even, 1);
}

static int64_t piece_ragged(const bags_batch *batch, int64_t rank)
{
    return sum_over_features(NULL, batch->per_rank[rank], 0);
}

static int64_t rows_ragged(const bags_batch *batch, int64_t rank)
{
    return sum_over_features(NULL, batch->per_rank[rank], 1);
}

static int64_t piece_per_feature(const bags_batch *batch, int64_t rank)
{
    return sum_over_features(batch->per_rank_feature + rank * dlrm_bags.features, 0, 0);
}

static int64_t rows_per_feature(const bags_batch *batch, int64_t rank)
{
    return sum_over_features(batch->per_rank_feature + rank * dlrm_bags.features, 0, 1);
}

static const bags_mode modes[] = {
    {"even", forward_even, backward_even, piece_even, rows_even},
    {"ragged", forward_ragged, backward_ragged, piece_ragged, rows_ragged},
    {"per_feature", forward_per_feature, backward_per_feature, piece_per_feature, rows_per_feature},
};

/* Ragged: some ranks have a fifth more, some less. Per feature: up to the batch, as after removing
 * repeated ids; every thirteenth feature of a rank has nothing. */
static bags_batch make_batch(const demo *all)
{
    bags_batch batch = {.even = all->batch};
    uint64_t state = 26;
    batch.per_rank = take_memory(all->world, sizeof *batch.per_rank);
    batch.per_rank_feature =
        take_memory(all->world * dlrm_bags.features, sizeof *batch.per_rank_feature);
    for (int64_t r = 0; r < all->world; r++) {
        const int64_t fifth = all->batch / 5;
        batch.per_rank[r] = all->batch - fifth + demo_random(&state, 2 * fifth + 1);
        for (int64_t f = 0; f < dlrm_bags.features; f++)
            batch.per_rank_feature[r * dlrm_bags.features + f] =
                (f + r) % 13 == 0 ? 0 : 1 + demo_random(&state, all->batch);
    }
    return batch;
}

/* ---- one mode ---- */

/* What all ranks have, and what they must get. */
typedef struct bags_run {
    reference_pooled reference;
    float **local, **out;               /* [world] inputs */
    float **expect_out, **expect_local; /* [world] results */
} bags_run;

static void *expect_forward(void *argument)
{
    const bags_run *run = argument;
    reference_pooled_forward(&run->reference, (const float *const *)run->local, run->expect_out);
    return NULL;
}

static void *expect_backward(void *argument)
{
    const bags_run *run = argument;
    reference_pooled_backward(&run->reference, (const float *const *)run->out, run->expect_local);
    return NULL;
}

/* The reference is slow, on purpose; its two halves have nothing in common. */
static void expect(bags_run *run)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, expect_backward, run)) {
        expect_backward(run);
        expect_forward(run);
        return;
    }
    expect_forward(run);
    pthread_join(thread, NULL);
}

static void show_direction(demo *all, const bags_mode *mode, const bags_batch *batch,
                           const bags_run *run, int forward, int64_t rows, int64_t local_count)
{
    demo_buffers *buffers = take_memory(all->world, sizeof *buffers);
    for (int64_t r = 0; r < all->world; r++) {
        const int64_t piece = mode->piece(batch, r);
        buffers[r].input = forward ? run->local[r] : run->out[r];
        buffers[r].input_count = forward ? local_count : piece;
        buffers[r].output_count = forward ? piece : local_count;
        buffers[r].output = take_memory(buffers[r].output_count, sizeof(float));
    }
    const demo_call call = {
        .descriptor = &dlrm_bags,
        .forward = forward,
        .mode = mode->name,
        .rows = rows,
        .start = forward ? mode->forward : mode->backward,
        .batch = batch,
        .buffers = buffers,
        .expected = (const float *const *)(forward ? run->expect_out : run->expect_local),
    };
    demo_show(all, &call);
    for (int64_t r = 0; r < all->world; r++)
        free(buffers[r].output);
    free(buffers);
}

static void show_mode(demo *all, const bags_mode *mode, const bags_batch *batch)
{
    const int64_t world = all->world;
    int64_t *pieces = take_memory(world, sizeof *pieces), local_count = 0, rows = 0;
    float **memory = take_memory(4 * world, sizeof *memory);
    bags_run run = {.reference = {.world = world,
                                  .piece_count = pieces,
                                  .forward = demo_codec(&dlrm_bags, 1),
                                  .backward = demo_codec(&dlrm_bags, 0),
                                  .mean = demo_is_mean(&dlrm_bags)},
                    .local = memory,
                    .out = memory + world,
                    .expect_out = memory + 2 * world,
                    .expect_local = memory + 3 * world};
    for (int64_t r = 0; r < world; r++) {
        pieces[r] = mode->piece(batch, r);
        local_count += pieces[r];
        rows += world * mode->rows(batch, r); /* every rank holds a part of every row's sum */
    }
    demo_progress("  the reference computes what must come out ...");
    for (int64_t r = 0; r < world; r++) {
        run.local[r] = demo_values(local_count, 0.5, (uint64_t)r + 1);
        run.out[r] = demo_values(pieces[r], 1e-3, (uint64_t)r + 101);
        run.expect_out[r] = take_memory(pieces[r], sizeof(float));
        run.expect_local[r] = take_memory(local_count, sizeof(float));
    }
    expect(&run);
    show_direction(all, mode, batch, &run, 1, rows, local_count);
    show_direction(all, mode, batch, &run, 0, rows, local_count);
    for (int64_t i = 0; i < 4 * world; i++)
        free(memory[i]);
    free(memory);
    free(pieces);
}

void demo_bags(demo *all)
{
    const bags_batch batch = make_batch(all);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        show_mode(all, &modes[i], &batch);
    free(batch.per_rank);
    free(batch.per_rank_feature);
}
