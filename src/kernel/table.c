/* M_nu as a function of s = u^2, without a square root: buckets by the exponent and the top five bits of s, in each a
 * polynomial of degree 7 in the offset of the mantissa from the bucket's middle.
 *
 *   s <= 1         1 - M and its slope from the ascending series, at each bucket's middle
 *   1 < s < edge   M stepped down from s = edge, bucket to bucket, by its Taylor series (downwards M grows, so errors do not)
 *   s >= edge      e^u M, whose logarithm varies slowly, fitted at Chebyshev points; here M = e^-u times the polynomial in u
 *
 * In the first two the Taylor coefficients follow from the differential equation  s M'' + (1-nu) M' - M/4 = 0.
 * With s = s0 (1+x), M = sum_m alpha_m x^m:
 *   (m+2)(m+1) alpha_(m+2) = -(m+1)(m+1-nu) alpha_(m+1) + s0/4 alpha_m,
 * and the same for D = 1 - M with -s0/4 added at m = 0. A bucket holds D where D < 1/2, else M, so that both keep their
 * relative accuracy. Offsets are at most 1/64 of s, so degree 7 leaves about (1/64)^8 = 4e-15. Where nu > 10, e^u M grows
 * like u^nu and needs eight times as many buckets. For covariances, where the absolute error counts, buckets of s go on
 * beyond edge to `reach`: there degree 7 leaves (u/128)^8/8! of an M that is small. */
#include "kernel/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOG2 0.693147180559945309417232121458176568L
enum { STEP_TERMS = 14, FAR_STEP_TERMS = 20, NODES = 96, FINE_SPLIT_BITS = 8 };

/* ------------------------------------------------------------------------------------------------- buckets below edge */

/* 1/((m+2)(m+1)) */
static const long double STEP[FAR_STEP_TERMS] = {
    1 / 2.0L,   1 / 6.0L,   1 / 12.0L,  1 / 20.0L,  1 / 30.0L,  1 / 42.0L,  1 / 56.0L,  1 / 72.0L,  1 / 90.0L,  1 / 110.0L,
    1 / 132.0L, 1 / 156.0L, 1 / 182.0L, 1 / 210.0L, 1 / 240.0L, 1 / 272.0L, 1 / 306.0L, 1 / 342.0L, 1 / 380.0L, 1 / 420.0L,
};

/* alpha[2..terms) from alpha[0], alpha[1]; source: 0 for M, 1 for D. */
static void taylor(long double nu, long double s0, int source, long double *alpha, int terms)
{
    for (int m = 0; m + 2 < terms; m++) {
        long double right = s0 / 4 * (alpha[m] - (m == 0 ? source : 0)) - (m + 1) * (m + 1 - nu) * alpha[m + 1];
        alpha[m + 2] = right * STEP[m];
    }
}

/* From powers of x = (s - s0)/s0 to powers of the mantissa's offset; sign -1 and add 1 turn M into D and back. */
static void store(sk_bucket *b, const long double *alpha, double middle, bool flip)
{
    int exponent;
    long double inverse = 0.5L / frexp(middle, &exponent), scale = flip ? -1 : 1;
    for (int m = 0; m < SK_COEFFICIENTS; m++, scale *= inverse)
        b->c[m] = (double)((m == 0 && flip ? 1 : 0) + alpha[m] * scale);
}

/* Complements come first and never again: D grows with s. */
static bool count_complement(sk_table *table, uint64_t number, bool complement)
{
    if (complement && number >= table->complements)
        table->complements = number + 1;
    return complement;
}

static void build_small(sk_table *table, uint64_t one)
{
    enum { SPLITS = 1 << SK_SPLIT_BITS };
    long double log_mantissa[SPLITS];
    sk_series series;
    sk_series_open(table->nu, &series);
    for (uint64_t i = 0; i < SPLITS; i++)
        log_mantissa[i] = logl(sk_middle_of(one + i, SK_SPLIT_BITS));
    for (uint64_t number = table->first; number < one; number++) {
        long double middle = sk_middle_of(number, SK_SPLIT_BITS), alpha[SK_COEFFICIENTS];
        long double octave = (long double)((int64_t)(number >> SK_SPLIT_BITS) - SK_EXPONENT_BIAS);
        sk_series_at(&series, middle, octave * LOG2 + log_mantissa[number % SPLITS], alpha);
        taylor(table->nu, middle, 1, alpha, SK_COEFFICIENTS);
        bool complement = count_complement(table, number, alpha[0] < 0.5L);
        store(&table->near[number - table->first], alpha, (double)middle, !complement);
    }
}

