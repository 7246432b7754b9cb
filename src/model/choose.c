/* auto = yes. One change after another is tried on held-out points like the targets; where it lowers their mean CRPS, the next
 * ones are tried on top of it. Of the models on this path the simplest, which is the earliest, is taken whose CRPS lies within
 * one standard error of the best (Breiman's rule), for what pays elsewhere in the data by less than that may cost in the
 * gaps; the error is that between regions of the data, since errors side by side go together. What the user has set is not
 * touched. Some things are not tried but taken, for they cost time alone: 100 neighbours, in sectors where there are
 * targets, covariances estimated from whole neighbourhoods (loss block), and intervals that are local and conformal. Every
 * trial is a short local search from what the best before it found; the model itself is trained in full afterwards. Where
 * seconds are set, the trials share one half of them and the training has the other. */
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 256, JUDGED = 2048, REGIONS = 16 }; /* a block of 100 neighbours says much: 256 are enough */
static const char NEIGHBORS[] = "100";
enum { ENOUGH = 200 }; /* points for conformal intervals: a hundred scores even where halved */

/* The changes, simplest first. */
static const struct { const char *name, *value; } CHANGES[] = {
    {"mean", "local"}, {"mean", "trend"}, {"anisotropic", "yes"}, {"terms", "2"},
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
    int best;                              /* the trial with the least CRPS */
    bool alike;                            /* the features' extents are of one order */
    surekrig_settings *settings[SK_TRIALS]; /* of each trial on the path, with starts where it ended */
    judged by[SK_TRIALS];                   /* the points by which they were judged */
} contest;

static void free_judged(judged *j)
{
    free(j->row);
    free(j->target);
    free(j->crps);
    *j = (judged){0};
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
    return surekrig_settings_set(settings, "seconds", seconds, error);
}

/* For a trial: a small batch, likelihood alone, a short local search. */
static surekrig_status make_quick(surekrig_settings *settings, surekrig_error *error)
{
    static const struct { const char *name, *value; } QUICK[] = {
        {"coverage", "none"}, {"optimizer", "local"}, {"interval", "gaussian"}, {"evaluations", "40"}, {"polish", "0"}};
    surekrig_status status = SUREKRIG_OK;
    char batch[24];
    snprintf(batch, sizeof batch, "%d", settings->batch < BATCH ? (int)settings->batch : BATCH);
    for (size_t i = 0; i < sizeof QUICK / sizeof *QUICK && !status; i++)
        status = surekrig_settings_set(settings, QUICK[i].name, QUICK[i].value, error);
    if (!status)
        status = share_seconds(settings, 0.5 / (TRIED + 1), error);
    return status ? status : surekrig_settings_set(settings, "batch", batch, error);
}

/* Half of the held-out points say how wide intervals are, the other half how good they are. order: such that points near one
 * another follow one another; the others are judged in this order. */
static surekrig_status judge_points(const surekrig_model *m, const sk_holdout *h, const sk_errors *e, const int64_t *order,
                                    judged *out, surekrig_error *error)
{
    int64_t l = m->data.l, n = e->n / 2, at = 0;
    judged j = {n, sk_alloc(n, sizeof *j.row), sk_alloc(n, sizeof *j.target), sk_zeroed(n, sizeof *j.crps)};
    if (!j.row || !j.target || !j.crps) {
        free_judged(&j);
        return sk_fail_memory(error, 24.0 * (double)n, "the points that judge a model");
    }
    for (int64_t o = 0; o < e->n; o++) {
        int64_t i = order[o];
        if (i % 2 == 0)
            continue;
        j.row[at] = h->row[i];
        j.target[at] = h->target[i];
        for (int64_t q = 0; q < l; q++) {
            double sd = sqrt(sk_widths_variance(m, q, e->variance[i], e->scale[i * l + q]));
            j.crps[at] += sd * sk_crps(e->residual[i * l + q] / sd) / (double)l; /* (M10) */
        }
        at++;
    }
    *out = j;
    return SUREKRIG_OK;
}

/* Mean and standard error over regions: a REGIONS-th of the points each, or one where there are fewer. */
static void score_regions(const judged *j, surekrig_trial *trial)
{
    int64_t regions = j->n < REGIONS ? j->n : REGIONS;
    double mean = 0, squares = 0;
    for (int64_t r = 0; r < regions; r++) {
        int64_t begin = r * j->n / regions, end = (r + 1) * j->n / regions;
        double sum = 0;
        for (int64_t i = begin; i < end; i++)
            sum += j->crps[i] / (double)(end - begin);
        mean += sum / (double)regions;
        squares += sum * sum / (double)regions;
    }
    trial->crps = mean;
    trial->error = sqrt(fmax(squares - mean * mean, 0) / fmax((double)regions - 1, 1));
}

