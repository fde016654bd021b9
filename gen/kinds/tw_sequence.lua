-- tw_sequence.lua: table-wise sharded tables, not pooled. Every feature has one owner, the rank
-- that holds its table.
return {
    name = "tw_sequence",
    summary = "table-wise sequences: a feature's owner sends each row to the rank whose sample "
        .. "asked for it",
    modes = {"sequence"},
    equal_dims = true,
    owned = true,
    local_layout = "FEATURES",
    out_layout = "RECEIVED",
    forward = {pack = "runs", exchange = "alltoallv", unpack = "runs"},
    backward = {pack = "runs", exchange = "alltoallv", unpack = "runs", divide = "gradient"},

    -- What the buffers hold, for the generated header.
    shapes = {
        sequence = {
            local_embs = "[sum(send_rows)][{dim}], by feature that this rank owns, then by the "
                .. "rank that gets the row",
            out = "[sum(recv_rows)][{dim}], by owner, then by its features",
        },
    },
}
