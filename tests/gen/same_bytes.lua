-- The same spec gives the same bytes: in every process, folder and Lua, whatever the environment.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local command = generator.shell("readlink -f " .. generator.quote(generator.command))
local examples = generator.shell("readlink -f " .. generator.quote(generator.root .. "/examples"))
local SPECS = {"dlrm", "history"}

-- A spec with all that could print differently: floats, options, groups, names.
local SPEC = [[
return { name = "every", dists = {
    { name = "bags", kind = "rw_pooled", dims = { 1, 2.0, 3, 3, 1028 }, gradient = "sum",
      forward = { codec = "fp16", loss_scale = 0.1, nonfinite = "fail" },
      backward = { codec = "bf16", loss_scale = 2 ^ -20, nonfinite = "propagate" } },
    { name = "rows", kind = "rw_sequence", dims = rep(2 ^ 5, 300), index = "int32",
      forward = { codec = "bf16", loss_scale = 1e10 }, backward = { nonfinite = "fail" } },
} }
]]

-- All that a run makes in `out`, started in the folder `current`, as one text.
local function made(folder, current, out, spec, before)
    out = ("%s/%s"):format(folder, out)
    assert(os.execute("mkdir -p " .. generator.quote(out)))
    local line = ("cd %s && %s %s --output %s %s"):format(generator.quote(current), before or "",
        generator.quote(command), generator.quote(out), generator.quote(spec))
    assert(os.execute(line), line)
    return generator.shell(("cd %s && LC_ALL=C && export LC_ALL && for f in *; do echo \"== $f\"; "
        .. "cat \"$f\"; done"):format(generator.quote(out)))
end

-- Compares two runs for every spec.
local function compare(before_a, before_b, current_b)
    generator.with_folder(function(folder)
        generator.write(folder .. "/every.lua", SPEC)
        local specs = {folder .. "/every.lua"}
        for i, name in ipairs(SPECS) do
            specs[i + 1] = ("%s/%s.lua"):format(examples, name)
        end
        for i, spec in ipairs(specs) do
            local a = made(folder, "/", "a" .. i, spec, before_a)
            local b = made(folder, current_b or folder, "b" .. i, spec, before_b)
            tap.ok(#a > 10000, "too little was made")
            tap.ok(a == b, spec .. " differs")
        end
    end)
end

local function lua(version)
    return generator.lua(version) or tap.skip("no Lua " .. version)
end

tap.run {
    {"two processes, in two folders", function() compare() end},
    {"Lua 5.3 and Lua 5.4", function()
        compare("LUA=" .. lua("5.3"), "LUA=" .. lua("5.4"))
    end},
    {"Lua 5.3 twice", function() compare("LUA=" .. lua("5.3"), "LUA=" .. lua("5.3")) end},
    {"Lua 5.4 twice", function() compare("LUA=" .. lua("5.4"), "LUA=" .. lua("5.4")) end},
    {"with SOURCE_DATE_EPOCH, another locale, time zone and home", function()
        compare("", "SOURCE_DATE_EPOCH=1 LC_ALL=de_DE.UTF-8 TZ=Asia/Tokyo HOME=/nowhere")
    end},
    {"with LUA_INIT and LUA_PATH", function()
        compare("", "LUA_INIT='os.exit(3)' LUA_INIT_5_4='os.exit(3)' LUA_PATH=/nowhere/?.lua")
    end},
    {"the spec by its name alone", function()
        generator.with_folder(function(folder)
            generator.write(folder .. "/every.lua", SPEC)
            tap.ok(made(folder, "/", "a", folder .. "/every.lua")
                == made(folder, folder, "b", "every.lua"), "differs")
        end)
    end},
    {"--plan prints the same text", function()
        generator.with_folder(function(folder)
            generator.write(folder .. "/every.lua", SPEC)
            local first = generator.run({"--plan", folder .. "/every.lua"},
                "LUA=" .. (generator.lua("5.3") or generator.lua("5.4")))
            tap.equal({status = 0, err = ""}, {status = first.status, err = first.err})
            tap.equal(first, generator.run({"--plan", folder .. "/every.lua"},
                "LUA=" .. (generator.lua("5.4") or generator.lua("5.3"))))
        end)
    end},
}
