#!/bin/sh
# The README's example is examples/first.c, compiles against what the generator wrote, and runs.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/examples/lib.sh"

readme_has_it() {
    awk '/^```c$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/README.md" |
        diff "$source/examples/first.c" -
}
is_short() {
    [ "$(wc -l <"$source/examples/first.c")" -lt 60 ]
}
says_what_it_should() {
    "$work/first" >"$work/output" || return 1
    sort "$work/output" | diff - "$work/expected"
}
cat >"$work/expected" <<'END'
and their gradient, divided by 2: 1.5
rank 0: the ranks' partial sums make 3
rank 1: the ranks' partial sums make 3
END

echo 1..5
ok "the README shows it whole" readme_has_it
ok "it is under 60 lines" is_short
ok "the generator makes its spec's sources" generate "$work/dlrm" dlrm.lua
ok "it compiles" compile "$work/dlrm" "$work/first" "$source/examples/first.c"
ok "it runs" says_what_it_should
