/* The settings: every row of the table, its default, what it refuses, and presets. */
#include "fit_support.h"
#include "train/train.h"

static surekrig_settings *fresh(void)
{
    return settings_of("");
}

static void must_set(surekrig_settings *settings, const char *name, const char *value)
{
    surekrig_error error;
    succeed(surekrig_settings_set(settings, name, value, &error), &error);
    assert_string_equal(surekrig_settings_get(settings, name), value);
}

static void same_parameter(const sk_parameter *a, const sk_parameter *b)
{
    assert_true(a->how == b->how && a->count == b->count);
    same_bits(a->fixed, b->fixed, a->count);
    same_bits((double[]){a->lower, a->start, a->upper}, (double[]){b->lower, b->start, b->upper}, 3);
}

/* Text and parsed value of every row. */
static void same_settings(const surekrig_settings *a, const surekrig_settings *b)
{
    for (int i = 0; surekrig_settings_row(i); i++) {
        const char *name = surekrig_settings_row(i)->name;
        assert_string_equal(surekrig_settings_get(a, name), surekrig_settings_get(b, name));
        assert_ptr_not_equal(surekrig_settings_get(a, name), surekrig_settings_get(b, name));
    }
    assert_true(a->neighbors == b->neighbors && a->batch == b->batch && a->loss == b->loss && a->rounds == b->rounds);
    assert_true(a->constraint == b->constraint && a->anisotropic == b->anisotropic && a->mean == b->mean);
    assert_true(a->scaling == b->scaling && a->optimizer == b->optimizer && a->acquisition == b->acquisition);
    assert_true(a->select == b->select && a->aids == b->aids && a->backend == b->backend && a->kernel == b->kernel &&
                a->huber == b->huber && a->beta == b->beta);
    assert_true(a->tolerance == b->tolerance && a->growth == b->growth && a->kappa == b->kappa && a->seed == b->seed);
    assert_true(a->seconds == b->seconds && a->initial == b->initial && a->evaluations == b->evaluations);
    assert_true(a->polish == b->polish && a->threads == b->threads && a->coverage.count == b->coverage.count);
    same_bits(a->coverage.alpha, b->coverage.alpha, a->coverage.count);
    same_parameter(&a->nu, &b->nu);
    same_parameter(&a->rho, &b->rho);
    same_parameter(&a->tau2, &b->tau2);
    same_parameter(&a->gamma2, &b->gamma2);
}

/* Refused with a sentence that names the setting, the value and what it takes; and nothing has changed. */
static void must_refuse(const char *name, const char *value)
{
    surekrig_settings *settings = fresh(), *other = fresh();
    surekrig_error error = {0};
    const surekrig_setting *row = NULL;
    for (int i = 0; (row = surekrig_settings_row(i)) && strcmp(row->name, name); i++)
        ;
    assert_non_null(row);
    if (surekrig_settings_set(settings, name, value, &error) != SUREKRIG_INVALID)
        fail_msg("%s took '%s'", name, value);
    assert_int_equal(error.status, SUREKRIG_INVALID);
    mentions(&error, name);
    mentions(&error, row->takes);
    if (strlen(value) < 100)
        mentions(&error, value);
    assert_int_equal(surekrig_settings_set(settings, name, value, NULL), SUREKRIG_INVALID);
    same_settings(settings, other);
    surekrig_settings_free(settings);
    surekrig_settings_free(other);
}

/* ---- the table */

static void defaults_are_in_force_and_parse(void **state)
{
    (void)state;
    surekrig_settings *settings = fresh();
    int rows = 0;
    for (const surekrig_setting *row; (row = surekrig_settings_row(rows)); rows++) {
        assert_string_equal(surekrig_settings_get(settings, row->name), row->fallback);
        must_set(settings, row->name, row->fallback);
        assert_true(strlen(row->sentence) > 10 && row->sentence[strlen(row->sentence) - 1] == '.');
        assert_true(strlen(row->takes) > 0);
        for (int i = 0; i < rows; i++)
            assert_string_not_equal(surekrig_settings_row(i)->name, row->name);
    }
    assert_true(rows > 20);
    assert_null(surekrig_settings_row(-1));
    assert_null(surekrig_settings_row(rows));
    surekrig_settings_free(settings);
    surekrig_settings_free(NULL);
}

