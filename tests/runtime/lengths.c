/* lengths.c: embdist_lengths against sums made here, in every mode; counts beyond 2^31 elements,
 * which need no memory here; and what it refuses. */
#include "dists.h"
#include "support.h"

#include "small.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD = 3, FEATURES = 3 };
static const int64_t bag_dims[FEATURES] = {3, 5, 5};
static const int64_t word_dim = 6;

static embdist_dist *bags[WORLD], *words[WORLD], *only_even[WORLD], *tables[WORLD], *lists[WORLD],
    *gathered[WORLD];
static embdist_comm *comms[WORLD];

/* Rank 0 holds features 1 and 3, rank 2 the others, rank 1 none. */
enum { OWNED = 4 };
static const int64_t owners[OWNED] = {2, 0, 2, 0};
static const int64_t table_dims[OWNED] = {3, 5, 5, 2};

static void open_all(int64_t rank, void *context)
{
    const embdist_options owned = {.size = sizeof owned, .owners = owners};
    (void)context;
    if (embdist_open(&bags[rank], comms[rank], &small_bags, NULL) ||
        embdist_open(&words[rank], comms[rank], &small_words, NULL) ||
        embdist_open(&only_even[rank], comms[rank], &small_only_even, NULL) ||
        embdist_open(&tables[rank], comms[rank], &small_tables, &owned) ||
        embdist_open(&lists[rank], comms[rank], &small_lists, &owned) ||
        embdist_open(&gathered[rank], comms[rank], &small_gathered, NULL))
        bail_out("%s", embdist_last_error());
}

typedef struct lengths {
    int64_t local, out;
    int64_t offsets[FEATURES * WORLD];
} lengths;

/* The result must be `expected`, offsets too, and the same without offsets. */
static int is_result(embdist_dist *dist, const embdist_batch *batch, const lengths *expected,
                     int64_t features)
{
    int64_t offsets[OWNED * WORLD + 1];
    memset(offsets, 0x5a, sizeof offsets);
    const int64_t canary = offsets[features * WORLD];
    embdist_lengths_result result = {.size = sizeof result, .local_offsets = offsets};
    embdist_lengths_result plain = {.size = sizeof plain};
    if (embdist_lengths(dist, batch, &result) || embdist_lengths(dist, batch, &plain)) {
        diag("%s", embdist_last_error());
        return 0;
    }
    int right = result.local_count == expected->local && result.out_count == expected->out &&
                plain.local_count == expected->local && plain.out_count == expected->out &&
                offsets[features * WORLD] == canary;
    for (int64_t i = 0; i < features * WORLD; i++)
        right &= offsets[i] == expected->offsets[i];
    if (!right)
        diag("local_count %" PRId64 ", expected %" PRId64 "; out_count %" PRId64
             ", expected %" PRId64 "; last offset %" PRId64 ", expected %" PRId64,
             result.local_count, expected->local, result.out_count, expected->out,
             offsets[features * WORLD - 1], expected->offsets[features * WORLD - 1]);
    return right;
}

/* Samples of all features side by side: rank after rank. */
static void samples(const int64_t *batch, int64_t rank, lengths *expected)
{
    *expected = (lengths){0};
    for (int64_t j = 0; j < WORLD; j++) {
        int64_t column = expected->local;
        for (int64_t f = 0; f < FEATURES; column += bag_dims[f], f++)
            expected->offsets[f * WORLD + j] = column;
        expected->local += batch[j] * 13;
    }
    expected->out = batch[rank] * 13;
}

static void features(const int64_t *batch, int64_t rank, lengths *expected)
{
    *expected = (lengths){0};
    for (int64_t j = 0; j < WORLD; j++)
        for (int64_t f = 0; f < FEATURES; f++) {
            expected->offsets[f * WORLD + j] = expected->local;
            expected->local += batch[j * FEATURES + f] * bag_dims[f];
            expected->out += j == rank ? batch[j * FEATURES + f] * bag_dims[f] : 0;
        }
}

