/* group_recorded.c: the recorded cases of codecs, all of them: what TorchRec and FBGEMM sent and
 * received, against what embdist does. A line a case; argument: the folder of recorded cases, else
 * tests/vectors of the source.
 *
 * Codes, scales and decoded values are equal bit for bit, but for groups of these sorts, which
 * are counted apart, printed, and held to our error bound instead:
 *
 *   nonfinite    NaN or an infinity among the values: the recorder has other rules
 *   little       int8, range below 0.25: FBGEMM adds 1e-8 to it
 *   overflow     int8, range beyond fp32
 *   huge         mx4 "even", maximum above 2.97e38: FBGEMM's exponent is NaN
 *   brink        mx4 "even", maximum at 1.75 * 2^k or within 64 units in the last place below:
 *                FBGEMM takes log2 in fp32
 *   quotient     FBGEMM divides by a loss scale in the wire type; ours is the fp32 quotient of the
 *                recorded code, bit for bit, and rounds to theirs. They differ where the scale is
 *                no power of two, or the quotient subnormal in the wire type
 *   format       fp8: FBGEMM has formats of its own
 *
 * Zeros are equal whatever their signs, and so are NaNs.
 *
 * Compiled with group_codecs.c, group_truth.c and recorded_tensors.c, with -I of runtime/ and
 * -lm. */
#include "group_truth.h"
#include "recorded_tensors.h"

#include <inline/bf16.h>
#include <inline/fp16.h>

enum sort { EXACT, NONFINITE, LITTLE, OVERFLOW, HUGE_, BRINK, QUOTIENT, FORMAT, SORTS };
static const char *const SORT_NAMES[SORTS] = {"exact", "nonfinite", "little",   "overflow",
                                              "huge",  "brink",     "quotient", "format"};
static const char *const SETS[] = {"special", "finite", "ties",     "normal",
                                   "wide",    "rows",   "nonfinite"};
enum { SET_COUNT = sizeof SETS / sizeof SETS[0] };

/* What a case comes to. */
struct result {
    int64_t groups[SORTS]; /* or values, for the 16-bit codecs */
    int64_t wrong;
};

struct place {
    const struct recorded *recorded;
    const char *set;
    int isa;
};

static void complain(struct result *result, struct place place, int64_t at, const char *what,
                     double expected, double got)
{
    if (result->wrong++ < TOLD) {
        printf("# %s %s, %s, value %lld: %s: expected %a, got %a\n", place.recorded->name,
               place.set, isa_names[place.isa], (long long)at, what, expected, got);
    }
}

/* ---- groups */

/* Whether a largest value lies so near below 1.75 * 2^k that log2 in fp32 does not tell. */
static int is_on_brink(double largest)
{
    const float m = largest < 0x1p-126 ? 0x1p-126F : (float)largest;
    const uint32_t near = 64, most = 0x7f7fffff;
    const float above = float_of(bits_of(m) < most - near ? bits_of(m) + near : most);
    return mx4_exponent(EVEN, largest) != mx4_exponent(EVEN, (double)above);
}

static enum sort sort_of(const struct group_codec *codec, const struct truth *truth,
                         const float *values, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        if (!isfinite(values[i])) {
            return NONFINITE;
        }
    }
    if (codec->kind == INT8) {
        const double range = truth->most - truth->least;
        volatile float in_fp32 = (float)truth->most - (float)truth->least;
        return isinf(in_fp32) ? OVERFLOW : range < 0.25 && range > 0 ? LITTLE : EXACT;
    }
    if (codec->kind != MX4) {
        return FORMAT;
    }
    if (codec->scale_rounding == EVEN && truth->largest > 2.97e38) {
        return HUGE_;
    }
    return codec->scale_rounding == EVEN && is_on_brink(truth->largest) ? BRINK : EXACT;
}

/* What arrives, by our bound. */
static void hold_to_bound(struct result *result, struct place place,
                          const struct group_codec *codec, const struct truth *truth,
                          const float *values, const float *decoded, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; ++i) {
        const double x = true_value(codec, truth, values[i]);
        const double bound = error_bound(codec, truth, values[i]);
        const int nan = isnan(values[i]) || (truth->nans && codec->kind == MX4);
        if (nan ? !isnan(decoded[i]) : !(fabs((double)decoded[i] - x) <= bound)) {
            complain(result, place, first + i, "beyond the error bound", x, (double)decoded[i]);
        }
    }
}

