/* Prediction: equal to the dense process where every point is a neighbour, and the same whatever the blocks, the
 * threads and the rows around it. */
#include "fit_support.h"

/* A model with given hyperparameters; words on top. */
static surekrig_model *given(const points *p, const char *words)
{
    char all[400];
    snprintf(all, sizeof all, "nu=0.8 rho=0.3 tau2=0.02 coverage=none %s", words);
    return fit(&p->data, all);
}

/* At most n - 1 neighbours can be asked: the last point lies far away, so the others are everybody's neighbours. */
static points with_outlier(int64_t n, int64_t d, int64_t l, uint64_t seed)
{
    points p = make_field(n, d, l, 0.8, 0.3, 0.02, seed);
    for (int64_t a = 0; a < d; a++)
        p.x[(n - 1) * d + a] = 50;
    return p;
}

/* Every point as a neighbour: the dense process, for an observation and for the field. */
static void equals_the_dense_process(const points *p, const char *words)
{
    enum { NEW = 40 };
    int64_t n = p->data.n, d = p->data.d, l = p->data.l, row[200];
    char all[200];
    snprintf(all, sizeof all, "neighbors=%d %s", (int)n - 1, words);
    surekrig_model *model = given(p, all);
    double center[8], gamma2[8], rho[8], mean[8], variance, *x = make_places(NEW, d, 1, 99);
    for (int64_t i = 0; i < n; i++)
        row[i] = i;
    for (int64_t q = 0; q < l; q++) {
        char name[20];
        snprintf(name, sizeof name, l > 1 ? "gamma2_y%d" : "gamma2", (int)q + 1);
        gamma2[q] = value_of(model, name);
        snprintf(name, sizeof name, l > 1 ? "mean_y%d" : "mean", (int)q + 1);
        center[q] = value_of(model, name);
    }
    for (int64_t a = 0; a < d; a++) { /* scaling by axis: shares of each side */
        double lower = p->x[a], upper = lower;
        for (int64_t i = 0; i < n; i++) {
            lower = fmin(lower, p->x[i * d + a]);
            upper = fmax(upper, p->x[i * d + a]);
        }
        rho[a] = 0.3 * (strstr(words, "axis") ? upper - lower : 1);
    }
    memcpy(x, p->x, (size_t)d * sizeof *x); /* one of the data's own places too */
    oracle o = {&p->data, 0.8, 0.02, 1 / gamma2[0], rho, center};
    predicted observed = predict(model, NEW, x, 0, 2), latent = predict(model, NEW, x, 1, 2);
    for (int64_t i = 0; i < NEW; i++) {
        oracle_krige(&o, n - 1, row, x + i * d, mean, &variance);
        for (int64_t q = 0; q < l; q++) {
            near_to(observed.mean[i * l + q], mean[q], 1e-10 * sqrt(gamma2[q]));
            close_to(observed.sd[i * l + q], sqrt(gamma2[q] * (variance + 0.02)), 1e-10);
            close_to(latent.sd[i * l + q], sqrt(gamma2[q] * variance), 1e-9);
        }
    }
    same_bits(observed.mean, latent.mean, NEW * l);
    assert_true(observed.jittered == 0 && observed.max_jitter == 0);
    free_predicted(&observed);
    free_predicted(&latent);
    free(x);
    surekrig_model_free(model);
}

static void all_neighbours_are_the_dense_process(void **state)
{
    (void)state;
    points one = with_outlier(120, 2, 1, 31), three = with_outlier(80, 3, 3, 32), noisy = with_outlier(90, 1, 1, 33);
    equals_the_dense_process(&one, "");
    equals_the_dense_process(&one, "mean=zero gamma2=2.5");
    equals_the_dense_process(&three, "");
    equals_the_dense_process(&three, "mean=zero scaling=axis");
    add_noise(&noisy, 34);
    equals_the_dense_process(&noisy, "gamma2=1.7"); /* a new observation has no noise variance of its own */
    free_points(&one);
    free_points(&three);
    free_points(&noisy);
}

