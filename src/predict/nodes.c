/* Places in the plane, kriged from the neighbourhoods of the four nodes of a lattice around each, and blended:
 *   mean = sum_c w_c mean_c,   variance = sum_c w_c variance_c,   w bilinear,
 * mean_c and variance_c being those of the place from the neighbours of node c. So a map has no steps where neighbours
 * change: what a neighbourhood says comes and goes by degrees. The variance is that of the worst case, errors that all
 * go together. The neighbours' scale and scatter belong to nodes, and are blended as logarithms.
 * The lattice is the model's, so that no answer depends on what else is asked; and places that share a node share its
 * factorisation, which is most of the work. A node has half as many neighbours more than a place would have. Where the
 * lattice is too wide for the data, some node of a cell reaching less far than the pitch, its places are kriged alone. */
#include "predict/inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CORNERS = 4, GRAIN = 16, MOST = 128 };

/* ---- cells and nodes of some places */

typedef struct node {
    double at[2]; /* in units of the pitch */
    int64_t cell; /* one of which it is a corner, and */
    int corner;   /* which one */
} node;

/* Places that follow one another in one cell. */
typedef struct cell {
    int64_t begin, end, node[CORNERS];
    bool inside; /* the lattice */
    bool alone;  /* its places are */
} cell;

typedef struct sk_found {
    sk_block *block;
    int64_t count, cells, nodes, k;
    double *u;         /* [count][2] places in units of the pitch */
    cell *cell;        /* [cells] */
    node *node;        /* [4 cells], then [nodes] */
    double *place;     /* [nodes][2] */
    int64_t *neighbor; /* [nodes][k] */
    int64_t *first;    /* [nodes + 1] targets of each node */
    int64_t *next;     /* [nodes] which of these comes next */
    int64_t *position; /* [count][4] a place's target at each corner */
    double *target;    /* [4 count][2] */
    sk_kriging kriging;
} work;

static void find_cells(work *w)
{
    for (int64_t j = 0; j < w->count; j++) {
        sk_lattice_at(w->block->m, w->block->place + 2 * j, w->u + 2 * j);
        const double *u = w->u + 2 * j;
        bool same = j > 0 && floor(u[0]) == floor(u[-2]) && floor(u[1]) == floor(u[-1]);
        if (!same)
            w->cell[w->cells++] = (cell){.begin = j, .inside = sk_in_lattice(u), .alone = !sk_in_lattice(u)};
        w->cell[w->cells - 1].end = j + 1;
    }
}

static int by_place(const void *a, const void *b)
{
    const double *p = ((const node *)a)->at, *q = ((const node *)b)->at;
    return p[1] != q[1] ? (p[1] > q[1]) - (p[1] < q[1]) : (p[0] > q[0]) - (p[0] < q[0]);
}

static void find_nodes(work *w)
{
    int64_t corners = 0;
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < CORNERS && !w->cell[i].alone; c++) {
            const double *u = w->u + 2 * w->cell[i].begin;
            w->node[corners++] = (node){{floor(u[0]) + (c & 1), floor(u[1]) + (c >> 1)}, i, c};
        }
    qsort(w->node, (size_t)corners, sizeof *w->node, by_place);
    for (int64_t i = 0; i < corners; i++) {
        if (!i || by_place(&w->node[w->nodes - 1], &w->node[i]))
            w->node[w->nodes++] = w->node[i];
        w->cell[w->node[i].cell].node[w->node[i].corner] = w->nodes - 1;
    }
    const surekrig_model *m = w->block->m;
    for (int64_t i = 0; i < w->nodes; i++)
        for (int a = 0; a < 2; a++)
            w->place[2 * i + a] = m->lattice[a] + w->node[i].at[a] * m->frame.side[a] * m->lattice[2];
}

/* ---- how far a node's neighbours reach in the direction where that is least */

/* Which of eight directions; on a border, either. */
static int octant(double x, double y)
{
    return (y < 0) | (x < 0) << 1 | (fabs(x) < fabs(y)) << 2;
}

