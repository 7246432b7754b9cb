/* The tables of a model file: one function a table names its columns, for both directions. */
#include "file/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char sk_db_schema[] =
    "CREATE TABLE model(version TEXT, n INTEGER, d INTEGER, l INTEGER, neighbors INTEGER, batch INTEGER, noise INTEGER,"
    " outcome INTEGER, loss REAL, evaluations INTEGER, jittered INTEGER, max_jitter REAL,"
    " levels INTEGER, rounds INTEGER);"
    "CREATE TABLE setting(number INTEGER PRIMARY KEY, name TEXT, value TEXT);"
    "CREATE TABLE feature(number INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE response(number INTEGER PRIMARY KEY, name TEXT, mean REAL, spread REAL);"
    "CREATE TABLE hyper(number INTEGER PRIMARY KEY, name TEXT, value REAL);"
    "CREATE TABLE partner_hyper(number INTEGER PRIMARY KEY, name TEXT, value REAL);"
    "CREATE TABLE estimate(number INTEGER PRIMARY KEY, name TEXT, value REAL, lower REAL, upper REAL, at_bound INTEGER);"
    "CREATE TABLE level(number INTEGER PRIMARY KEY, asked REAL, reached REAL);"
    "CREATE TABLE round(number INTEGER PRIMARY KEY, beta REAL, loss REAL, objective REAL, evaluations INTEGER);"
    "CREATE TABLE trace(number INTEGER PRIMARY KEY, round INTEGER, item TEXT, value REAL);"
    "CREATE TABLE phase(number INTEGER PRIMARY KEY, name TEXT, seconds REAL);"
    "CREATE TABLE score(number INTEGER PRIMARY KEY, name TEXT, value REAL);"
    "CREATE TABLE number(number INTEGER PRIMARY KEY, name TEXT, value REAL);"
    "CREATE TABLE trial(number INTEGER PRIMARY KEY, what TEXT, crps REAL, error REAL, seconds REAL, kept INTEGER);"
    "CREATE TABLE as_good(number INTEGER PRIMARY KEY, least REAL, largest REAL);"
    "CREATE TABLE partner_setting(number INTEGER PRIMARY KEY, name TEXT, value TEXT);"
    "CREATE TABLE array(name TEXT, chunk INTEGER, bytes BLOB, PRIMARY KEY(name, chunk));"
    "CREATE TABLE seal(checksum INTEGER);";

const char sk_db_part_schema[] = "CREATE TABLE part(number INTEGER PRIMARY KEY, save INTEGER, rows INTEGER);";

static void small(sk_database *db, int *value)
{
    int64_t wide = *value;
    sk_db_integer(db, &wide);
    if (wide < 0 || wide > 1000000)
        sk_db_fail(db, "a number is out of range");
    *value = (int)wide;
}

static void visit_model(sk_database *db, void *holder, int64_t i)
{
    sk_contents *c = holder;
    surekrig_info *info = &c->info;
    int outcome = (int)info->outcome;
    (void)i;
    sk_db_text(db, &c->version);
    sk_db_integer(db, &c->data.n);
    sk_db_integer(db, &c->data.d);
    sk_db_integer(db, &c->data.l);
    sk_db_integer(db, &info->neighbors);
    sk_db_integer(db, &info->batch);
    small(db, &info->noise);
    if (db->format < 5) {
        sk_db_number(db, &c->old.nu);
        sk_db_number(db, &c->old.tau2);
    }
    small(db, &outcome);
    sk_db_number(db, &info->loss);
    sk_db_integer(db, &info->evaluations);
    sk_db_integer(db, &info->jittered);
    sk_db_number(db, &info->max_jitter);
    small(db, &info->levels);
    small(db, &info->rounds);
    info->outcome = outcome <= SUREKRIG_NOT_TRAINED ? (surekrig_outcome)outcome : SUREKRIG_NOT_TRAINED;
}

/* The preset comes first, for it would undo what came before it. */
static int64_t setting_at(int64_t i, int64_t count)
{
    return (i + count - 1) % count;
}

int64_t sk_db_settings(void)
{
    int64_t count = 0;
    while (surekrig_settings_row((int)count))
        count++;
    return count;
}

/* Read by name: a later version may know more settings, in another order. */
static void visit_setting(sk_database *db, void *holder, int64_t i)
{
    surekrig_settings *settings = holder;
    char *name = NULL, *value = NULL;
    if (db->writing) {
        name = (char *)surekrig_settings_row((int)setting_at(i, sk_db_settings()))->name;
        value = (char *)surekrig_settings_get(settings, name);
    }
    sk_db_text(db, &name);
    sk_db_text(db, &value);
    if (db->writing)
        return;
    surekrig_error why = {0};
    if (!db->status && surekrig_settings_set(settings, name, value, &why))
        sk_db_fail_because(db, &why);
    free(name);
    free(value);
}

