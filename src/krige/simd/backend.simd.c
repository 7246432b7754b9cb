/* The fast back end: groups of neighbourhoods (group.h), threads over groups; compiled once per instruction set. A lane
 * whose pivot fails is left to the reference, which finds the jitter. */
#include "krige/simd/group.h"

#include <float.h>
#include <stdlib.h>

typedef struct state {
    sk_krige_points points;
    int threads;
    sk_vec *memory;
    workspace *space; /* [threads] */
} state;

static void close(void *opened)
{
    state *s = opened;
    if (!s)
        return;
    for (int t = 0; s->space && t < s->threads; t++)
        sk_backend_reference.close(s->space[t].reference);
    free(s->memory);
    free(s->space);
    free(s);
}

static surekrig_status open(const sk_krige_points *points, void **opened, surekrig_error *error)
{
    int64_t k = points->k, d = points->data->d, sides = sk_krige_sides(points);
    int64_t l = points->data->l, kriging = d * (k + 1) + (sides - 1) * k + (2 + TILE) * k + tiles(k) * TILE + 1;
    int64_t slopes = (2 + ABREAST + l) * (k + 1) + d + l + sk_krige_parameters(points->data);
    int64_t targets = TILE * d + tiles(k) * TILE * TILE;
    int64_t each = kriging + slopes + targets + panel_start(tiles(k + sides), k);
    state *s = sk_zeroed(1, sizeof *s);
    if (s) {
        s->points = *points;
        s->points.threads = 1;
        s->threads = sk_threads(points->threads);
        s->memory = sk_aligned(each * s->threads, sizeof *s->memory);
        s->space = sk_zeroed(s->threads, sizeof *s->space);
    }
    surekrig_status status = SUREKRIG_OK;
    if (!s || !s->memory || !s->space)
        status = sk_fail_memory(error, (double)each * sizeof(sk_vec), "the kriging workspace");
    for (int t = 0; !status && t < s->threads; t++) {
        workspace *w = &s->space[t];
        w->x = s->memory + t * each;
        w->y = w->x + d * (k + 1);
        w->diagonal = w->y + (sides - 1) * k;
        w->real = (sk_mask *)(w->diagonal + k);
        w->inverse = (sk_vec *)(w->real + k + 1);
        w->more = w->inverse + tiles(k) * TILE;
        w->aim = w->more + k * TILE;
        w->side = w->aim + TILE * d;
        w->weight = w->side + tiles(k) * TILE * TILE;
        w->zeta = w->weight + k + 1;
        w->o = w->zeta + k + 1;
        w->column = (sk_vec(*)[ABREAST])(w->o + l * (k + 1));
        w->along = w->o + (l + ABREAST) * (k + 1);
        w->square = w->along + d;
        w->sum = w->square + l;
        w->panel = w->sum + sk_krige_parameters(points->data);
        status = sk_backend_reference.open(&s->points, &w->reference, error);
    }
    if (status)
        close(s);
    else
        *opened = s;
    return status;
}

/* ---- one group */

static int64_t neighbors_of(const surekrig_neighborhoods *batch, int64_t point)
{
    return batch->count ? batch->count[point] : batch->k;
}

/* Points `row` into a lane. */
static void gather_places(const group *g, const int64_t *row, int64_t count, double *x)
{
    const surekrig_data *data = g->points->data;
    int64_t stride = (g->k + 1) * L;
    if (data->d == 2 && g->kernel->d == 2)
        for (int64_t j = 0; j < count; j++)
            for (int64_t a = 0; a < 2; a++)
                x[a * stride + j * L] = data->x[row[j] * 2 + a];
    else
        for (int64_t j = 0; j < count; j++)
            for (int64_t a = 0; a < g->kernel->d; a++)
                x[a * stride + j * L] = data->x[row[j] * data->d + g->axis[a]];
}

/* A missing neighbour sits at the target, has variance 1 and response 0, and is masked. */
static void mask_missing(const group *g, int lane, int64_t count, const double *target)
{
    int64_t stride = (g->k + 1) * L;
    double *x = (double *)g->w->x + lane, *y = (double *)g->w->y + lane, *diagonal = (double *)g->w->diagonal + lane;
    for (int64_t j = count; j < g->k; j++) {
        for (int64_t a = 0; a < g->kernel->d; a++)
            x[a * stride + j * L] = target[g->axis[a]];
        for (int64_t side = 1; side < g->sides; side++)
            y[((side - 1) * g->k + j) * L] = 0;
        diagonal[j * L] = 1;
    }
    for (int64_t j = 0; j <= g->k; j++)
        ((int64_t *)(g->w->real + j))[lane] = j < count || j == g->k ? -1 : 0;
}

