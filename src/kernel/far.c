/* M_nu(u) for u beyond the edge of table.c's buckets of s: e^u M, whose logarithm varies slowly, fitted at Chebyshev points of
 * buckets of u; M = e^-u times the polynomial. Where nu > 10, e^u M grows like u^nu and needs eight times as many buckets. */
#include "kernel/inside.h"

#include <math.h>

enum { NODES = 96, MOST_SPLITS = 1 << SK_FINE_SPLIT_BITS };

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

/* The points of a bucket, as offsets of the mantissa, and (u/2)^nu there for u in [2, 4): other octaves' are in proportion. */
typedef struct fitted {
    double offset[SK_COEFFICIENTS], power[MOST_SPLITS][SK_COEFFICIENTS];
} fitted;

static void make_points(const sk_table *table, fitted *p)
{
    for (int i = 0; i < SK_COEFFICIENTS; i++)
        p->offset[i] = ldexp(cos(M_PI * (i + 0.5) / SK_COEFFICIENTS), -1 - table->far_bits);
    for (uint64_t b = 0; b < (uint64_t)1 << table->far_bits; b++)
        for (int i = 0; i < SK_COEFFICIENTS; i++)
            p->power[b][i] = pow(ldexp(2 * b + 1, -1 - table->far_bits) + 1 + p->offset[i], table->nu);
}

/* The buckets of u in [u0, 2 u0): exp(-u rate) = exp(-middle rate) exp(-(u - middle) rate), the second the same for all. */
static void build_octave(const sk_table *table, const fitted *p, double u0, sk_bucket *to)
{
    rule r;
    double near[NODES][SK_COEFFICIENTS], scale = (double)sk_matern_factor(table->nu) * pow(u0 / 2, table->nu);
    uint64_t first = sk_bucket_of(u0, table->far_bits);
    make_rule(&r, table->nu, u0);
    for (int j = 0; j < r.count; j++)
        for (int i = 0; i < SK_COEFFICIENTS; i++)
            near[j][i] = scale * r.weight[j] * exp(-u0 * p->offset[i] * r.rate[j]);
    for (uint64_t b = 0; b < (uint64_t)1 << table->far_bits; b++) {
        double middle = sk_middle_of(first + b, table->far_bits), f[SK_COEFFICIENTS] = {0};
        for (int j = r.count - 1; j >= 0; j--) {
            double there = exp(-middle * r.rate[j]);
            for (int i = 0; i < SK_COEFFICIENTS; i++)
                f[i] += there * near[j][i];
        }
        for (int i = 0; i < SK_COEFFICIENTS; i++)
            f[i] *= p->power[b][i];
        interpolate(p->offset, f, &to[b]);
    }
}

void sk_table_far(sk_table *table)
{
    fitted p;
    double u0 = sqrt(table->edge), end = sqrt(table->high);
    if (u0 < end)
        make_points(table, &p);
    for (sk_bucket *to = table->far; u0 < end; u0 *= 2, to += (uint64_t)1 << table->far_bits)
        build_octave(table, &p, u0, to);
}
