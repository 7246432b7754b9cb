/* link: -Wl,--wrap=nlopt_optimize,--wrap=nlopt_set_initial_step1,--wrap=nlopt_set_xtol_abs1 */
/* Minimisation of functions whose minima are known: alone and under constraints, within their budgets. */
#include "fit_support.h"
#include "optimize/optimize.h"

#include <nlopt.h>
#include <time.h>

/* ---- NLopt without memory, which our own allocations do not show */

nlopt_result __real_nlopt_optimize(nlopt_opt opt, double *x, double *value);
nlopt_result __real_nlopt_set_initial_step1(nlopt_opt opt, double step);
nlopt_result __real_nlopt_set_xtol_abs1(nlopt_opt opt, double tolerance);
nlopt_result __wrap_nlopt_optimize(nlopt_opt opt, double *x, double *value);
nlopt_result __wrap_nlopt_set_initial_step1(nlopt_opt opt, double step);
nlopt_result __wrap_nlopt_set_xtol_abs1(nlopt_opt opt, double tolerance);

static enum { NOTHING, SEARCH, STEP, TOLERANCE } lacking;

/* But for searches within the surrogate, which are a hint. */
nlopt_result __wrap_nlopt_optimize(nlopt_opt opt, double *x, double *value)
{
    return lacking == SEARCH ? NLOPT_OUT_OF_MEMORY : __real_nlopt_optimize(opt, x, value);
}

nlopt_result __wrap_nlopt_set_initial_step1(nlopt_opt opt, double step)
{
    return lacking == STEP ? NLOPT_OUT_OF_MEMORY : __real_nlopt_set_initial_step1(opt, step);
}

nlopt_result __wrap_nlopt_set_xtol_abs1(nlopt_opt opt, double tolerance)
{
    return lacking == TOLERANCE ? NLOPT_OUT_OF_MEMORY : __real_nlopt_set_xtol_abs1(opt, tolerance);
}

enum { CALLS_KEPT = 2000 };

/* A function to be minimised, and a record of how it was called. */
typedef struct probe {
    void (*function)(const double *theta, double *loss, double *residual);
    int axes;
    int64_t calls, stop_at; /* stop_at: the call that asks to stop; 0: none */
    double sleep;           /* seconds a call */
    double theta[CALLS_KEPT][3], loss[CALLS_KEPT], began[CALLS_KEPT];
} probe;

static int evaluate(void *user, const double *theta, double *loss, double *residual)
{
    probe *p = user;
    assert_true(p->calls < CALLS_KEPT);
    p->began[p->calls] = sk_now();
    memcpy(p->theta[p->calls], theta, (size_t)p->axes * sizeof *theta);
    if (p->sleep > 0)
        nanosleep(&(struct timespec){0, (long)(1e9 * p->sleep)}, NULL);
    p->function(theta, loss, residual);
    p->loss[p->calls++] = *loss;
    return p->stop_at && p->calls >= p->stop_at;
}

typedef struct problem {
    const char *name;
    void (*function)(const double *theta, double *loss, double *residual);
    int axes;
    surekrig_axis axis[3];
    int constraints;
} problem;

typedef struct answer {
    double theta[3], residual[2];
    surekrig_minimum minimum;
    surekrig_status status;
    surekrig_error error;
    probe probe;
} answer;

static answer run; /* of the latest call: too large for the stack */

/* words: settings; stop_at and sleep as in probe. */
static void minimize_so(const problem *p, const char *words, int64_t stop_at, double sleep)
{
    surekrig_settings *settings = settings_of(words);
    memset(&run, 0, sizeof run);
    run.probe = (probe){.function = p->function, .axes = p->axes, .stop_at = stop_at, .sleep = sleep};
    run.minimum = (surekrig_minimum){.theta = run.theta, .residual = run.residual, .loss = -77, .evaluations = -77};
    surekrig_problem given = {p->axes, p->axis, p->constraints, evaluate, &run.probe};
    run.status = surekrig_minimize(&given, settings, &run.minimum, &run.error);
    surekrig_settings_free(settings);
}

static void minimize(const problem *p, const char *words)
{
    minimize_so(p, words, 0, 0);
    succeed(run.status, &run.error);
    assert_int_equal(run.minimum.evaluations, run.probe.calls);
    for (int64_t i = 0; i < run.probe.calls; i++)
        for (int a = 0; a < p->axes; a++)
            assert_true(run.probe.theta[i][a] >= p->axis[a].lower && run.probe.theta[i][a] <= p->axis[a].upper);
}

/* ---- functions */

static void branin(const double *t, double *loss, double *residual)
{
    double a = t[1] - 5.1 / (4 * M_PI * M_PI) * t[0] * t[0] + 5 / M_PI * t[0] - 6;
    (void)residual;
    *loss = a * a + 10 * (1 - 1 / (8 * M_PI)) * cos(t[0]) + 10 - 0.397887357729738; /* 0 at its three minima */
}

static void parabola(const double *t, double *loss, double *residual)
{
    (void)residual;
    *loss = (t[0] - 0.7123) * (t[0] - 0.7123);
}

static void bowl(const double *t, double *loss, double *residual)
{
    (void)residual;
    *loss = pow(t[0] - 0.3, 2) + 5 * pow(t[1] + 1.2, 2) + 0.3 * pow(t[2] - 2, 2);
}

/* Rosenbrock's valley, its walls ten times as steep as its floor. */
static void valley(const double *t, double *loss, double *residual)
{
    (void)residual;
    *loss = pow(1 - t[0], 2) + 10 * pow(t[1] - t[0] * t[0], 2);
}

static void decades(const double *t, double *loss, double *residual)
{
    (void)residual;
    *loss = pow(log10(t[0]) + 3, 2) + pow(t[1] - 2, 2);
}

static const problem BRANIN = {"branin", branin, 2, {{-5, 10, 2, 0}, {0, 15, 7, 0}}, 0};
static const problem PARABOLA = {"parabola", parabola, 1, {{-5, 5, -3, 0}}, 0};
static const problem BOWL = {"bowl", bowl, 3, {{-3, 3, 0, 0}, {-3, 3, 0, 0}, {-3, 3, 0, 0}}, 0};
static const problem VALLEY = {"valley", valley, 2, {{-2, 2, -1.2, 0}, {-1, 3, 1, 0}}, 0};
static const problem DECADES = {"decades", decades, 2, {{1e-8, 1e4, 1, 1}, {0.1, 10, 5, 0}}, 0};

/* ---- without constraints */

static void known_minima_are_found(void **state)
{
    (void)state;
    static const struct {
        const problem *problem;
        double accuracy;
    } cases[] = {{&BRANIN, 2e-3}, {&PARABOLA, 1e-3}, {&BOWL, 1e-3}, {&VALLEY, 2e-2}, {&DECADES, 1e-3}};
    static const char *const ways[] = {"optimizer=bayes acquisition=ei", "optimizer=bayes acquisition=ucb",
                                       "optimizer=local"};
    for (int c = 0; c < 5; c++)
        for (int way = 0; way < 3; way++)
            for (int seed = 0; seed < (way == 2 ? 1 : 8); seed++) { /* the local search has no use for a seed */
                char words[80];
                snprintf(words, sizeof words, "%s seed=%d", ways[way], seed);
                minimize(cases[c].problem, words);
                if (!(run.minimum.loss <= cases[c].accuracy))
                    fail_msg("%s, %s: %g after %lld", cases[c].problem->name, words, run.minimum.loss,
                             (long long)run.probe.calls);
                double again, lowest = INFINITY;
                cases[c].problem->function(run.theta, &again, NULL);
                for (int64_t i = 0; i < run.probe.calls; i++)
                    lowest = fmin(lowest, run.probe.loss[i]);
                assert_true(again == run.minimum.loss && lowest == run.minimum.loss);
            }
}

/* Easy ones are finished well within the budget, and said to be. */
static void easy_problems_converge(void **state)
{
    (void)state;
    const problem *all[] = {&PARABOLA, &BOWL, &DECADES};
    for (int c = 0; c < 3; c++)
        for (int local = 0; local < 2; local++) {
            minimize(all[c], local ? "optimizer=local" : "");
            if (run.minimum.outcome != SUREKRIG_CONVERGED)
                fail_msg("%s, %s: outcome %d at %g after %lld", all[c]->name, local ? "local" : "bayes",
                         (int)run.minimum.outcome, run.minimum.loss, (long long)run.probe.calls);
        }
}

