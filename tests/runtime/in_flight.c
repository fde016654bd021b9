/* in_flight.c: eight requests in flight, of several dists, kinds, modes, directions and ways, waited
 * for in another random order on each rank; the same by embdist_test alone; and more requests than
 * may be in flight at once. */
#include "cases.h"

#include "small.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* The dists of a comm, and which of them each request of a round is of. */
static const test_dist entries[] = {TEST_POOLED(small_bags), TEST_SEQUENCE(small_words),
                                    TEST_POOLED(small_bags), TEST_SEQUENCE(small_narrow)};
static const embdist_way ways[] = {EMBDIST_WAY_IN_PLACE, EMBDIST_WAY_IN_PLACE, EMBDIST_WAY_STAGED,
                                   EMBDIST_WAY_STAGED};
enum { DISTS = 4, IN_FLIGHT = 8, MANY = 2 * EMBDIST_MAX_REQUESTS + 11 };
static const struct {
    int dist;
    embdist_mode mode;
    embdist_direction direction;
} requests[IN_FLIGHT] = {
    {0, EMBDIST_EVEN, EMBDIST_FORWARD},         {1, EMBDIST_SEQUENCE, EMBDIST_BACKWARD},
    {0, EMBDIST_PER_FEATURE, EMBDIST_BACKWARD}, {2, EMBDIST_RAGGED, EMBDIST_FORWARD},
    {3, EMBDIST_SEQUENCE, EMBDIST_FORWARD},     {1, EMBDIST_SEQUENCE, EMBDIST_FORWARD},
    {2, EMBDIST_EVEN, EMBDIST_BACKWARD},        {3, EMBDIST_SEQUENCE, EMBDIST_BACKWARD},
};

typedef enum manner { BY_WAIT, BY_TEST, BY_BOTH } manner;

typedef struct round_of_requests {
    int64_t world;
    int count; /* requests started before any is waited for */
    int rounds;
    manner how;
    uint64_t seed;
    embdist_comm **comms;
    test_case **cases; /* [count] */
    char (*why)[512];  /* [world] */
} round_of_requests;

/* Ends one request, or looks at it; returns whether it is over. */
static int end_request(manner how, embdist_request **request, embdist_status *status)
{
    int done = 1;
    if (how == BY_WAIT)
        *status = embdist_wait(request, NULL);
    else
        *status = embdist_test(request, &done);
    if (!done)
        sched_yield();
    return done || *status;
}

static void run_round(const round_of_requests *round, int64_t rank, embdist_dist **dists,
                      random_state *random)
{
    embdist_request **started = take(round->count, sizeof *started);
    int *open = take(round->count, sizeof *open), left = round->count;
    embdist_status status = EMBDIST_OK;
    char *why = round->why[rank];
    for (int i = 0; i < round->count; i++) {
        case_reset(round->cases[i], rank);
        status =
            case_start(round->cases[i], rank, dists[requests[i % IN_FLIGHT].dist], &started[i]);
        if (status)
            bail_out("rank %lld, start: %s", (long long)rank, embdist_last_error());
        open[i] = i;
    }
    while (left && !*why) {
        const int64_t picked = random_below(random, left);
        const int i = open[picked];
        manner how = round->how;
        if (how == BY_BOTH)
            how = random_below(random, 2) ? BY_WAIT : BY_TEST;
        if (!end_request(how, &started[i], &status))
            continue;
        if (status || started[i])
            snprintf(why, sizeof round->why[rank], "rank %lld: %s", (long long)rank,
                     status ? embdist_last_error() : "a done request is not NULL");
        else
            case_is_right(round->cases[i], rank, why, sizeof round->why[rank]);
        open[picked] = open[--left];
    }
    free(open);
    free(started);
}

static void run_rank(int64_t rank, void *context)
{
    const round_of_requests *all = context;
    embdist_dist *dists[DISTS] = {NULL};
    random_state random = {all->seed + 1000 * (uint64_t)rank};
    for (int i = 0; i < DISTS; i++)
        if (open_dist(&dists[i], all->comms[rank], &entries[i], ways[i]))
            bail_out("open: %s", embdist_last_error());
    for (int i = 0; i < all->rounds && !*all->why[rank]; i++)
        run_round(all, rank, dists, &random);
    for (int i = 0; i < DISTS; i++)
        embdist_close(&dists[i]);
}

static void run(int64_t world, int count, int rounds, manner how, const char *name,
                random_state *random)
{
    round_of_requests all = {.world = world,
                             .count = count,
                             .rounds = rounds,
                             .how = how,
                             .seed = random_bits(random),
                             .comms = new_comms(world),
                             .cases = take(count, sizeof *all.cases),
                             .why = take(world, sizeof *all.why)};
    for (int i = 0; i < count; i++) {
        int64_t batch[8];
        for (int64_t r = 0; r < world; r++)
            batch[r] = random_below(random, 6);
        const case_shape shape = {.entry = &entries[requests[i % IN_FLIGHT].dist],
                                  .world = world,
                                  .mode = requests[i % IN_FLIGHT].mode,
                                  .direction = requests[i % IN_FLIGHT].direction,
                                  .batch = batch,
                                  .permute = (permute_style)(i % PERMUTE_STYLES),
                                  .values = RANDOM_WILD};
        all.cases[i] = case_new(&shape, random);
    }
    run_ranks(world, run_rank, &all);
    int right = 1;
    for (int64_t r = 0; r < world; r++)
        if (*all.why[r]) {
            diag("%s", all.why[r]);
            right = 0;
        }
    ok(right, "world %d: %s, %d times", (int)world, name, rounds);
    for (int i = 0; i < count; i++)
        case_free(all.cases[i]);
    free(all.cases);
    free(all.why);
    free_comms(world, all.comms);
}

int main(void)
{
    static const int64_t worlds[] = {2, 3, 5};
    plan(3 * 4);
    random_state random = random_start();
    const int rounds = is_small() ? 10 : 200;
    for (int w = 0; w < 3; w++) {
        run(worlds[w], IN_FLIGHT, rounds, BY_WAIT, "eight requests waited for in any order",
            &random);
        run(worlds[w], IN_FLIGHT, rounds, BY_TEST, "eight requests polled in any order", &random);
        run(worlds[w], IN_FLIGHT, rounds, BY_BOTH, "eight requests waited for or polled", &random);
        run(worlds[w], MANY, is_small() ? 1 : 5, BY_WAIT, "more requests than may be in flight",
            &random);
    }
    return finish();
}
