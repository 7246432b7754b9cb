/* When the bands of a raster are: the value of its one dimension beside the plane's, where that is time. */
#include "file.h"

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

/* CF: "days since 2020-01-01", or a standard name; some call it time and say nothing. */
static bool is_time(const io_raster *r, const char *name)
{
    char key[NAME + 16];
    snprintf(key, sizeof key, "%s#units", name);
    const char *unit = r->gdal->GDALGetMetadataItem(r->set, key, NULL);
    snprintf(key, sizeof key, "%s#standard_name", name);
    const char *standard = r->gdal->GDALGetMetadataItem(r->set, key, NULL);
    return (unit && strstr(unit, " since ")) || (standard && !strcmp(standard, "time")) || !strcmp(name, "time");
}

bool io_raster_times(const io_raster *raster, double *time)
{
    char name[NAME], key[NAME + 16];
    find_dimension(raster, name);
    snprintf(key, sizeof key, "NETCDF_DIM_%s", name);
    bool all = *name && is_time(raster, name);
    for (int i = 0; i < raster->bands && all; i++) {
        const char *text = raster->gdal->GDALGetMetadataItem(raster->band[i].handle, key, NULL);
        char *end = NULL;
        time[i] = text ? strtod(text, &end) : 0;
        all = text && end != text;
    }
    return all;
}
