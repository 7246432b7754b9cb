/* link: -Wl,--wrap=sk_errors_fill,--wrap=sk_choose,--wrap=sk_fit_plain */
/* Fits at the edges: few points, duplicates, any units, what is refused; refits, what defaults become, and trainings that
 * fail. */
#include "train/train.h"
#include "verify.h"

/* ---- trainings that fail: every covariance is singular; or auto has chosen two models, of which the second fails */

surekrig_status __real_sk_errors_fill(sk_machine *machine, const sk_holdout *h, sk_errors *e, surekrig_error *error);
surekrig_status __wrap_sk_errors_fill(sk_machine *machine, const sk_holdout *h, sk_errors *e, surekrig_error *error);
surekrig_status __real_sk_choose(const surekrig_data *data, const surekrig_settings *settings,
                                 const surekrig_progress *progress, sk_choice *choice, surekrig_error *error);
surekrig_status __wrap_sk_choose(const surekrig_data *data, const surekrig_settings *settings,
                                 const surekrig_progress *progress, sk_choice *choice, surekrig_error *error);
surekrig_status __real_sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, sk_fitting how,
                                    const surekrig_progress *progress, surekrig_model **model, surekrig_error *error);
surekrig_status __wrap_sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, sk_fitting how,
                                    const surekrig_progress *progress, surekrig_model **model, surekrig_error *error);

static bool all_singular;
static surekrig_status second_fails; /* with this, if any */
static const surekrig_settings *second;

surekrig_status __wrap_sk_errors_fill(sk_machine *machine, const sk_holdout *h, sk_errors *e, surekrig_error *error)
{
    return all_singular ? sk_fail(error, SUREKRIG_NUMERIC, "singular") : __real_sk_errors_fill(machine, h, e, error);
}

surekrig_status __wrap_sk_choose(const surekrig_data *data, const surekrig_settings *settings,
                                 const surekrig_progress *progress, sk_choice *choice, surekrig_error *error)
{
    static const char WORDS[] = "nu=0.5 rho=0.3 tau2=0.01 coverage=none neighbors=10 mean=local sectors=no "
                                "variance=global interval=gaussian threads=1";
    if (!second_fails)
        return __real_sk_choose(data, settings, progress, choice, error);
    *choice = (sk_choice){.settings = settings_of(WORDS), .partner = settings_of(WORDS), .trials = 2};
    choice->trial[0].kept = choice->trial[1].kept = 1;
    second = choice->partner;
    return SUREKRIG_OK;
}

surekrig_status __wrap_sk_fit_plain(const surekrig_data *data, const surekrig_settings *settings, sk_fitting how,
                                    const surekrig_progress *progress, surekrig_model **model, surekrig_error *error)
{
    if (second_fails && settings == second)
        return sk_fail(error, second_fails, "the second fails");
    return __real_sk_fit_plain(data, settings, how, progress, model, error);
}

/* However many were tried: 64 is how many the archive has room for at first. */
static void all_that_was_tried_is_singular(void **state)
{
    (void)state;
    points p = make_field(60, 2, 1, 0.5, 0.2, 0.01, 18);
    for (int tried = 63; tried <= 65; tried++) {
        char words[120], sentence[80];
        surekrig_model *model = NULL;
        surekrig_error error = {0};
        snprintf(words, sizeof words, "optimizer=bayes initial=%d evaluations=%d polish=0 coverage=none neighbors=5",
                 tried, tried);
        snprintf(sentence, sizeof sentence, "for each of %d hyperparameters tried", tried);
        surekrig_settings *settings = settings_of(words);
        all_singular = true;
        surekrig_status status = surekrig_fit(&p.data, settings, NULL, &model, &error);
        all_singular = false;
        assert_int_equal(status, SUREKRIG_NUMERIC);
        mentions(&error, sentence);
        surekrig_settings_free(settings);
    }
    free_points(&p);
}

/* Of two models, the first remains where the second is singular or stopped; another failure is the fit's, whether its
 * sentence is wanted or not. */
