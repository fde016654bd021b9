/* embdist-demo [--batch N] [--ranks N]
 *
 * Carries embeddings between ranks with the dists of examples/dlrm.lua and examples/history.lua,
 * and gradients back; checks every result bit for bit against the direct reference of the tests,
 * which knows nothing of the generator. Started by tools/demo. Exit status 1 where anything is
 * wrong. */
#include "demo.h"
#include "stream.h"
#include "team.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: embdist-demo [--batch N] [--ranks N]\n"
                            "  --batch N   samples of a rank, 5 or more [512]\n"
                            "  --ranks N   ranks, each a thread of this process, 2 or more [4]\n";

enum { ROUNDS = 11 };
static const double TIME_LIMIT = 60; /* seconds; a call takes milliseconds */

/* The number after an option; exits with a sentence where it is none. */
static int64_t number(const char *option, const char *text, int64_t least, int64_t most)
{
    char *end = NULL;
    const long long value = text ? strtoll(text, &end, 10) : 0;
    if (!text || *end || value < least || value > most) {
        fprintf(stderr, "embdist-demo: %s %s: expected a whole number from %lld to %lld\n", option,
                text ? text : "(nothing)", (long long)least, (long long)most);
        exit(2);
    }
    return value;
}

static void read_options(demo *all, char **arguments)
{
    for (; *arguments; arguments++) {
        if (strcmp(*arguments, "--batch") == 0) {
            all->batch = number("--batch", *++arguments, 5, 1 << 20);
        } else if (strcmp(*arguments, "--ranks") == 0) {
            all->world = number("--ranks", *++arguments, 2, 64);
        } else {
            const int help = strcmp(*arguments, "--help") == 0 || strcmp(*arguments, "-h") == 0;
            if (!help)
                fprintf(stderr, "embdist-demo: unknown option %s\n", *arguments);
            fputs(usage, help ? stdout : stderr);
            exit(help ? 0 : 2);
        }
    }
}

static void explain(const demo *all)
{
    const char *isa;
    stream_widest(&isa);
    printf(
        "%lld ranks, each a thread of this process, on %lld processors; code for %s. Every result "
        "is compared\nbit for bit with a direct reference that knows nothing of the generator: "
        "\"right\" means no bit differs.\n",
        (long long)all->world, (long long)team_processors(), isa);
    printf("  in place  ranks read each other's rows where they lie; staged: encoded rows go "
           "through buffers\n            (\"wire MiB\", all ranks together), as between processes\n"
           "  ms        of one call on all ranks, median of %d\n"
           "  ratio     to the limit: 1 is what a plain copy of the same bytes by the same threads "
           "takes, measured\n            by turns with the call (more than 1: the copy goes to "
           "memory, the call stays in cache)\n",
           ROUNDS);
}

int main(int argc, char **argv)
{
    demo all = {.world = 4, .batch = 512, .rounds = ROUNDS};
    if (argc > 1)
        read_options(&all, argv + 1);
    all.comms = take_memory(all.world, sizeof(embdist_comm *));
    if (embdist_comm_local(all.world, all.comms)) {
        fprintf(stderr, "embdist-demo: %s\n", embdist_last_error());
        return 1;
    }
    for (int64_t r = 0; r < all.world; r++)
        embdist_comm_set_time_limit(all.comms[r], TIME_LIMIT);

    explain(&all);
    printf("\nPooled embeddings (examples/dlrm.lua): %lld samples a rank; partial sums of every "
           "sample from all ranks\nare added on its own rank, gradients go back.\n",
           (long long)all.batch);
    demo_print_head();
    demo_bags(&all);
    printf("\nSequences (examples/history.lua): lists of ids of random length; rows come from the "
           "ranks that own the ids,\nby blocks of the table or round robin, and go back in the "
           "order of the ids.\n");
    demo_print_head();
    demo_history(&all);

    for (int64_t r = 0; r < all.world; r++)
        embdist_comm_free(&all.comms[r]);
    free(all.comms);
    if (all.wrong) {
        printf("\n%lld of %lld results are WRONG.\n", (long long)all.wrong, (long long)all.calls);
        return 1;
    }
    printf("\nAll %lld results are right.\n", (long long)all.calls);
    return 0;
}
