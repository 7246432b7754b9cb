/* Fitting as a user asks for it: one model, or what auto chooses, and a pair of models as one. */
#include "train/longer.h"

#include <math.h>
#include <string.h>

/* Widths and scores, of two models together where there are two. The batch, whose points trained them, is drawn once
 * more. */
static surekrig_status calibrate(const surekrig_data *data, surekrig_model *m, surekrig_error *error)
{
    sk_holdout batch = {0};
    sk_machine machine = {0};
    surekrig_status status = sk_model_take_targets(m, data, error);
    if (!status)
        status = sk_holdout_new(m, (sk_holdout_wish){.n = m->settings->batch}, &batch, error);
    if (!status)
        status = sk_machine_open(m, true, sk_thread_setting(m->settings), &machine, error);
    if (!status)
        status = sk_machine_set(&machine, &m->hyper, error);
    if (!status)
        status = sk_calibrate(m, &batch, &machine, error);
    sk_model_forget_targets(m);
    sk_machine_close(&machine);
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
    surekrig_status status = sk_fit_plain(data, choice->partner, (sk_fitting){.start = &choice->beside}, progress,
                                          &partner, &why);
    if (!status && memcmp(m->frame.side, partner->frame.side, (size_t)m->frame.d * sizeof(double)))
        surekrig_model_free(partner); /* trained in full, their metrics are no longer the same */
    else if (!status)
        join(m, partner);
    else if (status == SUREKRIG_STOPPED)
        m->info.outcome = SUREKRIG_STOPPED_EARLY;
    else if (status != SUREKRIG_NUMERIC && error)
        *error = why;
    return status == SUREKRIG_STOPPED || status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
}

/* Of few features a second training is rare. */
static double part_before(const surekrig_data *data)
{
    return data->d > SK_FEW_FEATURES ? 0.6 : 0.9;
}

/* Both leave what they have made also after a failure. */
static surekrig_status fit_alone(const surekrig_data *data, const surekrig_settings *asked, sk_choice *choice,
                                 const surekrig_progress *progress, surekrig_model **made, surekrig_error *error)
{
    bool widens = !sk_setting_given(asked, "neighbors");
    double chosen = choice->trials > 0 ? SK_CHOSEN : 0, most = widens ? chosen + part_before(data) * (1 - chosen) : 1;
    sk_part first = {.whole = progress, .from = chosen, .span = most - chosen},
            second = {.whole = progress, .from = most, .span = 1 - most};
    surekrig_status status = sk_fit_plain(data, choice->settings, (sk_fitting){.start = &choice->start},
                                          sk_part_of(&first), made, error);
    if (!status && widens && (*made)->info.outcome != SUREKRIG_STOPPED_EARLY)
        status = sk_widen(data, asked, made, choice, sk_part_of(&second), error);
    return status;
}

static surekrig_status fit_pair(const surekrig_data *data, const surekrig_settings *asked, sk_choice *choice,
                                const surekrig_progress *progress, surekrig_model **made, surekrig_error *error)
{
    double most = SK_CHOSEN + 0.7 * (1 - SK_CHOSEN), last = 0.95; /* the second is the simpler; a third is rare */
    sk_part first = {progress, SK_CHOSEN, most - SK_CHOSEN}, second = {progress, most, last - most},
            third = {progress, last, 1 - last};
    surekrig_status status = sk_fit_plain(data, choice->settings, (sk_fitting){.start = &choice->start},
                                          sk_part_of(&first), made, error);
    if (!status)
        status = fit_partner(data, choice, sk_part_of(&second), *made, error);
    if (!status && data->d <= SK_FEW_FEATURES && !sk_setting_given(asked, "neighbors") &&
        (*made)->info.outcome != SUREKRIG_STOPPED_EARLY)
        status = sk_widen(data, asked, made, choice, sk_part_of(&third), error);
    return status;
}

static void tell_trials(surekrig_model *m, const sk_choice *choice)
{
    memcpy(m->trial, choice->trial, sizeof choice->trial);
    m->info.trials = choice->trials;
    m->info.trial = m->trial;
}

static surekrig_status fit_chosen(const surekrig_data *data, const surekrig_settings *asked, sk_choice *choice,
                                  const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_model *made = NULL;
    int average = choice->partner ? choice->trials - 1 : -1;
    surekrig_status status = choice->partner ? fit_pair(data, asked, choice, progress, &made, error)
                                             : fit_alone(data, asked, choice, progress, &made, error);
    if (!status)
        status = calibrate(data, made, error);
    if (status) {
        surekrig_model_free(made);
        return status;
    }
    if (average >= 0 && !made->partner) /* there came none */
        choice->trial[average].kept = 0;
    tell_trials(made, choice);
    *model = made;
    return SUREKRIG_OK;
}

