-- plan.lua: decides what will be made of a spec. The plan is plain data; templates and --plan print
-- it and decide nothing.
--   version, spec, source, guard, header  names for the generated files
--   codelets   one for each file; fields as the codelet templates use them
--   sets       the embdist_codelets tables
--   dists      see plan_dist
--   files      every file: name, templates (one after another), and the codelet where it is one
-- describe.lua adds the texts that have to be laid out.

local describe = require("describe")
local float32 = require("float32")
local modes = require("modes")
local names = require("names")
local ops = require("ops")
local version = require("version")

local M = {}

local INDICES = {
    int32 = {type = "int32_t", bytes = 4, suffix = "_i32"},
    int64 = {type = "int64_t", bytes = 8, suffix = "_i64"},
}

-- A file each; this many take some five minutes to compile.
M.most_codelets = 2000

-- What codelet templates know of the instruction sets that have vector versions.
M.isas = {
    {name = "avx2", vector = "__m256", integers = "__m256i", lanes = 8, target = "EMBDIST_AVX2"},
    {
        name = "avx512",
        vector = "__m512",
        integers = "__m512i",
        lanes = 16,
        target = "EMBDIST_AVX512",
    },
}

-- `{name}` in a text, replaced by values[name].
local function fill(text, values)
    return (text:gsub("{(%l+)}", values))
end

-- ---- codecs

