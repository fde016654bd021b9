/* local.h: the local transport: ranks that are threads of this process and read each other's
 * memory.
 *
 * Every operation of a rank has a sequence number, and the ranks start theirs in the same order. A
 * rank posts a record of its operation; when all ranks have posted theirs, each reads the records,
 * all come to the same verdict, each reads what it needs from the others' memory and finishes. An
 * operation is over when all ranks have finished it: before, no rank may touch or free what a peer
 * may still read. */
#ifndef EMBDIST_LOCAL_H
#define EMBDIST_LOCAL_H

#include "embdist_descriptor.h"
#include "layout.h"

/* What the ranks of a group share. */
typedef struct embdist_local embdist_local;

typedef enum embdist_operation {
    EMBDIST_OPERATION_OPEN,
    EMBDIST_OPERATION_RESERVE,
    EMBDIST_OPERATION_CALL
} embdist_operation;

/* What a rank shows the others of one operation. Pointers are valid until all ranks have finished
 * it. */
typedef struct embdist_record {
    embdist_operation operation;
    char *refusal; /* NULL, or why this rank refuses, and then nothing else counts; the post copies
                      it */

    /* To agree on. */
    const embdist_descriptor *descriptor;
    const int64_t *owners; /* [features]; NULL where features have none */
    embdist_way way;
    int64_t dist; /* number of the dist in the order of opening */
    embdist_direction direction;
    const embdist_layout_of_call *layout;
    uint64_t signature;      /* of what must be equal on all ranks */
    uint64_t sent, received; /* whose sums over all ranks must be equal */

    /* To read. */
    const unsigned char *input; /* the caller's rows */
    uint64_t seed;              /* of random numbers */
    const unsigned char *wire;  /* staged: packed rows */
    const void *const
        *addresses;        /* in place, transposed: addresses of input's rows, in received order */
    const int64_t *starts; /* as in embdist_work */
} embdist_record;

/* A group of `world` ranks with `world` references; NULL where there is no memory. */
embdist_local *embdist_local_new(int64_t world);

/* Gives up one reference; the last one frees the group. */
void embdist_local_release(embdist_local *local);

/* Whether the slot of an operation is free: operations EMBDIST_MAX_REQUESTS apart share one. */
int embdist_local_may_post(embdist_local *local, uint64_t sequence);

/* Shows a record to the others; the slot must be free. A refusal is also finished at once. */
void embdist_local_post(embdist_local *local, int64_t rank, uint64_t sequence,
                        const embdist_record *record);

int embdist_local_all_posted(embdist_local *local, uint64_t sequence);

/* A rank's record; all must have posted, and this rank not finished. */
const embdist_record *embdist_local_record(embdist_local *local, int64_t rank, uint64_t sequence);

/* From here to embdist_local_finish, this rank reads others' memory. 0: the group is broken,
 * nothing may be read. */
int embdist_local_begin_reading(embdist_local *local, int64_t rank);

void embdist_local_finish(embdist_local *local, int64_t rank, uint64_t sequence);

int embdist_local_all_finished(embdist_local *local, uint64_t sequence);

/* Whether one rank has posted (else: finished) an operation. */
int embdist_local_has_posted(embdist_local *local, int64_t rank, uint64_t sequence);
int embdist_local_has_finished(embdist_local *local, int64_t rank, uint64_t sequence);

/* Breaks the group: no rank begins to read from now on. The first sentence stays. */
void embdist_local_break(embdist_local *local, const char *sentence);

/* The sentence of a broken group, else NULL. */
const char *embdist_local_broken(embdist_local *local);

/* Returns when no rank of a broken group reads any more. */
void embdist_local_drain(embdist_local *local);

/* A number that grows whenever all ranks have posted or finished something, or the group breaks. */
uint64_t embdist_local_events(embdist_local *local);

/* Sleeps until embdist_local_events differs from `seen`, or until `deadline`
 * (embdist_machine_seconds): then 0. */
int embdist_local_sleep(embdist_local *local, uint64_t seen, double deadline);

#endif
