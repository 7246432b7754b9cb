/* The points where predictions will be wanted: features found by name, rows with a missing one left out. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 65536 };

static surekrig_status read_all(io_reader *reader, int64_t d, cli_targets *targets, surekrig_error *error)
{
    int64_t capacity = 0;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t rows = 1; rows > 0 && !status;) {
        if (targets->n + ROWS_AT_ONCE > capacity) {
            capacity = 2 * capacity + ROWS_AT_ONCE;
            double *grown = realloc(targets->x, (size_t)(capacity * d) * sizeof *grown);
            if (!grown)
                return cli_no_memory(error);
            targets->x = grown;
        }
        double *block = targets->x + targets->n * d;
        status = io_read(reader, ROWS_AT_ONCE, block, &rows, error);
        if (!status)
            status = cli_check_finite(reader, rows, block, targets->n + targets->dropped, error);
        for (int64_t i = 0; i < rows && !status; i++) {
            bool whole = true;
            for (int64_t a = 0; a < d; a++)
                whole &= !isnan(block[i * d + a]);
            memmove(targets->x + targets->n * d, block + i * d, (size_t)d * sizeof *block);
            targets->n += whole;
            targets->dropped += !whole;
        }
    }
    return status;
}

surekrig_status cli_read_targets(const char *path, const surekrig_info *features, bool header, cli_targets *targets,
                                 surekrig_error *error)
{
    io_reader *reader = NULL;
    int *column = malloc((size_t)features->d * sizeof *column);
    surekrig_status status = column ? io_open(path, header, &reader, error) : cli_no_memory(error);
    if (!status)
        status = cli_model_columns(reader, features, column, error);
    if (!status)
        status = io_select(reader, (int)features->d, column, error);
    if (!status)
        status = read_all(reader, features->d, targets, error);
    if (!status && targets->n == 0)
        status = cli_error(error, SUREKRIG_DATA, "%s has no row with all features: there are no targets in it", path);
    io_close(reader);
    free(column);
    return status;
}