/* mean(a y) = a mean(y), mean(y + y') = mean(y) + mean(y'); the sd does not depend on y. */
static void the_mean_is_linear_in_the_responses(void **state)
{
    (void)state;
    points p = make_field(300, 2, 2, 0.8, 0.3, 0.02, 35);
    double *sum = sk_doubles(300), *x = make_places(50, 2, 1, 36);
    for (int i = 0; i < 300; i++)
        sum[i] = 2 * p.y[2 * i] - 0.5 * p.y[2 * i + 1];
    surekrig_model *two = given(&p, "neighbors=15 mean=zero gamma2=1");
    surekrig_data data = {.n = 300, .d = 2, .l = 1, .x = p.x, .y = sum};
    surekrig_model *one = given(&(points){.data = data}, "neighbors=15 mean=zero gamma2=1");
    predicted a = predict(two, 50, x, 0, 1), b = predict(one, 50, x, 0, 1);
    for (int i = 0; i < 50; i++) {
        near_to(b.mean[i], 2 * a.mean[2 * i] - 0.5 * a.mean[2 * i + 1], 1e-12);
        close_to(a.sd[2 * i], b.sd[i], 1e-14);
        close_to(a.sd[2 * i + 1], b.sd[i], 1e-14);
    }
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(one);
    surekrig_model_free(two);
    free(sum);
    free(x);
    free_points(&p);
}

