-- The same names of dists and features as in small.lua, with other dims and codecs: both link into
-- one program.
return {
    name = "twin",
    dists = {
        {
            name = "bags",
            kind = "rw_pooled",
            features = { "user", "item", "country" },
            dims = { 2, 3, 7 },
            forward = "bf16",
            backward = "fp16",
        },
        {
            name = "words",
            kind = "rw_sequence",
            features = { "clicks", "buys" },
            dims = { 3, 3 },
            forward = "fp16",
            backward = "fp32",
            index = "int32",
        },
    },
}
