#define _POSIX_C_SOURCE 200809L
#include "request.h"

#include "agree.h"
#include "machine.h"
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- taking and giving back ----------------------------------------------------------------- */

embdist_status embdist_request_take(embdist_dist *dist, embdist_request **request)
{
    if (dist->idle) {
        *request = dist->idle;
        dist->idle = (*request)->next;
    } else if (dist->max_requests) {
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "%s_%s: a request more than the %" PRId64
                            " that embdist_reserve fixed; wait for one first",
                            dist->descriptor->spec, dist->descriptor->name, dist->max_requests);
    } else {
        *request = calloc(1, sizeof **request);
        if (!*request)
            return embdist_fail(EMBDIST_NO_MEMORY, "%s_%s: no memory for a request",
                                dist->descriptor->spec, dist->descriptor->name);
        (*request)->dist = dist;
    }
    dist->in_flight++;
    return EMBDIST_OK;
}

void embdist_request_recycle(embdist_request *request)
{
    embdist_dist *dist = request->dist;
    dist->in_flight--;
    request->next = dist->idle;
    dist->idle = request;
}

void embdist_request_delete(embdist_request *request)
{
    embdist_buffer_free(&request->layout_memory);
    embdist_buffer_free(&request->wire);
    embdist_buffer_free(&request->addresses);
    embdist_buffer_free(&request->scratch);
    embdist_buffer_free(&request->keys);
    embdist_buffer_free(&request->starts);
    free(request);
}

/* ---- progress ------------------------------------------------------------------------------- */

static void leave_list(embdist_request *request)
{
    embdist_comm *comm = request->dist->comm;
    if (request->previous)
        request->previous->next = request->next;
    else
        comm->oldest = request->next;
    if (request->next)
        request->next->previous = request->previous;
    else
        comm->newest = request->previous;
    request->state = EMBDIST_STATE_DONE;
}

/* The first error of a request is its status, with the thread's sentence. */
static void take_error(embdist_request *request, embdist_status status)
{
    if (!status || request->status)
        return;
    request->status = status;
    snprintf(request->sentence, sizeof request->sentence, "%s", embdist_last_error());
}

/* All have posted: judges, reads and finishes. */
static void read_peers(embdist_request *request)
{
    embdist_comm *comm = request->dist->comm;
    if (!embdist_local_begin_reading(comm->local, comm->rank))
        return; /* broken: the next look takes all requests away */
    embdist_status status = embdist_agree(comm->local, comm->world, request->sequence);
    if (!status && request->record.operation == EMBDIST_OPERATION_CALL)
        embdist_run_unpack(request);
    take_error(request, status);
    request->state = EMBDIST_STATE_FINISHED;
    embdist_local_finish(comm->local, comm->rank, request->sequence);
}

static void end_broken(embdist_comm *comm)
{
    embdist_local_drain(comm->local);
    while (comm->oldest) {
        embdist_request *request = comm->oldest;
        take_error(request,
                   embdist_fail(EMBDIST_TIMED_OUT, "%s", embdist_local_broken(comm->local)));
        leave_list(request);
    }
}

/* Advances every request of a comm as far as it goes without waiting; returns whether one advanced.
 */
