/* Bayesian optimisation: an initial design, then again and again the point where the surrogate promises most.
 *   expected improvement   EI(x) = s (w Phi(w) + phi(w)),  w = (best - m)/s
 *   confidence bound       m(x) - kappa s(x)
 * with m, s the surrogate's mean and sd at x. Ends early where the promise is a point already known, unless the plan
 * wants the whole budget spent. */
#include "optimize/optimize.h"

#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

enum { SURROGATE_POINTS = 64, CANDIDATES_PER_AXIS = 200, CLIMBS = 2, CLIMB_STEPS = 40 };

typedef struct acquisition {
    sk_surrogate *surrogate;
    const sk_plan *plan;
} acquisition;

/* Lower is better. EI as -log, from its asymptote where it underflows: log phi(w) - 2 log |w|. */
static double promise(unsigned axes, const double *unit, double *gradient, void *context)
{
    const acquisition *a = context;
    double mean, sd;
    (void)axes;
    (void)gradient;
    sk_surrogate_predict(a->surrogate, unit, &mean, &sd);
    if (a->plan->acquisition == SK_ACQUISITION_UCB)
        return mean - a->plan->kappa * sd;
    double w = (sk_surrogate_best(a->surrogate) - mean) / sd;
    double phi = exp(-w * w / 2) / sqrt(2 * M_PI), improvement = w * 0.5 * erfc(-w / sqrt(2)) + phi;
    return -(w > -6 ? log(improvement) : -w * w / 2 - 0.5 * log(2 * M_PI) - 2 * log(-w)) - log(sd);
}

static double climb(acquisition *a, int axes, double *unit)
{
    double value = promise((unsigned)axes, unit, NULL, a);
    nlopt_opt optimizer = nlopt_create(NLOPT_LN_NELDERMEAD, (unsigned)axes);
    if (!optimizer)
        return value;
    nlopt_set_min_objective(optimizer, promise, a);
    nlopt_set_lower_bounds1(optimizer, 0);
    nlopt_set_upper_bounds1(optimizer, 1);
    nlopt_set_initial_step1(optimizer, 0.05);
    nlopt_set_maxeval(optimizer, CLIMB_STEPS * axes);
    nlopt_optimize(optimizer, unit, &value);
    nlopt_destroy(optimizer);
    return value;
}

/* The most promising of many spread points and of points around the best one, then uphill. point: [CLIMBS +
 * 1][axes]. */
static void propose(const sk_search *search, acquisition *a, double *point)
{
    int axes = search->objective->axes;
    double value[CLIMBS], *trial = point + CLIMBS * axes;
    const double *best = search->unit + sk_search_best(search) * axes;
    sk_design candidates = sk_design_of(axes, search->plan->seed + (uint64_t)search->count, SK_STREAM_CANDIDATES);
    for (int c = 0; c < CLIMBS; c++)
        value[c] = INFINITY;
    for (int64_t i = 0; i < (int64_t)CANDIDATES_PER_AXIS * axes; i++) {
        sk_design_point(&candidates, i, trial);
        for (int axis = 0; i % 4 == 0 && axis < axes; axis++) /* every fourth within a tenth of the best */
            trial[axis] = fmin(fmax(best[axis] + 0.2 * (trial[axis] - 0.5), 0), 1);
        double promised = promise((unsigned)axes, trial, NULL, a);
        for (int c = 0; c < CLIMBS; c++)
            if (promised < value[c]) {
                memmove(point + (c + 1) * axes, point + c * axes, (size_t)((CLIMBS - c - 1) * axes) * sizeof *point);
                memmove(value + c + 1, value + c, (size_t)(CLIMBS - c - 1) * sizeof *value);
                memcpy(point + c * axes, trial, (size_t)axes * sizeof *point);
                value[c] = promised;
                break;
            }
    }
    for (int c = 0; c < CLIMBS; c++)
        value[c] = climb(a, axes, point + c * axes);
    if (value[1] < value[0])
        memcpy(point, point + axes, (size_t)axes * sizeof *point);
}

surekrig_status sk_bayes(sk_search *search, surekrig_error *error)
{
    int axes = search->objective->axes;
    int64_t end = search->count + search->budget;
    double *point = sk_doubles((CLIMBS + 1) * axes);
    sk_surrogate *surrogate = NULL;
    surekrig_status status = point ? sk_surrogate_new(axes, SURROGATE_POINTS, &surrogate, error)
                                   : sk_fail_memory(error, 8.0 * 3 * axes, "the search");
    if (!status)
        status = sk_search_design(search, point, error);
    acquisition a = {surrogate, search->plan};
    while (!status && search->count < end && !sk_search_over(search) && sk_surrogate_fit(surrogate, search)) {
        propose(search, &a, point);
        if (!search->plan->whole_budget && sk_search_known(search, point))
            break;
        status = sk_search_evaluate(search, point, NULL, error);
        if (!status && search->count < end)
            status = sk_search_follow(search, error);
    }
    sk_surrogate_free(surrogate);
    free(point);
    return status;
}
