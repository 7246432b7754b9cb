/* Pairs of rows by their distance: how many, how far apart in the mean, and how unlike. */
#include "variogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of more rows than this so many are drawn at random, and all their pairs count: a second. */
enum { MOST_ROWS = 10000 };

static double apart(const variogram *v, int64_t i, int64_t j)
{
    double square = 0;
    for (int64_t a = 0; a < v->coordinates; a++) {
        double gap = v->x[i * v->coordinates + a] - v->x[j * v->coordinates + a];
        square += gap * gap;
    }
    return sqrt(square);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The first `count` of a random order of all rows. */
static int64_t *draw_rows(int64_t n, int64_t count, uint64_t seed)
{
    int64_t *row = malloc(((size_t)n + 1) * sizeof *row);
    for (int64_t i = 0; row && i < n; i++)
        row[i] = i;
    for (int64_t i = 0; row && i < count; i++) {
        int64_t j = i + (int64_t)(next_random(&seed) % (uint64_t)(n - i)), kept = row[i];
        row[i] = row[j];
        row[j] = kept;
    }
    return row;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Half the largest distance; more where in many dimensions all points are far from each other. */
static double usual_cutoff(const variogram *v, uint64_t seed)
{
    enum { SAMPLE = 4000 };
    double *distance = malloc(SAMPLE * sizeof *distance), cutoff = 0;
    for (int i = 0; distance && i < SAMPLE; i++) {
        int64_t a = (int64_t)(next_random(&seed) % (uint64_t)v->n), b = (int64_t)(next_random(&seed) % (uint64_t)v->n);
        distance[i] = apart(v, a, b);
    }
    if (distance) {
        qsort(distance, SAMPLE, sizeof *distance, by_size);
        cutoff = fmax(distance[SAMPLE - 1] / 2, distance[SAMPLE / 4]);
    }
    free(distance);
    return cutoff;
}

static void add_pair(variogram *v, int64_t i, int64_t j)
{
    double h = apart(v, i, j);
    if (!(h < v->cutoff))
        return;
    int c = (int)(h / v->cutoff * v->classes);
    c = c < v->classes ? c : v->classes - 1;
    v->distance[c] += h;
    v->pairs[c]++;
    for (int64_t q = 0; q < v->l; q++) {
        double gap = fabs(v->y[i * v->l + q] - v->y[j * v->l + q]);
        v->semivariance[q * v->classes + c] += v->robust ? sqrt(gap) : gap * gap;
    }
}

/* Half the mean square; robust: N. Cressie and D. M. Hawkins, Robust estimation of the variogram, 1980:
 *   (mean |gap|^(1/2))^4 / (0.457 + 0.494/N) / 2 */
static void settle(variogram *v)
{
    int kept = 0;
    for (int c = 0; c < v->classes; c++) {
        double n = v->pairs[c];
        if (!(n > 0))
            continue;
        v->distance[kept] = v->distance[c] / n;
        v->pairs[kept] = n;
        for (int64_t q = 0; q < v->l; q++) {
            double mean = v->semivariance[q * v->classes + c] / n;
            v->semivariance[q * v->classes + kept] = v->robust ? pow(mean, 4) / (0.457 + 0.494 / n) / 2 : mean / 2;
        }
        kept++;
    }
    for (int64_t q = 1; q < v->l; q++)
        memmove(v->semivariance + q * kept, v->semivariance + q * v->classes, (size_t)kept * sizeof(double));
    v->classes = kept;
}

surekrig_status variogram_compute(const cli_call *call, variogram *v, surekrig_error *error)
{
    uint64_t seed = 1;
    surekrig_status status = cli_seed(call, &seed, error);
    if (!status && v->n < 2)
        status = cli_error(error, SUREKRIG_DATA, "%s has %lld rows with all values: at least 2 are needed",
                           call->argument[0], (long long)v->n);
    if (status)
        return status;
    int64_t rows = v->n < MOST_ROWS ? v->n : MOST_ROWS, *row = draw_rows(v->n, rows < v->n ? rows : 0, seed);
    v->distance = calloc((size_t)v->classes, sizeof(double));
    v->pairs = calloc((size_t)v->classes, sizeof(double));
    v->semivariance = calloc((size_t)(v->classes * v->l), sizeof(double));
    if (!row || !v->distance || !v->pairs || !v->semivariance) {
        free(row);
        return cli_no_memory(error);
    }
    v->cutoff = v->cutoff > 0 ? v->cutoff : usual_cutoff(v, seed);
    for (int64_t i = 0; i < rows && !cli_interrupted(); i++)
        for (int64_t j = i + 1; j < rows; j++)
            add_pair(v, row[i], row[j]);
    free(row);
    settle(v);
    if (!v->classes)
        return cli_error(error, SUREKRIG_DATA,
                         "no two points looked at are less than %g apart: a larger --cutoff is needed", v->cutoff);
    if (rows < v->n && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig variogram: %lld of the %lld rows, drawn at random\n", (long long)rows,
                (long long)v->n);
    return SUREKRIG_OK;
}
