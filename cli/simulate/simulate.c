#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 64, MOST_POINTS = 8192 };

static void free_job(simulate_job *j)
{
    free(j->x);
    free(j->y);
    for (int i = 0; i < j->names; i++)
        free(j->name[i]);
    free(j->name);
}

/* The columns of -x, or every numeric one but y; and time. */
static surekrig_status choose_columns(const cli_call *call, const io_reader *reader, int *column, int *d,
                                      surekrig_error *error)
{
    cli_names names = {0};
    int time = cli_value(call, "time") ? io_find_column(reader, cli_value(call, "time")) : -1;
    if (!cli_value(call, "features")) {
        for (int i = 0; i < io_columns(reader) && *d < MOST_AXES; i++)
            if ((io_column_numeric(reader, i) && strcmp(io_column_name(reader, i), "y")) || i == time)
                column[(*d)++] = i;
            else if (io_column_dates(reader, i))
                fprintf(stderr, "surekrig simulate: column %s holds dates and is left out; --time %s takes it\n",
                        io_column_name(reader, i), io_column_name(reader, i));
        return *d ? SUREKRIG_OK : cli_error(error, SUREKRIG_DATA, "%s has no numeric column", io_path(reader));
    }
    if (!cli_split_names(cli_value(call, "features"), &names))
        return cli_no_memory(error);
    *d = names.count;
    surekrig_status status = names.count > MOST_AXES
                                 ? cli_error(error, SUREKRIG_INVALID, "%d features named, at most %d can be",
                                             names.count, MOST_AXES)
                                 : cli_find_columns(reader, &names, column, error);
    cli_free_names(&names);
    bool named = time < 0;
    for (int i = 0; i < *d && !status; i++)
        named |= column[i] == time;
    if (!status && !named && *d < MOST_AXES)
        column[(*d)++] = time;
    return status;
}

static surekrig_status read_points(const cli_call *call, simulate_job *j, surekrig_error *error)
{
    io_reader *reader = NULL;
    int column[MOST_AXES], d = 0;
    surekrig_status status = cli_open_table(call, call->argument[0], &reader, error);
    if (!status)
        status = choose_columns(call, reader, column, &d, error);
    if (!status)
        status = io_select(reader, d, column, error);
    for (int a = 0; a < d && cli_value(call, "time") && !status; a++)
        if (!strcmp(io_column_name(reader, column[a]), cli_value(call, "time"))) {
            j->time = a;
            j->dates = io_column_dates(reader, column[a]);
        }
    if (!status && cli_value(call, "time") && (j->time < 0 || d < 2))
        status = cli_error(error, SUREKRIG_DATA, "%s has no column %s of numbers or dates beside others",
                           io_path(reader), cli_value(call, "time"));
    j->sample.d = d;
    j->x = malloc((size_t)(MOST_POINTS + 1) * (size_t)(d + 1) * sizeof *j->x);
    j->name = calloc((size_t)d + 1, sizeof *j->name);
    for (; !status && j->name && j->names < d; j->names++)
        if (!(j->name[j->names] = strdup(io_column_name(reader, column[j->names]))))
            break;
    if (!status && (!j->x || !j->name || j->names < d))
        status = cli_no_memory(error);
    if (!status)
        status = io_read(reader, MOST_POINTS + 1, j->x, &j->n, error);
    if (!status && (j->n == 0 || j->n > MOST_POINTS))
        status = cli_error(error, SUREKRIG_DATA,
                           j->n ? "%s has more than %d points, the most that can be drawn at; "
                                  "a regular --grid may have millions"
                                : "%s has no rows",
                           io_path(reader), MOST_POINTS);
    j->sample.n = j->n;
    j->sample.x = j->x;
    io_close(reader);
    return status;
}

static double coordinate(const surekrig_sample *s, int64_t a, int64_t i)
{
    return s->size[a] > 1 ? s->lower[a] + (double)i * (s->upper[a] - s->lower[a]) / (double)(s->size[a] - 1)
                          : s->lower[a];
}

static const char *axis_name(const simulate_job *j, int a)
{
    static const char *const GRID_NAMES[] = {"x1", "x2", "x3"};
    return j->name ? j->name[a] : a < j->sample.d ? GRID_NAMES[a] : "t";
}

