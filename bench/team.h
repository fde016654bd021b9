/* team.h: threads that start together and whose time is taken: what the benchmark and the demo
 * measure with.
 *
 * A member is a rank, on a processor of its own where there are enough. A round is a barrier, then
 * the same action by every member; its time runs from the first member that leaves the barrier to
 * the last that ends its action. */
#ifndef EMBDIST_BENCH_TEAM_H
#define EMBDIST_BENCH_TEAM_H

#include <stdint.h>

typedef struct team team;

/* What a member does; `member` counts from 0. */
typedef void (*team_action)(void *context, int64_t member);

/* Runs `job` once in each of `size` threads and returns when all are done. Exits with a sentence
 * where the system gives no thread or memory. */
void team_run(int64_t size, void (*job)(team *all, void *context, int64_t member), void *context);

/* Waits for all members. Called by each of them from within its job. */
void team_wait(team *all, int64_t member);

/* One round; called by each member from within its job. Seconds, the same number on all. */
double team_round(team *all, int64_t member, team_action action, void *context);

/* Processors that this process may use. */
int64_t team_processors(void);

/* What was measured of the rounds of one action. */
typedef struct spread {
    double median, least, most;
} spread;

/* Sorts the samples. */
spread spread_of(double *samples, int64_t count);

/* malloc of count * size bytes from a multiple of 64; exits with a sentence where there is none. */
void *take_memory(int64_t count, int64_t size);

#endif
