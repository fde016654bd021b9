/* group_stochastic.c: stochastic rounding of the codecs of groups gives the two neighbours of a
 * value, as often as makes their mean the value; what a code stands for it leaves alone.
 *
 * Compiled with group_codecs.c and group_truth.c, with -I of runtime/ and -lm. */
#include "group_truth.h"

#include <inline/random.h>

enum { COUNT = 33, ROUNDINGS = 20000 };

static int64_t complain(const struct group_codec *codec, int isa, const char *what, double value,
                        double expected, double got)
{
    static int told;
    if (told++ < 20) {
        printf("# %s %s: %s: value %a: expected %.9g, got %.9g\n", codec->name, isa_names[isa],
               what, value, expected, got);
    }
    return 1;
}

/* Rounds a group often. The two neighbours are what the least and the greatest random number give,
 * a step apart at most, and there are no other results; the mean is the value within four standard
 * errors and what is left by a random number's 16 bits. */
static int64_t check_mean(const struct group_codec *codec, int isa)
{
    const int64_t roundings = runs(ROUNDINGS);
    const uint64_t key = embdist_random_key(11, isa);
    int64_t wrong = 0;
    random_seed(8);
    for (int kind = 0; kind < 4; ++kind) {
        float values[COUNT], rounded[COUNT];
        double sum[COUNT] = {0};
        float least[COUNT], most[COUNT];
        int64_t between[COUNT] = {0};
        uint32_t random[COUNT];
        struct scale scale;
        make_values(values, COUNT, kind == 2 ? 3 : kind == 3 ? 8 : kind);
        codec->by[isa].look(&scale, values, COUNT);
        const struct truth truth = truth_of(codec, values, COUNT);
        for (int i = 0; i < COUNT; ++i) {
            random[i] = 0;
        }
        codec->by[isa].round(least, values, COUNT, &scale, random);
        for (int i = 0; i < COUNT; ++i) {
            random[i] = UINT32_MAX;
        }
        codec->by[isa].round(most, values, COUNT, &scale, random);
        for (int64_t number = 0; number < roundings; ++number) {
            const uint64_t row = embdist_random_row(key, number);
            for (int i = 0; i < COUNT; ++i) {
                random[i] = embdist_random(row, i);
            }
            codec->by[isa].round(rounded, values, COUNT, &scale, random);
            for (int i = 0; i < COUNT; ++i) {
                between[i] += rounded[i] != least[i] && rounded[i] != most[i];
                sum[i] += (double)rounded[i] - (double)values[i];
            }
        }
        for (int i = 0; i < COUNT; ++i) {
            const double x = (double)values[i],
                         gap = (double)most[i] - (double)least[i]; /* signed */
            const double part = gap != 0 ? (x - (double)least[i]) / gap : 0;
            const double bound = error_bound(codec, &truth, values[i]);
            const double n = (double)roundings;
            const double deviation = fabs(gap) * sqrt(fmax(part * (1 - part), 1 / n) / n);
            /* for int8: the roundings of fp32 on the way, which are no matter of chance */
            const double rest = codec->kind == INT8 ? bound - truth.step : 0x1p-20 * fabs(x);
            const double allowed = 4 * deviation + bound * 0x1p-15 + rest;
            if (codec->kind == MX4 && fabs(x) > 6 * truth.step) {
                continue; /* becomes the largest element, always */
            }
            if (between[i] > 0) {
                wrong += complain(codec, isa, "more than two results", x, 0, (double)between[i]);
            }
            if (fabs((double)least[i] - x) > bound || fabs((double)most[i] - x) > bound) {
                wrong += complain(codec, isa, "no neighbour", x, (double)least[i], (double)most[i]);
            }
            if (fabs(sum[i] / n) > allowed) {
                wrong += complain(codec, isa, "another mean", x, x, x + sum[i] / n);
            }
        }
    }
    return wrong;
}

/* The least, the greatest, a tie's and random numbers. */
static uint32_t some_random(int64_t number)
{
    return number % 4 == 0 ? 0 : number % 4 == 1 ? UINT32_MAX : (uint32_t)random_bits();
}

/* What arrived arrives again. int8: always on grids that fp32 has exactly (a step that is a power
 * of two), elsewhere but for once in a thousand times: the place of a code is not exact there. */