/* The mean CRPS as if by the points that judged the best so far. Where targets' surroundings are looked for, other settings
 * find them elsewhere, and how hard the points are would decide: so the two are compared on the points they share. */
static void compare(const contest *c, const judged *now, surekrig_trial *trial)
{
    const judged *before = &c->by[c->best];
    double sum[2] = {0, 0};
    score_regions(now, trial);
    for (int64_t i = 0; i < now->n; i++)
        for (int64_t j = 0; j < before->n; j++)
            if (before->row[j] == now->row[i] && before->target[j] == now->target[i]) {
                sum[0] += before->crps[j];
                sum[1] += now->crps[i];
            }
    if (sum[0] > 0 && trial->crps > 0) {
        double likewise = c->choice->trial[c->best].crps * sum[1] / sum[0];
        trial->error *= likewise / trial->crps;
        trial->crps = likewise;
    }
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
    int64_t *order = NULL;
    m->data.targets = data->targets;
    m->data.target = data->target;
    surekrig_status status = sk_holdout_new(m, (sk_holdout_wish){JUDGED, 2, NULL}, &h, error);
    if (!status && !(order = sk_alloc(h.n, sizeof *order)))
        status = sk_fail_memory(error, 8.0 * (double)h.n, "the regions");
    if (!status)
        status = sk_index_order(m->index, h.n, h.x, sk_thread_setting(m->settings), order, error);
    if (!status)
        status = sk_errors_new(m, h.n, SK_WANT_SCALE, &e, error);
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
        status = judge_points(m, &h, &e, order, by, error);
    m->data.target = NULL;
    m->data.targets = 0;
    sk_runner_close(&run);
    sk_errors_free(&e);
    sk_holdout_free(&h);
    free(order);
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
    return surekrig_settings_set(settings, name, range, error);
}

/* What begins with these settings begins where the model ended. Length scales of each axis have no start of their own. */
static surekrig_status remember_theta(surekrig_settings *settings, const surekrig_model *m, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < m->info.estimates && !status; i++) {
        const surekrig_estimate *e = &m->estimate[i];
        bool known = !strcmp(e->name, "nu") || (!strcmp(e->name, "rho") && m->settings->scaling != SK_SCALING_AXIS) ||
                     !strcmp(e->name, "long_share") || !strcmp(e->name, "long_ratio");
        if (known)
            status = start_from(settings, e->name, e, error);
    }
    return status;
}

/* Whether one length scale for all features is where a search of one for each may begin. */
static bool alike(const surekrig_model *m)
{
    double least = INFINITY, most = 0;
    for (int64_t a = 0; a < m->data.d; a++) {
        double side = m->frame.upper[a] - m->frame.lower[a];
        least = side > 0 ? fmin(least, side) : least;
        most = fmax(most, side);
    }
    return most <= 10 * least;
}

/* Takes the settings over: they are on the path where they are the best so far. */
static surekrig_status try_settings(contest *c, surekrig_settings *settings, const char *what, surekrig_error *error)
{
    surekrig_settings *quick = NULL;
    surekrig_model *m = NULL;
    judged by = {0};
    int number = c->choice->trials;
    surekrig_trial *trial = &c->choice->trial[number];
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
    if (!status)
        status = remember_theta(settings, m, error);
    if (!status) {
        c->alike = alike(m);
        snprintf(trial->what, sizeof trial->what, "%s", what);
        compare(c, &by, trial);
        trial->seconds = sk_now() - start;
        c->choice->trials++;
        if (number == 0 || trial->crps < c->choice->trial[c->best].crps) {
            c->by[number] = by;
            by = (judged){0};
            c->best = number;
            c->settings[number] = settings;
            settings = NULL;
        }
    }
    free_judged(&by);
    surekrig_model_free(m);
    surekrig_settings_free(quick);
    surekrig_settings_free(settings);
    return status;
}

/* L-BFGS has no derivatives of a trend, of two terms, or of whole neighbourhoods. */
static bool by_gradients(const contest *c)
{
    return c->asked->optimizer == SK_OPTIMIZER_LBFGS;
}

