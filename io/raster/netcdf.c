/* NetCDF after the CF conventions: four variables for each band, the last three ancillary to the first; time steps of one variable
 * become one variable along the same axis again. https://cfconventions.org */
#include "file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const SUFFIXES[] = {".nc", ".nc4", ".cdf", NULL};
static const char *const ROLE[] = {"", "_sd", "_lower", "_upper"};
enum { NAME = 128, BLOCK = 256 };

typedef struct netcdf {
    GDALGroupH root;
    GDALDimensionH axis[3];  /* the steps' (NULL: none), y, x */
    char step_name[NAME];    /* of the steps' axis */
    GDALExtendedDataTypeH number, wide, text;
    int variables;           /* all bands as steps of one, or as many as bands */
    GDALMDArrayH *array;     /* [variables][IO_ROLES] */
} netcdf;

static netcdf *state_of(const io_raster_writer *w)
{
    return w->state;
}

/* ------------------------------------------------------------------------------------------------------- attributes */

static void write_text(const io_raster_writer *w, GDALAttributeH attribute, const char *value)
{
    if (attribute)
        w->gdal->GDALAttributeWriteString(attribute, value);
    w->gdal->GDALAttributeRelease(attribute);
}

/* array NULL: of the whole file. Nothing where there is no value. */
static void set_text(const io_raster_writer *w, GDALMDArrayH array, const char *name, const char *value)
{
    const netcdf *n = state_of(w);
    if (!value || !*value)
        return;
    write_text(w, array ? w->gdal->GDALMDArrayCreateAttribute(array, name, 0, NULL, n->text, NULL)
                        : w->gdal->GDALGroupCreateAttribute(n->root, name, 0, NULL, n->text, NULL), value);
}

/* What the input says of itself, and a line of history before its own. */
static void describe_file(const io_raster_writer *w, const io_raster_plan *plan)
{
    static const char *const KEPT[] = {"title", "institution", "source", "references", "comment"};
    const gdal_api *g = w->gdal;
    set_text(w, NULL, "Conventions", "CF-1.8");
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT && plan->like; i++) {
        char key[NAME];
        snprintf(key, sizeof key, "NC_GLOBAL#%s", KEPT[i]);
        set_text(w, NULL, KEPT[i], g->GDALGetMetadataItem(plan->like->set, key, NULL));
    }
    if (!plan->like || !g->GDALGetMetadataItem(plan->like->set, "NC_GLOBAL#title", NULL))
        set_text(w, NULL, "title", "estimates by kriging, with standard errors and intervals");
    const char *before = plan->like ? g->GDALGetMetadataItem(plan->like->set, "NC_GLOBAL#history", NULL) : NULL;
    size_t room = strlen(plan->history) + (before ? strlen(before) : 0) + 64;
    char *history = malloc(room), when[32] = "";
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (history) {
        snprintf(history, room, "%s %s (surekrig %s)%s%s", when, plan->history, SUREKRIG_VERSION, before ? "\n" : "",
                 before ? before : "");
        set_text(w, NULL, "history", history);
    }
    free(history);
}

/* ------------------------------------------------------------------------------------------------------------- axes */

/* A coordinate variable with its values; the caller releases it. */
static GDALMDArrayH add_coordinate(const io_raster_writer *w, int axis, const char *name, size_t count, const double *value)
{
    netcdf *n = state_of(w);
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
    const char *unit = !projected ? "1" : metres == 1 ? "m" : metres == 1000 ? "km" : metres < 0.31 ? "ft" : "1";
    if (plan->grid.geographic)
        return axis == 1 ? LAT : LON;
    return axis == 1 ? (axis_words){"y", projected ? "projection_y_coordinate" : "", unit, "Y", "HORIZONTAL_Y", "NORTH"}
                     : (axis_words){"x", projected ? "projection_x_coordinate" : "", unit, "X", "HORIZONTAL_X", "EAST"};
}

static bool add_plane_axis(const io_raster_writer *w, const io_raster_plan *plan, int axis, axis_words words)
{
    netcdf *n = state_of(w);
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
    set_text(w, array, "standard_name", words.standard);
    set_text(w, array, "long_name", words.standard);
    set_text(w, array, "units", words.unit);
    set_text(w, array, "axis", words.letter);
    w->gdal->GDALMDArrayRelease(array);
    return true;
}

/* The one dimension beside the plane's that all bands have a value of; "" where there is none. */
static void find_steps(const io_raster_writer *w, const io_raster_plan *plan, char name[NAME])
{
    const gdal_api *g = w->gdal;
    const char *extra = plan->like ? g->GDALGetMetadataItem(plan->like->set, "NETCDF_DIM_EXTRA", NULL) : NULL;
    char key[2 * NAME];
    name[0] = 0;
    if (!extra || *extra != '{' || strchr(extra, ',') || strlen(extra) >= NAME)
        return;
    snprintf(name, NAME, "%.*s", (int)strcspn(extra + 1, "}"), extra + 1);
    snprintf(key, sizeof key, "NETCDF_DIM_%s", name);
    for (int i = 0; i < plan->bands; i++)
        if (!g->GDALGetMetadataItem(plan->like->band[plan->band[i]].handle, key, NULL))
            name[0] = 0;
}

