/* fp8_e5m2.h: the codec fp8_e5m2: OCP E5M2 codes, a scale for each group.
 * group.h says what a codec header of groups gives, fp8.h and fp8_codec.h do it. */
#ifndef EMBDIST_INLINE_FP8_E5M2_H
#define EMBDIST_INLINE_FP8_E5M2_H

#include "fp8_codec.h"

/* Exponents count from 15, infinities and NaN are as in IEEE formats. */
#define EMBDIST_FP8_E5M2 ((embdist_fp8_format){2, 113, 57344.0F})

EMBDIST_FP8_CODEC(embdist_fp8_e5m2, EMBDIST_FP8_E5M2)

#endif
