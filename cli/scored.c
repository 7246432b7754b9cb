/* Observations with what was predicted for them: from a file of predictions, or by a model. */
#include "cli.h"
#include "raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The chosen columns of a file, whole: value [count][*n], by column; the caller frees it. */
static surekrig_status read_columns(io_reader *reader, int count, const int *column, double **value, int64_t *n,
                                    surekrig_error *error)
{
    double *rows = NULL, *grown;
    int64_t have = 0, got = 1, at_once = cli_rows_at_once(16384, count);
    surekrig_status status = io_select(reader, count, column, error);
    while (!status && got > 0) {
        grown = realloc(rows, (size_t)(have + at_once) * (size_t)count * sizeof *rows);
        if (!grown) {
            status = cli_no_memory(error);
            break;
        }
        rows = grown;
        status = io_read(reader, at_once, rows + have * count, &got, error);
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

void cli_free_scored(cli_scored *s)
{
    free(s->test);
    free(s->predicted);
    for (int q = 0; s->name && q < s->l; q++)
        free(s->name[q]);
    free(s->name);
    surekrig_model_free(s->model);
}

/* Whether the file starts as an SQLite database does. A pipe is none, and would lose what is read here. */
bool cli_is_model(const char *path)
{
    char head[72] = "";
    struct stat kind;
    FILE *file = !stat(path, &kind) && S_ISREG(kind.st_mode) ? fopen(path, "rb") : NULL;
    if (file) {
        if (fread(head, 1, sizeof head, file) < sizeof head)
            head[0] = 0;
        fclose(file);
    }
    return !memcmp(head, "SQLite format 3", 16) && memcmp(head + 68, "GP", 2) != 0; /* GeoPackage is SQLite, too */
}

/* The responses' columns in the test file, those named or the last, into column [names->count or 1]; their names. */
static surekrig_status find_responses(const io_reader *test, const cli_names *names, int *column, cli_scored *s,
                                      surekrig_error *error)
{
    column[0] = cli_last_column(test);
    surekrig_status status = names->count ? cli_find_columns(test, names, column, error) : SUREKRIG_OK;
    s->l = names->count ? names->count : 1;
    s->name = calloc((size_t)s->l, sizeof *s->name);
    if (!s->name)
        return cli_no_memory(error);
    for (int q = 0; q < s->l && !status; q++)
        if (!(s->name[q] = strdup(io_column_name(test, column[q]))))
            status = cli_no_memory(error);
    return status;
}

/* How many sd lower and upper are from the mean, on average. */
static double typical_quantile(const cli_scored *s)
{
    double width = 0, sd = 0;
    for (int64_t i = 0; i < s->n; i++)
        if (!isnan(s->lower[i]) && !isnan(s->upper[i]) && s->sd[i] > 0) {
            width += s->upper[i] - s->lower[i];
            sd += s->sd[i];
        }
    return width / (2 * sd);
}

/* The level of which lower and upper are the normal interval, mean -+ q sd, if it is a round one; 0: they are not. */
static double normal_level(const cli_scored *s, double q)
{
    double most = 0, level = erf(q / sqrt(2)), round = nearbyint(1e4 * level) / 1e4;
    for (int64_t i = 0; i < s->n; i++) {
        most = fmax(most, fabs(s->mean[i] - q * s->sd[i] - s->lower[i]) / s->sd[i]);
        most = fmax(most, fabs(s->mean[i] + q * s->sd[i] - s->upper[i]) / s->sd[i]);
    }
    return fabs(level - round) < 1e-7 && round < 1 && most < 1e-3 ? round : 0;
}

/* Those of the normal distribution are left to mean and sd, which give them at any level. Others are taken for the level
 * that is asked, which may not be theirs. */
static void settle_interval(cli_scored *s, bool own)
{
    static const double UNLIKE =
        1.6; /* times the normal interval's width, or less by that; conformal ones are nearer */
    s->lower = own ? s->sd + s->l * s->n : NULL;
    s->upper = own ? s->lower + s->l * s->n : NULL;
    double q = own ? typical_quantile(s) : 0, normal = q > 0 ? normal_level(s, q) : 0;
    if (normal > 0)
        s->lower = s->upper = NULL;
    double ratio = q > 0 && s->lower && s->level > 0 ? q / surekrig_quantile(s->level) : 1;
    s->looks = ratio > UNLIKE || ratio < 1 / UNLIKE ? erf(q / sqrt(2)) : 0;
    s->taken = s->lower && !(s->level > 0);
    if (!(s->level > 0))
        s->level = normal > 0 ? normal : 0.95;
}

/* The first row in which a shared column differs. */
static surekrig_status check_places(const cli_call *call, const double *ours, const double *theirs, int64_t n,
                                    int shared, surekrig_error *error)
{
    for (int c = 0; c < shared; c++)
        for (int64_t i = 0; i < n; i++) {
            double a = ours[c * n + i], b = theirs[c * n + i];
            if (!(fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b))) && !(isnan(a) && isnan(b)))
                return cli_error(error, SUREKRIG_DATA,
                                 "row %lld of %s is not that of %s: %g there, %g here; the rows must "
                                 "be the same, in the same order%s",
                                 (long long)i + 1, call->argument[0], call->argument[1], a, b,
                                 isnan(a) ? "; --na says what means missing" : "");
        }
    return SUREKRIG_OK;
}

