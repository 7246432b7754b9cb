/* Neighbours by direction, a second search around the k nearest P. A sector that has its quota in P has its nearest
 * there. Those that have fewer look beyond P: at the next k/2, which are found along with P, then each within a bound
 * of its own, and only into boxes that reach into them; what they find takes the places of the farthest of P that are
 * beyond their sectors' quotas. The nearest others that fill what is left over are in P: it has k points. Included by
 * *.simd.c alone. */
#ifndef SK_SECTORS_H
#define SK_SECTORS_H

#include "neighbors/directions.h"

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
    for (; j > 0; j--) {
        if (squares[j - 1] < square || (squares[j - 1] == square && s->t->row[places[j - 1]] < s->t->row[place]))
            break;
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

/* How many of the k nearest are in each sector, what it wants beyond them, and what of that is known: does any want
 * some? Where all k are at the point itself, the limit is there too. */
static bool count_sectors(search *s)
{
    if (!s->quota || s->found.count < s->asked || s->found.square[s->asked - 1] == 0)
        return false;
    const double limit = SK_SECTOR_REACH * SK_SECTOR_REACH * s->found.square[s->asked - 1];
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
