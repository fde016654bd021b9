/* rules.h: when a result is right. Everything is compared bit for bit, with the exceptions that
 * are functions of rules.c, one each, and no others. */
#ifndef EMBDIST_TESTS_RULES_H
#define EMBDIST_TESTS_RULES_H

#include "group_rules.h"
#include "runner.h"

/* What the rules covered, in elements, over all cases. */
typedef struct rule_counts {
    int64_t bitwise;   /* equal to the recorded value */
    int64_t wire;      /* packed elements equal to the recorded wire rows */
    int64_t sums;      /* within the bound of the recorded sum, which has another order and type */
    int64_t quotients; /* loss scale no power of two: the fp32 quotient, near the recorded one */
    int64_t subnormal_quotients; /* a power of two, but the wire type could not hold the quotient */
    int64_t overflowed; /* sums and quotients that overflowed in the recorder or in another order */
    group_counts groups; /* codecs of groups, which none of the above counts */
} rule_counts;

/* Holds one direction of one run against the recorded case. */
void judge(const loaded_case *loaded, int direction, const run *result, rule_counts *counts,
           fault_list *faults);

/* Holds two runs of a case against each other: the same bits. */
void judge_same_bits(const loaded_case *loaded, int direction, const run *first, const run *second,
                     fault_list *faults);

#endif
