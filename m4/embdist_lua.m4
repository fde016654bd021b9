# EMBDIST_LUA
# Finds the Lua interpreter that runs the generator: 5.4 or 5.3, no headers or libraries. A candidate
# is taken by its answer to a probe, not by its name. Sets LUA (absolute where found by name) and
# embdist_lua_version. A LUA given by the user is tried alone, and wrong is an error.
AC_DEFUN([EMBDIST_LUA], [
  AC_ARG_VAR([LUA], [Lua interpreter, version 5.4 or 5.3, that runs the generator])
  AC_MSG_CHECKING([for Lua 5.4 or 5.3])
  embdist_lua_version=
  embdist_lua_tried=
  AS_IF([test -n "$LUA"], [embdist_lua_names=$LUA],
    [embdist_lua_names="lua5.4 lua5.3 lua lua54 lua53 lua-5.4 lua-5.3"])
  for embdist_lua in $embdist_lua_names; do
    embdist_lua_path=`command -v "$embdist_lua" 2>/dev/null`
    if test -z "$embdist_lua_path"; then
      embdist_lua_answer="not found"
    elif embdist_lua_answer=`"$embdist_lua_path" -e 'print@{:@_VERSION@:}@' 2>&1 </dev/null`; then
      case $embdist_lua_answer in
        "Lua 5.4" | "Lua 5.3")
          embdist_lua_version=$embdist_lua_answer
          LUA=$embdist_lua_path
          break ;;
        "") embdist_lua_answer="printed nothing" ;;
        *) embdist_lua_answer="answered \"$embdist_lua_answer\"" ;;
      esac
    else
      embdist_lua_answer="failed with status $?"
    fi
    embdist_lua_tried="$embdist_lua_tried
  $embdist_lua: $embdist_lua_answer"
  done
  AS_IF([test -z "$embdist_lua_version"], [
    AC_MSG_RESULT([no])
    AC_MSG_ERROR([no Lua 5.4 or 5.3 interpreter. Asked for its _VERSION:$embdist_lua_tried
Install one (Debian: apt-get install lua5.4) or name it: ./configure LUA=/path/to/lua])])
  AC_MSG_RESULT([$LUA ($embdist_lua_version)])
])
