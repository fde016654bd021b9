/* two_specs.c: two generated specs with the same names of dists and features, in one program and on
 * one comm: each call does what its own spec says. */
#include "cases.h"

#include "small.h"
#include "twin.h"

#include <stdio.h>
#include <string.h>

static const test_dist entries[] = {TEST_POOLED(small_bags), TEST_POOLED(twin_bags),
                                    TEST_SEQUENCE(small_words), TEST_SEQUENCE(twin_words)};
enum { ENTRIES = 4, WORLD = 3 };

typedef struct run {
    embdist_comm **comms;
    test_case *cases[2 * ENTRIES];
    char why[WORLD][512];
} run;

static void run_rank(int64_t rank, void *context)
{
    run *all = context;
    embdist_dist *dists[ENTRIES] = {NULL};
    embdist_request *requests[2 * ENTRIES] = {NULL};
    char *why = all->why[rank];
    for (int i = 0; i < ENTRIES; i++)
        if (open_dist(&dists[i], all->comms[rank], &entries[i], EMBDIST_WAY_AUTO))
            bail_out("%s", embdist_last_error());
    for (int i = 0; i < 2 * ENTRIES; i++)
        if (case_start(all->cases[i], rank, dists[i % ENTRIES], &requests[i]))
            bail_out("%s", embdist_last_error());
    for (int i = 0; i < 2 * ENTRIES; i++) {
        if (embdist_wait(&requests[i], NULL))
            snprintf(why, sizeof all->why[rank], "%s", embdist_last_error());
        else if (!*why)
            case_is_right(all->cases[i], rank, why, sizeof all->why[rank]);
    }
    for (int i = 0; i < ENTRIES; i++)
        embdist_close(&dists[i]);
}

static int same_names(const embdist_descriptor *a, const embdist_descriptor *b)
{
    int same = strcmp(a->name, b->name) == 0 && a->features == b->features;
    for (int64_t f = 0; same && f < a->features; f++)
        same = strcmp(a->feature_names[f], b->feature_names[f]) == 0;
    return same;
}

int main(void)
{
    static const int64_t batch[WORLD] = {5, 0, 7};
    plan(2);
    random_state random = random_start();
    run all = {.comms = new_comms(WORLD)};
    for (int i = 0; i < 2 * ENTRIES; i++) {
        const int sequence = i % ENTRIES >= 2;
        const case_shape shape = {.entry = &entries[i % ENTRIES],
                                  .world = WORLD,
                                  .mode = sequence ? EMBDIST_SEQUENCE : EMBDIST_PER_FEATURE,
                                  .direction = i < ENTRIES ? EMBDIST_FORWARD : EMBDIST_BACKWARD,
                                  .batch = batch,
                                  .permute = PERMUTE_REPEATS,
                                  .values = RANDOM_WILD};
        all.cases[i] = case_new(&shape, &random);
    }
    run_ranks(WORLD, run_rank, &all);
    for (int r = 0; r < WORLD; r++)
        if (*all.why[r])
            diag("%s", all.why[r]);
    ok(same_names(&small_bags, &twin_bags) && same_names(&small_words, &twin_words),
       "the two specs have the same names of dists and features");
    ok(!*all.why[0] && !*all.why[1] && !*all.why[2], "calls of both, in flight together");
    for (int i = 0; i < 2 * ENTRIES; i++)
        case_free(all.cases[i]);
    free_comms(WORLD, all.comms);
    return finish();
}
