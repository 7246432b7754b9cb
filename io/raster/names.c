/* What a raster's bands and variables are called. */
#include "file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const RASTER_BAND_ROLE[IO_ROLES] = {"", " sd", " lower", " upper"};
const char *const RASTER_VARIABLE_ROLE[IO_ROLES] = {"", "_sd", "_lower", "_upper"};

/* ------------------------------------------------------------------------------------------------- bands, columns */

/* The slot that has the name, or the empty one where it would be: at most half of them are taken. */
static const char **slot_of(const raster_names *set, const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *at = name; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    hash ^= hash >> 32;
    while (set->slot[hash % set->slots] && strcmp(set->slot[hash % set->slots], name) != 0)
        hash++;
    return &set->slot[hash % set->slots];
}

bool raster_names_new(raster_names *set, int most)
{
    set->most = most;
    set->slots = 2 * (size_t)most + 1;
    set->slot = calloc(set->slots, sizeof *set->slot);
    return set->slot != NULL;
}

void raster_names_reserve(raster_names *set, const char *name)
{
    *slot_of(set, name) = name;
}

char *raster_names_take(raster_names *set, const char *given, const char *otherwise, int number)
{
    size_t room = strlen(given) + strlen(otherwise) + 24;
    char *name = malloc(room);
    if (!name)
        return NULL;
    snprintf(name, room, "%s", given);
    io_plain(name, ' ');
    for (; !*name || *slot_of(set, name); number += set->most) { /* a file may have called another so, too */
        snprintf(name, room, "%s_%d", *given ? given : otherwise, number);
        io_plain(name, ' ');
    }
    *slot_of(set, name) = name;
    return name;
}

const char *raster_given_name(const gdal_api *g, GDALRasterBandH band)
{
    const char *name = g->GDALGetDescription(band);
    if (!name || !*name)
        name = g->GDALGetMetadataItem(band, "NETCDF_VARNAME", NULL);
    return name ? name : "";
}

/* Of predictions "temp sd" of temp, whatever the variable is called; the caller's to free. */
static char *role_name(const io_raster *r, int band)
{
    int steps = r->bands / r->variables, role = band / steps % IO_ROLES;
    const char *of = r->variables > 1 && role > 0 ? r->band[band - role * steps].name : NULL;
    size_t room = of ? strlen(of) + 8 : 0;
    char *name = of ? malloc(room) : strdup(raster_given_name(r->gdal, r->band[band].handle));
    if (name && of)
        snprintf(name, room, "%s%s", of, RASTER_BAND_ROLE[role]);
    return name;
}

/* Time steps of a variable: temp, temp_2, ... */
surekrig_status raster_name_bands(io_raster *r, surekrig_error *error)
{
    static const char *const COORDINATES[] = {"x", "y", "lon", "lat"};
    raster_names set;
    if (!raster_names_new(&set, r->bands + 4))
        return io_fail_memory(error, r->path);
    for (int i = 0; i < 4; i++)
        raster_names_reserve(&set, COORDINATES[i]);
    bool whole = true;
    for (int i = 0; i < r->bands && whole; i++) {
        char *given = role_name(r, i);
        r->band[i].name = given ? raster_names_take(&set, given, "band", i + 1) : NULL;
        whole = r->band[i].name != NULL;
        free(given);
    }
    free(set.slot);
    return whole ? SUREKRIG_OK : io_fail_memory(error, r->path);
}

/* ----------------------------------------------------------------------------------------------------- variables */

/* The variable in NETCDF:"file.nc":temp or HDF5:"file.h5"://group/temp. */
static const char *variable_of(const char *subset)
{
    const char *colon = strrchr(subset, ':');
    const char *name = colon ? colon + 1 : subset;
    return name + strspn(name, "/");
}

/* The n-th of the sets within a file, from 1; NULL past the last. */
static const char *subset(const io_raster *r, int n)
{
    char key[40];
    char **item = r->gdal->GDALGetMetadata(r->set,
                                           "SUBDATASETS"); /* the netCDF driver does not know single items of it */
    size_t length = (size_t)snprintf(key, sizeof key, "SUBDATASET_%d_NAME=", n);
    while (item && *item && strncmp(*item, key, length))
        item++;
    return item && *item ? *item + length : NULL;
}

