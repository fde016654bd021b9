/* tap.h: TAP lines of the codelet tests, and which instruction sets this CPU has. */
#ifndef EMBDIST_TESTS_TAP_H
#define EMBDIST_TESTS_TAP_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#endif

static int tap_number, tap_failures;

static inline void tap_plan(int tests)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what a crash leaves unsaid is missing from the plan */
    printf("1..%d\n", tests);
}

static inline void tap_line(int passed, const char *name, const char *skipped)
{
    tap_failures += !passed;
    printf("%s %d - %s%s%s\n", passed ? "ok" : "not ok", ++tap_number, name,
           skipped ? " # SKIP " : "", skipped ? skipped : "");
}

static inline int tap_status(void)
{
    return tap_failures != 0;
}

enum { TAP_PLAIN, TAP_AVX2, TAP_AVX512, TAP_ISAS };

/* Why the versions of an instruction set cannot run here; NULL where they can. The operating system
 * must save the registers too: that is what the builtin asks beside the CPU. */
static inline const char *tap_why_not(int isa)
{
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    unsigned a, b, c, d;
    const int f16c = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
    const int avx2 = f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == TAP_AVX2 && !avx2) {
        return "this CPU has no AVX2, FMA and F16C";
    }
    if (isa == TAP_AVX512 &&
        !(avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))) {
        return "this CPU has no AVX-512 F, BW, VL and DQ";
    }
    return NULL;
#else
    return isa == TAP_PLAIN ? NULL : "vector versions are made for x86-64 only";
#endif
}

#endif
