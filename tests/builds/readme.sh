#!/bin/sh
# The commands of the README work as they are written: from its spec to its program, also after
# tools/demo has made a build folder.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
for tool in autoreconf libtoolize pkg-config; do
    command -v $tool >/dev/null 2>&1 || {
        echo "1..0 # SKIP no $tool"
        exit 0
    }
done
copy_source "$work/clone"
cd "$work/clone" || exit 1
rm -f configure
HOME=$work/home CFLAGS=-O0 MAKEFLAGS=-j2
export HOME CFLAGS MAKEFLAGS
mkdir "$HOME" build
echo 'all:; @false' >build/Makefile

# block LANGUAGE WORD: the first block of the README in the language with the word in it
block() {
    awk -v fence="^\`\`\`$1\$" -v word="$2" '
        $0 ~ fence { inside = 1; text = ""; next }
        /^```$/ { if (inside && index(text, word)) { printf "%s", text; exit } inside = 0 }
        inside { text = text $0 "\n" }' README.md
}
installs() {
    block lua rw_pooled >my.lua
    block sh configure >commands
    cat commands
    sh -ex ./commands && [ -s "$HOME/embdist/lib/libembdist_dlrm.so" ]
}
own_build() {
    grep -qF 'gen/embdist-gen --output DIR my.lua' README.md && mkdir DIR &&
        gen/embdist-gen --output DIR my.lua && [ -s DIR/dlrm.h ]
}
program() {
    block c rank_main >my.c
    block sh pkg-config >commands
    cat commands
    sh -ex ./commands
}

plan 3
check "from the spec to installed libraries" installs
check "the generator by itself" own_build
check "the program against the libraries" program
