#include "recorded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *allocate(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (memory == NULL) {
        printf("Bail out! no memory for %" PRId64 " elements\n", count);
        exit(2);
    }
    return memory;
}

static uint64_t little_endian(const unsigned char *bytes, int64_t width)
{
    uint64_t value = 0;
    while (width-- > 0)
        value = value << 8 | bytes[width];
    return value;
}

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float half_value(uint32_t bits)
{
    int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    float magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                      : exponent == 0 ? ldexpf((float)fraction, -24)
                                      : ldexpf((float)(1024 + fraction), exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

int64_t wire_width(reference_format format)
{
    return format == REFERENCE_FP32 ? 4 : 2;
}

float *wire_values(reference_format format, const unsigned char *bytes, int64_t count)
{
    float *values = allocate(count, sizeof *values);
    int64_t i, width = wire_width(format);
    for (i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)little_endian(bytes + i * width, width);
        values[i] = format == REFERENCE_FP16
                        ? half_value(bits)
                        : float_of_bits(format == REFERENCE_BF16 ? bits << 16 : bits);
    }
    return values;
}

/* The whole file; freed by the caller. NULL where it cannot be read. */
static unsigned char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    long end;
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (end = ftell(file)) >= 0) {
        rewind(file);
        bytes = allocate(end, 1);
        if (fread(bytes, 1, (size_t)end, file) != (size_t)end) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

int64_t held_features(const recorded_case *recorded, int64_t rank)
{
    const recorded_shape *shape = recorded->shape;
    int64_t f, held = 0;
    if (shape->owners == NULL)
        return shape->features;
    for (f = 0; f < shape->features; f++)
        held += shape->owners[f] == rank;
    return held;
}

/* The rows of each feature and rank, from the lengths, must be what the splits say. */
static int load_rows(const recorded_case *recorded, int64_t rank, loaded_rank *to, char *error,
                     size_t error_size)
{
    const recorded_rank *from = &recorded->ranks[rank];
    int64_t world = recorded->world, features = held_features(recorded, rank), f, j, i;
    for (i = 0; i < from->lengths.count; i++) {
        if (to->lengths[i] < 0) {
            snprintf(error, error_size, "length %" PRId64 " of rank %" PRId64 " is negative", i,
                     rank);
            return -1;
        }
    }
    to->rows = allocate(features * world, sizeof *to->rows);
    reference_sequence_rows(world, features, to->lengths, recorded->batch, to->rows);
    for (j = 0; j < world; j++) {
        int64_t sum = 0;
        for (f = 0; f < features; f++)
            sum += to->rows[f * world + j];
        if (sum != from->send_rows[j]) {
            snprintf(error, error_size,
                     "the lengths of rank %" PRId64 " give %" PRId64 " rows for rank %" PRId64
                     ", its splits %" PRId64,
                     rank, sum, j, from->send_rows[j]);
            return -1;
        }
        to->received += from->recv_rows[j];
    }
    return 0;
}

static int load_permute(const recorded_case *recorded, int64_t rank, loaded_rank *to,
                        const unsigned char *bytes, char *error, size_t error_size)
{
    const recorded_tensor *from = &recorded->ranks[rank].permute;
    unsigned char *named;
    int64_t i, different = 0;
    if (from->count < 0) {
        to->out_rows = to->received;
        return 0;
    }
    to->out_rows = from->count;
    to->permute = allocate(from->count, sizeof *to->permute);
    named = allocate(to->received, 1);
    for (i = 0; i < from->count; i++) {
        uint64_t index = little_endian(bytes + from->offset + i * 8, 8);
        if (index >= (uint64_t)to->received) {
            snprintf(error, error_size,
                     "unbucketize_permute[%" PRId64 "] of rank %" PRId64 " is %" PRId64
                     ", expected one below %" PRId64,
                     i, rank, (int64_t)index, to->received);
            free(named);
            return -1;
        }
        to->permute[i] = (int64_t)index;
        different += !named[index];
        named[index] = 1;
    }
    to->bijection = different == to->received && from->count == to->received;
    free(named);
    return 0;
}

static int load_rank(const recorded_case *recorded, int64_t rank, loaded_rank *to,
                     const unsigned char *bytes, char *error, size_t error_size)
{
    const recorded_rank *from = &recorded->ranks[rank];
    const recorded_shape *shape = recorded->shape;
    int64_t i;
    int direction;
    for (direction = FORWARD; direction < DIRECTIONS; direction++) {
        const recorded_tensor *input = &from->input[direction];
        const recorded_tensor *output = &from->output[direction];
        const recorded_tensor *send = &from->send[direction];
        to->input_count[direction] = input->count;
        to->input[direction] = wire_values(REFERENCE_FP32, bytes + input->offset, input->count);
        to->output_count[direction] = output->count;
        to->output[direction] = wire_values(REFERENCE_FP32, bytes + output->offset, output->count);
        to->send_count[direction] = send->count;
        if (send->count >= 0 && recorded->peer[direction].format != PEER_NONE) {
            to->send_bytes[direction] = allocate(send->count, 1);
            memcpy(to->send_bytes[direction], bytes + send->offset, (size_t)send->count);
        } else if (send->count >= 0) {
            to->send[direction] =
                wire_values(shape->codec[direction].format, bytes + send->offset, send->count);
        }
    }
    if (recorded->mode != RECORDED_SEQUENCE) {
        to->piece_count =
            shape->kind == RECORDED_GATHERED ? to->input_count[FORWARD] : to->output_count[FORWARD];
        return 0;
    }
    to->lengths = allocate(from->lengths.count, sizeof *to->lengths);
    for (i = 0; i < from->lengths.count; i++)
        to->lengths[i] = (int32_t)little_endian(bytes + from->lengths.offset + i * 4, 4);
    if (load_rows(recorded, rank, to, error, error_size) != 0)
        return -1;
    return load_permute(recorded, rank, to, bytes, error, error_size);
}

int load_case(loaded_case *loaded, const recorded_case *recorded, char *error, size_t error_size)
{
    int64_t rank;
    int result = 0;
    unsigned char *bytes = read_file(recorded->bin);
    loaded->recorded = recorded;
    loaded->ranks = allocate(recorded->world, sizeof *loaded->ranks);
    if (bytes == NULL) {
        snprintf(error, error_size, "%s cannot be read", recorded->bin);
        return -1;
    }
    for (rank = 0; rank < recorded->world && result == 0; rank++)
        result = load_rank(recorded, rank, &loaded->ranks[rank], bytes, error, error_size);
    free(bytes);
    return result;
}

void unload_case(loaded_case *loaded)
{
    int64_t rank;
    int direction;
    for (rank = 0; rank < loaded->recorded->world; rank++) {
        loaded_rank *of = &loaded->ranks[rank];
        for (direction = FORWARD; direction < DIRECTIONS; direction++) {
            free(of->input[direction]);
            free(of->output[direction]);
            free(of->send[direction]);
            free(of->send_bytes[direction]);
        }
        free(of->lengths);
        free(of->rows);
        free(of->permute);
    }
    free(loaded->ranks);
    loaded->ranks = NULL;
}
