-- fp8_e4m3.lua: OCP E4M3 codes, a scale for each group.
local options = require("options")

return {
    name = "fp8_e4m3",
    header = "fp8_e4m3.h",
    options = {
        options.group(1, 0),
        options.rounding,
        options.nonfinite("saturate", "fail"),
    },
    element_bits = 8,
    group_bytes = 4,
    group = options.group_size,
    c_options = function(values)
        return ("{.stochastic = %d}"):format(options.stochastic(values))
    end,
    error_bound = "2^-4 relative, 2^-18.8 of the largest of a group absolute "
        .. "(stochastic: twice); and fp32 roundings",
}
