/* The model file: what it holds comes back to the bit, and what has happened to its bytes is noticed. */
#include "model_file_support.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <time.h>

/* ---- there and back */

static void there_and_back(const surekrig_model *model)
{
    save(model, path);
    surekrig_model *again = load(path);
    same_info(surekrig_model_info(model), surekrig_model_info(again));
    assert_true(predicts_the_same(model, again));
    save(again, other_path);
    long length, other_length;
    char *bytes = read_bytes(path, &length), *other = read_bytes(other_path, &other_length);
    assert_int_equal(length, other_length);
    assert_memory_equal(bytes, other, (size_t)length);
    free(bytes);
    free(other);
    surekrig_model_free(again);
    assert_int_equal(files(true), 2);
}

static void models_of_all_kinds_come_back(void **state)
{
    (void)state;
    char longest[100];
    memset(longest, 'x', sizeof longest);
    longest[99] = 0;
    const char *x_names[] = {"l'on", "Länge \"ü\"; DROP TABLE model"}, *y_names[] = {longest, "", "t e m p"};
    points three = make_field(80, 2, 3, 0.6, 0.3, 0.05, 73), noisy = make_field(70, 1, 1, 0.6, 0.3, 0, 74);
    add_noise(&noisy, 75);
    three.data.x_names = x_names;
    three.data.y_names = y_names;
    const char *words = "preset=paper neighbors=8 batch=40 coverage=0.5,0.9 seed=18446744073709551615";
    surekrig_model *all[5] = {small_model(0), small_model(1),
                              fit(&three.data, "neighbors=8 anisotropic=yes evaluations=12 polish=0 rounds=7"),
                              fit(&noisy.data, words)};
    surekrig_error error;
    succeed(surekrig_refit(&noisy.data, all[3], &all[4], &error), &error);
    for (int i = 0; i < 5; i++) {
        there_and_back(all[i]);
        surekrig_model_free(all[i]);
    }
    free_points(&three);
    free_points(&noisy);
}

/* The columns of a refit may have other names; what is saved must be what comes back. */
static void a_refit_under_other_names_comes_back(void **state)
{
    (void)state;
    const char *old_names[] = {"lon", "lat"}, *new_names[] = {"x", "y"};
    points p = make_field(50, 2, 1, 0.6, 0.3, 0.05, 76);
    surekrig_error error;
    surekrig_model *model = NULL;
    p.data.x_names = old_names;
    surekrig_model *from = fit(&p.data, "rho=0.2,0.3 nu=0.5 tau2=0.01 neighbors=5 coverage=none");
    p.data.x_names = new_names;
    succeed(surekrig_refit(&p.data, from, &model, &error), &error);
    there_and_back(model);
    surekrig_model_free(from);
    surekrig_model_free(model);
    free_points(&p);
}

/* ---- as others see it */

static sqlite3_stmt *ask(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    return statement;
}

static void has_pages_of(const char *in, int bytes)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(in, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_stmt *s = ask(db, "PRAGMA page_size");
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(s, 0), bytes);
    sqlite3_finalize(s);
    sqlite3_close(db);
}

static void the_tables_hold_the_report(void **state)
{
    (void)state;
    surekrig_model *model = small_model(1);
    const surekrig_info *info = surekrig_model_info(model);
    sqlite3 *db = NULL;
    save(model, path);
    has_pages_of(path, 4096);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_stmt *s = ask(db, "PRAGMA integrity_check");
    assert_true(sqlite3_step(s) == SQLITE_ROW && !strcmp((const char *)sqlite3_column_text(s, 0), "ok"));
    sqlite3_finalize(s);
    s = ask(db, "SELECT name,value,lower,at_bound FROM estimate ORDER BY number");
    for (int i = 0; i < info->estimates; i++) {
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(s, 0), info->estimate[i].name);
        assert_true(sqlite3_column_double(s, 1) == info->estimate[i].value);
        assert_int_equal(sqlite3_column_type(s, 2) == SQLITE_NULL, isnan(info->estimate[i].lower));
        assert_int_equal(sqlite3_column_int(s, 3), info->estimate[i].at_bound);
    }
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    s = ask(db, "SELECT name,value FROM setting");
    for (int i = 0; surekrig_settings_row(i); i++) {
        assert_int_equal(sqlite3_step(s), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(s, 1),
                            surekrig_settings_get(info->settings, (const char *)sqlite3_column_text(s, 0)));
    }
    sqlite3_finalize(s);
    s = ask(db, "SELECT n,(SELECT value FROM hyper WHERE name='nu'),(SELECT value FROM hyper WHERE name='tau2'),loss,"
                "evaluations,(SELECT reached FROM level),(SELECT count(*) FROM round) FROM model");
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    assert_true(sqlite3_column_int64(s, 0) == 60 && sqlite3_column_double(s, 1) == value_of(model, "nu"));
    assert_true(sqlite3_column_double(s, 2) == value_of(model, "tau2") && sqlite3_column_double(s, 3) == info->loss);
    assert_true(sqlite3_column_int64(s, 4) == info->evaluations && sqlite3_column_double(s, 5) == info->coverage[0]);
    assert_int_equal(sqlite3_column_int(s, 6), info->rounds);
    sqlite3_finalize(s);
    sqlite3_close(db);
    surekrig_model_free(model);
}

