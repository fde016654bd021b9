/* replay.c [RESULTS]: does every recorded case with a runner, holds it against the rules, prints TAP.
 * What other programs said of the cases of codecs and formats by themselves is in RESULTS: lines
 * "ok - OP/NAME" or "not ok - OP/NAME", and comments, "# OP/NAME: ...". */
#include "alone.h"
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

/* Whether half of the bound would have been too little for a line of a codec of groups. */
static void count_half(const recorded_case *recorded, int direction)
{
    reference_format format = recorded->shape->codec[direction].format;
    if (!reference_is_element(format) && recorded->world > 1) {
        counts.groups.lines[format][direction]++;
        counts.groups.beyond_half[format][direction] += counts.groups.worst > 0.5;
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
    counts.groups.worst = 0;
    for (i = 0; i < run_count; i++) {
        judge(loaded, direction, &runs[i], &counts, &faults);
        if (&runs[i] != first)
            judge_same_bits(loaded, direction, first, &runs[i], &faults);
    }
    count_half(loaded->recorded, direction);
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

/* A case of a codec or format: another program did it. */
static void tell_alone(const alone_results *alone, const recorded_case *of)
{
    const char *skip = of->skip, *broken = of->broken;
    int good = skip != NULL || (broken == NULL && alone_is_right(alone, of->alone));
    printf("%sok %" PRId64 " - %s%s%s\n", good ? "" : "not ", ++line_number, of->name,
           skip != NULL ? " # SKIP " : "", skip != NULL ? skip : "");
    failures += !good;
    skips += skip != NULL;
    if (broken != NULL)
        printf("# %s\n", broken);
    else if (skip == NULL && !alone_is_told(alone, of->alone))
        printf("# the program of tests/codelets said nothing of it\n");
    else if (skip == NULL)
        alone_print(alone, of->alone);
}

/* Whether a codec stands instead of the recorded ones, in cases that encode. */
static int stands_instead(int format)
{
    int64_t i;
    for (i = 0; i < recorded_case_count; i++) {
        const recorded_case *of = &recorded_cases[i];
        if (of->shape != NULL && of->instead && of->world > 1 &&
            of->shape->codec[FORWARD].format == (reference_format)format)
            return 1;
    }
    return 0;
}

static const char *const group_codec_names[GROUP_FORMATS] = {
    [REFERENCE_INT8] = "int8",
    [REFERENCE_FP8_E4M3] = "fp8_e4m3",
    [REFERENCE_FP8_E5M2] = "fp8_e5m2",
    [REFERENCE_MX4] = "mx4",
};

/* The bounds could be much too wide, and hold anything: for each codec that stands instead, and each
 * direction, a tenth of the lines must not fit into half of their bounds. */
static void print_half(int format, int direction)
{
    int64_t lines = counts.groups.lines[format][direction];
    int64_t beyond = counts.groups.beyond_half[format][direction];
    int good = lines > 0 && 10 * beyond >= lines;
    if (lines > 0)
        printf("# %s %s: with half of the bound, %" PRId64 " of %" PRId64 " lines would fail\n",
               group_codec_names[format], direction_names[direction], beyond, lines);
    if (stands_instead(format)) {
        printf("%sok %" PRId64 " - half of the bound is too little: %s %s\n", good ? "" : "not ",
               ++line_number, group_codec_names[format], direction_names[direction]);
        failures += !good;
    }
}

static void print_halves(void)
{
    int format, direction;
    for (format = REFERENCE_INT8; format < GROUP_FORMATS; format++) {
        for (direction = FORWARD; direction < DIRECTIONS; direction++)
            print_half(format, direction);
    }
}

static void print_counts(void)
{
    int sort;
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
    printf("# The same of codecs of groups:\n"
           "#   packed codes and scales with the recorded bits: %" PRId64 "\n"
           "#   packed codes that decode within the bound: %" PRId64 "\n",
           counts.groups.wire_bits, counts.groups.wire_bound);
    for (sort = 0; sort < GROUP_SORTS; sort++)
        printf("#   results %s: %" PRId64 "\n", group_sort_names[sort], counts.groups.moved[sort]);
    printf("#   sums within the sum of the bounds: %" PRId64 "\n"
           "#   sums beyond fp32, not compared: %" PRId64 "\n",
           counts.groups.sums, counts.groups.overflowed);
}

static int64_t planned_lines(void)
{
    int64_t i, lines = 0;
    int format;
    for (i = 0; i < recorded_case_count; i++)
        lines += recorded_cases[i].without_directions ? 1 : DIRECTIONS * way_count();
    for (format = REFERENCE_INT8; format < GROUP_FORMATS; format++)
        lines += DIRECTIONS * stands_instead(format);
    return lines;
}

int main(int argument_count, char **arguments)
{
    alone_results alone = alone_load(argument_count > 1 ? arguments[1] : NULL);
    int64_t i;
    printf("1..%" PRId64 "\n", planned_lines());
    for (i = 0; i < recorded_case_count; i++) {
        const recorded_case *recorded = &recorded_cases[i];
        if (recorded->without_directions)
            tell_alone(&alone, recorded);
        else if (recorded->skip != NULL || recorded->broken != NULL)
            print_all(recorded, recorded->skip, recorded->broken);
        else
            do_case(recorded);
    }
    alone_free(&alone);
    print_halves();
    print_counts();
    printf("# %" PRId64 " ok, %" PRId64 " skipped, %" PRId64 " not ok\n",
           line_number - failures - skips, skips, failures);
    return failures == 0 ? 0 : 1;
}
