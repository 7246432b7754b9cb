/* The metric and the neighbours, in turns: hyperparameters given neighbours, then the neighbours that are nearest where
 * every coordinate is divided by its length scale, until these are nearly those it was fitted with. A feature that may
 * be left out at no cost in likelihood gets an infinite length scale, and drops out of distances. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 4 };
static const double ALIKE = 2;    /* axes stretched by factors that differ by less have nearly the same neighbours */
static const double NEAR = 0.8;   /* the correlation by which space and time are compared */
static const double USELESS = 10; /* sides of the box: length scales beyond are asked whether they are needed */
static const double COST = 2;     /* in twice the log likelihood: what a length scale of its own must gain */
static const double AGAIN[] = {5, 2, 1}; /* sides of the box: where a feature that was left out is asked again */
static const double FAR = 100;           /* sides: so far that many of them at once do no harm */
enum { ASKED = 6 };                      /* at most, in a turn */

/* How far apart, in length scales, points still have this correlation. */
static double reach(const sk_family *family, double nu)
{
    double low = 0, high = 1;
    for (int step = 0; step < 40; step++) {
        double middle = (low + high) / 2;
        bool beyond = family->exact(nu, sqrt(family->unit(nu)) * middle).value < NEAR;
        *(beyond ? &high : &low) = middle;
    }
    return high;
}

/* What coordinates are to be divided by: their length scales or, of space and time with a smoothness each, where each
 * alone has fallen to one correlation, so that neighbours are the most correlated. */
static void find_sides(const sk_training *t, double *side)
{
    const sk_hyper *h = &t->trial;
    memcpy(side, h->rho, (size_t)h->d * sizeof *side);
    if (h->time < 0)
        return;
    double space = reach(sk_model_family(t->m, h), h->nu), time = reach(sk_family_of(h->time_nu, NULL), h->time_nu);
    for (int64_t a = 0; a < h->d; a++)
        side[a] *= a == h->time ? time : space;
}

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

double sk_training_in_mean(const sk_training *t, double gain)
{
    double told = (double)t->batch.n + (t->loss.row->needs_neighbors ? t->errors.neighbours : 0);
    return gain / fmin(told, (double)t->m->data.n);
}

static double side_of(const surekrig_model *m, int64_t part)
{
    return sk_frame_extent(&m->frame, &m->metric.part[part]);
}

/* Left out in an earlier turn, not by the user. */
static bool left_out(const surekrig_model *m, int64_t part)
{
    int64_t a = m->metric.part[part].coordinate[0];
    return isinf(m->frame.side[a]) && isfinite(m->frame.start[a]);
}

void sk_start_with_all(const surekrig_model *m, sk_start *start)
{
    for (int64_t p = 0; p < m->metric.parts; p++)
        for (int64_t i = 0; i < m->metric.part[p].coordinates && left_out(m, p); i++) {
            int64_t a = m->metric.part[p].coordinate[i];
            start->side[a] = start->hyper.rho[a] = FAR * side_of(m, p);
        }
}

/* Left out by a training with fewer neighbours. */
static bool doubted(const sk_training *t, int64_t part)
{
    return t->before && isinf(t->before[t->m->metric.part[part].coordinate[0]]);
}

/* What a length scale of its own must gain: log n, as Schwarz has it, where it is doubted. Asked twice, too many inert
 * features would be in by chance. */
static double cost_of(const sk_training *t, int64_t part)
{
    return sk_training_in_mean(t, doubted(t, part) ? log((double)t->m->data.n) : COST);
}

