/* matrix.c: every dim, batch, world and buffer offset that the tests name, at least once with every
 * kind, mode, codec and direction, in place and staged, against the direct reference; and both ways
 * give the same bits.
 *
 * One TAP line is a kind and mode, a direction and a codec: a row of cases in which dim, world,
 * batch and offset change together. */
#include "cases.h"

#include "codelets.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

#define EACH(X, pooled_or_sequence, codec)                                                         \
    X(matrix_##pooled_or_sequence##1_##codec), X(matrix_##pooled_or_sequence##2_##codec),          \
        X(matrix_##pooled_or_sequence##3_##codec), X(matrix_##pooled_or_sequence##5_##codec),      \
        X(matrix_##pooled_or_sequence##6_##codec), X(matrix_##pooled_or_sequence##7_##codec),      \
        X(matrix_##pooled_or_sequence##17_##codec), X(matrix_##pooled_or_sequence##33_##codec),    \
        X(matrix_##pooled_or_sequence##128_##codec), X(matrix_##pooled_or_sequence##255_##codec),  \
        X(matrix_##pooled_or_sequence##1028_##codec), X(matrix_##pooled_or_sequence##2052_##codec)
#define EACH_POOLED(codec)                                                                         \
    {                                                                                              \
        EACH(TEST_POOLED, p, codec), TEST_POOLED(matrix_p_mix1_##codec),                           \
            TEST_POOLED(matrix_p_mix2_##codec), TEST_POOLED(matrix_p_mix3_##codec),                \
            TEST_POOLED(matrix_p_mix4_##codec)                                                     \
    }

enum { DIMS = 12, MIXES = 4, CODECS = 3, ROW = 16, OPTIONS = 6 };
static const char *const codec_names[CODECS] = {"fp32", "fp16", "bf16"};

/* By the codec of the forward direction. */
static const test_dist pooled[CODECS][DIMS + MIXES] = {EACH_POOLED(fp32), EACH_POOLED(fp16),
                                                       EACH_POOLED(bf16)};
static const test_dist sequences[CODECS][DIMS] = {
    {EACH(TEST_SEQUENCE, s, fp32)}, {EACH(TEST_SEQUENCE, s, fp16)}, {EACH(TEST_SEQUENCE, s, bf16)}};
/* Loss scales and infinities that propagate. */
static const test_dist pooled_options[OPTIONS] = {
    TEST_POOLED(codelets_p5_a), TEST_POOLED(codelets_p17_a), TEST_POOLED(codelets_p128_a),
    TEST_POOLED(codelets_p5_b), TEST_POOLED(codelets_p17_b), TEST_POOLED(codelets_p128_b)};
static const test_dist sequence_options[OPTIONS] = {
    TEST_SEQUENCE(codelets_s5_a), TEST_SEQUENCE(codelets_s17_a), TEST_SEQUENCE(codelets_s128_a),
    TEST_SEQUENCE(codelets_s5_b), TEST_SEQUENCE(codelets_s17_b), TEST_SEQUENCE(codelets_s128_b)};

/* A row's worlds; those that come again do so with another batch. */
static const int64_t worlds[ROW] = {3, 4, 1, 2, 5, 7, 8, 17, 64, 3, 4, 3, 4, 2, 5, 1};

/* The most elements of one rank's input, so that many ranks with wide rows stay small. */
enum { MOST_ELEMENTS = 40000 };

/* The batch of case i of a row: the lists by name where their length is the world, else random. */
static void make_batch(int i, int64_t sample, random_state *random, int64_t *batch)
{
    static const int64_t lists[][4] = {{0, 5, 1},     {18, 19, 18, 18}, {0, 0, 0},
                                       {0, 73, 0, 0}, {6, 0, 2},        {0, 0, 0, 0}};
    static const int list_of[ROW] = {1, 2, 0, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6};
    const int64_t world = worlds[i];
    const int64_t share = MOST_ELEMENTS / (world * sample) + 1;
    for (int64_t r = 0; r < world; r++)
        if (list_of[i])
            batch[r] = lists[list_of[i] - 1][r];
        else if (share == 1)
            batch[r] = random_below(random, 4) == 0;
        else
            batch[r] = random_below(random, share < 6 ? share : 6);
}

static int64_t sample_of(const test_dist *entry)
{
    int64_t sample = 0;
    for (int64_t g = 0; g < entry->descriptor->groups; g++)
        sample += entry->descriptor->group[g].dim * entry->descriptor->group[g].features;
    return sample;
}

/* Runs both ways and compares them, also in what the reference leaves open: NaNs and zeros. */
static int run_both_ways(const case_shape *shape, random_state *random)
{
    test_case *made = case_new(shape, random);
    embdist_comm **comms = new_comms(shape->world);
    float **first = take(shape->world, sizeof *first);
    int right = cases_run(&made, 1, comms, EMBDIST_WAY_IN_PLACE);
    for (int64_t r = 0; r < shape->world; r++) {
        first[r] = take(made->out[r].count, sizeof **first);
        memcpy(first[r], made->out[r].data, (size_t)made->out[r].count * sizeof **first);
    }
    right &= cases_run(&made, 1, comms, EMBDIST_WAY_STAGED);
    for (int64_t r = 0; r < shape->world; r++) {
        const size_t bytes = (size_t)made->out[r].count * sizeof **first;
        if (right && bytes && memcmp(first[r], made->out[r].data, bytes) != 0) {
            diag("%s, world %lld, rank %lld: in place and staged differ", shape->entry->name,
                 (long long)shape->world, (long long)r);
            right = 0;
        }
        free(first[r]);
    }
    free(first);
    free_comms(shape->world, comms);
    case_free(made);
    return right;
}

/* Case i of row `row`: what changes inside a row. */
static int run_case(int row, int i, const test_dist *entry, embdist_mode mode,
                    embdist_direction direction, random_state *random)
{
    enum { LINE = 64 };
    const int64_t element = (int64_t)sizeof(float);
    int64_t batch[64];
    make_batch(i, sample_of(entry), random, batch);
    const case_shape shape = {
        .entry = entry,
        .world = worlds[i],
        .mode = mode,
        .direction = direction,
        .batch = batch,
        .empty_feature = i % 4 == 1 ? 1 + i % entry->descriptor->features : 0,
        .lengths = (i + row) % 2,
        .permute = (permute_style)((i + row) % PERMUTE_STYLES),
        .in_offset = i * element % LINE,
        .out_offset = (i * 5 + row) * element % LINE,
        .values = i % 3 ? RANDOM_WILD : RANDOM_TAME,
    };
    return run_both_ways(&shape, random);
}

/* A row with the dists of `count` entries in turn; rows begin at different ones. */
static void run_row(int row, const test_dist *entries, int count, embdist_mode mode,
                    embdist_direction direction, const char *codec, random_state *random)
{
    int right = 1, cases = 0;
    for (int i = 0; i < ROW; i++) {
        if (is_small() && (worlds[i] > 8 || (i + row) % 4))
            continue;
        right &= run_case(row, i, &entries[(i * 5 + row) % count], mode, direction, random);
        cases++;
    }
    ok(right, "%s %s %s: %d cases, in place and staged", mode_text(mode), direction_text(direction),
       codec, cases);
}

/* The entry whose codec in a direction is `codec`; see the spec for the backward ones. */
static int forward_codec(int codec, embdist_direction direction)
{
    static const int whose_backward[CODECS] = {2, 0, 1};
    return direction == EMBDIST_FORWARD ? codec : whose_backward[codec];
}

int main(void)
{
    plan(4 * 2 * (CODECS + 1));
    random_state random = random_start();
    int row = 0;
    for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++) {
            const int sequence = m == EMBDIST_SEQUENCE;
            const embdist_mode mode = (embdist_mode)m;
            const embdist_direction direction = (embdist_direction)d;
            for (int c = 0; c < CODECS; c++) {
                const int by = forward_codec(c, direction);
                run_row(row++, sequence ? sequences[by] : pooled[by],
                        sequence ? DIMS : DIMS + MIXES, mode, direction, codec_names[c], &random);
            }
            run_row(row++, sequence ? sequence_options : pooled_options, OPTIONS, mode, direction,
                    "with options", &random);
        }
    return finish();
}