/* Two points on either side of the minimum, equally high, are no convergence: -3 + 9 steps of 0.4 is 0.6. */
static void even_steps(const double *t, double *loss, double *residual)
{
    (void)residual;
    *loss = pow(t[0] - 0.7, 2);
}

static void the_local_search_is_not_fooled_by_symmetry(void **state)
{
    (void)state;
    problem p = {"even steps", even_steps, 1, {{-5, 5, -3, 0}}, 0};
    minimize(&p, "optimizer=local");
    if (!(run.minimum.loss <= 1e-3))
        fail_msg("%g at %g, said to have converged: %d", run.minimum.loss, run.theta[0],
                 run.minimum.outcome == SUREKRIG_CONVERGED);
}

static void wide(const double *t, double *loss, double *residual)
{
    (void)residual;
    *loss = pow(log10(t[0]) / 100 - 0.3, 2);
}

static void log_axes_may_be_of_any_length(void **state)
{
    (void)state;
    problem p = {"wide", wide, 1, {{1e-200, 1e200, 1, 1}}, 0};
    minimize(&p, "");
    close_to(run.probe.theta[0][0], 1, 1e-9);
    near_to(log10(run.theta[0]), 30, 5);
}

static void the_start_comes_first(void **state)
{
    (void)state;
    const problem *all[] = {&BRANIN, &PARABOLA, &BOWL, &VALLEY, &DECADES};
    for (int c = 0; c < 5; c++)
        for (int local = 0; local < 2; local++) {
            minimize(all[c], local ? "optimizer=local evaluations=3 polish=0" : "evaluations=3 polish=0 initial=3");
            for (int a = 0; a < all[c]->axes; a++)
                near_to(run.probe.theta[0][a], all[c]->axis[a].start, 1e-12);
        }
}

/* The design knows nothing of the function; what follows it does. */
static void the_initial_design_has_its_size(void **state)
{
    (void)state;
    static answer other;
    problem swapped = VALLEY;
    minimize(&VALLEY, "initial=9 evaluations=9 polish=0");
    assert_int_equal(run.probe.calls, 9);
    minimize(&VALLEY, "initial=9 evaluations=12 polish=0");
    other = run;
    swapped.function = branin;
    minimize(&swapped, "initial=9 evaluations=12 polish=0");
    for (int i = 0; i < 9; i++)
        same_bits(run.probe.theta[i], other.probe.theta[i], 2);
    assert_true(memcmp(run.probe.theta[9], other.probe.theta[9], 2 * sizeof(double)) != 0);
}

static void evaluations_are_not_exceeded(void **state)
{
    (void)state;
    minimize(&BRANIN, "evaluations=12 polish=0");
    assert_true(run.probe.calls == 12 && run.minimum.outcome == SUREKRIG_BUDGET_SPENT);
    minimize(&BRANIN, "evaluations=12 polish=6"); /* short ones from three places, then a long one */
    assert_int_equal(run.probe.calls, 12 + 3 * 2 + 6);
    minimize(&BRANIN, "evaluations=12 polish=2"); /* too few for three */
    assert_int_equal(run.probe.calls, 12 + 2);
    minimize(&BRANIN, "optimizer=local evaluations=12 polish=0");
    assert_int_equal(run.probe.calls, 12);
    minimize(&BRANIN, "optimizer=local evaluations=12 polish=4");
    assert_int_equal(run.probe.calls, 16);
}

static void few_evaluations_cut_the_initial_design(void **state)
{
    (void)state;
    minimize(&BRANIN, "evaluations=3 polish=0");
    assert_int_equal(run.probe.calls, 3);
}

static void seconds_are_not_exceeded(void **state)
{
    (void)state;
    double start = sk_now();
    minimize_so(&BRANIN, "seconds=0.2", 0, 0.02);
    double spent = sk_now() - start;
    succeed(run.status, &run.error);
    assert_int_equal(run.minimum.outcome, SUREKRIG_BUDGET_SPENT);
    assert_true(run.probe.calls >= 1 && run.probe.calls <= 11); /* each takes a tenth of it at least */
    in_time(run.probe.began[run.probe.calls - 1] - start, 0.3);
    in_time(spent, 0.5);
}

/* ---- failures of the function */

static void half_undefined(const double *t, double *loss, double *residual)
{
    branin(t, loss, residual);
    if (t[0] < 2.5)
        *loss = t[1] < 5 ? NAN : INFINITY; /* the start, and one of the minima */
}

static void undefined(const double *t, double *loss, double *residual)
{
    (void)t;
    (void)residual;
    *loss = NAN;
}

static void undefined_points_are_survived(void **state)
{
    (void)state;
    problem half = BRANIN;
    half.function = half_undefined;
    for (int seed = 0; seed < 5; seed++) {
        char words[20];
        snprintf(words, sizeof words, "seed=%d", seed);
        minimize(&half, words);
        assert_true(isfinite(run.minimum.loss) && run.minimum.loss < 5e-3);
        assert_true(run.theta[0] >= 2.5 && run.minimum.outcome != SUREKRIG_STOPPED_EARLY);
    }
    half.function = undefined;
    minimize_so(&half, "", 0, 0);
    assert_int_equal(run.status, SUREKRIG_NUMERIC);
    assert_true(run.minimum.loss == -77 && run.minimum.evaluations == -77 && run.theta[0] == 0);
    assert_true(strlen(run.error.sentence) > 0);
}

/* A stop at any call, in the design, in the search and in the polishing, gives the best of what came before. */
static void a_stop_gives_the_best_so_far(void **state)
{
    (void)state;
    for (int local = 0; local < 2; local++) {
        const char *words = local ? "optimizer=local" : "";
        minimize(&BRANIN, words);
        for (int64_t at = 2, all = run.probe.calls; at <= all; at += 4) {
            minimize_so(&BRANIN, words, at, 0);
            succeed(run.status, &run.error);
            assert_int_equal(run.minimum.outcome, SUREKRIG_STOPPED_EARLY);
            assert_int_equal(run.probe.calls, at); /* not called again */
            double lowest = INFINITY;
            for (int64_t i = 0; i < at - 1; i++)
                lowest = fmin(lowest, run.probe.loss[i]);
            assert_true(run.minimum.loss == lowest);
        }
    }
    minimize_so(&BRANIN, "", 1, 0);
    assert_int_equal(run.status, SUREKRIG_STOPPED);
    assert_true(run.minimum.loss == -77 && run.minimum.evaluations == -77 && run.theta[0] == 0);
}

static void a_search_without_memory_says_so(void **state)
{
    (void)state;
    for (lacking = SEARCH; lacking <= TOLERANCE; lacking++) {
        minimize_so(&BRANIN, "optimizer=local evaluations=20", 0, 0);
        assert_int_equal(run.status, SUREKRIG_MEMORY);
        mentions(&run.error, "the local search");
        assert_true(run.minimum.loss == -77 && run.minimum.evaluations == -77);
    }
    lacking = NOTHING;
}

/* ---- the surrogate */

static double wavy(const double *u)
{
    return sin(3 * u[0]) + u[1] * u[1];
}

/* At points that it knows it is sure of their values, which keep their order; between them it is nearly right, and the
 * less sure the farther away: where nothing is known, as sure as before. */
static void the_surrogate_interpolates(void **state)
{
    (void)state;
    enum { KNOWN = 40 };
    double unit[2 * KNOWN], value[KNOWN], mean, sd, last = 0;
    sk_plan plan = {.plain_values = true};
    sk_search search = {.plan = &plan, .count = KNOWN, .unit = unit, .value = value};
    sk_surrogate *s = NULL;
    surekrig_error error;
    sk_design spread = sk_design_of(2, 7, SK_STREAM_CANDIDATES);
    for (int i = 0; i < KNOWN; i++) { /* in a quarter of the square */
        sk_design_point(&spread, i, unit + 2 * i);
        unit[2 * i] /= 2;
        unit[2 * i + 1] /= 2;
        value[i] = wavy(unit + 2 * i);
    }
    double center = 0, square = 0, low = INFINITY;
    for (int i = 0; i < KNOWN; i++) {
        center += value[i] / KNOWN;
        low = fmin(low, value[i]);
    }
    for (int i = 0; i < KNOWN; i++)
        square += pow(value[i] - center, 2) / KNOWN;
    succeed(sk_surrogate_new(2, KNOWN, &s, &error), &error);
    assert_true(sk_surrogate_fit(s, &search));
    near_to(sk_surrogate_best(s), (low - center) / sqrt(square), 1e-9);
    for (int i = 0; i < KNOWN; i++) {
        sk_surrogate_predict(s, unit + 2 * i, &mean, &sd);
        near_to(mean, (value[i] - center) / sqrt(square), 0.01);
        assert_true(sd < 0.02);
        double between[2] = {unit[2 * i] * 0.9 + 0.03, unit[2 * i + 1] * 0.9 + 0.03};
        sk_surrogate_predict(s, between, &mean, &sd);
        near_to(mean, (wavy(between) - center) / sqrt(square), 0.05);
        assert_true(sd < 0.1);
    }
    for (double far = 0.5; far <= 1; far += 0.1) {
        sk_surrogate_predict(s, (double[]){far, far}, &mean, &sd);
        assert_true(sd > last);
        last = sd;
    }
    assert_true(last > 0.2);
    sk_surrogate_free(s);
}

