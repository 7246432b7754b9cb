/* Places in the plane by the cells of a lattice that they lie in, with the nodes at these cells' corners: cells.c finds
 * them, nodes.c kriges from them. */
#ifndef SK_PREDICT_NODES_H
#define SK_PREDICT_NODES_H

#include "predict/inside.h"

enum { SK_CORNERS = 4, SK_NODES_GRAIN = 16 };

typedef struct sk_node {
    double at[2]; /* in units of the pitch */
    int64_t cell; /* one of which it is a corner, and */
    int corner;   /* which one */
} sk_node;

/* Places that follow one another in one cell. */
typedef struct sk_cell {
    int64_t begin, end, node[SK_CORNERS];
    bool inside; /* the lattice */
    bool alone;  /* its places are */
} sk_cell;

typedef struct sk_found {
    sk_block *block;
    int64_t count, cells, nodes, k;
    double *u;         /* [count][2] places in units of the pitch */
    sk_cell *cell;     /* [cells] */
    sk_node *node;     /* [4 cells], then [nodes] */
    double *place;     /* [nodes][2] */
    int64_t *neighbor; /* [nodes][k] */
    int64_t *first;    /* [nodes + 1] targets of each node */
    int64_t *next;     /* [nodes] which of these comes next */
    int64_t *position; /* [count][4] a place's target at each corner */
    double *target;    /* [4 count][2] */
    sk_kriging kriging;
} sk_found;

/* found has block, count and k; the rest is owned by it, and freed by sk_found_free, whatever the status. */
surekrig_status sk_cells_find(sk_found *found, surekrig_error *error);
/* Cells whose data are denser than the lattice are left alone. scratch: [nodes]. */
void sk_cells_leave_dense(sk_found *found, double *scratch);
void sk_found_free(sk_found *found);

#endif
