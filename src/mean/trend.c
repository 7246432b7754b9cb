/* Generalised least squares for the trend, on a sample of at most SAMPLE points in random order:
 *   each point is kriged from its nearest neighbours among those before it (Vecchia), with zero mean, the responses and
 *   the columns F = (1, f) alike; what remains is uncorrelated, with variances v, so that
 *   (beta_0, beta) = (sum f~ f~'/v)^-1 sum f~ y~/v,   f~ = F - kriged F,   y~ = y - kriged y. */
#include "mean/mean.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 2048, NEAREST = 30 };
static const double DEPENDENT =
    1e-8; /* a column of which the others leave no more than this share: six digits of a sum do not */

void sk_trend_free(sk_trend *t)
{
    free(t->feature);
    free(t->mean);
    free(t->sd);
    free(t->beta);
    free(t->covariance);
    *t = (sk_trend){0};
}

surekrig_status sk_trend_new(const surekrig_data *data, int64_t columns, const int64_t *feature, sk_trend *out,
                             surekrig_error *error)
{
    sk_trend t = {columns,
                  data->l,
                  sk_copy(feature, columns, sizeof *feature),
                  sk_doubles(columns),
                  sk_doubles(columns),
                  sk_zeroed(data->l * columns, sizeof(double)),
                  sk_zeroed(columns * columns, sizeof(double))};
    if (!t.feature || !t.mean || !t.sd || !t.beta || !t.covariance) {
        sk_trend_free(&t);
        return sk_fail_memory(error, 8.0 * (double)(columns * (columns + data->l)), "the trend");
    }
    for (int64_t c = 0; c < columns; c++)
        sk_feature_moments(data, feature[c], &t.mean[c], &t.sd[c]);
    *out = t;
    return SUREKRIG_OK;
}

void sk_trend_take(const sk_trend *from, sk_trend *to)
{
    int64_t columns = to->columns;
    for (int64_t i = 0; i < to->responses * columns; i++)
        to->beta[i] = from->beta[i] * (to->sd[i % columns] / from->sd[i % columns]);
    for (int64_t a = 0; a < columns; a++)
        for (int64_t b = 0; b < columns; b++)
            to->covariance[a * columns + b] = from->covariance[a * columns + b] * (to->sd[a] / from->sd[a]) *
                                              (to->sd[b] / from->sd[b]);
}

void sk_trend_features(const sk_trend *t, const double *x, double *f)
{
    for (int64_t c = 0; c < t->columns; c++)
        f[c] = (x[t->feature[c]] - t->mean[c]) / t->sd[c];
}

double sk_trend_at(const sk_trend *t, int64_t response, const double *f)
{
    double sum = 0;
    for (int64_t c = 0; c < t->columns; c++)
        sum += f[c] * t->beta[response * t->columns + c];
    return sum;
}

double sk_trend_add(const sk_trend *t, const double *f, double *kriged)
{
    double added = 0;
    for (int64_t q = 0; q < t->responses; q++)
        kriged[q] += sk_trend_at(t, q, f);
    for (int64_t c = 0; c < t->columns; c++) {
        double delta = f[c] - kriged[t->responses + c];
        for (int64_t b = 0; b < t->columns; b++)
            added += delta * t->covariance[c * t->columns + b] * (f[b] - kriged[t->responses + b]);
    }
    return fmax(added, 0);
}

/* d(delta' C delta) = -2 delta' C d kriged */
void sk_trend_slopes(const sk_trend *t, const double *f, const double *kriged, double times, double *slope)
{
    for (int64_t c = 0; c < t->columns; c++) {
        double sum = 0;
        for (int64_t b = 0; b < t->columns; b++)
            sum += t->covariance[c * t->columns + b] * (f[b] - kriged[b]);
        slope[c] = -2 * times * sum;
    }
}

/* ---- the sample */

typedef struct sample {
    int64_t n, k, width; /* points, neighbours, columns: responses, 1, f */
    surekrig_data data;  /* x: [n][d], y: [n][width], owned */
    int64_t *neighbor, *count;
    double *mean, *variance; /* [n][width], [n] */
} sample;

static void free_sample(sample *s)
{
    void *owned[] = {(void *)s->data.x, (void *)s->data.y, (void *)s->data.noise, s->neighbor, s->count,
                     s->mean,           s->variance};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
}

