/* Points where something is wanted: features found by name. As targets, rows with a missing one are left out, and
 * pixels of a raster that have a response. */
#include "cli.h"
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_AT_ONCE = 65536,
    MOST_TARGETS = 1 << 22, /* training looks at some thousand of them */
};

static surekrig_status read_all(io_reader *reader, int64_t d, cli_points *points, surekrig_error *error)
{
    int64_t capacity = 0, at_once = cli_rows_at_once(ROWS_AT_ONCE, d);
    surekrig_status status = SUREKRIG_OK;
    for (int64_t rows = 1; rows > 0 && !status;) {
        if (points->n + at_once > capacity) {
            capacity = 2 * capacity + at_once;
            double *grown = realloc(points->x, (size_t)(capacity * d) * sizeof *grown);
            if (!grown)
                return cli_no_memory(error);
            points->x = grown;
        }
        double *block = points->x + points->n * d;
        status = io_read(reader, at_once, block, &rows, error);
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

surekrig_status cli_read_points(const cli_call *call, const char *path, const surekrig_info *features,
                                cli_points *points, surekrig_error *error)
{
    int64_t width;
    io_reader *reader = NULL;
    surekrig_info named = {.d = features->d, .x_names = features->x_names, .settings = features->settings};
    surekrig_status status = cli_open_table(call, path, &reader, error);
    if (!status)
        status = select_columns(reader, &named, &width, error);
    if (!status)
        status = read_all(reader, width, points, error);
    io_close(reader);
    return status;
}

/* ---- targets: of more than memory should hold every second, every fourth, and so on */

surekrig_status cli_add_target(cli_points *t, int64_t d, const double *x, surekrig_error *error)
{
    t->every += !t->every;
    if (t->n == MOST_TARGETS && t->of % t->every == 0) {
        t->every *= 2;
        t->n /= 2;
        for (int64_t i = 1; i < t->n; i++)
            memcpy(t->x + i * d, t->x + 2 * i * d, (size_t)d * sizeof *x);
    }
    if (t->of++ % t->every)
        return SUREKRIG_OK;
    if (t->n >= t->room) {
        int64_t room = t->room ? 2 * t->room : 1024;
        double *grown = realloc(t->x, (size_t)(room * d) * sizeof *grown);
        if (!grown)
            return cli_no_memory(error);
        t->x = grown;
        t->room = room;
    }
    memcpy(t->x + t->n++ * d, x, (size_t)d * sizeof *x);
    return SUREKRIG_OK;
}

void cli_tell_thinned(const cli_call *call, const cli_points *t)
{
    if (t->every > 1 && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig %s: of %lld targets one in %lld is looked at\n", call->command->name,
                (long long)t->of, (long long)t->every);
}

void cli_tell_missing(const cli_call *call, int64_t missing, int64_t of)
{
    if (missing)
        fprintf(stderr, "surekrig %s: %lld of %lld points cannot be predicted: a feature is missing\n",
                call->command->name, (long long)missing, (long long)of);
}

static bool any_missing(const double *value, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (isnan(value[i]))
            return true;
    return false;
}

int64_t cli_missing(int64_t rows, int64_t d, const double *x)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < rows; i++)
        missing += any_missing(x + i * d, d);
    return missing;
}

/* Rows with all features: all of them until one misses a response, from then on those that do. */
static surekrig_status take_rows(int64_t rows, const double *block, int64_t width, int64_t d, bool *gaps, cli_points *t,
                                 surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int64_t i = 0; i < rows && !status; i++) {
        const double *row = block + i * width;
        bool gap = any_missing(row + d, width - d);
        if (gap && !*gaps)
            *t = (cli_points){.x = t->x, .room = t->room};
        *gaps |= gap;
        if (gap || !*gaps) {
            bool whole = !any_missing(row, d);
            t->dropped += !whole;
            status = whole ? cli_add_target(t, d, row, error) : SUREKRIG_OK;
        }
    }
    return status;
}

static surekrig_status read_targets(io_reader *reader, int64_t width, int64_t d, cli_points *t, surekrig_error *error)
{
    int64_t at_once = cli_rows_at_once(ROWS_AT_ONCE, width);
    double *block = malloc((size_t)(at_once * width) * sizeof *block);
    surekrig_status status = block ? SUREKRIG_OK : cli_no_memory(error);
    bool gaps = false;
    for (int64_t rows = 1, before = 0; rows > 0 && !status; before += rows) {
        status = io_read(reader, at_once, block, &rows, error);
        if (!status)
            status = cli_check_finite(reader, rows, block, before, error);
        if (!status)
            status = take_rows(rows, block, width, d, &gaps, t, error);
    }
    free(block);
    return status;
}

surekrig_status cli_read_targets(const cli_call *call, const char *path, const surekrig_info *info, cli_points *targets,
                                 surekrig_error *error)
{
    int64_t width = info->d;
    io_reader *reader = NULL;
    surekrig_status status = cli_open_table(call, path, &reader, error);
    if (!status)
        status = select_columns(reader, info, &width, error);
    if (!status)
        status = read_targets(reader, width, info->d, targets, error);
    io_close(reader);
    if (!status && targets->n == 0)
        status = cli_error(error, SUREKRIG_DATA, "%s has no row with all features: there are no targets in it", path);
    if (!status)
        cli_tell_thinned(call, targets);
    return status;
}
