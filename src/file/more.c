/* What format 2 added behind the report: the second term, the trend, the widths of intervals, held-out scores, what
 * auto tried, and every evaluation of the search. */
#include "file/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LONG_SHARE,
    LONG_RATIO,
    LONG_NU,
    LOCAL,
    SCORES,
    HELD_N,
    HELD_MAE,
    HELD_RMSE,
    HELD_COV,
    HELD_CRPS,
    HELD_INT,
    HELD_LOGDENSITY,
    HELD_LEVEL,
    HOLDOUT,
    ACCEPTED,
    TRIALS,
    NUMBERS
};
static const char *const NAME[NUMBERS] = {"long_share",       "long_ratio",    "long_nu",      "local_variance",
                                          "conformal_scores", "held_out_n",    "held_out_mae", "held_out_rmse",
                                          "held_out_cov",     "held_out_crps", "held_out_int", "held_out_logdensity",
                                          "held_out_level",   "held_out_how",  "accepted",     "trials"};

static void visit_number(sk_database *db, void *holder, int64_t i)
{
    double *value = holder;
    sk_db_known_text(db, NAME[i]);
    sk_db_number(db, &value[i]);
}

/* Format 5 has the first three elsewhere. */
static void visit_later_number(sk_database *db, void *holder, int64_t i)
{
    visit_number(db, holder, LOCAL + i);
}

static const sk_db_table LATER_NUMBER = {"INSERT INTO number(name,value) VALUES(?,?)",
                                         "SELECT name,value FROM number ORDER BY number", visit_later_number};
static const sk_db_table NUMBER = {"INSERT INTO number(name,value) VALUES(?,?)",
                                   "SELECT name,value FROM number ORDER BY number", visit_number};

static void visit_trial(sk_database *db, void *holder, int64_t i)
{
    surekrig_trial *trial = &((surekrig_model *)holder)->trial[i];
    char *what = trial->what;
    int64_t kept = trial->kept;
    sk_db_text(db, &what);
    sk_db_number(db, &trial->crps);
    sk_db_number(db, &trial->error);
    sk_db_number(db, &trial->seconds);
    sk_db_integer(db, &kept);
    if (db->writing || db->status)
        return;
    snprintf(trial->what, sizeof trial->what, "%s", what);
    trial->kept = kept != 0;
    free(what);
}

static const sk_db_table TRIAL = {"INSERT INTO trial(what,crps,error,seconds,kept) VALUES(?,?,?,?,?)",
                                  "SELECT what,crps,error,seconds,kept FROM trial ORDER BY number", visit_trial};

static void visit_as_good(sk_database *db, void *holder, int64_t i)
{
    surekrig_estimate *e = &((surekrig_model *)holder)->estimate[i];
    sk_db_number(db, &e->as_good[0]);
    sk_db_number(db, &e->as_good[1]);
}

static const sk_db_table AS_GOOD = {"INSERT INTO as_good(least,largest) VALUES(?,?)",
                                    "SELECT least,largest FROM as_good ORDER BY number", visit_as_good};

static void gather(const surekrig_model *m, double *value)
{
    const surekrig_scores *s = &m->info.held_out;
    const sk_hyper *h = &m->hyper;
    const double all[NUMBERS] = {h->long_share, h->long_ratio, h->long_nu, m->widths.local, (double)m->widths.scores,
                                 (double)s->n,  s->mae,        s->rmse,    s->cov,          s->crps,
                                 s->interval,   s->logdensity, s->level,   m->info.holdout, m->info.accepted,
                                 m->info.trials};
    for (int i = 0; i < NUMBERS; i++)
        value[i] = all[i];
}

static bool whole(double value, double most)
{
    return value >= 0 && value <= most && value == floor(value);
}

static bool possible(const surekrig_model *m, const double *value)
{
    double n = (double)m->data.n;
    bool widths = whole(value[LOCAL], 1) &&
                  whole(value[SCORES], 1e9); /* more than points in a refit, not than calibration */
    return widths && whole(value[HELD_N], n * (double)m->data.l) && whole(value[HOLDOUT], SK_GEOMETRY_GROUP) &&
           whole(value[TRIALS], SK_TRIALS);
}

/* What format 5 has among the other hyperparameters. */
static void take_old_terms(sk_database *db, const double *value, sk_hyper *h)
{
    h->long_share = value[LONG_SHARE];
    h->long_ratio = value[LONG_RATIO];
    h->long_nu = value[LONG_NU];
    sk_hyper_settle(h);
    if (!sk_hyper_possible(h))
        sk_db_fail(db, "its covariance is impossible");
}