/* The only variable of a file is its dataset itself; "" where it has no name. */
static const char *only_variable(const io_raster *r)
{
    bool any = r->gdal->GDALGetRasterCount(r->set) > 0;
    return any ? raster_given_name(r->gdal, r->gdal->GDALGetRasterBand(r->set, 1)) : "";
}

/* The names of all of them behind what is to be said; example: how to name one, or NULL. */
static surekrig_status list_variables(const io_raster *r, const char *what, const char *example, surekrig_error *error)
{
    char list[300];
    size_t used = (size_t)snprintf(list, sizeof list, "%s", subset(r, 1) ? "" : only_variable(r));
    for (int i = 1; subset(r, i) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 1 ? ", " : "", variable_of(subset(r, i)));
    return io_fail(error, SUREKRIG_DATA, "%s %s: %s%s%s%s", io_label(r->path), what, *list ? list : "none",
                   example ? "; '" : "", example ? example : "",
                   example ? "' in place of the file names the first" : "");
}

/* How many variables there are, if they are predictions: one after another NAME, NAME_sd, NAME_lower and NAME_upper; else
 * 0. Of other formats the list may name any file. */
static int predictions(const io_raster *r)
{
    int count = 0;
    for (; raster_is_netcdf(r) && subset(r, count + 1); count++) {
        int role = count % IO_ROLES;
        const char *name = variable_of(subset(r, count + 1)), *of = variable_of(subset(r, count + 1 - role));
        size_t length = strlen(of);
        if (role > 0 && (strncmp(name, of, length) != 0 || strcmp(name + length, RASTER_VARIABLE_ROLE[role]) != 0))
            return 0;
    }
    return count % IO_ROLES == 0 ? count : 0;
}

/* By GDAL itself, with as many bands. */
static bool alike(const gdal_api *g, GDALDatasetH a, GDALDatasetH b)
{
    double one[6], other[6];
    bool same = a && b && g->GDALGetRasterXSize(a) == g->GDALGetRasterXSize(b) &&
                g->GDALGetRasterYSize(a) == g->GDALGetRasterYSize(b) &&
                g->GDALGetRasterCount(a) == g->GDALGetRasterCount(b) && g->GDALGetGeoTransform(a, one) == CE_None &&
                g->GDALGetGeoTransform(b, other) == CE_None;
    for (int i = 0; i < 6 && same; i++)
        same = one[i] == other[i];
    return same;
}

/* The variables in the order of the file. False: they are not on one grid, and the file stays as it was, or there is no
 * memory. */
static bool open_whole(io_raster *r, int count)
{
    GDALDatasetH *set = calloc((size_t)count, sizeof *set);
    bool whole = set != NULL;
    gdal_listen();
    for (int i = 0; i < count && whole; i++) {
        set[i] = r->gdal->GDALOpenEx(subset(r, i + 1), GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
        whole = alike(r->gdal, set[0], set[i]) && r->gdal->GDALGetRasterCount(set[i]) < INT_MAX / count;
    }
    for (int i = 0; i < count && set && !whole; i++)
        if (set[i])
            r->gdal->GDALClose(set[i]);
    if (!whole) {
        free(set);
        return false;
    }
    r->gdal->GDALClose(r->set);
    r->set = set[0];
    memmove(set, set + 1, (size_t)(count - 1) * sizeof *set);
    r->more = set;
    r->variables = count;
    return true;
}

surekrig_status raster_choose_variable(io_raster *r, const char *variable, surekrig_error *error)
{
    int n = 1;
    if (!variable && (r->gdal->GDALGetRasterCount(r->set) > 0 || !subset(r, 1)))
        return SUREKRIG_OK;
    if (!variable && r->whole && predictions(r) > 0 && open_whole(r, predictions(r)))
        return SUREKRIG_OK;
    if (!variable)
        return list_variables(r, "holds several variables, of which one is to be named", subset(r, 1), error);
    while (subset(r, n) && strcmp(variable_of(subset(r, n)), variable))
        n++;
    if (!subset(r, n))
        return !strcmp(only_variable(r), variable) ? SUREKRIG_OK
                                                   : list_variables(r, "has no such variable; it has", NULL, error);
    GDALDatasetH whole = r->set;
    gdal_listen();
    r->set = r->gdal->GDALOpenEx(subset(r, n), GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    r->gdal->GDALClose(whole);
    return r->set ? SUREKRIG_OK : raster_fail("cannot read", r->path, error);
}
