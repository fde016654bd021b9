-- main.lua: the command. The only module that reads, writes and looks at the command line; the
-- shell script embdist-gen starts it as
--   main.lua GEN_FOLDER TEMPLATE_FOLDER PROCESS_NUMBER MODULE... -- COMMAND_LINE
-- where the modules are all Lua files of the generator.

local gen_folder, template_folder, process = arg[1], arg[2], arg[3]

-- The command line in two: the generator's own files, and the user's words.
local function split_arguments()
    local modules, words = {}, {}
    local i = 4
    while arg[i] ~= "--" do
        modules[#modules + 1] = arg[i]
        i = i + 1
    end
    for j = i + 1, #arg do
        words[#words + 1] = arg[j]
    end
    table.sort(modules)
    return modules, words
end

local modules, words = split_arguments()

-- Each module from exactly this folder, whatever letters the folder's name has.
for _, path in ipairs(modules) do
    local name = path:sub(#gen_folder + 2):gsub("%.lua$", ""):gsub("/", ".")
    package.preload[name] = function(...)
        return assert(loadfile(path, "t"))(...)
    end
end

local command = require("command")
local depfile = require("depfile")
local emit = require("emit")
local plans = require("plan")
local report = require("report")
local sandbox = require("sandbox")
local specs = require("spec")
local version = require("version")

-- Messages that are for the user end the program; anything else that goes wrong is a defect and
-- shows where.
local function fail(format, ...)
    error({message = format:format(...)}, 0)
end

-- The same, where the message names the spec first.
local function fail_bare(format, ...)
    error({message = format:format(...), bare = true}, 0)
end

-- ---- files

local NO_SUCH_FILE, NOT_A_FOLDER = 2, 20 -- ENOENT, ENOTDIR

-- The bytes of a file, at most `limit` where that is given; nil, a message and the system's number
-- for it where the file cannot be read.
local function read_file(path, limit)
    local file, message, code = io.open(path, "rb")
    if not file then
        return nil, message, code
    end
    local text, read_message = file:read(limit or "a")
    file:close()
    if not text and read_message then
        return nil, ("%s: %s"):format(path, read_message)
    end
    return text or ""
end

-- True; nil and what is wrong, without the path, where the file cannot be written.
local function write_file(path, text)
    local file, message = io.open(path, "wb")
    if not file then
        return nil, message:sub(#path + 3)
    end
    local done
    done, message = file:write(text)
    local closed, close_message = file:close()
    if done and closed then
        return true
    end
    return nil, done and close_message or message
end

-- In the first lines of every file that the generator writes.
local MADE_BY = "Made by embdist-gen"

-- A path without what makes no difference.
local function plain_path(path)
    local plain = path:gsub("//+", "/"):gsub("/%./", "/"):gsub("^%./", "")
    return plain
end

-- Ends the program where `path` is the spec or a file of somebody's: it must not be lost.
local function check_replaceable(path, old, spec)
    if plain_path(path) == plain_path(spec) then
        fail("cannot write %s: it is the spec", path)
    elseif old and old ~= "" and not old:sub(1, 1024):find(MADE_BY, 1, true) then
        fail("cannot replace %s: its first lines do not say \"%s\", so it may be somebody's; "
            .. "move it, or name another place", path, MADE_BY)
    end
end

-- The files whose text is not on the disk already: {path, text, old, temporary}.
local function changed_files(files, spec)
    local changed = {}
    for _, file in ipairs(files) do
        local old, message, code = read_file(file.path)
        if not old and code ~= NO_SUCH_FILE then
            fail("cannot replace %s", message)
        end
        check_replaceable(file.path, old, spec)
        if old ~= file.text then
            changed[#changed + 1] = {
                path = file.path,
                text = file.text,
                old = old,
                temporary = ("%s.%s.tmp"):format(file.path, process),
            }
        end
    end
    return changed
end

-- Puts back what the first `count` files were before.
local function restore(changed, count)
    for i = 1, count do
        if changed[i].old then
            write_file(changed[i].path, changed[i].old)
        else
            os.remove(changed[i].path)
        end
    end
end

-- Writes all files whose text changed, or none. `spec` is the path of the spec.
local function write_all(files, spec)
    local changed = changed_files(files, spec)
    local renamed = 0
    local done, problem = pcall(function()
        for _, file in ipairs(changed) do
            local written, message = write_file(file.temporary, file.text)
            if not written then
                fail("cannot write %s: %s", file.path, message)
            end
        end
        for _, file in ipairs(changed) do
            local moved, message = os.rename(file.temporary, file.path)
            if not moved then
                fail("cannot write %s: %s", file.path, message)
            end
            renamed = renamed + 1
        end
    end)
    if not done then
        restore(changed, renamed)
        for _, file in ipairs(changed) do
            os.remove(file.temporary)
        end
        error(problem, 0)
    end
end

local function check_folder(path)
    local file, _, code = io.open(path .. "/.", "rb")
    if file then
        file:close()
    elseif code == NO_SUCH_FILE then
        fail("--output: \"%s\" is no folder: create it first", path)
    elseif code == NOT_A_FOLDER then
        fail("--output: \"%s\" is no folder: name another", path)
    end
end

-- ---- what the generator knows

-- The codecs or the kinds: a list, also indexed by name. Each Lua file of the folder is one.
local function load_folder(folder)
    local list = {}
    for _, path in ipairs(modules) do
        local name = path:match("/" .. folder .. "/([%w_]+)%.lua$")
        if name then
            local module = require(folder .. "." .. name)
            if module.name ~= name then
                error(("%s: has the name %s"):format(path, module.name), 0)
            end
            list[#list + 1] = module
            list[name] = module
        end
    end
    return list
end

local function load_templates(plan)
    local templates = {}
    for _, file in ipairs(plan.files) do
        for _, name in ipairs(file.templates) do
            if not templates[name] then
                local path = ("%s/%s"):format(template_folder, name)
                local text, message = read_file(path)
                if not text then
                    fail("cannot read the template %s", message)
                end
                templates[name] = {text = text, path = path}
                templates[#templates + 1] = path
            end
        end
    end
    return templates
end

-- ---- the command

local function load_spec(asked, catalogue)
    local text, message = read_file(asked.spec, sandbox.largest_text + 1)
    if not text then
        fail("cannot read the spec %s", message)
    end
    local spec
    spec, message = specs.load(text, asked.spec, catalogue, os.clock)
    if spec and #asked.only > 0 then
        spec, message = specs.only(spec, asked.only, asked.spec)
    end
    if not spec then
        fail_bare("%s", message)
    end
    return spec
end

local function print_list(plan)
    for _, file in ipairs(plan.files) do
        io.write(file.name, "\n")
    end
end

-- By the name alone: there are many ways to write the path of a folder.
local function check_depfile(path, files)
    for _, file in ipairs(files) do
        if path:match("[^/]*$") == file.name then
            fail("--depfile: got \"%s\", the name of a file that is made; expected another name",
                path)
        end
    end
end

local function generate(asked, plan)
    if asked.output then
        check_folder(asked.output)
    end
    local templates = load_templates(plan)
    local files, targets = emit.files(plan, templates, asked.line), {}
    for i, file in ipairs(files) do
        file.path = asked.output and ("%s/%s"):format(asked.output, file.name) or file.name
        targets[i] = file.path
    end
    if asked.depfile then
        check_depfile(asked.depfile, files)
        local prerequisites = {asked.spec}
        for _, list in ipairs {templates, modules, {gen_folder .. "/embdist-gen"}} do
            for _, path in ipairs(list) do
                prerequisites[#prerequisites + 1] = path
            end
        end
        local banner = ("%s from %s."):format(MADE_BY, plan.source)
        local text, message = depfile.text(banner, targets, prerequisites)
        if not text then
            fail("--depfile: %s", message)
        end
        files[#files + 1] = {path = asked.depfile, text = text}
    end
    write_all(files, asked.spec)
end

local function main()
    local asked, message = command.read(words)
    if not asked then
        fail("%s; try --help", message)
    elseif asked.help then
        io.write(command.help)
        return
    elseif asked.version then
        io.write("embdist-gen ", version, "\n")
        return
    end
    local catalogue = {
        codecs = load_folder("codecs"),
        kinds = load_folder("kinds"),
    }
    local plan
    plan, message = plans.make(load_spec(asked, catalogue), catalogue)
    if not plan then
        fail_bare("%s: %s", asked.spec, message)
    end
    if asked.list then
        print_list(plan)
    elseif asked.plan then
        io.write(report.text(plan))
    else
        generate(asked, plan)
    end
    if not io.stdout:flush() then
        fail("cannot write to standard output")
    end
end

local done, problem = xpcall(main, function(problem)
    return type(problem) == "table" and problem or {message = debug.traceback(problem)}
end)
if not done then
    if type(problem) == "string" then -- for want of memory, Lua calls no handler
        problem = {message = problem}
    end
    io.stderr:write(problem.bare and "" or "embdist-gen: ", problem.message, "\n")
    os.exit(1)
end
