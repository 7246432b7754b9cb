/* Families of kernels: those of the table by name, and some of this file that have exact values alone, whose tables,
 * derivatives and covariances on every back end are compared with these. */
#include "kernel/inside.h"
#include "krige/krige.h"
#include "support.h"

#include <float.h>

/* ---- families without a builder */

static double one(double nu)
{
    (void)nu;
    return 1;
}

static double half(double nu)
{
    return 1 / (2 * nu);
}

/* (1 - u)^4 (4 u + 1) within u = 1. */
static sk_pair wendland(double nu, long double u)
{
    (void)nu;
    long double left = 1 - u;
    if (u >= 1)
        return (sk_pair){0, 1};
    return (sk_pair){left * left * left * left * (4 * u + 1), u * u * (10 - u * (20 - u * (15 - 4 * u)))};
}

/* (1 + u^2)^-nu with u^2 = distance^2 / (2 nu rho^2): its unit falls with nu. */
static sk_pair rational(double nu, long double u)
{
    long double power = -(long double)nu * log1pl(u * u);
    return (sk_pair){expl(power), -expm1l(power)};
}

static sk_pair gaussian(double nu, long double u)
{
    return sk_family_gaussian.exact(nu, u);
}

static const sk_family WENDLAND = {.name = "wendland", .unit = one, .end = 1, .exact = wendland};
static const sk_family RATIONAL = {
    .name = "rational", .smoothness = true, .unit = half, .end = INFINITY, .exact = rational};
static const sk_family GAUSSIAN = {.name = "plain", .unit = one, .end = INFINITY, .exact = gaussian};

/* fast: where buckets must reach in s, for single values and for covariances. */
static const struct {
    const sk_family *family;
    double nu, fast, reach;
} CASES[] = {{&WENDLAND, INFINITY, 0.7, 1},
             {&RATIONAL, 0.3, 1e4, 1e4},
             {&RATIONAL, 1, 1e4, 1e4},
             {&RATIONAL, 7, 2, 1e4},
             {&GAUSSIAN, INFINITY, 8, 64}};
enum { ALL = sizeof CASES / sizeof *CASES };

static sk_table *table_of(int i, double low, double high)
{
    sk_table *table = NULL;
    surekrig_error error = {0};
    succeeded(sk_table_new(CASES[i].family, CASES[i].nu, low, high, &table, &error), &error);
    return table;
}

static void as_exact(int i, double s, double value, double complement)
{
    sk_pair exact = CASES[i].family->exact(CASES[i].nu, sqrtl(s));
    if (exact.value >= DBL_MIN || exact.value == 0)
        close_to(value, (double)exact.value, 1e-13);
    close_to(complement, (double)exact.complement, 1e-13);
}

/* What covariances take, from buckets that go on to where single values no longer do. */
static void enough_for_a_covariance(int i, const sk_table *table, double s)
{
    if (!(s >= table->low && s < table->reach))
        return;
    uint64_t number = sk_bucket_of(s, SK_BUCKET_BITS);
    double p = sk_polynomial(&table->near[number - table->first], sk_offset_of(s, SK_BUCKET_BITS));
    long double exact = CASES[i].family->exact(CASES[i].nu, sqrtl(s)).value;
    close_within(number < table->complements ? 1 - p : p, (double)exact, 0, 1e-15);
}

static void tables_are_as_the_exact_values(void **state)
{
    (void)state;
    enum { N = 4000 };
    static double s[N], value[N], complement[N];
    draws d = {301, 0};
    for (int i = 0; i < ALL; i++) {
        sk_table *table = table_of(i, 1e-9, 1e4);
        assert_true(table->low <= 1e-9 && table->edge >= CASES[i].fast && table->reach >= CASES[i].reach);
        for (int j = 0; j < N; j++) {
            s[j] = exp(draw(&d, j % 2 ? -50 : -5, j % 2 ? 12 : 2));
            value[j] = sk_table_at(table, s[j], &complement[j]);
            as_exact(i, s[j], value[j], complement[j]);
            enough_for_a_covariance(i, table, s[j]);
        }
        for (int isa = 0; isa < SK_ISA_COUNT; isa++)
            if (sk_isa_here((sk_isa)isa)) {
                sk_table_values_by[isa](table, N, s, value, complement);
                for (int j = 0; j < N; j++)
                    as_exact(i, s[j], value[j], complement[j]);
            }
        sk_table_free(table);
    }
}

