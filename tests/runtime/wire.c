/* wire.c: what the codecs put on the wire, read by embdist_request_wire: every byte is written, a seed
 * decides what chance does and nothing else does, and a row's bytes are its own business. The dists
 * are those of tests/specs/groups.lua; one TAP line is a question, asked of each of a kind. */
#include "formats.h"
#include "ways.h"

#include "groups.h"

#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, DISTS = 12, WORLD = 2, MOST_RANKS = 5 };

#define BOTH(X, letter, pair) X(groups_##letter##_##pair##1), X(groups_##letter##_##pair##2)
#define KIND(X, letter)                                                                            \
    {                                                                                              \
        BOTH(X, letter, a), BOTH(X, letter, b), BOTH(X, letter, c), BOTH(X, letter, d),            \
            BOTH(X, letter, e), BOTH(X, letter, f)                                                 \
    }
static const test_dist dists[KINDS][DISTS] = {KIND(TEST_POOLED, p), KIND(TEST_SEQUENCE, s),
                                              KIND(TEST_POOLED, t), KIND(TEST_SEQUENCE, w),
                                              KIND(TEST_POOLED, g)};
static const test_dist *const row_wise = dists[0];

/* ---- wires ---------------------------------------------------------------------------------- */

typedef struct wire {
    char *bytes;
    int64_t length;
} wire;

/* Staged calls of one dist, in order, and what each rank put on the wire for them. */
typedef struct calls {
    test_case *const *cases;
    int count;
    embdist_comm **comms;
    wire (*wires)[MOST_RANKS]; /* [count] */
} calls;

static void run_calls(int64_t rank, void *context)
{
    const calls *all = context;
    embdist_dist *dist = NULL;
    if (open_dist(&dist, all->comms[rank], all->cases[0]->shape.entry, EMBDIST_WAY_STAGED))
        bail_out("%s", embdist_last_error());
    for (int i = 0; i < all->count; i++) {
        embdist_request *request = NULL;
        wire *to = &all->wires[i][rank];
        const void *bytes;
        if (case_start(all->cases[i], rank, dist, &request))
            bail_out("%s", embdist_last_error());
        embdist_request_wire(request, &bytes, &to->length);
        to->bytes = take(to->length, 1);
        if (to->length)
            memcpy(to->bytes, bytes, (size_t)to->length);
        if (embdist_wait(&request, NULL))
            bail_out("%s", embdist_last_error());
    }
    embdist_close(&dist);
}

static void pack(test_case *const *cases, int count, wire (*wires)[MOST_RANKS])
{
    const int64_t world = cases[0]->shape.world;
    calls all = {cases, count, new_comms(world), wires};
    run_ranks(world, run_calls, &all);
    free_comms(world, all.comms);
}

static void forget(wire (*wires)[MOST_RANKS], int count)
{
    for (int i = 0; i < count; i++)
        for (int r = 0; r < MOST_RANKS; r++)
            free(wires[i][r].bytes);
}

static int same_wire(const wire *a, const wire *b)
{
    return a->length == b->length && (!a->length || !memcmp(a->bytes, b->bytes, (size_t)a->length));
}

static int same_wires(const wire *a, const wire *b, int64_t world)
{
    int same = 1;
    for (int64_t r = 0; r < world; r++)
        same &= same_wire(&a[r], &b[r]);
    return same;
}

/* Table-wise, a rank may hold nothing. */
static int has_bytes(const wire *wires, int64_t world)
{
    int64_t length = 0;
    for (int64_t r = 0; r < world; r++)
        length += wires[r].length;
    return length > 0;
}

/* ---- cases ---------------------------------------------------------------------------------- */

static embdist_mode mode_of(const test_dist *entry)
{
    return entry->sequence[0].function ? EMBDIST_SEQUENCE : EMBDIST_RAGGED;
}

