# Sourced by the tests of style: what they share. The project's own files are found by their place,
# so that the tests run in a distribution too.
cd "${top_srcdir:-$(dirname "$0")/../..}" || exit 1

# needs COMMAND: skips the test where the tool is missing
needs() {
    command -v "$1" >/dev/null 2>&1 || {
        echo "1..0 # SKIP $1 is not installed"
        exit 0
    }
}

# files PATTERN...: the project's files with these names, but for recorded data and build folders
files() {
    for pattern in "$@"; do
        find .ci bench build-aux doc examples gen m4 runtime templates tests tools \
            -path tests/vectors -prune -o -type f -name "$pattern" -print
    done | sort -u
}

# each COMMAND: reads file names, runs COMMAND on each and prints TAP, a line a file
each() {
    names=$(cat)
    if [ -z "$names" ]; then
        echo "1..1"
        echo "not ok 1 - no file to look at"
        exit 1
    fi
    echo "1..$(printf '%s\n' "$names" | wc -l)"
    number=0
    for name in $names; do
        number=$((number + 1))
        if output=$("$@" "$name" 2>&1); then
            echo "ok $number - $name"
        else
            echo "not ok $number - $name"
            printf '%s\n' "$output" | head -n 20 | sed 's/^/# /'
        fi
    done
}
