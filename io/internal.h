/* What the files of io/ share. Nobody else includes this. */
#ifndef SUREKRIG_IO_INTERNAL_H
#define SUREKRIG_IO_INTERNAL_H

#include "io.h"

#include <locale.h>
#include <stddef.h>

/* Bytes read or written at a time; tests and the fuzzer make it tiny to meet its edges everywhere. */
#ifndef IO_BUFFER
#define IO_BUFFER (256 << 10)
#endif
/* A row is held whole; this ends the search for a line end or a closing quote that never comes. */
#define IO_LONGEST_ROW ((size_t)64 << 20)

/* ---- sentence.c */

surekrig_status io_fail(surekrig_error *error, surekrig_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The end of a path that would crowd everything else out of the sentence. */
const char *io_label(const char *path);
/* Here, so that a checker of the sources sees that what it returns is no SUREKRIG_OK. */
static inline surekrig_status io_fail_memory(surekrig_error *error, const char *path)
{
    io_fail(error, SUREKRIG_MEMORY, "out of memory for the buffers of %s", io_label(path));
    return SUREKRIG_MEMORY;
}

#define IO_SHOWN 168 /* 40 characters of up to 4 bytes, and what marks the cut */
/* Foreign text made fit for a sentence: cut to 40 characters, what is not printable UTF-8 as \xNN. Returns shown. */
const char *io_show(const char *text, size_t length, char shown[IO_SHOWN]);

/* ---- powers.c: 10^k = (t + f) 2^e with t = high 2^64 + low, 2^127 <= t < 2^128, 0 <= f < 1 */

typedef struct io_power {
    uint64_t high, low;
} io_power;

enum { IO_POWER_LEAST = -342, IO_POWER_MOST = 324 };
extern io_power io_powers_of_ten[IO_POWER_MOST - IO_POWER_LEAST + 1];

static inline int io_power_exponent(int k)
{
    return (k * 1741647 >> 19) - 127; /* floor(k log2(10)) - 127 */
}

/* Makes the table where it is not made yet; what follows needs it. */
void io_prepare_numbers(void);

/* ---- parse.c: expects the thread's locale to be C, for what it leaves to libc */

typedef enum io_kind { IO_NUMBER, IO_MISSING, IO_WORD, IO_TOO_LARGE } io_kind;

/* null, None, N/A or #N/A, in any case: missing, but among words, as in a column of notes, a word. */
bool io_says_none(const char *text, size_t length);

#define IO_AHEAD 8 /* bytes past a number's end that can be read, whatever they are */
/* The decimal that text begins with, correctly rounded; its end, or NULL where there is none. */
const char *io_scan_number(const char *text, double *value);
/* value: NaN where missing, untouched where it is no number. The byte text[length] must be no digit. */
io_kind io_parse_number(const char *text, size_t length, double *value);

/* ---- print.c */

#define IO_PRINTED 40
/* The fewest digits that read back to the same double, and of those the closest. Not for NaN. Returns the length; the
 * bytes behind it are used too. */
size_t io_print_number(double value, char text[IO_PRINTED]);

/* ---- date.c */

size_t io_print_date(double days, io_dates style, char text[IO_PRINTED]);
/* Whether people read a date in it, whatever io_parse_date says: 1/31/2024, 31-Jan-24, Jan 31, 2024, 20240131. */
bool io_looks_like_date(const char *text, size_t length);
/* A cell of a column of dates, whose style may become a longer one: NULL, or why it is no date there. */
const char *io_take_date(io_dates *style, const char *text, size_t length, double *days);

/* ---- source.c: the bytes of an input, a window at a time */

typedef struct io_source {
    char *path; /* "standard input" for "-" */
    int fd;
    char *buffer; /* [capacity + IO_AHEAD]: NULs follow the last byte, so that scans need no bound */
    size_t capacity, begin, end;
    int64_t limit; /* bytes that may still be read: to the end of a part of the file */
    bool ended;    /* nothing comes after buffer[end - 1] */
} io_source;

surekrig_status io_source_open(io_source *source, const char *path, surekrig_error *error);
void io_source_close(io_source *source);
/* Makes at least bytes of them available from begin on, or all there are. Moves the buffer. */
surekrig_status io_source_need(io_source *source, size_t bytes, surekrig_error *error);

/* From begin to the end of the file or part; 0 where it is no file. */
int64_t io_source_left(const io_source *source);
/* Where in the file begin stands. */
int64_t io_source_at(const io_source *source);
/* From now on these bytes of the file, and then its end. */
surekrig_status io_source_seek(io_source *source, int64_t begin, int64_t end, surekrig_error *error);

/* ---- target.c: the bytes of an output, which appear at commit */

typedef struct io_target {
    char *path;      /* "standard output" for "-" */
    char *temporary; /* what is written to; NULL: the target itself, a pipe or a device */
    char *final;     /* what temporary is renamed to */
    int fd;
    char *buffer; /* [IO_BUFFER] */
    size_t used;
    int failure; /* errno of the first failed write: what follows it is refused */
} io_target;

surekrig_status io_target_open(io_target *target, const char *path, surekrig_error *error);
/* A further writer of what another writes to: in place, from this byte on, or into a file of its own beside it. */
surekrig_status io_target_join(io_target *target, const io_share *share, int64_t byte, surekrig_error *error);
surekrig_status io_target_own(io_target *target, const io_share *share, surekrig_error *error);
/* What such a file of its own has, to this byte of the other. */
surekrig_status io_target_place(io_target *target, const char *with, int64_t byte, surekrig_error *error);
surekrig_status io_target_flush(io_target *target, surekrig_error *error);
surekrig_status io_target_append(io_target *target, const void *bytes, size_t count, surekrig_error *error);
/* Makes so many bytes of the buffer free, from used on. */
surekrig_status io_target_reserve(io_target *target, size_t bytes, surekrig_error *error);
/* Overwrites the first bytes. */
surekrig_status io_target_rewrite(io_target *target, const void *bytes, size_t count, surekrig_error *error);
/* temporary.c: FINAL.tmp-PID-NUMBER, open and held, with its name; -1 with errno. Those of processes that were killed
 * go. */
int io_temporary_create(const char *final, char **name);
char *io_folder_lock(const char *folder); /* the file that says it is held; NULL: no memory */
/* stale.c: a temporary file is ours as long as it is open; false, with errno: EEXIST where somebody took it for a dead
 * one's. */
bool io_hold(int fd, const char *path);
void io_empty_folder(const char *folder); /* of the files in it */
/* Temporary files and folders of it that nobody holds; path: [room] for another name in its folder. */
void io_remove_stale(const char *final, char *path, size_t room);
/* After it, as without it, io_target_close frees everything and removes what was not committed. */
surekrig_status io_target_commit(io_target *target, surekrig_error *error);
void io_target_close(io_target *target);

/* ---- reader.c: a format that is read fills in this row, and stands in READERS there */

#define IO_MAGIC 72 /* bytes by which a format is told, to be available from source */

/* Bytes of a file from the beginning of a row to that of another, or to the file's end. */
typedef struct io_piece {
    int file;   /* of io_files */
    bool whole; /* what follows does not matter */
    int64_t begin, end, file_size;
    int64_t line, rows; /* line ends and rows before it */
} io_piece;

typedef struct io_read_format {
    /* Whether the first bytes are its, of which a short file has few; the last of IO_READERS is not asked. */
    bool (*begins)(const io_source *source);
    /* Whether this is its way of naming what no file is called; NULL: it has none. */
    bool (*names)(const char *path);
    /* Calls io_reader_columns, then sets whatever names and numeric flags differ from its defaults. */
    surekrig_status (*open)(io_reader *reader, surekrig_error *error);
    surekrig_status (*read)(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error);
    int64_t (*rows_left)(const io_reader *reader);
    void (*close)(void *state);
    bool keeps; /* whether read fills in reader->cells */
    /* Looks over the rows that begin in the bytes from begin to end of a file just opened, into `by` and lines of
     * count, which are those of no rows; NULL: such files are not cut. */
    surekrig_status (*count)(io_reader *reader, int64_t begin, int64_t end, io_part_count *count,
                             surekrig_error *error);
    /* Goes to a piece of the file, just opened. */
    surekrig_status (*enter)(io_reader *reader, const io_piece *piece, surekrig_error *error);
} io_read_format;

/* The first that knows a file by its name or its beginning reads it: CSV, last, takes what is left. */
/* Whether its name ends as those of tables that io reads itself, .csv, .tsv and .npy. */
bool io_names_table(const char *path);

#define IO_READERS(ROW) ROW(npy) ROW(raster) ROW(features) ROW(csv)
#define IO_DECLARE_READER(name) extern const io_read_format io_read_##name;
IO_READERS(IO_DECLARE_READER)

typedef struct io_text {
    char *bytes;
    size_t used, room;
} io_text;

/* False where memory is out. */
bool io_text_append(io_text *text, const char *bytes, size_t count);
/* A cell and a comma, in quotes where something in it asks for them. */
bool io_text_cell(io_text *text, const char *cell);

struct io_reader {
    const io_read_format *format;
    void *state; /* the format's; its close frees it */
    io_source source;
    locale_t c_locale;
    io_dialect dialect; /* missing: a copy, or NULL */
    double *mark;       /* [marks] the numbers in dialect.missing */
    int marks;
    int columns;
    bool named;      /* by a header */
    char **name;     /* [columns] */
    bool *nameless;  /* [columns]: others have one */
    bool *numeric;   /* [columns] */
    io_dates *dates; /* [columns] */
    bool *date_like; /* [columns] */
    bool *empty; /* [columns]: open, and no value in the rows that follow the first, as far as they were looked at */
    bool *open;  /* [columns]: nothing but missing cells so far, so that it may hold numbers or dates */
    int selections;
    int *selected; /* [selections] */
    int keeps;
    int *kept;     /* [keeps] columns */
    io_text cells; /* theirs in the rows read last, as CSV: of each row "7,\"a, b\"," and a NUL */
};

/* Whether text is among the words of dialect.missing, in any case. */
bool io_is_mark(const char *missing, const char *text, size_t length);

/* Columns c1, c2, ..., all numeric, all selected. */
surekrig_status io_reader_columns(io_reader *reader, int columns, surekrig_error *error);
/* A reader of no format yet, to be closed also after a failure. */
surekrig_status io_reader_new(const char *path, const io_dialect *dialect, io_reader **reader, surekrig_error *error);
/* One file, not a pattern. */
surekrig_status io_open_file(const char *path, const io_dialect *dialect, io_reader **reader, surekrig_error *error);

/* ---- files.c: which files tables are, patterns followed */

typedef struct io_files {
    int count;
    char **path;   /* [count] */
    int64_t *size; /* [count] in bytes; 0: no regular file */
} io_files;

surekrig_status io_find_files(const io_tables *tables, io_files *files, surekrig_error *error);
void io_free_files(io_files *files);

/* ---- pieces.c: pieces of files as one table */

typedef struct io_pieces {
    io_files files;
    int count;
    io_piece *piece;      /* [count] */
    int64_t before, rows; /* rows of the files before these, and of these; -1: as many as there are */
} io_pieces;

/* pieces becomes the reader's, also after a failure. */
surekrig_status io_open_pieces(io_pieces *pieces, const io_dialect *dialect, io_reader **reader, surekrig_error *error);
void io_free_pieces(io_pieces *pieces);

/* ---- writer.c: a format that is written fills in this row, and stands in WRITERS there */

typedef struct io_write_format {
    const char *suffix; /* of the paths that ask for it; the last of IO_WRITERS needs none */
    surekrig_status (*begin)(io_writer *writer, const char *const *names, surekrig_error *error);
    surekrig_status (*append)(io_writer *writer, int64_t rows, const double *value, surekrig_error *error);
    surekrig_status (*finish)(io_writer *writer, surekrig_error *error); /* NULL: nothing is left to write */
    int64_t (*place)(const io_writer *writer, int64_t row); /* the byte of a row; NULL: it depends on those before */
} io_write_format;

/* The first whose suffix a path ends in: CSV, last, takes what is left. */
#define IO_WRITERS(ROW) ROW(npy) ROW(csv)
#define IO_DECLARE_WRITER(name) extern const io_write_format io_write_##name;
IO_WRITERS(IO_DECLARE_WRITER)

struct io_writer {
    const io_write_format *format;
    void *state; /* the format's, or NULL; freed with the writer */
    io_target target;
    int columns;
    io_dates *dates; /* [columns], or NULL: none */
    int64_t rows;    /* written */
    char *with;      /* the file of which this writes a part that is not the first, or NULL */
};

#endif
