/* One reader in front of all formats that are read. */
#include "internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ADDRESS(name) &io_read_##name,
static const io_read_format *const READERS[] = {IO_READERS(ADDRESS)};
enum { READERS_COUNT = sizeof READERS / sizeof *READERS };

bool io_names_table(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcasecmp(dot, ".csv") || !strcasecmp(dot, ".tsv") || !strcasecmp(dot, ".npy"));
}

static const io_read_format *format_by_name(const char *path)
{
    for (int i = 0; i < READERS_COUNT; i++)
        if (READERS[i]->names && READERS[i]->names(path))
            return READERS[i];
    return NULL;
}

static const io_read_format *format_by_beginning(const io_source *source)
{
    for (int i = 0; i < READERS_COUNT - 1; i++)
        if (READERS[i]->begins(source))
            return READERS[i];
    return READERS[READERS_COUNT - 1];
}

static surekrig_status open_format(io_reader *reader, const char *path, surekrig_error *error)
{
    io_source *source = &reader->source;
    reader->format = format_by_name(path);
    if (reader->format) { /* which opens it itself */
        source->path = strdup(path);
        return source->path ? reader->format->open(reader, error) : io_fail_memory(error, path);
    }
    surekrig_status status = io_source_open(source, path, error);
    if (!status)
        status = io_source_need(source, IO_MAGIC, error);
    if (status)
        return status;
    if (source->end == 0)
        return io_fail(error, SUREKRIG_FILE, "%s is empty", io_label(source->path));
    reader->format = format_by_beginning(source);
    return reader->format->open(reader, error);
}

/* Numbers among the marks of a missing value count in every format, and by value: -9999 is -9999.0 too. Needs the C
 * locale. */
static surekrig_status take_dialect(io_reader *reader, const io_dialect *dialect, surekrig_error *error)
{
    reader->dialect = *dialect;
    if (!dialect->missing)
        return SUREKRIG_OK;
    char *copy = strdup(dialect->missing);
    reader->dialect.missing = copy;
    reader->mark = malloc((strlen(dialect->missing) / 2 + 1) * sizeof *reader->mark);
    if (!copy || !reader->mark)
        return io_fail_memory(error, "a table");
    for (const char *at = copy; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char *end;
        errno = 0;
        double number = strtod(at, &end);
        bool too_large = isinf(number) && errno == ERANGE; /* which is a word, and does not stand for inf */
        if (end > at && (!*end || *end == ',') && !isnan(number) && !too_large)
            reader->mark[reader->marks++] = number;
    }
    return SUREKRIG_OK;
}

bool io_is_mark(const char *missing, const char *text, size_t length)
{
    for (const char *at = missing; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && strncasecmp(at, text, length) == 0)
            return true;
    return false;
}

/* What is common to all readers. */
surekrig_status io_reader_new(const char *path, const io_dialect *dialect, io_reader **reader, surekrig_error *error)
{
    io_reader *made = *reader = calloc(1, sizeof *made);
    if (!made)
        return io_fail_memory(error, path);
    made->source.fd = -1;
    made->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!made->c_locale)
        return io_fail_memory(error, path);
    io_prepare_numbers();
    /* A decimal comma of the caller's locale must not reach strtod. */
    locale_t before = uselocale(made->c_locale);
    surekrig_status status = take_dialect(made, dialect ? dialect : &(io_dialect){0}, error);
    uselocale(before);
    return status;
}

surekrig_status io_open_file(const char *path, const io_dialect *dialect, io_reader **reader, surekrig_error *error)
{
    io_reader *opened = NULL;
    surekrig_status status = io_reader_new(path, dialect, &opened, error);
    if (!status) {
        locale_t before = uselocale(opened->c_locale);
        status = open_format(opened, path, error);
        uselocale(before);
    }
    if (status)
        io_close(opened);
    else
        *reader = opened;
    return status;
}

surekrig_status io_open_all(const io_tables *tables, io_reader **reader, surekrig_error *error)
{
    io_pieces all = {.rows = -1};
    surekrig_status status = io_find_files(tables, &all.files, error);
    if (!status && all.files.count > 1)
        return io_open_pieces(&all, tables->dialect, reader, error);
    if (!status)
        status = io_open_file(all.files.path[0], tables->dialect, reader, error);
    io_free_pieces(&all);
    return status;
}

surekrig_status io_open(const char *path, const io_dialect *dialect, io_reader **reader, surekrig_error *error)
{
    return io_open_all(&(io_tables){1, &path, dialect}, reader, error);
}

void io_close(io_reader *reader)
{
    if (!reader)
        return;
    if (reader->format)
        reader->format->close(reader->state);
    io_source_close(&reader->source);
    if (reader->c_locale)
        freelocale(reader->c_locale);
    for (int i = 0; reader->name && i < reader->columns; i++)
        free(reader->name[i]);
    free(reader->name);
    free(reader->nameless);
    free(reader->numeric);
    free(reader->dates);
    free(reader->date_like);
    free(reader->open);
    free(reader->empty);
    free(reader->selected);
    free(reader->mark);
    free(reader->kept);
    free(reader->cells.bytes);
    free((char *)reader->dialect.missing);
    free(reader);
}

