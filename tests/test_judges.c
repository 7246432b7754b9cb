/* What held-out points say of models, made again from the formulas: regions, how far scores can be trusted, the scores
 * that models are chosen by, the least variance, and whether targets lie as rows do. */
#include "fit_support.h"
#include "heldout/inside.h"

enum { L = 2 };

/* A field with a gap, whose points are the targets: a model with these, and held-out points with their errors. */
typedef struct setting {
    points p;
    double target[2 * 700];
    surekrig_model *m;
    sk_machine machine;
    sk_holdout h;
    sk_errors e;
} setting;

static void hold_out(setting *s, int64_t n)
{
    surekrig_error error;
    succeed(sk_holdout_new(s->m, (sk_holdout_wish){.n = n, .part = 3}, &s->h, &error), &error);
    succeed(sk_errors_new(s->m, s->h.n, SK_WANT_SCALE, &s->e, &error), &error);
    succeed(sk_errors_fill(&s->machine, &s->h, &s->e, &error), &error);
}

static void open_setting(setting *s, int64_t n, const char *words)
{
    surekrig_error error;
    *s = (setting){.p = make_field(n, 2, L, 0.5, 0.3, 0.05, 11)};
    cut_disc(&s->p, (double[]){0.3, 0.4}, 0.25, s->target);
    s->m = fit(&s->p.data, words);
    succeed(sk_model_take_targets(s->m, &s->p.data, &error), &error);
    succeed(sk_machine_open(s->m, true, 1, &s->machine, &error), &error);
    succeed(sk_machine_set(&s->machine, &s->m->hyper, &error), &error);
}

static void close_setting(setting *s)
{
    sk_errors_free(&s->e);
    sk_holdout_free(&s->h);
    sk_machine_close(&s->machine);
    sk_model_forget_targets(s->m);
    surekrig_model_free(s->m);
    free_points(&s->p);
}

#define GIVEN "nu=0.5 rho=0.3 tau2=0.05 coverage=none neighbors=12 batch=50 holdout=nearest calibration=60 "

/* ---- regions */

/* In which region a held-out point is: they are halved again and again, along the axis of their longest extent. */
static int64_t region_again(const setting *s, int64_t point, int64_t regions)
{
    int64_t member[400], count = s->h.n, first = 0;
    const double *x = s->h.x, *side = s->m->frame.side;
    for (int64_t i = 0; i < count; i++)
        member[i] = i;
    while (regions > 1) {
        double extent[2], here;
        for (int a = 0; a < 2; a++) {
            double low = INFINITY, high = -INFINITY;
            for (int64_t i = 0; i < count; i++) {
                low = fmin(low, x[2 * member[i] + a] / side[a]);
                high = fmax(high, x[2 * member[i] + a] / side[a]);
            }
            extent[a] = high - low;
        }
        int axis = extent[1] > extent[0];
        int64_t left = count * (regions / 2) / regions, before = 0, kept = 0, order[400];
        for (int64_t i = 0; i < count; i++) { /* each to its rank */
            int64_t rank = 0;
            for (int64_t o = 0; o < count; o++) {
                double there = x[2 * member[o] + axis];
                here = x[2 * member[i] + axis];
                rank += there < here || (there == here && member[o] < member[i]);
            }
            order[rank] = member[i];
        }
        while (order[before] != point)
            before++;
        bool is_left = before < left;
        for (int64_t i = is_left ? 0 : left; i < (is_left ? left : count); i++)
            member[kept++] = order[i];
        count = kept;
        first += is_left ? 0 : regions / 2;
        regions = is_left ? regions / 2 : regions - regions / 2;
    }
    return first;
}

static double far(const setting *s, const double *p, const double *q)
{
    const double *side = s->m->frame.side;
    return hypot((p[0] - q[0]) / side[0], (p[1] - q[1]) / side[1]);
}

/* How many regions the targets are worth: of 256 of them one pair in so many is nearer than a regions-th of the pairs of
 * held-out points is. */
