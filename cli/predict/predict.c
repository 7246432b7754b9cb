#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_stream {
    const surekrig_info *info;
    bool trains;       /* krige: what is said of tables is of TRAIN's, too */
    io_reader *reader; /* NULL: the grid's cells are predicted */
    cli_grid grid;
    io_writer *writer;
    bool is_raster; /* the output */
    predict_raster raster;
    bool mean_only, latent, noisy; /* noisy: --noise is given */
    int threads, columns;          /* columns: of the output */
    predict_levels levels;
    double *read, *x, *noise; /* [PREDICT_ROWS][d + noisy], [..][d], [..] */
    double *mean, *sd, *row;  /* [PREDICT_ROWS][l], [..][l], [..][columns] */
    double *lower, *upper;    /* [PREDICT_ROWS][l][levels] */
    int64_t jittered;
    double max_jitter;
} stream;

void predict_close(stream *s)
{
    if (!s)
        return;
    io_close(s->reader);
    predict_raster_free(&s->raster);
    free(s->read);
    free(s->x);
    free(s->noise);
    free(s->mean);
    free(s->sd);
    free(s->row);
    free(s->lower);
    free(s->upper);
    free(s);
}

static char *column_name(const void *of, int i)
{
    const stream *s = of;
    int each = s->mean_only ? 1 : 2 + 2 * s->levels.count, after = i - (int)s->info->d;
    return after < 0 ? strdup(s->info->x_names[i])
                     : cli_output_name(s->info, s->levels.what, after % each, after / each);
}

static surekrig_status make_room(stream *s, surekrig_error *error)
{
    size_t d = (size_t)s->info->d, l = (size_t)s->info->l, rows = PREDICT_ROWS;
    s->read = malloc(rows * (d + 1) * sizeof(double));
    s->x = malloc(rows * d * sizeof(double));
    s->noise = malloc(rows * sizeof(double));
    s->mean = malloc(rows * l * sizeof(double));
    s->sd = malloc(rows * l * sizeof(double));
    s->row = malloc(rows * (d + (2 + 2 * (size_t)s->levels.count) * l) * sizeof(double));
    s->lower = malloc(rows * l * (size_t)s->levels.count * sizeof(double));
    s->upper = malloc(rows * l * (size_t)s->levels.count * sizeof(double));
    bool room = s->read && s->x && s->noise && s->mean && s->sd && s->row && s->lower && s->upper;
    return room ? SUREKRIG_OK : cli_no_memory(error);
}

/* A number of each row, as an id, is a feature too, unless features are named. */
static void advise_features(surekrig_error *error)
{
    size_t used = strlen(error->sentence);
    snprintf(error->sentence + used, sizeof error->sentence - used,
             "; -x NAMES says which columns of TRAIN are features");
}

/* The model's features and the noise among the columns of POINTS. */
static surekrig_status open_points(const cli_call *call, stream *s, surekrig_error *error)
{
    const char *noise = cli_value(call, "noise");
    int *column = malloc(((size_t)s->info->d + 1) * sizeof *column);
    surekrig_status status = column ? io_open(call->argument[1], !cli_value(call, "no-header"), &s->reader, error)
                                    : cli_no_memory(error);
    if (!status)
        status = cli_model_columns(s->reader, s->info, column, error);
    if (status && s->reader && s->trains && !cli_value(call, "features"))
        advise_features(error);
    s->noisy = noise && !status && !(s->trains && io_find_column(s->reader, noise) < 0);
    if (!status && s->noisy)
        status = cli_find_columns(s->reader, &(cli_names){1, (char **)&noise}, column + s->info->d, error);
    if (!status)
        status = io_select(s->reader, (int)s->info->d + s->noisy, column, error);
    free(column);
    return status;
}

surekrig_status predict_open(const cli_call *call, const surekrig_info *info, stream *s, surekrig_error *error)
{
    s->info = info;
    surekrig_status status = call->arguments == 2 ? open_points(call, s, error) : cli_match_grid(&s->grid, info, error);
    if (!status)
        status = make_room(s, error);
    if (!status && s->is_raster)
        return predict_raster_open(call, &(predict_plan){s->info, s->reader, &s->grid, s->levels.level[0]}, &s->raster,
                                   error);
    s->columns = (int)(s->info->d + (s->mean_only ? 1 : 2 + 2 * s->levels.count) * s->info->l);
    return status ? status : cli_create(cli_value(call, "output"), s->columns, column_name, s, &s->writer, error);
}