/* The buckets below s = top down to number `begin`. */
static void build_middle(sk_table *table, double top, uint64_t begin)
{
    int terms = top > table->edge ? FAR_STEP_TERMS : STEP_TERMS;
    long double nu = table->nu, s0 = top, u = sqrtl(s0), alpha[FAR_STEP_TERMS];
    long double head = sk_matern_factor(table->nu) * powl(u / 2, nu) * expl(-u);
    alpha[0] = head * sk_scaled_bessel_k(nu, u);              /* M */
    alpha[1] = -head * u / 2 * sk_scaled_bessel_k(nu - 1, u); /* s M' = -factor (u/2)^(nu+1) K_(nu-1) */
    for (uint64_t number = sk_bucket_of(top, SK_SPLIT_BITS) - 1; number >= begin; number--) {
        long double middle = sk_middle_of(number, SK_SPLIT_BITS), x = (middle - s0) / s0, value = 0, slope = 0;
        taylor(nu, s0, 0, alpha, terms);
        for (int m = terms - 1; m >= 0; m--) {
            slope = slope * x + (m + 1 < terms ? (m + 1) * alpha[m + 1] : 0);
            value = value * x + alpha[m];
        }
        alpha[0] = value;
        alpha[1] = slope * (1 + x);
        s0 = middle;
        taylor(nu, s0, 0, alpha, SK_COEFFICIENTS);
        if (number >= table->first)
            store(&table->near[number - table->first], alpha, (double)middle,
                  count_complement(table, number, value > 0.5L));
    }
}

/* -------------------------------------------------------------------------------------------------- buckets from edge */

/* e^u K_nu(u) = sum_i weight_i exp(-u rate_i) for u in [u0, 2 u0]: the rule of sk_scaled_bessel_k, its nodes shared. */
typedef struct rule {
    int count;
    double rate[NODES], weight[NODES];
} rule;

static void make_rule(rule *r, double nu, double u0)
{
    double h = fmin(0.12, 0.6 / sqrt(hypot(2 * u0, nu)));
    double peak = asinh(nu / u0);
    *r = (rule){.count = 1, .rate = {0}, .weight = {h / 2}};
    for (double top = 0; r->count < NODES; r->count++) {
        double t = r->count * h, root = sinh(t / 2), rate = 2 * root * root, weight = h * cosh(nu * t);
        double exponent = log(weight) - u0 * rate;
        top = fmax(top, exponent);
        if (t > peak && exponent < top - 45)
            break;
        r->rate[r->count] = rate;
        r->weight[r->count] = weight;
    }
}

/* The polynomial through (t_i, f_i): Newton's divided differences, expanded into powers. */
static void interpolate(const double *t, double *f, sk_bucket *b)
{
    for (int order = 1; order < SK_COEFFICIENTS; order++)
        for (int i = SK_COEFFICIENTS - 1; i >= order; i--)
            f[i] = (f[i] - f[i - 1]) / (t[i] - t[i - order]);
    *b = (sk_bucket){{f[SK_COEFFICIENTS - 1]}};
    for (int i = SK_COEFFICIENTS - 2; i >= 0; i--) {
        for (int m = SK_COEFFICIENTS - 1; m > 0; m--)
            b->c[m] = b->c[m - 1] - t[i] * b->c[m];
        b->c[0] = f[i] - t[i] * b->c[0];
    }
}

static void build_far(sk_table *table, uint64_t end)
{
    rule r = {0};
    double factor = (double)sk_matern_factor(table->nu);
    for (uint64_t number = table->first_far; number < end; number++) {
        double middle = sk_middle_of(number, table->far_bits), t[SK_COEFFICIENTS], f[SK_COEFFICIENTS];
        if ((number - table->first_far) % ((uint64_t)1 << table->far_bits) == 0)
            make_rule(&r, table->nu, ldexp(1, ilogb(middle)));
        for (int i = 0; i < SK_COEFFICIENTS; i++) {
            t[i] = ldexp(cos(M_PI * (i + 0.5) / SK_COEFFICIENTS), -1 - table->far_bits);
            double u = middle + ldexp(t[i], ilogb(middle)), bessel = 0;
            for (int j = r.count - 1; j >= 0; j--)
                bessel += r.weight[j] * exp(-u * r.rate[j]);
            f[i] = factor * pow(u / 2, table->nu) * bessel;
        }
        interpolate(t, f, &table->far[number - table->first_far]);
    }
}

