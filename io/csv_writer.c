/* Rows of doubles into CSV: commas, a header, a cell left empty where a number is missing. */
#include "csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

_Static_assert(IO_BUFFER > IO_PRINTED, "a number and what follows it are written into the buffer");

static bool needs_quotes(const char *name)
{
    size_t length = strlen(name);
    return strpbrk(name, ",;\t\"\r\n") || name[0] == ' ' || name[length - 1] == ' ';
}

static surekrig_status append_name(io_target *target, const char *name, surekrig_error *error)
{
    if (!needs_quotes(name))
        return io_target_append(target, name, strlen(name), error);
    surekrig_status status = io_target_append(target, "\"", 1, error);
    for (; *name && !status; name++)
        status = io_target_append(target, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1, error);
    return status ? status : io_target_append(target, "\"", 1, error);
}

/* Such a table could not be read again. */
static surekrig_status refuse_twins(const io_writer *writer, const char *const *names, surekrig_error *error)
{
    int twin[2], found = csv_twins(writer->columns, (char *const *)names, twin);
    char shown[IO_SHOWN];
    if (found < 0)
        return io_fail_memory(error, writer->target.path);
    if (!found || !names[twin[0]][0]) /* what has no name is numbered */
        return SUREKRIG_OK;
    return io_fail(error, SUREKRIG_DATA,
                   "%s would have two columns named '%s': give the one that is yours another name, or write NPY, which "
                   "has no names",
                   io_label(writer->target.path), io_show(names[twin[0]], strlen(names[twin[0]]), shown));
}

static surekrig_status begin_csv(io_writer *writer, const char *const *names, surekrig_error *error)
{
    surekrig_status status = refuse_twins(writer, names, error);
    for (int i = 0; i < writer->columns && !status; i++) {
        char numbered[16];
        snprintf(numbered, sizeof numbered, "c%d", i + 1);
        status = append_name(&writer->target, names[i][0] ? names[i] : numbered, error);
        if (!status)
            status = io_target_append(&writer->target, i + 1 < writer->columns ? "," : "\n", 1, error);
    }
    return status;
}

/* text: room for a number and a byte; returns the bytes used. only: whether the row has no other cell. */
static size_t print_cell(double value, io_dates dates, bool only, char *text)
{
    if (!isnan(value))
        return dates ? io_print_date(value, dates, text) : io_print_number(value, text);
    memcpy(text, "\"\"", 2); /* alone: an empty line would be no row */
    return only ? 2 : 0;
}

static surekrig_status append_numbers(io_writer *writer, int width, const double *value, surekrig_error *error)
{
    io_target *target = &writer->target;
    for (int i = 0; i < width; i++) {
        surekrig_status status = io_target_reserve(target, IO_PRINTED + 1, error);
        if (status)
            return status;
        io_dates dates = writer->dates ? writer->dates[writer->columns - width + i] : IO_NO_DATES;
        target->used += print_cell(value[i], dates, writer->columns == 1, target->buffer + target->used);
        target->buffer[target->used++] = i + 1 < width ? ',' : '\n';
    }
    return SUREKRIG_OK;
}

static surekrig_status append_csv(io_writer *writer, int64_t rows, const double *value, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int64_t i = 0; i < rows && !status; i++)
        status = append_numbers(writer, writer->columns, value + i * writer->columns, error);
    return status;
}

surekrig_status io_write_kept(io_writer *writer, const io_reader *from, int64_t rows, const double *value,
                              surekrig_error *error)
{
    if (writer->format != &io_write_csv)
        return io_fail(error, SUREKRIG_INVALID, "columns are carried over to CSV alone, and not to %s",
                       io_label(writer->target.path));
    int width = writer->columns - from->keeps;
    const char *cells = from->cells.bytes;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t i = 0; i < rows && !status; i++, cells += strlen(cells) + 1) {
        status = io_target_append(&writer->target, cells, strlen(cells), error);
        if (!status)
            status = append_numbers(writer, width, value + i * width, error);
    }
    writer->rows += rows;
    return status;
}

const io_write_format io_write_csv = {NULL, begin_csv, append_csv, NULL, NULL};
