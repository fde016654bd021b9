/* time_limit.c: ranks that never come, come late, or start and never wait. The others get a sentence
 * that names op, step and rank within the limit, every later call refuses with the first sentence,
 * nothing hangs, and no rank reads what another has freed after its error: each rank's buffers are
 * its own and freed at once, for AddressSanitizer to see. */
#include "cases.h"

#include "small.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const test_dist bags = TEST_POOLED(small_bags), words = TEST_SEQUENCE(small_words);

enum { WORLD = 3 };
static const double limit = 0.3, patience = 20; /* the machine may be slow, but not that slow */

/* What a rank does, in order; missing calls are EMBDIST_OK and "". */
typedef struct outcome {
    embdist_status open, call, later, reopen;
    char sentence[512], later_sentence[512];
    double seconds; /* of the call */
} outcome;

typedef struct scene scene;
struct scene {
    embdist_way way;
    test_case *made;
    embdist_comm **comms;
    void (*odd)(scene *run, int64_t rank, embdist_dist *dist); /* instead of the call; or NULL */
    int64_t odd_rank;
    int late_open;
    outcome of[WORLD];
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int ready; /* ranks that got their error */
};

/* The call with buffers that are gone when it returns. */
static embdist_status call_with_own(const scene *run, int64_t rank, embdist_dist *dist)
{
    test_call call = case_call(run->made, rank);
    float *in = take(call.in_count, sizeof *in), *out = take(call.out_count, sizeof *out);
    memcpy(in, run->made->in[rank].data, (size_t)call.in_count * sizeof *in);
    call.in = in;
    call.out = out;
    embdist_request *request = NULL;
    embdist_status status = start_call(&call, dist, &request);
    if (!status)
        status = embdist_wait(&request, NULL);
    free(in);
    free(out);
    return status;
}

static void count_ready(scene *run)
{
    pthread_mutex_lock(&run->mutex);
    run->ready++;
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->mutex);
}

static void await_ready(scene *run, int count)
{
    pthread_mutex_lock(&run->mutex);
    while (run->ready < count)
        pthread_cond_wait(&run->changed, &run->mutex);
    pthread_mutex_unlock(&run->mutex);
}

static void run_rank(int64_t rank, void *context)
{
    scene *run = context;
    outcome *mine = &run->of[rank];
    embdist_dist *dist = NULL, *other = NULL;
    if (embdist_comm_set_time_limit(run->comms[rank], limit))
        bail_out("%s", embdist_last_error());
    mine->open = open_dist(&dist, run->comms[rank], run->made->shape.entry, run->way);
    if (mine->open)
        bail_out("open: %s", embdist_last_error());
    const double started = clock_seconds();
    if (run->odd && rank == run->odd_rank)
        run->odd(run, rank, dist);
    else
        mine->call = call_with_own(run, rank, dist);
    mine->seconds = clock_seconds() - started;
    if (mine->call)
        snprintf(mine->sentence, sizeof mine->sentence, "%s", embdist_last_error());
    if (!run->odd || rank != run->odd_rank)
        count_ready(run);
    mine->later = call_with_own(run, rank, dist);
    snprintf(mine->later_sentence, sizeof mine->later_sentence, "%s", embdist_last_error());
    mine->reopen = embdist_open(&other, run->comms[rank], &small_sums, NULL);
    if (embdist_close(&dist))
        bail_out("close: %s", embdist_last_error());
    embdist_comm_free(&run->comms[rank]);
}

static void run_scene(scene *run, const test_dist *entry, embdist_mode mode,
                      embdist_direction direction)
{
    static const int64_t batch[] = {4, 2, 3};
    random_state random = {3};
    const case_shape shape = {.entry = entry,
                              .world = WORLD,
                              .mode = mode,
                              .direction = direction,
                              .batch = batch,
                              .permute = PERMUTE_REPEATS};
    run->made = case_new(&shape, &random);
    run->comms = new_comms(WORLD);
    pthread_mutex_init(&run->mutex, NULL);
    pthread_cond_init(&run->changed, NULL);
    run_ranks(WORLD, run_rank, run);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->mutex);
    free(run->comms);
    case_free(run->made);
}

