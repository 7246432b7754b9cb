/* The metric and the neighbours, in turns: hyperparameters given neighbours, then the neighbours that are nearest where
 * every coordinate is divided by its length scale, until these are nearly those it was fitted with. A feature that may
 * be left out at no cost in likelihood gets an infinite length scale, and drops out of distances. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 4 };
static const double ALIKE = 2;    /* axes stretched by factors that differ by less have nearly the same neighbours */
static const double USELESS = 10; /* sides of the box: length scales beyond are asked whether they are needed */
static const double COST = 2;     /* in twice the log likelihood: what a length scale of its own must gain */

/* How much the fitted length scales stretch the frame, from axis to axis. */
static double stretch(const sk_training *t, const double *side)
{
    double least = INFINITY, most = 0;
    for (int64_t a = 0; a < t->trial.d; a++) {
        double ratio = side[a] / t->m->frame.side[a];
        if (isinf(t->m->frame.side[a]))
            continue;
        least = fmin(least, ratio);
        most = fmax(most, ratio);
    }
    return most / least;
}

static void set_part(sk_training *t, const sk_metric_part *part, double rho)
{
    for (int64_t i = 0; i < part->coordinates; i++)
        t->trial.rho[part->coordinate[i]] = rho;
    sk_hyper_settle(&t->trial);
}

/* Tries to do without each feature whose length scale is beyond the data, the longest first. */
static surekrig_status drop_useless(sk_training *t, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    double told = (double)t->batch.n + (t->loss.row->needs_neighbors ? t->errors.neighbours : 0), best, without;
    double allowed = COST / fmin(told, (double)m->data.n);
    bool *asked = sk_zeroed(m->metric.parts, sizeof *asked);
    surekrig_status status = asked ? sk_training_measure(t, &best, error) : sk_fail_memory(error, 64, "the metric");
    while (!status) {
        int64_t longest = -1, left = 0;
        double most = USELESS;
        for (int64_t p = 0; p < m->metric.parts; p++) {
            double sides = t->trial.rho[m->metric.part[p].coordinate[0]] /
                           sk_frame_extent(&m->frame, &m->metric.part[p]);
            left += isfinite(sides);
            if (!asked[p] && isfinite(sides) && sides > most) {
                longest = p;
                most = sides;
            }
        }
        if (longest < 0 || left < 2)
            break;
        double rho = t->trial.rho[m->metric.part[longest].coordinate[0]];
        asked[longest] = true;
        set_part(t, &m->metric.part[longest], INFINITY);
        status = sk_training_measure(t, &without, error);
        if (status == SUREKRIG_NUMERIC || (!status && !(without <= best + allowed))) {
            set_part(t, &m->metric.part[longest], rho);
            status = SUREKRIG_OK;
        } else if (!status) {
            best = fmin(best, without);
        }
    }
    free(asked);
    return status;
}

surekrig_status sk_take_given_metric(surekrig_model *m, surekrig_error *error)
{
    const sk_parameter *rho = &m->settings->rho;
    if (m->settings->metric != SK_METRIC_FITTED || rho->how != SK_FIXED || rho->count != m->metric.parts ||
        rho->count < 2)
        return SUREKRIG_OK;
    double *side = sk_copy(m->frame.side, m->frame.d, sizeof *side);
    if (!side)
        return sk_fail_memory(error, 8.0 * (double)m->frame.d, "the metric");
    for (int64_t p = 0; p < m->metric.parts; p++)
        for (int64_t i = 0; i < m->metric.part[p].coordinates; i++) {
            int64_t a = m->metric.part[p].coordinate[i];
            side[a] = isinf(side[a]) ? side[a] : rho->fixed[p];
        }
    surekrig_status status = sk_model_reframe(m, side, error);
    free(side);
    return status;
}

/* A new training with the model's frame as it now is; axes begin where those of the old one do. */
static surekrig_status reopen(sk_training *t, surekrig_error *error)
{
    sk_training old = *t;
    surekrig_model *m = t->m;
    double neighbours = m->phase[1].seconds;
    old.axis = sk_copy(t->axis, t->axes, sizeof *t->axis);
    old.moved = sk_copy(t->moved, t->axes, sizeof *t->moved);
    sk_training_close(t);
    surekrig_status status = old.axis && old.moved ? sk_training_open(m, old.ticker.progress, t, error)
                                                   : sk_fail_memory(error, 64.0 * old.axes, "the search space");
    if (!status) { /* to the progress report it is one training */
        t->planned = old.planned;
        t->forgotten = old.forgotten;
        t->ticker.report = old.ticker.report;
        t->ticker.last = old.ticker.last;
        m->phase[1].seconds += neighbours;
    }
    for (int a = 0; a < t->axes && !status; a++)
        for (int b = 0; b < old.axes; b++)
            if (t->moved[a].row == old.moved[b].row && t->moved[a].part == old.moved[b].part)
                t->axis[a].start = fmin(fmax(old.axis[b].start, t->axis[a].lower), t->axis[a].upper);
    free(old.axis);
    free(old.moved);
    return status;
}

/* Likelihood alone, from where the axes begin; they then begin where it ended, and the trial is that. */
static surekrig_status search(sk_training *t, const sk_plan *plan, surekrig_error *error)
{
    sk_plan quick = *plan;
    sk_result result = {0};
    quick.rounds = 1;
    quick.polish = 0;
    quick.multipliers = false;
    quick.seconds /= 2 * TURNS;
    t->planned += quick.evaluations;
    sk_objective objective = sk_training_objective(t);
    surekrig_status status = sk_minimize(&objective, &quick, &result, error);
    if (!status) {
        sk_training_retry(t, result.chosen, &result.round[result.rounds - 1]);
        for (int a = 0; a < t->axes; a++)
            t->axis[a].start = t->theta[result.chosen * t->axes + a];
    }
    sk_result_free(&result);
    return status;
}

surekrig_status sk_training_settle_metric(sk_training *t, const sk_plan *plan, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (int turn = 0; turn < TURNS && !status; turn++) {
        int levels = t->loss.levels;
        t->loss.levels = 0;
        status = search(t, plan, error);
        if (!status && !t->ticker.stopped)
            status = drop_useless(t, error);
        if (status)
            break;
        t->loss.levels = levels;
        sk_training_forget(t);
        if (t->ticker.stopped || stretch(t, t->trial.rho) <= ALIKE)
            break;
        status = sk_model_reframe(t->m, t->trial.rho, error);
        if (!status)
            status = reopen(t, error);
    }
    if (status)
        sk_training_close(t);
    return status;
}
