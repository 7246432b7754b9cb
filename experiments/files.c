/* Text files of the study's directory: written beside their place and renamed when complete. */
#include "inside.h"

#include "io.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void ex_path_in(const ex_run *r, const char *name, char path[EX_PATH_SIZE])
{
    snprintf(path, EX_PATH_SIZE, "%s/%s", r->options->directory, name);
}

static surekrig_status cannot_write(const char *path, int reason, surekrig_error *error)
{
    return ex_fail(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(reason));
}

surekrig_status ex_output_open(const ex_run *r, const char *name, ex_output *o, surekrig_error *error)
{
    ex_path_in(r, name, o->path);
    ex_path_in(r, name, o->temporary);
    snprintf(o->temporary + strlen(o->temporary), EX_PATH_SIZE - strlen(o->temporary), ".tmp-%ld", (long)getpid());
    o->to = fopen(o->temporary, "w");
    return o->to ? SUREKRIG_OK : cannot_write(o->path, errno, error);
}

surekrig_status ex_output_commit(ex_output *o, surekrig_error *error)
{
    errno = 0;
    bool bad = fflush(o->to) || ferror(o->to) || fsync(fileno(o->to)); /* the name must not be there before the bytes */
    int reason = errno;
    if (fclose(o->to) && !bad) {
        bad = true;
        reason = errno;
    }
    if (!bad && rename(o->temporary, o->path)) {
        bad = true;
        reason = errno;
    }
    if (bad)
        unlink(o->temporary);
    else {
        char folder[EX_PATH_SIZE];
        reason = io_sync_folder_of(strcpy(folder, o->path));
        bad = reason != 0;
    }
    return bad ? cannot_write(o->path, reason ? reason : ENOSPC, error) : SUREKRIG_OK;
}

bool ex_is_there(const ex_run *r, const char *name)
{
    char path[EX_PATH_SIZE];
    ex_path_in(r, name, path);
    return access(path, F_OK) == 0;
}
