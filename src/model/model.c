/* The object: what it owns, what follows from the data and the settings alone, and what hyperparameters mean to it. */
#include "model/inside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_names(const char *const *names, int64_t count)
{
    for (int64_t i = 0; names && i < count; i++)
        free((char *)names[i]);
    free((void *)names);
}

/* What a partner borrows. */
static void free_data(surekrig_model *m)
{
    void (*give)(void *) = m->data.ranks ? sk_unreserve : free;
    if (m->kriged.x != m->data.x)
        give((double *)m->kriged.x);
    free_names(m->data.x_names, m->data.d);
    free_names(m->data.y_names, m->data.l);
    if (m->data.ranks) {
        sk_rows_free(m->data.ranks);
    } else {
        free((double *)m->data.x);
        free((double *)m->data.y);
        free((double *)m->data.noise);
        free((int64_t *)m->data.group);
        sk_repeats_free(&m->repeats);
    }
    sk_metric_free(&m->metric);
    sk_frame_free(&m->frame);
    surekrig_index_free(m->index);
}

/* All but the data. */
static void free_rest(surekrig_model *m)
{
    surekrig_settings_free(m->settings);
    if (m->kriged.y != m->data.y)
        (m->data.ranks ? sk_unreserve : free)((double *)m->kriged.y);
    sk_held_free(m->held);
    sk_trend_free(&m->trend);
    sk_widths_free(&m->widths);
    sk_hyper_free(&m->hyper);
    double *numbers[] = {m->center, m->spread, m->box, m->level, m->coverage, m->trace, m->history};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        free(numbers[i]);
    free(m->estimate);
    free(m->round);
    free((surekrig_scores *)m->info.held_out_each);
}

void surekrig_model_free(surekrig_model *m)
{
    if (!m)
        return;
    if (m->partner)
        free_rest(m->partner);
    free(m->partner);
    free_rest(m);
    free_data(m); /* last: what is the data's own is known by it */
    free(m);
}

void sk_model_join(surekrig_model *m, surekrig_model *partner)
{
    bool own = partner->kriged.y != partner->data.y; /* with the trend's columns */
    const double *y = own ? partner->kriged.y : m->data.y;
    int64_t width = partner->kriged.l;
    free_data(partner);
    partner->data = m->data;
    partner->metric = m->metric;
    partner->kriged = m->kriged;
    partner->kriged.y = y;
    partner->kriged.l = width;
    partner->frame = m->frame;
    partner->repeats = m->repeats;
    partner->index = m->index;
    partner->indexed = m->indexed;
    sk_held_empty(partner->held);
    memcpy(partner->lattice, m->lattice, sizeof m->lattice);
    for (int i = 0; i < partner->info.estimates; i++) { /* values alone are kept of it, also in a file */
        surekrig_estimate *e = &partner->estimate[i];
        e->lower = e->upper = e->as_good[0] = e->as_good[1] = NAN;
        e->at_bound = 0;
    }
    partner->info.x_names = m->data.x_names;
    partner->info.y_names = m->data.y_names;
    m->partner = partner;
    m->info.partner_estimates = partner->info.estimates;
    m->info.partner_estimate = partner->estimate;
}

/* The given names, or x1, x2, ... */
static const char *const *copy_names(const char *const *names, int64_t count, char letter)
{
    char **made = sk_zeroed(count, sizeof *made), number[32];
    for (int64_t i = 0; made && i < count; i++) {
        snprintf(number, sizeof number, "%c%lld", letter, (long long)i + 1);
        made[i] = sk_text(names && names[i] ? names[i] : number);
        if (!made[i]) {
            free_names((const char *const *)made, count);
            return NULL;
        }
    }
    return (const char *const *)made;
}

static bool copy_data(const surekrig_data *from, surekrig_data *to)
{
    *to = (surekrig_data){.n = from->n, .d = from->d, .l = from->l};
    to->x_names = copy_names(from->x_names, from->d, 'x');
    to->y_names = copy_names(from->y_names, from->l, 'y');
    if (sk_is_spread(from)) { /* rows are theirs, and one model's as well as another's */
        to->x = from->x;
        to->y = from->y;
        to->noise = from->noise;
        to->group = from->group;
        to->ranks = from->ranks;
        sk_rows_keep(to->ranks);
        return to->x_names && to->y_names;
    }
    to->x = sk_copy(from->x, from->n * from->d, sizeof(double));
    to->y = sk_copy(from->y, from->n * from->l, sizeof(double));
    to->noise = from->noise ? sk_copy(from->noise, from->n, sizeof(double)) : NULL;
    to->group = from->group ? sk_copy(from->group, from->n, sizeof *to->group) : NULL;
    return to->x && to->y && to->x_names && to->y_names && (to->noise || !from->noise) && (to->group || !from->group);
}

