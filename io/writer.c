/* Rows of doubles into CSV or NPY. */
#include "internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(IO_BUFFER > IO_PRINTED, "a number and what follows it are written into the buffer");

struct io_writer {
    io_target target;
    bool npy;
    int columns;
    int64_t rows;
};

/* ----------------------------------------------------------------------------------------------------------- CSV */

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

static surekrig_status append_csv_header(io_writer *writer, const char *const *names, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
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
static size_t print_cell(double value, bool only, char *text)
{
    if (!isnan(value))
        return io_print_number(value, text);
    memcpy(text, "\"\"", 2); /* alone: an empty line would be no row */
    return only ? 2 : 0;
}

static surekrig_status append_csv(io_writer *writer, int64_t rows, const double *value, surekrig_error *error)
{
    io_target *target = &writer->target;
    int column = 0;
    for (const double *end = value + rows * writer->columns; value < end; value++) {
        surekrig_status status = io_target_reserve(target, IO_PRINTED + 1, error);
        if (status)
            return status;
        target->used += print_cell(*value, writer->columns == 1, target->buffer + target->used);
        column = column + 1 < writer->columns ? column + 1 : 0;
        target->buffer[target->used++] = column ? ',' : '\n';
    }
    return SUREKRIG_OK;
}

/* ----------------------------------------------------------------------------------------------------------- NPY */

enum { NPY_HEADER = 128, NPY_PREFIX = 10 }; /* the first: a multiple of 64 with room for any shape */

/* Version 1.0: magic, version, length of the rest, and the rest padded with blanks up to a line feed. */
static void npy_header(const io_writer *writer, char header[NPY_HEADER])
{
    char *dictionary = header + NPY_PREFIX;
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = NPY_HEADER - NPY_PREFIX;
    header[9] = 0;
    memset(dictionary, ' ', NPY_HEADER - NPY_PREFIX);
    int length = snprintf(dictionary, NPY_HEADER - NPY_PREFIX,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%lld, %d), }", (long long)writer->rows,
                          writer->columns);
    dictionary[length] = ' ';
    header[NPY_HEADER - 1] = '\n';
}

static surekrig_status append_npy_header(io_writer *writer, surekrig_error *error)
{
    char header[NPY_HEADER];
    npy_header(writer, header);
    return io_target_append(&writer->target, header, NPY_HEADER, error);
}

static surekrig_status settle_npy_header(io_writer *writer, surekrig_error *error)
{
    char header[NPY_HEADER];
    npy_header(writer, header);
    return io_target_rewrite(&writer->target, header, NPY_HEADER, error);
}

/* ---------------------------------------------------------------------------------------------------- the writer */

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

surekrig_status io_create(const char *path, int columns, const char *const *names, io_writer **writer,
                          surekrig_error *error)
{
    if (columns < 1)
        return io_fail(error, SUREKRIG_INVALID, "%d columns to write to %s: at least 1 is needed", columns,
                       io_label(path));
    io_writer *created = calloc(1, sizeof *created);
    if (!created)
        return io_fail_memory(error, path);
    io_prepare_numbers();
    created->npy = ends_in(path, ".npy");
    created->columns = columns;
    surekrig_status status = io_target_open(&created->target, path, error);
    if (!status)
        status = created->npy ? append_npy_header(created, error) : append_csv_header(created, names, error);
    if (status)
        io_discard(created);
    else
        *writer = created;
    return status;
}

surekrig_status io_write(io_writer *writer, int64_t rows, const double *value, surekrig_error *error)
{
    writer->rows += rows;
    if (!writer->npy)
        return append_csv(writer, rows, value, error);
    size_t bytes = (size_t)rows * (size_t)writer->columns * sizeof *value;
    return io_target_append(&writer->target, value, bytes, error);
}

surekrig_status io_commit(io_writer *writer, surekrig_error *error)
{
    surekrig_status status = writer->npy ? settle_npy_header(writer, error) : SUREKRIG_OK;
    if (!status)
        status = io_target_commit(&writer->target, error);
    io_discard(writer);
    return status;
}

void io_discard(io_writer *writer)
{
    if (!writer)
        return;
    io_target_close(&writer->target);
    free(writer);
}
