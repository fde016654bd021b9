#!/bin/sh
# clang-format leaves the C sources and the templates as they are.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/style/lib.sh"
needs clang-format

unchanged() {
    formatted=$(clang-format --assume-filename="${1%.tmpl}" <"$1"; echo end)
    printf '%s' "${formatted%end}" | diff -u "$1" -
}
files '*.c' '*.h' '*.c.tmpl' '*.h.tmpl' | each unchanged
