/* The training objective's derivatives by what is searched: kriging's (krige.h) and the smoothed Lagrangian's
 * (loss/smooth.c) put together,
 *   dL/dp = sum_i [ sum_q dL/dr_iq dr_iq/dp + dL/dlog v_i dlog v_i/dp ],   r = (y - center - mean)/spread
 * and taken from log rho, log nu, log tau2 and the noise share to the axes of the search. An automatic nugget is an
 * axis times D = 1 - M at the neighbours' distance (space.c), so it moves with rho and nu too. */
#include "train/train.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double WALL = 0.2; /* in units of the mean loss for an e-fold of tau2 beyond its bounds, squared */

typedef struct room {
    double *by_mean, *by_variance;         /* [b][l][parameters], [b][parameters] of kriging */
    double *by_residual, *by_log_variance; /* [b][l], [b] of the Lagrangian */
    double *scale;                         /* [l] */
    double *by;                            /* [parameters]: the sum above */
} room;

static surekrig_status make_room(const sk_training *t, room *r, surekrig_error *error)
{
    int64_t l = t->m->data.l, p = sk_krige_parameters(&t->m->kriged);
    const int64_t size[] = {t->batch.n * l * p, t->batch.n * p, t->batch.n * l, t->batch.n, l, p};
    double **part[] = {&r->by_mean, &r->by_variance, &r->by_residual, &r->by_log_variance, &r->scale, &r->by};
    int64_t total = 0;
    for (int i = 0; i < 6; i++)
        total += size[i];
    double *at = sk_doubles(total);
    if (!at)
        return sk_fail_memory(error, 8.0 * (double)total, "the gradient");
    for (int i = 0; i < 6; i++) {
        *part[i] = at;
        at += size[i];
    }
    return SUREKRIG_OK;
}

/* dL by log rho of each feature, log nu, log tau2 and the log noise share. */
static void gather(const sk_training *t, const room *r)
{
    const surekrig_model *m = t->m;
    const sk_hyper *h = &t->trial;
    int64_t d = h->d, l = h->l, p = sk_krige_parameters(&m->kriged);
    for (int64_t j = 0; j < p; j++)
        r->by[j] = 0;
    for (int64_t i = 0; i < t->batch.n; i++) {
        double scale = m->data.noise ? h->gamma2_std[0] : 1;
        double variance = t->variance_rel[i] / scale; /* as kriged, plus nuggets */
        double noise = m->data.noise ? m->data.noise[t->batch.row[i]] * sk_model_noise_share(m, h) : 0;
        bool floored = variance <= (double)t->batch.k * DBL_EPSILON;
        for (int64_t j = 0; j < p; j++) {
            double slope = r->by_variance[i * p + j] + (j == d + SK_BY_TAU2    ? h->tau2
                                                        : j == d + SK_BY_NOISE ? noise
                                                                               : 0);
            r->by[j] += floored ? 0 : r->by_log_variance[i] * slope / variance;
            for (int64_t q = 0; q < l; q++)
                r->by[j] -= r->by_residual[i * l + q] * r->by_mean[(i * l + q) * p + j] / m->spread[q];
        }
    }
}

/* Where log tau2 = log axis + log D: what D's own move with log rho and log nu adds,  dlog D = -dM/D. Beyond the bounds
 * of tau2 nothing depends on the axis any more, and a search would be lost there: so *value gets a wall, and its slope
 * takes the place of tau2's. */
