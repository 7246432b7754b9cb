/* The tree of all rows (order.c) where no rank has them all. It is halved down to its nodes of level 2
 * (neighbors/build.c), all pieces of a generation at once: along the longest side of a piece's box the point is looked
 * for that stands where the halves meet. Each rank proposes one of its own; the middle one of these divides everybody's,
 * and what cannot hold it is left alone. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>

typedef struct placed {
    double x;
    int64_t number;
} placed;

static bool before(placed a, placed b)
{
    return a.x < b.x || (a.x == b.x && a.number < b.number);
}

/* Children begin .. end-1 of node j of a level, and the own points there. */
typedef struct piece {
    int level;
    int64_t j, begin, end;
    int64_t from, to;  /* own */
    int64_t axis;      /* along which it is halved */
    int64_t low, high; /* own points among which the middle still is, */
    int64_t need;      /* of all ranks' so many before it */
    bool found;
} piece;

typedef struct growth {
    sk_homes *h;
    const sk_ranks *ranks;
    double *x;       /* [own][d] in the frame */
    int64_t *number; /* [own] */
    const surekrig_ranks *of;
    int64_t count;
    piece *piece; /* [count] */
} growth;

static int64_t first_point(const sk_homes *h, const piece *p, int64_t child)
{
    int64_t point = (SK_WIDE * p->j + child) * (int64_t)SK_LEAF << 3 * (p->level - 1);
    return point < h->n ? point : h->n;
}

/* A lone child becomes the piece of its own children; false when it is a home. */
static bool go_down(const sk_homes *h, piece *p)
{
    while (p->end - p->begin == 1 && p->level > SK_HOMES + 1) {
        p->j = SK_WIDE * p->j + p->begin;
        p->level--;
        p->begin = 0;
        p->end = sk_homes_children(h, p->level, p->j);
    }
    return p->end - p->begin > 1;
}

static void swap(growth *g, int64_t i, int64_t j)
{
    int64_t d = g->h->d, number = g->number[i];
    g->number[i] = g->number[j];
    g->number[j] = number;
    for (int64_t a = 0; a < d; a++) {
        double x = g->x[i * d + a];
        g->x[i * d + a] = g->x[j * d + a];
        g->x[j * d + a] = x;
    }
}

static placed at(const growth *g, int64_t axis, int64_t i)
{
    return (placed){g->x[i * g->h->d + axis], g->number[i]};
}

/* Own points before the pivot come first; how many. */
static int64_t divide(growth *g, const piece *p, placed pivot)
{
    int64_t to = p->low;
    for (int64_t i = p->low; i < p->high; i++)
        if (before(at(g, p->axis, i), pivot))
            swap(g, i, to++);
    return to - p->low;
}

/* The longest side of each piece's box, of all points. */
static bool choose_axes(growth *g)
{
    int64_t d = g->h->d, n = g->count * d;
    double *lower = sk_doubles(n), *upper = sk_doubles(n);
    for (int64_t i = 0; i < n && lower && upper; i++) {
        const piece *p = &g->piece[i / d];
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
        for (int64_t j = p->from; j < p->to; j++) {
            lower[i] = fmin(lower[i], g->x[j * d + i % d]);
            upper[i] = fmax(upper[i], g->x[j * d + i % d]);
        }
    }
    bool room = lower && upper;
    if (room) {
        sk_least(g->ranks, n, lower);
        sk_most(g->ranks, n, upper);
    }
    for (int64_t i = 0; i < g->count && room; i++) {
        double length = -1;
        for (int64_t a = 0; a < d; a++) {
            double side = upper[i * d + a] - lower[i * d + a];
            g->piece[i].axis = side > length ? a : g->piece[i].axis;
            length = side > length ? side : length;
        }
    }
    free(lower);
    free(upper);
    return room;
}

typedef struct proposal {
    placed pivot;
    int64_t weight;
} proposal;

static int by_place(const void *a, const void *b)
{
    const proposal *p = a, *q = b;
    return before(p->pivot, q->pivot) ? -1 : before(q->pivot, p->pivot);
}

/* The middle one of what ranks propose, by how many points each stands for. */
static placed weigh(int ranks, proposal *of)
{
    int64_t all = 0, sum = 0;
    int i = 0;
    qsort(of, (size_t)ranks, sizeof *of, by_place);
    for (int r = 0; r < ranks; r++)
        all += of[r].weight;
    while (i < ranks - 1 && 2 * (sum + of[i].weight) < all)
        sum += of[i++].weight;
    while (i < ranks - 1 && !of[i].weight)
        i++;
    return of[i].pivot;
}

static proposal propose(const growth *g, const piece *p)
{
    int64_t n = p->found ? 0 : p->high - p->low;
    if (!n)
        return (proposal){{INFINITY, 0}, 0};
    placed some[3];
    for (int64_t i = 0; i < 3; i++) { /* the middle one of three */
        placed one = at(g, p->axis, p->low + (2 * i + 1) * n / 6);
        int64_t to = i;
        for (; to > 0 && before(one, some[to - 1]); to--)
            some[to] = some[to - 1];
        some[to] = one;
    }
    return (proposal){some[1], n};
}

