#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AXES = 64, MOST_POINTS = 8192 };

typedef struct job {
    surekrig_sample sample;
    double rho[2], nu, tau2, gamma2;
    int rhos;             /* given: one, or one for each of two axes */
    simulate_clock clock; /* of a grid; times 0: none */
    double time_nu, mix;  /* of points with a time */
    int time;             /* which of their coordinates it is, or -1 */
    io_dates dates;       /* as which it is written */
    int64_t n;            /* points, at all times */
    double *x, *y;        /* [n][d], [n] */
    char **name;          /* [d] of the points' file */
    int names;
} job;

static void free_job(job *j)
{
    free(j->x);
    free(j->y);
    for (int i = 0; i < j->names; i++)
        free(j->name[i]);
    free(j->name);
}

/* "a" or "a,b" into value; how many, or 0. */
static int one_or_two(const char *text, char separator, double value[2])
{
    char *end;
    if (strpbrk(text, separator == 'x' ? "X" : "xX") || !strncmp(text, "0x", 2) ||
        strchr(text, 'x') != strrchr(text, 'x'))
        return 0; /* 0x5 is no hexadecimal number */
    value[0] = strtod(text, &end);
    if (end == text)
        return 0;
    if (!*end)
        return 1;
    const char *second = end + 1;
    if (*end != separator)
        return 0;
    value[1] = strtod(second, &end);
    return end != second && !*end ? 2 : 0;
}

static surekrig_status read_corner(const cli_call *call, const char *option, int64_t d, double *corner,
                                   surekrig_error *error)
{
    const char *text = cli_value(call, option);
    if (text && one_or_two(text, ',', corner) != d)
        return cli_usage(error, "--%s takes %s, not '%s'", option, d == 1 ? "one number" : "two numbers, as 0,0", text);
    return SUREKRIG_OK;
}

/* The grid and its corners, or a file of points. */
static surekrig_status read_places(const cli_call *call, job *j, surekrig_error *error)
{
    const char *grid = cli_value(call, "grid");
    double size[2] = {0, 0};
    if (!grid == !call->arguments)
        return cli_usage(error, "give either --grid SIZE or a file of POINTS");
    if (!grid && (cli_value(call, "lower") || cli_value(call, "upper")))
        return cli_usage(error, "--lower and --upper go with --grid");
    if (!grid)
        return SUREKRIG_OK;
    int d = one_or_two(grid, 'x', size);
    for (int a = 0; a < d; a++)
        if (!(size[a] >= 1 && size[a] <= 1e9) || size[a] != floor(size[a]))
            d = 0;
    if (d == 0 || size[0] * fmax(size[1], 1) > 1e9)
        return cli_usage(error, "--grid takes a number of points, as 10000 or 500x300, not '%s'", grid);
    j->sample.d = d;
    for (int a = 0; a < d; a++) {
        j->sample.size[a] = (int64_t)size[a];
        j->sample.upper[a] = 1;
    }
    j->n = j->sample.size[0] * (d == 2 ? j->sample.size[1] : 1);
    if (read_corner(call, "lower", d, j->sample.lower, error) || read_corner(call, "upper", d, j->sample.upper, error))
        return error->status;
    for (int a = 0; a < d; a++)
        if (!(j->sample.lower[a] < j->sample.upper[a]))
            return cli_usage(error, "--upper must be above --lower: %g to %g given", j->sample.lower[a],
                             j->sample.upper[a]);
    return SUREKRIG_OK;
}

static surekrig_status read_theta(const cli_call *call, job *j, surekrig_error *error)
{
    const char *rho = cli_value(call, "rho"), *nu = cli_value(call, "nu");
    j->nu = 0.5;
    j->rho[0] = 0.1;
    j->gamma2 = 1;
    if (cli_seed(call, &j->sample.seed, error))
        return error->status;
    j->rhos = rho ? one_or_two(rho, ',', j->rho) : 1;
    if (!j->rhos || (j->rhos == 2 && j->sample.size[0] && j->sample.d == 1))
        return cli_usage(error, "--rho takes a length, or one for each of two axes as 0.1,0.3, not '%s'", rho);
    if (j->rhos == 1)
        j->rho[1] = j->rho[0];
    if (nu && !strcmp(nu, "inf"))
        j->nu = INFINITY;
    else if (cli_number(call, "nu", 0.01, 50, &j->nu, error))
        return error->status;
    if (cli_number(call, "tau2", 0, 1e12, &j->tau2, error) ||
        cli_number(call, "gamma2", 1e-300, 1e300, &j->gamma2, error))
        return error->status;
    return cli_count(call, "threads", 4096, &j->sample.threads, error);
}