static int advance(embdist_comm *comm)
{
    int advanced = 0;
    embdist_request *next;
    for (embdist_request *request = comm->oldest; request; request = next) {
        next = request->next;
        if (request->state == EMBDIST_STATE_POSTED &&
            embdist_local_all_posted(comm->local, request->sequence)) {
            read_peers(request);
            advanced |= request->state == EMBDIST_STATE_FINISHED;
        }
        if (request->state == EMBDIST_STATE_FINISHED &&
            embdist_local_all_finished(comm->local, request->sequence)) {
            leave_list(request);
            advanced = 1;
        }
    }
    if (comm->oldest && embdist_local_broken(comm->local)) {
        end_broken(comm);
        advanced = 1;
    }
    return advanced;
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* What a wait is for: the end of a request, or (request NULL) a free slot for an operation. */
typedef struct awaited {
    const embdist_request *request;
    uint64_t sequence;
} awaited;

static int has_come(const embdist_comm *comm, const awaited *what)
{
    if (what->request)
        return what->request->state == EMBDIST_STATE_DONE;
    return embdist_local_may_post(comm->local, what->sequence);
}

/* Says which ranks keep this one waiting for an operation: "ranks 1, 3 and 5 more have not come". */
static void name_missing(const embdist_comm *comm, uint64_t sequence, int posted, char *text,
                         size_t size)
{
    const int most = 8;
    int named = 0, more = 0;
    char ranks[160] = "", others[32] = "";
    size_t used = 0;
    for (int64_t r = 0; r < comm->world; r++) {
        if (posted ? embdist_local_has_posted(comm->local, r, sequence)
                   : embdist_local_has_finished(comm->local, r, sequence))
            continue;
        if (named == most) {
            more++;
            continue;
        }
        const int written =
            snprintf(ranks + used, sizeof ranks - used, "%s%" PRId64, named++ ? ", " : "", r);
        used += written > 0 && (size_t)written < sizeof ranks - used ? (size_t)written : 0;
    }
    if (more)
        snprintf(others, sizeof others, " and %d more", more);
    if (!named)
        snprintf(text, size, "all ranks have come by now, too late");
    else
        snprintf(text, size, "rank%s %s%s %s %s", named > 1 ? "s" : "", ranks, others,
                 named > 1 ? "have" : "has", posted ? "not come" : "come, but not finished");
}

/* What a rank waits for, in words. */
static void name_awaited(const awaited *what, char *text, size_t size)
{
    static const char *const ends[] = {"_even", "_ragged", "_per_feature", ""};
    if (!what->request) {
        snprintf(text, size, "a free place (%d requests are in flight)", EMBDIST_MAX_REQUESTS);
        return;
    }
    const embdist_record *record = &what->request->record;
    if (record->operation != EMBDIST_OPERATION_CALL)
        snprintf(text, size, "%s of %s_%s",
                 record->operation == EMBDIST_OPERATION_OPEN ? "embdist_open" : "embdist_reserve",
                 record->descriptor->spec, record->descriptor->name);
    else
        snprintf(text, size, "%s_%s_%s%s", record->descriptor->spec, record->descriptor->name,
                 record->direction == EMBDIST_FORWARD ? "forward" : "backward",
                 ends[record->layout->mode]);
}

static embdist_status time_out(embdist_comm *comm, const awaited *what)
{
    char missing[256], op[160];
    /* A free place is the end of the operation that had it before. */
    const uint64_t sequence =
        what->request ? what->sequence : what->sequence - EMBDIST_MAX_REQUESTS;
    name_awaited(what, op, sizeof op);
    name_missing(comm, sequence, !embdist_local_all_posted(comm->local, sequence), missing,
                 sizeof missing);
    const embdist_status status = embdist_fail(EMBDIST_TIMED_OUT,
                                               "rank %" PRId64 " waited %g s for %s, step %" PRIu64
                                               " of its comm: %s; the comm is unusable from now on",
                                               comm->rank, comm->time_limit, op, sequence, missing);
    embdist_local_break(comm->local, embdist_last_error());
    end_broken(comm);
    return status;
}

static void pause_briefly(void)
{
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_ia32_pause();
#endif
}

/* Advances the comm until what is awaited has come, the time limit has passed, or the group is
 * broken. */
static embdist_status await(embdist_comm *comm, const awaited *what)
{
    const double deadline = embdist_machine_seconds() + comm->time_limit;
    int64_t spins = comm->spins;
    for (;;) {
        const uint64_t seen = embdist_local_events(comm->local);
        const int advanced = advance(comm);
        if (has_come(comm, what))
            return EMBDIST_OK;
        if (embdist_local_broken(comm->local))
            return embdist_comm_check(comm);
        if (advanced) {
            spins = comm->spins;
        } else if (spins > 0) {
            spins--;
            pause_briefly();
        } else if (!embdist_local_sleep(comm->local, seen, deadline)) {
            advance(comm);
            return has_come(comm, what) ? EMBDIST_OK : time_out(comm, what);
        }
    }
}

/* ---- posting, refusing, completing ---------------------------------------------------------- */

embdist_status embdist_comm_check(const embdist_comm *comm)
{
    const char *sentence = embdist_local_broken(comm->local);
    if (!sentence)
        return EMBDIST_OK;
    return embdist_fail(EMBDIST_BROKEN, "the comm is unusable since an earlier error: %s",
                        sentence);
}

static embdist_status wait_for_slot(embdist_comm *comm)
{
    const awaited slot = {NULL, comm->sequence};
    return embdist_local_may_post(comm->local, comm->sequence) ? EMBDIST_OK : await(comm, &slot);
}

embdist_status embdist_request_post(embdist_request *request)
{
    embdist_comm *comm = request->dist->comm;
    const embdist_status status = wait_for_slot(comm);
    if (status)
        return status;
    request->sequence = comm->sequence++;
    request->state = EMBDIST_STATE_POSTED;
    request->status = EMBDIST_OK;
    request->tested = 0;
    request->next = NULL;
    request->previous = comm->newest;
    if (comm->newest)
        comm->newest->next = request;
    else
        comm->oldest = request;
    comm->newest = request;
    embdist_agree_sign(&request->record, comm->rank, comm->world);
    embdist_local_post(comm->local, comm->rank, request->sequence, &request->record);
    return EMBDIST_OK;
}

embdist_status embdist_request_refuse(embdist_comm *comm, embdist_operation operation,
                                      embdist_status status)
{
    char sentence[EMBDIST_SENTENCE];
    snprintf(sentence, sizeof sentence, "%s", embdist_last_error());
    if (!wait_for_slot(comm)) {
        const embdist_record record = {.operation = operation, .refusal = sentence};
        embdist_local_post(comm->local, comm->rank, comm->sequence++, &record);
    }
    return embdist_fail(status, "%s", sentence);
}

/* Of a call that is done: until then another rank may refuse its own. */
static void count(const embdist_request *request)
{
    embdist_counters *counters = &request->dist->counters[request->record.direction];
    counters->calls++;
    counters->rows += embdist_run_rows(request);
    counters->nonfinite_rows += request->inspection.rows;
    counters->nans += request->inspection.nans;
    counters->saturated += request->inspection.saturated;
}

embdist_status embdist_request_complete(embdist_request *request)
{
    if (request->state != EMBDIST_STATE_DONE) {
        const awaited end = {request, request->sequence};
        await(request->dist->comm, &end); /* its error, if any, is also the request's */
    }
    const embdist_status status = request->status;
    if (status)
        embdist_fail(status, "%s", request->sentence);
    else if (request->dist->counts && request->record.operation == EMBDIST_OPERATION_CALL)
        count(request);
    embdist_request_recycle(request);
    return status;
}

/* ---- public --------------------------------------------------------------------------------- */

/* Completes *request for the public function of this name. */
static embdist_status complete(const char *function, embdist_request **request)
{
    if (!request)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "%s: request is NULL, expected the address of a request", function);
    if (!*request)
        return EMBDIST_OK;
    const embdist_status status = embdist_request_complete(*request);
    *request = NULL;
    return status;
}

