/* What the tests of training, prediction and the model file share: simulated data sets, settings from a list of words,
 * and calls that must succeed. */
#ifndef FIT_SUPPORT_H
#define FIT_SUPPORT_H

#include "base/base.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_bessel.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define UNUSED __attribute__((unused))

enum { STREAM_PLACES = 900, STREAM_ERRORS = 901 };

UNUSED static void close_to(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * (fabs(a) + fabs(b)) / 2))
        fail_msg("%.17g and %.17g differ by more than a relative %g", a, b, relative);
}

UNUSED static void near_to(double a, double b, double absolute)
{
    if (!(fabs(a - b) <= absolute))
        fail_msg("%.17g and %.17g differ by more than %g", a, b, absolute);
}

/* A deadline. An emulator, many times slower than any machine, is excused. */
UNUSED static void in_time(double seconds, double limit)
{
    if (getenv("EMULATED"))
        printf("skipped: a deadline of %g s, in an emulator\n", limit);
    else if (!(seconds < limit))
        fail_msg("%g s where less than %g s are allowed", seconds, limit);
}

/* The i-th reproducible normal of a seed. */
UNUSED static double normal(uint64_t seed, uint64_t i)
{
    double pair[2];
    sk_normal_pair(seed, STREAM_ERRORS, i / 2, pair);
    return pair[i % 2];
}

UNUSED static void succeed(surekrig_status status, const surekrig_error *error)
{
    if (status)
        fail_msg("status %d: %s", (int)status, error->sentence);
}

/* ---- data */

typedef struct points {
    surekrig_data data;
    double *x, *y, *noise;
} points;

/* n places in the unit cube, the i-th independent of n. clustered: nearer to the origin, the more so the larger. */
UNUSED static double *make_places(int64_t n, int64_t d, double clustered, uint64_t seed)
{
    double *x = sk_doubles(n * d);
    for (int64_t i = 0; i < n * d; i++)
        x[i] = pow(sk_uniform(seed, STREAM_PLACES, (uint64_t)i), clustered);
    return x;
}

/* A draw of a Matérn field of variance 1 and a nugget at random places, response q under its own seed, times 1 + q,
 * plus 3 q: so that responses differ in centre and scale. */
UNUSED static points make_field(int64_t n, int64_t d, int64_t l, double nu, double rho, double tau2, uint64_t seed)
{
    points p = {.data = {.n = n, .d = d, .l = l}, .x = make_places(n, d, 1, seed), .y = sk_doubles(n * l)};
    double *draw = sk_doubles(n), *rhos = sk_doubles(d);
    for (int64_t a = 0; a < d; a++)
        rhos[a] = rho;
    surekrig_theta theta = {1, &(surekrig_term){1, nu, rhos}, tau2, 1};
    for (int64_t q = 0; q < l; q++) {
        surekrig_error error;
        surekrig_sample sample = {.d = d, .n = n, .x = p.x, .seed = seed + 1000 * (uint64_t)q, .threads = 1};
        succeed(surekrig_simulate(&sample, &theta, draw, &error), &error);
        for (int64_t i = 0; i < n; i++)
            p.y[i * l + q] = 3 * (double)q + (1 + (double)q) * draw[i];
    }
    free(draw);
    free(rhos);
    p.data.x = p.x;
    p.data.y = p.y;
    return p;
}

/* Takes the points within a disc of the plane out of the data, as its targets. target: room for all points. */
UNUSED static void cut_disc(points *p, const double center[2], double radius, double *target)
{
    int64_t l = p->data.l, kept = 0, missing = 0;
    for (int64_t i = 0; i < p->data.n; i++) {
        const double *x = p->x + 2 * i;
        bool inside = hypot(x[0] - center[0], x[1] - center[1]) < radius;
        memmove(inside ? target + 2 * missing : p->x + 2 * kept, x, 2 * sizeof *x);
        memmove(p->y + kept * l, p->y + i * l, (size_t)l * sizeof *p->y);
        kept += !inside;
        missing += inside;
    }
    p->data.n = kept;
    p->data.targets = missing;
    p->data.target = target;
}

/* Noise variances from 1e-3 to 1e-1, and noise of that size added. */
UNUSED static void add_noise(points *p, uint64_t seed)
{
    p->noise = sk_doubles(p->data.n);
    for (int64_t i = 0; i < p->data.n; i++) {
        p->noise[i] = pow(10, -3 + 2 * sk_uniform(seed, STREAM_PLACES + 2, (uint64_t)i));
        p->y[i] += sqrt(p->noise[i]) * normal(seed, (uint64_t)i);
    }
    p->data.noise = p->noise;
}

UNUSED static void free_points(points *p)
{
    free(p->x);
    free(p->y);
    free(p->noise);
}

/* ---- the oracle: kriging as the formulas say (M1 to M4), by GSL and LAPACK */

typedef struct oracle {
    const surekrig_data *data;
    double nu, tau2;
    double noise_share;   /* 1/gamma2, where the data have noise */
    const double *rho;    /* [d] */
    const double *center; /* [l] */
} oracle;

UNUSED static double oracle_covariance(const oracle *o, const double *p, const double *q)
{
    double sum = 0;
    for (int64_t a = 0; a < o->data->d; a++)
        sum += pow((p[a] - q[a]) / o->rho[a], 2);
    if (sum == 0)
        return 1;
    if (isinf(o->nu))
        return exp(-sum / 2);
    double u = sqrt(2 * o->nu * sum);
    gsl_sf_result log_k;
    assert_int_equal(gsl_sf_bessel_lnKnu_e(o->nu, u, &log_k), GSL_SUCCESS);
    return exp((1 - o->nu) * log(2) - lgamma(o->nu) + o->nu * log(u) + log_k.val);
}

