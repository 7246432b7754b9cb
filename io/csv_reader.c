/* CSV: separator, names and values. */
#include "csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static surekrig_status find_separator(csv_table *csv, surekrig_error *error)
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
    csv->stop[(unsigned char)csv->separator] = true;
    csv->stop['\n'] = csv->stop['\r'] = csv->stop['\0'] = true;
    return SUREKRIG_OK;
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

static io_kind cell_kind(const csv_table *csv, const csv_cell *raw, double *value)
{
    csv_cell cell = *raw;
    if (raw->quoted)
        csv_trim(csv, &cell);
    io_kind kind = csv->decimal == ',' ? parse_comma(cell.text, cell.length, value)
                                       : io_parse_number(cell.text, cell.length, value);
    if (kind != IO_WORD || !io_is_mark(csv->missing, cell.text, cell.length))
        return kind;
    *value = NAN;
    return IO_MISSING;
}

/* "1,5": meant as a number, whatever decimals follow here. */
static bool has_decimal_comma(const csv_cell *cell)
{
    double value;
    return memchr(cell->text, ',', cell->length) && parse_comma(cell->text, cell->length, &value) == IO_NUMBER;
}

/* "1.5", likewise. */
static bool has_decimal_point(const csv_cell *cell)
{
    double value;
    return memchr(cell->text, '.', cell->length) && io_parse_number(cell->text, cell->length, &value) == IO_NUMBER;
}

static bool is_word(const csv_table *csv, const csv_cell *cell)
{
    double value;
    return cell_kind(csv, cell, &value) == IO_WORD && !has_decimal_comma(cell) && !has_decimal_point(cell);
}

static bool is_date(const csv_cell *cell)
{
    double days;
    return io_parse_date(cell->text, cell->length, &days) != IO_NO_DATES;
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
        if (has_decimal_point(&cell))
            return false;
        comma |= has_decimal_comma(&cell);
    }
    return comma;
}

static surekrig_status find_decimal(csv_table *csv, char asked, surekrig_error *error)
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

/* --------------------------------------------------------------------------------------------------------- names */

static bool is_header(const csv_table *csv)
{
    for (int i = 0; i < csv->columns; i++)
        if (is_word(csv, &csv->cell[i]) && !is_date(&csv->cell[i]))
            return true;
    return false;
}

/* The cell's text with each doubled quote once; NULL without memory. */
static char *text_of(const csv_cell *cell)
{
    char *name = malloc(cell->length + 1), *to = name;
    for (size_t i = 0; name && i < cell->length; i++) {
        *to++ = cell->text[i];
        i += cell->quoted && cell->text[i] == '"';
    }
    if (name)
        *to = '\0';
    return name;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(**(char ***)a, **(char ***)b);
}

static surekrig_status check_names(const io_reader *reader, surekrig_error *error)
{
    char ***sorted = malloc((size_t)reader->columns * sizeof *sorted); /* [columns] into reader->name */
    if (!sorted)
        return io_fail_memory(error, reader->source.path);
    for (int i = 0; i < reader->columns; i++)
        sorted[i] = &reader->name[i];
    qsort(sorted, (size_t)reader->columns, sizeof *sorted, by_name);
    surekrig_status status = SUREKRIG_OK;
    for (int i = 1; i < reader->columns && !status; i++) {
        const char *name = *sorted[i];
        char shown[IO_SHOWN];
        if (strcmp(*sorted[i - 1], name) == 0)
            status = io_fail(error, SUREKRIG_FILE, "%s: columns %td and %td are both named '%s'",
                             io_label(reader->source.path), sorted[i - 1] - reader->name + 1,
                             sorted[i] - reader->name + 1, io_show(name, strlen(name), shown));
    }
    free(sorted);
    return status;
}

static surekrig_status take_names(const csv_table *csv, io_reader *reader, surekrig_error *error)
{
    for (int i = 0; i < reader->columns; i++) {
        if (csv->cell[i].length == 0)
            continue; /* stays c<i> */
        char *name = text_of(&csv->cell[i]);
        if (!name)
            return io_fail_memory(error, reader->source.path);
        io_plain(name);
        free(reader->name[i]);
        reader->name[i] = name;
    }
    return check_names(reader, error);
}

/* -------------------------------------------------------------------------------------------------------- values */

/* A row of as many cells as there are columns, or none. */
static surekrig_status next_data_row(csv_table *csv, csv_row *row, surekrig_error *error)
{
    surekrig_status status = csv_next_row(csv, row, error);
    if (status || row->cells == 0 || row->cells == csv->columns)
        return status;
    return io_fail(error, SUREKRIG_FILE, "%s, row %lld (line %lld): %lld cell%s where %d are expected",
                   io_label(csv->source->path), (long long)csv->rows + 1, (long long)csv->line, (long long)row->cells,
                   row->cells == 1 ? "" : "s", csv->columns);
}

