/* What the multipliers are for. Under a nugget or a smoothness that is fixed wrong, the likelihood's intervals do not
 * cover what they promise; those of the method of multipliers do, on the batch and on points never seen. Where the
 * model is right they cost nothing. */
#include "fit_support.h"

enum { N = 450, SIDE = 30, SEEDS = 3 }; /* N: training points, and as many held out, on SIDE^2 places */

typedef struct halves {
    double x[2 * N * 2], y[2 * N]; /* [2 N][2] and [2 N]: first the training half */
} halves;

/* A shuffled grid with a little jitter. A third of all points then moves right beside a training point, so that the
 * distances between neighbours are of two very different orders: one scale cannot serve both under a wrong theta. */
static void place(halves *h, uint64_t seed)
{
    int64_t cell[2 * N];
    for (int64_t i = 0; i < 2 * N; i++) {
        int64_t other = (int64_t)(sk_uniform(seed, STREAM_PLACES, (uint64_t)i) * (double)(i + 1));
        cell[i] = cell[other];
        cell[other] = i;
    }
    for (int64_t i = 0; i < 2 * N; i++)
        for (int64_t a = 0; a < 2; a++) {
            double jitter = 0.3 * (sk_uniform(seed, STREAM_PLACES + 1, (uint64_t)(2 * i + a)) - 0.5);
            h->x[2 * i + a] = ((double)(a ? cell[i] / SIDE : cell[i] % SIDE) + jitter) / SIDE;
        }
    for (int64_t i = 0; i < N / 3; i++)
        for (int64_t a = 0; a < 2; a++) {
            if (i < N / 6)
                h->x[2 * i + a] = h->x[2 * (N / 2 + i) + a] + (a ? 1e-4 : 5e-5);
            h->x[2 * (N + i) + a] = h->x[2 * (N / 2 + N / 6 + i) + a] + (a ? 1e-4 : 5e-5);
        }
}

static void draw(halves *h, double nu, double tau2, uint64_t seed)
{
    surekrig_theta theta = {1, &(surekrig_term){1, nu, (double[]){0.2, 0.2}}, tau2, 1};
    surekrig_error error;
    place(h, seed);
    succeed(surekrig_simulate(&(surekrig_sample){.d = 2, .n = 2 * N, .x = h->x, .seed = seed}, &theta, h->y, &error),
            &error);
}

static surekrig_scores held_out(const surekrig_model *model, int64_t n, const double *x, const double *y)
{
    surekrig_scores scores;
    surekrig_error error;
    predicted p = predict(model, n, x, 0, 0);
    succeed(surekrig_score(&(surekrig_scored){n, y, p.mean, p.sd}, 0.95, &scores, &error), &error);
    free_predicted(&p);
    return scores;
}

/* Coverage at 0.95 on the batch and on the half held out. */
typedef struct covered {
    double batch, held_out;
    surekrig_outcome outcome;
} covered;

static covered cover(const halves *h, const char *fixed, const char *how)
{
    char words[200];
    surekrig_data data = {.n = N, .d = 2, .l = 1, .x = h->x, .y = h->y};
    snprintf(words, sizeof words, "neighbors=15 rho=0.1:0.4 %s %s", fixed, how);
    surekrig_model *model = fit(&data, words);
    const surekrig_info *info = surekrig_model_info(model);
    covered c = {info->scores.cov, held_out(model, N, h->x + 2 * N, h->y + N).cov, info->outcome};
    if (info->levels)
        assert_true(info->coverage[0] == info->scores.cov);
    surekrig_model_free(model);
    return c;
}

/* Means over the seeds of the held-out coverage: its standard error is sqrt(.95 .05/(3 450)) = 0.006. */
static void only_multipliers_reach_the_level(double nu, double tau2, const char *fixed)
{
    static halves h;
    double with = 0, without = 0, penalty = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        draw(&h, nu, tau2, seed);
        covered m = cover(&h, fixed, "coverage=0.95"), none = cover(&h, fixed, "coverage=none");
        covered p = cover(&h, fixed, "coverage=0.95 constraint=penalty");
        near_to(m.batch, 0.95, 1.0 / N + 1e-9); /* the tolerance: as near as one point allows */
        assert_int_equal(m.outcome, SUREKRIG_CONVERGED);
        if (!(fabs(none.batch - 0.95) > 0.012 && fabs(p.batch - 0.95) > 0.012))
            fail_msg("seed %d: without a constraint %g, with the penalty alone %g", (int)seed, none.batch, p.batch);
        assert_int_equal(p.outcome, SUREKRIG_COVERAGE_NOT_MET);
        with += m.held_out / SEEDS;
        without += none.held_out / SEEDS;
        penalty += p.held_out / SEEDS;
    }
    if (!(fabs(with - 0.95) < 0.015 && fabs(without - 0.95) > 0.02 && fabs(penalty - 0.95) > 0.015))
        fail_msg("held out: multipliers %g, nothing %g, penalty %g", with, without, penalty);
}

