-- template.lua: fills in a template.
--
-- A template is the text to be made, with three additions that clang-format leaves alone:
--
--   $NAME$ $NAME.FIELD$  a value of the plan; nothing but names stands between the dollars
--   //$ NAME             a value that is whole lines, instead of this line, at any indentation
--   //% STATEMENT        a Lua statement, on a line of its own, at any indentation
--
-- Line N of the template becomes line N of a Lua chunk, so Lua's own messages name the template and
-- the line.

local M = {}

-- The Lua statement that prints one line of text.
local function text_statement(number, line)
    local pieces, rest = {}, 1
    for first, name, behind in line:gmatch("()%$([%a_][%w_.]*)%$()") do
        pieces[#pieces + 1] = ("%q"):format(line:sub(rest, first - 1))
        pieces[#pieces + 1] = ("_value(%q, %s)"):format(name, name)
        rest = behind
    end
    pieces[#pieces + 1] = ("%q"):format(line:sub(rest))
    return ("_print(%d, %s)"):format(number, table.concat(pieces, " .. "))
end

-- The Lua statement for one line of the template.
local function statement(number, line)
    local control = line:match("^%s*//%%(.*)$")
    if control then
        return control
    end
    local name = line:match("^%s*//%$%s*([%a_][%w_.]*)%s*$")
    return text_statement(number, name and ("$%s$"):format(name) or line)
end

local function translate(text)
    if text ~= "" and text:sub(-1) ~= "\n" then
        text = text .. "\n"
    end
    local statements = {}
    for line in text:gmatch("([^\n]*)\n") do
        statements[#statements + 1] = statement(#statements + 1, line)
    end
    return table.concat(statements, "\n")
end

-- Fills in `text`, the template that messages call `file`, with `names`, the table of what it may
-- mention. Returns the result. An unknown name is an error that names the template and the line.
-- With `line_directives`, compilers name the template's lines instead of the result's.
function M.render(text, file, names, line_directives)
    local out = {}
    local next_line = 0 -- the template's line that a compiler would take the next output line for

    local env = setmetatable({ipairs = ipairs}, {
        __index = function(_, name)
            if names[name] == nil then
                error(("unknown name '%s'"):format(name), 2)
            end
            return names[name]
        end,
    })
    function env._value(name, value)
        if type(value) ~= "string" and math.type(value) ~= "integer" then
            error(("'%s' should be a text or a whole number of the plan, and is %s"):format(name,
                value == nil and "missing" or "a " .. (math.type(value) or type(value))), 2)
        end
        return tostring(value)
    end
    function env._print(number, line)
        if line_directives and number ~= next_line then
            out[#out + 1] = ("#line %d \"%s\"\n"):format(number, file)
        end
        -- A value of several lines puts the compiler out of step.
        next_line = line:find("\n", 1, true) and 0 or number + 1
        out[#out + 1] = line .. "\n"
    end

    local fill_in, message = load(translate(text), "@" .. file, "t", env)
    if not fill_in then
        error(message, 0)
    end
    fill_in()
    return table.concat(out)
end

return M