/* The waiting ranks timed out with a sentence that says `texts`, and then everybody refuses. */
static int waiting_ranks_are_right(const scene *run, const char *const texts[3])
{
    int right = 1;
    for (int64_t r = 0; r < WORLD; r++) {
        const outcome *of = &run->of[r];
        if (r != run->odd_rank) {
            int good = of->call == EMBDIST_TIMED_OUT && of->seconds >= limit * 0.9 &&
                       of->seconds < patience;
            for (int i = 0; i < 3; i++)
                good &= strstr(of->sentence, texts[i]) != NULL;
            if (!good)
                diag("rank %" PRId64 " after %.2f s: %s \"%s\"", r, of->seconds,
                     embdist_status_name(of->call), of->sentence);
            right &= good;
        }
        const char *first = run->of[(run->odd_rank + 1) % WORLD].sentence;
        if (of->later != EMBDIST_BROKEN || of->reopen != EMBDIST_BROKEN ||
            !strstr(of->later_sentence, "the comm is unusable since an earlier error: ") ||
            !strstr(of->later_sentence, first)) {
            diag("rank %" PRId64 ", later: %s \"%s\"", r, embdist_status_name(of->later),
                 of->later_sentence);
            right = 0;
        }
    }
    return right;
}

/* ---- what the odd rank does */

static void never_comes(scene *run, int64_t rank, embdist_dist *dist)
{
    (void)rank;
    (void)dist;
    await_ready(run, WORLD - 1);
}

static void comes_late(scene *run, int64_t rank, embdist_dist *dist)
{
    await_ready(run, WORLD - 1);
    run->of[rank].call = call_with_own(run, rank, dist);
}

static void closed_dist(scene *run, int64_t rank, embdist_dist *dist)
{
    (void)dist;
    run->of[rank].call = call_with_own(run, rank, NULL);
    snprintf(run->of[rank].sentence, sizeof run->of[rank].sentence, "%s", embdist_last_error());
    await_ready(run, WORLD - 1);
}

/* Starts, so that the others can read, and waits only when they have given up. */
static void starts_only(scene *run, int64_t rank, embdist_dist *dist)
{
    embdist_request *request = NULL;
    embdist_dist *closing = dist;
    case_reset(run->made, rank);
    if (case_start(run->made, rank, dist, &request))
        bail_out("start: %s", embdist_last_error());
    await_ready(run, WORLD - 1);
    if (embdist_close(&closing) != EMBDIST_INVALID_ARGUMENT || !closing ||
        !strstr(embdist_last_error(), "1 requests of small_"))
        bail_out("a dist with a request in flight was closed: %s", embdist_last_error());
    run->of[rank].call = embdist_wait(&request, NULL);
}

static const struct {
    const char *name;
    void (*odd)(scene *run, int64_t rank, embdist_dist *dist);
    embdist_status own; /* of the odd rank's call */
    const char *state;
} manners[] = {
    {"never comes", never_comes, EMBDIST_OK, "has not come"},
    {"comes late", comes_late, EMBDIST_BROKEN, "has not come"},
    {"calls with a closed dist", closed_dist, EMBDIST_INVALID_ARGUMENT, "has not come"},
    {"starts and never waits", starts_only, EMBDIST_TIMED_OUT, "has come, but not finished"},
};
enum { MANNERS = 4 };

static void odd_ranks(void)
{
    for (int m = 0; m < MANNERS; m++)
        for (int64_t odd = 0; odd < WORLD; odd++) {
            char state[64];
            const int sequence = (m + odd) % 2 != 0;
            scene run = {.odd = manners[m].odd, .odd_rank = odd};
            run.way = odd == 1 ? EMBDIST_WAY_STAGED : EMBDIST_WAY_IN_PLACE;
            if (sequence)
                run_scene(&run, &words, EMBDIST_SEQUENCE, EMBDIST_BACKWARD);
            else
                run_scene(&run, &bags, EMBDIST_RAGGED, EMBDIST_FORWARD);
            snprintf(state, sizeof state, "rank %" PRId64 " %s", odd, manners[m].state);
            const char *const texts[3] = {
                sequence ? "s for small_words_backward, step 1 of its comm"
                         : "s for small_bags_forward_ragged, step 1 of its comm",
                state, "waited 0.3 s"};
            const int right = waiting_ranks_are_right(&run, texts);
            if (run.of[odd].call != manners[m].own)
                diag("the odd rank got %s", embdist_status_name(run.of[odd].call));
            ok(right && run.of[odd].call == manners[m].own, "rank %" PRId64 " %s", odd,
               manners[m].name);
        }
}