static void a_second_model_may_fail(void **state)
{
    (void)state;
    static const surekrig_status FAILS[] = {SUREKRIG_NUMERIC, SUREKRIG_STOPPED, SUREKRIG_MEMORY, SUREKRIG_MEMORY};
    points p = make_field(60, 2, 1, 0.5, 0.2, 0.01, 17);
    surekrig_settings *settings = settings_of("auto=yes");
    for (int i = 0; i < 4; i++) {
        surekrig_model *model = NULL;
        surekrig_error error = {0};
        second_fails = FAILS[i];
        surekrig_status status = surekrig_fit(&p.data, settings, NULL, &model, i < 3 ? &error : NULL);
        second_fails = SUREKRIG_OK;
        if (i < 2) {
            succeed(status, &error);
            const surekrig_info *info = surekrig_model_info(model);
            assert_true(info->partner_estimates == 0 && info->trial[0].kept && !info->trial[1].kept);
            assert_true((info->outcome == SUREKRIG_STOPPED_EARLY) == (i == 1) && !error.status && !*error.sentence);
            surekrig_model_free(model);
            continue;
        }
        assert_true(status == SUREKRIG_MEMORY && !model);
        if (i == 2)
            mentions(&error, "the second fails");
    }
    surekrig_settings_free(settings);
    free_points(&p);
}

/* ---- fits that succeed */

static void two_points_are_enough(void **state)
{
    (void)state;
    double x[2] = {0, 1}, y[2] = {1, 3};
    surekrig_data data = {.n = 2, .d = 1, .l = 1, .x = x, .y = y};
    surekrig_model *model = fit(&data, "nu=0.5 rho=2 tau2=0.1 coverage=none mean=zero");
    const surekrig_info *info = surekrig_model_info(model);
    assert_true(info->neighbors == 1 && info->batch == 2);
    verify(&data, model);
    surekrig_model_free(model);
    model = fit(&data, ""); /* the defaults find something too */
    info = surekrig_model_info(model);
    for (int i = 0; i < info->estimates; i++)
        assert_true(isfinite(info->estimate[i].value));
    predicted p = predict(model, 2, x, 0, 1);
    for (int i = 0; i < 2; i++)
        assert_true(isfinite(p.mean[i]) && isfinite(p.sd[i]) && p.sd[i] > 0);
    free_predicted(&p);
    surekrig_model_free(model);
}

/* Without a nugget a neighbourhood is singular where it holds both of a pair at one place, and nowhere else. */
static void duplicates_without_a_nugget_are_jittered(void **state)
{
    (void)state;
    points p = make_field(300, 2, 1, 0.5, 0.2, 0.01, 19);
    memcpy(p.x + 2 * 100, p.x, 20 * sizeof(double)); /* rows 100..109 lie on rows 0..9 */
    surekrig_model *model = fit(&p.data, "neighbors=10 nu=0.5 rho=0.2 tau2=0 coverage=none");
    const surekrig_info *info = surekrig_model_info(model);
    batch at = draw_batch(&p.data, info);
    int64_t singular = 0;
    for (int64_t i = 0; i < at.b; i++) {
        bool both = false;
        for (int64_t j = 0; j < at.k; j++)
            for (int64_t h = 0; h < j; h++)
                both |= llabs(at.neighbor[i * at.k + j] - at.neighbor[i * at.k + h]) == 100 &&
                        at.neighbor[i * at.k + j] % 100 < 10 && at.neighbor[i * at.k + j] < 110 &&
                        at.neighbor[i * at.k + h] < 110;
        singular += both;
    }
    assert_true(singular > 20 && info->jittered == singular);
    assert_true(info->max_jitter > 0 && info->max_jitter <= 1e-6);
    assert_true(isfinite(info->loss) && isfinite(info->scores.rmse));
    free(at.row);
    free(at.neighbor);
    surekrig_model_free(model);
    free_points(&p);
}

