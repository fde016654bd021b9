#include "layout.h"

#include "error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Counts are refused while the elements and bytes that they stand for still fit int64: no row is
 * wider than this many bytes an element, on either side. */
enum { MOST_BYTES_AN_ELEMENT = 16 };

static int add(int64_t a, int64_t b, int64_t *sum)
{
    if (a > INT64_MAX - b)
        return 0;
    *sum = a + b;
    return 1;
}

static int multiply(int64_t a, int64_t b, int64_t *product)
{
    if (b && a > INT64_MAX / b)
        return 0;
    *product = a * b;
    return 1;
}

static embdist_status too_large(const char *what)
{
    return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                        "%s: the counts add up to more than int64 can hold, expected fewer rows",
                        what);
}

const embdist_codelets *embdist_layout_codelets(const embdist_group *group, int64_t world,
                                                embdist_direction direction)
{
    if (direction == EMBDIST_FORWARD)
        return world == 1 ? group->forward_alone : group->forward;
    return world == 1 ? group->backward_alone : group->backward;
}

int64_t embdist_layout_sample(const embdist_descriptor *descriptor)
{
    int64_t sample = 0;
    for (int64_t g = 0; g < descriptor->groups; g++)
        sample += descriptor->group[g].features * descriptor->group[g].dim;
    return sample;
}

static int is_sequence(const embdist_descriptor *descriptor)
{
    return descriptor->local_layout == EMBDIST_LAYOUT_FEATURES;
}

static int64_t parts_of(const embdist_descriptor *descriptor)
{
    return is_sequence(descriptor) ? descriptor->features : descriptor->groups;
}

/* Agreed counts: of a pooled call at most one for each rank and feature, of a sequence two for each
 * rank. */
static int64_t most_counts(const embdist_descriptor *descriptor, int64_t world)
{
    return is_sequence(descriptor) ? 2 * world : world * descriptor->features;
}

int64_t embdist_layout_bytes(const embdist_descriptor *descriptor, int64_t world)
{
    return world * parts_of(descriptor) * (int64_t)sizeof(embdist_piece) +
           (3 * (world + 1) + most_counts(descriptor, world)) * (int64_t)sizeof(int64_t);
}

/* The layout's arrays while they are filled. */
typedef struct arrays {
    embdist_piece *pieces;
    int64_t *rank_offset, *wire_offset, *recv_offset, *counts;
} arrays;

static arrays divide_memory(void *memory, const embdist_descriptor *descriptor, int64_t world)
{
    arrays to;
    to.pieces = memory;
    to.rank_offset = (int64_t *)(void *)(to.pieces + world * parts_of(descriptor));
    to.wire_offset = to.rank_offset + world + 1;
    to.recv_offset = to.wire_offset + world + 1;
    to.counts = to.recv_offset + world + 1;
    return to;
}

/* ---- pooled --------------------------------------------------------------------------------- */

/* An even or ragged batch: samples of all features side by side. */
static embdist_status lay_samples(embdist_layout_of_call *layout, const arrays *to,
                                  const embdist_descriptor *descriptor, embdist_direction direction)
{
    const int64_t sample = embdist_layout_sample(descriptor);
    int64_t wire_sample = 0, elements = 0, wire = 0;
    for (int64_t g = 0; g < descriptor->groups; g++) {
        const embdist_group *group = &descriptor->group[g];
        wire_sample +=
            group->features * embdist_layout_codelets(group, layout->world, direction)->row_bytes;
    }
    layout->step = sample;
    layout->wire_step = wire_sample;
    for (int64_t j = 0; j < layout->world; j++) {
        const int64_t samples = to->counts[layout->mode == EMBDIST_EVEN ? 0 : j];
        to->rank_offset[j] = elements;
        to->wire_offset[j] = wire;
        int64_t column = 0, wire_column = 0, here, most;
        if (!multiply(samples, sample, &here) || !add(elements, here, &elements) ||
            !multiply(elements, MOST_BYTES_AN_ELEMENT, &most))
            return too_large(layout->mode == EMBDIST_EVEN ? "batch" : "batch_per_rank");
        for (int64_t g = 0; g < descriptor->groups; g++) {
            const embdist_group *group = &descriptor->group[g];
            embdist_piece *piece = &to->pieces[j * layout->parts + g];
            piece->offset = to->rank_offset[j] + column;
            piece->wire = wire_column;
            piece->blocks = samples;
            piece->rows = group->features;
            column += group->features * group->dim;
            wire_column += group->features *
                           embdist_layout_codelets(group, layout->world, direction)->row_bytes;
        }
        wire += samples * wire_sample;
    }
    to->rank_offset[layout->world] = elements;
    to->wire_offset[layout->world] = wire;
    return EMBDIST_OK;
}

