/* The training objective's derivatives by what is searched: kriging's (krige.h) and the smoothed Lagrangian's
 * (loss/smooth.c) put together,
 *   dL/dp = sum_i [ sum_q dL/dr_iq dr_iq/dp + dL/dlog v_i dlog v_i/dp ],   r = (y - center - mean)/spread
 * and taken from log rho, log nu, log tau2 and the noise share to the axes of the search. An automatic nugget is an
 * axis times D = 1 - M at the neighbours' distance (space.c), so it moves with rho and nu too. */
#include "model/model.h"

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
    int64_t l = t->m->data.l, p = sk_krige_parameters(&t->m->data);
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

/* The derivatives of the batch's means and variances under the model's hyperparameters. */
static surekrig_status differentiate_batch(sk_training *t, const room *r, surekrig_error *error)
{
    surekrig_model *m = t->m;
    const sk_holdout *h = &t->batch;
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, term);
    sk_kernel *kernel = NULL;
    sk_slopes *slopes = NULL;
    surekrig_status status = sk_kernel_new(&theta, m->data.d, t->distance, &kernel, error);
    if (!status)
        status = sk_kernel_slopes(kernel, &slopes, error);
    if (!status) {
        sk_krige_theta prepared = {kernel, m->tau2, sk_model_noise_share(m)};
        surekrig_neighborhoods batch = {h->n, h->k, h->neighbor, h->count, h->x};
        sk_krige_slopes wanted = {slopes, r->by_mean, r->by_variance};
        sk_krige_job job = {&batch, &prepared, &t->ticker, &(surekrig_kriged){0}, NULL, &wanted};
        status = t->run.back->run(t->run.state, &job, error);
    }
    sk_slopes_free(slopes);
    sk_kernel_free(kernel);
    return status;
}

/* dL by log rho of each feature, log nu, log tau2 and the log noise share. */
static void gather(const sk_training *t, const room *r)
{
    const surekrig_model *m = t->m;
    int64_t d = m->data.d, l = m->data.l, p = sk_krige_parameters(&m->data);
    for (int64_t j = 0; j < p; j++)
        r->by[j] = 0;
    for (int64_t i = 0; i < t->batch.n; i++) {
        double scale = m->data.noise ? m->scale[0] : 1,
               variance = t->errors.variance[i] / scale; /* as kriged, plus nuggets */
        double noise = m->data.noise ? m->data.noise[t->batch.row[i]] * sk_model_noise_share(m) : 0;
        bool floored = variance <= (double)t->batch.k * DBL_EPSILON;
        for (int64_t j = 0; j < p; j++) {
            double slope = r->by_variance[i * p + j] + (j == d + SK_BY_TAU2    ? m->tau2
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
    const surekrig_model *m = t->m;
    int64_t d = m->data.d;
    const sk_family *family = sk_model_family(m);
    double s = 0, by[2], unit = family->unit(m->nu), *by_tau2 = &r->by[d + SK_BY_TAU2];
    for (int64_t a = 0; a < d; a++)
        s += unit * pow(t->offset[a] / m->rho[a], 2);
    sk_slopes *slopes = NULL;
    surekrig_status status = sk_slopes_new(family, m->nu, s, s, &slopes, error);
    if (status)
        return status;
    sk_slopes_at(slopes, s, by);
    sk_slopes_free(slopes);
    double complement = (double)family->exact(m->nu, sqrt(s)).complement, beyond = log(axis * complement / m->tau2);
    if (fabs(beyond) > 1e-9) {
        *value += WALL / 2 * beyond * beyond;
        *by_tau2 = WALL * beyond;
    }
    for (int64_t a = 0; a < d; a++)
        r->by[a] += *by_tau2 * 2 * by[0] * unit * pow(t->offset[a] / m->rho[a], 2) / s / complement;
    if (family->smoothness)
        r->by[d + SK_BY_NU] -= *by_tau2 * (m->nu * by[1] + by[0]) / complement;
    return SUREKRIG_OK;
}

/* From parameters to axes; log derivatives become those by theta itself. */
static void collect(const sk_training *t, const room *r, const double *theta, double *by_theta)
{
    int64_t d = t->m->data.d;
    for (int i = 0; i < t->axes; i++) {
        double sum = 0;
        for (int64_t a = 0; t->role[i] == SK_ROLE_RHO && a < d; a++)
            sum += t->rho_axis[i] < 0 || t->rho_axis[i] == a ? r->by[a] : 0;
        if (t->role[i] == SK_ROLE_NU)
            sum = r->by[d + SK_BY_NU];
        else if (t->role[i] == SK_ROLE_TAU2 || t->role[i] == SK_ROLE_NOISE)
            sum = r->by[d + SK_BY_TAU2];
        else if (t->role[i] == SK_ROLE_GAMMA2) { /* the share is its inverse, and all variances go with it */
            sum = -r->by[d + SK_BY_NOISE];
            for (int64_t j = 0; j < t->batch.n; j++)
                sum += r->by_log_variance[j];
        }
        by_theta[i] = sum / theta[i];
    }
}

/* The Lagrangian of the latest evaluation, smoothed, into *value; its derivatives by residuals and variances. */
static void judge(sk_training *t, const room *r, sk_multipliers multipliers, double *value)
{
    bool automatic = t->m->settings->gamma2.how == SK_AUTO;
    sk_judge(&t->loss, t->evaluation[t->count - 1], multipliers, &t->verdict);
    for (int64_t q = 0; q < t->loss.l; q++)
        r->scale[q] = t->verdict.scale[q];
    sk_smooth smooth = {t->errors.residual, t->errors.variance, SK_SCALE_EXPECTED, automatic ? SK_SCALE_PRICE : 0,
                        r->scale,           r->by_residual,     r->by_log_variance};
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
    status = differentiate_batch(t, &r, error);
    if (!status) {
        const double *theta = t->theta + (t->count - 1) * t->axes;
        judge(t, &r, (sk_multipliers){lambda, beta}, value);
        gather(t, &r);
        for (int i = 0; i < t->axes && !status; i++)
            if (t->role[i] == SK_ROLE_NOISE)
                status = add_nugget(t, &r, theta[i], value, error);
        collect(t, &r, theta, by_theta);
    }
    free(r.by_mean);
    return status;
}
