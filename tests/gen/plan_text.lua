-- What --plan prints.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")
local report = require("report")

local function text_of(spec)
    return report.text(generator.plan(spec))
end

local function note_for(scale)
    return text_of(("return { name = \"s\", dists = { { name = \"d\", kind = \"rw_pooled\", "
        .. "dims = { 2 }, forward = { codec = \"fp16\", loss_scale = %s } } } }"):format(scale))
        :match("note: ([^\n]*)")
end

tap.run {
    {"the whole text", function()
        tap.equal([[
spec model
  from      spec.lua
  backends  c

dist bags
  kind      rw_pooled
  features  4, sum of dims 56
  group     features 0 to 1: dim 17
  group     feature 2: dim 5
  group     feature 3: dim 17
  modes     even, ragged
  forward   fp16
            loss_scale 3
            nonfinite saturate
            pack runs, exchange alltoallv, unpack sum
            dim 17: 34 wire bytes a row, codelets model_pack_runs_d17_fp16_ls3 ]] .. [[
model_unpack_sum_d17_fp16_ls3
            dim 5: 10 wire bytes a row, codelets model_pack_runs_d5_fp16_ls3 ]] .. [[
model_unpack_sum_d5_fp16_ls3
            note: loss_scale 3 is no power of two, so values are rounded once more on the ]] .. [[
way in and out; 2 and 4 are exact
  backward  fp32
            nonfinite propagate
            pack runs, exchange all_gather, unpack runs, divide by the number of ranks
            dim 17: 68 wire bytes a row, codelets model_pack_runs_d17_fp32 ]] .. [[
model_unpack_runs_d17_fp32
            dim 5: 20 wire bytes a row, codelets model_pack_runs_d5_fp32 model_unpack_runs_d5_fp32
  gradient  mean
  sum       ordered
  dtype     fp32

one rank: fp32 rows, nothing divided
files: 12
  model.h
  model.c
  model_pack_runs_d17_fp16_ls3.c
  model_unpack_sum_d17_fp16_ls3.c
  model_pack_runs_d17_fp32.c
  model_unpack_sum_d17_fp32.c
  model_unpack_runs_d17_fp32.c
  model_pack_runs_d5_fp16_ls3.c
  model_unpack_sum_d5_fp16_ls3.c
  model_pack_runs_d5_fp32.c
  model_unpack_sum_d5_fp32.c
  model_unpack_runs_d5_fp32.c
]], (text_of [[
return { name = "model", dists = { { name = "bags", kind = "rw_pooled", dims = { 17, 17, 5, 17 },
    batch = { "ragged", "even" }, forward = { codec = "fp16", loss_scale = 3 } } } }
]]))
    end},
    {"a sequence dist has an index and no sum", function()
        local text = text_of("return { name = \"s\", dists = { { name = \"d\", "
            .. "kind = \"rw_sequence\", dims = { 2 } } } }")
        tap.contains("  index     int64\n", text)
        tap.ok(not text:find("\n  sum"), "a sum")
    end},
    {"a table-wise dist has owners, others have none", function()
        local text = "return { name = \"s\", dists = { { name = \"d\", kind = \"%s\", "
            .. "dims = { 2 } } } }"
        tap.contains("  features  1, sum of dims 2\n  owners    one rank for each feature, as "
            .. "embdist_open is told\n", text_of(text:format("tw_pooled")))
        tap.ok(not text_of(text:format("all_gather")):find("owners"), "owners of a gather")
    end},
    {"powers of two get no note", function()
        for _, scale in ipairs {"1", "2", "1024", "0.5", "2 ^ -20", "2 ^ 126"} do
            tap.equal(nil, note_for(scale), scale)
        end
    end},
    {"other scales get the powers of two around them", function()
        local note = "loss_scale %s is no power of two, so values are rounded once more on the way "
            .. "in and out; %s and %s are exact"
        tap.equal(note:format("1000", "512", "1024"), note_for("1000"))
        tap.equal(note:format("0.1", "0.0625", "0.125"), note_for("0.1"))
        tap.equal(note:format("0.75", "0.5", "1"), note_for("0.75"))
    end},
    {"nothing is written", function()
        generator.with_folder(function(folder)
            local seen = generator.run {"--output", folder, "--plan",
                generator.root .. "/examples/dlrm.lua"}
            tap.equal({0, ""}, {seen.status, seen.err})
            tap.contains("dist bags\n", seen.out)
            tap.equal("", generator.names(folder))
        end)
    end},
}
