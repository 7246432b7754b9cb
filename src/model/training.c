/* The leave-one-out objective over a batch.
 *   B  <- a uniform sample of b rows;  N_i <- the k nearest neighbours of each without itself       (Algorithm 1)
 *   theta -> mean_i, var_i of each point of B from its N_i (M5) -> what the losses need
 * gamma2 is not searched but profiled out of the Lagrangian (loss/profile.c), except where the data bring noise variances
 * of their own, for then it no longer factors out. Residuals are divided by the response's spread, so that losses, beta
 * and tolerances mean the same in all units. */
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sk_training_close(sk_training *t)
{
    if (t->back)
        t->back->close(t->state);
    for (int64_t i = 0; i < t->count; i++)
        sk_evaluation_free(t->evaluation[i]);
    void *owned[] = {t->row, t->neighbor, t->x, t->mean, t->variance, t->jitter, t->residual, t->rho_unit, t->axis,
                     t->role, t->rho_axis, t->z, t->offset, t->scale_range, t->verdict.scale, t->verdict.coverage, t->theta,
                     t->evaluation};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

/* ---- one evaluation: krige the batch, each point from its neighbours without itself (M5) */

static surekrig_status krige_batch(sk_training *t, surekrig_error *error)
{
    surekrig_model *m = t->m;
    surekrig_term term;
    surekrig_theta theta = sk_model_theta(m, &term);
    sk_kernel *kernel = NULL;
    surekrig_status status = sk_kernel_new(&theta, m->data.d, t->distance, &kernel, error);
    if (!status) {
        sk_krige_theta prepared = {kernel, m->tau2, sk_model_noise_share(m)};
        surekrig_neighborhoods batch = {t->b, t->k, t->neighbor, NULL, t->x};
        surekrig_kriged out = {t->mean, t->variance, t->jitter};
        status = t->back->run(t->state, &(sk_krige_job){&batch, &prepared, &t->ticker, &out}, error);
    }
    sk_kernel_free(kernel);
    return status;
}

/* Variances of an observation, as a share of gamma2, not below round-off; with given noise also times gamma2, which then
 * does not factor out. Residuals over the spread. */
static void standardise(sk_training *t)
{
    const surekrig_model *m = t->m;
    const surekrig_data *data = &m->data;
    double least = (double)t->k * DBL_EPSILON;
    for (int64_t i = 0; i < t->b; i++) {
        double noise = data->noise ? data->noise[t->row[i]] * sk_model_noise_share(m) : 0;
        t->variance[i] = fmax(t->variance[i] + m->tau2 + noise, least);
        if (data->noise)
            t->variance[i] *= m->scale[0];
        for (int64_t q = 0; q < data->l; q++)
            t->residual[i * data->l + q] =
                (data->y[t->row[i] * data->l + q] - m->center[q] - t->mean[i * data->l + q]) / m->spread[q];
    }
}

surekrig_status sk_training_krige(sk_training *t, surekrig_error *error)
{
    surekrig_status status = krige_batch(t, error);
    if (!status)
        standardise(t);
    return status;
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
    sk_training_set_theta(t, theta);
    t->ticker.from = fmin((double)t->count / (double)t->planned, 1);
    t->ticker.span = fmin(1 / (double)t->planned, 1 - t->ticker.from);
    if (sk_tick(&t->ticker, 0))
        return sk_fail(error, SUREKRIG_STOPPED, "stopped before anything was evaluated");
    status = sk_training_krige(t, error);
    if (!status && !(status = sk_evaluation_new(&t->loss, &e, error)))
        sk_evaluation_fill(e, &t->loss, t->residual, t->variance);
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
        if (fabs(t->loss.alpha[j] - 0.95) < fabs(t->loss.alpha[nearest] - 0.95))
            nearest = j;
    t->best_lambda = lambda; /* each round has its own */
    shown->objective = t->verdict.lagrangian;
    shown->coverage = t->loss.levels ? t->verdict.coverage[nearest] : NAN;
}

/* A field far more variable than its data: local data cannot refute it, but it extrapolates wildly. So an automatic gamma2
 * above ten times the response's variance costs something; it is still profiled freely, for coverage must be met. */
static double extravagance(const sk_training *t)
{
    double sum = 0;
    if (t->m->settings->gamma2.how != SK_AUTO)
        return 0;
    for (int64_t q = 0; q < t->loss.l; q++) {
        double excess = fmax(log(t->verdict.scale[q] / SK_SCALE_EXPECTED), 0);
        sum += SK_SCALE_PRICE * excess * excess;
    }
    return sum;
}

static double lagrangian(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    sk_training *t = self;
    if (!t->evaluation[i])
        return INFINITY;
    sk_judge(&t->loss, t->evaluation[i], (sk_multipliers){lambda, beta}, &t->verdict);
    t->verdict.lagrangian += extravagance(t);
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
    double nu = t->m->nu, log_ratio = 0;
    bool moves = false;
    if (!e || t->m->data.noise || isinf(nu))
        return false;
    for (int64_t q = 0; q < t->loss.l; q++) {
        double scale = fmin(fmax(e->mean_square[q], t->loss.scale_low[q]), t->loss.scale_high[q]);
        log_ratio += log(scale / e->mean_square[q]) / (double)t->loss.l;
    }
    for (int a = 0; a < t->axes; a++) {
        theta[a] = t->theta[i * t->axes + a];
        if (t->role[a] == SK_ROLE_NU)
            nu = theta[a];
    }
    for (int a = 0; a < t->axes; a++)
        if (t->role[a] == SK_ROLE_RHO && isfinite(log_ratio) && fabs(log_ratio) > 0.1) {
            theta[a] = fmin(fmax(theta[a] * exp(log_ratio / (2 * nu)), t->axis[a].lower), t->axis[a].upper);
            moves = true;
        }
    return moves;
}

sk_objective sk_training_objective(sk_training *t)
{
    bool differentiable = t->loss.kind != SK_LOSS_MSE && t->loss.kind != SK_LOSS_HUBER;
    return (sk_objective){t->axes, t->axis, t->loss.levels, evaluate, lagrangian, suggest, t,
                          differentiable ? sk_training_gradient : NULL};
}

/* ---- opening */

static surekrig_status allocate(sk_training *t, surekrig_error *error)
{
    const surekrig_data *data = &t->m->data;
    int64_t levels = t->m->settings->coverage.count;
    t->row = sk_alloc(t->b, sizeof *t->row);
    t->neighbor = sk_alloc(t->b * t->k, sizeof *t->neighbor);
    t->x = sk_doubles(t->b * data->d);
    t->mean = sk_doubles(t->b * data->l);
    t->residual = sk_doubles(t->b * data->l);
    t->variance = sk_doubles(t->b);
    t->jitter = sk_doubles(t->b);
    t->z = sk_doubles(levels);
    t->offset = sk_doubles(data->d);
    t->scale_range = sk_doubles(2 * data->l);
    t->verdict.scale = sk_doubles(data->l);
    t->verdict.coverage = sk_doubles(levels);
    if (t->row && t->neighbor && t->x && t->mean && t->residual && t->variance && t->jitter && t->z && t->offset && t->scale_range &&
        t->verdict.scale && t->verdict.coverage)
        return SUREKRIG_OK;
    return sk_fail_memory(error, 8.0 * (double)(t->b * (t->k + data->d + 2 * data->l + 3)), "the training batch");
}

/* Where the kernel's tables must be fast: distances inside some of the neighbourhoods, with room on both sides. */
static void measure_distances(sk_training *t)
{
    int64_t d = t->m->data.d, step = t->b / 256 + 1, pairs = 0;
    double nearest = INFINITY, farthest = 0;
    for (int64_t a = 0; a < d; a++)
        t->offset[a] = 0;
    for (int64_t i = 0; i < t->b; i += step)
        for (int64_t j = 0; j < t->k; j++) {
            pairs++;
            for (int64_t a = 0; a < d; a++)
                t->offset[a] = hypot(t->offset[a], t->x[i * d + a] - t->m->data.x[t->neighbor[i * t->k + j] * d + a]);
            for (int64_t h = -1; h < j; h++) { /* -1: the point itself */
                const double *p = t->m->data.x + t->neighbor[i * t->k + j] * d;
                const double *q = h < 0 ? t->x + i * d : t->m->data.x + t->neighbor[i * t->k + h] * d;
                double sum = 0;
                for (int64_t a = 0; a < d; a++)
                    sum = hypot(sum, p[a] - q[a]);
                nearest = sum > 0 && sum < nearest ? sum : nearest;
                farthest = fmax(farthest, sum);
            }
        }
    for (int64_t a = 0; a < d; a++)
        t->offset[a] /= sqrt((double)pairs);
    t->distance[0] = nearest / 4;
    t->distance[1] = farthest * 4;
}

static surekrig_status draw_batch(sk_training *t, surekrig_error *error)
{
    const surekrig_data *data = &t->m->data;
    surekrig_status status = sk_sample_rows(t->m->settings->seed, data->n, t->b, t->row, error);
    for (int64_t i = 0; i < t->b && !status; i++)
        memcpy(t->x + i * data->d, data->x + t->row[i] * data->d, (size_t)data->d * sizeof(double));
    surekrig_neighbor_query near = {.n = t->b, .x = t->x, .k = t->k, .row = t->row, .threads = sk_thread_setting(t->m->settings)};
    if (!status)
        status = surekrig_neighbors(t->m->index, &near, t->neighbor, NULL, error);
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
    t->loss = (sk_loss){(sk_loss_kind)settings->loss, settings->huber, t->b, m->data.l, settings->coverage.count,
                        settings->coverage.alpha, t->z, t->scale_range, t->scale_range + m->data.l};
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

surekrig_status sk_training_open(surekrig_model *m, const surekrig_progress *progress, sk_training *t,
                                 surekrig_error *error)
{
    const surekrig_settings *settings = m->settings;
    double start = sk_now();
    *t = (sk_training){.m = m, .b = settings->batch < m->data.n ? settings->batch : m->data.n,
                       .k = m->info.neighbors, .planned = 1};
    sk_ticker_start(&t->ticker, progress, "training");
    surekrig_status status = allocate(t, error);
    if (!status)
        status = sk_training_space(t, error);
    if (!status)
        status = draw_batch(t, error);
    if (!status) {
        set_loss(t);
        t->back = sk_backend_find(sk_backend_name(settings));
        if (!t->back)
            status = sk_fail(error, SUREKRIG_INVALID, "backend = %s: this machine cannot run it; auto takes the fastest "
                             "that it can", sk_backend_name(settings));
    }
    if (!status)
        status = t->back->open(&(sk_krige_points){&m->data, m->center, t->k, sk_thread_setting(settings)}, &t->state,
                               error);
    m->info.batch = t->b;
    m->phase[1].seconds = sk_now() - start;
    if (status)
        sk_training_close(t);
    return status;
}
