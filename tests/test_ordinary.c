/* Ordinary kriging against the bordered system [K 1; 1' 0] solved by LAPACK, and the neighbours' own scale against
 * its definition, on every back end. */
#include "kernel/kernel.h"
#include "krige/krige.h"
#include "support.h"

#include <lapacke.h>

enum { N = 120, D = 2, RESPONSES = 2, POINTS = 37, K = 23 };

static double x[N * D], y[N * RESPONSES], target[POINTS * D];
static int64_t neighbor[POINTS * K], count[POINTS];
static const double RHO[D] = {0.4, 0.3};
static const double TAU2 = 0.01, NU = 0.8;

typedef struct answer {
    double mean[POINTS * RESPONSES], variance[POINTS], scale[POINTS * RESPONSES];
} answer;

static void krige(const char *backend, int unknown_mean, bool ragged, answer *out)
{
    surekrig_data data = {.n = N, .d = D, .l = RESPONSES, .x = x, .y = y};
    surekrig_neighborhoods hoods = {POINTS, K, neighbor, ragged ? count : NULL, target};
    surekrig_term term = {1, NU, RHO};
    surekrig_theta theta = {1, &term, TAU2, 1, unknown_mean};
    surekrig_error error = {0};
    succeeded(surekrig_krige(&data, &hoods, &theta, backend,
                             &(surekrig_kriged){out->mean, out->variance, NULL, out->scale}, &error),
              &error);
}

static double between[N][N], to_target[POINTS][N]; /* covariances */

static double covariance(const double *p, const double *q)
{
    double u = sqrt(2 * NU) * hypot((p[0] - q[0]) / RHO[0], (p[1] - q[1]) / RHO[1]);
    return (double)sk_matern_exact(NU, u).value;
}

static void fill_covariances(void)
{
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++)
            between[i][j] = covariance(x + i * D, x + j * D);
        for (int i = 0; i < POINTS; i++)
            to_target[i][j] = covariance(target + i * D, x + j * D);
    }
}

static int draw_problem(void **state)
{
    (void)state;
    draws d = {77, 0};
    fill_uniform(&d, N * D, 0, 1, x);
    fill_normal(&d, N * RESPONSES, y);
    fill_uniform(&d, POINTS * D, 0, 1, target);
    for (int i = 0; i < POINTS; i++) {
        assert_int_equal(sk_sample_rows(100 + (uint64_t)i, N, K, neighbor + i * K, NULL), SUREKRIG_OK);
        count[i] = i == 5 ? 1 : 1 + draw_below(&d, K);
    }
    fill_covariances();
    return 0;
}

/* K, or with `bordered` [K 1; 1' 0], by rows; returns its side. */
static int fill_system(int i, int64_t k, bool bordered, double *system)
{
    int side = (int)k + bordered;
    const int64_t *row = neighbor + i * K;
    for (int a = 0; a < side; a++)
        for (int b = 0; b < side; b++)
            system[a * side + b] = a == k && b == k   ? 0
                                   : a == k || b == k ? 1
                                                      : between[row[a]][row[b]] + (a == b) * TAU2;
    return side;
}

static void solve(int side, double *system, double *sides)
{
    lapack_int pivot[K + 1];
    assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, side, 1, system, side, pivot, sides, 1), 0);
}

/* Weights w and the Lagrange multiplier m of the bordered system: mean = w.y, variance = 1 - w.c - m. */
static void check_prediction(const answer *a, int i, int64_t k)
{
    double system[(K + 1) * (K + 1)], c[K + 1], w[K + 1];
    const int64_t *row = neighbor + i * K;
    int side = fill_system(i, k, true, system);
    for (int64_t j = 0; j < k; j++)
        c[j] = w[j] = to_target[i][row[j]];
    w[k] = 1;
    solve(side, system, w);
    double variance = 1 - w[k];
    for (int64_t j = 0; j < k; j++)
        variance -= w[j] * c[j];
    close_within(a->variance[i], variance, 1e-10, 1e-12);
    for (int q = 0; q < RESPONSES; q++) {
        double mean = 0;
        for (int64_t j = 0; j < k; j++)
            mean += w[j] * y[row[j] * RESPONSES + q];
        close_within(a->mean[i * RESPONSES + q], mean, 1e-10, 1e-11);
    }
}

