-- Plans, value by value.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local function dist_of(text)
    local spec = "return { name = \"s\", dists = { { name = \"d\", %s } } }"
    return generator.plan(spec:format(text)).dists[1]
end

local function pick(table, names)
    local picked = {}
    for _, name in ipairs(names) do
        picked[name] = table[name]
    end
    return picked
end

local function column(rows, name)
    local list = {}
    for i, row in ipairs(rows) do
        list[i] = row[name]
    end
    return list
end

local MIXED = [[
return {
    name = "model",
    dists = {
        {
            name = "bags", kind = "rw_pooled", dims = { 17, 17, 5, 17, 3, 3 },
            batch = { "per_feature", "even" },
            forward = { codec = "fp16", nonfinite = "fail", loss_scale = 2 },
            backward = { codec = "bf16", loss_scale = 0.1, nonfinite = "propagate" },
            gradient = "sum",
        },
        {
            name = "events", kind = "rw_sequence",
            features = { "clicks", "buys" }, dims = { 17, 17 },
            forward = "fp16", backward = { nonfinite = "fail" }, index = "int32",
        },
    },
}
]]

local GROUPS = [[
return { name = "s", dists = { {
    name = "d", kind = "rw_pooled", dims = { 100, 3 }, batch = { "even" },
    forward = { codec = "int8", group = 32, rounding = "stochastic", nonfinite = "fail" },
    backward = { codec = "fp8_e5m2", nonfinite = "propagate" },
} } }
]]

local ROWS = [[
return { name = "s", dists = {
    { name = "a", kind = "rw_pooled", dims = { 5 }, backward = "int8", dtype = "fp16" },
    { name = "b", kind = "rw_sequence", dims = { 5 }, forward = "bf16", dtype = "bf16" },
    { name = "c", kind = "rw_pooled", dims = { 5 } },
} }
]]

-- A codec of groups of 8, two values a byte.
local HALVES = {
    name = "halves",
    header = "halves.h",
    options = {},
    largest = 1.0,
    element_bits = 4,
    group_bytes = 1,
    group = function() return 8 end,
    c_options = function() return "{0}" end,
    error_bound = "none",
}

