/* subject.h: what the rules share: what is compared, for the messages, and small questions. */
#ifndef EMBDIST_TESTS_SUBJECT_H
#define EMBDIST_TESTS_SUBJECT_H

#include <stdio.h>

#include "recorded.h"

/* Slack of the bounds: for the products and sums that the bound itself leaves out. */
static const double SLACK = 1 + 1.0 / 128;

/* Where faults of one TAP line are told. */
typedef struct fault_list {
    FILE *notes; /* lines that start with "# " */
    int64_t count;
} fault_list;

/* Adds a fault that is no number: a printf sentence, without the line's end. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void add_fault(fault_list *faults, const char *format, ...);

/* What is compared, for the messages. */
typedef struct subject {
    const char *run;
    const char *what;
    int64_t rank;
    fault_list *faults;
} subject;

/* Adds the fault that an element is not what the rule says. */
void differ(const subject *of, int64_t element, const char *rule, float expected, float got);

uint32_t fp32_bits(float x);

/* Rule: +0 and -0 are equal, and NaN equals NaN; else the bits decide. */
int same_value(float a, float b);

int is_power_of_two(float scale);

/* What a direction's results are divided by, in fp32, last. */
float divisor_of(const loaded_case *loaded, int direction);

/* Whether rows of several ranks are added. */
int adds(const recorded_case *recorded, int direction);

#endif
