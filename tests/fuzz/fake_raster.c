/* A GDAL that says whatever the input says, in place of the real one: sizes, types, transforms, names, metadata,
 * pixels, features. Functions that readers do not call are not there. */
#include "fuzz.h"
#include "raster.h"
#include "raster/gdal.h"

#include <math.h>

#define DECLARE(returns, name, arguments) __attribute__((weak)) returns name arguments;
GDAL_FUNCTIONS(DECLARE)

enum { BANDS = 6, ITEMS = 6 };

/* ---- what one input makes */

static fuzz_stream input;
static const char *complaint;

static struct {
    int columns, rows, bands, kind, layers, fields, features;
    double transform[6];
    char text[ITEMS][48];
    char *list[ITEMS + 1];
    char name[BANDS][17];
} set;

static void make_set(void)
{
    static const char *const KEYS[ITEMS] = {"SUBDATASET_1_NAME=NETCDF:\"a.nc\":",
                                            "SUBDATASET_2_NAME=",
                                            "time#units=",
                                            "lon#units=degree",
                                            "lat#units=degrees_",
                                            "NETCDF_DIM_EXTRA="};
    char text[17];
    memset(&set, 0, sizeof set);
    set.kind = (int)fuzz_take(&input, 1);
    set.columns = set.kind & 1 ? 1 + (int)(fuzz_take(&input, 4) % INT32_MAX) : 1 + (int)(fuzz_take(&input, 1) % 9);
    set.rows = set.kind & 2 ? 1 + (int)(fuzz_take(&input, 4) % INT32_MAX) : 1 + (int)(fuzz_take(&input, 1) % 9);
    set.bands = (int)(fuzz_take(&input, 1) % (BANDS + 1));
    set.layers = (int)(fuzz_take(&input, 1) % 3);
    set.fields = (int)(fuzz_take(&input, 1) % BANDS);
    set.features = (int)(fuzz_take(&input, 1) % 9);
    for (int i = 0; i < 6; i++)
        set.transform[i] = set.kind & 4 ? fuzz_number(&input) : (const double[]){0, 1, 0, 9, 0, -1}[i];
    for (int i = 0, items = (int)(fuzz_take(&input, 1) % (ITEMS + 1)); i < items; i++) {
        snprintf(set.text[i], sizeof set.text[i], "%s%s", KEYS[i], fuzz_text(&input, text));
        set.list[i] = set.text[i];
    }
    for (int i = 0; i < BANDS; i++)
        fuzz_text(&input, set.name[i]);
}

static int chance(int of)
{
    return (int)(fuzz_take(&input, 1) % (uint64_t)of);
}

static double maybe(int *given)
{
    *given = chance(2);
    return fuzz_number(&input);
}

/* ---- GDAL: what needs a word */

#define SAYS(returns, name, arguments, value)                                                                          \
    returns name arguments                                                                                             \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
#define IGNORES(name, arguments)                                                                                       \
    void name arguments                                                                                                \
    {                                                                                                                  \
    }

SAYS(CPLErrorHandler, CPLSetErrorHandler, (CPLErrorHandler handler), handler)
SAYS(GDALDriverH, GDALGetDatasetDriver, (GDALDatasetH a), set.kind & 8 ? (GDALDriverH) "netCDF" : NULL)
SAYS(GDALDriverH, GDALGetDriverByName, (const char *name), chance(2) > 0 && name ? (GDALDriverH) "some" : NULL)
SAYS(int, GDALGetRasterXSize, (GDALDatasetH a), set.columns)
SAYS(int, GDALGetRasterYSize, (GDALDatasetH a), set.rows)
SAYS(int, GDALGetRasterCount, (GDALDatasetH a), set.bands)
SAYS(int, GDALGetGCPCount, (GDALDatasetH a), (set.kind & 96) == 96)
SAYS(OGRSpatialReferenceH, GDALGetSpatialRef, (GDALDatasetH a), set.kind & 64 ? &set : NULL)
SAYS(OGRSpatialReferenceH, OGR_L_GetSpatialRef, (OGRLayerH a), set.kind & 64 ? &set : NULL)
SAYS(int, OSRIsGeographic, (OGRSpatialReferenceH a), set.kind & 1)
SAYS(char **, GDALGetMetadata, (GDALMajorObjectH a, const char *domain),
     (set.kind & 128) > 0 && domain ? NULL : set.list)
