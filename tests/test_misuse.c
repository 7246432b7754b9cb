/* Counts that cannot be, and arrays that are not there: each call refuses them with a sentence, and computes nothing. */
#include "fit_support.h"

enum { N = 50, D = 2 };
static points p;
static surekrig_model *model;

static int begin(void **state)
{
    (void)state;
    p = make_field(N, D, 1, 0.8, 0.3, 0.02, 45);
    model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=5");
    return 0;
}

static int end(void **state)
{
    (void)state;
    surekrig_model_free(model);
    free_points(&p);
    return 0;
}

static void says(surekrig_status status, const surekrig_error *error, const char *sentence)
{
    assert_int_equal(status, SUREKRIG_INVALID);
    mentions(error, sentence);
}

static void data_of_a_fit(void **state)
{
    (void)state;
    static const int64_t SIZE[][3] = {{INT64_MAX, D, 1},
                                      {INT64_MAX / 2, D, 1},
                                      {(int64_t)1 << 40, (int64_t)1 << 40, 1},
                                      {N, D, INT64_MAX}};
    surekrig_error error = {0};
    surekrig_model *made = (surekrig_model *)0x1234;
    for (int i = 0; i < 4; i++) {
        surekrig_data data = {.n = SIZE[i][0], .d = SIZE[i][1], .l = SIZE[i][2], .x = p.x, .y = p.y};
        says(surekrig_fit(&data, NULL, NULL, &made, &error), &error, "no memory holds so many");
    }
    for (int i = 0; i < 2; i++) {
        surekrig_data data = p.data;
        *(i ? &data.x : &data.y) = NULL;
        says(surekrig_fit(&data, NULL, NULL, &made, &error), &error, i ? "x is NULL, not" : "y is NULL, not");
        says(surekrig_refit(&data, model, &made, &error), &error, i ? "x is NULL, not" : "y is NULL, not");
    }
    assert_ptr_equal(made, (void *)0x1234);
}

static void questions_to_a_model(void **state)
{
    (void)state;
    surekrig_error error = {0};
    double mean[N], sd[N], low[N];
    int within[N];
    surekrig_prediction out = {.mean = mean, .sd = sd, .lower = low};
    says(surekrig_predict(model, &(surekrig_query){.n = N}, NULL, &out, &error), &error, "x is NULL, not");
    says(surekrig_predict(model, &(surekrig_query){.n = INT64_MAX, .x = p.x}, NULL, &out, &error), &error,
         "x of 9223372036854775807 x 2");
    says(surekrig_predict(model, &(surekrig_query){.n = N, .x = p.x, .levels = 1}, NULL, &out, &error), &error,
         "level is NULL, not an array of 1");
    surekrig_query query = {.n = N, .x = p.x};
    says(surekrig_within(model, &query, -1, within, &error), &error, "a fence of -1 rows: the model has 50");
    says(surekrig_within(model, &query, N + 1, within, &error), &error, "a fence of 51 rows");
    says(surekrig_within(model, &query, 0, NULL, &error), &error, "within is NULL");
    assert_int_equal(surekrig_within(model, &query, N, within, &error), SUREKRIG_OK);
    surekrig_draws draws = {.n = N, .x = p.x, .draws = INT64_MAX};
    says(surekrig_simulate_given(model, &draws, NULL, mean, &error), &error, "y of 50 x 1 x 9223372036854775807");
    draws.draws = 1;
    says(surekrig_simulate_given(model, &draws, NULL, NULL, &error), &error, "y is NULL");
    draws.x = NULL;
    says(surekrig_simulate_given(model, &draws, NULL, mean, &error), &error, "x is NULL");
}

