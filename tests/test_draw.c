/* Conditional simulation: the exact conditional process where every point is a neighbour, mean and sd of predict where
 * not, the data where they are known; and the order it is drawn in. */
#include "draw/draw.h"
#include "fit_support.h"

#ifdef __SANITIZE_ADDRESS__ /* which looks for other faults, many times as slowly */
enum { MANY = 1000 };
#else
enum { MANY = 4000 };
#endif

static double *simulate(const surekrig_model *model, surekrig_draws how)
{
    surekrig_error error;
    double *y = sk_doubles(how.n * surekrig_model_info(model)->l * how.draws);
    succeed(surekrig_simulate_given(model, &how, NULL, y, &error), &error);
    return y;
}

/* ---- the exact conditional process */

enum { REAL = 20, FAR = 12, DATA = REAL + FAR, NEW = 8, ROUNDS = 5 };

/* The covariance of the field at NEW places given the first REAL data, c: [NEW][NEW] as a share of gamma2. solved:
 * [REAL][NEW + 1] the data's covariance solved for the cross-covariances and for ones. */
static void exact_covariance(const oracle *o, const double *x, bool unknown_mean, double *c)
{
    double k[REAL * REAL], cross[REAL * (NEW + 1)], solved[REAL * (NEW + 1)], h[NEW], ones = 0;
    const double *data = o->data->x;
    for (int i = 0; i < REAL; i++) {
        for (int j = 0; j < REAL; j++)
            k[i * REAL + j] = oracle_covariance(o, data + 2 * i, data + 2 * j) +
                              (i == j ? o->tau2 + o->noise_share * o->data->noise[i] : 0);
        for (int j = 0; j <= NEW; j++)
            cross[i * (NEW + 1) + j] = j < NEW ? oracle_covariance(o, data + 2 * i, x + 2 * j) : 1;
    }
    memcpy(solved, cross, sizeof cross);
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', REAL, NEW + 1, k, REAL, solved, NEW + 1), 0);
    for (int i = 0; i < REAL; i++)
        ones += solved[i * (NEW + 1) + NEW];
    for (int a = 0; a < NEW; a++) {
        h[a] = 1;
        for (int i = 0; i < REAL; i++)
            h[a] -= cross[i * (NEW + 1) + a] * solved[i * (NEW + 1) + NEW];
    }
    for (int a = 0; a < NEW; a++)
        for (int b = 0; b < NEW; b++) {
            c[a * NEW + b] = oracle_covariance(o, x + 2 * a, x + 2 * b) + (unknown_mean ? h[a] * h[b] / ones : 0);
            for (int i = 0; i < REAL; i++)
                c[a * NEW + b] -= cross[i * (NEW + 1) + a] * solved[i * (NEW + 1) + b];
        }
}