static void visit_feature(sk_database *db, void *holder, int64_t i)
{
    sk_contents *c = holder;
    sk_db_text(db, (char **)&c->data.x_names[i]);
    if (db->format < 5)
        sk_db_number(db, &c->old.rho[i]);
}

static void visit_response(sk_database *db, void *holder, int64_t i)
{
    sk_contents *c = holder;
    sk_db_text(db, (char **)&c->data.y_names[i]);
    sk_db_number(db, &c->center[i]);
    sk_db_number(db, &c->spread[i]);
    if (db->format < 5)
        sk_db_number(db, &c->old.gamma2_std[i]);
}

/* The i-th number of the vector, and its row. */
static double *find_hyper(sk_hyper *h, int64_t i, const sk_hyper_row **row)
{
    for (int r = 0; (*row = sk_hyper_row_at(r)); r++) {
        int64_t count = (*row)->at ? (*row)->count(h) : 0;
        if (i < count)
            return (*row)->at(h) + i;
        i -= count;
    }
    return NULL;
}

static void visit_hyper(sk_database *db, void *holder, int64_t i)
{
    const sk_hyper_row *row;
    double *value = find_hyper(holder, i, &row);
    sk_db_known_text(db, row->name);
    sk_db_number(db, value);
}

static void visit_estimate(sk_database *db, void *holder, int64_t i)
{
    surekrig_estimate *e = &((surekrig_model *)holder)->estimate[i];
    int64_t at_bound = e->at_bound;
    sk_db_known_text(db, e->name);
    sk_db_number(db, &e->value);
    sk_db_number(db, &e->lower);
    sk_db_number(db, &e->upper);
    sk_db_integer(db, &at_bound);
    if (!db->writing)
        e->at_bound = at_bound < 0 ? SUREKRIG_BOUND_LOWER : at_bound > 0 ? SUREKRIG_BOUND_UPPER : SUREKRIG_BOUND_NONE;
}

static void visit_level(sk_database *db, void *holder, int64_t i)
{
    surekrig_model *m = holder;
    sk_db_number(db, &m->level[i]);
    sk_db_number(db, &m->coverage[i]);
}

static void visit_round(sk_database *db, void *holder, int64_t i)
{
    surekrig_round *round = &((surekrig_model *)holder)->round[i];
    sk_db_number(db, &round->beta);
    sk_db_number(db, &round->loss);
    sk_db_number(db, &round->objective);
    sk_db_integer(db, &round->evaluations);
}

static void visit_trace(sk_database *db, void *holder, int64_t i)
{
    surekrig_model *m = holder;
    int64_t levels = m->info.levels, each = 2 * levels + m->info.estimates, round = i / each, item = i % each;
    char name[96];
    if (item < 2 * levels)
        snprintf(name, sizeof name, "%s_%g", item < levels ? "lambda" : "coverage", m->level[item % levels]);
    else
        snprintf(name, sizeof name, "%s", m->estimate[item - 2 * levels].name);
    sk_db_integer(db, &round);
    sk_db_known_text(db, name);
    sk_db_number(db, &m->trace[i]);
}

static void visit_phase(sk_database *db, void *holder, int64_t i)
{
    surekrig_phase *phase = &((surekrig_model *)holder)->phase[i];
    sk_db_known_text(db, phase->name);
    sk_db_number(db, &phase->seconds);
}

static void visit_score(sk_database *db, void *holder, int64_t i)
{
    surekrig_scores *s = &((surekrig_model *)holder)->info.scores;
    const struct {
        const char *name;
        double *value;
    } scores[] = {{"mae", &s->mae},    {"rmse", &s->rmse},    {"cov", &s->cov},
                  {"crps", &s->crps},  {"int", &s->interval}, {"logdensity", &s->logdensity},
                  {"level", &s->level}};
    sk_db_known_text(db, scores[i].name);
    sk_db_number(db, scores[i].value);
}
enum { SCORES = 7 };

static const sk_db_table MODEL = {"INSERT INTO model VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", "SELECT * FROM model",
                                  visit_model};
static const sk_db_table SETTING = {"INSERT INTO setting(name,value) VALUES(?,?)",
                                    "SELECT name,value FROM setting ORDER BY number", visit_setting};
const sk_db_table sk_db_partner_setting = {"INSERT INTO partner_setting(name,value) VALUES(?,?)",
                                           "SELECT name,value FROM partner_setting ORDER BY number", visit_setting};
static const sk_db_table FEATURE = {"INSERT INTO feature(name) VALUES(?)", "SELECT name FROM feature ORDER BY number",
                                    visit_feature};
static const sk_db_table RESPONSE = {"INSERT INTO response(name,mean,spread) VALUES(?,?,?)",
                                     "SELECT name,mean,spread FROM response ORDER BY number", visit_response};
static const sk_db_table OLD_FEATURE = {NULL, "SELECT name,rho FROM feature ORDER BY number", visit_feature};
static const sk_db_table OLD_RESPONSE = {NULL, "SELECT name,mean,spread,scale FROM response ORDER BY number",
                                         visit_response};
