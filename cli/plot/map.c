/* surekrig plot map: the columns of a table, thinned as they are read. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ROWS_AT_ONCE = 16384 };
static const double LARGEST = 1e100; /* beyond, sums of a few coordinates are no numbers */

/* ---- which columns */

/* The first column that is so and not yet chosen; -1: none. */
static int first_column(const io_reader *reader, bool (*is)(const char *name), const int *but, int count)
{
    for (int i = 0; i < io_columns(reader); i++) {
        bool taken = false;
        for (int j = 0; j < count; j++)
            taken |= but[j] == i;
        if (!taken && io_column_numeric(reader, i) && is(io_column_name(reader, i)))
            return i;
    }
    return -1;
}

static bool is_any(const char *name)
{
    (void)name;
    return true;
}

/* What a map shows unless told: not when it was. */
static bool is_value(const char *name)
{
    return strcmp(name, "time") != 0;
}

/* Of several responses the first one's. */
static bool is_mean(const char *name)
{
    return !strncmp(name, "mean_", 5);
}

/* A column that numbers the rows before two coordinates and a value; -1: none. A row may be one of a grid. */
static int numbers_rows(const io_reader *reader)
{
    int first = first_column(reader, is_any, NULL, 0), numbers = 0;
    for (int i = 0; i < io_columns(reader); i++)
        numbers += io_column_numeric(reader, i);
    bool is = numbers > 3 && cli_is_identifier(reader, first) && strcasecmp(io_column_name(reader, first), "row") != 0;
    return is ? first : -1;
}

static surekrig_status find_places(const cli_call *call, const io_reader *reader, int column[2], surekrig_error *error)
{
    cli_names names = {0};
    surekrig_status status = SUREKRIG_OK;
    if (cli_value(call, "features")) {
        if (!cli_split_names(cli_value(call, "features"), &names))
            return cli_no_memory(error);
        status = names.count == 2 ? cli_find_columns(reader, &names, column, error)
                                  : cli_error(error, SUREKRIG_INVALID,
                                              "-x takes the names of two columns, as lon,lat; %d given", names.count);
        cli_free_names(&names);
        return status;
    }
    column[0] = first_column(reader, cli_is_longitude, NULL, 0);
    column[1] = first_column(reader, cli_is_latitude, NULL, 0);
    if (column[0] >= 0 && column[1] >= 0)
        return SUREKRIG_OK;
    int number = numbers_rows(reader);
    column[0] = first_column(reader, is_any, &number, 1);
    column[1] = first_column(reader, is_any, (int[]){number, column[0]}, 2);
    if (column[0] < 0 || column[1] < 0)
        return cli_error(error, SUREKRIG_DATA,
                         "%s has fewer than two columns of numbers: a map needs two coordinates and a value",
                         io_path(reader));
    return SUREKRIG_OK;
}

/* Longitudes go across, whatever their order. */
static surekrig_status find_columns(const cli_call *call, const io_reader *reader, int column[3], surekrig_error *error)
{
    const char *value = cli_value(call, "column");
    surekrig_status status = find_places(call, reader, column, error);
    if (status)
        return status;
    if (cli_is_latitude(io_column_name(reader, column[0])) && cli_is_longitude(io_column_name(reader, column[1]))) {
        int latitude = column[0];
        column[0] = column[1];
        column[1] = latitude;
    }
    if (value)
        return cli_find_columns(reader, &(cli_names){1, (char **)&value}, column + 2, error);
    column[2] = io_find_column(reader, "mean");
    if (column[2] < 0)
        column[2] = first_column(reader, is_mean, column, 2);
    if (column[2] < 0)
        column[2] = first_column(reader, is_value, column, 2);
    if (column[2] < 0)
        column[2] = first_column(reader, is_any, column, 2);
    if (column[2] < 0 || column[2] == column[0] || column[2] == column[1])
        return cli_error(error, SUREKRIG_DATA,
                         "%s has no value beside the coordinates %s and %s; -x and -z name others", io_path(reader),
                         io_column_name(reader, column[0]), io_column_name(reader, column[1]));
    return SUREKRIG_OK;
}

/* ---- reading */

static surekrig_status check_rows(const io_reader *reader, int64_t rows, const double *value, int64_t before,
                                  surekrig_error *error)
{
    surekrig_status status = cli_check_finite(reader, rows, value, before, error);
    for (int64_t i = 0; i < 3 * rows && !status; i++)
        if (fabs(value[i]) > LARGEST)
            status = cli_error(error, SUREKRIG_DATA, "%s, row %lld, column %s: %g is too large to be drawn",
                               io_path(reader), (long long)(before + i / 3 + 1), io_selected_name(reader, (int)(i % 3)),
                               value[i]);
    return status;
}