static double reach(const work *w, int64_t i)
{
    enum { OCTANTS = 8 };
    const surekrig_model *m = w->block->m;
    const double *at = w->place + 2 * i;
    double farthest[OCTANTS] = {0}, least = INFINITY;
    int64_t count[OCTANTS] = {0};
    for (int64_t j = 0; j < w->k && w->k < m->data.n; j++) { /* else nothing lies beyond */
        const double *x = m->kriged.x + 2 * w->neighbor[i * w->k + j];
        int o = m->settings->sectors ? octant((x[0] - at[0]) / m->frame.side[0], (x[1] - at[1]) / m->frame.side[1]) : 0;
        double square = sk_frame_square(&m->frame, at, x);
        farthest[o] = square > farthest[o] ? square : farthest[o];
        count[o]++;
    }
    for (int o = 0; o < OCTANTS; o++) /* one with fewer has no others */
        if (count[o] > 0 && count[o] >= w->k / OCTANTS)
            least = fmin(least, farthest[o]);
    return sqrt(least);
}

typedef struct reaching {
    const work *w;
    double *reach;
} reaching;

static void find_reach(void *context, int64_t begin, int64_t end, int worker)
{
    const reaching *r = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        r->reach[i] = reach(r->w, i);
}

/* Cells whose data are denser than the lattice. scratch: [nodes]. */
static void leave_dense_alone(work *w, double *scratch)
{
    reaching r = {w, scratch};
    sk_parallel(&(sk_task){w->nodes, GRAIN, w->block->machine.threads, find_reach, &r, NULL});
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < CORNERS && !w->cell[i].alone; c++)
            w->cell[i].alone = scratch[w->cell[i].node[c]] < w->block->m->lattice[2];
}

/* ---- kriging and blending */

/* Nodes of no cell but such leave, and one of more than MOST targets is there several times, for threads to share. Each
 * then has first[i] .. first[i + 1] - 1 of the targets, and cells have the first one's number. */
static surekrig_status share_out(work *w, surekrig_error *error)
{
    int64_t *count = sk_zeroed(w->nodes, sizeof *count), *number = sk_alloc(w->nodes, sizeof *number), shares = 0;
    for (int64_t i = 0; count && i < w->cells; i++)
        for (int c = 0; c < CORNERS && !w->cell[i].alone; c++)
            count[w->cell[i].node[c]] += w->cell[i].end - w->cell[i].begin;
    for (int64_t i = 0; count && i < w->nodes; i++)
        shares += (count[i] + MOST - 1) / MOST;
    int64_t *neighbor = sk_alloc(shares * w->k, sizeof *neighbor), at = 0, targets = 0;
    double *place = sk_doubles(2 * shares);
    w->first = sk_zeroed(shares + 1, sizeof *w->first);
    w->next = sk_alloc(shares, sizeof *w->next);
    bool room = count && number && neighbor && place && w->first && w->next;
    for (int64_t i = 0; room && i < w->nodes; i++) {
        number[i] = at;
        for (int64_t from = 0; from < count[i]; from += MOST, at++) {
            int64_t some = count[i] - from < MOST ? count[i] - from : MOST;
            memcpy(place + 2 * at, w->place + 2 * i, 2 * sizeof *place);
            memcpy(neighbor + at * w->k, w->neighbor + i * w->k, (size_t)w->k * sizeof *neighbor);
            w->first[at + 1] = targets += some;
        }
    }
    for (int64_t i = 0; room && i < w->cells; i++)
        for (int c = 0; c < CORNERS && !w->cell[i].alone; c++)
            w->cell[i].node[c] = number[w->cell[i].node[c]];
    free(count);
    free(number);
    free(w->place);
    free(w->neighbor);
    w->place = place;
    w->neighbor = neighbor;
    w->nodes = shares;
    return room ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(shares * w->k), "neighbours of nodes");
}

