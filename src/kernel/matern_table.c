/* M_nu as a function of s = u^2, without a square root: pieces by the exponent and the top five bits of s, in each a
 * polynomial of degree 7 in the offset of the mantissa from the piece's middle, which bucket.c makes quick to evaluate.
 *
 *   s <= 1         1 - M and its slope from the ascending series, at each piece's middle
 *   1 < s < edge   M stepped down from s = edge, piece to piece, by its Taylor series: downwards M grows, errors do not
 *   s >= edge      in pieces of u: far.c
 *
 * In the first two the Taylor coefficients follow from the differential equation  s M'' + (1-nu) M' - M/4 = 0.
 * With s = s0 (1+x), M = sum_m alpha_m x^m:
 *   (m+2)(m+1) alpha_(m+2) = -(m+1)(m+1-nu) alpha_(m+1) + s0/4 alpha_m,
 * and the same for D = 1 - M with -s0/4 added at m = 0. A piece holds D where D < 1/2, else M, so that both keep their
 * relative accuracy. Offsets are at most 1/64 of s, so degree 7 leaves about (1/64)^8 = 4e-15. For covariances, where
 * the absolute error counts, pieces of s go on beyond edge to `reach`: there degree 7 leaves (u/128)^8/8! of an M that
 * is small. */
#include "kernel/inside.h"

#include <math.h>

#define LOG2 0.693147180559945309417232121458176568L
enum { STEP_TERMS = 14, FAR_STEP_TERMS = 20 };
static const double NEGLIGIBLE = 1024, FARTHEST = 16384; /* s: M < 1e-11 beyond the first, 1e-50 beyond the second */

/* --------------------------------------------------------------------------------------------- pieces below edge */

/* The factors of alpha_(m+1) and of s0 alpha_m in alpha_(m+2): -(m+1-nu)/(m+2) and 1/(4 (m+2)(m+1)). */
typedef struct equation {
    long double nu;
    double last[FAR_STEP_TERMS], before[FAR_STEP_TERMS];
} equation;

static void make_equation(equation *e, double nu)
{
    e->nu = nu;
    for (int m = 0; m < FAR_STEP_TERMS; m++) {
        e->last[m] = -(m + 1 - nu) / (m + 2);
        e->before[m] = 0.25 / ((m + 2) * (m + 1));
    }
}

/* M or D around s0: alpha. The errors of alpha_3 and on are divided by 32^3 and more, so double is enough for them. */
typedef struct expansion {
    long double first[3]; /* alpha_0 to alpha_2 */
    double alpha[FAR_STEP_TERMS];
} expansion;

/* The rest from alpha_0 and alpha_1; source: 0 for M, 1 for D. */
static inline void expand(const equation *e, double s0, int source, expansion *f, int terms)
{
    double *alpha = f->alpha;
    f->first[2] = ((long double)s0 / 4 * (f->first[0] - source) - (1 - e->nu) * f->first[1]) / 2;
    alpha[1] = (double)f->first[1];
    alpha[2] = (double)f->first[2];
    for (int m = 1; m + 2 < terms; m++)
        alpha[m + 2] = e->before[m] * s0 * alpha[m] + e->last[m] * alpha[m + 1];
}

/* From powers of x = (s - s0)/s0 to powers of the mantissa's offset; flip turns M into D and back. */
static void store(sk_table *table, uint64_t piece, const expansion *f, bool flip)
{
    int exponent;
    double c[SK_TERMS] = {(double)(flip ? 1 - f->first[0] : f->first[0])};
    double inverse = 0.5 / frexp(sk_middle_of(piece, SK_PIECE_BITS), &exponent), scale = flip ? -inverse : inverse;
    for (int m = 1; m < SK_TERMS; m++, scale *= inverse)
        c[m] = f->alpha[m] * scale;
    sk_fill_buckets(c, SK_PIECE_BITS, &table->near[piece * SK_SPLIT - table->first]);
}

/* Complements come first and never again: D grows with s. */
static bool count_complement(sk_table *table, uint64_t piece, bool complement)
{
    if (complement && piece * SK_SPLIT >= table->complements)
        table->complements = (piece + 1) * SK_SPLIT;
    return complement;
}

