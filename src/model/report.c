/* What a fit says about itself: estimates, rounds, coverage, how good held-out predictions are, and how wide
 * intervals. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets the model's hyperparameters to an evaluation's, judged under a round's multipliers. */
void sk_training_adopt(sk_training *t, int64_t evaluation, const sk_round *round)
{
    sk_training_set_theta(t, t->theta + evaluation * t->axes);
    sk_judge(&t->loss, t->evaluation[evaluation], (sk_multipliers){round->lambda, round->beta}, &t->verdict);
    if (!t->m->data.noise) /* else it was searched and is set already */
        memcpy(t->m->scale, t->verdict.scale, (size_t)t->loss.l * sizeof(double));
}

static void report_round(sk_training *t, const sk_round *from, surekrig_round *to)
{
    size_t bytes = (size_t)t->loss.levels * sizeof(double);
    sk_training_adopt(t, from->best, from);
    memcpy((double *)to->lambda, from->lambda, bytes);
    memcpy((double *)to->coverage, t->verdict.coverage, bytes);
    sk_model_values(t->m, (double *)to->theta);
    to->beta = from->beta;
    to->loss = t->verdict.loss;
    to->objective = from->lagrangian;
    to->evaluations = from->evaluations;
}

/* The estimates an axis of the search stands for: the first, and how many in a row. */
static surekrig_estimate *estimates_of(const sk_training *t, int axis, int64_t *count)
{
    int64_t rhos = sk_model_rho_differs(t->m->settings) ? t->m->data.d : 1, l = t->m->data.l,
            feature = t->rho_axis[axis];
    bool all_rhos = t->role[axis] == SK_ROLE_RHO && feature < 0;
    const int64_t first[] = {[SK_ROLE_NU] = 0,
                             [SK_ROLE_RHO] = 1 + (feature < 0 ? 0 : feature),
                             [SK_ROLE_TAU2] = 1 + rhos,
                             [SK_ROLE_NOISE] = 1 + rhos,
                             [SK_ROLE_GAMMA2] = 2 + rhos,
                             [SK_ROLE_LONG_SHARE] = 2 + rhos + 2 * l,
                             [SK_ROLE_LONG_RATIO] = 3 + rhos + 2 * l,
                             [SK_ROLE_LONG_NU] = 4 + rhos + 2 * l};
    *count = all_rhos ? rhos : 1;
    return t->m->estimate + first[t->role[axis]];
}

/* At an edge: within 0.2 % of the log range. */
static void set_at_bound(surekrig_estimate *e)
{
    double place = (log(e->value) - log(e->lower)) / (log(e->upper) - log(e->lower));
    e->at_bound = place < 0.002 ? SUREKRIG_BOUND_LOWER : place > 0.998 ? SUREKRIG_BOUND_UPPER : SUREKRIG_BOUND_NONE;
}

/* Where each searched estimate was searched, and whether it ended at an edge. */
static void report_bounds(const sk_training *t)
{
    for (int i = 0; i < t->axes; i++) {
        int64_t count;
        surekrig_estimate *e = estimates_of(t, i, &count);
        for (int64_t a = 0; a < count; a++, e++) {
            int64_t feature = t->rho_axis[i] < 0 ? a : t->rho_axis[i];
            double unit = t->role[i] == SK_ROLE_RHO && isfinite(t->rho_unit[feature]) ? t->rho_unit[feature] : 1;
            if (isinf(e->value)) /* a feature that does not count in distances */
                continue;
            e->lower = t->role[i] == SK_ROLE_NOISE ? SK_TAU2_LOWEST : t->axis[i].lower * unit;
            e->upper = t->role[i] == SK_ROLE_NOISE ? SK_TAU2_HIGHEST : t->axis[i].upper * unit;
            set_at_bound(e);
        }
    }
}

