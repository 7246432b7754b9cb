/* auto = yes: what it may change, what it reports, and that it is the same every time. */
#include "fit_support.h"
#include "train/train.h"

#include <unistd.h>

#define QUICK "auto=yes neighbors=12 batch=100 evaluations=8 polish=5 coverage=0.9,0.95 "

/* A field with a gap in the middle, whose points are the targets. */
static points make_gap(int64_t n, int64_t l, double *target, uint64_t seed)
{
    points p = make_field(n, 2, l, 0.5, 0.3, 0.05, seed);
    cut_disc(&p, (double[]){0.5, 0.5}, 0.2, target);
    return p;
}

static const char *setting(const surekrig_model *m, const char *name)
{
    return surekrig_settings_get(surekrig_model_info(m)->settings, name);
}

static bool was_tried(const surekrig_info *info, const char *what)
{
    for (int i = 0; i < info->trials; i++)
        if (!strcmp(info->trial[i].what, what))
            return true;
    return false;
}

static bool is_average(const surekrig_trial *trial)
{
    return !strncmp(trial->what, "average with ", 13);
}

/* Each that is kept is better than those kept before it, and what comes after the last is no better than chance, or a
 * hundredth: less than two errors. An average is of the last and the first before it with which it is within one error of
 * the best. */
static void rule_is_kept(const surekrig_info *info)
{
    const surekrig_trial *last = &info->trial[info->trials - 1], *average = is_average(last) ? last : NULL;
    int changes = info->trials - (average != NULL), best = 0, chosen = 0;
    double least = INFINITY;
    bool partner = false;
    for (int i = 0; i < changes; i++) {
        const surekrig_trial *t = &info->trial[i];
        best = t->crps < info->trial[best].crps ? i : best;
        assert_true(!t->kept || t->crps < least);
        least = t->kept ? t->crps : least;
        chosen = t->kept ? i : chosen;
    }
    assert_true(info->trial[0].kept && least <= 1.01 * info->trial[best].crps + 2 * info->trial[best].error);
    for (int i = 0; i < chosen; i++)
        partner |= average && info->trial[i].kept && !strcmp(average->what + 13, info->trial[i].what);
    assert_true(partner == (average != NULL) && partner == (info->partner_estimates > 0));
    assert_true(!average || (average->kept && average->crps <= least + info->trial[chosen].error));
}

/* The kept settings are the model's, the others are not. */
static void table_is_sound(const surekrig_model *m)
{
    const surekrig_info *info = surekrig_model_info(m);
    rule_is_kept(info);
    assert_in_range(info->trials, strcmp(setting(m, "seconds"), "none") ? 1 : 2,
                    SK_TRIALS); /* in a hurry, none but the plain */
    assert_string_equal(info->trial[0].what, "plain");
    for (int i = 0; i < info->trials; i++) {
        const surekrig_trial *t = &info->trial[i];
        char what[48];
        snprintf(what, sizeof what, "%s", t->what);
        char *equals = is_average(t) ? NULL : strstr(what, " = ");
        assert_true(t->crps > 0 && t->crps < 2 && t->seconds >= 0 && (t->kept == 0 || t->kept == 1));
        assert_true(i == 0 ? t->kept && !equals : is_average(t) || equals);
        if (!equals)
            continue;
        *equals = 0;
        assert_true(t->kept == !strcmp(setting(m, what), equals + 3));
    }
    assert_string_equal(setting(m, "auto"), "no");
}

