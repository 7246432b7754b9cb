/* Neighbours by direction, a second search around the k nearest P. A sector that has its quota in P has its nearest there.
 * Those that have fewer look beyond P, each within a bound of its own, and only into boxes that reach into them; what they
 * find takes the places of the farthest of P that are beyond their sectors' quotas. The nearest others that fill what is
 * left over are in P: it has k points. Directions are compared as gaps along the axes, rounded like the squares, so that
 * no box is lost and every instruction set finds the same. Included by *.simd.c alone. */
#ifndef SK_SECTORS_H
#define SK_SECTORS_H

#include "neighbors/question.h"

enum { SECTOR_REACH = 32 }; /* times the distance of the k-th nearest: farther no sector looks */

/* Sides of a point along the axes: 2a is up, 2a + 1 is down axis a. In the plane sector i, from 45 i degrees on, is nearest
 * to one of them and leans to another. */
static const uint8_t NEAREST_SIDE[] = {0, 2, 2, 1, 1, 3, 3, 0}, LEANS_TO[] = {2, 0, 1, 2, 3, 1, 0, 3};

/* ---------------------------------------------------------------------------------------------------------- of points */

/* 45 i <= angle < 45 (i + 1) degrees; no angle: 0. */
static int64_t sector_of_plane(double x, double y)
{
    int64_t i = 0;
    if (y < 0 || (y == 0 && x < 0)) { /* half a turn back */
        x = -x;
        y = -y;
        i = 4;
    }
    if (x <= 0 && y > 0) { /* a quarter */
        double turned = -x;
        x = y;
        y = turned;
        i += 2;
    }
    return i + (y >= x && y > 0);
}

static int64_t sector_of(const search *s, uint32_t place)
{
    int64_t d = s->t->d, side = 0;
    const double *x = s->t->x + place / LEAF * d * LEAF + place % LEAF;
    double longest = 0;
    if (d == 2)
        return sector_of_plane(x[0] - s->point[0], x[LEAF] - s->point[1]);
    for (int64_t a = 0; a < d; a++) {
        double gap = x[a * LEAF] - s->point[a];
        if (fabs(gap) > longest) { /* of equals the first */
            longest = fabs(gap);
            side = 2 * a + (gap < 0);
        }
    }
    return side;
}

/* ----------------------------------------------------------------------------------------------------------- of boxes */

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

/* Of children in a sector at these squares, those that may hold one of its nearest, as bits. */
static inline unsigned near_in(const sk_sector *c, sk_vec square, const uint32_t *least_row)
{
    unsigned near = at_most(square, sk_all(c->bound)), equal = near & ~less(square, sk_all(c->bound));
    for (; equal; equal &= equal - 1)
        if (least_row[__builtin_ctz(equal)] >= c->worst_row)
            near &= ~(equal & -equal);
    return near;
}

/* Children that a sector may use: of those marked, the nearest square over all sectors is kept. */
static inline unsigned keep_nearest(unsigned in, sk_vec square, double *nearest)
{
    for (unsigned left = in; left; left &= left - 1) {
        int c = __builtin_ctz(left);
        nearest[c] = square[c] < nearest[c] ? square[c] : nearest[c];
    }
    return in;
}

/* In a sector that leans from side a to side b the gaps have gap_a > gap_b >= 0, or gap_a >= gap_b > 0 in every other one. */
static unsigned children_in_plane(const search *s, int64_t node, double *nearest)
{
    const uint32_t *least_row = s->t->least_row + node * WIDE;
    unsigned useful = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        extent axis[2] = {extent_of(s, node, 0, v), extent_of(s, node, 1, v)};
        sk_vec farther = greater(axis[0].away, axis[1].away);
        for (int i = 0; i < 8; i++) {
            if (!s->sector[i].want)
                continue;
            int a = NEAREST_SIDE[i], b = LEANS_TO[i];
            sk_vec reach = axis[a / 2].reach[a % 2], lean = axis[b / 2].reach[b % 2], away = axis[b / 2].away;
            sk_vec square = farther * farther + away * away;
            unsigned in = i % 2 ? at_most(away, reach) & less(sk_all(0), lean)
                                : less(away, reach) & at_most(sk_all(0), lean);
            in &= near_in(s->sector + i, square, least_row + v);
            useful |= keep_nearest(in, square, nearest + v) << v;
        }
    }
    return useful;
}

/* In the sector of side a of axis i: gap_a > |gap| along the axes before i, gap_a >= |gap| along those after. */
static unsigned children_in_space(const search *s, int64_t node, const double *square, double *nearest)
{
    const uint32_t *least_row = s->t->least_row + node * WIDE;
    unsigned useful = 0;
    for (int v = 0; v < WIDE; v += SK_LANES) {
        sk_vec farthest = sk_all(0), before = sk_all(-1);
        for (int64_t a = 0; a < s->t->d; a++)
            farthest = greater(farthest, extent_of(s, node, a, v).away);
        for (int64_t i = 0; i < s->sectors; i++) {
            extent axis = extent_of(s, node, i / 2, v);
            if (s->sector[i].want) {
                unsigned in = at_most(farthest, axis.reach[i % 2]) & less(before, axis.reach[i % 2]);
                in &= near_in(s->sector + i, load(square + v), least_row + v);
                useful |= keep_nearest(in, load(square + v), nearest + v) << v;
            }
            if (i % 2)
                before = greater(before, axis.away);
        }
    }
    return useful;
}

