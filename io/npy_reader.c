/* NPY, NumPy's format for one array: magic, version, length, a Python dictionary as text, the values.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "internal.h"

enum { NPY_MAGIC = 6 }; /* bytes of "\x93NUMPY" */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied as they lie in the file");

/* take_TYPE: a column of so many rows, whose values lie `apart` bytes from one another; value: so many numbers apart. */
#define DEFINE_TAKER(type)                                                                                             \
    static void take_##type(int64_t rows, const char *from, size_t apart, double *value, int stride)                   \
    {                                                                                                                  \
        for (; rows > 0; rows--, from += apart, value += stride) {                                                     \
            type found;                                                                                                \
            memcpy(&found, from, sizeof found);                                                                        \
            *value = (double)found;                                                                                    \
        }                                                                                                              \
    }

DEFINE_TAKER(double)
DEFINE_TAKER(float)
DEFINE_TAKER(int64_t)
DEFINE_TAKER(int32_t)
DEFINE_TAKER(int16_t)
DEFINE_TAKER(int8_t)
DEFINE_TAKER(uint64_t)
DEFINE_TAKER(uint32_t)
DEFINE_TAKER(uint16_t)
DEFINE_TAKER(uint8_t)

typedef struct value_type {
    const char *quoted;
    size_t size;
    void (*take)(int64_t rows, const char *from, size_t apart, double *value, int stride);
} value_type;

static const value_type value_types[] = {
    {"'<f8'", 8, take_double},   {"'<f4'", 4, take_float},   {"'<i8'", 8, take_int64_t},  {"'<i4'", 4, take_int32_t},
    {"'<i2'", 2, take_int16_t},  {"'|i1'", 1, take_int8_t},  {"'<u8'", 8, take_uint64_t}, {"'<u4'", 4, take_uint32_t},
    {"'<u2'", 2, take_uint16_t}, {"'|u1'", 1, take_uint8_t}, {"'|b1'", 1, take_uint8_t},
};
enum { VALUE_TYPES = sizeof value_types / sizeof value_types[0] };

typedef struct npy_array {
    const value_type *type;
    int64_t rows, columns;
    int64_t next, stop; /* rows from 0: that comes next, and past the last that is wanted */
    size_t row_bytes;
    bool by_columns; /* in Fortran order */
    int64_t data;    /* where the values begin in the file */
} npy_array;

static bool begins_npy(const io_source *source)
{
    return source->end >= NPY_MAGIC && memcmp(source->buffer, "\x93NUMPY", NPY_MAGIC) == 0;
}

/* -------------------------------------------------------------------------------------------------------- header */

static surekrig_status fail_header(const io_reader *reader, const char *what, surekrig_error *error)
{
    return io_fail(error, SUREKRIG_FILE, "%s is no readable NPY file: %s", io_label(reader->source.path), what);
}

/* What follows "'key':" in the dictionary; "" where there is no such key. */
static const char *value_of(const char *header, const char *quoted_key)
{
    const char *at = strstr(header, quoted_key);
    if (!at)
        return "";
    at += strlen(quoted_key);
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : "";
}

static surekrig_status find_type(const io_reader *reader, const char *header, npy_array *npy, surekrig_error *error)
{
    const char *descr = value_of(header, "'descr'");
    for (int i = 0; i < VALUE_TYPES; i++)
        if (strncmp(descr, value_types[i].quoted, strlen(value_types[i].quoted)) == 0) {
            npy->type = &value_types[i];
            return SUREKRIG_OK;
        }
    if (*descr == '\0')
        return fail_header(reader, "its header names no type", error);
    char shown[IO_SHOWN];
    return io_fail(error, SUREKRIG_FILE,
                   "%s holds values of type %s; f8, f4, i1 to i8, u1 to u8 and b1, little-endian, can be read",
                   io_label(reader->source.path), io_show(descr, strcspn(descr, ",}"), shown));
}

