/* Rows of doubles into NPY (npy_reader.c has the format). */
#include "internal.h"

#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied as they lie in memory");

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

static surekrig_status begin_npy(io_writer *writer, const char *const *names, surekrig_error *error)
{
    (void)names; /* NPY has none */
    char header[NPY_HEADER];
    npy_header(writer, header);
    return io_target_append(&writer->target, header, NPY_HEADER, error);
}

static surekrig_status append_npy(io_writer *writer, int64_t rows, const double *value, surekrig_error *error)
{
    return io_target_append(&writer->target, value, (size_t)rows * (size_t)writer->columns * sizeof *value, error);
}

/* Now the number of rows is known. */
static surekrig_status finish_npy(io_writer *writer, surekrig_error *error)
{
    char header[NPY_HEADER];
    npy_header(writer, header);
    return io_target_rewrite(&writer->target, header, NPY_HEADER, error);
}

static int64_t place_npy(const io_writer *writer, int64_t row)
{
    return NPY_HEADER + row * writer->columns * (int64_t)sizeof(double);
}

const io_write_format io_write_npy = {".npy", begin_npy, append_npy, finish_npy, place_npy};