/* Time, as a rule: its values and its attributes are the input's. */
static bool add_steps(const io_raster_writer *w, const io_raster_plan *plan)
{
    netcdf *n = state_of(w);
    const gdal_api *g = w->gdal;
    double *value = malloc((size_t)plan->bands * sizeof *value);
    char key[2 * NAME];
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
            !strncmp(name, "bounds=", 7) || equals - name >= NAME)
            continue; /* the bounds are a variable that is not copied */
        snprintf(key, sizeof key, "%.*s", (int)(equals - name), name);
        set_text(w, array, key, equals + 1);
    }
    g->GDALMDArrayRelease(array);
    return array != NULL;
}

/* -------------------------------------------------------------------------------------------------------- variables */

/* CF: letters, digits and underscores, a letter first. */
static void variable_name(const io_raster_writer *w, const io_raster_plan *plan, int band, char name[NAME])
{
    const netcdf *n = state_of(w);
    const raster_band *from = plan->like ? &plan->like->band[plan->band[band]] : NULL;
    const char *stored = from ? w->gdal->GDALGetMetadataItem(from->handle, "NETCDF_VARNAME", NULL) : NULL;
    const char *given = n->axis[0] && stored ? stored : from ? from->name : plan->name[band];
    snprintf(name, NAME, "%s%.100s", isalpha((unsigned char)*given) ? "" : "v_", given);
    for (char *at = name; *at; at++)
        *at = isalnum((unsigned char)*at) ? *at : '_';
}

/* What the value is, and what the other three are to it. */
static void describe_variable(const io_raster_writer *w, const io_raster_plan *plan, int band, io_role role, GDALMDArrayH array)
{
    const gdal_api *g = w->gdal;
    const raster_band *from = plan->like ? &plan->like->band[plan->band[band]] : NULL;
    GDALRasterBandH handle = from ? from->handle : NULL;
    const char *standard = from ? g->GDALGetMetadataItem(handle, "standard_name", NULL) : NULL;
    const char *given = from ? g->GDALGetMetadataItem(handle, "long_name", NULL) : NULL;
    const char *title = given ? given : from ? from->name : plan->name[band];
    char name[NAME], text[4 * NAME];
    variable_name(w, plan, band, name);
    const char *format[] = {"%s", "standard error of %s", "lower bound of the %2$g %% interval of %1$s",
                            "upper bound of the %2$g %% interval of %1$s"};
    snprintf(text, sizeof text, format[role], title, 100 * plan->level);
    set_text(w, array, "long_name", text);
    snprintf(text, sizeof text, "%s%s", standard ? standard : "", role == IO_SD && standard ? " standard_error" : "");
    set_text(w, array, "standard_name", role <= IO_SD ? text : NULL);
    set_text(w, array, "units", from ? g->GDALGetRasterUnitType(handle) : NULL);
    set_text(w, array, "cell_methods", from ? g->GDALGetMetadataItem(handle, "cell_methods", NULL) : NULL);
    snprintf(text, sizeof text, "%s_sd %s_lower %s_upper", name, name, name);
    set_text(w, array, "ancillary_variables", role == IO_VALUE ? text : NULL);
    set_text(w, array, "comment", role != IO_VALUE ? NULL : plan->smooth ? "estimated by kriging at every pixel"
             : "estimated by kriging where the input was missing; the input's value, with standard error 0, elsewhere");
}

static bool add_variable(io_raster_writer *w, const io_raster_plan *plan, int v, io_role role, OGRSpatialReferenceH crs)
{
    netcdf *n = state_of(w);
    const gdal_api *g = w->gdal;
    const raster_band *from = plan->like ? &plan->like->band[plan->band[v]] : NULL;
    bool steps = n->axis[0];
    char name[NAME], full[NAME + 8], block[64];
    variable_name(w, plan, v, name);
    snprintf(full, sizeof full, "%s%s", name, ROLE[role]);
    snprintf(block, sizeof block, "BLOCKSIZE=%s%d,%d", steps ? "1," : "", (int)fmin(BLOCK, (double)plan->grid.rows),
             (int)fmin(BLOCK, (double)plan->grid.columns));
    char *options[] = {block, "COMPRESS=DEFLATE", "ZLEVEL=1", NULL};
    GDALMDArrayH array = n->array[v * IO_ROLES + (int)role] =
        g->GDALGroupCreateMDArray(n->root, full, steps ? 3 : 2, n->axis + !steps, n->number, options);
    if (!array)
        return false;
    if (crs)
        g->GDALMDArraySetSpatialRef(array, crs);
    g->GDALMDArraySetNoDataValueAsDouble(array, w->missing[v]);
    if (from && (from->scale != 1 || from->offset != 0)) {
        g->GDALMDArraySetScale(array, role == IO_SD ? fabs(from->scale) : from->scale);
        g->GDALMDArraySetOffset(array, role == IO_SD ? 0 : from->offset);
    }
    describe_variable(w, plan, v, role, array);
    return true;
}

