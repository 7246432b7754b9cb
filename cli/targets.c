/* Points where something is wanted: features found by name. As targets, rows with a missing one are left out. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 65536 };

static surekrig_status read_all(io_reader *reader, int64_t d, cli_points *points, surekrig_error *error)
{
    int64_t capacity = 0;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t rows = 1; rows > 0 && !status;) {
        if (points->n + ROWS_AT_ONCE > capacity) {
            capacity = 2 * capacity + ROWS_AT_ONCE;
            double *grown = realloc(points->x, (size_t)(capacity * d) * sizeof *grown);
            if (!grown)
                return cli_no_memory(error);
            points->x = grown;
        }
        double *block = points->x + points->n * d;
        status = io_read(reader, ROWS_AT_ONCE, block, &rows, error);
        if (!status)
            status = cli_check_finite(reader, rows, block, points->n, error);
        points->n += status ? 0 : rows;
    }
    return status;
}

surekrig_status cli_read_points(const char *path, const surekrig_info *features, bool header, cli_points *points,
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
        status = read_all(reader, features->d, points, error);
    io_close(reader);
    free(column);
    return status;
}

surekrig_status cli_read_targets(const char *path, const surekrig_info *features, bool header, cli_points *targets,
                                 surekrig_error *error)
{
    int64_t d = features->d, kept = 0;
    surekrig_status status = cli_read_points(path, features, header, targets, error);
    for (int64_t i = 0; i < targets->n && !status; i++) {
        bool whole = true;
        for (int64_t a = 0; a < d; a++)
            whole &= !isnan(targets->x[i * d + a]);
        memmove(targets->x + kept * d, targets->x + i * d, (size_t)d * sizeof *targets->x);
        kept += whole;
    }
    targets->dropped = targets->n - kept;
    targets->n = kept;
    if (!status && kept == 0)
        status = cli_error(error, SUREKRIG_DATA, "%s has no row with all features: there are no targets in it", path);
    return status;
}
