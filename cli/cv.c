#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 6, ROWS_AT_ONCE = 4096, EACH = 6 };

static const char *const WORDS[] = {"mean", "sd", "lower", "upper", "residual", "distance", NULL};

typedef struct near {
    double distance;
    int64_t at; /* which of the rows */
} near;

typedef struct job {
    surekrig_model *model;
    const surekrig_info *info;
    const surekrig_data *data;
    surekrig_validation how;
    surekrig_validated made;
    int64_t rows;
    double level, after;
    bool dates;            /* time is written as dates */
    near *order;           /* [rows] by distance */
    double *y, *mean, *sd; /* [rows] of one response, in that order */
    int classes;
    int64_t bound[CLASSES + 1]; /* where each class of distances begins in it */
} job;

static void free_job(job *j)
{
    surekrig_model_free(j->model);
    void *owned[] = {j->made.row,      j->made.mean, j->made.sd, j->made.lower, j->made.upper,
                     j->made.distance, j->order,     j->y,       j->mean,       j->sd};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static surekrig_status open_job(const cli_call *call, job *j, surekrig_error *error)
{
    surekrig_status status = cli_load_whole(call->argument[0], &j->model, error);
    if (status)
        return status;
    j->info = surekrig_model_info(j->model);
    j->data = surekrig_model_data(j->model);
    j->how.seed = cli_setting_number(j->info->settings, "seed");
    j->how.levels = 1;
    j->how.level = &j->level;
    j->how.rows = j->how.rows < j->info->n ? j->how.rows : 0;
    j->rows = j->how.rows ? j->how.rows : j->info->n;
    size_t rows = (size_t)j->rows, l = (size_t)j->info->l;
    j->made = (surekrig_validated){.row = malloc(rows * sizeof(int64_t)), .distance = malloc(rows * sizeof(double))};
    double **const each[] = {&j->made.mean, &j->made.sd, &j->made.lower, &j->made.upper};
    bool room = j->made.row && j->made.distance;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        room &= (*each[i] = malloc(rows * l * sizeof(double))) != NULL;
    j->order = malloc(rows * sizeof *j->order);
    j->y = malloc(rows * sizeof(double));
    j->mean = malloc(rows * sizeof(double));
    j->sd = malloc(rows * sizeof(double));
    return room && j->order && j->y && j->mean && j->sd ? SUREKRIG_OK : cli_no_memory(error);
}

/* ---- residuals */

/* The response's own column. */
static char *response_name(const char *name)
{
    size_t room = strlen(name) + sizeof "response_";
    char *made = malloc(room);
    bool taken = false;
    for (int i = 0; WORDS[i]; i++)
        taken |= !strcmp(WORDS[i], name);
    if (made)
        snprintf(made, room, taken ? "response_%s" : "%s", name);
    return made;
}

static char *column_name(const void *of, int i)
{
    const surekrig_info *info = ((const job *)of)->info;
    int d = (int)info->d, q = (i - d) / EACH, what = (i - d) % EACH;
    if (i < d)
        return strdup(info->x_names[i]);
    if (i == d + EACH * (int)info->l)
        return strdup(cli_name_taken(info, WORDS) ? "distance_nearest" : "distance");
    return what == 0 ? response_name(info->y_names[q]) : cli_output_name(info, WORDS, what - 1, q);
}

/* Features; response, mean, sd, lower, upper, residual of each; distance. Returns where the next row goes. */
static double *lay_out(const job *j, int64_t i, double *to)
{
    int64_t d = j->info->d, l = j->info->l, row = j->made.row[i];
    memcpy(to, j->data->x + row * d, (size_t)d * sizeof *to);
    to += d;
    for (int64_t q = 0; q < l; q++) {
        int64_t at = i * l + q;
        double y = j->data->y[row * l + q], mean = j->made.mean[at];
        const double all[EACH] = {y, mean, j->made.sd[at], j->made.lower[at], j->made.upper[at], y - mean};
        memcpy(to, all, sizeof all);
        to += EACH;
    }
    *to = j->made.distance[i];
    return to + 1;
}

static surekrig_status write_rows(const job *j, io_writer *writer, surekrig_error *error)
{
    int64_t columns = j->info->d + EACH * j->info->l + 1;
    double *value = malloc((size_t)(ROWS_AT_ONCE * columns) * sizeof *value);
    surekrig_status status = value ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t from = 0; from < j->rows && !status && !cli_interrupted(); from += ROWS_AT_ONCE) {
        int64_t count = j->rows - from < ROWS_AT_ONCE ? j->rows - from : ROWS_AT_ONCE;
        double *to = value;
        for (int64_t i = 0; i < count; i++)
            to = lay_out(j, from + i, to);
        status = io_write(writer, count, value, error);
    }
    free(value);
    return status;
}

