#!/bin/sh
# The demo finds everything right; and it says so, and fails, where something is wrong.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/examples/lib.sh"

make_demo() {
    compile "$1" "$2" "$source"/examples/demo*.c "$source/tests/reference.c" \
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

echo 1..7
ok "the generator makes the sources of its specs" generate "$work/specs" dlrm.lua history.lua
ok "it compiles" make_demo "$work/specs" "$work/demo"
ok "everything is right on 3 ranks" all_right 3
ok "everything is right on 4 ranks" all_right 4
ok "a wrong dist compiles" make_spoiled
ok "its wrong results are noticed" notices
ok "a wrong option is refused" refuses
