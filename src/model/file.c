/* The model file: one SQLite database, written beside its place in one transaction and renamed into it when complete, so
 * that a kill or a full disk leaves the old file or the new one. Everything stored is folded, in order, into one checksum
 * on the way in and again on the way out: a flipped bit is noticed wherever it is. Large arrays are kept in chunks, far
 * below SQLite's limit on a blob. */
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x534b5247, FORMAT = 1, CHUNK = 1 << 26 }; /* "SKRG"; bytes of a chunk */

static const char SCHEMA[] =
    "CREATE TABLE model(version TEXT, n INTEGER, d INTEGER, l INTEGER, neighbors INTEGER, batch INTEGER, noise INTEGER,"
    " nu REAL, tau2 REAL, outcome INTEGER, loss REAL, evaluations INTEGER, jittered INTEGER, max_jitter REAL,"
    " levels INTEGER, rounds INTEGER);"
    "CREATE TABLE setting(number INTEGER PRIMARY KEY, name TEXT, value TEXT);"
    "CREATE TABLE feature(number INTEGER PRIMARY KEY, name TEXT, rho REAL);"
    "CREATE TABLE response(number INTEGER PRIMARY KEY, name TEXT, gamma2 REAL, mean REAL, spread REAL);"
    "CREATE TABLE estimate(number INTEGER PRIMARY KEY, name TEXT, value REAL, lower REAL, upper REAL, at_bound INTEGER);"
    "CREATE TABLE level(number INTEGER PRIMARY KEY, asked REAL, reached REAL);"
    "CREATE TABLE round(number INTEGER PRIMARY KEY, beta REAL, loss REAL, objective REAL, evaluations INTEGER);"
    "CREATE TABLE trace(number INTEGER PRIMARY KEY, round INTEGER, item TEXT, value REAL);"
    "CREATE TABLE phase(number INTEGER PRIMARY KEY, name TEXT, seconds REAL);"
    "CREATE TABLE score(number INTEGER PRIMARY KEY, name TEXT, value REAL);"
    "CREATE TABLE array(name TEXT, chunk INTEGER, bytes BLOB, PRIMARY KEY(name, chunk));"
    "CREATE TABLE seal(checksum INTEGER);";

/* An open database; after the first failure the rest of the calls do nothing. */
typedef struct file {
    sqlite3 *db;
    sqlite3_stmt *statement;
    uint64_t checksum;
    int column;
    surekrig_status status;
    surekrig_error *error;
    const char *path;
    bool writing;
} file;

static void fail(file *f, const char *what)
{
    if (f->status)
        return;
    if (f->writing)
        f->status = sk_fail(f->error, SUREKRIG_FILE, "cannot write %s: %s", f->path, what);
    else
        f->status = sk_fail(f->error, SUREKRIG_FILE, "%s is not a whole surekrig model: %s", f->path, what);
}

static void fold(file *f, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (; size >= 8; size -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        f->checksum = (f->checksum ^ word) * 0x9e3779b97f4a7c15u;
        f->checksum ^= f->checksum >> 32;
    }
    for (; size > 0; size--, at++)
        f->checksum = (f->checksum ^ *at) * 0x100000001b3u;
}

static void check(file *f, int code)
{
    if (code != SQLITE_OK && code != SQLITE_ROW && code != SQLITE_DONE)
        fail(f, sqlite3_errmsg(f->db));
}

static void execute(file *f, const char *sql)
{
    if (!f->status)
        check(f, sqlite3_exec(f->db, sql, NULL, NULL, NULL));
}

static void prepare(file *f, const char *sql)
{
    if (f->status)
        return;
    check(f, sqlite3_prepare_v2(f->db, sql, -1, &f->statement, NULL));
    f->column = 0;
}

static void finalize(file *f)
{
    sqlite3_finalize(f->statement);
    f->statement = NULL;
}

/* ---- one value, in or out; either way it is folded */

