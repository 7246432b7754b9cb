/* What format 2 added behind the report: the second term, the trend, the widths of intervals, and held-out scores. */
#include "model/file/file.h"

#include <stdlib.h>

enum { LONG_SHARE, LONG_RATIO, LONG_NU, LOCAL, SCORES, HELD_N, HELD_MAE, HELD_RMSE, HELD_COV, HELD_CRPS, HELD_INT,
       HELD_LOGDENSITY, HELD_LEVEL, HOLDOUT, ACCEPTED, NUMBERS };
static const char *const NAME[NUMBERS] = {
    "long_share", "long_ratio", "long_nu", "local_variance", "conformal_scores", "held_out_n", "held_out_mae", "held_out_rmse",
    "held_out_cov", "held_out_crps", "held_out_int", "held_out_logdensity", "held_out_level", "held_out_how", "accepted"};

static void visit_number(sk_database *db, void *holder, int64_t i)
{
    double *value = holder;
    sk_db_known_text(db, NAME[i]);
    sk_db_number(db, &value[i]);
}

static const sk_db_table NUMBER = {"INSERT INTO number(name,value) VALUES(?,?)",
                                   "SELECT name,value FROM number ORDER BY number", visit_number};

static void gather(const surekrig_model *m, double *value)
{
    const surekrig_scores *s = &m->info.held_out;
    const double all[NUMBERS] = {m->long_share, m->long_ratio, m->long_nu, m->widths.local, (double)m->widths.scores,
                                 (double)s->n, s->mae, s->rmse, s->cov, s->crps, s->interval, s->logdensity, s->level,
                                 m->info.holdout, m->info.accepted};
    for (int i = 0; i < NUMBERS; i++)
        value[i] = all[i];
}

static bool possible(const double *value)
{
    return value[LONG_SHARE] >= 0 && value[LONG_SHARE] < 1 && (value[LONG_SHARE] == 0 || value[LONG_RATIO] >= 1) &&
           value[SCORES] >= 0 && value[SCORES] < 1e12 && value[HELD_N] >= 0 && value[HELD_N] < 1e15 &&
           value[HOLDOUT] >= 0 && value[HOLDOUT] <= SK_GEOMETRY_THINNED;
}

static void spread_out(sk_database *db, const double *value, surekrig_model *m)
{
    if (db->status)
        return;
    if (!possible(value)) {
        sk_db_fail(db, "its covariance or its intervals are impossible");
        return;
    }
    m->long_share = value[LONG_SHARE];
    m->long_ratio = value[LONG_RATIO];
    m->long_nu = value[LONG_NU];
    sk_model_set_long_rho(m);
    m->info.held_out = (surekrig_scores){(int64_t)value[HELD_N], value[HELD_MAE], value[HELD_RMSE], value[HELD_COV],
                                         value[HELD_CRPS], value[HELD_INT], value[HELD_LOGDENSITY], value[HELD_LEVEL]};
    m->info.holdout = (int)value[HOLDOUT];
    m->info.accepted = value[ACCEPTED];
    db->status = sk_widths_new(m->data.l, value[LOCAL] != 0, (int64_t)value[SCORES], &m->widths, db->error);
}

void sk_db_transfer_more(sk_database *db, surekrig_model *m)
{
    double value[NUMBERS];
    int64_t l = m->data.l, columns = m->trend.columns;
    gather(m, value);
    sk_db_transfer(db, &NUMBER, value, NUMBERS);
    if (!db->writing)
        spread_out(db, value, m);
    const sk_widths *w = &m->widths;
    const struct { const char *name; double *values; int64_t count; } array[] = {
        {"trend_beta", m->trend.beta, l * columns},
        {"trend_covariance", m->trend.covariance, columns * columns},
        {"width", w->coefficient, w->local ? l * SK_WIDTH_TERMS : 0},
        {"width_low", w->low, w->local ? 2 * l : 0},
        {"width_high", w->high, w->local ? 2 * l : 0},
        {"width_middle", w->middle, w->local ? 2 * l : 0},
        {"conformal_score", w->score, l * w->scores}};
    for (size_t i = 0; i < sizeof array / sizeof *array && !db->status; i++)
        if (array[i].count > 0)
            sk_db_transfer_array(db, array[i].name, array[i].values, array[i].count);
    if (!db->writing && !db->status)
        sk_model_detrend(m);
}
