/* What a point of the search means, and what an evaluation comes to: identities of the training, without a search. */
#include "fit_support.h"
#include "train/contest.h"

enum { ROWS = 120 };

typedef struct opened {
    points p;
    surekrig_settings *settings;
    surekrig_model *model;
    sk_training t;
} opened;

static void open_with(opened *o, const surekrig_progress *progress, const char *words)
{
    char all[400];
    surekrig_error error;
    snprintf(all, sizeof all, "preset=coverage threads=1 neighbors=8 batch=60 %s", words);
    o->settings = settings_of(all);
    succeed(sk_model_new(&o->p.data, o->settings, &o->model, &error), &error);
    succeed(sk_model_index(o->model, &error), &error);
    succeed(sk_training_open(o->model, progress, &o->t, &error), &error);
}

static void close_all(opened *o)
{
    sk_training_close(&o->t);
    surekrig_model_free(o->model);
    surekrig_settings_free(o->settings);
    free_points(&o->p);
}

/* Evaluates, and judges under no multipliers. */
static double objective_at(opened *o, const double *theta)
{
    sk_objective objective = sk_training_objective(&o->t);
    double lambda[8] = {0};
    surekrig_error error;
    succeed(objective.evaluate(&o->t, theta, &error), &error);
    return objective.lagrangian(&o->t, o->t.count - 1, lambda, 0, NULL);
}

/* ---- the first neighbours */

static bool alike_in(const sk_metric_part *part, const double *a, const double *b)
{
    bool alike = true;
    for (int64_t i = 0; i < part->coordinates; i++)
        alike &= a[part->coordinate[i]] == b[part->coordinate[i]];
    return alike;
}

/* Of the neighbours, over what all pairs of the batch have. */
static double share_where_the_point_is(const sk_training *t, int64_t number)
{
    const sk_metric_part *part = &t->m->metric.part[number];
    const sk_holdout *h = &t->batch;
    int64_t d = t->m->kriged.d;
    double near = 0, any = 0;
    for (int64_t i = 0; i < h->n; i++) {
        for (int64_t j = 0; j < h->k; j++)
            near += alike_in(part, h->x + i * d, t->m->kriged.x + h->neighbor[i * h->k + j] * d);
        for (int64_t j = 0; j < h->n; j++)
            any += j != i && alike_in(part, h->x + i * d, h->x + j * d);
    }
    near /= (double)(h->n * h->k);
    any /= (double)(h->n * (h->n - 1));
    return (near - any) / (1 - any);
}

enum { SITES = 6, TIMES = 200, STATIONS = 0, SCATTERED, RARE, KINDS };

/* Where all are at their point as a part tells, its sides are doubled until half of them are not, and no further. */
static void the_first_neighbours_tell_of_every_part(void **state)
{
    (void)state;
    for (int kind = STATIONS; kind < KINDS; kind++) {
        opened o = {.p = make_field(SITES * TIMES, 3, 1, 0.5, 0.3, 0.05, 54)};
        for (int64_t i = 0; i < SITES * TIMES; i++) {
            double *x = o.p.x + 3 * i;
            for (int a = 0; a < 2 && kind == STATIONS; a++)
                x[a] = sk_uniform(55, STREAM_PLACES, (uint64_t)(2 * (i % SITES) + a));
            if (kind == STATIONS)
                x[2] = (double)(i / SITES) / TIMES;
            if (kind == RARE)
                x[2] = i % 50 == 0 ? 1e-3 : 0; /* which is next to no distance */
        }
        open_with(&o, NULL, kind == RARE ? "anisotropic=yes group=x1,x2 scaling=box" : "anisotropic=yes group=x1,x2");
        double before[3], first[2] = {share_where_the_point_is(&o.t, 0), share_where_the_point_is(&o.t, 1)};
        surekrig_error error;
        memcpy(before, o.model->frame.side, sizeof before);
        succeed(sk_training_see_all(&o.t, &error), &error);
        double times = o.model->frame.side[0] / before[0], last = share_where_the_point_is(&o.t, 0);
        printf("kind %d: shares of %g and %g, %g times the side: %g\n", kind, first[0], first[1], times, last);
        assert_true(o.model->frame.side[1] / before[1] == times && o.model->frame.side[2] == before[2]);
        assert_true(kind == STATIONS ? first[0] > 0.95 && times > 1 && last < 0.55 && last > 0.05 : times == 1);
        if (kind == STATIONS) { /* a step before */
            double side[3] = {before[0] * times / 2, before[1] * times / 2, before[2]};
            sk_training_close(&o.t);
            succeed(sk_model_reframe(o.model, side, &error), &error);
            succeed(sk_training_open(o.model, NULL, &o.t, &error), &error);
            assert_true(share_where_the_point_is(&o.t, 0) > 0.45);
        }
        close_all(&o);
    }
}

/* ---- the search space */

static int axis_of(const sk_training *t, int row, int64_t part)
{
    for (int a = 0; a < t->axes; a++)
        if (t->moved[a].row == sk_hyper_row_at(row) && t->moved[a].part == part)
            return a;
    fail_msg("row %d is not searched", row);
    return -1;
}