static void describe(surekrig_model *m)
{
    static const char *const PHASE[SK_PHASES] = {"index", "neighbours", "training"};
    snprintf(m->version, sizeof m->version, "%s", SUREKRIG_VERSION);
    for (int i = 0; i < SK_PHASES; i++)
        m->phase[i].name = PHASE[i];
    m->info = (surekrig_info){.version = m->version,
                              .recall = 1,
                              .n = m->data.n,
                              .part = sk_is_spread(&m->data) ? m->data.ranks->came : m->data.n,
                              .d = m->data.d,
                              .l = m->data.l,
                              .box = m->box,
                              .lattice = m->lattice,
                              .x_names = m->data.x_names,
                              .y_names = m->data.y_names,
                              .noise = m->data.noise != NULL,
                              .phases = SK_PHASES,
                              .phase = m->phase,
                              .settings = m->settings};
}

bool sk_model_has_metric(const surekrig_model *m)
{
    return memcmp(m->frame.side, m->frame.start, (size_t)m->frame.d * sizeof(double)) != 0;
}

void sk_model_set_sides(surekrig_model *m, const double *side)
{
    memcpy(m->frame.side, side, (size_t)m->frame.d * sizeof *side);
    m->info.fitted_metric = sk_model_has_metric(m);
}

surekrig_status sk_model_reframe(surekrig_model *m, const double *side, surekrig_error *error)
{
    sk_model_set_sides(m, side);
    sk_held_empty(m->held);
    surekrig_index_free(m->index);
    m->index = NULL;
    m->indexed = false;
    return sk_model_index(m, error);
}

static surekrig_status prepare(surekrig_model *m, surekrig_error *error)
{
    const surekrig_settings *settings = m->settings;
    int64_t most = m->data.n - 1, asked = settings->neighbors;
    if (asked > most)
        return sk_fail(error, SUREKRIG_DATA, "k = %lld neighbours asked, %lld points given: at most %lld can be asked",
                       (long long)asked, (long long)m->data.n, (long long)most);
    double start = sk_now();
    surekrig_status status = sk_model_columns(m, error);
    if (!status)
        status = (m->data.ranks ? sk_rows_places : sk_repeats_find)(&m->kriged, &m->frame, &m->repeats, error);
    if (!status && m->data.ranks)
        status = sk_held_new(m, error);
    if (!status)
        status = sk_hyper_new(m->kriged.d, m->data.l, &m->hyper, error);
    if (status)
        return status;
    for (int64_t q = 0; q < m->data.l + m->data.d; q++)
        m->spread[q] = 1;
    sk_mean_fit((sk_mean)settings->mean, &m->data, m->center, m->spread);
    m->hyper.long_nu = settings->long_nu.fixed[0];
    m->hyper.time = settings->spacetime > SK_GEOMETRIC ? m->metric.time : -1;
    sk_extents(&m->data, m->box, m->box + m->data.d); /* of the features, as they were given */
    describe(m);
    m->info.neighbors = asked > 0 ? asked : most < 50 ? most : 50;
    m->info.shared_rows = m->repeats.shared_rows;
    m->info.shared_places = m->repeats.shared_places;
    m->info.within_sd = m->repeats.within_sd;
    m->phase[0].seconds = sk_now() - start;
    return SUREKRIG_OK;
}

surekrig_status sk_model_new(const surekrig_data *data, const surekrig_settings *settings, surekrig_model **out,
                             surekrig_error *error)
{
    surekrig_status status = sk_is_spread(data) ? SUREKRIG_OK /* which sk_deal has checked */
                                                : sk_data_check(data, sk_setting_names(settings, "time"), error);
    if (status)
        return status;
    surekrig_model *m = sk_zeroed(1, sizeof *m);
    if (m && copy_data(data, &m->data)) {
        m->sharers = sk_is_spread(data) ? NULL : data->ranks;
        m->center = sk_zeroed(data->l + data->d, sizeof(double)); /* as many trend columns at most */
        m->spread = sk_doubles(data->l + data->d);
        m->box = sk_doubles(2 * data->d);
    }
    if (!m || !m->center || !m->spread || !m->box)
        status = sk_fail_memory(error, 8.0 * (double)data->n * (double)(data->d + data->l), "a copy of the data");
    if (!status)
        status = sk_settings_copy(settings, &m->settings, error);
    if (!status)
        status = prepare(m, error);
    if (status)
        surekrig_model_free(m);
    else
        *out = m;
    return status;
}