/* s/4 = 2^(octave-1) * mantissa/2, neither above 1: the powers of either are shared by many pieces. */
static void build_small(sk_table *table, const equation *e, uint64_t one)
{
    enum { PIECES = 1 << SK_PIECE_BITS };
    sk_power of_octave = {0}, of_half[PIECES];
    sk_series series;
    sk_series_open(table->nu, &series);
    for (uint64_t i = 0; i < PIECES; i++)
        of_half[i] = sk_power_of(&series, logl(sk_middle_of(one - PIECES + i, SK_PIECE_BITS)));
    for (uint64_t piece = table->first / SK_SPLIT; piece < one; piece++) {
        if (piece % PIECES == 0)
            of_octave = sk_power_of(&series, ((int64_t)(piece >> SK_PIECE_BITS) - SK_EXPONENT_BIAS - 1) * LOG2);
        double middle = sk_middle_of(piece, SK_PIECE_BITS);
        expansion f;
        sk_series_at(&series, middle / 4, sk_power_times(of_octave, of_half[piece % PIECES]), f.first);
        expand(e, middle, 1, &f, SK_TERMS);
        store(table, piece, &f, !count_complement(table, piece, f.first[0] < 0.5L));
    }
}

/* alpha_0 and alpha_1 around s0 (1 + x) from all around s0. */
static inline void step(expansion *f, long double x, int terms)
{
    double power = (double)x, value = 0, slope = 0;
    for (int m = 3; m < terms; m++) {
        power *= (double)x;
        value += f->alpha[m] * power; /* its x-th part */
        slope += m * (f->alpha[m] * power);
    }
    f->first[0] += x * (f->first[1] + x * f->first[2] + value);
    f->first[1] = (f->first[1] + 2 * x * f->first[2] + slope) * (1 + x);
}

/* The pieces below s = top down to number `begin`. */
static void build_middle(sk_table *table, const equation *e, double top, uint64_t begin)
{
    int terms = top > table->edge ? FAR_STEP_TERMS : STEP_TERMS;
    long double nu = table->nu, u = sqrtl(top), head = sk_matern_factor(table->nu) * powl(u / 2, nu) * expl(-u);
    double s0 = top;
    expansion f;
    f.first[0] = head * sk_scaled_bessel_k(nu, u);              /* M */
    f.first[1] = -head * u / 2 * sk_scaled_bessel_k(nu - 1, u); /* s M' = -factor (u/2)^(nu+1) K_(nu-1) */
    expand(e, s0, 0, &f, terms);
    for (uint64_t piece = sk_bucket_of(top, SK_PIECE_BITS) - 1; piece >= begin; piece--) {
        double middle = sk_middle_of(piece, SK_PIECE_BITS);
        step(&f, (long double)(middle - s0) / s0, terms);
        s0 = middle;
        expand(e, s0, 0, &f, terms);
        if (piece * SK_SPLIT >= table->first)
            store(table, piece, &f, count_complement(table, piece, f.first[0] > 0.5L));
    }
}

/* --------------------------------------------------------------------------------------------------------- table */

/* Whole octaves around [low, high], within what the table can do. */
static void set_range(sk_table *table, double low, double high)
{
    table->edge = table->nu <= 10 ? 64 : 256; /* a power of 4 beyond the point where M = 1/2 */
    low = fmin(fmax(low, SK_TINY_SQUARE), 1);
    high = fmin(fmax(high, table->edge), SK_HUGE_SQUARE);
    table->low = ldexp(1, ilogb(low));
    double far = sqrt(table->edge);
    while (far * far < high)
        far *= 2;
    table->high = far * far;
    table->reach = fmin(table->high, table->nu <= 3 ? FARTHEST : table->edge);
    table->far_bits = SK_BUCKET_BITS + (table->nu <= 3 ? 0 : table->nu <= 10 ? 1 : SK_FINE_BITS);
    table->first = table->complements = sk_bucket_of(table->low, SK_BUCKET_BITS);
    table->first_far = sk_bucket_of(sqrt(table->edge), table->far_bits);
}

surekrig_status sk_matern_table(sk_table *table, double low, double high, surekrig_error *error)
{
    set_range(table, low, high);
    uint64_t one = sk_bucket_of(1, SK_PIECE_BITS), near = sk_bucket_of(table->reach, SK_BUCKET_BITS) - table->first;
    uint64_t end = sk_bucket_of(sqrt(table->high), table->far_bits), far = end - table->first_far;
    surekrig_status status = sk_table_room(table, near, far, error);
    if (status)
        return status;
    equation e;
    make_equation(&e, table->nu);
    build_small(table, &e, one);
    build_middle(table, &e, table->edge, one);
    double middle = fmin(table->reach, NEGLIGIBLE);
    if (middle > table->edge)
        build_middle(table, &e, middle, sk_bucket_of(table->edge, SK_PIECE_BITS));
    if (table->reach > middle)
        build_middle(table, &e, table->reach, sk_bucket_of(middle, SK_PIECE_BITS));
    sk_table_far(table);
    return SUREKRIG_OK;
}
