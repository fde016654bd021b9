/* demo_history.c: the sequences of examples/history.lua: a user's history is a list of ids for each
 * feature; the rank that owns an id's row sends it, and the rows come out in the order of the ids. */
#include "demo.h"
#include "history.h"
#include "team.h"

#include <stdlib.h>
#include <string.h>

/* Which rank has the row of an id: tables are sharded by rows. */
typedef struct sharding {
    const char *name;
    int64_t (*owner)(int64_t id, int64_t world);
} sharding;

enum { TABLE_ROWS = 1000003 };

static int64_t owner_in_blocks(int64_t id, int64_t world)
{
    return id / ((TABLE_ROWS + world - 1) / world);
}

static int64_t owner_round_robin(int64_t id, int64_t world)
{
    return id % world;
}

static const sharding shardings[] = {
    {"blocks", owner_in_blocks},
    {"round robin", owner_round_robin},
};

/* What one rank's input distribution leaves it with. */
typedef struct history_rank {
    int64_t samples;
    int64_t values;     /* ids of its own samples */
    int64_t held;       /* rows that it holds, for all ranks */
    int64_t *send_rows; /* [world] */
    int64_t *recv_rows; /* [world] */
    int32_t *lengths;   /* [features][samples of all ranks]: rows that it holds */
    int64_t *rows;      /* [features][world]: the same, for the reference */
    int64_t *permute;   /* [values] */
} history_rank;

typedef struct history_batch {
    int64_t world;
    int64_t *batch_per_rank; /* [world] */
    history_rank *ranks;     /* [world] */
} history_batch;

/* The ids of one rank: a sample has few of most features, sometimes none, sometimes many. */
static int64_t random_length(uint64_t *state, int64_t feature)
{
    static const int64_t most[] = {21, 5, 64};
    const int64_t below = most[feature % 3];
    const int64_t a = demo_random(state, below), b = demo_random(state, below);
    return a < b ? a : b;
}

/* Draws rank r's ids, and gives their rows to their owners. The permute is the unbucketize: the
 * value's place among the received rows, which are ordered by owner, feature and value. */
static void draw(history_batch *batch, int64_t r, int64_t first_sample, int64_t all_samples,
                 const sharding *by)
{
    const int64_t world = batch->world, features = history_events.features;
    history_rank *mine = &batch->ranks[r];
    const uint64_t seed = 7919 * (uint64_t)(r + 1);
    int64_t *next = take_memory(world * features, sizeof *next);
    memset(next, 0, (size_t)(world * features) * sizeof *next);
    /* The same ids twice: to count them, then to place them. */
    for (int place = 0; place < 2; place++) {
        uint64_t state = seed;
        mine->values = 0;
        for (int64_t f = 0; f < features; f++) {
            for (int64_t b = 0; b < mine->samples; b++) {
                for (int64_t left = random_length(&state, f); left > 0; left--) {
                    const int64_t owner = by->owner(demo_random(&state, TABLE_ROWS), world);
                    int64_t *at = &next[owner * features + f];
                    if (place)
                        mine->permute[mine->values] = *at;
                    else
                        batch->ranks[owner].lengths[f * all_samples + first_sample + b]++;
                    (*at)++;
                    mine->values++;
                }
            }
        }
        if (place)
            break;
        int64_t start = 0; /* from counts to the place of each (owner, feature)'s first row */
        for (int64_t i = 0; i < world * features; i++) {
            const int64_t count = next[i];
            mine->recv_rows[i / features] += count;
            batch->ranks[i / features].send_rows[r] += count;
            next[i] = start;
            start += count;
        }
        mine->permute = take_memory(mine->values, sizeof *mine->permute);
    }
    free(next);
}

static void *zeros(int64_t count, int64_t size)
{
    void *memory = take_memory(count, size);
    return memset(memory, 0, (size_t)(count * size));
}

static history_batch make_batch(const demo *all, const sharding *by)
{
    const int64_t world = all->world, features = history_events.features;
    history_batch batch = {.world = world};
    uint64_t state = 3;
    int64_t samples = 0;
    batch.batch_per_rank = take_memory(world, sizeof *batch.batch_per_rank);
    batch.ranks = zeros(world, sizeof *batch.ranks);
    for (int64_t r = 0; r < world; r++) {
        batch.batch_per_rank[r] = 3 * all->batch + demo_random(&state, all->batch);
        batch.ranks[r].samples = batch.batch_per_rank[r];
        samples += batch.batch_per_rank[r];
    }
    for (int64_t r = 0; r < world; r++) {
        batch.ranks[r].send_rows = zeros(world, sizeof(int64_t));
        batch.ranks[r].recv_rows = zeros(world, sizeof(int64_t));
        batch.ranks[r].rows = zeros(world * features, sizeof(int64_t));
        batch.ranks[r].lengths = zeros(features * samples, sizeof(int32_t));
    }
    for (int64_t r = 0, first = 0; r < world; first += batch.batch_per_rank[r], r++)
        draw(&batch, r, first, samples, by);
    for (int64_t r = 0; r < world; r++) {
        history_rank *rank = &batch.ranks[r];
        reference_sequence_rows(world, features, rank->lengths, batch.batch_per_rank, rank->rows);
        for (int64_t j = 0; j < world; j++)
            rank->held += rank->send_rows[j];
    }
    return batch;
}

