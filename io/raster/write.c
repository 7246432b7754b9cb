/* Rasters for writing: into a temporary file beside the target, which takes the target's name when all of it is
 * there. */
#include "file.h"

#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const raster_format *const FORMATS[] = {&raster_geotiff, &raster_netcdf};
enum { FORMATS_COUNT = sizeof FORMATS / sizeof *FORMATS };

/* ------------------------------------------------------------------------------------------------------ creating */

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && !strcasecmp(path + length - tail, suffix);
}

static bool has_suffix(const raster_format *format, const char *path)
{
    for (const char *const *suffix = format->suffix; *suffix; suffix++)
        if (ends_in(path, *suffix))
            return true;
    return false;
}

bool io_raster_suffix(const char *path)
{
    for (int i = 0; i < FORMATS_COUNT; i++)
        if (has_suffix(FORMATS[i], path))
            return true;
    return false;
}

static const raster_format *choose_format(const char *path, const char *name, surekrig_error *error)
{
    for (int i = 0; i < FORMATS_COUNT; i++)
        if (name ? !strcasecmp(FORMATS[i]->name, name) : has_suffix(FORMATS[i], path))
            return FORMATS[i];
    io_fail(error, SUREKRIG_INVALID,
            name ? "'%s' is no format that is written: GTiff and netCDF are"
                 : "%s tells no format that is written: end it in .tif or .nc, or say --format",
            name ? name : io_label(path));
    return NULL;
}

surekrig_status raster_find_crs(const gdal_api *g, const io_raster_plan *plan, OGRSpatialReferenceH *crs,
                                OGRSpatialReferenceH *made, surekrig_error *error)
{
    *made = NULL;
    *crs = plan->like ? g->GDALGetSpatialRef(plan->like->set) : NULL;
    if (*crs || !plan->grid.crs)
        return SUREKRIG_OK;
    *crs = *made = g->OSRNewSpatialReference(NULL);
    if (g->OSRSetFromUserInput(*made, plan->grid.crs))
        return raster_fail("no coordinate system is known as", plan->grid.crs, error);
    g->OSRSetAxisMappingStrategy(*made, OAMS_TRADITIONAL_GIS_ORDER);
    return SUREKRIG_OK;
}

enum { INT8 = 14 }; /* GDAL's type from 3.7 on, which older headers do not name */

static bool floats_hold(const gdal_api *g, const raster_band *band)
{
    static const GDALDataType HELD[] = {GDT_Byte, INT8, GDT_UInt16, GDT_Int16, GDT_Float32};
    bool held = false;
    for (size_t i = 0; i < sizeof HELD / sizeof *HELD; i++)
        held |= g->GDALGetRasterDataType(band->handle) == HELD[i];
    return held && !(fabs(band->missing) > FLT_MAX);
}

bool io_raster_needs_doubles(const io_raster *raster)
{
    bool needs = false;
    for (int i = 0; i < raster->bands; i++)
        needs |= !floats_hold(raster->gdal, &raster->band[i]);
    return needs;
}

/* What stands for missing in the output, and whether a float holds all numbers of the input. */
static void study_bands(io_raster_writer *w, const io_raster_plan *plan)
{
    w->doubles = plan->doubles;
    for (int i = 0; i < plan->bands; i++) {
        const raster_band *band = plan->like ? &plan->like->band[plan->band[i]] : NULL;
        w->missing[i] = band ? band->missing : NAN;
        w->doubles |= band && !floats_hold(w->gdal, band);
        w->doubles |= band && w->format == &raster_netcdf &&
                      (band->scale != 1 || band->offset != 0); /* CF: both of one type */
    }
}

/* The libraries under GDAL tell a full disk in words of their own, if at all. */
static surekrig_status tell_full_disk(const io_raster_writer *w, surekrig_status status, surekrig_error *error)
{
    int reason = status == SUREKRIG_FILE && w->target.temporary ? io_why_no_longer(w->target.temporary) : 0;
    if (!reason)
        return status;
    return io_fail(error, SUREKRIG_FILE, "cannot write %s: %s", io_label(w->target.path), strerror(reason));
}

static surekrig_status check_file(const char *path, surekrig_error *error)
{
    struct stat there;
    if (stat(path, &there) || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode))
        return SUREKRIG_OK;
    return io_fail(error, SUREKRIG_FILE, "cannot write %s: it is a pipe or a device, and a raster needs a file",
                   io_label(path));
}

