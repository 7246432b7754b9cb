/* auto = yes: one change after another is tried on held-out points like the targets, and kept where it lowers their mean
 * CRPS by what it is worth. What the user has set is not touched. Every trial is a short local search by likelihood alone
 * from what the best before it found; the model itself is trained in full afterwards. Where seconds are set, the trials
 * share one half of them and the training has the other. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 512, JUDGED = 2048, ENOUGH = 200 }; /* points for conformal intervals: a hundred scores even where halved */

/* The changes in the order they are tried, and what share of the CRPS each must gain: 1 % for more to estimate or to
 * compute, nothing for widths that follow the neighbours, which cost nothing. */
static const struct { const char *name, *value; double worth; } CHANGES[] = {
    {"mean", "local", 0.01}, {"sectors", "yes", 0.01},     {"neighbors", "100", 0.01}, {"mean", "trend", 0.01},
    {"terms", "2", 0.01},    {"anisotropic", "yes", 0.01}, {"variance", "local", 0},
};
enum { TRIED = sizeof CHANGES / sizeof *CHANGES };
_Static_assert(TRIED + 1 <= SK_TRIALS, "the plain model and each change are reported");

/* Points that judged a model: those of two models with the same row and target are the same. */
typedef struct judged {
    int64_t n;
    int64_t *row, *target; /* [n] */
    double *crps;          /* [n] mean over the responses (M10) */
} judged;

typedef struct contest {
    const surekrig_data *data;
    const surekrig_settings *asked;
    const surekrig_progress *progress;
    sk_choice *choice;
    double best;   /* CRPS of the settings in choice, so far */
    judged by;     /* the points it was judged by */
} contest;

static void free_judged(judged *j)
{
    free(j->row);
    free(j->target);
    free(j->crps);
    *j = (judged){0};
}

static surekrig_status set(surekrig_settings *settings, const char *name, const char *value, surekrig_error *error)
{
    return surekrig_settings_set(settings, name, value, error);
}

/* Where training has only so many seconds, this share of them. */
static surekrig_status share_seconds(surekrig_settings *settings, double share, surekrig_error *error)
{
    char seconds[32];
    if (isinf(settings->seconds))
        return SUREKRIG_OK;
    sk_plain_locale locale = sk_enter_plain_locale();
    snprintf(seconds, sizeof seconds, "%.17g", fmax(share * settings->seconds, 1e-3));
    sk_leave_plain_locale(&locale);
    return set(settings, "seconds", seconds, error);
}

/* For a trial: a small batch, likelihood alone, a short local search. */
static surekrig_status make_quick(surekrig_settings *settings, surekrig_error *error)
{
    static const struct { const char *name, *value; } QUICK[] = {
        {"coverage", "none"}, {"optimizer", "local"}, {"interval", "gaussian"}, {"polish", "0"}};
    surekrig_status status = SUREKRIG_OK;
    char batch[24];
    snprintf(batch, sizeof batch, "%d", settings->batch < BATCH ? (int)settings->batch : BATCH);
    for (size_t i = 0; i < sizeof QUICK / sizeof *QUICK && !status; i++)
        status = set(settings, QUICK[i].name, QUICK[i].value, error);
    if (!status)
        status = share_seconds(settings, 0.5 / (TRIED + 1), error);
    return status ? status : set(settings, "batch", batch, error);
}

/* Half of the held-out points say how wide intervals are, the other half how good they are: CRPS (M10). */
static surekrig_status judge_points(const surekrig_model *m, const sk_holdout *h, const sk_errors *e, judged *out,
                                    surekrig_error *error)
{
    int64_t l = m->data.l, n = e->n / 2;
    judged j = {n, sk_alloc(n, sizeof *j.row), sk_alloc(n, sizeof *j.target), sk_zeroed(n, sizeof *j.crps)};
    if (!j.row || !j.target || !j.crps) {
        free_judged(&j);
        return sk_fail_memory(error, 24.0 * (double)n, "the points that judge a model");
    }
    for (int64_t at = 0, i = 1; at < n; at++, i += 2) {
        j.row[at] = h->row[i];
        j.target[at] = h->target[i];
        for (int64_t q = 0; q < l; q++) {
            double sd = sqrt(sk_widths_variance(m, q, e->variance[i], e->scale[i * l + q]));
            double z = e->residual[i * l + q] / sd;
            j.crps[at] += sd * (z * erf(z * M_SQRT1_2) + 2 * exp(-z * z / 2) / sqrt(2 * M_PI) - 1 / sqrt(M_PI)) / (double)l;
        }
    }
    *out = j;
    return SUREKRIG_OK;
}

