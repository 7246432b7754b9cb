/* The training objective's derivatives by what is searched. The smoothed Lagrangian's by residuals, variances and the
 * neighbours' likelihood (loss/smooth.c),
 *   r = (y - center - mean)/spread,   v = variance + delta' C delta + tau2 + noise share      (delta, C: mean/mean.h)
 * become those by what is kriged, which kriging takes to log rho, log nu and the others of krige.h, and these are taken
 * to the axes of the search. An automatic nugget is an axis times D = 1 - M at the neighbours' distance (space.c), so it
 * moves with the kernel's parameters too. */
#include "train/train.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double WALL = 0.2; /* in units of the mean loss for an e-fold of tau2 beyond its bounds, squared */

typedef struct room {
    double *by_residual, *by_log_variance; /* [b][l], [b] of the Lagrangian */
    double *scale, *square, *by_each;      /* [l] each: gamma2; sums of squares; dL by one of these */
    double *by_mean, *by_variance;         /* [b][responses and trend columns], [b] */
    double *by_determinant, *by_square;    /* [b], [b][responses and trend columns] */
    double *gradient;                      /* [b][parameters] */
    double *by;                            /* [parameters] */
    sk_smooth smooth;
} room;

static surekrig_status make_room(const sk_training *t, room *r, surekrig_error *error)
{
    int64_t b = t->batch.n, l = t->m->data.l, width = t->m->kriged.l, p = sk_krige_parameters(&t->m->kriged), total = 0;
    const int64_t size[] = {b * l, b, l, l, l, b * width, b, b, b * width, b * p, p};
    double **part[] = {&r->by_residual, &r->by_log_variance, &r->scale,     &r->square,   &r->by_each, &r->by_mean,
                       &r->by_variance, &r->by_determinant,  &r->by_square, &r->gradient, &r->by};
    enum { PARTS = sizeof size / sizeof *size };
    for (int i = 0; i < PARTS; i++)
        total += size[i];
    double *at = sk_zeroed(total, sizeof *at);
    if (!at)
        return sk_fail_memory(error, 8.0 * (double)total, "the gradient");
    for (int i = 0; i < PARTS; i++) {
        *part[i] = at;
        at += size[i];
    }
    return SUREKRIG_OK;
}

/* Sums of what the neighbours' likelihood has, where it is part of the loss. */
static void add_neighbours(const sk_training *t, room *r)
{
    const sk_krige_block *block = &t->errors.kriging.block;
    int64_t l = t->loss.l;
    if (!block->square)
        return;
    r->smooth.neighbours = t->errors.neighbours;
    r->smooth.square = r->square;
    r->smooth.by_square = r->by_each;
    for (int64_t i = 0; i < t->batch.n; i++) {
        r->smooth.log_determinant += block->log_determinant[i];
        for (int64_t q = 0; q < l; q++)
            r->square[q] += block->square[i * l + q];
    }
}

/* The Lagrangian of what was judged last, smoothed; its derivatives by residuals and variances. */
static double smooth(const sk_training *t, room *r, sk_multipliers multipliers)
{
    bool priced = t->m->settings->gamma2.how == SK_AUTO && t->m->settings->aids & SK_AID_LIMITS;
    for (int64_t q = 0; q < t->loss.l; q++)
        r->scale[q] = t->verdict.scale[q];
    r->smooth = (sk_smooth){.residual = t->errors.residual_std,
                            .variance = t->variance_rel,
                            .expected = SK_SCALE_EXPECTED,
                            .price = priced ? SK_SCALE_PRICE : 0,
                            .scale = r->scale,
                            .by_residual = r->by_residual,
                            .by_log_variance = r->by_log_variance};
    add_neighbours(t, r);
    return sk_smooth_lagrangian(&t->loss, multipliers, &r->smooth);
}

/* From the Lagrangian's derivatives to those by what was kriged at a point; what the nugget and the noise have in its
 * variance beside. */
