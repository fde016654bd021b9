-- int8.lua: 8 bits between the smallest and the largest value of a group.
local float32 = require("float32")
local options = require("options")

return {
    name = "int8",
    header = "int8.h",
    options = {
        options.group(1, 0),
        options.rounding,
        options.nonfinite("saturate", "fail"),
    },
    largest = float32.largest,
    element_bits = 8,
    group_bytes = 8,
    group = function(values, dim)
        return (values.group or 0) == 0 and dim or values.group
    end,
    c_options = function(values)
        return ("{.stochastic = %d}"):format(values.rounding == "stochastic" and 1 or 0)
    end,
    error_bound = "half a step, stochastic a step; a step is 1/255 of a group's range, "
        .. "1/254 beside NaN",
}
