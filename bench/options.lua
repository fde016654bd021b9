-- The command line: from arguments to settings, or to a sentence.
local names = require("names")

local M = {}

M.usage = [[
Usage: embdist-bench [OPTION]...

Measures dists between threads of this process, and states how near they come to the limit: the
bytes that must move, at the speed of a plain copy that the same threads make in the same rounds.
Makes and compiles what it measures (kept in build/bench/generated).

  -b SIZE, -e SIZE  least and most bytes of fp32 rows a rank holds (local_embs, or its gradient);
                    K, M and G mean 2^10, 2^20 and 2^30 [128M, and -e as -b]. Taken to whole
                    samples, one for each rank at least: "a rank bytes" says what was measured
  -f FACTOR         from one size to the next [2]
  -n NUMBER         rounds that count [20; 1000 below 1 MiB]
  -w NUMBER         rounds before them that do not [5]
  -t NUMBER         ranks, each a thread [2]
  --dim N           values of a row [128]
  --features N      features of a dist [4]
  --kind K          rw_pooled, rw_sequence
  --mode M          of rw_pooled: even, ragged, per_feature
  --codec C         fp32, fp16, bf16, int8, fp8_e4m3, fp8_e5m2, mx4, in both directions
  --direction D     forward, backward
  --routing R       which rank has a value's row, of rw_sequence:
                    contiguous   rows of each rank in order
                    round_robin  value i belongs to rank i % ranks
                    random       any row, anywhere
  --way W           in_place, staged
  --json FILE       also write the results to FILE
  -h, --help        print this

Options from --dim to --way take lists with commas; those with names are all if not given.
EMBDIST_ISA (plain, avx2, avx512) picks an instruction set, CC the compiler and EMBDIST_BUILD the
build folder with the runtime's library [build].

A round is a barrier and a call (start and wait) on every rank; its time ends with the last rank.
Rounds of the call, of the copy and of a bare barrier take turns. Every time is the median.
  time       of a round, with the shortest and the longest
  must move  bytes that the call cannot help reading and writing, all ranks together
  GB/s       must move / time
  stream     what the copy reads and writes (non-temporal stores, a buffer of the rank's size) by
             its time, all ranks together
  ratio      (must move / stream) / time: 1 is the speed of the copy. What reads two streams by
             turns can be a tenth faster; in cache the ratio says little, as the copy goes to memory
  barrier    of a bare barrier: what a call of no size cannot be faster than
Buffers are aligned to 64 bytes. Ranks are pinned to processors where there are enough.
]]

local SUFFIX = { K = 1 << 10, M = 1 << 20, G = 1 << 30 }

-- The value, or nil and what is expected.

local function whole(least, most)
    local expected = ("a whole number from %d to %d"):format(least, most)
    return function(text)
        local number = text:match("^%d+$") and #text < 16 and math.tointeger(tonumber(text))
        if number and number >= least and number <= most then
            return number
        end
        return nil, expected
    end
end

local function size(text)
    local digits, suffix = text:match("^(%d+)([KMG]?)$")
    local number = digits and #digits < 13 and math.tointeger(tonumber(digits))
    if number and number > 0 and number <= (1 << 40) then
        number = number * (SUFFIX[suffix] or 1)
        if number <= 1 << 40 then
            return number
        end
    end
    return nil, "a number of bytes from 1 to 1024G, such as 256K or 128M"
end

local function list_of(parse_item)
    return function(text)
        local items, seen = {}, {}
        for word in (text .. ","):gmatch("([^,]*),") do
            local item, expected = parse_item(word)
            if item == nil then
                return nil, expected
            end
            if not seen[item] then
                seen[item] = true
                items[#items + 1] = item
            end
        end
        return items
    end
end

local function one_of(...)
    local known, all = {}, {}
    for _, list in ipairs({ ... }) do
        for _, name in ipairs(list) do
            known[name] = true
            all[#all + 1] = name
        end
    end
    local expected = "one or more of " .. table.concat(all, ", ") .. ", with commas between"
    return list_of(function(word)
        if known[word] then
            return word
        end
        return nil, expected
    end)
end

local function file(text)
    if text ~= "" then
        return text
    end
    return nil, "the name of a file"
end

local PARSE = {
    ["-b"] = { "least", size },
    ["-e"] = { "most", size },
    ["-f"] = { "factor", whole(2, 1000000) },
    ["-n"] = { "rounds", whole(1, 1000000) },
    ["-w"] = { "warm_up", whole(0, 1000000) },
    ["-t"] = { "world", whole(1, 1024) },
    ["--dim"] = { "dims", list_of(whole(1, 1000000)) },
    ["--features"] = { "features", whole(1, 10000) },
    ["--kind"] = { "kinds", one_of(names.kinds) },
    -- "none", as in the results, is the mode of a sequence and the routing of a pooled dist
    ["--mode"] = { "modes", one_of(names.modes.rw_pooled, names.modes.rw_sequence) },
    ["--codec"] = { "codecs", one_of(names.codecs) },
    ["--direction"] = { "directions", one_of(names.directions) },
    ["--routing"] = { "routings", one_of(names.routings.rw_sequence, names.routings.rw_pooled) },
    ["--way"] = { "ways", one_of(names.ways) },
    ["--json"] = { "json", file },
}

-- Settings from arguments; { help = true }; or nil and a sentence.
function M.parse(arguments)
    local settings = { factor = 2, warm_up = 5, world = 2, dims = { 128 }, features = 4 }
    local at = 1
    while at <= #arguments do
        local flag, value = arguments[at], nil
        if flag == "--help" or flag == "-h" then
            return { help = true }
        end
        local name, attached = flag:match("^(%-%-%a+)=(.*)$")
        if name then
            flag, value = name, attached
        end
        local option = PARSE[flag]
        if not option then
            return nil, ("unknown option %s (--help lists them)"):format(arguments[at])
        end
        if not value then
            at = at + 1
            value = arguments[at]
        end
        if not value then
            return nil, ("%s: expected a value after it"):format(flag)
        end
        local parsed, expected = option[2](value)
        if parsed == nil then
            return nil, ("%s %s: expected %s"):format(flag, value, expected)
        end
        settings[option[1]] = parsed
        at = at + 1
    end
    settings.least = settings.least or math.min(128 << 20, settings.most or (128 << 20))
    settings.most = settings.most or settings.least
    if settings.least > settings.most then
        return nil, ("-b is %d and -e is %d bytes: expected -b to be at most -e"):format(
            settings.least, settings.most)
    end
    return settings
end

return M
