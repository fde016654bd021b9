/* group_versions.c: the AVX2 and AVX-512 functions of the codecs of groups give the scalar ones'
 * bits: scales, codes, decoded and rounded values, in rows of every length and group. Rounding
 * gives what goes through the wire. Nothing is read or written beyond a value, a code or a scale.
 *
 * Compiled with group_codecs.c, with -I of runtime/ and -lm. */
#include "group_codecs.h"

enum { SLACK = 64, DIMS = 12, ROWS = 1000000 };

/* How many codecs of its kind there are. */
static int64_t sisters(const struct group_codec *codec)
{
    int64_t count = 0;
    for (int c = 0; c < GROUP_CODECS; ++c) {
        count += group_codecs[c].kind == codec->kind;
    }
    return count;
}

/* ---- memory: each buffer ends `slide` bytes before a page that cannot be touched */

struct buffer {
    char *end;
    char *begin;
    int64_t size;
    char canary; /* what lies about it; another one each time */
};
static struct buffer values_buffer, random_buffer, row_buffer[TAP_ISAS], decoded_buffer[TAP_ISAS],
    rounded_buffer[TAP_ISAS];

static char *lay(struct buffer *buffer, int64_t size, int64_t slide)
{
    buffer->size = size;
    buffer->begin = buffer->end - slide - size;
    buffer->canary = (char)(buffer->canary + 101);
    memset(buffer->begin - SLACK, buffer->canary, (size_t)(SLACK + size + slide));
    return buffer->begin;
}

static int is_kept(const struct buffer *buffer)
{
    int lost = 0;
    for (int64_t i = -SLACK; i < 0; ++i) {
        lost |= buffer->begin[i] ^ buffer->canary;
    }
    for (const char *at = buffer->begin + buffer->size; at < buffer->end; ++at) {
        lost |= *at ^ buffer->canary;
    }
    return lost == 0;
}

/* ---- one row */

struct row {
    int64_t dim;
    int64_t group;
    int kind;
    int64_t slide;
};

static int complain(const struct group_codec *codec, int isa, const struct row *row,
                    const char *what, int64_t at)
{
    static int told;
    if (told++ < 20) {
        printf("# %s %s: %s at %lld: dim %lld, group %lld, kind of values %d, slide %lld\n",
               codec->name, isa_names[isa], what, (long long)at, (long long)row->dim,
               (long long)row->group, row->kind, (long long)row->slide);
    }
    return 1;
}

static void make_row(const struct group_codec *codec, struct row *row)
{
    static const int64_t DIM[DIMS] = {1, 2, 3, 5, 8, 16, 17, 31, 32, 33, 128, 255};
    row->dim = pick(3) ? DIM[pick(DIMS)] : 1 + pick(48);
    row->group = pick(2) ? row->dim : DIM[pick(DIMS)];
    if (codec->kind == MX4) {
        row->group += row->group % 2; /* odd ones are a row's end */
    }
    row->kind = (int)pick(VALUE_KINDS);
    row->slide = pick(2) ? 0 : pick(SLACK);
}

/* Runs a version on values and random numbers that are there. */
static void run(const struct group_codec *codec, int isa, const struct row *row)
{
    const float *values = (const float *)(void *)values_buffer.begin;
    const uint32_t *random = (const uint32_t *)(void *)random_buffer.begin;
    const int64_t bytes = row_bytes(codec, row->dim, row->group);
    const int64_t floats = 4 * row->dim, slide = row->slide & -4;
    char *wire = lay(&row_buffer[isa], bytes, row->slide);
    float *decoded = (float *)(void *)lay(&decoded_buffer[isa], floats, slide);
    float *rounded = (float *)(void *)lay(&rounded_buffer[isa], floats, slide);
    encode_row(codec, isa, wire, values, row->dim, row->group, random);
    decode_row(codec, isa, decoded, wire, row->dim, row->group);
    round_row(codec, isa, rounded, values, row->dim, row->group, random);
}

static int differs(const float *a, const float *b, int64_t count, int64_t *at)
{
    if (memcmp(a, b, (size_t)count * sizeof *a) == 0) {
        return 0;
    }
    for (*at = 0; *at < count; ++*at) {
        if (!same(a[*at], b[*at])) {
            return 1;
        }
    }
    return 0;
}

static int is_wrong(const struct group_codec *codec, int isa, const struct row *row)
{
    const float *decoded = (const float *)(void *)decoded_buffer[isa].begin;
    const float *rounded = (const float *)(void *)rounded_buffer[isa].begin;
    const float *expected = (const float *)(void *)decoded_buffer[TAP_PLAIN].begin;
    int64_t at;
    if (!is_kept(&row_buffer[isa]) || !is_kept(&decoded_buffer[isa]) ||
        !is_kept(&rounded_buffer[isa])) {
        return complain(codec, isa, row, "written beyond the row", 0);
    }
    const char *wire = row_buffer[isa].begin, *plain = row_buffer[TAP_PLAIN].begin;
    if (memcmp(wire, plain, (size_t)row_buffer[isa].size) != 0) {
        for (at = 0; wire[at] == plain[at]; ++at) {
        }
        return complain(codec, isa, row, "another byte on the wire", at);
    }
    if (differs(decoded, expected, row->dim, &at)) {
        return complain(codec, isa, row, "another decoded value", at);
    }
    if (differs(rounded, expected, row->dim, &at)) {
        return complain(codec, isa, row, "rounding is not what passes the wire", at);
    }
    return 0;
}

/* ---- one group whose codes have no scale behind them, so that all reads stop where codes do */

