#include "cases.h"

#include "formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_sequence(const case_shape *shape)
{
    return shape->mode == EMBDIST_SEQUENCE;
}

/* Whether the kind of a shape takes its permute. */
static int takes_permute(const case_shape *shape)
{
    return shape->entry->descriptor->index_bytes != 0;
}

static int is_mean(const embdist_descriptor *descriptor)
{
    return strcmp(field_of(descriptor, "gradient"), "mean") == 0;
}

/* ---- buffers -------------------------------------------------------------------------------- */

/* Elements of rank r's local side and of its out side. */
static void make_buffers(test_case *made, int64_t rank, int64_t local, int64_t out,
                         random_state *random)
{
    const case_shape *shape = &made->shape;
    const int forward = shape->direction == EMBDIST_FORWARD;
    const embdist_descriptor *descriptor = shape->entry->descriptor;
    buffer *in = &made->in[rank];
    buffer_make_of(in, descriptor->element_bytes, forward ? local : out, shape->in_offset);
    buffer_make_of(&made->out[rank], descriptor->element_bytes, forward ? out : local,
                   shape->out_offset);
    for (int64_t i = 0; i < in->count; i++) {
        float value;
        random_fill(random, shape->values, &value, 1);
        put_row_value(dtype_of(descriptor), in->rows, i, value);
    }
    made->expected[rank] = take(made->out[rank].count, sizeof(float));
}

/* The inputs of all ranks, as the reference takes them; freed by free_inputs. */
static float **inputs_of(const test_case *made)
{
    const reference_format dtype = dtype_of(made->shape.entry->descriptor);
    float **inputs = take(made->shape.world, sizeof *inputs);
    for (int64_t r = 0; r < made->shape.world; r++) {
        inputs[r] = take(made->in[r].count, sizeof **inputs);
        for (int64_t i = 0; i < made->in[r].count; i++)
            inputs[r][i] = row_value(dtype, made->in[r].rows, i);
    }
    return inputs;
}

static void free_inputs(const test_case *made, float **inputs)
{
    for (int64_t r = 0; r < made->shape.world; r++)
        free(inputs[r]);
    free(inputs);
}

/* What is expected is rounded to the rows' type, once. */
static void round_expected(test_case *made)
{
    const reference_format dtype = dtype_of(made->shape.entry->descriptor);
    for (int64_t r = 0; r < made->shape.world; r++)
        for (int64_t i = 0; i < made->out[r].count; i++)
            made->expected[r][i] = value_in(dtype, made->expected[r][i]);
}

/* ---- pooled --------------------------------------------------------------------------------- */

static void make_counts(test_case *made, random_state *random)
{
    const case_shape *shape = &made->shape;
    const int64_t features = shape->mode == EMBDIST_PER_FEATURE ? made->features : 1;
    made->counts = take(shape->world * features, sizeof *made->counts);
    for (int64_t r = 0; r < shape->world; r++)
        for (int64_t f = 0; f < features; f++) {
            int64_t rows = shape->batch[shape->mode == EMBDIST_EVEN ? 0 : r];
            if (f)
                rows = random_below(random, 2 * rows + 1);
            made->counts[r * features + f] = shape->empty_feature == f + 1 ? 0 : rows;
        }
}

static int64_t piece_of(const test_case *made, int64_t rank)
{
    return made->shape.mode == EMBDIST_PER_FEATURE
               ? reference_pooled_piece_per_feature(made->features, made->dims,
                                                    made->counts + rank * made->features)
               : reference_pooled_piece(made->features, made->dims, made->counts[rank]);
}

/* The dims of the rows of a rank's piece. */
static int64_t *dims_of_piece(const test_case *made, int64_t rank)
{
    const int adjacent = made->shape.mode != EMBDIST_PER_FEATURE;
    const int64_t *batch = made->counts + rank * (adjacent ? 1 : made->features);
    const int64_t rows = reference_pooled_dims(made->features, made->dims, batch, adjacent, NULL);
    int64_t *dims = take(rows, sizeof *dims);
    reference_pooled_dims(made->features, made->dims, batch, adjacent, dims);
    return dims;
}