/* The mean CRPS as if by the points that judged the best so far. Where targets' surroundings are looked for, other settings
 * find them elsewhere, and how hard the points are would decide: so the two are compared on the points they share. */
static double compare(const contest *c, const judged *now)
{
    double sum[2] = {0, 0}, all = 0;
    for (int64_t i = 0; i < now->n; i++) {
        all += now->crps[i] / (double)now->n;
        for (int64_t j = 0; j < c->by.n; j++)
            if (c->by.row[j] == now->row[i] && c->by.target[j] == now->target[i]) {
                sum[0] += c->by.crps[j];
                sum[1] += now->crps[i];
            }
    }
    return sum[0] > 0 ? c->best * sum[1] / sum[0] : all;
}

/* gamma2 as the held-out points themselves want it, so that models are compared by their shapes. */
static void match_scale(surekrig_model *m, const sk_errors *e)
{
    int64_t l = m->data.l;
    for (int64_t q = 0; q < l && !m->data.noise; q++) {
        double sum = 0;
        for (int64_t i = 0; i < e->n; i += 2)
            sum += e->residual[i * l + q] * e->residual[i * l + q] / e->variance[i];
        m->scale[q] = sum / (double)((e->n + 1) / 2);
    }
}

static surekrig_status judge(surekrig_model *m, const surekrig_data *data, judged *by, surekrig_error *error)
{
    sk_holdout h = {0};
    sk_errors e = {0};
    sk_runner run = {0};
    m->data.targets = data->targets;
    m->data.target = data->target;
    surekrig_status status = sk_holdout_new(m, (sk_holdout_wish){JUDGED, 2, NULL}, &h, error);
    if (!status)
        status = sk_errors_new(m, h.n, true, &e, error);
    if (!status)
        status = sk_runner_open(m, &run, error);
    if (!status)
        status = sk_errors_fill(m, &h, &run, &e, error);
    if (!status)
        match_scale(m, &e);
    sk_widths_free(&m->widths);
    if (!status && m->settings->variance != SK_VARIANCE_GLOBAL)
        status = sk_widths_train(m, &e, error);
    if (!status)
        status = judge_points(m, &h, &e, by, error);
    m->data.target = NULL;
    m->data.targets = 0;
    sk_runner_close(&run);
    sk_errors_free(&e);
    sk_holdout_free(&h);
    return status;
}

/* A searched parameter's range with the value found as its start. */
static surekrig_status start_from(surekrig_settings *settings, const char *name, const surekrig_estimate *e,
                                  surekrig_error *error)
{
    char range[96];
    if (isnan(e->lower) || !(e->value >= e->lower && e->value <= e->upper))
        return SUREKRIG_OK;
    sk_plain_locale locale = sk_enter_plain_locale();
    snprintf(range, sizeof range, "%.17g:%.17g:%.17g", e->lower, e->value, e->upper);
    sk_leave_plain_locale(&locale);
    return set(settings, name, range, error);
}

/* The next trials begin where this one ended. Length scales of each axis have no start of their own in the settings. */
static surekrig_status remember_theta(contest *c, const surekrig_model *m, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < m->info.estimates && !status; i++) {
        const surekrig_estimate *e = &m->estimate[i];
        bool known = !strcmp(e->name, "nu") || (!strcmp(e->name, "rho") && m->settings->scaling != SK_SCALING_AXIS) ||
                     !strcmp(e->name, "long_share") || !strcmp(e->name, "long_ratio");
        if (known)
            status = start_from(c->choice->settings, e->name, e, error);
    }
    return status;
}

