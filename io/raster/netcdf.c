/* NetCDF after the CF conventions: four variables for each band, the last three ancillary to the first; time steps of
 * one variable become one variable along the same axis again. https://cfconventions.org */
#include "netcdf.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const SUFFIXES[] = {".nc", ".nc4", ".cdf", NULL};
enum { BLOCK = 256 };

/* What the input says of itself, and a line of history before its own. */
static void describe_file(const io_raster_writer *w, const io_raster_plan *plan)
{
    static const char *const KEPT[] = {"title", "institution", "source", "references", "comment"};
    const gdal_api *g = w->gdal;
    netcdf_set_text(w, NULL, "Conventions", "CF-1.8");
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT && plan->like; i++) {
        char key[NETCDF_NAME];
        snprintf(key, sizeof key, "NC_GLOBAL#%s", KEPT[i]);
        netcdf_set_text(w, NULL, KEPT[i], g->GDALGetMetadataItem(plan->like->set, key, NULL));
    }
    if (!plan->like || !g->GDALGetMetadataItem(plan->like->set, "NC_GLOBAL#title", NULL))
        netcdf_set_text(w, NULL, "title", "estimates by kriging, with standard errors and intervals");
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
        netcdf_set_text(w, NULL, "history", history);
    }
    free(history);
}

/* ----------------------------------------------------------------------------------------------------- variables */

/* CF: letters, digits and underscores, a letter first. */
static void variable_name(const io_raster_writer *w, const io_raster_plan *plan, int band, char name[NETCDF_NAME])
{
    const netcdf *n = netcdf_of(w);
    const raster_band *from = plan->like ? &plan->like->band[plan->band[band]] : NULL;
    const char *stored = from ? w->gdal->GDALGetMetadataItem(from->handle, "NETCDF_VARNAME", NULL) : NULL;
    const char *given = n->axis[0] && stored ? stored : from ? from->name : plan->name[band];
    snprintf(name, NETCDF_NAME, "%s%.100s", isalpha((unsigned char)*given) ? "" : "v_", given);
    for (char *at = name; *at; at++)
        *at = isalnum((unsigned char)*at) ? *at : '_';
}

/* What the value is, and what the other three are to it. */
static void describe_variable(const io_raster_writer *w, const io_raster_plan *plan, int band, io_role role,
                              GDALMDArrayH array)
{
    const gdal_api *g = w->gdal;
    const raster_band *from = plan->like ? &plan->like->band[plan->band[band]] : NULL;
    GDALRasterBandH handle = from ? from->handle : NULL;
    const char *standard = from ? g->GDALGetMetadataItem(handle, "standard_name", NULL) : NULL;
    const char *given = from ? g->GDALGetMetadataItem(handle, "long_name", NULL) : NULL;
    const char *title = given ? given : from ? from->name : plan->name[band];
    char name[NETCDF_NAME], text[4 * NETCDF_NAME];
    variable_name(w, plan, band, name);
    const char *format[] = {"%s", "standard error of %s", "lower bound of the %2$g %% interval of %1$s",
                            "upper bound of the %2$g %% interval of %1$s"};
    snprintf(text, sizeof text, format[role], title, 100 * plan->level);
    netcdf_set_text(w, array, "long_name", text);
    snprintf(text, sizeof text, "%s%s", standard ? standard : "", role == IO_SD && standard ? " standard_error" : "");
    netcdf_set_text(w, array, "standard_name", role <= IO_SD ? text : NULL);
    netcdf_set_text(w, array, "units", from ? g->GDALGetRasterUnitType(handle) : NULL);
    netcdf_set_text(w, array, "cell_methods", from ? g->GDALGetMetadataItem(handle, "cell_methods", NULL) : NULL);
    snprintf(text, sizeof text, "%s_sd %s_lower %s_upper", name, name, name);
    netcdf_set_text(w, array, "ancillary_variables", role == IO_VALUE ? text : NULL);
    netcdf_set_text(
        w, array, "comment",
        role != IO_VALUE ? NULL
        : plan->smooth
            ? "estimated by kriging at every pixel"
            : "estimated by kriging where the input was missing; the input's value, with standard error 0, elsewhere");
}

