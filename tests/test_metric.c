/* The metric: neighbours in the fitted length scales, features in any units or of no use, and the sphere. */
#include "fit_support.h"
#include "train/train.h"

#include <unistd.h>

enum { TRAIN = 1200, TEST = 400 };

/* A field in the unit cube, whose features are then given other units: x_a times unit_a. The last TEST points are to be
 * predicted. */
static points stretched(int64_t d, const double *unit, uint64_t seed)
{
    points p = make_field(TRAIN + TEST, d, 1, 1, 0.4, 0.01, seed);
    for (int64_t i = 0; i < p.data.n * d; i++)
        p.x[i] *= unit[i % d];
    p.data.n = TRAIN;
    return p;
}

static double error_of(const surekrig_model *m, const points *p)
{
    int64_t d = p->data.d;
    predicted made = predict(m, TEST, p->x + TRAIN * d, 0, 1);
    double sum = 0;
    for (int i = 0; i < TEST; i++)
        sum += pow(p->y[TRAIN + i] - made.mean[i], 2) / TEST;
    free_predicted(&made);
    return sqrt(sum);
}

/* Two features of one extent have one length scale, unless one is plainly longer: then each has its own, about as if
 * asked for. Under a coverage constraint nothing is asked. */
static void one_of_two_may_be_longer(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    enum { ROWS = 400 };
    points p = make_field(ROWS, 2, 1, 1, 0.3, 0.01, 8);
    surekrig_error error;
    surekrig_theta theta = {1, &(surekrig_term){1, 1, (double[2]){0.1, 0.5}}, 0.01, 1};
    surekrig_model *alike = fit(&p.data, "preset=default");
    assert_false(sk_model_has_metric(alike));
    succeed(surekrig_simulate(&(surekrig_sample){.d = 2, .n = ROWS, .x = p.x, .seed = 9}, &theta, p.y, &error), &error);
    surekrig_model *longer = fit(&p.data, "preset=default"), *asked = fit(&p.data, "preset=default anisotropic=yes"),
                   *held = fit(&p.data, "preset=default anisotropic=no"), *covered = fit(&p.data, "preset=coverage");
    assert_true(sk_model_has_metric(longer));
    assert_false(sk_model_has_metric(held) || sk_model_has_metric(covered));
    double one = value_of(longer, "rho_x1");
    close_to(one, value_of(asked, "rho_x1"), 0.2);
    assert_true(value_of(longer, "rho_x2") > 2 * one);
    surekrig_model_free(covered);
    surekrig_model *chosen = fit(&p.data, "auto=yes terms=1"); /* its plain model is that, and nothing is tried twice */
    assert_true(sk_model_has_metric(chosen));
    for (int i = 0; i < chosen->info.trials; i++)
        assert_string_not_equal(chosen->info.trial[i].what, "anisotropic = yes");
    surekrig_model_free(chosen);
    surekrig_model_free(alike);
    surekrig_model_free(longer);
    surekrig_model_free(asked);
    surekrig_model_free(held);
    free_points(&p);
}

/* x [n][2] in axes of which the first lies at so many degrees. */
static void turn(int64_t n, const double *x, double degrees, double *to)
{
    double c = cos(degrees * acos(-1) / 180), s = sin(degrees * acos(-1) / 180);
    for (int64_t i = 0; i < n; i++) {
        to[2 * i] = c * x[2 * i] + s * x[2 * i + 1];
        to[2 * i + 1] = c * x[2 * i + 1] - s * x[2 * i];
    }
}

/* A field that is longer along a direction between the features is found so, also where it nearly lies along one; one
 * that lies along a feature is left there. */
static void one_direction_may_be_longer(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    enum { ROWS = 400 };
    static const double DEGREES[] = {0, 35, 80, 125};
    points p = make_field(ROWS, 2, 1, 1, 0.3, 0.01, 8);
    double z[2 * ROWS];
    surekrig_error error;
    surekrig_theta theta = {1, &(surekrig_term){1, 1, (double[2]){0.5, 0.1}}, 0.01, 1};
    for (int i = 0; i < 4; i++) {
        turn(ROWS, p.x, DEGREES[i], z);
        succeed(surekrig_simulate(&(surekrig_sample){.d = 2, .n = ROWS, .x = z, .seed = 9}, &theta, p.y, &error),
                &error);
        surekrig_model *m = fit(&p.data, "preset=default");
        if (DEGREES[i] > 0) {
            assert_true(value_of(m, "rho_along") > 2 * value_of(m, "rho_across"));
            near_to(atof(surekrig_settings_get(m->settings, "turn")), DEGREES[i], 5);
        } else {
            assert_true(value_of(m, "rho_x1") > 2 * value_of(m, "rho_x2"));
        }
        surekrig_model_free(m);
    }
    free_points(&p);
}

