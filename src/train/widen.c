/* More neighbours than training begins with: smooth functions of many features gain by them. Hyperparameters that were
 * learned from 50 neighbours have seen such a function only nearby, and are not those with which 400 are worth most. So
 * training goes on with 400, or with all rows where these are fewer, which is the exact process, and asks again what 50
 * have settled: which features are of use, and whether there is any noise. A few points are batch enough, for the loss is
 * the likelihood of all neighbours of a point: some blocks of 400 say more than 1024 of 50, and cost no more. Held-out
 * points decide. Where they gain nothing, or training may not go on, they are asked whether more neighbours are worth it
 * for predictions alone: twice as many again and again, while they gain; of few rows all at once, and for any gain.
 *
 * Of few features a place and its neighbours settle most, but for a function that is smoother than the search goes: it
 * ends at the bound of nu, with a nugget that only the ratio to what neighbours share holds up. There training goes on
 * with the bounds of many features, and with all rows where these are few; held-out points decide as before. */
#include "train/train.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 400 };
enum { OFTEN = 4 };              /* blocks to train with that each row is in, */
enum { LEAST = 8, BLOCKS = 16 }; /* within bounds: eight cost as one does */
enum { LARGE = 20000 }; /* rows: their neighbours are near anyway, and a second model of them takes memory and time */
static const double NEARLY = 10;   /* times 1e-8: from there a search finds less */
static const double PLAIN = 0.01;  /* noise, in the response's variance: a smooth function does not look like that */
static const double SMOOTH = 2.45; /* nu: at the bound of few features, 2.5 */
static const double WORTH = 0.98;  /* of the CRPS: less of a gain is not worth eight times the time */

/* What held-out points say of the model with so many neighbours; its gamma2 stays, its widths are the trial's. */
static surekrig_status judge(const surekrig_data *data, surekrig_model *m, int64_t k, surekrig_trial *trial,
                             surekrig_error *error)
{
    sk_judges judges = {0};
    sk_judged by = {0};
    size_t bytes = (size_t)m->data.l * sizeof(double);
    double *kept = sk_copy(m->hyper.gamma2_std, m->data.l, sizeof *kept), start = sk_now();
    surekrig_model *partner = m->partner;
    m->partner = NULL; /* a pair is no process that could be trained: the better one is asked alone */
    m->info.neighbors = k;
    surekrig_status status = kept ? sk_try_model(&judges, m, data, &by, error)
                                  : sk_fail_memory(error, (double)bytes, "a model's scale");
    if (!status)
        status = sk_judged_score(&judges, &by, NULL, trial, error);
    if (kept)
        memcpy(m->hyper.gamma2_std, kept, bytes);
    snprintf(trial->what, sizeof trial->what, "neighbors = %lld", (long long)k);
    trial->seconds = sk_now() - start;
    m->partner = partner;
    sk_judged_free(&by);
    sk_judges_free(&judges);
    free(kept);
    return status;
}

static surekrig_status set_number(surekrig_settings *settings, const char *name, int64_t value, surekrig_error *error)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return surekrig_settings_set(settings, name, text, error);
}

static void note(sk_choice *choice, const surekrig_trial *trial)
{
    if (choice->trials < SK_TRIALS)
        choice->trial[choice->trials++] = *trial;
}

/* ---- trained with more */

/* Whether blocks may train: nothing that the user has set, and no limit of time, speaks against it. */
static bool may_train(const surekrig_model *m, const surekrig_settings *asked)
{
    const surekrig_settings *s = m->settings;
    bool other_loss = sk_setting_given(asked, "loss") && !sk_loss_at(s->loss)->needs_neighbors;
    bool searched = s->nu.how != SK_FIXED || s->rho.how != SK_FIXED || s->tau2.how != SK_FIXED;
    return searched && !other_loss && !sk_setting_given(asked, "batch") && isinf(s->seconds) &&
           s->coverage.count == 0 && s->spacetime <= SK_GEOMETRIC && m->data.n <= LARGE;
}

static bool has_many(const surekrig_model *m)
{
    return m->anisotropic && m->metric.parts > SK_FEW_FEATURES;
}

static int64_t widest(const surekrig_model *m)
{
    return m->data.n <= MOST ? m->data.n - 1 : has_many(m) ? MOST : m->info.neighbors;
}

/* Of the response's variance, or of the least that a response has. */
static double noise_of(const surekrig_model *m)
{
    double least = INFINITY;
    for (int64_t q = 0; q < m->data.l; q++)
        least = fmin(least, m->hyper.tau2 * m->hyper.gamma2_std[q]);
    return least;
}

