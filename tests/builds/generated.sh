#!/bin/sh
# Generated code: warning-free C11 with gcc and clang; headers that C++ takes too; a wrong type of
# counts does not compile; and nothing but the spec's own names is visible to the linker.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
cd "$work" || exit 1
mkdir out

# Every op and codec option, and dims about the limits of types and vectors.
cat >warned.lua <<'EOP'
local pairs = {
    { { codec = "fp16", loss_scale = 1024 }, { codec = "bf16", loss_scale = 3 } },
    { { codec = "bf16", nonfinite = "fail" }, { codec = "fp16", nonfinite = "propagate" } },
}
local dists = { { name = "wide", kind = "rw_pooled", dims = { 1, 255, 65536 } } }
for i, pair in ipairs(pairs) do
    dists[#dists + 1] = { name = "p" .. i, kind = "rw_pooled", dims = { 7 },
        forward = pair[1], backward = pair[2] }
    dists[#dists + 1] = { name = "s" .. i, kind = "rw_sequence", dims = { 7, 7 }, gradient = "sum",
        forward = pair[1], backward = pair[2], index = i == 1 and "int32" or "int64" }
end
return { name = "warned", dists = dists }
EOP
generate() {
    "$source/gen/embdist-gen" --output out warned.lua
}
warnings='-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Werror'

# each_file COMMAND...: runs it on every generated source, two at a time
each_file() {
    find out -name '*.c' -print0 | xargs -0 -n 4 -P 2 "$@" -Iout -I"$source/runtime"
}
# quiet COMPILER: no warning, with and without optimisation
quiet() {
    # shellcheck disable=SC2086
    each_file "$1" -std=c11 -O1 $warnings -c &&
        each_file "$1" -std=c11 -O0 $warnings -fsyntax-only
}

cat >use.cc <<'EOP'
#include "warned.h"
#include <embdist_descriptor.h>
int main()
{
    embdist_dist *dist = nullptr;
    embdist_sequence_batch batch = {};
    const float in[7] = {0};
    float out[7];
    batch.size = sizeof batch;
    warned_p1_forward_even(dist, in, 7, 1, out, 7, nullptr, nullptr);
    warned_s1_backward(dist, in, 7, &batch, out, 7, nullptr, nullptr);
    return embdist_open(&dist, nullptr, &warned_s1, nullptr) == EMBDIST_OK;
}
EOP
cat >narrow.c <<'EOP'
#include "warned.h"
embdist_status call(embdist_dist *dist, const float *in, const int *batch, float *out)
{
    return warned_p1_forward_ragged(dist, in, 7, batch, out, 7, 0, 0);
}
EOP
cpp() {
    "$1" "-std=$2" -pedantic-errors -Wall -Wextra -Wconversion -Wshadow -Werror -fsyntax-only \
        -Iout -I"$source/runtime" use.cc
}
narrow_counts() {
    says "incompatible" "${CC:-cc}" -std=c11 -Wall -Werror -fsyntax-only -Iout -I"$source/runtime" \
        narrow.c
}
own_names() {
    others=$(nm -g --defined-only ./*.o | awk 'NF == 3 { print $3 }' | grep -v '^warned_')
    echo "others: $others"
    [ -n "$(nm -g --defined-only ./*.o)" ] && [ -z "$others" ]
}
# Names of the runtime's private headers and their guards, in a program that includes the generated
# ones before the runtime's folder; and names whose guards would be one in capitals.
private_names() {
    {
        for name in run local request layout comm error_H Run; do
            echo "return { name = \"$name\", dists = { { name = \"d\", kind = \"rw_pooled\"," \
                "dims = { 3 }, batch = { \"even\" } } } }" >private.lua
            mkdir -p "private/$name" &&
                "$source/gen/embdist-gen" --output "private/$name" private.lua || return 1
            echo "#include \"$name.h\"" >&3
            echo "const embdist_descriptor *of_$name(void) { return &${name}_d; }" >&4
        done
    } 3>private_includes.h 4>private_uses.h
    cat private_includes.h private_uses.h >private.c
    mkdir private/headers && cp private/*/*.h private/headers &&
        "${CC:-cc}" -std=c11 -Wall -Werror -Wno-missing-prototypes -fsyntax-only -Iprivate/headers \
            -I"$source/runtime" private.c || return 1
    find private -name '*.c' -exec "${CC:-cc}" -std=c11 -Wall -Werror -fsyntax-only \
        -I"$source/runtime" {} +
}
# with COMPILER WHAT COMMAND...: skips where there is no such compiler
with() {
    if command -v "$1" >"$work/which"; then
        shift
        check "$@"
    else
        number=$((number + 1))
        echo "ok $number - $2 # SKIP $1 is not installed"
    fi
}

plan 12
check "the spec is generated" generate
with gcc "gcc: no warning" quiet gcc
with clang "clang: no warning" quiet clang
for standard in c++11 c++17 c++20; do
    with g++ "g++, $standard: the headers compile" cpp g++ "$standard"
    with clang++ "clang++, $standard: the headers compile" cpp clang++ "$standard"
done
check "counts of another type do not compile" narrow_counts
check "every visible name begins with the spec's" own_names
check "names of the runtime's private headers" private_names