static double worth_again(const setting *s, int64_t regions)
{
    enum { MOST = 256 };
    int64_t n = s->h.n < MOST ? s->h.n : MOST, pairs = n * (n - 1) / 2, near = 0;
    double *between = sk_doubles(pairs), *at = between;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            *at++ = far(s, s->h.x + 2 * (i * s->h.n / n), s->h.x + 2 * (j * s->h.n / n));
    sk_sort(pairs, between);
    double reach = between[pairs / regions];
    for (int64_t i = 0; i < MOST; i++)
        for (int64_t j = 0; j < i; j++)
            near += far(s, sk_holdout_target(s->m, s->m->settings->seed, i),
                        sk_holdout_target(s->m, s->m->settings->seed, j)) < reach;
    free(between);
    return fmin(MOST * (MOST - 1) / 2.0 / (double)near, (double)regions);
}

/* Any two lie on two sides of a line along an axis, with as many points but for one. */
static void regions_are_apart(const setting *s, const sk_regions *r)
{
    for (int64_t b = 0; b < r->regions; b++)
        for (int64_t c = 0; c < b; c++) {
            double low[2][2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
            double high[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}};
            int64_t count[2] = {0};
            for (int64_t i = 0; i < r->n; i++)
                for (int side = 0; side < 2; side++)
                    if (r->of[i] == (side ? c : b)) {
                        count[side]++;
                        for (int a = 0; a < 2; a++) {
                            low[side][a] = fmin(low[side][a], s->h.x[2 * i + a]);
                            high[side][a] = fmax(high[side][a], s->h.x[2 * i + a]);
                        }
                    }
            assert_true(count[0] - count[1] <= 1 && count[1] - count[0] <= 1);
            assert_true(high[0][0] <= low[1][0] || high[1][0] <= low[0][0] || high[0][1] <= low[1][1] ||
                        high[1][1] <= low[0][1]);
        }
}

/* The mean of the regions' means, and its variance. */
static double between(const sk_regions *r, const double *value, double *mean)
{
    double of[16] = {0}, count[16] = {0}, variance = 0;
    for (int64_t i = 0; i < r->n; i++) {
        of[r->of[i]] += value[i];
        count[r->of[i]]++;
    }
    *mean = 0;
    for (int64_t b = 0; b < r->regions; b++)
        *mean += of[b] / count[b] / (double)r->regions;
    for (int64_t b = 0; b < r->regions; b++)
        variance += pow(of[b] / count[b] - *mean, 2) / (double)(r->regions - 1);
    return variance;
}

/* The sd of the mean over the targets around that over the points; chance: the variance of one of them, at least. */
static double deviation(const setting *s, const sk_regions *r, const double *value, double least, double chance)
{
    double mean = 0, single = 0, s2 = fmax(between(r, value, &mean), chance * (double)r->regions / (double)r->n);
    mean = 0;
    for (int64_t i = 0; i < r->n; i++)
        mean += value[i] / (double)r->n;
    for (int64_t i = 0; i < r->n; i++)
        single += pow(value[i] - mean, 2) / (double)(r->n - 1);
    double asked = (double)s->m->kriged.targets, few = asked > 0 ? fmax(single, chance) / asked : 0;
    return r->shared ? sqrt(s2 / r->targets + few)
                     : sqrt(s2 / (double)r->regions + fmax(fmax(s2, least * least) / r->targets, few));
}

