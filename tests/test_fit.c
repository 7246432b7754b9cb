/* Fits, verified: everything a model says of itself is computed again from the data and the estimates, with neighbours
 * by brute force and covariances by GSL and LAPACK. Then how fits behave at the edges. */
#include "fit_support.h"

#include <time.h>

/* ---- the verifier */

/* The batch of a fit: its rows are the one thing taken from the library. */
typedef struct batch {
    int64_t b, k, *row, *neighbor; /* [b], [b][k] */
} batch;

static const char *setting(const surekrig_info *info, const char *name)
{
    return surekrig_settings_get(info->settings, name);
}

static double side(const surekrig_info *info, int64_t axis)
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
static void nearest(const surekrig_data *data, const surekrig_info *info, int64_t row, int64_t *neighbor)
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

static batch draw_batch(const surekrig_data *data, const surekrig_info *info)
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

static void free_residuals(residuals *r)
{
    free(r->mean);
    free(r->error);
    free(r->variance);
    free(r->share);
    free(r->spread);
    free(r->block_square);
}

/* The neighbours' own likelihood by the chain rule: each of them kriged from those nearer to the point. */
static void krige_block(const oracle *o, const int64_t *row, int64_t k, residuals *r)
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
static residuals krige_batch(const surekrig_data *data, const surekrig_info *info, const batch *at, const double *theta)
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
static double loss_of(const residuals *r, const surekrig_info *info)
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
static double coverage_of(const residuals *r, double level)
{
    double inside = 0;
    for (int64_t i = 0; i < r->b * r->l; i++)
        inside += fabs(r->error[i]) < surekrig_quantile(level) * sqrt(r->variance[i]);
    return inside / (double)(r->b * r->l);
}

/* (M8); the losses that are not a likelihood enter as their logarithm. */
static double lagrangian_of(const residuals *r, const surekrig_info *info, const surekrig_round *round)
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

static void set_scale(residuals *r, int64_t q, double gamma2)
{
    for (int64_t i = 0; i < r->b; i++)
        r->variance[i * r->l + q] = r->share[i] * gamma2;
}

/* No other gamma2 of response q gives a lower Lagrangian: neither the likelihood's, nor one next to a jump of a
 * coverage, nor one nearby. */
static void verify_scale(residuals *r, const surekrig_info *info, const surekrig_round *round, int64_t q)
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
static double extravagance_of(const residuals *r, const surekrig_info *info, const surekrig_data *data)
{
    double sum = 0;
    for (int64_t q = 0; q < r->l && !data->noise && !strcmp(setting(info, "gamma2"), "auto"); q++)
        sum += 0.01 * pow(fmax(log(r->gamma2[q] / r->spread[q] / r->spread[q] / 10), 0), 2);
    return sum;
}

static void verify_round(const surekrig_data *data, const surekrig_info *info, const batch *at, int number)
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
static bool aided(const surekrig_info *info, const char *aid)
{
    return !strcmp(setting(info, "aids"), "all") || strstr(setting(info, "aids"), aid);
}

/* lambda += beta (C - alpha), beta *= r (M9), both bounded where there are several levels; a last round may be the
 * penalty alone. */
static void verify_multipliers(const surekrig_info *info)
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
static void verify_scores(const residuals *r, const surekrig_scores *s)
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

static void verify_estimates(const surekrig_data *data, const surekrig_info *info)
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

/* Every evaluation in turn; the lowest that it knows is the last round's best, with its objective and coverage, unless the last round
 * is a compromise, whose multipliers are not those of its search. */
static void verify_history(const surekrig_info *info, const surekrig_round *last)
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

static void verify(const surekrig_data *data, const surekrig_model *model)
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

/* ---- what is verified */

#define SMALL "batch=110 neighbors=12 evaluations=9 initial=5 polish=6 rounds=8 "
#define FIVE "coverage=0.9,0.925,0.95,0.975,0.99 "

static void fit_and_verify(const points *p, const char *words)
{
    surekrig_model *model = fit(&p->data, words);
    verify(&p->data, model);
    surekrig_model_free(model);
}

