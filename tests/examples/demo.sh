#!/bin/sh
# The demo finds everything right; and it says so, and fails, where something is wrong.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/examples/lib.sh"

make_demo() {
    compile "$1" "$2" "$source"/examples/demo*.c "$source"/tests/reference*.c \
        "$source/bench/team.c" "$source/bench/stream.c" "$source/bench/limit.c" \
        "$source/bench/measure.c"
}
all_right() {
    "$work/demo" --batch 37 --ranks "$1" >"$work/output" || return 1
    cat "$work/output"
    [ "$(grep -c ' right$' "$work/output")" = 20 ] && grep -q '^All 20 results are right\.$' "$work/output"
}
# A dist whose gradients are not divided.
make_spoiled() {
    cp -R "$work/specs" "$work/spoiled" && rm -r "$work/spoiled/objects" &&
        sed 's/\.divide = 1/.divide = 0/' "$work/specs/dlrm.c" >"$work/spoiled/dlrm.c" &&
        ! cmp -s "$work/specs/dlrm.c" "$work/spoiled/dlrm.c" &&
        make_demo "$work/spoiled" "$work/spoiled_demo"
}
notices() {
    "$work/spoiled_demo" --batch 5 >"$work/output"
    status=$?
    cat "$work/output"
    [ $status = 1 ] && grep -q '^6 of 20 results are WRONG\.$' "$work/output" &&
        [ "$(grep -c ' backward .* WRONG$' "$work/output")" = 6 ]
}
refuses() {
    ! "$work/demo" --batch none 2>"$work/output" || return 1
    cat "$work/output"
    grep -q '^embdist-demo: --batch none: expected a whole number from 5 to ' "$work/output"
}
# tools/demo by itself: with a wrong option it comes to nothing that it would need.
command_refuses() {
    mkdir -p "$work/alone/tools" && cp "$source/tools/demo" "$work/alone/tools" || return 1
    "$work/alone/tools/demo" --ranks 3 --bathc 5 >"$work/output" 2>&1
    status=$?
    cat "$work/output"
    [ $status = 2 ] &&
        [ "$(cat "$work/output")" = 'tools/demo: unknown option --bathc; try --help' ] || return 1
    "$work/alone/tools/demo" --batch 4 >"$work/output" 2>&1
    cat "$work/output"
    grep -q '^tools/demo: --batch 4: expected a whole number from 5 to 1048576; ' "$work/output"
}
helps() {
    "$work/alone/tools/demo" -h >"$work/output" && grep -q -e '--ranks N' "$work/output" &&
        "$work/demo" -h | grep -q -e '--ranks N'
}
names_option() {
    ! "$work/demo" --bathc 5 2>"$work/output" || return 1
    grep -q '^embdist-demo: unknown option --bathc$' "$work/output"
}

echo 1..10
ok "the generator makes the sources of its specs" generate "$work/specs" dlrm.lua history.lua
ok "it compiles" make_demo "$work/specs" "$work/demo"
ok "everything is right on 3 ranks" all_right 3
ok "everything is right on 4 ranks" all_right 4
ok "a wrong dist compiles" make_spoiled
ok "its wrong results are noticed" notices
ok "a wrong option is refused" refuses
ok "tools/demo refuses wrong options before all else" command_refuses
ok "-h is --help" helps
ok "an unknown option is named" names_option
