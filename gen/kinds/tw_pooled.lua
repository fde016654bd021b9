-- tw_pooled.lua: table-wise sharded tables, pooled. Every feature has one owner, the rank that
-- holds its table.
return {
    name = "tw_pooled",
    summary = "table-wise pooled: a feature's owner looks up all samples, each goes to its rank",
    modes = {"even", "ragged", "per_feature"},
    owned = true,
    local_layout = "RANKS",
    out_layout = "OWNERS",
    forward = {pack = "runs", exchange = "alltoallv", unpack = "runs"},
    backward = {pack = "runs", exchange = "alltoallv", unpack = "runs", divide = "gradient"},

    -- What the buffers hold, for the generated header.
    shapes = {
        even = {
            local_embs = "[world][batch][own dims], the features that this rank owns, in order",
            out = "[batch][{dims}], this rank's samples, features by owner, then in order",
        },
        ragged = {
            local_embs = "[sum(batch_per_rank)][own dims], rank after rank, the features that this "
                .. "rank owns, in order",
            out = "[batch_per_rank[rank]][{dims}], this rank's samples, features by owner, then in "
                .. "order",
        },
        per_feature = {
            local_embs = "for each rank r and feature f that this rank owns, "
                .. "[batch_per_rank_feature[r][f]][dim of f]",
            out = "for each owner and feature f of its, "
                .. "[batch_per_rank_feature[rank][f]][dim of f], this rank's",
        },
    },
}
