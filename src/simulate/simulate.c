/* One exact draw of a zero-mean Gaussian process with covariance (M3): checks, then a torus or a dense factor. */
#include "simulate/simulate.h"

#include <math.h>

static surekrig_status check_theta(const surekrig_theta *theta, surekrig_error *error)
{
    if (!(theta->tau2 >= 0) || !isfinite(theta->tau2))
        return sk_fail(error, SUREKRIG_INVALID, "tau2 = %g; it must be at least 0 and finite", theta->tau2);
    if (!(theta->gamma2 > 0) || !isfinite(theta->gamma2))
        return sk_fail(error, SUREKRIG_INVALID, "gamma2 = %g; it must be positive and finite", theta->gamma2);
    return SUREKRIG_OK;
}

/* ---- grids */

static surekrig_status check_axis(const surekrig_sample *sample, int64_t a, surekrig_error *error)
{
    int64_t size = sample->size[a];
    double lower = sample->lower[a], upper = sample->upper[a];
    if (size < 1)
        return sk_fail(error, SUREKRIG_INVALID, "axis %lld has %lld points; it needs at least one", (long long)a + 1,
                       (long long)size);
    if (!isfinite(lower) || (size > 1 && (!(upper > lower) || !isfinite(upper - lower))))
        return sk_fail(error, SUREKRIG_INVALID, "axis %lld, %lld points, goes from %g to %g: not up, or not finitely",
                       (long long)a + 1, (long long)size, lower, upper);
    return SUREKRIG_OK;
}

static surekrig_status check_grid(const surekrig_sample *sample, surekrig_error *error)
{
    if (sample->d < 1 || sample->d > SK_AXES)
        return sk_fail(error, SUREKRIG_INVALID, "a grid has 1, 2 or 3 dimensions, not %lld", (long long)sample->d);
    surekrig_status status = SUREKRIG_OK;
    for (int64_t a = 0; a < sample->d && !status; a++)
        status = check_axis(sample, a, error);
    return status;
}

/* sample's axes become the last d of the grid's. */
static sk_grid grid_of(const surekrig_sample *sample)
{
    sk_grid grid = {.d = sample->d, .size = {1, 1, 1}, .largest = SK_TORUS_LARGEST, .threads = sample->threads};
    for (int64_t a = 0; a < sample->d; a++) {
        int64_t to = a + SK_AXES - sample->d, size = sample->size[a];
        grid.size[to] = size;
        grid.step[to] = size > 1 ? (sample->upper[a] - sample->lower[a]) / (double)(size - 1) : 0;
    }
    return grid;
}

static surekrig_status draw_grid(const surekrig_sample *sample, const surekrig_theta *theta, double *y,
                                 surekrig_error *error)
{
    sk_grid grid = grid_of(sample);
    sk_torus *torus = NULL;
    surekrig_status status = sk_torus_new(&grid, theta, &torus, error);
    if (status)
        return status;
    sk_torus_draw(torus, sample->seed, sample->threads);
    const int64_t *n = grid.size, *m = torus->size;
    for (int64_t i = 0; i < n[0] * n[1]; i++) {
        const sk_complex *row = torus->value + (i / n[1] * m[1] + i % n[1]) * m[2];
        for (int64_t j = 0; j < n[2]; j++)
            y[i * n[2] + j] = sqrt(theta->gamma2) * row[j].re;
    }
    sk_torus_free(torus);
    return SUREKRIG_OK;
}

/* ---- scattered points */

static surekrig_status check_points(const surekrig_sample *sample, surekrig_error *error)
{
    int64_t n = sample->n, d = sample->d;
    if (n < 1 || d < 1 || !sample->x)
        return sk_fail(error, SUREKRIG_INVALID, "scattered points need n >= 1, d >= 1 and x; n = %lld, d = %lld%s",
                       (long long)n, (long long)d, sample->x ? "" : ", x is NULL");
    if (n > SK_DENSE_LARGEST)
        return sk_fail(
            error, SUREKRIG_INVALID,
            "%lld scattered points: at most %d are drawn, these would need %.3g GB; a grid can have millions",
            (long long)n, SK_DENSE_LARGEST, (double)n * (double)n * sizeof(double) / 1e9);
    for (int64_t i = 0; i < n * d; i++)
        if (!isfinite(sample->x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld: coordinate %lld is %g; it must be finite",
                           (long long)(i / d) + 1, (long long)(i % d) + 1, sample->x[i]);
    return SUREKRIG_OK;
}

surekrig_status surekrig_simulate(const surekrig_sample *sample, const surekrig_theta *theta, double *y,
                                  surekrig_error *error)
{
    if (!sample || !theta || !y)
        return sk_fail(error, SUREKRIG_INVALID, "a draw needs sample, theta and y; one of them is NULL");
    if (sample->threads < 0)
        return sk_fail(error, SUREKRIG_INVALID, "a draw on %d threads asked: 0 takes all", sample->threads);
    bool grid = sample->size[0] != 0;
    surekrig_status status = check_theta(theta, error);
    if (status == SUREKRIG_OK)
        status = grid ? check_grid(sample, error) : check_points(sample, error);
    if (status == SUREKRIG_OK)
        status = grid ? draw_grid(sample, theta, y, error) : sk_dense_draw(sample, theta, y, error);
    return status;
}
