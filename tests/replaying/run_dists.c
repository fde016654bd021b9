/* run_dists.c: the generated dists do the cases, each rank a thread on the local transport, in
 * place and staged, in every form in which the API takes the same batch. */
#include "dists.h"
#include "runner.h"

#include <embdist_descriptor.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const runner_ways[] = {"in_place", "staged", NULL};

static const embdist_way ways[] = {EMBDIST_WAY_IN_PLACE, EMBDIST_WAY_STAGED};

static const double TIME_LIMIT = 60; /* seconds; a case takes milliseconds */

/* Floats on both sides of an output that must stay as they are. */
enum { GUARD = 16 };
static const unsigned char GUARD_BYTE = 0x5a;

/* How the batch is said. */
typedef struct batch_form {
    const char *label;
    int even;    /* pooled, equal batches: the even function */
    int lengths; /* sequences: lengths, not rows */
    int promise; /* sequences: a permute that is a bijection is promised to be one */
    int no_comm; /* world 1: a NULL comm */
} batch_form;

/* What all ranks share. */
typedef struct job {
    const loaded_case *loaded;
    embdist_way way;
    const batch_form *forms;
    int64_t form_count;
    run *runs; /* [form_count] */
} job;

typedef struct rank_thread {
    const job *of;
    int64_t rank;
    embdist_comm *comm;
    pthread_t thread;
} rank_thread;

static int is_equal_batch(const recorded_case *recorded)
{
    int64_t r;
    for (r = 1; r < recorded->world; r++) {
        if (recorded->batch[r] != recorded->batch[0])
            return 0;
    }
    return 1;
}

static int has_bijection(const loaded_case *loaded)
{
    int64_t r;
    for (r = 0; r < loaded->recorded->world; r++) {
        if (loaded->ranks[r].bijection)
            return 1;
    }
    return 0;
}

/* The forms of a case; the first is what the others are held against. */
static int64_t forms_of(const loaded_case *loaded, batch_form forms[MAX_RUNS])
{
    const recorded_case *recorded = loaded->recorded;
    int64_t count = 0, i;
    if (recorded->mode == RECORDED_SEQUENCE) {
        forms[count++] = (batch_form){.label = "rows"};
        forms[count++] = (batch_form){.label = "lengths", .lengths = 1};
        if (has_bijection(loaded))
            forms[count++] = (batch_form){.label = "rows, bijection promised", .promise = 1};
    } else if (recorded->mode == RECORDED_PER_FEATURE) {
        forms[count++] = (batch_form){.label = "per_feature"};
    } else {
        forms[count++] = (batch_form){.label = "ragged"};
        if (is_equal_batch(recorded))
            forms[count++] = (batch_form){.label = "even", .even = 1};
    }
    if (recorded->world == 1) {
        for (i = count; i-- > 0;) {
            forms[count + i] = forms[i];
            forms[count + i].no_comm = 1;
            forms[count + i].label = "NULL comm";
        }
        count *= 2;
    }
    return count;
}

static void note_error(rank_result *result, const char *what, embdist_status status)
{
    if (result->error[0] == '\0')
        snprintf(result->error, sizeof result->error, "%s: %s: %s", what,
                 embdist_status_name(status), embdist_last_error());
}

/* An output between two guards. */
static float *guarded(int64_t count)
{
    float *memory = allocate(count + 2 * GUARD, sizeof *memory);
    memset(memory, GUARD_BYTE, (size_t)(count + 2 * GUARD) * sizeof *memory);
    return memory + GUARD;
}

static int guards_hold(const float *output, int64_t count)
{
    unsigned char guard[GUARD * sizeof *output];
    memset(guard, GUARD_BYTE, sizeof guard);
    return memcmp(output - GUARD, guard, sizeof guard) == 0 &&
           memcmp(output + count, guard, sizeof guard) == 0;
}

/* Starts the call of one direction through the generated function. */
static embdist_status start(const rank_thread *self, const batch_form *form, int direction,
                            embdist_dist *dist, float *output, embdist_request **request)
{
    const recorded_case *recorded = self->of->loaded->recorded;
    const loaded_rank *rank = &self->of->loaded->ranks[self->rank];
    const replay_dist *functions = &replay_dists[recorded->shape->number];
    const float *input = rank->input[direction];
    int64_t in = rank->input_count[direction], out = rank->output_count[direction];
    if (recorded->mode == RECORDED_SEQUENCE) {
        embdist_sequence_batch batch = {
            .size = sizeof batch,
            .send_rows = recorded->ranks[self->rank].send_rows,
            .recv_rows = recorded->ranks[self->rank].recv_rows,
            .rows = form->lengths ? NULL : rank->rows,
            .lengths = form->lengths ? rank->lengths : NULL,
            .batch_per_rank = form->lengths ? recorded->batch : NULL,
            .permute = rank->permute,
            .output_rows = rank->out_rows,
            .bijection = form->promise && rank->bijection,
        };
        return functions->sequence[direction](dist, input, in, &batch, output, out, NULL, request);
    }
    if (recorded->mode == RECORDED_PER_FEATURE)
        return functions->per_feature[direction](dist, input, in, recorded->batch, output, out,
                                                 NULL, request);
    if (form->even)
        return functions->even[direction](dist, input, in, recorded->batch[0], output, out, NULL,
                                          request);
    return functions->ragged[direction](dist, input, in, recorded->batch, output, out, NULL,
                                        request);
}

