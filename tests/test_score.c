/* Scores against their definitions: numerical integrals, pinball losses, counting, and GSL. */
#include "base/base.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 200, STREAM = 77 };

static void close_to(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * (fabs(a) + fabs(b))))
        fail_msg("%.17g and %.17g differ by more than a relative %g", a, b, relative);
}

/* The k-th reproducible normal. */
static double normal(uint64_t k)
{
    double pair[2];
    sk_normal_pair(5, STREAM, k / 2, pair);
    return pair[k % 2];
}

typedef struct rows {
    double y[N], mean[N], sd[N];
} rows;

/* Means of any size, sds over three decades, residuals from a hundredth of sd to eight times it. */
static rows make_rows(void)
{
    rows r;
    for (uint64_t i = 0; i < N; i++) {
        r.mean[i] = 3 * normal(4 * i);
        r.sd[i] = pow(10, 3 * sk_uniform(5, STREAM + 1, i) - 2);
        r.y[i] = r.mean[i] + r.sd[i] * normal(4 * i + 1) * pow(10, 2 * sk_uniform(5, STREAM + 2, i) - 1.5);
    }
    return r;
}

static surekrig_scores score(const rows *r, double level)
{
    surekrig_scores s;
    surekrig_error error = {0};
    if (surekrig_score(&(surekrig_scored){N, r->y, r->mean, r->sd}, level, &s, &error))
        fail_msg("%s", error.sentence);
    return s;
}

static surekrig_scores score_one(double y, double mean, double sd)
{
    surekrig_scores s;
    assert_int_equal(surekrig_score(&(surekrig_scored){1, &y, &mean, &sd}, 0.9, &s, NULL), SUREKRIG_OK);
    return s;
}

/* ---- quantile */

/* The oracle's argument, (1 - level)/2, is rounded below level = 1/2. */
static void quantile_agrees_with_gsl(void **state)
{
    (void)state;
    for (int i = 1; i < 2000; i++) {
        double level = i / 2000.0;
        close_to(surekrig_quantile(level), gsl_cdf_ugaussian_Qinv((1 - level) / 2), 1e-15 + 2e-16 / level);
    }
    close_to(surekrig_quantile(0.95), 1.959963984540054235525, 2e-16);
}

/* erf(z/sqrt 2) = level from the smallest number on, erfc(z/sqrt 2) = 1 - level to the largest below 1. An error d of
 * z shows as a relative z phi(z)/Q(z) d, about z^2 d, in the upper tail. */
static void quantile_inverts_the_normal(void **state)
{
    (void)state;
    for (double level = 0.5; level > 1e-300; level *= 0.37)
        close_to(erf(surekrig_quantile(level) / sqrt(2)), level, 3e-16);
    close_to(surekrig_quantile(5e-324), 5e-324, 0.5);
    for (double tail = 0.5; tail > 0x1p-53; tail /= 2) {
        double z = surekrig_quantile(1 - tail);
        close_to(2 * gsl_cdf_ugaussian_Q(z), tail, 3e-16 * (2 + z * z));
    }
}

static void quantile_at_and_beyond_its_ends(void **state)
{
    (void)state;
    assert_true(surekrig_quantile(0) == 0);
    assert_true(isinf(surekrig_quantile(1)) && surekrig_quantile(1) > 0);
    double outside[] = {-1e-300, 1 + 1e-15, -INFINITY, INFINITY, NAN};
    for (int i = 0; i < 5; i++)
        assert_true(isnan(surekrig_quantile(outside[i])));
}

/* ---- scores */

static double lower_part(double t, void *unused)
{
    (void)unused;
    double p = gsl_cdf_ugaussian_P(t);
    return p * p;
}

static double upper_part(double t, void *unused)
{
    (void)unused;
    double q = gsl_cdf_ugaussian_Q(t);
    return q * q;
}

/* integral of (F(x) - [y <= x])^2 over x */
static double crps_by_integration(double y, double mean, double sd, gsl_integration_workspace *work)
{
    double z = (y - mean) / sd, below, above, error;
    gsl_function lower = {lower_part, NULL}, upper = {upper_part, NULL};
    gsl_integration_qagil(&lower, z, 1e-13, 1e-11, 1000, work, &below, &error);
    gsl_integration_qagiu(&upper, z, 1e-13, 1e-11, 1000, work, &above, &error);
    return sd * (below + above);
}

