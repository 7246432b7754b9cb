/* growth [--large]: how cost grows with points, neighbours, features and threads, and what uneven neighbourhoods cost.
 * Uniform points, the best back end. --large: also ten million points, all of them predicted. */
#include "base/base.h"
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOME = 100000 }; /* points, or predictions, where nothing else is said */

typedef struct row {
    int64_t n, d, k;
    int threads;
} row;

enum { INDEX, OBJECTIVE, PREDICTION, BYTES, PEAK, FIGURES };

/* Predictions that take about a second, judged by a few; beyond a million points, as many as there are points. */
static int64_t enough(const row *r, const surekrig_model *model, const double *x)
{
    enum { FEW = 500 };
    double each = bench_predict(model, FEW, x, r->threads) / FEW;
    return r->n > SOME * 10 ? r->n : each * SOME < 1 ? SOME : FEW + (int64_t)(1 / each);
}

/* In a process of its own, so that its peak of memory is this row's alone. Large neighbourhoods are costly: fewer of
 * them tell as much. */
static void measure(void *context, double *figure)
{
    const row *r = context;
    int64_t places = r->n > SOME ? r->n : SOME;
    surekrig_data data = bench_points(r->n, r->d);
    double *x = bench_doubles(places * r->d);
    for (int64_t i = 0; i < places * r->d; i++)
        x[i] = sk_uniform(1, 11, (uint64_t)i);
    double before = bench_peak_bytes();
    bench_choice choice = {.backend = "auto",
                           .neighbors = r->k,
                           .batch = r->k <= 128 ? BENCH_BATCH : BENCH_BATCH / 4,
                           .evaluations = r->k <= 64 ? 32 : 4,
                           .threads = r->threads};
    surekrig_model *model = bench_fit(&data, choice);
    int64_t predictions = enough(r, model, x);
    double seconds = bench_predict(model, predictions, x, r->threads);
    figure[INDEX] = bench_phase(model, "index");
    figure[OBJECTIVE] = bench_objective(model) / (double)choice.batch;
    figure[PREDICTION] = seconds / (double)predictions;
    figure[PEAK] = bench_peak_bytes();
    figure[BYTES] = (figure[PEAK] - before - 16.0 * (double)predictions) / (double)r->n;
    surekrig_model_free(model);
    bench_free(&data);
    free(x);
}

static void measured(row r, double *figure)
{
    if (!bench_apart(measure, &r, FIGURES, figure)) {
        fprintf(stderr, "growth: n = %lld, d = %lld, k = %lld ended badly\n", (long long)r.n, (long long)r.d,
                (long long)r.k);
        exit(1);
    }
}

static void print_points(bool large)
{
    double f[FIGURES];
    puts(
        "### Points (d = 2, k = 50)\n\nMemory: beside the arrays that the caller holds (features, responses, places, means, sds).\n\n"
        "| n | index | an index point | one objective, b = 1024 | predictions a second | memory a point | peak, all told |\n"
        "| --- | --- | --- | --- | --- | --- | --- |");
    for (int64_t n = 10000; n <= (large ? 10000000 : 1000000); n *= 10) {
        measured((row){n, 2, BENCH_NEIGHBORS, 0}, f);
        printf("| %lld | %.3f s | %.0f ns | %.2f ms | %.0f | %.0f bytes | %.2f GiB |\n", (long long)n, f[INDEX],
               1e9 * f[INDEX] / (double)n, 1e3 * f[OBJECTIVE] * BENCH_BATCH, 1 / f[PREDICTION], f[BYTES],
               f[PEAK] / 0x1p30);
    }
    puts("");
}

/* ---- the default settings, beside the 50 nearest, at places scattered over all rows */

typedef struct scattered {
    int64_t n, places;
} scattered;

static void measure_scattered(void *context, double *figure)
{
    const scattered *s = context;
    surekrig_data data = bench_points(s->n, 2);
    surekrig_model *by_default = NULL;
    double *x = bench_doubles(2 * s->places);
    for (int64_t i = 0; i < 2 * s->places; i++)
        x[i] = sk_uniform(1, 11, (uint64_t)i);
    if (surekrig_fit(&data, NULL, NULL, &by_default, NULL))
        exit(1);
    bench_choice plain = {"auto", 0, BENCH_NEIGHBORS, BENCH_BATCH, 4, 0};
    surekrig_model *nearest = bench_fit(&data, plain);
    figure[0] = (double)s->places / bench_predict(by_default, s->places, x, 0);
    figure[1] = (double)s->places / bench_predict(nearest, s->places, x, 0);
    surekrig_model_free(by_default);
    surekrig_model_free(nearest);
    bench_free(&data);
    free(x);
}

static void print_scattered(void)
{
    puts(
        "### The default at scattered places (d = 2)\n\nPlaces in one call, at random over all rows. The more there are, the "
        "more of them share a node's neighbourhood.\nPredictions a second, beside those from the 50 nearest.\n\n"
        "| n | places | default | 50 nearest |\n| --- | --- | --- | --- |");
    for (int64_t n = SOME; n <= 10 * SOME; n *= 10)
        for (int64_t places = n / 100; places <= n; places *= 10) {
            double f[2];
            if (!bench_apart(measure_scattered, &(scattered){n, places}, 2, f))
                exit(1);
            printf("| %lld | %lld | %.0f | %.0f |\n", (long long)n, (long long)places, f[0], f[1]);
        }
    puts("");
}

