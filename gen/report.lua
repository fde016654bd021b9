-- report.lua: the text that --plan prints.

local float32 = require("float32")

local M = {}

local DIVIDE_WORDS = {[0] = "", [1] = ", divide by the number of ranks"}

-- Dividing by a loss scale is exact for powers of two only.
local function loss_scale_note(options)
    for _, option in ipairs(options) do
        if option.name == "loss_scale" and not float32.is_power_of_two(option.value) then
            local below = 1.0
            while below * 2.0 <= option.value do
                below = below * 2.0
            end
            while below > option.value do
                below = below / 2.0
            end
            return ("loss_scale %s is no power of two, so values are rounded once more on the way "
                .. "in and out; %s and %s are exact"):format(option.text, float32.shortest(below),
                float32.shortest(below * 2.0))
        end
    end
    return nil
end

local function add_direction(add, name, stage, dist, sets)
    add("  %-9s %s", name, stage.codec)
    for _, option in ipairs(stage.options) do
        add("            %s %s", option.name, option.text)
    end
    add("            pack %s, exchange %s, unpack %s%s", stage.pack, stage.exchange, stage.unpack,
        DIVIDE_WORDS[stage.divide])
    local printed = {}
    for _, group in ipairs(dist.groups) do
        local set = sets[group[name]]
        if not printed[set.name] then
            printed[set.name] = true
            add("            dim %d: %d wire bytes a row, codelets %s", group.dim, set.row_bytes,
                table.concat(set.codelets, " "))
        end
    end
    local note = loss_scale_note(stage.options)
    if note then
        add("            note: %s", note)
    end
end

local function add_dist(add, dist, sets)
    add("")
    add("dist %s", dist.name)
    add("  kind      %s", dist.kind)
    add("  features  %d, sum of dims %d", dist.feature_count, dist.sum_of_dims)
    if dist.owned == 1 then
        add("  owners    one rank for each feature, as embdist_open is told")
    end
    local first = 0
    for _, group in ipairs(dist.groups) do
        local last = first + group.features - 1
        add("  group     %s: dim %d", first == last and ("feature %d"):format(first)
            or ("features %d to %d"):format(first, last), group.dim)
        first = last + 1
    end
    add("  modes     %s", table.concat(dist.modes, ", "))
    add_direction(add, "forward", dist.forward, dist, sets)
    add_direction(add, "backward", dist.backward, dist, sets)
    for _, field in ipairs {"gradient", "sum", "index", "dtype"} do
        if dist[field] then
            add("  %-9s %s", field, dist[field])
        end
    end
end

-- The plan as text for people, the same for the same plan.
function M.text(plan)
    local lines = {}
    local function add(format, ...)
        lines[#lines + 1] = format:format(...)
    end
    add("spec %s", plan.spec)
    add("  from      %s", plan.source)
    add("  backends  %s", table.concat(plan.backends, ", "))
    for _, dist in ipairs(plan.dists) do
        add_dist(add, dist, plan.sets)
    end
    add("")
    add("one rank: fp32 rows, nothing divided")
    add("files: %d", #plan.files)
    for _, file in ipairs(plan.files) do
        add("  %s", file.name)
    end
    return table.concat(lines, "\n") .. "\n"
end

return M
