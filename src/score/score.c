/* Scores of Gaussian predictions, in one pass. With e = |y - mean|, z = e / sd, h = q sd, q = quantile(level):
 *
 *     MAE   mean e              RMSE  sqrt(mean e^2)              COV  share of e < h (M7)
 *     CRPS  e erf(z / sqrt 2) + sd (2 phi(z) - 1/sqrt(pi))        (M10) with z(2 Phi(z) - 1) sd = e erf(z / sqrt 2)
 *     INT   2 h + (2/a) max(0, e - h),  a = 1 - level             (M11) with U - L = 2 h, y - U or L - y = e - h
 *           or, with L and U of their own, U - L + (2/a) max(0, L - y, y - U)
 *     log density  -z^2/2 - log(sd) - log(2 pi)/2
 *
 * Written in e and h, nothing is lost to a mean that is large against sd. At sd = 0 all take their limits: z is 0 or
 * infinite, CRPS = e, INT = (2/a) e, and the log density is -infinity for a miss, +infinity for a hit. In the mean over
 * rows one miss outweighs all hits, as -z^2/2 does log(sd) on the way to sd = 0. */
#include "base/ranks.h"

#include <math.h>
#include <stdlib.h>

/* Neumaier's compensated sum. long double where it is longer: squares of finite numbers then stay finite. */
typedef struct sum {
    long double total, carry;
} sum;

static void add(sum *s, long double value)
{
    long double total = s->total + value;
    if (isfinite(total)) /* else total - total would turn an infinity into a NaN */
        s->carry += fabsl(s->total) >= fabsl(value) ? s->total - total + value : value - total + s->total;
    s->total = total;
}

static double mean_of(const sum *s, int64_t n)
{
    return (double)((s->total + s->carry) / (long double)n);
}

/* A zero-width interval that is hit exactly holds its truth, though e < h fails: the only departure from (M7). */
static bool covered(double e, double sd, double q)
{
    return e < q * sd || (e == 0 && sd == 0);
}

/* 1: row i counts, 0: it holds a NaN, -1: it is impossible, and the sentence says so. */
static int check_row(const surekrig_scored *r, int64_t i, surekrig_error *error)
{
    double y = r->y[i], mean = r->mean[i], sd = r->sd[i];
    if (isnan(y) || isnan(mean) || isnan(sd) || (r->lower && (isnan(r->lower[i]) || isnan(r->upper[i]))))
        return 0;
    if (r->lower && r->lower[i] > r->upper[i]) {
        sk_fail(error, SUREKRIG_DATA, "row %lld: the interval ends at %g, before it begins at %g", (long long)i + 1,
                r->upper[i], r->lower[i]);
        return -1;
    }
    if (isfinite(y) && isfinite(mean) && isfinite(sd) && sd >= 0)
        return 1;
    sk_fail(error, SUREKRIG_DATA, "row %lld: y = %g, mean = %g, sd = %g; all must be finite and sd at least 0",
            (long long)i + 1, y, mean, sd);
    return -1;
}

static surekrig_status check_arrays(const surekrig_scored *r, surekrig_error *error)
{
    if (r->n < 0 || (r->n > 0 && (!r->y || !r->mean || !r->sd)))
        return sk_fail(error, SUREKRIG_INVALID, "y, mean and sd must be arrays of n >= 0 numbers; n = %lld%s",
                       (long long)r->n, r->n < 0 ? "" : ", and one of them is NULL");
    if (r->n > 0 && !r->lower != !r->upper)
        return sk_fail(error, SUREKRIG_INVALID, "an interval has a lower and an upper end; one of them is NULL");
    return SUREKRIG_OK;
}

static surekrig_status check_level(double level, surekrig_error *error)
{
    if (!(level > 0 && level < 1))
        return sk_fail(error, SUREKRIG_INVALID, "level = %g; it must lie between 0 and 1, both excluded", level);
    return SUREKRIG_OK;
}

static surekrig_status no_rows(int64_t n, surekrig_error *error)
{
    return sk_fail(error, SUREKRIG_DATA, "nothing to score: none of the %lld rows has y, mean and sd", (long long)n);
}

typedef struct sums {
    int64_t n, covered, exact; /* exact: sd = 0 and hit, log density +infinity */
    sum absolute, square, crps, interval, logdensity;
} sums;

/* An interval of its own: is the value in it, and (M11). */
static void add_interval(sums *s, double y, double lower, double upper, double a)
{
    s->covered += (lower < y && y < upper) || (lower == y && y == upper);
    add(&s->interval, upper - lower + 2 / a * fmax(0, fmax(lower - y, y - upper)));
}

/* mean -+ h: likewise. */
static void add_half(sums *s, double e, double sd, double q, double a)
{
    s->covered += covered(e, sd, q);
    add(&s->interval, 2 * q * sd + 2 / a * fmax(0, e - q * sd));
}

