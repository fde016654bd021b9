#!/bin/sh
# embdist-bench: every row of a small run is there and agrees with itself; wrong options are refused
# with a sentence. What the rows say is checked by rows.lua.
source=${top_srcdir:-$(dirname "$0")/../..}
EMBDIST_BUILD=$(cd "${top_builddir:-$source/build}" && pwd) || exit 1
export EMBDIST_BUILD
bench=$source/bench/embdist-bench
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

# ok WHAT STATUS: a line of TAP, with what was said where the status is not 0
ok() {
    number=$((number + 1))
    if [ "$2" = 0 ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        head -n 20 "$work/said" | sed 's/^/# /'
    fi
}

# refuses SENTENCE OPTION...: status 1, the sentence, and no table
refuses() {
    sentence=$1
    shift
    "$bench" "$@" >"$work/out" 2>"$work/said"
    status=$?
    [ $status = 1 ] && [ ! -s "$work/out" ] && [ "$(cat "$work/said")" = "embdist-bench: $sentence" ]
    ok "refused: $*" $?
}

echo 1..20
"$bench" --help >"$work/said" 2>&1
ok 'help' $?
"$bench" -h 2>&1 | cmp -s - "$work/said"
ok '-h is --help' $?
missing=0
for option in -b -e -f -n -w -t --dim --kind --mode --codec --direction --routing --way --json; do
    grep -q -e "^  .*$option [A-Z]" "$work/said" || missing=1
done
ok 'help has every option' $missing

refuses 'unknown option --dims (--help lists them)' --dims 128
refuses 'unknown option x (--help lists them)' x
refuses '-b 12X: expected a number of bytes from 1 to 1024G, such as 256K or 128M' -b 12X
refuses '-b 0: expected a number of bytes from 1 to 1024G, such as 256K or 128M' -b 0
refuses '-b is 2048 and -e is 1024 bytes: expected -b to be at most -e' -b 2K -e 1K
refuses '-f 1: expected a whole number from 2 to 1000000' -f 1
refuses '-n 0: expected a whole number from 1 to 1000000' -n 0
refuses '-t: expected a value after it' -t
refuses '--dim 3,: expected a whole number from 1 to 1000000' --dim 3,
refuses '--codec fp16,int3: expected one or more of fp32, fp16, bf16, int8, fp8_e4m3, fp8_e5m2, mx4, with commas between' \
    --codec fp16,int3
refuses 'nothing to measure: no asked kind has the asked modes and routings' \
    --kind rw_pooled --mode none

"$bench" -b 1K -e 3K -f 3 -n 3 -w 1 -t 3 --dim 5,8 --features 2 --codec fp32,bf16,int8 --json "$work/all.json" \
    >"$work/table" 2>"$work/said"
ok 'a run of everything' $?
"${LUA:-lua5.4}" "$source/tests/bench/rows.lua" "$work/all.json" 288 >"$work/said" 2>&1
ok 'its rows' $?
rows=$(grep -c '^rw_' "$work/table")
echo "the table has $rows rows" >"$work/said"
[ "$rows" = 288 ]
ok 'a line in the table for each' $?

"$bench" -b 1K -n 2 -w 0 --dim=8 --features 2 --kind rw_sequence --codec bf16 --way in_place \
    --direction backward --routing random,contiguous --json="$work/few.json" >"$work/said" 2>&1
ok 'a run of little' $?
"${LUA:-lua5.4}" "$source/tests/bench/rows.lua" "$work/few.json" 2 >"$work/said" 2>&1
ok 'its rows are those that were asked for' $?

EMBDIST_BUILD=$work
"$bench" -b 1K >"$work/said" 2>&1
grep -q "the runtime's library .* is not there; run tools/check" "$work/said"
ok 'a build folder without the library is refused' $?
