/* The neighbours' scale and scatter, blurred where data are far away. A cluster of data comes into a neighbourhood, or
 * leaves it, as a whole where the edge of a sector passes over it, and what the neighbours say of the variance jumps
 * with it: rays from that cluster, with straight edges, through a gap. So a node whose nearest datum is t/2 pitches
 * away takes both from nodes about t pitches apart around it. With 2^j <= t < 2^(j+1) and f = log2(t) - j,
 *   log s = (1 - f) log s_j + f log s_(j+1),   log s_j bilinear between the nodes of every 2^j-th row and column.
 * They are nodes of the same lattice, so that no answer depends on what else is asked. */
#include "predict/nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 24 };          /* at most: beyond the data there is no end to gaps */
static const double APART = 2; /* times the way to the nearest datum; with 1 the rays' edges are still seen */

/* How far the nearest datum of node i is, in pitches. */
static double gap_of(const sk_found *w, int64_t i)
{
    const surekrig_model *m = w->block->m;
    double least = INFINITY;
    for (int64_t j = 0; j < w->k; j++) {
        const double *x = m->kriged.x + 2 * w->neighbor[i * w->k + j];
        least = fmin(least, sk_frame_square(&m->frame, w->place + 2 * i, x));
    }
    return sqrt(least) / m->lattice[2];
}

/* Corner c of the cell of every 2^j-th row and column around a node, and what it counts there. */
static double corner_of(const double at[2], int j, int c, double corner[2])
{
    double weight = 1;
    for (int a = 0; a < 2; a++) {
        double low = floor(ldexp(at[a], -j)), part = ldexp(at[a], -j) - low;
        bool upper = c >> a & 1;
        corner[a] = ldexp(low + upper, j);
        weight *= upper ? part : 1 - part;
    }
    return weight;
}

/* ---- which nodes */

typedef struct looking {
    sk_found *w;
    int64_t own;   /* nodes of cells */
    double *level; /* [own] log2 t */
    sk_node *far;  /* [8 own] corners that are none of these: cell and corner are whose and which */
    int64_t many;
} looking;

static void find_levels(void *context, int64_t begin, int64_t end, int worker)
{
    const looking *l = context;
    (void)worker;
    for (int64_t i = begin; i < end; i++)
        l->level[i] = fmin(fmax(log2(APART * gap_of(l->w, i)), 0), LEVELS);
}

/* Whether a place can be asked there: not where it is beyond all numbers. */
static bool is_place(const surekrig_model *m, const double at[2])
{
    double place[2];
    sk_lattice_place(m, at, place);
    return isfinite(place[0]) && isfinite(place[1]);
}

static void look_around(looking *l, int64_t i)
{
    sk_found *w = l->w;
    double level = l->level[i], part = level - floor(level);
    for (int c = 0; c < SK_BLURRED; c++) {
        bool upper = c >= SK_CORNERS;
        sk_node corner = {.cell = i, .corner = c};
        double weight = corner_of(w->node[i].at, (int)level + upper, c % SK_CORNERS, corner.at);
        w->blur[i].weight[c] = weight * (upper ? part : 1 - part);
        w->blur[i].node[c] = i;
        if (!(w->blur[i].weight[c] > 0 && is_place(w->block->m, corner.at)))
            continue;
        const sk_node *known = bsearch(&corner, w->node, (size_t)l->own, sizeof corner, sk_node_by_place);
        if (known)
            w->blur[i].node[c] = known - w->node;
        else
            l->far[l->many++] = corner;
    }
}

/* Those of no cell become nodes behind the others. */
static surekrig_status add_nodes(looking *l, surekrig_error *error)
{
    sk_found *w = l->w;
    int64_t added = 0;
    qsort(l->far, (size_t)l->many, sizeof *l->far, sk_node_by_place);
    for (int64_t i = 0; i < l->many; i++) {
        if (!i || sk_node_by_place(&l->far[added - 1], &l->far[i]))
            l->far[added++] = l->far[i];
        w->blur[l->far[i].cell].node[l->far[i].corner] = l->own + added - 1;
    }
    if (added == 0)
        return SUREKRIG_OK;
    double *place = realloc(w->place, (size_t)(2 * (l->own + added)) * sizeof *place);
    w->place = place ? place : w->place;
    int64_t *neighbor = realloc(w->neighbor, (size_t)((l->own + added) * w->k) * sizeof *neighbor);
    w->neighbor = neighbor ? neighbor : w->neighbor;
    if (!place || !neighbor)
        return sk_fail_memory(error, 8.0 * (double)(added * w->k), "nodes around a gap");
    w->nodes += added;
    for (int64_t i = 0; i < added; i++)
        sk_lattice_place(w->block->m, l->far[i].at, w->place + 2 * (l->own + i));
    surekrig_neighbor_query query = {.n = added,
                                     .x = w->place + 2 * l->own,
                                     .k = w->k,
                                     .threads = w->block->machine.threads};
    return sk_model_neighbors(w->block->m, query, w->neighbor + l->own * w->k, NULL, error);
}

surekrig_status sk_blur_find(sk_found *w, surekrig_error *error)
{
    looking l = {.w = w, .own = w->nodes, .level = sk_doubles(w->nodes)};
    l.far = sk_alloc(SK_BLURRED * w->nodes, sizeof *l.far);
    w->blur = sk_alloc(w->nodes, sizeof *w->blur);
    surekrig_status status = SUREKRIG_OK;
    if (l.level && l.far && w->blur)
        sk_parallel(&(sk_task){l.own, SK_NODES_GRAIN, w->block->machine.threads, find_levels, &l, NULL});
    else
        status = sk_fail_memory(error, 392.0 * (double)w->nodes, "nodes around a gap");
    for (int64_t i = 0; i < l.own && !status; i++)
        look_around(&l, i);
    if (!status)
        status = add_nodes(&l, error);
    free(l.level);
    free(l.far);
    return status;
}

/* ---- what they say */

void sk_blur_signs(const sk_found *w, int64_t width, double *sign)
{
    memcpy(w->room, sign, (size_t)(w->nodes * width) * sizeof *sign);
    for (int64_t i = 0; i < w->nodes; i++)
        for (int64_t q = 0; q < width && w->first[i] < w->first[i + 1]; q++) {
            sign[i * width + q] = 0;
            for (int c = 0; c < SK_BLURRED; c++)
                sign[i * width + q] += w->blur[i].weight[c] * w->room[w->blur[i].node[c] * width + q];
        }
}
