-- The documents say what the generator does: every field, option and word is in them, and their
-- example works.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local reference = generator.read(generator.root .. "/doc/spec.md")
local manual = generator.read(generator.root .. "/doc/embdist-gen.1")
local catalogue = generator.catalogue()

tap.run {
    {"the example of the reference is a spec", function()
        local plan = generator.plan(reference:match("```lua\n(.-)```"))
        tap.equal({"model", 2}, {plan.spec, #plan.dists})
    end},
    {"the error of the reference is the generator's", function()
        local message = reference:match("\n    (spec%.lua: [^\n]*)\n")
        local _, seen = require("spec").load("return { name = \"s\", dists = { { name = \"a\", "
            .. "kind = \"rw_pooled\", dims = { 1 } }, { name = \"history\", "
            .. "kind = \"rw_sequence\", dims = { 0 } } } }", "spec.lua", catalogue, os.clock)
        tap.equal(message, seen)
    end},
    {"every field that a spec may have is in the reference", function()
        local fields = {"name", "backends", "dists"}
        for _, kind in ipairs(catalogue.kinds) do
            local _, message = require("spec").load(("return { name = \"s\", dists = { { name = "
                .. "\"d\", kind = \"%s\", zzzzzzzzzzzz = 1 } } }"):format(kind.name), "spec.lua",
                catalogue, os.clock)
            for field in message:match("expected one of: (.*)"):gmatch("%w+") do
                fields[#fields + 1] = field
            end
        end
        tap.ok(#fields > 20, "too few fields")
        for _, field in ipairs(fields) do
            tap.contains(("\n| `%s` | "):format(field), reference)
        end
    end},
    {"every kind, mode, codec, option and policy is in the reference", function()
        for _, kind in ipairs(catalogue.kinds) do
            tap.contains(("* `%s`: "):format(kind.name), reference)
            for _, list in ipairs {#kind.modes > 1 and kind.modes or {}, kind.sums or {},
                kind.indices or {}} do
                for _, word in ipairs(list) do
                    tap.contains(("`\"%s\"`"):format(word), reference)
                end
            end
        end
        for _, codec in ipairs(catalogue.codecs) do
            tap.contains(("\n| `%s` | "):format(codec.name), reference)
            for _, option in ipairs(codec.options) do
                tap.contains(("\n### `%s`\n"):format(option.name), reference)
                for policy in option.expected:gmatch("\"(%l+)\"") do
                    tap.contains(("\n| `\"%s\"` | "):format(policy), reference)
                end
            end
        end
    end},
    {"the bounds in the reference are the generator's", function()
        local sandbox, dist, names = require("sandbox"), require("dist"), require("names")
        local function grouped(number)
            return (("%d"):format(number):reverse():gsub("(%d%d%d)", "%1,"):reverse()
                :gsub("^,", ""))
        end
        tap.contains(grouped(sandbox.most_steps) .. " steps", reference)
        tap.contains(grouped(dist.largest_dim), reference)
        tap.contains(grouped(require("plan").most_codelets) .. " codelets", reference)
        tap.contains(("from one to %s |"):format(grouped(require("spec").most_dists)), reference)
        tap.contains(grouped(dist.most_features) .. " features", reference)
        tap.contains(("at most %d characters"):format(names.longest), reference)
        tap.contains(("%s seconds of processor time"):format(sandbox.most_seconds), reference)
        tap.equal(4 * 1024 * 1024, sandbox.largest_text)
        tap.contains("ulimit -v 204800", generator.read(generator.command)) -- 200 MiB
    end},
    {"every option of the command is in the manual and in --help", function()
        local text = generator.read(generator.root .. "/gen/command.lua")
        local help, count = require("command").help, 0
        for option in text:gmatch("%[\"(%-%-%l+)\"%]") do
            count = count + 1
            tap.ok(help:find("\n  [-h, ]*" .. option:gsub("%-", "%%-") .. " "), option)
            tap.contains((option:gsub("%-", "\\-")), manual)
        end
        tap.equal(8, count)
    end},
    {"the manual is of this version", function()
        tap.contains(("\"embdist %s\""):format(require("version")), manual)
    end},
    {"the examples are specs", function()
        for name, dist in pairs {dlrm = "bags", history = "events"} do
            local plan = generator.plan(generator.read(("%s/examples/%s.lua"):format(
                generator.root, name)))
            tap.equal({name, dist}, {plan.spec, plan.dists[1].name})
        end
    end},
}
