/* What held-out points cannot judge. They lie among the data; where targets lie beyond these in a feature, a trend in it is
 * continued to where nothing has tested it. It is taken there only if its slope is beyond doubt,
 *   mean over responses  beta_c^2 / (C_cc gamma2) > SURE^2,   C gamma2 the covariance of beta by generalised least squares. */
#include "train/contest.h"

#include <stdlib.h>

static const double SURE = 5;
static const double SHARE = 0.05; /* of the targets: fewer do not decide */

static bool targets_beyond(const surekrig_data *data, int64_t feature, double lower, double upper)
{
    int64_t beyond = 0;
    for (int64_t i = 0; i < data->targets; i++) {
        double at = data->target[i * data->d + feature];
        beyond += at < lower || at > upper;
    }
    return beyond > 0 && (double)beyond >= SHARE * (double)data->targets;
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

surekrig_status sk_trend_holds(const sk_contest *c, const surekrig_model *m, bool *holds, surekrig_error *error)
{
    const surekrig_data *data = c->data;
    *holds = true;
    if (m->trend.columns == 0 || data->targets == 0 || sk_setting_given(c->asked, "mean"))
        return SUREKRIG_OK;
    double *lower = sk_doubles(2 * data->d);
    if (!lower)
        return sk_fail_memory(error, 16.0 * (double)data->d, "the extents of the data");
    double *upper = lower + data->d;
    sk_extents(data, lower, upper);
    for (int64_t column = 0; column < m->trend.columns; column++) {
        int64_t a = m->trend.feature[column];
        *holds &= !targets_beyond(data, a, lower[a], upper[a]) || slope_sure(m, column);
    }
    free(lower);
    return SUREKRIG_OK;
}

/* There the mean of the nearest rows is that of the last stretch of the series alone. Held-out points, whose neighbours
 * are on one side as well, can tell whether the whole series' is better. */
bool sk_series_goes_on(const sk_contest *c)
{
    double lower, upper;
    if (c->data->d != 1 || c->data->targets == 0)
        return false;
    sk_extents(c->data, &lower, &upper);
    return targets_beyond(c->data, 0, lower, upper);
}
