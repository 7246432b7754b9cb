/* Every loss of the table: values against formulas written anew, derivatives against differences, the profiled scale
 * against trying every scale next to every jump of the coverage. A loss without a formula here is tested but for that:
 * what its row says must agree with itself and with the profile. */
#include "loss/loss.h"
#include "support.h"

/* ----------------------------------------------------------------------------------------------------- the table */

static long double lool(long double r, long double v, long double delta)
{
    (void)delta;
    return logl(v) + r * r / v;
}

static long double mse(long double r, long double v, long double delta)
{
    (void)v;
    (void)delta;
    return r * r;
}

static long double huber(long double r, long double v, long double delta)
{
    (void)v;
    return delta * delta * (sqrtl(1 + r * r / delta / delta) - 1);
}

static long double crps(long double r, long double v, long double delta)
{
    long double z = r / sqrtl(v), phi = expl(-z * z / 2) / sqrtl(2 * acosl(-1));
    (void)delta;
    return sqrtl(v) * (z * erfl(z / sqrtl(2)) + 2 * phi - 1 / sqrtl(acosl(-1))); /* 2 Phi - 1 = erf(z/sqrt 2) */
}

static long double looph(long double r, long double v, long double delta)
{
    return logl(v) + 2 * huber(r / sqrtl(v), 1, delta);
}

static const struct {
    const char *name;
    long double (*of)(long double r, long double v, long double delta);
} FORMULAS[] = {{"lool", lool}, {"mse", mse}, {"huber", huber}, {"crps", crps}, {"looph", looph}};

static long double formula(const sk_loss_row *row, double r, double v, double delta)
{
    for (size_t i = 0; i < sizeof FORMULAS / sizeof *FORMULAS; i++)
        if (!strcmp(row->name, FORMULAS[i].name))
            return FORMULAS[i].of(r, v, delta);
    return row->value(r, v, delta);
}

/* The number-th of the losses that are sums over points, round and round. */
static const sk_loss_row *point_loss(int number)
{
    for (int i = 0;; i = sk_loss_at(i + 1) ? i + 1 : 0)
        if (sk_loss_at(i)->value && number-- == 0)
            return sk_loss_at(i);
}

static int point_losses(void)
{
    int count = 0;
    for (int i = 0; sk_loss_at(i); i++)
        count += sk_loss_at(i)->value != NULL;
    return count;
}

/* Names are the list's, sentences name the right ones, and a row says nothing that contradicts itself. */
static void the_table_is_in_order(void **state)
{
    (void)state;
    char words[256] = "";
    for (int i = 0; sk_loss_at(i); i++) {
        const sk_loss_row *row = sk_loss_at(i);
        assert_ptr_equal(sk_loss_find(row->name), row);
        strcat(strcat(words, i ? " " : ""), row->name);
        assert_true((row->scale != NULL) == row->needs_variance);
        assert_true((row->scale == sk_scale_nodes) == (row->jet != NULL));
        assert_true((row->value == NULL) == row->needs_neighbors);
    }
    assert_string_equal(words, SK_ROW_WORDS(SK_LOSS_LIST));
    assert_null(sk_loss_find("mae"));
    assert_null(sk_loss_at(-1));
}

/* A likelihood is log v + c(r/sd), an error sd c(r/sd) or free of v; both the same for -r and least at r = 0. */
static void losses_go_with_the_units(void **state)
{
    (void)state;
    draws d = {73, 0};
    for (int i = 0; i < 40 * point_losses(); i++) {
        const sk_loss_row *row = point_loss(i);
        double r = draw_normal(&d), v = exp(draw(&d, -3, 3)), delta = exp(draw(&d, -2, 2)), unit = exp(draw(&d, -3, 3));
        double one = row->value(r, row->needs_variance ? v : NAN, row->needs_delta ? delta : NAN);
        assert_true(one == row->value(-r, v, delta) && one > row->value(0, v, delta));
        if (row->needs_variance)
            close_within(row->value(unit * r, unit * unit * v, delta),
                         row->likelihood ? one + 2 * log(unit) : one * unit, 1e-13, 1e-13);
    }
}

