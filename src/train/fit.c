/* Fitting: the paper's Algorithm 1 from data to model. */
#include "train/longer.h"

#include <math.h>
#include <stdlib.h>

static bool all_singular(const sk_training *t)
{
    for (int64_t i = 0; i < t->count; i++)
        if (t->evaluation[i])
            return false;
    return t->count > 0;
}

static surekrig_status fit_trend(sk_training *t, surekrig_error *error)
{
    surekrig_model *m = t->m;
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, &t->trial, term);
    sk_kernel *kernel = NULL;
    surekrig_status status = sk_kernel_new(&theta, m->kriged.d, NULL, &kernel, error);
    sk_krige_theta prepared = {kernel, t->trial.tau2, sk_model_noise_share(m, &t->trial)};
    sk_trend_job job = {&m->data,  &m->metric,        &m->frame,         t->machine.back,
                        &prepared, m->info.neighbors, m->settings->seed, sk_thread_setting(m->settings)};
    if (!status)
        status = sk_trend_fit(&job, &m->trend, error);
    if (!status)
        sk_model_detrend(m);
    sk_kernel_free(kernel);
    return status;
}

enum { FEW_AXES = 8 };               /* searches of more end in long valleys, and not at once */
static const double NOISY = 0.3;     /* tau2 from which a trial's few points do not tell where to search */
static const double SETTLING = 0.25; /* share of the time, where that is limited */

/* A trend for the theta where the search begins. */
static surekrig_status begin_trend(sk_training *t, surekrig_error *error)
{
    double *start = sk_doubles(t->axes);
    if (!start)
        return sk_fail_memory(error, 8.0 * t->axes, "the trend's first theta");
    for (int a = 0; a < t->axes; a++)
        start[a] = t->axis[a].start;
    sk_training_try(t, start);
    free(start);
    return fit_trend(t, error);
}

/* A short search under the first trend. Its evaluations are forgotten. */
static surekrig_status look_around(sk_training *t, const sk_plan *plan, surekrig_error *error)
{
    sk_plan quick = *plan;
    sk_result result = {0};
    bool gradients = plan->optimizer == SK_OPTIMIZER_LBFGS && plan->near;
    quick.brief = plan->near;
    if (!gradients)
        quick.optimizer = SK_OPTIMIZER_LOCAL;
    quick.evaluations = (plan->near ? 5 : 10) * t->axes;
    t->planned += quick.evaluations;
    quick.rounds = 1;
    quick.polish = 0;
    quick.multipliers = false;
    quick.seconds *= SETTLING;
    sk_objective objective = sk_training_objective(t);
    surekrig_status status = sk_minimize(&objective, &quick, &result, error);
    if (!status)
        sk_training_retry(t, result.chosen, &result.round[result.rounds - 1]);
    for (int a = 0; a < t->axes && plan->near && !status; a++)
        t->axis[a].start = t->theta[result.chosen * t->axes + a];
    sk_result_free(&result);
    if (!status)
        sk_training_forget(t);
    return status;
}

static sk_plan plan_for(sk_training *t)
{
    bool gradients = (t->m->anisotropic || t->loss.levels == 0) && sk_training_objective(t).gradient;
    sk_optimizer automatic = gradients           ? SK_OPTIMIZER_LBFGS
                             : t->trial.time < 0 ? SK_OPTIMIZER_BAYES
                                                 : SK_OPTIMIZER_LOCAL; /* which settles a metric in turns */
    sk_plan plan = sk_plan_from(t->m->settings, automatic, t->axes, t->loss.levels, 1 / (double)t->batch.n);
    bool limits = t->m->settings->aids & SK_AID_LIMITS;
    if (limits && t->loss.levels > 1) { /* in units of a mean loss; one level can always be met: docs/decisions.md */
        plan.beta_limit = 100;
        plan.lambda_limit = 10;
    }
    t->planned = (plan.evaluations + 2 * plan.polish + 1) * (plan.own_rounds ? plan.rounds : 1);
    return plan;
}

/* Whether length scales of features are searched. */
static bool fits_metric(const surekrig_model *m)
{
    return m->anisotropic && m->settings->metric == (int)SK_METRIC_FITTED && m->settings->rho.how != SK_FIXED &&
           m->metric.parts > 1;
}

/* The metric. The search that follows begins where this one ends, and need not look around again. A wish to stop
 * meanwhile leaves what was found by then, which is to be evaluated once more; *stopped says so. */
static surekrig_status settle_metric(sk_training *t, sk_plan *plan, bool *stopped, surekrig_error *error)
{
    double start = sk_now();
    surekrig_status status = sk_training_settle_metric(t, plan, error);
    plan->seconds = fmax(plan->seconds - (sk_now() - start), 1e-3);
    plan->near = true;
    *stopped = !status && t->ticker.stopped;
    if (*stopped) {
        t->ticker.progress = NULL;
        t->ticker.stopped = false;
        plan->initial = plan->evaluations = plan->rounds = 1;
        plan->polish = 0;
    }
    return status;
}

/* The metric, and the trend, which depends on theta as theta does on it: a trend for the first theta, a search, a trend
 * for what it found. */
static surekrig_status settle(sk_training *t, sk_plan *plan, bool begun, bool *stopped, surekrig_error *error)
{
    /* without gradients, another turn from a metric that is fitted already is not worth its time */
    bool settled = begun && plan->near && plan->brief; /* its trial has done it */
    bool trend = t->m->trend.columns > 0,
         metric = fits_metric(t->m) && (!begun || sk_training_objective(t).gradient) && !settled;
    surekrig_status status = trend ? begin_trend(t, error) : SUREKRIG_OK;
    if (!status && metric)
        status = settle_metric(t, plan, stopped, error);
    else if (!status && trend && t->axes > 0 && !settled)
        status = look_around(t, plan, error);
    if (!status && trend && t->axes > 0 && !settled)
        status = fit_trend(t, error);
    if (trend && !metric && !settled)
        plan->seconds *= 1 - SETTLING;
    return status;
}

