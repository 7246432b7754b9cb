/* The method of multipliers (M8, M9) around an inner optimiser:
 *   for n = 1 .. N:   theta_n = argmin L(theta, lambda; beta)
 *                     lambda += beta (C(theta_n) - alpha)
 *                     beta   *= r
 * Departures from the paper. Nothing costly depends on lambda or beta, so the archive of all evaluations is re-scored
 * under each new pair, and most rounds do only that. A round searches for new points where the best known one meets the
 * constraints, to refine it, and the rounds end when it still does; and where the archive has come no nearer to meeting
 * them for some rounds. Where the constraints cannot be met together (five levels under heavy tails) lambda would run
 * away and buy the last hundredth of coverage with a useless theta: so beta and lambda are bounded, the rounds end when
 * they come no nearer at the largest beta, and what is returned then is the minimum of the penalty alone there, its
 * gamma2 chosen for coverage. A plan may ask for theta_N instead, and for rounds that search anew and know nothing of
 * each other's evaluations (own_rounds), without bounds (infinite ones): as in the paper. */
#include "optimize/optimize.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATIENCE = 3, /* rounds in which the violation must fall by a tenth */
    SEARCHES = 3, /* after which another would find the same */
    STARTS = 3    /* of short local searches in the first round, each with a third of the long one's budget */
};
static const double APART = 0.2; /* of the unit cube's side: another valley */
static const double WIDE = 0.08,
                    NEAR = 0.04;  /* likewise: first steps that look around, and that start near the minimum */
static const double FIRMER = 100; /* beta, once theta is chosen: for what the objective profiles out, such as gamma2 */