static char *column_name(const void *of, int i)
{
    const simulate_job *j = of;
    bool taken = false;
    if (i < j->sample.d + (j->clock.times > 0))
        return strdup(axis_name(j, i));
    for (int a = 0; a < j->sample.d; a++)
        taken |= !strcmp(axis_name(j, a), "y");
    return strdup(taken ? "y_drawn" : "y");
}

/* Rows first, first + step, ... of the sample: coordinates, then y. */
static surekrig_status write_rows(const simulate_job *j, io_writer *writer, int64_t first, int64_t step,
                                  surekrig_error *error)
{
    double row[MOST_AXES + 2];
    int64_t d = j->sample.d, times = j->clock.times, each = times ? j->n / times : j->n;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t i = first; i < j->n && !status && !cli_interrupted(); i += step) {
        int64_t at = i % each; /* of the grid, whose last axis is the fastest */
        for (int64_t a = d - 1; a >= 0; a--) {
            row[a] = j->x ? j->x[i * d + a] : coordinate(&j->sample, a, at % j->sample.size[a]);
            at /= j->x ? 1 : j->sample.size[a];
        }
        row[d] = (double)(i / each);
        row[d + (times > 0)] = j->y[i];
        status = io_write(writer, 1, row, error);
    }
    return status;
}

/* Both files or none: they are made first, and kept when the command ends. */
static surekrig_status write_files(const simulate_job *j, const char *output, const char *holdout,
                                   surekrig_error *error)
{
    io_writer *main_part = NULL, *other = NULL;
    int columns = (int)j->sample.d + (j->clock.times > 0) + 1;
    surekrig_status status = cli_create(output, columns, column_name, j, &main_part, error);
    if (!status && holdout)
        status = cli_create(holdout, columns, column_name, j, &other, error);
    if (!status && j->dates)
        status = io_write_as_dates(main_part, j->time, j->dates, error);
    if (!status && j->dates && holdout)
        status = io_write_as_dates(other, j->time, j->dates, error);
    if (!status)
        status = write_rows(j, main_part, 0, holdout ? 2 : 1, error);
    if (!status && holdout)
        status = write_rows(j, other, 1, 2, error);
    return status;
}

/* Length scales of each coordinate in space and in time, of which the other has infinite ones. */
static void lay_rho(const simulate_job *j, const surekrig_sample *sample, int time, double *rho, double *time_rho)
{
    for (int64_t a = 0, space = 0; a < sample->d; a++) {
        rho[a] = a == time ? INFINITY : j->rho[space < SIMULATE_AXES ? space : 0];
        time_rho[a] = a == time ? j->clock.rho : INFINITY;
        space += a != time;
    }
}

/* The grid with time as its first axis. */
static surekrig_sample with_time(const surekrig_sample *space, int64_t times)
{
    surekrig_sample s = *space;
    s.d = space->d + 1;
    for (int64_t a = 0; a < s.d; a++) {
        s.size[a] = a ? space->size[a - 1] : times;
        s.lower[a] = a ? space->lower[a - 1] : 0;
        s.upper[a] = a ? space->upper[a - 1] : (double)(times - 1);
    }
    return s;
}

