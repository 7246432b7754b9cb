#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Responses with their predictions, by column. */
typedef struct scored {
    int64_t n;
    int l;
    double *y, *mean, *sd; /* [l][n] each */
    char **name;           /* [l] */
} scored;

/* The chosen columns of a file, whole: value [count][*n], by column; the caller frees it. */
static surekrig_status read_columns(io_reader *reader, int count, const int *column, double **value, int64_t *n,
                                    surekrig_error *error)
{
    enum { AT_ONCE = 16384 };
    double *rows = NULL, *grown;
    int64_t have = 0, got = 1;
    surekrig_status status = io_select(reader, count, column, error);
    while (!status && got > 0) {
        grown = realloc(rows, (size_t)(have + AT_ONCE) * (size_t)count * sizeof *rows);
        if (!grown) {
            status = cli_no_memory(error);
            break;
        }
        rows = grown;
        status = io_read(reader, AT_ONCE, rows + have * count, &got, error);
        have += status ? 0 : got;
    }
    double *columns = status ? NULL : malloc(((size_t)have * (size_t)count + 1) * sizeof *columns);
    if (!status && !columns)
        status = cli_no_memory(error);
    for (int64_t i = 0; !status && i < have; i++)
        for (int c = 0; c < count; c++)
            columns[c * have + i] = rows[i * count + c];
    free(rows);
    if (!status) {
        *value = columns;
        *n = have;
    }
    return status;
}

static void free_scored(scored *s)
{
    free(s->y);
    free(s->mean);
    free(s->sd);
    for (int q = 0; s->name && q < s->l; q++)
        free(s->name[q]);
    free(s->name);
}

/* Whether the file starts as an SQLite database does. */
static bool is_model(const char *path)
{
    char head[16] = "";
    FILE *file = strcmp(path, "-") ? fopen(path, "rb") : NULL;
    if (file) {
        if (fread(head, 1, sizeof head, file) < sizeof head)
            head[0] = 0;
        fclose(file);
    }
    return !memcmp(head, "SQLite format 3", 16);
}

/* The responses' columns in the test file: those named, or the last. */
static surekrig_status read_responses(io_reader *test, scored *s, const cli_names *names, surekrig_error *error)
{
    int column[64] = {io_columns(test) - 1};
    surekrig_status status = names->count ? cli_find_columns(test, names, column, error) : SUREKRIG_OK;
    s->l = names->count ? names->count : 1;
    s->name = calloc((size_t)s->l, sizeof *s->name);
    if (!s->name)
        return cli_no_memory(error);
    for (int q = 0; q < s->l && !status; q++) {
        s->name[q] = strdup(io_column_name(test, column[q]));
        if (!s->name[q])
            status = cli_no_memory(error);
    }
    return status ? status : read_columns(test, s->l, column, &s->y, &s->n, error);
}

/* "mean" or "mean_temp" in the predictions, likewise sd. */
static int find_prediction(const io_reader *predictions, const char *what, const char *name)
{
    char both[512];
    snprintf(both, sizeof both, "%s_%s", what, name);
    int column = io_find_column(predictions, both);
    return column >= 0 ? column : io_find_column(predictions, what);
}

