-- embdist-bench: main.lua FOLDER ARGUMENT...; the only part in Lua that touches files and programs.
local bench = arg[1]
package.path = bench .. "/?.lua"
local options, cases = require("options"), require("cases")

local root = bench .. "/.."

local function fail(message, ...)
    io.stderr:write("embdist-bench: ", message:format(...), "\n")
    os.exit(1)
end

local function quote(word)
    return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function run(...)
    local words = {}
    for _, word in ipairs({ ... }) do
        words[#words + 1] = quote(word)
    end
    return (os.execute(table.concat(words, " ")))
end

local function read(name)
    local file = io.open(name, "rb")
    local text = file and file:read("a")
    if file then
        file:close()
    end
    return text
end

local function write(name, text)
    local file, problem = io.open(name, "wb")
    if not file then
        fail("cannot write %s", problem)
    end
    file:write(text)
    file:close()
end

local function write_if_other(name, text)
    if read(name) ~= text then
        write(name, text)
    end
end

-- The folder of the program for one dim, which is compiled where it is not up to date.
local function built(build, dim, settings)
    local features = settings.features
    local folder = ("%s/bench/generated/%s"):format(build, cases.folder(dim, features, settings))
    if not run("mkdir", "-p", folder) then
        fail("cannot make the folder %s", folder)
    end
    write_if_other(folder .. "/bench.lua", cases.spec(dim, features, settings))
    write_if_other(folder .. "/dists.c", cases.dists(settings))
    if not run("sh", bench .. "/compile", root, build, folder) then
        fail("the program for dim %d could not be made (see above)", dim)
    end
    return folder
end

local settings, problem = options.parse({ table.unpack(arg, 2) })
if not settings then
    fail("%s", problem)
end
if settings.help then
    io.stdout:write(options.usage)
    os.exit(0)
end
if settings.json then
    local file, refusal = io.open(settings.json, "ab")
    if not file then
        fail("--json: cannot write %s", refusal)
    end
    file:close()
end
local list = cases.list(settings)
if #list == 0 then
    fail("nothing to measure: no asked kind has the asked modes and routings")
end

local build = os.getenv("EMBDIST_BUILD") or root .. "/build"
local lines = {}
for _, case in ipairs(list) do
    lines[#lines + 1] = table.concat(case, " ") .. "\n"
end
local rows = {}
for _, dim in ipairs(settings.dims) do
    local folder = built(build, dim, settings)
    local names = { cases = os.tmpname(), rows = os.tmpname() }
    write(names.cases, table.concat(lines))
    local done = run(folder .. "/run", tostring(settings.world), names.cases, names.rows)
    for row in (read(names.rows) or ""):gmatch("[^\n]+") do
        rows[#rows + 1] = "    " .. row
    end
    os.remove(names.cases)
    os.remove(names.rows)
    if not done then
        os.exit(1)
    end
end
if settings.json then
    write(settings.json, '{\n  "results": [\n' .. table.concat(rows, ",\n") .. "\n  ]\n}\n")
end