/* What --time, of POINTS, and --times, of a grid, go with. */
static surekrig_status read_time(const cli_call *call, job *j, surekrig_error *error)
{
    static const char *const OF_POINTS[] = {"time", "time-nu", "time-mix"};
    int times = 0;
    bool grid = cli_value(call, "grid");
    j->time_nu = 0.5;
    j->clock.rho = 10;
    j->time = -1;
    if (cli_count(call, "times", 1000000000, &times, error) ||
        cli_number(call, "time-rho", 1e-6, 1e12, &j->clock.rho, error) ||
        cli_number(call, "time-nu", 0.01, 50, &j->time_nu, error) || cli_number(call, "time-mix", 0, 1, &j->mix, error))
        return error->status;
    for (size_t i = 0; i < sizeof OF_POINTS / sizeof *OF_POINTS && grid; i++)
        if (cli_value(call, OF_POINTS[i]))
            return cli_usage(error, "--%s goes with a file of POINTS; a grid has --times and --time-rho", OF_POINTS[i]);
    if (times && !grid)
        return cli_usage(error, "--times goes with --grid; points have their own, in the column of --time");
    for (size_t i = 1; i < sizeof OF_POINTS / sizeof *OF_POINTS; i++)
        if (cli_value(call, OF_POINTS[i]) && !cli_value(call, "time"))
            return cli_usage(error, "--%s goes with --time COLUMN", OF_POINTS[i]);
    if (cli_value(call, "time-rho") && !times && !cli_value(call, "time"))
        return cli_usage(error, "--time-rho goes with --times N or --time COLUMN");
    j->clock.times = times;
    if (times && (double)j->n * times > 1e9)
        return cli_usage(error, "%lld points at %d times are more than 1e9", (long long)j->n, times);
    j->n *= times ? times : 1;
    return SUREKRIG_OK;
}

/* The columns of -x, or every numeric one but y; and time. */
static surekrig_status choose_columns(const cli_call *call, const io_reader *reader, int *column, int *d,
                                      surekrig_error *error)
{
    cli_names names = {0};
    if (!cli_value(call, "features")) {
        for (int i = 0; i < io_columns(reader) && *d < MOST_AXES; i++)
            if ((io_column_numeric(reader, i) && strcmp(io_column_name(reader, i), "y")) ||
                io_find_column(reader, cli_value(call, "time") ? cli_value(call, "time") : "") == i)
                column[(*d)++] = i;
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
    return status;
}

static surekrig_status read_points(const cli_call *call, job *j, surekrig_error *error)
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

static const char *axis_name(const job *j, int a)
{
    static const char *const GRID_NAMES[] = {"x1", "x2"};
    return j->name ? j->name[a] : a < j->sample.d ? GRID_NAMES[a] : "t";
}

static char *column_name(const void *of, int i)
{
    const job *j = of;
    bool taken = false;
    if (i < j->sample.d + (j->clock.times > 0))
        return strdup(axis_name(j, i));
    for (int a = 0; a < j->sample.d; a++)
        taken |= !strcmp(axis_name(j, a), "y");
    return strdup(taken ? "y_drawn" : "y");
}

/* Rows first, first + step, ... of the sample: coordinates, then y. */
static surekrig_status write_rows(const job *j, io_writer *writer, int64_t first, int64_t step, surekrig_error *error)
{
    double row[MOST_AXES + 2];
    int64_t d = j->sample.d, minor = j->sample.size[1], times = j->clock.times, each = times ? j->n / times : j->n;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t i = first; i < j->n && !status && !cli_interrupted(); i += step) {
        int64_t at = i % each; /* of the grid */
        for (int64_t a = 0; a < d; a++)
            row[a] = j->x ? j->x[i * d + a] : coordinate(&j->sample, a, d == 1 ? at : a == 0 ? at / minor : at % minor);
        row[d] = (double)(i / each);
        row[d + (times > 0)] = j->y[i];
        status = io_write(writer, 1, row, error);
    }
    return status;
}

/* Both files or none: they are made first, and kept when the command ends. */
static surekrig_status write_files(const job *j, const char *output, const char *holdout, surekrig_error *error)
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