static surekrig_status new_sample(const sk_trend_job *job, const sk_trend *t, sample *s, surekrig_error *error)
{
    const surekrig_data *data = job->data;
    *s = (sample){0};
    if (data->n <= 1 + t->columns) /* errors of 0, and intervals without a width */
        return sk_fail(error, SUREKRIG_DATA,
                       "a mean and %lld trend columns fit %lld rows exactly, whatever they hold: leave the trend out, "
                       "or some of its columns",
                       (long long)t->columns, (long long)data->n);
    int64_t n = data->n < SAMPLE ? data->n : SAMPLE, k = job->neighbors < NEAREST ? job->neighbors : NEAREST;
    *s = (sample){n, k < n ? k : n, data->l + 1 + t->columns, {.n = n, .d = job->frame->d}, NULL, NULL, NULL, NULL};
    s->data.l = s->width;
    s->data.x = sk_doubles(n * job->frame->d);
    s->data.y = sk_doubles(n * s->width);
    s->data.noise = data->noise ? sk_doubles(n) : NULL;
    s->neighbor = sk_alloc(n * s->k, sizeof *s->neighbor);
    s->count = sk_alloc(n, sizeof *s->count);
    s->mean = sk_doubles(n * s->width);
    s->variance = sk_doubles(n);
    if (s->data.x && s->data.y && s->neighbor && s->count && s->mean && s->variance && (s->data.noise || !data->noise))
        return SUREKRIG_OK;
    return sk_fail_memory(error, 8.0 * (double)(n * (2 * s->width + data->d + s->k)), "the trend's sample");
}

static surekrig_status fill_sample(const sk_trend_job *job, const sk_trend *t, sample *s, surekrig_error *error)
{
    const surekrig_data *data = job->data;
    int64_t *row = sk_alloc(s->n, sizeof *row);
    if (!row)
        return sk_fail_memory(error, 8.0 * (double)s->n, "the trend's sample");
    surekrig_status status = sk_sample_rows(job->seed, data->n, s->n, row, error);
    if (!status)
        sk_shuffle(job->seed, s->n, row);
    if (!status)
        status = sk_rows_take(data, s->n, row, error);
    for (int64_t i = 0; i < s->n && !status; i++) {
        const double *x = data->x + row[i] * data->d;
        double *y = (double *)s->data.y + i * s->width;
        sk_metric_map(job->metric, 1, x, (double *)s->data.x + i * s->data.d);
        for (int64_t q = 0; q < data->l;
             q++) /* a mean far from zero would cost digits, and the intercept does not care */
            y[q] = data->y[row[i] * data->l + q] - data->y[row[0] * data->l + q];
        y[data->l] = 1;
        sk_trend_features(t, x, y + data->l + 1);
        if (data->noise)
            ((double *)s->data.noise)[i] = data->noise[row[i]];
    }
    free(row);
    return status;
}

/* The k nearest among the points before i, by insertion; the order among them does not matter. */
static void nearest_before(const sample *s, const sk_frame *frame, int64_t i)
{
    double square[NEAREST];
    int64_t *found = s->neighbor + i * s->k, count = 0;
    for (int64_t j = 0; j < i; j++) {
        double sum = 0;
        for (int64_t a = 0; a < s->data.d; a++) {
            double gap = (s->data.x[i * s->data.d + a] - s->data.x[j * s->data.d + a]) / frame->side[a];
            sum += gap * gap;
        }
        if (count == s->k && sum >= square[count - 1])
            continue;
        int64_t at = count < s->k ? count++ : count - 1;
        for (; at > 0 && square[at - 1] > sum; at--) {
            square[at] = square[at - 1];
            found[at] = found[at - 1];
        }
        square[at] = sum;
        found[at] = j;
    }
    s->count[i] = count;
}

typedef struct nearest_work {
    const sample *s;
    const sk_frame *frame;
} nearest_work;

static void run_nearest(void *context, int64_t begin, int64_t end, int worker)
{
    const nearest_work *w = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        nearest_before(w->s, w->frame, i);
}

/* All but the first point, which has no neighbours: its mean is 0, its variance the field's. */
static surekrig_status krige_sample(const sk_trend_job *job, sample *s, surekrig_error *error)
{
    void *state = NULL;
    surekrig_neighborhoods rest = {s->n - 1, s->k, s->neighbor + s->k, s->count + 1, s->data.x + s->data.d};
    surekrig_kriged out = {.mean = s->mean + s->width, .variance = s->variance + 1};
    memset(s->mean, 0, (size_t)s->width * sizeof(double));
    s->variance[0] = sk_kernel_at_zero(job->theta->kernel);
    surekrig_status status = job->back->open(&(sk_krige_points){&s->data, NULL, s->k, job->threads}, &state, error);
    if (!status)
        status = job->back->run(state, &(sk_krige_job){&rest, job->theta, NULL, &out}, error);
    job->back->close(state);
    return status;
}

