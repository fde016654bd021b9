-- Wrong specs: each has one exact message, exit status 1, and leaves every file alone.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local function dists(text)
    return ("return { name = \"s\", dists = { %s } }"):format(text)
end

local function pooled(fields)
    return dists(("{ name = \"d\", kind = \"rw_pooled\", %s }"):format(fields))
end

local function sequence(fields)
    return dists(("{ name = \"d\", kind = \"rw_sequence\", %s }"):format(fields))
end

-- The codecs that take an option, as messages list them; all, where none is named.
local function takers(wanted)
    local names = {}
    for _, codec in ipairs(generator.catalogue().codecs) do
        local takes = not wanted
        for _, option in ipairs(codec.options) do
            takes = takes or option.name == wanted
        end
        if takes then
            names[#names + 1] = codec.name
        end
    end
    return table.concat(names, ", ")
end

local CODECS, SCALED = takers(), takers("loss_scale")
local ROUNDED, GROUPED = takers("rounding"), takers("group")

-- A spec and a dist whose names make a symbol that cannot be.
local function symbol(spec, dist, what)
    return {
        ("return { name = \"%s\", dists = { { name = \"%s\" } } }"):format(spec, dist),
        (": dists[1].name: got \"%s\", which makes the symbol %s_%s, %s; expected another name")
            :format(dist, spec, dist, what),
    }
end

local LIBRARY = "a name of the C library's or POSIX's, or one that they may take"
local DIST = [[{ name = "%s", kind = "rw_pooled", dims = { 3 } }, ]]
local D = [[: dists[1] ("d")]]

-- The text of a spec, and what follows "spec.lua" in the message.
local WRONG = {
    {
        [[local x = 1]],
        [[: returns nothing, expected a table: return { name = ..., dists = { ... } }]],
    },
    {
        [[return "x"]],
        [[: returns "x", expected a table: return { name = ..., dists = { ... } }]],
    },
    {
        "return {\n  name = \n}",
        [[:3: unexpected symbol near '}']],
    },
    {
        "return {}, 1",
        [[: returns 2 values, expected one table]],
    },
    {
        "local function f() return 1 + f() end return f()",
        [[: calls functions within functions deeper than a spec may]],
    },
    {
        [[return { name = "pthread" }]],
        [[: name: got "pthread", which would hide the header <pthread.h>; expected another name]],
    },
    {
        [[return { name = "x86intrin" }]],
        [[: name: got "x86intrin", which would hide the header <x86intrin.h>; expected another ]]
            .. [[name]],
    },
    {
        [[return { name = nam }]],
        [[:1: unknown name 'nam'; a spec may use rep, ipairs, tostring and math]],
    },
    {
        "local t\nreturn t.x",
        [[:2: attempt to index a nil value (local 't')]],
    },
    {
        [[return { nmae = "s" }]],
        [[: nmae: unknown field; did you mean "name"?]],
    },
    {
        [[return { zzz = "s" }]],
        [[: zzz: unknown field; expected one of: name, backends, dists]],
    },
    {
        [[return { dists = {} }]],
        [[: name: got nothing, expected the name of the spec]],
    },
    {
        [[return { name = 7 }]],
        [[: name: got 7, expected the name of the spec]],
    },
    {
        [[return { name = "while" }]],
        [[: name: got "while", a keyword of C or C++; expected another name]],
    },
    {
        [[return { name = "new" }]],
        [[: name: got "new", a keyword of C or C++; expected another name]],
    },
    {
        [[return { name = "a-b" }]],
        [[: name: got "a-b", expected letters, digits and single inner underscores, a letter ]]
            .. [[first]],
    },
    {
        [[return { name = "1a" }]],
        [[: name: got "1a", expected letters, digits and single inner underscores, a letter ]]
            .. [[first]],
    },
    {
        [[return { name = "a_" }]],
        [[: name: got "a_", expected letters, digits and single inner underscores, a letter ]]
            .. [[first]],
    },
    {
        [[return { name = "a__b" }]],
        [[: name: got "a__b", expected letters, digits and single inner underscores, a letter ]]
            .. [[first]],
    },
    {
        [[return { name = "" }]],
        [[: name: got "", expected letters, digits and single inner underscores, a letter ]]
            .. [[first]],
    },
    {
        [[return { name = "]] .. ("x"):rep(49) .. [[" }]],
        [[: name: got "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...", a name of 49 characters; ]]
            .. [[expected at most 48]],
    },
    {
        [[return { name = "embdist_x" }]],
        [[: name: got "embdist_x", the prefix of the runtime's own names; expected another ]]
            .. [[name]],
    },
    {
        [[return { name = "Embdist" }]],
        [[: name: got "Embdist", the prefix of the runtime's own names; expected another name]],
    },
    {
        [[return { name = "EMBDIST_Descriptor" }]],
        [[: name: got "EMBDIST_Descriptor", the prefix of the runtime's own names; expected ]]
            .. [[another name]],
    },
    {
        [[return { name = "Stdint" }]],
        [[: name: got "Stdint", which would hide the header <stdint.h>; expected another name]],
    },
    {
        [[return { name = rep("s", "3") }]],
        [[:1: rep: got a count of type string, expected a whole number from 0 to 1000000]],
    },
    {
        [[return { name = "s", dists = rep({}, math.pow2(3)) }]],
        [[:1: unknown name 'math.pow2'; a spec may use what Lua's math has, without random and ]]
            .. [[randomseed]],
    },
    {
        "local name = 's'\nreturn { name = name:upper() }",
        [[:2: attempt to index a string value (local 'name'); strings have no methods in a spec, ]]
            .. [[.. joins them]],
    },
    {
        [[return { name = "string" }]],
        [[: name: got "string", which would hide the header <string.h>; expected another name]],
    },
    {
        [[return { name = "s", backends = { "c", "cuda" } }]],
        [[: backends[2]: got "cuda", but this release generates C only; expected "c"]],
    },
    {
        [[return { name = "s", backends = { "rust" } }]],
        [[: backends[1]: got "rust", expected "c"]],
    },
    {
        [[return { name = "s", backends = { "c", "c" } }]],
        [[: backends[2]: got "c" a second time, expected each backend once]],
    },
    {
        [[return { name = "s", backends = {} }]],
        [[: backends: got an empty list, expected a list such as { "c" }]],
    },
    {
        [[return { name = "s", backends = "c" }]],
        [[: backends: got "c", expected a list such as { "c" }]],
    },
    {
        [[return { name = "s" }]],
        [[: dists: got nothing, expected a list of dists]],
    },
    {
        [[return { name = "s", dists = {} }]],
        [[: dists: got an empty list, expected a list of dists]],
    },
    {
        dists([[name = "d"]]),
        [[: dists: got a table with the field name, expected a list of dists]],
    },
    {
        dists([[3]]),
        [[: dists[1]: got 3, expected a table that describes a dist]],
    },
    {
        dists([[{}]]),
        [[: dists[1].name: got nothing, expected the name of the dist]],
    },
    {
        dists([[{ name = "a b" }]]),
        [[: dists[1].name: got "a b", expected letters, digits and single inner underscores, ]]
            .. [[a letter first]],
    },
    {
        [[return { name = "size", dists = { { name = "t" } } }]],
        [[: dists[1].name: got "t", which makes the symbol size_t, a type's or a keyword's ]]
            .. [[name; expected another name]],
    },
    {
        [[return { name = "thread", dists = { { name = "local" } } }]],
        [[: dists[1].name: got "local", which makes the symbol thread_local, a type's or a ]]
            .. [[keyword's name; expected another name]],
    },
    {
        dists([[{ name = "pack_runs_d128_fp16" }]]),
        [[: dists[1].name: got "pack_runs_d128_fp16", a name that codelets have; expected ]]
            .. [[another name]],
    },
    symbol("M", "H", "in capitals only, as macros are named"),
    symbol("INT64", "MAX", "in capitals only, as macros are named"),
    symbol("SIZE", "MAX", "in capitals only, as macros are named"),
    symbol("UINT32", "C", "in capitals only, as macros are named"),
    symbol("clock", "gettime", LIBRARY),
    symbol("posix", "memalign", LIBRARY),
    symbol("aligned", "alloc", LIBRARY),
    symbol("pthread_mutex", "lock", LIBRARY),
    symbol("mtx", "lock", LIBRARY),
    symbol("open", "memstream", LIBRARY),
    symbol("rand", "r", LIBRARY),
    symbol("isalpha", "l", LIBRARY),
    symbol("getc", "unlocked", LIBRARY),
    symbol("sa", "handler", LIBRARY),
    symbol("local", "embs", "a name that generated functions give to a parameter"),
    symbol("runs", "sum_d3_fp32", "a name that the generated table has inside"),
    {
        "return { name = \"a\", dists = { " .. DIST:format("a") .. DIST:format("groups") .. "} }",
        [[: dists[2].name: got "groups", which makes the symbol a_groups of dists[1] ("a") ]]
            .. [[again; expected another name]],
    },
    {
        dists([[{ name = "d" }]]),
        D .. [[.kind: got nothing, which is no kind; expected one of: all_gather, ]]
            .. [[rw_pooled, rw_sequence, tw_pooled, tw_sequence]],
    },
    {
        dists([[{ name = "d", kind = "rw_poold" }]]),
        D .. [[.kind: got "rw_poold", which is no kind; did you mean "rw_pooled"?]],
    },
    {
        dists([[{ name = "d", kind = "unknown" }]]),
        D .. [[.kind: got "unknown", which is no kind; expected one of: all_gather, ]]
            .. [[rw_pooled, rw_sequence, tw_pooled, tw_sequence]],
    },
    {
        pooled([[dims = { 4 }, forwards = "fp16"]]),
        D .. [[.forwards: unknown field; did you mean "forward"?]],
    },
    {
        sequence([[dims = { 4 }, batch = { "even" }]]),
        D .. [[.batch: rw_sequence takes no batch; its fields are: name, kind, features, dims, ]]
            .. [[forward, backward, gradient, index, dtype]],
    },
    {
        sequence([[dims = { 4 }, sum = "ordered"]]),
        D .. [[.sum: rw_sequence takes no sum; its fields are: name, kind, features, dims, ]]
            .. [[forward, backward, gradient, index, dtype]],
    },
    {
        dists([[{ name = "d", kind = "tw_sequence", dims = { 4 }, index = "int32" }]]),
        D .. [[.index: tw_sequence takes no index; its fields are: name, kind, features, dims, ]]
            .. [[forward, backward, gradient, dtype]],
    },
    {
        dists([[{ name = "d", kind = "tw_pooled", dims = { 4 }, sum = "ordered" }]]),
        D .. [[.sum: tw_pooled takes no sum; its fields are: name, kind, features, dims, ]]
            .. [[batch, forward, backward, gradient, dtype]],
    },
    {
        dists([[{ name = "d", kind = "all_gather", dims = { 4 }, sum = "library" }]]),
        D .. [[.sum: got "library", expected "ordered"]],
    },
    {
        dists([[{ name = "d", kind = "tw_sequence", dims = { 4, 5 } }]]),
        D .. [[.dims[2]: got 5, expected 4 as in dims[1]: tw_sequence needs equal dims]],
    },
    {
        dists([[{ name = "d", kind = "tw_pooled", dims = { 4 }, owners = { 0 } }]]),
        D .. [[.owners: unknown field; expected one of: name, kind, features, dims, batch, ]]
            .. [[forward, backward, gradient, dtype]],
    },
    {
        pooled([[dims = { 4 }, index = "int32"]]),
        D .. [[.index: rw_pooled takes no index; its fields are: name, kind, features, dims, ]]
            .. [[batch, forward, backward, gradient, sum, dtype]],
    },
    {
        pooled([[]]),
        D .. [[.dims: got nothing, expected a list of one dim for each feature]],
    },
    {
        pooled([[dims = {}]]),
        D .. [[.dims: got an empty list, expected a list of one dim for each feature]],
    },
    {
        pooled([[dims = { 0 }]]),
        D .. [[.dims[1]: got 0, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 4, -1 }]]),
        D .. [[.dims[2]: got -1, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 2.5 }]]),
        D .. [[.dims[1]: got 2.5, expected a whole number from 1]],
    },
    {
        pooled([[dims = { "128" }]]),
        D .. [[.dims[1]: got "128", expected a whole number from 1]],
    },
    {
        pooled([[dims = { 16777217 }]]),
        D .. [[.dims[1]: got 16777217, expected at most 16777216]],
    },
    {
        pooled([[dims = { math.huge }]]),
        D .. [[.dims[1]: got inf, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 0/0 }]]),
        D .. [[.dims[1]: got not a number, expected a whole number from 1]],
    },
    {
        pooled([[dims = 128]]),
        D .. [[.dims: got 128, expected a list of one dim for each feature]],
    },
    {
        pooled([[dims = { 4, nil, 4 }]]),
        D .. [[.dims[2]: got nothing, expected a list of one dim for each feature without holes]],
    },
    {
        pooled([[dims = { 4, x = 4 }]]),
        D .. [[.dims: got a table with the field x, expected a list of one dim for each feature]],
    },
    {
        pooled([[dims = rep(4, 65537)]]),
        D .. [[.dims: got 65537 features, expected at most 65536]],
    },
    {
        sequence([[dims = { 4, 4, 5 }]]),
        D .. [[.dims[3]: got 5, expected 4 as in dims[1]: rw_sequence needs equal dims]],
    },
    {
        pooled([[dims = { 4, 4 }, features = { "a" }]]),
        D .. [[.features: got 1 name, expected 2: one for each of dims]],
    },
    {
        pooled([[dims = { 4, 4, 4 }, features = { "a", "b", "a" }]]),
        D .. [[.features[3]: got "a", which features[1] has already; expected another name]],
    },
    {
        pooled([[dims = { 4 }, features = { "class" }]]),
        D .. [[.features[1]: got "class", a keyword of C or C++; expected another name]],
    },
    {
        pooled([[dims = { 4 }, features = { 1 }]]),
        D .. [[.features[1]: got 1, expected the name of a feature]],
    },
    {
        pooled([[dims = { 4 }, batch = "even"]]),
        D .. [[.batch: got "even", expected a list of some of "even", "ragged", "per_feature"]],
    },
    {
        pooled([[dims = { 4 }, batch = {}]]),
        D .. [[.batch: got an empty list, expected a list of some of "even", "ragged", ]]
            .. [["per_feature"]],
    },
    {
        pooled([[dims = { 4 }, batch = { "even", "odd" }]]),
        D .. [[.batch[2]: got "odd", expected one of "even", "ragged", "per_feature"]],
    },
    {
        pooled([[dims = { 4 }, batch = { "even", "even" }]]),
        D .. [[.batch[2]: got "even" a second time, expected each mode once]],
    },
    {
        pooled([[dims = { 4 }, forward = "fp61"]]),
        D .. [[.forward: got "fp61", which is no codec; did you mean "fp16"?]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = 1 }]]),
        D .. [[.forward.codec: got 1, which is no codec; expected one of: ]] .. CODECS,
    },
    {
        pooled([[dims = { 4 }, backward = 16]]),
        D .. [[.backward: got 16, expected the name of a codec, or a table ]]
            .. [[{ codec = ..., options }]],
    },
    {
        pooled([[dims = { 4 }, forward = { loss_scale = 2 }]]),
        D .. [[.forward.loss_scale: fp32 takes no loss_scale; these codecs do: ]] .. SCALED,
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp16", loss_scale = 0 }]]),
        D .. [[.backward.loss_scale: got 0, expected a positive number from 2^-126 to 2^126]],
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp16", loss_scale = -1 }]]),
        D .. [[.backward.loss_scale: got -1, expected a positive number from 2^-126 to 2^126]],
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp16", loss_scale = math.huge }]]),
        D .. [[.backward.loss_scale: got inf, expected a positive number from 2^-126 to 2^126]],
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "bf16", loss_scale = 1e-40 }]]),
        D .. [[.backward.loss_scale: got 1e-40, expected a positive number from 2^-126 to 2^126]],
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "bf16", loss_scale = "4" }]]),
        D .. [[.backward.loss_scale: got "4", expected a positive number from 2^-126 to 2^126]],
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "bf16", nonfinite = "clamp" }]]),
        D .. [[.backward.nonfinite: got "clamp", expected one of "saturate", "propagate", "fail"]],
    },
    {
        pooled([[dims = { 4 }, backward = { nonfinite = "saturate" }]]),
        D .. [[.backward.nonfinite: got "saturate", expected one of "propagate", "fail"]],
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp16", los_scale = 4 }]]),
        D .. [[.backward.los_scale: unknown field; did you mean "loss_scale"?]],
    },
    {
        pooled([[dims = { 4 }, forward = { "fp16" }]]),
        D .. [[.forward[1]: unknown field; write forward = "fp16" or ]]
            .. [[forward = { codec = "fp16" }]],
    },
    {
        pooled([[dims = { 4 }, "fp16"]]),
        D .. [[[1]: unknown field; expected one of: name, kind, features, dims, batch, forward, ]]
            .. [[backward, gradient, sum, dtype]],
    },
    {
        pooled([[dims = { 4 }, gradient = "max"]]),
        D .. [[.gradient: got "max", expected one of "mean", "sum"]],
    },
    {
        pooled([[dims = { 4 }, gradient = false]]),
        D .. [[.gradient: got false, expected one of "mean", "sum"]],
    },
    {
        pooled([[dims = { 4 }, sum = "fast"]]),
        D .. [[.sum: got "fast", expected one of "ordered", "library"]],
    },
    {
        pooled([[dims = { 4 }, sum = "library", forward = "fp16", batch = { "even" }]]),
        D .. [[.sum: got "library" with the forward codec fp16, expected fp32: a library adds in ]]
            .. [[the wire's type]],
    },
    {
        pooled([[dims = { 4 }, sum = "library"]]),
        D .. [[.sum: got "library" with batch = { "even", "ragged", "per_feature" }, expected { ]]
            .. [["even" }: a library adds equal pieces only]],
    },
    {
        sequence([[dims = { 4 }, index = "int16"]]),
        D .. [[.index: got "int16", expected one of "int64", "int32"]],
    },
    {
        pooled([[dims = { 4 }, dtype = "int8"]]),
        D .. [[.dtype: got "int8", expected one of "fp32", "bf16", "fp16"]],
    },
    {
        pooled([[dims = { 4 }, dtype = 16]]),
        D .. [[.dtype: got 16, expected one of "fp32", "bf16", "fp16"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", loss_scale = 2 }]]),
        D .. [[.forward.loss_scale: int8 takes no loss_scale; these codecs do: ]] .. SCALED,
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp8_e5m2", loss_scale = 1024 }]]),
        D .. [[.backward.loss_scale: fp8_e5m2 takes no loss_scale; these codecs do: ]] .. SCALED,
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp8_e4m3", loss_scale = 1 }]]),
        D .. [[.backward.loss_scale: fp8_e4m3 takes no loss_scale; these codecs do: ]] .. SCALED,
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "fp16", rounding = "stochastic" }]]),
        D .. [[.forward.rounding: fp16 takes no rounding; these codecs do: ]] .. ROUNDED,
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "bf16", rounding = "nearest" }]]),
        D .. [[.forward.rounding: bf16 takes no rounding; these codecs do: ]] .. ROUNDED,
    },
    {
        pooled([[dims = { 4 }, backward = { codec = "fp16", group = 32 }]]),
        D .. [[.backward.group: fp16 takes no group; these codecs do: ]] .. GROUPED,
    },
    {
        pooled([[dims = { 4 }, backward = { group = 4 }]]),
        D .. [[.backward.group: fp32 takes no group; these codecs do: ]] .. GROUPED,
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", group = 0 }]]),
        D .. [[.forward.group: got 0, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", group = 1.5 }]]),
        D .. [[.forward.group: got 1.5, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "fp8_e4m3", group = "row" }]]),
        D .. [[.forward.group: got "row", expected a whole number from 1]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "fp8_e5m2", group = -4 }]]),
        D .. [[.forward.group: got -4, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", group = math.huge }]]),
        D .. [[.forward.group: got inf, expected a whole number from 1]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", rounding = "up" }]]),
        D .. [[.forward.rounding: got "up", expected one of "nearest", "stochastic"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", rounding = true }]]),
        D .. [[.forward.rounding: got true, expected one of "nearest", "stochastic"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", nonfinite = "propagate" }]]),
        D .. [[.forward.nonfinite: got "propagate", expected one of "saturate", "fail"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "fp8_e4m3", nonfinite = "propagate" }]]),
        D .. [[.forward.nonfinite: got "propagate", expected one of "saturate", "fail"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "fp8_e5m2", nonfinite = "clamp" }]]),
        D .. [[.forward.nonfinite: got "clamp", expected one of "saturate", "propagate", "fail"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "mx4", group = 3 }]]),
        D .. [[.forward.group: got 3, expected a whole number from 2 that is a multiple of 2]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "mx4", scale_rounding = "up" }]]),
        D .. [[.forward.scale_rounding: got "up", expected one of "even", "floor", "ceil", ]]
            .. [["nearest"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", scale_rounding = "even" }]]),
        D .. [[.forward.scale_rounding: int8 takes no scale_rounding; these codecs do: mx4]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "mx4", loss_scale = 2 }]]),
        D .. [[.forward.loss_scale: mx4 takes no loss_scale; these codecs do: ]] .. SCALED,
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "mx4", nonfinite = "propagate" }]]),
        D .. [[.forward.nonfinite: got "propagate", expected one of "saturate", "fail"]],
    },
    {
        pooled([[dims = { 4 }, forward = { codec = "int8", groups = 4 }]]),
        D .. [[.forward.groups: unknown field; did you mean "group"?]],
    },
    {
        pooled([[dims = { 4 }, forward = "imt8"]]),
        D .. [[.forward: got "imt8", which is no codec; did you mean "int8"?]],
    },
    {
        pooled([[dims = { 4 }, sum = "library", forward = "int8", batch = { "even" }]]),
        D .. [[.sum: got "library" with the forward codec int8, expected fp32: a library adds in ]]
            .. [[the wire's type]],
    },
    {
        dists([[{ name = "d", kind = "rw_pooled", dims = { 4 } }, { name = "d", kind = ]]
            .. [["rw_sequence", dims = { 4 } }]]),
        [[: dists[2].name: got "d", which dists[1] has already; expected another name]],
    },
    {
        dists([[{ name = "d", kind = "rw_pooled", dims = { 4 } }, ]]
            .. [[{ name = "d_forward_even", kind = ]]
            .. [["rw_sequence", dims = { 4 } }]]),
        [[: dists[2].name: got "d_forward_even", which makes the symbol s_d_forward_even of ]]
            .. [[dists[1] ("d") again; expected another name]],
    },
    {
        dists([[{ name = "d", kind = "rw_pooled", dims = { 4 } }, { name = "history", kind = ]]
            .. [["rw_sequence", dims = { 0 } }]]),
        [[: dists[2] ("history").dims[1]: got 0, expected a whole number from 1]],
    },
    {
        [[return { name = "s", dists = rep("x", -1) }]],
        [[:1: rep: got a count of -1, expected a whole number from 0 to 1000000]],
    },
    {
        [[return { name = tostring({}) }]],
        [[:1: tostring: got a table, expected a number, a text, true, false or nil]],
    },
    {
        pooled([[dims = (function() local d = {} for i = 1, 1000 do d[i] = i end return d end)()]]),
        [[: makes more than 2000 codelets, expected fewer different dims or codecs]],
    },
    {
        [[return { name = "s", dists = rep({}, 1001) }]],
        [[: dists: got 1001 dists, expected at most 1000]],
    },
    {
        dists([[{ name = "a", kind = "rw_pooled", dims = rep(1, 65536) }, ]]
            .. [[{ name = "b", kind = "rw_pooled", dims = { 1 } }]]),
        [[: dists: got more than 65536 features in all, expected at most that]],
    },
    {
        [[return { "s" }]],
        [[: [1]: unknown field; expected one of: name, backends, dists]],
    },
}

-- Files that a run with this spec might touch, as they were before.
local OLD = {"s.h", "s.c", "old.c"}

local function check(spec, message)
    generator.with_folder(function(folder)
        local path = folder .. "/spec.lua"
        generator.write(path, spec)
        for _, name in ipairs(OLD) do
            generator.write(("%s/%s"):format(folder, name), "old\n")
        end
        local before = generator.names(folder)
        local seen = generator.run({"--output", folder, path})
        tap.equal(message, (seen.err:gsub("^.-spec%.lua", "", 1):gsub("\n$", "")))
        tap.equal({status = 1, out = ""}, {status = seen.status, out = seen.out})
        tap.equal(before, generator.names(folder), "files")
        for _, name in ipairs(OLD) do
            tap.equal("old\n", generator.read(("%s/%s"):format(folder, name)), name)
        end
    end)
end

local tests = {}
for i, wrong in ipairs(WRONG) do
    tests[i] = {
        ("the message%s"):format(wrong[2]:gsub("#", "number")),
        function() check(wrong[1], wrong[2]) end,
    }
end
tap.run(tests)