SAYS(const char *, GDALGetMetadataItem, (GDALMajorObjectH a, const char *name, const char *domain),
     set.text[0][0] ? set.text[0] + strcspn(set.text[0], "=") + 1 : NULL)
SAYS(const char *, GDALGetDescription, (GDALMajorObjectH of), of)
SAYS(GDALDataType, GDALGetRasterDataType, (GDALRasterBandH band),
     (GDALDataType)((uint8_t)((char *)band)[15] + (set.kind >> 3)) % 15)
SAYS(int, GDALDataTypeIsComplex, (GDALDataType type), type == 10 || type == 11)
SAYS(GDALColorInterp, GDALGetRasterColorInterpretation, (GDALRasterBandH band), *(uint8_t *)band % 7)
SAYS(double, GDALGetRasterNoDataValue, (GDALRasterBandH a, int *given), maybe(given))
SAYS(double, GDALGetRasterScale, (GDALRasterBandH a, int *given), maybe(given))
SAYS(double, GDALGetRasterOffset, (GDALRasterBandH a, int *given), maybe(given))
SAYS(int, GDALGetMaskFlags, (GDALRasterBandH a), chance(8))
SAYS(GDALRasterBandH, GDALGetMaskBand, (GDALRasterBandH band), band)
SAYS(GDALGroupH, GDALDatasetGetRootGroup, (GDALDatasetH a), chance(8) ? (GDALGroupH)&set : NULL)
SAYS(GDALMDArrayH, GDALGroupResolveMDArray, (GDALGroupH a, const char *b, const char *c, CSLConstList d),
     chance(8) > 0 && a && b ? (GDALMDArrayH)&set : NULL)
SAYS(const char *, GDALDimensionGetName, (GDALDimensionH a), set.name[1])
SAYS(GUInt64, GDALDimensionGetSize, (GDALDimensionH a), chance(256) < 250 ? 5 : fuzz_take(&input, 8))
SAYS(GDALMDArrayH, GDALDimensionGetIndexingVariable, (GDALDimensionH a), chance(8) ? (GDALMDArrayH)a : NULL)
SAYS(const char *, GDALMDArrayGetName, (GDALMDArrayH a), chance(2) ? set.name[0] : chance(2) ? "lat" : "lon")
SAYS(const char *, GDALMDArrayGetUnit, (GDALMDArrayH a), chance(4) ? set.name[2] : "days since 2000-01-01")
SAYS(GDALExtendedDataTypeH, GDALExtendedDataTypeCreate, (GDALDataType a), (GDALExtendedDataTypeH)&set)
SAYS(int, GDALDatasetGetLayerCount, (GDALDatasetH a), set.layers)
SAYS(OGRLayerH, GDALDatasetGetLayer, (GDALDatasetH a, int number), set.name[number % BANDS])
SAYS(const char *, OGR_L_GetName, (OGRLayerH layer), layer)
SAYS(OGRwkbGeometryType, OGR_L_GetGeomType, (OGRLayerH a), (OGRwkbGeometryType)set.kind)
SAYS(int, OGR_GT_HasZ, (OGRwkbGeometryType type), type & 1)
SAYS(OGRFeatureDefnH, OGR_L_GetLayerDefn, (OGRLayerH layer), layer)
SAYS(GIntBig, OGR_L_GetFeatureCount, (OGRLayerH a, int b), chance(8) ? set.features : (GIntBig)fuzz_take(&input, 8))
SAYS(OGRFeatureH, OGR_L_GetNextFeature, (OGRLayerH a), set.features-- > 0 ? &set : NULL)
SAYS(int, OGR_FD_GetFieldCount, (OGRFeatureDefnH a), set.fields)
SAYS(const char *, OGR_Fld_GetNameRef, (OGRFieldDefnH field), field)
SAYS(OGRFieldType, OGR_Fld_GetType, (OGRFieldDefnH field), *(uint8_t *)field % 13)
SAYS(int, OGR_F_IsFieldSetAndNotNull, (OGRFeatureH a, int b), chance(4))
SAYS(double, OGR_F_GetFieldAsDouble, (OGRFeatureH a, int b), fuzz_number(&input))
SAYS(OGRGeometryH, OGR_F_GetGeometryRef, (OGRFeatureH feature), chance(4) ? feature : NULL)
SAYS(const char *, OGR_G_GetGeometryName, (OGRGeometryH a),
     ((const char *const[]){"POINT", "POINT", "MULTIPOINT", "POLYGON"})[chance(4)])
