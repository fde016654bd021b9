-- near.lua: what a misspelt word was probably meant to be.

local M = {}

-- The number of letters to insert, delete or change, to make one word of the other.
local function distance(a, b)
    local row = {}
    for j = 0, #b do
        row[j] = j
    end
    for i = 1, #a do
        local diagonal = row[0]
        row[0] = i
        for j = 1, #b do
            local change = diagonal + (a:byte(i) == b:byte(j) and 0 or 1)
            diagonal = row[j]
            row[j] = math.min(change, row[j] + 1, row[j - 1] + 1)
        end
    end
    return row[#b]
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