/* One step for all pieces; *left: those that are not found yet. */
static bool narrow(growth *g, int64_t *left)
{
    int size = g->ranks->size;
    int64_t n = g->count, *bytes = sk_alloc(size, sizeof *bytes);
    proposal *own = sk_alloc(n, sizeof *own), *one = sk_alloc(size, sizeof *one), *all = NULL;
    double *sum = sk_doubles(n), *counts = NULL;
    placed *pivot = sk_alloc(n, sizeof *pivot);
    for (int64_t i = 0; i < n && own; i++)
        own[i] = propose(g, &g->piece[i]);
    if (own && one && bytes && sum && pivot)
        all = sk_gather(g->ranks, own, n * (int64_t)sizeof *own, bytes);
    for (int64_t i = 0; i < n && all; i++) {
        for (int r = 0; r < size; r++)
            one[r] = all[r * n + i];
        pivot[i] = weigh(size, one);
        sum[i] = g->piece[i].found ? 0 : (double)divide(g, &g->piece[i], pivot[i]);
    }
    if (all)
        counts = sk_gather(g->ranks, sum, n * (int64_t)sizeof *sum, bytes);
    *left = 0;
    for (int64_t i = 0; i < n && counts; i++) {
        piece *p = &g->piece[i];
        int64_t mine = (int64_t)sum[i], first = 0;
        for (int r = 0; r < size; r++)
            first += (int64_t)counts[r * n + i];
        if (p->found)
            continue;
        if (!first) { /* the pivot is the first of all: it alone moves */
            pivot[i].number++;
            mine = divide(g, p, pivot[i]);
            first = 1;
        }
        p->found = first == p->need;
        if (first <= p->need) {
            p->low += mine;
            p->need -= first;
        } else {
            p->high = p->low + mine;
        }
        *left += !p->found;
    }
    bool room = counts;
    void *owned[] = {bytes, own, one, all, sum, counts, pivot};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    return room;
}

/* ---- the tree, generation by generation */

static bool halve_some(growth *g)
{
    int64_t left = g->count;
    if (!choose_axes(g))
        return false;
    for (int64_t i = 0; i < g->count; i++) {
        piece *p = &g->piece[i];
        int64_t middle = p->begin + (p->end - p->begin + 1) / 2;
        p->low = p->from;
        p->high = p->to;
        p->need = first_point(g->h, p, middle) - first_point(g->h, p, p->begin);
        p->found = p->need >= first_point(g->h, p, p->end) - first_point(g->h, p, p->begin);
        p->low = p->found ? p->to : p->low;
        left -= p->found;
    }
    while (left > 0)
        if (!narrow(g, &left))
            return false;
    return true;
}

/* So many pieces at a time that what ranks propose for them stays small, however many rows and ranks there are. */
static bool halve_all(const growth *g)
{
    int64_t at_once = sk_at_once(g->ranks);
    bool room = true;
    for (int64_t from = 0; from < g->count && room; from += at_once) {
        growth some = *g;
        some.piece += from;
        some.count = g->count - from < at_once ? g->count - from : at_once;
        room = halve_some(&some);
    }
    return room;
}

/* What a home has of own points. */
static void keep_home(growth *g, const piece *p)
{
    int64_t d = g->h->d, home = SK_WIDE * p->j + p->begin;
    double *box = g->h->box[SK_HOMES] + home * 2 * d;
    for (int64_t i = p->from; i < p->to && g->h->of; i++)
        g->h->of[sk_count_below(g->of->own, g->of->number, g->number[i])] = (uint32_t)home;
    for (int64_t i = p->from; i < p->to; i++)
        for (int64_t a = 0; a < d; a++) {
            box[a] = fmin(box[a], g->x[i * d + a]);
            box[d + a] = fmax(box[d + a], g->x[i * d + a]);
        }
}

static bool grow(growth *g)
{
    while (g->count > 0) {
        if (!halve_all(g))
            return false;
        piece *next = sk_alloc(2 * g->count, sizeof *next);
        int64_t count = 0;
        for (int64_t i = 0; i < g->count && next; i++) {
            piece p = g->piece[i];
            int64_t middle = p.begin + (p.end - p.begin + 1) / 2, cut = p.low;
            for (int half = 0; half < 2; half++) {
                piece one = {.level = p.level,
                             .j = p.j,
                             .begin = half ? middle : p.begin,
                             .end = half ? p.end : middle};
                one.from = half ? cut : p.from;
                one.to = half ? p.to : cut;
                if (go_down(g->h, &one))
                    next[count++] = one;
                else
                    keep_home(g, &one);
            }
        }
        free(g->piece);
        g->piece = next;
        g->count = count;
        if (!next)
            return false;
    }
    return true;
}

bool sk_homes_grow(sk_homes *h, const surekrig_data *data)
{
    int64_t own = sk_own(data), d = h->d;
    growth g = {h, sk_ranks_of(data), sk_doubles(own * d), sk_alloc(own, sizeof *g.number), data->ranks};
    bool room = g.x && g.number && (g.piece = sk_zeroed(1, sizeof *g.piece));
    for (int64_t i = 0; i < own * d && room; i++) {
        g.x[i] = (data->x[i] - h->origin[i % d]) / h->side[i % d];
        g.number[i / d] = data->ranks->number[i / d];
    }
    if (room) {
        g.piece[0] = (piece){.level = h->levels, .end = sk_homes_children(h, h->levels, 0), .to = own};
        g.count = go_down(h, &g.piece[0]);
        if (!g.count)
            keep_home(&g, &g.piece[0]);
        room = grow(&g);
    }
    free(g.x);
    free(g.number);
    free(g.piece);
    return room;
}
