#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

void cli_one_line(char *text)
{
    io_plain(text, '?');
    for (char *at = text; (at = strchr(at, '\n'));)
        *at = '?';
}

void cli_say(FILE *to, const char *format, ...)
{
    char line[8192];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cli_one_line(line);
    fprintf(to, "%s\n", line);
}

/* 0: a file can be made at path, or what is there be replaced; else errno. there: what is there. */
static int why_not_written(const char *path, struct stat *there)
{
    bool old = !stat(path, there);
    if (old && (S_ISDIR(there->st_mode) || access(path, W_OK)))
        return S_ISDIR(there->st_mode) ? EISDIR : errno;
    if (old && !S_ISREG(there->st_mode))
        return 0;
    char folder[4096], *place = *path ? io_place(path) : NULL; /* NULL: errno */
    const char *slash = place ? strrchr(place, '/') : NULL;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - place) + 1 : 1, slash ? place : ".");
    int reason = place && !access(folder, W_OK | X_OK) ? 0 : *path ? errno : ENOENT;
    free(place);
    return reason;
}

surekrig_status cli_check_output(const char *path, surekrig_error *error)
{
    struct stat there;
    int reason = !path || !strcmp(path, "-") ? 0 : why_not_written(path, &there);
    return reason ? cli_error(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(reason)) : SUREKRIG_OK;
}

surekrig_status cli_check_model(const char *path, surekrig_error *error)
{
    struct stat there = {.st_mode = S_IFREG};
    int reason = why_not_written(path, &there);
    if (!reason && S_ISREG(there.st_mode))
        return SUREKRIG_OK;
    return cli_error(error, SUREKRIG_FILE, "cannot write %s: %s", path,
                     reason ? strerror(reason) : "it is a pipe or a device, and a model needs a file");
}
