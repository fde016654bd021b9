/* batch.h: what the benchmark distributes. */
#ifndef EMBDIST_BENCH_BATCH_H
#define EMBDIST_BENCH_BATCH_H

#include <embdist.h>

typedef enum bench_routing {
    BENCH_CONTIGUOUS, /* the rows of each rank in order: the owner of value i of N is i / (N / W) */
    BENCH_ROUND_ROBIN, /* the owner of value i is i % W */
    BENCH_RANDOM       /* any received row, anywhere */
} bench_routing;

/* One rank's batch, with its arrays. */
typedef struct bench_batch {
    embdist_batch batch;
    embdist_sequence_batch sequence;
    int64_t *counts;
    int64_t *permute;
} bench_batch;

/* Makes the batch of a rank: `rows` rows for each (feature, rank that they come from, rank that
 * they go to), in every mode and routing, so that ranks have equal work. In ragged and per_feature
 * batches they differ by one row, to and fro: enough to take the general way, and too little to
 * make ranks wait. */
void bench_batch_make(bench_batch *made, embdist_mode mode, bench_routing routing, int64_t features,
                      int64_t world, int64_t rank, int64_t rows);

void bench_batch_free(bench_batch *made);

#endif
