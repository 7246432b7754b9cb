/* Compact blocks of rows, for cross-validation. They come of halving: the points are ordered along the longest side of
 * their box and divided, as often as it takes; all pieces of a generation at once, so that ranks can do it together. How
 * many points a piece has does not depend on where they are. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
    int64_t first, blocks; /* which it becomes */
    int64_t start, n;      /* its points in the order of all */
    int64_t next;          /* its half, or itself, in the next generation */
    int64_t axis;
} piece;

/* A record of each point: its piece, its place along the axis, its number in the file; its rank, which it is there, and
 * its coordinates. */
enum { PIECE, ALONG, NUMBER, KEYS, RANK = KEYS, ROW, X };

typedef struct cutter {
    const surekrig_model *m;
    const sk_ranks *ranks;
    int64_t pieces;
    piece *piece;
    sk_records points;
} cutter;

/* Points of the first half: n half / blocks. */
static int64_t first_half(const piece *p)
{
    int64_t half = p->blocks / 2;
    return p->n / p->blocks * half + p->n % p->blocks * half / p->blocks;
}

/* The next generation; false where all pieces are blocks. */
static bool halve(cutter *c, piece *next, int64_t *count)
{
    bool any = false;
    *count = 0;
    for (int64_t i = 0; i < c->pieces; i++) {
        piece *p = &c->piece[i];
        int64_t many = first_half(p), half = p->blocks / 2;
        p->next = *count;
        if (half) {
            next[(*count)++] = (piece){.first = p->first, .blocks = half, .start = p->start, .n = many};
            next[(*count)++] = (piece){p->first + half, p->blocks - half, p->start + many, p->n - many, 0, 0};
        } else {
            next[(*count)++] = *p;
        }
        any |= half > 0;
    }
    return any;
}

/* Along which the points of each piece reach farthest, as distances are measured. */
static bool choose_axes(cutter *c)
{
    int64_t d = c->m->kriged.d, n = c->pieces * d;
    double *low = sk_doubles(n), *high = sk_doubles(n);
    bool room = low && high;
    for (int64_t i = 0; i < n && room; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
    }
    for (int64_t i = 0; i < c->points.n && room; i++) {
        const double *at = c->points.value + i * c->points.width;
        for (int64_t a = 0, to = (int64_t)at[PIECE] * d; a < d; a++, to++) {
            low[to] = fmin(low[to], at[X + a]);
            high[to] = fmax(high[to], at[X + a]);
        }
    }
    if (room) {
        sk_least(c->ranks, n, low);
        sk_most(c->ranks, n, high);
    }
    for (int64_t i = 0; i < c->pieces && room; i++) {
        double most = -1;
        for (int64_t a = 0; a < d; a++) {
            double reach = (high[i * d + a] - low[i * d + a]) / c->m->frame.side[a];
            c->piece[i].axis = reach > most ? a : c->piece[i].axis;
            most = fmax(reach, most);
        }
    }
    free(low);
    free(high);
    return room;
}

/* Points go with their halves. */
static surekrig_status cut_once(cutter *c, surekrig_error *error)
{
    if (!choose_axes(c))
        return sk_fail_memory(error, 16.0 * (double)(c->pieces * c->m->kriged.d), "the blocks");
    for (int64_t i = 0; i < c->points.n; i++) {
        double *at = c->points.value + i * c->points.width;
        at[ALONG] = at[X + c->piece[(int64_t)at[PIECE]].axis];
    }
    surekrig_status status = sk_records_sort(c->ranks, &c->points, error);
    int64_t before = status ? 0 : sk_before(c->ranks, c->points.n);
    for (int64_t i = 0; i < c->points.n && !status; i++) {
        double *of = &c->points.value[i * c->points.width + PIECE];
        const piece *p = &c->piece[(int64_t)*of];
        *of = (double)(p->next + (p->blocks > 1 && before + i >= p->start + first_half(p)));
    }
    return status;
}

static surekrig_status cut(cutter *c, int64_t blocks, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    for (bool more = true; more && !status;) {
        int64_t count;
        piece *next = sk_alloc(blocks, sizeof *next);
        if (!next)
            return sk_fail_memory(error, (double)blocks * sizeof *next, "the blocks");
        more = halve(c, next, &count);
        if (more)
            status = cut_once(c, error);
        free(c->piece);
        c->piece = next;
        c->pieces = count;
    }
    return status;
}

static surekrig_status open_cutter(cutter *c, int64_t blocks, surekrig_error *error)
{
    const surekrig_model *m = c->m;
    int64_t own = sk_own(&m->data), d = m->kriged.d;
    c->points = (sk_records){own, X + d, KEYS, sk_doubles(own * (X + d))};
    c->piece = sk_alloc(1, sizeof *c->piece);
    if (!c->points.value || !c->piece)
        return sk_fail_memory(error, 8.0 * (double)(own * (X + d)), "the blocks");
    c->piece[0] = (piece){.blocks = blocks, .n = m->data.n};
    c->pieces = 1;
    for (int64_t i = 0; i < own; i++) {
        double *at = c->points.value + i * c->points.width;
        const double head[X] = {0, 0, (double)sk_number(&m->data, i), c->ranks->rank, (double)i};
        memcpy(at, head, sizeof head);
        memcpy(at + X, m->kriged.x + i * d, (size_t)d * sizeof *at);
    }
    return SUREKRIG_OK;
}

static surekrig_status check_largest(const cutter *c, int64_t blocks, surekrig_error *error)
{
    int64_t n = c->m->data.n, largest = 0;
    for (int64_t i = 0; i < c->pieces; i++)
        largest = c->piece[i].n > largest ? c->piece[i].n : largest;
    if (n - largest >= c->m->info.neighbors)
        return SUREKRIG_OK;
    return sk_fail(error, SUREKRIG_INVALID,
                   "the largest of %lld blocks holds %lld of %lld points and leaves %lld, fewer than "
                   "the %lld neighbours that each is predicted from: ask for more blocks",
                   (long long)blocks, (long long)largest, (long long)n, (long long)(n - largest),
                   (long long)c->m->info.neighbors);
}

surekrig_status sk_rows_blocks(const surekrig_model *m, int64_t blocks, int64_t *group, surekrig_error *error)
{
    cutter c = {.m = m, .ranks = sk_ranks_of(&m->data)};
    surekrig_status status = open_cutter(&c, blocks, error);
    if (!status)
        status = cut(&c, blocks, error);
    if (!status)
        status = check_largest(&c, blocks, error);
    if (!status)
        status = sk_records_home(c.ranks, &c.points, RANK, error);
    for (int64_t i = 0; i < c.points.n && !status; i++) {
        const double *at = c.points.value + i * c.points.width;
        group[(int64_t)at[ROW]] = c.piece[(int64_t)at[PIECE]].first;
    }
    free(c.points.value);
    free(c.piece);
    return status;
}
