#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool cli_split_names(const char *list, cli_names *names)
{
    size_t most = 1;
    for (const char *at = list; *at; at++)
        most += *at == ',';
    *names = (cli_names){0, calloc(most, sizeof *names->name)};
    for (const char *at = list; names->name; at++) {
        size_t length = strcspn(at, ",");
        char *name = malloc(length + 1);
        if (!name)
            break;
        memcpy(name, at, length);
        name[length] = 0;
        names->name[names->count++] = name;
        at += length;
        if (!*at)
            return true;
    }
    cli_free_names(names);
    return false;
}

void cli_free_names(cli_names *names)
{
    for (int i = 0; names->name && i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (cli_names){0};
}

const char *cli_how_to_separate(const io_reader *reader)
{
    const char *name = io_columns(reader) == 1 ? io_column_name(reader, 0) : "";
    return strchr(name, '|')   ? "; a line 'sep=|' at its beginning says that cells are separated so"
           : strchr(name, ' ') ? "; cells are separated by commas, semicolons or tabs, not by spaces"
                               : "";
}

static surekrig_status no_column(const io_reader *reader, const char *name, surekrig_error *error)
{
    cli_guess guess = {.word = name};
    for (int i = 0; i < io_columns(reader); i++)
        cli_guess_among(&guess, io_column_name(reader, i), strlen(io_column_name(reader, i)));
    int at = snprintf(error->sentence, sizeof error->sentence, "%s has no column '%s'%s%s", io_path(reader), name,
                      cli_guessed(&guess, ""), *guess.best ? " It has" : "; it has");
    for (int i = 0; i < io_columns(reader) && at > 0 && at < (int)sizeof error->sentence; i++)
        at += snprintf(error->sentence + at, sizeof error->sentence - (size_t)at, "%s %s", i ? "," : "",
                       io_column_name(reader, i));
    if (at > 0 && at < (int)sizeof error->sentence)
        snprintf(error->sentence + at, sizeof error->sentence - (size_t)at, "%s", cli_how_to_separate(reader));
    return error->status = SUREKRIG_DATA;
}

surekrig_status cli_find_columns(const io_reader *reader, const cli_names *names, int *column, surekrig_error *error)
{
    for (int i = 0; i < names->count; i++) {
        column[i] = io_find_column(reader, names->name[i]);
        if (column[i] < 0)
            return no_column(reader, names->name[i], error);
    }
    return SUREKRIG_OK;
}

surekrig_status cli_check_time(const io_reader *reader, const surekrig_info *info, const int *column,
                               surekrig_error *error)
{
    const char *time = info->settings ? surekrig_settings_get(info->settings, "time") : "none";
    bool dates = info->settings && !strcmp(surekrig_settings_get(info->settings, "time_unit"), "date");
    for (int64_t a = 0; a < info->d; a++) {
        bool here = io_column_dates(reader, column[a]);
        if (strcmp(info->x_names[a], time) == 0 && dates && io_column_open(reader, column[a]))
            return cli_error(
                error, SUREKRIG_DATA,
                "%s: column %s is empty in the first row, so that its dates are not known as such: put a row "
                "with a date first",
                io_path(reader), time);
        if (strcmp(info->x_names[a], time) == 0 && here != dates)
            return cli_error(error, SUREKRIG_DATA, "%s: column %s holds %s, and the training table has %s there",
                             io_path(reader), time, here ? "dates" : "numbers", dates ? "dates" : "numbers");
    }
    return SUREKRIG_OK;
}

surekrig_status cli_model_columns(const io_reader *reader, const surekrig_info *info, int *column,
                                  surekrig_error *error)
{
    int64_t found = 0;
    while (found < info->d && (column[found] = io_find_column(reader, info->x_names[found])) >= 0)
        found++;
    if (found < info->d && (io_named(reader) || io_columns(reader) < info->d))
        return no_column(reader, info->x_names[found], error);
    for (int64_t a = 0; a < info->d && found < info->d; a++)
        column[a] = (int)a;
    return cli_check_time(reader, info, column, error);
}

surekrig_status cli_check_noise(const cli_call *call, const surekrig_info *info, surekrig_error *error)
{
    const char *noise = cli_value(call, "noise");
    if (!noise || info->noise)
        return SUREKRIG_OK;
    return cli_error(error, SUREKRIG_DATA,
                     "--noise %s: %s was fitted without noise variances, so its nugget holds all noise, and that of "
                     "column %s would count twice; fit with --noise, or leave it out here",
                     noise, call->argument[0], noise);
}

surekrig_status cli_check_finite(const io_reader *reader, int64_t rows, const double *value, int64_t before,
                                 surekrig_error *error)
{
    int width = io_selected(reader);
    for (int64_t i = 0; i < rows * width; i++)
        if (isinf(value[i]))
            return cli_error(error, SUREKRIG_DATA, "%s, row %lld, column %s: %g is not a finite number",
                             io_path(reader), (long long)(before + i / width + 1),
                             io_selected_name(reader, (int)(i % width)), value[i]);
    return SUREKRIG_OK;
}

bool cli_name_taken(const surekrig_info *info, const char *const *word)
{
    for (; *word; word++)
        for (int64_t a = 0; a < info->d; a++)
            if (!strcmp(info->x_names[a], *word))
                return true;
    return false;
}

char *cli_output_name(const surekrig_info *info, const char *const *word, int which, int64_t q)
{
    size_t room = strlen(word[which]) + strlen(info->y_names[q]) + 2;
    char *name = malloc(room);
    if (name)
        snprintf(name, room, info->l > 1 || cli_name_taken(info, word) ? "%s_%s" : "%s", word[which], info->y_names[q]);
    return name;
}

bool cli_in_list(const char *list, const char *name)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == strlen(name) && !strncmp(at, name, strlen(name)))
            return true;
    return false;
}

bool cli_is_blank(const io_reader *reader, int column)
{
    return io_column_empty(reader, column) && (io_column_nameless(reader, column) || !io_named(reader));
}

int cli_last_column(const io_reader *reader)
{
    int last = io_columns(reader) - 1;
    while (last > 0 && cli_is_blank(reader, last))
        last--;
    return last;
}

surekrig_status cli_of_last_column(const io_reader *reader, surekrig_status status, surekrig_error *error)
{
    int last = cli_last_column(reader);
    char fault[300];
    snprintf(fault, sizeof fault, "column %.250s: '", io_column_name(reader, last));
    surekrig_error why = *error;
    if (!status || io_column_numeric(reader, last) || !strstr(why.sentence, fault) ||
        !strstr(why.sentence, "is not a number"))
        return status;
    return cli_error(error, status, "%.400s; -y NAME names the response", why.sentence);
}

bool cli_is_longitude(const char *name)
{
    return !strcasecmp(name, "lon") || !strcasecmp(name, "longitude") || !strcasecmp(name, "long") ||
           !strcasecmp(name, "lng");
}

bool cli_is_latitude(const char *name)
{
    return !strcasecmp(name, "lat") || !strcasecmp(name, "latitude");
}

bool cli_is_moment(const char *name)
{
    surekrig_settings *plain = NULL;
    bool is = !surekrig_settings_new(&plain, NULL) &&
              surekrig_settings_time(plain, 3, (const char *const[]){"x", "y", name}) == 2;
    surekrig_settings_free(plain);
    return is;
}

bool cli_is_coordinate(const char *name)
{
    return cli_is_longitude(name) || cli_is_latitude(name) || !strcasecmp(name, "easting") ||
           !strcasecmp(name, "northing");
}