surekrig_status sk_model_shape(surekrig_model *m, int levels, int rounds, surekrig_error *error)
{
    int64_t estimates = sk_hyper_label(m, NULL), each = 2 * levels + estimates;
    m->estimate = sk_zeroed(estimates, sizeof *m->estimate);
    m->level = sk_zeroed(levels, sizeof(double));
    m->coverage = sk_zeroed(levels, sizeof(double));
    m->round = sk_zeroed(rounds, sizeof *m->round);
    m->trace = sk_zeroed(rounds * each, sizeof(double));
    if (!m->estimate || !m->level || !m->coverage || !m->round || !m->trace)
        return sk_fail_memory(error, 8.0 * (double)(rounds * each), "the training's report");
    for (int64_t i = 0; i < estimates; i++)
        m->estimate[i].lower = m->estimate[i].upper = m->estimate[i].as_good[0] = m->estimate[i].as_good[1] = NAN;
    for (int i = 0; i < rounds; i++) {
        double *numbers = m->trace + i * each;
        m->round[i] = (surekrig_round){.lambda = numbers, .coverage = numbers + levels, .theta = numbers + 2 * levels};
    }
    sk_hyper_label(m, m->estimate);
    m->info.estimates = (int)estimates;
    m->info.estimate = m->estimate;
    m->info.levels = levels;
    m->info.level = m->level;
    m->info.coverage = m->coverage;
    m->info.rounds = rounds;
    m->info.round = m->round;
    return SUREKRIG_OK;
}

/* Space and time, both of some use: one alone is a covariance as any other. */
static bool has_factors(const sk_hyper *h)
{
    bool space = false;
    for (int64_t a = 0; a < h->d; a++)
        space |= isfinite(h->space_rho[a]);
    return h->time >= 0 && space && isfinite(h->rho[h->time]);
}

surekrig_theta sk_model_theta(const surekrig_model *m, const sk_hyper *h, surekrig_term term[2])
{
    if (has_factors(h)) {
        term[0] = (surekrig_term){1, h->nu, h->space_rho, sk_kernel_name(m->settings)};
        term[1] = (surekrig_term){1, h->time_nu, h->time_rho};
        return (
            surekrig_theta){2, term, h->tau2, 1, sk_model_unknown_mean(m), 1, isfinite(h->time_mix) ? h->time_mix : 0};
    }
    term[0] = (surekrig_term){1 - h->long_share, h->nu, h->rho, sk_kernel_name(m->settings)};
    term[1] = (surekrig_term){h->long_share, h->long_nu, h->long_rho};
    return (surekrig_theta){h->long_share > 0 ? 2 : 1, term, h->tau2, 1, sk_model_unknown_mean(m)};
}

surekrig_status sk_model_take_targets(surekrig_model *m, const surekrig_data *data, surekrig_error *error)
{
    double *place = NULL;
    if (data->targets < 0 || (data->targets > 0 && !data->target))
        return sk_fail(error, SUREKRIG_INVALID, "%lld targets, and %s are given", (long long)data->targets,
                       data->target ? "their places" : "no places");
    for (int64_t i = 0; i < data->targets * data->d; i++)
        if (!isfinite(data->target[i]))
            return sk_fail(error, SUREKRIG_DATA, "target %lld, %s: %g is not a finite number",
                           (long long)(i / data->d) + 1, m->data.x_names[i % data->d], data->target[i]);
    surekrig_status status = sk_metric_check(&m->metric, &m->data,
                                             (sk_metric_points){"target", data->targets, data->target}, error);
    if (status)
        return status;
    if (!m->metric.same && !(place = sk_doubles(data->targets * m->kriged.d)))
        return sk_fail_memory(error, 8.0 * (double)(data->targets * m->kriged.d), "the targets");
    if (place)
        sk_metric_map(&m->metric, data->targets, data->target, place);
    m->data.targets = m->kriged.targets = data->targets;
    m->data.target = data->target;
    m->kriged.target = place ? place : data->target;
    return SUREKRIG_OK;
}