/* The search, and what it found as the model's. */
static surekrig_status search(sk_training *t, const sk_plan *plan, surekrig_error *error)
{
    sk_result result = {0};
    sk_objective objective = sk_training_objective(t);
    surekrig_status status = sk_minimize(&objective, plan, &result, error);
    if (status == SUREKRIG_NUMERIC && all_singular(t))
        sk_fail(error, status,
                "the covariances stay singular with jitter up to %g for each of %lld hyperparameters tried; "
                "give a larger nugget (tau2)",
                SK_JITTER_LIMIT, (long long)t->count);
    if (!status)
        status = sk_training_report(t, &result, error);
    sk_result_free(&result);
    return status;
}

surekrig_status sk_start_at(const surekrig_model *m, sk_start *start, surekrig_error *error)
{
    *start = (sk_start){.side = sk_copy(m->frame.side, m->frame.d, sizeof(double)), .by_feature = m->anisotropic};
    surekrig_status status = start->side ? sk_hyper_new(m->kriged.d, m->data.l, &start->hyper, error)
                                         : sk_fail_memory(error, 8.0 * (double)m->frame.d, "a trial's metric");
    if (!status)
        sk_hyper_copy(&m->hyper, &start->hyper);
    return status;
}

void sk_start_free(sk_start *start)
{
    sk_hyper_free(&start->hyper);
    free(start->side);
    *start = (sk_start){0};
}

/* Whether length scales that another training found for each feature are where this one's may begin: the same features
 * count in both. */
static bool begins_there(const surekrig_model *m, const sk_start *start)
{
    if (!start || !start->side || !start->by_feature || !m->anisotropic || start->hyper.d != m->kriged.d ||
        m->settings->metric != SK_METRIC_FITTED || m->settings->rho.how == SK_FIXED)
        return false;
    for (int64_t a = 0; a < m->frame.d; a++)
        if (isinf(m->frame.start[a]) && isfinite(start->side[a]))
            return false;
    return true;
}

/* Likewise one length scale for all, or for two that part there. */
static bool begins_near(const surekrig_model *m, sk_fitting how)
{
    const sk_start *start = how.start;
    return start && start->side && !start->by_feature && (!m->anisotropic || how.parts) &&
           start->hyper.d == m->kriged.d;
}

/* Whether the data may ask for another length scale: both features are coordinates of a plane, and have one so far. */
static bool may_ask(const surekrig_model *m)
{
    return !m->anisotropic && m->metric.parts == 2 && m->kriged.d == 2 && isfinite(m->frame.side[0]) &&
           isfinite(m->frame.side[1]) && m->info.outcome != SUREKRIG_STOPPED_EARLY;
}

static surekrig_status train(surekrig_model *m, sk_fitting how, const surekrig_progress *progress,
                             surekrig_error *error)
{
    sk_training t;
    bool stopped = false, begun = begins_there(m, how.start), known = begun || begins_near(m, how);
    double start = sk_now();
    surekrig_status status = begun ? sk_model_reframe(m, how.start->side, error) : sk_take_given_metric(m, error);
    if (!status)
        status = sk_model_index(m, error);
    m->phase[0].seconds += sk_now() - start;
    if (!status)
        status = sk_training_open(m, progress, &t, error);
    if (!status && !begun && fits_metric(m))
        status = sk_training_see_all(&t, error);
    if (status)
        return status;
    t.before = how.before;
    if (known)
        sk_training_begin(&t, &how.start->hyper);
    start = sk_now();
    sk_plan plan = plan_for(&t);
    plan.near = known && (how.start->hyper.long_share > 0) == (m->settings->terms > 1) && how.start->hyper.tau2 < NOISY;
    plan.brief = (how.trial || plan.near) && t.axes <= FEW_AXES && !how.before;
    if (begun && how.trial) /* no place of a design would be better */
        plan.initial = 1;
    status = settle(&t, &plan, begun, &stopped, error);
    if (!status)
        status = search(&t, &plan, error);
    if (!status && stopped)
        m->info.outcome = SUREKRIG_STOPPED_EARLY;
    t.ticker.progress = NULL; /* a few more krigings, of the chosen theta, are not worth a report or a stop */
    t.ticker.stopped = false;
    if (!status && how.longer && may_ask(m) && t.loss.row->likelihood)
        status = sk_training_longer(&t, how.longer, error);
    bool calibrated = how.calibrated && !(how.longer && how.longer->plainly);
    if (!status && calibrated)
        status = sk_machine_set(&t.machine, &m->hyper, error);
    if (!status && calibrated)
        status = sk_calibrate(m, &t.batch, &t.machine, error);
    m->phase[2].seconds = sk_now() - start;
    sk_training_close(&t);
    return status;
}

surekrig_status sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, sk_fitting how,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_model *made = NULL;
    surekrig_status status = sk_model_new(data, settings, &made, error);
    if (status)
        return status;
    status = sk_model_take_targets(made, data, error);
    if (!status && made->settings->nodes == SK_NODES_YES && made->kriged.d != 2)
        status = sk_fail(error, SUREKRIG_INVALID, "nodes = yes is for distances in two coordinates: leave it out");
    if (!status && made->data.noise && made->settings->variance != SK_VARIANCE_GLOBAL)
        status = sk_fail(error, SUREKRIG_INVALID, "a local variance does not go with known noise variances");
    if (!status)
        status = train(made, how, progress, error);
    sk_model_forget_targets(made);
    if (status)
        surekrig_model_free(made);
    else
        *model = made;
    return status;
}