static void spread_out(sk_database *db, const double *value, surekrig_model *m)
{
    if (db->status)
        return;
    if (db->format < 5)
        take_old_terms(db, value, &m->hyper);
    if (!db->status && !possible(m, value))
        sk_db_fail(db, "its intervals are impossible");
    sk_db_needs(db, 8.0 * (double)m->data.l * value[SCORES]);
    if (db->status)
        return;
    m->info.held_out = (surekrig_scores){(int64_t)value[HELD_N], value[HELD_MAE],  value[HELD_RMSE],
                                         value[HELD_COV],        value[HELD_CRPS], value[HELD_INT],
                                         value[HELD_LOGDENSITY], value[HELD_LEVEL]};
    m->info.holdout = (surekrig_holdout)value[HOLDOUT];
    m->info.accepted = value[ACCEPTED];
    m->info.trials = (int)value[TRIALS];
    m->info.trial = m->trial;
    db->status = sk_widths_new(m->data.l, value[LOCAL] != 0, (int64_t)value[SCORES], &m->widths, db->error);
}

/* Files written before it was kept have none. */
static void transfer_history(sk_database *db, surekrig_model *m)
{
    int64_t each = 1 + m->info.levels, count = db->writing && m->history ? m->info.evaluations * each : 0;
    if (!db->writing && !db->status) {
        int64_t bytes = sk_db_count(db, "SELECT coalesce(sum(length(bytes)), 0) FROM array WHERE name = 'history'");
        if (bytes == 0 || db->status)
            return;
        count = bytes / 8;
        if (count / each != m->info.evaluations || count % each) {
            sk_db_fail(db, "its history has another length than its training");
            return;
        }
        m->info.history = m->history = sk_doubles(count);
        if (!m->history)
            db->status = sk_fail_memory(db->error, (double)bytes, "the training's history");
    }
    if (m->history && !db->status)
        sk_db_transfer_array(db, "history", m->history, count);
}

static bool possible_sides(const surekrig_model *m, const double *side)
{
    bool any = false;
    for (int64_t a = 0; a < m->frame.d; a++) {
        if (!(side[a] > 0))
            return false;
        any |= isfinite(side[a]);
    }
    return any;
}

/* Where neighbours are looked for, if that was fitted. */
static void transfer_metric(sk_database *db, surekrig_model *m)
{
    int64_t d = m->frame.d;
    if (!(db->writing ? sk_model_has_metric(m) : sk_db_has_array(db, "metric")) || db->status)
        return;
    double *side = sk_copy(m->frame.side, d, sizeof *side);
    if (!side)
        db->status = sk_fail_memory(db->error, 8.0 * (double)d, "the metric");
    else
        sk_db_transfer_array(db, "metric", side, d);
    if (!db->status && !db->writing && !possible_sides(m, side))
        sk_db_fail(db, "its metric is impossible");
    if (!db->status && !db->writing) /* before there is an index (load.c) */
        sk_model_set_sides(m, side);
    free(side);
}

/* The lattice of nodes, where there is one. */
static void transfer_lattice(sk_database *db, surekrig_model *m)
{
    if (!(db->writing ? m->lattice[2] > 0 : sk_db_has_array(db, "lattice")) || db->status)
        return;
    sk_db_transfer_array(db, "lattice", m->lattice, 3);
    bool possible = m->kriged.d == 2 && isfinite(m->lattice[0] + m->lattice[1]) && m->lattice[2] > 0 &&
                    isfinite(m->lattice[2]);
    if (!db->status && !possible)
        sk_db_fail(db, "its lattice of nodes is impossible");
}

/* A number, not negative, that some files lack: those of older versions, or where it is what it is without being said. */
static void transfer_optional(sk_database *db, const char *name, bool stored, double *value)
{
    if (!(db->writing ? stored : sk_db_has_array(db, name)) || db->status)
        return;
    sk_db_transfer_array(db, name, value, 1);
    if (!db->status && !(*value >= 0 && isfinite(*value)))
        sk_db_fail(db, "a number of its report is impossible");
}

static void transfer_named(sk_database *db, const char *prefix, const char *end, double *values, int64_t count)
{
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, end);
    if (count > 0 && !db->status)
        sk_db_transfer_array(db, name, values, count);
}

/* Numbers of each response, [l][now]; a file older than format 4 has [l][before], and what it lacks is 0. */
typedef struct of_widths {
    const char *name;
    double *values;
    int64_t before, now;
} of_widths;

