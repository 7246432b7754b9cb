/* Rasters for reading. */
#include "file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

surekrig_status raster_fail(const char *what, const char *path, surekrig_error *error)
{
    const char *why = gdal_complaint();
    return io_fail(error, SUREKRIG_FILE, "%s %s%s%s", what, io_label(path), why ? ": " : "", why ? why : "");
}

void io_grid_center(const io_grid *grid, int64_t column, int64_t row, double xy[2])
{
    const double *t = grid->transform;
    double c = (double)column + 0.5, r = (double)row + 0.5;
    xy[0] = t[0] + c * t[1] + r * t[2];
    xy[1] = t[3] + c * t[4] + r * t[5];
}

/* ------------------------------------------------------------------------------------------------------- opening */

bool raster_is_netcdf(const io_raster *r)
{
    GDALDriverH driver = r->gdal->GDALGetDatasetDriver(r->set);
    return driver && !strcmp(r->gdal->GDALGetDescription(driver), raster_netcdf.name);
}

/* NetCDF files tell degrees by the unit of a coordinate, often without a coordinate system. */
static bool unit_is_degrees(const io_raster *r)
{
    char **item = r->gdal->GDALGetMetadata(r->set, NULL);
    for (; item && *item; item++) {
        const char *unit = strstr(*item, "#units=degree");
        if (unit && (strstr(unit, "east") || strstr(unit, "_E") || strstr(unit, "sE")))
            return true;
    }
    return false;
}

static void find_grid(io_raster *r)
{
    const gdal_api *g = r->gdal;
    static const double PIXELS[6] = {0, 1, 0, 0, 0, 1};
    OGRSpatialReferenceH crs = g->GDALGetSpatialRef(r->set);
    r->grid.columns = g->GDALGetRasterXSize(r->set);
    r->grid.rows = g->GDALGetRasterYSize(r->set);
    r->placed = g->GDALGetGeoTransform(r->set, r->grid.transform) == CE_None;
    if (!r->placed)
        memcpy(r->grid.transform, PIXELS, sizeof PIXELS);
    r->grid.geographic = r->placed && (crs ? g->OSRIsGeographic(crs) : unit_is_degrees(r));
    if (crs)
        g->OSRExportToWkt(crs, &r->crs);
    r->grid.crs = r->crs;
}

static surekrig_status check_band(const io_raster *r, GDALRasterBandH band, int number, surekrig_error *error)
{
    const gdal_api *g = r->gdal;
    if (g->GDALDataTypeIsComplex(g->GDALGetRasterDataType(band)))
        return io_fail(error, SUREKRIG_DATA, "band %d of %s holds complex numbers; real ones are needed", number,
                       io_label(r->path));
    if (g->GDALGetRasterColorInterpretation(band) == GCI_PaletteIndex)
        return io_fail(error, SUREKRIG_DATA,
                       "band %d of %s is an index into a palette of colours: its numbers are names, not quantities",
                       number, io_label(r->path));
    return SUREKRIG_OK;
}

/* GDAL before 3.7 has no type for signed bytes: it hands over 255 for -1, and says so beside. */
static bool lacks_signs(const gdal_api *g, GDALRasterBandH band)
{
    const char *kind = g->GDALGetMetadataItem(band, "PIXELTYPE", "IMAGE_STRUCTURE");
    return g->GDALGetRasterDataType(band) == GDT_Byte && kind && !strcmp(kind, "SIGNEDBYTE");
}

static double with_sign(double byte)
{
    return byte > 127 ? byte - 256 : byte;
}

/* Of signed bytes the number is told with a sign or without one. */
static void find_missing(const gdal_api *g, raster_band *band)
{
    int given = 0;
    double missing = g->GDALGetRasterNoDataValue(band->handle, &given);
    band->missing = !given ? NAN : band->bare ? with_sign(missing) : missing;
}