static int pooled(const int64_t *batch)
{
    int right = 1;
    for (int64_t r = 0; r < WORLD; r++) {
        lengths expected;
        const int64_t even[WORLD] = {batch[0], batch[0], batch[0]};
        embdist_batch call = {
            .size = sizeof call, .even = batch[0], .per_rank = batch, .per_rank_feature = batch};
        call.mode = EMBDIST_EVEN;
        samples(even, r, &expected);
        right &= is_result(bags[r], &call, &expected, FEATURES);
        call.mode = EMBDIST_RAGGED;
        samples(batch, r, &expected);
        right &= is_result(bags[r], &call, &expected, FEATURES);
        call.mode = EMBDIST_PER_FEATURE;
        features(batch, r, &expected);
        right &= is_result(bags[r], &call, &expected, FEATURES);
    }
    return right;
}

/* rows[features][world] of one rank; out is what it receives, or output_rows with a permute. */
static int sequence(const int64_t *rows, const int64_t *received, int64_t output_rows)
{
    int64_t send[WORLD], all = 0;
    const int64_t index = 0; /* is not read */
    lengths expected = {0};
    for (int64_t f = 0; f < 2; f++)
        for (int64_t j = 0; j < WORLD; j++) {
            expected.offsets[f * WORLD + j] = expected.local;
            expected.local += rows[f * WORLD + j] * word_dim;
        }
    for (int64_t j = 0; j < WORLD; j++) {
        send[j] = rows[j] + rows[WORLD + j];
        all += received[j];
    }
    embdist_sequence_batch batch = {
        .size = sizeof batch, .send_rows = send, .recv_rows = received, .rows = rows};
    const embdist_batch call = {.size = sizeof call, .mode = EMBDIST_SEQUENCE, .sequence = &batch};
    expected.out = all * word_dim;
    int right = is_result(words[1], &call, &expected, 2);
    batch.permute = &index;
    batch.output_rows = output_rows;
    expected.out = output_rows * word_dim;
    return right & is_result(words[1], &call, &expected, 2);
}

/* batch[WORLD][OWNED]; even and ragged batches have those of the first feature. */
static void owned_features(const int64_t *batch, embdist_mode mode, int64_t rank, lengths *expected)
{
    *expected = (lengths){0};
    for (int64_t j = 0; j < WORLD; j++) {
        int64_t column = expected->local;
        const int64_t *here = batch + (mode == EMBDIST_EVEN ? 0 : j * OWNED);
        for (int64_t f = 0, held = 0; f < OWNED; f++) {
            const int64_t rows = here[mode == EMBDIST_PER_FEATURE ? f : 0];
            if (j == rank)
                expected->out += rows * table_dims[f];
            if (owners[f] != rank)
                continue;
            expected->offsets[held++ * WORLD + j] = column;
            column += (mode == EMBDIST_PER_FEATURE ? rows : 1) * table_dims[f];
            expected->local += rows * table_dims[f];
        }
    }
}

static int table_wise(const int64_t *batch)
{
    const int64_t per_rank[WORLD] = {batch[0], batch[OWNED], batch[2 * OWNED]};
    int right = 1;
    for (int m = EMBDIST_EVEN; m <= EMBDIST_PER_FEATURE; m++)
        for (int64_t r = 0; r < WORLD; r++) {
            lengths expected;
            const embdist_batch call = {.size = sizeof call,
                                        .mode = (embdist_mode)m,
                                        .even = batch[0],
                                        .per_rank = per_rank,
                                        .per_rank_feature = batch};
            owned_features(batch, call.mode, r, &expected);
            right &= is_result(tables[r], &call, &expected, r == 1 ? 0 : 2);
        }
    return right;
}

/* rows[2][WORLD] of an owner of two features. */
static int table_wise_sequence(const int64_t *rows)
{
    int64_t send[WORLD], received[WORLD] = {5, 0, 7};
    const int64_t none[WORLD] = {0};
    lengths expected = {.out = 12 * word_dim};
    for (int64_t f = 0; f < 2; f++)
        for (int64_t j = 0; j < WORLD; j++) {
            expected.offsets[f * WORLD + j] = expected.local;
            expected.local += rows[f * WORLD + j] * word_dim;
            send[j] = rows[j] + rows[WORLD + j];
        }
    embdist_sequence_batch batch = {
        .size = sizeof batch, .send_rows = send, .recv_rows = received, .rows = rows};
    const embdist_batch call = {.size = sizeof call, .mode = EMBDIST_SEQUENCE, .sequence = &batch};
    int right = is_result(lists[2], &call, &expected, 2);
    batch.send_rows = none; /* an owner of nothing says no rows */
    batch.rows = NULL;
    expected = (lengths){.out = 12 * word_dim};
    return right & is_result(lists[1], &call, &expected, 0);
}

