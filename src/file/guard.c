/* A model file may come from anybody. Before anything is read: nothing in it may run or grow, only ordinary tables are
 * read. After its seal has been found right, which is of what was read: there is nothing else, and every number that
 * predictions or sentences rest on is in its range. */
#include "file/file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- before */

/* SQLite's settings for files from others; what an older SQLite lacks, it does without. */
static void defend(sk_database *db)
{
    static const int CONFIG[][2] = {
#ifdef SQLITE_DBCONFIG_DEFENSIVE
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
#endif
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
#endif
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}};
    static const int LIMIT[][2] = {{SQLITE_LIMIT_SQL_LENGTH, 100000},
                                   {SQLITE_LIMIT_EXPR_DEPTH, 20},
                                   {SQLITE_LIMIT_COMPOUND_SELECT, 2},
                                   {SQLITE_LIMIT_ATTACHED, 0},
                                   {SQLITE_LIMIT_TRIGGER_DEPTH, 1}};
    for (size_t i = 0; i < sizeof CONFIG / sizeof *CONFIG; i++)
        sqlite3_db_config(db->handle, CONFIG[i][0], CONFIG[i][1], NULL);
    for (size_t i = 0; i < sizeof LIMIT / sizeof *LIMIT; i++)
        sqlite3_limit(db->handle, LIMIT[i][0], LIMIT[i][1]);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, db->size < INT_MAX ? (int)db->size : INT_MAX);
    sk_db_execute(db, "PRAGMA cell_size_check=ON");
}

/* Where pages are torn, SQLite takes memory by lengths that they say. A file is looked over for that, unless it is so
 * large that such lengths are its own. */
static void look_over(sk_database *db)
{
    enum { LARGE = 1 << 24 };
    if (!db->status && db->size < LARGE &&
        sk_db_count(db, "SELECT count(*) FROM pragma_quick_check(1) WHERE quick_check <> 'ok'"))
        sk_db_fail(db, "it is damaged");
}

void sk_db_guard(sk_database *db)
{
    enum { COLUMNS_COMPUTED = 3031000 }; /* the version since which there are such columns */
    if (db->status)
        return;
    defend(db);
    int64_t odd = sk_db_count(db, "SELECT count(*) FROM sqlite_master WHERE coalesce(rootpage, 0) < 2 OR NOT "
                                  "(type = 'table' OR (type = 'index' AND sql IS NULL))");
    if (!odd && !db->status && sqlite3_libversion_number() >= COLUMNS_COMPUTED)
        odd = sk_db_count(db, "SELECT count(*) FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c "
                              "WHERE m.type = 'table' AND c.hidden <> 0");
    if (odd)
        sk_db_fail(db, "it holds views, triggers or other things that no model has");
    look_over(db);
}

void sk_db_needs(sk_database *db, double bytes)
{
    if (!db->status && !(bytes <= (double)db->size))
        sk_db_fail(db, "it is too short for what it says it holds");
}

/* ---- after */

typedef struct held {
    int64_t tables;
    double rows; /* as the file says: the sum of numbers of any size */
} held;

/* What the file has of the tables that a schema makes; files of older formats lack some. */
static void add_tables(sk_database *db, const char *schema, held *all)
{
    static const char MADE[] = "CREATE TABLE ", TABLES[] = "SELECT count(*) FROM sqlite_master WHERE name = '%s'";
    char name[64], sql[200];
    for (const char *at = schema; !db->status && (at = strstr(at, MADE));) {
        at += strlen(MADE);
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "("), at);
        snprintf(sql, sizeof sql, TABLES, name);
        if (!sk_db_count(db, sql))
            continue;
        all->tables++;
        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", name);
        all->rows += (double)sk_db_count(db, sql);
    }
}

void sk_db_check_rows(sk_database *db)
{
    held all = {0};
    add_tables(db, sk_db_schema, &all);
    if (db->in_parts)
        add_tables(db, sk_db_part_schema, &all);
    if (!db->status && sk_db_count(db, "SELECT count(*) FROM sqlite_master WHERE type = 'table'") != all.tables)
        sk_db_fail(db, "it holds a table that no model has");
    char why[120];
    snprintf(why, sizeof why, "it holds %.0f rows, and %lld make the model", all.rows, (long long)db->rows);
    if (all.rows != (double)db->rows)
        sk_db_fail(db, why);
}

