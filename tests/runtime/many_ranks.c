/* many_ranks.c: worlds far larger than the processors, where each rank sends a little to each; and
 * skew: all rows, or nearly all, belong to one rank. */
#include "cases.h"

#include "small.h"

static const test_dist bags = TEST_POOLED(small_bags), words = TEST_SEQUENCE(small_words),
                       tables = TEST_POOLED(small_tables), lists = TEST_SEQUENCE(small_lists),
                       gathered = TEST_POOLED(small_gathered);

enum { MOST = 512 };

static int run(const case_shape *shape, random_state *random)
{
    int right = 1;
    test_case *made = case_new(shape, random);
    embdist_comm **comms = new_comms(shape->world);
    right &= cases_run(&made, 1, comms, EMBDIST_WAY_IN_PLACE);
    right &= cases_run(&made, 1, comms, EMBDIST_WAY_STAGED);
    free_comms(shape->world, comms);
    case_free(made);
    return right;
}

/* All kinds, both directions; one rank in `every` has a sample. */
static void many(int64_t world, int64_t every, random_state *random)
{
    int64_t batch[MOST] = {0};
    int right = 1;
    for (int64_t r = 0; r < world; r += every)
        batch[r] = 1;
    for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
        case_shape shape = {.entry = &bags,
                            .world = world,
                            .mode = EMBDIST_RAGGED,
                            .direction = (embdist_direction)d,
                            .batch = batch};
        right &= run(&shape, random);
        shape.entry = &tables;
        right &= run(&shape, random);
        shape.entry = &gathered;
        right &= run(&shape, random);
        shape.entry = &lists;
        shape.mode = EMBDIST_SEQUENCE;
        right &= run(&shape, random);
        shape.entry = &words;
        shape.mode = EMBDIST_SEQUENCE;
        shape.permute = PERMUTE_REPEATS;
        right &= run(&shape, random);
    }
    ok(right, "%d ranks", (int)world);
}

/* A length is 1.5 rows on average, and there are two features: 768 samples, 2304 rows a rank. */
static void skewed(int64_t only_rank, int64_t others, const char *name, random_state *random)
{
    enum { WORLD = 16, TARGET = 5 };
    int64_t batch[WORLD];
    int right = 1;
    for (int r = 0; r < WORLD; r++)
        batch[r] = r == TARGET ? (is_small() ? 60 : 768) : others;
    for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
        const case_shape shape = {.entry = &words,
                                  .world = WORLD,
                                  .mode = EMBDIST_SEQUENCE,
                                  .direction = (embdist_direction)d,
                                  .batch = batch,
                                  .only_rank = only_rank,
                                  .permute = PERMUTE_BIJECTION,
                                  .values = RANDOM_WILD};
        right &= run(&shape, random);
    }
    ok(right, "16 ranks, %s", name);
}

int main(void)
{
    plan(5);
    random_state random = random_start();
    if (is_small())
        skip("EMBDIST_TEST_SMALL", "512 ranks");
    else
        many(MOST, 61, &random);
    many(is_small() ? 31 : 97, 1, &random);
    many(is_small() ? 23 : 64, 1, &random);
    skewed(6, 20, "all rows belong to rank 5", &random);
    skewed(0, 1, "99 of 100 rows belong to rank 5", &random);
    return finish();
}
