/* origins.h: where what a rank receives lies in what the ranks send, from the recorded batch alone. */
#ifndef EMBDIST_TESTS_ORIGINS_H
#define EMBDIST_TESTS_ORIGINS_H

#include "recorded.h"

/* The rank that sent it, and the element of what it sends. */
typedef struct origin {
    int64_t sender;
    int64_t element;
} origin;

/* Of each row of a sequence's output, the first element; of a pooled output, of each element. For
 * rows that are only moved; freed by the caller. */
origin *find_origins(const loaded_case *loaded, int direction, int64_t rank);

#endif
