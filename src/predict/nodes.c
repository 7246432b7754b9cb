/* Places in the plane, kriged from the neighbourhoods of the four nodes of a lattice around each, and blended:
 *   mean = sum_c w_c mean_c,   variance = sum_c w_c variance_c,   w bilinear,
 * mean_c and variance_c being those of the place from the neighbours of node c. So a map has no steps where neighbours
 * change: what a neighbourhood says comes and goes by degrees. The variance is that of the worst case, errors that all
 * go together. The neighbours' scale and scatter belong to nodes, in gaps to some farther around (blur.c), and are
 * blended as logarithms. The lattice is the model's, so that no answer depends on what else is asked; and places that
 * share a node share its factorisation, which is most of the work. A node has half as many neighbours more than a place
 * would have. Where the lattice is too wide for the data, some node of a cell reaching less far than the pitch, its
 * places are kriged alone. */
#include "predict/nodes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128 }; /* targets of a node that one thread has at a time */

/* How many targets each node has; -1: none, but others take their signs from it. */
static void count_targets(const sk_found *w, int64_t *count)
{
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < SK_CORNERS && !w->cell[i].alone; c++)
            count[w->cell[i].node[c]] += w->cell[i].end - w->cell[i].begin;
    for (int64_t i = 0; i < w->nodes && w->blur; i++)
        for (int c = 0; c < SK_BLURRED && count[i] > 0; c++)
            if (count[w->blur[i].node[c]] == 0)
                count[w->blur[i].node[c]] = -1;
}

static int64_t shares_of(int64_t count)
{
    return count < 0 ? 1 : (count + MOST - 1) / MOST;
}

/* What was found of each node, for all of its shares. */
typedef struct sharing {
    int64_t *count, *number; /* [nodes] */
    int64_t *neighbor;       /* [shares][k] and so on */
    double *place;
    sk_blur *blur;
} sharing;

static void move_node(sk_found *w, const sharing *s, int64_t i, int64_t *targets)
{
    int64_t at = s->number[i], left = s->count[i] > 0 ? s->count[i] : 0;
    for (int64_t share = 0; share < shares_of(s->count[i]); share++, at++) {
        int64_t some = left < MOST ? left : MOST;
        memcpy(s->place + 2 * at, w->place + 2 * i, 2 * sizeof *s->place);
        memcpy(s->neighbor + at * w->k, w->neighbor + i * w->k, (size_t)w->k * sizeof *s->neighbor);
        left -= some;
        w->first[at + 1] = *targets += some;
        for (int c = 0; c < SK_BLURRED && s->blur && s->count[i] > 0; c++) {
            s->blur[at].weight[c] = w->blur[i].weight[c];
            s->blur[at].node[c] = s->number[w->blur[i].node[c]];
        }
    }
}

/* Nodes that nobody needs leave, and one of more than MOST targets is there several times, for threads to share. Each
 * then has first[i] .. first[i + 1] - 1 of the targets, and cells have the first one's number. */
static surekrig_status share_out(sk_found *w, surekrig_error *error)
{
    sharing s = {.count = sk_zeroed(w->nodes, sizeof *s.count), .number = sk_alloc(w->nodes, sizeof *s.number)};
    int64_t shares = 0, targets = 0;
    if (s.count && s.number)
        count_targets(w, s.count);
    for (int64_t i = 0; s.count && s.number && i < w->nodes; i++) {
        s.number[i] = shares;
        shares += shares_of(s.count[i]);
    }
    s.neighbor = sk_alloc(shares * w->k, sizeof *s.neighbor);
    s.place = sk_doubles(2 * shares);
    s.blur = w->blur ? sk_alloc(shares, sizeof *s.blur) : NULL;
    w->first = sk_zeroed(shares + 1, sizeof *w->first);
    w->next = sk_alloc(shares, sizeof *w->next);
    bool room = s.count && s.number && s.neighbor && s.place && (s.blur || !w->blur) && w->first && w->next;
    for (int64_t i = 0; room && i < w->nodes; i++)
        move_node(w, &s, i, &targets);
    for (int64_t i = 0; room && i < w->cells; i++)
        for (int c = 0; c < SK_CORNERS && !w->cell[i].alone; c++)
            w->cell[i].node[c] = s.number[w->cell[i].node[c]];
    void *gone[] = {s.count, s.number, w->place, w->neighbor, w->blur};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        free(gone[i]);
    w->place = s.place;
    w->neighbor = s.neighbor;
    w->blur = s.blur;
    w->nodes = shares;
    return room ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(shares * w->k), "neighbours of nodes");
}

/* Targets node by node. */
static surekrig_status aim(sk_found *w, surekrig_error *error)
{
    w->position = sk_alloc(SK_CORNERS * w->count, sizeof *w->position);
    w->target = sk_doubles(2 * SK_CORNERS * w->count);
    if (!w->position || !w->target)
        return sk_fail_memory(error, 96.0 * (double)w->count, "places around nodes");
    memcpy(w->next, w->first, (size_t)w->nodes * sizeof *w->next);
    for (int64_t i = 0; i < w->cells; i++)
        for (int c = 0; c < SK_CORNERS && !w->cell[i].alone; c++)
            for (int64_t j = w->cell[i].begin; j < w->cell[i].end; j++) {
                int64_t at = w->next[w->cell[i].node[c]]++;
                w->position[SK_CORNERS * j + c] = at;
                memcpy(w->target + 2 * at, w->block->place + 2 * j, 2 * sizeof(double));
            }
    return SUREKRIG_OK;
}

