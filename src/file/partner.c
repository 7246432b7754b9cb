/* What format 3 added: the simpler model with which predictions are averaged. Its data are the model's own. */
#include "file/file.h"

#include <math.h>
#include <stdlib.h>

enum { NU, TAU2, LONG_SHARE, LONG_RATIO, LONG_NU, LOCAL, NUMBERS };

/* Before format 5 its hyperparameters came in two arrays. */
static void take_old(sk_database *db, surekrig_model *p, double *value)
{
    sk_hyper *h = &p->hyper;
    sk_db_transfer_array(db, "partner", value, NUMBERS);
    sk_db_transfer_array(db, "partner_rho", h->rho, h->d);
    sk_db_transfer_array(db, "partner_mean", p->center, p->data.l);
    sk_db_transfer_array(db, "partner_spread", p->spread, p->data.l);
    sk_db_transfer_array(db, "partner_scale", h->gamma2_std, h->l);
    h->nu = value[NU];
    h->tau2 = value[TAU2];
    h->long_share = value[LONG_SHARE];
    h->long_ratio = value[LONG_RATIO];
    h->long_nu = value[LONG_NU];
    sk_hyper_settle(h);
    if (!db->status && !sk_hyper_possible(h))
        sk_db_fail(db, "its second covariance is impossible");
}

static void transfer_numbers(sk_database *db, surekrig_model *p)
{
    double value[NUMBERS] = {[LOCAL] = p->widths.local};
    if (db->format < 5) {
        take_old(db, p, value);
    } else {
        sk_db_transfer_hyper(db, &sk_db_partner_hyper, &p->hyper);
        sk_db_transfer_array(db, "partner_local", &value[LOCAL], 1);
        sk_db_transfer_array(db, "partner_mean", p->center, p->data.l);
        sk_db_transfer_array(db, "partner_spread", p->spread, p->data.l);
    }
    if (!db->writing && !db->status)
        db->status = sk_widths_new(p->data.l, value[LOCAL] != 0, 0, &p->widths, db->error);
}

/* The model that the settings describe, on the same data; its numbers are still to be read. */
static surekrig_model *begin_partner(sk_database *db, const surekrig_model *m, int64_t rows)
{
    surekrig_settings *settings = NULL;
    surekrig_model *p = NULL;
    surekrig_error why = {0};
    db->status = surekrig_settings_new(&settings, db->error);
    if (!db->status)
        sk_db_transfer_settings(db, &sk_db_partner_setting, settings, rows);
    if (!db->status && (sk_model_new(&m->data, settings, &p, &why) || sk_model_shape(p, 0, 0, &why)))
        sk_db_fail_because(db, &why);
    surekrig_settings_free(settings);
    if (!db->status && p->info.neighbors != m->info.neighbors)
        sk_db_fail(db, "its two models have different numbers of neighbours");
    return p;
}

static void set_estimates(sk_database *db, surekrig_model *p)
{
    double *value = sk_doubles(p->info.estimates);
    if (!value) {
        db->status = sk_fail_memory(db->error, 8.0 * p->info.estimates, "the estimates");
        return;
    }
    sk_hyper_estimates(p, &p->hyper, value);
    for (int i = 0; i < p->info.estimates; i++)
        p->estimate[i].value = value[i];
    free(value);
}

static void read_partner(sk_database *db, surekrig_model *m, int64_t rows)
{
    surekrig_model *p = begin_partner(db, m, rows);
    if (!db->status)
        transfer_numbers(db, p);
    if (!db->status)
        sk_db_transfer_arrays(db, "partner_", p);
    if (!db->status)
        set_estimates(db, p);
    if (db->status) {
        surekrig_model_free(p);
        return;
    }
    sk_model_detrend(p);
    sk_model_join(m, p);
}

void sk_db_transfer_partner(sk_database *db, surekrig_model *m)
{
    surekrig_model *p = m->partner;
    int64_t rows = db->writing ? p ? sk_db_settings() : 0 : sk_db_count(db, "SELECT count(*) FROM partner_setting");
    if (rows == 0 || db->status)
        return;
    if (db->writing) {
        sk_db_transfer_settings(db, &sk_db_partner_setting, p->settings, rows);
        transfer_numbers(db, p);
        sk_db_transfer_arrays(db, "partner_", p);
    } else {
        read_partner(db, m, rows);
    }
    sk_db_transfer_array(db, "shared", m->widths.shared, m->data.l);
}