/* A model of turned axes is that of the turned points; and so is what a file of it gives back. */
static void turned_axes_are_those_of_turned_points(void **state)
{
    (void)state;
    enum { ROWS = 300, NEW = 40 };
    points p = make_field(ROWS + NEW, 2, 1, 1, 0.3, 0.01, 5);
    double z[2 * (ROWS + NEW)];
    turn(ROWS + NEW, p.x, 20, z);
    p.data.n = ROWS;
    surekrig_data turned = p.data;
    turned.x = z;
    const char *same =
        "optimizer=auto coverage=none nu=1.2 tau2=0.02 neighbors=20 anisotropic=yes rho=0.6,0.15 nodes=no";
    char words[160], path[] = "turned.model";
    snprintf(words, sizeof words, "%s turn=20", same);
    surekrig_error error;
    surekrig_model *m = fit(&p.data, words), *by_hand = fit(&turned, same), *loaded;
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &loaded, &error), &error);
    predicted a = predict(m, NEW, p.x + 2 * ROWS, 0, 1), b = predict(by_hand, NEW, z + 2 * ROWS, 0, 1),
              c = predict(loaded, NEW, p.x + 2 * ROWS, 0, 1);
    for (int i = 0; i < NEW; i++) {
        near_to(a.mean[i], b.mean[i], 1e-9);
        near_to(a.sd[i], b.sd[i], 1e-9);
        assert_true(a.mean[i] == c.mean[i] && a.sd[i] == c.sd[i]);
    }
    free_predicted(&a);
    free_predicted(&b);
    free_predicted(&c);
    surekrig_model_free(m);
    surekrig_model_free(by_hand);
    surekrig_model_free(loaded);
    unlink(path);
    free_points(&p);
}

/* Metres beside days: nothing but the length scales' units changes. Powers of two are exact. */
static void units_do_not_matter(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    const double one[3] = {1, 1, 1}, other[3] = {1024, 0.0625, 1};
    points a = stretched(3, one, 3), b = stretched(3, other, 3);
    surekrig_model *m = fit(&a.data, "optimizer=auto coverage=none threads=1"),
                   *n = fit(&b.data, "optimizer=auto coverage=none threads=1");
    predicted p = predict(m, TEST, a.x + 3 * TRAIN, 0, 1), q = predict(n, TEST, b.x + 3 * TRAIN, 0, 1);
    same_bits(p.mean, q.mean, TEST);
    same_bits(p.sd, q.sd, TEST);
    close_to(value_of(n, "rho_x1"), 1024 * value_of(m, "rho_x1"), 1e-12);
    free_predicted(&p);
    free_predicted(&q);
    surekrig_model_free(m);
    surekrig_model_free(n);
    free_points(&a);
    free_points(&b);
}

typedef struct near {
    double square;
    int64_t row;
} near;

static int by_square(const void *a, const void *b)
{
    const near *x = a, *y = b;
    return x->square != y->square ? (x->square > y->square) - (x->square < y->square)
                                  : (x->row > y->row) - (x->row < y->row);
}

/* Along one axis the field changes fifteen times as fast as along the other, which their extents do not show. */
static void neighbours_are_the_nearest_in_the_fitted_metric(void **state)
{
    (void)state;
    points p = make_field(TRAIN, 2, 1, 1, 0.5, 0.01, 5);
    near all[TRAIN];
    int64_t row[30];
    surekrig_error error;
    surekrig_theta theta = {1, &(surekrig_term){1, 1, (double[2]){0.08, 1.2}}, 0.01, 1};
    succeed(surekrig_simulate(&(surekrig_sample){.d = 2, .n = TRAIN, .x = p.x, .seed = 6}, &theta, p.y, &error),
            &error);
    surekrig_model *m = fit(&p.data, "anisotropic=yes coverage=none neighbors=30 threads=1");
    assert_true(sk_model_has_metric(m));
    for (int at = 0; at < TRAIN; at += 97) {
        const double *x = p.x + 2 * at;
        succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = 1, .x = x}, row, NULL, &error), &error);
        for (int i = 0; i < TRAIN; i++)
            all[i] = (near){pow((p.x[2 * i] - x[0]) / m->frame.side[0], 2) +
                                pow((p.x[2 * i + 1] - x[1]) / m->frame.side[1], 2),
                            i};
        qsort(all, TRAIN, sizeof *all, by_square);
        for (int j = 0; j < 30; j++)
            near_to(sqrt(pow((p.x[2 * row[j]] - x[0]) / m->frame.side[0], 2) +
                         pow((p.x[2 * row[j] + 1] - x[1]) / m->frame.side[1], 2)),
                    sqrt(all[j].square), 1e-9);
    }
    /* nearly the fitted length scales, up to a common factor */
    double ratio = m->hyper.rho[0] / m->frame.side[0] / (m->hyper.rho[1] / m->frame.side[1]);
    assert_true(ratio < 2 && ratio > 0.5);
    surekrig_model_free(m);
    free_points(&p);
}

