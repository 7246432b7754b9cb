/* Widths of intervals: variances that follow the neighbours, and conformal quantiles, on data that are as the model
 * says and on data that are not. */
#include "fit_support.h"
#include "train/train.h"

/* ---- data: a field on a grid, a random half to train on, the other to be predicted */

enum { SIDE = 60, ALL = SIDE * SIDE, N = ALL / 2 };
#define SHAPE "nu=0.5 rho=0.2 tau2=4 mean=local coverage=none neighbors=20 batch=300 "

typedef enum kind { STATIONARY, GROWING, HEAVY, SKEWED } kind;

typedef struct halves {
    double x[2][2 * N], y[2][N]; /* trained on, predicted */
    double again[N];             /* observed once more where the first half was */
} halves;

/* A draw of variance 1: normal, Student's t with 3 degrees of freedom, or exponential. */
static double error_of(kind k, uint64_t seed, uint64_t i)
{
    double u = sk_uniform(seed, STREAM_ERRORS + 7, i), z[4];
    for (uint64_t j = 0; j < 4; j++)
        z[j] = normal(seed, 4 * i + j);
    if (k == HEAVY)
        return z[0] / sqrt(z[1] * z[1] + z[2] * z[2] + z[3] * z[3]); /* t3 / sqrt 3 */
    return k == SKEWED ? -log(u) - 1 : z[0];
}

/* A fifth of the variance is the field's, the rest the errors'; GROWING: both times 7 from left to right. */
static halves *make_halves(kind k, uint64_t seed)
{
    halves *h = sk_alloc(1, sizeof *h);
    double *field = sk_doubles(ALL), rho[2] = {0.2, 0.2};
    surekrig_theta theta = {1, &(surekrig_term){1, 0.5, rho}, 0, 0.2};
    surekrig_sample sample = {.d = 2, .size = {SIDE, SIDE}, .upper = {1, 1}, .seed = seed, .threads = 1};
    surekrig_error error;
    succeed(surekrig_simulate(&sample, &theta, field, &error), &error);
    int64_t train[N], at[2] = {0, 0};
    succeed(sk_sample_rows(seed, ALL, N, train, &error), &error);
    for (int64_t i = 0; i < ALL; i++) {
        int to = !(at[0] < N && train[at[0]] == i);
        double x[2] = {(double)(i / SIDE) / (SIDE - 1), (double)(i % SIDE) / (SIDE - 1)};
        double size = k == GROWING ? exp(2 * x[0] - 1) : 1;
        h->y[to][at[to]] = size * (field[i] + sqrt(0.8) * error_of(k, seed, (uint64_t)i));
        if (!to)
            h->again[at[0]] = size * (field[i] + sqrt(0.8) * error_of(k, seed + 1000, (uint64_t)i));
        memcpy(h->x[to] + 2 * at[to]++, x, sizeof x);
    }
    free(field);
    return h;
}

static surekrig_model *fit_half(const halves *h, const char *words)
{
    return fit(&(surekrig_data){.n = N, .d = 2, .l = 1, .x = h->x[0], .y = h->y[0]}, words);
}

/* The share of the predicted half inside its interval, of points with x1 from low to high. */
static double covered(const halves *h, const surekrig_model *m, double level, double low, double high)
{
    predicted p = predict(m, N, h->x[1], 0, 1);
    double z = surekrig_model_quantile(m, 0, level);
    int64_t inside = 0, count = 0;
    for (int64_t i = 0; i < N; i++) {
        if (!(h->x[1][2 * i] >= low && h->x[1][2 * i] <= high))
            continue;
        count++;
        inside += fabs(h->y[1][i] - p.mean[i]) < z * p.sd[i];
    }
    free_predicted(&p);
    return (double)inside / (double)count;
}

/* Of the coverage of n points under a quantile of m scores: both are samples. */
static double sampling_sd(double level, double n, double m)
{
    return sqrt(level * (1 - level) * (1 / n + 1 / m));
}

/* ---- local variance */

/* Where one gamma2 is right, widths that follow the neighbours hardly differ from it. */
static void little_changes_where_the_model_is_right(void **state)
{
    (void)state;
    halves *h = make_halves(STATIONARY, 1);
    surekrig_model *one = fit_half(h, SHAPE), *local = fit_half(h, SHAPE "variance=local");
    predicted a = predict(one, N, h->x[1], 0, 1), b = predict(local, N, h->x[1], 0, 1);
    double log_ratio = 0, square = 0;
    for (int64_t i = 0; i < N; i++) {
        double r = log(b.sd[i] / a.sd[i]);
        log_ratio += r / N;
        square += r * r / N;
    }
    near_to(log_ratio, 0, 0.07); /* the two come of different samples, each within about 0.02 */
    assert_true(sqrt(square) < 0.1);
    for (int i = 0; i < 2; i++)
        near_to(covered(h, i ? local : one, 0.95, 0, 1), 0.95, 4 * sampling_sd(0.95, N, 300));
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(one);
    surekrig_model_free(local);
    free(h);
}

static void coverage_holds_where_the_variance_grows(void **state)
{
    (void)state;
    halves *h = make_halves(GROWING, 2);
    surekrig_model *one = fit_half(h, SHAPE), *local = fit_half(h, SHAPE "variance=local"),
                   *both = fit_half(h, SHAPE "variance=local interval=conformal");
    double left = covered(h, one, 0.95, 0, 0.33), right = covered(h, one, 0.95, 0.67, 1);
    assert_true(left > 0.985 && right < 0.9); /* too wide, too narrow */
    for (int i = 0; i < 2; i++) {
        const surekrig_model *m = i ? both : local;
        double l = covered(h, m, 0.95, 0, 0.33), r = covered(h, m, 0.95, 0.67, 1);
        if (!(fabs(l - 0.95) + fabs(r - 0.95) < (fabs(left - 0.95) + fabs(right - 0.95)) / 2))
            fail_msg("%g and %g covered instead of %g and %g", l, r, left, right);
    }
    surekrig_model_free(one);
    surekrig_model_free(local);
    surekrig_model_free(both);
    free(h);
}

/* ---- conformal */

