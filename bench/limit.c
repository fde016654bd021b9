#include "limit.h"

double limit_bytes(const embdist_stage *stage, int staged, double wire, int64_t world,
                   double elements)
{
    const double share = 1.0 / (double)world, w = staged ? wire : 0;
    if (stage->exchange == EMBDIST_EXCHANGE_ALL_GATHER)
        return elements * (4 + w + (4 + w) * share);
    if (stage->unpack == EMBDIST_UNPACK_SUM)
        return elements * (4 + 2 * w + 4 * share);
    return elements * (8 + 2 * w);
}