/* Scores within 2 % of those of the true length scales, given. */
static void a_fitted_metric_is_as_good_as_the_true_one(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    double sum[2] = {0};
    for (uint64_t seed = 11; seed < 14; seed++) {
        const double unit[3] = {1, 6, 0.1};
        points p = stretched(3, unit, seed);
        surekrig_model *m = fit(&p.data, "optimizer=auto coverage=none"),
                       *truth = fit(&p.data, "nu=1 rho=0.4,2.4,0.04 tau2=0.01 coverage=none");
        assert_true(sk_model_has_metric(truth));
        sum[0] += error_of(m, &p);
        sum[1] += error_of(truth, &p);
        surekrig_model_free(m);
        surekrig_model_free(truth);
        free_points(&p);
    }
    if (!(sum[0] <= 1.02 * sum[1]))
        fail_msg("RMSE %g, with the true metric %g", sum[0] / 3, sum[1] / 3);
}

/* Three features of no use beside two that matter. */
static void what_is_of_no_use_drops_out(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = make_field(TRAIN + TEST, 2, 1, 1, 0.4, 0.01, 21), wide = p;
    wide.x = sk_doubles(5 * p.data.n);
    for (int64_t i = 0; i < p.data.n; i++)
        for (int a = 0; a < 5; a++)
            wide.x[5 * i + a] = a % 2 ? p.x[2 * i + a / 2] : sk_uniform(22, 1, (uint64_t)(5 * i + a));
    wide.data.x = wide.x;
    wide.data.d = 5;
    p.data.n = wide.data.n = TRAIN;
    surekrig_model *m = fit(&p.data, "optimizer=auto coverage=none"),
                   *n = fit(&wide.data, "optimizer=auto coverage=none");
    assert_true(isinf(value_of(n, "rho_x1")) && isinf(value_of(n, "rho_x3")) && isinf(value_of(n, "rho_x5")));
    assert_true(isfinite(value_of(n, "rho_x2")) && isfinite(value_of(n, "rho_x4")));
    double alone = error_of(m, &p), among = error_of(n, &wide);
    if (!(among <= 1.02 * alone))
        fail_msg("RMSE %g among features of no use, %g without them", among, alone);
    surekrig_model_free(m);
    surekrig_model_free(n);
    free(wide.x);
    free_points(&p);
}

static void files_and_refits_keep_the_metric(void **state)
{
    (void)state;
    const double unit[3] = {1, 6, 0.1};
    points p = stretched(3, unit, 31);
    surekrig_model *m = fit(&p.data, "coverage=none neighbors=20 anisotropic=yes scaling=box"), *again = NULL,
                   *refitted = NULL;
    surekrig_error error;
    char path[] = "/tmp/surekrig-metric-XXXXXX";
    close(mkstemp(path));
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    succeed(surekrig_refit(&p.data, m, &refitted, &error), &error);
    predicted a = predict(m, TEST, p.x + 3 * TRAIN, 0, 1), b = predict(again, TEST, p.x + 3 * TRAIN, 0, 1),
              c = predict(refitted, TEST, p.x + 3 * TRAIN, 0, 1);
    assert_true(sk_model_has_metric(m) && sk_model_has_metric(again) && sk_model_has_metric(refitted));
    same_bits(a.mean, b.mean, TEST);
    same_bits(a.sd, b.sd, TEST);
    same_bits(a.mean, c.mean, TEST);
    same_bits(a.sd, c.sd, TEST);
    remove(path);
    free_predicted(&a);
    free_predicted(&b);
    free_predicted(&c);
    surekrig_model_free(m);
    surekrig_model_free(again);
    surekrig_model_free(refitted);
    free_points(&p);
}

/* Predictions next to data are as sure as errors there, not as a nugget that is far too small says; files keep it. */
static void next_to_data_an_sd_has_a_floor(void **state)
{
    (void)state;
    const double unit[3] = {1, 1, 1};
    points p = stretched(3, unit, 51);
    for (int64_t i = 0; i < TRAIN + TEST; i++) {
        double *x = p.x + 3 * i;
        for (int64_t a = 0; a < 3 && i % 40 == 0; a++)
            x[a] = p.x[3 * ((i + 1) % TRAIN) + a] + 1e-9;
        p.y[i] = sin(6 * x[0]) * x[1] + x[2] * x[2] + 0.001 * normal(52, (uint64_t)i);
    }
    surekrig_model *m = fit(&p.data, "variance=local interval=conformal coverage=none tau2=1e-9 nu=1.5 rho=1"),
                   *again = NULL;
    surekrig_error error;
    char path[] = "/tmp/surekrig-floor-XXXXXX";
    close(mkstemp(path));
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    predicted a = predict(m, TEST, p.x + 3 * TRAIN, 0, 1), b = predict(again, TEST, p.x + 3 * TRAIN, 0, 1);
    double most = 0;
    for (int i = 0; i < TEST; i += 40)
        most = fmax(most, fabs(p.y[TRAIN + i] - a.mean[i]) / a.sd[i]);
    assert_true(most < 3); /* without a floor: 10 */
    same_bits(a.sd, b.sd, TEST);
    remove(path);
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(m);
    surekrig_model_free(again);
    free_points(&p);
}