static void ranges_that_are_asked_for(void **state)
{
    (void)state;
    opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 41)};
    open_with(&o, NULL, "nu=0.3:0.9:1.2 rho=0.1:0.2 tau2=0.02:0.05:0.5");
    surekrig_axis nu = o.t.axis[axis_of(&o.t, SK_HYPER_NU, -1)], rho = o.t.axis[axis_of(&o.t, SK_HYPER_RHO, -1)],
                  tau2 = o.t.axis[axis_of(&o.t, SK_HYPER_TAU2, -1)];
    assert_int_equal(o.t.axes, 3);
    assert_true(nu.lower == 0.3 && nu.start == 0.9 && nu.upper == 1.2);
    assert_true(tau2.lower == 0.02 && tau2.start == 0.05 && tau2.upper == 0.5);
    assert_true(rho.lower == 0.1 && rho.upper == 0.2 && rho.start >= 0.1 && rho.start <= 0.2);
    close_all(&o);
}

/* Of a gamma2, in the units of each response squared; with noise it is in the variance already. */
static void bounds_of_the_scale(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"gamma2=0.5:8", "gamma2=3", "gamma2=auto"};
    static const double BOUNDS[][2] = {{0.5, 8}, {3, 3}};
    for (int w = 0; w < 3; w++)
        for (int noisy = 0; noisy < 2; noisy++) {
            int64_t l = noisy ? 1 : 2;
            opened o = {.p = make_field(ROWS, 2, l, 0.5, 0.3, 0.05, 42)};
            for (int64_t i = 0; i < ROWS * l; i++)
                o.p.y[i] *= 7;
            if (noisy)
                add_noise(&o.p, 43);
            open_with(&o, NULL, WORDS[w]);
            for (int64_t q = 0; q < l; q++)
                for (int side = 0; side < 2; side++) {
                    double unit = o.model->spread[q] * o.model->spread[q], got = o.t.scale_range[side * l + q];
                    close_to(got, noisy ? 1 : w == 2 ? pow(10, side ? 200 : -200) : BOUNDS[w][side] / unit, 1e-12);
                }
            close_all(&o);
        }
}

/* One for each part of the metric, or one for all. */
static void length_scales_that_are_given(void **state)
{
    (void)state;
    for (int each = 0; each < 2; each++) {
        opened o = {.p = make_field(ROWS, 3, 1, 0.5, 0.3, 0.05, 50)};
        open_with(&o, NULL, each ? "nu=0.5 tau2=0.01 group=x1,x3 rho=0.2,0.5" : "nu=0.5 tau2=0.01 group=x1,x3 rho=0.2");
        assert_int_equal(o.t.axes, 0);
        for (int64_t p = 0; p < o.model->metric.parts; p++)
            for (int64_t i = 0; i < o.model->metric.part[p].coordinates; i++)
                assert_true(o.t.trial.rho[o.model->metric.part[p].coordinate[i]] == (each && p ? 0.5 : 0.2));
        assert_int_equal(o.model->metric.parts, 2);
        close_all(&o);
    }
}

/* How long the data are along a coordinate. */
static double extent(const points *p, int64_t a)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < p->data.n; i++) {
        low = fmin(low, p->x[i * p->data.d + a]);
        high = fmax(high, p->x[i * p->data.d + a]);
    }
    return high - low;
}

static void is_range(surekrig_axis axis, double lower, double start, double upper)
{
    close_to(axis.lower, lower, 1e-12);
    close_to(axis.start, start, 1e-12);
    close_to(axis.upper, upper, 1e-12);
}

/* Of what nobody has said: the smoothness, a length scale in sides of the data, a nugget relative to what neighbours do
 * not share, and with noise the scale in variances of the response. */
static void ranges_that_nobody_asked_for(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"", "aids=suggest,archive,bend,stop", "scaling=axis", "anisotropic=yes"};
    for (int w = 0; w < 4; w++)
        for (int noisy = 0; noisy < 2; noisy++) {
            opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 51)};
            for (int64_t i = 0; i < ROWS; i++)
                o.p.x[2 * i] *= 3;
            if (noisy)
                add_noise(&o.p, 52);
            open_with(&o, NULL, WORDS[w]);
            const sk_training *t = &o.t;
            double side[2] = {extent(&o.p, 0), extent(&o.p, 1)}, variance = pow(o.model->spread[0], 2);
            is_range(t->axis[axis_of(t, SK_HYPER_NU, -1)], 0.05, sk_hyper_row_at(SK_HYPER_NU)->start, 2.5);
            is_range(t->axis[axis_of(t, SK_HYPER_TAU2, -1)], 1e-5, 0.1, 1e3);
            assert_true(t->moved[axis_of(t, SK_HYPER_TAU2, -1)].relative);
            if (noisy)
                is_range(t->axis[axis_of(t, SK_HYPER_GAMMA2, -1)], 1e-3 * variance, variance, 1e3 * variance);
            assert_int_equal(t->axes, 3 + noisy + (w == 3));
            double longest = w == 2 ? 1 : fmax(side[0], side[1]);
            if (w < 3)
                is_range(t->axis[axis_of(t, SK_HYPER_RHO, -1)], 1e-3 * longest, 0.1 * longest,
                         (w == 1 ? 2.2 : 10) * longest);
            double near = hypot(t->offset[0] / side[0], t->offset[1] / side[1]);
            for (int a = 0; a < 2 && w == 3; a++)
                is_range(t->axis[axis_of(t, SK_HYPER_RHO, a)], 1e-3 * side[a], fmax(0.1, 3 * near) * side[a],
                         1e3 * side[a]);
            for (int a = 0; a < t->axes; a++)
                assert_int_equal(t->axis[a].log != 0, w != 1 || t->moved[a].relative);
            close_all(&o);
        }
}