/* By (8 (f1 - f-1) - (f2 - f-2)) / 12h. */
static void slopes_are_those_of_the_value(void **state)
{
    (void)state;
    draws d = {74, 0};
    for (int i = 0; i < 40 * point_losses(); i++) {
        const sk_loss_row *row = point_loss(i);
        double r = draw(&d, 0.05, 4), v = exp(draw(&d, -2, 2)), delta = exp(draw(&d, -1, 2)), h = 1e-3, sum[2] = {0};
        const double weight[4] = {1, -8, 8, -1};
        if (!row->slopes)
            continue;
        sk_point at = row->slopes(r / sqrt(v), v, delta);
        for (int k = 0; k < 4; k++) {
            double step = h * (k < 2 ? k - 2 : k - 1);
            sum[0] += weight[k] * row->value(r * exp(step), v, delta) / (12 * h);
            sum[1] += weight[k] * row->value(r, v * exp(step), delta) / (12 * h);
        }
        close_within(at.value, row->value(r, v, delta), 1e-13, 1e-13);
        close_within(at.by_zeta * r / sqrt(v), sum[0], 1e-8, 1e-9); /* by log r */
        close_within(at.by_log_variance - at.by_zeta * r / sqrt(v) / 2, sum[1], 1e-8, 1e-9);
    }
}

enum { MANY = 500 };

/* What the jet should begin with. */
static double mean_at(const sk_loss_row *row, const double *t, const double *root, double delta, double g)
{
    double sum = 0;
    for (int i = 0; i < MANY; i++) {
        double own = row->likelihood ? 1 : root[i];
        sum += row->value(t[i] * own, own * own * g, delta);
    }
    return sum / MANY;
}

static void jets_are_those_of_the_mean(void **state)
{
    (void)state;
    double t[MANY], root[MANY], h = 1e-3, at[5], jet[3];
    draws d = {75, 0};
    for (int i = 0; i < 10 * point_losses(); i++) {
        const sk_loss_row *row = point_loss(i);
        double g = exp(draw(&d, -2, 2)), delta = exp(draw(&d, -1, 2));
        for (int k = 0; k < MANY; k++) {
            t[k] = fabs(draw_normal(&d)) * exp(draw(&d, -1, 1));
            root[k] = exp(draw(&d, -2, 0));
        }
        if (!row->jet)
            continue;
        row->jet(&(sk_scaled){MANY, t, row->likelihood ? NULL : root, delta}, g, jet);
        for (int k = 0; k < 5; k++)
            at[k] = mean_at(row, t, root, delta, g * exp(h * (k - 2)));
        close_within(jet[0], at[2], 1e-13, 1e-13);
        close_within(jet[1], (8 * (at[3] - at[1]) - at[4] + at[0]) / (12 * h), 1e-9, 1e-9);
        close_within(jet[2], (16 * (at[3] + at[1]) - at[4] - at[0] - 30 * at[2]) / (12 * h * h), 1e-6, 1e-7);
    }
}

/* ------------------------------------------------------------------------------------------------- surekrig_loss */

static double loss_of(const char *name, const double *residual, const double *variance, double delta)
{
    double loss;
    surekrig_error error = {0};
    succeeded(surekrig_loss(name, &(surekrig_residuals){MANY, residual, variance}, delta, &loss, &error), &error);
    return loss;
}

static void losses_are_their_sums(void **state)
{
    (void)state;
    double residual[MANY], variance[MANY];
    draws d = {61, 0};
    for (int trial = 0; trial < 20; trial++) {
        double delta = exp(draw(&d, -3, 3));
        for (int i = 0; i < MANY; i++) {
            residual[i] = draw_normal(&d) * exp(draw(&d, -5, 3));
            variance[i] = exp(draw(&d, -10, 3));
        }
        for (int k = 0; k < point_losses(); k++) {
            const sk_loss_row *row = point_loss(k);
            long double sum = 0;
            for (int i = 0; i < MANY; i++)
                sum += formula(row, residual[i], variance[i], delta);
            close_within(loss_of(row->name, residual, row->needs_variance ? variance : NULL, delta), (double)sum, 1e-12,
                         row->likelihood ? 1e-10 : 0);
        }
    }
}