static void errors_of_other_shapes_are_covered(void **state)
{
    (void)state;
    static const double LEVEL[] = {0.5, 0.7, 0.95, 0.99};
    for (kind k = HEAVY; k <= SKEWED; k++) {
        halves *h = make_halves(k, 3 + (uint64_t)k);
        surekrig_model *normal_one = fit_half(h, SHAPE), *conformal = fit_half(h, SHAPE "interval=conformal");
        double farthest = 0;
        for (int i = 0; i < 4; i++) {
            double sd = sampling_sd(LEVEL[i], N, (double)conformal->widths.scores);
            near_to(covered(h, conformal, LEVEL[i], 0, 1), LEVEL[i], 3 * sd);
            farthest = fmax(farthest, fabs(covered(h, normal_one, LEVEL[i], 0, 1) - LEVEL[i]) / sd);
        }
        if (!(farthest > 4))
            fail_msg("%d: the normal quantiles are off by %g sampling errors only", (int)k, farthest);
        surekrig_model_free(normal_one);
        surekrig_model_free(conformal);
        free(h);
    }
}

/* The smallest score s with #{scores <= s} >= level (n + 1). */
static void quantiles_have_the_exact_rank(void **state)
{
    (void)state;
    double score[999];
    for (int i = 0; i < 999; i++)
        score[i] = i + 1;
    surekrig_model m = {.data = {.l = 2}, .widths = {.scores = 99, .score = score}};
    for (int percent = 1; percent < 100; percent++)
        close_to(surekrig_model_quantile(&m, 0, percent / 100.0), percent, 0);
    m.widths.scores = 999;
    for (int mille = 1; mille < 1000; mille++)
        close_to(surekrig_model_quantile(&m, 0, mille / 1000.0), mille, 0);
    close_to(surekrig_model_quantile(&m, 0, 0.5004), 501, 0);
    m.widths.scores = 19;
    close_to(surekrig_model_quantile(&m, 0, 0.95), 19, 0);
    close_to(surekrig_model_quantile(&m, 0, 0.9), 18, 0);
    close_to(surekrig_model_quantile(&m, 0, 0), 1, 0);
    assert_true(isinf(surekrig_model_quantile(&m, 0, 0.951)) && isinf(surekrig_model_quantile(&m, 0, 1)));
    close_to(surekrig_model_quantile(&m, 1, 0.05), 20, 0); /* the second response's begin there */
    m.widths.scores = 18;
    assert_true(isinf(surekrig_model_quantile(&m, 0, 0.95)));
    assert_true(isnan(surekrig_model_quantile(&m, 0, NAN)) && isnan(surekrig_model_quantile(&m, 0, -0.1)));
    assert_true(isnan(surekrig_model_quantile(&m, 2, 0.5)) && isnan(surekrig_model_quantile(&m, -1, 0.5)));
    m.widths.scores = 0;
    close_to(surekrig_model_quantile(&m, 0, 0.95), surekrig_quantile(0.95), 0);
}

/* A refit takes them over: all of them. */
static void a_copy_is_whole(void **state)
{
    (void)state;
    enum { L = 2, SCORES = 5 };
    sk_widths from = {0}, to = {0}, none = {0};
    surekrig_error error;
    for (int floors = 0; floors < 2; floors++) {
        succeed(sk_widths_new(L, true, SCORES, &from, &error), &error);
        from.floor_std = floors ? sk_doubles(L) : NULL;
        from.farther = floors ? sk_zeroed(1, sizeof *from.farther) : NULL;
        if (floors) {
            succeed(sk_widths_new(L, true, 0, from.farther, &error), &error);
            from.farther->middle[1] = 7;
        }
        const int64_t size[] = {
            L * SK_WIDTH_TERMS, L * SK_WIDTH_SIGNS, L * SK_WIDTH_SIGNS, L * SK_WIDTH_SIGNS, L * SCORES, L, L};
        double *const one[] = {from.coefficient, from.low,    from.high,     from.middle,
                               from.score,       from.shared, from.floor_std};
        for (int a = 0; a < 6 + floors; a++)
            for (int64_t i = 0; i < size[a]; i++)
                one[a][i] = 100 * a + (double)i + 0.5;
        succeed(sk_widths_copy(&from, L, &to, &error), &error);
        const double *const other[] = {to.coefficient, to.low, to.high, to.middle, to.score, to.shared, to.floor_std};
        for (int a = 0; a < 6 + floors; a++)
            same_bits(one[a], other[a], size[a]);
        assert_true(to.local && to.scores == SCORES && !to.floor_std == !floors && !to.farther == !floors);
        assert_true(!floors || (to.farther != from.farther && to.farther->middle[1] == 7));
        sk_widths_free(&from);
        sk_widths_free(&to);
    }
    succeed(sk_widths_copy(&none, L, &to, &error), &error);
    assert_null(to.coefficient);
}

/* ---- what was trained, once more from the formulas */

/* What log v has beyond what was seen. */
static double beyond(const surekrig_model *m, const sk_errors *e, int64_t i)
{
    double v = log(e->variance_share[i]);
    return v - fmin(fmax(v, m->widths.low[0]), m->widths.high[0]);
}

/* The least square that counts: 0.03^2 of their mean, in which none counts for more than nine times the mean before. */
static double least_square(const surekrig_model *m, const sk_errors *e)
{
    double mean = INFINITY;
    for (int round = 0; round < 4; round++) {
        double sum = 0, most = 9 * mean;
        for (int64_t i = 0; i < e->n; i += 2)
            sum += fmin(e->residual_std[i] * e->residual_std[i] * exp(-beyond(m, e, i)), most);
        mean = sum / (double)((e->n + 1) / 2);
    }
    return 0.0009 * mean;
}