/* Ten times as much noise as field: the noise, of sd 3.2, is not taken for the field, whose own sd is 1. */
static void noise_may_outweigh_the_field(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = make_field(1200, 2, 1, 1.5, 0.2, 10, 21);
    surekrig_model *model = fit(&p.data, "preset=default");
    assert_true(value_of(model, "tau2") > 3);
    predicted latent = predict(model, 200, p.x, 1, 1), whole = predict(model, 200, p.x, 0, 1);
    double field = 0, new = 0;
    for (int i = 0; i < 200; i++) {
        field += latent.sd[i] / 200;
        new += whole.sd[i] / 200;
    }
    assert_true(field < 1 && new > 2.9 && new < 3.6);
    free_predicted(&latent);
    free_predicted(&whole);
    surekrig_model_free(model);
    free_points(&p);
}

/* What a change of units must not change. */
static void same_search(const surekrig_info *a, const surekrig_info *b, double relative)
{
    assert_int_equal(a->evaluations, b->evaluations);
    assert_int_equal(a->rounds, b->rounds);
    assert_int_equal(a->outcome, b->outcome);
    close_to(a->loss, b->loss, relative);
    for (int j = 0; j < a->levels; j++)
        close_to(a->coverage[j], b->coverage[j], relative);
    close_to(estimate(a, "nu")->value, estimate(b, "nu")->value, relative);
    close_to(estimate(a, "tau2")->value, estimate(b, "tau2")->value, relative);
}

static void responses_in_any_units(void **state)
{
    (void)state;
    const char *words = "mean=zero batch=120 neighbors=12 evaluations=12 polish=10";
    points p = make_field(250, 2, 1, 0.7, 0.2, 0.02, 20);
    surekrig_model *plain = fit(&p.data, words);
    predicted expected = predict(plain, 20, p.x, 0, 1);
    double *y = sk_copy(p.y, 250, sizeof *y);
    for (int exponent = -660; exponent <= 660; exponent += 220) { /* 2^660 is about 5e198 */
        for (int i = 0; i < 250; i++)
            p.y[i] = ldexp(y[i], exponent);
        surekrig_model *scaled = fit(&p.data, words);
        const surekrig_info *a = surekrig_model_info(plain), *b = surekrig_model_info(scaled);
        same_search(a, b, 1e-13);
        close_to(value_of(plain, "rho"), value_of(scaled, "rho"), 1e-13);
        if (abs(exponent) < 500)
            close_to(ldexp(value_of(plain, "gamma2"), 2 * exponent), value_of(scaled, "gamma2"), 1e-13);
        close_to(ldexp(a->scores.rmse, exponent), b->scores.rmse, 1e-13);
        close_to(ldexp(a->scores.crps, exponent), b->scores.crps, 1e-13);
        predicted got = predict(scaled, 20, p.x, 0, 1);
        for (int i = 0; i < 20; i++) {
            close_to(got.mean[i], ldexp(expected.mean[i], exponent), 1e-13);
            close_to(got.sd[i], ldexp(expected.sd[i], exponent), 1e-13);
        }
        free_predicted(&got);
        surekrig_model_free(scaled);
    }
    free(y);
    free_predicted(&expected);
    surekrig_model_free(plain);
    free_points(&p);
}

/* y -> a y + b with a constant mean: rounding differs, the digits that matter do not. */
static void response_scaled_and_shifted(const char *words)
{
    static const double factor[] = {1e-200, 1e200, 0.3, -7}, shift[] = {5e-200, -3e200, 1e3, 0};
    points p = make_field(250, 2, 1, 0.7, 0.2, 0.02, 21);
    surekrig_model *plain = fit(&p.data, words);
    predicted expected = predict(plain, 20, p.x, 0, 1);
    double *y = sk_copy(p.y, 250, sizeof *y);
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < 250; i++)
            p.y[i] = factor[c] * y[i] + shift[c];
        surekrig_model *moved = fit(&p.data, words);
        predicted got = predict(moved, 20, p.x, 0, 1);
        near_to(surekrig_model_info(moved)->loss, surekrig_model_info(plain)->loss, 1e-4);
        close_to(value_of(moved, "rho"), value_of(plain, "rho"), 1e-2);
        for (int i = 0; i < 20; i++) {
            near_to(got.mean[i] / factor[c] - shift[c] / factor[c], expected.mean[i], 1e-2);
            close_to(got.sd[i] / fabs(factor[c]), expected.sd[i], 1e-2);
        }
        free_predicted(&got);
        surekrig_model_free(moved);
    }
    free(y);
    free_predicted(&expected);
    surekrig_model_free(plain);
    free_points(&p);
}

