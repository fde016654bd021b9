-- float32.lua: fp32 numbers as the generated code will hold them.

local M = {}

-- The nearest fp32 number, ties to even; inf where it is too large.
function M.round(x)
    return (string.unpack("<f", string.pack("<f", x)))
end

M.largest = 2.0 ^ 128 - 2.0 ^ 104

-- The fp32 number above a positive one.
function M.next_above(x)
    return (string.unpack("<f", string.pack("<I4", string.unpack("<I4", string.pack("<f", x)) + 1)))
end

-- The fp32 number below a positive one.
function M.next_below(x)
    return (string.unpack("<f", string.pack("<I4", string.unpack("<I4", string.pack("<f", x)) - 1)))
end

function M.is_power_of_two(x)
    while x > 1.0 do
        x = x / 2.0
    end
    while x < 1.0 do
        x = x * 2.0
    end
    return x == 1.0
end

-- The shortest decimal that a reader of fp32 numbers takes for x: "0.1", "1000", "1e+10".
function M.shortest(x)
    if x == math.floor(x) and math.abs(x) < 1e9 then
        return ("%d"):format(x)
    end
    for digits = 6, 9 do -- any six digits survive fp32
        local text = ("%%.%dg"):format(digits):format(x)
        if M.round(tonumber(text)) == x then
            return text
        end
    end
    return ("%.9g"):format(x)
end

-- x as a C literal of type float.
function M.literal(x)
    local text = M.shortest(x)
    if not text:find("[.e]") then
        text = text .. ".0"
    end
    return text .. "F"
end

-- The largest fp32 x for which x * scale, rounded to fp32, is at most `limit`.
function M.largest_scaled(limit, scale)
    if limit / scale >= M.largest then
        return M.largest
    end
    -- The product of two fp32 numbers is exact in double.
    local x = M.round(limit / scale)
    while M.round(x * scale) > limit do
        x = M.next_below(x)
    end
    while M.round(M.next_above(x) * scale) <= limit do
        x = M.next_above(x)
    end
    return x
end

return M
