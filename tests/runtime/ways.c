#define _POSIX_C_SOURCE 200809L
#include "ways.h"

#include "formats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const isa_names[ISAS] = {"plain", "avx2", "avx512"};

embdist_status try_isa(const test_dist *entry, const char *name)
{
    embdist_dist *dist = NULL;
    setenv("EMBDIST_ISA", name, 1);
    const embdist_status status = open_dist(&dist, NULL, entry, EMBDIST_WAY_AUTO);
    embdist_close(&dist);
    return status;
}

/* A case, and what its first run gave. */
typedef struct repeated {
    test_case *made;
    embdist_comm **comms;
    void **first; /* [world]; NULL before the first run */
} repeated;

/* Whether rows have the same bits, but for NaN: of two NaN, an addition passes on the one that the
 * compiler has put first. */
static int same_rows(const case_shape *shape, const void *first, const buffer *out)
{
    const reference_format dtype = dtype_of(shape->entry->descriptor);
    for (int64_t i = 0; i < out->count; i++) {
        const int64_t at = i * out->element;
        if (memcmp((const char *)first + at, (const char *)out->rows + at, (size_t)out->element) &&
            !(isnan(row_value(dtype, first, i)) && isnan(row_value(dtype, out->rows, i))))
            return 0;
    }
    return 1;
}

/* Runs the case and keeps the bits, or compares them. */
static int run_again(repeated *all, embdist_way way, const char *isa)
{
    const case_shape *shape = &all->made->shape;
    if (!cases_run(&all->made, 1, all->comms, way)) {
        diag("with EMBDIST_ISA=%s", isa);
        return 0;
    }
    for (int64_t r = 0; r < shape->world; r++) {
        const buffer *out = &all->made->out[r];
        const size_t bytes = (size_t)buffer_bytes(out);
        if (!all->first[r]) {
            all->first[r] = take((int64_t)bytes, 1);
            memcpy(all->first[r], out->rows, bytes);
        } else if (!same_rows(shape, all->first[r], out)) {
            diag("%s %s %s, world %lld, rank %lld, %s, EMBDIST_ISA=%s: other bits than at first",
                 shape->entry->name, mode_text(shape->mode), direction_text(shape->direction),
                 (long long)shape->world, (long long)r, way_text(way), isa);
            return 0;
        }
    }
    return 1;
}

static repeated start(const case_shape *shape, random_state *random)
{
    return (repeated){case_new(shape, random), new_comms(shape->world),
                      take(shape->world, sizeof(void *))};
}

static void end(repeated *all)
{
    const int64_t world = all->made->shape.world;
    for (int64_t r = 0; r < world; r++)
        free(all->first[r]);
    free(all->first);
    free_comms(world, all->comms);
    case_free(all->made);
}

int run_both_ways(const case_shape *shape, random_state *random)
{
    repeated all = start(shape, random);
    const char *isa = getenv("EMBDIST_ISA");
    const int right = run_again(&all, EMBDIST_WAY_IN_PLACE, isa ? isa : "") &&
                      run_again(&all, EMBDIST_WAY_STAGED, isa ? isa : "");
    end(&all);
    return right;
}

int run_every_way(const case_shape *shape, const int *can, random_state *random)
{
    repeated all = start(shape, random);
    int right = 1;
    for (int isa = 0; isa < ISAS && right; isa++) {
        if (!can[isa])
            continue;
        setenv("EMBDIST_ISA", isa_names[isa], 1);
        right = run_again(&all, EMBDIST_WAY_IN_PLACE, isa_names[isa]) &&
                run_again(&all, EMBDIST_WAY_STAGED, isa_names[isa]);
    }
    end(&all);
    return right;
}
