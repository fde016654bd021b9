#define _GNU_SOURCE
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CACHE_LINE = 64 };

typedef struct seat {
    _Alignas(CACHE_LINE) double start;
    double end;
    unsigned waits; /* how often this member has waited */
    pthread_t thread;
    team *of;
    int64_t member;
} seat;

struct team {
    _Alignas(CACHE_LINE) atomic_uint arrived; /* at the barrier, ever */
    _Alignas(CACHE_LINE) int64_t size;
    int crowded; /* more members than processors: a waiting member gives its processor away */
    seat *seats;
    void (*job)(team *all, void *context, int64_t member);
    void *context;
};

void *take_memory(int64_t count, int64_t size)
{
    size_t bytes = ((size_t)(count * size) + CACHE_LINE) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, bytes);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Spins where every member has a processor: a barrier is then 0.2 us, which a sleep would make 20.
 */
void team_wait(team *all, int64_t member)
{
    unsigned goal = ++all->seats[member].waits * (unsigned)all->size;
    atomic_fetch_add(&all->arrived, 1);
    while ((int)(atomic_load(&all->arrived) - goal) < 0) {
        if (all->crowded)
            sched_yield();
    }
}

double team_round(team *all, int64_t member, team_action action, void *context)
{
    seat *mine = &all->seats[member];
    team_wait(all, member);
    mine->start = seconds();
    action(context, member);
    mine->end = seconds();
    team_wait(all, member);
    double start = mine->start, end = mine->end;
    for (int64_t m = 0; m < all->size; m++) {
        start = all->seats[m].start < start ? all->seats[m].start : start;
        end = all->seats[m].end > end ? all->seats[m].end : end;
    }
    return end - start;
}

/* The processors that this process may use. */
static cpu_set_t processors(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

int64_t team_processors(void)
{
    cpu_set_t allowed = processors();
    return CPU_COUNT(&allowed);
}

static void pin(int64_t member)
{
    cpu_set_t allowed = processors(), one;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed) || member-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        pthread_setaffinity_np(pthread_self(), sizeof one, &one);
        return;
    }
}

static void *start_member(void *argument)
{
    const seat *mine = argument;
    if (!mine->of->crowded)
        pin(mine->member);
    mine->of->job(mine->of, mine->of->context, mine->member);
    return NULL;
}

void team_run(int64_t size, void (*job)(team *all, void *context, int64_t member), void *context)
{
    team all = {.size = size,
                .crowded = size > team_processors(),
                .seats = take_memory(size, sizeof(seat)),
                .job = job,
                .context = context};
    for (int64_t m = 0; m < size; m++)
        all.seats[m] = (seat){.of = &all, .member = m};
    for (int64_t m = 0; m < size; m++) {
        if (pthread_create(&all.seats[m].thread, NULL, start_member, &all.seats[m])) {
            fprintf(stderr, "no thread for rank %lld of %lld\n", (long long)m, (long long)size);
            exit(1);
        }
    }
    for (int64_t m = 0; m < size; m++)
        pthread_join(all.seats[m].thread, NULL);
    free(all.seats);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

spread spread_of(double *samples, int64_t count)
{
    qsort(samples, (size_t)count, sizeof *samples, by_size);
    return (spread){.median = (samples[(count - 1) / 2] + samples[count / 2]) / 2,
                    .least = samples[0],
                    .most = samples[count - 1]};
}
