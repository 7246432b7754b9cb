/* How good models are, by the CRPS of held-out points: of one, or of two averaged. They are the same points for all
 * models whose neighbours are, and half of them say how wide intervals are, the other half how good. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 2048, REGIONS = 16 };

void sk_judged_free(sk_judged *j)
{
    free(j->residual_std);
    free(j->sd_std);
    *j = (sk_judged){0};
}

/* ---- the points, and what they say of a model */

void sk_judges_free(sk_judges *judges)
{
    sk_holdout_free(&judges->points);
    free(judges->order);
    *judges = (sk_judges){0};
}

static surekrig_status open_judges(sk_judges *judges, surekrig_model *m, const surekrig_data *data,
                                   surekrig_error *error)
{
    sk_holdout *h = &judges->points;
    judges->l = data->l;
    judges->noise = data->noise != NULL;
    surekrig_status status = sk_model_take_targets(m, data, error);
    if (!status)
        status = sk_holdout_new(m, (sk_holdout_wish){POINTS, 2, NULL, false}, h, error);
    sk_model_forget_targets(m);
    if (!status && !(judges->order = sk_alloc(h->n, sizeof *judges->order)))
        status = sk_fail_memory(error, 8.0 * (double)h->n, "the regions");
    sk_seek rows = {&m->kriged, m->index, &m->frame};
    return status ? status : sk_seek_order(&rows, h->n, h->x, sk_thread_setting(m->settings), judges->order, error);
}

/* The same points around which a model with another metric finds other neighbours. */
static surekrig_status look_again(const sk_judges *judges, surekrig_model *m, const surekrig_data *data,
                                  sk_holdout *own, surekrig_error *error)
{
    surekrig_status status = sk_model_take_targets(m, data, error);
    if (!status)
        status = sk_holdout_again(m, (sk_holdout_wish){POINTS, 2, NULL, false}, &judges->points, own, error);
    sk_model_forget_targets(m);
    return status;
}

/* gamma2 as the held-out points themselves want it, so that models are compared by their shapes. */
static void match_scale(surekrig_model *m, const sk_errors *e)
{
    int64_t l = m->data.l;
    for (int64_t q = 0; q < l && !m->data.noise; q++) {
        double sum = 0;
        for (int64_t i = 0; i < e->n; i += 2)
            sum += e->residual_std[i * l + q] * e->residual_std[i * l + q] / e->variance_share[i];
        m->hyper.gamma2_std[q] = sum / (double)((e->n + 1) / 2);
    }
}

static surekrig_status keep(const surekrig_model *m, const sk_errors *e, sk_judged *out, surekrig_error *error)
{
    int64_t l = m->data.l;
    sk_judged j = {sk_doubles(e->n * l), sk_doubles(e->n * l)};
    if (!j.residual_std || !j.sd_std) {
        sk_judged_free(&j);
        return sk_fail_memory(error, 16.0 * (double)(e->n * l), "the points that judge a model");
    }
    for (int64_t i = 0; i < e->n * l; i++) {
        j.residual_std[i] = sk_errors_residual_std(m, e, i / l, i % l);
        j.sd_std[i] = sqrt(sk_errors_variance_std(m, e, i / l, i % l));
    }
    *out = j;
    return SUREKRIG_OK;
}

surekrig_status sk_try_model(sk_judges *judges, surekrig_model *m, const surekrig_data *data, sk_judged *judged,
                             surekrig_error *error)
{
    sk_errors e = {0};
    sk_machine machine = {0};
    sk_holdout own = {0};
    surekrig_status status = judges->order ? SUREKRIG_OK : open_judges(judges, m, data, error);
    if (!status && sk_model_has_metric(m))
        status = look_again(judges, m, data, &own, error);
    const sk_holdout *points = own.n > 0 ? &own : &judges->points;
    if (!status)
        status = sk_errors_new(m, judges->points.n, SK_WANT_SCALE, &e, error);
    if (!status)
        status = sk_machine_open(m, true, sk_thread_setting(m->settings), &machine, error);
    if (!status)
        status = sk_machine_set(&machine, &m->hyper, error);
    if (!status)
        status = sk_errors_fill(&machine, points, &e, error);
    if (!status)
        match_scale(m, &e);
    if (!status && m->settings->variance != SK_VARIANCE_GLOBAL)
        status = sk_widths_train(m, &e, NULL, error);
    if (!status)
        status = keep(m, &e, judged, error);
    sk_machine_close(&machine);
    sk_holdout_free(&own);
    sk_errors_free(&e);
    return status;
}

