/* How the user's tables are to be read. */
#include "cli.h"

#include <string.h>

surekrig_status cli_open_table(const cli_call *call, const char *path, io_reader **reader, surekrig_error *error)
{
    const char *decimal = cli_value(call, "decimal");
    if (decimal && strcmp(decimal, ",") != 0 && strcmp(decimal, ".") != 0)
        return cli_usage(error, "--decimal takes , or . and not '%s'", decimal);
    io_dialect dialect = {.no_header = cli_value(call, "no-header"), .missing = cli_value(call, "na")};
    if (decimal)
        dialect.decimal = *decimal;
    return io_open(path, &dialect, reader, error);
}
