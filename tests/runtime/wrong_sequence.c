/* wrong_sequence.c: wrong calls of sequence dists, each refused with a sentence that names what is
 * wrong, what was got and what was expected. */
#include "refusal.h"

#include "small.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const test_dist words = TEST_SEQUENCE(small_words), narrow = TEST_SEQUENCE(small_narrow),
                       finite = TEST_SEQUENCE(small_finite_words);

/* ---- buffers */

static void in_short(spoiled *wrong)
{
    says(wrong, " is %" PRId64 ", expected %" PRId64 " elements", wrong->call.in_count - 6,
         wrong->call.in_count);
    wrong->call.in_count -= 6;
}

static void out_long(spoiled *wrong)
{
    says(wrong, " is %" PRId64 ", expected %" PRId64 " elements", wrong->call.out_count + 6,
         wrong->call.out_count);
    wrong->call.out_count += 6;
}

static void in_null(spoiled *wrong)
{
    says(wrong, " is NULL, expected %" PRId64 " elements", wrong->call.in_count);
    wrong->call.in = NULL;
}

static void out_misaligned(spoiled *wrong)
{
    says(wrong, "is misaligned: its address is 3 past a multiple of 4");
    wrong->call.out = (float *)((uintptr_t)wrong->call.out + 3);
}

static void out_is_in(spoiled *wrong)
{
    says(wrong, "grad_local_embs overlaps grad_out, expected separate buffers");
    wrong->call.out = wrong->in->data;
}

static void out_is_permute(spoiled *wrong)
{
    says(wrong, "out overlaps permute, expected separate buffers");
    wrong->sequence.permute = wrong->call.out;
}

static void with_stream(spoiled *wrong)
{
    says(wrong, "stream is not NULL, expected NULL");
    wrong->call.stream = wrong;
}

/* ---- the batch struct */

static void batch_null(spoiled *wrong)
{
    says(wrong, "batch is NULL, expected an embdist_sequence_batch");
    wrong->call.batch.sequence = NULL;
}

static void size_zero(spoiled *wrong)
{
    says(wrong, "batch->size is 0, expected sizeof(embdist_sequence_batch) = %zu",
         sizeof wrong->sequence);
    wrong->sequence.size = 0;
}

static void size_large(spoiled *wrong)
{
    says(wrong, "batch->size is %zu, expected", sizeof wrong->sequence + 8);
    wrong->sequence.size += 8;
}

static void send_null(spoiled *wrong)
{
    says(wrong, "send_rows is NULL, expected %" PRId64 " counts", wrong->world);
    wrong->sequence.send_rows = NULL;
}

static void recv_null(spoiled *wrong)
{
    says(wrong, "recv_rows is NULL, expected %" PRId64 " counts", wrong->world);
    wrong->sequence.recv_rows = NULL;
}

static void rows_and_lengths_null(spoiled *wrong)
{
    says(wrong, "rows and lengths are NULL, expected one of them");
    wrong->sequence.rows = NULL;
    wrong->sequence.lengths = NULL;
    wrong->sequence.batch_per_rank = NULL;
}

static void lengths_null(spoiled *wrong)
{
    says(wrong, "rows and lengths are NULL, expected one of them");
    wrong->sequence.lengths = NULL;
}

static void batch_per_rank_null(spoiled *wrong)
{
    says(wrong, "batch_per_rank is NULL, expected %" PRId64 " counts beside lengths", wrong->world);
    wrong->sequence.batch_per_rank = NULL;
}

static void rows_and_lengths(spoiled *wrong)
{
    says(wrong, "rows and lengths are both given, expected one of them");
    wrong->sequence.rows = wrong->rows;
    wrong->sequence.lengths = wrong->lengths;
    wrong->sequence.batch_per_rank = wrong->batch_per_rank;
}

/* An address some bytes on. */
static const void *past(const void *array, int64_t bytes)
{
    return (const char *)array + bytes;
}

static void send_misaligned(spoiled *wrong)
{
    says(wrong, "send_rows is misaligned: its address is 3 past a multiple of 8, expected 0");
    wrong->sequence.send_rows = past(wrong->send, 3);
}

static void recv_misaligned(spoiled *wrong)
{
    says(wrong, "recv_rows is misaligned: its address is 4 past a multiple of 8, expected 0");
    wrong->sequence.recv_rows = past(wrong->recv, 4);
}

static void rows_misaligned(spoiled *wrong)
{
    says(wrong, "rows is misaligned: its address is 1 past a multiple of 8, expected 0");
    wrong->sequence.rows = past(wrong->rows, 1);
}

static void lengths_misaligned(spoiled *wrong)
{
    says(wrong, "lengths is misaligned: its address is 2 past a multiple of 4, expected 0");
    wrong->sequence.lengths = past(wrong->lengths, 2);
}

