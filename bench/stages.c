/* stages MATERN_TABLE: the floors of one core, and each stage beside the library a user would take and as a share of
 * its floor. MATERN_TABLE: rows of nu, u, M and 1 - M to more digits than a double has (tests/matern_table.txt). */
#include "base/base.h"
#include "bench.h"
#include "factor.h"
#include "floors.h"
#include "kernel/inside.h"
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
    puts(
        "### Floors of one core\n\n"
        "FMA peak: twelve independent chains of vector multiply-adds. Lookup of a polynomial's coefficients in a table in the\n"
        "first cache, four words: by gather instructions, by single loads, or whole and transposed. A point:\n"
        "(k^3/3 + 2 k^2) operations at the peak and k(k+1)/2 + k lookups by the fastest way.\n\n"
        "| instruction set | FMA peak | lookup, gathered | loaded | whole | a point, k = 50 |\n| --- | --- | --- | --- | --- | --- |");
    for (int isa = 0; isa < SK_ISA_COUNT; isa++) {
        if (!sk_isa_here((sk_isa)isa))
            continue;
        bench_floor f = bench_floor_of((sk_isa)isa);
        printf("| %s | %.1f GFLOP/s | %.2f ns | %.2f ns | %.2f ns | %.2f us |\n", f.name, 1e-9 * f.flops,
               1e9 * f.gather, 1e9 * f.load, 1e9 * f.whole, 1e6 * bench_point_floor(f, BENCH_NEIGHBORS));
    }
    printf("\nMemory read: %.1f GB/s by one thread, %.1f GB/s by %d.\n\n", 1e-9 * bench_bandwidth(1),
           1e-9 * bench_bandwidth(0), sk_threads(0));
}

/* ---- the Matérn value */

enum { VALUES = 2000, ORACLES = 128 };

typedef struct matern {
    double nu, factor; /* 2^(1-nu)/Gamma(nu) */
    sk_table *table;
    sk_isa isa;
    double u[VALUES], s[VALUES], value[VALUES], complement[VALUES];
    int oracles;
    double at[ORACLES], exact[ORACLES];
} matern;

/* n values at u, of which s = u^2, by one library or another. */
typedef void matern_values(matern *m, int n, const double *u, const double *s);

static void by_table(matern *m, int n, const double *u, const double *s)
{
    (void)u;
    sk_table_values_by[m->isa](m->table, n, s, m->value, m->complement);
}

static void by_gsl(matern *m, int n, const double *u, const double *s)
{
    (void)s;
    for (int i = 0; i < n; i++)
        m->value[i] = m->factor * pow(u[i], m->nu) * gsl_sf_bessel_Knu(m->nu, u[i]);
}

static void by_boost(matern *m, int n, const double *u, const double *s)
{
    (void)s;
    for (int i = 0; i < n; i++)
        m->value[i] = m->factor * pow(u[i], m->nu) * bench_boost_bessel_k(m->nu, u[i]);
}

typedef struct way {
    matern *m;
    matern_values *values;
} way;

static void all_values(void *context)
{
    way *w = context;
    w->values(w->m, VALUES, w->m->u, w->m->s);
}

static double seconds_of_value(matern *m, matern_values *values)
{
    return bench_seconds(all_values, &(way){m, values}) / VALUES;
}

