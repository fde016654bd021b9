/* reference_groups.h: the codecs of groups for reference.c: a row at a time, by the scalar functions
 * of the codec headers. */
#ifndef EMBDIST_TESTS_REFERENCE_GROUPS_H
#define EMBDIST_TESTS_REFERENCE_GROUPS_H

#include "reference.h"

int64_t reference_groups_row_bytes(const reference_codec *codec, int64_t dim);

void reference_groups_row(const reference_codec *codec, float *to, const float *from, int64_t dim,
                          int64_t sender, int64_t place);

#endif
