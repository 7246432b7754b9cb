#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROWS_AT_ONCE = 16384 };

/* The training table: features, responses and noise side by side as read, then apart. */
typedef struct training {
    int d, l, noise; /* noise: 0 or 1 */
    int *column;     /* [d + l + noise] of the file */
    int64_t n, capacity, dropped;
    double *x, *y, *s;
    const char **x_names, **y_names;
    io_reader *reader;
} training;

static void free_training(training *t)
{
    free(t->column);
    free(t->x);
    free(t->y);
    free(t->s);
    free(t->x_names);
    free(t->y_names);
    io_close(t->reader);
}

static surekrig_status out_of_memory(surekrig_error *error)
{
    snprintf(error->sentence, sizeof error->sentence, "out of memory while reading the training data");
    return error->status = SUREKRIG_MEMORY;
}

/* The named columns of -x or -y appended to t->column; how many, or -1 with a sentence. */
static int named_columns(training *t, const char *list, int at, surekrig_error *error)
{
    cli_names names;
    if (!cli_split_names(list, &names)) {
        out_of_memory(error);
        return -1;
    }
    int count = names.count;
    if (at + count > io_columns(t->reader) + 2) {
        snprintf(error->sentence, sizeof error->sentence, "%s has %d columns, more are named", io_path(t->reader),
                 io_columns(t->reader));
        count = -1;
    } else if (cli_find_columns(t->reader, &names, t->column + at, error)) {
        count = -1;
    }
    cli_free_names(&names);
    return count;
}

static bool taken(const int *column, int count, int which)
{
    for (int i = 0; i < count; i++)
        if (column[i] == which)
            return true;
    return false;
}

/* Responses: -y, or the last column. Features: -x, or every other numeric column. Noise: --noise. */
static surekrig_status choose_columns(const cli_call *call, training *t, surekrig_error *error)
{
    const char *x = cli_value(call, "features"), *y = cli_value(call, "response"), *s = cli_value(call, "noise");
    int all = io_columns(t->reader), response[64], noise = -1;
    t->column = malloc(((size_t)all + 2) * sizeof *t->column);
    if (!t->column)
        return out_of_memory(error);
    response[0] = all - 1;
    t->l = y ? named_columns(t, y, 0, error) : 1;
    if (t->l > 64) {
        snprintf(error->sentence, sizeof error->sentence, "%d responses are named, at most 64 can be", t->l);
        return error->status = SUREKRIG_INVALID;
    }
    for (int q = 0; y && q < t->l; q++)
        response[q] = t->column[q];
    if (t->l < 0 || (s && named_columns(t, s, 0, error) != 1))
        return error->status = error->status ? error->status : SUREKRIG_INVALID;
    t->noise = s != NULL;
    noise = s ? t->column[0] : -1;
    if (x) {
        t->d = named_columns(t, x, 0, error);
    } else {
        t->d = 0;
        for (int i = 0; i < all; i++)
            if (i != noise && !taken(response, t->l, i) && io_column_numeric(t->reader, i))
                t->column[t->d++] = i;
    }
    if (t->d < 0)
        return error->status = error->status ? error->status : SUREKRIG_INVALID;
    if (t->d == 0 || t->d + t->l + t->noise > all + 2) {
        snprintf(error->sentence, sizeof error->sentence,
                 "%s has %d column%s: a response and at least one numeric feature are needed", io_path(t->reader), all,
                 all == 1 ? "" : "s");
        return error->status = SUREKRIG_DATA;
    }
    for (int q = 0; q < t->l; q++) {
        if (taken(t->column, t->d, response[q])) {
            snprintf(error->sentence, sizeof error->sentence, "column %s is named both a feature and a response",
                     io_column_name(t->reader, response[q]));
            return error->status = SUREKRIG_INVALID;
        }
        t->column[t->d + q] = response[q];
    }
    if (s)
        t->column[t->d + t->l] = noise;
    return io_select(t->reader, t->d + t->l + t->noise, t->column, error);
}

static bool grow(double **values, int64_t capacity, int width)
{
    double *grown = realloc(*values, (size_t)capacity * (size_t)(width ? width : 1) * sizeof *grown);
    if (grown)
        *values = grown;
    return grown != NULL;
}

static bool make_room(training *t)
{
    if (t->n + ROWS_AT_ONCE <= t->capacity)
        return true;
    t->capacity = 2 * t->capacity + ROWS_AT_ONCE;
    return grow(&t->x, t->capacity, t->d) && grow(&t->y, t->capacity, t->l) && grow(&t->s, t->capacity, t->noise);
}

static void take_row(training *t, const double *row)
{
    for (int i = 0; i < t->d + t->l + t->noise; i++)
        if (isnan(row[i])) {
            t->dropped++;
            return;
        }
    memcpy(t->x + t->n * t->d, row, (size_t)t->d * sizeof *row);
    memcpy(t->y + t->n * t->l, row + t->d, (size_t)t->l * sizeof *row);
    if (t->noise)
        t->s[t->n] = row[t->d + t->l];
    t->n++;
}

