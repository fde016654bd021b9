-- int8.lua: 8 bits between the smallest and the largest value of a group.
local options = require("options")

return {
    name = "int8",
    header = "int8.h",
    options = {
        options.group(1, 0),
        options.rounding,
        options.nonfinite("saturate", "fail"),
    },
    element_bits = 8,
    group_bytes = 8,
    group = options.group_size,
    c_options = function(values)
        return ("{.stochastic = %d}"):format(options.stochastic(values))
    end,
    error_bound = "half a step, stochastic a step; a step is 1/255 of a group's range, "
        .. "1/254 beside NaN",
}