/* The local side is the rank's own, for whichever rank. */
static int gathering(const int64_t *batch)
{
    int right = 1;
    for (int64_t r = 0; r < WORLD; r++) {
        lengths turned, expected = {0};
        embdist_batch call = {.size = sizeof call,
                              .mode = EMBDIST_RAGGED,
                              .per_rank = batch,
                              .per_rank_feature = batch};
        samples(batch, r, &turned);
        expected.local = turned.out;
        expected.out = turned.local;
        for (int64_t j = 0; j < WORLD; j++)
            for (int64_t f = 0; f < FEATURES; f++)
                expected.offsets[f * WORLD + j] = f == 0 ? 0 : f == 1 ? 3 : 8;
        right &= is_result(gathered[r], &call, &expected, FEATURES);
        call.mode = EMBDIST_PER_FEATURE;
        features(batch, r, &turned);
        expected.local = turned.out;
        expected.out = turned.local;
        for (int64_t j = 0; j < WORLD; j++)
            for (int64_t f = 0; f < FEATURES; f++)
                expected.offsets[f * WORLD + j] = turned.offsets[f * WORLD + r] - turned.offsets[r];
        right &= is_result(gathered[r], &call, &expected, FEATURES);
    }
    return right;
}

static void results(void)
{
    const int64_t small[WORLD * FEATURES] = {4, 0, 7, 2, 0, 0, 1, 11, 5};
    const int64_t zero[WORLD * FEATURES] = {0};
    const int64_t big = (INT64_C(1) << 31) + 5;
    const int64_t wide[WORLD * FEATURES] = {big, 3, big * 100, INT64_C(1) << 40, 1,
                                            big, 0, 1,         big - 10};
    const int64_t rows[2 * WORLD] = {1, 0, 5, 2, 3, 0},
                           wide_rows[2 * WORLD] = {big, 1, big * 7, big - 9, 0, 4};
    const int64_t received[WORLD] = {2, 0, 9}, wide_received[WORLD] = {big, big * 1000, 3};
    ok(pooled(small), "lengths and offsets of pooled batches");
    ok(pooled(zero), "lengths and offsets of empty pooled batches");
    ok(pooled(wide), "lengths and offsets of pooled batches beyond 2^31 elements");
    ok(sequence(rows, received, 4), "lengths and offsets of sequences");
    ok(sequence(zero, zero, 0), "lengths and offsets of empty sequences");
    ok(sequence(wide_rows, wide_received, big * 3),
       "lengths and offsets of sequences beyond 2^31 elements");
    const int64_t owned[WORLD * OWNED] = {4, 0, 7, 2, 3, 0, 1, 11, 5, 6, 1, 0};
    const int64_t wide_owned[WORLD * OWNED] = {big, 3,   big * 2, 1, big - 8, big,
                                               0,   big, 1,       7, big,     2};
    ok(table_wise(owned), "lengths and offsets of table-wise features");
    ok(table_wise(wide_owned), "lengths and offsets of table-wise features beyond 2^31 elements");
    ok(table_wise_sequence(rows), "lengths and offsets of table-wise sequences");
    ok(gathering(small), "lengths and offsets of a gather");
    ok(gathering(wide), "lengths and offsets of a gather beyond 2^31 elements");
    /* The last batch whose bytes int64 still counts, and the first that is refused. */
    embdist_batch call = {.size = sizeof call, .mode = EMBDIST_EVEN};
    embdist_lengths_result result = {.size = sizeof result};
    call.even = INT64_MAX / (16 * 13 * WORLD);
    ok(!embdist_lengths(bags[2], &call, &result) && result.local_count == call.even * 13 * WORLD &&
           result.out_count == call.even * 13,
       "the largest even batch");
    call.even++;
    ok(embdist_lengths(bags[2], &call, &result) == EMBDIST_INVALID_ARGUMENT, "one sample more");
}

