/* surekrig predict: a model's predictions at new points. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>

/* The scores that fit told are those of points among the data. Some points always lie a little farther off: one in
 * twenty is worth a word. */
static void tell_beyond(const predict_stream *s)
{
    if (s->beyond * 20 > s->rows && !s->trains && !s->calibrated)
        fprintf(
            stderr,
            "surekrig predict: %lld of %lld points have less to go by than those whose errors fit told: errors are larger "
            "there, and intervals less sure; --calibrate sets intervals for the points asked\n",
            (long long)s->beyond, (long long)s->rows);
}

void predict_tell(const cli_call *call, const predict_stream *s)
{
    if (!cli_value(call, "quiet") && !s->trains && !s->calibrated) /* which tell it of their targets */
        cli_tell_missing(call, s->missing, s->rows);
    if (!cli_value(call, "quiet"))
        tell_beyond(s);
    if (s->jittered)
        fprintf(stderr, "surekrig %s: jitter of at most %.1g gamma2 was needed at %lld points\n", call->command->name,
                s->max_jitter, (long long)s->jittered);
}

/* Intervals for the points that are asked. */
static surekrig_status calibrate(const cli_call *call, predict_stream *s, surekrig_model *model, surekrig_error *error)
{
    cli_points targets = {0};
    surekrig_status status = predict_read_targets(call, surekrig_model_info(model), s, &targets, error);
    if (!status)
        predict_tell_dropped(call, &targets);
    if (!status)
        s->aim = cli_partial_sum(&(cli_span){targets.x, targets.n * s->info->d}, 1);
    if (!status)
        status = surekrig_calibrate(model, targets.n, targets.x, error);
    if (!status && !cli_value(call, "quiet"))
        cli_print_expected(stderr, surekrig_model_info(model));
    s->calibrated = true;
    free(targets.x);
    return status;
}

/* What is finished counts only as long as no file changes, nor one that POINTS name where they are a VRT. */
static surekrig_status open_partial(const cli_call *call, predict_stream *s, surekrig_error *error)
{
    char *files = s->reader ? io_table_files(s->reader) : strdup("");
    if (!files)
        return cli_no_memory(error);
    surekrig_status status = s->apart || cli_on.size == 1 ? cli_partial_open_own(call, files, &s->partial, error)
                                                          : cli_partial_open(call, files, &s->partial, error);
    free(files);
    return status;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    predict_stream *s = NULL;
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
        status = predict_open(call, surekrig_model_info(model), surekrig_model_data(model), s, error);
    if (!status)
        status = open_partial(call, s, error);
    if (!status && calibrated)
        status = calibrate(call, s, model, error);
    if (!status)
        status = predict_all(call, (const surekrig_model *const *)&model, s, error);
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
     "Where the predictions go: CSV; by the name's end NPY, GeoTIFF (.tif) or NetCDF (.nc); default: standard output.",
     .writes = "the predictions"},
    PREDICT_PLACES,
    {"noise", 0, "NAME", "Column of the new observations' noise variances, where the model was fitted with --noise."},
    {"calibrate", 0, NULL,
     "Intervals for the points asked, from errors at points of the model's own data with surroundings like theirs."},
    {"latent", 0, NULL, "sd and interval of the field itself, without the nugget, instead of a new observation."},
    {"mean-only", 0, NULL, "Only the mean; the variance is not computed."},
    {"threads", 0, "N", "Threads; default: all. The result does not depend on them."},
    CLI_RESUME_OPTION,
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No progress bar, and no words about points."},
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
