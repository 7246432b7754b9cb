/* Points where something is wanted: features found by name. As targets, rows with a missing one are left out, and
 * pixels of a raster that have a response. */
#include "cli.h"
#include "raster.h"

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

/* Columns of features, and behind them, of a raster, its bands that are responses. */
static surekrig_status select_columns(io_reader *reader, const surekrig_info *info, int64_t *width,
                                      surekrig_error *error)
{
    int *column = malloc((size_t)(info->d + info->l) * sizeof *column);
    surekrig_status status = column ? cli_model_columns(reader, info, column, error) : cli_no_memory(error);
    *width = info->d;
    for (int64_t q = 0; q < info->l && io_table_grid(reader) && !status; q++) {
        int found = io_find_column(reader, info->y_names[q]);
        if (found >= 0)
            column[(*width)++] = found;
    }
    if (!status)
        status = io_select(reader, (int)*width, column, error);
    free(column);
    return status;
}

/* points->x: [n][*width] */
static surekrig_status read_file(const cli_call *call, const char *path, const surekrig_info *info, cli_points *points,
                                 int64_t *width, surekrig_error *error)
{
    io_reader *reader = NULL;
    surekrig_status status = cli_open_table(call, path, &reader, error);
    if (!status)
        status = select_columns(reader, info, width, error);
    if (!status)
        status = read_all(reader, *width, points, error);
    io_close(reader);
    return status;
}

surekrig_status cli_read_points(const cli_call *call, const char *path, const surekrig_info *features,
                                cli_points *points, surekrig_error *error)
{
    int64_t width;
    surekrig_info named = {.d = features->d, .x_names = features->x_names, .settings = features->settings};
    return read_file(call, path, &named, points, &width, error);
}

static bool any_missing(const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isnan(value[i]))
            return true;
    return false;
}

/* Keeps rows with all features: those without a response, or all where every row has its responses. */
static void keep_targets(cli_points *t, int64_t d, int64_t width)
{
    int64_t kept = 0, wanted = 0;
    bool gaps = false;
    for (int64_t i = 0; i < t->n && !gaps; i++)
        gaps = any_missing(t->x + i * width + d, width - d);
    for (int64_t i = 0; i < t->n; i++) {
        double *row = t->x + i * width;
        if (gaps && !any_missing(row + d, width - d))
            continue;
        bool whole = !any_missing(row, d);
        memmove(t->x + kept * d, row, (size_t)d * sizeof *row);
        kept += whole;
        wanted++;
    }
    t->dropped = wanted - kept;
    t->n = kept;
}

surekrig_status cli_read_targets(const cli_call *call, const char *path, const surekrig_info *info, cli_points *targets,
                                 surekrig_error *error)
{
    int64_t width = info->d;
    surekrig_status status = read_file(call, path, info, targets, &width, error);
    if (!status)
        keep_targets(targets, info->d, width);
    if (!status && targets->n == 0)
        status = cli_error(error, SUREKRIG_DATA, "%s has no row with all features: there are no targets in it", path);
    return status;
}