SAYS(int, OGR_G_IsEmpty, (OGRGeometryH a), set.kind & 1)
SAYS(int, OGR_G_GetGeometryCount, (OGRGeometryH a), chance(3))
SAYS(OGRGeometryH, OGR_G_GetGeometryRef, (OGRGeometryH shape, int b), shape)
SAYS(double, OGR_G_GetX, (OGRGeometryH a, int b), fuzz_number(&input))
SAYS(double, OGR_G_GetY, (OGRGeometryH a, int b), fuzz_number(&input))

IGNORES(GDALAllRegister, (void))
IGNORES(CPLSetConfigOption, (const char *name, const char *value))
IGNORES(GDALDeregisterDriver, (GDALDriverH a))
IGNORES(GDALDestroyDriver, (GDALDriverH a))
IGNORES(GDALClose, (GDALDatasetH a))
IGNORES(GDALGroupRelease, (GDALGroupH a))
IGNORES(GDALMDArrayRelease, (GDALMDArrayH a))
IGNORES(GDALExtendedDataTypeRelease, (GDALExtendedDataTypeH a))
IGNORES(OGR_L_ResetReading, (OGRLayerH a))
IGNORES(OGR_F_Destroy, (OGRFeatureH a))

/* ---- GDAL: what needs more */

void VSIFree(void *what)
{
    free(what);
}

GDALDatasetH GDALOpenEx(const char *path, unsigned flags, const char *const *drivers, const char *const *options,
                        const char *const *siblings)
{
    FUZZ_HOLDS(path, "a path");
    complaint = "it does not want to";
    return chance(16) == 15 ? NULL : &set;
}

char **GDALGetFileList(GDALDatasetH which)
{
    char **list = calloc(2, sizeof *list);
    list[0] = strdup("a.nc");
    return list;
}

void CSLDestroy(char **list)
{
    for (char **at = list; at && *at; at++)
        free(*at);
    free(list);
}

CPLErr GDALGetGeoTransform(GDALDatasetH which, double *transform)
{
    memcpy(transform, set.transform, sizeof set.transform);
    return set.kind & 16 ? CE_Failure : CE_None;
}

GDALRasterBandH GDALGetRasterBand(GDALDatasetH which, int number)
{
    FUZZ_HOLDS(number >= 1 && number <= set.bands, "a band that is not there");
    return set.name[number - 1];
}

CPLErr GDALRasterIO(GDALRasterBandH band, GDALRWFlag way, int x, int y, int columns, int rows, void *to, int w, int h,
                    GDALDataType type, int a, int b)
{
    FUZZ_HOLDS(x >= 0 && y >= 0 && columns > 0 && rows > 0 && w == columns && h == rows, "a window");
    FUZZ_HOLDS((int64_t)x + columns <= set.columns && (int64_t)y + rows <= set.rows, "a window beyond");
    for (int64_t i = 0; i < (int64_t)columns * rows; i++)
        if (type == GDT_Byte)
            ((uint8_t *)to)[i] = (uint8_t)fuzz_take(&input, 1);
        else
            ((double *)to)[i] = fuzz_number(&input);
    return chance(16) == 15 ? CE_Failure : CE_None;
}

