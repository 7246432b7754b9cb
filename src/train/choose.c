/* auto = yes. One change after another is tried on held-out points like the targets; where it lowers their mean CRPS
 * by more than the standard error of that gain, the next ones are tried on top of it. Held-out points tell what is
 * best among the data, and less of what is best in the gaps, which may be unlike them: so the best model, or the
 * earliest on its path that is as good, is averaged in equal parts with the simplest on the path, the earliest, for
 * which the average's CRPS lies within one standard error of the best (Breiman's rule, of averages); the error is that
 * between regions of the data, since errors side by side go together. What the user has set is not touched. Some
 * things are not tried but taken, for they cost time alone: 100 neighbours, in sectors where there are targets, an
 * unknown local mean, covariances estimated from whole neighbourhoods (loss block; with many features lool is tried
 * beside it), and intervals that are local and conformal. Where there is a time, the product of space and time is the
 * plain model, tried against Gneiting's covariance and against one distance for both. Groups of features that the user
 * has named are the first of the path, and are tried against one length scale a feature and one for all. Every trial
 * is a short local search from what the best before it found, or one by gradients where each feature has a length
 * scale or there are two terms; the models themselves are trained in full afterwards. Where seconds are set, the
 * trials share one half of them and the training has the other. */
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of 100 neighbours says much; of points alone 1024 are wanted. A trial is judged by other points, and trained on
 * the whole batch if it is chosen: it takes half of that for many length scales, and less for few. */
enum { BATCH = 512, FEW_SCALES = 160, ALONE = 1024 };
static const char NEIGHBORS[] = "100";
static const double AS_GOOD = 1.01; /* times the best CRPS: less is not worth another model's time */
static const double CLEARLY = 1;    /* standard errors of a gain */
enum { FEW = 500 };     /* points: the same ones train length scales of features and judge a trend beside them */
enum { ROWS_EACH = 3 }; /* for each coefficient of a trend: one that goes through all rows leaves intervals no width */
enum { MANY = 4 };      /* features: more are no places, to which a trend or a second term would belong */

/* The changes, simplest first. */
static const struct {
    const char *name, *value;
} CHANGES[] = {
    {"spacetime", "gneiting"},
    {"spacetime", "geometric"}, /* both beside time */
    {"mean", "trend"},
    {"anisotropic", "yes"},
    {"group", "none"},
    {"anisotropic", "no"}, /* the last two beside groups that are given */
    {"terms", "2"},
    {"loss", "lool"},
};
enum { TRIED = sizeof CHANGES / sizeof *CHANGES };
_Static_assert(TRIED + 2 <= SK_TRIALS, "the plain model, each change and an average are reported");

typedef struct contest {
    const surekrig_data *data;
    const surekrig_settings *asked;
    const surekrig_progress *progress;
    sk_choice *choice;
    int best;                  /* the trial with the least CRPS */
    int planned;               /* trials, at most */
    int64_t scales;            /* how many length scales there can be */
    bool time;                 /* one of them is time's */
    char *slopes;              /* on the sphere, what a trend is to be linear in; else NULL: all */
    bool grouped;              /* features have one in common because the user says so */
    bool by_feature;           /* each feature has a length scale without being asked */
    sk_start start[SK_TRIALS]; /* where it ended */
    bool alike; /* the features' extents are of one order: one length scale is where those of each may begin */
    sk_judges judges;
    surekrig_settings *settings[SK_TRIALS]; /* of each trial on the path, with starts where it ended */
    sk_judged by[SK_TRIALS];                /* what held-out points say of them */
} contest;

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

static bool by_blocks(const surekrig_settings *settings)
{
    return sk_loss_at(settings->loss)->needs_neighbors;
}

/* Of space times time there are none. */
static bool has_gradients(const surekrig_settings *settings)
{
    return settings->spacetime <= SK_GEOMETRIC;
}

