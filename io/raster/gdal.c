/* Finds GDAL when it is first needed. Linked, it would bring a hundred libraries into every start of the command. */
#include "gdal.h"
#include "internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEWEST = 45, OLDEST = 30 }; /* libgdal.so.30 is GDAL 3.4, the first that was tried with this */

static char complaint[256];
static bool unread;

/* To libtiff it is a warning that it could not read where the pixels are, or which of them are missing. */
static void listen(CPLErr class, int number, const char *message)
{
    bool ignored = class < CE_Failure && strstr(message, "IO error during reading") != NULL;
    (void)number;
    unread |= ignored;
    if ((class < CE_Failure && !ignored) || complaint[0])
        return;
    size_t used = 0;
    for (; *message && used < sizeof complaint - 1; message++)
        complaint[used++] = (char)((unsigned char)*message < ' ' ? ' ' : *message);
    complaint[used] = 0;
}

void gdal_listen(void)
{
    complaint[0] = 0;
    unread = false;
}

bool gdal_unread(void)
{
    return unread;
}

const char *gdal_complaint(void)
{
    return complaint[0] ? complaint : NULL;
}

/* The library that the user names, or the newest that the loader knows. */
static void *open_library(void)
{
    const char *named = getenv("SUREKRIG_GDAL");
    if (named)
        return dlopen(named, RTLD_LAZY | RTLD_LOCAL);
    for (int version = NEWEST; version >= OLDEST; version--) {
        char name[32];
        snprintf(name, sizeof name, "libgdal.so.%d", version);
        void *library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        if (library)
            return library;
    }
    return dlopen("libgdal.so", RTLD_LAZY | RTLD_LOCAL);
}

static surekrig_status find_functions(void *library, gdal_api *api, surekrig_error *error)
{
    const char *missing = NULL;
#define FIND(returns, name, arguments)                                                                                 \
    *(void **)&api->name = dlsym(library, #name);                                                                      \
    missing = api->name ? missing : #name;
    GDAL_FUNCTIONS(FIND)
#undef FIND
    if (!missing)
        return SUREKRIG_OK;
    return io_fail(error, SUREKRIG_FILE, "the GDAL on this machine has no %s: version 3.4 or later is needed", missing);
}

const gdal_api *gdal_load(surekrig_error *error)
{
    static gdal_api api;
    static bool ready;
    if (ready)
        return &api;
    void *library = open_library();
    if (!library) {
        io_fail(
            error, SUREKRIG_FILE,
            "rasters and files of features need GDAL, which could not be loaded (%s): on Debian 12 it is in the package libgdal32 "
            "('apt install libgdal32'), on others in libgdal or gdal",
            dlerror());
        return NULL;
    }
    if (find_functions(library, &api, error)) {
        dlclose(library);
        return NULL;
    }
    api.CPLSetErrorHandler(listen);
    api.GDALAllRegister();
    ready = true;
    return &api;
}
