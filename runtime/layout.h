/* layout.h: what the counts of a call come to: where every row lies, in the caller's buffers and on
 * the wire.
 *
 * A call has two sides: the local one, of the features that this rank holds, and the out one, of
 * the rows that are for it. In each side a chunk is what passes between this rank and one other;
 * the same rows are a chunk of the other side on the other rank, in the same order. A chunk is
 * pieces, one after another: the rows of one part (parts.h), or of several with one dim. */
#ifndef EMBDIST_LAYOUT_H
#define EMBDIST_LAYOUT_H

#include "buffer.h"
#include "parts.h"

/* Adjacent rows, and as many again in each of the chunk's other blocks. */
typedef struct embdist_piece {
    int64_t offset; /* elements from the start of the caller's buffer, of the received rows where
                       out is permuted */
    int64_t wire;   /* bytes from the start of the chunk */
    int64_t rows;   /* of each block */
    int64_t group;  /* of the descriptor: the rows' dim and codelets */
} embdist_piece;

typedef struct embdist_chunk {
    const embdist_piece *pieces;
    int64_t count;
    int64_t blocks;    /* of every piece: samples, or 1 */
    int64_t wire;      /* bytes of the chunks before it, where all are packed */
    int64_t wire_step; /* bytes from a block of a piece to the next on the wire */
} embdist_chunk;

typedef struct embdist_side {
    const embdist_chunk *chunks; /* by the other rank; one where all ranks have the same rows */
    int64_t chunk_count;
    int64_t step;       /* elements from a block of a piece to the next in the caller's buffer */
    int64_t elements;   /* of the caller's buffer, but for a permute */
    int64_t rows;       /* of all chunks, */
    int64_t wire_bytes; /* and their bytes */
} embdist_side;

typedef struct embdist_layout_of_call {
    embdist_mode mode;
    int64_t world, rank;
    embdist_side local, out;
    const int64_t *counts; /* what ranks agree on. Pooled, equal on all: [count_count];
                              sequences: send_rows [world], then recv_rows [world] */
    int64_t count_count;
    int64_t local_count, out_count; /* elements of the caller's buffers */
    int64_t most_rows;             /* the larger of the rows of the local, received and out sides */
    int64_t received, output_rows; /* sequences: rows that arrive; rows of out */
} embdist_layout_of_call;

/* Where count i of a pooled call stands in what its mode was given, for sentences: "", "[1]" of
 * batch_per_rank, "[1][2]" of batch_per_rank_feature. */
enum { EMBDIST_PLACE = 64 };
void embdist_layout_place(embdist_mode mode, int64_t i, int64_t features,
                          char place[EMBDIST_PLACE]);

/* Whether an array of numbers of the caller's is aligned as its type asks; the error names it. */
embdist_status embdist_layout_aligned(const char *name, const void *array, size_t alignment);

/* Computes the layout of a batch on a rank, with the wire rows of `direction`. `memory` holds its
 * arrays and is grown as needed. The errors are sentences that name the count. */
embdist_status embdist_layout_make(embdist_layout_of_call *layout, embdist_buffer *memory,
                                   const embdist_parts *parts, int64_t rank,
                                   const embdist_batch *batch, embdist_direction direction);

/* The chunk of a side that passes between this rank and another. */
const embdist_chunk *embdist_layout_chunk(const embdist_side *side, int64_t rank);

/* The codelets of a group in a direction: those of the spec's codecs, or, at world 1, fp32. */
const embdist_codelets *embdist_layout_codelets(const embdist_group *group, int64_t world,
                                                embdist_direction direction);

/* Bytes of memory that a layout takes at most on a rank. */
int64_t embdist_layout_bytes(const embdist_parts *parts, int64_t rank);

/* Where in the local side the rows of each feature that the rank holds start, for each rank that
 * gets them: offsets[features held][world], in elements. */
void embdist_layout_feature_offsets(const embdist_layout_of_call *layout,
                                    const embdist_parts *parts, int64_t *offsets);

#endif
