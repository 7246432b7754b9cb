/* Loading: sizes first, then the data, from which the model is built anew, then its report; the checksum, and then what
 * depends on its being right, last. */
#include "file/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_head(sk_database *db, const sk_contents *c)
{
    if (db->status)
        return;
    const surekrig_data *data = &c->data;
    bool possible = data->n >= 2 && data->d >= 1 && data->l >= 1 && data->n < INT64_MAX / 16 / data->d &&
                    data->n < INT64_MAX / 16 / data->l && c->info.neighbors >= 1 && c->info.neighbors < data->n &&
                    c->info.levels <= SK_LIST_MAX;
    if (!possible) {
        sk_db_fail(db, "its numbers of points, features or neighbours are impossible");
        return;
    }
    sk_db_needs(db, 8.0 * (double)data->n * (double)(data->d + data->l + (c->info.noise != 0)));
    sk_db_needs(db, 8.0 * (double)c->info.rounds * (2.0 * c->info.levels + 1)); /* a row of the trace at least */
}

/* The head of an old file has filled in two of its numbers already. */
static surekrig_status make_room_for_old(sk_contents *c, surekrig_error *error)
{
    double nu = c->old.nu, tau2 = c->old.tau2;
    surekrig_status status = sk_hyper_new(c->data.d, c->data.l, &c->old, error);
    c->old.nu = nu;
    c->old.tau2 = tau2;
    return status;
}

/* Which of n rows are read here; how many. */
static int64_t take_part(sk_database *db, int64_t n)
{
    int64_t size = db->ranks ? db->ranks->link.size : 1, rank = db->ranks ? db->ranks->link.rank : 0;
    db->begin = n / size * rank + n % size * rank / size;
    db->end = n / size * (rank + 1) + n % size * (rank + 1) / size;
    return db->end - db->begin;
}

static void allocate(sk_database *db, sk_contents *c)
{
    surekrig_data *data = &c->data;
    if (db->status)
        return;
    int64_t n = take_part(db, data->n);
    data->x = sk_doubles(n * data->d);
    data->y = sk_doubles(n * data->l);
    data->noise = c->info.noise ? sk_doubles(n) : NULL;
    data->group = sk_zeroed(n, sizeof *data->group); /* if there are any */
    data->x_names = sk_zeroed(data->d, sizeof *data->x_names);
    data->y_names = sk_zeroed(data->l, sizeof *data->y_names);
    c->center = sk_doubles(data->l);
    c->spread = sk_doubles(data->l);
    if (!data->x || !data->y || !data->x_names || !data->y_names || !c->center || !c->spread || !data->group ||
        (c->info.noise && !data->noise))
        db->status = sk_fail_memory(db->error, 8.0 * (double)data->n * (double)(data->d + data->l), "the model's data");
    else
        db->status = surekrig_settings_new(&c->settings, db->error);
    if (!db->status)
        db->status = make_room_for_old(c, db->error);
}

static void free_rows(void *contents)
{
    surekrig_data *data = &((sk_contents *)contents)->data;
    free((double *)data->x);
    free((double *)data->y);
    free((double *)data->noise);
    free((int64_t *)data->group);
    data->x = data->y = data->noise = NULL;
    data->group = NULL;
}

static void free_contents(sk_contents *c)
{
    free_rows(c);
    for (int64_t a = 0; c->data.x_names && a < c->data.d; a++)
        free((char *)c->data.x_names[a]);
    for (int64_t q = 0; c->data.y_names && q < c->data.l; q++)
        free((char *)c->data.y_names[q]);
    void *owned[] = {(void *)c->data.x_names, (void *)c->data.y_names, c->version, c->center, c->spread};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sk_hyper_free(&c->old);
    surekrig_settings_free(c->settings);
}