static void batch_per_rank_misaligned(spoiled *wrong)
{
    says(wrong, "batch_per_rank is misaligned: its address is 7 past a multiple of 8, expected 0");
    wrong->sequence.batch_per_rank = past(wrong->batch_per_rank, 7);
}

/* ---- counts */

static void send_negative(spoiled *wrong)
{
    says(wrong, "send_rows[0] is -1, expected 0 or more");
    wrong->send[0] = -1;
}

static void recv_negative(spoiled *wrong)
{
    says(wrong, "recv_rows[%" PRId64 "] is -7, expected 0 or more", wrong->world - 1);
    wrong->recv[wrong->world - 1] = -7;
}

static void rows_negative(spoiled *wrong)
{
    says(wrong, "rows[1][%" PRId64 "] is -2, expected 0 or more", wrong->world - 1);
    wrong->rows[2 * wrong->world - 1] = -2;
}

static void length_negative(spoiled *wrong)
{
    int64_t samples = 0;
    for (int64_t j = 0; j < wrong->world; j++)
        samples += wrong->batch_per_rank[j];
    says(wrong, "lengths[1][2] is -1, expected 0 or more");
    wrong->lengths[samples + 2] = -1;
}

static void batch_per_rank_negative(spoiled *wrong)
{
    says(wrong, "batch_per_rank[0] is -1, expected 0 or more");
    wrong->batch_per_rank[0] = -1;
}

static void rows_too_many(spoiled *wrong)
{
    says(wrong, "the rows of all features for rank 0 add up to ");
    says(wrong, "%" PRId64 ", expected send_rows[0] = %" PRId64, wrong->send[0] + 1,
         wrong->send[0]);
    wrong->rows[0]++;
}

static void rows_too_few(spoiled *wrong)
{
    const int64_t last = wrong->world - 1;
    says(wrong,
         "for rank %" PRId64 " add up to %" PRId64 ", expected send_rows[%" PRId64 "] = ", last,
         wrong->send[last] - wrong->rows[last], last);
    wrong->rows[last] = 0;
}

static void lengths_too_few(spoiled *wrong)
{
    int i = 0;
    while (!wrong->lengths[i])
        i++;
    says(wrong, "for rank 0 add up to %" PRId64 ", expected send_rows[0] = %" PRId64,
         wrong->send[0] - 1, wrong->send[0]);
    wrong->lengths[i]--;
}

static void length_huge(spoiled *wrong)
{
    says(wrong, "the rows of all features for rank 0 add up to at least ");
    wrong->lengths[0] = INT32_MAX;
}

static void send_huge(spoiled *wrong)
{
    says(wrong, "send_rows: the counts add up to more than int64 can hold");
    for (int64_t j = 0; j < wrong->world; j++)
        wrong->send[j] = wrong->world == 1 ? INT64_MAX : INT64_MAX / 2 + 1;
}

static void recv_huge(spoiled *wrong)
{
    says(wrong, "recv_rows: the counts add up to more than int64 can hold");
    wrong->recv[0] = INT64_MAX / 6;
}

/* The first feature alone is right; with the second the sum passes int64, and must not pass for it.
 */
static void rows_past_int64(spoiled *wrong)
{
    says(wrong, "the rows of all features for rank 0 add up to ");
    says(wrong, "expected send_rows[0] = %" PRId64, wrong->send[0]);
    wrong->rows[0] = wrong->send[0];
    wrong->rows[wrong->world] = INT64_MAX;
}

/* Two wrongs that make a right sum in 64 bits. */
static void rows_wrap_round(spoiled *wrong)
{
    says(wrong, "the rows of all features for rank 0 add up to ");
    wrong->rows[0] = INT64_MAX;
    wrong->rows[wrong->world] = INT64_MAX;
    wrong->rows[2 * wrong->world] = wrong->send[0] + 2;
}

static void output_rows_negative(spoiled *wrong)
{
    says(wrong, "output_rows is -1, expected 0 or more");
    wrong->sequence.output_rows = -1;
}

static void output_rows_huge(spoiled *wrong)
{
    says(wrong, "output_rows: the counts add up to more than int64 can hold");
    wrong->sequence.output_rows = INT64_MAX / 4;
}

/* ---- permute */

static void set_index(spoiled *wrong, int64_t i, int64_t value)
{
    if (wrong->call.entry->descriptor->index_bytes == 4)
        ((int32_t *)wrong->index)[i] = (int32_t)value;
    else
        ((int64_t *)wrong->index)[i] = value;
}