/* The recorder's way to have a 0 in the bias: any sign. */
static int is_wire_equal(const struct group_codec *codec, const unsigned char *ours,
                         const unsigned char *theirs, int64_t payload)
{
    static const unsigned char PLUS[4] = {0, 0, 0, 0}, MINUS[4] = {0, 0, 0, 0x80};
    const int64_t bias = payload + 4;
    if (codec->kind != INT8) {
        return memcmp(ours, theirs, (size_t)(payload + codec->group_bytes)) == 0;
    }
    return memcmp(ours, theirs, (size_t)bias) == 0 &&
           (memcmp(ours + bias, theirs + bias, 4) == 0 ||
            (memcmp(ours + bias, PLUS, 4) == 0 && memcmp(theirs + bias, MINUS, 4) == 0));
}

static void compare_group(struct result *result, struct place place,
                          const struct group_codec *codec, int64_t first, int64_t count,
                          const unsigned char *theirs)
{
    static const uint32_t NO_RANDOM[DIM_MOST];
    const struct tensor *input = recorded_tensor(place.recorded, place.set, "input");
    const struct tensor *output = recorded_tensor(place.recorded, place.set, "decoded");
    const int64_t payload = payload_bytes(codec, count);
    unsigned char ours[ROW_BYTES_MOST];
    float values[DIM_MOST], decoded[DIM_MOST];
    for (int64_t i = 0; i < count; ++i) {
        values[i] = recorded_float(input, first + i);
    }
    encode_row(codec, place.isa, (char *)ours, values, count, count, NO_RANDOM);
    decode_row(codec, place.isa, decoded, (char *)ours, count, count);
    const struct truth truth = truth_of(codec, values, count);
    const enum sort sort = sort_of(codec, &truth, values, count);
    ++result->groups[sort];
    hold_to_bound(result, place, codec, &truth, values, decoded, first, count);
    if (sort != EXACT) {
        return;
    }
    if (!is_wire_equal(codec, ours, theirs, payload)) {
        complain(result, place, first, "other bytes on the wire (last bytes)",
                 (double)theirs[payload + codec->group_bytes - 1],
                 (double)ours[payload + codec->group_bytes - 1]);
    }
    for (int64_t i = 0; i < count; ++i) {
        const float expected = recorded_float(output, first + i);
        if (!equal(decoded[i], expected)) {
            complain(result, place, first + i, "another decoded value", (double)expected,
                     (double)decoded[i]);
        }
    }
    decode_row(codec, place.isa, decoded, (const char *)theirs, count, count);
    for (int64_t i = 0; i < count; ++i) {
        if (!equal(decoded[i], recorded_float(output, first + i))) {
            complain(result, place, first + i, "their bytes decode to another value",
                     (double)recorded_float(output, first + i), (double)decoded[i]);
        }
    }
}

/* Groups of `group` values of the flat buffer, on the wire `stride` bytes apart. */
static void compare_groups(struct result *result, const struct recorded *recorded,
                           const struct group_codec *codec, int64_t group, int64_t stride)
{
    for (int s = 0; s < SET_COUNT; ++s) {
        const struct tensor *input = recorded_tensor(recorded, SETS[s], "input");
        const struct tensor *encoded = recorded_tensor(recorded, SETS[s], "encoded");
        const struct tensor *decoded = recorded_tensor(recorded, SETS[s], "decoded");
        if (input == NULL) {
            continue;
        }
        if (!encoded || !decoded || decoded->count != input->count || input->count % group != 0 ||
            encoded->count != input->count / group * stride || group > DIM_MOST) {
            printf("# %s: set %s has tensors of sizes that do not fit together\n", recorded->name,
                   SETS[s]);
            ++result->wrong;
            continue;
        }
        for (int isa = 0; isa < TAP_ISAS; ++isa) {
            const struct place place = {recorded, SETS[s], isa};
            for (int64_t g = 0; !tap_why_not(isa) && g < input->count / group; ++g) {
                compare_group(result, place, codec, g * group, group, encoded->bytes + g * stride);
            }
        }
    }
}

/* ---- the 16-bit codecs */

struct half {
    float (*read)(const char *wire, int64_t i, embdist_half_options options);
    void (*write)(char *wire, int64_t i, float value, embdist_half_options options);
};