static void every_row_refuses_nonsense(void **state)
{
    (void)state;
    static const char *const nonsense[] = {"",   " ",   "maybe",     "-1",     "nan",        "-inf", "1,",
                                           ",",  ":",   "1:",        ":1",     "1:2:3:4",    "2:1",  "5 ",
                                           "0x", "1;2", "auto,auto", "-1e999", "0.5:0.7,0.9"};
    for (int i = 0; surekrig_settings_row(i); i++) /* names of features can be anything */
        for (size_t j = 0; j < sizeof nonsense / sizeof *nonsense && !strstr(surekrig_settings_row(i)->takes, "names");
             j++)
            must_refuse(surekrig_settings_row(i)->name, nonsense[j]);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    surekrig_settings *settings = fresh();
    surekrig_error error = {0};
    const char *const names[] = {"neighbours", "", "NU", "nu ", "Preset"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(surekrig_settings_set(settings, names[i], "1", &error), SUREKRIG_INVALID);
        mentions(&error, names[i]);
        assert_null(surekrig_settings_get(settings, names[i]));
    }
    surekrig_settings_free(settings);
}

/* A row's ends are taken, what lies beyond them is not. */
static void ends_of_each_row(void **state)
{
    (void)state;
    static const struct {
        const char *name, *taken[3], *refused[3];
    } ends[] = {
        {"neighbors", {"1", "4096", "auto"}, {"0", "4097", "2.5"}},
        {"sectors", {"no", "yes", "no"}, {"8", "none", "Yes"}},
        {"nodes", {"no", "yes", "auto"}, {"4", "none", "Yes"}},
        {"search", {"exact", "approximate", "auto"}, {"fast", "0", "Exact"}},
        {"batch", {"2", "1e9", "1024"}, {"1", "1000000001", "auto"}},
        {"loss", {"crps", "looph", "block"}, {"loo", "lool mse", "LOOL"}},
        {"huber", {"1e-3", "1e3", "1.5"}, {"0", "-1", "inf"}},
        {"coverage", {"none", "0.5", "0.01,0.99"}, {"0", "1", "0.5,1.5"}},
        {"constraint", {"multipliers", "penalty", "multipliers"}, {"none", "multiplier", "0"}},
        {"tolerance", {"0", "0.5", "auto"}, {"-0.1", "0.51", "none"}},
        {"beta", {"1e-3", "1e6", "10"}, {"0", "-1", "inf"}},
        {"growth", {"1", "1000", "4"}, {"0.99", "1001", "auto"}},
        {"rounds", {"1", "1000", "30"}, {"0", "1001", "1.5"}},
        {"kernel", {"gaussian", "matern", "gaussian"}, {"Matern", "matern gaussian", "inf"}},
        {"nu", {"0.01", "50", "auto"}, {"0.009", "50.1", "0.5,0.6"}},
        {"rho", {"1e-9", "1e9", "auto"}, {"0", "inf", "-1"}},
        {"anisotropic", {"no", "yes", "auto"}, {"true", "1", "y"}},
        {"turn", {"0", "180", "auto"}, {"-1", "180.1", "left"}},
        {"metric", {"fitted", "start", "fitted"}, {"box", "1", "fit"}},
        {"tau2", {"0", "1", "1e-8:1"}, {"-1e-9", "0:1", "inf"}},
        {"gamma2", {"1e-100", "1e100", "auto"}, {"0", "inf", "1,2"}},
        {"terms", {"1", "2", "1"}, {"0", "3", "1.5"}},
        {"long_ratio", {"1", "1e6", "1.5:300"}, {"0.5", "inf", "auto"}},
        {"long_share", {"0.5", "0.999", "0.1:0.9"}, {"0", "1", "auto"}},
        {"long_nu", {"0.01", "50", "0.1:2"}, {"0.009", "51", "auto"}},
        {"mean", {"zero", "local", "trend"}, {"linear", "0", ""}},
        {"trend", {"all", "x1", "lon,lat"}, {"", "", ""}},
        {"distance", {"all", "x1", "lon,lat"}, {"", "", ""}},
        {"sphere", {"no", "lon,lat", "auto"}, {"", "", ""}},
        {"group", {"none", "lon,lat", "x1,x2;u,v"}, {"", "", ""}},
        {"time", {"none", "t", "day"}, {"", "", ""}},
        {"time_unit", {"number", "date", "number"}, {"day", "1", "dates"}},
        {"by", {"none", "station", "lon,lat"}, {"", "", ""}},
        {"spacetime", {"auto", "geometric", "gneiting"}, {"none", "product", "1"}},
        {"time_nu", {"0.01", "50", "0.1:2"}, {"0.009", "51", "auto"}},
        {"time_mix", {"0", "1", "0.1:1"}, {"-0.1", "1.1", "0:1"}},
        {"holdout", {"auto", "transplant", "thinned"}, {"none", "block", ""}},
        {"variance", {"global", "local", "global"}, {"none", "1", ""}},
        {"interval", {"gaussian", "conformal", "gaussian"}, {"normal", "0.95", ""}},
        {"calibration", {"20", "1e9", "4096"}, {"19", "auto", "1.5"}},
        {"auto", {"no", "yes", "no"}, {"auto", "1", ""}},
        {"scaling", {"box", "axis", "auto"}, {"boxes", "1", "ax"}},
        {"optimizer", {"lbfgs", "bayes", "auto"}, {"bayesian", "0", "nelder"}},
        {"acquisition", {"ei", "ucb", "ei"}, {"EI", "pi", "e"}},
        {"kappa", {"0", "1000", "7"}, {"-1", "1001", "auto"}},
        {"initial", {"1", "100000", "auto"}, {"0", "100001", "3.5"}},
        {"evaluations", {"1", "100000", "auto"}, {"0", "100001", "none"}},
        {"polish", {"0", "100000", "auto"}, {"-1", "100001", "0.5"}},
        {"aids", {"none", "suggest,log", "stop"}, {"suggests", "all,log", "log,"}},
        {"select", {"best", "last", "best"}, {"first", "1", "lastly"}},
        {"seconds", {"0.01", "1e6", "none"}, {"0", "inf", "auto"}},
        {"seed", {"0", "18446744073709551615", "7"}, {"18446744073709551616", "1.5", "+1"}},
        {"threads", {"1", "4096", "auto"}, {"0", "4097", "two"}},
        {"backend", {"avx512", "reference", "auto"}, {"cuda", "ref", "0"}},
        {"preset", {"paper", "default", "paper"}, {"papers", "none", "auto"}},
    };
    size_t rows = sizeof ends / sizeof *ends;
    assert_null(surekrig_settings_row((int)rows)); /* all of them */
    surekrig_settings *settings = fresh();
    for (size_t i = 0; i < rows; i++) {
        for (int j = 0; j < 3; j++) {
            must_refuse(ends[i].name, ends[i].refused[j]);
            must_set(settings, ends[i].name, ends[i].taken[j]);
        }
    }
    surekrig_settings_free(settings);
}

