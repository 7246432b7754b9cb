/* What every room stands on: sentences for failures, checked memory, counter-based random numbers, threads, the clock
 * and the Cholesky factorisation. Includes no other room. */
#ifndef SK_BASE_H
#define SK_BASE_H

#include "surekrig.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- status.c */

/* Writes the sentence, if anyone wants it, and returns status: `return sk_fail(error, SUREKRIG_DATA, "...", n);` */
surekrig_status sk_fail(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Here, so that a checker of the sources sees that what it returns is no SUREKRIG_OK. */
static inline surekrig_status sk_fail_memory(surekrig_error *error, double bytes, const char *what)
{
    sk_fail(error, SUREKRIG_MEMORY, "out of memory: %s needs %.3g MB more", what, bytes / 1e6);
    return SUREKRIG_MEMORY;
}

/* What a caller gives or wants filled, of a x b x c numbers. Refuses more than any memory holds, with which no more is
 * to be computed, and NULL where there are some. What is negative is for others to refuse. */
typedef struct sk_array {
    const char *name; /* NULL: no more of them */
    const void *at;
    int64_t size[3];
} sk_array;

surekrig_status sk_check_arrays(const sk_array *array, surekrig_error *error);
/* What a call cannot do without. */
typedef struct sk_needed {
    const char *name; /* NULL: no more of them */
    const void *at;
} sk_needed;

surekrig_status sk_check_needed(const sk_needed *needed, surekrig_error *error);
surekrig_status sk_check_path(const char *path, surekrig_error *error);

/* Numbers as text are C's whatever the program's locale; between the two calls, in this thread. */
typedef struct sk_plain_locale {
    locale_t plain, before;
} sk_plain_locale;

sk_plain_locale sk_enter_plain_locale(void);
void sk_leave_plain_locale(sk_plain_locale *locale);

/* ---- memory.c: NULL when there is none or count * size overflows; count 0 gives a valid pointer */

void *sk_alloc(int64_t count, size_t size);
void *sk_zeroed(int64_t count, size_t size);
double *sk_doubles(int64_t count);
void *sk_aligned(int64_t count, size_t size); /* at a cache line, as vectors need it */
void *sk_copy(const void *from, int64_t count, size_t size);
char *sk_text(const char *text);

/* ---- random.c: Philox4x32-10; a number is a function of (seed, stream, index) alone */

enum {
    SK_STREAM_BATCH = 1,
    SK_STREAM_DESIGN,
    SK_STREAM_CANDIDATES,
    SK_STREAM_FIELD,
    SK_STREAM_ORDER,
    SK_STREAM_TARGETS,
    SK_STREAM_DRAWS,
    SK_STREAM_SLOPES
};

double sk_uniform(uint64_t seed, uint32_t stream, uint64_t index); /* in (0, 1) */
void sk_normal_pair(uint64_t seed, uint32_t stream, uint64_t index, double pair[2]);
/* count distinct rows of 0..n-1, in increasing order. */
surekrig_status sk_sample_rows(uint64_t seed, int64_t n, int64_t count, int64_t *row, surekrig_error *error);
/* The same rows, as bits that are set: mark [n / 64 + 1], of zeros. */
void sk_sample_marks(uint64_t seed, int64_t n, int64_t count, uint64_t *mark);
void sk_shuffle(uint64_t seed, int64_t n, int64_t *row); /* into random order */

/* ---- clock.c */

double sk_now(void); /* seconds, monotonic */

/* Calls the caller's progress callback at most ten times a second and remembers a wish to stop. */
typedef struct sk_ticker {
    const surekrig_progress *progress; /* may be NULL */
    surekrig_progress_report report;
    double from, span; /* a step's share of the phase: done = from + span * (share of the step) */
    double last;
    bool stopped;
} sk_ticker;

void sk_ticker_start(sk_ticker *ticker, const surekrig_progress *progress, const char *phase);
bool sk_tick(sk_ticker *ticker, double share); /* true: stop */

/* A part of a longer work, whose reports go on as the whole's: for callees that report from 0 to 1. */
typedef struct sk_part {
    const surekrig_progress *whole; /* may be NULL */
    double from, span;
    surekrig_progress progress;
} sk_part;

const surekrig_progress *sk_part_of(sk_part *part); /* the part's own, or NULL */

/* ---- quota.c */

/* How many processors' worth of time the process's control groups (Linux: "/proc/self/cgroup", "/sys/fs/cgroup") allow
 * it, rounded up; INT_MAX: they do not say. */
int sk_quota(const char *groups, const char *mounted);

/* ---- parallel.c: the only place of the library that makes threads */

typedef struct sk_task {
    int64_t count, grain; /* items, and how many a worker takes at a time */
    int threads;
    void (*run)(void *context, int64_t begin, int64_t end, int worker); /* worker: 0 .. threads-1 */
    void *context;
    sk_ticker *ticker; /* polled by the calling thread between grains; may be NULL */
} sk_task;

int sk_threads(int asked); /* 0: as many as the machine, the container, or OMP_NUM_THREADS has; never many more */
bool sk_parallel(const sk_task *task); /* false: stopped before all items were done */
/* Work that goes on beside the caller. NULL: there was no thread for it, and it was done at once. */
typedef struct sk_aside sk_aside;
sk_aside *sk_begin_aside(void (*run)(void *context), void *context);
void sk_end_aside(sk_aside *aside); /* waits until the work is done, and frees; accepts NULL */

/* ---- sort.c */

void sk_sort(int64_t n, double *value); /* increasing */
void sk_sort_numbers(int64_t n, int64_t *number);
/* How many of the numbers, in increasing order, are below it. */
int64_t sk_count_below(int64_t n, const int64_t *number, int64_t it);

/* ---- cholesky.c */

/* A = U'U in place: a is [n][width], row-major, its upper triangle read and written; the columns n..width-1 leave as
 * U'^-1 times themselves, so that right-hand sides ride along. Returns 0, or 1 + the first row whose pivot is not
 * above smallest. The same bits for any number of threads. */
int64_t sk_cholesky(int64_t n, int64_t width, double *a, double smallest, int threads);
void sk_solve_lower(int64_t n, int64_t width, const double *u, double *b); /* b <- U'^-1 b */

#endif
