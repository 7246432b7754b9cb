/* Neighbours by direction, a second search around the k nearest P. A sector that has its quota in P has its nearest there.
 * Those that have fewer look beyond P: at the next k/2, which are found along with P, then each within a bound of its
 * own, and only into boxes that reach into them; what they find takes the places of the farthest of P that are beyond their
 * sectors' quotas. The nearest others that fill what is left over are in P: it has k points. Directions are compared as gaps along the axes, rounded like the squares, so that
 * no box is lost and every instruction set finds the same. Included by *.simd.c alone. */
#ifndef SK_SECTORS_H
#define SK_SECTORS_H

#include "neighbors/question.h"

enum { SECTOR_REACH = 32 }; /* times the distance of the k-th nearest: farther no sector looks */

/* Sides of a point along the axes: 2a is up, 2a + 1 is down axis a. In the plane sector i, from 45 i degrees on, is nearest
 * to one of them and leans to another. */
static const uint8_t NEAREST_SIDE[] = {0, 2, 2, 1, 1, 3, 3, 0}, LEANS_TO[] = {2, 0, 1, 2, 3, 1, 0, 3};

/* ---------------------------------------------------------------------------------------------------------- of points */

/* 45 i <= angle < 45 (i + 1) degrees; no angle: 0. Of the half turns from 0, 45, 90 and 135 degrees on, an angle below 180 is
 * in the first and i of the others, one from 180 on in 7 - i of the others. */
static inline sk_mask sectors_of_plane(sk_vec x, sk_vec y)
{
    const sk_vec zero = {0};
    sk_mask up = y > zero, down = y < zero, right = x > zero, left = x < zero;
    sk_mask from_0 = up | (right & ~down), from_45 = (y > x) | ((y == x) & up), from_90 = left | (up & ~right);
    sk_mask from_135 = (-y > x) | ((-y == x) & up), others = -(from_45 + from_90 + from_135);
    return (from_0 & others) | (~from_0 & (up | down | left | right) & (7 - others));
}

/* Twice the axis of the longest gap, the first of equals, and one more where it is negative. x: [d][stride], a vector of each
 * row. */
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

