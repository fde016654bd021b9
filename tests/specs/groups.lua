-- Codecs of groups, rows of 16 bits and stochastic rounding, in all kinds and both directions. Two
-- codecs share dims and a dtype, and dists 1 and 2 have them in turn: what the one does forward the
-- other does backward, with the same codelets.
local pairs_of_codecs = {
    {
        name = "a", dims = { 1, 7, 7 }, dim = 7,
        "int8",
        { codec = "fp8_e4m3", rounding = "stochastic" },
    },
    {
        name = "b", dims = { 7, 255 }, dim = 7,
        { codec = "fp8_e5m2", rounding = "stochastic" },
        { codec = "mx4", rounding = "stochastic" },
    },
    {
        name = "c", dims = { 3, 33 }, dim = 33, dtype = "bf16",
        { codec = "int8", group = 4, rounding = "stochastic" },
        { codec = "fp8_e5m2", group = 16, nonfinite = "propagate" },
    },
    {
        name = "d", dims = { 33, 128 }, dim = 33, dtype = "bf16",
        "mx4",
        { codec = "fp16", loss_scale = 3 },
    },
    {
        name = "e", dims = { 2, 17, 2 }, dim = 17, dtype = "fp16",
        { codec = "fp8_e4m3", group = 5 },
        { codec = "mx4", group = 6, scale_rounding = "floor" },
    },
    {
        name = "f", dims = { 5, 6, 17 }, dim = 17, dtype = "fp16",
        { codec = "bf16", nonfinite = "propagate" },
        "fp32",
    },
}

local dists = {}
local function add(dist, pair, which)
    dist.dtype = pair.dtype
    dist.forward, dist.backward = pair[which], pair[3 - which]
    dist.gradient = which == 1 and "mean" or "sum"
    dists[#dists + 1] = dist
end

for _, pair in ipairs(pairs_of_codecs) do
    for which = 1, 2 do
        local name = "_" .. pair.name .. which
        add({ name = "p" .. name, kind = "rw_pooled", dims = pair.dims }, pair, which)
        add({ name = "s" .. name, kind = "rw_sequence", dims = rep(pair.dim, 2), index = "int32" },
            pair, which)
        add({ name = "t" .. name, kind = "tw_pooled", dims = pair.dims }, pair, which)
        add({ name = "w" .. name, kind = "tw_sequence", dims = rep(pair.dim, 3) }, pair, which)
        add({ name = "g" .. name, kind = "all_gather", dims = pair.dims }, pair, which)
    end
end
-- Codecs that refuse what is not finite, with codelets that are there already.
local function finite(codec)
    codec.nonfinite = "fail"
    return codec
end
dists[#dists + 1] = {
    name = "finite_bags", kind = "rw_pooled", dims = { 2, 17, 2 }, dtype = "fp16",
    forward = finite { codec = "fp8_e4m3", group = 5 },
    backward = finite { codec = "mx4", group = 6, scale_rounding = "floor" },
}
dists[#dists + 1] = {
    name = "finite_words", kind = "rw_sequence", dims = { 33, 33 }, dtype = "bf16", index = "int32",
    forward = finite { codec = "int8", group = 4, rounding = "stochastic" },
    backward = finite { codec = "mx4" },
}
dists[#dists + 1] = {
    name = "finite_tables", kind = "tw_pooled", dims = { 1, 7, 7 },
    forward = finite { codec = "int8" },
    backward = finite { codec = "fp8_e4m3", rounding = "stochastic" },
}
return { name = "groups", dists = dists }