/* Quadratic within the boundary, linear beyond: r^2/2 and delta |r| - delta^2; nothing cancels for a small residual. */
static void the_pseudo_huber_loss_has_its_limits(void **state)
{
    (void)state;
    double residual[MANY], loss;
    draws d = {62, 0};
    fill_uniform(&d, MANY, -1, 1, residual);
    close_to(loss_of("huber", residual, NULL, 1e9), loss_of("mse", residual, NULL, 0) / 2, 1e-13);
    double small[1] = {1e-9}, large[1] = {-1e9};
    assert_int_equal(surekrig_loss("huber", &(surekrig_residuals){1, small, NULL}, 1, &loss, NULL), SUREKRIG_OK);
    close_to(loss, 0.5e-18, 1e-15);
    assert_int_equal(surekrig_loss("huber", &(surekrig_residuals){1, large, NULL}, 2, &loss, NULL), SUREKRIG_OK);
    close_to(loss, 2e9 - 4, 1e-15);
}

/* CRPS = int (F(x) - [x >= y])^2 dx, by the trapezoidal rule on either side of y. */
static void the_crps_is_its_integral(void **state)
{
    (void)state;
    const double residuals[] = {0, 0.3, -1.1, 4}, sd = 1.7;
    for (int i = 0; i < 4; i++) {
        double sum = 0, loss, h = 1e-4, variance = sd * sd;
        for (int64_t j = 0; j < 300000; j++) { /* F is the normal law around 0; y the residual */
            double away = ((double)j + 0.5) * h, below = 0.5 * erfc(-(residuals[i] - away) / sd / sqrt(2));
            double above = 0.5 * erfc((residuals[i] + away) / sd / sqrt(2));
            sum += h * (below * below + above * above);
        }
        assert_int_equal(surekrig_loss("crps", &(surekrig_residuals){1, &residuals[i], &variance}, 0, &loss, NULL),
                         SUREKRIG_OK);
        close_to(loss, sum, 1e-8);
    }
}

/* A boundary far away leaves the likelihood; a near one makes large residuals cost 2 delta |z|. */
static void looph_has_its_limits(void **state)
{
    (void)state;
    double residual[MANY], variance[MANY], loss;
    draws d = {71, 0};
    fill_uniform(&d, MANY, -3, 3, residual);
    fill_uniform(&d, MANY, 0.5, 2, variance);
    close_to(loss_of("looph", residual, variance, 1e8), loss_of("lool", residual, variance, 0), 1e-12);
    double large[1] = {-6e9}, four[1] = {4};
    assert_int_equal(surekrig_loss("looph", &(surekrig_residuals){1, large, four}, 2, &loss, NULL), SUREKRIG_OK);
    close_to(loss, log(4) + 2 * 2 * 3e9 - 8, 1e-15);
}

static void impossible_losses_are_refused(void **state)
{
    (void)state;
    double residual[3] = {1, 2, 3}, variance[3] = {1, 1, 1}, loss = -7;
    surekrig_error error = {0};
    const char *const none[] = {"mae", "block"};
    for (int i = 0; i < 2 * point_losses(); i++) {
        surekrig_status status = surekrig_loss(none[i % 2], &(surekrig_residuals){3, residual, variance}, 1, &loss,
                                               &error);
        refused(status, &error, SUREKRIG_INVALID, i % 2 ? "'block' needs more" : "no loss 'mae'");
        assert_non_null(strstr(error.sentence, point_loss(i / 2)->name)); /* those that can be had */
    }
    for (int k = 0; k < point_losses(); k++)
        if (point_loss(k)->needs_delta)
            refused(surekrig_loss(point_loss(k)->name, &(surekrig_residuals){3, residual, variance}, k % 2 ? 0 : NAN,
                                  &loss, &error),
                    &error, SUREKRIG_INVALID, k % 2 ? "0 given" : "nan given");
    residual[2] = NAN;
    refused(surekrig_loss("mse", &(surekrig_residuals){3, residual, NULL}, 0, &loss, &error), &error, SUREKRIG_INVALID,
            "residual 3 is nan");
    residual[2] = 3;
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4 * point_losses(); i++) {
        variance[1] = bad[i % 4];
        if (point_loss(i / 4)->needs_variance)
            refused(surekrig_loss(point_loss(i / 4)->name, &(surekrig_residuals){3, residual, variance}, 1, &loss,
                                  &error),
                    &error, SUREKRIG_INVALID, "variance 2 is");
    }
    assert_true(loss == -7);
    assert_int_equal(surekrig_loss("mse", &(surekrig_residuals){0, residual, NULL}, 0, &loss, NULL), SUREKRIG_OK);
    assert_true(loss == 0);
}

