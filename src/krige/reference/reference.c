/* The plain back end: one neighbourhood at a time, threads over neighbourhoods.
 *
 * K = U'U over the k neighbours; the columns beside it are c (cross-covariances) and the responses. The factorisation
 * leaves them as a = U'^-1 c and e = U'^-1 y, so  mean = a.e  and  variance = k(0) - a.a  (M4): one factorisation, no
 * inverse, no back substitution, whatever the number of responses. The variance is taken by running subtraction, which
 * keeps more digits than 1 - sum where the nugget is small. */
#include "krige/krige.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct workspace {
    double *matrix; /* [k][k + 1 + l] */
    double *x;      /* [d][k] the neighbours by columns */
    double *point;  /* [d] */
    double *scratch, *row; /* [k] each */
} workspace;

typedef struct state {
    sk_krige_points points;
    int threads;
    double *memory;
    workspace *space; /* [threads] */
} state;

static void close(void *opened)
{
    state *s = opened;
    if (!s)
        return;
    free(s->memory);
    free(s->space);
    free(s);
}

static surekrig_status open(const sk_krige_points *points, void **opened, surekrig_error *error)
{
    int64_t k = points->k, d = points->data->d, l = points->data->l;
    int64_t each = k * (k + 1 + l) + d * k + d + 2 * k;
    state *s = sk_zeroed(1, sizeof *s);
    if (s) {
        s->points = *points;
        s->threads = sk_threads(points->threads);
        s->memory = sk_doubles(each * s->threads);
        s->space = sk_alloc(s->threads, sizeof *s->space);
    }
    if (!s || !s->memory || !s->space) {
        close(s);
        return sk_fail_memory(error, 8.0 * (double)each, "the kriging workspace");
    }
    for (int t = 0; t < s->threads; t++) {
        double *at = s->memory + t * each;
        workspace *w = &s->space[t];
        w->matrix = at;
        w->x = w->matrix + k * (k + 1 + l);
        w->point = w->x + d * k;
        w->scratch = w->point + d;
        w->row = w->scratch + k;
    }
    *opened = s;
    return SUREKRIG_OK;
}

typedef struct run_context {
    state *s;
    const sk_krige_job *job;
    atomic_int_fast64_t singular; /* the first point whose covariance no jitter saved; n: none */
} run_context;

typedef struct hood {
    const int64_t *row;   /* [count] */
    int64_t count;
    const double *target; /* [d] */
} hood;

static const double JITTER[] = {0,     1e-16, 1e-15, 1e-14, 1e-13, 1e-12,
                                1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  SK_JITTER_LIMIT};

static void gather(const state *s, hood h, workspace *w)
{
    const surekrig_data *data = s->points.data;
    for (int64_t j = 0; j < h.count; j++)
        for (int64_t a = 0; a < data->d; a++)
            w->x[a * h.count + j] = data->x[h.row[j] * data->d + a];
}

/* K with its nuggets, c and y side by side: matrix [count][count + 1 + l]. */
static void fill(const state *s, const sk_krige_theta *theta, hood h, double jitter, workspace *w)
{
    const surekrig_data *data = s->points.data;
    int64_t width = h.count + 1 + data->l;
    double diagonal = sk_kernel_at_zero(theta->kernel) + theta->tau2 + jitter;
    sk_kernel_row(theta->kernel, h.target, (sk_columns){h.count, h.count, w->x}, w->scratch, w->row);
    for (int64_t i = 0; i < h.count; i++) {
        double *row = w->matrix + i * width;
        const double *y = data->y + h.row[i] * data->l;
        row[i] = diagonal + (data->noise ? data->noise[h.row[i]] * theta->noise_share : 0);
        for (int64_t a = 0; a < data->d; a++)
            w->point[a] = w->x[a * h.count + i];
        sk_kernel_row(theta->kernel, w->point, (sk_columns){h.count - i - 1, h.count, w->x + i + 1}, w->scratch,
                      row + i + 1);
        row[h.count] = w->row[i];
        for (int64_t q = 0; q < data->l; q++)
            row[h.count + 1 + q] = y[q] - (s->points.center ? s->points.center[q] : 0);
    }
}

