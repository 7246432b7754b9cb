/* The data as they are kriged: coordinates, the trend's columns beside the responses, and groups of rows. */
#include "model/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    double *y = data->ranks ? sk_reserve(data->n * width, sizeof *y) : sk_doubles(data->n * width);
    if (!y)
        return sk_fail_memory(error, 8.0 * (double)(data->n * width), "the trend's columns");
    m->kriged.l = width;
    m->kriged.y = y;
    for (int64_t i = 0; i < sk_held(data); i++) {
        memcpy(y + i * width, data->y + i * data->l, (size_t)data->l * sizeof *y);
        sk_trend_features(&m->trend, data->x + i * data->d, y + i * width + data->l);
    }
    return SUREKRIG_OK;
}

void sk_model_detrend(surekrig_model *m)
{
    int64_t l = m->data.l, width = m->kriged.l;
    for (int64_t i = 0; i < sk_held(&m->data) && m->trend.columns > 0; i++) {
        double *y = (double *)m->kriged.y + i * width; /* its f stand behind it */
        for (int64_t q = 0; q < l; q++)
            y[q] = m->data.y[i * l + q] - sk_trend_at(&m->trend, q, y + l);
    }
}

/* What the settings leave to the data. A length scale that is given speaks for itself. */
static void decide(surekrig_model *m, const bool *counts, const sk_frame *box)
{
    const surekrig_settings *settings = m->settings;
    int64_t parts = 0;
    bool mixed = false; /* kilometres on the sphere, or a group, beside anything else */
    for (int64_t p = 0; p < m->metric.parts; p++) {
        parts += counts[m->metric.part[p].coordinate[0]];
        mixed |= m->metric.part[p].coordinates > 1;
    }
    bool one_unit = settings->scaling == SK_SCALING_NONE;
    bool automatic = settings->anisotropic == SK_ANISOTROPIC_AUTO && settings->rho.how != SK_FIXED &&
                     (parts > 2 || (parts > 1 && (mixed || !(one_unit || sk_frame_alike(box)))));
    bool turned = !m->metric.same && !sk_metric_has_sphere(&m->metric);
    m->anisotropic = automatic || turned || settings->anisotropic == SK_ANISOTROPIC_YES;
    m->scaling = (sk_scaling)settings->scaling;
    if (m->scaling == SK_SCALING_AUTO)
        m->scaling = automatic ? SK_SCALING_AXIS : SK_SCALING_BOX;
}

/* The coordinates of one part, those of the sphere or of a group, are divided by one number: the longest side. */
static void join_parts(surekrig_model *m)
{
    for (int64_t p = 0; p < m->metric.parts; p++) {
        const sk_metric_part *part = &m->metric.part[p];
        double longest = 0;
        for (int64_t i = 0; i < part->coordinates; i++)
            longest = fmax(longest, m->frame.side[part->coordinate[i]]);
        for (int64_t i = 0; i < part->coordinates; i++)
            m->frame.side[part->coordinate[i]] = m->frame.start[part->coordinate[i]] = longest;
    }
}

/* The coordinates, and those of them that count in distances; chosen: [d] the features that do. */
static surekrig_status set_coordinates(surekrig_model *m, bool *chosen, surekrig_error *error)
{
    surekrig_status status = sk_model_metric(m, chosen, error);
    if (status)
        return status;
    int64_t d = m->metric.coordinates;
    bool *counts = sk_alloc(d, sizeof *counts);
    bool many = m->data.ranks != NULL;
    double *z = m->metric.same ? NULL : many ? sk_reserve(m->data.n * d, sizeof *z) : sk_doubles(m->data.n * d);
    if (!counts || (!z && !m->metric.same)) {
        free(counts);
        (many ? sk_unreserve : free)(z);
        return sk_fail_memory(error, 8.0 * (double)(m->data.n * d), "the coordinates");
    }
    if (z) {
        sk_metric_map(&m->metric, sk_held(&m->data), m->data.x, z);
        m->kriged.x = z;
        m->kriged.d = d;
    }
    for (int64_t p = 0; p < m->metric.parts; p++)
        for (int64_t i = 0; i < m->metric.part[p].coordinates; i++)
            counts[m->metric.part[p].coordinate[i]] = chosen[m->metric.part[p].feature[0]];
    status = sk_frame_new(&m->kriged, SK_SCALING_BOX, counts, &m->frame, error);
    if (!status)
        decide(m, counts, &m->frame);
    if (!status && m->scaling != SK_SCALING_BOX) {
        sk_frame_free(&m->frame);
        status = sk_frame_new(&m->kriged, m->scaling, counts, &m->frame, error);
    }
    if (!status)
        join_parts(m);
    free(counts);
    return status;
}