static surekrig_status write_residuals(const job *j, const char *path, surekrig_error *error)
{
    io_writer *writer = NULL;
    int columns = (int)j->info->d + EACH * (int)j->info->l + 1;
    surekrig_status status = cli_create(path, columns, column_name, j, &writer, error);
    for (int a = 0; a < (int)j->info->d && j->dates && !status; a++)
        if (!strcmp(j->info->x_names[a], surekrig_settings_get(j->info->settings, "time")))
            status = io_write_as_dates(writer, a, IO_DATES, error);
    if (!status)
        status = write_rows(j, writer, error);
    return status ? status : cli_keep(error);
}

/* ---- scores, all and by distance */

static int by_distance(const void *a, const void *b)
{
    const near *x = a, *y = b;
    return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                      : (x->at > y->at) - (x->at < y->at);
}

/* Classes of about equal numbers; what differs in the last digits, as on a raster, is one distance. */
static void make_classes(job *j)
{
    for (int64_t i = 0; i < j->rows; i++)
        j->order[i] = (near){j->made.distance[i], i};
    qsort(j->order, (size_t)j->rows, sizeof *j->order, by_distance);
    j->bound[0] = 0;
    j->classes = 1;
    for (int c = 1; c < CLASSES; c++) {
        int64_t at = c * j->rows / CLASSES;
        while (at > 0 && at < j->rows && j->order[at].distance <= (1 + 1e-6) * j->order[at - 1].distance)
            at++;
        if (at > j->bound[j->classes - 1] && at < j->rows)
            j->bound[j->classes++] = at;
    }
    j->bound[j->classes] = j->rows;
}

static void take_response(const job *j, int64_t q)
{
    int64_t l = j->info->l;
    for (int64_t i = 0; i < j->rows; i++) {
        int64_t at = j->order[i].at;
        j->y[i] = j->data->y[j->made.row[at] * l + q];
        j->mean[i] = j->made.mean[at * l + q];
        j->sd[i] = j->made.sd[at * l + q];
    }
}

static surekrig_status print_class(const job *j, int c, double quantile, bool json, surekrig_error *error)
{
    int64_t from = j->bound[c], end = j->bound[c + 1];
    double low = j->order[from].distance, high = j->order[end - 1].distance, sd = 0;
    surekrig_scores s;
    surekrig_scored part = {end - from, j->y + from, j->mean + from, j->sd + from, quantile};
    surekrig_status status = surekrig_score(&part, j->level, &s, error);
    if (status)
        return status;
    for (int64_t i = from; i < end; i++)
        sd += j->sd[i] / (double)(end - from);
    if (json)
        printf("%s{\"from\": %.17g, \"to\": %.17g, \"n\": %lld, \"cov\": %.17g, \"rmse\": %.17g, \"sd\": %.17g}",
               c ? ", " : "", low, high, (long long)s.n, s.cov, s.rmse, sd);
    else
        printf("%10.4g %10.4g %10lld %10.4f %10.4g %10.4g\n", low, high, (long long)s.n, s.cov, s.rmse, sd);
    return SUREKRIG_OK;
}

static surekrig_status print_response(const job *j, int64_t q, bool json, surekrig_error *error)
{
    double quantile = surekrig_model_quantile(j->model, q, j->level);
    bool several = j->info->l > 1;
    surekrig_scores scores;
    take_response(j, q);
    surekrig_status status = surekrig_score(&(surekrig_scored){j->rows, j->y, j->mean, j->sd, quantile}, j->level,
                                            &scores, error);
    if (status)
        return status;
    if (json && several) {
        cli_json_text(stdout, j->info->y_names[q]);
        printf(": {");
    }
    if (json)
        cli_json_scores(stdout, &scores);
    else
        cli_print_scores(stdout, several ? j->info->y_names[q] : NULL, &scores);
    if (json)
        printf(", \"distances\": [");
    else
        printf("by distance to the nearest datum used\n%10s %10s %10s %10s %10s %10s\n", "from", "to", "n", "COV",
               "RMSE", "mean sd");
    for (int c = 0; c < j->classes && !status; c++)
        status = print_class(j, c, quantile, json, error);
    fputs(json ? several ? "]}" : "]" : "", stdout);
    return status;
}

