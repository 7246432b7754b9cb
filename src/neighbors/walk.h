/* One search through the tree, depth first, nearest child first. The children of a node are tested together, the points
 * of a leaf measured together; those near enough join the candidates, and when these are twice too many the k best
 * remain and tighten the bound. Squares and their lower bounds are rounded the same way, axis by axis and never fused,
 * so that pruning never loses a tie and every instruction set finds the same neighbours. Included by *.simd.c alone. */
#ifndef SK_WALK_H
#define SK_WALK_H

#include "neighbors/sectors.h"

enum { MOST_WAITING = MOST_LEVELS * WIDE };

/* -------------------------------------------------------------------------------------------------------- leaves */

/* Candidates from `from` on are new: are they allowed? What a square and a row alone decide, measure() has asked. */
static void admit(search *s, int64_t from)
{
    candidates *c = &s->found;
    int64_t kept = from;
    for (int64_t i = from; i < c->count; i++) {
        c->square[kept] = c->square[i];
        c->place[kept] = c->place[i];
        kept += s->query->group[c->row[c->place[i]]] != s->own_group;
    }
    c->count = kept;
}

/* bound: of each point, or NULL: the same. */
static inline void measure(search *s, int64_t leaf, int64_t d, const double *bound)
{
    enum { VECTORS = LEAF / SK_LANES };
    candidates *c = &s->found;
    const double *x = s->t->x + leaf * d * LEAF;
    const uint32_t *row = s->t->row + leaf * LEAF;
    sk_vec sum[VECTORS] = {{0}};
    for (int64_t a = 0; a < d; a++)
        for (int v = 0; v < VECTORS; v++) {
            sk_vec gap = load(x + a * LEAF + v * SK_LANES) - s->point[a];
            sum[v] += gap * gap;
        }
    for (int v = 0; v < VECTORS; v++) {
        sk_vec most = bound ? load(bound + v * SK_LANES) : sk_all(s->bound);
        unsigned keep = at_most(sum[v], most) & at_most(sk_all(s->least), sum[v]) &
                        ~rows_equal(row + v * SK_LANES, s->without);
        keep_doubles(c->square + c->count, sum[v], keep);
        keep_counted(c->place + c->count, (uint32_t)(leaf * LEAF + v * SK_LANES), keep);
        c->count += count_bits(keep);
    }
}

static inline void measure_any(search *s, int64_t leaf, const double *bound)
{
    switch (s->t->d) { /* the commonest, unrolled */
    case 1:
        measure(s, leaf, 1, bound);
        break;
    case 2:
        measure(s, leaf, 2, bound);
        break;
    case 3:
        measure(s, leaf, 3, bound);
        break;
    default:
        measure(s, leaf, s->t->d, bound);
    }
}

static void look_for_sectors(search *s, int64_t leaf)
{
    int64_t before = s->found.count;
    shares of;
    find_shares(s, leaf, &of);
    measure_any(s, leaf, of.bound);
    if (s->query->group)
        admit(s, before);
    if (s->found.count > before)
        share_out(s, before, &of);
}

static void look_into(search *s, int64_t leaf)
{
    int64_t before = s->found.count;
    s->leaves++;
    measure_any(s, leaf, NULL);
    if (s->query->group)
        admit(s, before);
    if (s->found.count > s->found.capacity - LEAF)
        tighten(s);
}

/* --------------------------------------------------------------------------------------------------------- nodes */

/* square: [WIDE] of the distance to each child's box; returns those that may hold a neighbour, as bits. */
static inline unsigned near_boxes(const search *s, int64_t node, int64_t d, double *square)
{
    const double *lower = s->t->box + node * 2 * d * WIDE, *upper = lower + d * WIDE;
    double most = s->bound < s->reach ? s->bound : s->reach;
    unsigned near = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        sk_vec sum = {0};
        for (int64_t a = 0; a < d; a++) {
            sk_vec x = sk_all(s->point[a]);
            sk_vec gap = greater(greater(load(lower + a * WIDE + v) - x, x - load(upper + a * WIDE + v)), sk_all(0));
            sum += gap * gap;
        }
        store(square + v, sum);
        near |= at_most(sum, sk_all(most)) << v;
    }
    return near;
}

/* Of these children, those with a corner beyond the least distance. */
static unsigned far_corners(const search *s, int64_t node, unsigned near)
{
    int64_t d = s->t->d;
    const double *lower = s->t->box + node * 2 * d * WIDE, *upper = lower + d * WIDE;
    unsigned inside = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        sk_vec sum = {0};
        for (int64_t a = 0; a < d; a++) {
            sk_vec x = sk_all(s->point[a]);
            sk_vec gap = greater(x - load(lower + a * WIDE + v), load(upper + a * WIDE + v) - x);
            sum += gap * gap;
        }
        inside |= less(sum, sk_all(s->least)) << v;
    }
    return near & ~inside;
}

static inline unsigned near_children(const search *s, int64_t node, double *square)
{
    switch (s->t->d) {
    case 1:
        return near_boxes(s, node, 1, square);
    case 2:
        return near_boxes(s, node, 2, square);
    case 3:
        return near_boxes(s, node, 3, square);
    default:
        return near_boxes(s, node, s->t->d, square);
    }
}

static inline bool of_use(const search *s, double square, uint32_t least_row)
{
    return square < s->bound || (square == s->bound && least_row < s->worst_row);
}

typedef struct waiting {
    double square;
    uint32_t least_row, j;
    int level;
} waiting;

/* The children wait, farthest at the bottom; of equals, the later, whose rows are greater among duplicates. */
static int push(const search *s, waiting *stack, int top, unsigned near, const double *square)
{
    waiting parent = stack[top];
    int bottom = top;
    const uint32_t *least_row = s->t->least_row + (s->t->first[parent.level] + parent.j) * WIDE;
    for (; near; near &= near - 1) {
        int c = __builtin_ctz(near), to = top++;
        for (; to > bottom && stack[to - 1].square <= square[c]; to--)
            stack[to] = stack[to - 1];
        stack[to] = (waiting){square[c], least_row[c], WIDE * parent.j + (uint32_t)c, parent.level - 1};
    }
    return top;
}

static void visit(search *s, waiting root)
{
    const surekrig_index *t = s->t;
    waiting stack[MOST_WAITING];
    stack[0] = root;
    for (int top = 1; top > 0;) {
        waiting at = stack[--top];
        double square[WIDE];
        if (!of_use(s, at.square, at.least_row))
            continue;
        int64_t node = t->first[at.level] + at.j;
        unsigned near = near_children(s, node, square) & ((1u << sk_children(t, at.level, at.j)) - 1);
        if (s->least > 0)
            near = far_corners(s, node, near);
        if (s->by_sector)
            near &= in_sectors(s, node, square);
        if (at.level > 1) {
            top = push(s, stack, top, near, square);
            continue;
        }
        for (; near; near &= near - 1) {
            int c = __builtin_ctz(near);
            if (of_use(s, square[c], t->least_row[node * WIDE + c]))
                (s->by_sector ? look_for_sectors : look_into)(s, WIDE * (int64_t)at.j + c);
        }
    }
}

#endif
