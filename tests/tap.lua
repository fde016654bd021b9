-- tap.lua: prints what the Test Anything Protocol asks for. A test file gives its tests to `run`,
-- so that the plan comes first:
--
--   tap.run {
--       {"adds", function() tap.equal(4, 2 + 2) end},
--       {"uses the tool", function() tap.skip("no tool here") end},
--   }
--
-- A test ends at the first difference.

local M = {}

local function shown(value)
    return type(value) == "string" and ("%q"):format(value) or tostring(value)
end

local function difference(path, expected, seen)
    if type(expected) ~= "table" or type(seen) ~= "table" then
        if expected ~= seen then
            return ("%s\nexpected: %s\n    seen: %s"):format(path, shown(expected), shown(seen))
        end
        return nil
    end
    local keys, present = {}, {}
    for _, side in ipairs {expected, seen} do
        for key in pairs(side) do
            if not present[key] then
                present[key] = true
                keys[#keys + 1] = key
            end
        end
    end
    table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
    for _, key in ipairs(keys) do
        local found = difference(("%s.%s"):format(path, key), expected[key], seen[key])
        if found then
            return found
        end
    end
    return nil
end

-- Equal values; tables are compared field by field.
function M.equal(expected, seen, what)
    local found = difference(what or "value", expected, seen)
    if found then
        error({failure = found}, 0)
    end
end

function M.ok(condition, what)
    if not condition then
        error({failure = what}, 0)
    end
end

-- The text `seen` has the block `expected` in it.
function M.contains(expected, seen)
    if not seen:find(expected, 1, true) then
        error({failure = ("expected in the text:\n%s\nseen:\n%s"):format(expected, seen)}, 0)
    end
end

function M.skip(reason)
    error({skip = reason}, 0)
end

-- Runs the tests in order and ends the program: status 0 only if none failed.
function M.run(tests)
    io.write(("1..%d\n"):format(#tests))
    local failed = 0
    for i, test in ipairs(tests) do
        local done, problem = xpcall(test[2], function(problem)
            return type(problem) == "table" and problem or {failure = debug.traceback(problem)}
        end)
        if done then
            io.write(("ok %d - %s\n"):format(i, test[1]))
        elseif problem.skip then
            io.write(("ok %d - %s # SKIP %s\n"):format(i, test[1], problem.skip))
        else
            failed = failed + 1
            io.write(("not ok %d - %s\n"):format(i, test[1]))
            for line in (problem.failure .. "\n"):gmatch("(.-)\n") do
                io.write("# ", line, "\n")
            end
        end
        io.flush()
    end
    os.exit(failed == 0)
end

return M
