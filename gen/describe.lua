-- describe.lua: adds to a plan the C texts that have to be laid out: comments, heads of functions,
-- lines whose length depends on names. Nothing is decided here.

local c_text = require("c_text")

local M = {}

-- "2 of dim 128, 1 of dim 16", or a summary of many groups.
function M.groups(groups)
    local MOST_GROUPS = 8
    local features, smallest, largest, list = 0, groups[1].dim, groups[1].dim, {}
    for i, group in ipairs(groups) do
        features = features + group.features
        smallest = math.min(smallest, group.dim)
        largest = math.max(largest, group.dim)
        list[i] = ("%d of dim %d"):format(group.features, group.dim)
    end
    if #groups > MOST_GROUPS then
        return ("%d in %d groups of equal dim, from dim %d to dim %d"):format(features,
            #groups, smallest, largest)
    end
    return table.concat(list, ", ")
end

local function origin(plan, with_version)
    return ("Made by embdist-gen%s from %s; changes here are lost when it is made again."):format(
        with_version and " " .. plan.version or "", plan.source)
end

local function sentence(text)
    return text:sub(1, 1):upper() .. text:sub(2) .. "."
end

local GRADIENT_WORDS = {
    mean = "mean: divided by the number of ranks, in fp32, after decoding",
    sum = "sum: not divided",
}
local SUM_WORDS = {
    ordered = "Sums are made in fp32, in rank order.",
    library = "Sums are left to the transport's own reduce-scatter, whose order may differ.",
}

local function dist_comment(dist)
    local paragraphs = {
        ("---- %s: %s"):format(dist.name, dist.kind),
        "",
        sentence(dist.summary),
        "",
        ("  features: %s; sum of dims %d"):format(M.groups(dist.groups), dist.sum_of_dims),
        ("  forward: %s (error: %s)"):format(dist.forward.words, dist.forward.error_bound),
        ("  backward: %s (error: %s)"):format(dist.backward.words, dist.backward.error_bound),
        ("  gradient: %s"):format(GRADIENT_WORDS[dist.gradient]),
        ("  rows: %s"):format(dist.dtype),
        "",
        (dist.sum and SUM_WORDS[dist.sum] .. " " or "")
            .. "With one rank nothing is encoded or divided.",
    }
    if dist.owned == 1 then
        paragraphs[#paragraphs + 1] = "embdist_open is told the owner of each feature: the owners "
            .. "of embdist_options."
    end
    return c_text.comment(paragraphs)
end

local DIRECTION_WORDS = {
    EMBDIST_FORWARD = "Embeddings to the ranks that need them.",
    EMBDIST_BACKWARD = "The gradient back to the ranks that hold the embeddings.",
}

local function function_comment(call)
    local lines = {DIRECTION_WORDS[call.direction], "  " .. call.batch_meaning}
    if call.takes_seed then
        lines[#lines + 1] = "  seed: of stochastic rounding; the same on a rank gives the same "
            .. "bits, ranks may differ"
    end
    lines[#lines + 1] = ("  %s: %s"):format(call.input, call.input_shape)
    lines[#lines + 1] = ("  %s: %s"):format(call.output, call.output_shape)
    return c_text.comment(lines)
end

local function function_head(call, tail)
    local parameters = {
        "embdist_dist *dist",
        ("const %s *%s"):format(call.row_type, call.input),
        ("int64_t %s"):format(call.input_count),
        call.batch_type .. call.batch_name,
    }
    if call.takes_seed then
        parameters[#parameters + 1] = "uint64_t seed"
    end
    for _, parameter in ipairs {
        ("%s *%s"):format(call.row_type, call.output),
        ("int64_t %s"):format(call.output_count),
        "void *stream",
        "embdist_request **request",
    } do
        parameters[#parameters + 1] = parameter
    end
    return c_text.function_head("embdist_status", call.symbol, parameters, tail)
end

local function add_codelet(plan, codelet)
    codelet.banner = c_text.comment({
        ("%s: %s"):format(codelet.file, codelet.shape),
        "",
        origin(plan),
    })
    codelet.declarations = {}
    for i, one in ipairs(codelet.tables) do
        codelet.declarations[i] = c_text.declaration("extern const embdist_codelet", one.name,
            "[EMBDIST_ISA_COUNT];")
    end
end

local function strings(texts)
    local list = {}
    for i, text in ipairs(texts) do
        list[i] = ("\"%s\""):format(text)
    end
    return list
end

local function field_initialisers(fields)
    local list = {}
    for i, field in ipairs(fields) do
        list[i] = ("{\"%s\", \"%s\"}"):format(field.name, field.value)
    end
    return list
end

-- Adds the texts to `plan`.
function M.add(plan)
    plan.header_banner = c_text.comment({
        ("%s: the distributions of the spec %s."):format(plan.header, plan.spec),
        "",
        origin(plan, true),
    })
    plan.table_banner = c_text.comment({
        ("%s.c: what the runtime needs to know of the spec %s."):format(plan.spec, plan.spec),
        "",
        origin(plan, true),
    })
    for _, codelet in ipairs(plan.codelets) do
        add_codelet(plan, codelet)
    end
    for _, set in ipairs(plan.sets) do
        for _, member in ipairs(set.members) do
            member.line = c_text.member(4, member.name, member.value)
        end
    end
    for _, dist in ipairs(plan.dists) do
        dist.comment = dist_comment(dist)
        dist.declaration = c_text.declaration("extern const embdist_descriptor", dist.symbol, ";")
        dist.feature_lines = c_text.list(4, strings(dist.features))
        dist.field_lines = c_text.list(4, field_initialisers(dist.fields))
        dist.modes_line = c_text.member_of_terms(4, "modes", dist.mode_bits)
        for _, call in ipairs(dist.functions) do
            call.comment = function_comment(call)
            call.declaration = function_head(call, ");") .. ";"
            call.definition = function_head(call, ")")
        end
    end
end

return M
