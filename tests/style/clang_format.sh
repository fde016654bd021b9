#!/bin/sh
# clang-format leaves the C sources as they are. Of templates only what they make can be held to that
# (tests/gen/layout.lua): a line's length is known once its names are filled in.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/style/lib.sh"
needs clang-format

unchanged() {
    formatted=$(clang-format "$1"; echo end)
    printf '%s' "${formatted%end}" | diff -u "$1" -
}
files '*.c' '*.h' | each unchanged
