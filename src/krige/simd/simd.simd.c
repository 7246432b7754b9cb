/* The fast back end: as many neighbourhoods at a time as a vector has lanes, each in a lane of its own; threads over such
 * groups. Compiled once per instruction set.
 *
 * The rows of L in K = LL' are followed by those of the right-hand sides, c and the responses, which leave the
 * factorisation as a = L^-1 c and e = L^-1 y; then  mean = a.e,  variance = k(0) - a.a  (M4).  Row by row of tiles,
 *   tile(I,J) = (K(I,J) - sum_{p<J} L(I,p) L(J,p)') L(J,J)'^-1,
 * where K(I,J) comes straight from the coordinates: the covariance is never stored. Each element sees its updates in the
 * order of p, so a lane's result depends neither on its group nor on the threads.
 *
 * A lane whose pivot fails is left to the reference, which finds the jitter. */
#include "kernel/lanes.h"
#include "krige/krige.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* A tile's accumulators and one row and column of operands should fill the registers: 32 of them, or 16. */
#if defined __AVX512F__ || defined __aarch64__
enum { TILE = 4 };
#else
enum { TILE = 3 };
#endif
enum { L = SK_LANES };

typedef sk_vec tile[TILE][TILE]; /* [column][row] */

typedef struct workspace {
    sk_vec *x;        /* [d][k + 1] the neighbours and, last, the target */
    sk_vec *y;        /* [l][k] */
    sk_vec *diagonal; /* [k] */
    sk_mask *real;    /* [k + 1] is there such a neighbour? */
    sk_vec *inverse;  /* [k] 1 / L(p,p) */
    sk_vec *more;     /* [k][TILE] covariances of a further term */
    sk_vec *panel;    /* rows of tiles of L, one behind the other: [columns][TILE] each */
    void *reference;  /* its state, of one thread */
} workspace;

typedef struct state {
    sk_krige_points points;
    int threads;
    sk_vec *memory;
    workspace *space; /* [threads] */
} state;

/* ---- opening */

static int64_t tiles(int64_t rows)
{
    return (rows + TILE - 1) / TILE;
}

/* Tile columns of row I of tiles: up to the diagonal, and for right-hand sides all. */
static int64_t columns(int64_t I, int64_t k)
{
    return I < tiles(k) ? I + 1 : tiles(k);
}

static int64_t panel_vectors(int64_t k, int64_t rows)
{
    int64_t vectors = 0;
    for (int64_t I = 0; I < tiles(rows); I++)
        vectors += columns(I, k) * TILE * TILE;
    return vectors;
}

static void close(void *opened)
{
    state *s = opened;
    if (!s)
        return;
    for (int t = 0; s->space && t < s->threads; t++)
        sk_reference_backend.close(s->space[t].reference);
    free(s->memory);
    free(s->space);
    free(s);
}

static surekrig_status open(const sk_krige_points *points, void **opened, surekrig_error *error)
{
    int64_t k = points->k, d = points->data->d, l = points->data->l;
    int64_t each = d * (k + 1) + l * k + (3 + TILE) * k + 1 + panel_vectors(k, k + 1 + l);
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
        w->diagonal = w->y + l * k;
        w->real = (sk_mask *)(w->diagonal + k);
        w->inverse = (sk_vec *)(w->real + k + 1);
        w->more = w->inverse + k;
        w->panel = w->more + k * TILE;
        status = sk_reference_backend.open(&s->points, &w->reference, error);
    }
    if (status)
        close(s);
    else
        *opened = s;
    return status;
}

/* ---- one group of neighbourhoods */

typedef struct group {
    const state *s;
    const sk_krige_job *job;
    workspace *w;
    int64_t point[SK_LANES]; /* a group that is not full repeats its last */
    int64_t k;               /* the largest neighbourhood among them */
    bool ragged;             /* some lane has fewer */
    double smallest;         /* pivot that is a number and not noise */
    sk_mask sound;           /* lanes without a smaller one */
} group;

static int64_t neighbors_of(const surekrig_neighborhoods *batch, int64_t point)
{
    return batch->count ? batch->count[point] : batch->k;
}

