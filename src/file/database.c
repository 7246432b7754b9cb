/* Values in and out of an SQLite database. Everything is folded, in order, into one checksum on the way in and again on
 * the way out: a flipped bit is noticed wherever it is. Large arrays are kept in chunks, far below SQLite's limit on a
 * blob and small beside the array. */
#include "file/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 20 }; /* bytes: SQLite holds one or two of them */

void sk_db_fail(sk_database *db, const char *what)
{
    if (db->status)
        return;
    if (db->writing)
        db->status = sk_fail(db->error, SUREKRIG_FILE, "cannot write %s: %s", db->path, what);
    else
        db->status = sk_fail(db->error, SUREKRIG_FILE, "%s is not a whole surekrig model: %s", db->path, what);
}

void sk_db_fail_because(sk_database *db, const surekrig_error *why)
{
    if (why->status == SUREKRIG_MEMORY && !db->status)
        db->status = sk_fail(db->error, SUREKRIG_MEMORY, "%s", why->sentence);
    else
        sk_db_fail(db, why->sentence);
}

static void fold(sk_database *db, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        db->checksum = sk_fold(db->checksum, word);
    }
    for (; size > 0; size--, at++)
        db->checksum = (db->checksum ^ *at) * 0x100000001b3u;
}

/* What the system said to a write, where SQLite has "disk I/O error"; it keeps the number but where it commits. */
static const char *why(const sk_database *db, int code)
{
    int said = errno, kept = sqlite3_system_errno(db->handle);
    int reason = !db->writing ? 0 : code == SQLITE_FULL ? ENOSPC : code != SQLITE_IOERR ? 0 : kept ? kept : said;
    return code == SQLITE_NOTADB ? "it is another kind of file"
           : reason              ? strerror(reason)
                                 : sqlite3_errmsg(db->handle);
}

static void check(sk_database *db, int code)
{
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
        sk_db_fail(db, why(db, code & 0xff));
}

void sk_db_execute(sk_database *db, const char *sql)
{
    if (!db->status)
        check(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL));
}

void sk_db_prepare(sk_database *db, const char *sql)
{
    if (db->status)
        return;
    check(db, sqlite3_prepare_v2(db->handle, sql, -1, &db->statement, NULL));
    db->column = 0;
}

void sk_db_finalize(sk_database *db)
{
    sqlite3_finalize(db->statement);
    db->statement = NULL;
}

void sk_db_number(sk_database *db, double *value)
{
    if (db->status)
        return;
    if (db->writing)
        check(db, isnan(*value) ? sqlite3_bind_null(db->statement, ++db->column)
                                : sqlite3_bind_double(db->statement, ++db->column, *value));
    else
        *value = sqlite3_column_type(db->statement, db->column) == SQLITE_NULL
                     ? NAN
                     : sqlite3_column_double(db->statement, db->column);
    db->column += !db->writing;
    uint64_t folded = UINT64_MAX; /* every NaN is stored as NULL */
    double plain = *value + 0.0;  /* SQLite stores -0 as 0 */
    if (!isnan(plain))
        memcpy(&folded, &plain, sizeof folded);
    fold(db, &folded, sizeof folded);
}

void sk_db_integer(sk_database *db, int64_t *value)
{
    if (db->status)
        return;
    if (db->writing)
        check(db, sqlite3_bind_int64(db->statement, ++db->column, *value));
    else
        *value = sqlite3_column_int64(db->statement, db->column++);
    fold(db, value, sizeof *value);
}

