/* Pictures: what a map is drawn from is recomputed point by point; grids and scattered points are told apart; names
 * cannot break out of a script. What gnuplot makes of it is tested with the command. */
#include "report.h"
#include "support.h"

static double field(double x, double y)
{
    return sin(3 * x) + y * y;
}

/* Thinned in batches of odd sizes. */
static report_thin *thin_all(int64_t n, const double *point, report_thinned *t)
{
    report_thin *thin = NULL;
    surekrig_error error = {0};
    succeeded(report_thin_new(&thin, &error), &error);
    for (int64_t from = 0, size = 1; from < n; from += size, size = size % 9973 + 611) {
        size = n - from < size ? n - from : size;
        succeeded(report_thin_add(thin, size, point + 3 * from, &error), &error);
    }
    succeeded(report_thin_end(thin, t, &error), &error);
    return thin;
}

/* Every value is in the cell that holds its place, and every cell has the mean of its values; but for strays, a point
 * whose place is an edge to the last digit or so, and may be counted on either side. */
static void check_means(int64_t n, const double *point, const report_thinned *t, int strays)
{
    int64_t cells = (int64_t)t->size[0] * t->size[1], filled = 0, values = 0;
    double *sum = calloc((size_t)cells, sizeof *sum), *count = calloc((size_t)cells, sizeof *count);
    for (int64_t i = 0; i < n; i++) {
        const double *p = point + 3 * i;
        if (isnan(p[0]) || isnan(p[1]) || isnan(p[2]))
            continue;
        int at[2];
        for (int a = 0; a < 2; a++) {
            at[a] = (int)floor((p[a] - t->first[a]) / t->step[a] + 0.5);
            assert_in_range(at[a], 0, t->size[a] - 1);
        }
        sum[(int64_t)at[1] * t->size[0] + at[0]] += p[2];
        count[(int64_t)at[1] * t->size[0] + at[0]]++;
        values++;
    }
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < cells; i++) {
        assert_int_equal(isnan(t->mean[i]), count[i] == 0);
        if (count[i] == 0)
            continue;
        double mean = sum[i] / count[i];
        if (fabs(t->mean[i] - mean) > 1e-9 * (1 + fabs(mean)) && strays-- <= 0)
            fail_msg("cell %lld: %.17g, expected %.17g", (long long)i, t->mean[i], mean);
        least = fmin(least, t->mean[i]);
        most = fmax(most, t->mean[i]);
        filled++;
    }
    assert_int_equal(values, t->points);
    assert_int_equal(filled, t->filled);
    assert_true(least == t->range[0] && most == t->range[1]);
    free(sum);
    free(count);
}

/* nx x ny points in rows, some of them missing, with the round-off of single precision. */
static double *make_grid(int64_t nx, int64_t ny)
{
    double *point = malloc((size_t)(3 * nx * ny) * sizeof *point);
    for (int64_t i = 0; i < nx * ny; i++) {
        double x = -95.9 + 0.00927 * (double)(i % nx), y = 34.3 + 0.013 * (double)(i / nx);
        point[3 * i] = (float)x;
        point[3 * i + 1] = (float)y;
        point[3 * i + 2] = i % 11 == 5 ? NAN : field(x, y);
    }
    return point;
}

static void grid_is_found(void **state)
{
    (void)state;
    double *point = make_grid(50, 30);
    report_thinned t;
    report_thin *thin = thin_all(1500, point, &t);
    assert_true(t.grid && !t.dots);
    assert_int_equal(t.size[0], 50);
    assert_int_equal(t.size[1], 30);
    close_within(t.step[0], 0.00927, 0, 1e-6);
    close_within(t.first[1], 34.3, 0, 1e-5);
    assert_int_equal(t.filled, t.points); /* each in a cell of its own */
    assert_int_equal(t.missing, 136);     /* 5, 16, ..., 1490 */
    check_means(1500, point, &t, 0);
    report_thin_free(thin);
    free(point);
}

