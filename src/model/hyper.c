/* The hyperparameters: one vector, and one table that names them, finds what the user asks of each, and says how many
 * there are, where they stand and how they are reported. */
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the vector */

static void place(double *numbers, sk_hyper *h)
{
    h->rho = numbers; /* the first of all */
    h->long_rho = numbers + h->d;
    h->space_rho = numbers + 2 * h->d;
    h->time_rho = numbers + 3 * h->d;
    h->gamma2_std = numbers + 4 * h->d;
}

surekrig_status sk_hyper_new(int64_t d, int64_t l, sk_hyper *out, surekrig_error *error)
{
    double *numbers = sk_zeroed(4 * d + l, sizeof *numbers);
    if (!numbers)
        return sk_fail_memory(error, 8.0 * (double)(4 * d + l), "the hyperparameters");
    *out = (sk_hyper){.d = d, .l = l, .time = -1, .time_nu = INFINITY, .time_mix = INFINITY};
    place(numbers, out);
    return SUREKRIG_OK;
}

void sk_hyper_free(sk_hyper *hyper)
{
    free(hyper->rho);
    *hyper = (sk_hyper){0};
}

void sk_hyper_copy(const sk_hyper *from, sk_hyper *to)
{
    double *numbers = to->rho;
    memcpy(numbers, from->rho, (size_t)(4 * from->d + from->l) * sizeof *numbers);
    *to = *from;
    place(numbers, to);
}

void sk_hyper_settle(sk_hyper *hyper)
{
    for (int64_t a = 0; a < hyper->d; a++) {
        hyper->long_rho[a] = hyper->long_ratio * hyper->rho[a];
        hyper->space_rho[a] = a == hyper->time ? INFINITY : hyper->rho[a];
        hyper->time_rho[a] = a == hyper->time ? hyper->rho[a] : INFINITY;
    }
}

/* ---- how many estimates there are of each */

static int64_t one(const surekrig_model *m)
{
    (void)m;
    return 1;
}

/* Whether each feature has a length scale of its own to report. */
static bool rho_differs(const surekrig_model *m)
{
    return m->anisotropic || m->scaling == SK_SCALING_AXIS || m->settings->rho.count > 1;
}

static int64_t rhos(const surekrig_model *m)
{
    return rho_differs(m) ? m->metric.parts : 1;
}

static int64_t responses(const surekrig_model *m)
{
    return m->data.l;
}

static int64_t long_terms(const surekrig_model *m)
{
    return m->settings->terms > 1;
}

static int64_t times(const surekrig_model *m)
{
    return m->hyper.time >= 0;
}

static int64_t mixes(const surekrig_model *m)
{
    return m->hyper.time >= 0 && m->settings->spacetime == SK_GNEITING;
}

static int64_t slopes(const surekrig_model *m)
{
    return m->data.l * m->trend.columns;
}

/* ---- their values */

static double estimate_rho(const surekrig_model *m, const sk_hyper *h, int64_t i)
{
    int64_t a = rho_differs(m) ? m->metric.part[i].coordinate[0] : 0;
    while (!rho_differs(m) && isinf(m->frame.side[a])) /* that of all features that count in distances */
        a++;
    return h->rho[a];
}

static double estimate_gamma2(const surekrig_model *m, const sk_hyper *h, int64_t i)
{
    return sk_model_gamma2(m, h, i);
}

static double estimate_mean(const surekrig_model *m, const sk_hyper *h, int64_t i)
{
    (void)h;
    return m->center[i];
}

static double estimate_slope(const surekrig_model *m, const sk_hyper *h, int64_t i)
{
    (void)h;
    return m->trend.beta[i] / m->trend.sd[i % m->trend.columns];
}

/* ---- their names; those of one are their row's */

enum { NAME = 72 };
_Static_assert(sizeof((surekrig_estimate *)0)->name == NAME, "a label fits an estimate's name");

static void label_rho(const surekrig_model *m, int64_t i, char *name)
{
    const sk_metric_part *part = &m->metric.part[i];
    if (!rho_differs(m))
        snprintf(name, NAME, "rho");
    else
        sk_metric_part_name(part, &m->data, "_", NAME - (size_t)snprintf(name, NAME, "rho_"), name + strlen("rho_"));
}

static void label_gamma2(const surekrig_model *m, int64_t i, char *name)
{
    snprintf(name, NAME, m->data.l > 1 ? "gamma2_%s" : "gamma2", m->data.y_names[i]);
}

static void label_mean(const surekrig_model *m, int64_t i, char *name)
{
    snprintf(name, NAME, m->data.l > 1 ? "mean_%s" : "mean", m->data.y_names[i]);
}

static void label_slope(const surekrig_model *m, int64_t i, char *name)
{
    int64_t columns = m->trend.columns;
    const char *feature = m->data.x_names[m->trend.feature[i % columns]];
    if (m->data.l > 1)
        snprintf(name, NAME, "trend_%.30s_%.30s", feature, m->data.y_names[i / columns]);
    else
        snprintf(name, NAME, "trend_%.60s", feature);
}

/* ---- where they stand in the vector, and in the settings */

static int64_t single(const sk_hyper *h)
{
    (void)h;
    return 1;
}

static int64_t by_coordinate(const sk_hyper *h)
{
    return h->d;
}

static int64_t by_response(const sk_hyper *h)
{
    return h->l;
}

