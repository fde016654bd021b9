-- Codelets whose options change code, for tests/codelets/versions.c: loss scales that are a power
-- of two and that are not, infinities that propagate, and both types of index.
local dists = {}
for _, dim in ipairs({ 5, 17, 128 }) do
    local half = { codec = "fp16", loss_scale = 3, nonfinite = "propagate" }
    local brain = { codec = "bf16", loss_scale = 0.25 }
    dists[#dists + 1] = { name = "p" .. dim .. "_a", kind = "rw_pooled", dims = { dim },
        forward = half, backward = brain }
    dists[#dists + 1] = { name = "s" .. dim .. "_a", kind = "rw_sequence", dims = { dim },
        forward = half, backward = brain, index = "int32" }
    half = { codec = "fp16", loss_scale = 1024 }
    brain = { codec = "bf16", loss_scale = 0.1, nonfinite = "propagate" }
    dists[#dists + 1] = { name = "p" .. dim .. "_b", kind = "rw_pooled", dims = { dim },
        forward = brain, backward = half }
    dists[#dists + 1] = { name = "s" .. dim .. "_b", kind = "rw_sequence", dims = { dim },
        forward = brain, backward = half, index = "int64" }
end
return { name = "codelets", dists = dists }
