/* Fitting: the paper's Algorithm 1 from data to model, and the report of how it went. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets the model's hyperparameters to an evaluation's, judged under a round's multipliers. */
static void adopt(sk_training *t, int64_t evaluation, const sk_round *round)
{
    sk_training_set_theta(t, t->theta + evaluation * t->axes);
    sk_judge(&t->loss, t->evaluation[evaluation], (sk_multipliers){round->lambda, round->beta}, &t->verdict);
    if (!t->m->data.noise) /* else it was searched and is set already */
        memcpy(t->m->scale, t->verdict.scale, (size_t)t->loss.l * sizeof(double));
}

static void report_round(sk_training *t, const sk_round *from, surekrig_round *to)
{
    size_t bytes = (size_t)t->loss.levels * sizeof(double);
    adopt(t, from->best, from);
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
    int64_t rhos = sk_model_rho_differs(t->m->settings) ? t->m->data.d : 1, feature = t->rho_axis[axis];
    bool all_rhos = t->role[axis] == SK_ROLE_RHO && feature < 0;
    const int64_t first[] = {[SK_ROLE_NU] = 0, [SK_ROLE_RHO] = 1 + (feature < 0 ? 0 : feature), [SK_ROLE_TAU2] = 1 + rhos,
                             [SK_ROLE_NOISE] = 1 + rhos, [SK_ROLE_GAMMA2] = 2 + rhos};
    *count = all_rhos ? rhos : 1;
    return t->m->estimate + first[t->role[axis]];
}

/* At an edge: within 0.2 % of the log range. */
static void set_at_bound(surekrig_estimate *e)
{
    double place = (log(e->value) - log(e->lower)) / (log(e->upper) - log(e->lower));
    e->at_bound = place < 0.002 ? -1 : place > 0.998 ? 1 : 0;
}