/* rw_pooled, and all_gather, which is it turned round. */
static void make_pooled(test_case *made, random_state *random)
{
    const case_shape *shape = &made->shape;
    const embdist_descriptor *descriptor = shape->entry->descriptor;
    const int gathers = strcmp(descriptor->kind, "all_gather") == 0;
    int64_t *pieces = take(shape->world, sizeof *pieces), all = 0;
    int64_t **dims = take(shape->world, sizeof *dims);
    for (int64_t r = 0; r < shape->world; r++)
        dims[r] = dims_of_piece(made, r);
    for (int64_t r = 0; r < shape->world; r++)
        all += pieces[r] = piece_of(made, r);
    for (int64_t r = 0; r < shape->world; r++)
        make_buffers(made, r, gathers ? pieces[r] : all, gathers ? all : pieces[r], random);
    const reference_pooled reference = {
        .world = shape->world,
        .piece_count = pieces,
        .dims = (const int64_t *const *)dims,
        .forward = codec_of(descriptor, EMBDIST_FORWARD, made->seeds),
        .backward = codec_of(descriptor, EMBDIST_BACKWARD, made->seeds),
        .mean = is_mean(descriptor)};
    float **mine = inputs_of(made);
    const float *const *inputs = (const float *const *)mine;
    if (shape->direction == EMBDIST_FORWARD)
        (gathers ? reference_gather_forward : reference_pooled_forward)(&reference, inputs,
                                                                        made->expected);
    else
        (gathers ? reference_gather_backward : reference_pooled_backward)(&reference, inputs,
                                                                          made->expected);
    free_inputs(made, mine);
    for (int64_t r = 0; r < shape->world; r++)
        free(dims[r]);
    free(dims);
    free(pieces);
}

static void make_table(test_case *made, random_state *random)
{
    const case_shape *shape = &made->shape;
    const embdist_descriptor *descriptor = shape->entry->descriptor;
    int64_t *batch = take(shape->world * made->features, sizeof *batch);
    for (int64_t r = 0; r < shape->world; r++)
        for (int64_t f = 0; f < made->features; f++)
            batch[r * made->features + f] =
                made->counts[shape->mode == EMBDIST_PER_FEATURE ? r * made->features + f : r];
    const reference_table reference = {
        .world = shape->world,
        .features = made->features,
        .dims = made->dims,
        .owners = made->owners,
        .batch = batch,
        .adjacent = shape->mode != EMBDIST_PER_FEATURE,
        .forward = codec_of(descriptor, EMBDIST_FORWARD, made->seeds),
        .backward = codec_of(descriptor, EMBDIST_BACKWARD, made->seeds),
        .mean = is_mean(descriptor)};
    for (int64_t r = 0; r < shape->world; r++)
        make_buffers(made, r, reference_table_local(&reference, r),
                     reference_table_out(&reference, r), random);
    float **mine = inputs_of(made);
    const float *const *inputs = (const float *const *)mine;
    if (shape->direction == EMBDIST_FORWARD)
        reference_table_forward(&reference, inputs, made->expected);
    else
        reference_table_backward(&reference, inputs, made->expected);
    free_inputs(made, mine);
    free(batch);
}

/* ---- sequences ------------------------------------------------------------------------------ */

/* What rank s holds: lengths of 0 to 3 rows for each feature and sample. */
static void make_rows(test_case *made, int64_t s, random_state *random)
{
    const case_shape *shape = &made->shape;
    const int64_t world = shape->world;
    int64_t samples = 0;
    for (int64_t j = 0; j < world; j++)
        samples += shape->batch[j];
    int32_t *length = made->lengths[s] = take(made->held[s] * samples, sizeof *length);
    for (int64_t f = 0; f < made->held[s]; f++)
        for (int64_t j = 0; j < world; j++)
            for (int64_t b = 0; b < shape->batch[j]; b++, length++) {
                *length = (int32_t)random_below(random, 4);
                if (shape->empty_feature == f + 1 ||
                    (shape->only_rank && shape->only_rank != j + 1))
                    *length = 0;
            }
    made->rows[s] = take(made->held[s] * world, sizeof **made->rows);
    reference_sequence_rows(world, made->held[s], made->lengths[s], shape->batch, made->rows[s]);
    for (int64_t j = 0; j < world; j++)
        for (int64_t f = 0; f < made->held[s]; f++)
            made->send[s * world + j] += made->rows[s][f * world + j];
}

