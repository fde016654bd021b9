-- Hostile specs: each ends in one clear error, within two seconds and 256 MiB.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local STEPS = ": does not end: took more steps than a spec may"
local MEMORY = ": took more memory than a spec may, or than a lower limit of the shell leaves"
local METHODS = "; strings have no methods in a spec, .. joins them"
local NAMES = "; a spec may use rep, ipairs, tostring and math"

-- Two seconds of processor time, so that other work on the machine makes no difference.
local LIMITS = "ulimit -v 262144; ulimit -t 2; timeout 60"

-- Runs the spec within the limits. `expected` is what follows "spec.lua" in the message.
local function check(spec, expected)
    generator.with_folder(function(folder)
        local path = folder .. "/spec.lua"
        generator.write(path, spec)
        local seen = generator.run({"--output", folder, path}, LIMITS)
        tap.equal(expected, (seen.err:gsub("^.-spec%.lua", "", 1):gsub("\n$", "")))
        tap.equal({status = 1, out = ""}, {status = seen.status, out = seen.out})
        tap.equal("spec.lua", generator.names(folder), "files")
    end)
end

-- A spec that may end by either bound, whichever the machine meets first.
local function check_either(spec, first, second)
    local done = pcall(check, spec, first)
    if not done then
        check(spec, second)
    end
end

local tests = {
    {"an endless loop", "while true do end", STEPS},
    {"an endless recursion", "local function f() return f() end\nreturn f()", STEPS},
    {"a loop that calls", "while true do ipairs({}) tostring(1) end", STEPS},
    {"a huge string", "local s = 'x'\nwhile true do s = s .. s end", MEMORY},
    {"a huge table", "local t = {}\nfor i = 1, 2 ^ 40 do t[i] = rep(i, 99999) end", STEPS},
    {"os.execute", "os.execute('true')", ":1: unknown name 'os'" .. NAMES},
    {"io.open", "io.open('x', 'w')", ":1: unknown name 'io'" .. NAMES},
    {"require", "require('os')", ":1: unknown name 'require'" .. NAMES},
    {"load", "load('x')", ":1: unknown name 'load'" .. NAMES},
    {"getmetatable", "getmetatable('').__index = {}", ":1: unknown name 'getmetatable'" .. NAMES},
    {"pcall, which would catch the end", "pcall(function() while true do end end)",
        ":1: unknown name 'pcall'" .. NAMES},
    {"random numbers", "return { name = 'x' .. math.random(9) }",
        ":1: unknown name 'math.random'; a spec may use what Lua's math has, without random and "
            .. "randomseed"},
    {"a match with backtracking",
        "return (rep('a', 1) and ('x'):find('.-.-.-.-.-.-.-.-.-.-y'))",
        ":1: attempt to index a string value (constant 'x')" .. METHODS},
    {"string.rep", "return ('x'):rep(1e9)",
        ":1: attempt to index a string value (constant 'x')" .. METHODS},
    {"bytecode", string.dump(function() return {} end),
        ": is compiled Lua, expected the text of a spec"},
    {"a byte order mark", "\xEF\xBB\xBFreturn {}",
        ": begins with a byte order mark, expected Lua without one"},
    {"a first line for the shell", "#!/usr/bin/lua\nreturn {}",
        ": begins with #, expected Lua: a spec is no program to start"},
    {"its own globals", "name, dists = 's', {}\nreturn _ENV", ": returns its globals, expected a "
        .. "table of its own: return { name = ..., dists = { ... } }"},
    {"a text of 5 MiB", "--" .. (" "):rep(5 * 1024 * 1024),
        ": is larger than a spec may be, 4194304 bytes"},
    {"parentheses without end", "return " .. ("("):rep(100000), nil},
}
for i, test in ipairs(tests) do
    local name, spec, expected = test[1], test[2], test[3]
    tests[i] = {name, function() check(spec, expected) end}
end

tests[#tests] = {"parentheses without end", function()
    generator.with_folder(function(folder)
        generator.write(folder .. "/spec.lua", "return " .. ("("):rep(100000))
        local seen = generator.run({"--list", folder .. "/spec.lua"}, LIMITS)
        tap.equal(1, seen.status)
        tap.ok(seen.err:find("spec%.lua:[^\n]*too many") or seen.err:find("overflow"), seen.err)
    end)
end}

-- Each comparison of two long equal strings is one step, and takes milliseconds.
tests[#tests + 1] = {"slow steps", function()
    check_either([[
local s, t = "x", "x"
for _ = 1, 25 do s, t = s .. s, t .. t end
while true do local _ = s < t end
]], ": does not end: took more time than a spec may", MEMORY)
end}

tests[#tests + 1] = {"an endless file", function()
    local seen = generator.run({"--list", "/dev/zero"}, LIMITS)
    tap.equal({status = 1, out = "", err = "/dev/zero: is larger than a spec may be, "
        .. "4194304 bytes\n"}, seen)
end}

-- The wrapper sets the bound itself: a Lua that tells its limit before it starts.
tests[#tests + 1] = {"the generator runs with a bound on memory", function()
    generator.with_folder(function(folder)
        local lua = os.getenv("LUA")
        lua = lua and lua ~= "" and lua or generator.lua("5.4") or generator.lua("5.3")
        generator.write(folder .. "/telling", ([[
#!/bin/sh
ulimit -v >%s
exec %s "$@"
]]):format(generator.quote(folder .. "/limit"), lua))
        os.execute("chmod +x " .. generator.quote(folder .. "/telling"))
        local seen = generator.run({"--version"}, "LUA=" .. generator.quote(folder .. "/telling"))
        tap.equal(0, seen.status, seen.err)
        local limit = tonumber(generator.read(folder .. "/limit"):match("%d+"))
        tap.ok(limit and limit < 256 * 1024, "no limit below 256 MiB")
    end)
end}

tap.run(tests)