static void number(file *f, double *value)
{
    if (f->status)
        return;
    if (f->writing)
        check(f, isnan(*value) ? sqlite3_bind_null(f->statement, ++f->column)
                               : sqlite3_bind_double(f->statement, ++f->column, *value));
    else
        *value = sqlite3_column_type(f->statement, f->column) == SQLITE_NULL
                     ? NAN : sqlite3_column_double(f->statement, f->column);
    f->column += !f->writing;
    double folded = isnan(*value) ? 0 : *value;
    fold(f, &folded, sizeof folded);
}

static void integer(file *f, int64_t *value)
{
    if (f->status)
        return;
    if (f->writing)
        check(f, sqlite3_bind_int64(f->statement, ++f->column, *value));
    else
        *value = sqlite3_column_int64(f->statement, f->column++);
    fold(f, value, sizeof *value);
}

/* Reading makes a copy that the caller frees. */
static void text(file *f, char **value)
{
    if (f->status)
        return;
    if (f->writing) {
        check(f, sqlite3_bind_text(f->statement, ++f->column, *value, -1, SQLITE_TRANSIENT));
    } else {
        const char *found = (const char *)sqlite3_column_text(f->statement, f->column++);
        *value = sk_text(found ? found : "");
        if (!*value)
            f->status = sk_fail_memory(f->error, 64, "a name");
    }
    if (!f->status)
        fold(f, *value, strlen(*value));
}

/* Text that the reader knows already and only folds. */
static void known_text(file *f, const char *value)
{
    char *found = (char *)value;
    text(f, &found);
    if (!f->writing && !f->status)
        free(found);
}

/* Ends a row: writes it and starts the next, or reads the next. */
static void row(file *f)
{
    if (f->status)
        return;
    int code = sqlite3_step(f->statement);
    check(f, code);
    if (f->writing)
        sqlite3_reset(f->statement);
    else if (code == SQLITE_DONE)
        fail(f, "a row is missing");
    f->column = 0;
}

/* A table's rows, one function for both directions: visit names the columns of row i in order. */
typedef struct table {
    const char *insert, *select;
    void (*visit)(file *f, void *holder, int64_t i);
} table;

static void transfer(file *f, const table *t, void *holder, int64_t rows)
{
    prepare(f, f->writing ? t->insert : t->select);
    for (int64_t i = 0; i < rows && !f->status; i++) {
        if (!f->writing)
            row(f);
        t->visit(f, holder, i);
        if (f->writing)
            row(f);
    }
    finalize(f);
}

/* ---- the tables */

/* What must be read before there can be a model. Writing, it borrows from the model; reading, it owns. */
typedef struct contents {
    surekrig_data data;
    surekrig_info info;
    char *version;
    double nu, tau2;
    double *rho, *gamma2, *center, *spread;
    surekrig_settings *settings;
} contents;

static void small(file *f, int *value)
{
    int64_t wide = *value;
    integer(f, &wide);
    if (wide < 0 || wide > 1000000)
        fail(f, "a number is out of range");
    *value = (int)wide;
}

static void visit_model(file *f, void *holder, int64_t i)
{
    contents *c = holder;
    surekrig_info *info = &c->info;
    int outcome = (int)info->outcome;
    (void)i;
    text(f, &c->version);
    integer(f, &c->data.n);
    integer(f, &c->data.d);
    integer(f, &c->data.l);
    integer(f, &info->neighbors);
    integer(f, &info->batch);
    small(f, &info->noise);
    number(f, &c->nu);
    number(f, &c->tau2);
    small(f, &outcome);
    number(f, &info->loss);
    integer(f, &info->evaluations);
    integer(f, &info->jittered);
    number(f, &info->max_jitter);
    small(f, &info->levels);
    small(f, &info->rounds);
    info->outcome = outcome <= SUREKRIG_NOT_TRAINED ? (surekrig_outcome)outcome : SUREKRIG_NOT_TRAINED;
}

/* The preset comes first, for it would undo what came before it. */
static int64_t setting_at(int64_t i, int64_t count)
{
    return (i + count - 1) % count;
}