/* A batch for each rank and feature: rows of one feature side by side. */
static embdist_status lay_features(embdist_layout_of_call *layout, const arrays *to,
                                   const embdist_descriptor *descriptor,
                                   embdist_direction direction)
{
    int64_t elements = 0, wire = 0;
    for (int64_t j = 0; j < layout->world; j++) {
        const int64_t *count = to->counts + j * descriptor->features;
        to->rank_offset[j] = elements;
        to->wire_offset[j] = wire;
        for (int64_t g = 0; g < descriptor->groups; g++) {
            const embdist_group *group = &descriptor->group[g];
            embdist_piece *piece = &to->pieces[j * layout->parts + g];
            int64_t rows = 0, here, most;
            for (int64_t f = 0; f < group->features; f++)
                if (!add(rows, *count++, &rows))
                    return too_large("batch_per_rank_feature");
            piece->offset = elements;
            piece->wire = wire - to->wire_offset[j];
            piece->blocks = 1;
            piece->rows = rows;
            if (!multiply(rows, group->dim, &here) || !add(elements, here, &elements) ||
                !multiply(elements, MOST_BYTES_AN_ELEMENT, &most))
                return too_large("batch_per_rank_feature");
            wire += rows * embdist_layout_codelets(group, layout->world, direction)->row_bytes;
        }
    }
    to->rank_offset[layout->world] = elements;
    to->wire_offset[layout->world] = wire;
    return EMBDIST_OK;
}

static embdist_status lay_pooled(embdist_layout_of_call *layout, const arrays *to,
                                 const embdist_descriptor *descriptor, const embdist_batch *batch,
                                 embdist_direction direction)
{
    const int64_t world = layout->world, features = descriptor->features;
    const int64_t *given = &batch->even;
    const char *name = "batch";
    layout->count_count = 1;
    if (layout->mode == EMBDIST_RAGGED) {
        given = batch->per_rank;
        name = "batch_per_rank";
        layout->count_count = world;
    } else if (layout->mode == EMBDIST_PER_FEATURE) {
        given = batch->per_rank_feature;
        name = "batch_per_rank_feature";
        layout->count_count = world * features;
    }
    if (!given)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s is NULL, expected %" PRId64 " counts",
                            name, layout->count_count);
    for (int64_t i = 0; i < layout->count_count; i++) {
        if (given[i] < 0 && layout->mode == EMBDIST_EVEN)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "batch is %" PRId64 ", expected 0 or more", given[i]);
        if (given[i] < 0)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "%s[%" PRId64 "] is %" PRId64 ", expected 0 or more", name, i,
                                given[i]);
        to->counts[i] = given[i];
    }
    const embdist_status status = layout->mode == EMBDIST_PER_FEATURE
                                      ? lay_features(layout, to, descriptor, direction)
                                      : lay_samples(layout, to, descriptor, direction);
    if (status)
        return status;
    layout->local_count = to->rank_offset[world];
    layout->out_count = to->rank_offset[layout->rank + 1] - to->rank_offset[layout->rank];
    layout->most_rows = 0;
    for (int64_t i = 0; i < world * layout->parts; i++)
        layout->most_rows += to->pieces[i].blocks * to->pieces[i].rows;
    return EMBDIST_OK;
}

/* ---- sequences ------------------------------------------------------------------------------ */

/* The rows of a feature that belong to each rank, summed from the lengths of the samples. */
static embdist_status sum_lengths(embdist_layout_of_call *layout, const arrays *to,
                                  const embdist_sequence_batch *batch)
{
    int64_t samples = 0;
    if (!batch->batch_per_rank && !batch->lengths)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "rows and lengths are NULL, expected one of them");
    if (!batch->batch_per_rank)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch_per_rank is NULL, expected [world] counts beside lengths");
    for (int64_t j = 0; j < layout->world; j++) {
        if (batch->batch_per_rank[j] < 0)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "batch_per_rank[%" PRId64 "] is %" PRId64 ", expected 0 or more", j,
                                batch->batch_per_rank[j]);
        if (!add(samples, batch->batch_per_rank[j], &samples))
            return too_large("batch_per_rank");
    }
    if (samples && !batch->lengths)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "rows and lengths are NULL, expected one of them");
    const int32_t *length = batch->lengths;
    for (int64_t f = 0; f < layout->parts; f++)
        for (int64_t j = 0; j < layout->world; j++) {
            int64_t rows = 0;
            for (int64_t b = 0; b < batch->batch_per_rank[j]; b++, length++) {
                if (*length < 0)
                    return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                        "lengths[%" PRId64 "] is %" PRId32 ", expected 0 or more",
                                        (int64_t)(length - batch->lengths), *length);
                rows += *length;
            }
            to->pieces[j * layout->parts + f].rows = rows;
        }
    return EMBDIST_OK;
}

static embdist_status take_rows(embdist_layout_of_call *layout, const arrays *to,
                                const embdist_sequence_batch *batch)
{
    for (int64_t f = 0; f < layout->parts; f++)
        for (int64_t j = 0; j < layout->world; j++) {
            const int64_t rows = batch->rows[f * layout->world + j];
            if (rows < 0)
                return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                    "rows[%" PRId64 "] is %" PRId64 ", expected 0 or more",
                                    f * layout->world + j, rows);
            to->pieces[j * layout->parts + f].rows = rows;
        }
    return EMBDIST_OK;
}

