-- The rules of the generator's parts: who does I/O, who knows whom, what templates may mention, and
-- that a codec or a kind is one file.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")
local quote = generator.quote

-- The Lua files of the generator, by their paths inside gen/.
local sources = {}
for path in generator.shell(("cd %s && ls *.lua */*.lua"):format(quote(generator.root .. "/gen")))
    :gmatch("%S+") do
    sources[path] = generator.read(("%s/gen/%s"):format(generator.root, path))
end

-- Lua text without its comments and without what is in its strings.
local function code_of(text)
    return (text:gsub("%[%[.-%]%]", "\"\""):gsub("\\.", ""):gsub("\"[^\"\n]*\"", "\"\"")
        :gsub("%-%-[^\n]*", ""))
end

local function required_by(path)
    local names = {}
    for name in sources[path]:gmatch("require%(\"([%w_.]+)\"%)") do
        names[name] = true
    end
    return names
end

local function knows_none_of(path, forbidden)
    local names = required_by(path)
    for _, name in ipairs(forbidden) do
        tap.ok(not names[name], ("gen/%s requires %s"):format(path, name))
    end
end

-- A plan in which every codelet there is occurs.
local everything = generator.plan([[
return { name = "s", dists = {
    { name = "a", kind = "rw_pooled", dims = { 2, 3 }, forward = "fp16", backward = "bf16" },
    { name = "b", kind = "rw_sequence", dims = { 2 }, index = "int32" },
    { name = "c", kind = "rw_sequence", dims = { 2 }, forward = "fp16", backward = "bf16" },
    { name = "d", kind = "rw_pooled", dims = { 2 }, forward = "int8",
      backward = { codec = "int8", rounding = "stochastic" }, dtype = "fp16" },
    { name = "e", kind = "rw_sequence", dims = { 2 }, forward = "int8", backward = "int8" },
} }
]])

-- The templates that are C, by their paths inside templates/.
local templates = {}
for path in generator.shell(("cd %s && find . -name '*.c.tmpl'"):format(
    quote(generator.root .. "/templates"))):gmatch("%./(%S+)") do
    templates[path] = generator.read(("%s/templates/%s"):format(generator.root, path))
end
local CODELET_NAMES = {banner = true, codelet = true, codec = true, rows = true, isas = true}
local CODELET_PARTS = {codelet = true, codec = true, rows = true}

