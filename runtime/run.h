/* run.h: the codelet calls of a request. */
#ifndef EMBDIST_RUN_H
#define EMBDIST_RUN_H

#include "request.h"

/* Bytes of packed rows of a request, and addresses that its unpack needs room for. */
int64_t embdist_run_wire_bytes(const embdist_request *request);
int64_t embdist_run_addresses(const embdist_request *request);

/* Rows that this rank encodes. */
int64_t embdist_run_rows(const embdist_request *request);

/* Keys of random numbers that its unpack needs room for. */
int64_t embdist_run_keys(const embdist_request *request);

/* Looks for values that the codec cannot represent among this rank's rows, or the sums that it will
 * send. `found` is zero; `element` receives the place in the caller's buffer of the first value
 * refused, if there is one: of a sum, that of its first addend. */
void embdist_run_inspect(embdist_request *request, embdist_inspection *found, int64_t *element);

/* Staged: packs this rank's rows into request->wire. */
void embdist_run_pack(embdist_request *request);

/* Reads every rank's rows, in place or from its packed rows, and writes request->output. All ranks
 * have posted and agree. */
void embdist_run_unpack(embdist_request *request);

/* The stage of a call: pack, exchange and unpack of its direction. */
const embdist_stage *embdist_run_stage(const embdist_request *request);

/* Whether the call goes through permute: a gather forward, its transpose backward. */
int embdist_run_is_permuted(const embdist_request *request);

#endif
