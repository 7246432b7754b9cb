/* When the bands of a raster are: the value of its one dimension beside the plane's, where that is time; or the dates
 * that they are named by, in days, where these increase. */
#include "file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 128 };

/* "{time}" of a NetCDF file; a GeoTIFF made of one still has the items of its bands. */
static void find_dimension(const io_raster *r, char name[NAME])
{
    const char *extra = r->gdal->GDALGetMetadataItem(r->set, "NETCDF_DIM_EXTRA", NULL);
    snprintf(name, NAME, "%s", extra ? "" : "time");
    if (extra && *extra == '{' && !strchr(extra, ',') && strlen(extra) < NAME)
        snprintf(name, NAME, "%.*s", (int)strcspn(extra + 1, "}"), extra + 1);
}

/* An attribute of the dimension, or NULL. */
static const char *attribute(const io_raster *r, const char *name, const char *which)
{
    char key[NAME + 32];
    snprintf(key, sizeof key, "%s#%s", name, which);
    return r->gdal->GDALGetMetadataItem(r->set, key, NULL);
}

/* CF: "days since 2020-01-01", or a standard name; some call it time and say nothing. */
static bool is_time(const io_raster *r, const char *name)
{
    const char *unit = attribute(r, name, "units"), *standard = attribute(r, name, "standard_name");
    return (unit && strstr(unit, " since ")) || (standard && !strcmp(standard, "time")) || !strcmp(name, "time");
}

/* Of a file of predictions each variable has them all. */
static int steps_of(const io_raster *r)
{
    return r->bands / r->variables;
}

/* Dates that do not increase are names like others: two quantities of one day, or pictures in another order. */
static bool times_of_names(const io_raster *r, double *time)
{
    bool all = steps_of(r) > 1;
    for (int i = 0; i < steps_of(r) && all; i++) {
        const char *name = raster_given_name(r->gdal, r->band[i].handle);
        all = name && io_parse_date(name, strlen(name), &time[i]) != IO_NO_DATES && (i == 0 || time[i] > time[i - 1]);
    }
    return all;
}

bool io_raster_times(const io_raster *raster, double *time)
{
    char name[NAME], key[NAME + 16];
    find_dimension(raster, name);
    snprintf(key, sizeof key, "NETCDF_DIM_%s", name);
    bool all = *name && is_time(raster, name);
    for (int i = 0; i < steps_of(raster) && all; i++) {
        const char *text = raster->gdal->GDALGetMetadataItem(raster->band[i].handle, key, NULL);
        char *end = NULL;
        time[i] = text ? strtod(text, &end) : 0;
        all = text && end != text;
    }
    return all || times_of_names(raster, time);
}

/* --------------------------------------------------------------------------------------------------------- dates */

static const struct {
    const char *word;
    double in_a_day;
} UNITS[] = {{"day", 1},       {"d", 1},      {"hour", 24},      {"hr", 24},     {"h", 24},
             {"minute", 1440}, {"min", 1440}, {"second", 86400}, {"sec", 86400}, {"s", 86400}};

/* "2020-1-1 0:0:0.0 UTC", as UDUNITS takes it, in days since 1970-01-01. */
static bool read_origin(const char *text, double *days)
{
    int year, month, day, hour = 0, minute = 0, used = 0, clock = 0;
    double second = 0;
    char iso[80];
    if (sscanf(text, " %d-%d-%d%n", &year, &month, &day, &used) != 3 || year < 1 || year > 9999)
        return false;
    const char *rest = text + used;
    if (sscanf(rest, "%*1[ T]%d:%d:%lf%n", &hour, &minute, &second, &clock) < 3)
        sscanf(rest, "%*1[ T]%d:%d%n", &hour, &minute, &clock);
    rest += clock;
    rest += strspn(rest, " ");
    const char *zone = !strcmp(rest, "UTC") || !strcmp(rest, "GMT") || !*rest ? "Z" : rest;
    int length = snprintf(iso, sizeof iso, "%04d-%02d-%02dT%02d:%02d:%06.3f%s", year, month, day, hour, minute, second,
                          zone);
    return length < (int)sizeof iso && io_parse_date(iso, (size_t)length, days) != IO_NO_DATES;
}

/* "days since 2020-01-01"; false: no date can be told of it. */
static bool read_unit(const char *unit, double *in_a_day, double *origin)
{
    const char *since = strstr(unit, " since ");
    size_t length = since ? (size_t)(since - unit) : 0;
    for (size_t i = 0; i < sizeof UNITS / sizeof *UNITS && since; i++) {
        size_t whole = strlen(UNITS[i].word);
        if (strncmp(unit, UNITS[i].word, whole) || length - whole > 1 || (length > whole && unit[whole] != 's'))
            continue;
        *in_a_day = UNITS[i].in_a_day;
        return read_origin(since + 7, origin);
    }
    return false;
}

/* Ours: the Gregorian one, which CF's standard calendar is from 1582-10-15 on. */
static bool is_gregorian(const char *calendar, double origin)
{
    const double since = -141427; /* 1582-10-15 */
    return !strcmp(calendar, "proleptic_gregorian") ||
           ((!strcmp(calendar, "standard") || !strcmp(calendar, "gregorian")) && origin >= since);
}

/* Times as days since 1970-01-01, where unit and calendar tell them; else why not. */
static void take_dates(const io_raster *r, const char *name, raster_steps *steps)
{
    const char *unit = attribute(r, name, "units"), *calendar = attribute(r, name, "calendar");
    double in_a_day, origin;
    if (!unit || !*unit) {
        snprintf(steps->plain, sizeof steps->plain, "they have no unit");
    } else if (!read_unit(unit, &in_a_day, &origin)) {
        snprintf(steps->plain, sizeof steps->plain, "their unit is '%.100s'", unit);
        io_plain(steps->plain, ' ');
    } else if (!is_gregorian(calendar ? calendar : "standard", origin)) {
        snprintf(steps->plain, sizeof steps->plain, "their unit is '%.80s' in the calendar %.40s", unit,
                 calendar ? calendar : "standard");
        io_plain(steps->plain, ' ');
    } else {
        steps->dates = IO_DATES;
        for (int i = 0; i < steps->count; i++) {
            steps->time[i] = origin + steps->time[i] / in_a_day;
            if (steps->time[i] != floor(steps->time[i]))
                steps->dates = IO_TIMES_UTC;
        }
    }
}

/* --------------------------------------------------------------------------------------------------------- steps */

static bool of_one_variable(const io_raster *r)
{
    const char *first = raster_given_name(r->gdal, r->band[0].handle);
    for (int i = 1; i < steps_of(r); i++)
        if (strcmp(first, raster_given_name(r->gdal, r->band[i].handle)))
            return false;
    return true;
}

surekrig_status raster_find_steps(const io_raster *r, raster_steps *steps, surekrig_error *error)
{
    char name[NAME];
    steps->time = malloc((size_t)r->bands * sizeof *steps->time);
    if (!steps->time)
        return io_fail_memory(error, r->path);
    if (!of_one_variable(r) || !io_raster_times(r, steps->time))
        return SUREKRIG_OK;
    for (int i = 1; i < steps_of(r); i++)
        if (!(steps->time[i] > steps->time[i - 1]))
            return io_fail(error, SUREKRIG_DATA,
                           "the times of %s do not increase from step %d, %.9g, to the next, %.9g: bring its steps "
                           "into order first, with xarray's sortby",
                           io_label(r->path), i, steps->time[i - 1], steps->time[i]);
    steps->count = steps_of(r);
    find_dimension(r, name);
    take_dates(r, name, steps);
    return SUREKRIG_OK;
}