int64_t sk_plan_capacity(const sk_plan *plan)
{
    if (plan->own_rounds)
        return plan->rounds * (plan->initial + plan->evaluations + 2 * plan->polish + 2);
    int64_t searches = plan->take_last ? plan->rounds : plan->rounds < SEARCHES ? plan->rounds : SEARCHES;
    return plan->initial + plan->evaluations + (searches + 1) * (plan->later + plan->polish + 2) + plan->polish;
}

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
    int64_t capacity = sk_plan_capacity(plan);
    *search = (sk_search){.objective = objective,
                          .plan = plan,
                          .deadline = sk_now() + plan->seconds,
                          .capacity = capacity,
                          .unit = sk_doubles(capacity * objective->axes),
                          .value = sk_doubles(capacity),
                          .theta = sk_doubles(objective->axes),
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

/* A local search from the best point. After the first Bayesian optimisation short ones come first, from the best points
 * in several parts of the box, since a surrogate of a few dozen points may have settled in the wrong valley. */
static surekrig_status polish(sk_search *search, bool first, surekrig_error *error)
{
    int64_t known = search->count, from[STARTS], budget = search->plan->polish;
    int starts = first && search->plan->optimizer == SK_OPTIMIZER_BAYES && budget >= STARTS ? STARTS : 0;
    surekrig_status status = SUREKRIG_OK;
    for (int i = 0; i < starts && !status && !sk_search_over(search); i++) {
        from[i] = sk_search_best_apart(search, known, from, i, APART);
        if (from[i] < 0)
            break;
        status = sk_local(search, from[i], WIDE, budget / STARTS, error);
    }
    if (!status && !sk_search_over(search))
        status = sk_local(search, sk_search_best(search), NEAR, budget, error);
    return status;
}

static surekrig_status inner_minimum(sk_search *search, surekrig_error *error)
{
    const sk_plan *plan = search->plan;
    surekrig_status status = SUREKRIG_OK;
    int64_t known = search->count - search->first;
    search->converged = search->objective->axes == 0;
    search->budget = known ? plan->later : plan->evaluations;
    if (search->converged) /* nothing to search: one evaluation serves all rounds */
        return search->count ? SUREKRIG_OK : sk_search_evaluate(search, NULL, NULL, error);
    if (plan->optimizer == SK_OPTIMIZER_BAYES)
        status = sk_bayes(search, error);
    else if (plan->optimizer == SK_OPTIMIZER_LBFGS)
        status = sk_lbfgs(search, error);
    else
        status = sk_local(search, known ? sk_search_best(search) : -1, NEAR, search->budget, error);
    if (!status && !sk_search_over(search) && plan->polish > 0)
        status = polish(search, known == 0, error);
    if (search->count == search->first) /* stopped before this round knew anything: the others do */
        search->first = 0;
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
    for (int j = 0; j < search->objective->constraints; j++) {
        double lambda = from->lambda[j] + from->beta * from->residual[j];
        to->lambda[j] = fmin(fmax(lambda, -plan->lambda_limit), plan->lambda_limit);
    }
    to->beta = fmin(from->beta * plan->growth, fmax(plan->beta_limit, plan->beta));
}

static surekrig_outcome outcome(const sk_search *search, const sk_round *last)
{
    if (search->stopped)
        return SUREKRIG_STOPPED_EARLY;
    if (!met(search, last->residual))
        return search->exhausted ? SUREKRIG_BUDGET_SPENT : SUREKRIG_COVERAGE_NOT_MET;
    return search->converged ? SUREKRIG_CONVERGED : SUREKRIG_BUDGET_SPENT;
}

/* Starts a round: under the first multipliers, the next (M9), or with lambda = 0 and the given beta. */
static surekrig_status start_round(sk_search *search, sk_result *result, double given_beta, surekrig_error *error)
{
    sk_round *round = &result->round[result->rounds];
    surekrig_status status = new_round(search->objective, round, error);
    result->rounds++;
    if (status)
        return status;
    if (given_beta > 0)
        round->beta = given_beta;
    else if (result->rounds > 1)
        update(search, round - 1, round);
    else
        round->beta = search->plan->beta;
    round->searched = round->beta;
    rescore(search, round);
    return SUREKRIG_OK;
}

/* One more round, of the penalty alone, from what is known. Its theta is a compromise with the loss; what is profiled
 * out under that theta then serves the constraints first. */
static surekrig_status compromise(sk_search *search, sk_result *result, surekrig_error *error)
{
    const sk_plan *plan = search->plan;
    surekrig_status status = start_round(search, result, fmax(plan->beta_limit, plan->beta), error);
    search->budget = plan->later;
    if (!status && plan->optimizer == SK_OPTIMIZER_LBFGS && search->objective->axes > 0)
        status = sk_lbfgs(search, error);
    if (!status && plan->polish > 0 && search->objective->axes > 0)
        status = polish(search, false, error);
    if (status && status != SUREKRIG_STOPPED)
        return status;
    sk_round *round = &result->round[result->rounds - 1];
    int64_t best = sk_search_best(search);
    round->beta *= FIRMER;
    close_round(search, round, best);
    return SUREKRIG_OK;
}

/* The largest deviation of a round's best. */
static double violation(const sk_search *search, const sk_round *round)
{
    double largest = 0;
    for (int j = 0; j < search->objective->constraints; j++)
        largest = fmax(largest, fabs(round->residual[j]));
    return largest;
}

/* Whether the latest rounds, though the multipliers moved, came no nearer to meeting the constraints. */
static bool stalled(const sk_search *search, const sk_result *result)
{
    const sk_round *last = &result->round[result->rounds - 1];
    return result->rounds > PATIENCE && violation(search, last) > 0.9 * violation(search, last - PATIENCE);
}

/* One round; *searched counts those that made evaluations. */
static surekrig_status run_round(sk_search *search, sk_result *result, int *searched, surekrig_error *error)
{
    surekrig_status status = start_round(search, result, 0, error);
    if (status)
        return status;
    sk_round *round = &result->round[result->rounds - 1];
    bool first = result->rounds == 1, anew = search->plan->own_rounds && search->objective->axes > 0;
    if (anew)
        search->first = search->count;
    else if (!first)
        close_round(search, round, sk_search_best(search));
    bool grows = round->beta < search->plan->beta_limit;
    if (first || anew || search->plan->take_last || met(search, round->residual) ||
        (grows && stalled(search, result))) {
        ++*searched;
        status = inner_minimum(search, error);
        if (!status)
            close_round(search, round, sk_search_best(search));
    }
    if (!status && !isfinite(round->lagrangian))
        return sk_fail(error, SUREKRIG_NUMERIC, "none of %lld evaluations gave a finite value",
                       (long long)search->count);
    return status;
}

static surekrig_status run_rounds(sk_search *search, sk_result *result, surekrig_error *error)
{
    const sk_plan *plan = search->plan;
    surekrig_status status;
    int searched = 0;
    bool done = false;
    while (!done && result->rounds < plan->rounds) {
        status = run_round(search, result, &searched, error);
        if (status)
            return status;
        const sk_round *last = &result->round[result->rounds - 1];
        bool spent = (searched == SEARCHES && !plan->own_rounds) ||
                     (last->beta >= plan->beta_limit && stalled(search, result));
        done = sk_search_over(search) || (!plan->take_last && (met(search, last->residual) || spent));
    }
    bool unmet = !met(search, result->round[result->rounds - 1].residual);
    status = SUREKRIG_OK;
    bool bounded = isfinite(plan->beta_limit); /* what a compromise is made at */
    if (unmet && bounded && plan->multipliers && !plan->take_last && !sk_search_over(search))
        status = compromise(search, result, error);
    if (status)
        return status;
    result->chosen = result->round[result->rounds - 1].best;
    result->outcome = outcome(search, &result->round[result->rounds - 1]);
    return SUREKRIG_OK;
}

surekrig_status sk_minimize(const sk_objective *objective, const sk_plan *plan, sk_result *result,
                            surekrig_error *error)
{
    sk_search search;
    sk_plan used = *plan;
    if (plan->optimizer == SK_OPTIMIZER_LBFGS && !objective->gradient)
        return sk_fail(error, SUREKRIG_INVALID,
                       "optimizer = lbfgs needs derivatives, and there are none here: set it to bayes or local");
    if (objective->constraints == 0 || !plan->multipliers)
        used.rounds = 1;
    sk_result made = {.round = sk_zeroed(used.rounds + 1, sizeof(sk_round))};
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
