/* CSV: bytes into rows of cells, out of the source's window. RFC 4180, and what is met besides: any line ends, blanks
 * around cells, blank lines. A row cut short by the window's end is split again once the window holds more of it. */
#include "csv.h"

#include <string.h>

typedef enum row_fault { WHOLE, CUT_SHORT, NUL_BYTE, OPEN_QUOTE, AFTER_QUOTE } row_fault;

static const char *const fault_sentence[] = {
    [NUL_BYTE] = "a NUL byte; is this a text file?",
    [OPEN_QUOTE] = "a quoted cell begins here and is never closed",
    [AFTER_QUOTE] = "text after the closing quote of a cell; a quote inside a cell is written twice",
};

/* --------------------------------------------------------------------------------------------------------- cells */

static bool is_blank(const csv_table *csv, char c)
{
    return (c == ' ' || c == '\t') && c != csv->separator;
}

void csv_trim(const csv_table *csv, csv_cell *cell)
{
    for (; cell->length > 0 && is_blank(csv, cell->text[0]); cell->length--)
        cell->text++;
    while (cell->length > 0 && is_blank(csv, cell->text[cell->length - 1]))
        cell->length--;
}

static int64_t count_lines(const char *at, const char *end)
{
    int64_t lines = 0;
    for (; at < end; at++)
        lines += *at == '\n' || (*at == '\r' && at[1] != '\n');
    return lines;
}

const char *csv_closing_quote(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at))) && at[1] == '"')
        at += 2;
    return at;
}

static row_fault take_quoted(const csv_table *csv, const char **at, csv_cell *cell, csv_row *row)
{
    const char *end = csv->source->buffer + csv->source->end;
    const char *text = *at + 1, *close = csv_closing_quote(text, end);
    const char *nul = memchr(text, '\0', (size_t)((close ? close : end) - text));
    if (nul) { /* before all else: whether the quote is closed depends on how much was read */
        *at = nul;
        return NUL_BYTE;
    }
    if (!close)
        return OPEN_QUOTE;
    *cell = (csv_cell){.text = text, .length = (size_t)(close - text), .quoted = true};
    row->lines += count_lines(text, close);
    *at = close + 1;
    while (is_blank(csv, **at))
        ++*at;
    return csv->stop[(unsigned char)**at] ? WHOLE : AFTER_QUOTE;
}

/* Moves *at from a cell's first byte to the byte that ended it. */
static row_fault take_cell(const csv_table *csv, const char **at, csv_cell *cell, csv_row *row)
{
    while (is_blank(csv, **at))
        ++*at;
    if (**at == '"')
        return take_quoted(csv, at, cell, row);
    const char *text = *at;
    while (!csv->stop[(unsigned char)**at])
        ++*at;
    *cell = (csv_cell){.text = text, .length = (size_t)(*at - text)};
    csv_trim(csv, cell);
    return WHOLE;
}

/* ---------------------------------------------------------------------------------------------------------- rows */

/* at: the byte that ended the last cell. */
static row_fault end_row(const io_source *source, const char *at, csv_row *row)
{
    const char *end = source->buffer + source->end;
    row->end = at;
    if (at == end)
        return source->ended ? WHOLE : CUT_SHORT;
    if (*at == '\0')
        return NUL_BYTE;
    if (*at == '\r' && at + 1 == end && !source->ended)
        return CUT_SHORT; /* a line feed may follow */
    row->end = at + (at[0] == '\r' && at[1] == '\n' ? 2 : 1);
    return WHOLE;
}

static row_fault split_row(csv_table *csv, csv_row *row)
{
    const char *at = csv->source->buffer + csv->source->begin;
    *row = (csv_row){.lines = 1};
    for (;; at++) {
        csv_cell cell;
        row_fault fault = take_cell(csv, &at, &cell, row);
        row->end = at;
        if (fault)
            return fault;
        if (row->cells < csv->columns)
            csv->cell[row->cells] = cell;
        row->cells++;
        row->blank = row->cells == 1 && cell.length == 0 && !cell.quoted;
        if (*at != csv->separator)
            return end_row(csv->source, at, row);
    }
}

static surekrig_status fail_row(const csv_table *csv, row_fault fault, const csv_row *row, surekrig_error *error)
{
    int64_t line = csv->line + count_lines(csv->source->buffer + csv->source->begin, row->end);
    bool first = csv->columns == 0; /* of R, as a rule, which separates by spaces */
    return io_fail(error, SUREKRIG_FILE, "%s, line %lld: %s%s", io_label(csv->source->path), (long long)line,
                   fault_sentence[fault],
                   first && fault == AFTER_QUOTE ? "; cells are separated by commas, semicolons or tabs" : "");
}

surekrig_status csv_lengthen_window(const csv_table *csv, surekrig_error *error)
{
    size_t held = csv->source->end - csv->source->begin;
    if (held >= IO_LONGEST_ROW)
        return io_fail(error, SUREKRIG_FILE,
                       "%s: the row that begins on line %lld is longer than %zu MiB; is a closing quote missing?",
                       io_label(csv->source->path), (long long)csv->line, IO_LONGEST_ROW >> 20);
    return io_source_need(csv->source, held + 1, error);
}

void csv_step_over(csv_table *csv, const csv_row *row)
{
    csv->source->begin = (size_t)(row->end - csv->source->buffer);
    csv->line += row->lines;
}

surekrig_status csv_next_row(csv_table *csv, csv_row *row, surekrig_error *error)
{
    for (;;) {
        io_source *source = csv->source;
        if (source->ended && source->begin == source->end) {
            row->cells = 0;
            return SUREKRIG_OK;
        }
        row_fault fault = split_row(csv, row);
        if (fault == WHOLE && !row->blank)
            return SUREKRIG_OK;
        if (fault == WHOLE) {
            csv_step_over(csv, row);
        } else if (fault == CUT_SHORT || (fault == OPEN_QUOTE && !source->ended)) {
            surekrig_status status = csv_lengthen_window(csv, error);
            if (status)
                return status;
        } else {
            return fail_row(csv, fault, row, error);
        }
    }
}
