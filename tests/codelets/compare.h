/* compare.h: every codelet's AVX2 and AVX-512 version gives the bits of its plain version, at every
 * alignment, streamed and not, and reads and writes nothing that it should not. */
#ifndef EMBDIST_TESTS_COMPARE_H
#define EMBDIST_TESTS_COMPARE_H

#include <embdist_descriptor.h>

/* Compares the codelets of `count` dists, a TAP line each; returns the program's exit status. */
int compare_versions(const embdist_descriptor *const *dists, int count);

#endif
