/* isa.c: EMBDIST_ISA chooses the codelets, and whole dists give the same bits with each, in every
 * kind, mode, direction and way; a wrong EMBDIST_ISA is an error at open. */
#define _POSIX_C_SOURCE 200809L
#include "ways.h"

#include "matrix.h"
#include "small.h"

#include <stdlib.h>
#include <string.h>

#define BOTH_WAYS(codec)                                                                           \
    TEST_POOLED(matrix_p7_##codec), TEST_POOLED(matrix_p_mix2_##codec),                            \
        TEST_POOLED(matrix_p255_##codec), TEST_SEQUENCE(matrix_s7_##codec),                        \
        TEST_SEQUENCE(matrix_s33_##codec), TEST_SEQUENCE(matrix_s128_##codec)
static const test_dist entries[] = {BOTH_WAYS(fp32), BOTH_WAYS(fp16), BOTH_WAYS(bf16),
                                    TEST_POOLED(small_bags), TEST_SEQUENCE(small_words)};
enum { ENTRIES = sizeof entries / sizeof *entries, WORLD = 3 };
static const test_dist bags = TEST_POOLED(small_bags);

/* ---- which codelet is called ---- */

static int called = -1;

#define SPY(name, isa)                                                                             \
    static void name(const struct embdist_work *work)                                              \
    {                                                                                              \
        (void)work;                                                                                \
        called = isa;                                                                              \
    }
SPY(spy_plain, EMBDIST_ISA_PLAIN)
SPY(spy_avx2, EMBDIST_ISA_AVX2)
SPY(spy_avx512, EMBDIST_ISA_AVX512)

/* Opens small_sums with codelets that tell who they are, and makes one call. */
static int codelet_called(const embdist_codelet *versions)
{
    const embdist_codelets spies = {.row_bytes = 16, .unpack_sum_rows = versions};
    embdist_group group = small_sums.group[0];
    embdist_descriptor descriptor = small_sums;
    embdist_dist *dist = NULL;
    const float in[8] = {0};
    float out[8];
    const embdist_call call = {.descriptor = &descriptor,
                               .batch = {.mode = EMBDIST_EVEN, .even = 1},
                               .input = in,
                               .input_count = 8,
                               .output = out,
                               .output_count = 8};
    group.forward_alone = &spies;
    descriptor.group = &group;
    called = -1;
    if (embdist_open(&dist, NULL, &descriptor, NULL) || embdist_start(dist, &call, NULL))
        bail_out("%s", embdist_last_error());
    embdist_close(&dist);
    return called;
}

static void choices(const int *can)
{
    static const embdist_codelet all[ISAS] = {spy_plain, spy_avx2, spy_avx512},
                                 two[ISAS] = {spy_plain, spy_avx2, NULL},
                                 one[ISAS] = {spy_plain, NULL, NULL};
    for (int isa = 0; isa < ISAS; isa++) {
        if (!can[isa]) {
            skip("this CPU has it not", "EMBDIST_ISA=%s calls its codelets", isa_names[isa]);
            continue;
        }
        setenv("EMBDIST_ISA", isa_names[isa], 1);
        ok(codelet_called(all) == isa && codelet_called(two) == (isa ? EMBDIST_ISA_AVX2 : isa) &&
               codelet_called(one) == EMBDIST_ISA_PLAIN,
           "EMBDIST_ISA=%s calls its codelets, or the next narrower that there are",
           isa_names[isa]);
    }
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
    return run_every_way(&shape, can, random);
}

int main(void)
{
    plan(2 * ISAS + 8 + 2);
    random_state random = random_start();
    int can[ISAS] = {0};
    for (int isa = 0; isa < ISAS; isa++) {
        const embdist_status status = try_isa(&bags, isa_names[isa]);
        can[isa] = status == EMBDIST_OK;
        if (status == EMBDIST_UNSUPPORTED)
            skip(embdist_last_error(), "EMBDIST_ISA=%s", isa_names[isa]);
        else
            ok(can[isa], "EMBDIST_ISA=%s opens", isa_names[isa]);
    }
    choices(can);
    for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
            int right = 1;
            for (int i = 0; i < ENTRIES; i++)
                if (!entries[i].even[0].function == (m == EMBDIST_SEQUENCE))
                    right &=
                        compare(&entries[i], (embdist_mode)m, (embdist_direction)d, can, &random);
            ok(right, "%s %s: the same bits with each", mode_text((embdist_mode)m),
               direction_text((embdist_direction)d));
        }
    ok(try_isa(&bags, "sse9") == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(),
                  "embdist_open: EMBDIST_ISA is \"sse9\", expected plain, avx2 or avx512"),
       "another EMBDIST_ISA is an error");
    ok(try_isa(&bags, "") == EMBDIST_OK, "an empty EMBDIST_ISA is none");
    return finish();
}
