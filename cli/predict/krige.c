/* fit --targets POINTS --auto and predict in one: all is opened before the training, so that what is wrong with points
 * or output is said at once, and nothing is kept before the last prediction. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static surekrig_status check_model(const cli_call *call, const char *model, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    for (int i = 0; i < call->arguments; i++)
        if (cli_same_file(model, call->argument[i]))
            return cli_usage(error, "the model would replace %s", model);
    if (output && (!strcmp(output, model) || cli_same_file(output, model)))
        return cli_usage(error, "the model and the predictions cannot both be %s", model);
    return cli_check_output(model, error);
}

/* Scores of such points would say how well the model remembers. */
static void tell_same(const cli_training *t)
{
    if (t->targets.n == t->n && !memcmp(t->targets.x, t->x, (size_t)(t->n * t->d) * sizeof *t->x))
        fputs(
            "surekrig krige: the points are the training points: each is predicted from its own value, too; 'surekrig "
            "cv' leaves it out\n",
            stderr);
}

static surekrig_status fit(const cli_call *call, cli_training *t, surekrig_model **model, surekrig_error *error)
{
    surekrig_data data = cli_training_data(t);
    surekrig_progress progress = cli_progress(call);
    cli_give_training(t);
    return surekrig_fit(&data, call->settings, &progress, model, error);
}

/* model: [l], NULL each. */
static surekrig_status fit_each(const cli_call *call, const cli_training *t, surekrig_model **model,
                                surekrig_error *error)
{
    surekrig_progress progress = cli_progress(call);
    surekrig_status status = SUREKRIG_OK;
    for (int q = 0; q < t->l && !status; q++) {
        cli_response one;
        status = cli_take_response(t, q, &one, error);
        one.data.targets = t->targets.n;
        one.data.target = t->targets.x;
        cli_give_response(t, &one);
        if (!status)
            status = surekrig_fit(&one.data, call->settings, &progress, &model[q], error);
        status = cli_of_response(t, q, status, error);
        cli_free_response(&one);
    }
    return status;
}

/* Model and predictions appear, or neither: a model is saved while the predictions can still be dropped, and goes again
 * where they then cannot be kept. */
static surekrig_status keep(const surekrig_model *model, const char *path, surekrig_error *error)
{
    bool is_new = path && access(path, F_OK) != 0;
    surekrig_status status = path ? cli_save(model, path, error) : SUREKRIG_OK;
    if (status)
        return status;
    status = cli_keep(error);
    if (status && is_new)
        remove(path);
    return status;
}

static void tell(const surekrig_info *info, const cli_training *t)
{
    fprintf(stderr, "%lld points (", (long long)info->n);
    for (int64_t a = 0; a < info->d; a++)
        fprintf(stderr, "%s%s", a ? ", " : "", info->x_names[a]);
    fputs("; ", stderr);
    for (int64_t q = 0; q < info->l; q++)
        fprintf(stderr, "%s%s", q ? ", " : "", info->y_names[q]);
    fprintf(stderr, "), predictions at %lld%s\n", (long long)t->targets.n,
            info->l == 1 || info->held_out_each ? "; what to expect there:" : "");
    cli_print_expected(stderr, info);
}

/* What was predicted and is kept, to be told. */
static void tell_all(const cli_call *call, const cli_training *t, surekrig_model *const *model, int models)
{
    for (int q = 0; q < models; q++) {
        if (!cli_value(call, "quiet"))
            tell(surekrig_model_info(model[q]), t);
        cli_ids_look(call, t, model[q]);
    }
}

/* model: [t->l] where each response has its own, else one. */
static surekrig_status run_models(const cli_call *call, cli_training *t, predict_stream *s, surekrig_model **model,
                                  surekrig_error *error)
{
    surekrig_status status = t->each ? fit_each(call, t, model, error) : fit(call, t, model, error);
    if (!status)
        status = predict_all(call, (const surekrig_model *const *)model, s, error);
    if (!status)
        status = keep(*model, cli_value(call, "model"), error);
    cli_progress_end();
    if (status)
        return status;
    tell_all(call, t, model, t->each ? t->l : 1);
    predict_tell(call, s);
    return SUREKRIG_OK;
}

