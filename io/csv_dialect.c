/* CSV: what ends a cell, what decimals follow, and what a cell then says. */
#include "csv.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static const char separators[] = {',', ';', '\t'}; /* the earlier wins a tie */
enum { SEPARATORS = sizeof separators };

/* ----------------------------------------------------------------------------------------------------- separator */

/* Counts separators outside quotes in the first line that is not blank; false where its end is not in the window. */
static bool count_separators(const io_source *source, int64_t count[SEPARATORS])
{
    const char *end = source->buffer + source->end, *at = source->buffer + source->begin;
    at += strspn(at, " \r\n");
    bool cell_begins = true; /* only there does a quote open one */
    memset(count, 0, SEPARATORS * sizeof *count);
    for (; *at != '\n' && *at != '\r' && *at != '\0'; at++) { /* a NUL is in the file, an error, or past its end */
        const char *separator = memchr(separators, *at, SEPARATORS);
        if (separator)
            count[separator - separators]++;
        if (*at == '"' && cell_begins)
            at = csv_closing_quote(at + 1, end);
        if (!at)
            return false;
        cell_begins = separator || (cell_begins && *at == ' ');
    }
    return at < end;
}

/* The line "sep=;" with which a spreadsheet may begin a file, and which is no row. False: there is none. */
static bool take_told_separator(csv_table *csv)
{
    static const char SAYS[] = "sep=", MAY[] = {',', ';', '\t', '|'};
    enum { LENGTH = sizeof SAYS - 1 };
    io_source *source = csv->source;
    const char *at = source->buffer + source->begin, *end = at + LENGTH + 1, *last = source->buffer + source->end;
    if (source->end - source->begin <= LENGTH + 1 || strncasecmp(at, SAYS, LENGTH) != 0 ||
        !memchr(MAY, at[LENGTH], sizeof MAY))
        return false;
    end += *end == '\r';
    if (end == last || *end != '\n')
        return false;
    csv->separator = at[LENGTH];
    source->begin = (size_t)(end + 1 - source->buffer);
    csv->line++;
    return true;
}

static surekrig_status guess_separator(csv_table *csv, surekrig_error *error)
{
    int64_t count[SEPARATORS];
    while (!count_separators(csv->source, count) && !csv->source->ended) {
        surekrig_status status = csv_lengthen_window(csv, error);
        if (status)
            return status;
    }
    int most = 0;
    for (int i = 1; i < SEPARATORS; i++)
        if (count[i] > count[most])
            most = i;
    csv->separator = separators[most];
    return SUREKRIG_OK;
}

surekrig_status csv_find_separator(csv_table *csv, surekrig_error *error)
{
    surekrig_status status = take_told_separator(csv) ? SUREKRIG_OK : guess_separator(csv, error);
    csv->stop[(unsigned char)csv->separator] = true;
    csv->stop['\n'] = csv->stop['\r'] = csv->stop['\0'] = true;
    return status;
}

/* --------------------------------------------------------------------------------------------------------- cells */

/* As a number whose decimals follow a comma; a point is in none. */
static io_kind parse_comma(const char *cell, size_t length, double *value)
{
    enum { LONGEST = 128 };
    char text[LONGEST + IO_AHEAD] = "";
    if (length >= LONGEST || memchr(cell, '.', length))
        return IO_WORD;
    memcpy(text, cell, length);
    char *comma = memchr(text, ',', length);
    if (comma)
        *comma = '.';
    return io_parse_number(text, length, value);
}

io_kind csv_cell_kind(const csv_table *csv, const csv_cell *raw, double *value)
{
    csv_cell cell = *raw;
    if (raw->quoted)
        csv_trim(csv, &cell);
    io_kind kind = csv->decimal == ',' ? parse_comma(cell.text, cell.length, value)
                                       : io_parse_number(cell.text, cell.length, value);
    if ((kind != IO_WORD && kind != IO_TOO_LARGE) || !io_is_mark(csv->missing, cell.text, cell.length))
        return kind; /* marks that are numbers go by value */
    *value = NAN;
    return IO_MISSING;
}

bool csv_has_decimal_comma(const csv_cell *cell)
{
    double value;
    return memchr(cell->text, ',', cell->length) && parse_comma(cell->text, cell->length, &value) == IO_NUMBER;
}

bool csv_has_decimal_point(const csv_cell *cell)
{
    double value;
    return memchr(cell->text, '.', cell->length) && io_parse_number(cell->text, cell->length, &value) == IO_NUMBER;
}

bool csv_is_word(const csv_table *csv, const csv_cell *cell)
{
    double value;
    return csv_cell_kind(csv, cell, &value) == IO_WORD && !csv_has_decimal_comma(cell) && !csv_has_decimal_point(cell);
}

/* Whether some cells in a window of the file have a decimal comma, and none a decimal point. */
static bool decimals_follow_comma(const csv_table *csv)
{
    const char *at = csv->source->buffer + csv->source->begin, *end = csv->source->buffer + csv->source->end;
    bool comma = false;
    while (at < end) {
        csv_cell cell = {.text = at};
        while (at < end && !csv->stop[(unsigned char)*at])
            at++;
        cell.length = (size_t)(at++ - cell.text);
        csv_trim(csv, &cell);
        if (cell.length > 1 && cell.text[0] == '"' && cell.text[cell.length - 1] == '"')
            cell = (csv_cell){.text = cell.text + 1, .length = cell.length - 2};
        if (at > end && !csv->source->ended)
            break; /* of a cell that the window has cut */
        if (csv_has_decimal_point(&cell))
            return false;
        comma |= csv_has_decimal_comma(&cell);
    }
    return comma;
}

surekrig_status csv_find_decimal(csv_table *csv, char asked, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    csv->decimal = '.';
    if (asked)
        csv->decimal = asked;
    if (!asked && csv->separator == ';') {
        status = io_source_need(csv->source, IO_BUFFER, error); /* a pipe may have given a few bytes only */
        if (!status && decimals_follow_comma(csv))
            csv->decimal = ',';
    }
    return status;
}
