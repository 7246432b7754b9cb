#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 6 };

static const char *const WORDS[] = {"mean", "sd", "lower", "upper", "residual", "distance", NULL};

typedef struct job {
    surekrig_model *model;
    const surekrig_info *info;
    surekrig_validation how;
    surekrig_validated made; /* of many ranks that have parts of the rows, each one's own */
    int64_t rows;            /* of all */
    double level, after;
    bool dates; /* time is written as dates */
} job;

static void free_job(job *j)
{
    surekrig_model_free(j->model);
    void *owned[] = {j->made.row,   j->made.mean,     j->made.sd, j->made.lower,
                     j->made.upper, j->made.distance, j->made.x,  j->made.y};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static surekrig_status open_job(const cli_call *call, job *j, surekrig_error *error)
{
    surekrig_status status = cli_load(call->argument[0], &j->model, error);
    if (status)
        return status;
    j->info = surekrig_model_info(j->model);
    j->how.seed = cli_setting_number(j->info->settings, "seed");
    j->how.levels = 1;
    j->how.level = &j->level;
    j->how.rows = j->how.rows < j->info->n ? j->how.rows : 0;
    int64_t most = j->how.rows && j->how.rows < j->info->part ? j->how.rows : j->info->part;
    size_t rows = (size_t)most + 1, l = (size_t)j->info->l; /* one more: none may be this rank's */
    j->made = (surekrig_validated){.row = malloc(rows * sizeof(int64_t)), .distance = malloc(rows * sizeof(double))};
    double **const each[] = {&j->made.y, &j->made.mean, &j->made.sd, &j->made.lower, &j->made.upper};
    bool room = j->made.row && j->made.distance, written = cli_value(call, "output");
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        room &= (*each[i] = malloc(rows * l * sizeof(double))) != NULL;
    j->made.x = written ? malloc(rows * (size_t)j->info->d * sizeof(double)) : NULL;
    return room && (j->made.x || !written) ? SUREKRIG_OK : cli_no_memory(error);
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
    int64_t d = j->info->d, l = j->info->l;
    memcpy(to, j->made.x + i * d, (size_t)d * sizeof *to);
    to += d;
    for (int64_t q = 0; q < l; q++) {
        int64_t at = i * l + q;
        double y = j->made.y[at], mean = j->made.mean[at];
        const double all[EACH] = {y, mean, j->made.sd[at], j->made.lower[at], j->made.upper[at], y - mean};
        memcpy(to, all, sizeof all);
        to += EACH;
    }
    *to = j->made.distance[i];
    return to + 1;
}

static surekrig_status write_rows(const job *j, io_writer *writer, surekrig_error *error)
{
    int64_t columns = j->info->d + EACH * j->info->l + 1, rows = j->made.count;
    int64_t at_once = cli_rows_at_once(4096, columns);
    double *value = malloc((size_t)(at_once * columns) * sizeof *value);
    surekrig_status status = value ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t from = 0; from < rows && !status && !cli_interrupted(); from += at_once) {
        int64_t count = rows - from < at_once ? rows - from : at_once;
        double *to = value;
        for (int64_t i = 0; i < count; i++)
            to = lay_out(j, from + i, to);
        status = io_write(writer, count, value, error);
    }
    free(value);
    return status;
}

/* Where ranks have parts of the rows, each writes its own. */
static surekrig_status write_residuals(const job *j, const char *path, surekrig_error *error)
{
    io_writer *writer = NULL;
    int64_t before = 0;
    int columns = (int)j->info->d + EACH * (int)j->info->l + 1;
    bool parts = j->info->part < j->info->n;
    if (parts)
        cli_sum(j->made.count, &before);
    surekrig_status status = parts ? cli_create_part(path, columns, &(cli_columns){column_name, j}, before, &writer,
                                                     error)
                                   : cli_create(path, columns, column_name, j, &writer, error);
    for (int a = 0; a < (int)j->info->d && j->dates && !status; a++)
        if (!strcmp(j->info->x_names[a], surekrig_settings_get(j->info->settings, "time")))
            status = io_write_as_dates(writer, a, IO_DATES, error);
    if (!status)
        status = write_rows(j, writer, error);
    return status ? status : cli_keep(error);
}

/* ---- scores, all and by distance */

static void print_class(const surekrig_class *of, bool first, bool json)
{
    const surekrig_scores *s = &of->scores;
    if (json)
        printf("%s{\"from\": %.17g, \"to\": %.17g, \"n\": %lld, \"cov\": %.17g, \"rmse\": %.17g, \"sd\": %.17g}",
               first ? "" : ", ", of->from, of->to, (long long)s->n, s->cov, s->rmse, of->sd);
    else
        printf("%10.4g %10.4g %10lld %10.4f %10.4g %10.4g\n", of->from, of->to, (long long)s->n, s->cov, s->rmse,
               of->sd);
}

static surekrig_status print_response(const job *j, int64_t q, bool json, surekrig_error *error)
{
    bool several = j->info->l > 1;
    surekrig_by_distance scores;
    surekrig_status status = surekrig_score_distances(j->model, &j->made, q, j->level, &scores, error);
    if (status)
        return status;
    if (json && several) {
        cli_json_text(stdout, j->info->y_names[q]);
        printf(": {");
    }
    if (json)
        cli_json_scores(stdout, &scores.all);
    else
        cli_print_scores(stdout, several ? j->info->y_names[q] : NULL, &scores.all);
    if (json)
        printf(", \"distances\": [");
    else
        printf("by distance to the nearest datum used, %s\n%10s %10s %10s %10s %10s %10s\n", cli_distance_unit(j->info),
               "from", "to", "n", "COV", "RMSE", "mean sd");
    for (int c = 0; c < scores.classes; c++)
        print_class(&scores.of[c], c == 0, json);
    fputs(json ? several ? "]}" : "]" : "", stdout);
    return SUREKRIG_OK;
}

static surekrig_status print_all(const cli_call *call, const job *j, surekrig_error *error)
{
    bool json = cli_value(call, "json");
    surekrig_status status = SUREKRIG_OK;
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
    j.how.blocks = blocks;
    j.how.rows = rows;
    j.how.by = cli_value(call, "by");
    surekrig_progress progress = cli_progress(call);
    surekrig_status status = cli_check_output(output, error);
    if (!status)
        status = open_job(call, &j, error);
    if (!status)
        status = read_after(call, &j, error);
    if (!status)
        status = surekrig_validate(j.model, &j.how, &progress, &j.made, error);
    cli_progress_end();
    if (!status) {
        int64_t before;
        j.rows = j.info->part < j.info->n ? cli_sum(j.made.count, &before) : j.made.count;
    }
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
    {"output", 'o', "OUT", "Where the residuals go: CSV, or NPY where the name ends in .npy; default: nowhere.",
     .writes = "the residuals"},
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
