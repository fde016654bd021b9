/* embdist.h: the public interface of the embdist runtime.
 *
 * A dist is one distribution op of a generated spec. Its generated header (NAME.h) declares one
 * function for each batch mode and direction; this header declares what is common to all: comms,
 * opening and closing, requests, errors.
 *
 * Conventions. Sizes and counts are int64_t; a length is in elements of the rows' type, never in
 * bytes. Rank and feature numbers start at 0. Host pointers are plain pointers. Every function
 * returns an embdist_status; what was wrong is a sentence in embdist_last_error(). A function that
 * fails has written nothing through its output arguments, unless its comment says otherwise.
 *
 * Threads. A comm, its dists and its requests belong to one rank and are used by one thread at a
 * time. Different ranks of a local comm are used by different threads.
 *
 * Handles. A function that frees what a handle (comm, dist, request) points to sets the variable
 * that it was given to NULL. A copy of the handle is not known to the runtime: it points to freed
 * or reused memory from then on, and using it is undefined, waiting a second time too. */
#ifndef EMBDIST_H
#define EMBDIST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the runtime; the generator writes its own into every descriptor, and embdist_open
 * compares them. */
#define EMBDIST_VERSION_MAJOR 0
#define EMBDIST_VERSION_MINOR 1
#define EMBDIST_VERSION_PATCH 0
#define EMBDIST_VERSION "0.1.0"

typedef enum embdist_status {
    EMBDIST_OK = 0,
    /* This rank's arguments are wrong, or more than embdist_reserve fixed; nothing was written. */
    EMBDIST_INVALID_ARGUMENT = 1,
    /* Ranks disagree on op, mode, counts or descriptor; nothing was written. */
    EMBDIST_MISMATCH = 2,
    /* Another rank refused its matching call; its sentence is passed on. Nothing was written. */
    EMBDIST_REFUSED = 3,
    /* A value that the codec must not send (nonfinite = "fail"); nothing was written. */
    EMBDIST_NONFINITE = 4,
    /* A rank did not come within the time limit; the comm is unusable from now on. */
    EMBDIST_TIMED_OUT = 5,
    /* The comm is unusable since an earlier error, whose sentence is passed on. */
    EMBDIST_BROKEN = 6,
    /* Not in this spec or this build. */
    EMBDIST_UNSUPPORTED = 7,
    /* An allocation failed on this rank. */
    EMBDIST_NO_MEMORY = 8
} embdist_status;

/* The name of a status ("EMBDIST_TIMED_OUT"), a static string; "unknown status" for a number that
 * is none. */
const char *embdist_status_name(embdist_status status);

/* The sentence of the last error of the calling thread: who, what, expected, got. "" before the
 * first error. The string belongs to the runtime and is valid until the thread's next failing call.
 */
const char *embdist_last_error(void);

/* The runtime's version, as EMBDIST_VERSION was when it was compiled. */
const char *embdist_version(void);

/* ---- comms ---------------------------------------------------------------------------------- */

/* One rank of a group of ranks on a transport. */
typedef struct embdist_comm embdist_comm;

/* Makes the `world` ranks of a group whose ranks are threads of this process, and stores rank r's
 * comm at comms[r]. world is 1 or more. Each comm is freed by embdist_comm_free. Not collective:
 * one thread makes all.
 *
 * Ranks read each other's buffers where they are. A call checks that its own buffers do not
 * overlap; that no rank's output overlaps another rank's input or output of the same call, or of
 * one in flight with it, is the caller's to see to, and the results are undefined where one does. */
embdist_status embdist_comm_local(int64_t world, embdist_comm **comms);

/* Frees *comm and sets it to NULL; a NULL comm is left alone. Dists that are still open on it keep
 * what they need until they are closed. The group is freed with its last comm. Not collective. */
void embdist_comm_free(embdist_comm **comm);

/* The time, in seconds, after which a wait for other ranks gives up with EMBDIST_TIMED_OUT:
 * positive; 600 at first. Applies to this rank's later waits. For embdist_test it counts from the
 * first test that found the request not done, so that work of any length may go before. */
embdist_status embdist_comm_set_time_limit(embdist_comm *comm, double seconds);

int64_t embdist_comm_rank(const embdist_comm *comm);  /* 0 for a NULL comm */
int64_t embdist_comm_world(const embdist_comm *comm); /* 1 for a NULL comm */

/* ---- dists ---------------------------------------------------------------------------------- */

/* A generated dist's description: `extern const embdist_descriptor NAME_DIST;` in NAME.h. */
typedef struct embdist_descriptor embdist_descriptor;

