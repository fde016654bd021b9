#include "refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void says(spoiled *wrong, const char *format, ...)
{
    va_list arguments;
    int i = 0;
    while (i < REFUSAL_TEXTS - 1 && *wrong->says[i])
        i++;
    va_start(arguments, format);
    vsnprintf(wrong->says[i], REFUSAL_TEXT, format, arguments);
    va_end(arguments);
}

/* ---- the call to spoil ---------------------------------------------------------------------- */

static void *copy_of(const void *array, int64_t count, size_t size)
{
    void *copy = take(count, size);
    if (array && count)
        memcpy(copy, array, (size_t)count * size);
    return copy;
}

static spoiled *spoiled_new(const test_case *made, int64_t rank)
{
    const int64_t world = made->shape.world, features = made->features;
    spoiled *wrong = take(1, sizeof *wrong);
    wrong->call = case_call(made, rank);
    wrong->world = world;
    wrong->rank = rank;
    wrong->features = features;
    wrong->dim = made->dim;
    wrong->in = &made->in[rank];
    wrong->out = &made->out[rank];
    wrong->values = copy_of(wrong->in->data, wrong->in->count, sizeof *wrong->values);
    if (made->shape.mode != EMBDIST_SEQUENCE) {
        const int64_t per_rank = made->shape.mode == EMBDIST_PER_FEATURE ? features : 1;
        wrong->counts = copy_of(made->counts, world * per_rank, sizeof *wrong->counts);
        wrong->call.batch.per_rank = wrong->call.batch.per_rank_feature = wrong->counts;
        return wrong;
    }
    int64_t samples = 0;
    for (int64_t j = 0; j < world; j++) {
        samples += made->shape.batch[j];
        wrong->received += made->recv[rank * world + j];
    }
    const int64_t rows = made->output_rows[rank];
    wrong->sequence = made->sequence[rank];
    wrong->call.batch.sequence = &wrong->sequence;
    wrong->send = copy_of(made->send + rank * world, world, sizeof *wrong->send);
    wrong->recv = copy_of(made->recv + rank * world, world, sizeof *wrong->recv);
    wrong->rows = copy_of(made->rows[rank], made->held[rank] * world, sizeof *wrong->rows);
    wrong->lengths =
        copy_of(made->lengths[rank], made->held[rank] * samples, sizeof *wrong->lengths);
    wrong->batch_per_rank = copy_of(made->shape.batch, world, sizeof *wrong->batch_per_rank);
    wrong->permute = copy_of(made->permute[rank], rows, sizeof *wrong->permute);
    const int64_t index_bytes = made->shape.entry->descriptor->index_bytes;
    if (index_bytes)
        wrong->index = copy_of(made->index[rank], rows, (size_t)index_bytes);
    wrong->sequence.send_rows = wrong->send;
    wrong->sequence.recv_rows = wrong->recv;
    if (wrong->sequence.rows)
        wrong->sequence.rows = wrong->rows;
    else
        wrong->sequence.lengths = wrong->lengths;
    if (!wrong->sequence.rows)
        wrong->sequence.batch_per_rank = wrong->batch_per_rank;
    if (wrong->sequence.permute)
        wrong->sequence.permute = wrong->index;
    return wrong;
}

static void spoiled_free(spoiled *wrong)
{
    free(wrong->values);
    free(wrong->counts);
    free(wrong->send);
    free(wrong->recv);
    free(wrong->rows);
    free(wrong->lengths);
    free(wrong->batch_per_rank);
    free(wrong->permute);
    free(wrong->index);
    free(wrong);
}

/* ---- running -------------------------------------------------------------------------------- */

typedef struct trial {
    const refusal *tried;
    test_case *made;
    spoiled *wrong;
    embdist_comm **comms;
    embdist_way way;
    int64_t faulty;
    int with_request;
    char (*why)[1024]; /* [world] */
} trial;

static int has_all(const spoiled *wrong, const char *sentence)
{
    for (int i = 0; i < REFUSAL_TEXTS; i++)
        if (!strstr(sentence, wrong->says[i]))
            return 0;
    return 1;
}