static embdist_status copy_counts(const char *name, const int64_t *given, int64_t world,
                                  int64_t *to, int64_t *sum)
{
    *sum = 0;
    if (!given)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT, "%s is NULL, expected [world] counts", name);
    for (int64_t j = 0; j < world; j++) {
        if (given[j] < 0)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "%s[%" PRId64 "] is %" PRId64 ", expected 0 or more", name, j,
                                given[j]);
        if (!add(*sum, given[j], sum))
            return too_large(name);
        to[j] = given[j];
    }
    return EMBDIST_OK;
}

/* Elements of `rows` rows, small enough for their bytes to fit too. */
static embdist_status count_elements(const char *name, int64_t rows, int64_t dim, int64_t *elements)
{
    int64_t most;
    if (!multiply(rows, dim, elements) || !multiply(*elements, MOST_BYTES_AN_ELEMENT, &most))
        return too_large(name);
    return EMBDIST_OK;
}

static embdist_status lay_sequence(embdist_layout_of_call *layout, const arrays *to,
                                   const embdist_descriptor *descriptor,
                                   const embdist_sequence_batch *batch, embdist_direction direction)
{
    const embdist_group *group = descriptor->group;
    const int64_t world = layout->world, dim = group->dim;
    const int64_t row_bytes = embdist_layout_codelets(group, world, direction)->row_bytes;
    if (!batch)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch is NULL, expected an embdist_sequence_batch");
    if (batch->size != sizeof *batch)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "batch->size is %zu, expected sizeof(embdist_sequence_batch) = %zu",
                            batch->size, sizeof *batch);
    int64_t sent, received;
    embdist_status status = copy_counts("send_rows", batch->send_rows, world, to->counts, &sent);
    if (!status)
        status = copy_counts("recv_rows", batch->recv_rows, world, to->counts + world, &received);
    if (!status)
        status = count_elements("send_rows", sent, dim, &layout->local_count);
    if (status)
        return status;
    layout->count_count = 2 * world;
    layout->received = received;
    layout->output_rows = batch->permute ? batch->output_rows : received;
    if (layout->output_rows < 0)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "output_rows is %" PRId64 ", expected 0 or more", batch->output_rows);
    status = count_elements("recv_rows", received, dim, &layout->out_count);
    if (!status)
        status = count_elements("output_rows", layout->output_rows, dim, &layout->out_count);
    if (!status)
        status = batch->rows ? take_rows(layout, to, batch) : sum_lengths(layout, to, batch);
    if (status)
        return status;
    to->wire_offset[0] = to->recv_offset[0] = 0;
    for (int64_t j = 0; j < world; j++) {
        int64_t rows = 0;
        for (int64_t f = 0; f < layout->parts; f++) {
            embdist_piece *piece = &to->pieces[j * layout->parts + f];
            piece->blocks = 1;
            piece->wire = rows * row_bytes;
            if (!add(rows, piece->rows, &rows))
                rows = INT64_MAX; /* more than any send_rows that has passed */
            if (rows > to->counts[j])
                break;
        }
        if (rows != to->counts[j])
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "the rows of all features for rank %" PRId64 " add up to %s%" PRId64
                                ", expected send_rows[%" PRId64 "] = %" PRId64,
                                j, rows > to->counts[j] ? "at least " : "", rows, j, to->counts[j]);
        to->wire_offset[j + 1] = to->wire_offset[j] + rows * row_bytes;
        to->recv_offset[j + 1] = to->recv_offset[j] + to->counts[world + j];
    }
    int64_t element = 0;
    for (int64_t f = 0; f < layout->parts; f++)
        for (int64_t j = 0; j < world; j++) {
            embdist_piece *piece = &to->pieces[j * layout->parts + f];
            piece->offset = element;
            element += piece->rows * dim;
        }
    layout->step = layout->wire_step = 0;
    layout->most_rows = sent > received ? sent : received;
    if (layout->output_rows > layout->most_rows)
        layout->most_rows = layout->output_rows;
    return EMBDIST_OK;
}

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
                                   const embdist_descriptor *descriptor, int64_t world,
                                   int64_t rank, const embdist_batch *batch,
                                   embdist_direction direction)
{
    *layout = (embdist_layout_of_call){0};
    if ((unsigned)batch->mode > EMBDIST_SEQUENCE ||
        !(descriptor->modes & EMBDIST_MODE_BIT(batch->mode)))
        return not_generated(descriptor, batch->mode);
    embdist_status status = embdist_buffer_hold(memory, embdist_layout_bytes(descriptor, world));
    if (status)
        return status;
    const arrays to = divide_memory(memory->memory, descriptor, world);
    layout->mode = batch->mode;
    layout->world = world;
    layout->rank = rank;
    layout->parts = parts_of(descriptor);
    layout->pieces = to.pieces;
    layout->rank_offset = to.rank_offset;
    layout->wire_offset = to.wire_offset;
    layout->recv_offset = to.recv_offset;
    layout->counts = to.counts;
    return batch->mode == EMBDIST_SEQUENCE
               ? lay_sequence(layout, &to, descriptor, batch->sequence, direction)
               : lay_pooled(layout, &to, descriptor, batch, direction);
}
