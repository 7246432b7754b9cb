/* What a raster's bands and variables are called. */
#include "file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        r->band[i].name = raster_names_take(&set, raster_given_name(r->gdal, r->band[i].handle), "band", i + 1);
        whole = r->band[i].name != NULL;
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

/* The names of all of them behind what is to be said. */
static surekrig_status list_variables(const io_raster *r, const char *what, surekrig_error *error)
{
    char list[300];
    size_t used = (size_t)snprintf(list, sizeof list, "%s", subset(r, 1) ? "" : only_variable(r));
    for (int i = 1; subset(r, i) && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 1 ? ", " : "", variable_of(subset(r, i)));
    return io_fail(error, SUREKRIG_DATA, "%s %s: %s", io_label(r->path), what, *list ? list : "none");
}

surekrig_status raster_choose_variable(io_raster *r, const char *variable, surekrig_error *error)
{
    int n = 1;
    if (!variable && (r->gdal->GDALGetRasterCount(r->set) > 0 || !subset(r, 1)))
        return SUREKRIG_OK;
    if (!variable)
        return list_variables(r, "holds several variables, of which one is to be named", error);
    while (subset(r, n) && strcmp(variable_of(subset(r, n)), variable))
        n++;
    if (!subset(r, n))
        return !strcmp(only_variable(r), variable) ? SUREKRIG_OK
                                                   : list_variables(r, "has no such variable; it has", error);
    GDALDatasetH whole = r->set;
    gdal_listen();
    r->set = r->gdal->GDALOpenEx(subset(r, n), GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    r->gdal->GDALClose(whole);
    return r->set ? SUREKRIG_OK : raster_fail("cannot read", r->path, error);
}