/* (y - mu)' K^-1 (y - mu) over the freedom left, mu the generalised least-squares mean or 0. */
static void check_scale(const answer *a, int i, int64_t k, bool unknown)
{
    double system[K * K], ones[K], solved[K];
    const int64_t *row = neighbor + i * K;
    for (int q = 0; q < RESPONSES; q++) {
        double top = 0, bottom = 0, mu = 0, sum = 0;
        for (int64_t j = 0; j < k; j++)
            ones[j] = 1;
        solve(fill_system(i, k, false, system), system, ones);
        for (int64_t j = 0; j < k; j++) {
            top += ones[j] * y[row[j] * RESPONSES + q];
            bottom += ones[j];
        }
        mu = unknown ? top / bottom : 0;
        for (int64_t j = 0; j < k; j++)
            solved[j] = y[row[j] * RESPONSES + q] - mu;
        solve(fill_system(i, k, false, system), system, solved);
        for (int64_t j = 0; j < k; j++)
            sum += solved[j] * (y[row[j] * RESPONSES + q] - mu);
        close_within(a->scale[i * RESPONSES + q], k > unknown ? sum / (double)(k - unknown) : 0, 1e-9, 1e-12);
    }
}

static const char *const BACKENDS[] = {"reference", "portable", "avx2", "avx512", "auto"};

static void the_bordered_system_agrees(void **state)
{
    (void)state;
    for (int b = 0; b < 5; b++)
        for (int ragged = 0; ragged < 2 && sk_backend_find(BACKENDS[b]); ragged++) {
            answer a;
            krige(BACKENDS[b], 1, ragged, &a);
            for (int i = 0; i < POINTS; i++) {
                check_prediction(&a, i, ragged ? count[i] : K);
                check_scale(&a, i, ragged ? count[i] : K, true);
            }
        }
}

static void the_scale_with_a_known_mean(void **state)
{
    (void)state;
    for (int b = 0; b < 5; b++) {
        answer a;
        if (!sk_backend_find(BACKENDS[b]))
            continue;
        krige(BACKENDS[b], 0, true, &a);
        for (int i = 0; i < POINTS; i++)
            check_scale(&a, i, count[i], false);
    }
}

/* Unlike simple kriging, a shift of the responses shifts the means and nothing else. */
static void a_shift_is_followed(void **state)
{
    (void)state;
    for (int b = 0; b < 5; b++) {
        answer before, after;
        if (!sk_backend_find(BACKENDS[b]))
            continue;
        krige(BACKENDS[b], 1, true, &before);
        for (int i = 0; i < N * RESPONSES; i++)
            y[i] += 1000;
        krige(BACKENDS[b], 1, true, &after);
        for (int i = 0; i < N * RESPONSES; i++)
            y[i] -= 1000;
        for (int i = 0; i < POINTS * RESPONSES; i++) {
            close_within(after.mean[i], before.mean[i] + 1000, 0, 1e-9);
            close_within(after.scale[i], before.scale[i], 1e-7, 1e-7);
        }
        assert_memory_equal(after.variance, before.variance, sizeof before.variance);
    }
}

/* Every row: found under its name where it is usable, else refused as known; the setting takes it either way; close
 * takes what was never opened. `auto` is the first usable. */
static void back_ends_say_whether_they_are_usable(void **state)
{
    (void)state;
#define ROW(back_end) &sk_backend_##back_end,
    static const sk_backend *const ROWS[] = {SK_EACH_BACKEND(ROW, ROW, ROW)};
    const sk_backend *first = NULL, *found = NULL;
    surekrig_error error = {0};
    surekrig_settings *settings = NULL;
    succeeded(surekrig_settings_new(&settings, &error), &error);
    for (size_t i = 0; i < sizeof ROWS / sizeof *ROWS; i++) {
        const sk_backend *row = ROWS[i];
        succeeded(surekrig_settings_set(settings, "backend", row->name, &error), &error);
        if (row->usable()) {
            succeeded(sk_backend_choose(row->name, &found, &error), &error);
            assert_ptr_equal(found, row);
            row->close(NULL);
        } else {
            refused(sk_backend_choose(row->name, &found, &error), &error, SUREKRIG_INVALID,
                    "this machine cannot run it");
            assert_null(found);
        }
        first = first ? first : row->usable() ? row : NULL;
    }
    assert_non_null(first);
    assert_ptr_equal(sk_backend_find("auto"), first);
    assert_true(!getenv("BACKEND") || !strcmp(first->name, getenv("BACKEND")));
    refused(sk_backend_choose("abacus", &found, &error), &error, SUREKRIG_INVALID, "there is no back end 'abacus'");
    surekrig_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bordered_system_agrees),
        cmocka_unit_test(the_scale_with_a_known_mean),
        cmocka_unit_test(a_shift_is_followed),
        cmocka_unit_test(back_ends_say_whether_they_are_usable),
    };
    return cmocka_run_group_tests(tests, draw_problem, NULL);
}
