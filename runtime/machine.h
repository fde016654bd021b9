/* machine.h: what the runtime asks of the machine it runs on. */
#ifndef EMBDIST_MACHINE_H
#define EMBDIST_MACHINE_H

#include "embdist_descriptor.h"

/* The instruction set to use: the widest that this CPU has, or the one that EMBDIST_ISA (plain,
 * avx2, avx512) names. EMBDIST_INVALID_ARGUMENT for another name, EMBDIST_UNSUPPORTED for one that
 * the CPU has not. */
embdist_status embdist_machine_isa(embdist_isa *isa);

/* Targets of this many bytes and more, of one rank, are written past the cache. */
int64_t embdist_machine_stream_bytes(void);

/* Processors online, at least 1. */
int64_t embdist_machine_processors(void);

/* Seconds on a clock that never goes back. */
double embdist_machine_seconds(void);

#endif