static surekrig_status find_order(const io_reader *reader, const char *header, npy_array *npy, surekrig_error *error)
{
    const char *fortran = value_of(header, "'fortran_order'");
    npy->by_columns = strncmp(fortran, "True", 4) == 0;
    return npy->by_columns || strncmp(fortran, "False", 5) == 0
               ? SUREKRIG_OK
               : fail_header(reader, "its header does not say the order", error);
}

/* One axis of "(12, 3)", from its first digit to past its comma; NULL where there is none. -1: too large. */
static const char *parse_axis(const char *at, int64_t *size)
{
    if (*at < '0' || *at > '9')
        return NULL;
    char *end;
    errno = 0;
    *size = strtoll(at, &end, 10);
    if (errno == ERANGE)
        *size = -1;
    end += *end == 'L'; /* as Python 2 wrote it */
    end += strspn(end, " ");
    if (*end != ',' && *end != ')')
        return NULL;
    end += *end == ',';
    return end + strspn(end, " ");
}

/* How many axes, and the sizes of the first two; -1 where at is no shape. */
static int parse_shape(const char *at, int64_t size[2])
{
    if (*at != '(')
        return -1;
    int axes = 0;
    for (at += 1 + strspn(at + 1, " "); *at != ')'; axes++) {
        int64_t beyond;
        at = parse_axis(at, axes < 2 ? &size[axes] : &beyond);
        if (!at)
            return -1;
    }
    return axes;
}

static surekrig_status find_shape(const io_reader *reader, const char *header, npy_array *npy, surekrig_error *error)
{
    int64_t size[2] = {0, 1};
    int64_t value_bytes = (int64_t)npy->type->size;
    int axes = parse_shape(value_of(header, "'shape'"), size);
    if (axes < 0)
        return fail_header(reader, "its header gives no shape", error);
    if (axes == 0 || axes > 2)
        return io_fail(error, SUREKRIG_FILE, "%s has %d dimensions where 1 or 2 are expected",
                       io_label(reader->source.path), axes);
    if (size[1] == 0)
        return io_fail(error, SUREKRIG_FILE, "%s has no columns", io_label(reader->source.path));
    if (size[0] < 0 || size[1] < 0 || size[1] > (int64_t)IO_LONGEST_ROW / value_bytes ||
        size[0] > INT64_MAX / size[1] / value_bytes)
        return fail_header(reader, "its shape is too large", error);
    npy->rows = npy->stop = size[0];
    npy->columns = size[1];
    npy->row_bytes = (size_t)size[1] * npy->type->size;
    npy->by_columns &= npy->columns > 1; /* one has only one order */
    return SUREKRIG_OK;
}

/* Makes count bytes of the file's beginning available. */
static surekrig_status need_header(io_reader *reader, size_t count, surekrig_error *error)
{
    surekrig_status status = io_source_need(&reader->source, count, error);
    if (!status && reader->source.end < count)
        status = fail_header(reader, "it ends within its header", error);
    return status;
}

/* before: bytes that precede the dictionary; length: bytes of the dictionary. */
static surekrig_status measure_header(io_reader *reader, size_t *before, size_t *length, surekrig_error *error)
{
    enum { LONGEST = 1 << 20 };
    surekrig_status status = need_header(reader, NPY_MAGIC + 6, error);
    if (status)
        return status;
    const unsigned char *bytes = (unsigned char *)reader->source.buffer +
                                 NPY_MAGIC; /* version, minor version, length */
    if (bytes[0] < 1 || bytes[0] > 3)
        return fail_header(reader, "its version is not 1, 2 or 3", error);
    *before = NPY_MAGIC + (bytes[0] == 1 ? 4 : 6);
    *length = bytes[2] | (size_t)bytes[3] << 8;
    if (bytes[0] > 1)
        *length |= (size_t)bytes[4] << 16 | (size_t)bytes[5] << 24;
    if (*length < 1 || *length > LONGEST)
        return fail_header(reader, "its header has no length that could be right", error);
    return SUREKRIG_OK;
}