static void take_band(io_raster *r, GDALRasterBandH handle, int number)
{
    const gdal_api *g = r->gdal;
    raster_band *band = &r->band[r->bands];
    GDALDataType type = g->GDALGetRasterDataType(handle);
    int given;
    if (g->GDALGetRasterColorInterpretation(handle) == GCI_AlphaBand && number > 1 && r->variables == 1)
        return; /* it is the others' mask */
    band->handle = handle;
    band->masked = !(g->GDALGetMaskFlags(handle) & GMF_ALL_VALID);
    band->wide = type == GDT_Int64 || type == GDT_UInt64;
    band->bare = lacks_signs(g, handle);
    find_missing(g, band);
    band->scale = g->GDALGetRasterScale(handle, &given);
    band->scale = given && band->scale != 0 ? band->scale : 1;
    band->offset = g->GDALGetRasterOffset(handle, &given);
    band->offset = given ? band->offset : 0;
    r->bands++;
}

static surekrig_status find_bands(io_raster *r, surekrig_error *error)
{
    int count = r->gdal->GDALGetRasterCount(r->set);
    surekrig_status status = SUREKRIG_OK;
    if (count < 1)
        return io_fail(error, SUREKRIG_DATA, "%s has no band of pixels", io_label(r->path));
    r->band = calloc((size_t)count * (size_t)r->variables, sizeof *r->band);
    if (!r->band)
        return io_fail_memory(error, r->path);
    for (int i = 0; i < count * r->variables && !status; i++) {
        int number = i % count + 1;
        GDALRasterBandH band = r->gdal->GDALGetRasterBand(i < count ? r->set : r->more[i / count - 1], number);
        status = check_band(r, band, number, error);
        if (!status)
            take_band(r, band, number);
    }
    return status ? status : raster_name_bands(r, error);
}

static surekrig_status open_set(io_raster *r, const char *variable, const char *driver, surekrig_error *error)
{
    const char *const only[] = {driver, NULL};
    surekrig_status status = raster_trust(r->gdal, r->path, driver, error);
    if (status)
        return status;
    gdal_listen();
    r->set = r->gdal->GDALOpenEx(r->path, GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, driver ? only : NULL, NULL, NULL);
    if (!r->set || gdal_unread())
        return raster_fail("cannot read", r->path, error);
    status = raster_choose_variable(r, variable, error);
    if (status)
        return status;
    find_grid(r);
    status = raster_check_place(r, error);
    return status ? status : find_bands(r, error);
}

/* whole: as raster_open_whole. */
static surekrig_status open_raster(const char *path, const char *variable, const char *driver, bool whole,
                                   io_raster **raster, surekrig_error *error)
{
    const gdal_api *gdal = gdal_load(error);
    if (!gdal)
        return SUREKRIG_FILE;
    io_raster *opened = calloc(1, sizeof *opened);
    if (!opened)
        return io_fail_memory(error, path);
    opened->gdal = gdal;
    opened->whole = whole;
    opened->variables = 1;
    opened->path = strdup(path);
    surekrig_status status = opened->path ? open_set(opened, variable, driver, error) : io_fail_memory(error, path);
    if (status)
        io_raster_close(opened);
    else
        *raster = opened;
    return status;
}

surekrig_status io_raster_open(const char *path, const char *variable, const char *driver, io_raster **raster,
                               surekrig_error *error)
{
    return open_raster(path, variable, driver, false, raster, error);
}

surekrig_status raster_open_whole(const char *path, io_raster **raster, surekrig_error *error)
{
    return open_raster(path, NULL, NULL, true, raster, error);
}

void io_raster_close(io_raster *raster)
{
    if (!raster)
        return;
    for (int i = 0; i < raster->bands; i++)
        free(raster->band[i].name);
    free(raster->band);
    raster->gdal->VSIFree(raster->crs);
    for (int i = 0; i < raster->variables - 1; i++)
        raster->gdal->GDALClose(raster->more[i]);
    free(raster->more);
    if (raster->set)
        raster->gdal->GDALClose(raster->set);
    free(raster->path);
    free(raster);
}

