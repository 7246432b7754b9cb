/* Scores of the report that files without targets, with one response, or of older versions do not have. */
#include "file/file.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBERS = 6 }; /* of a score: n, mae, rmse, cov, crps, interval */

static bool possible(const double *v)
{
    return v[0] >= 0 && v[0] <= 1e9 && v[0] == floor(v[0]);
}

/* Files without targets, or of older versions, have none. */
static void transfer_margin(sk_database *db, surekrig_scores *s)
{
    double value[] = {(double)s->n, s->mae, s->rmse, s->cov, s->crps, s->interval};
    if (!(db->writing ? s->n > 0 : sk_db_has_array(db, "margin")) || db->status)
        return;
    sk_db_transfer_array(db, "margin", value, NUMBERS);
    if (!db->status && !possible(value))
        sk_db_fail(db, "a number of its report is impossible");
    if (!db->status && !db->writing)
        *s = (surekrig_scores){(int64_t)value[0], value[1], value[2], value[3], value[4], value[5], NAN, SK_TOLD_LEVEL};
}

/* value: [2 l][NUMBERS + 1], the log density behind the others. */
static void move_each(sk_database *db, int64_t l, double *value, surekrig_scores *each)
{
    for (int64_t i = 0; i < 2 * l && db->writing; i++) {
        const surekrig_scores *s = &each[i];
        const double all[] = {(double)s->n, s->mae, s->rmse, s->cov, s->crps, s->interval, s->logdensity};
        for (int a = 0; a <= NUMBERS; a++)
            value[i * (NUMBERS + 1) + a] = all[a];
    }
    sk_db_transfer_array(db, "held_out_each", value, 2 * l * (NUMBERS + 1));
    for (int64_t i = 0; i < 2 * l && !db->writing && !db->status; i++) {
        const double *v = value + i * (NUMBERS + 1);
        if (!possible(v))
            sk_db_fail(db, "a number of its report is impossible");
        else
            each[i] = (surekrig_scores){(int64_t)v[0], v[1], v[2], v[3], v[4], v[5], v[6], SK_TOLD_LEVEL};
    }
}

static void transfer_each(sk_database *db, surekrig_model *m)
{
    int64_t l = m->data.l;
    if (!(db->writing ? m->info.held_out_each != NULL : l > 1 && sk_db_has_array(db, "held_out_each")) || db->status)
        return;
    double *value = sk_doubles(2 * l * (NUMBERS + 1));
    if (!db->writing)
        m->info.held_out_each = sk_zeroed(2 * l, sizeof *m->info.held_out_each);
    if (!value || !m->info.held_out_each)
        db->status = sk_fail_memory(db->error, 8.0 * (double)(2 * l * (NUMBERS + 1)), "the scores of each response");
    else
        move_each(db, l, value, (surekrig_scores *)m->info.held_out_each);
    free(value);
}

void sk_db_transfer_scores(sk_database *db, surekrig_model *m)
{
    transfer_margin(db, &m->info.margin);
    transfer_each(db, m);
}
