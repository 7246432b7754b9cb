#include "cli.h"
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was not asked for and changes what a length scale is. */
static void tell_sphere(const cli_call *call, const surekrig_model *model)
{
    const char *asked = surekrig_settings_get(call->settings, "sphere"),
               *taken = surekrig_settings_get(surekrig_model_info(model)->settings, "sphere");
    if (!strcmp(asked, "auto") && strchr(taken, ',') && !cli_value(call, "from") && !cli_value(call, "quiet"))
        fprintf(stderr,
                "surekrig fit: %s are longitude and latitude, so distances are on the sphere, in km; --sphere no takes "
                "them as a plane\n",
                taken);
}

/* Mean and variance of a response. */
static void moments(const surekrig_data *data, int64_t q, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int64_t i = 0; i < data->n; i++)
        *mean += data->y[i * data->l + q] / (double)data->n;
    for (int64_t i = 0; i < data->n; i++) {
        double apart = data->y[i * data->l + q] - *mean;
        *variance += apart * apart / (double)data->n;
    }
}

/* The paper's study knows its mean and variance. A field of theirs may well have a mean of 1 and a variance of a quarter
 * on its points; what lies beyond was not made ready for it. */
static void tell_standard(const cli_call *call, const surekrig_data *data)
{
    const char *preset = surekrig_settings_get(call->settings, "preset");
    bool zero = !strcmp(surekrig_settings_get(call->settings, "mean"), "zero"),
         one = !strcmp(surekrig_settings_get(call->settings, "gamma2"), "1");
    if (strcmp(preset, "paper") || cli_value(call, "quiet") || data->ranks != cli_on.alike)
        return;
    for (int64_t q = 0; q < data->l; q++) {
        double mean, variance;
        moments(data, q, &mean, &variance);
        bool centred = !zero || fabs(mean) <= 1, scaled = !one || (variance >= 0.25 && variance <= 4);
        if (!centred || !scaled)
            fprintf(
                stderr,
                "surekrig fit: %s has mean %.4g and variance %.4g, but preset paper takes%s%s%s as known: add%s%s, or "
                "centre and scale the response\n",
                data->y_names ? data->y_names[q] : "the response", mean, variance, zero ? " mean 0" : "",
                zero && one ? " and" : "", one ? " gamma2 1" : "", centred ? "" : " --mean constant",
                scaled ? "" : " --gamma2 auto");
    }
}

static surekrig_status train(const cli_call *call, const surekrig_data *data, const cli_training *t,
                             surekrig_model **model, surekrig_error *error)
{
    surekrig_progress progress = cli_progress(call);
    if (!t->from)
        tell_standard(call, data);
    surekrig_status status = t->from ? surekrig_refit(data, t->from, model, error)
                                     : surekrig_fit(data, call->settings, &progress, model, error);
    cli_progress_end();
    return status;
}

/* A model at its path, and what is to be said of it. */
static surekrig_status keep(const cli_call *call, const cli_training *t, const surekrig_model *model, const char *path,
                            surekrig_error *error)
{
    surekrig_status status = (cli_value(call, "parts") ? cli_save_parts : cli_save)(model, path, error);
    if (status)
        return status;
    tell_sphere(call, model);
    if (cli_value(call, "json"))
        cli_json_model(stdout, surekrig_model_info(model), false);
    else if (!cli_value(call, "quiet"))
        cli_print_model(stderr, surekrig_model_info(model));
    cli_ids_look(call, t, model);
    return SUREKRIG_OK;
}

static surekrig_status fit(const cli_call *call, const surekrig_data *data, const cli_training *t, const char *output,
                           surekrig_error *error)
{
    surekrig_model *model = NULL;
    surekrig_status status = train(call, data, t, &model, error);
    if (!status)
        status = keep(call, t, model, output, error);
    surekrig_model_free(model);
    return status;
}

/* ---- --each */

/* "field.model" of temp: "field-temp.model". The caller's; NULL: no memory. */
static char *path_of(const char *output, const char *response)
{
    const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output, *dot = strrchr(name, '.');
    size_t room = strlen(output) + strlen(response) + 2, stem = dot > name ? (size_t)(dot - output) : strlen(output);
    char *path = malloc(room);
    if (!path)
        return NULL;
    snprintf(path, room, "%.*s-%s%s", (int)stem, output, response, output + stem);
    for (char *at = path + stem; *at; at++) /* a name of a column is no folder */
        if (*at == '/')
            *at = '_';
    return path;
}

static surekrig_status train_response(const cli_call *call, const cli_training *t, int q, surekrig_model **model,
                                      surekrig_error *error)
{
    const char *file = cli_value(call, "targets");
    cli_points targets = {0};
    cli_response one;
    surekrig_status status = cli_take_response(t, q, &one, error);
    surekrig_info wanted = {
        .d = t->d, .l = 1, .x_names = t->x_names, .y_names = one.data.y_names, .settings = call->settings};
    if (!status && file)
        status = cli_read_targets(call, file, &wanted, &targets, error);
    one.data.targets = targets.n;
    one.data.target = targets.x;
    if (!status && q == 0)
        cli_look_beyond(call, &one.data);
    cli_give_response(t, &one);
    if (!status)
        status = train(call, &one.data, t, model, error);
    cli_free_response(&one);
    free(targets.x);
    return status;
}