/* ---- values */

static void numbers_and_words_arrive(void **state)
{
    (void)state;
    surekrig_settings *s = settings_of(
        "neighbors=1e2 batch=77 loss=huber huber=0.25 coverage=0.5,0.9 constraint=penalty beta=3 growth=2 rounds=9 "
        "mean=zero scaling=axis optimizer=local acquisition=ucb kappa=2 initial=4 evaluations=5 polish=0 select=last "
        "seconds=1.5 seed=12 threads=3");
    assert_true(s->neighbors == 100 && s->batch == 77 && s->huber == 0.25 && s->beta == 3 && s->growth == 2);
    assert_string_equal(sk_loss_at(s->loss)->name, "huber");
    assert_true(s->constraint == 1 && s->mean == SK_MEAN_ZERO);
    assert_true(s->scaling == SK_SCALING_AXIS && s->optimizer == SK_OPTIMIZER_LOCAL);
    assert_true(s->acquisition == SK_ACQUISITION_UCB);
    assert_true(s->rounds == 9 && s->kappa == 2 && s->initial == 4 && s->evaluations == 5 && s->polish == 0);
    assert_true(s->select == 1 && s->seconds == 1.5 && s->seed == 12 && sk_thread_setting(s) == 3);
    assert_true(s->coverage.count == 2 && s->coverage.alpha[0] == 0.5 && s->coverage.alpha[1] == 0.9);
    must_set(s, "coverage", "none");
    must_set(s, "threads", "auto");
    must_set(s, "seconds", "none");
    must_set(s, "neighbors", "auto");
    assert_true(s->coverage.count == 0 && sk_thread_setting(s) == 0 && isinf(s->seconds) && s->neighbors == -1);
    surekrig_settings_free(s);
}

