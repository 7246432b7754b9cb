/* Pixels that lie on no even grid are refused: a geotransform would put them where they are not. */
#include "file.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* An axis without coordinates of its own counts pixels, evenly. */
static surekrig_status check_axis(const io_raster *r, GDALDimensionH axis, surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    size_t count = (size_t)g->GDALDimensionGetSize(axis);
    GUInt64 from = 0;
    GDALMDArrayH array = count > 2 ? g->GDALDimensionGetIndexingVariable(axis) : NULL;
    if (!array)
        return SUREKRIG_OK;
    GDALExtendedDataTypeH wide = g->GDALExtendedDataTypeCreate(GDT_Float64);
    double *value = malloc(count * sizeof *value);
    surekrig_status status = value ? SUREKRIG_OK : io_fail_memory(error, r->path);
    if (value && g->GDALMDArrayRead(array, &from, &count, NULL, NULL, wide, value, NULL, 0) && !even(count, value))
        status = fail_uneven(r, g->GDALDimensionGetName(axis), count, value, error);
    free(value);
    g->GDALExtendedDataTypeRelease(wide);
    g->GDALMDArrayRelease(array);
    return status;
}

/* The variable's last two dimensions are the plane's. */
static surekrig_status check_variable(const io_raster *r, GDALGroupH root, surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    const char *name = g->GDALGetMetadataItem(g->GDALGetRasterBand(r->set, 1), "NETCDF_VARNAME", NULL);
    GDALMDArrayH array = name ? g->GDALGroupResolveMDArray(root, name, "/", NULL) : NULL;
    size_t count = 0;
    GDALDimensionH *axis = array ? g->GDALMDArrayGetDimensions(array, &count) : NULL;
    surekrig_status status = SUREKRIG_OK;
    for (size_t i = count < 2 ? 0 : count - 2; i < count && !status; i++)
        status = check_axis(r, axis[i], error);
    g->GDALReleaseDimensions(axis, count);
    g->GDALMDArrayRelease(array);
    return status;
}

static surekrig_status check_axes(const io_raster *r, surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    GDALDriverH driver = g->GDALGetDatasetDriver(r->set);
    if (!driver || strcmp(g->GDALGetDescription(driver), "netCDF") != 0 || g->GDALGetRasterCount(r->set) < 1)
        return SUREKRIG_OK;
    char **file = g->GDALGetFileList(r->set);
    GDALDatasetH set = file ? g->GDALOpenEx(*file, GDAL_OF_MULTIDIM_RASTER, NULL, NULL, NULL) : NULL;
    GDALGroupH root = set ? g->GDALDatasetGetRootGroup(set) : NULL;
    surekrig_status status = root ? check_variable(r, root, error) : SUREKRIG_OK;
    g->GDALGroupRelease(root);
    if (set)
        g->GDALClose(set);
    g->CSLDestroy(file);
    return status;
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

surekrig_status raster_check_place(const io_raster *r, surekrig_error *error)
{
    const char *by = placed_by(r);
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
    return check_axes(r, error);
}
