/* descriptors.c: opening. Ranks whose descriptors differ in a single field all get an error that
 * names the field and both values; wrong arguments are refused on all ranks; and the next open
 * works. */
#include "dists.h"
#include "support.h"

#include "small.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORLD = 3, TEXTS = 3, TEXT = 160 };

/* A descriptor that can be changed: the parts that ranks compare are copies. */
typedef struct changed {
    embdist_descriptor descriptor;
    embdist_field fields[32];
    embdist_group groups[8];
    const char *names[8];
} changed;

static void copy_descriptor(changed *copy, const embdist_descriptor *from)
{
    copy->descriptor = *from;
    if (from->field_count > 32 || from->groups > 8 || from->features > 8)
        bail_out("a descriptor is larger than the test's copy");
    memcpy(copy->fields, from->fields, (size_t)from->field_count * sizeof *copy->fields);
    memcpy(copy->groups, from->group, (size_t)from->groups * sizeof *copy->groups);
    memcpy(copy->names, from->feature_names, (size_t)from->features * sizeof *copy->names);
    copy->descriptor.fields = copy->fields;
    copy->descriptor.group = copy->groups;
    copy->descriptor.feature_names = copy->names;
}

/* One open on all ranks, of which the odd one's is another. */
typedef struct opening {
    int64_t odd;
    const embdist_descriptor *usual, *odd_descriptor;
    embdist_options odd_options;
    int no_place;                  /* the odd rank gives no place for the dist */
    embdist_status status, others; /* of the odd rank; of the others */
    char says[TEXTS][TEXT];
    embdist_comm **comms;
    char why[WORLD][1024];
} opening;

static void open_rank(int64_t rank, void *context)
{
    opening *run = context;
    embdist_dist *dist = NULL, *again = NULL;
    const int odd = rank == run->odd;
    const embdist_status expected = odd ? run->status : run->others;
    embdist_status status =
        embdist_open(odd && run->no_place ? NULL : &dist, run->comms[rank],
                     odd ? run->odd_descriptor : run->usual, odd ? &run->odd_options : NULL);
    int right = status == expected && !dist;
    for (int i = 0; i < TEXTS; i++)
        right &= strstr(embdist_last_error(), run->says[i]) != NULL;
    if (!right)
        snprintf(run->why[rank], sizeof run->why[rank],
                 "rank %" PRId64 " got %s \"%s\", expected %s \"%s\" \"%s\" \"%s\"", rank,
                 embdist_status_name(status), embdist_last_error(), embdist_status_name(expected),
                 run->says[0], run->says[1], run->says[2]);
    status = embdist_open(&again, run->comms[rank], run->usual, NULL);
    if (status && right)
        snprintf(run->why[rank], sizeof run->why[rank], "the next open: %s", embdist_last_error());
    embdist_close(&dist);
    embdist_close(&again);
}

static void try_open(const opening *wanted, const char *name)
{
    int right = 1;
    for (int64_t odd = 0; odd < WORLD; odd++) {
        opening run = *wanted;
        run.odd = odd;
        run.comms = new_comms(WORLD);
        run_ranks(WORLD, open_rank, &run);
        for (int r = 0; r < WORLD; r++)
            if (*run.why[r]) {
                diag("rank %" PRId64 " is the odd one: %s", odd, run.why[r]);
                right = 0;
            }
        free_comms(WORLD, run.comms);
    }
    ok(right, "%s", name);
}

static opening mismatch(const embdist_descriptor *usual, const changed *odd)
{
    return (opening){.usual = usual,
                     .odd_descriptor = &odd->descriptor,
                     .odd_options = {.size = sizeof(embdist_options)},
                     .status = EMBDIST_MISMATCH,
                     .others = EMBDIST_MISMATCH};
}

/* Each field of the description in turn. */
static void each_field(const embdist_descriptor *usual)
{
    char name[TEXT];
    for (int64_t i = 0; i < usual->field_count; i++) {
        changed odd;
        copy_descriptor(&odd, usual);
        odd.fields[i].value = "another value";
        opening run = mismatch(usual, &odd);
        snprintf(run.says[0], TEXT, "embdist_open: ranks opened different dists: %s is \"",
                 usual->fields[i].name);
        snprintf(run.says[1], TEXT, "\"%s\" on rank ", usual->fields[i].value);
        snprintf(run.says[2], TEXT, "\"another value\" on rank ");
        snprintf(name, TEXT, "%s_%s: another %s", usual->spec, usual->name, usual->fields[i].name);
        try_open(&run, name);
    }
}

