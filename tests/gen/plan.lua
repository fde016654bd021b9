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
            "pack_runs", "pack_transposed", "unpack_runs_wire", "unpack_runs_rows",
            "unpack_transposed_rows",
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
            shape = "Encodes rows of 17 values as fp16, loss scale 2, overflow, infinity and NaN "
                .. "are refused, in order.",
            codec = {
                name = "fp16",
                id = "fp16_ls2",
                header = "fp16.h",
                prefix = "embdist_fp16",
                row_bytes = 34,
                element_bytes = 2,
                options = "{.loss_scale = 2.0F, .saturate = 1}",
            },
        }, pick(codelet, {"symbol", "file", "op", "dim", "shape", "index", "codec"}))
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
