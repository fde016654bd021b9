#!/bin/sh
# An installed tree is complete: pkg-config finds it, C and C++ programs build and run against it, the
# installed generator works, and uninstall removes every file.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
copy_source "$work/source"
mkdir "$work/b"
cd "$work/b" || exit 1
prefix=$work/prefix

install_all() {
    ../source/configure -q --prefix="$prefix" CFLAGS=-O0 && make -j8 -s install
}
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
cat >program.c <<'EOP'
#include <embdist.h>
#include <dlrm.h>
#include <stdio.h>
int main(void)
{
    embdist_dist *dist = NULL;
    if (embdist_open(&dist, NULL, &dlrm_bags, NULL) != EMBDIST_OK) {
        fprintf(stderr, "%s\n", embdist_last_error());
        return 1;
    }
    return embdist_close(&dist) != EMBDIST_OK;
}
EOP
cp program.c program.cc
# program COMPILER SOURCE FLAG...
program() {
    compiler=$1 file=$2
    shift 2
    # The flags are words.
    # shellcheck disable=SC2046
    "$compiler" "$file" $(pkg-config --cflags --libs "$@" embdist_dlrm) -Wl,-rpath,"$prefix/lib" -o program &&
        ./program
}
static_program() {
    "${CC:-cc}" program.c -I"$prefix/include/embdist" "$prefix/lib/libembdist_dlrm.a" \
        "$prefix/lib/libembdist.a" -pthread -o program && ./program
}
generate() {
    mkdir out && cp "$work/source/examples/dlrm.lua" spec.lua &&
        "$prefix/bin/embdist-gen" --output out spec.lua && [ -s out/dlrm.h ] &&
        "${CC:-cc}" -std=c11 -I"$prefix/include/embdist" -c out/dlrm.c -o out/dlrm.o
}
# Every link of an installed document to a file, from the folder that the document lies in.
links_hold() {
    docs=$prefix/share/doc/embdist
    find "$docs" -name '*.md' | while read -r page; do
        sed -n 's/\](\([^)]*\))/\n\1\n/gp' "$page" | grep -E '^[A-Za-z/_.]+\.[a-z]+$' | while read -r link; do
            echo "$page: $link"
            [ -f "${page%/*}/$link" ] || echo "is not there: $link" >>"$work/lost"
        done
    done >"$work/links"
    cat "$work/links"
    [ "$(wc -l <"$work/links")" -ge 8 ] && [ ! -e "$work/lost" ] || { cat "$work/lost" && return 1; }
}
no_file_left() {
    make -s uninstall
    left=$(find "$prefix" ! -type d)
    echo "left: $left"
    [ -z "$left" ]
}
only_public() {
    nm -D --defined-only "$prefix/lib/libembdist.so" | awk '$2 == "T" { print $3 }' | while read -r name; do
        grep -qw "$name" "$prefix"/include/embdist/embdist*.h || {
            echo "not in a public header: $name"
            exit 1
        }
    done
}

plan 9
check "make -j8 install" install_all
if command -v pkg-config >/dev/null 2>&1; then
    check "a C program, by pkg-config" program "${CC:-cc}" program.c
    if command -v g++ >/dev/null 2>&1; then
        check "a C++ program, by pkg-config" program g++ program.cc
    else
        number=$((number + 1))
        echo "ok $number - a C++ program # SKIP no g++"
    fi
else
    number=$((number + 2))
    echo "ok $((number - 1)) - a C program # SKIP no pkg-config"
    echo "ok $number - a C++ program # SKIP no pkg-config"
fi
check "a C program with the static libraries" static_program
check "the installed generator, and its code against the installed headers" generate
check "the links of the installed documents" links_hold
check "the man page" test -s "$prefix/share/man/man1/embdist-gen.1"
check "the shared library shows public names only" only_public
check "uninstall leaves no file" no_file_left
