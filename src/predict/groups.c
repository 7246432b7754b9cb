/* What is left out together in cross-validation: groups of rows, and what comes after a time. */
#include "predict/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static surekrig_status no_groups(const surekrig_model *m, const char *by, surekrig_error *error)
{
    char list[256] = "";
    size_t used = 0;
    for (int64_t a = 0; a < m->data.d && used < sizeof list; a++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", a ? ", " : "", m->data.x_names[a]);
    return sk_fail(
        error, SUREKRIG_INVALID,
        "by = '%s': it takes what the model was fitted by (%s) or some of its features, which are %s; for other "
        "groups, fit by them",
        by, sk_setting_names(m->settings, "by"), list);
}

/* chosen: [d] the features of a list. */
static surekrig_status choose_features(const surekrig_model *m, const char *by, bool *chosen, surekrig_error *error)
{
    for (const char *at = by;; at++) {
        size_t length = strcspn(at, ",");
        int64_t a = 0;
        while (a < m->data.d && (strlen(m->data.x_names[a]) != length || strncmp(m->data.x_names[a], at, length)))
            a++;
        if (a == m->data.d)
            return no_groups(m, by, error);
        chosen[a] = true;
        at += length;
        if (!*at)
            return SUREKRIG_OK;
    }
}

/* Enough must be left without the largest group. */
static surekrig_status check_left(const surekrig_model *m, int64_t largest, const char *by, surekrig_error *error)
{
    int64_t n = m->data.n;
    if (n - largest >= m->info.neighbors)
        return SUREKRIG_OK;
    return sk_fail(
        error, SUREKRIG_DATA,
        "the largest group by %s holds %lld of %lld points and leaves %lld, fewer than the %lld neighbours that "
        "each is predicted from: fit with fewer neighbors",
        by, (long long)largest, (long long)n, (long long)(n - largest), (long long)m->info.neighbors);
}

surekrig_status sk_rows_by(const surekrig_model *m, const surekrig_validation *how, int64_t **group,
                           surekrig_error *error)
{
    const char *by = how->by ? how->by : "number";
    int64_t largest = 0;
    bool *chosen = sk_zeroed(m->data.d, sizeof *chosen);
    const int64_t *given = how->by && !strcmp(by, sk_setting_names(m->settings, "by")) ? m->data.group : how->group;
    *group = sk_alloc(sk_own(&m->data), sizeof **group);
    surekrig_status status = chosen && *group ? SUREKRIG_OK
                                              : sk_fail_memory(error, 8.0 * (double)m->data.n, "the groups");
    if (!status && !given)
        status = choose_features(m, by, chosen, error);
    if (!status)
        status = sk_rows_alike(&m->data, chosen, given, *group, &largest, error);
    free(chosen);
    return status ? status : check_left(m, largest, by, error);
}

surekrig_status sk_rows_after(const surekrig_model *m, double after, int64_t *group, sk_own_rows *rows,
                              surekrig_error *error)
{
    int64_t n = m->data.n, d = m->kriged.d;
    bool series = m->data.d == 1 &&
                  strcmp(sk_setting_names(m->settings, "time"), "none") != 0; /* its only feature is time */
    int64_t time = series ? 0 : m->metric.time;
    if (time < 0)
        return sk_fail(error, SUREKRIG_INVALID, "points after a time: the model has none (the setting time names it)");
    rows->own = 0;
    for (int64_t i = 0; i < sk_own(&m->data); i++) {
        group[i] = m->kriged.x[i * d + time] > after;
        if (group[i])
            rows->row[rows->own++] = i;
    }
    int64_t later = rows->all = sk_sum(sk_ranks_of(&m->data), rows->own);
    if (later > 0 && n - later >= m->info.neighbors)
        return SUREKRIG_OK;
    return sk_fail(
        error, SUREKRIG_DATA,
        "%lld of %lld points are after that time, %lld are not: there must be some, and at least the %lld neighbours "
        "that each is predicted from",
        (long long)later, (long long)n, (long long)(n - later), (long long)m->info.neighbors);
}
