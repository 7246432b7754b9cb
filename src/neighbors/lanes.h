/* What gcc's vectors cannot say: comparisons as bits, one a lane; the greater of two; lanes kept by such bits moved
 * together. Included by *.simd.c alone. */
#ifndef SK_LANES_H
#define SK_LANES_H

#include "base/simd.h"

#include <string.h>

static inline sk_vec load(const double *x)
{
    sk_vec v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void store(double *x, sk_vec v)
{
    memcpy(x, &v, sizeof v);
}

#if defined __AVX2__ /* and so AVX-512 */
static inline int count_bits(unsigned set)
{
    return __builtin_popcount(set);
}
#endif

#if defined __AVX512F__

static inline unsigned bits(sk_mask yes)
{
    return _mm512_movepi64_mask((__m512i)yes);
}

static inline sk_vec greater(sk_vec a, sk_vec b)
{
    return (sk_vec)_mm512_max_pd((__m512d)a, (__m512d)b);
}

static inline unsigned less(sk_vec a, sk_vec b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
}

static inline unsigned at_most(sk_vec a, sk_vec b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LE_OQ);
}

/* count + 1 in the lanes where a < b. */
static inline sk_mask count_less(sk_mask count, sk_vec a, sk_vec b)
{
    __mmask8 yes = _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_LT_OQ);
    return (sk_mask)_mm512_mask_add_epi64((__m512i)count, yes, (__m512i)count, _mm512_set1_epi64(1));
}

static inline unsigned rows_equal(const uint32_t *row, uint32_t one)
{
    return _mm256_cmpeq_epi32_mask(_mm256_loadu_si256((const void *)row), _mm256_set1_epi32((int)one));
}

/* The lanes with a bit in keep, moved together, to `to`; what follows them there is overwritten, one vector in all. */
static inline void keep_doubles(double *to, sk_vec v, unsigned keep)
{
    _mm512_storeu_pd(to, _mm512_maskz_compress_pd((__mmask8)keep, (__m512d)v));
}

static inline void keep_places(uint32_t *to, const uint32_t *place, unsigned keep)
{
    __m256i v = _mm256_loadu_si256((const void *)place);
    _mm256_storeu_si256((void *)to, _mm256_maskz_compress_epi32((__mmask8)keep, v));
}

/* The same of the places first, first + 1, ... */
static inline void keep_counted(uint32_t *to, uint32_t first, unsigned keep)
{
    __m256i v = _mm256_add_epi32(_mm256_set1_epi32((int)first), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    _mm256_storeu_si256((void *)to, _mm256_maskz_compress_epi32((__mmask8)keep, v));
}

#elif defined __AVX2__

static inline unsigned bits(sk_mask yes)
{
    return (unsigned)_mm256_movemask_pd((__m256d)yes);
}

static inline sk_vec greater(sk_vec a, sk_vec b)
{
    return (sk_vec)_mm256_max_pd((__m256d)a, (__m256d)b);
}

static inline unsigned less(sk_vec a, sk_vec b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ));
}

static inline unsigned at_most(sk_vec a, sk_vec b)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LE_OQ));
}

static inline sk_mask count_less(sk_mask count, sk_vec a, sk_vec b)
{
    return count - (a < b);
}

static inline unsigned rows_equal(const uint32_t *row, uint32_t one)
{
    __m128i same = _mm_cmpeq_epi32(_mm_loadu_si128((const void *)row), _mm_set1_epi32((int)one));
    return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(same));
}

/* Where each place takes its half of a lane from, for each set of lanes kept. */
#define FROM(a, b, c, d)                                                                                               \
    {                                                                                                                  \
        2 * a, 2 * a + 1, 2 * b, 2 * b + 1, 2 * c, 2 * c + 1, 2 * d, 2 * d + 1                                         \
    }
static const uint32_t HALVES[16][8] = {FROM(0, 1, 2, 3), FROM(0, 1, 2, 3), FROM(1, 0, 2, 3), FROM(0, 1, 2, 3),
                                       FROM(2, 0, 1, 3), FROM(0, 2, 1, 3), FROM(1, 2, 0, 3), FROM(0, 1, 2, 3),
                                       FROM(3, 0, 1, 2), FROM(0, 3, 1, 2), FROM(1, 3, 0, 2), FROM(0, 1, 3, 2),
                                       FROM(2, 3, 0, 1), FROM(0, 2, 3, 1), FROM(1, 2, 3, 0), FROM(0, 1, 2, 3)};
#undef FROM

static inline void keep_doubles(double *to, sk_vec v, unsigned keep)
{
    __m256i from = _mm256_loadu_si256((const void *)HALVES[keep]);
    _mm256_storeu_si256((void *)to, _mm256_permutevar8x32_epi32((__m256i)v, from));
}

/* The numbers of the lanes kept: the halves' divided by two, every other one. */
static inline __m128i lanes_kept(unsigned keep)
{
    __m256i halves = _mm256_srli_epi32(_mm256_loadu_si256((const void *)HALVES[keep]), 1);
    __m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(halves));
    __m128 high = _mm_castsi128_ps(_mm256_extracti128_si256(halves, 1));
    return _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
}

static inline void keep_places(uint32_t *to, const uint32_t *place, unsigned keep)
{
    _mm_storeu_ps((float *)to, _mm_permutevar_ps(_mm_loadu_ps((const float *)place), lanes_kept(keep)));
}

static inline void keep_counted(uint32_t *to, uint32_t first, unsigned keep)
{
    _mm_storeu_si128((void *)to, _mm_add_epi32(_mm_set1_epi32((int)first), lanes_kept(keep)));
}

#else

static inline sk_vec greater(sk_vec a, sk_vec b)
{
    for (int l = 0; l < SK_LANES; l++)
        a[l] = a[l] > b[l] ? a[l] : b[l];
    return a;
}

static inline unsigned bits(sk_mask yes)
{
    unsigned set = 0;
    for (int l = 0; l < SK_LANES; l++)
        set |= (unsigned)(yes[l] & 1) << l;
    return set;
}

/* No instruction of every processor. */
static inline int count_bits(unsigned set)
{
    int count = 0;
    for (int l = 0; l < SK_LANES; l++)
        count += (int)(set >> l & 1);
    return count;
}

static inline unsigned less(sk_vec a, sk_vec b)
{
    return bits(a < b);
}

static inline unsigned at_most(sk_vec a, sk_vec b)
{
    return bits(a <= b);
}

static inline sk_mask count_less(sk_mask count, sk_vec a, sk_vec b)
{
    return count - (a < b);
}

static inline unsigned rows_equal(const uint32_t *row, uint32_t one)
{
    unsigned set = 0;
    for (int l = 0; l < SK_LANES; l++)
        set |= (unsigned)(row[l] == one) << l;
    return set;
}

static inline void keep_doubles(double *to, sk_vec v, unsigned keep)
{
    for (int l = 0, kept = 0; l < SK_LANES; kept += (int)(keep >> l & 1), l++)
        to[kept] = v[l];
}

static inline void keep_places(uint32_t *to, const uint32_t *place, unsigned keep)
{
    uint32_t v[SK_LANES];
    memcpy(v, place, sizeof v);
    for (int l = 0, kept = 0; l < SK_LANES; kept += (int)(keep >> l & 1), l++)
        to[kept] = v[l];
}

static inline void keep_counted(uint32_t *to, uint32_t first, unsigned keep)
{
    for (unsigned l = 0, kept = 0; l < SK_LANES; kept += keep >> l & 1, l++)
        to[kept] = first + l;
}

#endif

#endif
