/* case.h: one line of the benchmark's table, and how it is measured. */
#ifndef EMBDIST_BENCH_CASE_H
#define EMBDIST_BENCH_CASE_H

#include "batch.h"
#include "measure.h"

#include <embdist_descriptor.h>

/* A dist that was generated for this program: one for each kind and codec. */
typedef struct bench_dist {
    const char *kind;
    const char *codec;
    const embdist_descriptor *descriptor;
} bench_dist;

/* In the generated dists.c. */
extern const bench_dist bench_dists[];
extern const int64_t bench_dist_count;

/* The names are those of the options; embdist-bench has checked them. */
typedef struct bench_case {
    char kind[16], mode[16], codec[16], direction[16], routing[16], way[16];
    int64_t bytes; /* wanted on the local side of a rank */
    int64_t rounds;
    int64_t warm_up;
} bench_case;

/* What one rank keeps from case to case: memory that was touched once is not paid for again. */
typedef struct bench_rank {
    embdist_comm *comm;
    float *local, *out, *spare;
    int64_t local_count, out_count;
} bench_rank;

typedef struct bench_result {
    int64_t bytes;    /* on the local side of a rank */
    double must_move; /* bytes, all ranks together */
    double copied;    /* bytes that a round of the copy reads and writes, all ranks together */
    measured times;
} bench_result;

/* Measures a case; called by every member of the team. Exits with a sentence where a call fails. */
bench_result bench_case_run(const bench_case *what, team *all, int64_t member, bench_rank *rank);

#endif