static surekrig_status draw(const cli_call *call, job *j, surekrig_error *error)
{
    double rho[MOST_AXES], time_rho[MOST_AXES];
    surekrig_status status = call->arguments ? read_points(call, j, error) : SUREKRIG_OK;
    if (status)
        return status;
    int64_t axes = j->sample.d - (j->time >= 0);
    if (j->rhos == 2 && axes != 2)
        return cli_error(error, SUREKRIG_INVALID, "--rho has 2 lengths, the points %lld coordinates", (long long)axes);
    for (int64_t a = 0, space = 0; a < j->sample.d; a++) {
        rho[a] = a == j->time ? INFINITY : j->rho[space < 2 ? space : 0];
        time_rho[a] = a == j->time ? j->clock.rho : INFINITY;
        space += a != j->time;
    }
    surekrig_term term[] = {{1, j->nu, rho}, {1, j->time_nu, time_rho}};
    surekrig_theta theta = {.terms = j->time < 0 ? 1 : 2,
                            .term = term,
                            .tau2 = j->tau2,
                            .gamma2 = j->gamma2,
                            .product = j->time >= 0,
                            .mix = j->mix};
    j->y = malloc(((size_t)j->n + 1) * sizeof *j->y);
    if (!j->y)
        return cli_no_memory(error);
    return j->clock.times ? simulate_times(&j->sample, &theta, j->clock, j->y, error)
                          : surekrig_simulate(&j->sample, &theta, j->y, error);
}

static surekrig_status run(cli_call *call, surekrig_error *error)
{
    job j = {.n = 0};
    const char *output = cli_value(call, "output"), *holdout = cli_value(call, "holdout");
    if (cli_value(call, "given"))
        return simulate_given(call, error);
    if (cli_value(call, "draws") || cli_value(call, "latent"))
        return cli_usage(error, "--draws and --latent go with --given");
    surekrig_status status = read_places(call, &j, error);
    if (!status)
        status = read_theta(call, &j, error);
    if (!status)
        status = read_time(call, &j, error);
    if (!status && output && holdout && (!strcmp(output, holdout) || cli_same_file(output, holdout)))
        status = cli_usage(error, "-o and --holdout are one file, %s", output);
    if (!status)
        status = draw(call, &j, error);
    if (!status)
        status = write_files(&j, output, holdout, error);
    free_job(&j);
    return status;
}

static const cli_option OPTIONS[] = {
    {"output", 'o', "OUT", "Where the points and their values go; default: standard output."},
    {"grid", 0, "SIZE", "Points of a regular grid: 10000, or 500x300."},
    {"features", 'x', "NAMES", "Columns of POINTS that are coordinates; default: every numeric one but y."},
    {"lower", 0, "CORNER", "Its first coordinates; default 0 or 0,0."},
    {"upper", 0, "CORNER", "Its last coordinates; default 1 or 1,1."},
    {"holdout", 0, "FILE", "Every other point goes to this file instead."},
    {"nu", 0, "NU", "Smoothness, 0.01 to 50 or inf; default 0.5."},
    {"rho", 0, "RHO", "Length scale, or one for each of two axes; default 0.1."},
    {"tau2", 0, "TAU2", "Nugget as a share of gamma2; default 0."},
    {"gamma2", 0, "GAMMA2", "Variance of the field; default 1."},
    {"times", 0, "N", "The grid's field at N times, which remembers as an autoregression of order one."},
    {"time", 0, "COLUMN",
     "Column of POINTS that is time, numbers or dates: the covariance is one in space times one in time."},
    {"time-rho", 0, "RHO", "Length scale in time, in steps or days; default 10."},
    {"time-nu", 0, "NU", "Smoothness in time, of POINTS; default 0.5."},
    {"time-mix", 0, "MIX", "How much space and time meet, 0 to 1 (Gneiting), of POINTS; default 0."},
    {"given", 0, "MODEL", "Joint draws at POINTS, given the model and its data."},
    {"draws", 0, "M", "With --given: how many; default 1."},
    {"latent", 0, NULL, "With --given: of the field, without the nugget, instead of new observations."},
    {"seed", 0, "SEED", "Default 1."},
    {"threads", 0, "N", "Threads; default: all. The result does not depend on them."},
    CLI_TABLE_OPTIONS,
    {"quiet", 'q', NULL, "No progress bar."},
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
    "On a grid in one or two dimensions by circulant embedding (millions of points), or at the POINTS of a file, whose\n"
    "numeric columns but y are their coordinates in any number of dimensions, by a dense factorisation (at most 8192).\n\n"
    "surekrig simulate --grid 100x100 --times 50 --time-rho 9.5 -o cube.csv\n\n"
    "draws a field in space and time: exp(-1/9.5) = 0.9 is what it keeps from one time to the next.\n\n"
    "surekrig simulate --given temp.model grid.csv --draws 100 -o draws.csv\n\n"
    "draws what could be at new points, all of them together, given a model and its data: OUT has the features, then draw_1 to\n"
    "draw_M (with the response's name behind where there are several), empty where a feature is missing. Their mean and sd\n"
    "are those of 'surekrig predict', and neighbouring points go together as the field does.",
    OPTIONS,
    run,
};
