/* The plain back end: one neighbourhood at a time, threads over neighbourhoods.
 *
 * K = U'U over the k neighbours; the columns beside it are c (cross-covariances), the ones of an unknown mean and the
 * responses. The factorisation leaves them as a, g and e of krige.h (M4): one factorisation, no inverse, no back
 * substitution, whatever the number of responses. The variance is taken by running subtraction, which
 * keeps more digits than 1 - sum where the nugget is small. */
#include "krige/reference/reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static void close(void *opened)
{
    sk_reference *s = opened;
    if (!s)
        return;
    free(s->memory);
    free(s->space);
    free(s);
}

static surekrig_status open(const sk_krige_points *points, void **opened, surekrig_error *error)
{
    int64_t k = points->k, d = points->data->d, width = k + sk_krige_sides(points);
    int64_t l = points->data->l, each = k * width + d * k + 2 * d + 2 * k + k * (3 + l);
    sk_reference *s = sk_zeroed(1, sizeof *s);
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
        sk_reference_space *w = &s->space[t];
        w->matrix = at;
        w->x = w->matrix + k * width;
        w->point = w->x + d * k;
        w->scratch = w->point + d;
        w->row = w->scratch + k;
        w->w = w->row + k;
        w->zeta = w->w + k;
        w->o = w->zeta + k;
        w->column = w->o + l * k;
        w->along = w->column + k;
    }
    *opened = s;
    return SUREKRIG_OK;
}

typedef struct run_context {
    sk_reference *s;
    const sk_krige_job *job;
    atomic_int_fast64_t singular; /* the first point whose covariance no jitter saved; n: none */
} run_context;

static const double JITTER[] = {0, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, SK_JITTER_LIMIT};

static void gather(const sk_reference *s, sk_hood h, sk_reference_space *w)
{
    const surekrig_data *data = s->points.data;
    for (int64_t j = 0; j < h.count; j++)
        for (int64_t a = 0; a < data->d; a++)
            w->x[a * h.count + j] = data->x[h.row[j] * data->d + a];
}

/* K with its nuggets and the right-hand sides beside it: matrix [count][count + sides]. */
static void fill(const sk_reference *s, const sk_krige_theta *theta, sk_hood h, double jitter, sk_reference_space *w)
{
    const surekrig_data *data = s->points.data;
    int64_t width = h.count + sk_krige_sides(&s->points);
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
        if (s->points.unknown_mean)
            row[h.count + 1] = 1;
        for (int64_t q = 0; q < data->l; q++)
            row[width - data->l + q] = y[q] - (s->points.center ? s->points.center[q] : 0);
    }
}

/* The smallest jitter that works, or infinity where none does. */
static double factor(const sk_reference *s, const sk_krige_theta *theta, sk_hood h, sk_reference_space *w)
{
    /* A pivot below round-off is no longer a number but noise. */
    double smallest = (double)h.count * DBL_EPSILON * sk_kernel_at_zero(theta->kernel);
    gather(s, h, w);
    for (size_t i = 0; i < sizeof JITTER / sizeof *JITTER; i++) {
        fill(s, theta, h, JITTER[i], w);
        if (!sk_cholesky(h.count, h.count + sk_krige_sides(&s->points), w->matrix, smallest, 1))
            return JITTER[i];
    }
    return INFINITY;
}

/* The product of two columns beside K. */
static double dot(const sk_reference_space *w, int64_t count, int64_t width, int64_t a, int64_t b)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++)
        sum += w->matrix[j * width + count + a] * w->matrix[j * width + count + b];
    return sum;
}

/* The square of column a, whose entries are first multiplied by the unit. */
static double square_of(const sk_reference_space *w, int64_t count, int64_t width, int64_t a, double unit)
{
    double sum = 0;
    for (int64_t j = 0; j < count; j++) {
        double e = unit * w->matrix[j * width + count + a];
        sum += e * e;
    }
    return sum;
}

