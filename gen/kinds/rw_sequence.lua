-- rw_sequence.lua: row-wise sharded tables, not pooled. Every rank holds rows of every feature.
return {
    name = "rw_sequence",
    summary = "row-wise sequences: each row goes to the rank whose sample asked for it",
    modes = {"sequence"},
    indices = {"int64", "int32"},
    equal_dims = true,
    local_layout = "FEATURES",
    out_layout = "RECEIVED",
    forward = {pack = "runs", exchange = "alltoallv", unpack = "gather"},
    backward = {pack = "transposed", exchange = "alltoallv", unpack = "runs", divide = "gradient"},

    -- What the buffers hold, for the generated header.
    shapes = {
        sequence = {
            local_embs = "[sum(send_rows)][{dim}], by feature, then by the rank that gets the row",
            out = "[output_rows][{dim}] with a permute, else [sum(recv_rows)][{dim}]",
        },
    },
}
