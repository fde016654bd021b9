/* run.h: the codelet calls of a request. */
#ifndef EMBDIST_RUN_H
#define EMBDIST_RUN_H

#include "request.h"

/* Bytes of packed rows of a request, and addresses that its unpack needs room for. */
int64_t embdist_run_wire_bytes(const embdist_request *request);
int64_t embdist_run_addresses(const embdist_request *request);

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
