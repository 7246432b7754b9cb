/* The settings' plan of a search, and the optimisers for anybody's function. */
#include "settings/settings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t or_auto(int64_t asked, int64_t automatic)
{
    return asked >= 0 ? asked : automatic;
}

sk_plan sk_plan_from(const surekrig_settings *settings, sk_optimizer automatic, int axes, int constraints,
                     double resolution)
{
    /* One coverage can be met exactly by the scale alone; several only as well as one scale fits them all. */
    double tolerance = isfinite(settings->tolerance) ? settings->tolerance : constraints > 1 ? 0.01 : 0.002;
    static const int64_t each[] = {[SK_OPTIMIZER_BAYES] = 15, [SK_OPTIMIZER_LOCAL] = 20, [SK_OPTIMIZER_LBFGS] = 30};
    sk_optimizer optimizer = settings->optimizer == SK_OPTIMIZER_AUTO ? automatic : (sk_optimizer)settings->optimizer;
    bool gradients = optimizer == SK_OPTIMIZER_LBFGS; /* its design is only a check, its end needs no polish */
    int checked = axes < 5 ? axes : 5, budgeted = gradients && axes > 10 ? 10 : axes;
    int64_t initial = or_auto(settings->initial, gradients ? 1 + 2 * checked : 5 + 5 * axes);
    int64_t evaluations = or_auto(settings->evaluations, each[optimizer] * budgeted);
    return (sk_plan){
        .optimizer = optimizer,
        .acquisition = (sk_acquisition)settings->acquisition,
        .kappa = settings->kappa,
        .initial = initial < evaluations ? initial : evaluations,
        .evaluations = evaluations,
        .later = or_auto(settings->evaluations, (gradients ? 5 : 2) * budgeted),
        .polish = or_auto(settings->polish, gradients ? 0 : 25 * axes),
        .seconds = settings->seconds,
        .seed = settings->seed,
        .rounds = (int)settings->rounds,
        .beta = settings->beta,
        .growth = settings->growth,
        .beta_limit = settings->aids & SK_AID_LIMITS ? 1e9 : INFINITY,
        .lambda_limit = settings->aids & SK_AID_LIMITS ? 1e9 : INFINITY,
        .tolerance = fmax(tolerance, resolution),
        .multipliers = settings->constraint == 0,
        .take_last = settings->select == 1,
        .own_rounds = !(settings->aids & SK_AID_ARCHIVE),
        .plain_values = !(settings->aids & SK_AID_BEND),
        .whole_budget = !(settings->aids & SK_AID_STOP),
    };
}

/* ---- surekrig_minimize: the caller's evaluations, kept by number */

typedef struct archive {
    const surekrig_problem *problem;
    int64_t count, capacity;
    double *theta;    /* [capacity][axes] */
    double *loss;     /* [capacity] */
    double *residual; /* [capacity][constraints] */
} archive;

static surekrig_status evaluate(void *self, const double *theta, surekrig_error *error)
{
    archive *a = self;
    const surekrig_problem *p = a->problem;
    double *loss = &a->loss[a->count];
    if (p->evaluate(p->user, theta, loss, a->residual + a->count * p->constraints))
        return sk_fail(error, SUREKRIG_STOPPED, "stopped");
    memcpy(a->theta + a->count * p->axes, theta, (size_t)p->axes * sizeof *theta);
    a->count++;
    return SUREKRIG_OK;
}

/* (M8) */
static double lagrangian(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    const archive *a = self;
    int constraints = a->problem->constraints;
    double value = a->loss[i];
    for (int j = 0; j < constraints; j++) {
        double gap = a->residual[i * constraints + j];
        value += lambda[j] * gap + beta / 2 * gap * gap;
        if (residual)
            residual[j] = gap;
    }
    return value;
}

static surekrig_status check(const surekrig_problem *p, surekrig_error *error)
{
    if (p->axes < 1 || p->constraints < 0)
        return sk_fail(error, SUREKRIG_INVALID, "%d axes and %d constraints: there is nothing to minimise", p->axes,
                       p->constraints);
    if (!p->axis || !p->evaluate)
        return sk_fail(error, SUREKRIG_INVALID, "the problem's %s is NULL", p->axis ? "evaluate" : "axis");
    for (int a = 0; a < p->axes; a++) {
        const surekrig_axis *axis = &p->axis[a];
        if (!(axis->lower < axis->upper) || !isfinite(axis->upper - axis->lower) || (axis->log && !(axis->lower > 0)))
            return sk_fail(error, SUREKRIG_INVALID, "axis %d goes from %g to %g%s", a + 1, axis->lower, axis->upper,
                           axis->log ? " in log scale" : "");
    }
    return SUREKRIG_OK;
}

static void report(const archive *a, const sk_result *result, surekrig_minimum *minimum)
{
    const surekrig_problem *p = a->problem;
    memcpy(minimum->theta, a->theta + result->chosen * p->axes, (size_t)p->axes * sizeof(double));
    if (minimum->residual)
        memcpy(minimum->residual, a->residual + result->chosen * p->constraints,
               (size_t)p->constraints * sizeof(double));
    minimum->loss = a->loss[result->chosen];
    minimum->evaluations = a->count;
    minimum->outcome = result->outcome;
}

surekrig_status surekrig_minimize(const surekrig_problem *problem, const surekrig_settings *settings,
                                  surekrig_minimum *minimum, surekrig_error *error)
{
    surekrig_settings *defaults = NULL;
    surekrig_status status = sk_check_needed((sk_needed[]){{"problem", problem}, {"minimum", minimum}, {0}}, error);
    if (!status)
        status = check(problem, error);
    if (!status)
        status = sk_check_arrays((sk_array[]){{"theta", minimum->theta, {problem->axes, 1, 1}}, {0}}, error);
    if (!status && !settings)
        status = surekrig_settings_new(&defaults, error);
    if (status)
        return status;
    sk_plan plan = sk_plan_from(settings ? settings : defaults, SK_OPTIMIZER_BAYES, problem->axes, problem->constraints,
                                0);
    surekrig_settings_free(defaults);
    int64_t capacity = sk_plan_capacity(&plan);
    archive a = {problem,
                 0,
                 capacity,
                 sk_doubles(capacity * problem->axes),
                 sk_doubles(capacity),
                 sk_doubles(capacity * problem->constraints)};
    sk_result result = {0};
    sk_objective objective = {problem->axes, problem->axis, problem->constraints, evaluate, lagrangian, NULL, &a};
    if (!a.theta || !a.loss || !a.residual)
        status = sk_fail_memory(error, 8.0 * (double)capacity * (problem->axes + 1), "the archive of evaluations");
    else
        status = sk_minimize(&objective, &plan, &result, error);
    if (!status)
        report(&a, &result, minimum);
    sk_result_free(&result);
    free(a.theta);
    free(a.loss);
    free(a.residual);
    return status;
}
