/* demo_help.c: what the blocks of the demo share: descriptions, random numbers, progress. */
#define _POSIX_C_SOURCE 200809L
#include "demo.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *field(const embdist_descriptor *descriptor, const char *name)
{
    for (int64_t i = 0; i < descriptor->field_count; i++) {
        if (strcmp(descriptor->fields[i].name, name) == 0)
            return descriptor->fields[i].value;
    }
    return "";
}

reference_codec demo_codec(const embdist_descriptor *descriptor, int forward)
{
    const char *name = field(descriptor, forward ? "forward" : "backward");
    const char *scale = field(descriptor, forward ? "forward.loss_scale" : "backward.loss_scale");
    const char *nonfinite = field(descriptor, forward ? "forward.nonfinite" : "backward.nonfinite");
    return (reference_codec){.format = strcmp(name, "fp16") == 0   ? REFERENCE_FP16
                                       : strcmp(name, "bf16") == 0 ? REFERENCE_BF16
                                                                   : REFERENCE_FP32,
                             .loss_scale = strtof(scale, NULL),
                             .propagate = strcmp(nonfinite, "propagate") == 0};
}

int demo_is_mean(const embdist_descriptor *descriptor)
{
    return strcmp(field(descriptor, "gradient"), "mean") == 0;
}

const char *demo_codec_name(const embdist_descriptor *descriptor, int forward, char text[32])
{
    const reference_codec codec = demo_codec(descriptor, forward);
    const char *name = field(descriptor, forward ? "forward" : "backward");
    if (codec.loss_scale == 0 || codec.loss_scale == 1)
        snprintf(text, 32, "%s", name);
    else
        snprintf(text, 32, "%s * %g", name, (double)codec.loss_scale);
    return text;
}

/* xorshift64*: the same batches in every run. */
static uint64_t next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

int64_t demo_random(uint64_t *state, int64_t below)
{
    return (int64_t)((next(state) >> 1) % (uint64_t)below);
}

float *demo_values(int64_t count, double size, uint64_t seed)
{
    float *values = take_memory(count, sizeof *values);
    uint64_t state = seed * 0x9E3779B97F4A7C15ULL + 1;
    for (int64_t i = 0; i < count; i++) { /* the sum of two uniform ones: most are small */
        const uint64_t bits = next(&state);
        const double a = (double)(bits >> 32), b = (double)(bits & 0xffffffffU);
        values[i] = (float)(size * (a + b - 0x1p32) * 0x1p-32);
    }
    return values;
}

void demo_progress(const char *what)
{
    if (!isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r\033[K%s", what ? what : "");
    fflush(stderr);
}
