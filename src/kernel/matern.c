/* M_nu(u) = 2^(1-nu)/Gamma(nu) u^nu K_nu(u)  (M2) and D = 1 - M, in long double: M to about 1e-17, D to 1e-15 at worst
 * (nu large, u just above 1).
 *
 * u <= 1: the ascending series of K_nu, arranged so that neither 1 - M nor an integer nu cancels.
 *   With z = u^2/4, nu = n + mu, |mu| <= 1/2, the two series of K_nu are
 *       M = sum_k z^k / (k! (1-nu)_k)  -  Gamma(1-nu)/Gamma(1+nu) z^nu sum_j z^j / (j! (1+nu)_j).
 *   From k = n on, the first has poles at mu = 0 that the second removes. Pairing k = n+j with j gives
 *       T_j = (-1)^n (pi mu / sin pi mu) / Gamma(nu)  z^(n+j) Delta_j
 *       Delta_j = (a_j - z^mu b_j)/mu = d_j + b_j W,   W = (1 - z^mu)/mu,   d_j = (a_j - b_j)/mu
 *       a_j = 1/(Gamma(1+n+j) Gamma(1+j-mu)),   b_j = 1/(Gamma(1+j) Gamma(1+n+j+mu))
 *   and d_j has a recurrence without subtraction (below). The k = 0 term is the 1 of 1 - M.
 * u > 1: e^u K_nu(u) = int_0^inf exp(-u (cosh t - 1)) cosh(nu t) dt by the trapezoidal rule, which converges
 *   geometrically for this integrand and adds positive terms only. */
#include "kernel/kernel.h"

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "the kernel's seeds need an extended long double");

#define PI 3.141592653589793238462643383279502884L
#define NEGLIGIBLE 1e-21L

/* 1/Gamma(1+x) = sum_k RGAMMA[k] x^k, |x| <= 1/2: even and odd parts, so that (odd part)/x stays exact at 0. */
static const long double RGAMMA[] = {
    1.0L, 5.7721566490153286060651209e-1L, -6.5587807152025388107701952e-1L,
    -4.2002635034095235529003935e-2L, 1.665386113822914895017008e-1L, -4.2197734555544336748208301e-2L,
    -9.6219715278769735621149217e-3L, 7.2189432466630995423950103e-3L, -1.1651675918590651121139711e-3L,
    -2.1524167411495097281572996e-4L, 1.2805028238811618615319863e-4L, -2.0134854780788238655689391e-5L,
    -1.2504934821426706573453595e-6L, 1.1330272319816958823741296e-6L, -2.0563384169776071034501541e-7L,
    6.1160951044814158178624987e-9L, 5.002007644469222930055665e-9L, -1.1812745704870201445881266e-9L,
    1.0434267116911005104915403e-10L, 7.7822634399050712540499373e-12L, -3.6968056186422057081878159e-12L,
    5.1003702874544759790154813e-13L, -2.0583260535665067832224295e-14L, -5.3481225394230179823700173e-15L,
    1.2267786282382607901588938e-15L, -1.1812593016974587695137646e-16L, 1.1866922547516003325797772e-18L,
    1.4123806553180317815558039e-18L, -2.2987456844353702065924786e-19L, 1.7144063219273374333839634e-20L,
    1.3373517304936931148647814e-22L, -2.0542335517666727893250254e-22L,
};
enum { RGAMMA_TERMS = sizeof RGAMMA / sizeof *RGAMMA };

static long double rgamma_even(long double x)
{
    long double sum = 0;
    for (int k = RGAMMA_TERMS - 2; k >= 0; k -= 2)
        sum = sum * x * x + RGAMMA[k];
    return sum;
}

static long double rgamma_odd_over_x(long double x)
{
    long double sum = 0;
    for (int k = RGAMMA_TERMS - 1; k >= 1; k -= 2)
        sum = sum * x * x + RGAMMA[k];
    return sum;
}

static long double rgamma1(long double x) /* 1/Gamma(1+x) */
{
    return rgamma_even(x) + x * rgamma_odd_over_x(x);
}

/* nu < 1/2: the two plain series; sum[0] = D, sum[1] = s dD/ds. */
static void rough_series(long double nu, long double z, long double sum[2])
{
    long double power = rgamma1(nu) / rgamma1(-nu) * expl(nu * logl(z)); /* Gamma(1-nu)/Gamma(1+nu) z^nu */
    sum[0] = power;
    sum[1] = nu * power;
    long double smooth = 1;
    for (int k = 1; k < 100; k++) {
        power *= z / (k * (k + nu));
        smooth *= z / (k * (k - nu));
        sum[0] += power - smooth;
        sum[1] += (nu + k) * power - k * smooth;
        if (power + smooth < NEGLIGIBLE * fabsl(sum[0]))
            break;
    }
}

