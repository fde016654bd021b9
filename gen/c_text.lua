-- c_text.lua: lays out C text as clang-format would under the project's .clang-format.

local M = {}

local COLUMNS = 100

-- The words of a text in lines that begin with `first`, then with `rest`, and fit the columns.
local function wrap(lines, text, first, rest)
    local line, empty = first, true
    for word in text:gmatch("%S+") do
        if not empty and #line + 1 + #word > COLUMNS then
            lines[#lines + 1] = line
            line, empty = rest, true
        end
        line = line .. (empty and "" or " ") .. word
        empty = false
    end
    lines[#lines + 1] = line
end

-- A comment of paragraphs. "" is an empty line; one that begins with spaces keeps them, and its
-- further lines are indented by four more.
function M.comment(paragraphs)
    local lines = {}
    for i, paragraph in ipairs(paragraphs) do
        local indent = paragraph:match("^ *")
        if paragraph == "" then
            lines[#lines + 1] = " *"
        else
            wrap(lines, paragraph, (i == 1 and "/* " or " * ") .. indent,
                " * " .. indent .. (indent == "" and "" or "    "))
        end
    end
    local last = lines[#lines] .. " */"
    if #last <= COLUMNS then
        lines[#lines] = last
    else
        lines[#lines + 1] = " */"
    end
    return table.concat(lines, "\n")
end

-- Parameters behind `head`, as many on a line as fit, further lines indented. Returns the lines and
-- the width of the widest.
local function fill_parameters(head, indent, parameters, tail)
    local lines, line, widest = {}, head, 0
    for i, parameter in ipairs(parameters) do
        local piece = parameter .. (i < #parameters and "," or tail)
        if i > 1 and #line + 1 + #piece > COLUMNS then
            lines[#lines + 1] = line
            line = (" "):rep(indent) .. piece
        else
            line = line .. (i > 1 and " " or "") .. piece
        end
    end
    lines[#lines + 1] = line
    for _, filled in ipairs(lines) do
        widest = math.max(widest, #filled)
    end
    return lines, widest
end

-- A function's head without ";" or body. `tail` is what will follow the last parameter on its line.
function M.function_head(result, name, parameters, tail)
    local head = ("%s %s("):format(result, name)
    local aligned, widest = fill_parameters(head, #head, parameters, tail)
    local below = fill_parameters("    ", 4, parameters, tail)
    -- Measured on clang-format 14: it breaks behind "(" where that saves four lines.
    local text
    if widest <= COLUMNS and #aligned - #below <= 3 then
        text = table.concat(aligned, "\n")
    else
        local opening = #head <= COLUMNS and head or ("%s\n%s("):format(result, name)
        text = opening .. "\n" .. table.concat(below, "\n")
    end
    return text:sub(1, #text - #tail + 1)
end

-- A declaration of one name, `tail` behind it.
function M.declaration(kind, name, tail)
    local line = ("%s %s%s"):format(kind, name, tail)
    if #line <= COLUMNS then
        return line
    end
    return ("%s\n    %s%s"):format(kind, name, tail)
end

-- A member of an initialiser.
function M.member(indent, name, value)
    local line = ("%s.%s = %s,"):format((" "):rep(indent), name, value)
    if #line <= COLUMNS then
        return line
    end
    return ("%s.%s =\n%s%s,"):format((" "):rep(indent), name, (" "):rep(indent + 4), value)
end

-- A member whose value is terms joined by "|".
function M.member_of_terms(indent, name, terms)
    local head = ("%s.%s = "):format((" "):rep(indent), name)
    local lines, line = {}, head
    for i, term in ipairs(terms) do
        local piece = term .. (i < #terms and " |" or ",")
        if i > 1 and #line + 1 + #piece > COLUMNS then
            lines[#lines + 1] = line
            line = (" "):rep(#head) .. piece
        else
            line = line .. (i > 1 and " " or "") .. piece
        end
    end
    lines[#lines + 1] = line
    return table.concat(lines, "\n")
end

return M
