/* What the fuzzers share: the input as a file, as a stream of small choices, and what no input may make happen. Each
 * NAME.c here is one fuzzer, of clang's libFuzzer: scripts/fuzz builds and runs them. A first line "link: FLAGS" in a
 * comment adds flags of the linker. */
#ifndef FUZZ_H
#define FUZZ_H

#include "io.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* What a fuzzer finds wrong, where no sanitizer would. */
#define FUZZ_HOLDS(condition, what)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "ERROR: fuzz: %s: %s\n", what, #condition);                                                \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A failure has its status and one sentence. */
static inline void fuzz_failed(surekrig_status status, const surekrig_error *error)
{
    FUZZ_HOLDS(error->status == status && strlen(error->sentence) > 3, "a failure without its sentence");
}

/* A folder for this process, in memory or where TMPDIR says, in which the fuzzer then is. */
static inline void fuzz_enter_folder(void)
{
    static char folder[4096];
    static bool inside;
    const char *in = getenv("TMPDIR");
    if (!inside)
        snprintf(folder, sizeof folder, "%s/surekrig-fuzz-XXXXXX", in ? in : "/dev/shm");
    if (!inside && (!mkdtemp(folder) || chdir(folder)))
        abort();
    inside = true;
}

static inline void fuzz_write(const char *path, const void *bytes, size_t count)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count || close(fd))
        abort();
}

/* The input, a few bytes at a time; zeros past its end. */
typedef struct fuzz_stream {
    const uint8_t *byte;
    size_t left;
} fuzz_stream;

static inline uint64_t fuzz_take(fuzz_stream *s, size_t bytes)
{
    uint64_t value = 0;
    size_t count = bytes < s->left ? bytes : s->left;
    memcpy(&value, s->byte, count);
    s->byte += count;
    s->left -= count;
    return value;
}

/* A number: often one of those that break things. */
static inline double fuzz_number(fuzz_stream *s)
{
    static const double ODD[] = {0,     -1,     1,      0.5,   -0.0,   1.0 / 0.0,    -1.0 / 0.0,         0.0 / 0.0,
                                 1e308, 1e-308, 5e-324, 1e100, -1e100, 2147483648.0, 9007199254740993.0, 9.3e18};
    uint64_t which = fuzz_take(s, 1), bits = which < 240 ? 0 : fuzz_take(s, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return which < 128 ? ODD[which % 16] : which < 240 ? (double)which - 184 : value;
}

/* A short text of any bytes. */
static inline const char *fuzz_text(fuzz_stream *s, char text[17])
{
    size_t length = fuzz_take(s, 1) % 17;
    memset(text, 0, 17);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)fuzz_take(s, 1);
    return text;
}

/* Opened and read to its end, a few rows at a time; all columns, or the last and the first; cells kept. */
static inline void fuzz_read_table(const char *path, const io_dialect *dialect, bool some)
{
    enum { BATCH = 3, MOST = 100000 };
    surekrig_error error = {0};
    io_reader *reader = NULL;
    surekrig_status status = io_open(path, dialect, &reader, &error);
    if (status) {
        fuzz_failed(status, &error);
        return;
    }
    int columns = io_columns(reader), ends[2] = {columns - 1, 0};
    FUZZ_HOLDS(columns >= 1, "a table without columns");
    for (int i = 0; i < columns && i < 20; i++)
        FUZZ_HOLDS(io_find_column(reader, io_column_name(reader, i)) >= 0, "a column without a name"); /* the first */
    if (some && !io_select(reader, 2, ends, &error))
        io_keep(reader, 1, ends, &error);
    double *value = malloc(BATCH * (size_t)io_selected(reader) * sizeof *value);
    int64_t rows = BATCH;
    for (int64_t read = 0; value && rows > 0 && read < MOST && !status; read += rows) {
        status = io_read(reader, BATCH, value, &rows, &error);
        if (status)
            fuzz_failed(status, &error);
        else
            FUZZ_HOLDS(rows >= 0 && rows <= BATCH && io_rows_left(reader) >= 0, "more rows than were asked for");
    }
    free(value);
    io_close(reader);
}

#endif