/* A grid too fine for a picture: blocks of its cells, exact, although most of it comes after the first look. */
static void large_grid_is_thinned(void **state)
{
    (void)state;
    int64_t nx = 3000, ny = 700;
    double *point = make_grid(nx, ny);
    report_thinned t;
    report_thin *thin = thin_all(nx * ny, point, &t);
    assert_true(t.grid && !t.dots);
    assert_int_equal(t.size[0], 750); /* by fours */
    assert_int_equal(t.size[1], 700);
    check_means(nx * ny, point, &t, 0);
    report_thin_free(thin);
    free(point);
}

/* Scattered points that reach ever farther, on all sides, and some without a place. */
static void scattered_points_are_thinned(void **state)
{
    (void)state;
    int64_t n = 900000;
    draws d = {7, 0};
    double *point = malloc((size_t)(3 * n) * sizeof *point);
    for (int64_t i = 0; i < n; i++) {
        double reach = 0.01 + (double)i / (double)n;
        double x = 40 + reach * (draw(&d, 0, 1) - 0.7), y = -20 + 50 * reach * (draw(&d, 0, 1) - 0.2);
        memcpy(point + 3 * i, (double[]){i % 1000 == 3 ? NAN : x, y, field(x, y)}, 3 * sizeof *point);
    }
    report_thinned t;
    report_thin *thin = thin_all(n, point, &t);
    assert_true(!t.grid && !t.dots);
    assert_int_equal(t.points, n - n / 1000);
    assert_true(t.filled * 4 <= t.points && t.filled * 30 > t.points); /* filled, and not coarser than that needs */
    check_means(n, point, &t, 4);
    report_thin_free(thin);
    free(point);
}

static void few_scattered_points_are_dots(void **state)
{
    (void)state;
    enum { N = 2000 };
    draws d = {8, 0};
    double point[3 * N];
    report_thinned t;
    for (int digits = 0; digits < 2; digits++) { /* with three digits they stand on a grid, a sparse one */
        for (int i = 0; i < 3 * N; i++)
            point[i] = digits ? rint(1000 * draw(&d, 0, 1)) / 1000 : draw(&d, 0, 1);
        report_thin *thin = thin_all(N, point, &t);
        assert_true(t.dots && !t.grid);
        assert_memory_equal(t.dot, point, sizeof point);
        report_thin_free(thin);
    }
    report_thin *thin = thin_all(2, (double[]){0, 0, 1, 1, 1, 2}, &t);
    assert_true(t.dots);
    report_thin_free(thin);
    thin = thin_all(0, point, &t);
    assert_true(t.points == 0 && t.missing == 0);
    report_thin_free(thin);
}

/* Points beyond everything before them: cells are joined at once as often as needed. */
static void far_points_are_reached(void **state)
{
    (void)state;
    int64_t n = 400000;
    draws d = {9, 0};
    double *point = malloc((size_t)(3 * n) * sizeof *point);
    for (int64_t i = 0; i < 3 * n; i++)
        point[i] = draw(&d, 0, 1);
    point[3 * (n - 1)] = -1e30;
    point[3 * (n - 1) + 1] = 1e20;
    report_thinned t;
    report_thin *thin = thin_all(n, point, &t);
    assert_int_equal(t.points, n);
    assert_int_equal(t.filled, 2);
    report_thin_free(thin);
    free(point);
}

/* Scattered places, nearly all without a value: squares are not joined for ever to make them crowded. */
static void few_values_among_many_places(void **state)
{
    (void)state;
    enum { N = 30000 };
    for (int values = 1; values <= 3; values++) {
        draws d = {10, 0};
        double *point = malloc((size_t)3 * N * sizeof *point);
        for (int64_t i = 0; i < 3 * N; i++)
            point[i] = i % 3 < 2 ? draw(&d, 0, 1) : i / 3 < values ? (double)i : NAN;
        report_thinned t;
        report_thin *thin = thin_all(N, point, &t);
        assert_true(!t.grid && !t.dots && t.missing == N - values);
        assert_in_range(t.size[0], 32, 65);
        check_means(N, point, &t, 0);
        report_thin_free(thin);
        free(point);
    }
}

