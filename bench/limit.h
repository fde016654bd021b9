/* limit.h: the bytes that a call cannot help moving through memory. */
#ifndef EMBDIST_BENCH_LIMIT_H
#define EMBDIST_BENCH_LIMIT_H

#include <embdist_descriptor.h>

/* Bytes that must move, all ranks together, in a call whose local sides (local_embs, or its
 * gradient) have `elements` values in all.
 *
 * For each of these elements, with W ranks and w bytes of it on the wire:
 *
 *                                        in place     staged
 *   alltoall (sequences)                 8            8 + 2w
 *   reduce-scatter (pooled forward)      4 + 4/W      4 + 2w + 4/W
 *   all-gather (pooled backward)         4 + 4/W      4 + w + (4 + w)/W
 *
 * that is: every value is read and written once, where it lies and where it belongs; staged, every
 * wire row too. An all-gather's row that several ranks read counts once. (doc/design.md, "Speed") */
double limit_bytes(const embdist_stage *stage, int staged, double wire, int64_t world,
                   double elements);

#endif