static void regions_are_even_parts_of_the_plane(void **state)
{
    (void)state;
    static const int64_t WISH[] = {20, 33, 100, 301}, REGIONS[] = {0, 2, 6, 16};
    for (int w = 0; w < 4; w++) {
        setting s;
        sk_regions r;
        surekrig_error error;
        double value[400], mean, again, s2;
        open_setting(&s, 500, GIVEN);
        hold_out(&s, WISH[w]);
        assert_int_equal(s.h.n, WISH[w]);
        succeed(sk_regions_new(s.m, &s.h, &r, &error), &error);
        for (int64_t i = 0; i < s.h.n; i++)
            value[i] = s.h.x[2 * i] + normal(3, (uint64_t)i);
        if (REGIONS[w]) {
            assert_int_equal(r.regions, REGIONS[w]);
            close_to(r.targets, worth_again(&s, r.regions), 1e-12);
            for (int64_t i = 0; i < r.n; i++)
                assert_int_equal(r.of[i], region_again(&s, i, r.regions));
            regions_are_apart(&s, &r);
            s2 = between(&r, value, &again);
            close_to(sk_regions_error(&r, value, &mean), sqrt(s2 / (double)r.regions), 1e-12);
            close_to(mean, again, 1e-12);
            for (double least = 0; least < 3; least += 0.1)
                for (double chance = 0; chance < 2; chance += 0.5, r.shared = !r.shared)
                    close_to(sk_regions_deviation(&r, value, least, chance), deviation(&s, &r, value, least, chance),
                             1e-12);
        } else {
            assert_true(isnan(sk_regions_error(&r, value, &mean)) && isnan(sk_regions_deviation(&r, value, 0, 0)));
        }
        sk_regions_free(&r);
        close_setting(&s);
    }
}

/* ---- margins */

enum { MAE, RMSE, COV, CRPS, INTERVAL, SCORES };

/* What a score is the mean of, at a point. */
static double value_at(const setting *s, int kind, int64_t i, int64_t q)
{
    const surekrig_model *m = s->m;
    double error = fabs(m->spread[q] * sk_errors_residual_std(m, &s->e, i, q));
    double sd = m->spread[q] * sqrt(sk_errors_variance_std(m, &s->e, i, q)), z = error / sd;
    double half = surekrig_model_quantile(m, q, 0.95) * sd, phi = exp(-z * z / 2) / sqrt(2 * M_PI);
    switch (kind) {
    case MAE:
        return error;
    case RMSE:
        return error * error;
    case COV:
        return error <= half;
    case CRPS:
        return sd * (z * erf(z / sqrt(2)) + 2 * phi - 1 / sqrt(M_PI));
    default:
        return 2 * half + (error > half ? 2 / 0.05 * (error - half) : 0);
    }
}

static void same_margin(const setting *s, sk_shores shores, const surekrig_scores *of, const surekrig_scores *got,
                        int64_t first, int64_t many)
{
    sk_regions r;
    surekrig_error error;
    static const double T[] = {NAN, 12.706, 4.303, 3.182, 2.776}; /* Student's of few degrees of freedom */
    double value[400], z = 1.959963984540054;
    const double follows[SCORES] = {of->mae, 2 * of->rmse * of->rmse, 2 * z * exp(-z * z / 2) / sqrt(2 * M_PI),
                                    of->crps, of->interval};
    const double chance[SCORES] = {0, 0, sqrt(0.95 * 0.05), 0, 0.96 * of->interval}; /* of one normal value */
    const double told[SCORES] = {got->mae, got->rmse * 2 * of->rmse, got->cov, got->crps, got->interval};
    succeed(sk_regions_new(s->m, &s->h, &r, &error), &error);
    r.shared = shores.none;
    int64_t n = r.regions, freedom = n - 1;
    double t = freedom < 5 ? T[freedom] : z + (z * z * z + z) / (double)(4 * freedom);
    assert_int_equal(got->n, n);
    for (int kind = 0; kind < SCORES; kind++) {
        for (int64_t i = 0; i < s->h.n; i++) {
            value[i] = 0;
            for (int64_t q = first; q < first + many; q++)
                value[i] += value_at(s, kind, i, q) / (double)many;
        }
        double differ = deviation(s, &r, value, shores.spread * follows[kind], chance[kind] * chance[kind]);
        double margin = t * hypot(differ, shores.error * follows[kind]), most = fmax(of->cov, 1 - of->cov);
        close_to(told[kind], kind == COV && margin > most ? most : margin, 1e-9); /* coverage is within 0 and 1 */
    }
    assert_true(isnan(got->logdensity) && got->level == 0.95);
    sk_regions_free(&r);
}

