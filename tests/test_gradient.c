/* The gradient of the smoothed Lagrangian and of the whole training objective against differences; the search that uses
 * it. */
#include "support.h"
#include "train/train.h"

/* --------------------------------------------------------------------------------------- the smoothed Lagrangian */

/* The number-th of the losses with derivatives, round and round; how many there are. */
static const sk_loss_row *smooth_loss(int number)
{
    for (int i = 0;; i = sk_loss_at(i + 1) ? i + 1 : 0)
        if (sk_loss_at(i)->slopes && number-- == 0)
            return sk_loss_at(i);
}

static int smooth_losses(void)
{
    int count = 0;
    for (int i = 0; sk_loss_at(i); i++)
        count += sk_loss_at(i)->slopes != NULL;
    return count;
}

enum { B = 200, L_MAX = 2, LEVELS = 5 };
static const double ALPHA[LEVELS] = {0.9, 0.925, 0.95, 0.975, 0.99};

typedef struct judged {
    double value, scale[L_MAX], by_residual[B * L_MAX], by_log_variance[B];
} judged;

static judged judge(const sk_loss *loss, sk_multipliers m, const double *residual, const double *variance, double start)
{
    judged j = {.scale = {start, start}};
    j.value = sk_smooth_lagrangian(loss, m,
                                   &(sk_smooth){residual, variance, 0.5, 0.02, j.scale, j.by_residual,
                                                j.by_log_variance});
    return j;
}

/* By differences along a random direction in all residuals, and in all log variances. */
static void check_direction(const sk_loss *loss, sk_multipliers m, double *residual, double *variance, draws *d)
{
    double kept_r[B * L_MAX], kept_v[B], direction[B * L_MAX], along = 0, h = 1e-5, value[2];
    judged at = judge(loss, m, residual, variance, 1);
    for (int of = 0; of < 2; of++) {
        int64_t n = of ? loss->b : loss->b * loss->l;
        along = 0;
        for (int64_t i = 0; i < n; i++) {
            direction[i] = draw_normal(d);
            along += direction[i] * (of ? at.by_log_variance[i] : at.by_residual[i]);
        }
        memcpy(kept_r, residual, sizeof kept_r);
        memcpy(kept_v, variance, sizeof kept_v);
        for (int side = 0; side < 2; side++) {
            for (int64_t i = 0; i < n; i++)
                *(of ? &variance[i] : &residual[i]) = of ? kept_v[i] * exp((side ? h : -h) * direction[i])
                                                         : kept_r[i] + (side ? h : -h) * direction[i];
            value[side] = judge(loss, m, residual, variance, at.scale[0]).value;
        }
        memcpy(residual, kept_r, sizeof kept_r);
        memcpy(variance, kept_v, sizeof kept_v);
        close_within((value[1] - value[0]) / (2 * h), along, 1e-5, 2e-6);
    }
}

static void slopes_of_the_smoothed_lagrangian(void **state)
{
    (void)state;
    int losses = smooth_losses();
    draws d = {84, 0};
    for (int i = 0; i < 20 * losses; i++) {
        double residual[B * L_MAX], variance[B], lambda[LEVELS], z[LEVELS], low[2] = {1e-9, 1e-9}, high[2] = {1e9, 1e9};
        for (int j = 0; j < B; j++)
            variance[j] = exp(draw(&d, -3, 0));
        for (int j = 0; j < B * L_MAX; j++)
            residual[j] = draw_normal(&d) * pow(draw(&d, 0.1, 1), -0.3);
        for (int j = 0; j < LEVELS; j++) {
            z[j] = surekrig_quantile(ALPHA[j]);
            lambda[j] = draw(&d, -0.3, 0.3);
        }
        if (i % 4 == 3)
            low[0] = high[0] = 1.3; /* a fixed gamma2 */
        sk_loss loss = {smooth_loss(i), 1.5, B, 1 + i / losses % 2, i % 5 ? LEVELS : 0, ALPHA, z, low, high};
        check_direction(&loss, (sk_multipliers){lambda, exp(draw(&d, 0, 4))}, residual, variance, &d);
    }
}