static void nothing_beyond_the_support(void **state)
{
    (void)state;
    sk_table *table = table_of(0, 1e-9, 1e4);
    const double beyond[] = {1, nextafter(1, 2), 1.5, 1e6, 1e300, INFINITY};
    assert_true(sk_table_at(table, nextafter(1, 0), NULL) > 0 && table->reach == 1);
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        double complement = 0, by[2] = {7, 7};
        sk_slopes slopes = {.family = &WENDLAND};
        assert_true(sk_table_at(table, beyond[i], &complement) == 0 && complement == 1);
        sk_slopes_at(&slopes, beyond[i], by);
        assert_true(by[0] == 0 && by[1] == 0);
    }
    sk_table_free(table);
}

/* s dM/ds, and dM/dlog nu with the distance held: of (1 + r/(2 nu))^-nu, r the distance squared, with s = r/(2 nu),
 * M (s nu/(1 + s) - nu log(1 + s)). */
static void closed_slopes(int i, double s, double slope[2])
{
    double u = sqrt(s), nu = CASES[i].nu, left = u < 1 ? 1 - u : 0, m = pow(1 + s, -nu);
    slope[1] = 0;
    if (CASES[i].family == &WENDLAND)
        slope[0] = -10 * s * left * left * left;
    else if (CASES[i].family == &GAUSSIAN)
        slope[0] = -s / 2 * exp(-s / 2);
    else {
        slope[0] = -nu * s / (1 + s) * m;
        slope[1] = m * nu * (s / (1 + s) - log1p(s));
    }
}

static void slopes_are_as_the_closed_ones(void **state)
{
    (void)state;
    draws d = {302, 0};
    for (int i = 0; i < ALL; i++) {
        sk_slopes *slopes = NULL;
        surekrig_error error = {0};
        succeeded(sk_slopes_new(CASES[i].family, CASES[i].nu, (sk_slopes_range){1e-6, 100, 1}, &slopes, &error),
                  &error);
        assert_true(slopes->by_nu == (CASES[i].family == &RATIONAL));
        for (int j = 0; j < 1000; j++) {
            double s = exp(draw(&d, -25, 6)), by[2], slope[2]; /* also outside the buckets */
            double size = s <= 1 ? (double)CASES[i].family->exact(CASES[i].nu, sqrtl(s)).complement : 1;
            sk_slopes_at(slopes, s, by);
            closed_slopes(i, s, slope);
            close_within(by[0], slope[0], 1e-11, 1e-11 * size);
            close_within(slopes->by_nu ? CASES[i].nu * by[1] + by[0] : by[1], slope[1], 1e-11, 1e-11 * size);
        }
        sk_slopes_free(slopes);
    }
}

/* ---- covariances by every back end */

enum { N = 40, K = 12, POINTS = 9, D = 2, PARAMETERS = D + SK_BY_OTHERS };

typedef struct kriged {
    double mean[POINTS], variance[POINTS], gradient[POINTS * PARAMETERS];
} kriged;

/* A case's table in the place of a Gaussian's, alone or as the first of two terms. */
static void krige(int i, int terms, const sk_backend *back, double rho, kriged *out)
{
    static double x[N * D], y[N], target[POINTS * D];
    static int64_t neighbor[POINTS * K];
    draws d = {303, 0};
    surekrig_error error = {0};
    fill_uniform(&d, N * D, 0, 1, x);
    fill_uniform(&d, POINTS * D, 0, 1, target);
    fill_normal(&d, N, y);
    for (int j = 0; j < POINTS * K; j++)
        neighbor[j] = (j / K * 5 + j % K * 3) % N;
    surekrig_data data = {.n = N, .d = D, .l = 1, .x = x, .y = y};
    surekrig_neighborhoods hoods = {POINTS, K, neighbor, NULL, target};
    double share = terms > 1 ? 0.3 : 0;
    surekrig_term term[] = {{1 - share, 1, (double[]){rho, rho}, "gaussian"},
                            {share, 0.7, (double[]){3 * rho, 3 * rho}}};
    surekrig_theta theta = {terms, term, 1e-3, 1};
    sk_kernel *kernel = NULL;
    sk_slopes *slopes[SK_SLOPED];
    void *opened = NULL;
    succeeded(sk_kernel_new(&theta, D, NULL, &kernel, &error), &error);
    if (i >= 0) {
        sk_table_free(kernel->term[0].table);
        kernel->term[0].table = table_of(i, 0.1, 30); /* and some squares are outside */
    }
    succeeded(sk_kernel_slopes(kernel, 2, slopes, &error), &error);
    succeeded(back->open(&(sk_krige_points){&data, NULL, K, 1, false, NULL}, &opened, &error), &error);
    sk_krige_theta prepared = {kernel, theta.tau2, 0};
    surekrig_kriged results = {.mean = out->mean, .variance = out->variance};
    double one[POINTS], half[POINTS];
    for (int j = 0; j < POINTS; j++) {
        one[j] = 1;
        half[j] = 0.5;
    }
    sk_krige_slopes wanted = {{slopes[0], slopes[1]}, one, half, NULL, NULL, out->gradient};
    sk_krige_job job = {&hoods, &prepared, NULL, &results, NULL, &wanted};
    succeeded(back->run(opened, &job, &error), &error);
    back->close(opened);
    for (int t = 0; t < SK_SLOPED; t++)
        sk_slopes_free(slopes[t]);
    sk_kernel_free(kernel);
}