/* One direction of one form: start, look at the wire, wait. */
static void do_direction(const rank_thread *self, const batch_form *form, int direction,
                         embdist_dist *dist, rank_result *result)
{
    int64_t count = self->of->loaded->ranks[self->rank].output_count[direction];
    float *output = guarded(count);
    embdist_request *request = NULL;
    embdist_status status = start(self, form, direction, dist, output, &request);
    if (status != EMBDIST_OK) {
        note_error(result, "start", status);
    } else {
        if (self->of->way == EMBDIST_WAY_STAGED) {
            const void *bytes = NULL;
            embdist_request_wire(request, &bytes, &result->wire_length);
            result->wire = allocate(result->wire_length, 1);
            if (result->wire_length > 0)
                memcpy(result->wire, bytes, (size_t)result->wire_length);
        }
        status = embdist_wait(&request, NULL);
        if (status != EMBDIST_OK)
            note_error(result, "wait", status);
    }
    memcpy(result->output, output, (size_t)count * sizeof *output);
    if (!guards_hold(output, count))
        snprintf(result->error, sizeof result->error, "it wrote beside its output");
    free(output - GUARD);
}

/* A rank's part in one form, on a dist opened for it: backward after forward. */
static void do_form(const rank_thread *self, int64_t number)
{
    const job *of = self->of;
    const batch_form *form = &of->forms[number];
    const recorded_shape *shape = of->loaded->recorded->shape;
    const embdist_options options = {
        .size = sizeof options, .way = of->way, .owners = shape->owners};
    const replay_dist *functions = &replay_dists[shape->number];
    embdist_dist *dist = NULL;
    embdist_status status =
        embdist_open(&dist, form->no_comm ? NULL : self->comm, functions->descriptor, &options);
    int direction;
    for (direction = FORWARD; direction < DIRECTIONS; direction++) {
        rank_result *result = &of->runs[number].ranks[direction][self->rank];
        if (status != EMBDIST_OK)
            note_error(result, "open", status);
        else
            do_direction(self, form, direction, dist, result);
    }
    status = embdist_close(&dist);
    if (status != EMBDIST_OK)
        note_error(&of->runs[number].ranks[BACKWARD][self->rank], "close", status);
}

static void *rank_main(void *argument)
{
    const rank_thread *self = argument;
    int64_t i;
    for (i = 0; i < self->of->form_count; i++)
        do_form(self, i);
    return NULL;
}

int64_t run_case(const loaded_case *loaded, int way, run runs[MAX_RUNS])
{
    int64_t world = loaded->recorded->world, i;
    batch_form forms[MAX_RUNS];
    job of = {.loaded = loaded,
              .way = ways[way],
              .forms = forms,
              .form_count = forms_of(loaded, forms),
              .runs = runs};
    embdist_comm **comms = allocate(world, sizeof *comms);
    rank_thread *ranks = allocate(world, sizeof *ranks);
    embdist_status status = embdist_comm_local(world, comms);
    for (i = 0; i < of.form_count; i++)
        runs[i] = new_run(loaded, forms[i].label);
    for (i = 0; i < world && status == EMBDIST_OK; i++)
        status = embdist_comm_set_time_limit(comms[i], TIME_LIMIT);
    if (status != EMBDIST_OK) {
        printf("Bail out! no local comm of %lld ranks: %s\n", (long long)world,
               embdist_last_error());
        exit(2);
    }
    for (i = 0; i < world; i++) {
        ranks[i] = (rank_thread){.of = &of, .rank = i, .comm = comms[i]};
        if (pthread_create(&ranks[i].thread, NULL, rank_main, &ranks[i]) != 0) {
            printf("Bail out! no thread for rank %lld\n", (long long)i);
            exit(2);
        }
    }
    for (i = 0; i < world; i++)
        pthread_join(ranks[i].thread, NULL);
    for (i = 0; i < world; i++)
        embdist_comm_free(&comms[i]);
    free(ranks);
    free(comms);
    return of.form_count;
}