/* With a large batch the smoothed Lagrangian is the exact one, but for what its window blurs. */
static void the_smoothed_lagrangian_is_near_the_exact_one(void **state)
{
    (void)state;
    enum { MANY = 50000 };
    double *residual = sk_doubles(3 * MANY), *variance = residual + MANY, *by = variance + MANY,
           *by_v = sk_doubles(MANY);
    double z[LEVELS], lambda[LEVELS] = {0.1, -0.1, 0.2, 0, -0.2}, low = 1e-9, high = 1e9, exact[LEVELS], scale, smooth;
    draws d = {85, 0};
    for (int i = 0; i < MANY; i++) {
        variance[i] = exp(draw(&d, -3, 0));
        residual[i] = 1.2 * sqrt(variance[i]) * draw_normal(&d);
    }
    for (int j = 0; j < LEVELS; j++)
        z[j] = surekrig_quantile(ALPHA[j]);
    for (int i = 0; i < smooth_losses(); i++) {
        sk_loss loss = {smooth_loss(i), 1.5, MANY, 1, LEVELS, ALPHA, z, &low, &high};
        sk_evaluation *e = NULL;
        assert_int_equal(sk_evaluation_new(&loss, &e, NULL), SUREKRIG_OK);
        sk_evaluation_fill(e, &loss, residual, variance);
        sk_verdict verdict = {.scale = &scale, .coverage = exact};
        sk_judge(&loss, e, (sk_multipliers){lambda, 50}, &verdict);
        smooth = scale;
        double value = sk_smooth_lagrangian(&loss, (sk_multipliers){lambda, 50},
                                            &(sk_smooth){residual, variance, 10, 0.01, &smooth, by, by_v});
        close_within(value, verdict.lagrangian, 0, 1e-3);
        close_within(log(smooth), log(scale), 0, 0.01);
        sk_evaluation_free(e);
    }
    free(residual);
    free(by_v);
}

/* ---------------------------------------------------------------------------------------- the training objective */

enum { ROWS = 300 };

static double smoothed_at(sk_training *t, const double *theta, const double *lambda, double *by_theta)
{
    sk_objective objective = sk_training_objective(t);
    surekrig_error error = {0};
    double value = NAN;
    succeeded(objective.evaluate(t, theta, &error), &error);
    succeeded(objective.gradient(t, lambda, 20, &value, by_theta, &error), &error);
    return value;
}

/* Every axis at several points, also where an automatic nugget is at its bounds, by (8 (f1 - f-1) - (f2 - f-2)) / 12h
 * in log theta. */
static void check_training(sk_training *t, draws *d)
{
    double lambda[LEVELS] = {0.1, -0.2, 0.1, 0, 0.2}, theta[9], by[9], other[9], value[4], h = 1e-4;
    for (int repeat = 0; repeat < 4; repeat++) {
        for (int a = 0; a < t->axes; a++)
            theta[a] = t->axis[a].lower * pow(t->axis[a].upper / t->axis[a].lower,
                                              draw(d, repeat < 2 ? 0.35 : 0.1, repeat < 2 ? 0.65 : 0.95));
        smoothed_at(t, theta, lambda, by);
        for (int a = 0; a < t->axes; a++) {
            double kept = theta[a];
            for (int i = 0; i < 4; i++) {
                theta[a] = kept * exp(h * (i < 2 ? i - 2 : i - 1));
                value[i] = smoothed_at(t, theta, lambda, other);
            }
            theta[a] = kept;
            close_within(by[a] * kept, (8 * (value[2] - value[1]) - value[3] + value[0]) / (12 * h), 1e-5, 1e-6);
        }
    }
}

static surekrig_settings *settings_of(char *words)
{
    surekrig_settings *settings = NULL;
    surekrig_error error = {0};
    succeeded(surekrig_settings_new(&settings, &error), &error);
    for (char *rest, *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        *value = 0;
        succeeded(surekrig_settings_set(settings, word, value + 1, &error), &error);
    }
    return settings;
}

