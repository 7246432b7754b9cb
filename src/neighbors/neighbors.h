/* Exact nearest neighbours by a k-d tree: all, beyond a distance, without a row or a group; ties broken by row. */
#ifndef SK_NEIGHBORS_H
#define SK_NEIGHBORS_H

#include "base/base.h"
#include "data/data.h"

/* As surekrig_index_new, with distances measured in the frame. frame NULL: as they are. */
surekrig_status sk_index_new(int64_t n, int64_t d, const double *x, const sk_frame *frame, surekrig_index **index,
                             surekrig_error *error);

int64_t sk_index_size(const surekrig_index *index, int64_t *d);

/* One point's question. Sectors will be one more line here, and one more test in tree.c's offer(). */
typedef struct sk_near {
    const double *point;   /* [d] in the user's units */
    int64_t k;
    int64_t without_row;   /* -1: none */
    const int64_t *group;  /* [rows] or NULL */
    int64_t without_group; /* where group is given */
    double min_distance;   /* in the frame */
} sk_near;

typedef struct sk_candidate {
    double square; /* of the distance */
    int64_t row;
} sk_candidate;

/* How many were found, at most k, nearest first. heap: [k] scratch and result; scaled: [d] scratch. */
int64_t sk_nearest(const surekrig_index *index, const sk_near *near, sk_candidate *heap, double *scaled);

#endif
