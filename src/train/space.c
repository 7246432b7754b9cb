/* What is searched and where, and what a point of the search means: hyperparameters in the model's units. */
#include "train/train.h"

#include <math.h>
#include <stdio.h>

/* The longest rho in plain axes, in longest sides. The paper gives no box; its MSE, which sees no scale, leaves rho
 * spread over it: mean 1.10 and sd 0.59 over four cases, as of a uniform rho up to 2.1 or 2.2. */
static const double PLAIN_FAR = 2.2;
static const double REACHED = 3;   /* times the neighbours' distance: where length scales of features begin */
static const double LEAST = 1e-10; /* nugget of hundreds of neighbours: smooth functions want it, and doubles bear it */
static const double SMOOTHEST[2] = {2.5, 10}; /* automatic nu: for one length scale or few, and for many */

static void add_axis(sk_training *t, sk_moved moved, surekrig_axis axis)
{
    if (!(axis.start >= axis.lower && axis.start <= axis.upper))
        axis.start = sqrt(axis.lower * axis.upper);
    axis.log = moved.relative || t->m->settings->aids & SK_AID_LOG; /* a nugget is searched over decades */
    t->axis[t->axes] = axis;
    t->moved[t->axes++] = moved;
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

/* How far a point's neighbours are, in sides of the box. Among many features even the nearest are far, and a search that
 * began at a tenth of a side would see independent points. */
static double neighbour_distance(const sk_training *t)
{
    const sk_frame *frame = &t->m->frame;
    double sum = 0;
    for (int64_t a = 0; a < frame->d; a++)
        sum = isinf(frame->side[a]) ? sum : hypot(sum, t->offset[a] / (frame->upper[a] - frame->lower[a]));
    return sum;
}

/* The shortest length scale, in sides. Of a long series a thousandth is many steps in time: there it is a hundredth of how
 * far the neighbours are. */
static double shortest(const sk_training *t, const sk_metric_part *part)
{
    int64_t time = part->coordinate[0];
    double near = 0.01 * t->offset[time] / sk_frame_extent(&t->m->frame, part);
    return time == t->m->metric.time && near > 0 ? fmin(1e-3, near) : 1e-3;
}

/* How many values rho takes, and for what: one for all, or one for each part of the metric. */
static surekrig_status refuse_rho(const surekrig_model *m, int given, surekrig_error *error)
{
    enum { LISTED = 4, EACH = 110 };
    char list[LISTED * EACH] = "one for each feature or group", name[60], all[8] = "";
    int64_t parts = m->metric.parts;
    size_t used = 0;
    for (int64_t p = 0; p < parts && parts <= LISTED; p++) {
        const sk_metric_part *part = &m->metric.part[p];
        bool sphere = p == 0 && sk_metric_has_sphere(&m->metric);
        sk_metric_part_name(part, &m->data, " and ", sizeof name, name);
        used += (size_t)snprintf(list + used, sizeof list - used, "%sfor %s%s", p ? ", " : "", name,
                                 sphere                  ? ", which have one on the sphere (in km)"
                                 : part->coordinates > 1 ? " together"
                                                         : "");
    }
    if (parts > 1)
        snprintf(all, sizeof all, "1, or ");
    return sk_fail(error, SUREKRIG_INVALID, "rho has %d values; it takes %s%lld: %s", given, all, (long long)parts,
                   list);
}

/* One length scale for all, or one for each part of the metric. */
static surekrig_status lay_rho(sk_training *t, const sk_hyper_row *row, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    const surekrig_settings *settings = m->settings;
    const sk_parameter *rho = row->asked(settings);
    int64_t parts = m->metric.parts;
    bool by_axis = m->scaling == SK_SCALING_AXIS;
    if (rho->how == SK_FIXED && rho->count != 1 && rho->count != parts)
        return refuse_rho(m, rho->count, error);
    for (int64_t p = 0; p < parts; p++)
        for (int64_t i = 0; i < m->metric.part[p].coordinates; i++) {
            int64_t a = m->metric.part[p].coordinate[i];
            bool counts = isfinite(m->frame.side[a]);
            t->rho_unit[a] = !counts ? INFINITY : by_axis && !(rho->count > 1) ? m->frame.start[a] : 1;
            t->trial.rho[a] = counts ? t->rho_unit[a] * rho->fixed[rho->count > 1 ? p : 0] : INFINITY;
        }
    double far = m->anisotropic                ? 1e3
                 : settings->aids & SK_AID_LOG ? 10
                                               : PLAIN_FAR,
           begin = m->anisotropic ? fmax(0.1, REACHED * neighbour_distance(t)) : 0.1;
    for (int64_t p = 0; rho->how != SK_FIXED && p < (m->anisotropic ? parts : 1); p++) {
        const sk_metric_part *part = &m->metric.part[p];
        if (m->anisotropic && isinf(m->frame.side[part->coordinate[0]]))
            continue; /* the trend's alone, or found to be of no use */
        double side = by_axis ? 1 : m->anisotropic ? sk_frame_extent(&m->frame, part) : longest_side(&m->frame);
        add_axis(t, (sk_moved){row, m->anisotropic ? p : -1, false},
                 axis_of(rho, (m->anisotropic ? shortest(t, part) : 1e-3) * side, begin * side, far * side));
    }
    return SUREKRIG_OK;
}

/* gamma2 is searched only where noise is given: elsewhere it is profiled. */
static surekrig_status lay_gamma2(sk_training *t, const sk_hyper_row *row, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    const sk_parameter *gamma2 = row->asked(m->settings);
    double variance = m->spread[0] * m->spread[0];
    if (m->data.noise && gamma2->how != SK_FIXED)
        add_axis(t, (sk_moved){row, -1, false}, axis_of(gamma2, 1e-3 * variance, variance, 1e3 * variance));
    if (m->data.noise && !(variance > 0 && isfinite(1 / variance) && isfinite(variance)))
        return sk_fail(error, SUREKRIG_DATA,
                       "the response's standard deviation is %g, whose square a double cannot "
                       "hold: rescale response and noise",
                       m->spread[0]);
    for (int64_t q = 0; q < m->data.l; q++)
        t->trial.gamma2_std[q] = gamma2->how == SK_FIXED ? gamma2->fixed[0] / m->spread[q] / m->spread[q] : 1;
    return SUREKRIG_OK;
}

/* An automatic nugget, relative to what the neighbours share. Some hundred of them in many features are all over the data
 * and share little: there the ratio is hardly less than the nugget itself, which is searched as it is. For where the
 * ratio takes it to its bound the loss has a crease, oblique to the axes, that stops a search by gradients. */
static void lay_nugget(sk_training *t, const sk_hyper_row *row, bool many)
{
    enum { WIDE = 100 };
    bool wide = many && t->m->info.neighbors > WIDE, itself = wide && t->m->settings->coverage.count == 0;
    double lower = itself ? LEAST : wide ? SK_TAU2_LOWEST : 1e-5, upper = itself ? SK_TAU2_HIGHEST : 1e3;
    add_axis(t, (sk_moved){row, -1, !itself}, (surekrig_axis){lower, upper, many ? 1 : 0.1, 1});
}

/* A single number: fixed, or searched in the range that is asked; an automatic nugget: relative to what the neighbours
 * share. */
static surekrig_status lay_number(sk_training *t, const sk_hyper_row *row, surekrig_error *error)
{
    const sk_parameter *asked = row->asked(t->m->settings);
    bool many = t->m->anisotropic && t->m->metric.parts > 3;
    (void)error;
    if (row->estimates(t->m) == 0)
        return SUREKRIG_OK;
    if (row == sk_hyper_row_at(SK_HYPER_NU) && !sk_family_named(sk_kernel_name(t->m->settings))->smoothness) {
        t->trial.nu = INFINITY; /* the family has none */
        return SUREKRIG_OK;
    }
    *row->at(&t->trial) = asked->fixed[0];
    if (asked->how == SK_AUTO && row == sk_hyper_row_at(SK_HYPER_NU)) {
        add_axis(t, (sk_moved){row, -1, false}, (surekrig_axis){0.05, SMOOTHEST[many], many ? 1.5 : row->start, 1});
        return SUREKRIG_OK;
    }
    if (asked->how == SK_RANGE)
        add_axis(t, (sk_moved){row, -1, false}, axis_of(asked, 0, row->start, 0));
    if (asked->how == SK_AUTO)
        lay_nugget(t, row, many);
    return SUREKRIG_OK;
}

/* What is searched, and the fixed values of what is not. */
surekrig_status sk_training_space(sk_training *t, surekrig_error *error)
{
    int64_t d = t->m->kriged.d, most = d; /* rho's, and one for each other row */
    for (int turn = 0; sk_hyper_in_turn(turn); turn++)
        most++;
    t->axis = sk_alloc(most, sizeof *t->axis);
    t->moved = sk_alloc(most, sizeof *t->moved);
    t->rho_unit = sk_doubles(d);
    if (!t->axis || !t->moved || !t->rho_unit)
        return sk_fail_memory(error, 1e3, "the search space");
    surekrig_status status = SUREKRIG_OK;
    const sk_hyper_row *row;
    for (int turn = 0; (row = sk_hyper_in_turn(turn)) && !status; turn++)
        status = row == sk_hyper_row_at(SK_HYPER_RHO)      ? lay_rho(t, row, error)
                 : row == sk_hyper_row_at(SK_HYPER_GAMMA2) ? lay_gamma2(t, row, error)
                                                           : lay_number(t, row, error);
    return status;
}

/* 1 - M at the neighbours' typical distance: how much of the field's variance is not shared with them. An automatic
 * nugget is searched in units of it, for that ratio is what the data show: a long and smooth field with a tiny nugget
 * in units of its large gamma2 is the same to them as a shorter one with a larger nugget. */
static double neighbour_complement(const sk_training *t)
{
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(t->m, &t->trial, term);
    double sum = 0, shared = 1;
    for (int i = 0; i < theta.terms; i++) {
        const sk_family *family = sk_family_of(term[i].nu, term[i].kernel);
        double u = 0, unit = sqrt(family->unit(term[i].nu));
        for (int64_t a = 0; a < t->trial.d; a++)
            u = hypot(u, unit * t->offset[a] / term[i].rho[a]);
        double apart = (double)family->exact(term[i].nu, u).complement;
        sum += term[i].weight * apart;
        shared *= 1 - apart;
    }
    return theta.product ? 1 - shared : sum;
}

/* One axis' value into the trial; what is relative waits until the others are set. */
static void move(sk_training *t, const sk_moved *moved, double value)
{
    const surekrig_model *m = t->m;
    double *to = moved->row->at(&t->trial);
    if (moved->row == sk_hyper_row_at(SK_HYPER_RHO)) {
        const sk_metric_part *part = moved->part < 0 ? NULL : &m->metric.part[moved->part];
        for (int64_t i = 0; i < (part ? part->coordinates : t->trial.d); i++) {
            int64_t a = part ? part->coordinate[i] : i;
            to[a] = value * t->rho_unit[a];
        }
    } else if (moved->row == sk_hyper_row_at(SK_HYPER_GAMMA2)) {
        to[0] = value / m->spread[0] / m->spread[0]; /* noise goes with one response */
    } else if (!moved->relative) {
        to[0] = value;
    }
}

void sk_training_begin(sk_training *t, const sk_hyper *hyper)
{
    sk_hyper own = t->trial, from = *hyper;
    sk_hyper_copy(hyper, &t->trial);
    t->trial.time = own.time; /* the other may have no factor in time, or this one none */
    t->trial.time_nu = isfinite(from.time_nu) ? from.time_nu : own.time_nu;
    t->trial.time_mix = isfinite(from.time_mix) && isfinite(own.time_mix) ? from.time_mix : own.time_mix;
    for (int i = 0; i < t->axes; i++)
        if (t->moved[i].row != sk_hyper_row_at(SK_HYPER_RHO) && !isfinite(t->moved[i].row->at(&from)[0]))
            *t->moved[i].row->at(&t->trial) = t->axis[i].start;
    sk_hyper_settle(&t->trial);
    double variance = t->m->spread[0] * t->m->spread[0], complement = neighbour_complement(t);
    if (hyper->long_share == 0) { /* of one term: it has nothing to say of a second */
        t->trial.long_share = own.long_share;
        t->trial.long_ratio = own.long_ratio;
        t->trial.long_nu = own.long_nu;
    }
    for (int i = 0; i < t->axes; i++) {
        const sk_moved *moved = &t->moved[i];
        if (hyper->long_share == 0 && moved->row->by >= SK_BY_LONG_RATIO)
            continue;
        const sk_metric *metric = &t->m->metric;
        int64_t of = moved->row == sk_hyper_row_at(SK_HYPER_RHO)
                         ? metric->part[moved->part < 0 ? 0 : moved->part].coordinate[0]
                         : 0;
        double value = moved->row->at(&from)[of];
        if (moved->row == sk_hyper_row_at(SK_HYPER_RHO))
            value /= t->rho_unit[of];
        else if (moved->row == sk_hyper_row_at(SK_HYPER_GAMMA2))
            value *= variance;
        else if (moved->relative)
            value /= complement;
        if (isfinite(value))
            t->axis[i].start = fmin(fmax(value, t->axis[i].lower), t->axis[i].upper);
    }
}

void sk_training_try(sk_training *t, const double *theta)
{
    for (int i = 0; i < t->axes; i++)
        move(t, &t->moved[i], theta[i]);
    sk_hyper_settle(&t->trial);
    for (int i = 0; i < t->axes; i++)
        if (t->moved[i].relative)
            t->trial.tau2 = fmin(fmax(theta[i] * neighbour_complement(t), SK_TAU2_LOWEST), SK_TAU2_HIGHEST);
}
