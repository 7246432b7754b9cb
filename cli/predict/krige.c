/* fit --targets POINTS --auto and predict in one: all is opened before the training, so that what is wrong with points
 * or output is said at once, and nothing is kept before the last prediction. */
#include "predict.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One of all responses, or one of each. */
typedef struct models {
    int count;
    surekrig_model **model; /* [count] */
    int64_t *targets;       /* [count] points that each was trained for */
    bool told;              /* that these are the training points */
} models;

/* Scores of such points would say how well the model remembers. */
static void tell_same(models *all, const surekrig_data *data)
{
    bool same = data->targets == data->n &&
                !memcmp(data->target, data->x, (size_t)(data->n * data->d) * sizeof *data->x);
    if (same && !all->told)
        fputs(
            "surekrig krige: the points are the training points: each is predicted from its own value, too; 'surekrig "
            "cv' leaves it out\n",
            stderr);
    all->told |= same;
}

static surekrig_status fit(const cli_call *call, cli_training *t, models *all, surekrig_error *error)
{
    surekrig_data data = cli_training_data(t);
    surekrig_progress progress = cli_progress(call);
    tell_same(all, &data);
    cli_look_beyond(call, &data);
    all->targets[0] = t->targets.of;
    cli_give_training(t);
    return surekrig_fit(&data, call->settings, &progress, all->model, error);
}

/* The model of response q, for the points that miss it: of a raster other pixels than those that miss another. */
static surekrig_status fit_response(const cli_call *call, cli_training *t, const predict_stream *s, int q, models *all,
                                    surekrig_error *error)
{
    surekrig_progress progress = cli_progress(call);
    cli_points targets = {0};
    cli_response one;
    surekrig_status status = cli_take_response(t, q, &one, error);
    surekrig_info wanted = {
        .d = t->d, .l = 1, .x_names = t->x_names, .y_names = one.data.y_names, .settings = call->settings};
    if (!status)
        status = predict_read_targets(call, &wanted, s, &targets, error);
    if (!status && targets.dropped != t->targets.dropped)
        predict_tell_dropped(call, &targets);
    t->targets.dropped = targets.dropped; /* as was told */
    all->targets[q] = targets.of;
    one.data.targets = targets.n;
    one.data.target = targets.x;
    if (!status && q == 0)
        cli_look_beyond(call, &one.data);
    if (!status) {
        tell_same(all, &one.data);
        cli_give_response(t, &one);
        status = surekrig_fit(&one.data, call->settings, &progress, &all->model[q], error);
    }
    cli_free_response(&one);
    free(targets.x);
    return cli_of_response(t, q, status, error);
}

static surekrig_status fit_all(const cli_call *call, cli_training *t, const predict_stream *s, models *all,
                               surekrig_error *error)
{
    if (!t->each)
        return fit(call, t, all, error);
    surekrig_status status = SUREKRIG_OK;
    for (int q = 0; q < all->count && !status; q++)
        status = fit_response(call, t, s, q, all, error);
    return status;
}

/* Model and predictions appear, or neither: a model is saved while the predictions can still be dropped, and goes again
 * where they then cannot be kept, or the process ends in trying to. */
static surekrig_status keep_both(const surekrig_model *model, const char *path, surekrig_error *error)
{
    bool is_new = access(path, F_OK) != 0;
    surekrig_status status = cli_interrupted() ? SUREKRIG_OK : cli_save(model, path, error);
    if (status)
        return status;
    if (is_new)
        io_note_unfinished(path);
    status = cli_keep(error);
    if (is_new)
        io_forget_unfinished(path);
    if (status && is_new)
        remove(path);
    return status;
}

/* path: NULL: the predictions alone. A link stays, whatever happens to the file that it names. */
static surekrig_status keep(const surekrig_model *model, const char *path, surekrig_error *error)
{
    char *place = path ? io_place(path) : NULL;
    if (!path)
        return cli_keep(error);
    surekrig_status status = place ? keep_both(model, place, error)
                                   : cli_error(error, SUREKRIG_FILE, "cannot write %s: %s", path, strerror(errno));
    free(place);
    return status;
}

