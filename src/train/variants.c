/* The settings that auto = yes tries: what every trial begins with, the changes and what goes with each, what makes a
 * trial quick, and what the chosen ones are trained with. What the user has set is not touched. */
#include "train/contest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block of 100 neighbours says much; of points alone 1024 are wanted. A trial is judged by other points, and trained on
 * the whole batch if it is chosen: it takes half of that for many length scales, and less for few. */
enum { BATCH = 512, FEW_SCALES = 160, ALONE = 1024 };
static const char NEIGHBORS[] = "100";
enum { FEW = 500 }; /* points: the same ones train length scales of features and judge a trend or a loss beside them */
enum { ROWS_EACH = 3 }; /* for each coefficient of a trend: one that goes through all rows leaves intervals no width */
enum { MANY = 4 };      /* features: more are no places, to which a trend or a second term would belong */

const sk_change sk_changes[] = {
    {"spacetime", "gneiting"},
    {"spacetime", "geometric"}, /* both beside time */
    {"mean", "trend"},
    {"mean", "constant"}, /* where a series is to be continued */
    {"anisotropic", "yes"},
    {"group", "none"},
    {"anisotropic", "no"}, /* the last two beside groups that are given */
    {"terms", "2"},
    {"loss", "lool"},
    {NULL, NULL},
};
_Static_assert(sizeof sk_changes / sizeof *sk_changes + 1 <= SK_TRIALS,
               "the plain model, each change and an average are reported");

/* A setting that the user has left alone. */
static surekrig_status take(const sk_contest *c, surekrig_settings *settings, const char *name, const char *value,
                            surekrig_error *error)
{
    return sk_setting_given(c->asked, name) ? SUREKRIG_OK : surekrig_settings_set(settings, name, value, error);
}

/* ------------------------------------------------------------------------------------------ the plain one, changes */

surekrig_status sk_make_plain(const sk_contest *c, surekrig_settings *settings, surekrig_error *error)
{
    surekrig_status status = surekrig_settings_set(settings, "auto", "no", error);
    if (!status && c->data->n > 4 * atoll(NEIGHBORS))
        status = take(c, settings, "neighbors", NEIGHBORS, error);
    bool plane = c->data->d == 2 && c->data->n >= SK_ENOUGH;
    if (!status)
        status = sk_settle(settings, "sectors", c->data->targets > 0 || plane ? "yes" : "no", error);
    if (!status)
        status = take(c, settings, "mean", "local", error);
    if (!status)
        status = sk_settle_scales(c->data, settings, error);
    return status ? status : take(c, settings, "loss", "block", error);
}

static bool by_gradients(const sk_contest *c)
{
    return c->asked->optimizer == SK_OPTIMIZER_LBFGS;
}

bool sk_many_features(const sk_contest *c)
{
    return (c->by_feature || sk_few_for_scales(c->data, c->asked)) && c->data->d > MANY;
}

/* Whether a change of the length scales does: one for each feature, or for all, beside what the data or the user's
 * groups ask for. */
static bool other_scales(const sk_contest *c, const sk_change *change)
{
    if (sk_setting_given(c->asked, "rho") || sk_setting_given(c->asked, "anisotropic") || c->longer.plainly ||
        sk_few_for_scales(c->data, c->asked))
        return false;
    if (!strcmp(change->name, "group"))
        return c->grouped;
    return !strcmp(change->value, "no") ? c->grouped && c->by_feature : !c->grouped && c->scales > 1 && !c->by_feature;
}

/* Whether there are rows enough that a trend does not take their errors for its own. */
static bool enough_for_trend(const sk_contest *c)
{
    return c->data->n >= (c->by_feature ? FEW : ROWS_EACH * (c->data->d + 1));
}

bool sk_change_fits(const sk_contest *c, const sk_change *change)
{
    const char *name = change->name;
    if (!strcmp(name, "anisotropic") || !strcmp(name, "group"))
        return other_scales(c, change);
    bool spacetime = !strcmp(name, "spacetime");
    if (sk_setting_given(c->asked, name) || (by_gradients(c) && spacetime))
        return false;
    if (spacetime)
        return c->time && c->asked->terms == 1;
    if (!strcmp(change->value, "constant"))
        return sk_series_goes_on(c);
    if (!strcmp(name, "mean") && !enough_for_trend(c))
        return false;
    if (!strcmp(name, "loss")) /* whole neighbourhoods say more of places */
        return sk_many_features(c) && c->data->n >= FEW;
    return !sk_many_features(c); /* a trend and two terms are for places */
}

