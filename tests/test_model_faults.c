/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free,--wrap=strdup */
/* Memory runs out at every allocation in turn: fits with a trend, targets, a local variance, conformal intervals and
 * auto; their refits, their files. */
#include "fault_support.h"
#include "train/train.h"

#include <unistd.h>

#define TINY "threads=1 neighbors=5 batch=15 initial=3 evaluations=4 polish=0 rounds=2 coverage=0.9 calibration=20 "

static points data;
static surekrig_settings *settings;
static surekrig_model *model;
static char path[] = "/tmp/surekrig-test-XXXXXX";

static int prepare(void **state)
{
    static const double TARGET[] = {0.5, 0.5, 3, 3};
    int descriptor = mkstemp(path);
    (void)state;
    data = make_field(40, 2, 2, 0.6, 0.3, 0.05, 84);
    data.data.targets = 2;
    data.data.target = TARGET;
    return descriptor < 0 ? -1 : close(descriptor);
}

static int clean(void **state)
{
    (void)state;
    free_points(&data);
    return remove(path);
}

static surekrig_status finish(surekrig_status status, surekrig_model *made)
{
    if (status)
        assert_ptr_equal(made, (void *)0x1234);
    else
        surekrig_model_free(made);
    return status;
}

static surekrig_status fit_it(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_fit(&data.data, settings, NULL, &made, error);
    return finish(status, made);
}

static void fits(void **state)
{
    (void)state;
    static const char *const WORDS[] = {
        TINY "optimizer=local mean=trend variance=local interval=conformal", /* transplanted, or beyond distances */
        TINY "optimizer=local terms=2 holdout=transplant sectors=yes coverage=none",
        TINY "optimizer=local holdout=distance interval=conformal",
        TINY "optimizer=local mean=local holdout=thinned variance=local",
        TINY "mean=trend trend=x1 distance=x2 nu=0.5 tau2=0.01",
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        settings = settings_of(WORDS[i]);
        assert_true(fail_each(WORDS[i], fit_it) > 100);
        surekrig_settings_free(settings);
    }
}

/* With nothing to search, few enough to fail one by one. */
static void a_fit_of_what_is_given(void **state)
{
    (void)state;
    static const char WORDS[] = TINY
        "coverage=none nu=0.5 rho=0.3 tau2=0.01 mean=trend variance=local interval=conformal";
    settings = settings_of(WORDS);
    assert_in_range(fail_first(WORDS, fit_it, INT64_MAX), 100, 1000);
    surekrig_settings_free(settings);
}

static surekrig_status hold_out_it(surekrig_error *error)
{
    sk_holdout h = {0};
    surekrig_status status = sk_holdout_new(model, (sk_holdout_wish){.n = 15}, &h, error);
    sk_holdout_free(&h);
    return status;
}

/* Alone, so that each allocation has its turn. */
static void held_out_points(void **state)
{
    (void)state;
    static const char *const HOW[] = {"task", "transplant", "similar", "distance", "thinned", "nearest"};
    for (size_t i = 0; i < sizeof HOW / sizeof *HOW; i++) {
        char words[100];
        surekrig_error error;
        snprintf(words, sizeof words, "threads=1 neighbors=5 time=x2 holdout=%s", HOW[i]);
        settings = settings_of(words);
        succeed(sk_model_new(&data.data, settings, &model, &error), &error);
        succeed(sk_model_index(model, &error), &error);
        succeed(sk_model_take_targets(model, &data.data, &error), &error);
        assert_true(fail_each(HOW[i], hold_out_it) > 5);
        sk_model_forget_targets(model);
        surekrig_model_free(model);
        surekrig_settings_free(settings);
    }
}

/* A variant for which memory is missing is no variant that cannot be computed. */
static void choosing(void **state)
{
    (void)state;
    settings = settings_of(TINY "auto=yes nu=0.5 tau2=0.01 terms=1 anisotropic=no");
    assert_true(fail_each("auto", fit_it) > 1000);
    surekrig_settings_free(settings);
}

static surekrig_status refit_it(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_refit(&data.data, model, &made, error);
    return finish(status, made);
}

static surekrig_status predict_at(const double *x, surekrig_error *error)
{
    double mean[20] = {-7}, sd[20] = {-7};
    surekrig_prediction out = {mean, sd, -7, -7};
    surekrig_status status = surekrig_predict(model, &(surekrig_query){10, x, 0, 1, NULL}, NULL, &out, error);
    if (status)
        assert_true(mean[0] == -7 && sd[0] == -7 && out.jittered == -7 && out.max_jitter == -7);
    return status;
}

static surekrig_status predict_it(surekrig_error *error)
{
    return predict_at(data.x, error);
}

/* Far from all data, from nodes of a lattice and others farther around. */
static double away[20];

static surekrig_status predict_far_away(surekrig_error *error)
{
    return predict_at(away, error);
}

static surekrig_status look_far_away(surekrig_error *error)
{
    int within[10];
    return surekrig_within(model, &(surekrig_query){10, away, 0, 1, NULL}, 30, within, error);
}

static surekrig_status save_it(surekrig_error *error)
{
    return surekrig_model_save(model, path, error);
}

static surekrig_status load_it(surekrig_error *error)
{
    surekrig_model *made = (surekrig_model *)0x1234;
    surekrig_status status = surekrig_model_load(path, &made, error);
    return finish(status, made);
}

static void what_is_done_with_a_model(void **state)
{
    (void)state;
    model = fit(&data.data, TINY "auto=yes nu=0.5 tau2=0.01 mean=trend variance=local interval=conformal terms=2");
    fail_each("refit", refit_it);
    fail_each("predict", predict_it);
    fail_each("save", save_it);
    fail_each("load", load_it);
    surekrig_model_free(model);
}

/* Two models in one. */
static void what_is_done_with_a_pair(void **state)
{
    (void)state;
    model = fit(&data.data, TINY "nu=0.5 tau2=0.01 mean=trend variance=local interval=conformal");
    sk_model_join(model, fit(&data.data, TINY "nu=0.7 rho=0.2 tau2=0.02 mean=local variance=local"));
    fail_each("refit of a pair", refit_it);
    fail_each("predict of a pair", predict_it);
    fail_each("save of a pair", save_it);
    fail_each("load of a pair", load_it);
    surekrig_model_free(model);
}

static void places_far_away(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        away[i] = 2 + i / 2 + 0.3 * (i % 2);
    model = fit(&data.data, TINY "coverage=none nu=0.5 rho=0.3 tau2=0.01 sectors=yes neighbors=8 variance=local");
    assert_true(model->lattice[2] > 0 && model->widths.local);
    assert_in_range(fail_each("predict far away", predict_far_away), 20, 1000);
    assert_in_range(fail_each("look far away", look_far_away), 15, 1000);
    sk_model_join(model,
                  fit(&data.data, TINY "nu=0.7 rho=0.2 tau2=0.02 sectors=yes neighbors=8 mean=trend variance=local"));
    assert_in_range(fail_each("predict by a pair far away", predict_far_away), 20, 1000);
    surekrig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits),
        cmocka_unit_test(a_fit_of_what_is_given),
        cmocka_unit_test(held_out_points),
        cmocka_unit_test(choosing),
        cmocka_unit_test(what_is_done_with_a_model),
        cmocka_unit_test(what_is_done_with_a_pair),
        cmocka_unit_test(places_far_away),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
