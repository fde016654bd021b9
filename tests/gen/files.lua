-- What the command writes: only what changed, all files or none; lists, choices, dependencies.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")

local SPEC = [[
return { name = "two", dists = {
    { name = "a", kind = "rw_pooled", dims = { 3 }, batch = { "even" } },
    { name = "b", kind = "rw_sequence", dims = { 5 }, forward = "fp16" },
} }
]]
local FILES = {
    "two.h", "two.c",
    "two_pack_runs_d3_fp32.c", "two_unpack_sum_d3_fp32.c", "two_unpack_runs_d3_fp32.c",
    "two_pack_runs_d5_fp16.c", "two_unpack_runs_d5_fp16.c", "two_unpack_gather_d5_fp16_i64.c",
    "two_pack_runs_d5_fp32.c", "two_unpack_runs_d5_fp32.c", "two_unpack_gather_d5_fp32_i64.c",
    "two_pack_transposed_d5_fp32.c", "two_unpack_transposed_d5_fp32.c",
}

local function sorted(names)
    local copy = {table.unpack(names)}
    table.sort(copy)
    return table.concat(copy, "\n")
end

-- Runs the command; its success is expected.
local function succeed(arguments, before)
    local seen = generator.run(arguments, before)
    tap.equal({status = 0, err = ""}, {status = seen.status, err = seen.err})
    return seen.out
end

-- Calls f with a folder that has an `out` folder and the spec.
local function with_spec(f)
    generator.with_folder(function(folder)
        generator.write(folder .. "/two.lua", SPEC)
        assert(os.execute("mkdir " .. generator.quote(folder .. "/out")))
        f(folder .. "/out", folder .. "/two.lua", folder)
    end)
end

-- Makes every file of the folder old enough for a new one to show.
local function age(folder)
    os.execute(("touch -d '2001-02-03 04:05:06' %s/*"):format(generator.quote(folder)))
end

-- The files of the folder that are not as old as `age` makes them.
local function young(folder)
    return generator.shell(("cd %s && find . -type f -newermt 2002-01-01 | LC_ALL=C sort")
        :format(generator.quote(folder)))
end

