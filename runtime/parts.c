#include "parts.h"

#include "error.h"
#include "layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int embdist_parts_are_features(const embdist_descriptor *descriptor)
{
    return descriptor->out_layout == EMBDIST_LAYOUT_RECEIVED;
}

static embdist_status check_owners(const embdist_descriptor *descriptor, int64_t world,
                                   const int64_t *owners)
{
    if (owners && !descriptor->owned)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_open: options->owners is not NULL, expected NULL for %s_%s: "
                            "every rank holds every feature of %s",
                            descriptor->spec, descriptor->name, descriptor->kind);
    if (!owners && descriptor->owned && world > 1)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "embdist_open: options->owners is NULL, expected the ranks that own "
                            "the %" PRId64 " features of %s_%s, since it is %s",
                            descriptor->features, descriptor->spec, descriptor->name,
                            descriptor->kind);
    const embdist_status status =
        embdist_layout_aligned("options->owners", owners, _Alignof(int64_t));
    if (status)
        return embdist_name_error("embdist_open", status);
    for (int64_t f = 0; owners && f < descriptor->features; f++)
        if (owners[f] < 0 || owners[f] >= world)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "embdist_open: options->owners[%" PRId64 "] (\"%s\") is %" PRId64
                                ", expected a rank from 0 to %" PRId64,
                                f, descriptor->feature_names[f], owners[f], world - 1);
    return EMBDIST_OK;
}

/* The parts' arrays while they are filled. */
typedef struct arrays {
    embdist_part *part;
    int64_t *first, *order, *owners;
    int64_t *group;  /* [features] a feature's group */
    int64_t *number; /* [lists + 1] the features of the ranks before */
} arrays;

static int64_t lists_of(const embdist_descriptor *descriptor, int64_t world)
{
    return descriptor->owned ? world : 1;
}

static size_t bytes_of(const embdist_descriptor *descriptor, int64_t world)
{
    return (size_t)descriptor->features * (sizeof(embdist_part) + 3 * sizeof(int64_t)) +
           2 * (size_t)(lists_of(descriptor, world) + 1) * sizeof(int64_t);
}

static arrays divide_memory(void *memory, const embdist_descriptor *descriptor, int64_t world)
{
    const int64_t features = descriptor->features;
    arrays to;
    to.part = memory;
    to.first = (int64_t *)(void *)(to.part + features);
    to.number = to.first + lists_of(descriptor, world) + 1;
    to.order = to.number + lists_of(descriptor, world) + 1;
    to.owners = to.order + features;
    to.group = to.owners + features;
    return to;
}

/* Sorts the features by owner and leaves in `number` the features of the ranks before. */
static void sort_features(const arrays *to, int64_t features, int64_t lists)
{
    for (int64_t f = 0; f < features; f++)
        to->number[to->owners[f] + 1]++;
    for (int64_t r = 0; r < lists; r++)
        to->number[r + 1] += to->number[r];
    for (int64_t f = 0; f < features; f++)
        to->order[to->number[to->owners[f]]++] = f; /* ends where the next rank's began */
    for (int64_t r = lists; r > 0; r--)
        to->number[r] = to->number[r - 1];
    to->number[0] = 0;
}

/* Makes the parts of the features from `first` up to `end` of the order. */
static int64_t make_list(const arrays *to, int64_t part, int64_t first, int64_t end,
                         const embdist_descriptor *descriptor)
{
    const int joins = !embdist_parts_are_features(descriptor);
    const int64_t begin = part;
    for (int64_t i = first; i < end; i++) {
        const int64_t group = to->group[to->order[i]];
        if (joins && part > begin &&
            descriptor->group[to->part[part - 1].group].dim == descriptor->group[group].dim)
            to->part[part - 1].features++;
        else
            to->part[part++] = (embdist_part){group, i, 1};
    }
    return part;
}

embdist_status embdist_parts_make(embdist_parts *parts, const embdist_descriptor *descriptor,
                                  int64_t world, const int64_t *owners)
{
    const embdist_status status = check_owners(descriptor, world, owners);
    if (status)
        return status;
    void *memory = calloc(1, bytes_of(descriptor, world));
    if (!memory)
        return embdist_fail(EMBDIST_NO_MEMORY, "embdist_open: no memory for %s_%s",
                            descriptor->spec, descriptor->name);
    const arrays to = divide_memory(memory, descriptor, world);
    const int64_t lists = lists_of(descriptor, world);
    if (owners)
        memcpy(to.owners, owners, (size_t)descriptor->features * sizeof *owners);
    for (int64_t g = 0, f = 0; g < descriptor->groups; g++)
        for (int64_t i = 0; i < descriptor->group[g].features; i++, f++)
            to.group[f] = g;
    sort_features(&to, descriptor->features, lists);
    for (int64_t r = 0; r < lists; r++)
        to.first[r + 1] = make_list(&to, to.first[r], to.number[r], to.number[r + 1], descriptor);
    *parts = (embdist_parts){.descriptor = descriptor,
                             .world = world,
                             .owners = descriptor->owned ? to.owners : NULL,
                             .order = to.order,
                             .part = to.part,
                             .first = to.first,
                             .memory = memory};
    return EMBDIST_OK;
}

void embdist_parts_free(embdist_parts *parts)
{
    free(parts->memory);
    *parts = (embdist_parts){0};
}

embdist_part_list embdist_parts_of(const embdist_parts *parts, int64_t rank)
{
    const int64_t list = parts->owners ? rank : 0;
    return (embdist_part_list){parts->part + parts->first[list],
                               parts->first[list + 1] - parts->first[list]};
}