static void crps_is_its_integral(void **state)
{
    (void)state;
    gsl_set_error_handler_off();
    gsl_integration_workspace *work = gsl_integration_workspace_alloc(1000);
    rows r = make_rows();
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double expected = crps_by_integration(r.y[i], r.mean[i], r.sd[i], work);
        close_to(score_one(r.y[i], r.mean[i], r.sd[i]).crps, expected, 1e-10);
        sum += expected;
    }
    close_to(score(&r, 0.5).crps, sum / N, 1e-10);
    gsl_integration_workspace_free(work);
}

/* The loss whose minimiser is the quantile at p. */
static double pinball(double y, double q, double p)
{
    return y >= q ? p * (y - q) : (1 - p) * (q - y);
}

static void interval_score_is_two_pinball_losses(void **state)
{
    (void)state;
    rows r = make_rows();
    double levels[] = {0.5, 0.9, 0.95, 0.999};
    for (int j = 0; j < 4; j++) {
        double a = 1 - levels[j], sum = 0;
        for (int i = 0; i < N; i++) {
            double lower = r.mean[i] + r.sd[i] * gsl_cdf_ugaussian_Pinv(a / 2);
            double upper = r.mean[i] + r.sd[i] * gsl_cdf_ugaussian_Qinv(a / 2);
            sum += 2 / a * (pinball(r.y[i], lower, a / 2) + pinball(r.y[i], upper, 1 - a / 2));
        }
        close_to(score(&r, levels[j]).interval, sum / N, 1e-12);
    }
}

static void errors_and_log_density_by_hand(void **state)
{
    (void)state;
    double y[] = {1, 2, 3, 4}, mean[] = {1.5, 2, 1, 5}, sd[] = {0.5, 1, 2, 0.25}; /* errors .5 0 2 1 */
    surekrig_scores s;
    assert_int_equal(surekrig_score(&(surekrig_scored){4, y, mean, sd}, 0.95, &s, NULL), SUREKRIG_OK);
    close_to(s.mae, 3.5 / 4, 1e-16);
    close_to(s.rmse, sqrt(5.25 / 4), 2e-16);
    close_to(s.cov, 0.75, 0);
    assert_int_equal(s.n, 4);
    assert_true(s.level == 0.95);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += log(gsl_ran_gaussian_pdf(y[i] - mean[i], sd[i]));
    close_to(s.logdensity, sum / 4, 1e-14);
}

static void coverage_and_calibration_by_counting(void **state)
{
    (void)state;
    rows r = make_rows();
    double levels[] = {0.1, 0.5, 0.9, 0.95, 0.999}, coverage[5];
    assert_int_equal(surekrig_calibration(&(surekrig_scored){N, r.y, r.mean, r.sd}, 5, levels, coverage, NULL),
                     SUREKRIG_OK);
    for (int j = 0; j < 5; j++) {
        int inside = 0;
        for (int i = 0; i < N; i++) /* the two-sided probability of the residual, not its quantile */
            inside += 1 - 2 * gsl_cdf_ugaussian_Q(fabs(r.y[i] - r.mean[i]) / r.sd[i]) < levels[j];
        assert_true(coverage[j] == (double)inside / N);
        assert_true(coverage[j] == score(&r, levels[j]).cov);
    }
}

/* 5 standard errors, sqrt(p(1-p)/n). */
static void calibration_of_normals_is_the_diagonal(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    double *y = sk_doubles(MANY), *mean = sk_zeroed(MANY, sizeof(double)), *sd = sk_doubles(MANY);
    double levels[] = {0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.9999}, coverage[7];
    for (uint64_t i = 0; i < MANY; i++) {
        sd[i] = 1 + (double)(i % 7);
        y[i] = sd[i] * normal(i);
    }
    assert_int_equal(surekrig_calibration(&(surekrig_scored){MANY, y, mean, sd}, 7, levels, coverage, NULL),
                     SUREKRIG_OK);
    for (int j = 0; j < 7; j++)
        assert_true(fabs(coverage[j] - levels[j]) <= 5 * sqrt(levels[j] * (1 - levels[j]) / MANY));
    free(y);
    free(mean);
    free(sd);
}

