-- The modules run under Lua 5.3 and 5.4.
std = "lua53"
max_line_length = 100

-- Specs run in an environment of their own (gen/sandbox.lua).
files["examples/*.lua"] = { std = "none", read_globals = { "rep", "ipairs", "tostring", "math" } }
