-- generator.lua: the generator as tests of it use it: its modules in this process, and its command
-- in another one.

local M = {}

-- The source tree. Tests may run in any folder.
M.root = os.getenv("top_srcdir") or os.getenv("srcdir") or "."
M.command = M.root .. "/gen/embdist-gen"

package.path = ("%s/gen/?.lua;%s/tests/?.lua"):format(M.root, M.root)

-- A word for the shell.
function M.quote(text)
    return "'" .. text:gsub("'", "'\\''") .. "'"
end

-- What a shell command prints, without the last newline.
function M.shell(command)
    local pipe = io.popen(command)
    local text = pipe:read("a")
    pipe:close()
    return (text:gsub("\n$", ""))
end

function M.read(path)
    local file = assert(io.open(path, "rb"))
    local text = file:read("a")
    file:close()
    return text
end

function M.write(path, text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
end

-- Calls f with the path of a new empty folder, and removes the folder.
function M.with_folder(f)
    local folder = M.shell("mktemp -d")
    assert(folder ~= "", "mktemp makes no folder")
    local done, problem = pcall(f, folder)
    os.execute("chmod -R u+w " .. M.quote(folder) .. " && rm -rf " .. M.quote(folder))
    if not done then
        error(problem, 0)
    end
end

-- Runs the generator with the words `arguments`, behind the shell words `before` (variables,
-- `timeout 2`). Returns {status, out, err}.
function M.run(arguments, before)
    local words = {}
    for i, word in ipairs(arguments) do
        words[i] = M.quote(word)
    end
    local result
    M.with_folder(function(folder)
        local _, _, status = os.execute(("%s %s %s >%s/out 2>%s/err </dev/null"):format(
            before or "", M.quote(M.command), table.concat(words, " "), folder, folder))
        result = {
            status = status,
            out = M.read(folder .. "/out"),
            err = M.read(folder .. "/err"),
        }
    end)
    return result
end

-- The names of the files of a folder, in the order of their letters.
function M.names(folder)
    return M.shell("LC_ALL=C ls -A " .. M.quote(folder))
end

-- The codecs and kinds as main.lua finds them.
function M.catalogue()
    local catalogue = {}
    for _, folder in ipairs {"codecs", "kinds"} do
        local list = {}
        for name in M.names(M.root .. "/gen/" .. folder):gmatch("(%S+)%.lua") do
            local module = require(folder .. "." .. name)
            list[#list + 1] = module
            list[name] = module
        end
        catalogue[folder] = list
    end
    return catalogue
end

-- The same, and one codec more, whose module is `codec`.
function M.catalogue_with(codec)
    local catalogue = M.catalogue()
    catalogue.codecs[#catalogue.codecs + 1] = codec
    catalogue.codecs[codec.name] = codec
    return catalogue
end

-- The plan of the text of a spec.
function M.plan(text, catalogue)
    catalogue = catalogue or M.catalogue()
    local spec, message = require("spec").load(text, "spec.lua", catalogue, os.clock)
    return assert(require("plan").make(assert(spec, message), catalogue))
end

-- The texts of all files of a plan, by their names.
function M.texts(plan, line_directives)
    local templates = {}
    for _, file in ipairs(plan.files) do
        for _, name in ipairs(file.templates) do
            if not templates[name] then
                templates[name] = {
                    text = M.read(("%s/templates/%s"):format(M.root, name)),
                    path = name,
                }
            end
        end
    end
    local texts = {}
    for _, file in ipairs(require("emit").files(plan, templates, line_directives)) do
        texts[file.name] = file.text
    end
    return texts
end

-- A Lua of the version, "5.3" or "5.4"; nil where there is none.
function M.lua(version)
    for _, name in ipairs {"lua" .. version, "lua"} do
        local seen = M.shell(name .. " -E -e 'io.write(_VERSION)' 2>/dev/null")
        if seen == "Lua " .. version then
            return name
        end
    end
    return nil
end

return M
