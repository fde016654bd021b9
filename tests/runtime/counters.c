/* counters.c: what embdist_read_counters says after calls with inputs that are known: exact numbers,
 * the same in place and staged. */
#include "formats.h"
#include "ways.h"

#include "groups.h"
#include "small.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const test_dist bags = TEST_POOLED(small_bags), int8_bags = TEST_POOLED(groups_p_a1),
                       mx4_bags = TEST_POOLED(groups_p_e2), words = TEST_SEQUENCE(groups_s_a2),
                       finite = TEST_POOLED(groups_finite_tables);

/* ---- calls ---------------------------------------------------------------------------------- */

/* A value of the input; all others are 1. */
typedef struct put {
    int64_t element;
    float value;
} put;

enum { MOST_PUTS = 12, WORLD = 2 };

/* Calls of a dist whose input is the same on all ranks, and what they come to on rank 0. */
typedef struct counted {
    const char *name;
    const test_dist *entry;
    int64_t world;
    embdist_mode mode;
    embdist_direction direction;
    int64_t batch;
    put puts[MOST_PUTS];
    embdist_counters expected; /* of one call */
} counted;

static int are(const embdist_counters *got, const embdist_counters *expected, int64_t times)
{
    const int right = got->size == sizeof *got && got->calls == times * expected->calls &&
                      got->rows == times * expected->rows &&
                      got->nonfinite_rows == times * expected->nonfinite_rows &&
                      got->nans == times * expected->nans &&
                      got->saturated == times * expected->saturated;
    if (!right)
        diag("%lld calls, %lld rows, %lld not finite, %lld NaN, %lld saturated", got->calls + 0LL,
             got->rows + 0LL, got->nonfinite_rows + 0LL, got->nans + 0LL, got->saturated + 0LL);
    return right;
}

static int read_are(const embdist_dist *dist, embdist_direction direction,
                    const embdist_counters *expected, int64_t times)
{
    embdist_counters got = {.size = sizeof got};
    return !embdist_read_counters(dist, direction, &got) && are(&got, expected, times);
}

/* A local group's ranks run this. */
typedef struct run {
    const counted *what;
    embdist_way way;
    embdist_comm **comms;
    test_case *made;
    int wrong[WORLD];
} run;

static embdist_dist *open_counting(const run *all, int64_t rank)
{
    const embdist_options options = {
        .size = sizeof options, .way = all->way, .count = 1, .owners = all->made->owners};
    embdist_dist *dist = NULL;
    if (embdist_open(&dist, all->comms[rank], all->what->entry->descriptor, &options))
        bail_out("%s", embdist_last_error());
    return dist;
}

static void run_rank(int64_t rank, void *context)
{
    static const embdist_counters none = {0};
    run *all = context;
    const counted *what = all->what;
    const embdist_direction other =
        what->direction == EMBDIST_FORWARD ? EMBDIST_BACKWARD : EMBDIST_FORWARD;
    embdist_dist *dist = open_counting(all, rank);
    embdist_request *request = NULL;
    int right = read_are(dist, what->direction, &none, 1);
    for (int i = 1; i <= 2; i++) {
        right &= !case_start(all->made, rank, dist, &request) && !embdist_wait(&request, NULL);
        right &= read_are(dist, what->direction, &what->expected, i);
    }
    right &= !case_start(all->made, rank, dist, NULL);
    right &= read_are(dist, what->direction, &what->expected, 3);
    right &= read_are(dist, other, &none, 1);
    all->wrong[rank] = !right;
    embdist_close(&dist);
}

static test_case *make(const counted *what, random_state *random)
{
    const int64_t batches[WORLD] = {what->batch, what->batch};
    const case_shape shape = {.entry = what->entry,
                              .world = what->world,
                              .mode = what->mode,
                              .direction = what->direction,
                              .batch = batches};
    test_case *made = case_new(&shape, random);
    for (int64_t r = 0; r < what->world; r++) {
        const reference_format dtype = dtype_of(what->entry->descriptor);
        for (int64_t i = 0; i < made->in[r].count; i++)
            put_row_value(dtype, made->in[r].rows, i, 1);
        for (int i = 0; i < MOST_PUTS && what->puts[i].value != 0; i++)
            put_row_value(dtype, made->in[r].rows, what->puts[i].element, what->puts[i].value);
    }
    return made;
}

