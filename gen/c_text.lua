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

-- What clang-format 14 weighs against each other, in lines (measured): a break behind "(" costs as
-- much as 3.9 lines, a result type on its own line as much as 2.5.
local BREAK_BEHIND_PARENTHESIS, BREAK_BEHIND_RESULT = 3.9, 2.5

-- A function's head without ";" or body. `tail` is what will follow the last parameter on its line.
function M.function_head(result, name, parameters, tail)
    local head, short_head = ("%s %s("):format(result, name), name .. "("
    local below = fill_parameters("    ", 4, parameters, tail)
    local fits = #head <= COLUMNS
    local best = ("%s%s%s\n%s"):format(result, fits and " " or "\n", short_head,
        table.concat(below, "\n"))
    local best_cost = #below + BREAK_BEHIND_PARENTHESIS + (fits and 0 or BREAK_BEHIND_RESULT)
    local function consider(prefix, first, cost)
        local lines, widest = fill_parameters(first, #first, parameters, tail)
        if widest <= COLUMNS and #lines + cost < best_cost then
            best, best_cost = prefix .. table.concat(lines, "\n"), #lines + cost
        end
    end
    consider(result .. "\n", short_head, BREAK_BEHIND_RESULT)
    consider("", head, 0)
    return best:sub(1, #best - #tail + 1)
end

-- A declaration of one name, `tail` behind it.
function M.declaration(kind, name, tail)
    local line = ("%s %s%s"):format(kind, name, tail)
    if #line <= COLUMNS then
        return line
    end
    local splits = tail:sub(1, 1) == "[" and 4 + #name + #tail > COLUMNS
    return ("%s\n    %s%s%s"):format(kind, name, splits and "\n        " or "", tail)
end

-- A member of an initialiser.
function M.member(indent, name, value)
    local line = ("%s.%s = %s,"):format((" "):rep(indent), name, value)
    if #line <= COLUMNS then
        return line
    end
    return ("%s.%s =\n%s%s,"):format((" "):rep(indent), name, (" "):rep(indent + 4), value)
end

-- How `items`, each with its comma, stand in `columns` columns: the width of each column, the width
-- of all, the number of lines; nil where a column would have too much space in it.
local function column_format(items, columns)
    local widest, narrowest = {}, {}
    for i, item in ipairs(items) do
        local column = (i - 1) % columns + 1
        widest[column] = math.max(widest[column] or 0, #item)
        narrowest[column] = math.min(narrowest[column] or #item, #item)
    end
    local width = columns - 1
    for column, size in ipairs(widest) do
        width = width + size
        if column < columns and size - narrowest[column] > 10 then
            return nil
        end
    end
    return {columns = columns, widths = widest, width = width, lines = (#items - 1) // columns + 1}
end

-- As many columns as fit, but no more than the number of lines needs.
local function best_format(items, room)
    local best
    for columns = math.min(COLUMNS // 3, #items), 1, -1 do
        local format = column_format(items, columns)
        if format and (format.width <= room or columns == 1) then
            if best and format.lines > best.lines then
                break
            end
            best = format
        end
    end
    return best
end

-- The lines of an initialiser that lists `texts`, with a comma behind the last: in columns from
-- five texts on.
function M.list(indent, texts)
    local items = {}
    for i, text in ipairs(texts) do
        items[i] = text .. ","
    end
    local format = {columns = 1}
    if #items >= 5 then
        format = best_format(items, COLUMNS - indent)
    end
    local lines = {}
    for first = 1, #items, format.columns do
        local line = (" "):rep(indent)
        local last = math.min(first + format.columns - 1, #items)
        for i = first, last do
            line = line .. items[i]
            if i < last then
                line = line .. (" "):rep(format.widths[i - first + 1] - #items[i] + 1)
            end
        end
        lines[#lines + 1] = line
    end
    return table.concat(lines, "\n")
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
