/* CSV: rows of cells as values. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

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
    const char *hint =
        csv->decimal == '.' && csv_has_decimal_comma(cell)
            ? "; decimals follow a point here, not a comma (--decimal , says otherwise)"
        : csv->decimal == ',' && csv_has_decimal_point(cell)
            ? "; decimals follow a comma here, not a point (--decimal . says otherwise)"
        : kind == IO_WORD && csv->rows > 0 ? "; if that means missing, say so by --na"
        : kind == IO_WORD && reader->numeric[column]
            ? ", and other rows hold numbers: if that means missing, say so by --na; if it is a unit, take "
              "the row out"
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

static surekrig_status parse_date(io_reader *reader, int column, double *value, surekrig_error *error)
{
    const csv_table *csv = reader->state;
    const csv_cell *cell = &csv->cell[column];
    if (csv_cell_kind(csv, cell, value) == IO_MISSING)
        return SUREKRIG_OK;
    const char *why = io_take_date(&reader->dates[column], cell->text, cell->length, value);
    return why ? fail_date(reader, column, why, error) : SUREKRIG_OK;
}

/* What a column holds is known by its first cell that is not missing. */
static void look_at_cell(io_reader *reader, int column)
{
    csv_table *csv = reader->state;
    double value;
    io_kind kind = csv_cell_kind(csv, &csv->cell[column], &value);
    reader->open[column] = kind == IO_MISSING;
    if (kind == IO_WORD) {
        const csv_cell *cell = &csv->cell[column];
        reader->dates[column] = io_parse_date(cell->text, cell->length, &value);
        reader->date_like[column] = !reader->dates[column] && io_looks_like_date(cell->text, cell->length);
    }
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
        io_kind kind = csv_cell_kind(csv, &csv->cell[column], &value[i]);
        if (kind != IO_NUMBER && kind != IO_MISSING)
            return fail_cell(reader, column, kind, error);
    }
    return SUREKRIG_OK;
}

/* A number's decimals follow a point in what is written. */
static bool keep_cell(io_reader *reader, const csv_cell *cell)
{
    const csv_table *csv = reader->state;
    char *text = csv_text_of(cell), *comma = text ? strchr(text, ',') : NULL;
    double value;
    if (comma && csv->decimal == ',' && csv_cell_kind(csv, cell, &value) == IO_NUMBER)
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
        reader->numeric[i] = !csv_is_word(csv, &csv->cell[i]) && !io_says_none(csv->cell[i].text, csv->cell[i].length);
    for (int i = 0; !status && row.cells > 0 && i < reader->columns; i++)
        look_at_cell(reader, i);
    return status || row.cells == 0 ? status : csv_look_ahead(reader, error);
}

/* What is no text, but often meant as a table. */
static surekrig_status check_beginning(const io_source *source, surekrig_error *error)
{
    static const char UTF16[] = "is text in UTF-16, and UTF-8 is needed: 'iconv -f UTF-16 -t UTF-8' makes it of it";
    static const struct {
        const char *bytes;
        size_t count;
        const char *what;
    } OTHERS[] = {
        {"\xff\xfe", 2, UTF16},
        {"\xfe\xff", 2, UTF16},
        {"\x1f\x8b", 2, "is compressed by gzip: 'gunzip' it first, or read the output of 'gunzip -c' as -"},
        {"PK\3\4", 4, "is a ZIP archive, as .xlsx and .npz files are: write its table as CSV, or an array as NPY"},
        {"PAR1\x15", 5, "is a Parquet file, which is not read here: write its table as CSV"},
    };
    for (size_t i = 0; i < sizeof OTHERS / sizeof *OTHERS; i++)
        if (source->end >= OTHERS[i].count && !memcmp(source->buffer, OTHERS[i].bytes, OTHERS[i].count))
            return io_fail(error, SUREKRIG_FILE, "%s %s", io_label(source->path), OTHERS[i].what);
    return SUREKRIG_OK;
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
    surekrig_status status = check_beginning(csv->source, error);
    if (!status)
        status = csv_find_separator(csv, error);
    if (!status)
        status = csv_find_decimal(csv, reader->dialect.decimal, error);
    if (!status)
        status = take_columns(reader, &row, error);
    if (!status && !reader->dialect.no_header && csv_is_header(csv)) {
        reader->named = true;
        status = csv_take_names(csv, reader, error);
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