/* Wherever the search stops looking, what it gives is nearly as near, for each point alone and by any number of
 * threads; a model says how many it found. */
static void approximate_neighbours_say_how_good_they_are(void **state)
{
    (void)state;
    enum { D = 12, K = 20 };
    points p = {.data = {.n = TRAIN, .d = D, .l = 1}, .x = make_places(TRAIN + TEST, D, 1, 61), .y = sk_doubles(TRAIN)};
    for (int64_t i = 0; i < TRAIN; i++)
        for (int64_t a = 0; a < D; a++)
            p.y[i] = (a ? p.y[i] : 0) + sin(2 * p.x[D * i + a]);
    p.data.x = p.x;
    p.data.y = p.y;
    surekrig_model *exact = fit(&p.data, "optimizer=lbfgs coverage=none neighbors=20 search=exact"),
                   *quick = fit(&p.data, "optimizer=lbfgs coverage=none neighbors=20 search=approximate");
    const surekrig_info *info = surekrig_model_info(quick);
    assert_true(surekrig_model_info(exact)->recall == 1);
    assert_true(info->recall > 0.8 && info->recall < 1);
    predicted all = predict(quick, TEST, p.x + D * TRAIN, 0, 2), one = predict(quick, 1, p.x + D * (TRAIN + 7), 0, 1);
    same_bits(all.mean + 7, one.mean, 1);
    free_predicted(&all);
    free_predicted(&one);
    surekrig_model_free(exact);
    surekrig_model_free(quick);
    free_points(&p);
}

/* ---- groups */

static const char *setting(const surekrig_model *m, const char *name)
{
    return surekrig_settings_get(surekrig_model_info(m)->settings, name);
}

static bool has_estimate(const surekrig_model *m, const char *name)
{
    const surekrig_info *info = surekrig_model_info(m);
    for (int i = 0; i < info->estimates; i++)
        if (!strcmp(info->estimate[i].name, name))
            return true;
    return false;
}

/* Features 1 and 3 of three are alike, in the same units; the second is another thing. */
static void a_group_has_one_length_scale(void **state)
{
    (void)state;
    const double unit[3] = {1, 50, 1};
    points p = stretched(3, unit, 51);
    for (int i = 0; i < TRAIN + TEST; i++) /* of its own extent: the larger of the two is what both are divided by */
        p.x[3 * i + 2] *= 0.25;
    surekrig_model *m = fit(&p.data, "group=x1,x3 coverage=none neighbors=20"), *again = NULL, *refitted = NULL,
                   *other = fit(&p.data, "group=x3,x1 coverage=none neighbors=20");
    surekrig_error error;
    assert_true(m->anisotropic && has_estimate(m, "rho_x1_x3") && has_estimate(m, "rho_x2") &&
                !has_estimate(m, "rho_x1"));
    assert_true(m->hyper.rho[0] == m->hyper.rho[2] && m->hyper.rho[0] == value_of(m, "rho_x1_x3"));
    assert_true(m->frame.start[0] == m->frame.start[2] && m->frame.side[0] == m->frame.side[2]);
    close_to(m->frame.start[0], 1, 0.01);
    char path[] = "/tmp/surekrig-metric-XXXXXX";
    close(mkstemp(path));
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    succeed(surekrig_refit(&p.data, m, &refitted, &error), &error);
    remove(path);
    assert_string_equal(setting(again, "group"), "x1,x3");
    assert_true(has_estimate(again, "rho_x1_x3"));
    predicted a = predict(m, TEST, p.x + 3 * TRAIN, 0, 1);
    surekrig_model *same[] = {again, refitted, other};
    for (int i = 0; i < 3; i++) {
        predicted b = predict(same[i], TEST, p.x + 3 * TRAIN, 0, 1);
        same_bits(a.mean, b.mean, TEST);
        same_bits(a.sd, b.sd, TEST);
        free_predicted(&b);
        surekrig_model_free(same[i]);
    }
    free_predicted(&a);
    surekrig_model_free(m);
    free_points(&p);
}

/* All features in one group: what one length scale for all is, to the bit. Given: as a list of each feature's own. */
static void a_group_is_what_it_says(void **state)
{
    (void)state;
    const double unit[3] = {1, 1, 1};
    points p = stretched(3, unit, 52);
    const char *const ways[][2] = {{"group=x1,x2,x3", "anisotropic=no"},
                                   {"group=x1,x3 rho=0.5,0.2 nu=1 tau2=0.01", "rho=0.5,0.2,0.5 nu=1 tau2=0.01"}};
    for (int i = 0; i < 2; i++) {
        char words[2][120];
        for (int j = 0; j < 2; j++)
            snprintf(words[j], sizeof words[j], "coverage=none neighbors=20 %s", ways[i][j]);
        surekrig_model *m = fit(&p.data, words[0]), *n = fit(&p.data, words[1]);
        predicted a = predict(m, TEST, p.x + 3 * TRAIN, 0, 1), b = predict(n, TEST, p.x + 3 * TRAIN, 0, 1);
        same_bits(a.mean, b.mean, TEST);
        same_bits(a.sd, b.sd, TEST);
        free_predicted(&a);
        free_predicted(&b);
        surekrig_model_free(m);
        surekrig_model_free(n);
    }
    free_points(&p);
}

