/* layout_fill.h: what fills a layout: the counts of a pooled call, or of a sequence. */
#ifndef EMBDIST_LAYOUT_FILL_H
#define EMBDIST_LAYOUT_FILL_H

#include "layout.h"

/* A layout while it is filled. */
typedef struct embdist_filling {
    embdist_layout_of_call *layout;
    const embdist_parts *parts;
    embdist_direction direction;
    int64_t *counts;
    embdist_chunk *chunks[2]; /* of the out side, of the local side */
    embdist_piece *pieces[2];
} embdist_filling;

embdist_status embdist_layout_pooled(embdist_filling *to, const embdist_batch *batch);
embdist_status embdist_layout_sequence(embdist_filling *to, const embdist_sequence_batch *batch);

/* How a side lies in the caller's buffer, and how many chunks it has. */
embdist_layout embdist_layout_kind(const embdist_parts *parts, int is_local);
int64_t embdist_layout_chunks(const embdist_parts *parts, int is_local);

/* Bytes of a row of a group on the wire. */
int64_t embdist_layout_wire_row(const embdist_filling *to, int64_t group);

/* Counts are refused while the elements and bytes that they stand for still fit int64: no row is
 * wider than this many bytes an element, on either side. */
enum { EMBDIST_MOST_BYTES_AN_ELEMENT = 16 };

/* Sums and products of numbers that are not negative; 0 where int64 cannot hold them. */
int embdist_layout_add(int64_t a, int64_t b, int64_t *sum);
int embdist_layout_multiply(int64_t a, int64_t b, int64_t *product);

/* Whether an array of `count` numbers is there and aligned as its type asks. */
embdist_status embdist_layout_given(const char *name, const void *array, int64_t count,
                                    size_t alignment);

/* The error for counts, named so, whose sums int64 cannot hold. */
embdist_status embdist_layout_too_large(const char *name);

#endif
