#include "dists.h"

#include <string.h>

embdist_status start_call(const test_call *call, embdist_dist *dist, embdist_request **request)
{
    const test_dist *entry = call->entry;
    const embdist_batch *batch = &call->batch;
    switch (batch->mode) {
    case EMBDIST_EVEN:
        return entry->even[call->direction](dist, call->in, call->in_count, batch->even, call->out,
                                            call->out_count, call->stream, request);
    case EMBDIST_RAGGED:
        return entry->ragged[call->direction](dist, call->in, call->in_count, batch->per_rank,
                                              call->out, call->out_count, call->stream, request);
    case EMBDIST_PER_FEATURE:
        return entry->per_feature[call->direction](dist, call->in, call->in_count,
                                                   batch->per_rank_feature, call->out,
                                                   call->out_count, call->stream, request);
    case EMBDIST_SEQUENCE:
        break;
    }
    return entry->sequence[call->direction](dist, call->in, call->in_count, batch->sequence,
                                            call->out, call->out_count, call->stream, request);
}

embdist_status open_dist(embdist_dist **dist, embdist_comm *comm, const test_dist *entry,
                         embdist_way way)
{
    const embdist_options options = {.size = sizeof options, .way = way};
    return embdist_open(dist, comm, entry->descriptor, &options);
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
