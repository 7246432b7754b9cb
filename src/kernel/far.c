/* M_nu(u) for u beyond the edge of matern_table.c's buckets of s: e^u M, whose logarithm varies slowly, fitted at
 * Chebyshev points of pieces of u; M = e^-u times the polynomial. e^u M grows like u^(nu - 1/2), so that a larger nu
 * needs more pieces. */
#include "kernel/inside.h"

#include <math.h>

enum { NODES = 96, MOST_PIECES = 1 << (SK_PIECE_BITS + SK_FINE_BITS) };

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

/* The points of a piece, as offsets of the mantissa, and (u/2)^nu there for u in [2, 4): other octaves' are in
 * proportion. */
typedef struct fitted {
    double offset[SK_TERMS], power[MOST_PIECES][SK_TERMS];
} fitted;

static void make_points(const sk_table *table, fitted *p)
{
    int bits = table->far_bits - SK_SPLIT_BITS;
    sk_piece_offsets(bits, p->offset);
    for (uint64_t b = 0; b < (uint64_t)1 << bits; b++)
        for (int i = 0; i < SK_TERMS; i++)
            p->power[b][i] = pow(ldexp((double)(2 * b + 1), -1 - bits) + 1 + p->offset[i], table->nu);
}

/* The pieces of u in [u0, 2 u0): exp(-u rate) = exp(-middle rate) exp(-(u - middle) rate), the second the same for
 * all. */
static void build_octave(const sk_table *table, const fitted *p, double u0, sk_bucket *to)
{
    rule r;
    int bits = table->far_bits - SK_SPLIT_BITS;
    double near[NODES][SK_TERMS], scale = (double)sk_matern_factor(table->nu) * pow(u0 / 2, table->nu);
    uint64_t first = sk_bucket_of(u0, bits);
    make_rule(&r, table->nu, u0);
    for (int j = 0; j < r.count; j++)
        for (int i = 0; i < SK_TERMS; i++)
            near[j][i] = scale * r.weight[j] * exp(-u0 * p->offset[i] * r.rate[j]);
    for (uint64_t b = 0; b < (uint64_t)1 << bits; b++) {
        double middle = sk_middle_of(first + b, bits), f[SK_TERMS] = {0}, c[SK_TERMS];
        for (int j = r.count - 1; j >= 0; j--) {
            double there = exp(-middle * r.rate[j]);
            for (int i = 0; i < SK_TERMS; i++)
                f[i] += there * near[j][i];
        }
        for (int i = 0; i < SK_TERMS; i++)
            f[i] *= p->power[b][i];
        sk_interpolate(p->offset, f, c);
        sk_fill_buckets(c, bits, &to[b * SK_SPLIT]);
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