static void features_and_dims(void)
{
    const embdist_descriptor *usual = &small_bags;
    changed odd;
    copy_descriptor(&odd, usual);
    odd.names[1] = "items";
    opening run = mismatch(usual, &odd);
    snprintf(run.says[0], TEXT, "features[1] is \"");
    snprintf(run.says[1], TEXT, "\"item\" on rank");
    snprintf(run.says[2], TEXT, "\"items\" on rank");
    try_open(&run, "another name of a feature");

    copy_descriptor(&odd, usual);
    odd.groups[1].dim = 6;
    run = mismatch(usual, &odd);
    snprintf(run.says[0], TEXT, "dims[1] is ");
    snprintf(run.says[1], TEXT, "5 on rank");
    snprintf(run.says[2], TEXT, "6 on rank");
    try_open(&run, "another dim");

    copy_descriptor(&odd, usual);
    odd.groups[1].features = 1;
    odd.descriptor.features = 2;
    run = mismatch(usual, &odd);
    snprintf(run.says[0], TEXT, "the number of features is ");
    snprintf(run.says[1], TEXT, "3 on rank");
    snprintf(run.says[2], TEXT, "2 on rank");
    try_open(&run, "a feature less");

    copy_descriptor(&odd, usual);
    odd.descriptor.field_count--;
    run = mismatch(usual, &odd);
    snprintf(run.says[0], TEXT, "the number of fields is ");
    try_open(&run, "a field less");

    copy_descriptor(&odd, usual);
    run = mismatch(usual, &odd);
    run.odd_options.way = EMBDIST_WAY_STAGED;
    snprintf(run.says[0], TEXT, "embdist_open: options->way is ");
    try_open(&run, "another way");
}

static opening refused(const embdist_descriptor *usual, const embdist_descriptor *odd,
                       embdist_status status)
{
    return (opening){.usual = usual,
                     .odd_descriptor = odd,
                     .odd_options = {.size = sizeof(embdist_options)},
                     .status = status,
                     .others = EMBDIST_REFUSED};
}

static void arguments(void)
{
    const embdist_descriptor *usual = &small_words;
    opening run = refused(usual, NULL, EMBDIST_INVALID_ARGUMENT);
    snprintf(run.says[0], TEXT, "embdist_open: descriptor is NULL, expected a generated one");
    try_open(&run, "a NULL descriptor");

    run = refused(usual, usual, EMBDIST_INVALID_ARGUMENT);
    run.no_place = 1;
    snprintf(run.says[0], TEXT, "embdist_open: dist is NULL, expected the address of a dist");
    try_open(&run, "no place for the dist");

    run = refused(usual, usual, EMBDIST_INVALID_ARGUMENT);
    run.odd_options.size = 3;
    snprintf(run.says[0], TEXT, "options->size is 3, expected sizeof(embdist_options) = %zu",
             sizeof(embdist_options));
    try_open(&run, "options of another size");

    run = refused(usual, usual, EMBDIST_INVALID_ARGUMENT);
    run.odd_options.way = (embdist_way)7;
    snprintf(run.says[0], TEXT, "options->way is 7, expected an embdist_way");
    try_open(&run, "a way that there is not");

    changed odd;
    copy_descriptor(&odd, usual);
    odd.descriptor.descriptor_version = 99;
    run = refused(usual, &odd.descriptor, EMBDIST_UNSUPPORTED);
    snprintf(run.says[0], TEXT, "the descriptor's version is 99");
    snprintf(run.says[1], TEXT, "this runtime expects %d", EMBDIST_DESCRIPTOR_VERSION);
    try_open(&run, "a descriptor of another version");
}

/* An equal descriptor at another address is no difference: ranks may be different modules. */
static void open_copy(int64_t rank, void *context)
{
    embdist_comm **comms = context;
    embdist_dist *dist = NULL;
    changed copy;
    copy_descriptor(&copy, &small_bags);
    if (!embdist_open(&dist, comms[rank], rank ? &copy.descriptor : &small_bags, NULL))
        comms[WORLD + rank] = comms[rank];
    embdist_close(&dist);
}

static void equal_copy(void)
{
    embdist_comm *comms[2 * WORLD] = {NULL};
    embdist_comm_local(WORLD, comms);
    run_ranks(WORLD, open_copy, comms);
    ok(comms[WORLD] && comms[WORLD + 1] && comms[WORLD + 2],
       "descriptors with equal contents open together");
    for (int r = 0; r < WORLD; r++)
        embdist_comm_free(&comms[r]);
}

static void comm_arguments(void)
{
    embdist_comm *comm = NULL;
    ok(embdist_comm_local(0, &comm) == EMBDIST_INVALID_ARGUMENT && !comm &&
           strstr(embdist_last_error(), "world is 0, expected 1 to"),
       "a world of 0 is refused");
    ok(embdist_comm_local(-3, &comm) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "world is -3"),
       "a negative world is refused");
    ok(embdist_comm_local(2, NULL) == EMBDIST_INVALID_ARGUMENT &&
           strstr(embdist_last_error(), "comms is NULL, expected room for 2 comms"),
       "no place for comms is refused");
    embdist_comm_free(NULL);
    embdist_comm_free(&comm);
    ok(!embdist_close(NULL), "freeing and closing nothing is right");
}

int main(void)
{
    plan((int)(small_bags.field_count + small_words.field_count) + 5 + 5 + 1 + 4);
    each_field(&small_bags);
    each_field(&small_words);
    features_and_dims();
    arguments();
    equal_copy();
    comm_arguments();
    return finish();
}
