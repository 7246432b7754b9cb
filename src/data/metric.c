/* How features become coordinates. On a plane they are the coordinates. On the sphere longitude and latitude become
 * the point in space, in km: distances are chords, for which every Matérn kernel is valid (on great circles only those
 * with nu <= 1/2 are), and which have no seam at the date line or the poles.
 *
 * The axes in space are turned so that the middle of the data lies on the diagonal (1, 1, 1): the surface there cuts
 * the six sectors of three dimensions, one for each axis and sign, in six equal angles. Along the axis of the earth or
 * of the middle itself two of the six would be empty. Distances do not change. */
#include "data/data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a line of a plane */

static void map_line(const sk_metric_part *part, const double *x, double *z)
{
    z[0] = x[part->feature[0]];
}

/* ---- the sphere */

static const double EARTH_KM = 6371.0088; /* mean radius, IUGG */

static void point_in_space(const double degrees[2], double p[3])
{
    double radian = acos(-1) / 180, lon = degrees[0] * radian, lat = degrees[1] * radian;
    p[0] = cos(lat) * cos(lon);
    p[1] = cos(lat) * sin(lon);
    p[2] = sin(lat);
}

/* The rotation that takes the point c to (1, 1, 1)/sqrt(3). A sector's middle is m; east is 7.5 degrees from one, so
 * that neither a raster's lines nor its diagonals run along an edge between two sectors, where rounding would
 * decide. */
static void turn_to_diagonal(const double c[3], surekrig_sphere *sphere)
{
    const double up[3] = {1 / sqrt(3), 1 / sqrt(3), 1 / sqrt(3)}, m[3] = {2 / sqrt(6), -1 / sqrt(6), -1 / sqrt(6)},
                 q[3] = {0, 1 / sqrt(2), -1 / sqrt(2)}; /* up x m */
    double angle = 7.5 * acos(-1) / 180, flat = hypot(c[0], c[1]);
    double east[3] = {flat > 0 ? -c[1] / flat : 0, flat > 0 ? c[0] / flat : 1, 0};
    double north[3] = {-c[2] * east[1], c[2] * east[0], c[0] * east[1] - c[1] * east[0]}; /* c x east */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sphere->turn[3 * i + j] = up[i] * c[j] + (cos(angle) * m[i] - sin(angle) * q[i]) * east[j] +
                                      (sin(angle) * m[i] + cos(angle) * q[i]) * north[j];
}

void surekrig_sphere_new(const double middle[2], surekrig_sphere *sphere)
{
    double c[3];
    point_in_space(middle, c);
    turn_to_diagonal(c, sphere);
}

void surekrig_sphere_places(const surekrig_sphere *sphere, int64_t n, const double *degrees, double *place)
{
    double p[3];
    for (int64_t i = 0; i < n; i++) {
        point_in_space(degrees + 2 * i, p);
        for (int a = 0; a < 3; a++) {
            const double *turn = sphere->turn + 3 * a;
            place[3 * i + a] = EARTH_KM * (turn[0] * p[0] + turn[1] * p[1] + turn[2] * p[2]);
        }
    }
}

/* Longitudes may count from -180 or from 0; one turn more is a mistake. */
static surekrig_status check_degrees(const surekrig_data *data, const sk_metric_part *part, surekrig_error *error)
{
    char name[72];
    for (int64_t i = 0; i < data->n; i++) {
        double lon = data->x[i * data->d + part->feature[0]], lat = data->x[i * data->d + part->feature[1]];
        if (!(fabs(lat) <= 90))
            return sk_fail(error, SUREKRIG_DATA, "%s, row %lld: a latitude of %g degrees is not on the sphere",
                           sk_x_name(data, part->feature[1], name), (long long)i + 1, lat);
        if (!(lon >= -180 && lon <= 360))
            return sk_fail(error, SUREKRIG_DATA, "%s, row %lld: a longitude of %g degrees is not from -180 to 360",
                           sk_x_name(data, part->feature[0], name), (long long)i + 1, lon);
    }
    return SUREKRIG_OK;
}

/* The middle is the mean direction; points all around the sphere have none, and any axes will do. */
static surekrig_status prepare_sphere(const surekrig_data *data, sk_metric_part *part, surekrig_error *error)
{
    surekrig_status status = check_degrees(data, part, error);
    double sum[3] = {0}, p[3];
    if (status)
        return status;
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->x + i * data->d, degrees[2] = {x[part->feature[0]], x[part->feature[1]]};
        point_in_space(degrees, p);
        for (int a = 0; a < 3; a++)
            sum[a] += p[a] / (double)data->n;
    }
    double length = hypot(hypot(sum[0], sum[1]), sum[2]);
    const double anywhere[3] = {1, 0, 0}, middle[3] = {sum[0] / length, sum[1] / length, sum[2] / length};
    turn_to_diagonal(length > 1e-6 ? middle : anywhere, &part->sphere);
    return SUREKRIG_OK;
}

static void map_sphere(const sk_metric_part *part, const double *x, double *z)
{
    const double degrees[2] = {x[part->feature[0]], x[part->feature[1]]};
    surekrig_sphere_places(&part->sphere, 1, degrees, z);
}

/* ---- all */

enum { LINE, SPHERE };
static const sk_metric_row METRICS[] = {
    [LINE] = {"line", 1, 1, NULL, map_line},
    [SPHERE] = {"sphere", 2, 3, prepare_sphere, map_sphere},
};

void sk_metric_free(sk_metric *metric)
{
    free(metric->part);
    *metric = (sk_metric){0};
}

static surekrig_status add_part(sk_metric *metric, const surekrig_data *data, sk_metric_part part,
                                surekrig_error *error)
{
    part.first = metric->coordinates;
    metric->coordinates += part.row->coordinates;
    sk_metric_part *to = &metric->part[metric->parts++];
    *to = part;
    return part.row->prepare ? part.row->prepare(data, to, error) : SUREKRIG_OK;
}

surekrig_status sk_metric_new(const surekrig_data *data, const int64_t sphere[2], sk_metric *out, surekrig_error *error)
{
    sk_metric metric = {.features = data->d, .part = sk_alloc(data->d, sizeof *metric.part), .same = !sphere};
    if (!metric.part)
        return sk_fail_memory(error, 100.0 * (double)data->d, "the metric");
    surekrig_status status = SUREKRIG_OK;
    if (sphere)
        status = add_part(&metric, data, (sk_metric_part){&METRICS[SPHERE], {sphere[0], sphere[1]}}, error);
    for (int64_t a = 0; a < data->d && !status; a++)
        if (!sphere || (a != sphere[0] && a != sphere[1]))
            status = add_part(&metric, data, (sk_metric_part){&METRICS[LINE], {a}}, error);
    if (status)
        sk_metric_free(&metric);
    else
        *out = metric;
    return status;
}

void sk_metric_map(const sk_metric *metric, int64_t n, const double *x, double *z)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t p = 0; p < metric->parts; p++) {
            const sk_metric_part *part = &metric->part[p];
            part->row->map(part, x + i * metric->features, z + i * metric->coordinates + part->first);
        }
}

const sk_metric_part *sk_metric_part_of(const sk_metric *metric, int64_t coordinate)
{
    const sk_metric_part *part = metric->part;
    while (coordinate >= part->first + part->row->coordinates)
        part++;
    return part;
}
