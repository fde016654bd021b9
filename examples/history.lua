-- What a user did, in order: three features whose embeddings are not pooled, tables sharded by
-- rows. Gradients are small for fp16, so they are scaled, by a power of two, on the way.
return {
    name = "history",
    dists = {
        {
            name = "events",
            kind = "rw_sequence",
            features = { "clicks", "buys", "views" },
            dims = rep(64, 3),
            forward = "bf16",
            backward = { codec = "fp16", loss_scale = 1024 },
            index = "int64",
        },
    },
}
