/* disagree.c: calls that are right by themselves but do not fit together: every rank gets
 * EMBDIST_MISMATCH with a sentence that names what differs, no byte of any output changes, and the
 * next calls work. */
#include "cases.h"

#include "small.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const test_dist bags = TEST_POOLED(small_bags), sums = TEST_POOLED(small_sums),
                       one_feature = TEST_POOLED(small_finite_bags),
                       words = TEST_SEQUENCE(small_words), tables = TEST_POOLED(small_tables),
                       lists = TEST_SEQUENCE(small_lists), gathered = TEST_POOLED(small_gathered);

enum { WORLD = 3, STEPS = 2, TEXTS = 3, TEXT = 160 };

/* What the ranks do: in each step, the odd rank its call and the others theirs. */
typedef struct conflict {
    const test_dist *entries[2]; /* to open, in this order; the second may be NULL */
    int64_t odd;
    int steps;
    test_case *usual[STEPS], *odd_case[STEPS]; /* NULL: the odd rank opens or reserves */
    int reserves;
    embdist_way way;
    char says[TEXTS][TEXT];
    embdist_comm **comms;
    char why[WORLD][1024];
} conflict;

static int is_refused(const conflict *run, embdist_status status)
{
    for (int i = 0; i < TEXTS; i++)
        if (!strstr(embdist_last_error(), run->says[i]))
            return 0;
    return status == EMBDIST_MISMATCH;
}

static embdist_status do_step(const conflict *run, int step, int64_t rank, embdist_dist **dists)
{
    const test_case *made = rank == run->odd ? run->odd_case[step] : run->usual[step];
    embdist_dist *other = NULL;
    if (!made && run->reserves)
        return embdist_reserve(dists[0], 10, 1);
    if (!made)
        return open_dist(&other, run->comms[rank], &words, run->way);
    case_reset(made, rank);
    return case_start(made, rank, dists[made->shape.entry == run->entries[1]], NULL);
}

static void run_rank(int64_t rank, void *context)
{
    conflict *run = context;
    embdist_dist *dists[3] = {NULL};
    char *why = run->why[rank];
    const size_t size = sizeof run->why[rank];
    embdist_status status = EMBDIST_OK;
    for (int i = 0; i < 2 && run->entries[i]; i++)
        if (open_dist(&dists[i], run->comms[rank], run->entries[i], run->way))
            bail_out("open: %s", embdist_last_error());
    for (int step = 0; step < run->steps && !*why; step++) {
        const test_case *made = rank == run->odd ? run->odd_case[step] : run->usual[step];
        status = do_step(run, step, rank, dists);
        if (!is_refused(run, status))
            snprintf(why, size, "rank %" PRId64 " got %s \"%s\", expected \"%s\" \"%s\" \"%s\"",
                     rank, embdist_status_name(status), embdist_last_error(), run->says[0],
                     run->says[1], run->says[2]);
        else if (made && !buffer_is_untouched(&made->out[rank]))
            snprintf(why, size, "rank %" PRId64 ": the output changed", rank);
    }
    /* What fits together works, an open too. */
    test_case *right = run->usual[0];
    case_reset(right, rank);
    status = case_start(right, rank, dists[right->shape.entry == run->entries[1]], NULL);
    if (!status)
        status = open_dist(&dists[2], run->comms[rank], &sums, run->way);
    if (status && !*why)
        snprintf(why, size, "rank %" PRId64 ", afterwards: %s", rank, embdist_last_error());
    else if (!*why)
        case_is_right(right, rank, why, size);
    for (int i = 0; i < 3; i++)
        embdist_close(&dists[i]);
}

static void try_conflict(conflict *run, const char *name)
{
    int right = 1;
    run->comms = new_comms(WORLD);
    run_ranks(WORLD, run_rank, run);
    for (int r = 0; r < WORLD; r++)
        if (*run->why[r]) {
            diag("odd rank %" PRId64 ", %s: %s", run->odd, way_text(run->way), run->why[r]);
            right = 0;
        }
    ok(right, "%s, rank %" PRId64 " is the odd one", name, run->odd);
    free_comms(WORLD, run->comms);
    for (int i = 0; i < run->steps; i++) {
        case_free(run->usual[i]);
        if (run->odd_case[i])
            case_free(run->odd_case[i]);
    }
}