/* Where each searched estimate was searched, and whether it ended at an edge. */
static void report_bounds(const sk_training *t)
{
    for (int i = 0; i < t->axes; i++) {
        int64_t count;
        surekrig_estimate *e = estimates_of(t, i, &count);
        for (int64_t a = 0; a < count; a++, e++) {
            int64_t feature = t->rho_axis[i] < 0 ? a : t->rho_axis[i];
            double unit = t->role[i] == SK_ROLE_RHO ? t->rho_unit[feature] : 1;
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
        surekrig_estimate *e = m->estimate + m->info.estimates - 2 * m->data.l + q;
        e->lower = range->lower;
        e->upper = range->upper;
        set_at_bound(e);
    }
}

/* Leave-one-out scores over the batch in the user's units, responses pooled. */
static surekrig_status report_scores(sk_training *t, surekrig_error *error)
{
    surekrig_model *m = t->m;
    int64_t l = m->data.l, n = t->b * l;
    double *y = sk_doubles(3 * n), *mean = y + n, *sd = mean + n;
    if (!y)
        return sk_fail_memory(error, 24.0 * (double)n, "the training's scores");
    for (int64_t i = 0; i < n; i++) {
        int64_t q = i % l;
        double scale = m->data.noise ? 1 : m->scale[q]; /* with noise it is in the variance already */
        y[i] = m->data.y[t->row[i / l] * l + q];
        mean[i] = m->center[q] + t->mean[i];
        sd[i] = m->spread[q] * sqrt(scale * t->variance[i / l]);
    }
    surekrig_status status = surekrig_score(&(surekrig_scored){n, y, mean, sd}, 0.95, &m->info.scores, error);
    free(y);
    return status;
}

static surekrig_status report(sk_training *t, const sk_result *result, surekrig_error *error)
{
    surekrig_model *m = t->m;
    const sk_round *last = &result->round[result->rounds - 1];
    surekrig_status status = sk_model_shape(m, t->loss.levels, result->rounds, error);
    for (int i = 0; i < result->rounds && !status; i++)
        report_round(t, &result->round[i], &m->round[i]);
    if (status)
        return status;
    adopt(t, result->chosen, last);
    memcpy(m->level, t->loss.alpha, (size_t)t->loss.levels * sizeof(double));
    memcpy(m->coverage, t->verdict.coverage, (size_t)t->loss.levels * sizeof(double));
    m->info.loss = t->verdict.loss;
    m->info.evaluations = t->count;
    m->info.outcome = t->axes == 0 && result->outcome == SUREKRIG_CONVERGED ? SUREKRIG_NOT_TRAINED : result->outcome;
    for (int i = 0; i < m->info.estimates; i++)
        m->estimate[i].value = m->round[result->rounds - 1].theta[i];
    report_bounds(t);
    report_scale_bounds(t);
    t->ticker.progress = NULL; /* one more kriging, of the chosen theta, is not worth a report or a stop */
    t->ticker.stopped = false;
    status = sk_training_krige(t, error);
    for (int64_t i = 0; i < t->b && !status; i++) {
        m->info.jittered += t->jitter[i] > 0;
        m->info.max_jitter = fmax(m->info.max_jitter, t->jitter[i]);
    }
    return status ? status : report_scores(t, error);
}

static bool all_singular(const sk_training *t)
{
    for (int64_t i = 0; i < t->count; i++)
        if (t->evaluation[i])
            return false;
    return true;
}

static surekrig_status train(surekrig_model *m, const surekrig_progress *progress, surekrig_error *error)
{
    sk_training t;
    sk_result result = {0};
    surekrig_status status = sk_training_open(m, progress, &t, error);
    if (status)
        return status;
    double start = sk_now();
    sk_objective objective = sk_training_objective(&t);
    sk_plan plan = sk_plan_from(m->settings, t.axes, t.loss.levels, 1 / (double)t.b);
    if (t.loss.levels > 1) { /* in units of a mean loss; one level can always be met: docs/decisions.md */
        plan.beta_limit = 100;
        plan.lambda_limit = 10;
    }
    t.planned = plan.evaluations + 2 * plan.polish + 1;
    status = sk_minimize(&objective, &plan, &result, error);
    if (status == SUREKRIG_NUMERIC && all_singular(&t))
        sk_fail(error, status, "the covariances stay singular with jitter up to %g for each of %lld hyperparameters tried; "
                "give a larger nugget (tau2)", SK_JITTER_LIMIT, (long long)t.count);
    if (!status)
        status = report(&t, &result, error);
    m->phase[2].seconds = sk_now() - start;
    sk_result_free(&result);
    sk_training_close(&t);
    return status;
}

surekrig_status surekrig_fit(const surekrig_data *data, const surekrig_settings *settings,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_model *made = NULL;
    surekrig_settings *defaults = NULL;
    surekrig_status status = settings ? SUREKRIG_OK : surekrig_settings_new(&defaults, error);
    if (!status)
        status = sk_model_new(data, settings ? settings : defaults, &made, error);
    if (!status)
        status = train(made, progress, error);
    surekrig_settings_free(defaults);
    if (status)
        surekrig_model_free(made);
    else
        *model = made;
    return status;
}

static surekrig_status check_same_columns(const surekrig_data *data, const surekrig_model *from, surekrig_error *error)
{
    if (data->d != from->data.d || data->l != from->data.l)
        return sk_fail(error, SUREKRIG_DATA, "the data have %lld features and %lld responses, the model %lld and %lld",
                       (long long)data->d, (long long)data->l, (long long)from->data.d, (long long)from->data.l);
    return SUREKRIG_OK;
}

surekrig_status surekrig_refit(const surekrig_data *data, const surekrig_model *from, surekrig_model **model,
                               surekrig_error *error)
{
    surekrig_model *m = NULL;
    surekrig_status status = check_same_columns(data, from, error);
    if (!status)
        status = sk_model_new(data, from->settings, &m, error);
    if (!status)
        status = sk_model_shape(m, 0, 0, error);
    if (status) {
        surekrig_model_free(m);
        return status;
    }
    size_t l = (size_t)data->l * sizeof(double);
    m->nu = from->nu;
    m->tau2 = from->tau2;
    memcpy(m->rho, from->rho, (size_t)data->d * sizeof(double));
    memcpy(m->scale, from->scale, l);
    memcpy(m->center, from->center, l);
    memcpy(m->spread, from->spread, l);
    for (int i = 0; i < m->info.estimates; i++) { /* all but the names, which are the new data's */
        m->estimate[i].value = from->estimate[i].value;
        m->estimate[i].lower = from->estimate[i].lower;
        m->estimate[i].upper = from->estimate[i].upper;
        m->estimate[i].at_bound = from->estimate[i].at_bound;
    }
    m->info.outcome = SUREKRIG_NOT_TRAINED;
    m->info.loss = NAN;
    m->info.scores = (surekrig_scores){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    *model = m;
    return SUREKRIG_OK;
}
