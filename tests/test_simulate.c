/* Simulation: the FFT against FFTW, the covariance of a draw from the linear map that makes it and from many draws. */
#include "simulate/simulate.h"

#include <fftw3.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { STREAM = 88 };

static void close_to(double a, double b, double absolute)
{
    if (!(fabs(a - b) <= absolute))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, absolute);
}

/* (M2), by GSL. */
static double matern(double nu, double distance, double rho)
{
    double u = sqrt(2 * nu) * distance / rho;
    if (u == 0)
        return 1;
    if (isinf(nu))
        return exp(-distance * distance / (2 * rho * rho));
    return u > 690 ? 0 : 2 * exp(nu * log(u / 2) - gsl_sf_lngamma(nu) - u) * gsl_sf_bessel_Knu_scaled(nu, u);
}

/* (M3) between two different observations, over gamma2. */
static double covariance(const surekrig_theta *theta, int64_t d, const double *a, const double *b)
{
    double sum = theta->product;
    for (int t = 0; t < theta->terms; t++) {
        double squares = 0;
        for (int64_t axis = 0; axis < d; axis++)
            squares += pow((a[axis] - b[axis]) / theta->term[t].rho[axis], 2);
        double m = theta->term[t].weight * matern(theta->term[t].nu, sqrt(squares), 1);
        sum = theta->product ? sum * m : sum + m;
    }
    return sum;
}

static void simulate(const surekrig_sample *sample, const surekrig_theta *theta, double *y)
{
    surekrig_error error = {0};
    if (surekrig_simulate(sample, theta, y, &error))
        fail_msg("%s", error.sentence);
}

/* ---- FFT */

static sk_complex *random_values(int64_t count)
{
    sk_complex *z = sk_alloc(count, sizeof *z);
    for (int64_t i = 0; i < count; i++) {
        double pair[2];
        sk_normal_pair(1, STREAM, (uint64_t)i, pair);
        z[i] = (sk_complex){pair[0], pair[1]};
    }
    return z;
}

/* |a - b| / |b| in the Euclidean norm */
static double distance(int64_t count, const sk_complex *a, const sk_complex *b)
{
    double difference = 0, norm = 0;
    for (int64_t i = 0; i < count; i++) {
        difference += pow(a[i].re - b[i].re, 2) + pow(a[i].im - b[i].im, 2);
        norm += pow(b[i].re, 2) + pow(b[i].im, 2);
    }
    return sqrt(difference / norm);
}

static void compare_with_fftw(int64_t n0, int64_t n1, int64_t n2)
{
    int64_t total = n0 * n1 * n2, longest = n0 > n1 ? n0 : n1;
    sk_complex *z = random_values(total), *expected = random_values(total);
    sk_complex *roots = sk_fft_roots(longest > n2 ? longest : n2, 2);
    fftw_plan plan = fftw_plan_dft_3d((int)n0, (int)n1, (int)n2, (fftw_complex *)expected, (fftw_complex *)expected,
                                      FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    sk_fft(roots, (int64_t[]){n0, n1, n2}, z, 2);
    close_to(distance(total, z, expected), 0, 1e-16 * (1 + 2 * sqrt(log2((double)total))));
    fftw_destroy_plan(plan);
    free(z);
    free(expected);
    free(roots);
}

static void fft_agrees_with_fftw(void **state)
{
    (void)state;
    for (int64_t n = 1; n <= 1 << 16; n *= 2)
        compare_with_fftw(1, 1, n);
    for (int64_t n0 = 1; n0 <= 128; n0 *= 2)
        for (int64_t n1 = 1; n1 <= 512; n1 *= 4)
            compare_with_fftw(1, n0, n1);
    compare_with_fftw(1, 1 << 14, 1);
    compare_with_fftw(1, 4, 1 << 14);
    compare_with_fftw(32, 64, 16);
    compare_with_fftw(256, 1, 8);
    compare_with_fftw(2, 128, 1);
    fftw_cleanup();
}

static void conjugate(int64_t count, sk_complex *z, double scale)
{
    for (int64_t i = 0; i < count; i++)
        z[i] = (sk_complex){scale * z[i].re, -scale * z[i].im};
}

static double energy(int64_t count, const sk_complex *z)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += z[i].re * z[i].re + z[i].im * z[i].im;
    return sum;
}

