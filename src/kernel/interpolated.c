/* Tables of any family from its exact values: in each piece of s the polynomial of degree 7 through Chebyshev points,
 * of D = 1 - M while D < 1/2 and then of M, so that both keep their relative accuracy. Each bucket is compared with the
 * exact value where it is worst, at its end. From the first piece that is not as good as it should be (M falls steeply
 * there, or to 0) the exact function is called; covariances, where the absolute error counts, use pieces for longer.
 *
 * Derivatives by sixth-order central differences of the exact function, where the family has none of its own. */
#include "kernel/inside.h"

#include <math.h>

static const double RELATIVE = 5e-14, ABSOLUTE = 5e-16; /* what a bucket may be wrong by */

/* What a piece holds at the offset of the mantissa from its middle. */
static double held_at(const sk_table *table, uint64_t piece, double offset, bool complement)
{
    int exponent;
    double middle = sk_middle_of(piece, SK_PIECE_BITS);
    frexp(middle, &exponent);
    sk_pair exact = table->family->exact(table->nu, sqrtl(middle + ldexpl(offset, exponent - 1)));
    return (double)(complement ? exact.complement : exact.value);
}

static void fit(const sk_table *table, uint64_t piece, const double offset[SK_TERMS], bool complement)
{
    double f[SK_TERMS], c[SK_TERMS];
    for (int i = 0; i < SK_TERMS; i++)
        f[i] = held_at(table, piece, offset[i], complement);
    sk_interpolate(offset, f, c);
    sk_fill_buckets(c, SK_PIECE_BITS, &table->near[piece * SK_SPLIT - table->first]);
}

/* Is each bucket of the piece good, relatively or at least for a covariance? */
static void check(const sk_table *table, uint64_t piece, bool complement, bool *good, bool *enough)
{
    *good = *enough = true;
    for (uint64_t number = piece * SK_SPLIT; number < (piece + 1) * SK_SPLIT; number++) {
        double s = nextafter(sk_start_of(number + 1, SK_BUCKET_BITS), 0);
        sk_pair exact = table->family->exact(table->nu, sqrtl(s));
        double p = sk_polynomial(&table->near[number - table->first], sk_offset_of(s, SK_BUCKET_BITS));
        double right = (double)(complement ? exact.complement : exact.value), error = fabs(p - right);
        *good = *good && error <= RELATIVE * fabs(right);
        *enough = *enough && (error <= RELATIVE * fabs(right) || error <= ABSOLUTE);
    }
}

/* Whole octaves around [low, high], within the support. */
static void set_range(sk_table *table, double low, double high)
{
    high = fmin(fmax(high, 1), fmin(SK_HUGE_SQUARE, table->family->end));
    table->low = ldexp(1, ilogb(fmin(fmax(low, 0x1p-900), 0.5)));
    table->reach = ldexp(1, ilogb(high));
    table->reach *= table->reach < high ? 2 : 1;
    table->edge = table->reach;
    table->first = table->complements = sk_bucket_of(table->low, SK_BUCKET_BITS);
}

surekrig_status sk_interpolate_table(sk_table *table, double low, double high, surekrig_error *error)
{
    double offset[SK_TERMS];
    set_range(table, low, high);
    uint64_t end = sk_bucket_of(table->reach, SK_BUCKET_BITS);
    surekrig_status status = sk_table_room(table, end - table->first, 0, error);
    sk_piece_offsets(SK_PIECE_BITS, offset);
    for (uint64_t piece = table->first / SK_SPLIT; !status && piece * SK_SPLIT < end; piece++) {
        double start = sk_start_of(piece, SK_PIECE_BITS);
        bool good, enough, complement = piece * SK_SPLIT == table->complements && held_at(table, piece, 0, true) < 0.5;
        fit(table, piece, offset, complement);
        check(table, piece, complement, &good, &enough);
        table->edge = good ? table->edge : fmin(table->edge, start);
        if (!enough) {
            table->reach = start;
            break;
        }
        table->complements += complement ? SK_SPLIT : 0;
    }
    table->high = table->edge; /* no far buckets */
    return status;
}

/* ---- derivatives */

static long double difference(const long double f[7], long double h)
{
    return (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + f[6] - f[0]) / (60 * h);
}

/* M, or -D where that is the smaller of the two: their derivatives are the same. */
static long double smaller(sk_pair exact, bool complement)
{
    return complement ? -exact.complement : exact.value;
}

void sk_difference_slopes(const sk_slopes *t, double s, double by[2])
{
    const sk_family *of = t->family;
    by[0] = by[1] = 0;
    if (!(s >= SK_TINY_SQUARE && s < of->end))
        return;
    const long double step = 0x1p-10L;
    long double u = sqrtl(s), h = fminl(step, logl(of->end / s) / 3), f[7]; /* not across the end */
    bool complement = of->exact(t->nu, u).complement < 0.5L;
    for (int i = 0; i < 7; i++)
        f[i] = smaller(of->exact(t->nu, u * expl((i - 3) * h / 2)), complement);
    by[0] = (double)difference(f, h);
    for (int i = 0; t->by_nu && i < 7; i++) { /* at the same distance */
        double nu = t->nu * (1 + (i - 3) * (double)step);
        f[i] = smaller(of->exact(nu, u * sqrtl(of->unit(nu) / of->unit(t->nu))), complement);
    }
    by[1] = t->by_nu ? ((double)difference(f, step) - by[0]) / t->nu : 0;
}

surekrig_status sk_interpolate_slopes(sk_slopes *t, double low, double high, surekrig_error *error)
{
    double top = fmin(SK_HUGE_SQUARE, t->family->end), offset[SK_TERMS], c[SK_TERMS];
    uint64_t count;
    low = fmin(fmax(low, 0x1p-900), top);
    surekrig_status status = sk_slopes_room(t, low, fmax(fmin(high, top), low), &count, error);
    sk_piece_offsets(SK_PIECE_BITS, offset);
    for (uint64_t at = 0; !status && at < count; at += SK_SPLIT) {
        double e[SK_TERMS], n[SK_TERMS], by[2], middle = sk_middle_of((t->first + at) / SK_SPLIT, SK_PIECE_BITS);
        for (int i = 0; i < SK_TERMS; i++) {
            int exponent;
            frexp(middle, &exponent);
            (t->family->slopes ? t->family->slopes : sk_difference_slopes)(t, middle + ldexp(offset[i], exponent - 1),
                                                                           by);
            e[i] = by[0];
            n[i] = by[1];
        }
        sk_interpolate(offset, e, c);
        sk_fill_buckets(c, SK_PIECE_BITS, &t->e[at]);
        sk_interpolate(offset, n, c);
        sk_fill_buckets(c, SK_PIECE_BITS, &t->n[at]);
    }
    return status;
}
