/* wrong_pooled.c: wrong calls of pooled dists, each refused with a sentence that names what is wrong,
 * what was got and what was expected. */
#include "refusal.h"

#include "small.h"

#include <inttypes.h>
#include <math.h>

static const test_dist bags = TEST_POOLED(small_bags), sums = TEST_POOLED(small_sums),
                       finite = TEST_POOLED(small_finite_bags);

/* ---- lengths and buffers */

static void in_count_low(spoiled *wrong)
{
    says(wrong, "%s is %" PRId64 ", expected %" PRId64 " elements",
         wrong->call.direction == EMBDIST_FORWARD ? "local_count" : "grad_out_count",
         wrong->call.in_count - 1, wrong->call.in_count);
    wrong->call.in_count--;
}

static void in_count_high(spoiled *wrong)
{
    says(wrong, "%s is %" PRId64 ", expected %" PRId64 " elements",
         wrong->call.direction == EMBDIST_FORWARD ? "local_count" : "grad_out_count",
         wrong->call.in_count + 1, wrong->call.in_count);
    wrong->call.in_count++;
}

static void out_count_low(spoiled *wrong)
{
    says(wrong, "%s is %" PRId64 ", expected %" PRId64 " elements",
         wrong->call.direction == EMBDIST_FORWARD ? "out_count" : "grad_local_count",
         wrong->call.out_count - 1, wrong->call.out_count);
    wrong->call.out_count--;
}

static void out_count_negative(spoiled *wrong)
{
    says(wrong, "is -1, expected %" PRId64 " elements", wrong->call.out_count);
    wrong->call.out_count = -1;
}

static void in_null(spoiled *wrong)
{
    says(wrong, "%s is NULL, expected %" PRId64 " elements",
         wrong->call.direction == EMBDIST_FORWARD ? "local_embs" : "grad_out",
         wrong->call.in_count);
    wrong->call.in = NULL;
}

static void out_null(spoiled *wrong)
{
    says(wrong, "%s is NULL, expected %" PRId64 " elements",
         wrong->call.direction == EMBDIST_FORWARD ? "out" : "grad_local_embs",
         wrong->call.out_count);
    wrong->call.out = NULL;
}

/* An address that is no float's; made as a number, since a pointer to it is no float's either. */
static uintptr_t beside(const float *address, uintptr_t bytes)
{
    return (uintptr_t)address + bytes;
}

static void in_misaligned(spoiled *wrong)
{
    says(wrong, "is misaligned");
    says(wrong, "2 past a multiple of 4");
    wrong->call.in = (const float *)beside(wrong->call.in, 2);
}

static void out_misaligned(spoiled *wrong)
{
    says(wrong, "is misaligned");
    says(wrong, "1 past a multiple of 4");
    wrong->call.out = (float *)beside(wrong->call.out, 1);
}

static void out_is_in(spoiled *wrong)
{
    says(wrong, wrong->call.direction == EMBDIST_FORWARD ? "out overlaps local_embs"
                                                         : "grad_local_embs overlaps grad_out");
    wrong->call.out = wrong->in->data;
}

static void out_ends_in_in(spoiled *wrong)
{
    says(wrong, "overlaps");
    wrong->call.out = (float *)((uintptr_t)wrong->in->data -
                                (uintptr_t)(wrong->call.out_count - 1) * sizeof(float));
}

static void out_starts_in_in(spoiled *wrong)
{
    says(wrong, "overlaps");
    wrong->call.out = wrong->in->data + wrong->in->count - 1;
}

static void with_stream(spoiled *wrong)
{
    says(wrong, "stream is not NULL, expected NULL");
    wrong->call.stream = wrong;
}

static void other_dist(spoiled *wrong)
{
    says(wrong, "the dist was opened as small_bags");
    says(wrong, "small_sums_forward_even: ");
    wrong->call.entry = &sums;
}

/* No such function is generated; the runtime must not rely on it. */
static embdist_status ragged_all_the_same(embdist_dist *dist, const float *in, int64_t in_count,
                                          const int64_t *batch, float *out, int64_t out_count,
                                          void *stream, embdist_request **request)
{
    const embdist_call call = {.descriptor = &small_only_even,
                               .batch = {.mode = EMBDIST_RAGGED, .per_rank = batch},
                               .input = in,
                               .input_count = in_count,
                               .output = out,
                               .output_count = out_count,
                               .stream = stream};
    return embdist_start(dist, &call, request);
}