static void slopes_of_the_training_objective(void **state)
{
    (void)state;
    static const char *const cases[] = {"anisotropic=yes",
                                        "tau2=1e-3:1",
                                        "gamma2=2",
                                        "nu=inf",
                                        "coverage=none",
                                        "scaling=axis",
                                        "mean=local",
                                        "mean=trend",
                                        "terms=2",
                                        "terms=2 long_nu=0.3:2.5 anisotropic=yes",
                                        "terms=2 long_nu=2 nu=0.4 mean=local loss=block",
                                        "terms=2 kernel=gaussian long_nu=0.2:1 tau2=1e-3:1",
                                        "terms=2 long_ratio=5 mean=trend loss=block",
                                        "terms=2 long_share=0.3 gamma2=2"};
    int losses = smooth_losses(),
        others = sizeof cases / sizeof *cases; /* each loss without and with noise, of one term
                                                                            and of two, then these */
    double places[2 * ROWS], response[ROWS], noises[ROWS];
    draws d = {86, 0};
    fill_uniform(&d, 2 * ROWS, 0, 3, places);
    for (int i = 0; i < ROWS; i++) {
        noises[i] = draw(&d, 0.01, 0.5);
        response[i] = 5 + 3 * sin(4 * places[2 * i]) * cos(2 * places[2 * i + 1]) + 0.6 * draw_normal(&d);
    }
    for (int c = 0; c < 3 * losses + others; c += SANITIZED ? 4 : 1) {
        bool other = c >= 3 * losses;
        char words[160];
        snprintf(words, sizeof words, "neighbors=12 batch=150 loss=lool %s%s%s",
                 other ? cases[c - 3 * losses] : "loss=", other ? "" : smooth_loss(c)->name,
                 !other && c >= 2 * losses ? " terms=2" : "");
        surekrig_data data = {ROWS,   2,        1,
                              places, response, !other && (c < 2 * losses ? c >= losses : c % 2) ? noises : NULL};
        surekrig_settings *settings = settings_of(words);
        surekrig_model *model = NULL;
        surekrig_error error = {0};
        sk_training t;
        succeeded(sk_model_new(&data, settings, &model, &error), &error);
        succeeded(sk_model_index(model, &error), &error);
        succeeded(sk_training_open(model, NULL, &t, &error), &error);
        check_training(&t, &d);
        sk_training_close(&t);
        surekrig_model_free(model);
        surekrig_settings_free(settings);
    }
}

/* The minimum of a search by gradients is as low as any other's, and the losses without gradients refuse it. */
static void fits_by_gradients(void **state)
{
    (void)state;
    double places[2 * ROWS], response[ROWS], found[2];
    draws d = {87, 0};
    fill_uniform(&d, 2 * ROWS, 0, 3, places);
    for (int i = 0; i < ROWS; i++)
        response[i] = 3 * sin(4 * places[2 * i]) * cos(2 * places[2 * i + 1]) + 0.6 * draw_normal(&d);
    surekrig_data data = {ROWS, 2, 1, places, response};
    for (int i = 0; sk_loss_at(i); i++) {
        const sk_loss_row *row = sk_loss_at(i);
        surekrig_error error = {0};
        for (int gradients = 1; gradients >= 0; gradients--) {
            surekrig_settings *settings = NULL;
            surekrig_model *model = NULL;
            succeeded(surekrig_settings_new(&settings, &error), &error);
            succeeded(surekrig_settings_set(settings, "neighbors", "12", &error), &error);
            succeeded(surekrig_settings_set(settings, "loss", row->name, &error), &error);
            succeeded(surekrig_settings_set(settings, "constraint", "penalty", &error),
                      &error); /* the same L for both */
            succeeded(surekrig_settings_set(settings, "optimizer", gradients ? "lbfgs" : "bayes", &error), &error);
            surekrig_status status = surekrig_fit(&data, settings, NULL, &model, &error);
            if (gradients && !row->slopes)
                refused(status, &error, SUREKRIG_INVALID, "needs derivatives");
            else
                succeeded(status, &error);
            if (model) {
                const surekrig_info *info = surekrig_model_info(model);
                found[gradients] = info->round[info->rounds - 1].objective;
            }
            surekrig_model_free(model);
            surekrig_settings_free(settings);
        }
        if (row->slopes && !(found[1] <= found[0] + 2e-3))
            fail_msg("%s: L = %.6f by gradients, %.6f without", row->name, found[1], found[0]);
    }
}