static surekrig_status print_all(const cli_call *call, job *j, surekrig_error *error)
{
    bool json = cli_value(call, "json");
    surekrig_status status = SUREKRIG_OK;
    make_classes(j);
    if (json)
        printf("{\"blocks\": %lld", (long long)j->how.blocks);
    else if (j->how.by)
        printf("%lld points, each predicted without its group by %s", (long long)j->rows, j->how.by);
    else if (j->how.after)
        printf("%lld points after %s, each predicted from those that are not", (long long)j->rows,
               cli_value(call, "after"));
    else if (j->how.blocks)
        printf("%lld points, each predicted without its own of %lld blocks", (long long)j->rows,
               (long long)j->how.blocks);
    else
        printf("%lld points, each predicted without itself", (long long)j->rows);
    fputs(json ? ", " : "; the hyperparameters are the model's, nothing is trained again\n", stdout);
    for (int64_t q = 0; q < j->info->l && !status; q++) {
        fputs(json && q ? ", " : "", stdout);
        status = print_response(j, q, json, error);
    }
    fputs(json ? "}\n" : "", stdout);
    return status;
}

/* A number, or a date where time is dates. */
static surekrig_status read_after(const cli_call *call, job *j, surekrig_error *error)
{
    const char *after = cli_value(call, "after");
    char *end;
    j->dates = !strcmp(surekrig_settings_get(j->info->settings, "time_unit"), "date");
    if (!after)
        return SUREKRIG_OK;
    j->how.after = &j->after;
    if (j->dates && io_parse_date(after, strlen(after), &j->after))
        return SUREKRIG_OK;
    j->after = strtod(after, &end);
    if (j->dates || end == after || *end || !isfinite(j->after))
        return cli_usage(error, "--after takes %s, not '%s'",
                         j->dates ? "a date as 2024-03-01 or 2024-03-01T12:00:00Z" : "a number, as the model's time is",
                         after);
    return SUREKRIG_OK;
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    job j = {.level = 0.95};
    int blocks = 0, rows = 0;
    const char *output = cli_value(call, "output");
    if (cli_number(call, "level", 1e-6, 0.999999, &j.level, error) ||
        cli_count(call, "blocks", 1000000000, &blocks, error) || cli_count(call, "rows", 2000000000, &rows, error) ||
        cli_count(call, "threads", 4096, &j.how.threads, error))
        return error->status;
    if (output && !strcmp(output, "-"))
        return cli_usage(error, "-o takes a file: the scores go to standard output");
    if (output && cli_same_file(output, call->argument[0]))
        return cli_usage(error, "the residuals would replace %s", output);
    j.how.blocks = blocks;
    j.how.rows = rows;
    j.how.by = cli_value(call, "by");
    surekrig_progress progress = cli_progress(call);
    surekrig_status status = output ? cli_check_output(output, error) : SUREKRIG_OK;
    if (!status)
        status = open_job(call, &j, error);
    if (!status)
        status = read_after(call, &j, error);
    if (!status)
        status = surekrig_validate(j.model, &j.how, &progress, &j.made, error);
    j.rows = j.made.count;
    cli_progress_end();
    if (!status && output)
        status = write_residuals(&j, output, error);
    if (!status)
        status = print_all(call, &j, error);
    if (!status && j.made.jittered)
        fprintf(stderr, "surekrig cv: jitter of at most %.1g gamma2 was needed at %lld points\n", j.made.max_jitter,
                (long long)j.made.jittered);
    free_job(&j);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT", "Where the residuals go: CSV, or NPY where the name ends in .npy; default: nowhere."},
    {"blocks", 0, "N",
     "Cut the data into N compact blocks and predict each point without its own; default: without itself."},
    {"by", 0, "NAMES",
     "Predict each point without its group: what the model was fitted --by, or features that are alike, as lon,lat."},
    {"after", 0, "TIME", "Predict the points after TIME, a number or a date, from those that are not."},
    {"rows", 0, "N", "Only N rows, drawn at random by the model's seed; default: all."},
    {"level", 0, "LEVEL", "Of interval, coverage and interval score; default 0.95."},
    {"json", 0, NULL, "As JSON: the scores as 'surekrig score' gives them, and distances."},
    {"threads", 0, "N", "Threads; default: all. The result does not depend on them."},
    {"quiet", 'q', NULL, "No progress bar."},
    {0},
};

const cli_command cli_cv = {
    "cv",
    "Cross-validate a model on its own data.",
    "MODEL",
    1,
    1,
    false,
    "surekrig cv temp.model --blocks 20 -o residuals.csv",
    "Each point is predicted from the others, or from those outside its block or group, or after a time from those until it,\n"
    "under the model's hyperparameters: nothing is trained again. Prints the five scores, and coverage, RMSE and mean sd by distance to the nearest datum used. OUT\n"
    "has one row a point, in the order of the data: features, response, mean, sd, lower, upper, residual, distance.",
    OPTIONS,
    run,
};
