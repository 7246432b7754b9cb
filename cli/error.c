#include "cli.h"

#include <errno.h>
#include <stdarg.h>
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
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    if (!*path || access(folder, W_OK | X_OK))
        return cli_error(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(*path ? errno : ENOENT));
    return SUREKRIG_OK;
}