/* ---------------------------------------------------------------------------------- the Lagrangian by definition */

enum { B_MAX = 120, L_MAX = 3, LEVELS_MAX = 5 };

/* A loss, its multipliers, and what it is judged on. */
typedef struct trial {
    sk_loss loss;
    double residual[B_MAX * L_MAX], variance[B_MAX];
    double alpha[LEVELS_MAX], z[LEVELS_MAX], lambda[LEVELS_MAX], low[L_MAX], high[L_MAX];
    sk_multipliers multipliers;
    sk_evaluation *evaluation;
    double scale[L_MAX], coverage[LEVELS_MAX];
    sk_verdict verdict;
} trial;

static const double ALPHA[LEVELS_MAX] = {0.9, 0.925, 0.95, 0.975, 0.99};

/* Residuals with tails heavier or lighter than normal; multipliers of either sign; one level means 0.95. */
static void make_trial(trial *t, draws *d, const sk_loss_row *row, int levels, int64_t l)
{
    int64_t b = 20 + draw_below(d, B_MAX - 20);
    double tail = draw(d, 0.3, 2), unit = exp(draw(d, -3, 3));
    for (int64_t i = 0; i < b; i++)
        t->variance[i] = exp(draw(d, -8, 0));
    for (int64_t i = 0; i < b * l; i++) {
        double r = draw_normal(d);
        t->residual[i] = unit * copysign(pow(fabs(r), tail), r) * sqrt(t->variance[i / l]);
    }
    double strength = exp(draw(d, -4, 5));
    for (int j = 0; j < levels; j++) {
        t->alpha[j] = levels == 1 ? 0.95 : ALPHA[j];
        t->z[j] = surekrig_quantile(t->alpha[j]);
        t->lambda[j] = strength * draw(d, -1, 1);
    }
    for (int64_t q = 0; q < l; q++) {
        t->low[q] = 1e-200;
        t->high[q] = 1e200;
    }
    t->loss = (sk_loss){row, 1.5, b, l, levels, t->alpha, t->z, t->low, t->high};
    t->multipliers = (sk_multipliers){t->lambda, draw(d, 0, 1) < 0.1 ? 0 : exp(draw(d, -3, 9))};
}

static void run_trial(trial *t)
{
    surekrig_error error = {0};
    succeeded(sk_evaluation_new(&t->loss, &t->evaluation, &error), &error);
    sk_evaluation_fill(t->evaluation, &t->loss, t->residual, t->variance);
    t->verdict = (sk_verdict){.scale = t->scale, .coverage = t->coverage};
    sk_judge(&t->loss, t->evaluation, t->multipliers, &t->verdict);
    sk_evaluation_free(t->evaluation);
    t->evaluation = NULL;
}

static double t_of(const trial *t, int64_t i, int64_t q)
{
    return fabs(t->residual[i * t->loss.l + q]) / sqrt(t->variance[i]);
}

static double mean_square(const trial *t, int64_t q)
{
    double sum = 0;
    for (int64_t i = 0; i < t->loss.b; i++)
        sum += t_of(t, i, q) * t_of(t, i, q);
    return sum / (double)t->loss.b;
}

/* (M7), pooled. */
static double coverage_at(const trial *t, const double *scale, int level)
{
    int64_t inside = 0;
    for (int64_t i = 0; i < t->loss.b; i++)
        for (int64_t q = 0; q < t->loss.l; q++)
            inside += t_of(t, i, q) < t->z[level] * sqrt(scale[q]);
    return (double)inside / (double)(t->loss.b * t->loss.l);
}

/* Q as a mean over the batch (M6). */
static double loss_at(const trial *t, const double *scale)
{
    double sum = 0;
    for (int64_t i = 0; i < t->loss.b; i++)
        for (int64_t q = 0; q < t->loss.l; q++)
            sum += t->loss.row->value(t->residual[i * t->loss.l + q], scale[q] * t->variance[i], t->loss.delta);
    return sum / (double)t->loss.b;
}

/* (M8); losses that are not a likelihood enter by their logarithm. */
static double lagrangian_at(const trial *t, const double *scale)
{
    double loss = loss_at(t, scale), sum = t->loss.row->likelihood ? loss : log(loss);
    for (int j = 0; j < t->loss.levels; j++) {
        double gap = coverage_at(t, scale, j) - t->alpha[j];
        sum += t->lambda[j] * gap + t->multipliers.beta / 2 * gap * gap;
    }
    return sum;
}

