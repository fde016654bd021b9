/* group_rules.h: when a result of a codec of groups is right. The truth is what the ranks send, in
 * fp64, each value with the error bound of doc/wire.md; sums, and divisions by world, widen it by
 * their fp32 roundings. Values whose groups the recorder encoded as we do are compared with the
 * recorded ones bit for bit too. */
#ifndef EMBDIST_TESTS_GROUP_RULES_H
#define EMBDIST_TESTS_GROUP_RULES_H

#include "runner.h"
#include "subject.h"

/* How a group, and with it its values, compares with the recorder's. All but the first are held to
 * our bound of the truth; those up to GROUP_FORMAT also to the sum of our bound and the recorder's
 * of what was recorded. */
typedef enum group_sort {
    GROUP_EXACT,      /* the same values, the same formulas: the same bits */
    GROUP_GROUPING,   /* the recorder's groups cross rows */
    GROUP_LITTLE,     /* int8, range below 0.25: the recorder adds 1e-8 to it */
    GROUP_BRINK,      /* mx4 "even", just below 1.75 * 2^k: the recorder takes log2 in fp32 */
    GROUP_FORMAT,     /* fp8: the recorder has formats of its own */
    GROUP_HUGE,       /* mx4 "even", above 2.97e38: the recorder's exponent is NaN */
    GROUP_OVERFLOW,   /* int8, range beyond fp32: the recorder's scale is infinite */
    GROUP_NONFINITE,  /* NaN or an infinity in it: the recorder has other rules */
    GROUP_UNRECORDED, /* the recorder had another codec */
    GROUP_SORTS
} group_sort;

extern const char *const group_sort_names[GROUP_SORTS];

enum { GROUP_FORMATS = REFERENCE_MX4 + 1 };

typedef struct group_counts {
    int64_t moved[GROUP_SORTS]; /* values */
    int64_t sums;               /* values that are sums */
    int64_t overflowed;         /* sums beyond fp32, not compared */
    int64_t wire_bits;          /* packed values with the recorded codes and scales */
    int64_t wire_bound;         /* other packed values, which decode within the bound */
    double worst;               /* the largest part of its bound that a result needed */
    /* TAP lines by codec, and those that would fail with half of the bound. */
    int64_t lines[GROUP_FORMATS][DIRECTIONS];
    int64_t beyond_half[GROUP_FORMATS][DIRECTIONS];
} group_counts;

/* Holds what one rank got in a direction whose codec is one of groups. */
void judge_groups(const subject *of, const loaded_case *loaded, int direction,
                  const rank_result *got, group_counts *counts);

#endif
