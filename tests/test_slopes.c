/* Derivatives of the kernel and of kriging, on every back end, against differences of what they are the derivatives
 * of. */
#include "kernel/kernel.h"
#include "krige/krige.h"
#include "support.h"

/* ---------------------------------------------------------------------------------------------------- the kernel */

/* Sixth-order central difference of the exact function, in extended precision. */
static long double difference(const long double f[7], long double h)
{
    return (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + (f[6] - f[0])) / (60 * h);
}

static void check_slopes(const sk_slopes *slopes, double nu, double s)
{
    long double by_nu[7], by_s[7], h = 1e-3L;
    for (int i = 0; i < 7; i++) {
        double moved = nu * (1 + (i - 3) * 0x1p-9); /* exact to the last bit or two */
        sk_pair a = sk_matern_exact(moved, sqrtl(s)), b = sk_matern_exact(nu, sqrtl(s) * expl((i - 3) * h / 2));
        by_nu[i] = s <= 1 ? -a.complement : a.value;
        by_s[i] = s <= 1 ? -b.complement : b.value;
    }
    double by[2], size = s <= 1 ? (double)sk_matern_exact(nu, sqrtl(s)).complement : 1;
    sk_slopes_at(slopes, s, by);
    close_within(by[0], (double)difference(by_s, h), 1e-10, 1e-10 * size);
    close_within(by[1], (double)difference(by_nu, nu * 0x1p-9L), 1e-9, 1e-9 * size);
}

static void slopes_of_the_kernel(void **state)
{
    (void)state;
    const double nus[] = {0.01, 0.05, 0.3, 0.4999, 0.5, 0.7, 1, 1.49, 1.5, 2, 2.5, 3.7, 10, 49};
    draws d = {81, 0};
    for (size_t i = 0; i < sizeof nus / sizeof *nus; i++) {
        sk_slopes *slopes = NULL;
        surekrig_error error = {0};
        succeeded(sk_slopes_new(sk_family_of(nus[i], NULL), nus[i], (sk_slopes_range){1e-8, 500, 1}, &slopes, &error),
                  &error);
        for (int j = 0; j < 300; j++)
            check_slopes(slopes, nus[i], exp(draw(&d, log(1e-10), log(2000)))); /* also outside the buckets */
        check_slopes(slopes, nus[i], 1);
        double by[2] = {7, 7};
        sk_slopes_at(slopes, 0, by);
        assert_true(by[0] == 0 && by[1] == 0);
        sk_slopes_at(slopes, 1e6, by);
        assert_true(by[0] == 0 && by[1] == 0);
        sk_slopes_free(slopes);
    }
    sk_slopes_free(NULL);
}

static void slopes_by_threads(void **state)
{
    (void)state;
    sk_slopes *by_one = NULL, *by_three = NULL;
    const sk_family *family = sk_family_of(0.7, NULL);
    assert_int_equal(sk_slopes_new(family, 0.7, (sk_slopes_range){1e-6, 100, 1}, &by_one, NULL), SUREKRIG_OK);
    assert_int_equal(sk_slopes_new(family, 0.7, (sk_slopes_range){1e-6, 100, 3}, &by_three, NULL), SUREKRIG_OK);
    for (double s = 1e-6; s < 100; s *= 1.01) {
        double one[2], three[2];
        sk_slopes_at(by_one, s, one);
        sk_slopes_at(by_three, s, three);
        assert_memory_equal(one, three, sizeof one);
    }
    sk_slopes_free(by_one);
    sk_slopes_free(by_three);
}

/* nu = 1/2: M = e^-u, s dM/ds = -u/2 e^-u. nu = 3/2: -s/2 e^-u. The Gaussian kernel: -s/2 e^(-s/2). */
static void slopes_in_closed_form(void **state)
{
    (void)state;
    const double nus[] = {0.5, 1.5, INFINITY};
    for (int i = 0; i < 3; i++) {
        sk_slopes *slopes = NULL;
        assert_int_equal(sk_slopes_new(sk_family_of(nus[i], NULL), nus[i], (sk_slopes_range){1e-6, 100, 1}, &slopes,
                                       NULL),
                         SUREKRIG_OK);
        for (double s = 1e-7; s < 1000; s *= 1.3) {
            double by[2], u = sqrt(s);
            const double exact[] = {-u / 2 * exp(-u), -s / 2 * exp(-u), -s / 2 * exp(-s / 2)};
            sk_slopes_at(slopes, s, by);
            close_within(by[0], exact[i], 1e-11, 1e-13);
            assert_true(i < 2 || by[1] == 0);
        }
        sk_slopes_free(slopes);
    }
}

