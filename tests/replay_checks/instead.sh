#!/bin/sh
# Sums of rows with codecs of groups, which no recorder can: each of these codecs does recorded
# reduce-scatters and gathers, and is held to the truth from their inputs. Some cases of each shape
# are enough: the codecs that were recorded do not matter.
source=${top_srcdir:-$(dirname "$0")/../..}
EMBDIST_BUILD=$(cd "${top_builddir:-$source/build}" && pwd) || exit 1
export EMBDIST_BUILD
pooled=$source/tests/vectors/pooled_reduce_scatter
variable=$source/tests/vectors/vbe_reduce_scatter
exec "$source/tests/replay" --instead int8,fp8_e4m3,fp8_e5m2,mx4 \
    "$pooled"/*fp32*.lua "$pooled"/*special*.lua "$pooled"/*big*.lua "$pooled"/*wide*.lua \
    "$variable"/*fp32*.lua "$variable"/*empty*.lua "$source/tests/vectors/pooled_all_gather"
