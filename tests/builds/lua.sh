#!/bin/sh
# configure takes a Lua by what it answers, whatever it is called, and says what it tried.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
copy_source "$work/source"
mkdir "$work/b" "$work/bin"
cd "$work/b" || exit 1
unset LUA

# A PATH with everything but Lua; $work/bin, before it, holds the one Lua of a test.
mkdir "$work/tools"
for folder in /bin /usr/bin; do
    for tool in "$folder"/*; do
        case ${tool##*/} in
            lua*) ;;
            *) [ -e "$work/tools/${tool##*/}" ] || ln -s "$tool" "$work/tools/" ;;
        esac
    done
done
lua=$(command -v lua5.4 || command -v lua5.3)

only() {
    rm -f "$work/bin"/*
    [ $# = 0 ] || ln -s "$lua" "$work/bin/$1"
}
configure_here() {
    PATH=$work/bin:$work/tools ../source/configure -q --disable-shared "$@"
}
built_with() {
    configure_here && PATH=$work/bin:$work/tools make -s generated/dlrm.stamp && grep -q "^LUA = .*$1\$" Makefile
}

plan 9
for name in lua5.4 lua lua53; do
    only $name
    check "$name is the only Lua" built_with $name
done
only
check "no Lua: every name tried is in the message" says "lua5.4: not found" configure_here
check "no Lua: what to install is in the message" says "apt-get install lua5.4" configure_here
check "LUA=/bin/false" says "/bin/false: failed with status 1" configure_here LUA=/bin/false
check "LUA=/bin/true" says "/bin/true: printed nothing" configure_here LUA=/bin/true
printf '#!/bin/sh\necho Lua 5.1\n' >"$work/bin/luajit"
chmod +x "$work/bin/luajit"
check "LUA of another version" says 'luajit: answered "Lua 5.1"' configure_here LUA=luajit
check "LUA that is not there" says "/nowhere/lua: not found" configure_here LUA=/nowhere/lua