static surekrig_status draw(const cli_call *call, simulate_job *j, surekrig_error *error)
{
    double rho[MOST_AXES + 1], time_rho[MOST_AXES + 1];
    surekrig_status status = call->arguments ? read_points(call, j, error) : SUREKRIG_OK;
    if (status)
        return status;
    int64_t axes = j->sample.d - (j->time >= 0);
    if (j->rhos > 1 && axes != j->rhos)
        return cli_error(error, SUREKRIG_INVALID, "--rho has %d lengths, the points %lld coordinates", j->rhos,
                         (long long)axes);
    bool steps = j->clock.times > 0 && j->clock.forgets, whole = j->clock.times > 0 && !j->clock.forgets;
    surekrig_sample sample = whole ? with_time(&j->sample, j->clock.times) : j->sample;
    lay_rho(j, &sample, whole ? 0 : j->time, rho, time_rho);
    surekrig_term term[] = {{1, j->nu, rho}, {1, j->time_nu, time_rho}};
    bool product = whole || j->time >= 0;
    surekrig_theta theta = {
        .terms = 1 + product, .term = term, .tau2 = j->tau2, .gamma2 = j->gamma2, .product = product, .mix = j->mix};
    j->y = malloc(((size_t)j->n + 1) * sizeof *j->y);
    if (!j->y)
        return cli_no_memory(error);
    return steps ? simulate_times(&sample, &theta, j->clock, j->y, error)
                 : surekrig_simulate(&sample, &theta, j->y, error);
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    simulate_job j = {.n = 0};
    const char *output = cli_value(call, "output"), *holdout = cli_value(call, "holdout");
    if (cli_value(call, "given"))
        return simulate_given(call, error);
    if (cli_value(call, "draws") || cli_value(call, "latent"))
        return cli_usage(error, "--draws and --latent go with --given");
    surekrig_status status = cli_check_output(output, error);
    if (!status)
        status = cli_check_output(holdout, error);
    if (!status)
        status = simulate_read_places(call, &j, error);
    if (!status)
        status = simulate_read_theta(call, &j, error);
    if (!status)
        status = simulate_read_time(call, &j, error);
    if (!status)
        status = draw(call, &j, error);
    if (!status)
        status = write_files(&j, output, holdout, error);
    free_job(&j);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT", "Where the points and their values go; default: standard output.", .writes = "the draws"},
    {"grid", 0, "SIZE", "Points of a regular grid: 10000, 500x300, or 60x40x30."},
    {"features", 'x', "NAMES", "Columns of POINTS that are coordinates; default: every numeric one but y."},
    {"lower", 0, "CORNER", "Its first coordinates; default 0, 0,0 or 0,0,0."},
    {"upper", 0, "CORNER", "Its last coordinates; default 1, 1,1 or 1,1,1."},
    {"holdout", 0, "FILE", "Every other point goes to this file instead.", .writes = "the other points"},
    {"nu", 0, "NU", "Smoothness, 0.01 to 50 or inf; default 0.5."},
    {"rho", 0, "RHO", "Length scale, or one for each of two or three axes; default 0.1."},
    {"tau2", 0, "TAU2", "Nugget as a share of gamma2; default 0."},
    {"gamma2", 0, "GAMMA2", "Variance of the field; default 1."},
    {"times", 0, "N", "The grid's field at N times: the covariance is one in space times one in time."},
    {"time", 0, "COLUMN",
     "Column of POINTS that is time, numbers or dates: the covariance is one in space times one in time."},
    {"time-rho", 0, "RHO", "Length scale in time, in steps or days; default 10."},
    {"time-nu", 0, "NU", "Smoothness in time; default 0.5, an autoregression of order one."},
    {"time-mix", 0, "MIX", "How much space and time meet, 0 to 1 (Gneiting); default 0."},
    {"given", 0, "MODEL", "Joint draws at POINTS, given the model and its data.", .reads = true},
    {"draws", 0, "M", "With --given: how many; default 1."},
    {"latent", 0, NULL, "With --given: of the field, without the nugget, instead of new observations."},
    {"seed", 0, "SEED", "Default 1."},
    {"threads", 0, "N", "Threads; default: all. The result does not depend on them."},
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No progress bar, and no words about points."},
    {0},
};

const cli_command cli_simulate = {
    "simulate",
    "Draw samples of a Gaussian process, or of a model's at new points.",
    "[POINTS]",
    0,
    1,
    false,
    "surekrig simulate --grid 10000 --nu 0.135 --rho 0.95 --tau2 1e-10 -o train.csv --holdout test.csv",
    "On a grid in one to three dimensions by circulant embedding (millions of points), or at the POINTS of a file, whose\n"
    "numeric columns but y are their coordinates in any number of dimensions, by a dense factorisation (at most 8192).\n\n"
    "surekrig simulate --grid 100x100 --times 50 --time-rho 9.5 -o cube.csv\n\n"
    "draws a field in space and time: exp(-1/9.5) = 0.9 is what it keeps from one time to the next. With --time-nu or --time-mix\n"
    "all times are one embedding (about ten million values), else one follows the other.\n\n"
    "surekrig simulate --given temp.model grid.csv --draws 100 -o draws.csv\n\n"
    "draws what could be at new points, all of them together, given a model and its data: OUT has the features, then draw_1 to\n"
    "draw_M (with the response's name behind where there are several), empty where a feature is missing. Their mean and sd\n"
    "are those of 'surekrig predict', and neighbouring points go together as the field does.",
    OPTIONS,
    run,
};