/* ---- other waits ---------------------------------------------------------------------------- */

/* Ranks 0 and 1 open, rank 2 does not. */
static void open_alone(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    embdist_dist *dist = NULL;
    embdist_comm_set_time_limit(comms[rank], limit);
    if (rank < 2 && embdist_open(&dist, comms[rank], &small_bags, NULL) == EMBDIST_TIMED_OUT &&
        !dist && strstr(embdist_last_error(), "for embdist_open of small_bags, step 0") &&
        strstr(embdist_last_error(), "rank 2 has not come"))
        embdist_comm_free(&comms[rank]);
}

/* Rank 0 starts more than may be in flight, rank 1 none: the start itself waits, for a free place. */
static void start_alone(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    embdist_dist *dist = NULL;
    embdist_request *requests[EMBDIST_MAX_REQUESTS + 1] = {NULL};
    float out[EMBDIST_MAX_REQUESTS + 1][4];
    if (embdist_open(&dist, comms[rank], &small_only_even, NULL) ||
        embdist_comm_set_time_limit(comms[rank], limit))
        bail_out("%s", embdist_last_error());
    int started = 0, ended = 0;
    embdist_status status = EMBDIST_OK;
    while (rank == 0 && !status && started <= EMBDIST_MAX_REQUESTS) {
        status = small_only_even_forward_even(dist, NULL, 0, 0, out[started], 0, NULL,
                                              &requests[started]);
        started += !status;
    }
    const int refused =
        status == EMBDIST_TIMED_OUT &&
        strstr(embdist_last_error(), "for a free place (64 requests are in flight), step 1") &&
        strstr(embdist_last_error(), ": rank 1 has not come");
    for (int i = 0; i < started; i++)
        ended += embdist_wait(&requests[i], NULL) == EMBDIST_TIMED_OUT;
    if (rank == 0 && !refused)
        diag("started %d, then %s \"%s\"", started, embdist_status_name(status),
             embdist_last_error());
    if (rank == 1 || (refused && ended == started && started == EMBDIST_MAX_REQUESTS))
        embdist_comm_free(&comms[rank]);
    embdist_close(&dist);
}

/* Tests until *request is done, or patience ends; its status. */
static embdist_status test_until_done(embdist_request **request)
{
    embdist_status status = EMBDIST_OK;
    int done = 0;
    const double deadline = clock_seconds() + patience;
    while (!status && !done && clock_seconds() < deadline)
        status = embdist_test(request, &done);
    return status;
}

/* Rank 0 starts and tests, rank 1 never comes: the tests give up as a wait does. */
static void poll_alone(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    embdist_dist *dist = NULL;
    embdist_request *request = NULL;
    float in[14] = {0}, out[7];
    if (embdist_open(&dist, comms[rank], &small_only_even, NULL) ||
        embdist_comm_set_time_limit(comms[rank], limit))
        bail_out("%s", embdist_last_error());
    if (rank == 0 && !small_only_even_forward_even(dist, in, 14, 1, out, 7, NULL, &request)) {
        const double started = clock_seconds();
        const embdist_status status = test_until_done(&request);
        const double seconds = clock_seconds() - started;
        if (status == EMBDIST_TIMED_OUT && !request && seconds > limit && seconds < patience &&
            strstr(embdist_last_error(), "rank 1 has not come; the comm is unusable") &&
            small_only_even_forward_even(dist, in, 14, 1, out, 7, NULL, NULL) == EMBDIST_BROKEN)
            embdist_comm_free(&comms[rank]);
        else
            diag("%s after %g s: %s", embdist_status_name(status), seconds, embdist_last_error());
    }
    embdist_close(&dist);
}

/* Work that takes longer than the limit, between the start and the first test, is no fault. */
static void poll_late(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    embdist_dist *dist = NULL;
    embdist_request *request = NULL;
    float in[14] = {0}, out[7];
    if (embdist_open(&dist, comms[rank], &small_only_even, NULL) ||
        embdist_comm_set_time_limit(comms[rank], 4 * limit) ||
        small_only_even_forward_even(dist, in, 14, 1, out, 7, NULL, &request))
        bail_out("%s", embdist_last_error());
    pass_time(4 * limit +
              (rank ? limit : limit / 2)); /* rank 0 tests first, and waits for rank 1 */
    if (!test_until_done(&request) && !request)
        embdist_comm_free(&comms[rank]);
    else
        diag("rank %" PRId64 ": %s", rank, embdist_last_error());
    embdist_close(&dist);
}

