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
#include "kernel/inside.h"

#include <float.h>
#include <math.h>

_Static_assert(LDBL_MANT_DIG >= 64, "the kernel's seeds need an extended long double");

#define PI 3.141592653589793238462643383279502884L
#define NEGLIGIBLE 1e-21L

/* 1/Gamma(1+x) = sum_k RGAMMA[k] x^k, |x| <= 1/2: even and odd parts, so that (odd part)/x stays exact at 0. */
static const long double RGAMMA[] = {
    1.0L,
    5.7721566490153286060651209e-1L,
    -6.5587807152025388107701952e-1L,
    -4.2002635034095235529003935e-2L,
    1.665386113822914895017008e-1L,
    -4.2197734555544336748208301e-2L,
    -9.6219715278769735621149217e-3L,
    7.2189432466630995423950103e-3L,
    -1.1651675918590651121139711e-3L,
    -2.1524167411495097281572996e-4L,
    1.2805028238811618615319863e-4L,
    -2.0134854780788238655689391e-5L,
    -1.2504934821426706573453595e-6L,
    1.1330272319816958823741296e-6L,
    -2.0563384169776071034501541e-7L,
    6.1160951044814158178624987e-9L,
    5.002007644469222930055665e-9L,
    -1.1812745704870201445881266e-9L,
    1.0434267116911005104915403e-10L,
    7.7822634399050712540499373e-12L,
    -3.6968056186422057081878159e-12L,
    5.1003702874544759790154813e-13L,
    -2.0583260535665067832224295e-14L,
    -5.3481225394230179823700173e-15L,
    1.2267786282382607901588938e-15L,
    -1.1812593016974587695137646e-16L,
    1.1866922547516003325797772e-18L,
    1.4123806553180317815558039e-18L,
    -2.2987456844353702065924786e-19L,
    1.7144063219273374333839634e-20L,
    1.3373517304936931148647814e-22L,
    -2.0542335517666727893250254e-22L,
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

/* nu < 1/2: the two plain series; z^mu is the power. */
static void open_rough(sk_series *f, long double *rest, long double *power)
{
    power[0] = rgamma1(f->nu) / rgamma1(-f->nu); /* Gamma(1-nu)/Gamma(1+nu) */
    long double smooth = 1;
    for (int k = 1; k < SK_SERIES; k++) {
        power[k] = power[k - 1] / (k * (k + f->nu));
        smooth /= k * (k - f->nu);
        rest[k] = -smooth;
    }
}

/* Else the smooth series for k < n, and from there the pairs: power[n+j] = b_j, rest[n+j] = d_j, with their outer
 * factor. */
static void open_paired(sk_series *f, long double *rest, long double *power)
{
    long double mu = f->mu, head = rgamma1(mu), factorial = 1, rising = 1, gap = 0, ratio = 1, smooth = 1;
    for (int k = 1; k < f->n; k++) { /* 1/Gamma(nu) = 1/(Gamma(1+mu) (1+mu)_(n-1)) */
        smooth /= k * (k - f->nu);
        if (k < SK_SERIES)
            rest[k] = -smooth;
        head /= k + mu;
    }
    for (int i = 1; i <= f->n; i++) { /* n!, (1+mu)_n, (1 - n!/(1+mu)_n)/mu, n!/(1+mu)_n */
        gap += ratio / (i + mu);
        ratio *= i / (i + mu);
        factorial *= i;
        rising *= i + mu;
    }
    long double outer = (f->n % 2 ? 1 : -1) * head * (mu == 0 ? 1 : PI * mu / sinl(PI * mu));
    long double b = outer * rgamma1(mu) / rising;
    long double d = outer * (-2 * rgamma_odd_over_x(mu) + rgamma1(mu) * gap) / factorial;
    for (int j = 0; f->n + j < SK_SERIES; j++) { /* z^n/n! is nothing beyond */
        power[f->n + j] = b;
        rest[f->n + j] = d;
        long double a_step = (f->n + j + 1.0L) * (j + 1 - mu); /* a_j / a_(j+1) */
        b /= (j + 1) * (f->n + j + 1 + mu);
        d = (d + b * (f->n + 2 * j + 2)) / a_step;
    }
}

void sk_series_open(double nu, sk_series *f)
{
    long double rest[SK_SERIES] = {0}, power[SK_SERIES] = {0};
    *f = (sk_series){.nu = nu, .n = nu < 0.5 ? 0 : (int)floor(nu + 0.5)};
    f->mu = f->nu - f->n;
    if (f->n == 0)
        open_rough(f, rest, power);
    else
        open_paired(f, rest, power);
    for (int k = 0; k < SK_SERIES; k++) {
        const long double of_k[4] = {rest[k], k * rest[k], power[k], k * power[k]};
        for (int i = 0; i < 4; i++)
            if (k < SK_LEADING)
                f->lead[k][i] = of_k[i];
            else
                f->tail[k - SK_LEADING][i] = (double)of_k[i];
    }
}

sk_power sk_power_of(const sk_series *f, long double log_z)
{
    return (sk_power){log_z, expl(f->mu * log_z), expm1l(f->mu * log_z)};
}

/* Of a product of two numbers that are on the same side of 1: nothing cancels. */
sk_power sk_power_times(sk_power a, sk_power b)
{
    return (sk_power){a.log_z + b.log_z, a.power * b.power, a.less_one + b.less_one + a.less_one * b.less_one};
}

/* D = R + w P and z D' = z R' + w z P' + z w' P, with R and P the sums of z^k rest[k] and z^k power[k], all at once by
 * Horner's rule, and w = z^nu or W. */
void sk_series_at(const sk_series *f, long double z, sk_power z_mu, long double seed[2])
{
    double tail[4] = {0};
    for (int k = SK_SERIES - SK_LEADING - 1; k >= 0; k--)
        for (int i = 0; i < 4; i++)
            tail[i] = tail[i] * (double)z + f->tail[k][i];
    long double sum[4] = {tail[0], tail[1], tail[2], tail[3]}, w, slope;
    for (int k = SK_LEADING - 1; k >= 0; k--)
        for (int i = 0; i < 4; i++)
            sum[i] = sum[i] * z + f->lead[k][i];
    w = f->n == 0 ? z_mu.power : f->mu == 0 ? -z_mu.log_z : -z_mu.less_one / f->mu;
    slope = f->n == 0 ? f->nu * z_mu.power : -z_mu.power; /* z w' */
    seed[0] = sum[0] + w * sum[2];
    seed[1] = sum[1] + w * sum[3] + slope * sum[2];
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
        return sk_family_matern.limit->exact(nu, u);
    if (s <= 1) {
        long double seed[2];
        sk_series f;
        sk_series_open(nu, &f);
        sk_series_at(&f, s / 4, sk_power_of(&f, logl(s / 4)), seed);
        complement = seed[0];
        value = 1 - complement;
    } else {
        value = u > 1e4L ? 0 : sk_matern_factor(nu) * powl(u / 2, nu) * expl(-u) * sk_scaled_bessel_k(nu, u);
        complement = 1 - value;
    }
    return (sk_pair){value, complement};
}

static double unit(double nu)
{
    return 2 * nu;
}

const sk_family sk_family_matern = {.name = "matern",
                                    .smoothness = true,
                                    .limit = &sk_family_gaussian,
                                    .unit = unit,
                                    .end = SK_HUGE_SQUARE,
                                    .exact = sk_matern_exact,
                                    .build = sk_matern_table,
                                    .build_slopes = sk_matern_slopes,
                                    .slopes = sk_matern_slopes_at};