/* Of these children, those that a sector may use; square: [WIDE] then becomes the distance to what it may use. */
static unsigned in_sectors(const search *s, int64_t node, unsigned near, double *square)
{
    double nearest[WIDE];
    for (int c = 0; c < WIDE; c++)
        nearest[c] = INFINITY;
    near &= s->t->d == 2 ? children_in_plane(s, node, nearest) : children_in_space(s, node, square, nearest);
    memcpy(square, nearest, sizeof nearest);
    return near;
}

/* --------------------------------------------------------------------------------------------------------- the search */

/* A point joins the nearest of its sector, the farthest of which may have to leave. */
static void take(search *s, int64_t i, double square, uint32_t place)
{
    sk_sector *c = s->sector + i;
    double *squares = s->found.spare_square + i * s->quota;
    uint32_t *places = s->found.spare_place + i * s->quota, row = s->t->row[place];
    if (square > c->bound || (square == c->bound && row >= c->worst_row))
        return;
    int64_t j = c->have < c->want ? c->have++ : c->want - 1;
    for (; j > 0 && (squares[j - 1] > square || (squares[j - 1] == square && s->t->row[places[j - 1]] > row)); j--) {
        squares[j] = squares[j - 1];
        places[j] = places[j - 1];
    }
    squares[j] = square;
    places[j] = place;
    if (c->have == c->want) {
        c->bound = squares[c->want - 1];
        c->worst_row = s->t->row[places[c->want - 1]];
    }
}

static double widest_bound(const search *s)
{
    double widest = -1;
    for (int64_t i = 0; i < s->sectors; i++)
        if (s->sector[i].want)
            widest = fmax(widest, s->sector[i].bound);
    return widest;
}

/* Candidates from `from` on go to their sectors. */
static void share_out(search *s, int64_t from)
{
    candidates *c = &s->found;
    for (int64_t i = from; i < c->count; i++) {
        if (c->square[i] == s->least && c->row[c->place[i]] <= s->last_row) /* one of the k nearest */
            continue;
        int64_t to = sector_of(s, c->place[i]);
        if (s->sector[to].want)
            take(s, to, c->square[i], c->place[i]);
    }
    c->count = from;
    s->bound = widest_bound(s);
}

/* How many of the k nearest are in each sector, and what it wants beyond them. */
static void count_sectors(search *s)
{
    const double limit = SECTOR_REACH * SECTOR_REACH * s->bound;
    for (int64_t i = 0; i < s->sectors; i++)
        s->sector[i] = (sk_sector){.bound = limit, .worst_row = UINT32_MAX};
    for (int64_t j = 0; j < s->k; j++)
        s->sector[sector_of(s, s->found.place[j])].among++;
    for (int64_t i = 0; i < s->sectors; i++)
        if (s->sector[i].among < s->quota)
            s->sector[i].want = s->quota - s->sector[i].among;
}

/* The k nearest are known: do sectors want more? Where all k are at the point itself, the limit is there too. */
static bool open_sectors(search *s)
{
    if (!s->quota || s->found.count < s->k || s->bound == 0)
        return false;
    count_sectors(s);
    if (widest_bound(s) < 0)
        return false;
    s->least = s->bound;
    s->last_row = s->worst_row;
    s->bound = widest_bound(s);
    s->worst_row = UINT32_MAX;
    s->by_sector = true;
    return true;
}

/* The farthest of the k nearest that are beyond their sectors' quotas leave. */
static void make_room(search *s, int64_t leaving)
{
    candidates *c = &s->found;
    int64_t to = s->k;
    for (int64_t j = s->k - 1; j >= 0; j--) {
        sk_sector *in = s->sector + sector_of(s, c->place[j]);
        if (leaving > 0 && in->among > s->quota) {
            in->among--;
            leaving--;
            continue;
        }
        to--;
        c->square[to] = c->square[j];
        c->place[to] = c->place[j];
    }
    memmove(c->square, c->square + to, (size_t)(s->k - to) * sizeof *c->square);
    memmove(c->place, c->place + to, (size_t)(s->k - to) * sizeof *c->place);
    c->count = s->k - to;
}

/* What the sectors have found follows the k nearest that stay: all of it is farther. */
static void close_sectors(search *s)
{
    candidates *c = &s->found;
    int64_t found = 0;
    for (int64_t i = 0; i < s->sectors; i++)
        found += s->sector[i].have;
    make_room(s, found);
    int64_t stay = c->count;
    for (int64_t i = 0; i < s->sectors; i++) {
        memcpy(c->square + c->count, c->spare_square + i * s->quota, (size_t)s->sector[i].have * sizeof *c->square);
        memcpy(c->place + c->count, c->spare_place + i * s->quota, (size_t)s->sector[i].have * sizeof *c->place);
        c->count += s->sector[i].have;
    }
    sort_first(c, stay, c->count, c->count);
    s->by_sector = false;
}

#endif
