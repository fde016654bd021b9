#include "case.h"

#include "limit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const bench_case *what, int64_t member, const char *step)
{
    fprintf(stderr, "embdist-bench: %s %s %s %s %s, rank %lld: %s: %s\n", what->kind, what->mode,
            what->codec, what->direction, what->way, (long long)member, step, embdist_last_error());
    exit(1);
}

static const embdist_descriptor *find_dist(const bench_case *what)
{
    for (int64_t i = 0; i < bench_dist_count; i++) {
        if (strcmp(bench_dists[i].kind, what->kind) == 0 &&
            strcmp(bench_dists[i].codec, what->codec) == 0)
            return bench_dists[i].descriptor;
    }
    fprintf(stderr, "embdist-bench: no dist of kind %s with codec %s was generated\n", what->kind,
            what->codec);
    exit(1);
}

static embdist_mode mode_of(const bench_case *what)
{
    return strcmp(what->mode, "even") == 0     ? EMBDIST_EVEN
           : strcmp(what->mode, "ragged") == 0 ? EMBDIST_RAGGED
           : strcmp(what->mode, "none") == 0   ? EMBDIST_SEQUENCE
                                               : EMBDIST_PER_FEATURE;
}

static bench_routing routing_of(const bench_case *what)
{
    return strcmp(what->routing, "random") == 0        ? BENCH_RANDOM
           : strcmp(what->routing, "round_robin") == 0 ? BENCH_ROUND_ROBIN
                                                       : BENCH_CONTIGUOUS;
}

/* Grows a buffer, and fills it: what the threads touch first lies near them. */
static void hold(float **buffer, int64_t *held, int64_t count)
{
    if (count <= *held)
        return;
    free(*buffer);
    *buffer = take_memory(count, sizeof **buffer);
    memset(*buffer, 0, (size_t)count * sizeof **buffer);
    *held = count;
}

/* Values in [-1, 1), whatever an earlier case has left. */
static void fill(float *values, int64_t count)
{
    uint32_t state = 1;
    for (int64_t i = 0; i < count; i++) {
        state = state * 1664525U + 1013904223U;
        values[i] = (float)(int32_t)state * 0x1p-31F;
    }
}

/* A call of the case: what the generated functions do, with the status kept. */
typedef struct call_context {
    embdist_dist *dist;
    embdist_call call;
    embdist_status status;
} call_context;

static void call(void *context, int64_t member)
{
    call_context *mine = context;
    embdist_request *request = NULL;
    (void)member;
    embdist_status status = embdist_start(mine->dist, &mine->call, &request);
    if (status == EMBDIST_OK)
        status = embdist_wait(&request, NULL);
    if (status != EMBDIST_OK)
        mine->status = status;
}

bench_result bench_case_run(const bench_case *what, team *all, int64_t member, bench_rank *rank)
{
    const embdist_descriptor *descriptor = find_dist(what);
    const int forward = strcmp(what->direction, "forward") == 0;
    const int staged = strcmp(what->way, "staged") == 0;
    const int64_t world = embdist_comm_world(rank->comm);
    const embdist_group *group = &descriptor->group[0];
    const int64_t unit = descriptor->features * world * group->dim * (int64_t)sizeof(float);
    const int64_t rows = what->bytes < unit ? 1 : what->bytes / unit;
    const embdist_options options = {.size = sizeof options,
                                     .way = staged ? EMBDIST_WAY_STAGED : EMBDIST_WAY_IN_PLACE};
    call_context mine = {.call = {.descriptor = descriptor}};
    bench_batch batch;
    bench_batch_make(&batch, mode_of(what), routing_of(what), descriptor->features, world, member,
                     rows);
    embdist_lengths_result lengths = {.size = sizeof lengths};
    if (embdist_open(&mine.dist, rank->comm, descriptor, &options) ||
        embdist_lengths(mine.dist, &batch.batch, &lengths))
        fail(what, member, "cannot open the dist");
    int64_t spare_count = rank->local_count;
    hold(&rank->local, &rank->local_count, lengths.local_count);
    hold(&rank->spare, &spare_count, lengths.local_count);
    hold(&rank->out, &rank->out_count, lengths.out_count);
    fill(forward ? rank->local : rank->out, forward ? lengths.local_count : lengths.out_count);
    mine.call = (embdist_call){
        .descriptor = descriptor,
        .direction = forward ? EMBDIST_FORWARD : EMBDIST_BACKWARD,
        .batch = batch.batch,
        .input = forward ? rank->local : rank->out,
        .input_count = forward ? lengths.local_count : lengths.out_count,
        .output = forward ? rank->out : rank->local,
        .output_count = forward ? lengths.out_count : lengths.local_count,
    };
    const char *isa;
    const measurement rounds = {.call = call,
                                .context = &mine,
                                .copier = stream_widest(&isa),
                                .copy_target = rank->spare,
                                .copy_source = rank->local,
                                .copy_count = lengths.local_count,
                                .warm_up = what->warm_up,
                                .rounds = what->rounds};
    bench_result result = {.times = measure(all, member, &rounds)};
    if (mine.status != EMBDIST_OK)
        fail(what, member, "a call failed");
    if (embdist_close(&mine.dist))
        fail(what, member, "cannot close the dist");
    bench_batch_free(&batch);

    /* Pieces of all ranks have the same sum on every rank: local sides are equally long. */
    const embdist_codelets *codelets =
        world == 1 ? (forward ? group->forward_alone : group->backward_alone)
                   : (forward ? group->forward : group->backward);
    const double elements = (double)lengths.local_count * (double)world;
    result.bytes = lengths.local_count * (int64_t)sizeof(float);
    result.copied = 2 * sizeof(float) * elements;
    result.must_move =
        limit_bytes(forward ? &descriptor->forward : &descriptor->backward, staged,
                    (double)codelets->row_bytes / (double)group->dim, world, elements);
    return result;
}
