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

void sk_training_close(sk_training *t)
{
    sk_machine_close(&t->machine);
    sk_hyper_free(&t->trial);
    sk_holdout_free(&t->batch);
    sk_errors_free(&t->errors);
    sk_training_forget(t);
    void *owned[] = {t->rho_unit,         t->axis,         t->moved,       t->z,
                     t->offset,           t->variance_rel, t->scale_range, t->verdict.scale,
                     t->verdict.coverage, t->theta,        t->evaluation};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *t = (sk_training){0};
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
                          differentiable ? sk_training_gradient : NULL};
}

/* ---- opening */

static surekrig_status allocate(sk_training *t, surekrig_error *error)
{
    const surekrig_data *data = &t->m->data;
    int64_t levels = t->m->settings->coverage.count;
    t->z = sk_doubles(levels);
    t->offset = sk_doubles(t->m->kriged.d);
    t->scale_range = sk_doubles(2 * data->l);
    t->verdict.scale = sk_doubles(data->l);
    t->verdict.coverage = sk_doubles(levels);
    if (!t->z || !t->offset || !t->scale_range || !t->verdict.scale || !t->verdict.coverage)
        return sk_fail_memory(error, 8.0 * (double)(2 * levels + data->d + 3 * data->l), "the training");
    surekrig_status status = sk_hyper_new(t->m->kriged.d, data->l, &t->trial, error);
    if (!status)
        sk_hyper_copy(&t->m->hyper, &t->trial);
    return status;
}

/* The distance of two points, as far as it counts. */
static double distance(const sk_training *t, const double *p, const double *q)
{
    double sum = 0;
    for (int64_t a = 0; a < t->trial.d; a++)
        sum += isinf(t->m->frame.side[a]) ? 0 : (p[a] - q[a]) * (p[a] - q[a]);
    if (sum > 1e-280 && sum < 1e280)
        return sqrt(sum);
    sum = 0; /* squares may have lost digits */
    for (int64_t a = 0; a < t->trial.d; a++)
        sum = isinf(t->m->frame.side[a]) ? sum : hypot(sum, p[a] - q[a]);
    return sum;
}

/* The least distance above 0 that a table must have; space and time have one each, and either may be far below the distance in
 * both, as along the track of a satellite. */
static double least_apart(const sk_training *t, const double *p, const double *q, double apart)
{
    int64_t time = t->trial.time;
    if (time < 0)
        return apart > 0 ? apart : INFINITY;
    double later = fabs(p[time] - q[time]), away = 0;
    for (int64_t a = 0; a < t->trial.d; a++)
        away = a == time || isinf(t->m->frame.side[a]) ? away : hypot(away, p[a] - q[a]);
    return fmin(later > 0 ? later : INFINITY, away > 0 ? away : INFINITY);
}

/* Where the kernel's tables must be fast: distances inside some of the neighbourhoods, with room on both sides. */
static void measure_distances(sk_training *t)
{
    const sk_holdout *h = &t->batch;
    int64_t d = t->m->kriged.d, step = h->n / 256 + 1, pairs = 0;
    double nearest = INFINITY, farthest = 0;
    for (int64_t a = 0; a < d; a++)
        t->offset[a] = 0;
    for (int64_t i = 0; i < h->n; i += step)
        for (int64_t j = 0; j < (h->count ? h->count[i] : h->k); j++) {
            const double *p = t->m->kriged.x + h->neighbor[i * h->k + j] * d;
            pairs++;
            for (int64_t a = 0; a < d; a++)
                t->offset[a] = hypot(t->offset[a], h->x[i * d + a] - p[a]);
            for (int64_t g = -1; g < j; g++) { /* -1: the point itself */
                const double *q = g < 0 ? h->x + i * d : t->m->kriged.x + h->neighbor[i * h->k + g] * d;
                double apart = distance(t, p, q);
                nearest = fmin(nearest, least_apart(t, p, q, apart));
                farthest = fmax(farthest, apart);
            }
        }
    for (int64_t a = 0; a < d; a++)
        t->offset[a] /= sqrt((double)pairs);
    t->distance[0] = nearest / 4;
    t->distance[1] = farthest * 4;
}

static surekrig_status draw_batch(sk_training *t, surekrig_error *error)
{
    surekrig_status status = sk_holdout_new(t->m, (sk_holdout_wish){.n = t->m->settings->batch}, &t->batch, error);
    if (!status)
        status = sk_errors_new(t->m, t->batch.n, sk_loss_at(t->m->settings->loss)->needs_neighbors ? SK_WANT_BLOCK : 0,
                               &t->errors, error);
    t->variance_rel = status ? NULL : sk_doubles(t->batch.n);
    if (!status && !t->variance_rel)
        status = sk_fail_memory(error, 8.0 * (double)t->batch.n, "the batch");
    if (!status)
        measure_distances(t);
    return status;
}

static void set_loss(sk_training *t)
{
    surekrig_model *m = t->m;
    const surekrig_settings *settings = m->settings;
    for (int j = 0; j < settings->coverage.count; j++)
        t->z[j] = surekrig_quantile(settings->coverage.alpha[j]);
    t->loss = (sk_loss){sk_loss_at(settings->loss), settings->huber,          t->batch.n, m->data.l,
                        settings->coverage.count,   settings->coverage.alpha, t->z,       t->scale_range,
                        t->scale_range + m->data.l};
    for (int64_t q = 0; q < m->data.l; q++) {
        const sk_parameter *gamma2 = &settings->gamma2;
        double low = 1e-200, high = 1e200, spread = m->spread[q];
        if (gamma2->how == SK_FIXED)
            low = high = gamma2->fixed[0] / spread / spread;
        if (gamma2->how == SK_RANGE) {
            low = gamma2->lower / spread / spread;
            high = gamma2->upper / spread / spread;
        }
        t->scale_range[q] = m->data.noise ? 1 : low; /* with noise, gamma2 is in the variance already */
        t->scale_range[m->data.l + q] = m->data.noise ? 1 : high;
    }
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

surekrig_status sk_training_open(surekrig_model *m, const surekrig_progress *progress, sk_training *t,
                                 surekrig_error *error)
{
    double start = sk_now();
    *t = (sk_training){.m = m, .planned = 1};
    sk_ticker_start(&t->ticker, progress, "training");
    surekrig_status status = allocate(t, error);
    if (!status)
        status = draw_batch(t, error);
    if (!status)
        status = sk_training_space(t, error);
    if (!status) {
        set_loss(t);
        status = sk_machine_open(m, true, sk_thread_setting(m->settings), &t->machine, error);
        t->machine.distance = t->distance;
        t->machine.ticker = &t->ticker;
        m->info.batch = t->batch.n;
    }
    m->phase[1].seconds = sk_now() - start;
    if (status)
        sk_training_close(t);
    return status;
}