/* Groups, a length scale for each, one for all. */
static void auto_tries_what_groups_could_be(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = make_field(400, 3, 1, 1, 0.4, 0.01, 53);
    surekrig_model *m = fit(&p.data, "auto=yes group=x1,x2 neighbors=12 batch=60"),
                   *plain = fit(&p.data, "auto=yes neighbors=12 batch=60");
    const surekrig_info *info = surekrig_model_info(m);
    int found = 0;
    for (int i = 0; i < info->trials; i++)
        found += !strcmp(info->trial[i].what, "group = none") + !strcmp(info->trial[i].what, "anisotropic = no");
    assert_int_equal(found, 2);
    info = surekrig_model_info(plain);
    for (int i = 0; i < info->trials; i++)
        assert_null(strstr(info->trial[i].what, "anisotropic"));
    surekrig_model_free(m);
    surekrig_model_free(plain);
    free_points(&p);
}

/* ---- more neighbours for predictions */

/* Of few rows with many features all are neighbours where they gain; the points that train are those that judge, so that
 * auto tries no loss that is their own score. */
static void few_rows_are_all_neighbours(void **state)
{
    (void)state;
    points p = make_field(120, 5, 1, 2.5, 3, 1e-6, 79);
    surekrig_model *m = fit(&p.data, "auto=yes");
    const surekrig_info *info = surekrig_model_info(m);
    assert_int_equal(info->neighbors, 119);
    for (int i = 0; i < info->trials; i++)
        assert_null(strstr(info->trial[i].what, "loss"));
    surekrig_model_free(m);
    free_points(&p);
}

/* A smooth function of six features gains by them without being asked, and predicts better; a number that is given
 * stands, and so do two features. */
static void smooth_functions_get_more_neighbours(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = make_field(700, 6, 1, 2.5, 3, 1e-6, 77), plane = make_field(300, 2, 1, 2.5, 1.5, 1e-4, 78);
    p.data.n = 500;
    surekrig_model *more = fit(&p.data, "preset=default batch=200"),
                   *given = fit(&p.data, "preset=default batch=200 neighbors=50"),
                   *flat = fit(&plane.data, "preset=default batch=200 anisotropic=yes");
    const surekrig_info *info = surekrig_model_info(more);
    assert_true(info->neighbors >= 100 && info->neighbors <= 400);
    assert_true(info->trials >= 2 && strstr(info->trial[0].what, "neighbors = 50") && !info->trial[0].kept);
    assert_int_equal(surekrig_model_info(given)->neighbors, 50);
    assert_int_equal(surekrig_model_info(given)->trials, 0);
    assert_int_equal(surekrig_model_info(flat)->trials, 0);
    double wide[200], narrow[200];
    surekrig_query query = {.n = 200, .x = p.x + 6 * 500};
    double errors[2] = {0};
    succeed(surekrig_predict(more, &query, NULL, &(surekrig_prediction){.mean = wide}, NULL), NULL);
    succeed(surekrig_predict(given, &query, NULL, &(surekrig_prediction){.mean = narrow}, NULL), NULL);
    for (int i = 0; i < 200; i++) {
        errors[0] += pow(wide[i] - p.y[500 + i], 2);
        errors[1] += pow(narrow[i] - p.y[500 + i], 2);
    }
    if (!(errors[0] < 0.9 * errors[1]))
        fail_msg("squared errors %g with more neighbours, %g with 50", errors[0], errors[1]);
    surekrig_model_free(more);
    surekrig_model_free(given);
    surekrig_model_free(flat);
    free_points(&p);
    free_points(&plane);
}

/* ---- features that are hardly ones */

static void copies_and_too_many_features_do_no_harm(void **state)
{
    (void)state;
    points p = make_field(TRAIN + TEST, 2, 1, 1, 0.4, 0.01, 54), wide = p;
    wide.x = sk_doubles(3 * p.data.n);
    for (int64_t i = 0; i < p.data.n; i++)
        for (int a = 0; a < 3; a++)
            wide.x[3 * i + a] = p.x[2 * i + a % 2];
    wide.data.x = wide.x;
    wide.data.d = 3;
    p.data.n = wide.data.n = TRAIN;
    surekrig_model *m = fit(&p.data, "optimizer=auto coverage=none neighbors=20"),
                   *n = fit(&wide.data, "optimizer=auto coverage=none neighbors=20");
    double alone = error_of(m, &p), copied = error_of(n, &wide);
    if (!(copied <= 1.02 * alone))
        fail_msg("RMSE %g with a copy of a feature, %g without", copied, alone);
    surekrig_model_free(m);
    surekrig_model_free(n);
    free(wide.x);
    free_points(&p);
    points few = make_field(12, 30, 1, 1, 3, 0.01, 55);
    m = fit(&few.data, "optimizer=auto coverage=none");
    predicted made = predict(m, 12, few.x, 0, 1);
    for (int i = 0; i < 12; i++)
        assert_true(isfinite(made.mean[i]) && made.sd[i] >= 0 && isfinite(made.sd[i]));
    free_predicted(&made);
    surekrig_model_free(m);
    free_points(&few);
}

