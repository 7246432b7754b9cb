/* Which data are refused and with what sentence; frames; moments and means of the responses against long double. */
#include "data/data.h"
#include "mean/mean.h"
#include "spread/spread.h"
#include "support.h"

enum { N = 5, D = 3, L = 2 };

/* Good data, which each test spoils in one place. */
typedef struct table {
    double x[N * D], y[N * L], noise[N];
    surekrig_data data;
} table;

static table *good_data(void)
{
    static table t;
    draws d = {31, 0};
    fill_uniform(&d, N * D, -1, 1, t.x);
    fill_uniform(&d, N * L, -1, 1, t.y);
    fill_uniform(&d, N, 0, 1, t.noise);
    t.data = (surekrig_data){.n = N, .d = D, .l = L, .x = t.x, .y = t.y};
    return &t;
}

static void data_refused(const table *t, surekrig_status status, const char *why)
{
    surekrig_error error = {0};
    refused(sk_data_check(&t->data, "none", &error), &error, status, why);
    assert_int_equal(sk_data_check(&t->data, "none", NULL), status);
}

static void data_accepted(const table *t)
{
    surekrig_error error = {0};
    succeeded(sk_data_check(&t->data, "none", &error), &error);
}

/* ------------------------------------------------------------------------------------------------------ refusals */

static void good_data_are_accepted(void **state)
{
    (void)state;
    table *t = good_data();
    data_accepted(t);
    t->data.n = 2;
    data_accepted(t);
    t->data.l = 1;
    t->data.noise = t->noise;
    data_accepted(t);
    memset(t->noise, 0, sizeof t->noise);
    data_accepted(t);
}

static void shapes_are_refused(void **state)
{
    (void)state;
    table *t = good_data();
    t->data.n = 0;
    data_refused(t, SUREKRIG_DATA, "0 complete rows: kriging needs at least 2");
    t->data.n = 1;
    data_refused(t, SUREKRIG_DATA, "1 complete row: kriging needs at least 2");
    t->data.n = -3;
    data_refused(t, SUREKRIG_INVALID, "-3 rows");
    t = good_data();
    t->data.d = 0;
    data_refused(t, SUREKRIG_INVALID, "0 features");
    t = good_data();
    t->data.l = 0;
    data_refused(t, SUREKRIG_INVALID, "0 responses");
}

static void constant_columns_are_refused_by_name(void **state)
{
    (void)state;
    const char *x_names[D] = {"lon", "lat", "height"}, *y_names[L] = {"temp", NULL};
    for (int a = 0; a < D; a++) {
        char number[60];
        table *t = good_data();
        for (int i = 0; i < N; i++)
            t->x[i * D + a] = 4.5;
        snprintf(number, sizeof number, "feature %d is constant (4.5 in all 5 rows)", a + 1);
        data_refused(t, SUREKRIG_DATA, number);
        t->data.x_names = x_names;
        data_refused(t, SUREKRIG_DATA, x_names[a]);
        t->x[(N - 1) * D + a] = nextafter(4.5, 5);
        data_accepted(t);
    }
    for (int q = 0; q < L; q++) {
        table *t = good_data();
        for (int i = 0; i < N; i++)
            t->y[i * L + q] = -2;
        data_refused(t, SUREKRIG_DATA, q ? "response 2 is constant (-2 in" : "response 1 is constant (-2 in");
        t->data.y_names = y_names; /* the second has no name */
        data_refused(t, SUREKRIG_DATA, q ? "response 2 is constant" : "temp is constant");
        t->y[q] = -2.5;
        data_accepted(t);
    }
    table *t = good_data(); /* numbers that differed in a file of whole numbers, but not as doubles */
    for (int i = 0; i < N; i++)
        t->y[i * L] = (double)(INT64_MAX - i);
    data_refused(t, SUREKRIG_DATA, "in all 5 rows; the last digits of whole numbers beyond 2^53 are lost): there is");
}

