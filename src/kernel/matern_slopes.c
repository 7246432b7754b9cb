/* E = s dM/ds and N = dM/dnu of M_nu(sqrt(s)), as polynomials of degree 7 in pieces of s (bucket.c), for gradients.
 *
 * At each piece's middle s0 four seeds: M, E, N and E's own derivative by nu, F = dE/dnu = s dN/ds.
 *   s <= 1   M and E from the ascending series (matern.c); N and F from its sixth-order central difference over nu: the
 *            series is good to 1e-17, the difference leaves 1e-14, relative to N itself however small s is
 *   s > 1    M = c K_nu(u), E = -c (u/2) K_(nu-1)(u) with c = 2/Gamma(nu) (u/2)^nu and, by the derivative of c and of
 *            K_mu(u) = int_0^inf exp(-u cosh t) cosh(mu t) dt,
 *            N = c K_nu (log(u/2) - psi(nu)) + c dK_nu/dnu,   dK_mu/dmu = int_0^inf exp(-u cosh t) t sinh(mu t) dt
 * The rest follows from matern_table.c's equation for the Taylor coefficients of M in x = (s - s0)/s0, and its
 * derivative by nu:
 *   (m+2)(m+1) a_(m+2) = -(m+1)(m+1-nu) a_(m+1) + s0/4 a_m
 *   (m+2)(m+1) n_(m+2) = -(m+1)(m+1-nu) n_(m+1) + s0/4 n_m + (m+1) a_(m+1)
 * and E = (1+x) dM/dx. */
#include "kernel/inside.h"

#include <math.h>

static const double NOTHING = 4e4; /* the s from which E and N are less than 1e-40, for every nu */

/* The s up to which they are: both go as s^min(nu, 1), times factors and logarithms below 1e5 together. */
static double nothing_near(double nu)
{
    return fmax(exp2(-150 / fmin(nu, 1)), SK_TINY_SQUARE);
}

typedef struct seeds {
    double m, e, n, f;
} seeds;

/* ---- seeds */

static const int STEPS = 1024;

static seeds small_seeds(const sk_slopes *t, double s)
{
    long double z = (long double)s / 4, log_z = logl(z), seed[7][2], slope[2];
    for (int i = 0; i < 7; i++)
        sk_series_at(&t->around[i], z, sk_power_of(&t->around[i], log_z), seed[i]);
    for (int j = 0; j < 2; j++)
        slope[j] = (45 * (seed[4][j] - seed[2][j]) - 9 * (seed[5][j] - seed[1][j]) + seed[6][j] - seed[0][j]) * STEPS /
                   (60 * t->around[3].nu);
    return (seeds){(double)(1 - seed[3][0]), (double)-seed[3][1], (double)-slope[0], (double)-slope[1]};
}

/* The logarithmic derivative of Gamma: psi(x) = psi(x+1) - 1/x, and its asymptotic series from 12 on. */
static double digamma(double x)
{
    double sum = 0;
    for (; x < 12; x++)
        sum -= 1 / x;
    double y = 1 / (x * x);
    return sum + log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252 - y * (1.0 / 240 - y / 132))));
}

/* e^u K_mu(u) and e^u dK_mu/dmu by the trapezoidal rule. */
static void bessel_slope(double mu, double u, double k[2])
{
    double h = fmin(0.12, 0.6 / sqrt(hypot(u, mu))), peak = asinh(fabs(mu) / u);
    k[0] = 0.5;
    k[1] = 0;
    for (int i = 1; i < 10000; i++) {
        double t = i * h, root = sinh(t / 2), weight = exp(-2 * u * root * root), term = weight * cosh(mu * t);
        k[0] += term;
        k[1] += weight * t * sinh(mu * t);
        if (t > peak && term * (1 + t) < 1e-18 * k[0])
            break;
    }
    k[0] *= h;
    k[1] *= h;
}

static seeds large_seeds(double nu, double s)
{
    double u = sqrt(s), k[2], lower[2];
    double c = (double)sk_matern_factor(nu) * exp(nu * log(u / 2) - u), bend = log(u / 2) - digamma(nu);
    bessel_slope(nu, u, k);
    bessel_slope(nu - 1, u, lower);
    return (seeds){c * k[0], -c * u / 2 * lower[0], c * (k[0] * bend + k[1]),
                   -c * u / 2 * (lower[0] * bend + lower[1])};
}

static seeds seeds_at(const sk_slopes *t, double s)
{
    return s <= 1 ? small_seeds(t, s) : large_seeds(t->nu, s);
}

/* ---- buckets */

/* From powers of x = (s - s0)/s0 to those of the mantissa's offset, as in matern_table.c. */
static void fill(const sk_slopes *t, double s0, sk_bucket *to_e, sk_bucket *to_n)
{
    enum { TERMS = SK_TERMS };
    int exponent;
    seeds at = seeds_at(t, s0);
    double a[TERMS + 1] = {at.m, at.e}, e[TERMS], n[TERMS] = {at.n, at.f}, inverse = 0.5 / frexp(s0, &exponent),
                     power = 1;
    for (int m = 0; m + 2 <= TERMS; m++) {
        double step = 1.0 / ((m + 2) * (m + 1)), back = (m + 1) * (m + 1 - t->nu);
        a[m + 2] = step * (s0 / 4 * a[m] - back * a[m + 1]);
        if (m + 2 < TERMS)
            n[m + 2] = step * (s0 / 4 * n[m] - back * n[m + 1] + (m + 1) * a[m + 1]);
    }
    for (int m = 0; m < TERMS; m++, power *= inverse) {
        e[m] = power * ((m + 1) * a[m + 1] + m * a[m]);
        n[m] *= power;
    }
    sk_fill_buckets(e, SK_PIECE_BITS, to_e);
    sk_fill_buckets(n, SK_PIECE_BITS, to_n);
}

static void run_fill(void *context, int64_t begin, int64_t end, int worker)
{
    const sk_slopes *t = context;
    (void)worker;
    for (int64_t i = begin * SK_SPLIT; i < end * SK_SPLIT; i += SK_SPLIT)
        fill(t, sk_middle_of((t->first + (uint64_t)i) / SK_SPLIT, SK_PIECE_BITS), &t->e[i], &t->n[i]);
}

surekrig_status sk_matern_slopes(sk_slopes *t, double low, double high, surekrig_error *error)
{
    low = fmin(fmax(low, nothing_near(t->nu)), NOTHING);
    uint64_t count;
    surekrig_status status = sk_slopes_room(t, low, fmax(fmin(high, NOTHING), low), &count, error);
    for (int i = 0; i < 7 && !status; i++)
        sk_series_open(t->nu + (i - 3) * t->nu / STEPS, &t->around[i]);
    if (!status)
        sk_parallel(&(sk_task){(int64_t)(count / SK_SPLIT), 16, sk_threads(t->threads), run_fill, t, NULL});
    return status;
}

void sk_matern_slopes_at(const sk_slopes *t, double s, double by[2])
{
    seeds at = {0};
    if (s >= nothing_near(t->nu) && s < NOTHING)
        at = seeds_at(t, s);
    by[0] = at.e;
    by[1] = at.n;
}