static surekrig_status read_rows(training *t, surekrig_error *error)
{
    int width = t->d + t->l + t->noise;
    double *block = malloc((size_t)ROWS_AT_ONCE * (size_t)width * sizeof *block);
    surekrig_status status = block ? SUREKRIG_OK : out_of_memory(error);
    for (int64_t rows = 1; rows > 0 && !status;) {
        if (!make_room(t))
            status = out_of_memory(error);
        else
            status = io_read(t->reader, ROWS_AT_ONCE, block, &rows, error);
        for (int64_t i = 0; i < rows && !status; i++)
            take_row(t, block + i * width);
    }
    free(block);
    return status;
}

static surekrig_status take_names(training *t, surekrig_error *error)
{
    t->x_names = malloc((size_t)t->d * sizeof *t->x_names);
    t->y_names = malloc((size_t)t->l * sizeof *t->y_names);
    if (!t->x_names || !t->y_names)
        return out_of_memory(error);
    for (int a = 0; a < t->d; a++)
        t->x_names[a] = io_column_name(t->reader, t->column[a]);
    for (int q = 0; q < t->l; q++)
        t->y_names[q] = io_column_name(t->reader, t->column[t->d + q]);
    return SUREKRIG_OK;
}

static surekrig_status read_training(const cli_call *call, training *t, surekrig_error *error)
{
    surekrig_status status = io_open(call->argument[0], !cli_value(call, "no-header"), &t->reader, error);
    if (!status)
        status = choose_columns(call, t, error);
    if (!status)
        status = read_rows(t, error);
    if (!status)
        status = take_names(t, error);
    if (!status && t->dropped)
        fprintf(stderr, "surekrig fit: %lld of %lld rows dropped: a value is missing\n", (long long)t->dropped,
                (long long)(t->n + t->dropped));
    return status;
}

/* --from: a model's hyperparameters, with its features and responses by name. */
static surekrig_status fit_or_refit(const cli_call *call, const surekrig_data *data, surekrig_model **model,
                                    surekrig_error *error)
{
    const char *path = cli_value(call, "from");
    if (!path) {
        surekrig_progress progress = cli_progress(call);
        return surekrig_fit(data, call->settings, &progress, model, error);
    }
    surekrig_model *from = NULL;
    surekrig_status status = surekrig_model_load(path, &from, error);
    if (!status)
        status = surekrig_refit(data, from, model, error);
    surekrig_model_free(from);
    return status;
}

static int run(cli_call *call)
{
    const char *output = cli_value(call, "output");
    if (!output)
        return cli_usage(call, "say where the model goes: -o MODEL");
    training t = {0};
    surekrig_error error = {0};
    surekrig_model *model = NULL;
    surekrig_status status = read_training(call, &t, &error);
    surekrig_data data = {t.n, t.d, t.l, t.x, t.y, t.noise ? t.s : NULL, t.x_names, t.y_names};
    if (!status)
        status = fit_or_refit(call, &data, &model, &error);
    cli_progress_end();
    free_training(&t);
    cli_hold_files(true); /* a save is short: it is finished, then the signal counts */
    if (!status)
        status = surekrig_model_save(model, output, &error);
    cli_hold_files(false);
    if (!status && cli_value(call, "json"))
        cli_json_model(stdout, surekrig_model_info(model), false);
    else if (!status && !cli_value(call, "quiet"))
        cli_print_model(stderr, surekrig_model_info(model));
    surekrig_model_free(model);
    return status ? cli_fail(call, &error) : CLI_OK;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "MODEL", "Where the model goes (one SQLite file)."},
    {"features", 'x', "NAMES", "Feature columns, separated by commas; default: every numeric column but the response."},
    {"response", 'y', "NAMES", "Response columns; default: the last column."},
    {"noise", 0, "NAME", "Column of known noise variances, in the response's units squared."},
    {"from", 0, "MODEL", "Keep this model's hyperparameters for the new data; nothing is trained."},
    {"no-header", 0, NULL, "The first row is data even if it holds words."},
    {"json", 0, NULL, "Print the summary as JSON on standard output."},
    {"quiet", 'q', NULL, "No progress bar and no summary."},
    {0},
};

const cli_command cli_fit = {
    "fit", "Train a model on a table of points.", "TRAIN", 1, 1, true,
    "surekrig fit train.csv -x lon,lat -y temp -o temp.model",
    "TRAIN is a CSV file (comma, semicolon or tab; with or without a header), an NPY array, or - for standard input.\n"
    "Rows with a missing value (empty, NA, NaN) are dropped and counted. A hyperparameter is fixed (--nu 0.5), searched\n"
    "(--nu 0.05:2.5, or with a start 0.05:0.5:2.5) or auto. Three ways of training: --loss mse --coverage none,\n"
    "--loss lool --coverage none, and the default, likelihood under the coverage constraint.",
    OPTIONS, run,
};
