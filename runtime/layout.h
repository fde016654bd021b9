/* layout.h: what the counts of a call come to: where every row lies, in the caller's buffers and on
 * the wire.
 *
 * A part is what one codelet call can walk: a group of features of equal dim (pooled), or one
 * feature (sequences). A piece is the rows of one part that belong to one rank; pieces of one part
 * have rows of one dim. */
#ifndef EMBDIST_LAYOUT_H
#define EMBDIST_LAYOUT_H

#include "buffer.h"
#include "embdist_descriptor.h"

/* Rows of one rank and part: `blocks` blocks of `rows` adjacent rows. */
typedef struct embdist_piece {
    int64_t offset; /* elements from the start of the caller's local side */
    int64_t wire;   /* bytes from the start of the rank's chunk */
    int64_t blocks;
    int64_t rows;
} embdist_piece;

typedef struct embdist_layout_of_call {
    embdist_mode mode;
    int64_t world, rank, parts;
    const embdist_piece *pieces; /* [world][parts] of the local side */
    int64_t step;                /* elements from a block of a piece to the next */
    int64_t wire_step;           /* the same on the wire, in bytes */
    const int64_t *rank_offset;  /* [world + 1] pooled: elements where a rank's pieces start */
    const int64_t
        *wire_offset; /* [world + 1] bytes where a rank's chunk starts, if all are packed */
    const int64_t *recv_offset; /* [world + 1] sequences: received rows before those of a rank */
    const int64_t *counts;      /* what ranks agree on. Pooled, equal on all: [count_count];
                                    sequences: send_rows [world], then recv_rows [world] */
    int64_t count_count;
    int64_t local_count, out_count; /* elements */
    int64_t most_rows;             /* the larger of the rows of the local, received and out sides */
    int64_t received, output_rows; /* sequences: rows that arrive; rows of out */
} embdist_layout_of_call;

/* Computes the layout of a batch, with the wire rows of `direction`. `memory` holds its arrays and
 * is grown as needed. The errors are sentences that
 * name the count. */
embdist_status embdist_layout_make(embdist_layout_of_call *layout, embdist_buffer *memory,
                                   const embdist_descriptor *descriptor, int64_t world,
                                   int64_t rank, const embdist_batch *batch,
                                   embdist_direction direction);

/* The codelets of a group in a direction: those of the spec's codecs, or, at world 1, fp32. */
const embdist_codelets *embdist_layout_codelets(const embdist_group *group, int64_t world,
                                                embdist_direction direction);

/* Bytes of memory that a layout of this descriptor takes at most. */
int64_t embdist_layout_bytes(const embdist_descriptor *descriptor, int64_t world);

/* The features of all groups: elements of one sample, sum(dims). */
int64_t embdist_layout_sample(const embdist_descriptor *descriptor);

#endif
