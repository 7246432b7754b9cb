/* Tables of named columns in files: CSV, NPY, the pixels of rasters and points of a GIS behind one reader, and CSV and
 * NPY behind one writer, a batch of rows at a time. The core never sees a file format; this knows only the public
 * header. */
#ifndef SUREKRIG_IO_H
#define SUREKRIG_IO_H

#include "surekrig.h"

#include <stdbool.h>

typedef struct io_reader io_reader;

/* How a table is to be read; all zero: as it looks. */
typedef struct io_dialect {
    bool no_header;      /* the first row is data even if it holds words */
    char decimal;        /* '.' or ',', which decimals follow; 0: a comma where cells are separated by semicolons, some
                            have such numbers and none have a point */
    const char *missing; /* "-9999,n.a.": values that stand for a missing one, numbers and words; or NULL */
} io_dialect;

/* path "-": standard input; with *, ? or [ in it, and no file so called: all files of that pattern, by name, as
 * io_open_all. Format by content: NPY, rasters and files of features by their first bytes, else CSV separated by
 * commas, semicolons or tabs (which is counted in the first line, or said by a line "sep=;" before it). A first row
 * with a word in it names the columns, else they are c1, c2, ... A raster, for which GDAL is needed, is a row a pixel:
 * columns x and y (lon and lat in degrees) and one a band; a cube of several times has a row a pixel and step, and the
 * column time. So is a file of points (GeoPackage, GeoJSON, ...), a row a feature and a column a field. dialect: NULL
 * as all zero. */
surekrig_status io_open(const char *path, const io_dialect *dialect, io_reader **reader, surekrig_error *error);
/* Tables one after another as one, whose columns must agree in name and place (by place alone where a later file has no
 * names), and each of which is written as it looks. */
typedef struct io_tables {
    int count;
    const char *const *path; /* [count] files and patterns */
    const io_dialect *dialect;
} io_tables;
surekrig_status io_open_all(const io_tables *tables, io_reader **reader, surekrig_error *error);
/* A number for the files of that name or pattern as they are now, by name, size and time; 0: not all are files. */
uint64_t io_stamp(const char *path);
bool io_same_file(const char *a, const char *b);        /* both there, and one file */
bool io_names_file(const char *path, const char *file); /* that file, or a pattern with it among its files */
void io_close(io_reader *reader);
const char *io_path(const io_reader *reader); /* for messages: "standard input" for "-" */
int io_columns(const io_reader *reader);
bool io_named(const io_reader *reader); /* whether the names are the file's own, not c1, c2, ... */
const char *io_column_name(const io_reader *reader, int column);
bool io_column_nameless(const io_reader *reader, int column); /* its cell in the row of names is empty */
/* Whether the column's cell in the first data row is a number, with a decimal comma even, or missing and not before
 * rows of which most have words; or a word (or None, null, N/A) before rows of which most have numbers. At a word
 * io_read fails. True without rows. */
bool io_column_numeric(const io_reader *reader, int column);
/* How a column writes dates of ISO 8601, by its first cell that is not missing: 2024-03-01, 2024-03-01T12:00:00, or
 * that with Z or +02:00 behind; 01.03.2024 and 2024/03/01 are read as 2024-03-01. Such a column is not numeric; io_read
 * gives days since 1970-01-01, in UTC where there is a time zone. */
typedef enum io_dates { IO_NO_DATES, IO_DATES, IO_TIMES, IO_TIMES_UTC } io_dates;
io_dates io_column_dates(const io_reader *reader, int column);
bool io_column_empty(const io_reader *reader, int column); /* in the first rows of the file, some hundred */
bool io_column_open(const io_reader *reader, int column);  /* nothing but missing cells so far */
/* Text, of which the first in the first row looks like a date that io_parse_date does not take: 01/31/2024. */
bool io_column_date_like(const io_reader *reader, int column);
/* Empty, NA, N/A, #N/A, NaN, null or None, in any case. */
bool io_means_missing(const char *text, size_t length);
/* A date's days; IO_NO_DATES, and days untouched, where it is none. */
io_dates io_parse_date(const char *text, size_t length, double *days);
/* -1 where there is no such name. */
int io_find_column(const io_reader *reader, const char *name);
/* Which columns io_read gives from now on, in this order; without it, all. What is in the others does not matter. */
surekrig_status io_select(io_reader *reader, int count, const int *column, surekrig_error *error);
int io_selected(const io_reader *reader); /* how many */
const char *io_selected_name(const io_reader *reader, int place);
/* About how many rows io_read will still give, from the file's size; 0 where it cannot be known, as in a pipe. */
int64_t io_rows_left(const io_reader *reader);
/* Up to limit rows into value [limit][selected]; *rows = 0 at the end. NaN where missing: as io_means_missing has it,
 * or what the dialect says. "inf" is infinite; a word, or a number too large for a double, is an error, which stays:
 * the reader does not skip. */
surekrig_status io_read(io_reader *reader, int64_t limit, double *value, int64_t *rows, surekrig_error *error);

/* Columns whose cells io_write_kept carries over as they are, text too; not of rasters and NPY, which have no text. None
 * from now on: count 0. */
surekrig_status io_keep(io_reader *reader, int count, const int *column, surekrig_error *error);
/* Theirs in the rows read last: of each row the cells as CSV, "7,a,", and a NUL. */
const char *io_kept_cells(const io_reader *reader);

