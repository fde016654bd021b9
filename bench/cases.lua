-- From settings to what is generated and measured.
local names = require("names")

local M = {}

local function set_of(list)
    local set = {}
    for _, name in ipairs(list) do
        set[name] = true
    end
    return set
end

-- What of `all` was asked for, in the order of `all`; all of it where nothing was said.
local function chosen(all, asked)
    if not asked then
        return all
    end
    local set, list = set_of(asked), {}
    for _, name in ipairs(all) do
        if set[name] then
            list[#list + 1] = name
        end
    end
    return list
end

local function sizes(settings)
    local list, bytes = {}, settings.least
    while bytes <= settings.most do
        list[#list + 1] = bytes
        bytes = bytes * settings.factor
    end
    return list
end

-- Short calls are soon repeated, and vary more.
local function rounds(settings, bytes)
    return settings.rounds or (bytes < (1 << 20) and 1000 or 20)
end

-- Lines of the table: { kind, mode, codec, direction, routing, way, bytes, rounds, warm_up }.
function M.list(settings)
    local list, row = {}, {}
    -- Every combination of lists, the last turning fastest.
    local function each(lists, position)
        if position > #lists then
            list[#list + 1] = table.pack(table.unpack(row, 1, #lists))
            return
        end
        for _, value in ipairs(lists[position]) do
            row[position] = value
            each(lists, position + 1)
        end
    end
    for _, kind in ipairs(chosen(names.kinds, settings.kinds)) do
        each({
            { kind },
            chosen(names.modes[kind], kind == "rw_pooled" and settings.modes),
            chosen(names.codecs, settings.codecs),
            chosen(names.directions, settings.directions),
            chosen(names.routings[kind], kind == "rw_sequence" and settings.routings),
            chosen(names.ways, settings.ways),
            sizes(settings),
        }, 1)
    end
    for _, case in ipairs(list) do
        case[#case + 1] = rounds(settings, case[7])
        case[#case + 1] = settings.warm_up
    end
    return list
end

-- The kinds and codecs that were asked for.
local function each_dist(settings, f)
    for _, kind in ipairs(chosen(names.kinds, settings.kinds)) do
        for _, codec in ipairs(chosen(names.codecs, settings.codecs)) do
            f(kind, codec)
        end
    end
end

-- The name of a folder for programs of these dists.
function M.folder(dim, features, settings)
    local words = { ("d%d_f%d"):format(dim, features) }
    each_dist(settings, function(kind, codec)
        words[#words + 1] = (settings.kinds or settings.codecs) and kind:sub(4, 4) .. codec or nil
    end)
    return table.concat(words, "_")
end

-- The spec of one dim: a dist for every kind and codec that was asked for.
function M.spec(dim, features, settings)
    local lines = { "return {", '    name = "bench",', "    dists = {" }
    each_dist(settings, function(kind, codec)
        lines[#lines + 1] = ('        { name = "%s_%s", kind = "%s", dims = rep(%d, %d), '
            .. 'forward = "%s", backward = "%s" },'):format(kind, codec, kind, dim, features,
            codec, codec)
    end)
    lines[#lines + 1] = "    },\n}\n"
    return table.concat(lines, "\n")
end

-- The table of these dists in C (case.h).
function M.dists(settings)
    local lines = {
        "/* The dists of bench.h by kind and codec; made by embdist-bench. */",
        '#include "bench.h"',
        '#include "case.h"',
        "",
        "const bench_dist bench_dists[] = {",
    }
    local count = 0
    each_dist(settings, function(kind, codec)
        lines[#lines + 1] = ('    {"%s", "%s", &bench_%s_%s},'):format(kind, codec, kind, codec)
        count = count + 1
    end)
    lines[#lines + 1] = "};"
    lines[#lines + 1] = ("const int64_t bench_dist_count = %d;\n"):format(count)
    return table.concat(lines, "\n")
end

return M
