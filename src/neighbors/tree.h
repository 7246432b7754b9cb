/* The index: a k-d tree of wide nodes over points moved into leaf order.
 * Leaf i holds the points i*LEAF .. i*LEAF+LEAF-1 of that order, axis by axis; only the last one may have holes (NaN).
 * A node has WIDE children, whose boxes lie side by side so that one vector comparison prunes all: node j of level l
 * has the nodes 8j .. 8j+7 of level l-1, at level 1 the leaves of these numbers. Nothing else is stored of the tree. */
#ifndef SK_TREE_H
#define SK_TREE_H

#include "neighbors/neighbors.h"

enum { LEAF = 16, WIDE = 8, MOST_LEVELS = 12 };

struct surekrig_index {
    int64_t n, d;
    int levels;                     /* the root is the only node of this level */
    int64_t width[MOST_LEVELS + 1]; /* nodes of each level; of level 0, leaves */
    int64_t first[MOST_LEVELS + 1]; /* where its nodes begin among all */
    double *origin, *side;          /* [d] the frame, its sides times unit */
    double unit;         /* a power of two near the longest side, so that no square overflows or underflows */
    double *x;           /* [leaves][d][LEAF] in the frame */
    uint32_t *row;       /* [leaves][LEAF] the caller's row of each */
    double *box;         /* [nodes][2][d][WIDE] the children's lower and upper corners */
    uint32_t *least_row; /* [nodes][WIDE] the smallest row in each child: among equal distances it decides */
};

static inline void sk_to_frame(const surekrig_index *t, const double *point, double *scaled)
{
    for (int64_t a = 0; a < t->d; a++)
        scaled[a] = (point[a] - t->origin[a]) / t->side[a];
}

/* How many children node j of a level has. */
static inline int sk_children(const surekrig_index *t, int level, int64_t j)
{
    int64_t left = t->width[level - 1] - WIDE * j;
    return left < WIDE ? (int)left : WIDE;
}

/* build.c: brings x, as [n][d], and row into leaf order; homes: nodes of level 2 have their points already. */
void sk_grow(surekrig_index *t, bool homes, int threads);

#endif
