/* Predictions as a table or a raster: which columns it has, and how a batch goes into it. */
#include "predict.h"

#include <stdlib.h>
#include <string.h>

/* Whether a column that is carried over has the name of one of ours, as predictions of another response have. */
static bool kept_taken(const predict_stream *s)
{
    for (int i = 0; i < s->keeps; i++)
        for (const char *const *word = s->levels.what; *word; word++)
            if (!strcmp(io_column_name(s->reader, s->kept[i]), *word))
                return true;
    return false;
}

static char *column_name(const void *of, int i)
{
    const predict_stream *s = of;
    int at = i - s->keeps, after = at - (int)s->info->d;
    surekrig_info named = *s->info;
    named.l += kept_taken(s); /* several: with the response's name behind */
    return at < 0      ? strdup(io_column_name(s->reader, s->kept[i]))
           : after < 0 ? strdup(s->info->x_names[at])
                       : cli_output_name(&named, s->levels.what, after % s->each, after / s->each);
}

/* No column of the output may have the name of one that is carried over. */
static surekrig_status check_kept(const predict_stream *s, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int i = s->keeps; i < s->columns && !status; i++) {
        char *name = column_name(s, i);
        if (!name)
            return cli_no_memory(error);
        for (int j = 0; j < s->keeps && !status; j++)
            if (!strcmp(name, io_column_name(s->reader, s->kept[j])))
                status = cli_error(error, SUREKRIG_DATA,
                                   "column %s cannot be kept: the predictions have one of that name", name);
        free(name);
    }
    return status;
}

/* Dates are written as they are read. */
static surekrig_status create_table(const cli_call *call, predict_stream *s, surekrig_error *error)
{
    const char *output = cli_value(call, "output");
    surekrig_status status = s->apart ? cli_create_part(output, s->columns, &(cli_columns){column_name, s}, s->first,
                                                        &s->writer, error)
                                      : cli_create(output, s->columns, column_name, s, &s->writer, error);
    for (int a = 0; a < (int)s->info->d && s->dates && !status; a++)
        if (s->dates[a])
            status = io_write_as_dates(s->writer, s->keeps + a, s->dates[a], error);
    return status;
}

surekrig_status predict_create(const cli_call *call, const surekrig_data *data, predict_stream *s,
                               surekrig_error *error)
{
    if (s->is_raster)
        return predict_raster_open(call, &(predict_plan){s->info, data, s->reader, &s->grid, s->levels.level[0]},
                                   &s->raster, error);
    s->columns = s->keeps + (int)(s->info->d + s->each * s->info->l);
    surekrig_status status = check_kept(s, error);
    return status ? status : create_table(call, s, error);
}

/* Features, then mean, sd and the intervals of each response. */
static void lay_out(const predict_stream *s, int64_t rows)
{
    int64_t d = s->info->d, l = s->info->l;
    double *to = s->row;
    for (int64_t i = 0; i < rows; i++) {
        memcpy(to, s->x + i * d, (size_t)d * sizeof *to);
        to += d;
        for (int64_t q = 0, at = i * l; q < l; q++, at++) {
            *to++ = s->mean[at];
            if (s->mean_only)
                continue;
            *to++ = s->sd[at];
            for (int j = 0; j < s->levels.count; j++) {
                *to++ = s->lower[at * s->levels.count + j];
                *to++ = s->upper[at * s->levels.count + j];
            }
        }
    }
}

surekrig_status predict_write(predict_stream *s, int64_t rows, surekrig_error *error)
{
    if (s->is_raster)
        return predict_raster_write(&s->raster, &(predicted){rows, s->info->l, {s->mean, s->sd, s->lower, s->upper}},
                                    error);
    lay_out(s, rows);
    return s->keeps ? io_write_kept(s->writer, s->reader, rows, s->row, error)
                    : io_write(s->writer, rows, s->row, error);
}