/* Refused with a sentence, and nothing is written. */
static void refuses(const embdist_dist *dist, const embdist_batch *batch, embdist_status expected,
                    const char *says, const char *name)
{
    embdist_lengths_result result = {.size = sizeof result, .local_count = -5, .out_count = -6};
    const embdist_status status = embdist_lengths(dist, batch, &result);
    if (!ok(status == expected && strstr(embdist_last_error(), says) && result.local_count == -5 &&
                result.out_count == -6,
            "%s", name))
        diag("%s: %s", embdist_status_name(status), embdist_last_error());
}

static void refusals(void)
{
    const int64_t negative[WORLD] = {1, 2, -1}, huge[WORLD] = {INT64_MAX, INT64_MAX, 2};
    int64_t place[FEATURES * WORLD + 1];
    embdist_lengths_result result = {.size = 1};
    embdist_batch batch = {.size = sizeof batch, .mode = EMBDIST_EVEN, .even = -1};
    refuses(bags[0], &batch, EMBDIST_INVALID_ARGUMENT, "embdist_lengths: batch is -1",
            "a negative batch");
    batch = (embdist_batch){.size = sizeof batch, .mode = EMBDIST_RAGGED, .per_rank = negative};
    refuses(bags[0], &batch, EMBDIST_INVALID_ARGUMENT, "embdist_lengths: batch_per_rank[2] is -1",
            "a negative count");
    refuses(only_even[1], &batch, EMBDIST_UNSUPPORTED,
            "batch mode ragged was not generated for small_only_even, expected one of: even",
            "a mode that the spec does not list");
    refuses(words[1], &batch, EMBDIST_UNSUPPORTED, "batch mode ragged was not generated",
            "a pooled mode of a sequence");
    batch.per_rank = huge;
    refuses(bags[0], &batch, EMBDIST_INVALID_ARGUMENT, "more than int64 can hold",
            "counts past int64");
    batch.mode = EMBDIST_SEQUENCE;
    refuses(bags[0], &batch, EMBDIST_UNSUPPORTED, "batch mode sequence was not generated",
            "a sequence of a pooled dist");
    batch.mode = (embdist_mode)9;
    refuses(bags[0], &batch, EMBDIST_UNSUPPORTED, "embdist_lengths: batch mode 9",
            "a mode that there is not");
    refuses(NULL, &batch, EMBDIST_INVALID_ARGUMENT, "embdist_lengths: dist is NULL: closed",
            "a closed dist");
    refuses(bags[0], NULL, EMBDIST_INVALID_ARGUMENT,
            "embdist_lengths: batch is NULL, expected the address of an embdist_batch", "no batch");
    batch.size = 0;
    refuses(bags[0], &batch, EMBDIST_INVALID_ARGUMENT,
            "embdist_lengths: batch->size is 0, expected sizeof(embdist_batch) = ",
            "a batch of another size");
    batch = (embdist_batch){.size = sizeof batch, .mode = EMBDIST_EVEN};
    ok(embdist_lengths(bags[0], &batch, &result) == EMBDIST_INVALID_ARGUMENT &&
           result.local_count == 0 &&
           strstr(embdist_last_error(),
                  "result->size is 1, expected sizeof(embdist_lengths_result) = "),
       "a result of another size");
    ok(embdist_lengths(bags[0], &batch, NULL) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "embdist_lengths: result is NULL"),
       "no result");
    void *odd = (char *)place + 4;
    result = (embdist_lengths_result){.size = sizeof result, .local_offsets = odd};
    ok(embdist_lengths(bags[0], &batch, &result) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "result->local_offsets is misaligned: its address is 4"),
       "a misaligned place for offsets");
}

int main(void)
{
    plan(13 + 13);
    if (embdist_comm_local(WORLD, comms))
        bail_out("%s", embdist_last_error());
    run_ranks(WORLD, open_all, NULL);
    results();
    refusals();
    for (int r = 0; r < WORLD; r++) {
        embdist_close(&bags[r]);
        embdist_close(&words[r]);
        embdist_close(&only_even[r]);
        embdist_close(&tables[r]);
        embdist_close(&lists[r]);
        embdist_close(&gathered[r]);
        embdist_comm_free(&comms[r]);
    }
    return finish();
}
