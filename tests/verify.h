/* Fits, verified: everything a model says of itself is computed again from the data and the estimates, with neighbours
 * by brute force and covariances by GSL and LAPACK. */
#ifndef VERIFY_H
#define VERIFY_H

#include "fit_support.h"

#define SMALL "batch=110 neighbors=12 evaluations=9 initial=5 polish=6 rounds=8 "

/* The batch of a fit: its rows are the one thing taken from the library. */
typedef struct batch {
    int64_t b, k, *row, *neighbor; /* [b], [b][k] */
} batch;

static inline const char *setting(const surekrig_info *info, const char *name)
{
    return surekrig_settings_get(info->settings, name);
}

static inline double side(const surekrig_info *info, int64_t axis)
{
    double longest = 0;
    for (int64_t a = 0; a < info->d; a++)
        longest = fmax(longest, info->box[info->d + a] - info->box[a]);
    const char *scaling = setting(info, "scaling");
    return !strcmp(scaling, "box") || !strcmp(scaling, "auto") ? longest
           : !strcmp(scaling, "axis")                          ? info->box[info->d + axis] - info->box[axis]
                                                               : 1;
}

/* The k nearest of a row, itself and all others at its place left out, by scanning all k times. */
static inline void nearest(const surekrig_data *data, const surekrig_info *info, int64_t row, int64_t *neighbor)
{
    double *square = sk_doubles(data->n);
    for (int64_t j = 0; j < data->n; j++) {
        square[j] = 0;
        for (int64_t a = 0; a < data->d; a++)
            square[j] += pow((data->x[j * data->d + a] - data->x[row * data->d + a]) / side(info, a), 2);
        square[j] = square[j] > 0 ? square[j] : INFINITY;
    }
    for (int64_t i = 0; i < info->neighbors; i++) {
        int64_t best = 0;
        for (int64_t j = 1; j < data->n; j++)
            if (square[j] < square[best])
                best = j;
        neighbor[i] = best;
        square[best] = INFINITY;
    }
    free(square);
}

static inline batch draw_batch(const surekrig_data *data, const surekrig_info *info)
{
    batch made = {info->batch, info->neighbors, sk_alloc(info->batch, sizeof(int64_t)),
                  sk_alloc(info->batch * info->neighbors, sizeof(int64_t))};
    surekrig_error error;
    succeed(sk_sample_rows(strtoull(setting(info, "seed"), NULL, 10), data->n, made.b, made.row, &error), &error);
    for (int64_t i = 0; i < made.b; i++)
        nearest(data, info, made.row[i], made.neighbor + i * made.k);
    return made;
}

/* What a theta gives on the batch. */
typedef struct residuals {
    int64_t b, l;
    double *mean, *error; /* [b][l] in the user's units */
    double *variance;     /* [b][l] of an observation, in the user's units */
    double *share;        /* [b] of an observation, as a share of gamma2 */
    const double *gamma2; /* [l] */
    double *spread;       /* [l] */
    double block_log;     /* sum over the neighbours of all points of log share, each given the nearer ones */
    double *block_square; /* [l] likewise of error^2 / share */
} residuals;

static inline void free_residuals(residuals *r)
{
    free(r->mean);
    free(r->error);
    free(r->variance);
    free(r->share);
    free(r->spread);
    free(r->block_square);
}

/* The neighbours' own likelihood by the chain rule: each of them kriged from those nearer to the point. */
static inline void krige_block(const oracle *o, const int64_t *row, int64_t k, residuals *r)
{
    const surekrig_data *data = o->data;
    double *mean = sk_doubles(data->l), share;
    for (int64_t j = 0; j < k; j++) {
        oracle_krige(o, j, row, data->x + row[j] * data->d, mean, &share);
        share += o->tau2 + (data->noise ? data->noise[row[j]] * o->noise_share : 0);
        r->block_log += log(share);
        for (int64_t q = 0; q < data->l; q++)
            r->block_square[q] += pow(data->y[row[j] * data->l + q] - mean[q], 2) / share;
    }
    free(mean);
}