static embdist_status call_now(const trial *run, int64_t rank, embdist_dist *dist)
{
    embdist_request *request = NULL;
    embdist_request **place = run->with_request ? &request : NULL;
    embdist_status status = rank == run->faulty ? start_call(&run->wrong->call, dist, place)
                                                : case_start(run->made, rank, dist, place);
    if (!status && run->with_request)
        status = embdist_wait(&request, NULL);
    return status;
}

/* The rank's own status and sentence, or those that it gets from the faulty one. */
static void check_refused(const trial *run, int64_t rank, embdist_status status, char *why,
                          size_t size)
{
    char from[64] = "";
    const int is_faulty = rank == run->faulty;
    const embdist_status expected = is_faulty ? run->tried->status : EMBDIST_REFUSED;
    if (!is_faulty)
        snprintf(from, sizeof from, "rank %lld refused its call: ", (long long)run->faulty);
    const char *sentence = embdist_last_error();
    if (status != expected || !has_all(run->wrong, sentence) || !strstr(sentence, from))
        snprintf(why, size, "rank %lld got %s, expected %s: \"%s\", expected \"%s\" \"%s\" \"%s\"",
                 (long long)rank, embdist_status_name(status), embdist_status_name(expected),
                 sentence, run->wrong->says[0], run->wrong->says[1], run->wrong->says[2]);
    else if (!buffer_is_untouched(&run->made->out[rank]))
        snprintf(why, size, "rank %lld: the output changed", (long long)rank);
}

static void try_rank(int64_t rank, void *context)
{
    const trial *run = context;
    embdist_dist *dist = NULL;
    char *why = run->why[rank];
    const size_t size = sizeof run->why[rank];
    embdist_status status = open_dist(&dist, run->comms[rank], run->tried->entry, run->way);
    for (int again = 0; again < 2 && !status && !*why; again++) {
        case_reset(run->made, rank);
        check_refused(run, rank, call_now(run, rank, dist), why, size);
        status = case_start(run->made, rank, dist, NULL);
        if (!status && !*why)
            case_is_right(run->made, rank, why, size);
    }
    if (status)
        snprintf(why, size, "rank %lld: the right call: %s", (long long)rank, embdist_last_error());
    embdist_close(&dist);
}

static int try_call(const refusal *tried, int64_t world, int64_t faulty, embdist_way way,
                    int with_request)
{
    static const int64_t batch[] = {4, 2, 3};
    random_state random = {11}; /* with these counts every rank has rows of every kind */
    const case_shape shape = {.entry = tried->entry,
                              .world = world,
                              .mode = tried->mode,
                              .direction = tried->direction,
                              .batch = batch,
                              .lengths = tried->lengths,
                              .permute = tried->permute};
    test_case *made = case_new(&shape, &random);
    spoiled *wrong = spoiled_new(made, faulty);
    tried->spoil(wrong);
    trial run = {tried, made,   wrong,        new_comms(world),
                 way,   faulty, with_request, take(world, sizeof *run.why)};
    float *in = copy_of(made->in[faulty].data, made->in[faulty].count, sizeof *in);
    int right = 1;
    run_ranks(world, try_rank, &run);
    for (int64_t r = 0; r < world; r++)
        if (*run.why[r]) {
            diag("world %lld, %s: %s", (long long)world, way_text(way), run.why[r]);
            right = 0;
        }
    if (memcmp(in, made->in[faulty].data, (size_t)made->in[faulty].count * sizeof *in) != 0) {
        diag("world %lld, %s: the input changed", (long long)world, way_text(way));
        right = 0;
    }
    free(in);
    free(run.why);
    free_comms(world, run.comms);
    spoiled_free(wrong);
    case_free(made);
    return right;
}

void refusal_run(const refusal *wrong)
{
    int right = 1, i = 0;
    for (int64_t world = wrong->status == EMBDIST_NONFINITE ? 3 : 1; world <= 3; world += 2)
        for (int64_t faulty = 0; faulty < world; faulty++, i++)
            right &= try_call(wrong, world, faulty,
                              i % 2 ? EMBDIST_WAY_STAGED : EMBDIST_WAY_IN_PLACE, i / 2 % 2);
    ok(right, "%s %s: %s", mode_text(wrong->mode), direction_text(wrong->direction), wrong->name);
}