/* These settings are the best so far; takes the points they were judged by. */
static surekrig_status keep(contest *c, const surekrig_settings *settings, const surekrig_model *m, judged *by,
                            surekrig_error *error)
{
    surekrig_settings *copy = NULL;
    surekrig_status status = sk_settings_copy(settings, &copy, error);
    if (status)
        return status;
    surekrig_settings_free(c->choice->settings);
    c->choice->settings = copy;
    c->best = c->choice->trial[c->choice->trials - 1].crps;
    free_judged(&c->by);
    c->by = *by;
    *by = (judged){0};
    return remember_theta(c, m, error);
}

static surekrig_status try_settings(contest *c, const surekrig_settings *settings, const char *what, double worth,
                                    surekrig_error *error)
{
    surekrig_settings *quick = NULL;
    surekrig_model *m = NULL;
    judged by = {0};
    surekrig_trial *trial = &c->choice->trial[c->choice->trials];
    double start = sk_now();
    surekrig_status status = sk_settings_copy(settings, &quick, error);
    if (!status)
        status = make_quick(quick, error);
    if (!status)
        status = sk_fit_plain(c->data, quick, c->progress, &m, error);
    if (!status && m->info.outcome == SUREKRIG_STOPPED_EARLY)
        status = sk_fail(error, SUREKRIG_STOPPED, "stopped while settings were still being chosen");
    if (!status)
        status = judge(m, c->data, &by, error);
    if (!status) {
        snprintf(trial->what, sizeof trial->what, "%s", what);
        trial->crps = compare(c, &by);
        trial->kept = trial->crps < (1 - worth) * c->best;
        trial->seconds = sk_now() - start;
        c->choice->trials++;
        if (trial->kept)
            status = keep(c, settings, m, &by, error);
    }
    free_judged(&by);
    surekrig_model_free(m);
    surekrig_settings_free(quick);
    return status;
}

/* Whether a change makes sense: not the user's own setting, not more neighbours than points, not one axis. */
static bool sensible(const contest *c, const char *name, const char *value)
{
    if (sk_setting_given(c->asked, name))
        return false;
    if (!strcmp(name, "neighbors"))
        return c->data->n > 4 * atoll(value);
    if (!strcmp(name, "anisotropic"))
        return c->data->d > 1 && !sk_setting_given(c->asked, "rho");
    if (!strcmp(name, "variance"))
        return !c->data->noise;
    return true;
}

static surekrig_status try_change(contest *c, int number, surekrig_error *error)
{
    const char *name = CHANGES[number].name, *value = CHANGES[number].value;
    double worth = CHANGES[number].worth;
    surekrig_settings *changed = NULL;
    char what[48];
    snprintf(what, sizeof what, "%s = %s", name, value);
    surekrig_status status = sk_settings_copy(c->choice->settings, &changed, error);
    if (!status)
        status = set(changed, name, value, error);
    if (!status && !strcmp(name, "anisotropic") && !sk_setting_given(c->asked, "rho"))
        status = set(changed, "rho", "auto", error); /* each axis has a range of its own */
    if (!status)
        status = try_settings(c, changed, what, worth, error);
    surekrig_settings_free(changed);
    /* a variant that cannot be computed is not chosen: singular, or a trend in columns that depend on one another */
    return status == SUREKRIG_NUMERIC || status == SUREKRIG_DATA ? SUREKRIG_OK : status;
}

surekrig_status sk_choose(const surekrig_data *data, const surekrig_settings *asked, const surekrig_progress *progress,
                          sk_choice *choice, surekrig_error *error)
{
    contest c = {.data = data, .asked = asked, .progress = progress, .choice = choice, .best = INFINITY};
    surekrig_status status = sk_settings_copy(asked, &choice->settings, error);
    if (!status)
        status = set(choice->settings, "auto", "no", error);
    if (!status)
        status = try_settings(&c, choice->settings, "as set", 0, error);
    for (int i = 0; i < TRIED && !status; i++)
        if (sensible(&c, CHANGES[i].name, CHANGES[i].value))
            status = try_change(&c, i, error);
    free_judged(&c.by);
    if (!status && !sk_setting_given(asked, "interval") && data->n >= ENOUGH)
        status = set(choice->settings, "interval", "conformal", error);
    if (!status && !sk_setting_given(asked, "optimizer"))
        status = set(choice->settings, "optimizer", "local", error); /* it starts from what was found */
    if (!status)
        status = share_seconds(choice->settings, 0.5, error); /* the trials had the other half */
    return status;
}
