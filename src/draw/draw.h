/* Conditional simulation: joint draws at new places, given a model and its data. */
#ifndef SK_DRAW_H
#define SK_DRAW_H

#include "predict/predict.h"

/* ---- sequence.c: new places one after another in random order, and whom each is drawn from */

typedef struct sk_places {
    int64_t n;       /* points */
    const double *x; /* [n][coordinates] */
    uint64_t seed;
    int threads;
    sk_ticker *ticker;
} sk_places;

typedef struct sk_sequence {
    int64_t points, n; /* n: different places among the points, without those that are known */
    int64_t k;         /* neighbours: the model's number of data, and half as many places */
    int64_t *place;    /* [points] where in the sequence each is; -1: at a datum without noise */
    int64_t *point;    /* [n] one point there */
    double *x;         /* [n][coordinates] */
    int64_t *neighbor; /* [n][k] data and places before: a row, or the data's rows + a place */
    int64_t *count;    /* [n] how many of the k there are */
    int64_t levels;    /* a place's neighbours among the places are on lower levels than its own, */
    int64_t *first;    /* [levels + 1] where each level begins in */
    int64_t *turn;     /* [n], the places level by level */
} sk_sequence;

surekrig_status sk_sequence_new(const surekrig_model *model, const sk_places *places, sk_sequence *sequence,
                                surekrig_error *error);
void sk_sequence_free(sk_sequence *sequence);

#endif
