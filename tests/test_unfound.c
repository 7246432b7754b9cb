/* What is expected at the targets where only some have their like among the rows: computed anew from the formulas, of rows
 * on lines and targets of which half lie between them. */
#include "fit_support.h"
#include "heldout/inside.h"

enum { LINES = 16, ROWS = 800, ALONE = 6, TARGETS = 600, MOST = 2, DRAWN = 400 };

typedef struct world {
    int64_t l;
    double x[2 * (ROWS + ALONE)], y[MOST * (ROWS + ALONE)], noise[ROWS + ALONE], target[2 * TARGETS];
    surekrig_data data;
    surekrig_model *m;
    sk_machine machine;
    sk_holdout_wish wish;
    sk_holdout h;
    sk_errors e;
} world;

static double response(const double *x, int64_t q)
{
    return sin(9 * x[0] + (double)q) * cos(8 * x[1]);
}

/* Some rows lie far from all others, and are targets, too. */
static void place(world *w, bool noisy)
{
    for (int64_t i = 0; i < ROWS + ALONE; i++) {
        double *x = w->x + 2 * i, far = 3 + (double)(i - ROWS);
        x[0] = i < ROWS ? floor(LINES * sk_uniform(1, STREAM_PLACES, (uint64_t)(2 * i))) / (LINES - 1) : far;
        x[1] = i < ROWS ? sk_uniform(1, STREAM_PLACES, (uint64_t)(2 * i + 1)) : far;
        w->noise[i] = 0.05 + 0.1 * sk_uniform(2, STREAM_PLACES, (uint64_t)i);
        for (int64_t q = 0; q < w->l; q++)
            w->y[i * w->l + q] = response(x, q) +
                                 (noisy ? sqrt(w->noise[i]) : 0.1) * normal(3, (uint64_t)(i * w->l + q));
    }
    for (int64_t i = 0; i < TARGETS; i++) {
        double *x = w->target + 2 * i, u = sk_uniform(4, STREAM_PLACES, (uint64_t)(2 * i));
        x[0] = i % 2 ? u : floor(LINES * u) / (LINES - 1);
        x[1] = sk_uniform(4, STREAM_PLACES, (uint64_t)(2 * i + 1));
        if (i % 20 == 0)
            memcpy(x, w->x + 2 * (ROWS + i / 20 % ALONE), 2 * sizeof *x);
    }
}

static void open_world(world *w, int64_t l, bool noisy, const char *words)
{
    surekrig_error error;
    *w = (world){.l = l, .wish = {.n = DRAWN, .part = 3}};
    place(w, noisy);
    w->data = (surekrig_data){
        .n = ROWS + ALONE, .d = 2, .l = l, .x = w->x, .y = w->y, .target = w->target, .targets = TARGETS};
    w->data.noise = noisy ? w->noise : NULL;
    w->m = fit(&w->data, words);
    succeed(sk_model_take_targets(w->m, &w->data, &error), &error);
    succeed(sk_machine_open(w->m, true, 1, &w->machine, &error), &error);
    succeed(sk_machine_set(&w->machine, &w->m->hyper, &error), &error);
    succeed(sk_holdout_new(w->m, w->wish, &w->h, &error), &error);
    succeed(sk_errors_new(w->m, w->h.n, SK_WANT_SCALE, &w->e, &error), &error);
    succeed(sk_errors_fill(&w->machine, &w->h, &w->e, &error), &error);
    assert_int_equal(w->h.drawn, DRAWN);
    assert_in_range(w->h.n, DRAWN / 10, DRAWN * 9 / 10);
}

static void close_world(world *w)
{
    sk_errors_free(&w->e);
    sk_holdout_free(&w->h);
    sk_machine_close(&w->machine);
    sk_model_forget_targets(w->m);
    surekrig_model_free(w->m);
}

/* The targets without a place among those drawn, and the sds there. Returns how many. */
static int64_t others(const world *w, double *sd)
{
    uint64_t seed = sk_holdout_seed(w->m, w->wish);
    double x[2 * DRAWN];
    int64_t many = 0;
    surekrig_error error;
    for (int64_t i = 0; i < DRAWN; i++) {
        bool found = false;
        for (int64_t j = 0; j < w->h.n; j++)
            found |= w->h.target[j] == i + 1;
        if (!found)
            memcpy(x + 2 * many++, w->target + 2 * sk_holdout_target_number(w->m, seed, i), 2 * sizeof *x);
    }
    surekrig_prediction out = {.sd = sd};
    succeed(surekrig_predict(w->m, &(surekrig_query){.n = many, .x = x}, NULL, &out, &error), &error);
    for (int64_t i = 0; i < many * w->l; i++) {
        double least = w->m->spread[i % w->l] *
                       sqrt(w->m->hyper.gamma2_std[i % w->l] * (double)w->h.k * 2.220446049250313e-16);
        double noise = w->data.noise ? w->noise[w->h.row[i / w->l % w->h.n]] : 0;
        sd[i] = fmax(sqrt(sd[i] * sd[i] + noise), least);
    }
    return many;
}

