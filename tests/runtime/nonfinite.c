/* nonfinite.c: nonfinite = "fail" with codecs of groups, rows of 16 bits and mixed dims: a call is
 * refused for one value that is not finite, wherever it is, and the sentence names its element. */
#include "cases.h"
#include "formats.h"

#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD = 3, DISTS = 3, SENTENCE = 512 };
static const test_dist dists[DISTS] = {TEST_POOLED(groups_finite_bags),
                                       TEST_POOLED(groups_finite_tables),
                                       TEST_SEQUENCE(groups_finite_words)};

/* One call: rank `wrong` has a value that is refused. */
typedef struct refused {
    test_case *made;
    embdist_way way;
    embdist_comm **comms;
    int64_t wrong;
    embdist_status status[WORLD];
    char sentence[WORLD][SENTENCE];
    int untouched[WORLD];
} refused;

static void run_rank(int64_t rank, void *context)
{
    refused *all = context;
    embdist_dist *dist = NULL;
    if (open_dist(&dist, all->comms[rank], all->made->shape.entry, all->way))
        bail_out("%s", embdist_last_error());
    case_reset(all->made, rank);
    all->status[rank] = case_start(all->made, rank, dist, NULL);
    snprintf(all->sentence[rank], SENTENCE, "%s", embdist_last_error());
    all->untouched[rank] = buffer_is_untouched(&all->made->out[rank]);
    embdist_close(&dist);
}

static int is_refused(const refused *all, const char *expected)
{
    int right = 1;
    for (int64_t r = 0; r < WORLD; r++) {
        const embdist_status status = r == all->wrong ? EMBDIST_NONFINITE : EMBDIST_REFUSED;
        if (all->status[r] == status && strstr(all->sentence[r], expected) && all->untouched[r])
            continue;
        diag("%s, rank %lld of which %lld is wrong: %s \"%s\"%s, expected \"%s\"",
             all->made->shape.entry->name, (long long)r, (long long)all->wrong,
             embdist_status_name(all->status[r]), all->sentence[r],
             all->untouched[r] ? "" : " and has written", expected);
        right = 0;
    }
    return right;
}

/* Puts `value` at a random element of a random rank that has some; with `later`, NaN after it too. */
static int refuses(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                   permute_style permute, float value, int later, random_state *random)
{
    const int64_t batch[WORLD] = {2, 3, 1};
    const reference_format dtype = dtype_of(entry->descriptor);
    const case_shape shape = {.entry = entry,
                              .world = WORLD,
                              .mode = mode,
                              .direction = direction,
                              .batch = batch,
                              .permute = permute};
    refused all = {.made = case_new(&shape, random), .comms = new_comms(WORLD)};
    char expected[128];
    do
        all.wrong = random_below(random, WORLD);
    while (!all.made->in[all.wrong].count);
    const buffer *in = &all.made->in[all.wrong];
    const int64_t element = random_below(random, in->count);
    put_row_value(dtype, in->rows, element, value);
    if (later)
        put_row_value(dtype, in->rows, element + random_below(random, in->count - element), value);
    snprintf(expected, sizeof expected, "%s[%lld] is %s, but nonfinite = \"fail\"",
             direction == EMBDIST_FORWARD ? "local_embs" : "grad_out", (long long)element,
             isnan(value) ? "nan" : "-inf");
    int right = 1;
    for (int way = EMBDIST_WAY_IN_PLACE; way <= EMBDIST_WAY_STAGED; way++) {
        all.way = (embdist_way)way;
        run_ranks(WORLD, run_rank, &all);
        right &= is_refused(&all, expected);
    }
    free_comms(WORLD, all.comms);
    case_free(all.made);
    return right;
}

static void run_mode(const test_dist *entry, embdist_mode mode, embdist_direction direction,
                     random_state *random)
{
    const int times = is_small() ? 20 : 60;
    int right = 1;
    for (int i = 0; i < times; i++) {
        const permute_style permute = (permute_style)(i % PERMUTE_STYLES);
        /* of two rows, a sum names the one that comes first in it, not in the input */
        const int later = mode != EMBDIST_SEQUENCE && i % 3 == 0;
        right &= refuses(entry, mode, direction, permute, i % 2 ? NAN : -INFINITY, later, random);
    }
    ok(right, "%s %s %s: %s, rows of %s", entry->descriptor->kind, mode_text(mode),
       direction_text(direction), field_of(entry->descriptor, direction_text(direction)),
       field_of(entry->descriptor, "dtype"));
}

int main(void)
{
    plan(2 * (3 + 3 + 1));
    random_state random = random_start();
    for (int i = 0; i < DISTS; i++)
        for (int m = EMBDIST_EVEN; m <= EMBDIST_SEQUENCE; m++)
            for (int d = EMBDIST_FORWARD; d <= EMBDIST_BACKWARD; d++)
                if (dists[i].descriptor->modes & EMBDIST_MODE_BIT(m))
                    run_mode(&dists[i], (embdist_mode)m, (embdist_direction)d, &random);
    return finish();
}
