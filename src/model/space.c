/* What is searched and where, and what a point of the search means: hyperparameters in the user's units. */
#include "model/model.h"

#include <math.h>

static void add_axis(sk_training *t, sk_role what, int64_t feature, surekrig_axis axis)
{
    if (!(axis.start >= axis.lower && axis.start <= axis.upper))
        axis.start = sqrt(axis.lower * axis.upper);
    t->axis[t->axes] = axis;
    t->role[t->axes] = what;
    t->rho_axis[t->axes++] = feature;
}

static surekrig_axis axis_of(const sk_parameter *p, double lower, double start, double upper)
{
    if (p->how == SK_RANGE)
        return (surekrig_axis){p->lower, p->upper, isnan(p->start) ? start : p->start, 1};
    return (surekrig_axis){lower, upper, start, 1};
}

static double longest_side(const sk_frame *frame)
{
    double longest = 0;
    for (int64_t a = 0; a < frame->d; a++)
        longest = isinf(frame->side[a]) ? longest : fmax(longest, frame->upper[a] - frame->lower[a]);
    return longest;
}

static surekrig_status rho_space(sk_training *t, surekrig_error *error)
{
    const surekrig_settings *settings = t->m->settings;
    const sk_parameter *rho = &settings->rho;
    int64_t d = t->m->data.d;
    bool by_axis = settings->scaling == SK_SCALING_AXIS;
    if (rho->how == SK_FIXED && rho->count != 1 && rho->count != d)
        return sk_fail(error, SUREKRIG_INVALID, "rho has %d values, the data %lld features", rho->count, (long long)d);
    for (int64_t a = 0; a < d; a++) {
        bool counts = isfinite(t->m->frame.side[a]);
        t->rho_unit[a] = (by_axis && !(rho->count > 1)) || !counts ? t->m->frame.side[a] : 1;
        t->m->rho[a] = counts ? t->rho_unit[a] * rho->fixed[rho->count > 1 ? a : 0] : INFINITY;
    }
    for (int64_t a = 0; rho->how != SK_FIXED && a < (settings->anisotropic ? d : 1); a++) {
        if (settings->anisotropic && isinf(t->m->frame.side[a]))
            continue; /* the trend's alone */
        double own = t->m->frame.upper[a] - t->m->frame.lower[a];
        double side = by_axis ? 1 : settings->anisotropic ? own : longest_side(&t->m->frame);
        add_axis(t, SK_ROLE_RHO, settings->anisotropic ? a : -1, axis_of(rho, 1e-3 * side, 0.1 * side, 10 * side));
    }
    return SUREKRIG_OK;
}

/* The long term's share, ratio and smoothness. */
static void long_space(sk_training *t)
{
    surekrig_model *m = t->m;
    const surekrig_settings *settings = m->settings;
    const struct {
        const sk_parameter *asked;
        double *value;
        sk_role role;
    } part[] = {{&settings->long_share, &m->long_share, SK_ROLE_LONG_SHARE},
                {&settings->long_ratio, &m->long_ratio, SK_ROLE_LONG_RATIO},
                {&settings->long_nu, &m->long_nu, SK_ROLE_LONG_NU}};
    m->long_share = 0;
    for (int i = 0; i < 3 && settings->terms > 1; i++) {
        *part[i].value = part[i].asked->fixed[0];
        if (part[i].asked->how == SK_RANGE)
            add_axis(t, part[i].role, -1, axis_of(part[i].asked, 0, NAN, 0));
    }
}

