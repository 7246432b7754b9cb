/* Many features: training goes on with more neighbours, as an exact process sees them. */
#include "fit_support.h"
#include "train/train.h"

#include <time.h>

enum { D = 5, TRAIN = 300, TEST = 400 };

/* Two inputs together, a kink, a product: with one scale each, from short to long. */
static double made(const double *x)
{
    return sin(6 * x[0]) * exp(x[1]) + 3 * fmax(0, x[2] - 0.5) + x[3] * x[4];
}

static points make_function(uint64_t seed)
{
    points p = {.data = {.n = TRAIN, .d = D, .l = 1}, .x = make_places(TRAIN + TEST, D, 1, seed)};
    p.y = sk_doubles(TRAIN + TEST);
    for (int64_t i = 0; i < TRAIN + TEST; i++)
        p.y[i] = made(p.x + D * i);
    p.data.x = p.x;
    p.data.y = p.y;
    return p;
}

/* Matérn of smoothness 5/2, with length scales where the exact likelihood of such data is near its maximum. */
static double correlation(const double *p, const double *q)
{
    static const double RHO[D] = {3.2, 14, 4.2, 50, 40};
    double square = 0;
    for (int a = 0; a < D; a++)
        square += pow((p[a] - q[a]) / RHO[a], 2);
    double u = sqrt(5 * square);
    return (1 + u + u * u / 3) * exp(-u); /* (M1) at nu = 5/2 */
}

/* The sum of squared errors of the dense process: mean + c' K^-1 (y - mean). */
static double exact_squares(const points *p)
{
    double *k = sk_doubles(TRAIN * TRAIN), *w = sk_doubles(TRAIN), mean = 0, sum = 0;
    for (int i = 0; i < TRAIN; i++)
        mean += p->y[i] / TRAIN;
    for (int i = 0; i < TRAIN; i++) {
        w[i] = p->y[i] - mean;
        for (int j = 0; j < TRAIN; j++)
            k[i * TRAIN + j] = correlation(p->x + D * i, p->x + D * j) + (i == j ? 1e-10 : 0);
    }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', TRAIN, 1, k, TRAIN, w, 1), 0);
    for (int i = TRAIN; i < TRAIN + TEST; i++) {
        double kriged = mean;
        for (int j = 0; j < TRAIN; j++)
            kriged += correlation(p->x + D * i, p->x + D * j) * w[j];
        sum += pow(p->y[i] - kriged, 2);
    }
    free(k);
    free(w);
    return sum;
}

static double squares(const surekrig_model *m, const points *p)
{
    predicted new = predict(m, TEST, p->x + D * TRAIN, 0, 1);
    double sum = 0;
    for (int i = 0; i < TEST; i++)
        sum += pow(p->y[TRAIN + i] - new.mean[i], 2);
    free_predicted(&new);
    return sum;
}

/* The last trial is the kept one; what the file keeps is what predicts. */
static void is_trained_wide(const surekrig_model *m)
{
    const surekrig_info *info = surekrig_model_info(m);
    assert_int_equal(info->neighbors, TRAIN - 1);
    assert_string_equal(surekrig_settings_get(m->settings, "neighbors"), "299");
    assert_string_equal(surekrig_settings_get(m->settings, "batch"), "1024");
    assert_int_equal(info->batch, TRAIN);
    assert_int_equal(info->scores.n, TRAIN);
    assert_int_equal(info->trials, 2);
    assert_string_equal(info->trial[0].what, "neighbors = 50");
    assert_string_equal(info->trial[1].what, "trained with 299");
    assert_true(!info->trial[0].kept && info->trial[1].kept && info->trial[1].crps < info->trial[0].crps);
}

static void smooth_functions_are_found_as_an_exact_process_finds_them(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = make_function(1);
    surekrig_model *m = fit(&p.data, "preset=default");
    is_trained_wide(m);
    double ours = sqrt(squares(m, &p) / TEST), exact = sqrt(exact_squares(&p) / TEST);
    printf("RMSE %g, of the exact process %g\n", ours, exact);
    assert_true(ours < 1.15 * exact);
    surekrig_model_free(m);
    free_points(&p);
}

/* What the user has set stands: a batch, a loss of points alone, a time, a number of neighbours. */
static void what_is_set_is_not_trained_again(void **state)
{
    (void)state;
    static const char *const SET[] = {"batch=60", "loss=lool", "seconds=60", "neighbors=50", "nu=1.5 rho=1 tau2=0.01"};
    points p = make_function(3);
    p.data.n = 100;
    for (size_t i = 0; i < sizeof SET / sizeof *SET; i++) {
        char words[80];
        snprintf(words, sizeof words, "preset=default %s", SET[i]);
        surekrig_model *m = fit(&p.data, words);
        for (int t = 0; t < surekrig_model_info(m)->trials; t++)
            assert_null(strstr(surekrig_model_info(m)->trial[t].what, "trained"));
        surekrig_model_free(m);
    }
    free_points(&p);
}

/* Once the second training has begun. */
static int stop_late(void *user, const surekrig_progress_report *report)
{
    (void)user;
    if (report->done >= 0.6)
        nanosleep(&(struct timespec){0, 110000000}, NULL); /* reports come ten times a second: the next tick is one */
    return report->done > 0.6;
}

/* A wish to stop the second training leaves the first. */
static void a_stop_leaves_the_first(void **state)
{
    (void)state;
    points p = make_function(4);
    surekrig_settings *settings = settings_of("preset=default");
    surekrig_model *m = NULL;
    surekrig_error error;
    p.data.n = 100;
    succeed(surekrig_fit(&p.data, settings, &(surekrig_progress){stop_late, NULL}, &m, &error), &error);
    assert_int_equal(surekrig_model_info(m)->outcome, SUREKRIG_STOPPED_EARLY);
    assert_int_equal(surekrig_model_info(m)->neighbors, 50);
    surekrig_model_free(m);
    surekrig_settings_free(settings);
    free_points(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_functions_are_found_as_an_exact_process_finds_them),
        cmocka_unit_test(what_is_set_is_not_trained_again),
        cmocka_unit_test(a_stop_leaves_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