static void fits_of_one_response(void **state)
{
    (void)state;
    points p = make_field(300, 2, 1, 0.7, 0.2, 0.01, 11);
    for (int64_t i = 0; i < p.data.n; i++) { /* sides of 3 and 0.5, and a mean */
        p.x[2 * i] *= 3;
        p.x[2 * i + 1] /= 2;
        p.y[i] += 2;
    }
    fit_and_verify(&p, SMALL FIVE);
    fit_and_verify(&p, SMALL "coverage=none seed=2");
    fit_and_verify(&p, SMALL "coverage=0.95 mean=zero");
    fit_and_verify(&p, SMALL FIVE "loss=mse");
    fit_and_verify(&p, SMALL "loss=mse coverage=none");
    fit_and_verify(&p, SMALL "loss=huber huber=0.05 coverage=0.8");
    fit_and_verify(&p, SMALL FIVE "loss=huber constraint=penalty");
    fit_and_verify(&p, SMALL FIVE "loss=lool");
    fit_and_verify(&p, SMALL "coverage=none backend=reference");
    fit_and_verify(&p, SMALL FIVE "loss=crps");
    fit_and_verify(&p, SMALL "loss=crps coverage=none");
    fit_and_verify(&p, SMALL FIVE "loss=looph");
    fit_and_verify(&p, SMALL "loss=looph huber=0.5 coverage=none");
    fit_and_verify(&p, SMALL FIVE "anisotropic=yes metric=start");
    fit_and_verify(&p, SMALL FIVE "loss=lool anisotropic=yes optimizer=lbfgs metric=start");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=crps optimizer=lbfgs");
    fit_and_verify(&p, SMALL "coverage=0.9 scaling=axis");
    fit_and_verify(&p, SMALL "coverage=none scaling=axis anisotropic=yes metric=start");
    fit_and_verify(&p, SMALL "coverage=0.9 scaling=none rho=0.01:0.3:3 optimizer=local");
    fit_and_verify(&p, SMALL "coverage=0.9 nu=inf tau2=0.01 rho=0.01:3 acquisition=ucb");
    fit_and_verify(&p, SMALL "coverage=0.95 nu=0.5 rho=0.5,0.1 metric=start tau2=0.02 gamma2=1.3");
    fit_and_verify(&p, SMALL "coverage=none nu=0.5 rho=0.3 tau2=0.02");
    fit_and_verify(&p, SMALL FIVE "nu=0.5 rho=0.5 gamma2=0.01:0.02 tau2=0.001:1");
    fit_and_verify(&p, SMALL "preset=paper batch=100 neighbors=10 seed=18446744073709551615");
    free_points(&p);
}

static void fits_of_three_responses(void **state)
{
    (void)state;
    points p = make_field(250, 2, 3, 1.1, 0.3, 0.05, 12);
    fit_and_verify(&p, SMALL FIVE);
    fit_and_verify(&p, SMALL "coverage=none");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=mse mean=zero");
    fit_and_verify(&p, SMALL FIVE "loss=huber gamma2=2 nu=1.5");
    fit_and_verify(&p, SMALL FIVE "loss=lool");
    fit_and_verify(&p, SMALL FIVE "loss=crps");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=looph");
    fit_and_verify(&p, SMALL FIVE "loss=crps optimizer=lbfgs");
    free_points(&p);
}

static void fits_with_given_noise(void **state)
{
    (void)state;
    points p = make_field(250, 3, 1, 0.6, 0.5, 0, 13);
    add_noise(&p, 14);
    fit_and_verify(&p, SMALL FIVE "anisotropic=no");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=mse tau2=0 anisotropic=no");
    fit_and_verify(&p, SMALL "coverage=none tau2=0.01 gamma2=0.8 anisotropic=no");
    fit_and_verify(&p, SMALL "coverage=0.9 tau2=0 gamma2=0.1:10 anisotropic=yes metric=start");
    fit_and_verify(&p, SMALL "coverage=0.95 loss=lool anisotropic=no");
    free_points(&p);
}

