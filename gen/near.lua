-- near.lua: what a misspelt word was probably meant to be.

local M = {}

-- The number of letters to insert, delete, change or swap with the next, to make one word of the
-- other.
local function distance(a, b)
    local rows = {[0] = {}}
    for j = 0, #b do
        rows[0][j] = j
    end
    for i = 1, #a do
        rows[i] = {[0] = i}
        for j = 1, #b do
            local cost = a:byte(i) == b:byte(j) and 0 or 1
            local best = math.min(rows[i - 1][j - 1] + cost, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
            if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
                best = math.min(best, rows[i - 2][j - 2] + 1)
            end
            rows[i][j] = best
        end
    end
    return rows[#a][#b]
end

-- The candidate nearest to `word`, the first of equals; nil where none is near.
function M.match(word, candidates)
    if type(word) ~= "string" or #word > 64 then
        return nil
    end
    local best, best_distance = nil, math.max(1, math.min(3, #word // 3)) + 1
    for _, candidate in ipairs(candidates) do
        local d = distance(word:lower(), candidate:lower())
        if d < best_distance then
            best, best_distance = candidate, d
        end
    end
    return best
end

-- What to add to a message about `word`: the near match, or else all that would be right.
function M.hint(word, candidates)
    local match = M.match(word, candidates)
    if match then
        return ("; did you mean \"%s\"?"):format(match)
    end
    return "; expected one of: " .. table.concat(candidates, ", ")
end

return M
