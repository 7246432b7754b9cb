/* Saving: written beside its place in one transaction and renamed into it when complete, so that a kill or a full disk
 * leaves the old file or the new one. */
#include "file/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_seal(sk_database *db)
{
    int64_t seal = (int64_t)db->checksum;
    sk_db_prepare(db, "INSERT INTO seal VALUES(?)");
    sk_db_integer(db, &seal);
    sk_db_row(db);
    sk_db_finalize(db);
}

/* Each table takes a page at least; each page of an array is a call of the system. */
static int page_size(const sk_database *db, const surekrig_data *data)
{
    return db->parts || data->n * (data->d + data->l) < 1 << 20 ? 4096 : 65536;
}

static void write_all(sk_database *db, const surekrig_model *model)
{
    surekrig_model *m = (surekrig_model *)model; /* the writing direction only reads */
    sk_contents c = {m->data, m->info, m->version, m->center, m->spread, m->settings, {0}};
    char pragma[200]; /* the rename makes it all or nothing, so that SQLite need not */
    snprintf(pragma, sizeof pragma,
             "PRAGMA page_size=%d; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
             "BEGIN; PRAGMA application_id=%d; PRAGMA user_version=%d;",
             page_size(db, &m->data), SK_DB_APPLICATION_ID, (int)db->format + (db->in_parts ? SK_DB_PARTS : 0));
    sk_db_execute(db, pragma);
    sk_db_execute(db, sk_db_schema);
    if (db->parts)
        sk_db_execute(db, sk_db_part_schema);
    sk_db_transfer_head(db, &c);
    sk_db_transfer_parts(db, &c);
    sk_db_transfer_data(db, &c);
    sk_db_transfer_report(db, m);
    sk_db_transfer_more(db, m);
    sk_db_transfer_partner(db, m);
    write_seal(db);
    sk_db_execute(db, "COMMIT;");
}