static int64_t count_settings(void)
{
    int64_t count = 0;
    while (surekrig_settings_row((int)count))
        count++;
    return count;
}

static void visit_setting(file *f, void *holder, int64_t i)
{
    contents *c = holder;
    const char *name = surekrig_settings_row((int)setting_at(i, count_settings()))->name;
    char *value = f->writing ? (char *)surekrig_settings_get(c->settings, name) : NULL;
    known_text(f, name);
    text(f, &value);
    if (!f->writing && !f->status) {
        f->status = surekrig_settings_set(c->settings, name, value, f->error);
        free(value);
    }
}

static void visit_feature(file *f, void *holder, int64_t i)
{
    contents *c = holder;
    text(f, (char **)&c->data.x_names[i]);
    number(f, &c->rho[i]);
}

static void visit_response(file *f, void *holder, int64_t i)
{
    contents *c = holder;
    text(f, (char **)&c->data.y_names[i]);
    number(f, &c->gamma2[i]);
    number(f, &c->center[i]);
    number(f, &c->spread[i]);
}

static void visit_estimate(file *f, void *holder, int64_t i)
{
    surekrig_estimate *e = &((surekrig_model *)holder)->estimate[i];
    int64_t at_bound = e->at_bound;
    known_text(f, e->name);
    number(f, &e->value);
    number(f, &e->lower);
    number(f, &e->upper);
    integer(f, &at_bound);
    e->at_bound = at_bound < 0 ? -1 : at_bound > 0;
}

static void visit_level(file *f, void *holder, int64_t i)
{
    surekrig_model *m = holder;
    number(f, &m->level[i]);
    number(f, &m->coverage[i]);
}

static void visit_round(file *f, void *holder, int64_t i)
{
    surekrig_round *round = &((surekrig_model *)holder)->round[i];
    number(f, &round->beta);
    number(f, &round->loss);
    number(f, &round->objective);
    integer(f, &round->evaluations);
}

static void visit_trace(file *f, void *holder, int64_t i)
{
    surekrig_model *m = holder;
    int64_t levels = m->info.levels, each = 2 * levels + m->info.estimates, round = i / each, item = i % each;
    char name[96];
    if (item < 2 * levels)
        snprintf(name, sizeof name, "%s_%g", item < levels ? "lambda" : "coverage", m->level[item % levels]);
    else
        snprintf(name, sizeof name, "%s", m->estimate[item - 2 * levels].name);
    integer(f, &round);
    known_text(f, name);
    number(f, &m->trace[i]);
}

static void visit_phase(file *f, void *holder, int64_t i)
{
    surekrig_phase *phase = &((surekrig_model *)holder)->phase[i];
    known_text(f, phase->name);
    number(f, &phase->seconds);
}

static void visit_score(file *f, void *holder, int64_t i)
{
    surekrig_scores *s = &((surekrig_model *)holder)->info.scores;
    const struct { const char *name; double *value; } scores[] = {
        {"mae", &s->mae}, {"rmse", &s->rmse}, {"cov", &s->cov}, {"crps", &s->crps}, {"int", &s->interval},
        {"logdensity", &s->logdensity}, {"level", &s->level}};
    known_text(f, scores[i].name);
    number(f, scores[i].value);
}
enum { SCORES = 7 };

static const table MODEL = {"INSERT INTO model VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", "SELECT * FROM model",
                            visit_model};
static const table SETTING = {"INSERT INTO setting(name,value) VALUES(?,?)",
                              "SELECT name,value FROM setting ORDER BY number", visit_setting};
static const table FEATURE = {"INSERT INTO feature(name,rho) VALUES(?,?)",
                              "SELECT name,rho FROM feature ORDER BY number", visit_feature};
static const table RESPONSE = {"INSERT INTO response(name,gamma2,mean,spread) VALUES(?,?,?,?)",
                               "SELECT name,gamma2,mean,spread FROM response ORDER BY number", visit_response};