typedef struct blending {
    const sk_found *w;
    const surekrig_model *m;
    const sk_kriging *from;
    sk_kriging *to;
} blending;

static void blend_place(const blending *b, const sk_cell *of, int64_t j)
{
    int64_t width = b->m->kriged.l, l = b->m->data.l;
    const double *u = b->w->u + 2 * j;
    double x = u[0] - floor(u[0]), y = u[1] - floor(u[1]);
    const double weight[SK_CORNERS] = {(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y};
    double *mean = b->to->mean + j * width, variance = 0, jitter = 0;
    memset(mean, 0, (size_t)width * sizeof *mean);
    for (int c = 0; c < SK_CORNERS; c++) {
        int64_t at = b->w->position[SK_CORNERS * j + c];
        for (int64_t q = 0; q < width; q++)
            mean[q] += weight[c] * b->from->mean[at * width + q];
        variance += weight[c] * b->from->variance_share[at];
        jitter = fmax(jitter, b->from->jitter[of->node[c]]);
    }
    b->to->variance_share[j] = variance;
    b->to->jitter[j] = jitter;
    for (int64_t q = 0; b->from->scale_std && q < l; q++) { /* as log_signs has left them */
        double scale = 0, scatter = 0, one_more = sk_widths_one_more(b->m, q);
        for (int c = 0; c < SK_CORNERS; c++) {
            scale += weight[c] * b->from->scale_std[of->node[c] * width + q];
            scatter += weight[c] * b->from->scatter_std[of->node[c] * l + q];
        }
        b->to->scale_std[j * width + q] = fmax(exp(scale) - one_more, 0);
        b->to->scatter_std[j * l + q] = fmax(exp(scatter) - one_more, 0);
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

/* Their logarithms, blurred in gaps; with one neighbour more, as widths take them, or one flat neighbourhood would
 * count for more than all others. */
static void log_signs(const sk_found *w, const surekrig_model *m, int64_t width, double *sign)
{
    for (int64_t i = 0; sign && i < w->nodes; i++)
        for (int64_t q = 0; q < m->data.l; q++)
            sign[i * width + q] = log(fmax(sign[i * width + q] + sk_widths_one_more(m, q), DBL_MIN));
    if (sign && w->blur)
        sk_blur_signs(w, width, sign);
}

static void blend(const sk_found *w, const surekrig_model *m, const sk_kriging *from, sk_kriging *to)
{
    blending b = {w, m, from, to};
    log_signs(w, m, m->kriged.l, from->scale_std);
    log_signs(w, m, m->data.l, from->scatter_std);
    sk_parallel(&(sk_task){w->cells, SK_NODES_GRAIN, w->block->machine.threads, blend_cells, &b, NULL});
    if (from->partner)
        blend(w, m->partner, from->partner, to->partner);
}

/* ---- a block of places */

void sk_nodes_free(struct sk_found *w)
{
    if (w)
        sk_found_free(w);
    free(w);
}

/* What is kriged of nodes, and of their targets. */
static surekrig_status make_room(sk_found *w, surekrig_error *error)
{
    const surekrig_model *m = w->block->m;
    int64_t many = w->nodes > SK_CORNERS * w->count ? w->nodes : SK_CORNERS * w->count;
    int64_t width = m->partner && m->partner->kriged.l > m->kriged.l ? m->partner->kriged.l : m->kriged.l;
    w->room = w->blur ? sk_doubles(w->nodes * width) : NULL;
    if (w->blur && !w->room)
        return sk_fail_memory(error, 8.0 * (double)(w->nodes * width), "nodes around a gap");
    return sk_kriging_new(m, many, w->signs ? SK_WANT_SCALE : 0, &w->kriging, error);
}

surekrig_status sk_nodes_find(sk_block *b, int64_t count, sk_wanted wanted, bool *alone, surekrig_error *error)
{
    sk_found *w = b->nodes = sk_zeroed(1, sizeof *w);
    if (!w)
        return sk_fail_memory(error, sizeof *w, "nodes of the lattice");
    *w =
        (sk_found){.block = b, .signs = wanted.sd && sk_any_local(b->m), .count = count, .k = sk_nodes_neighbors(b->m)};
    surekrig_status status = sk_cells_find(w, error);
    if (!status)
        status = sk_cells_leave_dense(w, error);
    if (!status && w->signs)
        status = sk_blur_find(w, error);
    if (!status)
        status = share_out(w, error);
    if (!status)
        status = make_room(w, error);
    if (!status)
        status = aim(w, error);
    for (int64_t i = 0; i < w->cells && !status; i++)
        for (int64_t j = w->cell[i].begin; j < w->cell[i].end; j++)
            alone[j] = w->cell[i].alone;
    return status;
}

surekrig_status sk_nodes_krige(sk_block *b, int64_t count, sk_wanted wanted, surekrig_error *error)
{
    sk_found *w = b->nodes;
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
