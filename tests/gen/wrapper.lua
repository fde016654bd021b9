-- The shell wrapper: which Lua it takes, how it finds its own files, and the words it understands.
package.path = (os.getenv("top_srcdir") or os.getenv("srcdir") or ".") .. "/tests/?.lua"
local generator = require("generator")
local tap = require("tap")
local quote = generator.quote

local VERSION = "embdist-gen " .. require("version") .. "\n"
local WELL = {status = 0, out = VERSION, err = ""}
local root = generator.shell("readlink -f " .. quote(generator.root))

-- What `command` prints for --version, behind the shell words `before`.
local function version_of(command, before)
    local saved = generator.command
    generator.command = command
    local done, seen = pcall(generator.run, {"--version"}, before)
    generator.command = saved
    return done and seen or error(seen, 0)
end

local function copy(from, to)
    assert(os.execute(("mkdir -p %s && cp -r %s %s"):format(quote(to), quote(from), quote(to))))
end

-- `says` is in what the program says itself; the message is one line.
local function refuses(lua, says)
    return function()
        local seen = generator.run({"--version"}, "LUA=" .. quote(lua))
        local message, itself = seen.err:match("^([^\n(]*)(.*)\n$")
        tap.equal({status = 1, out = "", message = ("embdist-gen: LUA is %s, which does not run as "
            .. "Lua 5.3 or 5.4%s"):format(lua, says and " " or "")},
            {status = seen.status, out = seen.out, message = message})
        tap.equal(says and "(it says: " or "", itself:sub(1, 10))
        tap.contains(says or "", itself)
        tap.ok(not itself:find("\n"), itself)
    end
end

-- Runs with a PATH that has the usual tools, and of Luas only `name`, a link to `target`.
local function with_only_lua(name, target, check)
    generator.with_folder(function(folder)
        for _, tool in ipairs {"sh", "readlink", "env"} do
            assert(os.execute(("ln -s \"$(command -v %s)\" %s/%s"):format(tool, quote(folder),
                tool)))
        end
        if name then
            assert(os.execute(("ln -s \"$(command -v %s)\" %s/%s"):format(target, quote(folder),
                name)))
        end
        check(generator.run({"--version"}, ("unset LUA; PATH=%s"):format(quote(folder))))
    end)
end

local function wrong_words(arguments, message)
    return function()
        tap.equal({status = 1, out = "", err = ("embdist-gen: %s; try --help\n"):format(message)},
            generator.run(arguments))
    end
end

