/* The empirical variogram of a table, or of a model's data beside the model's own. */
#include "variogram.h"
#include "../plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 1000, STEPS = 200 };

static void free_variogram(variogram *v)
{
    cli_free_training(&v->table);
    surekrig_model_free(v->model);
    free(v->place);
    free(v->rest);
    free(v->distance);
    free(v->pairs);
    free(v->semivariance);
    free(v->fitted);
}

/* ---- the model's */

/* gamma2 (tau2 + 1 - correlation), and known noise; at the distances, into fitted [n] */
static surekrig_status fit_curve(const variogram *v, int64_t q, int64_t n, const double *distance, double *fitted,
                                 surekrig_error *error)
{
    const surekrig_info *info = surekrig_model_info(v->model);
    const double *noise = surekrig_model_data(v->model)->noise;
    double *scaled = malloc(((size_t)n + 1) * sizeof *scaled), tau2 = cli_estimate(info, "tau2"), known = 0;
    char name[80];
    snprintf(name, sizeof name, v->l > 1 ? "gamma2_%s" : "gamma2", v->y_names[q]);
    double gamma2 = cli_estimate(info, name);
    for (int64_t i = 0; noise && i < v->n; i++)
        known += noise[i] / (double)v->n;
    for (int64_t i = 0; scaled && i < n; i++)
        scaled[i] = distance[i] / v->length;
    surekrig_status status = scaled ? cli_correlation(info, n, scaled, fitted, error) : cli_no_memory(error);
    for (int64_t i = 0; i < n && !status; i++)
        fitted[i] = known + gamma2 * (tau2 + 1 - fitted[i]);
    free(scaled);
    return status;
}

static surekrig_status fit_classes(variogram *v, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    v->fitted = v->model ? calloc((size_t)(v->classes * v->l) + 1, sizeof *v->fitted) : NULL;
    if (v->model && !v->fitted)
        return cli_no_memory(error);
    for (int64_t q = 0; v->model && q < v->l && !status; q++)
        status = fit_curve(v, q, v->classes, v->distance, v->fitted + q * v->classes, error);
    return status;
}

/* ---- outputs */

static char *column_name(const void *of, int column)
{
    static const char *const WORDS[] = {"semivariance", "model", NULL};
    const variogram *v = of;
    surekrig_info names = {.l = v->l, .y_names = v->y_names};
    int each = v->model ? 2 : 1, at = column - 2;
    return column < 2 ? strdup(column ? "pairs" : "distance") : cli_output_name(&names, WORDS, at % each, at / each);
}

static surekrig_status write_table(const cli_call *call, const variogram *v, surekrig_error *error)
{
    int columns = 2 + (v->model ? 2 : 1) * (int)v->l;
    io_writer *writer = NULL;
    double *row = malloc((size_t)columns * sizeof *row);
    surekrig_status status = row ? cli_create(cli_value(call, "output"), columns, column_name, v, &writer, error)
                                 : cli_no_memory(error);
    for (int c = 0; c < v->classes && !status; c++) {
        int at = 0;
        row[at++] = v->distance[c];
        row[at++] = v->pairs[c];
        for (int64_t q = 0; q < v->l; q++) {
            row[at++] = v->semivariance[q * v->classes + c];
            if (v->model)
                row[at++] = v->fitted[q * v->classes + c];
        }
        status = io_write(writer, 1, row, error);
    }
    free(row);
    return status;
}

