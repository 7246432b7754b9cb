/* GeoTIFF: a raster of four bands for each: the value, its standard deviation, and the interval's bounds. */
#include "file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SUFFIXES[] = {".tif", ".tiff", ".gtiff", NULL};

static surekrig_status set_place(io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    double transform[6];
    OGRSpatialReferenceH crs = NULL, made = NULL;
    surekrig_status status = raster_find_crs(w->gdal, plan, &crs, &made, error);
    memcpy(transform, plan->grid.transform, sizeof transform);
    if (!status && (!plan->like || plan->like->placed))
        w->gdal->GDALSetGeoTransform(w->set, transform);
    if (!status && crs)
        w->gdal->GDALSetSpatialRef(w->set, crs);
    w->gdal->OSRDestroySpatialReference(made);
    return status;
}

/* All but what was true of the old numbers only. */
static void copy_metadata(const gdal_api *g, GDALMajorObjectH from, GDALMajorObjectH to)
{
    char **item = g->GDALGetMetadata(from, NULL);
    for (; item && *item; item++) {
        const char *equals = strchr(*item, '=');
        char key[256];
        if (!equals || !strncmp(*item, "STATISTICS_", 11) || equals - *item >= (ptrdiff_t)sizeof key)
            continue;
        snprintf(key, sizeof key, "%.*s", (int)(equals - *item), *item);
        g->GDALSetMetadataItem(to, key, equals + 1, NULL);
    }
}

static void describe_band(io_raster_writer *w, const io_raster_plan *plan, int i, io_role role)
{
    const gdal_api *g = w->gdal;
    const raster_band *from = plan->like ? &plan->like->band[plan->band[i]] : NULL;
    GDALRasterBandH to = g->GDALGetRasterBand(w->set, i * IO_ROLES + (int)role + 1);
    char name[300];
    snprintf(name, sizeof name, "%.280s%s", from ? from->name : plan->name[i], RASTER_BAND_ROLE[role]);
    if (from) {
        copy_metadata(g, from->handle, to);
        g->GDALSetRasterUnitType(to, g->GDALGetRasterUnitType(from->handle));
        if (from->scale != 1)
            g->GDALSetRasterScale(to, role == IO_SD ? fabs(from->scale) : from->scale);
        if (from->offset != 0 && role != IO_SD)
            g->GDALSetRasterOffset(to, from->offset);
    }
    g->GDALSetDescription(to, name);
    g->GDALSetRasterNoDataValue(to, w->missing[i]);
}

static surekrig_status create_geotiff(io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    const gdal_api *g = w->gdal;
    char *options[] = {"TILED=YES",       "COMPRESS=DEFLATE", "ZLEVEL=1", "PREDICTOR=3",
                       "INTERLEAVE=BAND", "BIGTIFF=IF_SAFER", NULL};
    w->set = g->GDALCreate(g->GDALGetDriverByName(raster_geotiff.name), w->target.temporary, (int)plan->grid.columns,
                           (int)plan->grid.rows, IO_ROLES * plan->bands, w->doubles ? GDT_Float64 : GDT_Float32,
                           options);
    if (!w->set)
        return raster_fail("cannot write", w->target.path, error);
    if (plan->like)
        copy_metadata(g, plan->like->set, w->set);
    g->GDALSetMetadataItem(w->set, "TIFFTAG_SOFTWARE", "surekrig " SUREKRIG_VERSION, NULL);
    surekrig_status status = set_place(w, plan, error);
    for (int i = 0; i < plan->bands && !status; i++)
        for (io_role role = IO_VALUE; role < IO_ROLES; role++)
            describe_band(w, plan, i, role);
    return !status && gdal_complaint() ? raster_fail("cannot write", w->target.path, error) : status;
}

static CPLErr write_geotiff(io_raster_writer *w, int band, io_role role, io_window at, void *value)
{
    GDALRasterBandH to = w->gdal->GDALGetRasterBand(w->set, band * IO_ROLES + (int)role + 1);
    int columns = (int)at.columns, rows = (int)at.rows;
    return w->gdal->GDALRasterIO(to, GF_Write, (int)at.column, (int)at.row, columns, rows, value, columns, rows,
                                 w->doubles ? GDT_Float64 : GDT_Float32, 0, 0);
}

static void close_geotiff(io_raster_writer *w)
{
    if (w->set)
        w->gdal->GDALClose(w->set);
    w->set = NULL;
}

const raster_format raster_geotiff = {"GTiff", SUFFIXES, create_geotiff, write_geotiff, close_geotiff};
