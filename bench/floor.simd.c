/* The loops of floors.c, once per instruction set. */
#include "base/simd.h"
#include "floors.h"

#if defined __AVX2__
#include <immintrin.h>
#endif

double SK_HERE(bench_fma)(int64_t steps, double factor, double term);
double SK_HERE(bench_gather)(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);
double SK_HERE(bench_load)(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket);

static double sum(sk_vec v)
{
    double total = 0;
    for (int i = 0; i < SK_LANES; i++)
        total += v[i];
    return total;
}

/* Enough independent chains to hide the latency, few enough to stay in sixteen registers. */
enum { CHAINS = 12 };

double SK_HERE(bench_fma)(int64_t steps, double factor, double term)
{
    sk_vec chain[CHAINS], f = factor - (sk_vec){0}, t = term - (sk_vec){0}, total = {0};
    for (int c = 0; c < CHAINS; c++)
        chain[c] = t * (double)c;
    for (int64_t i = 0; i < steps; i++)
        for (int c = 0; c < CHAINS; c++)
            chain[c] = chain[c] * f + t;
    for (int c = 0; c < CHAINS; c++)
        total += chain[c];
    return sum(total);
}

typedef int64_t lanes_of_index __attribute__((vector_size(8 * SK_LANES), aligned(8)));

static inline sk_vec by_load(const double *table, lanes_of_index at)
{
#if defined __AVX512F__
    return (sk_vec){table[at[0]], table[at[1]], table[at[2]], table[at[3]],
                    table[at[4]], table[at[5]], table[at[6]], table[at[7]]};
#elif defined __AVX2__
    return (sk_vec){table[at[0]], table[at[1]], table[at[2]], table[at[3]]};
#else
    return (sk_vec){table[at[0]], table[at[1]]};
#endif
}

static inline sk_vec by_gather(const double *table, lanes_of_index at)
{
#if defined __AVX512F__
    return (sk_vec)_mm512_i64gather_pd((__m512i)at, table, 8);
#elif defined __AVX2__
    return (sk_vec)_mm256_i64gather_pd(table, (__m256i)at, 8);
#else
    return by_load(table, at);
#endif
}

/* A polynomial whose coefficients lie in table[coefficient][bucket]: two chains, so that lookups are what is waited for. */
#define LOOKUPS(fetch)                                                                                                 \
    sk_vec total[2] = {{0}, {0}};                                                                                      \
    for (int64_t i = 0; i < steps; i++) {                                                                              \
        lanes_of_index at = *(const lanes_of_index *)(bucket + i * SK_LANES);                                          \
        sk_vec value = fetch(table, at);                                                                               \
        for (int c = 1; c < BENCH_LOOKUP_GATHERS; c++)                                                                 \
            value = value * 0.5 + fetch(table + c * buckets, at);                                                      \
        total[i & 1] += value;                                                                                         \
    }                                                                                                                  \
    return sum(total[0] + total[1])

double SK_HERE(bench_gather)(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket)
{
    LOOKUPS(by_gather);
}

double SK_HERE(bench_load)(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket)
{
    LOOKUPS(by_load);
}
