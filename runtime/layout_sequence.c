/* Sequences: rows of one dim, feature after feature here, sender after sender there. */
#include "layout_fill.h"

#include "error.h"

#include <inttypes.h>

/* The piece of the local side with a feature's rows for a rank. */
static embdist_piece *piece_of(const embdist_filling *to, int64_t feature, int64_t rank)
{
    return to->pieces[1] + rank * embdist_parts_of(to->parts, to->layout->rank).count + feature;
}

/* The rows of a feature that belong to each rank, summed from the lengths of the samples. */
static embdist_status sum_lengths(embdist_filling *to, int64_t features,
                                  const embdist_sequence_batch *batch)
{
    int64_t samples = 0;
    if (!batch->batch_per_rank && !batch->lengths)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "rows and lengths are NULL, expected one of them");
    if (!batch->batch_per_rank)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch_per_rank is NULL, expected %" PRId64 " counts beside lengths",
                            to->layout->world);
    embdist_status status =
        embdist_layout_aligned("batch_per_rank", batch->batch_per_rank, _Alignof(int64_t));
    if (!status)
        status = embdist_layout_aligned("lengths", batch->lengths, _Alignof(int32_t));
    if (status)
        return status;
    for (int64_t j = 0; j < to->layout->world; j++) {
        if (batch->batch_per_rank[j] < 0)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "batch_per_rank[%" PRId64 "] is %" PRId64 ", expected 0 or more", j,
                                batch->batch_per_rank[j]);
        if (!embdist_layout_add(samples, batch->batch_per_rank[j], &samples))
            return embdist_layout_too_large("batch_per_rank");
    }
    if (samples && !batch->lengths)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "rows and lengths are NULL, expected one of them");
    const int32_t *length = batch->lengths;
    for (int64_t f = 0; f < features; f++)
        for (int64_t j = 0; j < to->layout->world; j++) {
            int64_t rows = 0;
            for (int64_t b = 0; b < batch->batch_per_rank[j]; b++, length++) {
                if (*length < 0)
                    return embdist_fail(
                        EMBDIST_INVALID_ARGUMENT,
                        "lengths[%" PRId64 "][%" PRId64 "] is %" PRId32 ", expected 0 or more", f,
                        (int64_t)(length - batch->lengths) - f * samples, *length);
                rows += *length;
            }
            piece_of(to, f, j)->rows = rows;
        }
    return EMBDIST_OK;
}

static embdist_status take_rows(embdist_filling *to, int64_t features,
                                const embdist_sequence_batch *batch)
{
    const embdist_status status = embdist_layout_aligned("rows", batch->rows, _Alignof(int64_t));
    if (status)
        return status;
    for (int64_t f = 0; f < features; f++)
        for (int64_t j = 0; j < to->layout->world; j++) {
            const int64_t rows = batch->rows[f * to->layout->world + j];
            if (rows < 0)
                return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                    "rows[%" PRId64 "][%" PRId64 "] is %" PRId64
                                    ", expected 0 or more",
                                    f, j, rows);
            piece_of(to, f, j)->rows = rows;
        }
    return EMBDIST_OK;
}

static embdist_status copy_counts(const char *name, const int64_t *given, int64_t world,
                                  int64_t *to, int64_t *sum)
{
    *sum = 0;
    const embdist_status status = embdist_layout_given(name, given, world, _Alignof(int64_t));
    if (status)
        return status;
    for (int64_t j = 0; j < world; j++) {
        if (given[j] < 0)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "%s[%" PRId64 "] is %" PRId64 ", expected 0 or more", name, j,
                                given[j]);
        if (!embdist_layout_add(*sum, given[j], sum))
            return embdist_layout_too_large(name);
        to[j] = given[j];
    }
    return EMBDIST_OK;
}

/* Elements of `rows` rows, small enough for their bytes to fit too. */
static embdist_status count_elements(const char *name, int64_t rows, int64_t dim, int64_t *elements)
{
    int64_t most;
    if (!embdist_layout_multiply(rows, dim, elements) ||
        !embdist_layout_multiply(*elements, EMBDIST_MOST_BYTES_AN_ELEMENT, &most))
        return embdist_layout_too_large(name);
    return EMBDIST_OK;
}

