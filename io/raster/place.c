/* Pixels that lie on no even grid are refused: a geotransform would put them where they are not. */
#include "file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --------------------------------------------------------------------------------------------------- NetCDF axes */

/* GDAL looks at a few steps of an axis only. In line, within 0.02 of a step (coordinates are often rounded) and what
 * floats round off: value[i] = value[0] + i step,  step = (value[count - 1] - value[0]) / (count - 1) */
static bool even(size_t count, const double *value)
{
    double step = (value[count - 1] - value[0]) / (double)(count - 1);
    double off = 0.02 * fabs(step) + FLT_EPSILON * fmax(fabs(value[0]), fabs(value[count - 1]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(value[i] - (value[0] + (double)i * step)) <= off))
            return false;
    return true;
}

static surekrig_status fail_uneven(const io_raster *r, const char *name, size_t count, const double *value,
                                   surekrig_error *error)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 1; i < count; i++) {
        least = fmin(least, value[i] - value[i - 1]);
        most = fmax(most, value[i] - value[i - 1]);
    }
    return io_fail(
        error, SUREKRIG_DATA,
        "the axis %s of %s is not even, its steps go from %.6g to %.6g: bring the raster onto an even grid first, with cdo's "
        "remapbil or xarray's interp",
        name, io_label(r->path), least, most);
}

/* Coordinates of the plane's rows, then of its columns; step 0: of this axis the file has none. */
typedef struct axis {
    double first, step;
    size_t count;
    bool degrees; /* by its name and its numbers: a latitude, or of columns a longitude */
} axis;

/* Files of xarray often say no more than the names of their dimensions. */
static bool is_degrees(const char *name, const axis *a, bool latitude)
{
    static const char *const NAMES[2][4] = {{"lon", "longitude", "long", "lng"}, {"lat", "latitude"}};
    static const double LEAST[] = {-180, -90}, MOST[] = {360, 90};
    double last = a->first + (double)(a->count - 1) * a->step;
    bool inside = fmin(a->first, last) >= LEAST[latitude] && fmax(a->first, last) <= MOST[latitude];
    for (int i = 0; i < 4 && NAMES[latitude][i] && inside; i++)
        if (!strcasecmp(name, NAMES[latitude][i]))
            return true;
    return false;
}

/* Whether numbers along it are times, which place nothing in the plane. */
static bool is_time(const gdal_api *g, GDALMDArrayH array)
{
    const char *unit = g->GDALMDArrayGetUnit(array);
    return unit && strstr(unit, " since ");
}

/* An axis without coordinates of its own counts pixels, evenly. */
static surekrig_status check_axis(const io_raster *r, GDALDimensionH dimension, bool lines, axis *a,
                                  surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    size_t count = a->count = (size_t)g->GDALDimensionGetSize(dimension);
    GUInt64 from = 0;
    GDALMDArrayH array = count > 1 ? g->GDALDimensionGetIndexingVariable(dimension) : NULL;
    if (!array)
        return SUREKRIG_OK;
    GDALExtendedDataTypeH wide = g->GDALExtendedDataTypeCreate(GDT_Float64);
    double *value = calloc(count, sizeof *value); /* which refuses a count beyond all memory */
    surekrig_status status = value ? SUREKRIG_OK : io_fail_memory(error, r->path);
    if (value && g->GDALMDArrayRead(array, &from, &count, NULL, NULL, wide, value, NULL, 0)) {
        a->first = value[0];
        a->step = is_time(g, array) ? 0 : (value[count - 1] - value[0]) / (double)(count - 1);
        a->degrees = a->step != 0 && is_degrees(g->GDALMDArrayGetName(array), a, lines);
        if (!even(count, value))
            status = fail_uneven(r, g->GDALDimensionGetName(dimension), count, value, error);
    }
    free(value);
    g->GDALExtendedDataTypeRelease(wide);
    g->GDALMDArrayRelease(array);
    return status;
}

/* Whether the name of the last dimension is one of lines, as y, or a time: of which GDAL would make columns. */
static bool turned(const io_raster *r, const char *last)
{
    static const char *const LINES[] = {"y", "lat", "north", "time"};
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES && !r->placed; i++)
        if (!strncasecmp(last, LINES[i], strlen(LINES[i])))
            return true;
    return false;
}

