/* ways.h: a case in place and staged, with each instruction set: the results of all must be those of
 * the reference, and the same bits, also where the reference leaves them open (NaNs and zeros). */
#ifndef EMBDIST_TESTS_WAYS_H
#define EMBDIST_TESTS_WAYS_H

#include "cases.h"

enum { ISAS = 3 };
extern const char *const isa_names[ISAS]; /* of EMBDIST_ISA, by embdist_isa */

/* Opens small dists of `entry` with EMBDIST_ISA=name; what embdist_open says. */
embdist_status try_isa(const test_dist *entry, const char *name);

/* Runs a case in place and staged, with the instruction set that the environment says. */
int run_both_ways(const case_shape *shape, random_state *random);

/* The same with each of the instruction sets that `can` names, by setting EMBDIST_ISA. */
int run_every_way(const case_shape *shape, const int *can, random_state *random);

#endif
