-- sandbox.lua: runs the text of a spec where it can do nothing but make a table.
--
-- It gets an empty environment, no string methods, a bounded number of steps and a bounded time.
-- Lua cannot bound memory; the shell wrapper does that for the whole process.

local M = {}

M.largest_text = 4 * 1024 * 1024 -- bytes; 10,000 features written out one by one take 0.3 MB
M.most_steps = 5000000
M.most_seconds = 0.8

-- Comparing or joining strings of the size that memory allows takes some 20 ms, and no step in
-- between is seen: so few of them between two looks at the clock.
local STEPS_BETWEEN_LOOKS = 10

local MOST_REPEATS = 1000000

-- What a spec calls runs without string methods.
local format = string.format

local function rep(value, n)
    local count = type(n) == "number" and math.tointeger(n) -- which takes texts in some versions
    if not count or count < 0 or count > MOST_REPEATS then
        error(format("rep: got a count of %s, expected a whole number from 0 to %d",
            type(n) == "number" and format("%.14g", n) or "type " .. type(n), MOST_REPEATS), 2)
    end
    local list = {}
    for i = 1, count do
        list[i] = value
    end
    return list
end

-- An address in a text would make each run's output another one.
local function plain_tostring(value)
    local kind = type(value)
    if kind == "table" or kind == "function" then
        error(format("tostring: got a %s, expected a number, a text, true, false or nil", kind), 2)
    end
    return tostring(value)
end

local function environment()
    local env = {rep = rep, ipairs = ipairs, tostring = plain_tostring, math = {}}
    for name, value in pairs(math) do
        if name ~= "random" and name ~= "randomseed" then -- the same spec, the same output
            env.math[name] = value
        end
    end
    setmetatable(env.math, {
        __index = function(_, name)
            error(format("unknown name 'math.%s'; a spec may use what Lua's math has, without "
                .. "random and randomseed", tostring(name)), 2)
        end,
    })
    return setmetatable(env, {
        __index = function(_, name)
            error(format("unknown name '%s'; a spec may use rep, ipairs, tostring and math",
                tostring(name)), 2)
        end,
    })
end

-- Calls f without string methods and with a hook that ends it: in a coroutine, since a hook belongs
-- to one, so that it cannot go off outside.
local function run_bounded(f, clock)
    local strings = getmetatable("")
    local methods = strings.__index
    local steps, start = 0, clock()
    local function look()
        steps = steps + STEPS_BETWEEN_LOOKS
        if steps > M.most_steps then
            error("does not end: took more steps than a spec may", 0)
        end
        if clock() - start > M.most_seconds then
            error("does not end: took more time than a spec may", 0)
        end
    end

    strings.__index = nil
    local thread = coroutine.create(f)
    debug.sethook(thread, look, "", STEPS_BETWEEN_LOOKS)
    local results = table.pack(coroutine.resume(thread))
    strings.__index = methods
    return results[1], results[2], results.n - 1
end

-- What Lua says of a string method, which a spec has not.
local NO_METHOD = "attempt to index a string value"

-- A message of Lua, which begins with the file and the line where Lua knows them, or one of `look`.
local function located(message, path)
    if message:find("not enough memory", 1, true) then
        message = "took more memory than a spec may, or than a lower limit of the shell leaves"
    elseif message:find("^[^\n]-:%d+: stack overflow") then -- at a line of the spec or of `look`
        message = "calls functions within functions deeper than a spec may"
    elseif message:find("^[^\n]*:%d+: ") then
        return message .. (message:find(NO_METHOD, 1, true)
            and "; strings have no methods in a spec, .. joins them" or "")
    end
    return ("%s: %s"):format(path, message)
end

-- Runs `text`, the spec in the file `path`; `clock` tells the seconds of processor time. Returns
-- what the spec returns, or nil and a message.
function M.run(text, path, clock)
    if #text > M.largest_text then
        return nil, ("%s: is larger than a spec may be, %d bytes"):format(path, M.largest_text)
    end
    if text:sub(1, 1) == "\27" then
        return nil, ("%s: is compiled Lua, expected the text of a spec"):format(path)
    end
    if text:sub(1, 3) == "\xEF\xBB\xBF" then
        return nil, ("%s: begins with a byte order mark, expected Lua without one"):format(path)
    end
    if text:sub(1, 1) == "#" then
        return nil, ("%s: begins with #, expected Lua: a spec is no program to start"):format(path)
    end
    local env = environment()
    -- Not load alone: where it runs out of stack, it calls the caller's error handler.
    local parsed, chunk, message = pcall(load, text, "@" .. path, "t", env)
    if not parsed or not chunk then
        return nil, located(parsed and message or chunk, path)
    end
    local done, result, count = run_bounded(chunk, clock)
    if not done then
        return nil, located(result, path)
    elseif count > 1 then
        return nil, ("%s: returns %d values, expected one table"):format(path, count)
    elseif result == env then
        return nil, ("%s: returns its globals, expected a table of its own: "
            .. "return { name = ..., dists = { ... } }"):format(path)
    end
    return result
end

return M