static void transfer_widths(sk_database *db, const char *prefix, of_widths w, int64_t l)
{
    int64_t here = db->format < 4 ? w.before : w.now;
    transfer_named(db, prefix, w.name, w.values, l * here);
    if (here == w.now)
        return;
    for (int64_t q = l - 1; q >= 0; q--)
        for (int64_t a = w.now - 1; a >= 0; a--)
            w.values[q * w.now + a] = a < here ? w.values[q * here + a] : 0;
}

/* Most models have none. */
static void transfer_floor(sk_database *db, const char *prefix, surekrig_model *m)
{
    double **least = &m->widths.floor_std;
    char name[64];
    snprintf(name, sizeof name, "%swidth_floor", prefix);
    if (!(db->writing ? *least != NULL : sk_db_has_array(db, name)) || db->status)
        return;
    if (!db->writing)
        *least = sk_doubles(m->data.l);
    if (!*least)
        db->status = sk_fail_memory(db->error, 8.0 * (double)m->data.l, "the least variance");
    else
        sk_db_transfer_array(db, name, *least, m->data.l);
    for (int64_t q = 0; q < m->data.l && !db->status; q++)
        if (!((*least)[q] >= 0 && isfinite((*least)[q])))
            sk_db_fail(db, "its least variance is impossible");
}

static void transfer_slopes(sk_database *db, const char *prefix, const sk_widths *w, int64_t l)
{
    const of_widths all[] = {{"width", w->coefficient, 4, SK_WIDTH_TERMS},
                             {"width_low", w->low, 2, SK_WIDTH_SIGNS},
                             {"width_high", w->high, 2, SK_WIDTH_SIGNS},
                             {"width_middle", w->middle, 2, SK_WIDTH_SIGNS}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        transfer_widths(db, prefix, all[i], l);
}

/* Most models without targets have some. */
static void transfer_farther(sk_database *db, const char *prefix, surekrig_model *m)
{
    sk_widths **farther = &m->widths.farther;
    char name[96], own[64];
    snprintf(own, sizeof own, "%sfarther_", prefix);
    snprintf(name, sizeof name, "%swidth", own);
    if (!(db->writing ? *farther != NULL : sk_db_has_array(db, name)) || db->status)
        return;
    if (!db->writing && !(*farther = sk_zeroed(1, sizeof **farther)))
        db->status = sk_fail_memory(db->error, sizeof **farther, "the widths of intervals");
    if (!db->writing && !db->status)
        db->status = sk_widths_new(m->data.l, true, 0, *farther, db->error);
    if (!db->status)
        transfer_slopes(db, own, *farther, m->data.l);
}

void sk_db_transfer_arrays(sk_database *db, const char *prefix, surekrig_model *m)
{
    int64_t l = m->data.l, columns = m->trend.columns;
    const sk_widths *w = &m->widths;
    transfer_named(db, prefix, "trend_beta", m->trend.beta, l * columns);
    transfer_named(db, prefix, "trend_covariance", m->trend.covariance, columns * columns);
    if (w->local)
        transfer_slopes(db, prefix, w, l);
    transfer_named(db, prefix, "conformal_score", w->score, l * w->scores);
    transfer_floor(db, prefix, m);
    if (w->local)
        transfer_farther(db, prefix, m);
}

void sk_db_transfer_more(sk_database *db, surekrig_model *m)
{
    double value[NUMBERS];
    gather(m, value);
    if (db->format < 5)
        sk_db_transfer(db, &NUMBER, value, NUMBERS);
    else
        sk_db_transfer(db, &LATER_NUMBER, value, NUMBERS - LOCAL);
    if (!db->writing)
        spread_out(db, value, m);
    sk_db_transfer(db, &TRIAL, m, m->info.trials);
    sk_db_transfer(db, &AS_GOOD, m, m->info.estimates);
    if (!db->status)
        sk_db_transfer_arrays(db, "", m);
    transfer_history(db, m);
    if (!db->status)
        transfer_metric(db, m);
    if (!db->status)
        transfer_lattice(db, m);
    if (!db->status)
        transfer_optional(db, "recall", m->info.recall < 1, &m->info.recall);
    if (!db->status)
        transfer_optional(db, "seen_share", m->info.seen_share > 0, &m->info.seen_share);
    if (!db->status)
        sk_db_transfer_scores(db, m);
    if (!db->status)
        transfer_optional(db, "beside", m->info.beside > 1, &m->info.beside);
    double freedom = (double)m->info.freedom;
    if (!db->status)
        transfer_optional(db, "freedom", freedom > 0, &freedom);
    if (!db->status && !whole(freedom, 9e15))
        sk_db_fail(db, "a number of its report is impossible");
    if (db->writing || db->status)
        return;
    m->info.freedom = (int64_t)freedom;
    sk_model_detrend(m);
}