/* Every place of x and y in turn. */
static void values_that_are_no_numbers_are_refused_by_row(void **state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        char why[60];
        for (int i = 0; i < N * D; i++) {
            table *t = good_data();
            t->x[i] = bad[k];
            snprintf(why, sizeof why, "feature %d, row %d: %g", i % D + 1, i / D + 1, bad[k]);
            data_refused(t, SUREKRIG_DATA, why);
        }
        for (int i = 0; i < N * L; i++) {
            table *t = good_data();
            t->y[i] = bad[k];
            snprintf(why, sizeof why, "response %d, row %d: %g", i % L + 1, i / L + 1, bad[k]);
            data_refused(t, SUREKRIG_DATA, why);
        }
    }
}

static void noises_that_are_no_variances_are_refused(void **state)
{
    (void)state;
    const double bad[] = {-0.25, NAN, INFINITY};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) {
            char why[60];
            table *t = good_data();
            t->data.l = 1;
            t->data.noise = t->noise;
            t->noise[i] = bad[k];
            snprintf(why, sizeof why, "noise, row %d: %g is not a variance", i + 1, bad[k]);
            data_refused(t, SUREKRIG_DATA, why);
        }
    table *t = good_data();
    t->data.noise = t->noise;
    data_refused(t, SUREKRIG_INVALID, "one response, 2 are given");
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char name[200], buffer[72];
    memset(name, 'n', sizeof name);
    name[199] = 0;
    const char *names[D] = {name, "b", NULL};
    surekrig_data data = {.d = D, .l = L, .x_names = names, .y_names = names};
    assert_int_equal(strlen(sk_x_name(&data, 0, buffer)), 71);
    assert_string_equal(sk_x_name(&data, 1, buffer), "b");
    assert_string_equal(sk_x_name(&data, 2, buffer), "feature 3");
    assert_string_equal(sk_y_name(&data, 1, buffer), "b");
    data.x_names = data.y_names = NULL;
    assert_string_equal(sk_x_name(&data, 0, buffer), "feature 1");
    assert_string_equal(sk_y_name(&data, 1, buffer), "response 2");
}

/* -------------------------------------------------------------------------------------------------------- frames */

static void frames_have_their_sides(void **state)
{
    (void)state;
    const double x[4 * D] = {1, -5, 0.25, 2, 5, 0.5, 3, 0, 0.25, 1.5, 1, 0.375}; /* sides 2, 10, 0.25 */
    const double lower[D] = {1, -5, 0.25}, upper[D] = {3, 5, 0.5};
    const double side[3][D] = {{10, 10, 10}, {2, 10, 0.25}, {1, 1, 1}}; /* box, axis, none */
    surekrig_data data = {.n = 4, .d = D, .l = 1, .x = x};
    for (int scaling = SK_SCALING_BOX; scaling <= SK_SCALING_NONE; scaling++) {
        sk_frame frame;
        surekrig_error error = {0};
        succeeded(sk_frame_new(&data, (sk_scaling)scaling, NULL, &frame, &error), &error);
        assert_int_equal(frame.d, D);
        assert_memory_equal(frame.lower, lower, sizeof lower);
        assert_memory_equal(frame.upper, upper, sizeof upper);
        assert_memory_equal(frame.side, side[scaling], sizeof side[scaling]);
        sk_frame_free(&frame);
        assert_null(frame.lower);
        sk_frame_free(&frame);
    }
}

static void frames_without_a_usable_side_are_refused(void **state)
{
    (void)state;
    const double endless[4] = {-1.5e308, 0, 1.5e308, 1}, point[4] = {0, 0, 1e-300, 1e-295}, flat[4] = {3, 4, 3, 4};
    const double *bad[] = {endless, point, flat};
    const char *why[] = {"inf", "1e-295", "box is 0"};
    for (int i = 0; i < 3; i++) {
        surekrig_data data = {.n = 2, .d = 2, .l = 1, .x = bad[i]};
        surekrig_error error = {0};
        sk_frame frame, before;
        memset(&frame, 0x5a, sizeof frame);
        before = frame;
        refused(sk_frame_new(&data, SK_SCALING_BOX, NULL, &frame, &error), &error, SUREKRIG_DATA, why[i]);
        assert_memory_equal(&frame, &before, sizeof frame);
    }
}