static void shuffle(int64_t *values, int64_t count, random_state *random)
{
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t k = random_below(random, i + 1), value = values[i];
        values[i] = values[k];
        values[k] = value;
    }
}

static void make_permute(test_case *made, int64_t rank, int64_t received, random_state *random)
{
    const permute_style style = takes_permute(&made->shape) ? made->shape.permute : PERMUTE_NONE;
    const int64_t index_bytes = made->shape.entry->descriptor->index_bytes;
    int64_t rows = received;
    if (style == PERMUTE_REPEATS && received && rank % 2)
        rows = received + 1 + random_below(random, 7);
    if (style == PERMUTE_OMITS)
        rows = received - (received + 2) / 3;
    made->output_rows[rank] = rows;
    if (style == PERMUTE_NONE)
        return;
    int64_t *permute = made->permute[rank] = take(rows + received, sizeof *permute);
    for (int64_t i = 0; i < received; i++)
        permute[i] = i;
    shuffle(permute, received, random);
    for (int64_t i = 0; i < rows && style == PERMUTE_REPEATS; i++)
        permute[i] = random_below(random, received);
    /* Exactly the rows' memory, for checkers. */
    char *index = made->index[rank] = take(rows, (size_t)index_bytes);
    for (int64_t i = 0; i < rows; i++) {
        const int32_t narrow = (int32_t)permute[i];
        memcpy(index + i * index_bytes,
               index_bytes == 4 ? (const void *)&narrow : (const void *)&permute[i],
               (size_t)index_bytes);
    }
}

static void make_sequence(test_case *made, random_state *random)
{
    const case_shape *shape = &made->shape;
    const embdist_descriptor *descriptor = shape->entry->descriptor;
    const int64_t world = shape->world;
    made->send = take(world * world, sizeof *made->send);
    made->recv = take(world * world, sizeof *made->recv);
    for (int64_t s = 0; s < world; s++)
        make_rows(made, s, random);
    for (int64_t r = 0; r < world; r++) {
        int64_t sent = 0, received = 0;
        for (int64_t s = 0; s < world; s++) {
            sent += made->send[r * world + s];
            received += made->recv[r * world + s] = made->send[s * world + r];
        }
        make_permute(made, r, received, random);
        make_buffers(made, r, sent * made->dim, made->output_rows[r] * made->dim, random);
        made->sequence[r] = (embdist_sequence_batch){
            .size = sizeof(embdist_sequence_batch),
            .send_rows = made->send + r * world,
            .recv_rows = made->recv + r * world,
            .rows = shape->lengths ? NULL : made->rows[r],
            .lengths = shape->lengths ? made->lengths[r] : NULL,
            .batch_per_rank = shape->lengths ? shape->batch : NULL,
            .permute = made->index[r],
            .output_rows = made->output_rows[r],
            .bijection = made->index[r] && shape->permute == PERMUTE_PROMISED,
        };
        made->batch[r].sequence = &made->sequence[r];
    }
    const reference_sequence reference = {
        .world = world,
        .features = made->features,
        .held = made->held,
        .dim = made->dim,
        .rows = (const int64_t *const *)made->rows,
        .permute = (const int64_t *const *)made->permute,
        .output_rows = made->output_rows,
        .forward = codec_of(descriptor, EMBDIST_FORWARD, made->seeds),
        .backward = codec_of(descriptor, EMBDIST_BACKWARD, made->seeds),
        .mean = is_mean(descriptor)};
    float **mine = inputs_of(made);
    const float *const *inputs = (const float *const *)mine;
    if (shape->direction == EMBDIST_FORWARD)
        reference_sequence_forward(&reference, inputs, made->expected);
    else
        reference_sequence_backward(&reference, inputs, made->expected);
    free_inputs(made, mine);
}