/* Features, then mean, sd and the intervals of each response. */
static void lay_out(const stream *s, int64_t rows)
{
    int64_t d = s->info->d, l = s->info->l;
    double *to = s->row;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(to, s->x + i * d, (size_t)d * sizeof *to);
        to += d;
        for (int64_t q = 0, at = i * l; q < l; q++, at++) {
            *to++ = s->mean[at];
            if (s->mean_only)
                continue;
            *to++ = s->sd[at];
            for (int j = 0; j < s->levels.count; j++) {
                *to++ = s->lower[at * s->levels.count + j];
                *to++ = s->upper[at * s->levels.count + j];
            }
        }
    }
}

/* Features and noise, which were read side by side. */
static void take_apart(const stream *s, int64_t rows)
{
    int64_t d = s->info->d, width = d + s->noisy;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(s->x + i * d, s->read + i * width, (size_t)d * sizeof *s->x);
        s->noise[i] = s->noisy ? s->read[i * width + d] : 0;
    }
}

static surekrig_status write_rows(stream *s, int64_t rows, surekrig_error *error)
{
    if (s->is_raster)
        return predict_raster_write(&s->raster, &(predicted){rows, s->info->l, {s->mean, s->sd, s->lower, s->upper}},
                                    error);
    lay_out(s, rows);
    return io_write(s->writer, rows, s->row, error);
}

/* The next points into x and noise; *rows = 0 at the end. */
static surekrig_status next_points(stream *s, int64_t done, int64_t *rows, surekrig_error *error)
{
    int64_t limit = s->is_raster ? predict_raster_batch(&s->raster) : PREDICT_ROWS;
    if (!s->reader) {
        *rows = cli_grid_rows(&s->grid, limit, s->x);
        return SUREKRIG_OK;
    }
    surekrig_status status = io_read(s->reader, limit, s->read, rows, error);
    if (!status)
        status = cli_check_finite(s->reader, *rows, s->read, done, error);
    if (!status)
        take_apart(s, *rows);
    return status;
}

/* A batch's part of the whole, as far as that is known. */
typedef struct part {
    surekrig_progress whole;
    double from, share;
    bool known;
} part;

static int show_part(void *user, const surekrig_progress_report *own)
{
    const part *p = user;
    surekrig_progress_report of_whole = *own;
    of_whole.done = p->from + p->share * own->done;
    return p->whole.report(p->whole.user, &of_whole);
}

static void set_part(const stream *s, double done, double rows, part *p)
{
    double left = (double)(s->reader ? io_rows_left(s->reader) : s->grid.size[0] * s->grid.size[1] - s->grid.next);
    p->known |= left > 0; /* 0: the last rows, or of a pipe */
    p->from = p->known ? done / (done + rows + left) : 0;
    p->share = p->known ? rows / (done + rows + left) : 1;
}

surekrig_status predict_all(const cli_call *call, const surekrig_model *model, stream *s, surekrig_error *error)
{
    part p = {.whole = cli_progress(call)};
    surekrig_progress progress = {show_part, &p};
    for (int64_t done = 0;;) {
        int64_t rows;
        surekrig_status status = next_points(s, done, &rows, error);
        if (status || rows == 0)
            return status;
        set_part(s, (double)done, (double)rows, &p);
        done += rows;
        surekrig_query query = {.n = rows,
                                .x = s->x,
                                .latent = s->latent,
                                .threads = s->threads,
                                .noise = s->noisy ? s->noise : NULL,
                                .levels = s->levels.count,
                                .level = s->levels.level};
        surekrig_prediction prediction = {.mean = s->mean};
        if (!s->mean_only) {
            prediction.sd = s->sd;
            prediction.lower = s->lower;
            prediction.upper = s->upper;
        }
        status = surekrig_predict(model, &query, &progress, &prediction, error);
        if (status)
            return status;
        s->jittered += prediction.jittered;
        s->max_jitter = fmax(s->max_jitter, prediction.max_jitter);
        status = write_rows(s, rows, error);
        if (status)
            return status;
    }
}

