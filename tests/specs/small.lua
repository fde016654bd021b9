-- Small dists for the tests of calls, errors and requests: both kinds, each codec, both types of
-- index, and codecs that refuse what they cannot send.
return {
    name = "small",
    dists = {
        {
            name = "bags",
            kind = "rw_pooled",
            features = { "user", "item", "country" },
            dims = { 3, 5, 5 },
            forward = "fp16",
            backward = { codec = "bf16", loss_scale = 4 },
        },
        {
            name = "sums",
            kind = "rw_pooled",
            features = { "user", "item" },
            dims = { 4, 4 },
            gradient = "sum",
        },
        { name = "only_even", kind = "rw_pooled", dims = { 7 }, batch = { "even" } },
        {
            name = "words",
            kind = "rw_sequence",
            features = { "clicks", "buys" },
            dims = { 6, 6 },
            forward = "bf16",
            backward = "fp16",
            index = "int64",
        },
        { name = "narrow", kind = "rw_sequence", dims = { 3, 3, 3 }, index = "int32" },
        {
            name = "finite_bags",
            kind = "rw_pooled",
            dims = { 4 },
            forward = { codec = "fp16", loss_scale = 2, nonfinite = "fail" },
            backward = { codec = "bf16", nonfinite = "fail" },
        },
        {
            name = "finite_words",
            kind = "rw_sequence",
            dims = { 4 },
            forward = { codec = "fp32", nonfinite = "fail" },
            backward = { codec = "fp16", nonfinite = "fail" },
        },
    },
}
