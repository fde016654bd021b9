/* isa.c: EMBDIST_ISA chooses the codelets, and whole dists give the same bits with each, in every
 * kind, mode, direction and way; a wrong EMBDIST_ISA is an error at open. */
#define _POSIX_C_SOURCE 200809L
#include "cases.h"

#include "matrix.h"
#include "small.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BOTH_WAYS(codec)                                                                           \
    TEST_POOLED(matrix_p7_##codec), TEST_POOLED(matrix_p_mix2_##codec),                            \
        TEST_POOLED(matrix_p255_##codec), TEST_SEQUENCE(matrix_s7_##codec),                        \
        TEST_SEQUENCE(matrix_s33_##codec), TEST_SEQUENCE(matrix_s128_##codec)
static const test_dist entries[] = {BOTH_WAYS(fp32), BOTH_WAYS(fp16), BOTH_WAYS(bf16),
                                    TEST_POOLED(small_bags), TEST_SEQUENCE(small_words)};
enum { ENTRIES = sizeof entries / sizeof *entries, WORLD = 3, ISAS = 3 };
static const char *const names[ISAS] = {"plain", "avx2", "avx512"};

/* Whether this CPU can, asked of the runtime; the sentence otherwise. */
static embdist_status try_isa(const char *name)
{
    embdist_dist *dist = NULL;
    setenv("EMBDIST_ISA", name, 1);
    const embdist_status status = embdist_open(&dist, NULL, &small_bags, NULL);
    embdist_close(&dist);
    return status;
}

/* Runs a case and keeps or compares the bits. */
static int same_as_first(test_case *made, embdist_comm **comms, embdist_way way, float **first)
{
    int right = cases_run(&made, 1, comms, way);
    for (int64_t r = 0; r < WORLD && right; r++) {
        const size_t bytes = (size_t)made->out[r].count * sizeof(float);
        if (!first[r]) {
            first[r] = take(made->out[r].count, sizeof(float));
            memcpy(first[r], made->out[r].data, bytes);
        } else if (bytes && memcmp(first[r], made->out[r].data, bytes) != 0) {
            diag("%s %s %s %s: other bits", made->shape.entry->name, mode_text(made->shape.mode),
                 direction_text(made->shape.direction), way_text(way));
            right = 0;
        }
    }
    return right;
}

static int compare(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                   const int *can, random_state *random)
{
    int64_t batch[WORLD];
    for (int r = 0; r < WORLD; r++)
        batch[r] = random_below(random, 7);
    const case_shape shape = {.entry = entry,
                              .world = WORLD,
                              .mode = mode,
                              .direction = direction,
                              .batch = batch,
                              .permute = (permute_style)random_below(random, PERMUTE_STYLES),
                              .in_offset = 4 * random_below(random, 16),
                              .out_offset = 4 * random_below(random, 16),
                              .values = RANDOM_WILD};
    test_case *made = case_new(&shape, random);
    embdist_comm **comms = new_comms(WORLD);
    float *first[WORLD] = {NULL};
    int right = 1;
    for (int isa = 0; isa < ISAS; isa++) {
        if (!can[isa])
            continue;
        setenv("EMBDIST_ISA", names[isa], 1);
        right &= same_as_first(made, comms, EMBDIST_WAY_IN_PLACE, first);
        right &= same_as_first(made, comms, EMBDIST_WAY_STAGED, first);
    }
    for (int r = 0; r < WORLD; r++)
        free(first[r]);
    free_comms(WORLD, comms);
    case_free(made);
    return right;
}

int main(void)
{
    plan(ISAS + 8 + 2);
    random_state random = random_start();
    int can[ISAS] = {0};
    for (int isa = 0; isa < ISAS; isa++) {
        const embdist_status status = try_isa(names[isa]);
        can[isa] = status == EMBDIST_OK;
        if (status == EMBDIST_UNSUPPORTED)
            skip(embdist_last_error(), "EMBDIST_ISA=%s", names[isa]);
        else
            ok(can[isa], "EMBDIST_ISA=%s opens", names[isa]);
    }
    for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
            int right = 1;
            for (int i = 0; i < ENTRIES; i++)
                if ((entries[i].even[0] == NULL) == (m == EMBDIST_SEQUENCE))
                    right &=
                        compare(&entries[i], (embdist_mode)m, (embdist_direction)d, can, &random);
            ok(right, "%s %s: the same bits with each", mode_text((embdist_mode)m),
               direction_text((embdist_direction)d));
        }
    ok(try_isa("sse9") == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "EMBDIST_ISA is \"sse9\", expected plain, avx2 or avx512"),
       "another EMBDIST_ISA is an error");
    ok(try_isa("") == EMBDIST_OK, "an empty EMBDIST_ISA is none");
    return finish();
}
