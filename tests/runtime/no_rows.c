/* no_rows.c: calls without any row, with NULL for every buffer, as the first calls of a dist: no
 * workspace is there yet, and no pointer to offset from. What it would find, the undefined-behaviour
 * sanitizer reports: the calls themselves would succeed. */
#include "support.h"

#include "small.h"

enum { WORLD = 3 };

static const int64_t none[WORLD * 4] = {0}; /* for each rank and feature */

static embdist_comm **comms;
static embdist_way way;

static int pooled(embdist_dist *bags)
{
    return !small_bags_forward_even(bags, NULL, 0, 0, NULL, 0, NULL, NULL) &&
           !small_bags_forward_ragged(bags, NULL, 0, none, NULL, 0, NULL, NULL) &&
           !small_bags_forward_per_feature(bags, NULL, 0, none, NULL, 0, NULL, NULL) &&
           !small_bags_backward_even(bags, NULL, 0, 0, NULL, 0, NULL, NULL) &&
           !small_bags_backward_ragged(bags, NULL, 0, none, NULL, 0, NULL, NULL) &&
           !small_bags_backward_per_feature(bags, NULL, 0, none, NULL, 0, NULL, NULL);
}

static int sequences(embdist_dist *words, const int64_t *permute, int bijection)
{
    const embdist_sequence_batch batch = {.size = sizeof batch,
                                          .send_rows = none,
                                          .recv_rows = none,
                                          .rows = none,
                                          .permute = permute,
                                          .bijection = bijection};
    return !small_words_forward(words, NULL, 0, &batch, NULL, 0, NULL, NULL) &&
           !small_words_backward(words, NULL, 0, &batch, NULL, 0, NULL, NULL);
}

/* Of the other pooled kinds, by their functions. */
static int table_wise(embdist_dist *tables, embdist_dist *lists, embdist_dist *gathered)
{
    const embdist_sequence_batch batch = {
        .size = sizeof batch, .send_rows = none, .recv_rows = none, .rows = none};
    return !small_tables_forward_even(tables, NULL, 0, 0, NULL, 0, NULL, NULL) &&
           !small_tables_backward_ragged(tables, NULL, 0, none, NULL, 0, NULL, NULL) &&
           !small_tables_forward_per_feature(tables, NULL, 0, none, NULL, 0, NULL, NULL) &&
           !small_lists_forward(lists, NULL, 0, &batch, NULL, 0, NULL, NULL) &&
           !small_lists_backward(lists, NULL, 0, &batch, NULL, 0, NULL, NULL) &&
           !small_gathered_forward_ragged(gathered, NULL, 0, none, NULL, 0, NULL, NULL) &&
           !small_gathered_backward_even(gathered, NULL, 0, 0, NULL, 0, NULL, NULL) &&
           !small_gathered_backward_per_feature(gathered, NULL, 0, none, NULL, 0, NULL, NULL);
}

static void each_rank(int64_t rank, void *results)
{
    static const int64_t owners[] = {0, 0, 0, 0}; /* the other ranks hold none */
    const embdist_options options = {.size = sizeof options, .way = way};
    const embdist_options owned = {.size = sizeof owned, .way = way, .owners = owners};
    embdist_comm *comm = comms ? comms[rank] : NULL;
    embdist_dist *bags = NULL, *words = NULL, *tables = NULL, *lists = NULL, *gathered = NULL;
    int *right = results;
    right[rank] = !embdist_open(&bags, comm, &small_bags, &options) &&
                  !embdist_open(&words, comm, &small_words, &options) &&
                  !embdist_open(&tables, comm, &small_tables, &owned) &&
                  !embdist_open(&lists, comm, &small_lists, &owned) &&
                  !embdist_open(&gathered, comm, &small_gathered, &options) && pooled(bags) &&
                  table_wise(tables, lists, gathered) && sequences(words, NULL, 0) &&
                  sequences(words, none, 0) && sequences(words, none, 1);
    if (!right[rank])
        diag("rank %d: %s", (int)rank, embdist_last_error());
    embdist_close(&bags);
    embdist_close(&words);
    embdist_close(&tables);
    embdist_close(&lists);
    embdist_close(&gathered);
}

int main(void)
{
    static const char *const names[] = {"", "in place", "staged"};
    plan(4);
    for (way = EMBDIST_WAY_IN_PLACE; way <= EMBDIST_WAY_STAGED; way++) {
        int right[WORLD] = {0};
        comms = new_comms(WORLD);
        run_ranks(WORLD, each_rank, right);
        free_comms(WORLD, comms);
        ok(right[0] && right[1] && right[2], "three ranks, %s", names[way]);
        comms = NULL;
        each_rank(0, right);
        ok(right[0], "no comm, %s", names[way]);
    }
    return finish();
}
