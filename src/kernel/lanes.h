/* A table for a vector of s = u^2, one value a lane (base/simd.h). The lanes' buckets are loaded whole
 * and transposed, or gathered word by word where the processor is quicker at that (sk_table.gathers). */
#ifndef SK_KERNEL_LANES_H
#define SK_KERNEL_LANES_H

#include "base/simd.h"
#include "kernel/inside.h"

#include <string.h>

/* The lanes' buckets: numbered by the exponent and `bits` leading mantissa bits of s, the first one `first`. */
typedef struct sk_lane_buckets {
    const sk_bucket *bucket;
    uint64_t first;
    int bits;
    bool gathers;
} sk_lane_buckets;

/* Lane l of c[m] = word m of its bucket. */
SK_INLINE void sk_gather_buckets(sk_lane_buckets from, sk_vec s, sk_vec c[SK_WORDS])
{
    sk_mask offset = (((sk_mask)s >> (52 - from.bits)) - (int64_t)from.first) * (int64_t)sizeof *from.bucket;
    for (int m = 0; m < SK_WORDS; m++) {
        const double *word = &from.bucket->c[m];
#if defined __AVX512F__
        c[m] = (sk_vec)_mm512_i64gather_pd((__m512i)offset, word, 1);
#elif defined __AVX2__
        c[m] = (sk_vec)_mm256_i64gather_pd(word, (__m256i)offset, 1);
#else
        c[m] = (sk_vec){*(const double *)((const char *)word + offset[0]),
                        *(const double *)((const char *)word + offset[1])};
#endif
    }
}