/* Many features want a smoother field and a larger nugget. */
static void ranges_for_many_features(void **state)
{
    (void)state;
    for (int64_t d = 3; d <= 4; d++) {
        opened o = {.p = make_field(ROWS, d, 1, 0.5, 0.3, 0.05, 53)};
        open_with(&o, NULL, "anisotropic=yes");
        double plain = sk_hyper_row_at(SK_HYPER_NU)->start;
        is_range(o.t.axis[axis_of(&o.t, SK_HYPER_NU, -1)], 0.05, d > 3 ? 1.5 : plain, d > 3 ? 10 : 2.5);
        is_range(o.t.axis[axis_of(&o.t, SK_HYPER_TAU2, -1)], 1e-5, d > 3 ? 1 : 0.1, 1e3);
        assert_int_equal(o.t.axes, d + 2);
        close_all(&o);
    }
}

/* Of pairs in the neighbourhoods that are looked at, a point's with its neighbours and theirs among themselves: a
 * quarter of the least that is not 0, four times the largest, and the root mean square from the points along each
 * coordinate. */
static void distances_of(const sk_training *t, double unit)
{
    const sk_holdout *h = &t->batch;
    int64_t d = t->m->kriged.d, step = h->n / 256 + 1, pairs = 0, time = t->trial.time;
    double least = INFINITY, most = 0, square[4] = {0};
    for (int64_t i = 0; i < h->n; i += step)
        for (int64_t j = 0; j < h->k; j++)
            for (int64_t g = -1; g < j; g++) {
                const double *p = t->m->kriged.x + h->neighbor[i * h->k + j] * d,
                             *q = g < 0 ? h->x + i * d : t->m->kriged.x + h->neighbor[i * h->k + g] * d;
                double apart = 0, away = 0, later = time < 0 ? 0 : fabs(p[time] - q[time]) / unit;
                for (int64_t a = 0; a < d; a++) {
                    double gap = (p[a] - q[a]) / unit;
                    apart += gap * gap;
                    away += a == time ? 0 : gap * gap;
                    square[a] += g < 0 ? gap * gap : 0;
                }
                pairs += g < 0;
                most = fmax(most, sqrt(apart));
                least = fmin(least, away > 0 ? sqrt(away) : INFINITY);
                least = fmin(least, later > 0 ? later : INFINITY);
            }
    close_to(t->distance[0], unit * least / 4, 1e-12);
    close_to(t->distance[1], unit * most * 4, 1e-12);
    for (int64_t a = 0; a < d; a++)
        close_to(t->offset[a], unit * sqrt(square[a] / (double)pairs), 1e-12);
}

static void distances_in_neighbourhoods(void **state)
{
    (void)state;
    static const double UNIT[] = {1, 0x1p600, 0x1p-600}; /* whose squares are too large, or too small */
    for (int c = 0; c < 6; c++) {
        bool many = c == 3, twice = c == 4, time = c == 5;
        opened o = {.p = make_field(many ? 600 : ROWS, 2, 1, 0.5, 0.3, 0.05, 54)};
        double unit = c < 3 ? UNIT[c] : 1;
        for (int64_t i = 0; i < 2 * o.p.data.n; i++)
            o.p.x[i] *= unit;
        if (twice) /* places of two rows each */
            memcpy(o.p.x + ROWS, o.p.x, ROWS * sizeof *o.p.x);
        for (int64_t i = 0; i < ROWS && time; i++)
            o.p.x[2 * i + 1] = (double)(i % 7);
        open_with(&o, NULL, many ? "batch=520 nu=0.5" : time ? "nu=0.5 time=x2 spacetime=separable" : "nu=0.5");
        assert_int_equal(o.t.trial.time >= 0, time);
        distances_of(&o.t, unit);
        close_all(&o);
    }
}

/* Each evaluation and its theta stay where they are, however many more come. */
static void evaluations_are_kept(void **state)
{
    (void)state;
    enum { MANY = 200 };
    opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 55)};
    open_with(&o, NULL, "nu=0.5 tau2=0.05:0.5 coverage=none");
    double value[MANY], theta[2];
    for (int i = 0; i < MANY; i++) {
        theta[0] = 0.1 + 0.001 * i;
        theta[1] = 0.05 + 0.002 * i;
        value[i] = objective_at(&o, theta);
        assert_int_equal(o.t.count, i + 1);
    }
    sk_objective objective = sk_training_objective(&o.t);
    for (int i = 0; i < MANY; i++) {
        assert_true(o.t.theta[2 * i] == 0.1 + 0.001 * i && o.t.theta[2 * i + 1] == 0.05 + 0.002 * i);
        assert_true(objective.lagrangian(&o.t, i, (double[]){0}, 0, NULL) == value[i]);
    }
    sk_training_forget(&o.t);
    assert_true(o.t.count == 0 && o.t.forgotten == MANY);
    assert_true(objective_at(&o, (double[]){0.1, 0.05}) == value[0]);
    close_all(&o);
}