/* theta in the order of the estimates: nu, one rho or d, tau2, l gamma2, l means. */
static inline residuals krige_batch(const surekrig_data *data, const surekrig_info *info, const batch *at,
                                    const double *theta)
{
    int64_t l = data->l, d = data->d, rhos = info->estimates - 2 - 2 * l;
    residuals r = {at->b,
                   l,
                   sk_doubles(at->b * l),
                   sk_doubles(at->b * l),
                   sk_doubles(at->b * l),
                   sk_doubles(at->b),
                   theta + 2 + rhos,
                   sk_zeroed(l, sizeof(double)),
                   0,
                   sk_zeroed(l, sizeof(double))};
    assert_true(rhos == 1 || rhos == d);
    double *rho = sk_doubles(d);
    for (int64_t a = 0; a < d; a++)
        rho[a] = theta[1 + (rhos > 1 ? a : 0)];
    oracle o = {data, theta[0], theta[1 + rhos], 1 / r.gamma2[0], rho, theta + 2 + rhos + l};
    for (int64_t i = 0; i < at->b; i++) {
        oracle_krige(&o, at->k, at->neighbor + i * at->k, data->x + at->row[i] * d, r.mean + i * l, &r.share[i]);
        r.share[i] += o.tau2 + (data->noise ? data->noise[at->row[i]] * o.noise_share : 0);
        for (int64_t q = 0; q < l; q++) {
            r.error[i * l + q] = data->y[at->row[i] * l + q] - r.mean[i * l + q];
            r.variance[i * l + q] = r.share[i] * r.gamma2[q];
        }
        if (!strcmp(setting(info, "loss"), "block"))
            krige_block(&o, at->neighbor + i * at->k, at->k, &r);
    }
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t q = 0; q < l; q++)
            r.spread[q] += pow(data->y[i * l + q] - o.center[q], 2) / (double)data->n;
    for (int64_t q = 0; q < l; q++)
        r.spread[q] = sqrt(r.spread[q]);
    free(rho);
    return r;
}

/* Q as a mean over the batch, responses standardised and summed (M6). */
static inline double loss_of(const residuals *r, const surekrig_info *info)
{
    const char *name = setting(info, "loss");
    bool block = !strcmp(name, "block");
    double delta = atof(setting(info, "huber")), sum = 0, of_block = (double)info->neighbors;
    for (int64_t i = 0; i < r->b * r->l; i++) {
        double spread = r->spread[i % r->l], e = r->error[i] / spread, v = r->variance[i] / spread / spread;
        double z = e / sqrt(v);
        sum += block || !strcmp(name, "lool") ? log(v) + z * z
               : !strcmp(name, "mse")         ? e * e
               : !strcmp(name, "crps")
                   ? sqrt(v) * (z * erf(z / sqrt(2)) + sqrt(2 / M_PI) * exp(-z * z / 2) - 1 / sqrt(M_PI))
               : !strcmp(name, "looph") ? log(v) + 2 * delta * delta * (sqrt(1 + z * z / delta / delta) - 1)
                                        : delta * delta * (sqrt(1 + e * e / delta / delta) - 1);
    }
    for (int64_t q = 0; block && q < r->l; q++) {
        double gamma2 = r->variance[q] / r->share[0];
        sum += r->block_log + (double)r->b * of_block * log(gamma2 / r->spread[q] / r->spread[q]) +
               r->block_square[q] / gamma2;
    }
    return sum / (double)r->b / (block ? of_block + 1 : 1);
}

/* The share of all left-out values inside their interval (M7). */
static inline double coverage_of(const residuals *r, double level)
{
    double inside = 0;
    for (int64_t i = 0; i < r->b * r->l; i++)
        inside += fabs(r->error[i]) < surekrig_quantile(level) * sqrt(r->variance[i]);
    return inside / (double)(r->b * r->l);
}

/* (M8); the losses that are not a likelihood enter as their logarithm. */
static inline double lagrangian_of(const residuals *r, const surekrig_info *info, const surekrig_round *round)
{
    double value = loss_of(r, info);
    if (strncmp(setting(info, "loss"), "loo", 3) && strcmp(setting(info, "loss"), "block"))
        value = log(value);
    for (int j = 0; j < info->levels; j++) {
        double gap = coverage_of(r, info->level[j]) - info->level[j];
        value += round->lambda[j] * gap + round->beta / 2 * gap * gap;
    }
    return value;
}

static inline void set_scale(residuals *r, int64_t q, double gamma2)
{
    for (int64_t i = 0; i < r->b; i++)
        r->variance[i * r->l + q] = r->share[i] * gamma2;
}

/* No other gamma2 of response q gives a lower Lagrangian: neither the likelihood's, nor one next to a jump of a
 * coverage, nor one nearby. */
