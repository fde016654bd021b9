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
    reference_pooled dist = {.world = recorded->world,
                             .piece_count = pieces,
                             .forward = shape->codec[FORWARD],
                             .backward = shape->codec[BACKWARD],
                             .mean = shape->mean};
    for (rank = 0; rank < recorded->world; rank++) {
        pieces[rank] =
            recorded->mode == RECORDED_RAGGED
                ? reference_pooled_piece(shape->features, shape->dims, recorded->batch[rank])
                : reference_pooled_piece_per_feature(shape->features, shape->dims,
                                                     recorded->batch + rank * shape->features);
    }
    reference_pooled_forward(&dist, input[FORWARD], output[FORWARD]);
    reference_pooled_backward(&dist, input[BACKWARD], output[BACKWARD]);
    free(pieces);
}

static void sequence(const loaded_case *loaded, const float *const *input[DIRECTIONS],
                     float *const *output[DIRECTIONS])
{
    const recorded_case *recorded = loaded->recorded;
    int64_t rank, world = recorded->world;
    const int64_t **rows = allocate(world, sizeof *rows);
    const int64_t **permute = allocate(world, sizeof *permute);
    int64_t *output_rows = allocate(world, sizeof *output_rows);
    reference_sequence dist = {.world = world,
                               .features = recorded->shape->features,
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
    }
    reference_sequence_forward(&dist, input[FORWARD], output[FORWARD]);
    reference_sequence_backward(&dist, input[BACKWARD], output[BACKWARD]);
    free(rows);
    free(permute);
    free(output_rows);
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
        (loaded->recorded->mode == RECORDED_SEQUENCE ? sequence : pooled)(loaded, inputs, outputs);
    }
    for (direction = FORWARD; direction < DIRECTIONS; direction++) {
        free(input[direction]);
        free(output[direction]);
    }
    return 1;
}
