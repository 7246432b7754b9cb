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

void sk_fill_buckets(const double c[SK_TERMS], int bits, sk_bucket to[SK_SPLIT])
{
    double h = ldexp(1, -3 - bits), h2 = h * h, a[SK_TERMS][SK_SPLIT];
    for (int m = 0; m < SK_TERMS; m++)
        for (int q = 0; q < SK_SPLIT; q++)
            a[m][q] = c[m];
    for (int i = 0; i + 1 < SK_TERMS; i++) /* around the bucket's own middle: Horner's scheme, again and again */
        for (int m = SK_TERMS - 2; m >= i; m--)
            for (int q = 0; q < SK_SPLIT; q++)
                a[m][q] += (2 * q + 1 - SK_SPLIT) * h * a[m + 1][q];
    for (int q = 0; q < SK_SPLIT; q++) {
        double more = a[6][q] * h2;
        to[q].c[0] = a[0][q] + more * h2 * h2 / 32;
        to[q].c[1] = a[1][q];
        to[q].c[2] = carry(a[2][q] - 9. / 16 * more * h2, a[5][q], SK_FIFTH_BITS);
        to[q].c[3] = carry(a[3][q], a[4][q] + 1.5 * more, SK_FOURTH_BITS);
    }
}
