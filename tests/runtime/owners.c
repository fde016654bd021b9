/* owners.c: the owners of table-wise features: any assignment gives what the reference expects, a
 * copy of them is kept, and wrong ones are refused when a dist is opened, with a sentence that names
 * the feature. */
#include "cases.h"

#include "small.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORLD = 3, FEATURES = 4 };

static const test_dist tables = TEST_POOLED(small_tables), lists = TEST_SEQUENCE(small_lists);

/* ---- right ones ----------------------------------------------------------------------------- */

typedef struct assignment {
    const char *name;
    int64_t owners[FEATURES];
} assignment;

static const assignment assignments[] = {
    {"in the order of ranks", {0, 1, 1, 2}},
    {"against the order of ranks", {2, 1, 0, 0}},
    {"in turn, so that features of one rank are not neighbours", {0, 2, 0, 2}},
    {"all of the first rank", {0, 0, 0, 0}},
    {"all of the last rank", {2, 2, 2, 2}},
    {"the first rank none", {1, 2, 2, 1}},
    {"a rank between none", {2, 0, 2, 0}},
};

/* Every mode and direction, in one way. */
static int run_assignment(const int64_t *owners, embdist_comm **comms, embdist_way way,
                          random_state *random)
{
    int right = 1;
    for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
            static const int64_t batch[WORLD] = {4, 0, 7};
            const case_shape shape = {.entry = m == EMBDIST_SEQUENCE ? &lists : &tables,
                                      .world = WORLD,
                                      .mode = (embdist_mode)m,
                                      .direction = (embdist_direction)d,
                                      .batch = batch,
                                      .lengths = d,
                                      .values = RANDOM_WILD,
                                      .owners = owners};
            test_case *made = case_new(&shape, random);
            right &= cases_run(&made, 1, comms, way);
            case_free(made);
        }
    return right;
}

static void right_owners(random_state *random)
{
    for (size_t i = 0; i < sizeof assignments / sizeof *assignments; i++) {
        embdist_comm **comms = new_comms(WORLD);
        const int64_t *owners = assignments[i].owners;
        const int in_place = run_assignment(owners, comms, EMBDIST_WAY_IN_PLACE, random);
        const int staged = run_assignment(owners, comms, EMBDIST_WAY_STAGED, random);
        ok(in_place && staged, "%s", assignments[i].name);
        free_comms(WORLD, comms);
    }
}

/* ---- the copy ------------------------------------------------------------------------------- */

/* What the caller's list becomes after the dist is opened is nobody's business. */
static void open_and_forget(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    int64_t owners[FEATURES] = {2, 0, 2, 0};
    const embdist_options options = {.size = sizeof options, .owners = owners};
    embdist_dist *dist = NULL;
    if (embdist_open(&dist, comms[rank], &small_tables, &options))
        bail_out("%s", embdist_last_error());
    for (int f = 0; f < FEATURES; f++)
        owners[f] = 77;
    const embdist_batch batch = {.size = sizeof batch, .mode = EMBDIST_EVEN, .even = 1};
    embdist_lengths_result result = {.size = sizeof result};
    const int64_t expected[WORLD] = {3 * (5 + 2), 0, 3 * (3 + 5)};
    if (embdist_lengths(dist, &batch, &result) || result.local_count != expected[rank])
        comms[WORLD + rank] = comms[rank];
    embdist_close(&dist);
}

static void copies(void)
{
    embdist_comm *comms[2 * WORLD] = {NULL};
    embdist_comm_local(WORLD, comms);
    run_ranks(WORLD, open_and_forget, comms);
    ok(!comms[WORLD] && !comms[WORLD + 1] && !comms[WORLD + 2], "owners are copied");
    for (int r = 0; r < WORLD; r++)
        embdist_comm_free(&comms[r]);
}

/* ---- wrong ones ----------------------------------------------------------------------------- */

/* An open on all ranks, of which the odd one's owners are others. */
typedef struct wrong_open {
    const char *name;
    const embdist_descriptor *descriptor;
    const int64_t *usual, *odd; /* [FEATURES], or NULL */
    embdist_status status, others;
    const char *says; /* the sentence has it; where ranks disagree, before the values */
    int64_t usual_value, odd_value;
} wrong_open;

typedef struct opening {
    const wrong_open *tried;
    int64_t odd_rank;
    char says[256];
    embdist_comm **comms;
    char why[WORLD][1024];
} opening;

static void open_rank(int64_t rank, void *context)
{
    static const int64_t right[FEATURES] = {0, 1, 2, 0};
    opening *run = context;
    const wrong_open *tried = run->tried;
    embdist_dist *dist = NULL;
    const int odd = rank == run->odd_rank;
    const embdist_status expected = odd ? tried->status : tried->others;
    embdist_options options = {.size = sizeof options, .owners = odd ? tried->odd : tried->usual};
    const embdist_status status =
        embdist_open(&dist, run->comms[rank], tried->descriptor, &options);
    const int good = status == expected && !dist && strstr(embdist_last_error(), run->says);
    if (!good)
        snprintf(run->why[rank], sizeof run->why[rank],
                 "rank %" PRId64 " got %s \"%s\", expected %s \"%s\"", rank,
                 embdist_status_name(status), embdist_last_error(), embdist_status_name(expected),
                 run->says);
    options.owners = right;
    if (embdist_open(&dist, run->comms[rank], &small_tables, &options) && good)
        snprintf(run->why[rank], sizeof run->why[rank], "the next open: %s", embdist_last_error());
    embdist_close(&dist);
}

