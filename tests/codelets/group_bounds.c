/* group_bounds.c: what arrives through a codec of groups is as near to what was sent as
 * doc/wire.md says, value by value; and the bound is no wider than it need be: with half of it, at
 * least a tenth of the rows of ordinary numbers would fail.
 *
 * Compiled with group_codecs.c and group_truth.c, with -I of runtime/ and -lm. */
#include "group_truth.h"

enum { LENGTHS = 12 };
static const int64_t LENGTH[LENGTHS] = {1, 2, 3, 5, 8, 16, 17, 31, 32, 33, 128, 255};

static int complain(const struct group_codec *codec, const float *values, int64_t count, int64_t i,
                    float got, double bound)
{
    static int told;
    if (told++ < 20) {
        printf(
            "# %s: value %lld of %lld: sent %a, got %a, allowed error %g, error %g (first: %a)\n",
            codec->name, (long long)i, (long long)count, (double)values[i], (double)got, bound,
            fabs((double)got - (double)values[i]), (double)values[0]);
    }
    return 1;
}

/* A value that is off by more than `part` of its bound, or NaN where it should not be. */
static int64_t first_wrong(const struct group_codec *codec, const float *values,
                           const float *decoded, int64_t count, double part, int tell)
{
    const struct truth truth = truth_of(codec, values, count);
    for (int64_t i = 0; i < count; ++i) {
        const double x = true_value(codec, &truth, values[i]);
        const double bound = part * error_bound(codec, &truth, values[i]);
        const int nan = isnan(values[i]) || (codec->kind == MX4 && truth.nans);
        const int right = nan        ? isnan(decoded[i])
                          : isinf(x) ? (double)decoded[i] == x
                                     : fabs((double)decoded[i] - x) <= bound;
        if (!right) {
            return tell ? complain(codec, values, count, i, decoded[i], bound) : 1;
        }
    }
    return 0;
}

static int64_t wrong_rows(const struct group_codec *codec, int kinds, double part, int64_t *rows)
{
    float values[DIM_MOST], decoded[DIM_MOST];
    uint32_t random[DIM_MOST];
    int64_t wrong = 0;
    *rows = runs(40000);
    for (int64_t number = 0; number < *rows; ++number) {
        const int64_t count = LENGTH[pick(LENGTHS)];
        make_values(values, count, (int)pick(kinds));
        for (int64_t i = 0; i < count; ++i) { /* the extremes more often */
            random[i] = pick(8) ? (uint32_t)random_bits() : pick(2) ? UINT32_MAX : 0;
        }
        pass(codec, TAP_PLAIN, decoded, values, count, random);
        wrong += first_wrong(codec, values, decoded, count, part, part == 1);
    }
    return wrong;
}

int main(void)
{
    tap_plan(2 * GROUP_CODECS);
    for (int c = 0; c < GROUP_CODECS; ++c) {
        const struct group_codec *codec = &group_codecs[c];
        char name[128];
        int64_t rows;
        random_seed(2);
        snprintf(name, sizeof name, "%s: every value within its bound", codec->name);
        tap_line(wrong_rows(codec, VALUE_KINDS, 1, &rows) == 0, name, NULL);
        random_seed(3);
        /* two kinds of ordinary numbers */
        const int64_t wrong = wrong_rows(codec, 2, 0.5, &rows);
        printf("# %s: half of the bound fails %lld of %lld rows\n", codec->name, (long long)wrong,
               (long long)rows);
        snprintf(name, sizeof name, "%s: half of the bound is too little", codec->name);
        tap_line(10 * wrong >= rows, name, NULL);
    }
    return tap_status();
}
