-- dist.lua: checks one dist of a spec, field by field, and completes it. spec.lua says what comes
-- out.

local names = require("names")
local near = require("near")
local value = require("value")

local fail, fail_got, show = value.fail, value.fail_got, value.show
local quoted, one_of, member = value.quoted, value.one_of, value.member
local check_name, check_different = names.check, names.check_different

local M = {}

M.most_features = 65536 -- of a dist, and of all dists together
M.largest_dim = 1 << 24

local GRADIENTS = {"mean", "sum"}

-- The path of a field that value.unknown_fields names.
local function field_path(path, name)
    return path .. (name:sub(1, 1) == "[" and "" or ".") .. name
end

local function check_dims(path, dist, equal)
    local expected = "a list of one dim for each feature"
    local count = value.list(path, dist.dims, expected)
    if count == 0 then
        fail(path, "got an empty list, expected %s", expected)
    elseif count > M.most_features then
        fail(path, "got %d features, expected at most %d", count, M.most_features)
    end
    local dims = {}
    for i = 1, count do
        local given = dist.dims[i]
        local dim = type(given) == "number" and math.tointeger(given)
        local place = ("%s[%d]"):format(path, i)
        if not dim or dim < 1 then
            fail_got(place, given, "a whole number from 1")
        elseif dim > M.largest_dim then
            fail_got(place, given, ("at most %d"):format(M.largest_dim))
        elseif equal and i > 1 and dim ~= dims[1] then
            fail(place, "got %d, expected %d as in dims[1]: %s needs equal dims", dim, dims[1],
                dist.kind)
        end
        dims[i] = dim
    end
    return dims
end