static double objective(const surekrig_model *m, const sk_errors *e, const double *b)
{
    const sk_widths *w = &m->widths;
    double least = least_square(m, e);
    double sum = 10 * (pow(b[1] - 1, 2) + b[2] * b[2] + b[3] * b[3] + b[4] * b[4] +
                       b[5] * b[5]); /* 20 points' worth of gamma2 v */
    for (int64_t i = 0; i < e->n; i += 2) {
        double one_more = m->hyper.gamma2_std[0] / (double)m->info.neighbors;
        double v = log(e->variance_share[i]), s = log(e->kriging.scale_std[i] + one_more),
               c = log(e->kriging.scatter_std[i] + one_more);
        double within = fmin(fmax(v, w->low[0]), w->high[0]), f = within - w->middle[0];
        double g = fmin(fmax(s, w->low[1]), w->high[1]) - w->middle[1],
               h = fmin(fmax(c, w->low[2]), w->high[2]) - w->middle[2];
        double log_variance = beyond(m, e, i) + b[0] + b[1] * f + b[2] * f * f + b[3] * g + b[4] * f * g + b[5] * h;
        double square = fmax(e->residual_std[i] * e->residual_std[i], least * exp(beyond(m, e, i)));
        sum += log_variance +
               fmin(square, 9 * sk_widths_variance_std(m, 0, sk_errors_signs(m, e, i, 0))) * exp(-log_variance);
    }
    return sum;
}

/* The held-out points' errors as training saw them. */
static sk_errors errors_again(surekrig_model *m)
{
    sk_holdout batch = {0}, h = {0};
    sk_errors e = {0};
    sk_machine machine = {0};
    surekrig_error error;
    succeed(sk_holdout_new(m, (sk_holdout_wish){.n = m->settings->batch}, &batch, &error), &error);
    succeed(sk_holdout_new(m, (sk_holdout_wish){m->settings->calibration, 1, &batch}, &h, &error), &error);
    succeed(sk_errors_new(m, h.n, true, &e, &error), &error);
    succeed(sk_machine_open(m, true, 0, &machine, &error), &error);
    succeed(sk_machine_set(&machine, &m->hyper, &error), &error);
    succeed(sk_errors_fill(&machine, &h, &e, &error), &error);
    sk_machine_close(&machine);
    sk_holdout_free(&h);
    sk_holdout_free(&batch);
    return e;
}

/* By differences; of one point it would be about 1. */
static double slope_of(const surekrig_model *m, const sk_errors *e, int a)
{
    double b[SK_WIDTH_TERMS], value[2], h = 1e-3;
    for (int side = 0; side < 2; side++) {
        memcpy(b, m->widths.coefficient, sizeof b);
        b[a] += side ? h : -h;
        value[side] = objective(m, e, b);
    }
    return (value[1] - value[0]) / (2 * h);
}

static void widths_are_the_most_likely_and_scores_are_the_errors(void **state)
{
    (void)state;
    halves *h = make_halves(GROWING, 6);
    surekrig_model *m = fit_half(h, SHAPE "variance=local interval=conformal calibration=700");
    sk_errors e = errors_again(m);
    const sk_widths *w = &m->widths;
    double least = objective(m, &e, w->coefficient);
    assert_true(e.n % 2); /* the last of them counts */
    double *share = sk_copy(e.variance_share, e.n, sizeof *share);
    sk_sort(e.n, share);
    assert_true(m->info.seen_share == share[e.n - 1 - e.n / 100]); /* but for one of a hundred, the largest */
    free(share);
    for (int a = 0; a < SK_WIDTH_TERMS; a++)
        near_to(slope_of(m, &e, a), 0, 0.05);
    for (int a = 0; a < SK_WIDTH_TERMS; a++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double b[SK_WIDTH_TERMS];
            memcpy(b, w->coefficient, sizeof b);
            b[a] += 0.01 * sign;
            assert_true(objective(m, &e, b) > least);
        }
    enum { NORMAL = 200 }; /* beside few */
    assert_int_equal(w->scores, e.n / 2 + NORMAL);
    int64_t at = 0;
    double *score = sk_doubles(w->scores);
    for (int64_t i = 1; i < e.n; i += 2) /* those that did not train the widths */
        score[at++] = fabs(e.residual_std[i]) / sqrt(sk_widths_variance_std(m, 0, sk_errors_signs(m, &e, i, 0)));
    double square = INFINITY; /* errors beyond 3 of their spread count as such of 3 */
    for (int round = 0; round < 4; round++) {
        double sum = 0;
        for (int64_t j = 0; j < at; j++)
            sum += fmin(score[j] * score[j], 9 * square) / (double)at;
        square = sum;
    }
    double unit = sqrt((20 + (double)at * square) / (20 + (double)at));
    for (int64_t j = 0; j < NORMAL; j++)
        score[at++] = unit * surekrig_quantile(((double)j + 0.5) / NORMAL);
    sk_sort(at, score);
    for (int64_t j = 0; j < at; j++)
        close_to(score[j], w->score[j], 1e-9);
    free(score);
    sk_errors_free(&e);
    surekrig_model_free(m);
    free(h);
}

/* ---- the report of the batch, once more from cross-validation of its rows */

static double recall_again(const surekrig_model *m, const sk_holdout *batch)
{
    enum { ASKED = 128 };
    int64_t k = m->info.neighbors, n = batch->n < ASKED ? batch->n : ASKED, hit = 0, found[ASKED * 20];
    surekrig_error error;
    succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = n, .x = batch->x, .row = batch->row}, found, NULL,
                               &error),
            &error);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < k; j++) { /* it is one of the nearest where fewer than k others are nearer */
            const double *x = batch->x + i * m->data.d;
            double own = sk_frame_square(&m->frame, x, m->data.x + found[i * k + j] * m->data.d);
            int64_t nearer = 0;
            for (int64_t r = 0; r < m->data.n; r++) {
                double other = sk_frame_square(&m->frame, x, m->data.x + r * m->data.d);
                nearer += other > 0 && other < own; /* what is at its place is left out with it */
            }
            hit += nearer < k;
        }
    return (double)hit / (double)(n * k);
}

/* Responses pooled. */
static surekrig_scores scores_again(const surekrig_model *m, const sk_holdout *batch, const surekrig_validated *v)
{
    int64_t n = batch->n, l = m->data.l;
    double *y = sk_doubles(3 * n), *mean = y + n, *sd = mean + n, square = 0;
    surekrig_scores all = {0}, one;
    surekrig_error error;
    for (int64_t q = 0; q < l; q++) {
        for (int64_t i = 0; i < n; i++) {
            y[i] = m->data.y[batch->row[i] * l + q];
            mean[i] = v->mean[batch->row[i] * l + q];
            sd[i] = v->sd[batch->row[i] * l + q];
        }
        surekrig_scored scored = {n, y, mean, sd, surekrig_model_quantile(m, q, SK_TOLD_LEVEL)};
        succeed(surekrig_score(&scored, SK_TOLD_LEVEL, &one, &error), &error);
        all.n += n;
        all.mae += one.mae / (double)l;
        all.cov += one.cov / (double)l;
        all.crps += one.crps / (double)l;
        all.interval += one.interval / (double)l;
        all.logdensity += one.logdensity / (double)l;
        square += one.rmse * one.rmse / (double)l;
    }
    all.rmse = sqrt(square);
    free(y);
    return all;
}