/* The smallest jitter that works, or infinity where none does. */
static double factor(const state *s, const sk_krige_theta *theta, hood h, workspace *w)
{
    /* A pivot below round-off is no longer a number but noise. */
    double smallest = (double)h.count * DBL_EPSILON * sk_kernel_at_zero(theta->kernel);
    gather(s, h, w);
    for (size_t i = 0; i < sizeof JITTER / sizeof *JITTER; i++) {
        fill(s, theta, h, JITTER[i], w);
        if (!sk_cholesky(h.count, h.count + 1 + s->points.data->l, w->matrix, smallest, 1))
            return JITTER[i];
    }
    return INFINITY;
}

static void finish(const run_context *c, int64_t i, int64_t count, const workspace *w)
{
    int64_t l = c->s->points.data->l, width = count + 1 + l;
    surekrig_kriged *out = c->job->out;
    for (int64_t q = 0; out->mean && q < l; q++) {
        double mean = 0;
        for (int64_t j = 0; j < count; j++)
            mean += w->matrix[j * width + count] * w->matrix[j * width + count + 1 + q];
        out->mean[i * l + q] = mean;
    }
    if (out->variance) {
        double variance = sk_kernel_at_zero(c->job->theta->kernel);
        for (int64_t j = 0; j < count; j++)
            variance -= w->matrix[j * width + count] * w->matrix[j * width + count];
        out->variance[i] = fmax(variance, 0); /* round-off, where the point is one of its neighbours */
    }
}

/* log det K = 2 sum of log U(j,j);  y' K^-1 y = e.e */
static void finish_block(const run_context *c, int64_t i, int64_t count, const workspace *w)
{
    int64_t l = c->s->points.data->l, width = count + 1 + l;
    sk_krige_block *block = c->job->block;
    block->log_determinant[i] = 0;
    for (int64_t j = 0; j < count; j++)
        block->log_determinant[i] += 2 * log(w->matrix[j * width + j]);
    for (int64_t q = 0; q < l; q++) {
        double square = 0;
        for (int64_t j = 0; j < count; j++)
            square += w->matrix[j * width + count + 1 + q] * w->matrix[j * width + count + 1 + q];
        block->square[i * l + q] = square;
    }
}

static void run_block(void *context, int64_t begin, int64_t end, int worker)
{
    run_context *c = context;
    const surekrig_neighborhoods *batch = c->job->batch;
    workspace *w = &c->s->space[worker];
    for (int64_t i = begin; i < end; i++) {
        int64_t count = batch->count ? batch->count[i] : batch->k;
        hood h = {batch->neighbor + i * batch->k, count, batch->x + i * c->s->points.data->d};
        double jitter = factor(c->s, c->job->theta, h, w);
        if (isinf(jitter)) {
            sk_keep_first(&c->singular, i);
            continue;
        }
        if (c->job->out->jitter)
            c->job->out->jitter[i] = jitter;
        finish(c, i, count, w);
        if (c->job->block)
            finish_block(c, i, count, w);
    }
}

static surekrig_status run(void *opened, const sk_krige_job *job, surekrig_error *error)
{
    state *s = opened;
    run_context c = {s, job, job->batch->n};
    if (!sk_parallel(&(sk_task){.count = job->batch->n, .grain = 16, .threads = s->threads, .run = run_block,
                                .context = &c, .ticker = job->ticker}))
        return sk_fail(error, SUREKRIG_STOPPED, "stopped");
    return c.singular < job->batch->n ? sk_fail_singular(job, c.singular, s->points.data->d, error) : SUREKRIG_OK;
}

const sk_backend sk_reference_backend = {"reference", open, run, close};
