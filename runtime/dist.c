#include "layout.h"
#include "machine.h"
#include "request.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- open ----------------------------------------------------------------------------------- */

/* The widest wire row, and the most memory that a codelet needs for a row in the making, of any group
 * and direction. */
typedef struct most_bytes {
    int64_t row, scratch;
} most_bytes;

static most_bytes most_bytes_of(const embdist_dist *dist)
{
    most_bytes most = {0};
    for (int64_t g = 0; g < dist->descriptor->groups; g++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
            const embdist_codelets *codelets = embdist_layout_codelets(
                &dist->descriptor->group[g], dist->comm->world, (embdist_direction)d);
            if (codelets->row_bytes > most.row)
                most.row = codelets->row_bytes;
            if (codelets->scratch_bytes > most.scratch)
                most.scratch = codelets->scratch_bytes;
        }
    return most;
}

static embdist_status check_open(embdist_dist **dist, const embdist_descriptor *descriptor,
                                 const embdist_options *options)
{
    if (!dist)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_open: dist is NULL, expected the address of a dist");
    if (!descriptor)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_open: descriptor is NULL, expected a generated one");
    if (descriptor->descriptor_version != EMBDIST_DESCRIPTOR_VERSION)
        return embdist_fail(EMBDIST_UNSUPPORTED,
                            "embdist_open: the descriptor's version is %" PRIu32
                            ", but this runtime expects %d: generate the sources again",
                            descriptor->descriptor_version, EMBDIST_DESCRIPTOR_VERSION);
    if (options && options->size != sizeof *options)
        return embdist_fail(
            EMBDIST_INVALID_ARGUMENT,
            "embdist_open: options->size is %zu, expected sizeof(embdist_options) = %zu",
            options->size, sizeof *options);
    if (options && (unsigned)options->way > EMBDIST_WAY_STAGED)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_open: options->way is %d, expected an embdist_way",
                            (int)options->way);
    return EMBDIST_OK;
}

/* Ranks post what they open and compare it. */
static embdist_status agree_on(embdist_dist *dist, embdist_operation operation)
{
    embdist_request *request;
    embdist_status status = embdist_request_take(dist, &request);
    if (status)
        return embdist_request_refuse(dist->comm, operation, status);
    request->record = (embdist_record){.operation = operation,
                                       .descriptor = dist->descriptor,
                                       .owners = dist->parts.owners,
                                       .way = dist->way,
                                       .dist = dist->number};
    status = embdist_request_post(request);
    if (status) {
        embdist_request_recycle(request);
        return status;
    }
    return embdist_request_complete(request);
}

static void delete_dist(embdist_dist *dist)
{
    while (dist->idle) {
        embdist_request *request = dist->idle;
        dist->idle = request->next;
        embdist_request_delete(request);
    }
    embdist_comm_release(dist->comm);
    embdist_parts_free(&dist->parts);
    free(dist);
}

static embdist_status make_dist(embdist_dist **made, embdist_comm *comm,
                                const embdist_descriptor *descriptor,
                                const embdist_options *options)
{
    embdist_isa isa;
    embdist_parts parts;
    embdist_status status = embdist_machine_isa(&isa);
    if (!status)
        status =
            embdist_parts_make(&parts, descriptor, comm->world, options ? options->owners : NULL);
    if (status)
        return status;
    embdist_dist *dist = calloc(1, sizeof *dist);
    if (!dist) {
        embdist_parts_free(&parts);
        return embdist_fail(EMBDIST_NO_MEMORY, "embdist_open: no memory for %s_%s",
                            descriptor->spec, descriptor->name);
    }
    comm->references++;
    dist->comm = comm;
    dist->descriptor = descriptor;
    dist->parts = parts;
    dist->number = comm->dists;
    dist->way = options ? options->way : EMBDIST_WAY_AUTO;
    if (dist->way == EMBDIST_WAY_AUTO)
        dist->way = EMBDIST_WAY_IN_PLACE; /* threads can always */
    dist->isa = isa;
    dist->counts = options && options->count;
    dist->scratch_bytes = most_bytes_of(dist).scratch;
    dist->stream_bytes = embdist_machine_stream_bytes();
    *made = dist;
    return EMBDIST_OK;
}

