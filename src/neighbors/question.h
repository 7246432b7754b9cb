/* A question on its way: what is asked, what has been found, and how near a further point must be. Included by *.simd.c
 * alone. */
#ifndef SK_QUESTION_H
#define SK_QUESTION_H

#include "neighbors/candidates.h"
#include "neighbors/search.h"

typedef struct search {
    const surekrig_index *t;
    const surekrig_neighbor_query *query;
    int64_t k, asked; /* the nearest that are looked for, and how many are asked for: fewer where sectors are */
    int64_t own_group;
    uint32_t without;   /* a row, or UINT32_MAX */
    double least;       /* square of an allowed distance */
    double reach;       /* squares of distances to boxes above it are passed over; INFINITY: exact */
    double bound;       /* squares above it are of no use */
    uint32_t worst_row; /* nor is a square equal to it with a greater row */
    int64_t leaves;     /* looked into */
    uint32_t nearest;   /* the place of the nearest to the point before, 0 at first */
    double *point;      /* [d] in the frame */
    candidates found;
    int64_t sectors, quota; /* quota 0: directions do not matter */
    sk_sector *sector;      /* [sectors] */
    int64_t *in_sector;     /* [k and a vector] where each of the nearest is */
    double *gathered;       /* [d][SK_LANES] */
    bool by_sector;         /* the nearest are found, and what sectors want beyond them is looked for */
    uint32_t last_row;      /* then least is the square of the k-th and this is its row */
} search;

/* The k best remain. */
static void tighten(search *s)
{
    candidates *c = &s->found;
    sort_first(c, 0, c->count, s->k);
    if (c->count < s->k)
        return;
    c->count = s->k;
    s->bound = c->square[s->k - 1];
    s->worst_row = c->row[c->place[s->k - 1]];
}

#endif