/* |FFT z|^2 = N |z|^2, and the transform of the conjugate transform is N times the conjugate. */
static void fft_keeps_energy_and_inverts(void **state)
{
    (void)state;
    const int64_t sizes[][3] = {{1, 1, 1},     {1, 1, 2},       {1, 8, 4},  {1, 1, 1 << 15},
                                {1, 256, 256}, {1, 2, 1 << 14}, {16, 8, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t total = sizes[i][0] * sizes[i][1] * sizes[i][2];
        sk_complex *z = random_values(total), *same = random_values(total), *roots = sk_fft_roots(1 << 15, 1);
        sk_fft(roots, sizes[i], z, 1);
        close_to(energy(total, z) / (double)total / energy(total, same), 1, 1e-14);
        conjugate(total, z, 1);
        sk_fft(roots, sizes[i], z, 1);
        conjugate(total, z, 1 / (double)total);
        close_to(distance(total, z, same), 0, 2e-15);
        free(z);
        free(same);
        free(roots);
    }
}

/* ---- what an embedding implies */

typedef struct grid_case {
    int64_t d, size[3];
    double step[3];
    double nu, rho[3], tau2;
    double time_nu; /* of the last axis in a product; 0: none */
} grid_case;

static const grid_case grid_cases[] = {
    {1, {1, 1, 10000}, {0, 0, 1 / 9999.0}, 0.135, {0.95}, 1e-10}, /* the paper's four */
    {1, {1, 1, 10000}, {0, 0, 1 / 9999.0}, 0.425, {0.625}, 1e-10},
    {1, {1, 1, 10000}, {0, 0, 1 / 9999.0}, 0.635, {0.475}, 1e-10},
    {1, {1, 1, 10000}, {0, 0, 1 / 9999.0}, 0.965, {0.125}, 1e-10},
    {1, {1, 1, 1000}, {0, 0, 1 / 999.0}, 2.5, {0.2}, 0},
    {1, {1, 1, 300}, {0, 0, 1 / 299.0}, INFINITY, {0.1}, 0}, /* most eigenvalues are zero */
    {1, {1, 1, 1}, {0, 0, 0}, 0.5, {1}, 0.25},
    {1, {1, 1, 2}, {0, 0, 1}, 0.5, {1}, 0},
    {2, {1, 60, 37}, {0, 0.1, 0.3}, 1.2, {2, 0.9}, 0.01},
    {2, {1, 33, 65}, {0, 0.01, 0.02}, 0.5, {0.03, 0.1}, 0},
    {2, {1, 100, 1}, {0, 0.1, 0}, 0.7, {1, 1}, 0},
    {2, {1, 1, 100}, {0, 0, 0.1}, 0.7, {1, 3}, 0},
    {2, {1, 30, 30}, {0, 0.1, 0.1}, INFINITY, {0.3, 0.4}, 0},
    {3, {12, 9, 20}, {0.1, 0.2, 0.05}, 1.2, {0.3, 0.5, 0.2}, 0.01},
    {3, {7, 40, 3}, {0.1, 0.05, 0.2}, 0.5, {0.1, 0.2, 0.1}, 0.01}, /* the middle one is longest */
    {3, {10, 1, 17}, {0.1, 0, 0.1}, 0.5, {0.3, 1, 0.4}, 0},
    {3, {12, 10, 9}, {0.1, 0.1, 1}, 1, {0.25, 0.25, 1.5}, 0.01, 1.5}, /* separable */
    {2, {1, 40, 30}, {0, 0.1, 1}, 1.5, {0.5, 4}, 0, 0.5},
};

/* The draw's covariance at lag j is (1/N) sum_k lambda_k cos(2 pi j k / N): one more FFT, against (M3). */
static void check_implied(const grid_case *c)
{
    double space[3] = {c->rho[0], c->rho[1], c->rho[2]}, time[3] = {INFINITY, INFINITY, INFINITY};
    surekrig_term term[2] = {{1, c->nu, space}, {1, c->time_nu, time}};
    surekrig_theta theta = {1, term, c->tau2, 1};
    if (c->time_nu > 0) {
        theta.terms = 2;
        theta.product = 1;
        time[c->d - 1] = space[c->d - 1];
        space[c->d - 1] = INFINITY;
    }
    sk_grid grid = {c->d, {c->size[0], c->size[1], c->size[2]}, {c->step[0], c->step[1], c->step[2]}, 1 << 20, 2};
    sk_torus *torus = NULL;
    surekrig_error error = {0};
    if (sk_torus_new(&grid, &theta, &torus, &error))
        fail_msg("%s", error.sentence);
    const int64_t *m = torus->size, total = m[0] * m[1] * m[2];
    for (int64_t k = 0; k < total; k++) {
        assert_true(torus->value[k].re >= 0);
        torus->value[k].im = 0;
    }
    sk_fft(torus->roots, torus->size, torus->value, 2);
    for (int64_t at = 0; at < c->size[0] * c->size[1] * c->size[2]; at++) {
        int64_t i = at / c->size[2] / c->size[1], j = at / c->size[2] % c->size[1], l = at % c->size[2];
        double lag[3] = {(double)i * c->step[0], (double)j * c->step[1], (double)l * c->step[2]};
        double expected = covariance(&theta, c->d, lag + 3 - c->d, (double[3]){0, 0, 0}) + (at ? 0 : c->tau2);
        close_to(torus->value[(i * m[1] + j) * m[2] + l].re / (double)total, expected, 1e-12);
    }
    sk_torus_free(torus);
}

static void eigenvalues_imply_the_covariance(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof grid_cases / sizeof *grid_cases; i++)
        check_implied(&grid_cases[i]);
}