/* Makes sure the bytes are on the disk before the name is. */
static void sync_path(sk_database *db, const char *path, int flags)
{
    int descriptor = db->status ? -1 : open(path, flags | O_CLOEXEC);
    if (db->status)
        return;
    if (descriptor < 0 || (fsync(descriptor) && errno != EINVAL && errno != EROFS))
        sk_db_fail(db, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
}

static void sync_directory_of(sk_database *db, char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    sync_path(db, slash ? path : ".", O_RDONLY | O_DIRECTORY);
}

/* The path as SQLite takes it for a file's: "file:" or ":memory:" at its beginning would be words to it. */
static char *plain_path(const char *path)
{
    int64_t room = (int64_t)strlen(path) + 3;
    char *plain = sk_alloc(room, 1);
    if (plain)
        snprintf(plain, (size_t)room, "%s%s", *path == '/' ? "" : "./", path);
    return plain;
}

/* What the rename will replace: the file itself, not a link to it; nothing that is no file, or not ours to write. */
static char *find_place(sk_database *db, const char *path, struct stat *old, bool *there)
{
    char *place = realpath(path, NULL);
    if (!place && errno != ENOENT && errno != ENOTDIR && errno != ENOMEM) { /* it might be a link, and whole */
        sk_db_fail(db, strerror(errno));
        return NULL;
    }
    if (!place)
        place = plain_path(path);
    if (!place) {
        db->status = sk_fail_memory(db->error, 4096, "a file name");
    } else if ((*there = !stat(place, old))) {
        if (S_ISDIR(old->st_mode) || access(place, W_OK))
            sk_db_fail(db, strerror(S_ISDIR(old->st_mode) ? EISDIR : errno));
        else if (!S_ISREG(old->st_mode))
            sk_db_fail(db, "it is a pipe or a device, and a model needs a file");
    }
    return place;
}

/* Without SQLite's own locks, which some file systems do not tell from ours. */
static void write_file(sk_database *db, const surekrig_model *m, const char *temporary, const char *place)
{
    if (sqlite3_open_v2(temporary, &db->handle, SQLITE_OPEN_READWRITE, "unix-none") != SQLITE_OK)
        sk_db_fail(db, db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
    sk_plain_locale locale = sk_enter_plain_locale();
    write_all(db, m);
    sk_leave_plain_locale(&locale);
    if (sqlite3_close(db->handle) != SQLITE_OK)
        sk_db_fail(db, "the database stays busy");
    sync_path(db, temporary, O_RDONLY);
    if (!db->status && rename(temporary, place))
        sk_db_fail(db, strerror(errno));
    if (db->status)
        remove(temporary);
}

/* Of many ranks the first writes; the others hand it their rows. */
static surekrig_status hand_rows(const surekrig_model *m, sk_parts *parts, surekrig_error *error)
{
    sk_database none = {.error = error, .writing = true, .in_parts = parts};
    surekrig_status status = sk_agree(sk_ranks_of(&m->data), SUREKRIG_OK, error);
    if (status) /* the first has nowhere to write */
        return status;
    sk_db_transfer_rows(&none, "x", &m->data, m->data.x, m->data.d);
    sk_db_transfer_rows(&none, "y", &m->data, m->data.y, m->data.l);
    if (m->info.noise)
        sk_db_transfer_rows(&none, "noise", &m->data, m->data.noise, 1);
    if (strcmp(sk_setting_names(m->settings, "by"), "none") != 0)
        sk_db_transfer_rows(&none, "group", &m->data, (double *)m->data.group, 1);
    return none.status;
}

static surekrig_status save(const surekrig_model *m, const char *path, sk_parts *parts, surekrig_error *error)
{
    sk_database db = {.path = path, .error = error, .writing = true, .format = SK_DB_FORMAT};
    db.in_parts = parts;
    db.parts = parts;
    struct stat old;
    bool there = false;
    int lock = -1;
    db.status = sk_check_path(path, error);
    char *temporary = NULL, *place = db.status ? NULL : find_place(&db, path, &old, &there);
    if (!db.status) {
        lock = sk_temporary_create(place, there ? &old : NULL, &temporary);
        if (lock < 0 && errno == ENOMEM)
            db.status = sk_fail_memory(error, 4096, "a file name");
        else if (lock < 0)
            sk_db_fail(&db, strerror(errno));
    }
    db.status = sk_agree(sk_ranks_of(&m->data), db.status, error);
    if (!db.status && temporary) {
        if (parts)
            sync_path(&db, parts->folder, O_RDONLY | O_DIRECTORY);
        int turn = sk_parts_turn(place);
        write_file(&db, m, temporary, place);
        if (parts)
            parts->named = !db.status;
        sync_directory_of(&db, temporary);
        if (!db.status && turn >= 0 && sk_still_named(lock, place))
            /* until then the model before may come back, with its parts */
            sk_parts_sweep(place, parts ? parts->save : 0);
        sk_parts_turn_over(turn);
    }
    if (lock >= 0)
        close(lock);
    free(place);
    free(temporary);
    return db.status;
}

static surekrig_status save_all(const surekrig_model *m, const char *path, sk_parts *parts, surekrig_error *error)
{
    const sk_ranks *ranks = m->sharers ? &m->sharers->link : sk_ranks_of(&m->data);
    surekrig_status status = SUREKRIG_OK;
    if (!ranks->rank)
        status = save(m, path, parts, error);
    else if (!m->sharers) /* else the first has all of it */
        status = hand_rows(m, parts, error);
    return sk_agree(ranks, status, error);
}

surekrig_status surekrig_model_save(const surekrig_model *m, const char *path, surekrig_error *error)
{
    surekrig_status status = sk_check_needed((sk_needed[]){{"model", m}, {0}}, error);
    return status ? status : save_all(m, path, NULL, error);
}

surekrig_status surekrig_model_save_parts(const surekrig_model *m, const char *path, surekrig_error *error)
{
    sk_parts *parts = NULL;
    if (sk_check_needed((sk_needed[]){{"model", m}, {0}}, error) || sk_check_path(path, error))
        return SUREKRIG_INVALID;
    char *place = realpath(path, NULL);              /* beside the file itself, not a link to it */
    bool idle = m->sharers && m->sharers->link.rank; /* the first has all rows */
    surekrig_status status = idle ? SUREKRIG_OK : sk_parts_write(m, place ? place : path, &parts, error);
    if (m->sharers)
        status = sk_agree(&m->sharers->link, status, error);
    if (!status)
        status = save_all(m, path, parts, error);
    bool first = !sk_ranks_of(&m->data)->rank; /* it alone knows whether they are named */
    for (int64_t i = 0; status && first && parts && !parts->named && i < parts->count; i++)
        sk_parts_drop(parts, i);
    sk_parts_free(parts);
    free(place);
    return status;
}