/* More points than k = n - 1 can never be neighbours, so a dozen far away know nothing: their noise is enormous. */
static void equals_the_exact_process(const char *words, bool unknown_mean, int latent)
{
    points p = make_field(DATA, 2, 1, 0.8, 0.3, 0.02, 71);
    p.noise = sk_doubles(DATA);
    for (int i = 0; i < DATA; i++) {
        p.noise[i] = i < REAL ? 0.01 + 0.001 * i : 1e14;
        p.x[2 * i] += i < REAL ? 0 : 50;
    }
    p.data.noise = p.noise;
    char all[200];
    snprintf(all, sizeof all, "nu=0.8 rho=0.3 tau2=0.05 gamma2=1.7 coverage=none neighbors=%d %s", DATA - 1, words);
    surekrig_model *model = fit(&p.data, all);
    double rho[2] = {0.3, 0.3}, center[1] = {0}, exact[NEW * NEW], sum[NEW * NEW] = {0},
           *x = make_places(NEW, 2, 1, 72);
    oracle o = {&p.data, 0.8, 0.05, 1 / 1.7, rho, center};
    exact_covariance(&o, x, unknown_mean, exact);
    predicted mean = predict(model, NEW, x, 0, 1);
    for (int round = 0; round < ROUNDS; round++) {
        double *y = simulate(model, (surekrig_draws){NEW, x, MANY, 100 + (uint64_t)round, latent, 1});
        for (int a = 0; a < NEW; a++)
            for (int b = 0; b < NEW; b++)
                for (int j = 0; j < MANY; j++)
                    sum[a * NEW + b] += (y[a * MANY + j] - mean.mean[a]) * (y[b * MANY + j] - mean.mean[b]) /
                                        (MANY * ROUNDS);
        free(y);
    }
    for (int a = 0; a < NEW; a++)
        exact[a * NEW + a] += latent ? 0 : 0.05;
    for (int a = 0; a < NEW; a++)
        for (int b = 0; b < NEW; b++) {
            double v = exact[a * NEW + a] * exact[b * NEW + b] + exact[a * NEW + b] * exact[a * NEW + b];
            near_to(sum[a * NEW + b], 1.7 * exact[a * NEW + b], 1.7 * 5 * sqrt(v / (MANY * ROUNDS)));
        }
    free_predicted(&mean);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

static void all_neighbours_are_the_exact_process(void **state)
{
    (void)state;
    equals_the_exact_process("mean=zero", false, 1);
    equals_the_exact_process("mean=zero", false, 0);
    equals_the_exact_process("mean=local", true, 1);
}

/* ---- few neighbours */

/* Over many draws: the mean to its Monte-Carlo error, the variance to that and `slack`, which few neighbours cost. */
static void agrees_with_predict(const char *words, int64_t l, int latent, double slack)
{
    enum { POINTS = 150 };
    points p = make_field(400, 2, l, 0.8, 0.3, 0.02, 73);
    for (int64_t i = 0; i < 400 * l; i++)
        p.y[i] += 3 * p.x[i / l * 2];
    char all[300];
    snprintf(all, sizeof all, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=30 batch=200 %s", words);
    surekrig_model *model = fit(&p.data, all);
    double *x = make_places(POINTS, 2, 1, 74);
    for (int i = 0; i < POINTS; i++)
        x[2 * i] = 0.3 + 1.2 * x[2 * i]; /* some of them outside the data */
    predicted made = predict(model, POINTS, x, latent, 1);
    double *y = simulate(model, (surekrig_draws){POINTS, x, MANY, 7, latent, 2});
    for (int64_t i = 0; i < POINTS * l; i++) {
        double mean = 0, square = 0, sd = made.sd[i];
        for (int j = 0; j < MANY; j++)
            mean += y[i * MANY + j] / MANY;
        for (int j = 0; j < MANY; j++)
            square += pow(y[i * MANY + j] - mean, 2) / MANY;
        near_to(mean, made.mean[i], 5 * sd / sqrt(MANY));
        near_to(square / (sd * sd), 1, 5 * sqrt(2.0 / MANY) + slack);
    }
    free(y);
    free(x);
    free_predicted(&made);
    surekrig_model_free(model);
    free_points(&p);
}

static void mean_and_sd_are_those_of_predict(void **state)
{
    (void)state;
    agrees_with_predict("mean=zero", 1, 0, 0.03);
    agrees_with_predict("mean=zero", 1, 1, 0.03);
    agrees_with_predict("mean=local", 2, 0, 0.05);
    agrees_with_predict("mean=trend", 1, 1, 0.05);
    agrees_with_predict("mean=trend trend=x1 variance=local", 2, 0, 0.05);
    agrees_with_predict("terms=2 long_ratio=6 long_share=0.5", 1, 0, 0.03);
    agrees_with_predict("sectors=yes mean=local interval=conformal variance=local", 1, 1, 0.05);
}

/* A gap of 0.4 in a grid, drawn densely inside: places drawn before tell of the data on its other sides, so the sd is
 * less than that of predict, which sees the nearest; with neighbours all round the two come together. */
static void sd_within_a_gap(const char *words, double least, double most)
{
    enum { SIDE = 40, INSIDE = 15, POINTS = INSIDE * INSIDE, DRAWS = 2000 };
    points p = make_field(SIDE * SIDE, 2, 1, 1, 0.2, 0.02, 82);
    double x[2 * POINTS], low = INFINITY, high = 0;
    int64_t kept = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double a = (i / SIDE + 0.5) / SIDE, b = (i % SIDE + 0.5) / SIDE;
        p.x[2 * kept] = a;
        p.x[2 * kept + 1] = b;
        kept += !(fabs(a - 0.5) < 0.2 && fabs(b - 0.5) < 0.2);
    }
    p.data.n = kept;
    for (int i = 0; i < POINTS; i++) {
        x[2 * i] = 0.3 + 0.4 * (i / INSIDE + 0.5) / INSIDE;
        x[2 * i + 1] = 0.3 + 0.4 * (i % INSIDE + 0.5) / INSIDE;
    }
    char all[200];
    snprintf(all, sizeof all, "nu=1 rho=0.2 tau2=0.02 coverage=none neighbors=50 %s", words);
    surekrig_model *model = fit(&p.data, all);
    predicted made = predict(model, POINTS, x, 1, 1);
    double *y = simulate(model, (surekrig_draws){POINTS, x, DRAWS, 11, 1, 2});
    for (int i = 0; i < POINTS; i++) {
        double square = 0;
        for (int j = 0; j < DRAWS; j++)
            square += pow(y[i * DRAWS + j] - made.mean[i], 2) / DRAWS;
        low = fmin(low, sqrt(square) / made.sd[i]);
        high = fmax(high, sqrt(square) / made.sd[i]);
    }
    printf("within a gap, %s: sd of the draws over that of predict %.3f to %.3f\n", words, low, high);
    assert_true(low > least && high < most);
    free(y);
    free_predicted(&made);
    surekrig_model_free(model);
    free_points(&p);
}

static void gaps_are_drawn_nearly_as_predicted(void **state)
{
    (void)state;
    sd_within_a_gap("sectors=no", 0.8, 1.1);
    sd_within_a_gap("sectors=yes", 0.9, 1.1);
}

/* ---- what must be the same */

static void seeds_alone_decide(void **state)
{
    (void)state;
    enum { POINTS = 3000 };
    points p = make_field(300, 2, 2, 0.8, 0.3, 0.02, 75);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=12 mean=trend");
    double *x = make_places(POINTS, 2, 1, 76);
    double *one = simulate(model, (surekrig_draws){POINTS, x, 3, 9, 0, 1}), *other;
    for (int threads = 2; threads < 8; threads += 5) {
        other = simulate(model, (surekrig_draws){POINTS, x, 3, 9, 0, threads});
        same_bits(one, other, POINTS * 6);
        free(other);
    }
    other = simulate(model, (surekrig_draws){POINTS, x, 5, 9, 0, 1});
    for (int64_t i = 0; i < POINTS * 2; i++)
        same_bits(one + 3 * i, other + 5 * i, 3);
    free(other);
    other = simulate(model, (surekrig_draws){POINTS, x, 3, 10, 0, 1});
    for (int64_t i = 0; i < POINTS * 6; i++)
        assert_true(one[i] != other[i]);
    free(other);
    free(one);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

/* Without a nugget the data are met, and two points at one place have one value; a missing feature has none. */
static void known_places_keep_their_value(void **state)
{
    (void)state;
    enum { POINTS = 60, DRAWS = 4 };
    points p = make_field(80, 2, 1, 0.8, 0.3, 0, 77);
    const char *mean[] = {"zero", "local", "trend"};
    for (int kind = 0; kind < 3; kind++) {
        char words[100];
        snprintf(words, sizeof words, "nu=0.8 rho=0.3 tau2=0 coverage=none neighbors=20 mean=%s", mean[kind]);
        surekrig_model *model = fit(&p.data, words);
        double *x = make_places(POINTS, 2, 1, 78);
        memcpy(x, p.x, 40 * sizeof *x);          /* 0 to 19: data */
        memcpy(x + 100, x + 40, 20 * sizeof *x); /* 50 to 59: 20 to 29 again */
        x[2 * 49 + 1] = NAN;
        double *y = simulate(model, (surekrig_draws){POINTS, x, DRAWS, 3, 0, 1});
        for (int i = 0; i < POINTS; i++)
            for (int j = 0; j < DRAWS; j++) {
                double at = y[i * DRAWS + j];
                if (i < 20)
                    near_to(at, p.y[i], 1e-9);
                else if (i >= 50)
                    near_to(at, y[(i - 30) * DRAWS + j], 1e-12);
                else
                    assert_true(isnan(at) == (i == 49));
                if (i >= 20 && i != 49 && j > 0)
                    assert_true(fabs(at - y[i * DRAWS]) > 1e-6);
            }
        free(y);
        free(x);
        surekrig_model_free(model);
    }
    free_points(&p);
}

/* Without a nugget, and with a noise at some of the data: the field is known at the others, exactly. */
static void known_places_have_no_noise(void **state)
{
    (void)state;
    enum { POINTS = 40, DRAWS = 3, KNOWN = 15 };
    points p = make_field(80, 2, 1, 0.8, 0.3, 0, 79);
    p.noise = sk_zeroed(80, sizeof *p.noise);
    for (int i = KNOWN; i < 80; i++)
        p.noise[i] = 0.04;
    p.data.noise = p.noise;
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0 gamma2=1 coverage=none neighbors=20 mean=zero");
    predicted made = predict(model, POINTS, p.x, 1, 1);
    double *y = simulate(model, (surekrig_draws){POINTS, p.x, DRAWS, 3, 1, 1});
    for (int i = 0; i < POINTS; i++)
        for (int j = 0; j < DRAWS; j++)
            if (i < KNOWN)
                assert_true(y[i * DRAWS + j] == made.mean[i]);
            else
                assert_true(fabs(y[i * DRAWS + j] - made.mean[i]) > 1e-6);
    free(y);
    free_predicted(&made);
    surekrig_model_free(model);
    free_points(&p);
}

/* With a nugget, however small, nothing is known exactly, and two points at one place share the field but not the
 * nugget. */
static void noisy_places_are_not_known(void **state)
{
    (void)state;
    enum { POINTS = 20, DRAWS = 3 };
    points p = make_field(80, 2, 1, 0.8, 0.3, 0.05, 82);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.05 coverage=none neighbors=20 mean=zero");
    double x[4 * POINTS];
    memcpy(x, p.x, sizeof x / 2);
    memcpy(x + 2 * POINTS, p.x, sizeof x / 2);
    for (int latent = 0; latent < 2; latent++) {
        predicted made = predict(model, POINTS, x, 1, 1);
        double *y = simulate(model, (surekrig_draws){2 * POINTS, x, DRAWS, 3, latent, 1});
        for (int i = 0; i < POINTS * DRAWS; i++) {
            assert_true(fabs(y[i] - made.mean[i / DRAWS]) > 1e-6 && fabs(y[i] - p.y[i / DRAWS]) > 1e-9);
            assert_int_equal(fabs(y[i] - y[i + POINTS * DRAWS]) < 1e-12, latent);
        }
        free(y);
        free_predicted(&made);
    }
    surekrig_model_free(model);
    free_points(&p);
}

/* ---- the order */

static double gap(const surekrig_model *m, const double *p, const double *q)
{
    return sk_frame_distance(&m->frame, p, q);
}

/* Every 37th place: the data are those that predict takes, the places the nearest of all before, and as many as there
 * can be. */
static void neighbours_are_the_nearest_before(void **state)
{
    (void)state;
    enum { POINTS = 6000, K = 15, DRAWN = 8, ALL = K + DRAWN };
    points p = make_field(200, 2, 1, 0.8, 0.3, 0.02, 79);
    surekrig_model *m = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=15 sectors=yes");
    double *x = make_places(POINTS, 2, 3, 80), *all = sk_doubles(POINTS); /* clustered */
    memcpy(x + 2000, x, 100 * sizeof *x);                                 /* 50 places twice */
    sk_sequence s;
    surekrig_error error;
    succeed(sk_sequence_new(m, &(sk_places){POINTS, x, 5, 2, NULL}, &s, &error), &error);
    assert_int_equal(s.n, POINTS - 50);
    assert_int_equal(s.k, ALL);
    for (int i = 0; i < POINTS; i++)
        assert_true(gap(m, s.x + 2 * s.place[i], x + 2 * i) == 0);
    for (int64_t at = 0; at < s.n; at += at < 20 ? 1 : 37) {
        int64_t data[K], before = at < DRAWN ? at : DRAWN;
        double farthest = 0;
        succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = 1, .x = s.x + 2 * at}, data, NULL, &error),
                &error);
        assert_memory_equal(data, s.neighbor + at * ALL, sizeof data);
        assert_int_equal(s.count[at], K + before);
        for (int64_t i = 0; i < at; i++)
            all[i] = gap(m, s.x + 2 * at, s.x + 2 * i);
        sk_sort(at, all);
        for (int64_t j = 0; j < before; j++) {
            int64_t place = s.neighbor[at * ALL + K + j] - 200;
            assert_true(place >= 0 && place < at);
            for (int64_t i = 0; i < j; i++)
                assert_true(s.neighbor[at * ALL + K + i] - 200 != place);
            farthest = fmax(farthest, gap(m, s.x + 2 * at, s.x + 2 * place));
        }
        assert_true(before == 0 || farthest == all[before - 1]);
    }
    int64_t *level = sk_alloc(s.n, sizeof *level);
    for (int64_t i = 0; i < s.n; i++)
        level[i] = -1;
    for (int64_t i = 0; i < s.levels; i++)
        for (int64_t j = s.first[i]; j < s.first[i + 1]; j++) {
            for (int64_t a = 0; a < s.count[s.turn[j]]; a++) {
                int64_t other = s.neighbor[s.turn[j] * ALL + a] - 200;
                assert_true(other < 0 || (level[other] >= 0 && level[other] < i));
            }
            assert_int_equal(level[s.turn[j]], -1);
            level[s.turn[j]] = i;
        }
    assert_int_equal(s.first[s.levels], s.n);
    free(level);
    sk_sequence_free(&s);
    free(x);
    free(all);
    surekrig_model_free(m);
    free_points(&p);
}

