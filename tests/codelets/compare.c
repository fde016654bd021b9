#define _DEFAULT_SOURCE
#include "compare.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <inline/common.h>

#include "tap.h"

/* ---- the codelets under test */

enum op { PACK_RUNS, PACK_TRANSPOSED, UNPACK_RUNS, UNPACK_GATHER, UNPACK_SUM, UNPACK_TRANSPOSED };

/* Formats of wires and rows, by a letter: f: fp32, h: fp16, b: bf16; of groups, i: int8, 4: fp8_e4m3,
 * 5: fp8_e5m2, m: mx4. */
struct codelet {
    const char *name;
    const embdist_codelet *versions;
    enum op op;
    const char *codec;
    char wire, rows, target; /* formats; target is one of the two */
    int64_t dim;
    int64_t index_bytes;
    int64_t source_bytes; /* of a row */
    int64_t source_step;  /* bytes that addresses of rows are a multiple of */
    int64_t target_bytes;
    int64_t target_step;
    int64_t scratch_bytes;
    embdist_codelet pack; /* makes the wire rows that it reads, where not all bytes are one: of
                             groups; else NULL */
    int64_t pack_bytes;   /* of a row that is packed */
};

enum { CODELETS_MAX = 2048 };
static struct codelet codelets[CODELETS_MAX];
static int codelet_count;

/* What the codelets of a set have in common. */
struct set {
    const char *codec;
    const embdist_codelets *codelets;
    char wire, rows;
    int64_t dim, index_bytes;
};

static void add(const char *name, const embdist_codelet *versions, enum op op, int wire_source,
                const struct set *set)
{
    const int64_t element = set->rows == 'f' ? 4 : 2;
    const int wire_target = op == PACK_RUNS || op == PACK_TRANSPOSED;
    const int64_t wire_bytes = set->codelets->row_bytes, rows_bytes = set->dim * element;
    for (int i = 0; i < codelet_count; ++i) {
        if (versions == codelets[i].versions) {
            return;
        }
    }
    if (!versions || codelet_count == CODELETS_MAX) {
        return;
    }
    codelets[codelet_count++] = (struct codelet){
        .name = name,
        .versions = versions,
        .op = op,
        .codec = set->codec,
        .wire = set->wire,
        .rows = set->rows,
        .target = wire_target ? set->wire : set->rows,
        .dim = set->dim,
        .index_bytes = set->index_bytes,
        .source_bytes = wire_source ? wire_bytes : rows_bytes,
        .source_step = wire_source ? 1 : element,
        .target_bytes = wire_target ? wire_bytes : rows_bytes,
        .target_step = wire_target ? 1 : element,
        .scratch_bytes = set->codelets->scratch_bytes,
        .pack = wire_source && set->codelets->scratch_bytes ? set->codelets->pack_runs[0] : NULL,
        .pack_bytes = rows_bytes,
    };
}

static void add_set(const struct set *set)
{
    const embdist_codelets *of = set->codelets;
    add("pack_runs", of->pack_runs, PACK_RUNS, 0, set);
    add("pack_transposed", of->pack_transposed, PACK_TRANSPOSED, 0, set);
    add("unpack_runs_wire", of->unpack_runs_wire, UNPACK_RUNS, 1, set);
    add("unpack_runs_rows", of->unpack_runs_rows, UNPACK_RUNS, 0, set);
    add("unpack_gather_wire", of->unpack_gather_wire, UNPACK_GATHER, 1, set);
    add("unpack_gather_rows", of->unpack_gather_rows, UNPACK_GATHER, 0, set);
    add("unpack_sum_wire", of->unpack_sum_wire, UNPACK_SUM, 1, set);
    add("unpack_sum_rows", of->unpack_sum_rows, UNPACK_SUM, 0, set);
    add("unpack_transposed_rows", of->unpack_transposed_rows, UNPACK_TRANSPOSED, 0, set);
}

/* A line of the description that ranks compare. */
static const char *field_of(const embdist_descriptor *dist, const char *name)
{
    for (int64_t i = 0; i < dist->field_count; ++i) {
        if (strcmp(dist->fields[i].name, name) == 0) {
            return dist->fields[i].value;
        }
    }
    return "";
}

static char format_named(const char *name)
{
    static const char *const NAMES[] = {"fp32",     "fp16",     "bf16", "int8",
                                        "fp8_e4m3", "fp8_e5m2", "mx4"};
    for (int i = 0; i < 7; ++i) {
        if (strcmp(name, NAMES[i]) == 0) {
            return "fhbi45m"[i];
        }
    }
    printf("Bail out! no codec \"%s\" is known\n", name);
    exit(1);
}