static test_case *make(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                       int64_t world, int64_t batch, const uint64_t *seeds, random_state *random)
{
    int64_t batches[MOST_RANKS];
    for (int64_t r = 0; r < world; r++)
        batches[r] = batch;
    const case_shape shape = {.entry = entry,
                              .world = world,
                              .mode = mode,
                              .direction = direction,
                              .batch = batches,
                              .permute = PERMUTE_REPEATS,
                              .values = RANDOM_WILD,
                              .seeds = seeds};
    return case_new(&shape, random);
}

/* Gives a case the inputs of another, whose lengths are the same. */
static void copy_inputs(const test_case *to, const test_case *from, int64_t ranks)
{
    for (int64_t r = 0; r < ranks; r++)
        if (to->in[r].count)
            memcpy(to->in[r].rows, from->in[r].rows, (size_t)buffer_bytes(&from->in[r]));
}

static const uint64_t seeds[MOST_RANKS] = {1, 1, 77, 0, UINT64_MAX};
static const uint64_t other_seeds[MOST_RANKS] = {2, 2, 78, 3, 4};

static int answer(int right, const test_dist *entry, embdist_direction direction, const char *what)
{
    if (!right)
        diag("%s %s: %s", entry->name, direction_text(direction), what);
    return right;
}

/* ---- every byte is written ------------------------------------------------------------------ */

/* The memory of the wire held other rows before, and was larger. */
static int every_byte(const test_dist *entry, embdist_direction direction, random_state *random)
{
    enum { CALLS = 4 };
    wire wires[CALLS][MOST_RANKS] = {{{0}}};
    test_case *cases[CALLS];
    const embdist_mode mode = mode_of(entry);
    for (int i = 0; i < CALLS; i += 2)
        cases[i] = make(entry, mode, direction, WORLD, 13, NULL, random);
    cases[1] = cases[3] = make(entry, mode, direction, WORLD, 4, seeds, random);
    pack(cases, CALLS, wires);
    const int right = same_wires(wires[1], wires[3], WORLD) &&
                      !same_wires(wires[0], wires[2], WORLD) && has_bytes(wires[1], WORLD);
    forget(wires, CALLS);
    for (int i = 0; i < CALLS - 1; i++)
        case_free(cases[i]);
    return answer(right, entry, direction, "bytes that were not written");
}

/* ---- seeds ---------------------------------------------------------------------------------- */

static int seeds_decide(const test_dist *entry, embdist_direction direction, random_state *random)
{
    enum { CALLS = 3 };
    wire wires[CALLS][MOST_RANKS] = {{{0}}};
    const embdist_mode mode = mode_of(entry);
    test_case *one = make(entry, mode, direction, WORLD, 9, seeds, random);
    const case_shape shape = one->shape;
    test_case *const again[] = {one, one, one};
    pack(again, CALLS, wires);
    int right = same_wires(wires[0], wires[1], WORLD) && same_wires(wires[0], wires[2], WORLD);
    memcpy(one->seeds, other_seeds, (size_t)shape.world * sizeof *one->seeds);
    wire others[1][MOST_RANKS] = {{{0}}};
    pack(&one, 1, others);
    right &= has_bytes(wires[0], WORLD);
    for (int r = 0; r < WORLD; r++)
        right &= same_wire(&wires[0][r], &others[0][r]) !=
                 (is_stochastic(entry->descriptor, direction) && wires[0][r].length > 0);
    forget(wires, CALLS);
    forget(others, 1);
    case_free(one);
    return answer(right, entry, direction, "not what the seed says");
}

/* ---- row-wise pooled dists: rows ------------------------------------------------------------ */

/* Bytes of row i, of all rows in the order of the input. */
static int64_t bytes_of(const test_case *made, const reference_codec *codec, int64_t i)
{
    return reference_row_bytes(codec, made->dims[i % made->features]);
}