/* One rank's end of an opened dist. */
typedef struct embdist_dist embdist_dist;

/* How rows travel. Both ways give the same bits. */
typedef enum embdist_way {
    EMBDIST_WAY_AUTO = 0, /* in place where the transport can, else staged */
    EMBDIST_WAY_IN_PLACE =
        1, /* unpack reads the peers' rows where they are; an error where the transport cannot */
    EMBDIST_WAY_STAGED = 2 /* pack into wire rows, exchange, unpack */
} embdist_way;

/* Options of embdist_open. Set `size` to sizeof(embdist_options) and what is not named to zero. */
typedef struct embdist_options {
    size_t size;
    embdist_way way; /* must be the same on all ranks */
    int count;       /* non-zero: keep counters (embdist_read_counters), at the cost of one more
                        read of each call's input */

    /* For table-wise kinds, whose features each have one owner, the rank that holds its table:
     * [features] ranks, the same on all ranks, copied. Features may be given to ranks in any way, to
     * some ranks none. NULL for other kinds; for table-wise ones too where there is only one rank.
     */
    const int64_t *owners;
} embdist_options;

/* Opens a dist. Collective: every rank of the comm opens the same descriptors in the same order,
 * and the ranks compare what they open; a difference is EMBDIST_MISMATCH on all and names the first
 * field that differs.
 *   dist        receives the dist; closed by embdist_close
 *   comm        NULL: one rank, no group needed
 *   descriptor  generated; it and what it points to must live as long as the dist
 *   options     NULL: all defaults */
embdist_status embdist_open(embdist_dist **dist, embdist_comm *comm,
                            const embdist_descriptor *descriptor, const embdist_options *options);

/* Closes *dist and sets it to NULL; a NULL dist is left alone. EMBDIST_INVALID_ARGUMENT while a
 * request of the dist has not been waited for (the dist stays open). Not collective. */
embdist_status embdist_close(embdist_dist **dist);

/* Takes memory for `max_requests` requests in flight at once of at most `max_rows` rows each, and
 * fixes that capacity: from now on the dist allocates nothing, and a call that needs more is
 * refused. Rows are counted on each side of the call (sent, received, output); the largest of the
 * three must be within max_rows. Both are 1 or more, and max_requests is at most
 * EMBDIST_MAX_REQUESTS. Once for a dist, and while none of its requests is in flight; a second call
 * is EMBDIST_INVALID_ARGUMENT. Collective; each rank's numbers are its own. */
embdist_status embdist_reserve(embdist_dist *dist, int64_t max_rows, int64_t max_requests);

/* ---- counters ------------------------------------------------------------------------------- */

typedef enum embdist_direction { EMBDIST_FORWARD = 0, EMBDIST_BACKWARD = 1 } embdist_direction;

/* What this rank's calls in one direction have encoded since the dist was opened. A call counts once
 * it has been waited for; one that failed or was refused, by whatever rank, never. Of a backward
 * call whose permute repeats rows, the sums are counted. */
typedef struct embdist_counters {
    size_t size; /* sizeof(embdist_counters) */
    int64_t calls;
    int64_t rows;           /* of its input, or sums of them */
    int64_t nonfinite_rows; /* rows with a NaN or an infinity */
    int64_t nans;           /* values */
    int64_t saturated;      /* values that were too large for the codec and became the largest it
                               has, or the largest of their group; infinities too. None with one
                               rank, where nothing is encoded */
} embdist_counters;

/* Reads the counters of a direction. Set counters->size before. EMBDIST_INVALID_ARGUMENT where the
 * dist was opened without options->count. */
embdist_status embdist_read_counters(const embdist_dist *dist, embdist_direction direction,
                                     embdist_counters *counters);

/* ---- batches -------------------------------------------------------------------------------- */

/* What every rank's batch of a sequence dist is; the same struct serves forward and backward. All
 * arrays are host memory, are read during the call that starts the request (rows, lengths, counts:
 * copied; permute: must stay until the request is done) and are never written. */
