-- fp32 numbers: rounding, literals, and the limit of nonfinite = "fail".
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
require("generator")
local tap = require("tap")
local float32 = require("float32")

local FP16, BF16 = 65504.0, 2.0 ^ 128 - 2.0 ^ 120

local function literals(pairs_of)
    return function()
        for _, row in ipairs(pairs_of) do
            tap.equal(row[1], float32.literal(float32.round(row[2])))
        end
    end
end

tap.run {
    {"whole numbers get a point", literals {
        {"1.0F", 1.0}, {"4.0F", 4}, {"65504.0F", 65504.0}, {"1000.0F", 1000}, {"100000000.0F", 1e8},
    }},
    {"fractions are as short as fp32 reads them", literals {
        {"0.1F", 0.1}, {"0.25F", 0.25}, {"0.33333334F", 1.0 / 3.0}, {"3.1415927F", math.pi},
        {"0.0009765625F", 2.0 ^ -10}, {"16777216.0F", 2.0 ^ 24},
    }},
    {"large and small numbers have exponents", literals {
        {"1e+10F", 1e10}, {"3.4028235e+38F", float32.largest}, {"1.1754944e-38F", 2.0 ^ -126},
        {"8.507059e+37F", 2.0 ^ 126},
    }},
    {"every power of two reads back", function()
        for exponent = -126, 127 do
            local x = 2.0 ^ exponent
            tap.equal(x, float32.round(tonumber(float32.shortest(x))), "2^" .. exponent)
            tap.ok(float32.is_power_of_two(x), "2^" .. exponent)
        end
    end},
    {"random numbers read back, with no digit too many", function()
        local bits = 12345
        for _ = 1, 2000 do
            bits = (bits * 1103515245 + 12345) % 2 ^ 31 | 0
            local x = string.unpack("<f", string.pack("<I4", 0x20000000 + bits % 0x40000000))
            local text = float32.shortest(x)
            tap.equal(x, float32.round(tonumber(text)), text)
            local digits = #text:gsub("e.*", ""):gsub("^0%.0*", ""):gsub("%.", "")
            tap.ok(digits <= 9, text)
            local shorter = ("%%.%dg"):format(math.max(1, digits - 1)):format(x)
            tap.ok(digits == 1 or x == math.floor(x) and x < 1e9
                or float32.round(tonumber(shorter)) ~= x, text)
        end
    end},
    {"other numbers are no powers of two", function()
        for _, x in ipairs {3.0, 0.1, 1.5, 1000.0, 2.0 ^ 100 + 2.0 ^ 90} do
            tap.ok(not float32.is_power_of_two(x), tostring(x))
        end
    end},
    {"neighbours", function()
        tap.equal(1.0 + 2.0 ^ -23, float32.next_above(1.0))
        tap.equal(1.0 - 2.0 ^ -24, float32.next_below(1.0))
        tap.equal(2.0 ^ 24 + 2.0, float32.next_above(2.0 ^ 24))
    end},
    {"the limit of a format without a scale is its largest number", function()
        tap.equal(FP16, float32.largest_scaled(FP16, 1.0))
        tap.equal(BF16, float32.largest_scaled(BF16, 1.0))
        tap.equal(float32.largest, float32.largest_scaled(float32.largest, 1.0))
    end},
    {"a scale divides the limit, exactly for powers of two", function()
        tap.equal(FP16 / 1024.0, float32.largest_scaled(FP16, 1024.0))
        tap.equal(FP16 * 8.0, float32.largest_scaled(FP16, 0.125))
    end},
    {"no fp32 number exceeds a limit above them all", function()
        tap.equal(float32.largest, float32.largest_scaled(BF16, 0.5))
        tap.equal(float32.largest, float32.largest_scaled(FP16, 2.0 ^ -126))
    end},
    {"the limit is the last number whose product stays below", function()
        -- Of these, limit / scale, rounded, is too large for 3 / 7, and too small for 419 / 7.
        for _, limit in ipairs {FP16, 448.0} do
            for _, scale in ipairs {3.0, 0.1, 7.0, 1000.0, 3.0 / 7.0, 419.0 / 7.0, 2.0 ^ 126} do
                scale = float32.round(scale)
                local x = float32.largest_scaled(limit, scale)
                tap.ok(float32.round(x * scale) <= limit, "too large for " .. scale)
                x = float32.next_above(x)
                tap.ok(float32.round(x * scale) > limit, "too small for " .. scale)
            end
        end
    end},
}
