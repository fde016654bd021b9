#include "agree.h"

#include "error.h"
#include "inline/common.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- signatures ----------------------------------------------------------------------------- */

static uint64_t add_word(uint64_t hash, uint64_t word)
{
    return embdist_mix(hash ^ embdist_mix(word + EMBDIST_MIX_STEP));
}

/* One (source, destination) count. Sums of these over all ranks are equal, of what is sent and of
 * what is expected, just where the counts are, but for one case in 2^64. */
static uint64_t pair(int64_t source, int64_t destination, int64_t count)
{
    return add_word(add_word((uint64_t)source, (uint64_t)destination), (uint64_t)count);
}

void embdist_agree_sign(embdist_record *record, int64_t rank, int64_t world)
{
    uint64_t hash = add_word((uint64_t)record->operation, (uint64_t)record->dist);
    record->sent = record->received = 0;
    if (record->operation == EMBDIST_OPERATION_CALL) {
        const embdist_layout_of_call *layout = record->layout;
        hash = add_word(hash, (uint64_t)record->direction);
        hash = add_word(hash, (uint64_t)layout->mode);
        for (int64_t j = 0; j < world && layout->mode == EMBDIST_SEQUENCE; j++) {
            record->sent += pair(rank, j, layout->counts[j]);
            record->received += pair(j, rank, layout->counts[world + j]);
        }
        for (int64_t i = 0; i < layout->count_count && layout->mode != EMBDIST_SEQUENCE; i++)
            hash = add_word(hash, (uint64_t)layout->counts[i]);
    }
    record->signature = hash;
}

/* ---- differences, in words ------------------------------------------------------------------ */

static const char *operation_name(embdist_operation operation)
{
    static const char *const names[] = {"embdist_open", "embdist_reserve", "a call"};
    return names[operation];
}

static const char *mode_name(const embdist_record *record)
{
    static const char *const names[] = {"_even", "_ragged", "_per_feature", ""};
    return record->layout ? names[record->layout->mode] : "";
}

static const char *direction_name(const embdist_record *record)
{
    if (record->operation != EMBDIST_OPERATION_CALL)
        return "";
    return record->direction == EMBDIST_FORWARD ? "_forward" : "_backward";
}

/* Different operations, dists, directions or modes: what each rank does. */
static embdist_status differ_in_call(const embdist_record *zero, const embdist_record *other,
                                     int64_t rank)
{
    return embdist_fail(
        EMBDIST_MISMATCH,
        "ranks disagree on the call: rank 0 is in %s of %s_%s%s%s (dist %" PRId64 "), rank %" PRId64
        " in %s of %s_%s%s%s (dist %" PRId64 "); expected the same calls in the same order",
        operation_name(zero->operation), zero->descriptor->spec, zero->descriptor->name,
        direction_name(zero), mode_name(zero), zero->dist, rank, operation_name(other->operation),
        other->descriptor->spec, other->descriptor->name, direction_name(other), mode_name(other),
        other->dist);
}

static embdist_status differ_in_counts(const embdist_record *zero, const embdist_record *other,
                                       int64_t rank)
{
    static const char *const names[] = {"batch", "batch_per_rank", "batch_per_rank_feature"};
    const embdist_layout_of_call *a = zero->layout, *b = other->layout;
    for (int64_t i = 0; i < a->count_count; i++) {
        char place[EMBDIST_PLACE];
        if (a->counts[i] == b->counts[i])
            continue;
        embdist_layout_place(a->mode, i, zero->descriptor->features, place);
        return embdist_fail(EMBDIST_MISMATCH,
                            "%s_%s%s%s: ranks disagree on %s%s: rank 0 has %" PRId64
                            ", rank %" PRId64 " has %" PRId64 "; expected the same on every rank",
                            zero->descriptor->spec, zero->descriptor->name, direction_name(zero),
                            mode_name(zero), names[a->mode], place, a->counts[i], rank,
                            b->counts[i]);
    }
    return EMBDIST_OK;
}

static embdist_status differ_in_pairs(embdist_local *local, int64_t world, uint64_t sequence)
{
    const embdist_record *zero = embdist_local_record(local, 0, sequence);
    for (int64_t s = 0; s < world; s++)
        for (int64_t d = 0; d < world; d++) {
            const int64_t sent = embdist_local_record(local, s, sequence)->layout->counts[d];
            const int64_t expected =
                embdist_local_record(local, d, sequence)->layout->counts[world + s];
            if (sent != expected)
                return embdist_fail(EMBDIST_MISMATCH,
                                    "%s_%s%s: rank %" PRId64 " has send_rows[%" PRId64
                                    "] = %" PRId64 ", but rank %" PRId64 " has recv_rows[%" PRId64
                                    "] = %" PRId64 "; expected equal numbers",
                                    zero->descriptor->spec, zero->descriptor->name,
                                    direction_name(zero), s, d, sent, d, s, expected);
        }
    return EMBDIST_OK;
}

