/* versions_of_groups.c: the versions of the codelets of groups, and of those whose rows have 16 bits.
 *
 * Compiled with the generated header and library of tests/specs/groups.lua, with -I of runtime/, and
 * linked with the runtime. */
#include "compare.h"

#include "groups.h"

#define DISTS_OF(pair)                                                                             \
    &groups_p_##pair##1, &groups_p_##pair##2, &groups_s_##pair##1, &groups_s_##pair##2
static const embdist_descriptor *const DISTS[] = {DISTS_OF(a), DISTS_OF(b), DISTS_OF(c),
                                                  DISTS_OF(d), DISTS_OF(e), DISTS_OF(f)};

int main(void)
{
    return compare_versions(DISTS, sizeof DISTS / sizeof DISTS[0]);
}