static void parameters_are_fixed_listed_ranged_or_automatic(void **state)
{
    (void)state;
    surekrig_settings *s = fresh();
    const sk_parameter *rho = &s->rho;
    assert_int_equal(rho->how, SK_AUTO);
    must_set(s, "rho", "0.25");
    assert_true(rho->how == SK_FIXED && rho->count == 1 && rho->fixed[0] == 0.25);
    must_set(s, "rho", "0.25,4,1e-3");
    assert_true(rho->how == SK_FIXED && rho->count == 3 && rho->fixed[0] == 0.25 && rho->fixed[1] == 4 &&
                rho->fixed[2] == 1e-3);
    must_set(s, "rho", "0.01:10");
    assert_true(rho->how == SK_RANGE && rho->lower == 0.01 && rho->upper == 10 && isnan(rho->start));
    must_set(s, "rho", "0.01:0.5:10");
    assert_true(rho->how == SK_RANGE && rho->lower == 0.01 && rho->upper == 10 && rho->start == 0.5);
    must_set(s, "rho", "0.01:0.01:10"); /* the start may be an end */
    assert_true(rho->start == 0.01);
    must_set(s, "rho", "auto");
    assert_true(rho->how == SK_AUTO && rho->count == 0);
    must_set(s, "nu", "inf");
    assert_true(s->nu.how == SK_FIXED && isinf(s->nu.fixed[0]));
    const char *const bad[] = {"0.1:0.1",   "0.5:0.1:1", "0.1:2:1", "0.1:inf", "0:1",
                               "0.1:1:2:3", "0.1:a:1",   "0.1,",    "auto,1"};
    for (int i = 0; i < 9; i++) {
        must_refuse("rho", bad[i]);
        must_refuse("tau2", bad[i]);
        must_refuse("nu", bad[i]);
        must_refuse("gamma2", bad[i]);
    }
    surekrig_settings_free(s);
}

static void lists_end_at_sixty_four(void **state)
{
    (void)state;
    char list[65 * 4 + 1] = "";
    for (int i = 0; i < 64; i++)
        strcat(list, i ? ",0.5" : "0.5");
    surekrig_settings *s = fresh();
    must_set(s, "coverage", list);
    must_set(s, "rho", list);
    assert_true(s->coverage.count == 64 && s->rho.count == 64);
    strcat(list, ",.5");
    must_refuse("coverage", list);
    must_refuse("rho", list);
    surekrig_settings_free(s);
}

/* ---- presets and copies */

static void paper_sets_what_its_sentence_says(void **state)
{
    (void)state;
    surekrig_settings *s = settings_of("nu=0.5 beta=77 seed=5 preset=paper"), *standard = fresh();
    /* mean zero, gamma2 1, tau2 1e-3, 5 rounds of 3 + 10 evaluations, no polish, select last */
    assert_true(s->mean == SK_MEAN_ZERO && s->gamma2.how == SK_FIXED && s->gamma2.fixed[0] == 1);
    assert_true(s->tau2.how == SK_FIXED && s->tau2.fixed[0] == 1e-3 && s->rounds == 5 && s->initial == 3);
    assert_true(s->evaluations == 13 && s->polish == 0 && s->select == 1 && s->aids == 0);
    assert_true(s->nu.how == SK_AUTO && s->beta == standard->beta && s->seed == standard->seed); /* back to defaults */
    assert_string_equal(surekrig_settings_get(s, "preset"), "paper");
    must_set(s, "preset", "default");
    same_settings(s, standard);
    surekrig_settings_free(s);
    surekrig_settings_free(standard);
}

