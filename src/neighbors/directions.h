/* The sectors of points, and of boxes those that they reach into. Directions are compared as gaps along the axes,
 * rounded like the squares, so that no box is lost and every instruction set finds the same. Included by *.simd.c
 * alone. */
#ifndef SK_DIRECTIONS_H
#define SK_DIRECTIONS_H

#include "neighbors/question.h"

/* Sides of a point along the axes: 2a is up, 2a + 1 is down axis a. In the plane sector i, from 45 i degrees on, is
 * nearest to one of them and leans to another. */
static const uint8_t NEAREST_SIDE[] = {0, 2, 2, 1, 1, 3, 3, 0}, LEANS_TO[] = {2, 0, 1, 2, 3, 1, 0, 3};

/* ----------------------------------------------------------------------------------------------------- of points */

/* 45 i <= angle < 45 (i + 1) degrees; no angle: 0. Of the half turns from 0, 45, 90 and 135 degrees on, an angle below
 * 180 is in the first and i of the others, one from 180 on in 7 - i of the others. */
static inline sk_mask sectors_of_plane(sk_vec x, sk_vec y)
{
    const sk_vec zero = {0};
    sk_mask up = y > zero, down = y<zero, right = x> zero, left = x < zero;
    sk_mask from_0 = up | (right & ~down), from_45 = (y > x) | ((y == x) & up), from_90 = left | (up & ~right);
    sk_mask from_135 = (-y > x) | ((-y == x) & up), others = -(from_45 + from_90 + from_135);
    return (from_0 & others) | (~from_0 & (up | down | left | right) & (7 - others));
}

/* Twice the axis of the longest gap, the first of equals, and one more where it is negative. x: [d][stride], a vector
 * of each row. */
static inline sk_mask sectors_of_space(const search *s, const double *x, int64_t stride)
{
    sk_vec longest = {0};
    sk_mask sector = {0};
    for (int64_t a = 0; a < s->t->d; a++) {
        sk_vec gap = load(x + a * stride) - s->point[a], length = greater(gap, -gap);
        sk_mask longer = length > longest;
        sector = (sector & ~longer) | (longer & (2 * a - (gap < sk_all(0))));
        longest = greater(longest, length);
    }
    return sector;
}

static inline sk_mask sectors_of(const search *s, const double *x, int64_t stride)
{
    return s->t->d == 2 ? sectors_of_plane(load(x) - s->point[0], load(x + stride) - s->point[1])
                        : sectors_of_space(s, x, stride);
}

/* ------------------------------------------------------------------------------------------------------ of boxes */

/* Of some children of a node, along an axis: how far they reach up and down, and how far away they are. */
typedef struct extent {
    sk_vec reach[2], away;
} extent;

static inline extent extent_of(const search *s, int64_t node, int64_t a, int v)
{
    int64_t d = s->t->d;
    const double *lower = s->t->box + (node * 2 * d + a) * WIDE + v, *upper = lower + d * WIDE;
    sk_vec up = load(upper) - s->point[a], down = s->point[a] - load(lower);
    return (extent){{up, down}, greater(greater(-up, -down), sk_all(0))};
}

/* Children of a node: which of them a sector may use, and the square of the nearest that one may. */
typedef struct usable {
    sk_mask any;
    sk_vec square, least_row;
} usable;

/* Children that reach into a sector may hold one of its nearest at this square. */
static inline void use(usable *u, const sk_sector *c, sk_mask reaching, sk_vec square)
{
    sk_mask near = square < sk_all(c->bound);
    near |= (square == sk_all(c->bound)) & (u->least_row < sk_all(c->worst_row));
    u->any |= reaching & near;
    u->square = sk_select(reaching & near & (square < u->square), square, u->square);
}

/* In a sector nearest to side a that leans to side b the gaps have gap_a > gap_b >= 0, or gap_a >= gap_b > 0 in every
 * other one. */
static inline void use_in_plane(usable *u, const search *s, int64_t node, int v)
{
    const extent axis[2] = {extent_of(s, node, 0, v), extent_of(s, node, 1, v)};
    const sk_vec zero = {0}, farther = greater(axis[0].away, axis[1].away);
    for (int i = 0; i < 8; i++) {
        if (s->sector[i].bound < 0)
            continue;
        int a = NEAREST_SIDE[i], b = LEANS_TO[i];
        sk_vec reach = axis[a / 2].reach[a % 2], lean = axis[b / 2].reach[b % 2], away = axis[b / 2].away;
        sk_mask reaching = i % 2 ? (away <= reach) & (zero < lean) : (away < reach) & (zero <= lean);
        use(u, s->sector + i, reaching, farther * farther + away * away);
    }
}

/* In the sector of a side of axis i: gap_i > |gap| along the axes before it, gap_i >= |gap| along those after. */
static inline void use_in_space(usable *u, const search *s, int64_t node, int v, sk_vec square)
{
    sk_vec farthest = {0}, before = sk_all(-1);
    for (int64_t a = 0; a < s->t->d; a++)
        farthest = greater(farthest, extent_of(s, node, a, v).away);
    for (int64_t a = 0; a < s->t->d; a++) {
        const extent axis = extent_of(s, node, a, v);
        for (int64_t i = 0; i < 2; i++)
            if (s->sector[2 * a + i].bound >= 0)
                use(u, s->sector + 2 * a + i, (farthest <= axis.reach[i]) & (before < axis.reach[i]), square);
        before = greater(before, axis.away);
    }
}

/* Of a node's children, those that a sector may use, as bits; square: [WIDE] becomes the distance to what it may
 * use. */
static unsigned in_sectors(const search *s, int64_t node, double *square)
{
    unsigned useful = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        double least_row[SK_LANES];
        for (int l = 0; l < SK_LANES; l++)
            least_row[l] = s->t->least_row[node * WIDE + v + l];
        usable u = {{0}, sk_all(INFINITY), load(least_row)};
        if (s->t->d == 2)
            use_in_plane(&u, s, node, v);
        else
            use_in_space(&u, s, node, v, load(square + v));
        store(square + v, u.square);
        useful |= bits(u.any) << v;
    }
    return useful;
}

#endif
