#!/bin/sh
# The direct reference gives what was recorded, by the same rules: the two hold each other.
source=${top_srcdir:-$(dirname "$0")/../..}
exec "$source/tests/replay" --reference "$source/tests/vectors"