/* The model that the contents describe; its report is still empty. */
static surekrig_model *rebuild(sk_database *db, sk_contents *c, surekrig_data *whole)
{
    surekrig_model *m = NULL;
    surekrig_error why = {0};
    if (db->status)
        return NULL;
    surekrig_data part = c->data;
    part.n = db->end - db->begin;
    part.ranks = db->ranks;
    if (!strcmp(sk_setting_names(c->settings, "by"), "none"))
        part.group = NULL;
    if (db->ranks) {
        db->ranks->dealt = free_rows;
        db->ranks->giver = c;
    }
    surekrig_status status = sk_deal(&part, sk_setting_names(c->settings, "time"),
                                     sk_setting_names(c->settings, "distance"), whole, &why);
    if (!status)
        status = sk_model_new(whole, c->settings, &m, &why);
    if (!status)
        status = sk_model_shape(m, c->info.levels, c->info.rounds, &why);
    if (status) { /* what was once a model's data cannot be impossible, unless it was changed */
        sk_db_fail_because(db, &why);
        surekrig_model_free(m);
        return NULL;
    }
    size_t l = (size_t)c->data.l * sizeof(double);
    if (db->format < 5) {
        sk_hyper old = c->old;
        old.long_nu = m->hyper.long_nu; /* the settings' */
        sk_hyper_copy(&old, &m->hyper);
        sk_hyper_settle(&m->hyper);
    }
    memcpy(m->center, c->center, l);
    memcpy(m->spread, c->spread, l);
    snprintf(m->version, sizeof m->version, "%s", c->version);
    m->info.neighbors = c->info.neighbors;
    m->info.batch = c->info.batch;
    m->info.outcome = c->info.outcome;
    m->info.loss = c->info.loss;
    m->info.evaluations = c->info.evaluations;
    m->info.jittered = c->info.jittered;
    m->info.max_jitter = c->info.max_jitter;
    return m;
}

static void check_seal(sk_database *db)
{
    uint64_t made = db->checksum;
    int64_t stored = 0;
    sk_db_prepare(db, "SELECT checksum FROM seal");
    sk_db_row(db);
    sk_db_integer(db, &stored);
    sk_db_finalize(db);
    db->rows++;
    if (!db->status && (uint64_t)stored != made)
        sk_db_fail(db, "its checksum is wrong, so something in it has changed since it was saved");
}

static surekrig_model *read_all(sk_database *db)
{
    sk_contents c = {.data = {0}};
    surekrig_data whole = {0};
    sk_db_guard(db);
    int64_t id = sk_db_count(db, "PRAGMA application_id");
    int64_t version = sk_db_count(db, "PRAGMA user_version");
    db->in_parts = version > SK_DB_PARTS;
    db->format = version - (db->in_parts ? SK_DB_PARTS : 0);
    if (!db->status && id != SK_DB_APPLICATION_ID)
        sk_db_fail(db, "it is a database of another program");
    if (!db->status && (db->format < 1 || db->format > SK_DB_FORMAT))
        sk_db_fail(db, db->format > SK_DB_FORMAT ? "it was written by a newer surekrig" : "its format is unknown");
    sk_db_transfer_head(db, &c);
    sk_db_transfer_parts(db, &c);
    check_head(db, &c);
    allocate(db, &c);
    if (!db->status)
        sk_db_transfer_data(db, &c);
    if (db->ranks) /* what one of them cannot read, before they deal out what all have read */
        db->status = sk_agree(&db->ranks->link, db->status, db->error);
    surekrig_model *m = rebuild(db, &c, &whole);
    if (m)
        sk_db_transfer_report(db, m);
    if (m && db->format > 1)
        sk_db_transfer_more(db, m);
    if (db->ranks)
        db->status = sk_agree(&db->ranks->link, db->status, db->error);
    if (m && !db->status)
        db->status = sk_model_index(m, db->error);
    if (m && db->format > 2)
        sk_db_transfer_partner(db, m);
    check_seal(db);
    sk_db_check_rows(db);
    sk_db_check_ranges(db, m);
    sk_dealt(&whole);
    free_contents(&c);
    if (!m || db->status) {
        surekrig_model_free(m);
        return NULL;
    }
    m->info.scores.n = m->info.batch * m->data.l;
    return m;
}