/* For a trial: a small batch, likelihood alone, a short local search. */
static surekrig_status make_quick(const contest *c, surekrig_settings *settings, bool by_feature, surekrig_error *error)
{
    static const struct {
        const char *name, *value;
    } QUICK[] = {
        {"coverage", "none"}, {"optimizer", "local"}, {"interval", "gaussian"}, {"evaluations", "40"}, {"polish", "0"}};
    surekrig_status status = SUREKRIG_OK;
    char batch[24];
    int64_t enough = !by_blocks(settings) ? ALONE : c->by_feature ? BATCH / 2 : FEW_SCALES;
    snprintf(batch, sizeof batch, "%d", (int)(settings->batch < enough ? settings->batch : enough));
    for (size_t i = 0; i < sizeof QUICK / sizeof *QUICK && !status; i++)
        status = surekrig_settings_set(settings, QUICK[i].name, QUICK[i].value, error);
    if (!status)
        status = sk_settle(settings, "variance", "global", error);
    if (!status && (by_feature || settings->terms > 1) && has_gradients(settings)) { /* a simplex would not get there */
        status = surekrig_settings_set(settings, "optimizer", "lbfgs", error);
        if (!status)
            status = surekrig_settings_set(settings, "evaluations", "auto", error);
    }
    if (!status)
        status = share_seconds(settings, 0.5 / c->planned, error);
    return status ? status : surekrig_settings_set(settings, "batch", batch, error);
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

/* What begins with these settings begins where the model ended, as far as a hyperparameter is one number that is
 * searched as it is: an automatic nugget is not, and length scales of each axis have no start of their own. */
static surekrig_status remember_theta(surekrig_settings *settings, const surekrig_model *m, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    const sk_hyper_row *row;
    for (int r = 0; (row = sk_hyper_row_at(r)) && !status; r++) {
        bool scaled = r == SK_HYPER_RHO && m->scaling == SK_SCALING_AXIS;
        if (row->asked && r != SK_HYPER_TAU2 && !scaled && row->estimates(m) == 1)
            status = start_from(settings, row->name, &m->estimate[sk_hyper_first(m, row)], error);
    }
    return status;
}

/* Whether a trial with these settings has a length scale for each feature, as far as that is known before it. */
static bool asks_by_feature(const contest *c, const surekrig_settings *settings)
{
    return settings->anisotropic == SK_ANISOTROPIC_YES ||
           (settings->anisotropic == SK_ANISOTROPIC_AUTO && c->by_feature);
}

/* Two models can be averaged where they share their neighbours, and both or neither have a factor of time. */
static bool same_neighbours(const contest *c, int one, int other)
{
    const sk_start *a = &c->start[one], *b = &c->start[other];
    return a->side && b->side && a->hyper.time == b->hyper.time &&
           !memcmp(a->side, b->side, (size_t)a->hyper.d * sizeof(double));
}

/* Whether a trial goes on the path: it gains more on the best so far than chance would. */
static surekrig_status compare(const contest *c, const sk_judged *by, bool *better, surekrig_error *error)
{
    double gain = 0, chance = 0;
    surekrig_status status = SUREKRIG_OK;
    *better = c->choice->trials == 0;
    if (!*better) {
        status = sk_judged_gain(&c->judges, &c->by[c->best], by, &gain, &chance, error);
        *better = gain > CLEARLY * chance;
    }
    return status;
}

/* Takes the settings over: they are on the path where they are the best so far. */
static surekrig_status try_settings(contest *c, surekrig_settings *settings, const char *what, surekrig_error *error)
{
    surekrig_settings *quick = NULL;
    surekrig_model *m = NULL;
    sk_judged by = {0};
    int number = c->choice->trials;
    surekrig_trial *trial = &c->choice->trial[number];
    sk_part part = {c->progress, SK_CHOSEN * number / c->planned, SK_CHOSEN / c->planned};
    double start = sk_now();
    surekrig_status status = sk_settings_copy(settings, &quick, error);
    if (!status)
        status = make_quick(c, quick, asks_by_feature(c, settings), error);
    if (!status)
        status = sk_fit_plain(c->data, quick, (sk_fitting){.start = number ? &c->start[c->best] : NULL, .trial = true},
                              sk_part_of(&part), &m, error);
    if (!status && m->info.outcome == SUREKRIG_STOPPED_EARLY)
        status = sk_fail(error, SUREKRIG_STOPPED, "stopped while settings were still being chosen");
    if (!status)
        status = sk_try_model(&c->judges, m, c->data, &by, error);
    if (!status)
        status = sk_judged_score(&c->judges, &by, NULL, trial, error);
    bool better = false;
    if (!status)
        status = compare(c, &by, &better, error);
    if (!status)
        status = remember_theta(settings, m, error);
    if (!status) {
        c->alike = m->scaling != SK_SCALING_AXIS && sk_frame_alike(&m->frame);
        status = sk_start_at(m, &c->start[number], error);
    }
    if (!status) {
        snprintf(trial->what, sizeof trial->what, "%s", what);
        trial->seconds = sk_now() - start;
        c->choice->trials++;
        if (better) {
            c->by[number] = by;
            by = (sk_judged){0};
            c->best = number;
            c->settings[number] = settings;
            settings = NULL;
        }
    }
    sk_judged_free(&by);
    surekrig_model_free(m);
    surekrig_settings_free(quick);
    surekrig_settings_free(settings);
    return status;
}

static bool by_gradients(const contest *c)
{
    return c->asked->optimizer == SK_OPTIMIZER_LBFGS;
}

/* Such data want more neighbours (widen.c) rather than two models. */
static bool many_features(const contest *c)
{
    return c->by_feature && c->data->d > MANY;
}

/* Whether a change of the length scales does: one for each feature, or for all, beside what the data or the user's
 * groups ask for. */
static bool other_scales(const contest *c, const char *name, const char *value)
{
    if (sk_setting_given(c->asked, "rho") || sk_setting_given(c->asked, "anisotropic"))
        return false;
    if (!strcmp(name, "group"))
        return c->grouped;
    return !strcmp(value, "no") ? c->grouped && c->by_feature : !c->grouped && c->scales > 1 && !c->by_feature;
}

/* Whether there are rows enough that a trend does not take their errors for its own. */
static bool enough_for_trend(const contest *c)
{
    return c->data->n >= (c->by_feature ? FEW : ROWS_EACH * (c->data->d + 1));
}

/* Whether a change makes sense: not the user's own setting, but that the groups are one of several; not for one
 * axis. */
static bool sensible(const contest *c, const char *name, const char *value)
{
    if (!strcmp(name, "anisotropic") || !strcmp(name, "group"))
        return other_scales(c, name, value);
    bool spacetime = !strcmp(name, "spacetime");
    if (sk_setting_given(c->asked, name) || (by_gradients(c) && spacetime))
        return false;
    if (spacetime)
        return c->time && c->asked->terms == 1;
    if (!strcmp(name, "mean") && !enough_for_trend(c))
        return false;
    if (many_features(c)) /* a trend and two terms are for places, not for many features */
        return !strcmp(name, "loss");
    return strcmp(name, "loss") != 0; /* whole neighbourhoods say more of places */
}

/* What goes with a change. A trend on the sphere: not in longitude, where it would have a seam. One length scale for
 * each feature where there were groups: two alike would have one by themselves. */
static surekrig_status make_change(const contest *c, surekrig_settings *settings, const char *name, const char *value,
                                   surekrig_error *error)
{
    surekrig_status status = surekrig_settings_set(settings, name, value, error);
    if (!status && !strcmp(name, "mean") && c->slopes && !sk_setting_given(c->asked, "trend"))
        status = surekrig_settings_set(settings, "trend", c->slopes, error);
    if (!status && !strcmp(name, "group") && !c->by_feature)
        status = surekrig_settings_set(settings, "anisotropic", "yes", error);
    if (!status && !strcmp(value, "no") && c->time)
        status = surekrig_settings_set(settings, "spacetime", "geometric", error);
    if (!status && (!strcmp(name, "group") || !strcmp(name, "anisotropic")) && !c->alike)
        status = surekrig_settings_set(settings, "rho", "auto", error); /* each axis has a range of its own */
    return status;
}

static surekrig_status try_change(contest *c, const surekrig_settings *from, const char *name, const char *value,
                                  surekrig_error *error)
{
    surekrig_settings *changed = NULL;
    char what[48];
    snprintf(what, sizeof what, "%s = %s", name, value);
    bool possible = sensible(c, name, value) && !(!strcmp(name, "terms") && from->spacetime > SK_GEOMETRIC);
    surekrig_status status = possible ? sk_settings_copy(from, &changed, error) : SUREKRIG_OK;
    if (!changed)
        return status;
    status = make_change(c, changed, name, value, error);
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

/* The average of the chosen one and a simpler one on its path: reported as a trial where it is good enough. */
static surekrig_status try_average(contest *c, int chosen, int simpler, bool *good, surekrig_error *error)
{
    const surekrig_trial *best = &c->choice->trial[c->best];
    surekrig_trial average = {.kept = 1};
    double start = sk_now();
    surekrig_status status = sk_judged_score(&c->judges, &c->by[chosen], &c->by[simpler], &average, error);
    if (status)
        return status;
    *good = average.crps <= best->crps + best->error;
    snprintf(average.what, sizeof average.what, "average with %.30s", c->choice->trial[simpler].what);
    average.seconds = sk_now() - start;
    if (*good)
        c->choice->trial[c->choice->trials++] = average;
    return SUREKRIG_OK;
}

/* The simplest that is as good as the best, and what it is averaged with, or -1. */
static surekrig_status settle(contest *c, int *chosen, int *partner, surekrig_error *error)
{
    const surekrig_trial *trial = c->choice->trial;
    surekrig_status status = SUREKRIG_OK;
    *chosen = 0;
    *partner = -1;
    while (!c->settings[*chosen] || trial[*chosen].crps > AS_GOOD * trial[c->best].crps)
        ++*chosen;
    for (int i = 0; i < *chosen && !status && *partner < 0; i++) {
        bool good = false;
        if (c->settings[i] && same_neighbours(c, *chosen, i) && !many_features(c))
            status = try_average(c, *chosen, i, &good, error);
        *partner = good ? i : -1;
    }
    return status;
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
    bool plane = c->data->d == 2 && c->data->n >= SK_ENOUGH;
    if (!status)
        status = sk_settle(settings, "sectors", c->data->targets > 0 || plane ? "yes" : "no", error);
    if (!status)
        status = take(c, settings, "mean", "local", error);
    return status ? status : take(c, settings, "loss", "block", error);
}

/* The settings of a trial on the path, now for training in full. share: of the seconds. */
static surekrig_status finish(contest *c, int number, double share, surekrig_settings **out, surekrig_error *error)
{
    surekrig_settings *settings = c->settings[number];
    surekrig_status status = SUREKRIG_OK;
    if (c->data->n >= SK_ENOUGH)
        status = take(c, settings, "interval", "conformal", error);
    if (!status && !strcmp(surekrig_settings_get(settings, "interval"), "conformal"))
        status = take(c, settings, "coverage", "none", error); /* held-out points set it: theta need not */
    if (!status && c->data->n >= SK_ENOUGH && !c->data->noise)
        status = take(c, settings, "variance", "local", error);
    if (!status)
        status = sk_settle(settings, "variance", "global", error);
    if (!status)
        status = sk_settle(settings, "interval", "gaussian", error);
    if (!status)
        status = sk_settle(settings, "coverage", SK_FIVE_LEVELS, error);
    char batch[24];
    snprintf(batch, sizeof batch, "%d", by_blocks(settings) ? BATCH : ALONE);
    const struct {
        const char *name, *value;
    } LAST[] = {                        /* it starts from what was found, and ends where it converges */
                {"optimizer", "local"}, /* or by gradients, where there are any and no steps of a coverage */
                {"polish", "0"},
                {"evaluations", "300"},
                {"batch", batch}};
    bool smooth = c->start[number].by_feature || settings->terms > 1 || settings->coverage.count == 0;
    bool gradients = smooth && has_gradients(settings);
    for (size_t i = gradients ? 2 : 0; i < sizeof LAST / sizeof *LAST && !status; i++)
        status = take(c, settings, LAST[i].name, LAST[i].value, error);
    if (!status)
        status = share_seconds(settings, share, error);
    if (status)
        return status;
    c->settings[number] = NULL;
    *out = settings;
    return SUREKRIG_OK;
}

/* "lat,height" where lon and lat are on the sphere. */
static surekrig_status name_slopes(const surekrig_model *m, char **names, surekrig_error *error)
{
    size_t room = 1;
    if (m->metric.same)
        return SUREKRIG_OK;
    for (int64_t a = 0; a < m->data.d; a++)
        room += strlen(m->data.x_names[a]) + 1;
    *names = sk_zeroed((int64_t)room, 1);
    if (!*names)
        return sk_fail_memory(error, (double)room, "the trend's columns");
    for (int64_t a = 0; a < m->data.d; a++)
        if (a != m->metric.part[0].feature[0]) {
            strcat(*names, **names ? "," : "");
            strcat(*names, m->data.x_names[a]);
        }
    return SUREKRIG_OK;
}

/* Whether the data ask for a length scale of each feature, and for the sphere: only a model of them knows. */
static surekrig_status look_at_data(contest *c, surekrig_settings *plain, surekrig_error *error)
{
    surekrig_model *m = NULL;
    surekrig_status status = sk_model_new(c->data, plain, &m, error);
    if (!status) {
        c->by_feature = m->anisotropic;
        c->scales = m->metric.parts;
        c->time = m->metric.time >= 0;
        c->grouped = strcmp(sk_setting_names(plain, "group"), "none") != 0;
        status = name_slopes(m, &c->slopes, error);
    }
    if (!status)
        status = surekrig_settings_set(plain, "sphere", sk_setting_names(m->settings, "sphere"), error);
    if (!status)
        status = surekrig_settings_set(plain, "spacetime", surekrig_settings_get(m->settings, "spacetime"), error);
    surekrig_model_free(m);
    return status;
}

static surekrig_status choose(contest *c, surekrig_error *error)
{
    int chosen, partner;
    surekrig_status status = settle(c, &chosen, &partner, error);
    for (int i = 0; i < chosen && !status; i++) /* it stands on those before it */
        c->choice->trial[i].kept = c->settings[i] != NULL;
    if (!status)
        c->choice->trial[chosen].kept = 1;
    double share = partner < 0 ? 0.5 : 0.25; /* the trials had one half */
    if (!status)
        status = finish(c, chosen, share, &c->choice->settings, error);
    if (!status && partner >= 0)
        status = finish(c, partner, share, &c->choice->partner, error);
    c->choice->start = c->start[chosen];
    c->start[chosen] = (sk_start){0};
    if (partner >= 0) {
        c->choice->beside = c->start[partner];
        c->start[partner] = (sk_start){0};
    }
    return status;
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
    if (!status)
        status = look_at_data(&c, plain, error);
    c.planned = 1;
    for (int i = 0; i < TRIED; i++)
        c.planned += sensible(&c, CHANGES[i].name, CHANGES[i].value);
    if (status)
        surekrig_settings_free(plain);
    else
        status = try_settings(&c, plain, "plain", error);
    for (int i = 0; i < TRIED && !status && sk_now() - start < 0.5 * asked->seconds; i++)
        status = try_change(&c, c.settings[c.best], CHANGES[i].name, CHANGES[i].value, error);
    if (!status)
        status = choose(&c, error);
    for (int i = 0; i < SK_TRIALS; i++) {
        surekrig_settings_free(c.settings[i]);
        sk_judged_free(&c.by[i]);
        sk_start_free(&c.start[i]);
    }
    free(c.slopes);
    sk_judges_free(&c.judges);
    return status;
}