/* ------------------------------------------------------------------------------------------------------- looking */

const char *io_raster_path(const io_raster *raster)
{
    return raster->path;
}

char *io_raster_files(const io_raster *raster)
{
    char **file = raster->gdal->GDALGetFileList(raster->set), *list = NULL;
    size_t room = 1;
    for (char **at = file; at && *at; at++)
        room += strlen(*at) + 1;
    if ((list = malloc(room)))
        *list = 0;
    for (char **at = file; at && *at && list; at++)
        strcat(strcat(list, at == file ? "" : "\n"), *at);
    raster->gdal->CSLDestroy(file);
    return list;
}

const io_grid *io_raster_grid(const io_raster *raster)
{
    return &raster->grid;
}

int io_raster_bands(const io_raster *raster)
{
    return raster->bands;
}

const char *io_raster_band_name(const io_raster *raster, int band)
{
    return raster->band[band].name;
}

void io_raster_band_scale(const io_raster *raster, int band, double *scale, double *offset)
{
    *scale = raster->band[band].scale;
    *offset = raster->band[band].offset;
}

/* ------------------------------------------------------------------------------------------------------- reading */

static CPLErr read_block(const gdal_api *g, GDALRasterBandH band, io_window w, void *value, GDALDataType type)
{
    int columns = (int)w.columns, rows = (int)w.rows;
    return g->GDALRasterIO(band, GF_Read, (int)w.column, (int)w.row, columns, rows, value, columns, rows, type, 0, 0);
}

static surekrig_status mask(io_raster *r, const raster_band *band, io_window w, double *value, surekrig_error *error)
{
    int64_t count = w.columns * w.rows;
    unsigned char *valid = malloc((size_t)count);
    if (!valid)
        return io_fail_memory(error, r->path);
    CPLErr failed = read_block(r->gdal, r->gdal->GDALGetMaskBand(band->handle), w, valid, GDT_Byte);
    for (int64_t i = 0; i < count && !failed; i++)
        value[i] = valid[i] ? value[i] : NAN;
    free(valid);
    return failed ? raster_fail("cannot read the mask of", r->path, error) : SUREKRIG_OK;
}

/* GDAL's mask does not know a number for missing that has a sign. */
static void give_signs(const raster_band *band, int64_t count, double *value)
{
    for (int64_t i = 0; i < count; i++) {
        value[i] = with_sign(value[i]);
        if (value[i] == band->missing)
            value[i] = NAN;
    }
}

static const double WHOLE = 9007199254740992; /* 2^53: doubles hold every integer below, and not every one beyond */

static surekrig_status fail_value(const io_raster *r, const raster_band *band, io_window w, int64_t i, double value,
                                  surekrig_error *error)
{
    return io_fail(error, SUREKRIG_DATA, "%s, band %s, column %lld, row %lld: %.17g is not %s", io_label(r->path),
                   band->name, (long long)(w.column + i % w.columns), (long long)(w.row + i / w.columns), value,
                   isinf(value) ? "a finite number" : "between -2^53 and 2^53, where doubles hold every integer");
}

surekrig_status io_raster_read(io_raster *raster, int band, io_window window, double *value, surekrig_error *error)
{
    const raster_band *b = &raster->band[band];
    surekrig_status status = SUREKRIG_OK;
    gdal_listen();
    if (read_block(raster->gdal, b->handle, window, value, GDT_Float64) != CE_None)
        return raster_fail("cannot read", raster->path, error);
    if (b->bare)
        give_signs(b, window.columns * window.rows, value);
    if (b->masked)
        status = mask(raster, b, window, value, error);
    for (int64_t i = 0; i < window.columns * window.rows && !status; i++)
        if (isinf(value[i]) || (b->wide && fabs(value[i]) >= WHOLE))
            status = fail_value(raster, b, window, i, value[i], error);
    return status;
}