static void same_kriged(const kriged *a, const kriged *b)
{
    const double *p = a->mean, *q = b->mean;
    for (size_t j = 0; j < sizeof *a / sizeof *p; j++)
        close_within(p[j], q[j], 1e-8, 1e-9);
}

/* Short and long ranges: lanes beyond a support, and all within it. */
static void back_ends_agree(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"avx512", "avx2", "portable", "reference"};
    static kriged plain, other;
    for (int b = 0; b < 4; b++) {
        const sk_backend *back = sk_backend_find(NAMES[b]);
        for (int i = 0; back && i < ALL; i++)
            for (double rho = 0.02; rho < 4; rho *= 9) {
                int terms = 1 + (rho > 0.1 && rho < 1);
                krige(i, terms, sk_backend_find("reference"), rho, &plain);
                krige(i, terms, back, rho, &other);
                same_kriged(&plain, &other);
            }
        for (double rho = 0.02; back && rho < 0.5; rho *= 9) { /* the Gaussian's formula, and its values interpolated */
            krige(-1, 1 + (rho > 0.1), back, rho, &plain);
            krige(ALL - 1, 1 + (rho > 0.1), back, rho, &other);
            same_kriged(&plain, &other);
        }
    }
}

/* ---- by name */

static void families_by_name(void **state)
{
    (void)state;
    assert_ptr_equal(sk_family_named(NULL), &sk_family_matern);
    assert_null(sk_family_named("abacus"));
    assert_null(sk_family_named(""));
    assert_ptr_equal(sk_family_of(0.5, NULL), &sk_family_matern);
    assert_ptr_equal(sk_family_of(INFINITY, NULL), &sk_family_gaussian);
    assert_ptr_equal(sk_family_of(INFINITY, "matern"), &sk_family_gaussian);
    assert_ptr_equal(sk_family_of(0.5, "gaussian"), &sk_family_gaussian);
    assert_ptr_equal(sk_family_of(NAN, "gaussian"), &sk_family_gaussian); /* it has none */
    const double bad[] = {0.0099, 50.1, -INFINITY, NAN, 0};
    for (int i = 0; i < 5; i++)
        assert_null(sk_family_of(bad[i], "matern"));
    sk_kernel *kernel = NULL;
    surekrig_error error = {0};
    surekrig_theta theta = {1, &(surekrig_term){1, 0.5, (double[]){1}, "abacus"}, 0, 1};
    refused(sk_kernel_new(&theta, 1, NULL, &kernel, &error), &error, SUREKRIG_INVALID, "no kernel 'abacus'");
    assert_null(kernel);
}

/* The words of the setting are the rows of the table, the default the first. */
static void settings_know_every_family(void **state)
{
    (void)state;
    surekrig_settings *settings = NULL;
    surekrig_error error = {0};
    succeeded(surekrig_settings_new(&settings, &error), &error);
    assert_string_equal(surekrig_settings_get(settings, "kernel"), sk_family_named(NULL)->name);
#define TAKEN(row)                                                                                                     \
    succeeded(surekrig_settings_set(settings, "kernel", #row, &error), &error);                                        \
    assert_string_equal(sk_family_named(#row)->name, #row);
    SK_EACH_FAMILY(TAKEN, TAKEN, TAKEN)
    surekrig_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_as_the_exact_values),
        cmocka_unit_test(nothing_beyond_the_support),
        cmocka_unit_test(slopes_are_as_the_closed_ones),
        cmocka_unit_test(back_ends_agree),
        cmocka_unit_test(families_by_name),
        cmocka_unit_test(settings_know_every_family),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
