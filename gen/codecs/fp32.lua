-- fp32.lua: the identity.
local options = require("options")

return {
    name = "fp32",
    header = "fp32.h",
    options = {options.nonfinite("propagate", "fail")},
    largest = 2.0 ^ 128 - 2.0 ^ 104,
    element_bytes = 4,
    row_bytes = function(dim) return 4 * dim end,
    c_options = function() return "{.none = 0}" end,
    error_bound = "exact",
}