static surekrig_status fail_cell(const io_reader *reader, int column, io_kind kind, surekrig_error *error)
{
    const csv_table *csv = reader->state;
    const csv_cell *cell = &csv->cell[column];
    char name[IO_SHOWN], word[IO_SHOWN];
    const char *hint = csv->decimal == '.' && has_decimal_comma(cell)
                           ? "; decimals follow a point here, not a comma (--decimal , says otherwise)"
                       : csv->decimal == ',' && has_decimal_point(cell)
                           ? "; decimals follow a comma here, not a point (--decimal . says otherwise)"
                           : "";
    return io_fail(error, SUREKRIG_FILE, "%s, row %lld (line %lld), column %s: '%s' is %s%s",
                   io_label(reader->source.path), (long long)csv->rows + 1, (long long)csv->line,
                   io_show(reader->name[column], strlen(reader->name[column]), name),
                   io_show(cell->text, cell->length, word), kind == IO_WORD ? "not a number" : "too large for a double",
                   hint);
}

static surekrig_status fail_date(const io_reader *reader, int column, const char *why, surekrig_error *error)
{
    const csv_table *csv = reader->state;
    const csv_cell *cell = &csv->cell[column];
    char name[IO_SHOWN], word[IO_SHOWN];
    return io_fail(error, SUREKRIG_FILE, "%s, row %lld (line %lld), column %s: '%s' %s", io_label(reader->source.path),
                   (long long)csv->rows + 1, (long long)csv->line,
                   io_show(reader->name[column], strlen(reader->name[column]), name),
                   io_show(cell->text, cell->length, word), why);
}

/* A column of dates: a time zone in every row or in none. */
static surekrig_status parse_date(io_reader *reader, int column, double *value, surekrig_error *error)
{
    const csv_table *csv = reader->state;
    const csv_cell *cell = &csv->cell[column];
    if (cell_kind(csv, cell, value) == IO_MISSING)
        return SUREKRIG_OK;
    io_dates style = io_parse_date(cell->text, cell->length, value);
    if (!style)
        return fail_date(reader, column, "is not a date as 2024-03-01 or 2024-03-01T12:00:00Z, as the rows before have",
                         error);
    if ((style == IO_TIMES_UTC) != (reader->dates[column] == IO_TIMES_UTC))
        return fail_date(
            reader, column,
            style == IO_TIMES_UTC
                ? "has a time zone, and rows before have none: give every row one, as Z or +02:00, or none"
                : "has no time zone, and rows before have one: give every row one, as Z or +02:00, or none",
            error);
    if (style > reader->dates[column])
        reader->dates[column] = style;
    return SUREKRIG_OK;
}

/* What a column holds is known by its first cell that is not missing. */
static void look_at_cell(io_reader *reader, int column)
{
    csv_table *csv = reader->state;
    double value;
    io_kind kind = cell_kind(csv, &csv->cell[column], &value);
    reader->open[column] = kind == IO_MISSING;
    if (kind == IO_WORD)
        reader->dates[column] = io_parse_date(csv->cell[column].text, csv->cell[column].length, &value);
}

static surekrig_status parse_row(io_reader *reader, double *value, surekrig_error *error)
{
    const csv_table *csv = reader->state;
    for (int i = 0; i < reader->selections; i++) {
        int column = reader->selected[i];
        if (reader->open[column])
            look_at_cell(reader, column);
        if (reader->dates[column]) {
            surekrig_status status = parse_date(reader, column, &value[i], error);
            if (status)
                return status;
            continue;
        }
        io_kind kind = cell_kind(csv, &csv->cell[column], &value[i]);
        if (kind != IO_NUMBER && kind != IO_MISSING)
            return fail_cell(reader, column, kind, error);
    }
    return SUREKRIG_OK;
}

/* A number's decimals follow a point in what is written. */
static bool keep_cell(io_reader *reader, const csv_cell *cell)
{
    const csv_table *csv = reader->state;
    char *text = text_of(cell), *comma = text ? strchr(text, ',') : NULL;
    double value;
    if (comma && csv->decimal == ',' && cell_kind(csv, cell, &value) == IO_NUMBER)
        *comma = '.';
    bool whole = text && io_text_cell(&reader->cells, text);
    free(text);
    return whole;
}

static bool keep_row(io_reader *reader)
{
    const csv_table *csv = reader->state;
    bool whole = true;
    for (int i = 0; i < reader->keeps && whole; i++)
        whole = keep_cell(reader, &csv->cell[reader->kept[i]]);
    return whole && io_text_append(&reader->cells, "", 1);
}

static bool read_plain(const io_reader *reader, double *value)
{
    csv_table *csv = reader->state;
    if (csv->decimal != '.' || reader->keeps || !csv->plain || !csv_read_plain_row(csv))
        return false;
    for (int i = 0; i < reader->selections; i++)
        value[i] = csv->number[reader->selected[i]];
    return true;
}