static const test_dist only_even = {
    .name = "small_only_even",
    .descriptor = &small_only_even,
    .even = TEST_BOTH(small_only_even, _even),
    .ragged = {TEST_FUNCTION(ragged_all_the_same)},
};

static void mode_not_generated(spoiled *wrong)
{
    says(wrong, "batch mode ragged was not generated for small_only_even, expected one of: even");
    wrong->call.batch.mode = EMBDIST_RAGGED;
}

/* ---- counts */

static void batch_negative(spoiled *wrong)
{
    says(wrong, "batch is -3, expected 0 or more");
    wrong->call.batch.even = -3;
}

static void batch_other(spoiled *wrong)
{
    says(wrong, "local_count is");
    wrong->call.batch.even++;
}

static void batch_huge(spoiled *wrong)
{
    says(wrong, "batch: the counts add up to more than int64 can hold");
    wrong->call.batch.even = INT64_MAX / 2;
}

static void count_negative(spoiled *wrong)
{
    says(wrong, "batch_per_rank[%" PRId64 "] is -1, expected 0 or more", wrong->world - 1);
    wrong->counts[wrong->world - 1] = -1;
}

static void feature_negative(spoiled *wrong)
{
    const int64_t rank = wrong->world - 1;
    says(wrong, "batch_per_rank_feature[%" PRId64 "][1] is -1, expected 0 or more", rank);
    wrong->counts[rank * wrong->features + 1] = -1;
}

static void counts_misaligned(spoiled *wrong)
{
    const int ragged = wrong->call.batch.mode == EMBDIST_RAGGED;
    const void *past = (const char *)wrong->counts + 3;
    says(wrong, "%s is misaligned: its address is 3 past a multiple of 8, expected 0",
         ragged ? "batch_per_rank" : "batch_per_rank_feature");
    wrong->call.batch.per_rank = ragged ? past : NULL;
    wrong->call.batch.per_rank_feature = ragged ? NULL : past;
}

static void counts_huge(spoiled *wrong)
{
    says(wrong, "the counts add up to more than int64 can hold");
    wrong->counts[0] = INT64_MAX;
    wrong->counts[wrong->world - 1] = INT64_MAX;
}

/* The elements fit, the bytes do not. */
static void counts_too_many_bytes(spoiled *wrong)
{
    says(wrong, "the counts add up to more than int64 can hold");
    wrong->counts[0] = INT64_MAX / 13 - 1000;
}

static void features_huge(spoiled *wrong)
{
    says(wrong, "batch_per_rank_feature: the counts add up to more than int64 can hold");
    for (int64_t i = 0; i < wrong->world * wrong->features; i++)
        wrong->counts[i] = i % wrong->features ? INT64_MAX / 2 + 1 : 0; /* two are past int64 */
}

static void counts_null(spoiled *wrong)
{
    says(wrong, "batch_per_rank");
    says(wrong, "is NULL, expected %" PRId64 " counts",
         wrong->world * (wrong->call.batch.mode == EMBDIST_PER_FEATURE ? wrong->features : 1));
    wrong->call.batch.per_rank = wrong->call.batch.per_rank_feature = NULL;
}

/* ---- values that the codec must not send */

static void value_nan(spoiled *wrong)
{
    says(wrong, "[5] is ");
    says(wrong, "nan");
    says(wrong, "nonfinite = \"fail\"");
    wrong->values[5] = NAN;
    wrong->call.in = wrong->values;
}

static void value_infinite(spoiled *wrong)
{
    const int64_t last = wrong->in->count - 1;
    says(wrong, "[%" PRId64 "] is -inf", last);
    wrong->values[last] = -INFINITY;
    wrong->call.in = wrong->values;
}

/* fp16 with a loss scale of 2 */
static void value_large(spoiled *wrong)
{
    says(wrong, "[0] is 32753, ");
    says(wrong, "expected at most 32752");
    wrong->values[0] = 32753;
    wrong->call.in = wrong->values;
}

