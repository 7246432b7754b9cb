/* What the files that write NetCDF share. */
#ifndef SUREKRIG_IO_NETCDF_H
#define SUREKRIG_IO_NETCDF_H

#include "file.h"

enum { NETCDF_NAME = 128 };

typedef struct netcdf {
    GDALGroupH root;
    GDALDimensionH axis[3];      /* the steps' (NULL: none), y, x */
    char step_name[NETCDF_NAME]; /* of the steps' axis; "": none */
    GDALExtendedDataTypeH number, wide, text;
    int variables;       /* all bands as steps of one, or as many as bands */
    GDALMDArrayH *array; /* [variables][IO_ROLES] */
} netcdf;

static inline netcdf *netcdf_of(const io_raster_writer *w)
{
    return w->state;
}

/* ---- netcdf_axes.c */
/* An attribute of the array; NULL: of the whole file. Nothing where there is no value. */
void netcdf_set_text(const io_raster_writer *w, GDALMDArrayH array, const char *name, const char *value);
bool netcdf_add_axes(const io_raster_writer *w, const io_raster_plan *plan, OGRSpatialReferenceH crs);

#endif