static const table ESTIMATE = {"INSERT INTO estimate(name,value,lower,upper,at_bound) VALUES(?,?,?,?,?)",
                               "SELECT name,value,lower,upper,at_bound FROM estimate ORDER BY number", visit_estimate};
static const table LEVEL = {"INSERT INTO level(asked,reached) VALUES(?,?)",
                            "SELECT asked,reached FROM level ORDER BY number", visit_level};
static const table ROUND = {"INSERT INTO round(beta,loss,objective,evaluations) VALUES(?,?,?,?)",
                            "SELECT beta,loss,objective,evaluations FROM round ORDER BY number", visit_round};
static const table TRACE = {"INSERT INTO trace(round,item,value) VALUES(?,?,?)",
                            "SELECT round,item,value FROM trace ORDER BY number", visit_trace};
static const table PHASE = {"INSERT INTO phase(name,seconds) VALUES(?,?)",
                            "SELECT name,seconds FROM phase ORDER BY number", visit_phase};
static const table SCORE = {"INSERT INTO score(name,value) VALUES(?,?)", "SELECT name,value FROM score ORDER BY number",
                            visit_score};

/* ---- arrays, chunk by chunk */

static void write_chunk(file *f, const char *name, int64_t chunk, char *bytes, int64_t size)
{
    prepare(f, "INSERT INTO array VALUES(?,?,?)");
    if (!f->status) {
        check(f, sqlite3_bind_text(f->statement, 1, name, -1, SQLITE_STATIC));
        check(f, sqlite3_bind_int64(f->statement, 2, chunk));
        check(f, sqlite3_bind_blob64(f->statement, 3, bytes, (sqlite3_uint64)size, SQLITE_STATIC));
        row(f);
    }
    finalize(f);
}

static void read_chunk(file *f, const char *name, int64_t chunk, char *bytes, int64_t size)
{
    prepare(f, "SELECT bytes FROM array WHERE name=? AND chunk=?");
    if (!f->status) {
        check(f, sqlite3_bind_text(f->statement, 1, name, -1, SQLITE_STATIC));
        check(f, sqlite3_bind_int64(f->statement, 2, chunk));
        row(f);
        const void *found = f->status ? NULL : sqlite3_column_blob(f->statement, 0);
        if (!f->status && (!found || sqlite3_column_bytes(f->statement, 0) != size))
            fail(f, "an array has the wrong length");
        if (!f->status)
            memcpy(bytes, found, (size_t)size);
    }
    finalize(f);
}

static void transfer_array(file *f, const char *name, double *values, int64_t count)
{
    int64_t size = count * (int64_t)sizeof *values;
    for (int64_t at = 0; at < size && !f->status; at += CHUNK) {
        int64_t here = size - at < CHUNK ? size - at : CHUNK;
        (f->writing ? write_chunk : read_chunk)(f, name, at / CHUNK, (char *)values + at, here);
        if (!f->status)
            fold(f, (char *)values + at, (size_t)here);
    }
}

/* ---- saving */

/* Both directions walk the tables in this order, which the checksum depends on. */
static void transfer_first(file *f, contents *c)
{
    transfer(f, &SETTING, c, count_settings());
    transfer(f, &FEATURE, c, c->data.d);
    transfer(f, &RESPONSE, c, c->data.l);
    transfer_array(f, "x", (double *)c->data.x, c->data.n * c->data.d);
    transfer_array(f, "y", (double *)c->data.y, c->data.n * c->data.l);
    if (c->info.noise)
        transfer_array(f, "noise", (double *)c->data.noise, c->data.n);
}

static void transfer_report(file *f, surekrig_model *m)
{
    transfer(f, &ESTIMATE, m, m->info.estimates);
    transfer(f, &LEVEL, m, m->info.levels);
    transfer(f, &ROUND, m, m->info.rounds);
    transfer(f, &TRACE, m, (int64_t)m->info.rounds * (2 * m->info.levels + m->info.estimates));
    transfer(f, &PHASE, m, SK_PHASES);
    transfer(f, &SCORE, m, SCORES);
}