static surekrig_status create(io_raster_writer *w, const io_raster_plan *plan, surekrig_error *error)
{
    w->missing = malloc((size_t)plan->bands * sizeof *w->missing);
    if (!w->missing)
        return io_fail_memory(error, w->target.path);
    study_bands(w, plan);
    if (!w->target.temporary)
        return io_fail(error, SUREKRIG_FILE,
                       "cannot write %s: a raster needs a file that can be written here and there",
                       io_label(w->target.path));
    gdal_listen();
    return tell_full_disk(w, w->format->create(w, plan, error), error);
}

surekrig_status io_raster_create(const char *path, const io_raster_plan *plan, io_raster_writer **writer,
                                 surekrig_error *error)
{
    const gdal_api *gdal = gdal_load(error);
    const raster_format *format = choose_format(path, plan->format, error);
    if (!gdal || !format)
        return gdal ? SUREKRIG_INVALID : SUREKRIG_FILE;
    io_raster_writer *w = calloc(1, sizeof *w);
    if (!w)
        return io_fail_memory(error, path);
    w->gdal = gdal;
    w->format = format;
    io_raster_last_words(NULL);
    surekrig_status status = check_file(path, error); /* before a pipe without a reader is waited for */
    if (!status)
        status = io_target_open(&w->target, path, error);
    if (!status)
        status = create(w, plan, error);
    if (!status) {
        *writer = w;
        return status;
    }
    io_raster_last_words(error);
    io_raster_discard(w);
    return status;
}

/* ------------------------------------------------------------------------------------------------------- writing */

/* Into the writer's type, in place. A number that happens to be the one for missing goes to its neighbour, as sd 0 does
 * where 0 is missing. */
static void encode(const io_raster_writer *w, int band, int64_t count, double *value)
{
    double missing = w->missing[band];
    float *narrow = (float *)value;
    for (int64_t i = 0; i < count && w->doubles; i++)
        value[i] = isnan(value[i]) ? missing : value[i] == missing ? nextafter(missing, INFINITY) : value[i];
    for (int64_t i = 0; i < count && !w->doubles; i++) {
        float rounded = (float)value[i], absent = (float)missing;
        narrow[i] = isnan(rounded) ? absent : rounded == absent ? nextafterf(absent, INFINITY) : rounded;
    }
}

surekrig_status io_raster_write(io_raster_writer *writer, int band, io_role role, io_window window, double *value,
                                surekrig_error *error)
{
    if (!writer)
        return SUREKRIG_OK;
    encode(writer, band, window.columns * window.rows, value);
    gdal_listen();
    if (writer->format->write(writer, band, role, window, value) == CE_None && !gdal_complaint())
        return SUREKRIG_OK;
    return tell_full_disk(writer, raster_fail("cannot write", writer->target.path, error), error);
}

/* ------------------------------------------------------------------------------------------------------- closing */

static char last_words[sizeof((surekrig_error *)0)->sentence]; /* "": nothing has failed yet */

void io_raster_last_words(const surekrig_error *error)
{
    snprintf(last_words, sizeof last_words, "%s", error ? error->sentence : "");
    io_plain(last_words, ' ');
}

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void on_crash(int number)
{
    (void)number;
    io_unlink_unfinished();
    say("\nsurekrig: ");
    say(*last_words ? last_words : "the raster could not be written: its library crashed; is the disk full?");
    say("\n");
    _exit(EXIT_FAILURE);
}

/* libtiff 4.5 crashes where it closes a file that it cannot write to. That is told, and leaves nothing behind. */
static void close_format(io_raster_writer *writer)
{
    static const int SIGNALS[] = {SIGSEGV, SIGBUS, SIGABRT};
    enum { COUNT = sizeof SIGNALS / sizeof *SIGNALS };
    struct sigaction action = {.sa_handler = on_crash}, before[COUNT];
    if (!writer->format)
        return;
    for (int i = 0; i < COUNT; i++)
        sigaction(SIGNALS[i], &action, &before[i]);
    writer->format->close(writer); /* flushes: what fails is only complained of */
    for (int i = 0; i < COUNT; i++)
        sigaction(SIGNALS[i], &before[i], NULL);
}

surekrig_status io_raster_commit(io_raster_writer *writer, surekrig_error *error)
{
    gdal_listen();
    close_format(writer);
    surekrig_status status = SUREKRIG_OK;
    if (gdal_complaint())
        status = tell_full_disk(writer, raster_fail("cannot write", writer->target.path, error), error);
    if (!status)
        status = io_target_commit(&writer->target, error);
    if (status)
        io_raster_last_words(error);
    io_raster_discard(writer);
    return status;
}

void io_raster_discard(io_raster_writer *writer)
{
    if (!writer)
        return;
    if (writer->target.temporary) /* before it is closed: that may crash */
        unlink(writer->target.temporary);
    close_format(writer);
    io_target_close(&writer->target);
    free(writer->missing);
    free(writer);
}