/* All points as neighbours: mean_i = y_i - [K^-1 y]_i / [K^-1]_ii,  var_i = 1 / [K^-1]_ii. */
static void all_neighbours_are_the_exact_process(void **state)
{
    (void)state;
    enum { N = 40 };
    points p = make_field(N, 2, 1, 0.7, 0.3, 0.02, 15);
    surekrig_model *model = fit(&p.data, "neighbors=39 mean=zero nu=0.7 rho=0.3 tau2=0.02 gamma2=1.2 coverage=none");
    verify(&p.data, model);
    double matrix[N * N], solved[N], square = 0, density = 0, rho[2] = {0.3, 0.3};
    oracle o = {&p.data, 0.7, 0.02, 0, rho, NULL};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            matrix[i * N + j] = 1.2 * (oracle_covariance(&o, p.x + 2 * i, p.x + 2 * j) + (i == j ? 0.02 : 0));
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'U', N, matrix, N), 0);
    assert_int_equal(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'U', N, matrix, N), 0);
    for (int i = 0; i < N; i++) {
        solved[i] = 0;
        for (int j = 0; j < N; j++)
            solved[i] += matrix[i < j ? i * N + j : j * N + i] * p.y[j];
        double inverse = matrix[i * N + i], e = solved[i] / inverse;
        square += e * e / N;
        density -= (e * e * inverse + log(2 * M_PI / inverse)) / 2 / N;
    }
    close_to(surekrig_model_info(model)->scores.rmse, sqrt(square), 1e-10);
    close_to(surekrig_model_info(model)->scores.logdensity, density, 1e-10);
    surekrig_model_free(model);
    free_points(&p);
}

/* ---- the search */

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

/* ---- edges */

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
static void responses_scaled_and_shifted(void **state)
{
    (void)state;
    const char *words = "coverage=0.95 nu=0.7 tau2=0.02 batch=150 neighbors=12 variance=local interval=conformal";
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
    mentions(&error, "2 features and 1 responses, the model 2 and 2");
    new.data.l = 2;
    new.data.n = 59; /* k = 59 is one too many */
    assert_int_equal(surekrig_refit(&new.data, from, &model, &error), SUREKRIG_DATA);
    assert_ptr_equal(model, (void *)0x1234);
    surekrig_model_free(from);
    free_points(&old);
    free_points(&new);
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

/* What is left to the data: how much there is, in how many features, with what noise. */
static void defaults_follow_the_data(void **state)
{
    (void)state;
    static const char FIVE_LEVELS[] = "0.9,0.925,0.95,0.975,0.99";
    static const struct {
        int64_t n, d, neighbors;
        bool noise;
        const char *sectors, *variance, *interval, *coverage;
    } CASES[] = {
        {150, 2, 50, false, "no", "global", "gaussian", FIVE_LEVELS},
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
        cmocka_unit_test(fits_of_one_response),
        cmocka_unit_test(two_ways_to_say_gaussian),
        cmocka_unit_test(fits_of_three_responses),
        cmocka_unit_test(fits_with_given_noise),
        cmocka_unit_test(all_neighbours_are_the_exact_process),
        cmocka_unit_test(the_estimates_are_a_minimum),
        cmocka_unit_test(bounds_are_kept_and_flagged),
        cmocka_unit_test(scaling_by_axis_is_in_shares_of_the_sides),
        cmocka_unit_test(what_cannot_be_met_ends_soon),
        cmocka_unit_test(the_paper_preset_runs_its_rounds),
        cmocka_unit_test(rounds_of_the_paper_know_nothing_of_each_other),
        cmocka_unit_test(aids_can_be_switched_off_one_by_one),
        cmocka_unit_test(squared_errors_are_not_told_the_scale),
        cmocka_unit_test(two_points_are_enough),
        cmocka_unit_test(duplicates_without_a_nugget_are_jittered),
        cmocka_unit_test(responses_in_any_units),
        cmocka_unit_test(responses_scaled_and_shifted),
        cmocka_unit_test(features_in_any_units),
        cmocka_unit_test(impossible_data_are_refused),
        cmocka_unit_test(the_truth_is_among_those_as_good),
        cmocka_unit_test(progress_is_sane_and_can_stop),
        cmocka_unit_test(a_small_fit_can_be_stopped),
        cmocka_unit_test(seconds_end_training),
        cmocka_unit_test(refit_keeps_hyperparameters_and_takes_new_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
