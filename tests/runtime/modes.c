/* modes.c: calls of different batch modes on one dist, in any order: the mode is the function that
 * is called, and nothing of an earlier call is remembered. per_feature, even, ragged, per_feature,
 * each first in turn, forward and backward interleaved. */
#include "cases.h"

#include "small.h"

static const test_dist entries[] = {TEST_POOLED(small_bags), TEST_POOLED(small_tables),
                                    TEST_POOLED(small_gathered)};
static const embdist_mode order[] = {EMBDIST_PER_FEATURE, EMBDIST_EVEN, EMBDIST_RAGGED,
                                     EMBDIST_PER_FEATURE};
enum { ORDER = 4, CALLS = 4 * ORDER };

static test_case *make_case(const test_dist *entry, int64_t world, int i, embdist_mode mode,
                            embdist_direction direction, random_state *random)
{
    int64_t batch[5];
    for (int64_t r = 0; r < world; r++)
        batch[r] = random_below(random, 5);
    const case_shape shape = {.entry = entry,
                              .world = world,
                              .mode = mode,
                              .direction = direction,
                              .batch = batch,
                              .empty_feature = i % 4,
                              .values = RANDOM_WILD};
    return case_new(&shape, random);
}

/* The modes from the `first` on, round, each forward and backward; then with the directions the
 * other way round, so that a backward is first too. */
static int run_dist(const test_dist *entry, int64_t world, int first, int with_comm,
                    embdist_way way, random_state *random)
{
    test_case *cases[CALLS];
    int count = 0;
    for (int i = 0; i < 2 * ORDER; i++)
        for (int d = 0; d < 2; d++) {
            const embdist_mode mode = order[(first + i) % ORDER];
            const int backward = (i < ORDER) == d;
            cases[count] = make_case(entry, world, i, mode,
                                     backward ? EMBDIST_BACKWARD : EMBDIST_FORWARD, random);
            count++;
        }
    embdist_comm **comms = with_comm ? new_comms(world) : NULL;
    const int right = cases_run(cases, count, comms, way);
    for (int i = 0; i < count; i++)
        case_free(cases[i]);
    if (comms)
        free_comms(world, comms);
    return right;
}

static int run(int64_t world, int first, int with_comm, embdist_way way, random_state *random)
{
    int right = 1;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        right &= run_dist(&entries[i], world, first, with_comm, way, random);
    return right;
}

int main(void)
{
    static const int64_t worlds[] = {1, 2, 3, 5};
    plan((1 + 4) * ORDER);
    random_state random = random_start();
    for (int first = 0; first < ORDER; first++) {
        ok(run(1, first, 0, EMBDIST_WAY_IN_PLACE, &random) &&
               run(1, first, 0, EMBDIST_WAY_STAGED, &random),
           "a NULL comm, %s first (%d)", mode_text(order[first]), first);
        for (int w = 0; w < 4; w++)
            ok(run(worlds[w], first, 1, EMBDIST_WAY_IN_PLACE, &random) &&
                   run(worlds[w], first, 1, EMBDIST_WAY_STAGED, &random),
               "world %d, %s first (%d)", (int)worlds[w], mode_text(order[first]), first);
    }
    return finish();
}