/* One lane's neighbours, target and responses. A missing neighbour sits at the target, and is masked. */
static void gather_lane(const group *g, int lane)
{
    const surekrig_data *data = g->s->points.data;
    const surekrig_neighborhoods *batch = g->job->batch;
    const sk_krige_theta *theta = g->job->theta;
    const double *center = g->s->points.center, *target = batch->x + g->point[lane] * data->d;
    const int64_t *row = batch->neighbor + g->point[lane] * batch->k, stride = (g->k + 1) * L;
    int64_t count = neighbors_of(batch, g->point[lane]);
    double *x = (double *)g->w->x + lane, *y = (double *)g->w->y + lane, *diagonal = (double *)g->w->diagonal + lane;
    double own = sk_kernel_at_zero(theta->kernel) + theta->tau2;
    for (int64_t j = 0; j <= g->k; j++) {
        const double *from = j < count ? data->x + row[j] * data->d : target;
        for (int64_t a = 0; a < data->d; a++)
            x[a * stride + j * L] = from[a];
    }
    for (int64_t j = 0; j < g->k; j++) {
        bool real = j < count;
        diagonal[j * L] = !real ? 1 : data->noise ? own + data->noise[row[j]] * theta->noise_share : own;
        for (int64_t q = 0; q < data->l; q++)
            y[(q * g->k + j) * L] = real ? data->y[row[j] * data->l + q] - (center ? center[q] : 0) : 0;
    }
    for (int64_t j = 0; g->ragged && j <= g->k; j++)
        ((int64_t *)(g->w->real + j))[lane] = j < count || j == g->k ? -1 : 0;
}

/* M of one term where some lane is outside the table's near buckets. */
static sk_vec __attribute__((noinline)) outside(const sk_kernel *kernel, int term, sk_vec s, sk_lane_place p,
                                                sk_lane_place q)
{
    const sk_table *table = kernel->term[term].table;
    if (isinf(table->nu)) {
        sk_vec half = sk_exp_lanes(-0.25 * sk_select(s < 2800, s, sk_all(2800))); /* exp(-s/2), which ends as 0 */
        return half * half;
    }
    sk_mask near = (s >= table->low) & (s < table->edge), far = (s >= table->edge) & (s < table->high);
    sk_mask none = s >= SK_HUGE_SQUARE, rest = ~(near | far | none);
    sk_vec other, value = sk_all(0);
    if (sk_any(near))
        value = sk_near_lanes(table, sk_select(near, s, sk_all(table->low)), &other);
    if (sk_any(far))
        value = sk_select(far, sk_far_lanes(table, sk_select(far, s, sk_all(table->edge))), value);
    value = sk_select(none, sk_all(0), value);
    for (int l = 0; l < L && sk_any(rest); l++)
        if (rest[l])
            value[l] = s[l] < SK_TINY_SQUARE
                           ? sk_kernel_close(kernel, term, (sk_place){(const double *)p.x + l, p.stride * L},
                                             (sk_place){(const double *)q.x + l, q.stride * L})
                           : sk_table_at(table, s[l], NULL);
    return value;
}

/* The covariances that a row of tiles wants, column by column: rows `first` .. rows-1 of column j, which are those of the
 * tiles left of the diagonal, its lower triangle, and c, whose place is the target's. */
typedef struct want {
    int64_t i, columns; /* its first row of L, and the columns of L it has */
    int rows;           /* without the responses */
    int64_t d;
} want;

SK_INLINE int first_row(want w, int64_t j)
{
    return j < w.i ? 0 : (int)(j - w.i) + 1;
}

/* Scaled squared distances into s; returns whether the table's near buckets have them all. */
SK_INLINE bool squares(const group *g, int term, want w, sk_vec *s)
{
    const sk_kernel *kernel = g->job->theta->kernel;
    const sk_table *table = kernel->term[term].table;
    const double *scale = kernel->scale + term * w.d;
    const sk_vec *x = g->w->x;
    int64_t stride = g->k + 1;
    sk_mask rare = {0};
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++) {
            sk_vec sum = sk_all(0);
            for (int64_t a = 0; a < w.d; a++) {
                sk_vec difference = scale[a] * (x[a * stride + w.i + r] - x[a * stride + j]);
                sum += difference * difference;
            }
            if (g->ragged)
                sum = sk_select(g->w->real[w.i + r] & g->w->real[j], sum, sk_all(1));
            rare |= sk_outside_near(table, sum);
            *s++ = sum;
        }
    return !sk_any(rare);
}

/* From squares to covariances, where all are near. */
static void near_values(const sk_table *table, double weight, int64_t n, sk_vec *s)
{
    for (int64_t i = 0; i < n; i++) {
        sk_vec other;
        s[i] = weight * sk_near_lanes(table, s[i], &other);
    }
}

static void rare_values(const group *g, int term, want w, sk_vec *s)
{
    const sk_kernel *kernel = g->job->theta->kernel;
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++, s++)
            *s = kernel->term[term].weight * outside(kernel, term, *s, (sk_lane_place){g->w->x + w.i + r, g->k + 1},
                                                     (sk_lane_place){g->w->x + j, g->k + 1});
}

static void clear_missing(const group *g, want w, sk_vec *value)
{
    for (int64_t j = 0; j < w.columns; j++)
        for (int r = first_row(w, j); r < w.rows; r++, value++)
            *value = sk_select(g->w->real[w.i + r] & g->w->real[j], *value, sk_all(0));
}