/* The bytes are those of the codec's scalar functions. */
static int as_reference(const test_dist *entry, embdist_direction direction, random_state *random)
{
    wire wires[1][MOST_RANKS] = {{{0}}};
    test_case *made = make(entry, EMBDIST_EVEN, direction, WORLD, 7, seeds, random);
    const reference_codec codec = codec_of(entry->descriptor, direction, seeds);
    int right = 1;
    pack(&made, 1, wires);
    for (int64_t r = 0; r < WORLD; r++) {
        const buffer *in = &made->in[r];
        int64_t place = 0, element = 0;
        for (int64_t i = 0; element < in->count; i++) {
            const int64_t dim = made->dims[i % made->features], bytes = bytes_of(made, &codec, i);
            float *values = take(dim, sizeof *values);
            char *expected = take(bytes, 1);
            for (int64_t d = 0; d < dim; d++)
                values[d] = row_value(dtype_of(entry->descriptor), in->rows, element + d);
            reference_wire_row(&codec, expected, values, dim, r, place);
            right &= place + bytes <= wires[0][r].length &&
                     !memcmp(expected, wires[0][r].bytes + place, (size_t)bytes);
            free(expected);
            free(values);
            place += bytes;
            element += dim;
        }
        right &= place == wires[0][r].length && place > 0;
    }
    forget(wires, 1);
    case_free(made);
    return answer(right, entry, direction, "other bytes than the scalar functions'");
}

/* Other values in all rows but one leave that one's bytes as they are. */
static int rows_are_alone(const test_dist *entry, embdist_direction direction, random_state *random)
{
    enum { BATCH = 7 };
    wire before[1][MOST_RANKS] = {{{0}}}, after[1][MOST_RANKS] = {{{0}}};
    test_case *made = make(entry, EMBDIST_EVEN, direction, WORLD, BATCH, seeds, random);
    const reference_codec codec = codec_of(entry->descriptor, direction, seeds);
    const reference_format dtype = dtype_of(entry->descriptor);
    const int64_t kept = random_below(random, BATCH * made->features);
    pack(&made, 1, before);
    for (int64_t i = 0, element = 0; element < made->in[0].count; i++)
        for (int64_t d = 0; d < made->dims[i % made->features]; d++, element++) {
            float value;
            random_fill(random, RANDOM_WILD, &value, 1);
            if (i != kept)
                put_row_value(dtype, made->in[0].rows, element, value);
        }
    pack(&made, 1, after);
    int64_t place = 0;
    for (int64_t i = 0; i < kept; i++)
        place += bytes_of(made, &codec, i);
    const int right = !memcmp(before[0][0].bytes + place, after[0][0].bytes + place,
                              (size_t)bytes_of(made, &codec, kept)) &&
                      !same_wire(&before[0][0], &after[0][0]) &&
                      same_wire(&before[0][1], &after[0][1]);
    forget(before, 1);
    forget(after, 1);
    case_free(made);
    return answer(right, entry, direction, "a row's bytes depend on other rows");
}

/* Even and ragged, with the same counts. */
static int modes_are_alike(const test_dist *entry, embdist_direction direction,
                           random_state *random)
{
    wire even_wires[1][MOST_RANKS] = {{{0}}}, ragged_wires[1][MOST_RANKS] = {{{0}}};
    test_case *even = make(entry, EMBDIST_EVEN, direction, WORLD, 6, seeds, random);
    test_case *ragged = make(entry, EMBDIST_RAGGED, direction, WORLD, 6, seeds, random);
    copy_inputs(ragged, even, WORLD);
    pack(&even, 1, even_wires);
    pack(&ragged, 1, ragged_wires);
    const int right =
        same_wires(even_wires[0], ragged_wires[0], WORLD) && even_wires[0][0].length > 0;
    forget(even_wires, 1);
    forget(ragged_wires, 1);
    case_free(even);
    case_free(ragged);
    return answer(right, entry, direction, "even and ragged differ");
}