tap.run {
    {"the files are those that --list prints", function()
        with_spec(function(out, spec)
            tap.equal(table.concat(FILES, "\n") .. "\n", succeed {"--list", spec})
            tap.equal("", generator.names(out))
            tap.equal("", succeed {"--output", out, spec})
            tap.equal(sorted(FILES), generator.names(out))
        end)
    end},
    {"--output defaults to the current folder", function()
        with_spec(function(out, spec)
            local command = generator.shell("readlink -f " .. generator.quote(generator.command))
            assert(os.execute(("cd %s && %s %s"):format(generator.quote(out),
                generator.quote(command), generator.quote(spec))))
            tap.equal(sorted(FILES), generator.names(out))
        end)
    end},
    {"unchanged files keep their time", function()
        with_spec(function(out, spec)
            succeed {"--output", out, spec}
            age(out)
            succeed {"--output", out, spec}
            tap.equal("", young(out))
        end)
    end},
    {"a changed codec changes the table and adds its codelets", function()
        with_spec(function(out, spec)
            succeed {"--output", out, spec}
            age(out)
            generator.write(spec, (SPEC:gsub("fp16", "bf16")))
            succeed {"--output", out, spec}
            tap.equal("./two.c\n./two.h\n./two_pack_runs_d5_bf16.c\n"
                .. "./two_unpack_gather_d5_bf16_i64.c\n./two_unpack_runs_d5_bf16.c", young(out))
        end)
    end},
    {"a file that was changed by hand is made again", function()
        with_spec(function(out, spec)
            succeed {"--output", out, spec}
            local before = generator.read(out .. "/two.h")
            generator.write(out .. "/two.h", before .. "mine\n")
            succeed {"--output", out, spec}
            tap.equal(before, generator.read(out .. "/two.h"))
        end)
    end},
    {"an empty file is made", function()
        with_spec(function(out, spec)
            generator.write(out .. "/two.h", "")
            generator.write(out .. "/two.d", "")
            succeed {"--output", out, "--depfile", out .. "/two.d", spec}
            tap.contains("Made by embdist-gen", generator.read(out .. "/two.h"))
            tap.contains("# Made by embdist-gen from two.lua.\n", generator.read(out .. "/two.d"))
        end)
    end},
    {"a file that is not the generator's is not replaced, and no other is made", function()
        with_spec(function(out, spec)
            for _, name in ipairs {"two.h", "two_pack_runs_d5_fp16.c", "my.d"} do
                generator.write(out .. "/" .. name, "mine\n")
                tap.equal({status = 1, out = "", err = ("embdist-gen: cannot replace %s/%s: its "
                    .. "first lines do not say \"Made by embdist-gen\", so it may be somebody's; "
                    .. "move it, or name another place\n"):format(out, name)},
                    generator.run {"--output", out, "--depfile", out .. "/my.d", spec})
                tap.equal(name, generator.names(out))
                tap.equal("mine\n", generator.read(out .. "/" .. name))
                os.remove(out .. "/" .. name)
            end
        end)
    end},
    {"the spec is not replaced, whatever it says and however it is named", function()
        with_spec(function(out, spec, folder)
            generator.write(spec, "-- Made by embdist-gen\n" .. SPEC)
            local depfile = folder .. "/.//two.lua"
            tap.equal({status = 1, out = "", err = ("embdist-gen: cannot write %s: it is the "
                .. "spec\n"):format(depfile)},
                generator.run {"--output", out, "--depfile", depfile, spec})
            os.rename(spec, out .. "/two.c")
            tap.equal({status = 1, out = "", err = ("embdist-gen: cannot write %s/two.c: it is the "
                .. "spec\n"):format(out)}, generator.run {"--output", out, out .. "/./two.c"})
            tap.equal("-- Made by embdist-gen\n" .. SPEC, generator.read(out .. "/two.c"))
            tap.equal("two.c", generator.names(out))
        end)
    end},
    {"a depfile with the name of a file that is made", function()
        with_spec(function(out, spec)
            tap.equal({status = 1, out = "", err = ("embdist-gen: --depfile: got \"%s/two.c\", the "
                .. "name of a file that is made; expected another name\n"):format(out)},
                generator.run {"--output", out, "--depfile", out .. "/two.c", spec})
            tap.equal("", generator.names(out))
        end)
    end},
    {"a wrong spec leaves the files of the last run", function()
        with_spec(function(out, spec)
            succeed {"--output", out, spec}
            age(out)
            generator.write(spec, (SPEC:gsub("{ 5 }", "{ 7, 0 }")))
            local seen = generator.run {"--output", out, spec}
            tap.equal(1, seen.status)
            tap.equal({"", sorted(FILES)}, {young(out), generator.names(out)})
        end)
    end},
    {"where one file cannot be written, none is", function()
        with_spec(function(out, spec)
            assert(os.execute("mkdir " .. generator.quote(out .. "/two_pack_runs_d5_fp16.c")))
            local seen = generator.run {"--output", out, spec}
            tap.equal({status = 1, out = "", err = ("embdist-gen: cannot replace %s/%s: "
                .. "Is a directory\n"):format(out, "two_pack_runs_d5_fp16.c")}, seen)
            tap.equal("two_pack_runs_d5_fp16.c", generator.names(out))
        end)
    end},
    {"where a temporary cannot be written, no file is and none stays", function()
        with_spec(function(out, spec)
            -- As on a full disk: no file may have more than 4 KiB; the header has some.
            local seen = generator.run({"--output", out, spec}, "trap '' XFSZ; ulimit -f 8;")
            tap.equal(1, seen.status)
            tap.equal(("embdist-gen: cannot write %s/two.h: File too large\n"):format(out),
                seen.err)
            tap.equal("", generator.names(out))
        end)
    end},
    {"a folder that is not there", function()
        with_spec(function(out, spec)
            tap.equal({status = 1, out = "", err = ("embdist-gen: --output: \"%s/none\" is no "
                .. "folder: create it first\n"):format(out)},
                generator.run {"--output", out .. "/none", spec})
        end)
    end},
    {"a file as folder", function()
        with_spec(function(_, spec)
            tap.equal({status = 1, out = "", err = ("embdist-gen: --output: \"%s\" is no folder: "
                .. "name another\n"):format(spec)}, generator.run {"--output", spec, spec})
        end)
    end},
    {"a depfile in a folder that is not there", function()
        with_spec(function(out, spec)
            tap.equal({status = 1, out = "", err = ("embdist-gen: cannot write %s/none/two.d: No "
                .. "such file or directory\n"):format(out)},
                generator.run {"--output", out, "--depfile", out .. "/none/two.d", spec})
            tap.equal("", generator.names(out))
        end)
    end},
    {"a line break in the spec's path, and a depfile", function()
        with_spec(function(out, _, folder)
            generator.write(folder .. "/a\nb.lua", SPEC)
            tap.equal({status = 1, out = "", err = ("embdist-gen: --depfile: \"%s/a?b.lua\" has a "
                .. "line break in its name, which make cannot read\n"):format(folder)},
                generator.run {"--output", out, "--depfile", out .. "/two.d",
                    folder .. "/a\nb.lua"})
            tap.equal("", generator.names(out))
        end)
    end},
    {"a spec that is not there", function()
        with_spec(function(_, spec)
            tap.equal({status = 1, out = "", err = ("embdist-gen: cannot read the spec %sx: "
                .. "No such file or directory\n"):format(spec)}, generator.run {spec .. "x"})
        end)
    end},
    {"a folder as spec", function()
        with_spec(function(out)
            tap.equal({status = 1, out = "", err = ("embdist-gen: cannot read the spec %s: "
                .. "Is a directory\n"):format(out)}, generator.run {out})
        end)
    end},
    {"--only makes one dist and what it needs", function()
        with_spec(function(out, spec)
            tap.equal("two.h\ntwo.c\ntwo_pack_runs_d3_fp32.c\ntwo_unpack_sum_d3_fp32.c\n"
                .. "two_unpack_runs_d3_fp32.c\n", succeed {"--list", "--only", "a", spec})
            succeed {"--output", out, "--only", "a", spec}
            tap.ok(not generator.read(out .. "/two.h"):find("two_b"), "two_b in two.h")
        end)
    end},
    {"--only twice, in any order, is the spec's order", function()
        with_spec(function(_, spec)
            tap.equal(table.concat(FILES, "\n") .. "\n",
                succeed {"--list", "--only", "b", "--only=a", spec})
        end)
    end},
    {"--only an unknown dist", function()
        with_spec(function(_, spec)
            tap.equal({status = 1, out = "", err = spec .. ": --only c: no such dist; did you mean "
                .. "\"a\"?\n"}, generator.run {"--only", "c", spec})
        end)
    end},
    {"--line names the templates", function()
        with_spec(function(out, spec)
            succeed {"--output", out, "--line", spec}
            tap.contains(("#line 1 \"%s/templates/header.h.tmpl\"\n"):format(generator.root == "."
                and "." or generator.root), generator.read(out .. "/two.h"))
            succeed {"--output", out, spec}
            tap.ok(not generator.read(out .. "/two.h"):find("#line"), "#line in two.h")
        end)
    end},
    {"--depfile names every file and what it was made from", function()
        with_spec(function(out, spec, folder)
            local depfile = folder .. "/two.d"
            succeed {"--output", out, "--depfile", depfile, spec}
            local text = generator.read(depfile)
            local targets, prerequisites = text:match("\n(.-): \\\n(.-)\n\n")
            local expected = {}
            for i, name in ipairs(FILES) do
                expected[i] = ("%s/%s"):format(out, name)
            end
            tap.equal(table.concat(expected, " \\\n"), targets)
            for _, path in ipairs {spec, generator.root .. "/templates/header.h.tmpl",
                generator.root .. "/templates/elements/head.c.tmpl",
                generator.root .. "/templates/elements/unpack_sum.c.tmpl",
                generator.root .. "/templates/tail.c.tmpl", generator.root .. "/gen/plan.lua",
                generator.root .. "/gen/codecs/bf16.lua", generator.root .. "/gen/embdist-gen"} do
                tap.contains(path, prerequisites)
            end
        end)
    end},
    {"make reads the depfile, with a space, # and $ in names", function()
        if generator.shell("make --version 2>/dev/null | head -n 1") == "" then
            tap.skip("no make")
        end
        generator.with_folder(function(base)
            local folder = base .. "/a b#c$d"
            assert(os.execute("mkdir " .. generator.quote(folder)))
            generator.write(folder .. "/two.lua", SPEC)
            local cd = ("cd %s && "):format(generator.quote(folder))
            local command = generator.shell("readlink -f " .. generator.quote(generator.command))
            assert(os.execute(("%s%s --depfile two.d two.lua"):format(cd,
                generator.quote(command))))
            -- The spec by a full path, so that the odd letters are in the depfile.
            assert(os.execute(("%s%s --output %s --depfile two.d %s"):format(cd,
                generator.quote(command), generator.quote(folder),
                generator.quote(folder .. "/two.lua"))))
            generator.write(folder .. "/Makefile",
                "include two.d\nMAKEFLAGS += -r\n%.h %.c: ; @echo made\n")
            -- Every file but the spec is older than what was made.
            -- make warns of times in the future.
            local make = cd .. "touch -d 2101-01-01 *.h *.c && touch -d %s two.lua && make -s "
                .. generator.quote(folder .. "/two.h") .. " 2>/dev/null"
            tap.equal("", generator.shell(make:format("2001-01-01")))
            tap.equal("made", generator.shell(make:format("2102-01-01")))
        end)
    end},
    {"an unchanged depfile keeps its time", function()
        with_spec(function(out, spec)
            local depfile = out .. "/two.d"
            succeed {"--output", out, "--depfile", depfile, spec}
            age(out)
            succeed {"--output", out, "--depfile", depfile, spec}
            tap.equal("", young(out))
        end)
    end},
    {"no temporary file stays", function()
        with_spec(function(out, spec)
            succeed {"--output", out, "--depfile", out .. "/two.d", spec}
            tap.ok(not generator.names(out):find("tmp"), generator.names(out))
        end)
    end},
}
