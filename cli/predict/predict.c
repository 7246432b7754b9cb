#include "predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct predict_stream {
    const surekrig_info *info;
    bool trains;       /* krige: what is said of tables is of TRAIN's, too */
    bool calibrated;   /* the intervals are for just these points */
    io_reader *reader; /* NULL: the grid's cells are predicted */
    io_dates *dates;   /* [d] how POINTS write each feature */
    int keeps;         /* --keep: columns of POINTS that are carried over */
    int *kept;         /* [keeps] */
    cli_grid grid;
    io_writer *writer;
    bool is_raster; /* the output */
    bool apart;     /* of many ranks each reads, predicts and writes a part of the points, */
    int64_t first;  /* which begins with this one */
    predict_raster raster;
    bool mean_only, latent, noisy; /* noisy: --noise is given */
    int threads, columns;          /* columns: of the output */
    predict_levels levels;
    double *read, *x, *noise;       /* [PREDICT_ROWS][d + noisy], [..][d], [..] */
    double *mean, *sd, *row;        /* [PREDICT_ROWS][l], [..][l], [..][columns] */
    double *lower, *upper;          /* [PREDICT_ROWS][l][levels] */
    int64_t rows, jittered, beyond; /* predicted; and of these */
    double max_jitter;
    cli_partial *partial; /* what is finished, while the output is not whole */
} stream;

void predict_close(stream *s)
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
    free(s);
}

/* Whether a column that is carried over has the name of one of ours, as predictions of another response have. */
static bool kept_taken(const stream *s)
{
    for (int i = 0; i < s->keeps; i++)
        for (const char *const *word = s->levels.what; *word; word++)
            if (!strcmp(io_column_name(s->reader, s->kept[i]), *word))
                return true;
    return false;
}

static char *column_name(const void *of, int i)
{
    const stream *s = of;
    int each = s->mean_only ? 1 : 2 + 2 * s->levels.count, at = i - s->keeps, after = at - (int)s->info->d;
    surekrig_info named = *s->info;
    named.l += kept_taken(s); /* several: with the response's name behind */
    return at < 0      ? strdup(io_column_name(s->reader, s->kept[i]))
           : after < 0 ? strdup(s->info->x_names[at])
                       : cli_output_name(&named, s->levels.what, after % each, after / each);
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

/* The columns that --keep names, or all, less the features, which are there anyway; column: [d] of these. */
static surekrig_status choose_kept(const cli_call *call, stream *s, const int *column, surekrig_error *error)
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

/* No column of the output may have the name of one that is carried over. */
static surekrig_status check_kept(const stream *s, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int i = s->keeps; i < s->columns && !status; i++) {
        char *name = column_name(s, i);
        if (!name)
            return cli_no_memory(error);
        for (int j = 0; j < s->keeps && !status; j++)
            if (!strcmp(name, io_column_name(s->reader, s->kept[j])))
                status = cli_error(error, SUREKRIG_DATA,
                                   "column %s cannot be kept: the predictions have one of that name", name);
        free(name);
    }
    return status;
}

/* A number of each row, as an id, is a feature too, unless features are named. */
static void advise_features(surekrig_error *error)
{
    size_t used = strlen(error->sentence);
    snprintf(error->sentence + used, sizeof error->sentence - used,
             "; -x NAMES says which columns of TRAIN are features");
}

/* The table that told which columns there are gives way to this rank's part of it. */
static surekrig_status take_part(const cli_call *call, stream *s, const int *column, surekrig_error *error)
{
    io_close(s->reader);
    s->reader = NULL;
    surekrig_status status = cli_open_part(call, 1, &s->reader, &s->first, error);
    if (!status)
        status = io_select(s->reader, (int)s->info->d + s->noisy, column, error);
    return status || !s->keeps ? status : io_keep(s->reader, s->keeps, s->kept, error);
}