static void same_scores(const surekrig_scores *a, const surekrig_scores *b)
{
    assert_int_equal(a->n, b->n);
    close_to(a->mae, b->mae, 1e-9);
    close_to(a->rmse, b->rmse, 1e-9);
    close_to(a->cov, b->cov, 1e-9);
    close_to(a->crps, b->crps, 1e-9);
    close_to(a->interval, b->interval, 1e-9);
    close_to(a->logdensity, b->logdensity, 1e-9);
}

static void the_report_is_that_of_the_batch(void **state)
{
    (void)state;
    enum { ROWS = 2500, D = 7, L = 2 }; /* more than a home has: the approximate search misses some */
    points p = make_field(ROWS, D, L, 0.5, 0.6, 0, 91);
    memcpy(p.x, p.x + D, D * sizeof *p.x); /* a matrix that is singular */
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.6 tau2=0 coverage=none neighbors=20 batch=650 search=approximate");
    double *mean = sk_doubles(ROWS * L), *sd = sk_doubles(ROWS * L), distance[ROWS], share[ROWS];
    int64_t row[ROWS];
    sk_holdout batch = {0};
    surekrig_validated v = {.row = row, .mean = mean, .sd = sd, .distance = distance};
    surekrig_error error;
    succeed(sk_holdout_new(m, (sk_holdout_wish){.n = m->settings->batch}, &batch, &error), &error);
    succeed(surekrig_validate(m, &(surekrig_validation){.threads = 1}, NULL, &v, &error), &error);
    surekrig_scores again = scores_again(m, &batch, &v);
    same_scores(&m->info.scores, &again);
    for (int64_t i = 0; i < batch.n; i++)
        share[i] = pow(sd[batch.row[i] * L] / m->spread[0], 2) / m->hyper.gamma2_std[0];
    sk_sort(batch.n, share);
    close_to(m->info.seen_share, share[batch.n - 1 - batch.n / 100], 1e-9);
    assert_true(m->info.recall > 0.5 && m->info.recall < 1);
    close_to(m->info.recall, recall_again(m, &batch), 1e-14);
    assert_true(m->info.jittered > 0 && m->info.jittered <= v.jittered &&
                m->info.jittered >= v.jittered - ROWS + batch.n);
    assert_true(m->info.max_jitter == v.max_jitter);
    sk_holdout_free(&batch);
    surekrig_model_free(m);
    free(mean);
    free(sd);
    free_points(&p);
}

/* Those that judge are neither in the batch nor did they train the widths. */
static void the_judges_are_others(void **state)
{
    (void)state;
    enum { ROWS = 600, L = 2, SOME = 200 };
    points p = make_field(ROWS, 2, L, 0.5, 0.3, 0.1, 92);
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.3 tau2=0.1 coverage=none neighbors=12 batch=100 calibration=200 "
                                     "variance=local interval=conformal");
    double *mean = sk_doubles(ROWS * L), *sd = sk_doubles(ROWS * L), distance[ROWS];
    int64_t row[ROWS], seen[ROWS] = {0};
    sk_holdout h[3] = {{0}};
    surekrig_validated v = {.row = row, .mean = mean, .sd = sd, .distance = distance};
    surekrig_error error;
    succeed(sk_holdout_new(m, (sk_holdout_wish){.n = 100}, &h[0], &error), &error);
    succeed(sk_holdout_new(m, (sk_holdout_wish){SOME, 1, &h[0], false, true}, &h[1], &error), &error);
    succeed(sk_holdout_new(m, (sk_holdout_wish){SOME, 3, &h[1], true, true}, &h[2], &error), &error);
    succeed(surekrig_validate(m, &(surekrig_validation){.threads = 1}, NULL, &v, &error), &error);
    surekrig_scores again = scores_again(m, &h[0], &v), others = scores_again(m, &h[2], &v), sum = {0};
    same_scores(&m->info.scores, &again);
    same_scores(&m->info.held_out, &others);
    for (int q = 0; q < L; q++) {
        sum.mae += m->info.held_out_each[q].mae / L;
        sum.crps += m->info.held_out_each[q].crps / L;
    }
    close_to(sum.mae, others.mae, 1e-12);
    close_to(sum.crps, others.crps, 1e-12);
    for (int part = 1; part < 3; part++)
        for (int64_t i = 0; i < h[part].n; i++)
            assert_int_equal(seen[h[part].row[i]]++, 0);
    for (int i = 0; i < 3; i++)
        sk_holdout_free(&h[i]);
    surekrig_model_free(m);
    free(mean);
    free(sd);
    free_points(&p);
}

/* One response in fifty is wild: the others' intervals stay what they are. */
static void outliers_do_not_widen_all_intervals(void **state)
{
    (void)state;
    double sd[2];
    for (int wild = 0; wild < 2; wild++) {
        points p = make_field(2000, 2, 1, 1, 0.2, 0.05, 91);
        for (int64_t i = 0; wild && i < p.data.n; i += 50)
            p.y[i] += i % 100 ? 20 : -20;
        surekrig_model *m = fit(&p.data, "nu=1 rho=0.2 tau2=0.05 coverage=none mean=local variance=local");
        double *x = make_places(200, 2, 1, 92);
        predicted made = predict(m, 200, x, 0, 1);
        sk_sort(200, made.sd);
        sd[wild] = made.sd[100];
        free_predicted(&made);
        surekrig_model_free(m);
        free(x);
        free_points(&p);
    }
    printf("    median sd %.3g, with outliers %.3g\n", sd[0], sd[1]);
    assert_true(sd[1] < 1.5); /* the errors of all, outliers among them: 2.9 */
}

/* ---- scatter */

