/* Attributes and axes of a NetCDF file: x and y from the grid, and a third one, time as a rule, from the input. */
#include "netcdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_text(const io_raster_writer *w, GDALAttributeH attribute, const char *value)
{
    if (attribute)
        w->gdal->GDALAttributeWriteString(attribute, value);
    w->gdal->GDALAttributeRelease(attribute);
}

void netcdf_set_text(const io_raster_writer *w, GDALMDArrayH array, const char *name, const char *value)
{
    const netcdf *n = netcdf_of(w);
    if (!value || !*value)
        return;
    write_text(w,
               array ? w->gdal->GDALMDArrayCreateAttribute(array, name, 0, NULL, n->text, NULL)
                     : w->gdal->GDALGroupCreateAttribute(n->root, name, 0, NULL, n->text, NULL),
               value);
}

/* A coordinate variable with its values; the caller releases it. */
static GDALMDArrayH add_coordinate(const io_raster_writer *w, int axis, const char *name, size_t count,
                                   const double *value)
{
    netcdf *n = netcdf_of(w);
    GUInt64 from = 0;
    GDALMDArrayH array = w->gdal->GDALGroupCreateMDArray(n->root, name, 1, &n->axis[axis], n->wide, NULL);
    if (array)
        w->gdal->GDALMDArrayWrite(array, &from, &count, NULL, NULL, n->wide, value, NULL, 0);
    return array;
}

typedef struct axis_words {
    const char *name, *standard, *unit, *letter, *type, *direction;
} axis_words;

/* 1: y, 2: x. */
static axis_words words_of(const io_raster_plan *plan, int axis, bool projected, double metres)
{
    static const axis_words LAT = {"lat", "latitude", "degrees_north", "Y", "HORIZONTAL_Y", "NORTH"},
                            LON = {"lon", "longitude", "degrees_east", "X", "HORIZONTAL_X", "EAST"};
    /* Without a unit, and not "1": of coordinates in units of 1 GDAL makes no geotransform. */
    const char *unit = !projected ? NULL : metres == 1 ? "m" : metres == 1000 ? "km" : metres < 0.31 ? "ft" : NULL;
    if (plan->grid.geographic)
        return axis == 1 ? LAT : LON;
    return axis == 1 ? (axis_words){"y", projected ? "projection_y_coordinate" : "", unit, "Y", "HORIZONTAL_Y", "NORTH"}
                     : (axis_words){"x", projected ? "projection_x_coordinate" : "", unit, "X", "HORIZONTAL_X", "EAST"};
}

static bool add_plane_axis(const io_raster_writer *w, const io_raster_plan *plan, int axis, axis_words words)
{
    netcdf *n = netcdf_of(w);
    size_t count = (size_t)(axis == 1 ? plan->grid.rows : plan->grid.columns);
    double *value = malloc(count * sizeof *value), xy[2];
    if (!value)
        return false;
    for (size_t i = 0; i < count; i++) {
        io_grid_center(&plan->grid, axis == 1 ? 0 : (int64_t)i, axis == 1 ? (int64_t)i : 0, xy);
        value[i] = xy[axis == 1];
    }
    n->axis[axis] = w->gdal->GDALGroupCreateDimension(n->root, words.name, words.type, words.direction, count, NULL);
    GDALMDArrayH array = n->axis[axis] ? add_coordinate(w, axis, words.name, count, value) : NULL;
    free(value);
    if (!array)
        return false;
    netcdf_set_text(w, array, "standard_name", words.standard);
    netcdf_set_text(w, array, "long_name", words.standard);
    netcdf_set_text(w, array, "units", words.unit);
    netcdf_set_text(w, array, "axis", words.letter);
    w->gdal->GDALMDArrayRelease(array);
    return true;
}

/* The one dimension beside the plane's that all bands have a value of; "" where there is none. */
static void find_steps(const io_raster_writer *w, const io_raster_plan *plan, char name[NETCDF_NAME])
{
    const gdal_api *g = w->gdal;
    const char *extra = plan->like ? g->GDALGetMetadataItem(plan->like->set, "NETCDF_DIM_EXTRA", NULL) : NULL;
    char key[2 * NETCDF_NAME];
    name[0] = 0;
    if (!extra || *extra != '{' || strlen(extra) >= NETCDF_NAME)
        return;
    snprintf(name, NETCDF_NAME, "%.*s", (int)strcspn(extra + 1, "}"), extra + 1);
    snprintf(key, sizeof key, "NETCDF_DIM_%s", name);
    for (int i = 0; i < plan->bands; i++)
        if (!g->GDALGetMetadataItem(plan->like->band[plan->band[i]].handle, key, NULL))
            name[0] = 0;
}

/* Time, as a rule: its values and its attributes are the input's. */
static bool add_steps(const io_raster_writer *w, const io_raster_plan *plan)
{
    netcdf *n = netcdf_of(w);
    const gdal_api *g = w->gdal;
    double *value = malloc((size_t)plan->bands * sizeof *value);
    char key[2 * NETCDF_NAME];
    snprintf(key, sizeof key, "NETCDF_DIM_%s", n->step_name);
    for (int i = 0; i < plan->bands && value; i++)
        value[i] = strtod(g->GDALGetMetadataItem(plan->like->band[plan->band[i]].handle, key, NULL), NULL);
    n->axis[0] = g->GDALGroupCreateDimension(n->root, n->step_name, NULL, NULL, (GUInt64)plan->bands, NULL);
    GDALMDArrayH array = value && n->axis[0] ? add_coordinate(w, 0, n->step_name, (size_t)plan->bands, value) : NULL;
    free(value);
    size_t length = strlen(n->step_name);
    for (char **item = g->GDALGetMetadata(plan->like->set, NULL); array && item && *item; item++) {
        const char *name = *item + length + 1, *equals = strchr(*item, '=');
        if (strncmp(*item, n->step_name, length) || (*item)[length] != '#' || !equals || *name == '_' ||
            !strncmp(name, "bounds=", 7) || equals - name >= NETCDF_NAME)
            continue; /* the bounds are a variable that is not copied */
        snprintf(key, sizeof key, "%.*s", (int)(equals - name), name);
        netcdf_set_text(w, array, key, equals + 1);
    }
    g->GDALMDArrayRelease(array);
    return array != NULL;
}

bool netcdf_add_axes(const io_raster_writer *w, const io_raster_plan *plan, OGRSpatialReferenceH crs)
{
    netcdf *n = netcdf_of(w);
    bool projected = crs && !plan->grid.geographic;
    double metres = projected ? w->gdal->OSRGetLinearUnits(crs, NULL) : 1;
    find_steps(w, plan, n->step_name);
    bool good = !n->step_name[0] || add_steps(w, plan);
    for (int axis = 1; axis < 3 && good; axis++)
        good = add_plane_axis(w, plan, axis, words_of(plan, axis, projected, metres));
    return good;
}
