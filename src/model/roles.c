/* The features that settings name, and what each is in distances: of a group, time, a coordinate on the sphere. */
#include "model/inside.h"

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

/* Names of features in a setting's text, and the features that they are. */
typedef struct named {
    const char *setting, *ends; /* characters that end a name */
    int64_t most, count;
    int64_t *found; /* [most] in the order of the names; count may be more */
} named;

/* From the text on to what ends a name and is no comma, or to its end, which is returned in *at. */
static surekrig_status find_features(const surekrig_model *m, named *list, const char **at, surekrig_error *error)
{
    for (list->count = 0;; ++*at) {
        size_t length = strcspn(*at, list->ends);
        int64_t a = 0;
        while (a < m->data.d && (strlen(m->data.x_names[a]) != length || strncmp(m->data.x_names[a], *at, length)))
            a++;
        if (a == m->data.d)
            return no_feature(m, list->setting, *at, length, error);
        if (list->count < list->most)
            list->found[list->count] = a;
        list->count++;
        *at += length;
        if (**at != ',')
            return SUREKRIG_OK;
    }
}

surekrig_status sk_choose_features(const surekrig_model *m, const char *setting, bool *chosen, surekrig_error *error)
{
    int64_t d = m->data.d;
    named list = {setting, ",", d, 0, sk_alloc(d, sizeof *list.found)};
    const char *at = sk_setting_names(m->settings, setting);
    bool all = !strcmp(at, "all");
    surekrig_status status = list.found ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)d, "the columns");
    for (int64_t a = 0; a < d; a++)
        chosen[a] = all;
    if (!status && !all)
        status = find_features(m, &list, &at, error);
    for (int64_t i = 0; !status && !all && i < (list.count < d ? list.count : d); i++)
        chosen[list.found[i]] = true;
    free(list.found);
    return status;
}

/* One group of the list, which gets a number; found: [d]. */
static surekrig_status take_group(const surekrig_model *m, const named *list, int64_t number, int64_t *group,
                                  surekrig_error *error)
{
    const char *text = sk_setting_names(m->settings, "group");
    if (list->count < 2)
        return sk_fail(error, SUREKRIG_INVALID,
                       "group = '%s': '%s' is alone: a group is two features or more, such as lon,lat", text,
                       m->data.x_names[list->found[0]]);
    for (int64_t i = 0; i < list->count; i++) {
        int64_t a = list->found[i < list->most ? i : 0];
        if (group[a])
            return sk_fail(error, SUREKRIG_INVALID, "group = '%s': '%s' is named twice: a feature has one length scale",
                           text, m->data.x_names[a]);
        group[a] = number;
    }
    return SUREKRIG_OK;
}

/* Features that share a length scale, "lon,lat;u,v": group [d] is their number, from 1. */
static surekrig_status find_groups(const surekrig_model *m, int64_t *group, surekrig_error *error)
{
    const char *at = sk_setting_names(m->settings, "group");
    int64_t d = m->data.d;
    if (!strcmp(at, "none"))
        return SUREKRIG_OK;
    named list = {"group", ",;", d, 0, sk_alloc(d, sizeof *list.found)};
    surekrig_status status = list.found ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)d, "the groups");
    for (int64_t number = 1; !status; number++) {
        status = find_features(m, &list, &at, error);
        if (!status)
            status = take_group(m, &list, number, group, error);
        if (status || !*at)
            break;
        at++;
    }
    free(list.found);
    return status;
}

/* The feature that is time, or -1. One with a single value tells nothing, and counts for nothing. */
static surekrig_status find_time(const surekrig_model *m, bool *chosen, sk_metric_roles *roles, surekrig_error *error)
{
    const char *text = sk_setting_names(m->settings, "time"), *at = text;
    const surekrig_data *data = &m->data;
    named list = {"time", ",", 1, 0, &roles->time};
    bool varies = false;
    roles->time = -1;
    if (!strcmp(text, "none"))
        return SUREKRIG_OK;
    surekrig_status status = find_features(m, &list, &at, error);
    if (status)
        return status;
    if (list.count != 1)
        return sk_fail(error, SUREKRIG_INVALID, "time = '%s': it takes one feature", text);
    if (data->d < 2 && m->settings->spacetime > SK_GEOMETRIC)
        return sk_fail(error, SUREKRIG_INVALID, "spacetime = %s is of no use: time = '%s' is the only feature",
                       surekrig_settings_get(m->settings, "spacetime"), text);
    if (data->d < 2) { /* a series: without space beside it time is a feature like any other */
        roles->time = -1;
        return SUREKRIG_OK;
    }
    for (int64_t i = 1; i < sk_own(data) && !varies; i++)
        varies = data->x[i * data->d + roles->time] != data->x[roles->time];
    double one = sk_own(data) ? data->x[roles->time] : NAN, ends[2] = {one, one};
    sk_least(sk_ranks_of(data), 1, &ends[0]);
    sk_most(sk_ranks_of(data), 1, &ends[1]);
    chosen[roles->time] &= sk_sum(sk_ranks_of(data), varies) > 0 || ends[0] < ends[1];
    return SUREKRIG_OK;
}