/* The gradients of a rank, with more ranks and with fewer. */
static int ranks_are_alone(const test_dist *entry, random_state *random)
{
    wire few_wires[1][MOST_RANKS] = {{{0}}}, many_wires[1][MOST_RANKS] = {{{0}}};
    test_case *few = make(entry, EMBDIST_EVEN, EMBDIST_BACKWARD, 2, 6, seeds, random);
    test_case *many = make(entry, EMBDIST_EVEN, EMBDIST_BACKWARD, 5, 6, seeds, random);
    copy_inputs(many, few, 2);
    pack(&few, 1, few_wires);
    pack(&many, 1, many_wires);
    const int right = same_wires(few_wires[0], many_wires[0], 2) && few_wires[0][0].length > 0;
    forget(few_wires, 1);
    forget(many_wires, 1);
    case_free(few);
    case_free(many);
    return answer(right, entry, EMBDIST_BACKWARD, "other bytes with more ranks");
}

/* Where all values of all ranks' gradients are alike, with the same seed: chance differs between
 * ranks, and between samples of a rank. */
static int chance_differs(const test_dist *entry, random_state *random)
{
    enum { BATCH = 7 };
    wire wires[1][MOST_RANKS] = {{{0}}};
    test_case *made = make(entry, EMBDIST_EVEN, EMBDIST_BACKWARD, WORLD, BATCH, seeds, random);
    const buffer *in = &made->in[0];
    const int64_t sample = in->count / BATCH;
    for (int64_t i = 0; i < in->count; i++)
        put_row_value(dtype_of(entry->descriptor), in->rows, i, 1 / (float)(3 + i % sample));
    memcpy(made->in[1].rows, in->rows, (size_t)buffer_bytes(in));
    pack(&made, 1, wires);
    const wire *first = &wires[0][0];
    const int64_t bytes = first->length / BATCH;
    int alike = 1;
    for (int64_t b = 1; b < BATCH; b++)
        alike &= !memcmp(first->bytes, first->bytes + b * bytes, (size_t)bytes);
    const int stochastic = is_stochastic(entry->descriptor, EMBDIST_BACKWARD);
    const int right = alike != stochastic && same_wire(first, &wires[0][1]) != stochastic;
    forget(wires, 1);
    case_free(made);
    return answer(right, entry, EMBDIST_BACKWARD, "chance is the same for ranks or rows");
}

/* ---- */

static int of_each(const test_dist *kind,
                   int question(const test_dist *, embdist_direction, random_state *),
                   random_state *random)
{
    int right = 1;
    for (int i = 0; i < DISTS; i++)
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
            right &= question(&kind[i], (embdist_direction)d, random);
    return right;
}

static int is_of_groups(const test_dist *entry, embdist_direction direction)
{
    return !reference_is_element(codec_of(entry->descriptor, direction, NULL).format);
}

int main(void)
{
    plan(2 * KINDS + 5);
    random_state random = random_start();
    for (int k = 0; k < KINDS; k++) {
        const char *kind = dists[k][0].descriptor->kind;
        ok(of_each(dists[k], every_byte, &random), "%s: every byte of the wire is written", kind);
        ok(of_each(dists[k], seeds_decide, &random),
           "%s: the same seed, the same bytes; another seed, others where it counts", kind);
    }
    int right = 1, alone = 1, own = 1;
    for (int i = 0; i < DISTS; i++) {
        for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
            right &= !is_of_groups(&row_wise[i], (embdist_direction)d) ||
                     as_reference(&row_wise[i], (embdist_direction)d, &random);
        alone &= ranks_are_alone(&row_wise[i], &random);
        own &= chance_differs(&row_wise[i], &random);
    }
    ok(right, "the bytes are those of the codecs' scalar functions");
    ok(of_each(row_wise, rows_are_alone, &random), "a row's bytes do not depend on other rows");
    ok(of_each(row_wise, modes_are_alike, &random), "even and ragged give the same bytes");
    ok(alone, "more ranks give the same bytes");
    ok(own, "ranks and rows have random numbers of their own");
    return finish();
}
