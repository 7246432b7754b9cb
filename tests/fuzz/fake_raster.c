/* A GDAL that says whatever the input says, in place of the real one: sizes, types, transforms, names, metadata, pixels, features. */
#include "fuzz.h"
#include "raster.h"
#include "raster/gdal.h"

#include <math.h>

enum { BANDS = 6, ITEMS = 6 };

/* ---- the library's state: what one input makes */

static fuzz_stream input;
static const char *complaint;

static struct {
    int columns, rows, bands, kind, layers, fields, features, points;
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
    set.columns = set.kind & 1 ? (int)(fuzz_take(&input, 4) & 0x7fffffff) : 1 + (int)(fuzz_take(&input, 1) % 9);
    set.rows = set.kind & 2 ? (int)(fuzz_take(&input, 4) & 0x7fffffff) : 1 + (int)(fuzz_take(&input, 1) % 9);
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

static void *handle(int number)
{
    return set.name[number % BANDS];
}

static int chance(int of)
{
    return (int)(fuzz_take(&input, 1) % (uint64_t)of);
}

/* ---- its functions, of which the readers need these */

static void all_register(void)
{
}

static CPLErrorHandler set_handler(CPLErrorHandler handler)
{
    return handler;
}

static void free_anything(void *what)
{
    free(what);
}

static void set_option(const char *name, const char *value)
{
    FUZZ_HOLDS(name && (!value || *value), "an option");
}

static void forget_handle(void *what)
{
    (void)what;
}

static GDALDatasetH open_it(const char *path, unsigned flags, const char *const *drivers, const char *const *options,
                            const char *const *siblings)
{
    (void)flags, (void)drivers, (void)options, (void)siblings;
    FUZZ_HOLDS(path, "a path");
    complaint = "it does not want to";
    return chance(16) == 15 ? NULL : &set;
}

static GDALDriverH driver_of(GDALDatasetH which)
{
    (void)which;
    return set.kind & 8 ? (GDALDriverH) "netCDF" : NULL;
}

static char **file_list(GDALDatasetH which)
{
    (void)which;
    char **list = calloc(2, sizeof *list);
    list[0] = strdup("a.nc");
    return list;
}

static void free_list(char **list)
{
    for (char **at = list; at && *at; at++)
        free(*at);
    free(list);
}

static int columns_of(GDALDatasetH which)
{
    (void)which;
    return set.columns ? set.columns : 1;
}

static int rows_of(GDALDatasetH which)
{
    (void)which;
    return set.rows ? set.rows : 1;
}

static int bands_of(GDALDatasetH which)
{
    (void)which;
    return set.bands;
}

static CPLErr transform_of(GDALDatasetH which, double *transform)
{
    (void)which;
    memcpy(transform, set.transform, sizeof set.transform);
    return set.kind & 16 ? CE_Failure : CE_None;
}

static int points_of(GDALDatasetH which)
{
    (void)which;
    return set.kind & 32 && set.kind & 64;
}

static OGRSpatialReferenceH place_of(GDALDatasetH which)
{
    (void)which;
    return set.kind & 64 ? &set : NULL;
}

static char **metadata_of(GDALMajorObjectH which, const char *domain)
{
    (void)which;
    return domain && set.kind & 128 ? NULL : set.list;
}

static const char *item_of(GDALMajorObjectH which, const char *name, const char *domain)
{
    (void)which, (void)domain;
    FUZZ_HOLDS(name, "an item");
    return set.text[0][0] ? set.text[0] + strcspn(set.text[0], "=") + 1 : NULL;
}

static const char *description_of(GDALMajorObjectH which)
{
    return which;
}

static GDALRasterBandH band_of(GDALDatasetH which, int number)
{
    (void)which;
    FUZZ_HOLDS(number >= 1 && number <= set.bands, "a band that is not there");
    return handle(number - 1);
}

static GDALDataType type_of(GDALRasterBandH band)
{
    return (GDALDataType)((uint8_t)((char *)band)[16] + (set.kind >> 3)) % 15;
}

static int is_complex(GDALDataType type)
{
    return type == 10 || type == 11;
}

static GDALColorInterp colour_of(GDALRasterBandH band)
{
    return (GDALColorInterp)(((const char *)band)[0] % 7 < 0 ? 0 : ((const char *)band)[0] % 7);
}

static double number_of(GDALRasterBandH band, int *given)
{
    (void)band;
    *given = chance(2);
    return fuzz_number(&input);
}

static int mask_of(GDALRasterBandH band)
{
    (void)band;
    return chance(8);
}

static GDALRasterBandH same_band(GDALRasterBandH band)
{
    return band;
}

static CPLErr read_pixels(GDALRasterBandH band, GDALRWFlag way, int x, int y, int columns, int rows, void *to, int w,
                          int h, GDALDataType type, int a, int b)
{
    (void)band, (void)way, (void)a, (void)b;
    FUZZ_HOLDS(x >= 0 && y >= 0 && columns > 0 && rows > 0 && w == columns && h == rows, "a window");
    FUZZ_HOLDS((int64_t)x + columns <= columns_of(NULL) && (int64_t)y + rows <= rows_of(NULL), "a window beyond");
    for (int64_t i = 0; i < (int64_t)columns * rows; i++)
        if (type == GDT_Byte)
            ((uint8_t *)to)[i] = (uint8_t)fuzz_take(&input, 1);
        else
            ((double *)to)[i] = fuzz_number(&input);
    return chance(16) == 15 ? CE_Failure : CE_None;
}

static GDALDriverH driver_by_name(const char *name)
{
    return name && chance(2) ? (GDALDriverH) "some" : NULL;
}

static int yes_or_no(OGRSpatialReferenceH what)
{
    (void)what;
    return set.kind & 1;
}

static int to_text(OGRSpatialReferenceH what, char **text)
{
    (void)what;
    *text = strdup(set.name[0]);
    return 0;
}

static GDALGroupH root_of(GDALDatasetH which)
{
    return which == &set && chance(8) ? (GDALGroupH)&set : NULL;
}

static void forget_group(GDALGroupH what)
{
    (void)what;
}

static void forget_array(GDALMDArrayH what)
{
    (void)what;
}

static GDALMDArrayH find_array(GDALGroupH group, const char *name, const char *start, CSLConstList options)
{
    (void)start, (void)options;
    FUZZ_HOLDS(group && name, "an array");
    return chance(8) ? (GDALMDArrayH)&set : NULL;
}

static GDALDimensionH *dimensions_of(GDALMDArrayH array, size_t *count)
{
    (void)array;
    *count = (size_t)chance(4);
    GDALDimensionH *axis = calloc(*count + 1, sizeof *axis);
    for (size_t i = 0; i < *count; i++)
        axis[i] = (GDALDimensionH)&set;
    return axis;
}

static void free_dimensions(GDALDimensionH *axis, size_t count)
{
    (void)count;
    free(axis);
}

static const char *dimension_name(GDALDimensionH axis)
{
    (void)axis;
    return set.name[1];
}

static GUInt64 dimension_size(GDALDimensionH axis)
{
    (void)axis;
    return fuzz_take(&input, 1) < 250 ? 5 : fuzz_take(&input, 8);
}

static GDALMDArrayH dimension_array(GDALDimensionH axis)
{
    return chance(8) ? (GDALMDArrayH)axis : NULL;
}

static int read_array(GDALMDArrayH array, const GUInt64 *from, const size_t *count, const GInt64 *step,
                      const GPtrDiff_t *stride, GDALExtendedDataTypeH type, void *to, const void *start, size_t size)
{
    (void)array, (void)from, (void)step, (void)stride, (void)type, (void)start, (void)size;
    for (size_t i = 0; i < *count && i < 100; i++)
        ((double *)to)[i] = (double)i + (chance(9) == 8 ? fuzz_number(&input) : 0);
    return *count < 100;
}

static GDALExtendedDataTypeH make_type(GDALDataType type)
{
    (void)type;
    return (GDALExtendedDataTypeH)&set;
}

static void forget_type(GDALExtendedDataTypeH type)
{
    (void)type;
}

static int layers_of(GDALDatasetH which)
{
    (void)which;
    return set.layers;
}

static OGRLayerH layer_of(GDALDatasetH which, int number)
{
    (void)which;
    return handle(number);
}

static OGRFeatureDefnH fields_of_layer(OGRLayerH layer)
{
    return layer;
}

static GIntBig features_of(OGRLayerH layer, int force)
{
    (void)layer, (void)force;
    return chance(8) ? set.features : (GIntBig)fuzz_take(&input, 8);
}

static OGRFeatureH next_feature(OGRLayerH layer)
{
    (void)layer;
    return set.features-- > 0 ? &set : NULL;
}

static int fields_of(OGRFeatureDefnH fields)
{
    (void)fields;
    return set.fields;
}

static OGRFieldDefnH field_of(OGRFeatureDefnH fields, int number)
{
    (void)fields;
    FUZZ_HOLDS(number >= 0 && number < set.fields, "a field that is not there");
    return handle(number);
}

static OGRFieldType field_type(OGRFieldDefnH field)
{
    return (OGRFieldType)((uint8_t)((const char *)field)[0] % 13);
}

static int field_there(OGRFeatureH feature, int field)
{
    (void)feature, (void)field;
    return chance(4);
}

static double field_number(OGRFeatureH feature, int field)
{
    (void)feature, (void)field;
    return fuzz_number(&input);
}

static const char *field_text(OGRFeatureH feature, int field)
{
    static char text[200];
    (void)feature, (void)field;
    memset(text, '7', sizeof text - 1);
    return chance(8) == 7 ? text : fuzz_text(&input, text);
}

static OGRGeometryH shape_of(OGRFeatureH feature)
{
    return chance(4) ? feature : NULL;
}

static const char *shape_name(OGRGeometryH shape)
{
    static const char *const NAMES[] = {"POINT", "POINT", "MULTIPOINT", "POLYGON"};
    (void)shape;
    return NAMES[chance(4)];
}

static int count_of(OGRGeometryH shape)
{
    (void)shape;
    return chance(3);
}

static OGRGeometryH part_of(OGRGeometryH shape, int number)
{
    FUZZ_HOLDS(number == 0, "a part");
    return shape;
}

static double coordinate(OGRGeometryH shape, int number)
{
    (void)shape, (void)number;
    return fuzz_number(&input);
}

/* ---- what stands in the place of gdal.c */

const gdal_api *gdal_load(surekrig_error *error)
{
    static gdal_api api = {.GDALAllRegister = all_register,
                           .CPLSetErrorHandler = set_handler,
                           .VSIFree = free_anything,
                           .CPLSetConfigOption = set_option,
                           .GDALDeregisterDriver = forget_handle,
                           .GDALDestroyDriver = forget_handle,
                           .GDALOpenEx = open_it,
                           .GDALClose = forget_handle,
                           .GDALGetDatasetDriver = driver_of,
                           .GDALGetFileList = file_list,
                           .CSLDestroy = free_list,
                           .GDALGetRasterXSize = columns_of,
                           .GDALGetRasterYSize = rows_of,
                           .GDALGetRasterCount = bands_of,
                           .GDALGetGeoTransform = transform_of,
                           .GDALGetGCPCount = points_of,
                           .GDALGetSpatialRef = place_of,
                           .GDALGetMetadata = metadata_of,
                           .GDALGetMetadataItem = item_of,
                           .GDALGetDescription = description_of,
                           .GDALGetRasterBand = band_of,
                           .GDALGetRasterDataType = type_of,
                           .GDALDataTypeIsComplex = is_complex,
                           .GDALGetRasterColorInterpretation = colour_of,
                           .GDALGetRasterNoDataValue = number_of,
                           .GDALGetMaskFlags = mask_of,
                           .GDALGetMaskBand = same_band,
                           .GDALGetRasterScale = number_of,
                           .GDALGetRasterOffset = number_of,
                           .GDALRasterIO = read_pixels,
                           .GDALGetDriverByName = driver_by_name,
                           .OSRIsGeographic = yes_or_no,
                           .OSRExportToWkt = to_text,
                           .GDALDatasetGetRootGroup = root_of,
                           .GDALGroupRelease = forget_group,
                           .GDALReleaseDimensions = free_dimensions,
                           .GDALDimensionGetName = dimension_name,
                           .GDALDimensionGetSize = dimension_size,
                           .GDALDimensionGetIndexingVariable = dimension_array,
                           .GDALMDArrayRelease = forget_array,
                           .GDALGroupResolveMDArray = find_array,
                           .GDALMDArrayGetDimensions = dimensions_of,
                           .GDALMDArrayRead = read_array,
                           .GDALExtendedDataTypeCreate = make_type,
                           .GDALExtendedDataTypeRelease = forget_type,
                           .GDALDatasetGetLayerCount = layers_of,
                           .GDALDatasetGetLayer = layer_of,
                           .OGR_L_GetName = description_of,
                           .OGR_L_GetLayerDefn = fields_of_layer,
                           .OGR_L_GetSpatialRef = place_of,
                           .OGR_L_GetFeatureCount = features_of,
                           .OGR_L_GetNextFeature = next_feature,
                           .OGR_FD_GetFieldCount = fields_of,
                           .OGR_FD_GetFieldDefn = field_of,
                           .OGR_Fld_GetNameRef = description_of,
                           .OGR_Fld_GetType = field_type,
                           .OGR_F_Destroy = forget_handle,
                           .OGR_F_IsFieldSetAndNotNull = field_there,
                           .OGR_F_GetFieldAsDouble = field_number,
                           .OGR_F_GetFieldAsString = field_text,
                           .OGR_F_GetGeometryRef = shape_of,
                           .OGR_G_GetGeometryName = shape_name,
                           .OGR_G_IsEmpty = yes_or_no,
                           .OGR_G_GetGeometryCount = count_of,
                           .OGR_G_GetGeometryRef = part_of,
                           .OGR_G_GetX = coordinate,
                           .OGR_G_GetY = coordinate};
    (void)error;
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
