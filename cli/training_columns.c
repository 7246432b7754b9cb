/* Which columns of the training table are responses, noise and features. */
#include "cli.h"
#include "raster.h"

#include <stdlib.h>
#include <string.h>

static bool taken(const int *column, int count, int which)
{
    for (int i = 0; i < count; i++)
        if (column[i] == which)
            return true;
    return false;
}

/* Appends the columns of these names to those chosen; *count: how many. */
static surekrig_status append(cli_training *t, const cli_names *names, int *chosen, int *count, surekrig_error *error)
{
    int all = io_columns(t->reader);
    surekrig_status status = SUREKRIG_OK;
    *count = 0;
    for (int i = 0; i < names->count && !status; i++) {
        cli_names one = {1, &names->name[i]};
        int column = -1;
        status = cli_find_columns(t->reader, &one, &column, error);
        if (!status && (*chosen == all || taken(t->column, *chosen, column)))
            status = cli_error(error, SUREKRIG_INVALID, "column %s is named twice", names->name[i]);
        if (!status) {
            t->column[(*chosen)++] = column;
            ++*count;
        }
    }
    return status;
}

static surekrig_status append_list(cli_training *t, const char *list, int *chosen, int *count, surekrig_error *error)
{
    cli_names names;
    if (!cli_split_names(list, &names))
        return cli_no_memory(error);
    surekrig_status status = append(t, &names, chosen, count, error);
    cli_free_names(&names);
    return status;
}

/* The column that is time, or -1: of numbers or dates. */
static surekrig_status find_time(const cli_call *call, const cli_training *t, int *column, surekrig_error *error)
{
    const char *time = surekrig_settings_get(call->settings, "time");
    *column = -1;
    if (t->from || !strcmp(time, "none"))
        return SUREKRIG_OK;
    surekrig_status status = cli_find_columns(t->reader, &(cli_names){1, (char **)&time}, column, error);
    bool known = !status && (io_column_numeric(t->reader, *column) || io_column_dates(t->reader, *column));
    if (!status && !known && !io_column_open(t->reader, *column))
        status = cli_error(error, SUREKRIG_DATA,
                           "%s: column %s, which is to be time, begins with neither a number nor a date as 2024-03-01, "
                           "2024/03/01, 01.03.2024 or 2024-03-01T12:00:00Z",
                           io_path(t->reader), time);
    const char *plain = status ? NULL : io_table_plain_times(t->reader);
    if (plain && !cli_value(call, "quiet"))
        cli_say(stderr, "surekrig %s: the times of %s are taken as numbers, not as dates: %s", call->command->name,
                io_path(t->reader), plain);
    return status;
}

/* The columns of --by; one that stands alone, and is not time, is no feature by itself. */
static surekrig_status find_by(const cli_call *call, cli_training *t, surekrig_error *error)
{
    const char *by = surekrig_settings_get(call->settings, "by");
    cli_names names;
    if (t->from || !strcmp(by, "none"))
        return SUREKRIG_OK;
    if (!cli_split_names(by, &names))
        return cli_no_memory(error);
    surekrig_status status = names.count <= CLI_BY_MAX ? cli_find_columns(t->reader, &names, t->by, error)
                                                       : cli_usage(error, "--by takes at most %d columns", CLI_BY_MAX);
    t->bys = status ? 0 : names.count;
    cli_free_names(&names);
    return status;
}

/* Why a column is no feature. */
static const char *why_left_out(const io_reader *reader, int column)
{
    return cli_is_blank(reader, column)      ? "has neither a name nor values and is"
           : io_column_dates(reader, column) ? "holds dates and is"
                                             : "is text and";
}

static void say_left_out(const cli_call *call, const cli_training *t, int column, int time)
{
    const char *command = call->command->name, *name = io_column_name(t->reader, column);
    bool dates = io_column_dates(t->reader, column);
    fprintf(stderr, "surekrig %s: column %s %s left out", command, name, why_left_out(t->reader, column));
    if (dates && time < 0 && call->command->settings)
        fprintf(stderr, "; --time %s takes it", name);
    if (io_column_date_like(t->reader, column) && call->command->settings)
        fputs("; it looks like dates, which are to be written as 2024-01-31", stderr);
    fputs("\n", stderr);
}

