/* Nelder and Mead by NLopt, in the unit cube: converges in few evaluations, and steps of a coverage do not mislead
 * it. */
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

/* NLopt that finds no memory would be a poorer search, and nobody would know. */
static void need(descent *d, nlopt_result result)
{
    if (result == NLOPT_OUT_OF_MEMORY && !d->status)
        d->status = sk_fail_memory(d->error, 1e4, "the local search");
}

static void set_up(descent *d)
{
    nlopt_set_min_objective(d->optimizer, evaluate, d);
    nlopt_set_lower_bounds1(d->optimizer, 0);
    nlopt_set_upper_bounds1(d->optimizer, 1);
    nlopt_set_ftol_abs(d->optimizer, VALUE_TOLERANCE);
    need(d, nlopt_set_xtol_abs1(d->optimizer, POINT_TOLERANCE));
}

/* From the best point since first, with the given first step. */
static void descend(descent *d, int64_t first, double *unit, double step, int64_t budget)
{
    sk_search *search = d->search;
    int axes = search->objective->axes;
    double value;
    if (first < search->count)
        memcpy(unit, search->unit + sk_search_best_since(search, first) * axes, (size_t)axes * sizeof *unit);
    need(d, nlopt_set_initial_step1(d->optimizer, step));
    nlopt_set_maxeval(d->optimizer, (int)budget);
    nlopt_result result = d->status ? NLOPT_FAILURE : nlopt_optimize(d->optimizer, unit, &value);
    need(d, result);
    search->converged = result == NLOPT_FTOL_REACHED || result == NLOPT_XTOL_REACHED;
}

/* A simplex whose corners happen to be equally high stops too; so it starts again, smaller, and again while that gains
 * anything. */
surekrig_status sk_local(sk_search *search, int64_t from, double step, int64_t budget, surekrig_error *error)
{
    int axes = search->objective->axes;
    double *unit = sk_doubles(axes), before;
    nlopt_opt optimizer = unit ? nlopt_create(NLOPT_LN_NELDERMEAD, (unsigned)axes) : NULL;
    if (!optimizer) {
        free(unit);
        return sk_fail_memory(error, 1e4, "the local search");
    }
    descent d = {search, optimizer, SUREKRIG_OK, error};
    int64_t first = search->count, end = first + budget;
    set_up(&d);
    if (from < 0)
        sk_search_start(search, unit);
    else
        memcpy(unit, search->unit + from * axes, (size_t)axes * sizeof *unit);
    for (int pass = 0;; pass++) {
        before = pass ? search->value[sk_search_best_since(search, first)] : INFINITY;
        descend(&d, first, unit, step, end - search->count);
        step *= 0.4;
        if (d.status || sk_search_over(search))
            break;
        bool gained = before - search->value[sk_search_best_since(search, first)] > VALUE_TOLERANCE;
        search->converged |= pass > 0 && !gained; /* also where the budget cut the restart short */
        if (!search->converged || search->count >= end || (pass > 0 && !gained))
            break;
    }
    nlopt_destroy(optimizer);
    free(unit);
    return d.status;
}