/* y_j = sum_k sqrt(lambda_k / N) (a_k cos(2 pi j k / N) + b_k sin(2 pi j k / N)), term by term. */
static void draw_is_the_linear_map(void **state)
{
    (void)state;
    double rho = 0.7, y[9], pair[2];
    surekrig_term term = {1, 0.8, &rho};
    surekrig_theta theta = {1, &term, 0.1, 4};
    simulate(&(surekrig_sample){.d = 1, .size = {9}, .lower = {-1}, .upper = {3}, .seed = 12}, &theta, y);
    sk_grid grid = {1, {1, 1, 9}, {0, 0, 0.5}, 1 << 20, 1};
    sk_torus *torus = NULL;
    assert_int_equal(sk_torus_new(&grid, &theta, &torus, NULL), SUREKRIG_OK);
    int64_t n = torus->size[2];
    for (int64_t j = 0; j < 9; j++) {
        double sum = 0;
        for (int64_t k = 0; k < n; k++) {
            double angle = 2 * M_PI * (double)(j * k) / (double)n;
            sk_normal_pair(12, SK_STREAM_FIELD, (uint64_t)k, pair);
            sum += sqrt(torus->value[k].re / (double)n) * (pair[0] * cos(angle) + pair[1] * sin(angle));
        }
        close_to(y[j], sqrt(4) * sum, 1e-13);
    }
    sk_torus_free(torus);
}

static void embeddings_double_and_then_give_up(void **state)
{
    (void)state;
    double rho[2] = {0.475, 0.475};
    surekrig_term term = {1, 0.635, rho};
    surekrig_theta theta = {1, &term, 0, 1};
    sk_grid grid = {1, {1, 1, 8193}, {0, 0, 1 / 8192.0}, 1 << 15, 1}; /* the smallest torus, 2^14, has negatives */
    sk_torus *torus = NULL;
    assert_int_equal(sk_torus_new(&grid, &theta, &torus, NULL), SUREKRIG_OK);
    assert_int_equal(torus->size[2], 1 << 15);
    sk_torus_free(torus);
    torus = NULL;
    rho[0] = rho[1] = 50;
    term.nu = 2.5;
    surekrig_error error = {0};
    sk_grid plane = {2, {1, 20, 30}, {0, 1 / 19.0, 1 / 29.0}, 1 << 16, 1};
    assert_int_equal(sk_torus_new(&plane, &theta, &torus, &error), SUREKRIG_NUMERIC);
    assert_non_null(strstr(error.sentence, "grid of 20 x 30 points"));
    assert_non_null(strstr(error.sentence, "64 x 64 to 256 x 256 values"));
    assert_non_null(strstr(error.sentence, "down to -0.0"));
    assert_null(torus);
}