/* ------------------------------------------------------------------------------------------------------- moments */

static void long_moments(const surekrig_data *data, int64_t q, long double *mean, long double *sd)
{
    long double sum = 0, squares = 0;
    for (int64_t i = 0; i < data->n; i++)
        sum += data->y[i * data->l + q];
    *mean = sum / data->n;
    for (int64_t i = 0; i < data->n; i++) {
        long double off = data->y[i * data->l + q] - *mean;
        squares += off * off;
    }
    *sd = sqrtl(squares / data->n);
}

/* The mean to within round-off of the largest value, the sd relatively, at any scale. */
static void moments_agree_with_long_double(void **state)
{
    (void)state;
    enum { MANY = 1000, Q = 3 };
    const double scales[] = {1, 1e300, 1e-300, 1e150, 3e-200, 1e307};
    static double y[MANY * Q];
    for (int s = 0; s < 6; s++) {
        draws d = {32, 0};
        fill_uniform(&d, MANY * Q, -1, 1, y);
        for (int i = 0; i < MANY; i++) { /* centered; shifted by twice its range; mostly one value */
            y[i * Q + 1] += 2;
            y[i * Q + 2] = i == 17 ? 1 : 1e-9;
        }
        for (int i = 0; i < MANY * Q; i++)
            y[i] *= scales[s];
        surekrig_data data = {.n = MANY, .d = 1, .l = Q, .y = y};
        for (int q = 0; q < Q; q++) {
            double mean, sd;
            long double right_mean, right_sd;
            sk_response_moments(&data, q, &mean, &sd);
            long_moments(&data, q, &right_mean, &right_sd);
            close_within(mean, (double)right_mean, 1e-14, 1e-14 * scales[s]);
            close_to(sd, (double)right_sd, 1e-13);
        }
    }
}

/* A spread far below the mean: two passes keep it. */
static void moments_of_a_small_spread(void **state)
{
    (void)state;
    double y[4] = {1e9, 1e9 + 1, 1e9 + 2, 1e9 + 3}, mean, sd;
    surekrig_data data = {.n = 4, .d = 1, .l = 1, .y = y};
    sk_response_moments(&data, 0, &mean, &sd);
    assert_true(mean == 1e9 + 1.5);
    close_to(sd, sqrt(1.25), 1e-15);
}

static void means_and_spreads(void **state)
{
    (void)state;
    enum { MANY = 300 };
    double y[MANY * L], center[L], spread[L];
    draws d = {33, 0};
    for (int i = 0; i < MANY; i++) {
        y[i * L] = draw(&d, 3, 4);
        y[i * L + 1] = draw(&d, -1e200, 1e200);
    }
    surekrig_data data = {.n = MANY, .d = 1, .l = L, .y = y};
    for (int zero = 0; zero < 2; zero++) {
        sk_mean_fit(zero ? SK_MEAN_ZERO : SK_MEAN_CONSTANT, &data, center, spread);
        for (int q = 0; q < L; q++) {
            long double mean, sd;
            long_moments(&data, q, &mean, &sd);
            close_to(center[q], zero ? 0 : (double)mean, 1e-13);
            close_to(spread[q], (double)(zero ? sqrtl(mean * mean + sd * sd) : sd), 1e-13);
        }
    }
}

