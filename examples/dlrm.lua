-- The pooled embeddings of DLRM-DCNv2 as the MLPerf training benchmark has them: 26 features of dim
-- 128, tables sharded by rows.
return {
    name = "dlrm",
    dists = {
        {
            name = "bags",
            kind = "rw_pooled",
            dims = rep(128, 26),
            forward = "fp16",
            backward = "bf16",
        },
    },
}
