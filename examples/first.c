/* Two ranks, each a thread: embeddings to the ranks that need them, and the gradient back. */
#include "dlrm.h"

#include <pthread.h>
#include <stdio.h>

enum { WORLD = 2, BATCH = 3, SAMPLE = 26 * 128 }; /* dlrm.lua has 26 features of dim 128 */

static float local_embs[WORLD][WORLD * BATCH * SAMPLE], out[WORLD][BATCH * SAMPLE];

static embdist_status there_and_back(embdist_dist *bags, int64_t rank)
{
    const int64_t local_count = WORLD * BATCH * SAMPLE, out_count = BATCH * SAMPLE;
    embdist_request *request = NULL;
    embdist_status status = dlrm_bags_forward_even(bags, local_embs[rank], local_count, BATCH,
                                                   out[rank], out_count, NULL, &request);
    if (status == EMBDIST_OK)
        status = embdist_wait(&request, NULL); /* other work of this rank could go before */
    if (status != EMBDIST_OK)
        return status;
    printf("rank %d: the ranks' partial sums make %g\n", (int)rank, (double)out[rank][0]);

    /* The gradient, here out itself. No place for a request: returns when it is done. */
    return dlrm_bags_backward_even(bags, out[rank], out_count, BATCH, local_embs[rank], local_count,
                                   NULL, NULL);
}

static void *rank_main(void *comm)
{
    const int64_t rank = embdist_comm_rank(comm);
    embdist_dist *bags = NULL;
    for (int i = 0; i < WORLD * BATCH * SAMPLE; i++)
        local_embs[rank][i] = (float)rank + 1; /* what this rank's lookup gave */
    embdist_status status = embdist_open(&bags, comm, &dlrm_bags, NULL);
    if (status == EMBDIST_OK)
        status = there_and_back(bags, rank);
    if (status != EMBDIST_OK)
        fprintf(stderr, "rank %d: %s\n", (int)rank, embdist_last_error());
    embdist_close(&bags);
    return status == EMBDIST_OK ? comm : NULL;
}

int main(void)
{
    embdist_comm *comms[WORLD];
    pthread_t threads[WORLD];
    void *done[WORLD];
    if (embdist_comm_local(WORLD, comms) != EMBDIST_OK)
        return 1;
    for (int r = 0; r < WORLD; r++)
        pthread_create(&threads[r], NULL, rank_main, comms[r]);
    for (int r = 0; r < WORLD; r++)
        pthread_join(threads[r], &done[r]);
    printf("and their gradient, divided by %d: %g\n", WORLD, (double)local_embs[0][0]);
    for (int r = 0; r < WORLD; r++)
        embdist_comm_free(&comms[r]);
    return done[0] && done[1] && local_embs[0][0] == 1.5F ? 0 : 1;
}