/* Whether few features end where a function smoother than the search goes would. */
static bool looks_smooth(const surekrig_model *m, const surekrig_settings *asked)
{
    return m->data.n >= SK_CHOOSABLE && sk_family_named(sk_kernel_name(m->settings))->smoothness &&
           asked->nu.how == SK_AUTO && asked->tau2.how == SK_AUTO && m->settings->terms == 1 && m->metric.time < 0 &&
           !m->data.noise && m->hyper.nu > SMOOTH && noise_of(m) < PLAIN;
}

/* The bounds that many features have. */
static surekrig_status open_bounds(surekrig_settings *s, double tau2, surekrig_error *error)
{
    char nugget[64];
    sk_plain_locale locale = sk_enter_plain_locale();
    snprintf(nugget, sizeof nugget, "1e-10:%.6g:100", fmin(fmax(tau2, 1e-10), 100));
    sk_leave_plain_locale(&locale);
    surekrig_status status = surekrig_settings_set(s, "nu", "0.05:2.5:10", error);
    return status ? status : surekrig_settings_set(s, "tau2", nugget, error);
}

/* Another model, from where this one ended but for the nugget, and with the features that it left out: what is of no use
 * among 50 neighbours may be of some among all. */
static surekrig_status train_from(const surekrig_data *data, const surekrig_model *m, double tau2,
                                  const surekrig_progress *progress, surekrig_model **wide, surekrig_error *error)
{
    surekrig_settings *settings = NULL;
    sk_start start = {0};
    int64_t k = widest(m), blocks = OFTEN * m->data.n / k;
    blocks = blocks < LEAST ? LEAST : blocks > BLOCKS ? BLOCKS : blocks;
    surekrig_status status = sk_settings_copy(m->settings, &settings, error);
    if (!status)
        status = set_number(settings, "neighbors", k, error);
    if (!status && k > m->info.neighbors)
        status = set_number(settings, "batch", blocks, error);
    if (!status)
        status = surekrig_settings_set(settings, "loss", "block", error);
    if (!status && !has_many(m))
        status = open_bounds(settings, tau2, error);
    if (!status)
        status = sk_start_at(m, &start, error);
    if (!status) {
        sk_start_with_all(m, &start);
        start.hyper.tau2 = tau2;
        status = sk_fit_plain(data, settings, (sk_fitting){.start = &start, .before = m->frame.side}, progress, wide,
                              error);
    }
    sk_start_free(&start);
    surekrig_settings_free(settings);
    return status;
}

static void add_seconds(surekrig_model *to, const surekrig_model *from)
{
    for (int i = 0; i < SK_PHASES; i++)
        to->phase[i].seconds += from->phase[i].seconds;
}

/* L, where it ended: minus a mean log likelihood. */
static double loss_of(const surekrig_model *m)
{
    return m->info.round[m->info.rounds - 1].objective;
}

/* Whether the search may have missed a process without a nugget: it ended with some, but with less noise than would be
 * plain to see. Only where all rows are in each block, so that two models are compared by the likelihood of the same. */
static bool may_be_smooth(const surekrig_model *m)
{
    bool searched = has_many(m) ? m->data.n <= MOST && m->settings->tau2.how == SK_AUTO : true; /* by open_bounds */
    return searched && m->hyper.tau2 > NEARLY * SK_TAU2_LOWEST && noise_of(m) < PLAIN &&
           m->info.outcome != SUREKRIG_STOPPED_EARLY;
}

/* The likelier of two: what 50 neighbours took for noise may be what they did not see of a smooth function, and a search
 * that begins with such noise stays with it. */
static surekrig_status train(const surekrig_data *data, const surekrig_model *m, const surekrig_progress *progress,
                             surekrig_model **wide, surekrig_error *error)
{
    sk_part first = {.whole = progress, .from = 0, .span = 0.5}, second = {.whole = progress, .from = 0.5, .span = 0.5};
    surekrig_model *smooth = NULL;
    surekrig_status status = train_from(data, m, m->hyper.tau2, sk_part_of(&first), wide, error);
    if (status || !may_be_smooth(*wide))
        return status;
    status = train_from(data, m, SK_TAU2_LOWEST, sk_part_of(&second), &smooth, error);
    if (status)
        return status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
    bool likelier = loss_of(smooth) < loss_of(*wide);
    surekrig_model *kept = likelier ? smooth : *wide, *other = likelier ? *wide : smooth;
    add_seconds(kept, other);
    if (other->info.outcome == SUREKRIG_STOPPED_EARLY)
        kept->info.outcome = SUREKRIG_STOPPED_EARLY;
    surekrig_model_free(other);
    *wide = kept;
    return SUREKRIG_OK;
}