-- A direction of the spec, with all that follows from its codec and options.
local function plan_codec(direction, catalogue)
    local module = catalogue.codecs[direction.codec]
    local values, id, words, options = {}, module.name, {}, {}
    for i, option in ipairs(module.options) do
        local value = direction.options[i].value
        values[option.name] = value
        id = id .. option.suffix(value)
        words[#words + 1] = option.words(value)
        options[i] = {name = option.name, text = option.text(value), value = value}
    end
    local codec = {
        name = module.name,
        id = id,
        header = module.header,
        prefix = "embdist_" .. module.name,
        options = module.c_options(values),
        element_bits = module.element_bits,
        stochastic = values.rounding == "stochastic",
    }
    local largest = module.largest or float32.largest
    return {
        codec = codec,
        module = module,
        values = values,
        options = options,
        words = table.concat({module.name, table.unpack(words)}, ", "),
        fail_above = values.nonfinite == "fail"
            and float32.largest_scaled(largest, values.loss_scale or 1.0) or 0.0,
    }
end

-- A codec that changes nothing but the type: what world 1 uses (fp32), and how codelets read and
-- write callers' rows.
local function neutral(name, catalogue)
    local direction = {codec = name, options = {}}
    for i, option in ipairs(catalogue.codecs[name].options) do
        direction.options[i] = {
            name = option.name,
            value = option.name == "nonfinite" and "propagate" or option.default,
        }
    end
    return plan_codec(direction, catalogue)
end

-- The codec of rows of a dim: how a row lies on the wire. A codec without groups encodes each
-- value by itself (its templates are those of templates/elements), one with groups finds a scale
-- for each first (templates/groups); scales follow the values of a row.
local function codec_of_dim(coded, dim)
    local codec = {row_bytes = (dim * coded.codec.element_bits + 7) // 8, family = "elements"}
    for field, value in pairs(coded.codec) do
        codec[field] = value
    end
    codec.element_bytes = codec.element_bits // 8
    if coded.module.group then
        codec.family = "groups"
        codec.group = math.min(coded.module.group(coded.values, dim), dim)
        codec.groups = (dim + codec.group - 1) // codec.group
        codec.group_bytes = coded.module.group_bytes
        codec.payload_bytes = codec.row_bytes
        codec.row_bytes = codec.payload_bytes + codec.groups * codec.group_bytes
    end
    return codec
end

-- The codec by which codelets read and write the caller's rows.
local function rows_of(dtype, catalogue)
    local rows = codec_of_dim(neutral(dtype, catalogue), 1)
    rows.type = rows.element_bytes == 4 and "float" or "uint16_t"
    rows.suffix = dtype == "fp32" and "" or "_rows_" .. dtype
    return rows
end

-- ---- codelets

-- The sides of an unpack codelet: rows from the wire, or the caller's, rounded as the wire would.
local function sides_of(op, codec, rows)
    local sides = {}
    for _, one in ipairs(op.tables) do
        if one.name == "wire" then
            sides[#sides + 1] = {
                name = "wire",
                rounds = false,
                bytes = codec.element_bytes,
                row_bytes = "WIRE_BYTES",
            }
        elseif one.name == "rows" then
            sides[#sides + 1] = {
                name = "rows",
                rounds = true,
                bytes = rows.element_bytes,
                row_bytes = "ROWS_BYTES",
            }
        end
    end
    return sides
end

-- The tables of functions of a codelet, with the names of their members of embdist_codelets.
local function tables_of(op, symbol)
    local tables = {}
    for i, one in ipairs(op.tables) do
        tables[i] = {
            name = symbol .. one.suffix,
            member = op.name .. one.suffix,
            functions = one.name,
            vectors = one.vectors,
        }
    end
    return tables
end

-- What a codelet's file is made of, one after another.
local function templates_of(op, codec)
    local own = ("%s/%s.c.tmpl"):format(codec.family, op.name)
    if codec.family == "groups" then
        return {"groups/head.c.tmpl", "sums.c.tmpl", "groups/row.c.tmpl", own, "tail.c.tmpl"}
    elseif op.sums then
        return {"elements/head.c.tmpl", "sums.c.tmpl", own, "tail.c.tmpl"}
    end
    return {"elements/head.c.tmpl", own, "tail.c.tmpl"}
end

-- The codelet of an op, made when it is first asked for. `rows` is the codec of the caller's rows,
-- `index` is one of INDICES or nil.
local function codelet_of(plan, op, dim, coded, rows, index)
    local symbol = ("%s_%s_d%d_%s%s"):format(plan.spec, op.name, dim, coded.codec.id, rows.suffix)
    if op.indexed then
        symbol = symbol .. index.suffix
    end
    local codelet = plan.codelets[symbol]
    if codelet then
        return codelet
    end
    local codec = codec_of_dim(coded, dim)
    local shape = fill(op.shape, {
        dim = dim,
        codec = coded.words,
        rows = rows.name,
        index = op.indexed and index.type or nil,
    })
    if #plan.codelets == M.most_codelets then
        error({message = ("makes more than %d codelets, expected fewer different dims or codecs")
            :format(M.most_codelets)}, 0)
    end
    codelet = {
        symbol = symbol,
        file = symbol .. ".c",
        op = op.name,
        templates = templates_of(op, codec),
        tables = tables_of(op, symbol),
        sides = sides_of(op, codec, rows),
        packs = op.packs,
        sums = op.sums,
        dim = dim,
        shape = shape,
        index = op.indexed and index.type or nil,
        codec = codec,
        rows = rows,
    }
    plan.codelets[symbol] = codelet
    plan.codelets[#plan.codelets + 1] = codelet
    return codelet
end

-- The ops of a stage, in the order of ops.list.
local function ops_of(stage)
    local needed, list = {}, {}
    for _, name in ipairs(ops.of_pack[stage.pack]) do
        needed[name] = true
    end
    for _, name in ipairs(ops.of_unpack[stage.unpack]) do
        needed[name] = true
    end
    for _, op in ipairs(ops.list) do
        if needed[op.name] then
            list[#list + 1] = op
        end
    end
    return list
end

-- The set of codelets of a stage, shared by all dists and groups that need the same ones.
local function set_of(plan, stage, dim, coded, rows, index)
    local name = ("%s_%s_d%d_%s%s"):format(stage.pack, stage.unpack, dim, coded.codec.id,
        rows.suffix)
    if stage.unpack == "gather" then
        name = name .. index.suffix
    end
    local set = plan.sets[name]
    if set then
        return set
    end
    local codec = codec_of_dim(coded, dim)
    set = {
        name = name,
        row_bytes = codec.row_bytes,
        scratch_bytes = codec.group and 4 * dim or 0,
        members = {},
        codelets = {},
    }
    for _, op in ipairs(ops_of(stage)) do
        local codelet = codelet_of(plan, op, dim, coded, rows, index)
        set.codelets[#set.codelets + 1] = codelet.symbol
        for _, one in ipairs(codelet.tables) do
            set.members[#set.members + 1] = {name = one.member, value = one.name}
        end
    end
    plan.sets[name] = set
    plan.sets[#plan.sets + 1] = set
    return set
end

-- ---- dists

-- Neighbouring features of equal dim are one group.
local function groups_of(dims)
    local groups = {}
    for _, dim in ipairs(dims) do
        local last = groups[#groups]
        if last and last.dim == dim then
            last.features = last.features + 1
        else
            groups[#groups + 1] = {dim = dim, features = 1}
        end
    end
    return groups
end

local function sum_of(numbers)
    local sum = 0
    for _, number in ipairs(numbers) do
        sum = sum + number
    end
    return sum
end

-- What ranks compare, beside dims and feature names, which the runtime reads from the descriptor.
local function fields_of(dist, coded)
    local fields = {
        {name = "generator", value = version},
        {name = "dist", value = dist.name},
        {name = "kind", value = dist.kind},
        {name = "batch", value = table.concat(dist.modes, ",")},
    }
    for _, direction in ipairs {"forward", "backward"} do
        fields[#fields + 1] = {name = direction, value = coded[direction].codec.name}
        for _, option in ipairs(coded[direction].options) do
            fields[#fields + 1] = {name = direction .. "." .. option.name, value = option.text}
        end
    end
    for _, name in ipairs {"gradient", "sum", "index", "dtype"} do
        if dist[name] then
            fields[#fields + 1] = {name = name, value = dist[name]}
        end
    end
    return fields
end

local function enumerator(prefix, word)
    return ("EMBDIST_%s_%s"):format(prefix, word:upper())
end

-- One direction: enumerators for the descriptor, words for --plan and the header's comments.
local function plan_stage(stage, coded, gradient)
    local divide = stage.divide == "gradient" and gradient == "mean"
    return {
        pack = stage.pack,
        exchange = stage.exchange,
        unpack = stage.unpack,
        pack_enumerator = enumerator("PACK", stage.pack),
        exchange_enumerator = enumerator("EXCHANGE", stage.exchange),
        unpack_enumerator = enumerator("UNPACK", stage.unpack),
        divide = divide and 1 or 0,
        stochastic = coded.codec.stochastic and 1 or 0,
        fail_above = coded.fail_above == 0.0 and "0.0F" or float32.literal(coded.fail_above),
        codec = coded.codec.name,
        element_bits = coded.codec.element_bits,
        error_bound = coded.module.error_bound,
        words = coded.words,
        options = coded.options,
    }
end

-- The functions of a dist: one for each direction and mode.
local function functions_of(dist, kind, symbol, coded, rows, words)
    local functions = {}
    for _, direction in ipairs {"forward", "backward"} do
        local forward = direction == "forward"
        for _, name in ipairs(dist.modes) do
            local mode, shapes = modes[name], kind.shapes[name]
            functions[#functions + 1] = {
                symbol = ("%s_%s%s"):format(symbol, direction, mode.suffix),
                descriptor = symbol,
                direction = enumerator("", direction):gsub("__", "_"),
                mode = mode.enumerator,
                takes_seed = coded[direction].codec.stochastic,
                seed = coded[direction].codec.stochastic and "seed" or "0",
                row_type = rows.type,
                batch_member = mode.member,
                batch_name = mode.name,
                batch_type = mode.type,
                batch_meaning = fill(dist.index and mode.indexed_meaning or mode.meaning, words),
                input = forward and "local_embs" or "grad_out",
                input_count = forward and "local_count" or "grad_out_count",
                input_shape = fill(forward and shapes.local_embs or shapes.out, words),
                output = forward and "out" or "grad_local_embs",
                output_count = forward and "out_count" or "grad_local_count",
                output_shape = fill(forward and shapes.out or shapes.local_embs, words),
            }
        end
    end
    return functions
end

-- A dist of the plan: its name and symbol, kind, features, groups of dims with the names of their
-- sets, stages, fields and functions.
local function plan_dist(plan, dist, catalogue)
    local kind = catalogue.kinds[dist.kind]
    local index = dist.index and INDICES[dist.index]
    local coded = {
        forward = plan_codec(dist.forward, catalogue),
        backward = plan_codec(dist.backward, catalogue),
    }
    local alone = neutral("fp32", catalogue)
    local rows = rows_of(dist.dtype, catalogue)
    local groups = groups_of(dist.dims)
    for _, group in ipairs(groups) do
        for _, direction in ipairs {"forward", "backward"} do
            local stage = kind[direction]
            group[direction] = set_of(plan, stage, group.dim, coded[direction], rows, index).name
            group[direction .. "_alone"] = set_of(plan, stage, group.dim, alone, rows, index).name
        end
    end
    local symbol = names.dist_symbols(plan.spec, dist.name, {})[1]
    local fields = fields_of(dist, coded)
    local bits = {}
    for i, mode in ipairs(dist.modes) do
        bits[i] = ("EMBDIST_MODE_BIT(%s)"):format(modes[mode].enumerator)
    end
    return {
        name = dist.name,
        symbol = symbol,
        kind = kind.name,
        summary = kind.summary,
        features = dist.features,
        feature_count = #dist.features,
        sum_of_dims = sum_of(dist.dims),
        groups = groups,
        modes = dist.modes,
        group_count = #groups,
        mode_bits = bits,
        gradient = dist.gradient,
        sum = dist.sum,
        index = dist.index,
        owned = kind.owned and 1 or 0,
        element_bytes = rows.element_bytes,
        index_bytes = index and index.bytes or 0,
        dtype = dist.dtype,
        local_layout = enumerator("LAYOUT", kind.local_layout),
        out_layout = enumerator("LAYOUT", kind.out_layout),
        forward = plan_stage(kind.forward, coded.forward, dist.gradient),
        backward = plan_stage(kind.backward, coded.backward, dist.gradient),
        fields = fields,
        field_count = #fields,
        functions = functions_of(dist, kind, symbol, coded, rows, {
            dim = dist.dims[1],
            dims = sum_of(dist.dims),
            features = #dist.features,
            index = index and index.type,
        }),
    }
end

local function plan_dists(plan, spec, catalogue)
    for i, dist in ipairs(spec.dists) do
        plan.dists[i] = plan_dist(plan, dist, catalogue)
    end
end

-- The plan of a spec that spec.load has checked; nil and a message where it would be too large.
function M.make(spec, catalogue)
    local plan = {
        version = version,
        spec = spec.name,
        source = spec.source,
        backends = spec.backends,
        guard = ("EMBDIST_SPEC_%s_H"):format(spec.name),
        header = spec.name .. ".h",
        isas = M.isas,
        codelets = {},
        sets = {},
        dists = {},
    }
    local done, problem = pcall(plan_dists, plan, spec, catalogue)
    if not done then
        return nil, type(problem) == "table" and problem.message or error(problem, 0)
    end
    plan.files = {
        {name = plan.header, templates = {"header.h.tmpl"}},
        {name = spec.name .. ".c", templates = {"dist.c.tmpl"}},
    }
    for _, codelet in ipairs(plan.codelets) do
        plan.files[#plan.files + 1] = {
            name = codelet.file,
            templates = codelet.templates,
            codelet = codelet,
        }
    end
    describe.add(plan)
    return plan
end

return M