static void compare_values(struct result *result, const struct recorded *recorded, struct half half)
{
    const double loss_scale = recorded_number(recorded, "loss_scale", 1);
    const embdist_half_options options = {(float)loss_scale, 1}, unscaled = {1.0F, 1};
    for (int s = 0; s < SET_COUNT; ++s) {
        const struct tensor *input = recorded_tensor(recorded, SETS[s], "input");
        const struct tensor *encoded = recorded_tensor(recorded, SETS[s], "encoded");
        const struct tensor *decoded = recorded_tensor(recorded, SETS[s], "decoded");
        const struct place place = {recorded, SETS[s], TAP_PLAIN};
        for (int64_t i = 0; input && encoded && decoded && i < input->count; ++i) {
            char wire[2];
            const uint16_t code = recorded_half(encoded, i);
            const float value = recorded_float(input, i), theirs = recorded_float(decoded, i);
            half.write(wire, 0, value, options);
            const uint16_t ours = (uint16_t)((unsigned char)wire[0] | (unsigned char)wire[1] << 8);
            const float got = half.read(wire, 0, options);
            const float widened = half.read((const char *)encoded->bytes, i, unscaled);
            volatile float quotient = widened / (float)loss_scale;
            char rounded[2];
            half.write(rounded, 0, quotient, unscaled);
            ++result->groups[equal(quotient, theirs) ? EXACT : QUOTIENT];
            if (ours != code && !isnan(value)) {
                complain(result, place, i, "another code", code, ours);
            }
            if (!equal(got, quotient)) {
                complain(result, place, i, "no fp32 quotient", (double)quotient, (double)got);
            }
            if (!equal(half.read(rounded, 0, unscaled), theirs)) {
                complain(result, place, i, "not our quotient in the wire type", (double)theirs,
                         (double)quotient);
            }
        }
    }
}

/* ---- fp8 elements of FBGEMM: 1-4-3 with bias 15, 1-5-2 with bias 31 */

/* Every one of their 256 values; which of them are in ours, scaled by the power of two between the
 * biases. Theirs have no NaN and no infinity: where ours have those, the values differ. */
static void compare_all_codes(struct result *result, const struct recorded *recorded)
{
    static const struct {
        const char *set;
        enum kind kind;
        int shift;  /* of the biases */
        int others; /* codes that are no finite numbers in ours */
    } FORMATS[] = {{"allcodes_143", E4M3, 15 - 7, 2}, {"allcodes_152", E5M2, 31 - 15, 8}};
    const struct tensor *encoded = recorded_tensor(recorded, "allcodes", "encoded");
    for (int f = 0; f < 2; ++f) {
        const struct tensor *decoded = recorded_tensor(recorded, FORMATS[f].set, "decoded");
        const struct place place = {recorded, FORMATS[f].set, TAP_PLAIN};
        int others = 0;
        for (int64_t i = 0; encoded && decoded && i < encoded->count; ++i) {
            const double ours = element_value(FORMATS[f].kind, encoded->bytes[i]);
            const double theirs = (double)recorded_float(decoded, i);
            others += !isfinite(ours);
            ++result->groups[FORMAT];
            if (isfinite(ours) && ldexp(ours, -FORMATS[f].shift) != theirs) {
                complain(result, place, i, "not our value, scaled", ldexp(ours, -FORMATS[f].shift),
                         theirs);
            }
        }
        if (others != FORMATS[f].others) {
            complain(result, place, 0, "codes that differ", FORMATS[f].others, others);
        }
    }
}

/* fp8_scalar has no scale and so ends at 0.9375 (N10); ours does not. */
static void compare_scalar(struct result *result, const struct recorded *recorded)
{
    const struct tensor *input = recorded_tensor(recorded, "wide", "input");
    const struct tensor *decoded = recorded_tensor(recorded, "wide", "decoded");
    const struct place place = {recorded, "wide", TAP_PLAIN};
    int64_t clamped = 0;
    for (int64_t i = 0; input && decoded && i < input->count; ++i) {
        const float value = recorded_float(input, i), theirs = recorded_float(decoded, i);
        if (fabsf(value) > 1) {
            clamped += fabsf(theirs) == 0.9375F;
        }
    }
    if (clamped == 0) {
        complain(result, place, 0, "values clamped to 0.9375", 1, 0);
    }
    compare_groups(result, recorded, codec_of(E4M3, 0), 8, 8);
}

/* ---- cases */