static void scores_scale_with_the_units(void **state)
{
    (void)state;
    double factors[] = {1e-3, 7, 1e200, 1e-200};
    rows r = make_rows();
    surekrig_scores a = score(&r, 0.9);
    for (int f = 0; f < 4; f++) {
        rows scaled = r;
        for (int i = 0; i < N; i++) {
            scaled.y[i] *= factors[f];
            scaled.mean[i] *= factors[f];
            scaled.sd[i] *= factors[f];
        }
        surekrig_scores b = score(&scaled, 0.9);
        close_to(b.mae, factors[f] * a.mae, 1e-14);
        close_to(b.rmse, factors[f] * a.rmse, 1e-14);
        close_to(b.crps, factors[f] * a.crps, 1e-14);
        close_to(b.interval, factors[f] * a.interval, 1e-14);
        close_to(b.logdensity, a.logdensity - log(factors[f]), 1e-13);
        assert_true(a.cov == b.cov);
    }
}

/* One large number and a million small ones: a plain sum would lose the small ones. */
static void sums_keep_their_digits(void **state)
{
    (void)state;
    enum { MANY = 1000001 };
    double *y = sk_doubles(MANY), *mean = sk_zeroed(MANY, sizeof(double)), *sd = sk_zeroed(MANY, sizeof(double));
    for (int i = 0; i < MANY; i++)
        y[i] = i ? 0.1 : 1e19;
    surekrig_scores s;
    assert_int_equal(surekrig_score(&(surekrig_scored){MANY, y, mean, sd}, 0.9, &s, NULL), SUREKRIG_OK);
    close_to(s.mae, (1e19 + 1e5) / MANY, 2e-16);
    y[0] = 0.1;
    y[MANY - 1] = 1e30; /* the large one last: all before it together are less than its last digit */
    assert_int_equal(surekrig_score(&(surekrig_scored){MANY, y, mean, sd}, 0.9, &s, NULL), SUREKRIG_OK);
    close_to(s.mae, 1e30 / MANY, 2e-16);
    y[MANY - 1] = 0.1;
    assert_int_equal(surekrig_score(&(surekrig_scored){MANY, y, mean, sd}, 0.9, &s, NULL), SUREKRIG_OK);
    assert_true(s.mae == 0.1 && s.crps == 0.1);
    free(y);
    free(mean);
    free(sd);
}

static void zero_sd_takes_the_limits(void **state)
{
    (void)state;
    surekrig_scores miss = score_one(3, 1, 0), hit = score_one(3, 3, 0), nearly = score_one(3, 1, 1e-300);
    assert_true(miss.crps == 2 && miss.cov == 0 && miss.logdensity == -INFINITY);
    close_to(miss.interval, 2 / 0.1 * 2, 1e-15);
    assert_true(hit.crps == 0 && hit.interval == 0 && hit.cov == 1 && hit.logdensity == INFINITY);
    assert_true(nearly.crps == 2 && nearly.cov == 0 && nearly.logdensity == -INFINITY);
    double y[] = {3, 3}, mean[] = {1, 3}, sd[] = {0, 0}, level = 0.9, coverage;
    surekrig_scores both;
    assert_int_equal(surekrig_score(&(surekrig_scored){2, y, mean, sd}, 0.9, &both, NULL), SUREKRIG_OK);
    assert_true(both.logdensity == -INFINITY && both.cov == 0.5);
    assert_int_equal(surekrig_calibration(&(surekrig_scored){2, y, mean, sd}, 1, &level, &coverage, NULL), SUREKRIG_OK);
    assert_true(coverage == 0.5);
}

static void rows_with_a_nan_are_left_out(void **state)
{
    (void)state;
    rows r = make_rows();
    double y[N + 3], mean[N + 3], sd[N + 3], level = 0.9, coverage, coverage_of_all;
    for (int i = 0; i < N + 3; i++) {
        y[i] = i == 0 ? NAN : r.y[i % N];
        mean[i] = i == N + 1 ? NAN : r.mean[i % N];
        sd[i] = i == N + 2 ? NAN : r.sd[i % N];
    }
    y[N] = r.y[0]; /* the complete rows are those of r, another one first */
    y[N + 2] = INFINITY;
    surekrig_scores some, all = score(&r, level);
    assert_int_equal(surekrig_score(&(surekrig_scored){N + 3, y, mean, sd}, level, &some, NULL), SUREKRIG_OK);
    assert_int_equal(some.n, N);
    close_to(some.crps, all.crps, 1e-15);
    close_to(some.rmse, all.rmse, 1e-15);
    assert_true(some.cov == all.cov);
    assert_int_equal(surekrig_calibration(&(surekrig_scored){N + 3, y, mean, sd}, 1, &level, &coverage, NULL),
                     SUREKRIG_OK);
    assert_int_equal(surekrig_calibration(&(surekrig_scored){N, r.y, r.mean, r.sd}, 1, &level, &coverage_of_all, NULL),
                     SUREKRIG_OK);
    assert_true(coverage == coverage_of_all);
}

