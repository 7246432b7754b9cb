/* Fitting: the paper's Algorithm 1 from data to model. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    surekrig_theta theta = sk_model_theta(m, term);
    sk_kernel *kernel = NULL;
    surekrig_status status = sk_kernel_new(&theta, m->data.d, NULL, &kernel, error);
    sk_krige_theta prepared = {kernel, m->tau2, sk_model_noise_share(m)};
    sk_trend_job job = {&m->data,
                        &m->frame,
                        t->run.back,
                        &prepared,
                        m->info.neighbors,
                        m->settings->seed,
                        sk_thread_setting(m->settings)};
    if (!status)
        status = sk_trend_fit(&job, &m->trend, error);
    if (!status)
        sk_model_detrend(m);
    sk_kernel_free(kernel);
    return status;
}

static const double SETTLING = 0.25; /* share of the time, where that is limited */

/* The trend depends on theta and theta on the trend: a trend for the first theta, a short search, a trend for what it
 * found. Evaluations made under the first are forgotten. */
static surekrig_status settle_trend(sk_training *t, const sk_plan *plan, surekrig_error *error)
{
    sk_plan quick = *plan;
    sk_result result = {0};
    double *start = sk_doubles(t->axes);
    if (!start)
        return sk_fail_memory(error, 8.0 * t->axes, "the trend's first theta");
    for (int a = 0; a < t->axes; a++)
        start[a] = t->axis[a].start;
    quick.optimizer = SK_OPTIMIZER_LOCAL;
    quick.evaluations = 10 * t->axes;
    t->planned += quick.evaluations;
    quick.rounds = 1;
    quick.polish = 0;
    quick.multipliers = false;
    quick.seconds *= SETTLING;
    sk_training_set_theta(t, start);
    free(start);
    surekrig_status status = fit_trend(t, error);
    sk_objective objective = sk_training_objective(t);
    if (!status && t->axes > 0)
        status = sk_minimize(&objective, &quick, &result, error);
    if (!status && t->axes > 0) {
        sk_training_adopt(t, result.chosen, &result.round[result.rounds - 1]);
        status = fit_trend(t, error);
    }
    sk_result_free(&result);
    if (!status)
        sk_training_forget(t);
    return status;
}

static surekrig_status train(surekrig_model *m, bool calibrated, const surekrig_progress *progress,
                             surekrig_error *error)
{
    sk_training t;
    sk_result result = {0};
    surekrig_status status = sk_training_open(m, progress, &t, error);
    if (status)
        return status;
    double start = sk_now();
    sk_objective objective = sk_training_objective(&t);
    sk_plan plan = sk_plan_from(m->settings, t.axes, t.loss.levels, 1 / (double)t.batch.n);
    if (t.loss.levels > 1) { /* in units of a mean loss; one level can always be met: docs/decisions.md */
        plan.beta_limit = 100;
        plan.lambda_limit = 10;
    }
    t.planned = plan.evaluations + 2 * plan.polish + 1;
    if (m->trend.columns > 0) {
        status = settle_trend(&t, &plan, error);
        plan.seconds *= 1 - SETTLING;
    }
    if (!status)
        status = sk_minimize(&objective, &plan, &result, error);
    if (status == SUREKRIG_NUMERIC && all_singular(&t))
        sk_fail(error, status,
                "the covariances stay singular with jitter up to %g for each of %lld hyperparameters tried; "
                "give a larger nugget (tau2)",
                SK_JITTER_LIMIT, (long long)t.count);
    if (!status)
        status = sk_training_report(&t, &result, error);
    t.ticker.progress = NULL; /* a few more krigings, of the chosen theta, are not worth a report or a stop */
    t.ticker.stopped = false;
    if (!status && calibrated)
        status = sk_calibrate(m, &t.batch, &t.run, error);
    m->phase[2].seconds = sk_now() - start;
    sk_result_free(&result);
    sk_training_close(&t);
    return status;
}

static surekrig_status take_targets(const surekrig_data *data, surekrig_model *m, surekrig_error *error)
{
    if (data->targets < 0 || (data->targets > 0 && !data->target))
        return sk_fail(error, SUREKRIG_INVALID, "%lld targets, and %s are given", (long long)data->targets,
                       data->target ? "their places" : "no places");
    for (int64_t i = 0; i < data->targets * data->d; i++)
        if (!isfinite(data->target[i]))
            return sk_fail(error, SUREKRIG_DATA, "target %lld, %s: %g is not a finite number",
                           (long long)(i / data->d) + 1, m->data.x_names[i % data->d], data->target[i]);
    if (m->data.noise && m->settings->variance != SK_VARIANCE_GLOBAL)
        return sk_fail(error, SUREKRIG_INVALID, "a local variance does not go with known noise variances");
    m->data.targets = data->targets;
    m->data.target = data->target;
    return SUREKRIG_OK;
}

static void forget_targets(surekrig_model *m) /* they are the caller's */
{
    m->data.targets = 0;
    m->data.target = NULL;
}

surekrig_status sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, bool calibrated,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_model *made = NULL;
    surekrig_status status = sk_model_new(data, settings, &made, error);
    if (status)
        return status;
    status = take_targets(data, made, error);
    if (!status)
        status = train(made, calibrated, progress, error);
    forget_targets(made);
    if (status)
        surekrig_model_free(made);
    else
        *model = made;
    return status;
}