static void arrays_of_a_validation(void **state)
{
    (void)state;
    surekrig_error error = {0};
    int64_t row[N];
    double mean[N], sd[N], distance[N];
    const surekrig_validated all = {.row = row, .mean = mean, .sd = sd, .distance = distance};
    surekrig_validated lacks[4] = {all, all, all, all};
    static const char *const NAME[] = {"row", "mean", "sd", "distance"};
    lacks[0].row = NULL;
    lacks[1].mean = NULL;
    lacks[2].sd = NULL;
    lacks[3].distance = NULL;
    for (int i = 0; i < 4; i++) {
        says(surekrig_validate(model, &(surekrig_validation){.rows = 7}, NULL, &lacks[i], &error), &error,
             "is NULL, not an array of 7 numbers");
        mentions(&error, NAME[i]);
    }
}

static void paths_of_models(void **state)
{
    (void)state;
    surekrig_error error = {0};
    surekrig_model *made = (surekrig_model *)0x1234;
    says(surekrig_model_load(NULL, &made, &error), &error, "path is NULL");
    says(surekrig_model_save(model, NULL, &error), &error, "path is NULL");
    says(surekrig_model_save_parts(model, NULL, &error), &error, "path is NULL");
    assert_ptr_equal(made, (void *)0x1234);
}

static void stages(void **state)
{
    (void)state;
    surekrig_error error = {0};
    surekrig_index *index = (surekrig_index *)0x1234;
    double value[2];
    says(surekrig_matern(0.5, -1, p.x, value, NULL, &error), &error, "-1 distances");
    says(surekrig_matern(0.5, 2, NULL, value, NULL, &error), &error, "u is NULL");
    says(surekrig_index_new(INT64_MAX, 2, p.x, &index, &error), &error, "no memory");
    says(surekrig_index_new(N, 2, NULL, &index, &error), &error, "x is NULL");
    assert_ptr_equal(index, (void *)0x1234);
    assert_int_equal(surekrig_index_new(N, D, p.x, &index, &error), SUREKRIG_OK);
    int64_t neighbor[3], row[] = {0, -1, N - 1};
    surekrig_neighbor_query query = {.n = 3, .x = p.x, .k = 1, .row = row};
    assert_int_equal(surekrig_neighbors(index, &query, neighbor, NULL, &error), SUREKRIG_OK);
    says(surekrig_neighbors(index, &query, NULL, NULL, &error), &error, "neighbor is NULL");
    row[1] = N;
    says(surekrig_neighbors(index, &query, neighbor, NULL, &error), &error, "point 2: row 50");
    row[1] = -2;
    says(surekrig_neighbors(index, &query, neighbor, NULL, &error), &error, "point 2: row -2");
    query.row = NULL;
    query.sectors = -7;
    says(surekrig_neighbors(index, &query, neighbor, NULL, &error), &error, "sectors = -7");
    query.sectors = 0;
    query.x = NULL;
    says(surekrig_neighbors(index, &query, neighbor, NULL, &error), &error, "x is NULL");
    surekrig_index_free(index);
}

static int never(void *user, const double *theta, double *loss, double *residual)
{
    (void)user, (void)theta, (void)loss, (void)residual;
    return 1;
}

