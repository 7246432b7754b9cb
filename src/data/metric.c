/* How features become coordinates. On a plane they are the coordinates, or these are turned, so that each has a length
 * scale along an axis of the field. On the sphere longitude and latitude become the point in space, in km: distances are
 * chords, for which every Matérn kernel is valid (on great circles only those with nu <= 1/2 are), and which have no seam
 * at the date line or the poles.
 *
 * The axes in space are turned so that the middle of the data lies on the diagonal (1, 1, 1): the surface there cuts
 * the six sectors of three dimensions, one for each axis and sign, in six equal angles. Along the axis of the earth or
 * of the middle itself two of the six would be empty. Distances do not change. */
#include "data/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- lines of a plane */

static void map_lines(const sk_metric_part *part, const double *x, double *z)
{
    for (int64_t i = 0; i < part->features; i++)
        z[part->coordinate[i]] = x[part->feature[i]];
}

/* ---- a plane whose axes are turned: each coordinate is of both features */

static void map_turned(const sk_metric_part *part, const double *x, double *z)
{
    z[part->coordinate[0]] = part->direction[0] * x[part->feature[0]] + part->direction[1] * x[part->feature[1]];
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

typedef struct directions {
    sk_column degrees[2]; /* longitude and latitude */
    double n;
} directions;

static void add_directions(void *context, double *sum)
{
    const directions *of = context;
    double p[3];
    const sk_column *lon = &of->degrees[0], *lat = &of->degrees[1];
    for (int64_t i = 0; i < lon->n; i++) {
        const double degrees[2] = {lon->value[i * lon->stride], lat->value[i * lat->stride]};
        point_in_space(degrees, p);
        for (int a = 0; a < 3; a++)
            sum[a] += p[a] / of->n;
    }
}

/* The middle is the mean direction; points all around the sphere have none, and any axes will do. */
static void prepare_sphere(const surekrig_data *data, sk_metric_part *part)
{
    double sum[3] = {0};
    directions of = {.n = (double)data->n};
    for (int i = 0; i < 2; i++)
        of.degrees[i] = sk_file_column(data, data->x + part->feature[i], data->d);
    sk_in_turn(sk_ranks_of(data), add_directions, &of, 3, sum);
    for (int i = 0; i < 2; i++)
        free(of.degrees[i].made);
    double length = hypot(hypot(sum[0], sum[1]), sum[2]);
    const double anywhere[3] = {1, 0, 0}, middle[3] = {sum[0] / length, sum[1] / length, sum[2] / length};
    turn_to_diagonal(length > 1e-6 ? middle : anywhere, &part->sphere);
}

static void map_sphere(const sk_metric_part *part, const double *x, double *z)
{
    const double degrees[2] = {x[part->feature[0]], x[part->feature[1]]};
    surekrig_sphere_places(&part->sphere, 1, degrees, z + part->coordinate[0]);
}

/* ---- all */

enum { LINES, TURNED, SPHERE };
static const sk_metric_row METRICS[] = {
    [LINES] = {"lines", NULL, NULL, map_lines},
    [TURNED] = {"turned", NULL, NULL, map_turned},
    [SPHERE] = {"sphere", fault_on_sphere, prepare_sphere, map_sphere},
};

void sk_metric_free(sk_metric *metric)
{
    free(metric->part);
    free(metric->lists);
    *metric = (sk_metric){0};
}

/* Of one part of the metric; *at: the point that is at fault. */
static surekrig_status check_part(const sk_metric_part *part, const surekrig_data *names, sk_metric_points points,
                                  int64_t *at, surekrig_error *error)
{
    char name[72];
    int which;
    for (int64_t i = 0; part->row->fault && i < points.n; i++) {
        const double *x = points.x + i * names->d;
        const char *fault = part->row->fault(part, x, &which);
        *at = points.number ? points.number[i] : i;
        if (fault)
            return sk_fail(error, SUREKRIG_DATA, "%s %lld, %s: %g %s", points.what, (long long)*at + 1,
                           sk_x_name(names, part->feature[which], name), x[part->feature[which]], fault);
    }
    return SUREKRIG_OK;
}

surekrig_status sk_metric_check(const sk_metric *metric, const surekrig_data *names, sk_metric_points points,
                                surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    int64_t at = 0;
    for (int64_t p = 0; p < metric->parts && !status; p++)
        status = check_part(&metric->part[p], names, points, &at, error);
    return status;
}

/* Of rows on many ranks the first at fault is told, as one process would. */
static surekrig_status check_rows(const sk_metric *metric, const surekrig_data *data, surekrig_error *error)
{
    sk_metric_points rows = {"row", sk_own(data), data->x, data->ranks ? data->ranks->number : NULL};
    surekrig_status status = SUREKRIG_OK;
    int64_t at = 0;
    for (int64_t p = 0; p < metric->parts && !status; p++) {
        status = check_part(&metric->part[p], data, rows, &at, error);
        status = sk_agree_least(sk_ranks_of(data), status, at, error);
    }
    return status;
}

static bool on_sphere(const sk_metric_roles *roles, int64_t feature)
{
    return roles->on_sphere && (feature == roles->sphere[0] || feature == roles->sphere[1]);
}

/* The sphere's three coordinates come first, then the other features as they stand; lists: [2 d + 1]. */
static void add_sphere(sk_metric *metric, const int64_t sphere[2])
{
    sk_metric_part part = {&METRICS[SPHERE], 2, 3, metric->lists, metric->lists + metric->features, {{0}}, {0}};
    for (int i = 0; i < 2; i++)
        part.feature[i] = sphere[i];
    for (int i = 0; i < 3; i++)
        part.coordinate[i] = i;
    metric->part[metric->parts++] = part;
}

/* The feature, and those behind it that are in its group. */
static void add_lines(sk_metric *metric, const sk_metric_roles *roles, int64_t feature)
{
    const sk_metric_part *last = metric->parts ? &metric->part[metric->parts - 1] : NULL;
    sk_metric_part part = {&METRICS[LINES],
                           0,
                           0,
                           last ? last->feature + last->features : metric->lists,
                           last ? last->coordinate + last->coordinates : metric->lists + metric->features,
                           {{0}},
                           {0}};
    for (int64_t b = feature; b < metric->features; b++) {
        if (b != feature && !(roles->group[b] > 0 && roles->group[b] == roles->group[feature]))
            continue;
        part.feature[part.features++] = b;
        part.coordinate[part.coordinates++] = roles->on_sphere ? b + 3 - (roles->sphere[0] < b) - (roles->sphere[1] < b)
                                                               : b;
    }
    metric->part[metric->parts++] = part;
}

/* The first coordinate along the direction, the second to its left. */
static void add_turned(sk_metric *metric, double degrees)
{
    double angle = degrees * acos(-1) / 180, along[2] = {cos(angle), sin(angle)};
    for (int i = 0; i < 2; i++) {
        sk_metric_part part = {&METRICS[TURNED], 2, 1, metric->lists, metric->lists + 2 + i, {{0}}, {0}};
        part.feature[i] = part.coordinate[0] = i;
        part.direction[0] = i ? -along[1] : along[0];
        part.direction[1] = i ? along[0] : along[1];
        metric->part[metric->parts++] = part;
    }
}

bool sk_metric_has_sphere(const sk_metric *metric)
{
    return metric->parts > 0 && metric->part[0].row == &METRICS[SPHERE];
}

static bool first_of_group(const sk_metric_roles *roles, int64_t feature)
{
    for (int64_t b = 0; b < feature && roles->group[feature] > 0; b++)
        if (roles->group[b] == roles->group[feature])
            return false;
    return true;
}

surekrig_status sk_metric_new(const surekrig_data *data, const sk_metric_roles *roles, sk_metric *out,
                              surekrig_error *error)
{
    int64_t d = data->d;
    sk_metric metric = {.features = d,
                        .coordinates = d + roles->on_sphere,
                        .part = sk_zeroed(d, sizeof *metric.part),
                        .lists = sk_zeroed(2 * d + 1, sizeof *metric.lists),
                        .same = !roles->on_sphere && !(roles->turn > 0),
                        .time = -1};
    surekrig_status status = SUREKRIG_OK;
    if (!metric.part || !metric.lists)
        status = sk_fail_memory(error, 120.0 * (double)d, "the metric");
    if (!status && roles->on_sphere)
        add_sphere(&metric, roles->sphere);
    if (!status && roles->turn > 0)
        add_turned(&metric, roles->turn);
    for (int64_t a = 0; a < d && !status && !(roles->turn > 0); a++)
        if (!on_sphere(roles, a) && first_of_group(roles, a))
            add_lines(&metric, roles, a);
    if (!status)
        status = check_rows(&metric, data, error);
    for (int64_t p = 0; p < metric.parts; p++)
        if (metric.part[p].features == 1 && metric.part[p].feature[0] == roles->time)
            metric.time = metric.part[p].coordinate[0];
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
        for (int64_t p = 0; p < metric->parts; p++)
            metric->part[p].row->map(&metric->part[p], x + i * metric->features, z + i * metric->coordinates);
}

void sk_metric_part_name(const sk_metric_part *part, const surekrig_data *names, const char *between, size_t room,
                         char *name)
{
    char one[72];
    if (part->row == &METRICS[TURNED]) { /* both are of the same features */
        snprintf(name, room, part->coordinate[0] ? "across" : "along");
        return;
    }
    size_t used = 0, each = room / (size_t)part->features, gap = part->features > 1 ? strlen(between) : 0;
    for (int64_t i = 0; i < part->features && used < room; i++)
        used += (size_t)snprintf(name + used, room - used, "%s%.*s", i ? between : "",
                                 each > gap + 1 ? (int)(each - gap - 1) : 1, sk_x_name(names, part->feature[i], one));
}

/* ---- the globe by itself */

static bool is_one_of(const char *name, const char *const *words)
{
    while (*words && strcasecmp(name, *words) != 0)
        words++;
    return *words != NULL;
}

/* The one feature with such a name, or -1: two of them tell nothing. */
static int64_t only(const surekrig_data *data, const char *const *words)
{
    int64_t found = -1, count = 0;
    for (int64_t a = 0; a < data->d; a++)
        if (is_one_of(data->x_names[a], words)) {
            found = a;
            count++;
        }
    return count == 1 ? found : -1;
}

bool sk_metric_is_globe(const surekrig_data *data, int64_t sphere[2])
{
    static const char *const LONGITUDE[] = {"lon", "long", "longitude", "lng", NULL}, *const LATITUDE[] = {"lat",
                                                                                                           "latitude",
                                                                                                           NULL};
    static const double LOWEST[] = {-180, -90}, HIGHEST[] = {360, 90}, /* degrees */
        WIDE = 20, POLAR = 60;                                         /* docs/decisions.md */
    double low[2], high[2];
    sphere[0] = only(data, LONGITUDE);
    sphere[1] = only(data, LATITUDE);
    if (sphere[0] < 0 || sphere[1] < 0)
        return false;
    for (int c = 0; c < 2; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int64_t i = 0; i < sk_own(data); i++) {
            low[c] = fmin(low[c], data->x[i * data->d + sphere[c]]);
            high[c] = fmax(high[c], data->x[i * data->d + sphere[c]]);
        }
        sk_least(sk_ranks_of(data), 1, &low[c]);
        sk_most(sk_ranks_of(data), 1, &high[c]);
        if (low[c] < LOWEST[c] || high[c] > HIGHEST[c])
            return false;
    }
    return high[0] - low[0] > WIDE || high[1] - low[1] > WIDE || fmax(-low[1], high[1]) > POLAR;
}

/* ---- time by itself */

static bool is_moment(const char *name)
{
    static const char *const NAMES[] = {"time", "date", "datetime", "timestamp", "year",   "month", "week",
                                        "day",  "doy",  "julian",   "hour",      "minute", NULL};
    return is_one_of(name, NAMES);
}

int sk_metric_moment(int64_t d, const char *const *x_names)
{
    static const char *const EAST[] = {"lon", "long", "longitude", "lng", "x", "easting", NULL},
                             *const NORTH[] = {"lat", "latitude", "y", "northing", NULL};
    enum { MOST = 4 };
    int moments = 0, east = 0, north = 0, found = -1;
    for (int a = 0; a < d && d <= MOST && x_names && x_names[a]; a++) {
        east += is_one_of(x_names[a], EAST);
        north += is_one_of(x_names[a], NORTH);
        moments += is_moment(x_names[a]);
        found = is_moment(x_names[a]) ? a : found;
    }
    return moments == 1 && east == 1 && north == 1 ? found : -1;
}