static void margins_of(int64_t many, sk_shores shores)
{
    setting s;
    surekrig_error error;
    surekrig_scores each[L], one[L];
    open_setting(&s, 600, GIVEN "interval=conformal variance=local");
    hold_out(&s, many);
    s.m->info.held_out = (surekrig_scores){.mae = 0.3, .rmse = 0.4, .cov = 0.9, .crps = 0.2, .interval = 1.5};
    for (int q = 0; q < L; q++)
        one[q] = (surekrig_scores){.mae = 0.1 + q, .rmse = 0.2 + q, .cov = 0.9, .crps = 0.3 + q, .interval = 2 + q};
    memcpy((surekrig_scores *)s.m->info.held_out_each, one, sizeof one);
    succeed(sk_margins_measure(s.m, &s.h, &s.e, shores, each, &error), &error);
    same_margin(&s, shores, &s.m->info.held_out, &s.m->info.margin, 0, L);
    for (int q = 0; q < L; q++)
        same_margin(&s, shores, &one[q], &each[q], q, 1);
    close_setting(&s);
}

static void margins_are_those_of_regions(void **state)
{
    (void)state;
    margins_of(333, (sk_shores){1, 0, 0});
    margins_of(333, (sk_shores){.factor = 1, .none = true});
    margins_of(333, (sk_shores){1, 0.2, 0.1});
    margins_of(333, (sk_shores){1, 0.05, 3});
    for (int64_t regions = 2; regions < 8; regions++)
        margins_of(16 * regions + regions, (sk_shores){1, 0.1, 0.1});
}

/* ---- the scores by which models are chosen */

static double crps_again(double error, double sd)
{
    double z = fabs(error / sd), phi = exp(-z * z / 2) / sqrt(2 * M_PI);
    return sd * (z * erf(z / sqrt(2)) + 2 * phi - 1 / sqrt(M_PI));
}

/* Points with odd numbers judge, along the order in up to 16 parts: of each its mean; how many there are. */
static int64_t parts_again(const sk_judges *j, const sk_judged *a, const sk_judged *b, double *mean)
{
    int64_t n = j->points.n, l = j->l, half = n / 2, parts = half < 16 ? half : 16, rank = 0;
    double shared[L], count[16] = {0};
    for (int64_t q = 0; q < l; q++) {
        double sum = 0, all = 0;
        for (int64_t i = q; i < n * l; i += 2 * l, all++)
            sum += pow((a->residual_std[i] + b->residual_std[i]) / 2, 2) /
                   ((a->sd_std[i] * a->sd_std[i] + b->sd_std[i] * b->sd_std[i]) / 2);
        shared[q] = a == b || j->noise ? 1 : sum / all;
    }
    for (int64_t r = 0; r < 16; r++)
        mean[r] = 0;
    for (int64_t o = 0; o < n; o++) {
        int64_t i = j->order[o], r = parts - 1;
        if (i % 2 == 0)
            continue;
        while (r * half / parts > rank)
            r--;
        for (int64_t at = i * l; at < (i + 1) * l; at++, count[r]++)
            mean[r] += crps_again((a->residual_std[at] + b->residual_std[at]) / 2,
                                  sqrt(shared[at % l] * (pow(a->sd_std[at], 2) + pow(b->sd_std[at], 2)) / 2));
        rank++;
    }
    for (int64_t r = 0; r < parts; r++)
        mean[r] /= count[r];
    return parts;
}