/* What is searched, and the fixed values of what is not. */
surekrig_status sk_training_space(sk_training *t, surekrig_error *error)
{
    surekrig_model *m = t->m;
    const surekrig_settings *settings = m->settings;
    int64_t most = m->data.d + 6;
    t->axis = sk_alloc(most, sizeof *t->axis);
    t->role = sk_alloc(most, sizeof *t->role);
    t->rho_axis = sk_alloc(most, sizeof *t->rho_axis);
    t->rho_unit = sk_doubles(m->data.d);
    if (!t->axis || !t->role || !t->rho_axis || !t->rho_unit)
        return sk_fail_memory(error, 1e3, "the search space");
    bool smoothness = sk_family_named(sk_kernel_name(settings))->smoothness;
    m->nu = smoothness ? settings->nu.fixed[0] : INFINITY;
    m->tau2 = settings->tau2.fixed[0];
    if (smoothness && settings->nu.how != SK_FIXED)
        add_axis(t, SK_ROLE_NU, -1, axis_of(&settings->nu, SK_NU_MIN, 0.5, SK_NU_MAX));
    surekrig_status status = rho_space(t, error);
    long_space(t);
    if (settings->tau2.how == SK_RANGE)
        add_axis(t, SK_ROLE_TAU2, -1, axis_of(&settings->tau2, 0, 1e-3, 0));
    if (settings->tau2.how == SK_AUTO)
        add_axis(t, SK_ROLE_NOISE, -1, (surekrig_axis){1e-5, 1e3, 0.1, 1});
    double variance = m->spread[0] * m->spread[0];
    if (m->data.noise && settings->gamma2.how != SK_FIXED)
        add_axis(t, SK_ROLE_GAMMA2, -1, axis_of(&settings->gamma2, 1e-3 * variance, variance, 1e3 * variance));
    if (m->data.noise && !(variance > 0 && isfinite(1 / variance) && isfinite(variance)))
        return sk_fail(error, SUREKRIG_DATA,
                       "the response's standard deviation is %g, whose square a double cannot "
                       "hold: rescale response and noise",
                       m->spread[0]);
    for (int64_t q = 0; q < m->data.l; q++)
        m->scale[q] = settings->gamma2.how == SK_FIXED ? settings->gamma2.fixed[0] / m->spread[q] / m->spread[q] : 1;
    return status;
}

/* 1 - M at the neighbours' typical distance: how much of the field's variance is not shared with them. An automatic
 * nugget is searched in units of it, for that ratio is what the data show: a long and smooth field with a tiny nugget
 * in units of its large gamma2 is the same to them as a shorter one with a larger nugget. */
static double neighbour_complement(const sk_training *t)
{
    const surekrig_model *m = t->m;
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, term);
    double sum = 0;
    for (int i = 0; i < theta.terms; i++) {
        const sk_family *family = sk_family_of(term[i].nu, term[i].kernel);
        double u = 0, unit = sqrt(family->unit(term[i].nu));
        for (int64_t a = 0; a < m->data.d; a++)
            u = hypot(u, unit * t->offset[a] / term[i].rho[a]);
        sum += term[i].weight * (double)family->exact(term[i].nu, u).complement;
    }
    return sum;
}

void sk_training_set_theta(sk_training *t, const double *theta)
{
    surekrig_model *m = t->m;
    for (int i = 0; i < t->axes; i++) {
        if (t->role[i] == SK_ROLE_NU)
            m->nu = theta[i];
        else if (t->role[i] == SK_ROLE_TAU2)
            m->tau2 = theta[i];
        else if (t->role[i] == SK_ROLE_GAMMA2)
            m->scale[0] = theta[i] / m->spread[0] / m->spread[0];
        else if (t->role[i] == SK_ROLE_LONG_SHARE)
            m->long_share = theta[i];
        else if (t->role[i] == SK_ROLE_LONG_RATIO)
            m->long_ratio = theta[i];
        else if (t->role[i] == SK_ROLE_LONG_NU)
            m->long_nu = theta[i];
        else if (t->role[i] == SK_ROLE_RHO)
            for (int64_t a = 0; a < m->data.d; a++)
                if (t->rho_axis[i] < 0 || t->rho_axis[i] == a)
                    m->rho[a] = theta[i] * t->rho_unit[a];
    }
    sk_model_set_long_rho(m);
    for (int i = 0; i < t->axes; i++)
        if (t->role[i] == SK_ROLE_NOISE) /* last: it depends on the others */
            m->tau2 = fmin(fmax(theta[i] * neighbour_complement(t), SK_TAU2_LOWEST), SK_TAU2_HIGHEST);
}