static void run_counted(const counted *what, random_state *random)
{
    int right = 1;
    for (int way = EMBDIST_WAY_IN_PLACE; way <= EMBDIST_WAY_STAGED; way++) {
        run all = {.what = what, .way = (embdist_way)way, .comms = new_comms(what->world)};
        all.made = make(what, random);
        run_ranks(what->world, run_rank, &all);
        right &= !all.wrong[0] && !all.wrong[what->world - 1];
        case_free(all.made);
        free_comms(what->world, all.comms);
    }
    ok(right, "%s", what->name);
}

static const counted all_counted[] = {
    /* rows of 3, 5, 5 values; two samples, a rank's each */
    {"fp16: infinities and what is too large",
     &bags,
     2,
     EMBDIST_EVEN,
     EMBDIST_FORWARD,
     1,
     {{0, 70000},
      {1, 65504},
      {3, INFINITY},
      {4, NAN},
      {5, NAN},
      {16, -INFINITY},
      {20, -65520},
      {25, NAN}},
     {.calls = 1, .rows = 6, .nonfinite_rows = 3, .nans = 3, .saturated = 4}},
    {"bf16 with a loss scale, backward",
     &bags,
     2,
     EMBDIST_RAGGED,
     EMBDIST_BACKWARD,
     1,
     {{0, 3e38F}, {7, NAN}, {8, 8e37F}},
     {.calls = 1, .rows = 3, .nonfinite_rows = 1, .nans = 1, .saturated = 1}},
    /* rows of 1, 7, 7 */
    {"int8: only infinities saturate",
     &int8_bags,
     2,
     EMBDIST_RAGGED,
     EMBDIST_FORWARD,
     1,
     {{0, INFINITY}, {1, 3.4e38F}, {3, NAN}, {4, -INFINITY}, {16, NAN}},
     {.calls = 1, .rows = 6, .nonfinite_rows = 3, .nans = 2, .saturated = 2}},
    /* fp16 rows of 2, 17, 2 values, groups of 6; the scale of the second's first group is 1, where
     * 6.5 is nearest to 6, and 7.5 would be to 8 */
    {"mx4: above the largest element",
     &mx4_bags,
     2,
     EMBDIST_EVEN,
     EMBDIST_FORWARD,
     1,
     {{0, INFINITY}, {2, 7.5F}, {3, 6.5F}, {8, NAN}, {14, -INFINITY}, {40, NAN}},
     {.calls = 1, .rows = 6, .nonfinite_rows = 3, .nans = 2, .saturated = 3}},
    {"one rank: nothing is encoded",
     &bags,
     1,
     EMBDIST_EVEN,
     EMBDIST_FORWARD,
     1,
     {{0, 70000}, {3, INFINITY}, {4, NAN}},
     {.calls = 1, .rows = 3, .nonfinite_rows = 1, .nans = 1, .saturated = 0}},
    {"no rows", &bags, 2, EMBDIST_EVEN, EMBDIST_FORWARD, 0, {{0, 0}}, {.calls = 1}},
};

/* ---- sums of repeats ------------------------------------------------------------------------ */

/* Each rank holds a row of the first of two features for each rank. Of what a rank receives, the
 * first row is named twice, and infinities of both signs become NaN. */
static void sums(int64_t rank, void *context)
{
    static const int64_t ones[WORLD] = {1, 1}, rows[] = {1, 1, 0, 0};
    static const int32_t permute[] = {0, 1, 0};
    static const embdist_counters expected = {
        .calls = 1, .rows = 2, .nonfinite_rows = 2, .nans = 1, .saturated = 1};
    run *all = context;
    const embdist_options options = {.size = sizeof options, .way = all->way, .count = 1};
    const embdist_sequence_batch batch = {.size = sizeof batch,
                                          .send_rows = ones,
                                          .recv_rows = ones,
                                          .rows = rows,
                                          .permute = permute,
                                          .output_rows = 3};
    float in[21] = {[2] = INFINITY, [14 + 2] = -INFINITY, [7 + 3] = -INFINITY}, out[14];
    embdist_dist *dist = NULL;
    all->wrong[rank] = embdist_open(&dist, all->comms[rank], words.descriptor, &options) ||
                       groups_s_a2_backward(dist, in, 21, &batch, out, 14, NULL, NULL) ||
                       !read_are(dist, EMBDIST_BACKWARD, &expected, 1);
    embdist_close(&dist);
}