/* Of response q: those of the places found, and of the others by their sds. */
static surekrig_scores mixed(const world *w, int64_t q, const surekrig_scores *found, int64_t many, const double *sd)
{
    double half = surekrig_model_quantile(w->m, q, 0.95), n = (double)w->h.n, share = (double)many / DRAWN;
    double size = 0, square = 0, inside = 0, crps = 0, width = 0, density = 0, s1 = 0, s2 = 0, logarithm = 0;
    for (int64_t i = 0; i < w->h.n; i++) {
        double z = fabs(sk_errors_residual_std(w->m, &w->e, i, q)) / sqrt(sk_errors_variance_std(w->m, &w->e, i, q));
        size += z / n;
        square += z * z / n;
        inside += (z <= half) / n;
        crps += (z * erf(z / sqrt(2)) + 2 * exp(-z * z / 2) / sqrt(2 * M_PI) - 1 / sqrt(M_PI)) / n;
        width += (2 * half + (z > half ? 40 * (z - half) : 0)) / n;
        density += -(z * z + log(2 * M_PI)) / 2 / n;
    }
    for (int64_t i = 0; i < many; i++) {
        s1 += sd[i * w->l + q] / (double)many;
        s2 += sd[i * w->l + q] * sd[i * w->l + q] / (double)many;
        logarithm += log(sd[i * w->l + q]) / (double)many;
    }
    return (surekrig_scores){.n = found->n,
                             .mae = (1 - share) * found->mae + share * s1 * size,
                             .rmse = sqrt((1 - share) * found->rmse * found->rmse + share * s2 * square),
                             .cov = (1 - share) * found->cov + share * inside,
                             .crps = (1 - share) * found->crps + share * s1 * crps,
                             .interval = (1 - share) * found->interval + share * s1 * width,
                             .logdensity = (1 - share) * found->logdensity + share * (density - logarithm)};
}

static void same_scores(const surekrig_scores *a, const surekrig_scores *b)
{
    assert_int_equal(a->n, b->n);
    close_to(a->mae, b->mae, 1e-9);
    close_to(a->rmse, b->rmse, 1e-9);
    close_to(a->cov, b->cov, 1e-9);
    close_to(a->crps, b->crps, 1e-9);
    close_to(a->interval, b->interval, 1e-9);
    near_to(a->logdensity, b->logdensity, 1e-9);
}

/* Beside the new scores a margin is what it was beside the old. */
static void followed(const surekrig_scores *before, const surekrig_scores *now, const surekrig_scores *margin)
{
    close_to(margin->mae, 0.1 * now->mae / before->mae, 1e-9);
    close_to(margin->rmse, 0.1 * now->rmse / before->rmse, 1e-9);
    close_to(margin->crps, 0.1 * now->crps / before->crps, 1e-9);
    close_to(margin->interval, 0.1 * now->interval / before->interval, 1e-9);
    assert_true(margin->cov == 0.1);
}

static void added(int64_t l, bool noisy, const char *words)
{
    world w;
    surekrig_error error;
    double sd[MOST * DRAWN];
    surekrig_scores before[MOST], pooled = {.level = 0.95},
                                  margin = {.mae = .1, .rmse = .1, .cov = .1, .crps = .1, .interval = .1};
    open_world(&w, l, noisy, words);
    surekrig_info *info = &w.m->info;
    surekrig_scores *each = l > 1 ? (surekrig_scores *)info->held_out_each : &info->held_out;
    for (int64_t q = 0; q < l; q++) {
        each[q] = before[q] = (surekrig_scores){w.h.n, 0.95, 0.3 + (double)q, 0.4, 0.9, 0.2, 1.5, -0.3};
        *(l > 1 ? &each[l + q] : &info->margin) = margin;
    }
    info->margin = margin;
    info->held_out = before[0];
    succeed(sk_unfound_add(w.m, sk_holdout_seed(w.m, w.wish), &w.h, &w.e, &error), &error);
    int64_t many = others(&w, sd);
    assert_int_equal(many, DRAWN - w.h.n);
    for (int64_t q = 0; q < l; q++) {
        surekrig_scores now = mixed(&w, q, &before[q], many, sd);
        same_scores(&each[q], &now);
        followed(&before[q], &now, l > 1 ? &each[l + q] : &info->margin);
        sk_scores_add(&now, l, &pooled);
    }
    if (l > 1) {
        same_scores(&info->held_out, &pooled);
        followed(&before[0], &pooled, &info->margin);
    }
    assert_true(isfinite(info->held_out.logdensity));
    close_world(&w);
}

#define GIVEN "nu=1 rho=0.3 coverage=none neighbors=12 batch=50 calibration=60 "

static void targets_without_a_place_count_by_their_sd(void **state)
{
    (void)state;
    added(1, false, GIVEN "tau2=0.05 interval=conformal variance=local");
    added(2, false, GIVEN "tau2=0.05 interval=conformal variance=local");
    added(1, true, GIVEN "tau2=0.01 gamma2=0.5 variance=global");
    added(1, false, GIVEN "tau2=0 nodes=no variance=global interval=gaussian"); /* sds of 0 */
}

/* Between the lines errors are larger than on them, and noise, of a variance of 0.1 on average, is there as well. */
static void what_is_expected_comes(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++) {
        world w;
        double mean[TARGETS], error = 0;
        surekrig_error said;
        open_world(&w, 1, noisy, noisy ? GIVEN "tau2=0.001" : GIVEN "tau2=0.05");
        surekrig_prediction out = {.mean = mean};
        succeed(surekrig_predict(w.m, &(surekrig_query){.n = TARGETS, .x = w.target}, NULL, &out, &said), &said);
        for (int64_t i = 0; i < TARGETS; i++)
            error += fabs(mean[i] - response(w.target + 2 * i, 0) -
                          (noisy ? sqrt(0.1) : 0.1) * normal(5, (uint64_t)i)) /
                     TARGETS;
        near_to(w.m->info.held_out.mae, error, w.m->info.margin.mae);
        close_world(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_without_a_place_count_by_their_sd),
        cmocka_unit_test(what_is_expected_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
