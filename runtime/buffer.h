/* buffer.h: memory that grows with use and is kept, so that the steady state allocates nothing. */
#ifndef EMBDIST_BUFFER_H
#define EMBDIST_BUFFER_H

#include "embdist.h"

typedef struct embdist_buffer {
    void *memory; /* 64-byte aligned; contents are lost when it grows */
    int64_t bytes;
    int fixed; /* non-zero: embdist_reserve has fixed its size */
} embdist_buffer;

/* Makes room for `bytes` bytes. EMBDIST_NO_MEMORY where there is none, EMBDIST_INVALID_ARGUMENT
 * where the size is fixed and smaller. */
embdist_status embdist_buffer_hold(embdist_buffer *buffer, int64_t bytes);

void embdist_buffer_free(embdist_buffer *buffer);

#endif
