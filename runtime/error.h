/* error.h: errors are sentences, kept for the calling thread. */
#ifndef EMBDIST_ERROR_H
#define EMBDIST_ERROR_H

#include "embdist.h"

enum { EMBDIST_SENTENCE = 512 }; /* bytes of the longest sentence, its end included */

#if defined(__GNUC__)
#define EMBDIST_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define EMBDIST_PRINTF(text, first)
#endif

/* Makes the sentence of the calling thread and returns `status`, for `return embdist_fail(…)`. */
embdist_status embdist_fail(embdist_status status, const char *format, ...) EMBDIST_PRINTF(2, 3);

#endif