/* The verdict says what its scales come to. */
static void verdict_is_consistent(const trial *t)
{
    for (int j = 0; j < t->loss.levels; j++)
        assert_true(t->coverage[j] == coverage_at(t, t->scale, j));
    double size = 1 + t->multipliers.beta; /* of the terms that add up */
    close_within(t->verdict.loss, loss_at(t, t->scale), 1e-12, 1e-11);
    close_within(t->verdict.lagrangian, lagrangian_at(t, t->scale), 1e-12, 1e-12 * size);
    for (int64_t q = 0; q < t->loss.l; q++)
        assert_true(t->scale[q] >= t->low[q] && t->scale[q] <= t->high[q]);
}

/* The scale that minimises the loss alone: the mean square, or by golden sections where it has no closed form. */
static double best_scale(const trial *t, int64_t q)
{
    double scale[L_MAX], low = log(mean_square(t, q)) - 8, high = low + 16, golden = (sqrt(5) - 1) / 2;
    memcpy(scale, t->low, sizeof scale);
    for (int64_t other = 0; other < t->loss.l; other++)
        scale[other] = mean_square(t, other);
    if (!t->loss.row->jet)
        return mean_square(t, q);
    while (high - low > 1e-9) {
        double a = high - golden * (high - low), b = low + golden * (high - low), at_a, at_b;
        scale[q] = exp(a);
        at_a = loss_at(t, scale);
        scale[q] = exp(b);
        at_b = loss_at(t, scale);
        *(at_a < at_b ? &high : &low) = at_a < at_b ? b : a;
    }
    return exp((low + high) / 2);
}

/* dQ/dlog g by differences, against the size of Q's bend: 0 at the minimum. */
static void scale_is_stationary(const trial *t, int64_t q)
{
    double scale[L_MAX], h = 1e-4, at[3];
    memcpy(scale, t->scale, sizeof scale);
    for (int i = 0; i < 3; i++) {
        scale[q] = t->scale[q] * exp(h * (i - 1));
        at[i] = loss_at(t, scale);
    }
    double step = (at[2] - at[0]) / 2 * h / (at[2] - 2 * at[1] + at[0]); /* Newton's, in log g */
    if (!(fabs(step) < 1e-6))
        fail_msg("response %lld: the minimum lies %g farther in log gamma2", (long long)q, step);
}

/* No other scale of response q does better: both sides of every jump, S, the ends, and a fine grid. Next to a jump L is
 * approached, not reached: the verdict stays 1e-9 away from it. Where L is the same, none is nearer S. */
static void no_scale_is_better(const trial *t, int64_t q)
{
    double s = best_scale(t, q), scale[L_MAX], least = lagrangian_at(t, t->scale);
    double size = 1e-7 * (1 + fabs(log(s)) + mean_square(t, q) / t->scale[q]);
    int64_t jumps = t->loss.b * t->loss.levels, grid = 100;
    memcpy(scale, t->scale, sizeof scale);
    for (int64_t c = 0; c < 2 * jumps + grid + 3; c++) {
        double g = c == 2 * jumps       ? s
                   : c == 2 * jumps + 1 ? t->low[q]
                   : c == 2 * jumps + 2 ? t->high[q]
                                        : s * exp(8 * ((double)(c - 2 * jumps - 3) / (double)grid - 0.5));
        if (c < 2 * jumps) {
            double root = t_of(t, c / 2 % t->loss.b, q) / t->z[c / 2 / t->loss.b];
            g = root * root * (c % 2 ? 1 + 1e-8 : 1 - 1e-8);
        }
        if (!(g >= t->low[q] && g <= t->high[q]))
            continue;
        scale[q] = g;
        double here = lagrangian_at(t, scale);
        if (here < least - size)
            fail_msg("response %lld: L = %.12g at scale %.17g, %.12g at %.17g", (long long)q, least, t->scale[q], here,
                     g);
        if (!t->loss.row->scale && t->loss.l == 1 && fabs(here - least) <= 1e-13 * fabs(least))
            assert_true(fabs(log(g / s)) >= fabs(log(t->scale[q] / s)) - 1e-7);
    }
}