enum { FEW = 30, JUNK = 5 };

/* What it says at some places, of an archive of BRANIN-like values. */
static void surrogate_says(int64_t first, int64_t count, int64_t capacity, double *unit, double *value, bool plain,
                           double *said)
{
    sk_plan plan = {.plain_values = plain};
    sk_search search = {.plan = &plan, .first = first, .count = count, .unit = unit, .value = value};
    sk_surrogate *s = NULL;
    surekrig_error error;
    succeed(sk_surrogate_new(2, capacity, &s, &error), &error);
    assert_true(sk_surrogate_fit(s, &search));
    said[0] = sk_surrogate_best(s);
    for (int i = 0; i < 4; i++)
        sk_surrogate_predict(s, (double[]){0.1 + 0.2 * i, 0.7 - 0.1 * i}, &said[1 + 2 * i], &said[2 + 2 * i]);
    sk_surrogate_free(s);
}

/* It knows the lowest of its round, as many as it has room for, in whatever order they came. */
static void the_surrogate_knows_the_lowest(void **state)
{
    (void)state;
    double unit[2 * (FEW + JUNK)], value[FEW + JUNK], turned[2 * FEW], turned_value[FEW], said[2][9];
    sk_design spread = sk_design_of(2, 8, SK_STREAM_CANDIDATES);
    for (int i = 0; i < FEW + JUNK; i++) {
        sk_design_point(&spread, i, unit + 2 * i);
        value[i] = i < JUNK ? -10 - i : wavy(unit + 2 * i);
    }
    for (int i = 0; i < FEW; i++) { /* the other way round, without what came before the round */
        memcpy(turned + 2 * i, unit + 2 * (FEW + JUNK - 1 - i), 2 * sizeof *unit);
        turned_value[i] = value[FEW + JUNK - 1 - i];
    }
    surrogate_says(JUNK, FEW + JUNK, 64, unit, value, true, said[0]);
    surrogate_says(0, FEW, 64, turned, turned_value, true, said[1]);
    same_bits(said[0], said[1], 9);
    surrogate_says(0, FEW, 20, turned, turned_value, true, said[0]);
    for (int i = 0; i < FEW; i++) /* by value, the lowest first */
        for (int j = i + 1; j < FEW; j++)
            if (turned_value[j] < turned_value[i]) {
                double kept[3] = {turned_value[i], turned[2 * i], turned[2 * i + 1]};
                turned_value[i] = turned_value[j];
                memcpy(turned + 2 * i, turned + 2 * j, 2 * sizeof *turned);
                turned_value[j] = kept[0];
                memcpy(turned + 2 * j, kept + 1, 2 * sizeof *turned);
            }
    surrogate_says(0, 20, 64, turned, turned_value, true, said[1]);
    same_bits(said[0], said[1], 9);
    assert_true(turned_value[FEW - 1] > turned_value[19]);
    surrogate_says(0, FEW, 64, turned, turned_value, true, said[1]);
    assert_true(memcmp(said[0], said[1], sizeof said[0]) != 0);
}

/* log(1 + (value - lowest)/unit), the unit being how far the fourth lowest of two axes is above the lowest; a failed
 * one counts as the worst of the others. */
static void the_surrogate_bends_values(void **state)
{
    (void)state;
    enum { KNOWN = 12 };
    double unit[2 * KNOWN], value[KNOWN], bent[KNOWN], mean = 0, square = 0, said[9];
    sk_design spread = sk_design_of(2, 9, SK_STREAM_CANDIDATES);
    for (int i = 0; i < KNOWN; i++) {
        sk_design_point(&spread, i, unit + 2 * i);
        value[i] = i < KNOWN - 2 ? 3 + i * i : INFINITY;
        bent[i] = log1p(fmin(i, KNOWN - 3) * fmin(i, KNOWN - 3) / 9);
        mean += bent[i] / KNOWN;
    }
    for (int i = 0; i < KNOWN; i++)
        square += pow(bent[i] - mean, 2) / KNOWN;
    surrogate_says(0, KNOWN, 64, unit, value, false, said);
    close_to(said[0], -mean / sqrt(square), 1e-12);
    for (int i = 0; i < KNOWN; i++) /* where the best are all alike, all of them set the unit */
        value[i] = i < 6 ? 1 : 5;
    surrogate_says(0, KNOWN, 64, unit, value, false, said);
    close_to(said[0], -1, 1e-12);
    for (int i = 0; i < KNOWN; i++)
        value[i] = 1;
    sk_search search = {.plan = &(sk_plan){0}, .count = KNOWN, .unit = unit, .value = value};
    sk_surrogate *s = NULL;
    surekrig_error error;
    succeed(sk_surrogate_new(2, 64, &s, &error), &error);
    assert_false(sk_surrogate_fit(s, &search)); /* nothing to be learnt */
    for (int i = 0; i < KNOWN; i++)
        value[i] = INFINITY;
    assert_false(sk_surrogate_fit(s, &search));
    sk_surrogate_free(s);
}

/* As a search sees them: the first evaluations of the latest run, of BRANIN. */
static sk_surrogate *surrogate_of(int64_t count, const sk_plan *plan, double *unit)
{
    sk_surrogate *s = NULL;
    surekrig_error error;
    for (int64_t i = 0; i < count; i++)
        for (int a = 0; a < 2; a++)
            unit[2 * i + a] = (run.probe.theta[i][a] - BRANIN.axis[a].lower) /
                              (BRANIN.axis[a].upper - BRANIN.axis[a].lower);
    sk_search search = {.plan = plan, .count = count, .unit = unit, .value = run.probe.loss};
    succeed(sk_surrogate_new(2, 64, &s, &error), &error);
    assert_true(sk_surrogate_fit(s, &search));
    return s;
}

/* What is promised there, the more the better. */
static double promised(sk_surrogate *s, const double *unit, double kappa)
{
    double mean, sd;
    sk_surrogate_predict(s, unit, &mean, &sd);
    double w = (sk_surrogate_best(s) - mean) / sd;
    return kappa > 0 ? kappa * sd - mean : sd * (w * erfc(-w / sqrt(2)) / 2 + exp(-w * w / 2) / sqrt(2 * M_PI));
}

/* A design of so many of BRANIN and one more, by expected improvement or, every other seed, by a bound; its kappa, or
 * 0. */
static double minimize_by(int known, int seed)
{
    char words[120];
    double kappa = seed % 2 ? 0.5 : 0;
    snprintf(words, sizeof words, "optimizer=bayes initial=%d evaluations=%d polish=0 seed=%d acquisition=%s kappa=%g",
             known, known + 1, seed, kappa > 0 ? "ucb" : "ei", kappa);
    minimize(&BRANIN, words);
    return kappa;
}

/* After the design comes the most promising place, as far as a short search finds it: no point of a grid is much more
 * so. */
static void the_most_promising_comes_next(void **state)
{
    (void)state;
    enum { KNOWN = 15, GRID = 60 };
    const sk_plan plan = {0};
    double unit[2 * KNOWN + 2];
    for (int c = 0; c < 6; c++) {
        double kappa = minimize_by(KNOWN, c);
        assert_int_equal(run.probe.calls, KNOWN + 1);
        sk_surrogate *s = surrogate_of(KNOWN, &plan, unit);
        const double *next = run.probe.theta[KNOWN], at[2] = {(next[0] + 5) / 15, next[1] / 15};
        double best = promised(s, at, kappa);
        for (int i = 0; i <= GRID * GRID; i++) {
            double grid[2] = {(double)(i % GRID) / (GRID - 1), (double)(i / GRID) / GRID};
            double other = promised(s, grid, kappa);
            if (other > best + 0.01 * fabs(best))
                fail_msg("seed %d: %g at (%g, %g), %g was chosen at (%g, %g)", c, other, grid[0], grid[1], best, at[0],
                         at[1]);
        }
        sk_surrogate_free(s);
    }
}