/* Two rows have one number exactly where they agree in what is chosen. */
static void rows_alike_in_some_features_share_a_number(void **state)
{
    (void)state;
    enum { ROWS = 12 };
    double x[ROWS * 2], y[ROWS] = {1};
    for (int i = 0; i < ROWS; i++) {
        x[2 * i] = i % 4;
        x[2 * i + 1] = i / 3;
    }
    surekrig_data data = {.n = ROWS, .d = 2, .l = 1, .x = x, .y = y};
    for (int chosen = 1; chosen < 4; chosen++) {
        surekrig_error error = {0};
        int64_t group[ROWS], largest;
        const bool features[] = {chosen & 1, chosen & 2};
        succeeded(sk_rows_alike(&data, features, NULL, group, &largest, &error), &error);
        assert_int_equal(largest, chosen == 1 || chosen == 2 ? 3 : 1);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ROWS; j++) {
                bool alike = (!(chosen & 1) || x[2 * i] == x[2 * j]) && (!(chosen & 2) || x[2 * i + 1] == x[2 * j + 1]);
                assert_int_equal(group[i] == group[j], alike);
            }
    }
}

/* By names and numbers: degrees over much of the earth, or near a pole. */
static void degrees_of_much_of_the_earth_are_a_globe(void **state)
{
    (void)state;
    static const struct {
        const char *name[3];
        double low[2], high[2]; /* of longitude and latitude */
        bool globe;
    } CASES[] = {
        {{"lon", "h", "lat"}, {0, 0}, {21, 1}, true},        {{"lon", "h", "lat"}, {0, 0}, {1, 21}, true},
        {{"lon", "h", "lat"}, {0, 0}, {20, 20}, false},      {{"Longitude", "h", "LATITUDE"}, {5, 59}, {6, 61}, true},
        {{"lon", "h", "lat"}, {5, -61}, {6, -59}, true},     {{"lon", "h", "lat"}, {5, -60}, {6, 60}, true},
        {{"lon", "h", "lat"}, {5, 59}, {6, 60}, false},      {{"lon", "h", "lat"}, {-181, 0}, {50, 1}, false},
        {{"lon", "h", "lat"}, {-180, -90}, {360, 90}, true}, {{"lon", "h", "lat"}, {0, 0}, {361, 1}, false},
        {{"lon", "h", "lat"}, {0, -90.5}, {1, 1}, false},    {{"lon", "h", "lat"}, {0, 0}, {1, 90.5}, false},
        {{"x", "h", "lat"}, {0, 0}, {50, 50}, false},        {{"lon", "h", "y"}, {0, 0}, {50, 50}, false},
        {{"lon", "lon", "lat"}, {0, 0}, {50, 50}, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const double *low = CASES[i].low, *high = CASES[i].high;
        double x[] = {high[0], 7, low[1], low[0], 5000, high[1], low[0], -5000, low[1]}, y[3] = {0};
        int64_t sphere[2] = {-7, -7};
        surekrig_data data = {.n = 3, .d = 3, .l = 1, .x = x, .y = y, .x_names = CASES[i].name};
        assert_int_equal(sk_metric_is_globe(&data, sphere), CASES[i].globe);
        assert_true(!CASES[i].globe || (sphere[0] == 0 && sphere[1] == 2));
    }
}

/* Axes that are turned: the first coordinate along the direction, the second at a right angle to its left. */
static void a_plane_may_be_turned(void **state)
{
    (void)state;
    double x[] = {0, 0, 3, 4, -2, 1}, y[3] = {0, 1, 2}, z[6];
    int64_t group[2] = {0};
    surekrig_data data = {.n = 3, .d = 2, .l = 1, .x = x, .y = y};
    sk_metric_roles roles = {.group = group, .time = -1, .turn = 30};
    sk_metric metric;
    surekrig_error error = {0};
    succeeded(sk_metric_new(&data, &roles, &metric, &error), &error);
    assert_false(metric.same || sk_metric_has_sphere(&metric));
    sk_metric_map(&metric, 3, x, z);
    for (int i = 0; i < 3; i++) {
        close_within(z[2 * i], sqrt(0.75) * x[2 * i] + 0.5 * x[2 * i + 1], 0, 1e-14);
        close_within(z[2 * i + 1], sqrt(0.75) * x[2 * i + 1] - 0.5 * x[2 * i], 0, 1e-14);
    }
    sk_metric_free(&metric);
}

/* The sphere, groups wherever their features stand, and lines: parts in this order, each with its features and
 * coordinates. */
static void features_of_a_group_are_one_part(void **state)
{
    (void)state;
    enum { FEATURES = 7 };
    static const int64_t GROUP[FEATURES] = {1, 0, 2, 1, 0, 0, 2},
                         PART[][3] = {{1, 4, -1}, {0, 3, -1}, {2, 6, -1}, {5, -1, -1}};
    double x[2 * FEATURES] = {1, 20, 3, 4, 50, 6, 7, 8, 21, 10, 11, 51, 13, 14}, y[2] = {0, 1}, z[2 * (FEATURES + 1)];
    int64_t group[FEATURES];
    memcpy(group, GROUP, sizeof group);
    surekrig_data data = {.n = 2, .d = FEATURES, .l = 1, .x = x, .y = y};
    for (int sphere = 0; sphere < 2; sphere++) {
        sk_metric_roles roles = {sphere, {1, 4}, group, 5, 0};
        sk_metric metric;
        surekrig_error error = {0};
        succeeded(sk_metric_new(&data, &roles, &metric, &error), &error);
        assert_int_equal(metric.parts, sphere ? 4 : 5);
        assert_int_equal(metric.time, sphere ? 6 : 5); /* three coordinates for two features come first */
        for (int p = 0; sphere && p < 4; p++) {
            assert_int_equal(metric.part[p].features, p < 3 ? 2 : 1);
            for (int i = 0; i < metric.part[p].features; i++)
                assert_int_equal(metric.part[p].feature[i], PART[p][i]);
        }
        sk_metric_map(&metric, 2, x, z);
        for (int64_t p = sphere; p < metric.parts; p++)
            for (int i = 0; i < metric.part[p].features; i++)
                for (int row = 0; row < 2; row++)
                    assert_true(z[row * metric.coordinates + metric.part[p].coordinate[i]] ==
                                x[row * FEATURES + metric.part[p].feature[i]]);
        sk_metric_free(&metric);
    }
}

/* Wherever the middle is, poles too: it goes to the diagonal, and distances are chords. */
static void the_sphere_is_turned(void **state)
{
    (void)state;
    static const double MIDDLE[][2] = {{12, -34}, {0, 90}, {50, -90}, {180, 0}}, EARTH = 6371.0088;
    draws d = {77, 0};
    for (int i = 0; i < 4; i++) {
        double degrees[6] = {MIDDLE[i][0], MIDDLE[i][1]}, place[9], chord = 0, u[2][3], radian = acos(-1) / 180,
               gap = 0;
        surekrig_sphere sphere;
        fill_uniform(&d, 4, -80, 80, degrees + 2);
        surekrig_sphere_new(MIDDLE[i], &sphere);
        surekrig_sphere_places(&sphere, 3, degrees, place);
        for (int p = 0; p < 2; p++) {
            double lon = degrees[2 + 2 * p] * radian, lat = degrees[3 + 2 * p] * radian;
            u[p][0] = cos(lat) * cos(lon), u[p][1] = cos(lat) * sin(lon), u[p][2] = sin(lat);
        }
        for (int a = 0; a < 3; a++) {
            close_to(place[a], EARTH / sqrt(3), 1e-12);
            chord += EARTH * EARTH * (u[0][a] - u[1][a]) * (u[0][a] - u[1][a]);
            gap += (place[3 + a] - place[6 + a]) * (place[3 + a] - place[6 + a]);
        }
        close_to(gap, chord, 1e-12);
    }
}

/* Of data the middle is their mean direction. */
static void data_on_the_sphere_have_a_middle(void **state)
{
    (void)state;
    double x[8] = {170, 10, -170, 10, 175, 30, -175, 30}, y[4] = {0, 1, 2, 3}, z[12], sum[3] = {0};
    surekrig_data data = {.n = 4, .d = 2, .l = 1, .x = x, .y = y};
    int64_t none[2] = {0, 0};
    sk_metric metric;
    surekrig_error error = {0};
    succeeded(sk_metric_new(&data, &(sk_metric_roles){true, {0, 1}, none, -1}, &metric, &error), &error);
    sk_metric_map(&metric, 4, x, z);
    for (int i = 0; i < 12; i++)
        sum[i % 3] += z[i];
    close_to(sum[0], sum[1], 1e-12);
    close_to(sum[0], sum[2], 1e-12);
    assert_true(sum[0] > 12000);
    sk_metric_free(&metric);
}

/* Data all around it have none: distances are chords even so. */
static void data_around_the_sphere_have_no_middle(void **state)
{
    (void)state;
    double x[12] = {0, 0, 180, 0, 90, 0, -90, 0, 0, 90, 0, -90}, y[6] = {0, 1, 2, 3, 4, 5}, z[18];
    surekrig_data data = {.n = 6, .d = 2, .l = 1, .x = x, .y = y};
    int64_t none[2] = {0, 0};
    sk_metric metric;
    surekrig_error error = {0};
    succeeded(sk_metric_new(&data, &(sk_metric_roles){true, {0, 1}, none, -1}, &metric, &error), &error);
    sk_metric_map(&metric, 6, x, z);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
            double chord = hypot(hypot(z[3 * i] - z[3 * j], z[3 * i + 1] - z[3 * j + 1]), z[3 * i + 2] - z[3 * j + 2]);
            close_to(chord, 6371.0088 * (i % 2 && j == i - 1 ? 2 : sqrt(2)), 1e-12);
        }
    sk_metric_free(&metric);
}