/* A file or a grid. */
static surekrig_status read_places(const cli_call *call, stream *s, surekrig_error *error)
{
    bool grid = cli_value(call, "grid");
    if (grid == (call->arguments == 2))
        return cli_usage(error, "give either POINTS or --grid; %s given", grid ? "both are" : "neither is");
    if (grid && !s->trains && (cli_value(call, "noise") || cli_value(call, "no-header")))
        return cli_usage(error, "--noise and --no-header go with POINTS, not with --grid");
    if (s->is_raster && (s->levels.count > 1 || s->mean_only))
        return cli_usage(error, "a raster holds mean, sd and one interval: no --mean-only, and one --level");
    if (!(s->is_raster && grid) && cli_value(call, "crs"))
        return cli_usage(error, "--crs goes with --grid and a raster");
    return grid ? cli_read_grid(call, &s->grid, error) : SUREKRIG_OK;
}

surekrig_status predict_read(const cli_call *call, stream **made, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    stream *s = *made = calloc(1, sizeof *s);
    if (!s)
        return cli_no_memory(error);
    s->trains = call->command->settings;
    s->mean_only = cli_value(call, "mean-only");
    s->latent = cli_value(call, "latent");
    s->is_raster = output && io_raster_suffix(output);
    s->threads = (int)cli_setting_number(call->settings, "threads");
    if (predict_read_levels(call, &s->levels, error) || cli_count(call, "threads", 4096, &s->threads, error) ||
        read_places(call, s, error))
        return error->status;
    for (int i = 0; output && i < call->arguments; i++)
        if (cli_same_file(output, call->argument[i]))
            return cli_usage(error, "the predictions would replace %s", output);
    return SUREKRIG_OK;
}

const cli_grid *predict_grid(const stream *s)
{
    return &s->grid;
}

void predict_tell_jitter(const cli_call *call, const stream *s)
{
    if (s->jittered)
        fprintf(stderr, "surekrig %s: jitter of at most %.1g gamma2 was needed at %lld points\n", call->command->name,
                s->max_jitter, (long long)s->jittered);
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    stream *s = NULL;
    surekrig_model *model = NULL;
    surekrig_status status = predict_read(call, &s, error);
    if (!status)
        status = surekrig_model_load(call->argument[0], &model, error);
    if (!status)
        status = predict_open(call, surekrig_model_info(model), s, error);
    if (!status)
        status = predict_all(call, model, s, error);
    if (!status)
        status = cli_keep(error);
    cli_progress_end();
    if (!status)
        predict_tell_jitter(call, s);
    predict_close(s);
    surekrig_model_free(model);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "Where the predictions go: CSV; by the name's end NPY, GeoTIFF (.tif) or NetCDF (.nc); default: standard output."},
    {"grid", 0, "BOX",
     "Instead of POINTS: xmin,ymin,xmax,ymax,step, the centers of square cells; of one feature xmin,xmax,step."},
    {"crs", 0, "NAME",
     "With --grid and a raster: its coordinate system, as EPSG:32633; default: that of lon and lat where they are."},
    {"level", 0, "LEVELS",
     "Of the interval; default 0.95. Several, as 0.5,0.9, give columns lower_0.5, upper_0.5, and so on."},
    {"noise", 0, "NAME", "Column of the new observations' noise variances, where the model was fitted with --noise."},
    {"latent", 0, NULL, "sd and interval of the field itself, without the nugget, instead of a new observation."},
    {"mean-only", 0, NULL, "Only the mean; the variance is not computed."},
    {"threads", 0, "N", "Threads; default: all. The result does not depend on them."},
    {"no-header", 0, NULL, "The first row is data even if it holds words."},
    {"quiet", 'q', NULL, "No progress bar."},
    {0},
};

const cli_command cli_predict = {
    "predict",
    "Predict at new points, with intervals.",
    "MODEL [POINTS]",
    1,
    2,
    false,
    "surekrig predict temp.model grid.csv -o filled.csv",
    "Features are found by name (by place in files without names); other columns are ignored. One row per input row, in\n"
    "order: the features, then mean, sd, lower, upper (with the response's name behind where there are several); empty\n"
    "where a feature is missing. sd and interval are for a new observation unless --latent.\n\n"
    "surekrig predict temp.model --grid -96,34,-91,37,0.01 -o filled.csv\n\n"
    "predicts at the center of each cell of a grid: the first at xmin + step/2, row by row from the top. x is the model's\n"
    "first feature, y its second, but lon goes across. Where the step does not divide the box, the last cells reach beyond xmax and ymax.\n\n"
    "A raster, of --grid or of POINTS that are a raster, has four bands a response: mean, sd, lower, upper.",
    OPTIONS,
    run,
};