/* What a proposal minimises, by its formula: -log EI from its asymptote where it underflows, or the bound. */
typedef struct promising {
    sk_surrogate *surrogate;
    double kappa; /* of a confidence bound; 0: expected improvement */
} promising;

static double unpromising(unsigned axes, const double *unit, double *gradient, void *context)
{
    const promising *p = context;
    double mean, sd;
    (void)axes, (void)gradient;
    sk_surrogate_predict(p->surrogate, unit, &mean, &sd);
    double w = (sk_surrogate_best(p->surrogate) - mean) / sd;
    if (p->kappa > 0)
        return mean - p->kappa * sd;
    double improvement = w * 0.5 * erfc(-w / sqrt(2)) + exp(-w * w / 2) / sqrt(2 * M_PI);
    return -(w > -6 ? log(improvement) : -w * w / 2 - 0.5 * log(2 * M_PI) - 2 * log(-w)) - log(sd);
}

/* Of two hundred places an axis, every fourth of them around the lowest, the two most promising; from each uphill. */
static void propose_again(promising *p, uint64_t seed, const double *lowest, double *found)
{
    enum { PLACES = 400, STARTS = 2 };
    double start[STARTS][2], value[STARTS] = {INFINITY, INFINITY};
    sk_design places = sk_design_of(2, seed, SK_STREAM_CANDIDATES);
    for (int i = 0; i < PLACES; i++) {
        double place[2];
        sk_design_point(&places, i, place);
        for (int a = 0; a < 2 && i % 4 == 0; a++)
            place[a] = fmin(fmax(lowest[a] + 0.2 * (place[a] - 0.5), 0), 1);
        double here = unpromising(2, place, NULL, p);
        int to = here < value[0] ? 0 : here < value[1] ? 1 : STARTS;
        if (to == 0) {
            memcpy(start[1], start[0], sizeof start[0]);
            value[1] = value[0];
        }
        if (to < STARTS) {
            memcpy(start[to], place, sizeof place);
            value[to] = here;
        }
    }
    for (int i = 0; i < STARTS; i++) {
        nlopt_opt optimizer = nlopt_create(NLOPT_LN_NELDERMEAD, 2);
        nlopt_set_min_objective(optimizer, unpromising, p);
        nlopt_set_lower_bounds1(optimizer, 0);
        nlopt_set_upper_bounds1(optimizer, 1);
        nlopt_set_initial_step1(optimizer, 0.05);
        nlopt_set_maxeval(optimizer, 80);
        nlopt_optimize(optimizer, start[i], &value[i]);
        nlopt_destroy(optimizer);
    }
    memcpy(found, start[value[1] < value[0]], sizeof start[0]);
}

static void proposals_are_made_again(void **state)
{
    (void)state;
    enum { KNOWN = 15, SEEDS = 12 };
    const sk_plan plan = {0};
    double unit[2 * KNOWN], again[2];
    for (int c = 0; c < SEEDS; c++) {
        double kappa = minimize_by(KNOWN, c);
        sk_surrogate *s = surrogate_of(KNOWN, &plan, unit);
        int lowest = 0;
        for (int i = 1; i < KNOWN; i++)
            lowest = run.probe.loss[i] < run.probe.loss[lowest] ? i : lowest;
        propose_again(&(promising){s, kappa}, (uint64_t)(c + KNOWN), unit + 2 * lowest, again);
        for (int a = 0; a < 2; a++)
            near_to(run.probe.theta[KNOWN][a], BRANIN.axis[a].lower + 15 * again[a], 1e-6);
        sk_surrogate_free(s);
    }
}

static void impossible_problems_are_refused(void **state)
{
    (void)state;
    const problem bad[] = {{"no axes", branin, 0, {{0, 1, 0, 0}}, 0},
                           {"upside down", branin, 2, {{0, 1, 0, 0}, {1, 0, 0, 0}}, 0},
                           {"no length", branin, 2, {{0, 1, 0, 0}, {1, 1, 1, 0}}, 0},
                           {"log of zero", branin, 2, {{0, 1, 0, 1}, {0, 1, 0, 0}}, 0},
                           {"infinite", branin, 2, {{0, INFINITY, 0, 0}, {0, 1, 0, 0}}, 0},
                           {"not a number", branin, 2, {{NAN, 1, 0, 0}, {0, 1, 0, 0}}, 0},
                           {"fewer than none", branin, 2, {{0, 1, 0, 0}, {0, 1, 0, 0}}, -1}};
    for (int i = 0; i < 7; i++) {
        minimize_so(&bad[i], "", 0, 0);
        assert_int_equal(run.status, SUREKRIG_INVALID);
        assert_true(run.probe.calls == 0 && run.minimum.loss == -77 && strlen(run.error.sentence) > 10);
    }
    minimize_so(&bad[1], "", 0, 0);
    mentions(&run.error, "axis 2 goes from 1 to 0");
}

/* ---- constraints */

static void line(const double *t, double *loss, double *residual) /* nearest to 0 on x + y = 1: (1/2, 1/2) */
{
    *loss = t[0] * t[0] + t[1] * t[1];
    residual[0] = t[0] + t[1] - 1;
}

static void circle(const double *t, double *loss, double *residual) /* lowest of x^2 + y^2 = 2: (-1, -1) */
{
    *loss = t[0] + t[1];
    residual[0] = t[0] * t[0] + t[1] * t[1] - 2;
}

static void two_planes(const double *t, double *loss, double *residual) /* (1/3, 2/3, 1/3) */
{
    *loss = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
    residual[0] = t[0] + t[1] - 1;
    residual[1] = t[1] + t[2] - 1;
}

static const struct {
    problem problem;
    double theta[3], loss;
} CONSTRAINED[] = {
    {{"line", line, 2, {{-2, 2, -1, 0}, {-2, 2, 1.5, 0}}, 1}, {0.5, 0.5}, 0.5},
    {{"circle", circle, 2, {{-2, 2, -0.5, 0}, {-2, 2, -0.1, 0}}, 1}, {-1, -1}, -2},
    {{"two planes", two_planes, 3, {{-2, 2, 0, 0}, {-2, 2, 0, 0}, {-2, 2, 0, 0}}, 2},
     {1.0 / 3, 2.0 / 3, 1.0 / 3},
     2.0 / 3},
};

/* Minimises under constraints and checks that they are met, to the settings' 0.002 for one and 0.01 for several. */
static void minimize_constrained(int c, const char *optimizer, int seed)
{
    const problem *p = &CONSTRAINED[c].problem;
    double loss, residual[2], tolerance = p->constraints > 1 ? 0.01 : 0.002;
    char words[60];
    snprintf(words, sizeof words, "seed=%d optimizer=%s", seed, optimizer);
    minimize(p, words);
    p->function(run.theta, &loss, residual);
    assert_true(loss == run.minimum.loss);
    same_bits(residual, run.residual, p->constraints);
    for (int j = 0; j < p->constraints; j++)
        if (!(fabs(residual[j]) <= tolerance))
            fail_msg("%s, %s: residual %g, loss %g", p->name, words, residual[j], loss);
    assert_true(run.minimum.outcome == SUREKRIG_CONVERGED || run.minimum.outcome == SUREKRIG_BUDGET_SPENT);
}

static void multipliers_meet_the_constraints(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++)
        for (int seed = -1; seed < 8; seed++) {
            bool local = seed < 0; /* which has no use for a seed */
            minimize_constrained(c, local ? "local" : "bayes", local ? 0 : seed);
            if (CONSTRAINED[c].problem.function == circle)
                continue; /* below */
            near_to(run.minimum.loss, CONSTRAINED[c].loss, 0.03);
            for (int a = 0; a < CONSTRAINED[c].problem.axes; a++)
                near_to(run.theta[a], CONSTRAINED[c].theta[a], 0.1);
        }
}

/* With a beta that does not grow it is lambda that brings the residual down: here by a factor of 11 a round. */
static void lambda_does_it_where_beta_stays(void **state)
{
    (void)state;
    for (int seed = 0; seed < 8; seed++) {
        char words[80];
        snprintf(words, sizeof words, "seed=%d growth=1 rounds=6 select=last", seed);
        minimize(&CONSTRAINED[0].problem, words);
        if (!(fabs(run.residual[0]) <= 0.002))
            fail_msg("%s: residual %g, outcome %d", words, run.residual[0], (int)run.minimum.outcome);
        near_to(run.minimum.loss, 0.5, 0.01);
    }
}

