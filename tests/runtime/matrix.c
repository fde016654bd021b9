/* matrix.c: every dim, batch, world and buffer offset that the tests name, at least once with every
 * kind, mode, codec and direction, in place and staged, against the direct reference; and both ways
 * give the same bits.
 *
 * One TAP line is a kind and mode, a direction and a codec: a row of cases in which dim, world,
 * batch and offset change together. */
#include "ways.h"

#include "codelets.h"
#include "matrix.h"

#define EACH(X, letter, codec)                                                                     \
    X(matrix_##letter##1_##codec), X(matrix_##letter##2_##codec), X(matrix_##letter##3_##codec),   \
        X(matrix_##letter##5_##codec), X(matrix_##letter##6_##codec),                              \
        X(matrix_##letter##7_##codec), X(matrix_##letter##17_##codec),                             \
        X(matrix_##letter##33_##codec), X(matrix_##letter##128_##codec),                           \
        X(matrix_##letter##255_##codec), X(matrix_##letter##1028_##codec),                         \
        X(matrix_##letter##2052_##codec)
#define EACH_MIX(X, letter, codec)                                                                 \
    X(matrix_##letter##_mix1_##codec), X(matrix_##letter##_mix2_##codec),                          \
        X(matrix_##letter##_mix3_##codec), X(matrix_##letter##_mix4_##codec)
#define EACH_POOLED(letter, codec)                                                                 \
    {                                                                                              \
        EACH(TEST_POOLED, letter, codec), EACH_MIX(TEST_POOLED, letter, codec)                     \
    }
#define EACH_SEQUENCE(letter, codec)                                                               \
    {                                                                                              \
        EACH(TEST_SEQUENCE, letter, codec)                                                         \
    }
#define EACH_OPTION(X, letter)                                                                     \
    {                                                                                              \
        X(codelets_##letter##5_a), X(codelets_##letter##17_a), X(codelets_##letter##128_a),        \
            X(codelets_##letter##5_b), X(codelets_##letter##17_b), X(codelets_##letter##128_b)     \
    }

enum { KINDS = 5, DIMS = 12, MIXES = 4, CODECS = 3, ROW = 16, OPTIONS = 6 };
static const char *const codec_names[CODECS] = {"fp32", "fp16", "bf16"};

/* The dists of a kind: of each dim, by the codec of the forward direction; and with loss scales and
 * infinities that propagate. */
typedef struct kind_dists {
    const char *name;
    int count; /* DIMS, or with mixes of dims DIMS + MIXES */
    test_dist plain[CODECS][DIMS + MIXES];
    test_dist options[OPTIONS];
} kind_dists;

#define POOLED_KIND(name, letter)                                                                  \
    {                                                                                              \
        name, DIMS + MIXES,                                                                        \
            {EACH_POOLED(letter, fp32), EACH_POOLED(letter, fp16), EACH_POOLED(letter, bf16)},     \
            EACH_OPTION(TEST_POOLED, letter)                                                       \
    }
#define SEQUENCE_KIND(name, letter)                                                                \
    {                                                                                              \
        name, DIMS,                                                                                \
            {EACH_SEQUENCE(letter, fp32), EACH_SEQUENCE(letter, fp16),                             \
             EACH_SEQUENCE(letter, bf16)},                                                         \
            EACH_OPTION(TEST_SEQUENCE, letter)                                                     \
    }
static const kind_dists kinds[KINDS] = {
    POOLED_KIND("rw_pooled", p), SEQUENCE_KIND("rw_sequence", s), POOLED_KIND("tw_pooled", t),
    SEQUENCE_KIND("tw_sequence", w), POOLED_KIND("all_gather", g)};

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
static void run_row(int row, const kind_dists *kind, const test_dist *entries, int count,
                    embdist_mode mode, embdist_direction direction, const char *codec,
                    random_state *random)
{
    int right = 1, cases = 0;
    for (int i = 0; i < ROW; i++) {
        if (is_small() && (worlds[i] > 8 || (i + row) % 4))
            continue;
        right &= run_case(row, i, &entries[(i * 5 + row) % count], mode, direction, random);
        cases++;
    }
    ok(right, "%s %s %s %s: %d cases, in place and staged", kind->name, mode_text(mode),
       direction_text(direction), codec, cases);
}

/* The entry whose codec in a direction is `codec`; see the spec for the backward ones. */
static int forward_codec(int codec, embdist_direction direction)
{
    static const int whose_backward[CODECS] = {2, 0, 1};
    return direction == EMBDIST_FORWARD ? codec : whose_backward[codec];
}

static void run_rows(int *row, const kind_dists *kind, embdist_mode mode,
                     embdist_direction direction, random_state *random)
{
    for (int c = 0; c < CODECS; c++)
        run_row((*row)++, kind, kind->plain[forward_codec(c, direction)], kind->count, mode,
                direction, codec_names[c], random);
    run_row((*row)++, kind, kind->options, OPTIONS, mode, direction, "with options", random);
}

static int has_mode(const kind_dists *kind, embdist_mode mode)
{
    return (kind->options[0].descriptor->modes & EMBDIST_MODE_BIT(mode)) != 0;
}

int main(void)
{
    enum { MODES = 3 * 3 + 2 }; /* of all kinds */
    plan(MODES * 2 * (CODECS + 1));
    random_state random = random_start();
    int row = 0;
    for (int k = 0; k < KINDS; k++)
        for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
            for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
                if (has_mode(&kinds[k], (embdist_mode)m))
                    run_rows(&row, &kinds[k], (embdist_mode)m, (embdist_direction)d, &random);
    return finish();
}
