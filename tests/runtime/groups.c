/* groups.c: codecs of groups, rows of 16 bits and stochastic rounding, with a seed of its own on each
 * rank: every codec with every kind, mode and direction, in place and staged, with each instruction
 * set, against the direct reference; and alone, where all are the identity.
 *
 * One TAP line is a kind and mode, a direction and a pair of dists of tests/specs/groups.lua. */
#define _POSIX_C_SOURCE 200809L
#include "ways.h"

#include "groups.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, PAIRS = 6, WORLDS = 4 };

#define PAIR(X, letter, pair)                                                                      \
    {                                                                                              \
        X(groups_##letter##_##pair##1), X(groups_##letter##_##pair##2)                             \
    }
#define KIND(X, letter)                                                                            \
    {                                                                                              \
        PAIR(X, letter, a), PAIR(X, letter, b), PAIR(X, letter, c), PAIR(X, letter, d),            \
            PAIR(X, letter, e), PAIR(X, letter, f)                                                 \
    }
static const test_dist dists[KINDS][PAIRS][2] = {KIND(TEST_POOLED, p), KIND(TEST_SEQUENCE, s),
                                                 KIND(TEST_POOLED, t), KIND(TEST_SEQUENCE, w),
                                                 KIND(TEST_POOLED, g)};

static int can[ISAS];

/* Case i of a dist: each world twice, with other batches, offsets and values. */
static int run_case(const test_dist *entry, embdist_mode mode, embdist_direction direction, int i,
                    random_state *random)
{
    enum { LINE = 64 };
    static const int64_t worlds[] = {3, 2, 5, 1}, batches[] = {0, 5, 1, 2, 7, 3, 0, 4, 0, 1};
    const int64_t element = entry->descriptor->element_bytes;
    const case_shape shape = {.entry = entry,
                              .world = worlds[i % WORLDS],
                              .mode = mode,
                              .direction = direction,
                              .batch = batches + (i + 1) % 3,
                              .lengths = i / 2 % 2,
                              .permute = (permute_style)(i % PERMUTE_STYLES),
                              .in_offset = i * 3 * element % LINE,
                              .out_offset = i * 7 * element % LINE,
                              .values = i % 3 ? RANDOM_WILD : RANDOM_TAME};
    return run_every_way(&shape, can, random);
}

static void run_pair(const test_dist *pair, embdist_mode mode, embdist_direction direction,
                     random_state *random)
{
    const embdist_descriptor *descriptor = pair->descriptor;
    const int cases = is_small() ? WORLDS - 1 : 2 * PERMUTE_STYLES;
    int right = 1;
    for (int i = 0; i < cases; i++)
        right &= run_case(&pair[0], mode, direction, i, random) &&
                 run_case(&pair[1], mode, direction, i + 1, random);
    ok(right, "%s %s %s: %s and %s, rows of %s", descriptor->kind, mode_text(mode),
       direction_text(direction), field_of(descriptor, "forward"), field_of(descriptor, "backward"),
       field_of(descriptor, "dtype"));
}

static int has_mode(const test_dist *entry, embdist_mode mode)
{
    return (entry->descriptor->modes & EMBDIST_MODE_BIT(mode)) != 0;
}

/* One rank without a comm: what arrives is what was sent. */
static int run_alone(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                     random_state *random)
{
    const int64_t batch = 5;
    const case_shape shape = {.entry = entry,
                              .world = 1,
                              .mode = mode,
                              .direction = direction,
                              .batch = &batch,
                              .values = RANDOM_WILD};
    test_case *made = case_new(&shape, random);
    const int right = cases_run(&made, 1, NULL, EMBDIST_WAY_IN_PLACE) &&
                      cases_run(&made, 1, NULL, EMBDIST_WAY_STAGED);
    case_free(made);
    return right;
}

static int alone(const test_dist *entry, random_state *random)
{
    int right = 1;
    for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
            if (has_mode(entry, (embdist_mode)m))
                right &= run_alone(entry, (embdist_mode)m, (embdist_direction)d, random);
    return right;
}

static void all_alone(random_state *random)
{
    static const test_dist finite[] = {TEST_POOLED(groups_finite_bags),
                                       TEST_POOLED(groups_finite_tables),
                                       TEST_SEQUENCE(groups_finite_words)};
    int refusing = 1;
    for (int k = 0; k < KINDS; k++) {
        int right = 1;
        for (int p = 0; p < PAIRS; p++)
            right &= alone(&dists[k][p][0], random) && alone(&dists[k][p][1], random);
        ok(right, "%s without a comm: the identity", dists[k][0][0].descriptor->kind);
    }
    for (size_t i = 0; i < sizeof finite / sizeof *finite; i++)
        refusing &= alone(&finite[i], random);
    ok(refusing, "nonfinite = \"fail\" without a comm: nothing is refused");
}

/* ---- inputs side by side -------------------------------------------------------------------- */

enum { ROWS = 6, DIM = 7, HELD = 3 * ROWS * DIM };

typedef struct neighbours {
    embdist_comm **comms;
    float *in[2];
    float out[HELD];
    int wrong[2];
} neighbours;

/* All rows go to rank 0; rank 1 has two of the three features. */
static void run_neighbour(int64_t rank, void *context)
{
    static const int64_t owners[] = {0, 1, 1}, rows[] = {ROWS, 0, ROWS, 0};
    neighbours *all = context;
    const int64_t sent[2] = {rank ? 2 * ROWS : ROWS, 0};
    const int64_t received[2] = {rank ? 0 : ROWS, rank ? 0 : 2 * ROWS};
    const embdist_options options = {
        .size = sizeof options, .way = EMBDIST_WAY_IN_PLACE, .owners = owners};
    const embdist_sequence_batch batch = {
        .size = sizeof batch, .send_rows = sent, .recv_rows = received, .rows = rows};
    embdist_dist *dist = NULL;
    all->wrong[rank] =
        embdist_open(&dist, all->comms[rank], &groups_w_b1, &options) ||
        groups_w_b1_forward(dist, all->in[rank], sent[0] * DIM, &batch, 5 + (uint64_t)rank,
                            all->out, rank ? 0 : HELD, NULL, NULL);
    if (all->wrong[rank])
        diag("%s", embdist_last_error());
    embdist_close(&dist);
}

/* Rows that adjoin in memory, there and here, but are two ranks', have two ranks' random numbers. */
static void side_by_side(random_state *random)
{
    float in[HELD], apart[HELD];
    neighbours all = {.comms = new_comms(2), .in = {in, in + ROWS * DIM}};
    random_fill(random, RANDOM_TAME, in, HELD);
    run_ranks(2, run_neighbour, &all);
    memcpy(apart, all.out, sizeof apart);
    all.in[1] = take(2 * ROWS * DIM, sizeof *in);
    memcpy(all.in[1], in + ROWS * DIM, 2 * ROWS * DIM * sizeof *in);
    run_ranks(2, run_neighbour, &all);
    ok(!all.wrong[0] && !all.wrong[1] && !memcmp(apart, all.out, sizeof apart),
       "the inputs of two ranks side by side");
    free(all.in[1]);
    free_comms(2, all.comms);
}

int main(void)
{
    enum { MODES = 3 * 3 + 2 }; /* of all kinds */
    plan(MODES * 2 * PAIRS + KINDS + 2);
    random_state random = random_start();
    for (int isa = 0; isa < ISAS; isa++)
        can[isa] = try_isa(&dists[0][0][0], isa_names[isa]) == EMBDIST_OK;
    for (int k = 0; k < KINDS; k++)
        for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
            for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
                for (int p = 0; p < PAIRS; p++)
                    if (has_mode(&dists[k][p][0], (embdist_mode)m))
                        run_pair(dists[k][p], (embdist_mode)m, (embdist_direction)d, &random);
    unsetenv("EMBDIST_ISA");
    all_alone(&random);
    side_by_side(&random);
    return finish();
}
