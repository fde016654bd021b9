#!/bin/sh
# Every recorded case of tests/vectors replays right, and none is skipped. The lines of tests/replay,
# and then what their numbers must be.
source=${top_srcdir:-$(dirname "$0")/../..}
EMBDIST_BUILD=$(cd "${top_builddir:-$source/build}" && pwd) || exit 1
export EMBDIST_BUILD
vectors=$source/tests/vectors
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

"$source/tests/replay" "$vectors" >"$log"
status=$?

# One line a direction and way; cases of codecs and formats by themselves have one line.
cases=$(find "$vectors" -name '*.lua' | wc -l)
bare=$(find "$vectors/codec" "$vectors/format" -name '*.lua' | wc -l)
lines=$(((cases - bare) * 4 + bare))

echo "1..$((lines + 3))"
grep -v '^1\.\.' "$log"
number=$lines

# expect WHAT EXPECTED GOT
expect() {
    number=$((number + 1))
    if [ "$2" = "$3" ]; then
        echo "ok $number - $1"
    else
        echo "not ok $number - $1"
        echo "# expected $2, got $3"
    fi
}
expect 'exit status' 0 "$status"
expect 'lines of right results' "$lines" "$(grep '^ok' "$log" | grep -vc '# SKIP')"
expect 'lines of skipped cases' 0 "$(grep -c '^ok.*# SKIP' "$log")"
