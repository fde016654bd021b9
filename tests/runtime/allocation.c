/* allocation.c: what the runtime allocates, counted: nothing in the steady state, nothing after
 * embdist_reserve and an error where that is not enough, and all is given back: a thousand times
 * opened and closed without growth.
 *
 * Counts by taking the C library's place, which sanitizers take themselves: there, the counts are
 * skipped, and the leak checker looks. */
#include "cases.h"

#include "groups.h"
#include "small.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GLIBC__) && !TEST_ADDRESS_SANITIZER && !TEST_THREAD_SANITIZER
#define CAN_COUNT 1
#else
#define CAN_COUNT 0
#endif

static atomic_llong taken, given_back; /* calls so far */

#if CAN_COUNT
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

void *malloc(size_t size)
{
    atomic_fetch_add(&taken, 1);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    atomic_fetch_add(&taken, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
    atomic_fetch_add(&taken, 1);
    if (memory)
        atomic_fetch_add(&given_back, 1);
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    atomic_fetch_add(&taken, 1);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    atomic_fetch_add(&taken, 1);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

void free(void *memory)
{
    if (memory)
        atomic_fetch_add(&given_back, 1);
    __libc_free(memory);
}
#endif

static void count_ok(int right, int64_t count, const char *name)
{
    if (!CAN_COUNT)
        skip("a sanitizer has the C library's place", "%s", name);
    else if (!ok(right, "%s", name))
        diag("counted %" PRId64, count);
}

/* ---- steady state --------------------------------------------------------------------------- */

enum { WORLD = 3, DISTS = 9, ROUND = 15, CALLS = 2 * ROUND, IN_FLIGHT = 3, MOST_ROWS = 400 };
/* Also of groups, with rows of 16 bits, and rounded stochastically in one of the directions. */
static const test_dist entries[] = {
    TEST_POOLED(small_bags),    TEST_SEQUENCE(small_words),  TEST_POOLED(small_tables),
    TEST_SEQUENCE(small_lists), TEST_POOLED(small_gathered), TEST_POOLED(groups_p_b1),
    TEST_SEQUENCE(groups_s_c1), TEST_SEQUENCE(groups_s_c2),  TEST_POOLED(groups_g_e1)};

/* The calls of a round in one direction. */
static const struct {
    int dist;
    embdist_mode mode;
} round_of_calls[] = {{0, EMBDIST_EVEN},        {1, EMBDIST_SEQUENCE},    {0, EMBDIST_RAGGED},
                      {3, EMBDIST_SEQUENCE},    {0, EMBDIST_PER_FEATURE}, {2, EMBDIST_RAGGED},
                      {4, EMBDIST_EVEN},        {1, EMBDIST_SEQUENCE},    {2, EMBDIST_PER_FEATURE},
                      {4, EMBDIST_PER_FEATURE}, {5, EMBDIST_EVEN},        {6, EMBDIST_SEQUENCE},
                      {7, EMBDIST_SEQUENCE},    {5, EMBDIST_PER_FEATURE}, {8, EMBDIST_RAGGED}};

typedef struct steady {
    embdist_way way;
    int reserve;
    embdist_comm **comms;
    test_case *cases[CALLS];
    atomic_llong before, after;
    atomic_int at_gate;
    int wrong[WORLD];
} steady;

/* All calls, IN_FLIGHT of them at a time. */
static void call_all(steady *run, int64_t rank, embdist_dist **dists)
{
    embdist_request *requests[CALLS] = {NULL};
    char why[512];
    for (int i = 0; i < CALLS + IN_FLIGHT; i++) {
        if (i >= IN_FLIGHT) {
            run->wrong[rank] |= embdist_wait(&requests[i - IN_FLIGHT], NULL) != EMBDIST_OK;
            run->wrong[rank] |= !case_is_right(run->cases[i - IN_FLIGHT], rank, why, sizeof why);
        }
        if (i < CALLS) {
            case_reset(run->cases[i], rank);
            run->wrong[rank] |=
                case_start(run->cases[i], rank, dists[round_of_calls[i % ROUND].dist],
                           &requests[i]) != EMBDIST_OK;
        }
    }
}

/* Returns when all ranks have come; the last notes the count on the way. */
static void gate(steady *run, int turn, atomic_llong *count)
{
    if (atomic_fetch_add(&run->at_gate, 1) + 1 == turn * WORLD)
        atomic_store(count, atomic_load(&taken));
    while (atomic_load(&run->at_gate) < turn * WORLD)
        pass_time(1e-4);
}

static void run_steady(int64_t rank, void *context)
{
    steady *run = context;
    embdist_dist *dists[DISTS] = {NULL};
    for (int i = 0; i < DISTS; i++) {
        if (open_dist(&dists[i], run->comms[rank], &entries[i], run->way) ||
            (run->reserve && embdist_reserve(dists[i], MOST_ROWS, IN_FLIGHT)))
            bail_out("%s", embdist_last_error());
    }
    for (int warm = 0; warm < 2 && !run->reserve; warm++)
        call_all(run, rank, dists);
    gate(run, 1, &run->before);
    for (int round = 0; round < 20; round++)
        call_all(run, rank, dists);
    gate(run, 2, &run->after);
    for (int i = 0; i < DISTS; i++)
        embdist_close(&dists[i]);
}

static void steady_state(embdist_way way, int reserve, random_state *random)
{
    steady run = {.way = way, .reserve = reserve, .comms = new_comms(WORLD)};
    char name[128];
    for (int i = 0; i < CALLS; i++) {
        int64_t batch[WORLD];
        for (int r = 0; r < WORLD; r++)
            batch[r] = random_below(random, 9);
        const case_shape shape = {.entry = &entries[round_of_calls[i % ROUND].dist],
                                  .world = WORLD,
                                  .mode = round_of_calls[i % ROUND].mode,
                                  .direction = i / ROUND ? EMBDIST_BACKWARD : EMBDIST_FORWARD,
                                  .batch = batch,
                                  .permute = (permute_style)(1 + i % 4)};
        run.cases[i] = case_new(&shape, random);
    }
    run_ranks(WORLD, run_steady, &run);
    ok(!run.wrong[0] && !run.wrong[1] && !run.wrong[2], "results, %s%s", way_text(way),
       reserve ? ", reserved" : "");
    const int64_t count = atomic_load(&run.after) - atomic_load(&run.before);
    snprintf(name, sizeof name, "%s: no allocation %s", way_text(way),
             reserve ? "after embdist_reserve" : "in the steady state");
    count_ok(count == 0, count, name);
    for (int i = 0; i < CALLS; i++)
        case_free(run.cases[i]);
    free_comms(WORLD, run.comms);
}

/* ---- capacity ------------------------------------------------------------------------------- */

/* Rank 1 asks for more than it reserved; a call that fits works before and after. */
typedef struct capacity {
    embdist_comm **comms;
    char why[2][512];
} capacity;

static void expect(capacity *run, int64_t rank, embdist_status status, embdist_status expected,
                   const char *text)
{
    if (status != expected || !strstr(embdist_last_error(), text))
        snprintf(run->why[rank], sizeof run->why[rank], "rank %" PRId64 ": %s \"%s\", expected %s",
                 rank, embdist_status_name(status), embdist_last_error(), text);
}

static void run_capacity(int64_t rank, void *context)
{
    capacity *run = context;
    embdist_dist *dist = NULL;
    embdist_request *first = NULL, *second = NULL;
    float in[2 * 9 * 7] = {0}, out[2][9 * 7];
    if (embdist_open(&dist, run->comms[rank], &small_only_even, NULL))
        bail_out("%s", embdist_last_error());
    expect(run, rank, embdist_reserve(dist, rank ? 0 : 8, 1),
           rank ? EMBDIST_INVALID_ARGUMENT : EMBDIST_REFUSED, "max_rows is 0, expected 1 or more");
    expect(run, rank, embdist_reserve(dist, 8, rank ? 65 : 1),
           rank ? EMBDIST_INVALID_ARGUMENT : EMBDIST_REFUSED,
           "max_requests is 65, expected at most 64");
    expect(run, rank, embdist_reserve(dist, INT64_MAX / 30, 1), EMBDIST_INVALID_ARGUMENT,
           "more than int64 can count");
    expect(run, rank, embdist_reserve(dist, 8, 1), EMBDIST_OK, "");
    expect(run, rank, embdist_reserve(dist, 9, 1), EMBDIST_INVALID_ARGUMENT,
           "the capacity is fixed already");
    expect(run, rank,
           small_only_even_forward_even(dist, in, 2 * 5 * 7, 5, out[0], 5 * 7, NULL, NULL),
           EMBDIST_INVALID_ARGUMENT, "the call has 10 rows, expected at most the 8");
    expect(run, rank,
           small_only_even_forward_even(dist, in, 2 * 4 * 7, 4, out[0], 4 * 7, NULL, &first),
           EMBDIST_OK, "");
    expect(run, rank,
           small_only_even_forward_even(dist, in, 2 * 4 * 7, 4, out[1], 4 * 7, NULL, &second),
           EMBDIST_INVALID_ARGUMENT, "a request more than the 1 that embdist_reserve fixed");
    expect(run, rank, embdist_wait(&first, NULL), EMBDIST_OK, "");
    expect(run, rank,
           small_only_even_forward_even(dist, in, 2 * 4 * 7, 4, out[1], 4 * 7, NULL, &second),
           EMBDIST_OK, "");
    expect(run, rank, embdist_wait(&second, NULL), EMBDIST_OK, "");
    embdist_close(&dist);
}

/* The rows of the larger side count: out's, where all ranks' samples come together. */
static void run_gathered(int64_t rank, void *context)
{
    capacity *run = context;
    embdist_dist *dist = NULL;
    float in[3 * 13] = {0}, out[2 * 3 * 13];
    if (embdist_open(&dist, run->comms[rank], &small_gathered, NULL))
        bail_out("%s", embdist_last_error());
    expect(run, rank, embdist_reserve(dist, 12, 1), EMBDIST_OK, "");
    expect(run, rank, small_gathered_forward_even(dist, in, 3 * 13, 3, out, 2 * 3 * 13, NULL, NULL),
           EMBDIST_INVALID_ARGUMENT, "the call has 18 rows, expected at most the 12");
    expect(run, rank, small_gathered_forward_even(dist, in, 2 * 13, 2, out, 2 * 2 * 13, NULL, NULL),
           EMBDIST_OK, "");
    embdist_close(&dist);
}

static void capacities(void)
{
    capacity run = {.comms = new_comms(2)};
    run_ranks(2, run_capacity, &run);
    for (int r = 0; r < 2; r++)
        if (*run.why[r])
            diag("%s", run.why[r]);
    ok(!*run.why[0] && !*run.why[1], "what passes the reserved capacity is refused");
    run_ranks(2, run_gathered, &run);
    ok(!*run.why[0] && !*run.why[1], "and so on the out side %s%s", run.why[0], run.why[1]);
    ok(embdist_reserve(NULL, 1, 1) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "dist is NULL"),
       "reserving for a closed dist is refused");
    free_comms(2, run.comms);
}

/* ---- opening and closing -------------------------------------------------------------------- */

static void open_and_close(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    for (int i = 0; i < 2; i++) {
        embdist_dist *dist = NULL;
        const embdist_sequence_batch empty = {.size = sizeof empty,
                                              .send_rows = (const int64_t[]){0, 0},
                                              .recv_rows = (const int64_t[]){0, 0},
                                              .rows = (const int64_t[]){0, 0, 0, 0}};
        if (open_dist(&dist, comms[rank], &entries[1], i ? EMBDIST_WAY_STAGED : EMBDIST_WAY_AUTO) ||
            small_words_forward(dist, NULL, 0, &empty, NULL, 0, NULL, NULL) ||
            small_words_forward(dist, NULL, 1, &empty, NULL, 0, NULL, NULL) !=
                EMBDIST_INVALID_ARGUMENT)
            bail_out("%s", embdist_last_error());
        embdist_close(&dist);
    }
}

/* Memory that nobody has given back, in blocks. */
static int64_t blocks_held(void)
{
    return atomic_load(&taken) - atomic_load(&given_back);
}

static void cycles(void)
{
    const int count = is_small() ? 20 : 1000;
    int64_t before = 0, after;
    for (int i = 0; i < count + 10; i++) {
        embdist_comm **comms = new_comms(2);
        run_ranks(2, open_and_close, comms);
        free_comms(2, comms);
        if (i == 9) /* threads' stacks and such are there now */
            before = blocks_held();
    }
    after = blocks_held();
    count_ok(after <= before, after - before, "a group opened and closed again and again");

    embdist_comm **comms = new_comms(2);
    run_ranks(2, open_and_close, comms);
    before = blocks_held();
    for (int i = 0; i < count; i++)
        run_ranks(2, open_and_close, comms);
    after = blocks_held();
    /* Each rank may keep one sentence of a refusal for each of the places of its comm. */
    count_ok(after - before <= 2 * EMBDIST_MAX_REQUESTS, after - before,
             "dists of one comm opened and closed again and again");
    free_comms(2, comms);

    before = blocks_held();
    for (int i = 0; i < count; i++) {
        embdist_dist *dist = NULL;
        if (embdist_open(&dist, NULL, &small_bags, NULL) ||
            small_bags_forward_even(dist, NULL, 0, 0, NULL, 0, NULL, NULL))
            bail_out("%s", embdist_last_error());
        embdist_close(&dist);
    }
    after = blocks_held();
    count_ok(after <= before, after - before, "dists without a comm opened and closed");
}

int main(void)
{
    plan(4 * 2 + 3 + 3);
    random_state random = random_start();
    for (int reserve = 0; reserve < 2; reserve++) {
        steady_state(EMBDIST_WAY_IN_PLACE, reserve, &random);
        steady_state(EMBDIST_WAY_STAGED, reserve, &random);
    }
    capacities();
    cycles();
    return finish();
}
