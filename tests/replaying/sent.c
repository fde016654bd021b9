#include "sent.h"

#include <stdlib.h>
#include <string.h>

/* Rows of features one after another; owner < 0: of all features. `batch` is of one rank: samples
 * (adjacent: a sample's features are neighbours), or [features]. Without `dims`, only counts. */
static void add_rows(const recorded_shape *shape, int64_t owner, const int64_t *batch, int adjacent,
                     sent_rows *to)
{
    int64_t samples = adjacent ? batch[0] : 1, b, f, i;
    for (b = 0; b < samples; b++) {
        for (f = 0; f < shape->features; f++) {
            int64_t rows = adjacent ? 1 : batch[f];
            if (owner >= 0 && shape->owners[f] != owner)
                continue;
            for (i = 0; i < rows; i++) {
                if (to->dims != NULL)
                    to->dims[to->rows] = shape->dims[f];
                to->rows++;
                to->count += shape->dims[f];
            }
        }
    }
}

/* Whether a rank sends rows of its own batch (else of every rank's). */
static int sends_own_batch(const recorded_shape *shape, int direction)
{
    return (shape->kind == RECORDED_GATHERED) == (direction == FORWARD);
}

static void add_pooled_rows(const recorded_case *recorded, int direction, int64_t rank,
                            sent_rows *to)
{
    const recorded_shape *shape = recorded->shape;
    int adjacent = recorded->mode == RECORDED_RAGGED;
    int64_t step = adjacent ? 1 : shape->features, j;
    to->rows = to->count = 0;
    for (j = 0; j < recorded->world; j++) {
        if (shape->owners != NULL) /* forward to rank j, backward to owner j */
            add_rows(shape, direction == FORWARD ? rank : j,
                     recorded->batch + (direction == FORWARD ? j : rank) * step, adjacent, to);
        else if (j == rank || !sends_own_batch(shape, direction))
            add_rows(shape, -1, recorded->batch + j * step, adjacent, to);
    }
}

/* Backward, a table-wise rank has the columns of all owners side by side and sends them owner by
 * owner. */
static void split_columns(const loaded_case *loaded, int64_t rank, float *to)
{
    const recorded_case *recorded = loaded->recorded;
    const recorded_shape *shape = recorded->shape;
    const float *from = loaded->ranks[rank].input[BACKWARD];
    int64_t owner, b, f, all = 0;
    for (f = 0; f < shape->features; f++)
        all += shape->dims[f];
    for (owner = 0; owner < recorded->world; owner++) {
        int64_t first = 0, width = 0;
        for (f = 0; f < shape->features; f++) { /* owners are in order: tables() in case.lua */
            first += shape->owners[f] < owner ? shape->dims[f] : 0;
            width += shape->owners[f] == owner ? shape->dims[f] : 0;
        }
        for (b = 0; b < recorded->batch[rank]; b++, to += width)
            memcpy(to, from + b * all + first, (size_t)width * sizeof *to);
    }
}

/* local_embs is by feature, then rank; what is sent, by rank, then feature. */
static void sort_by_rank(const loaded_case *loaded, int64_t rank, float *to)
{
    const recorded_case *recorded = loaded->recorded;
    int64_t world = recorded->world, dim = recorded->shape->dims[0], j, f, k;
    const int64_t *rows = loaded->ranks[rank].rows;
    for (j = 0; j < world; j++) {
        for (f = 0; f < held_features(recorded, rank); f++) {
            int64_t before = 0;
            for (k = 0; k < f * world + j; k++)
                before += rows[k];
            memcpy(to, loaded->ranks[rank].input[FORWARD] + before * dim,
                   (size_t)(rows[f * world + j] * dim) * sizeof *to);
            to += rows[f * world + j] * dim;
        }
    }
}

/* The gradient of each received row: the sum of those of the output rows that name it, in order. */
static void add_by_permute(const loaded_case *loaded, int64_t rank, float *to)
{
    const loaded_rank *of = &loaded->ranks[rank];
    int64_t dim = loaded->recorded->shape->dims[0], i, k;
    for (i = 0; i < of->out_rows; i++) {
        int64_t row = of->permute != NULL ? of->permute[i] : i;
        for (k = 0; k < dim; k++)
            to[row * dim + k] += of->input[BACKWARD][i * dim + k];
    }
}

static sent_rows make_sequence(const loaded_case *loaded, int direction, int64_t rank)
{
    const loaded_rank *of = &loaded->ranks[rank];
    int64_t dim = loaded->recorded->shape->dims[0], i;
    sent_rows sent = {.rows = direction == FORWARD ? of->input_count[FORWARD] / dim : of->received};
    sent.count = sent.rows * dim;
    sent.dims = allocate(sent.rows, sizeof *sent.dims);
    sent.values = allocate(sent.count, sizeof *sent.values);
    for (i = 0; i < sent.rows; i++)
        sent.dims[i] = dim;
    if (direction == FORWARD)
        sort_by_rank(loaded, rank, sent.values);
    else
        add_by_permute(loaded, rank, sent.values);
    return sent;
}

sent_rows make_sent(const loaded_case *loaded, int direction, int64_t rank)
{
    const recorded_case *recorded = loaded->recorded;
    sent_rows sent = {0};
    if (recorded->mode == RECORDED_SEQUENCE)
        return make_sequence(loaded, direction, rank);
    add_pooled_rows(recorded, direction, rank, &sent); /* counts */
    sent.dims = allocate(sent.rows, sizeof *sent.dims);
    add_pooled_rows(recorded, direction, rank, &sent);
    sent.values = allocate(sent.count, sizeof *sent.values);
    if (recorded->shape->owners && direction == BACKWARD && recorded->mode == RECORDED_RAGGED)
        split_columns(loaded, rank, sent.values);
    else
        memcpy(sent.values, loaded->ranks[rank].input[direction],
               (size_t)sent.count * sizeof *sent.values);
    return sent;
}

void free_sent(sent_rows *sent)
{
    free(sent->values);
    free(sent->dims);
}
