/* CSV: whether the first row is one of names, and these. */
#include "csv.h"

#include <stdlib.h>
#include <string.h>

static bool is_date(const csv_cell *cell)
{
    double days;
    return io_parse_date(cell->text, cell->length, &days) != IO_NO_DATES;
}

bool csv_is_header(const csv_table *csv)
{
    for (int i = 0; i < csv->columns; i++)
        if (csv_is_word(csv, &csv->cell[i]) && !is_date(&csv->cell[i]))
            return true;
    return false;
}

char *csv_text_of(const csv_cell *cell)
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

int csv_twins(int columns, char *const *name, int twin[2])
{
    char *const **sorted = malloc((size_t)columns * sizeof *sorted); /* [columns] into name */
    if (!sorted)
        return -1;
    for (int i = 0; i < columns; i++)
        sorted[i] = &name[i];
    qsort(sorted, (size_t)columns, sizeof *sorted, by_name);
    int found = 0;
    for (int i = 1; i < columns && !found; i++)
        if ((found = !strcmp(*sorted[i - 1], *sorted[i]))) {
            twin[0] = (int)(sorted[i - 1] - name);
            twin[1] = (int)(sorted[i] - name);
        }
    free(sorted);
    return found;
}

static surekrig_status check_names(const io_reader *reader, surekrig_error *error)
{
    int twin[2], found = csv_twins(reader->columns, reader->name, twin);
    char shown[IO_SHOWN];
    if (found < 0)
        return io_fail_memory(error, reader->source.path);
    const char *name = found ? reader->name[twin[0]] : "";
    return !found
               ? SUREKRIG_OK
               : io_fail(error, SUREKRIG_FILE, "%s: columns %d and %d are both named '%s'",
                         io_label(reader->source.path), twin[0] + 1, twin[1] + 1, io_show(name, strlen(name), shown));
}

surekrig_status csv_take_names(const csv_table *csv, io_reader *reader, surekrig_error *error)
{
    for (int i = 0; i < reader->columns; i++) {
        reader->nameless[i] = csv->cell[i].length == 0;
        if (reader->nameless[i])
            continue; /* stays c<i> */
        char *name = csv_text_of(&csv->cell[i]);
        if (!name)
            return io_fail_memory(error, reader->source.path);
        io_plain(name, ' ');
        free(reader->name[i]);
        reader->name[i] = name;
    }
    return check_names(reader, error);
}
