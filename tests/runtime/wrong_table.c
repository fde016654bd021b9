/* wrong_table.c: wrong calls of table-wise and gathering dists, each refused with a sentence that names
 * what is wrong, what was got and what was expected. What all kinds share is in wrong_pooled.c and
 * wrong_sequence.c. */
#include "refusal.h"

#include "small.h"

#include <inttypes.h>
#include <math.h>

static const test_dist tables = TEST_POOLED(small_tables), lists = TEST_SEQUENCE(small_lists),
                       gathered = TEST_POOLED(small_gathered),
                       finite = TEST_POOLED(small_finite_gathered);

static void in_long(spoiled *wrong)
{
    says(wrong, "%s is %" PRId64 ", expected %" PRId64 " elements by the counts",
         wrong->call.direction == EMBDIST_FORWARD ? "local_count" : "grad_out_count",
         wrong->call.in_count + 5, wrong->call.in_count);
    wrong->call.in_count += 5;
}

static void out_long(spoiled *wrong)
{
    says(wrong, "%s is %" PRId64 ", expected %" PRId64 " elements by the counts",
         wrong->call.direction == EMBDIST_FORWARD ? "out_count" : "grad_local_count",
         wrong->call.out_count + 1, wrong->call.out_count);
    wrong->call.out_count++;
}

/* The counts of all features, not only of the rank's own. */
static void last_count_negative(spoiled *wrong)
{
    const int64_t last = wrong->world * wrong->features - 1;
    says(wrong, "batch_per_rank_feature[%" PRId64 "][%" PRId64 "] is -3, expected 0 or more",
         wrong->world - 1, wrong->features - 1);
    wrong->counts[last] = -3;
}

static void count_huge(spoiled *wrong)
{
    says(wrong, "batch_per_rank: the counts add up to more than int64 can hold");
    wrong->counts[wrong->rank] = INT64_MAX / 16;
}

static void with_permute(spoiled *wrong)
{
    says(wrong, "batch->permute is not NULL, expected NULL: tw_sequence takes no permute");
    wrong->sequence.permute = wrong->send;
}

static void sends_more(spoiled *wrong)
{
    says(wrong,
         "the rows of all features for rank 0 add up to %" PRId64
         ", expected send_rows[0] = %" PRId64,
         wrong->send[0], wrong->send[0] + 1);
    wrong->send[0]++;
}

static void row_count_negative(spoiled *wrong)
{
    says(wrong, "send_rows[0] is -1, expected 0 or more");
    wrong->send[0] = -1;
}

static void value_nan(spoiled *wrong)
{
    says(wrong, "grad_out[1] is nan, but nonfinite = \"fail\"");
    wrong->values[1] = NAN;
    wrong->call.in = wrong->values;
}

#define INVALID EMBDIST_INVALID_ARGUMENT
#define FORWARD EMBDIST_FORWARD, PERMUTE_NONE, 0
#define BACKWARD EMBDIST_BACKWARD, PERMUTE_NONE, 0

static const refusal calls[] = {
    {"a long input", &tables, EMBDIST_EVEN, FORWARD, in_long, INVALID},
    {"a long input", &tables, EMBDIST_PER_FEATURE, BACKWARD, in_long, INVALID},
    {"a long output", &tables, EMBDIST_RAGGED, FORWARD, out_long, INVALID},
    {"a long output", &tables, EMBDIST_PER_FEATURE, BACKWARD, out_long, INVALID},
    {"a negative count", &tables, EMBDIST_PER_FEATURE, FORWARD, last_count_negative, INVALID},
    {"a count past int64", &tables, EMBDIST_RAGGED, BACKWARD, count_huge, INVALID},
    {"a long input", &lists, EMBDIST_SEQUENCE, FORWARD, in_long, INVALID},
    {"a long output", &lists, EMBDIST_SEQUENCE, BACKWARD, out_long, INVALID},
    {"a permute", &lists, EMBDIST_SEQUENCE, FORWARD, with_permute, INVALID},
    {"a permute", &lists, EMBDIST_SEQUENCE, BACKWARD, with_permute, INVALID},
    {"more rows to send than there are", &lists, EMBDIST_SEQUENCE, FORWARD, sends_more, INVALID},
    {"a negative number of rows", &lists, EMBDIST_SEQUENCE, BACKWARD, row_count_negative, INVALID},
    {"a long input", &gathered, EMBDIST_RAGGED, FORWARD, in_long, INVALID},
    {"a long input", &gathered, EMBDIST_EVEN, BACKWARD, in_long, INVALID},
    {"a long output", &gathered, EMBDIST_PER_FEATURE, FORWARD, out_long, INVALID},
    {"a negative count", &gathered, EMBDIST_PER_FEATURE, BACKWARD, last_count_negative, INVALID},
    {"a count past int64", &gathered, EMBDIST_RAGGED, FORWARD, count_huge, INVALID},
    {"NaN, nonfinite = \"fail\"", &finite, EMBDIST_EVEN, BACKWARD, value_nan, EMBDIST_NONFINITE},
};

int main(void)
{
    const int call_count = sizeof calls / sizeof *calls;
    plan(call_count);
    for (int i = 0; i < call_count; i++)
        refusal_run(&calls[i]);
    return finish();
}
