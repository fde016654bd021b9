/* support.h: what the tests of the runtime share: TAP lines, ranks as threads, random numbers, and
 * buffers whose surroundings are watched.
 *
 * Only the main thread prints. Environment:
 *   EMBDIST_TEST_SEED   the seed of all random numbers, to repeat a run; each test prints its own
 *   EMBDIST_TEST_SMALL  not empty: fewer cases and ranks, for sanitizers and valgrind
 *   EMBDIST_TEST_EXACT  not empty: buffers end where their memory ends, for a checker that watches
 *                       reads too (with AddressSanitizer it is always so) */
#ifndef EMBDIST_TESTS_SUPPORT_H
#define EMBDIST_TESTS_SUPPORT_H

#include <embdist.h>

/* Sanitizers whose presence changes what a test can do. */
#if defined(__has_feature)
#define TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define TEST_HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || TEST_HAS_FEATURE(address_sanitizer)
#define TEST_ADDRESS_SANITIZER 1
#else
#define TEST_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || TEST_HAS_FEATURE(thread_sanitizer)
#define TEST_THREAD_SANITIZER 1
#else
#define TEST_THREAD_SANITIZER 0
#endif

#if defined(__GNUC__)
#define TEST_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TEST_PRINTF(text, first)
#endif

/* ---- TAP ---- */

void plan(int tests);
int ok(int passed, const char *format, ...) TEST_PRINTF(2, 3); /* returns passed */
void skip(const char *reason, const char *format, ...) TEST_PRINTF(2, 3);
void diag(const char *format, ...) TEST_PRINTF(1, 2);
int finish(void); /* the program's exit status */

/* Ends the program with a line that fails: the test itself cannot go on. */
_Noreturn void bail_out(const char *format, ...) TEST_PRINTF(1, 2);

int is_small(void);

/* ---- memory ---- */

void *take(int64_t count, size_t size); /* zeroed; bails out where there is none; free() it */

/* Elements at an offset from a multiple of 64 bytes. */
typedef struct buffer {
    float *data;            /* [count] of fp32; NULL where elements are others */
    void *rows;             /* the same address, for all types */
    int64_t count, element; /* an element's bytes, 4 or 2 */
    unsigned char *memory;
    int64_t before, after; /* watched bytes on both sides */
} buffer;

/* Values are a pattern that no result has; so are the watched bytes. */
void buffer_make(buffer *made, int64_t count, int64_t offset); /* of fp32 */
void buffer_make_of(buffer *made, int64_t element, int64_t count, int64_t offset);
int64_t buffer_bytes(const buffer *made);       /* of all elements */
void buffer_reset(buffer *made);                /* makes all values the pattern again */
int buffer_is_untouched(const buffer *made);    /* all values still the pattern */
int buffer_edges_are_right(const buffer *made); /* the watched bytes are as they were */
void buffer_free(buffer *made);

/* ---- random numbers ---- */

typedef struct random_state {
    uint64_t state;
} random_state;

random_state random_start(void); /* prints the seed */
uint64_t random_bits(random_state *state);
int64_t random_below(random_state *state, int64_t bound);

typedef enum random_kind {
    RANDOM_TAME, /* about -1 to 1 */
    RANDOM_WILD  /* all magnitudes, also beyond fp16; zeros, subnormals, infinities, NaN */
} random_kind;

void random_fill(random_state *state, random_kind kind, float *values, int64_t count);

/* Whether two results are the same: bits, or both NaN, or both zero. */
int same_value(float a, float b);

/* ---- ranks ---- */

typedef void rank_function(int64_t rank, void *context);

/* Runs function(rank, context) for all ranks, each in a thread of its own, and joins them. */
void run_ranks(int64_t world, rank_function *function, void *context);

/* The comms of a new group; freed by free_comms. */
embdist_comm **new_comms(int64_t world);
void free_comms(int64_t world, embdist_comm **comms);

/* Sleeps. */
void pass_time(double seconds);
double clock_seconds(void);

#endif
