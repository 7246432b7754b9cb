/* How the fitted correlation falls with distance, and how far it reaches. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double cli_estimate(const surekrig_info *info, const char *name)
{
    for (int i = 0; i < info->estimates; i++)
        if (!strcmp(info->estimate[i].name, name))
            return info->estimate[i].value;
    return NAN;
}

/* By any kernel and any number of terms: kriged from one datum of 1 without a nugget, the mean is the correlation. */
surekrig_status cli_correlation(const surekrig_info *info, int64_t n, const double *distance, double *correlation,
                                surekrig_error *error)
{
    double share = cli_estimate(info, "long_share"), ratio = cli_estimate(info, "long_ratio"), here = 0, one = 1;
    bool two = !isnan(share);
    surekrig_term term[] = {{two ? 1 - share : 1, cli_estimate(info, "nu"), &one,
                             surekrig_settings_get(info->settings, "kernel")},
                            {share, cli_estimate(info, "long_nu"), &ratio, NULL}};
    surekrig_theta theta = {.terms = two ? 2 : 1, .term = term, .gamma2 = 1};
    surekrig_data data = {.n = 1, .d = 1, .l = 1, .x = &here, .y = &one};
    int64_t *neighbor = calloc((size_t)n + 1, sizeof *neighbor);
    if (!neighbor)
        return cli_no_memory(error);
    surekrig_neighborhoods around = {.n = n, .k = 1, .neighbor = neighbor, .x = distance};
    surekrig_status status = surekrig_krige(&data, &around, &theta, "auto", &(surekrig_kriged){.mean = correlation},
                                            error);
    free(neighbor);
    return status;
}

/* Narrowed from twelve orders of magnitude, in steps of a hundredth. */
surekrig_status cli_practical_range(const surekrig_info *info, const char *feature, double *range,
                                    surekrig_error *error)
{
    surekrig_estimate nu = {.name = "nu", .value = cli_estimate(info, "time_nu")};
    surekrig_info alone = {.estimates = 1, .estimate = &nu, .settings = info->settings};
    if (!isnan(nu.value) && !strcmp(feature, surekrig_settings_get(info->settings, "time")))
        info = &alone; /* time has a smoothness of its own */
    enum { STEPS = 100, ROUNDS = 6 };
    double low = log(1e-6), high = log(1e6), at[STEPS + 1], correlation[STEPS + 1];
    for (int round = 0; round < ROUNDS; round++) {
        int first = 0;
        for (int i = 0; i <= STEPS; i++)
            at[i] = exp(low + (high - low) * i / STEPS);
        surekrig_status status = cli_correlation(info, STEPS + 1, at, correlation, error);
        if (status)
            return status;
        while (first <= STEPS && correlation[first] > 0.05)
            first++;
        if (first == 0 || first > STEPS)
            return *range = NAN, SUREKRIG_OK;
        low = log(at[first - 1]);
        high = log(at[first]);
    }
    *range = exp(high);
    return SUREKRIG_OK;
}

int cli_group_of(const char *groups, const char *name)
{
    int number = 1;
    for (const char *at = groups; *at; at += *at != 0) {
        size_t length = strcspn(at, ",;");
        if (length == strlen(name) && !strncmp(at, name, length))
            return number;
        at += length;
        number += *at == ';';
    }
    return 0;
}

/* What the estimate of a feature's length scale is called: after all features that share it. */
static void name_scale(const surekrig_info *info, const char *name, size_t room, char *label)
{
    const char *groups = surekrig_settings_get(info->settings, "group");
    int group = cli_group_of(groups, name);
    size_t used = (size_t)snprintf(label, room, group ? "rho" : "rho_%s", name);
    for (int64_t b = 0; b < info->d && used < room && group; b++)
        if (cli_group_of(groups, info->x_names[b]) == group)
            used += (size_t)snprintf(label + used, room - used, "_%s", info->x_names[b]);
}

const char *cli_sphere(const surekrig_info *info)
{
    const char *set = surekrig_settings_get(info->settings, "sphere");
    return strchr(set, ',') ? set : NULL;
}

double cli_turn(const surekrig_info *info)
{
    const char *degrees = surekrig_settings_get(info->settings, "turn"); /* a word: 0 */
    return isnan(cli_estimate(info, "rho_along")) ? 0 : strtod(degrees, NULL);
}

static int turned_parts(const surekrig_info *info, cli_metric_part *part)
{
    double angle = cli_turn(info) * acos(-1) / 180, c = cos(angle), s = sin(angle);
    part[0] = (cli_metric_part){{0, -1}, cli_estimate(info, "rho_along"), {c, s}, "along"};
    part[1] = (cli_metric_part){{1, -1}, cli_estimate(info, "rho_across"), {-s, c}, "across"};
    return 2;
}

int cli_metric_parts(const surekrig_info *info, cli_metric_part *part)
{
    if (cli_turn(info) > 0)
        return turned_parts(info, part);
    const char *sphere = cli_sphere(info);
    const char *counted = surekrig_settings_get(info->settings, "distance");
    double all = cli_estimate(info, "rho");
    int parts = 0;
    for (int64_t a = 0; a < info->d; a++) {
        const char *name = info->x_names[a];
        if (strcmp(counted, "all") != 0 && !cli_in_list(counted, name))
            continue;
        cli_metric_part here = {.feature = {a, -1}};
        snprintf(here.name, sizeof here.name, "%.60s", name);
        if (cli_in_list(sphere, name)) { /* longitude first */
            size_t length = strcspn(sphere, ",");
            if (strlen(name) != length || strncmp(sphere, name, length) != 0)
                continue; /* with its longitude */
            for (int64_t b = 0; b < info->d; b++)
                here.feature[1] = !strcmp(sphere + length + 1, info->x_names[b]) ? b : here.feature[1];
            snprintf(here.name, sizeof here.name, "%.30s_%.30s", name, sphere + length + 1);
        }
        char rho[72]; /* as long as an estimate's name can be */
        if (here.feature[1] >= 0)
            snprintf(rho, sizeof rho, "rho_%.62s", here.name);
        else
            name_scale(info, name, sizeof rho, rho);
        here.rho = isnan(all) ? cli_estimate(info, rho) : all;
        part[parts++] = here;
    }
    return parts;
}