/* By values, and by gradients. */
static void responses_scaled_and_shifted(void **state)
{
    (void)state;
    response_scaled_and_shifted(
        "coverage=0.95 nu=0.7 tau2=0.02 batch=150 neighbors=12 variance=local interval=conformal");
    response_scaled_and_shifted(
        "coverage=none optimizer=lbfgs batch=150 neighbors=12 variance=local interval=conformal");
}

static void features_in_any_units(void **state)
{
    (void)state;
    const char *words = "batch=120 neighbors=12 evaluations=12 polish=10";
    static const double factor[] = {0x1p-20, 0x1p20, 0x1p300, 0x1p-300, 1e-6, 1e6};
    points p = make_field(250, 2, 1, 0.7, 0.2, 0.02, 22);
    surekrig_model *plain = fit(&p.data, words);
    double *x = sk_copy(p.x, 500, sizeof *x);
    for (int c = 0; c < 6; c++) {
        bool exact = c < 4; /* powers of two round nothing */
        for (int i = 0; i < 500; i++)
            p.x[i] = factor[c] * x[i];
        surekrig_model *scaled = fit(&p.data, words);
        same_search(surekrig_model_info(plain), surekrig_model_info(scaled), exact ? 1e-12 : 1e-3);
        close_to(value_of(scaled, "rho"), factor[c] * value_of(plain, "rho"), exact ? 1e-12 : 1e-3);
        close_to(value_of(scaled, "gamma2"), value_of(plain, "gamma2"), exact ? 1e-12 : 1e-3);
        surekrig_model_free(scaled);
    }
    free(x);
    surekrig_model_free(plain);
    free_points(&p);
}

/* ---- refusals */

static void refused(const surekrig_data *data, const char *words, surekrig_status status, const char *why)
{
    surekrig_settings *settings = settings_of(words);
    surekrig_model *model = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    assert_int_equal(surekrig_fit(data, settings, NULL, &model, &error), status);
    assert_int_equal(error.status, status);
    mentions(&error, why);
    assert_ptr_equal(model, (void *)0x1234);
    assert_int_equal(surekrig_fit(data, settings, NULL, &model, NULL), status);
    surekrig_settings_free(settings);
}

static void impossible_data_are_refused(void **state)
{
    (void)state;
    points p = make_field(12, 2, 2, 0.5, 0.2, 0.1, 23);
    const char *x_names[] = {"lon", "lat"}, *y_names[] = {"temp", "rain"};
    double noise[12] = {0};
    surekrig_data data = p.data;
    refused(&data, "neighbors=12", SUREKRIG_DATA, "k = 12 neighbours asked, 12 points given");
    refused(&data, "rho=1,2,3", SUREKRIG_INVALID, "rho has 3 values; it takes 1, or 2: for x1, for x2");
    data.x_names = x_names;
    data.y_names = y_names;
    double kept = p.y[7];
    p.y[7] = INFINITY; /* row 4, rain */
    refused(&data, "", SUREKRIG_DATA, "rain, row 4: inf");
    p.y[7] = NAN;
    refused(&data, "", SUREKRIG_DATA, "rain, row 4: nan");
    p.y[7] = kept;
    kept = p.x[0];
    p.x[0] = NAN;
    refused(&data, "", SUREKRIG_DATA, "lon, row 1: nan");
    p.x[0] = kept;
    data.noise = noise;
    refused(&data, "", SUREKRIG_INVALID, "one response, 2 are given");
    data.noise = NULL;
    for (int i = 0; i < 12; i++)
        p.x[2 * i + 1] = 5;
    refused(&data, "", SUREKRIG_DATA, "lat is constant (5 in all 12 rows)");
    data.d = 1;
    data.l = 1;
    data.noise = noise;
    noise[3] = -1;
    refused(&data, "", SUREKRIG_DATA, "noise, row 4: -1");
    data.noise = NULL;
    data.n = 1;
    refused(&data, "", SUREKRIG_DATA, "1 complete row");
    data.n = 0;
    refused(&data, "", SUREKRIG_DATA, "0 complete rows");
    data.d = 0;
    refused(&data, "", SUREKRIG_INVALID, "0 features");
    data = p.data;
    for (int i = 0; i < 12; i++)
        p.y[2 * i] = -1;
    for (int i = 0; i < 12; i++)
        p.x[2 * i + 1] = i;
    refused(&data, "", SUREKRIG_DATA, "response 1 is constant (-1 in all 12 rows)");
    free_points(&p);
}