/* The sectors of the nearest; one vector more may be written. */
static void find_sectors(search *s)
{
    int64_t d = s->t->d, count = s->found.count;
    for (int64_t j = 0; j < count; j += SK_LANES) {
        for (int64_t l = 0; l < SK_LANES; l++) {
            int64_t place = s->found.place[j + l < count ? j + l : j];
            const double *x = s->t->x + place / LEAF * d * LEAF + place % LEAF;
            for (int64_t a = 0; a < d; a++)
                s->gathered[a * SK_LANES + l] = x[a * LEAF];
        }
        sk_mask sector = sectors_of(s, s->gathered, SK_LANES);
        memcpy(s->in_sector + j, &sector, sizeof sector);
    }
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

/* In a sector nearest to side a that leans to side b the gaps have gap_a > gap_b >= 0, or gap_a >= gap_b > 0 in every other
 * one. */
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

/* Of a node's children, those that a sector may use, as bits; square: [WIDE] becomes the distance to what it may use. */
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

/* --------------------------------------------------------------------------------------------------------- the search */

/* A point within its sector's bound joins the nearest there, the farthest of which may have to leave. */
static void take(search *s, int64_t i, double square, uint32_t place)
{
    sk_sector *c = s->sector + i;
    double *squares = s->found.spare_square + i * s->quota;
    uint32_t *places = s->found.spare_place + i * s->quota;
    bool among = square == s->least && s->t->row[place] <= s->last_row; /* the k nearest */
    if (among || (square == c->bound && s->t->row[place] >= c->worst_row))
        return;
    int64_t j = c->have < c->want ? c->have++ : c->want - 1;
    for (; j > 0 && (squares[j - 1] > square || (squares[j - 1] == square && s->t->row[places[j - 1]] > s->t->row[place])); j--) {
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
        widest = s->sector[i].bound > widest ? s->sector[i].bound : widest;
    return widest;
}

/* Where a leaf's points are, and the bounds that are theirs. */
typedef struct shares {
    int64_t sector[LEAF];
    double bound[LEAF];
} shares;

static void find_shares(const search *s, int64_t leaf, shares *of)
{
    for (int v = 0; v < LEAF; v += SK_LANES) {
        sk_mask some = sectors_of(s, s->t->x + leaf * s->t->d * LEAF + v, LEAF);
        memcpy(of->sector + v, &some, sizeof some);
    }
    for (int i = 0; i < LEAF; i++)
        of->bound[i] = s->sector[of->sector[i]].bound;
}

/* Candidates from `from` on go to their sectors, whose bounds may have become less. */
static void share_out(search *s, int64_t from, const shares *of)
{
    candidates *c = &s->found;
    for (int64_t i = from; i < c->count; i++) {
        int64_t sector = of->sector[c->place[i] % LEAF];
        if (c->square[i] <= s->sector[sector].bound)
            take(s, sector, c->square[i], c->place[i]);
    }
    c->count = from;
    s->bound = widest_bound(s);
}

/* Those behind the k-th are in order: what a sector wants of them is the first there. */
static void take_known(search *s, double limit)
{
    candidates *c = &s->found;
    for (int64_t j = s->asked; j < c->count && c->square[j] <= limit; j++) {
        sk_sector *in = s->sector + s->in_sector[j];
        if (in->have >= in->want)
            continue;
        int64_t to = s->in_sector[j] * s->quota + in->have++;
        c->spare_square[to] = c->square[j];
        c->spare_place[to] = c->place[j];
    }
}

/* How many of the k nearest are in each sector, what it wants beyond them, and what of that is known: does any want some?
 * Where all k are at the point itself, the limit is there too. */
static bool count_sectors(search *s)
{
    if (!s->quota || s->found.count < s->asked || s->found.square[s->asked - 1] == 0)
        return false;
    const double limit = SECTOR_REACH * SECTOR_REACH * s->found.square[s->asked - 1];
    bool any = false;
    for (int64_t i = 0; i < s->sectors; i++)
        s->sector[i] = (sk_sector){.bound = -1, .worst_row = UINT32_MAX};
    find_sectors(s);
    for (int64_t j = 0; j < s->asked; j++)
        s->sector[s->in_sector[j]].among++;
    for (int64_t i = 0; i < s->sectors; i++)
        if (s->sector[i].among < s->quota) {
            s->sector[i].want = s->quota - s->sector[i].among;
            any = true;
        }
    take_known(s, limit);
    for (int64_t i = 0; i < s->sectors; i++)
        if (s->sector[i].have < s->sector[i].want)
            s->sector[i].bound = limit;
    return any;
}

/* Is there more to look for? Not where the nearest are all there are. */
static bool open_sectors(search *s)
{
    double widest = widest_bound(s);
    if (s->found.count < s->k || widest < s->bound)
        return false;
    s->least = s->bound;
    s->last_row = s->worst_row;
    s->bound = widest;
    s->worst_row = UINT32_MAX;
    s->by_sector = true;
    return true;
}

/* The farthest of the k nearest that are beyond their sectors' quotas leave. */
static void make_room(search *s, int64_t leaving)
{
    candidates *c = &s->found;
    int64_t to = s->asked;
    for (int64_t j = s->asked - 1; j >= 0; j--) {
        sk_sector *in = s->sector + s->in_sector[j];
        if (leaving > 0 && in->among > s->quota) {
            in->among--;
            leaving--;
            continue;
        }
        to--;
        c->square[to] = c->square[j];
        c->place[to] = c->place[j];
    }
    memmove(c->square, c->square + to, (size_t)(s->asked - to) * sizeof *c->square);
    memmove(c->place, c->place + to, (size_t)(s->asked - to) * sizeof *c->place);
    c->count = s->asked - to;
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
