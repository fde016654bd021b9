#include "batch.h"

#include "team.h"

#include <stdlib.h>

/* +1, -1, +1, -1 and so on, and 0 for a last one that has no partner: the sum stays. */
static int64_t nudge(int64_t rank, int64_t world, int64_t rows)
{
    if (rows < 2 || (rank % 2 == 0 && rank + 1 == world))
        return 0;
    return rank % 2 == 0 ? 1 : -1;
}

/* xorshift64*: the same batches in every run. */
static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

static void shuffle(int64_t *items, int64_t count, uint64_t state)
{
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t j = (int64_t)(next(&state) % (uint64_t)(i + 1)), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* What TorchRec's unbucketize is for these owners: out has the order of the values, feature by
 * feature; received rows are ordered by owner, then feature, then value. */
static void make_permute(int64_t *permute, bench_routing routing, int64_t features, int64_t world,
                         int64_t rank, int64_t rows)
{
    const int64_t values = world * rows; /* of a feature */
    for (int64_t f = 0; f < features; f++) {
        for (int64_t i = 0; i < values; i++) {
            const int round_robin = routing == BENCH_ROUND_ROBIN;
            const int64_t owner = round_robin ? i % world : i / rows;
            const int64_t place = round_robin ? i / world : i % rows;
            permute[f * values + i] = (owner * features + f) * rows + place;
        }
    }
    if (routing == BENCH_RANDOM)
        shuffle(permute, features * values, 88172645463325252ULL + (uint64_t)rank);
}

void bench_batch_make(bench_batch *made, embdist_mode mode, bench_routing routing, int64_t features,
                      int64_t world, int64_t rank, int64_t rows)
{
    *made = (bench_batch){.batch = {.size = sizeof made->batch, .mode = mode, .even = rows}};
    made->counts = take_memory((features + 1) * world, sizeof *made->counts);
    switch (mode) {
    case EMBDIST_EVEN:
        break;
    case EMBDIST_RAGGED:
        for (int64_t r = 0; r < world; r++)
            made->counts[r] = rows + nudge(r, world, rows);
        made->batch.per_rank = made->counts;
        break;
    case EMBDIST_PER_FEATURE:
        for (int64_t r = 0; r < world; r++) {
            for (int64_t f = 0; f < features; f++)
                made->counts[r * features + f] =
                    rows + (f % 2 == 0 ? 1 : -1) * nudge(r, world, rows);
        }
        made->batch.per_rank_feature = made->counts;
        break;
    case EMBDIST_SEQUENCE:
        for (int64_t i = 0; i < world; i++)
            made->counts[i] = features * rows;
        for (int64_t i = world; i < (features + 1) * world; i++)
            made->counts[i] = rows;
        made->permute = take_memory(features * world * rows, sizeof *made->permute);
        make_permute(made->permute, routing, features, world, rank, rows);
        made->sequence = (embdist_sequence_batch){.size = sizeof made->sequence,
                                                  .send_rows = made->counts,
                                                  .recv_rows = made->counts,
                                                  .rows = made->counts + world,
                                                  .permute = made->permute,
                                                  .output_rows = features * world * rows};
        made->batch.sequence = &made->sequence;
        break;
    }
}

void bench_batch_free(bench_batch *made)
{
    free(made->counts);
    free(made->permute);
}
