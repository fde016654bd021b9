-- The text of NAME.h and NAME.c, against blocks written here; of codelets, what the plan gives.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local plan = generator.plan([==[
return {
    name = "model",
    dists = {
        {
            name = "bags", kind = "rw_pooled", features = { "user", "item", "country" },
            dims = { 17, 17, 5 }, batch = { "even", "per_feature" },
            forward = { codec = "fp16", nonfinite = "fail" },
            backward = { codec = "bf16", loss_scale = 4 },
        },
        { name = "events", kind = "rw_sequence", dims = { 3 }, forward = "bf16", index = "int32" },
        {
            name = "rounded", kind = "tw_pooled", dims = { 70 }, batch = { "even" },
            forward = "fp8_e5m2", dtype = "bf16",
            backward = { codec = "int8", group = 32, rounding = "stochastic" },
        },
    },
}
]==])
local texts = generator.texts(plan)

local function has(file, block)
    return function() tap.contains(block, texts[file]) end
end

local function starts(file, block)
    tap.equal(block, texts[file]:sub(1, #block))
end

tap.run {
    {"the header's beginning", function()
        starts("model.h", [==[
/* model.h: the distributions of the spec model.
 *
 * Made by embdist-gen 0.1.0 from spec.lua; changes here are lost when it is made again. */
#ifndef EMBDIST_SPEC_model_H
#define EMBDIST_SPEC_model_H

#include <embdist.h>

#ifdef __cplusplus
extern "C" {
#endif
]==])
    end},
    {"the header's end", function()
        local expected = "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n"
        tap.equal(expected, texts["model.h"]:sub(-#expected))
    end},
    {"a dist in the header", has("model.h", [==[
/* ---- bags: rw_pooled
 *
 * Row-wise pooled: ranks' partial sums of a sample are added on its own rank.
 *
 *   features: 2 of dim 17, 1 of dim 5; sum of dims 39
 *   forward: fp16, overflow, infinity and NaN are refused (error: 2^-11 relative, 2^-25 absolute)
 *   backward: bf16, loss scale 4, overflow and infinity saturate (error: 2^-8 relative, 2^-134
 *       absolute)
 *   gradient: mean: divided by the number of ranks, in fp32, after decoding
 *   rows: fp32
 *
 * Sums are made in fp32, in rank order. With one rank nothing is encoded or divided. */

extern const embdist_descriptor model_bags;
]==])},
    {"an even call in the header", has("model.h", [==[
/* Embeddings to the ranks that need them.
 *   batch: the samples of every rank
 *   local_embs: [world][batch][39], a rank's samples adjacent
 *   out: [batch][39], this rank's samples */
embdist_status model_bags_forward_even(embdist_dist *dist, const float *local_embs,
                                       int64_t local_count, int64_t batch, float *out,
                                       int64_t out_count, void *stream, embdist_request **request);
]==])},
    {"a per-feature call back in the header", has("model.h", [==[
/* The gradient back to the ranks that hold the embeddings.
 *   batch_per_rank_feature[world][3]: the samples of each rank and feature
 *   grad_out: for each feature f, [batch_per_rank_feature[rank][f]][dim of f], this rank's
 *   grad_local_embs: for each rank r and feature f, [batch_per_rank_feature[r][f]][dim of f] */
embdist_status model_bags_backward_per_feature(embdist_dist *dist, const float *grad_out,
                                               int64_t grad_out_count,
                                               const int64_t *batch_per_rank_feature,
                                               float *grad_local_embs, int64_t grad_local_count,
                                               void *stream, embdist_request **request);
]==])},
    {"a sequence call in the header", has("model.h", [==[
/* Embeddings to the ranks that need them.
 *   batch: rows to send and to receive, and the permute, whose elements are int32_t
 *   local_embs: [sum(send_rows)][3], by feature, then by the rank that gets the row
 *   out: [output_rows][3] with a permute, else [sum(recv_rows)][3] */
embdist_status model_events_forward(embdist_dist *dist, const float *local_embs,
                                    int64_t local_count, const embdist_sequence_batch *batch,
                                    float *out, int64_t out_count, void *stream,
                                    embdist_request **request);
]==])},
    {"no call of a mode that the spec leaves out", function()
        tap.ok(not texts["model.h"]:find("ragged"), "ragged in model.h")
        tap.ok(not texts["model.c"]:find("RAGGED"), "RAGGED in model.c")
    end},
    {"the header of table-wise sequences", function()
        local header = generator.texts(generator.plan("return { name = \"s\", dists = { "
            .. "{ name = \"lists\", kind = \"tw_sequence\", dims = { 3, 3 } } } }"))["s.h"]
        tap.contains([==[
 * With one rank nothing is encoded or divided.
 * embdist_open is told the owner of each feature: the owners of embdist_options. */
]==], header)
        tap.contains([==[
/* Embeddings to the ranks that need them.
 *   batch: rows to send and to receive; no permute
 *   local_embs: [sum(send_rows)][3], by feature that this rank owns, then by the rank that gets the
 *       row
 *   out: [sum(recv_rows)][3], by owner, then by its features */
]==], header)
    end},
    {"every prototype has a comment right before it", function()
        local prototypes = 0
        for before in texts["model.h"]:gmatch("([^\n]*)\nembdist_status [^\n]*") do
            prototypes = prototypes + 1
            tap.equal(" */", before:sub(-3))
        end
        tap.equal(8, prototypes)
    end},
    {"the table's beginning", function()
        starts("model.c", [==[
/* model.c: what the runtime needs to know of the spec model.
 *
 * Made by embdist-gen 0.1.0 from spec.lua; changes here are lost when it is made again. */
#include "model.h"

#include <embdist_descriptor.h>

extern const embdist_codelet model_pack_runs_d17_fp16[EMBDIST_ISA_COUNT];
extern const embdist_codelet model_pack_runs_d17_fp16_inspect[EMBDIST_ISA_COUNT];
extern const embdist_codelet model_unpack_sum_d17_fp16_wire[EMBDIST_ISA_COUNT];
extern const embdist_codelet model_unpack_sum_d17_fp16_rows[EMBDIST_ISA_COUNT];
]==])
    end},
    {"a set of codelets", has("model.c", [==[

static const embdist_codelets runs_sum_d17_fp16 = {
    .row_bytes = 34,
    .scratch_bytes = 0,
    .pack_runs = model_pack_runs_d17_fp16,
    .pack_runs_inspect = model_pack_runs_d17_fp16_inspect,
    .unpack_sum_wire = model_unpack_sum_d17_fp16_wire,
    .unpack_sum_rows = model_unpack_sum_d17_fp16_rows,
};
]==])},
    {"a set of a sequence dist", has("model.c", [==[

static const embdist_codelets transposed_runs_d3_fp32 = {
    .row_bytes = 12,
    .scratch_bytes = 0,
    .pack_runs = model_pack_runs_d3_fp32,
    .pack_runs_inspect = model_pack_runs_d3_fp32_inspect,
    .pack_transposed = model_pack_transposed_d3_fp32,
    .pack_transposed_inspect = model_pack_transposed_d3_fp32_inspect,
    .unpack_runs_wire = model_unpack_runs_d3_fp32_wire,
    .unpack_runs_rows = model_unpack_runs_d3_fp32_rows,
    .unpack_transposed_rows = model_unpack_transposed_d3_fp32_rows,
};
]==])},
    {"a set of a codec of groups, with scratch", has("model.c", [==[

static const embdist_codelets runs_runs_d70_int8_g32_sr_rows_bf16 = {
    .row_bytes = 94,
    .scratch_bytes = 280,
    .pack_runs = model_pack_runs_d70_int8_g32_sr_rows_bf16,
    .pack_runs_inspect = model_pack_runs_d70_int8_g32_sr_rows_bf16_inspect,
    .unpack_runs_wire = model_unpack_runs_d70_int8_g32_sr_rows_bf16_wire,
    .unpack_runs_rows = model_unpack_runs_d70_int8_g32_sr_rows_bf16_rows,
};
]==])},
    {"rows of 16 bits, and stochastic rounding, in a descriptor", has("model.c", [==[
    .owned = 1,
    .element_bytes = 2,
    .index_bytes = 0,
    .local_layout = EMBDIST_LAYOUT_RANKS,
    .out_layout = EMBDIST_LAYOUT_OWNERS,
    .forward =
        {
            .pack = EMBDIST_PACK_RUNS,
            .exchange = EMBDIST_EXCHANGE_ALLTOALLV,
            .unpack = EMBDIST_UNPACK_RUNS,
            .divide = 0,
            .stochastic = 0,
            .fail_above = 0.0F,
        },
    .backward =
        {
            .pack = EMBDIST_PACK_RUNS,
            .exchange = EMBDIST_EXCHANGE_ALLTOALLV,
            .unpack = EMBDIST_UNPACK_RUNS,
            .divide = 1,
            .stochastic = 1,
            .fail_above = 0.0F,
        },
]==])},
    {"rows of 16 bits and stochastic rounding in a dist's comment", has("model.h", [==[
 *   features: 1 of dim 70; sum of dims 70
 *   forward: fp8_e5m2, overflow and infinity saturate (error: 2^-3 relative, 2^-32.8 of the largest
 *       of a group absolute (stochastic: twice); and fp32 roundings)
 *   backward: int8, groups of 32, stochastic rounding, overflow and infinity saturate (error: half
 *       a step, stochastic a step; a step is 1/255 of a group's range, 1/254 beside NaN)
 *   gradient: mean: divided by the number of ranks, in fp32, after decoding
 *   rows: bf16
 *
 * With one rank nothing is encoded or divided.
]==])},
    {"a call with rows of 16 bits in the header", has("model.h", [==[
embdist_status model_rounded_forward_even(embdist_dist *dist, const uint16_t *local_embs,
                                          int64_t local_count, int64_t batch, uint16_t *out,
                                          int64_t out_count, void *stream,
                                          embdist_request **request);
]==])},
    {"a call that rounds stochastically in the header", has("model.h", [==[
/* The gradient back to the ranks that hold the embeddings.
 *   batch: the samples of every rank
 *   seed: of stochastic rounding; the same on a rank gives the same bits, ranks may differ
 *   grad_out: [batch][70], this rank's samples, features by owner, then in order
 *   grad_local_embs: [world][batch][own dims], the features that this rank owns, in order */
embdist_status model_rounded_backward_even(embdist_dist *dist, const uint16_t *grad_out,
                                           int64_t grad_out_count, int64_t batch, uint64_t seed,
                                           uint16_t *grad_local_embs, int64_t grad_local_count,
                                           void *stream, embdist_request **request);
]==])},
    {"a call hands its seed on, others hand on 0", function()
        local function body(name)
            return texts["model.c"]:match("\nembdist_status " .. name .. "%(.-\n}\n")
        end
        tap.contains("        .seed = seed,\n", body("model_rounded_backward_even"))
        tap.contains("        .seed = 0,\n", body("model_rounded_forward_even"))
        tap.contains("        .seed = 0,\n", body("model_events_backward"))
        local seeds = 0
        for _ in texts["model.h"]:gmatch("uint64_t seed") do
            seeds = seeds + 1
        end
        tap.equal(1, seeds)
    end},
    {"a descriptor", has("model.c", [==[

/* ---- bags */

static const char *const bags_features[] = {
    "user",
    "item",
    "country",
};

static const embdist_group bags_groups[] = {
    {
        .dim = 17,
        .features = 2,
        .forward = &runs_sum_d17_fp16,
        .backward = &runs_runs_d17_bf16_ls4,
        .forward_alone = &runs_sum_d17_fp32,
        .backward_alone = &runs_runs_d17_fp32,
    },
    {
        .dim = 5,
        .features = 1,
        .forward = &runs_sum_d5_fp16,
        .backward = &runs_runs_d5_bf16_ls4,
        .forward_alone = &runs_sum_d5_fp32,
        .backward_alone = &runs_runs_d5_fp32,
    },
};

static const embdist_field bags_fields[] = {
    {"generator", "0.1.0"},
    {"dist", "bags"},
    {"kind", "rw_pooled"},
    {"batch", "even,per_feature"},
    {"forward", "fp16"},
    {"forward.loss_scale", "1"},
    {"forward.nonfinite", "fail"},
    {"backward", "bf16"},
    {"backward.loss_scale", "4"},
    {"backward.nonfinite", "saturate"},
    {"gradient", "mean"},
    {"sum", "ordered"},
    {"dtype", "fp32"},
};

const embdist_descriptor model_bags = {
    .descriptor_version = EMBDIST_DESCRIPTOR_VERSION,
    .generator = "0.1.0",
    .spec = "model",
    .name = "bags",
    .kind = "rw_pooled",
    .modes = EMBDIST_MODE_BIT(EMBDIST_EVEN) | EMBDIST_MODE_BIT(EMBDIST_PER_FEATURE),
    .features = 3,
    .feature_names = bags_features,
    .groups = 2,
    .group = bags_groups,
    .owned = 0,
    .element_bytes = 4,
    .index_bytes = 0,
    .local_layout = EMBDIST_LAYOUT_RANKS,
    .out_layout = EMBDIST_LAYOUT_OWN,
    .forward =
        {
            .pack = EMBDIST_PACK_RUNS,
            .exchange = EMBDIST_EXCHANGE_ALLTOALLV,
            .unpack = EMBDIST_UNPACK_SUM,
            .divide = 0,
            .stochastic = 0,
            .fail_above = 65504.0F,
        },
    .backward =
        {
            .pack = EMBDIST_PACK_RUNS,
            .exchange = EMBDIST_EXCHANGE_ALL_GATHER,
            .unpack = EMBDIST_UNPACK_RUNS,
            .divide = 1,
            .stochastic = 0,
            .fail_above = 0.0F,
        },
    .field_count = 13,
    .fields = bags_fields,
};
]==])},
    {"a function", has("model.c", [==[

embdist_status model_events_backward(embdist_dist *dist, const float *grad_out,
                                     int64_t grad_out_count, const embdist_sequence_batch *batch,
                                     float *grad_local_embs, int64_t grad_local_count, void *stream,
                                     embdist_request **request)
{
    const embdist_call call = {
        .descriptor = &model_events,
        .direction = EMBDIST_BACKWARD,
        .batch =
            {
                .size = sizeof(embdist_batch),
                .mode = EMBDIST_SEQUENCE,
                .sequence = batch,
            },
        .seed = 0,
        .input = grad_out,
        .input_count = grad_out_count,
        .output = grad_local_embs,
        .output_count = grad_local_count,
        .stream = stream,
    };
    return embdist_start(dist, &call, request);
}
]==])},
    {"a codelet's banner, header and options", function()
        local text = texts["model_unpack_runs_d5_bf16_ls4.c"]
        starts("model_unpack_runs_d5_bf16_ls4.c", [==[
/* model_unpack_runs_d5_bf16_ls4.c: Decodes fp32 rows of 5 values from bf16, loss scale 4, overflow
 * and infinity saturate, in order.
 *
 * Made by embdist-gen from spec.lua; changes here are lost when it is made again. */
]==])
        tap.contains("#include <inline/bf16.h>\n", text)
        tap.contains("{.loss_scale = 4.0F, .saturate = 1};\n", text)
    end},
    {"a codelet's tables", function()
        for _, codelet in ipairs(plan.codelets) do
            -- Every name with the spec's prefix in the code is a table, and every table is named.
            local seen, expected = {}, {}
            for name in texts[codelet.file]:gsub("/%*.-%*/", ""):gmatch("[%w_]+") do
                if name:find("^model_") then
                    seen[name] = true
                end
            end
            for _, one in ipairs(codelet.tables) do
                expected[one.name] = true
            end
            tap.equal(expected, seen, codelet.file)
        end
    end},
    {"tables have vector versions but for inspection", function()
        local text = texts["model_pack_runs_d5_fp32.c"]
        tap.contains([==[

#define TABLE_pack model_pack_runs_d5_fp32
extern const embdist_codelet_function TABLE_pack[3];
const embdist_codelet_function TABLE_pack[3] = {
    pack_plain,
#if EMBDIST_X86
    pack_avx2,
    pack_avx512,
#endif
};

#define TABLE_inspect model_pack_runs_d5_fp32_inspect
extern const embdist_codelet_function TABLE_inspect[3];
const embdist_codelet_function TABLE_inspect[3] = {
    inspect_plain,
};
]==], text)
    end},
    {"a codelet of groups knows how its row lies", function()
        local text = texts["model_pack_runs_d70_int8_g32_sr_rows_bf16.c"]
        for name, value in pairs {DIM = 70, GROUP = 32, GROUPS = 3, GROUP_BYTES = 8,
            PAYLOAD_BYTES = 70, WIRE_BYTES = 94, ROWS_BYTES = 140} do
            local seen = text:match("\n    " .. name .. " = ([%w *]-),? *[\n/]")
            tap.equal(value, load("local DIM = 70 return " .. seen)(), name)
        end
        tap.contains("static const embdist_int8_options OPTIONS = {.stochastic = 1};\n", text)
        tap.contains("static const embdist_bf16_options ROWS = "
            .. "{.loss_scale = 1.0F, .saturate = 0};\n", text)
    end},
    {"a codelet includes the headers of its codec and of its rows, no other", function()
        for _, codelet in ipairs(plan.codelets) do
            local includes = {}
            for name in texts[codelet.file]:gmatch("#include (%g+)") do
                includes[#includes + 1] = name
            end
            local expected = {("<inline/%s>"):format(codelet.codec.header)}
            if codelet.rows.header ~= codelet.codec.header then
                expected[2] = ("<inline/%s>"):format(codelet.rows.header)
            end
            tap.equal(expected, includes, codelet.file)
        end
    end},
    {"nothing in a file tells when, where or by whom it was made", function()
        for name, text in pairs(texts) do
            for _, word in ipairs {os.getenv("HOME") or "/root", os.date("%Y-%m"), "/tmp"} do
                tap.ok(not text:find(word, 1, true), ("%s has %s"):format(name, word))
            end
        end
    end},
    {"lines end without spaces and are at most 100 wide", function()
        for name, text in pairs(texts) do
            for line in text:gmatch("([^\n]*)\n") do
                tap.ok(#line <= 100, ("%s: %s"):format(name, line))
                tap.ok(not line:find("%s$"), ("%s: a space ends: %s"):format(name, line))
            end
        end
    end},
}