static void add_row(sums *s, double e, double sd)
{
    const double inverse_sqrt_pi = 0.564189583547756286948, half_log_2pi = 0.918938533204672741780;
    double z = sd > 0 ? e / sd : e > 0 ? INFINITY : 0;
    double phi = exp(-z * z / 2) * inverse_sqrt_pi * M_SQRT1_2;
    s->n++;
    add(&s->absolute, e);
    add(&s->square, (long double)e * e);
    add(&s->crps, e * erf(z * M_SQRT1_2) + sd * (2 * phi - inverse_sqrt_pi)); /* (M10) */
    if (e == 0 && sd == 0)
        s->exact++;
    else
        add(&s->logdensity, sd > 0 ? -z * z / 2 - log(sd) - half_log_2pi : -INFINITY);
}

static surekrig_scores means(const sums *s, double level)
{
    double logdensity = mean_of(&s->logdensity, s->n);
    return (surekrig_scores){
        .n = s->n,
        .mae = mean_of(&s->absolute, s->n),
        .rmse = (double)sqrtl((s->square.total + s->square.carry) / (long double)s->n),
        .cov = (double)s->covered / (double)s->n,
        .crps = mean_of(&s->crps, s->n),
        .interval = mean_of(&s->interval, s->n),
        .logdensity = s->exact && logdensity > -INFINITY ? INFINITY : logdensity,
        .level = level,
    };
}

typedef struct scoring {
    const surekrig_scored *of;
    double level, q;
    sums s;
    surekrig_status status;
    surekrig_error *error;
} scoring;

/* Of many ranks one after another. */
static void add_rows(void *context, double *sums_so_far)
{
    scoring *c = context;
    const surekrig_scored *r = c->of;
    (void)sums_so_far; /* they are c->s */
    for (int64_t i = 0; i < r->n && !c->status; i++) {
        int counts = check_row(r, i, c->error);
        c->status = counts < 0 ? SUREKRIG_DATA : SUREKRIG_OK;
        if (counts <= 0)
            continue;
        double e = fabs(r->y[i] - r->mean[i]);
        add_row(&c->s, e, r->sd[i]);
        if (r->lower)
            add_interval(&c->s, r->y[i], r->lower[i], r->upper[i], 1 - c->level);
        else
            add_half(&c->s, e, r->sd[i], c->q, 1 - c->level);
    }
}

surekrig_status surekrig_score(const surekrig_scored *r, double level, surekrig_scores *scores, surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"scored", r}, {"scores", scores}, {0}}, error))
        return SUREKRIG_INVALID;
    surekrig_data spread = {.ranks = (surekrig_ranks *)r->ranks};
    const sk_ranks *ranks = sk_ranks_of(&spread);
    bool wrong = check_arrays(r, error) || check_level(level, error);
    surekrig_status status = sk_agree(ranks, wrong ? SUREKRIG_INVALID : SUREKRIG_OK, error);
    if (status)
        return status;
    scoring c = {r, level, r->quantile > 0 ? r->quantile : surekrig_quantile(level), {0}, SUREKRIG_OK, error};
    _Static_assert(sizeof c.s % sizeof(double) == 0, "they are sent as doubles");
    sk_in_turn(ranks, add_rows, &c, sizeof c.s / sizeof(double), (double *)&c.s);
    status = sk_agree(ranks, c.status, error);
    if (status)
        return status;
    if (c.s.n == 0)
        return no_rows(sk_sum(ranks, r->n), error);
    *scores = means(&c.s, level);
    return SUREKRIG_OK;
}

/* What a nominal level becomes: its quantile and how many rows it covered. */
typedef struct band {
    double q;
    int64_t covered;
} band;

static surekrig_status check_levels(int levels, const double *level, surekrig_error *error)
{
    if (levels < 1 || !level)
        return sk_fail(error, SUREKRIG_INVALID, "calibration needs at least one level; %d given", level ? levels : 0);
    for (int j = 0; j < levels; j++)
        if (check_level(level[j], error))
            return SUREKRIG_INVALID;
    return SUREKRIG_OK;
}

static surekrig_status count_covered(const surekrig_scored *r, int levels, band *bands, int64_t *counted,
                                     surekrig_error *error)
{
    for (int64_t i = 0; i < r->n; i++) {
        int counts = check_row(r, i, error);
        if (counts < 0)
            return SUREKRIG_DATA;
        *counted += counts;
        for (int j = 0; counts && j < levels; j++)
            bands[j].covered += covered(fabs(r->y[i] - r->mean[i]), r->sd[i], bands[j].q);
    }
    return *counted ? SUREKRIG_OK : no_rows(r->n, error);
}

surekrig_status surekrig_calibration(const surekrig_scored *r, int levels, const double *level, double *coverage,
                                     surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"scored", r}, {"coverage", coverage}, {0}}, error) || check_arrays(r, error) ||
        check_levels(levels, level, error))
        return SUREKRIG_INVALID;
    band *bands = sk_alloc(levels, sizeof *bands);
    if (!bands)
        return sk_fail_memory(error, (double)levels * sizeof *bands, "the calibration");
    for (int j = 0; j < levels; j++)
        bands[j] = (band){surekrig_quantile(level[j]), 0};
    int64_t counted = 0;
    surekrig_status status = count_covered(r, levels, bands, &counted, error);
    for (int j = 0; status == SUREKRIG_OK && j < levels; j++)
        coverage[j] = (double)bands[j].covered / (double)counted;
    free(bands);
    return status;
}