/* The tau2 that the sentence names is enough, three hundredths less are not, and then the sentence is the same. */
static void the_nugget_named_is_enough(void **state)
{
    (void)state;
    double rho = 5;
    surekrig_term term = {1, 1.5, &rho};
    surekrig_theta theta = {1, &term, 0, 1};
    surekrig_error first = {0}, second = {0};
    sk_grid line = {1, {1, 1, 50}, {0, 0, 1 / 49.0}, 1 << 8, 1};
    sk_torus *torus = NULL;
    assert_int_equal(sk_torus_new(&line, &theta, &torus, &first), SUREKRIG_NUMERIC);
    const char *found = strstr(first.sentence, "tau2 = ");
    assert_non_null(found);
    double enough = strtod(found + strlen("tau2 = "), NULL);
    theta.tau2 = 0.97 * enough;
    assert_int_equal(sk_torus_new(&line, &theta, &torus, &second), SUREKRIG_NUMERIC);
    assert_non_null(found = strstr(second.sentence, "tau2 = "));
    close_to(strtod(found + strlen("tau2 = "), NULL), enough, 0.02 * enough);
    theta.tau2 = enough;
    assert_int_equal(sk_torus_new(&line, &theta, &torus, NULL), SUREKRIG_OK);
    sk_torus_free(torus);
}

/* ---- covariance of many draws */

enum { MOST = 64 };

/* The mean of y_i y_j over many seeds has variance (c_ii c_jj + c_ij^2) / draws. x: [n][d], sample's points */
static void check_draws(surekrig_sample sample, const surekrig_theta *theta, int64_t n, const double *x, int draws)
{
    static double sum[MOST][MOST];
    double variance = theta->gamma2 * (covariance(theta, sample.d, x, x) + theta->tau2), y[MOST];
    memset(sum, 0, sizeof sum);
    for (sample.seed = 0; sample.seed < (uint64_t)draws; sample.seed++) {
        simulate(&sample, theta, y);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++)
                sum[i][j] += y[i] * y[j] / draws;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double *a = x + i * sample.d, *b = x + j * sample.d;
            double c = i == j ? variance : theta->gamma2 * covariance(theta, sample.d, a, b);
            close_to(sum[i][j], c, 5 * sqrt((variance * variance + c * c) / draws));
        }
}

static void draws_on_a_line(void **state)
{
    (void)state;
    double rho = 0.3, x[64];
    surekrig_term term = {1, 0.635, &rho};
    surekrig_theta theta = {1, &term, 0.05, 2.5};
    for (int i = 0; i < 64; i++)
        x[i] = -1 + i * 2.0 / 63;
    check_draws((surekrig_sample){.d = 1, .size = {64}, .lower = {-1}, .upper = {1}, .threads = 1}, &theta, 64, x,
                4000);
}

/* Two terms, anisotropic; the grid's draws and the same points as scattered ones have one covariance. */
static void draws_on_a_plane_and_scattered(void **state)
{
    (void)state;
    double rho[2][2] = {{0.2, 1}, {2, 0.4}}, x[48][2];
    surekrig_term term[2] = {{0.4, 1.5, rho[0]}, {0.6, 0.5, rho[1]}};
    surekrig_theta theta = {2, term, 0.01, 0.5};
    for (int i = 0; i < 48; i++) {
        x[i][0] = 0 + i / 8 * 1.0 / 5; /* the second axis fastest */
        x[i][1] = 2 + i % 8 * 1.0 / 7;
    }
    surekrig_sample grid = {.d = 2, .size = {6, 8}, .lower = {0, 2}, .upper = {1, 3}, .threads = 1};
    check_draws(grid, &theta, 48, x[0], 1500);
    check_draws((surekrig_sample){.d = 2, .n = 48, .x = x[0], .threads = 1}, &theta, 48, x[0], 500);
}