/* ---- failures */

/* Both functions fail alike, say why, and write nothing. */
static void refused(int64_t n, const double *y, const double *sd, double level, surekrig_status status, const char *why)
{
    static const double mean[3] = {0, 0, 0};
    surekrig_scores scores, before;
    double coverage = -7;
    surekrig_error error = {0};
    memset(&scores, 0x5a, sizeof scores);
    before = scores;
    assert_int_equal(surekrig_score(&(surekrig_scored){n, y, mean, sd}, level, &scores, &error), status);
    assert_int_equal(error.status, status);
    if (!strstr(error.sentence, why))
        fail_msg("'%s' does not say '%s'", error.sentence, why);
    assert_memory_equal(&scores, &before, sizeof scores);
    memset(&error, 0, sizeof error);
    assert_int_equal(surekrig_calibration(&(surekrig_scored){n, y, mean, sd}, 1, &level, &coverage, &error), status);
    assert_non_null(strstr(error.sentence, why));
    assert_true(coverage == -7);
    assert_int_equal(surekrig_score(&(surekrig_scored){n, y, mean, sd}, level, &scores, NULL), status);
}

static void impossible_inputs_are_refused(void **state)
{
    (void)state;
    const double good[3] = {1, 2, 3}, infinite[3] = {1, 2, -INFINITY}, negative[3] = {1, -0.5, 1};
    const double missing[3] = {NAN, NAN, NAN};
    refused(3, infinite, good, 0.9, SUREKRIG_DATA, "row 3: y = -inf");
    refused(3, good, negative, 0.9, SUREKRIG_DATA, "row 2");
    refused(3, good, negative, 0.9, SUREKRIG_DATA, "sd = -0.5");
    refused(3, missing, good, 0.9, SUREKRIG_DATA, "none of the 3 rows");
    refused(0, good, good, 0.9, SUREKRIG_DATA, "none of the 0 rows");
    refused(-1, good, good, 0.9, SUREKRIG_INVALID, "n = -1");
    refused(3, NULL, good, 0.9, SUREKRIG_INVALID, "NULL");
    refused(3, good, good, 0, SUREKRIG_INVALID, "level = 0;");
    refused(3, good, good, 1, SUREKRIG_INVALID, "level = 1;");
    refused(3, good, good, NAN, SUREKRIG_INVALID, "level = nan;");
}

/* One array that is missing is enough; of no rows there need be none. */
static void each_array_is_needed(void **state)
{
    (void)state;
    const double good[2] = {1, 2}, level = 0.9;
    double coverage;
    surekrig_scores scores;
    for (int missing = 0; missing < 3; missing++) {
        surekrig_error error = {0};
        surekrig_scored r = {2, missing == 0 ? NULL : good, missing == 1 ? NULL : good, missing == 2 ? NULL : good};
        assert_int_equal(surekrig_score(&r, 0.9, &scores, &error), SUREKRIG_INVALID);
        assert_non_null(strstr(error.sentence, "n = 2, and one of them is NULL"));
        assert_int_equal(surekrig_calibration(&r, 1, &level, &coverage, NULL), SUREKRIG_INVALID);
        r.n = 1;
        assert_int_equal(surekrig_score(&r, 0.9, &scores, &error), SUREKRIG_INVALID);
        r.n = 0;
        assert_int_equal(surekrig_score(&r, 0.9, &scores, &error), SUREKRIG_DATA);
        r.n = -1;
        assert_int_equal(surekrig_score(&r, 0.9, &scores, &error), SUREKRIG_INVALID);
        assert_null(strstr(error.sentence, "NULL"));
    }
}

