/* sent.h: what a rank sends in one direction, before it is encoded: the values in the order of the
 * wire, and the rows that they make up. From the inputs and the recorded batch alone. */
#ifndef EMBDIST_TESTS_SENT_H
#define EMBDIST_TESTS_SENT_H

#include "recorded.h"

typedef struct sent_rows {
    float *values;
    int64_t count;
    int64_t *dims; /* [rows] of each row, in order */
    int64_t rows;
} sent_rows;

sent_rows make_sent(const loaded_case *loaded, int direction, int64_t rank);
void free_sent(sent_rows *sent);

#endif