/* 1 - M at the root mean square of the distances from a point of the batch to its neighbours, of nu = 1/2: 1 - exp(-u). */
static double unshared(const sk_training *t, const double *rho)
{
    const sk_holdout *h = &t->batch;
    double sum = 0;
    for (int64_t i = 0; i < h->n; i++)
        for (int64_t j = 0; j < h->k; j++)
            for (int a = 0; a < 2; a++) {
                double apart = h->x[2 * i + a] - t->m->kriged.x[2 * h->neighbor[i * h->k + j] + a];
                sum += pow(apart / rho[a], 2) / (double)(h->n * h->k);
            }
    return -expm1(-sqrt(sum));
}

static void a_nugget_is_relative_to_what_neighbours_do_not_share(void **state)
{
    (void)state;
    opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 42)};
    open_with(&o, NULL, "nu=0.5 anisotropic=yes");
    sk_training *t = &o.t;
    double theta[8];
    for (int a = 0; a < t->axes; a++)
        theta[a] = t->axis[a].start;
    theta[axis_of(t, SK_HYPER_RHO, 0)] = 0.3;
    theta[axis_of(t, SK_HYPER_RHO, 1)] = 0.7;
    theta[axis_of(t, SK_HYPER_TAU2, -1)] = 0.4;
    sk_training_try(t, theta);
    close_to(t->trial.rho[0], 0.3, 1e-14);
    close_to(t->trial.rho[1], 0.7, 1e-14);
    close_to(t->trial.tau2, 0.4 * unshared(t, (double[]){0.3, 0.7}), 1e-12);
    theta[axis_of(t, SK_HYPER_TAU2, -1)] = 1e-5;
    theta[axis_of(t, SK_HYPER_RHO, 0)] = theta[axis_of(t, SK_HYPER_RHO, 1)] = 900;
    sk_training_try(t, theta);
    assert_true(t->trial.tau2 == SK_TAU2_LOWEST);
    close_all(&o);
}

/* A search that begins at some hyperparameters begins at a point that means them. */
static void a_search_begins_where_it_is_told(void **state)
{
    (void)state;
    static const char *const CASES[] = {"nu=auto",       "anisotropic=yes", "scaling=axis",
                                        "tau2=0.001:10", "terms=2",         "terms=2 long_nu=0.3:2.5 anisotropic=yes",
                                        "gamma2=0.1:50"};
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++)
        for (int noisy = 0; noisy < 2; noisy++) {
            opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 43)};
            if (noisy)
                add_noise(&o.p, 44);
            open_with(&o, NULL, CASES[c]);
            sk_training *t = &o.t;
            double theta[9], found[9];
            for (int a = 0; a < t->axes; a++)
                theta[a] = t->axis[a].lower * pow(t->axis[a].upper / t->axis[a].lower, 0.4 + 0.02 * a);
            sk_hyper there = {0};
            surekrig_error error;
            succeed(sk_hyper_new(t->trial.d, 1, &there, &error), &error);
            sk_training_try(t, theta);
            sk_hyper_copy(&t->trial, &there);
            sk_training_begin(t, &there);
            for (int a = 0; a < t->axes; a++)
                found[a] = t->axis[a].start;
            for (int a = 0; a < t->axes; a++)
                close_to(found[a], theta[a], 1e-10);
            sk_training_try(t, found);
            for (int64_t a = 0; a < there.d; a++)
                close_to(t->trial.rho[a], there.rho[a], 1e-10);
            close_to(t->trial.tau2, there.tau2, 1e-10);
            close_to(t->trial.gamma2_std[0], there.gamma2_std[0], 1e-10);
            sk_hyper_free(&there);
            close_all(&o);
        }
}

/* ---- what is reported of a search */

/* A search of one round, of random places; *best is the lowest. */
static sk_round search_at_random(opened *o, int count, double *value, double *lambda, double *residual)
{
    sk_training *t = &o->t;
    sk_round round = {.lambda = lambda, .beta = 1, .searched = 1, .residual = residual};
    for (int i = 0; i < count; i++) {
        double theta[8];
        for (int a = 0; a < t->axes; a++) /* ends of the axes among them */
            theta[a] = t->axis[a].lower *
                       pow(t->axis[a].upper / t->axis[a].lower,
                           fmin(fmax(-0.1 + 1.2 * sk_uniform(77, STREAM_PLACES, (uint64_t)(i * 8 + a)), 0), 1));
        value[i] = objective_at(o, theta);
        if (value[i] < value[round.best])
            round.best = i;
    }
    round.lagrangian = value[round.best];
    round.evaluations = count;
    return round;
}