static double mean_of(int64_t n, const double *value, double *error)
{
    double mean = 0, squares = 0;
    for (int64_t i = 0; i < n; i++)
        mean += value[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        squares += pow(value[i] - mean, 2);
    *error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : 0;
    return mean;
}

static void models_are_scored_by_regions(void **state)
{
    (void)state;
    enum { MOST = 101 };
    static const int64_t POINTS[] = {2, 3, 9, 32, 64, MOST};
    double residual[2][MOST * L], sd[2][MOST * L], mean[16], other[16], wanted, error_of, gain, of_gain;
    int64_t order[MOST];
    surekrig_error error;
    for (int i = 0; i < MOST * L; i++)
        for (int k = 0; k < 2; k++) {
            residual[k][i] = normal(21, (uint64_t)i) + 0.5 * normal(22 + (uint64_t)k, (uint64_t)i);
            sd[k][i] = exp(0.3 * normal(25 + (uint64_t)k, (uint64_t)i));
        }
    for (int c = 0; c < 12; c++) {
        sk_judges j = {.points.n = POINTS[c / 2], .l = L, .noise = c % 2, .order = order};
        sk_judged a = {residual[0], sd[0]}, b = {residual[1], sd[1]};
        surekrig_trial trial = {.crps = -7};
        for (int64_t i = 0; i < j.points.n; i++)
            order[i] = j.points.n - 1 - i;
        int64_t parts = parts_again(&j, &a, &a, mean);
        succeed(sk_judged_score(&j, &a, NULL, &trial, &error), &error);
        wanted = mean_of(parts, mean, &error_of);
        close_to(trial.crps, wanted, 1e-12);
        near_to(trial.error, error_of, 1e-8);
        parts_again(&j, &a, &b, other);
        succeed(sk_judged_score(&j, &a, &b, &trial, &error), &error);
        wanted = mean_of(parts, other, &error_of);
        close_to(trial.crps, wanted, 1e-12);
        near_to(trial.error, error_of, 1e-8);
        parts_again(&j, &b, &b, other);
        for (int64_t r = 0; r < parts; r++)
            mean[r] -= other[r];
        succeed(sk_judged_gain(&j, &a, &b, &gain, &of_gain, &error), &error);
        near_to(gain, mean_of(parts, mean, &error_of), 1e-12);
        assert_true(parts > 1 ? fabs(of_gain - error_of) < 1e-8 : isinf(of_gain));
    }
}

/* Those that do not judge say how large gamma2 is. */
static void a_model_is_tried_at_its_best_scale(void **state)
{
    (void)state;
    setting s;
    sk_judges judges = {0};
    sk_judged judged = {0};
    surekrig_error error;
    open_setting(&s, 300, GIVEN "gamma2=7");
    sk_model_forget_targets(s.m);
    succeed(sk_try_model(&judges, s.m, &s.p.data, &judged, &error), &error);
    hold_out(&s, 10); /* freed below */
    assert_true(judges.l == L && !judges.noise && judges.points.n == s.p.data.n);
    for (int q = 0; q < L; q++) {
        double sum = 0, count = 0;
        for (int64_t i = q; i < judges.points.n * L; i += 2 * L, count++)
            sum += pow(judged.residual_std[i] / judged.sd_std[i], 2);
        close_to(sum / count, 1, 1e-10);
    }
    sk_judges_free(&judges);
    sk_judged_free(&judged);
    close_setting(&s);
}

/* ---- the least variance */

static const double *sorted_by;

static int by_value(const void *a, const void *b)
{
    int64_t i = *(const int64_t *)a, j = *(const int64_t *)b;
    return sorted_by[i] != sorted_by[j] ? (sorted_by[i] > sorted_by[j]) - (sorted_by[i] < sorted_by[j])
                                        : (i > j) - (i < j);
}

static double middle_of(int64_t n, double *value)
{
    sk_sort(n, value);
    return value[n / 2];
}

static double floor_again(const setting *s, const sk_errors *near, int64_t q)
{
    const surekrig_model *m = s->m;
    double value[700], sum = 0, count = 0, gain = 0;
    for (int64_t i = 0; i < s->e.n; i++)
        value[i] = sk_errors_variance_std(m, &s->e, i, q);
    double below = 0.1 * middle_of(s->e.n, value);
    for (int64_t i = 0; i < s->e.n; i++)
        value[i] = pow(sk_errors_residual_std(m, &s->e, i, q), 2) / sk_errors_variance_std(m, &s->e, i, q);
    double usual = fmax(1, middle_of(s->e.n, value) / 0.4549);
    for (int64_t i = 0; i < near->n; i++)
        if (sk_errors_variance_std(m, near, i, q) < below) {
            sum += pow(sk_errors_residual_std(m, near, i, q), 2);
            count++;
        }
    double least = count > 0 ? fmin(sum / count, below) : 0;
    for (int64_t i = 0; i < near->n; i++) { /* what a normal likelihood gains by it */
        double v = sk_errors_variance_std(m, near, i, q), square = pow(sk_errors_residual_std(m, near, i, q), 2);
        if (v < below)
            gain += (log(v) + square / (usual * v) - log(fmax(v, least)) - square / (usual * fmax(v, least))) / 2;
    }
    return count >= 16 && gain > 10 ? least : 0;
}

/* Pairs of rows side by side, whose responses differ by so much. */
static bool floor_is_as_the_formula_says(double differ, int64_t pairs)
{
    setting s;
    surekrig_error error;
    open_setting(&s, 500, GIVEN "tau2=1e-6 variance=local");
    int64_t n = s.p.data.n, row[700];
    surekrig_model *old = s.m;
    for (int64_t i = 0; i < pairs; i++) { /* the last rows, lest the first half hold all */
        double *x = s.p.x + 2 * (n - 2 * pairs + 2 * i), *y = s.p.y + L * (n - 2 * pairs + 2 * i);
        x[2] = x[0] + 1e-5 * (double)(1 + i);
        x[3] = x[1];
        for (int q = 0; q < L; q++)
            y[L + q] = y[q] + (q ? differ : 0.01 * differ) * (i % 2 ? 1 : -1);
    }
    sk_machine_close(&s.machine);
    sk_model_forget_targets(old);
    s.m = fit(&s.p.data, GIVEN "tau2=1e-6 variance=local");
    surekrig_model_free(old);
    succeed(sk_model_take_targets(s.m, &s.p.data, &error), &error);
    succeed(sk_machine_open(s.m, true, 1, &s.machine, &error), &error);
    succeed(sk_machine_set(&s.machine, &s.m->hyper, &error), &error);
    free(s.m->widths.floor_std);
    s.m->widths.floor_std = NULL;
    hold_out(&s, 200);
    double far[700];
    for (int64_t i = 0; i < n; i++) {
        far[i] = INFINITY;
        row[i] = i;
        for (int64_t j = 0; j < n; j++)
            if (j != i)
                far[i] = fmin(far[i], sk_frame_distance(&s.m->frame, s.p.x + 2 * i, s.p.x + 2 * j));
    }
    sorted_by = far;
    qsort(row, (size_t)n, sizeof *row, by_value);
    sk_holdout near = {0};
    sk_errors e = {0};
    succeed(sk_holdout_rows(s.m, 256, row, &near, &error), &error);
    succeed(sk_errors_new(s.m, near.n, SK_WANT_SCALE, &e, &error), &error);
    succeed(sk_errors_fill(&s.machine, &near, &e, &error), &error);
    double wanted[L] = {floor_again(&s, &e, 0), floor_again(&s, &e, 1)};
    succeed(sk_floor_train(s.m, &s.machine, &s.e, &error), &error);
    bool any = wanted[0] > 0 || wanted[1] > 0;
    printf("differ %g, %d pairs: floors %g and %g\n", differ, (int)pairs, wanted[0], wanted[1]);
    assert_true(any == (s.m->widths.floor_std != NULL));
    for (int q = 0; q < L && any; q++)
        near_to(s.m->widths.floor_std[q], wanted[q], 1e-12 * wanted[q]);
    sk_errors_free(&e);
    sk_holdout_free(&near);
    close_setting(&s);
    return any;
}

static void the_least_variance_is_that_of_near_rows(void **state)
{
    (void)state;
    assert_true(!floor_is_as_the_formula_says(0, 30));
    assert_true(!floor_is_as_the_formula_says(0.1, 3));
    assert_true(floor_is_as_the_formula_says(0.02, 60));
    assert_true(floor_is_as_the_formula_says(0.03, 60));
    floor_is_as_the_formula_says(0.3, 60);
}

/* ---- targets as rows */

static double nearest_to(const surekrig_model *m, const double *x, int64_t but)
{
    double least = INFINITY;
    for (int64_t i = 0; i < m->data.n; i++)
        if (i != but)
            least = fmin(least, sk_frame_distance(&m->frame, x, m->data.x + 2 * i));
    return least;
}

static bool alike_again(const surekrig_model *m, int64_t targets, const double *target)
{
    double there[60], here[200], apart = 0, most[2] = {0};
    int64_t n = m->data.n;
    for (int64_t i = 0; i < targets; i++)
        most[0] = fmax(most[0], there[i] = nearest_to(m, target + 2 * i, -1));
    for (int64_t i = 0; i < n; i++)
        most[1] = fmax(most[1], here[i] = nearest_to(m, m->data.x + 2 * i, i));
    for (int64_t k = 0; k < n + targets; k++) { /* shares up to each distance */
        double at = k < n ? here[k] : there[k - n], share[2] = {0};
        for (int64_t i = 0; i < n; i++)
            share[0] += (here[i] <= at) / (double)n;
        for (int64_t i = 0; i < targets; i++)
            share[1] += (there[i] <= at) / (double)targets;
        apart = fmax(apart, fabs(share[0] - share[1]));
    }
    return most[0] <= 1.5 * most[1] && apart <= 1.36 * sqrt(1 / (double)n + 1 / (double)targets);
}

/* Among the rows, ever nearer to the next one, ever farther off. */
static void targets_are_as_rows(void **state)
{
    (void)state;
    enum { ROWS = 200, TARGETS = 60 };
    points p = make_field(ROWS, 2, 1, 0.5, 0.3, 0.05, 31);
    int yes = 0, no = 0;
    for (int c = 0; c < 60; c++) {
        double *target = make_places(TARGETS, 2, 1, 32 + (uint64_t)c), pull = c < 30 ? c / 30. : 0;
        for (int i = 0; i < 2 * TARGETS; i++)
            target[i] = target[i] * (1 - pull) + pull * p.x[i] + (c >= 30 && i < 2 ? 0.02 * (c - 30) : 0);
        p.data.targets = c % 3 ? TARGETS : 7;
        p.data.target = target;
        surekrig_settings *settings = settings_of("threads=1 neighbors=8 sectors=no");
        surekrig_model *m = NULL;
        surekrig_error error;
        bool alike;
        succeed(sk_model_new(&p.data, settings, &m, &error), &error);
        succeed(sk_model_index(m, &error), &error);
        succeed(sk_model_take_targets(m, &p.data, &error), &error);
        succeed(sk_targets_are_as_rows(m, &alike, &error), &error);
        assert_true(alike == alike_again(m, p.data.targets, target));
        yes += alike;
        no += !alike;
        sk_model_forget_targets(m);
        surekrig_model_free(m);
        surekrig_settings_free(settings);
        free(target);
    }
    printf("%d alike, %d not\n", yes, no);
    assert_true(yes > 10 && no > 10);
    free_points(&p);
}

/* ---- shores */

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Rows nearer to a target than half of the targets are to a row; but at most a quarter of the rows. */
static int64_t shores_again(const surekrig_model *m, bool *shore)
{
    int64_t n = m->data.n, targets = m->kriged.targets, count = 0;
    double far[700], sorted[700], there[700];
    for (int64_t i = 0; i < targets; i++)
        there[i] = nearest_to(m, m->kriged.target + 2 * i, -1);
    for (int64_t i = 0; i < n; i++) {
        far[i] = INFINITY;
        for (int64_t t = 0; t < targets; t++)
            far[i] = fmin(far[i], sk_frame_distance(&m->frame, m->data.x + 2 * i, m->kriged.target + 2 * t));
        sorted[i] = far[i];
    }
    qsort(there, (size_t)targets, sizeof *there, by_number);
    qsort(sorted, (size_t)n, sizeof *sorted, by_number);
    double within = fmin(there[targets / 2], sorted[n / 4]);
    for (int64_t i = 0; i < n; i++)
        count += shore[i] = far[i] < within;
    return count;
}

/* Predicted from the nearest rows that are no shores. */
static void leave_shores_out(const setting *s, const bool *shore, sk_holdout *h)
{
    int64_t row[700], at = 0, k = s->m->info.neighbors;
    surekrig_error error;
    for (int64_t i = 0; i < s->m->data.n; i++)
        if (shore[i])
            row[at++] = i;
    succeed(sk_holdout_rows(s->m, at, row, h, &error), &error);
    for (int64_t i = 0; i < at; i++) {
        double far[700];
        int64_t inland[700], count = 0;
        for (int64_t j = 0; j < s->m->data.n; j++) {
            far[j] = sk_frame_distance(&s->m->frame, h->x + 2 * i, s->m->data.x + 2 * j);
            if (!shore[j])
                inland[count++] = j;
        }
        sorted_by = far;
        qsort(inland, (size_t)count, sizeof *inland, by_value);
        memcpy(h->neighbor + i * k, inland, (size_t)k * sizeof *inland);
    }
}

/* The mean |error| / sd, and the standard error of its logarithm. */
static double size_again(const setting *s, const sk_holdout *h, const sk_errors *e, double *error, double *regions)
{
    sk_regions r;
    surekrig_error said;
    double value[700], mean;
    for (int64_t i = 0; i < h->n; i++) {
        value[i] = 0;
        for (int64_t q = 0; q < L; q++)
            value[i] += fabs(sk_errors_residual_std(s->m, e, i, q)) / sqrt(sk_errors_variance_std(s->m, e, i, q)) / L;
    }
    succeed(sk_regions_new(s->m, h, &r, &said), &said);
    double variance = between(&r, value, &mean);
    *regions = (double)r.regions;
    *error = sqrt(variance / *regions) / mean;
    sk_regions_free(&r);
    return mean;
}

/* Responses beside the gap are made rougher by so much, or all others. */
static double shores_are_as_the_formula_says(double rougher)
{
    setting s;
    surekrig_error error;
    sk_holdout h = {0};
    sk_errors e = {0};
    bool shore[700];
    double here_error, there_error, regions, others;
    sk_shores got;
    open_setting(&s, 600, GIVEN "sectors=no");
    int64_t count = shores_again(s.m, shore);
    for (int64_t i = 0; i < s.m->data.n * L; i++)
        ((double *)s.m->data.y)[i] += shore[i / L] == (rougher > 0) ? rougher * normal(41, (uint64_t)i) : 0;
    sk_machine_close(&s.machine);
    succeed(sk_machine_open(s.m, true, 1, &s.machine, &error), &error);
    succeed(sk_machine_set(&s.machine, &s.m->hyper, &error), &error);
    hold_out(&s, 300);
    leave_shores_out(&s, shore, &h);
    assert_int_equal(h.n, count);
    succeed(sk_errors_new(s.m, h.n, SK_WANT_SCALE, &e, &error), &error);
    succeed(sk_errors_fill(&s.machine, &h, &e, &error), &error);
    double here = size_again(&s, &h, &e, &here_error, &regions),
           there = size_again(&s, &s.h, &s.e, &there_error, &others);
    double f = log(here / there), v = here_error * here_error + there_error * there_error;
    succeed(sk_shores_measure(s.m, &s.machine, &s.h, &s.e, &got, &error), &error);
    close_to(got.factor, f > 0 && f * f > v ? exp(f * (1 - v / (f * f))) : 1, 1e-9);
    close_to(got.error, sqrt(v), 1e-9);
    close_to(got.spread, here_error * sqrt(regions), 1e-9);
    sk_errors_free(&e);
    sk_holdout_free(&h);
    close_setting(&s);
    return got.factor;
}

static void shores_tell_of_errors_beside_the_targets(void **state)
{
    (void)state;
    assert_true(shores_are_as_the_formula_says(-3) == 1);
    assert_true(shores_are_as_the_formula_says(3) > shores_are_as_the_formula_says(0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_are_even_parts_of_the_plane),
        cmocka_unit_test(margins_are_those_of_regions),
        cmocka_unit_test(models_are_scored_by_regions),
        cmocka_unit_test(a_model_is_tried_at_its_best_scale),
        cmocka_unit_test(the_least_variance_is_that_of_near_rows),
        cmocka_unit_test(targets_are_as_rows),
        cmocka_unit_test(shores_tell_of_errors_beside_the_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
