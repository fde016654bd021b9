#include "measure.h"

#include <stdlib.h>

static void copy(void *context, int64_t member)
{
    const measurement *what = context;
    (void)member;
    what->copier(what->copy_target, what->copy_source, what->copy_count);
}

/* A barrier is what its round has beside: an action that ends when all have come. */
static void barrier(void *context, int64_t member)
{
    team_wait(context, member);
}

measured measure(team *all, int64_t member, const measurement *what)
{
    const int64_t rounds = what->rounds;
    double *calls = take_memory(3 * rounds, sizeof *calls);
    double *copies = calls + rounds, *barriers = copies + rounds;
    measurement own = *what;
    for (int64_t round = -what->warm_up; round < rounds; round++) {
        const int64_t i = round < 0 ? 0 : round;
        calls[i] = team_round(all, member, what->call, what->context);
        copies[i] = team_round(all, member, copy, &own);
        barriers[i] = team_round(all, member, barrier, all);
    }
    const measured result = {.call = spread_of(calls, rounds),
                             .copy = spread_of(copies, rounds),
                             .barrier = spread_of(barriers, rounds)};
    free(calls);
    return result;
}
