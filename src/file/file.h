/* The model file's inside: a database that values are moved into or out of by the same calls. */
#ifndef SK_FILE_H
#define SK_FILE_H

#include "model/model.h"

#include <sqlite3.h>
#include <sys/stat.h>

enum {
    SK_DB_APPLICATION_ID = 0x534b5247,
    SK_DB_FORMAT = 7, /* since 7 there may be widths of errors farther from the data */
    SK_DB_PARTS = 100
}; /* "SKRG"; the format is so much more where rows are in parts */

/* ---- database.c */

/* An open database; after the first failure the rest of the calls do nothing. */
typedef struct sk_database {
    sqlite3 *handle;
    sqlite3_stmt *statement;
    uint64_t checksum;
    int column;
    surekrig_status status;
    surekrig_error *error;
    const char *path;
    bool writing;
    int64_t format, size, rows; /* of the file; size: bytes, rows: that were read, both reading only */
    surekrig_ranks *ranks;      /* that read it together, each of them rows begin .. end-1; NULL: one reads all */
    int64_t begin, end;
    bool in_parts; /* its rows are */
    struct sk_parts *parts;
} sk_database;

void sk_db_fail(sk_database *db, const char *what);
void sk_db_fail_because(sk_database *db, const surekrig_error *why); /* of what was read */
void sk_db_execute(sk_database *db, const char *sql);
void sk_db_prepare(sk_database *db, const char *sql);
void sk_db_finalize(sk_database *db);
/* A word more in a checksum. */
static inline uint64_t sk_fold(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}
/* The next value of the row, in or out; either way it is folded into the checksum. */
void sk_db_number(sk_database *db, double *value);
void sk_db_integer(sk_database *db, int64_t *value);
void sk_db_text(sk_database *db, char **value);            /* reading makes a copy that the caller frees */
void sk_db_known_text(sk_database *db, const char *value); /* that the reader knows already and only folds */
/* Ends a row: writes it and starts the next, or reads the next. */
void sk_db_row(sk_database *db);

/* A table's rows, one function for both directions: visit names the columns of row i in order. */
typedef struct sk_db_table {
    const char *insert, *select;
    void (*visit)(sk_database *db, void *holder, int64_t i);
} sk_db_table;

int64_t sk_db_count(sk_database *db, const char *sql); /* the one number that it asks for; not folded */
bool sk_db_has_array(sk_database *db, const char *name);
void sk_db_transfer(sk_database *db, const sk_db_table *t, void *holder, int64_t rows);
void sk_db_transfer_array(sk_database *db, const char *name, double *values, int64_t count);
/* Likewise read, of which bytes range[0] .. range[1]-1 are kept, as values. */
void sk_db_read_part(sk_database *db, const char *name, double *values, int64_t count, const int64_t range[2]);
/* An array written as its bytes come; none: the last have come. */
typedef struct sk_db_stream {
    const char *name;
    int64_t chunk, held;
    char *bytes; /* the caller's to free */
} sk_db_stream;
void sk_db_append(sk_database *db, sk_db_stream *stream, const char *bytes, int64_t count);
/* rows.c: of the data's rows, [n][width], wherever they are. */
void sk_db_transfer_rows(sk_database *db, const char *name, const surekrig_data *data, const double *values,
                         int64_t width);
/* load.c: by ranks together, which must be all of them; NULL: by one. */
surekrig_status sk_model_load_on(surekrig_ranks *ranks, const char *path, surekrig_model **model,
                                 surekrig_error *error);

/* ---- tables.c: what is stored, in the order that the checksum depends on */

/* What must be read before there can be a model. Writing, it borrows from the model; reading, it owns. */
typedef struct sk_contents {
    surekrig_data data;
    surekrig_info info;
    char *version;
    double *center, *spread;
    surekrig_settings *settings;
    sk_hyper old; /* formats before 5 have the hyperparameters here and there */
} sk_contents;

extern const char sk_db_schema[], sk_db_part_schema[];     /* the second where rows are in parts */
void sk_db_transfer_head(sk_database *db, sk_contents *c); /* the sizes, on which all else depends */
void sk_db_transfer_data(sk_database *db, sk_contents *c);
void sk_db_transfer_report(sk_database *db, surekrig_model *m);
extern const sk_db_table sk_db_partner_setting;
void sk_db_transfer_settings(sk_database *db, const sk_db_table *table, surekrig_settings *settings, int64_t rows);
int64_t sk_db_settings(void); /* how many there are */
/* All hyperparameters, row by row of their table (model.h); not in files before format 5. */
extern const sk_db_table sk_db_hyper, sk_db_partner_hyper;
void sk_db_transfer_hyper(sk_database *db, const sk_db_table *table, sk_hyper *hyper);

/* ---- parts.c, parts_write.c: rows in files of their own (parts.h) */

typedef struct sk_parts {
    int64_t save;           /* which save made them; its files have this in their names */
    int64_t count, columns; /* of parts, of numbers of a row */
    int64_t *rows;          /* [count] */
    uint64_t *sum;          /* checksums: of each part, of each column, of each block */
    char *folder;
    bool named; /* the model file has its place: they count */
    int held;   /* descriptor of the part that is written here, locked until all is done; -1: none */
} sk_parts;
/* All ranks together, each its own; what came of it is to be named in the model file at path. */
surekrig_status sk_parts_write(const surekrig_model *model, const char *path, sk_parts **parts, surekrig_error *error);
void sk_parts_free(sk_parts *parts);
void sk_parts_drop(const sk_parts *parts, int64_t number); /* one, after a failure */
void sk_db_transfer_parts(sk_database *db, const sk_contents *c);
/* Rows begin .. end-1 of some columns, counted through features, responses, noise and group: [rows][width]. */
void sk_parts_read(sk_database *db, int64_t first_column, int64_t width, double *values);

/* ---- more.c: not in files of format 1 */

void sk_db_transfer_more(sk_database *db, surekrig_model *m);
/* The arrays of its trend and its widths. prefix: of their names. */
void sk_db_transfer_arrays(sk_database *db, const char *prefix, surekrig_model *m);

void sk_db_transfer_scores(sk_database *db, surekrig_model *m); /* scores.c: margins, and of each response */

/* ---- partner.c: not in files of formats 1 and 2. Reading, the partner is made and joined where the file has one. */

void sk_db_transfer_partner(sk_database *db, surekrig_model *m);

/* ---- guard.c: files from others */

void sk_db_guard(sk_database *db);               /* once it is open: nothing in it runs, and its tables are tables */
void sk_db_needs(sk_database *db, double bytes); /* fails where the file cannot hold so many */
void sk_db_check_rows(sk_database *db);          /* once all is read: there is nothing else */
void sk_db_check_ranges(sk_database *db, const surekrig_model *model);

/* ---- temporary.c */

/* An empty file beside the place that is ours until the descriptor is closed, -1 with errno; *path is the caller's to
 * free. old: whose owner and permissions it takes, or NULL. Those of saves that died are removed. */
int sk_temporary_create(const char *place, const struct stat *old, char **path);
int sk_create_held(const char *path); /* likewise, of this name: -1 with EEXIST where it was taken */
bool sk_still_named(int descriptor, const char *path);
void sk_remove_unless_held(const char *path, bool without_locks); /* without: also where nobody can hold one */

#endif