surekrig_status surekrig_calibrate(surekrig_model *m, int64_t n, const double *x, surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"model", m}, {0}}, error))
        return SUREKRIG_INVALID;
    surekrig_data asked = m->data;
    surekrig_status status = SUREKRIG_OK;
    asked.targets = n;
    asked.target = x;
    if (n < 1)
        return sk_fail(error, SUREKRIG_INVALID, "intervals are calibrated for places: %lld given", (long long)n);
    bool many = m->data.n >= SK_ENOUGH, local = many && !m->data.noise;
    if (local)
        status = surekrig_settings_set(m->settings, "variance", "local", error);
    if (!status && local && m->partner)
        status = surekrig_settings_set(m->partner->settings, "variance", "local", error);
    if (!status && many)
        status = surekrig_settings_set(m->settings, "interval", "conformal", error);
    return status ? status : calibrate(&asked, m, error);
}

/* Columns for a trend, and no trend; a smoothness, and a kernel that has none; groups, and one length scale for all:
 * surely not what was meant. */
static surekrig_status check_use(const surekrig_settings *settings, surekrig_error *error)
{
    const char *columns = sk_setting_names(settings, "trend"), *kernel = sk_kernel_name(settings),
               *group = sk_setting_names(settings, "group");
    bool smooth = settings->nu.how == SK_RANGE || (settings->nu.how == SK_FIXED && isfinite(settings->nu.fixed[0]));
    if (settings->mean != SK_MEAN_TREND && !settings->choose && strcmp(columns, "all") != 0)
        return sk_fail(error, SUREKRIG_INVALID,
                       "trend = %s is of no use with mean = %s: set mean to trend, or auto to yes", columns,
                       surekrig_settings_get(settings, "mean"));
    if (smooth && !sk_family_named(kernel)->smoothness)
        return sk_fail(error, SUREKRIG_INVALID,
                       "nu = %s is of no use with kernel = %s, which has no smoothness: leave nu out, or take another "
                       "kernel",
                       surekrig_settings_get(settings, "nu"), kernel);
    if (settings->spacetime > SK_GEOMETRIC && !strcmp(sk_setting_names(settings, "time"), "none"))
        return sk_fail(error, SUREKRIG_INVALID, "spacetime = %s is of no use without a time: name its column (time)",
                       surekrig_settings_get(settings, "spacetime"));
    if (strcmp(group, "none") != 0 && settings->anisotropic == SK_ANISOTROPIC_NO)
        return sk_fail(error, SUREKRIG_INVALID,
                       "group = %s is of no use with anisotropic = no, which is one length scale for all: leave one of "
                       "the two out",
                       group);
    return SUREKRIG_OK;
}

surekrig_status sk_settle(surekrig_settings *settings, const char *name, const char *value, surekrig_error *error)
{
    return strcmp(surekrig_settings_get(settings, name), "auto") ? SUREKRIG_OK
                                                                 : surekrig_settings_set(settings, name, value, error);
}

/* Whether held-out points set the widths of intervals. */
static bool tested(const surekrig_settings *s)
{
    return s->interval == SK_INTERVAL_CONFORMAL || s->variance == SK_VARIANCE_LOCAL;
}

bool sk_few_for_scales(const surekrig_data *data, const surekrig_settings *s)
{
    enum { ROWS_A_SCALE = 10 };
    return data->d > 2 && data->n < ROWS_A_SCALE * data->d && s->rho.how != SK_FIXED &&
           s->anisotropic == SK_ANISOTROPIC_AUTO && !strcmp(sk_setting_names(s, "time"), "none") &&
           !strcmp(sk_setting_names(s, "group"), "none");
}

surekrig_status sk_settle_scales(const surekrig_data *data, surekrig_settings *s, surekrig_error *error)
{
    if (!sk_few_for_scales(data, s))
        return SUREKRIG_OK;
    surekrig_status status = sk_settle(s, "scaling", "axis", error);
    return status ? status : surekrig_settings_set(s, "anisotropic", "no", error);
}

const char *sk_interval_for(const surekrig_data *data, const surekrig_settings *asked)
{
    bool coverage = sk_setting_given(asked, "coverage") && asked->coverage.count > 0;
    return data->n >= SK_ENOUGH ? "conformal" : coverage ? "gaussian" : "student";
}

/* What is left to the data, as they are; auto = yes has its own (variants.c). */
static surekrig_status settle(const surekrig_data *data, const surekrig_settings *asked, surekrig_settings **out,
                              surekrig_error *error)
{
    surekrig_settings *s = NULL;
    surekrig_status status = sk_settings_copy(asked, &s, error);
    bool many = data->n >= SK_ENOUGH, plane = many && data->d == 2;
    if (!status) /* nothing was chosen, even where rows were too few for it */
        status = surekrig_settings_set(s, "auto", "no", error);
    if (!status && plane && !strcmp(surekrig_settings_get(s, "sectors"), "auto"))
        status = sk_settle(s, "neighbors", "64", error);
    if (!status)
        status = sk_settle(s, "sectors", plane ? "yes" : "no", error);
    if (!status)
        status = sk_settle(s, "variance", many && !data->noise ? "local" : "global", error);
    if (!status)
        status = sk_settle(s, "interval", sk_interval_for(data, asked), error);
    if (!status)
        status = sk_settle(s, "coverage", tested(s) || s->interval == SK_INTERVAL_STUDENT ? "none" : SK_FIVE_LEVELS,
                           error);
    if (!status)
        status = sk_settle_scales(data, s, error);
    if (status)
        surekrig_settings_free(s);
    else
        *out = s;
    return status;
}

