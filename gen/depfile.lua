-- depfile.lua: the dependencies of generated files, in the syntax of make.

local M = {}

local function escape(path)
    return (path:gsub("%$", "$$"):gsub("[ \t#]", "\\%0"))
end

-- A rule for all `targets`, and an empty one for each prerequisite, so that make does not stop
-- where one has been removed.
function M.text(targets, prerequisites)
    local lines, left, right = {}, {}, {}
    for i, path in ipairs(targets) do
        left[i] = escape(path)
    end
    for i, path in ipairs(prerequisites) do
        right[i] = escape(path)
    end
    lines[1] = table.concat(left, " \\\n") .. ": \\\n  " .. table.concat(right, " \\\n  ")
    for _, path in ipairs(right) do
        lines[#lines + 1] = path .. ":"
    end
    return table.concat(lines, "\n\n") .. "\n"
end

return M