static bool in(double value, double least, double most)
{
    return value >= least && value <= most;
}

static bool all_in(const double *value, int64_t count, double least, double most)
{
    for (int64_t i = 0; value && i < count; i++)
        if (!in(value[i], least, most))
            return false;
    return true;
}

static const double MOST = 1.7976931348623157e308; /* finite */
static const double MOST_OF_LOG = 300; /* of a term of log variance: errors ask for far less than exp(300) */
static const int64_t MOST_EVALUATIONS = (int64_t)1 << 48; /* may be multiplied by the levels */

/* NaN: not known. */
static bool possible_scores(const surekrig_scores *s)
{
    const double positive[] = {s->mae, s->rmse, s->crps, s->interval};
    for (int i = 0; i < 4; i++)
        if (positive[i] < 0)
            return false;
    return !(s->cov < 0 || s->cov > 1) && !(s->level < 0 || s->level > 1);
}

static bool possible_widths(const sk_widths *w, int64_t l)
{
    int64_t signs = l * SK_WIDTH_SIGNS;
    for (int64_t i = 0; w->score && i < l * w->scores; i++)
        if (!(w->score[i] >= (i % w->scores ? w->score[i - 1] : 0)))
            return false;
    if (w->farther && !possible_widths(w->farther, l))
        return false;
    return all_in(w->coefficient, l * SK_WIDTH_TERMS, -MOST_OF_LOG, MOST_OF_LOG) &&
           all_in(w->low, signs, -MOST, MOST) && all_in(w->high, signs, -MOST, MOST) &&
           all_in(w->middle, signs, -MOST, MOST) && all_in(w->shared, l, 0, MOST);
}

static bool possible_trend(const sk_trend *t)
{
    for (int64_t a = 0; a < t->columns; a++)
        if (t->covariance[a * t->columns + a] < 0)
            return false;
    return all_in(t->beta, t->responses * t->columns, -MOST, MOST) &&
           all_in(t->covariance, t->columns * t->columns, -MOST, MOST);
}

static bool possible_responses(const surekrig_model *m)
{
    int64_t l = m->data.l;
    for (int64_t i = 0; i < sk_held(&m->data) * l; i++)
        if (!sk_model_can_hold(m, i % l, m->data.y[i]))
            return false;
    return true;
}

static bool possible_report(const surekrig_model *m)
{
    const surekrig_info *info = &m->info;
    bool possible = info->batch >= 0 && info->batch <= INT64_MAX / m->data.l && info->evaluations >= 0 &&
                    info->evaluations < MOST_EVALUATIONS && info->jittered >= 0 && in(info->max_jitter, 0, MOST) &&
                    possible_scores(&info->scores) && possible_scores(&info->held_out) && !(info->accepted < 0) &&
                    all_in(m->level, info->levels, 0, 1);
    for (int i = 0; i < info->estimates; i++)
        possible &= !isnan(m->estimate[i].value);
    for (int i = 0; i < SK_PHASES; i++)
        possible &= in(m->phase[i].seconds, 0, MOST);
    return possible;
}

void sk_db_check_ranges(sk_database *db, const surekrig_model *m)
{
    for (; m && !db->status; m = m->partner) {
        int64_t l = m->data.l;
        if (!all_in(m->center, l, -MOST, MOST) || !all_in(m->spread, l, 5e-324, MOST))
            sk_db_fail(db, "the mean or the spread of a response is impossible");
        else if (!possible_responses(m))
            sk_db_fail(db, "a response is impossible");
        else if (!sk_hyper_possible(&m->hyper)) /* of old files, too, which have it here and there */
            sk_db_fail(db, "its covariance is impossible");
        else if (!possible_widths(&m->widths, l) || !possible_trend(&m->trend))
            sk_db_fail(db, "its trend or its widths of intervals are impossible");
        else if (!possible_report(m))
            sk_db_fail(db, "a number of its report is impossible");
    }
}