embdist_status embdist_open(embdist_dist **dist, embdist_comm *comm,
                            const embdist_descriptor *descriptor, const embdist_options *options)
{
    embdist_comm *alone = NULL; /* no group: a comm of one rank, which the dist keeps */
    embdist_dist *made = NULL;
    embdist_status status = EMBDIST_OK;
    if (!comm) {
        status = embdist_comm_local(1, &alone);
        if (status)
            return embdist_name_error("embdist_open", status);
        comm = alone;
    }
    status = embdist_comm_check(comm);
    if (!status) {
        status = check_open(dist, descriptor, options);
        if (!status)
            status = make_dist(&made, comm, descriptor, options);
        if (status)
            status = embdist_request_refuse(comm, EMBDIST_OPERATION_OPEN,
                                            embdist_name_error("embdist_open", status));
        else
            status = agree_on(made, EMBDIST_OPERATION_OPEN);
    }
    if (status && made)
        delete_dist(made);
    else if (!status) {
        comm->dists++; /* only where all have opened it, so that ranks always count alike */
        *dist = made;
    }
    embdist_comm_free(&alone);
    return embdist_name_error("embdist_open", status);
}

embdist_status embdist_close(embdist_dist **dist)
{
    if (!dist || !*dist)
        return EMBDIST_OK;
    if ((*dist)->in_flight)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_close: %" PRId64
                            " requests of %s_%s are in flight, expected all to be waited for",
                            (*dist)->in_flight, (*dist)->descriptor->spec,
                            (*dist)->descriptor->name);
    delete_dist(*dist);
    *dist = NULL;
    return EMBDIST_OK;
}

/* ---- reserve -------------------------------------------------------------------------------- */

static int is_stochastic(const embdist_dist *dist)
{
    return dist->comm->world > 1 &&
           (dist->descriptor->forward.stochastic || dist->descriptor->backward.stochastic);
}

static embdist_status reserve_request(embdist_dist *dist, embdist_request *request,
                                      int64_t max_rows)
{
    const int64_t address = (int64_t)sizeof(void *), start = (int64_t)sizeof(int64_t);
    const int64_t addresses = max_rows > dist->comm->world ? max_rows : dist->comm->world;
    const int permutes = dist->descriptor->index_bytes != 0;
    embdist_status status = embdist_buffer_hold(
        &request->layout_memory, embdist_layout_bytes(&dist->parts, dist->comm->rank));
    if (!status)
        status = embdist_buffer_hold(&request->addresses,
                                     (permutes ? addresses : dist->comm->world) * address);
    if (!status && permutes)
        status = embdist_buffer_hold(&request->starts, (max_rows + 1) * start);
    if (!status)
        status = embdist_buffer_hold(&request->scratch, dist->scratch_bytes);
    if (!status && is_stochastic(dist))
        status = embdist_buffer_hold(&request->keys, addresses * (int64_t)sizeof(uint64_t));
    if (!status && dist->way == EMBDIST_WAY_STAGED)
        status = embdist_buffer_hold(&request->wire, max_rows * most_bytes_of(dist).row);
    return status;
}

/* Keeps `count` requests, those with memory, as they are from now on. */
static void fix_requests(embdist_dist *dist, int64_t count)
{
    embdist_request **end = &dist->idle;
    for (int64_t i = 0; i < count; i++) {
        embdist_request *request = *end;
        request->layout_memory.fixed = request->addresses.fixed = 1;
        request->starts.fixed = request->wire.fixed = 1;
        request->scratch.fixed = request->keys.fixed = 1;
        end = &request->next;
    }
    while (*end) {
        embdist_request *surplus = *end;
        *end = surplus->next;
        embdist_request_delete(surplus);
    }
}

/* Takes all requests out, gives each its memory, and puts them back. */
static embdist_status reserve_requests(embdist_dist *dist, int64_t max_rows, int64_t max_requests)
{
    embdist_request *taken = NULL;
    embdist_status status = EMBDIST_OK;
    for (int64_t i = 0; i < max_requests && !status; i++) {
        embdist_request *request = NULL;
        status = embdist_request_take(dist, &request);
        if (!request)
            break;
        request->next = taken;
        taken = request;
        status = reserve_request(dist, request, max_rows);
    }
    while (taken) {
        embdist_request *request = taken;
        taken = request->next;
        embdist_request_recycle(request);
    }
    return status;
}

