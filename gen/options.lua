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

-- What becomes of values that the format has no number for; `policies` are those that a codec
-- knows, its default first.
function M.nonfinite(...)
    local policies = {...}
    local quoted = {}
    for i, policy in ipairs(policies) do
        quoted[i] = ("\"%s\""):format(policy)
    end
    local option = {
        name = "nonfinite",
        default = policies[1],
        expected = "one of " .. table.concat(quoted, ", "),
    }

    function option.take(value)
        for _, policy in ipairs(policies) do
            if value == policy then
                return value
            end
        end
        return nil
    end

    function option.text(value)
        return value
    end

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

-- The options as the 16-bit codecs' C takes them (runtime/inline/half.h).
function M.half_initialiser(values)
    return ("{.loss_scale = %s, .saturate = %d}"):format(float32.literal(values.loss_scale),
        values.nonfinite == "propagate" and 0 or 1)
end

return M