/* S17: three groups of two, each thread of two of them calls first in another one. */
typedef struct circle {
    embdist_comm *comms[WORLD][2]; /* of group g, ranks g and g + 1 */
    embdist_status status[WORLD];
} circle;

static void call_in_circle(int64_t thread, void *context)
{
    circle *run = context;
    embdist_comm *mine[2] = {run->comms[thread][0], run->comms[(thread + 2) % WORLD][1]};
    embdist_dist *dist = NULL;
    embdist_comm_set_time_limit(mine[0], limit);
    embdist_comm_set_time_limit(mine[1], patience);
    run->status[thread] = embdist_open(&dist, mine[0], &small_bags, NULL);
    for (int i = 0; i < 2; i++)
        embdist_comm_free(&mine[i]);
}

/* One rank takes a step more than the other. */
static void one_step_more(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    embdist_dist *dist = NULL;
    float in[14] = {0}, out[7];
    embdist_status status = embdist_open(&dist, comms[rank], &small_only_even, NULL);
    for (int step = 0; step < 2 && !status; step++)
        status = small_only_even_forward_even(dist, in, 14, 1, out, 7, NULL, NULL);
    if (status)
        bail_out("%s", embdist_last_error());
    embdist_comm_set_time_limit(comms[rank], limit);
    if (rank == 0 &&
        small_only_even_forward_even(dist, in, 14, 1, out, 7, NULL, NULL) == EMBDIST_TIMED_OUT &&
        strstr(embdist_last_error(), "small_only_even_forward_even, step 3 of its comm") &&
        strstr(embdist_last_error(), "rank 1 has not come"))
        comms[2] = comms[rank];
    embdist_close(&dist);
}

static void other_waits(void)
{
    embdist_comm **comms = new_comms(WORLD);
    run_ranks(WORLD, open_alone, comms);
    ok(!comms[0] && !comms[1], "an open that a rank does not come to");
    free_comms(WORLD, comms);

    comms = new_comms(2);
    run_ranks(2, start_alone, comms);
    ok(!comms[0] && !comms[1], "a start that waits for a free place");
    free_comms(2, comms);

    comms = new_comms(2);
    run_ranks(2, poll_alone, comms);
    ok(!comms[0], "tests that a rank does not come to");
    free_comms(2, comms);

    comms = new_comms(2);
    run_ranks(2, poll_late, comms);
    ok(!comms[0] && !comms[1], "tests after work that took longer than the limit");
    free_comms(2, comms);

    embdist_comm *pair[WORLD] = {NULL};
    embdist_comm_local(2, pair);
    run_ranks(2, one_step_more, pair);
    ok(pair[2] != NULL, "a rank that takes a step more than the other");
    embdist_comm_free(&pair[0]);
    embdist_comm_free(&pair[1]);

    circle run = {0};
    for (int g = 0; g < WORLD; g++)
        embdist_comm_local(2, run.comms[g]);
    run_ranks(WORLD, call_in_circle, &run);
    ok(run.status[0] && run.status[1] && run.status[2],
       "overlapping groups that wait for each other in a circle time out");
}

/* ---- a rank that reads for long -------------------------------------------------------------- */

typedef struct long_read {
    embdist_comm **comms;
    int64_t rows;
    embdist_status status[2];
    float first, last; /* of what rank 0 got */
} long_read;

/* All rows are rank 1's and belong to rank 0, which reads them where they are when rank 1 gives up,
 * and rank 1 frees them as soon as it may. */