static int64_t wanted(want w)
{
    int64_t n = 0;
    for (int64_t j = w.i < w.columns ? w.i : w.columns; j < w.columns; j++)
        n += w.rows > first_row(w, j) ? w.rows - first_row(w, j) : 0;
    return n + (w.i < w.columns ? w.i : w.columns) * w.rows;
}

/* One term's covariances. */
static void term_values(const group *g, int term, want w, sk_vec *value)
{
    const sk_kernel_term *t = &g->job->theta->kernel->term[term];
    bool near = w.d == 2 && w.rows == TILE && !g->ragged ? squares(g, term, (want){w.i, w.columns, TILE, 2}, value)
                                                         : squares(g, term, w, value);
    if (near)
        near_values(t->table, t->weight, wanted(w), value);
    else
        rare_values(g, term, w, value);
    if (g->ragged)
        clear_missing(g, w, value);
}

/* Column j of the panel from its packed covariances, which end before `value`; returns where they begin. */
SK_INLINE const sk_vec *unpack_column(const group *g, want w, int64_t j, const sk_vec *value, sk_vec *column)
{
    int64_t k = g->k, l = g->s->points.data->l;
    for (int r = TILE - 1; r >= 0; r--) {
        int64_t response = w.i + r - k - 1;
        column[r] = response >= l           ? sk_all(0)
                    : response >= 0         ? g->w->y[response * k + j]
                    : r >= first_row(w, j)  ? *--value
                    : r + 1 == first_row(w, j) ? g->w->diagonal[j]
                                            : sk_all(0);
    }
    return value;
}

/* Rows of K, and below them c and the responses, into a panel; of the diagonal tile only the lower triangle. */
static void fill(const group *g, int64_t I, sk_vec *panel)
{
    int64_t k = g->k, i = I * TILE, end = i + TILE < k ? i + TILE : k;
    want w = {i, end, k + 1 < i ? 0 : k + 1 - i < TILE ? (int)(k + 1 - i) : TILE, g->s->points.data->d};
    term_values(g, 0, w, panel);
    for (int t = 1; t < g->job->theta->kernel->terms; t++) {
        term_values(g, t, w, g->w->more);
        for (int64_t n = 0; n < wanted(w); n++)
            panel[n] += g->w->more[n];
    }
    const sk_vec *value = panel + wanted(w);
    for (int64_t j = end - 1; j >= 0 && (j >= i || w.rows < TILE); j--)
        value = unpack_column(g, w, j, value, panel + j * TILE);
}

/* out -= a b', for panels of n columns. */
SK_INLINE void subtract_product(const sk_vec *a, const sk_vec *b, int64_t n, tile out)
{
    tile sum;
    memcpy(sum, out, sizeof sum);
    for (int64_t p = 0; p < n; p++, a += TILE, b += TILE)
        for (int c = 0; c < TILE; c++)
            for (int r = 0; r < TILE; r++)
                sum[c][r] -= a[r] * b[c];
    memcpy(out, sum, sizeof sum);
}

/* The tile on the diagonal: its first `width` columns become columns of L. */
SK_INLINE void factor(group *g, sk_vec *inverse, int width, tile out)
{
    for (int c = 0; c < TILE && c < width; c++) {
        g->sound &= out[c][c] > g->smallest;
        inverse[c] = 1 / sk_sqrt(out[c][c]);
        for (int r = c; r < TILE; r++)
            out[c][r] *= inverse[c];
        for (int q = c + 1; q < TILE; q++) /* a column beyond width is not used */
            for (int r = q; r < TILE; r++)
                out[q][r] -= out[c][r] * out[c][q];
    }
}

/* A tile below the diagonal tile `top`:  out <- out top'^-1. */
SK_INLINE void solve(const sk_vec *top, const sk_vec *inverse, int width, tile out)
{
    for (int c = 0; c < TILE && c < width; c++)
        for (int r = 0; r < TILE; r++) {
            for (int q = 0; q < c; q++)
                out[c][r] -= out[q][r] * top[q * TILE + c];
            out[c][r] *= inverse[c];
        }
}

/* Rows I*TILE.. of L, and of what follows it. */
static void make_panel(group *g, int64_t I, sk_vec *panel)
{
    const sk_vec *above = g->w->panel;
    fill(g, I, panel);
    for (int64_t J = 0; J < columns(I, g->k); J++) {
        int width = g->k - J * TILE < TILE ? (int)(g->k - J * TILE) : TILE;
        tile block;
        memcpy(block, panel + J * TILE * TILE, sizeof block);
        subtract_product(panel, I == J ? panel : above, J * TILE, block);
        if (I == J)
            factor(g, g->w->inverse + J * TILE, width, block);
        else
            solve(above + J * TILE * TILE, g->w->inverse + J * TILE, width, block);
        memcpy(panel + J * TILE * TILE, block, sizeof block);
        above += columns(J, g->k) * TILE * TILE;
    }
}

