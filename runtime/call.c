#include "permute.h"
#include "request.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- arguments ------------------------------------------------------------------------------ */

/* The names that the generated prototypes give to the two buffers. */
typedef struct names {
    const char *input, *input_count, *output, *output_count;
} names;

static names names_of(embdist_direction direction)
{
    return direction == EMBDIST_FORWARD
               ? (names){"local_embs", "local_count", "out", "out_count"}
               : (names){"grad_out", "grad_out_count", "grad_local_embs", "grad_local_count"};
}

static embdist_status check_buffer(const char *name, const char *count_name, const void *buffer,
                                   int64_t count, int64_t expected, int64_t element_bytes)
{
    if (count != expected)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "%s is %" PRId64 ", expected %" PRId64 " elements by the counts",
                            count_name, count, expected);
    if (count && !buffer)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s is NULL, expected %" PRId64 " elements",
                            name, count);
    return embdist_layout_aligned(name, buffer, (size_t)element_bytes);
}

static int overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes)
{
    const uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    if (!a_bytes || !b_bytes)
        return 0;
    return first < second ? second - first < (uint64_t)a_bytes : first - second < (uint64_t)b_bytes;
}

static embdist_status check_overlap(const embdist_call *call, const embdist_request *request)
{
    const names name = names_of(call->direction);
    const int64_t element = call->descriptor->element_bytes;
    const int64_t bytes = call->output_count * element;
    if (overlap(call->output, bytes, call->input, call->input_count * element))
        return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s overlaps %s, expected separate buffers",
                            name.output, name.input);
    if (request->permute && overlap(call->output, bytes, request->permute,
                                    request->layout.output_rows * call->descriptor->index_bytes))
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "%s overlaps permute, expected separate buffers", name.output);
    return EMBDIST_OK;
}

static embdist_status check_rows(const embdist_dist *dist, const embdist_layout_of_call *layout)
{
    if (!dist->max_rows || layout->most_rows <= dist->max_rows)
        return EMBDIST_OK;
    return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                        "the call has %" PRId64 " rows, expected at most the %" PRId64
                        " that embdist_reserve fixed",
                        layout->most_rows, dist->max_rows);
}

static embdist_status check_arguments(embdist_dist *dist, const embdist_call *call,
                                      embdist_request *request)
{
    if (call->descriptor != dist->descriptor)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "the dist was opened as %s_%s, expected a function of it",
                            dist->descriptor->spec, dist->descriptor->name);
    if (call->stream)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "stream is not NULL, expected NULL for a dist in host memory");
    embdist_status status =
        embdist_layout_make(&request->layout, &request->layout_memory, &dist->parts,
                            dist->comm->rank, &call->batch, call->direction);
    const embdist_layout_of_call *layout = &request->layout;
    if (!status)
        status = check_rows(dist, layout);
    if (status)
        return status;
    const int forward = call->direction == EMBDIST_FORWARD;
    const names name = names_of(call->direction);
    status = check_buffer(name.input, name.input_count, call->input, call->input_count,
                          forward ? layout->local_count : layout->out_count,
                          dist->descriptor->element_bytes);
    if (!status)
        status = check_buffer(name.output, name.output_count, call->output, call->output_count,
                              forward ? layout->out_count : layout->local_count,
                              dist->descriptor->element_bytes);
    if (status)
        return status;
    const embdist_sequence_batch *sequence =
        call->batch.mode == EMBDIST_SEQUENCE ? call->batch.sequence : NULL;
    request->permute = sequence ? sequence->permute : NULL;
    if (request->permute && (uintptr_t)request->permute % (uint64_t)call->descriptor->index_bytes)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "permute is misaligned, expected a multiple of %" PRId64 " bytes",
                            call->descriptor->index_bytes);
    status = check_overlap(call, request);
    if (!status && request->permute)
        status = embdist_permute_check(request, call->descriptor->index_bytes, sequence->bijection);
    return status;
}

/* ---- inspection ----------------------------------------------------------------------------- */

