/* Space and time: the product of two covariances and Gneiting's on every back end, the feature that is time, and fits of
 * simulated stations, compared with the true model. */
#include "fit_support.h"
#include "krige/krige.h"
#include "model/model.h"

#include <unistd.h>

/* ---- the covariance, by its formula */

typedef struct truth {
    int space; /* axes of space; time is the last */
    double rho, time_rho, mix, tau2;
} truth;

/* Smoothness 3/2 in space, 1/2 in time. */
static double covariance(const truth *t, const double *p, const double *q)
{
    double h = 0, u = fabs(p[t->space] - q[t->space]) / t->time_rho;
    for (int a = 0; a < t->space; a++)
        h = hypot(h, p[a] - q[a]);
    double psi = pow(1 + u * u, t->mix), s = sqrt(3) * h / t->rho / sqrt(psi);
    return exp(-u) * pow(psi, -0.5 * t->space) * (1 + s) * exp(-s);
}

/* theta, with rho: [2 (space + 1)] for its length scales. */
static surekrig_theta theta_of(const truth *t, surekrig_term term[2], double *rho)
{
    for (int a = 0; a <= t->space; a++) {
        rho[a] = a < t->space ? t->rho : INFINITY;
        rho[t->space + 1 + a] = a < t->space ? INFINITY : t->time_rho;
    }
    term[0] = (surekrig_term){1, 1.5, rho};
    term[1] = (surekrig_term){1, 0.5, rho + t->space + 1};
    return (surekrig_theta){.terms = 2, .term = term, .tau2 = t->tau2, .gamma2 = 1, .product = 1, .mix = t->mix};
}

/* Simple kriging of m targets from all n data, as the formulas say. */
static void krige_all(const truth *t, const surekrig_data *data, int64_t m, const double *target, double *mean)
{
    int64_t n = data->n, d = data->d;
    double *k = sk_doubles(n * n), *w = sk_copy(data->y, n, sizeof *w);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++)
            k[i * n + j] = covariance(t, data->x + i * d, data->x + j * d) + (i == j ? t->tau2 : 0);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)n, 1, k, (int)n, w, 1), 0);
    for (int64_t i = 0; i < m; i++) {
        mean[i] = 0;
        for (int64_t j = 0; j < n; j++)
            mean[i] += w[j] * covariance(t, target + i * d, data->x + j * d);
    }
    free(k);
    free(w);
}

/* Places and times of which many are shared. */
static double *make_rows(int64_t sites, int64_t times, int space, uint64_t seed)
{
    double *x = sk_doubles(sites * times * (space + 1)), *to = x;
    for (int64_t t = 0; t < times; t++)
        for (int64_t s = 0; s < sites; s++) {
            for (int a = 0; a < space; a++)
                *to++ = sk_uniform(seed, STREAM_PLACES, (uint64_t)(s * space + a));
            *to++ = (double)t;
        }
    return x;
}

static void every_back_end_krigs_by_the_formula(void **state)
{
    const char *const backends[] = {"reference", "portable", "avx2", "avx512"};
    (void)state;
    for (int space = 1; space <= 3; space++)
        for (int m = 0; m < 3; m++) {
            truth t = {space, 0.6, 5, 0.5 * m, 0.01};
            enum { SITES = 9, TIMES = 7, N = SITES * TIMES, TARGETS = 5 };
            double rho[8], y[N], target[TARGETS * 4], expected[TARGETS], mean[TARGETS], variance[TARGETS];
            double *x = make_rows(SITES, TIMES, space, 1);
            int64_t neighbor[TARGETS * N];
            surekrig_term term[2];
            surekrig_theta theta = theta_of(&t, term, rho);
            for (int64_t i = 0; i < N; i++)
                y[i] = normal(2, (uint64_t)i);
            for (int64_t i = 0; i < TARGETS * N; i++)
                neighbor[i] = i % N;
            for (int64_t i = 0; i < TARGETS; i++) { /* one at a place of the data, one at a time of theirs */
                memcpy(target + i * (space + 1), x + 11 * i * (space + 1), (size_t)(space + 1) * sizeof *x);
                target[i * (space + 1)] += i % 2 ? 0.1 : 0;
                target[i * (space + 1) + space] += i % 3 ? 0.4 : 0;
            }
            surekrig_data data = {.n = N, .d = space + 1, .l = 1, .x = x, .y = y};
            surekrig_neighborhoods hoods = {TARGETS, N, neighbor, NULL, target};
            krige_all(&t, &data, TARGETS, target, expected);
            for (int b = 0; b < 4; b++) {
                if (!sk_backend_find(backends[b]))
                    continue;
                surekrig_error error = {0};
                surekrig_kriged out = {.mean = mean, .variance = variance};
                succeed(surekrig_krige(&data, &hoods, &theta, backends[b], &out, &error), &error);
                for (int i = 0; i < TARGETS; i++)
                    near_to(mean[i], expected[i], 1e-9);
            }
            free(x);
        }
}

