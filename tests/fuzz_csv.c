/* Any bytes at all, as a file: opened and read to the end without a crash, a leak or an endless loop. A tiny buffer
 * puts its edge everywhere. CSV and NPY alike, as io_open takes whatever the bytes look like.
 *
 * clang -std=gnu17 -g -O1 -fsanitize=fuzzer,address,undefined -DIO_BUFFER=64 -Iinclude -Iio io/[a-z]*.c
 * io/raster/[a-z]*.c tests/fuzz_csv.c -lm -ldl */
#include "io.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int memfd_create(const char *name, unsigned flags); /* declared only under _GNU_SOURCE */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void read_all(const char *path, bool header)
{
    enum { BATCH = 3 };
    surekrig_error error;
    io_reader *reader = NULL;
    if (io_open(path, &(io_dialect){.no_header = !header}, &reader, &error))
        return;
    double *value = malloc(BATCH * (size_t)io_columns(reader) * sizeof *value);
    int64_t rows = BATCH;
    while (rows > 0 && io_read(reader, BATCH, value, &rows, &error) == SUREKRIG_OK)
        ;
    free(value);
    io_close(reader);
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
