-- traffic.lua: what a direction of a dist costs, in bytes, as --plan says it: formulas in W, the
-- number of ranks, and in the counts of a call.

local M = {}

local function number(x)
    return ("%.4g"):format(x)
end

-- The bytes that must pass between memory and cores for an element of a rank's input (all-gather:
-- of its output), in place and staged; `e` bytes has an element of the caller's rows, `w` one on
-- the wire, its share of scales included. In place, rows are read where they are and written: once
-- each. Staged, a wire row is written and read on top of that.
function M.moved(stage, e, w)
    if stage.unpack == "sum" then -- every rank's rows are read, a W-th of them written
        return ("%s + %s/W"):format(number(e), number(e)),
            ("%s + %s/W"):format(number(e + 2 * w), number(e))
    elseif stage.exchange_enumerator == "EMBDIST_EXCHANGE_ALL_GATHER" then
        -- A row that several ranks read counts once.
        return ("%s + %s/W"):format(number(e), number(e)),
            ("%s + %s/W"):format(number(e + w), number(e + w))
    end
    return number(2 * e), number(2 * e + 2 * w)
end

-- How many samples' rows arrive, by the layout of the side that they arrive on and the mode; what
-- follows is a factor. Sums get the rows of this rank's samples from every rank.
local SAMPLES = {
    EMBDIST_LAYOUT_RANKS = {even = "W * batch", ragged = "sum(batch_per_rank)"},
    EMBDIST_LAYOUT_OWN = {even = "W * batch", ragged = "W * batch_per_rank[rank]"},
    EMBDIST_LAYOUT_OWNERS = {even = "batch", ragged = "batch_per_rank[rank]"},
}
local PER_FEATURE = {
    EMBDIST_LAYOUT_RANKS = "sum over ranks r and %s f of batch_per_rank_feature[r][f] * "
        .. "(wire bytes of a row of f)",
    EMBDIST_LAYOUT_OWN = "W * sum over %s f of batch_per_rank_feature[rank][f] * "
        .. "(wire bytes of a row of f)",
    EMBDIST_LAYOUT_OWNERS = "sum over %s f of batch_per_rank_feature[rank][f] * "
        .. "(wire bytes of a row of f)",
}
local SEQUENCE_ROWS = {
    EMBDIST_LAYOUT_FEATURES = "sum(send_rows)",
    EMBDIST_LAYOUT_RECEIVED = "sum(recv_rows)",
}

-- The bytes of wire rows that arrive at a rank in a call of a mode, its own included. `layout` is
-- that of the side on which they arrive; `owned`: that side has only the features that the rank
-- owns; `bytes`: of the wire rows of one sample, or of one row of a sequence.
function M.received(layout, mode, owned, bytes)
    if mode == "sequence" then
        return ("%s * %d"):format(SEQUENCE_ROWS[layout], bytes)
    elseif mode == "per_feature" then
        return PER_FEATURE[layout]:format(owned and "own features" or "features")
    elseif owned then
        return ("%s * (wire bytes of a sample's own features)"):format(SAMPLES[layout][mode])
    end
    return ("%s * %d"):format(SAMPLES[layout][mode], bytes)
end

return M