/* The ranks are compared with rank 0, in order. */
static void say(opening *run)
{
    const wrong_open *tried = run->tried;
    const int zero = run->odd_rank == 0;
    if (tried->status != EMBDIST_MISMATCH)
        snprintf(run->says, sizeof run->says, "%s", tried->says);
    else
        snprintf(run->says, sizeof run->says,
                 "%s is %" PRId64 " on rank 0 and %" PRId64 " on rank %" PRId64
                 ", expected the same on every rank",
                 tried->says, zero ? tried->odd_value : tried->usual_value,
                 zero ? tried->usual_value : tried->odd_value, zero ? 1 : run->odd_rank);
}

static void wrong_owners(const wrong_open *tried)
{
    int right = 1;
    for (int64_t odd = 0; odd < WORLD; odd++) {
        opening run = {.tried = tried, .odd_rank = odd, .comms = new_comms(WORLD)};
        say(&run);
        run_ranks(WORLD, open_rank, &run);
        for (int r = 0; r < WORLD; r++)
            if (*run.why[r]) {
                diag("rank %" PRId64 " is the odd one: %s", odd, run.why[r]);
                right = 0;
            }
        free_comms(WORLD, run.comms);
    }
    ok(right, "%s", tried->name);
}

static const int64_t usual[FEATURES] = {0, 1, 1, 2}, last_differs[FEATURES] = {0, 1, 1, 0},
                     two_differ[FEATURES] = {0, 2, 1, 0}, too_high[FEATURES] = {0, 1, 3, 2},
                     negative[FEATURES] = {0, -1, 1, 2};

static const _Alignas(int64_t) char misaligned[(FEATURES + 1) * sizeof(int64_t)];

#define REFUSED EMBDIST_INVALID_ARGUMENT, EMBDIST_REFUSED
#define DISAGREE EMBDIST_MISMATCH, EMBDIST_MISMATCH
static const wrong_open wrong[] = {
    {"no owners of tables", &small_tables, usual, NULL, REFUSED,
     "embdist_open: options->owners is NULL, expected the ranks that own the 4 features of "
     "small_tables, since it is tw_pooled",
     0, 0},
    {"no owners of lists", &small_lists, usual, NULL, REFUSED, "the 4 features of small_lists", 0,
     0},
    {"a rank that there is not", &small_tables, usual, too_high, REFUSED,
     "embdist_open: options->owners[2] (\"country\") is 3, expected a rank from 0 to 2", 0, 0},
    {"a negative rank", &small_lists, usual, negative, REFUSED,
     "embdist_open: options->owners[1] (\"buys\") is -1, expected a rank from 0 to 2", 0, 0},
    {"misaligned owners", &small_lists, usual, (const void *)(misaligned + 4), REFUSED,
     "embdist_open: options->owners is misaligned: its address is 4 past a multiple of 8", 0, 0},
    {"owners of row-wise features", &small_bags, NULL, usual, REFUSED,
     "embdist_open: options->owners is not NULL, expected NULL for small_bags: every rank holds "
     "every feature of rw_pooled",
     0, 0},
    {"owners of a gather", &small_gathered, NULL, usual, REFUSED, "of all_gather", 0, 0},
    {"another owner on one rank", &small_tables, usual, last_differs, DISAGREE,
     "embdist_open: options->owners[3] (\"device\")", 2, 0},
    {"two other owners on one rank", &small_lists, usual, two_differ, DISAGREE,
     "embdist_open: options->owners[1] (\"buys\")", 1, 2},
};

/* ---- one rank ------------------------------------------------------------------------------- */

static void one_rank(void)
{
    static const int64_t own[FEATURES] = {0, 0, 0, 0}, other[FEATURES] = {0, 0, 1, 0};
    const embdist_options given = {.size = sizeof given, .owners = own};
    const embdist_options wrong_one = {.size = sizeof given, .owners = other};
    float in[2 * 15], out[2 * 15] = {0};
    embdist_dist *dist = NULL;
    for (int i = 0; i < 2 * 15; i++)
        in[i] = (float)i / 3;
    ok(!embdist_open(&dist, NULL, &small_tables, NULL) &&
           !small_tables_forward_even(dist, in, 2 * 15, 2, out, 2 * 15, NULL, NULL) &&
           memcmp(in, out, sizeof in) == 0,
       "one rank owns all without being told");
    embdist_close(&dist);
    ok(!embdist_open(&dist, NULL, &small_tables, &given), "or when it is told");
    embdist_close(&dist);
    ok(embdist_open(&dist, NULL, &small_tables, &wrong_one) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "is 1, expected a rank from 0 to 0"),
       "but not that another does");
}

int main(void)
{
    const int right_count = sizeof assignments / sizeof *assignments;
    const int wrong_count = sizeof wrong / sizeof *wrong;
    plan(right_count + 1 + wrong_count + 3);
    random_state random = random_start();
    right_owners(&random);
    copies();
    for (int i = 0; i < wrong_count; i++)
        wrong_owners(&wrong[i]);
    one_rank();
    return finish();
}