static void add_dist(const embdist_descriptor *dist)
{
    const char *const codecs[] = {field_of(dist, "forward"), field_of(dist, "backward"), "fp32",
                                  "fp32"};
    for (int64_t g = 0; g < dist->groups; ++g) {
        const embdist_group *group = &dist->group[g];
        const embdist_codelets *const sets[] = {group->forward, group->backward,
                                                group->forward_alone, group->backward_alone};
        for (int i = 0; i < 4; ++i) {
            const struct set set = {codecs[i],
                                    sets[i],
                                    format_named(codecs[i]),
                                    format_named(field_of(dist, "dtype")),
                                    group->dim,
                                    dist->index_bytes};
            add_set(&set);
        }
    }
}

/* ---- memory between pages that cannot be touched */

enum { GUARDED = 1 << 20, SLACK = 64 };
struct memory {
    char *begin;
    char *end; /* a byte further and the program crashes */
};
static struct memory source_memory, target_memory, expected_memory, scratch_memory, wire_memory;

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
    uint64_t keys[ROWS_MAX];
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

/* Packs wire rows that end where the memory does, or less than a cache line before; every few cases
 * others. */
enum { WIRE_ROWS = 160 };
static char *wire_end;
static void pack_wire(const struct codelet *codelet, int64_t number)
{
    if (!codelet->pack || number % 16 != 0) {
        return;
    }
    wire_end = wire_memory.end - (pick(4) == 0 ? 0 : pick(64));
    const int64_t room = source_memory.end - source_memory.begin - WIRE_ROWS * codelet->pack_bytes;
    const embdist_work work = {
        .source = source_memory.begin + pick(room / 4) * 4,
        .target = wire_end - WIRE_ROWS * codelet->source_bytes,
        .blocks = 1,
        .rows = WIRE_ROWS,
        .scratch = (float *)(void *)scratch_memory.begin,
    };
    codelet->pack(&work);
}

/* Bytes that lie between two blocks of sources. */
static int64_t pick_gap(const struct codelet *codelet)
{
    return codelet->pack ? pick(4) * codelet->source_bytes : pick(8) * codelet->source_step;
}

/* A random place for `bytes` bytes of rows; one in eight ends where the memory does. */
static const char *place_source(const struct codelet *codelet, int64_t bytes)
{
    const int64_t step = codelet->pack ? codelet->source_bytes : codelet->source_step;
    const char *end = codelet->pack ? wire_end : source_memory.end;
    const int64_t room = codelet->pack ? WIRE_ROWS * codelet->source_bytes : GUARDED;
    const int64_t back = pick(8) == 0 ? 0 : pick((room - bytes) / step + 1) * step;
    return end - bytes - back;
}

/* Keys of random numbers, and places. */
static void make_keys(struct plan *plan, const struct codelet *codelet)
{
    embdist_work *work = &plan->work;
    for (int i = 0; i < ROWS_MAX; ++i) {
        plan->keys[i] = (uint64_t)pick(1LL << 31) << 32 | (uint64_t)pick(1LL << 31);
    }
    work->key = plan->keys[0];
    work->keys = codelet->op == UNPACK_GATHER || codelet->op == UNPACK_SUM ? plan->keys : NULL;
    work->place = pick(1LL << 31);
    work->place_step = pick(1LL << 20);
}

