-- What the benchmark knows of the project's kinds, codecs and ways, in the order of its table.
return {
    kinds = { "rw_pooled", "rw_sequence" },
    modes = {
        rw_pooled = { "even", "ragged", "per_feature" },
        rw_sequence = { "none" },
    },
    routings = {
        rw_pooled = { "none" },
        rw_sequence = { "contiguous", "round_robin", "random" },
    },
    codecs = { "fp32", "fp16", "bf16", "int8", "fp8_e4m3", "fp8_e5m2", "mx4" },
    directions = { "forward", "backward" },
    ways = { "in_place", "staged" },
}