-- The names that a template mentions, each with its fields ("codelet.codec.header"), and those that
-- its control lines declare.
local function mentioned(text)
    local names, declared = {}, {ipairs = true}
    for line in text:gmatch("[^\n]+") do
        local control = line:match("^%s*//%%(.*)$")
        for name in (control and "" or line):gmatch("%$([%a_][%w_.]*)%$") do
            names[#names + 1] = name
        end
        names[#names + 1] = line:match("^%s*//%$%s*([%w_.]+)%s*$")
        local list = control and (control:match("local ([%w_, ]+) =")
            or control:match("for ([%w_, ]+) in"))
        for name in (list or ""):gmatch("[%w_]+") do
            declared[name] = true
        end
    end
    return names, declared
end

-- Whether some table of `tables` has the fields that the path names.
local function resolves(path, tables)
    for _, value in ipairs(tables) do
        for field in path:gmatch("[^.]+") do
            value = type(value) == "table" and value[field]
        end
        if value then
            return true
        end
    end
    return false
end

-- Calls f with a copy of the generator.
local function with_copy(f)
    generator.with_folder(function(folder)
        assert(os.execute(("cp -r %s %s %s"):format(quote(generator.root .. "/gen"),
            quote(generator.root .. "/templates"), quote(folder))))
        os.execute("chmod -R u+w " .. quote(folder))
        local saved = generator.command
        generator.command = folder .. "/gen/embdist-gen"
        local done, problem = pcall(f, folder)
        generator.command = saved
        if not done then
            error(problem, 0)
        end
    end)
end

tap.run {
    {"only main.lua does I/O or looks at the command line", function()
        local seen = 0
        for path, text in pairs(sources) do
            for word in code_of(text):gmatch("[%w_.]+") do
                local root = word:match("^[%w_]+")
                if root == "io" or root == "os" or root == "arg" or root == "print"
                    or root == "dofile" or root == "loadfile" or root == "package" then
                    tap.equal("main.lua", path, word)
                    seen = seen + 1
                end
            end
        end
        tap.ok(seen > 5, "main.lua seems to do nothing")
    end},
    {"spec, plan and emit are steps that do not know the later ones", function()
        knows_none_of("spec.lua", {"plan", "emit", "template", "report", "describe", "main"})
        knows_none_of("dist.lua", {"plan", "emit", "template", "report", "describe", "spec"})
        knows_none_of("plan.lua", {"spec", "dist", "sandbox", "emit", "template", "report"})
        tap.equal({template = true}, required_by("emit.lua"))
        tap.equal({}, required_by("template.lua"))
        for path in pairs(sources) do
            knows_none_of(path, {"main"})
        end
    end},
    {"no module names a codec or a kind, but for fp32, which world 1 uses", function()
        for path, text in pairs(sources) do
            if not path:find("/") then
                for _, name in ipairs {"fp16", "bf16", "rw_pooled", "rw_sequence", "tw_pooled",
                    "tw_sequence", "all_gather", "int8", "fp8_e4m3", "fp8_e5m2", "mx4"} do
                    tap.ok(not text:find(("\"%s\""):format(name), 1, true),
                        ("gen/%s names %s"):format(path, name))
                end
            end
        end
    end},
    {"codecs know nothing but options and fp32 numbers, kinds nothing", function()
        for path in pairs(sources) do
            if path:find("/") then
                local names = required_by(path)
                if path:find("^codecs/") then
                    names.options, names.float32 = nil, nil
                end
                tap.equal(nil, next(names), path)
            end
        end
    end},
    {"codelet templates begin with names that the plan gives them, or that they declare", function()
        local count = 0
        for file, text in pairs(templates) do
            if file ~= "dist.c.tmpl" then
                count = count + 1
                local names, declared = mentioned(text)
                for _, name in ipairs(names) do
                    local root = name:match("^[^.]+")
                    tap.ok(CODELET_NAMES[root] or declared[root], ("%s: $%s$"):format(file, name))
                end
            end
        end
        -- Six ops and a head in each of two families, the rows of groups, the sums and the tail.
        tap.equal(17, count, "codelet templates")
    end},
    {"what codelet templates mention of a codelet, the plan has", function()
        for file, text in pairs(templates) do
            local codelets = {}
            for _, codelet in ipairs(everything.codelets) do
                for _, name in ipairs(codelet.templates) do
                    if name == file then
                        codelets[#codelets + 1] = {
                            codelet = codelet,
                            codec = codelet.codec,
                            rows = codelet.rows,
                        }
                    end
                end
            end
            tap.ok(#codelets > 0 or file == "dist.c.tmpl", file .. ": of no codelet")
            local names, declared = mentioned(text)
            for _, name in ipairs(names) do
                local root = name:match("^[^.]+")
                if CODELET_PARTS[root] and not declared[root] then
                    tap.ok(resolves(name, codelets), ("%s: $%s$"):format(file, name))
                end
            end
        end
    end},
    {"the other two templates mention only names of the plan", function()
        for _, file in ipairs {"dist.c.tmpl", "header.h.tmpl"} do
            local text = generator.read(("%s/templates/%s"):format(generator.root, file))
            local names, declared = mentioned(text)
            for _, name in ipairs(names) do
                local root = name:match("^[^.]+")
                tap.ok(declared[root] or everything[root], ("%s: $%s$"):format(file, name))
            end
        end
    end},
    {"every template renders for every codelet", function()
        local texts = generator.texts(everything)
        for _, file in ipairs(everything.files) do
            tap.ok(#texts[file.name] > 200, file.name)
        end
    end},
    {"every op has a template for each family of codecs", function()
        for _, op in ipairs(require("ops").list) do
            for _, family in ipairs {"elements", "groups"} do
                tap.ok(templates[("%s/%s.c.tmpl"):format(family, op.name)],
                    ("templates/%s/%s.c.tmpl is missing"):format(family, op.name))
            end
        end
    end},
    {"a codec of elements is one file", function()
        with_copy(function(folder)
            generator.write(folder .. "/gen/codecs/tenth.lua", [[
return {
    name = "tenth",
    header = "tenth.h",
    options = {
        {
            name = "steps",
            default = 10,
            expected = "10 or 20",
            take = function(value) return (value == 10 or value == 20) and value or nil end,
            text = tostring,
            suffix = function(value) return value == 10 and "" or "_s" .. value end,
            words = function() return nil end,
        },
    },
    largest = 100.0,
    element_bits = 8,
    c_options = function(values) return ("{.steps = %d}"):format(values.steps) end,
    error_bound = "2^-3 relative",
}
]])
            local spec = folder .. "/s.lua"
            generator.write(spec, "return { name = \"s\", dists = { { name = \"d\", kind = "
                .. "\"rw_pooled\", dims = { 7 }, forward = { codec = \"tenth\", steps = 20 } } } }")
            local seen = generator.run {"--output", folder, "--depfile", folder .. "/d", spec}
            tap.equal({status = 0, out = "", err = ""}, seen)
            local text = generator.read(folder .. "/s_unpack_sum_d7_tenth_s20.c")
            tap.contains("#include <inline/tenth.h>", text)
            tap.contains("{.steps = 20}", text)
            tap.contains("embdist_tenth_read_wire(", text)
            tap.contains(".row_bytes = 7,", generator.read(folder .. "/s.c"))
            tap.contains("codecs/tenth.lua", generator.read(folder .. "/d"))
            generator.write(spec, "return { name = \"s\", dists = { { name = \"d\", kind = "
                .. "\"rw_pooled\", dims = { 7 }, forward = { codec = \"tenth\", steps = 3 } } } }")
            tap.contains(".forward.steps: got 3, expected 10 or 20", generator.run({spec}).err)
        end)
    end},
    {"a codec of groups is one file", function()
        with_copy(function(folder)
            generator.write(folder .. "/gen/codecs/coarse.lua", [[
local options = require("options")

return {
    name = "coarse",
    header = "coarse.h",
    options = { options.group(2, 6), options.rounding },
    largest = 100.0,
    element_bits = 4,
    group_bytes = 3,
    group = function(values) return values.group end,
    c_options = function(values)
        return ("{.stochastic = %d}"):format(values.rounding == "stochastic" and 1 or 0)
    end,
    error_bound = "a sixteenth",
}
]])
            local spec = folder .. "/s.lua"
            local text = "return { name = \"s\", dists = { { name = \"d\", kind = "
                .. "\"rw_pooled\", dims = { 7 }, forward = { codec = \"coarse\", %s } } } }"
            generator.write(spec, text:format("group = 4, rounding = \"stochastic\""))
            local seen = generator.run {"--output", folder, "--depfile", folder .. "/d", spec}
            tap.equal({status = 0, out = "", err = ""}, seen)
            local codelet = generator.read(folder .. "/s_unpack_sum_d7_coarse_g4_sr.c")
            tap.contains("#include <inline/coarse.h>", codelet)
            tap.contains("{.stochastic = 1}", codelet)
            tap.contains("embdist_coarse_settle(", codelet)
            tap.contains("    GROUP = 4,\n    GROUPS = 2,\n    GROUP_BYTES = 3,\n", codelet)
            tap.contains(".row_bytes = 10,\n    .scratch_bytes = 28,",
                generator.read(folder .. "/s.c"))
            tap.contains("int64_t batch, uint64_t seed,", (generator.read(folder .. "/s.h")
                :gsub("%s+", " ")))
            tap.contains("codecs/coarse.lua", generator.read(folder .. "/d"))
            tap.contains("templates/groups/head.c.tmpl", generator.read(folder .. "/d"))
            for _, wrong in ipairs {{"3", "3"}, {"0", "0"}, {"-2", "-2"}, {"2.5", "2.5"},
                {"\"row\"", "\"row\""}} do
                generator.write(spec, text:format("group = " .. wrong[1]))
                tap.contains((".forward.group: got %s, expected a whole number from 2 that is a "
                    .. "multiple of 2\n"):format(wrong[2]), generator.run({spec}).err)
            end
            generator.write(spec, text:format("nonfinite = \"fail\""))
            tap.contains(".forward.nonfinite: coarse takes no nonfinite; these codecs do: ",
                generator.run({spec}).err)
        end)
    end},
    {"a kind is one file", function()
        with_copy(function(folder)
            generator.write(folder .. "/gen/kinds/turned.lua", [[
return {
    name = "turned",
    summary = "the pooled kind turned round",
    modes = { "ragged" },
    local_layout = "OWN",
    out_layout = "RANKS",
    forward = { pack = "runs", exchange = "all_gather", unpack = "runs" },
    backward = { pack = "runs", exchange = "alltoallv", unpack = "sum", divide = "gradient" },
    shapes = { ragged = { local_embs = "[own][{dims}]", out = "[all][{dims}]" } },
}
]])
            local spec = folder .. "/s.lua"
            generator.write(spec, "return { name = \"s\", dists = { { name = \"d\", kind = "
                .. "\"turned\", dims = { 7, 5 } } } }")
            tap.equal({status = 0, out = "", err = ""}, generator.run {"--output", folder, spec})
            tap.contains("int64_t local_count,", generator.read(folder .. "/s.h"))
            tap.contains("embdist_status s_d_forward_ragged(", generator.read(folder .. "/s.h"))
            tap.contains(" *   out: [all][12]", generator.read(folder .. "/s.h"))
            tap.contains(".local_layout = EMBDIST_LAYOUT_OWN,", generator.read(folder .. "/s.c"))
            tap.contains(".exchange = EMBDIST_EXCHANGE_ALL_GATHER,",
                generator.read(folder .. "/s.c"))
            generator.write(spec, "return { name = \"s\", dists = { { name = \"d\", kind = "
                .. "\"turnde\", dims = { 7 } } } }")
            tap.contains("did you mean \"turned\"?", generator.run({spec}).err)
        end)
    end},
    {"a codec whose file has another name is an error", function()
        with_copy(function(folder)
            generator.write(folder .. "/gen/codecs/other.lua", "return { name = \"fp16\" }\n")
            local seen = generator.run {"--list", generator.root .. "/examples/dlrm.lua"}
            tap.equal(1, seen.status)
            tap.contains("codecs/other.lua: has the name fp16", seen.err)
        end)
    end},
}