/* The wide model instead of the other. What is told of training is told of both; the batch is from now on the first's,
 * whose points set widths and scores. */
static surekrig_status replace(surekrig_model **m, surekrig_model *wide, surekrig_error *error)
{
    add_seconds(wide, *m);
    wide->info.batch = (*m)->info.batch;
    surekrig_status status = set_number(wide->settings, "batch", (*m)->settings->batch, error);
    surekrig_model_free(*m);
    *m = wide;
    return status;
}

/* Whether held-out points gain enough: of many rows a fiftieth for each time that neighbours are doubled. */
static bool gains(const surekrig_model *m, const surekrig_trial *from, const surekrig_trial *to)
{
    double doubled = has_many(m) ? log2((double)widest(m) / (double)m->info.neighbors) : 1;
    return to->crps <= (m->data.n <= MOST ? 1 : pow(WORTH, doubled)) * from->crps;
}

/* *taken: the model is the wide one now. A wish to stop leaves it as it was, and so does a covariance that stays
 * singular. */
static surekrig_status try_wide(const surekrig_data *data, surekrig_model **m, sk_choice *choice,
                                const surekrig_progress *progress, bool *taken, surekrig_error *error)
{
    surekrig_model *wide = NULL;
    surekrig_error why = {0};
    surekrig_trial trial = {0}, narrow = choice->trial[choice->trials - 1]; /* room for both: a choice has two left */
    double start = sk_now();
    surekrig_status status = train(data, *m, progress, &wide, &why);
    if (!status && wide->info.outcome == SUREKRIG_STOPPED_EARLY)
        status = SUREKRIG_STOPPED;
    if (!status)
        status = judge(data, wide, widest(*m), &trial, &why);
    if (!status) {
        *taken = gains(*m, &narrow, &trial);
        if (has_many(*m))
            snprintf(trial.what, sizeof trial.what, "trained with %lld", (long long)widest(*m));
        else
            snprintf(trial.what, sizeof trial.what, "trained again, nu to 10");
        trial.seconds = sk_now() - start;
        trial.kept = *taken;
        note(choice, &trial);
    }
    if (*taken)
        return replace(m, wide, error);
    surekrig_model_free(wide);
    if (status == SUREKRIG_STOPPED)
        (*m)->info.outcome = SUREKRIG_STOPPED_EARLY;
    else if (status && status != SUREKRIG_NUMERIC && error)
        *error = why;
    return status == SUREKRIG_STOPPED || status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
}

/* ---- for predictions alone */

/* best: of the model as it is. */
static surekrig_status predict_wide(const surekrig_data *data, surekrig_model *m, surekrig_trial best, int kept,
                                    sk_choice *choice, surekrig_error *error)
{
    int64_t k = m->info.neighbors, most = widest(m);
    bool few = m->data.n <= MOST;
    surekrig_trial trial = {0};
    surekrig_status status = SUREKRIG_OK;
    while (!status && k < most) {
        int64_t wide = !few && 2 * k < most ? 2 * k : most;
        status = judge(data, m, wide, &trial, error);
        note(choice, &trial);
        if (status || trial.crps > (few ? 1 : WORTH) * best.crps)
            break;
        k = wide;
        best = trial;
        kept = choice->trials - 1;
    }
    choice->trial[kept].kept = 1;
    m->info.neighbors = k;
    return status ? status : set_number(m->settings, "neighbors", k, error); /* in files and refits too */
}

surekrig_status sk_widen(const surekrig_data *data, const surekrig_settings *asked, surekrig_model **model,
                         sk_choice *choice, const surekrig_progress *progress, surekrig_error *error)
{
    surekrig_model *m = *model;
    surekrig_trial narrow = {0};
    bool taken = false;
    bool many = has_many(m);
    if (many ? m->partner != NULL : !looks_smooth(m, asked) || !may_train(m, asked))
        return SUREKRIG_OK;
    surekrig_status status = judge(data, m, m->info.neighbors, &narrow, error);
    int first = choice->trials;
    note(choice, &narrow);
    if (!status && may_train(m, asked) && (!many || m->info.neighbors < widest(m)))
        status = try_wide(data, model, choice, progress, &taken, error);
    if (!status && !taken && !many && first < SK_TRIALS)
        choice->trial[first].kept = 1;
    if (status || taken || !many || m->info.outcome == SUREKRIG_STOPPED_EARLY)
        return status;
    return predict_wide(data, m, narrow, first, choice, error);
}
