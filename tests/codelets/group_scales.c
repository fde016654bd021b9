/* group_scales.c: the scales on the wire of the codecs of groups are what the formats say, for
 * groups of all kinds and lengths, and whichever instruction set has looked at the values.
 *
 * Compiled with group_codecs.c and group_truth.c, with -I of runtime/ and -lm. */
#include "group_truth.h"

static float float_at(const unsigned char *at)
{
    return float_of((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                    (uint32_t)at[3] << 24);
}

/* int8: range / 255, or 254 and the sign bit beside NaN; the least value. In fp32 exactly, but for
 * what overflows or is subnormal. */
static int is_int8_right(const struct truth *truth, const unsigned char *wire)
{
    const float scale = float_at(wire), bias = float_at(wire + 4);
    const int any = truth->most >= truth->least;
    volatile float range = (float)truth->most - (float)truth->least;
    volatile float exact = range / (truth->nans ? 254.0F : 255.0F);
    if (any ? bias != (float)truth->least : bias != 0) {
        return 0;
    }
    if ((signbit(scale) != 0) != (truth->nans > 0)) {
        return 0;
    }
    if (any && truth->most < 0x1p126 && truth->least > -0x1p126 && exact >= 0x1p-126F) {
        return fabsf(scale) == exact;
    }
    return fabs(fabs((double)scale) - truth->step) <= 0x1p-23 * truth->step + 0x1p-149;
}

/* fp8: the largest magnitude over that of the format. Zeros only: any scale under which they stay
 * what they are, so a finite one. */
static int is_fp8_right(const struct truth *truth, const unsigned char *wire)
{
    const float scale = float_at(wire);
    if (truth->step == 0) {
        return isfinite(scale) && scale >= 0;
    }
    return fabs((double)scale - truth->step) <= 0x1p-22 * truth->step;
}

static int is_mx4_right(const struct group_codec *codec, const struct truth *truth,
                        const unsigned char *wire)
{
    const int exponent = mx4_exponent(codec->scale_rounding, truth->largest);
    return wire[0] == (truth->nans ? 255 : exponent + 127);
}

static int64_t wrong_scales(const struct group_codec *codec, int isa)
{
    int64_t wrong = 0;
    random_seed(7);
    for (int64_t number = 0; number < runs(30000); ++number) {
        const int64_t count = 1 + pick(70);
        const int kind = (int)pick(VALUE_KINDS);
        float values[70];
        unsigned char wire[8];
        struct scale scale;
        make_values(values, count, kind);
        codec->by[isa].look(&scale, values, count);
        codec->put((char *)wire, &scale);
        const struct truth truth = truth_of(codec, values, count);
        const int right = codec->kind == INT8  ? is_int8_right(&truth, wire)
                          : codec->kind == MX4 ? is_mx4_right(codec, &truth, wire)
                                               : is_fp8_right(&truth, wire);
        if (!right && wrong++ < TOLD) {
            printf("# %s %s: %lld values of kind %d from %a to %a, largest %a, %d NaN: expected a "
                   "step of %a, got bytes %02x %02x %02x %02x\n",
                   codec->name, isa_names[isa], (long long)count, kind, truth.least, truth.most,
                   truth.largest, truth.nans, truth.step, wire[0], wire[1], wire[2], wire[3]);
        }
    }
    return wrong;
}

int main(void)
{
    int lines = 0;
    for (int c = 0; c < GROUP_CODECS; ++c) {
        lines += !group_codecs[c].stochastic * TAP_ISAS; /* it does not change scales */
    }
    tap_plan(lines);
    for (int c = 0; c < GROUP_CODECS; ++c) {
        for (int isa = 0; isa < TAP_ISAS && !group_codecs[c].stochastic; ++isa) {
            const char *why_not = tap_why_not(isa);
            char name[128];
            snprintf(name, sizeof name, "%s %s: scales as the format says", group_codecs[c].name,
                     isa_names[isa]);
            tap_line(why_not || wrong_scales(&group_codecs[c], isa) == 0, name, why_not);
        }
    }
    return tap_status();
}
