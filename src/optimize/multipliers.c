/* The method of multipliers (M8, M9) around an inner optimiser:
 *   for n = 1 .. N:   theta_n = argmin L(theta, lambda; beta)
 *                     lambda += beta (C(theta_n) - alpha)
 *                     beta   *= r
 * Departures from the paper: the archive of all rounds is re-scored under each new (lambda, beta), at no cost, and the
 * inner search goes on from it; the rounds end once every constraint is met within the tolerance; beta is capped; the
 * result is the best evaluation, met constraints first, unless the plan asks for theta_N. */
#include "optimize/optimize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void close_search(sk_search *search)
{
    free(search->unit);
    free(search->value);
    free(search->theta);
    free(search->next);
}

static surekrig_status open_search(const sk_objective *objective, const sk_plan *plan, sk_search *search,
                                   surekrig_error *error)
{
    int64_t capacity = plan->rounds * (2 * plan->initial + plan->evaluations + plan->polish + 2);
    *search = (sk_search){.objective = objective, .plan = plan, .deadline = sk_now() + plan->seconds,
                          .capacity = capacity, .unit = sk_doubles(capacity * objective->axes),
                          .value = sk_doubles(capacity), .theta = sk_doubles(objective->axes),
                          .next = sk_doubles(objective->axes)};
    if (search->unit && search->value && search->theta && search->next)
        return SUREKRIG_OK;
    close_search(search);
    return sk_fail_memory(error, 8.0 * (double)(capacity * (objective->axes + 1)), "the archive of evaluations");
}

static surekrig_status new_round(const sk_objective *objective, sk_round *round, surekrig_error *error)
{
    *round = (sk_round){.lambda = sk_zeroed(objective->constraints, sizeof(double)),
                        .residual = sk_zeroed(objective->constraints, sizeof(double))};
    return round->lambda && round->residual ? SUREKRIG_OK : sk_fail_memory(error, 1e3, "a round's trace");
}

void sk_result_free(sk_result *result)
{
    for (int i = 0; i < result->rounds; i++) {
        free(result->round[i].lambda);
        free(result->round[i].residual);
    }
    free(result->round);
    *result = (sk_result){0};
}

static void rescore(sk_search *search, const sk_round *round)
{
    const sk_objective *objective = search->objective;
    search->lambda = round->lambda;
    search->beta = round->beta;
    for (int64_t i = 0; i < search->count; i++) {
        double value = objective->lagrangian(objective->self, i, round->lambda, round->beta, NULL);
        search->value[i] = isfinite(value) ? value : INFINITY;
    }
}

static surekrig_status inner_minimum(sk_search *search, surekrig_error *error)
{
    const sk_plan *plan = search->plan;
    surekrig_status status = SUREKRIG_OK;
    search->converged = search->objective->axes == 0;
    if (search->converged) /* nothing to search: one evaluation serves all rounds */
        return search->count ? SUREKRIG_OK : sk_search_evaluate(search, NULL, NULL, error);
    if (plan->optimizer == SK_OPTIMIZER_BAYES || search->count == 0)
        status = sk_bayes(search, error);
    if (!status && !sk_search_over(search) && plan->optimizer == SK_OPTIMIZER_LOCAL)
        status = sk_local(search, plan->evaluations, error);
    if (!status && !sk_search_over(search) && plan->polish > 0)
        status = sk_local(search, plan->polish, error);
    return status == SUREKRIG_STOPPED && search->count > 0 ? SUREKRIG_OK : status;
}

static bool met(const sk_search *search, const double *residual)
{
    for (int j = 0; j < search->objective->constraints; j++)
        if (!(fabs(residual[j]) <= search->plan->tolerance))
            return false;
    return true;
}

static void close_round(const sk_search *search, sk_round *round, int64_t best)
{
    const sk_objective *objective = search->objective;
    round->best = best;
    round->evaluations = search->count;
    round->lagrangian = objective->lagrangian(objective->self, best, round->lambda, round->beta, round->residual);
}

/* The next round's multipliers (M9). */
static void update(const sk_search *search, const sk_round *from, sk_round *to)
{
    const sk_plan *plan = search->plan;
    for (int j = 0; plan->multipliers && j < search->objective->constraints; j++)
        to->lambda[j] = from->lambda[j] + from->beta * from->residual[j];
    to->beta = plan->multipliers ? fmin(from->beta * plan->growth, fmax(plan->beta_limit, plan->beta)) : plan->beta;
}

/* Constraints met first, then L, under the last round's multipliers. */
static int64_t choose(const sk_search *search, sk_round *last)
{
    const sk_objective *objective = search->objective;
    int64_t best = sk_search_best(search);
    bool best_met = false;
    for (int64_t i = 0; i < search->count; i++) {
        objective->lagrangian(objective->self, i, last->lambda, last->beta, last->residual);
        bool this_met = isfinite(search->value[i]) && met(search, last->residual);
        if (this_met > best_met || (this_met == best_met && search->value[i] < search->value[best])) {
            best = i;
            best_met = this_met;
        }
    }
    return best;
}

static surekrig_outcome outcome(const sk_search *search, const sk_round *last)
{
    if (search->stopped)
        return SUREKRIG_STOPPED_EARLY;
    if (!met(search, last->residual))
        return search->out_of_time ? SUREKRIG_BUDGET_SPENT : SUREKRIG_COVERAGE_NOT_MET;
    return search->converged ? SUREKRIG_CONVERGED : SUREKRIG_BUDGET_SPENT;
}

static surekrig_status run_rounds(sk_search *search, sk_result *result, surekrig_error *error)
{
    const sk_plan *plan = search->plan;
    for (int n = 0; n < plan->rounds; n++) {
        sk_round *round = &result->round[n];
        surekrig_status status = new_round(search->objective, round, error);
        result->rounds = n + 1;
        round->beta = plan->beta;
        if (!status && n > 0)
            update(search, round - 1, round);
        if (!status)
            rescore(search, round);
        if (!status)
            status = inner_minimum(search, error);
        if (status)
            return status;
        close_round(search, round, sk_search_best(search));
        if (!isfinite(round->lagrangian))
            return sk_fail(error, SUREKRIG_NUMERIC, "none of %lld hyperparameter values could be evaluated: the "
                           "covariances stay singular; give a larger nugget (tau2)", (long long)search->count);
        if (sk_search_over(search) || (!plan->take_last && met(search, round->residual)))
            break;
    }
    sk_round *last = &result->round[result->rounds - 1];
    result->chosen = plan->take_last ? last->best : choose(search, last);
    close_round(search, last, result->chosen);
    result->outcome = outcome(search, last);
    return SUREKRIG_OK;
}

surekrig_status sk_minimize(const sk_objective *objective, const sk_plan *plan, sk_result *result,
                            surekrig_error *error)
{
    sk_search search;
    sk_plan used = *plan;
    if (objective->constraints == 0 || !plan->multipliers)
        used.rounds = 1;
    sk_result made = {.round = sk_zeroed(used.rounds, sizeof(sk_round))};
    if (!made.round)
        return sk_fail_memory(error, 1e3, "the trace");
    surekrig_status status = open_search(objective, &used, &search, error);
    if (!status) {
        status = run_rounds(&search, &made, error);
        close_search(&search);
    }
    if (status)
        sk_result_free(&made);
    else
        *result = made;
    return status;
}