static void finish(const sk_krige_points *points, const sk_krige_job *job, int64_t i, int64_t count,
                   const sk_reference_space *w)
{
    bool unknown = points->unknown_mean;
    int64_t l = points->data->l, sides = sk_krige_sides(points), width = count + sides;
    surekrig_kriged *out = job->out;
    sk_krige_block *block = job->block;
    double gg = unknown ? dot(w, count, width, 1, 1) : 1, h = unknown ? 1 - dot(w, count, width, 0, 1) : 0;
    for (int64_t q = 0; (out->mean || out->scale || block) && q < l; q++) {
        int64_t e = sides - l + q;
        double mu = unknown ? dot(w, count, width, 1, e) / gg : 0, unit = sk_krige_unit(points, q);
        double square = out->scale || block ? square_of(w, count, width, e, unit) : 0;
        if (out->mean)
            out->mean[i * l + q] = dot(w, count, width, 0, e) + h * mu;
        if (out->scale)
            out->scale[i * l + q] = sk_krige_scale(square - unit * mu * (unit * mu) * gg, count - unknown);
        if (block)
            block->square[i * l + q] = square;
    }
    if (block) { /* log det K = 2 sum of log U(j,j) */
        block->log_determinant[i] = 0;
        for (int64_t j = 0; j < count; j++)
            block->log_determinant[i] += 2 * log(w->matrix[j * width + j]);
    }
    if (out->variance) {
        double variance = sk_kernel_at_zero(job->theta->kernel);
        for (int64_t j = 0; j < count; j++)
            variance -= w->matrix[j * width + count] * w->matrix[j * width + count];
        out->variance[i] = fmax(variance, 0) + h * h / gg; /* round-off, where the point is one of its neighbours */
    }
}

/* The other places of neighbourhood i, by the same factorisation. */
static void krige_targets(const sk_reference *s, const sk_krige_job *job, int64_t i, sk_hood h, sk_reference_space *w)
{
    bool unknown = s->points.unknown_mean;
    int64_t d = s->points.data->d, l = s->points.data->l, sides = sk_krige_sides(&s->points), width = h.count + sides;
    const sk_krige_targets *t = job->targets;
    double gg = unknown ? dot(w, h.count, width, 1, 1) : 1;
    for (int64_t at = t->first[i]; at < t->first[i + 1]; at++) {
        sk_kernel_row(job->theta->kernel, t->x + at * d, (sk_columns){h.count, h.count, w->x}, w->scratch, w->row);
        sk_solve_lower(h.count, width, w->matrix, w->row);
        double variance = sk_kernel_at_zero(job->theta->kernel);
        for (int64_t j = 0; j < h.count; j++) {
            w->matrix[j * width + h.count] = w->row[j];
            variance -= w->row[j] * w->row[j];
        }
        double rest = unknown ? 1 - dot(w, h.count, width, 0, 1) : 0;
        t->variance[at] = fmax(variance, 0) + rest * rest / gg;
        for (int64_t q = 0, e = sides - l; q < l; q++, e++)
            t->mean[at * l + q] = dot(w, h.count, width, 0, e) +
                                  (unknown ? rest * dot(w, h.count, width, 1, e) / gg : 0);
    }
}

static void run_block(void *context, int64_t begin, int64_t end, int worker)
{
    run_context *c = context;
    const surekrig_neighborhoods *batch = c->job->batch;
    sk_reference_space *w = &c->s->space[worker];
    for (int64_t i = begin; i < end; i++) {
        int64_t count = batch->count ? batch->count[i] : batch->k;
        sk_hood h = {batch->neighbor + i * batch->k, count, batch->x + i * c->s->points.data->d};
        double jitter = factor(c->s, c->job->theta, h, w);
        if (isinf(jitter)) {
            sk_keep_first(&c->singular, i);
            continue;
        }
        if (c->job->out->jitter)
            c->job->out->jitter[i] = jitter;
        finish(&c->s->points, c->job, i, count, w);
        if (c->job->slopes)
            sk_reference_differentiate(c->s, c->job, i, h, w);
        if (c->job->targets) /* last: a takes the place of the batch's own */
            krige_targets(c->s, c->job, i, h, w);
    }
}

static surekrig_status run(void *opened, const sk_krige_job *job, surekrig_error *error)
{
    sk_reference *s = opened;
    run_context c = {s, job, job->batch->n};
    if (!sk_parallel(&(sk_task){.count = job->batch->n,
                                .grain = 16,
                                .threads = s->threads,
                                .run = run_block,
                                .context = &c,
                                .ticker = job->ticker}))
        return sk_fail(error, SUREKRIG_STOPPED, "stopped");
    return c.singular < job->batch->n ? sk_fail_singular(job, c.singular, s->points.data->d, error) : SUREKRIG_OK;
}

static bool usable(void)
{
    return true;
}

const sk_backend sk_backend_reference = {"reference", usable, open, run, close};
