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

/* Longitudes may count from -180 or from 0; one turn more is a mistake. A missing one is not. */
static const char *fault_on_sphere(const sk_metric_part *part, const double *x, int *which)
{
    double lon = x[part->feature[0]], lat = x[part->feature[1]];
    *which = fabs(lat) > 90;
    if (*which)
        return "is not a latitude, which is from -90 to 90 degrees";
    return lon < -180 || lon > 360 ? "is not a longitude, which is from -180 to 360 degrees" : NULL;
}

/* The middle is the mean direction; points all around the sphere have none, and any axes will do. */
static void prepare_sphere(const surekrig_data *data, sk_metric_part *part)
{
    double sum[3] = {0}, p[3];
    for (int64_t i = 0; i < data->n; i++) {
        const double *x = data->x + i * data->d, degrees[2] = {x[part->feature[0]], x[part->feature[1]]};
        point_in_space(degrees, p);
        for (int a = 0; a < 3; a++)
            sum[a] += p[a] / (double)data->n;
    }
    double length = hypot(hypot(sum[0], sum[1]), sum[2]);
    const double anywhere[3] = {1, 0, 0}, middle[3] = {sum[0] / length, sum[1] / length, sum[2] / length};
    turn_to_diagonal(length > 1e-6 ? middle : anywhere, &part->sphere);
}

static void map_sphere(const sk_metric_part *part, const double *x, double *z)
{
    const double degrees[2] = {x[part->feature[0]], x[part->feature[1]]};
    surekrig_sphere_places(&part->sphere, 1, degrees, z);
}

/* ---- all */

enum { LINE, SPHERE };
static const sk_metric_row METRICS[] = {
    [LINE] = {"line", 1, 1, NULL, NULL, map_line},
    [SPHERE] = {"sphere", 2, 3, fault_on_sphere, prepare_sphere, map_sphere},
};

void sk_metric_free(sk_metric *metric)
{
    free(metric->part);
    *metric = (sk_metric){0};
}

static void add_part(sk_metric *metric, sk_metric_part part)
{
    part.first = metric->coordinates;
    metric->coordinates += part.row->coordinates;
    metric->part[metric->parts++] = part;
}

surekrig_status sk_metric_check(const sk_metric *metric, const surekrig_data *names, sk_metric_points points,
                                surekrig_error *error)
{
    char name[72];
    int which;
    for (int64_t p = 0; p < metric->parts; p++) {
        const sk_metric_part *part = &metric->part[p];
        for (int64_t i = 0; part->row->fault && i < points.n; i++) {
            const double *x = points.x + i * metric->features;
            const char *fault = part->row->fault(part, x, &which);
            if (fault)
                return sk_fail(error, SUREKRIG_DATA, "%s %lld, %s: %g %s", points.what, (long long)i + 1,
                               sk_x_name(names, part->feature[which], name), x[part->feature[which]], fault);
        }
    }
    return SUREKRIG_OK;
}

surekrig_status sk_metric_new(const surekrig_data *data, const int64_t sphere[2], sk_metric *out, surekrig_error *error)
{
    sk_metric metric = {.features = data->d, .part = sk_zeroed(data->d, sizeof *metric.part), .same = !sphere};
    if (!metric.part)
        return sk_fail_memory(error, 100.0 * (double)data->d, "the metric");
    if (sphere)
        add_part(&metric, (sk_metric_part){&METRICS[SPHERE], {sphere[0], sphere[1]}});
    for (int64_t a = 0; a < data->d; a++)
        if (!sphere || (a != sphere[0] && a != sphere[1]))
            add_part(&metric, (sk_metric_part){&METRICS[LINE], {a}});
    surekrig_status status = sk_metric_check(&metric, data, (sk_metric_points){"row", data->n, data->x}, error);
    for (int64_t p = 0; p < metric.parts && !status; p++)
        if (metric.part[p].row->prepare)
            metric.part[p].row->prepare(data, &metric.part[p]);
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