static void same_models(const surekrig_model *a, const surekrig_model *b, int64_t n, const double *x)
{
    const surekrig_info *p = surekrig_model_info(a), *q = surekrig_model_info(b);
    predicted one = predict(a, n, x, 0, 1), other = predict(b, n, x, 0, 1);
    same_bits(one.mean, other.mean, n * p->l);
    same_bits(one.sd, other.sd, n * p->l);
    for (int64_t r = 0; r < p->l; r++)
        assert_true(surekrig_model_quantile(a, r, 0.9) == surekrig_model_quantile(b, r, 0.9));
    assert_int_equal(p->trials, q->trials);
    for (int i = 0; i < p->trials; i++) {
        assert_string_equal(p->trial[i].what, q->trial[i].what);
        same_bits(&p->trial[i].crps, &q->trial[i].crps, 1);
        assert_int_equal(p->trial[i].kept, q->trial[i].kept);
    }
    same_bits(&p->held_out.mae, &q->held_out.mae, 7);
    assert_int_equal(p->partner_estimates, q->partner_estimates);
    for (int i = 0; i < p->partner_estimates; i++) {
        assert_string_equal(p->partner_estimate[i].name, q->partner_estimate[i].name);
        same_bits(&p->partner_estimate[i].value, &q->partner_estimate[i].value, 1);
    }
    assert_true(p->held_out.n == q->held_out.n && p->holdout == q->holdout && p->accepted == q->accepted);
    for (int i = 0; surekrig_settings_row(i); i++) {
        const char *name = surekrig_settings_row(i)->name;
        if (strcmp(name, "threads"))
            assert_string_equal(setting(a, name), setting(b, name));
    }
    free_predicted(&one);
    free_predicted(&other);
}

static void load_back(const surekrig_model *m, int64_t n, const double *x)
{
    char path[] = "/tmp/surekrig-test-XXXXXX";
    surekrig_model *again = NULL;
    surekrig_error error;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    same_models(m, again, n, x);
    for (int i = 0; i < surekrig_model_info(m)->trials; i++) {
        same_bits(&surekrig_model_info(m)->trial[i].seconds, &surekrig_model_info(again)->trial[i].seconds, 1);
        same_bits(&surekrig_model_info(m)->trial[i].error, &surekrig_model_info(again)->trial[i].error, 1);
    }
    surekrig_model_free(again);
    remove(path);
}

static void it_is_the_same_again_and_on_three_threads_and_loads_back(void **state)
{
    (void)state;
    double target[2 * 700];
    points p = make_gap(700, 1, target, 1);
    surekrig_model *one = fit(&p.data, QUICK), *three = fit(&p.data, QUICK "threads=3");
    table_is_sound(one);
    assert_true(was_tried(surekrig_model_info(one), "terms = 2"));
    assert_string_equal(setting(one, "batch"), "100");
    assert_string_equal(setting(one, "sectors"), "yes"); /* there are targets */
    assert_string_equal(setting(one, "interval"), "conformal");
    assert_string_equal(setting(one, "variance"), "local");
    same_models(one, three, p.data.targets, target);
    load_back(one, p.data.targets, target);
    surekrig_model_free(one);
    surekrig_model_free(three);
    free_points(&p);
}

/* A trend that is plain to see is found; what the user has set, be it the default, is left alone. */
static void what_is_set_is_kept(void **state)
{
    (void)state;
    double target[2 * 700];
    points p = make_gap(700, 1, target, 2);
    for (int64_t i = 0; i < p.data.n; i++)
        p.y[i] += 30 * p.x[2 * i];
    surekrig_model *free_one = fit(&p.data, QUICK);
    table_is_sound(free_one);
    assert_string_equal(setting(free_one, "mean"), "trend");
    surekrig_model *held = fit(&p.data, QUICK "mean=constant sectors=no variance=global terms=1 interval=gaussian "
                                              "anisotropic=no optimizer=bayes nu=0.7");
    assert_int_equal(surekrig_model_info(held)->trials, 1);
    static const char *const KEPT[][2] = {{"mean", "constant"},   {"sectors", "no"},        {"variance", "global"},
                                          {"terms", "1"},         {"interval", "gaussian"}, {"anisotropic", "no"},
                                          {"optimizer", "bayes"}, {"neighbors", "12"},      {"nu", "0.7"},
                                          {"batch", "100"},       {"coverage", "0.9,0.95"}};
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++)
        assert_string_equal(setting(held, KEPT[i][0]), KEPT[i][1]);
    assert_true(surekrig_model_quantile(held, 0, 0.95) == surekrig_quantile(0.95));
    surekrig_model_free(free_one);
    surekrig_model_free(held);
    free_points(&p);
}