static void a_copy_keeps_all(void **state)
{
    (void)state;
    surekrig_settings *copy = NULL, *s = settings_of("preset=paper mean=constant nu=0.3:0.7:2 rho=0.1,0.2 coverage=0.8 "
                                                     "seed=99 kappa=3 tolerance=0.25 seconds=8 threads=2 polish=7");
    surekrig_error error;
    succeed(sk_settings_copy(s, &copy, &error), &error);
    same_settings(s, copy);
    assert_true(copy->mean == SK_MEAN_CONSTANT && copy->polish == 7 && copy->rounds == 5);
    surekrig_settings_free(s);
    assert_string_equal(surekrig_settings_get(copy, "nu"), "0.3:0.7:2");
    surekrig_settings_free(copy);
}

/* One that was set to its default is given, too; what a preset says is not. */
static void what_was_set_by_name_is_given(void **state)
{
    (void)state;
    for (int i = 0; surekrig_settings_row(i); i++) {
        const surekrig_setting *row = surekrig_settings_row(i);
        surekrig_settings *s = fresh();
        must_set(s, row->name, row->fallback);
        for (int j = 0; surekrig_settings_row(j); j++)
            assert_int_equal(surekrig_settings_given(s, surekrig_settings_row(j)->name),
                             i == j && strcmp(row->name, "preset") != 0);
        for (int j = 0; surekrig_settings_row(j); j++)
            assert_int_equal(sk_setting_given(s, surekrig_settings_row(j)->name),
                             i == j && strcmp(row->name, "preset") != 0);
        assert_int_equal(surekrig_settings_given(s, "no such setting"), 0);
        surekrig_settings_free(s);
    }
    surekrig_settings *s = settings_of("preset=paper");
    assert_string_equal(surekrig_settings_get(s, "loss"), "lool");
    assert_int_equal(surekrig_settings_given(s, "loss"), 0);
    assert_true(sk_setting_given(s, "loss") && !sk_setting_given(s, "seed")); /* inside, a preset counts */
    surekrig_settings_free(s);
}

/* As the table says: 25 per searched hyperparameter, none by gradients, or what was asked for. */
static void polish_grows_with_what_is_searched(void **state)
{
    (void)state;
    surekrig_settings *open = settings_of("polish=auto"), *asked = settings_of("polish=7");
    for (int axes = 1; axes < 5; axes++) {
        assert_int_equal(sk_plan_from(open, SK_OPTIMIZER_BAYES, axes, 0, 0).polish, 25 * axes);
        assert_int_equal(sk_plan_from(open, SK_OPTIMIZER_LBFGS, axes, 0, 0).polish, 0);
        assert_int_equal(sk_plan_from(asked, SK_OPTIMIZER_BAYES, axes, 0, 0).polish, 7);
    }
    surekrig_settings_free(open);
    surekrig_settings_free(asked);
}

/* Budgets as the table says; by gradients no more than for 5 and 10 hyperparameters, and no design beyond the budget. */
static void budgets_grow_with_what_is_searched(void **state)
{
    (void)state;
    surekrig_settings *open = settings_of("rounds=3");
    for (int axes = 1; axes < 14; axes++) {
        int checked = axes < 5 ? axes : 5, budgeted = axes < 10 ? axes : 10;
        sk_plan bayes = sk_plan_from(open, SK_OPTIMIZER_BAYES, axes, 1, 0.001),
                local = sk_plan_from(open, SK_OPTIMIZER_LOCAL, axes, 2, 0.02),
                lbfgs = sk_plan_from(open, SK_OPTIMIZER_LBFGS, axes, 3, 0.005);
        assert_int_equal(bayes.initial, 5 + 5 * axes);
        assert_int_equal(bayes.evaluations, 15 * axes);
        assert_int_equal(local.evaluations, 20 * axes);
        assert_true(bayes.later == 2 * axes && local.later == 2 * axes);
        assert_int_equal(lbfgs.initial, 1 + 2 * checked);
        assert_int_equal(lbfgs.evaluations, 30 * budgeted);
        assert_int_equal(lbfgs.later, 5 * budgeted);
        assert_true(bayes.tolerance == 0.002 && local.tolerance == 0.02 && lbfgs.tolerance == 0.01);
    }
    surekrig_settings_free(open);
    surekrig_settings *few = settings_of("initial=9 evaluations=4 optimizer=local tolerance=0.03");
    sk_plan plan = sk_plan_from(few, SK_OPTIMIZER_BAYES, 2, 2, 0);
    assert_true(plan.optimizer == SK_OPTIMIZER_LOCAL && plan.initial == 4 && plan.evaluations == 4 && plan.later == 4);
    assert_true(plan.tolerance == 0.03 && plan.multipliers && !plan.take_last);
    surekrig_settings_free(few);
    surekrig_settings *last = settings_of("select=last");
    assert_true(sk_plan_from(last, SK_OPTIMIZER_BAYES, 2, 2, 0).take_last);
    surekrig_settings_free(last);
}

