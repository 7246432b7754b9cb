/* From the eight coefficients of a piece to the six of each of its four buckets.
 *
 * Offsets within a bucket are at most h = 2^-8 where pieces have five leading bits, so what is left out behind t^5 is
 * t^6 <= 4e-15 of a coefficient that is small; the best even polynomial in its place leaves 1/32 of that:
 *   t^6 ~ 3/2 h^2 t^4 - 9/16 h^4 t^2 + h^6/32,
 * and t^7 is dropped. The coefficients of t^4 and t^5 count for 2^-32 and 2^-40 and need not be whole doubles. */
#include "kernel/inside.h"

#include <float.h>
#include <math.h>

/* The double next to `value` whose low bits are the leading `bits` of `rider`. */
static double carry(double value, double rider, int bits)
{
    uint64_t word, top, low = ((uint64_t)1 << bits) - 1;
    memcpy(&word, &value, sizeof word);
    memcpy(&top, &rider, sizeof top);
    top = (top + ((uint64_t)1 << (63 - bits))) >> (64 - bits);
    word = fabs(value) < DBL_MIN ? top : ((word - top + (low + 1) / 2) & ~low) | top;
    memcpy(&value, &word, sizeof value);
    return value;
}

typedef double two __attribute__((vector_size(16))); /* of two buckets side by side: what every processor has */

void sk_fill_buckets(const double c[SK_TERMS], int bits, sk_bucket to[SK_SPLIT])
{
    double h = 1.0 / (8 << bits), h2 = h * h;
    for (int q = 0; q < SK_SPLIT; q += 2) {
        two a[SK_TERMS], middle = {(2 * q + 1 - SK_SPLIT) * h, (2 * q + 3 - SK_SPLIT) * h};
        for (int m = 0; m < SK_TERMS; m++)
            a[m] = c[m] - (two){0};
        for (int i = 0; i < 6; i++) /* around the bucket's own middle: Horner's scheme, again and again */
            for (int m = SK_TERMS - 2; m >= i; m--)
                a[m] += middle * a[m + 1];
        two more = a[6] * h2;
        a[0] += more * (h2 * h2 / 32);
        a[2] -= more * (9. / 16 * h2);
        a[4] += more * 1.5;
        for (int p = 0; p < 2; p++)
            to[q + p] = (sk_bucket){
                {a[0][p], a[1][p], carry(a[2][p], a[5][p], SK_FIFTH_BITS), carry(a[3][p], a[4][p], SK_FOURTH_BITS)}};
    }
}

void sk_piece_offsets(int bits, double offset[SK_TERMS])
{
    for (int i = 0; i < SK_TERMS; i++)
        offset[i] = ldexp(cos(M_PI * (i + 0.5) / SK_TERMS), -1 - bits);
}

/* Newton's divided differences, expanded into powers. */
void sk_interpolate(const double *t, double *f, double c[SK_TERMS])
{
    for (int order = 1; order < SK_TERMS; order++)
        for (int i = SK_TERMS - 1; i >= order; i--)
            f[i] = (f[i] - f[i - 1]) / (t[i] - t[i - order]);
    memset(c, 0, SK_TERMS * sizeof *c);
    c[0] = f[SK_TERMS - 1];
    for (int i = SK_TERMS - 2; i >= 0; i--) {
        for (int m = SK_TERMS - 1; m > 0; m--)
            c[m] = c[m - 1] - t[i] * c[m];
        c[0] = f[i] - t[i] * c[0];
    }
}
