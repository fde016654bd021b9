-- value.lua: the checks of a spec that need no knowledge of specs: what a value is, and the errors
-- that name the field.

local M = {}

-- Text of a spec as messages show it.
local function clip(text)
    return (text:sub(1, 40):gsub("[^%g ]", "?")) .. (#text > 40 and "..." or "")
end

-- How messages show a value.
function M.show(value)
    if value == nil then
        return "nothing"
    elseif math.type(value) == "integer" then
        return ("%d"):format(value)
    elseif math.type(value) == "float" then
        return value ~= value and "not a number" or ("%.14g"):format(value)
    elseif type(value) == "string" then
        return ("\"%s\""):format(clip(value))
    elseif type(value) == "boolean" then
        return tostring(value)
    end
    return "a " .. type(value)
end

-- Ends the check of the spec: `path` is the field, `problem` a clause about it.
function M.fail(path, problem, ...)
    error({path = path, problem = problem:format(...)}, 0)
end

function M.fail_got(path, value, expected)
    M.fail(path, "got %s, expected %s", M.show(value), expected)
end

-- The number of elements of a list; an error where `value` is something else, or has holes or
-- named fields.
function M.list(path, value, expected)
    if type(value) ~= "table" then
        M.fail_got(path, value, expected)
    end
    local count, last = 0, 0
    for key in pairs(value) do
        if math.type(key) ~= "integer" or key < 1 then
            M.fail(path, "got a table with the field %s, expected %s",
                type(key) == "string" and clip(key) or M.show(key), expected)
        end
        count, last = count + 1, math.max(last, key)
    end
    if count ~= last then
        local hole = 1
        while value[hole] ~= nil do
            hole = hole + 1
        end
        M.fail(("%s[%d]"):format(path, hole), "got nothing, expected %s without holes", expected)
    end
    return count
end

-- Which keys of `record` are not among the words of `known`, in the order of their letters.
function M.unknown_fields(record, known)
    local is_known, unknown = {}, {}
    for _, word in ipairs(known) do
        is_known[word] = true
    end
    for key in pairs(record) do
        if not is_known[key] then
            unknown[#unknown + 1] = type(key) == "string" and clip(key)
                or ("[%s]"):format(M.show(key))
        end
    end
    table.sort(unknown)
    return unknown
end

function M.quoted(words)
    local list = {}
    for i, word in ipairs(words) do
        list[i] = ("\"%s\""):format(word)
    end
    return table.concat(list, ", ")
end

function M.member(word, words)
    for _, candidate in ipairs(words) do
        if word == candidate then
            return true
        end
    end
    return false
end

-- One of `words`; the first of them where no value is given.
function M.one_of(path, given, words)
    if given == nil then
        return words[1]
    end
    if not M.member(given, words) then
        M.fail(path, "got %s, expected %s%s", M.show(given), #words > 1 and "one of " or "",
            M.quoted(words))
    end
    return given
end

return M
