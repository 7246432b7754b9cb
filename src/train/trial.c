/* A trial of settings: a quick training from where the best before it ended, judged by held-out points. */
#include "train/contest.h"

#include <math.h>
#include <stdio.h>

static const double CLEARLY = 1; /* standard errors of a gain */

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

/* Whether a trial goes on the path: it gains more on the best so far than chance would. */
static surekrig_status compare(const sk_contest *c, const sk_judged *by, bool *better, surekrig_error *error)
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

/* What held-out points say of a trained trial. Its settings are taken over where they are the best so far. */
static surekrig_status judge(sk_contest *c, surekrig_model *m, surekrig_settings **settings, surekrig_trial *trial,
                             surekrig_error *error)
{
    sk_judged by = {0};
    int number = c->choice->trials;
    bool better = false, holds = true;
    surekrig_status status = sk_try_model(&c->judges, m, c->data, &by, error);
    if (!status)
        status = sk_judged_score(&c->judges, &by, NULL, trial, error);
    if (!status)
        status = compare(c, &by, &better, error);
    if (!status)
        status = sk_trend_holds(c, m, &holds, error);
    if (!status)
        status = remember_theta(*settings, m, error);
    if (!status) {
        c->alike = m->scaling != SK_SCALING_AXIS && sk_frame_alike(&m->frame);
        status = sk_start_at(m, &c->start[number], error);
    }
    if (!status && better && holds) {
        c->by[number] = by;
        by = (sk_judged){0};
        c->best = number;
        c->settings[number] = *settings;
        *settings = NULL;
    }
    sk_judged_free(&by);
    c->choice->trials += !status;
    return status;
}

static surekrig_status begin_another(sk_contest *c, const surekrig_model *m, surekrig_error *error)
{
    surekrig_status status = sk_start_at(m, &c->before, error);
    if (!status)
        sk_begin_longer(&c->longer, c->asked, &c->before);
    return status;
}

surekrig_status sk_try_settings(sk_contest *c, surekrig_settings *settings, const char *what, surekrig_error *error)
{
    surekrig_settings *quick = NULL;
    surekrig_model *m = NULL;
    int number = c->choice->trials;
    surekrig_trial *trial = &c->choice->trial[number];
    sk_part part = {c->progress, SK_CHOSEN * number / c->planned, SK_CHOSEN / c->planned};
    double start = sk_now();
    surekrig_status status = sk_settings_copy(settings, &quick, error);
    if (!status)
        status = sk_make_quick(c, quick, error);
    sk_fitting how = {.start = number              ? &c->start[c->best]
                               : c->longer.plainly ? &c->before
                                                   : NULL,
                      .trial = true,
                      .parts = c->longer.plainly,
                      .longer = number || !c->asks ? NULL : &c->longer};
    if (!status)
        status = sk_fit_plain(c->data, quick, how, sk_part_of(&part), &m, error);
    if (!status && m->info.outcome == SUREKRIG_STOPPED_EARLY)
        status = sk_fail(error, SUREKRIG_STOPPED, "stopped while settings were still being chosen");
    if (!status && how.longer && c->longer.plainly) /* another takes its place, and begins here */
        status = begin_another(c, m, error);
    else if (!status)
        status = judge(c, m, &settings, trial, error);
    if (!status) {
        snprintf(trial->what, sizeof trial->what, "%s", what);
        trial->seconds = sk_now() - start;
    }
    surekrig_model_free(m);
    surekrig_settings_free(quick);
    surekrig_settings_free(settings);
    return status;
}