static surekrig_status score_file(const cli_call *call, scored *s, const cli_names *names, surekrig_error *error)
{
    io_reader *test = NULL, *predictions = NULL;
    bool header = !cli_value(call, "no-header");
    int64_t n = 0;
    int column[128];
    surekrig_status status = io_open(call->argument[1], header, &test, error);
    if (!status)
        status = read_responses(test, s, names, error);
    if (!status)
        status = io_open(call->argument[0], true, &predictions, error);
    for (int q = 0; !status && q < s->l; q++) {
        column[q] = find_prediction(predictions, "mean", s->name[q]);
        column[s->l + q] = find_prediction(predictions, "sd", s->name[q]);
        if (column[q] < 0 || column[s->l + q] < 0)
            status = cli_error(error, SUREKRIG_DATA, "the predictions need columns mean and sd, as 'surekrig predict' writes");
    }
    double *both = NULL;
    if (!status)
        status = read_columns(predictions, 2 * s->l, column, &both, &n, error);
    if (!status && n != s->n)
        status = cli_error(error, SUREKRIG_DATA, "%s has %lld rows, %s has %lld", call->argument[0], (long long)n,
                           call->argument[1], (long long)s->n);
    if (!status) {
        s->mean = both;
        s->sd = malloc(((size_t)(n * s->l) + 1) * sizeof *s->sd);
        status = s->sd ? SUREKRIG_OK : cli_no_memory(error);
        if (s->sd)
            memcpy(s->sd, both + n * s->l, (size_t)(n * s->l) * sizeof *s->sd);
    } else {
        free(both);
    }
    io_close(test);
    io_close(predictions);
    return status;
}

/* Predicts the test file's points with the model. */
static surekrig_status predict_points(const surekrig_model *model, io_reader *test, scored *s, surekrig_error *error)
{
    const surekrig_info *info = surekrig_model_info(model);
    int64_t d = info->d, l = info->l, n = 0;
    int *column = malloc((size_t)d * sizeof *column);
    double *by_column = NULL, *x = NULL, *mean = NULL, *sd = NULL;
    surekrig_status status = column ? cli_model_columns(test, info, column, error)
                                    : cli_no_memory(error);
    if (!status)
        status = read_columns(test, (int)d, column, &by_column, &n, error);
    if (!status) {
        x = malloc(((size_t)(n * d) + 1) * sizeof *x);
        mean = malloc(((size_t)(n * l) + 1) * sizeof *mean);
        sd = malloc(((size_t)(n * l) + 1) * sizeof *sd);
        s->mean = malloc(((size_t)(n * l) + 1) * sizeof *s->mean);
        s->sd = malloc(((size_t)(n * l) + 1) * sizeof *s->sd);
        if (!x || !mean || !sd || !s->mean || !s->sd)
            status = cli_no_memory(error);
    }
    for (int64_t i = 0; !status && i < n * d; i++)
        x[i] = by_column[(i % d) * n + i / d];
    if (!status)
        status = surekrig_predict(model, &(surekrig_query){.n = n, .x = x}, NULL,
                                  &(surekrig_prediction){.mean = mean, .sd = sd}, error);
    for (int64_t i = 0; !status && i < n * l; i++) {
        s->mean[(i % l) * n + i / l] = mean[i];
        s->sd[(i % l) * n + i / l] = sd[i];
    }
    free(column);
    free(by_column);
    free(x);
    free(mean);
    free(sd);
    return status;
}

static surekrig_status score_model(const cli_call *call, scored *s, cli_names *names, surekrig_error *error)
{
    surekrig_model *model = NULL;
    io_reader *test = NULL;
    bool header = !cli_value(call, "no-header");
    surekrig_status status = surekrig_model_load(call->argument[0], &model, error);
    if (!strcmp(call->argument[1], "-"))
        status = cli_error(error, SUREKRIG_FILE, "the test points are read twice: give a file, not standard input");
    if (!status)
        status = io_open(call->argument[1], header, &test, error);
    const surekrig_info *info = status ? NULL : surekrig_model_info(model);
    if (!status && names->count && names->count != info->l)
        status = cli_error(error, SUREKRIG_INVALID, "-y must name as many responses as the model has");
    cli_names own = {0};
    if (!status && !names->count && (io_named(test) || io_find_column(test, info->y_names[0]) >= 0))
        own = (cli_names){(int)info->l, (char **)info->y_names}; /* the model's own responses, by name */
    if (!status)
        status = read_responses(test, s, own.count ? &own : names, error);
    io_close(test);
    test = NULL;
    if (!status)
        status = io_open(call->argument[1], header, &test, error);
    if (!status)
        status = predict_points(model, test, s, error);
    io_close(test);
    surekrig_model_free(model);
    return status;
}