/* The chunk of rows of all features for a rank, whose number must be that of send_rows. */
static embdist_status lay_sent(embdist_filling *to, int64_t rank, int64_t features)
{
    embdist_side *side = &to->layout->local;
    embdist_chunk *chunk = &to->chunks[1][rank];
    const int64_t expected = to->counts[rank];
    int64_t rows = 0;
    *chunk = (embdist_chunk){
        .pieces = piece_of(to, 0, rank), .count = features, .blocks = 1, .wire = side->wire_bytes};
    for (int64_t f = 0; f < features && rows <= expected; f++) {
        embdist_piece *piece = piece_of(to, f, rank);
        piece->group = 0;
        piece->wire = rows * embdist_layout_wire_row(to, 0);
        if (!embdist_layout_add(rows, piece->rows, &rows))
            rows = INT64_MAX; /* more than any send_rows that has passed */
    }
    if (rows != expected)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "the rows of all features for rank %" PRId64 " add up to %s%" PRId64
                            ", expected send_rows[%" PRId64 "] = %" PRId64,
                            rank, rows > expected ? "at least " : "", rows, rank, expected);
    side->rows += rows;
    side->wire_bytes += rows * embdist_layout_wire_row(to, 0);
    return EMBDIST_OK;
}

/* What comes from a rank: this one knows only how many rows, of all its features together. */
static void lay_received(embdist_filling *to, int64_t rank)
{
    embdist_side *side = &to->layout->out;
    embdist_piece *piece = &to->pieces[0][rank];
    const int64_t rows = to->counts[to->layout->world + rank];
    *piece = (embdist_piece){.offset = side->elements, .rows = rows};
    to->chunks[0][rank] =
        (embdist_chunk){.pieces = piece, .count = 1, .blocks = 1, .wire = side->wire_bytes};
    side->rows += rows;
    side->elements += rows * to->parts->descriptor->group->dim;
    side->wire_bytes += rows * embdist_layout_wire_row(to, 0);
}

static void lay_sequence_sides(embdist_filling *to, int64_t features)
{
    embdist_layout_of_call *layout = to->layout;
    for (int64_t f = 0; f < features; f++)
        for (int64_t j = 0; j < layout->world; j++) {
            embdist_piece *piece = piece_of(to, f, j);
            piece->offset = layout->local.elements;
            layout->local.elements += piece->rows * to->parts->descriptor->group->dim;
        }
    for (int64_t j = 0; j < layout->world; j++)
        lay_received(to, j);
}

/* Counts and their sums. */
static embdist_status take_sequence(embdist_filling *to, const embdist_sequence_batch *batch)
{
    embdist_layout_of_call *layout = to->layout;
    const embdist_descriptor *descriptor = to->parts->descriptor;
    const int64_t world = layout->world, dim = descriptor->group->dim;
    int64_t sent;
    if (!batch)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch is NULL, expected an embdist_sequence_batch");
    if (batch->size != sizeof *batch)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch->size is %zu, expected sizeof(embdist_sequence_batch) = %zu",
                            batch->size, sizeof *batch);
    if (batch->permute && !descriptor->index_bytes)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch->permute is not NULL, expected NULL: %s takes no permute",
                            descriptor->kind);
    if (batch->rows && batch->lengths)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "rows and lengths are both given, expected one of them");
    embdist_status status = copy_counts("send_rows", batch->send_rows, world, to->counts, &sent);
    if (!status)
        status = copy_counts("recv_rows", batch->recv_rows, world, to->counts + world,
                             &layout->received);
    if (!status)
        status = count_elements("send_rows", sent, dim, &layout->local_count);
    if (status)
        return status;
    layout->count_count = 2 * world;
    layout->output_rows = batch->permute ? batch->output_rows : layout->received;
    if (layout->output_rows < 0)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "output_rows is %" PRId64 ", expected 0 or more", batch->output_rows);
    status = count_elements("recv_rows", layout->received, dim, &layout->out_count);
    if (!status)
        status = count_elements("output_rows", layout->output_rows, dim, &layout->out_count);
    return status;
}

embdist_status embdist_layout_sequence(embdist_filling *to, const embdist_sequence_batch *batch)
{
    embdist_layout_of_call *layout = to->layout;
    const int64_t features = embdist_parts_of(to->parts, layout->rank).count;
    layout->local = (embdist_side){.chunks = to->chunks[1], .chunk_count = layout->world};
    layout->out = (embdist_side){.chunks = to->chunks[0], .chunk_count = layout->world};
    embdist_status status = take_sequence(to, batch);
    if (!status && features)
        status = batch->rows ? take_rows(to, features, batch) : sum_lengths(to, features, batch);
    for (int64_t j = 0; j < layout->world && !status; j++)
        status = lay_sent(to, j, features);
    if (!status)
        lay_sequence_sides(to, features);
    return status;
}
