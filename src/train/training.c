/* The leave-one-out objective over a batch.
 *   B  <- a uniform sample of b rows;  N_i <- neighbours of each without itself (heldout/holdout.c)   (Algorithm 1)
 *   theta -> mean_i, var_i of each point of B from its N_i (M5) -> what the losses need
 * gamma2 is not searched but profiled out of the Lagrangian (loss/profile.c), except where the data bring noise
 * variances of their own, for then it no longer factors out. Residuals are divided by the response's spread, so that
 * losses, beta and tolerances mean the same in all units. */
#include "train/train.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_training_forget(sk_training *t)
{
    for (int64_t i = 0; i < t->count; i++)
        sk_evaluation_free(t->evaluation[i]);
    t->forgotten += t->count;
    t->count = 0;
    t->best_lambda = NULL; /* what the progress report shows begins anew */
}

/* ---- one evaluation */

/* With given noise gamma2 does not factor out: it goes into the variances, and into the neighbours' likelihood. */
static void scale_by_gamma2(sk_training *t)
{
    sk_krige_block *block = &t->errors.kriging.block;
    double gamma2_std = t->trial.gamma2_std[0]; /* noise goes with one response */
    for (int64_t i = 0; i < t->batch.n; i++) {
        const sk_holdout *h = &t->batch;
        t->variance_rel[i] *= gamma2_std;
        if (!block->square)
            continue;
        block->log_determinant[i] += (double)(h->count ? h->count[i] : h->k) * log(gamma2_std);
        block->square[i] /= gamma2_std;
    }
}

/* The batch's errors under the trial's hyperparameters. */
static surekrig_status krige(sk_training *t, surekrig_error *error)
{
    surekrig_status status = sk_machine_set(&t->machine, &t->trial, error);
    if (!status)
        status = sk_errors_fill(&t->machine, &t->batch, &t->errors, error);
    if (status)
        return status;
    memcpy(t->variance_rel, t->errors.variance_share, (size_t)t->batch.n * sizeof(double));
    if (t->m->data.noise)
        scale_by_gamma2(t);
    return SUREKRIG_OK;
}

/* What they come to. */
static surekrig_status weigh(sk_training *t, sk_evaluation **e, surekrig_error *error)
{
    const sk_krige_block *block = &t->errors.kriging.block;
    surekrig_status status = krige(t, error);
    if (!status)
        status = sk_evaluation_new(&t->loss, e, error);
    if (status)
        return status;
    sk_evaluation_fill(*e, &t->loss, t->errors.residual_std, t->variance_rel);
    if (block->square)
        sk_evaluation_join(*e, &t->loss, t->errors.neighbours, block->log_determinant, block->square);
    return SUREKRIG_OK;
}

static surekrig_status make_room(sk_training *t, surekrig_error *error)
{
    if (t->count < t->capacity)
        return SUREKRIG_OK;
    int64_t capacity = 2 * t->capacity + 64;
    double *theta = sk_doubles(capacity * (t->axes + 1));
    sk_evaluation **evaluation = sk_zeroed(capacity, sizeof *evaluation);
    if (!theta || !evaluation) {
        free(theta);
        free(evaluation);
        return sk_fail_memory(error, 8.0 * (double)(capacity * (t->axes + 1)), "the archive of evaluations");
    }
    if (t->count) {
        memcpy(theta, t->theta, (size_t)(t->count * t->axes) * sizeof *theta);
        memcpy(evaluation, t->evaluation, (size_t)t->count * sizeof *evaluation);
    }
    free(t->theta);
    free(t->evaluation);
    t->theta = theta;
    t->evaluation = evaluation;
    t->capacity = capacity;
    return SUREKRIG_OK;
}

/* A singular theta is kept as an evaluation that failed. */
static surekrig_status evaluate(void *self, const double *theta, surekrig_error *error)
{
    sk_training *t = self;
    sk_evaluation *e = NULL;
    surekrig_status status = make_room(t, error);
    if (status)
        return status;
    sk_training_try(t, theta);
    t->ticker.from = fmin((double)(t->forgotten + t->count) / (double)t->planned, 1);
    t->ticker.span = fmin(1 / (double)t->planned, 1 - t->ticker.from);
    if (sk_tick(&t->ticker, 0))
        return sk_fail(error, SUREKRIG_STOPPED, "stopped before anything was evaluated");
    status = weigh(t, &e, error);
    if (status && status != SUREKRIG_NUMERIC)
        return status;
    if (t->axes)
        memcpy(t->theta + t->count * t->axes, theta, (size_t)t->axes * sizeof *theta);
    t->evaluation[t->count++] = e;
    t->ticker.report.evaluations = t->count;
    return SUREKRIG_OK;
}