/* Two axes of space and one of time, each with its own smoothness. */
static void draws_in_space_and_time(void **state)
{
    (void)state;
    double rho[2][3] = {{0.4, 0.7, INFINITY}, {INFINITY, INFINITY, 2}}, x[60][3];
    surekrig_term term[2] = {{1, 1, rho[0]}, {1, 1.5, rho[1]}};
    surekrig_theta theta = {.terms = 2, .term = term, .tau2 = 0.05, .gamma2 = 2, .product = 1};
    for (int i = 0; i < 60; i++) {
        x[i][0] = i / 20 * 1.0 / 2;
        x[i][1] = i / 5 % 4 * 1.0 / 3;
        x[i][2] = i % 5;
    }
    surekrig_sample grid = {.d = 3, .size = {3, 4, 5}, .upper = {1, 1, 4}, .threads = 1};
    check_draws(grid, &theta, 60, x[0], 1000);
}

static void random_points(int64_t count, double *x)
{
    for (int64_t i = 0; i < count; i++)
        x[i] = sk_uniform(4, STREAM, (uint64_t)i);
}

static void draws_at_scattered_points(void **state)
{
    (void)state;
    double rho[3] = {0.5, 1, 0.25}, x[12 * 3];
    surekrig_term term = {1, 1.1, rho};
    surekrig_theta theta = {1, &term, 0, 3};
    random_points(36, x);
    check_draws((surekrig_sample){.d = 3, .n = 12, .x = x, .threads = 1}, &theta, 12, x, 1000);
}

/* y = sqrt(gamma2) L z by a plain Cholesky L L' of GSL's covariances. */
static void dense_draw_is_the_linear_map(void **state)
{
    (void)state;
    enum { N = 20 };
    double rho[2] = {0.5, 1}, x[N][2], l[N][N], y[N], expected[N] = {0};
    surekrig_term term = {1, 0.7, rho};
    surekrig_theta theta = {1, &term, 1e-3, 9};
    random_points(2 * N, x[0]);
    simulate(&(surekrig_sample){.d = 2, .n = N, .x = x[0], .seed = 8}, &theta, y);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double rest = covariance(&theta, 2, x[i], x[j]) + (i == j ? theta.tau2 : 0), pair[2];
            for (int k = 0; k < j; k++)
                rest -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(rest) : rest / l[j][j];
            sk_normal_pair(8, SK_STREAM_FIELD, (uint64_t)j / 2, pair);
            expected[i] += sqrt(theta.gamma2) * l[i][j] * pair[j % 2];
        }
    for (int i = 0; i < N; i++)
        close_to(y[i], expected[i], 1e-11);
}

/* Without a nugget, equal points have equal values, up to a jitter of at most 1e-8 and rarely more than 1e-15. */
static void coincident_points_take_a_little_jitter(void **state)
{
    (void)state;
    double rho = 0.5, x[60], y[60];
    surekrig_term term = {1, INFINITY, &rho};
    surekrig_theta theta = {1, &term, 0, 1};
    random_points(60, x);
    x[59] = x[0];
    simulate(&(surekrig_sample){.d = 1, .n = 60, .x = x, .seed = 2}, &theta, y);
    close_to(y[59], y[0], 1e-6);
    theta.tau2 = 0.5;
    simulate(&(surekrig_sample){.d = 1, .n = 60, .x = x, .seed = 2}, &theta, y);
    assert_true(fabs(y[59] - y[0]) > 1e-3); /* two observations, two nuggets */
}

/* ---- seeds and threads */

static void same_seed_same_bits(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    double rho[2] = {0.1, 0.2}, *y = sk_doubles(MANY), *again = sk_doubles(MANY), *x = sk_doubles(1400);
    random_points(1400, x);
    surekrig_term term = {1, 0.9, rho};
    surekrig_theta theta = {1, &term, 1e-6, 1};
    const surekrig_sample samples[] = {
        {.d = 1, .size = {MANY}, .upper = {1}, .seed = 1},
        {.d = 2, .size = {150, 133}, .upper = {1, 1}, .seed = 1},
        {.d = 2, .n = 700, .x = x, .seed = 1},
    };
    const int64_t counts[] = {MANY, 150 * 133, 700}, threads[] = {2, 7, 0};
    for (int s = 0; s < 3; s++) {
        surekrig_sample sample = samples[s];
        sample.threads = 1;
        simulate(&sample, &theta, y);
        for (int t = 0; t < 3; t++) {
            sample.threads = (int)threads[t];
            simulate(&sample, &theta, again);
            assert_memory_equal(y, again, (size_t)counts[s] * sizeof(double));
        }
        sample.seed = 2;
        simulate(&sample, &theta, again);
        int64_t equal = 0;
        for (int64_t i = 0; i < counts[s]; i++)
            equal += y[i] == again[i];
        assert_int_equal(equal, 0);
    }
    free(y);
    free(again);
    free(x);
}