/* Targets node by node. */
static surekrig_status aim(work *w, surekrig_error *error)
{
    w->position = sk_alloc(CORNERS * w->count, sizeof *w->position);
    w->target = sk_doubles(2 * CORNERS * w->count);
    if (!w->position || !w->target)
        return sk_fail_memory(error, 96.0 * (double)w->count, "places around nodes");
    memcpy(w->next, w->first, (size_t)w->nodes * sizeof *w->next);
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < CORNERS && !w->cell[i].alone; c++)
            for (int64_t j = w->cell[i].begin; j < w->cell[i].end; j++) {
                int64_t at = w->next[w->cell[i].node[c]]++;
                w->position[CORNERS * j + c] = at;
                memcpy(w->target + 2 * at, w->block->place + 2 * j, 2 * sizeof(double));
            }
    return SUREKRIG_OK;
}

typedef struct blending {
    const work *w;
    const surekrig_model *m;
    const sk_kriging *from;
    sk_kriging *to;
} blending;

static void blend_place(const blending *b, const cell *of, int64_t j)
{
    int64_t width = b->m->kriged.l, l = b->m->data.l;
    const double *u = b->w->u + 2 * j;
    double x = u[0] - floor(u[0]), y = u[1] - floor(u[1]);
    const double weight[CORNERS] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
    double *mean = b->to->mean + j * width, variance = 0, jitter = 0;
    memset(mean, 0, (size_t)width * sizeof *mean);
    for (int c = 0; c < CORNERS; c++) {
        int64_t at = b->w->position[CORNERS * j + c];
        for (int64_t q = 0; q < width; q++)
            mean[q] += weight[c] * b->from->mean[at * width + q];
        variance += weight[c] * b->from->variance_share[at];
        jitter = fmax(jitter, b->from->jitter[of->node[c]]);
    }
    b->to->variance_share[j] = variance;
    b->to->jitter[j] = jitter;
    for (int64_t q = 0; b->from->scale_std && q < l; q++) { /* their logarithms: log_signs */
        double scale = 0, scatter = 0;
        for (int c = 0; c < CORNERS; c++) {
            scale += weight[c] * b->from->scale_std[of->node[c] * width + q];
            scatter += weight[c] * b->from->scatter_std[of->node[c] * l + q];
        }
        b->to->scale_std[j * width + q] = exp(scale);
        b->to->scatter_std[j * l + q] = exp(scatter);
    }
}

static void blend_cells(void *context, int64_t begin, int64_t end, int worker)
{
    const blending *b = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = b->w->cell[i].begin; j < b->w->cell[i].end && !b->w->cell[i].alone; j++)
            blend_place(b, &b->w->cell[i], j);
}

static void log_signs(const surekrig_model *m, int64_t nodes, const sk_kriging *k)
{
    for (int64_t i = 0; k->scale_std && i < nodes * m->kriged.l; i++)
        k->scale_std[i] = log(fmax(k->scale_std[i], DBL_MIN));
    for (int64_t i = 0; k->scale_std && i < nodes * m->data.l; i++)
        k->scatter_std[i] = log(fmax(k->scatter_std[i], DBL_MIN));
}

static void blend(const work *w, const surekrig_model *m, const sk_kriging *from, sk_kriging *to)
{
    blending b = {w, m, from, to};
    log_signs(m, w->nodes, from);
    sk_parallel(&(sk_task){w->cells, GRAIN, w->block->machine.threads, blend_cells, &b, NULL});
    if (from->partner)
        blend(w, m->partner, from->partner, to->partner);
}

/* ---- a block of places */

static void free_work(work *w)
{
    void *owned[] = {w->u, w->cell, w->node, w->place, w->neighbor, w->first, w->next, w->position, w->target};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sk_kriging_free(&w->kriging);
}