static void index_past_end(spoiled *wrong)
{
    const int64_t last = wrong->sequence.output_rows - 1;
    says(wrong, "permute[%" PRId64 "] is %" PRId64 ", expected an index of the %" PRId64, last,
         wrong->received, wrong->received);
    set_index(wrong, last, wrong->received);
}

static void index_negative(spoiled *wrong)
{
    says(wrong, "permute[1] is -1, expected an index of the %" PRId64 " received rows",
         wrong->received);
    set_index(wrong, 1, -1);
}

static void index_huge(spoiled *wrong)
{
    const int64_t huge = wrong->call.entry->descriptor->index_bytes == 4 ? INT32_MAX : INT64_MAX;
    says(wrong, "permute[0] is %" PRId64 ", expected an index of the", huge);
    set_index(wrong, 0, huge);
}

static void index_again(spoiled *wrong)
{
    says(wrong, "permute[2] is %" PRId64 " again, but a bijection was promised", wrong->permute[0]);
    set_index(wrong, 2, wrong->permute[0]);
}

static void row_left_out(spoiled *wrong)
{
    says(wrong, "permute has %" PRId64 " rows, but a bijection was promised: expected the %" PRId64,
         wrong->received - 1, wrong->received);
    wrong->sequence.output_rows--;
    if (wrong->call.direction == EMBDIST_FORWARD)
        wrong->call.out_count -= wrong->dim;
    else
        wrong->call.in_count -= wrong->dim;
}

static void permute_misaligned(spoiled *wrong)
{
    says(wrong, "permute is misaligned, expected a multiple of %" PRId64 " bytes",
         wrong->call.entry->descriptor->index_bytes);
    wrong->sequence.permute = (const void *)((uintptr_t)wrong->index + 2);
}

static void value_nan(spoiled *wrong)
{
    says(wrong, "[3] is ");
    says(wrong, "nonfinite = \"fail\"");
    wrong->values[3] = NAN;
    wrong->call.in = wrong->values;
}

/* No row is too large for fp16, but the sum of a row that is named twice is. */
static void sum_large(spoiled *wrong)
{
    int64_t again = 0, i = 0;
    for (again = 1; again < wrong->sequence.output_rows; again++) {
        for (i = 0; i < again && wrong->permute[i] != wrong->permute[again];)
            i++;
        if (i < again)
            break;
    }
    says(wrong, "is 120000, but nonfinite = \"fail\"");
    says(wrong, "grad_out[%" PRId64 "]", i * wrong->dim + 1);
    wrong->values[i * wrong->dim + 1] = wrong->values[again * wrong->dim + 1] = 60000;
    for (int64_t k = again + 1; k < wrong->sequence.output_rows; k++)
        if (wrong->permute[k] == wrong->permute[i])
            wrong->values[k * wrong->dim + 1] = 0;
    wrong->call.in = wrong->values;
}

#define WORDS &words, EMBDIST_SEQUENCE
#define NARROW &narrow, EMBDIST_SEQUENCE
#define FINITE &finite, EMBDIST_SEQUENCE
#define FORWARD EMBDIST_FORWARD
#define BACKWARD EMBDIST_BACKWARD
#define INVALID EMBDIST_INVALID_ARGUMENT
#define NONE PERMUTE_NONE
#define BIJECTION PERMUTE_BIJECTION
#define PROMISED PERMUTE_PROMISED
#define REPEATS PERMUTE_REPEATS
#define OMITS PERMUTE_OMITS

