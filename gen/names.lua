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

-- The symbols of spec and dist have two words or more, as many functions of C libraries and POSIX
-- have. A program that defines one of those has it called in place of the library's. First words of
-- families of functions, ...
local LIBRARY_FAMILIES = set [[
    aio argp argz atomic clock cnd dl envz epoll eventfd fanotify fts in6addr inet inet6 inotify
    malloc mcheck memory mq mtx nl obstack pidfd pkey posix printf pthread re res sched sem shm sys
    thrd timer timerfd tss va
]]

-- ... and functions, variables and macros by themselves.
local LIBRARY_SYMBOLS = set [[
    aligned_alloc arc4random_buf arc4random_uniform arch_prctl at_quick_exit backtrace_symbols
    backtrace_symbols_fd bind_textdomain_codeset bsd_signal call_once canonicalize_file_name
    close_range copy_file_range error_at_line explicit_bzero get_current_dir_name get_nprocs
    getaddrinfo_a getdate_err getopt_long getopt_long_only glob_pattern_p h_addr h_errno iconv_close
    iconv_open kill_dependency lio_listio login_tty memfd_create name_to_handle_at on_exit
    open_by_handle_at open_memstream open_tree open_wmemstream parse_printf_format process_madvise
    process_mrelease process_vm_readv process_vm_writev program_invocation_name quick_exit
    register_printf_function s6_addr sa_handler sa_sigaction secure_getenv si_addr si_band si_code
    si_pid si_status si_uid si_value sigev_notify_attributes sigev_notify_function st_atime st_ctime
    st_mtime sync_file_range timespec_get timespec_getres
]]

-- What the generated functions call their parameters and variables.
local PARAMETERS = set [[
    batch_per_rank batch_per_rank_feature grad_local_count grad_local_embs grad_out grad_out_count
    local_count local_embs out_count
]]

-- Reentrant and locale versions of functions (rand_r, isalpha_l), and those without a lock.
local function is_library_symbol(symbol)
    return LIBRARY_SYMBOLS[symbol] or LIBRARY_FAMILIES[symbol:match("^[^_]*")]
        or symbol:find("^[%l%d]+_[rl]$") or symbol:find("^[%l%d]+_np$")
        or symbol:find("^[%l%d]+_unlocked$")
end

-- What is wrong with a symbol, the name of a dist behind that of its spec; nil where nothing is.
local function symbol_problem(symbol)
    if KEYWORDS[symbol] or symbol:find("_t$") then
        return "a type's or a keyword's name"
    elseif not symbol:find("%l") then
        return "in capitals only, as macros are named"
    elseif is_library_symbol(symbol) then
        return "a name of the C library's or POSIX's, or one that they may take"
    elseif PARAMETERS[symbol] then
        return "a name that generated functions give to a parameter"
    elseif symbol:find("^runs_%l+_d%d") or symbol:find("^transposed_%l+_d%d") then
        return "a name that the generated table has inside"
    end
    return nil
end

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
    local lower = name:lower() -- some file systems do not tell Embdist.h from embdist.h
    if lower == "embdist" or lower:find("^embdist_") then
        return ", the prefix of the runtime's own names; expected another name"
    end
    if HEADERS[lower] or lower:find("intrin$") then -- x86intrin, immintrin, avx2intrin, ...
        return (", which would hide the header <%s.h>; expected another name"):format(lower)
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
    problem = symbol_problem(symbol)
    if problem then
        return (", which makes the symbol %s, %s; expected another name"):format(symbol, problem)
    end
    if name:find("^pack_%l+_d%d") or name:find("^unpack_%l+_d%d") then
        return ", a name that codelets have; expected another name"
    end
    return nil
end

-- The names that a dist has in the generated table: its descriptor's, one for each direction and
-- mode, and those of the table's own parts. `suffixes` are those of the modes, in order.
function M.dist_symbols(spec_name, dist_name, suffixes)
    local prefix = spec_name .. "_" .. dist_name
    local symbols = {prefix}
    for _, direction in ipairs {"forward", "backward"} do
        for _, suffix in ipairs(suffixes) do
            symbols[#symbols + 1] = prefix .. "_" .. direction .. suffix
        end
    end
    for _, part in ipairs {"_features", "_groups", "_fields"} do
        symbols[#symbols + 1] = dist_name .. part
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