static void impossible_products_are_refused(void **state)
{
    truth t = {1, 1, 1, 0, 0};
    double rho[4];
    surekrig_term term[2];
    surekrig_theta theta = theta_of(&t, term, rho);
    surekrig_error error = {0};
    sk_kernel *kernel = NULL;
    (void)state;
    theta.mix = 1.5;
    assert_int_equal(sk_kernel_new(&theta, 2, NULL, &kernel, &error), SUREKRIG_INVALID);
    assert_non_null(strstr(error.sentence, "mix"));
    theta.mix = 0;
    rho[1] = 2; /* an axis of both */
    assert_int_equal(sk_kernel_new(&theta, 2, NULL, &kernel, &error), SUREKRIG_INVALID);
    assert_non_null(strstr(error.sentence, "infinite"));
    theta.terms = 1;
    assert_int_equal(sk_kernel_new(&theta, 2, NULL, &kernel, &error), SUREKRIG_INVALID);
}

/* ---- fits */

typedef struct stations {
    surekrig_data data;   /* of the sites before the last, which are targets; or of a half of the rows, at random */
    double *x, *y, *held; /* held: the targets' responses */
} stations;

static const char *const NAMES[] = {"x", "y", "t"};

/* held: how many of the sites are targets; 0: rows at random. */
static stations simulate(const truth *t, int64_t sites, int64_t times, int64_t held)
{
    int64_t n = sites * times, d = 3, kept = 0, out = n;
    double *x = make_rows(sites, times, 2, 5), *y = sk_doubles(n), rho[6];
    surekrig_term term[2];
    surekrig_theta theta = theta_of(t, term, rho);
    surekrig_error error;
    stations s = {.x = sk_doubles(n * d), .y = sk_doubles(n)};
    succeed(surekrig_simulate(&(surekrig_sample){.d = 3, .n = n, .x = x, .seed = 6}, &theta, y, &error), &error);
    for (int64_t i = 0; i < n; i++) {
        bool left_out = held ? i % sites >= sites - held : sk_uniform(7, STREAM_PLACES, (uint64_t)i) < 0.5;
        int64_t to = left_out ? --out : kept++;
        memcpy(s.x + d * to, x + d * i, 3 * sizeof *x);
        s.y[to] = y[i];
    }
    s.held = s.y + kept;
    s.data = (surekrig_data){.n = kept, .d = d, .l = 1, .x = s.x, .y = s.y, .x_names = NAMES};
    s.data.targets = n - kept;
    s.data.target = s.x + kept * d;
    free(x);
    free(y);
    return s;
}

static void free_stations(stations *s)
{
    free(s->x);
    free(s->y);
}

static double rmse(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]) / (double)n;
    return sqrt(sum);
}

static surekrig_model *fit_words(const surekrig_data *data, const char *words)
{
    surekrig_settings *settings = settings_of(words);
    surekrig_model *model = NULL;
    surekrig_error error = {0};
    succeed(surekrig_fit(data, settings, NULL, &model, &error), &error);
    surekrig_settings_free(settings);
    return model;
}

static double score(const stations *s, const char *words)
{
    surekrig_model *model = fit_words(&s->data, words);
    double *mean = sk_doubles(s->data.targets);
    surekrig_query query = {.n = s->data.targets, .x = s->data.target};
    surekrig_prediction made = {.mean = mean};
    surekrig_error error = {0};
    succeed(surekrig_predict(model, &query, NULL, &made, &error), &error);
    double result = rmse(s->data.targets, mean, s->held);
    free(mean);
    surekrig_model_free(model);
    return result;
}

static double true_score(const truth *t, const stations *s)
{
    double *mean = sk_doubles(s->data.targets);
    krige_all(t, &s->data, s->data.targets, s->data.target, mean);
    double result = rmse(s->data.targets, mean, s->held);
    free(mean);
    return result;
}

