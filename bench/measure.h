/* measure.h: a call, the copy that limits it and a bare barrier, in rounds by turns. */
#ifndef EMBDIST_BENCH_MEASURE_H
#define EMBDIST_BENCH_MEASURE_H

#include "stream.h"
#include "team.h"

typedef struct measured {
    spread call; /* seconds of a round */
    spread copy;
    spread barrier;
} measured;

/* What each member measures. */
typedef struct measurement {
    team_action call;
    void *context;
    stream_copier copier;
    float *copy_target; /* of this member */
    const float *copy_source;
    int64_t copy_count;
    int64_t warm_up; /* rounds that do not count */
    int64_t rounds;
} measurement;

/* Runs the rounds; called by each member from within its job, with the same numbers of rounds. The
 * result is the same on all. */
measured measure(team *all, int64_t member, const measurement *what);

#endif
