/* What held-out points cannot judge. They lie among the data; where targets lie beyond these in a feature, a trend in it is
 * continued to where nothing has tested it. It is taken there only if its slope is beyond doubt,
 *   mean over responses  beta_c^2 / (C_cc gamma2) > SURE^2,   C gamma2 the covariance of beta by generalised least squares,
 * and if it is there in that half of the rows that is next to the targets: with b by least squares in all columns over these,
 *   sum over responses, in their spreads,  b_c beta_c >= LASTING beta_c^2. */
#include "train/contest.h"

#include <stdlib.h>

static const double SURE = 5, LASTING = 0.5;
static const double SHARE = 0.05; /* of the targets: fewer do not decide */
enum { ROWS = 4096 };             /* in whose halves slopes are looked at */

/* Whether targets are below, and above: a side with a quarter of them or fewer does not decide. */
static void targets_beyond(const surekrig_data *data, int64_t feature, double lower, double upper, bool side[2])
{
    int64_t beyond[2] = {0};
    for (int64_t i = 0; i < data->targets; i++) {
        double at = data->target[i * data->d + feature];
        beyond[0] += at < lower;
        beyond[1] += at > upper;
    }
    bool many = (double)(beyond[0] + beyond[1]) >= SHARE * (double)data->targets;
    for (int s = 0; s < 2; s++)
        side[s] = many && 4 * beyond[s] > beyond[0] + beyond[1];
}

static bool slope_sure(const surekrig_model *m, int64_t column)
{
    const sk_trend *t = &m->trend;
    double mean = 0;
    for (int64_t q = 0; q < t->responses; q++) {
        double beta = t->beta[q * t->columns + column];
        mean += beta * beta / (t->covariance[column * t->columns + column] * m->hyper.gamma2_std[q]) /
                (double)t->responses;
    }
    return mean > SURE * SURE;
}

/* Some rows: what is kriged of them, responses and then the trend's columns. */
typedef struct some_rows {
    int64_t n, *row;
} some_rows;

static const double *columns_of(const surekrig_model *m, const some_rows *some, int64_t i)
{
    return m->kriged.y + some->row[i] * m->kriged.l + m->data.l;
}

/* The middle of a column's values; room: [n]. */
static double median(const surekrig_model *m, const some_rows *some, int64_t column, double *room)
{
    for (int64_t i = 0; i < some->n; i++)
        room[i] = columns_of(m, some, i)[column];
    sk_sort(some->n, room);
    return room[some->n / 2];
}

/* The normal equations over the rows whose column is not beyond the middle, seen from its side: a is [p + 1][p + 1 + l],
 * the constant first, the column last of all. */
static void add_up(const surekrig_model *m, const some_rows *some, int64_t column, bool above, double middle, double *a)
{
    int64_t p = m->trend.columns, l = m->data.l, width = p + 1 + l;
    double *g = a + (p + 1) * width; /* of one row: what is regressed on, then the responses */
    for (int64_t i = 0; i < some->n; i++) {
        const double *f = columns_of(m, some, i);
        if (above ? f[column] < middle : f[column] > middle)
            continue;
        g[0] = 1;
        for (int64_t c = 0, to = 1; c < p; c++)
            g[c == column ? p : to++] = f[c];
        for (int64_t q = 0; q < l; q++)
            g[p + 1 + q] = (m->data.y[some->row[i] * l + q] - m->center[q]) / m->spread[q];
        for (int64_t r = 0; r <= p; r++)
            for (int64_t c = r; c < width; c++)
                a[r * width + c] += g[r] * g[c];
    }
}

/* Whether the slope is there in the half of the rows on this side. room: [n + (p + 2)(p + 1 + l)] */
static bool slope_lasts(const surekrig_model *m, const some_rows *some, int64_t column, bool above, double *room)
{
    int64_t p = m->trend.columns, l = m->data.l, width = p + 1 + l;
    double middle = median(m, some, column, room), *a = room + some->n, lasting = 0;
    for (int64_t i = 0; i < (p + 2) * width; i++)
        a[i] = 0;
    add_up(m, some, column, above, middle, a);
    if (sk_cholesky(p + 1, width, a, 1e-10 * a[0], 1)) /* it does not vary there, but with others */
        return false;
    for (int64_t q = 0; q < l; q++) { /* the last of the unknowns is the first to come out of U b = U'^-1 g'y */
        double slope = a[p * width + p + 1 + q] / a[p * width + p], beta = m->trend.beta[q * p + column] / m->spread[q];
        lasting += slope * beta - LASTING * beta * beta;
    }
    return lasting >= 0;
}

/* In a feature with targets beyond the rows on some side. */
static surekrig_status slope_holds(const surekrig_model *m, int64_t column, const bool side[2], bool *holds,
                                   surekrig_error *error)
{
    some_rows some = {m->data.n < ROWS ? m->data.n : ROWS, NULL};
    int64_t p = m->trend.columns, size = some.n + (p + 2) * (p + 1 + m->data.l);
    double *room = sk_doubles(size);
    some.row = sk_alloc(some.n, sizeof *some.row);
    surekrig_status status = room && some.row ? sk_rows_sample(&m->data, m->settings->seed, some.n, some.row, error)
                                              : sk_fail_memory(error, 8.0 * (double)(some.n + size), "the slopes");
    if (!status)
        sk_model_derive(m);
    *holds = !status && slope_sure(m, column);
    for (int s = 0; s < 2 && *holds; s++)
        *holds = !side[s] || slope_lasts(m, &some, column, s, room);
    free(room);
    free(some.row);
    return status;
}

surekrig_status sk_trend_holds(const sk_contest *c, const surekrig_model *m, bool *holds, surekrig_error *error)
{
    const surekrig_data *data = c->data;
    *holds = true;
    if (m->trend.columns == 0 || data->targets == 0 || sk_setting_given(c->asked, "mean"))
        return SUREKRIG_OK;
    surekrig_status status = SUREKRIG_OK;
    double *lower = sk_doubles(2 * data->d);
    if (!lower)
        return sk_fail_memory(error, 16.0 * (double)data->d, "the extents of the data");
    double *upper = lower + data->d;
    sk_extents(data, lower, upper);
    for (int64_t column = 0; column < m->trend.columns && !status && *holds; column++) {
        int64_t a = m->trend.feature[column];
        bool side[2];
        targets_beyond(data, a, lower[a], upper[a], side);
        if (side[0] || side[1])
            status = slope_holds(m, column, side, holds, error);
    }
    free(lower);
    return status;
}

/* There the mean of the nearest rows is that of the last stretch of the series alone. Held-out points, whose neighbours
 * are on one side as well, can tell whether the whole series' is better. */
bool sk_series_goes_on(const sk_contest *c)
{
    double lower, upper;
    bool side[2];
    if (c->data->d != 1 || c->data->targets == 0)
        return false;
    sk_extents(c->data, &lower, &upper);
    targets_beyond(c->data, 0, lower, upper, side);
    return side[0] || side[1];
}
