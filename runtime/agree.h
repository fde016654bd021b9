/* agree.h: whether the ranks' records of one operation fit together. */
#ifndef EMBDIST_AGREE_H
#define EMBDIST_AGREE_H

#include "local.h"

/* Fills the record's signature and balances from its other members. */
void embdist_agree_sign(embdist_record *record, int64_t rank, int64_t world);

/* The verdict on an operation that all have posted: the same on every rank. Costs a comparison a
 * rank while all agree. */
embdist_status embdist_agree(embdist_local *local, int64_t world, uint64_t sequence);

#endif
