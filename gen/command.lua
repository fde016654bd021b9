-- command.lua: what the words of a command line ask for.

local M = {}

M.help = [[
Usage: embdist-gen [OPTION]... SPEC

Makes the C sources of the embedding distributions that SPEC describes.

  --output DIR    write the files to DIR, which exists; the current folder if not given
  --only DIST     make only this dist of the spec; may be repeated
  --line          add #line directives: compilers name the templates
  --depfile FILE  also write the dependencies of the files to FILE, for make
  --list          print the names of the files, relative to DIR; write nothing
  --plan          print what was decided; write nothing
  -h, --help      print this; write nothing
  --version       print the version; write nothing

A file is written only if its text changed, and either all files are or none is; a file that the
generator did not make is never replaced. The exit status is 0, or 1 after an error, whose message
is on standard error. The spec's fields: doc/spec.md.

LUA names the Lua to use; else the first of lua5.4, lua5.3 and lua that is there.
]]

local TAKES_VALUE = {["--output"] = true, ["--only"] = true, ["--depfile"] = true}
local FLAGS = {
    ["--line"] = "line",
    ["--list"] = "list",
    ["--plan"] = "plan",
    ["--help"] = "help",
    ["-h"] = "help",
    ["--version"] = "version",
}

-- The value of the option at words[i] and the place of the next word; nil and a message where there
-- is none. `attached` is what stood behind "=".
local function value_of(words, i, option, attached)
    local value = attached or words[i + 1]
    if not value or value == "" then
        return nil, ("%s needs a value"):format(option)
    end
    return value, attached and i + 1 or i + 2
end

-- Returns {spec, output, only, depfile, line, list, plan, help, version}, or nil and a message.
function M.read(words)
    local asked = {only = {}}
    local specs = {}
    local i, options_end = 1, false
    while i <= #words do
        local word = words[i]
        local option, attached = word:match("^(%-%-%l+)=(.*)$")
        option = option or word
        if options_end or word:sub(1, 1) ~= "-" then
            specs[#specs + 1] = word
            i = i + 1
        elseif word == "--" then
            options_end = true
            i = i + 1
        elseif TAKES_VALUE[option] then
            local value, next_word = value_of(words, i, option, attached)
            if not value then
                return nil, next_word
            end
            if option == "--only" then
                asked.only[#asked.only + 1] = value
            elseif asked[option:sub(3)] then
                return nil, ("got %s a second time, expected it once"):format(option)
            else
                asked[option:sub(3)] = value
            end
            i = next_word
        elseif FLAGS[word] then
            asked[FLAGS[word]] = true
            i = i + 1
        else
            return nil, ("unknown option %s"):format(word)
        end
    end
    if asked.help or asked.version then
        return asked
    end
    if #specs ~= 1 then
        return nil, ("got %d spec files, expected one"):format(#specs)
    end
    if asked.list and asked.plan then
        return nil, "got --list and --plan, expected one of them"
    end
    if asked.depfile and (asked.list or asked.plan) then
        return nil, "--depfile goes with files that are written, not with --list or --plan"
    end
    asked.spec = specs[1]
    return asked
end

return M
