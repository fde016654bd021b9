# Sourced by the tests of the build: TAP, and copies of the source tree to build in.
#
# A test says plan N first, then N times: check WHAT COMMAND..., which passes where the command
# succeeds and shows its output where it does not.

plan() {
    echo "1..$1"
    number=0
}

check() {
    what=$1
    shift
    number=$((number + 1))
    if "$@" >"$work/output" 2>&1; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        tail -n 30 "$work/output" | sed 's/^/# /'
    fi
}

# not COMMAND...: succeeds where the command fails
not() {
    ! "$@"
}

# says TEXT COMMAND...: the command fails, and its output has the text
says() {
    text=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        cat "$work/said"
        echo "expected a failure"
        return 1
    fi
    cat "$work/said"
    grep -qF -- "$text" "$work/said" || {
        echo "expected the text: $text"
        return 1
    }
}

# copy_source FOLDER: a writable copy of the source tree, as a distribution has it
copy_source() {
    mkdir -p "$1"
    (cd "$source" && tar -cf - --exclude=./.git --exclude=./build --exclude=./tests/vectors \
        --exclude='./embdist-*' --exclude='*.o' --exclude='*.lo' --exclude='*.la' --exclude=.deps \
        --exclude=.libs --exclude='*.log' --exclude='*.trs' --exclude=./Makefile \
        --exclude=./config.status --exclude=./generated --exclude=./tests/generated .) |
        (cd "$1" && tar -xf -)
    chmod -R u+w "$1"
}

# The make that runs the tests hands its own flags on; the builds here are their own.
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR
source=$(cd "${top_srcdir:-$(dirname "$0")/../..}" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
