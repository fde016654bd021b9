-- What --plan prints.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")
local report = require("report")

local function text_of(spec)
    return report.text(generator.plan(spec))
end

-- The text of one dist.
local function text_of_dist(fields)
    return text_of(("return { name = \"s\", dists = { { name = \"d\", %s } } }"):format(fields))
end

-- What follows `key` in the lines of each direction: {forward's, backward's}.
local function lines_of(text, key)
    local found = {{}, {}}
    local forward, backward = text:match("\n  forward (.-)\n(  backward .-)\n  %l")
    for i, direction in ipairs {forward, backward} do
        for line in direction:gmatch("[^\n]+") do
            local at, rest = line:find(key, 1, true)
            if at then
                table.insert(found[i], line:sub(rest + 1))
            end
        end
    end
    return found
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
            error of a value: 2^-11 relative, 2^-25 absolute
            pack runs, exchange alltoallv, unpack sum
            dim 17: 34 wire bytes a row; to move: 4 + 4/W in place, 8 + 4/W staged
              codelets model_pack_runs_d17_fp16_ls3 model_unpack_sum_d17_fp16_ls3
            dim 5: 10 wire bytes a row; to move: 4 + 4/W in place, 8 + 4/W staged
              codelets model_pack_runs_d5_fp16_ls3 model_unpack_sum_d5_fp16_ls3
            to receive, even: W * batch * 112
            to receive, ragged: W * batch_per_rank[rank] * 112
            note: loss_scale 3 is no power of two, so values are rounded once more on the ]] .. [[
way in and out; 2 and 4 are exact
  backward  fp32
            nonfinite propagate
            error of a value: exact
            pack runs, exchange all_gather, unpack runs, divide by the number of ranks
            dim 17: 68 wire bytes a row; to move: 4 + 4/W in place, 8 + 8/W staged
              codelets model_pack_runs_d17_fp32 model_unpack_runs_d17_fp32
            dim 5: 20 wire bytes a row; to move: 4 + 4/W in place, 8 + 8/W staged
              codelets model_pack_runs_d5_fp32 model_unpack_runs_d5_fp32
            to receive, even: W * batch * 224
            to receive, ragged: sum(batch_per_rank) * 224
  gradient  mean
  sum       ordered
  dtype     fp32

W: the number of ranks
to move: bytes that pass between memory and cores for an element of a rank's input ]] .. [[
(exchange all_gather: of its output)
to receive: bytes of wire rows that arrive at a rank, its own included, where a transport ]] .. [[
does not read them in the sender's memory
one rank: nothing encoded, nothing divided
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
    {"bytes to move, by exchange and codec", function()
        local function moved(fields)
            return lines_of(text_of_dist(fields), "to move: ")
        end
        -- All to all: read and written; staged, the wire too. w is 2, then 132/100.
        tap.equal({{"8 in place, 12 staged"}, {"8 in place, 10.64 staged"}}, moved(
            "kind = \"tw_pooled\", dims = { 100 }, forward = \"bf16\", "
                .. "backward = { codec = \"int8\", group = 32 }"))
        -- Reduce-scatter, all-gather: w is 108/100 and 4.
        tap.equal({{"4 + 4/W in place, 6.16 + 4/W staged"}, {"4 + 4/W in place, 8 + 8/W staged"}},
            moved("kind = \"rw_pooled\", dims = { 100 }, forward = \"int8\""))
        -- All-gather, reduce-scatter.
        tap.equal({{"4 + 4/W in place, 6 + 6/W staged"}, {"4 + 4/W in place, 12 + 4/W staged"}},
            moved("kind = \"all_gather\", dims = { 100 }, forward = \"fp16\""))
        -- Rows of 16 bits.
        tap.equal({{"2 + 2/W in place, 6 + 2/W staged"}, {"2 + 2/W in place, 6 + 6/W staged"}},
            moved("kind = \"rw_pooled\", dims = { 8 }, dtype = \"bf16\", "
                .. "forward = \"fp16\""))
        tap.equal({{"4 in place, 12 staged"}, {"4 in place, 7 staged"}}, moved(
            "kind = \"rw_sequence\", dims = { 8 }, dtype = \"fp16\", backward = \"fp8_e4m3\""))
    end},
    {"bytes to receive, by kind and mode", function()
        local function received(kind, dims, more)
            return lines_of(text_of_dist(("kind = \"%s\", dims = { %s }%s"):format(kind, dims,
                more or "")), "to receive, ")
        end
        local row = " * (wire bytes of a row of f)"
        tap.equal({
            {
                "even: W * batch * 30",
                "ragged: W * batch_per_rank[rank] * 30",
                "per_feature: W * sum over features f of batch_per_rank_feature[rank][f]" .. row,
            },
            {
                "even: W * batch * 60",
                "ragged: sum(batch_per_rank) * 60",
                "per_feature: sum over ranks r and features f of batch_per_rank_feature[r][f]"
                    .. row,
            },
        }, received("rw_pooled", "5, 5, 5", ", forward = \"fp16\""))
        tap.equal({
            {
                "even: batch * 17",
                "ragged: batch_per_rank[rank] * 17",
                "per_feature: sum over features f of batch_per_rank_feature[rank][f]" .. row,
            },
            {
                "even: W * batch * (wire bytes of a sample's own features)",
                "ragged: sum(batch_per_rank) * (wire bytes of a sample's own features)",
                "per_feature: sum over ranks r and own features f of "
                    .. "batch_per_rank_feature[r][f]" .. row,
            },
        }, received("tw_pooled", "5, 4", ", forward = \"fp8_e5m2\""))
        tap.equal({{"even: W * batch * 36"}, {"even: W * batch * 36"}},
            received("all_gather", "5, 4", ", batch = { \"even\" }"))
        tap.equal({{"sequence: sum(recv_rows) * 20"}, {"sequence: sum(send_rows) * 13"}},
            received("rw_sequence", "5, 5", ", backward = \"int8\""))
        tap.equal({{"sequence: sum(recv_rows) * 13"}, {"sequence: sum(send_rows) * 20"}},
            received("tw_sequence", "5, 5", ", forward = \"int8\""))
    end},
    {"codecs with their options, and their errors", function()
        local text = text_of_dist("kind = \"tw_pooled\", dims = { 8 }, forward = { codec = "
            .. "\"int8\", group = 4, rounding = \"stochastic\", nonfinite = \"fail\" }, "
            .. "backward = \"fp8_e5m2\", dtype = \"fp16\"")
        tap.contains("  forward   int8\n            group 4\n            rounding stochastic\n"
            .. "            nonfinite fail\n            error of a value: half a step, ", text)
        tap.contains("  backward  fp8_e5m2\n            group row\n            rounding nearest\n"
            .. "            nonfinite saturate\n            error of a value: 2^-3 relative, ",
            text)
        tap.contains("  dtype     fp16\n", text)
    end},
    {"a note on a short last group", function()
        local function notes(codec, dims)
            return lines_of(text_of_dist(("kind = \"tw_pooled\", dims = { %s }, forward = %s")
                :format(dims, codec)), "note: ")[1]
        end
        local note = "group 32 does not divide dim %d: the last group of a row has %d value%s"
        tap.equal({note:format(100, 4, "s"), note:format(33, 1, "")},
            notes("{ codec = \"int8\", group = 32 }", "100, 64, 33, 100"))
        -- A group of a whole row, also where the row is shorter than what was asked for.
        tap.equal({}, notes("\"int8\"", "100, 7"))
        tap.equal({}, notes("{ codec = \"fp8_e4m3\", group = 32 }", "17, 32, 64"))
        tap.equal({}, notes("\"fp16\"", "17"))
    end},
    {"a note on few bits where ranks' rows are summed, and nowhere else", function()
        local note = "%s where ranks' rows are summed costs more accuracy than in the other "
            .. "direction, since the errors of all ranks add up; bf16 and fp16 are the usual "
            .. "codecs there"
        local function notes(kind, codec)
            return lines_of(text_of_dist(("kind = \"%s\", dims = { 8 }, forward = \"%s\", "
                .. "backward = \"%s\""):format(kind, codec, codec)), "note: ")
        end
        tap.equal({{note:format("int8")}, {}}, notes("rw_pooled", "int8"))
        tap.equal({{}, {note:format("fp8_e4m3")}}, notes("all_gather", "fp8_e4m3"))
        for _, codec in ipairs {"fp16", "bf16", "fp32"} do
            tap.equal({{}, {}}, notes("rw_pooled", codec))
        end
        for _, kind in ipairs {"rw_sequence", "tw_pooled", "tw_sequence"} do
            tap.equal({{}, {}}, notes(kind, "int8"))
        end
    end},
    {"a note on a library's sum", function()
        local fields = "kind = \"rw_pooled\", dims = { 8 }, batch = { \"even\" }, sum = \"%s\""
        local note = "\n  note      a transport may add in another order than that of the ranks, "
            .. "so results may differ in their last bits between transports\n"
        tap.contains(note, text_of_dist(fields:format("library")))
        tap.ok(not text_of_dist(fields:format("ordered")):find("note"), "a note on ordered sums")
    end},
    {"a spec that is refused has its error and no plan", function()
        generator.with_folder(function(folder)
            local spec = folder .. "/s.lua"
            generator.write(spec, "return { name = \"s\", dists = { { name = \"d\", "
                .. "kind = \"tw_pooled\", dims = { 8 } }, { name = \"e\", kind = \"tw_pooled\", "
                .. "dims = { 8 }, forward = { codec = \"int8\", loss_scale = 2 } } } }")
            tap.equal({status = 1, out = "", err = spec .. ": dists[2] (\"e\").forward.loss_scale: "
                .. "int8 takes no loss_scale; these codecs do: bf16, fp16\n"},
                generator.run {"--plan", spec})
        end)
    end},
    {"the same text every time, for every kind and codec", function()
        local dists = {}
        for _, kind in ipairs(generator.catalogue().kinds) do
            for _, codec in ipairs(generator.catalogue().codecs) do
                local both = ("forward = \"%s\", backward = \"%s\""):format(codec.name, codec.name)
                dists[#dists + 1] = ("{ name = \"%s_%s\", kind = \"%s\", dims = { 24 }, %s }")
                    :format(kind.name, codec.name, kind.name, both)
            end
        end
        local spec = ("return { name = \"s\", dists = { %s } }"):format(table.concat(dists, ", "))
        local text = text_of(spec)
        tap.equal(text, text_of(spec))
        local count = select(2, text:gsub("\n            to receive, ", ""))
        tap.equal(#generator.catalogue().codecs * (3 * 6 + 2 * 2), count)
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
