/* versions.c: the versions of the codelets of elements.
 *
 * Compiled with the generated headers and libraries of tests/specs/matrix.lua and
 * tests/specs/codelets.lua, with -I of runtime/, and linked with the runtime. */
#include "compare.h"

#include "codelets.h"
#include "matrix.h"

#define EACH_DIM(X, codec)                                                                         \
    X(1_##codec), X(2_##codec), X(3_##codec), X(5_##codec), X(6_##codec), X(7_##codec),            \
        X(17_##codec), X(33_##codec), X(128_##codec), X(255_##codec), X(1028_##codec),             \
        X(2052_##codec)
#define MATRIX(dist) &matrix_p##dist, &matrix_s##dist
#define OPTIONS(dist) &codelets_p##dist, &codelets_s##dist
static const embdist_descriptor *const DISTS[] = {
    EACH_DIM(MATRIX, fp32), EACH_DIM(MATRIX, fp16), EACH_DIM(MATRIX, bf16),
    OPTIONS(5_a),           OPTIONS(5_b),           OPTIONS(17_a),
    OPTIONS(17_b),          OPTIONS(128_a),         OPTIONS(128_b),
};

int main(void)
{
    return compare_versions(DISTS, sizeof DISTS / sizeof DISTS[0]);
}
