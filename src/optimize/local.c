/* Nelder and Mead by NLopt, in the unit cube: converges in few evaluations, and steps of a coverage do not mislead it. */
#include "optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

typedef struct descent {
    sk_search *search;
    nlopt_opt optimizer;
    surekrig_status status;
    surekrig_error *error;
} descent;

static double evaluate(unsigned axes, const double *unit, double *gradient, void *context)
{
    descent *d = context;
    double value = HUGE_VAL;
    (void)axes;
    (void)gradient;
    d->status = sk_search_evaluate(d->search, unit, &value, d->error);
    if (d->status || sk_search_over(d->search))
        nlopt_force_stop(d->optimizer);
    return fmin(value, 1e300); /* NLopt compares, and subtracts */
}

/* Below these differences in a mean over the batch, and in the unit cube, nothing is learnt any more. */
static const double VALUE_TOLERANCE = 1e-5, POINT_TOLERANCE = 1e-3;

surekrig_status sk_local(sk_search *search, int64_t budget, surekrig_error *error)
{
    int axes = search->objective->axes;
    double *unit = sk_doubles(axes);
    nlopt_opt optimizer = unit ? nlopt_create(NLOPT_LN_NELDERMEAD, (unsigned)axes) : NULL;
    if (!optimizer) {
        free(unit);
        return sk_fail_memory(error, 1e4, "the local search");
    }
    descent d = {search, optimizer, SUREKRIG_OK, error};
    if (search->count)
        memcpy(unit, search->unit + sk_search_best(search) * axes, (size_t)axes * sizeof *unit);
    else
        sk_search_start(search, unit);
    nlopt_set_min_objective(optimizer, evaluate, &d);
    nlopt_set_lower_bounds1(optimizer, 0);
    nlopt_set_upper_bounds1(optimizer, 1);
    nlopt_set_initial_step1(optimizer, 0.04);
    nlopt_set_ftol_abs(optimizer, VALUE_TOLERANCE);
    nlopt_set_xtol_abs1(optimizer, POINT_TOLERANCE);
    nlopt_set_maxeval(optimizer, (int)budget);
    double value;
    nlopt_result result = nlopt_optimize(optimizer, unit, &value);
    search->converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED;
    nlopt_destroy(optimizer);
    free(unit);
    return d.status;
}