local function check_features(path, given, dims)
    local features = {}
    if given == nil then
        for i = 1, #dims do
            features[i] = ("f%d"):format(i - 1)
        end
        return features
    end
    local count = value.list(path, given, "a list of names")
    if count ~= #dims then
        fail(path, "got %d name%s, expected %d: one for each of dims", count,
            count == 1 and "" or "s", #dims)
    end
    for i = 1, count do
        features[i] = check_name(("%s[%d]"):format(path, i), given[i], "a feature", names.problem)
    end
    check_different(features, function(i, short)
        return ("%s[%d]"):format(short and "features" or path, i)
    end)
    return features
end

-- The modes in the kind's order, so that the order in the spec makes no difference.
local function check_batch(path, given, kind)
    if given == nil then
        return kind.modes
    end
    local expected = "a list of some of " .. quoted(kind.modes)
    local count = value.list(path, given, expected)
    if count == 0 then
        fail(path, "got an empty list, expected %s", expected)
    end
    local asked = {}
    for i = 1, count do
        local place = ("%s[%d]"):format(path, i)
        one_of(place, given[i], kind.modes)
        if asked[given[i]] then
            fail(place, "got %s a second time, expected each mode once", show(given[i]))
        end
        asked[given[i]] = true
    end
    local chosen = {}
    for _, mode in ipairs(kind.modes) do
        if asked[mode] then
            chosen[#chosen + 1] = mode
        end
    end
    return chosen
end

local function codec_names_with(option_name, catalogue)
    local found = {}
    for _, codec in ipairs(catalogue.codecs) do
        for _, option in ipairs(codec.options) do
            if option.name == option_name then
                found[#found + 1] = codec.name
            end
        end
    end
    return found
end

local function check_codec_fields(path, given, codec, catalogue)
    local known = {"codec"}
    for _, option in ipairs(codec.options) do
        known[#known + 1] = option.name
    end
    local unknown = value.unknown_fields(given, known)[1]
    if not unknown then
        return
    end
    local place = field_path(path, unknown)
    if type(given[1]) == "string" and catalogue.codecs[given[1]] then
        local direction = path:match("%l+$")
        fail(place, "unknown field; write %s = \"%s\" or %s = { codec = \"%s\" }", direction,
            given[1], direction, given[1])
    end
    local takers = codec_names_with(unknown, catalogue)
    if #takers > 0 then
        fail(place, "%s takes no %s; these codecs do: %s", codec.name, unknown,
            table.concat(takers, ", "))
    end
    fail(place, "unknown field%s", near.hint(unknown, known))
end

local function check_direction(path, given, catalogue)
    local codec_path = type(given) == "string" and path or path .. ".codec"
    if given == nil then
        given = {}
    elseif type(given) == "string" then
        given = {codec = given}
    elseif type(given) ~= "table" then
        fail_got(path, given, "the name of a codec, or a table { codec = ..., options }")
    end
    local name = given.codec == nil and "fp32" or given.codec
    local codec = type(name) == "string" and catalogue.codecs[name]
    if not codec then
        local known = {}
        for i, module in ipairs(catalogue.codecs) do
            known[i] = module.name
        end
        fail(codec_path, "got %s, which is no codec%s", show(name),
            near.hint(name, known))
    end
    check_codec_fields(path, given, codec, catalogue)
    local options = {}
    for i, option in ipairs(codec.options) do
        local taken = option.default
        if given[option.name] ~= nil then
            taken = option.take(given[option.name])
            if taken == nil then
                fail_got(path .. "." .. option.name, given[option.name], option.expected)
            end
        end
        options[i] = {name = option.name, value = taken}
    end
    return {codec = codec.name, options = options}
end

local function check_sum(path, given, kind, checked)
    if not kind.sums then
        return nil
    end
    local sum = one_of(path, given, kind.sums)
    if sum == "library" then
        if checked.forward.codec ~= "fp32" then
            fail(path, "got \"library\" with the forward codec %s, expected fp32: a library adds "
                .. "in the wire's type", checked.forward.codec)
        elseif #checked.modes ~= 1 or checked.modes[1] ~= "even" then
            fail(path, "got \"library\" with batch = { %s }, expected { \"even\" }: a library adds "
                .. "equal pieces only", quoted(checked.modes))
        end
    end
    return sum
end

-- The types that callers' rows may have, fp32 first.
local function row_types(catalogue)
    local types = {"fp32"}
    for _, codec in ipairs(catalogue.codecs) do
        if codec.row_type and codec.name ~= "fp32" then
            types[#types + 1] = codec.name
        end
    end
    return types
end

-- What a dist of a kind may say, and what dists of other kinds may.
local function dist_fields(kind)
    local fields = {"name", "kind", "features", "dims"}
    if #kind.modes > 1 then
        fields[#fields + 1] = "batch"
    end
    for _, field in ipairs {"forward", "backward", "gradient"} do
        fields[#fields + 1] = field
    end
    if kind.sums then
        fields[#fields + 1] = "sum"
    end
    if kind.indices then
        fields[#fields + 1] = "index"
    end
    fields[#fields + 1] = "dtype"
    return fields
end

local function check_dist_fields(path, dist, kind)
    local known = dist_fields(kind)
    local unknown = value.unknown_fields(dist, known)[1]
    if unknown and member(unknown, {"batch", "sum", "index"}) then
        fail(path .. "." .. unknown, "%s takes no %s; its fields are: %s", kind.name, unknown,
            table.concat(known, ", "))
    elseif unknown then
        fail(field_path(path, unknown), "unknown field%s", near.hint(unknown, known))
    end
end

local function check_kind(path, given, catalogue)
    local kind = type(given) == "string" and catalogue.kinds[given]
    if kind then
        return kind
    end
    local known = {}
    for i, module in ipairs(catalogue.kinds) do
        known[i] = module.name
    end
    fail(path, "got %s, which is no kind%s", show(given), near.hint(given, known))
end

-- Checks `dist`, the field `place` of the spec called `spec_name`.
function M.check(place, dist, spec_name, catalogue)
    if type(dist) ~= "table" then
        fail_got(place, dist, "a table that describes a dist")
    end
    local name = check_name(place .. ".name", dist.name, "the dist", names.dist_problem, spec_name)
    local path = ("%s (\"%s\")"):format(place, name)
    local kind = check_kind(path .. ".kind", dist.kind, catalogue)
    check_dist_fields(path, dist, kind)

    local checked = {name = name, path = path, kind = kind.name}
    checked.dims = check_dims(path .. ".dims", dist, kind.equal_dims)
    checked.features = check_features(path .. ".features", dist.features, checked.dims)
    checked.modes = check_batch(path .. ".batch", dist.batch, kind)
    checked.forward = check_direction(path .. ".forward", dist.forward, catalogue)
    checked.backward = check_direction(path .. ".backward", dist.backward, catalogue)
    checked.gradient = one_of(path .. ".gradient", dist.gradient, GRADIENTS)
    checked.sum = check_sum(path .. ".sum", dist.sum, kind, checked)
    checked.index = kind.indices and one_of(path .. ".index", dist.index, kind.indices) or nil
    checked.dtype = one_of(path .. ".dtype", dist.dtype, row_types(catalogue))
    return checked
end

return M
