-- rows.lua FILE COUNT: fails unless FILE has COUNT results of embdist-bench, all different, each
-- with all fields, and with numbers that agree with each other.
local file = assert(io.open(arg[1]))
local text = file:read("a")
file:close()
-- JSON without escapes is nearly Lua.
text = text:gsub('("[%w_]+"):', "[%1] ="):gsub("%[\n", "{\n"):gsub("\n  %]", "\n  }")
local rows = assert(load("return " .. text, "results", "t", {}))().results

local function expect(right, row, what)
    if not right then
        local all = {}
        for name, value in pairs(row) do
            all[#all + 1] = name .. " = " .. tostring(value)
        end
        table.sort(all)
        error(what .. ": " .. table.concat(all, ", "), 0)
    end
end

-- Wire bytes of a row; int8 and fp8 have one scale a row here, mx4 one for 32 values.
local WIRE = {
    fp32 = function(dim) return 4 * dim end,
    fp16 = function(dim) return 2 * dim end,
    bf16 = function(dim) return 2 * dim end,
    int8 = function(dim) return dim + 8 end,
    fp8_e4m3 = function(dim) return dim + 4 end,
    fp8_e5m2 = function(dim) return dim + 4 end,
    mx4 = function(dim) return (dim + 1) // 2 + (dim + 31) // 32 end,
}

-- Bytes that must move for an element of the local side (doc/design.md, "Speed").
local function must_move(row)
    local w = row.way == "staged" and WIRE[row.codec](row.dim) / row.dim or 0
    if row.kind == "rw_sequence" then
        return 8 + 2 * w
    elseif row.direction == "forward" then
        return 4 + 2 * w + 4 / row.world
    end
    return 4 + w + (4 + w) / row.world
end

local function near(a, b)
    return math.abs(a - b) <= 0.02 * math.abs(b) + 1e-3
end

local seen = {}
for _, row in ipairs(rows) do
    local sequence = row.kind == "rw_sequence"
    expect(sequence or row.kind == "rw_pooled", row, "unknown kind")
    expect((row.mode == "none") == sequence, row, "mode is none for sequences alone")
    expect((row.routing == "none") == not sequence, row, "routing is none for pooled dists alone")
    expect(WIRE[row.codec], row, "unknown codec")
    expect(row.direction == "forward" or row.direction == "backward", row, "unknown direction")
    expect(row.way == "in_place" or row.way == "staged", row, "unknown way")
    expect(row.bytes % (4 * row.dim) == 0 and row.bytes > 0, row, "bytes are not those of rows")
    expect(row.time_ms > 0 and row.time_ms_min <= row.time_ms and row.time_ms <= row.time_ms_max,
        row, "times are out of order")
    local bytes = row.world * row.bytes / 4 * must_move(row)
    expect(near(row.must_move_bytes, bytes), row, ("must move %g bytes"):format(bytes))
    expect(near(row.ratio, bytes / (1e9 * row.stream_gbs) / (1e-3 * row.time_ms)), row,
        "the ratio is another")
    local name = table.concat({ row.kind, row.mode, row.codec, row.direction, row.routing, row.way,
        row.dim, row.bytes }, " ")
    expect(not seen[name], row, "twice")
    seen[name] = true
end
expect(#rows == tonumber(arg[2]), {}, ("%d rows"):format(#rows))