/* Once more from the formula: the mean of pairs' squared differences, halved, weighted with both weights. */
static double scatter_again(const surekrig_model *m, const double *x, const int64_t *row, int64_t count, int64_t q)
{
    double sum = 0, total = 0, farthest = 0, weight[64];
    for (int64_t j = 0; j < count; j++)
        farthest = fmax(farthest, sk_frame_distance(&m->frame, x, m->data.x + row[j] * m->data.d));
    for (int64_t j = 0; j < count; j++) {
        double r = sk_frame_distance(&m->frame, x, m->data.x + row[j] * m->data.d);
        total += weight[j] = 1 / (r * r + farthest * farthest / (double)count);
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < count; j++) {
            double apart = (m->kriged.y[row[i] * m->kriged.l + q] - m->kriged.y[row[j] * m->kriged.l + q]) /
                           m->spread[q];
            sum += weight[i] / total * weight[j] / total * apart * apart / 2;
        }
    return sum;
}

static void scatter_is_the_variance_of_neighbours_the_nearer_the_more(void **state)
{
    (void)state;
    enum { POINTS = 300, AT = 40, K = 20 };
    static const struct {
        const char *mean;
        double added, tolerance;
    } CASES[] = {{"mean=trend", 0, 1e-13}, {"mean=local", 1e8, 1e-6}};
    for (int far = 0; far < 2; far++) {
        points p = make_field(POINTS, 2, 2, 0.7, 0.3, 0.05, 93);
        char words[128];
        for (int64_t i = 0; i < 2 * POINTS; i++)
            p.y[i] += CASES[far].added;
        snprintf(words, sizeof words, "nu=0.7 rho=0.3 tau2=0.05 scaling=axis coverage=none neighbors=20 batch=50 %s",
                 CASES[far].mean);
        surekrig_model *m = fit(&p.data, words);
        double *x = make_places(AT, 2, 1, 94), scatter[2 * AT];
        int64_t neighbor[AT * K], count[AT];
        surekrig_error error = {0};
        succeed(sk_model_neighbors(m, (surekrig_neighbor_query){.n = AT, .x = x}, neighbor, NULL, &error), &error);
        for (int i = 0; i < AT; i++)
            count[i] = 1 + i % K;
        for (int whole = 0; whole < 2; whole++)
            for (int threads = 1; threads < 3; threads++) {
                surekrig_neighborhoods at = {AT, K, neighbor, whole ? NULL : count, x};
                succeed(sk_scatter_std(m, &at, threads, scatter, &error), &error);
                for (int64_t i = 0; i < AT; i++)
                    for (int64_t q = 0; q < 2; q++)
                        near_to(scatter[2 * i + q],
                                scatter_again(m, x + 2 * i, neighbor + i * K, whole ? K : count[i], q),
                                CASES[far].tolerance);
            }
        free(x);
        surekrig_model_free(m);
        free_points(&p);
    }
}

/* Held-out points that have fewer neighbours than others: their scatter is that of those. */
static void scatter_of_few_neighbours(void **state)
{
    (void)state;
    points p = make_field(300, 2, 1, 0.7, 0.3, 0.05, 95);
    surekrig_model *m = fit(&p.data, "nu=0.7 rho=0.3 tau2=0.05 coverage=none neighbors=20 batch=50 variance=local");
    surekrig_error error = {0};
    sk_holdout h = {0};
    sk_errors e = {0};
    sk_machine machine = {0};
    succeed(sk_holdout_new(m, (sk_holdout_wish){60, 1, NULL}, &h, &error), &error);
    h.count = sk_alloc(h.n, sizeof *h.count);
    for (int64_t i = 0; i < h.n; i++)
        h.count[i] = 5 + i % 10;
    succeed(sk_errors_new(m, h.n, SK_WANT_SCALE, &e, &error), &error);
    succeed(sk_machine_open(m, true, 0, &machine, &error), &error);
    succeed(sk_machine_set(&machine, &m->hyper, &error), &error);
    succeed(sk_errors_fill(&machine, &h, &e, &error), &error);
    for (int64_t i = 0; i < h.n; i++)
        near_to(e.kriging.scatter_std[i], scatter_again(m, h.x + 2 * i, h.neighbor + i * h.k, h.count[i], 0), 1e-13);
    sk_machine_close(&machine);
    sk_errors_free(&e);
    sk_holdout_free(&h);
    surekrig_model_free(m);
    free_points(&p);
}

/* Units of any size do not matter; neighbours at the point itself count alike. */
static void scatter_in_any_units(void **state)
{
    (void)state;
    enum { K = 3 };
    const int64_t row[2 * K] = {0, 1, 2, 0, 1, 1};
    const double at[2] = {0.25, 0.25}, unit[] = {1, 1e-300, 1e150, 8e307};
    for (int u = 0; u < 4; u++) {
        double x[] = {0.25, 0.25, 1, 0.5, 0}, y[5], scatter[2] = {-1, -1}, value[] = {1, -1, 0.5, 0.75, 0.25};
        surekrig_error error = {0};
        for (int i = 0; i < 5; i++)
            y[i] = unit[u] * value[i];
        surekrig_model *m = fit(&(surekrig_data){.n = 5, .d = 1, .l = 1, .x = x, .y = y},
                                "nu=0.5 rho=1 tau2=0.5 coverage=none neighbors=3");
        succeed(sk_scatter_std(m, &(surekrig_neighborhoods){2, K, row, NULL, at}, 1, scatter, &error), &error);
        double spread = m->spread[0] / unit[u];
        /* 1 and -1 with weight 3 each, 0.5 with 3/4: mean 1/18, mean square 99/108 */
        close_to(scatter[0], (99 / 108.0 - 1 / 324.0) / (spread * spread), 1e-12);
        close_to(scatter[1], 8 / 9.0 / (spread * spread), 1e-12); /* all at one place: 1, -1, -1 */
        surekrig_model_free(m);
    }
}

