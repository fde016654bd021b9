-- fp8_e5m2.lua: OCP E5M2 codes, a scale for each group.
local options = require("options")

return {
    name = "fp8_e5m2",
    header = "fp8_e5m2.h",
    options = {
        options.group(1, 0),
        options.rounding,
        options.nonfinite("saturate", "propagate", "fail"),
    },
    element_bits = 8,
    group_bytes = 4,
    group = options.group_size,
    c_options = function(values)
        return ("{.stochastic = %d, .propagate = %d}"):format(
            options.stochastic(values), values.nonfinite == "propagate" and 1 or 0)
    end,
    error_bound = "2^-3 relative, 2^-32.8 of the largest of a group absolute "
        .. "(stochastic: twice); and fp32 roundings",
}
