-- names.lua: which names a spec may give, and the symbols that are made of them.

local value = require("value")

local M = {}

M.longest = 48 -- so that the generated names of a spec's longest dist stay readable

local function set(words)
    local members = {}
    for word in words:gmatch("%S+") do
        members[word] = true
    end
    return members
end

local KEYWORDS = set [[
    auto break case char const continue default do double else enum extern float for goto if inline
    int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while

    alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept bitand bitor bool
    catch char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast
    consteval constexpr constinit decltype delete dynamic_cast explicit export false friend import
    module mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
    public reflexpr reinterpret_cast requires static_assert static_cast synchronized template this
    thread_local throw true try typeid typename typeof using virtual wchar_t xor xor_eq
]]

-- The spec's name becomes the name of a header, which must not hide one of these.
local HEADERS = set [[
    assert complex ctype errno fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg
    stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads
    time uchar wchar wctype

    aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen monetary mqueue
    ndbm netdb nl_types poll pthread pwd regex sched search semaphore spawn strings stropts syslog
    tar termios ulimit unistd utime utmpx wordexp

    alloca argp argz byteswap crypt elf endian envz err error execinfo features fpu_control fstab
    fts getopt ifaddrs ieee754 libintl link malloc mcheck memory mntent obstack paths printf pty
    resolv shadow syscall sysexits termio ttyent ucontext utmp values wait

    arm_acle arm_bf16 arm_fp16 arm_neon arm_sve cpuid mm_malloc quadmath stdc_predef syslimits
    unwind varargs

    cuda cuda_bf16 cuda_fp16 cuda_runtime cuda_runtime_api driver_types hwloc mpi
    mpio nccl numa numaif nvml omp ompt vector_types
]]

-- What is wrong with a name: a clause that follows `got "NAME"`; nil where nothing is.
function M.problem(name)
    if not name:find("^%a[%w_]*$") or name:find("__", 1, true) or name:find("_$") then
        return ", expected letters, digits and single inner underscores, a letter first"
    end
    if #name > M.longest then
        return (", a name of %d characters; expected at most %d"):format(#name, M.longest)
    end
    if KEYWORDS[name] then
        return ", a keyword of C or C++; expected another name"
    end
    return nil
end

-- The same for the name of a spec.
function M.spec_problem(name)
    local problem = M.problem(name)
    if problem then
        return problem
    end
    if name == "embdist" or name:find("^embdist_") then
        return ", the prefix of the runtime's own names; expected another name"
    end
    if HEADERS[name] or name:find("intrin$") then -- x86intrin, immintrin, avx2intrin, ...
        return (", which would hide the header <%s.h>; expected another name"):format(name)
    end
    return nil
end

-- The same for the name of a dist in a spec.
function M.dist_problem(name, spec_name)
    local problem = M.problem(name)
    if problem then
        return problem
    end
    local symbol = spec_name .. "_" .. name
    if KEYWORDS[symbol] or symbol:find("_t$") then
        return (", which makes the symbol %s, a type's or a keyword's name; expected another name")
            :format(symbol)
    end
    if name:find("^pack_%l+_d%d") or name:find("^unpack_%l+_d%d") then
        return ", a name that codelets have; expected another name"
    end
    return nil
end

-- The external symbols of a dist: its descriptor's, and one for each direction and mode.
-- `suffixes` are those of the modes, in order.
function M.dist_symbols(spec_name, dist_name, suffixes)
    local prefix = spec_name .. "_" .. dist_name
    local symbols = {prefix}
    for _, direction in ipairs {"forward", "backward"} do
        for _, suffix in ipairs(suffixes) do
            symbols[#symbols + 1] = prefix .. "_" .. direction .. suffix
        end
    end
    return symbols
end

-- A name that a spec gives to `what`; `problem_of` is one of the functions above, the rest its
-- further arguments.
function M.check(path, given, what, problem_of, ...)
    if type(given) ~= "string" then
        value.fail_got(path, given, "the name of " .. what)
    end
    local problem = problem_of(given, ...)
    if problem then
        value.fail(path, "got %s%s", value.show(given), problem)
    end
    return given
end

-- An error for the second of two equal names in `list`. `path_of(i)` is the field of the i-th,
-- `path_of(i, true)` what to call it in the message about another.
function M.check_different(list, path_of)
    local first = {}
    for i, name in ipairs(list) do
        if first[name] then
            value.fail(path_of(i), "got %s, which %s has already; expected another name",
                value.show(name), path_of(first[name], true))
        end
        first[name] = i
    end
end

return M