/* Sets *header to the dictionary, NUL-terminated in the window, and steps over it. */
static surekrig_status take_header(io_reader *reader, char **header, surekrig_error *error)
{
    size_t before = 0, length = 0;
    surekrig_status status = measure_header(reader, &before, &length, error);
    if (!status)
        status = need_header(reader, before + length, error);
    if (status)
        return status;
    *header = reader->source.buffer + before;
    if ((*header)[length - 1] != '\n')
        return fail_header(reader, "its header does not end in a line feed", error);
    (*header)[length - 1] = '\0';
    reader->source.begin = before + length;
    return SUREKRIG_OK;
}

static surekrig_status fail_short(const io_reader *reader, surekrig_error *error)
{
    const npy_array *npy = reader->state;
    return io_fail(error, SUREKRIG_FILE, "%s ends after row %lld of %lld", io_label(reader->source.path),
                   (long long)npy->next, (long long)npy->rows);
}

/* Columns one after the other: a row is everywhere in the file. */
static surekrig_status need_all(const io_reader *reader, surekrig_error *error)
{
    const npy_array *npy = reader->state;
    int64_t left = io_source_left(&reader->source);
    if (left == 0)
        return io_fail(
            error, SUREKRIG_FILE,
            "%s is in Fortran order, which is read from files, not from pipes; numpy.ascontiguousarray gives "
            "C order",
            io_label(reader->source.path));
    if (left / (int64_t)npy->row_bytes < npy->rows)
        return io_fail(error, SUREKRIG_FILE, "%s ends before the last of its %lld columns of %lld rows",
                       io_label(reader->source.path), (long long)npy->columns, (long long)npy->rows);
    return SUREKRIG_OK;
}

/* The first row comes before there is room for its columns: a short file may promise many. */
static surekrig_status need_row(io_reader *reader, surekrig_error *error)
{
    enum { MOST_OF_NOTHING = 1 << 16 };
    const npy_array *npy = reader->state;
    io_source *source = &reader->source;
    if (npy->rows > 0 && npy->by_columns)
        return need_all(reader, error);
    if (npy->rows == 0)
        return npy->columns > MOST_OF_NOTHING ? fail_header(reader, "its shape is too large", error) : SUREKRIG_OK;
    surekrig_status status = io_source_need(source, npy->row_bytes, error);
    return status || source->end - source->begin >= npy->row_bytes ? status : fail_short(reader, error);
}

static surekrig_status open_npy(io_reader *reader, surekrig_error *error)
{
    npy_array *npy = reader->state = calloc(1, sizeof *npy);
    if (!npy)
        return io_fail_memory(error, reader->source.path);
    char *header = NULL;
    surekrig_status status = take_header(reader, &header, error);
    if (!status)
        status = find_order(reader, header, npy, error);
    if (!status)
        status = find_type(reader, header, npy, error);
    if (!status)
        status = find_shape(reader, header, npy, error);
    if (!status)
        status = need_row(reader, error);
    npy->data = status ? 0 : io_source_at(&reader->source);
    return status ? status : io_reader_columns(reader, (int)npy->columns, error);
}

/* -------------------------------------------------------------------------------------------------------- values */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Of so many rows the selected columns, from wherever they lie. */
static surekrig_status read_columns(io_reader *reader, int64_t rows, double *value, surekrig_error *error)
{
    const npy_array *npy = reader->state;
    io_source *source = &reader->source;
    size_t size = npy->type->size, bytes = (size_t)rows * size;
    for (int i = 0; i < reader->selections; i++) {
        int64_t at = npy->data + (reader->selected[i] * npy->rows + npy->next) * (int64_t)size;
        surekrig_status status = io_source_seek(source, at, at + (int64_t)bytes, error);
        if (!status)
            status = io_source_need(source, bytes, error);
        if (status)
            return status;
        if (source->end < bytes)
            return fail_short(reader, error);
        npy->type->take(rows, source->buffer, size, value + i, reader->selections);
    }
    return SUREKRIG_OK;
}