/* Tries to do without each feature that is doubted or whose length scale is beyond the data, the longest first. */
static surekrig_status drop_useless(sk_training *t, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    double best, without;
    bool *asked = sk_zeroed(m->metric.parts, sizeof *asked);
    surekrig_status status = asked ? sk_training_measure(t, &best, error) : sk_fail_memory(error, 64, "the metric");
    while (!status) {
        int64_t longest = -1, left = 0;
        double most = 0;
        for (int64_t p = 0; p < m->metric.parts; p++) {
            double sides = t->trial.rho[m->metric.part[p].coordinate[0]] / side_of(m, p);
            left += isfinite(sides);
            bool factor = m->metric.part[p].coordinate[0] == t->trial.time; /* no slopes tell when it matters again */
            bool ask = !asked[p] && !factor && (sides > USELESS || doubted(t, p));
            if (ask && isfinite(sides) && sides > most) {
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
        if (status == SUREKRIG_NUMERIC || (!status && !(without <= best + cost_of(t, longest)))) {
            set_part(t, &m->metric.part[longest], rho);
            status = SUREKRIG_OK;
        } else if (!status) {
            best = fmin(best, without);
        }
    }
    free(asked);
    return status;
}

static void set_left_out(sk_training *t, double sides)
{
    for (int64_t p = 0; p < t->m->metric.parts; p++)
        if (left_out(t->m, p))
            set_part(t, &t->m->metric.part[p], sides * side_of(t->m, p));
}

/* Takes a part into the trial again if some length scale gains. */
static surekrig_status ask_part(sk_training *t, int64_t part, double allowed, double *best, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    double kept = INFINITY, loss;
    for (size_t i = 0; i < sizeof AGAIN / sizeof *AGAIN && !status; i++) {
        set_part(t, &t->m->metric.part[part], AGAIN[i] * side_of(t->m, part));
        status = sk_training_measure(t, &loss, error);
        if (!status && loss < *best - (isinf(kept) ? allowed : 0)) {
            *best = loss;
            kept = AGAIN[i] * side_of(t->m, part);
        }
        status = status == SUREKRIG_NUMERIC ? SUREKRIG_OK : status;
    }
    set_part(t, &t->m->metric.part[part], kept);
    return status;
}

/* Features that were left out when neighbours were worse, asked again, those first to which the loss is steepest. *any:
 * one is back. */
static surekrig_status ask_again(sk_training *t, bool *any, surekrig_error *error)
{
    const surekrig_model *m = t->m;
    double *by = sk_doubles(m->frame.d), best;
    *any = false;
    set_left_out(t, FAR);
    surekrig_status status = by ? sk_training_by_rho(t, by, error)
                                : sk_fail_memory(error, 8.0 * (double)m->frame.d, "the metric");
    set_left_out(t, INFINITY);
    if (status == SUREKRIG_NUMERIC) { /* nothing to be learnt there */
        free(by);
        return SUREKRIG_OK;
    }
    for (int64_t p = 0; p < m->metric.parts && !status; p++) /* of a part: the sum, at its first coordinate */
        for (int64_t i = 1; i < m->metric.part[p].coordinates; i++)
            by[m->metric.part[p].coordinate[0]] += by[m->metric.part[p].coordinate[i]];
    if (!status)
        status = sk_training_measure(t, &best, error);
    for (int asked = 0; asked < ASKED && !status; asked++) {
        int64_t steepest = -1;
        for (int64_t p = 0; p < m->metric.parts; p++) {
            int64_t a = m->metric.part[p].coordinate[0];
            if (left_out(m, p) && by[a] > 0 && (steepest < 0 || by[a] > by[m->metric.part[steepest].coordinate[0]]))
                steepest = p;
        }
        if (steepest < 0)
            break;
        by[m->metric.part[steepest].coordinate[0]] = 0;
        status = ask_part(t, steepest, cost_of(t, steepest), &best, error);
        *any |= isfinite(t->trial.rho[m->metric.part[steepest].coordinate[0]]);
    }
    free(by);
    return status;
}

static bool any_left_out(const surekrig_model *m)
{
    for (int64_t p = 0; p < m->metric.parts; p++)
        if (left_out(m, p))
            return true;
    return false;
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

/* A new training with the model's frame as it now is; it begins where the old one ended. */
static surekrig_status reopen(sk_training *t, surekrig_error *error)
{
    sk_training old = *t;
    surekrig_model *m = t->m;
    double neighbours = m->phase[1].seconds;
    t->trial = (sk_hyper){0};
    sk_training_close(t);
    surekrig_status status = sk_training_open(m, old.ticker.progress, t, error);
    if (!status) { /* to the progress report it is one training */
        t->before = old.before;
        t->planned = old.planned;
        t->forgotten = old.forgotten;
        t->ticker.report = old.ticker.report;
        t->ticker.last = old.ticker.last;
        m->phase[1].seconds += neighbours;
        sk_training_begin(t, &old.trial);
    }
    sk_hyper_free(&old.trial);
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
    quick.rough = plan->near;
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
    double *side = sk_doubles(t->trial.d);
    surekrig_status status = side ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)t->trial.d, "the metric");
    sk_plan next = *plan;
    for (int turn = 0; turn < TURNS && !status; turn++) {
        int levels = t->loss.levels;
        t->loss.levels = 0;
        status = search(t, &next, error);
        next.near = true;
        bool back = false;
        if (!status && !t->ticker.stopped)
            status = drop_useless(t, error);
        if (!status && !t->ticker.stopped && any_left_out(t->m) && sk_training_objective(t).gradient)
            status = ask_again(t, &back, error);
        if (status)
            break;
        t->loss.levels = levels;
        sk_training_forget(t);
        find_sides(t, side);
        if (t->ticker.stopped || (stretch(t, side) <= ALIKE && !back))
            break;
        status = sk_model_reframe(t->m, side, error);
        if (!status)
            status = reopen(t, error);
    }
    free(side);
    if (status)
        sk_training_close(t);
    return status;
}
