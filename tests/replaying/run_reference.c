/* run_reference.c: the direct reference does the cases, so that it and the recorded data hold each
 * other. It has no wire rows to show; the sums and quotients that the rules make from the recorded
 * wire hold its codecs. */
#include "runner.h"

#include <stdlib.h>

const char *const runner_ways[] = {"reference", NULL};

static void pooled(const loaded_case *loaded, const float *const *input[DIRECTIONS],
                   float *const *output[DIRECTIONS])
{
    const recorded_case *recorded = loaded->recorded;
    const recorded_shape *shape = recorded->shape;
    int64_t rank, *pieces = allocate(recorded->world, sizeof *pieces);
    int64_t **dims = allocate(recorded->world, sizeof *dims);
    reference_pooled dist = {.world = recorded->world,
                             .piece_count = pieces,
                             .dims = (const int64_t *const *)dims,
                             .forward = shape->codec[FORWARD],
                             .backward = shape->codec[BACKWARD],
                             .mean = shape->mean};
    for (rank = 0; rank < recorded->world; rank++) {
        int adjacent = recorded->mode == RECORDED_RAGGED;
        const int64_t *batch = recorded->batch + rank * (adjacent ? 1 : shape->features);
        pieces[rank] =
            adjacent ? reference_pooled_piece(shape->features, shape->dims, batch[0])
                     : reference_pooled_piece_per_feature(shape->features, shape->dims, batch);
        dims[rank] =
            allocate(reference_pooled_dims(shape->features, shape->dims, batch, adjacent, NULL),
                     sizeof **dims);
        reference_pooled_dims(shape->features, shape->dims, batch, adjacent, dims[rank]);
    }
    if (shape->kind == RECORDED_GATHERED) {
        reference_gather_forward(&dist, input[FORWARD], output[FORWARD]);
        reference_gather_backward(&dist, input[BACKWARD], output[BACKWARD]);
    } else {
        reference_pooled_forward(&dist, input[FORWARD], output[FORWARD]);
        reference_pooled_backward(&dist, input[BACKWARD], output[BACKWARD]);
    }
    for (rank = 0; rank < recorded->world; rank++)
        free(dims[rank]);
    free(dims);
    free(pieces);
}

static void tables(const loaded_case *loaded, const float *const *input[DIRECTIONS],
                   float *const *output[DIRECTIONS])
{
    const recorded_case *recorded = loaded->recorded;
    const recorded_shape *shape = recorded->shape;
    int64_t rank, f, *batch = allocate(recorded->world * shape->features, sizeof *batch);
    reference_table dist = {.world = recorded->world,
                            .features = shape->features,
                            .dims = shape->dims,
                            .owners = shape->owners,
                            .batch = batch,
                            .adjacent = recorded->mode == RECORDED_RAGGED,
                            .forward = shape->codec[FORWARD],
                            .backward = shape->codec[BACKWARD],
                            .mean = shape->mean};
    for (rank = 0; rank < recorded->world; rank++) {
        for (f = 0; f < shape->features; f++)
            batch[rank * shape->features + f] =
                recorded->batch[dist.adjacent ? rank : rank * shape->features + f];
    }
    reference_table_forward(&dist, input[FORWARD], output[FORWARD]);
    reference_table_backward(&dist, input[BACKWARD], output[BACKWARD]);
    free(batch);
}

static void sequence(const loaded_case *loaded, const float *const *input[DIRECTIONS],
                     float *const *output[DIRECTIONS])
{
    const recorded_case *recorded = loaded->recorded;
    int64_t rank, world = recorded->world;
    const int64_t **rows = allocate(world, sizeof *rows);
    const int64_t **permute = allocate(world, sizeof *permute);
    int64_t *output_rows = allocate(world, sizeof *output_rows);
    int64_t *held = allocate(world, sizeof *held);
    reference_sequence dist = {.world = world,
                               .features = recorded->shape->features,
                               .held = held,
                               .dim = recorded->shape->dims[0],
                               .rows = rows,
                               .permute = permute,
                               .output_rows = output_rows,
                               .forward = recorded->shape->codec[FORWARD],
                               .backward = recorded->shape->codec[BACKWARD],
                               .mean = recorded->shape->mean};
    for (rank = 0; rank < world; rank++) {
        rows[rank] = loaded->ranks[rank].rows;
        permute[rank] = loaded->ranks[rank].permute;
        output_rows[rank] = loaded->ranks[rank].out_rows;
        held[rank] = held_features(recorded, rank);
    }
    reference_sequence_forward(&dist, input[FORWARD], output[FORWARD]);
    reference_sequence_backward(&dist, input[BACKWARD], output[BACKWARD]);
    free(rows);
    free(permute);
    free(output_rows);
    free(held);
}

typedef void reference_function(const loaded_case *loaded, const float *const *input[DIRECTIONS],
                                float *const *output[DIRECTIONS]);

static reference_function *function_for(const recorded_case *recorded)
{
    if (recorded->mode == RECORDED_SEQUENCE)
        return sequence;
    return recorded->shape->owners ? tables : pooled;
}

int64_t run_case(const loaded_case *loaded, int way, run runs[MAX_RUNS])
{
    int64_t rank, world = loaded->recorded->world;
    const float **input[DIRECTIONS];
    float **output[DIRECTIONS];
    int direction;
    (void)way;
    runs[0] = new_run(loaded, "reference");
    for (direction = FORWARD; direction < DIRECTIONS; direction++) {
        input[direction] = allocate(world, sizeof *input[direction]);
        output[direction] = allocate(world, sizeof *output[direction]);
        for (rank = 0; rank < world; rank++) {
            input[direction][rank] = loaded->ranks[rank].input[direction];
            output[direction][rank] = runs[0].ranks[direction][rank].output;
        }
    }
    {
        const float *const *inputs[DIRECTIONS] = {input[FORWARD], input[BACKWARD]};
        float *const *outputs[DIRECTIONS] = {output[FORWARD], output[BACKWARD]};
        function_for(loaded->recorded)(loaded, inputs, outputs);
    }
    for (direction = FORWARD; direction < DIRECTIONS; direction++) {
        free(input[direction]);
        free(output[direction]);
    }
    return 1;
}