static const struct group_codec *mx4_of(const char *rounding)
{
    static const char *const ROUNDINGS[] = {"even", "floor", "ceil", "nearest"};
    for (int c = 0; rounding && c < GROUP_CODECS; ++c) {
        const struct group_codec *codec = &group_codecs[c];
        if (codec->kind == MX4 && !codec->stochastic &&
            strcmp(ROUNDINGS[codec->scale_rounding], rounding) == 0) {
            return codec;
        }
    }
    return NULL;
}

/* Why a case is only looked at for its difference; NULL otherwise. */
static const char *compare_case(struct result *result, const struct recorded *recorded)
{
    static const struct half FP16 = {embdist_fp16_read_wire, embdist_fp16_write_wire};
    static const struct half BF16 = {embdist_bf16_read_wire, embdist_bf16_write_wire};
    const char *codec = recorded_field(recorded, "codec");
    const int64_t row = (int64_t)recorded_number(recorded, "row_dim", 0);
    if (codec == NULL) {
        ++result->wrong;
    } else if (strcmp(codec, "fp16") == 0) {
        compare_values(result, recorded, FP16);
    } else if (strcmp(codec, "bf16") == 0) {
        compare_values(result, recorded, BF16);
    } else if (strncmp(codec, "int8_rowwise", 12) == 0 && row > 0) {
        compare_groups(result, recorded, codec_of(INT8, 0), row, row + 8);
    } else if (strcmp(codec, "fp8_rowwise") == 0 && row > 0) {
        const int e5m2 = recorded_number(recorded, "ebits", 0) == 5;
        compare_groups(result, recorded, codec_of(e5m2 ? E5M2 : E4M3, 0), row,
                       (row + 3) / 4 * 4 + 8);
    } else if (strcmp(codec, "mx4") == 0 && mx4_of(recorded_field(recorded, "rounding_mode"))) {
        const int64_t group = (int64_t)recorded_number(recorded, "group_size", 0);
        compare_groups(result, recorded, mx4_of(recorded_field(recorded, "rounding_mode")), group,
                       group / 2 + 1);
    } else if (strcmp(codec, "fp8_scalar") == 0) {
        compare_scalar(result, recorded);
        return "embdist has no fp8 without scales: theirs clamps at 0.9375, ours arrives within "
               "its bound";
    } else if (strcmp(codec, "fp8_elements") == 0) {
        compare_all_codes(result, recorded);
        return "embdist has the OCP formats: the same values scaled by 2^8 and 2^16, but for the "
               "codes of NaN and infinity";
    } else {
        printf("# codec \"%s\" is not known here\n", codec);
        ++result->wrong;
    }
    return NULL;
}

int main(int count, char **arguments)
{
    const char *top = getenv("top_srcdir");
    char folder[4096];
    int cases;
    if (count > 1) {
        snprintf(folder, sizeof folder, "%s/codec", arguments[1]);
    } else {
        snprintf(folder, sizeof folder, "%s/tests/vectors/codec", top ? top : ".");
    }
    char(*names)[NAME_MOST] = recorded_names(folder, &cases);
    int64_t sums[SORTS] = {0};
    tap_plan(cases + 1);
    for (int i = 0; i < cases; ++i) {
        struct result result = {{0}, 0};
        struct recorded *recorded = recorded_load(folder, names[i]);
        const char *difference = compare_case(&result, recorded);
        int64_t all = 0;
        char name[256];
        snprintf(name, sizeof name, "codec/%s%s%s", names[i], difference ? ": " : "",
                 difference ? difference : "");
        printf("# %s:", names[i]);
        for (int c = 0; c < SORTS; ++c) {
            if (result.groups[c] > 0) {
                printf(" %lld %s", (long long)result.groups[c], SORT_NAMES[c]);
            }
            sums[c] += result.groups[c];
            all += result.groups[c];
        }
        if (all == 0) {
            const char *codec = recorded_field(recorded, "codec");
            printf(" nothing was compared: the codec is %s", codec ? codec : "not named");
        }
        printf("\n");
        tap_line(result.wrong == 0 && all > 0, name, NULL);
        recorded_free(recorded);
    }
    /* A comparison of nothing would be a success too. */
    tap_line(sums[EXACT] > 0 && sums[EXACT] > sums[LITTLE] + sums[BRINK] + sums[HUGE_],
             "most groups are compared bit for bit", NULL);
    free(names);
    return tap_status();
}
