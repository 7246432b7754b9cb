/* Derivatives of one neighbourhood's mean and variance (sk_krige_slopes), row by row of dK. */
#include "kernel/inside.h"
#include "krige/reference/reference.h"

#include <math.h>

typedef struct context {
    const sk_krige_points *points;
    const sk_krige_job *job;
    int64_t parameters, count;
    sk_reference_space *w;
} context;

/* x <- U^-1 b, with b in a column beside U, plus `times` another column. */
static void back_solve(int64_t n, int64_t width, const double *u, const int64_t column[2], double times, double *x)
{
    for (int64_t j = n - 1; j >= 0; j--) {
        const double *row = u + j * width;
        double sum = row[column[0]] + (times != 0 ? times * row[column[1]] : 0);
        for (int64_t i = j + 1; i < n; i++)
            sum -= row[i] * x[i];
        x[j] = sum / row[j];
    }
}

static double dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double column_dot(const context *c, int64_t a, int64_t b)
{
    double sum = 0;
    int64_t width = c->count + sk_krige_sides(c->points);
    for (int64_t j = 0; j < c->count; j++)
        sum += c->w->matrix[j * width + a] * c->w->matrix[j * width + b];
    return sum;
}

/* w and z out of a, g and e:  U w = a + (h/g.g) g,  U z = e - mu g,  h = 1 - a.g,  mu = g.e/g.g. */
static void weights(const context *c)
{
    bool unknown = c->points->unknown_mean;
    int64_t l = c->points->data->l, width = c->count + sk_krige_sides(c->points), a = c->count, g = a + 1;
    double gg = unknown ? column_dot(c, g, g) : 1, h = unknown ? 1 - column_dot(c, a, g) : 0;
    back_solve(c->count, width, c->w->matrix, (int64_t[2]){a, g}, h / gg, c->w->w);
    for (int64_t q = 0; q < l; q++) {
        int64_t e = width - l + q;
        double mu = unknown ? column_dot(c, g, e) / gg : 0;
        back_solve(c->count, width, c->w->matrix, (int64_t[2]){e, g}, -mu, c->w->z + q * c->count);
    }
}

/* A row of dK over n points from `first` on, against w and z there; own: the row's point, -1 for the target. */
typedef struct strip {
    int64_t first, n, own;
    const double *x; /* [d] of the row's point */
} strip;

/* Adds the strip's share to the sums of one parameter: each pair counts twice in w'dK w, and as w z' + z w' in the
 * means. */
static void add(const context *c, strip t, int64_t parameter)
{
    const sk_reference_space *w = c->w;
    double own = t.own < 0 ? -1 : w->w[t.own], across = dot(t.n, w->slope, w->w + t.first);
    w->sum[parameter] += 2 * own * across;
    for (int64_t q = 0; q < c->points->data->l; q++) {
        const double *z = w->z + q * c->count;
        double back = t.own < 0 ? 0 : z[t.own] * across;
        w->sum[(1 + q) * c->parameters + parameter] -= own * dot(t.n, w->slope, z + t.first) + back;
    }
}

/* s_a of the strip's point j. */
static double square_along(const context *c, strip t, int64_t a, int64_t j)
{
    double away = c->job->theta->kernel->scale[a] * (t.x[a] - c->w->x[a * c->count + t.first + j]);
    return away * away;
}

static void add_strip(const context *c, strip t)
{
    const sk_reference_space *w = c->w;
    int64_t d = c->points->data->d;
    const sk_slopes *slopes = c->job->slopes->kernel;
    for (int64_t j = 0; j < t.n; j++) {
        double s = 0, by[2];
        for (int64_t a = 0; a < d; a++)
            s += square_along(c, t, a, j);
        sk_slopes_at(slopes, s, by);
        w->by[j] = s > 0 ? -2 * by[0] / s : 0;
        w->slope[j] = slopes->by_nu ? slopes->nu * by[1] + by[0] : 0;
    }
    add(c, t, d + SK_BY_NU);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t j = 0; j < t.n; j++)
            w->slope[j] = w->by[j] * square_along(c, t, a, j);
        add(c, t, a);
    }
}

static void add_diagonal(const context *c, sk_hood h)
{
    const surekrig_data *data = c->points->data;
    const sk_krige_theta *theta = c->job->theta;
    double *tau2 = c->w->sum + data->d + SK_BY_TAU2, *noise = c->w->sum + data->d + SK_BY_NOISE;
    for (int64_t i = 0; i < h.count; i++) {
        double share = data->noise ? data->noise[h.row[i]] * theta->noise_share : 0;
        for (int64_t q = -1; q < data->l; q++) {
            double product = q < 0 ? c->w->w[i] * c->w->w[i] : -c->w->w[i] * c->w->z[q * c->count + i];
            tau2[(1 + q) * c->parameters] += theta->tau2 * product;
            noise[(1 + q) * c->parameters] += share * product;
        }
    }
}

void sk_reference_differentiate(const sk_reference *s, const sk_krige_job *job, int64_t i, sk_hood h,
                                sk_reference_space *w)
{
    int64_t l = s->points.data->l, d = s->points.data->d, p = sk_krige_parameters(s->points.data);
    context c = {&s->points, job, p, h.count, w};
    for (int64_t j = 0; j < (1 + l) * p; j++)
        w->sum[j] = 0;
    weights(&c);
    add_strip(&c, (strip){0, h.count, -1, h.target});
    for (int64_t j = 0; j + 1 < h.count; j++) {
        for (int64_t a = 0; a < d; a++)
            w->point[a] = w->x[a * h.count + j];
        add_strip(&c, (strip){j + 1, h.count - j - 1, j, w->point});
    }
    add_diagonal(&c, h);
    memcpy(job->slopes->variance + i * p, w->sum, (size_t)p * sizeof(double));
    memcpy(job->slopes->mean + i * l * p, w->sum + p, (size_t)(l * p) * sizeof(double));
}
