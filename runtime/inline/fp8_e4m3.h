/* fp8_e4m3.h: the codec fp8_e4m3: OCP E4M3 codes, a scale for each group.
 * group.h says what a codec header of groups gives, fp8.h and fp8_codec.h do it. */
#ifndef EMBDIST_INLINE_FP8_E4M3_H
#define EMBDIST_INLINE_FP8_E4M3_H

#include "fp8_codec.h"

/* Exponents count from 7; no infinity, 0x7f and 0xff are NaN. */
#define EMBDIST_FP8_E4M3 ((embdist_fp8_format){3, 121, 448.0F})

EMBDIST_FP8_CODEC(embdist_fp8_e4m3, EMBDIST_FP8_E4M3)

#endif
