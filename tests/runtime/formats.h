/* formats.h: what a descriptor says of codecs and rows, in the words of the direct reference, and
 * rows of any dtype as values. */
#ifndef EMBDIST_TESTS_FORMATS_H
#define EMBDIST_TESTS_FORMATS_H

#include "../reference.h"

#include "dists.h"

/* The codec of a direction, with the seeds of all ranks. */
reference_codec codec_of(const embdist_descriptor *descriptor, embdist_direction direction,
                         const uint64_t *seeds);

int is_stochastic(const embdist_descriptor *descriptor, embdist_direction direction);

/* The type of the caller's rows. */
reference_format dtype_of(const embdist_descriptor *descriptor);

/* Element i of rows of a dtype. What is put is rounded to nearest, ties to even; what is too large
 * becomes an infinity. */
float row_value(reference_format dtype, const void *rows, int64_t i);
void put_row_value(reference_format dtype, void *rows, int64_t i, float value);

/* The value that put_row_value would put. */
float value_in(reference_format dtype, float value);

#endif