/* A call whose batch is `more` samples larger on every rank that `where` names (-1: all). */
static test_case *a_call(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                         int where, int64_t more)
{
    int64_t batch[WORLD] = {4, 2, 3};
    random_state random = {5};
    for (int r = 0; r < WORLD; r++)
        batch[r] += where == r || where < 0 ? more : 0;
    const case_shape shape = {.entry = entry,
                              .world = WORLD,
                              .mode = mode,
                              .direction = direction,
                              .batch = batch,
                              .only_rank = entry == &words && where == WORLD ? 1 : 0};
    return case_new(&shape, &random);
}

/* Changes what a rank expects of another by `more` rows. */
static void expect_more(test_case *made, int64_t rank, int64_t from, int64_t more)
{
    buffer *side = made->shape.direction == EMBDIST_FORWARD ? &made->out[rank] : &made->in[rank];
    made->recv[rank * WORLD + from] += more;
    const int64_t count = side->count + more * made->dim;
    buffer_free(side);
    buffer_make(side, count, 0);
}

static void one_call(const char *name, test_case *usual, test_case *odd_case, int64_t odd,
                     const char *a, const char *b, const char *c)
{
    conflict run = {.entries = {&bags, &sums},
                    .odd = odd,
                    .steps = 1,
                    .usual = {usual},
                    .odd_case = {odd_case},
                    .way = odd ? EMBDIST_WAY_IN_PLACE : EMBDIST_WAY_STAGED};
    if (usual->shape.entry != &bags)
        run.entries[1] = usual->shape.entry;
    snprintf(run.says[0], TEXT, "%s", a);
    snprintf(run.says[1], TEXT, "%s", b);
    snprintf(run.says[2], TEXT, "%s", c);
    try_conflict(&run, name);
}

/* S[from][rank] is another number on the two sides. */
static void pairs(const char *name, const test_dist *entry, int none_sent,
                  embdist_direction direction, int64_t more)
{
    const int64_t rank = 1, from = 0;
    char sent[TEXT], expected[TEXT];
    test_case *usual = a_call(entry, EMBDIST_SEQUENCE, direction, none_sent ? WORLD : 0, 0);
    test_case *odd_case = a_call(entry, EMBDIST_SEQUENCE, direction, none_sent ? WORLD : 0, 0);
    const int64_t count = usual->send[from * WORLD + rank];
    expect_more(odd_case, rank, from, more == 0 ? -count : more);
    snprintf(sent, TEXT, ": rank 0 has send_rows[1] = %" PRId64 ", but", count);
    snprintf(expected, TEXT, "rank 1 has recv_rows[0] = %" PRId64 "; expected equal numbers",
             odd_case->recv[rank * WORLD + from]);
    one_call(name, usual, odd_case, rank, sent, expected, "");
}