#define EVEN &bags, EMBDIST_EVEN
#define RAGGED &bags, EMBDIST_RAGGED
#define PER_FEATURE &bags, EMBDIST_PER_FEATURE
#define FORWARD EMBDIST_FORWARD, PERMUTE_NONE, 0
#define BACKWARD EMBDIST_BACKWARD, PERMUTE_NONE, 0
#define INVALID EMBDIST_INVALID_ARGUMENT

static const refusal calls[] = {
    {"an input one element short", EVEN, FORWARD, in_count_low, INVALID},
    {"an input one element long", RAGGED, FORWARD, in_count_high, INVALID},
    {"an input one element short", PER_FEATURE, BACKWARD, in_count_low, INVALID},
    {"an output one element short", EVEN, BACKWARD, out_count_low, INVALID},
    {"an output one element short", PER_FEATURE, FORWARD, out_count_low, INVALID},
    {"a negative length", RAGGED, BACKWARD, out_count_negative, INVALID},
    {"a NULL input", EVEN, FORWARD, in_null, INVALID},
    {"a NULL input", PER_FEATURE, BACKWARD, in_null, INVALID},
    {"a NULL output", RAGGED, FORWARD, out_null, INVALID},
    {"a NULL output", EVEN, BACKWARD, out_null, INVALID},
    {"a misaligned input", EVEN, FORWARD, in_misaligned, INVALID},
    {"a misaligned output", PER_FEATURE, BACKWARD, out_misaligned, INVALID},
    {"the output is the input", EVEN, FORWARD, out_is_in, INVALID},
    {"the output is the input", RAGGED, BACKWARD, out_is_in, INVALID},
    {"the output ends in the input", RAGGED, FORWARD, out_ends_in_in, INVALID},
    {"the output starts in the input", PER_FEATURE, FORWARD, out_starts_in_in, INVALID},
    {"a stream", EVEN, FORWARD, with_stream, INVALID},
    {"a function of another dist", EVEN, FORWARD, other_dist, INVALID},
    {"a mode that was not generated", &only_even, EMBDIST_EVEN, FORWARD, mode_not_generated,
     EMBDIST_UNSUPPORTED},
    {"a negative batch", EVEN, FORWARD, batch_negative, INVALID},
    {"a batch that the buffers do not have", EVEN, FORWARD, batch_other, INVALID},
    {"a batch past int64", EVEN, BACKWARD, batch_huge, INVALID},
    {"a negative count", RAGGED, FORWARD, count_negative, INVALID},
    {"a negative count", PER_FEATURE, BACKWARD, feature_negative, INVALID},
    {"misaligned counts", RAGGED, BACKWARD, counts_misaligned, INVALID},
    {"misaligned counts", PER_FEATURE, FORWARD, counts_misaligned, INVALID},
    {"counts whose sum passes int64", RAGGED, BACKWARD, counts_huge, INVALID},
    {"counts whose bytes pass int64", RAGGED, FORWARD, counts_too_many_bytes, INVALID},
    {"counts whose sum passes int64", PER_FEATURE, FORWARD, features_huge, INVALID},
    {"NULL counts", RAGGED, FORWARD, counts_null, INVALID},
    {"NULL counts", PER_FEATURE, BACKWARD, counts_null, INVALID},
};

/* World 1 has no codec and refuses no value: these are run by themselves. */
static const refusal values[] = {
    {"NaN, nonfinite = \"fail\"", &finite, EMBDIST_EVEN, FORWARD, value_nan, EMBDIST_NONFINITE},
    {"-inf, nonfinite = \"fail\"", &finite, EMBDIST_RAGGED, BACKWARD, value_infinite,
     EMBDIST_NONFINITE},
    {"too large for fp16, nonfinite = \"fail\"", &finite, EMBDIST_PER_FEATURE, FORWARD, value_large,
     EMBDIST_NONFINITE},
};

int main(void)
{
    const int call_count = sizeof calls / sizeof *calls;
    const int value_count = sizeof values / sizeof *values;
    plan(call_count + value_count);
    for (int i = 0; i < call_count; i++)
        refusal_run(&calls[i]);
    for (int i = 0; i < value_count; i++)
        refusal_run(&values[i]);
    return finish();
}