/* The first points, all that are looked at, share an x: how wide cells must be is seen later. */
static void first_points_on_a_line(void **state)
{
    (void)state;
    int64_t line = 300000, n = 500000;
    draws d = {11, 0};
    const double from[] = {0, 100, -4e6}, width[] = {1e-5, 0.5, 300};
    double *point = malloc((size_t)(3 * n) * sizeof *point);
    for (int c = 0; c < 3; c++) {
        for (int64_t i = 0; i < n; i++) {
            double x = from[c] + (i < line ? 0 : width[c] * draw(&d, 0, 1)), y = draw(&d, 0, 1);
            memcpy(point + 3 * i, (double[]){x, y, field(x, y)}, 3 * sizeof *point);
        }
        report_thinned t;
        report_thin *thin = thin_all(n, point, &t);
        assert_in_range(t.size[0], 100, 1024);
        close_within(t.first[0] - t.step[0] / 2, from[c], 1e-12, 1e-9);
        close_within(t.size[0] * t.step[0], width[c], 0, 0.02 * width[c]);
        report_thin_free(thin);
    }
    free(point);
}

/* Steps so small that a large coordinate is infinitely many of them away. */
static void steps_that_hardly_are(void **state)
{
    (void)state;
    int64_t n = 300000;
    double *point = malloc((size_t)(3 * n) * sizeof *point);
    for (int scattered = 0; scattered < 2; scattered++) {
        draws d = {12, 0};
        for (int64_t i = 0; i < n; i++)
            memcpy(point + 3 * i,
                   (double[]){scattered ? 1e-300 * draw(&d, 0, 1) : (i % 2 ? 0 : 5e-324), draw(&d, 0, 1), 1},
                   3 * sizeof *point);
        point[3 * (n - 1)] = 1e100;
        report_thinned t;
        report_thin *thin = thin_all(n, point, &t);
        assert_int_equal(t.points, n);
        assert_true(isfinite(t.first[0]) && isfinite(t.step[0]));
        report_thin_free(thin);
    }
    free(point);
}

static void colours_and_texts(void **state)
{
    (void)state;
    char colour[8], text[200] = "";
    report_colour(0, colour);
    assert_string_equal(colour, "#440154");
    report_colour(1, colour);
    assert_string_equal(colour, "#fde725");
    report_colour(0.5, colour);
    assert_string_equal(colour, "#21918c");
    FILE *to = fmemopen(text, sizeof text, "w");
    report_text(to, "it's `date`\n\"$HOME\"");
    fclose(to);
    assert_string_equal(text, "\"it\\047s \\140date\\140 \\042$HOME\\042\"");
}

static void kinds_of_pictures(void **state)
{
    (void)state;
    assert_string_equal(report_picture_kind("a/b.png"), "png");
    assert_string_equal(report_picture_kind("B.SVG"), "svg");
    assert_string_equal(report_picture_kind("x.y.pdf"), "pdf");
    assert_null(report_picture_kind("png"));
    assert_null(report_picture_kind("a.png/b"));
    assert_null(report_picture_kind(".png"));
    assert_null(report_picture_kind("a.jpg"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_is_found),
        cmocka_unit_test(large_grid_is_thinned),
        cmocka_unit_test(scattered_points_are_thinned),
        cmocka_unit_test(few_scattered_points_are_dots),
        cmocka_unit_test(far_points_are_reached),
        cmocka_unit_test(few_values_among_many_places),
        cmocka_unit_test(first_points_on_a_line),
        cmocka_unit_test(steps_that_hardly_are),
        cmocka_unit_test(colours_and_texts),
        cmocka_unit_test(kinds_of_pictures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