embdist_status embdist_wait(embdist_request **request, void *stream)
{
    if (stream)
        return embdist_fail(
            EMBDIST_INVALID_ARGUMENT,
            "embdist_wait: stream is not NULL, expected NULL for a dist in host memory");
    return complete("embdist_wait", request);
}

/* Gives up on a request that embdist_test has not found done for longer than a wait would wait. */
static void limit_tests(embdist_request *request)
{
    embdist_comm *comm = request->dist->comm;
    const double now = embdist_machine_seconds();
    const awaited end = {request, request->sequence};
    if (request->tested == 0)
        request->tested = now;
    else if (now - request->tested > comm->time_limit)
        time_out(comm, &end); /* its error is also the request's */
}

embdist_status embdist_test(embdist_request **request, int *done)
{
    if (!request || !done)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_test: %s is NULL, expected the address of a %s",
                            request ? "done" : "request", request ? "flag" : "request");
    *done = 1;
    if (!*request)
        return EMBDIST_OK;
    advance((*request)->dist->comm);
    if ((*request)->state != EMBDIST_STATE_DONE)
        limit_tests(*request);
    if ((*request)->state != EMBDIST_STATE_DONE) {
        *done = 0;
        return EMBDIST_OK;
    }
    return complete("embdist_test", request);
}

embdist_status embdist_synchronize(embdist_request **request)
{
    return complete("embdist_synchronize", request);
}

void embdist_request_wire(const embdist_request *request, const void **bytes, int64_t *length)
{
    *bytes = request->record.wire;
    *length = request->record.wire ? request->wire_bytes : 0;
}
