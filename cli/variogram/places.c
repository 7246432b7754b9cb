/* Places and values of a variogram: those of a table, or of a model in the coordinates of its distances. */
#include "variogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

surekrig_status variogram_of_table(const cli_call *call, variogram *v, surekrig_error *error)
{
    surekrig_status status = cli_read_training(call, &v->table, error);
    const cli_training *t = &v->table;
    v->n = t->n;
    v->d = v->coordinates = t->d;
    v->l = t->l;
    v->x = t->x;
    v->y = t->y;
    v->x_names = (const char *const *)t->x_names;
    v->y_names = (const char *const *)t->y_names;
    bool degrees = !status && t->d == 2 && (cli_is_longitude(t->x_names[0]) || cli_is_longitude(t->x_names[1])) &&
                   (cli_is_latitude(t->x_names[0]) || cli_is_latitude(t->x_names[1]));
    v->unit = degrees ? "distance in degrees, as in a plane" : "distance, in the features' units";
    if (degrees && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig variogram: %s; that of a model on the sphere is in km\n", v->unit);
    return status;
}

/* The columns of one part of the metric, from coordinate `at` on; how many. One length scale leaves them in their unit,
 * else they are in length scales. */
static int64_t lay_part(variogram *v, const cli_metric_part *part, int64_t at, bool one, double *pair)
{
    double unit = one ? 1 : part->rho;
    int64_t lon = part->feature[0], lat = part->feature[1], width = lat < 0 ? 1 : 3;
    if (lat >= 0) {
        surekrig_sphere sphere;
        surekrig_sphere_new((double[2]){v->x[lon], v->x[lat]}, &sphere);
        for (int64_t i = 0; i < v->n; i++) {
            double degrees[2] = {v->x[i * v->d + lon], v->x[i * v->d + lat]};
            surekrig_sphere_places(&sphere, 1, degrees, pair);
            for (int a = 0; a < 3; a++)
                v->place[i * v->coordinates + at + a] = pair[a] / unit;
        }
    }
    bool turned = part->along[0] != 0 || part->along[1] != 0;
    for (int64_t i = 0; i < v->n && lat < 0; i++) {
        const double *x = v->x + i * v->d;
        v->place[i * v->coordinates + at] = (turned ? part->along[0] * x[0] + part->along[1] * x[1] : x[lon]) / unit;
    }
    return width;
}

/* Coordinates as the model's distances are measured, and responses less its trend. */
surekrig_status variogram_of_model(const cli_call *call, variogram *v, surekrig_error *error)
{
    surekrig_status status = surekrig_model_load(call->argument[0], &v->model, error);
    if (status)
        return status;
    const surekrig_info *info = surekrig_model_info(v->model);
    const surekrig_data *data = surekrig_model_data(v->model);
    v->n = data->n;
    v->d = data->d;
    v->l = data->l;
    v->x = data->x;
    v->y = data->y;
    v->x_names = info->x_names;
    v->y_names = info->y_names;
    cli_metric_part *part = malloc((size_t)v->d * sizeof *part);
    int parts = part ? cli_metric_parts(info, part) : 0;
    bool one = !isnan(cli_estimate(info, "rho"));
    for (int i = 0; i < parts; i++)
        v->coordinates += part[i].feature[1] < 0 ? 1 : 3;
    v->place = malloc((size_t)(v->n * v->coordinates) * sizeof *v->place);
    v->rest = malloc((size_t)(v->n * v->l) * sizeof *v->rest);
    if (!part || !v->place || !v->rest) {
        free(part);
        return cli_no_memory(error);
    }
    double pair[3];
    for (int64_t i = 0, at = 0; i < parts; i++)
        at += lay_part(v, &part[i], at, one, pair);
    v->length = one ? part[0].rho : 1;
    v->unit = !one                      ? "distance in the fitted metric, in length scales"
              : part[0].feature[1] >= 0 ? "distance, in km"
                                        : "distance, in the features' units";
    free(part);
    memcpy(v->rest, v->y, (size_t)(v->n * v->l) * sizeof *v->rest);
    for (int64_t a = 0; a < v->d; a++)
        for (int64_t q = 0; q < v->l; q++) {
            char name[80];
            snprintf(name, sizeof name, v->l > 1 ? "trend_%.30s_%.30s" : "trend_%.60s", v->x_names[a], v->y_names[q]);
            double slope = cli_estimate(info, name);
            for (int64_t i = 0; i < v->n && !isnan(slope); i++)
                v->rest[i * v->l + q] -= slope * v->x[i * v->d + a];
        }
    v->x = v->place;
    v->y = v->rest;
    return SUREKRIG_OK;
}