tap.run {
    {"names of the spec", function()
        tap.equal({
            version = "0.1.0",
            spec = "model",
            source = "spec.lua",
            guard = "EMBDIST_SPEC_model_H",
            header = "model.h",
        }, pick(generator.plan(MIXED), {"version", "spec", "source", "guard", "header"}))
    end},
    {"the version is that of the runtime's header", function()
        local header = generator.read(generator.root .. "/runtime/embdist.h")
        tap.equal(header:match("#define EMBDIST_VERSION \"([^\"]*)\""), require("version"))
    end},
    {"a pooled dist", function()
        tap.equal({
            name = "bags",
            symbol = "model_bags",
            kind = "rw_pooled",
            feature_count = 6,
            features = {"f0", "f1", "f2", "f3", "f4", "f5"},
            sum_of_dims = 62,
            modes = {"even", "per_feature"},
            mode_bits = {"EMBDIST_MODE_BIT(EMBDIST_EVEN)", "EMBDIST_MODE_BIT(EMBDIST_PER_FEATURE)"},
            gradient = "sum",
            sum = "ordered",
            dtype = "fp32",
            index_bytes = 0,
            local_layout = "EMBDIST_LAYOUT_RANKS",
            out_layout = "EMBDIST_LAYOUT_OWN",
        }, pick(generator.plan(MIXED).dists[1], {"name", "symbol", "kind", "feature_count",
            "features", "sum_of_dims", "modes", "mode_bits", "gradient", "sum", "index", "dtype",
            "index_bytes", "local_layout", "out_layout"}))
    end},
    {"a sequence dist", function()
        tap.equal({
            name = "events",
            symbol = "model_events",
            kind = "rw_sequence",
            feature_count = 2,
            features = {"clicks", "buys"},
            sum_of_dims = 34,
            modes = {"sequence"},
            mode_bits = {"EMBDIST_MODE_BIT(EMBDIST_SEQUENCE)"},
            gradient = "mean",
            index = "int32",
            dtype = "fp32",
            index_bytes = 4,
            local_layout = "EMBDIST_LAYOUT_FEATURES",
            out_layout = "EMBDIST_LAYOUT_RECEIVED",
        }, pick(generator.plan(MIXED).dists[2], {"name", "symbol", "kind", "feature_count",
            "features", "sum_of_dims", "modes", "mode_bits", "gradient", "sum", "index", "dtype",
            "index_bytes", "local_layout", "out_layout"}))
    end},
    {"table-wise dists and a gather", function()
        local function layouts(fields)
            return pick(dist_of(fields), {"modes", "sum", "index", "owned", "index_bytes",
                "local_layout", "out_layout"})
        end
        tap.equal({
            modes = {"even", "ragged", "per_feature"},
            owned = 1,
            index_bytes = 0,
            local_layout = "EMBDIST_LAYOUT_RANKS",
            out_layout = "EMBDIST_LAYOUT_OWNERS",
        }, layouts("kind = \"tw_pooled\", dims = { 7, 5 }"))
        tap.equal({
            modes = {"sequence"},
            owned = 1,
            index_bytes = 0,
            local_layout = "EMBDIST_LAYOUT_FEATURES",
            out_layout = "EMBDIST_LAYOUT_RECEIVED",
        }, layouts("kind = \"tw_sequence\", dims = { 7, 7 }"))
        tap.equal({
            modes = {"even", "ragged", "per_feature"},
            sum = "ordered",
            owned = 0,
            index_bytes = 0,
            local_layout = "EMBDIST_LAYOUT_OWN",
            out_layout = "EMBDIST_LAYOUT_RANKS",
        }, layouts("kind = \"all_gather\", dims = { 7, 5 }"))
    end},
    {"steps of table-wise dists and of a gather", function()
        local function steps(fields)
            local list = {}
            for _, direction in ipairs {"forward", "backward"} do
                local stage = dist_of(fields)[direction]
                list[#list + 1] = ("%s %s %s %d"):format(stage.pack, stage.exchange,
                    stage.unpack, stage.divide)
            end
            return list
        end
        tap.equal({"runs alltoallv runs 0", "runs alltoallv runs 1"},
            steps("kind = \"tw_pooled\", dims = { 7 }"))
        tap.equal({"runs alltoallv runs 0", "runs alltoallv runs 0"},
            steps("kind = \"tw_sequence\", dims = { 7 }, gradient = \"sum\""))
        tap.equal({"runs all_gather runs 0", "runs alltoallv sum 1"},
            steps("kind = \"all_gather\", dims = { 7 }"))
    end},
    {"defaults", function()
        local dist = dist_of("kind = \"rw_sequence\", dims = { 7 }")
        tap.equal({"f0"}, dist.features)
        tap.equal({index = "int64", index_bytes = 8, gradient = "mean", dtype = "fp32"},
            pick(dist, {"index", "index_bytes", "gradient", "dtype"}))
        tap.equal({"fp32", "fp32"}, {dist.forward.codec, dist.backward.codec})
        dist = dist_of("kind = \"rw_pooled\", dims = { 7 }")
        tap.equal({"even", "ragged", "per_feature"}, dist.modes)
        tap.equal("ordered", dist.sum)
    end},
    {"neighbouring equal dims are a group", function()
        local groups = generator.plan(MIXED).dists[1].groups
        tap.equal({17, 5, 17, 3}, column(groups, "dim"))
        tap.equal({2, 1, 1, 2}, column(groups, "features"))
    end},
    {"groups name their sets", function()
        local groups = generator.plan(MIXED).dists[1].groups
        tap.equal({
            dim = 5,
            features = 1,
            forward = "runs_sum_d5_fp16_ls2",
            backward = "runs_runs_d5_bf16_ls0p1_propagate",
            forward_alone = "runs_sum_d5_fp32",
            backward_alone = "runs_runs_d5_fp32",
        }, groups[2])
        tap.equal({
            dim = 17,
            features = 2,
            forward = "runs_gather_d17_fp16_i32",
            backward = "transposed_runs_d17_fp32",
            forward_alone = "runs_gather_d17_fp32_i32",
            backward_alone = "transposed_runs_d17_fp32",
        }, generator.plan(MIXED).dists[2].groups[1])
    end},
    {"sets and codelets are shared between groups and dists", function()
        local plan = generator.plan([[
return { name = "s", dists = {
    { name = "a", kind = "rw_pooled", dims = { 5, 7, 5 }, forward = "fp16", backward = "fp16" },
    { name = "b", kind = "rw_pooled", dims = { 7 }, forward = "fp16",
      backward = { codec = "fp16", nonfinite = "fail" } },
} }]])
        tap.equal({
            "runs_sum_d5_fp16", "runs_sum_d5_fp32", "runs_runs_d5_fp16", "runs_runs_d5_fp32",
            "runs_sum_d7_fp16", "runs_sum_d7_fp32", "runs_runs_d7_fp16", "runs_runs_d7_fp32",
        }, column(plan.sets, "name"))
        tap.equal({
            "s_pack_runs_d5_fp16", "s_unpack_sum_d5_fp16",
            "s_pack_runs_d5_fp32", "s_unpack_sum_d5_fp32",
            "s_unpack_runs_d5_fp16", "s_unpack_runs_d5_fp32",
            "s_pack_runs_d7_fp16", "s_unpack_sum_d7_fp16",
            "s_pack_runs_d7_fp32", "s_unpack_sum_d7_fp32",
            "s_unpack_runs_d7_fp16", "s_unpack_runs_d7_fp32",
        }, column(plan.codelets, "symbol"))
    end},
    {"what a gather and its transpose need", function()
        local plan = generator.plan(
            "return { name = \"s\", dists = { { name = \"d\", kind = \"rw_sequence\", "
            .. "dims = { 33 }, forward = \"bf16\", backward = \"fp16\" } } }")
        tap.equal({
            {name = "pack_runs", value = "s_pack_runs_d33_bf16"},
            {name = "pack_runs_inspect", value = "s_pack_runs_d33_bf16_inspect"},
            {name = "unpack_runs_wire", value = "s_unpack_runs_d33_bf16_wire"},
            {name = "unpack_runs_rows", value = "s_unpack_runs_d33_bf16_rows"},
            {name = "unpack_gather_wire", value = "s_unpack_gather_d33_bf16_i64_wire"},
            {name = "unpack_gather_rows", value = "s_unpack_gather_d33_bf16_i64_rows"},
        }, (function()
            local members = {}
            for i, member in ipairs(plan.sets.runs_gather_d33_bf16_i64.members) do
                members[i] = pick(member, {"name", "value"})
            end
            return members
        end)())
        tap.equal({
            "pack_runs", "pack_runs_inspect", "pack_transposed", "pack_transposed_inspect",
            "unpack_runs_wire", "unpack_runs_rows", "unpack_transposed_rows",
        }, column(plan.sets.transposed_runs_d33_fp16.members, "name"))
    end},
    {"10,000 features of one dim make one set for each use", function()
        local plan = generator.plan("return { name = \"s\", dists = { { name = \"d\", "
            .. "kind = \"rw_pooled\", dims = rep(128, 10000), forward = \"fp16\", "
            .. "backward = \"fp16\" } } }")
        tap.equal({{dim = 128, features = 10000, forward = "runs_sum_d128_fp16",
            backward = "runs_runs_d128_fp16", forward_alone = "runs_sum_d128_fp32",
            backward_alone = "runs_runs_d128_fp32"}}, plan.dists[1].groups)
        tap.equal({4, 6, 8}, {#plan.sets, #plan.codelets, #plan.files})
    end},
    {"a codelet as templates see it", function()
        local codelet = generator.plan(MIXED).codelets.model_pack_runs_d17_fp16_ls2
        tap.equal({
            symbol = "model_pack_runs_d17_fp16_ls2",
            file = "model_pack_runs_d17_fp16_ls2.c",
            op = "pack_runs",
            dim = 17,
            templates = {
                "elements/head.c.tmpl", "elements/pack_runs.c.tmpl", "tail.c.tmpl",
            },
            tables = {
                {
                    name = "model_pack_runs_d17_fp16_ls2",
                    member = "pack_runs",
                    functions = "pack",
                    vectors = true,
                },
                {
                    name = "model_pack_runs_d17_fp16_ls2_inspect",
                    member = "pack_runs_inspect",
                    functions = "inspect",
                    vectors = false,
                },
            },
            sides = {},
            packs = true,
            sums = false,
            shape = "Encodes fp32 rows of 17 values as fp16, loss scale 2, overflow, infinity and "
                .. "NaN are refused, in order.",
            codec = {
                name = "fp16",
                id = "fp16_ls2",
                header = "fp16.h",
                prefix = "embdist_fp16",
                family = "elements",
                stochastic = false,
                row_bytes = 34,
                element_bits = 16,
                element_bytes = 2,
                options = "{.loss_scale = 2.0F, .saturate = 1}",
            },
        }, pick(codelet, {"symbol", "file", "op", "templates", "tables", "sides", "packs", "sums",
            "dim", "shape", "index", "codec"}))
        tap.equal("int32_t",
            generator.plan(MIXED).codelets.model_unpack_gather_d17_fp16_i32.index)
    end},
    {"options in the C of codecs", function()
        local codelets = generator.plan(MIXED).codelets
        tap.equal("{.loss_scale = 0.1F, .saturate = 0}",
            codelets.model_pack_runs_d3_bf16_ls0p1_propagate.codec.options)
        tap.equal("{.none = 0}", codelets.model_pack_runs_d3_fp32.codec.options)
        tap.equal({12, 6}, {codelets.model_pack_runs_d3_fp32.codec.row_bytes,
            codelets.model_pack_runs_d3_bf16_ls0p1_propagate.codec.row_bytes})
    end},
    {"loss scales in names", function()
        for scale, name in pairs {["1000"] = "ls1000", ["0.001953125"] = "ls0p001953125",
            ["1e10"] = "ls1e10", ["2 ^ -20"] = "ls9p536743em07"} do
            local plan = generator.plan(("return { name = \"s\", dists = { { name = \"d\", kind = "
                .. "\"rw_pooled\", dims = { 2 }, forward = { codec = \"bf16\", loss_scale = %s } } "
                .. "} }"):format(scale))
            tap.equal("s_pack_runs_d2_bf16_" .. name, plan.codelets[1].symbol)
        end
    end},
    {"a loss scale of 1 is none", function()
        local dist = dist_of("kind = \"rw_pooled\", dims = { 2 }, "
            .. "forward = { codec = \"fp16\", loss_scale = 1 }")
        tap.equal("runs_sum_d2_fp16", dist.groups[1].forward)
    end},
    {"the stages of a pooled dist", function()
        local dist = generator.plan(MIXED).dists[1]
        local names = {"pack_enumerator", "exchange_enumerator", "unpack_enumerator", "divide",
            "fail_above"}
        tap.equal({
            pack_enumerator = "EMBDIST_PACK_RUNS",
            exchange_enumerator = "EMBDIST_EXCHANGE_ALLTOALLV",
            unpack_enumerator = "EMBDIST_UNPACK_SUM",
            divide = 0,
            fail_above = "32752.0F",
        }, pick(dist.forward, names))
        tap.equal({
            pack_enumerator = "EMBDIST_PACK_RUNS",
            exchange_enumerator = "EMBDIST_EXCHANGE_ALL_GATHER",
            unpack_enumerator = "EMBDIST_UNPACK_RUNS",
            divide = 0,
            fail_above = "0.0F",
        }, pick(dist.backward, names))
    end},
    {"the stages of a sequence dist", function()
        local dist = generator.plan(MIXED).dists[2]
        local names = {"pack_enumerator", "exchange_enumerator", "unpack_enumerator", "divide",
            "fail_above"}
        tap.equal({
            pack_enumerator = "EMBDIST_PACK_RUNS",
            exchange_enumerator = "EMBDIST_EXCHANGE_ALLTOALLV",
            unpack_enumerator = "EMBDIST_UNPACK_GATHER",
            divide = 0,
            fail_above = "0.0F",
        }, pick(dist.forward, names))
        tap.equal({
            pack_enumerator = "EMBDIST_PACK_TRANSPOSED",
            exchange_enumerator = "EMBDIST_EXCHANGE_ALLTOALLV",
            unpack_enumerator = "EMBDIST_UNPACK_RUNS",
            divide = 1,
            fail_above = "3.4028235e+38F",
        }, pick(dist.backward, names))
    end},
    {"what ranks compare", function()
        tap.equal({
            {name = "generator", value = "0.1.0"},
            {name = "dist", value = "bags"},
            {name = "kind", value = "rw_pooled"},
            {name = "batch", value = "even,per_feature"},
            {name = "forward", value = "fp16"},
            {name = "forward.loss_scale", value = "2"},
            {name = "forward.nonfinite", value = "fail"},
            {name = "backward", value = "bf16"},
            {name = "backward.loss_scale", value = "0.1"},
            {name = "backward.nonfinite", value = "propagate"},
            {name = "gradient", value = "sum"},
            {name = "sum", value = "ordered"},
            {name = "dtype", value = "fp32"},
        }, generator.plan(MIXED).dists[1].fields)
        tap.equal({
            {name = "generator", value = "0.1.0"},
            {name = "dist", value = "events"},
            {name = "kind", value = "rw_sequence"},
            {name = "batch", value = "sequence"},
            {name = "forward", value = "fp16"},
            {name = "forward.loss_scale", value = "1"},
            {name = "forward.nonfinite", value = "saturate"},
            {name = "backward", value = "fp32"},
            {name = "backward.nonfinite", value = "fail"},
            {name = "gradient", value = "mean"},
            {name = "index", value = "int32"},
            {name = "dtype", value = "fp32"},
        }, generator.plan(MIXED).dists[2].fields)
    end},
    {"a codelet of groups as templates see it", function()
        local plan = generator.plan(GROUPS)
        local codelet = plan.codelets.s_unpack_sum_d100_int8_g32_sr
        tap.equal({
            symbol = "s_unpack_sum_d100_int8_g32_sr",
            file = "s_unpack_sum_d100_int8_g32_sr.c",
            op = "unpack_sum",
            templates = {"groups/head.c.tmpl", "sums.c.tmpl", "groups/row.c.tmpl",
                "groups/unpack_sum.c.tmpl", "tail.c.tmpl"},
            tables = {
                {
                    name = "s_unpack_sum_d100_int8_g32_sr_wire",
                    member = "unpack_sum_wire",
                    functions = "wire",
                    vectors = true,
                },
                {
                    name = "s_unpack_sum_d100_int8_g32_sr_rows",
                    member = "unpack_sum_rows",
                    functions = "rows",
                    vectors = true,
                },
            },
            sides = {
                {name = "wire", rounds = false, bytes = 1, row_bytes = "WIRE_BYTES"},
                {name = "rows", rounds = true, bytes = 4, row_bytes = "ROWS_BYTES"},
            },
            packs = false,
            sums = false,
            dim = 100,
            shape = "Sums fp32 rows of 100 values of all ranks, in rank order, decoded from int8, "
                .. "groups of 32, stochastic rounding, overflow, infinity and NaN are refused.",
            codec = {
                name = "int8",
                id = "int8_g32_sr",
                header = "int8.h",
                prefix = "embdist_int8",
                family = "groups",
                stochastic = true,
                row_bytes = 132,
                payload_bytes = 100,
                group = 32,
                groups = 4,
                group_bytes = 8,
                element_bits = 8,
                element_bytes = 1,
                options = "{.stochastic = 1}",
            },
        }, pick(codelet, {"symbol", "file", "op", "templates", "tables", "sides", "packs", "sums",
            "dim", "shape", "index", "codec"}))
    end},
    {"groups of a row", function()
        local function shape(codec, dim)
            local plan = generator.plan(([[return { name = "s", dists = { { name = "d",
                kind = "tw_pooled", dims = { %d }, forward = %s } } }]]):format(dim, codec))
            return pick(plan.codelets[1].codec,
                {"group", "groups", "payload_bytes", "group_bytes", "row_bytes"})
        end
        -- All values of a row by default.
        tap.equal({group = 7, groups = 1, payload_bytes = 7, group_bytes = 8, row_bytes = 15},
            shape("\"int8\"", 7))
        -- The last group is short.
        tap.equal({group = 4, groups = 2, payload_bytes = 7, group_bytes = 8, row_bytes = 23},
            shape("{ codec = \"int8\", group = 4 }", 7))
        tap.equal({group = 1, groups = 3, payload_bytes = 3, group_bytes = 4, row_bytes = 15},
            shape("{ codec = \"fp8_e4m3\", group = 1 }", 3))
        -- No group is larger than the row.
        tap.equal({group = 7, groups = 1, payload_bytes = 7, group_bytes = 4, row_bytes = 11},
            shape("{ codec = \"fp8_e5m2\", group = 32 }", 7))
    end},
    {"rows of 4 bits, an odd dim, and a default group of a codec's own", function()
        local plan = generator.plan("return { name = \"s\", dists = { { name = \"d\", kind = "
            .. "\"tw_pooled\", dims = { 37, 4 }, forward = \"halves\" } } }",
            generator.catalogue_with(HALVES))
        tap.equal({19 + 5, 2 + 1}, {plan.sets.runs_runs_d37_halves.row_bytes,
            plan.sets.runs_runs_d4_halves.row_bytes})
        tap.equal({8, 5}, {plan.codelets.s_pack_runs_d37_halves.codec.group,
            plan.codelets.s_pack_runs_d37_halves.codec.groups})
    end},
    {"a codec that names no largest value refuses infinities and NaN only", function()
        local dist = dist_of("kind = \"tw_pooled\", dims = { 8 }, "
            .. "forward = { codec = \"mx4\", nonfinite = \"fail\" }")
        tap.equal("3.4028235e+38F", dist.forward.fail_above)
    end},
    {"rows of mx4", function()
        local plan = generator.plan("return { name = \"s\", dists = { { name = \"d\", kind = "
            .. "\"tw_pooled\", dims = { 37 }, forward = \"mx4\", backward = { codec = \"mx4\", "
            .. "scale_rounding = \"floor\", group = 4 } } } }")
        tap.equal({19 + 2, 148}, {plan.sets.runs_runs_d37_mx4.row_bytes,
            plan.sets.runs_runs_d37_mx4.scratch_bytes})
        tap.equal(19 + 10, plan.sets.runs_runs_d37_mx4_g4_floor.row_bytes)
        tap.equal("{.stochastic = 0, .scale_rounding = 1}",
            plan.codelets.s_pack_runs_d37_mx4_g4_floor.codec.options)
    end},
    {"sets of codecs of groups: bytes of a row, and of scratch for a row of fp32", function()
        local plan = generator.plan(GROUPS)
        local function bytes(name)
            return {plan.sets[name].row_bytes, plan.sets[name].scratch_bytes}
        end
        tap.equal({132, 400}, bytes("runs_sum_d100_int8_g32_sr"))
        tap.equal({104, 400}, bytes("runs_runs_d100_fp8_e5m2_propagate"))
        -- fp32 of world 1 needs no scratch.
        tap.equal({400, 0}, bytes("runs_sum_d100_fp32"))
        tap.equal({400, 0}, bytes("runs_runs_d100_fp32"))
        tap.equal({12, 0}, bytes("runs_sum_d3_fp32"))
        tap.equal({11, 12}, bytes("runs_sum_d3_int8_g32_sr"))
    end},
    {"options of codecs of groups in what ranks compare", function()
        local fields = generator.plan(GROUPS).dists[1].fields
        tap.equal({
            {name = "forward", value = "int8"},
            {name = "forward.group", value = "32"},
            {name = "forward.rounding", value = "stochastic"},
            {name = "forward.nonfinite", value = "fail"},
            {name = "backward", value = "fp8_e5m2"},
            {name = "backward.group", value = "row"},
            {name = "backward.rounding", value = "nearest"},
            {name = "backward.nonfinite", value = "propagate"},
        }, {table.unpack(fields, 5, 12)})
    end},
    {"stochastic stages, and what their functions take", function()
        local dist = generator.plan(GROUPS).dists[1]
        tap.equal({1, 0}, {dist.forward.stochastic, dist.backward.stochastic})
        tap.equal({"3.4028235e+38F", "0.0F"}, {dist.forward.fail_above, dist.backward.fail_above})
        tap.equal({true, false}, column(dist.functions, "takes_seed"))
        tap.equal({"seed", "0"}, column(dist.functions, "seed"))
    end},
    {"a group of the whole row says so in every place: the same code, another field", function()
        local plan = generator.plan([[
return { name = "s", dists = {
    { name = "a", kind = "tw_pooled", dims = { 8 }, forward = "int8" },
    { name = "b", kind = "tw_pooled", dims = { 8 }, forward = { codec = "int8", group = 8 } },
} }]])
        tap.equal("row", plan.dists[1].fields[6].value)
        tap.equal("8", plan.dists[2].fields[6].value)
        tap.equal({"runs_runs_d8_int8", "runs_runs_d8_int8_g8"},
            {plan.dists[1].groups[1].forward, plan.dists[2].groups[1].forward})
    end},
    {"dtype: the callers' rows", function()
        local plan = generator.plan(ROWS)
        tap.equal({"fp16", "bf16", "fp32"}, column(plan.dists, "dtype"))
        tap.equal({2, 2, 4}, column(plan.dists, "element_bytes"))
        tap.equal({
            dim = 5,
            features = 1,
            forward = "runs_sum_d5_fp32_rows_fp16",
            backward = "runs_runs_d5_int8_rows_fp16",
            forward_alone = "runs_sum_d5_fp32_rows_fp16",
            backward_alone = "runs_runs_d5_fp32_rows_fp16",
        }, plan.dists[1].groups[1])
        tap.equal("runs_gather_d5_bf16_rows_bf16_i64", plan.dists[2].groups[1].forward)
        tap.equal("runs_sum_d5_fp32", plan.dists[3].groups[1].forward)
        for i, type in ipairs {"uint16_t", "uint16_t", "float"} do
            for _, call in ipairs(plan.dists[i].functions) do
                tap.equal(type, call.row_type)
            end
        end
        tap.equal({name = "dtype", value = "fp16"},
            plan.dists[1].fields[#plan.dists[1].fields])
    end},
    {"dtype: a codelet of other rows than fp32", function()
        local codelets = generator.plan(ROWS).codelets
        local names = {"name", "header", "prefix", "options", "element_bytes", "type", "suffix"}
        tap.equal({
            name = "bf16",
            header = "bf16.h",
            prefix = "embdist_bf16",
            options = "{.loss_scale = 1.0F, .saturate = 0}",
            element_bytes = 2,
            type = "uint16_t",
            suffix = "_rows_bf16",
        }, pick(codelets.s_unpack_gather_d5_bf16_rows_bf16_i64.rows, names))
        -- What the wire does is not the rows' business.
        tap.equal("{.loss_scale = 1.0F, .saturate = 1}",
            codelets.s_unpack_gather_d5_bf16_rows_bf16_i64.codec.options)
        tap.equal("Decodes bf16 rows of 5 values from bf16, overflow and infinity saturate, each "
            .. "from where its int64_t says.", codelets.s_unpack_gather_d5_bf16_rows_bf16_i64.shape)
        tap.equal({
            name = "fp32",
            header = "fp32.h",
            prefix = "embdist_fp32",
            options = "{.none = 0}",
            element_bytes = 4,
            type = "float",
            suffix = "",
        }, pick(codelets.s_unpack_sum_d5_fp32.rows, names))
    end},
    {"sum = \"library\" is kept", function()
        local dist = dist_of("kind = \"rw_pooled\", dims = { 7 }, batch = { \"even\" }, "
            .. "sum = \"library\"")
        tap.equal("library", dist.sum)
        tap.equal({name = "sum", value = "library"}, dist.fields[10])
    end},
    {"the functions of a dist", function()
        tap.equal({
            "model_bags_forward_even", "model_bags_forward_per_feature",
            "model_bags_backward_even", "model_bags_backward_per_feature",
        }, column(generator.plan(MIXED).dists[1].functions, "symbol"))
        tap.equal({"model_events_forward", "model_events_backward"},
            column(generator.plan(MIXED).dists[2].functions, "symbol"))
    end},
    {"whole numbers may be floats", function()
        local dist = dist_of("kind = \"rw_pooled\", dims = { 2 ^ 3, 8 }")
        tap.equal({8}, column(dist.groups, "dim"))
        tap.equal("integer", math.type(dist.groups[1].dim))
    end},
    {"a spec may compute", function()
        local dist = dist_of("kind = \"rw_pooled\", dims = (function() local dims = rep(4, 3) "
            .. "for i, d in ipairs(dims) do dims[i] = d * i end return dims end)(), "
            .. "features = { \"a\" .. tostring(1), \"b\", \"c\" .. math.max(2, 3) }")
        tap.equal({4, 8, 12}, column(dist.groups, "dim"))
        tap.equal({"a1", "b", "c3"}, dist.features)
    end},
}
