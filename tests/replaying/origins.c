#include "origins.h"

#include <stdlib.h>

/* Reduced backward, gathered forward: every rank's piece, in rank order. */
static origin *gathered_origins(const loaded_case *loaded)
{
    int64_t s, i, total = 0;
    origin *origins, *next;
    for (s = 0; s < loaded->recorded->world; s++)
        total += loaded->ranks[s].piece_count;
    next = origins = allocate(total, sizeof *origins);
    for (s = 0; s < loaded->recorded->world; s++) {
        for (i = 0; i < loaded->ranks[s].piece_count; i++)
            *next++ = (origin){s, i};
    }
    return origins;
}

/* Elements of a sample in an owner's features. */
static int64_t owned_width(const recorded_shape *shape, int64_t owner)
{
    int64_t f, sum = 0;
    for (f = 0; f < shape->features; f++)
        sum += shape->owners[f] == owner ? shape->dims[f] : 0;
    return sum;
}

/* Elements that an owner has for a rank. */
static int64_t table_chunk(const recorded_case *recorded, int64_t owner, int64_t rank)
{
    const recorded_shape *shape = recorded->shape;
    int64_t f, sum = 0;
    if (recorded->mode == RECORDED_RAGGED)
        return recorded->batch[rank] * owned_width(shape, owner);
    for (f = 0; f < shape->features; f++)
        sum += shape->owners[f] == owner
                   ? recorded->batch[rank * shape->features + f] * shape->dims[f]
                   : 0;
    return sum;
}

/* Where a sender's rows for a rank begin in what it sends: forward owners send, backward ranks send
 * to owners. */
static int64_t table_first(const recorded_case *recorded, int direction, int64_t sender,
                           int64_t rank)
{
    int64_t j, sum = 0;
    for (j = 0; j < rank; j++)
        sum += direction == FORWARD ? table_chunk(recorded, sender, j)
                                    : table_chunk(recorded, j, sender);
    return sum;
}

/* Table-wise: chunks in the order of senders; but forward, where a sample's features are adjacent,
 * the columns of each in turn. */
static origin *table_origins(const loaded_case *loaded, int direction, int64_t rank)
{
    const recorded_case *recorded = loaded->recorded;
    origin *origins = allocate(loaded->ranks[rank].output_count[direction], sizeof *origins);
    origin *next = origins;
    int columns = direction == FORWARD && recorded->mode == RECORDED_RAGGED;
    int64_t samples = columns ? recorded->batch[rank] : 1, b, s, i;
    for (b = 0; b < samples; b++) {
        for (s = 0; s < recorded->world; s++) {
            int64_t first = table_first(recorded, direction, s, rank);
            int64_t width = columns                ? owned_width(recorded->shape, s)
                            : direction == FORWARD ? table_chunk(recorded, s, rank)
                                                   : table_chunk(recorded, rank, s);
            for (i = 0; i < width; i++)
                *next++ = (origin){s, first + b * width + i};
        }
    }
    return origins;
}

/* Rows that rank `from` sends to ranks below `to`. */
static int64_t rows_before(const int64_t *rows, int64_t to)
{
    int64_t j, sum = 0;
    for (j = 0; j < to; j++)
        sum += rows[j];
    return sum;
}

/* Forward sequence: by sender, then by permute. */
static origin *sequence_origins(const loaded_case *loaded, int64_t rank)
{
    const recorded_case *recorded = loaded->recorded;
    const loaded_rank *to = &loaded->ranks[rank];
    int64_t s, i, dim = recorded->shape->dims[0];
    origin *received = allocate(to->received, sizeof *received), *next = received, *out;
    for (s = 0; s < recorded->world; s++) {
        int64_t first = rows_before(recorded->ranks[s].send_rows, rank);
        for (i = 0; i < recorded->ranks[s].send_rows[rank]; i++)
            *next++ = (origin){s, (first + i) * dim};
    }
    if (to->permute == NULL)
        return received;
    out = allocate(to->out_rows, sizeof *out);
    for (i = 0; i < to->out_rows; i++)
        out[i] = received[to->permute[i]];
    free(received);
    return out;
}

/* Backward sequence: rank j sends back the rows it had received from this one, by feature; they
 * belong where this rank's local_embs has (feature, j). */
static origin *returned_origins(const loaded_case *loaded, int64_t rank)
{
    const recorded_case *recorded = loaded->recorded;
    int64_t world = recorded->world, dim = recorded->shape->dims[0], f, j, i;
    const int64_t *rows = loaded->ranks[rank].rows;
    origin *out = allocate(loaded->ranks[rank].output_count[BACKWARD] / dim, sizeof *out);
    origin *next = out;
    int64_t *taken = allocate(world, sizeof *taken); /* of the rows that each rank sends back */
    for (f = 0; f < held_features(recorded, rank); f++) {
        for (j = 0; j < world; j++) {
            int64_t first = rows_before(recorded->ranks[j].recv_rows, rank);
            for (i = 0; i < rows[f * world + j]; i++)
                *next++ = (origin){j, (first + taken[j]++) * dim};
        }
    }
    free(taken);
    return out;
}

origin *find_origins(const loaded_case *loaded, int direction, int64_t rank)
{
    const recorded_case *recorded = loaded->recorded;
    if (recorded->mode == RECORDED_SEQUENCE)
        return direction == FORWARD ? sequence_origins(loaded, rank)
                                    : returned_origins(loaded, rank);
    return recorded->shape->owners ? table_origins(loaded, direction, rank)
                                   : gathered_origins(loaded);
}
