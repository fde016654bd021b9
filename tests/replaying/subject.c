#include "subject.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* Of each TAP line; the others are counted. */
enum { FAULTS_TOLD = 8 };

void add_fault(fault_list *faults, const char *format, ...)
{
    va_list arguments;
    if (faults->count++ >= FAULTS_TOLD)
        return;
    fputs("# ", faults->notes);
    va_start(arguments, format);
    vfprintf(faults->notes, format, arguments);
    va_end(arguments);
    fputc('\n', faults->notes);
}

uint32_t fp32_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

void differ(const subject *of, int64_t element, const char *rule, float expected, float got)
{
    add_fault(of->faults,
              "%s: rank %" PRId64 ", %s, element %" PRId64 ": expected %.9g (0x%08" PRIx32
              "), got %.9g (0x%08" PRIx32 "): %s",
              of->run, of->rank, of->what, element, (double)expected, fp32_bits(expected),
              (double)got, fp32_bits(got), rule);
}

int same_value(float a, float b)
{
    return fp32_bits(a) == fp32_bits(b) || (a == 0 && b == 0) || (isnan(a) && isnan(b));
}

int is_power_of_two(float scale)
{
    int exponent;
    return frexpf(scale, &exponent) == 0.5F;
}

float divisor_of(const loaded_case *loaded, int direction)
{
    int divides = direction == BACKWARD && loaded->recorded->shape->mean;
    return divides ? (float)loaded->recorded->world : 1;
}

int adds(const recorded_case *recorded, int direction)
{
    return recorded->shape->kind == (direction == FORWARD ? RECORDED_REDUCED : RECORDED_GATHERED);
}