void sk_model_forget_targets(surekrig_model *m)
{
    if (m->kriged.target != m->data.target)
        free((double *)m->kriged.target);
    m->data.targets = m->kriged.targets = 0;
    m->data.target = m->kriged.target = NULL;
}

const sk_family *sk_model_family(const surekrig_model *m, const sk_hyper *h)
{
    return sk_family_of(h->nu, sk_kernel_name(m->settings));
}

bool sk_model_unknown_mean(const surekrig_model *m)
{
    return m->settings->mean == SK_MEAN_LOCAL || m->settings->mean == SK_MEAN_TREND;
}

/* In squares 3.3: among uniform points in 8 to 20 dimensions it finds 94 to 99 of a hundred in a fifth to 0.6 of the time
 * (n = 200000, k = 50). */
double sk_model_slack(const surekrig_model *m)
{
    enum { MANY = 100000, WIDE = 10 };
    int64_t counting = 0;
    for (int64_t a = 0; a < m->frame.d; a++)
        counting += isfinite(m->frame.side[a]);
    bool wanted = m->settings->search == SK_SEARCH_APPROXIMATE ||
                  (m->settings->search == SK_SEARCH_AUTO && m->data.n > MANY && counting > WIDE);
    return wanted && !m->settings->sectors ? sqrt(3.3) : 0;
}

/* A row left out takes all others at its place with it, for they would tell what is asked; but for a place without which
 * there would be too few. */
static bool leaves_places_out(const surekrig_model *m)
{
    return m->repeats.of && m->data.n - m->repeats.most >= m->info.neighbors;
}

surekrig_status sk_model_neighbors(const surekrig_model *m, surekrig_neighbor_query query, int64_t *neighbor,
                                   int64_t *count, surekrig_error *error)
{
    query.k = query.k > 0 ? query.k : m->info.neighbors;
    query.sectors = m->settings->sectors;
    query.slack = query.slack > 0 ? query.slack : sk_model_slack(m);
    query.threads = query.threads ? query.threads : sk_thread_setting(m->settings);
    int64_t *own = NULL;
    if (query.row && !query.group && leaves_places_out(m)) {
        own = sk_alloc(query.n, sizeof *own);
        if (!own)
            return sk_fail_memory(error, 8.0 * (double)query.n, "places to be left out");
        for (int64_t i = 0; i < query.n; i++)
            own[i] = m->repeats.of[query.row[i]];
        query.group = m->repeats.of;
        query.own_group = own;
    }
    surekrig_status status = sk_model_find(m, &query, neighbor, count, error);
    free(own);
    return status;
}

bool sk_model_can_hold(const surekrig_model *m, int64_t q, double y)
{
    static const double MOST_SPREADS = 1e100; /* from the center */
    return fabs(y / m->spread[q] - m->center[q] / m->spread[q]) <= MOST_SPREADS;
}

double sk_model_gamma2(const surekrig_model *m, const sk_hyper *h, int64_t q)
{
    return h->gamma2_std[q] * m->spread[q] * m->spread[q];
}

double sk_model_noise_share(const surekrig_model *m, const sk_hyper *h)
{
    return m->data.noise ? 1 / sk_model_gamma2(m, h, 0) : 0;
}

const surekrig_info *surekrig_model_info(const surekrig_model *m)
{
    return m ? &m->info : NULL;
}

const surekrig_data *surekrig_model_data(const surekrig_model *m)
{
    return m ? &m->data : NULL;
}

const char *surekrig_outcome_sentence(surekrig_outcome outcome)
{
    static const char *const SENTENCE[] = {
        [SUREKRIG_CONVERGED] = "converged",
        [SUREKRIG_COVERAGE_NOT_MET] =
            "coverage not met within the tolerance at every level; what was found is returned",
        [SUREKRIG_BUDGET_SPENT] = "budget spent before convergence; what was found is returned",
        [SUREKRIG_STOPPED_EARLY] = "stopped by the caller; the best found is returned",
        [SUREKRIG_NOT_TRAINED] = "nothing to search: all hyperparameters were given",
    };
    bool known = (size_t)outcome < sizeof SENTENCE / sizeof *SENTENCE;
    return known ? SENTENCE[outcome] : "unknown outcome";
}