/* The same where rho is vast: to the last digits, until they are nothing. */
static void slopes_of_vast_length_scales(void **state)
{
    (void)state;
    const double nus[] = {0.5, 1.5};
    for (int i = 0; i < 2; i++) {
        sk_slopes *slopes = NULL;
        assert_int_equal(sk_slopes_new(sk_family_of(nus[i], NULL), nus[i], (sk_slopes_range){1e-300, 1e-20, 1}, &slopes,
                                       NULL),
                         SUREKRIG_OK);
        for (double s = 1e-290; s < 1e-10; s *= 17) {
            double by[2], u = sqrt(s);
            sk_slopes_at(slopes, s, by);
            close_within(by[0], (i ? -s : -u) / 2 * exp(-u), 1e-11, 1e-40);
        }
        sk_slopes_free(slopes);
    }
}

/* ------------------------------------------------------------------------------------------------------- kriging */

enum { N = 60, D = 2, RESPONSES = 2, POINTS = 12, K = 14, P = D + SK_BY_OTHERS };

/* F at each point: what is kriged there times these, the last two where there is a block. */
static double by_mean[POINTS * RESPONSES], by_variance[POINTS], by_determinant[POINTS], by_square[POINTS * RESPONSES];
static const double spread[RESPONSES] = {0.7, 3};

static double x[N * D], y[N * RESPONSES], noise[N], center[RESPONSES] = {0.3, -1}, target[POINTS * D];
static int64_t neighbor[POINTS * K], count[POINTS];

/* Neighbours need not be the nearest; two share a place, and a target sits on a neighbour. */
static int draw_problem(void **state)
{
    draws d = {82, 0};
    (void)state;
    fill_uniform(&d, N * D, 0, 1, x);
    fill_uniform(&d, POINTS * D, 0, 1, target);
    fill_normal(&d, N * RESPONSES, y);
    fill_uniform(&d, N, 0.01, 0.3, noise);
    fill_normal(&d, POINTS * RESPONSES, by_mean);
    fill_normal(&d, POINTS, by_variance);
    fill_normal(&d, POINTS, by_determinant);
    fill_normal(&d, POINTS * RESPONSES, by_square);
    for (int i = 0; i < POINTS; i++) {
        count[i] = 1 + draw_below(&d, K);
        for (int j = 0; j < K; j++)
            neighbor[i * K + j] = (i * 7 + j * (1 + i % 3)) % N;
    }
    count[0] = 1;
    memcpy(x + D * neighbor[5 * K + 2], x + D * neighbor[5 * K + 1], D * sizeof(double));
    memcpy(target + D * 3, x + D * neighbor[3 * K], D * sizeof(double));
    return 0;
}

/* Logarithms of rho, nu, tau2, the noise share, the second term's ratio, nu and share; what is kriged with them. */
typedef struct setup {
    double at[P];
    bool unknown, gaussian, noisy, ragged, block;
    int64_t responses;
    int terms;
} setup;

typedef struct kriged {
    double mean[POINTS * RESPONSES], variance[POINTS], jitter[POINTS], determinant[POINTS], square[POINTS * RESPONSES];
    double gradient[POINTS * P];
} kriged;

static double function_at(const setup *s, const kriged *k, int i)
{
    double sum = by_variance[i] * k->variance[i] + (s->block ? by_determinant[i] * k->determinant[i] : 0);
    for (int64_t at = i * s->responses; at < (i + 1) * s->responses; at++)
        sum += by_mean[at] * k->mean[at] + (s->block ? by_square[at] * k->square[at] : 0);
    return sum;
}