static surekrig_status draw(const cli_call *call, const variogram *v, surekrig_error *error)
{
    double step[STEPS], curve[STEPS], range = NAN;
    char response[200];
    report_picture *picture;
    surekrig_status status = SUREKRIG_OK;
    if (v->l > 1)
        return cli_usage(error, "a picture shows one response, and there are %lld: a table (-o OUT.csv) has them all",
                         (long long)v->l);
    if (!report_gnuplot_there())
        return cli_error(error, SUREKRIG_FILE, "there is no gnuplot to draw with; %s", report_install);
    for (int i = 0; i < STEPS; i++) /* from next to 0, where the nugget shows */
        step[i] = v->cutoff * fmax(i, 1e-9) / (STEPS - 1);
    if (v->model)
        status = fit_curve(v, 0, STEPS, step, curve, error);
    if (!status && v->model)
        status = cli_practical_range(surekrig_model_info(v->model), "", &range, error);
    if (!status)
        status = plot_open(call, &picture, error);
    if (status)
        return status;
    snprintf(response, sizeof response, "semivariance of %s", v->y_names[0]);
    report_variogram_draw(&(report_variogram){.classes = v->classes,
                                              .distance = v->distance,
                                              .semivariance = v->semivariance,
                                              .pairs = v->pairs,
                                              .steps = v->model ? STEPS : 0,
                                              .step = step,
                                              .fitted = curve,
                                              .range = v->length * range,
                                              .unit = v->unit,
                                              .response = response,
                                              .title = cli_value(call, "title")},
                          picture);
    return SUREKRIG_OK;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    variogram v = {.robust = cli_value(call, "robust"), .classes = 15};
    bool model = cli_is_model(call->argument[0]);
    for (int i = 0; model && call->command->option[i].name; i++)
        if (call->value[i] && cli_in_list("features,response," CLI_TABLE_NAMES, call->command->option[i].name))
            return cli_usage(error, "--%s goes with a table: a model has its data", call->command->option[i].name);
    bool picture = output && report_picture_kind(output);
    for (int i = 0; !picture && call->command->option[i].name; i++)
        if (call->value[i] && cli_in_list("title,script", call->command->option[i].name))
            return cli_usage(error, "--%s goes with a picture: -o NAME.png, .svg or .pdf makes one",
                             call->command->option[i].name);
    surekrig_status status = picture ? plot_check_script(call, error) : SUREKRIG_OK;
    if (!status)
        status = cli_number(call, "cutoff", 1e-300, 1e300, &v.cutoff, error);
    if (!status)
        status = cli_count(call, "classes", MOST_CLASSES, &v.classes, error);
    if (!status)
        status = model ? variogram_of_model(call, &v, error) : variogram_of_table(call, &v, error);
    if (!status)
        status = variogram_compute(call, &v, error);
    if (!status)
        status = fit_classes(&v, error);
    if (!status)
        status = picture ? draw(call, &v, error) : write_table(call, &v, error);
    if (!status && model && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig variogram: %s\n", v.unit);
    free_variogram(&v);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT",
     "A table, or a picture where the name ends in .png, .svg or .pdf; default: a table on standard output.",
     .writes = "the variogram"},
    {"features", 'x', "NAMES",
     "Columns in which distances are measured; default: every numeric column but the response and numbers of rows."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"cutoff", 0, "DISTANCE", "Pairs less far apart than this count; default: half the largest distance."},
    {"classes", 0, "N", "Classes of distance, equally wide; default 15."},
    {"robust", 0, NULL, "By Cressie and Hawkins, which outliers move less, instead of mean squares."},
    {"seed", 0, "SEED", "Of the rows drawn where there are more than 10,000; default 1."},
    {"title", 0, "TEXT", "Above the picture; default: none."},
    {"script", 0, NULL, "Keep gnuplot's script and its data beside the picture, as NAME.gp and NAME.gp.dat."},
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No words about columns, rows and units."},
    {0},
};

const cli_command cli_variogram = {
    .name = "variogram",
    .summary = "Tell how differences of a response grow with distance, in data and under a model.",
    .arguments = "DATA|MODEL",
    .least = 1,
    .most = 1,
    .example = "surekrig variogram temp.model -o variogram.png",
    .details =
        "Half the mean squared difference of the response in classes of distance, with the mean distance and the number of\n"
        "pairs of each. Of a MODEL, its data's, less a trend if it has one, beside what the fitted covariance says (of a model\n"
        "that auto averaged, the first one's). Distances are the model's: where each feature has a length scale they are\n"
        "measured in these, and 1 is a length scale; on the sphere they are chords in km. Training looks at neighbours, so the\n"
        "two agree best at short distances. Of more than 10,000 rows so many are drawn at random.",
    .option = OPTIONS,
    .run = run,
};
