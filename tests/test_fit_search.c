/* How a search behaves: it ends at a minimum, within its bounds, in rounds as they are asked for; what it tells
 * meanwhile, how it is stopped, and when its seconds are over. */
#include "verify.h"

#include <time.h>

/* The loss of given hyperparameters, by a fit that has nothing to search. */
static double loss_at(const surekrig_data *data, double nu, double rho, double tau2)
{
    char words[200];
    snprintf(words, sizeof words, "coverage=none neighbors=12 batch=250 nu=%.17g rho=%.17g tau2=%.17g", nu, rho, tau2);
    surekrig_model *model = fit(data, words);
    const surekrig_info *info = surekrig_model_info(model);
    double loss = info->loss;
    assert_true(info->outcome == SUREKRIG_NOT_TRAINED && info->evaluations == 1);
    surekrig_model_free(model);
    return loss;
}

static void the_estimates_are_a_minimum(void **state)
{
    (void)state;
    points p = make_field(600, 2, 1, 0.7, 0.2, 0.05, 16);
    double best = INFINITY;
    for (int seed = 1; seed <= 3; seed++) {
        char words[100];
        snprintf(words, sizeof words, "coverage=none neighbors=12 batch=250 nu=0.05:2.5 optimizer=%s",
                 seed == 1   ? "local"
                 : seed == 2 ? "bayes"
                             : "bayes acquisition=ucb");
        surekrig_model *model = fit(&p.data, words);
        const surekrig_info *info = surekrig_model_info(model);
        double nu = value_of(model, "nu"), rho = value_of(model, "rho"), tau2 = value_of(model, "tau2");
        close_to(info->loss, loss_at(&p.data, nu, rho, tau2), 1e-12);
        for (int i = 0; i < 6; i++) {
            double f = i % 2 ? 1.5 : 1 / 1.5;
            double by[3] = {1, 1, 1};
            by[i / 2] = f;
            assert_true(loss_at(&p.data, nu * by[0], rho * by[1], tau2 * by[2]) > info->loss);
        }
        assert_true(info->loss < loss_at(&p.data, 0.7, 0.2, 0.05)); /* below that of the truth */
        assert_true(info->outcome == SUREKRIG_CONVERGED || info->outcome == SUREKRIG_BUDGET_SPENT);
        near_to(info->loss, seed == 1 ? info->loss : best, 0.01); /* the same minimum by each way */
        best = fmin(best, info->loss);
        surekrig_model_free(model);
    }
    free_points(&p);
}

static void bounds_are_kept_and_flagged(void **state)
{
    (void)state;
    points p = make_field(500, 2, 1, 0.7, 0.2, 0.02, 17);
    static const struct {
        const char *words, *name;
        double lower, upper;
        int at_bound;
    } cases[] = {{"nu=1.5:2.5 tau2=1e-3", "nu", 1.5, 2.5, -1},
                 {"nu=0.05:0.3 tau2=0.02", "nu", 0.05, 0.3, 1},
                 {"nu=0.7 rho=1e-3:0.01", "rho", 1e-3, 0.01, 1},
                 {"nu=0.7 tau2=0.02 gamma2=1 rho=2:9", "rho", 2, 9, -1},
                 {"nu=0.7 rho=0.2 tau2=1e-8:1e-4", "tau2", 1e-8, 1e-4, 1},
                 {"nu=0.7 rho=0.2 tau2=0.3:1", "tau2", 0.3, 1, -1},
                 {"nu=0.1:2 tau2=0.02", "nu", 0.1, 2, 0},
                 {"nu=0.7 gamma2=1 rho=0.01:3", "rho", 0.01, 3, 0}};
    for (int i = 0; i < 8; i++) {
        char words[200];
        snprintf(words, sizeof words, "coverage=none batch=300 neighbors=12 %s", cases[i].words);
        surekrig_model *model = fit(&p.data, words);
        const surekrig_estimate *e = estimate(surekrig_model_info(model), cases[i].name);
        if (e->at_bound != cases[i].at_bound)
            fail_msg("%s: %s = %g, at_bound %d", words, e->name, e->value, e->at_bound);
        close_to(e->lower, cases[i].lower, 1e-14);
        close_to(e->upper, cases[i].upper, 1e-14);
        close_to(e->value, e->at_bound < 0 ? e->lower : e->at_bound > 0 ? e->upper : e->value, 0.02);
        surekrig_model_free(model);
    }
    free_points(&p);
}