static const sk_db_table ESTIMATE = {"INSERT INTO estimate(name,value,lower,upper,at_bound) VALUES(?,?,?,?,?)",
                                     "SELECT name,value,lower,upper,at_bound FROM estimate ORDER BY number",
                                     visit_estimate};
static const sk_db_table LEVEL = {"INSERT INTO level(asked,reached) VALUES(?,?)",
                                  "SELECT asked,reached FROM level ORDER BY number", visit_level};
static const sk_db_table ROUND = {"INSERT INTO round(beta,loss,objective,evaluations) VALUES(?,?,?,?)",
                                  "SELECT beta,loss,objective,evaluations FROM round ORDER BY number", visit_round};
static const sk_db_table TRACE = {"INSERT INTO trace(round,item,value) VALUES(?,?,?)",
                                  "SELECT round,item,value FROM trace ORDER BY number", visit_trace};
static const sk_db_table PHASE = {"INSERT INTO phase(name,seconds) VALUES(?,?)",
                                  "SELECT name,seconds FROM phase ORDER BY number", visit_phase};
static const sk_db_table SCORE = {"INSERT INTO score(name,value) VALUES(?,?)",
                                  "SELECT name,value FROM score ORDER BY number", visit_score};

const sk_db_table sk_db_hyper = {"INSERT INTO hyper(name,value) VALUES(?,?)",
                                 "SELECT name,value FROM hyper ORDER BY number", visit_hyper};
const sk_db_table sk_db_partner_hyper = {"INSERT INTO partner_hyper(name,value) VALUES(?,?)",
                                         "SELECT name,value FROM partner_hyper ORDER BY number", visit_hyper};

void sk_db_transfer_hyper(sk_database *db, const sk_db_table *table, sk_hyper *h)
{
    const sk_hyper_row *row;
    int64_t count = 0;
    for (int r = 0; (row = sk_hyper_row_at(r)); r++)
        count += row->at ? row->count(h) : 0;
    count -= db->format < 6 ? 2 : 0; /* those of time */
    sk_db_transfer(db, table, h, count);
    if (!db->status && !db->writing && !sk_hyper_possible(h))
        sk_db_fail(db, "its covariance is impossible");
    if (!db->writing) /* what is saved stays untouched: others may use it meanwhile */
        sk_hyper_settle(h);
}

void sk_db_transfer_head(sk_database *db, sk_contents *c)
{
    sk_db_transfer(db, &MODEL, c, 1);
}

/* A file that does not name a setting is older than it, and has what there was before. */
void sk_db_transfer_settings(sk_database *db, const sk_db_table *table, surekrig_settings *settings, int64_t rows)
{
    static const char *const BEFORE[][2] = {{"sphere", "no"},
                                            {"variance", "global"},
                                            {"interval", "gaussian"},
                                            {"sectors", "no"}};
    sk_db_transfer(db, table, settings, rows);
    for (size_t i = 0; i < sizeof BEFORE / sizeof *BEFORE && !db->writing && !db->status; i++)
        if (!sk_setting_given(settings, BEFORE[i][0]))
            db->status = surekrig_settings_set(settings, BEFORE[i][0], BEFORE[i][1], db->error);
}

void sk_db_transfer_data(sk_database *db, sk_contents *c)
{
    sk_db_transfer_settings(db, &SETTING, c->settings,
                            db->writing ? sk_db_settings() : sk_db_count(db, "SELECT count(*) FROM setting"));
    sk_db_transfer(db, db->format < 5 ? &OLD_FEATURE : &FEATURE, c, c->data.d);
    sk_db_transfer(db, db->format < 5 ? &OLD_RESPONSE : &RESPONSE, c, c->data.l);
    sk_db_transfer_rows(db, "x", &c->data, c->data.x, c->data.d);
    sk_db_transfer_rows(db, "y", &c->data, c->data.y, c->data.l);
    if (c->info.noise)
        sk_db_transfer_rows(db, "noise", &c->data, c->data.noise, 1);
    if (strcmp(sk_setting_names(c->settings, "by"), "none") != 0) /* whole numbers, as they are */
        sk_db_transfer_rows(db, "group", &c->data, (double *)c->data.group, 1);
}

void sk_db_transfer_report(sk_database *db, surekrig_model *m)
{
    if (db->format >= 5)
        sk_db_transfer_hyper(db, &sk_db_hyper, &m->hyper);
    sk_db_transfer(db, &ESTIMATE, m, m->info.estimates);
    sk_db_transfer(db, &LEVEL, m, m->info.levels);
    sk_db_transfer(db, &ROUND, m, m->info.rounds);
    sk_db_transfer(db, &TRACE, m, (int64_t)m->info.rounds * (2 * m->info.levels + m->info.estimates));
    sk_db_transfer(db, &PHASE, m, SK_PHASES);
    sk_db_transfer(db, &SCORE, m, SCORES);
}