/* The least of samples; gamma2 multiplies a draw by its root. */
static void one_point_is_drawn(void **state)
{
    (void)state;
    const double place[2] = {3, 4}, rho[2] = {1, 1};
    const surekrig_term term = {1, 0.5, rho};
    const surekrig_sample cases[] = {{.d = 2, .n = 1, .x = place, .seed = 5},
                                     {.d = 2, .size = {1, 1}, .lower = {3, 4}, .seed = 5}};
    for (int i = 0; i < 2; i++) {
        double y[3][2];
        for (int j = 0; j < 3; j++) {
            y[j][1] = -7;
            simulate(&cases[i], &(surekrig_theta){1, &term, j == 2 ? 3 : 0, j == 1 ? 9 : 1}, y[j]);
            assert_true(isfinite(y[j][0]) && y[j][0] != 0 && y[j][1] == -7);
        }
        close_to(y[1][0], 3 * y[0][0], 1e-12);
        assert_true(y[2][0] != y[0][0]);
    }
}

/* ---- failures */

static const double unit_rho[2] = {1, 1}, zero_rho[2] = {1, 0}, good_x[4] = {0, 1, 2, 3}, bad_x[4] = {0, 1, NAN, 3};
static const surekrig_term unit_term = {1, 0.5, unit_rho};
static const surekrig_theta unit_theta = {1, &unit_term, 0, 1};
static const surekrig_sample unit_grid = {.d = 2, .size = {2, 2}, .upper = {1, 1}};

/* The call fails, says why, and leaves y alone. */
static void refused(surekrig_sample sample, surekrig_theta theta, surekrig_status status, const char *why)
{
    double y[4] = {-7, -7, -7, -7};
    surekrig_error error = {0};
    assert_int_equal(surekrig_simulate(&sample, &theta, y, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.sentence, why))
        fail_msg("'%s' does not say '%s'", error.sentence, why);
    for (int i = 0; i < 4; i++)
        assert_true(y[i] == -7);
    assert_int_equal(surekrig_simulate(&sample, &theta, y, NULL), status);
}

