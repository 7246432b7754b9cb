/* The loops of floors.c, once per instruction set. */
#include "floors.h"
#include "kernel/lanes.h"

static double sum(sk_vec v)
{
    double total = 0;
    for (int i = 0; i < SK_LANES; i++)
        total += v[i];
    return total;
}

/* Enough independent chains to hide the latency, few enough to stay in sixteen registers. */
enum { CHAINS = 12 };

static double fma_loop(int64_t steps, double factor, double term)
{
    sk_vec chain[CHAINS], f = sk_all(factor), t = sk_all(term), total = {0};
    for (int c = 0; c < CHAINS; c++)
        chain[c] = t * (double)c;
    for (int64_t i = 0; i < steps; i++)
        for (int c = 0; c < CHAINS; c++)
            chain[c] = chain[c] * f + t;
    for (int c = 0; c < CHAINS; c++)
        total += chain[c];
    return sum(total);
}

SK_INLINE sk_vec by_load(const double *table, sk_mask at)
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

SK_INLINE sk_vec by_gather(const double *table, sk_mask at)
{
#if defined __AVX512F__
    return (sk_vec)_mm512_i64gather_pd((__m512i)at, table, 8);
#elif defined __AVX2__
    return (sk_vec)_mm256_i64gather_pd(table, (__m256i)at, 8);
#else
    return by_load(table, at); /* it has none */
#endif
}

typedef sk_vec fetch(const double *table, sk_mask at);

/* A polynomial whose coefficients lie in table[coefficient][bucket]; two sums, so that lookups are what is waited
 * for. */
SK_INLINE double one_by_one(fetch *get, int64_t steps, const double *table, int64_t buckets, const int64_t *bucket)
{
    sk_vec total[2] = {{0}, {0}};
    for (int64_t i = 0; i < steps; i++) {
        sk_mask at;
        memcpy(&at, bucket + i * SK_LANES, sizeof at);
        sk_vec value = get(table, at);
        for (int c = 1; c < BENCH_WORDS; c++)
            value = value * 0.5 + get(table + c * buckets, at);
        total[i & 1] += value;
    }
    return sum(total[0] + total[1]);
}

static double gather_loop(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket)
{
    return one_by_one(by_gather, steps, table, buckets, bucket);
}

static double load_loop(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket)
{
    return one_by_one(by_load, steps, table, buckets, bucket);
}

/* table[bucket][word]. */
static double whole_loop(int64_t steps, const double *table, int64_t buckets, const int64_t *bucket)
{
    sk_vec total[2] = {{0}, {0}};
    (void)buckets;
    for (int64_t i = 0; i < steps; i++) {
        sk_vec c[BENCH_WORDS], value;
        sk_load_buckets((sk_lane_buckets){(const sk_bucket *)table, 0, 52, false},
                        (const sk_vec *)(bucket + i * SK_LANES), c);
        value = c[0];
        for (int m = 1; m < BENCH_WORDS; m++)
            value = value * 0.5 + c[m];
        total[i & 1] += value;
    }
    return sum(total[0] + total[1]);
}

const bench_loops SK_HERE(bench_loops) = {SK_ISA_TEXT, SK_LANES, CHAINS, fma_loop, gather_loop, load_loop, whole_loop};