static void take_point(const sk_training *t, const room *r, int64_t i)
{
    const surekrig_model *m = t->m;
    const sk_hyper *h = &t->trial;
    int64_t l = h->l, width = m->kriged.l;
    double share = t->errors.variance_share[i], gamma2 = m->data.noise ? h->gamma2_std[0] : 1;
    double noise = m->data.noise ? m->data.noise[t->batch.row[i]] * sk_model_noise_share(m, h) : 0;
    bool floored = share <= (double)t->batch.k * DBL_EPSILON;
    double by_variance = floored ? 0 : r->by_log_variance[i] / share, *by_mean = r->by_mean + i * width;
    for (int64_t q = 0; q < l; q++) {
        by_mean[q] = -r->by_residual[i * l + q] / m->spread[q];
        r->by_square[i * width + q] = r->smooth.square ? r->by_each[q] / gamma2 : 0;
    }
    sk_trend_slopes(&m->trend, m->kriged.y + t->batch.row[i] * width + l, t->errors.kriging.mean + i * width + l,
                    by_variance, by_mean + l);
    r->by_variance[i] = by_variance;
    r->by_determinant[i] = r->smooth.by_determinant;
    r->by[h->d + SK_BY_TAU2] += by_variance * h->tau2;
    r->by[h->d + SK_BY_NOISE] += by_variance * noise;
}

static bool searched(const sk_training *t, int by)
{
    for (int i = 0; i < t->axes; i++)
        if (t->moved[i].row->by == by)
            return true;
    return false;
}

/* dL by log rho of each coordinate and the other parameters. */
static surekrig_status gather(sk_training *t, const room *r, surekrig_error *error)
{
    const sk_holdout *h = &t->batch;
    bool block = r->smooth.square != NULL;
    int64_t p = sk_krige_parameters(&t->m->kriged);
    for (int64_t i = 0; i < h->n; i++)
        take_point(t, r, i);
    surekrig_neighborhoods batch = {h->n, h->k, h->neighbor, h->count, h->x};
    sk_krige_slopes wanted = {.by_mean = r->by_mean,
                              .by_variance = r->by_variance,
                              .by_determinant = block ? r->by_determinant : NULL,
                              .by_square = block ? r->by_square : NULL,
                              .gradient = r->gradient,
                              .nu_held = {!searched(t, SK_BY_NU), !searched(t, SK_BY_LONG_NU)}};
    surekrig_status status = sk_machine_slopes(&t->machine, &batch, wanted, error);
    for (int64_t i = 0; i < h->n * p && !status; i++)
        r->by[i % p] += r->gradient[i];
    return status;
}

/* A term at the neighbours' distance: s, 1 - M and the slopes of M there. */
typedef struct apart {
    const surekrig_term *term;
    const sk_family *family;
    double unit, s, complement, by[2];
} apart;

static surekrig_status look_apart(const sk_training *t, const surekrig_term *term, apart *at, surekrig_error *error)
{
    const sk_family *family = sk_family_of(term->nu, term->kernel);
    sk_slopes *slopes = NULL;
    *at = (apart){.term = term, .family = family, .unit = family->unit(term->nu)};
    for (int64_t a = 0; a < t->trial.d; a++)
        at->s += at->unit * pow(t->offset[a] / term->rho[a], 2);
    surekrig_status status = sk_slopes_new(family, term->nu, (sk_slopes_range){at->s, at->s, 1}, &slopes, error);
    if (status)
        return status;
    sk_slopes_at(slopes, at->s, at->by);
    sk_slopes_free(slopes);
    at->complement = (double)family->exact(term->nu, sqrt(at->s)).complement;
    return SUREKRIG_OK;
}

/* What log D's move with one term's rho and nu adds. */
static void add_apart(const sk_training *t, const room *r, const apart *at, bool second, double complement)
{
    int64_t d = t->trial.d;
    double by_tau2 = r->by[d + SK_BY_TAU2], weight = at->term->weight;
    for (int64_t a = 0; a < d; a++)
        r->by[a] += by_tau2 * 2 * at->by[0] * at->unit * pow(t->offset[a] / at->term->rho[a], 2) / at->s / complement *
                    weight;
    if (second)
        r->by[d + SK_BY_LONG_RATIO] += by_tau2 * 2 * at->by[0] / complement * weight;
    if (at->family->smoothness)
        r->by[d + (second ? SK_BY_LONG_NU : SK_BY_NU)] -= by_tau2 * (at->term->nu * at->by[1] + at->by[0]) /
                                                          complement * weight;
}