/* 20000 points cross two block borders; pieces of any length and any number of threads give the same bits. */
static void blocks_and_threads_do_not_show(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    points p = make_field(400, 2, 1, 0.8, 0.3, 0.02, 37);
    surekrig_model *model = given(&p, "neighbors=8");
    double *x = make_places(MANY, 2, 1, 38);
    predicted all = predict(model, MANY, x, 0, 1);
    for (int64_t at = 0, length = 1; at < MANY; at += length, length = length % 997 + 13) {
        int64_t n = at + length < MANY ? length : MANY - at;
        predicted piece = predict(model, n, x + 2 * at, 0, 1);
        same_bits(piece.mean, all.mean + at, n);
        same_bits(piece.sd, all.sd + at, n);
        free_predicted(&piece);
    }
    for (int64_t i = 0; i < MANY; i += 411) {
        predicted single = predict(model, 1, x + 2 * i, 0, 1);
        same_bits(single.mean, all.mean + i, 1);
        same_bits(single.sd, all.sd + i, 1);
        free_predicted(&single);
    }
    const int threads[] = {2, 7, 0};
    for (int t = 0; t < 3; t++) {
        predicted other = predict(model, MANY, x, 0, threads[t]);
        same_bits(other.mean, all.mean, MANY);
        same_bits(other.sd, all.sd, MANY);
        free_predicted(&other);
    }
    free_predicted(&all);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

static void missing_features_stay_missing(void **state)
{
    (void)state;
    enum { MANY = 9000 }; /* over a block border */
    points p = make_field(200, 2, 2, 0.8, 0.3, 0.02, 39);
    surekrig_model *model = given(&p, "neighbors=6");
    double *x = make_places(MANY, 2, 1, 40), *holes = sk_copy(x, 2 * MANY, sizeof *x);
    for (int64_t i = 0; i < MANY; i++)
        if (i % 7 == 0 || i == 8191 || i == 8192 || (i > 3000 && i < 3100))
            holes[2 * i + i % 2] = NAN;
    predicted whole = predict(model, MANY, x, 0, 2), part = predict(model, MANY, holes, 0, 2);
    for (int64_t i = 0; i < MANY; i++)
        for (int64_t q = 0; q < 2; q++) {
            bool missing = isnan(holes[2 * i]) || isnan(holes[2 * i + 1]);
            assert_true(isnan(part.mean[2 * i + q]) == missing && isnan(part.sd[2 * i + q]) == missing);
            if (!missing) {
                same_bits(&part.mean[2 * i + q], &whole.mean[2 * i + q], 1);
                same_bits(&part.sd[2 * i + q], &whole.sd[2 * i + q], 1);
            }
        }
    double none[4] = {NAN, 0, 0, NAN};
    predicted nothing = predict(model, 2, none, 0, 1);
    for (int i = 0; i < 4; i++)
        assert_true(isnan(nothing.mean[i]) && isnan(nothing.sd[i]));
    free_predicted(&nothing);
    free_predicted(&whole);
    free_predicted(&part);
    free(x);
    free(holes);
    surekrig_model_free(model);
    free_points(&p);
}

static void means_alone_and_sds_alone(void **state)
{
    (void)state;
    points p = make_field(200, 2, 3, 0.8, 0.3, 0.02, 41);
    surekrig_model *model = given(&p, "neighbors=10");
    double *x = make_places(500, 2, 1, 42), mean[1500], sd[1500];
    predicted both = predict(model, 500, x, 0, 1);
    surekrig_query query = {500, x, 0, 1, NULL};
    surekrig_prediction only_mean = {.mean = mean}, only_sd = {.sd = sd}, neither = {0};
    surekrig_error error;
    succeed(surekrig_predict(model, &query, NULL, &only_mean, &error), &error);
    succeed(surekrig_predict(model, &query, NULL, &only_sd, &error), &error);
    succeed(surekrig_predict(model, &query, NULL, &neither, &error), &error);
    same_bits(mean, both.mean, 1500);
    same_bits(sd, both.sd, 1500);
    assert_true(only_mean.mean == mean && only_mean.sd == NULL);
    free_predicted(&both);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

/* Lower and upper are mean -+ quantile sd at each level, also where neither mean nor sd is asked; and in sums of their
 * own, the levels one by one. */
static void intervals_are_the_models(void **state)
{
    (void)state;
    enum { PLACES = 300, L = 2, LEVELS = 3 };
    static const char *const WORDS[] = {"neighbors=10", "neighbors=10 interval=conformal"};
    const double level[LEVELS] = {0.5, 0.9, 0.95};
    points p = make_field(400, 2, L, 0.8, 0.3, 0.02, 51);
    double *x = make_places(PLACES, 2, 1, 52);
    x[7] = NAN;
    for (int w = 0; w < 2; w++) {
        surekrig_model *model = given(&p, WORDS[w]);
        predicted both = predict(model, PLACES, x, 0, 1);
        double lower[PLACES * L * LEVELS], upper[PLACES * L * LEVELS], one[PLACES * L];
        surekrig_error error;
        surekrig_query query = {.n = PLACES, .x = x, .threads = 1, .levels = LEVELS, .level = level};
        succeed(surekrig_predict(model, &query, NULL, &(surekrig_prediction){.lower = lower, .upper = upper}, &error),
                &error);
        assert_true((surekrig_model_quantile(model, 0, 0.9) == surekrig_quantile(0.9)) == (w == 0));
        for (int j = 0; j < LEVELS; j++) {
            query.levels = 1;
            query.level = level + j;
            succeed(surekrig_predict(model, &query, NULL, &(surekrig_prediction){.lower = one}, &error), &error);
            for (int i = 0; i < PLACES * L; i++) {
                double half = surekrig_model_quantile(model, i % L, level[j]) * both.sd[i];
                double low = both.mean[i] - half, high = both.mean[i] + half;
                same_bits(&lower[i * LEVELS + j], &low, 1);
                same_bits(&upper[i * LEVELS + j], &high, 1);
                same_bits(&one[i], &low, 1);
            }
        }
        assert_true(isnan(lower[3 * L * LEVELS]) && isnan(upper[3 * L * LEVELS]) && !isnan(lower[0]));
        free_predicted(&both);
        surekrig_model_free(model);
    }
    free(x);
    free_points(&p);
}

/* On the sphere: as of the points in space, km apart; predicted, and left out. */
static void a_sphere_is_its_chords(void **state)
{
    (void)state;
    enum { ROWS = 120, NEW = 40 };
    points flat = make_field(ROWS, 2, 1, 0.8, 0.3, 0.02, 53), space = make_field(ROWS, 3, 1, 0.8, 0.3, 0.02, 53);
    double *x = make_places(NEW, 2, 1, 54), place[3 * NEW];
    surekrig_sphere sphere;
    surekrig_sphere_new((double[2]){20, 50}, &sphere);
    surekrig_sphere_places(&sphere, ROWS, flat.x, space.x); /* degrees from 0 to 1 */
    surekrig_sphere_places(&sphere, NEW, x, place);
    memcpy(space.y, flat.y, ROWS * sizeof *flat.y);
    surekrig_model *round = fit(&flat.data, "sphere=x1,x2 nu=0.8 rho=30 tau2=0.02 coverage=none neighbors=12 nodes=no"),
                   *plain = fit(&space.data, "sphere=no nu=0.8 rho=30 tau2=0.02 coverage=none neighbors=12");
    predicted a = predict(round, NEW, x, 0, 1), b = predict(plain, NEW, place, 0, 1);
    int64_t row[2][ROWS];
    double mean[2][ROWS], sd[2][ROWS], distance[2][ROWS];
    surekrig_error error;
    for (int i = 0; i < 2; i++) {
        surekrig_validated v = {.row = row[i], .mean = mean[i], .sd = sd[i], .distance = distance[i]};
        succeed(surekrig_validate(i ? plain : round, &(surekrig_validation){.threads = 1}, NULL, &v, &error), &error);
    }
    for (int i = 0; i < NEW; i++) {
        near_to(a.mean[i], b.mean[i], 1e-8);
        close_to(a.sd[i], b.sd[i], 1e-8);
    }
    for (int i = 0; i < ROWS; i++) {
        near_to(mean[0][i], mean[1][i], 1e-8);
        close_to(sd[0][i], sd[1][i], 1e-8);
        close_to(distance[0][i], distance[1][i], 1e-8);
    }
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(round);
    surekrig_model_free(plain);
    free(x);
    free_points(&flat);
    free_points(&space);
}

/* Predicting at a data point: the observation itself pulls, and without a nugget it is met. */
static void at_the_data(void **state)
{
    (void)state;
    points p = make_field(150, 2, 1, 0.8, 0.3, 0, 43);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0 coverage=none neighbors=10");
    predicted here = predict(model, 150, p.x, 0, 1);
    for (int i = 0; i < 150; i++) {
        near_to(here.mean[i], p.y[i], 1e-7);
        assert_true(here.sd[i] >= 0 && here.sd[i] < 1e-5);
    }
    free_predicted(&here);
    surekrig_model_free(model);
    free_points(&p);
}

/* Two observations at one place, no nugget: singular, so jittered, and counted. */
static void jitter_is_counted(void **state)
{
    (void)state;
    points p = make_field(60, 1, 1, 0.5, 0.3, 0.01, 44);
    for (int i = 0; i < 60; i++)
        p.x[i] = i;
    p.x[1] = 0;
    surekrig_model *model = fit(&p.data, "nu=0.5 rho=3 tau2=0 coverage=none neighbors=4");
    double x[5] = {0.2, 1.9, 3.4, 30.5, NAN}; /* the pair is among the nearest 4 of the first two: 0, 0, 2, 3, 4 */
    predicted got = predict(model, 5, x, 0, 1);
    assert_true(got.jittered == 2 && got.max_jitter > 0 && got.max_jitter <= 1e-6);
    near_to(got.mean[0], (p.y[0] + p.y[1]) / 2, 0.5);
    free_predicted(&got);
    got = predict(model, 1, x + 3, 0, 1);
    assert_true(got.jittered == 0 && got.max_jitter == 0);
    free_predicted(&got);
    surekrig_model_free(model);
    free_points(&p);
}

/* Points whose variance, as a share of gamma2, is well above what training has seen are counted, where it is computed. */
static void points_beyond_are_counted(void **state)
{
    (void)state;
    enum { ASKED = 400 };
    points p = make_field(200, 2, 1, 0.8, 0.3, 0.02, 48);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=10 batch=100");
    double *x = make_places(ASKED, 2, 1, 49), mean[ASKED], sd[ASKED], seen = surekrig_model_info(model)->seen_share;
    for (int i = 0; i < 2 * ASKED; i++)
        x[i] = -0.5 + 2 * x[i]; /* around the data too */
    int64_t beyond = 0;
    surekrig_prediction out = {.mean = mean, .sd = sd, .beyond = -7}, means = {.mean = mean, .beyond = -7};
    surekrig_error error;
    succeed(surekrig_predict(model, &(surekrig_query){.n = ASKED, .x = x}, NULL, &out, &error), &error);
    for (int i = 0; i < ASKED; i++)
        beyond += sd[i] * sd[i] > 1.05 * seen * value_of(model, "gamma2");
    assert_true(seen > 0 && beyond > ASKED / 10 && beyond < ASKED * 9 / 10);
    assert_int_equal(out.beyond, beyond);
    succeed(surekrig_predict(model, &(surekrig_query){.n = ASKED, .x = x}, NULL, &means, &error), &error);
    assert_int_equal(means.beyond, 0);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

/* More points than are put in order at once: the last ones are as they are alone. */
static void many_points_are_as_few(void **state)
{
    (void)state;
    enum { SPAN = 1 << 18, MORE = 5000, LAST = 2 * MORE, ASKED = SPAN + MORE };
    if (SANITIZED)
        skip();
    points p = make_field(50, 1, 1, 0.8, 0.3, 0.02, 50);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=2");
    double *x = make_places(ASKED, 1, 1, 51);
    x[0] = x[ASKED - 1] = NAN;
    predicted all = predict(model, ASKED, x, 0, 1), last = predict(model, LAST, x + ASKED - LAST, 0, 1);
    same_bits(all.mean + ASKED - LAST, last.mean, LAST);
    same_bits(all.sd + ASKED - LAST, last.sd, LAST);
    for (int i = 0; i < ASKED; i++)
        assert_int_equal(isnan(all.mean[i]), i == 0 || i == ASKED - 1);
    free_predicted(&all);
    free_predicted(&last);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

/* ---- refusals and stops */

static void impossible_queries_are_refused(void **state)
{
    (void)state;
    points p = make_field(50, 2, 1, 0.8, 0.3, 0.02, 45);
    const char *names[] = {"lon", "lat"};
    p.data.x_names = names;
    surekrig_model *model = given(&p, "neighbors=5");
    double x[6] = {0.1, 0.2, 0.3, -INFINITY, 0.5, 0.6}, mean[3] = {-7, -7, -7}, sd[3] = {-7, -7, -7};
    surekrig_prediction out = {mean, sd, 123, 4.5};
    surekrig_error error = {0};
    assert_int_equal(surekrig_predict(model, &(surekrig_query){3, x, 0, 1, NULL}, NULL, &out, &error), SUREKRIG_DATA);
    mentions(&error, "point 2, lat: -inf");
    assert_int_equal(surekrig_predict(model, &(surekrig_query){-1, x, 0, 1, NULL}, NULL, &out, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "-1 points");
    assert_int_equal(surekrig_predict(model, &(surekrig_query){1, x, 0, -2, NULL}, NULL, &out, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "-2 threads");
    assert_int_equal(surekrig_predict(model, &(surekrig_query){3, x, 0, 1, NULL}, NULL, &out, NULL), SUREKRIG_DATA);
    for (int i = 0; i < 6; i++) { /* whichever number it is */
        double odd[6] = {0}, noise[3] = {0};
        char where[40];
        odd[i] = INFINITY;
        snprintf(where, sizeof where, "point %d, %s: inf", i / 2 + 1, names[i % 2]);
        assert_int_equal(surekrig_predict(model, &(surekrig_query){3, odd, 0, 1, NULL}, NULL, &out, &error),
                         SUREKRIG_DATA);
        mentions(&error, where);
        odd[i] = 0;
        noise[i / 2] = i % 2 ? INFINITY : -1;
        snprintf(where, sizeof where, "point %d: its noise", i / 2 + 1);
        assert_int_equal(surekrig_predict(model, &(surekrig_query){3, odd, 0, 1, noise}, NULL, &out, &error),
                         SUREKRIG_DATA);
        mentions(&error, where);
    }
    const double bad[] = {0, 1, -0.5, NAN};
    for (int i = 0; i < 4; i++) {
        surekrig_query at = {.n = 1, .x = x, .levels = 1, .level = bad + i};
        assert_int_equal(surekrig_predict(model, &at, NULL, &out, &error), SUREKRIG_INVALID);
        mentions(&error, "between 0 and 1");
    }
    assert_int_equal(surekrig_predict(model, &(surekrig_query){.n = 1, .x = x}, NULL,
                                      &(surekrig_prediction){.lower = mean}, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "0 levels given");
    assert_int_equal(surekrig_predict(model, &(surekrig_query){.n = 1, .x = x, .levels = -1}, NULL,
                                      &(surekrig_prediction){.mean = mean}, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "-1 levels given");
    for (int i = 0; i < 3; i++)
        assert_true(mean[i] == -7 && sd[i] == -7);
    assert_true(out.jittered == 123 && out.max_jitter == 4.5 && out.mean == mean);
    surekrig_model_free(model);
    free_points(&p);
}

static void no_points_are_no_work(void **state)
{
    (void)state;
    points p = make_field(50, 2, 1, 0.8, 0.3, 0.02, 46);
    surekrig_model *model = given(&p, "neighbors=5");
    surekrig_prediction out = {.jittered = 5, .max_jitter = 1};
    surekrig_error error;
    succeed(surekrig_predict(model, &(surekrig_query){0, NULL, 0, 0, NULL}, NULL, &out, &error), &error);
    assert_true(out.jittered == 0 && out.max_jitter == 0);
    surekrig_model_free(model);
    free_points(&p);
}

typedef struct watch {
    int calls;
    double last;
    bool stop;
} watch;

static int look(void *user, const surekrig_progress_report *report)
{
    watch *w = user;
    assert_string_equal(report->phase, "prediction");
    assert_true(report->done > w->last && report->done <= 1);
    w->last = report->done;
    w->calls++;
    return w->stop;
}

static void a_callback_sees_and_stops(void **state)
{
    (void)state;
    enum { MANY = 20000 };
    points p = make_field(200, 2, 1, 0.8, 0.3, 0.02, 47);
    surekrig_model *model = given(&p, "neighbors=20");
    double *x = make_places(MANY, 2, 1, 48), *mean = sk_doubles(MANY);
    watch seen = {0}, stopped = {.stop = true};
    surekrig_prediction out = {.mean = mean, .jittered = 77};
    surekrig_error error = {0};
    surekrig_query query = {MANY, x, 0, 1, NULL};
    assert_int_equal(surekrig_predict(model, &query, &(surekrig_progress){look, &stopped}, &out, &error),
                     SUREKRIG_STOPPED);
    assert_true(stopped.calls == 1 && strlen(error.sentence) > 0 && out.jittered == 77);
    succeed(surekrig_predict(model, &query, &(surekrig_progress){look, &seen}, &out, &error), &error);
    assert_true(seen.calls >= 2 && seen.last == 1 && out.jittered == 0);
    free(x);
    free(mean);
    surekrig_model_free(model);
    free_points(&p);
}

/* A place needs none of the first rows where the k-th of the others is nearer than all of them; many blocks, some points
 * without a feature. */
static void places_that_need_some_rows_alone(void **state)
{
    (void)state;
    enum { ROWS = 60, FENCE = 20, K = 5, PLACES = 5000 };
    points p = make_field(ROWS, 1, 1, 0.5, 0.3, 0.01, 71);
    surekrig_model *m = given(&p, "neighbors=5");
    surekrig_error error;
    static double x[PLACES];
    static int within[PLACES];
    int count = 0;
    for (int i = 0; i < PLACES; i++)
        x[i] = i % 97 ? i / (double)PLACES : NAN;
    succeed(surekrig_within(m, &(surekrig_query){.n = PLACES, .x = x, .threads = 1}, FENCE, within, &error), &error);
    for (int i = 0; i < PLACES; i++) {
        double away[ROWS], fence = INFINITY;
        for (int j = 0; j < ROWS; j++)
            away[j] = fabs(p.x[j] - x[i]);
        for (int j = 0; j < FENCE; j++)
            fence = fmin(fence, away[j]);
        if (!isnan(x[i]))
            sk_sort(ROWS - FENCE, away + FENCE);
        assert_int_equal(within[i], isnan(x[i]) || away[FENCE + K - 1] < fence);
        count += within[i];
    }
    assert_true(count > PLACES / 20 && count < PLACES);
    surekrig_model_free(m);
    free_points(&p);
}

int main(void)
{
    gsl_set_error_handler_off();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_neighbours_are_the_dense_process),
        cmocka_unit_test(the_mean_is_linear_in_the_responses),
        cmocka_unit_test(blocks_and_threads_do_not_show),
        cmocka_unit_test(missing_features_stay_missing),
        cmocka_unit_test(means_alone_and_sds_alone),
        cmocka_unit_test(intervals_are_the_models),
        cmocka_unit_test(a_sphere_is_its_chords),
        cmocka_unit_test(at_the_data),
        cmocka_unit_test(jitter_is_counted),
        cmocka_unit_test(points_beyond_are_counted),
        cmocka_unit_test(many_points_are_as_few),
        cmocka_unit_test(impossible_queries_are_refused),
        cmocka_unit_test(no_points_are_no_work),
        cmocka_unit_test(places_that_need_some_rows_alone),
        cmocka_unit_test(a_callback_sees_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
