/* group_truth.c: see group_truth.h. */
#include "group_truth.h"

#include <float.h>

/* ---- elements */

struct format {
    int mantissa_bits;
    int bias;
    int largest; /* finite code */
};

static struct format format_of(enum kind kind)
{
    switch (kind) {
    case E4M3:
        return (struct format){3, 7, 0x7e};
    case E5M2:
        return (struct format){2, 15, 0x7b};
    default:
        return (struct format){1, 1, 7};
    }
}

double element_value(enum kind kind, int code)
{
    const struct format format = format_of(kind);
    const int sign = kind == MX4 ? 8 : 128;
    const int magnitude = code & (sign - 1);
    const int exponent = magnitude >> format.mantissa_bits;
    const int mantissa = magnitude & ((1 << format.mantissa_bits) - 1);
    const int leading = exponent == 0 ? 0 : 1 << format.mantissa_bits;
    const int power = (exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits;
    double value = ldexp(leading + mantissa, power);
    if (magnitude > format.largest) {
        value = kind == E5M2 && mantissa == 0 ? INFINITY : NAN;
    }
    return code & sign ? -value : value;
}

double element_largest(enum kind kind)
{
    return element_value(kind, format_of(kind).largest);
}

int nearest_code(enum kind kind, double x)
{
    const struct format format = format_of(kind);
    const double magnitude = fabs(x);
    int best = 0;
    for (int code = 1; code <= format.largest; ++code) {
        const double near = fabs(element_value(kind, best) - magnitude);
        const double far = fabs(element_value(kind, code) - magnitude);
        if (far < near || (far == near && (kind == MX4 || code % 2 == 0))) {
            best = code;
        }
    }
    return signbit(x) ? best | (kind == MX4 ? 8 : 128) : best;
}

/* ---- scales */

/* floor(log2 x), from the fp32 bits. */
static int exponent_of(double x)
{
    int exponent;
    frexp(x, &exponent);
    return exponent - 1;
}

int mx4_exponent(enum scale_rounding rounding, double largest)
{
    const double m = largest > 0x1p-126 ? largest : 0x1p-126;
    const double mantissa = ldexp(m, -exponent_of(m));
    int exponent = exponent_of(m);
    switch (rounding) {
    case FLOOR:
        break;
    case EVEN: /* as 0x1fffff units in the last place more would have it */
        exponent += mantissa + 0x1fffff * 0x1p-23 >= 2;
        break;
    case CEIL:
        exponent += mantissa > 1;
        break;
    case NEAREST:
        exponent += mantissa * mantissa >= 2;
        break;
    }
    exponent -= 2;
    return exponent < -127 ? -127 : exponent > 125 ? 125 : exponent;
}

double true_value(const struct group_codec *codec, const struct truth *truth, float value)
{
    if (isinf(value) && !codec->propagate) {
        const double largest = truth->largest;
        return value > 0 ? largest : -largest;
    }
    return (double)value;
}

struct truth truth_of(const struct group_codec *codec, const float *values, int64_t count)
{
    struct truth truth = {0, 0, INFINITY, -INFINITY, 0};
    int finite = 0, infinite = 0;
    for (int64_t i = 0; i < count; ++i) {
        truth.nans += isnan(values[i]) != 0;
        infinite += isinf(values[i]) != 0;
        if (isfinite(values[i])) {
            ++finite;
            truth.largest = fmax(truth.largest, fabs((double)values[i]));
        }
    }
    if (finite == 0 && infinite > 0 && !codec->propagate) {
        truth.largest = (double)FLT_MAX;
    }
    for (int64_t i = 0; i < count; ++i) {
        if (!isnan(values[i])) {
            truth.least = fmin(truth.least, true_value(codec, &truth, values[i]));
            truth.most = fmax(truth.most, true_value(codec, &truth, values[i]));
        }
    }
    if (codec->kind == INT8) {
        const double range = truth.most > truth.least ? truth.most - truth.least : 0;
        truth.step = range / (truth.nans ? 254 : 255);
    } else if (codec->kind == MX4) {
        truth.step = ldexp(1, mx4_exponent(codec->scale_rounding, truth.largest));
    } else if (truth.largest > 0) {
        truth.step = fmax(truth.largest / element_largest(codec->kind), 0x1p-126);
    }
    return truth;
}

/* ---- errors */

/* Half of the distance of the two elements about a magnitude. */
static double half_gap(enum kind kind, double magnitude)
{
    const struct format format = format_of(kind);
    const double normal = ldexp(1, 1 - format.bias);
    const double above = magnitude < normal ? normal : magnitude;
    return ldexp(0.5, exponent_of(above) - format.mantissa_bits);
}

double error_bound(const struct group_codec *codec, const struct truth *truth, float value)
{
    const double x = fabs(true_value(codec, truth, value));
    const double part = codec->stochastic ? 2 : 1;
    const double step = truth->step;
    if (codec->kind == INT8) {
        const double range = truth->most - truth->least;
        const double far = fmax(fabs(truth->most), fabs(truth->least));
        return part * step / 2 + range * 0x1p-21 + far * 0x1p-23 + 0x1p-149;
    }
    if (step == 0) {
        return 0;
    }
    if (codec->kind == MX4) {
        return x > 6 * step ? x - 6 * step : part * step * half_gap(MX4, x / step);
    }
    /* what doc/wire.md says, or half of the distance of the codes, which is less mostly */
    const double p = codec->kind == E4M3 ? 0x1p-4 : 0x1p-3;
    const double h = codec->kind == E4M3 ? 0x1p-10 : 0x1p-17;
    const double gap = half_gap(codec->kind, x / step * (1 + 0x1p-20)) * step + x * 0x1p-21;
    return part * ((1 + 0x1p-18) * fmin(fmax(p * x, h * step), gap) + 0x1p-149);
}