static surekrig_status run_stream(const cli_call *call, cli_training *t, predict_stream *s, surekrig_error *error)
{
    surekrig_status status = cli_read_training(call, t, error);
    surekrig_info names = {
        .d = t->d, .l = t->l, .x_names = t->x_names, .y_names = t->y_names, .settings = call->settings};
    s->apiece = t->each;
    if (!status)
        status = predict_open(call, &names, s, error);
    if (!status)
        status = predict_read_targets(call, &names, s, &t->targets, error);
    if (status)
        return status;
    tell_same(t);
    surekrig_model **model = calloc((size_t)t->l, sizeof *model);
    status = model ? run_models(call, t, s, model, error) : cli_no_memory(error);
    for (int q = 0; model && q < t->l; q++)
        surekrig_model_free(model[q]);
    free(model);
    return status;
}

static surekrig_status check_each(const cli_call *call, surekrig_error *error)
{
    static const char *const NOT[][2] = {{"noise", "it is of one response"},
                                         {"model", "'surekrig fit --each' keeps models"}};
    for (size_t i = 0; i < sizeof NOT / sizeof *NOT; i++)
        if (cli_value(call, "each") && cli_value(call, NOT[i][0]))
            return cli_usage(error, "--%s does not go with --each: %s", NOT[i][0], NOT[i][1]);
    return SUREKRIG_OK;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const char *model = cli_value(call, "model");
    cli_training t = {0};
    predict_stream *s = NULL;
    surekrig_status status = predict_read(call, &s, error);
    if (!status && call->arguments == 2)
        status = predict_check_points(call->argument[1], error);
    if (!status && model)
        status = check_model(call, model, error);
    if (!status)
        status = check_each(call, error);
    if (!status && !cli_setting_given(call, "auto"))
        status = surekrig_settings_set(call->settings, "auto", "yes", error);
    if (!status)
        status = run_stream(call, &t, s, error);
    predict_close(s);
    cli_free_training(&t);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "Where the predictions go: CSV; by the name's end NPY, GeoTIFF (.tif) or NetCDF (.nc); default: standard output."},
    {"features", 'x', "NAMES", "Feature columns, separated by commas; default: every numeric column but the response."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"each", 0, NULL,
     "Of several responses each has a model of its own, chosen and trained by itself, with all rows that have it."},
    PREDICT_PLACES,
    {"noise", 0, "NAME",
     "Column of known noise variances, in the response's units squared; of POINTS too, where it has one."},
    {"latent", 0, NULL, "sd and interval of the field itself, without the nugget, instead of a new observation."},
    {"mean-only", 0, NULL, "Only the mean; the variance is not computed."},
    {"model", 0, "MODEL", "Keep the model, as fit does."},
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No progress bar and no summary."},
    {0},
};

const cli_command cli_krige = {
    "krige",
    "From a table of points to predictions elsewhere, with intervals, in one go.",
    "TRAIN [POINTS]",
    1,
    2,
    true,
    "surekrig krige train.csv grid.csv -x lon,lat -y temp -o filled.csv",
    "Does what fit TRAIN --targets POINTS --auto and then predict do: the model is chosen, trained and calibrated for the\n"
    "points at which it predicts. --auto no leaves the choice out; every setting of fit may be given. Both files are as\n"
    "theirs: CSV, NPY or a raster. Of a raster with a band of the response's name, the training looks at its gaps, and all\n"
    "pixels are predicted. A response among the columns of POINTS is not looked at. The summary on standard error says what\n"
    "errors to expect, in the scores that score --help explains.\n\n"
    "surekrig krige train.csv --grid -96,34,-91,37,0.01 -o filled.tif\n\n"
    "predicts at the centers of a grid's cells. predict --help says what the columns are, fit --help what the settings are.",
    OPTIONS,
    run,
};
