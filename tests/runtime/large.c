/* large.c: results larger than the caches, which are written past them; and more than 2^31 elements
 * in one call, which need little memory here: the buffers are one small piece of memory seen many
 * times, but for their first and last pieces. */
#define _GNU_SOURCE /* memfd_create */
#include "cases.h"

#include "matrix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- past the caches ------------------------------------------------------------------------ */

static const test_dist bags[] = {TEST_POOLED(matrix_p128_fp16), TEST_POOLED(matrix_p_mix4_bf16),
                                 TEST_POOLED(matrix_p1028_fp32)};
static const test_dist words[] = {TEST_SEQUENCE(matrix_s128_bf16), TEST_SEQUENCE(matrix_s33_fp16),
                                  TEST_SEQUENCE(matrix_s1028_fp32)};

/* What a rank's result holds at least: 16 MiB, eight times a large second-level cache. */
enum { ELEMENTS = 4 << 20 };

static void past_caches(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                        int i, random_state *random)
{
    enum { WORLD = 2 };
    const embdist_group *group = entry->descriptor->group;
    const int sequence = mode == EMBDIST_SEQUENCE;
    int64_t sample = 0, batch[WORLD];
    for (int64_t g = 0; g < entry->descriptor->groups; g++)
        sample += group[g].dim * group[g].features;
    /* A length is 1.5 rows on average, from each of two ranks. */
    const int64_t whole = is_small() ? 1 << 14 : ELEMENTS;
    batch[0] = batch[1] = whole / sample / (sequence ? 3 : direction == EMBDIST_BACKWARD ? 2 : 1);
    batch[1] += mode != EMBDIST_EVEN;
    const case_shape shape = {.entry = entry,
                              .world = WORLD,
                              .mode = mode,
                              .direction = direction,
                              .batch = batch,
                              .permute = (permute_style)(i % PERMUTE_STYLES),
                              .in_offset = i % 2 * 4,
                              .out_offset = i % 3 * 12,
                              .values = RANDOM_WILD};
    test_case *made = case_new(&shape, random);
    embdist_comm **comms = new_comms(WORLD);
    int right = cases_run(&made, 1, comms, EMBDIST_WAY_IN_PLACE);
    right &= cases_run(&made, 1, comms, EMBDIST_WAY_STAGED);
    ok(right, "%s %s %s: %" PRId64 " MiB a rank", entry->name, mode_text(mode),
       direction_text(direction), made->out[0].count * (int64_t)sizeof(float) >> 20);
    free_comms(WORLD, comms);
    case_free(made);
}

/* ---- past 2^31 elements --------------------------------------------------------------------- */

enum { DIM = 128, PIECE = 16 << 20, PIECE_ROWS = PIECE / (DIM * 4) };
static const int64_t rows_of_all = (INT64_C(1) << 24) + 1; /* 2^31 + 128 elements */
static const int64_t pieces = 514;                         /* 512 and a row, one to spare */

static int memory_file(void)
{
#if defined(__linux__)
    return memfd_create("embdist", 0);
#else
    return -1;
#endif
}

/* A mapping of `pieces` pieces, of which all but the first and the last two are the same memory. */
static float *map_repeated(void)
{
    const int file = memory_file();
    if (file < 0 || ftruncate(file, (off_t)4 * PIECE))
        return NULL;
    char *all = mmap(NULL, (size_t)pieces * PIECE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int64_t i = 0; i < pieces && all != MAP_FAILED; i++) {
        const int64_t part = i == 0 ? 0 : i < pieces - 2 ? 1 : i - (pieces - 4);
        if (mmap(all + i * PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                 (off_t)part * PIECE) == MAP_FAILED)
            all = MAP_FAILED;
    }
    close(file);
    return all == MAP_FAILED ? NULL : (float *)(void *)all;
}

/* A row's first value; all values are exact in every codec. */
static float value_of(int64_t row)
{
    if (row >= PIECE_ROWS && row < (pieces - 2) * PIECE_ROWS)
        return (float)(row % PIECE_ROWS % 31);
    return row < PIECE_ROWS ? (float)(100 + row % 37) : (float)(-1 - row % 41);
}

static void fill(float *rows)
{
    for (int64_t row = 0; row < rows_of_all; row++) {
        if (row == 2 * PIECE_ROWS)
            row = (pieces - 2) * PIECE_ROWS; /* the same memory again, until there */
        for (int64_t d = 0; d < DIM; d++)
            rows[row * DIM + d] = value_of(row) + (d == DIM - 1 ? 1 : 0);
    }
}

