-- fp32.lua: the identity.
local options = require("options")

return {
    name = "fp32",
    header = "fp32.h",
    options = {options.nonfinite("propagate", "fail")},
    largest = 2.0 ^ 128 - 2.0 ^ 104,
    element_bits = 32,
    row_type = true,
    c_options = function() return "{.none = 0}" end,
    error_bound = "exact",
}