/* Mean [l] and latent variance, as a share of gamma2, of a point from k rows of the data. */
UNUSED static void oracle_krige(const oracle *o, int64_t k, const int64_t *row, const double *target, double *mean,
                                double *variance)
{
    const surekrig_data *data = o->data;
    double *matrix = sk_doubles(k * k), *cross = sk_doubles(k), *weight = sk_doubles(k);
    for (int64_t i = 0; i < k; i++) {
        for (int64_t j = 0; j <= i; j++)
            matrix[i * k + j] = oracle_covariance(o, data->x + row[i] * data->d, data->x + row[j] * data->d);
        matrix[i * k + i] = 1 + o->tau2 + (data->noise ? o->noise_share * data->noise[row[i]] : 0);
        cross[i] = weight[i] = oracle_covariance(o, data->x + row[i] * data->d, target);
    }
    assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)k, 1, matrix, (int)k, weight, 1), 0);
    *variance = 1;
    for (int64_t q = 0; q < data->l; q++)
        mean[q] = o->center[q];
    for (int64_t i = 0; i < k; i++) {
        *variance -= cross[i] * weight[i];
        for (int64_t q = 0; q < data->l; q++)
            mean[q] += weight[i] * (data->y[row[i] * data->l + q] - o->center[q]);
    }
    free(matrix);
    free(cross);
    free(weight);
}

/* ---- settings, fit and prediction that must succeed */

/* "name=value name=value ..." on top of the defaults. */
UNUSED static surekrig_settings *settings_of(const char *words)
{
    surekrig_settings *settings = NULL;
    surekrig_error error;
    succeed(surekrig_settings_new(&settings, &error), &error);
    char *text = sk_text(words), *rest = text;
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = 0;
        succeed(surekrig_settings_set(settings, word, value, &error), &error);
    }
    free(text);
    return settings;
}

/* On one thread unless asked: these fits are too small to share out. */
UNUSED static surekrig_model *fit(const surekrig_data *data, const char *words)
{
    char plain[2048]; /* the plainest, unless words say more; auto sees what is set */
    bool chosen = strstr(words, "auto=yes") || strstr(words, "preset=");
    snprintf(plain, sizeof plain, "%s%s", chosen ? "" : "preset=coverage optimizer=bayes ", words);
    surekrig_settings *settings = settings_of(plain);
    surekrig_model *model = NULL;
    surekrig_error error;
    if (!strstr(words, "threads="))
        succeed(surekrig_settings_set(settings, "threads", "1", &error), &error);
    succeed(surekrig_fit(data, settings, NULL, &model, &error), &error);
    surekrig_settings_free(settings);
    assert_non_null(model);
    return model;
}

UNUSED static const surekrig_estimate *estimate(const surekrig_info *info, const char *name)
{
    for (int i = 0; i < info->estimates; i++)
        if (!strcmp(info->estimate[i].name, name))
            return &info->estimate[i];
    fail_msg("there is no estimate '%s'", name);
    return NULL;
}

UNUSED static double value_of(const surekrig_model *model, const char *name)
{
    return estimate(surekrig_model_info(model), name)->value;
}

typedef struct predicted {
    double *mean, *sd; /* [n][l] */
    int64_t jittered;
    double max_jitter;
} predicted;

UNUSED static predicted predict(const surekrig_model *model, int64_t n, const double *x, int latent, int threads)
{
    int64_t l = surekrig_model_info(model)->l;
    predicted p = {.mean = sk_doubles(n * l), .sd = sk_doubles(n * l)};
    surekrig_prediction out = {.mean = p.mean, .sd = p.sd};
    surekrig_error error;
    succeed(surekrig_predict(model, &(surekrig_query){n, x, latent, threads, NULL}, NULL, &out, &error), &error);
    p.jittered = out.jittered;
    p.max_jitter = out.max_jitter;
    return p;
}

UNUSED static void free_predicted(predicted *p)
{
    free(p->mean);
    free(p->sd);
}

/* The same bits; a NaN equals a NaN of the same bits. */
UNUSED static void same_bits(const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (memcmp(&a[i], &b[i], sizeof *a))
            fail_msg("number %lld: %.17g and %.17g", (long long)i, a[i], b[i]);
}

UNUSED static void mentions(const surekrig_error *error, const char *words)
{
    if (!strstr(error->sentence, words))
        fail_msg("'%s' does not say '%s'", error->sentence, words);
}

/* A fit that fails, and leaves its output alone. */
UNUSED static void fit_is_refused(const surekrig_data *data, const char *words, surekrig_status status,
                                  const char *sentence)
{
    surekrig_settings *settings = settings_of(words);
    surekrig_model *model = (surekrig_model *)0x1234;
    surekrig_error error = {0};
    assert_int_equal(surekrig_fit(data, settings, NULL, &model, &error), status);
    mentions(&error, sentence);
    assert_ptr_equal(model, (void *)0x1234);
    surekrig_settings_free(settings);
}

/* The history of a training. */
UNUSED static void same_rounds(const surekrig_info *a, const surekrig_info *b)
{
    assert_int_equal(a->rounds, b->rounds);
    for (int n = 0; n < a->rounds; n++) {
        const surekrig_round *p = &a->round[n], *q = &b->round[n];
        same_bits((double[]){p->beta, p->loss, p->objective}, (double[]){q->beta, q->loss, q->objective}, 3);
        same_bits(p->lambda, q->lambda, a->levels);
        same_bits(p->coverage, q->coverage, a->levels);
        same_bits(p->theta, q->theta, a->estimates);
        assert_int_equal(p->evaluations, q->evaluations);
    }
}

#endif