/* Along a curve a large beta holds the search where it first met the constraint: not all seeds reach the minimum. */
static void most_seeds_follow_a_curved_constraint(void **state)
{
    (void)state;
    int near = 0;
    for (int seed = 0; seed < 10; seed++) {
        minimize_constrained(1, "bayes", seed);
        near += fabs(run.minimum.loss - CONSTRAINED[1].loss) < 0.05;
    }
    assert_true(near >= 6);
}

/* The penalty's own minimum, at beta = 10: x + y = 10/11 for the line. */
static void the_penalty_alone_does_not(void **state)
{
    (void)state;
    for (int c = 0; c < 3; c++)
        for (int seed = 0; seed < 4; seed++) {
            char words[60];
            snprintf(words, sizeof words, "constraint=penalty seed=%d", seed);
            minimize(&CONSTRAINED[c].problem, words);
            assert_true(fabs(run.residual[0]) > 0.02);
            assert_int_equal(run.minimum.outcome, SUREKRIG_COVERAGE_NOT_MET);
            if (c == 0)
                near_to(run.residual[0], -1.0 / 11, 0.02);
        }
}

static void apart(const double *t, double *loss, double *residual) /* x = 0.2 and x = 0.8 */
{
    *loss = pow(t[0] - 0.9, 2) + pow(t[1] - 0.4, 2);
    residual[0] = t[0] - 0.2;
    residual[1] = t[0] - 0.8;
}

static void never(const double *t, double *loss, double *residual)
{
    *loss = pow(t[0] - 0.9, 2) + pow(t[1] - 0.4, 2);
    residual[0] = 0.5 + pow(t[0] - 0.3, 2);
}

static void what_cannot_be_met_is_compromised(void **state)
{
    (void)state;
    problem two = {"apart", apart, 2, {{0, 1, 0.1, 0}, {0, 1, 0.1, 0}}, 2}, one = two;
    one.function = never;
    one.constraints = 1;
    for (int seed = 0; seed < 4; seed++) {
        char words[20];
        snprintf(words, sizeof words, "seed=%d", seed);
        minimize(&two, words);
        assert_int_equal(run.minimum.outcome, SUREKRIG_COVERAGE_NOT_MET);
        near_to(run.theta[0], 0.5, 0.03); /* halfway, whatever the loss */
        near_to(run.theta[1], 0.4, 0.05); /* where the constraints have no say */
        minimize(&one, words);
        assert_int_equal(run.minimum.outcome, SUREKRIG_COVERAGE_NOT_MET);
        near_to(run.theta[0], 0.3, 0.05); /* where it is nearest to being met */
    }
    int64_t all = run.probe.calls;
    for (int64_t at = all - 4; at < all; at++) { /* while it is sought: the best so far is the answer */
        minimize_so(&one, "seed=3", at, 0);
        succeed(run.status, &run.error);
        assert_true(run.minimum.outcome == SUREKRIG_STOPPED_EARLY && run.minimum.evaluations == at - 1);
    }
}

/* A constraint that nothing but lambda moves: with beta = 1 each round leaves 1 - *self of what the last one left. */
static surekrig_status same_again(void *self, const double *theta, surekrig_error *error)
{
    (void)self, (void)theta, (void)error;
    return SUREKRIG_OK;
}

static double slowly_met(void *self, int64_t evaluation, const double *lambda, double beta, double *residual)
{
    (void)evaluation, (void)beta;
    if (residual)
        residual[0] = 1 - *(double *)self * lambda[0];
    return 1;
}

/* Rounds of a local search, of one evaluation in the first; limits and tolerance as given. */
static sk_plan plan_of(int rounds, double growth, double beta_limit, double lambda_limit, double tolerance)
{
    return (sk_plan){.optimizer = SK_OPTIMIZER_LOCAL,
                     .evaluations = 1,
                     .seconds = INFINITY,
                     .rounds = rounds,
                     .beta = 1,
                     .growth = growth,
                     .beta_limit = beta_limit,
                     .lambda_limit = lambda_limit,
                     .tolerance = tolerance,
                     .multipliers = true};
}

/* Three rounds that come a tenth nearer are worth more of them; where they come less near, those before the fourth were
 * the last, but for the compromise. */
static void rounds_end_where_they_do_not_help(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    for (double falls = 0.01; falls < 0.065; falls += 0.01) {
        sk_objective objective = {.constraints = 1, .evaluate = same_again, .lagrangian = slowly_met, .self = &falls};
        sk_plan plan = plan_of(ROUNDS, 1, 1, INFINITY, 1e-9);
        sk_result result = {0};
        surekrig_error error = {0};
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        assert_int_equal(result.rounds, (pow(1 - falls, 3) > 0.9 ? 4 : ROUNDS) + 1);
        for (int i = 0; i < result.rounds - 1; i++)
            near_to(result.round[i].residual[0], pow(1 - falls, i), 1e-12);
        assert_int_equal(result.outcome, SUREKRIG_COVERAGE_NOT_MET);
        sk_result_free(&result);
    }
}

static void constrained_budgets_and_stops(void **state)
{
    (void)state;
    const problem *p = &CONSTRAINED[0].problem;
    minimize(p, "rounds=3 evaluations=6 initial=4 polish=5");
    assert_true(run.probe.calls <= 3 * (6 + 5) + 5); /* a compromise may end it */
    minimize(p, "rounds=4 select=last evaluations=6 initial=4 polish=0");
    assert_true(run.probe.calls <= 4 * 6 && run.probe.calls > 6);
    minimize(p, "");
    int64_t all = run.probe.calls;
    for (int64_t at = 2; at <= all; at += 5) {
        minimize_so(p, "", at, 0);
        succeed(run.status, &run.error);
        assert_true(run.minimum.outcome == SUREKRIG_STOPPED_EARLY && run.probe.calls == at);
        assert_true(run.minimum.evaluations == at - 1 && isfinite(run.minimum.loss));
    }
    const char *own = "rounds=4 evaluations=6 initial=3 polish=0 select=last aids=none";
    minimize(p, own);
    assert_int_equal(run.probe.calls, 4 * 6);
    for (int64_t at = 2; at <= 24; at++) { /* 7, 13 and 19: before a round knows anything */
        minimize_so(p, own, at, 0);
        succeed(run.status, &run.error);
        assert_true(run.minimum.outcome == SUREKRIG_STOPPED_EARLY && run.minimum.evaluations == at - 1);
    }
    minimize_so(p, "", 1, 0);
    assert_int_equal(run.status, SUREKRIG_STOPPED);
}

/* ---- seeds */

static void seeds_decide(void **state)
{
    (void)state;
    static answer first;
    const problem *all[] = {&BRANIN, &CONSTRAINED[2].problem};
    for (int c = 0; c < 2; c++) {
        minimize(all[c], "seed=3");
        first = run;
        minimize(all[c], "seed=3");
        assert_int_equal(run.probe.calls, first.probe.calls);
        assert_memory_equal(run.probe.theta, first.probe.theta, sizeof run.probe.theta);
        same_bits(run.theta, first.theta, all[c]->axes);
        minimize(all[c], "seed=4");
        same_bits(run.probe.theta[0], first.probe.theta[0], all[c]->axes); /* the start */
        assert_true(memcmp(run.probe.theta[1], first.probe.theta[1], (size_t)all[c]->axes * sizeof(double)) != 0);
    }
}

/* ---------------------------------------------------------------------------------------------------- the archive */

enum { ROOM = 12 };

/* A search over a plain axis and one of logarithms, with room for a few evaluations; each costs its first coordinate. */
typedef struct archive {
    sk_objective objective;
    sk_plan plan;
    sk_search search;
    double unit[2 * ROOM], value[ROOM], theta[2], next[2];
    double seen[ROOM][2], suggested[2];
    int64_t count, asked; /* evaluations, and after which of them it was asked for a suggestion */
    bool suggests;
} archive;

static surekrig_status archive_evaluate(void *self, const double *theta, surekrig_error *error)
{
    archive *a = self;
    (void)error;
    memcpy(a->seen[a->count++], theta, sizeof a->seen[0]);
    return SUREKRIG_OK;
}

static double archive_value(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    (void)lambda, (void)beta, (void)residual;
    return ((archive *)self)->seen[i][0];
}

static bool archive_suggest(void *self, int64_t i, double *theta)
{
    archive *a = self;
    a->asked = i;
    memcpy(theta, a->suggested, sizeof a->suggested);
    return a->suggests;
}