/* All rows but one for neighbours, which lies far away: the formula, of what is given. */
static void models_krige_by_the_formula(void **state)
{
    enum { N = 60, TARGETS = 12 };
    static const char *const WORDS[] = {"spacetime=separable", "spacetime=gneiting time_mix=0.7"};
    (void)state;
    for (int w = 0; w < 2; w++) {
        truth t = {2, 0.6, 5, w ? 0.7 : 0, 0.01};
        double *x = make_rows(10, 6, 2, 3), y[N], target[3 * TARGETS], expected[TARGETS], mean[TARGETS];
        char words[300];
        surekrig_error error = {0};
        for (int i = 0; i < N; i++)
            y[i] = normal(4, (uint64_t)i);
        x[3 * (N - 1)] = x[3 * (N - 1) + 1] = 1e4;
        for (int i = 0; i < 3 * TARGETS; i++)
            target[i] = sk_uniform(5, STREAM_PLACES, (uint64_t)i) * (i % 3 == 2 ? 5 : 1);
        surekrig_data data = {.n = N, .d = 3, .l = 1, .x = x, .y = y, .x_names = (const char *const[]){"x", "y", "t"}};
        snprintf(words, sizeof words,
                 "time=t nu=1.5 time_nu=0.5 rho=0.6,5 tau2=0.01 gamma2=1 mean=zero coverage=none neighbors=59 "
                 "scaling=none sectors=no %s",
                 WORDS[w]);
        surekrig_model *model = fit_words(&data, words);
        succeed(surekrig_predict(model, &(surekrig_query){.n = TARGETS, .x = target}, NULL,
                                 &(surekrig_prediction){.mean = mean}, &error),
                &error);
        krige_all(&t, &data, TARGETS, target, expected);
        for (int i = 0; i < TARGETS; i++)
            near_to(mean[i], expected[i], 1e-8);
        surekrig_model_free(model);
        free(x);
    }
}

/* Smooth in space, an autoregression in time: one smoothness for both does worse. */
static void separable_is_as_good_as_the_truth(void **state)
{
    truth t = {2, 0.4, 4, 0, 0.02};
    stations s = simulate(&t, 40, 25, 0);
    double best = true_score(&t, &s), own = score(&s, "time=t neighbors=30 batch=256"),
           one = score(&s, "time=t neighbors=30 batch=256 spacetime=geometric");
    (void)state;
    if (!(own < 1.03 * best && one > 1.05 * best))
        fail_msg("RMSE %g separable and %g geometric, %g of the true model", own, one, best);
    free_stations(&s);
}

/* Few stations, each with a long series: all nearest rows are a station's own, where sides of the box are all there is. From
 * these alone nothing can be learnt of space, nor, without a step in time that is short enough, of days that forget. */
static void few_stations_with_long_series(void **state)
{
    static const double MEMORY[] = {6, 0.3}; /* steps in time */
    (void)state;
    for (int i = 0; i < 2; i++) {
        truth t = {2, 0.7, MEMORY[i], 0, 0.02};
        stations s = simulate(&t, 8, 300, 0);
        s.data.targets = 0;
        surekrig_model *model = fit_words(&s.data, "time=t neighbors=24 batch=256");
        const surekrig_estimate *rho = surekrig_model_info(model)->estimate + 2; /* nu, that of space, that of time */
        double *mean = sk_doubles(8 * 300);
        surekrig_error error = {0};
        int64_t n = 8 * 300 - s.data.n;
        succeed(surekrig_predict(model, &(surekrig_query){.n = n, .x = s.x + 3 * s.data.n}, NULL,
                                 &(surekrig_prediction){.mean = mean}, &error),
                &error);
        double own = rmse(n, mean, s.held);
        assert_string_equal(rho->name, "rho_t");
        assert_true(rho->lower < 0.2);
        s.data.targets = n;
        double best = true_score(&t, &s);
        printf("memory %g: RMSE %g, of the true model %g\n", MEMORY[i], own, best);
        if (!(own < 1.05 * best))
            fail_msg("memory %g: RMSE %g, of the true model %g", MEMORY[i], own, best);
        surekrig_model_free(model);
        free(mean);
        free_stations(&s);
    }
}

static void auto_finds_space_and_time(void **state)
{
    truth t = {2, 0.4, 4, 0, 0.02};
    stations s = simulate(&t, 40, 25, 0);
    surekrig_model *model = fit_words(&s.data, "time=t auto=yes neighbors=30 batch=128");
    const surekrig_info *info = surekrig_model_info(model);
    (void)state;
    assert_string_equal(info->trial[2].what, "spacetime = geometric");
    assert_true(info->trial[2].crps > 1.05 * info->trial[0].crps && !info->trial[2].kept);
    assert_true(strcmp(surekrig_settings_get(info->settings, "spacetime"), "geometric") != 0);
    surekrig_model_free(model);
    free_stations(&s);
}