/* Part `part` of `parts`, from 0: about as many bytes each, cut at row ends; all parts together have every row once, in
 * order. To cut at row ends alone, and to say the right line in sentences, a part needs to know of those before it. So
 * each looks over its bytes with io_count_part, the counts are exchanged, by bytes, and all of them given to
 * io_open_part. A file that is not CSV or NPY is of the part where it begins. Of several failures that of the earliest
 * part is the one that reading the whole would have met. */
enum { IO_CUTS = 8 }; /* how a part of CSV can begin: within quotes, within a cell, ... */
typedef struct io_part_count {
    struct {
        int64_t first, first_line; /* of the part's first row: its byte, -1: none; and the lines before it */
        int64_t rows, last_rows;   /* that begin in the part; and in its last file */
        int64_t end;               /* how the part ends */
    } by[IO_CUTS];
    int64_t lines;        /* ends of lines in its last file */
    int64_t fresh;        /* whether its last file begins in it */
    int64_t files, bytes; /* of the whole table, as whoever counted sees it */
} io_part_count;
surekrig_status io_count_part(const io_tables *tables, int part, int parts, io_part_count *count,
                              surekrig_error *error);
/* count: [parts]. Read as any table; its rows' numbers are of the whole file in sentences. */
surekrig_status io_open_part(const io_tables *tables, int part, int parts, const io_part_count *count,
                             io_reader **reader, surekrig_error *error);
/* The number of each part's first row, from 0, and behind them that of all rows: first [parts + 1]. */
void io_part_rows(int parts, const io_part_count *count, int64_t *first);

/* What an output of this name becomes: the file behind a link, also one that is not there yet. The caller's to free;
 * NULL, with errno: it cannot be told. */
char *io_place(const char *path);
bool io_one_place(const char *a, const char *b); /* whether two outputs would be one file */

typedef struct io_writer io_writer;

/* NPY where path ends in .npy (names are lost), else CSV, but not where it ends as another format does (.xlsx); "-":
 * standard output. Nothing appears at path before
 * io_commit, except where path is a pipe or a device; a link stays and its file is replaced. */
surekrig_status io_create(const char *path, int columns, const char *const *names, io_writer **writer,
                          surekrig_error *error);
/* A column that io_write, in CSV, is to write as such dates. */
surekrig_status io_write_as_dates(io_writer *writer, int column, io_dates style, surekrig_error *error);
/* value: [rows][columns]; NaN is an empty cell; numbers in the fewest digits that read back to the same double. After a
 * failure, io_commit fails too. */
surekrig_status io_write(io_writer *writer, int64_t rows, const double *value, surekrig_error *error);
/* Rows that begin with the cells which `from` keeps of the rows it read last, as many as these; value: [rows][the other
 * columns]. CSV alone. */
surekrig_status io_write_kept(io_writer *writer, const io_reader *from, int64_t rows, const double *value,
                              surekrig_error *error);
/* One file by several writers, each with the rows of its part. Part 0 creates it as any; the others, then, with the
 * name that it goes by until it is whole. All write; each learns how many bytes the parts before it have, and places
 * its own. When all have, part 0's io_commit makes the file appear; that of the others only frees. After a failure
 * anywhere all are discarded, and nothing appears. */
typedef struct io_share {
    int part;
    const char *with; /* io_shared_name of part 0's writer; NULL: this is part 0 */
    int64_t row;      /* the part's first, in the whole: NPY is written in place at once */
} io_share;
surekrig_status io_create_part(const char *path, int columns, const char *const *names, const io_share *share,
                               io_writer **writer, surekrig_error *error);
const char *io_shared_name(const io_writer *writer);
int64_t io_rows_written(const io_writer *writer);
surekrig_status io_part_bytes(io_writer *writer, int64_t *bytes, surekrig_error *error);
/* before: bytes of the parts before; rows: of all parts. */
surekrig_status io_place_part(io_writer *writer, int64_t before, int64_t rows, surekrig_error *error);

/* Flushes, syncs, and renames into place; frees the writer whether it worked or not. */
surekrig_status io_commit(io_writer *writer, surekrig_error *error);
/* Leaves nothing behind; accepts NULL. */
void io_discard(io_writer *writer);
/* A folder of the process's own, FINAL.tmp-PID-NUMBER, where another program may make an output; those of processes
 * that were killed go. Its path, the caller's to free, and what holds it; NULL with errno. */
char *io_make_folder(const char *final, int *held);
void io_remove_folder(const char *folder, int held); /* with the files in it */
/* Until its folder is on the disk, too, a power failure may bring back what had a file's name before. Cuts the path at
 * the folder's end; 0, or errno. */
int io_sync_folder_of(char *path);
/* The owner, or the group, and the permissions of an old file, as far as we may: a file system may have none. */
void io_dress_as(int fd, const char *old);
/* 0, or why a file that another program or library has failed to write, and that is given up, cannot grow: errno, as on a
 * full disk, which many of them do not tell. */
int io_why_no_longer(const char *path);
/* Whatever a terminal might obey becomes `instead`: control characters, as bytes or in UTF-8, and those that turn the
 * direction of writing. Line feeds and tabs stay. */
void io_plain(char *text, char instead);
/* The files of all outputs that are not whole, rasters too: all that a signal may do before the process ends. */
void io_unlink_unfinished(void);
/* Another file that goes with them, until it is whole in company, too. The text stays the caller's. */
void io_note_unfinished(const char *path);
void io_forget_unfinished(const char *path);

#endif
