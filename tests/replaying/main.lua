-- main.lua FOLDER [CODEC,...]: reads the paths of cases, separated by NUL, from standard input, and
-- writes to FOLDER: cases.c, dists.c, where a case needs a dist, spec.lua, and where cases are of
-- codecs and formats by themselves, alone. CODECs replace those of the cases: each case is there
-- once for each.
local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua"
local case_reader, tables = require("case"), require("tables")

local function write(name, text)
  local path = arg[1] .. "/" .. name
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

-- {false}: the codecs that were recorded.
local function codecs_instead(text)
  local codecs = {}
  for codec in (text or ""):gmatch("[^,]+") do
    if not case_reader.INSTEAD[codec] then
      io.stderr:write("replay: no codec ", codec, " can stand instead\n")
      os.exit(1)
    end
    codecs[#codecs + 1] = codec
  end
  return #codecs > 0 and codecs or {false}
end

local cases, instead = {}, codecs_instead(arg[2])
for path in io.read("a"):gmatch("([^\0]+)\0") do
  for _, codec in ipairs(instead) do
    cases[#cases + 1] = case_reader.load(path, codec or nil)
  end
end
local shapes = tables.shapes(cases)
write("cases.c", tables.cases(cases, shapes))
write("dists.c", tables.dists(shapes))
if #shapes > 0 then
  write("spec.lua", tables.spec(shapes))
end
local alone = tables.alone(cases)
if alone ~= "" then
  write("alone", alone)
end
