-- options.lua: the options that codecs take. An option has
--   name, default
--   expected        what a value must be, for messages
--   take(value)     the value as it will be used, or nil for a wrong one
--   text(value)     the value as ranks compare it and --plan prints it
--   suffix(value)   what a codelet's name gets where the value changes its code, else ""
--   words(value)    the value in the sentence that describes the codec, or nil where that says
--                   nothing

local float32 = require("float32")

local M = {}

M.loss_scale = {
    name = "loss_scale",
    default = 1.0,
    expected = "a positive number from 2^-126 to 2^126",
}

-- Beyond these, the number or its reciprocal is subnormal in fp32.
local SMALLEST, LARGEST = 2.0 ^ -126, 2.0 ^ 126

function M.loss_scale.take(value)
    if type(value) ~= "number" or not (value >= SMALLEST and value <= LARGEST) then
        return nil
    end
    return float32.round(value)
end

M.loss_scale.text = float32.shortest

function M.loss_scale.suffix(value)
    if value == 1.0 then
        return ""
    end
    return "_ls" .. float32.shortest(value):gsub("[.+-]", {["."] = "p", ["+"] = "", ["-"] = "m"})
end

function M.loss_scale.words(value)
    return value ~= 1.0 and "loss scale " .. float32.shortest(value) or nil
end

-- An option whose value is one of `choices`, the default first; suffix and words are to be added.
function M.choice(name, choices)
    local quoted = {}
    for i, choice in ipairs(choices) do
        quoted[i] = ("\"%s\""):format(choice)
    end
    local option = {
        name = name,
        default = choices[1],
        expected = "one of " .. table.concat(quoted, ", "),
    }

    function option.take(value)
        for _, choice in ipairs(choices) do
            if value == choice then
                return value
            end
        end
        return nil
    end

    function option.text(value)
        return value
    end

    return option
end

-- What becomes of values that the format has no number for; the policies are those that a codec
-- knows, its default first.
function M.nonfinite(...)
    local option = M.choice("nonfinite", {...})

    -- "fail" is decided before a codelet runs; what the codelet does is saturate.
    function option.suffix(value)
        return value == "propagate" and value ~= option.default and "_propagate" or ""
    end

    local WORDS = {
        saturate = "overflow and infinity saturate",
        propagate = "overflow and infinity propagate",
        fail = "overflow, infinity and NaN are refused",
    }
    function option.words(value)
        return (value ~= "propagate" or value ~= option.default) and WORDS[value] or nil
    end

    return option
end

-- How many neighbouring values of a row share a scale: a multiple of `step`, `default` where the
-- spec says nothing. 0 stands for all values of a row.
function M.group(step, default)
    local option = {
        name = "group",
        default = default,
        expected = step == 1 and "a whole number from 1" or
            ("a whole number from %d that is a multiple of %d"):format(step, step),
    }

    function option.take(value)
        local whole = type(value) == "number" and math.tointeger(value)
        return whole and whole >= step and whole % step == 0 and whole or nil
    end

    function option.text(value)
        return value == 0 and "row" or ("%d"):format(value)
    end

    function option.suffix(value)
        return value ~= default and ("_g%d"):format(value) or ""
    end

    function option.words(value)
        return value ~= default and ("groups of %d"):format(value) or nil
    end

    return option
end

-- The size of a group of a row of `dim` values.
function M.group_size(values, dim)
    return values.group == 0 and dim or values.group
end

M.rounding = M.choice("rounding", {"nearest", "stochastic"})

function M.rounding.suffix(value)
    return value == "stochastic" and "_sr" or ""
end

function M.rounding.words(value)
    return value == "stochastic" and "stochastic rounding" or nil
end

-- Whether rounding is stochastic, as the C of codecs of groups takes it.
function M.stochastic(values)
    return values.rounding == "stochastic" and 1 or 0
end

-- The options as the 16-bit codecs' C takes them (runtime/inline/half.h).
function M.half_initialiser(values)
    return ("{.loss_scale = %s, .saturate = %d}"):format(float32.literal(values.loss_scale),
        values.nonfinite == "propagate" and 0 or 1)
end

return M
