/* How the user's tables are to be read. */
#include "cli.h"

#include <string.h>

static surekrig_status open_all(const cli_call *call, int count, const char *const *path, io_reader **reader,
                                surekrig_error *error)
{
    const char *decimal = cli_value(call, "decimal");
    if (decimal && strcmp(decimal, ",") != 0 && strcmp(decimal, ".") != 0)
        return cli_usage(error, "--decimal takes , or . and not '%s'", decimal);
    io_dialect dialect = {.no_header = cli_value(call, "no-header"), .missing = cli_value(call, "na")};
    if (decimal)
        dialect.decimal = *decimal;
    return io_open_all(&(io_tables){count, path, &dialect}, reader, error);
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
