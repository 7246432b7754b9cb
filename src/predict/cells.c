/* The cells of the lattice that places lie in and the nodes at their corners, with these nodes' neighbours and how far
 * they reach. */
#include "predict/nodes.h"

#include <math.h>
#include <stdlib.h>

/* ---- cells and nodes of some places */

static void find_cells(sk_found *w)
{
    for (int64_t j = 0; j < w->count; j++) {
        sk_lattice_at(w->block->m, w->block->place + 2 * j, w->u + 2 * j);
        const double *u = w->u + 2 * j;
        bool same = j > 0 && floor(u[0]) == floor(u[-2]) && floor(u[1]) == floor(u[-1]);
        if (!same)
            w->cell[w->cells++] = (sk_cell){.begin = j, .inside = sk_in_lattice(u), .alone = !sk_in_lattice(u)};
        w->cell[w->cells - 1].end = j + 1;
    }
}

int sk_node_by_place(const void *a, const void *b)
{
    const double *p = ((const sk_node *)a)->at, *q = ((const sk_node *)b)->at;
    return p[1] != q[1] ? (p[1] > q[1]) - (p[1] < q[1]) : (p[0] > q[0]) - (p[0] < q[0]);
}

static void find_nodes(sk_found *w)
{
    int64_t corners = 0;
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < SK_CORNERS && !w->cell[i].alone; c++) {
            const double *u = w->u + 2 * w->cell[i].begin;
            w->node[corners++] = (sk_node){{floor(u[0]) + (c & 1), floor(u[1]) + (c >> 1)}, i, c};
        }
    qsort(w->node, (size_t)corners, sizeof *w->node, sk_node_by_place);
    for (int64_t i = 0; i < corners; i++) {
        if (!i || sk_node_by_place(&w->node[w->nodes - 1], &w->node[i]))
            w->node[w->nodes++] = w->node[i];
        w->cell[w->node[i].cell].node[w->node[i].corner] = w->nodes - 1;
    }
    for (int64_t i = 0; i < w->nodes; i++)
        sk_lattice_place(w->block->m, w->node[i].at, w->place + 2 * i);
}

/* ---- how far a node's neighbours reach in the direction where that is least */

/* Which of eight directions; on a border, either. */
static int octant(double x, double y)
{
    return (y < 0) | (x < 0) << 1 | (fabs(x) < fabs(y)) << 2;
}

static double reach(const sk_found *w, int64_t i)
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
    const sk_found *w;
    double *reach;
} reaching;

static void find_reach(void *context, int64_t begin, int64_t end, int worker)
{
    const reaching *r = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        r->reach[i] = reach(r->w, i);
}

surekrig_status sk_cells_leave_dense(sk_found *w, surekrig_error *error)
{
    reaching r = {w, sk_doubles(w->nodes)};
    if (!r.reach)
        return sk_fail_memory(error, 8.0 * (double)w->nodes, "nodes of the lattice");
    sk_parallel(&(sk_task){w->nodes, SK_NODES_GRAIN, w->block->machine.threads, find_reach, &r, NULL});
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < SK_CORNERS && !w->cell[i].alone; c++)
            w->cell[i].alone = r.reach[w->cell[i].node[c]] < w->block->m->lattice[2];
    free(r.reach);
    return SUREKRIG_OK;
}

/* ---- all of it */

void sk_found_free(sk_found *w)
{
    void *owned[] = {w->u,    w->cell,     w->node,   w->place, w->neighbor, w->first,
                     w->next, w->position, w->target, w->blur,  w->room};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sk_kriging_free(&w->kriging);
}

surekrig_status sk_cells_find(sk_found *w, surekrig_error *error)
{
    if (w->block->place != w->block->x)
        sk_metric_map(&w->block->m->metric, w->count, w->block->x, w->block->place);
    w->u = sk_doubles(2 * w->count);
    w->cell = sk_alloc(w->count, sizeof *w->cell);
    if (!w->u || !w->cell)
        return sk_fail_memory(error, 64.0 * (double)w->count, "cells of the lattice");
    find_cells(w);
    w->node = sk_alloc(SK_CORNERS * w->cells, sizeof *w->node);
    w->place = sk_doubles(2 * SK_CORNERS * w->cells);
    if (!w->node || !w->place)
        return sk_fail_memory(error, 128.0 * (double)w->count, "nodes of the lattice");
    find_nodes(w);
    w->neighbor = sk_alloc(w->nodes * w->k, sizeof *w->neighbor);
    if (!w->neighbor)
        return sk_fail_memory(error, 8.0 * (double)(w->nodes * w->k), "neighbours of the lattice's nodes");
    surekrig_neighbor_query query = {.n = w->nodes, .x = w->place, .k = w->k, .threads = w->block->machine.threads};
    return sk_model_neighbors(w->block->m, query, w->neighbor, NULL, error);
}

/* ---- which rows they need */

/* The first row among a node's neighbours, and among those of the nodes that it takes signs from. */
static int64_t first_row(const sk_found *w, int64_t i)
{
    int64_t first = INT64_MAX;
    for (int c = -1; c < (w->blur ? SK_BLURRED : 0); c++) { /* -1: its own */
        const int64_t *row = w->neighbor + (c < 0 ? i : w->blur[i].node[c]) * w->k;
        for (int64_t j = 0; j < w->k; j++)
            first = row[j] < first ? row[j] : first;
    }
    return first;
}

surekrig_status sk_nodes_within(sk_block *b, int64_t count, int64_t fence, sk_within *of, surekrig_error *error)
{
    sk_found w = {.block = b, .signs = sk_any_local(b->m), .count = count, .k = sk_nodes_neighbors(b->m)};
    surekrig_status status = sk_cells_find(&w, error);
    if (!status)
        status = sk_cells_leave_dense(&w, error);
    int64_t nodes = w.nodes, *first = status ? NULL : sk_alloc(nodes, sizeof *first);
    if (!status && !first)
        status = sk_fail_memory(error, 8.0 * (double)nodes, "nodes of the lattice");
    if (!status && w.signs)
        status = sk_blur_find(&w, error);
    for (int64_t i = 0; i < nodes && !status; i++)
        first[i] = first_row(&w, i);
    for (int64_t i = 0; i < w.cells && !status; i++) {
        bool within = true;
        for (int c = 0; c < SK_CORNERS && w.cell[i].inside; c++)
            within &= first[w.cell[i].node[c]] >= fence;
        for (int64_t j = w.cell[i].begin; j < w.cell[i].end; j++)
            of[j] = (sk_within){within, w.cell[i].alone};
    }
    free(first);
    sk_found_free(&w);
    return status;
}
