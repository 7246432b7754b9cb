/* The beginning and the end of an output table, the same for every command that writes one. */
#include "cli.h"

#include <stdlib.h>

surekrig_status cli_create(const char *path, int columns, cli_column_name *name_of, const void *of, io_writer **writer,
                           surekrig_error *error)
{
    char **name = calloc((size_t)columns, sizeof *name);
    bool whole = name != NULL;
    for (int i = 0; whole && i < columns; i++)
        whole = (name[i] = name_of(of, i)) != NULL;
    surekrig_status status = whole ? io_create(path, columns, (const char *const *)name, writer, error)
                                   : cli_no_memory(error);
    for (int i = 0; name && i < columns; i++)
        free(name[i]);
    free(name);
    return status;
}

surekrig_status cli_finish(io_writer *writer, surekrig_status status, surekrig_error *error)
{
    if (!status && cli_interrupted())
        status = cli_error(error, SUREKRIG_STOPPED, "interrupted; nothing was written");
    if (!status)
        return io_commit(writer, error);
    io_discard(writer);
    return status;
}