/* The model's features and the noise among the columns of POINTS. */
static surekrig_status open_points(const cli_call *call, stream *s, surekrig_error *error)
{
    const char *noise = cli_value(call, "noise");
    int *column = malloc(((size_t)s->info->d + 1) * sizeof *column);
    surekrig_status status = column ? cli_open_tables(call, 1, &s->reader, error) : cli_no_memory(error);
    if (!status)
        status = cli_model_columns(s->reader, s->info, column, error);
    if (status && s->reader && s->trains && !cli_value(call, "features"))
        advise_features(error);
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

/* Dates are written as they are read. */
static surekrig_status create(const cli_call *call, stream *s, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    surekrig_status status = s->apart ? cli_create_part(output, s->columns, &(cli_columns){column_name, s}, s->first,
                                                        &s->writer, error)
                                      : cli_create(output, s->columns, column_name, s, &s->writer, error);
    for (int a = 0; a < (int)s->info->d && s->dates && !status; a++)
        if (s->dates[a])
            status = io_write_as_dates(s->writer, s->keeps + a, s->dates[a], error);
    return status;
}

surekrig_status predict_open(const cli_call *call, const surekrig_info *info, stream *s, surekrig_error *error)
{
    s->info = info;
    if (s->apart && call->arguments < 2) {
        cli_grid_share(&s->grid);
        s->first = s->grid.next;
    }
    surekrig_status status = call->arguments > 1 ? open_points(call, s, error) : cli_match_grid(&s->grid, info, error);
    if (!status)
        status = make_room(s, error);
    if (!status && s->is_raster)
        return predict_raster_open(call, &(predict_plan){s->info, s->reader, &s->grid, s->levels.level[0]}, &s->raster,
                                   error);
    s->columns = s->keeps + (int)(s->info->d + (s->mean_only ? 1 : 2 + 2 * s->levels.count) * s->info->l);
    if (!status)
        status = check_kept(s, error);
    return status ? status : create(call, s, error);
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
    return s->keeps ? io_write_kept(s->writer, s->reader, rows, s->row, error)
                    : io_write(s->writer, rows, s->row, error);
}

enum { FACTS = 3 }; /* kept of a block beside its predictions: points beyond, jittered, and the most */

/* Numbers of a point that are kept of it. */
static int64_t numbers(const stream *s)
{
    return s->info->l * (s->mean_only ? 1 : 2 + 2 * s->levels.count);
}

/* How many points are next: as many as a block has that begins here, or up to the next that there is. */
static int64_t batch(const stream *s)
{
    int64_t count = 0;
    uint64_t here = (uint64_t)(s->first + s->rows);
    if (s->is_raster)
        return predict_raster_batch(&s->raster);
    if (cli_on.size > 1 && !s->apart)
        return PREDICT_ROWS;
    uint64_t next = cli_partial_next(s->partial, here, &count);
    int64_t rows = next == here                 ? (count - FACTS) / numbers(s)
                   : next - here < PREDICT_ROWS ? (int64_t)(next - here)
                                                : 0;
    return rows > 0 && rows <= PREDICT_ROWS ? rows : PREDICT_ROWS;
}

/* The next points into x and noise; *rows = 0 at the end. */
static surekrig_status next_points(stream *s, int64_t done, int64_t *rows, surekrig_error *error)
{
    int64_t limit = batch(s);
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
    bool known, last;
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
    double left = (double)(s->reader ? io_rows_left(s->reader) : s->grid.end - s->grid.next);
    p->known |= left > 0; /* 0: the last rows, or of a pipe */
    p->last = left == 0;
    p->from = p->known ? done / (done + rows + left) : 0;
    p->share = p->known ? rows / (done + rows + left) : 1;
}

static surekrig_status predict_rows(const stream *s, const surekrig_model *model, int64_t rows, part *p,
                                    surekrig_prediction *made, surekrig_error *error)
{
    surekrig_progress progress = {show_part, p};
    surekrig_query query = {.n = rows,
                            .x = s->x,
                            .latent = s->latent,
                            .threads = s->threads,
                            .noise = s->noisy ? s->noise : NULL,
                            .levels = s->levels.count,
                            .level = s->levels.level,
                            .apart = s->apart};
    made->mean = s->mean;
    if (!s->mean_only) {
        made->sd = s->sd;
        made->lower = s->lower;
        made->upper = s->upper;
    }
    return surekrig_predict(model, &query, &progress, made, error);
}

/* What a run before has finished. */
static bool take_block(stream *s, uint64_t key, const cli_span *span, int spans)
{
    return cli_on.size > 1 && !s->apart ? cli_partial_take(s->partial, key, span, spans)
                                        : cli_partial_take_any(s->partial, key, span, spans);
}

/* Made, or taken. Ranks with points of their own make them together, as long as any has some to make. */
static surekrig_status predict_block(stream *s, const surekrig_model *model, int64_t rows, part *p,
                                     surekrig_error *error)
{
    int64_t l = s->info->l, levels = s->mean_only ? 0 : s->levels.count, before;
    uint64_t key = (uint64_t)(s->first + s->rows);
    double fact[FACTS] = {0};
    cli_span span[] = {{s->mean, rows * l},
                       {s->sd, s->mean_only ? 0 : rows * l},
                       {s->lower, rows * l * levels},
                       {s->upper, rows * l * levels},
                       {fact, FACTS}};
    enum { SPANS = sizeof span / sizeof *span };
    surekrig_prediction made = {0};
    bool taken = rows == 0 || take_block(s, key, span, SPANS);
    if (s->apart ? cli_sum(!taken, &before) > 0 : !taken) {
        surekrig_status status = predict_rows(s, model, taken ? 0 : rows, p, &made, error);
        if (status)
            return status;
    }
    if (!taken) {
        memcpy(fact, (double[]){(double)made.beyond, (double)made.jittered, made.max_jitter}, sizeof fact);
        if (!p->last || s->apart)
            cli_partial_give(s->partial, key, span, SPANS);
    }
    s->rows += rows;
    s->beyond += (int64_t)fact[0];
    s->jittered += (int64_t)fact[1];
    s->max_jitter = fmax(s->max_jitter, fact[2]);
    return SUREKRIG_OK;
}

/* What all ranks have predicted, to be told. */
static surekrig_status add_up(stream *s, surekrig_error *error)
{
    double own[4] = {(double)s->rows, (double)s->beyond, (double)s->jittered, s->max_jitter};
    double *all = malloc((size_t)cli_on.size * sizeof own);
    if (!all)
        return cli_no_memory(error);
    cli_on.gather(own, sizeof own, all);
    s->rows = s->beyond = s->jittered = 0;
    for (int r = 0; r < cli_on.size; r++) {
        s->rows += (int64_t)all[4 * r];
        s->beyond += (int64_t)all[4 * r + 1];
        s->jittered += (int64_t)all[4 * r + 2];
        s->max_jitter = fmax(s->max_jitter, all[4 * r + 3]);
    }
    free(all);
    return SUREKRIG_OK;
}

surekrig_status predict_all(const cli_call *call, const surekrig_model *model, stream *s, surekrig_error *error)
{
    part p = {.whole = cli_progress(call)};
    for (;;) {
        int64_t rows, before;
        surekrig_status status = next_points(s, s->first + s->rows, &rows, error);
        if (status)
            return status;
        if ((s->apart ? cli_sum(rows, &before) : rows) == 0)
            return s->apart ? add_up(s, error) : SUREKRIG_OK;
        set_part(s, (double)s->rows, (double)rows, &p);
        status = predict_block(s, model, rows, &p, error);
        if (!status && rows > 0)
            status = write_rows(s, rows, error);
        if (status)
            return status;
    }
}

/* A file or a grid. */
static surekrig_status read_places(const cli_call *call, stream *s, surekrig_error *error)
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
    s->apart = cli_on.size > 1 && !s->is_raster && cli_is_file_or_none(output);
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

/* Plain predict has intervals for points among the data. Some lie a little farther off than all that were left out: one
 * in twenty is worth a word. */
static void tell_beyond(const stream *s)
{
    if (s->beyond * 20 > s->rows && !s->trains && !s->calibrated)
        fprintf(
            stderr,
            "surekrig predict: %lld of %lld points have less to go by than the points whose errors set the intervals: "
            "errors there may be larger than said; --calibrate sets intervals for the points asked\n",
            (long long)s->beyond, (long long)s->rows);
}

void predict_tell(const cli_call *call, const stream *s)
{
    if (!cli_value(call, "quiet"))
        tell_beyond(s);
    if (s->jittered)
        fprintf(stderr, "surekrig %s: jitter of at most %.1g gamma2 was needed at %lld points\n", call->command->name,
                s->max_jitter, (long long)s->jittered);
}

/* Intervals for the points that are asked. */
static surekrig_status calibrate(const cli_call *call, stream *s, surekrig_model *model, surekrig_error *error)
{
    cli_points targets = {0};
    surekrig_status status = predict_read_targets(call, surekrig_model_info(model), s, &targets, error);
    if (!status)
        status = surekrig_calibrate(model, targets.n, targets.x, error);
    if (!status && !cli_value(call, "quiet"))
        cli_print_expected(stderr, surekrig_model_info(model));
    s->calibrated = true;
    free(targets.x);
    return status;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    stream *s = NULL;
    surekrig_model *model = NULL;
    bool calibrated = cli_value(call, "calibrate");
    surekrig_status status = predict_read(call, &s, error);
    if (!status && calibrated && call->arguments > 2)
        status = cli_usage(error, "--calibrate takes POINTS of one file, or of a pattern in quotes, as 'part-*.csv'");
    if (!status && calibrated && call->arguments == 2)
        status = predict_check_points(call->argument[1], error);
    if (!status)
        status = cli_load(call->argument[0], &model, error);
    if (!status)
        status = predict_open(call, surekrig_model_info(model), s, error);
    if (!status)
        status = s->apart || cli_on.size == 1 ? cli_partial_open_own(call, &s->partial, error)
                                              : cli_partial_open(call, NULL, &s->partial, error);
    if (!status && calibrated)
        status = calibrate(call, s, model, error);
    if (!status)
        status = predict_all(call, model, s, error);
    if (!status)
        status = cli_keep(error);
    cli_progress_end();
    if (!status)
        predict_tell(call, s);
    cli_partial_close(s ? s->partial : NULL, status);
    predict_close(s);
    surekrig_model_free(model);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "Where the predictions go: CSV; by the name's end NPY, GeoTIFF (.tif) or NetCDF (.nc); default: standard output."},
    PREDICT_PLACES,
    {"noise", 0, "NAME", "Column of the new observations' noise variances, where the model was fitted with --noise."},
    {"calibrate", 0, NULL,
     "Intervals for the points asked, from errors at points of the model's own data with surroundings like theirs."},
    {"latent", 0, NULL, "sd and interval of the field itself, without the nugget, instead of a new observation."},
    {"mean-only", 0, NULL, "Only the mean; the variance is not computed."},
    {"threads", 0, "N", "Threads; default: all. The result does not depend on them."},
    CLI_RESUME_OPTION,
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No progress bar."},
    {0},
};

const cli_command cli_predict = {
    "predict",
    "Predict at new points, with intervals.",
    "MODEL [POINTS ...]",
    1,
    CLI_ARGUMENTS_MAX,
    false,
    "surekrig predict temp.model grid.csv -o filled.csv",
    "Features are found by name (by place in files without names); other columns are ignored, or with --keep come first. One row per input row, in\n"
    "order: the features, then mean, sd, lower, upper (with the response's name behind where there are several); empty\n"
    "where a feature is missing. sd and interval are for a new observation unless --latent. Several files, or a pattern in\n"
    "quotes, 'part-*.csv', are one table.\n\n"
    "surekrig predict temp.model --grid -96,34,-91,37,0.01 -o filled.csv\n\n"
    "predicts at the center of each cell of a grid: the first at xmin + step/2, row by row from the top. x is the model's\n"
    "first feature, y its second, but lon goes across. Where the step does not divide the box, the last cells reach beyond xmax and ymax.\n\n"
    "A raster, of --grid or of POINTS that are a raster, has four bands a response: temp, temp sd, temp lower and temp upper\n"
    "for the mean of temp and so on (in NetCDF temp_sd, ...).",
    OPTIONS,
    run,
};
