-- bf16.lua: the upper half of an fp32 number, rounded half to even.
local options = require("options")

return {
    name = "bf16",
    header = "bf16.h",
    options = {options.loss_scale, options.nonfinite("saturate", "propagate", "fail")},
    largest = 2.0 ^ 128 - 2.0 ^ 120,
    element_bits = 16,
    row_type = true,
    c_options = options.half_initialiser,
    error_bound = "2^-8 relative, 2^-134 absolute",
}