/* Pixels that fill had and kept, of which nothing was predicted: their sd is 0 or, where 0 is the number for missing,
 * the next one above it. */
static void leave_out_kept(int64_t count, double *mean, const double *sd)
{
    double largest = 0;
    for (int64_t i = 0; i < count; i++)
        largest = isinf(sd[i]) ? largest : fmax(largest, sd[i]);
    for (int64_t i = 0; i < count; i++)
        if (sd[i] >= 0 && sd[i] <= 1e-30 * largest)
            mean[i] = NAN;
}

/* Means, sds and, where they are there, the ends of intervals [l][n] each, with the shared columns after them; and the
 * responses [l][n] with theirs. */
static surekrig_status read_both(const cli_call *call, io_reader *test, io_reader *predictions, int *response,
                                 cli_scored *s, surekrig_error *error)
{
    int most = io_columns(predictions), l = s->l;
    int64_t n = 0;
    int *pair = malloc(2 * (size_t)most * sizeof *pair), *column = malloc((size_t)(4 * l + most) * sizeof *column);
    int *from = malloc((size_t)(l + most) * sizeof *from), shared = 0;
    bool own = false; /* all responses have an interval of their own, or none */
    surekrig_status status = pair && column && from ? SUREKRIG_OK : cli_no_memory(error);
    if (!status)
        status = cli_find_predictions(predictions, test, s, column, &own, error);
    if (!status)
        shared = cli_shared_columns(predictions, test, s, pair);
    for (int q = 0; !status && q < l; q++)
        from[q] = response[q];
    int all = own ? 4 * l : 2 * l;
    for (int c = 0; !status && c < shared; c++) {
        column[all + c] = pair[c];
        from[l + c] = pair[most + c];
    }
    if (!status)
        status = read_columns(test, l + shared, from, &s->test, &s->n, error);
    if (!status)
        status = read_columns(predictions, all + shared, column, &s->predicted, &n, error);
    if (!status && n != s->n)
        status = cli_error(error, SUREKRIG_DATA, "%s has %lld rows, and %lld are to be scored", call->argument[0],
                           (long long)n, (long long)s->n);
    if (!status)
        status = check_places(call, s->predicted + all * n, s->test + l * n, n, shared, error);
    s->raster = io_table_grid(predictions);
    if (!status && s->raster)
        leave_out_kept(n * l, s->predicted, s->predicted + n * l);
    s->y = s->test;
    s->mean = s->predicted;
    if (!status) {
        s->sd = s->predicted + n * l;
        settle_interval(s, own);
    }
    free(pair);
    free(column);
    free(from);
    return status;
}

static surekrig_status score_file(const cli_call *call, cli_scored *s, const cli_names *names, surekrig_error *error)
{
    if (cli_value(call, "noise"))
        return cli_usage(error, "--noise goes with a MODEL: the sd of predictions has it already");
    io_reader *test = NULL, *predictions = NULL;
    int *response = malloc(((size_t)names->count + 1) * sizeof *response);
    surekrig_status status = response ? cli_open_table(call, call->argument[1], &test, error) : cli_no_memory(error);
    if (!status)
        status = find_responses(test, names, response, s, error);
    if (!status)
        status = io_open(call->argument[0], NULL, &predictions, error);
    if (!status)
        status = read_both(call, test, predictions, response, s, error);
    if (status && test && !names->count)
        cli_of_last_column(test, status, error);
    free(response);
    io_close(test);
    io_close(predictions);
    return status;
}

