#define _POSIX_C_SOURCE 200809L
#include "local.h"

#include "error.h"
#include "machine.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CACHE_LINE = 64 };

/* Operations EMBDIST_MAX_REQUESTS apart share a slot. The counters are never reset, so a rank that
 * looks late still sees that its operation is over. */
typedef struct slot {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t posted;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t finished;
    embdist_record *records; /* [world] */
} slot;

typedef struct rank_state {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t posted; /* operations posted and finished so far */
    atomic_uint_fast64_t finished;
    atomic_int reading;
} rank_state;

struct embdist_local {
    slot slots[EMBDIST_MAX_REQUESTS];
    uint64_t world;
    rank_state *ranks;       /* [world] */
    embdist_record *records; /* [EMBDIST_MAX_REQUESTS][world] */
    atomic_int references;
    _Alignas(CACHE_LINE) atomic_uint_fast64_t events;
    atomic_int sleepers;
    atomic_int broken;
    char sentence[EMBDIST_SENTENCE];
    pthread_mutex_t mutex;
    pthread_cond_t event;
};

/* A refusal must reach the others even where there is no memory for its sentence. */
static char lost_sentence[] = "it had no memory to say why";

static char *copy_of(const char *refusal)
{
    char *copy = malloc(strlen(refusal) + 1);
    return copy ? strcpy(copy, refusal) : lost_sentence;
}

static void free_copy(char *refusal)
{
    if (refusal != lost_sentence)
        free(refusal);
}

