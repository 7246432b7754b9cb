/* OpenBLAS chooses its kernels by the environment when it is loaded, and by a list of processors that newer ones are
 * not on: so each core type is tried in a process of its own, and the fastest counts. */
#include "bench.h"
#include "peers.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const PATHS[] = {
    "/usr/lib/x86_64-linux-gnu/openblas-serial/libopenblas.so.0",
    "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-serial/libopenblas.so.0",
    "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0",
};

const char *bench_openblas_path(void)
{
    for (size_t i = 0; i < sizeof PATHS / sizeof *PATHS; i++)
        if (!access(PATHS[i], R_OK))
            return PATHS[i];
    return NULL;
}

double *bench_covariance(int k)
{
    double *a = bench_doubles(k * (k + 2));
    for (int i = 0; i < k; i++)
        for (int c = 0; c < k + 2; c++)
            a[i * (k + 2) + c] = c < k ? exp(-0.1 * abs(i - c)) + (i == c) : 1;
    return a;
}

typedef struct job {
    int k;
    const char *core; /* NULL: its own choice */
    double *from, *work;
    void (*factor)(const char *uplo, const int *n, double *a, const int *lda, int *info);
    void (*solve)(const char *uplo, const char *trans, const char *diag, const int *n, const int *nrhs, const double *a,
                  const int *lda, double *b, const int *ldb, int *info);
} job;

static void copy(void *context)
{
    job *j = context;
    size_t matrix = (size_t)(j->k * (j->k + 2)), sides = (size_t)(2 * j->k); /* right-hand sides, whatever they are */
    memcpy(j->work, j->from, matrix * sizeof *j->work);
    memcpy(j->work + matrix, j->from, sides * sizeof *j->work);
}

static void factor_and_solve(void *context)
{
    job *j = context;
    int width = j->k + 2, two = 2, info;
    copy(j);
    j->factor("L", &j->k, j->work, &width, &info);
    j->solve("L", "N", "N", &j->k, &two, j->work, &width, j->work + j->k * width, &j->k, &info);
}

/* result: seconds, then the core type's name. */
static void time_core(void *context, double *result)
{
    job *j = context;
    if (j->core)
        setenv("OPENBLAS_CORETYPE", j->core, 1);
    void *library = dlopen(bench_openblas_path(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
        _exit(1);
    *(void **)&j->factor = dlsym(library, "dpotrf_");
    *(void **)&j->solve = dlsym(library, "dtrtrs_");
    char *(*name)(void);
    *(void **)&name = dlsym(library, "openblas_get_corename");
    result[0] = bench_seconds(factor_and_solve, j) - bench_seconds(copy, j);
    snprintf((char *)(result + 1), 32, "%s", name ? name() : "unknown");
}

bench_openblas bench_openblas_cholesky(int k)
{
    static const char *const CORES[] = {NULL, "Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids"};
    job j = {.k = k, .from = bench_covariance(k), .work = bench_doubles((k + 2) * (k + 2))};
    bench_openblas best = {"not installed", INFINITY};
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    for (size_t i = 0; bench_openblas_path() && i < sizeof CORES / sizeof *CORES; i++) {
        double result[5] = {INFINITY};
        j.core = CORES[i];
        if (bench_apart(time_core, &j, 5, result) && result[0] < best.seconds) {
            best.seconds = result[0];
            memcpy(best.core, result + 1, sizeof best.core);
        }
    }
    free(j.from);
    free(j.work);
    return best;
}