static void two_responses_noise_one_feature_few_points(void **state)
{
    (void)state;
    double target[2 * 300];
    points two = make_gap(300, 2, target, 3), noisy = make_field(120, 2, 1, 0.5, 0.3, 0, 4);
    points line = make_field(250, 1, 1, 0.5, 0.1, 0.05, 5), few = make_field(30, 2, 1, 0.5, 0.3, 0.05, 6);
    add_noise(&noisy, 7);
    surekrig_data *data[] = {&two.data, &noisy.data, &line.data, &few.data};
    for (int i = 0; i < 4; i++) {
        surekrig_model *m = fit(data[i], "auto=yes batch=60 evaluations=8 polish=0");
        assert_string_equal(setting(m, "interval"),
                            data[i]->n >= 200 ? "conformal" : "student"); /* which set the coverage */
        assert_string_equal(setting(m, "coverage"), "none");
        const surekrig_info *info = surekrig_model_info(m);
        table_is_sound(m);
        assert_true(!strcmp(setting(m, "variance"), "local") == (data[i]->noise == NULL && data[i]->n >= 200));
        assert_true(was_tried(info, "anisotropic = yes") == (data[i]->d > 1));
        assert_string_equal(setting(m, "neighbors"), "auto");       /* 100 of 400 points or fewer are not near */
        assert_true(isfinite(surekrig_model_quantile(m, 0, 0.95))); /* 30 points are too few for conformal ones */
        load_back(m, 20, data[i]->x);
        surekrig_model_free(m);
    }
    free_points(&two);
    free_points(&noisy);
    free_points(&line);
    free_points(&few);
}

/* One column twice: a trend in both cannot be computed, and is not chosen. */
static void a_variant_that_cannot_be_computed_is_passed_over(void **state)
{
    (void)state;
    points p = make_field(150, 2, 1, 0.5, 0.3, 0.05, 8);
    for (int64_t i = 0; i < 150; i++)
        p.x[2 * i + 1] = 3 * p.x[2 * i];
    surekrig_model *m = fit(&p.data, QUICK);
    table_is_sound(m);
    assert_true(!was_tried(surekrig_model_info(m), "mean = trend") && was_tried(surekrig_model_info(m), "terms = 2"));
    surekrig_model_free(m);
    free_points(&p);
}

/* Where L-BFGS is asked for, two terms are tried too. */
static void an_optimizer_that_is_set_can_train_what_is_chosen(void **state)
{
    (void)state;
    points p = make_field(300, 2, 1, 0.5, 0.3, 0.05, 12);
    for (int64_t i = 0; i < 300; i++)
        p.y[i] += 30 * p.x[2 * i];
    surekrig_model *m = fit(&p.data, QUICK "optimizer=lbfgs");
    table_is_sound(m);
    assert_string_equal(setting(m, "optimizer"), "lbfgs");
    assert_true(was_tried(surekrig_model_info(m), "mean = trend") && was_tried(surekrig_model_info(m), "terms = 2"));
    surekrig_model_free(m);
    free_points(&p);
}

/* Eight times as long a range along one axis: a model that does not know of it is no insurance, and the best stands
 * alone. */
static void a_plainly_wrong_model_is_not_averaged_with(void **state)
{
    (void)state;
    points p = make_field(1500, 2, 1, 1, 0.15, 0.001, 13);
    for (int64_t i = 0; i < p.data.n; i++)
        p.x[2 * i] *= 8;
    surekrig_model *m = fit(&p.data, "auto=yes neighbors=20 terms=1 mean=local scaling=box evaluations=30 threads=1");
    assert_true(m->anisotropic);
    assert_int_equal(surekrig_model_info(m)->partner_estimates, 0);
    surekrig_model_free(m);
    free_points(&p);
}

/* Four points, of which two judge: their mean is a mean of two. Pure noise has a CRPS of 0.56 sds, and these say about
 * that. */