/* ---- refused calls -------------------------------------------------------------------------- */

/* One that this rank refuses, one that another refuses, one for its values; then a right one. */
static void refused(int64_t rank, void *context)
{
    run *all = context;
    static const embdist_counters none = {0};
    const int64_t owners[3] = {0, 1, 1};
    const embdist_options options = {
        .size = sizeof options, .way = all->way, .count = 1, .owners = owners};
    float in[WORLD * 14], out[15];
    const int64_t count = rank ? 2 * 14 : 2;
    embdist_dist *dist = NULL;
    embdist_request *request = NULL;
    for (int i = 0; i < WORLD * 14; i++)
        in[i] = 1;
    int right = !embdist_open(&dist, all->comms[rank], finite.descriptor, &options);
    right &= groups_finite_tables_forward_even(dist, in, count + rank, 1, out, 15, NULL, NULL) ==
             (rank ? EMBDIST_INVALID_ARGUMENT : EMBDIST_REFUSED);
    right &= read_are(dist, EMBDIST_FORWARD, &none, 1);
    in[0] = rank ? 1 : NAN;
    const embdist_status status =
        groups_finite_tables_forward_even(dist, in, count, 1, out, 15, NULL, &request);
    right &= (status ? status : embdist_wait(&request, NULL)) ==
             (rank ? EMBDIST_REFUSED : EMBDIST_NONFINITE);
    right &= read_are(dist, EMBDIST_FORWARD, &none, 1);
    in[0] = 1;
    const embdist_counters one = {.calls = 1, .rows = rank ? 4 : 2};
    right &= !groups_finite_tables_forward_even(dist, in, count, 1, out, 15, NULL, NULL);
    right &= read_are(dist, EMBDIST_FORWARD, &one, 1);
    all->wrong[rank] = !right;
    embdist_close(&dist);
}

static void on_two_ranks(rank_function *function, const char *name)
{
    for (int way = EMBDIST_WAY_IN_PLACE; way <= EMBDIST_WAY_STAGED; way++) {
        run all = {.way = (embdist_way)way, .comms = new_comms(WORLD)};
        run_ranks(WORLD, function, &all);
        ok(!all.wrong[0] && !all.wrong[1], "%s, %s", name, way_text((embdist_way)way));
        free_comms(WORLD, all.comms);
    }
}

/* ---- wrong arguments ------------------------------------------------------------------------ */

static int refuses(const embdist_dist *dist, embdist_direction direction,
                   embdist_counters *counters, const char *text)
{
    const embdist_status status = embdist_read_counters(dist, direction, counters);
    return status == EMBDIST_INVALID_ARGUMENT && strstr(embdist_last_error(), text);
}

static void arguments(void)
{
    embdist_dist *off = NULL, *on = NULL;
    const embdist_options options = {.size = sizeof options, .count = 1};
    embdist_counters counters = {.size = sizeof counters, .rows = 7};
    if (open_dist(&off, NULL, &bags, EMBDIST_WAY_AUTO) ||
        embdist_open(&on, NULL, bags.descriptor, &options))
        bail_out("%s", embdist_last_error());
    ok(refuses(off, EMBDIST_FORWARD, &counters,
               "embdist_read_counters: small_bags keeps no counters, expected a dist that was "
               "opened with options->count") &&
           counters.rows == 7,
       "off by default");
    ok(refuses(NULL, EMBDIST_FORWARD, &counters, "dist is NULL"), "a closed dist");
    ok(refuses(on, (embdist_direction)2, &counters, "direction is 2"), "another direction");
    ok(refuses(on, EMBDIST_FORWARD, NULL, "counters is NULL"), "no counters");
    counters.size--;
    ok(refuses(on, EMBDIST_FORWARD, &counters, "counters is of another size"), "another size");
    embdist_close(&off);
    embdist_close(&on);
}

int main(void)
{
    const int count = sizeof all_counted / sizeof *all_counted;
    plan(count + 4 + 5);
    random_state random = random_start();
    for (int i = 0; i < count; i++)
        run_counted(&all_counted[i], &random);
    on_two_ranks(sums, "backward, the sums of rows that are repeated are counted");
    on_two_ranks(refused, "refused calls are not counted");
    arguments();
    return finish();
}
