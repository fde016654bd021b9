-- Every dim that the tests of the runtime name, with every codec in every direction: for each dim
-- three dists of each kind, and pooled dists whose dims are mixed.
local dims = { 1, 2, 3, 5, 6, 7, 17, 33, 128, 255, 1028, 2052 }
local mixes = { { 1, 128, 3 }, { 5, 5, 2, 7, 33 }, { 255, 6, 6, 17, 2052 }, { 3, 1028, 3 } }
local backward = { fp32 = "fp16", fp16 = "bf16", bf16 = "fp32" }
local gradient = { fp32 = "mean", fp16 = "sum", bf16 = "mean" }

local dists = {}
for _, forward in ipairs({ "fp32", "fp16", "bf16" }) do
    local function add(dist)
        dist.forward = forward
        dist.backward = backward[forward]
        dist.gradient = gradient[forward]
        dists[#dists + 1] = dist
    end
    for i, dim in ipairs(dims) do
        local name = dim .. "_" .. forward
        -- One to three features; an index of four or eight bytes.
        add({ name = "p" .. name, kind = "rw_pooled", dims = rep(dim, 1 + i % 3) })
        add({
            name = "s" .. name,
            kind = "rw_sequence",
            dims = rep(dim, 1 + (i + 1) % 3),
            index = i % 2 == 0 and "int32" or "int64",
        })
        -- One to five features, for owners to share.
        add({ name = "t" .. name, kind = "tw_pooled", dims = rep(dim, 1 + (i + 2) % 5) })
        add({ name = "w" .. name, kind = "tw_sequence", dims = rep(dim, 1 + (i + 3) % 5) })
        add({ name = "g" .. name, kind = "all_gather", dims = rep(dim, 1 + i % 2) })
    end
    for i, mix in ipairs(mixes) do
        local name = "_mix" .. i .. "_" .. forward
        add({ name = "p" .. name, kind = "rw_pooled", dims = mix })
        add({ name = "t" .. name, kind = "tw_pooled", dims = mix })
        add({ name = "g" .. name, kind = "all_gather", dims = mix })
    end
end
return { name = "matrix", dists = dists }
