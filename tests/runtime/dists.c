#include "dists.h"

#include <stdlib.h>
#include <string.h>

static const test_function *function_of(const test_call *call)
{
    const test_dist *entry = call->entry;
    switch (call->batch.mode) {
    case EMBDIST_EVEN:
        return &entry->even[call->direction];
    case EMBDIST_RAGGED:
        return &entry->ragged[call->direction];
    case EMBDIST_PER_FEATURE:
        return &entry->per_feature[call->direction];
    case EMBDIST_SEQUENCE:
        break;
    }
    return &entry->sequence[call->direction];
}

#define PLAIN(name, batch, row)                                                                    \
    case TEST_TYPE_##name:                                                                         \
        return ((test_##name *)function->function)(dist, call->in, call->in_count, batch,          \
                                                   call->out, call->out_count, call->stream,       \
                                                   request);
#define SEEDED(name, batch, row)                                                                   \
    case TEST_TYPE_##name:                                                                         \
        return ((test_##name *)function->function)(dist, call->in, call->in_count, batch,          \
                                                   call->seed, call->out, call->out_count,         \
                                                   call->stream, request);

embdist_status start_call(const test_call *call, embdist_dist *dist, embdist_request **request)
{
    const test_function *function = function_of(call);
    const int64_t even = call->batch.even;
    const int64_t *counts =
        call->batch.mode == EMBDIST_RAGGED ? call->batch.per_rank : call->batch.per_rank_feature;
    const embdist_sequence_batch *sequence = call->batch.sequence;
    switch (function->type) {
        TEST_EACH_TYPE(PLAIN, SEEDED)
    case TEST_TYPES:
        break;
    }
    abort();
}

int choose_owners(const embdist_descriptor *descriptor, int64_t world, int64_t *owners)
{
    uint32_t state = (uint32_t)world;
    for (const char *letter = descriptor->name; *letter; letter++)
        state = state * 31 + (unsigned char)*letter;
    for (int64_t f = 0; f < descriptor->features && descriptor->owned; f++) {
        state = state * 1664525 + 1013904223;
        owners[f] = (int64_t)(state >> 16) % world;
    }
    return descriptor->owned;
}

embdist_status open_dist(embdist_dist **dist, embdist_comm *comm, const test_dist *entry,
                         embdist_way way)
{
    const embdist_descriptor *descriptor = entry->descriptor;
    embdist_options options = {.size = sizeof options, .way = way};
    int64_t *owners = malloc((size_t)descriptor->features * sizeof *owners);
    if (owners && choose_owners(descriptor, embdist_comm_world(comm), owners))
        options.owners = owners;
    const embdist_status status = embdist_open(dist, comm, descriptor, &options);
    free(owners);
    return status;
}

const char *field_of(const embdist_descriptor *descriptor, const char *name)
{
    for (int64_t i = 0; i < descriptor->field_count; i++)
        if (strcmp(descriptor->fields[i].name, name) == 0)
            return descriptor->fields[i].value;
    return "";
}

void dims_of(const embdist_descriptor *descriptor, int64_t *dims)
{
    for (int64_t g = 0; g < descriptor->groups; g++)
        for (int64_t f = 0; f < descriptor->group[g].features; f++)
            *dims++ = descriptor->group[g].dim;
}

const char *mode_text(embdist_mode mode)
{
    static const char *const texts[] = {"even", "ragged", "per_feature", "sequence"};
    return texts[mode];
}

const char *direction_text(embdist_direction direction)
{
    return direction == EMBDIST_FORWARD ? "forward" : "backward";
}

const char *way_text(embdist_way way)
{
    return way == EMBDIST_WAY_STAGED ? "staged" : "in place";
}
