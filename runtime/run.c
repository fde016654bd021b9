#include "run.h"

#include "inline/random.h"

#include <stddef.h>

/* ---- what a request says -------------------------------------------------------------------- */

static const embdist_descriptor *descriptor_of(const embdist_request *request)
{
    return request->record.descriptor;
}

const embdist_stage *embdist_run_stage(const embdist_request *request)
{
    const embdist_descriptor *descriptor = descriptor_of(request);
    return request->record.direction == EMBDIST_FORWARD ? &descriptor->forward
                                                        : &descriptor->backward;
}

/* The side of a rank's layout that a direction reads, and the one that it writes. */
static const embdist_side *source_side(const embdist_request *request,
                                       const embdist_layout_of_call *layout)
{
    return request->record.direction == EMBDIST_FORWARD ? &layout->local : &layout->out;
}

static const embdist_side *target_side(const embdist_request *request)
{
    const embdist_layout_of_call *layout = &request->layout;
    return request->record.direction == EMBDIST_FORWARD ? &layout->out : &layout->local;
}

static const embdist_codelets *codelets_of(const embdist_request *request, int64_t group)
{
    return embdist_layout_codelets(&descriptor_of(request)->group[group], request->layout.world,
                                   request->record.direction);
}

static int is_staged(const embdist_request *request)
{
    return request->dist->way == EMBDIST_WAY_STAGED;
}

int embdist_run_is_permuted(const embdist_request *request)
{
    return request->permute != NULL;
}

static float divisor_of(const embdist_request *request)
{
    return embdist_run_stage(request)->divide ? (float)request->layout.world : 1.0F;
}

int64_t embdist_run_wire_bytes(const embdist_request *request)
{
    return source_side(request, &request->layout)->wire_bytes;
}

int64_t embdist_run_rows(const embdist_request *request)
{
    return source_side(request, &request->layout)->rows;
}

int64_t embdist_run_addresses(const embdist_request *request)
{
    const embdist_layout_of_call *layout = &request->layout;
    if (embdist_run_stage(request)->unpack == EMBDIST_UNPACK_SUM)
        return layout->world;
    if (!embdist_run_is_permuted(request))
        return 0;
    if (request->record.direction == EMBDIST_FORWARD)
        return layout->received;
    return layout->received > layout->output_rows ? layout->received : layout->output_rows;
}

/* ---- random numbers ------------------------------------------------------------------------- */

static int is_stochastic(const embdist_request *request)
{
    return embdist_run_stage(request)->stochastic && request->layout.world > 1;
}

/* Of the rows that a rank encodes. */
static uint64_t key_of(const embdist_request *request, uint64_t seed, int64_t rank)
{
    return is_stochastic(request) ? embdist_random_key(seed, rank) : 0;
}

int64_t embdist_run_keys(const embdist_request *request)
{
    const embdist_unpack unpack = embdist_run_stage(request)->unpack;
    if (!is_stochastic(request) || is_staged(request))
        return 0;
    if (unpack == EMBDIST_UNPACK_SUM)
        return request->layout.world;
    return unpack == EMBDIST_UNPACK_GATHER && embdist_run_is_permuted(request)
               ? request->layout.received
               : 0;
}

/* ---- codelet calls -------------------------------------------------------------------------- */

/* The version for the dist's instruction set, or the next narrower one that was compiled. */
static embdist_codelet pick(const embdist_request *request, embdist_codelet_versions versions)
{
    int isa = (int)request->dist->isa;
    while (!versions[isa])
        isa--;
    return versions[isa];
}

static void call(const embdist_request *request, embdist_codelet_versions versions,
                 embdist_work *work)
{
    if (work->blocks <= 0 || work->rows <= 0)
        return;
    work->scratch = request->scratch.memory;
    pick(request, versions)(work);
}

/* Blocks that touch on both sides are one block: codelets then walk them as one run. Rows that touch
 * on both sides touch on the wire too. */