static surekrig_status find(work *w, surekrig_error *error)
{
    if (w->block->place != w->block->x)
        sk_metric_map(&w->block->m->metric, w->count, w->block->x, w->block->place);
    w->u = sk_doubles(2 * w->count);
    w->cell = sk_alloc(w->count, sizeof *w->cell);
    if (!w->u || !w->cell)
        return sk_fail_memory(error, 64.0 * (double)w->count, "cells of the lattice");
    find_cells(w);
    w->node = sk_alloc(CORNERS * w->cells, sizeof *w->node);
    w->place = sk_doubles(2 * CORNERS * w->cells);
    if (!w->node || !w->place)
        return sk_fail_memory(error, 128.0 * (double)w->count, "nodes of the lattice");
    find_nodes(w);
    w->neighbor = sk_alloc(w->nodes * w->k, sizeof *w->neighbor);
    if (!w->neighbor)
        return sk_fail_memory(error, 8.0 * (double)(w->nodes * w->k), "neighbours of the lattice's nodes");
    surekrig_neighbor_query query = {.n = w->nodes, .x = w->place, .k = w->k, .threads = w->block->machine.threads};
    return sk_model_neighbors(w->block->m, query, w->neighbor, NULL, error);
}

void sk_nodes_free(struct sk_found *w)
{
    if (w)
        free_work(w);
    free(w);
}

surekrig_status sk_nodes_find(sk_block *b, int64_t count, bool *alone, surekrig_error *error)
{
    work *w = b->nodes = sk_zeroed(1, sizeof *w);
    if (!w)
        return sk_fail_memory(error, sizeof *w, "nodes of the lattice");
    *w = (work){.block = b, .count = count, .k = sk_nodes_neighbors(b->m)};
    surekrig_status status = find(w, error);
    if (!status)
        status = sk_kriging_new(b->m, CORNERS * count, b->kriging.scale_std ? SK_WANT_SCALE : 0, &w->kriging, error);
    if (!status) {
        leave_dense_alone(w, w->kriging.variance_share);
        status = share_out(w, error);
    }
    if (!status)
        status = aim(w, error);
    for (int64_t i = 0; i < w->cells && !status; i++)
        for (int64_t j = w->cell[i].begin; j < w->cell[i].end; j++)
            alone[j] = w->cell[i].alone;
    return status;
}

surekrig_status sk_nodes_krige(sk_block *b, int64_t count, sk_wanted wanted, surekrig_error *error)
{
    work *w = b->nodes;
    sk_asked asked = {{w->nodes, w->k, w->neighbor, NULL, w->place}, NULL, NULL, w->first, w->target};
    surekrig_status status = sk_machine_krige(&b->machine, &asked, wanted, &w->kriging, error);
    if (!status) {
        blend(w, b->m, &w->kriging, &b->kriging);
        sk_machine_trend(&b->machine, &(sk_asked){.at = {.n = count}, .x = b->x}, wanted, &b->kriging);
    }
    sk_nodes_free(w);
    b->nodes = NULL;
    return status;
}

static int64_t largest(const int64_t *row, int64_t count)
{
    int64_t most = row[0];
    for (int64_t j = 1; j < count; j++)
        most = row[j] > most ? row[j] : most;
    return most;
}

surekrig_status sk_nodes_within(sk_block *b, int64_t count, int64_t rows, sk_within *of, surekrig_error *error)
{
    work w = {.block = b, .count = count, .k = sk_nodes_neighbors(b->m)};
    surekrig_status status = find(&w, error);
    double *scratch = status ? NULL : sk_doubles(w.nodes);
    if (!status && !scratch)
        status = sk_fail_memory(error, 8.0 * (double)w.nodes, "nodes of the lattice");
    if (!status)
        leave_dense_alone(&w, scratch);
    for (int64_t i = 0; i < w.nodes && !status; i++) /* the reach is no longer needed: its largest neighbour instead */
        scratch[i] = (double)largest(w.neighbor + i * w.k, w.k);
    for (int64_t i = 0; i < w.cells && !status; i++) {
        bool within = true;
        for (int c = 0; c < CORNERS && w.cell[i].inside; c++)
            within &= scratch[w.cell[i].node[c]] < (double)rows;
        for (int64_t j = w.cell[i].begin; j < w.cell[i].end; j++)
            of[j] = (sk_within){within, w.cell[i].alone};
    }
    free(scratch);
    free_work(&w);
    return status;
}