/* A trend of other data, whose features have other units: the same slopes and the same doubt about them. */
static void a_trend_is_taken_over(void **state)
{
    (void)state;
    enum { ROWS = 20, COLUMNS = 2 };
    static const int64_t FEATURE[COLUMNS] = {2, 0};
    draws d = {91, 0};
    double x[2][ROWS * 3], y[ROWS * 2], f[2][2][COLUMNS], gap[2][COLUMNS], doubt[2] = {0};
    sk_trend trend[2];
    surekrig_error error = {0};
    fill_uniform(&d, ROWS * 2, -1, 1, y);
    for (int i = 0; i < 2; i++) {
        fill_uniform(&d, ROWS * 3, -1, i ? 1 : 7, x[i]);
        surekrig_data data = {.n = ROWS, .d = 3, .l = 2, .x = x[i], .y = y};
        succeeded(sk_trend_new(&data, COLUMNS, FEATURE, &trend[i], &error), &error);
    }
    fill_uniform(&d, 2 * COLUMNS, -3, 3, trend[0].beta);
    fill_uniform(&d, COLUMNS * COLUMNS, 1, 2, trend[0].covariance);
    trend[0].covariance[2] = trend[0].covariance[1];
    sk_trend_take(&trend[0], &trend[1]);
    for (int i = 0; i < 2; i++)
        for (int p = 0; p < 2; p++)
            sk_trend_features(&trend[i], x[0] + 3 * p, f[i][p]);
    for (int64_t q = 0; q < 2; q++)
        close_to(sk_trend_at(&trend[0], q, f[0][1]) - sk_trend_at(&trend[0], q, f[0][0]),
                 sk_trend_at(&trend[1], q, f[1][1]) - sk_trend_at(&trend[1], q, f[1][0]), 1e-10);
    for (int i = 0; i < 2; i++) {
        for (int a = 0; a < COLUMNS; a++)
            gap[i][a] = f[i][1][a] - f[i][0][a];
        for (int a = 0; a < COLUMNS * COLUMNS; a++)
            doubt[i] += trend[i].covariance[a] * gap[i][a / COLUMNS] * gap[i][a % COLUMNS];
    }
    close_to(doubt[0], doubt[1], 1e-10);
    const double kriged[COLUMNS] = {0.3, -0.2};
    double slope[COLUMNS];
    sk_trend_slopes(&trend[0], f[0][0], kriged, 1.5, slope);
    for (int a = 0; a < COLUMNS;
         a++) { /* of what is added to the variance, which is quadratic: differences are exact */
        double step = 0.5, up[] = {0, 0, kriged[0], kriged[1]}, down[] = {0, 0, kriged[0], kriged[1]};
        up[2 + a] += step;
        down[2 + a] -= step;
        double added = sk_trend_add(&trend[0], f[0][0], up) - sk_trend_add(&trend[0], f[0][0], down);
        close_within(slope[a], 1.5 * added / (2 * step), 1e-10, 1e-10);
    }
    sk_trend_free(&trend[0]);
    sk_trend_free(&trend[1]);
}

