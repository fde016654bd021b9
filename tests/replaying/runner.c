#include "runner.h"

#include <stdlib.h>
#include <string.h>

run new_run(const loaded_case *loaded, const char *label)
{
    run result = {.label = label};
    int64_t rank, world = loaded->recorded->world;
    int direction;
    for (direction = FORWARD; direction < DIRECTIONS; direction++) {
        result.ranks[direction] = allocate(world, sizeof *result.ranks[direction]);
        for (rank = 0; rank < world; rank++) {
            int64_t count = loaded->ranks[rank].output_count[direction];
            rank_result *to = &result.ranks[direction][rank];
            to->output = allocate(count, sizeof *to->output);
            memset(to->output, 0xa5, (size_t)count * sizeof *to->output);
        }
    }
    return result;
}

void free_runs(const loaded_case *loaded, int64_t count, run runs[MAX_RUNS])
{
    int64_t i, rank;
    int direction;
    for (i = 0; i < count; i++) {
        for (direction = FORWARD; direction < DIRECTIONS; direction++) {
            for (rank = 0; rank < loaded->recorded->world; rank++) {
                free(runs[i].ranks[direction][rank].output);
                free(runs[i].ranks[direction][rank].wire);
            }
            free(runs[i].ranks[direction]);
        }
    }
}
