/* link: -Wl,--wrap=sk_cholesky */
/* One factorisation by the reference for each neighbourhood, whatever the number of responses and whatever is asked of
 * it. */
#include "support.h"

#include <stdatomic.h>

enum { N = 120, D = 2, L = 3, POINTS = 37, K = 25 };

int64_t __real_sk_cholesky(int64_t n, int64_t width, double *a, double smallest, int threads);
int64_t __wrap_sk_cholesky(int64_t n, int64_t width, double *a, double smallest, int threads);

static atomic_int factorisations, of_size_k; /* all, and those of a whole neighbourhood */

int64_t __wrap_sk_cholesky(int64_t n, int64_t width, double *a, double smallest, int threads)
{
    atomic_fetch_add(&factorisations, 1);
    atomic_fetch_add(&of_size_k, n == K);
    return __real_sk_cholesky(n, width, a, smallest, threads);
}

static void counted(int expected)
{
    assert_int_equal(of_size_k, expected);
    assert_int_equal(factorisations, expected);
    factorisations = of_size_k = 0;
}

typedef struct points {
    double x[N * D], y[N * L], target[POINTS * D];
    int64_t neighbor[POINTS * K];
} points;

static points make_points(void)
{
    points p;
    draws d = {51, 0};
    fill_uniform(&d, N * D, 0, 1, p.x);
    fill_normal(&d, N * L, p.y);
    fill_uniform(&d, POINTS * D, 0, 1, p.target);
    for (uint64_t i = 0; i < POINTS; i++)
        assert_int_equal(sk_sample_rows(i, N, K, p.neighbor + i * K, NULL), SUREKRIG_OK);
    return p;
}

static void kriging_factorises_each_neighbourhood_once(void **state)
{
    (void)state;
    points p = make_points();
    const double rho[D] = {0.3, 0.3};
    surekrig_theta theta = {1, &(surekrig_term){1, 0.8, rho}, 1e-3, 1};
    surekrig_neighborhoods hoods = {POINTS, K, p.neighbor, NULL, p.target};
    double mean[POINTS * L], variance[POINTS];
    const surekrig_kriged wanted[] = {{mean, variance, NULL}, {mean, NULL, NULL}, {NULL, variance, NULL}};
    counted(0);
    for (int64_t l = 1; l <= L; l += 2)
        for (int w = 0; w < 3; w++) {
            surekrig_data data = {.n = N, .d = D, .l = l, .x = p.x, .y = p.y};
            surekrig_kriged out = wanted[w];
            surekrig_error error = {0};
            succeeded(surekrig_krige(&data, &hoods, &theta, "reference", &out, &error), &error);
            counted(POINTS);
        }
}

/* Every hyperparameter given: the fit searches nothing. */
static surekrig_model *model_of(const points *p, int64_t l)
{
    const char *const given[][2] = {
        {"nu", "0.8"}, {"rho", "0.3"}, {"tau2", "0.001"}, {"neighbors", "25"}, {"backend", "reference"}};
    surekrig_data data = {.n = N, .d = D, .l = l, .x = p->x, .y = p->y};
    surekrig_settings *settings = NULL;
    surekrig_model *model = NULL;
    surekrig_error error = {0};
    succeeded(surekrig_settings_new(&settings, &error), &error);
    for (int i = 0; i < 5; i++)
        succeeded(surekrig_settings_set(settings, given[i][0], given[i][1], &error), &error);
    succeeded(surekrig_fit(&data, settings, NULL, &model, &error), &error);
    assert_int_equal(surekrig_model_info(model)->neighbors, K);
    surekrig_settings_free(settings);
    factorisations = of_size_k = 0;
    return model;
}

static void prediction_factorises_each_neighbourhood_once(void **state)
{
    (void)state;
    points p = make_points();
    double mean[POINTS * L], sd[POINTS * L];
    const surekrig_prediction wanted[] = {{.mean = mean, .sd = sd}, {.mean = mean}, {.sd = sd}};
    for (int64_t l = 1; l <= L; l += 2) {
        surekrig_model *model = model_of(&p, l);
        for (int w = 0; w < 3; w++) {
            surekrig_query query = {.n = POINTS, .x = p.target, .latent = w % 2, .threads = w};
            surekrig_prediction out = wanted[w];
            surekrig_error error = {0};
            succeeded(surekrig_predict(model, &query, NULL, &out, &error), &error);
            assert_int_equal(out.jittered, 0);
            counted(POINTS);
        }
        surekrig_model_free(model);
    }
}

/* A point without its features costs nothing. */
static void missing_points_are_not_factorised(void **state)
{
    (void)state;
    points p = make_points();
    double mean[POINTS];
    surekrig_model *model = model_of(&p, 1);
    for (int i = 0; i < 5; i++)
        p.target[7 * D * i + i % D] = NAN;
    surekrig_query query = {.n = POINTS, .x = p.target};
    surekrig_prediction out = {.mean = mean};
    assert_int_equal(surekrig_predict(model, &query, NULL, &out, NULL), SUREKRIG_OK);
    counted(POINTS - 5);
    surekrig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kriging_factorises_each_neighbourhood_once),
        cmocka_unit_test(prediction_factorises_each_neighbourhood_once),
        cmocka_unit_test(missing_points_are_not_factorised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