/* A field that does not change: time is not left out of what neighbours are chosen by, for nothing would bring it back. */
static void factor_in_time_stays(void **state)
{
    truth t = {2, 0.4, 1e6, 0, 0.02};
    stations s = simulate(&t, 40, 12, 0);
    surekrig_model *model = fit_words(&s.data, "time=t spacetime=separable neighbors=20 batch=128");
    (void)state;
    assert_true(isfinite(value_of(model, "rho_t")));
    surekrig_model_free(model);
    free_stations(&s);
}

/* What is reported, and that a file gives it back. */
static void gneiting_is_searched_reported_and_kept(void **state)
{
    truth t = {2, 0.4, 4, 0.8, 0.02};
    stations s = simulate(&t, 20, 30, 4);
    surekrig_model *model = fit_words(&s.data, "time=t spacetime=gneiting neighbors=20 batch=128"), *loaded = NULL;
    char path[] = "/tmp/surekrig-spacetime-XXXXXX";
    double mean[2][10];
    surekrig_error error = {0};
    (void)state;
    assert_true(value_of(model, "rho_x_y") > 0 && value_of(model, "rho_t") > 0);
    assert_true(value_of(model, "time_nu") >= 0.05 && value_of(model, "time_nu") <= 2.5);
    assert_true(value_of(model, "time_mix") >= 0.05 && value_of(model, "time_mix") <= 1);
    close(mkstemp(path));
    succeed(surekrig_model_save(model, path, &error), &error);
    succeed(surekrig_model_load(path, &loaded, &error), &error);
    remove(path);
    for (int i = 0; i < 2; i++) {
        surekrig_prediction made = {.mean = mean[i]};
        surekrig_query query = {.n = 10, .x = s.data.target};
        succeed(surekrig_predict(i ? loaded : model, &query, NULL, &made, &error), &error);
    }
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
    assert_true(value_of(loaded, "time_mix") == value_of(model, "time_mix"));
    surekrig_model_free(model);
    surekrig_model_free(loaded);
    free_stations(&s);
}

/* Forecasts of the last days: their sd grows with the time ahead, from what is known of tomorrow to the field's own. */
static void intervals_of_forecasts_grow(void **state)
{
    enum { SITES = 25, TIMES = 30, KNOWN = 24 };
    truth t = {2, 0.4, 8, 0, 0.02};
    stations s = simulate(&t, SITES, TIMES, SITES); /* all of them targets, the last times first */
    double *x = make_rows(SITES, TIMES, 2, 5), *y = sk_doubles(SITES * TIMES), width[TIMES - KNOWN] = {0};
    (void)state;
    for (int64_t i = 0; i < SITES * TIMES; i++)
        y[i] = s.held[SITES * TIMES - 1 - i];
    surekrig_data data = {.n = SITES * KNOWN, .d = 3, .l = 1, .x = x, .y = y, .x_names = NAMES};
    data.targets = SITES * (TIMES - KNOWN);
    data.target = x + 3 * data.n;
    surekrig_model *model = fit_words(&data, "time=t neighbors=30 batch=200 threads=1");
    assert_int_equal(surekrig_model_info(model)->holdout, SUREKRIG_HOLDOUT_TASK);
    predicted made = predict(model, data.targets, data.target, 0, 1);
    for (int64_t i = 0; i < data.targets; i++)
        width[i / SITES] += made.sd[i] / SITES;
    for (int ahead = 1; ahead < TIMES - KNOWN; ahead++)
        assert_true(width[ahead] > width[ahead - 1]);
    assert_true(width[TIMES - KNOWN - 1] > 1.3 * width[0] && width[TIMES - KNOWN - 1] < 2);
    free_predicted(&made);
    surekrig_model_free(model);
    free(x);
    free(y);
    free_stations(&s);
}

