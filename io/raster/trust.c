/* What GDAL is let near: a file it opens may name others, or a server, and GDAL would go there. Files that are tables
 * by their names are not for it; descriptions of other files (VRT) must be called so; the network is there for who
 * names it, and for no other (offline.c). */
#include "file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Drivers that ask servers or open what a text tells them to, .vrt apart. */
static const char *const DISTANT[] = {"WMS",      "WCS",    "WMTS",  "HTTP", "OGCAPI",  "PLMOSAIC",
                                      "PLSCENES", "EEDA",   "EEDAI", "DAAS", "NGW",     "DODS",
                                      "STACTA",   "STACIT", "GDALG", "GTI",  "DERIVED", "PostGISRaster"};
static const char *const SERVERS[] = {"http://", "https://",  "ftp://",   "dods://",  "dap4://",    "s3://",
                                      "gs://",   "az://",     "/vsicurl", "/vsis3",   "/vsigs",     "/vsiaz",
                                      "/vsioss", "/vsiswift", "/vsiadls", "/vsihdfs", "/vsiwebhdfs"};
#define COUNT(list) (sizeof(list) / sizeof *(list))

bool io_raster_names_server(const char *path)
{
    for (size_t i = 0; i < COUNT(SERVERS); i++)
        if (strstr(path, SERVERS[i]))
            return true;
    for (size_t i = 0; i < COUNT(DISTANT); i++) {
        size_t length = strlen(DISTANT[i]);
        if (!strncmp(path, DISTANT[i], length) && path[length] == ':')
            return true;
    }
    return false;
}

static bool allowed; /* servers, by the command as a whole */

void io_raster_allow_network(void)
{
    allowed = true;
}

static void switch_network(const gdal_api *g, bool on)
{
    static bool is_on = true; /* as GDAL comes */
    if (on == is_on)
        return;
    is_on = on;
    g->CPLSetConfigOption("CPL_VSIL_CURL_ALLOWED_FILENAME", on ? NULL : "none");
    g->CPLSetConfigOption("GDAL_VRT_ENABLE_PYTHON", on ? NULL : "NO");
    if (on)
        g->GDALAllRegister();
    for (size_t i = 0; i < COUNT(DISTANT) && !on; i++) {
        GDALDriverH driver = g->GDALGetDriverByName(DISTANT[i]);
        if (driver) {
            g->GDALDeregisterDriver(driver);
            g->GDALDestroyDriver(driver);
        }
    }
}

static bool describes_others(const char *path)
{
    char head[4097];
    FILE *file = fopen(path, "rb");
    size_t count = file ? fread(head, 1, sizeof head - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < count; i++) /* a NUL would end the search */
        if (!head[i])
            head[i] = ' ';
    head[count] = 0;
    return strstr(head, "<VRTDataset") != NULL;
}

/* The text of a file, without NULs; NULL: it cannot be read. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    char *text = size >= 0 && !fseek(file, 0, SEEK_SET) ? malloc((size_t)size + 1) : NULL;
    size_t count = text ? fread(text, 1, (size_t)size, file) : 0;
    for (size_t i = 0; i < count; i++)
        if (!text[i])
            text[i] = ' ';
    if (text)
        text[count] = 0;
    if (file)
        fclose(file);
    return text;
}

static char *find_word(char *text, const char *word)
{
    size_t length = strlen(word);
    for (; *text; text++)
        if (!strncasecmp(text, word, length))
            return text;
    return NULL;
}

static bool has_distant_source(const char *path, int depth);

/* source: as the VRT at path has it, <SourceFilename relativeToVRT="1">a.tif. Of what lies in archives nobody can say
 * here what it names. */
static bool is_distant(const char *path, char *source, int depth)
{
    char file[4096];
    const char *slash = strrchr(path, '/'), *name = strchr(source, '>');
    if (strstr(source, "://") || strstr(source, "&#") || find_word(source, "/vsi"))
        return true;
    name = name ? name + 1 : source;
    bool beside = slash && *name != '/'; /* relativeToVRT or not: both are looked at */
    snprintf(file, sizeof file, "%.*s%s", beside ? (int)(slash - path + 1) : 0, beside ? path : "", name);
    return (describes_others(file) && has_distant_source(file, depth + 1)) ||
           (beside && describes_others(name) && has_distant_source(name, depth + 1));
}

/* Whether a source of the VRT, or of one that it names, is a server's, or hides what it is behind numbers of
 * characters. NetCDF's own library asks servers, which nothing else can forbid it. */
static bool has_distant_source(const char *path, int depth)
{
    enum { DEEPEST = 8 };
    char *text = depth < DEEPEST ? read_text(path) : NULL;
    bool distant = depth == DEEPEST;
    for (char *at = text; at && !distant && (at = find_word(at, "<source")); at++) {
        char *end = strstr(at, "</");
        if (!end)
            break;
        *end = 0;
        distant = is_distant(path, at, depth);
        at = end;
    }
    free(text);
    return distant;
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && !strcasecmp(path + length - tail, suffix);
}

static surekrig_status check_name(const char *path, surekrig_error *error)
{
    const char *label = io_label(path);
    if (io_names_table(path))
        return io_fail(error, SUREKRIG_FILE,
                       "%s is a table by its name, where a raster is needed: fill's --driver says what it is else",
                       label);
    if (*path == '<' && access(path, F_OK))
        return io_fail(error, SUREKRIG_FILE, "there is no file %s", label);
    if (!ends_in(path, ".vrt") && describes_others(path))
        return io_fail(error, SUREKRIG_FILE,
                       "%s is a VRT, by which GDAL opens other files: call it .vrt, if you trust who made it", label);
    if (ends_in(path, ".vrt") && has_distant_source(path, 0))
        return io_fail(error, SUREKRIG_FILE,
                       "%s has sources on servers or in archives: --driver VRT opens it, if you trust who made it",
                       label);
    return SUREKRIG_OK;
}

surekrig_status raster_trust(const gdal_api *g, const char *path, const char *driver, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    bool known = !driver || g->GDALGetDriverByName(driver);
    struct stat file;
    if (!stat(path, &file) && (S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode)))
        status = io_fail(error, SUREKRIG_FILE, "cannot read %s: it is a pipe or a device, and a raster is a file",
                         io_label(path));
    else if (!known)
        status = io_fail(error, SUREKRIG_INVALID, "GDAL has no driver '%s': 'gdalinfo --formats' lists them", driver);
    else if (!driver)
        status = check_name(path, error);
    switch_network(g, io_raster_names_server(path));
    if (!allowed)
        raster_go_offline();
    return status;
}