/* Each feature of a part has the same share of the room, less what stands between them. */
static void long_names_share_the_room(void **state)
{
    (void)state;
    static const char *const NAMES[] = {"temperature", "precipitation", "z"};
    int64_t feature[] = {0, 1, 2};
    surekrig_data names = {.d = 3, .x_names = NAMES};
    sk_metric_part part = {.features = 3, .feature = feature};
    char name[64];
    sk_metric_part_name(&part, &names, ", ", sizeof name, name);
    assert_string_equal(name, "temperature, precipitation, z");
    sk_metric_part_name(&part, &names, ", ", 27, name);
    assert_string_equal(name, "temper, precip, z");
    sk_metric_part_name(&part, &names, ", ", 7, name);
    assert_string_equal(name, "t, p, ");
    part.features = 1;
    sk_metric_part_name(&part, &names, ", ", 6, name);
    assert_string_equal(name, "tempe");
}

/* Pooled over places of one, two and three rows, response by response. */
static void responses_at_one_place_have_their_sd(void **state)
{
    (void)state;
    enum { ROWS = 8 };
    const double x[ROWS] = {3, 1, 2, 1, 5, 2, 1, 4}, y[2 * ROWS] = {0, 9, 1, 7, 5, 7, 2, 7, 8, 1, 9, 7, 6, 7, 3, 2};
    surekrig_data data = {.n = ROWS, .d = 1, .l = 2, .x = x, .y = y};
    sk_frame frame;
    sk_repeats places;
    surekrig_error error = {0};
    succeeded(sk_frame_new(&data, SK_SCALING_NONE, NULL, &frame, &error), &error);
    succeeded(sk_repeats_find(&data, &frame, &places, &error), &error);
    /* {1, 2, 6}: 14 around 3. {5, 9}: 8 around 7. Degrees of freedom: 2 and 1. */
    close_to(places.within_sd[0], sqrt((14.0 + 8) / 3), 1e-14);
    assert_true(places.within_sd[1] == 0);
    assert_true(places.shared_rows == 5 && places.shared_places == 2 && places.most == 3);
    sk_repeats_free(&places);
    sk_frame_free(&frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_data_are_accepted),
        cmocka_unit_test(shapes_are_refused),
        cmocka_unit_test(constant_columns_are_refused_by_name),
        cmocka_unit_test(values_that_are_no_numbers_are_refused_by_row),
        cmocka_unit_test(noises_that_are_no_variances_are_refused),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(frames_have_their_sides),
        cmocka_unit_test(frames_without_a_usable_side_are_refused),
        cmocka_unit_test(moments_agree_with_long_double),
        cmocka_unit_test(moments_of_a_small_spread),
        cmocka_unit_test(means_and_spreads),
        cmocka_unit_test(degrees_of_much_of_the_earth_are_a_globe),
        cmocka_unit_test(rows_alike_in_some_features_share_a_number),
        cmocka_unit_test(a_plane_may_be_turned),
        cmocka_unit_test(features_of_a_group_are_one_part),
        cmocka_unit_test(the_sphere_is_turned),
        cmocka_unit_test(a_trend_is_taken_over),
        cmocka_unit_test(data_on_the_sphere_have_a_middle),
        cmocka_unit_test(data_around_the_sphere_have_no_middle),
        cmocka_unit_test(long_names_share_the_room),
        cmocka_unit_test(responses_at_one_place_have_their_sd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