static void krige(const setup *s, const char *backend, bool gradient, kriged *out)
{
    double rho[D] = {exp(s->at[0]), exp(s->at[1])}, ratio = exp(s->at[D + SK_BY_LONG_RATIO]),
           share = s->terms > 1 ? exp(s->at[D + SK_BY_LONG_SHARE]) : 0, far[D] = {ratio * rho[0], ratio * rho[1]};
    surekrig_term term[2] = {{1 - share, s->gaussian ? INFINITY : exp(s->at[D + SK_BY_NU]), rho},
                             {share, exp(s->at[D + SK_BY_LONG_NU]), far}};
    surekrig_theta theta = {s->terms, term, exp(s->at[D + SK_BY_TAU2]), 1, s->unknown};
    surekrig_data data = {N, D, s->responses, x, y, s->noisy ? noise : NULL};
    sk_krige_points points = {&data, center, K, 2, s->unknown, spread};
    sk_kernel *kernel = NULL;
    sk_slopes *slopes[SK_SLOPED];
    surekrig_error error = {0};
    succeeded(sk_kernel_new(&theta, D, (double[2]){0.05, 1}, &kernel, &error), &error);
    succeeded(sk_kernel_slopes(kernel, 2, slopes, &error), &error);
    sk_krige_theta prepared = {kernel, theta.tau2, exp(s->at[D + SK_BY_NOISE])};
    surekrig_neighborhoods batch = {POINTS, K, neighbor, s->ragged ? count : NULL, target};
    surekrig_kriged to = {out->mean, out->variance, out->jitter};
    sk_krige_block block = {out->determinant, out->square};
    sk_krige_slopes by = {{slopes[0], slopes[1]},      by_mean,      by_variance, s->block ? by_determinant : NULL,
                          s->block ? by_square : NULL, out->gradient};
    const sk_backend *back = sk_backend_find(backend);
    void *opened = NULL;
    succeeded(back->open(&points, &opened, &error), &error);
    sk_krige_job job = {&batch, &prepared, NULL, &to, s->block ? &block : NULL, gradient ? &by : NULL};
    succeeded(back->run(opened, &job, &error), &error);
    back->close(opened);
    for (int t = 0; t < SK_SLOPED; t++)
        sk_slopes_free(slopes[t]);
    sk_kernel_free(kernel);
}

/* (8 (f1 - f-1) - (f2 - f-2)) / 12h, for each parameter. */
static void differences(const setup *s, double slope[POINTS * P])
{
    static kriged moved[4];
    const double h = 1e-3;
    for (int p = 0; p < P; p++) {
        for (int i = 0; i < 4; i++) {
            setup there = *s;
            there.at[p] += h * (i < 2 ? i - 2 : i - 1);
            if (s->terms > 1 || p < D + SK_BY_LONG_RATIO)
                krige(&there, "reference", false, &moved[i]);
        }
        for (int i = 0; i < POINTS; i++) {
            double f[4];
            for (int j = 0; j < 4; j++)
                f[j] = function_at(s, &moved[j], i);
            slope[i * P + p] = s->terms > 1 || p < D + SK_BY_LONG_RATIO ? (8 * (f[2] - f[1]) - f[3] + f[0]) / (12 * h)
                                                                        : 0;
        }
    }
}

static void check_kriging(const setup *s, const char *backend, const double slope[POINTS * P])
{
    static kriged with, without;
    krige(s, backend, true, &with);
    krige(s, backend, false, &without);
    assert_memory_equal(with.mean, without.mean, (size_t)(POINTS * s->responses) * sizeof(double));
    assert_memory_equal(with.variance, without.variance, sizeof with.variance);
    assert_memory_equal(with.jitter, without.jitter, sizeof with.jitter);
    for (int i = 0; i < POINTS * P; i++)
        close_within(with.gradient[i], slope[i], 2e-7, 2e-7);
}