static surekrig_status check_time(const surekrig_model *m, const sk_metric_roles *roles, surekrig_error *error)
{
    int64_t t = roles->time;
    if (t < 0 || !(roles->group[t] || (roles->on_sphere && (t == roles->sphere[0] || t == roles->sphere[1]))))
        return SUREKRIG_OK;
    return sk_fail(error, SUREKRIG_INVALID, "'%s' is in time and in %s: time has a length scale of its own",
                   m->data.x_names[t], roles->group[t] ? "group" : "sphere");
}

/* What stands beside time is space: two features have one length scale, unless they are of the sphere or the user
 * speaks of groups. That is the model's setting from now on. */
static surekrig_status group_space(surekrig_model *m, const bool *chosen, sk_metric_roles *roles, surekrig_error *error)
{
    int64_t found[2], count = 0;
    char names[160];
    for (int64_t a = 0; a < m->data.d; a++)
        if (a != roles->time && chosen[a])
            found[count++ % 2] = a;
    if (roles->time < 0 || roles->on_sphere || count != 2 || sk_setting_given(m->settings, "group") ||
        m->settings->rho.count > 2 || m->settings->anisotropic == SK_ANISOTROPIC_NO)
        return SUREKRIG_OK;
    roles->group[found[0]] = roles->group[found[1]] = 1;
    int room = snprintf(names, sizeof names, "%s,%s", m->data.x_names[found[0]], m->data.x_names[found[1]]);
    return room < (int)sizeof names ? surekrig_settings_set(m->settings, "group", names, error)
                                    : sk_fail(error, SUREKRIG_INVALID, "the names %s are too long", names);
}

/* Left open: separable, where time has a length scale of its own and there is one term. */
static surekrig_status settle_spacetime(surekrig_model *m, const bool *chosen, int64_t time, surekrig_error *error)
{
    surekrig_settings *s = m->settings;
    bool counts = time >= 0 && chosen[time], own = counts && s->anisotropic != SK_ANISOTROPIC_NO;
    m->metric.time = counts ? m->metric.time : -1;
    if (counts && !own && s->spacetime > SK_GEOMETRIC)
        return sk_fail(error, SUREKRIG_INVALID,
                       "spacetime = %s goes with a length scale of time, not with anisotropic = no",
                       surekrig_settings_get(s, "spacetime"));
    if (s->spacetime > SK_GEOMETRIC && s->terms > 1)
        return sk_fail(error, SUREKRIG_INVALID, "terms = %lld goes with spacetime = geometric, not with %s",
                       (long long)s->terms, surekrig_settings_get(s, "spacetime"));
    if (s->spacetime != SK_SPACETIME_AUTO)
        return SUREKRIG_OK;
    bool possible = own && s->terms == 1 && s->optimizer != SK_OPTIMIZER_LBFGS; /* without gradients */
    return surekrig_settings_set(s, "spacetime", possible ? "separable" : "geometric", error);
}

/* The sphere where the data are plainly of the globe, if nothing the user says is about these columns as a plane: a
 * length scale is in the features' units. What is found is the model's setting from now on. */
static surekrig_status look_for_globe(surekrig_model *m, const bool *chosen, sk_metric_roles *roles,
                                      surekrig_error *error)
{
    const int64_t *lon = &roles->sphere[0], *lat = &roles->sphere[1];
    char names[72];
    roles->on_sphere = m->settings->rho.how == SK_AUTO && sk_metric_is_globe(&m->data, roles->sphere) && chosen[*lon] &&
                       chosen[*lat] && !roles->group[*lon] && !roles->group[*lat];
    if (roles->on_sphere)
        snprintf(names, sizeof names, "%s,%s", m->data.x_names[*lon], m->data.x_names[*lat]);
    return surekrig_settings_set(m->settings, "sphere", roles->on_sphere ? names : "no", error);
}