static void read_long(int64_t rank, void *context)
{
    long_read *run = context;
    const int64_t sent[2] = {rank ? run->rows : 0, 0}, received[2] = {0, rank ? 0 : run->rows};
    const int64_t rows[4] = {sent[0], 0, 0, 0}, count = run->rows * 6;
    const embdist_sequence_batch batch = {
        .size = sizeof batch, .send_rows = sent, .recv_rows = received, .rows = rows};
    float *in = rank ? take(count, sizeof *in) : NULL,
          *out = rank ? NULL : take(count, sizeof *out);
    embdist_dist *dist = NULL;
    for (int64_t i = 0; rank && i < count; i++)
        in[i] = 2;
    if (open_dist(&dist, run->comms[rank], &words, EMBDIST_WAY_IN_PLACE))
        bail_out("%s", embdist_last_error());
    if (rank)
        embdist_comm_set_time_limit(run->comms[rank], 0.001);
    run->status[rank] =
        small_words_forward(dist, in, rank ? count : 0, &batch, out, rank ? 0 : count, NULL, NULL);
    if (!rank) {
        run->first = out[0];
        run->last = out[count - 1];
    }
    free(in);
    free(out);
    embdist_close(&dist);
}

static void reads_long(void)
{
    long_read run = {.comms = new_comms(2), .rows = is_small() ? 200000 : 2000000};
    int right = 1;
    for (int i = 0; i < 5; i++) {
        run_ranks(2, read_long, &run);
        for (int r = 0; r < 2; r++)
            right &= !run.status[r] || run.status[r] == EMBDIST_TIMED_OUT ||
                     run.status[r] == EMBDIST_BROKEN; /* came when all was over */
        right &= run.status[0] || (run.first == 2 && run.last == 2);
        free_comms(2, run.comms);
        run.comms = new_comms(2);
    }
    ok(right, "a rank gives up while another reads its rows, and may free them");
    free_comms(2, run.comms);
}

/* ---- calls around the limit ----------------------------------------------------------------- */

typedef struct around {
    embdist_comm **comms;
    test_case *made;
    int wrong[WORLD];
} around;

/* Rank 2 comes about when the others give up; whatever each rank gets, it is right or an error. */
static void come_around(int64_t rank, void *context)
{
    around *run = context;
    embdist_dist *dist = NULL;
    char why[512];
    if (open_dist(&dist, run->comms[rank], run->made->shape.entry, EMBDIST_WAY_IN_PLACE))
        bail_out("%s", embdist_last_error());
    embdist_comm_set_time_limit(run->comms[rank], 0.004);
    if (rank == 2)
        pass_time(0.0036);
    case_reset(run->made, rank);
    const embdist_status status = rank ? call_with_own(&(scene){.made = run->made}, rank, dist)
                                       : case_start(run->made, rank, dist, NULL);
    if (!status && rank == 0)
        run->wrong[rank] = !case_is_right(run->made, rank, why, sizeof why);
    else
        run->wrong[rank] = status && status != EMBDIST_TIMED_OUT && status != EMBDIST_BROKEN;
    embdist_close(&dist);
}

static void around_the_limit(void)
{
    static const int64_t batch[] = {40, 20, 30};
    random_state random = {3};
    const case_shape shape = {.entry = &bags,
                              .world = WORLD,
                              .mode = EMBDIST_RAGGED,
                              .direction = EMBDIST_FORWARD,
                              .batch = batch};
    around run = {.made = case_new(&shape, &random)};
    int wrong = 0;
    for (int i = 0; i < (is_small() ? 20 : 200); i++) {
        run.comms = new_comms(WORLD);
        run_ranks(WORLD, come_around, &run);
        wrong += run.wrong[0] + run.wrong[1] + run.wrong[2];
        free_comms(WORLD, run.comms);
    }
    ok(!wrong, "a rank that comes just when the others give up");
    case_free(run.made);
}

static void limits(void)
{
    embdist_comm **comms = new_comms(1);
    ok(embdist_comm_set_time_limit(comms[0], 0) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "got 0 seconds, expected more than 0") &&
           embdist_comm_set_time_limit(comms[0], -1) && embdist_comm_set_time_limit(comms[0], NAN),
       "a limit that is not positive is refused");
    ok(embdist_comm_set_time_limit(NULL, 1) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "comm is NULL"),
       "a limit of no comm is refused");
    ok(!embdist_comm_set_time_limit(comms[0], INFINITY) &&
           !embdist_comm_set_time_limit(comms[0], 1e300),
       "a limit without end is taken");
    free_comms(1, comms);
}

int main(void)
{
    plan(MANNERS * WORLD + 6 + 1 + 1 + 3);
    odd_ranks();
    other_waits();
    reads_long();
    around_the_limit();
    limits();
    return finish();
}
