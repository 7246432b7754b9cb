/* A draw at n scattered points: K + tau2 I = U'U with K the unit covariance (M3), and y = sqrt(gamma2) U'z for standard
 * normals z, so that E yy' = gamma2 (K + tau2 I).
 *
 * Points that coincide or nearly do, under a smooth kernel without nugget, leave K singular to double precision. The
 * smallest of the jitters 1e-16, 1e-15, ... 1e-8 times the variance that lets the factorisation run through is then
 * added to the diagonal, as a nugget of that size would be. */
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK = 512 }; /* points a kernel call */

typedef struct dense {
    int64_t n, d;
    const double *x; /* [n][d] */
    double *columns; /* [d][n] */
    double *k;       /* [n][n] */
    const sk_kernel *kernel;
    double nugget;
} dense;

/* Rows begin..end-1 of K's upper triangle. */
static void fill_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const dense *p = context;
    double scratch[CHUNK];
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        for (int64_t from = i; from < p->n; from += CHUNK) {
            int64_t count = p->n - from < CHUNK ? p->n - from : CHUNK;
            sk_kernel_row(p->kernel, p->x + i * p->d, (sk_columns){count, p->n, p->columns + from}, scratch,
                          p->k + i * p->n + from);
        }
        p->k[i * p->n + i] += p->nugget;
    }
}

/* U'U = K + tau2 I, with jitter if it must be. */
static surekrig_status factor(dense *p, double tau2, int threads, surekrig_error *error)
{
    double variance = sk_kernel_at_zero(p->kernel) + tau2;
    int64_t failed = 0;
    for (int exponent = -17; exponent <= -8; exponent++) { /* -17 stands for no jitter */
        p->nugget = tau2 + (exponent < -16 ? 0 : variance * pow(10, exponent));
        sk_parallel(&(sk_task){.count = p->n, .grain = 16, .threads = threads, .run = fill_rows, .context = p});
        failed = sk_cholesky(p->n, p->n, p->k, 0, threads);
        if (failed == 0)
            return SUREKRIG_OK;
    }
    return sk_fail(error, SUREKRIG_NUMERIC,
                   "the covariance of %lld points is singular at point %lld even with a jitter of 1e-8; raise tau2",
                   (long long)p->n, (long long)failed);
}

/* y = sqrt(gamma2) U'z */
static void multiply(const dense *p, double gamma2, uint64_t seed, double *y)
{
    double pair[2] = {0, 0};
    for (int64_t j = 0; j < p->n; j++)
        y[j] = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *u = p->k + i * p->n;
        if (i % 2 == 0)
            sk_normal_pair(seed, SK_STREAM_FIELD, (uint64_t)(i / 2), pair);
        double z = sqrt(gamma2) * pair[i % 2];
        for (int64_t j = i; j < p->n; j++)
            y[j] += u[j] * z;
    }
}

surekrig_status sk_dense_draw(const surekrig_sample *sample, const surekrig_theta *theta, double *y,
                              surekrig_error *error)
{
    sk_kernel *kernel = NULL;
    surekrig_status status = sk_kernel_new(theta, sample->d, NULL, &kernel, error);
    if (status)
        return status;
    int64_t n = sample->n, d = sample->d;
    dense p = {.n = n, .d = d, .x = sample->x, .columns = sk_doubles(n * d), .k = sk_doubles(n * n), .kernel = kernel};
    if (p.columns && p.k) {
        for (int64_t i = 0; i < n * d; i++)
            p.columns[i % d * n + i / d] = sample->x[i];
        status = factor(&p, theta->tau2, sample->threads, error);
    } else {
        status = sk_fail_memory(error, (double)n * (double)(n + d) * sizeof(double), "the covariance of the points");
    }
    if (status == SUREKRIG_OK)
        multiply(&p, theta->gamma2, sample->seed, y);
    free(p.columns);
    free(p.k);
    sk_kernel_free(kernel);
    return status;
}