static embdist_status differ_in_text(const char *field, const char *a, const char *b, int64_t rank)
{
    if (strcmp(a, b) == 0)
        return EMBDIST_OK;
    return embdist_fail(
        EMBDIST_MISMATCH,
        "embdist_open: ranks opened different dists: %s is \"%s\" on rank 0 and \"%s\" on rank "
        "%" PRId64 "; generate both from one spec with one generator",
        field, a, b, rank);
}

static embdist_status differ_in_number(const char *field, int64_t a, int64_t b, int64_t rank)
{
    if (a == b)
        return EMBDIST_OK;
    return embdist_fail(EMBDIST_MISMATCH,
                        "embdist_open: ranks opened different dists: %s is %" PRId64
                        " on rank 0 and %" PRId64 " on rank %" PRId64
                        "; generate both from one spec with one generator",
                        field, a, b, rank);
}

/* The dim of each feature in turn. */
typedef struct dims {
    const embdist_group *group;
    int64_t left;
} dims;

static int64_t next_dim(dims *at)
{
    while (!at->left)
        at->left = (++at->group)->features;
    at->left--;
    return at->group->dim;
}

static embdist_status differ_in_descriptor(const embdist_descriptor *a, const embdist_descriptor *b,
                                           int64_t rank)
{
    if (a == b)
        return EMBDIST_OK;
    embdist_status status = EMBDIST_OK;
    for (int64_t i = 0; !status && i < a->field_count && i < b->field_count; i++) {
        status = differ_in_text("a field's name", a->fields[i].name, b->fields[i].name, rank);
        if (!status)
            status =
                differ_in_text(a->fields[i].name, a->fields[i].value, b->fields[i].value, rank);
    }
    if (!status)
        status = differ_in_number("the number of fields", a->field_count, b->field_count, rank);
    if (!status)
        status = differ_in_number("the number of features", a->features, b->features, rank);
    dims dims_a = {a->group, a->group->features}, dims_b = {b->group, b->group->features};
    for (int64_t f = 0; !status && f < a->features; f++) {
        char field[64];
        snprintf(field, sizeof field, "features[%" PRId64 "]", f);
        status = differ_in_text(field, a->feature_names[f], b->feature_names[f], rank);
        snprintf(field, sizeof field, "dims[%" PRId64 "]", f);
        if (!status)
            status = differ_in_number(field, next_dim(&dims_a), next_dim(&dims_b), rank);
    }
    return status;
}

/* Of descriptors that agree: both have owners, or none has. */
static embdist_status differ_in_owners(const embdist_record *zero, const embdist_record *other,
                                       int64_t rank)
{
    for (int64_t f = 0; zero->owners && f < zero->descriptor->features; f++)
        if (zero->owners[f] != other->owners[f])
            return embdist_fail(
                EMBDIST_MISMATCH,
                "embdist_open: options->owners[%" PRId64 "] (\"%s\") is %" PRId64
                " on rank 0 and %" PRId64 " on rank %" PRId64 ", expected the same on every rank",
                f, zero->descriptor->feature_names[f], zero->owners[f], other->owners[f], rank);
    return EMBDIST_OK;
}

static embdist_status differ_in_open(const embdist_record *zero, const embdist_record *other,
                                     int64_t rank)
{
    embdist_status status = differ_in_descriptor(zero->descriptor, other->descriptor, rank);
    if (!status)
        status = differ_in_owners(zero, other, rank);
    if (status || zero->way == other->way)
        return status;
    return embdist_fail(EMBDIST_MISMATCH,
                        "embdist_open: options->way is %d on rank 0 and %d on rank %" PRId64
                        ", expected the same on every rank",
                        (int)zero->way, (int)other->way, rank);
}

/* ---- the verdict ---------------------------------------------------------------------------- */

static embdist_status agree_with_zero(const embdist_record *zero, const embdist_record *other,
                                      int64_t rank)
{
    if (zero->signature != other->signature) {
        const int same_call = zero->operation == EMBDIST_OPERATION_CALL &&
                              other->operation == zero->operation && other->dist == zero->dist &&
                              other->direction == zero->direction &&
                              other->layout->mode == zero->layout->mode;
        const embdist_status status = same_call ? differ_in_counts(zero, other, rank) : EMBDIST_OK;
        return status ? status : differ_in_call(zero, other, rank);
    }
    return zero->operation == EMBDIST_OPERATION_OPEN ? differ_in_open(zero, other, rank)
                                                     : EMBDIST_OK;
}

embdist_status embdist_agree(embdist_local *local, int64_t world, uint64_t sequence)
{
    for (int64_t r = 0; r < world; r++) {
        const char *refusal = embdist_local_record(local, r, sequence)->refusal;
        if (refusal)
            return embdist_fail(EMBDIST_REFUSED, "rank %" PRId64 " refused its call: %s", r,
                                refusal);
    }
    const embdist_record *zero = embdist_local_record(local, 0, sequence);
    uint64_t sent = zero->sent, received = zero->received;
    for (int64_t r = 1; r < world; r++) {
        const embdist_record *other = embdist_local_record(local, r, sequence);
        const embdist_status status = agree_with_zero(zero, other, r);
        if (status)
            return status;
        sent += other->sent;
        received += other->received;
    }
    return sent == received ? EMBDIST_OK : differ_in_pairs(local, world, sequence);
}