/* Where row i of L begins; its next element is TILE vectors on. */
static const sk_vec *row_of(const group *g, int64_t i)
{
    const sk_vec *panel = g->w->panel;
    for (int64_t I = 0; I < i / TILE; I++)
        panel += columns(I, g->k) * TILE * TILE;
    return panel + i % TILE;
}

static void store(const group *g, int64_t q, const sk_vec *mean, const sk_vec *variance)
{
    surekrig_kriged *out = g->job->out;
    int64_t l = g->s->points.data->l;
    for (int lane = 0; lane < L; lane++) {
        int64_t i = g->point[lane];
        if (mean && out->mean)
            out->mean[i * l + q] = (*mean)[lane];
        if (variance && out->variance)
            out->variance[i] = fmax((*variance)[lane], 0); /* round-off, where the point is one of its neighbours */
        if (variance && out->jitter)
            out->jitter[i] = 0;
    }
}

static void finish(const group *g)
{
    const sk_vec *a = row_of(g, g->k);
    sk_vec variance = sk_all(sk_kernel_at_zero(g->job->theta->kernel));
    for (int64_t p = 0; p < g->k; p++)
        variance -= a[p * TILE] * a[p * TILE];
    store(g, 0, NULL, &variance);
    for (int64_t q = 0; q < g->s->points.data->l; q++) {
        const sk_vec *e = row_of(g, g->k + 1 + q);
        sk_vec mean = sk_all(0);
        for (int64_t p = 0; p < g->k; p++)
            mean += a[p * TILE] * e[p * TILE];
        store(g, q, &mean, NULL);
    }
}

/* ---- the batch */

typedef struct run_context {
    state *s;
    const sk_krige_job *job;
    const int64_t *order;         /* [n] points of like counts together; NULL: as they come */
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
                            out->jitter ? out->jitter + i : NULL};
    if (!sk_reference_backend.run(w->reference, &(sk_krige_job){&one, c->job->theta, NULL, &here}, NULL))
        return;
    int_fast64_t first = atomic_load(&c->singular);
    while (i < first && !atomic_compare_exchange_weak(&c->singular, &first, i))
        ;
}

static void run_group(run_context *c, int64_t begin, workspace *w)
{
    const surekrig_neighborhoods *batch = c->job->batch;
    group g = {.s = c->s, .job = c->job, .w = w, .sound = ~(sk_mask){0}};
    for (int lane = 0; lane < L; lane++) {
        int64_t at = begin + lane < batch->n ? begin + lane : batch->n - 1;
        g.point[lane] = c->order ? c->order[at] : at;
        int64_t count = neighbors_of(batch, g.point[lane]);
        g.ragged |= lane > 0 && count != g.k;
        g.k = count > g.k ? count : g.k;
    }
    g.smallest = (double)g.k * DBL_EPSILON * sk_kernel_at_zero(c->job->theta->kernel);
    for (int lane = 0; lane < L; lane++)
        gather_lane(&g, lane);
    sk_vec *panel = w->panel;
    for (int64_t I = 0; I < tiles(g.k + 1 + c->s->points.data->l); I++) {
        make_panel(&g, I, panel);
        panel += columns(I, g.k) * TILE * TILE;
    }
    finish(&g);
    for (int lane = 0; lane < L && begin + lane < batch->n; lane++)
        if (!g.sound[lane])
            run_plain(c, g.point[lane], w);
}

static void run_block(void *context, int64_t begin, int64_t end, int worker)
{
    run_context *c = context;
    for (int64_t i = begin; i < end; i += L)
        run_group(c, i, &c->s->space[worker]);
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

static surekrig_status run(void *opened, const sk_krige_job *job, surekrig_error *error)
{
    state *s = opened;
    int64_t *order = job->batch->count ? by_count(job->batch) : NULL;
    if (job->batch->count && !order)
        return sk_fail_memory(error, 8.0 * (double)job->batch->n, "the order of the points");
    run_context c = {s, job, order, job->batch->n};
    bool done = sk_parallel(&(sk_task){.count = job->batch->n, .grain = 2 * L, .threads = s->threads, .run = run_block,
                                       .context = &c, .ticker = job->ticker});
    free(order);
    if (!done)
        return sk_fail(error, SUREKRIG_STOPPED, "stopped");
    return c.singular < job->batch->n ? sk_fail_singular(job, c.singular, s->points.data->d, error) : SUREKRIG_OK;
}

const sk_backend SK_HERE(sk_simd_backend) = {SK_ISA_TEXT, open, run, close};