/* d theta_0^2 + log theta_1 */
static surekrig_status archive_gradient(void *self, const double *lambda, double beta, double *value, double *by,
                                        surekrig_error *error)
{
    const archive *a = self;
    const double *theta = a->seen[a->count - 1];
    (void)lambda, (void)beta, (void)error;
    *value = theta[0] * theta[0] + log(theta[1]);
    by[0] = 2 * theta[0];
    by[1] = 1 / theta[1];
    return SUREKRIG_OK;
}

static const surekrig_axis TWO_AXES[2] = {{-2, 6, 0, 0}, {0.01, 100, 10, 1}};

static void open_archive(archive *a)
{
    *a = (archive){.plan = {.seconds = INFINITY, .seed = 9, .initial = 4}};
    a->objective = (sk_objective){2, TWO_AXES,         0,   archive_evaluate, archive_value, archive_suggest,
                                  a, archive_gradient, NULL};
    a->search = (sk_search){.objective = &a->objective,
                            .plan = &a->plan,
                            .deadline = INFINITY,
                            .capacity = ROOM,
                            .unit = a->unit,
                            .value = a->value,
                            .theta = a->theta,
                            .next = a->next};
}

static void add_point(archive *a, double first, double second)
{
    surekrig_error error;
    succeed(sk_search_evaluate(&a->search, (double[]){first, second}, NULL, &error), &error);
}

/* Straight axes are stretched, others straightened; what is beyond is at the edge. */
static void the_cube_is_the_box(void **state)
{
    (void)state;
    static archive a;
    static const struct {
        double unit[2], theta[2];
    } cases[] = {{{0, 0}, {-2, 0.01}},    {{1, 1}, {6, 100}},       {{0.25, 0.5}, {0, 1}},
                 {{0.5, 0.25}, {2, 0.1}}, {{-0.5, 1.5}, {-2, 100}}, {{1.5, -0.5}, {6, 0.01}}};
    open_archive(&a);
    double start[2];
    sk_search_start(&a.search, start);
    near_to(start[0], 0.25, 1e-15);
    near_to(start[1], 0.75, 1e-15);
    for (int i = 0; i < 6; i++) {
        double value = 0;
        surekrig_error error;
        succeed(sk_search_evaluate(&a.search, cases[i].unit, &value, &error), &error);
        for (int c = 0; c < 2; c++)
            close_to(a.seen[i][c] + 3, cases[i].theta[c] + 3, 1e-15);
        assert_true(value == a.seen[i][0] && a.value[i] == value && a.search.count == i + 1);
        same_bits(a.unit + 2 * i, cases[i].unit, 2);
        if (cases[i].unit[0] < 0 || cases[i].unit[0] > 1)
            continue;
        double by[2], up[2];
        for (int c = 0; c < 2; c++) { /* by the cube's coordinates: what a small step changes */
            double u = cases[i].unit[c], step = 1e-6, v[2];
            for (int side = 0; side < 2; side++)
                v[side] = c ? log(0.01 * pow(1e4, u + (side ? step : -step)))
                            : pow(-2 + 8 * (u + (side ? step : -step)), 2);
            up[c] = (v[1] - v[0]) / (2 * step);
        }
        succeed(sk_search_gradient(&a.search, &value, by, &error), &error);
        near_to(value, a.seen[i][0] * a.seen[i][0] + log(a.seen[i][1]), 1e-12);
        near_to(by[0], up[0], 1e-6);
        near_to(by[1], up[1], 1e-6);
    }
}

/* The last evaluation that there is room for is the last; one that gives no number counts as the worst. */
static void an_archive_has_its_room(void **state)
{
    (void)state;
    static archive a;
    open_archive(&a);
    for (int i = 0; i < ROOM; i++) {
        assert_false(sk_search_over(&a.search));
        add_point(&a, i / (double)ROOM, 0.5);
    }
    assert_true(sk_search_over(&a.search) && a.search.exhausted && !a.search.stopped);
    open_archive(&a);
    a.search.deadline = sk_now() - 1;
    add_point(&a, 0.5, 0.5);
    assert_true(sk_search_over(&a.search));
    open_archive(&a);
    a.search.deadline = sk_now() + 1000;
    add_point(&a, 0.5, 0.5);
    assert_false(sk_search_over(&a.search));
}

/* Within a thousandth along all axes, among those that the round knows. */
static void known_points_are_near_ones(void **state)
{
    (void)state;
    static archive a;
    open_archive(&a);
    add_point(&a, 0.5, 0.5);
    add_point(&a, 0.2, 0.8);
    static const struct {
        double unit[2];
        bool all, later;
    } cases[] = {{{0.5, 0.5}, true, false},       {{0.2, 0.8}, true, true},        {{0.2009, 0.7991}, true, true},
                 {{0.2011, 0.8}, false, false},   {{0.2, 0.7989}, false, false},   {{0.2, 0.5}, false, false},
                 {{0.4991, 0.5009}, true, false}, {{0.4991, 0.5011}, false, false}};
    for (int i = 0; i < 8; i++) {
        a.search.first = 0;
        assert_int_equal(sk_search_known(&a.search, cases[i].unit), cases[i].all);
        a.search.first = 1;
        assert_int_equal(sk_search_known(&a.search, cases[i].unit), cases[i].later);
    }
}

/* The lowest, of equal ones the first, among all that are known, or those far enough from others. */
static void the_best_are_the_lowest(void **state)
{
    (void)state;
    static archive a;
    open_archive(&a);
    const double at[6][2] = {{0.5, 0.1}, {0.3, 0.1}, {0.2, 0.1}, {0.2, 0.9}, {0.25, 0.9}, {0.7, 0.1}};
    for (int i = 0; i < 6; i++)
        add_point(&a, at[i][0], at[i][1]);
    assert_int_equal(sk_search_best(&a.search), 2);
    const int64_t since[] = {2, 2, 2, 3, 4, 5};
    for (int i = 0; i < 6; i++)
        assert_int_equal(sk_search_best_since(&a.search, i), since[i]);
    a.search.first = 4;
    assert_int_equal(sk_search_best(&a.search), 4);
    a.search.first = 0;
    assert_int_equal(sk_search_best_apart(&a.search, 6, NULL, 0, 0.1), 2);
    assert_int_equal(sk_search_best_apart(&a.search, 2, NULL, 0, 0.1), 1);
    assert_int_equal(sk_search_best_apart(&a.search, 6, (int64_t[]){2}, 1, 0.05), 3);
    assert_int_equal(sk_search_best_apart(&a.search, 6, (int64_t[]){2, 3}, 2, 0.05), 1);
    assert_int_equal(sk_search_best_apart(&a.search, 6, (int64_t[]){2, 3}, 2, 0.25), 0);
    assert_int_equal(sk_search_best_apart(&a.search, 6, (int64_t[]){2, 3}, 2, 0.45), 5);
    assert_int_equal(sk_search_best_apart(&a.search, 5, (int64_t[]){2, 3}, 2, 0.45), -1);
    a.search.first = 3;
    assert_int_equal(sk_search_best_apart(&a.search, 6, (int64_t[]){2}, 1, 0.05), 3);
    a.search.first = 0;
    a.value[2] = a.value[3] = INFINITY; /* failed ones are nobody's best */
    assert_int_equal(sk_search_best_apart(&a.search, 4, (int64_t[]){2, 3}, 2, 0.05), 1);
    assert_int_equal(sk_search_best_apart(&a.search, 6, (int64_t[]){1}, 1, 0.3), 4);
}

/* What the latest evaluation suggests is evaluated, where it is new and there is one. */
static void suggestions_are_followed(void **state)
{
    (void)state;
    static archive a;
    surekrig_error error;
    open_archive(&a);
    add_point(&a, 0.5, 0.5);
    add_point(&a, 0.6, 0.5);
    succeed(sk_search_follow(&a.search, &error), &error);
    assert_true(a.count == 2 && a.asked == 1); /* asked, and nothing said */
    a.suggests = true;
    memcpy(a.suggested, a.seen[0], sizeof a.suggested);
    succeed(sk_search_follow(&a.search, &error), &error);
    assert_int_equal(a.count, 2); /* known */
    memcpy(a.suggested, (double[]){4, 1e9}, sizeof a.suggested);
    succeed(sk_search_follow(&a.search, &error), &error);
    assert_int_equal(a.count, 3);
    near_to(a.seen[2][0], 4, 1e-12);
    near_to(a.seen[2][1], 100, 1e-12);
    a.search.stopped = true;
    memcpy(a.suggested, (double[]){1, 1}, sizeof a.suggested);
    succeed(sk_search_follow(&a.search, &error), &error);
    assert_int_equal(a.count, 3);
}

