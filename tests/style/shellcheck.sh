#!/bin/sh
# Neither shellcheck nor `sh -n` finds anything in the shell scripts.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/style/lib.sh"
needs shellcheck

# Sourced files are looked at with those that source them, from elsewhere; a function may have
# arguments that one file never gives; ulimit -v is in every shell that is a /bin/sh on Linux.
clean() {
    sh -n "$1" && shellcheck -x -S warning -e SC1091,SC2119,SC2120,SC3045 "$1"
}
for file in $(files '*'); do
    case $file in
        */lib.sh) ;; # has no interpreter of its own: read by those that source it
        build-aux/*) # most are copied there by automake and libtool
            case $file in
                */spec-rules | */embdist-gen.in) echo "$file" ;;
            esac
            ;;
        *) if head -n 1 "$file" | grep -q '^#!/bin/sh'; then echo "$file"; fi ;;
    esac
done | each clean
