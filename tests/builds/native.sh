#!/bin/sh
# The same bits where the compiler may do what it likes within IEEE arithmetic: -std=gnu17 -O3
# -march=native, with gcc and clang, and each EMBDIST_ISA. Judged by the direct reference, compiled
# without.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
cd "$work" || exit 1

# The names are those of tests/runtime/two_specs.c; dims have whole vectors and rests, and loss scales
# multiply before sums, which a compiler would like to contract.
cat >small.lua <<'EOP'
return { name = "small", dists = {
    { name = "bags", kind = "rw_pooled", features = { "user", "item", "country" },
        dims = { 7, 37, 37 }, forward = { codec = "fp16", loss_scale = 3 },
        backward = { codec = "bf16", loss_scale = 0.1 } },
    { name = "words", kind = "rw_sequence", features = { "clicks", "buys" }, dims = { 37, 37 },
        forward = "bf16", backward = { codec = "fp16", loss_scale = 3 } } } }
EOP
cat >twin.lua <<'EOP'
return { name = "twin", dists = {
    { name = "bags", kind = "rw_pooled", features = { "user", "item", "country" },
        dims = { 33, 2, 50 }, forward = { codec = "bf16", loss_scale = 0.3 } },
    { name = "words", kind = "rw_sequence", features = { "clicks", "buys" }, dims = { 50, 50 },
        forward = { codec = "fp16", nonfinite = "propagate" }, index = "int32" } } }
EOP
generate() {
    mkdir out && "$source/gen/embdist-gen" --output out small.lua &&
        "$source/gen/embdist-gen" --output out twin.lua
}
# build COMPILER
build() {
    rm -rf "$1" && mkdir "$1" && cd "$1" || return 1
    find ../out "$source/runtime" -name '*.c' -print0 | xargs -0 -n 4 -P 2 "$1" -std=gnu17 -O3 -march=native \
        -pthread -I../out -I"$source/runtime" -c &&
        "$1" -std=c11 -O1 -pthread -I../out -I"$source/runtime" "$source"/tests/runtime/cases.c \
            "$source"/tests/runtime/dists.c "$source"/tests/runtime/support.c \
            "$source"/tests/runtime/formats.c "$source"/tests/runtime/ways.c \
            "$source"/tests/reference*.c "$source"/tests/runtime/two_specs.c ./*.o -lm -o two_specs
    status=$?
    cd ..
    return $status
}
run() {
    (EMBDIST_ISA=$2 && export EMBDIST_ISA && "$1/two_specs") >"$work/run"
    status=$?
    cat "$work/run"
    # A CPU without this instruction set says so.
    [ $status = 0 ] || grep -q 'this CPU has no more than' "$work/run"
}

plan 9
check "the specs are generated" generate
for compiler in gcc clang; do
    if ! command -v $compiler >"$work/which"; then
        for what in builds plain avx2 avx512; do
            number=$((number + 1))
            echo "ok $number - $compiler: $what # SKIP $compiler is not installed"
        done
        continue
    fi
    check "$compiler -std=gnu17 -O3 -march=native builds" build $compiler
    for isa in plain avx2 avx512; do
        check "$compiler: the same bits with EMBDIST_ISA=$isa" run $compiler $isa
    done
done