/* --------------------------------------------------------------------------------------- the search by gradients */

/* Rosenbrock's valley on x in (-2, 2), log y: a pow(y - x^2 - 1, 2) + (1 - x)^2, and where asked x + y = 2.5. */
typedef struct archive {
    double theta[500][2];
    int64_t count;
} archive;

static surekrig_status evaluate(void *self, const double *theta, surekrig_error *error)
{
    archive *a = self;
    (void)error;
    assert_true(a->count < 500 && fabs(theta[0]) <= 2 && theta[1] >= 0.1 && theta[1] <= 10);
    memcpy(a->theta[a->count++], theta, 2 * sizeof *theta);
    return SUREKRIG_OK;
}

static double lagrangian(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    const double *t = ((archive *)self)->theta[i];
    double wall = t[1] - t[0] * t[0] - 1, value = 10 * wall * wall + pow(1 - t[0], 2), gap = t[0] + t[1] - 2.5;
    if (residual)
        residual[0] = gap;
    return lambda ? value + lambda[0] * gap + beta / 2 * gap * gap : value;
}

static surekrig_status gradient(void *self, const double *lambda, double beta, double *value, double *by,
                                surekrig_error *error)
{
    const archive *a = self;
    const double *t = a->theta[a->count - 1];
    double wall = t[1] - t[0] * t[0] - 1, pull = lambda ? lambda[0] + beta * (t[0] + t[1] - 2.5) : 0;
    (void)error;
    *value = lagrangian(self, a->count - 1, lambda, beta, NULL);
    by[0] = -40 * wall * t[0] - 2 * (1 - t[0]) + pull;
    by[1] = 20 * wall + pull;
    return SUREKRIG_OK;
}

static double unconstrained(void *self, int64_t i, const double *lambda, double beta, double *residual)
{
    (void)lambda;
    (void)beta;
    (void)residual;
    return lagrangian(self, i, NULL, 0, NULL);
}

static surekrig_status plain_gradient(void *self, const double *lambda, double beta, double *value, double *by,
                                      surekrig_error *error)
{
    (void)lambda;
    (void)beta;
    return gradient(self, NULL, 0, value, by, error);
}

static void the_search_finds_minima(void **state)
{
    (void)state;
    const surekrig_axis axis[2] = {{-2, 2, -1.2, 0}, {0.1, 10, 3, 1}};
    surekrig_settings *settings = NULL;
    surekrig_error error = {0};
    succeeded(surekrig_settings_new(&settings, &error), &error);
    succeeded(surekrig_settings_set(settings, "optimizer", "lbfgs", &error), &error);
    for (int constraints = 0; constraints < 2; constraints++) {
        archive a = {.count = 0};
        sk_result result = {0};
        sk_plan plan = sk_plan_from(settings, SK_OPTIMIZER_BAYES, 2, constraints, 0);
        sk_objective objective = {2,
                                  axis,
                                  constraints,
                                  evaluate,
                                  constraints ? lagrangian : unconstrained,
                                  NULL,
                                  &a,
                                  constraints ? gradient : plain_gradient};
        succeeded(sk_minimize(&objective, &plan, &result, &error), &error);
        const double *found = a.theta[result.chosen];
        assert_int_equal(result.outcome, SUREKRIG_CONVERGED);
        assert_true(a.count <= sk_plan_capacity(&plan) && a.count < (constraints ? 150 : 60));
        if (constraints)
            close_within(found[0] + found[1], 2.5, 0, 0.002);
        else
            close_within(unconstrained(&a, result.chosen, NULL, 0, NULL), 0, 0, 1e-4);
        sk_result_free(&result);
        objective.gradient = NULL;
        refused(sk_minimize(&objective, &plan, &result, &error), &error, SUREKRIG_INVALID, "needs derivatives");
    }
    surekrig_settings_free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_of_the_smoothed_lagrangian),
        cmocka_unit_test(the_smoothed_lagrangian_is_near_the_exact_one),
        cmocka_unit_test(slopes_of_the_training_objective),
        cmocka_unit_test(fits_by_gradients),
        cmocka_unit_test(the_search_finds_minima),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