/* Where log tau2 = log axis + log D: what D's own move adds,  dlog D = -dM/D, with D = sum_t weight_t (1 - M_t). Beyond
 * the bounds of tau2 nothing depends on the axis any more, and a search would be lost there: so *value gets a wall, and
 * its slope takes the place of tau2's. */
static surekrig_status add_nugget(const sk_training *t, const room *r, double axis, double *value,
                                  surekrig_error *error)
{
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(t->m, &t->trial, term);
    double complement = 0, *by = r->by + t->trial.d;
    apart at[2];
    for (int i = 0; i < theta.terms; i++) {
        surekrig_status status = look_apart(t, &term[i], &at[i], error);
        if (status)
            return status;
        complement += term[i].weight * at[i].complement;
    }
    double beyond = log(axis * complement / t->trial.tau2);
    if (fabs(beyond) > 1e-9) {
        *value += WALL / 2 * beyond * beyond;
        by[SK_BY_TAU2] = WALL * beyond;
    }
    for (int i = 0; i < theta.terms; i++)
        add_apart(t, r, &at[i], i > 0, complement);
    if (theta.terms > 1)
        by[SK_BY_LONG_SHARE] += by[SK_BY_TAU2] * term[1].weight * (at[1].complement - at[0].complement) / complement;
    return SUREKRIG_OK;
}

/* The derivative by the logarithm of what an axis moves. */
static double by_axis(const sk_training *t, const room *r, const sk_moved *moved)
{
    const sk_metric_part *part = moved->part < 0 ? NULL : &t->m->metric.part[moved->part];
    int64_t d = t->trial.d;
    double sum = 0;
    if (moved->row->by == SK_HYPER_BY_NONE)
        return 0;
    if (moved->row->by != SK_HYPER_BY_RHO)
        sum = r->by[d + moved->row->by];
    for (int64_t i = 0; moved->row->by == SK_HYPER_BY_RHO && i < (part ? part->coordinates : d); i++)
        sum += r->by[part ? part->coordinate[i] : i];
    if (moved->row->by != SK_BY_NOISE)
        return sum;
    sum = -sum; /* gamma2: the share is its inverse, and all variances go with it */
    for (int64_t j = 0; j < t->batch.n; j++)
        sum += r->by_log_variance[j];
    return r->smooth.square
               ? sum + r->smooth.by_determinant * t->errors.neighbours - r->smooth.by_square[0] * r->smooth.square[0]
               : sum;
}

surekrig_status sk_training_by_rho(sk_training *t, double *by, surekrig_error *error)
{
    room r;
    double loss;
    surekrig_status status = sk_training_measure(t, &loss, error);
    if (!status)
        status = make_room(t, &r, error);
    if (status)
        return status;
    smooth(t, &r, (sk_multipliers){0});
    status = gather(t, &r, error);
    memcpy(by, r.by, (size_t)t->trial.d * sizeof *by);
    free(r.by_residual);
    return status;
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
    const double *theta = t->theta + (t->count - 1) * t->axes;
    sk_judge(&t->loss, t->evaluation[t->count - 1], (sk_multipliers){lambda, beta}, &t->verdict);
    *value = smooth(t, &r, (sk_multipliers){lambda, beta});
    status = gather(t, &r, error);
    for (int i = 0; i < t->axes && !status; i++)
        if (t->moved[i].relative)
            status = add_nugget(t, &r, theta[i], value, error);
    for (int i = 0; i < t->axes && !status; i++) /* log derivatives become those by theta itself */
        by_theta[i] = by_axis(t, &r, &t->moved[i]) / theta[i];
    free(r.by_residual);
    return status;
}
