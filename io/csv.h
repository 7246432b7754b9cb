/* CSV, between its files: csv_rows.c splits bytes into rows of cells, csv_dialect.c tells what they say, csv_names.c
 * which are names, and csv_reader.c makes them values; csv_plain.c does all at once for rows in which nothing is
 * unusual. */
#ifndef SUREKRIG_IO_CSV_H
#define SUREKRIG_IO_CSV_H

#include "internal.h"

typedef struct csv_cell {
    const char *text; /* without blanks around it and without its quotes; quotes inside are still doubled */
    size_t length;
    bool quoted;
} csv_cell;

typedef struct csv_table {
    io_source *source; /* begin: the first byte of the row that comes next */
    char separator;
    char decimal;        /* what decimals follow */
    const char *missing; /* the dialect's */
    bool stop[256];      /* bytes that end a cell without quotes */
    int columns;
    csv_cell *cell; /* [columns] of the row split last */
    double *number; /* [columns] of the plain row read last, as far as wanted */
    bool *wanted;   /* [columns]: which are selected */
    bool plain;     /* those that are selected hold numbers */
    int64_t line;   /* of the row that comes next, from 1 */
    int64_t rows;   /* of data, read so far */
} csv_table;

typedef struct csv_row {
    int64_t cells; /* 0: no row, the file has ended */
    bool blank;
    int64_t lines;   /* it spans */
    const char *end; /* past its line end; of a faulty row, where the fault is */
} csv_row;

/* Splits the next row that is not blank, and stays in front of it; its cells live until the next call. */
surekrig_status csv_next_row(csv_table *csv, csv_row *row, surekrig_error *error);
void csv_step_over(csv_table *csv, const csv_row *row);
/* Reads on, so that the row that comes next has more of its bytes in the window. */
surekrig_status csv_lengthen_window(const csv_table *csv, surekrig_error *error);
/* at: past an opening quote. The last quote before end passes for the closing one, though its double may follow. */
const char *csv_closing_quote(const char *at, const char *end);
/* Takes off the blanks around. */
void csv_trim(const csv_table *csv, csv_cell *cell);

/* csv_dialect.c */
surekrig_status csv_find_separator(csv_table *csv, surekrig_error *error);
surekrig_status csv_find_decimal(csv_table *csv, char asked, surekrig_error *error); /* asked: 0, find out */
io_kind csv_cell_kind(const csv_table *csv, const csv_cell *cell, double *value);
bool csv_has_decimal_comma(const csv_cell *cell); /* "1,5": meant as a number, whatever decimals follow here */
bool csv_has_decimal_point(const csv_cell *cell); /* "1.5", likewise */
bool csv_is_word(const csv_table *csv, const csv_cell *cell);

/* csv_names.c */
bool csv_is_header(const csv_table *csv); /* the row split last */
surekrig_status csv_take_names(const csv_table *csv, io_reader *reader, surekrig_error *error);
/* 1: two columns have one name, and which, from 0; 0: none; -1: no memory. */
int csv_twins(int columns, char *const *name, int twin[2]);
char *csv_text_of(const csv_cell *cell); /* with each doubled quote once; NULL without memory */

/* csv_look.c: by the rows that come next, which columns hold numbers though the first cell is a word, and which
 * nothing. */
surekrig_status csv_look_ahead(io_reader *reader, surekrig_error *error);

/* csv_cut.c: where rows begin in a part of a file, however the part begins. */
surekrig_status csv_count(io_reader *reader, int64_t begin, int64_t end, io_part_count *count, surekrig_error *error);

/* Reads the row that comes next into number and steps over it; false, and nothing done, where a cell is neither a plain
 * number nor empty nor unwanted, or the window does not hold the whole row. */
bool csv_read_plain_row(csv_table *csv);

#endif
