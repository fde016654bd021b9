-- ops.lua: what codelets there are, and which of them a stage needs. Each op has a template for
-- codecs of elements and one for codecs of groups, named after it.
--   tables   the tables of functions that a codelet exports; each is a member, OP .. suffix, of
--            embdist_codelets (runtime/embdist_descriptor.h). `name` begins its functions' names;
--            `vectors`: whether it has them for instruction sets beside plain
--   indexed  whether there is a version for each type of index
--   sums     whether it sums the caller's rows
--   packs    whether it encodes
--   shape    what a codelet does, in one sentence

local M = {}

local PACK = {
    {name = "pack", suffix = "", vectors = true},
    {name = "inspect", suffix = "_inspect", vectors = false},
}
local WIRE = {name = "wire", suffix = "_wire", vectors = true}
local ROWS = {name = "rows", suffix = "_rows", vectors = true}

-- The order is that of the members of embdist_codelets.
M.list = {
    {
        name = "pack_runs",
        tables = PACK,
        shape = "Encodes {rows} rows of {dim} values as {codec}, in order.",
    },
    {
        name = "pack_transposed",
        tables = PACK,
        sums = true,
        shape = "Sums named {rows} rows of {dim} values and encodes the sums as {codec}: "
            .. "the transpose of a gather.",
    },
    {
        name = "unpack_runs",
        tables = {WIRE, ROWS},
        shape = "Decodes {rows} rows of {dim} values from {codec}, in order.",
    },
    {
        name = "unpack_gather",
        tables = {WIRE, ROWS},
        indexed = true,
        shape = "Decodes {rows} rows of {dim} values from {codec}, each from where its {index} "
            .. "says.",
    },
    {
        name = "unpack_sum",
        tables = {WIRE, ROWS},
        shape = "Sums {rows} rows of {dim} values of all ranks, in rank order, decoded from "
            .. "{codec}.",
    },
    {
        name = "unpack_transposed",
        tables = {ROWS},
        sums = true,
        shape = "Sums named {rows} rows of {dim} values in the peers' memory, rounded as {codec} "
            .. "rounds: the transpose of a gather, in place.",
    },
}

for _, op in ipairs(M.list) do
    M.list[op.name] = op
    op.packs = op.tables == PACK
    op.sums = op.sums or false
end

-- The ops of a pack and of an unpack. Where a call has no permute, a gather and its transpose are
-- runs.
M.of_pack = {
    runs = {"pack_runs"},
    transposed = {"pack_runs", "pack_transposed", "unpack_transposed"},
}
M.of_unpack = {
    runs = {"unpack_runs"},
    gather = {"unpack_runs", "unpack_gather"},
    sum = {"unpack_sum"},
}

return M