/* ---- scores */

/* Two models, or one with itself. shared: [l] what the mean of their variances is multiplied by, as in sk_widths. */
typedef struct pair {
    const sk_judges *judges;
    const sk_judged *one, *other;
    double *shared;
} pair;

static double error_at(const pair *p, int64_t at)
{
    return (p->one->residual_std[at] + p->other->residual_std[at]) / 2;
}

static double sd_at(const pair *p, int64_t at)
{
    return sqrt(p->shared[at % p->judges->l] / 2) * hypot(p->one->sd_std[at], p->other->sd_std[at]);
}

/* How far their errors cancel: by the points that do not judge. */
static void measure_shared(pair *p)
{
    int64_t n = p->judges->points.n, l = p->judges->l;
    for (int64_t q = 0; q < l; q++) {
        double sum = 0;
        p->shared[q] = 1;
        for (int64_t i = 0; i < n; i += 2) {
            double z = error_at(p, i * l + q) / sd_at(p, i * l + q);
            sum += z * z / (double)((n + 1) / 2);
        }
        p->shared[q] = p->one == p->other || p->judges->noise ? 1 : sum;
    }
}

/* The mean over the responses (M10) at a point. */
static double crps_at(const pair *p, int64_t i)
{
    int64_t l = p->judges->l;
    double sum = 0;
    for (int64_t at = i * l; at < (i + 1) * l; at++)
        sum += sd_at(p, at) * sk_crps(error_at(p, at) / sd_at(p, at)) / (double)l;
    return sum;
}

/* The mean CRPS of each region: a REGIONS-th of the points, or one where there are fewer. Returns how many there are. */
static int64_t score_regions(const pair *p, double mean[REGIONS])
{
    const sk_judges *judges = p->judges;
    int64_t n = judges->points.n / 2, regions = n < REGIONS ? n : REGIONS, at = 0;
    for (int64_t r = 0; r < regions; r++)
        mean[r] = 0;
    for (int64_t o = 0; o < judges->points.n; o++) {
        if (judges->order[o] % 2 == 0)
            continue;
        int64_t r = ((at + 1) * regions - 1) / n, begin = r * n / regions, end = (r + 1) * n / regions;
        mean[r] += crps_at(p, judges->order[o]) / (double)(end - begin); /* begin <= at < end */
        at++;
    }
    return regions;
}

/* Of values of regions: the mean and its standard error. */
static void average(int64_t regions, const double *value, double *mean, double *error)
{
    double sum = 0, squares = 0;
    for (int64_t r = 0; r < regions; r++) {
        sum += value[r] / (double)regions;
        squares += value[r] * value[r] / (double)regions;
    }
    *mean = sum;
    *error = sqrt(fmax(squares - sum * sum, 0) / fmax((double)regions - 1, 1));
}

surekrig_status sk_judged_score(const sk_judges *judges, const sk_judged *one, const sk_judged *other,
                                surekrig_trial *trial, surekrig_error *error)
{
    pair p = {judges, one, other ? other : one, sk_doubles(judges->l)};
    if (!p.shared)
        return sk_fail_memory(error, 8.0 * (double)judges->l, "a model's score");
    double mean[REGIONS];
    measure_shared(&p);
    average(score_regions(&p, mean), mean, &trial->crps, &trial->error);
    free(p.shared);
    return SUREKRIG_OK;
}

surekrig_status sk_judged_gain(const sk_judges *judges, const sk_judged *from, const sk_judged *to, double *gain,
                               double *of_gain, surekrig_error *error)
{
    double before[REGIONS], after[REGIONS], *shared = sk_doubles(judges->l);
    if (!shared)
        return sk_fail_memory(error, 8.0 * (double)judges->l, "a model's score");
    pair old = {judges, from, from, shared}, new = {judges, to, to, shared};
    measure_shared(&old); /* 1, for each of them alone */
    int64_t regions = score_regions(&old, before);
    score_regions(&new, after);
    for (int64_t r = 0; r < regions; r++)
        before[r] -= after[r];
    average(regions, before, gain, of_gain);
    if (regions < 2) /* one region does not tell how regions differ */
        *of_gain = INFINITY;
    free(shared);
    return SUREKRIG_OK;
}
