#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- TAP ------------------------------------------------------------------------------------ */

static int planned, printed, failed;

void plan(int tests)
{
    setvbuf(stdout, NULL, _IOLBF, 0); /* what a crash leaves unsaid is missing from the plan */
    planned = tests;
    printf("1..%d\n", tests);
}

int ok(int passed, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %d - ", passed ? "ok" : "not ok", ++printed);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    failed += !passed;
    return passed;
}

void skip(const char *reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("ok %d - ", ++printed);
    vprintf(format, arguments);
    printf(" # SKIP %s\n", reason);
    va_end(arguments);
}

void diag(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("# ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

int finish(void)
{
    if (planned != printed)
        diag("planned %d tests, ran %d", planned, printed);
    return planned != printed || failed;
}

void bail_out(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("Bail out! ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    exit(1);
}

static int is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

int is_small(void)
{
    return is_set("EMBDIST_TEST_SMALL");
}

/* ---- memory --------------------------------------------------------------------------------- */

enum { LINE = 64, EDGE = 0xA5 };
static const uint32_t PATTERN = 0x7FA5A5A5U; /* a NaN that no computation makes */

#define EXACT (TEST_ADDRESS_SANITIZER || is_set("EMBDIST_TEST_EXACT"))

void *take(int64_t count, size_t size)
{
    void *memory = calloc(count > 0 ? (size_t)count : 1, size);
    if (!memory)
        bail_out("no memory for %lld times %zu bytes", (long long)count, size);
    return memory;
}

int64_t buffer_bytes(const buffer *made)
{
    return made->count * made->element;
}

void buffer_make_of(buffer *made, int64_t element, int64_t count, int64_t offset)
{
    made->element = element;
    made->count = count;
    made->before = LINE + offset;
    made->after = EXACT ? 0 : LINE;
    const size_t bytes = (size_t)(made->before + buffer_bytes(made) + made->after);
    void *memory;
    if (posix_memalign(&memory, LINE, bytes))
        bail_out("no memory for %zu bytes", bytes);
    memset(memory, EDGE, bytes);
    made->memory = memory;
    made->rows = made->memory + made->before;
    made->data = element == (int64_t)sizeof(float) ? made->rows : NULL;
    buffer_reset(made);
}

void buffer_make(buffer *made, int64_t count, int64_t offset)
{
    buffer_make_of(made, (int64_t)sizeof(float), count, offset);
}

/* Of 16 bits it is the pattern's upper half. */
static const unsigned char *pattern_of(const buffer *made)
{
    return (const unsigned char *)&PATTERN + sizeof PATTERN - made->element;
}

void buffer_reset(buffer *made)
{
    for (int64_t i = 0; i < made->count; i++)
        memcpy((char *)made->rows + i * made->element, pattern_of(made), (size_t)made->element);
}

int buffer_is_untouched(const buffer *made)
{
    for (int64_t i = 0; i < made->count; i++)
        if (memcmp((char *)made->rows + i * made->element, pattern_of(made),
                   (size_t)made->element) != 0)
            return 0;
    return buffer_edges_are_right(made);
}

int buffer_edges_are_right(const buffer *made)
{
    const unsigned char *after = (const unsigned char *)made->rows + buffer_bytes(made);
    for (int64_t i = 0; i < made->before; i++)
        if (made->memory[i] != EDGE)
            return 0;
    for (int64_t i = 0; i < made->after; i++)
        if (after[i] != EDGE)
            return 0;
    return 1;
}

void buffer_free(buffer *made)
{
    free(made->memory);
    *made = (buffer){0};
}

/* ---- random numbers ------------------------------------------------------------------------- */

random_state random_start(void)
{
    const char *given = getenv("EMBDIST_TEST_SEED");
    const uint64_t seed = given && *given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    diag("EMBDIST_TEST_SEED=%llu", (unsigned long long)seed);
    return (random_state){seed};
}

uint64_t random_bits(random_state *state)
{
    /* splitmix64 */
    uint64_t x = state->state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

int64_t random_below(random_state *state, int64_t bound)
{
    return (int64_t)(random_bits(state) % (uint64_t)bound);
}

static float tame_value(uint64_t bits)
{
    return (float)((double)(int64_t)bits / 9223372036854775808.0);
}

static float wild_value(uint64_t bits)
{
    static const float special[] = {0.0F,          -0.0F,          INFINITY,  -INFINITY,  NAN,
                                    65504.0F,      -65504.0F,      65519.9F,  65520.0F,   1e30F,
                                    3.3895314e38F, 3.40282347e38F, 1e-45F,    -1e-40F,    6e-8F,
                                    5.96e-8F,      2.98e-8F,       -2.99e-8F, 1.00048828F};
    const uint64_t kind = bits >> 60;
    if (kind == 0)
        return special[(bits >> 8) % (sizeof special / sizeof *special)];
    if (kind < 6)
        return ldexpf(tame_value(bits << 4), (int)(bits % 40) - 24);
    if (kind < 7) {
        /* any bits at all but a NaN's */
        float any;
        const uint32_t word = (uint32_t)bits;
        memcpy(&any, &word, sizeof any);
        return isnan(any) ? 1.0F : any;
    }
    return tame_value(bits << 4);
}

void random_fill(random_state *state, random_kind kind, float *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        const uint64_t bits = random_bits(state);
        values[i] = kind == RANDOM_WILD ? wild_value(bits) : tame_value(bits);
    }
}

int same_value(float a, float b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return memcmp(&a, &b, sizeof a) == 0 || (a == 0 && b == 0);
}

/* ---- ranks ---------------------------------------------------------------------------------- */

typedef struct rank_thread {
    pthread_t thread;
    int64_t rank;
    rank_function *function;
    void *context;
} rank_thread;

static void *run_rank(void *argument)
{
    const rank_thread *self = argument;
    self->function(self->rank, self->context);
    return NULL;
}

void run_ranks(int64_t world, rank_function *function, void *context)
{
    rank_thread *threads = take(world, sizeof *threads);
    pthread_attr_t attributes;
    const size_t stack = (size_t)1
                         << 20; /* 512 threads of 8 MiB are more than some machines give */
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    for (int64_t r = 0; r < world; r++) {
        threads[r].rank = r;
        threads[r].function = function;
        threads[r].context = context;
        if (pthread_create(&threads[r].thread, &attributes, run_rank, &threads[r]))
            bail_out("no thread for rank %lld", (long long)r);
    }
    for (int64_t r = 0; r < world; r++)
        pthread_join(threads[r].thread, NULL);
    pthread_attr_destroy(&attributes);
    free(threads);
}

embdist_comm **new_comms(int64_t world)
{
    embdist_comm **comms = take(world, sizeof *comms);
    if (embdist_comm_local(world, comms))
        bail_out("%s", embdist_last_error());
    return comms;
}

void free_comms(int64_t world, embdist_comm **comms)
{
    for (int64_t r = 0; r < world; r++)
        embdist_comm_free(&comms[r]);
    free(comms);
}

void pass_time(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds};
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