static void join_blocks(embdist_work *work, int64_t source_row, int64_t target_row)
{
    if (work->source_step == work->rows * source_row &&
        work->target_step == work->rows * target_row) {
        work->rows *= work->blocks;
        work->blocks = work->blocks ? 1 : 0;
    }
}

/* Codelet calls of one op with a source, of which those that continue each other become one. */
typedef struct calls {
    const embdist_request *request;
    embdist_codelet_versions versions; /* of `work` */
    embdist_work work;                 /* not called yet, if it has rows */
    int64_t source_row, target_row;    /* bytes of its rows */
} calls;

/* Calls come in the order of each rank's wire: the rows of one rank follow on its wire too. */
static int continues(const calls *to, embdist_codelet_versions versions, const embdist_work *next)
{
    const embdist_work *last = &to->work;
    return versions == to->versions && last->blocks == 1 && next->blocks == 1 &&
           (const char *)last->source + last->rows * to->source_row == next->source &&
           (char *)last->target + last->rows * to->target_row == next->target &&
           last->key == next->key;
}

static void end_calls(calls *to)
{
    call(to->request, to->versions, &to->work);
    to->work.rows = 0;
}

static void add_call(calls *to, embdist_codelet_versions versions, embdist_work work,
                     int64_t source_row, int64_t target_row)
{
    if (work.blocks <= 0 || work.rows <= 0)
        return;
    join_blocks(&work, source_row, target_row);
    if (to->work.rows && continues(to, versions, &work)) {
        to->work.rows += work.rows;
        return;
    }
    end_calls(to);
    to->versions = versions;
    to->work = work;
    to->source_row = source_row;
    to->target_row = target_row;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Bytes of a row of the caller's. */
static int64_t own_row(const embdist_request *request, int64_t group)
{
    return descriptor_of(request)->group[group].dim * descriptor_of(request)->element_bytes;
}

static int64_t wire_row(const embdist_request *request, int64_t group)
{
    return codelets_of(request, group)->row_bytes;
}

/* Buffers of no rows may be NULL, and C allows no offset from that. */
static const unsigned char *after(const unsigned char *memory, int64_t bytes)
{
    return memory ? memory + bytes : NULL;
}

static unsigned char *place_after(unsigned char *memory, int64_t bytes)
{
    return memory ? memory + bytes : NULL;
}

/* Where row `row` of a piece is in the caller's buffer, in bytes. */
static int64_t own_offset(const embdist_request *request, const embdist_piece *piece, int64_t row)
{
    return piece->offset * descriptor_of(request)->element_bytes +
           row * own_row(request, piece->group);
}

static int64_t own_step(const embdist_request *request, const embdist_side *side)
{
    return side->step * descriptor_of(request)->element_bytes;
}

/* ---- pack ----------------------------------------------------------------------------------- */

static void pack_runs(embdist_request *request, int stream)
{
    const embdist_side *side = source_side(request, &request->layout);
    const uint64_t key = key_of(request, request->record.seed, request->layout.rank);
    calls to = {.request = request};
    for (int64_t c = 0; c < side->chunk_count; c++) {
        const embdist_chunk *chunk = &side->chunks[c];
        for (int64_t p = 0; p < chunk->count; p++) {
            const embdist_piece *piece = &chunk->pieces[p];
            const embdist_work work = {
                .source = after(request->record.input, own_offset(request, piece, 0)),
                .target = place_after(request->wire.memory, chunk->wire + piece->wire),
                .blocks = chunk->blocks,
                .rows = piece->rows,
                .source_step = own_step(request, side),
                .target_step = chunk->wire_step,
                .stream = stream,
                .key = key,
                .place = chunk->wire + piece->wire,
                .place_step = chunk->wire_step};
            add_call(&to, codelets_of(request, piece->group)->pack_runs, work,
                     own_row(request, piece->group), wire_row(request, piece->group));
        }
    }
    end_calls(&to);
}

/* The received rows lie on the wire as they were received: one call. */
static void pack_transposed(embdist_request *request, int stream)
{
    embdist_work work = {.sources = request->record.addresses,
                         .starts = request->record.starts,
                         .target = request->wire.memory,
                         .blocks = 1,
                         .rows = request->layout.received,
                         .stream = stream,
                         .key = key_of(request, request->record.seed, request->layout.rank)};
    call(request, codelets_of(request, 0)->pack_transposed, &work);
}

static int is_transposed(const embdist_request *request)
{
    return embdist_run_stage(request)->pack == EMBDIST_PACK_TRANSPOSED &&
           embdist_run_is_permuted(request);
}

void embdist_run_pack(embdist_request *request)
{
    const int stream = request->wire_bytes >= request->dist->stream_bytes;
    if (is_transposed(request))
        pack_transposed(request, stream);
    else
        pack_runs(request, stream);
}

/* ---- inspect -------------------------------------------------------------------------------- */

static void add_inspection(embdist_inspection *found, const embdist_inspection *more)
{
    found->rows += more->rows;
    found->nans += more->nans;
    found->saturated += more->saturated;
    found->refused += more->refused;
}

/* Of the rows of a sum that is refused in a column, one that is refused there by itself; else the
 * first. */
static const unsigned char *refused_row(embdist_request *request, int64_t sum, int64_t column)
{
    const embdist_record *record = &request->record;
    if (!record->starts)
        return record->addresses[sum];
    for (int64_t i = record->starts[sum]; i < record->starts[sum + 1]; i++) {
        embdist_inspection found = {0};
        embdist_work work = {
            .sources = record->addresses + i, .blocks = 1, .rows = 1, .inspection = &found};
        call(request, codelets_of(request, 0)->pack_transposed_inspect, &work);
        if (found.refused && found.column == column)
            return record->addresses[i];
    }
    return record->addresses[record->starts[sum]];
}

static void inspect_transposed(embdist_request *request, embdist_inspection *found,
                               int64_t *element)
{
    const embdist_record *record = &request->record;
    embdist_work work = {.sources = record->addresses,
                         .starts = record->starts,
                         .blocks = 1,
                         .rows = request->layout.received,
                         .inspection = found};
    call(request, codelets_of(request, 0)->pack_transposed_inspect, &work);
    if (!found->refused)
        return;
    const unsigned char *row = refused_row(request, found->row, found->column);
    *element = (row - record->input) / descriptor_of(request)->element_bytes + found->column;
}

static void inspect_runs(embdist_request *request, embdist_inspection *found, int64_t *element)
{
    const embdist_side *side = source_side(request, &request->layout);
    for (int64_t c = 0; c < side->chunk_count; c++) {
        const embdist_chunk *chunk = &side->chunks[c];
        for (int64_t p = 0; p < chunk->count; p++) {
            const embdist_piece *piece = &chunk->pieces[p];
            embdist_inspection one = {0};
            embdist_work work = {.source =
                                     after(request->record.input, own_offset(request, piece, 0)),
                                 .blocks = chunk->blocks,
                                 .rows = piece->rows,
                                 .source_step = own_step(request, side),
                                 .inspection = &one};
            call(request, codelets_of(request, piece->group)->pack_runs_inspect, &work);
            if (one.refused) {
                const int64_t place =
                    piece->offset + one.row / piece->rows * side->step +
                    one.row % piece->rows * descriptor_of(request)->group[piece->group].dim +
                    one.column;
                if (!found->refused || place < *element) {
                    *element = place;
                    found->value = one.value;
                }
            }
            add_inspection(found, &one);
        }
    }
}

void embdist_run_inspect(embdist_request *request, embdist_inspection *found, int64_t *element)
{
    if (is_transposed(request))
        inspect_transposed(request, found, element);
    else
        inspect_runs(request, found, element);
}

/* ---- what passes from one rank to this one -------------------------------------------------- */

/* A walk over the rows that a rank has for this one: over its pieces and this rank's at once, since
 * a row is a row of both. Staged, they lie on the wire as this rank's pieces say. */
typedef struct walk {
    const embdist_request *request;
    const embdist_record *record; /* the rank's */
    const embdist_side *side;     /* the rank's, that is read */
    uint64_t key;                 /* of the rank's rows */
    const embdist_chunk *source, *target;
    int64_t source_piece, target_piece;
    int64_t source_row, target_row; /* rows of the pieces that were walked */
    int64_t rows;                   /* from there, adjacent in both */
} walk;

static walk walk_from(const embdist_request *request, int64_t rank)
{
    const embdist_record *record =
        embdist_local_record(request->dist->comm->local, rank, request->sequence);
    const embdist_side *side = source_side(request, record->layout);
    return (walk){.request = request,
                  .record = record,
                  .side = side,
                  .key = key_of(request, record->seed, rank),
                  .source = embdist_layout_chunk(side, request->layout.rank),
                  .target = embdist_layout_chunk(target_side(request), rank)};
}

/* Goes past what was walked of a chunk; returns the rows that are left of a piece, 0 at the end. */
static int64_t rows_left(const embdist_chunk *chunk, int64_t *piece, int64_t *row)
{
    while (*piece < chunk->count && *row == chunk->pieces[*piece].rows) {
        ++*piece;
        *row = 0;
    }
    return *piece < chunk->count ? chunk->pieces[*piece].rows - *row : 0;
}

/* Finds the next rows; 0 where there are no more. */
static int next_rows(walk *at)
{
    at->source_row += at->rows;
    at->target_row += at->rows;
    at->rows = rows_left(at->target, &at->target_piece, &at->target_row);
    if (is_staged(at->request) || !at->rows)
        return at->rows > 0;
    const int64_t rows = rows_left(at->source, &at->source_piece, &at->source_row);
    if (rows < at->rows)
        at->rows = rows;
    return at->rows > 0;
}

static const embdist_piece *target_of(const walk *at)
{
    return &at->target->pieces[at->target_piece];
}

static const embdist_piece *source_of(const walk *at)
{
    return &at->source->pieces[at->source_piece];
}

/* Where the rows are on the rank's wire, or would be. */
static int64_t place_of(const walk *at)
{
    const embdist_piece *target = target_of(at);
    return at->source->wire + target->wire + at->target_row * wire_row(at->request, target->group);
}

static const unsigned char *source_address(const walk *at)
{
    if (is_staged(at->request))
        return after(at->record->wire, place_of(at));
    return after(at->record->input, own_offset(at->request, source_of(at), at->source_row));
}

static int64_t source_step(const walk *at)
{
    return is_staged(at->request) ? at->target->wire_step : own_step(at->request, at->side);
}

static int64_t source_row(const walk *at)
{
    const int64_t group = target_of(at)->group;
    return is_staged(at->request) ? wire_row(at->request, group) : own_row(at->request, group);
}

/* ---- unpack --------------------------------------------------------------------------------- */

/* The work of placing the rows that a walk has come to; its source is the op's business. */
static embdist_work work_at(embdist_request *request, const walk *at, int stream)
{
    const int64_t target = own_offset(request, target_of(at), at->target_row);
    return (embdist_work){.target = place_after(request->output, target),
                          .blocks = at->target->blocks,
                          .rows = at->rows,
                          .source_step = source_step(at),
                          .target_step = own_step(request, target_side(request)),
                          .divisor = divisor_of(request),
                          .stream = stream,
                          .key = at->key,
                          .place = place_of(at),
                          .place_step = at->target->wire_step};
}

/* Rows of a rank that has permuted what it received: the sums of those that name them. */
static void place_transposed(embdist_request *request, const walk *at, int stream)
{
    const embdist_record *record = at->record;
    const int64_t received =
        source_of(at)->offset / descriptor_of(request)->group->dim + at->source_row;
    embdist_work work = work_at(request, at, stream);
    work.sources = record->addresses + (record->starts ? 0 : received);
    work.starts = record->starts ? record->starts + received : NULL;
    call(request, codelets_of(request, 0)->unpack_transposed_rows, &work);
}

static void unpack_runs(embdist_request *request, int stream)
{
    calls to = {.request = request};
    for (int64_t s = 0; s < request->layout.world; s++)
        for (walk at = walk_from(request, s); next_rows(&at);) {
            const int64_t group = target_of(&at)->group;
            const embdist_codelets *codelets = codelets_of(request, group);
            if (!is_staged(request) && at.record->addresses) {
                place_transposed(request, &at, stream);
                continue;
            }
            embdist_work work = work_at(request, &at, stream);
            work.source = source_address(&at);
            add_call(&to,
                     is_staged(request) ? codelets->unpack_runs_wire : codelets->unpack_runs_rows,
                     work, source_row(&at), own_row(request, group));
        }
    end_calls(&to);
}

/* Every row of out is the one that permute names. */
static void unpack_gather(embdist_request *request, int stream)
{
    const void **addresses = request->addresses.memory;
    uint64_t *keys = request->keys.memory;
    const int is_keyed = embdist_run_keys(request) > 0;
    for (int64_t s = 0; s < request->layout.world; s++)
        for (walk at = walk_from(request, s); next_rows(&at);) {
            const unsigned char *source = source_address(&at);
            const int64_t row = source_row(&at);
            for (int64_t i = 0; i < at.rows; i++)
                *addresses++ = source + i * row;
            for (int64_t i = 0; is_keyed && i < at.rows; i++)
                *keys++ = embdist_random_row(at.key, place_of(&at) + i * wire_row(request, 0));
        }
    embdist_work work = {.sources = request->addresses.memory,
                         .keys = request->keys.memory,
                         .index = request->permute,
                         .target = request->output,
                         .blocks = 1,
                         .rows = request->layout.output_rows,
                         .divisor = divisor_of(request),
                         .stream = stream};
    const embdist_codelets *codelets = codelets_of(request, 0);
    call(request, is_staged(request) ? codelets->unpack_gather_wire : codelets->unpack_gather_rows,
         &work);
}

/* Every rank has the same pieces for this one. */
static void unpack_sum(embdist_request *request, int stream)
{
    const embdist_chunk *target = target_side(request)->chunks;
    const void **sources = request->addresses.memory;
    uint64_t *keys = request->keys.memory;
    const int is_keyed = embdist_run_keys(request) > 0;
    for (int64_t p = 0; p < target->count; p++) {
        const int64_t group = target->pieces[p].group;
        const embdist_codelets *codelets = codelets_of(request, group);
        embdist_work work = {0};
        int64_t row = 0;
        for (int64_t s = 0; s < request->layout.world; s++) {
            walk at = walk_from(request, s);
            at.source_piece = at.target_piece = p;
            at.rows = target->pieces[p].rows;
            sources[s] = source_address(&at);
            if (is_keyed)
                keys[s] = at.key;
            work = work_at(request, &at, stream);
            row = source_row(&at);
        }
        work.sources = sources;
        work.keys = keys;
        work.ranks = request->layout.world;
        join_blocks(&work, row, own_row(request, group));
        call(request, is_staged(request) ? codelets->unpack_sum_wire : codelets->unpack_sum_rows,
             &work);
    }
}

void embdist_run_unpack(embdist_request *request)
{
    const int64_t written = request->record.direction == EMBDIST_FORWARD
                                ? request->layout.out_count
                                : request->layout.local_count;
    const int stream =
        written * descriptor_of(request)->element_bytes >= request->dist->stream_bytes;
    const embdist_unpack unpack = embdist_run_stage(request)->unpack;
    if (unpack == EMBDIST_UNPACK_SUM)
        unpack_sum(request, stream);
    else if (unpack == EMBDIST_UNPACK_GATHER && embdist_run_is_permuted(request))
        unpack_gather(request, stream);
    else
        unpack_runs(request, stream);
}