/* Likewise for a gamma2 that was profiled within a range. */
static void report_scale_bounds(const sk_training *t)
{
    const surekrig_model *m = t->m;
    const sk_parameter *range = &m->settings->gamma2;
    if (m->data.noise || range->how != SK_RANGE)
        return;
    for (int64_t q = 0; q < m->data.l; q++) {
        surekrig_estimate *e = m->estimate + 2 + (sk_model_rho_differs(m->settings) ? m->data.d : 1) + q;
        e->lower = range->lower;
        e->upper = range->upper;
        set_at_bound(e);
    }
}

/* How well the data determine what was searched: its least and largest value among evaluations that the loss alone
 * hardly tells from the chosen one (4, in twice the log likelihood). Of those made, so that a short search sees little.
 * The loss is a mean; where neighbourhoods overlap, each datum is told of once. */
static void report_as_good(sk_training *t, int64_t chosen, const sk_round *last)
{
    surekrig_model *m = t->m;
    sk_objective objective = sk_training_objective(t);
    double told = (double)t->batch.n + (t->loss.kind == SK_LOSS_BLOCK ? t->errors.neighbours : 0);
    double points = fmin(told, (double)m->data.n), value[SK_LIST_MAX * 4];
    const double none[SK_LEVELS_MAX] = {0};
    if (m->info.estimates > (int)(sizeof value / sizeof *value))
        return;
    double best = objective.lagrangian(t, chosen, none, 0, NULL);
    for (int64_t i = 0; i < t->count; i++) {
        if (!(objective.lagrangian(t, i, none, 0, NULL) <= best + 4 / points))
            continue;
        sk_training_adopt(t, i, last);
        sk_model_values(m, value);
        for (int j = 0; j < m->info.estimates; j++) {
            surekrig_estimate *e = &m->estimate[j];
            e->as_good[0] = isnan(e->lower) ? NAN : fmin(e->as_good[0], value[j]);
            e->as_good[1] = isnan(e->lower) ? NAN : fmax(e->as_good[1], value[j]);
        }
    }
    sk_training_adopt(t, chosen, last);
}

/* All evaluations in turn, judged alike: as the last round did when it chose. */
static surekrig_status report_history(sk_training *t, const sk_round *last, surekrig_error *error)
{
    surekrig_model *m = t->m;
    sk_objective objective = sk_training_objective(t);
    int64_t levels = t->loss.levels, each = 1 + levels;
    m->history = sk_doubles(t->count * each);
    if (!m->history)
        return sk_fail_memory(error, 8.0 * (double)(t->count * each), "the training's history");
    for (int64_t i = 0; i < t->count; i++) {
        double *row = m->history + i * each, value = objective.lagrangian(t, i, last->lambda, last->searched, NULL);
        row[0] = isfinite(value) ? value : NAN;
        for (int64_t j = 0; j < levels; j++)
            row[1 + j] = isfinite(value) ? t->verdict.coverage[j] : NAN;
    }
    m->info.history = m->history;
    return SUREKRIG_OK;
}

surekrig_status sk_training_report(sk_training *t, const sk_result *result, surekrig_error *error)
{
    surekrig_model *m = t->m;
    const sk_round *last = &result->round[result->rounds - 1];
    surekrig_status status = sk_model_shape(m, t->loss.levels, result->rounds, error);
    for (int i = 0; i < result->rounds && !status; i++)
        report_round(t, &result->round[i], &m->round[i]);
    if (!status)
        status = report_history(t, last, error);
    if (status)
        return status;
    sk_training_adopt(t, result->chosen, last);
    memcpy(m->level, t->loss.alpha, (size_t)t->loss.levels * sizeof(double));
    memcpy(m->coverage, t->verdict.coverage, (size_t)t->loss.levels * sizeof(double));
    m->info.loss = t->verdict.loss;
    m->info.evaluations = t->count;
    m->info.outcome = t->axes == 0 && result->outcome == SUREKRIG_CONVERGED ? SUREKRIG_NOT_TRAINED : result->outcome;
    for (int i = 0; i < m->info.estimates; i++)
        m->estimate[i].value = m->round[result->rounds - 1].theta[i];
    report_bounds(t);
    report_scale_bounds(t);
    report_as_good(t, result->chosen, last);
    return SUREKRIG_OK;
}
