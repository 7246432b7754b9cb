/* The number of threads decides how long things take and nothing else: the same bits with 1, 2 and 7. */
#include "fit_support.h"

static const int COUNTS[] = {1, 2, 7};

static void same_info(const surekrig_info *a, const surekrig_info *b)
{
    assert_true(a->estimates == b->estimates && a->levels == b->levels && a->rounds == b->rounds);
    assert_true(a->evaluations == b->evaluations && a->outcome == b->outcome && a->jittered == b->jittered);
    same_bits(&a->loss, &b->loss, 1);
    same_bits(&a->max_jitter, &b->max_jitter, 1);
    same_bits(a->coverage, b->coverage, a->levels);
    same_bits(&a->scores.mae, &b->scores.mae, 7); /* mae to level */
    for (int i = 0; i < a->estimates; i++) {
        same_bits(&a->estimate[i].value, &b->estimate[i].value, 1);
        assert_int_equal(a->estimate[i].at_bound, b->estimate[i].at_bound);
    }
    same_rounds(a, b);
}

/* Fits and predicts with each number of threads and compares with one. */
static void same_for_all(const points *p, const char *words)
{
    enum { NEW = 700 };
    double *x = make_places(NEW, p->data.d, 1, 60);
    surekrig_model *first = NULL;
    predicted expected = {0};
    for (int c = 0; c < 3; c++) {
        char all[300];
        snprintf(all, sizeof all, "%s threads=%d", words, COUNTS[c]);
        surekrig_model *model = fit(&p->data, all);
        predicted got = predict(model, NEW, x, 0, COUNTS[c]);
        if (!first) {
            first = model;
            expected = got;
            continue;
        }
        same_info(surekrig_model_info(first), surekrig_model_info(model));
        same_bits(expected.mean, got.mean, NEW * p->data.l);
        same_bits(expected.sd, got.sd, NEW * p->data.l);
        assert_true(expected.jittered == got.jittered && expected.max_jitter == got.max_jitter);
        free_predicted(&got);
        surekrig_model_free(model);
    }
    free_predicted(&expected);
    surekrig_model_free(first);
    free(x);
}

static void fits_and_predictions(void **state)
{
    (void)state;
    points one = make_field(700, 2, 1, 0.7, 0.2, 0.02, 61), three = make_field(300, 3, 3, 1.2, 0.4, 0.05, 62);
    points noisy = make_field(300, 1, 1, 0.5, 0.3, 0, 63);
    add_noise(&noisy, 64);
    same_for_all(&one, "batch=333 neighbors=15 evaluations=15 polish=10");
    same_for_all(&one, "batch=500 neighbors=12 coverage=0.95 optimizer=local polish=20");
    same_for_all(&one, "preset=paper batch=100 neighbors=12");
    same_for_all(&one, "batch=333 neighbors=15 optimizer=lbfgs loss=lool anisotropic=yes");
    same_for_all(&three, "batch=150 neighbors=10 anisotropic=yes evaluations=20 polish=10 loss=mse");
    same_for_all(&noisy, "batch=200 neighbors=10 coverage=0.9 loss=huber");
    memcpy(one.x + 200, one.x, 40 * sizeof(double)); /* pairs at one place, to be jittered */
    same_for_all(&one, "batch=333 neighbors=15 nu=0.7 tau2=0 rho=0.05:0.5");
    free_points(&one);
    free_points(&three);
    free_points(&noisy);
}

/* Large enough that the dense factor and the transforms are shared out. */
static void simulations(void **state)
{
    (void)state;
    enum { POINTS = 600, SIDE = 96 };
    double *x = make_places(POINTS, 2, 1, 65), *y = sk_doubles(POINTS), *again = sk_doubles(POINTS);
    double *grid = sk_doubles(SIDE * SIDE), *grid_again = sk_doubles(SIDE * SIDE);
    surekrig_theta theta = {1, &(surekrig_term){1, 0.7, (double[]){0.2, 0.2}}, 0.01, 2};
    surekrig_error error;
    for (int c = 0; c < 3; c++) {
        surekrig_sample scattered = {.d = 2, .n = POINTS, .x = x, .seed = 5, .threads = COUNTS[c]};
        surekrig_sample regular = {.d = 2, .size = {SIDE, SIDE}, .upper = {1, 1}, .seed = 5, .threads = COUNTS[c]};
        succeed(surekrig_simulate(&scattered, &theta, c ? again : y, &error), &error);
        succeed(surekrig_simulate(&regular, &theta, c ? grid_again : grid, &error), &error);
        if (c) {
            same_bits(y, again, POINTS);
            same_bits(grid, grid_again, (int64_t)SIDE * SIDE);
        }
    }
    free(x);
    free(y);
    free(again);
    free(grid);
    free(grid_again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fits_and_predictions), cmocka_unit_test(simulations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