#define FIELD(field)                                                                                                   \
    static double *at_##field(sk_hyper *h)                                                                             \
    {                                                                                                                  \
        return &h->field;                                                                                              \
    }                                                                                                                  \
    static double estimate_##field(const surekrig_model *m, const sk_hyper *h, int64_t i)                              \
    {                                                                                                                  \
        (void)m, (void)i;                                                                                              \
        return h->field;                                                                                               \
    }                                                                                                                  \
    static const sk_parameter *asked_##field(const surekrig_settings *settings)                                        \
    {                                                                                                                  \
        return &settings->field;                                                                                       \
    }
FIELD(nu)
FIELD(tau2)
FIELD(long_share)
FIELD(long_ratio)
FIELD(long_nu)
FIELD(time_nu)
FIELD(time_mix)

static double *at_rho(sk_hyper *h)
{
    return h->rho;
}

static double *at_gamma2(sk_hyper *h)
{
    return h->gamma2_std;
}

static const sk_parameter *asked_rho(const surekrig_settings *settings)
{
    return &settings->rho;
}

static const sk_parameter *asked_gamma2(const surekrig_settings *settings)
{
    return &settings->gamma2;
}

/* ---- the table, in the order of the estimates */

/* clang-format off */
static const sk_hyper_row ROWS[] = {
    [SK_HYPER_NU] =     {"nu", asked_nu, 0, 0.5, SK_NU_MIN, INFINITY, one, estimate_nu, NULL, SK_BY_NU, at_nu, single},
    [SK_HYPER_RHO] =    {"rho", asked_rho, 1, NAN, DBL_MIN, INFINITY, rhos, estimate_rho, label_rho, SK_HYPER_BY_RHO, at_rho, by_coordinate},
    [SK_HYPER_TAU2] =   {"tau2", asked_tau2, 7, 1e-3, 0, 1e300, one, estimate_tau2, NULL, SK_BY_TAU2, at_tau2, single},
    [SK_HYPER_GAMMA2] = {"gamma2", asked_gamma2, 8, NAN, DBL_MIN, DBL_MAX, responses, estimate_gamma2, label_gamma2, SK_BY_NOISE, at_gamma2, by_response},
    {"mean", NULL, -1, NAN, 0, 0, responses, estimate_mean, label_mean, SK_HYPER_BY_NONE, NULL, NULL},
    {"long_share", asked_long_share, 2, NAN, 0, 1, long_terms, estimate_long_share, NULL, SK_BY_LONG_SHARE, at_long_share, single},
    {"long_ratio", asked_long_ratio, 3, NAN, 0, 1e300, long_terms, estimate_long_ratio, NULL, SK_BY_LONG_RATIO, at_long_ratio, single},
    {"long_nu", asked_long_nu, 4, NAN, 0, SK_NU_MAX, long_terms, estimate_long_nu, NULL, SK_BY_LONG_NU, at_long_nu, single},
    {"time_nu", asked_time_nu, 5, NAN, SK_NU_MIN, INFINITY, times, estimate_time_nu, NULL, SK_HYPER_BY_NONE, at_time_nu, single},
    {"time_mix", asked_time_mix, 6, NAN, 0, INFINITY, mixes, estimate_time_mix, NULL, SK_HYPER_BY_NONE, at_time_mix, single},
    {"trend", NULL, -1, NAN, 0, 0, slopes, estimate_slope, label_slope, SK_HYPER_BY_NONE, NULL, NULL},
};
/* clang-format on */
enum { COUNT = sizeof ROWS / sizeof *ROWS };

const sk_hyper_row *sk_hyper_row_at(int number)
{
    return number >= 0 && number < COUNT ? &ROWS[number] : NULL;
}

const sk_hyper_row *sk_hyper_in_turn(int turn)
{
    for (int i = 0; i < COUNT; i++)
        if (ROWS[i].turn == turn)
            return &ROWS[i];
    return NULL;
}

int64_t sk_hyper_first(const surekrig_model *m, const sk_hyper_row *row)
{
    int64_t first = 0;
    for (const sk_hyper_row *before = ROWS; before < row; before++)
        first += before->estimates(m);
    return first;
}

void sk_hyper_estimates(const surekrig_model *m, const sk_hyper *h, double *value)
{
    for (int r = 0; r < COUNT; r++)
        for (int64_t i = 0; i < ROWS[r].estimates(m); i++)
            *value++ = ROWS[r].estimate(m, h, i);
}

int64_t sk_hyper_label(const surekrig_model *m, surekrig_estimate *estimate)
{
    int64_t count = 0;
    for (int r = 0; r < COUNT; r++)
        for (int64_t i = 0; i < ROWS[r].estimates(m); i++, count++) {
            if (!estimate)
                continue;
            if (ROWS[r].label)
                ROWS[r].label(m, i, estimate[count].name);
            else
                snprintf(estimate[count].name, NAME, "%s", ROWS[r].name);
        }
    return count;
}

/* The second term's numbers mean nothing where there is none. */
bool sk_hyper_possible(const sk_hyper *hyper)
{
    sk_hyper h = *hyper;
    for (int r = 0; r < COUNT; r++)
        for (int64_t i = 0; ROWS[r].at && i < ROWS[r].count(&h); i++) {
            double value = ROWS[r].at(&h)[i];
            if (!(value >= ROWS[r].lowest && value <= ROWS[r].highest))
                return false;
        }
    return h.long_share == 0 || (h.long_share < 1 && h.long_ratio >= 1 && h.long_nu >= SK_NU_MIN);
}