/* --------------------------------------------------------------------------------------------------------- creating */

static bool add_all(io_raster_writer *w, const io_raster_plan *plan, OGRSpatialReferenceH crs)
{
    netcdf *n = state_of(w);
    bool projected = crs && !plan->grid.geographic, good = true;
    double metres = projected ? w->gdal->OSRGetLinearUnits(crs, NULL) : 1;
    find_steps(w, plan, n->step_name);
    describe_file(w, plan);
    if (n->step_name[0])
        good = add_steps(w, plan);
    for (int axis = 1; axis < 3 && good; axis++)
        good = add_plane_axis(w, plan, axis, words_of(plan, axis, projected, metres));
    n->variables = n->step_name[0] ? 1 : plan->bands;
    n->array = calloc((size_t)(n->variables * IO_ROLES), sizeof(GDALMDArrayH));
    for (int v = 0; v < n->variables && good && n->array; v++)
        for (io_role role = IO_VALUE; role < IO_ROLES && good; role++)
            good = add_variable(w, plan, v, role, crs);
    return good && n->array && !gdal_complaint();
}

static surekrig_status create_netcdf(io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    const gdal_api *g = w->gdal;
    const double *t = plan->grid.transform;
    netcdf *n = w->state = calloc(1, sizeof *n);
    GDALDriverH driver = g->GDALGetDriverByName(raster_netcdf.name);
    if (!n || !driver)
        return n ? io_fail(error, SUREKRIG_FILE, "the GDAL on this machine does not write NetCDF") : io_fail_memory(error, w->target.path);
    if (t[2] != 0 || t[4] != 0)
        return io_fail(error, SUREKRIG_INVALID, "%s would be a rotated raster, for which NetCDF has no axes: write a GeoTIFF",
                       io_label(w->target.path));
    char *options[] = {"FORMAT=NC4", NULL};
    w->set = g->GDALCreateMultiDimensional(driver, w->target.temporary, NULL, options);
    n->root = w->set ? g->GDALDatasetGetRootGroup(w->set) : NULL;
    n->number = g->GDALExtendedDataTypeCreate(w->doubles ? GDT_Float64 : GDT_Float32);
    n->wide = g->GDALExtendedDataTypeCreate(GDT_Float64);
    n->text = g->GDALExtendedDataTypeCreateString(0);
    OGRSpatialReferenceH crs = NULL, made = NULL;
    surekrig_status status = raster_find_crs(g, plan, &crs, &made, error);
    if (!status && (!n->root || !add_all(w, plan, crs)))
        status = raster_fail("cannot write", w->target.path, error);
    g->OSRDestroySpatialReference(made);
    return status;
}

static CPLErr write_netcdf(io_raster_writer *w, int band, io_role role, io_window at, void *value)
{
    netcdf *n = state_of(w);
    bool steps = n->axis[0];
    GUInt64 from[3] = {(GUInt64)band, (GUInt64)at.row, (GUInt64)at.column};
    size_t count[3] = {1, (size_t)at.rows, (size_t)at.columns};
    GDALMDArrayH array = n->array[(steps ? 0 : band) * IO_ROLES + (int)role];
    return w->gdal->GDALMDArrayWrite(array, from + !steps, count + !steps, NULL, NULL, n->number, value, NULL, 0) ? CE_None
                                                                                                            : CE_Failure;
}

static void close_netcdf(io_raster_writer *w)
{
    const gdal_api *g = w->gdal;
    netcdf *n = state_of(w);
    if (n) {
        for (int i = 0; n->array && i < n->variables * IO_ROLES; i++)
            g->GDALMDArrayRelease(n->array[i]);
        for (int i = 0; i < 3; i++)
            g->GDALDimensionRelease(n->axis[i]);
        g->GDALExtendedDataTypeRelease(n->number);
        g->GDALExtendedDataTypeRelease(n->wide);
        g->GDALExtendedDataTypeRelease(n->text);
        g->GDALGroupRelease(n->root);
        free(n->array);
    }
    free(n);
    w->state = NULL;
    if (w->set)
        g->GDALClose(w->set);
    w->set = NULL;
}

const raster_format raster_netcdf = {"netCDF", SUFFIXES, create_netcdf, write_netcdf, close_netcdf};