static int is_filled(const float *rows)
{
    const int64_t looked_at[] = {0,
                                 1,
                                 PIECE_ROWS - 1,
                                 PIECE_ROWS,
                                 rows_of_all / 2,
                                 (INT64_C(1) << 23) - 1,
                                 (INT64_C(1) << 23),
                                 rows_of_all - 2,
                                 rows_of_all - 1};
    for (size_t i = 0; i < sizeof looked_at / sizeof *looked_at; i++) {
        const int64_t row = looked_at[i];
        if (rows[row * DIM] != value_of(row) || rows[row * DIM + DIM - 1] != value_of(row) + 1) {
            diag("row %" PRId64 " is %g ... %g, expected %g", row, (double)rows[row * DIM],
                 (double)rows[row * DIM + DIM - 1], (double)value_of(row));
            return 0;
        }
    }
    return rows[rows_of_all * DIM] == 0; /* and not a row more */
}

typedef struct huge {
    embdist_comm **comms; /* NULL: without */
    embdist_direction direction;
    int64_t *permute;
    float *in, *out;
    char why[2][512];
} huge;

/* Two features: 2^24 rows and one. With two ranks, rank 0 holds the rows that belong to rank 1. */
static void call_huge(int64_t rank, void *context)
{
    huge *run = context;
    embdist_dist *dist = NULL;
    const int64_t zero[4] = {0}, alone[2] = {rows_of_all - 1, 1}, all[2] = {0, rows_of_all};
    const int64_t of_two[4] = {0, rows_of_all - 1, 0, 1}, from[2] = {rows_of_all, 0};
    embdist_sequence_batch batch = {.size = sizeof batch, .permute = run->permute};
    int holds = 1, needs = 1;
    if (!run->comms) {
        batch.send_rows = batch.recv_rows = &rows_of_all;
        batch.rows = alone;
    } else {
        holds = rank == 0;
        needs = rank == 1;
        batch.send_rows = holds ? all : zero;
        batch.recv_rows = needs ? from : zero;
        batch.rows = holds ? of_two : zero;
    }
    batch.output_rows = needs ? rows_of_all : 0;
    const int64_t count = rows_of_all * DIM;
    embdist_status status =
        embdist_open(&dist, run->comms ? run->comms[rank] : NULL, &matrix_s128_bf16, NULL);
    if (!status && run->direction == EMBDIST_FORWARD)
        status = matrix_s128_bf16_forward(dist, holds ? run->in : NULL, holds * count, &batch,
                                          needs ? run->out : NULL, needs * count, NULL, NULL);
    else if (!status)
        status = matrix_s128_bf16_backward(dist, needs ? run->in : NULL, needs * count, &batch,
                                           holds ? run->out : NULL, holds * count, NULL, NULL);
    if (status)
        snprintf(run->why[rank], sizeof run->why[rank], "%s", embdist_last_error());
    embdist_close(&dist);
}

static void past_int32(int64_t world, embdist_direction direction, int permuted)
{
    char name[128];
    snprintf(name, sizeof name, "%s of 2^31 + 128 elements, world %d%s", direction_text(direction),
             (int)world, permuted ? ", permuted" : "");
    /* The thread sanitizer keeps several bytes for each byte of addresses. */
    const int skipped = is_small() || TEST_THREAD_SANITIZER;
    huge run = {.direction = direction, .in = skipped ? NULL : map_repeated()};
    run.out = run.in ? map_repeated() : NULL;
    if (!run.out) {
        skip(skipped ? "too much for EMBDIST_TEST_SMALL or the thread sanitizer"
                     : "no such mapping here",
             "%s", name);
        return;
    }
    fill(run.in);
    if (permuted)
        run.permute = take(rows_of_all, sizeof *run.permute);
    for (int64_t i = 0; i < rows_of_all && permuted; i++)
        run.permute[i] = i;
    run.comms = world > 1 ? new_comms(world) : NULL;
    run_ranks(world, call_huge, &run);
    for (int r = 0; r < 2; r++)
        if (*run.why[r])
            diag("rank %d: %s", r, run.why[r]);
    ok(!*run.why[0] && !*run.why[1] && is_filled(run.out), "%s", name);
    if (run.comms)
        free_comms(world, run.comms);
    free(run.permute);
    munmap(run.in, (size_t)pieces * PIECE);
    munmap(run.out, (size_t)pieces * PIECE);
}

int main(void)
{
    plan(3 * 2 * 2 + 2);
    random_state random = random_start();
    int i = 1;
    for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
        for (int entry = 0; entry < 3; entry++, i++) {
            const embdist_direction direction = (embdist_direction)d;
            past_caches(&bags[entry], (embdist_mode)entry, direction, i, &random);
            past_caches(&words[entry], EMBDIST_SEQUENCE, direction, i, &random);
        }
    past_int32(1, EMBDIST_BACKWARD, 1);
    past_int32(2, EMBDIST_FORWARD, 1);
    return finish();
}
