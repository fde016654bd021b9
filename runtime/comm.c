#include "comm.h"

#include "error.h"
#include "machine.h"

#include <inttypes.h>
#include <stdlib.h>

/* Spinning waits 0.2 µs where a sleep takes 22, but with more ranks than processors it keeps the
 * others from running. A thousand looks are some tens of microseconds, about what the sleep would
 * cost. */
enum { SPINS = 1000 };

embdist_status embdist_comm_local(int64_t world, embdist_comm **comms)
{
    if (world < 1 || world > INT32_MAX)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_comm_local: world is %" PRId64 ", expected 1 to 2^31 - 1",
                            world);
    if (!comms)
        return embdist_fail(
            EMBDIST_INVALID_ARGUMENT,
            "embdist_comm_local: comms is NULL, expected room for %" PRId64 " comms", world);
    embdist_local *local = embdist_local_new(world);
    embdist_comm **made = calloc((size_t)world, sizeof *made);
    int64_t ready = 0;
    while (local && made && ready < world && (made[ready] = calloc(1, sizeof **made)))
        ready++;
    if (ready < world) {
        for (int64_t r = 0; r < ready; r++)
            free(made[r]);
        free(made);
        if (local)
            for (int64_t r = 0; r < world; r++)
                embdist_local_release(local);
        return embdist_fail(EMBDIST_NO_MEMORY,
                            "embdist_comm_local: no memory for a comm of %" PRId64 " ranks", world);
    }
    const int64_t spins = world <= embdist_machine_processors() ? SPINS : 0;
    for (int64_t r = 0; r < world; r++) {
        *made[r] = (embdist_comm){.local = local,
                                  .world = world,
                                  .rank = r,
                                  .time_limit = 600,
                                  .references = 1,
                                  .spins = spins};
        comms[r] = made[r];
    }
    free(made);
    return EMBDIST_OK;
}

void embdist_comm_release(embdist_comm *comm)
{
    if (--comm->references)
        return;
    embdist_local_release(comm->local);
    free(comm);
}

void embdist_comm_free(embdist_comm **comm)
{
    if (!comm || !*comm)
        return;
    embdist_comm_release(*comm);
    *comm = NULL;
}

embdist_status embdist_comm_set_time_limit(embdist_comm *comm, double seconds)
{
    if (!comm)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_comm_set_time_limit: comm is NULL, expected a comm");
    if (!(seconds > 0))
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_comm_set_time_limit: got %g seconds, expected more than 0",
                            seconds);
    comm->time_limit = seconds;
    return EMBDIST_OK;
}

int64_t embdist_comm_rank(const embdist_comm *comm)
{
    return comm ? comm->rank : 0;
}

int64_t embdist_comm_world(const embdist_comm *comm)
{
    return comm ? comm->world : 1;
}
