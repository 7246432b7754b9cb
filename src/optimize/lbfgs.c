/* L-BFGS by NLopt, in the unit cube, on the smoothed Lagrangian: the value that NLopt sees and its gradient belong together,
 * while the archive keeps the exact Lagrangian of each point it tries. In the first round it starts from the best points of
 * several parts of the box, among those of the initial design; later from the best known. The first step of the method is
 * the gradient itself, so the function is scaled until that is a short step. */
#include "optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

enum { STARTS = 2 };
static const double APART = 0.2, FIRST_STEP = 0.05; /* of the unit cube's side */
static const double VALUE_TOLERANCE = 1e-5, POINT_TOLERANCE = 1e-3;

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
    memcpy(d->latest, unit, (size_t)axes * sizeof *unit);
}

static double evaluate(unsigned axes, const double *unit, double *gradient, void *context)
{
    descent *d = context;
    if (memcmp(unit, d->latest, axes * sizeof *unit))
        look(d, unit);
    if (d->status || sk_search_over(d->search))
        nlopt_force_stop(d->optimizer);
    for (unsigned a = 0; gradient && a < axes; a++)
        gradient[a] = isfinite(d->value) ? d->unit * d->gradient[a] : 0;
    return fmin(d->unit * d->value, 1e300); /* NLopt compares, and subtracts */
}

/* From a known evaluation: up to budget more. */
static void descend(descent *d, int64_t from, int64_t budget)
{
    int axes = d->search->objective->axes;
    double largest = 0, value;
    memcpy(d->point, d->search->unit + from * axes, (size_t)axes * sizeof *d->point);
    look(d, d->point);
    for (int a = 0; a < axes && !d->status; a++)
        largest = fmax(largest, fabs(d->gradient[a]));
    if (d->status || sk_search_over(d->search) || !isfinite(d->value) || !(largest > 0) || budget < 2)
        return;
    d->unit = FIRST_STEP / largest;
    nlopt_set_ftol_abs(d->optimizer, VALUE_TOLERANCE * d->unit);
    nlopt_set_maxeval(d->optimizer, (int)budget);
    nlopt_result result = nlopt_optimize(d->optimizer, d->point, &value);
    d->search->converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED || result == NLOPT_SUCCESS;
}

/* The first round: from theta_0, then from the best of the design that lies apart, each with its share of what is left. */
static void descend_all(descent *d)
{
    sk_search *search = d->search;
    int64_t known = search->count, from[STARTS] = {0}, end = search->budget;
    for (int i = 0; i < STARTS && from[i] >= 0 && !d->status && !sk_search_over(search); i++) {
        descend(d, from[i], (end - search->count) / (STARTS - i));
        if (i + 1 < STARTS)
            from[i + 1] = sk_search_best_apart(search, known, from, i + 1, APART);
    }
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
    nlopt_set_xtol_abs1(optimizer, POINT_TOLERANCE);
    if (search->count > 0) {
        descend(&d, sk_search_best(search), search->budget);
    } else {
        d.status = sk_search_design(search, d.point, error);
        descend_all(&d);
    }
    nlopt_destroy(optimizer);
    free(room);
    return d.status;
}
