/* Many features, or smooth functions of few: training goes on with more neighbours, as an exact process sees them. */
#include "fit_support.h"
#include "train/train.h"

#include <time.h>

enum { D = 5, TRAIN = 300, TEST = 400 };

/* Two inputs together, a kink, a product: with one scale each, from short to long. */
static double made(const double *x)
{
    return sin(6 * x[0]) * exp(x[1]) + 3 * fmax(0, x[2] - 0.5) + x[3] * x[4];
}

static points make_function(double (*function)(const double *x), int64_t d, uint64_t seed)
{
    points p = {.data = {.n = TRAIN, .d = d, .l = 1}, .x = make_places(TRAIN + TEST, d, 1, seed)};
    p.y = sk_doubles(TRAIN + TEST);
    for (int64_t i = 0; i < TRAIN + TEST; i++)
        p.y[i] = function(p.x + d * i);
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
    predicted new = predict(m, TEST, p->x + p->data.d * TRAIN, 0, 1);
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
    points p = make_function(made, D, 1);
    surekrig_model *m = fit(&p.data, "preset=default");
    is_trained_wide(m);
    double ours = sqrt(squares(m, &p) / TEST), exact = sqrt(exact_squares(&p) / TEST);
    printf("RMSE %g, of the exact process %g\n", ours, exact);
    assert_true(ours < 1.15 * exact);
    surekrig_model_free(m);
    free_points(&p);
}

/* The flow through a borehole, of eight inputs; two of them matter so little that 50 neighbours do not see it. */
static double borehole(const double *x)
{
    double width = 0.05 + 0.1 * x[0], reach = log((100 + 49900 * x[1]) / width), upper = 63070 + 52530 * x[2],
           heads = 290 + 120 * x[3] - 120 * x[5], lower = 63.1 + 52.9 * x[4], depth = 1120 + 560 * x[6],
           flow = 9855 + 2190 * x[7];
    return 2 * M_PI * upper * heads / (reach * (1 + upper / lower) + 2 * depth * upper / (width * width * flow));
}

/* The weight of a wing, of ten inputs, to which 50 neighbours add some noise. */
static double wing(const double *x)
{
    double area = 150 + 50 * x[0], fuel = 220 + 80 * x[1], sweep = cos((20 * x[3] - 10) * M_PI / 180),
           aspect = (6 + 4 * x[2]) / sweep / sweep, pressure = 16 + 29 * x[4], taper = 0.5 + 0.5 * x[5],
           thick = (8 + 10 * x[6]) / sweep, load = (2.5 + 3.5 * x[7]) * (1700 + 800 * x[8]);
    return 0.036 * pow(area, 0.758) * pow(fuel, 0.0035) * pow(aspect, 0.6) * pow(pressure, 0.006) * pow(taper, 0.04) *
               pow(thick, -0.3) * pow(load, 0.49) +
           area * (0.025 + 0.055 * x[9]);
}

static double spread(const points *p)
{
    double mean = 0, sum = 0;
    for (int i = TRAIN; i < TRAIN + TEST; i++)
        mean += p->y[i] / TEST;
    for (int i = TRAIN; i < TRAIN + TEST; i++)
        sum += pow(p->y[i] - mean, 2) / TEST;
    return sqrt(sum);
}

/* All rows are asked again what 50 neighbours have settled: features left out, and noise. */
static void what_few_neighbours_do_not_see_is_found(void **state)
{
    (void)state;
    static const struct {
        double (*function)(const double *x);
        int64_t d, n;
        double most; /* of the RMSE, in the response's spread */
    } CASE[] = {{borehole, 8, 300, 0.0018}, {wing, 10, 200, 0.01}};
    if (SANITIZED)
        skip();
    for (size_t i = 0; i < sizeof CASE / sizeof *CASE; i++) {
        points p = make_function(CASE[i].function, CASE[i].d, 2);
        p.data.n = CASE[i].n;
        surekrig_model *m = fit(&p.data, "preset=default");
        double rmse = sqrt(squares(m, &p) / TEST) / spread(&p);
        printf("%lld features: RMSE %g of the spread\n", (long long)CASE[i].d, rmse);
        assert_true(rmse < CASE[i].most);
        surekrig_model_free(m);
        free_points(&p);
    }
}

/* What the user has set stands: a batch, a loss of points alone, a time, a number of neighbours. */
static void what_is_set_is_not_trained_again(void **state)
{
    (void)state;
    static const char *const SET[] = {"batch=60", "loss=lool", "seconds=60", "neighbors=50", "nu=1.5 rho=1 tau2=0.01"};
    points p = make_function(made, D, 3);
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
    points p = make_function(made, D, 4);
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

/* Two inputs, smoother than the search goes that few features begin with, without noise. */
static double branin(const double *x)
{
    double a = 15 * x[0] - 5, b = 15 * x[1], pi = acos(-1), c = b - 5.1 / (4 * pi * pi) * a * a + 5 / pi * a - 6;
    return c * c + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10;
}

/* Few features train again where they end as a smooth function would, in a single training and under auto; a rough field
 * does not. */
static void smooth_functions_of_few_features_are_found(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = make_function(branin, 2, 11);
    surekrig_model *plain = fit(&p.data, "preset=default neighbors=64"), *again = fit(&p.data, "preset=default"),
                   *chosen = fit(&p.data, "preset=default auto=yes");
    double before = squares(plain, &p);
    assert_true(squares(again, &p) < before / 25 && squares(chosen, &p) < before / 25); /* a fifth of the RMSE */
    assert_true(value_of(again, "nu") > 2.5 && value_of(again, "tau2") < 1e-7);
    assert_int_equal(surekrig_model_info(again)->neighbors, TRAIN - 1);
    assert_int_equal(surekrig_model_info(again)->trials, 2);
    assert_true(!surekrig_model_info(again)->trial[0].kept && surekrig_model_info(again)->trial[1].kept);
    assert_int_equal(surekrig_model_info(chosen)->neighbors, TRAIN - 1);
    surekrig_model_free(plain);
    surekrig_model_free(again);
    surekrig_model_free(chosen);
    surekrig_model *held = fit(&p.data, "preset=default nu=1.5"), *rough;
    assert_int_equal(surekrig_model_info(held)->trials, 0);
    surekrig_model_free(held);
    free_points(&p);
    p = make_field(TRAIN, 2, 1, 0.5, 0.3, 0.001, 3);
    rough = fit(&p.data, "preset=default");
    assert_int_equal(surekrig_model_info(rough)->trials, 0);
    surekrig_model_free(rough);
    free_points(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_functions_are_found_as_an_exact_process_finds_them),
        cmocka_unit_test(what_few_neighbours_do_not_see_is_found),
        cmocka_unit_test(smooth_functions_of_few_features_are_found),
        cmocka_unit_test(what_is_set_is_not_trained_again),
        cmocka_unit_test(a_stop_leaves_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