/* Predicts the features that stand first in s->test: mean and sd into s->predicted [2 l][n]. */
static surekrig_status predict_points(const surekrig_model *model, cli_scored *s, surekrig_error *error)
{
    const surekrig_info *info = surekrig_model_info(model);
    int64_t d = info->d, l = info->l, n = s->n;
    double *x = malloc(((size_t)(n * d) + 1) * sizeof *x), *both = malloc(((size_t)(2 * n * l) + 1) * sizeof *both);
    s->predicted = malloc(((size_t)(2 * n * l) + 1) * sizeof *s->predicted);
    surekrig_status status = x && both && s->predicted ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t i = 0; !status && i < n * d; i++)
        x[i] = s->test[(i % d) * n + i / d];
    if (!status)
        status = surekrig_predict(model, &(surekrig_query){.n = n, .x = x, .noise = s->noise}, NULL,
                                  &(surekrig_prediction){.mean = both, .sd = both + n * l}, error);
    for (int64_t i = 0; !status && i < n * l; i++) {
        s->predicted[(i % l) * n + i / l] = both[i];
        s->predicted[n * l + (i % l) * n + i / l] = both[n * l + i];
    }
    s->mean = s->predicted;
    s->sd = s->predicted ? s->predicted + n * l : NULL;
    free(x);
    free(both);
    return status;
}

/* The model's features, its responses and the noise out of the test file, in one pass: [d + l + 1][n]. */
static surekrig_status read_test(const cli_call *call, const surekrig_info *info, cli_scored *s, const cli_names *names,
                                 surekrig_error *error)
{
    io_reader *test = NULL;
    const char *noise = cli_value(call, "noise");
    int count = (int)(info->d + info->l) + (noise != NULL);
    int *column = malloc((size_t)count * sizeof *column);
    surekrig_status status = column ? cli_open_table(call, call->argument[1], &test, error) : cli_no_memory(error);
    if (!status)
        status = cli_model_columns(test, info, column, error);
    bool by_name = !status && (io_named(test) || info->l > 1 || io_find_column(test, info->y_names[0]) >= 0);
    cli_names own = {by_name ? (int)info->l : 0, (char **)info->y_names};
    if (!status)
        status = find_responses(test, names->count ? names : &own, column + info->d, s, error);
    if (!status && noise)
        status = cli_find_columns(test, &(cli_names){1, (char **)&noise}, column + count - 1, error);
    if (!status)
        status = read_columns(test, count, column, &s->test, &s->n, error);
    if (status && test && !names->count && !by_name)
        cli_of_last_column(test, status, error);
    if (!status) {
        s->y = s->test + info->d * s->n;
        s->noise = noise ? s->y + info->l * s->n : NULL;
    }
    free(column);
    io_close(test);
    return status;
}

static surekrig_status score_model(const cli_call *call, cli_scored *s, const cli_names *names, surekrig_error *error)
{
    surekrig_status status = cli_load(call->argument[0], &s->model, error);
    s->level = s->level > 0 ? s->level : 0.95;
    const surekrig_info *info = status ? NULL : surekrig_model_info(s->model);
    if (!status && names->count && names->count != info->l)
        status = cli_error(error, SUREKRIG_INVALID, "-y names %d responses, the model has %lld", names->count,
                           (long long)info->l);
    if (!status)
        status = cli_check_noise(call, info, error);
    if (!status)
        status = read_test(call, info, s, names, error);
    if (!status)
        cli_look_at_test(call, s);
    return status ? status : predict_points(s->model, s, error);
}

surekrig_status cli_read_scored(const cli_call *call, cli_scored *s, surekrig_error *error)
{
    cli_names names = {0};
    if (cli_number(call, "level", 1e-6, 0.999999, &s->level, error))
        return error->status;
    if (cli_value(call, "response") && !cli_split_names(cli_value(call, "response"), &names))
        return cli_no_memory(error);
    surekrig_status status = cli_is_model(call->argument[0]) ? score_model(call, s, &names, error)
                                                             : score_file(call, s, &names, error);
    cli_free_names(&names);
    return status;
}

surekrig_scored cli_scored_response(const cli_scored *s, int q, double quantile)
{
    int64_t at = q * s->n;
    return (surekrig_scored){s->n,
                             s->y + at,
                             s->mean + at,
                             s->sd + at,
                             quantile,
                             s->lower ? s->lower + at : NULL,
                             s->upper ? s->upper + at : NULL};
}

surekrig_status cli_calibration(const cli_scored *s, int q, double level[CLI_LEVELS], double coverage[CLI_LEVELS],
                                surekrig_error *error)
{
    double normal[CLI_LEVELS];
    for (int j = 0; j < CLI_LEVELS; j++) { /* of which level the interval would be the normal one */
        level[j] = 0.05 * (j + 1);
        normal[j] = s->model ? fmin(erf(surekrig_model_quantile(s->model, q, level[j]) / sqrt(2)), 1 - 1e-15)
                             : level[j];
    }
    surekrig_scored one = cli_scored_response(s, q, 0);
    return surekrig_calibration(&one, CLI_LEVELS, normal, coverage, error);
}
