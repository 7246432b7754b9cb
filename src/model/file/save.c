/* Saving: written beside its place in one transaction and renamed into it when complete, so that a kill or a full disk
 * leaves the old file or the new one. */
#include "model/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_seal(sk_database *db)
{
    int64_t seal = (int64_t)db->checksum;
    sk_db_prepare(db, "INSERT INTO seal VALUES(?)");
    sk_db_integer(db, &seal);
    sk_db_row(db);
    sk_db_finalize(db);
}

static void write_all(sk_database *db, const surekrig_model *model)
{
    surekrig_model *m = (surekrig_model *)model; /* the writing direction only reads */
    sk_contents c = {m->data, m->info, m->version, m->nu, m->tau2, m->rho, m->center, m->spread, m->scale,
                  m->settings};
    char pragma[96];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d; PRAGMA user_version=%d;", SK_DB_APPLICATION_ID, SK_DB_FORMAT);
    sk_db_execute(db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"); /* the rename makes it all or nothing */
    sk_db_execute(db, pragma);
    sk_db_execute(db, sk_db_schema);
    sk_db_transfer_head(db, &c);
    sk_db_transfer_data(db, &c);
    sk_db_transfer_report(db, m);
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

surekrig_status surekrig_model_save(const surekrig_model *m, const char *path, surekrig_error *error)
{
    sk_database db = {.path = path, .error = error, .writing = true};
    size_t room = strlen(path) + 32;
    char *temporary = sk_alloc((int64_t)room, 1);
    if (!temporary)
        return sk_fail_memory(error, (double)room, "a file name");
    snprintf(temporary, room, "%s.tmp-%ld", path, (long)getpid());
    remove(temporary);
    if (sqlite3_open_v2(temporary, &db.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        sk_db_fail(&db, db.handle ? sqlite3_errmsg(db.handle) : "out of memory");
    write_all(&db, m);
    if (sqlite3_close(db.handle) != SQLITE_OK)
        sk_db_fail(&db, "the database stays busy");
    sync_path(&db, temporary, O_RDONLY);
    if (!db.status && rename(temporary, path))
        sk_db_fail(&db, strerror(errno));
    if (db.status)
        remove(temporary);
    snprintf(temporary, room, "%s", path);
    sync_directory_of(&db, temporary);
    free(temporary);
    return db.status;
}

