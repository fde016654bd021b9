/* run.c: measures the cases of a file, prints a line of the table for each, and appends a row of
 * JSON for each to another. Started by embdist-bench, which has checked everything:
 *
 *   run WORLD CASES ROWS */
#define _POSIX_C_SOURCE 200809L
#include "case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_CASES = 100000 };

typedef struct job {
    int64_t world;
    embdist_comm **comms;
    bench_case *cases;
    int64_t case_count;
    FILE *rows;
    int64_t disturbed; /* cases in which even a barrier was slow */
} job;

static const double TIME_LIMIT = 60; /* seconds; a call takes milliseconds */

/* A barrier of spinning threads takes less than a microsecond, unless something else runs where they
 * should. */
static const double SLOW_BARRIER = 50e-6;

/* 3.5M for 3670016, into text. */
static const char *short_bytes(double bytes, char text[16])
{
    static const char suffixes[] = " KMGT";
    int power = 0;
    while (bytes >= 1024 && power < 4) {
        bytes /= 1024;
        power++;
    }
    snprintf(text, 16,
             bytes < 10 && power > 0 ? "%.2f%c"
             : bytes < 100           ? "%.1f%c"
                                     : "%.0f%c",
             bytes, suffixes[power]);
    return text;
}

static void print_head(int64_t world)
{
    const char *isa;
    stream_widest(&isa);
    printf("%lld ranks on %lld processors, %s\n", (long long)world, (long long)team_processors(),
           isa);
    printf("%-11s %-11s %-5s %-9s %-11s %-8s %6s %6s %9s %9s %9s %6s %6s %6s %5s %8s\n", "", "", "",
           "", "", "", "", "a rank", "time", "min", "max", "", "must", "stream", "", "barrier");
    printf("%-11s %-11s %-5s %-9s %-11s %-8s %6s %6s %9s %9s %9s %6s %6s %6s %5s %8s\n", "kind",
           "mode", "codec", "direction", "routing", "way", "dim", "bytes", "ms", "ms", "ms", "GB/s",
           "move", "GB/s", "ratio", "us");
}

static void print_row(const bench_case *what, int64_t dim, const bench_result *result)
{
    const spread *call = &result->times.call, *barrier = &result->times.barrier;
    const double stream = result->copied / result->times.copy.median;
    char bytes[16], must_move[16];
    printf("%-11s %-11s %-5s %-9s %-11s %-8s %6lld %6s %9.4f %9.4f %9.4f %6.1f %6s %6.1f %5.2f "
           "%8.2f\n",
           what->kind, what->mode, what->codec, what->direction, what->routing, what->way,
           (long long)dim, short_bytes((double)result->bytes, bytes), 1e3 * call->median,
           1e3 * call->least, 1e3 * call->most, 1e-9 * result->must_move / call->median,
           short_bytes(result->must_move, must_move), 1e-9 * stream,
           result->must_move / stream / call->median, 1e6 * barrier->median);
    fflush(stdout);
}

static void write_row(FILE *rows, const bench_case *what, int64_t dim, int64_t world,
                      const bench_result *result)
{
    const spread *call = &result->times.call, *copy = &result->times.copy;
    const double stream = result->copied / copy->median;
    fprintf(rows,
            "{\"kind\": \"%s\", \"mode\": \"%s\", \"codec\": \"%s\", \"direction\": \"%s\", "
            "\"routing\": \"%s\", \"way\": \"%s\", \"dim\": %lld, \"world\": %lld, "
            "\"bytes\": %lld, ",
            what->kind, what->mode, what->codec, what->direction, what->routing, what->way,
            (long long)dim, (long long)world, (long long)result->bytes);
    fprintf(rows,
            "\"time_ms\": %.8g, \"time_ms_min\": %.8g, \"time_ms_max\": %.8g, \"gbs\": %.8g, "
            "\"must_move_bytes\": %.0f, \"stream_gbs\": %.8g, \"stream_gbs_min\": %.8g, "
            "\"stream_gbs_max\": %.8g, \"ratio\": %.8g, \"barrier_us\": %.8g, "
            "\"iterations\": %lld, \"warmup\": %lld}\n",
            1e3 * call->median, 1e3 * call->least, 1e3 * call->most,
            1e-9 * result->must_move / call->median, result->must_move, 1e-9 * stream,
            1e-9 * result->copied / copy->most, 1e-9 * result->copied / copy->least,
            result->must_move / stream / call->median, 1e6 * result->times.barrier.median,
            (long long)what->rounds, (long long)what->warm_up);
}