/* Widths and scores of two models together. The batch, whose points trained them, is drawn once more. */
static surekrig_status calibrate_both(const surekrig_data *data, surekrig_model *m, surekrig_error *error)
{
    sk_holdout batch = {0};
    sk_runner run = {0};
    surekrig_status status = take_targets(data, m, error);
    if (!status)
        status = sk_holdout_new(m, (sk_holdout_wish){.n = m->settings->batch}, &batch, error);
    if (!status)
        status = sk_runner_open(m, &run, error);
    if (!status)
        status = sk_calibrate(m, &batch, &run, error);
    forget_targets(m);
    sk_runner_close(&run);
    sk_holdout_free(&batch);
    return status;
}

/* What a pair says of its training. */
static void join(surekrig_model *m, surekrig_model *partner)
{
    surekrig_outcome second = partner->info.outcome;
    if (second == SUREKRIG_STOPPED_EARLY || (second == SUREKRIG_BUDGET_SPENT && m->info.outcome == SUREKRIG_CONVERGED))
        m->info.outcome = second;
    m->phase[2].seconds += partner->phase[2].seconds;
    sk_model_join(m, partner);
}

/* A wish to stop leaves the first without the second, and so does a covariance that stays singular in its training: no
 * reason to lose the first. */
static surekrig_status fit_partner(const surekrig_data *data, const sk_choice *choice,
                                   const surekrig_progress *progress, surekrig_model *m, surekrig_error *error)
{
    surekrig_model *partner = NULL;
    surekrig_error why = {0};
    if (m->info.outcome == SUREKRIG_STOPPED_EARLY)
        return SUREKRIG_OK;
    surekrig_status status = sk_fit_plain(data, choice->partner, false, progress, &partner, &why);
    if (!status)
        join(m, partner);
    else if (status == SUREKRIG_STOPPED)
        m->info.outcome = SUREKRIG_STOPPED_EARLY;
    else if (status != SUREKRIG_NUMERIC && error)
        *error = why;
    return status == SUREKRIG_STOPPED || status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
}

static surekrig_status fit_pair(const surekrig_data *data, const sk_choice *choice, const surekrig_progress *progress,
                                surekrig_model **model, surekrig_error *error)
{
    surekrig_model *made = NULL;
    double most = SK_CHOSEN + 0.75 * (1 - SK_CHOSEN); /* the second is the simpler */
    sk_part first = {progress, SK_CHOSEN, most - SK_CHOSEN}, second = {progress, most, 1 - most};
    surekrig_status status = sk_fit_plain(data, choice->settings, false, sk_part_of(&first), &made, error);
    if (!status)
        status = fit_partner(data, choice, sk_part_of(&second), made, error);
    if (!status)
        status = calibrate_both(data, made, error);
    if (status)
        surekrig_model_free(made);
    else
        *model = made;
    return status;
}

static surekrig_status fit_chosen(const surekrig_data *data, const sk_choice *choice, const surekrig_progress *progress,
                                  surekrig_model **model, surekrig_error *error)
{
    surekrig_model *made = NULL;
    sk_part rest = {progress, SK_CHOSEN, 1 - SK_CHOSEN};
    surekrig_status status = choice->partner
                                 ? fit_pair(data, choice, progress, &made, error)
                                 : sk_fit_plain(data, choice->settings, true, sk_part_of(&rest), &made, error);
    if (status)
        return status;
    memcpy(made->trial, choice->trial, sizeof choice->trial);
    if (choice->partner && !made->partner) /* there came none: the average is what came last */
        made->trial[choice->trials - 1].kept = 0;
    made->info.trials = choice->trials;
    made->info.trial = made->trial;
    *model = made;
    return SUREKRIG_OK;
}

/* Columns for a trend, and no trend: surely not what was meant. */
static surekrig_status check_trend(const surekrig_settings *settings, surekrig_error *error)
{
    const char *columns = sk_setting_names(settings, "trend");
    if (settings->mean == SK_MEAN_TREND || settings->choose || !strcmp(columns, "all"))
        return SUREKRIG_OK;
    return sk_fail(error, SUREKRIG_INVALID, "trend = %s is of no use with mean = %s: set mean to trend, or auto to yes",
                   columns, surekrig_settings_get(settings, "mean"));
}

surekrig_status surekrig_fit(const surekrig_data *data, const surekrig_settings *settings,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_settings *defaults = NULL;
    sk_choice choice = {0};
    surekrig_status status = settings ? SUREKRIG_OK : surekrig_settings_new(&defaults, error);
    const surekrig_settings *used = settings ? settings : defaults;
    if (!status)
        status = check_trend(used, error);
    if (!status && used->choose) {
        status = sk_choose(data, used, progress, &choice, error);
        if (!status)
            status = fit_chosen(data, &choice, progress, model, error);
    } else if (!status) {
        status = sk_fit_plain(data, used, true, progress, model, error);
    }
    surekrig_settings_free(defaults);
    surekrig_settings_free(choice.settings);
    surekrig_settings_free(choice.partner);
    return status;
}
