#!/bin/sh
# Builds leave the source tree alone and stand a space in its path; what cannot work is refused.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/builds/lib.sh"
copy_source "$work/a space/source"
cd "$work/a space" || exit 1
mkdir b in_tree
cp -R source in_tree/source
chmod -R a-w source
state() {
    find source -exec ls -ld --time-style=full-iso {} + | sort
}
state >"$work/before"
same_state() {
    state | diff "$work/before" -
}
build() {
    (cd b && ../source/configure -q CFLAGS=-O0 && make -j8 -s)
}
refused_space() {
    (cd b && says "has a space in its name (/opt/a b)" ../source/configure -q --prefix='/opt/a b')
}
clean() {
    make -C b -s clean || return 1
    left=$(find b -name '*.o' -o -name '*.lo' -o -name 'dlrm*.c')
    echo "left: $left"
    [ -z "$left" ]
}
in_tree() {
    (cd in_tree/source && ./configure -q --disable-shared CFLAGS=-O0 && make -j8 -s)
}
out_of_built_tree() {
    mkdir in_tree/b && (cd in_tree/b && says "source directory already configured" ../source/configure -q)
}

plan 8
check "out of tree, read-only source, a space in the path, -j8" build
check "the source tree is as it was" same_state
check "libraries: runtime and spec, static and shared" ls b/.libs/libembdist.a b/.libs/libembdist.so \
    b/.libs/libembdist_dlrm.a b/.libs/libembdist_dlrm.so
check "make clean leaves no object or generated source" clean
check "and make builds again" make -C b -s -j8
check "a prefix with a space is refused with a sentence" refused_space
check "in the source tree" in_tree
check "out of tree where the source tree is configured: refused" out_of_built_tree
