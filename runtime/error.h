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

/* Where `status` is an error, its sentence begins with the name of the public function that returns
 * it, if it does not already. Returns `status`. */
embdist_status embdist_name_error(const char *function, embdist_status status);

#endif