/* Of 6 data 3 places, of 5 data 3. */
static void half_as_many_places_as_data(void **state)
{
    (void)state;
    points p = make_field(40, 2, 1, 0.8, 0.3, 0.02, 81);
    for (int64_t k = 5; k <= 6; k++) {
        char words[80];
        snprintf(words, sizeof words, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=%d", (int)k);
        surekrig_model *m = fit(&p.data, words);
        double *x = make_places(20, 2, 1, 82);
        sk_sequence s;
        surekrig_error error;
        succeed(sk_sequence_new(m, &(sk_places){20, x, 5, 1, NULL}, &s, &error), &error);
        for (int64_t i = 0; i < s.n; i++)
            assert_int_equal(s.count[i], k + (i < 3 ? i : 3));
        sk_sequence_free(&s);
        surekrig_model_free(m);
        free(x);
    }
    free_points(&p);
}

static int stop_at_once(void *user, const surekrig_progress_report *report)
{
    (void)user;
    assert_string_equal(report->phase, "simulation");
    return 1;
}

/* Where the coordinates are not the features: without a nugget, draws at the data's own places are the data. */
static void draws_on_the_sphere_meet_the_data(void **state)
{
    (void)state;
    enum { ROWS = 60, PLACES = 2 * ROWS, DRAWS = 3 };
    points p = make_field(ROWS, 2, 1, 0.8, 0.3, 0, 82);
    double *x = make_places(PLACES, 2, 1, 83), y[PLACES * DRAWS];
    for (int i = 0; i < 2 * ROWS; i++)
        p.x[i] = 40 * p.x[i] - 20;
    for (int i = 0; i < 2 * PLACES; i++)
        x[i] = 40 * x[i] - 20;
    memcpy(x, p.x, 2 * ROWS * sizeof *x);
    surekrig_model *model = fit(&p.data, "sphere=x1,x2 nu=0.8 rho=1500 tau2=0 coverage=none neighbors=12");
    surekrig_error error;
    succeed(surekrig_simulate_given(model, &(surekrig_draws){.n = PLACES, .x = x, .draws = DRAWS, .threads = 1}, NULL,
                                    y, &error),
            &error);
    for (int i = 0; i < PLACES; i++) {
        near_to(y[i * DRAWS], i < ROWS ? p.y[i] : 0, i < ROWS ? 1e-6 : 10);
        assert_true((fabs(y[i * DRAWS] - y[i * DRAWS + 1]) > 1e-6) == (i >= ROWS));
    }
    surekrig_draws single = {.n = 1, .x = x + 2 * ROWS, .draws = DRAWS, .threads = 1};
    succeed(surekrig_simulate_given(model, &single, NULL, y, &error), &error);
    assert_true(fabs(y[0] - y[1]) > 1e-6 && fabs(y[1] - y[2]) > 1e-6);
    free(x);
    surekrig_model_free(model);
    free_points(&p);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    points p = make_field(100, 2, 1, 0.8, 0.3, 0.02, 81);
    surekrig_model *model = fit(&p.data, "nu=0.8 rho=0.3 tau2=0.02 coverage=none neighbors=12");
    double x[] = {0.1, 0.2, 0.3, INFINITY}, y[100] = {-7};
    surekrig_error error;
    assert_int_equal(surekrig_simulate_given(model, &(surekrig_draws){2, x, 0, 1, 0, 1}, NULL, y, &error),
                     SUREKRIG_INVALID);
    mentions(&error, "0 draws at 2 points");
    assert_int_equal(surekrig_simulate_given(model, &(surekrig_draws){2, x, 1, 1, 0, 1}, NULL, y, &error),
                     SUREKRIG_DATA);
    mentions(&error, "point 2, x2: inf");
    surekrig_progress stop = {stop_at_once, NULL};
    assert_int_equal(surekrig_simulate_given(model, &(surekrig_draws){100, p.x, 1, 1, 0, 1}, &stop, y, &error),
                     SUREKRIG_STOPPED);
    assert_true(y[0] == -7);
    succeed(surekrig_simulate_given(model, &(surekrig_draws){0, x, 1, 1, 0, 1}, NULL, y, &error), &error);
    for (int i = 0; i < 4; i++) { /* whichever number it is */
        double odd[4] = {0};
        char where[40];
        odd[i] = -INFINITY;
        snprintf(where, sizeof where, "point %d, x%d: -inf", i / 2 + 1, i % 2 + 1);
        assert_int_equal(surekrig_simulate_given(model, &(surekrig_draws){.n = 2, .x = odd, .draws = 1}, NULL, y,
                                                 &error),
                         SUREKRIG_DATA);
        mentions(&error, where);
    }
    surekrig_model_free(model);
    free_points(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_neighbours_are_the_exact_process),
        cmocka_unit_test(mean_and_sd_are_those_of_predict),
        cmocka_unit_test(gaps_are_drawn_nearly_as_predicted),
        cmocka_unit_test(seeds_alone_decide),
        cmocka_unit_test(known_places_keep_their_value),
        cmocka_unit_test(known_places_have_no_noise),
        cmocka_unit_test(noisy_places_are_not_known),
        cmocka_unit_test(neighbours_are_the_nearest_before),
        cmocka_unit_test(half_as_many_places_as_data),
        cmocka_unit_test(draws_on_the_sphere_meet_the_data),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