static surekrig_status find_sphere(surekrig_model *m, const bool *chosen, sk_metric_roles *roles, surekrig_error *error)
{
    const char *text = sk_setting_names(m->settings, "sphere"), *at = text;
    named list = {"sphere", ",", 2, 0, roles->sphere};
    if (!strcmp(text, "auto"))
        return look_for_globe(m, chosen, roles, error);
    roles->on_sphere = strcmp(text, "no") != 0 && strcmp(text, "none") != 0;
    if (!roles->on_sphere)
        return SUREKRIG_OK;
    surekrig_status status = strchr(text, ',') ? find_features(m, &list, &at, error) : SUREKRIG_OK; /* not "yes" */
    if (status)
        return status;
    if (list.count != 2 || roles->sphere[0] == roles->sphere[1])
        return sk_fail(error, SUREKRIG_INVALID,
                       "sphere = '%s': it takes two features, longitude and then latitude, such as lon,lat", text);
    for (int i = 0; i < 2; i++)
        if (roles->group[roles->sphere[i]])
            return sk_fail(error, SUREKRIG_INVALID,
                           "'%s' is in sphere = '%s' and in group = '%s': on the sphere the two have one length scale, "
                           "so leave them out of group",
                           m->data.x_names[roles->sphere[i]], text, sk_setting_names(m->settings, "group"));
    return SUREKRIG_OK;
}

/* What has a length scale in common counts in distances, or does not. */
static surekrig_status check_together(const surekrig_model *m, const bool *chosen, surekrig_error *error)
{
    char name[200];
    for (int64_t p = 0; p < m->metric.parts; p++) {
        const sk_metric_part *part = &m->metric.part[p];
        for (int64_t i = 1; i < part->features; i++)
            if (chosen[part->feature[i]] != chosen[part->feature[0]]) {
                sk_metric_part_name(part, &m->data, ", ", sizeof name, name);
                return sk_fail(error, SUREKRIG_INVALID,
                               "distance = '%s': it must name all of %s or none of them, since they have one length "
                               "scale",
                               sk_setting_names(m->settings, "distance"), name);
            }
    }
    return SUREKRIG_OK;
}

/* A turn is of two coordinates of a plane. A model that was trained has it as its setting. */
static surekrig_status find_turn(const surekrig_model *m, const bool *chosen, sk_metric_roles *roles,
                                 surekrig_error *error)
{
    double turn = m->settings->turn;
    roles->turn = isinf(turn) || turn == 180 ? 0 : turn;
    bool plane = m->data.d == 2 && chosen[0] && chosen[1] && !roles->on_sphere && !roles->group[0] && roles->time < 0 &&
                 m->settings->anisotropic != SK_ANISOTROPIC_NO;
    if (roles->turn > 0 && !plane)
        return sk_fail(error, SUREKRIG_INVALID,
                       "turn = %s is for two features of a plane that both count, with a length scale each: not on the "
                       "sphere, in a group or with a time",
                       surekrig_settings_get(m->settings, "turn"));
    return SUREKRIG_OK;
}

surekrig_status sk_model_metric(surekrig_model *m, bool *chosen, surekrig_error *error)
{
    sk_metric_roles roles = {.group = sk_zeroed(m->data.d, sizeof *roles.group)};
    surekrig_status status = roles.group ? find_groups(m, roles.group, error)
                                         : sk_fail_memory(error, 8.0 * (double)m->data.d, "the groups");
    if (!status)
        status = find_time(m, chosen, &roles, error);
    if (!status)
        status = find_sphere(m, chosen, &roles, error);
    if (!status)
        status = check_time(m, &roles, error);
    if (!status)
        status = group_space(m, chosen, &roles, error);
    if (!status)
        status = find_turn(m, chosen, &roles, error);
    if (!status)
        status = sk_metric_new(&m->data, &roles, &m->metric, error);
    if (!status)
        status = settle_spacetime(m, chosen, roles.time, error);
    free(roles.group);
    return status ? status : check_together(m, chosen, error);
}