/* Distances that cannot be squared: neighbours count alike, and nothing is not a number. */
static void scatter_of_immense_distances(void **state)
{
    (void)state;
    const int64_t row[] = {0, 1, 2};
    const double x[] = {0, 1e160, 3e160, 9e160}, y[] = {1, -1, 0.5, 2}, at = 2e160;
    double scatter = -1;
    surekrig_error error = {0};
    surekrig_model *m = fit(&(surekrig_data){.n = 4, .d = 1, .l = 1, .x = x, .y = y},
                            "nu=0.5 rho=1e160 tau2=0.5 scaling=none coverage=none neighbors=3");
    succeed(sk_scatter_std(m, &(surekrig_neighborhoods){1, 3, row, NULL, &at}, 1, &scatter, &error), &error);
    close_to(scatter, (0.75 - 1 / 36.0) / (m->spread[0] * m->spread[0]), 1e-12);
    surekrig_model_free(m);
}

/* Each term by itself, with coefficients that nothing trained. */
static void a_variance_is_what_its_terms_say(void **state)
{
    (void)state;
    points p = make_field(400, 2, 1, 0.5, 0.3, 0.05, 96);
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.3 tau2=0.05 coverage=none neighbors=12 variance=local");
    const sk_widths *w = &m->widths;
    const double v = w->middle[0] + 0.3 * (w->high[0] - w->middle[0]),
                 s = w->middle[1] + 0.5 * (w->high[1] - w->middle[1]),
                 c = w->middle[2] + 0.7 * (w->low[2] - w->middle[2]), one_more = m->hyper.gamma2_std[0] / 12;
    const sk_signs signs = {exp(v), exp(s) - one_more, exp(c) - one_more};
    const double f = v - w->middle[0], g = s - w->middle[1], h = c - w->middle[2],
                 term[SK_WIDTH_TERMS] = {1, f, f * f, g, f * g, h};
    assert_true(signs.scale_std > 0 && signs.scatter_std > 0);
    for (int a = 0; a < SK_WIDTH_TERMS; a++) {
        memset(w->coefficient, 0, SK_WIDTH_TERMS * sizeof *w->coefficient);
        w->coefficient[a] = 2;
        assert_true(fabs(term[a]) > 1e-3);
        close_to(sk_widths_variance_std(m, 0, signs), exp(2 * term[a]), 1e-10);
    }
    surekrig_model_free(m);
    free_points(&p);
}

/* ---- predictions */

/* Held-out points have no datum at their own place; predictions may, and their intervals must be none the worse for
 * it. */
static void intervals_hold_at_data_places_too(void **state)
{
    (void)state;
    halves *h = make_halves(GROWING, 8);
    surekrig_model *m = fit_half(h, SHAPE "variance=local interval=conformal");
    predicted on = predict(m, N, h->x[0], 0, 1), off = predict(m, N, h->x[1], 0, 1);
    double z = surekrig_model_quantile(m, 0, 0.95), ratio = 0;
    double on_inside = 0, off_inside = covered(h, m, 0.95, 0, 1);
    for (int64_t i = 0; i < N; i++) {
        on_inside += (fabs(h->again[i] - on.mean[i]) < z * on.sd[i]) / (double)N;
        ratio += (log(on.sd[i]) - log(off.sd[i])) / N;
    }
    printf("    inside at data places %.3f, elsewhere %.3f; widths there %.3f of others'\n", on_inside, off_inside,
           exp(ratio));
    near_to(on_inside, off_inside, 0.03);
    near_to(ratio, 0, 0.06);
    free_predicted(&on);
    free_predicted(&off);
    surekrig_model_free(m);
    free(h);
}

static void forget_farther(surekrig_model *m)
{
    if (m->widths.farther)
        sk_widths_free(m->widths.farther);
    free(m->widths.farther);
    m->widths.farther = NULL;
}

/* Farther out than anything seen, the variance is what kriging says, and whatever the surroundings are. */
static void beyond_what_was_seen_widths_are_the_models(void **state)
{
    (void)state;
    points p = make_field(400, 2, 1, 0.5, 0.3, 0.05, 90);
    surekrig_settings *settings = settings_of(
        "nu=0.5 rho=0.3 tau2=0.05 coverage=none neighbors=12 variance=local threads=1");
    surekrig_model *m = NULL;
    surekrig_error error = {0};
    succeed(surekrig_fit(&p.data, settings, NULL, &m, &error), &error);
    assert_true(m->widths.local && m->widths.farther);
    forget_farther(m); /* these say what lies between; the next test has them */
    double seen = exp(m->widths.high[0]), gamma2 = m->hyper.gamma2_std[0];
    close_to(sk_widths_variance_std(m, 0, (sk_signs){1e6 * seen, 1, 1}), 1e6 * seen * gamma2, 1e-4);
    close_to(sk_widths_variance_std(m, 0, (sk_signs){1e6 * seen, 1e6, 1e-6}), 1e6 * seen * gamma2, 1e-4);
    double edge = sk_widths_variance_std(m, 0, (sk_signs){seen, 9, 9}), plain = 2 * seen * gamma2;
    close_to(sk_widths_variance_std(m, 0, (sk_signs){seen * (1 + 1e-9), 9, 9}), edge, 1e-7);
    close_to(sk_widths_variance_std(m, 0, (sk_signs){2 * seen, 9, 9}), sqrt(2 * edge * plain), 1e-12); /* V / v = 1/2 */
    close_to(sk_widths_variance_std(m, 0, (sk_signs){1e-9, 1, 1}),
             1e-3 * sk_widths_variance_std(m, 0, (sk_signs){1e-6, 1, 1}), 1e-12);
    close_to(sk_widths_variance_std(m, 0, (sk_signs){0.1, 1e9, 1}),
             sk_widths_variance_std(m, 0, (sk_signs){0.1, 1e6, 1}), 1e-12);
    close_to(sk_widths_variance_std(m, 0, (sk_signs){0.1, 1, 1e9}),
             sk_widths_variance_std(m, 0, (sk_signs){0.1, 1, 1e6}), 1e-12);
    surekrig_model_free(m);
    surekrig_settings_free(settings);
    free_points(&p);
}

