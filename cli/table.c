/* How the user's tables are to be read. */
#include "cli.h"
#include "raster.h"

#include <stdlib.h>
#include <string.h>

static surekrig_status read_dialect(const cli_call *call, io_dialect *dialect, surekrig_error *error)
{
    const char *decimal = cli_value(call, "decimal");
    if (decimal && strcmp(decimal, ",") != 0 && strcmp(decimal, ".") != 0)
        return cli_usage(error, "--decimal takes , or . and not '%s'", decimal);
    *dialect = (io_dialect){.no_header = cli_value(call, "no-header"), .missing = cli_value(call, "na")};
    if (decimal)
        dialect->decimal = *decimal;
    return SUREKRIG_OK;
}

/* A model where a table belongs: mostly the arguments are in another order. */
static surekrig_status refuse_models(const cli_call *call, int count, const char *const *path, surekrig_error *error)
{
    for (int i = 0; i < count; i++)
        if (cli_is_model(path[i]))
            return cli_error(error, SUREKRIG_DATA, "%s is a model, and a table is wanted there: surekrig %s %s",
                             path[i], call->command->name, call->command->arguments);
    return SUREKRIG_OK;
}

/* A raster may have further files, as a VRT has: these are no output either. */
static surekrig_status check_further(const cli_call *call, const io_reader *reader, surekrig_error *error)
{
    char *files = io_table_files(reader);
    surekrig_status status = files ? cli_check_read(call, files, error) : cli_no_memory(error);
    free(files);
    return status;
}

static surekrig_status open_all(const cli_call *call, int count, const char *const *path, io_reader **reader,
                                surekrig_error *error)
{
    io_dialect dialect;
    surekrig_status status = refuse_models(call, count, path, error);
    if (!status)
        status = read_dialect(call, &dialect, error);
    if (!status)
        status = io_open_all(&(io_tables){count, path, &dialect}, reader, error);
    if (status || !(status = check_further(call, *reader, error)))
        return status;
    io_close(*reader);
    *reader = NULL;
    return status;
}

surekrig_status cli_open_part(const cli_call *call, int first, io_reader **reader, int64_t *row, surekrig_error *error)
{
    bool several = call->command->most == CLI_ARGUMENTS_MAX;
    io_dialect dialect;
    io_tables tables = {several ? call->arguments - first : 1, call->argument + first, &dialect};
    io_part_count own, *all = malloc((size_t)cli_on.size * sizeof *all);
    int64_t *rows = malloc(((size_t)cli_on.size + 1) * sizeof *rows);
    surekrig_status status = all && rows ? read_dialect(call, &dialect, error) : cli_no_memory(error);
    for (int i = 0; i < tables.count && !status; i++)
        if (!strcmp(tables.path[i], "-"))
            status = cli_error(error, SUREKRIG_INVALID, "many ranks cannot share standard input: give a file");
    if (!status)
        status = refuse_models(call, tables.count, tables.path, error);
    if (!status)
        status = io_count_part(&tables, cli_on.rank, cli_on.size, &own, error);
    if (!status)
        cli_on.gather(&own, sizeof own, all);
    if (!status)
        status = io_open_part(&tables, cli_on.rank, cli_on.size, all, reader, error);
    if (!status) {
        io_part_rows(cli_on.size, all, rows);
        *row = rows[cli_on.rank];
    }
    free(rows);
    free(all);
    return status;
}

surekrig_status cli_open_table(const cli_call *call, const char *path, io_reader **reader, surekrig_error *error)
{
    return open_all(call, 1, &path, reader, error);
}

surekrig_status cli_open_tables(const cli_call *call, int first, io_reader **reader, surekrig_error *error)
{
    bool several = call->command->most == CLI_ARGUMENTS_MAX;
    return open_all(call, several ? call->arguments - first : 1, call->argument + first, reader, error);
}

int64_t cli_rows_at_once(int64_t most, int64_t columns)
{
    enum { VALUES = 1 << 22, LEAST = 16 };
    int64_t rows = columns > 0 ? VALUES / columns : most;
    return rows < LEAST ? LEAST : rows < most ? rows : most;
}
