#!/bin/sh
# luacheck finds nothing in the Lua sources.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/style/lib.sh"
needs luacheck
files '*.lua' | each luacheck --no-color --quiet --codes