static void tell(const cli_call *call, const surekrig_info *info, int64_t targets)
{
    fprintf(stderr, "%lld points (", (long long)info->n);
    for (int64_t a = 0; a < info->d; a++)
        fprintf(stderr, "%s%s", a ? ", " : "", info->x_names[a]);
    fputs("; ", stderr);
    for (int64_t q = 0; q < info->l; q++)
        fprintf(stderr, "%s%s", q ? ", " : "", info->y_names[q]);
    fprintf(stderr, "), predictions at %lld%s\n", (long long)targets,
            info->l == 1 || info->held_out_each ? "; what to expect there:" : "");
    if (cli_value(call, "latent"))
        fputs(
            "(of new observations: --latent leaves their noise out of sd and intervals, but not out of these scores)\n",
            stderr);
    cli_print_expected(stderr, info);
}

/* What was predicted and is kept, to be told. */
static void tell_all(const cli_call *call, const cli_training *t, const models *all)
{
    for (int q = 0; q < all->count; q++) {
        if (!cli_value(call, "quiet"))
            tell(call, surekrig_model_info(all->model[q]), all->targets[q]);
        cli_ids_look(call, t, all->model[q]);
    }
}

static surekrig_status run_models(const cli_call *call, cli_training *t, predict_stream *s, models *all,
                                  surekrig_error *error)
{
    surekrig_status status = fit_all(call, t, s, all, error);
    if (!status)
        status = predict_all(call, (const surekrig_model *const *)all->model, s, error);
    if (!status)
        status = keep(all->model[0], cli_value(call, "model"), error);
    cli_progress_end();
    if (status)
        return status;
    tell_all(call, t, all);
    predict_tell(call, s);
    return SUREKRIG_OK;
}

static surekrig_status run_stream(const cli_call *call, cli_training *t, predict_stream *s, surekrig_error *error)
{
    surekrig_status status = cli_read_training(call, t, error);
    surekrig_info names = {
        .d = t->d, .l = t->l, .x_names = t->x_names, .y_names = t->y_names, .settings = call->settings};
    surekrig_data data = cli_training_data(t);
    s->apiece = t->each;
    if (!status)
        status = predict_open(call, &names, &data, s, error);
    if (!status && !t->each)
        status = predict_read_targets(call, &names, s, &t->targets, error);
    if (status)
        return status;
    predict_tell_dropped(call, &t->targets);
    size_t l = (size_t)t->l;
    models all = {t->each ? t->l : 1, calloc(l, sizeof *all.model), calloc(l, sizeof *all.targets), false};
    status = all.model && all.targets ? run_models(call, t, s, &all, error) : cli_no_memory(error);
    for (int q = 0; all.model && q < all.count; q++)
        surekrig_model_free(all.model[q]);
    free(all.model);
    free(all.targets);
    return status;
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
        status = cli_check_model(model, error);
    if (!status)
        status = cli_check_each(call, error);
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
     "Where the predictions go: CSV; by the name's end NPY, GeoTIFF (.tif) or NetCDF (.nc); default: standard output.",
     .writes = "the predictions"},
    {"features", 'x', "NAMES",
     "Feature columns, separated by commas; default: every numeric column but the response and numbers of rows."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"each", 0, NULL,
     "Of several responses each has a model of its own, chosen and trained by itself, with all rows that have it."},
    PREDICT_PLACES,
    {"noise", 0, "NAME",
     "Column of known noise variances, in the response's units squared; of POINTS too, where it has one."},
    {"latent", 0, NULL, "sd and interval of the field itself, without the nugget, instead of a new observation."},
    {"mean-only", 0, NULL, "Only the mean; the variance is not computed."},
    {"model", 0, "MODEL", "Keep the model, as fit does.", .writes = "the model"},
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
