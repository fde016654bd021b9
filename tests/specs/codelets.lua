-- Codelets whose options change code, for tests/codelets/versions.c: loss scales that are a power
-- of two and that are not, infinities that propagate, and both types of index.
local dists = {}
local function add(name, dim, forward, backward, index)
    local function dist(letter, kind, features)
        dists[#dists + 1] = { name = letter .. dim .. name, kind = kind, dims = rep(dim, features),
            forward = forward, backward = backward }
        return dists[#dists]
    end
    dist("p", "rw_pooled", 1)
    dist("s", "rw_sequence", 1).index = index
    dist("t", "tw_pooled", 3)
    dist("w", "tw_sequence", 3)
    dist("g", "all_gather", 1)
end
for _, dim in ipairs({ 5, 17, 128 }) do
    add("_a", dim, { codec = "fp16", loss_scale = 3, nonfinite = "propagate" },
        { codec = "bf16", loss_scale = 0.25 }, "int32")
    add("_b", dim, { codec = "bf16", loss_scale = 0.1, nonfinite = "propagate" },
        { codec = "fp16", loss_scale = 1024 }, "int64")
end
return { name = "codelets", dists = dists }
