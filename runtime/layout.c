#include "layout_fill.h"

#include "error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers -------------------------------------------------------------------------------- */

int embdist_layout_add(int64_t a, int64_t b, int64_t *sum)
{
    if (a > INT64_MAX - b)
        return 0;
    *sum = a + b;
    return 1;
}

int embdist_layout_multiply(int64_t a, int64_t b, int64_t *product)
{
    if (b && a > INT64_MAX / b)
        return 0;
    *product = a * b;
    return 1;
}

void embdist_layout_place(embdist_mode mode, int64_t i, int64_t features, char place[EMBDIST_PLACE])
{
    place[0] = 0;
    if (mode == EMBDIST_RAGGED)
        snprintf(place, EMBDIST_PLACE, "[%" PRId64 "]", i);
    else if (mode == EMBDIST_PER_FEATURE)
        snprintf(place, EMBDIST_PLACE, "[%" PRId64 "][%" PRId64 "]", i / features, i % features);
}

embdist_status embdist_layout_aligned(const char *name, const void *array, size_t alignment)
{
    const uintptr_t past = (uintptr_t)array % alignment;
    if (!past)
        return EMBDIST_OK;
    return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                        "%s is misaligned: its address is %zu past a multiple of %zu, expected 0",
                        name, (size_t)past, alignment);
}

embdist_status embdist_layout_given(const char *name, const void *array, int64_t count,
                                    size_t alignment)
{
    if (array)
        return embdist_layout_aligned(name, array, alignment);
    return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s is NULL, expected %" PRId64 " counts", name,
                        count);
}

embdist_status embdist_layout_too_large(const char *name)
{
    return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                        "%s: the counts add up to more than int64 can hold, expected fewer rows",
                        name);
}

const embdist_codelets *embdist_layout_codelets(const embdist_group *group, int64_t world,
                                                embdist_direction direction)
{
    if (direction == EMBDIST_FORWARD)
        return world == 1 ? group->forward_alone : group->forward;
    return world == 1 ? group->backward_alone : group->backward;
}

const embdist_chunk *embdist_layout_chunk(const embdist_side *side, int64_t rank)
{
    return &side->chunks[side->chunk_count == 1 ? 0 : rank];
}

/* ---- memory --------------------------------------------------------------------------------- */

embdist_layout embdist_layout_kind(const embdist_parts *parts, int is_local)
{
    return is_local ? parts->descriptor->local_layout : parts->descriptor->out_layout;
}

int64_t embdist_layout_chunks(const embdist_parts *parts, int is_local)
{
    return embdist_layout_kind(parts, is_local) == EMBDIST_LAYOUT_OWN ? 1 : parts->world;
}

static int64_t pieces_of(const embdist_parts *parts, int64_t rank, int is_local)
{
    const int64_t chunks = embdist_layout_chunks(parts, is_local);
    int64_t pieces = 0;
    if (embdist_layout_kind(parts, is_local) == EMBDIST_LAYOUT_RECEIVED)
        return chunks;
    for (int64_t c = 0; c < chunks; c++)
        pieces += embdist_parts_of(parts, is_local ? rank : c).count;
    return pieces;
}

/* Agreed counts: of a pooled call at most one for each rank and feature, of a sequence two for each
 * rank. */
static int64_t most_counts(const embdist_parts *parts)
{
    return embdist_parts_are_features(parts->descriptor)
               ? 2 * parts->world
               : parts->world * parts->descriptor->features;
}

int64_t embdist_layout_bytes(const embdist_parts *parts, int64_t rank)
{
    int64_t bytes = most_counts(parts) * (int64_t)sizeof(int64_t);
    for (int is_local = 0; is_local < 2; is_local++)
        bytes += embdist_layout_chunks(parts, is_local) * (int64_t)sizeof(embdist_chunk) +
                 pieces_of(parts, rank, is_local) * (int64_t)sizeof(embdist_piece);
    return bytes;
}

static void divide_memory(embdist_filling *to, unsigned char *memory, int64_t rank)
{
    for (int is_local = 0; is_local < 2; is_local++) {
        to->chunks[is_local] = (embdist_chunk *)(void *)memory;
        memory += embdist_layout_chunks(to->parts, is_local) * (int64_t)sizeof(embdist_chunk);
        to->pieces[is_local] = (embdist_piece *)(void *)memory;
        memory += pieces_of(to->parts, rank, is_local) * (int64_t)sizeof(embdist_piece);
    }
    to->counts = (int64_t *)(void *)memory;
}

int64_t embdist_layout_wire_row(const embdist_filling *to, int64_t group)
{
    return embdist_layout_codelets(&to->parts->descriptor->group[group], to->layout->world,
                                   to->direction)
        ->row_bytes;
}

/* ---- the layout ----------------------------------------------------------------------------- */

static embdist_status not_generated(const embdist_descriptor *descriptor, embdist_mode mode)
{
    static const char *const names[] = {"even", "ragged", "per_feature", "sequence"};
    char number[16], generated[64] = "";
    snprintf(number, sizeof number, "%d", (int)mode);
    for (int i = EMBDIST_EVEN; i <= EMBDIST_SEQUENCE; i++)
        if (descriptor->modes & EMBDIST_MODE_BIT(i))
            snprintf(generated + strlen(generated), sizeof generated - strlen(generated), " %s",
                     names[i]);
    return embdist_fail(EMBDIST_UNSUPPORTED,
                        "batch mode %s was not generated for %s_%s, expected one of:%s",
                        (unsigned)mode > EMBDIST_SEQUENCE ? number : names[mode], descriptor->spec,
                        descriptor->name, generated);
}

embdist_status embdist_layout_make(embdist_layout_of_call *layout, embdist_buffer *memory,
                                   const embdist_parts *parts, int64_t rank,
                                   const embdist_batch *batch, embdist_direction direction)
{
    *layout = (embdist_layout_of_call){.mode = batch->mode, .world = parts->world, .rank = rank};
    if ((unsigned)batch->mode > EMBDIST_SEQUENCE ||
        !(parts->descriptor->modes & EMBDIST_MODE_BIT(batch->mode)))
        return not_generated(parts->descriptor, batch->mode);
    embdist_status status = embdist_buffer_hold(memory, embdist_layout_bytes(parts, rank));
    if (status)
        return status;
    embdist_filling to = {.layout = layout, .parts = parts, .direction = direction};
    divide_memory(&to, memory->memory, rank);
    layout->counts = to.counts;
    status = batch->mode == EMBDIST_SEQUENCE ? embdist_layout_sequence(&to, batch->sequence)
                                             : embdist_layout_pooled(&to, batch);
    layout->most_rows = layout->local.rows;
    if (layout->out.rows > layout->most_rows)
        layout->most_rows = layout->out.rows;
    if (layout->output_rows > layout->most_rows)
        layout->most_rows = layout->output_rows;
    return status;
}
