/* What a fit says about itself: estimates, rounds, coverage, how good held-out predictions are, and how wide
 * intervals. */
#include "train/train.h"

#include <math.h>
#include <string.h>

void sk_training_retry(sk_training *t, int64_t evaluation, const sk_round *round)
{
    sk_training_try(t, t->theta + evaluation * t->axes);
    sk_judge(&t->loss, t->evaluation[evaluation], (sk_multipliers){round->lambda, round->beta}, &t->verdict);
    if (!t->m->data.noise) /* else it was searched and is set already */
        memcpy(t->trial.gamma2_std, t->verdict.scale, (size_t)t->loss.l * sizeof(double));
}

void sk_training_adopt(sk_training *t)
{
    sk_hyper_copy(&t->trial, &t->m->hyper);
}

static void report_round(sk_training *t, const sk_round *from, surekrig_round *to)
{
    size_t bytes = (size_t)t->loss.levels * sizeof(double);
    sk_training_retry(t, from->best, from);
    memcpy((double *)to->lambda, from->lambda, bytes);
    memcpy((double *)to->coverage, t->verdict.coverage, bytes);
    sk_hyper_estimates(t->m, &t->trial, (double *)to->theta);
    to->beta = from->beta;
    to->loss = t->verdict.loss;
    to->objective = from->lagrangian;
    to->evaluations = from->evaluations;
}

/* The estimates an axis of the search stands for: the first, and how many in a row. */
static surekrig_estimate *estimates_of(const sk_training *t, const sk_moved *moved, int64_t *count)
{
    bool all = moved->row == sk_hyper_row_at(SK_HYPER_RHO) && moved->part < 0;
    *count = all ? moved->row->estimates(t->m) : 1;
    return t->m->estimate + sk_hyper_first(t->m, moved->row) + (moved->part < 0 ? 0 : moved->part);
}

/* What the values of an axis are multiplied by, for the i-th of its estimates. */
static double unit_of(const sk_training *t, const sk_moved *moved, int64_t i)
{
    if (moved->row != sk_hyper_row_at(SK_HYPER_RHO))
        return 1;
    double unit = t->rho_unit[t->m->metric.part[moved->part < 0 ? i : moved->part].coordinate[0]];
    return isfinite(unit) ? unit : 1;
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
        const sk_moved *moved = &t->moved[i];
        int64_t count;
        surekrig_estimate *e = estimates_of(t, moved, &count);
        for (int64_t j = 0; j < count; j++, e++) {
            double unit = unit_of(t, moved, j);
            if (isinf(e->value)) /* a feature that does not count in distances */
                continue;
            e->lower = moved->relative ? SK_TAU2_LOWEST : t->axis[i].lower * unit;
            e->upper = moved->relative ? SK_TAU2_HIGHEST : t->axis[i].upper * unit;
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
        surekrig_estimate *e = m->estimate + sk_hyper_first(m, sk_hyper_row_at(SK_HYPER_GAMMA2)) + q;
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
    double told = (double)t->batch.n + (t->loss.row->needs_neighbors ? t->errors.neighbours : 0);
    double points = fmin(told, (double)m->data.n), value[SK_LIST_MAX * 4];
    const double none[SK_LEVELS_MAX] = {0};
    if (m->info.estimates > (int)(sizeof value / sizeof *value))
        return;
    double best = objective.lagrangian(t, chosen, none, 0, NULL);
    for (int64_t i = 0; i < t->count; i++) {
        if (!(objective.lagrangian(t, i, none, 0, NULL) <= best + 4 / points))
            continue;
        sk_training_retry(t, i, last);
        sk_hyper_estimates(m, &t->trial, value);
        for (int j = 0; j < m->info.estimates; j++) {
            surekrig_estimate *e = &m->estimate[j];
            e->as_good[0] = isnan(e->lower) ? NAN : fmin(e->as_good[0], value[j]);
            e->as_good[1] = isnan(e->lower) ? NAN : fmax(e->as_good[1], value[j]);
        }
    }
}

/* Degrees of freedom: a row each, less one for the scale and one for each number that was searched. Of several length
 * scales each but the first counts twice, for which features matter was chosen as well: what simulations ask for
 * (docs/decisions.md). At least LEAST, or all but one of fewer rows. */
static int64_t count_freedom(const sk_training *t)
{
    enum { LEAST = 3 };
    int64_t n = t->m->data.n, least = n - 1 < LEAST ? n - 1 : LEAST, scales = 0;
    for (int a = 0; a < t->axes; a++)
        scales += t->moved[a].row == sk_hyper_row_at(SK_HYPER_RHO);
    int64_t left = n - 1 - t->axes - (scales > 1 ? scales - 1 : 0);
    return left > least ? left : least;
}

/* gamma2 as the mean square over degrees of freedom instead of rows; where noise is given, or gamma2, it stays. */
static void take_student(const sk_training *t)
{
    surekrig_model *m = t->m;
    if (m->settings->interval != SK_INTERVAL_STUDENT)
        return;
    m->info.freedom = count_freedom(t);
    surekrig_estimate *e = m->estimate + sk_hyper_first(m, sk_hyper_row_at(SK_HYPER_GAMMA2));
    for (int64_t q = 0; q < m->data.l && !m->data.noise && m->settings->gamma2.how == SK_AUTO; q++) {
        m->hyper.gamma2_std[q] *= sk_student_scale(m);
        e[q].value = sk_model_gamma2(m, &m->hyper, q);
    }
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
    sk_training_retry(t, result->chosen, last);
    sk_training_adopt(t);
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
    take_student(t);
    return SUREKRIG_OK;
}