/* rho in shares of each side, and no side longer than another. */
static void scaling_by_axis_is_in_shares_of_the_sides(void **state)
{
    (void)state;
    points p = make_field(200, 2, 1, 0.7, 0.2, 0.02, 29);
    for (int i = 0; i < 200; i++)
        p.x[2 * i] *= 1000;
    surekrig_model *model = fit(&p.data, SMALL "coverage=none scaling=axis anisotropic=no");
    const surekrig_info *info = surekrig_model_info(model);
    const surekrig_estimate *first = estimate(info, "rho_x1"), *second = estimate(info, "rho_x2");
    close_to(first->value / side(info, 0), second->value / side(info, 1), 1e-13);
    for (int a = 0; a < 2; a++) {
        close_to((a ? second : first)->lower, 1e-3 * side(info, a), 1e-13);
        close_to((a ? second : first)->upper, 10 * side(info, a), 1e-13);
    }
    surekrig_model_free(model);
    free_points(&p);
}

/* Five levels of one scale cannot be met under errors with the tails of t with 2 degrees of freedom. Once that shows,
 * it is said, after the evaluations of one search and one compromise: far from all rounds. */
static void what_cannot_be_met_ends_soon(void **state)
{
    (void)state;
    points p = make_field(500, 2, 1, 0.8, 0.2, 1e-3, 23);
    for (uint64_t i = 0; i < 500; i++)
        p.y[i] += 0.5 * normal(5, 3 * i) / hypot(normal(5, 3 * i + 1), normal(5, 3 * i + 2));
    surekrig_model *model = fit(&p.data, "neighbors=12");
    const surekrig_info *info = surekrig_model_info(model);
    assert_int_equal(info->outcome, SUREKRIG_COVERAGE_NOT_MET);
    assert_true(info->rounds < 12 && info->evaluations <= 3 * (15 + 25 + 25) + 3 * 25);
    assert_true(info->round[info->rounds - 1].beta == 1e4 && info->round[info->rounds - 1].lambda[0] == 0);
    verify(&p.data, model);
    surekrig_model_free(model);
    free_points(&p);
}

static void the_paper_preset_runs_its_rounds(void **state)
{
    (void)state;
    points p = make_field(400, 2, 1, 0.7, 0.2, 1e-3, 18);
    surekrig_model *model = fit(&p.data, "preset=paper batch=150 neighbors=12");
    const surekrig_info *info = surekrig_model_info(model);
    assert_int_equal(info->rounds, 5);
    for (int n = 0; n < 5; n++) {
        const surekrig_round *round = &info->round[n];
        assert_true(round->evaluations == 13 * (n + 1)); /* no archive, no early end */
        assert_true(round->beta == 10 * pow(4, n));      /* beta_n = r beta_{n-1}, beyond our limit of 100 */
        for (int j = 0; n > 0 && j < info->levels; j++)  /* lambda_n = lambda_{n-1} + beta_{n-1} (C - alpha), no clip */
            assert_true(round->lambda[j] ==
                        round[-1].lambda[j] + round[-1].beta * (round[-1].coverage[j] - info->level[j]));
    }
    for (int i = 0; i < info->estimates; i++) /* theta_N */
        assert_true(info->estimate[i].value == info->round[4].theta[i]);
    assert_true(value_of(model, "tau2") == 1e-3 && value_of(model, "gamma2") == 1 && value_of(model, "mean") == 0);
    assert_true(info->outcome == SUREKRIG_BUDGET_SPENT || info->outcome == SUREKRIG_COVERAGE_NOT_MET);
    verify(&p.data, model);
    surekrig_model_free(model);
    free_points(&p);
}

/* Each round's theta is the best of its own thirteen, under its own multipliers: the history of a fit that ends after n
 * rounds is judged by the n-th's. The archive would find the lowest of all. */
static void rounds_of_the_paper_know_nothing_of_each_other(void **state)
{
    (void)state;
    points p = make_field(400, 2, 1, 0.7, 0.2, 1e-3, 18);
    for (int rounds = 1; rounds <= 4; rounds++) {
        char words[80];
        snprintf(words, sizeof words, "preset=paper batch=150 neighbors=12 rounds=%d", rounds);
        surekrig_model *model = fit(&p.data, words);
        const surekrig_info *info = surekrig_model_info(model);
        double lowest = INFINITY;
        for (int64_t i = info->evaluations - 13; i < info->evaluations; i++)
            lowest = fmin(lowest, info->history[i * (1 + info->levels)]);
        assert_true(lowest == info->round[rounds - 1].objective && info->evaluations == 13 * rounds);
        surekrig_model_free(model);
    }
    free_points(&p);
}