/* ---- owners --------------------------------------------------------------------------------- */

static void make_owners(test_case *made)
{
    const embdist_descriptor *descriptor = made->shape.entry->descriptor;
    const int64_t world = made->shape.world;
    made->held = take(world, sizeof *made->held);
    if (!descriptor->owned) {
        for (int64_t r = 0; r < world; r++)
            made->held[r] = made->features;
        return;
    }
    made->owners = take(made->features, sizeof *made->owners);
    if (made->shape.owners)
        memcpy(made->owners, made->shape.owners, (size_t)made->features * sizeof *made->owners);
    else
        choose_owners(descriptor, world, made->owners);
    for (int64_t f = 0; f < made->features; f++)
        made->held[made->owners[f]]++;
}

/* ---- the case ------------------------------------------------------------------------------- */

test_case *case_new(const case_shape *shape, random_state *random)
{
    const embdist_descriptor *descriptor = shape->entry->descriptor;
    const int64_t world = shape->world;
    test_case *made = take(1, sizeof *made);
    made->shape = *shape;
    made->features = descriptor->features;
    made->dims = take(descriptor->features, sizeof *made->dims);
    dims_of(descriptor, made->dims);
    made->dim = made->dims[0];
    int64_t *batch = take(world, sizeof *batch);
    memcpy(batch, shape->batch, (size_t)world * sizeof *batch);
    made->shape.batch = batch;
    made->in = take(world, sizeof *made->in);
    made->out = take(world, sizeof *made->out);
    made->expected = take(world, sizeof *made->expected);
    made->batch = take(world, sizeof *made->batch);
    made->sequence = take(world, sizeof *made->sequence);
    made->rows = take(world, sizeof *made->rows);
    made->lengths = take(world, sizeof *made->lengths);
    made->permute = take(world, sizeof *made->permute);
    made->index = take(world, sizeof *made->index);
    made->output_rows = take(world, sizeof *made->output_rows);
    for (int64_t r = 0; r < world; r++)
        made->batch[r] = (embdist_batch){.size = sizeof(embdist_batch), .mode = shape->mode};
    make_owners(made);
    made->seeds = take(world, sizeof *made->seeds);
    for (int64_t r = 0; r < world; r++)
        made->seeds[r] = shape->seeds ? shape->seeds[r] : random_bits(random);
    if (is_sequence(shape)) {
        make_sequence(made, random);
        round_expected(made);
        return made;
    }
    make_counts(made, random);
    for (int64_t r = 0; r < world; r++) {
        made->batch[r].even = made->counts[0];
        made->batch[r].per_rank = made->counts;
        made->batch[r].per_rank_feature = made->counts;
    }
    if (made->owners)
        make_table(made, random);
    else
        make_pooled(made, random);
    round_expected(made);
    return made;
}

void case_free(test_case *made)
{
    for (int64_t r = 0; r < made->shape.world; r++) {
        buffer_free(&made->in[r]);
        buffer_free(&made->out[r]);
        free(made->expected[r]);
        free(made->rows[r]);
        free(made->lengths[r]);
        free(made->permute[r]);
        free(made->index[r]);
    }
    void *const arrays[] = {
        made->dims,  made->in,      made->out,      made->expected,    made->owners, made->held,
        made->batch, made->counts,  made->rows,     made->lengths,     made->send,   made->recv,
        made->index, made->permute, made->sequence, made->output_rows, made->seeds};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    free((void *)(uintptr_t)made->shape.batch);
    free(made);
}

test_call case_call(const test_case *made, int64_t rank)
{
    const buffer *in = &made->in[rank], *out = &made->out[rank];
    return (test_call){
        .entry = made->shape.entry,
        .direction = made->shape.direction,
        .batch = made->batch[rank],
        .seed = made->seeds[rank],
        .in = in->count ? in->rows : NULL,
        .in_count = in->count,
        .out = out->count ? out->rows : NULL,
        .out_count = out->count,
    };
}

