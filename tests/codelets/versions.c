/* versions.c: every codelet's AVX2 and AVX-512 version gives the bits of its plain version, at
 * every alignment, streamed and not, and reads and writes nothing that it should not.
 *
 * Compiled with the generated headers and libraries of tests/specs/matrix.lua and
 * tests/specs/codelets.lua, with -I of runtime/, and linked with the runtime. */
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <embdist_descriptor.h>
#include <inline/common.h>

#include "codelets.h"
#include "matrix.h"
#include "tap.h"

#define EACH_DIM(X, codec)                                                                         \
    X(1_##codec), X(2_##codec), X(3_##codec), X(5_##codec), X(6_##codec), X(7_##codec),            \
        X(17_##codec), X(33_##codec), X(128_##codec), X(255_##codec), X(1028_##codec),             \
        X(2052_##codec)
#define MATRIX(dist) &matrix_p##dist, &matrix_s##dist
#define OPTIONS(dist) &codelets_p##dist, &codelets_s##dist
static const embdist_descriptor *const DISTS[] = {
    EACH_DIM(MATRIX, fp32), EACH_DIM(MATRIX, fp16), EACH_DIM(MATRIX, bf16),
    OPTIONS(5_a),           OPTIONS(5_b),           OPTIONS(17_a),
    OPTIONS(17_b),          OPTIONS(128_a),         OPTIONS(128_b),
};
enum { DIST_COUNT = sizeof DISTS / sizeof DISTS[0] };

/* ---- the codelets under test */

enum op { PACK_RUNS, PACK_TRANSPOSED, UNPACK_RUNS, UNPACK_GATHER, UNPACK_SUM, UNPACK_TRANSPOSED };

struct codelet {
    const char *name;
    const embdist_codelet *versions;
    enum op op;
    char format; /* of the wire: f: fp32, h: fp16, b: bf16 */
    int64_t dim;
    int64_t index_bytes;
    int64_t source_bytes; /* of a row */
    int64_t source_element;
    int64_t target_bytes;
    int64_t target_element;
};

enum { CODELETS_MAX = 2048 };
static struct codelet codelets[CODELETS_MAX];
static int codelet_count;

static void add(const char *name, const embdist_codelet *versions, enum op op, int wire_source,
                char format, int64_t dim, int64_t index_bytes)
{
    const int64_t wire_element = format == 'f' ? 4 : 2;
    const int64_t source_element = wire_source ? wire_element : 4;
    const int64_t target_element = op == PACK_RUNS || op == PACK_TRANSPOSED ? wire_element : 4;
    for (int i = 0; i < codelet_count; ++i) {
        if (versions == codelets[i].versions) {
            return;
        }
    }
    if (!versions || codelet_count == CODELETS_MAX) {
        return;
    }
    codelets[codelet_count++] = (struct codelet){name,
                                                 versions,
                                                 op,
                                                 format,
                                                 dim,
                                                 index_bytes,
                                                 dim * source_element,
                                                 source_element,
                                                 dim * target_element,
                                                 target_element};
}

static void add_set(const embdist_codelets *set, char format, int64_t dim, int64_t index_bytes)
{
    add("pack_runs", set->pack_runs, PACK_RUNS, 0, format, dim, 0);
    add("pack_transposed", set->pack_transposed, PACK_TRANSPOSED, 0, format, dim, 0);
    add("unpack_runs_wire", set->unpack_runs_wire, UNPACK_RUNS, 1, format, dim, 0);
    add("unpack_runs_rows", set->unpack_runs_rows, UNPACK_RUNS, 0, format, dim, 0);
    add("unpack_gather_wire", set->unpack_gather_wire, UNPACK_GATHER, 1, format, dim, index_bytes);
    add("unpack_gather_rows", set->unpack_gather_rows, UNPACK_GATHER, 0, format, dim, index_bytes);
    add("unpack_sum_wire", set->unpack_sum_wire, UNPACK_SUM, 1, format, dim, 0);
    add("unpack_sum_rows", set->unpack_sum_rows, UNPACK_SUM, 0, format, dim, 0);
    add("unpack_transposed_rows", set->unpack_transposed_rows, UNPACK_TRANSPOSED, 0, format, dim,
        0);
}

/* The wire format of a direction, by its line in the description that ranks compare. */
static char format_of(const embdist_descriptor *dist, const char *direction)
{
    for (int64_t i = 0; i < dist->field_count; ++i) {
        if (strcmp(dist->fields[i].name, direction) == 0) {
            const char *codec = dist->fields[i].value;
            return strcmp(codec, "fp32") == 0 ? 'f' : strcmp(codec, "fp16") == 0 ? 'h' : 'b';
        }
    }
    return '?';
}

/* ---- memory between pages that cannot be touched */

enum { GUARDED = 1 << 20, SLACK = 64 };
struct memory {
    char *begin;
    char *end; /* a byte further and the program crashes */
};
static struct memory source_memory, target_memory, expected_memory;

static struct memory guarded(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *all =
        (char *)mmap(NULL, GUARDED + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED || mprotect(all + page, GUARDED, PROT_READ | PROT_WRITE) != 0) {
        printf("Bail out! no memory between guard pages\n");
        exit(1);
    }
    return (struct memory){all + page, all + page + GUARDED};
}

/* ---- one case: the work of a call */

static uint64_t random_state = 1;

static int64_t pick(int64_t below)
{
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (int64_t)((random_state >> 33) % (uint64_t)below);
}

enum { ROWS_MAX = 41, NAMED_MAX = 4 * ROWS_MAX, RANKS_MAX = 17 };
struct plan {
    embdist_work work;
    const void *sources[NAMED_MAX];
    int64_t starts[ROWS_MAX + 1];
    int64_t index64[ROWS_MAX];
    int32_t index32[ROWS_MAX];
    int64_t slide; /* of the target: bytes between its end and the guard page */
};

/* Random bits, with special values strewn in. */
static void fill_sources(void)
{
    static const uint32_t SPECIAL[] = {
        0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f800000,
        0xff800000, 0x7fc00000, 0xffc00001, 0x7f7fffff, 0xff7fffff, 0x477fe000, 0x477fefff,
        0x477ff000, 0xc77ff000, 0x7149f2ca, 0x33000000, 0x33000001, 0x387fffff, 0x38800000,
        0x3f801000, 0x3f803000, 0x3f808000, 0x3f818000, 0x7f800001, 0x7fffffff, 0xffffffff,
        0x7f7f8000, 0x7f7f7fff, 0x3f800000};
    for (char *at = source_memory.begin; at < source_memory.end; at += 4) {
        uint32_t bits = (uint32_t)pick(1LL << 31) * 2 + (uint32_t)pick(2);
        const int64_t kind = pick(8);
        if (kind == 0) {
            bits = SPECIAL[pick(sizeof SPECIAL / sizeof SPECIAL[0])];
        } else if (kind < 6) { /* a number of common size: sums that round, codes that differ */
            const float value = (float)(pick(2000001) - 1000000) * 0x1p-13F;
            memcpy(&bits, &value, sizeof bits);
        }
        memcpy(at, &bits, sizeof bits);
    }
}

/* A random place for `bytes` bytes; one in eight ends where the memory does. */
static const char *place_source(int64_t bytes, int64_t element)
{
    const int64_t room = (source_memory.end - source_memory.begin) - bytes;
    const int64_t step = element == 2 ? 1 : 4; /* wire rows may lie askew */
    const int64_t back = pick(8) == 0 ? 0 : pick(room / step + 1) * step;
    return source_memory.end - bytes - back;
}

static void make_plan(struct plan *plan, const struct codelet *codelet, int64_t number)
{
    static const int64_t ROWS[] = {0, 1, 2, 5, ROWS_MAX};
    static const int64_t BLOCKS[] = {1, 0, 3};
    static const float DIVISORS[] = {1, 2, 3, 4, 5, 7, 8};
    const int64_t step = codelet->target_element == 2 ? 1 : 4;
    const int64_t slides = SLACK / step + 1;
    embdist_work *work = &plan->work;
    memset(work, 0, sizeof *work);
    plan->slide = number % slides * step;
    work->stream = (int)(number / slides % 2);
    work->rows = ROWS[number / slides / 2 % 5];
    if (codelet->dim > 500 && work->rows > 5) {
        work->rows = 11;
    }
    work->blocks = 1;
    work->divisor = 1.0F;
    work->ranks = 1;
    if (codelet->op == UNPACK_RUNS || codelet->op == UNPACK_SUM ||
        codelet->op == UNPACK_TRANSPOSED) {
        work->divisor = DIVISORS[number % 7];
    }
    if (codelet->op == PACK_RUNS || codelet->op == UNPACK_RUNS || codelet->op == UNPACK_SUM) {
        const int64_t source_step = codelet->source_element == 2 ? 1 : 4;
        work->blocks = BLOCKS[number % 3];
        work->source_step = work->rows * codelet->source_bytes + pick(8) * source_step;
        work->target_step = work->rows * codelet->target_bytes + pick(8) * step;
        if (codelet->op == UNPACK_SUM) {
            work->ranks = 1 + number / 3 % RANKS_MAX;
        }
        const int64_t bytes = work->blocks == 0 ? 0
                                                : (work->blocks - 1) * work->source_step +
                                                      work->rows * codelet->source_bytes;
        for (int64_t rank = 0; rank < work->ranks; ++rank) {
            plan->sources[rank] = place_source(bytes, codelet->source_element);
        }
        work->source = plan->sources[0];
        work->sources = plan->sources;
        return;
    }
    for (int64_t i = 0; i < NAMED_MAX; ++i) {
        plan->sources[i] = place_source(codelet->source_bytes, codelet->source_element);
    }
    work->sources = plan->sources;
    if (codelet->op == UNPACK_GATHER) {
        for (int64_t i = 0; i < work->rows; ++i) {
            plan->index64[i] = pick(ROWS_MAX);
            plan->index32[i] = (int32_t)plan->index64[i];
        }
        work->index = codelet->index_bytes == 4 ? (void *)plan->index32 : (void *)plan->index64;
    } else if (number % 2 == 0) { /* none to four rows each */
        plan->starts[0] = 0;
        for (int64_t i = 0; i < work->rows; ++i) {
            plan->starts[i + 1] = plan->starts[i] + (pick(3) == 0 ? 1 : pick(5));
        }
        work->starts = plan->starts;
    }
}

/* ---- running and comparing */

static char canary(int64_t at)
{
    return (char)(0x5a ^ (at * 29));
}

static int64_t target_size(const struct plan *plan, const struct codelet *codelet)
{
    const embdist_work *work = &plan->work;
    return work->blocks == 0
               ? 0
               : (work->blocks - 1) * work->target_step + work->rows * codelet->target_bytes;
}

/* Runs a version on a target that ends `slide` bytes before the guard page, canaries around it. */
static char *run(struct plan *plan, const struct codelet *codelet, int version,
                 struct memory memory)
{
    const int64_t size = target_size(plan, codelet);
    char *target = memory.end - plan->slide - size;
    char *around = target - SLACK;
    for (int64_t i = 0; i < memory.end - around; ++i) {
        around[i] = canary(i);
    }
    plan->work.target = target;
    codelet->versions[version](&plan->work);
    return target;
}

static int is_nan(char format, uint32_t bits)
{
    const uint32_t infinity = format == 'f' ? 0x7f800000U : format == 'h' ? 0x7c00U : 0x7f80U;
    return (bits & (format == 'f' ? 0x7fffffffU : 0x7fffU)) > infinity;
}

static int complain(const struct plan *plan, const char *what, int64_t block, int64_t at)
{
    const embdist_work *work = &plan->work;
    printf("# %s at block %lld, byte %lld: %lld blocks of %lld rows, %lld ranks, divisor %g, "
           "stream %d, starts %s, target %lld bytes before the end\n",
           what, (long long)block, (long long)at, (long long)work->blocks, (long long)work->rows,
           (long long)work->ranks, (double)work->divisor, work->stream,
           work->starts ? "given" : "NULL", (long long)plan->slide);
    return 0;
}

/* Whether all bytes about and between the blocks still have their canaries. */
static int is_untouched(const struct plan *plan, const struct codelet *codelet, const char *target,
                        const char *end)
{
    const char *around = target - SLACK;
    const int64_t row_bytes = plan->work.rows * codelet->target_bytes;
    for (int64_t i = 0; i < end - around; ++i) {
        const int64_t at = i - SLACK;
        const int64_t block = plan->work.target_step > 0 ? at / plan->work.target_step : 0;
        const int inside = at >= 0 && at < target_size(plan, codelet) &&
                           at - block * plan->work.target_step < row_bytes;
        if (!inside && around[i] != canary(i)) {
            return complain(plan, "written outside the rows", block, at);
        }
    }
    return 1;
}

static int is_equal(const struct plan *plan, const struct codelet *codelet, const char *expected,
                    const char *got)
{
    const int64_t size = codelet->target_element;
    const char format =
        codelet->op == PACK_RUNS || codelet->op == PACK_TRANSPOSED ? codelet->format : 'f';
    for (int64_t block = 0; block < plan->work.blocks; ++block) {
        const int64_t begin = block * plan->work.target_step;
        for (int64_t at = 0; at < plan->work.rows * codelet->target_bytes; at += size) {
            uint32_t a = 0, b = 0; /* the codes: both orders of bytes keep what is compared */
            if (size == 4) {
                memcpy(&a, expected + begin + at, 4);
                memcpy(&b, got + begin + at, 4);
            } else {
                uint16_t code;
                memcpy(&code, expected + begin + at, 2);
                a = code;
                memcpy(&code, got + begin + at, 2);
                b = code;
            }
            if (a != b && !(is_nan(format, a) && is_nan(format, b))) {
                printf("# expected 0x%08x, got 0x%08x\n", (unsigned)a, (unsigned)b);
                return complain(plan, "other bits", block, at);
            }
        }
    }
    return 1;
}

static int check(const struct codelet *codelet, int version)
{
    static struct plan plan;
    const int64_t slides = SLACK / (codelet->target_element == 2 ? 1 : 4) + 1;
    random_state = 1;
    /* Every alignment with each of five numbers of rows, streamed and not; the rest in step. */
    for (int64_t number = 0; number < slides * 2 * 5; ++number) {
        make_plan(&plan, codelet, number);
        const char *expected = run(&plan, codelet, TAP_PLAIN, expected_memory);
        const char *got = run(&plan, codelet, version, target_memory);
        if (!is_untouched(&plan, codelet, expected, expected_memory.end) ||
            !is_untouched(&plan, codelet, got, target_memory.end) ||
            !is_equal(&plan, codelet, expected, got)) {
            return 0;
        }
    }
    /* Nothing to do touches no pointer. */
    embdist_work nothing = {.blocks = 1, .ranks = 2, .divisor = 1.0F, .stream = version % 2};
    codelet->versions[version](&nothing);
    nothing.blocks = 0;
    nothing.rows = codelet->op == PACK_RUNS || codelet->op == UNPACK_RUNS ? 1 : 0;
    codelet->versions[version](&nothing);
    return 1;
}

int main(void)
{
    static const char *const ISAS[] = {"plain", "AVX2", "AVX-512"};
    for (int i = 0; i < DIST_COUNT; ++i) {
        for (int64_t g = 0; g < DISTS[i]->groups; ++g) {
            const embdist_group *group = &DISTS[i]->group[g];
            const char forward = format_of(DISTS[i], "forward");
            const char backward = format_of(DISTS[i], "backward");
            add_set(group->forward, forward, group->dim, DISTS[i]->index_bytes);
            add_set(group->backward, backward, group->dim, DISTS[i]->index_bytes);
            add_set(group->forward_alone, 'f', group->dim, DISTS[i]->index_bytes);
            add_set(group->backward_alone, 'f', group->dim, DISTS[i]->index_bytes);
        }
    }
    source_memory = guarded();
    target_memory = guarded();
    expected_memory = guarded();
    fill_sources();
    tap_plan(2 * codelet_count);
    for (int i = 0; i < codelet_count; ++i) {
        for (int isa = TAP_AVX2; isa < TAP_ISAS; ++isa) {
            const struct codelet *codelet = &codelets[i];
            const char *why_not = tap_why_not(isa);
            const char *format = codelet->format == 'f' ? "fp32" : "";
            format = codelet->format == 'h' ? "fp16" : codelet->format == 'b' ? "bf16" : format;
            char name[128];
            snprintf(name, sizeof name, "%s %s dim %lld %s", codelet->name, format,
                     (long long)codelet->dim, ISAS[isa]);
            tap_line(why_not || (codelet->versions[isa] && check(codelet, isa)), name, why_not);
        }
    }
    return tap_status();
}
