/* The covariance of two points: families of correlations (family.h), exact and from a table, and sums of such terms. */
#ifndef SK_KERNEL_H
#define SK_KERNEL_H

#include "base/base.h"
#include "kernel/family.h"

/* ---- matern.c: M_nu(u) (M2) and 1 - M_nu(u) in long double, slow and exact; nu in [0.01, 50] or infinite, u >= 0 */

sk_pair sk_matern_exact(double nu, long double u);

/* What tables are built from. For 0 < s = u^2 <= 1: seed[0] = 1 - M, seed[1] = s d(1-M)/ds. */
/* The first terms need all digits of long double; the others, small beside them, do not. (1/4)^14/(14!)^2 = 5e-31. */
enum { SK_SERIES = 14, SK_LEADING = 3 };
typedef struct sk_series {
    long double nu, mu; /* nu = n + mu, |mu| <= 1/2 */
    int n;
    long double lead[SK_LEADING]
                    [4]; /* matern.c: of z^k, what stands alone, k times it, what w multiplies, k times it */
    double tail[SK_SERIES - SK_LEADING][4];
} sk_series;

void sk_series_open(double nu, sk_series *series);
/* What the series needs of z = s/4 beside it: log z, z^mu and z^mu - 1. */
typedef struct sk_power {
    long double log_z, power, less_one;
} sk_power;

sk_power sk_power_of(const sk_series *series, long double log_z);
sk_power sk_power_times(sk_power a, sk_power b); /* of a product, both at most 1 */
void sk_series_at(const sk_series *series, long double z, sk_power z_mu, long double seed[2]);
long double sk_scaled_bessel_k(long double nu, long double u); /* e^u K_nu(u), u > 0.1 say; any real nu */
long double sk_matern_factor(double nu);                       /* 2/Gamma(nu): M = factor (u/2)^nu K_nu(u) */

/* ---- table.c: M and 1 - M of any family in a few nanoseconds, from s = u^2 */

/* Fast for s in [low, high]; right everywhere. */
surekrig_status sk_table_new(const sk_family *family, double nu, double low, double high, sk_table **table,
                             surekrig_error *error);
void sk_table_free(sk_table *table);
/* M, and 1 - M into *complement unless NULL. s must not have underflowed: see sk_kernel_row. */
double sk_table_at(const sk_table *table, double s, double *complement);
double sk_table_nu(const sk_table *table);
/* The same for many s by the machine's vectors, to the last digit or two; value and complement: [n]. */
void sk_table_values(const sk_table *table, int64_t n, const double *s, double *value, double *complement);

/* ---- slopes.c: the derivatives of M(sqrt(s)) by log s and by nu, from buckets like table.c's */

typedef struct sk_slopes_range {
    double low, high; /* of s, where they are fast */
    int threads;      /* that tabulate them; 0: as many as the machine has */
} sk_slopes_range;
/* Right everywhere, to 1e-11 of 1 - M below s = 1 and of 1 above; the same on any number of threads. */
surekrig_status sk_slopes_new(const sk_family *family, double nu, sk_slopes_range fast, sk_slopes **slopes,
                              surekrig_error *error);
void sk_slopes_free(sk_slopes *slopes);
/* by[0] = s dM/ds; nu by[1] + by[0] = dM/dlog nu where the distance is held, not s, which is Matérn's 2 nu times its
 * square: so by[1] is Matérn's dM/dnu with s held. 0 of a family without a nu. */
void sk_slopes_at(const sk_slopes *slopes, double s, double by[2]);

/* ---- kernel.c: theta's unit covariance  sum_t weight_t M_t(u_t)  without nugget */

typedef struct sk_kernel sk_kernel;

/* distance: the smallest and largest |x - x'| > 0 expected, which only sets where the tables are fast; NULL:
 * unknown. */
surekrig_status sk_kernel_new(const surekrig_theta *theta, int64_t d, const double distance[2], sk_kernel **kernel,
                              surekrig_error *error);
void sk_kernel_free(sk_kernel *kernel);
double sk_kernel_at_zero(const sk_kernel *kernel); /* sum of weights */
/* A set of points by columns: x[axis * stride + j], j < n. */
typedef struct sk_columns {
    int64_t n, stride;
    const double *x;
} sk_columns;

/* Of each term, where its table is fast; NULL for a second term that is not there. More terms have none. */
enum { SK_SLOPED = 2 };
surekrig_status sk_kernel_slopes(const sk_kernel *kernel, int threads, sk_slopes *slopes[SK_SLOPED],
                                 surekrig_error *error);
/* value[j] = covariance of point and points[j]; scratch: [n]. */
void sk_kernel_row(const sk_kernel *kernel, const double *point, sk_columns points, double *scratch, double *value);

#endif
