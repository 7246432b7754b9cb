/* The features' two roles, distances and trend, and the data as they are kriged: the trend's columns beside the
 * responses. */
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
            return sk_fail(error, SUREKRIG_INVALID, "%s = '%s': there is no feature '%.*s'", setting, list, (int)length,
                           at);
        chosen[found] = true;
        at += length;
        if (!*at)
            break;
    }
    return SUREKRIG_OK;
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
    for (int64_t i = 0; i < data->n; i++) {
        memcpy(y + i * width, data->y + i * data->l, (size_t)data->l * sizeof *y);
        sk_trend_features(&m->trend, data->x + i * data->d, y + i * width + data->l);
    }
    return SUREKRIG_OK;
}

void sk_model_detrend(surekrig_model *m)
{
    int64_t l = m->data.l, width = m->kriged.l;
    for (int64_t i = 0; i < m->data.n && m->trend.columns > 0; i++) {
        double *y = (double *)m->kriged.y + i * width; /* its f stand behind it */
        for (int64_t q = 0; q < l; q++)
            y[q] = m->data.y[i * l + q] - sk_trend_at(&m->trend, q, y + l);
    }
}

/* Whether features ask for length scales of their own: extents of different orders, or more than two of them. */
static bool unlike(const surekrig_model *m, const bool *counts)
{
    double least = INFINITY, most = 0;
    int64_t d = m->kriged.d, parts = 0;
    for (int64_t a = 0; a < d; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < m->kriged.n && counts[a]; i++) {
            low = fmin(low, m->kriged.x[i * d + a]);
            high = fmax(high, m->kriged.x[i * d + a]);
        }
        if (!counts[a])
            continue;
        least = fmin(least, high - low);
        most = fmax(most, high - low);
        parts += sk_metric_part_of(&m->metric, a)->first == a;
    }
    return parts > 2 || (parts > 1 && most > 10 * least);
}

/* What the settings leave to the data. A length scale that is given speaks for itself. */
static void decide(surekrig_model *m, const bool *counts)
{
    const surekrig_settings *settings = m->settings;
    bool automatic = settings->anisotropic == SK_ANISOTROPIC_AUTO && settings->rho.how != SK_FIXED && unlike(m, counts);
    m->anisotropic = automatic || settings->anisotropic == SK_ANISOTROPIC_YES;
    m->scaling = (sk_scaling)settings->scaling;
    if (m->scaling == SK_SCALING_AUTO)
        m->scaling = automatic ? SK_SCALING_AXIS : SK_SCALING_BOX;
}

/* The coordinates, and those of them that count in distances; chosen: [d] the features that do. */
static surekrig_status set_coordinates(surekrig_model *m, const bool *chosen, surekrig_error *error)
{
    surekrig_status status = sk_metric_new(&m->data, NULL, &m->metric, error);
    if (status)
        return status;
    int64_t d = m->metric.coordinates;
    bool *counts = sk_alloc(d, sizeof *counts);
    double *z = m->metric.same ? NULL : sk_doubles(m->data.n * d);
    if (!counts || (!z && !m->metric.same)) {
        free(counts);
        free(z);
        return sk_fail_memory(error, 8.0 * (double)(m->data.n * d), "the coordinates");
    }
    if (z) {
        sk_metric_map(&m->metric, m->data.n, m->data.x, z);
        m->kriged.x = z;
        m->kriged.d = d;
    }
    for (int64_t a = 0; a < d; a++)
        counts[a] = chosen[sk_metric_part_of(&m->metric, a)->feature[0]];
    decide(m, counts);
    status = sk_frame_new(&m->kriged, m->scaling, counts, &m->frame, error);
    free(counts);
    return status;
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
        status = set_coordinates(m, chosen, error);
    if (!status && m->settings->mean == SK_MEAN_TREND) {
        status = choose(m, "trend", chosen, error);
        if (!status)
            status = set_trend(m, chosen, feature, error);
    }
    free(feature);
    free(chosen);
    return status;
}