/* ---- the sphere */

enum { STATIONS = 800 };

/* Evenly on the sphere, in degrees; the response is smooth in space. */
static points on_the_globe(double turned)
{
    points p = {.data = {.n = STATIONS, .d = 2, .l = 1}, .x = sk_doubles(2 * STATIONS), .y = sk_doubles(STATIONS)};
    for (int i = 0; i < STATIONS; i++) {
        double pair[2], z = 2 * sk_uniform(41, 1, (uint64_t)i) - 1,
                        lon = M_PI * (2 * sk_uniform(41, 2, (uint64_t)i) - 1), r = sqrt(1 - z * z);
        sk_normal_pair(41, 3, (uint64_t)i, pair);
        p.x[2 * i] = lon * 180 / M_PI + turned;
        p.x[2 * i] -= p.x[2 * i] > 180 ? 360 : 0;
        p.x[2 * i + 1] = asin(z) * 180 / M_PI;
        p.y[i] = sin(3 * r * cos(lon)) + r * sin(lon) * z + 0.05 * pair[0];
    }
    p.data.x = p.x;
    p.data.y = p.y;
    return p;
}

#define GLOBE "sphere=x1,x2 nu=1.5 rho=3000 tau2=0.001 coverage=none neighbors=30"

/* Longitudes count from anywhere: a turn of the earth changes nothing, at the date line or elsewhere. */
static void the_date_line_is_no_seam(void **state)
{
    (void)state;
    points a = on_the_globe(0), b = on_the_globe(137);
    surekrig_model *m = fit(&a.data, GLOBE), *n = fit(&b.data, GLOBE);
    for (int i = 0; i < 200; i++) {
        double lon = -180 + 1.8 * i, lat = -90 + 0.9 * i, at[2] = {lon, lat},
               there[2] = {lon + 137 > 180 ? lon - 223 : lon + 137, lat};
        predicted p = predict(m, 1, at, 0, 1), q = predict(n, 1, there, 0, 1);
        near_to(p.mean[0], q.mean[0], 1e-8);
        near_to(p.sd[0], q.sd[0], 1e-8);
        free_predicted(&p);
        free_predicted(&q);
    }
    double east[2] = {180, 10}, west[2] = {-180, 10}, pole[2] = {33, 90}, same[2] = {-120, 90};
    predicted p = predict(m, 1, east, 0, 1), q = predict(m, 1, west, 0, 1), r = predict(m, 1, pole, 0, 1),
              s = predict(m, 1, same, 0, 1);
    close_to(p.mean[0], q.mean[0], 1e-9);
    close_to(r.mean[0], s.mean[0], 1e-9);
    free_predicted(&p);
    free_predicted(&q);
    free_predicted(&r);
    free_predicted(&s);
    surekrig_model_free(m);
    surekrig_model_free(n);
    free_points(&a);
    free_points(&b);
}

/* Chords in km, against the formula. */
static void distances_are_chords(void **state)
{
    (void)state;
    surekrig_sphere sphere;
    surekrig_sphere_new((double[2]){12, -34}, &sphere);
    for (int i = 0; i < 100; i++) {
        double degrees[4], place[6];
        for (int j = 0; j < 4; j++)
            degrees[j] = (j % 2 ? 90 : 180) * (2 * sk_uniform(42, 1, (uint64_t)(4 * i + j)) - 1);
        double radian = M_PI / 180, a = sin((degrees[3] - degrees[1]) * radian / 2),
               b = sin((degrees[2] - degrees[0]) * radian / 2);
        double chord = 2 * 6371.0088 * sqrt(a * a + cos(degrees[1] * radian) * cos(degrees[3] * radian) * b * b);
        surekrig_sphere_places(&sphere, 2, degrees, place);
        close_to(hypot(hypot(place[3] - place[0], place[4] - place[1]), place[5] - place[2]), chord, 1e-9);
    }
}

static void refused_with(const surekrig_data *data, const char *words, const char *why)
{
    surekrig_settings *settings = settings_of(words);
    surekrig_model *m = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    assert_int_not_equal(surekrig_fit(data, settings, NULL, &m, &error), SUREKRIG_OK);
    mentions(&error, why);
    assert_ptr_equal(m, (void *)0x1234);
    surekrig_settings_free(settings);
}