/* kernel = gaussian and nu = inf: the same model; nu is not searched, and a finite one beside it is refused. */
static void two_ways_to_say_gaussian(void **state)
{
    (void)state;
    points p = make_field(150, 2, 1, 1.5, 0.3, 0.01, 95);
    const char *const ways[][2] = {{SMALL "kernel=gaussian", SMALL "nu=inf"},
                                   {SMALL "kernel=gaussian nu=inf optimizer=lbfgs loss=lool",
                                    SMALL "nu=inf optimizer=lbfgs loss=lool"}};
    for (int i = 0; i < 2; i++) {
        surekrig_model *by_name = fit(&p.data, ways[i][0]), *by_nu = fit(&p.data, ways[i][1]);
        predicted a = predict(by_name, 20, p.x, 0, 1), b = predict(by_nu, 20, p.x, 0, 1);
        const surekrig_estimate *nu = estimate(surekrig_model_info(by_name), "nu");
        assert_true(isinf(nu->value) && isnan(nu->lower) && isnan(nu->upper) && nu->at_bound == 0);
        same_bits(a.mean, b.mean, 20);
        same_bits(a.sd, b.sd, 20);
        free_predicted(&a);
        free_predicted(&b);
        surekrig_model_free(by_name);
        surekrig_model_free(by_nu);
    }
    refused(&p.data, SMALL "kernel=gaussian nu=0.7", SUREKRIG_INVALID, "nu = 0.7 is of no use with kernel = gaussian");
    refused(&p.data, SMALL "kernel=gaussian nu=0.5:2", SUREKRIG_INVALID, "which has no smoothness");
    free_points(&p);
}

/* ---- refit */

static void refit_keeps_hyperparameters_and_takes_new_data(void **state)
{
    (void)state;
    points old = make_field(200, 2, 2, 0.7, 0.3, 0.05, 27), new = make_field(60, 2, 2, 0.7, 0.3, 0.05, 28);
    surekrig_model *from = fit(&old.data, "neighbors=59 batch=60 evaluations=8 polish=0 rounds=2"), *model = NULL;
    surekrig_error error;
    succeed(surekrig_refit(&new.data, from, &model, &error), &error);
    const surekrig_info *a = surekrig_model_info(from), *b = surekrig_model_info(model);
    assert_true(b->outcome == SUREKRIG_NOT_TRAINED && b->n == 60 && b->estimates == a->estimates && isnan(b->loss));
    for (int i = 0; i < a->estimates; i++) {
        assert_string_equal(a->estimate[i].name, b->estimate[i].name);
        assert_true(a->estimate[i].value == b->estimate[i].value);
    }
    int64_t all[60];
    double rho[2] = {value_of(from, "rho"), value_of(from, "rho")}, mean[2], variance;
    double center[2] = {value_of(from, "mean_y1"), value_of(from, "mean_y2")};
    oracle o = {&new.data, value_of(from, "nu"), value_of(from, "tau2"), 0, rho, center};
    for (int i = 0; i < 60; i++)
        all[i] = i;
    predicted p = predict(model, 10, old.x, 0, 1); /* 59 of 60 neighbours: all but the farthest */
    for (int i = 0; i < 10; i++) {
        int64_t farthest = 0, row[59];
        for (int j = 0; j < 60; j++)
            if (hypot(new.x[2 * j] - old.x[2 * i], new.x[2 * j + 1] - old.x[2 * i + 1]) >
                hypot(new.x[2 * farthest] - old.x[2 * i], new.x[2 * farthest + 1] - old.x[2 * i + 1]))
                farthest = j;
        memcpy(row, all, sizeof row);
        if (farthest < 59)
            row[farthest] = 59;
        oracle_krige(&o, 59, row, old.x + 2 * i, mean, &variance);
        for (int q = 0; q < 2; q++) {
            near_to(p.mean[2 * i + q], mean[q], 1e-9);
            close_to(p.sd[2 * i + q], sqrt(value_of(from, q ? "gamma2_y2" : "gamma2_y1") * (variance + o.tau2)), 1e-9);
        }
    }
    free_predicted(&p);
    surekrig_model_free(model);
    model = (surekrig_model *)0x1234;
    new.data.l = 1;
    assert_int_equal(surekrig_refit(&new.data, from, &model, &error), SUREKRIG_DATA);
    mentions(&error, "2 features and 1 response, the model 2 and 2");
    new.data.l = 2;
    new.data.n = 59; /* k = 59 is one too many */
    assert_int_equal(surekrig_refit(&new.data, from, &model, &error), SUREKRIG_DATA);
    assert_ptr_equal(model, (void *)0x1234);
    surekrig_model_free(from);
    free_points(&old);
    free_points(&new);
}