/* Multiples of the powers of a root, wrapped: the start, then what the sequence has at the numbers of the evaluations. */
static void designs_go_on_in_their_sequence(void **state)
{
    (void)state;
    static archive a;
    double unit[2], place[2];
    surekrig_error error;
    for (int axes = 1; axes <= 4; axes++) {
        sk_design d = sk_design_of(axes, 3, SK_STREAM_DESIGN);
        close_to(pow(d.root, axes + 1), d.root + 1, 1e-14);
        assert_true(d.axes == axes && d.seed == 3 && d.stream == SK_STREAM_DESIGN && d.root > 1);
        double at[3][4];
        for (int i = 0; i < 3; i++)
            sk_design_point(&d, i, at[i]);
        for (int c = 0; c < axes; c++) {
            double moves = pow(d.root, -(c + 1)), shift = sk_uniform(3, SK_STREAM_DESIGN, (uint64_t)c);
            for (int i = 0; i < 3; i++)
                near_to(remainder(at[i][c] - shift - (i + 1) * moves, 1), 0, 1e-14);
        }
    }
    for (int64_t first = 0; first < 6; first += 3) {
        open_archive(&a);
        sk_design d = sk_design_of(2, a.plan.seed, SK_STREAM_DESIGN);
        for (int64_t i = 0; i < first; i++)
            add_point(&a, 0.1 * (double)i, 0.1);
        a.search.first = first;
        succeed(sk_search_design(&a.search, place, &error), &error);
        assert_int_equal(a.search.count, first + 4);
        near_to(a.seen[first][0], 0, 1e-12);
        near_to(a.seen[first][1], 10, 1e-12);
        for (int64_t i = 1; i < 4; i++) {
            sk_design_point(&d, first + i, unit);
            same_bits(a.unit + 2 * (first + i), unit, 2);
        }
        succeed(sk_search_design(&a.search, place, &error), &error); /* there are as many already */
        assert_int_equal(a.search.count, first + 4);
    }
}

/* ---------------------------------------------------------------------------------------------------- multipliers */

/* A constraint that misses by the same whatever is done, by turns above and below. */
static double always_off(void *self, int64_t evaluation, const double *lambda, double beta, double *residual)
{
    (void)evaluation, (void)beta;
    if (residual) {
        residual[0] = *(double *)self;
        residual[1] = -2 * *(double *)self;
    }
    return 1 + 0 * lambda[0];
}

/* lambda += beta residual and beta *= growth, both within their limits. */
static void multipliers_follow_the_method(void **state)
{
    (void)state;
    enum { ROUNDS = 7 };
    static const double LIMIT[] = {5, 40, INFINITY}, HIGHEST[] = {0.25, 3, INFINITY};
    for (int c = 0; c < 9; c++) {
        double off = 0.5, lambda[2] = {0, 0}, beta = 0.5;
        sk_objective objective = {.constraints = 2, .evaluate = same_again, .lagrangian = always_off, .self = &off};
        sk_plan plan = plan_of(ROUNDS, 2, HIGHEST[c / 3], LIMIT[c % 3], 0.1);
        plan.beta = 0.5;
        plan.take_last = true;
        sk_result result = {0};
        surekrig_error error = {0};
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        assert_int_equal(result.rounds, ROUNDS);
        assert_int_equal(result.outcome, SUREKRIG_COVERAGE_NOT_MET);
        for (int i = 0; i < ROUNDS; i++) {
            const sk_round *r = &result.round[i];
            assert_true(r->beta == beta && r->searched == beta && r->lambda[0] == lambda[0] &&
                        r->lambda[1] == lambda[1]);
            assert_true(r->evaluations == 1 && r->best == 0 && r->lagrangian == 1);
            assert_true(r->residual[0] == 0.5 && r->residual[1] == -1);
            for (int j = 0; j < 2; j++)
                lambda[j] = fmin(fmax(lambda[j] + beta * r->residual[j], -LIMIT[c % 3]), LIMIT[c % 3]);
            beta = fmin(2 * beta, fmax(0.5, HIGHEST[c / 3]));
        }
        sk_result_free(&result);
    }
}

/* Of two constraints both must be met, to the tolerance and on either side; with one that is met exactly there, one
 * round is enough, and with none too. */
static void met_is_within_the_tolerance(void **state)
{
    (void)state;
    for (int c = 0; c < 5; c++) {
        double off = (double[]){0.05, 0.0625, 0.07, -0.05, -0.07}[c]; /* and twice that, the other way */
        sk_objective objective = {.constraints = 2, .evaluate = same_again, .lagrangian = always_off, .self = &off};
        sk_plan plan = plan_of(2, 1, INFINITY, 1, 0.125);
        bool met = fabs(off) <= 0.0625;
        sk_result result = {0};
        surekrig_error error = {0};
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        assert_int_equal(result.rounds, met ? 1 : 2);
        assert_int_equal(result.outcome, met ? SUREKRIG_CONVERGED : SUREKRIG_COVERAGE_NOT_MET);
        sk_result_free(&result);
        plan.multipliers = false; /* the penalty alone is one round */
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        assert_int_equal(result.rounds, 1);
        sk_result_free(&result);
    }
}

/* A compromise is made under the largest beta without multipliers, and then holds to the constraints more firmly. */
static void compromises_are_firmer(void **state)
{
    (void)state;
    double off = 0.5;
    for (double limit = 0.25; limit < 5; limit *= 16) {
        sk_objective objective = {.constraints = 2, .evaluate = same_again, .lagrangian = always_off, .self = &off};
        sk_plan plan = plan_of(2, 2, limit, 9, 0.1);
        sk_result result = {0};
        surekrig_error error = {0};
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        const sk_round *last = &result.round[2];
        assert_int_equal(result.rounds, 3);
        assert_true(last->lambda[0] == 0 && last->lambda[1] == 0 && last->searched == fmax(limit, 1));
        assert_true(last->beta == 100 * last->searched && last->residual[0] == 0.5);
        assert_int_equal(result.outcome, SUREKRIG_COVERAGE_NOT_MET);
        sk_result_free(&result);
    }
}

/* ---------------------------------------------------------------------------------------------------- by gradients */

enum { MOST = 200 };

/* (a - 0.3)^2 + 10 (b - a^2)^2, which ends at its stop-th evaluation. */
typedef struct slope {
    double theta[MOST][2], value[MOST];
    int64_t count, stop;
} slope;

static surekrig_status slope_evaluate(void *self, const double *theta, surekrig_error *error)
{
    slope *v = self;
    if (v->count == v->stop)
        return sk_fail(error, SUREKRIG_STOPPED, "stopped");
    double a = theta[0], b = theta[1];
    memcpy(v->theta[v->count], theta, sizeof v->theta[0]);
    v->value[v->count++] = (a - 0.3) * (a - 0.3) + 10 * (b - a * a) * (b - a * a);
    return SUREKRIG_OK;
}

static double slope_value(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    (void)lambda, (void)beta, (void)residual;
    return ((slope *)self)->value[i];
}

static surekrig_status slope_gradient(void *self, const double *lambda, double beta, double *value, double *by,
                                      surekrig_error *error)
{
    (void)lambda, (void)beta, (void)error;
    const slope *v = self;
    double a = v->theta[v->count - 1][0], b = v->theta[v->count - 1][1];
    *value = v->value[v->count - 1];
    by[0] = 2 * (a - 0.3) - 40 * a * (b - a * a);
    by[1] = 20 * (b - a * a);
    return SUREKRIG_OK;
}

/* Likewise, with a constraint that is never met. */
static double slope_unmet(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    if (residual)
        residual[0] = 1;
    return slope_value(self, i, lambda, beta, NULL);
}

/* From theta_0, which is the first that is evaluated, and again where the design ends, within the budget, to the
 * minimum where it suffices; an end that the caller asks for is one. */