static surekrig_status read_by_columns(io_reader *reader, int64_t limit, double *value, surekrig_error *error)
{
    enum { AT_ONCE = 1 << 14 };
    npy_array *npy = reader->state;
    for (int64_t done = 0, here; done < limit; done += here) {
        here = smaller(limit - done, AT_ONCE);
        surekrig_status status = read_columns(reader, here, value + done * reader->selections, error);
        if (status)
            return status;
        npy->next += here;
    }
    return SUREKRIG_OK;
}

static void take_rows(const io_reader *reader, int64_t rows, const char *from, double *value)
{
    const npy_array *npy = reader->state;
    for (int i = 0; i < reader->selections; i++)
        npy->type->take(rows, from + (size_t)reader->selected[i] * npy->type->size, npy->row_bytes, value + i,
                        reader->selections);
}

static surekrig_status read_npy(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error)
{
    npy_array *npy = reader->state;
    io_source *source = &reader->source;
    int64_t done = 0;
    limit = *rows = smaller(limit, npy->stop - npy->next);
    if (npy->by_columns)
        return read_by_columns(reader, limit, value, error);
    while (done < limit) {
        surekrig_status status = io_source_need(source, npy->row_bytes, error);
        if (status)
            return status;
        int64_t here = smaller(limit - done, (int64_t)((source->end - source->begin) / npy->row_bytes));
        if (here == 0)
            return fail_short(reader, error);
        take_rows(reader, here, source->buffer + source->begin, value + done * reader->selections);
        source->begin += (size_t)here * npy->row_bytes;
        npy->next += here;
        done += here;
    }
    return SUREKRIG_OK;
}

/* What the header says, unless the file is too short for it. */
static int64_t npy_rows_left(const io_reader *reader)
{
    const npy_array *npy = reader->state;
    int64_t left = npy->stop - npy->next;
    return npy->by_columns ? left : smaller(left, io_source_left(&reader->source) / (int64_t)npy->row_bytes);
}

/* ---------------------------------------------------------------------------------------------------------- parts */

/* The first row that begins at this byte or after it. */
static int64_t row_from(const npy_array *npy, int64_t data, int64_t byte)
{
    int64_t size = (int64_t)npy->row_bytes;
    return byte <= data ? 0 : smaller(npy->rows, (byte - data + size - 1) / size);
}

static surekrig_status count_npy(io_reader *reader, int64_t begin, int64_t end, io_part_count *count,
                                 surekrig_error *error)
{
    (void)error;
    const npy_array *npy = reader->state;
    int64_t data = npy->data, first = row_from(npy, data, begin), rows = row_from(npy, data, end);
    for (int i = 0; i < IO_CUTS; i++) {
        count->by[i].rows = count->by[i].last_rows = rows - first;
        count->by[i].first = rows > first ? data + first * (int64_t)npy->row_bytes : -1;
    }
    return SUREKRIG_OK;
}

static surekrig_status enter_npy(io_reader *reader, const io_piece *piece, surekrig_error *error)
{
    npy_array *npy = reader->state;
    int64_t data = npy->data, bytes = data + npy->rows * (int64_t)npy->row_bytes;
    npy->next = row_from(npy, data, piece->begin);
    if (piece->end < piece->file_size)
        npy->stop = row_from(npy, data, piece->end);
    return io_source_seek(&reader->source, data + npy->next * (int64_t)npy->row_bytes, bytes, error);
}

const io_read_format io_read_npy = {begins_npy, NULL,  open_npy,  read_npy, npy_rows_left,
                                    free,       false, count_npy, enter_npy};
