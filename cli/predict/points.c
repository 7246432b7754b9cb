/* Where to predict: POINTS, of which some columns may be carried over, or the cells of --grid, in their order or all at
 * once. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The columns that --keep names, or all, less the features, which are there anyway; column: [d] of these. */
static surekrig_status choose_kept(const cli_call *call, predict_stream *s, const int *column, surekrig_error *error)
{
    const char *keep = cli_value(call, "keep");
    cli_names names = {0};
    int all = io_columns(s->reader), *named = malloc(((size_t)all + strlen(keep) + 1) * sizeof *named);
    s->kept = malloc((size_t)all * sizeof *s->kept);
    surekrig_status status = named && s->kept && cli_split_names(keep, &names) ? SUREKRIG_OK : cli_no_memory(error);
    bool every = !strcmp(keep, "all") && io_find_column(s->reader, "all") < 0;
    if (!status && !every)
        status = cli_find_columns(s->reader, &names, named, error);
    for (int i = 0; i < (every ? all : names.count) && !status; i++) {
        int one = every ? i : named[i];
        bool there = false;
        for (int64_t a = 0; a < s->info->d; a++)
            there |= column[a] == one;
        for (int j = 0; j < s->keeps; j++)
            there |= s->kept[j] == one;
        if (!there)
            s->kept[s->keeps++] = one;
    }
    cli_free_names(&names);
    free(named);
    return status ? status : io_keep(s->reader, s->keeps, s->kept, error);
}

/* What to do about columns that are not as the model's: a number of each row, as an id, is a feature too, unless features
 * are named; and so is the response, where it is not the last column. */
static void advise(const cli_call *call, const predict_stream *s, const char *else_so, surekrig_error *error)
{
    size_t used = strlen(error->sentence);
    const char *what = s->trains && !cli_value(call, "features")
                           ? cli_value(call, "response")
                                 ? "; -x NAMES says which columns of TRAIN are features"
                                 : "; -x NAMES says which columns of TRAIN are features, -y NAME "
                                   "which is the response"
                           : else_so;
    snprintf(error->sentence + used, sizeof error->sentence - used, "%s", what);
}

/* The table that told which columns there are gives way to this rank's part of it. */
static surekrig_status take_part(const cli_call *call, predict_stream *s, const int *column, surekrig_error *error)
{
    io_close(s->reader);
    s->reader = NULL;
    surekrig_status status = cli_open_part(call, 1, &s->reader, &s->first, error);
    if (!status)
        status = io_select(s->reader, (int)s->info->d + s->noisy, column, error);
    return status || !s->keeps ? status : io_keep(s->reader, s->keeps, s->kept, error);
}

/* The model's features and the noise among the columns of POINTS. */
static surekrig_status open_table(const cli_call *call, predict_stream *s, surekrig_error *error)
{
    const char *noise = cli_value(call, "noise");
    int *column = malloc(((size_t)s->info->d + 1) * sizeof *column);
    surekrig_status status = column ? SUREKRIG_OK : cli_no_memory(error);
    if (!status && !s->trains)
        status = cli_check_noise(call, s->info, error);
    if (!status)
        status = cli_open_tables(call, 1, &s->reader, error);
    if (!status)
        status = cli_model_columns(s->reader, s->info, column, error);
    if (status && s->reader)
        advise(call, s, "", error);
    s->noisy = noise && !status && !(s->trains && io_find_column(s->reader, noise) < 0);
    if (!status && s->noisy)
        status = cli_find_columns(s->reader, &(cli_names){1, (char **)&noise}, column + s->info->d, error);
    if (!status)
        status = io_select(s->reader, (int)s->info->d + s->noisy, column, error);
    if (!status && cli_value(call, "keep"))
        status = choose_kept(call, s, column, error);
    s->dates = calloc((size_t)s->info->d, sizeof *s->dates);
    for (int64_t a = 0; a < s->info->d && s->dates && !status; a++)
        s->dates[a] = io_column_dates(s->reader, column[a]);
    if (!status && s->apart)
        status = take_part(call, s, column, error);
    free(column);
    return status || s->dates ? status : cli_no_memory(error);
}

surekrig_status predict_open_points(const cli_call *call, predict_stream *s, surekrig_error *error)
{
    if (call->arguments > 1)
        return open_table(call, s, error);
    if (s->apart) {
        cli_grid_share(&s->grid);
        s->first = s->grid.next;
    }
    surekrig_status status = cli_match_grid(&s->grid, s->info, error);
    if (status)
        advise(call, s, "; POINTS may be a table with all of them", error);
    return status;
}

/* Features and noise, which were read side by side. */
static void take_apart(const predict_stream *s, int64_t rows)
{
    int64_t d = s->info->d, width = d + s->noisy;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(s->x + i * d, s->read + i * width, (size_t)d * sizeof *s->x);
        s->noise[i] = s->noisy ? s->read[i * width + d] : 0;
    }
}

surekrig_status predict_next_points(predict_stream *s, int64_t limit, int64_t *rows, surekrig_error *error)
{
    if (!s->reader) {
        *rows = cli_grid_rows(&s->grid, limit, s->x);
        return SUREKRIG_OK;
    }
    surekrig_status status = io_read(s->reader, limit, s->read, rows, error);
    if (!status)
        status = cli_check_finite(s->reader, *rows, s->read, s->first + s->rows, error);
    if (!status)
        take_apart(s, *rows);
    if (!status)
        s->missing += cli_missing(*rows, s->info->d, s->x);
    return status;
}

/* The file is read once as targets and once to be predicted. */
surekrig_status predict_check_points(const char *path, surekrig_error *error)
{
    struct stat file;
    if (!strcmp(path, "-") || (!stat(path, &file) && (S_ISFIFO(file.st_mode) || S_ISCHR(file.st_mode))))
        return cli_usage(error, "POINTS are read twice, for the intervals and for the predictions: give a file, not %s",
                         path);
    return SUREKRIG_OK;
}

/* All cells are targets. */
static surekrig_status take_cells(cli_grid grid, cli_points *targets, surekrig_error *error)
{
    enum { AT_ONCE = 4096 };
    double *x = malloc((size_t)(AT_ONCE * grid.d) * sizeof *x);
    surekrig_status status = x ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t rows = 1; rows > 0 && !status;) {
        rows = cli_grid_rows(&grid, AT_ONCE, x);
        for (int64_t i = 0; i < rows && !status; i++)
            status = cli_add_target(targets, grid.d, x + i * grid.d, error);
    }
    free(x);
    return status;
}

surekrig_status predict_read_targets(const cli_call *call, const surekrig_info *info, const predict_stream *s,
                                     cli_points *targets, surekrig_error *error)
{
    if (call->arguments > 1)
        return cli_read_targets(call, call->argument[1], info, targets, error);
    surekrig_status status = take_cells(s->grid, targets, error);
    if (!status)
        cli_tell_thinned(call, targets);
    return status;
}

void predict_tell_dropped(const cli_call *call, const cli_points *targets)
{
    cli_tell_missing(call, targets->dropped, targets->of + targets->dropped);
}
