/* Places in the plane by the cells of a lattice that they lie in, with the nodes at these cells' corners: cells.c finds
 * them, blur.c those around wide gaps, nodes.c kriges from them. */
#ifndef SK_PREDICT_NODES_H
#define SK_PREDICT_NODES_H

#include "predict/inside.h"

enum { SK_CORNERS = 4, SK_BLURRED = 2 * SK_CORNERS, SK_NODES_GRAIN = 16 };

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

/* The nodes that a node takes its neighbours' scale and scatter from; the weights add up to 1. */
typedef struct sk_blur {
    int64_t node[SK_BLURRED];
    double weight[SK_BLURRED];
} sk_blur;

typedef struct sk_found {
    sk_block *block;
    bool signs; /* scale and scatter are wanted */
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
    sk_blur *blur;     /* [nodes] of those that have targets; NULL without signs */
    double *room;      /* for these: [nodes][responses and trend columns] */
    sk_kriging kriging;
} sk_found;

int sk_node_by_place(const void *a, const void *b); /* for sorting */

/* found has block, signs, count and k; the rest is owned by it, and freed by sk_found_free, whatever the status. */
surekrig_status sk_cells_find(sk_found *found, surekrig_error *error);
/* Cells whose data are denser than the lattice are left alone. */
surekrig_status sk_cells_leave_dense(sk_found *found, surekrig_error *error);
/* blur.c: finds more nodes, for gaps, behind those of cells; then blurs sign [nodes][width], which are logarithms. */
surekrig_status sk_blur_find(sk_found *found, surekrig_error *error);
void sk_blur_signs(const sk_found *found, int64_t width, double *sign);
void sk_found_free(sk_found *found);

#endif