static void few_points_are_averaged_rightly(void **state)
{
    (void)state;
    double sum = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        points p = make_field(30, 1, 1, 0.5, 0.001, 1, seed);
        surekrig_model *m =
            fit(&p.data, "auto=yes mean=constant sectors=no terms=1 nu=0.5 rho=0.001 tau2=1 gamma2=1 coverage=none");
        sum += surekrig_model_info(m)->trial[0].crps / 20;
        surekrig_model_free(m);
        free_points(&p);
    }
    assert_true(sum > 0.3 && sum < 1.2);
}

/* A plane goes through any three points: it would leave no error, and intervals no width. */
static void a_trend_needs_rows(void **state)
{
    (void)state;
    double x[] = {0, 0, 1, 0, 0, 1}, y[] = {1, 2, 3}, place[] = {0.5, 0.5}, mean, sd;
    surekrig_data data = {.n = 3, .d = 2, .l = 1, .x = x, .y = y, .targets = 1, .target = place};
    surekrig_model *m = fit(&data, "auto=yes");
    assert_false(was_tried(surekrig_model_info(m), "mean = trend"));
    surekrig_prediction out = {.mean = &mean, .sd = &sd};
    assert_int_equal(surekrig_predict(m, &(surekrig_query){.n = 1, .x = place}, NULL, &out, NULL), SUREKRIG_OK);
    assert_true(sd > 0.1);
    surekrig_model_free(m);
}

/* Of fields that are alike in all directions and have no trend, changes gain by chance alone: few are kept (6 of 36;
 * 10 where any gain was enough). */
static void chance_is_not_kept(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    int kept = 0, tried = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        points p = make_field(120, 2, 1, 0.7, 0.2, 0.1, 500 + seed);
        surekrig_model *m = fit(&p.data, "auto=yes neighbors=20 evaluations=60");
        const surekrig_info *info = surekrig_model_info(m);
        for (int i = 1; i < info->trials; i++) {
            tried += !is_average(&info->trial[i]);
            kept += !is_average(&info->trial[i]) && info->trial[i].kept;
        }
        surekrig_model_free(m);
        free_points(&p);
    }
    assert_true(tried > 30 && kept <= 8);
}

/* ---- progress and stopping */

static int note_progress(void *user, const surekrig_progress_report *report)
{
    double *last = user;
    last[1] += report->done < last[0];
    last[0] = report->done;
    return 0;
}

/* All trials and trainings are one work, which does not go back. */
static void progress_goes_on(void **state)
{
    (void)state;
    double target[2 * 700], last[2] = {0, 0};
    points p = make_gap(700, 1, target, 1);
    surekrig_settings *settings = settings_of(QUICK "threads=1");
    surekrig_model *m = NULL;
    surekrig_error error;
    succeed(surekrig_fit(&p.data, settings, &(surekrig_progress){note_progress, last}, &m, &error), &error);
    assert_true(last[0] > 0.6 && last[0] <= 1 && last[1] == 0);
    surekrig_model_free(m);
    surekrig_settings_free(settings);
    free_points(&p);
}

static int stop_once(void *user, const surekrig_progress_report *report)
{
    (void)report;
    return ++*(int *)user == 2;
}

/* Asked once to stop, it does not begin the next trial. */
static void a_wish_to_stop_counts_for_all_trials(void **state)
{
    (void)state;
    points p = make_field(1500, 2, 1, 0.5, 0.1, 0.05, 9);
    surekrig_settings *settings = settings_of("auto=yes neighbors=300 threads=1"); /* the first trial takes a second */
    surekrig_model *m = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    int calls = 0;
    surekrig_status status = surekrig_fit(&p.data, settings, &(surekrig_progress){stop_once, &calls}, &m, &error);
    assert_int_equal(status, SUREKRIG_STOPPED);
    assert_ptr_equal(m, (void *)0x1234);
    assert_true(calls < 10);
    mentions(&error, "stopped");
    surekrig_settings_free(settings);
    free_points(&p);
}

