/* permute.h: the unbucketize permutation: its checks, and its transpose. */
#ifndef EMBDIST_PERMUTE_H
#define EMBDIST_PERMUTE_H

#include "request.h"

/* Checks permute[output_rows] against the received rows: every index in range; with `bijection`,
 * each row exactly once. Reads only. */
embdist_status embdist_permute_check(embdist_request *request, int64_t index_bytes, int bijection);

/* Makes the transpose of a checked permute for a backward call: request->record.addresses, and
 * .starts where rows repeat or are omitted (see embdist_work). */
embdist_status embdist_permute_transpose(embdist_request *request, int64_t index_bytes,
                                         int64_t row_bytes);

#endif