int OSRExportToWkt(OGRSpatialReferenceH what, char **text)
{
    *text = strdup(set.name[0]);
    return 0;
}

GDALDimensionH *GDALMDArrayGetDimensions(GDALMDArrayH array, size_t *count)
{
    *count = (size_t)chance(4);
    GDALDimensionH *axis = calloc(*count + 1, sizeof *axis);
    for (size_t i = 0; i < *count; i++)
        axis[i] = (GDALDimensionH)&set;
    return axis;
}

void GDALReleaseDimensions(GDALDimensionH *axis, size_t count)
{
    free(axis);
}

int GDALMDArrayRead(GDALMDArrayH array, const GUInt64 *from, const size_t *count, const GInt64 *step,
                    const GPtrDiff_t *stride, GDALExtendedDataTypeH type, void *to, const void *start, size_t size)
{
    for (size_t i = 0; i < *count && i < 100; i++)
        ((double *)to)[i] = (double)i + (chance(9) == 8 ? fuzz_number(&input) : 0);
    return *count < 100;
}

OGRFieldDefnH OGR_FD_GetFieldDefn(OGRFeatureDefnH fields, int number)
{
    FUZZ_HOLDS(number >= 0 && number < set.fields, "a field that is not there");
    return set.name[number];
}

const char *OGR_F_GetFieldAsString(OGRFeatureH feature, int field)
{
    static char text[200];
    memset(text, '7', sizeof text - 1);
    return chance(8) == 7 ? text : fuzz_text(&input, text);
}

/* ---- what stands in the place of gdal.c */

const gdal_api *gdal_load(surekrig_error *error)
{
    static gdal_api api;
#define TAKE(returns, name, arguments) api.name = name;
    GDAL_FUNCTIONS(TAKE)
    return &api;
}

void gdal_listen(void)
{
    complaint = NULL;
}

const char *gdal_complaint(void)
{
    return complaint;
}

bool gdal_unread(void)
{
    return false;
}

/* ---- the readers */

static void check_names(const io_raster *raster)
{
    for (int i = 0; i < io_raster_bands(raster); i++) {
        const char *name = io_raster_band_name(raster, i);
        for (const char *at = name; *at; at++)
            FUZZ_HOLDS((unsigned char)*at >= ' ' || *at == '\t' || *at == '\n', "a name that commands a terminal");
        for (int j = 0; j < i; j++)
            FUZZ_HOLDS(strcmp(name, io_raster_band_name(raster, j)), "two bands of one name");
    }
}

static void read_raster(const char *variable)
{
    io_raster *raster = NULL;
    surekrig_error error = {0};
    surekrig_status status = io_raster_open("some.tif", variable, NULL, &raster, &error);
    if (status) {
        fuzz_failed(status, &error);
        return;
    }
    const io_grid *grid = io_raster_grid(raster);
    double *value = calloc(81, sizeof *value), time[BANDS];
    int64_t columns = grid->columns < 9 ? grid->columns : 9, rows = grid->rows < 9 ? grid->rows : 9;
    check_names(raster);
    io_raster_times(raster, time);
    for (int i = 0; i < io_raster_bands(raster) && !status; i++) {
        status = io_raster_read(raster, i, (io_window){0, grid->rows - rows, columns, rows}, value, &error);
        for (int64_t j = 0; j < columns * rows && !status; j++)
            FUZZ_HOLDS(!isinf(value[j]), "an infinite pixel");
    }
    free(value);
    io_raster_close(raster);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static const char *const HEAD[] = {"II*", "{ }"};
    input = (fuzz_stream){bytes, count};
    uint64_t how = fuzz_take(&input, 1);
    make_set();
    fuzz_enter_folder();
    if (how & 1) {
        fuzz_write("some.tif", HEAD[how & 2 ? 1 : 0], 4);
        fuzz_read_table("some.tif", NULL, how & 4);
    } else {
        read_raster(how & 2 ? "temp" : NULL);
    }
    return 0;
}
