/* alone.h: what other programs said of the cases of codecs and formats by themselves. */
#ifndef EMBDIST_TESTS_ALONE_H
#define EMBDIST_TESTS_ALONE_H

#include <stddef.h>

/* The lines of their results: "ok - NAME", "not ok - NAME", "# NAME: ...". */
typedef struct alone_results {
    char *text;
    size_t length;
} alone_results;

/* From a file; NULL: there are none. */
alone_results alone_load(const char *path);
void alone_free(alone_results *results);

/* Whether there is a line of the name; whether there are ok lines, and no others. */
int alone_is_told(const alone_results *results, const char *name);
int alone_is_right(const alone_results *results, const char *name);
/* Prints the comments of a name. */
void alone_print(const alone_results *results, const char *name);

#endif