/* What goes with a change. A trend on the sphere: not in longitude, where it would have a seam. One length scale for
 * each feature where there were groups: two alike would have one by themselves. */
surekrig_status sk_make_change(const sk_contest *c, surekrig_settings *settings, const sk_change *change,
                               surekrig_error *error)
{
    const char *name = change->name;
    surekrig_status status = surekrig_settings_set(settings, name, change->value, error);
    if (!status && !strcmp(change->value, "trend") && c->slopes && !sk_setting_given(c->asked, "trend"))
        status = surekrig_settings_set(settings, "trend", c->slopes, error);
    if (!status && !strcmp(name, "group") && !c->by_feature)
        status = surekrig_settings_set(settings, "anisotropic", "yes", error);
    if (!status && !strcmp(change->value, "no") && c->time)
        status = surekrig_settings_set(settings, "spacetime", "geometric", error);
    if (!status && (!strcmp(name, "group") || !strcmp(name, "anisotropic")) && !c->alike)
        status = surekrig_settings_set(settings, "rho", "auto", error); /* each axis has a range of its own */
    return status;
}

/* ----------------------------------------------------------------------------------------------- a trial, in full */

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

/* Whether a trial with these settings has a length scale for each feature, as far as that is known before it. */
static bool asks_by_feature(const sk_contest *c, const surekrig_settings *settings)
{
    return settings->anisotropic == SK_ANISOTROPIC_YES ||
           (settings->anisotropic == SK_ANISOTROPIC_AUTO && c->by_feature);
}

surekrig_status sk_make_quick(const sk_contest *c, surekrig_settings *settings, surekrig_error *error)
{
    static const sk_change QUICK[] = {
        {"coverage", "none"}, {"optimizer", "local"}, {"interval", "gaussian"}, {"evaluations", "40"}, {"polish", "0"}};
    surekrig_status status = SUREKRIG_OK;
    char batch[24];
    int64_t enough = !by_blocks(settings) ? ALONE : c->by_feature ? BATCH / 2 : FEW_SCALES;
    snprintf(batch, sizeof batch, "%d", (int)(settings->batch < enough ? settings->batch : enough));
    for (size_t i = 0; i < sizeof QUICK / sizeof *QUICK && !status; i++)
        status = surekrig_settings_set(settings, QUICK[i].name, QUICK[i].value, error);
    if (!status)
        status = sk_settle(settings, "variance", "global", error);
    bool wide = asks_by_feature(c, settings) || settings->terms > 1; /* a simplex would not get there */
    if (!status && wide && has_gradients(settings)) {
        status = surekrig_settings_set(settings, "optimizer", "lbfgs", error);
        if (!status)
            status = surekrig_settings_set(settings, "evaluations", "auto", error);
    }
    if (!status)
        status = share_seconds(settings, 0.5 / c->planned, error);
    return status ? status : surekrig_settings_set(settings, "batch", batch, error);
}

surekrig_status sk_make_full(const sk_contest *c, int trial, double share, surekrig_error *error)
{
    surekrig_settings *settings = c->settings[trial];
    surekrig_status status = take(c, settings, "interval", sk_interval_for(c->data, c->asked), error);
    if (!status && strcmp(surekrig_settings_get(settings, "interval"), "gaussian") != 0)
        status = take(c, settings, "coverage", "none", error); /* something else sets it: theta need not */
    if (!status && c->data->n >= SK_ENOUGH && !c->data->noise)
        status = take(c, settings, "variance", "local", error);
    if (!status)
        status = sk_settle(settings, "variance", "global", error);
    if (!status)
        status = sk_settle(settings, "coverage", SK_FIVE_LEVELS, error);
    char batch[24];
    snprintf(batch, sizeof batch, "%d", by_blocks(settings) ? BATCH : ALONE);
    /* It starts from what was found, and ends where it converges; by gradients, where there are any and no steps of a
     * coverage. */
    const sk_change LAST[] = {{"optimizer", "local"}, {"polish", "0"}, {"evaluations", "300"}, {"batch", batch}};
    bool smooth = c->start[trial].by_feature || settings->terms > 1 || settings->coverage.count == 0;
    bool gradients = smooth && has_gradients(settings);
    for (size_t i = gradients ? 2 : 0; i < sizeof LAST / sizeof *LAST && !status; i++)
        status = take(c, settings, LAST[i].name, LAST[i].value, error);
    return status ? status : share_seconds(settings, share, error);
}
