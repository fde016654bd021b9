-- ops.lua: what codelets there are, and which of them a stage needs. Each op has a template, named
-- after it.
--   tables   suffixes of the tables of functions that a codelet exports; each is a member, named
--            OP .. SUFFIX, of embdist_codelets (runtime/embdist_descriptor.h)
--   indexed  whether there is a version for each type of index
--   shape    what a codelet does, in one sentence

local M = {}

-- The order is that of the members of embdist_codelets.
M.list = {
    {
        name = "pack_runs",
        tables = {""},
        shape = "Encodes rows of {dim} values as {codec}, in order.",
    },
    {
        name = "pack_transposed",
        tables = {""},
        shape = "Sums named rows of {dim} values and encodes the sums as {codec}: "
            .. "the transpose of a gather.",
    },
    {
        name = "unpack_runs",
        tables = {"_wire", "_rows"},
        shape = "Decodes rows of {dim} values from {codec}, in order.",
    },
    {
        name = "unpack_gather",
        tables = {"_wire", "_rows"},
        indexed = true,
        shape = "Decodes rows of {dim} values from {codec}, each from where its {index} says.",
    },
    {
        name = "unpack_sum",
        tables = {"_wire", "_rows"},
        shape = "Sums rows of {dim} values of all ranks, in rank order, decoded from {codec}.",
    },
    {
        name = "unpack_transposed",
        tables = {"_rows"},
        shape = "Sums named rows of {dim} values in the peers' memory, rounded as {codec} rounds: "
            .. "the transpose of a gather, in place.",
    },
}

for _, op in ipairs(M.list) do
    M.list[op.name] = op
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
