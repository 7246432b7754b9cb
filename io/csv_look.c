/* CSV: what the rows after the first say of columns whose first cell is a word or missing. */
#include "csv.h"

#include <stdlib.h>

enum { ROWS = 100, BYTES = 64 << 10 }; /* so many rows are looked at, as far as these bytes hold them */

/* Of the bytes that come next, whole lines, as if the file ended there: to be split without moving the source. */
static io_source whole_lines(const io_source *source)
{
    io_source lines = *source;
    if (source->end - source->begin > BYTES) {
        lines.end = source->begin + BYTES;
        while (lines.end > lines.begin && lines.buffer[lines.end - 1] != '\n')
            lines.end--;
    }
    lines.ended = true;
    return lines;
}

/* Of one more row: numbers count for a column, words against it, and dates neither way. */
static void weigh_row(const csv_table *csv, int *weight, bool *empty)
{
    for (int i = 0; i < csv->columns; i++) {
        double value;
        if (csv_cell_kind(csv, &csv->cell[i], &value) == IO_MISSING)
            continue;
        double days;
        bool date = io_parse_date(csv->cell[i].text, csv->cell[i].length, &days) != IO_NO_DATES;
        weight[i] += date ? 0 : csv_is_word(csv, &csv->cell[i]) ? -1 : 1;
        empty[i] = false;
    }
}

/* A fault in a row ends this: whoever reads the row finds it again. */
static void weigh_rows(const csv_table *csv, int *weight, bool *empty)
{
    io_source lines = whole_lines(csv->source);
    csv_table ahead = *csv;
    csv_row row;
    surekrig_error ignored;
    ahead.source = &lines;
    for (int i = 0; i < csv->columns; i++)
        empty[i] = true;
    for (int r = 0; r < ROWS && !csv_next_row(&ahead, &row, &ignored) && row.cells == csv->columns; r++) {
        weigh_row(&ahead, weight, empty);
        csv_step_over(&ahead, &row);
    }
}

static bool any_unclear(const io_reader *reader)
{
    for (int i = 0; i < reader->columns; i++)
        if (reader->open[i] || (!reader->numeric[i] && !reader->dates[i]))
            return true;
    return false;
}

surekrig_status csv_look_ahead(io_reader *reader, surekrig_error *error)
{
    const csv_table *csv = reader->state;
    if (!any_unclear(reader))
        return SUREKRIG_OK;
    surekrig_status status = io_source_need(csv->source, BYTES, error);
    int *weight = status ? NULL : calloc((size_t)csv->columns, sizeof *weight);
    if (!status && !weight)
        status = io_fail_memory(error, reader->source.path);
    if (!status)
        weigh_rows(csv, weight, reader->empty);
    for (int i = 0; i < csv->columns && !status; i++) {
        reader->numeric[i] |= !reader->dates[i] && weight[i] > 0;
        reader->numeric[i] &= !reader->open[i] || weight[i] >= 0;
    }
    free(weight);
    return status;
}