static void check(trial *t)
{
    run_trial(t);
    verdict_is_consistent(t);
    for (int64_t q = 0; q < t->loss.l; q++)
        no_scale_is_better(t, q);
}

/* ------------------------------------------------------------------------------------------------------ verdicts */

static void an_evaluation_keeps_what_is_needed(void **state)
{
    (void)state;
    draws d = {63, 0};
    for (int k = 0; k < point_losses(); k++) {
        trial t;
        make_trial(&t, &d, point_loss(k), 1, 2);
        sk_evaluation *e = NULL;
        assert_int_equal(sk_evaluation_new(&t.loss, &e, NULL), SUREKRIG_OK);
        sk_evaluation_fill(e, &t.loss, t.residual, t.variance);
        double logs = 0, one[L_MAX] = {1, 1, 1};
        for (int64_t i = 0; i < t.loss.b; i++)
            logs += log(t.variance[i]) / (double)t.loss.b;
        close_to(e->log_variance, logs, 1e-13);
        if (!t.loss.row->needs_variance)
            close_to(e->plain, loss_at(&t, one), 1e-12);
        for (int64_t q = 0; q < 2; q++) {
            double sum = 0;
            close_to(e->mean_square[q], mean_square(&t, q), 1e-13);
            for (int64_t i = 0; i < t.loss.b; i++) {
                assert_true(i == 0 || e->t[q * t.loss.b + i] >= e->t[q * t.loss.b + i - 1]);
                sum += e->t[q * t.loss.b + i];
            }
            for (int64_t i = 0; i < t.loss.b; i++)
                sum -= t_of(&t, i, q);
            close_within(sum, 0, 0, 1e-9 * (1 + e->mean_square[q]));
        }
        sk_evaluation_free(e);
    }
    sk_evaluation_free(NULL);
}

/* Without levels: the loss's own minimum, within its range; for LOOL the mean of t^2. */
static void without_levels_the_scale_is_the_losses_own(void **state)
{
    (void)state;
    draws d = {64, 0};
    for (int i = 0; i < 50; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), 0, 1 + i / point_losses() % 3);
        bool searched = t.loss.row->jet != NULL;
        run_trial(&t);
        for (int64_t q = 0; q < t.loss.l; q++) {
            close_to(t.scale[q], best_scale(&t, q),
                     searched ? 1e-5 : 1e-14); /* as near as values of a minimum can tell */
            if (searched)
                scale_is_stationary(&t, q);
        }
        close_within(t.verdict.lagrangian, lagrangian_at(&t, t.scale), 1e-12, 1e-12);
        double own = t.scale[0];
        t.low[0] = 2 * own;
        run_trial(&t);
        assert_true(t.scale[0] == t.low[0]);
        t.low[0] = 0.1 * own;
        t.high[0] = 0.5 * own;
        run_trial(&t);
        assert_true(t.scale[0] == t.high[0]);
    }
}

/* Residuals of nothing but a few, or of nothing at all, have a scale too: as small as allowed, or a number. */
static void degenerate_residuals_have_a_scale(void **state)
{
    (void)state;
    draws d = {72, 0};
    for (int i = 0; i < 4 * point_losses(); i++) {
        trial t;
        make_trial(&t, &d, point_loss(i / 4), i % 2 ? 5 : 0, 1);
        for (int64_t k = i / 2 % 2; k < t.loss.b; k++)
            t.residual[k] = 0;
        run_trial(&t);
        assert_true(t.scale[0] >= t.low[0] && t.scale[0] <= t.high[0]);
        assert_true(!isnan(t.verdict.lagrangian) && !isnan(t.verdict.loss));
    }
}

/* "<", not "<=": a residual on the bound of its interval is outside. */
static void the_bound_is_outside(void **state)
{
    (void)state;
    trial t = {.residual = {0.5, -2, 2, 4, 0},
               .variance = {1, 1, 1, 1, 1},
               .alpha = {0.5, 0.5},
               .z = {1, 2},
               .low = {4},
               .high = {4}};
    t.loss = (sk_loss){sk_loss_find("lool"), 1.5, 5, 1, 2, t.alpha, t.z, t.low, t.high};
    t.multipliers = (sk_multipliers){t.lambda, 1};
    run_trial(&t);
    assert_true(t.coverage[0] == 0.4 && t.coverage[1] == 0.8 && t.scale[0] == 4);
}

