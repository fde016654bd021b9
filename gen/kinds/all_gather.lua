-- all_gather.lua: rw_pooled turned round. Every rank gets the rows of all ranks' samples.
return {
    name = "all_gather",
    summary = "all-gather: every rank gets the rows of all ranks, gradients are added on their own",
    modes = {"even", "ragged", "per_feature"},
    sums = {"ordered"},
    local_layout = "OWN",
    out_layout = "RANKS",
    forward = {pack = "runs", exchange = "all_gather", unpack = "runs"},
    backward = {pack = "runs", exchange = "alltoallv", unpack = "sum", divide = "gradient"},

    -- What the buffers hold, for the generated header.
    shapes = {
        even = {
            local_embs = "[batch][{dims}], this rank's samples",
            out = "[world][batch][{dims}], a rank's samples adjacent",
        },
        ragged = {
            local_embs = "[batch_per_rank[rank]][{dims}], this rank's samples",
            out = "[sum(batch_per_rank)][{dims}], rank after rank",
        },
        per_feature = {
            local_embs = "for each feature f, [batch_per_rank_feature[rank][f]][dim of f], this "
                .. "rank's",
            out = "for each rank r and feature f, [batch_per_rank_feature[r][f]][dim of f]",
        },
    },
}
