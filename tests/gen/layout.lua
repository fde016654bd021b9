-- Generated text is laid out as clang-format 14 lays it out: blocks, and where the program is
-- there, lists and heads of many lengths.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")
local c_text = require("c_text")

-- Compares `texts`, C code by the names of files, with what clang-format makes of them.
local function check_all_formatted(texts)
    local version = generator.shell("clang-format --version 2>/dev/null")
    if not version:find("version 14%.") then
        tap.skip("no clang-format 14")
    end
    generator.with_folder(function(folder)
        for name, text in pairs(texts) do
            generator.write(("%s/%s"):format(folder, name), text)
        end
        generator.write(folder .. "/.clang-format",
            generator.read(generator.root .. "/.clang-format"))
        assert(os.execute(("cd %s && clang-format -i *.[ch]"):format(generator.quote(folder))))
        for name, text in pairs(texts) do
            tap.equal(generator.read(("%s/%s"):format(folder, name)), text, name)
        end
    end)
end

local function check_formatted(text)
    check_all_formatted({["text.c"] = text})
end

-- A spec with every op of a codec, for callers' rows of a type.
local function spec_of(name, codec, dtype)
    return ([[
return { name = "%s", dists = {
    { name = "a", kind = "rw_pooled", dims = { 7, 1, 100 }, forward = %s, dtype = "%s" },
    { name = "b", kind = "rw_sequence", dims = { 33 }, forward = %s, backward = %s,
      index = "int32", dtype = "%s" },
} }]]):format(name, codec, dtype, codec, codec, dtype)
end