/* The same, bucket by bucket. */
SK_INLINE void sk_load_buckets(sk_lane_buckets from, const sk_vec *s, sk_vec c[SK_WORDS])
{
    const double *row[SK_LANES];
    uintptr_t base = (uintptr_t)from.bucket - from.first * sizeof *from.bucket;
    for (int l = 0; l < SK_LANES; l++)
        row[l] = (const double *)(base + sk_bucket_of(((const double *)s)[l], from.bits) * sizeof *from.bucket);
#if defined __AVX512F__
    sk_vec z[8], low[2], high[2];
    for (int l = 0; l < 8; l++) /* lanes l and l + 2 */
        if (l % 4 < 2)
            z[l] = (sk_vec)_mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(row[l])),
                                              _mm256_load_pd(row[l + 2]), 1);
    for (int h = 0; h < 2; h++) {
        low[h] = __builtin_shufflevector(z[4 * h], z[4 * h + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        high[h] = __builtin_shufflevector(z[4 * h], z[4 * h + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    c[0] = __builtin_shufflevector(low[0], low[1], 0, 1, 4, 5, 8, 9, 12, 13);
    c[1] = __builtin_shufflevector(high[0], high[1], 0, 1, 4, 5, 8, 9, 12, 13);
    c[2] = __builtin_shufflevector(low[0], low[1], 2, 3, 6, 7, 10, 11, 14, 15);
    c[3] = __builtin_shufflevector(high[0], high[1], 2, 3, 6, 7, 10, 11, 14, 15);
#elif defined __AVX2__
    for (int m = 0; m < SK_WORDS; m += 2) {
        sk_vec half[2];
        for (int odd = 0; odd < 2; odd++)
            half[odd] = (sk_vec)_mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_load_pd(row[odd] + m)),
                                                     _mm_load_pd(row[2 + odd] + m), 1);
        c[m] = __builtin_shufflevector(half[0], half[1], 0, 4, 2, 6);
        c[m + 1] = __builtin_shufflevector(half[0], half[1], 1, 5, 3, 7);
    }
#else
    for (int m = 0; m < SK_WORDS; m += 2) {
        sk_vec even = *(const sk_vec *)(row[0] + m), odd = *(const sk_vec *)(row[1] + m);
        c[m] = __builtin_shufflevector(even, odd, 0, 2);
        c[m + 1] = __builtin_shufflevector(even, odd, 1, 3);
    }
#endif
}

/* sk_polynomial of each lane. */
SK_INLINE sk_vec sk_polynomial_lanes(sk_lane_buckets from, const sk_vec *s)
{
    const int64_t one = (int64_t)SK_EXPONENT_BIAS << 52, below = ((int64_t)1 << (52 - from.bits)) - 1;
    sk_vec t = (sk_vec)(((sk_mask)*s & below) | one) - (1 + 0.5 / (double)((int64_t)1 << from.bits)), t2 = t * t,
           c[SK_WORDS];
    if (from.gathers)
        sk_gather_buckets(from, *s, c);
    else
        sk_load_buckets(from, s, c);
    sk_vec c4 = (sk_vec)((sk_mask)c[3] << (64 - SK_FOURTH_BITS)), c5 = (sk_vec)((sk_mask)c[2] << (64 - SK_FIFTH_BITS));
    return (c[0] + c[1] * t) + ((c[2] + c[3] * t) + (c4 + c5 * t) * t2) * t2;
}

SK_INLINE sk_mask sk_outside_near(const sk_table *table, sk_vec s)
{
    return ~((s >= table->low) & (s < table->edge));
}

SK_INLINE sk_mask sk_outside_reach(const sk_table *table, sk_vec s)
{
    return ~((s >= table->low) & (s < table->reach));
}

/* M, and 1 - M into *complement, where low <= s < edge in every lane, or reach for covariances; gathers: the table's,
 * as a constant in loops. */
SK_INLINE sk_vec sk_near_lanes(const sk_table *table, sk_vec s, bool gathers, sk_vec *complement)
{
    sk_vec p = sk_polynomial_lanes((sk_lane_buckets){table->near, table->first, SK_BUCKET_BITS, gathers}, &s);
    sk_mask flip = s < sk_start_of(table->complements,
                                   SK_BUCKET_BITS); /* of doubles: SSE2 does not compare such integers */
    *complement = sk_select(flip, p, 1 - p);
    return sk_select(flip, 1 - p, p);
}

/* e^x for -700 <= x <= 0:  x = n log 2 + r,  e^r by its Taylor series up to r^13/13! with |r| <= log(2)/2. */
SK_INLINE sk_vec sk_exp_lanes(sk_vec x)
{
    const double round = 0x1.8p52; /* adding it leaves the nearest integer in the low bits */
    sk_vec shifted = x * 1.44269504088896340736 + round, n = shifted - round;
    sk_vec r = (x - n * 0x1.62e42fefa38p-1) -
               n * 0x1.ef35793c7673p-45; /* log 2 in two parts, n times the first exact */
    static const double inverse_factorial[] = {
        1,         1,          1. / 2,      1. / 6,       1. / 24,       1. / 120,       1. / 720,
        1. / 5040, 1. / 40320, 1. / 362880, 1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
    sk_vec square = r * r, even = sk_all(inverse_factorial[12]), odd = sk_all(inverse_factorial[13]);
    for (int m = 10; m >= 0; m -= 2) { /* two short chains instead of one */
        even = even * square + inverse_factorial[m];
        odd = odd * square + inverse_factorial[m + 1];
    }
    return (sk_vec)((sk_mask)(even + r * odd) + ((sk_mask)shifted << 52));
}

/* M where edge <= s < high in every lane: e^-u times the polynomial in u. */
SK_INLINE sk_vec sk_far_lanes(const sk_table *table, sk_vec s)
{
    sk_vec u = sk_sqrt(s);
    sk_vec half = sk_exp_lanes(-0.5 * u); /* e^-u may be subnormal where M is not */
    return half *
           sk_polynomial_lanes((sk_lane_buckets){table->far, table->first_far, table->far_bits, table->gathers}, &u) *
           half;
}

/* exp(-s/2), which ends as 0: M of an exponential table. */
SK_INLINE sk_vec sk_exponential_lanes(sk_vec s)
{
    sk_vec half = sk_exp_lanes(-0.25 * sk_select(s < 2800, s, sk_all(2800)));
    return half * half;
}

/* A point in each lane: x[axis * stride]. */
typedef struct sk_lane_place {
    const sk_vec *x;
    int64_t stride;
} sk_lane_place;

#endif
