#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

surekrig_status cli_error(surekrig_error *error, surekrig_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return error->status = status;
}

surekrig_status cli_usage(surekrig_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->sentence, sizeof error->sentence, format, arguments);
    va_end(arguments);
    return error->status = CLI_MISUSED;
}

surekrig_status cli_check_output(const char *path, surekrig_error *error)
{
    char folder[4096], *place = io_place(path);
    const char *slash = place ? strrchr(place, '/') : NULL;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - place) + 1 : 1, slash ? place : ".");
    bool good = place && *path && !access(folder, W_OK | X_OK);
    int reason = *path ? errno : ENOENT;
    free(place);
    return good ? SUREKRIG_OK : cli_error(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(reason));
}