/* From what was seen among the data over what was seen farther off to what kriging says, without a step. */
static void widths_fade_into_those_farther_off(void **state)
{
    (void)state;
    points p = make_field(600, 2, 1, 0.5, 0.3, 0.05, 92);
    for (int64_t i = 0; i < p.data.n; i++)
        p.y[i] *= exp(2 * p.x[2 * i]); /* farther off the model is the more wrong */
    surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.3 tau2=0.05 coverage=none neighbors=12 variance=local");
    const sk_widths *w = &m->widths, *f = w->farther;
    double seen = exp(w->high[0]), farther = exp(f->high[0]), one_more = m->hyper.gamma2_std[0] / 12;
    assert_true(farther > 1.2 * seen);
    for (double v = seen; v < 9 * farther; v *= 1.07) {
        double near = 0, far = 0, *sum[] = {&near, &far};
        for (int j = 0; j < 2; j++) { /* b'f with s = c = 1, each within its range */
            const sk_widths *of = j ? f : w;
            double a = fmin(log(v), of->high[0]) - of->middle[0],
                   b = fmin(fmax(log(1 + one_more), of->low[1]), of->high[1]) - of->middle[1],
                   c = fmin(fmax(log(1 + one_more), of->low[2]), of->high[2]) - of->middle[2];
            const double term[SK_WIDTH_TERMS] = {1, a, a * a, b, a * b, c};
            for (int t = 0; t < SK_WIDTH_TERMS; t++)
                *sum[j] += of->coefficient[t] * term[t];
            *sum[j] += fmax(log(v) - of->high[0], 0);
        }
        double share = fmin(farther / v, 1), known = fmin(pow(seen / v, 2), 1);
        far = share * far + (1 - share) * log(m->hyper.gamma2_std[0] * v);
        close_to(sk_widths_variance_std(m, 0, (sk_signs){v, 1, 1}), exp(known * near + (1 - known) * far), 1e-12);
    }
    surekrig_model_free(m);
    free_points(&p);
}

/* A model without targets is asked for what lies in gaps, where its kriging variance is far too large: rough at the scale of
 * neighbours, bounded beyond. Widths that have seen errors farther off hold what they should and are narrower. */
static void gaps_are_covered_without_targets(void **state)
{
    (void)state;
    enum { POINTS = 3000, GAPS = 5 };
    points p = make_field(POINTS, 2, 1, 0.5, 0.03, 0.01, 93);
    points test = {.x = sk_doubles(2 * POINTS), .y = sk_doubles(POINTS)};
    double center[2 * GAPS], inside[2] = {0}, width[2] = {0};
    double *x = make_places(GAPS, 2, 1, 94);
    memcpy(center, x, sizeof center);
    int64_t kept = 0, left = 0;
    for (int64_t i = 0; i < POINTS; i++) {
        bool gap = false;
        for (int g = 0; g < GAPS; g++)
            gap |= hypot(p.x[2 * i] - center[2 * g], p.x[2 * i + 1] - center[2 * g + 1]) < 0.12;
        points *to = gap ? &test : &p;
        int64_t at = gap ? left++ : kept++;
        memmove(to->x + 2 * at, p.x + 2 * i, 2 * sizeof(double));
        to->y[at] = p.y[i];
    }
    p.data.n = kept;
    surekrig_model *m = fit(&p.data,
                            "nu=0.5 rho=3 tau2=0.0001 coverage=none neighbors=24 variance=local interval=conformal");
    for (int without = 0; without < 2; without++) {
        predicted a = predict(m, left, test.x, 0, 1);
        double z = surekrig_model_quantile(m, 0, 0.95);
        for (int64_t i = 0; i < left; i++) {
            inside[without] += (fabs(test.y[i] - a.mean[i]) < z * a.sd[i]) / (double)left;
            width[without] += 2 * z * a.sd[i] / (double)left;
        }
        free_predicted(&a);
        forget_farther(m);
    }
    printf("    %lld in gaps: inside %.3f, width %.3f; without errors farther off %.3f, %.3f\n", (long long)left,
           inside[0], width[0], inside[1], width[1]);
    near_to(inside[0], 0.95, 0.025);
    assert_true(inside[1] > inside[0] + 0.02 && width[0] < 0.88 * width[1]);
    surekrig_model_free(m);
    free(x);
    free(test.x);
    free(test.y);
    free_points(&p);
}

/* Where all neighbours are alike an error is still possible: half of the field is flat, and so are its surroundings. */
static void flat_surroundings_promise_no_certainty(void **state)
{
    (void)state;
    points p = make_field(1600, 2, 1, 0.8, 0.2, 0, 91);
    double flat[2] = {0.1, 0.5}, rough[2] = {0.9, 0.5};
    for (int64_t i = 0; i < p.data.n; i++)
        p.y[i] = p.x[2 * i] < 0.5 ? 0 : p.y[i];
    surekrig_model *m = fit(&p.data, "neighbors=20 variance=local coverage=none");
    predicted a = predict(m, 1, flat, 0, 1), b = predict(m, 1, rough, 0, 1);
    assert_true(a.sd[0] > 1e-3 * b.sd[0] && a.sd[0] < 0.5 * b.sd[0]);
    free_predicted(&a);
    free_predicted(&b);
    surekrig_model_free(m);
    free_points(&p);
}

/* Rain: nothing but errors of nothing where it is dry, which are no reason for narrow intervals where it is wet. */
static void flat_surroundings_do_not_narrow_other_intervals(void **state)
{
    (void)state;
    enum { POINTS = 6000, KEPT = 4500 };
    points p = make_field(POINTS, 2, 1, 1, 0.1, 0, 95);
    for (int64_t i = 0; i < POINTS; i++)
        p.y[i] = fmax(0, p.y[i] - 0.8);
    p.data.n = KEPT;
    surekrig_model *m = fit(&p.data, "neighbors=24 variance=local interval=conformal coverage=none");
    predicted a = predict(m, POINTS - KEPT, p.x + (int64_t)2 * KEPT, 0, 1);
    double z = surekrig_model_quantile(m, 0, 0.95), inside = 0, wet = 0, all = 0;
    for (int64_t i = 0; i < POINTS - KEPT; i++) {
        bool in = fabs(p.y[KEPT + i] - a.mean[i]) < z * a.sd[i];
        all += in / (double)(POINTS - KEPT);
        inside += in && a.mean[i] > 0.1;
        wet += a.mean[i] > 0.1;
    }
    printf("    inside %.3f, of the wet %.3f (%.0f of %d), quantile %.3f\n", all, inside / wet, wet, POINTS - KEPT, z);
    assert_true(inside > 0.89 * wet && all > 0.94);
    free_predicted(&a);
    surekrig_model_free(m);
    free_points(&p);
}

