/* request.h: dists and requests as the runtime sees them. */
#ifndef EMBDIST_REQUEST_H
#define EMBDIST_REQUEST_H

#include "buffer.h"
#include "comm.h"
#include "error.h"
#include "inline/common.h"
#include "layout.h"

struct embdist_dist {
    embdist_comm *comm;
    const embdist_descriptor *descriptor;
    embdist_parts parts;
    int64_t number; /* in the order of opening */
    embdist_way way;
    embdist_isa isa;
    int64_t stream_bytes; /* targets of this size and more are written past the cache */
    embdist_request *idle;
    int64_t in_flight;
    int64_t max_rows, max_requests; /* 0: not reserved */
    int64_t scratch_bytes;          /* the most that a codelet needs */
    int counts;                     /* whether counters are kept */
    embdist_counters counters[2];   /* by direction */
};

typedef enum embdist_state {
    EMBDIST_STATE_POSTED,   /* others may read, not all have come */
    EMBDIST_STATE_FINISHED, /* this rank has read, others may still */
    EMBDIST_STATE_DONE
} embdist_state;

struct embdist_request {
    embdist_request *next, *previous; /* in the comm's list, or (next) in the dist's idle ones */
    embdist_dist *dist;
    uint64_t sequence;
    double tested; /* when embdist_test first found it not done; 0: not yet */
    embdist_state state;
    embdist_status status;
    char sentence[EMBDIST_SENTENCE];

    embdist_record record;
    embdist_layout_of_call layout;
    unsigned char *output;
    const void *permute;
    int64_t wire_bytes;
    embdist_inspection inspection; /* of this rank's rows, where it was asked for */

    embdist_buffer layout_memory; /* the layout's arrays */
    embdist_buffer wire;          /* staged: packed rows */
    embdist_buffer addresses;     /* of rows: gather, transposed, sum */
    embdist_buffer scratch;       /* a row while it is encoded or decoded */
    embdist_buffer keys;          /* of random numbers: gather, sum */
    embdist_buffer starts; /* transposed with repeats or omissions; bits of a promised bijection */
};

/* A request of a dist, idle or new. */
embdist_status embdist_request_take(embdist_dist *dist, embdist_request **request);

/* Puts a request back with the idle ones. */
void embdist_request_recycle(embdist_request *request);

void embdist_request_delete(embdist_request *request);

/* Shows request->record to the other ranks and enters the request among those in flight. May wait
 * for a free slot. */
embdist_status embdist_request_post(embdist_request *request);

/* Tells the other ranks that this rank refuses the operation they are about to start, with the
 * thread's last error as the reason, and returns `status`. */
embdist_status embdist_request_refuse(embdist_comm *comm, embdist_operation operation,
                                      embdist_status status);

/* Waits until a request is done, recycles it and returns its status. */
embdist_status embdist_request_complete(embdist_request *request);

/* EMBDIST_BROKEN, with the first error's sentence, where the comm is unusable. */
embdist_status embdist_comm_check(const embdist_comm *comm);

#endif
