#include "formats.h"

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static reference_format format_named(const char *name)
{
    static const char *const names[] = {"fp32",     "fp16",     "bf16", "int8",
                                        "fp8_e4m3", "fp8_e5m2", "mx4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return (reference_format)i;
    bail_out("the reference knows no codec \"%s\"", name);
}

/* An option of a direction's codec; "" where it has none of that name. */
static const char *option_of(const embdist_descriptor *descriptor, embdist_direction direction,
                             const char *option)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", direction_text(direction), option);
    return field_of(descriptor, name);
}

int is_stochastic(const embdist_descriptor *descriptor, embdist_direction direction)
{
    return strcmp(option_of(descriptor, direction, "rounding"), "stochastic") == 0;
}

/* As embdist_mx4_options has it. */
static int scale_rounding_named(const char *name)
{
    static const char *const names[] = {"even", "floor", "ceil", "nearest"};
    int i = 3;
    while (i > 0 && strcmp(name, names[i]) != 0)
        i--;
    return i;
}

reference_codec codec_of(const embdist_descriptor *descriptor, embdist_direction direction,
                         const uint64_t *seeds)
{
    const reference_codec codec = {
        .format = format_named(field_of(descriptor, direction_text(direction))),
        .loss_scale = strtof(option_of(descriptor, direction, "loss_scale"), NULL),
        .propagate = strcmp(option_of(descriptor, direction, "nonfinite"), "propagate") == 0,
        .group = strtoll(option_of(descriptor, direction, "group"), NULL, 10), /* "row": 0 */
        .stochastic = is_stochastic(descriptor, direction),
        .scale_rounding = scale_rounding_named(option_of(descriptor, direction, "scale_rounding")),
        .seed = seeds};
    return codec;
}

reference_format dtype_of(const embdist_descriptor *descriptor)
{
    return format_named(field_of(descriptor, "dtype"));
}

/* What the bits of a binary16 number mean. */
static float half_value(unsigned bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double mantissa = bits & 1023;
    double value = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    if (exponent == 31)
        value = mantissa > 0 ? (double)NAN : (double)INFINITY;
    return (float)(bits >> 15 ? -value : value);
}

float row_value(reference_format dtype, const void *rows, int64_t i)
{
    uint16_t bits;
    uint32_t wide;
    float value;
    if (dtype == REFERENCE_FP32) {
        memcpy(&value, (const char *)rows + 4 * i, sizeof value);
        return value;
    }
    memcpy(&bits, (const char *)rows + 2 * i, sizeof bits);
    if (dtype == REFERENCE_FP16)
        return half_value(bits);
    wide = (uint32_t)bits << 16;
    memcpy(&value, &wide, sizeof value);
    return value;
}

float value_in(reference_format dtype, float value)
{
    const reference_codec codec = {.format = dtype, .propagate = 1};
    return reference_encode(&codec, value);
}

/* The bits of a number that binary16 has. */
static uint16_t half_bits(float value)
{
    const unsigned sign = signbit(value) ? 0x8000U : 0;
    const double magnitude = fabs((double)value);
    if (isnan(value))
        return 0x7e00;
    if (isinf(value))
        return (uint16_t)(sign | 0x7c00U);
    if (magnitude < 0x1p-14)
        return (uint16_t)(sign | (unsigned)(magnitude * 0x1p24));
    const int exponent = ilogb(magnitude);
    const unsigned mantissa = (unsigned)ldexp(magnitude, 10 - exponent) - 1024;
    return (uint16_t)(sign | (unsigned)(exponent + 15) << 10 | mantissa);
}

void put_row_value(reference_format dtype, void *rows, int64_t i, float value)
{
    uint16_t bits;
    uint32_t wide;
    value = value_in(dtype, value);
    memcpy(&wide, &value, sizeof wide);
    if (dtype == REFERENCE_FP32) {
        memcpy((char *)rows + 4 * i, &value, sizeof value);
        return;
    }
    bits = dtype == REFERENCE_FP16 ? half_bits(value) : (uint16_t)(wide >> 16);
    if (isnan(value) && dtype == REFERENCE_BF16)
        bits = 0x7fc0;
    memcpy((char *)rows + 2 * i, &bits, sizeof bits);
}