/* Whether more neighbours may be tried: held-out points set the widths, so they are right for any number, or rows are so
 * few that all of them train together. */
static bool may_widen(const surekrig_settings *asked, const surekrig_settings *used)
{
    return (tested(used) || used->interval == SK_INTERVAL_STUDENT) &&
           !strcmp(surekrig_settings_get(asked, "neighbors"), "auto");
}

/* One model. Of two features with one length scale it asks whether one would want a longer one, and is trained anew if
 * so. */
static surekrig_status fit_plainly(const surekrig_data *data, surekrig_settings *used,
                                   const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    sk_longer longer = {0};
    bool asks = sk_may_ask_longer(data, used);
    double most = asks ? 0.75 : 1, before; /* a second training is rare */
    sk_part first = {.whole = progress, .span = most}, second = {.whole = progress, .from = most, .span = 1 - most};
    surekrig_model *made = NULL;
    sk_start start = {0};
    surekrig_status status = sk_fit_plain(data, used, (sk_fitting){.calibrated = true, .longer = asks ? &longer : NULL},
                                          sk_part_of(&first), &made, error);
    if (!status && longer.plainly) {
        status = sk_start_at(made, &start, error);
        before = made->phase[2].seconds;
        surekrig_model_free(made);
        if (!status)
            status = sk_take_longer(&longer, used, error);
        if (!status)
            sk_begin_longer(&longer, used, &start);
        if (!status)
            status = sk_fit_plain(data, used, (sk_fitting){.calibrated = true, .start = &start, .parts = true},
                                  sk_part_of(&second), &made, error);
        if (!status)
            made->phase[2].seconds += before;
        sk_start_free(&start);
    }
    if (!status)
        *model = made;
    return status;
}

/* The same, and where it ends as a smooth function would, another training. */
static surekrig_status fit_one(const surekrig_data *data, const surekrig_settings *asked, sk_choice *choice,
                               const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    bool widens = may_widen(asked, choice->settings);
    double most = widens ? 0.9 : 1; /* a second training is rare */
    sk_part first = {.whole = progress, .span = most}, second = {.whole = progress, .from = most, .span = 1 - most};
    surekrig_model *made = NULL;
    surekrig_status status = fit_plainly(data, choice->settings, sk_part_of(&first), &made, error);
    if (!status && widens && made->info.outcome != SUREKRIG_STOPPED_EARLY)
        status = sk_widen(data, asked, &made, choice, sk_part_of(&second), error);
    if (!status && choice->trials > 0)
        status = calibrate(data, made, error);
    if (status) {
        surekrig_model_free(made);
        return status;
    }
    tell_trials(made, choice);
    *model = made;
    return SUREKRIG_OK;
}

static surekrig_status fit_asked(const surekrig_data *data, const surekrig_settings *asked,
                                 const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_settings *used = NULL;
    sk_choice choice = {0};
    surekrig_status status = SUREKRIG_OK;
    if (asked->choose && data->n >= SK_CHOOSABLE) {
        status = sk_choose(data, asked, progress, &choice, error);
        if (!status)
            status = fit_chosen(data, asked, &choice, progress, model, error);
    } else if (!(status = settle(data, asked, &used, error))) {
        choice.settings = used;
        bool many = data->d > SK_FEW_FEATURES && may_widen(asked, used);
        status = (many ? fit_chosen : fit_one)(data, asked, &choice, progress, model, error);
    }
    surekrig_settings_free(choice.settings);
    surekrig_settings_free(choice.partner);
    sk_start_free(&choice.start);
    sk_start_free(&choice.beside);
    return status;
}

surekrig_status surekrig_fit(const surekrig_data *data, const surekrig_settings *settings,
                             const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    surekrig_settings *own = NULL;
    surekrig_data whole = {0};
    surekrig_status status = sk_check_needed((sk_needed[]){{"data", data}, {"model", model}, {0}}, error);
    if (!status && !settings)
        status = surekrig_settings_new(&own, error);
    int time = status ? -1 : surekrig_settings_time(settings ? settings : own, data->d, data->x_names);
    if (time >= 0 && settings)
        status = sk_settings_copy(settings, &own, error);
    if (time >= 0 && !status)
        status = surekrig_settings_set(own, "time", data->x_names[time], error);
    const surekrig_settings *asked = settings && time < 0 ? settings : own;
    if (!status)
        status = check_use(asked, error);
    if (!status)
        status = sk_deal(data, time < 0 ? sk_setting_names(asked, "time") : "none", sk_setting_names(asked, "distance"),
                         &whole, error);
    if (!status && time >= 0 && !sk_is_spread(&whole)) /* nobody has named it: constant, it is refused as others are */
        status = sk_data_check(&whole, "none", error);
    if (!status)
        status = fit_asked(&whole, asked, progress, model, error);
    sk_dealt(&whole);
    surekrig_settings_free(own);
    return status;
}