/* Without an aid the search is the paper's in that respect, and in no other. */
static void each_aid_is_one_switch(void **state)
{
    (void)state;
    static const char *const AIDS[] = {"aids=all",    "aids=none", "aids=archive",
                                       "aids=limits", "aids=bend", "aids=stop"};
    for (int i = 0; i < 6; i++) {
        surekrig_settings *s = settings_of(AIDS[i]);
        sk_plan plan = sk_plan_from(s, SK_OPTIMIZER_BAYES, 2, 1, 0);
        assert_int_equal(plan.own_rounds, i != 0 && i != 2);
        assert_true(plan.beta_limit == (i == 0 || i == 3 ? 1e9 : INFINITY) && plan.lambda_limit == plan.beta_limit);
        assert_int_equal(plan.plain_values, i != 0 && i != 4);
        assert_int_equal(plan.whole_budget, i != 0 && i != 5);
        assert_true(plan.multipliers && !plan.take_last);
        surekrig_settings_free(s);
    }
}

static void names_tell_of_time(void **state)
{
    (void)state;
    static const struct {
        const char *names[6];
        int d, time;
    } CASES[] = {{{"lon", "lat", "day"}, 3, 2},
                 {{"Year", "x", "y", "height"}, 4, 0},
                 {{"easting", "time", "northing"}, 3, 1},
                 {{"x", "y", "step"}, 3, -1},
                 {{"year", "month", "lon", "lat"}, 4, -1},
                 {{"x", "day"}, 2, -1},
                 {{"day"}, 1, -1},
                 {{"lon", "lat", "x", "day"}, 4, -1},
                 {{"lat", "latitude", "day"}, 3, -1},
                 {{"lon", "lat", "day", "a", "b"}, 5, -1}};
    static const char *const SAID[][2] = {{"time", "none"}, {"group", "lon,lat"}, {"rho", "0.1"},     {"terms", "1"},
                                          {"turn", "30"},   {"preset", "paper"},  {"distance", "all"}};
    surekrig_settings *s = settings_of("");
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        assert_int_equal(surekrig_settings_time(s, CASES[i].d, CASES[i].names), CASES[i].time);
    assert_int_equal(surekrig_settings_time(s, 3, NULL), -1);
    assert_int_equal(surekrig_settings_set(s, "preset", "gaps", NULL), SUREKRIG_OK);
    assert_int_equal(surekrig_settings_time(s, 3, CASES[0].names), 2);
    surekrig_settings_free(s);
    for (size_t i = 0; i < sizeof SAID / sizeof *SAID; i++) {
        s = settings_of("");
        if (surekrig_settings_set(s, SAID[i][0], SAID[i][1], NULL))
            fail_msg("%s = %s is refused", SAID[i][0], SAID[i][1]);
        assert_int_equal(surekrig_settings_time(s, 3, CASES[0].names), -1);
        surekrig_settings_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_tell_of_time),
        cmocka_unit_test(defaults_are_in_force_and_parse),
        cmocka_unit_test(every_row_refuses_nonsense),
        cmocka_unit_test(unknown_names_are_refused),
        cmocka_unit_test(ends_of_each_row),
        cmocka_unit_test(numbers_and_words_arrive),
        cmocka_unit_test(parameters_are_fixed_listed_ranged_or_automatic),
        cmocka_unit_test(lists_end_at_sixty_four),
        cmocka_unit_test(paper_sets_what_its_sentence_says),
        cmocka_unit_test(a_copy_keeps_all),
        cmocka_unit_test(what_was_set_by_name_is_given),
        cmocka_unit_test(polish_grows_with_what_is_searched),
        cmocka_unit_test(budgets_grow_with_what_is_searched),
        cmocka_unit_test(each_aid_is_one_switch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
