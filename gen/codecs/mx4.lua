-- mx4.lua: the OCP microscaling format: elements of 4 bits (E2M1), and for each group an exponent.
local options = require("options")

-- How the group's exponent is rounded; the numbers are those of runtime/inline/mx4.h.
local ROUNDINGS = {even = 0, floor = 1, ceil = 2, nearest = 3}
local scale_rounding = options.choice("scale_rounding", {"even", "floor", "ceil", "nearest"})

function scale_rounding.suffix(value)
    return value ~= "even" and "_" .. value or ""
end

function scale_rounding.words(value)
    return value ~= "even" and ("scales by %s"):format(value) or nil
end

return {
    name = "mx4",
    header = "mx4.h",
    options = {
        options.group(2, 32),
        scale_rounding,
        options.rounding,
        options.nonfinite("saturate", "fail"),
    },
    element_bits = 4,
    group_bytes = 1,
    group = options.group_size,
    c_options = function(values)
        return ("{.stochastic = %d, .scale_rounding = %d}"):format(
            options.stochastic(values), ROUNDINGS[values.scale_rounding])
    end,
    error_bound = "half of the distance of the elements about the value, at most a fifth of it "
        .. "from one scale on (stochastic: twice that); and what lies beyond 6 scales",
}