surekrig_status io_reader_columns(io_reader *reader, int columns, surekrig_error *error)
{
    reader->name = calloc((size_t)columns, sizeof *reader->name);
    reader->nameless = calloc((size_t)columns, sizeof *reader->nameless);
    reader->numeric = malloc((size_t)columns * sizeof *reader->numeric);
    reader->dates = calloc((size_t)columns, sizeof *reader->dates);
    reader->date_like = calloc((size_t)columns, sizeof *reader->date_like);
    reader->open = calloc((size_t)columns, sizeof *reader->open);
    reader->empty = calloc((size_t)columns, sizeof *reader->empty);
    reader->selected = malloc((size_t)columns * sizeof *reader->selected);
    reader->columns = reader->selections = columns;
    if (!reader->name || !reader->nameless || !reader->numeric || !reader->dates || !reader->date_like ||
        !reader->open || !reader->empty || !reader->selected)
        return io_fail_memory(error, reader->source.path);
    for (int i = 0; i < columns; i++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", i + 1);
        reader->name[i] = strdup(name);
        if (!reader->name[i])
            return io_fail_memory(error, reader->source.path);
        reader->numeric[i] = true;
        reader->selected[i] = i;
    }
    return SUREKRIG_OK;
}

const char *io_path(const io_reader *reader)
{
    return reader->source.path;
}

int io_columns(const io_reader *reader)
{
    return reader->columns;
}

bool io_named(const io_reader *reader)
{
    return reader->named;
}

const char *io_column_name(const io_reader *reader, int column)
{
    return reader->name[column];
}

bool io_column_nameless(const io_reader *reader, int column)
{
    return reader->nameless[column];
}

bool io_column_numeric(const io_reader *reader, int column)
{
    return reader->numeric[column];
}

io_dates io_column_dates(const io_reader *reader, int column)
{
    return reader->dates[column];
}

bool io_column_date_like(const io_reader *reader, int column)
{
    return reader->date_like[column];
}

bool io_column_open(const io_reader *reader, int column)
{
    return reader->open[column];
}

bool io_column_empty(const io_reader *reader, int column)
{
    return reader->empty[column];
}

const char *io_kept_cells(const io_reader *reader)
{
    return reader->cells.bytes;
}

int io_find_column(const io_reader *reader, const char *name)
{
    for (int i = 0; i < reader->columns; i++)
        if (strcmp(reader->name[i], name) == 0)
            return i;
    return -1;
}

surekrig_status io_select(io_reader *reader, int count, const int *column, surekrig_error *error)
{
    const char *label = io_label(reader->source.path);
    if (count < 1)
        return io_fail(error, SUREKRIG_INVALID, "%d columns of %s selected: at least 1 is needed", count, label);
    for (int i = 0; i < count; i++)
        if (column[i] < 0 || column[i] >= reader->columns)
            return io_fail(error, SUREKRIG_INVALID, "column %lld of %s selected, which has %d",
                           (long long)column[i] + 1, label, reader->columns);
    int *selected = malloc((size_t)count * sizeof *selected);
    if (!selected)
        return io_fail_memory(error, reader->source.path);
    memcpy(selected, column, (size_t)count * sizeof *selected);
    free(reader->selected);
    reader->selected = selected;
    reader->selections = count;
    return SUREKRIG_OK;
}

surekrig_status io_keep(io_reader *reader, int count, const int *column, surekrig_error *error)
{
    if (!reader->format->keeps)
        return io_fail(error, SUREKRIG_INVALID, "%s is no table with text: its columns cannot be carried over",
                       io_label(reader->source.path));
    free(reader->kept);
    reader->keeps = 0;
    reader->kept = malloc(((size_t)count + 1) * sizeof *reader->kept);
    if (!reader->kept)
        return io_fail_memory(error, reader->source.path);
    memcpy(reader->kept, column, (size_t)count * sizeof *column);
    reader->keeps = count;
    return SUREKRIG_OK;
}

bool io_text_append(io_text *text, const char *bytes, size_t count)
{
    if (text->used + count > text->room) {
        size_t room = 2 * text->room + count + 4096;
        char *grown = realloc(text->bytes, room);
        if (!grown)
            return false;
        text->bytes = grown;
        text->room = room;
    }
    memcpy(text->bytes + text->used, bytes, count);
    text->used += count;
    return true;
}

bool io_text_cell(io_text *text, const char *cell)
{
    bool quotes = cell[strcspn(cell, ",;\t\r\n\"")] != 0, whole = !quotes || io_text_append(text, "\"", 1);
    for (; *cell && whole; cell++)
        whole = (*cell != '"' || io_text_append(text, "\"", 1)) && io_text_append(text, cell, 1);
    return whole && io_text_append(text, quotes ? "\"," : ",", quotes ? 2 : 1);
}

int io_selected(const io_reader *reader)
{
    return reader->selections;
}

const char *io_selected_name(const io_reader *reader, int place)
{
    return reader->name[reader->selected[place]];
}

int64_t io_rows_left(const io_reader *reader)
{
    return reader->format->rows_left(reader);
}

surekrig_status io_read(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error)
{
    locale_t before = uselocale(reader->c_locale);
    reader->cells.used = 0;
    surekrig_status status = reader->format->read(reader, limit, value, rows, error);
    uselocale(before);
    for (int m = 0; m < reader->marks && !status; m++)
        for (int64_t i = 0; i < *rows * reader->selections; i++)
            value[i] = value[i] == reader->mark[m] ? NAN : value[i];
    return status;
}
