-- report.lua: the text that --plan prints.

local float32 = require("float32")
local traffic = require("traffic")

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

-- Where rows of several ranks are summed, so are their errors.
local MOST_BITS_OF_NOTE = 15

local function sum_note(stage)
    if stage.unpack == "sum" and stage.element_bits <= MOST_BITS_OF_NOTE then
        return ("%s where ranks' rows are summed costs more accuracy than in the other direction, "
            .. "since the errors of all ranks add up; bf16 and fp16 are the usual codecs there")
            :format(stage.codec)
    end
    return nil
end

local function group_note(dim, codec)
    if codec.group and dim % codec.group ~= 0 then
        return ("group %d does not divide dim %d: the last group of a row has %d value%s"):format(
            codec.group, dim, dim % codec.group, dim % codec.group == 1 and "" or "s")
    end
    return nil
end

-- Adds what is printed for the rows of a dim. Returns a note on them, or nil.
local function add_dim(add, plan, dist, stage, dim, set)
    local in_place, staged = traffic.moved(stage, dist.element_bytes, set.row_bytes / dim)
    add("            dim %d: %d wire bytes a row; to move: %s in place, %s staged", dim,
        set.row_bytes, in_place, staged)
    add("              codelets %s", table.concat(set.codelets, " "))
    return group_note(dim, plan.codelets[set.codelets[1]].codec)
end

local function add_direction(add, plan, name, dist)
    local stage = dist[name]
    add("  %-9s %s", name, stage.codec)
    for _, option in ipairs(stage.options) do
        add("            %s %s", option.name, option.text)
    end
    add("            error of a value: %s", stage.error_bound)
    add("            pack %s, exchange %s, unpack %s%s", stage.pack, stage.exchange, stage.unpack,
        DIVIDE_WORDS[stage.divide])
    local notes, printed, bytes = {}, {}, 0
    for _, group in ipairs(dist.groups) do
        local set = plan.sets[group[name]]
        if not printed[set.name] then
            printed[set.name] = true
            notes[#notes + 1] = add_dim(add, plan, dist, stage, group.dim, set)
        end
        -- Dims of a sequence are equal, and what arrives is counted in rows.
        bytes = dist.modes[1] == "sequence" and set.row_bytes
            or bytes + group.features * set.row_bytes
    end
    local layout = name == "forward" and dist.out_layout or dist.local_layout
    local owned = dist.owned == 1 and name == "backward"
    for _, mode in ipairs(dist.modes) do
        add("            to receive, %s: %s", mode, traffic.received(layout, mode, owned, bytes))
    end
    notes[#notes + 1] = loss_scale_note(stage.options)
    notes[#notes + 1] = sum_note(stage)
    for _, note in ipairs(notes) do
        add("            note: %s", note)
    end
end

local function add_dist(add, plan, dist)
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
    add_direction(add, plan, "forward", dist)
    add_direction(add, plan, "backward", dist)
    for _, field in ipairs {"gradient", "sum", "index", "dtype"} do
        if dist[field] then
            add("  %-9s %s", field, dist[field])
        end
    end
    if dist.sum == "library" then
        add("  note      a transport may add in another order than that of the ranks, so results "
            .. "may differ in their last bits between transports")
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
        add_dist(add, plan, dist)
    end
    add("")
    add("W: the number of ranks")
    add("to move: bytes that pass between memory and cores for an element of a rank's input "
        .. "(exchange all_gather: of its output)")
    add("to receive: bytes of wire rows that arrive at a rank, its own included, where a transport "
        .. "does not read them in the sender's memory")
    add("one rank: nothing encoded, nothing divided")
    add("files: %d", #plan.files)
    for _, file in ipairs(plan.files) do
        add("  %s", file.name)
    end
    return table.concat(lines, "\n") .. "\n"
end

return M
