/* A group: as many neighbourhoods as a vector has lanes, each in a lane of its own, kriged together.
 *
 * The rows of L in K = LL' are followed by those of the right-hand sides, which leave the factorisation as the a, g and
 * e of krige.h (M4).  Rows go in panels of TILE, panels in tiles of TILE columns:
 *   tile(I,J) = (K(I,J) - sum_{p<J} L(I,p) L(J,p)') L(J,J)'^-1.
 * Each element sees its updates in the order of p, so a lane's result depends neither on its group nor on the
 * threads. */
#ifndef SK_KRIGE_GROUP_H
#define SK_KRIGE_GROUP_H

#include "kernel/lanes.h"
#include "krige/krige.h"

/* A tile's accumulators and one row and column of operands should fill the registers: 32 of them, or 16. */
#if defined __AVX512F__ || defined __aarch64__
enum { TILE = 4 };
#else
enum { TILE = 3 };
#endif
enum { L = SK_LANES, ABREAST = 8 };

typedef struct workspace {
    sk_vec *x;                 /* [d][k + 1] the neighbours and, last, the target */
    sk_vec *y;                 /* [sides but c][k] */
    sk_vec *diagonal;          /* [k] */
    sk_mask *real;             /* [k + 1] is there such a neighbour? */
    sk_vec *inverse;           /* [k rounded up to tiles] 1 / L(p,p) */
    sk_vec *more;              /* [k][TILE] covariances of a further term */
    sk_vec *panel;             /* all panels, one behind the other: [columns][TILE] each */
    sk_vec *aim;               /* [d][TILE] further targets, and */
    sk_vec *side;              /* [columns][TILE] their panel */
    sk_vec *weight;            /* for derivatives: [k + 1] w and, last, the target's -1 */
    sk_vec *zeta, *o;          /* likewise: [k + 1], [l][k + 1] */
    sk_vec (*column)[ABREAST]; /* likewise: [k] of K^-1 */
    sk_vec *along;             /* likewise: [d] s_a of a pair */
    sk_vec *square;            /* likewise: [l] F's derivatives by the squares */
    sk_vec *sum;               /* likewise: [parameters] */
    void *reference;           /* its state, of one thread */
} workspace;

typedef struct group {
    const sk_krige_points *points;
    const sk_krige_job *job;
    const sk_kernel *kernel; /* the job's, of the axes that count */
    const int64_t *axis;     /* [kernel->d] which these are of the data's */
    workspace *w;
    int64_t point[SK_LANES]; /* a group that is not full repeats its last */
    int64_t k;               /* the largest neighbourhood among them */
    int64_t sides;           /* right-hand sides */
    bool ragged;             /* some lane has fewer */
    sk_vec smallest;         /* pivot of each lane that is a number and not noise */
    sk_mask sound;           /* lanes without a smaller one */
} group;

SK_INLINE int64_t tiles(int64_t rows)
{
    return (rows + TILE - 1) / TILE;
}

/* Tile columns of panel I: up to the diagonal, and for right-hand sides all. */
SK_INLINE int64_t columns(int64_t I, int64_t k)
{
    return I < tiles(k) ? I + 1 : tiles(k);
}

/* Vectors before panel I. */
SK_INLINE int64_t panel_start(int64_t I, int64_t k)
{
    int64_t T = tiles(k), square = I < T ? I : T;
    return TILE * TILE * (square * (square + 1) / 2 + (I - square) * T);
}

/* Where row i of L begins; its next element is TILE vectors on. */
SK_INLINE const sk_vec *row_of(const group *g, int64_t i)
{
    return g->w->panel + panel_start(i / TILE, g->k) + i % TILE;
}

/* The product of two right-hand sides. */
SK_INLINE sk_vec side_dot(const group *g, int64_t a, int64_t b)
{
    const sk_vec *x = row_of(g, g->k + a), *y = row_of(g, g->k + b);
    sk_vec sum = sk_all(0);
    for (int64_t p = 0; p < g->k; p++)
        sum += x[p * TILE] * y[p * TILE];
    return sum;
}

/* The square of one in a unit of its own. */
SK_INLINE sk_vec side_square(const group *g, int64_t side, double unit)
{
    const sk_vec *from = row_of(g, g->k + side);
    sk_vec sum = sk_all(0);
    for (int64_t p = 0; p < g->k; p++) {
        sk_vec e = unit * from[p * TILE];
        sum += e * e;
    }
    return sum;
}

/* covariances.simd.c: rows of K, and below them the right-hand sides, into panel I; of the diagonal tile only the lower
 * triangle. K comes straight from the coordinates and is stored nowhere else. */
void SK_HERE(sk_fill_panel)(const group *g, int64_t I, sk_vec *panel);
void SK_HERE(sk_fill_targets)(const group *g, sk_vec *panel); /* of the places in w->aim */
/* M of a term between points i and j, whatever s is. */
sk_vec SK_HERE(sk_term_value)(const group *g, int term, sk_vec s, int64_t i, int64_t j);
/* factor.simd.c: panel I of L, given those above it; then what is asked of a and e. */
void SK_HERE(sk_factor_panel)(group *g, int64_t I, sk_vec *panel);
void SK_HERE(sk_finish_group)(const group *g);
/* targets.simd.c: the further places of a group that has been factorised. */
void SK_HERE(sk_krige_targets)(group *g);
/* usable.c: can this machine run it? */
bool SK_HERE(sk_usable)(void);
/* gradient.simd.c: the derivatives of a group that has been factorised. */
void SK_HERE(sk_differentiate_group)(const group *g);

#endif