static void under_a_wrong_nugget(void **state)
{
    (void)state;
    only_multipliers_reach_the_level(1.5, 0.01, "nu=1.5 tau2=1e-7");
}

static void under_a_wrong_smoothness(void **state)
{
    (void)state;
    only_multipliers_reach_the_level(0.4, 1e-8, "nu=1.5 tau2=1e-8");
}

/* A single level is within reach of gamma2 alone, whatever the rest: two close pairs among 400 points of a line, under
 * a nugget far too small, make all other intervals too wide under the likelihood. */
static void one_level_is_met_by_the_scale_alone(void **state)
{
    (void)state;
    enum { LINE = 400 };
    double x[LINE], y[LINE];
    surekrig_theta theta = {1, &(surekrig_term){1, 1.5, (double[]){0.2}}, 0.01, 1};
    surekrig_error error;
    for (int pairs = 2; pairs <= 8; pairs *= 2) {
        for (int i = 0; i < LINE; i++)
            x[i] = (double)i / LINE;
        for (int i = 0; i < LINE; i += LINE / pairs)
            x[i] = x[i + 1] - 1e-5;
        succeed(surekrig_simulate(&(surekrig_sample){.d = 1, .n = LINE, .x = x, .seed = 1}, &theta, y, &error), &error);
        surekrig_data data = {.n = LINE, .d = 1, .l = 1, .x = x, .y = y};
        surekrig_model *model = fit(&data, "neighbors=10 nu=1.5 rho=0.2 tau2=1e-9 coverage=0.95");
        near_to(surekrig_model_info(model)->coverage[0], 0.95, 1.0 / LINE + 1e-9);
        surekrig_model_free(model);
    }
}

/* ---- the model is right */

/* A grid of 64 x 64 points, every other one held out: 3 standard errors of the test half, and the batch's own luck. */
static void nothing_is_lost_on_well_specified_data(void **state)
{
    (void)state;
    enum { GRID = 64, HALF = GRID * GRID / 2 };
    static double x[2][2 * HALF], y[2][HALF], field[2 * HALF];
    surekrig_theta theta = {1, &(surekrig_term){1, 0.8, (double[]){0.2, 0.2}}, 0.02, 1};
    const char *const levels[] = {"coverage=0.9,0.925,0.95,0.975,0.99", "coverage=0.95"};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        surekrig_error error;
        surekrig_sample grid = {.d = 2, .size = {GRID, GRID}, .upper = {1, 1}, .seed = seed};
        succeed(surekrig_simulate(&grid, &theta, field, &error), &error);
        for (int i = 0; i < 2 * HALF; i++) {
            x[i % 2][i / 2 * 2] = i / GRID / (GRID - 1.0);
            x[i % 2][i / 2 * 2 + 1] = i % GRID / (GRID - 1.0);
            y[i % 2][i / 2] = field[i];
        }
        surekrig_data data = {.n = HALF, .d = 2, .l = 1, .x = x[0], .y = y[0]};
        surekrig_model *truth = fit(&data, "neighbors=20 mean=zero nu=0.8 rho=0.2 tau2=0.02 gamma2=1 coverage=none");
        surekrig_scores best = held_out(truth, HALF, x[1], y[1]);
        for (int c = 0; c < 2; c++) {
            char words[100];
            snprintf(words, sizeof words, "neighbors=20 batch=600 mean=zero %s", levels[c]);
            surekrig_model *model = fit(&data, words);
            surekrig_scores got = held_out(model, HALF, x[1], y[1]);
            if (!(fabs(got.cov - 0.95) < 3 * sqrt(0.95 * 0.05 / HALF) + 0.01 && got.crps < 1.02 * best.crps))
                fail_msg("seed %d, %s: coverage %g, CRPS %g (%g at the truth)", (int)seed, words, got.cov, got.crps,
                         best.crps);
            surekrig_model_free(model);
        }
        surekrig_model_free(truth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_a_wrong_nugget),
        cmocka_unit_test(under_a_wrong_smoothness),
        cmocka_unit_test(one_level_is_met_by_the_scale_alone),
        cmocka_unit_test(nothing_is_lost_on_well_specified_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