static surekrig_status read_points(const cli_call *call, io_reader *reader, report_thin *thin, surekrig_error *error)
{
    surekrig_progress progress = cli_progress(call);
    double *value = malloc((size_t)ROWS_AT_ONCE * 3 * sizeof *value);
    surekrig_status status = value ? SUREKRIG_OK : cli_no_memory(error);
    for (int64_t rows = 1, done = 0; rows > 0 && !status; done += rows) {
        status = io_read(reader, ROWS_AT_ONCE, value, &rows, error);
        if (!status)
            status = check_rows(reader, rows, value, done, error);
        if (!status)
            status = report_thin_add(thin, rows, value, error);
        double left = (double)io_rows_left(reader), share = left > 0 ? (double)done / ((double)done + left) : 0;
        progress.report(progress.user, &(surekrig_progress_report){"reading", share, 0, NAN, NAN});
    }
    cli_progress_end();
    free(value);
    return status;
}

/* ---- what cannot be drawn */

/* Beyond round-off, so that an axis can be numbered. */
static bool apart(double low, double high)
{
    return isnormal(high - low) && high - low > 1e-9 * fmax(fabs(low), fabs(high));
}

static surekrig_status check_map(const io_reader *reader, const report_thinned *t, bool ranged, surekrig_error *error)
{
    const char *path = io_path(reader), *value = io_selected_name(reader, 2);
    if (t->points + t->missing == 0)
        return cli_error(error, SUREKRIG_DATA, "%s has no row with both %s and %s", path, io_selected_name(reader, 0),
                         io_selected_name(reader, 1));
    if (t->points == 0)
        return cli_error(error, SUREKRIG_DATA, "column %s of %s is missing in all %lld rows", value, path,
                         (long long)t->missing);
    if (t->points + t->missing == 1)
        return cli_error(error, SUREKRIG_DATA, "%s has one point; a map needs two at least", path);
    for (int a = 0; a < 2; a++)
        if (!apart(t->box[a][0], t->box[a][1]))
            return cli_error(error, SUREKRIG_DATA, "column %s of %s is %g in all %lld rows: a map needs two directions",
                             io_selected_name(reader, a), path, t->box[a][0], (long long)(t->points + t->missing));
    if (!apart(t->range[0], t->range[1]) && !ranged)
        return cli_error(error, SUREKRIG_DATA,
                         "column %s of %s is %g wherever it has a value: no colours to tell apart", value, path,
                         t->range[0]);
    return SUREKRIG_OK;
}

/* How long a unit of y is beside one of x: a degree of longitude shrinks with the latitude; other units are alike. 0
 * where the map would be a sliver, as where the units have nothing to do with each other. */
static double unit_of(const io_reader *reader, const report_thinned *t)
{
    double middle = (t->box[1][0] + t->box[1][1]) / 2;
    double unit = 1, shape = (t->box[1][1] - t->box[1][0]) / (t->box[0][1] - t->box[0][0]);
    if (cli_is_longitude(io_selected_name(reader, 0)) && cli_is_latitude(io_selected_name(reader, 1)) &&
        fabs(middle) <= 85)
        unit = 1 / cos(middle * 3.14159265358979324 / 180);
    return unit * shape >= 0.05 && unit * shape <= 20 ? unit : 0;
}

/* "0,5" into range, or as it was; false: no such thing. */
static bool read_range(const char *text, double range[2])
{
    char *end;
    if (!text)
        return true;
    range[0] = strtod(text, &end);
    if (end == text || *end != ',')
        return false;
    const char *second = end + 1;
    range[1] = strtod(second, &end);
    return end != second && !*end && apart(range[0], range[1]) && fabs(range[0]) <= LARGEST &&
           fabs(range[1]) <= LARGEST;
}

static surekrig_status draw(const cli_call *call, const io_reader *reader, const report_thinned *t,
                            surekrig_error *error)
{
    report_picture *picture;
    const char *range = cli_value(call, "range");
    report_map map = {.title = cli_value(call, "title"), .unit = unit_of(reader, t)};
    surekrig_status status = check_map(reader, t, range != NULL, error);
    memcpy(map.range, t->range, sizeof map.range);
    if (!status && !read_range(range, map.range))
        status = cli_error(error, SUREKRIG_INVALID,
                           "--range takes the ends of the colours, as 0,5, the lower first; not '%s'", range);
    if (status)
        return status;
    for (int i = 0; i < 3; i++)
        map.name[i] = io_selected_name(reader, i);
    if (t->points > t->filled && !cli_value(call, "quiet"))
        fprintf(stderr, "surekrig plot: %lld values drawn as the means of %lld cells\n", (long long)t->points,
                (long long)t->filled);
    status = plot_open(call, &picture, error);
    if (!status)
        report_map_draw(&map, t, picture);
    return status;
}

surekrig_status plot_map(const cli_call *call, surekrig_error *error)
{
    io_reader *reader = NULL;
    report_thin *thin = NULL;
    int column[3];
    report_thinned thinned;
    surekrig_status status = report_thin_new(&thin, error);
    if (!status)
        status = cli_open_table(call, call->argument[0], &reader, error);
    if (!status)
        status = find_columns(call, reader, column, error);
    if (!status)
        status = io_select(reader, 3, column, error);
    if (!status)
        status = read_points(call, reader, thin, error);
    if (!status)
        status = report_thin_end(thin, &thinned, error);
    if (!status)
        status = draw(call, reader, &thinned, error);
    io_close(reader);
    report_thin_free(thin);
    return status;
}