/* Estimates of what was searched, between the ends of where it was, and which others are nearly as good. */
static void reports_tell_of_the_search(void **state)
{
    (void)state;
    enum { MANY = 60 };
    static const char *const WORDS[] = {"nu=0.3:2 rho=0.05:3 tau2=0.01:0.5 gamma2=0.2:9 loss=lool",
                                        "nu=0.3:2 rho=0.05:3 loss=block",
                                        "nu=0.5 anisotropic=yes tau2=0.05:0.5 loss=lool interval=student",
                                        "nu=0.5 rho=0.05:3 tau2=0.1 scaling=axis loss=lool"};
    for (int w = 0; w < 4; w++) {
        opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 56)};
        char words[200];
        snprintf(words, sizeof words, "coverage=none %s", WORDS[w]);
        open_with(&o, NULL, words);
        sk_training *t = &o.t;
        double value[MANY], lambda[1] = {0}, residual[1] = {0};
        sk_round round = search_at_random(&o, MANY, value, lambda, residual);
        sk_result result = {1, &round, round.best, SUREKRIG_CONVERGED};
        surekrig_error error;
        succeed(sk_training_report(t, &result, &error), &error);
        const surekrig_info *info = surekrig_model_info(o.model);
        assert_true(info->evaluations == MANY && info->rounds == 1 && info->outcome == SUREKRIG_CONVERGED);
        for (int i = 0; i < MANY; i++)
            assert_true(info->history[i] == value[i]);
        double told = (double)t->batch.n + (t->loss.row->needs_neighbors ? t->errors.neighbours : 0),
               limit = 4 / fmin(told, ROWS);
        for (int a = 0; a < t->axes; a++) {
            const sk_moved *moved = &t->moved[a];
            const surekrig_estimate *e =
                &info->estimate[sk_hyper_first(o.model, moved->row) + (moved->part > 0 ? moved->part : 0)];
            bool rho = moved->row == sk_hyper_row_at(SK_HYPER_RHO);
            double unit = rho && w == 3 ? o.model->frame.start[0] : 1, least = INFINITY, most = -INFINITY;
            close_to(e->lower, moved->relative ? SK_TAU2_LOWEST : t->axis[a].lower * unit, 1e-12);
            close_to(e->upper, moved->relative ? SK_TAU2_HIGHEST : t->axis[a].upper * unit, 1e-12);
            double at = log(e->value / e->lower) / log(e->upper / e->lower);
            assert_int_equal(e->at_bound, at < 0.002   ? SUREKRIG_BOUND_LOWER
                                          : at > 0.998 ? SUREKRIG_BOUND_UPPER
                                                       : SUREKRIG_BOUND_NONE);
            if (moved->relative)
                continue;
            close_to(e->value, t->theta[round.best * t->axes + a] * unit, 1e-12);
            for (int i = 0; i < MANY; i++)
                if (value[i] <= value[round.best] + limit) {
                    least = fmin(least, t->theta[i * t->axes + a] * unit);
                    most = fmax(most, t->theta[i * t->axes + a] * unit);
                }
            close_to(e->as_good[0], least, 1e-12);
            close_to(e->as_good[1], most, 1e-12);
        }
        const surekrig_estimate *scale = &info->estimate[sk_hyper_first(o.model, sk_hyper_row_at(SK_HYPER_GAMMA2))];
        if (w == 0)
            assert_true(scale->lower == 0.2 && scale->upper == 9);
        else
            assert_true(isnan(scale->lower) && isnan(scale->upper));
        if (w == 2) { /* the second length scale counts twice */
            assert_int_equal(info->freedom, ROWS - 1 - t->axes - 1);
            close_to(scale->value,
                     o.model->round[0].theta[sk_hyper_first(o.model, sk_hyper_row_at(SK_HYPER_GAMMA2))] * ROWS /
                         (double)info->freedom,
                     1e-12);
        }
        close_all(&o);
    }
}

/* ---- what an evaluation comes to */

/* Above ten times a response's variance an automatic gamma2 costs, that of each response. */
static void an_extravagant_scale_costs(void **state)
{
    (void)state;
    static const char *const WORDS[] = {"nu=0.5 tau2=0 coverage=none aids=suggest,archive,bend,log,stop",
                                        "nu=0.5 tau2=0 coverage=none"};
    for (int64_t l = 1; l <= 2; l++) {
        double objective[2], cost = 0;
        for (int priced = 0; priced < 2; priced++) {
            opened o = {.p = make_field(ROWS, 2, l, 0.5, 0.1, 0.5, 45)};
            open_with(&o, NULL, WORDS[priced]);
            objective[priced] = objective_at(&o, &(double){o.t.axis[0].upper});
            for (int64_t q = 0; q < l && priced; q++) {
                assert_true(o.t.verdict.scale[q] > 11);
                cost += 0.01 * pow(log(o.t.verdict.scale[q] / 10), 2);
            }
            close_all(&o);
        }
        near_to(objective[1] - objective[0], cost, 1e-12);
    }
}

/* Noise of one variance everywhere is a nugget of it over gamma2. */
static void even_noise_is_a_nugget(void **state)
{
    (void)state;
    static const char *const LOSSES[] = {"lool", "block", "crps"};
    for (int i = 0; i < 3; i++) {
        double objective[2];
        for (int noisy = 0; noisy < 2; noisy++) {
            char words[100];
            opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 46)};
            add_noise(&o.p, 47);
            for (int j = 0; j < ROWS; j++)
                o.p.noise[j] = 0.3;
            o.p.data.noise = noisy ? o.p.noise : NULL;
            snprintf(words, sizeof words, "nu=0.5 tau2=%s gamma2=1.5 loss=%s", noisy ? "0" : "0.2", LOSSES[i]);
            open_with(&o, NULL, words);
            objective[noisy] = objective_at(&o, &(double){0.4});
            close_all(&o);
        }
        close_to(objective[0], objective[1], 1e-9);
    }
}

/* Among near neighbours the variance goes as 1/rho where nu = 1/2: the rho that is suggested has the scale asked for. */
static void the_rho_suggested_has_the_scale(void **state)
{
    (void)state;
    opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0, 48)};
    open_with(&o, NULL, "nu=0.5 tau2=0 gamma2=1 coverage=none");
    double theta = o.t.axis[0].upper;
    objective_at(&o, &theta);
    double before = o.t.evaluation[0]->mean_square[0] / o.t.loss.scale_low[0];
    assert_true(before > 3);
    assert_true(sk_training_objective(&o.t).suggest(&o.t, 0, &theta));
    objective_at(&o, &theta);
    near_to(log(o.t.evaluation[1]->mean_square[0] / o.t.loss.scale_low[0]), 0, 0.1 * log(before));
    close_all(&o);
}