/* Whether ranks begin with different groups. In halves, as a double does not tell numbers beyond 2^53 from one another. */
static bool firsts_differ(const surekrig_model *m)
{
    uint64_t first = sk_own(&m->data) ? (uint64_t)m->data.group[0] : 0;
    double high = sk_own(&m->data) ? (double)(first >> 32) : NAN,
           low = sk_own(&m->data) ? (double)(first & UINT32_MAX) : NAN, least[2] = {high, low}, most[2] = {high, low};
    sk_least(sk_ranks_of(&m->data), 2, least);
    sk_most(sk_ranks_of(&m->data), 2, most);
    return least[0] < most[0] || least[1] < most[1];
}

static surekrig_status take_alike(surekrig_model *m, const bool *chosen, surekrig_error *error)
{
    int64_t largest, *group = sk_alloc(m->data.n, sizeof *group);
    m->data.group = group;
    return group ? sk_rows_alike(&m->data, chosen, NULL, group, &largest, error)
                 : sk_fail_memory(error, 8.0 * (double)m->data.n, "the groups of rows");
}

/* Groups of rows: given, or alike in features. */
static surekrig_status set_groups(surekrig_model *m, bool *chosen, surekrig_error *error)
{
    const char *by = sk_setting_names(m->settings, "by");
    surekrig_status status = SUREKRIG_OK;
    if (!m->data.group && !strcmp(by, "none"))
        return SUREKRIG_OK;
    if (!strcmp(by, "none"))
        status = surekrig_settings_set(m->settings, "by", "group", error);
    if (!status && !m->data.group)
        status = sk_choose_features(m, "by", chosen, error);
    if (!status && !m->data.group)
        status = m->data.ranks ? sk_rows_group(&m->data, chosen, error) : take_alike(m, chosen, error);
    bool differ = false;
    int64_t n = sk_own(&m->data);
    for (int64_t i = 1; i < n && !status; i++)
        differ |= m->data.group[i] != m->data.group[0];
    if (!status && (sk_sum(sk_ranks_of(&m->data), differ) > 0 || firsts_differ(m)))
        return SUREKRIG_OK;
    return status ? status
                  : sk_fail(error, SUREKRIG_DATA, "by = '%s': all rows are of one group",
                            sk_setting_names(m->settings, "by")); /* which may have been set here */
}

surekrig_status sk_model_columns(surekrig_model *m, surekrig_error *error)
{
    int64_t d = m->data.d, *feature = sk_alloc(d, sizeof *feature);
    bool *chosen = sk_alloc(d, sizeof *chosen);
    surekrig_status status = feature && chosen ? set_groups(m, chosen, error)
                                               : sk_fail_memory(error, 16.0 * (double)d, "the columns");
    if (!status)
        status = sk_choose_features(m, "distance", chosen, error);
    m->kriged = m->data;
    m->trend = (sk_trend){.responses = m->data.l};
    if (!status)
        status = set_coordinates(m, chosen, error);
    if (!status && m->settings->mean == SK_MEAN_TREND) {
        status = sk_choose_features(m, "trend", chosen, error);
        if (!status)
            status = set_trend(m, chosen, feature, error);
    }
    free(feature);
    free(chosen);
    return status;
}
