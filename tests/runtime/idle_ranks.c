/* idle_ranks.c: 70,000 tiny calls on 4 ranks, a different rank idle each time (it has no batch, and
 * takes part); kinds, modes, directions and ways change from call to call. Every result is checked.
 */
#include "cases.h"

#include "small.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORLD = 4, KINDS = 8, CASES = WORLD * KINDS, DISTS = 4 };

static const test_dist entries[DISTS] = {TEST_POOLED(small_bags), TEST_SEQUENCE(small_words),
                                         TEST_POOLED(small_sums), TEST_SEQUENCE(small_narrow)};
static const embdist_way ways[DISTS] = {EMBDIST_WAY_IN_PLACE, EMBDIST_WAY_IN_PLACE,
                                        EMBDIST_WAY_STAGED, EMBDIST_WAY_STAGED};
static const struct {
    int dist;
    embdist_mode mode;
    embdist_direction direction;
} kinds[KINDS] = {
    {0, EMBDIST_RAGGED, EMBDIST_FORWARD},       {1, EMBDIST_SEQUENCE, EMBDIST_FORWARD},
    {2, EMBDIST_PER_FEATURE, EMBDIST_BACKWARD}, {3, EMBDIST_SEQUENCE, EMBDIST_BACKWARD},
    {0, EMBDIST_PER_FEATURE, EMBDIST_FORWARD},  {1, EMBDIST_SEQUENCE, EMBDIST_BACKWARD},
    {2, EMBDIST_RAGGED, EMBDIST_FORWARD},       {3, EMBDIST_SEQUENCE, EMBDIST_FORWARD},
};

typedef struct run {
    int64_t calls;
    embdist_comm **comms;
    test_case *cases[CASES]; /* [idle rank][kind] */
    char why[WORLD][512];
} run;

static void call_rank(int64_t rank, void *context)
{
    run *all = context;
    embdist_dist *dists[DISTS] = {NULL};
    char *why = all->why[rank];
    embdist_status status = EMBDIST_OK;
    for (int i = 0; i < DISTS; i++)
        if (open_dist(&dists[i], all->comms[rank], &entries[i], ways[i]))
            bail_out("%s", embdist_last_error());
    for (int64_t i = 0; i < all->calls && !status && !*why; i++) {
        const int64_t idle = i % WORLD, kind = i / WORLD % KINDS;
        test_case *made = all->cases[idle * KINDS + kind];
        case_reset(made, rank);
        status = case_start(made, rank, dists[kinds[kind].dist], NULL);
        if (status)
            snprintf(why, sizeof all->why[rank], "call %" PRId64 ": %s", i, embdist_last_error());
        else
            case_is_right(made, rank, why, sizeof all->why[rank]);
    }
    for (int i = 0; i < DISTS; i++)
        embdist_close(&dists[i]);
}

int main(void)
{
    plan(1);
    random_state random = random_start();
    run all = {.calls = is_small() ? 700 : 70000, .comms = new_comms(WORLD)};
    for (int i = 0; i < CASES; i++) {
        int64_t batch[WORLD];
        for (int r = 0; r < WORLD; r++)
            batch[r] = r == i / KINDS ? 0 : 1 + random_below(&random, 2);
        const case_shape shape = {.entry = &entries[kinds[i % KINDS].dist],
                                  .world = WORLD,
                                  .mode = kinds[i % KINDS].mode,
                                  .direction = kinds[i % KINDS].direction,
                                  .batch = batch,
                                  .permute = (permute_style)(i % PERMUTE_STYLES),
                                  .lengths = i % 3 == 0};
        all.cases[i] = case_new(&shape, &random);
    }
    run_ranks(WORLD, call_rank, &all);
    int right = 1;
    for (int r = 0; r < WORLD; r++)
        if (*all.why[r]) {
            diag("%s", all.why[r]);
            right = 0;
        }
    ok(right, "%" PRId64 " tiny calls on 4 ranks, a different one idle each time", all.calls);
    for (int i = 0; i < CASES; i++)
        case_free(all.cases[i]);
    free_comms(WORLD, all.comms);
    return finish();
}