static surekrig_status add_nugget(const sk_training *t, const room *r, double axis, double *value,
                                  surekrig_error *error)
{
    const sk_hyper *h = &t->trial;
    int64_t d = h->d;
    const sk_family *family = sk_model_family(t->m, h);
    double s = 0, by[2], unit = family->unit(h->nu), *by_tau2 = &r->by[d + SK_BY_TAU2];
    for (int64_t a = 0; a < d; a++)
        s += unit * pow(t->offset[a] / h->rho[a], 2);
    sk_slopes *slopes = NULL;
    surekrig_status status = sk_slopes_new(family, h->nu, s, s, &slopes, error);
    if (status)
        return status;
    sk_slopes_at(slopes, s, by);
    sk_slopes_free(slopes);
    double complement = (double)family->exact(h->nu, sqrt(s)).complement, beyond = log(axis * complement / h->tau2);
    if (fabs(beyond) > 1e-9) {
        *value += WALL / 2 * beyond * beyond;
        *by_tau2 = WALL * beyond;
    }
    for (int64_t a = 0; a < d; a++)
        r->by[a] += *by_tau2 * 2 * by[0] * unit * pow(t->offset[a] / h->rho[a], 2) / s / complement;
    if (family->smoothness)
        r->by[d + SK_BY_NU] -= *by_tau2 * (h->nu * by[1] + by[0]) / complement;
    return SUREKRIG_OK;
}

/* The derivative by the logarithm of what an axis moves. */
static double by_axis(const sk_training *t, const room *r, const sk_moved *moved)
{
    const sk_metric *metric = &t->m->metric;
    int64_t d = t->trial.d;
    double sum = 0;
    if (moved->row->by == SK_HYPER_BY_NONE)
        return 0;
    if (moved->row->by != SK_HYPER_BY_RHO)
        sum = r->by[d + moved->row->by];
    for (int64_t a = 0; moved->row->by == SK_HYPER_BY_RHO && a < d; a++)
        sum += moved->part < 0 || &metric->part[moved->part] == sk_metric_part_of(metric, a) ? r->by[a] : 0;
    if (moved->row->by != SK_BY_NOISE)
        return sum;
    sum = -sum; /* gamma2: the share is its inverse, and all variances go with it */
    for (int64_t j = 0; j < t->batch.n; j++)
        sum += r->by_log_variance[j];
    return sum;
}

/* The Lagrangian of the latest evaluation, smoothed, into *value; its derivatives by residuals and variances. */
static void judge(sk_training *t, const room *r, sk_multipliers multipliers, double *value)
{
    bool automatic = t->m->settings->gamma2.how == SK_AUTO;
    sk_judge(&t->loss, t->evaluation[t->count - 1], multipliers, &t->verdict);
    for (int64_t q = 0; q < t->loss.l; q++)
        r->scale[q] = t->verdict.scale[q];
    sk_smooth smooth = {
        t->errors.residual_std, t->variance_rel,   SK_SCALE_EXPECTED, automatic ? SK_SCALE_PRICE : 0, r->scale,
        r->by_residual,         r->by_log_variance};
    *value = sk_smooth_lagrangian(&t->loss, multipliers, &smooth);
}

surekrig_status sk_training_gradient(void *self, const double *lambda, double beta, double *value, double *by_theta,
                                     surekrig_error *error)
{
    sk_training *t = self;
    room r;
    *value = INFINITY;
    for (int i = 0; i < t->axes; i++)
        by_theta[i] = 0;
    if (!t->evaluation[t->count - 1])
        return SUREKRIG_OK;
    surekrig_status status = make_room(t, &r, error);
    if (status)
        return status;
    const sk_holdout *h = &t->batch;
    surekrig_neighborhoods batch = {h->n, h->k, h->neighbor, h->count, h->x};
    status = sk_machine_slopes(&t->machine, &batch, r.by_mean, r.by_variance, error);
    if (!status) {
        const double *theta = t->theta + (t->count - 1) * t->axes;
        judge(t, &r, (sk_multipliers){lambda, beta}, value);
        gather(t, &r);
        for (int i = 0; i < t->axes && !status; i++)
            if (t->moved[i].relative)
                status = add_nugget(t, &r, theta[i], value, error);
        for (int i = 0; i < t->axes; i++) /* log derivatives become those by theta itself */
            by_theta[i] = by_axis(t, &r, &t->moved[i]) / theta[i];
    }
    free(r.by_mean);
    return status;
}