/* Bytes of the UTF-8 character that text begins with, or 1. */
static int character(const unsigned char *text)
{
    int bytes = text[0] < 0xc2 || text[0] > 0xf4 ? 1 : text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    for (int i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 1;
    return bytes;
}

/* Control characters, as bytes or in UTF-8, and those that turn the direction of writing. */
static bool is_command(const unsigned char *c, int bytes)
{
    if (bytes == 1)
        return c[0] < 0x20 || (c[0] >= 0x7f && c[0] < 0xa0);
    if (bytes == 2)
        return c[0] == 0xc2 && c[1] < 0xa0;
    return c[0] == 0xe2 &&
           ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) || (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

/* Whatever wrote the file: no text of it commands a terminal. Tabs and line feeds stay. */
static void make_plain(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at;) {
        int bytes = character(at);
        if (*at != '\n' && *at != '\t' && is_command(at, bytes))
            memset(at, ' ', (size_t)bytes);
        at += bytes;
    }
}

void sk_db_text(sk_database *db, char **value)
{
    if (db->status)
        return;
    if (db->writing) {
        check(db, sqlite3_bind_text(db->statement, ++db->column, *value, -1, SQLITE_TRANSIENT));
    } else {
        const char *found = (const char *)sqlite3_column_text(db->statement, db->column++);
        *value = sk_text(found ? found : "");
        if (!*value)
            db->status = sk_fail_memory(db->error, 64, "a name");
    }
    if (db->status)
        return;
    fold(db, *value, strlen(*value) + 1); /* its end too, or "ab", "c" would be "a", "bc" */
    if (!db->writing)
        make_plain(*value);
}

void sk_db_known_text(sk_database *db, const char *value)
{
    char *found = (char *)value;
    sk_db_text(db, &found);
    if (!db->writing && !db->status)
        free(found);
}

void sk_db_row(sk_database *db)
{
    if (db->status)
        return;
    int code = sqlite3_step(db->statement);
    check(db, code);
    if (db->writing)
        sqlite3_reset(db->statement);
    else if (code == SQLITE_DONE)
        sk_db_fail(db, "a row is missing");
    db->column = 0;
}

int64_t sk_db_count(sk_database *db, const char *sql)
{
    int64_t value = 0;
    sk_db_prepare(db, sql);
    sk_db_row(db);
    if (!db->status)
        value = sqlite3_column_int64(db->statement, 0);
    sk_db_finalize(db);
    return value;
}

bool sk_db_has_array(sk_database *db, const char *name)
{
    char count[128];
    snprintf(count, sizeof count, "SELECT count(*) FROM array WHERE name = '%s'", name);
    return !db->status && sk_db_count(db, count) > 0;
}

void sk_db_transfer(sk_database *db, const sk_db_table *t, void *holder, int64_t rows)
{
    sk_db_prepare(db, db->writing ? t->insert : t->select);
    for (int64_t i = 0; i < rows && !db->status; i++) {
        if (!db->writing)
            sk_db_row(db);
        db->rows += !db->writing;
        t->visit(db, holder, i);
        if (db->writing)
            sk_db_row(db);
    }
    sk_db_finalize(db);
}

static void write_chunk(sk_database *db, const char *name, int64_t chunk, const char *bytes, int64_t size)
{
    sk_db_prepare(db, "INSERT INTO array VALUES(?,?,?)");
    if (!db->status) {
        check(db, sqlite3_bind_text(db->statement, 1, name, -1, SQLITE_STATIC));
        check(db, sqlite3_bind_int64(db->statement, 2, chunk));
        check(db, sqlite3_bind_blob64(db->statement, 3, bytes, (sqlite3_uint64)size, SQLITE_STATIC));
        sk_db_row(db);
    }
    sk_db_finalize(db);
}

/* However long it was written, if it fits into room; returns its bytes. */
static int64_t read_chunk(sk_database *db, const char *name, int64_t chunk, char *bytes, int64_t room)
{
    int64_t size = 0;
    sk_db_prepare(db, "SELECT bytes FROM array WHERE name=? AND chunk=?");
    if (!db->status) {
        check(db, sqlite3_bind_text(db->statement, 1, name, -1, SQLITE_STATIC));
        check(db, sqlite3_bind_int64(db->statement, 2, chunk));
        sk_db_row(db);
        const void *found = db->status ? NULL : sqlite3_column_blob(db->statement, 0);
        size = found ? sqlite3_column_bytes(db->statement, 0) : 0;
        if (size == 0 || size > room || size % 8)
            sk_db_fail(db, "an array has the wrong length");
        else
            memcpy(bytes, found, (size_t)size);
        db->rows++;
    }
    sk_db_finalize(db);
    return size;
}

void sk_db_transfer_array(sk_database *db, const char *name, double *values, int64_t count)
{
    int64_t size = count * (int64_t)sizeof *values, here = 0, at = 0;
    for (int64_t chunk = 0; at < size && !db->status; chunk++, at += here) {
        char *bytes = (char *)values + at;
        here = size - at < CHUNK ? size - at : CHUNK;
        if (db->writing)
            write_chunk(db, name, chunk, bytes, here);
        else
            here = read_chunk(db, name, chunk, bytes, size - at);
        if (!db->status)
            fold(db, bytes, (size_t)here);
    }
}

void sk_db_append(sk_database *db, sk_db_stream *s, const char *bytes, int64_t count)
{
    if (!s->bytes && !(s->bytes = sk_alloc(CHUNK, 1)))
        db->status = sk_fail_memory(db->error, CHUNK, "an array");
    for (int64_t some; !db->status && (count > 0 || (!bytes && s->held)); bytes += some, count -= some) {
        some = count < CHUNK - s->held ? count : CHUNK - s->held;
        if (bytes)
            memcpy(s->bytes + s->held, bytes, (size_t)some);
        s->held += some;
        if (bytes && s->held < CHUNK)
            continue;
        write_chunk(db, s->name, s->chunk++, s->bytes, s->held);
        fold(db, s->bytes, (size_t)s->held);
        s->held = 0;
        if (!bytes)
            return;
    }
}

void sk_db_read_part(sk_database *db, const char *name, double *values, int64_t count, const int64_t range[2])
{
    int64_t size = count * (int64_t)sizeof *values, here = 0, at = 0;
    char *bytes = sk_alloc(CHUNK, 1);
    if (!bytes && !db->status)
        db->status = sk_fail_memory(db->error, CHUNK, "an array");
    for (int64_t chunk = 0; at < size && !db->status; chunk++, at += here) {
        here = read_chunk(db, name, chunk, bytes, size - at < CHUNK ? size - at : CHUNK);
        int64_t from = at > range[0] ? at : range[0], to = at + here < range[1] ? at + here : range[1];
        if (!db->status)
            fold(db, bytes, (size_t)here);
        if (!db->status && from < to)
            memcpy((char *)values + from - range[0], bytes + from - at, (size_t)(to - from));
    }
    free(bytes);
}