/* It tells nothing, and the fit is that of the places. */
static void single_time_counts_for_nothing(void **state)
{
    truth t = {2, 0.4, 4, 0, 0.02};
    stations s = simulate(&t, 80, 1, 20);
    double *flat = sk_doubles(2 * s.data.n), mean[2], other[3] = {0.5, 0.5, 7};
    surekrig_error error = {0};
    (void)state;
    for (int64_t i = 0; i < 2 * s.data.n; i++)
        flat[i] = s.x[i / 2 * 3 + i % 2];
    surekrig_data plane = s.data;
    plane.targets = s.data.targets = 0;
    plane.d = 2;
    plane.x = flat;
    surekrig_model *model[2] = {fit_words(&s.data, "time=t"), fit_words(&plane, "scaling=axis")};
    free(flat);
    int64_t row[80];
    double found[3][80];
    surekrig_validated room = {.row = row, .mean = found[0], .sd = found[1], .distance = found[2]};
    assert_int_equal(surekrig_validate(model[0], &(surekrig_validation){.after = other}, NULL, &room, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "the model has none");
    for (int i = 0; i < 2; i++) {
        surekrig_prediction made = {.mean = &mean[i]};
        succeed(surekrig_predict(model[i], &(surekrig_query){.n = 1, .x = other}, NULL, &made, &error), &error);
        surekrig_model_free(model[i]);
    }
    near_to(mean[0], mean[1], 0.3);
    free_stations(&s);
}

/* What is left open where there is a time: whether it is a factor, and which features are space. */
static void what_a_time_settles(void **state)
{
    (void)state;
    static const struct {
        const char *words, *spacetime, *group;
        bool counts; /* time is told from space in distances */
    } CASES[] = {
        {"time=t", "separable", "x,y", true},
        {"time=t spacetime=gneiting", "gneiting", "x,y", true},
        {"time=t spacetime=geometric", "geometric", "x,y", true},
        {"time=t anisotropic=no", "geometric", "none", true},
        {"time=t anisotropic=yes", "separable", "x,y", true},
        {"time=t terms=2", "geometric", "x,y", true},
        {"time=t optimizer=lbfgs", "geometric", "x,y", true},
        {"time=t group=none", "separable", "none", true},
        {"time=t rho=0.1,0.2", "separable", "x,y", true},
        {"time=t rho=0.1,0.2,0.3", "separable", "none", true},
        {"time=t distance=x,y", "geometric", "x,y", false},
        {"time=t distance=x,t", "separable", "none", true},
        {"time=t sphere=x,y", "separable", "none", true},
        {"time=none", "geometric", "none", false},
    };
    truth t = {2, 0.4, 4, 0, 0.02};
    stations s = simulate(&t, 20, 4, 4);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        surekrig_settings *settings = settings_of(CASES[i].words);
        surekrig_model *m = NULL;
        surekrig_error error;
        succeed(sk_model_new(&s.data, settings, &m, &error), &error);
        bool factor = strcmp(CASES[i].spacetime, "geometric") != 0;
        if (strcmp(surekrig_settings_get(m->settings, "spacetime"), CASES[i].spacetime) ||
            strcmp(surekrig_settings_get(m->settings, "group"), CASES[i].group) ||
            (m->metric.time >= 0) != CASES[i].counts || (m->hyper.time >= 0) != factor)
            fail_msg("%s: spacetime = %s, group = %s, time is %d and %d", CASES[i].words,
                     surekrig_settings_get(m->settings, "spacetime"), surekrig_settings_get(m->settings, "group"),
                     (int)m->metric.time, (int)m->hyper.time);
        surekrig_model_free(m);
        surekrig_settings_free(settings);
    }
    free_stations(&s);
}

static void bad_times_get_a_sentence(void **state)
{
    truth t = {2, 0.4, 4, 0, 0.02};
    stations s = simulate(&t, 20, 4, 4);
    (void)state;
    fit_is_refused(&s.data, "time=day", SUREKRIG_INVALID, "there is no feature 'day'");
    fit_is_refused(&s.data, "time=x,t", SUREKRIG_INVALID, "one feature");
    fit_is_refused(&s.data, "time=t group=x,t", SUREKRIG_INVALID, "length scale of its own");
    fit_is_refused(&s.data, "time=t sphere=x,t", SUREKRIG_INVALID, "length scale of its own");
    fit_is_refused(&s.data, "spacetime=separable", SUREKRIG_INVALID, "name its column");
    fit_is_refused(&s.data, "time=t terms=2 spacetime=gneiting", SUREKRIG_INVALID, "geometric");
    fit_is_refused(&s.data, "time=t anisotropic=no spacetime=separable", SUREKRIG_INVALID,
                   "spacetime = separable goes with a length scale of time, not with anisotropic = no");
    free_stations(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_back_end_krigs_by_the_formula),
        cmocka_unit_test(impossible_products_are_refused),
        cmocka_unit_test(models_krige_by_the_formula),
        cmocka_unit_test(separable_is_as_good_as_the_truth),
        cmocka_unit_test(factor_in_time_stays),
        cmocka_unit_test(few_stations_with_long_series),
        cmocka_unit_test(auto_finds_space_and_time),
        cmocka_unit_test(gneiting_is_searched_reported_and_kept),
        cmocka_unit_test(single_time_counts_for_nothing),
        cmocka_unit_test(what_a_time_settles),
        cmocka_unit_test(bad_times_get_a_sentence),
        cmocka_unit_test(intervals_of_forecasts_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
