/* null_comm.c: a dist without a comm is one rank, and works in every kind, mode, direction and way,
 * with every codec; so does a local comm of one rank. What comes out is what went in, bit for bit:
 * no codec, no division. */
#include "cases.h"

#include "small.h"

#include <stdlib.h>
#include <string.h>

static const test_dist bags[] = {TEST_POOLED(small_bags), TEST_POOLED(small_sums),
                                 TEST_POOLED(small_finite_bags), TEST_POOLED(small_tables),
                                 TEST_POOLED(small_gathered)};
static const test_dist words[] = {TEST_SEQUENCE(small_words), TEST_SEQUENCE(small_narrow),
                                  TEST_SEQUENCE(small_finite_words), TEST_SEQUENCE(small_lists)};

/* Row i of out is row permute[i] of in, by bits: stricter than the reference, which lets NaNs and
 * zeros differ. */
static int is_identity(const test_case *made)
{
    const int64_t dim = made->shape.mode == EMBDIST_SEQUENCE ? made->dim : 1;
    const size_t row = (size_t)dim * sizeof(float);
    const int64_t *permute = made->permute[0];
    const float *in = made->in[0].data, *out = made->out[0].data;
    for (int64_t i = 0; i < made->out[0].count / dim; i++)
        if (memcmp(out + i * dim, in + (permute ? permute[i] : i) * dim, row) != 0)
            return 0;
    return 1;
}

/* All permutes of one kind and mode; the reference judges them all, and those whose result is a
 * selection of input rows are compared by bits too. */
static int run(const test_dist *entry, embdist_mode mode, embdist_direction direction,
               embdist_comm **comms, embdist_way way, random_state *random)
{
    int right = 1;
    for (int style = PERMUTE_NONE; style < PERMUTE_STYLES; style++)
        for (int64_t batch = 0; batch < 6; batch += 5) {
            const case_shape shape = {.entry = entry,
                                      .world = 1,
                                      .mode = mode,
                                      .direction = direction,
                                      .batch = &batch,
                                      .lengths = style % 2,
                                      .permute = (permute_style)style,
                                      .values = RANDOM_WILD};
            test_case *made = case_new(&shape, random);
            right &= cases_run(&made, 1, comms, way);
            const int permuted = mode == EMBDIST_SEQUENCE && style != PERMUTE_NONE;
            if (right && (direction == EMBDIST_FORWARD || !permuted) && !is_identity(made)) {
                diag("%s %s: not the identity", entry->name, direction_text(direction));
                right = 0;
            }
            case_free(made);
        }
    return right;
}

static void run_kinds(int with_comm, random_state *random)
{
    for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
            for (int way = EMBDIST_WAY_IN_PLACE; way <= EMBDIST_WAY_STAGED; way++) {
                const int sequence = m == EMBDIST_SEQUENCE;
                const test_dist *entries = sequence ? words : bags;
                const size_t count =
                    sequence ? sizeof words / sizeof *words : sizeof bags / sizeof *bags;
                embdist_comm **comms = with_comm ? new_comms(1) : NULL;
                int right = 1;
                for (size_t i = 0; i < count; i++)
                    right &= run(&entries[i], (embdist_mode)m, (embdist_direction)d, comms,
                                 (embdist_way)way, random);
                ok(right, "%s: %s %s %s", with_comm ? "a local comm of one rank" : "a NULL comm",
                   mode_text((embdist_mode)m), direction_text((embdist_direction)d),
                   way_text((embdist_way)way));
                if (comms)
                    free_comms(1, comms);
            }
}

/* Without a comm nobody else is there: a request is done by the first look. */
static void request_without_comm(void)
{
    const float in[] = {1, 2, 3, 4, 5, 6, 7, 8};
    float out[8] = {0};
    embdist_dist *dist = NULL;
    embdist_request *request = NULL;
    int done = 0;
    embdist_status status = embdist_open(&dist, NULL, &small_sums, NULL);
    if (!status)
        status = small_sums_forward_even(dist, in, 8, 1, out, 8, NULL, &request);
    if (!status)
        status = embdist_test(&request, &done);
    ok(!status && done && !request && memcmp(in, out, sizeof in) == 0,
       "a request without a comm is done by embdist_test, and freed");
    ok(!embdist_wait(&request, NULL), "waiting for a request that is done already is right");
    ok(!embdist_close(&dist) && !dist && !embdist_close(&dist), "closing twice is right");
    ok(embdist_comm_rank(NULL) == 0 && embdist_comm_world(NULL) == 1,
       "a NULL comm is rank 0 of a world of 1");
}

int main(void)
{
    plan(2 * 4 * 2 * 2 + 4);
    random_state random = random_start();
    run_kinds(0, &random);
    run_kinds(1, &random);
    request_without_comm();
    return finish();
}
