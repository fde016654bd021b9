/* Pooled calls: samples of all features side by side, or, per feature, rows. */
#include "layout_fill.h"

#include "error.h"

#include <inttypes.h>

/* The agreed counts of what passes from the holder of features to a receiver: of all features, or
 * one for each. The samples are the receiver's, but where the holder looks up its own. */
static const int64_t *counts_of(const embdist_layout_of_call *layout,
                                const embdist_descriptor *descriptor, int64_t holder,
                                int64_t receiver)
{
    const int64_t rank = descriptor->local_layout == EMBDIST_LAYOUT_OWN ? holder : receiver;
    if (layout->mode == EMBDIST_EVEN)
        return layout->counts;
    return layout->counts + rank * (layout->mode == EMBDIST_RAGGED ? 1 : descriptor->features);
}

/* The rows of a part in one block, 0 where they are too many; a block is a sample, or all. */
static int rows_of(const embdist_filling *to, const embdist_part *part, const int64_t *count,
                   int64_t *rows)
{
    *rows = part->features;
    if (to->layout->mode != EMBDIST_PER_FEATURE)
        return 1;
    *rows = 0;
    for (int64_t i = 0; i < part->features; i++)
        if (!embdist_layout_add(*rows, count[to->parts->order[part->first + i]], rows))
            return 0;
    return 1;
}

/* Lays the chunk of a holder's features for a receiver from element `first` on. Stores the elements
 * of a block; 0 where they are too many. */
static int lay_chunk(embdist_filling *to, embdist_chunk *chunk, embdist_piece *pieces,
                     int64_t holder, int64_t receiver, int64_t first, int64_t *width)
{
    const embdist_descriptor *descriptor = to->parts->descriptor;
    const embdist_part_list list = embdist_parts_of(to->parts, holder);
    const int64_t *count = counts_of(to->layout, descriptor, holder, receiver);
    const int per_feature = to->layout->mode == EMBDIST_PER_FEATURE;
    *width = 0;
    *chunk =
        (embdist_chunk){.pieces = pieces, .count = list.count, .blocks = per_feature ? 1 : *count};
    for (int64_t p = 0; p < list.count; p++) {
        const int64_t group = list.part[p].group;
        int64_t rows, elements, most;
        if (!rows_of(to, &list.part[p], count, &rows) ||
            !embdist_layout_multiply(rows, descriptor->group[group].dim, &elements))
            return 0;
        pieces[p] = (embdist_piece){first + *width, chunk->wire_step, rows, group};
        if (!embdist_layout_add(*width, elements, width) ||
            !embdist_layout_multiply(*width, EMBDIST_MOST_BYTES_AN_ELEMENT, &most))
            return 0;
        chunk->wire_step += rows * embdist_layout_wire_row(to, group);
    }
    return 1;
}

static int64_t chunk_rows(const embdist_chunk *chunk)
{
    int64_t rows = 0;
    for (int64_t p = 0; p < chunk->count; p++)
        rows += chunk->pieces[p].rows;
    return chunk->blocks * rows;
}

/* Chunks lie one after another; those of owners side by side in every sample. */
static embdist_status lay_pooled_side(embdist_filling *to, embdist_side *side, int is_local)
{
    static const char *const names[] = {"batch", "batch_per_rank", "batch_per_rank_feature"};
    const embdist_mode mode = to->layout->mode;
    const int beside = embdist_layout_kind(to->parts, is_local) == EMBDIST_LAYOUT_OWNERS &&
                       mode != EMBDIST_PER_FEATURE;
    const int64_t me = to->layout->rank;
    embdist_chunk *chunk = to->chunks[is_local];
    embdist_piece *pieces = to->pieces[is_local];
    *side =
        (embdist_side){.chunks = chunk, .chunk_count = embdist_layout_chunks(to->parts, is_local)};
    for (int64_t c = 0, first = 0; c < side->chunk_count; c++, chunk++) {
        int64_t width, elements, most;
        if (!lay_chunk(to, chunk, pieces, is_local ? me : c, is_local ? c : me, first, &width) ||
            !embdist_layout_multiply(chunk->blocks, width, &elements) ||
            !embdist_layout_add(side->elements, elements, &side->elements) ||
            !embdist_layout_multiply(side->elements, EMBDIST_MOST_BYTES_AN_ELEMENT, &most))
            return embdist_layout_too_large(names[mode]);
        chunk->wire = side->wire_bytes;
        side->wire_bytes += chunk->blocks * chunk->wire_step;
        side->rows += chunk_rows(chunk);
        side->step = beside ? side->step + width : width;
        first = beside ? side->step : side->elements;
        pieces += chunk->count;
    }
    return EMBDIST_OK;
}

/* Copies the counts that the mode has. */
static embdist_status take_counts(embdist_filling *to, const embdist_batch *batch)
{
    embdist_layout_of_call *layout = to->layout;
    const int64_t *given = &batch->even;
    const char *name = "batch";
    layout->count_count = 1;
    if (layout->mode == EMBDIST_RAGGED) {
        given = batch->per_rank;
        name = "batch_per_rank";
        layout->count_count = layout->world;
    } else if (layout->mode == EMBDIST_PER_FEATURE) {
        given = batch->per_rank_feature;
        name = "batch_per_rank_feature";
        layout->count_count = layout->world * to->parts->descriptor->features;
    }
    const embdist_status status =
        embdist_layout_given(name, given, layout->count_count, _Alignof(int64_t));
    if (status)
        return status;
    for (int64_t i = 0; i < layout->count_count; i++) {
        if (given[i] < 0) {
            char place[EMBDIST_PLACE];
            embdist_layout_place(layout->mode, i, to->parts->descriptor->features, place);
            return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s%s is %" PRId64 ", expected 0 or more",
                                name, place, given[i]);
        }
        to->counts[i] = given[i];
    }
    return EMBDIST_OK;
}

embdist_status embdist_layout_pooled(embdist_filling *to, const embdist_batch *batch)
{
    embdist_layout_of_call *layout = to->layout;
    embdist_status status = take_counts(to, batch);
    if (!status)
        status = lay_pooled_side(to, &layout->local, 1);
    if (!status)
        status = lay_pooled_side(to, &layout->out, 0);
    layout->local_count = layout->local.elements;
    layout->out_count = layout->out.elements;
    return status;
}

void embdist_layout_feature_offsets(const embdist_layout_of_call *layout,
                                    const embdist_parts *parts, int64_t *offsets)
{
    const embdist_part_list list = embdist_parts_of(parts, layout->rank);
    const int64_t world = layout->world;
    for (int64_t j = 0; j < world; j++) {
        const embdist_piece *pieces = embdist_layout_chunk(&layout->local, j)->pieces;
        for (int64_t p = 0, held = 0; p < list.count; p++) {
            const int64_t dim = parts->descriptor->group[list.part[p].group].dim;
            int64_t offset = pieces[p].offset;
            for (int64_t i = 0; i < list.part[p].features; i++, held++) {
                offsets[held * world + j] = offset;
                if (layout->mode == EMBDIST_PER_FEATURE)
                    offset += dim * counts_of(layout, parts->descriptor, layout->rank,
                                              j)[parts->order[list.part[p].first + i]];
                else
                    offset += dim;
            }
        }
    }
}