/* One lane's neighbours, target and responses. */
static void gather_lane(const group *g, int lane)
{
    const surekrig_data *data = g->points->data;
    const surekrig_neighborhoods *batch = g->job->batch;
    const double *target = batch->x + g->point[lane] * data->d;
    const int64_t *row = batch->neighbor + g->point[lane] * batch->k, stride = (g->k + 1) * L;
    int64_t count = neighbors_of(batch, g->point[lane]);
    double *x = (double *)g->w->x + lane, *diagonal = (double *)g->w->diagonal + lane;
    gather_places(g, row, count, x);
    for (int64_t a = 0; a < g->kernel->d; a++)
        x[a * stride + g->k * L] = target[g->axis[a]];
    for (int64_t q = 0; q < data->l; q++) {
        double *y = (double *)(g->w->y + (g->points->unknown_mean + q) * g->k) + lane;
        double center = g->points->center ? g->points->center[q] : 0;
        for (int64_t j = 0; j < count; j++)
            y[j * L] = data->y[row[j] * data->l + q] - center;
    }
    for (int64_t j = 0; data->noise && j < count; j++)
        diagonal[j * L] += data->noise[row[j]] * g->job->theta->noise_share;
    if (g->ragged)
        mask_missing(g, lane, count, target);
}

static void gather(const group *g)
{
    const sk_krige_theta *theta = g->job->theta;
    for (int64_t j = 0; j < g->k; j++)
        g->w->diagonal[j] = sk_all(sk_kernel_at_zero(theta->kernel) + theta->tau2);
    for (int64_t j = 0; g->points->unknown_mean && j < g->k; j++)
        g->w->y[j] = sk_all(1);
    for (int lane = 0; lane < L; lane++)
        gather_lane(g, lane);
}

/* ---- the batch */

typedef struct run_context {
    state *s;
    const sk_krige_job *job;
    int64_t *order;               /* [n] points of like counts together; NULL: as they come */
    sk_kernel kernel;             /* the job's, of the axes that count: an infinite rho has a scale of 0 */
    int64_t *axis;                /* [kernel.d] of the data's */
    atomic_int_fast64_t singular; /* the first point whose covariance no jitter saved; n: none */
} run_context;

/* One point by the reference. */
static void run_plain(run_context *c, int64_t i, workspace *w)
{
    const surekrig_neighborhoods *batch = c->job->batch;
    const surekrig_data *data = c->s->points.data;
    surekrig_kriged *out = c->job->out;
    surekrig_neighborhoods one = {1, batch->k, batch->neighbor + i * batch->k, batch->count ? batch->count + i : NULL,
                                  batch->x + i * data->d};
    surekrig_kriged here = {out->mean ? out->mean + i * data->l : NULL, out->variance ? out->variance + i : NULL,
                            out->jitter ? out->jitter + i : NULL, out->scale ? out->scale + i * data->l : NULL};
    sk_krige_block *block = c->job->block, own = {0};
    if (block)
        own = (sk_krige_block){block->log_determinant + i, block->square + i * data->l};
    const sk_krige_slopes *from = c->job->slopes;
    int64_t parameters = sk_krige_parameters(data);
    sk_krige_slopes slopes = {0};
    if (from)
        slopes = (sk_krige_slopes){{from->kernel[0], from->kernel[1]},
                                   from->by_mean + i * data->l,
                                   from->by_variance + i,
                                   from->by_determinant ? from->by_determinant + i : NULL,
                                   from->by_square ? from->by_square + i * data->l : NULL,
                                   from->gradient + i * parameters,
                                   {from->nu_held[0], from->nu_held[1]}};
    sk_krige_targets *all = c->job->targets, targets = {0};
    if (all) /* they are counted from first[0] on */
        targets = (sk_krige_targets){all->first + i, all->x, all->mean, all->variance};
    sk_krige_job job = {
        &one, c->job->theta, NULL, &here, block ? &own : NULL, from ? &slopes : NULL, all ? &targets : NULL};
    if (sk_backend_reference.run(w->reference, &job, NULL))
        sk_keep_first(&c->singular, i);
}