/* ---- large arrays */

static void refused(const char *from, const char *why)
{
    surekrig_model *model = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    assert_int_equal(surekrig_model_load(from, &model, &error), SUREKRIG_FILE);
    mentions(&error, from);
    mentions(&error, why);
    assert_ptr_equal(model, (void *)0x1234);
    assert_int_equal(surekrig_model_load(from, &model, NULL), SUREKRIG_FILE);
}

static void execute(const char *in, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(in, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

/* Arrays in several chunks, and pages of their other size. */
static surekrig_model *large_model(void)
{
    enum { N = 360000 };
    points p = {.data = {.n = N, .d = 2, .l = 1}, .x = make_places(N, 2, 1, 5), .y = make_places(N, 1, 1, 6)};
    p.data.x = p.x;
    p.data.y = p.y;
    surekrig_model *model = fit(&p.data, "neighbors=3 nu=0.5 rho=0.1 tau2=0.1 batch=50 coverage=none");
    free_points(&p);
    return model;
}

/* All chunks of an array into one, as they may have been written by another version. */
static void join_chunks(const char *in, const char *name)
{
    sqlite3 *db = NULL;
    char sql[200], *bytes = NULL;
    size_t length = 0;
    assert_int_equal(sqlite3_open(in, &db), SQLITE_OK);
    snprintf(sql, sizeof sql, "SELECT bytes FROM array WHERE name='%s' ORDER BY chunk", name);
    sqlite3_stmt *s = ask(db, sql);
    int chunks = 0;
    for (; sqlite3_step(s) == SQLITE_ROW; chunks++) {
        size_t here = (size_t)sqlite3_column_bytes(s, 0);
        bytes = realloc(bytes, length + here);
        memcpy(bytes + length, sqlite3_column_blob(s, 0), here);
        length += here;
    }
    assert_true(chunks > 1);
    sqlite3_finalize(s);
    snprintf(sql, sizeof sql, "DELETE FROM array WHERE name='%s'", name);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    snprintf(sql, sizeof sql, "INSERT INTO array VALUES('%s',0,?)", name);
    s = ask(db, sql);
    assert_int_equal(sqlite3_bind_blob64(s, 1, bytes, length, SQLITE_STATIC), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    sqlite3_close(db);
    free(bytes);
}

static void same_bytes(const char *one, const char *another)
{
    long length, other_length;
    char *bytes = read_bytes(one, &length), *other_bytes = read_bytes(another, &other_length);
    assert_int_equal(length, other_length);
    assert_int_equal(memcmp(bytes, other_bytes, (size_t)length), 0);
    free(bytes);
    free(other_bytes);
}

static void large_arrays_come_back(void **state)
{
    (void)state;
    char again[260];
    snprintf(again, sizeof again, "%s.again", path);
    surekrig_model *model = large_model();
    save(model, path);
    has_pages_of(path, 65536);
    for (int joined = 0; joined < 2; joined++) {
        save(model, other_path);
        if (joined)
            join_chunks(other_path, "x");
        surekrig_model *found = load(other_path);
        save(found, again);
        same_bytes(path, again); /* the data themselves too */
        surekrig_model_free(found);
    }
    execute(other_path, "DELETE FROM array WHERE name='y' AND chunk=1");
    refused(other_path, "a row is missing");
    save(model, other_path);
    execute(other_path, "UPDATE array SET bytes=x'00' WHERE name='y' AND chunk=1");
    refused(other_path, "wrong length");
    surekrig_model_free(model);
}

/* ---- damage */

static void truncated_files_are_refused(void **state)
{
    (void)state;
    surekrig_model *model = small_model(1);
    save(model, path);
    long length;
    char *bytes = read_bytes(path, &length), what[120];
    for (long keep = 0; keep < length; keep += keep < 600 ? 7 : 211) {
        write_bytes(other_path, bytes, keep);
        snprintf(what, sizeof what, "%ld of %ld bytes", keep, length);
        assert_false(intact(model, other_path, what));
    }
    free(bytes);
    surekrig_model_free(model);
}

static void put_byte(FILE *file, long at, int byte)
{
    assert_true(fseek(file, at, SEEK_SET) == 0 && putc(byte & 0xff, file) != EOF && fflush(file) == 0);
}

/* One bit, or all bits, of bytes all over the file. Most lie in the unused parts of SQLite's pages. */
static void flip(int variant, long step)
{
    surekrig_model *model = small_model(variant);
    save(model, path);
    save(model, other_path);
    long length, harmless = 0, noticed = 0;
    char *bytes = read_bytes(path, &length), what[120];
    FILE *file = fopen(other_path, "r+b");
    assert_non_null(file);
    for (long at = 0; at < length; at += bytes[at] ? step : 25 * step) { /* where nothing is written, fewer */
        char mask = at % 3 ? (char)(1 << at % 8) : (char)0xff;
        put_byte(file, at, bytes[at] ^ mask);
        snprintf(what, sizeof what, "model %d, byte %ld of %ld, mask %02x", variant, at, length, mask & 0xff);
        if (intact(model, other_path, what))
            harmless++;
        else
            noticed++;
        put_byte(file, at, bytes[at]);
    }
    assert_true(harmless > 50 && noticed > 200);
    fclose(file);
    free(bytes);
    surekrig_model_free(model);
}

static void flipped_bits_are_noticed_or_harmless(void **state)
{
    (void)state;
    flip(0, 8);
    flip(1, 8);
}

/* Changes one cell of a copy of the model; false where there is nothing to change. empty: NULL for zero and zero for
 * NULL; else the value itself. */
static bool change_cell(const char *table, const char *column, int row, bool empty)
{
    char sql[600];
    sqlite3 *db = NULL;
    snprintf(sql, sizeof sql,
             "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
             "WITH v(c) AS (SELECT %s FROM %s WHERE rowid=%d) "
             "UPDATE %s SET %s=(SELECT %s FROM v) WHERE rowid=%d %s",
             column, table, row, table, column,
             empty ? "CASE WHEN c IS NULL THEN 0 END"
                   : "CASE typeof(c) WHEN 'text' THEN c||'1' WHEN 'blob' THEN zeroblob(length(c)) "
                     "WHEN 'integer' THEN c+1 ELSE c*1.001+1e-3 END",
             row, empty ? "AND (SELECT c IS NULL OR c=0 FROM v)" : "AND (SELECT c IS NOT NULL FROM v)");
    assert_int_equal(sqlite3_open(other_path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    int rows = sqlite3_changes(db);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return rows > 0;
}

/* In every column of every table; the first three rows stand for the rest. */
static void change_cells(int variant)
{
    surekrig_model *model = small_model(variant);
    save(model, path);
    long length, changed = 0;
    char *bytes = read_bytes(path, &length), what[300];
    sqlite3 *source = NULL;
    assert_int_equal(sqlite3_open_v2(path, &source, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_stmt *columns = ask(source, "SELECT m.name,c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                                        "WHERE m.type='table' AND c.name NOT IN ('number','chunk')");
    while (sqlite3_step(columns) == SQLITE_ROW)
        for (int way = 0; way < 6; way++) {
            const char *table = (const char *)sqlite3_column_text(columns, 0);
            const char *column = (const char *)sqlite3_column_text(columns, 1);
            write_bytes(other_path, bytes, length);
            if (!change_cell(table, column, 1 + way % 3, way >= 3))
                continue;
            snprintf(what, sizeof what, "model %d, %s.%s, row %d, %s", variant, table, column, 1 + way % 3,
                     way >= 3 ? "empty for zero or zero for empty" : "changed");
            bool loaded = intact(model, other_path, what);
            assert_true(!loaded || way >= 3); /* an integer's zero and nothing are read as the same */
            changed++;
        }
    assert_true(changed > 60);
    sqlite3_finalize(columns);
    sqlite3_close(source);
    free(bytes);
    surekrig_model_free(model);
}

static void changed_cells_are_noticed(void **state)
{
    (void)state;
    change_cells(0);
    change_cells(1);
}

/* The seal is of what is read: more than that is refused, in any table. */
static void added_rows_are_refused(void **state)
{
    (void)state;
    static const char *const ONE_ROW[] = {"model", "seal"};
    static const char *const WORDS[] = {"CREATE TABLE foo(a)", "CREATE TABLE part(number)",
                                        "INSERT INTO array VALUES('zz',0,x'00')",
                                        "INSERT INTO array SELECT name,7,bytes FROM array WHERE name='x'"};
    surekrig_model *model = small_model(1);
    char sql[200];
    sqlite3 *source = NULL;
    int numbered = 0;
    for (size_t i = 0; i < sizeof ONE_ROW / sizeof *ONE_ROW; i++) {
        save(model, path);
        snprintf(sql, sizeof sql, "INSERT INTO %s SELECT * FROM %s", ONE_ROW[i], ONE_ROW[i]);
        execute(path, sql);
        refused(path, " rows, and ");
    }
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        save(model, path);
        execute(path, WORDS[i]);
        refused(path, i < 2 ? "it holds a table that no model has" : " rows, and ");
    }
    save(model, other_path);
    assert_int_equal(sqlite3_open_v2(other_path, &source, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    sqlite3_stmt *tables = ask(source, "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
                                       "WHERE m.type='table' AND c.name='number'");
    for (; sqlite3_step(tables) == SQLITE_ROW; numbered++) {
        save(model, path);
        snprintf(sql, sizeof sql, "INSERT INTO %s(number) VALUES(999)", sqlite3_column_text(tables, 0));
        execute(path, sql);
        refused(path, "");
    }
    assert_true(numbered > 10);
    sqlite3_finalize(tables);
    sqlite3_close(source);
    surekrig_model_free(model);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    surekrig_model *model = small_model(0);
    save(model, path);
    execute(path, "PRAGMA user_version=99");
    refused(path, "newer");
    execute(path, "PRAGMA user_version=0");
    refused(path, "format");
    execute(other_path, "CREATE TABLE song(title TEXT)");
    refused(other_path, "another program");
    write_bytes(other_path, "lon,lat,temp\n1,2,3\n", 19);
    refused(other_path, "another kind of file");
    write_bytes(other_path, "", 0);
    refused(other_path, "empty");
    remove(other_path);
    refused(other_path, "No such file");
    refused(folder, "");
    surekrig_model_free(model);
}

/* ---- rows in files of their own */

static int open_files(void)
{
    int count = 0;
    for (int descriptor = 0; descriptor < 256; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

/* The only part's name. */
static void find_part(char *name, size_t room)
{
    char parts[300];
    snprintf(parts, sizeof parts, "%s.parts", path);
    DIR *listing = opendir(parts);
    assert_non_null(listing);
    *name = 0;
    for (struct dirent *entry; (entry = readdir(listing)) != NULL;)
        if (entry->d_name[0] != '.')
            snprintf(name, room, "%s/%.60s", parts, entry->d_name);
    closedir(listing);
    assert_true(*name);
}

/* They come back, what has happened to them is noticed, and no file stays open. */
static void parts_come_back_or_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why, *sql; /* sql: what the model file says of them; NULL: they are changed */
        int64_t at;            /* of a byte that is another, from the end where it is negative; 0: the file is longer */
    } WAYS[] = {{"is another model's", NULL, 1},
                {"has changed since it was saved", NULL, -1},
                {"is not as long as it was written", NULL, 0},
                {"is not as long as it was written", "UPDATE part SET rows = rows - 1", 0},
                {"its parts have other rows than it has", "UPDATE part SET rows = -1", 0},
                {"its parts have other rows than it has", "UPDATE part SET rows = rows + 1", 0},
                {"its parts have other rows than it has", "UPDATE model SET n = n + 1", 0},
                {"its parts are impossible", "DELETE FROM part", 0},
                {"its parts are impossible", "UPDATE model SET d = 0", 0},
                {"its parts are impossible", "UPDATE model SET l = 1048576", 0}};
    points p = make_field(60, 2, 1, 0.6, 0.3, 0.05, 81);
    add_noise(&p, 82);
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.2 tau2=0.1 neighbors=5 coverage=none");
    surekrig_error error;
    char name[400];
    long length;
    succeed(surekrig_model_save_parts(m, path, &error), &error);
    int before = open_files();
    assert_true(intact(m, path, "in parts"));
    assert_int_equal(open_files(), before);
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        succeed(surekrig_model_save_parts(m, path, &error), &error);
        find_part(name, sizeof name);
        char *bytes = read_bytes(name, &length);
        char *longer = realloc(bytes, (size_t)length + 1);
        longer[length] = 0;
        if (WAYS[i].at)
            longer[WAYS[i].at < 0 ? length + WAYS[i].at : WAYS[i].at - 1] ^= 4;
        if (WAYS[i].sql)
            execute(path, WAYS[i].sql);
        else
            write_bytes(name, longer, length + !WAYS[i].at);
        refused(path, WAYS[i].why);
        assert_int_equal(open_files(), before);
        free(longer);
    }
    succeed(surekrig_model_save_parts(m, path, &error), &error);
    find_part(name, sizeof name);
    remove(name);
    refused(path, "is in parts, and one cannot be read");
    save(m, path); /* which sweeps parts away */
    snprintf(name, sizeof name, "%s.parts", path);
    assert_int_not_equal(access(name, F_OK), 0);
    assert_int_equal(open_files(), before);
    surekrig_model_free(m);
    free_points(&p);
}

/* ---- files from others, whose seal is right */

/* The number is wrong when it is saved: the seal is of the wrong one. */
static void refused_with(surekrig_model *m, double *number, double value, const char *why)
{
    double kept = *number;
    *number = value;
    save(m, path);
    *number = kept;
    refused(path, why);
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    points p = make_field(90, 2, 1, 0.6, 0.3, 0.05, 73);
    surekrig_model *m = fit(&p.data, "neighbors=7 nu=0.5 rho=0.2 tau2=0.1 coverage=0.9 mean=trend variance=local "
                                     "interval=conformal calibration=40 evaluations=5 polish=0 batch=30");
    double wrong[] = {NAN, INFINITY, -INFINITY};
    assert_true(m->widths.local && m->widths.scores > 3 && m->trend.columns > 0);
    for (int i = 0; i < 3; i++) {
        refused_with(m, m->center, wrong[i], "the mean or the spread");
        refused_with(m, m->spread, wrong[i], "the mean or the spread");
        refused_with(m, m->trend.beta, wrong[i], "its trend");
        refused_with(m, m->trend.covariance, wrong[i], "its trend");
        refused_with(m, m->widths.coefficient, wrong[i], "widths");
        refused_with(m, &m->info.max_jitter, wrong[i], "report");
        refused_with(m, &m->phase[1].seconds, wrong[i], "report");
        refused_with(m, m->level, wrong[i], "report");
        refused_with(m, m->hyper.gamma2_std, wrong[i], "covariance");
    }
    refused_with(m, m->spread, 0, "the mean or the spread");
    refused_with(m, m->spread, -1, "the mean or the spread");
    refused_with(m, &m->widths.score[2], m->widths.score[1] / 2 - 1, "widths");
    refused_with(m, &m->widths.score[2], NAN, "widths");
    refused_with(m, &m->info.scores.mae, -1, "report");
    refused_with(m, &m->info.held_out.cov, 1.5, "report");
    refused_with(m, &m->estimate[0].value, NAN, "report");
    save(m, path);
    assert_true(intact(m, path, "untouched"));
    surekrig_model_free(m);
    free_points(&p);
}

/* Likewise, and it is a number that may be. */
static void taken_with(surekrig_model *m, double *number, double value)
{
    double kept = *number;
    *number = value;
    save(m, path);
    *number = kept;
    surekrig_model_free(load(path));
}

/* At the ends of what is possible, and past them. */
static void numbers_at_the_ends_of_their_ranges(void **state)
{
    (void)state;
    points p = make_field(90, 2, 1, 0.6, 0.3, 0.05, 73);
    surekrig_model *m = fit(&p.data, "neighbors=7 nu=0.5 rho=0.2 tau2=0.1 coverage=0.9 mean=trend variance=local "
                                     "interval=conformal calibration=40 evaluations=5 polish=0 batch=30");
    surekrig_scores *scores[] = {&m->info.scores, &m->info.held_out};
    for (int i = 0; i < 2; i++) {
        double *positive[] = {&scores[i]->mae, &scores[i]->rmse, &scores[i]->crps, &scores[i]->interval};
        for (int j = 0; j < 4; j++) {
            refused_with(m, positive[j], -1e-9, "report");
            taken_with(m, positive[j], 0);
        }
        double *share[] = {&scores[i]->cov, &scores[i]->level};
        for (int j = 0; j < 2; j++) {
            refused_with(m, share[j], -1e-9, "report");
            refused_with(m, share[j], 1 + 1e-9, "report");
            taken_with(m, share[j], 0);
            taken_with(m, share[j], 1);
        }
    }
    assert_non_null(m->widths.farther);
    double *signs[] = {m->widths.low,          m->widths.high,          m->widths.middle,
                       m->widths.farther->low, m->widths.farther->high, m->widths.farther->middle};
    for (int j = 0; j < 6; j++) {
        refused_with(m, signs[j], INFINITY, "widths");
        refused_with(m, signs[j] + SK_WIDTH_SIGNS - 1, -INFINITY, "widths");
        taken_with(m, signs[j], 1.7976931348623157e308);
    }
    refused_with(m, &m->widths.coefficient[SK_WIDTH_TERMS - 1], INFINITY, "widths");
    refused_with(m, m->widths.coefficient, 301, "widths");
    refused_with(m, m->widths.coefficient, -301, "widths");
    taken_with(m, m->widths.coefficient, 300);
    refused_with(m, m->widths.farther->coefficient + SK_WIDTH_TERMS - 1, 301, "widths");
    taken_with(m, m->widths.farther->coefficient + SK_WIDTH_TERMS - 1, -300);
    refused_with(m, &m->widths.score[0], -1e-9, "widths");
    taken_with(m, &m->widths.score[0], 0);
    taken_with(m, &m->widths.score[2], m->widths.score[1]);
    refused_with(m, &m->trend.covariance[3], -1e-9, "its trend");
    refused_with(m, &m->trend.beta[1], INFINITY, "its trend");
    taken_with(m, &m->trend.covariance[3], 0);
    double *y = (double *)m->data.y, one_spread = m->spread[0];
    taken_with(m, m->center, -0.99e100 * one_spread);
    refused_with(m, m->center, -1.7976931348623157e308, "a response"); /* it is no mean of theirs */
    taken_with(m, y, 0.99e100 * one_spread);
    refused_with(m, y, 1.01e100 * one_spread, "a response");
    refused_with(m, y + 1, -1.01e100 * one_spread, "a response");
    refused_with(m, m->spread, 5e-324, "a response"); /* it is no spread of theirs */
    taken_with(m, m->spread, 1e-90 * one_spread);
    refused_with(m, m->level, 1 + 1e-9, "report");
    refused_with(m, m->level, -1e-9, "report");
    taken_with(m, m->level, 0);
    taken_with(m, m->level, 1);
    refused_with(m, &m->info.max_jitter, -1e-9, "report");
    taken_with(m, &m->info.max_jitter, 0);
    refused_with(m, &m->info.accepted, -1e-9, "report");
    taken_with(m, &m->info.accepted, 0);
    for (int i = 0; i < 3; i++) {
        refused_with(m, &m->phase[i].seconds, -1e-9, "report");
        taken_with(m, &m->phase[i].seconds, 0);
    }
    int64_t *count[] = {&m->info.jittered, &m->info.batch};
    for (int i = 0; i < 2; i++) {
        int64_t kept = *count[i];
        *count[i] = -1;
        save(m, path);
        refused(path, "report");
        *count[i] = 0;
        save(m, path);
        surekrig_model_free(load(path));
        *count[i] = kept;
    }
    surekrig_model_free(m);
    free_points(&p);
}

/* The number is not even saved. */
static void unsaved_with(surekrig_model *m, double *number, double value, const char *why)
{
    double kept = *number;
    surekrig_error error;
    *number = value;
    assert_int_equal(surekrig_model_save(m, path, &error), SUREKRIG_FILE);
    mentions(&error, why);
    *number = kept;
}

/* What few files have: where it is stored it comes back, and what cannot be is refused. */
static void numbers_that_few_files_have(void **state)
{
    (void)state;
    points p = make_field(60, 2, 1, 0.6, 0.3, 0.05, 80);
    surekrig_model *m = fit(&p.data, "neighbors=5 nu=0.5 rho=0.2 tau2=0.1 coverage=none");
    double *number[] = {&m->info.recall, &m->info.seen_share, &m->info.beside};
    const double stored[] = {0.75, 0.5, 3};
    for (int i = 0; i < 3; i++) {
        double kept = *number[i];
        *number[i] = stored[i];
        save(m, path);
        surekrig_model *again = load(path);
        assert_true((i == 0 ? again->info.recall : i == 1 ? again->info.seen_share : again->info.beside) == stored[i]);
        surekrig_model_free(again);
        *number[i] = kept;
        unsaved_with(m, number[i], i ? INFINITY : -1e-9, "report");
    }
    taken_with(m, &m->info.recall, 0);
    for (int i = 0; i < 3; i++) { /* the lattice's corner and its pitch */
        memcpy(m->lattice, (double[]){-2, 3, 0.5}, sizeof m->lattice);
        save(m, path);
        surekrig_model *again = load(path);
        same_bits(again->lattice, m->lattice, 3);
        surekrig_model_free(again);
        unsaved_with(m, &m->lattice[i], INFINITY, "its lattice of nodes is impossible");
        m->lattice[2] = 0;
    }
    m->widths.floor_std = sk_zeroed(1, sizeof(double));
    taken_with(m, m->widths.floor_std, 0);
    unsaved_with(m, m->widths.floor_std, -1e-9, "its least variance is impossible");
    unsaved_with(m, m->widths.floor_std, INFINITY, "its least variance is impossible");
    m->info.margin = (surekrig_scores){1000000000, 1, 2, 0.5, 4, 5, NAN, 0.95};
    save(m, path);
    surekrig_model *again = load(path);
    assert_int_equal(again->info.margin.n, 1000000000);
    same_bits(&again->info.margin.mae, &m->info.margin.mae, 5);
    surekrig_model_free(again);
    m->info.margin.n++;
    unsaved_with(m, &m->info.margin.mae, 1, "report");
    surekrig_model_free(m);
    free_points(&p);
}

/* Numbers of the head that cannot be are named as such; what could be is refused for its seal, or for what is then
 * missing. */
static void impossible_heads(void **state)
{
    (void)state;
    static const struct {
        const char *sql;
        bool possible;
    } WAYS[] = {{"n=1", false},
                {"n=0", false},
                {"n=-1", false},
                {"d=0", false},
                {"d=-1", false},
                {"l=0", false},
                {"l=-1", false},
                {"neighbors=0", false},
                {"neighbors=-1", false},
                {"neighbors=60", false},
                {"neighbors=59", true},
                {"neighbors=1", true},
                {"d=1", true},
                {"levels=65", false},
                {"levels=2", true},
                {"n=9223372036854775807", false},
                {"n=2, neighbors=1", true}};
    surekrig_model *m = small_model(1);
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        char sql[100];
        surekrig_model *again = NULL;
        surekrig_error error;
        save(m, path);
        snprintf(sql, sizeof sql, "UPDATE model SET %s", WAYS[i].sql);
        execute(path, sql);
        assert_int_equal(surekrig_model_load(path, &again, &error), SUREKRIG_FILE);
        if ((strstr(error.sentence, "features or neighbours are impossible") != NULL) == WAYS[i].possible)
            fail_msg("%s: %s", WAYS[i].sql, error.sentence);
    }
    static const char *const SMALL[] = {"noise", "outcome", "levels", "rounds"};
    for (int i = 0; i < 8; i++) {
        char sql[100];
        save(m, path);
        snprintf(sql, sizeof sql, "UPDATE model SET %s = %s", SMALL[i / 2], i % 2 ? "-1" : "1000001");
        execute(path, sql);
        refused(path, "a number is out of range");
    }
    surekrig_model_free(m);
}

/* Whatever a file's texts hold, a terminal is not commanded by them. */
static void texts_are_plain(void **state)
{
    (void)state;
    const char *given[] = {"a\x01z\x1f\x7f~\x9b"
                           "1m\xe9\xe2\x80\xae\xe2\x80\xaf\xe2\x81\xa9\xe2\x81\xaa\xf0\x9f\x8c\x8d\xe2",
                           "\t\n \xc2\x80z\xc2\x9f\xc2\xa0"};
    const char *plain[] = {"a z  ~ 1m\xe9   \xe2\x80\xaf   \xe2\x81\xaa\xf0\x9f\x8c\x8d\xe2", "\t\n   z  \xc2\xa0"};
    points p = make_field(50, 2, 1, 0.6, 0.3, 0.05, 79);
    p.data.x_names = given;
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.2 tau2=0.1 neighbors=5 coverage=none");
    save(m, path);
    surekrig_model *again = load(path);
    same_text(surekrig_model_info(again)->x_names, plain, 2);
    surekrig_model_free(again);
    surekrig_model_free(m);
    free_points(&p);
}

/* Its product with the responses would be no number. */
static void a_vast_batch_is_refused(void **state)
{
    (void)state;
    points p = make_field(60, 2, 2, 0.6, 0.3, 0.05, 74);
    surekrig_model *m = fit(&p.data, "neighbors=7 nu=0.5 rho=0.2 tau2=0.1 coverage=none batch=30");
    int64_t kept = m->info.batch;
    m->info.batch = INT64_MAX / 2 + 1;
    save(m, path);
    refused(path, "report");
    m->info.batch = kept;
    surekrig_model_free(m);
    free_points(&p);
}

/* Nothing in a file is run, and what it says of its size is not believed. The seal could be right in all of them. */
static void only_ordinary_tables_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *sql, *why;
    } WAYS[] = {
        {"ALTER TABLE setting RENAME TO kept; CREATE VIEW setting AS WITH RECURSIVE t(number, name, value) AS (SELECT 1, "
         "'nu', '0.5' UNION ALL SELECT number + 1, name, value FROM t) SELECT * FROM t",
         "views"},
        {"CREATE TRIGGER a AFTER INSERT ON seal BEGIN DELETE FROM seal; END", "triggers"},
        {"CREATE INDEX a ON setting(upper(value))", "no model has"},
        {"ALTER TABLE setting ADD COLUMN a AS (hex(name))", "no model has"},
        {"PRAGMA writable_schema=ON; INSERT INTO sqlite_master VALUES('table', 'v', 'v', 0, 'CREATE VIRTUAL TABLE v USING "
         "fts5(a)')",
         "no model has"},
        {"UPDATE model SET n = 20000000", "too short"},
        {"UPDATE model SET d = 1000000", "too short"},
        {"UPDATE model SET rounds = 1000000", "too short"},
        {"UPDATE model SET evaluations = 9223372036854775807", "whole"},
        {"UPDATE number SET value = 1e9 WHERE name = 'conformal_scores'", "too short"}};
    surekrig_model *m = small_model(1);
    struct rlimit kept, limit;
    for (size_t i = 0; i < sizeof WAYS / sizeof *WAYS; i++) {
        save(m, path);
        execute(path, WAYS[i].sql);
        getrlimit(RLIMIT_CPU, &kept); /* an endless view would not come back */
        limit = (struct rlimit){(rlim_t)(clock() / CLOCKS_PER_SEC) + 20, kept.rlim_max};
        setrlimit(RLIMIT_CPU, &limit);
        refused(path, WAYS[i].why);
        setrlimit(RLIMIT_CPU, &kept);
    }
    surekrig_model_free(m);
}

/* Where no history says how many there were. */
static void impossible_evaluations(void **state)
{
    (void)state;
    surekrig_model *m = small_model(1);
    free(m->history);
    m->info.history = m->history = NULL;
    m->info.evaluations = INT64_MAX;
    save(m, path);
    refused(path, "a number of its report is impossible");
    surekrig_model_free(m);
}

/* As many rows as the file could hold, whose data then are not there, and one more; a noise is a column too. */
static void sizes_are_compared_with_the_file(void **state)
{
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        points p = make_field(60, 2, 2 - noise, 0.6, 0.3, 0.05, 77);
        if (noise)
            add_noise(&p, 78);
        surekrig_model *m = fit(&p.data, "neighbors=5 nu=0.5 rho=0.2 tau2=0.1 coverage=none");
        for (int more = 0; more < 2; more++) {
            struct stat about;
            char sql[80];
            surekrig_model *again = NULL;
            surekrig_error error;
            save(m, path);
            assert_int_equal(stat(path, &about), 0);
            long long rows = about.st_size / (8 * 4) + more; /* of four columns either way */
            snprintf(sql, sizeof sql, "UPDATE model SET n = %lld", rows);
            execute(path, sql);
            assert_int_equal(surekrig_model_load(path, &again, &error), SUREKRIG_FILE);
            assert_true((strstr(error.sentence, "too short") != NULL) == more);
        }
        surekrig_model_free(m);
        free_points(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(models_of_all_kinds_come_back, empty_folder),
        cmocka_unit_test_teardown(a_refit_under_other_names_comes_back, empty_folder),
        cmocka_unit_test_teardown(the_tables_hold_the_report, empty_folder),
        cmocka_unit_test_teardown(large_arrays_come_back, empty_folder),
        cmocka_unit_test_teardown(truncated_files_are_refused, empty_folder),
        cmocka_unit_test_teardown(flipped_bits_are_noticed_or_harmless, empty_folder),
        cmocka_unit_test_teardown(changed_cells_are_noticed, empty_folder),
        cmocka_unit_test_teardown(added_rows_are_refused, empty_folder),
        cmocka_unit_test_teardown(other_files_are_refused, empty_folder),
        cmocka_unit_test_teardown(parts_come_back_or_are_refused, empty_folder),
        cmocka_unit_test_teardown(numbers_out_of_range_are_refused, empty_folder),
        cmocka_unit_test_teardown(numbers_at_the_ends_of_their_ranges, empty_folder),
        cmocka_unit_test_teardown(numbers_that_few_files_have, empty_folder),
        cmocka_unit_test_teardown(impossible_heads, empty_folder),
        cmocka_unit_test_teardown(texts_are_plain, empty_folder),
        cmocka_unit_test_teardown(a_vast_batch_is_refused, empty_folder),
        cmocka_unit_test_teardown(only_ordinary_tables_are_read, empty_folder),
        cmocka_unit_test_teardown(impossible_evaluations, empty_folder),
        cmocka_unit_test_teardown(sizes_are_compared_with_the_file, empty_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
