-- The modules run under Lua 5.3 and 5.4.
std = "lua53"
max_line_length = 100

-- Specs run in an environment of their own (gen/sandbox.lua).
local spec = { std = "none", read_globals = { "rep", "ipairs", "tostring", "math" } }
files["examples/*.lua"] = spec
files["tests/specs/*.lua"] = spec

-- Recorded elsewhere, kept as they came.
exclude_files = { "tests/vectors" }
