/* Kriging with its derivatives by the covariance's parameters, one neighbourhood at a time.
 *
 * With weights w and z = K^-1 y, for any parameter:
 *   d mean = dc'z - w'dK z         d variance = -2 dc'w + w'dK w
 * Known mean: K w = c. Unknown mean: K w = c - m 1 with 1'w = 1, and z = K^-1 (y - mu 1), for which 1'z = 0. The bordered
 * matrix [K 1; 1' 0] has the derivative [dK 0; 0 0], and [w; m], [z; mu] are its solutions for [c; 1] and [y; 0]: so both
 * formulas stay. With the target as one more point of weight -1 and z = 0 they become  -w'dK z  and  w'dK w  over all points.
 *
 * In x = log s = log u^2 (M1), from slopes.c's E = dM/dx and N = dM/dnu:
 *   dM/dlog rho_a = -2 E s_a/s,   s_a = (scale_a (x_a - x'_a))^2        dM/dlog nu = nu N + E
 *   dK/dlog tau2 = tau2 I                                               dK/dlog share = share diag(noise) */
#include "krige/reference/reference.h"
#include "kernel/inside.h"

#include <math.h>
#include <stdlib.h>

typedef struct workspace {
    double *w, *z;      /* [k], [l][k] */
    double *square;     /* [k]: s of a row */
    double *by, *slope; /* [k] each: E/s and, in turn, each parameter's derivative of a row */
    double *sum;        /* [1 + l][parameters]: of the variance, then of the means */
} workspace;