static const refusal calls[] = {
    {"an input a row short", WORDS, FORWARD, NONE, 0, in_short, INVALID},
    {"an output a row long", WORDS, BACKWARD, REPEATS, 1, out_long, INVALID},
    {"a NULL input", WORDS, BACKWARD, BIJECTION, 0, in_null, INVALID},
    {"a misaligned output", NARROW, FORWARD, OMITS, 1, out_misaligned, INVALID},
    {"the output is the input", WORDS, BACKWARD, NONE, 0, out_is_in, INVALID},
    {"the output is the permute", WORDS, FORWARD, BIJECTION, 0, out_is_permute, INVALID},
    {"a stream", NARROW, BACKWARD, NONE, 0, with_stream, INVALID},
    {"a NULL batch", WORDS, FORWARD, NONE, 0, batch_null, INVALID},
    {"a batch of size 0", WORDS, BACKWARD, NONE, 0, size_zero, INVALID},
    {"a batch of another size", NARROW, FORWARD, NONE, 0, size_large, INVALID},
    {"NULL send_rows", WORDS, FORWARD, NONE, 0, send_null, INVALID},
    {"NULL recv_rows", WORDS, BACKWARD, NONE, 0, recv_null, INVALID},
    {"neither rows nor lengths", WORDS, FORWARD, NONE, 0, rows_and_lengths_null, INVALID},
    {"rows and lengths", WORDS, FORWARD, NONE, 0, rows_and_lengths, INVALID},
    {"rows and lengths", NARROW, BACKWARD, REPEATS, 1, rows_and_lengths, INVALID},
    {"misaligned send_rows", WORDS, FORWARD, NONE, 0, send_misaligned, INVALID},
    {"misaligned recv_rows", WORDS, BACKWARD, NONE, 1, recv_misaligned, INVALID},
    {"misaligned rows", NARROW, FORWARD, NONE, 0, rows_misaligned, INVALID},
    {"misaligned lengths", NARROW, BACKWARD, NONE, 1, lengths_misaligned, INVALID},
    {"a misaligned batch_per_rank", WORDS, FORWARD, NONE, 1, batch_per_rank_misaligned, INVALID},
    {"NULL lengths", NARROW, FORWARD, NONE, 1, lengths_null, INVALID},
    {"lengths without batch_per_rank", NARROW, BACKWARD, NONE, 1, batch_per_rank_null, INVALID},
    {"a negative send count", WORDS, FORWARD, NONE, 1, send_negative, INVALID},
    {"a negative receive count", NARROW, BACKWARD, NONE, 0, recv_negative, INVALID},
    {"negative rows", WORDS, FORWARD, NONE, 0, rows_negative, INVALID},
    {"a negative length", WORDS, BACKWARD, NONE, 1, length_negative, INVALID},
    {"a negative batch", NARROW, FORWARD, NONE, 1, batch_per_rank_negative, INVALID},
    {"rows that add up to more", WORDS, FORWARD, BIJECTION, 0, rows_too_many, INVALID},
    {"rows that add up to less", NARROW, BACKWARD, NONE, 0, rows_too_few, INVALID},
    {"lengths that add up to less", WORDS, FORWARD, NONE, 1, lengths_too_few, INVALID},
    {"lengths that add up to more", NARROW, FORWARD, NONE, 1, length_huge, INVALID},
    {"send counts past int64", WORDS, FORWARD, NONE, 0, send_huge, INVALID},
    {"receive counts past int64", WORDS, BACKWARD, NONE, 0, recv_huge, INVALID},
    {"rows past int64 after a right sum", WORDS, FORWARD, NONE, 0, rows_past_int64, INVALID},
    {"rows whose sum wraps round", NARROW, FORWARD, NONE, 0, rows_wrap_round, INVALID},
    {"a negative number of output rows", WORDS, FORWARD, REPEATS, 0, output_rows_negative, INVALID},
    {"output rows past int64", WORDS, BACKWARD, REPEATS, 0, output_rows_huge, INVALID},
    {"an index past the end", WORDS, FORWARD, BIJECTION, 0, index_past_end, INVALID},
    {"an index past the end", NARROW, BACKWARD, REPEATS, 0, index_past_end, INVALID},
    {"a negative index", WORDS, BACKWARD, OMITS, 0, index_negative, INVALID},
    {"a negative index", NARROW, FORWARD, PROMISED, 0, index_negative, INVALID},
    {"a huge index", WORDS, FORWARD, PROMISED, 0, index_huge, INVALID},
    {"a huge index", NARROW, FORWARD, REPEATS, 0, index_huge, INVALID},
    {"a repeat where a bijection was promised", WORDS, FORWARD, PROMISED, 0, index_again, INVALID},
    {"a repeat where a bijection was promised", NARROW, BACKWARD, PROMISED, 0, index_again,
     INVALID},
    {"a row left out where a bijection was promised", WORDS, BACKWARD, PROMISED, 0, row_left_out,
     INVALID},
    {"a row left out where a bijection was promised", NARROW, FORWARD, PROMISED, 1, row_left_out,
     INVALID},
    {"a misaligned permute", WORDS, FORWARD, BIJECTION, 0, permute_misaligned, INVALID},
    {"a misaligned permute", NARROW, BACKWARD, BIJECTION, 0, permute_misaligned, INVALID},
    {"NaN, nonfinite = \"fail\"", FINITE, FORWARD, NONE, 0, value_nan, EMBDIST_NONFINITE},
    {"NaN, nonfinite = \"fail\"", FINITE, BACKWARD, BIJECTION, 0, value_nan, EMBDIST_NONFINITE},
    {"a sum of repeats too large for fp16, nonfinite = \"fail\"", FINITE, BACKWARD, REPEATS, 0,
     sum_large, EMBDIST_NONFINITE},
};

int main(void)
{
    const int count = sizeof calls / sizeof *calls;
    plan(count);
    for (int i = 0; i < count; i++)
        refusal_run(&calls[i]);
    return finish();
}