static void impossible_theta_is_refused(void **state)
{
    (void)state;
    const surekrig_sample points = {.d = 2, .n = 2, .x = good_x};
    const surekrig_term light = {0, 0.5, unit_rho}, rough = {1, 0, unit_rho}, flat = {1, 0.5, zero_rho};
    const surekrig_term none = {1, 0.5, NULL};
    const struct {
        surekrig_theta theta;
        const char *why;
    } cases[] = {
        {{0, &unit_term, 0, 1}, "0 given"},
        {{1, NULL, 0, 1}, "0 given"},
        {{1, &none, 0, 1}, "term 1 has no rho"},
        {{1, &unit_term, -0.5, 1}, "tau2 = -0.5"},
        {{1, &unit_term, NAN, 1}, "tau2 = nan"},
        {{1, &unit_term, INFINITY, 1}, "tau2 = inf"},
        {{1, &unit_term, 0, 0}, "gamma2 = 0"},
        {{1, &unit_term, 0, INFINITY}, "gamma2 = inf"},
        {{1, &light, 0, 1}, "weight"},
        {{1, &rough, 0, 1}, "nu"},
        {{1, &flat, 0, 1}, "rho"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refused(unit_grid, cases[i].theta, SUREKRIG_INVALID, cases[i].why);
        refused(points, cases[i].theta, SUREKRIG_INVALID, cases[i].why);
    }
}

static void impossible_grids_are_refused(void **state)
{
    (void)state;
    const struct {
        surekrig_sample sample;
        const char *why;
    } cases[] = {
        {{.d = 4, .size = {2, 2}, .upper = {1, 1}}, "not 4"},
        {{.d = 3, .size = {2, 2}, .upper = {1, 1}}, "axis 3 has 0 points"},
        {{.d = 0, .size = {2, 2}, .upper = {1, 1}}, "not 0"},
        {{.d = 1, .size = {-2}, .upper = {1, 1}}, "axis 1 has -2 points"},
        {{.d = 2, .size = {2, 0}, .upper = {1, 1}}, "axis 2 has 0 points"},
        {{.d = 2, .size = {2, 2}, .upper = {1, 0}}, "axis 2, 2 points, goes from 0 to 0"},
        {{.d = 1, .size = {2}, .lower = {NAN}, .upper = {1}}, "from nan to 1"},
        {{.d = 1, .size = {2}, .lower = {0}, .upper = {INFINITY}}, "from 0 to inf"},
        {{.d = 1, .size = {2}, .lower = {-1e308}, .upper = {1e308}}, "finitely"},
        {{.d = 1, .size = {1}, .lower = {INFINITY}}, "from inf"},
        {{.d = 2, .size = {100000, 100000}, .upper = {1, 1}}, "grid of 100000 x 100000 points"},
        {{.d = 1, .size = {INT64_MAX}, .upper = {1}}, "exceed 67108864 values (1.07 GB)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refused(cases[i].sample, unit_theta, SUREKRIG_INVALID, cases[i].why);
}

static void impossible_points_are_refused(void **state)
{
    (void)state;
    refused((surekrig_sample){.d = 2, .n = 0, .x = good_x}, unit_theta, SUREKRIG_INVALID, "n = 0");
    refused((surekrig_sample){.d = 0, .n = 2, .x = good_x}, unit_theta, SUREKRIG_INVALID, "d = 0");
    refused((surekrig_sample){.d = 2, .n = 2, .x = good_x, .threads = -1}, unit_theta, SUREKRIG_INVALID,
            "on -1 threads");
    refused((surekrig_sample){.d = 2, .n = 2}, unit_theta, SUREKRIG_INVALID, "x is NULL");
    refused((surekrig_sample){.d = 2, .n = 2, .x = bad_x}, unit_theta, SUREKRIG_DATA, "point 2: coordinate 1 is nan");
    refused((surekrig_sample){.d = 2, .n = 1, .x = bad_x + 2}, unit_theta, SUREKRIG_DATA,
            "point 1: coordinate 1 is nan");
    refused((surekrig_sample){.d = 1, .n = 3, .x = bad_x}, unit_theta, SUREKRIG_DATA, "point 3: coordinate 1 is nan");
    refused((surekrig_sample){.d = 1, .n = 100000, .x = bad_x}, unit_theta, SUREKRIG_INVALID,
            "100000 scattered points");
    refused((surekrig_sample){.d = 1, .n = 100000, .x = bad_x}, unit_theta, SUREKRIG_INVALID, "80 GB");
    double y;
    assert_int_equal(surekrig_simulate(NULL, &unit_theta, &y, NULL), SUREKRIG_INVALID);
    assert_int_equal(surekrig_simulate(&unit_grid, NULL, &y, NULL), SUREKRIG_INVALID);
    assert_int_equal(surekrig_simulate(&unit_grid, &unit_theta, NULL, NULL), SUREKRIG_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fft_agrees_with_fftw),
        cmocka_unit_test(fft_keeps_energy_and_inverts),
        cmocka_unit_test(eigenvalues_imply_the_covariance),
        cmocka_unit_test(draw_is_the_linear_map),
        cmocka_unit_test(embeddings_double_and_then_give_up),
        cmocka_unit_test(the_nugget_named_is_enough),
        cmocka_unit_test(draws_on_a_line),
        cmocka_unit_test(draws_on_a_plane_and_scattered),
        cmocka_unit_test(draws_in_space_and_time),
        cmocka_unit_test(draws_at_scattered_points),
        cmocka_unit_test(dense_draw_is_the_linear_map),
        cmocka_unit_test(coincident_points_take_a_little_jitter),
        cmocka_unit_test(same_seed_same_bits),
        cmocka_unit_test(one_point_is_drawn),
        cmocka_unit_test(impossible_theta_is_refused),
        cmocka_unit_test(impossible_grids_are_refused),
        cmocka_unit_test(impossible_points_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
