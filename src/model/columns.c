/* The features' two roles, distances and trend, and the data as they are kriged: the trend's columns beside the responses. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* chosen: [d] the features of a list like "lon,lat", or all. */
static surekrig_status choose(const surekrig_model *m, const char *setting, bool *chosen, surekrig_error *error)
{
    const char *list = sk_setting_names(m->settings, setting);
    bool all = !strcmp(list, "all");
    for (int64_t a = 0; a < m->data.d; a++)
        chosen[a] = all;
    for (const char *at = list; !all; at++) {
        size_t length = strcspn(at, ",");
        int64_t found = -1;
        for (int64_t a = 0; a < m->data.d; a++)
            if (strlen(m->data.x_names[a]) == length && !strncmp(m->data.x_names[a], at, length))
                found = a;
        if (found < 0)
            return sk_fail(error, SUREKRIG_INVALID, "%s = '%s': there is no feature '%.*s'", setting, list, (int)length, at);
        chosen[found] = true;
        at += length;
        if (!*at)
            break;
    }
    return SUREKRIG_OK;
}

static void fill_trend_columns(surekrig_model *m)
{
    const surekrig_data *data = &m->data;
    int64_t width = m->kriged.l;
    double *y = (double *)m->kriged.y;
    for (int64_t i = 0; i < data->n; i++) {
        memcpy(y + i * width, data->y + i * data->l, (size_t)data->l * sizeof *y);
        sk_trend_features(&m->trend, data->x + i * data->d, y + i * width + data->l);
    }
}

void sk_model_detrend(surekrig_model *m)
{
    int64_t l = m->data.l, width = m->kriged.l, columns = m->trend.columns;
    double *y = (double *)m->kriged.y;
    for (int64_t i = 0; columns > 0 && i < m->data.n; i++)
        for (int64_t q = 0; q < l; q++) {
            double trend = 0;
            for (int64_t c = 0; c < columns; c++)
                trend += y[i * width + l + c] * m->trend.beta[q * columns + c];
            y[i * width + q] = m->data.y[i * l + q] - trend;
        }
}

void sk_model_take_trend(surekrig_model *m, const sk_trend *from)
{
    sk_trend *t = &m->trend;
    size_t columns = (size_t)from->columns, size = sizeof(double);
    if (!columns)
        return;
    memcpy(t->mean, from->mean, columns * size);
    memcpy(t->sd, from->sd, columns * size);
    memcpy(t->beta, from->beta, columns * (size_t)from->responses * size);
    memcpy(t->covariance, from->covariance, columns * columns * size);
    fill_trend_columns(m);
    sk_model_detrend(m);
}

static surekrig_status set_trend(surekrig_model *m, const bool *chosen, int64_t *feature, surekrig_error *error)
{
    const surekrig_data *data = &m->data;
    int64_t columns = 0, width;
    for (int64_t a = 0; a < data->d; a++)
        if (chosen[a])
            feature[columns++] = a;
    surekrig_status status = sk_trend_new(data, columns, feature, &m->trend, error);
    if (status)
        return status;
    width = data->l + columns;
    double *y = sk_doubles(data->n * width);
    if (!y)
        return sk_fail_memory(error, 8.0 * (double)(data->n * width), "the trend's columns");
    m->kriged.l = width;
    m->kriged.y = y;
    fill_trend_columns(m);
    return SUREKRIG_OK;
}

surekrig_status sk_model_columns(surekrig_model *m, surekrig_error *error)
{
    int64_t d = m->data.d, *feature = sk_alloc(d, sizeof *feature);
    bool *chosen = sk_alloc(d, sizeof *chosen);
    surekrig_status status = feature && chosen ? choose(m, "distance", chosen, error)
                                               : sk_fail_memory(error, 16.0 * (double)d, "the columns");
    m->kriged = m->data;
    m->trend = (sk_trend){.responses = m->data.l};
    if (!status)
        status = sk_frame_new(&m->data, (sk_scaling)m->settings->scaling, chosen, &m->frame, error);
    if (!status && m->settings->mean == SK_MEAN_TREND) {
        status = choose(m, "trend", chosen, error);
        if (!status)
            status = set_trend(m, chosen, feature, error);
    }
    free(feature);
    free(chosen);
    return status;
}
