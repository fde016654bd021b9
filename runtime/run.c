#include "run.h"

#include "inline/common.h"

#include <assert.h>
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

/* Of the side that is read, and of the side that is written. */
static embdist_layout source_layout(const embdist_request *request)
{
    const embdist_descriptor *descriptor = descriptor_of(request);
    return request->record.direction == EMBDIST_FORWARD ? descriptor->local_layout
                                                        : descriptor->out_layout;
}

static embdist_layout target_layout(const embdist_request *request)
{
    const embdist_descriptor *descriptor = descriptor_of(request);
    return request->record.direction == EMBDIST_FORWARD ? descriptor->out_layout
                                                        : descriptor->local_layout;
}

/* The group of a part: sequences have one group of many features, and a feature is a part. */
static const embdist_group *group_of(const embdist_request *request, int64_t part)
{
    const embdist_descriptor *descriptor = descriptor_of(request);
    return &descriptor->group[descriptor->groups == request->layout.parts ? part : 0];
}

static const embdist_codelets *codelets_of(const embdist_request *request, int64_t part)
{
    return embdist_layout_codelets(group_of(request, part), request->layout.world,
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
    const embdist_layout_of_call *layout = &request->layout;
    switch (source_layout(request)) {
    case EMBDIST_LAYOUT_OWN:
        return layout->wire_offset[layout->rank + 1] - layout->wire_offset[layout->rank];
    case EMBDIST_LAYOUT_RECEIVED:
        return layout->received * codelets_of(request, 0)->row_bytes;
    case EMBDIST_LAYOUT_RANKS:
    case EMBDIST_LAYOUT_FEATURES:
        break;
    }
    return layout->wire_offset[layout->world];
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
    pick(request, versions)(work);
}

/* Blocks that touch on both sides are one block: codelets then walk them as one run. */
static void join_blocks(embdist_work *work, int64_t source_row, int64_t target_row)
{
    if (work->source_step == work->rows * source_row &&
        work->target_step == work->rows * target_row) {
        work->rows *= work->blocks;
        work->blocks = work->blocks ? 1 : 0;
    }
}

static int64_t fp32_row(const embdist_group *group)
{
    return group->dim * (int64_t)sizeof(float);
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

static const unsigned char *element(const unsigned char *rows, int64_t elements)
{
    return after(rows, elements * (int64_t)sizeof(float));
}

static unsigned char *place_of_element(unsigned char *rows, int64_t elements)
{
    return place_after(rows, elements * (int64_t)sizeof(float));
}

/* ---- pack ----------------------------------------------------------------------------------- */

/* Packs the pieces of `rank`, whose first element is `first` of the input, at `target`. */
static void pack_pieces(const embdist_request *request, int64_t rank, int64_t first,
                        unsigned char *target, int stream)
{
    const embdist_layout_of_call *layout = &request->layout;
    for (int64_t p = 0; p < layout->parts; p++) {
        const embdist_piece *piece = &layout->pieces[rank * layout->parts + p];
        const embdist_codelets *codelets = codelets_of(request, p);
        embdist_work work = {.source = element(request->record.input, piece->offset - first),
                             .target = place_after(target, piece->wire),
                             .blocks = piece->blocks,
                             .rows = piece->rows,
                             .source_step = layout->step * (int64_t)sizeof(float),
                             .target_step = layout->wire_step,
                             .stream = stream};
        join_blocks(&work, fp32_row(group_of(request, p)), codelets->row_bytes);
        call(request, codelets->pack_runs, &work);
    }
}

void embdist_run_pack(embdist_request *request)
{
    const embdist_layout_of_call *layout = &request->layout;
    unsigned char *wire = request->wire.memory;
    const int stream = request->wire_bytes >= request->dist->stream_bytes;
    switch (source_layout(request)) {
    case EMBDIST_LAYOUT_RANKS:
    case EMBDIST_LAYOUT_FEATURES:
        for (int64_t j = 0; j < layout->world; j++)
            pack_pieces(request, j, 0, place_after(wire, layout->wire_offset[j]), stream);
        break;
    case EMBDIST_LAYOUT_OWN:
        pack_pieces(request, layout->rank, layout->rank_offset[layout->rank], wire, stream);
        break;
    case EMBDIST_LAYOUT_RECEIVED: {
        const embdist_codelets *codelets = codelets_of(request, 0);
        embdist_work work = {.source = request->record.input,
                             .sources = request->record.addresses,
                             .starts = request->record.starts,
                             .target = wire,
                             .blocks = 1,
                             .rows = layout->received,
                             .stream = stream};
        call(request,
             embdist_run_is_permuted(request) ? codelets->pack_transposed : codelets->pack_runs,
             &work);
        break;
    }
    }
}

/* ---- unpack --------------------------------------------------------------------------------- */

/* One rank's rows, as this rank reads them. */
typedef struct peer {
    const embdist_record *record;
    const embdist_layout_of_call *layout;
    int64_t rank;
} peer;

static peer peer_of(const embdist_request *request, int64_t rank)
{
    const embdist_record *record =
        embdist_local_record(request->dist->comm->local, rank, request->sequence);
    return (peer){record, record->layout, rank};
}

/* Out is the sum over ranks of their pieces for this one. */
static void unpack_sum(embdist_request *request, int stream)
{
    const embdist_layout_of_call *layout = &request->layout;
    const void **sources = request->addresses.memory;
    for (int64_t p = 0; p < layout->parts; p++) {
        const embdist_piece *piece = &layout->pieces[layout->rank * layout->parts + p];
        const embdist_codelets *codelets = codelets_of(request, p);
        const int64_t row = fp32_row(group_of(request, p));
        for (int64_t s = 0; s < layout->world; s++) {
            const peer from = peer_of(request, s);
            sources[s] = is_staged(request) ? after(from.record->wire,
                                                    layout->wire_offset[layout->rank] + piece->wire)
                                            : element(from.record->input, piece->offset);
        }
        const int64_t first = layout->rank_offset[layout->rank];
        embdist_work work = {.sources = sources,
                             .target = place_of_element(request->output, piece->offset - first),
                             .blocks = piece->blocks,
                             .rows = piece->rows,
                             .source_step = is_staged(request)
                                                ? layout->wire_step
                                                : layout->step * (int64_t)sizeof(float),
                             .target_step = layout->step * (int64_t)sizeof(float),
                             .ranks = layout->world,
                             .divisor = 1.0F,
                             .stream = stream};
        join_blocks(&work, is_staged(request) ? codelets->row_bytes : row, row);
        call(request, is_staged(request) ? codelets->unpack_sum_wire : codelets->unpack_sum_rows,
             &work);
    }
}

/* Every rank's own piece goes to that rank's place. */
static void unpack_gathered(embdist_request *request, int stream)
{
    const embdist_layout_of_call *layout = &request->layout;
    for (int64_t s = 0; s < layout->world; s++) {
        const peer from = peer_of(request, s);
        for (int64_t p = 0; p < layout->parts; p++) {
            const embdist_piece *piece = &layout->pieces[s * layout->parts + p];
            const embdist_codelets *codelets = codelets_of(request, p);
            const int64_t row = fp32_row(group_of(request, p));
            embdist_work work = {
                .source = is_staged(request)
                              ? after(from.record->wire, piece->wire)
                              : element(from.record->input, piece->offset - layout->rank_offset[s]),
                .target = place_of_element(request->output, piece->offset),
                .blocks = piece->blocks,
                .rows = piece->rows,
                .source_step =
                    is_staged(request) ? layout->wire_step : layout->step * (int64_t)sizeof(float),
                .target_step = layout->step * (int64_t)sizeof(float),
                .divisor = divisor_of(request),
                .stream = stream};
            join_blocks(&work, is_staged(request) ? codelets->row_bytes : row, row);
            call(request,
                 is_staged(request) ? codelets->unpack_runs_wire : codelets->unpack_runs_rows,
                 &work);
        }
    }
}

/* Rows that lie side by side, one after another into out. */
static void copy_run(embdist_request *request, const unsigned char *source, int64_t rows,
                     unsigned char *target, int stream)
{
    const embdist_codelets *codelets = codelets_of(request, 0);
    embdist_work work = {.source = source,
                         .target = target,
                         .blocks = 1,
                         .rows = rows,
                         .divisor = divisor_of(request),
                         .stream = stream};
    call(request, is_staged(request) ? codelets->unpack_runs_wire : codelets->unpack_runs_rows,
         &work);
}

/* What this rank receives from one rank: in place a run for each feature, staged one chunk. */
static void take_received(embdist_request *request, const peer *from, int64_t first, int stream)
{
    const embdist_layout_of_call *layout = &request->layout;
    const embdist_codelets *codelets = codelets_of(request, 0);
    const int64_t fp32 = fp32_row(descriptor_of(request)->group);
    const int64_t row = is_staged(request) ? codelets->row_bytes : fp32;
    const int64_t parts = is_staged(request) ? 1 : layout->parts;
    const void **addresses = request->addresses.memory;
    for (int64_t p = 0; p < parts; p++) {
        const embdist_piece *piece = &from->layout->pieces[layout->rank * layout->parts + p];
        const unsigned char *source =
            is_staged(request) ? after(from->record->wire, from->layout->wire_offset[layout->rank])
                               : element(from->record->input, piece->offset);
        const int64_t rows = is_staged(request) ? layout->recv_offset[from->rank + 1] -
                                                      layout->recv_offset[from->rank]
                                                : piece->rows;
        if (!embdist_run_is_permuted(request)) {
            copy_run(request, source, rows, place_after(request->output, first * fp32), stream);
            first += rows;
            continue;
        }
        for (int64_t i = 0; i < rows; i++)
            addresses[first++] = source + i * row;
    }
}

static void unpack_received(embdist_request *request, int stream)
{
    const embdist_layout_of_call *layout = &request->layout;
    for (int64_t s = 0; s < layout->world; s++) {
        const peer from = peer_of(request, s);
        take_received(request, &from, layout->recv_offset[s], stream);
    }
    if (!embdist_run_is_permuted(request))
        return;
    const embdist_codelets *codelets = codelets_of(request, 0);
    embdist_work work = {.sources = request->addresses.memory,
                         .index = request->permute,
                         .target = request->output,
                         .blocks = 1,
                         .rows = layout->output_rows,
                         .divisor = divisor_of(request),
                         .stream = stream};
    call(request, is_staged(request) ? codelets->unpack_gather_wire : codelets->unpack_gather_rows,
         &work);
}

/* The rows that this rank once sent to `from` come back as a chunk of from's received rows. */
static void take_back(embdist_request *request, const peer *from, int stream)
{
    const embdist_layout_of_call *layout = &request->layout;
    const embdist_codelets *codelets = codelets_of(request, 0);
    const int64_t fp32 = fp32_row(descriptor_of(request)->group);
    int64_t row = from->layout->recv_offset[layout->rank]; /* of from's received rows */
    for (int64_t f = 0; f < layout->parts; f++) {
        const embdist_piece *piece = &layout->pieces[from->rank * layout->parts + f];
        unsigned char *target = place_of_element(request->output, piece->offset);
        if (is_staged(request)) {
            copy_run(request, after(from->record->wire, row * codelets->row_bytes), piece->rows,
                     target, stream);
        } else if (!from->record->addresses) {
            copy_run(request, after(from->record->input, row * fp32), piece->rows, target, stream);
        } else {
            const int64_t *starts = from->record->starts;
            embdist_work work = {.sources = from->record->addresses + (starts ? 0 : row),
                                 .starts = starts ? starts + row : NULL,
                                 .target = target,
                                 .blocks = 1,
                                 .rows = piece->rows,
                                 .divisor = divisor_of(request),
                                 .stream = stream};
            call(request, codelets->unpack_transposed_rows, &work);
        }
        row += piece->rows;
    }
}

static void unpack_back(embdist_request *request, int stream)
{
    for (int64_t s = 0; s < request->layout.world; s++) {
        const peer from = peer_of(request, s);
        take_back(request, &from, stream);
    }
}

void embdist_run_unpack(embdist_request *request)
{
    const embdist_layout_of_call *layout = &request->layout;
    const int64_t written =
        request->record.direction == EMBDIST_FORWARD ? layout->out_count : layout->local_count;
    const int stream = written * (int64_t)sizeof(float) >= request->dist->stream_bytes;
    switch (target_layout(request)) {
    case EMBDIST_LAYOUT_OWN:
        unpack_sum(request, stream);
        break;
    case EMBDIST_LAYOUT_RANKS:
        unpack_gathered(request, stream);
        break;
    case EMBDIST_LAYOUT_RECEIVED:
        unpack_received(request, stream);
        break;
    case EMBDIST_LAYOUT_FEATURES:
        unpack_back(request, stream);
        break;
    }
}