/* nonfinite = "fail": one more read of the input, before any byte is sent, since a call that fails
 * must not have written. With counters on, the same read counts. */
static embdist_status inspect(embdist_request *request, const embdist_call *call)
{
    const float most = embdist_run_stage(request)->fail_above;
    const int fails = most != 0 && request->layout.world > 1;
    embdist_inspection *found = &request->inspection;
    int64_t element = 0;
    if (!fails && !request->dist->counts)
        return EMBDIST_OK;
    *found = (embdist_inspection){0};
    embdist_run_inspect(request, found, &element);
    if (!fails || !found->refused)
        return EMBDIST_OK;
    return embdist_fail(EMBDIST_NONFINITE,
                        "%s[%" PRId64 "] is %g, but nonfinite = \"fail\": expected at most %g in "
                        "magnitude",
                        names_of(call->direction).input, element, (double)found->value,
                        (double)most);
}

/* ---- start ---------------------------------------------------------------------------------- */

/* All that can fail on this rank alone. */
static embdist_status prepare(embdist_dist *dist, const embdist_call *call,
                              embdist_request *request)
{
    request->record = (embdist_record){.operation = EMBDIST_OPERATION_CALL,
                                       .descriptor = dist->descriptor,
                                       .way = dist->way,
                                       .dist = dist->number,
                                       .direction = call->direction,
                                       .layout = &request->layout,
                                       .input = call->input,
                                       .seed = call->seed};
    request->output = call->output;
    embdist_status status = check_arguments(dist, call, request);
    if (!status)
        status = embdist_buffer_hold(&request->addresses,
                                     embdist_run_addresses(request) * (int64_t)sizeof(void *));
    if (!status)
        status = embdist_buffer_hold(&request->scratch, dist->scratch_bytes);
    if (!status)
        status = embdist_buffer_hold(&request->keys,
                                     embdist_run_keys(request) * (int64_t)sizeof(uint64_t));
    if (!status && request->permute && call->direction == EMBDIST_BACKWARD)
        status = embdist_permute_transpose(request, dist->descriptor->index_bytes,
                                           dist->descriptor->group->dim *
                                               dist->descriptor->element_bytes);
    if (!status)
        status = inspect(request, call);
    if (status || dist->way != EMBDIST_WAY_STAGED)
        return status;
    request->wire_bytes = embdist_run_wire_bytes(request);
    status = embdist_buffer_hold(&request->wire, request->wire_bytes);
    if (status)
        return status;
    embdist_run_pack(request);
    request->record.wire = request->wire.memory;
    return EMBDIST_OK;
}

/* The thread's last error, after the name of the function that was called. */
static embdist_status name_function(const embdist_call *call, embdist_status status)
{
    static const char *const modes[] = {"_even", "_ragged", "_per_feature", ""};
    return embdist_fail(status, "%s_%s_%s%s: %s", call->descriptor->spec, call->descriptor->name,
                        call->direction == EMBDIST_FORWARD ? "forward" : "backward",
                        modes[call->batch.mode], embdist_last_error());
}

embdist_status embdist_start(embdist_dist *dist, const embdist_call *call,
                             embdist_request **request)
{
    if (!dist)
        return name_function(
            call, embdist_fail(EMBDIST_INVALID_ARGUMENT, "dist is NULL: closed, or never opened"));
    embdist_status status = embdist_comm_check(dist->comm);
    if (status)
        return name_function(call, status);
    embdist_request *made = NULL;
    status = embdist_request_take(dist, &made);
    if (!status)
        status = prepare(dist, call, made);
    if (status) {
        status =
            embdist_request_refuse(dist->comm, EMBDIST_OPERATION_CALL, name_function(call, status));
    } else {
        status = embdist_request_post(made);
    }
    if (status) {
        if (made)
            embdist_request_recycle(made);
        return status;
    }
    if (request) {
        *request = made;
        return EMBDIST_OK;
    }
    return embdist_request_complete(made);
}