static inline void verify_scale(residuals *r, const surekrig_info *info, const surekrig_round *round, int64_t q)
{
    double lower = 0, upper = INFINITY, reached = lagrangian_of(r, info, round), mean_square = 0;
    const char *range = setting(info, "gamma2");
    if (strcmp(range, "auto") && (!strchr(range, ':') || sscanf(range, "%lf:%lf", &lower, &upper) != 2))
        return; /* given */
    assert_true(r->gamma2[q] >= lower * (1 - 1e-8) && r->gamma2[q] <= upper * (1 + 1e-8));
    for (int64_t i = 0; i < r->b; i++)
        mean_square += pow(r->error[i * r->l + q], 2) / r->share[i] / (double)r->b;
    for (int64_t i = -20; i < r->b * 2; i++) {
        double jump = r->gamma2[q] * exp((double)i / 100);
        if (i >= 0) {
            double z = surekrig_quantile(info->levels ? info->level[i / 2 % info->levels] : 0.5);
            jump = pow(r->error[i / 2 * r->l + q] / z, 2) / r->share[i / 2] * (i % 2 ? 1 + 1e-7 : 1 - 1e-7);
        }
        set_scale(r, q, fmin(fmax(i == -20 ? mean_square : jump, lower), upper));
        if (lagrangian_of(r, info, round) < reached - 1e-7)
            fail_msg("gamma2 %lld: L = %.12g at %.12g, %.12g at %.12g", (long long)q, reached, r->gamma2[q],
                     lagrangian_of(r, info, round), fmin(fmax(i == -20 ? mean_square : jump, lower), upper));
    }
    set_scale(r, q, r->gamma2[q]);
}

/* What an automatic gamma2 above ten times the response's variance costs where theta are compared. */
static inline double extravagance_of(const residuals *r, const surekrig_info *info, const surekrig_data *data)
{
    double sum = 0;
    for (int64_t q = 0; q < r->l && !data->noise && !strcmp(setting(info, "gamma2"), "auto"); q++)
        sum += 0.01 * pow(fmax(log(r->gamma2[q] / r->spread[q] / r->spread[q] / 10), 0), 2);
    return sum;
}

static inline void verify_round(const surekrig_data *data, const surekrig_info *info, const batch *at, int number)
{
    const surekrig_round *round = &info->round[number];
    residuals r = krige_batch(data, info, at, round->theta);
    close_to(round->loss, loss_of(&r, info), 1e-8);
    for (int j = 0; j < info->levels; j++)
        close_to(round->coverage[j], coverage_of(&r, info->level[j]), 1e-14);
    near_to(round->objective, lagrangian_of(&r, info, round) + extravagance_of(&r, info, data), 1e-8);
    for (int64_t q = 0; q < data->l && !data->noise; q++)
        verify_scale(&r, info, round, q);
    free_residuals(&r);
}

/* Whether the search had this aid. */
static inline bool aided(const surekrig_info *info, const char *aid)
{
    return !strcmp(setting(info, "aids"), "all") || strstr(setting(info, "aids"), aid);
}

/* lambda += beta (C - alpha), beta *= r (M9), both bounded where there are several levels; a last round may be the
 * penalty alone. */
static inline void verify_multipliers(const surekrig_info *info)
{
    double growth = atof(setting(info, "growth")), first = atof(setting(info, "beta"));
    bool bounded = info->levels > 1 && aided(info, "limits");
    double beta_limit = bounded ? fmax(100, first) : INFINITY, lambda_limit = bounded ? 10 : INFINITY;
    for (int n = 0; n < info->rounds; n++) {
        const surekrig_round *now = &info->round[n], *before = now - 1;
        double largest = 0;
        assert_true(n == 0 || now->evaluations >= before->evaluations);
        for (int j = 0; j < info->levels; j++)
            largest = fmax(largest, fabs(now->lambda[j]));
        if (n > 0 && n == info->rounds - 1 && largest == 0 && now->beta >= before->beta)
            continue;
        close_to(now->beta, n ? fmin(before->beta * growth, beta_limit) : first, 1e-14);
        for (int j = 0; j < info->levels; j++) {
            double step = n ? before->lambda[j] + before->beta * (before->coverage[j] - info->level[j]) : 0;
            near_to(now->lambda[j], fmin(fmax(step, -lambda_limit), lambda_limit), 1e-10);
        }
    }
}