static void searches_by_gradients(void **state)
{
    (void)state;
    const surekrig_axis axis[2] = {{-2, 2, -1, 0}, {-1, 3, 2, 0}};
    for (int64_t budget = 1; budget <= 60; budget += budget < 12 ? 1 : 24)
        for (int64_t stop = 1; stop <= MOST; stop += stop < 9 ? 2 : MOST - stop ? MOST - stop : 1) {
            static slope v;
            v = (slope){.stop = stop};
            sk_objective objective = {2, axis, 0, slope_evaluate, slope_value, NULL, &v, slope_gradient};
            sk_plan plan = {.optimizer = SK_OPTIMIZER_LBFGS,
                            .initial = 5 < budget ? 5 : budget,
                            .evaluations = budget,
                            .later = 5,
                            .seconds = INFINITY,
                            .seed = 1,
                            .rounds = 1,
                            .beta = 1,
                            .growth = 1,
                            .beta_limit = 1,
                            .lambda_limit = 1,
                            .tolerance = 1,
                            .multipliers = true};
            sk_result result = {0};
            surekrig_error error = {0};
            succeed(sk_minimize(&objective, &plan, &result, &error), &error);
            assert_true(v.count <= budget && v.count <= stop && v.count >= (budget < 5 && budget < stop ? budget : 1));
            assert_true(v.theta[0][0] == -1 && v.theta[0][1] == 2);
            if (v.count > 5)
                same_bits(v.theta[5], v.theta[0], 2);
            for (int64_t i = 0; i < v.count; i++)
                assert_true(v.value[result.chosen] <= v.value[i]);
            if (budget >= 36 && stop == MOST) {
                near_to(v.theta[result.chosen][0], 0.3, 1e-3);
                near_to(v.theta[result.chosen][1], 0.09, 1e-3);
            }
            sk_result_free(&result);
        }
}

/* Without derivatives where the first coordinate is negative. */
static surekrig_status half_gradient(void *self, const double *lambda, double beta, double *value, double *by,
                                     surekrig_error *error)
{
    const slope *v = self;
    surekrig_status status = slope_gradient(self, lambda, beta, value, by, error);
    *value = v->theta[v->count - 1][0] < 0 ? INFINITY : *value;
    return status;
}

/* From near the minimum there is no design, and the first step is a tenth as long; where the start tells nothing there
 * is one after all. A brief search is one run alone. */
static void searches_that_begin_near(void **state)
{
    (void)state;
    const surekrig_axis axis[2] = {{-2, 2, -1, 0}, {-1, 3, 2, 0}};
    enum { FAR_START, NEAR_START, NEAR_BLIND, BRIEF, CASES };
    int64_t count[CASES];
    for (int c = 0; c < CASES; c++) {
        static slope v;
        v = (slope){.stop = MOST};
        sk_objective objective = {2,           axis, 0,  slope_evaluate,
                                  slope_value, NULL, &v, c == NEAR_BLIND ? half_gradient : slope_gradient};
        sk_plan plan = {.optimizer = SK_OPTIMIZER_LBFGS,
                        .initial = 5,
                        .evaluations = 100,
                        .later = 5,
                        .seconds = INFINITY,
                        .seed = 1,
                        .rounds = 1,
                        .beta = 1,
                        .multipliers = true,
                        .near = c == NEAR_START || c == NEAR_BLIND,
                        .brief = c == BRIEF};
        sk_result result = {0};
        surekrig_error error = {0};
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        assert_int_equal(result.outcome, SUREKRIG_CONVERGED);
        int64_t first = c == NEAR_START ? 0 : c == NEAR_BLIND ? 1 : 5; /* where the descent begins */
        assert_true(v.theta[0][0] == -1 && v.theta[0][1] == 2);
        double step = fmax(fabs(v.theta[first + 1][0] - v.theta[first][0]),
                           fabs(v.theta[first + 1][1] - v.theta[first][1])) /
                      4;     /* of the cube's side */
        if (c == NEAR_BLIND) /* the design begins at the start too */
            same_bits(v.theta[1], v.theta[0], 2);
        else
            near_to(step, c == NEAR_START ? 0.005 : 0.05, 1e-6);
        near_to(v.value[result.chosen], 0, 1e-4);
        count[c] = v.count;
        sk_result_free(&result);
    }
    assert_true(count[BRIEF] < count[FAR_START] && count[NEAR_START] < count[FAR_START]);
}

/* In later rounds. */
static void descents_begin_at_the_lowest(void **state)
{
    (void)state;
    enum { ROUNDS = 3 };
    static slope v;
    v = (slope){.stop = MOST};
    const surekrig_axis axis[2] = {{-2, 2, -1, 0}, {-1, 3, 2, 0}};
    sk_objective objective = {2, axis, 1, slope_evaluate, slope_unmet, NULL, &v, slope_gradient};
    sk_plan plan = {.optimizer = SK_OPTIMIZER_LBFGS,
                    .initial = 5,
                    .evaluations = 9, /* too few to come far */
                    .later = 5,
                    .seconds = INFINITY,
                    .seed = 1,
                    .rounds = ROUNDS,
                    .beta = 1,
                    .growth = 1,
                    .beta_limit = INFINITY,
                    .lambda_limit = 1,
                    .tolerance = 1e-9,
                    .multipliers = true,
                    .take_last = true};
    sk_result result = {0};
    surekrig_error error = {0};
    succeed(sk_minimize(&objective, &plan, &result, &error), &error);
    assert_int_equal(result.rounds, ROUNDS);
    for (int i = 0; i + 1 < ROUNDS; i++) {
        assert_true(result.round[i + 1].evaluations > result.round[i].evaluations);
        same_bits(v.theta[result.round[i].evaluations], v.theta[result.round[i].best], 2);
    }
    sk_result_free(&result);
}

/* Where rounds come no nearer, another search helps while beta grows, and at its limit no more. */
static void stalled_rounds_search_while_beta_grows(void **state)
{
    (void)state;
    const surekrig_axis axis[2] = {{-2, 2, -1, 0}, {-1, 3, 2, 0}};
    for (int grows = 0; grows < 2; grows++) {
        static slope v;
        v = (slope){.stop = MOST};
        sk_objective objective = {2, axis, 1, slope_evaluate, slope_unmet, NULL, &v, NULL};
        sk_plan plan = plan_of(9, grows ? 2 : 1, grows ? 1e9 : 1, 1, 1e-9);
        plan.evaluations = 9;
        plan.later = 5;
        sk_result result = {0};
        surekrig_error error = {0};
        succeed(sk_minimize(&objective, &plan, &result, &error), &error);
        assert_int_equal(result.rounds, grows ? 6 : 5); /* the last is the compromise */
        assert_int_equal(result.round[0].evaluations, 9);
        for (int i = 1; i < 3; i++)
            assert_int_equal(result.round[i].evaluations, 9);
        assert_int_equal(result.round[3].evaluations, grows ? 9 + 5 : 9);
        assert_int_equal(v.count, grows ? 9 + 2 * 5 : 9);
        sk_result_free(&result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_minima_are_found),
        cmocka_unit_test(easy_problems_converge),
        cmocka_unit_test(the_local_search_is_not_fooled_by_symmetry),
        cmocka_unit_test(log_axes_may_be_of_any_length),
        cmocka_unit_test(the_start_comes_first),
        cmocka_unit_test(the_initial_design_has_its_size),
        cmocka_unit_test(evaluations_are_not_exceeded),
        cmocka_unit_test(few_evaluations_cut_the_initial_design),
        cmocka_unit_test(seconds_are_not_exceeded),
        cmocka_unit_test(undefined_points_are_survived),
        cmocka_unit_test(a_stop_gives_the_best_so_far),
        cmocka_unit_test(a_search_without_memory_says_so),
        cmocka_unit_test(the_surrogate_interpolates),
        cmocka_unit_test(the_surrogate_knows_the_lowest),
        cmocka_unit_test(the_surrogate_bends_values),
        cmocka_unit_test(the_most_promising_comes_next),
        cmocka_unit_test(proposals_are_made_again),
        cmocka_unit_test(impossible_problems_are_refused),
        cmocka_unit_test(multipliers_meet_the_constraints),
        cmocka_unit_test(lambda_does_it_where_beta_stays),
        cmocka_unit_test(most_seeds_follow_a_curved_constraint),
        cmocka_unit_test(the_penalty_alone_does_not),
        cmocka_unit_test(what_cannot_be_met_is_compromised),
        cmocka_unit_test(rounds_end_where_they_do_not_help),
        cmocka_unit_test(constrained_budgets_and_stops),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(the_cube_is_the_box),
        cmocka_unit_test(an_archive_has_its_room),
        cmocka_unit_test(known_points_are_near_ones),
        cmocka_unit_test(the_best_are_the_lowest),
        cmocka_unit_test(suggestions_are_followed),
        cmocka_unit_test(designs_go_on_in_their_sequence),
        cmocka_unit_test(multipliers_follow_the_method),
        cmocka_unit_test(met_is_within_the_tolerance),
        cmocka_unit_test(compromises_are_firmer),
        cmocka_unit_test(searches_by_gradients),
        cmocka_unit_test(searches_that_begin_near),
        cmocka_unit_test(descents_begin_at_the_lowest),
        cmocka_unit_test(stalled_rounds_search_while_beta_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
