#include "cli.h"

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

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    if (!output || !strcmp(output, "-"))
        return cli_usage(error, "say in which file the model goes: -o MODEL");
    if (cli_value(call, "from") && call->givens)
        return cli_usage(error, "%s does not go with --from: nothing is trained", call->given[call->givens - 1].word);
    if (cli_value(call, "from") && cli_value(call, "targets"))
        return cli_usage(error, "--targets does not go with --from: nothing is trained");
    if (cli_same_file(output, call->argument[0]))
        return cli_usage(error, "the model would replace the training data, %s", output);
    if (cli_value(call, "targets") && cli_same_file(output, cli_value(call, "targets")))
        return cli_usage(error, "the model would replace the targets, %s", output);
    cli_training t = {0};
    surekrig_model *model = NULL;
    surekrig_status status = cli_check_output(output, error);
    if (!status)
        status = cli_read_training(call, &t, error);
    surekrig_data data = {t.n,       t.d,       t.l,         t.x,        t.y, t.noise ? t.s : NULL,
                          t.x_names, t.y_names, t.targets.n, t.targets.x};
    surekrig_progress progress = cli_progress(call);
    if (!status && t.from)
        status = surekrig_refit(&data, t.from, &model, error);
    else if (!status)
        status = surekrig_fit(&data, call->settings, &progress, &model, error);
    cli_progress_end();
    cli_free_training(&t);
    if (!status)
        status = cli_save(model, output, error);
    if (!status)
        tell_sphere(call, model);
    if (!status && cli_value(call, "json"))
        cli_json_model(stdout, surekrig_model_info(model), false);
    else if (!status && !cli_value(call, "quiet"))
        cli_print_model(stderr, surekrig_model_info(model));
    surekrig_model_free(model);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "Where the model goes (one SQLite file)."},
    {"features", 'x', "NAMES", "Feature columns, separated by commas; default: every numeric column but the response."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"noise", 0, "NAME",
     "Column of known noise variances, in the response's units squared; predict and score take one too."},
    {"targets", 0, "POINTS",
     "Where predictions will be wanted: training then looks at points with neighbours like theirs. Of a raster with a band of the response's name, its gaps."},
    {"from", 0, "MODEL",
     "Keep this model's hyperparameters, trend and widths of intervals for the new data; nothing is trained."},
    {"no-header", 0, NULL, "The first row is data even if it holds words."},
    {"json", 0, NULL, "Print the summary as JSON on standard output."},
    {"quiet", 'q', NULL, "No progress bar and no summary."},
    {0},
};

const cli_command cli_fit = {
    "fit",
    "Train a model on a table of points.",
    "TRAIN",
    1,
    1,
    true,
    "surekrig fit train.csv -x lon,lat -y temp -o temp.model",
    "TRAIN is a CSV file (comma, semicolon or tab; with or without a header), an NPY array, or - for standard input.\n"
    "Rows with a missing value (empty, NA, NaN) are dropped and counted. A hyperparameter is fixed (--nu 0.5), searched\n"
    "(--nu 0.05:2.5, or with a start 0.05:0.5:2.5) or auto. Three ways of training: --loss mse --coverage none,\n"
    "--loss lool --coverage none, and the default, likelihood under the coverage constraint. To fill gaps, say where\n"
    "predictions will be wanted: --targets POINTS --preset gaps, or let the model be chosen: --targets POINTS --auto.",
    OPTIONS,
    run,
};
