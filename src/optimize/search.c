/* The archive of a search: points of the unit cube, their values under the current multipliers. */
#include "optimize/optimize.h"

#include <math.h>

static double from_unit(const surekrig_axis *axis, double unit)
{
    double value = axis->log ? axis->lower * exp(unit * (log(axis->upper) - log(axis->lower)))
                             : axis->lower + unit * (axis->upper - axis->lower);
    return fmin(fmax(value, axis->lower), axis->upper);
}

static double to_unit(const surekrig_axis *axis, double value)
{
    double unit = axis->log ? (log(value) - log(axis->lower)) / (log(axis->upper) - log(axis->lower))
                            : (value - axis->lower) / (axis->upper - axis->lower);
    return fmin(fmax(unit, 0), 1);
}

void sk_search_start(const sk_search *search, double *unit)
{
    for (int a = 0; a < search->objective->axes; a++)
        unit[a] = to_unit(&search->objective->axis[a], search->objective->axis[a].start);
}

bool sk_search_over(const sk_search *search)
{
    return search->stopped || search->exhausted;
}

static bool is_late(const sk_search *search)
{
    const sk_objective *objective = search->objective;
    if (isinf(search->deadline))
        return false;
    return objective->past ? objective->past(objective->self, search->deadline) : sk_now() >= search->deadline;
}

surekrig_status sk_search_evaluate(sk_search *search, const double *unit, double *value, surekrig_error *error)
{
    const sk_objective *objective = search->objective;
    for (int a = 0; a < objective->axes; a++) {
        search->unit[search->count * objective->axes + a] = unit[a];
        search->theta[a] = from_unit(&objective->axis[a], unit[a]);
    }
    surekrig_status status = objective->evaluate(objective->self, search->theta, error);
    if (status) {
        search->stopped = status == SUREKRIG_STOPPED;
        return status;
    }
    double lagrangian = objective->lagrangian(objective->self, search->count, search->lambda, search->beta, NULL);
    search->value[search->count++] = isfinite(lagrangian) ? lagrangian : INFINITY;
    if (value)
        *value = search->value[search->count - 1];
    search->exhausted = is_late(search) || search->count == search->capacity;
    return SUREKRIG_OK;
}

surekrig_status sk_search_gradient(const sk_search *search, double *value, double *by_unit, surekrig_error *error)
{
    const sk_objective *objective = search->objective;
    surekrig_status status = objective->gradient(objective->self, search->lambda, search->beta, value, by_unit, error);
    for (int a = 0; a < objective->axes && !status; a++) { /* dtheta/dunit */
        const surekrig_axis *axis = &objective->axis[a];
        by_unit[a] *= axis->log ? search->theta[a] * (log(axis->upper) - log(axis->lower)) : axis->upper - axis->lower;
    }
    return status;
}

static double distance(const sk_search *search, int64_t i, const double *unit)
{
    double farthest = 0;
    for (int a = 0; a < search->objective->axes; a++)
        farthest = fmax(farthest, fabs(search->unit[i * search->objective->axes + a] - unit[a]));
    return farthest;
}

bool sk_search_known(const sk_search *search, const double *unit)
{
    for (int64_t i = search->first; i < search->count; i++)
        if (distance(search, i, unit) < 1e-3)
            return true;
    return false;
}

surekrig_status sk_search_follow(sk_search *search, surekrig_error *error)
{
    const sk_objective *objective = search->objective;
    if (!objective->suggest || sk_search_over(search) ||
        !objective->suggest(objective->self, search->count - 1, search->next))
        return SUREKRIG_OK;
    for (int a = 0; a < objective->axes; a++)
        search->next[a] = to_unit(&objective->axis[a], search->next[a]);
    return sk_search_known(search, search->next) ? SUREKRIG_OK : sk_search_evaluate(search, search->next, NULL, error);
}

int64_t sk_search_best_since(const sk_search *search, int64_t first)
{
    int64_t best = first;
    for (int64_t i = first + 1; i < search->count; i++)
        if (search->value[i] < search->value[best])
            best = i;
    return best;
}

int64_t sk_search_best(const sk_search *search)
{
    return sk_search_best_since(search, search->first);
}

int64_t sk_search_best_apart(const sk_search *search, int64_t end, const int64_t *from, int count, double apart)
{
    int64_t best = -1;
    for (int64_t i = search->first; i < end; i++) {
        bool allowed = isfinite(search->value[i]);
        for (int j = 0; j < count && allowed; j++)
            allowed = distance(search, i, search->unit + from[j] * search->objective->axes) > apart;
        if (allowed && (best < 0 || search->value[i] < search->value[best]))
            best = i;
    }
    return best;
}
