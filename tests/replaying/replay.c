/* replay.c: does every recorded case with a runner, holds it against the rules, prints TAP. */
#include "rules.h"

#include <inttypes.h>
#include <stdlib.h>

static int64_t line_number, failures, skips;
static rule_counts counts;

static const char *const direction_names[DIRECTIONS] = {"forward", "backward"};

static int64_t way_count(void)
{
    int64_t count = 0;
    while (runner_ways[count] != NULL)
        count++;
    return count;
}

static void print_line(int good, const recorded_case *of, int way, int direction)
{
    printf("%sok %" PRId64 " - %s %s %s", good ? "" : "not ", ++line_number, of->name,
           direction_names[direction], runner_ways[way]);
    failures += !good;
}

/* The same for every line that the case would have; why it is broken is said once. */
static void print_all(const recorded_case *of, const char *skip, const char *broken)
{
    int way, direction;
    for (way = 0; runner_ways[way] != NULL; way++) {
        for (direction = FORWARD; direction < DIRECTIONS; direction++) {
            const int first = way == 0 && direction == FORWARD;
            print_line(broken == NULL, of, way, direction);
            if (broken == NULL)
                printf(" # SKIP %s\n", skip);
            else if (first)
                printf("\n# %s\n", broken);
            else
                printf("\n");
            skips += broken == NULL;
        }
    }
}

/* One TAP line: every run of a way, one direction. */
static void judge_line(const loaded_case *loaded, int way, int direction, int64_t run_count,
                       const run *runs, const run *first)
{
    char *text = NULL;
    size_t size = 0;
    fault_list faults = {.notes = open_memstream(&text, &size)};
    int64_t i;
    if (faults.notes == NULL) {
        printf("Bail out! no memory for the diagnostics\n");
        exit(2);
    }
    for (i = 0; i < run_count; i++) {
        judge(loaded, direction, &runs[i], &counts, &faults);
        if (&runs[i] != first)
            judge_same_bits(loaded, direction, first, &runs[i], &faults);
    }
    fclose(faults.notes);
    print_line(faults.count == 0, loaded->recorded, way, direction);
    printf("\n%s", text);
    if (faults.count > 0)
        printf("# %" PRId64 " faults in all\n", faults.count);
    free(text);
}

static void do_case(const recorded_case *recorded)
{
    enum { MAX_WAYS = 2 };
    loaded_case loaded;
    char error[512];
    run runs[MAX_WAYS][MAX_RUNS];
    int64_t run_count[MAX_WAYS];
    int way, direction;
    if (load_case(&loaded, recorded, error, sizeof error) != 0) {
        print_all(recorded, NULL, error);
        unload_case(&loaded);
        return;
    }
    for (way = 0; runner_ways[way] != NULL; way++) {
        run_count[way] = run_case(&loaded, way, runs[way]);
        for (direction = FORWARD; direction < DIRECTIONS; direction++)
            judge_line(&loaded, way, direction, run_count[way], runs[way], &runs[0][0]);
        fflush(stdout);
    }
    while (way-- > 0)
        free_runs(&loaded, run_count[way], runs[way]);
    unload_case(&loaded);
}

int main(void)
{
    int64_t i, lines = 0;
    for (i = 0; i < recorded_case_count; i++)
        lines += recorded_cases[i].without_directions ? 1 : DIRECTIONS * way_count();
    printf("1..%" PRId64 "\n", lines);
    for (i = 0; i < recorded_case_count; i++) {
        const recorded_case *recorded = &recorded_cases[i];
        if (recorded->without_directions && recorded->skip != NULL) {
            skips++;
            printf("ok %" PRId64 " - %s # SKIP %s\n", ++line_number, recorded->name,
                   recorded->skip);
        } else if (recorded->without_directions) {
            failures++;
            printf("not ok %" PRId64 " - %s\n# %s\n", ++line_number, recorded->name,
                   recorded->broken);
        } else if (recorded->skip != NULL || recorded->broken != NULL)
            print_all(recorded, recorded->skip, recorded->broken);
        else
            do_case(recorded);
    }
    printf("# Compared values, of all cases and ways, by the rule that held (doc/design.md):\n"
           "#   packed wire values with the recorded bits: %" PRId64 "\n"
           "#   results with the recorded bits: %" PRId64 "\n"
           "#   sums: our bits by the recorded pieces, the recorded sum within its bound: %" PRId64
           "\n"
           "#   quotients by a loss scale that is no power of two, rounded once less: %" PRId64 "\n"
           "#   quotients by a power of two that the recorder's type cannot hold: %" PRId64 "\n"
           "#   sums that overflow in the recorder's type or order, not compared with it: %" PRId64
           "\n",
           counts.wire, counts.bitwise, counts.sums, counts.quotients, counts.subnormal_quotients,
           counts.overflowed);
    printf("# %" PRId64 " ok, %" PRId64 " skipped, %" PRId64 " not ok\n",
           line_number - failures - skips, skips, failures);
    return failures == 0 ? 0 : 1;
}
