/* runner.h: whatever can do a recorded case: the dists made from it (run_dists.c), or the direct
 * reference (run_reference.c). One of them is linked. */
#ifndef EMBDIST_TESTS_RUNNER_H
#define EMBDIST_TESTS_RUNNER_H

#include "recorded.h"

/* The ways in which a case is run, as its TAP lines name them; NULL ends them. */
extern const char *const runner_ways[];

enum { MAX_RUNS = 8 };

/* What one rank got in one direction. */
typedef struct rank_result {
    float *output;       /* [output_count of the direction] */
    unsigned char *wire; /* the wire rows it packed, or NULL where they cannot be seen */
    int64_t wire_length; /* bytes */
    char error[512];     /* what went wrong, or "" */
} rank_result;

/* A case done in one form: the same batch can be said in several (even and ragged, rows and
 * lengths, ...). */
typedef struct run {
    const char *label;
    rank_result *ranks[DIRECTIONS]; /* [world] */
} run;

/* Does a case in every form, both directions. Returns the number of runs; freed by free_runs. */
int64_t run_case(const loaded_case *loaded, int way, run runs[MAX_RUNS]);
void free_runs(const loaded_case *loaded, int64_t count, run runs[MAX_RUNS]);

/* A run with memory for its results; each output is filled with a value that no case has. */
run new_run(const loaded_case *loaded, const char *label);

#endif
