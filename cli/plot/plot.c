/* surekrig plot: pictures by gnuplot, of a table or of a model. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the output */

typedef struct drawing {
    report_picture picture;
    bool script; /* stays beside it */
} drawing;

static void drop_picture(void *made)
{
    drawing *d = made;
    report_picture_close(&d->picture);
    free(d);
}

static surekrig_status open_picture(const char *path, const void *plan, void **made, surekrig_error *error)
{
    drawing *d = calloc(1, sizeof *d);
    if (!d)
        return cli_no_memory(error);
    d->script = *(const bool *)plan;
    surekrig_status status = report_picture_open(path, &d->picture, error);
    if (status)
        drop_picture(d);
    *made = status ? NULL : d;
    return status;
}

static surekrig_status keep_picture(void *made, surekrig_error *error)
{
    drawing *d = made;
    surekrig_status status = report_picture_draw(&d->picture, d->script, cli_interrupted, error);
    drop_picture(d); /* what is left of it */
    return status;
}

surekrig_status plot_check_script(const cli_call *call, surekrig_error *error)
{
    static const char *const SUFFIX[] = {"gp", "gp.dat"}, *const WHAT[] = {"gnuplot's script", "gnuplot's data"};
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < 2 && cli_value(call, "script") && !status; i++) {
        char *path = report_picture_beside(cli_value(call, "output"), SUFFIX[i]);
        status = path ? cli_check_written(call, WHAT[i], path, error) : SUREKRIG_OK; /* opening will say why */
        free(path);
    }
    return status;
}

surekrig_status plot_open(const cli_call *call, report_picture **picture, surekrig_error *error)
{
    static const cli_kind PICTURE = {open_picture, keep_picture, drop_picture};
    bool script = cli_value(call, "script");
    void *made = NULL;
    surekrig_status status = cli_open(&PICTURE, cli_value(call, "output"), &script, &made, error);
    *picture = status ? NULL : &((drawing *)made)->picture;
    return status;
}

/* ---- kinds of pictures */

/* coverage: [l][CLI_LEVELS] */
static surekrig_status draw_curves(const cli_call *call, const cli_scored *s, double *coverage, surekrig_error *error)
{
    report_picture *picture;
    double level[CLI_LEVELS];
    report_curve curve = {CLI_LEVELS, s->l, level, coverage, (const char *const *)s->name, cli_value(call, "title"),
                          INT64_MAX};
    surekrig_status status = SUREKRIG_OK;
    for (int q = 0; q < s->l && !status; q++) {
        surekrig_scored one = cli_scored_response(s, q, 0);
        surekrig_scores scores;
        status = surekrig_score(&one, 0.95, &scores, error);
        curve.n = !status && scores.n < curve.n ? scores.n : curve.n;
        if (!status)
            status = cli_calibration(s, q, level, coverage + q * CLI_LEVELS, error);
    }
    if (!status)
        status = plot_open(call, &picture, error);
    if (!status)
        report_curve_draw(&curve, picture);
    return status;
}

static surekrig_status draw_calibration(const cli_call *call, surekrig_error *error)
{
    cli_scored s = {0};
    surekrig_status status = cli_read_scored(call, &s, error);
    double *coverage = status ? NULL : malloc((size_t)s.l * CLI_LEVELS * sizeof *coverage);
    if (!status)
        status = coverage ? draw_curves(call, &s, coverage, error) : cli_no_memory(error);
    free(coverage);
    cli_free_scored(&s);
    return status;
}

static surekrig_status draw_trace(const cli_call *call, surekrig_error *error)
{
    report_picture *picture;
    surekrig_model *model = NULL;
    surekrig_status status = surekrig_model_load(call->argument[0], &model, error);
    const surekrig_info *info = status ? NULL : surekrig_model_info(model);
    if (!status && (info->rounds == 0 || info->evaluations < 2))
        status = cli_error(error, SUREKRIG_DATA, "%s was not trained: %s", call->argument[0],
                           surekrig_outcome_sentence(info->outcome));
    if (!status)
        status = plot_open(call, &picture, error);
    if (!status)
        report_trace_draw(info, cli_value(call, "title"), picture);
    surekrig_model_free(model);
    return status;
}