static void the_field_is_surer_than_an_observation(void **state)
{
    (void)state;
    points p = make_field(400, 2, 2, 0.7, 0.2, 0.2, 7);
    double *x = make_places(200, 2, 1, 8);
    memcpy(x, p.x, 40 * sizeof *x); /* some at data */
    x[100] = 50;                    /* one far away */
    static const char *const WORDS[] = {"", "variance=local", "variance=local mean=trend interval=conformal",
                                        "variance=local mean=local tau2=0"};
    for (int i = 0; i < 4; i++) {
        char words[200];
        snprintf(words, sizeof words, "nu=0.7 rho=0.2 tau2=0.2 coverage=none neighbors=15 batch=100 %s", WORDS[i]);
        surekrig_model *m = fit(&p.data, words);
        predicted seen = predict(m, 200, x, 0, 1), latent = predict(m, 200, x, 1, 1),
                  threads = predict(m, 200, x, 0, 3);
        for (int64_t j = 0; j < 400; j++)
            if (!(isfinite(seen.sd[j]) && latent.sd[j] <= (1 + 1e-15) * seen.sd[j] && latent.sd[j] >= 0))
                fail_msg("%s: the sd of number %lld is %g, of the field %g", WORDS[i], (long long)j, seen.sd[j],
                         latent.sd[j]);
        same_bits(seen.mean, latent.mean, 400);
        same_bits(seen.mean, threads.mean, 400);
        same_bits(seen.sd, threads.sd, 400);
        free_predicted(&seen);
        free_predicted(&latent);
        free_predicted(&threads);
        surekrig_model_free(m);
    }
    free(x);
    free_points(&p);
}

/* Few points: widths near the model's own, quantiles near the normal ones, and no interval at all at a level that these
 * and the normal ones do not tell. */
static void few_points(void **state)
{
    (void)state;
    for (int64_t n = 4; n <= 24; n += 10) {
        points p = make_field(n, 1, 1, 0.5, 0.3, 0.1, (uint64_t)n);
        surekrig_model *m = fit(&p.data, "nu=0.5 rho=0.3 tau2=0.1 coverage=none variance=local interval=conformal");
        predicted a = predict(m, n, p.x, 0, 1);
        for (int64_t i = 0; i < n; i++)
            assert_true(isfinite(a.mean[i]) && isfinite(a.sd[i]) && a.sd[i] > 0);
        assert_int_equal(m->widths.scores, n / 2 + 200);
        assert_true(isinf(surekrig_model_quantile(m, 0, 0.999)));
        near_to(surekrig_model_quantile(m, 0, 0.95), 1.96, 1);
        free_predicted(&a);
        surekrig_model_free(m);
        free_points(&p);
    }
}

/* Thousands of points both train widths and give scores; at most half of the data do, so that others can judge. */
static void many_points(void **state)
{
    (void)state;
    enum { MANY = 12000 };
    double *x = make_places(MANY, 1, 1, 3), *y = sk_doubles(MANY);
    for (int64_t i = 0; i < MANY; i++)
        y[i] = sin(9 * x[i]) + normal(3, (uint64_t)i);
    surekrig_data data = {.n = MANY, .d = 1, .l = 1, .x = x, .y = y};
    const struct {
        const char *calibration;
        int64_t scores;
    } CASES[] = {{"8192", MANY / 2}, {"5000", 5000}, {"3000", 3000 / 2 + 200}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        char words[200];
        snprintf(words, sizeof words,
                 "nu=1.5 rho=0.3 tau2=1 coverage=none neighbors=8 batch=64 variance=local "
                 "interval=conformal calibration=%s",
                 CASES[i].calibration);
        surekrig_model *m = fit(&data, words);
        near_to((double)m->widths.scores, (double)CASES[i].scores, 65); /* but for those of the batch */
        near_to(surekrig_model_quantile(m, 0, 0.95), 1.96, 0.15);
        surekrig_model_free(m);
    }
    free(x);
    free(y);
}

static void a_local_variance_does_not_go_with_noise(void **state)
{
    (void)state;
    points p = make_field(40, 1, 1, 0.5, 0.3, 0.1, 9);
    add_noise(&p, 9);
    surekrig_settings *settings = settings_of("variance=local threads=1");
    surekrig_model *m = NULL;
    surekrig_error error = {0};
    assert_int_equal(surekrig_fit(&p.data, settings, NULL, &m, &error), SUREKRIG_INVALID);
    mentions(&error, "noise");
    surekrig_settings_free(settings);
    surekrig_model_free(fit(&p.data, "nu=0.5 rho=0.3 tau2=0.1 gamma2=1 coverage=none interval=conformal"));
    free_points(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_changes_where_the_model_is_right),
        cmocka_unit_test(coverage_holds_where_the_variance_grows),
        cmocka_unit_test(errors_of_other_shapes_are_covered),
        cmocka_unit_test(quantiles_have_the_exact_rank),
        cmocka_unit_test(the_report_is_that_of_the_batch),
        cmocka_unit_test(the_judges_are_others),
        cmocka_unit_test(outliers_do_not_widen_all_intervals),
        cmocka_unit_test(a_copy_is_whole),
        cmocka_unit_test(widths_are_the_most_likely_and_scores_are_the_errors),
        cmocka_unit_test(scatter_is_the_variance_of_neighbours_the_nearer_the_more),
        cmocka_unit_test(scatter_of_few_neighbours),
        cmocka_unit_test(scatter_in_any_units),
        cmocka_unit_test(scatter_of_immense_distances),
        cmocka_unit_test(a_variance_is_what_its_terms_say),
        cmocka_unit_test(intervals_hold_at_data_places_too),
        cmocka_unit_test(beyond_what_was_seen_widths_are_the_models),
        cmocka_unit_test(widths_fade_into_those_farther_off),
        cmocka_unit_test(gaps_are_covered_without_targets),
        cmocka_unit_test(flat_surroundings_promise_no_certainty),
        cmocka_unit_test(flat_surroundings_do_not_narrow_other_intervals),
        cmocka_unit_test(the_field_is_surer_than_an_observation),
        cmocka_unit_test(few_points),
        cmocka_unit_test(many_points),
        cmocka_unit_test(a_local_variance_does_not_go_with_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
