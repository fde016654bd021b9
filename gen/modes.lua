-- modes.lua: the batch modes: how a function of the mode is called and what it is told.
--   suffix     of the function's name
--   enumerator of embdist_mode
--   member     of embdist_batch that holds the argument
--   type, name of the argument
--   meaning    the argument, for the generated header; indexed_meaning where the dist has an index

return {
    even = {
        suffix = "_even",
        enumerator = "EMBDIST_EVEN",
        member = "even",
        type = "int64_t ",
        name = "batch",
        meaning = "batch: the samples of every rank",
    },
    ragged = {
        suffix = "_ragged",
        enumerator = "EMBDIST_RAGGED",
        member = "per_rank",
        type = "const int64_t *",
        name = "batch_per_rank",
        meaning = "batch_per_rank[world]: the samples of each rank",
    },
    per_feature = {
        suffix = "_per_feature",
        enumerator = "EMBDIST_PER_FEATURE",
        member = "per_rank_feature",
        type = "const int64_t *",
        name = "batch_per_rank_feature",
        meaning = "batch_per_rank_feature[world][{features}]: the samples of each rank and feature",
    },
    sequence = {
        suffix = "",
        enumerator = "EMBDIST_SEQUENCE",
        member = "sequence",
        type = "const embdist_sequence_batch *",
        name = "batch",
        meaning = "batch: rows to send and to receive; no permute",
        indexed_meaning = "batch: rows to send and to receive, and the permute, whose elements are "
            .. "{index}",
    },
}
