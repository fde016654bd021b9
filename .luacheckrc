-- The modules run under Lua 5.3 and 5.4.
std = "lua53"
max_line_length = 100