typedef struct context {
    sk_reference *s;
    const sk_krige_job *job;
    const sk_krige_slopes *out;
    sk_slopes *slopes;
    int64_t parameters;
    workspace *space; /* [threads] */
    atomic_int_fast64_t singular;
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

static double column_dot(const sk_reference_space *r, int64_t count, int64_t width, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += r->matrix[j * width + a] * r->matrix[j * width + b];
    return sum;
}

/* w and z out of a, g and e:  U w = a + (h/g.g) g,  U z = e - mu g,  h = 1 - a.g,  mu = g.e/g.g. */
static void weights(const context *c, int64_t count, const sk_reference_space *r, workspace *w)
{
    const sk_krige_points *points = &c->s->points;
    int64_t l = points->data->l, width = count + sk_krige_sides(points), g = count + 1;
    double gg = points->unknown_mean ? column_dot(r, count, width, g, g) : 1;
    double h = points->unknown_mean ? 1 - column_dot(r, count, width, count, g) : 0;
    back_solve(count, width, r->matrix, (int64_t[2]){count, g}, h / gg, w->w);
    for (int64_t q = 0; q < l; q++) {
        int64_t e = width - l + q;
        double mu = points->unknown_mean ? column_dot(r, count, width, g, e) / gg : 0;
        back_solve(count, width, r->matrix, (int64_t[2]){e, g}, -mu, w->z + q * c->s->points.k);
    }
}

/* A row of dK over n points from `first` on, against w and z there; own: the row's point, -1 for the target. */
typedef struct strip {
    int64_t first, n, own;
    const double *x; /* [d] of the row's point */
} strip;

/* Adds the strip's share to the sums of one parameter: each pair counts twice in w'dK w, and as w z' + z w' in the means. */
static void add(const context *c, const workspace *w, strip t, int64_t parameter)
{
    int64_t l = c->s->points.data->l, k = c->s->points.k;
    double own = t.own < 0 ? -1 : w->w[t.own], across = dot(t.n, w->slope, w->w + t.first);
    w->sum[parameter] += 2 * own * across;
    for (int64_t q = 0; q < l; q++) {
        const double *z = w->z + q * k;
        double back = t.own < 0 ? 0 : z[t.own] * across;
        w->sum[(1 + q) * c->parameters + parameter] -= own * dot(t.n, w->slope, z + t.first) + back;
    }
}

static void add_strip(const context *c, const sk_reference_space *r, workspace *w, int64_t count, strip t)
{
    int64_t d = c->s->points.data->d;
    const sk_kernel *kernel = c->job->theta->kernel;
    double nu = kernel->term[0].table->nu;
    for (int64_t j = 0; j < t.n; j++)
        w->square[j] = 0;
    for (int64_t a = 0; a < d; a++)
        for (int64_t j = 0; j < t.n; j++) {
            double away = kernel->scale[a] * (t.x[a] - r->x[a * count + t.first + j]);
            w->square[j] += away * away;
        }
    for (int64_t j = 0; j < t.n; j++) {
        double by[2];
        sk_slopes_at(c->slopes, w->square[j], by);
        w->by[j] = w->square[j] > 0 ? -2 * by[0] / w->square[j] : 0;
        w->slope[j] = isinf(nu) ? 0 : nu * by[1] + by[0];
    }
    add(c, w, t, d + SK_BY_NU);
    for (int64_t a = 0; a < d; a++) {
        for (int64_t j = 0; j < t.n; j++) {
            double away = kernel->scale[a] * (t.x[a] - r->x[a * count + t.first + j]);
            w->slope[j] = w->by[j] * away * away;
        }
        add(c, w, t, a);
    }
}

static void add_diagonal(const context *c, sk_hood h, workspace *w)
{
    const surekrig_data *data = c->s->points.data;
    const sk_krige_theta *theta = c->job->theta;
    double *tau2 = w->sum + data->d + SK_BY_TAU2, *noise = w->sum + data->d + SK_BY_NOISE;
    for (int64_t i = 0; i < h.count; i++) {
        double share = data->noise ? data->noise[h.row[i]] * theta->noise_share : 0;
        for (int64_t q = -1; q < data->l; q++) {
            double product = q < 0 ? w->w[i] * w->w[i] : -w->w[i] * w->z[q * c->s->points.k + i];
            tau2[(1 + q) * c->parameters] += theta->tau2 * product;
            noise[(1 + q) * c->parameters] += share * product;
        }
    }
}

static void differentiate(const context *c, int64_t i, sk_hood h, sk_reference_space *r, workspace *w)
{
    int64_t l = c->s->points.data->l, d = c->s->points.data->d, p = c->parameters;
    for (int64_t j = 0; j < (1 + l) * p; j++)
        w->sum[j] = 0;
    weights(c, h.count, r, w);
    add_strip(c, r, w, h.count, (strip){0, h.count, -1, h.target});
    for (int64_t j = 0; j + 1 < h.count; j++) {
        for (int64_t a = 0; a < d; a++)
            r->point[a] = r->x[a * h.count + j];
        add_strip(c, r, w, h.count, (strip){j + 1, h.count - j - 1, j, r->point});
    }
    add_diagonal(c, h, w);
    memcpy(c->out->variance + i * p, w->sum, (size_t)p * sizeof(double));
    memcpy(c->out->mean + i * l * p, w->sum + p, (size_t)(l * p) * sizeof(double));
}

static void run_block(void *opaque, int64_t begin, int64_t end, int worker)
{
    context *c = opaque;
    const surekrig_neighborhoods *batch = c->job->batch;
    sk_reference_space *r = &c->s->space[worker];
    for (int64_t i = begin; i < end; i++) {
        int64_t count = batch->count ? batch->count[i] : batch->k;
        sk_hood h = {batch->neighbor + i * batch->k, count, batch->x + i * c->s->points.data->d};
        double jitter = sk_reference_factor(c->s, c->job->theta, h, r);
        if (isinf(jitter)) {
            sk_keep_first(&c->singular, i);
            continue;
        }
        if (c->job->out->jitter)
            c->job->out->jitter[i] = jitter;
        sk_reference_finish(&c->s->points, c->job, i, count, r);
        differentiate(c, i, h, r, &c->space[worker]);
    }
}

/* All threads' workspaces in one block, the first of which holds it. */
static workspace *make_space(const context *c, surekrig_error *error)
{
    int64_t k = c->s->points.k, l = c->s->points.data->l, each = k * (4 + l) + (1 + l) * c->parameters;
    workspace *space = sk_alloc(c->s->threads, sizeof *space);
    double *memory = sk_doubles(each * c->s->threads);
    if (!space || !memory) {
        free(space);
        free(memory);
        sk_fail_memory(error, 8.0 * (double)each, "the gradient's workspace");
        return NULL;
    }
    for (int t = 0; t < c->s->threads; t++) {
        double *at = memory + t * each;
        space[t] = (workspace){at, at + k, at + (1 + l) * k, at + (2 + l) * k, at + (3 + l) * k, at + (4 + l) * k};
    }
    return space;
}

static surekrig_status run(context *c, surekrig_error *error)
{
    const sk_krige_job *job = c->job;
    const sk_table *table = job->theta->kernel->term[0].table;
    surekrig_status status = sk_slopes_new(table->nu, table->low, table->high, &c->slopes, error);
    if (!status && !(c->space = make_space(c, error)))
        status = SUREKRIG_MEMORY;
    if (!status && !sk_parallel(&(sk_task){.count = job->batch->n, .grain = 16, .threads = c->s->threads, .run = run_block,
                                           .context = c, .ticker = job->ticker}))
        status = sk_fail(error, SUREKRIG_STOPPED, "stopped");
    if (!status && c->singular < job->batch->n)
        status = sk_fail_singular(job, c->singular, c->s->points.data->d, error);
    if (c->space)
        free(c->space[0].w);
    free(c->space);
    sk_slopes_free(c->slopes);
    return status;
}

surekrig_status sk_krige_gradient(const sk_krige_points *points, const sk_krige_job *job, const sk_krige_slopes *slopes,
                                  surekrig_error *error)
{
    void *opened = NULL;
    if (job->theta->kernel->terms != 1)
        return sk_fail(error, SUREKRIG_INVALID, "a gradient is known for one Matérn term, %d given",
                       job->theta->kernel->terms);
    surekrig_status status = sk_reference_open(points, &opened, error);
    if (status)
        return status;
    context c = {.s = opened, .job = job, .out = slopes, .parameters = sk_krige_parameters(points->data),
                 .singular = job->batch->n};
    status = run(&c, error);
    sk_reference_close(opened);
    return status;
}