embdist_status case_start(const test_case *made, int64_t rank, embdist_dist *dist,
                          embdist_request **request)
{
    const test_call call = case_call(made, rank);
    return start_call(&call, dist, request);
}

void case_reset(const test_case *made, int64_t rank)
{
    buffer_reset(&made->out[rank]);
}

int case_is_right(const test_case *made, int64_t rank, char *why, size_t size)
{
    const buffer *out = &made->out[rank];
    const reference_format dtype = dtype_of(made->shape.entry->descriptor);
    for (int64_t i = 0; i < out->count; i++) {
        const float value = row_value(dtype, out->rows, i);
        if (!same_value(value, made->expected[rank][i])) {
            snprintf(why, size, "rank %lld: element %lld of %lld is %a, expected %a",
                     (long long)rank, (long long)i, (long long)out->count, (double)value,
                     (double)made->expected[rank][i]);
            return 0;
        }
    }
    if (!buffer_edges_are_right(out) || !buffer_edges_are_right(&made->in[rank])) {
        snprintf(why, size, "rank %lld: a byte beside a buffer changed", (long long)rank);
        return 0;
    }
    return 1;
}

/* ---- running -------------------------------------------------------------------------------- */

typedef struct running {
    test_case **cases;
    int64_t count;
    embdist_comm **comms;
    embdist_way way;
    char (*why)[512]; /* [world] */
    int64_t *failed;  /* [world] the case that went wrong */
} running;

static void run_one_rank(int64_t rank, void *context)
{
    const running *run = context;
    embdist_dist *dist = NULL;
    char *why = run->why[rank];
    const size_t size = sizeof run->why[rank];
    const embdist_options options = {
        .size = sizeof options, .way = run->way, .owners = run->cases[0]->owners};
    embdist_status status = embdist_open(&dist, run->comms ? run->comms[rank] : NULL,
                                         run->cases[0]->shape.entry->descriptor, &options);
    int64_t i = 0;
    for (; i < run->count && !status; i++) {
        case_reset(run->cases[i], rank);
        status = case_start(run->cases[i], rank, dist, NULL);
        if (!status && !case_is_right(run->cases[i], rank, why, size))
            break;
    }
    if (status)
        snprintf(why, size, "rank %lld: %s: %s", (long long)rank, embdist_status_name(status),
                 embdist_last_error());
    run->failed[rank] = i - (status != EMBDIST_OK && i > 0);
    if (embdist_close(&dist) && !*why)
        snprintf(why, size, "close: %s", embdist_last_error());
}

static void describe(const case_shape *shape, embdist_way way)
{
    char batch[256] = "";
    size_t used = 0;
    for (int64_t r = 0; r < shape->world && used + 32 < sizeof batch; r++)
        used += (size_t)snprintf(batch + used, sizeof batch - used, " %lld",
                                 (long long)shape->batch[r]);
    diag("%s %s %s, world %lld, %s, offsets %lld and %lld, permute style %d, batch%s",
         shape->entry->name, mode_text(shape->mode), direction_text(shape->direction),
         (long long)shape->world, way_text(way), (long long)shape->in_offset,
         (long long)shape->out_offset, (int)shape->permute, batch);
}

int cases_run(test_case **cases, int64_t count, embdist_comm **comms, embdist_way way)
{
    const int64_t world = cases[0]->shape.world;
    running run = {
        cases, count, comms, way, take(world, sizeof *run.why), take(world, sizeof *run.failed)};
    int right = 1;
    run_ranks(world, run_one_rank, &run);
    for (int64_t r = 0; r < world && right; r++)
        if (*run.why[r]) {
            right = 0;
            if (run.failed[r] < count)
                describe(&cases[run.failed[r]]->shape, way);
            diag("%s", run.why[r]);
        }
    free(run.why);
    free(run.failed);
    return right;
}
