/* demo_call.c: one call: run, checked, measured, and told in two lines of the table. */
#include "demo.h"
#include "limit.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 2 };

/* A call in one way, and what all ranks find. */
typedef struct showing {
    const demo *all;
    const demo_call *call;
    embdist_way way;
    int64_t *wire;      /* [world] bytes of encoded rows that the rank made */
    int64_t *wrong;     /* [world] elements that differ from the reference */
    char (*error)[512]; /* [world] */
    float **spare;      /* [world] where the copy that is the limit goes */
    measured times;
} showing;

/* What a rank does in a measured round. */
typedef struct rank_round {
    const demo_call *call;
    const demo_buffers *buffers;
    embdist_dist *dist;
    embdist_status status;
} rank_round;

static void do_round(void *context, int64_t member)
{
    rank_round *mine = context;
    embdist_request *request = NULL;
    embdist_status status =
        mine->call->start(mine->call->batch, member, mine->dist, mine->buffers, &request);
    if (status == EMBDIST_OK)
        status = embdist_wait(&request, NULL);
    if (status != EMBDIST_OK)
        mine->status = status;
}

static void spoil(const demo_buffers *buffers)
{
    memset(buffers->output, 0xa5, (size_t)buffers->output_count * sizeof(float));
}

/* Elements whose bits are not those of the reference. */
static int64_t count_wrong(const demo_buffers *buffers, const float *expected)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < buffers->output_count; i++)
        wrong += memcmp(&buffers->output[i], &expected[i], sizeof(float)) != 0;
    return wrong;
}

/* Once, to look at the result and at what went over the wire. */
static embdist_status do_once(const rank_round *mine, int64_t member, int64_t *wire)
{
    embdist_request *request = NULL;
    const void *bytes;
    spoil(mine->buffers);
    const embdist_status status =
        mine->call->start(mine->call->batch, member, mine->dist, mine->buffers, &request);
    if (status != EMBDIST_OK)
        return status;
    embdist_request_wire(request, &bytes, wire);
    return embdist_wait(&request, NULL);
}

static void note_error(showing *of, int64_t member, embdist_status status)
{
    if (status != EMBDIST_OK && !of->error[member][0])
        snprintf(of->error[member], sizeof of->error[member], "%s", embdist_last_error());
}

static void run_rank(team *threads, void *context, int64_t member)
{
    showing *of = context;
    const demo_call *call = of->call;
    const demo_buffers *buffers = &call->buffers[member];
    const embdist_options options = {.size = sizeof options, .way = of->way};
    const char *isa;
    rank_round mine = {.call = call, .buffers = buffers};
    embdist_status status =
        embdist_open(&mine.dist, of->all->comms[member], call->descriptor, &options);
    if (status == EMBDIST_OK)
        status = do_once(&mine, member, &of->wire[member]);
    note_error(of, member, status);
    of->wrong[member] = count_wrong(buffers, call->expected[member]);
    spoil(buffers);
    const measurement what = {.call = do_round,
                              .context = &mine,
                              .copier = stream_widest(&isa),
                              .copy_target = of->spare[member],
                              .copy_source = call->forward ? buffers->input : buffers->output,
                              .copy_count =
                                  call->forward ? buffers->input_count : buffers->output_count,
                              .warm_up = WARM_UP,
                              .rounds = of->all->rounds};
    const measured times = measure(threads, member, &what);
    if (member == 0)
        of->times = times;
    note_error(of, member, mine.status);
    of->wrong[member] += count_wrong(buffers, call->expected[member]);
    note_error(of, member, embdist_close(&mine.dist));
}

void demo_print_head(void)
{
    printf("  %-14s %-12s %-11s %-9s %-9s %8s %9s %8s %6s  %s\n", "dist", "mode", "codec",
           "direction", "way", "rows", "wire MiB", "ms", "ratio", "result");
}

static void print_line(const showing *of, double ratio, int64_t wire, int64_t wrong,
                       const char *error)
{
    const demo_call *call = of->call;
    char dist[64], codec[32], on_wire[32] = "-";
    snprintf(dist, sizeof dist, "%s_%s", call->descriptor->spec, call->descriptor->name);
    if (wire > 0)
        snprintf(on_wire, sizeof on_wire, "%.1f", (double)wire / (1 << 20));
    printf("  %-14s %-12s %-11s %-9s %-9s %8lld %9s %8.2f %6.2f  %s\n", dist, call->mode,
           demo_codec_name(call->descriptor, call->forward, codec),
           call->forward ? "forward" : "backward",
           of->way == EMBDIST_WAY_STAGED ? "staged" : "in place", (long long)call->rows, on_wire,
           1e3 * of->times.call.median, ratio, wrong || error ? "WRONG" : "right");
    if (error)
        printf("    %s\n", error);
    else if (wrong)
        printf("    %lld elements differ from the reference\n", (long long)wrong);
    fflush(stdout);
}

/* What was found, and the limit: DESIGN's bytes at the speed of the copy. */
static void tell(demo *all, const showing *of)
{
    const demo_call *call = of->call;
    const embdist_group *group = &call->descriptor->group[0];
    const embdist_codelets *codelets = call->forward ? group->forward : group->backward;
    int64_t wire = 0, wrong = 0, elements = 0;
    const char *error = NULL;
    for (int64_t r = 0; r < all->world; r++) {
        const demo_buffers *buffers = &call->buffers[r];
        wire += of->wire[r];
        wrong += of->wrong[r];
        error = of->error[r][0] ? of->error[r] : error;
        elements += call->forward ? buffers->input_count : buffers->output_count;
    }
    const double must_move =
        limit_bytes(call->forward ? &call->descriptor->forward : &call->descriptor->backward,
                    of->way == EMBDIST_WAY_STAGED, (double)codelets->row_bytes / (double)group->dim,
                    all->world, (double)elements);
    const double stream = 2 * sizeof(float) * (double)elements / of->times.copy.median;
    all->calls++;
    all->wrong += wrong || error;
    print_line(of, must_move / stream / of->times.call.median, wire, wrong, error);
}

void demo_show(demo *all, const demo_call *call)
{
    static const embdist_way ways[] = {EMBDIST_WAY_IN_PLACE, EMBDIST_WAY_STAGED};
    for (int w = 0; w < 2; w++) {
        showing of = {.all = all,
                      .call = call,
                      .way = ways[w],
                      .wire = calloc((size_t)all->world, sizeof *of.wire),
                      .wrong = calloc((size_t)all->world, sizeof *of.wrong),
                      .error = calloc((size_t)all->world, sizeof *of.error),
                      .spare = calloc((size_t)all->world, sizeof *of.spare)};
        if (!of.wire || !of.wrong || !of.error || !of.spare)
            exit(1);
        for (int64_t r = 0; r < all->world; r++) {
            const demo_buffers *buffers = &call->buffers[r];
            of.spare[r] = take_memory(call->forward ? buffers->input_count : buffers->output_count,
                                      sizeof(float));
        }
        demo_progress("  running ...");
        team_run(all->world, run_rank, &of);
        demo_progress(NULL);
        tell(all, &of);
        for (int64_t r = 0; r < all->world; r++)
            free(of.spare[r]);
        free(of.spare);
        free(of.wire);
        free(of.wrong);
        free(of.error);
    }
}
