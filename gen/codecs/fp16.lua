-- fp16.lua: IEEE binary16, rounded half to even.
local options = require("options")

return {
    name = "fp16",
    header = "fp16.h",
    options = {options.loss_scale, options.nonfinite("saturate", "propagate", "fail")},
    largest = 65504.0,
    element_bits = 16,
    row_type = true,
    c_options = options.half_initialiser,
    error_bound = "2^-11 relative, 2^-25 absolute",
}
