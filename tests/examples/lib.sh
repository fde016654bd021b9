# Sourced by the tests of the examples: sources of a spec, and programs made from them as a user
# would, without the project's makefiles.
source=${top_srcdir:-$(dirname "$0")/../..}
build=$(cd "${top_builddir:-$source/build}" && pwd) || exit 1
source=$(cd "$source" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
number=0

# ok WHAT COMMAND...: a line of TAP, with what the command says where it fails
ok() {
    what=$1
    shift
    number=$((number + 1))
    if "$@" >"$work/said" 2>&1; then
        echo "ok $number - $what"
    else
        echo "not ok $number - $what"
        head -n 30 "$work/said" | sed 's/^/# /'
    fi
}

# generate FOLDER SPEC...: the sources of examples/SPEC
generate() {
    folder=$1
    shift
    mkdir -p "$folder" || return 1
    for spec; do
        "$source/gen/embdist-gen" --output "$folder" "$source/examples/$spec" || return 1
    done
}

# compile FOLDER PROGRAM SOURCE...: with all generated sources of the folder
compile() {
    folder=$1 program=$2
    shift 2
    (
        mkdir -p "$folder/objects" && cd "$folder/objects" || exit 1
        # CC may be a command with options.
        # shellcheck disable=SC2086
        printf '%s\0' "$folder"/*.c "$@" |
            xargs -0 -n 4 -P "$(getconf _NPROCESSORS_ONLN)" ${CC:-cc} -std=c11 -O2 -pthread \
                -I "$folder" -I "$source/runtime" -I "$source/bench" -I "$source/tests" -c &&
            ${CC:-cc} -pthread -o "$program" ./*.o "$build/.libs/libembdist.a" -lm
    )
}
