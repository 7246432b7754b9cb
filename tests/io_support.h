/* Files in a folder of the test's own: put, read back, compared. */
#ifndef IO_SUPPORT_H
#define IO_SUPPORT_H

#include "io.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static char folder[] = "/tmp/surekrig-io-XXXXXX";

static inline int enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

/* Which is empty only if each test has removed its files, and no writer left a temporary one. */
static inline int leave_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder);
}

static inline void put(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static inline char *get(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    char *text = calloc(1, (size_t)info.st_size + 1);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(text, 1, (size_t)info.st_size, file), info.st_size);
    fclose(file);
    return text;
}

static inline void assert_text(const char *path, const char *expected)
{
    char *text = get(path);
    assert_string_equal(text, expected);
    free(text);
}

static inline void assert_ok(surekrig_status status, const surekrig_error *error)
{
    if (status)
        fail_msg("status %d: %s", status, error->sentence);
}

static inline void assert_says(const surekrig_error *error, const char *part)
{
    if (!strstr(error->sentence, part))
        fail_msg("'%s' does not say '%s'", error->sentence, part);
}

static inline void assert_same_bits(const double *a, const double *b, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (memcmp(&a[i], &b[i], sizeof a[i]) != 0 && !(isnan(a[i]) && isnan(b[i])))
            fail_msg("value %lld: %.17g is not %.17g", (long long)i, a[i], b[i]);
}

/* All that is left, a batch at a time; *value is the caller's to free. */
static inline int64_t read_rows(io_reader *reader, int64_t batch, int columns, double **value)
{
    surekrig_error error;
    int64_t total = 0, rows = 1, room = 0;
    for (*value = NULL; rows > 0; total += rows) {
        if (total + batch > room) {
            room = 2 * room + batch;
            *value = realloc(*value, (size_t)(room * columns) * sizeof **value);
        }
        assert_ok(io_read(reader, batch, *value + total * columns, &rows, &error), &error);
    }
    return total;
}

static inline io_reader *open_file(const char *path, bool header)
{
    io_reader *reader = NULL;
    surekrig_error error;
    assert_ok(io_open(path, &(io_dialect){.no_header = !header}, &reader, &error), &error);
    return reader;
}

static inline void write_file(const char *path, int columns, int64_t rows, const double *value)
{
    static const char *const names[] = {"x", "y", "z"};
    io_writer *writer = NULL;
    surekrig_error error;
    assert_ok(io_create(path, columns, names, &writer, &error), &error);
    assert_ok(io_write(writer, rows, value, &error), &error);
    assert_ok(io_commit(writer, &error), &error);
}

static inline uint64_t random_bits(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* All exponents, subnormals and infinities; NaN becomes 1. */
static inline double random_double(uint64_t *state)
{
    uint64_t bits = random_bits(state);
    double value;
    memcpy(&value, &bits, sizeof value);
    return isnan(value) ? 1 : value;
}

static inline void assert_names(const io_reader *reader, const char *expected)
{
    char joined[100] = "";
    for (int i = 0; i < io_columns(reader); i++) {
        strcat(strcat(joined, i ? "|" : ""), io_column_name(reader, i));
        assert_int_equal(io_find_column(reader, io_column_name(reader, i)), i);
    }
    assert_string_equal(joined, expected);
    assert_int_equal(io_find_column(reader, "no such name"), -1);
}

/* Opens and reads; the status of whichever fails. */
static inline surekrig_status try_to_read(const char *path, surekrig_error *error)
{
    io_reader *reader = NULL;
    surekrig_status status = io_open(path, NULL, &reader, error);
    double value[64];
    for (int64_t rows = 1; !status && rows > 0;)
        status = io_read(reader, 64 / io_columns(reader), value, &rows, error);
    io_close(reader);
    return status;
}

#endif
