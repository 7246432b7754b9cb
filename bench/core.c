/* core: the hot loops beside the library a user would take, as ratios in one run. Times are medians of several runs on
 * `threads` threads. Argument: a CSV of the satellite training set and one of its test set, to time that job too. */
#include "base/base.h"
#include "io.h"
#include "kernel/kernel.h"
#include "surekrig.h"

#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_gamma.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_seconds(void (*work)(void *), void *context)
{
    double seconds[RUNS];
    for (int i = 0; i < RUNS; i++) {
        double start = sk_now();
        work(context);
        seconds[i] = sk_now() - start;
    }
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    return seconds[RUNS / 2];
}

/* ---- the Matérn value */

typedef struct matern_job {
    int n;
    double nu, *u, *s, *value, sum;
    sk_table *table;
} matern_job;

static void by_table(void *context)
{
    matern_job *j = context;
    sk_table_values(j->table, j->n, j->s, j->value, j->value + j->n);
}

static void by_gsl(void *context)
{
    matern_job *j = context;
    double factor = pow(2, 1 - j->nu) / gsl_sf_gamma(j->nu);
    for (int i = 0; i < j->n; i++)
        j->sum += factor * pow(j->u[i], j->nu) * gsl_sf_bessel_Knu(j->nu, j->u[i]);
}

static void bench_matern(double nu)
{
    matern_job j = {.n = 20000, .nu = nu, .u = sk_doubles(20000), .s = sk_doubles(20000),
                    .value = sk_doubles(40000)};
    for (int i = 0; i < j.n; i++) {
        j.u[i] = 0.01 + 5 * sk_uniform(1, 9, (uint64_t)i);
        j.s[i] = j.u[i] * j.u[i];
    }
    sk_table_new(nu, 1e-4, 26, &j.table, NULL);
    double ours = median_seconds(by_table, &j) / j.n, theirs = median_seconds(by_gsl, &j) / j.n;
    printf("Matérn value, nu = %-5g            %8.2f ns   GSL %8.1f ns   ratio %5.0f\n", nu, 1e9 * ours, 1e9 * theirs,
           theirs / ours);
    sk_table_free(j.table);
    free(j.u);
    free(j.s);
    free(j.value);
}

/* ---- Cholesky with two right-hand sides */

typedef struct cholesky_job {
    int k, repeats;
    double *from, *work;
} cholesky_job;

static void by_ours(void *context)
{
    cholesky_job *j = context;
    for (int r = 0; r < j->repeats; r++) {
        memcpy(j->work, j->from, (size_t)(j->k * (j->k + 2)) * sizeof(double));
        sk_cholesky(j->k, j->k + 2, j->work, 0, 1);
    }
}

static void by_lapack(void *context)
{
    cholesky_job *j = context;
    for (int r = 0; r < j->repeats; r++) {
        memcpy(j->work, j->from, (size_t)(j->k * (j->k + 2)) * sizeof(double));
        LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', j->k, j->work, j->k + 2);
        LAPACKE_dtrtrs_work(LAPACK_COL_MAJOR, 'L', 'N', 'N', j->k, 2, j->work, j->k + 2, j->work + j->k, j->k + 2);
    }
}

static void bench_cholesky(int k)
{
    cholesky_job j = {k, 2000, sk_doubles(k * (k + 2)), sk_doubles(k * (k + 2))};
    for (int i = 0; i < k; i++)
        for (int c = 0; c < k + 2; c++)
            j.from[i * (k + 2) + c] = c < k ? exp(-0.1 * abs(i - c)) + (i == c) : 1;
    double ours = median_seconds(by_ours, &j) / j.repeats, theirs = median_seconds(by_lapack, &j) / j.repeats;
    printf("Cholesky and two solves, k = %-5d    %8.2f us   LAPACK %5.1f us   ratio %5.2f   %.1f GFLOP/s\n", k, 1e6 * ours,
           1e6 * theirs, theirs / ours, (k * (double)k * k / 3 + 2.0 * k * k) / ours * 1e-9);
    free(j.from);
    free(j.work);
}