/* Each aid that is taken away changes the search; with all of them it is what it is without being asked. */
static void aids_can_be_switched_off_one_by_one(void **state)
{
    (void)state;
    static const char *const WITHOUT[] = {"archive,limits,bend,log,stop",     "suggest,limits,bend,log,stop",
                                          "suggest,archive,bend,log,stop",    "suggest,archive,limits,log,stop",
                                          "suggest,archive,limits,bend,stop", "suggest,archive,limits,bend,log"};
    static const char BASE[] = "preset=paper select=last batch=150 neighbors=12 rounds=8 aids=";
    points p = make_field(400, 2, 1, 0.7, 0.2, 1e-3, 18);
    char words[160];
    snprintf(words, sizeof words, "%sall", BASE);
    surekrig_model *all = fit(&p.data, words);
    const surekrig_info *with = surekrig_model_info(all);
    for (size_t i = 0; i < sizeof WITHOUT / sizeof *WITHOUT; i++) {
        snprintf(words, sizeof words, "%s%s", BASE, WITHOUT[i]);
        surekrig_model *model = fit(&p.data, words);
        const surekrig_info *info = surekrig_model_info(model);
        bool same = info->evaluations == with->evaluations && value_of(model, "rho") == value_of(all, "rho") &&
                    info->round[info->rounds - 1].beta == with->round[with->rounds - 1].beta;
        if (same)
            fail_msg("aids=%s finds what all of them do", WITHOUT[i]);
        verify(&p.data, model);
        surekrig_model_free(model);
    }
    surekrig_model_free(all);
    free_points(&p);
}

/* Squared errors see no scale: the search is not told of it by a suggested rho, unless coverage asks for one. */
static void squared_errors_are_not_told_the_scale(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"coverage=none aids=all", "coverage=none aids=archive,limits,bend,log,stop",
                                        "coverage=0.95 aids=all", "coverage=0.95 aids=archive,limits,bend,log,stop"};
    points p = make_field(400, 2, 1, 0.7, 0.2, 1e-3, 18);
    double rho[4];
    for (int i = 0; i < 4; i++) {
        char words[160];
        snprintf(words, sizeof words, "loss=mse gamma2=1 tau2=1e-3 batch=150 neighbors=12 %s", WORDS[i]);
        surekrig_model *model = fit(&p.data, words);
        rho[i] = value_of(model, "rho");
        surekrig_model_free(model);
    }
    assert_true(rho[0] == rho[1] && rho[2] != rho[3]);
    free_points(&p);
}

/* ---- progress, stops and time */

typedef struct watch {
    int calls, stop_at; /* stop_at: that call; 0: none */
    int64_t stop_after; /* evaluations; 0: never */
    int slow;           /* so many calls take longer than the interval between them, so that the next follows at once */
    surekrig_progress_report last;
} watch;

static int look(void *user, const surekrig_progress_report *report)
{
    watch *w = user;
    assert_string_equal(report->phase, "training");
    assert_true(report->done >= 0 && report->done <= 1 && report->evaluations >= 0);
    assert_true(isnan(report->objective) == (report->evaluations == 0));
    assert_true(isnan(report->coverage) || (report->coverage >= 0 && report->coverage <= 1));
    assert_true(isnan(report->coverage) == (report->evaluations == 0));
    if (w->calls++) {
        assert_true(report->done >= w->last.done && report->evaluations >= w->last.evaluations);
        assert_true(w->last.evaluations == 0 || isfinite(report->objective));
    }
    w->last = *report;
    if (w->calls <= w->slow)
        nanosleep(&(struct timespec){0, 110000000}, NULL);
    return (w->stop_at && w->calls >= w->stop_at) || (w->stop_after && report->evaluations >= w->stop_after);
}

static surekrig_status fit_watched(const surekrig_data *data, const char *words, watch *w, surekrig_model **model)
{
    char plain[512];
    snprintf(plain, sizeof plain, "preset=coverage %s", words);
    surekrig_settings *settings = settings_of(plain);
    surekrig_error error = {0};
    surekrig_status status = surekrig_fit(data, settings, &(surekrig_progress){look, w}, model, &error);
    if (status)
        assert_true(strlen(error.sentence) > 0);
    surekrig_settings_free(settings);
    return status;
}

/* Each datum counts once, in however many neighbourhoods it is: what hardly differs in likelihood is mostly around the
 * truth. */
static void the_truth_is_among_those_as_good(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    const char *words[] = {"loss=block", "loss=lool"};
    for (int w = 0; w < 2; w++) {
        int inside = 0;
        for (uint64_t seed = 1; seed <= 10; seed++) {
            points p = make_field(400, 2, 1, 0.7, 0.2, 0.02, 300 + seed);
            char all[100];
            snprintf(all, sizeof all, "rho=0.2 tau2=0.02 neighbors=30 coverage=none %s", words[w]);
            surekrig_model *m = fit(&p.data, all);
            const surekrig_estimate *nu = &surekrig_model_info(m)->estimate[0];
            assert_string_equal(nu->name, "nu");
            inside += nu->as_good[0] <= 0.7 && nu->as_good[1] >= 0.7;
            surekrig_model_free(m);
            free_points(&p);
        }
        assert_in_range(inside, 7, 10);
    }
}

