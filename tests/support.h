/* What several test programs share: cmocka with what it needs before it, comparison, and reproducible draws. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include "base/ranks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* |a - b| <= relative * (the larger of the two) + absolute. NaN is never close. */
static inline void close_within(double a, double b, double relative, double absolute)
{
    if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + absolute))
        fail_msg("%.17g and %.17g differ by more than a relative %g and %g", a, b, relative, absolute);
}

static inline void close_to(double a, double b, double relative)
{
    close_within(a, b, relative, 0);
}

/* A sequence of draws: each call moves it on. */
typedef struct draws {
    uint64_t seed, at;
} draws;

static inline double draw(draws *d, double low, double high)
{
    return low + (high - low) * sk_uniform(d->seed, 1000, d->at++);
}

static inline int64_t draw_below(draws *d, int64_t n)
{
    return (int64_t)draw(d, 0, (double)n);
}

static inline double draw_normal(draws *d)
{
    double pair[2];
    sk_normal_pair(d->seed, 1001, d->at++, pair);
    return pair[0];
}

static inline void fill_uniform(draws *d, int64_t n, double low, double high, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = draw(d, low, high);
}

static inline void fill_normal(draws *d, int64_t n, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i] = draw_normal(d);
}

static inline void succeeded(surekrig_status status, const surekrig_error *error)
{
    if (status)
        fail_msg("status %d: %s", (int)status, error->sentence);
}

/* The call failed with this status, and its sentence says why. */
static inline void refused(surekrig_status got, const surekrig_error *error, surekrig_status status, const char *why)
{
    assert_int_equal(got, status);
    assert_int_equal(error->status, status);
    if (!strstr(error->sentence, why))
        fail_msg("'%s' does not say '%s'", error->sentence, why);
}

/* As if every rank said what this one does. */
static inline void echo(const sk_ranks *ranks, const void *own, const int64_t *bytes, void *all)
{
    char *to = all;
    for (int r = 0; r < ranks->size; to += bytes[r++])
        memcpy(to, own, (size_t)bytes[r]);
}

#endif
