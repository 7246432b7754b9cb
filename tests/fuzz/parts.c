/* A table cut into parts gives the rows of the whole, or its failure: the first byte says how it is read, as in csv.c. */
#include "fuzz.h"

#include <math.h>

enum { PARTS = 5 };

/* What came of the rows' bits, and the failure, if there is one. */
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

static void read_parts(const io_tables *tables, seen *to)
{
    io_part_count count[PARTS];
    io_reader *reader = NULL;
    for (int p = 0; p < PARTS && !to->error.status; p++)
        to->error.status = io_count_part(tables, p, PARTS, &count[p], &to->error);
    for (int p = 0; p < PARTS && !to->error.status; p++)
        if (!(to->error.status = io_open_part(tables, p, PARTS, count, &reader, &to->error)))
            read_rest(reader, to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    fuzz_stream s = {bytes, count};
    uint64_t how = fuzz_take(&s, 1);
    io_dialect dialect = {.no_header = how & 1, .decimal = how & 2 ? ',' : how & 4 ? '.' : 0};
    const char *path = "t.csv";
    io_reader *reader = NULL;
    seen whole = {0}, cut = {0};
    fuzz_enter_folder();
    fuzz_write(path, s.byte, s.left);
    if (!(whole.error.status = io_open(path, &dialect, &reader, &whole.error)))
        read_rest(reader, &whole);
    read_parts(&(io_tables){1, &path, &dialect}, &cut);
    FUZZ_HOLDS(cut.error.status == whole.error.status, "parts fail otherwise than the whole");
    FUZZ_HOLDS(!strcmp(cut.error.sentence, whole.error.sentence), "another sentence for parts");
    FUZZ_HOLDS(whole.error.status || cut.mark == whole.mark, "other rows in parts");
    return 0;
}