static void bad_places_get_a_sentence(void **state)
{
    (void)state;
    points p = on_the_globe(0);
    surekrig_model *m = fit(&p.data, GLOBE);
    surekrig_error error = {0};
    double at[4] = {0, 0, 10, 91}, mean[2];
    surekrig_prediction to = {.mean = mean};
    assert_int_equal(surekrig_predict(m, &(surekrig_query){.n = 2, .x = at}, NULL, &to, &error), SUREKRIG_DATA);
    mentions(&error, "point 2, x2: 91 is not a latitude");
    refused_with(&p.data, "sphere=x1,x3", "there is no feature 'x3'");
    refused_with(&p.data, "sphere=x1", "two features");
    refused_with(&p.data, "sphere=x1,x1", "two features");
    refused_with(&p.data, "sphere=x1,x2 distance=x1", "all of x1, x2 or none of them");
    refused_with(&p.data, "sphere=x2,x1", "is not a latitude");
    p.x[20] = 500;
    refused_with(&p.data, "sphere=x1,x2", "row 11, x1: 500 is not a longitude");
    surekrig_model_free(m);
    free_points(&p);
}

/* ---- the sphere by itself */

static const char *const PLACES[] = {"Longitude", "lat"};

/* What the model took for the sphere. */
static void takes(const surekrig_data *data, const char *words, const char *sphere)
{
    char all[200];
    snprintf(all, sizeof all, "coverage=none neighbors=10 batch=50 evaluations=3 polish=0 %s", words);
    surekrig_model *m = fit(data, all);
    assert_string_equal(setting(m, "sphere"), sphere);
    assert_int_equal(m->metric.coordinates, strchr(sphere, ',') ? data->d + 1 : data->d);
    surekrig_model_free(m);
}

static void the_globe_is_seen(void **state)
{
    (void)state;
    points p = on_the_globe(0);
    p.data.n = 200;
    takes(&p.data, "", "no"); /* without names nothing is plain */
    p.data.x_names = PLACES;
    takes(&p.data, "", "Longitude,lat");
    takes(&p.data, "sphere=no", "no");
    takes(&p.data, "sphere=none", "none"); /* as files of old have it */
    takes(&p.data, "rho=40", "no");        /* in degrees */
    takes(&p.data, "rho=1:100", "no");
    takes(&p.data, "distance=lat", "no");
    takes(&p.data, "group=Longitude,lat", "no");
    takes(&p.data, "auto=yes", "Longitude,lat");
    p.data.x_names = (const char *const[]){"lon", "longitude"};
    takes(&p.data, "", "no");
    p.data.x_names = PLACES;
    double kept = p.x[11];
    p.x[11] = 91;
    takes(&p.data, "", "no");
    p.x[11] = kept;
    p.x[10] = 500;
    takes(&p.data, "", "no");
    free_points(&p);
}

/* Where a plane of degrees does: a region of some degrees, away from the poles. */
static void a_region_stays_a_plane(void **state)
{
    (void)state;
    const struct {
        double lon, lat, extent;
        const char *sphere;
    } regions[] = {{-95, 30, 5, "no"}, {10, -45, 19, "no"},          {10, -45, 21, "Longitude,lat"},
                   {200, 0, 19, "no"}, {20, 58, 5, "Longitude,lat"}, {20, -63, 5, "Longitude,lat"}};
    for (size_t r = 0; r < sizeof regions / sizeof *regions; r++) {
        points p = make_field(200, 2, 1, 1, 0.4, 0.01, 61);
        for (int i = 0; i < 200; i++) {
            p.x[2 * i] = regions[r].lon + regions[r].extent * p.x[2 * i];
            p.x[2 * i + 1] = regions[r].lat + (i < 2 ? i : 0.999 * p.x[2 * i + 1]) * fmin(regions[r].extent, 19);
            p.x[2 * i] = i < 2 ? regions[r].lon + i * regions[r].extent : p.x[2 * i];
        }
        p.data.x_names = PLACES;
        takes(&p.data, "", regions[r].sphere);
        free_points(&p);
    }
}

/* By itself or by name: the same model; it comes back from a file. */
static void by_itself_is_as_by_name(void **state)
{
    (void)state;
    points p = on_the_globe(0);
    p.data.x_names = PLACES;
    surekrig_model *m = fit(&p.data, "coverage=none neighbors=20 evaluations=10 polish=10"),
                   *n = fit(&p.data, "coverage=none neighbors=20 evaluations=10 polish=10 sphere=Longitude,lat"),
                   *again = NULL, *refitted = NULL;
    surekrig_error error;
    char path[] = "/tmp/surekrig-metric-XXXXXX";
    close(mkstemp(path));
    succeed(surekrig_model_save(m, path, &error), &error);
    succeed(surekrig_model_load(path, &again, &error), &error);
    points few = p;
    few.data.n = 50; /* a refit does not look anew */
    for (int i = 0; i < 50; i++) {
        few.x[2 * i] = i % 5;
        few.x[2 * i + 1] = i / 5.0;
    }
    succeed(surekrig_refit(&few.data, m, &refitted, &error), &error);
    assert_string_equal(setting(refitted, "sphere"), "Longitude,lat");
    remove(path);
    double at[4] = {180, 10, -180, 10};
    predicted a = predict(m, 2, at, 0, 1), b = predict(n, 2, at, 0, 1), c = predict(again, 2, at, 0, 1);
    close_to(a.mean[0], a.mean[1], 1e-9);
    same_bits(a.mean, b.mean, 2);
    same_bits(a.mean, c.mean, 2);
    free_predicted(&a);
    free_predicted(&b);
    free_predicted(&c);
    surekrig_model_free(m);
    surekrig_model_free(n);
    surekrig_model_free(again);
    surekrig_model_free(refitted);
    free_points(&p);
}