/* ---- whole jobs */

static double seconds_of_phase(const surekrig_info *info, const char *name)
{
    for (int i = 0; i < info->phases; i++)
        if (!strcmp(info->phase[i].name, name))
            return info->phase[i].seconds;
    return NAN;
}

static void fit_and_predict(const surekrig_data *data, int64_t n, const double *x, const char *what)
{
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    surekrig_error error = {0};
    double *mean = sk_doubles(n), *sd = sk_doubles(n), start = sk_now();
    if (surekrig_settings_new(&settings, &error) || surekrig_fit(data, settings, NULL, &model, &error)) {
        printf("%s: %s\n", what, error.sentence);
        exit(1);
    }
    const surekrig_info *info = surekrig_model_info(model);
    printf("%s: %lld points, index %.3f s, fit %.2f s, one objective (b = %lld, k = %lld) %.1f ms\n", what,
           (long long)info->n, seconds_of_phase(info, "index"), sk_now() - start, (long long)info->batch,
           (long long)info->neighbors, 1e3 * seconds_of_phase(info, "training") / (double)info->evaluations);
    start = sk_now();
    surekrig_predict(model, &(surekrig_query){.n = n, .x = x}, NULL, &(surekrig_prediction){.mean = mean, .sd = sd},
                     &error);
    double seconds = sk_now() - start;
    printf("%s: %lld predictions with variances %.3f s, %.1f us each\n", what, (long long)n, seconds,
           1e6 * seconds / (double)n);
    surekrig_model_free(model);
    surekrig_settings_free(settings);
    free(mean);
    free(sd);
}

/* Columns of a CSV, whole; *n rows of three. */
static double *read_three(const char *path, int64_t *n)
{
    enum { MOST = 200000 };
    io_reader *reader = NULL;
    surekrig_error error = {0};
    double *value = sk_doubles(3 * MOST);
    if (io_open(path, true, &reader, &error) || io_read(reader, MOST, value, n, &error)) {
        printf("%s\n", error.sentence);
        exit(1);
    }
    io_close(reader);
    return value;
}

static void bench_satellite(const char *train, const char *test)
{
    int64_t n, m;
    double *from = read_three(train, &n), *to = read_three(test, &m);
    double *x = sk_doubles(2 * n), *y = sk_doubles(n);
    for (int64_t i = 0; i < n; i++) {
        memcpy(x + 2 * i, from + 3 * i, 2 * sizeof *x);
        y[i] = from[3 * i + 2];
    }
    for (int64_t i = 0; i < m; i++)
        memmove(to + 2 * i, to + 3 * i, 2 * sizeof *to);
    fit_and_predict(&(surekrig_data){.n = n, .d = 2, .l = 1, .x = x, .y = y}, m, to, "satellite temperatures");
    free(from);
    free(to);
    free(x);
    free(y);
}

static void bench_random(void)
{
    int64_t n = 100000;
    double *x = sk_doubles(2 * n), *y = sk_doubles(n);
    for (int64_t i = 0; i < n; i++) {
        x[2 * i] = sk_uniform(1, 7, (uint64_t)(2 * i));
        x[2 * i + 1] = sk_uniform(1, 7, (uint64_t)(2 * i + 1));
        y[i] = sin(9 * x[2 * i]) * cos(7 * x[2 * i + 1]) + 0.1 * sk_uniform(1, 8, (uint64_t)i);
    }
    fit_and_predict(&(surekrig_data){.n = n, .d = 2, .l = 1, .x = x, .y = y}, n, x, "uniform points");
    free(x);
    free(y);
}

int main(int count, char **word)
{
    printf("surekrig %s, %d threads\n", surekrig_version(), sk_threads(0));
    bench_matern(0.135);
    bench_matern(0.85);
    bench_matern(2.3);
    bench_cholesky(20);
    bench_cholesky(50);
    bench_cholesky(150);
    bench_random();
    if (count == 3)
        bench_satellite(word[1], word[2]);
    else
        puts("satellite temperatures: not timed; give the training and the test CSV");
    return 0;
}
