-- spec.lua: reads a spec and gives it back checked and complete, or says what is wrong with it.
--
-- The result is plain data:
--   name, source (the file's base name), backends
--   dists: name, path (for messages), kind (a name), features, dims, modes, sum, index, gradient,
--          dtype, forward, backward
-- A direction has codec (a name) and options, a list of {name, value} in the codec's order.
-- What the kind of a dist does not take (sum, index) is nil.

local dist_check = require("dist")
local modes = require("modes")
local names = require("names")
local near = require("near")
local sandbox = require("sandbox")
local value = require("value")

local fail, show = value.fail, value.show

local M = {}

M.most_dists = 1000

local FIELDS = {"name", "backends", "dists"}

local function check_backends(given)
    if given == nil then
        return {"c"}
    end
    local count = value.list("backends", given, "a list such as { \"c\" }")
    if count == 0 then
        fail("backends", "got an empty list, expected a list such as { \"c\" }")
    end
    for i = 1, count do
        local place = ("backends[%d]"):format(i)
        if given[i] == "cuda" then
            fail(place, "got \"cuda\", but this release generates C only; expected \"c\"")
        end
        value.one_of(place, given[i], {"c"})
        if i > 1 then
            fail(place, "got %s a second time, expected each backend once", show(given[i]))
        end
    end
    return {"c"}
end

-- An error where two dists would make the same symbol, such as a dist "a_forward_even" beside "a".
local function check_symbols(spec_name, dists)
    local owner = {}
    for i, dist in ipairs(dists) do
        local suffixes = {}
        for j, mode in ipairs(dist.modes) do
            suffixes[j] = modes[mode].suffix
        end
        for _, symbol in ipairs(names.dist_symbols(spec_name, dist.name, suffixes)) do
            if owner[symbol] then
                fail(("dists[%d].name"):format(i), "got %s, which makes the symbol %s of %s again; "
                    .. "expected another name", show(dist.name), symbol, owner[symbol].path)
            end
            owner[symbol] = dist
        end
    end
end

local function check(given, source, catalogue)
    if type(given) ~= "table" then
        fail("", "returns %s, expected a table: return { name = ..., dists = { ... } }",
            show(given))
    end
    local unknown = value.unknown_fields(given, FIELDS)[1]
    if unknown then
        fail(unknown, "unknown field%s", near.hint(unknown, FIELDS))
    end
    local spec = {source = source, dists = {}}
    spec.name = names.check("name", given.name, "the spec", names.spec_problem)
    spec.backends = check_backends(given.backends)
    local count = value.list("dists", given.dists, "a list of dists")
    if count == 0 then
        fail("dists", "got an empty list, expected a list of dists")
    end
    if count > M.most_dists then
        fail("dists", "got %d dists, expected at most %d", count, M.most_dists)
    end
    local dist_names, features = {}, 0
    for i = 1, count do
        spec.dists[i] = dist_check.check(("dists[%d]"):format(i), given.dists[i], spec.name,
            catalogue)
        dist_names[i] = spec.dists[i].name
        features = features + #spec.dists[i].dims
        if features > dist_check.most_features then
            fail("dists", "got more than %d features in all, expected at most that",
                dist_check.most_features)
        end
    end
    names.check_different(dist_names, function(i, short)
        return short and ("dists[%d]"):format(i) or ("dists[%d].name"):format(i)
    end)
    check_symbols(spec.name, spec.dists)
    return spec
end

-- Reads the spec `text` of the file `path`. `catalogue` has the codecs and the kinds there are,
-- each a list that is also indexed by name; `clock` tells the seconds of processor time. Returns
-- the spec, or nil and a message that begins with the path.
function M.load(text, path, catalogue, clock)
    local given, message = sandbox.run(text, path, clock)
    if message then
        return nil, message
    end
    local done, result = pcall(check, given, path:match("[^/]*$"), catalogue)
    if done then
        return result
    elseif type(result) ~= "table" then
        error(result, 0)
    end
    if result.path == "" then
        return nil, ("%s: %s"):format(path, result.problem)
    end
    return nil, ("%s: %s: %s"):format(path, result.path, result.problem)
end

-- Keeps only the dists named in `wanted`. Returns the spec, or nil and a message.
function M.only(spec, wanted, path)
    local known, is_wanted, kept = {}, {}, {}
    for i, dist in ipairs(spec.dists) do
        known[i] = dist.name
    end
    for _, name in ipairs(wanted) do
        if not value.member(name, known) then
            return nil, ("%s: --only %s: no such dist%s"):format(path, name, near.hint(name, known))
        end
        is_wanted[name] = true
    end
    for _, dist in ipairs(spec.dists) do
        if is_wanted[dist.name] then
            kept[#kept + 1] = dist
        end
    end
    return {name = spec.name, source = spec.source, backends = spec.backends, dists = kept}
end

return M
