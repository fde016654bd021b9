-- rw_pooled.lua: row-wise sharded tables, pooled. Every rank holds partial sums of every sample.
return {
    name = "rw_pooled",
    summary = "row-wise pooled: ranks' partial sums of a sample are added on its own rank",
    modes = {"even", "ragged", "per_feature"},
    sums = {"ordered", "library"},
    local_layout = "RANKS",
    out_layout = "OWN",
    forward = {pack = "runs", exchange = "alltoallv", unpack = "sum"},
    backward = {pack = "runs", exchange = "all_gather", unpack = "runs", divide = "gradient"},

    -- What the buffers hold, for the generated header.
    shapes = {
        even = {
            local_embs = "[world][batch][{dims}], a rank's samples adjacent",
            out = "[batch][{dims}], this rank's samples",
        },
        ragged = {
            local_embs = "[sum(batch_per_rank)][{dims}], rank after rank",
            out = "[batch_per_rank[rank]][{dims}], this rank's samples",
        },
        per_feature = {
            local_embs = "for each rank r and feature f, [batch_per_rank_feature[r][f]][dim of f]",
            out = "for each feature f, [batch_per_rank_feature[rank][f]][dim of f], this rank's",
        },
    },
}