static int64_t check_grid(const struct group_codec *codec, int isa)
{
    int64_t moved = 0, all = 0;
    random_seed(9);
    for (int64_t number = 0; number < runs(8000); ++number) {
        float values[COUNT], once[COUNT], again[COUNT];
        uint32_t random[COUNT];
        struct scale scale;
        const int exact = number % 2 == 0;
        make_values(values, COUNT, number % 4 < 2 ? 0 : 3);
        if (exact && codec->kind == INT8) {
            const float step = ldexpf(1, (int)pick(120) - 60), bias = (float)(pick(2000) - 1000);
            for (int i = 0; i < COUNT; ++i) {
                values[i] = (bias + (float)(i == 0 ? 0 : i == 1 ? 255 : pick(256))) * step;
            }
        }
        codec->by[isa].look(&scale, values, COUNT);
        for (int i = 0; i < COUNT; ++i) {
            random[i] = some_random(number + i);
        }
        codec->by[isa].round(once, values, COUNT, &scale, random);
        for (int i = 0; i < COUNT; ++i) { /* int8: numbers as they come */
            random[i] =
                exact || codec->kind != INT8 ? some_random(pick(4)) : (uint32_t)random_bits();
        }
        const struct truth truth = truth_of(codec, values, COUNT);
        codec->by[isa].round(again, once, COUNT, &scale, random);
        for (int i = 0; i < COUNT; ++i) {
            const float should = exact && codec->kind == INT8 ? values[i] : once[i];
            /* what is beyond a group's largest value is no code of the group */
            const int beyond =
                codec->kind != INT8 && fabs((double)should) > truth.largest * (1 + 0x1p-20);
            const int differs = !beyond && !equal(again[i], should);
            moved += differs;
            ++all;
            if (differs && (exact || codec->kind != INT8)) {
                return complain(codec, isa, "a value of a code moves", (double)once[i],
                                (double)should, (double)again[i]);
            }
        }
    }
    return moved * 1000 > all ? complain(codec, isa, "values of codes move", 0, 0, (double)moved)
                              : 0;
}

/* Halfway between two codes the least random number and the greatest give different ones, and the
 * share of each is one half. Without stochastic rounding a random number says nothing. */
static int64_t check_choice(const struct group_codec *codec, int isa)
{
    /* the range, and values between the elements of every format */
    const float values[] = {1, -0.5F, 1.0F / 3, -0.3F, 0.11F, 0.7F, -0.01F, 0.77F};
    enum { VALUES = sizeof values / sizeof values[0] };
    const uint32_t none[VALUES] = {0};
    uint32_t all[VALUES];
    float low[VALUES], high[VALUES];
    struct scale scale;
    int64_t wrong = 0;
    for (int i = 0; i < VALUES; ++i) {
        all[i] = UINT32_MAX;
    }
    codec->by[isa].look(&scale, values, VALUES);
    codec->by[isa].round(low, values, VALUES, &scale, none);
    codec->by[isa].round(high, values, VALUES, &scale, all);
    for (int i = 2; i < VALUES; ++i) {
        const int differ = !equal(low[i], high[i]);
        if (differ != codec->stochastic) {
            wrong += complain(codec, isa, "the random number's say", (double)values[i],
                              (double)low[i], (double)high[i]);
        }
    }
    return wrong;
}

/* Rows that differ in number, rank or seed, 0 among them, are rounded differently (N19). */
static int64_t check_seeds(const struct group_codec *codec, int isa)
{
    float values[COUNT], first[COUNT], other[COUNT];
    uint32_t random[COUNT];
    struct scale scale;
    int64_t wrong = 0;
    random_seed(10);
    make_values(values, COUNT, 0);
    codec->by[isa].look(&scale, values, COUNT);
    for (int which = 0; which < 4; ++which) { /* seed 0, seed 1, rank 1, row 1 */
        const uint64_t key = embdist_random_key(which == 1, which == 2);
        const uint64_t row = embdist_random_row(key, which == 3);
        int differ = 0;
        for (int i = 0; i < COUNT; ++i) {
            random[i] = embdist_random(row, i);
        }
        codec->by[isa].round(which == 0 ? first : other, values, COUNT, &scale, random);
        for (int i = 0; which > 0 && i < COUNT; ++i) {
            differ += !equal(first[i], other[i]);
        }
        if (which > 0 && differ < 4) {
            wrong += complain(codec, isa, "values that another seed, rank or row moves", which, 4,
                              differ);
        }
    }
    return wrong;
}

int main(void)
{
    static const struct {
        const char *name;
        int stochastic; /* only */
        int64_t (*run)(const struct group_codec *codec, int isa);
    } CHECKS[] = {
        {"the mean of many roundings is the value", 1, check_mean},
        {"the value of a code stays", 1, check_grid},
        {"the random number decides where it should", 0, check_choice},
        {"seed, rank and row matter", 1, check_seeds},
    };
    int lines = 0;
    for (int c = 0; c < GROUP_CODECS; ++c) {
        lines += TAP_ISAS * (group_codecs[c].stochastic ? 4 : 1);
    }
    tap_plan(lines);
    for (int c = 0; c < GROUP_CODECS; ++c) {
        for (int i = 0; i < 4; ++i) {
            for (int isa = 0; isa < TAP_ISAS; ++isa) {
                const char *why_not = tap_why_not(isa);
                char name[128];
                snprintf(name, sizeof name, "%s %s: %s", group_codecs[c].name, isa_names[isa],
                         CHECKS[i].name);
                if (group_codecs[c].stochastic || !CHECKS[i].stochastic) {
                    tap_line(why_not || CHECKS[i].run(&group_codecs[c], isa) == 0, name, why_not);
                }
            }
        }
    }
    return tap_status();
}