static void write_seal(file *f)
{
    int64_t seal = (int64_t)f->checksum;
    prepare(f, "INSERT INTO seal VALUES(?)");
    integer(f, &seal);
    row(f);
    finalize(f);
}

static void write_all(file *f, const surekrig_model *model)
{
    surekrig_model *m = (surekrig_model *)model; /* the writing direction only reads */
    contents c = {m->data, m->info, m->version, m->nu, m->tau2, m->rho, m->gamma2, m->center, m->spread, m->settings};
    char pragma[96];
    snprintf(pragma, sizeof pragma, "PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION_ID, FORMAT);
    execute(f, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"); /* the rename makes it all or nothing */
    execute(f, pragma);
    execute(f, SCHEMA);
    transfer(f, &MODEL, &c, 1);
    transfer_first(f, &c);
    transfer_report(f, m);
    write_seal(f);
    execute(f, "COMMIT;");
}

/* Makes sure the bytes are on the disk before the name is. */
static void sync_path(file *f, const char *path, int flags)
{
    int descriptor = f->status ? -1 : open(path, flags | O_CLOEXEC);
    if (f->status)
        return;
    if (descriptor < 0 || (fsync(descriptor) && errno != EINVAL && errno != EROFS))
        fail(f, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
}

static void sync_directory_of(file *f, char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = 0;
    sync_path(f, slash ? path : ".", O_RDONLY | O_DIRECTORY);
}

surekrig_status surekrig_model_save(const surekrig_model *m, const char *path, surekrig_error *error)
{
    file f = {.path = path, .error = error, .writing = true};
    size_t room = strlen(path) + 32;
    char *temporary = sk_alloc((int64_t)room, 1);
    if (!temporary)
        return sk_fail_memory(error, (double)room, "a file name");
    snprintf(temporary, room, "%s.tmp-%ld", path, (long)getpid());
    remove(temporary);
    if (sqlite3_open_v2(temporary, &f.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        fail(&f, f.db ? sqlite3_errmsg(f.db) : "out of memory");
    write_all(&f, m);
    if (sqlite3_close(f.db) != SQLITE_OK)
        fail(&f, "the database stays busy");
    sync_path(&f, temporary, O_RDONLY);
    if (!f.status && rename(temporary, path))
        fail(&f, strerror(errno));
    if (f.status)
        remove(temporary);
    snprintf(temporary, room, "%s", path);
    sync_directory_of(&f, temporary);
    free(temporary);
    return f.status;
}

/* ---- loading */

static int64_t pragma_value(file *f, const char *sql)
{
    int64_t value = 0;
    prepare(f, sql);
    if (!f->status && sqlite3_step(f->statement) == SQLITE_ROW)
        value = sqlite3_column_int64(f->statement, 0);
    finalize(f);
    return value;
}

static void check_head(file *f, const contents *c)
{
    if (f->status)
        return;
    const surekrig_data *data = &c->data;
    bool possible = data->n >= 2 && data->d >= 1 && data->l >= 1 && data->n < INT64_MAX / 16 / data->d &&
                    data->n < INT64_MAX / 16 / data->l && c->info.neighbors >= 1 && c->info.neighbors < data->n &&
                    c->info.levels <= SK_LIST_MAX;
    if (!possible)
        fail(f, "its numbers of points, features or neighbours are impossible");
}

static void allocate(file *f, contents *c)
{
    surekrig_data *data = &c->data;
    if (f->status)
        return;
    data->x = sk_doubles(data->n * data->d);
    data->y = sk_doubles(data->n * data->l);
    data->noise = c->info.noise ? sk_doubles(data->n) : NULL;
    data->x_names = sk_zeroed(data->d, sizeof *data->x_names);
    data->y_names = sk_zeroed(data->l, sizeof *data->y_names);
    c->rho = sk_doubles(data->d);
    c->gamma2 = sk_doubles(data->l);
    c->center = sk_doubles(data->l);
    c->spread = sk_doubles(data->l);
    if (!data->x || !data->y || !data->x_names || !data->y_names || !c->rho || !c->gamma2 || !c->center || !c->spread ||
        (c->info.noise && !data->noise))
        f->status = sk_fail_memory(f->error, 8.0 * (double)data->n * (double)(data->d + data->l), "the model's data");
    else
        f->status = surekrig_settings_new(&c->settings, f->error);
}

static void free_contents(contents *c)
{
    for (int64_t a = 0; c->data.x_names && a < c->data.d; a++)
        free((char *)c->data.x_names[a]);
    for (int64_t q = 0; c->data.y_names && q < c->data.l; q++)
        free((char *)c->data.y_names[q]);
    void *owned[] = {(void *)c->data.x, (void *)c->data.y, (void *)c->data.noise, (void *)c->data.x_names,
                     (void *)c->data.y_names, c->version, c->rho, c->gamma2, c->center, c->spread};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    surekrig_settings_free(c->settings);
}

/* The model that the contents describe; its report is still empty. */
static surekrig_model *rebuild(file *f, const contents *c)
{
    surekrig_model *m = NULL;
    if (f->status)
        return NULL;
    f->status = sk_model_new(&c->data, c->settings, &m, f->error);
    if (!f->status)
        f->status = sk_model_shape(m, c->info.levels, c->info.rounds, f->error);
    if (f->status) {
        surekrig_model_free(m);
        return NULL;
    }
    size_t l = (size_t)c->data.l * sizeof(double);
    memcpy(m->rho, c->rho, (size_t)c->data.d * sizeof(double));
    memcpy(m->gamma2, c->gamma2, l);
    memcpy(m->center, c->center, l);
    memcpy(m->spread, c->spread, l);
    snprintf(m->version, sizeof m->version, "%s", c->version);
    m->nu = c->nu;
    m->tau2 = c->tau2;
    m->info.neighbors = c->info.neighbors;
    m->info.batch = c->info.batch;
    m->info.outcome = c->info.outcome;
    m->info.loss = c->info.loss;
    m->info.evaluations = c->info.evaluations;
    m->info.jittered = c->info.jittered;
    m->info.max_jitter = c->info.max_jitter;
    return m;
}

static void check_seal(file *f)
{
    uint64_t made = f->checksum;
    int64_t stored = 0;
    prepare(f, "SELECT checksum FROM seal");
    row(f);
    integer(f, &stored);
    finalize(f);
    if (!f->status && (uint64_t)stored != made)
        fail(f, "its checksum is wrong, so something in it has changed since it was saved");
}

static surekrig_model *read_all(file *f)
{
    contents c = {.data = {0}};
    int64_t id = pragma_value(f, "PRAGMA application_id"), format = pragma_value(f, "PRAGMA user_version");
    if (!f->status && id != APPLICATION_ID)
        fail(f, "it is a database of another program");
    if (!f->status && format != FORMAT)
        fail(f, format > FORMAT ? "it was written by a newer surekrig" : "its format is unknown");
    transfer(f, &MODEL, &c, 1);
    check_head(f, &c);
    allocate(f, &c);
    if (!f->status)
        transfer_first(f, &c);
    surekrig_model *m = rebuild(f, &c);
    if (m)
        transfer_report(f, m);
    check_seal(f);
    free_contents(&c);
    if (f->status) {
        surekrig_model_free(m);
        return NULL;
    }
    m->info.scores.n = m->info.batch * m->data.l;
    return m;
}

surekrig_status surekrig_model_load(const char *path, surekrig_model **model, surekrig_error *error)
{
    file f = {.path = path, .error = error};
    if (access(path, R_OK))
        return sk_fail(error, SUREKRIG_FILE, "cannot read %s: %s", path, strerror(errno));
    if (sqlite3_open_v2(path, &f.db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail(&f, f.db ? sqlite3_errmsg(f.db) : "out of memory");
    surekrig_model *made = read_all(&f);
    sqlite3_close(f.db);
    if (!f.status)
        *model = made;
    return f.status;
}