static void slopes_of_kriging(void **state)
{
    static const char *const backends[] = {"reference", "portable", "avx2", "avx512"};
    (void)state;
    draws d = {83, 0};
    double slope[POINTS * P];
    for (int i = 0; i < 96; i++) {
        setup s = {{draw(&d, -3, 1), draw(&d, -3, 1), log(0.05) + draw(&d, 0, 4), draw(&d, -5, 0), draw(&d, -2, 1)},
                   i % 2,
                   i % 5 == 4,
                   i / 2 % 2,
                   i / 4 % 2,
                   i / 3 % 2,
                   1 + i / 8 % 2,
                   1 + i / 48};
        if (i % 7 == 6)
            s.at[i % 2] = INFINITY; /* an axis that does not count */
        s.at[D + SK_BY_LONG_RATIO] = draw(&d, 0.1, 3);
        s.at[D + SK_BY_LONG_NU] = log(0.05) + draw(&d, 0, 4);
        s.at[D + SK_BY_LONG_SHARE] = draw(&d, -3, -0.05);
        differences(&s, slope);
        for (int b = 0; b < 4; b++)
            if (sk_backend_find(backends[b]))
                check_kriging(&s, backends[b], slope);
    }
}

/* Two observations at one place and no nugget: jitter, which a lane leaves to the reference. */
static void slopes_with_jitter(void **state)
{
    static kriged plain, fast;
    (void)state;
    for (int terms = 1; terms <= 2; terms++) {
        setup s = {{0, 0, 0, log(1e-18), -99, 1, 0.3, -1}, 0, 0, 0, 0, 0, 1, terms};
        krige(&s, "reference", true, &plain);
        krige(&s, "auto", true, &fast);
        assert_true(plain.jitter[5] > 0 && fast.jitter[5] == plain.jitter[5]);
        for (int p = 0; p < P; p++)
            assert_true(fast.gradient[5 * P + p] == plain.gradient[5 * P + p]);
    }
}

/* Two terms of one shape are one term of it, whatever their shares: each has its share of the slopes. */
static void slopes_of_two_equal_terms(void **state)
{
    static kriged one, two;
    (void)state;
    setup s = {{-1, -0.5, 0.2, -3, -1, 0, 0.2, log(0.3)}, 1, 0, 1, 1, 1, 2, 1};
    krige(&s, "auto", true, &one);
    s.terms = 2;
    krige(&s, "auto", true, &two);
    for (int i = 0; i < POINTS; i++) {
        const double *a = one.gradient + i * P, *b = two.gradient + i * P;
        for (int p = 0; p < D; p++)
            close_within(b[p], a[p], 1e-9, 1e-9);
        close_within(b[D + SK_BY_LONG_RATIO], 0.3 * (a[0] + a[1]), 1e-9, 1e-9);
        close_within(b[D + SK_BY_NU], 0.7 * a[D + SK_BY_NU], 1e-9, 1e-9);
        close_within(b[D + SK_BY_LONG_NU], 0.3 * a[D + SK_BY_NU], 1e-9, 1e-9);
        close_within(b[D + SK_BY_LONG_SHARE], 0, 0, 1e-9);
    }
}

static void three_terms_have_no_gradient(void **state)
{
    (void)state;
    surekrig_term term[3] = {{0.5, 0.5, (double[2]){1, 1}}, {0.3, 1.5, (double[2]){2, 2}}, {0.2, 1, (double[2]){3, 3}}};
    sk_kernel *kernel = NULL;
    sk_slopes *slopes[SK_SLOPED];
    surekrig_error error = {0};
    succeeded(sk_kernel_new(&(surekrig_theta){3, term, 0.1, 1}, D, NULL, &kernel, &error), &error);
    refused(sk_kernel_slopes(kernel, 2, slopes, &error), &error, SUREKRIG_INVALID, "3 given");
    assert_true(!slopes[0] && !slopes[1]);
    sk_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_by_threads),         cmocka_unit_test(slopes_of_the_kernel),
        cmocka_unit_test(slopes_in_closed_form),     cmocka_unit_test(slopes_of_vast_length_scales),
        cmocka_unit_test(slopes_of_kriging),         cmocka_unit_test(slopes_with_jitter),
        cmocka_unit_test(slopes_of_two_equal_terms), cmocka_unit_test(three_terms_have_no_gradient),
    };
    return cmocka_run_group_tests(tests, draw_problem, NULL);
}