static void make_plan(struct plan *plan, const struct codelet *codelet, int64_t number)
{
    static const int64_t ROWS[] = {0, 1, 2, 5, ROWS_MAX};
    static const int64_t BLOCKS[] = {1, 0, 3};
    static const float DIVISORS[] = {1, 2, 3, 4, 5, 7, 8};
    const int64_t step = codelet->target_step;
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
    work->scratch = (float *)(void *)(scratch_memory.end - (codelet->scratch_bytes + 63) / 64 * 64);
    make_keys(plan, codelet);
    if (codelet->op == UNPACK_RUNS || codelet->op == UNPACK_SUM ||
        codelet->op == UNPACK_TRANSPOSED) {
        work->divisor = DIVISORS[number % 7];
    }
    if (codelet->op == PACK_RUNS || codelet->op == UNPACK_RUNS || codelet->op == UNPACK_SUM) {
        work->blocks = BLOCKS[number % 3];
        work->source_step = work->rows * codelet->source_bytes + pick_gap(codelet);
        work->target_step = work->rows * codelet->target_bytes + pick(8) * step;
        if (codelet->op == UNPACK_SUM) {
            work->ranks = 1 + number / 3 % RANKS_MAX;
        }
        const int64_t bytes = work->blocks == 0 ? 0
                                                : (work->blocks - 1) * work->source_step +
                                                      work->rows * codelet->source_bytes;
        for (int64_t rank = 0; rank < work->ranks; ++rank) {
            plan->sources[rank] = place_source(codelet, bytes);
        }
        work->source = plan->sources[0];
        work->sources = plan->sources;
        return;
    }
    for (int64_t i = 0; i < NAMED_MAX; ++i) {
        plan->sources[i] = place_source(codelet, codelet->source_bytes);
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

/* Other ones for each version: a byte that is not written differs. */
static char canary(int64_t at, int version)
{
    return (char)(0x5a ^ (at * 29) ^ (version * 0x41));
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
        around[i] = canary(i, version);
    }
    plan->work.target = target;
    codelet->versions[version](&plan->work);
    return target;
}

/* Whether a code is NaN in its format; those of int8 and mx4 are NaN by their group alone. */
static int is_nan(char format, uint32_t bits)
{
    if (format == 'i' || format == 'm') {
        return 0;
    }
    if (format == '4' || format == '5') {
        return (bits & 0x7fU) > (format == '4' ? 0x7eU : 0x7cU);
    }
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
                        const char *end, int version)
{
    const char *around = target - SLACK;
    const int64_t row_bytes = plan->work.rows * codelet->target_bytes;
    for (int64_t i = 0; i < end - around; ++i) {
        const int64_t at = i - SLACK;
        const int64_t block = plan->work.target_step > 0 ? at / plan->work.target_step : 0;
        const int inside = at >= 0 && at < target_size(plan, codelet) &&
                           at - block * plan->work.target_step < row_bytes;
        if (!inside && around[i] != canary(i, version)) {
            return complain(plan, "written outside the rows", block, at);
        }
    }
    return 1;
}

/* The code at an address: both orders of bytes keep what is compared. */
static uint32_t code_at(const char *at, int64_t size)
{
    uint32_t wide = 0;
    uint16_t half;
    uint8_t byte;
    if (size == 4) {
        memcpy(&wide, at, 4);
        return wide;
    }
    if (size == 2) {
        memcpy(&half, at, 2);
        return half;
    }
    memcpy(&byte, at, 1);
    return byte;
}

static int is_equal(const struct plan *plan, const struct codelet *codelet, const char *expected,
                    const char *got)
{
    const char format = codelet->target;
    const int64_t size = format == 'f' ? 4 : format == 'h' || format == 'b' ? 2 : 1;
    for (int64_t block = 0; block < plan->work.blocks; ++block) {
        const int64_t begin = block * plan->work.target_step;
        for (int64_t at = 0; at < plan->work.rows * codelet->target_bytes; at += size) {
            const uint32_t a = code_at(expected + begin + at, size);
            const uint32_t b = code_at(got + begin + at, size);
            const int is_scale = at % codelet->target_bytes >= codelet->dim * size;
            if (a != b && (is_scale || !is_nan(format, a) || !is_nan(format, b))) {
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
    const int64_t slides = SLACK / codelet->target_step + 1;
    random_state = 1;
    /* Every alignment with each of five numbers of rows, streamed and not; the rest in step. */
    for (int64_t number = 0; number < slides * 2 * 5; ++number) {
        pack_wire(codelet, number);
        make_plan(&plan, codelet, number);
        const char *expected = run(&plan, codelet, TAP_PLAIN, expected_memory);
        const char *got = run(&plan, codelet, version, target_memory);
        if (!is_untouched(&plan, codelet, expected, expected_memory.end, TAP_PLAIN) ||
            !is_untouched(&plan, codelet, got, target_memory.end, version) ||
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

int compare_versions(const embdist_descriptor *const *dists, int count)
{
    static const char *const ISAS[] = {"plain", "AVX2", "AVX-512"};
    for (int i = 0; i < count; ++i) {
        add_dist(dists[i]);
    }
    source_memory = guarded();
    target_memory = guarded();
    expected_memory = guarded();
    scratch_memory = guarded();
    wire_memory = guarded();
    fill_sources();
    tap_plan(2 * codelet_count);
    for (int i = 0; i < codelet_count; ++i) {
        for (int isa = TAP_AVX2; isa < TAP_ISAS; ++isa) {
            const struct codelet *codelet = &codelets[i];
            const char *why_not = tap_why_not(isa);
            char name[128];
            snprintf(name, sizeof name, "%s %s dim %lld, rows %c, %s", codelet->name,
                     codelet->codec, (long long)codelet->dim, codelet->rows, ISAS[isa]);
            tap_line(why_not || (codelet->versions[isa] && check(codelet, isa)), name, why_not);
        }
    }
    return tap_status();
}
