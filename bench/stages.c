/* stages MATERN_TABLE: the floors of one core, and each stage beside the library a user would take and as a share of its
 * floor. MATERN_TABLE: rows of nu, u, M and 1 - M to more digits than a double has (tests/matern_table.txt). */
#include "base/base.h"
#include "bench.h"
#include "floors.h"
#include "kernel/kernel.h"
#include "peers.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_version.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- floors */

static void print_floors(void)
{
    puts("### Floors of one core\n\n"
         "FMA peak: twelve independent chains of vector multiply-adds. Lookup: five coefficients of a table in the first\n"
         "cache, as a Matérn value needs them. A point: (k^3/3 + 2 k^2) operations at the peak and k(k+1)/2 + k lookups.\n\n"
         "| instruction set | FMA peak | lookup, gathered | lookup, loaded | a point, k = 50 |\n| --- | --- | --- | --- | --- |");
    for (int isa = 0; isa < SK_ISA_COUNT; isa++) {
        if (!sk_isa_here((sk_isa)isa))
            continue;
        bench_floor f = bench_floor_of((sk_isa)isa);
        printf("| %s | %.1f GFLOP/s | %.2f ns | %.2f ns | %.2f us |\n", f.name, 1e-9 * f.flops, 1e9 * f.gather, 1e9 * f.load,
               1e6 * bench_point_floor(f, BENCH_NEIGHBORS));
    }
    printf("\nMemory read: %.1f GB/s by one thread, %.1f GB/s by %d.\n\n", 1e-9 * bench_bandwidth(1), 1e-9 * bench_bandwidth(0),
           sk_threads(0));
}

/* ---- the Matérn value */

enum { VALUES = 20000, ORACLES = 128 };

typedef struct matern {
    double nu, factor; /* 2^(1-nu)/Gamma(nu) */
    double u[VALUES], sum;
    sk_table *table;
    int oracles;
    double at[ORACLES], exact[ORACLES];
} matern;

typedef double matern_value(const matern *m, double u);

static double by_table(const matern *m, double u)
{
    return sk_table_at(m->table, u * u, NULL);
}

static double by_gsl(const matern *m, double u)
{
    return m->factor * pow(u, m->nu) * gsl_sf_bessel_Knu(m->nu, u);
}

static double by_boost(const matern *m, double u)
{
    return m->factor * pow(u, m->nu) * bench_boost_bessel_k(m->nu, u);
}

#define ALL(name)                                                                                                      \
    static void all_##name(void *context)                                                                              \
    {                                                                                                                  \
        matern *m = context;                                                                                           \
        for (int i = 0; i < VALUES; i++)                                                                               \
            m->sum += name(m, m->u[i]);                                                                                \
    }
ALL(by_table)
ALL(by_gsl)
ALL(by_boost)

static double largest_error(const matern *m, matern_value *value)
{
    double worst = 0;
    for (int i = 0; i < m->oracles; i++)
        worst = fmax(worst, fabs(value(m, m->at[i]) / m->exact[i] - 1));
    return worst;
}

/* The table's rows of this nu at distances that a kernel meets. */
static void read_oracles(const char *path, matern *m)
{
    FILE *file = fopen(path, "r");
    double nu, u, value, complement;
    if (!file) {
        perror(path);
        exit(1);
    }
    while (m->oracles < ORACLES && fscanf(file, "%lf %lf %lf %lf", &nu, &u, &value, &complement) == 4)
        if (nu == m->nu && u > 1e-8 && u < 100) {
            m->at[m->oracles] = u;
            m->exact[m->oracles++] = value;
        }
    fclose(file);
}

static void print_matern_row(const char *oracles, double nu, double floor)
{
    static matern m;
    m = (matern){.nu = nu, .factor = pow(2, 1 - nu) / gsl_sf_gamma(nu)};
    for (int i = 0; i < VALUES; i++)
        m.u[i] = 0.01 + 5 * sk_uniform(1, 9, (uint64_t)i);
    read_oracles(oracles, &m);
    if (sk_table_new(nu, 1e-16, 1e4, &m.table, NULL))
        exit(1);
    double ours = bench_seconds(all_by_table, &m) / VALUES, gsl = bench_seconds(all_by_gsl, &m) / VALUES;
    double boost = bench_seconds(all_by_boost, &m) / VALUES;
    printf("| %g | %.2f ns | %.0f ns | %.0f ns | %.0f | %.0f | %.0f %% | %.0e | %.0e | %.0e |\n", nu, 1e9 * ours, 1e9 * gsl,
           1e9 * boost, gsl / ours, boost / ours, 100 * floor / ours, largest_error(&m, by_table), largest_error(&m, by_gsl),
           largest_error(&m, by_boost));
    sk_table_free(m.table);
}

static void print_matern(const char *oracles)
{
    static const double NU[] = {0.135, 0.5, 0.965, 2, 2.5};
    double floor = bench_lookup(bench_floor_of(sk_isa_best()));
    printf("### A Matérn value, one core\n\nEach at 20,000 distances u from 0.01 to 5; errors are the largest relative ones at the "
           "tests' mpmath values, 1e-8 < u < 100.\nGSL %s (gsl_sf_bessel_Knu), Boost %s (cyl_bessel_k, doubles not promoted).\n\n"
           "| nu | surekrig | GSL | Boost | x GSL | x Boost | share of the floor | error | GSL | Boost |\n"
           "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n", GSL_VERSION, bench_boost_version());
    for (size_t i = 0; i < sizeof NU / sizeof *NU; i++)
        print_matern_row(oracles, NU[i], floor);
    puts("");
}

/* ---- Cholesky with two right-hand sides */

typedef struct cholesky {
    int k;
    double *from, *work;
} cholesky;

static void by_reference(void *context)
{
    cholesky *j = context;
    memcpy(j->work, j->from, (size_t)(j->k * (j->k + 2)) * sizeof *j->work);
    sk_cholesky(j->k, j->k + 2, j->work, 0, 1);
}

static void print_cholesky_row(const char *name, void (*work)(void *context), int k, double peak)
{
    cholesky j = {k, bench_covariance(k), bench_doubles(k * (k + 2))};
    double ours = bench_seconds(work, &j), flops = bench_flops(k);
    bench_openblas theirs = bench_openblas_cholesky(k);
    printf("| %d | %s | %.2f us | %.2f us (%s) | %.2f | %.1f GFLOP/s | %.0f %% |\n", k, name, 1e6 * ours, 1e6 * theirs.seconds,
           theirs.core, theirs.seconds / ours, 1e-9 * flops / ours, 100 * flops / ours / peak);
    free(j.from);
    free(j.work);
}

static void print_cholesky(void)
{
    static const int K[] = {20, 50, 150};
    const char *path = bench_openblas_path();
    double peak = bench_floor_of(sk_isa_best()).flops;
    printf("### Cholesky and two solves, one core\n\nOpenBLAS: dpotrf and dtrtrs of %s, one thread, the fastest of its core types.\n\n"
           "| k | back end | surekrig | OpenBLAS | x | speed | share of FMA peak |\n| --- | --- | --- | --- | --- | --- | --- |\n",
           path ? strrchr(path, '/') + 1 : "(not installed)");
    for (size_t i = 0; i < sizeof K / sizeof *K; i++)
        print_cholesky_row("reference", by_reference, K[i], peak);
    puts("");
}

int main(int count, char **word)
{
    if (count != 2) {
        fputs("usage: stages MATERN_TABLE\n", stderr);
        return 2;
    }
    gsl_set_error_handler_off();
    print_floors();
    print_matern(word[1]);
    print_cholesky();
    return 0;
}