/* What the progress bar shows: the lowest Lagrangian under the multipliers in force. */
static void report(sk_training *t, const double *lambda)
{
    surekrig_progress_report *shown = &t->ticker.report;
    if (lambda == t->best_lambda && t->verdict.lagrangian >= shown->objective)
        return;
    int nearest = 0;
    for (int j = 1; j < t->loss.levels; j++)
        if (fabs(t->loss.alpha[j] - SK_TOLD_LEVEL) < fabs(t->loss.alpha[nearest] - SK_TOLD_LEVEL))
            nearest = j;
    t->best_lambda = lambda; /* each round has its own */
    shown->objective = t->verdict.lagrangian;
    shown->coverage = t->loss.levels ? t->verdict.coverage[nearest] : NAN;
}

/* A field far more variable than its data: local data cannot refute it, but it extrapolates wildly. So an automatic
 * gamma2 above ten times the response's variance costs something; it is still profiled freely, for coverage must be
 * met. */
static double extravagance(const sk_training *t)
{
    double sum = 0;
    if (t->m->settings->gamma2.how != SK_AUTO || !(t->m->settings->aids & SK_AID_LIMITS))
        return 0;
    for (int64_t q = 0; q < t->loss.l; q++) {
        double excess = fmax(log(t->verdict.scale[q] / SK_SCALE_EXPECTED), 0);
        sum += SK_SCALE_PRICE * excess * excess;
    }
    return sum;
}

/* An error that no gamma2 changes enters the Lagrangian as its logarithm, unless that is not asked for. */
static bool as_it_enters(const sk_training *t)
{
    const sk_loss_row *row = t->loss.row;
    return row->likelihood || row->scale || t->m->settings->aids & SK_AID_BEND;
}

/* What makes it plain again. */
static double unbent(const sk_training *t)
{
    return as_it_enters(t) ? 0 : t->verdict.loss - log(fmax(t->verdict.loss, DBL_MIN));
}

static double lagrangian(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    sk_training *t = self;
    if (!t->evaluation[i])
        return INFINITY;
    sk_judge(&t->loss, t->evaluation[i], (sk_multipliers){lambda, beta}, &t->verdict);
    t->verdict.lagrangian += extravagance(t) + unbent(t);
    for (int j = 0; residual && j < t->loss.levels; j++)
        residual[j] = t->verdict.coverage[j] - t->loss.alpha[j];
    report(t, lambda);
    return t->verdict.lagrangian;
}

/* Where gamma2 is held, too large residuals for their variances ask for another rho. The kriging variance goes as
 * rho^(-2 nu), so the rho whose scale S would be gamma2 is about rho (gamma2 / S)^(1 / (2 nu)): a step into the narrow
 * valley along which nu and rho trade. */
static bool suggest(void *self, int64_t i, double *theta)
{
    sk_training *t = self;
    const sk_evaluation *e = t->evaluation[i];
    double nu = t->trial.nu, log_ratio = 0;
    bool moves = false;
    if (!e || t->m->data.noise || !sk_model_family(t->m, &t->trial)->smoothness)
        return false;
    for (int64_t q = 0; q < t->loss.l; q++) {
        double scale = fmin(fmax(e->mean_square[q], t->loss.scale_low[q]), t->loss.scale_high[q]);
        log_ratio += log(scale / e->mean_square[q]) / (double)t->loss.l;
    }
    for (int a = 0; a < t->axes; a++) {
        theta[a] = t->theta[i * t->axes + a];
        if (t->moved[a].row == sk_hyper_row_at(SK_HYPER_NU))
            nu = theta[a];
    }
    for (int a = 0; a < t->axes; a++)
        if (t->moved[a].row == sk_hyper_row_at(SK_HYPER_RHO) && isfinite(log_ratio) && fabs(log_ratio) > 0.1) {
            theta[a] = fmin(fmax(theta[a] * exp(log_ratio / (2 * nu)), t->axis[a].lower), t->axis[a].upper);
            moves = true;
        }
    return moves;
}

static bool past(void *self, double time)
{
    const surekrig_model *m = ((sk_training *)self)->m;
    return sk_first_says(m->sharers ? m->sharers : m->data.ranks, sk_now() >= time);
}

sk_objective sk_training_objective(sk_training *t)
{
    /* none of a product of space and time */
    bool differentiable = t->loss.row->slopes && t->trial.time < 0 && as_it_enters(t);
    bool scale = t->loss.row->needs_variance || t->loss.levels; /* else what is minimised says nothing of it */
    return (sk_objective){t->axes,
                          t->axis,
                          t->loss.levels,
                          evaluate,
                          lagrangian,
                          scale && t->m->settings->aids & SK_AID_SUGGEST ? suggest : NULL,
                          t,
                          differentiable ? sk_training_gradient : NULL,
                          past};
}

surekrig_status sk_training_measure(sk_training *t, double *loss, surekrig_error *error)
{
    sk_evaluation *e = NULL;
    surekrig_status status = weigh(t, &e, error);
    if (!status) {
        sk_judge(&t->loss, e, (sk_multipliers){0}, &t->verdict);
        *loss = t->verdict.lagrangian; /* without levels: a likelihood's loss, the logarithm of an error's */
    }
    sk_evaluation_free(e);
    return status;
}
