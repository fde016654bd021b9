/* stream.h: the copy whose speed is the limit. */
#ifndef EMBDIST_BENCH_STREAM_H
#define EMBDIST_BENCH_STREAM_H

#include <stdint.h>

/* Copies `count` floats with non-temporal stores. Addresses are multiples of 64. */
typedef void (*stream_copier)(float *target, const float *source, int64_t count);

/* The copy with the widest instruction set in use: what the CPU has, or what EMBDIST_ISA names, as
 * in the runtime. *isa receives its name; "plain" is the C library's memcpy. */
stream_copier stream_widest(const char **isa);

#endif