static void *zeroed_lines(uint64_t count, size_t size)
{
    if (count > (SIZE_MAX - CACHE_LINE) / size)
        return NULL;
    const size_t bytes = ((size_t)count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    void *memory = aligned_alloc(CACHE_LINE, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

embdist_local *embdist_local_new(int64_t world)
{
    embdist_local *local = zeroed_lines(1, sizeof *local);
    if (!local)
        return NULL;
    local->world = (uint64_t)world;
    local->ranks = zeroed_lines(local->world, sizeof *local->ranks);
    if (local->world <= SIZE_MAX / EMBDIST_MAX_REQUESTS)
        local->records = zeroed_lines(local->world * EMBDIST_MAX_REQUESTS, sizeof *local->records);
    if (!local->ranks || !local->records) {
        free(local->ranks);
        free(local->records);
        free(local);
        return NULL;
    }
    for (uint64_t i = 0; i < EMBDIST_MAX_REQUESTS; i++)
        local->slots[i].records = local->records + i * local->world;
    atomic_store(&local->references, (int)world);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&local->event, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&local->mutex, NULL);
    return local;
}

void embdist_local_release(embdist_local *local)
{
    if (atomic_fetch_sub(&local->references, 1) != 1)
        return;
    for (uint64_t i = 0; i < EMBDIST_MAX_REQUESTS * local->world; i++)
        free_copy(local->records[i].refusal);
    pthread_cond_destroy(&local->event);
    pthread_mutex_destroy(&local->mutex);
    free(local->ranks);
    free(local->records);
    free(local);
}

static slot *slot_of(embdist_local *local, uint64_t sequence)
{
    return &local->slots[sequence % EMBDIST_MAX_REQUESTS];
}

/* What a slot's counter reaches when all ranks have come to an operation. */
static uint64_t all_of(const embdist_local *local, uint64_t sequence)
{
    return (sequence / EMBDIST_MAX_REQUESTS + 1) * local->world;
}

static void wake(embdist_local *local)
{
    atomic_fetch_add(&local->events, 1);
    if (atomic_load(&local->sleepers) == 0)
        return;
    pthread_mutex_lock(&local->mutex);
    pthread_cond_broadcast(&local->event);
    pthread_mutex_unlock(&local->mutex);
}

int embdist_local_may_post(embdist_local *local, uint64_t sequence)
{
    return atomic_load(&slot_of(local, sequence)->finished) >=
           all_of(local, sequence) - local->world;
}

static void count_finished(embdist_local *local, int64_t rank, uint64_t sequence)
{
    atomic_fetch_add(&local->ranks[rank].finished, 1);
    if (atomic_fetch_add(&slot_of(local, sequence)->finished, 1) + 1 == all_of(local, sequence))
        wake(local);
}

void embdist_local_post(embdist_local *local, int64_t rank, uint64_t sequence,
                        const embdist_record *record)
{
    slot *at = slot_of(local, sequence);
    embdist_record *mine = &at->records[rank];
    free_copy(mine->refusal);
    *mine = *record;
    if (record->refusal)
        mine->refusal = copy_of(record->refusal);
    atomic_fetch_add(&local->ranks[rank].posted, 1);
    const int refused = record->refusal != NULL;
    if (atomic_fetch_add(&at->posted, 1) + 1 == all_of(local, sequence))
        wake(local);
    if (refused)
        count_finished(local, rank, sequence);
}

int embdist_local_all_posted(embdist_local *local, uint64_t sequence)
{
    return atomic_load(&slot_of(local, sequence)->posted) >= all_of(local, sequence);
}

const embdist_record *embdist_local_record(embdist_local *local, int64_t rank, uint64_t sequence)
{
    return &slot_of(local, sequence)->records[rank];
}

int embdist_local_begin_reading(embdist_local *local, int64_t rank)
{
    /* Both orders are sequentially consistent: either this rank sees that the group is broken, or
     * who broke it sees that this rank reads, and drains. */
    atomic_store(&local->ranks[rank].reading, 1);
    if (!atomic_load(&local->broken))
        return 1;
    atomic_store(&local->ranks[rank].reading, 0);
    return 0;
}

void embdist_local_finish(embdist_local *local, int64_t rank, uint64_t sequence)
{
    atomic_store(&local->ranks[rank].reading, 0);
    count_finished(local, rank, sequence);
}

int embdist_local_all_finished(embdist_local *local, uint64_t sequence)
{
    return atomic_load(&slot_of(local, sequence)->finished) >= all_of(local, sequence);
}

int embdist_local_has_posted(embdist_local *local, int64_t rank, uint64_t sequence)
{
    return atomic_load(&local->ranks[rank].posted) > sequence;
}

int embdist_local_has_finished(embdist_local *local, int64_t rank, uint64_t sequence)
{
    return atomic_load(&local->ranks[rank].finished) > sequence;
}

void embdist_local_break(embdist_local *local, const char *sentence)
{
    pthread_mutex_lock(&local->mutex);
    if (!atomic_load(&local->broken)) {
        snprintf(local->sentence, sizeof local->sentence, "%s", sentence);
        atomic_store(&local->broken, 1);
    }
    pthread_mutex_unlock(&local->mutex);
    wake(local);
}

const char *embdist_local_broken(embdist_local *local)
{
    return atomic_load(&local->broken) ? local->sentence : NULL;
}

void embdist_local_drain(embdist_local *local)
{
    for (uint64_t r = 0; r < local->world; r++)
        while (atomic_load(&local->ranks[r].reading))
            sched_yield();
}

uint64_t embdist_local_events(embdist_local *local)
{
    return atomic_load(&local->events);
}

int embdist_local_sleep(embdist_local *local, uint64_t seen, double deadline)
{
    const double second = 1e9;
    /* A limit of years must not pass what time_t holds. */
    const double latest = embdist_machine_seconds() + 1e8;
    if (deadline > latest)
        deadline = latest;
    struct timespec until;
    until.tv_sec = (time_t)deadline;
    until.tv_nsec = (long)((deadline - (double)until.tv_sec) * second);
    int woken = 1;
    atomic_fetch_add(&local->sleepers, 1);
    pthread_mutex_lock(&local->mutex);
    while (woken && atomic_load(&local->events) == seen)
        woken = pthread_cond_timedwait(&local->event, &local->mutex, &until) == 0;
    pthread_mutex_unlock(&local->mutex);
    atomic_fetch_sub(&local->sleepers, 1);
    return woken || atomic_load(&local->events) != seen;
}