/* matrix: [p][p + p + l], the normal equations, room for a matrix, and the right-hand sides. */
static void add_point(const sk_trend_job *job, const sample *s, int64_t i, double *matrix)
{
    int64_t l = job->data->l, p = s->width - l, wide = 2 * p + l;
    double noise = s->data.noise ? s->data.noise[i] * job->theta->noise_share : 0;
    double v = fmax(s->variance[i] + job->theta->tau2 + noise, DBL_EPSILON);
    const double *y = s->data.y + i * s->width, *m = s->mean + i * s->width;
    for (int64_t a = 0; a < p; a++) {
        double f = (y[l + a] - m[l + a]) / v;
        for (int64_t b = a; b < p; b++)
            matrix[a * wide + b] += f * (y[l + b] - m[l + b]);
        for (int64_t q = 0; q < l; q++)
            matrix[a * wide + 2 * p + q] += f * (y[q] - m[q]);
    }
}

/* The columns' sizes may differ by many orders, for a smooth field hardly sees the intercept: A = S^-1 R S^-1 with a
 * unit diagonal in R, whose pivots then tell how far a column is from depending on those before it. R and S b take the
 * places of A and b, and S that of the unit matrix. */
static void scale_equations(int64_t p, int64_t wide, double *matrix)
{
    for (int64_t a = 0; a < p; a++)
        matrix[a * wide + p + a] = 1 / sqrt(matrix[a * wide + a]);
    for (int64_t a = 0; a < p; a++) {
        double s = matrix[a * wide + p + a];
        for (int64_t b = a; b < p; b++)
            matrix[a * wide + b] *= s * matrix[b * wide + p + b];
        for (int64_t b = 2 * p; b < wide; b++)
            matrix[a * wide + b] *= s;
    }
}

/* After R = U'U the columns beside it are U'^-1 S and U'^-1 S b: (A^-1)_ab and (A^-1 b)_a are products of these. The
 * intercept, column 0, stays in the sample: the kriging has a mean of its own. */
static void read_solution(int64_t p, int64_t l, const double *matrix, sk_trend *t)
{
    int64_t wide = 2 * p + l;
    for (int64_t a = 1; a < p; a++) {
        for (int64_t b = 1; b < p; b++) {
            double sum = 0;
            for (int64_t j = 0; j < p; j++)
                sum += matrix[j * wide + p + a] * matrix[j * wide + p + b];
            t->covariance[(a - 1) * t->columns + b - 1] = sum;
        }
        for (int64_t q = 0; q < l; q++) {
            double sum = 0;
            for (int64_t j = 0; j < p; j++)
                sum += matrix[j * wide + p + a] * matrix[j * wide + 2 * p + q];
            t->beta[q * t->columns + a - 1] = sum;
        }
    }
}

static surekrig_status solve(const sk_trend_job *job, const sample *s, sk_trend *t, surekrig_error *error)
{
    int64_t l = job->data->l, p = s->width - l, wide = 2 * p + l;
    double *matrix = sk_zeroed(p * wide, sizeof *matrix);
    if (!matrix)
        return sk_fail_memory(error, 8.0 * (double)(p * wide), "the trend's equations");
    for (int64_t i = 0; i < s->n; i++)
        add_point(job, s, i, matrix);
    scale_equations(p, wide, matrix);
    int64_t failed = sk_cholesky(p, wide, matrix, DEPENDENT, 1);
    if (!failed)
        read_solution(p, l, matrix, t);
    free(matrix);
    return failed ? sk_fail(error, SUREKRIG_DATA,
                            "the %lld trend columns depend on one another in a sample of %lld points: leave one "
                            "of them out",
                            (long long)t->columns, (long long)s->n)
                  : SUREKRIG_OK;
}

surekrig_status sk_trend_fit(const sk_trend_job *job, sk_trend *t, surekrig_error *error)
{
    sample s;
    surekrig_status status = new_sample(job, t, &s, error);
    if (!status)
        status = fill_sample(job, t, &s, error);
    if (!status) {
        sk_parallel(&(sk_task){.count = s.n,
                               .grain = 32,
                               .threads = sk_threads(job->threads),
                               .run = run_nearest,
                               .context = &(nearest_work){&s, job->frame}});
        status = krige_sample(job, &s, error);
    }
    if (!status)
        status = solve(job, &s, t, error);
    free_sample(&s);
    return status;
}