/* Mean scores over the batch, responses pooled (M10, M11 at 0.95). */
static inline void verify_scores(const residuals *r, const surekrig_scores *s)
{
    double n = (double)(r->b * r->l), mae = 0, square = 0, crps = 0, interval = 0, density = 0;
    for (int64_t i = 0; i < r->b * r->l; i++) {
        double sd = sqrt(r->variance[i]), e = r->error[i], z = e / sd, half = surekrig_quantile(0.95) * sd;
        mae += fabs(e) / n;
        square += e * e / n;
        crps += sd * (z * erf(z / sqrt(2)) + 2 * exp(-z * z / 2) / sqrt(2 * M_PI) - 1 / sqrt(M_PI)) / n;
        interval += (2 * half + 2 / 0.05 * fmax(fabs(e) - half, 0)) / n;
        density -= (z * z / 2 + log(sd * sqrt(2 * M_PI))) / n;
    }
    assert_int_equal(s->n, r->b * r->l);
    assert_true(s->level == 0.95);
    close_to(s->mae, mae, 1e-8);
    close_to(s->rmse, sqrt(square), 1e-8);
    close_to(s->crps, crps, 1e-8);
    close_to(s->interval, interval, 1e-8);
    near_to(s->logdensity, density, 1e-8);
    close_to(s->cov, coverage_of(r, 0.95), 1e-14);
}

static inline void verify_estimates(const surekrig_data *data, const surekrig_info *info)
{
    double *last = sk_doubles(info->estimates);
    for (int i = 0; i < info->estimates; i++) {
        const surekrig_estimate *e = &info->estimate[i];
        last[i] = e->value;
        assert_true(isnan(e->lower) == isnan(e->upper));
        if (!isnan(e->lower))
            assert_true(e->value >= e->lower * (1 - 1e-12) && e->value <= e->upper * (1 + 1e-12));
        else
            assert_int_equal(e->at_bound, 0);
    }
    same_bits(last, info->round[info->rounds - 1].theta, info->estimates);
    free(last);
    for (int64_t q = 0; q < data->l; q++) {
        double mean = 0;
        for (int64_t i = 0; i < data->n && strcmp(setting(info, "mean"), "zero"); i++)
            mean += data->y[i * data->l + q] / (double)data->n;
        near_to(info->estimate[info->estimates - data->l + q].value, mean, 1e-12);
    }
}

/* Every evaluation in turn; the lowest that it knows is the last round's best, with its objective and coverage, unless
 * the last round is a compromise, whose multipliers are not those of its search. */
static inline void verify_history(const surekrig_info *info, const surekrig_round *last)
{
    const double *lowest = NULL;
    int each = 1 + info->levels;
    bool compromise = info->rounds > 1 && last->beta >= last[-1].beta;
    for (int j = 0; j < info->levels; j++)
        compromise = compromise && last->lambda[j] == 0;
    assert_non_null(info->history);
    for (int64_t i = 0; i < info->evaluations; i++) {
        const double *row = info->history + i * each;
        for (int j = 1; j < each; j++)
            assert_true(isnan(row[0]) ? isnan(row[j]) : row[j] >= 0 && row[j] <= 1);
        bool known = aided(info, "archive") || info->rounds == 1 || i >= last[-1].evaluations;
        lowest = !known || isnan(row[0]) || (lowest && lowest[0] <= row[0]) ? lowest : row;
    }
    assert_non_null(lowest);
    if (compromise)
        return;
    assert_true(lowest[0] == last->objective);
    same_bits(lowest + 1, last->coverage, info->levels);
}

static inline void verify(const surekrig_data *data, const surekrig_model *model)
{
    const surekrig_info *info = surekrig_model_info(model);
    const surekrig_round *last = &info->round[info->rounds - 1];
    batch at = draw_batch(data, info);
    assert_true(info->n == data->n && info->d == data->d && info->l == data->l && info->noise == (data->noise != NULL));
    verify_estimates(data, info);
    verify_multipliers(info);
    verify_history(info, last);
    for (int n = 0; n < info->rounds; n += n + 3 < info->rounds ? 3 : 1)
        verify_round(data, info, &at, n);
    residuals r = krige_batch(data, info, &at, last->theta);
    verify_scores(&r, &info->scores);
    free_residuals(&r);
    assert_true(info->loss == last->loss && info->evaluations == last->evaluations);
    same_bits(info->coverage, last->coverage, info->levels);
    assert_true(info->jittered == 0 && info->max_jitter == 0);
    free(at.row);
    free(at.neighbor);
}

#endif