static bool add_variable(io_raster_writer *w, const io_raster_plan *plan, int v, io_role role, OGRSpatialReferenceH crs)
{
    netcdf *n = netcdf_of(w);
    const gdal_api *g = w->gdal;
    const raster_band *from = plan->like ? &plan->like->band[plan->band[v]] : NULL;
    bool steps = n->axis[0];
    char name[NETCDF_NAME], full[NETCDF_NAME + 8], block[64];
    variable_name(w, plan, v, name);
    snprintf(full, sizeof full, "%s%s", name, RASTER_VARIABLE_ROLE[role]);
    snprintf(block, sizeof block, "BLOCKSIZE=%s%d,%d", steps ? "1," : "", (int)fmin(BLOCK, (double)plan->grid.rows),
             (int)fmin(BLOCK, (double)plan->grid.columns));
    char *options[] = {block, "COMPRESS=DEFLATE", "ZLEVEL=1", NULL};
    GDALMDArrayH array = n->array[v * IO_ROLES + (int)role] = g->GDALGroupCreateMDArray(n->root, full, steps ? 3 : 2,
                                                                                        n->axis + !steps, n->number,
                                                                                        options);
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

/* ------------------------------------------------------------------------------------------------------ creating */

static bool add_all(io_raster_writer *w, const io_raster_plan *plan, OGRSpatialReferenceH crs)
{
    netcdf *n = netcdf_of(w);
    describe_file(w, plan);
    bool good = netcdf_add_axes(w, plan, crs);
    n->variables = n->step_name[0] ? 1 : plan->bands;
    n->array = calloc((size_t)(n->variables * IO_ROLES), sizeof(GDALMDArrayH));
    for (int v = 0; v < n->variables && good && n->array; v++)
        for (io_role role = IO_VALUE; role < IO_ROLES && good; role++)
            good = add_variable(w, plan, v, role, crs);
    return good && n->array && !gdal_complaint();
}

static surekrig_status check_plan(const io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    const double *t = plan->grid.transform;
    const char *extra = plan->like ? w->gdal->GDALGetMetadataItem(plan->like->set, "NETCDF_DIM_EXTRA", NULL) : NULL;
    if (t[2] != 0 || t[4] != 0)
        return io_fail(error, SUREKRIG_INVALID,
                       "%s would be a rotated raster, for which NetCDF has no axes: write a GeoTIFF",
                       io_label(w->target.path));
    if (extra && strchr(extra, ','))
        return io_fail(
            error, SUREKRIG_INVALID,
            "%s has the dimensions %s beside the plane's, of which %s could keep one: write a GeoTIFF, whose bands "
            "say their place along all of them, or take one step along the others first, with xarray's isel",
            io_label(plan->like->path), extra, io_label(w->target.path));
    return SUREKRIG_OK;
}

static surekrig_status create_netcdf(io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    const gdal_api *g = w->gdal;
    netcdf *n = w->state = calloc(1, sizeof *n);
    GDALDriverH driver = g->GDALGetDriverByName(raster_netcdf.name);
    if (!n || !driver)
        return n ? io_fail(error, SUREKRIG_FILE, "the GDAL on this machine does not write NetCDF")
                 : io_fail_memory(error, w->target.path);
    surekrig_status status = check_plan(w, plan, error);
    if (status)
        return status;
    char *options[] = {"FORMAT=NC4", NULL};
    w->set = g->GDALCreateMultiDimensional(driver, w->target.temporary, NULL, options);
    n->root = w->set ? g->GDALDatasetGetRootGroup(w->set) : NULL;
    n->number = g->GDALExtendedDataTypeCreate(w->doubles ? GDT_Float64 : GDT_Float32);
    n->wide = g->GDALExtendedDataTypeCreate(GDT_Float64);
    n->text = g->GDALExtendedDataTypeCreateString(0);
    OGRSpatialReferenceH crs = NULL, made = NULL;
    status = raster_find_crs(g, plan, &crs, &made, error);
    if (!status && (!n->root || !add_all(w, plan, crs)))
        status = raster_fail("cannot write", w->target.path, error);
    g->OSRDestroySpatialReference(made);
    return status;
}

static CPLErr write_netcdf(io_raster_writer *w, int band, io_role role, io_window at, void *value)
{
    netcdf *n = netcdf_of(w);
    bool steps = n->axis[0];
    GUInt64 from[3] = {(GUInt64)band, (GUInt64)at.row, (GUInt64)at.column};
    size_t count[3] = {1, (size_t)at.rows, (size_t)at.columns};
    GDALMDArrayH array = n->array[(steps ? 0 : band) * IO_ROLES + (int)role];
    return w->gdal->GDALMDArrayWrite(array, from + !steps, count + !steps, NULL, NULL, n->number, value, NULL, 0)
               ? CE_None
               : CE_Failure;
}

static void close_netcdf(io_raster_writer *w)
{
    const gdal_api *g = w->gdal;
    netcdf *n = netcdf_of(w);
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