static void counts(void)
{
    char text[TEXT];
    for (int64_t odd = 0; odd < WORLD; odd++) {
        const int64_t other = odd ? odd : 1; /* the first rank that is not as rank 0 */
        snprintf(text, TEXT, "rank 0 has %d, rank %" PRId64 " has %d", odd ? 4 : 5, other,
                 odd ? 5 : 4);
        one_call("another even batch", a_call(&bags, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0),
                 a_call(&bags, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 1), odd,
                 "small_bags_forward_even: ranks disagree on batch: ", text,
                 "expected the same on every rank");
        snprintf(text, TEXT, "rank 0 has %d, rank %" PRId64 " has %d", odd ? 2 : 3, other,
                 odd ? 3 : 2);
        one_call("another batch of one rank", a_call(&sums, EMBDIST_RAGGED, EMBDIST_BACKWARD, 1, 0),
                 a_call(&sums, EMBDIST_RAGGED, EMBDIST_BACKWARD, 1, 1), odd,
                 "small_sums_backward_ragged: ranks disagree on batch_per_rank[1]: ", text, "");
        one_call("another batch of one rank's first feature",
                 a_call(&sums, EMBDIST_PER_FEATURE, EMBDIST_FORWARD, 1, 0),
                 a_call(&sums, EMBDIST_PER_FEATURE, EMBDIST_FORWARD, 1, 1), odd,
                 "ranks disagree on batch_per_rank_feature[1][0]: ", text, "");
    }
    for (int64_t odd = 0; odd < WORLD; odd++) {
        one_call("another batch of table-wise features",
                 a_call(&tables, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0),
                 a_call(&tables, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 1), odd,
                 "small_tables_forward_even: ranks disagree on batch: ", "", "");
        one_call(
            "another batch of one rank, of table-wise features",
            a_call(&tables, EMBDIST_PER_FEATURE, EMBDIST_BACKWARD, 2, 0),
            a_call(&tables, EMBDIST_PER_FEATURE, EMBDIST_BACKWARD, 2, 1), odd,
            "small_tables_backward_per_feature: ranks disagree on batch_per_rank_feature[2][0]: ",
            "", "");
        one_call("another batch of one rank, gathered",
                 a_call(&gathered, EMBDIST_RAGGED, EMBDIST_FORWARD, 2, 0),
                 a_call(&gathered, EMBDIST_RAGGED, EMBDIST_FORWARD, 2, 1), odd,
                 "small_gathered_forward_ragged: ranks disagree on batch_per_rank[2]: ", "", "");
        one_call("another mode of a gather",
                 a_call(&gathered, EMBDIST_RAGGED, EMBDIST_BACKWARD, -1, 0),
                 a_call(&gathered, EMBDIST_EVEN, EMBDIST_BACKWARD, -1, 0), odd,
                 "ranks disagree on the call: ", "small_gathered_backward_ragged",
                 "small_gathered_backward_even");
    }
    pairs("a row more expected than is sent", &words, 0, EMBDIST_FORWARD, 1);
    pairs("a row more expected than an owner sends", &lists, 0, EMBDIST_FORWARD, 1);
    pairs("a row more expected in backward than an owner sent", &lists, 0, EMBDIST_BACKWARD, 1);
    pairs("a row less expected than is sent", &words, 0, EMBDIST_BACKWARD, -1);
    pairs("rows expected where none are sent", &words, 1, EMBDIST_FORWARD, 4);
    pairs("no rows expected where some are sent", &words, 0, EMBDIST_BACKWARD, 0);
}

static void functions(void)
{
    for (int64_t odd = 0; odd < WORLD; odd++) {
        one_call(
            "another mode with equal counts", a_call(&sums, EMBDIST_RAGGED, EMBDIST_FORWARD, -1, 0),
            a_call(&sums, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0), odd,
            "ranks disagree on the call: ", "small_sums_forward_ragged", "small_sums_forward_even");
        one_call("another mode with the same list of counts",
                 a_call(&one_feature, EMBDIST_RAGGED, EMBDIST_BACKWARD, -1, 0),
                 a_call(&one_feature, EMBDIST_PER_FEATURE, EMBDIST_BACKWARD, -1, 0), odd,
                 "ranks disagree on the call: ", "small_finite_bags_backward_ragged",
                 "small_finite_bags_backward_per_feature");
        one_call("the other direction", a_call(&sums, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0),
                 a_call(&sums, EMBDIST_EVEN, EMBDIST_BACKWARD, -1, 0), odd,
                 "ranks disagree on the call: ", "small_sums_forward_even",
                 "small_sums_backward_even");
        one_call("an open among calls", a_call(&bags, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0), NULL,
                 odd, "ranks disagree on the call: ", "in embdist_open of small_words",
                 "small_bags_forward_even");
        conflict run = {.entries = {&bags},
                        .odd = odd,
                        .steps = 1,
                        .usual = {a_call(&bags, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0)},
                        .reserves = 1,
                        .says = {"ranks disagree on the call: ", "in embdist_reserve of small_bags",
                                 "small_bags_forward_even"}};
        try_conflict(&run, "a reserve among calls");
    }
}

/* One rank calls A then B, the others B then A: both steps are refused on all. */
static void order(void)
{
    for (int64_t odd = 0; odd < WORLD; odd++) {
        conflict run = {.entries = {&bags, &sums},
                        .odd = odd,
                        .steps = 2,
                        .usual = {a_call(&bags, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0),
                                  a_call(&sums, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0)},
                        .odd_case = {a_call(&sums, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0),
                                     a_call(&bags, EMBDIST_EVEN, EMBDIST_FORWARD, -1, 0)},
                        .way = EMBDIST_WAY_STAGED,
                        .says = {"expected the same calls in the same order",
                                 "small_bags_forward_even", "small_sums_forward_even"}};
        try_conflict(&run, "two dists in another order");
    }
}

int main(void)
{
    plan(7 * WORLD + 6 + 5 * WORLD + WORLD);
    counts();
    functions();
    order();
    return finish();
}
