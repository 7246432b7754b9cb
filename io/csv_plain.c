/* CSV: rows in which nothing is unusual, in one pass over their bytes. Whatever is unusual, a fault among it, is left
 * to csv_rows.c, which begins the row again. */
#include "csv.h"

#include <math.h>

/* A number without quotes, or nothing; its end, or NULL where it is neither. */
static const char *take_number(const csv_table *csv, const char *at, double *value)
{
    while (*at == ' ')
        at++;
    if (csv->stop[(unsigned char)*at]) {
        *value = NAN;
        return csv->columns > 1 ? at : NULL; /* alone it would be a blank line */
    }
    at = io_scan_number(at, value);
    return at && !isinf(*value) ? at : NULL;
}

static const char *skip_cell(const csv_table *csv, const char *at)
{
    while (*at == ' ')
        at++;
    if (*at == '"' || *at == '\t')
        return *at == csv->separator ? at : NULL;
    while (!csv->stop[(unsigned char)*at])
        at++;
    return at;
}

bool csv_read_plain_row(csv_table *csv)
{
    const char *at = csv->source->buffer + csv->source->begin;
    for (int i = 0; i < csv->columns; i++) {
        if (i > 0 && *at++ != csv->separator)
            return false;
        at = csv->wanted[i] ? take_number(csv, at, &csv->number[i]) : skip_cell(csv, at);
        if (!at)
            return false;
    }
    at += *at == '\r';
    if (*at != '\n') /* a NUL at the window's end, too */
        return false;
    csv->source->begin = (size_t)(at + 1 - csv->source->buffer);
    csv->line++;
    return true;
}