/* Each call without each of the things that it cannot do without. */
static void calls_without_what_they_need(void **state)
{
    (void)state;
    surekrig_error e = {0};
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_settings *settings = (surekrig_settings *)0x1234;
    surekrig_index *index = NULL;
    surekrig_query query = {.n = 1, .x = p.x};
    surekrig_prediction out = {0};
    surekrig_validated validated = {0};
    surekrig_by_distance classes;
    surekrig_draws draws = {.n = 1, .x = p.x, .draws = 1};
    surekrig_scores scores;
    surekrig_scored scored = {.n = 1, .y = p.y, .mean = p.y, .sd = p.x};
    double value[2], rho[] = {1, 1};
    int within;
    says(surekrig_fit(NULL, NULL, NULL, &made, &e), &e, "data is NULL");
    says(surekrig_fit(&p.data, NULL, NULL, NULL, &e), &e, "model is NULL");
    says(surekrig_refit(NULL, model, &made, &e), &e, "data is NULL");
    says(surekrig_refit(&p.data, NULL, &made, &e), &e, "from is NULL");
    says(surekrig_refit(&p.data, model, NULL, &e), &e, "model is NULL");
    says(surekrig_calibrate(NULL, 1, p.x, &e), &e, "model is NULL");
    says(surekrig_predict(NULL, &query, NULL, &out, &e), &e, "model is NULL");
    says(surekrig_predict(model, NULL, NULL, &out, &e), &e, "query is NULL");
    says(surekrig_predict(model, &query, NULL, NULL, &e), &e, "prediction is NULL");
    says(surekrig_within(NULL, &query, 1, &within, &e), &e, "model is NULL");
    says(surekrig_within(model, NULL, 1, &within, &e), &e, "query is NULL");
    says(surekrig_validate(NULL, &(surekrig_validation){0}, NULL, &validated, &e), &e, "model is NULL");
    says(surekrig_validate(model, NULL, NULL, &validated, &e), &e, "validation is NULL");
    says(surekrig_validate(model, &(surekrig_validation){0}, NULL, NULL, &e), &e, "validated is NULL");
    says(surekrig_score_distances(NULL, &validated, 0, 0.9, &classes, &e), &e, "model is NULL");
    says(surekrig_score_distances(model, NULL, 0, 0.9, &classes, &e), &e, "validated is NULL");
    says(surekrig_score_distances(model, &validated, 0, 0.9, NULL, &e), &e, "by_distance is NULL");
    says(surekrig_simulate_given(NULL, &draws, NULL, value, &e), &e, "model is NULL");
    says(surekrig_simulate_given(model, NULL, NULL, value, &e), &e, "draws is NULL");
    says(surekrig_score(NULL, 0.9, &scores, &e), &e, "scored is NULL");
    says(surekrig_score(&scored, 0.9, NULL, &e), &e, "scores is NULL");
    says(surekrig_calibration(NULL, 1, rho, value, &e), &e, "scored is NULL");
    says(surekrig_calibration(&scored, 1, rho, NULL, &e), &e, "coverage is NULL");
    says(surekrig_model_load("none", NULL, &e), &e, "model is NULL");
    says(surekrig_model_save(NULL, "none", &e), &e, "model is NULL");
    says(surekrig_model_save_parts(NULL, "none", &e), &e, "model is NULL");
    says(surekrig_settings_new(NULL, &e), &e, "settings is NULL");
    says(surekrig_settings_set(NULL, "seed", "1", &e), &e, "settings is NULL");
    assert_int_equal(surekrig_settings_new(&settings, &e), SUREKRIG_OK);
    says(surekrig_settings_set(settings, NULL, "1", &e), &e, "name is NULL");
    says(surekrig_settings_set(settings, "seed", NULL, &e), &e, "value is NULL");
    surekrig_settings_free(settings);
    says(surekrig_index_new(N, D, p.x, NULL, &e), &e, "index is NULL");
    assert_int_equal(surekrig_index_new(N, D, p.x, &index, &e), SUREKRIG_OK);
    int64_t neighbor[] = {0};
    surekrig_neighbor_query asked = {.n = 1, .x = p.x, .k = 1};
    says(surekrig_neighbors(NULL, &asked, neighbor, NULL, &e), &e, "index is NULL");
    says(surekrig_neighbors(index, NULL, neighbor, NULL, &e), &e, "query is NULL");
    surekrig_index_free(index);

    surekrig_term term = {1, 0.5, rho, NULL};
    surekrig_theta theta = {.terms = 1, .term = &term, .gamma2 = 1}, no_term = {.terms = 1, .gamma2 = 1};
    surekrig_neighborhoods one = {.n = 1, .k = 1, .neighbor = neighbor, .x = p.x}, lacks = one;
    surekrig_kriged kriged = {.mean = value};
    surekrig_data data = p.data;
    says(surekrig_krige(NULL, &one, &theta, "auto", &kriged, &e), &e, "data is NULL");
    says(surekrig_krige(&data, NULL, &theta, "auto", &kriged, &e), &e, "neighborhoods is NULL");
    says(surekrig_krige(&data, &one, NULL, "auto", &kriged, &e), &e, "theta is NULL");
    says(surekrig_krige(&data, &one, &theta, NULL, &kriged, &e), &e, "backend is NULL");
    says(surekrig_krige(&data, &one, &theta, "auto", NULL, &e), &e, "kriged is NULL");
    says(surekrig_krige(&data, &one, &no_term, "auto", &kriged, &e), &e, "at least one");
    lacks.neighbor = NULL;
    says(surekrig_krige(&data, &lacks, &theta, "auto", &kriged, &e), &e, "neighbor is NULL");
    lacks = one;
    lacks.x = NULL;
    says(surekrig_krige(&data, &lacks, &theta, "auto", &kriged, &e), &e, "the neighborhoods' x is NULL");
    data.y = NULL;
    says(surekrig_krige(&data, &one, &theta, "auto", &kriged, &e), &e, "y is NULL");
    data.x = NULL;
    says(surekrig_krige(&data, &one, &theta, "auto", &kriged, &e), &e, "the data's x is NULL");
    term.rho = NULL;
    says(surekrig_krige(&p.data, &one, &theta, "auto", &kriged, &e), &e, "term 1 has no rho");
    surekrig_sample sample = {.d = D, .n = N, .x = p.x};
    says(surekrig_simulate(NULL, &theta, value, &e), &e, "one of them is NULL");
    says(surekrig_simulate(&sample, &theta, p.y, &e), &e, "term 1 has no rho");
    surekrig_residuals residuals = {1, value, value};
    says(surekrig_loss(NULL, &residuals, 1, value, &e), &e, "name is NULL");
    says(surekrig_loss("mse", NULL, 1, value, &e), &e, "residuals is NULL");
    says(surekrig_loss("mse", &residuals, 1, NULL, &e), &e, "loss is NULL");
    residuals.variance = NULL;
    says(surekrig_loss("lool", &residuals, 1, value, &e), &e, "variance is NULL");
    residuals.residual = NULL;
    says(surekrig_loss("mse", &residuals, 1, value, &e), &e, "residual is NULL");
    surekrig_axis axis = {0, 1, 0.5, 0};
    surekrig_problem problem = {.axes = 1, .axis = &axis, .evaluate = never}, no_axis = problem, no_function = problem;
    surekrig_minimum minimum = {0};
    no_axis.axis = NULL;
    no_function.evaluate = NULL;
    says(surekrig_minimize(NULL, NULL, &minimum, &e), &e, "problem is NULL");
    says(surekrig_minimize(&problem, NULL, NULL, &e), &e, "minimum is NULL");
    says(surekrig_minimize(&no_axis, NULL, &minimum, &e), &e, "axis is NULL");
    says(surekrig_minimize(&no_function, NULL, &minimum, &e), &e, "evaluate is NULL");
    says(surekrig_minimize(&problem, NULL, &minimum, &e), &e, "theta is NULL");

    assert_null(surekrig_model_info(NULL));
    assert_null(surekrig_model_data(NULL));
    assert_null(surekrig_settings_get(NULL, "seed"));
    assert_int_equal(surekrig_settings_given(NULL, "seed"), 0);
    assert_int_equal(surekrig_settings_time(NULL, 3, (const char *[]){"lon", "lat", "day"}), 2);
    assert_int_equal(surekrig_settings_time(NULL, 3, NULL), -1);
    assert_true(isnan(surekrig_model_quantile(NULL, 0, 0.9)));
    surekrig_model_free(NULL);
    surekrig_settings_free(NULL);
    surekrig_index_free(NULL);
    assert_ptr_equal(made, (void *)0x1234);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(data_of_a_fit),
                                       cmocka_unit_test(questions_to_a_model),
                                       cmocka_unit_test(arrays_of_a_validation),
                                       cmocka_unit_test(paths_of_models),
                                       cmocka_unit_test(stages),
                                       cmocka_unit_test(calls_without_what_they_need)};
    return cmocka_run_group_tests(tests, begin, end);
}
