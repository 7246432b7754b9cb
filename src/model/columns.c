/* The features' two roles, distances and trend, and the data as they are kriged: the trend's columns beside the
 * responses. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static surekrig_status no_feature(const surekrig_model *m, const char *setting, const char *name, size_t length,
                                  surekrig_error *error)
{
    char list[256];
    size_t used = 0;
    for (int64_t a = 0; a < m->data.d && used < sizeof list; a++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s %s", a ? "," : "", m->data.x_names[a]);
    return sk_fail(error, SUREKRIG_INVALID, "%s = '%s': there is no feature '%.*s'; there are%s", setting,
                   sk_setting_names(m->settings, setting), (int)length, name, list);
}

/* The features of a list like "lon,lat", in its order, into found [at most]; how many into *count. */
static surekrig_status find_features(const surekrig_model *m, const char *setting, int64_t most, int64_t *found,
                                     int64_t *count, surekrig_error *error)
{
    const char *list = sk_setting_names(m->settings, setting);
    *count = 0;
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        int64_t a = 0;
        while (a < m->data.d && (strlen(m->data.x_names[a]) != length || strncmp(m->data.x_names[a], at, length)))
            a++;
        if (a == m->data.d)
            return no_feature(m, setting, at, length, error);
        if (*count < most)
            found[*count] = a;
        ++*count;
        at += length;
        if (!*at)
            return SUREKRIG_OK;
    }
}

/* chosen: [d] the features of a list, or all. */
static surekrig_status choose(const surekrig_model *m, const char *setting, bool *chosen, surekrig_error *error)
{
    int64_t d = m->data.d, count, *found = sk_alloc(d, sizeof *found);
    bool all = !strcmp(sk_setting_names(m->settings, setting), "all");
    surekrig_status status = found ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)d, "the columns");
    for (int64_t a = 0; a < d; a++)
        chosen[a] = all;
    if (!status && !all)
        status = find_features(m, setting, d, found, &count, error);
    for (int64_t i = 0; !status && !all && i < (count < d ? count : d); i++)
        chosen[found[i]] = true;
    free(found);
    return status;
}

/* Longitude and latitude, where distances are on the sphere; *any: they are. */
static surekrig_status find_sphere(const surekrig_model *m, int64_t sphere[2], bool *any, surekrig_error *error)
{
    const char *list = sk_setting_names(m->settings, "sphere");
    int64_t count = 0;
    *any = strcmp(list, "none") != 0;
    surekrig_status status = *any ? find_features(m, "sphere", 2, sphere, &count, error) : SUREKRIG_OK;
    if (!status && *any && (count != 2 || sphere[0] == sphere[1]))
        status = sk_fail(error, SUREKRIG_INVALID,
                         "sphere = '%s': it takes two features, longitude and then latitude, such as lon,lat", list);
    return status;
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

/* What the settings leave to the data. A length scale that is given speaks for itself. */
static void decide(surekrig_model *m, const bool *counts, const sk_frame *box)
{
    const surekrig_settings *settings = m->settings;
    int64_t parts = 0;
    bool mixed = !m->metric.same; /* kilometres on the sphere beside anything else */
    for (int64_t p = 0; p < m->metric.parts; p++)
        parts += counts[m->metric.part[p].first];
    bool automatic = settings->anisotropic == SK_ANISOTROPIC_AUTO && settings->rho.how != SK_FIXED &&
                     (parts > 2 || (parts > 1 && (mixed || !sk_frame_alike(box))));
    m->anisotropic = automatic || settings->anisotropic == SK_ANISOTROPIC_YES;
    m->scaling = (sk_scaling)settings->scaling;
    if (m->scaling == SK_SCALING_AUTO)
        m->scaling = automatic ? SK_SCALING_AXIS : SK_SCALING_BOX;
}

/* The coordinates of one part, such as those of the sphere, are divided by one number: the longest side. */
static void join_parts(surekrig_model *m)
{
    for (int64_t p = 0; p < m->metric.parts; p++) {
        const sk_metric_part *part = &m->metric.part[p];
        double *side = m->frame.side + part->first, *start = m->frame.start + part->first, longest = 0;
        for (int a = 0; a < part->row->coordinates; a++)
            longest = fmax(longest, side[a]);
        for (int a = 0; a < part->row->coordinates; a++)
            side[a] = start[a] = longest;
    }
}

/* The coordinates, and those of them that count in distances; chosen: [d] the features that do. */
static surekrig_status set_coordinates(surekrig_model *m, const bool *chosen, surekrig_error *error)
{
    int64_t sphere[2];
    bool any;
    surekrig_status status = find_sphere(m, sphere, &any, error);
    if (!status && any && chosen[sphere[0]] != chosen[sphere[1]])
        status = sk_fail(error, SUREKRIG_INVALID, "sphere = '%s': distance must name both of them or neither",
                         sk_setting_names(m->settings, "sphere"));
    if (!status)
        status = sk_metric_new(&m->data, any ? sphere : NULL, &m->metric, error);
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