static embdist_status check_reserve(const embdist_dist *dist, int64_t max_rows,
                                    int64_t max_requests)
{
    if (max_rows < 1 || max_requests < 1)
        return embdist_fail(
            EMBDIST_INVALID_ARGUMENT, "embdist_reserve: %s is %" PRId64 ", expected 1 or more",
            max_rows < 1 ? "max_rows" : "max_requests", max_rows < 1 ? max_rows : max_requests);
    if (max_requests > EMBDIST_MAX_REQUESTS)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_reserve: max_requests is %" PRId64 ", expected at most %d",
                            max_requests, EMBDIST_MAX_REQUESTS);
    if (dist->in_flight || dist->max_requests)
        return embdist_fail(
            EMBDIST_INVALID_ARGUMENT,
            dist->in_flight ? "embdist_reserve: requests are in flight, expected none"
                            : "embdist_reserve: the capacity is fixed already, expected one call");
    const int64_t wide = most_bytes_of(dist).row + (int64_t)sizeof(void *);
    if (max_rows > INT64_MAX / wide - 1)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_reserve: max_rows is %" PRId64
                            ", more than int64 can count in bytes",
                            max_rows);
    return EMBDIST_OK;
}

embdist_status embdist_reserve(embdist_dist *dist, int64_t max_rows, int64_t max_requests)
{
    if (!dist)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_reserve: dist is NULL: closed, or never opened");
    embdist_status status = embdist_comm_check(dist->comm);
    if (status)
        return embdist_name_error("embdist_reserve", status);
    status = check_reserve(dist, max_rows, max_requests);
    if (!status)
        status = reserve_requests(dist, max_rows, max_requests);
    if (status)
        return embdist_request_refuse(dist->comm, EMBDIST_OPERATION_RESERVE,
                                      embdist_name_error("embdist_reserve", status));
    status = agree_on(dist, EMBDIST_OPERATION_RESERVE);
    if (status)
        return embdist_name_error("embdist_reserve", status);
    fix_requests(dist, max_requests);
    dist->max_rows = max_rows;
    dist->max_requests = max_requests;
    return EMBDIST_OK;
}

/* ---- lengths -------------------------------------------------------------------------------- */

static embdist_status check_lengths(const embdist_dist *dist, const embdist_batch *batch,
                                    const embdist_lengths_result *result)
{
    if (!dist)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT, "dist is NULL: closed, or never opened");
    if (!batch || !result)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s is NULL, expected the address of an %s",
                            batch ? "result" : "batch",
                            batch ? "embdist_lengths_result" : "embdist_batch");
    if (batch->size != sizeof *batch)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch->size is %zu, expected sizeof(embdist_batch) = %zu", batch->size,
                            sizeof *batch);
    if (result->size != sizeof *result)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "result->size is %zu, expected sizeof(embdist_lengths_result) = %zu",
                            result->size, sizeof *result);
    return result->local_offsets ? embdist_layout_aligned("result->local_offsets",
                                                          result->local_offsets, _Alignof(int64_t))
                                 : EMBDIST_OK;
}

embdist_status embdist_lengths(const embdist_dist *dist, const embdist_batch *batch,
                               embdist_lengths_result *result)
{
    embdist_buffer memory = {0};
    embdist_layout_of_call layout;
    embdist_status status = check_lengths(dist, batch, result);
    if (!status)
        status = embdist_layout_make(&layout, &memory, &dist->parts, dist->comm->rank, batch,
                                     EMBDIST_FORWARD);
    if (!status) {
        result->local_count = layout.local_count;
        result->out_count = layout.out_count;
        if (result->local_offsets)
            embdist_layout_feature_offsets(&layout, &dist->parts, result->local_offsets);
    }
    embdist_buffer_free(&memory);
    return embdist_name_error("embdist_lengths", status);
}

/* ---- counters ------------------------------------------------------------------------------- */

embdist_status embdist_read_counters(const embdist_dist *dist, embdist_direction direction,
                                     embdist_counters *counters)
{
    if (!dist)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_read_counters: dist is NULL: closed, or never opened");
    if (!dist->counts)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_read_counters: %s_%s keeps no counters, expected a dist that "
                            "was opened with options->count",
                            dist->descriptor->spec, dist->descriptor->name);
    if ((unsigned)direction > EMBDIST_BACKWARD)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_read_counters: direction is %d, expected an embdist_direction",
                            (int)direction);
    if (!counters || counters->size != sizeof *counters)
        return embdist_fail(
            EMBDIST_INVALID_ARGUMENT,
            "embdist_read_counters: counters is %s, expected a struct whose size is "
            "sizeof(embdist_counters) = %zu",
            counters ? "of another size" : "NULL", sizeof *counters);
    *counters = dist->counters[direction];
    counters->size = sizeof *counters;
    return EMBDIST_OK;
}