/* The seconds are for all of it: half of them are left when the settings are chosen, for one model or two. */
static void seconds_are_shared(void **state)
{
    (void)state;
    points p = make_field(1200, 2, 1, 0.5, 0.1, 0.05, 10);
    surekrig_model *m = fit(&p.data, "auto=yes neighbors=60 seconds=0.4");
    table_is_sound(m);
    assert_string_equal(setting(m, "seconds"),
                        surekrig_model_info(m)->partner_estimates ? "0.10000000000000001" : "0.20000000000000001");
    surekrig_model_free(m);
    m = fit(&p.data, "auto=yes neighbors=60 seconds=0.002"); /* over when the first trial is */
    assert_int_equal(surekrig_model_info(m)->trials, 1);
    surekrig_model_free(m);
    free_points(&p);
}

/* A decimal comma; where the locale is not installed, it is made. */
static bool enter_comma_locale(const char *folder)
{
    char command[200];
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        return true;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    setenv("LOCPATH", folder, 1);
    return system(command) == 0 && setlocale(LC_NUMERIC, "de_DE.UTF-8");
}

/* One point that judges says nothing of chance: the plain model stays. */
static void three_rows_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 6; seed++) {
        points p = make_field(3, 2, 1, 0.5, 0.3, 0.05, seed);
        surekrig_model *m = fit(&p.data, "auto=yes");
        const surekrig_info *info = surekrig_model_info(m);
        for (int i = 1; i < info->trials; i++)
            assert_false(info->trial[i].kept);
        surekrig_model_free(m);
        free_points(&p);
    }
}

static void numbers_are_written_whatever_the_locale(void **state)
{
    (void)state;
    char folder[] = "/tmp/surekrig-test-XXXXXX", command[60];
    assert_non_null(mkdtemp(folder));
    bool comma = enter_comma_locale(folder);
    points p = make_field(100, 1, 1, 0.5, 0.3, 0.05, 11);
    surekrig_model *m = fit(&p.data, QUICK "seconds=100");
    setlocale(LC_NUMERIC, "C");
    table_is_sound(m);
    surekrig_model_free(m);
    free_points(&p);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    if (!comma)
        skip();
}

/* A series around a mean, to be continued, has the mean of all of it; within it the mean of all is not tried. */
static void a_series_that_goes_on_may_have_one_mean(void **state)
{
    (void)state;
    for (int within = 0; within < 2; within++) {
        double target[60];
        points p = make_field(500, 1, 1, 0.5, 0.02, 0.02, 6);
        for (int i = 0; i < 60; i++)
            target[i] = within ? (i + 0.5) / 60 : 1 + 0.002 * (i + 1);
        p.data.target = target;
        p.data.targets = 60;
        surekrig_model *m = fit(&p.data, "auto=yes threads=1");
        const surekrig_info *info = surekrig_model_info(m);
        assert_true(was_tried(info, "mean = trend"));
        assert_true(was_tried(info, "mean = constant") == !within);
        assert_string_equal(setting(m, "mean"), within ? "local" : "constant");
        surekrig_model_free(m);
        free_points(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_series_that_goes_on_may_have_one_mean),
        cmocka_unit_test(it_is_the_same_again_and_on_three_threads_and_loads_back),
        cmocka_unit_test(what_is_set_is_kept),
        cmocka_unit_test(two_responses_noise_one_feature_few_points),
        cmocka_unit_test(a_variant_that_cannot_be_computed_is_passed_over),
        cmocka_unit_test(an_optimizer_that_is_set_can_train_what_is_chosen),
        cmocka_unit_test(a_plainly_wrong_model_is_not_averaged_with),
        cmocka_unit_test(few_points_are_averaged_rightly),
        cmocka_unit_test(a_trend_needs_rows),
        cmocka_unit_test(chance_is_not_kept),
        cmocka_unit_test(progress_goes_on),
        cmocka_unit_test(a_wish_to_stop_counts_for_all_trials),
        cmocka_unit_test(seconds_are_shared),
        cmocka_unit_test(three_rows_change_nothing),
        cmocka_unit_test(numbers_are_written_whatever_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
