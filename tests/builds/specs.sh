#!/bin/sh
# A changed spec makes and compiles what it changes and no more; a wrong one leaves all as it was.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
copy_source "$work/source"
mkdir "$work/b"
cd "$work/b" || exit 1

# spec NAME DIMS CODEC
spec() {
    cat >"$1.lua" <<SPEC
return {
  name = "$1",
  dists = {
    { name = "bags", kind = "rw_pooled", dims = { $2 }, batch = { "even" }, forward = $3 },
  },
}
SPEC
}
spec one 3 '"fp16"'
spec two 5 '"fp16"'

build() {
    make -j8 >"$work/made" 2>&1 || {
        cat "$work/made"
        return 1
    }
}
# compiled: the generated sources that the last build compiled
compiled() {
    sed -n 's,^ *CC *generated/\(.*\)\.lo$,\1,p' "$work/made" | sort | tr '\n' ' '
}
configured() {
    ../source/configure -q --disable-shared CFLAGS=-O0 --with-spec=one.lua,two.lua && build
}
# builds NAMES: a build compiles these generated sources
builds() {
    build || return 1
    echo "expected to compile: $1"
    echo "compiled:            $(compiled)"
    [ "$(compiled)" = "$1" ]
}
# builds_some PREFIX: a build compiles sources whose names start so, and no others
builds_some() {
    build || return 1
    echo "expected to compile names with $1, compiled: $(compiled)"
    for name in $(compiled); do
        [ "${name#"$1"}" != "$name" ] || return 1
    done
    [ -n "$(compiled)" ]
}
generated() {
    (cd generated && cat -- *.c *.h | cksum && ls -l --time-style=full-iso -- *.c *.h)
}
unchanged() {
    generated >"$work/after"
    diff "$work/before" "$work/after"
}
complete() {
    files=$(sed -n 's/^spec_files = *//p' generated/specs.mk)
    for file in $files; do
        [ -s "$file" ] || return 1
    done
    ar t .libs/libembdist_one.a && ar t .libs/libembdist_two.a
}

# generated_once: from nothing, with -j8, each of the two specs is generated once
generated_once() {
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        rm -f generated/*.[ch] generated/*.stamp
        # File names, no spaces.
        # shellcheck disable=SC2046
        if ! make -j8 $(sed -n 's/^spec_files = *//p' generated/specs.mk) >made 2>&1 ||
            [ "$(grep -c 'GEN.*generated/' made)" != 2 ]; then
            cat made
            return 1
        fi
    done
}

# one_dist SPEC DIST: writes SPEC.lua
one_dist() {
    echo "return { name = \"$1\", dists = { { name = \"$2\", kind = \"rw_pooled\", dims = { 3 } } } }" \
        >"$1.lua"
}
# clash WHAT SPEC DIST SPEC DIST: two specs that make the same thing are refused
clash() {
    one_dist "$2" "$3"
    one_dist "$4" "$5"
    says "the specs $2.lua and $4.lua both make the $1; give one another name" \
        sh ../source/build-aux/spec-rules ../source/gen/embdist-gen install "$work/clash" \
        "$2.lua" "$4.lua" && [ ! -e "$work/clash/specs.mk" ]
}
# no_clash NAME DIST NAME DIST: and others are not
no_clash() {
    ! clash nothing "$@" && [ -s "$work/clash/specs.mk" ]
}

plan 17
check "two specs whose dists make one symbol" clash 'symbol a_b_c' a b_c a_b c
check "a function and a dist" clash 'symbol q_d_forward_even' q d q_d forward_even
check "a codelet and a spec of its name" clash 'file e_pack_runs_d3_fp32.c' e d e_pack_runs_d3_fp32 d
check "specs that make nothing twice, names in another case too" no_clash Dlrm bags dlrm bags
check "a spec whose name begins with another" no_clash dlrm bags dlrm_eval bags
check "two specs in one --with-spec" configured
check "all files are there, a library for each spec" complete
check "nothing changed: nothing is compiled" builds ''
touch one.lua
check "a touched spec: nothing is compiled" builds ''
spec one 3 '{ codec = "fp16", loss_scale = 4 }'
check "an option changes: its codelets and table are compiled" builds_some one
spec one '3, 5' '"fp16"'
check "a dim comes: only this spec is compiled" builds_some one
check "and no codelet of the dim that was there" not grep -q 'one_unpack_sum_d3_fp32' "$work/made"
rm generated/two.c
check "a generated source is removed: it is made again, nothing else is compiled" builds 'two '
generated >"$work/before"
spec one 0 '"fp16"'
check "a wrong spec stops make with the generator's sentence" says 'dims[1]' make
check "and touches no file" unchanged
spec one '3, 5' '"fp16"'
check "put right, make goes on" build
check "from nothing with -j8, twenty times: each spec is generated once" generated_once