/* As a URI, which says that nobody writes the file: SQLite then looks for no journal beside it and leaves none. The "./"
 * lets no name be one of SQLite's own, as ":memory:" is. */
static void open_database(sk_database *db, const char *path)
{
    int64_t room = 3 * (int64_t)strlen(path) + 32;
    char *uri = sk_alloc(room, 1), *to = uri;
    if (!uri) {
        db->status = sk_fail_memory(db->error, (double)room, "a file name");
        return;
    }
    to += sprintf(to, *path == '/' ? "file://" : "file:./");
    for (const char *at = path; *at; at++)
        to += sprintf(to, strchr("?#%", *at) ? "%%%02x" : "%c", (unsigned char)*at);
    sprintf(to, "?immutable=1");
    if (sqlite3_open_v2(uri, &db->handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) != SQLITE_OK)
        sk_db_fail(db, db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
    free(uri);
}

/* about: the file that was read. */
static surekrig_status load_once(surekrig_ranks *ranks, const char *path, surekrig_model **model, struct stat *about,
                                 surekrig_error *error)
{
    sk_database db = {.path = path, .error = error, .ranks = ranks && ranks->link.size > 1 ? ranks : NULL};
    if (access(path, R_OK) || stat(path, about)) /* other ranks may see it: they hear of it where they agree */
        db.status = sk_fail(error, SUREKRIG_FILE, "cannot read %s: %s", path, strerror(errno));
    else if (S_ISDIR(about->st_mode))
        db.status = sk_fail(error, SUREKRIG_FILE, "cannot read %s: it is a directory", path);
    else if (!S_ISREG(about->st_mode))
        db.status = sk_fail(error, SUREKRIG_FILE, "cannot read %s: it is a pipe or a device, and a model is a file",
                            path);
    else if (about->st_size == 0)
        sk_db_fail(&db, "it is empty"); /* to SQLite, a database without tables */
    if (!db.status) {
        db.size = about->st_size;
        open_database(&db, path);
    }
    surekrig_model *made = read_all(&db);
    sqlite3_close(db.handle);
    sk_parts_free(db.parts);
    if (!db.status)
        *model = made;
    return db.status;
}

static bool replaced(const char *path, const struct stat *old)
{
    struct stat now;
    return !stat(path, &now) &&
           (now.st_dev != old->st_dev || now.st_ino != old->st_ino || now.st_size != old->st_size ||
            now.st_ctim.tv_sec != old->st_ctim.tv_sec || now.st_ctim.tv_nsec != old->st_ctim.tv_nsec);
}

/* Who saves to the path meanwhile takes parts away that were still to be read: then the new model is read. Of many ranks
 * each might decide otherwise. */
static surekrig_status load(surekrig_ranks *ranks, const char *path, surekrig_model **model, surekrig_error *error)
{
    enum { TRIES = 100 };
    struct stat about = {0};
    surekrig_status status = load_once(ranks, path, model, &about, error);
    for (int i = 1; i < TRIES && status == SUREKRIG_FILE && !ranks && about.st_ino && replaced(path, &about); i++)
        status = load_once(ranks, path, model, &about, error);
    return status;
}

surekrig_status surekrig_model_load(const char *path, surekrig_model **model, surekrig_error *error)
{
    return sk_model_load_on(NULL, path, model, error);
}

surekrig_status sk_model_load_on(surekrig_ranks *ranks, const char *path, surekrig_model **model, surekrig_error *error)
{
    if (sk_check_path(path, error) || sk_check_needed((sk_needed[]){{"model", model}, {0}}, error))
        return SUREKRIG_INVALID;
    sk_plain_locale locale = sk_enter_plain_locale();
    bool alike = ranks && ranks->alike;
    surekrig_status status = load(alike ? NULL : ranks, path, model, error);
    sk_leave_plain_locale(&locale);
    for (surekrig_model *m = !status && alike ? *model : NULL; m; m = m->partner)
        m->sharers = ranks;
    return status;
}
