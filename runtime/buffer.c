#include "buffer.h"

#include "error.h"

#include <inttypes.h>
#include <stdlib.h>

embdist_status embdist_buffer_hold(embdist_buffer *buffer, int64_t bytes)
{
    if (bytes <= buffer->bytes)
        return EMBDIST_OK;
    if (buffer->fixed)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "the call needs %" PRId64
                            " bytes of workspace, but embdist_reserve fixed "
                            "it at %" PRId64 ": reserve more rows",
                            bytes, buffer->bytes);
    const int64_t line = 64;
    if (bytes > INT64_MAX - line || (uint64_t)(bytes + line) > SIZE_MAX)
        return embdist_fail(EMBDIST_NO_MEMORY, "no memory for %" PRId64 " bytes of workspace",
                            bytes);
    bytes = (bytes + line - 1) / line * line;
    void *memory = aligned_alloc((size_t)line, (size_t)bytes);
    if (!memory)
        return embdist_fail(EMBDIST_NO_MEMORY, "no memory for %" PRId64 " bytes of workspace",
                            bytes);
    free(buffer->memory);
    buffer->memory = memory;
    buffer->bytes = bytes;
    return EMBDIST_OK;
}

void embdist_buffer_free(embdist_buffer *buffer)
{
    free(buffer->memory);
    *buffer = (embdist_buffer){0};
}
