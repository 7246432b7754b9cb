/* What goes in and out of a run of predictions: as the options say, opened, closed. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>

/* A file or a grid. */
static surekrig_status read_places(const cli_call *call, predict_stream *s, surekrig_error *error)
{
    static const char *const OF_POINTS[] = {"noise", "no-header", "decimal", "na", "keep", NULL};
    bool grid = cli_value(call, "grid");
    if (grid == (call->arguments > 1))
        return cli_usage(error, "give either POINTS or --grid; %s given", grid ? "both are" : "neither is");
    for (int i = 0; grid && OF_POINTS[i]; i++)
        if (cli_value(call, OF_POINTS[i]) && (!s->trains || !strcmp(OF_POINTS[i], "keep")))
            return cli_usage(error, "--%s goes with POINTS, not with --grid", OF_POINTS[i]);
    if (s->is_raster && (s->levels.count > 1 || s->mean_only))
        return cli_usage(error, "a raster holds mean, sd and one interval: no --mean-only, and one --level");
    if (s->is_raster && cli_value(call, "keep"))
        return cli_usage(error, "--keep goes with a table: -o OUT.csv");
    if (!(s->is_raster && grid) && cli_value(call, "crs"))
        return cli_usage(error, "--crs goes with --grid and a raster");
    return grid ? cli_read_grid(call, &s->grid, error) : SUREKRIG_OK;
}

/* Beside a mean alone these would do nothing; a noise of krige's is of its rows, which the mean is made from. */
static surekrig_status check_mean_only(const cli_call *call, const predict_stream *s, surekrig_error *error)
{
    const char *of_variance = s->trains ? "level,latent" : "level,latent,calibrate,noise";
    const cli_option *option = call->command->option;
    for (int i = 0; s->mean_only && option[i].name; i++)
        if (call->value[i] && cli_in_list(of_variance, option[i].name))
            return cli_usage(error,
                             "--%s is about sd and intervals, and --mean-only leaves these out: give one of them",
                             option[i].name);
    return SUREKRIG_OK;
}

surekrig_status predict_read(const cli_call *call, predict_stream **made, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    predict_stream *s = *made = calloc(1, sizeof *s);
    if (!s)
        return cli_no_memory(error);
    s->trains = call->command->settings;
    s->mean_only = cli_value(call, "mean-only");
    s->latent = cli_value(call, "latent");
    s->is_raster = output && io_raster_suffix(output);
    s->apart = cli_on.size > 1 && !s->is_raster && cli_is_file_or_none(output);
    s->threads = (int)cli_setting_number(call->settings, "threads");
    if (check_mean_only(call, s, error) || predict_read_levels(call, &s->levels, error) ||
        cli_count(call, "threads", 4096, &s->threads, error) || read_places(call, s, error))
        return error->status;
    s->each = s->mean_only ? 1 : 2 + 2 * s->levels.count;
    return SUREKRIG_OK;
}

static surekrig_status make_room(predict_stream *s, surekrig_error *error)
{
    size_t d = (size_t)s->info->d, l = (size_t)s->info->l;
    bool nodes = s->info->lattice ? s->info->lattice[2] > 0 : d == 2; /* of krige it is not known yet */
    bool share = nodes && !s->is_raster;                              /* a raster's pixels are beside one another */
    int64_t n = s->info->n < PREDICT_ROWS_MOST ? s->info->n : PREDICT_ROWS_MOST;
    int64_t most = n < PREDICT_ROWS || !share ? PREDICT_ROWS : n;
    s->at_once = cli_rows_at_once(most, s->is_raster ? 0 : s->info->d + s->each * s->info->l);
    size_t rows = (size_t)s->at_once;
    s->read = malloc(rows * (d + 1) * sizeof(double));
    s->x = malloc(rows * d * sizeof(double));
    s->noise = malloc(rows * sizeof(double));
    s->mean = malloc(rows * l * sizeof(double));
    s->sd = malloc(rows * l * sizeof(double));
    s->row = malloc(rows * (d + (size_t)s->each * l) * sizeof(double));
    s->lower = malloc(rows * l * (size_t)s->levels.count * sizeof(double));
    s->upper = malloc(rows * l * (size_t)s->levels.count * sizeof(double));
    s->own = malloc(s->apiece ? rows * (2 + 2 * (size_t)s->levels.count) * sizeof(double) : 1);
    bool room = s->read && s->x && s->noise && s->mean && s->sd && s->row && s->lower && s->upper && s->own;
    return room ? SUREKRIG_OK : cli_no_memory(error);
}

surekrig_status predict_open(const cli_call *call, const surekrig_info *info, const surekrig_data *data,
                             predict_stream *s, surekrig_error *error)
{
    s->info = info;
    surekrig_status status = predict_open_points(call, s, error);
    if (!status)
        status = make_room(s, error);
    return status ? status : predict_create(call, data, s, error);
}

void predict_close(predict_stream *s)
{
    if (!s)
        return;
    io_close(s->reader);
    free(s->kept);
    free(s->dates);
    predict_raster_free(&s->raster);
    free(s->read);
    free(s->x);
    free(s->noise);
    free(s->mean);
    free(s->sd);
    free(s->row);
    free(s->lower);
    free(s->upper);
    free(s->own);
    free(s);
}