/* One line that is written over, on a terminal. */
static void show_progress(const job *of, int64_t number)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K");
    if (number < of->case_count) {
        const bench_case *what = &of->cases[number];
        fprintf(stderr, "%lld of %lld: %s %s %s %s %s %s", (long long)number + 1,
                (long long)of->case_count, what->kind, what->mode, what->codec, what->direction,
                what->routing, what->way);
    }
    fflush(stderr);
}

static void run_cases(team *all, void *context, int64_t member)
{
    job *of = context;
    const int64_t dim = bench_dists[0].descriptor->group[0].dim;
    bench_rank rank = {.comm = of->comms[member]};
    for (int64_t i = 0; i < of->case_count; i++) {
        if (member == 0)
            show_progress(of, i);
        const bench_result result = bench_case_run(&of->cases[i], all, member, &rank);
        if (member != 0)
            continue;
        show_progress(of, of->case_count);
        print_row(&of->cases[i], dim, &result);
        write_row(of->rows, &of->cases[i], dim, of->world, &result);
        of->disturbed += result.times.barrier.median > SLOW_BARRIER;
    }
    free(rank.local);
    free(rank.out);
    free(rank.spare);
}

static FILE *open_file(const char *name, const char *how)
{
    FILE *file = fopen(name, how);
    if (!file) {
        fprintf(stderr, "embdist-bench: cannot open %s\n", name);
        exit(1);
    }
    return file;
}

static void read_cases(job *of, const char *name)
{
    FILE *file = open_file(name, "r");
    bench_case one;
    long long bytes, rounds, warm_up;
    of->cases = take_memory(MAX_CASES, sizeof *of->cases);
    while (of->case_count < MAX_CASES &&
           fscanf(file, "%15s %15s %15s %15s %15s %15s %lld %lld %lld", one.kind, one.mode,
                  one.codec, one.direction, one.routing, one.way, &bytes, &rounds, &warm_up) == 9) {
        one.bytes = bytes;
        one.rounds = rounds;
        one.warm_up = warm_up;
        of->cases[of->case_count++] = one;
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: run WORLD CASES ROWS\n");
        return 2;
    }
    job of = {.world = strtoll(argv[1], NULL, 10)};
    read_cases(&of, argv[2]);
    of.rows = open_file(argv[3], "a");
    of.comms = take_memory(of.world, sizeof(embdist_comm *));
    if (embdist_comm_local(of.world, of.comms)) {
        fprintf(stderr, "embdist-bench: %s\n", embdist_last_error());
        return 1;
    }
    for (int64_t r = 0; r < of.world; r++)
        embdist_comm_set_time_limit(of.comms[r], TIME_LIMIT);
    print_head(of.world);
    team_run(of.world, run_cases, &of);
    if (of.disturbed > 0)
        printf("In %lld of %lld cases a bare barrier took over %.0f us: the ranks had to share "
               "processors, with each other or with other programs, and the numbers say little.\n",
               (long long)of.disturbed, (long long)of.case_count, 1e6 * SLOW_BARRIER);
    for (int64_t r = 0; r < of.world; r++)
        embdist_comm_free(&of.comms[r]);
    free(of.comms);
    free(of.cases);
    return fclose(of.rows) ? 1 : 0;
}