static const struct kind {
    const char *name, *arguments;
    int count;
    const char *options; /* of its own */
    surekrig_status (*draw)(const cli_call *call, surekrig_error *error);
} KINDS[] = {{"map", "POINTS", 1, "features,column,range," CLI_TABLE_NAMES, plot_map},
             {"calibration", "PREDICTIONS|MODEL and TEST", 2, "response,noise," CLI_TABLE_NAMES, draw_calibration},
             {"trace", "MODEL", 1, "", draw_trace}};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static const char COMMON[] = "output,title,script,quiet";

/* The kind named first, taken off the arguments; NULL: there is none of that name. */
static const struct kind *choose(cli_call *call)
{
    const struct kind *kind = NULL;
    for (int i = 0; i < KIND_COUNT; i++)
        if (!strcmp(call->argument[0], KINDS[i].name))
            kind = &KINDS[i];
    for (int i = 1; kind && i < call->arguments; i++)
        call->argument[i - 1] = call->argument[i];
    call->arguments -= kind != NULL;
    return kind;
}

static surekrig_status check_call(const cli_call *call, const struct kind *kind, surekrig_error *error)
{
    if (call->arguments != kind->count)
        return cli_usage(error, "%s takes %s; %d given", kind->name, kind->arguments, call->arguments);
    for (int i = 0; call->command->option[i].name; i++) {
        const char *name = call->command->option[i].name;
        if (call->value[i] && !cli_in_list(COMMON, name) && !cli_in_list(kind->options, name))
            return cli_usage(error, "--%s does not go with %s", name, kind->name);
    }
    const char *output = cli_value(call, "output");
    if (!output)
        return cli_usage(error, "-o says where the picture goes: a name that ends in .png, .svg or .pdf");
    if (!report_picture_kind(output))
        return cli_usage(error, "'%s' is no name of a picture: it must end in .png, .svg or .pdf", output);
    return plot_check_script(call, error);
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    const struct kind *kind = choose(call);
    cli_guess guess = {.word = call->argument[0]};
    cli_guess_words(&guess, call->command->arguments);
    if (!kind)
        return cli_usage(error, "there is no picture '%s': it is map, calibration or trace%s", call->argument[0],
                         cli_guessed(&guess, ""));
    surekrig_status status = check_call(call, kind, error);
    if (!status && !report_gnuplot_there()) /* before long work: whether it can succeed */
        status = cli_error(error, SUREKRIG_FILE, "there is no gnuplot to draw with; %s", report_install);
    if (!status)
        status = cli_check_output(cli_value(call, "output"), error);
    return status ? status : kind->draw(call, error);
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "PICTURE", "Where it goes; PNG, SVG or PDF by the name's end.", .writes = "the picture"},
    {"features", 'x', "NAMES",
     "map: the two columns of coordinates; default: lon and lat, or the first two of numbers."},
    {"column", 'z', "NAME", "map: the column drawn; default: mean, or the first beside the coordinates."},
    {"range", 0, "LOW,HIGH",
     "map: the ends of the colours, the same for several maps; default: the least and largest value."},
    {"response", 'y', "NAMES", "calibration: response columns of TEST; default: the model's, or the last column."},
    {"noise", 0, "NAME", "calibration: column of TEST's noise variances, where a MODEL was fitted with --noise."},
    {"title", 0, "TEXT", "Above the picture; default: none."},
    {"script", 0, NULL, "Keep gnuplot's script and its data beside the picture, as NAME.gp and NAME.gp.dat."},
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No progress bar and no words about thinning."},
    {0},
};

const cli_command cli_plot = {
    "plot",
    "Draw a map, a calibration curve or a training trace.",
    "map|calibration|trace FILE [TEST]",
    2,
    3,
    false,
    "surekrig plot map filled.csv -z sd -o sd.png",
    "surekrig plot map POINTS\n"
    "    a column of a table by two others: points of a grid as cells,\n"
    "    scattered ones as dots; grey where the value is missing\n"
    "surekrig plot calibration PREDICTIONS|MODEL TEST\n"
    "    nominal against empirical coverage at 19 levels\n"
    "surekrig plot trace MODEL\n"
    "    objective and coverage, evaluation by evaluation; multipliers,\n"
    "    round by round\n\n"
    "POINTS may be a raster too. More points than a picture has room for are averaged by cell while they are read, so\n"
    "that their number does not matter. gnuplot draws (Debian package gnuplot-nox).",
    OPTIONS,
    run,
};