static void one_response_takes_the_best_scale(void **state)
{
    (void)state;
    draws d = {65, 0};
    for (int i = 0; i < 300; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), i % 2 ? 1 : 5, 1);
        check(&t);
    }
}

/* Multipliers of nothing: the loss's own scale. Heavy multipliers: coverage is met to 1/b. */
static void multipliers_weigh_loss_against_coverage(void **state)
{
    (void)state;
    draws d = {66, 0};
    for (int i = 0; i < 60; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), 1, 1);
        t.lambda[0] = t.multipliers.beta = 0;
        run_trial(&t);
        close_to(t.scale[0], best_scale(&t, 0), t.loss.row->jet ? 1e-5 : 1e-8);
        t.multipliers.beta = 1e7;
        run_trial(&t);
        assert_true(fabs(t.coverage[0] - 0.95) <= 1 / (double)t.loss.b);
    }
}

static void a_fixed_scale_stays(void **state)
{
    (void)state;
    draws d = {67, 0};
    for (int i = 0; i < 30; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), i % 2 ? 1 : 5, 2);
        t.low[1] = t.high[1] = mean_square(&t, 1) * draw(&d, 0.3, 3);
        run_trial(&t);
        assert_true(t.scale[1] == t.low[1]);
        verdict_is_consistent(&t);
        no_scale_is_better(&t, 0);
    }
}

/* Ranges above S, below S, around it, and so narrow that they hold no jump. */
static void a_range_is_kept(void **state)
{
    (void)state;
    const double ranges[][2] = {{1.2, 2}, {0.1, 0.7}, {0.5, 2}, {1, 1.0001}, {3, 3.001}, {1e-9, 1e-8}, {1e8, 1e9}};
    draws d = {68, 0};
    for (int i = 0; i < 210; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), i % 2 ? 1 : 5, 1);
        t.low[0] = ranges[i % 7][0] * mean_square(&t, 0);
        t.high[0] = ranges[i % 7][1] * mean_square(&t, 0);
        check(&t);
    }
}

/* The coverage is pooled: no change of one response's scale alone improves L. */
static void several_responses_are_at_a_coordinatewise_minimum(void **state)
{
    (void)state;
    draws d = {69, 0};
    for (int i = 0; i < 200; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), i % 2 ? 1 : 5, 2 + i / point_losses() % 2);
        check(&t);
    }
}

/* Residuals on a grid, zeros among them, and quantiles that are multiples of each other: jumps coincide in dozens. */
static void ties_between_jumps(void **state)
{
    (void)state;
    const double steps[] = {1, 0.1}, quantiles[] = {0.5, 1, 1.5, 2, 3};
    draws d = {70, 0};
    for (int i = 0; i < 200; i++) {
        trial t;
        make_trial(&t, &d, point_loss(i), 5, 1);
        for (int64_t k = 0; k < t.loss.b; k++) {
            t.variance[k] = 1;
            t.residual[k] = steps[i % 2] * (double)(draw_below(&d, 13) - 6);
        }
        for (int j = 0; j < 5; j++)
            t.z[j] = steps[i / 2 % 2] * quantiles[j];
        check(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_in_order),
        cmocka_unit_test(losses_go_with_the_units),
        cmocka_unit_test(slopes_are_those_of_the_value),
        cmocka_unit_test(jets_are_those_of_the_mean),
        cmocka_unit_test(losses_are_their_sums),
        cmocka_unit_test(the_pseudo_huber_loss_has_its_limits),
        cmocka_unit_test(the_crps_is_its_integral),
        cmocka_unit_test(looph_has_its_limits),
        cmocka_unit_test(impossible_losses_are_refused),
        cmocka_unit_test(an_evaluation_keeps_what_is_needed),
        cmocka_unit_test(without_levels_the_scale_is_the_losses_own),
        cmocka_unit_test(degenerate_residuals_have_a_scale),
        cmocka_unit_test(the_bound_is_outside),
        cmocka_unit_test(one_response_takes_the_best_scale),
        cmocka_unit_test(multipliers_weigh_loss_against_coverage),
        cmocka_unit_test(a_fixed_scale_stays),
        cmocka_unit_test(a_range_is_kept),
        cmocka_unit_test(several_responses_are_at_a_coordinatewise_minimum),
        cmocka_unit_test(ties_between_jumps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
