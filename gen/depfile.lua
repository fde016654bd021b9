-- depfile.lua: the dependencies of generated files, in the syntax of make.

local M = {}

local function escape(path)
    return (path:gsub("%$", "$$"):gsub("[ \t#]", "\\%0"))
end

-- The first path with a line break, as messages show it.
local function broken(paths)
    for _, path in ipairs(paths) do
        if path:find("[\r\n]") then
            return (path:gsub("%c", "?"))
        end
    end
    return nil
end

-- `banner`, a comment, then a rule for all `targets`, and an empty one for each prerequisite, so
-- that make does not stop where one has been removed. Nil and a message where make could not read
-- it.
function M.text(banner, targets, prerequisites)
    local bad = broken(targets) or broken(prerequisites)
    if bad then
        return nil, ("\"%s\" has a line break in its name, which make cannot read"):format(bad)
    end
    local lines, left, right = {}, {}, {}
    for i, path in ipairs(targets) do
        left[i] = escape(path)
    end
    for i, path in ipairs(prerequisites) do
        right[i] = escape(path)
    end
    lines[1] = ("# %s\n%s: \\\n  %s"):format(banner, table.concat(left, " \\\n"),
        table.concat(right, " \\\n  "))
    for _, path in ipairs(right) do
        lines[#lines + 1] = path .. ":"
    end
    return table.concat(lines, "\n\n") .. "\n"
end

return M