tap.run {
    {"--version", function() tap.equal(WELL, generator.run {"--version"}) end},
    {"--help names every option", function()
        local seen = generator.run {"--help"}
        tap.equal(0, seen.status)
        for _, option in ipairs {"output", "only", "line", "depfile", "list", "plan", "help",
            "version"} do
            tap.contains("--" .. option, seen.out)
        end
    end},
    {"-h is --help", function()
        tap.equal(generator.run {"--help"}, generator.run {"-h"})
    end},
    {"no spec", wrong_words({}, "got 0 spec files, expected one")},
    {"two specs", wrong_words({"a.lua", "b.lua"}, "got 2 spec files, expected one")},
    {"an unknown option", wrong_words({"--lits", "a.lua"}, "unknown option --lits")},
    {"an option without its value", wrong_words({"a.lua", "--output"}, "--output needs a value")},
    {"--depfile with --list", wrong_words({"--list", "--depfile", "d", "a.lua"},
        "--depfile goes with files that are written, not with --list or --plan")},
    {"--list with --plan", wrong_words({"--list", "--plan", "a.lua"},
        "got --list and --plan, expected one of them")},
    {"--output twice", wrong_words({"--output", "a", "--output=b", "a.lua"},
        "got --output a second time, expected it once")},
    {"--depfile twice", wrong_words({"--depfile", "a", "--depfile", "a", "a.lua"},
        "got --depfile a second time, expected it once")},
    {"LUA=/bin/false", refuses("/bin/false")},
    {"LUA=/bin/true", refuses("/bin/true")},
    {"LUA=/bin/cat", refuses("/bin/cat", "No such file")},
    {"LUA is a program that prints without end", function()
        generator.with_folder(function(folder)
            generator.write(folder .. "/endless", "#!/bin/sh\nexec yes\n")
            assert(os.execute("chmod +x " .. quote(folder .. "/endless")))
            refuses(folder .. "/endless", "y)")()
        end)
    end},
    {"LUA is not there", refuses("/nowhere/lua", "not found")},
    {"LUA with a space in its path", function()
        generator.with_folder(function(folder)
            assert(os.execute(("mkdir %s && ln -s \"$(command -v %s)\" %s"):format(
                quote(folder .. "/a b"), generator.lua("5.4") or generator.lua("5.3"),
                quote(folder .. "/a b/my lua"))))
            tap.equal(WELL, generator.run({"--version"}, "LUA=" .. quote(folder .. "/a b/my lua")))
        end)
    end},
    {"lua5.4 is the only Lua", function()
        with_only_lua("lua5.4", generator.lua("5.4") or tap.skip("no Lua 5.4"), function(seen)
            tap.equal(WELL, seen)
        end)
    end},
    {"lua5.3 is the only Lua", function()
        with_only_lua("lua5.3", generator.lua("5.3") or tap.skip("no Lua 5.3"), function(seen)
            tap.equal(WELL, seen)
        end)
    end},
    {"lua is the only Lua", function()
        with_only_lua("lua", generator.lua("5.4") or generator.lua("5.3"), function(seen)
            tap.equal(WELL, seen)
        end)
    end},
    {"lua is something else", function()
        with_only_lua("lua", "/bin/true", function(seen)
            tap.equal({status = 1, out = "", err = "embdist-gen: needs Lua 5.3 or 5.4; lua is "
                .. "there, but does not run as one\n"}, seen)
        end)
    end},
    {"lua cannot start, for want of memory", function()
        -- How much lets a shell start, but not Lua, is the system's.
        local told, seen = "is there, but does not run as one (it says: lua", nil
        for kib = 2000, 16000, 500 do
            seen = generator.run({"--version"}, ("LUA=; ulimit -v %d;"):format(kib))
            if seen.err:find(told, 1, true) then
                break
            end
        end
        tap.contains(told, seen.err)
        tap.equal(1, seen.status)
    end},
    {"no Lua at all", function()
        with_only_lua(nil, nil, function(seen)
            tap.equal({status = 1, out = "", err = "embdist-gen: needs Lua 5.3 or 5.4 and finds "
                .. "neither lua5.4, lua5.3 nor lua; install one (Debian: apt-get install lua5.4), "
                .. "or name it in LUA\n"}, seen)
        end)
    end},
    {"through symbolic links, one relative", function()
        generator.with_folder(function(folder)
            assert(os.execute(("mkdir %s/bin && ln -s %s %s/real && ln -s ../real %s/bin/gen")
                :format(folder, quote(root .. "/gen/embdist-gen"), folder, folder)))
            tap.equal(WELL, version_of(folder .. "/bin/gen"))
        end)
    end},
    {"from PATH", function()
        tap.equal(WELL, version_of("embdist-gen", ("PATH=%s:$PATH"):format(quote(root .. "/gen"))))
    end},
    {"by sh, in its own folder", function()
        local seen = generator.shell(("cd %s && sh embdist-gen --list ../examples/dlrm.lua")
            :format(quote(root .. "/gen")))
        tap.contains("dlrm.h\ndlrm.c\n", seen .. "\n")
    end},
    {"in a folder with odd letters", function()
        generator.with_folder(function(folder)
            local odd = folder .. "/a b;c?d%e$f'g"
            copy(root .. "/gen", odd)
            copy(root .. "/templates", odd)
            tap.equal(WELL, version_of(odd .. "/gen/embdist-gen"))
            generator.write(odd .. "/s.lua", "return { name = \"s\", dists = { { name = \"d\", "
                .. "kind = \"rw_pooled\", dims = { 2 } } } }")
            assert(os.execute(("cd %s && gen/embdist-gen s.lua"):format(quote(odd))))
            tap.contains("s.h", generator.names(odd))
        end)
    end},
    {"installed: the command in bin, the rest in share/embdist", function()
        generator.with_folder(function(folder)
            copy(root .. "/gen", folder .. "/share/embdist")
            copy(root .. "/templates", folder .. "/share/embdist")
            assert(os.execute(("mkdir %s/bin && mv %s/share/embdist/gen/embdist-gen %s/bin")
                :format(folder, folder, folder)))
            tap.equal(WELL, version_of(folder .. "/bin/embdist-gen"))
        end)
    end},
    {"alone, without its modules", function()
        generator.with_folder(function(folder)
            copy(root .. "/gen/embdist-gen", folder)
            local seen = version_of(folder .. "/embdist-gen")
            tap.equal(1, seen.status)
            tap.contains("embdist-gen: cannot find its own file main.lua in ", seen.err)
        end)
    end},
    {"from a source tree that cannot be written", function()
        generator.with_folder(function(folder)
            copy(root .. "/gen", folder .. "/tree")
            copy(root .. "/templates", folder .. "/tree")
            copy(root .. "/examples", folder .. "/tree")
            os.execute("chmod -R a-w " .. quote(folder .. "/tree"))
            assert(os.execute(("cd %s && mkdir out && tree/gen/embdist-gen --output out "
                .. "tree/examples/dlrm.lua"):format(quote(folder))))
            tap.contains("dlrm.h", generator.names(folder .. "/out"))
        end)
    end},
}
