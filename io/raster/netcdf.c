#include "file.h"
static const char *const SUFFIXES[] = {".nc", ".nc4", ".cdf", NULL};
static surekrig_status create_netcdf(io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    (void)plan;
    return raster_fail("not yet", w->target.path, error);
}
static CPLErr write_netcdf(io_raster_writer *w, int band, io_role role, io_window at, void *value)
{
    (void)w, (void)band, (void)role, (void)at, (void)value;
    return CE_Failure;
}
static void close_netcdf(io_raster_writer *w)
{
    (void)w;
}
const raster_format raster_netcdf = {"netCDF", SUFFIXES, create_netcdf, write_netcdf, close_netcdf};