typedef struct embdist_sequence_batch {
    size_t size;              /* sizeof(embdist_sequence_batch) */
    const int64_t *send_rows; /* [world] rows of local_embs that belong to each rank */
    const int64_t *recv_rows; /* [world] rows that each rank holds for this one */

    /* Where the rows lie in local_embs, which is ordered by feature, then by the rank they belong
     * to. Features are those that this rank holds: all, or, where they have owners, its own. One of
     * rows and lengths, the other NULL: both are refused (where it holds none: neither, or one): */
    const int64_t
        *rows; /* [features][world] rows of a feature that belong to a rank; or NULL, and then */
    const int32_t *lengths; /* [features][sum(batch_per_rank)] rows of each sample, samples in rank
                               order, with */
    const int64_t *batch_per_rank; /* [world] samples of each rank */

    /* The unbucketize: out[i] = received[permute[i]], where received is ordered by the rank that
     * held the row, then by feature. [output_rows] of the spec's index type, each in [0,
     * sum(recv_rows)); repeats and omissions are allowed. NULL: out is received, and output_rows is
     * ignored. Kinds without an index in their spec take NULL only.
     *
     * Backward adds, in fp32, in increasing i, the gradients of a row that is named more than once;
     * one that is named once arrives as it is (a -0.0 stays one, which frameworks that add into
     * zeros make +0.0), one that is never named is +0.0. */
    const void *permute;
    int64_t output_rows;
    int bijection; /* non-zero: a promise that permute names every received row exactly once;
                      checked */
} embdist_sequence_batch;

/* The batch of one call in any mode, for embdist_lengths: fill the member of the mode. */
typedef enum embdist_mode {
    EMBDIST_EVEN = 0,        /* `even`: the same batch on every rank */
    EMBDIST_RAGGED = 1,      /* `per_rank`: a batch for each rank */
    EMBDIST_PER_FEATURE = 2, /* `per_rank_feature`: a batch for each rank and feature */
    EMBDIST_SEQUENCE = 3     /* `sequence` */
} embdist_mode;

typedef struct embdist_batch {
    size_t size; /* sizeof(embdist_batch) */
    embdist_mode mode;
    int64_t even;
    const int64_t *per_rank;         /* [world] */
    const int64_t *per_rank_feature; /* [world][features] */
    const embdist_sequence_batch
        *sequence; /* embdist_lengths reads all of it but permute's elements */
} embdist_batch;

/* The lengths that a call with a batch needs on this rank. Set `size` and `local_offsets` before
 * the call. */
typedef struct embdist_lengths_result {
    size_t size;            /* sizeof(embdist_lengths_result) */
    int64_t local_count;    /* elements of local_embs, and of its gradient */
    int64_t out_count;      /* elements of out, and of its gradient */
    int64_t *local_offsets; /* NULL, or [features][world], of the features that this rank holds:
                               receives the element of local_embs where the rows of (feature, rank)
                               start; rows of an even or ragged batch are the sum of these features'
                               dims apart, others are adjacent */
} embdist_lengths_result;

/* Computes lengths and offsets; touches no row. Errors: a negative count, a sum past int64, a mode
 * that the dist has not. */
embdist_status embdist_lengths(const embdist_dist *dist, const embdist_batch *batch,
                               embdist_lengths_result *result);

/* ---- requests ------------------------------------------------------------------------------- */

/* A call in flight. Every rank of a comm starts its requests in the same order and may wait for
 * them in any order. Buffers given to the call belong to it until the request is done. Where a
 * generated function is given no place for the request (NULL), the call returns when it is done. */
typedef struct embdist_request embdist_request;

/* The most requests of one comm that may be in flight at once. A request is in flight from its
 * start until every rank has done its part, waited for or not; an open or a reserve counts as one.
 * A call that would be one more (the 65th) is not refused: its start first waits, as embdist_wait
 * does, advancing all started requests, until the oldest one is no longer in flight. Where a rank
 * does not do its part of that one within the time limit, the call is EMBDIST_TIMED_OUT and the
 * comm unusable. */
#define EMBDIST_MAX_REQUESTS 64

/* Waits until *request is done, frees it and sets *request to NULL; a NULL *request is done. While it
 * waits, it also advances the other started requests of the comm. The status is the call's own.
 * stream: NULL on the host. */
embdist_status embdist_wait(embdist_request **request, void *stream);

/* Advances the started requests of the comm without blocking and sets *done to 1 if *request was
 * done, else 0. A done request is freed and set to NULL, and the status is the call's own. Where
 * tests have found it not done for longer than the comm's time limit, it is done, with
 * EMBDIST_TIMED_OUT as from embdist_wait, and the comm is unusable. */
embdist_status embdist_test(embdist_request **request, int *done);

/* As embdist_wait(request, NULL); for device memory, blocks the host until the results are there.
 */
embdist_status embdist_synchronize(embdist_request **request);

#ifdef __cplusplus
}
#endif

#endif
