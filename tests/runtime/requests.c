/* requests.c: wrong arguments of what handles requests, a dist that is still in use, and the names of
 * statuses. */
#include "support.h"

#include "small.h"

#include <string.h>

static int refused(embdist_status status, const char *says)
{
    const int right = status == EMBDIST_INVALID_ARGUMENT && strstr(embdist_last_error(), says);
    if (!right)
        diag("%s \"%s\", expected \"%s\"", embdist_status_name(status), embdist_last_error(), says);
    return right;
}

/* A request survives what is refused, and is then waited for. */
static void arguments(void)
{
    const float in[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float out[8];
    int done = 7;
    embdist_dist *dist = NULL;
    embdist_request *request = NULL;
    if (embdist_open(&dist, NULL, &small_sums, NULL) ||
        small_sums_backward_even(dist, in, 8, 1, out, 8, NULL, &request))
        bail_out("%s", embdist_last_error());
    ok(refused(embdist_wait(NULL, NULL), "embdist_wait: request is NULL"), "waiting for nowhere");
    ok(refused(embdist_wait(&request, &done), "embdist_wait: stream is not NULL") && request,
       "waiting on a stream");
    ok(refused(embdist_synchronize(NULL), "embdist_synchronize: request is NULL"),
       "synchronizing with nothing");
    ok(refused(embdist_test(NULL, &done), "embdist_test: request is NULL") && done == 7,
       "looking nowhere");
    ok(refused(embdist_test(&request, NULL), "embdist_test: done is NULL") && request,
       "looking without a place for the answer");
    ok(refused(embdist_close(&dist), "1 requests of small_sums are in flight") && dist,
       "closing a dist with a request in flight");
    ok(!embdist_synchronize(&request) && !request && memcmp(in, out, sizeof in) == 0,
       "and then it is done by embdist_synchronize");
    ok(!embdist_test(&request, &done) && done == 1, "no request is a done one");
    ok(!embdist_close(&dist) && !dist, "and the dist closes");
}

static void names(void)
{
    static const char *const expected[] = {
        "EMBDIST_OK",      "EMBDIST_INVALID_ARGUMENT", "EMBDIST_MISMATCH",
        "EMBDIST_REFUSED", "EMBDIST_NONFINITE",        "EMBDIST_TIMED_OUT",
        "EMBDIST_BROKEN",  "EMBDIST_UNSUPPORTED",      "EMBDIST_NO_MEMORY"};
    int right = 1;
    for (int i = 0; i <= EMBDIST_NO_MEMORY; i++)
        right &= strcmp(embdist_status_name((embdist_status)i), expected[i]) == 0;
    right &= strcmp(embdist_status_name((embdist_status)99), "unknown status") == 0;
    ok(right, "the names of statuses");
    ok(strcmp(embdist_version(), EMBDIST_VERSION) == 0, "the version");
}

/* The sentence is the thread's own. */
static void first_sentence(int64_t rank, void *context)
{
    int *right = context;
    *right = rank == 0 && strcmp(embdist_last_error(), "") == 0;
}

int main(void)
{
    int right = 1;
    plan(13);
    ok(strcmp(embdist_last_error(), "") == 0, "no sentence before the first error");
    arguments();
    run_ranks(1, first_sentence, &right);
    ok(right, "another thread has no sentence yet");
    names();
    return finish();
}