/* The progress report shows the lowest objective under the multipliers in force, and the coverage nearest to 95 %. */
static void progress_shows_the_lowest(void **state)
{
    (void)state;
    opened o = {.p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 49)};
    open_with(&o, NULL, "nu=0.5 tau2=0.05 coverage=0.5,0.94,0.8");
    sk_objective objective = sk_training_objective(&o.t);
    double lambda[2][3] = {{0}, {0.1, 0.1, 0.1}}, coverage = NAN;
    surekrig_error error;
    for (int round = 0; round < 2; round++) {
        double least = INFINITY;
        for (int i = 0; i < 5; i++) {
            double residual[3];
            if (!round)
                succeed(objective.evaluate(&o.t, &(double){0.05 * pow(2, (i + 2) % 5)}, &error), &error);
            double value = objective.lagrangian(&o.t, i, lambda[round], round, residual);
            if (value < least)
                coverage = residual[1] + 0.94;
            least = fmin(least, value);
            assert_true(o.t.ticker.report.objective == least);
            near_to(o.t.ticker.report.coverage, coverage, 1e-12);
        }
    }
    assert_int_equal(o.t.ticker.report.evaluations, 5);
    close_all(&o);
}

/* ---- what auto = yes tries */

static const sk_change *change_named(const char *name, const char *value)
{
    const sk_change *c = sk_changes;
    while (c->name && (strcmp(c->name, name) || strcmp(c->value, value)))
        c++;
    assert_non_null(c->name);
    return c;
}

