/* Any bytes at all, as a file: opened and read to the end without a crash, a leak or an endless loop. A tiny buffer
 * puts its edge everywhere. CSV and NPY alike, as io_open takes whatever the bytes look like; and in parts as
 * whole.
 *
 * clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -DIO_BUFFER=64 -Iinclude -Iio io/[a-z]*.c
 * io/raster/[a-z]*.c tests/fuzz_csv.c -lm -ldl */
#include "io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int memfd_create(const char *name, unsigned flags); /* declared only under _GNU_SOURCE */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Rows, their bits and the failure, if there is one. */
typedef struct seen {
    uint64_t mark;
    surekrig_error error;
} seen;

static void read_rest(io_reader *reader, seen *to)
{
    enum { BATCH = 3 };
    double *value = malloc(BATCH * (size_t)io_columns(reader) * sizeof *value);
    int64_t rows = BATCH;
    while (rows > 0 && !(to->error.status = io_read(reader, BATCH, value, &rows, &to->error)))
        for (int64_t i = 0; i < rows * io_columns(reader); i++) {
            uint64_t bits = 0;
            if (!isnan(value[i]))
                memcpy(&bits, &value[i], sizeof bits);
            to->mark = (to->mark ^ bits) * 0x9e3779b97f4a7c15u + 1;
        }
    free(value);
    io_close(reader);
}

static void read_parts(const io_tables *tables, int parts, seen *to)
{
    io_part_count count[8];
    io_reader *reader = NULL;
    for (int p = 0; p < parts && !to->error.status; p++)
        to->error.status = io_count_part(tables, p, parts, &count[p], &to->error);
    for (int p = 0; p < parts && !to->error.status; p++)
        if (!(to->error.status = io_open_part(tables, p, parts, count, &reader, &to->error)))
            read_rest(reader, to);
}

/* As a whole, and in parts, which must come to the same. */
static void read_all(const char *path, bool header)
{
    io_reader *reader = NULL;
    io_dialect dialect = {.no_header = !header};
    seen whole = {0}, cut = {0};
    if (!(whole.error.status = io_open(path, &dialect, &reader, &whole.error)))
        read_rest(reader, &whole);
    read_parts(&(io_tables){1, &path, &dialect}, 5, &cut);
    if (cut.error.status != whole.error.status || strcmp(cut.error.sentence, whole.error.sentence) != 0 ||
        (!whole.error.status && cut.mark != whole.mark))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        abort();
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_all(path, true);
    read_all(path, false);
    close(fd);
    return 0;
}
