/* group_truth.h: what the codecs of groups should give, computed in double from the formats'
 * definitions and sharing no code with the codecs. */
#ifndef EMBDIST_TESTS_GROUP_TRUTH_H
#define EMBDIST_TESTS_GROUP_TRUTH_H

#include "group_codecs.h"

/* What a scale is made from. Infinities count as the largest finite magnitude, or FLT_MAX where
 * there is none (mx4 and int8 always, fp8 where they do not propagate). */
struct truth {
    int nans;
    double largest;     /* finite magnitude, 0 where there is none */
    double least, most; /* values, infinities replaced; most is less where there are none */
    double step;        /* what one code, or an element of 1, stands for; of the format's exactness,
                           not the wire's */
};
struct truth truth_of(const struct group_codec *codec, const float *values, int64_t count);

/* A value as it should arrive but for rounding: infinities replaced where the codec does so. */
double true_value(const struct group_codec *codec, const struct truth *truth, float value);

/* How far from that a value may arrive, by the formulas of doc/wire.md. */
double error_bound(const struct group_codec *codec, const struct truth *truth, float value);

/* The exponent of a group's scale, before the bias of 127 is added. */
int mx4_exponent(enum scale_rounding rounding, double largest);

/* The value of an element's code under a scale of 1 (fp8, mx4). */
double element_value(enum kind kind, int code);
/* The largest of them, and how many codes are not negative. */
double element_largest(enum kind kind);
/* The code nearest to x, by looking at all: ties to even codes, for mx4 away from zero; beyond
 * the largest, the largest. */
int nearest_code(enum kind kind, double x);

#endif
