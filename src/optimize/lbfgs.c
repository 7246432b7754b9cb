/* L-BFGS by NLopt, in the unit cube, on the smoothed Lagrangian: the value that NLopt sees and its gradient belong
 * together, while the archive keeps the exact Lagrangian of each point it tries. The first round starts from theta_0;
 * where the initial design knows a lower point than it found, from that too. Later rounds start from the best known.
 * The first step of the method is the gradient itself, so the function is scaled until that is a short step; and since
 * it may take a narrow valley's wall for its floor, it starts again where it ended while that gains anything. */
#include "optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

static const double FIRST_STEP = 0.05, NEAR_STEP = 0.005; /* of the unit cube's side */
/* Below these differences in a mean over the batch, in the unit cube, and from start to start nothing is learnt any
 * more. */
static const double VALUE_TOLERANCE = 1e-5, POINT_TOLERANCE = 1e-3, GAIN = 1e-4, ROUGHLY = 10;

typedef struct descent {
    sk_search *search;
    nlopt_opt optimizer;
    double *latest, *gradient, *point; /* [axes] each: where the latest value is from, its gradient, NLopt's own */
    double value, unit;                /* the latest value, and what NLopt sees it multiplied by */
    surekrig_status status;
    surekrig_error *error;
} descent;

/* The smoothed Lagrangian and its gradient, remembered. */
static void look(descent *d, const double *unit)
{
    int axes = d->search->objective->axes;
    d->status = sk_search_evaluate(d->search, unit, NULL, d->error);
    if (!d->status)
        d->status = sk_search_gradient(d->search, &d->value, d->gradient, d->error);
    d->search->stopped |= d->status == SUREKRIG_STOPPED;
    memcpy(d->latest, unit, (size_t)axes * sizeof *unit);
}

static double evaluate(unsigned axes, const double *unit, double *gradient, void *context)
{
    descent *d = context;
    bool ended = d->status || sk_search_over(d->search); /* NLopt may ask once more */
    if (!ended && memcmp(unit, d->latest, axes * sizeof *unit))
        look(d, unit);
    if (d->status || sk_search_over(d->search))
        nlopt_force_stop(d->optimizer);
    for (unsigned a = 0; gradient && a < axes; a++)
        gradient[a] = isfinite(d->value) ? d->unit * d->gradient[a] : 0;
    return fmin(d->unit * d->value, 1e300); /* NLopt compares, and subtracts */
}

static double roughness(const sk_plan *plan)
{
    return plan->rough || plan->brief ? ROUGHLY : 1;
}

/* One run from d->point, up to budget more evaluations; how much the smoothed value fell. */
static double descend(descent *d, int64_t budget)
{
    int axes = d->search->objective->axes;
    double largest = 0, value;
    look(d, d->point);
    for (int a = 0; a < axes && !d->status; a++)
        largest = fmax(largest, fabs(d->gradient[a]));
    if (d->status || sk_search_over(d->search) || !isfinite(d->value) || !(largest > 0) || budget < 2)
        return 0;
    double start = d->value;
    d->unit = (d->search->plan->near ? NEAR_STEP : FIRST_STEP) / largest;
    value = d->unit * start; /* where NLopt fails */
    nlopt_set_ftol_abs(d->optimizer, VALUE_TOLERANCE * roughness(d->search->plan) * d->unit);
    nlopt_set_maxeval(d->optimizer, (int)budget);
    nlopt_result result = nlopt_optimize(d->optimizer, d->point, &value);
    if (result == NLOPT_OUT_OF_MEMORY && !d->status)
        d->status = sk_fail_memory(d->error, 1e4, "the search by gradients");
    d->search->converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED || result == NLOPT_SUCCESS;
    return start - value / d->unit;
}

/* Runs from d->point while they gain anything; one that does not says that there is nothing to gain. */
static void settle_here(descent *d, int64_t end)
{
    sk_search *search = d->search;
    double gain = INFINITY, enough = GAIN * roughness(search->plan);
    for (int run = 0; gain > enough && search->count < end && !d->status && !sk_search_over(search); run++) {
        gain = descend(d, end - search->count);
        if (search->plan->brief)
            break;
        search->converged |= run > 0 && gain <= enough && search->count < end;
    }
}

/* Likewise from a known evaluation. */
static void settle(descent *d, int64_t from, int64_t end)
{
    int axes = d->search->objective->axes;
    memcpy(d->point, d->search->unit + from * axes, (size_t)axes * sizeof *d->point);
    settle_here(d, end);
}

/* The first round: from the start, and from what a design knows of better places. */
static void begin(descent *d)
{
    sk_search *search = d->search;
    d->status = sk_search_design(search, d->point, d->error);
    int64_t known = search->count;
    if (!d->status && !sk_search_over(search))
        settle(d, search->first, search->first + search->budget);
    int64_t best = sk_search_best(search);
    if (!d->status && !sk_search_over(search) && best < known)
        settle(d, best, search->first + search->budget);
}

surekrig_status sk_lbfgs(sk_search *search, surekrig_error *error)
{
    int axes = search->objective->axes;
    double *room = sk_doubles(3 * axes);
    nlopt_opt optimizer = room ? nlopt_create(NLOPT_LD_LBFGS, (unsigned)axes) : NULL;
    if (!optimizer) {
        free(room);
        return sk_fail_memory(error, 1e4, "the search by gradients");
    }
    descent d = {search, optimizer, room, room + axes, room + 2 * axes, 0, 1, SUREKRIG_OK, error};
    nlopt_set_min_objective(optimizer, evaluate, &d);
    nlopt_set_lower_bounds1(optimizer, 0);
    nlopt_set_upper_bounds1(optimizer, 1);
    if (nlopt_set_xtol_abs1(optimizer, POINT_TOLERANCE) == NLOPT_OUT_OF_MEMORY)
        d.status = sk_fail_memory(error, 1e4, "the search by gradients");
    if (d.status) {
        /* nothing is searched */
    } else if (search->count > search->first) {
        settle(&d, sk_search_best(search), search->count + search->budget);
    } else if (search->plan->near) {
        sk_search_start(search, d.point);
        settle_here(&d, search->count + search->budget);
        if (!d.status && !isfinite(d.value) &&
            !sk_search_over(search)) /* the start is singular: look around after all */
            begin(&d);
    } else {
        begin(&d);
    }
    nlopt_destroy(optimizer);
    free(room);
    return d.status;
}