/* Each that is no number makes a row impossible, and the sentence names the row and what it holds. */
static void each_number_must_be_finite(void **state)
{
    (void)state;
    static const char *const WHY[] = {"row 2: y = inf, mean = 5, sd = 8;", "row 2: y = 2, mean = inf, sd = 8;",
                                      "row 2: y = 2, mean = 5, sd = inf;"};
    for (int i = 0; i < 3; i++) {
        double all[3][2] = {{1, 2}, {4, 5}, {7, 8}};
        surekrig_error error = {0};
        surekrig_scores scores;
        all[i][1] = INFINITY;
        assert_int_equal(surekrig_score(&(surekrig_scored){2, all[0], all[1], all[2]}, 0.9, &scores, &error),
                         SUREKRIG_DATA);
        assert_non_null(strstr(error.sentence, WHY[i]));
    }
}

/* Of several impossible rows the first is named. */
static void the_first_impossible_row_is_named(void **state)
{
    (void)state;
    const double y[] = {1, 1, 1, 1}, mean[] = {1, 1, INFINITY, INFINITY}, sd[] = {1, 1, 1, 1};
    const double lower[] = {0, 3, 0, 0}, upper[] = {2, 2, 2, 2};
    surekrig_error error = {0};
    surekrig_scores scores;
    surekrig_scored r = {4, y, mean, sd};
    assert_int_equal(surekrig_score(&r, 0.9, &scores, &error), SUREKRIG_DATA);
    assert_non_null(strstr(error.sentence, "row 3:"));
    r.lower = lower;
    r.upper = upper;
    assert_int_equal(surekrig_score(&r, 0.9, &scores, &error), SUREKRIG_DATA);
    assert_non_null(strstr(error.sentence, "row 2: the interval ends at 2, before it begins at 3"));
}

/* A quantile of the caller's own takes the normal one's place, and changes coverage and interval score alone. */
static void a_quantile_of_its_own(void **state)
{
    (void)state;
    rows r = make_rows();
    surekrig_scores plain = score(&r, 0.9), own;
    surekrig_scored wider = {.n = N, .y = r.y, .mean = r.mean, .sd = r.sd, .quantile = 3.5};
    assert_int_equal(surekrig_score(&wider, 0.9, &own, NULL), SUREKRIG_OK);
    int inside = 0;
    double interval = 0;
    for (int i = 0; i < N; i++) {
        double e = fabs(r.y[i] - r.mean[i]), h = 3.5 * r.sd[i];
        inside += e < h;
        interval += (2 * h + 2 / 0.1 * fmax(0, e - h)) / N;
    }
    assert_true(own.cov == (double)inside / N && own.cov > plain.cov);
    close_to(own.interval, interval, 1e-12);
    assert_true(own.crps == plain.crps && own.mae == plain.mae && own.logdensity == plain.logdensity);
}

/* What is exactly at the end of mean -+ h is outside. */
static void the_ends_of_a_half_do_not_cover(void **state)
{
    (void)state;
    const double zero = 0, sd = 0.5;
    for (int step = -1; step <= 1; step++) {
        double y = 1 + step * 1e-12;
        surekrig_scores s;
        surekrig_scored r = {.n = 1, .y = &y, .mean = &zero, .sd = &sd, .quantile = 2};
        assert_int_equal(surekrig_score(&r, 0.9, &s, NULL), SUREKRIG_OK);
        assert_true(s.cov == (step < 0));
    }
}

static void calibration_needs_levels(void **state)
{
    (void)state;
    double one[1] = {1}, levels[3] = {0.5, 0.9, 1.5}, coverage[3] = {-7, -7, -7};
    surekrig_error error = {0};
    assert_int_equal(surekrig_calibration(&(surekrig_scored){1, one, one, one}, 0, levels, coverage, &error),
                     SUREKRIG_INVALID);
    assert_non_null(strstr(error.sentence, "0 given"));
    assert_int_equal(surekrig_calibration(&(surekrig_scored){1, one, one, one}, 3, NULL, coverage, &error),
                     SUREKRIG_INVALID);
    assert_non_null(strstr(error.sentence, "0 given"));
    assert_int_equal(surekrig_calibration(&(surekrig_scored){1, one, one, one}, -2, levels, coverage, &error),
                     SUREKRIG_INVALID);
    assert_non_null(strstr(error.sentence, "-2 given"));
    assert_int_equal(surekrig_calibration(&(surekrig_scored){1, one, one, one}, 3, levels, coverage, &error),
                     SUREKRIG_INVALID);
    assert_non_null(strstr(error.sentence, "level = 1.5"));
    for (int j = 0; j < 3; j++)
        assert_true(coverage[j] == -7);
}