static void run_group(run_context *c, int64_t begin, workspace *w)
{
    const surekrig_neighborhoods *batch = c->job->batch;
    group g = {.points = &c->s->points,
               .job = c->job,
               .kernel = &c->kernel,
               .axis = c->axis,
               .w = w,
               .sides = sk_krige_sides(&c->s->points),
               .sound = ~(sk_mask){0}};
    for (int lane = 0; lane < L; lane++) {
        int64_t at = begin + lane < batch->n ? begin + lane : batch->n - 1;
        g.point[lane] = c->order ? c->order[at] : at;
        int64_t count = neighbors_of(batch, g.point[lane]);
        g.ragged |= lane > 0 && count != g.k;
        g.k = count > g.k ? count : g.k;
        g.smallest[lane] = (double)count * DBL_EPSILON * sk_kernel_at_zero(c->job->theta->kernel);
    }
    gather(&g);
    for (int64_t I = 0; I < tiles(g.k + g.sides); I++) {
        sk_vec *panel = w->panel + panel_start(I, g.k);
        SK_HERE(sk_fill_panel)(&g, I, panel);
        SK_HERE(sk_factor_panel)(&g, I, panel);
    }
    SK_HERE(sk_finish_group)(&g);
    if (c->job->slopes)
        SK_HERE(sk_differentiate_group)(&g);
    if (c->job->targets)
        SK_HERE(sk_krige_targets)(&g);
    for (int lane = 0; lane < L && begin + lane < batch->n; lane++)
        if (!g.sound[lane])
            run_plain(c, g.point[lane], w);
}

/* Asks for the rows of a group to come, which may lie anywhere in memory. */
static void prefetch(const run_context *c, int64_t begin, int64_t end)
{
    const surekrig_neighborhoods *batch = c->job->batch;
    const surekrig_data *data = c->s->points.data;
    for (int64_t i = begin; i < end; i++) {
        int64_t point = c->order ? c->order[i] : i;
        for (int64_t j = 0; j < neighbors_of(batch, point); j++) {
            int64_t row = batch->neighbor[point * batch->k + j];
            __builtin_prefetch(data->x + row * data->d);
            __builtin_prefetch(data->y + row * data->l);
        }
    }
}

static void run_block(void *context, int64_t begin, int64_t end, int worker)
{
    run_context *c = context;
    for (int64_t i = begin; i < end; i += L) {
        prefetch(c, i + L < end ? i + L : end, i + 2 * L < end ? i + 2 * L : end);
        run_group(c, i, &c->s->space[worker]);
    }
}

/* The points by their counts, so that a group is seldom ragged: a counting sort. NULL: no memory. */
static int64_t *by_count(const surekrig_neighborhoods *batch)
{
    int64_t *order = sk_alloc(batch->n, sizeof *order), *start = sk_zeroed(batch->k + 2, sizeof *start);
    for (int64_t i = 0; order && start && i < batch->n; i++)
        start[batch->count[i] + 1]++;
    for (int64_t c = 1; start && c <= batch->k + 1; c++)
        start[c] += start[c - 1];
    for (int64_t i = 0; order && start && i < batch->n; i++)
        order[start[batch->count[i]]++] = i;
    if (!start) {
        free(order);
        order = NULL;
    }
    free(start);
    return order;
}

static void free_context(run_context *c)
{
    free(c->kernel.scale);
    free(c->axis);
    free(c->order);
}

/* The job's kernel without the axes on which nothing depends. False: no memory. */
static bool pack_axes(run_context *c)
{
    const sk_kernel *from = c->job->theta->kernel;
    c->kernel = *from;
    c->kernel.scale = sk_doubles(from->terms * from->d);
    c->axis = sk_alloc(from->d, sizeof *c->axis);
    if (!c->kernel.scale || !c->axis)
        return false;
    c->kernel.d = 0;
    for (int64_t a = 0; a < from->d; a++) {
        bool counts = false;
        for (int t = 0; t < from->terms; t++)
            counts |= from->scale[t * from->d + a] != 0;
        if (counts)
            c->axis[c->kernel.d++] = a;
    }
    for (int t = 0; t < from->terms; t++)
        for (int64_t a = 0; a < c->kernel.d; a++)
            c->kernel.scale[t * c->kernel.d + a] = from->scale[t * from->d + c->axis[a]];
    return true;
}

static surekrig_status run(void *opened, const sk_krige_job *job, surekrig_error *error)
{
    state *s = opened;
    int64_t *order = job->batch->count ? by_count(job->batch) : NULL;
    run_context c = {.s = s, .job = job, .order = order, .singular = job->batch->n};
    if (!pack_axes(&c) || (job->batch->count && !order)) {
        free_context(&c);
        return sk_fail_memory(error, 8.0 * (double)job->batch->n, "the order of the points");
    }
    bool done = sk_parallel(&(sk_task){.count = job->batch->n,
                                       .grain = 4 * L,
                                       .threads = s->threads,
                                       .run = run_block,
                                       .context = &c,
                                       .ticker = job->ticker});
    free_context(&c);
    if (!done)
        return sk_fail(error, SUREKRIG_STOPPED, "stopped");
    return c.singular < job->batch->n ? sk_fail_singular(job, c.singular, s->points.data->d, error) : SUREKRIG_OK;
}

const sk_backend SK_HERE(sk_backend) = {SK_ISA_TEXT, SK_HERE(sk_usable), open, run, close};