static double largest_error(matern *m, matern_values *values)
{
    double s[ORACLES], worst = 0;
    for (int i = 0; i < m->oracles; i++)
        s[i] = m->at[i] * m->at[i];
    values(m, m->oracles, m->at, s);
    for (int i = 0; i < m->oracles; i++)
        worst = fmax(worst, fabs(m->value[i] / m->exact[i] - 1));
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

static matern *open_matern(const char *oracles, double nu)
{
    static matern m;
    memset(&m, 0, sizeof m);
    m.nu = nu;
    m.factor = pow(2, 1 - nu) / gsl_sf_gamma(nu);
    m.isa = sk_isa_best();
    for (int i = 0; i < VALUES; i++) {
        m.u[i] = 0.01 + 5 * sk_uniform(1, 9, (uint64_t)i);
        m.s[i] = m.u[i] * m.u[i];
    }
    read_oracles(oracles, &m);
    if (sk_table_new(sk_family_of(nu, NULL), nu, 1e-16, 1e4, &m.table, NULL))
        exit(1);
    return &m;
}

static void make_table(void *context)
{
    const matern *m = context;
    sk_table *table;
    if (sk_table_new(sk_family_of(m->nu, NULL), m->nu, 1e-16, 1e4, &table, NULL))
        exit(1);
    sk_table_free(table);
}

static void print_matern_row(const char *oracles, double nu)
{
    matern *m = open_matern(oracles, nu);
    double ours = seconds_of_value(m, by_table), gsl = seconds_of_value(m, by_gsl),
           boost = seconds_of_value(m, by_boost);
    printf("| %g | %.2f ns | %.0f ns | %.0f ns | %.0f | %.0f | %.0e | %.0e | %.0e | %.0f us |\n", nu, 1e9 * ours,
           1e9 * gsl, 1e9 * boost, gsl / ours, boost / ours, largest_error(m, by_table), largest_error(m, by_gsl),
           largest_error(m, by_boost), 1e6 * bench_seconds(make_table, m));
    sk_table_free(m->table);
}

static void print_matern_sets(const char *oracles, double nu)
{
    matern *m = open_matern(oracles, nu);
    double gsl = seconds_of_value(m, by_gsl);
    printf("\n| nu = %g | surekrig | x GSL | share of the lookup floor | error |\n| --- | --- | --- | --- | --- |\n",
           nu);
    for (int isa = 0; isa < SK_ISA_COUNT; isa++) {
        if (!sk_isa_here((sk_isa)isa))
            continue;
        m->isa = (sk_isa)isa;
        bench_floor floor = bench_floor_of(m->isa);
        double ours = seconds_of_value(m, by_table);
        printf("| %s | %.2f ns | %.0f | %.0f %% | %.0e |\n", floor.name, 1e9 * ours, gsl / ours,
               100 * bench_lookup(floor) / ours, largest_error(m, by_table));
    }
    sk_table_free(m->table);
}

static void print_matern(const char *oracles)
{
    static const double NU[] = {0.135, 0.5, 0.965, 2, 2.5};
    printf(
        "### A Matérn value, one core\n\nEach at 2,000 distances u from 0.01 to 5, M and 1 - M together; errors of M are the largest "
        "relative ones at the tests'\nmpmath values, 1e-8 < u < 100. GSL %s (gsl_sf_bessel_Knu), Boost %s (cyl_bessel_k, doubles "
        "not promoted). Last, the time to\nmake our table, for 1e-8 < u < 100.\n\n| nu | surekrig | GSL | Boost | x GSL | x Boost | "
        "error | GSL | Boost | table |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        GSL_VERSION, bench_boost_version());
    for (size_t i = 0; i < sizeof NU / sizeof *NU; i++)
        print_matern_row(oracles, NU[i]);
    print_matern_sets(oracles, 0.965);
    puts("");
}

/* ---- Cholesky with two right-hand sides */

struct bench_factoring {
    int k;
    const double *from;
    double *work;
};

static bench_factoring *open_reference(int k, const double *a)
{
    bench_factoring *f = malloc(sizeof *f);
    if (!f)
        exit(1);
    *f = (bench_factoring){k, a, bench_doubles(k * (k + 2))};
    return f;
}

static void run_reference(bench_factoring *f, bool copy_alone)
{
    memcpy(f->work, f->from, (size_t)(f->k * (f->k + 2)) * sizeof *f->work);
    if (!copy_alone)
        sk_cholesky(f->k, f->k + 2, f->work, 0, 1);
}

static double check_reference(const bench_factoring *f)
{
    double sum = 0;
    for (int i = 0; i < f->k; i++)
        sum += f->work[i * (f->k + 2) + f->k] * f->work[i * (f->k + 2) + f->k];
    return sum;
}

static void close_reference(bench_factoring *f)
{
    free(f->work);
    free(f);
}

static const bench_factor REFERENCE = {"reference", 1, open_reference, run_reference, check_reference, close_reference};

typedef struct factor_job {
    const bench_factor *factor;
    bench_factoring *state;
} factor_job;

static void copy(void *context)
{
    factor_job *j = context;
    j->factor->run(j->state, true);
}

static void factor(void *context)
{
    factor_job *j = context;
    j->factor->run(j->state, false);
}

/* Seconds of one matrix, without the copy that each factorisation needs here; *check: what came out. */
static double seconds_of_factor(const bench_factor *how, int k, const double *a, double *check)
{
    factor_job j = {how, how->open(k, a)};
    double copying = bench_seconds(copy, &j), seconds = (bench_seconds(factor, &j) - copying) / how->matrices;
    *check = how->check(j.state);
    how->close(j.state);
    return seconds;
}

static void print_cholesky_rows(int k)
{
#define ADDRESS(isa) &bench_factor_##isa,
    static const bench_factor *const HOW[] = {SK_EACH_ISA(ADDRESS) & REFERENCE};
    double *a = bench_covariance(k), exact, check, flops = bench_flops(k);
    bench_openblas theirs = bench_openblas_cholesky(k);
    seconds_of_factor(&REFERENCE, k, a, &exact);
    for (int i = 0; i <= SK_ISA_COUNT; i++) {
        if (i < SK_ISA_COUNT && !sk_isa_here((sk_isa)i))
            continue;
        double ours = seconds_of_factor(HOW[i], k, a, &check);
        double peak = bench_floor_of(i < SK_ISA_COUNT ? (sk_isa)i : sk_isa_best()).flops;
        if (!(fabs(check / exact - 1) < 1e-12)) {
            fprintf(stderr, "stages: %s gives %.17g for %.17g\n", HOW[i]->name, check, exact);
            exit(1);
        }
        printf("| %d | %s | %.2f us | %.2f us (%s) | %.2f | %.1f GFLOP/s | %.0f %% |\n", k, HOW[i]->name, 1e6 * ours,
               1e6 * theirs.seconds, theirs.core, theirs.seconds / ours, 1e-9 * flops / ours,
               100 * flops / ours / peak);
    }
    free(a);
}

static void print_cholesky(void)
{
    const char *path = bench_openblas_path();
    printf(
        "### Cholesky and two solves, one core\n\nOpenBLAS: dpotrf and dtrtrs of %s, one thread, the fastest of its core types. "
        "The time\nto copy the matrix first is taken off both. Peak: that of the back end's instruction set; the reference is held to the best.\n\n"
        "| k | back end | surekrig | OpenBLAS | x | speed | share of FMA peak |\n| --- | --- | --- | --- | --- | --- | --- |\n",
        path ? strrchr(path, '/') + 1 : "(not installed)");
    print_cholesky_rows(20);
    print_cholesky_rows(50);
    print_cholesky_rows(150);
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