/* mean -+ q sd given as ends scores as the quantile does; ends elsewhere change coverage and interval score alone. */
static void intervals_of_their_own(void **state)
{
    (void)state;
    rows r = make_rows();
    double lower[N], upper[N], q = surekrig_quantile(0.9);
    for (int i = 0; i < N; i++) {
        lower[i] = r.mean[i] - q * r.sd[i];
        upper[i] = r.mean[i] + q * r.sd[i];
    }
    surekrig_scores of_sd = score(&r, 0.9), own;
    surekrig_scored ends = {.n = N, .y = r.y, .mean = r.mean, .sd = r.sd, .lower = lower, .upper = upper};
    assert_int_equal(surekrig_score(&ends, 0.9, &own, NULL), SUREKRIG_OK);
    close_to(own.interval, of_sd.interval, 1e-12);
    assert_true(own.cov == of_sd.cov && own.crps == of_sd.crps && own.logdensity == of_sd.logdensity);
    for (int i = 0; i < N; i++) {
        lower[i] = r.y[i] + 2; /* each missed by 2, and 3 wide */
        upper[i] = r.y[i] + 5;
    }
    assert_int_equal(surekrig_score(&ends, 0.9, &own, NULL), SUREKRIG_OK);
    assert_true(own.cov == 0);
    close_to(own.interval, 3 + 2 * 2 / 0.1, 1e-12);
    lower[3] = upper[5] = NAN; /* either leaves its row out */
    assert_int_equal(surekrig_score(&ends, 0.9, &own, NULL), SUREKRIG_OK);
    assert_int_equal(own.n, N - 2);
    close_to(own.interval, 3 + 2 * 2 / 0.1, 1e-12);
    upper[7] = lower[7] - 1;
    assert_int_equal(surekrig_score(&ends, 0.9, &own, NULL), SUREKRIG_DATA);
    ends.lower = NULL;
    assert_int_equal(surekrig_score(&ends, 0.9, &own, NULL), SUREKRIG_INVALID);
    ends.n = 0; /* of no rows there need be no ends: they are merely too few */
    assert_int_equal(surekrig_score(&ends, 0.9, &own, NULL), SUREKRIG_DATA);
}

/* The ends of an interval are outside of it, unless it is a point. */
static void the_ends_do_not_cover(void **state)
{
    (void)state;
    static const double Y[] = {1, 2, 1.5, 3, 3}, LOWER[] = {1, 1, 1, 3, 2}, UPPER[] = {2, 2, 2, 3, 4},
                        SD[] = {1, 1, 1, 0, 1};
    static const int COVERED[] = {0, 0, 1, 1, 1};
    for (int i = 0; i < 5; i++) {
        surekrig_scores s;
        surekrig_error error = {0};
        surekrig_scored one = {1, &Y[i], &Y[i], &SD[i], .lower = &LOWER[i], .upper = &UPPER[i]};
        assert_int_equal(surekrig_score(&one, 0.9, &s, &error), SUREKRIG_OK);
        assert_true(s.cov == COVERED[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ends_do_not_cover),
        cmocka_unit_test(quantile_agrees_with_gsl),
        cmocka_unit_test(quantile_inverts_the_normal),
        cmocka_unit_test(quantile_at_and_beyond_its_ends),
        cmocka_unit_test(crps_is_its_integral),
        cmocka_unit_test(interval_score_is_two_pinball_losses),
        cmocka_unit_test(errors_and_log_density_by_hand),
        cmocka_unit_test(coverage_and_calibration_by_counting),
        cmocka_unit_test(calibration_of_normals_is_the_diagonal),
        cmocka_unit_test(scores_scale_with_the_units),
        cmocka_unit_test(sums_keep_their_digits),
        cmocka_unit_test(zero_sd_takes_the_limits),
        cmocka_unit_test(rows_with_a_nan_are_left_out),
        cmocka_unit_test(impossible_inputs_are_refused),
        cmocka_unit_test(each_array_is_needed),
        cmocka_unit_test(each_number_must_be_finite),
        cmocka_unit_test(the_first_impossible_row_is_named),
        cmocka_unit_test(a_quantile_of_its_own),
        cmocka_unit_test(the_ends_of_a_half_do_not_cover),
        cmocka_unit_test(calibration_needs_levels),
        cmocka_unit_test(intervals_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