-- The option values that change code, all at once: {"group = 4", ...}.
local function options_of(codec)
    local VALUES = {
        group = "32",
        rounding = "\"stochastic\"",
        loss_scale = "0.001953125",
        nonfinite = "\"propagate\"",
        scale_rounding = "\"floor\"",
    }
    local list = {}
    for _, option in ipairs(codec.options) do
        local value = VALUES[option.name]
        if value and (option.name ~= "nonfinite" or option.take("propagate")) then
            list[#list + 1] = (", %s = %s"):format(option.name, value)
        end
    end
    return table.concat(list)
end

local PARAMETERS = {
    {"embdist_dist *dist", "const float *local_embs", "int64_t local_count", "int64_t batch",
        "float *out", "int64_t out_count", "void *stream", "embdist_request **request"},
    {"embdist_dist *dist", "const float *grad_out", "int64_t grad_out_count",
        "const int64_t *batch_per_rank_feature", "float *grad_local_embs",
        "int64_t grad_local_count", "void *stream", "embdist_request **request"},
    {"embdist_dist *dist", "const float *grad_out", "int64_t grad_out_count",
        "const int64_t *batch_per_rank", "float *grad_local_embs",
        "int64_t grad_local_count", "void *stream", "embdist_request **request"},
}

local tests = {
    {"a comment is filled, and its hanging lines are indented", function()
        tap.equal([[
/* A comment that is longer than a line, and so has to go on in a second one, which begins as the
 * first does.
 *
 *   name: a point of a list that is longer than a line has to go on too, and its second line is
 *       indented
 *   short */]], c_text.comment({
            "A comment that is longer than a line, and so has to go on in a second one, which "
                .. "begins as the first does.",
            "",
            "  name: a point of a list that is longer than a line has to go on too, and its second "
                .. "line is indented",
            "  short",
        }))
    end},
    {"a comment's end that does not fit has its own line", function()
        tap.equal("/* " .. ("x"):rep(95) .. "\n */", c_text.comment({("x"):rep(95)}))
        tap.equal("/* " .. ("x"):rep(94) .. " */", c_text.comment({("x"):rep(94)}))
    end},
    {"few texts stand one below the other, more in columns", function()
        tap.equal("    a,\n    b,\n    c,\n    d,", c_text.list(4, {"a", "b", "c", "d"}))
        tap.equal("    a, b, c, d, eee,", c_text.list(4, {"a", "b", "c", "d", "eee"}))
    end},
    {"a member that does not fit goes on below", function()
        tap.equal("    .a = b,", c_text.member(4, "a", "b"))
        tap.equal("    .a =\n        " .. ("b"):rep(91) .. ",",
            c_text.member(4, "a", ("b"):rep(91)))
        tap.equal("    .a = " .. ("b"):rep(90) .. ",", c_text.member(4, "a", ("b"):rep(90)))
    end},
    {"heads of functions, with names of every length", function()
        local text = {}
        for _, parameters in ipairs(PARAMETERS) do
            for length = 1, 80 do
                text[#text + 1] = c_text.function_head("embdist_status", ("x"):rep(length),
                    parameters, ");") .. ";\n"
            end
        end
        check_formatted(table.concat(text))
    end},
    {"lists of texts of many lengths", function()
        local text, seed = {}, 7
        for count = 1, 120 do
            local texts = {}
            for i = 1, count do
                seed = (seed * 1103515245 + 12345) % 2 ^ 31 | 0
                texts[i] = ("\"%s%d\""):format(("n"):rep(seed // 65536 % (count % 23 + 1)), i)
            end
            text[#text + 1] = ("static const char *const list[] = {\n%s\n};\n"):format(
                c_text.list(4, texts))
        end
        check_formatted(table.concat(text))
    end},
}

-- Whole files, of names of several lengths.
for _, length in ipairs {1, 7, 13, 20, 26} do
    tests[#tests + 1] = {("generated files, with names of %d letters"):format(length), function()
        local plan = generator.plan(([[
return { name = "%s", dists = {
    { name = "%s", kind = "rw_pooled", dims = { 7, 7, 128, 3, 1, 2, 5 },
      forward = { codec = "fp16", loss_scale = 0.001953125, nonfinite = "fail" },
      backward = { codec = "bf16", loss_scale = 3, nonfinite = "propagate" } },
    { name = "%s", kind = "rw_sequence", dims = rep(33, 70), index = "int32",
      forward = { nonfinite = "fail" } },
} }]]):format(("m"):rep(length), ("p"):rep(length), ("q"):rep(length)))
        check_all_formatted(generator.texts(plan))
    end}
end

for _, codec in ipairs(generator.catalogue().codecs) do
    for _, dtype in ipairs {"fp32", "bf16"} do
        tests[#tests + 1] = {("%s, rows of %s"):format(codec.name, dtype), function()
            local plain = ("{ codec = \"%s\" }"):format(codec.name)
            local special = ("{ codec = \"%s\"%s }"):format(codec.name, options_of(codec))
            local texts, ops = {}, {}
            for name, one in pairs {p = plain, s = special} do
                local plan = generator.plan(spec_of(name, one, dtype))
                for file, text in pairs(generator.texts(plan)) do
                    texts[file] = text
                end
                for _, codelet in ipairs(plan.codelets) do
                    ops[codelet.op] = true
                end
            end
            for _, op in ipairs(require("ops").list) do
                tap.ok(ops[op.name], op.name .. " is not there")
            end
            check_all_formatted(texts)
        end}
    end
end

-- Codecs to come: the lengths of their names shift every line of the templates.
for _, family in ipairs {"bf16", "int8"} do
    for length = 3, 8 do
        tests[#tests + 1] = {("a codec like %s, whose name has %d letters"):format(family, length),
            function()
                local codec = {}
                for field, value in pairs(generator.catalogue().codecs[family]) do
                    codec[field] = value
                end
                codec.name = ("x"):rep(length)
                codec.header = codec.name .. ".h"
                check_all_formatted(generator.texts(generator.plan(
                    spec_of("s", ("\"%s\""):format(codec.name), "fp16"),
                    generator.catalogue_with(codec))))
            end}
    end
end

tap.run(tests)