/* A trend in longitude would be a seam: auto tries one in the other columns. */
static void auto_has_no_seam_either(void **state)
{
    (void)state;
    if (SANITIZED)
        skip();
    points p = on_the_globe(0);
    p.data.x_names = PLACES;
    for (int i = 0; i < STATIONS; i++)
        p.y[i] += 0.5 * p.x[2 * i + 1];
    surekrig_model *m = fit(&p.data, "auto=yes neighbors=20 batch=100");
    assert_string_equal(setting(m, "mean"), "trend");
    assert_string_equal(setting(m, "trend"), "lat");
    double at[4] = {180, 10, -180, 10};
    predicted a = predict(m, 2, at, 0, 1);
    close_to(a.mean[0], a.mean[1], 1e-8);
    free_predicted(&a);
    surekrig_model_free(m);
    free_points(&p);
}

static void impossible_groups_and_scales_get_a_sentence(void **state)
{
    (void)state;
    points p = make_field(60, 4, 1, 1, 0.4, 0.01, 62);
    refused_with(&p.data, "group=x1,x9", "group = 'x1,x9': there is no feature 'x9'");
    refused_with(&p.data, "group=x1,x2;", "there is no feature ''");
    refused_with(&p.data, "group=x1", "'x1' is alone");
    refused_with(&p.data, "group=x1,x2;x3", "'x3' is alone");
    refused_with(&p.data, "group=x1,x1", "'x1' is named twice");
    refused_with(&p.data, "group=x1,x2;x2,x3", "'x2' is named twice");
    refused_with(&p.data, "group=x1,x2,x3,x4,x1", "'x1' is named twice");
    refused_with(&p.data, "group=x2,x3 sphere=x1,x2", "'x2' is in sphere = 'x1,x2' and in group = 'x2,x3'");
    refused_with(&p.data, "group=x1,x2 distance=x1,x3", "all of x1, x2 or none of them");
    refused_with(&p.data, "group=x1,x2 anisotropic=no", "of no use with anisotropic = no");
    refused_with(&p.data, "group=x1,x3 rho=1,2,3,4",
                 "rho has 4 values; it takes 1, or 3: for x1 and x3 together, for x2, for x4");
    refused_with(&p.data, "sphere=x1,x2 rho=1,2,3,4",
                 "it takes 1, or 3: for x1 and x2, which have one on the sphere (in km), for x3, for x4");
    p.data.d = 2;
    refused_with(&p.data, "sphere=x1,x2 rho=1,2", "it takes 1: for x1 and x2, which have one on the sphere (in km)");
    for (int i = 0; i < 60; i++)
        p.x[2 * i] = 3;
    refused_with(&p.data, "", "is constant (3 in all 60 rows)");
    free_points(&p);
    points many = make_field(60, 9, 1, 1, 0.4, 0.01, 63);
    refused_with(&many.data, "rho=1,2", "rho has 2 values; it takes 1, or 9: one for each feature or group");
    free_points(&many);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_two_may_be_longer),
        cmocka_unit_test(one_direction_may_be_longer),
        cmocka_unit_test(turned_axes_are_those_of_turned_points),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(neighbours_are_the_nearest_in_the_fitted_metric),
        cmocka_unit_test(a_fitted_metric_is_as_good_as_the_true_one),
        cmocka_unit_test(what_is_of_no_use_drops_out),
        cmocka_unit_test(files_and_refits_keep_the_metric),
        cmocka_unit_test(next_to_data_an_sd_has_a_floor),
        cmocka_unit_test(approximate_neighbours_say_how_good_they_are),
        cmocka_unit_test(the_date_line_is_no_seam),
        cmocka_unit_test(distances_are_chords),
        cmocka_unit_test(bad_places_get_a_sentence),
        cmocka_unit_test(a_group_has_one_length_scale),
        cmocka_unit_test(a_group_is_what_it_says),
        cmocka_unit_test(auto_tries_what_groups_could_be),
        cmocka_unit_test(few_rows_are_all_neighbours),
        cmocka_unit_test(smooth_functions_get_more_neighbours),
        cmocka_unit_test(copies_and_too_many_features_do_no_harm),
        cmocka_unit_test(the_globe_is_seen),
        cmocka_unit_test(a_region_stays_a_plane),
        cmocka_unit_test(by_itself_is_as_by_name),
        cmocka_unit_test(auto_has_no_seam_either),
        cmocka_unit_test(impossible_groups_and_scales_get_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