static void free_batch(history_batch *batch)
{
    for (int64_t r = 0; r < batch->world; r++) {
        free(batch->ranks[r].send_rows);
        free(batch->ranks[r].recv_rows);
        free(batch->ranks[r].rows);
        free(batch->ranks[r].lengths);
        free(batch->ranks[r].permute);
    }
    free(batch->ranks);
    free(batch->batch_per_rank);
}

static embdist_sequence_batch batch_of(const history_batch *batch, int64_t rank)
{
    const history_rank *mine = &batch->ranks[rank];
    return (embdist_sequence_batch){.size = sizeof(embdist_sequence_batch),
                                    .send_rows = mine->send_rows,
                                    .recv_rows = mine->recv_rows,
                                    .lengths = mine->lengths,
                                    .batch_per_rank = batch->batch_per_rank,
                                    .permute = mine->permute,
                                    .output_rows = mine->values};
}

static embdist_status forward(const void *batch, int64_t rank, embdist_dist *dist,
                              const demo_buffers *b, embdist_request **request)
{
    const embdist_sequence_batch mine = batch_of(batch, rank);
    return history_events_forward(dist, b->input, b->input_count, &mine, b->output, b->output_count,
                                  NULL, request);
}

static embdist_status backward(const void *batch, int64_t rank, embdist_dist *dist,
                               const demo_buffers *b, embdist_request **request)
{
    const embdist_sequence_batch mine = batch_of(batch, rank);
    return history_events_backward(dist, b->input, b->input_count, &mine, b->output,
                                   b->output_count, NULL, request);
}

/* One direction: inputs, what the reference makes of them, and the call. */
static void show_direction(demo *all, const sharding *by, const history_batch *batch,
                           const reference_sequence *reference, int is_forward)
{
    const int64_t world = all->world, dim = reference->dim;
    demo_buffers *buffers = take_memory(world, sizeof *buffers);
    float **input = take_memory(2 * world, sizeof *input), **expected = input + world;
    int64_t rows = 0;
    demo_progress("  the reference computes what must come out ...");
    for (int64_t r = 0; r < world; r++) {
        const history_rank *rank = &batch->ranks[r];
        demo_buffers *b = &buffers[r];
        b->input_count = dim * (is_forward ? rank->held : rank->values);
        b->output_count = dim * (is_forward ? rank->values : rank->held);
        b->input = demo_values(b->input_count, is_forward ? 0.5 : 1e-3, (uint64_t)r + 1);
        b->output = take_memory(b->output_count, sizeof(float));
        input[r] = b->input;
        expected[r] = take_memory(b->output_count, sizeof(float));
        rows += rank->held;
    }
    if (is_forward)
        reference_sequence_forward(reference, (const float *const *)input, expected);
    else
        reference_sequence_backward(reference, (const float *const *)input, expected);
    const demo_call call = {.descriptor = &history_events,
                            .forward = is_forward,
                            .mode = by->name,
                            .rows = rows,
                            .start = is_forward ? forward : backward,
                            .batch = batch,
                            .buffers = buffers,
                            .expected = (const float *const *)expected};
    demo_show(all, &call);
    for (int64_t r = 0; r < world; r++) {
        free(buffers[r].input);
        free(buffers[r].output);
        free(expected[r]);
    }
    free(input);
    free(buffers);
}

void demo_history(demo *all)
{
    const int64_t world = all->world;
    for (size_t i = 0; i < sizeof shardings / sizeof *shardings; i++) {
        history_batch batch = make_batch(all, &shardings[i]);
        const int64_t **lists = take_memory(2 * world, sizeof *lists);
        int64_t *values = take_memory(world, sizeof *values);
        for (int64_t r = 0; r < world; r++) {
            lists[r] = batch.ranks[r].rows;
            lists[world + r] = batch.ranks[r].permute;
            values[r] = batch.ranks[r].values;
        }
        const reference_sequence reference = {.world = world,
                                              .features = history_events.features,
                                              .dim = history_events.group[0].dim,
                                              .rows = lists,
                                              .permute = lists + world,
                                              .output_rows = values,
                                              .forward = demo_codec(&history_events, 1),
                                              .backward = demo_codec(&history_events, 0),
                                              .mean = demo_is_mean(&history_events)};
        show_direction(all, &shardings[i], &batch, &reference, 1);
        show_direction(all, &shardings[i], &batch, &reference, 0);
        free(lists);
        free(values);
        free_batch(&batch);
    }
}