/* -------------------------------------------------------------------------------------------------------------- table */

/* Whole octaves around [low, high], within what the table can do. */
static void set_range(sk_table *table, double low, double high)
{
    table->edge = table->nu <= 10 ? 64 : 256; /* a power of 4 beyond the point where M = 1/2 */
    low = fmin(fmax(low, 0x1p-200), 1);
    high = fmin(fmax(high, table->edge), SK_HUGE_SQUARE);
    table->low = ldexp(1, ilogb(low));
    double far = sqrt(table->edge);
    while (far * far < high)
        far *= 2;
    table->high = far * far;
    table->reach = fmin(table->high, table->nu <= 3 ? 1024 : table->edge);
    table->far_bits = table->nu <= 10 ? SK_SPLIT_BITS : FINE_SPLIT_BITS;
    table->first = table->complements = sk_bucket_of(table->low, SK_SPLIT_BITS);
    table->first_far = sk_bucket_of(sqrt(table->edge), table->far_bits);
}

surekrig_status sk_table_new(double nu, double low, double high, sk_table **out, surekrig_error *error)
{
    sk_table *table = sk_zeroed(1, sizeof *table);
    if (!table)
        return sk_fail_memory(error, sizeof *table, "the Matérn table");
    table->nu = nu;
    table->gathers = sk_cpu_gathers();
    *out = table;
    if (isinf(nu))
        return SUREKRIG_OK;
    set_range(table, low, high);
    uint64_t one = sk_bucket_of(1, SK_SPLIT_BITS), near = sk_bucket_of(table->reach, SK_SPLIT_BITS) - table->first;
    uint64_t end = sk_bucket_of(sqrt(table->high), table->far_bits), far = end - table->first_far;
    table->near = sk_aligned((int64_t)near, sizeof(sk_bucket));
    table->far = sk_aligned((int64_t)far, sizeof(sk_bucket));
    if (!table->near || !table->far) {
        sk_table_free(table);
        *out = NULL;
        return sk_fail_memory(error, (double)((near + far) * sizeof(sk_bucket)), "the Matérn table");
    }
    build_small(table, one);
    build_middle(table, table->edge, one);
    if (table->reach > table->edge)
        build_middle(table, table->reach, sk_bucket_of(table->edge, SK_SPLIT_BITS));
    build_far(table, end);
    return SUREKRIG_OK;
}

void sk_table_free(sk_table *table)
{
    if (!table)
        return;
    free(table->near);
    free(table->far);
    free(table);
}

double sk_table_nu(const sk_table *table)
{
    return table->nu;
}

/* Outside the buckets: the Gaussian kernel, far and tiny s. */
static double rare(const sk_table *table, double s, double *complement)
{
    sk_pair exact = {0, 1};
    if (isinf(table->nu))
        exact = (sk_pair){exp(-s / 2), -expm1(-s / 2)};
    else if (s < SK_HUGE_SQUARE)
        exact = sk_matern_exact(table->nu, sqrtl((long double)s));
    *complement = (double)exact.complement;
    return (double)exact.value;
}

static double far_value(const sk_table *table, double s, double *complement)
{
    double u = sqrt(s);
    double half = exp(-u / 2); /* e^-u may be subnormal where M is not */
    double value = half * sk_polynomial(&table->far[sk_bucket_of(u, table->far_bits) - table->first_far],
                                        sk_offset_of(u, table->far_bits)) * half;
    *complement = 1 - value;
    return value;
}

double sk_table_at(const sk_table *table, double s, double *complement)
{
    double other, value;
    if (s >= table->low && s < table->edge) {
        uint64_t number = sk_bucket_of(s, SK_SPLIT_BITS);
        double p = sk_polynomial(&table->near[number - table->first], sk_offset_of(s, SK_SPLIT_BITS));
        value = number < table->complements ? 1 - p : p;
        other = number < table->complements ? p : 1 - p;
    } else if (s >= table->edge && s < table->high) {
        value = far_value(table, s, &other);
    } else {
        value = rare(table, s, &other);
    }
    if (complement)
        *complement = other;
    return value;
}