/* What is left to the data: how much there is, in how many features, with what noise. */
static void defaults_follow_the_data(void **state)
{
    (void)state;
    static const struct {
        int64_t n, d, neighbors;
        bool noise;
        const char *sectors, *variance, *interval, *coverage;
    } CASES[] = {
        {150, 2, 50, false, "no", "global", "student", "none"},
        {200, 2, 64, false, "yes", "local", "conformal", "none"},
        {200, 1, 50, false, "no", "local", "conformal", "none"},
        {200, 2, 64, true, "yes", "global", "conformal", "none"},
        {5000, 1, 50, false, "no", "local", "conformal", "none"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        points p = {.data = {.n = CASES[i].n, .d = CASES[i].d, .l = 1},
                    .x = make_places(CASES[i].n, CASES[i].d, 1, 33),
                    .y = sk_doubles(CASES[i].n)};
        for (int64_t r = 0; r < p.data.n; r++)
            p.y[r] = sin(9 * p.x[r * p.data.d]) + 0.1 * normal(34, (uint64_t)r);
        p.data.x = p.x;
        p.data.y = p.y;
        if (CASES[i].noise)
            add_noise(&p, 35);
        surekrig_settings *settings = settings_of("nu=0.5 batch=100 threads=1");
        surekrig_model *m = NULL;
        surekrig_error error;
        succeed(surekrig_fit(&p.data, settings, NULL, &m, &error), &error);
        const surekrig_settings *used = surekrig_model_info(m)->settings;
        assert_int_equal(surekrig_model_info(m)->neighbors, CASES[i].neighbors);
        assert_string_equal(surekrig_settings_get(used, "sectors"), CASES[i].sectors);
        assert_string_equal(surekrig_settings_get(used, "variance"), CASES[i].variance);
        assert_string_equal(surekrig_settings_get(used, "interval"), CASES[i].interval);
        assert_string_equal(surekrig_settings_get(used, "coverage"), CASES[i].coverage);
        surekrig_model_free(m);
        surekrig_settings_free(settings);
        free_points(&p);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_follow_the_data),
        cmocka_unit_test(two_ways_to_say_gaussian),
        cmocka_unit_test(two_points_are_enough),
        cmocka_unit_test(duplicates_without_a_nugget_are_jittered),
        cmocka_unit_test(noise_may_outweigh_the_field),
        cmocka_unit_test(responses_in_any_units),
        cmocka_unit_test(responses_scaled_and_shifted),
        cmocka_unit_test(features_in_any_units),
        cmocka_unit_test(impossible_data_are_refused),
        cmocka_unit_test(all_that_was_tried_is_singular),
        cmocka_unit_test(a_second_model_may_fail),
        cmocka_unit_test(refit_keeps_hyperparameters_and_takes_new_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
