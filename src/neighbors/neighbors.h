/* Nearest neighbours by a k-d tree, exact unless a slack is asked: all, beyond a distance, without a row or a group; ties
 * broken by row. */
#ifndef SK_NEIGHBORS_H
#define SK_NEIGHBORS_H

#include "base/base.h"
#include "base/simd.h"
#include "data/data.h"

typedef struct sk_points {
    int64_t n, d;
    const double *x;       /* [n][d] */
    const sk_frame *frame; /* where distances are measured, or NULL: as they are */
    int threads;           /* 0: as many as the machine has */
    const uint32_t *row;   /* [n] or NULL: 0, 1, ... With it, the first 1024 points are a node of level 2, and so on */
} sk_points;

/* As surekrig_index_new. Up to 2^32 - 2 points. */
surekrig_status sk_index_new(const sk_points *points, surekrig_index **index, surekrig_error *error);

int64_t sk_index_size(const surekrig_index *index, int64_t *d);
int64_t sk_index_bytes(const surekrig_index *index); /* of memory */

/* order: [n] the numbers of the points x: [n][d], so that points near one another follow one another. */
surekrig_status sk_index_order(const surekrig_index *index, int64_t n, const double *x, int threads, int64_t *order,
                               surekrig_error *error);

/* A part of an approximate search, where others do the rest. */
typedef struct sk_part_asked {
    const uint32_t *home; /* [n] only this node of level 2, */
    const double *bound;  /* [n] or what is within this square, by the slack, in the frame */
} sk_part_asked;
surekrig_status sk_neighbors_part(const surekrig_index *index, const surekrig_neighbor_query *query,
                                  const sk_part_asked *part, int64_t *neighbor, surekrig_error *error);

/* As surekrig_neighbors, by a given instruction set; all give the same neighbours. */
surekrig_status sk_neighbors(const surekrig_index *index, const surekrig_neighbor_query *query, sk_isa isa,
                             int64_t *neighbor, int64_t *count, surekrig_error *error);

enum { SK_SECTOR_REACH = 32 }; /* times the distance of the k-th nearest: farther no sector looks */
/* Equal angles in the plane; elsewhere the axis of the largest gap and the gap's sign. */
static inline int64_t sk_sectors(int64_t d)
{
    return d == 2 ? 8 : 2 * d;
}

#endif