/* ---- printing */

static surekrig_status print_calibration(const scored *s, int q, bool json, surekrig_error *error)
{
    enum { LEVELS = 19 };
    double level[LEVELS], coverage[LEVELS];
    for (int j = 0; j < LEVELS; j++)
        level[j] = 0.05 * (j + 1);
    surekrig_status status = surekrig_calibration(s->n, s->y + q * s->n, s->mean + q * s->n, s->sd + q * s->n, LEVELS,
                                                  level, coverage, error);
    if (status)
        return status;
    printf(json ? ", \"calibration\": [" : "nominal  empirical coverage\n");
    for (int j = 0; j < LEVELS; j++) {
        if (json)
            printf("%s[%.2f, %.17g]", j ? ", " : "", level[j], coverage[j]);
        else
            printf("%7.2f  %9.4f\n", level[j], coverage[j]);
    }
    fputs(json ? "]" : "", stdout);
    return SUREKRIG_OK;
}

static surekrig_status print_all(const cli_call *call, const scored *s, double level, surekrig_error *error)
{
    bool json = cli_value(call, "json"), several = s->l > 1;
    for (int q = 0; q < s->l; q++) {
        surekrig_scores scores;
        surekrig_status status = surekrig_score(s->n, s->y + q * s->n, s->mean + q * s->n, s->sd + q * s->n, level,
                                                &scores, error);
        if (status)
            return status;
        if (json) {
            printf(q ? ", " : "{");
            if (several) {
                cli_json_text(stdout, s->name[q]);
                printf(": {");
            }
            cli_json_scores(stdout, &scores);
        } else {
            cli_print_scores(stdout, several ? s->name[q] : NULL, &scores);
            if (scores.n < s->n)
                printf("%lld rows left out: a value is missing\n", (long long)(s->n - scores.n));
        }
        if (cli_value(call, "calibration"))
            status = print_calibration(s, q, json, error);
        if (status)
            return status;
        fputs(json && several ? "}" : "", stdout);
    }
    fputs(json ? "}\n" : "", stdout);
    return SUREKRIG_OK;
}

static int run(cli_call *call)
{
    double level = 0.95;
    cli_names names = {0};
    scored s = {0};
    surekrig_error error = {0};
    if (cli_number(call, "level", 1e-6, 1 - 1e-9, &level))
        return CLI_USAGE;
    if (cli_value(call, "response") && !cli_split_names(cli_value(call, "response"), &names))
        return CLI_FAILURE;
    if (names.count > 64)
        return cli_usage(call, "%d responses named, at most 64 can be", names.count);
    surekrig_status status = is_model(call->argument[0]) ? score_model(call, &s, &names, &error)
                                                         : score_file(call, &s, &names, &error);
    if (!status)
        status = print_all(call, &s, level, &error);
    free_scored(&s);
    cli_free_names(&names);
    return status ? cli_fail(call, &error) : CLI_OK;
}

static const cli_option OPTIONS[] = {
    {"response", 'y', "NAMES", "Response columns of TEST; default: the model's, or the last column."},
    {"level", 0, "LEVEL", "Of coverage and interval score; default 0.95."},
    {"calibration", 0, NULL, "Also the empirical coverage at 19 levels."},
    {"json", 0, NULL, "As JSON: n, mae, rmse, cov, crps, int, logdensity, level (one object per response if several)."},
    {"no-header", 0, NULL, "The first row of TEST is data even if it holds words."},
    {0},
};

const cli_command cli_score = {
    "score", "Score predictions, or a model, against observed values.", "PREDICTIONS|MODEL TEST", 2, 2, false,
    "surekrig score filled.csv test.csv",
    "MAE, RMSE, coverage of the interval, CRPS and interval score. PREDICTIONS is what 'surekrig predict' wrote for the\n"
    "rows of TEST, in order; a MODEL predicts them first. Rows with a missing value are left out.",
    OPTIONS, run,
};
