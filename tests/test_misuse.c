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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(data_of_a_fit), cmocka_unit_test(questions_to_a_model),
                                       cmocka_unit_test(arrays_of_a_validation), cmocka_unit_test(paths_of_models),
                                       cmocka_unit_test(stages)};
    return cmocka_run_group_tests(tests, begin, end);
}