static int is_group_wrong(const struct group_codec *codec, int isa, int64_t count)
{
    const struct row row = {count, count, (int)pick(VALUE_KINDS), pick(2) ? 0 : pick(SLACK)};
    const int64_t bytes = payload_bytes(codec, count);
    const struct group_functions *plain = &codec->by[TAP_PLAIN], *tested = &codec->by[isa];
    float *values = (float *)(void *)lay(&values_buffer, 4 * count, 0);
    uint32_t *random = (uint32_t *)(void *)lay(&random_buffer, 4 * count, 0);
    float *decoded = (float *)(void *)lay(&decoded_buffer[isa], 4 * count, 0);
    float expected[DIM_MOST];
    char *codes = lay(&row_buffer[isa], bytes, row.slide);
    char expected_codes[DIM_MOST];
    struct scale scale;
    make_values(values, count, row.kind);
    for (int64_t i = 0; i < count; ++i) {
        random[i] = (uint32_t)random_bits();
    }
    tested->look(&scale, values, count);
    plain->write(expected_codes, values, count, &scale, random);
    tested->write(codes, values, count, &scale, random);
    if (!is_kept(&row_buffer[isa]) || memcmp(codes, expected_codes, (size_t)bytes) != 0) {
        return complain(codec, isa, &row, "other bytes about the codes", count);
    }
    for (int64_t i = 0; i < bytes; ++i) { /* any code may come from a wire */
        codes[i] = (char)random_bits();
    }
    if (codec->kind == MX4 && count % 2) {
        codes[bytes - 1] &= 15;
    }
    plain->read(expected, codes, count, &scale);
    tested->read(decoded, codes, count, &scale);
    int64_t at;
    if (!is_kept(&decoded_buffer[isa]) || differs(decoded, expected, count, &at)) {
        return complain(codec, isa, &row, "another value of random codes", count);
    }
    return 0;
}

/* Codes that no encoder writes, and nearly any scale: a wire may bring them. Of fp8_e4m3 only
 * scales of finite values: others the versions take in other steps. */
static int is_stranger_wrong(const struct group_codec *codec, int isa)
{
    enum { COUNT = 31 };
    const struct row row = {COUNT, COUNT, -1, 0};
    float expected[COUNT], got[COUNT];
    char bytes[8], codes[COUNT];
    struct scale scale;
    int64_t at;
    for (int i = 0; i < 8; ++i) {
        bytes[i] = (char)random_bits();
    }
    if (codec->kind == E4M3) {
        bytes[3] = (char)(pick(0x7b) + 128 * pick(2));
    }
    for (int i = 0; i < COUNT; ++i) {
        codes[i] = (char)random_bits();
    }
    codec->get(&scale, bytes);
    codec->by[TAP_PLAIN].read(expected, codes, COUNT, &scale);
    codec->by[isa].read(got, codes, COUNT, &scale);
    return differs(got, expected, COUNT, &at) &&
           complain(codec, isa, &row, "another value under a random scale", at);
}

static void fill(const struct row *row)
{
    float *values = (float *)(void *)lay(&values_buffer, 4 * row->dim, 0);
    uint32_t *random = (uint32_t *)(void *)lay(&random_buffer, 4 * row->dim, 0);
    for (int64_t i = 0; i < row->dim; i += row->group) {
        const int64_t rest = row->dim - i;
        make_values(values + i, rest < row->group ? rest : row->group, row->kind);
    }
    for (int64_t i = 0; i < row->dim; ++i) {
        random[i] = (uint32_t)random_bits();
    }
}

static void check(const struct group_codec *codec, int64_t *wrong)
{
    const int64_t rows = runs(ROWS / sisters(codec));
    const int here[TAP_ISAS] = {1, !tap_why_not(TAP_AVX2), !tap_why_not(TAP_AVX512)};
    random_seed(1);
    for (int64_t number = 0; number < rows; ++number) {
        struct row row;
        make_row(codec, &row);
        fill(&row);
        run(codec, TAP_PLAIN, &row);
        wrong[TAP_PLAIN] += is_wrong(codec, TAP_PLAIN, &row);
        for (int isa = TAP_AVX2; isa < TAP_ISAS; ++isa) {
            if (here[isa]) {
                run(codec, isa, &row);
                wrong[isa] += is_wrong(codec, isa, &row);
            }
        }
    }
    for (int isa = TAP_AVX2; isa < TAP_ISAS; ++isa) {
        for (int64_t i = 0; here[isa] && i < runs(20000); ++i) {
            wrong[isa] += is_group_wrong(codec, isa, 1 + i % 70) + is_stranger_wrong(codec, isa);
        }
    }
}

int main(void)
{
    values_buffer.end = guarded_end();
    random_buffer.end = guarded_end();
    for (int isa = 0; isa < TAP_ISAS; ++isa) {
        row_buffer[isa].end = guarded_end();
        decoded_buffer[isa].end = guarded_end();
        rounded_buffer[isa].end = guarded_end();
    }
    tap_plan(GROUP_CODECS * TAP_ISAS);
    for (int c = 0; c < GROUP_CODECS; ++c) {
        int64_t wrong[TAP_ISAS] = {0};
        check(&group_codecs[c], wrong);
        for (int isa = 0; isa < TAP_ISAS; ++isa) {
            char name[128];
            snprintf(name, sizeof name, "%s %s: %s", group_codecs[c].name, isa_names[isa],
                     isa == TAP_PLAIN ? "rounding is what passes the wire, nothing beyond a row"
                                      : "the scalar functions' bits, and nothing beyond a row");
            tap_line(wrong[isa] == 0, name, tap_why_not(isa));
        }
    }
    return tap_status();
}