/* Every column of numbers that is not taken, and time. */
static void append_others(const cli_call *call, cli_training *t, int time, int *chosen)
{
    int fixed = *chosen;
    for (int i = 0; i < io_columns(t->reader); i++) {
        if (taken(t->column, fixed, i) || (t->bys == 1 && t->by[0] == i && i != time))
            continue;
        if ((io_column_numeric(t->reader, i) && !cli_is_blank(t->reader, i)) || i == time) {
            t->column[(*chosen)++] = i;
            t->d++;
        } else if (!taken(t->by, t->bys, i) && cli_tells_left_out(call, t)) {
            say_left_out(call, t, i, time);
        }
    }
    if (io_table_heights(t->reader) && !cli_value(call, "quiet"))
        fprintf(
            stderr,
            "surekrig %s: the heights of the points are left out; 'ogr2ogr -lco GEOMETRY=AS_XYZ points.csv %s' makes a "
            "table with a column of them\n",
            call->command->name, io_path(t->reader));
}

/* -y, those of the model whose hyperparameters are kept, or the last column; then --noise. */
static surekrig_status choose_responses(const cli_call *call, cli_training *t, const surekrig_info *from, int *chosen,
                                        surekrig_error *error)
{
    const char *y = cli_value(call, "response"), *noise = cli_value(call, "noise");
    surekrig_status status = SUREKRIG_OK;
    if (y) {
        status = append_list(t, y, chosen, &t->l, error);
    } else if (from) {
        status = append(t, &(cli_names){(int)from->l, (char **)from->y_names}, chosen, &t->l, error);
    } else {
        t->column[(*chosen)++] = cli_last_column(t->reader);
        t->l = 1;
    }
    if (!status && noise && strchr(noise, ','))
        status = cli_error(error, SUREKRIG_INVALID, "--noise takes one column, not '%s'", noise);
    return status || !noise ? status : append_list(t, noise, chosen, &t->noise, error);
}

/* -x and time, the old model's features, or every other numeric column. */
static surekrig_status choose_features(const cli_call *call, cli_training *t, const surekrig_info *from, int *chosen,
                                       surekrig_error *error)
{
    const char *x = cli_value(call, "features");
    int time, first = *chosen, all = io_columns(t->reader);
    surekrig_status status = find_time(call, t, &time, error);
    if (!status)
        status = find_by(call, t, error);
    if (!status && time >= 0 && taken(t->column, first, time))
        return cli_error(error, SUREKRIG_INVALID, "column %s is to be time and a response",
                         io_column_name(t->reader, time));
    if (!status && x)
        status = append_list(t, x, chosen, &t->d, error);
    else if (!status && from)
        status = append(t, &(cli_names){(int)from->d, (char **)from->x_names}, chosen, &t->d, error);
    else if (!status)
        append_others(call, t, time, chosen);
    if (!status && from && t->d == from->d)
        status = cli_check_time(t->reader, from, t->column + first, error);
    if (!status && time >= 0 && !taken(t->column, *chosen, time) && *chosen < all) {
        t->column[(*chosen)++] = time;
        t->d++;
    }
    t->time = -1;
    for (int i = first; i < *chosen; i++)
        t->time = t->column[i] == time ? i - first : t->time;
    return status;
}

surekrig_status cli_choose_columns(const cli_call *call, cli_training *t, surekrig_error *error)
{
    int all = io_columns(t->reader), chosen = 0;
    const surekrig_info *from = t->from ? surekrig_model_info(t->from) : NULL;
    if (from && !io_named(t->reader) && io_find_column(t->reader, from->y_names[0]) < 0)
        from = NULL; /* names to look for, and none there: by place */
    t->column = malloc((size_t)all * sizeof *t->column);
    if (!t->column)
        return cli_no_memory(error);
    surekrig_status status = choose_responses(call, t, from, &chosen, error);
    if (!status)
        status = choose_features(call, t, from, &chosen, error);
    if (!status && t->d == 0)
        status = cli_error(error, SUREKRIG_DATA,
                           "%s has %d column%s: a response and at least one numeric feature are needed%s",
                           io_path(t->reader), all, all == 1 ? "" : "s", cli_how_to_separate(t->reader));
    if (!status)
        status = io_select(t->reader, chosen, t->column, error);
    bool of_features = true; /* which the library compares itself */
    for (int i = 0; i < t->bys; i++)
        of_features &= taken(t->column + t->l + t->noise, t->d, t->by[i]);
    t->bys = of_features ? 0 : t->bys;
    if (!status && !t->bys)
        cli_ids_choose(call, t);
    return status || !t->bys ? status : io_keep(t->reader, t->bys, t->by, error);
}
