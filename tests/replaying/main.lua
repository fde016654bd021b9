-- main.lua FOLDER: reads the paths of cases, separated by NUL, from standard input, and writes to
-- FOLDER: cases.c, dists.c, and where a case needs a dist, spec.lua.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua"
local case_reader, tables = require("case"), require("tables")

local function write(name, text)
  local path = arg[1] .. "/" .. name
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

local cases = {}
for path in io.read("a"):gmatch("([^\0]+)\0") do
  cases[#cases + 1] = case_reader.load(path)
end
local shapes = tables.shapes(cases)
write("cases.c", tables.cases(cases, shapes))
write("dists.c", tables.dists(shapes))
if #shapes > 0 then
  write("spec.lua", tables.spec(shapes))
end