/* Adds to sum the paired terms -T_j, j = 0, 1, ...; zn = z^n, head = 1/Gamma(nu). */
static void paired_terms(int n, long double mu, long double z, long double zn, long double head, long double sum[2])
{
    long double factorial = 1, rising = 1, gap = 0, ratio = 1; /* n!, (1+mu)_n, (1 - n!/(1+mu)_n)/mu, n!/(1+mu)_n */
    for (int i = 1; i <= n; i++) {
        gap += ratio / (i + mu);
        ratio *= i / (i + mu);
        factorial *= i;
        rising *= i + mu;
    }
    long double b = rgamma1(mu) / rising;                                              /* b_0 */
    long double d = (-2 * rgamma_odd_over_x(mu) + rgamma1(mu) * gap) / factorial;      /* d_0 */
    long double log_z = logl(z), z_mu = expl(mu * log_z);
    long double w = mu == 0 ? -log_z : -expm1l(mu * log_z) / mu;
    long double outer = (n % 2 ? 1 : -1) * head * (mu == 0 ? 1 : PI * mu / sinl(PI * mu)) * zn;
    for (int j = 0; j < 100; j++) {
        long double delta = d + b * w;
        sum[0] += outer * delta;
        sum[1] += outer * ((n + j) * delta - b * z_mu);
        if (j > 0 && fabsl(outer * delta) + fabsl(outer * b * z_mu) < NEGLIGIBLE * fabsl(sum[0]))
            break;
        long double a_step = (n + j + 1.0L) * (j + 1 - mu); /* a_j / a_(j+1) */
        b /= (j + 1) * (n + j + 1 + mu);
        d = (d + b * (n + 2 * j + 2)) / a_step;
        outer *= z;
    }
}

void sk_complement_seed(double nu, long double s, long double seed[2])
{
    long double z = s / 4;
    if (nu < 0.5) {
        rough_series(nu, z, seed);
        return;
    }
    int n = (int)floor(nu + 0.5);
    long double mu = (long double)nu - n, head = rgamma1(mu), term = 1, zn = z;
    seed[0] = seed[1] = 0;
    for (int k = 1; k < n; k++) { /* -z^k / (k! (1-nu)_k), and 1/Gamma(nu) = 1/(Gamma(1+mu) (1+mu)_(n-1)) */
        term *= z / (k * (k - (long double)nu));
        seed[0] -= term;
        seed[1] -= k * term;
        head /= k + mu;
        zn *= z;
    }
    paired_terms(n, mu, z, zn, head, seed);
}

long double sk_scaled_bessel_k(long double nu, long double u)
{
    long double h = 0.6L / sqrtl(hypotl(u, nu)); /* the integrand's width at its peak, sinh t = nu/u */
    if (h > 0.12L)
        h = 0.12L;
    long double sum = 0.5L, peak = asinhl(fabsl(nu) / u);
    for (int i = 1; i < 10000; i++) {
        long double t = i * h, root = sinhl(t / 2);
        long double term = expl(-2 * u * root * root) * coshl(nu * t); /* cosh t - 1 = 2 sinh^2(t/2) */
        sum += term;
        if (t > peak && term < NEGLIGIBLE * sum)
            break;
    }
    return sum * h;
}

long double sk_matern_factor(double nu)
{
    int n = (int)floor(nu + 0.5);
    long double mu = (long double)nu - n, factor = 2 * rgamma1(mu);
    if (n == 0)
        return factor * mu; /* 1/Gamma(nu) = nu / Gamma(1+nu) */
    for (int k = 1; k < n; k++)
        factor /= k + mu;
    return factor;
}

sk_pair sk_matern_exact(double nu, long double u)
{
    long double s = u * u, value, complement;
    if (u == 0)
        return (sk_pair){1, 0};
    if (isinf(nu))
        return (sk_pair){expl(-s / 2), -expm1l(-s / 2)};
    if (s <= 1) {
        long double seed[2];
        sk_complement_seed(nu, s, seed);
        complement = seed[0];
        value = 1 - complement;
    } else {
        value = u > 1e4L ? 0 : sk_matern_factor(nu) * powl(u / 2, nu) * expl(-u) * sk_scaled_bessel_k(nu, u);
        complement = 1 - value;
    }
    return (sk_pair){value, complement};
}
