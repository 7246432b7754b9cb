/* auto = yes. One change after another is tried on held-out points like the targets; where it lowers their mean CRPS by
 * more than the standard error of that gain, the next ones are tried on top of it. Held-out points tell what is best
 * among the data, and less of what is best in the gaps, which may be unlike them: so the best model, or the earliest on
 * its path that is as good, is averaged in equal parts with the simplest on the path, the earliest, for which the
 * average's CRPS lies within one standard error of the best (Breiman's rule, of averages); the error is that between
 * regions of the data, since errors side by side go together. What the user has set is not touched. Some things are not
 * tried but taken, for they cost time alone: 100 neighbours, in sectors where there are targets, an unknown local mean,
 * covariances estimated from whole neighbourhoods (loss block; with many features and rows enough to judge by others
 * than those that train, lool is tried beside it), and intervals that are local and conformal. Where there is a time,
 * the product of space and time is the plain model, tried against Gneiting's covariance and against one distance for
 * both. Groups of features that the user has named are the first of the path, and are tried against one length scale a
 * feature and one for all. Every trial is a short local search from what the best before it found, or one by gradients
 * where each feature has a length scale or there are two terms; the models themselves are trained in full afterwards.
 * Where seconds are set, the trials share one half of them and the training has the other. */
#include "train/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double AS_GOOD = 1.01; /* times the best CRPS: less is not worth another model's time */

/* "lat,height" where lon and lat are on the sphere. */
static surekrig_status name_slopes(const surekrig_model *m, char **names, surekrig_error *error)
{
    size_t room = 1;
    if (!sk_metric_has_sphere(&m->metric))
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
static surekrig_status look_at_data(sk_contest *c, surekrig_settings *plain, surekrig_error *error)
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

/* The simplest model. Where two features plainly want a length scale each, that is it. */
static surekrig_status try_plain(sk_contest *c, surekrig_settings *plain, surekrig_error *error)
{
    surekrig_settings *longer = NULL;
    c->asks = sk_may_ask_longer(c->data, plain);
    surekrig_status status = c->asks ? sk_settings_copy(plain, &longer, error) : SUREKRIG_OK;
    if (status) {
        surekrig_settings_free(plain);
        return status;
    }
    status = sk_try_settings(c, plain, "plain", error);
    c->asks = false;
    if (!status && c->longer.plainly)
        status = sk_take_longer(&c->longer, longer, error);
    if (!status && c->longer.plainly)
        return sk_try_settings(c, longer, "plain", error);
    surekrig_settings_free(longer);
    return status;
}

static surekrig_status try_change(sk_contest *c, const sk_change *change, surekrig_error *error)
{
    const surekrig_settings *from = c->settings[c->best];
    surekrig_settings *changed = NULL;
    char what[48];
    snprintf(what, sizeof what, "%s = %s", change->name, change->value);
    bool possible = sk_change_fits(c, change) && !(!strcmp(change->name, "terms") && from->spacetime > SK_GEOMETRIC);
    surekrig_status status = possible ? sk_settings_copy(from, &changed, error) : SUREKRIG_OK;
    if (!changed)
        return status;
    status = sk_make_change(c, changed, change, error);
    if (status) {
        surekrig_settings_free(changed);
        return status;
    }
    surekrig_error why = {0};
    status = sk_try_settings(c, changed, what, &why);
    /* a variant that cannot be computed is not chosen: singular, or a trend in columns that depend on one another */
    if (status == SUREKRIG_NUMERIC || status == SUREKRIG_DATA)
        return SUREKRIG_OK;
    if (status && error)
        *error = why;
    return status;
}

/* Two models can be averaged where they share their neighbours, and both or neither have a factor of time. */
static bool same_neighbours(const sk_contest *c, int one, int other)
{
    const sk_start *a = &c->start[one], *b = &c->start[other];
    return a->side && b->side && a->hyper.time == b->hyper.time &&
           !memcmp(a->side, b->side, (size_t)a->hyper.d * sizeof(double));
}

/* The average of the chosen one and a simpler one on its path: reported as a trial where it is good enough. */
static surekrig_status try_average(sk_contest *c, int chosen, int simpler, bool *good, surekrig_error *error)
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
static surekrig_status settle(sk_contest *c, int *chosen, int *partner, surekrig_error *error)
{
    const surekrig_trial *trial = c->choice->trial;
    surekrig_status status = SUREKRIG_OK;
    *chosen = 0;
    *partner = -1;
    while (!c->settings[*chosen] || trial[*chosen].crps > AS_GOOD * trial[c->best].crps)
        ++*chosen;
    for (int i = 0; i < *chosen && !status && *partner < 0; i++) {
        bool good = false;
        if (c->settings[i] && same_neighbours(c, *chosen, i) && !sk_many_features(c))
            status = try_average(c, *chosen, i, &good, error);
        *partner = good ? i : -1;
    }
    return status;
}

/* share: of the seconds. */
static surekrig_status finish(sk_contest *c, int number, double share, surekrig_settings **out, surekrig_error *error)
{
    surekrig_status status = sk_make_full(c, number, share, error);
    if (!status) {
        *out = c->settings[number];
        c->settings[number] = NULL;
    }
    return status;
}

static surekrig_status choose(sk_contest *c, surekrig_error *error)
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

/* Where seconds are set: whether half of them are left. The first rank's clock counts. */
static bool has_time(const sk_contest *c, double start)
{
    double half = 0.5 * c->asked->seconds;
    return isinf(half) || sk_first_says(c->data->ranks, sk_now() - start < half);
}

surekrig_status sk_choose(const surekrig_data *data, const surekrig_settings *asked, const surekrig_progress *progress,
                          sk_choice *choice, surekrig_error *error)
{
    sk_contest c = {.data = data, .asked = asked, .progress = progress, .choice = choice};
    surekrig_settings *plain = NULL;
    double start = sk_now();
    surekrig_status status = sk_settings_copy(asked, &plain, error);
    if (!status)
        status = sk_make_plain(&c, plain, error);
    if (!status)
        status = look_at_data(&c, plain, error);
    c.planned = 1;
    for (const sk_change *change = sk_changes; change->name; change++)
        c.planned += sk_change_fits(&c, change);
    if (status)
        surekrig_settings_free(plain);
    else
        status = try_plain(&c, plain, error);
    for (const sk_change *change = sk_changes; change->name && !status && has_time(&c, start); change++)
        status = try_change(&c, change, error);
    if (!status)
        status = choose(&c, error);
    for (int i = 0; i < SK_TRIALS; i++) {
        surekrig_settings_free(c.settings[i]);
        sk_judged_free(&c.by[i]);
        sk_start_free(&c.start[i]);
    }
    sk_start_free(&c.before);
    free(c.slopes);
    sk_judges_free(&c.judges);
    return status;
}