/* Two names that make one path, "a/b" and "a_b", would lose a model. */
static surekrig_status check_path(const cli_call *call, const cli_training *t, int q, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    char *own = path_of(output, t->y_names[q]), *files = io_table_files(t->reader);
    surekrig_status status = own && files ? cli_check_written(call, "the model", own, error) : cli_no_memory(error);
    if (!status)
        status = cli_check_listed(files, "the model", own, error);
    if (!status)
        status = cli_check_model(own, error);
    for (int p = 0; p < q && !status; p++) {
        char *other = path_of(output, t->y_names[p]);
        if (!other)
            status = cli_no_memory(error);
        else if (io_one_place(own, other))
            status = cli_error(error, SUREKRIG_INVALID, "the models of %s and %s would both be %s", t->y_names[p],
                               t->y_names[q], own);
        free(other);
    }
    free(own);
    free(files);
    return status;
}

static surekrig_status keep_response(const cli_call *call, const cli_training *t, int q, const surekrig_model *model,
                                     surekrig_error *error)
{
    char *path = path_of(cli_value(call, "output"), t->y_names[q]);
    if (cli_value(call, "json")) {
        fputs(q ? ", " : "{", stdout);
        cli_json_text(stdout, t->y_names[q]);
        fputs(": ", stdout);
    } else if (path && !cli_value(call, "quiet")) {
        fputs(q ? "\n" : "", stderr);
        cli_say(stderr, "%s", path);
    }
    surekrig_status status = path ? keep(call, t, model, path, error) : cli_no_memory(error);
    free(path);
    return status;
}

/* Each response a model of its own, of the rows that have it. Files change once all are trained: where one cannot be, none
 * does. */
static surekrig_status fit_each(const cli_call *call, const cli_training *t, surekrig_error *error)
{
    surekrig_model **model = calloc((size_t)t->l, sizeof(surekrig_model *));
    surekrig_status status = model ? SUREKRIG_OK : cli_no_memory(error);
    for (int q = 0; q < t->l && !status; q++)
        status = check_path(call, t, q, error);
    for (int q = 0; q < t->l && !status; q++)
        status = cli_of_response(t, q, train_response(call, t, q, &model[q], error), error);
    for (int q = 0; q < t->l && !status; q++)
        status = cli_of_response(t, q, keep_response(call, t, q, model[q], error), error);
    if (cli_value(call, "json") && !status)
        puts("}");
    for (int q = 0; model && q < t->l; q++)
        surekrig_model_free(model[q]);
    free(model);
    return status;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    if (!output || !strcmp(output, "-"))
        return cli_usage(error, "say in which file the model goes: -o MODEL");
    if (cli_value(call, "from") && call->givens)
        return cli_usage(error, "%s does not go with --from: nothing is trained", call->given[call->givens - 1].word);
    if (cli_value(call, "from") && cli_value(call, "targets"))
        return cli_usage(error, "--targets does not go with --from: nothing is trained");
    if (cli_check_each(call, error))
        return error->status;
    cli_training t = {0};
    surekrig_status status = cli_value(call, "each") ? SUREKRIG_OK : cli_check_model(output, error);
    if (!status)
        status = cli_read_training(call, &t, error);
    surekrig_data data = cli_training_data(&t);
    if (!status && !t.each)
        cli_give_training(&t);
    if (!status)
        status = t.each ? fit_each(call, &t, error) : fit(call, &data, &t, output, error);
    cli_free_training(&t);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "Where the model goes (one SQLite file).", .writes = "the model"},
    {"features", 'x', "NAMES",
     "Feature columns, separated by commas; default: every numeric column but the response and numbers of rows."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"noise", 0, "NAME",
     "Column of known noise variances, in the response's units squared; predict and score take one too."},
    {"targets", 0, "POINTS",
     "Where predictions will be wanted: training then looks at points with neighbours like theirs. Of a raster with a band of the response's name, its gaps.",
     .reads = true},
    {"each", 0, NULL,
     "Of several responses each becomes a model of its own (-o field.model: field-temp.model, ...), with all rows that have it."},
    {"from", 0, "MODEL",
     "Keep this model's hyperparameters, trend and widths of intervals for the new data; nothing is trained."},
    {"parts", 0, NULL,
     "The model's rows go to files of their own in MODEL.parts, one of each rank; so do more than 16,777,216 rows of many ranks."},
    CLI_TABLE_OPTIONS,
    {"json", 0, NULL, "Print the summary as JSON on standard output."},
    {"quiet", 'q', NULL, "No progress bar and no summary."},
    {0},
};

const cli_command cli_fit = {
    "fit",
    "Train a model on a table of points.",
    "TRAIN ...",
    1,
    CLI_ARGUMENTS_MAX,
    true,
    "surekrig fit train.csv -x lon,lat -y temp -o temp.model",
    "TRAIN is a CSV file (comma, semicolon or tab; with or without a header), an NPY array, a raster, a\n"
    "file of points (GeoPackage, GeoJSON) where GDAL is, or - for standard input. Several files with the same columns,\n"
    "or a pattern in quotes, 'part-*.csv', are one table.\n"
    "Rows with a missing value (empty, NA, NaN, null, or as --na says) are dropped and counted. A hyperparameter is fixed (--nu 0.5), searched\n"
    "(--nu 0.05:2.5, or with a start 0.05:0.5:2.5) or auto. Training is by the likelihood of points with their\n"
    "neighbours, and points left out say how wide intervals are; --preset coverage trains under a coverage constraint,\n"
    "--preset paper as the paper does. To fill gaps, say where\n"
    "predictions will be wanted: --targets POINTS --preset gaps, or let the model be chosen: --targets POINTS --auto.\n"
    "Several responses in one model share neighbours, nu, rho and tau2, and rows that have them all; --each parts them.",
    OPTIONS,
    run,
};