/* What the user has set is left alone; each change is for the data it is meant for. */
static void changes_for_the_data_they_fit(void **state)
{
    (void)state;
    static const struct {
        const char *asked, *name, *value;
        sk_contest c;
        int64_t n, d;
        bool fits;
    } CASES[] = {
        {"", "mean", "trend", {0}, 9, 2, true}, /* three rows for each coefficient */
        {"", "mean", "trend", {0}, 8, 2, false},
        {"", "mean", "trend", {.by_feature = true}, 500, 2, true},
        {"", "mean", "trend", {.by_feature = true}, 499, 2, false},
        {"", "mean", "trend", {.by_feature = true}, 5000, 5, false}, /* no places */
        {"mean=zero", "mean", "trend", {0}, 900, 2, false},
        {"", "terms", "2", {0}, 900, 2, true},
        {"", "terms", "2", {.by_feature = true}, 900, 4, true},
        {"", "terms", "2", {.by_feature = true}, 900, 5, false},
        {"terms=1", "terms", "2", {0}, 900, 2, false},
        {"", "loss", "lool", {0}, 900, 2, false},
        {"", "loss", "lool", {.by_feature = true}, 500, 5, true},
        {"", "loss", "lool", {.by_feature = true}, 499, 5, false},
        {"", "spacetime", "gneiting", {.time = true}, 900, 3, true},
        {"", "spacetime", "gneiting", {0}, 900, 3, false},
        {"optimizer=lbfgs", "spacetime", "gneiting", {.time = true}, 900, 3, false},
        {"terms=2", "spacetime", "geometric", {.time = true}, 900, 3, false},
        {"", "anisotropic", "yes", {.scales = 2}, 900, 2, true},
        {"", "anisotropic", "yes", {.scales = 1}, 900, 2, false},
        {"", "anisotropic", "yes", {.scales = 2, .grouped = true}, 900, 2, false},
        {"", "anisotropic", "yes", {.scales = 2, .by_feature = true}, 900, 2, false},
        {"rho=0.1", "anisotropic", "yes", {.scales = 2}, 900, 2, false},
        {"anisotropic=no", "anisotropic", "yes", {.scales = 2}, 900, 2, false},
        {"", "anisotropic", "no", {.grouped = true, .by_feature = true}, 900, 2, true},
        {"", "anisotropic", "no", {.by_feature = true}, 900, 2, false},
        {"", "group", "none", {.grouped = true}, 900, 2, true},
        {"", "group", "none", {0}, 900, 2, false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        surekrig_settings *asked = settings_of(CASES[i].asked);
        sk_contest c = CASES[i].c;
        c.data = &(surekrig_data){.n = CASES[i].n, .d = CASES[i].d};
        c.asked = asked;
        if (sk_change_fits(&c, change_named(CASES[i].name, CASES[i].value)) != CASES[i].fits)
            fail_msg("case %d: %s = %s", (int)i, CASES[i].name, CASES[i].value);
        surekrig_settings_free(asked);
    }
}

static void is_set(const surekrig_settings *settings, const char *name, const char *value)
{
    if (strcmp(surekrig_settings_get(settings, name), value))
        fail_msg("%s = %s, not %s", name, surekrig_settings_get(settings, name), value);
}

/* Who is asked for a second length scale, whose features are too many for their rows, and what intervals few rows get. */
static void what_rows_are_enough_for(void **state)
{
    (void)state;
    static const struct {
        const char *words;
        int64_t n, d;
        bool longer, few;
        const char *interval;
    } CASES[] = {
        {"", 199, 2, true, false, "student"},
        {"", 200, 2, true, false, "conformal"},
        {"", 29, 3, false, true, "student"},
        {"", 30, 3, false, false, "student"},
        {"", 19, 2, true, false, "student"},
        {"", 39, 4, false, true, "student"},
        {"", 9, 1, false, false, "student"},
        {"anisotropic=yes", 20, 3, false, false, "student"},
        {"anisotropic=no", 20, 3, false, false, "student"},
        {"anisotropic=no", 20, 2, false, false, "student"},
        {"rho=0.1", 20, 3, false, false, "student"},
        {"rho=0.1", 20, 2, false, false, "student"},
        {"rho=0.1:0.2", 20, 3, false, true, "student"},
        {"rho=0.1:0.2", 20, 2, false, false, "student"},
        {"time=t", 20, 3, false, false, "student"},
        {"group=a,b", 20, 3, false, false, "student"},
        {"seconds=10", 20, 2, false, false, "student"},
        {"coverage=0.9", 20, 2, false, false, "gaussian"},
        {"coverage=0.9", 200, 2, false, false, "conformal"},
        {"coverage=none", 20, 2, true, false, "student"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        surekrig_settings *s = settings_of(CASES[i].words);
        surekrig_data data = {.n = CASES[i].n, .d = CASES[i].d};
        if (sk_may_ask_longer(&data, s) != CASES[i].longer || sk_few_for_scales(&data, s) != CASES[i].few ||
            strcmp(sk_interval_for(&data, s), CASES[i].interval))
            fail_msg("case %d: %d, %d, %s", (int)i, sk_may_ask_longer(&data, s), sk_few_for_scales(&data, s),
                     sk_interval_for(&data, s));
        surekrig_settings_free(s);
    }
}

static void what_goes_with_a_change(void **state)
{
    (void)state;
    surekrig_settings *asked = settings_of(""), *s = settings_of("rho=0.1:0.5");
    surekrig_data data = {.n = 900, .d = 2};
    sk_contest c = {.data = &data, .asked = asked, .alike = true, .slopes = (char *)"y"};
    surekrig_error error;
    succeed(sk_make_change(&c, s, change_named("mean", "trend"), &error), &error);
    is_set(s, "mean", "trend");
    is_set(s, "trend", "y");
    succeed(sk_make_change(&c, s, change_named("anisotropic", "yes"), &error), &error);
    is_set(s, "rho", "0.1:0.5");
    c.alike = false;
    succeed(sk_make_change(&c, s, change_named("group", "none"), &error), &error);
    is_set(s, "anisotropic", "yes");
    is_set(s, "rho", "auto");
    succeed(surekrig_settings_set(s, "spacetime", "gneiting", &error), &error);
    succeed(sk_make_change(&c, s, change_named("anisotropic", "no"), &error), &error);
    is_set(s, "spacetime", "gneiting");
    c.time = true;
    succeed(sk_make_change(&c, s, change_named("anisotropic", "no"), &error), &error);
    is_set(s, "spacetime", "geometric");
    surekrig_settings_free(s);
    surekrig_settings_free(asked);
}

/* Trials and the training in full share the seconds that there are. */
static void trials_are_quick(void **state)
{
    (void)state;
    for (int by_feature = 0; by_feature < 2; by_feature++) {
        surekrig_settings *asked = settings_of("seconds=20 mean=zero"), *s = settings_of("seconds=20 mean=zero");
        surekrig_data data = {.n = 401, .d = 2};
        sk_contest c = {.data = &data, .asked = asked, .planned = 4, .by_feature = by_feature, .settings = {s}};
        surekrig_error error;
        succeed(sk_make_plain(&c, s, &error), &error);
        is_set(s, "neighbors", "100");
        is_set(s, "sectors", "yes");
        is_set(s, "mean", "zero");
        is_set(s, "loss", "block");
        succeed(sk_make_quick(&c, s, &error), &error);
        assert_true(s->seconds == 2.5);
        is_set(s, "batch", by_feature ? "256" : "160");
        is_set(s, "optimizer", by_feature ? "lbfgs" : "local");
        is_set(s, "variance", "global");
        surekrig_settings_free(s);
        c.settings[0] = s = settings_of("seconds=20 loss=block");
        succeed(sk_make_full(&c, 0, 0.25, &error), &error);
        assert_true(s->seconds == 5);
        is_set(s, "interval", "conformal");
        is_set(s, "coverage", "none");
        is_set(s, "variance", "local");
        is_set(s, "batch", "512");
        surekrig_settings_free(s);
        data.n = 199; /* too few for intervals from scores */
        c.settings[0] = s = settings_of("seconds=20 loss=block");
        succeed(sk_make_full(&c, 0, 0.25, &error), &error);
        is_set(s, "interval", "student");
        is_set(s, "coverage", "none");
        is_set(s, "variance", "global");
        surekrig_settings_free(s);
        surekrig_settings_free(asked);
    }
}

/* Of few rows all at once, where that is no worse; of many twice as many, while the CRPS falls by a fiftieth. Noise, a
 * smooth field, and a slope taken for another. */
static void neighbours_are_more_where_that_gains(void **state)
{
    (void)state;
    enum { D = 5, K = 10 };
    int taken[2][2] = {{0}};
    for (int c = 0; c < 10; c++) {
        int64_t n = c % 2 ? 450 : 80;
        points p = make_field(n, D, 1, 1.5, 1.5, 0.01, 60 + (uint64_t)c);
        for (int64_t i = 0; i < n && c < 6; i++)
            p.y[i] = c == 2 ? p.x[D * i] : normal(70 + (uint64_t)c, (uint64_t)i);
        char words[120]; /* of a slope, means of the nearest are better than means of all */
        snprintf(words, sizeof words, "anisotropic=yes nu=1.5 rho=%g tau2=%g coverage=none neighbors=10 batch=40",
                 c == 2 ? 50. : 1.5, c == 2 ? 5 : 0.2);
        surekrig_model *m = fit(&p.data, words);
        sk_choice made = {0};
        surekrig_error error;
        double gamma2 = m->hyper.gamma2_std[0];
        succeed(sk_widen(&p.data, m->settings, &m, &made, NULL, &error), &error);
        assert_true(made.trials >= 2 && m->hyper.gamma2_std[0] == gamma2);
        int64_t k = K;
        int last = 0;
        for (int t = 0; t < made.trials; t++) {
            char what[40];
            int64_t tried = t == 0 ? K : n == 80 ? 79 : K << t < 400 ? K << t : 400;
            bool gains = t > 0 && made.trial[t].crps <= (n == 80 ? 1 : 0.98) * made.trial[t - 1].crps;
            snprintf(what, sizeof what, "neighbors = %d", (int)tried);
            assert_string_equal(made.trial[t].what, what);
            k = gains ? tried : k;
            last = gains ? t : last;
            assert_true(t == 0 || gains || t == made.trials - 1);
        }
        for (int t = 0; t < made.trials; t++)
            assert_int_equal(made.trial[t].kept, t == last);
        assert_int_equal(m->info.neighbors, k);
        assert_int_equal(atoi(surekrig_settings_get(m->settings, "neighbors")), (int)k);
        taken[n == 80][last > 0]++;
        surekrig_model_free(m);
        free_points(&p);
    }
    printf("few rows: %d of %d take more, many: %d of %d\n", taken[1][1], taken[1][0] + taken[1][1], taken[0][1],
           taken[0][0] + taken[0][1]);
    assert_true(taken[0][0] > 0 && taken[0][1] > 0 && taken[1][0] > 0 && taken[1][1] > 0);
}

/* A training that begins where a feature was left out takes it in again where that is worth it, in whatever units: powers
 * of two are exact. */
static void a_feature_that_matters_comes_back(void **state)
{
    (void)state;
    static const double UNIT[] = {1, 1024, 1.0 / 1024};
    double rho[3];
    for (int i = 0; i < 3; i++) {
        points p = make_field(ROWS, 2, 1, 1.5, 0.3, 0.01, 61);
        for (int64_t j = 0; j < ROWS; j++)
            p.x[2 * j + 1] *= UNIT[i];
        surekrig_settings *s = settings_of(
            "threads=1 neighbors=8 batch=60 anisotropic=yes coverage=none nu=1.5 loss=block optimizer=lbfgs mean=zero "
            "sectors=no variance=global interval=gaussian");
        surekrig_model *m = NULL, *again = NULL;
        sk_start start;
        surekrig_error error;
        succeed(sk_fit_plain(&p.data, s, (sk_fitting){0}, NULL, &m, &error), &error);
        assert_true(isfinite(m->frame.side[1]));
        succeed(sk_start_at(m, &start, &error), &error);
        start.side[1] = start.hyper.rho[1] = INFINITY;
        start.hyper.tau2 = 0.5; /* so that it does not end where it began */
        succeed(sk_fit_plain(&p.data, s, (sk_fitting){.start = &start}, NULL, &again, &error), &error);
        rho[i] = value_of(again, "rho_x2");
        assert_true(isfinite(again->frame.side[1]) && isfinite(rho[i]));
        close_to(rho[i], UNIT[i] * rho[0], 1e-9);
        sk_start_free(&start);
        surekrig_model_free(m);
        surekrig_model_free(again);
        surekrig_settings_free(s);
        free_points(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_are_more_where_that_gains),
        cmocka_unit_test(the_first_neighbours_tell_of_every_part),
        cmocka_unit_test(ranges_that_are_asked_for),
        cmocka_unit_test(ranges_that_nobody_asked_for),
        cmocka_unit_test(ranges_for_many_features),
        cmocka_unit_test(distances_in_neighbourhoods),
        cmocka_unit_test(evaluations_are_kept),
        cmocka_unit_test(bounds_of_the_scale),
        cmocka_unit_test(length_scales_that_are_given),
        cmocka_unit_test(a_nugget_is_relative_to_what_neighbours_do_not_share),
        cmocka_unit_test(a_search_begins_where_it_is_told),
        cmocka_unit_test(reports_tell_of_the_search),
        cmocka_unit_test(an_extravagant_scale_costs),
        cmocka_unit_test(even_noise_is_a_nugget),
        cmocka_unit_test(the_rho_suggested_has_the_scale),
        cmocka_unit_test(progress_shows_the_lowest),
        cmocka_unit_test(changes_for_the_data_they_fit),
        cmocka_unit_test(what_rows_are_enough_for),
        cmocka_unit_test(what_goes_with_a_change),
        cmocka_unit_test(trials_are_quick),
        cmocka_unit_test(a_feature_that_matters_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