static void print_neighbors(void)
{
    static const int K[] = {1, 2, 5, 10, 20, 35, 50, 64, 100, 200, 350, 512};
    double f[FIGURES];
    puts(
        "### Neighbours (n = 100,000, d = 2)\n\nSpeed counts (k^3/3 + 2 k^2) operations, as if the Matérn values were free.\n\n"
        "| k | a point of the objective | a prediction | speed of the objective |\n| --- | --- | --- | --- |");
    for (size_t i = 0; i < sizeof K / sizeof *K; i++) {
        measured((row){SOME, 2, K[i], 0}, f);
        printf("| %d | %.2f us | %.2f us | %.1f GFLOP/s |\n", K[i], 1e6 * f[OBJECTIVE], 1e6 * f[PREDICTION],
               1e-9 * bench_flops(K[i]) / f[OBJECTIVE]);
    }
    puts("");
}

static void print_features(void)
{
    static const int D[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
    double f[FIGURES];
    puts(
        "### Features (n = 20,000, k = 50)\n\n| d | index | a point of the objective | a prediction |\n| --- | --- | --- | --- |");
    for (size_t i = 0; i < sizeof D / sizeof *D; i++) {
        measured((row){20000, D[i], BENCH_NEIGHBORS, 0}, f);
        printf("| %d | %.3f s | %.2f us | %.2f us |\n", D[i], f[INDEX], 1e6 * f[OBJECTIVE], 1e6 * f[PREDICTION]);
    }
    puts("");
}

static void print_threads(int most)
{
    double first[FIGURES], f[FIGURES];
    puts("### Threads (n = 100,000, d = 2, k = 50)\n\n"
         "| threads | one objective | gain | predictions a second | gain |\n| --- | --- | --- | --- | --- |");
    for (int threads = 1; threads <= most; threads *= 2) {
        measured((row){SOME, 2, BENCH_NEIGHBORS, threads}, f);
        if (threads == 1)
            memcpy(first, f, sizeof f);
        printf("| %d | %.2f ms | %.2f | %.0f | %.2f |\n", threads, 1e3 * f[OBJECTIVE] * BENCH_BATCH,
               first[OBJECTIVE] / f[OBJECTIVE], 1 / f[PREDICTION], first[PREDICTION] / f[PREDICTION]);
    }
    puts("");
}

/* ---- uneven neighbourhoods */

static const int64_t COUNTS[] = {20, 30, 40, 50};
enum { KINDS = 4, POINTS = 4096, MOST = 50 };

typedef struct ragged {
    surekrig_data data;
    int64_t neighbor[POINTS * MOST], count[POINTS];
    double mean[POINTS], variance[POINTS];
} ragged;

static void krige(void *context)
{
    ragged *r = context;
    double rho[] = {0.1, 0.1};
    surekrig_term term = {1, 0.85, rho};
    surekrig_kriged out = {r->mean, r->variance, NULL};
    if (surekrig_krige(&r->data, &(surekrig_neighborhoods){POINTS, MOST, r->neighbor, r->count, r->data.x},
                       &(surekrig_theta){1, &term, 1e-3, 1}, "auto", &out, NULL))
        exit(1);
}

static double seconds_with(ragged *r, bool mixed, int64_t count)
{
    for (int64_t i = 0; i < POINTS; i++)
        r->count[i] = mixed ? COUNTS[(int)(KINDS * sk_uniform(1, 12, (uint64_t)i))] : count;
    return bench_seconds(krige, r);
}

static void measure_ragged(void *context, double *figure)
{
    static ragged r;
    surekrig_index *index = NULL;
    (void)context;
    r.data = bench_points(SOME, 2);
    int64_t itself[POINTS];
    for (int64_t i = 0; i < POINTS; i++)
        itself[i] = i;
    surekrig_neighbor_query query = {.n = POINTS, .x = r.data.x, .k = MOST, .row = itself};
    if (surekrig_index_new(SOME, 2, r.data.x, &index, NULL) ||
        surekrig_neighbors(index, &query, r.neighbor, r.count, NULL))
        exit(1);
    figure[1] = 0;
    for (int i = 0; i < KINDS; i++)
        figure[1] += seconds_with(&r, false, COUNTS[i]) / KINDS;
    figure[0] = seconds_with(&r, true, 0);
    surekrig_index_free(index);
    bench_free(&r.data);
}

static void print_ragged(void)
{
    double f[2];
    if (!bench_apart(measure_ragged, NULL, 2, f))
        exit(1);
    printf(
        "### Uneven neighbourhoods\n\n%d neighbourhoods of 20, 30, 40 or 50 points, mixed at random: %.2f us each; the same sizes "
        "each apart: %.2f us; ratio %.2f.\n\n",
        POINTS, 1e6 * f[0] / POINTS, 1e6 * f[1] / POINTS, f[0] / f[1]);
}

int main(int count, char **word)
{
    bool large = count == 2 && !strcmp(word[1], "--large");
    if (count > 1 && !large) {
        fputs("usage: growth [--large]\n", stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    print_points(large);
    print_scattered();
    print_neighbors();
    print_features();
    print_threads(sk_threads(0));
    print_ragged();
    return 0;
}
