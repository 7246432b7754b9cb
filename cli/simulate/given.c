/* surekrig simulate --given MODEL: joint draws at new points. */
#include "simulate.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 1024, MOST_DRAWS = 100000 };

typedef struct job {
    surekrig_model *model;
    const surekrig_info *info;
    cli_points points;
    surekrig_draws how;
    double *y;   /* [n][l][draws] */
    double *row; /* [ROWS_AT_ONCE][columns] */
    int columns; /* of the output */
} job;

static void free_job(job *j)
{
    surekrig_model_free(j->model);
    free(j->points.x);
    free(j->y);
    free(j->row);
}

/* "draw_1", or "draw_1_temp" where there are several responses. */
static char *column_name(const void *of, int i)
{
    const job *j = of;
    const surekrig_info *info = j->info;
    int after = i - (int)info->d, draw = after % (int)j->how.draws + 1;
    if (after < 0)
        return strdup(info->x_names[i]);
    const char *response = info->y_names[after / j->how.draws];
    size_t room = strlen(response) + 32;
    char *name = malloc(room);
    if (name && info->l > 1)
        snprintf(name, room, "draw_%d_%s", draw, response);
    else if (name)
        snprintf(name, room, "draw_%d", draw);
    return name;
}

static surekrig_status write_rows(const job *j, io_writer *writer, surekrig_error *error)
{
    int64_t d = j->info->d, drawn = j->columns - d;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t from = 0; from < j->how.n && !status && !cli_interrupted(); from += ROWS_AT_ONCE) {
        int64_t count = j->how.n - from < ROWS_AT_ONCE ? j->how.n - from : ROWS_AT_ONCE;
        for (int64_t i = 0; i < count; i++) {
            double *to = j->row + i * j->columns;
            memcpy(to, j->points.x + (from + i) * d, (size_t)d * sizeof *to);
            memcpy(to + d, j->y + (from + i) * drawn, (size_t)drawn * sizeof *to);
        }
        status = io_write(writer, count, j->row, error);
    }
    return status;
}

static surekrig_status write_draws(const job *j, const char *path, surekrig_error *error)
{
    io_writer *writer = NULL;
    surekrig_status status = cli_create(path, j->columns, column_name, j, &writer, error);
    return status ? status : write_rows(j, writer, error);
}

static surekrig_status draw(const cli_call *call, job *j, surekrig_error *error)
{
    surekrig_progress progress = cli_progress(call);
    surekrig_status status = surekrig_model_load(cli_value(call, "given"), &j->model, error);
    if (status)
        return status;
    j->info = surekrig_model_info(j->model);
    status = cli_read_points(call, call->argument[0], j->info, &j->points, error);
    if (status)
        return status;
    j->how.n = j->points.n;
    j->how.x = j->points.x;
    j->columns = (int)(j->info->d + j->info->l * j->how.draws);
    j->y = malloc((size_t)(j->how.n * j->info->l * j->how.draws + 1) * sizeof *j->y);
    j->row = malloc((size_t)ROWS_AT_ONCE * (size_t)j->columns * sizeof *j->row);
    return j->y && j->row ? surekrig_simulate_given(j->model, &j->how, &progress, j->y, error) : cli_no_memory(error);
}

static surekrig_status read_options(const cli_call *call, job *j, surekrig_error *error)
{
    static const char *const OTHERS[] = {"grid", "features", "lower", "upper", "holdout",
                                         "nu",   "rho",      "tau2",  "gamma2"};
    int draws = 1;
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (cli_value(call, OTHERS[i]))
            return cli_usage(error, "--%s does not go with --given: the model says", OTHERS[i]);
    if (!call->arguments)
        return cli_usage(error, "--given needs the POINTS to draw at");
    if (cli_count(call, "draws", MOST_DRAWS, &draws, error) || cli_count(call, "threads", 4096, &j->how.threads, error))
        return error->status;
    j->how.draws = draws;
    j->how.latent = cli_value(call, "latent") != NULL;
    return cli_seed(call, &j->how.seed, error);
}

surekrig_status simulate_given(const cli_call *call, surekrig_error *error)
{
    job j = {.columns = 0};
    surekrig_status status = read_options(call, &j, error);
    if (!status)
        status = cli_check_output(cli_value(call, "output"), error);
    if (!status)
        status = draw(call, &j, error);
    cli_progress_end();
    if (!status)
        status = write_draws(&j, cli_value(call, "output"), error);
    if (!status && !cli_value(call, "quiet"))
        cli_tell_missing(call, cli_missing(j.how.n, j.info->d, j.how.x), j.how.n);
    free_job(&j);
    return status;
}