/* The variable's last two dimensions are the plane's. */
static surekrig_status check_plane(const io_raster *r, GDALDimensionH dimension[2], axis plane[2],
                                   surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    const char *name[2] = {g->GDALDimensionGetName(dimension[0]), g->GDALDimensionGetName(dimension[1])};
    if (turned(r, name[1]))
        return io_fail(
            error, SUREKRIG_DATA,
            "the last dimensions of %s are %s and %s, where a raster has y and x: bring them into this order "
            "first, with xarray's transpose",
            io_label(r->path), name[0], name[1]);
    surekrig_status status = check_axis(r, dimension[0], true, &plane[0], error);
    return status ? status : check_axis(r, dimension[1], false, &plane[1], error);
}

static surekrig_status check_variable(const io_raster *r, GDALGroupH root, axis plane[2], surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    const char *name = g->GDALGetMetadataItem(g->GDALGetRasterBand(r->set, 1), "NETCDF_VARNAME", NULL);
    GDALMDArrayH array = name ? g->GDALGroupResolveMDArray(root, name, "/", NULL) : NULL;
    size_t count = 0;
    GDALDimensionH *dimension = array ? g->GDALMDArrayGetDimensions(array, &count) : NULL;
    surekrig_status status = SUREKRIG_OK;
    if (count >= 2)
        status = check_plane(r, dimension + count - 2, plane, error);
    g->GDALReleaseDimensions(dimension, count);
    g->GDALMDArrayRelease(array);
    return status;
}

static surekrig_status check_axes(const io_raster *r, axis plane[2], surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    if (!raster_is_netcdf(r) || g->GDALGetRasterCount(r->set) < 1)
        return SUREKRIG_OK;
    char **file = g->GDALGetFileList(r->set);
    GDALDatasetH set = file ? g->GDALOpenEx(*file, GDAL_OF_MULTIDIM_RASTER, NULL, NULL, NULL) : NULL;
    GDALGroupH root = set ? g->GDALDatasetGetRootGroup(set) : NULL;
    surekrig_status status = root ? check_variable(r, root, plane, error) : SUREKRIG_OK;
    g->GDALGroupRelease(root);
    if (set)
        g->GDALClose(set);
    g->CSLDestroy(file);
    return status;
}

/* GDAL places pixels by axes only if their attributes say which is which, and xarray writes none for x and y. Lines
 * then come in an order that is GDAL's own: it is told, the largest y first. */
static surekrig_status place_by_axes(io_raster *r, const axis plane[2], surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    const axis *y = &plane[0], *x = &plane[1];
    double height = fabs(y->step), top = fmax(y->first, y->first + (double)(y->count - 1) * y->step);
    const double transform[6] = {x->first - x->step / 2, x->step, 0, top + height / 2, 0, -height};
    char *name = strdup(g->GDALGetDescription(r->set));
    if (!name)
        return io_fail_memory(error, r->path);
    g->GDALClose(r->set);
    g->CPLSetConfigOption("GDAL_NETCDF_BOTTOMUP", y->step > 0 ? "YES" : "NO");
    r->set = g->GDALOpenEx(name, GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    g->CPLSetConfigOption("GDAL_NETCDF_BOTTOMUP", NULL);
    free(name);
    memcpy(r->grid.transform, transform, sizeof transform);
    r->placed = true;
    return r->set ? SUREKRIG_OK : raster_fail("cannot read", r->path, error);
}

/* --------------------------------------------------------------------------------------------------- all rasters */

/* What places the pixels where no geotransform does; NULL: nothing, they are counted. */
static const char *placed_by(const io_raster *r)
{
    if (r->placed)
        return NULL;
    if (r->gdal->GDALGetGCPCount(r->set) > 0)
        return "ground control points";
    return r->gdal->GDALGetMetadata(r->set, "GEOLOCATION") ? "a longitude and a latitude for each" : NULL;
}

surekrig_status raster_check_place(io_raster *r, surekrig_error *error)
{
    const char *by = placed_by(r);
    axis plane[2] = {0};
    if (by)
        return io_fail(error, SUREKRIG_DATA,
                       "the pixels of %s are placed by %s, not on a grid: gdalwarp makes a grid of them",
                       io_label(r->path), by);
    const double *t = r->grid.transform, area = t[1] * t[5] - t[2] * t[4];
    if (!(fabs(area) > 0) || !isfinite(area + t[0] + t[3]))
        return io_fail(error, SUREKRIG_DATA,
                       "the pixels of %s have no area (its geotransform is %g, %g, %g, %g, %g, %g): 'gdal_edit.py "
                       "-a_ullr' places them",
                       io_label(r->path), t[0], t[1], t[2], t[3], t[4], t[5]);
    surekrig_status status = check_axes(r, plane, error);
    r->grid.geographic |= !r->crs && plane[0].degrees && plane[1].degrees;
    if (status || r->placed || plane[0].step == 0 || plane[1].step == 0)
        return status;
    return place_by_axes(r, plane, error);
}
