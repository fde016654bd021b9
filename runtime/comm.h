/* comm.h: one rank's end of a group, and its operations in flight. */
#ifndef EMBDIST_COMM_H
#define EMBDIST_COMM_H

#include "local.h"

struct embdist_comm {
    embdist_local *local;
    int64_t world, rank;
    double time_limit;  /* seconds */
    int64_t references; /* the user's and one of each open dist */
    int64_t dists;      /* opened so far */
    uint64_t sequence;  /* of the next operation */
    int64_t spins;      /* looks before a wait sleeps: none where ranks outnumber processors */
    embdist_request *oldest, *newest; /* requests in flight, in the order of their start */
};

/* Gives up one reference; the last one frees the comm. */
void embdist_comm_release(embdist_comm *comm);

#endif