static void progress_is_sane_and_can_stop(void **state)
{
    (void)state;
    const char *words =
        "neighbors=20 batch=32 threads=1"; /* one to four pieces of work, so as many calls, an evaluation */
    points p = make_field(300, 2, 1, 0.7, 0.2, 0.02, 24);
    surekrig_model *model = NULL, *untouched = NULL;
    watch all = {.slow = 12}, first = {.stop_at = 1}, later = {.slow = 100, .stop_after = 2};
    assert_int_equal(fit_watched(&p.data, words, &all, &model), SUREKRIG_OK);
    assert_true(all.calls >= 6 && all.last.evaluations >= 2);
    assert_true(surekrig_model_info(model)->evaluations >= all.last.evaluations);
    surekrig_model_free(model);
    assert_int_equal(fit_watched(&p.data, words, &first, &untouched), SUREKRIG_STOPPED);
    assert_true(first.calls == 1 && untouched == NULL);
    assert_int_equal(fit_watched(&p.data, words, &later, &model), SUREKRIG_OK);
    const surekrig_info *info = surekrig_model_info(model);
    assert_true(later.last.evaluations == 2 && info->evaluations == 2 && info->outcome == SUREKRIG_STOPPED_EARLY);
    verify(&p.data, model);
    surekrig_model_free(model);
    free_points(&p);
}

static int stop_at_two(void *user, const surekrig_progress_report *report)
{
    (void)user;
    nanosleep(&(struct timespec){0, 110000000}, NULL); /* so that the next report follows at once */
    return report->evaluations >= 2;
}

/* While length scales and neighbours are settled in turns: what was found by then is evaluated once more, and is the
 * model. */
static void a_stop_while_the_metric_is_settled(void **state)
{
    (void)state;
    points p = make_field(300, 2, 1, 0.7, 0.2, 0.02, 27);
    surekrig_settings *settings = settings_of("anisotropic=yes neighbors=20 batch=32 threads=1 coverage=none");
    surekrig_model *model = NULL;
    surekrig_error error;
    succeed(surekrig_fit(&p.data, settings, &(surekrig_progress){stop_at_two, NULL}, &model, &error), &error);
    const surekrig_info *info = surekrig_model_info(model);
    assert_true(info->evaluations == 1 && info->outcome == SUREKRIG_STOPPED_EARLY && isfinite(info->loss));
    surekrig_settings_free(settings);
    surekrig_model_free(model);
    free_points(&p);
}

/* Few points are one piece of work: a stop must not wait for ever for a second one. */
static void a_small_fit_can_be_stopped(void **state)
{
    (void)state;
    points p = make_field(14, 2, 1, 0.7, 0.2, 0.02, 25);
    surekrig_model *model = NULL;
    watch first = {.stop_at = 1};
    surekrig_status status = fit_watched(&p.data, "", &first, &model);
    if (status == SUREKRIG_OK && surekrig_model_info(model)->outcome != SUREKRIG_STOPPED_EARLY)
        fail_msg("asked to stop at once, %lld evaluations were made",
                 (long long)surekrig_model_info(model)->evaluations);
    surekrig_model_free(model);
    free_points(&p);
}

static void seconds_end_training(void **state)
{
    (void)state;
    points p = make_field(900, 2, 1, 0.7, 0.2, 0.02, 26);
    double start = sk_now();
    surekrig_model *model = fit(&p.data, "seconds=0.1 neighbors=40 rounds=1000 evaluations=1000 initial=1000");
    in_time(sk_now() - start, 1.5);
    const surekrig_info *info = surekrig_model_info(model);
    assert_true(info->outcome == SUREKRIG_BUDGET_SPENT && info->evaluations >= 1 && info->evaluations < 1000);
    assert_true(isfinite(info->loss));
    surekrig_model_free(model);
    free_points(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimates_are_a_minimum),
        cmocka_unit_test(bounds_are_kept_and_flagged),
        cmocka_unit_test(scaling_by_axis_is_in_shares_of_the_sides),
        cmocka_unit_test(what_cannot_be_met_ends_soon),
        cmocka_unit_test(the_paper_preset_runs_its_rounds),
        cmocka_unit_test(rounds_of_the_paper_know_nothing_of_each_other),
        cmocka_unit_test(aids_can_be_switched_off_one_by_one),
        cmocka_unit_test(squared_errors_are_not_told_the_scale),
        cmocka_unit_test(the_truth_is_among_those_as_good),
        cmocka_unit_test(progress_is_sane_and_can_stop),
        cmocka_unit_test(a_stop_while_the_metric_is_settled),
        cmocka_unit_test(a_small_fit_can_be_stopped),
        cmocka_unit_test(seconds_end_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
