/* demo.h: the parts of embdist-demo. A block of its table is one spec: demo_bags.c, demo_history.c;
 * demo_call.c runs, checks and measures one call of a block. */
#ifndef EMBDIST_EXAMPLES_DEMO_H
#define EMBDIST_EXAMPLES_DEMO_H

#include "reference.h"

#include <embdist_descriptor.h>

typedef struct demo {
    int64_t world;
    embdist_comm **comms; /* [world] */
    int64_t batch;        /* samples of a rank, about */
    int64_t rounds;       /* in which a call is measured */
    int64_t calls, wrong; /* lines of the table so far, and those with a wrong result */
} demo;

/* One rank's buffers for a call. */
typedef struct demo_buffers {
    float *input;
    int64_t input_count;
    float *output;
    int64_t output_count;
} demo_buffers;

/* Starts the generated function of a call on one rank. */
typedef embdist_status (*demo_start)(const void *batch, int64_t rank, embdist_dist *dist,
                                     const demo_buffers *buffers, embdist_request **request);

/* A call on all ranks, and what it must give. */
typedef struct demo_call {
    const embdist_descriptor *descriptor;
    int forward;
    const char *mode;             /* for the table */
    int64_t rows;                 /* for the table: embedding rows that all ranks hold */
    demo_start start;             /* with */
    const void *batch;            /* and */
    const demo_buffers *buffers;  /* [world] */
    const float *const *expected; /* [world] the outputs, from the direct reference */
} demo_call;

/* Runs a call in place and staged: checks every output bit for bit, measures, and prints a line of
 * the table for each way. */
void demo_show(demo *all, const demo_call *call);

void demo_print_head(void);

/* The blocks. */
void demo_bags(demo *all);    /* pooled: examples/dlrm.lua */
void demo_history(demo *all); /* sequences: examples/history.lua */

/* The codec that a spec names for a direction, as the reference knows it, and whether gradients are
 * divided: read from the dist's description, so that the demo stays right when a spec is changed. */
reference_codec demo_codec(const embdist_descriptor *descriptor, int forward);
int demo_is_mean(const embdist_descriptor *descriptor);

/* "fp16", or "bf16 * 4" with a loss scale, into text. */
const char *demo_codec_name(const embdist_descriptor *descriptor, int forward, char text[32]);

/* [count] values of an embedding's or a gradient's size, other ones for every seed. */
float *demo_values(int64_t count, double size, uint64_t seed);

/* A random whole number below `below`, 1 or more. */
int64_t demo_random(uint64_t *state, int64_t below);

/* One line that is written over, on a terminal; NULL takes it away. */
void demo_progress(const char *what);

#endif