static void note_wanted(const io_reader *reader)
{
    csv_table *csv = reader->state;
    memset(csv->wanted, 0, (size_t)csv->columns * sizeof *csv->wanted);
    csv->plain = true;
    for (int i = 0; i < reader->selections; i++) {
        csv->wanted[reader->selected[i]] = true;
        csv->plain &= !reader->open[reader->selected[i]] && !reader->dates[reader->selected[i]];
    }
}

/* A failure leaves the reader in front of the faulty row, to fail there again. */
static surekrig_status read_csv(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error)
{
    csv_table *csv = reader->state;
    int64_t done = 0;
    note_wanted(reader);
    for (; done < limit; done++, csv->rows++) {
        csv_row row;
        if (read_plain(reader, value + done * reader->selections))
            continue;
        surekrig_status status = next_data_row(csv, &row, error);
        if (!status && row.cells > 0)
            status = parse_row(reader, value + done * reader->selections, error);
        if (!status && row.cells > 0 && reader->keeps && !keep_row(reader))
            status = io_fail_memory(error, reader->source.path);
        if (status)
            return status;
        if (row.cells == 0)
            break;
        csv_step_over(csv, &row);
    }
    *rows = done;
    return SUREKRIG_OK;
}

/* As if all rows were as long as those in the window. */
static int64_t csv_rows_left(const io_reader *reader)
{
    const io_source *source = &reader->source;
    int64_t lines = 0, held = (int64_t)(source->end - source->begin), left = io_source_left(source);
    for (size_t i = source->begin; i < source->end; i++)
        lines += source->buffer[i] == '\n';
    return lines > 0 && left > 0 ? (int64_t)((double)left / (double)held * (double)lines) + 1 : 0;
}

/* ------------------------------------------------------------------------------------------------------- opening */

/* Splits the first row twice: to count its cells, then to hold them. */
static surekrig_status take_columns(io_reader *reader, csv_row *row, surekrig_error *error)
{
    csv_table *csv = reader->state;
    surekrig_status status = csv_next_row(csv, row, error);
    if (status)
        return status;
    if (row->cells == 0)
        return io_fail(error, SUREKRIG_FILE, "%s is empty", io_label(reader->source.path));
    csv->cell = malloc((size_t)row->cells * sizeof *csv->cell);
    csv->number = malloc((size_t)row->cells * sizeof *csv->number);
    csv->wanted = malloc((size_t)row->cells * sizeof *csv->wanted);
    if (!csv->cell || !csv->number || !csv->wanted)
        return io_fail_memory(error, reader->source.path);
    csv->columns = (int)row->cells; /* fewer than the bytes of the longest row */
    status = io_reader_columns(reader, csv->columns, error);
    return status ? status : csv_next_row(csv, row, error);
}

static surekrig_status look_at_first_row(io_reader *reader, surekrig_error *error)
{
    csv_table *csv = reader->state;
    csv_row row;
    surekrig_status status = next_data_row(csv, &row, error);
    for (int i = 0; !status && row.cells > 0 && i < reader->columns; i++)
        reader->numeric[i] = !is_word(csv, &csv->cell[i]);
    for (int i = 0; !status && row.cells > 0 && i < reader->columns; i++)
        look_at_cell(reader, i);
    return status;
}

static surekrig_status open_csv(io_reader *reader, surekrig_error *error)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    csv_table *csv = reader->state = calloc(1, sizeof *csv);
    if (!csv)
        return io_fail_memory(error, reader->source.path);
    csv->source = &reader->source;
    csv->missing = reader->dialect.missing;
    csv->line = 1;
    if (strncmp(csv->source->buffer, byte_order_mark, 3) == 0)
        csv->source->begin = 3;
    csv_row row;
    surekrig_status status = find_separator(csv, error);
    if (!status)
        status = find_decimal(csv, reader->dialect.decimal, error);
    if (!status)
        status = take_columns(reader, &row, error);
    if (!status && !reader->dialect.no_header && is_header(csv)) {
        reader->named = true;
        status = take_names(csv, reader, error);
        csv_step_over(csv, &row);
    }
    return status ? status : look_at_first_row(reader, error);
}

static void close_csv(void *state)
{
    csv_table *csv = state;
    if (csv) {
        free(csv->cell);
        free(csv->number);
        free(csv->wanted);
    }
    free(csv);
}

static surekrig_status enter_csv(io_reader *reader, const io_piece *piece, surekrig_error *error)
{
    csv_table *csv = reader->state;
    int64_t data = io_source_at(csv->source); /* behind the header */
    if (piece->begin <= data)
        return io_source_seek(csv->source, data, piece->end > data ? piece->end : data, error);
    csv->line = piece->line + 1;
    csv->rows = piece->rows;
    return io_source_seek(csv->source, piece->begin, piece->end, error);
}

const io_read_format io_read_csv = {NULL,      NULL, open_csv,  read_csv, csv_rows_left,
                                    close_csv, true, csv_count, enter_csv};
