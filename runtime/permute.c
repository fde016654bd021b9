#include "permute.h"

#include <inttypes.h>
#include <string.h>

static int64_t index_at(const void *permute, int64_t index_bytes, int64_t i)
{
    return index_bytes == 4 ? ((const int32_t *)permute)[i] : ((const int64_t *)permute)[i];
}

static embdist_status check_bijection(embdist_request *request, int64_t index_bytes)
{
    const int64_t received = request->layout.received, rows = request->layout.output_rows;
    if (rows != received)
        return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                            "permute has %" PRId64
                            " rows, but a bijection was promised: expected the %" PRId64
                            " received rows",
                            rows, received);
    embdist_status status = embdist_buffer_hold(&request->starts, (received + 7) / 8);
    if (status)
        return status;
    unsigned char *seen = request->starts.memory;
    if (received)
        memset(seen, 0, (size_t)((received + 7) / 8));
    for (int64_t i = 0; i < rows; i++) {
        const int64_t index = index_at(request->permute, index_bytes, i);
        const unsigned char bit = (unsigned char)(1U << (index & 7));
        if (seen[index / 8] & bit)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "permute[%" PRId64 "] is %" PRId64
                                " again, but a bijection was promised: expected each row once",
                                i, index);
        seen[index / 8] = (unsigned char)(seen[index / 8] | bit);
    }
    return EMBDIST_OK;
}

embdist_status embdist_permute_check(embdist_request *request, int64_t index_bytes, int bijection)
{
    const int64_t received = request->layout.received;
    for (int64_t i = 0; i < request->layout.output_rows; i++) {
        const int64_t index = index_at(request->permute, index_bytes, i);
        if (index < 0 || index >= received)
            return embdist_fail(EMBDIST_INVALID_ARGUMENT,
                                "permute[%" PRId64 "] is %" PRId64
                                ", expected an index of the %" PRId64 " received rows",
                                i, index, received);
    }
    return bijection ? check_bijection(request, index_bytes) : EMBDIST_OK;
}

/* One address a received row, where permute names each row exactly once; 0 where it does not. */
static int transpose_bijection(embdist_request *request, int64_t index_bytes, int64_t row_bytes)
{
    const int64_t received = request->layout.received;
    const void **addresses = request->addresses.memory;
    if (request->layout.output_rows != received)
        return 0;
    if (received)
        memset(addresses, 0, (size_t)received * sizeof *addresses);
    for (int64_t i = 0; i < received; i++) {
        const void **at = &addresses[index_at(request->permute, index_bytes, i)];
        if (*at)
            return 0;
        *at = request->record.input + i * row_bytes;
    }
    return 1;
}

/* Compressed rows: the addresses of a received row's occurrences, in increasing i, from its start
 * to the next row's. */
static void transpose_any(embdist_request *request, int64_t index_bytes, int64_t row_bytes)
{
    const int64_t received = request->layout.received, rows = request->layout.output_rows;
    const void **addresses = request->addresses.memory;
    int64_t *starts = request->starts.memory;
    memset(starts, 0, (size_t)(received + 1) * sizeof *starts);
    for (int64_t i = 0; i < rows; i++)
        starts[index_at(request->permute, index_bytes, i)]++;
    for (int64_t p = 0, sum = 0; p <= received; p++) {
        sum += starts[p];
        starts[p] = sum; /* the end of row p, from which it is filled downward */
    }
    for (int64_t i = rows; i-- > 0;)
        addresses[--starts[index_at(request->permute, index_bytes, i)]] =
            request->record.input + i * row_bytes;
}

embdist_status embdist_permute_transpose(embdist_request *request, int64_t index_bytes,
                                         int64_t row_bytes)
{
    request->record.addresses = request->addresses.memory;
    if (transpose_bijection(request, index_bytes, row_bytes))
        return EMBDIST_OK;
    const embdist_status status = embdist_buffer_hold(
        &request->starts, (request->layout.received + 1) * (int64_t)sizeof(int64_t));
    if (status)
        return status;
    transpose_any(request, index_bytes, row_bytes);
    request->record.starts = request->starts.memory;
    return EMBDIST_OK;
}
