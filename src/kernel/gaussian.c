/* The Gaussian family, M = exp(-u^2/2): Matérn's limit as nu grows. A few instructions give it for a whole vector, so
 * it has no buckets (sk_table.exponential). */
#include "kernel/inside.h"

#include <math.h>

static double unit(double nu)
{
    (void)nu;
    return 1;
}

static sk_pair exact(double nu, long double u)
{
    (void)nu;
    return (sk_pair){expl(-u * u / 2), -expm1l(-u * u / 2)};
}

static surekrig_status build(sk_table *table, double low, double high, surekrig_error *error)
{
    (void)low, (void)high, (void)error;
    table->exponential = true;
    return SUREKRIG_OK;
}

static surekrig_status build_slopes(sk_slopes *t, double low, double high, surekrig_error *error)
{
    (void)t, (void)low, (void)high, (void)error;
    return SUREKRIG_OK;
}

/* s dM/ds = -s/2 exp(-s/2) */
static void slopes(const sk_slopes *t, double s, double by[2])
{
    (void)t;
    by[0] = -s / 2 * exp(-s / 2);
    by[1] = 0;
}

const sk_family sk_family_gaussian = {.name = "gaussian",
                                      .unit = unit,
                                      .end = INFINITY,
                                      .exact = exact,
                                      .build = build,
                                      .build_slopes = build_slopes,
                                      .slopes = slopes};