/* Whether a change makes sense: not the user's own setting, nothing that the user's optimiser cannot train, not for one axis. */
static bool sensible(const contest *c, const char *name, const char *value)
{
    if (sk_setting_given(c->asked, name) || (by_gradients(c) && (!strcmp(name, "terms") || !strcmp(value, "trend"))))
        return false;
    return strcmp(name, "anisotropic") || (c->data->d > 1 && !sk_setting_given(c->asked, "rho"));
}

static surekrig_status try_change(contest *c, const surekrig_settings *from, const char *name, const char *value,
                                  surekrig_error *error)
{
    surekrig_settings *changed = NULL;
    char what[48];
    snprintf(what, sizeof what, "%s = %s", name, value);
    surekrig_status status = sensible(c, name, value) ? sk_settings_copy(from, &changed, error) : SUREKRIG_OK;
    if (!changed)
        return status;
    status = surekrig_settings_set(changed, name, value, error);
    if (!status && !strcmp(name, "anisotropic") && !c->alike)
        status = surekrig_settings_set(changed, "rho", "auto", error); /* each axis has a range of its own */
    if (status) {
        surekrig_settings_free(changed);
        return status;
    }
    surekrig_error why = {0};
    status = try_settings(c, changed, what, &why);
    /* a variant that cannot be computed is not chosen: singular, or a trend in columns that depend on one another */
    if (status == SUREKRIG_NUMERIC || status == SUREKRIG_DATA)
        return SUREKRIG_OK;
    if (status && error)
        *error = why;
    return status;
}

/* The earliest on the path within one standard error of the best. */
static int simplest(const contest *c)
{
    const surekrig_trial *trial = c->choice->trial;
    for (int i = 0; i < c->best; i++)
        if (c->settings[i] && trial[i].crps <= trial[c->best].crps + trial[c->best].error)
            return i;
    return c->best;
}

/* A setting that the user has left alone. */
static surekrig_status take(const contest *c, surekrig_settings *settings, const char *name, const char *value,
                            surekrig_error *error)
{
    return sk_setting_given(c->asked, name) ? SUREKRIG_OK : surekrig_settings_set(settings, name, value, error);
}

/* What every trial begins with. */
static surekrig_status make_plain(const contest *c, surekrig_settings *settings, surekrig_error *error)
{
    surekrig_status status = surekrig_settings_set(settings, "auto", "no", error);
    if (!status && c->data->n > 4 * atoll(NEIGHBORS))
        status = take(c, settings, "neighbors", NEIGHBORS, error);
    if (!status && c->data->targets > 0)
        status = take(c, settings, "sectors", "yes", error);
    return status ? status : take(c, settings, "loss", by_gradients(c) ? "lool" : "block", error);
}

static surekrig_status finish(contest *c, int chosen, surekrig_error *error)
{
    surekrig_settings *settings = c->settings[chosen];
    surekrig_status status = SUREKRIG_OK;
    c->settings[chosen] = NULL;
    c->choice->settings = settings;
    for (int i = 0; i <= chosen; i++) /* it stands on those before it */
        c->choice->trial[i].kept = i == chosen || c->settings[i];
    if (c->data->n >= ENOUGH)
        status = take(c, settings, "interval", "conformal", error);
    if (!status && !strcmp(surekrig_settings_get(settings, "interval"), "conformal"))
        status = take(c, settings, "coverage", "none", error); /* held-out points set it: theta need not */
    if (!status && c->data->n >= ENOUGH && !c->data->noise)
        status = take(c, settings, "variance", "local", error);
    if (!status)
        status = take(c, settings, "optimizer", "local", error); /* it starts from what was found */
    return status ? status : share_seconds(settings, 0.5, error); /* the trials had the other half */
}

surekrig_status sk_choose(const surekrig_data *data, const surekrig_settings *asked, const surekrig_progress *progress,
                          sk_choice *choice, surekrig_error *error)
{
    contest c = {.data = data, .asked = asked, .progress = progress, .choice = choice};
    surekrig_settings *plain = NULL;
    double start = sk_now();
    surekrig_status status = sk_settings_copy(asked, &plain, error);
    if (!status)
        status = make_plain(&c, plain, error);
    if (status)
        surekrig_settings_free(plain);
    else
        status = try_settings(&c, plain, "plain", error);
    for (int i = 0; i < TRIED && !status && sk_now() - start < 0.5 * asked->seconds; i++)
        status = try_change(&c, c.settings[c.best], CHANGES[i].name, CHANGES[i].value, error);
    if (!status)
        status = finish(&c, simplest(&c), error);
    for (int i = 0; i < SK_TRIALS; i++) {
        surekrig_settings_free(c.settings[i]);
        free_judged(&c.by[i]);
    }
    return status;
}
