/* Points kriged under a model, in the user's units: prediction, cross-validation, and what held-out points and draws
 * share with them. */
#ifndef SK_PREDICT_H
#define SK_PREDICT_H

#include "model/model.h"

/* ---- machine.c: what kriges under a model, for everyone who does */

/* What kriging says of n points. */
typedef struct sk_kriging {
    double *mean;           /* [n][responses and trend columns] without the center; the trend is in the responses' */
    double *variance_share; /* [n] of the field */
    double *jitter;       /* [n] on the diagonals, as a share of gamma2; the larger of both where there is a partner */
    double *scale_std;    /* [n][responses and trend columns] the neighbours' own gamma2, or NULL: not wanted */
    double *scatter_std;  /* [n][l] of the neighbours, likewise */
    sk_krige_block block; /* likewise, or of NULLs */
    struct sk_kriging *partner; /* of the model's partner, or NULL */
} sk_kriging;

enum { SK_WANT_SCALE = 1, SK_WANT_BLOCK = 2 };

surekrig_status sk_kriging_new(const surekrig_model *model, int64_t n, int wants, sk_kriging *kriging,
                               surekrig_error *error);
void sk_kriging_free(sk_kriging *kriging);

typedef struct sk_machine {
    const surekrig_model *m;
    const sk_hyper *hyper; /* under which it kriges: sk_machine_set */
    const sk_backend *back;
    void *state;
    sk_kernel *kernel;
    double *trend; /* [trend columns] of one point */
    int threads;
    const double *distance; /* [2] smallest and largest inside neighbourhoods, or NULL: anything */
    sk_ticker *ticker;      /* may be NULL */
    bool aside;             /* rows come while it kriges others: what follows from those is made by who fetches them */
    struct sk_machine *partner; /* likewise of the model's partner, or NULL */
} sk_machine;

/* exactly: by the back end that the settings name, or not at all; else by the fastest where that is another machine's.
 * To be closed also after a failure. */
surekrig_status sk_machine_open(const surekrig_model *model, bool exactly, int threads, sk_machine *machine,
                                surekrig_error *error);
void sk_machine_close(sk_machine *machine);
/* The hyperparameters to krige under: borrowed. A partner has its own. */
surekrig_status sk_machine_set(sk_machine *machine, const sk_hyper *hyper, surekrig_error *error);
/* Points to be kriged: where they are in coordinates, with their neighbours, and by their features, for the trend. */
typedef struct sk_asked {
    surekrig_neighborhoods at;
    const double *x;    /* [n][features]; NULL: they are the data's own */
    const int64_t *row; /* [n] which, then */
    /* Or targets instead, several a neighbourhood (krige.h): means without trend and variances are then theirs. */
    const int64_t *first;
    const double *target;
} sk_asked;

typedef struct sk_wanted {
    bool mean, sd;
} sk_wanted;

surekrig_status sk_machine_krige(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *kriging,
                                 surekrig_error *error);
/* Adds the trend to what is kriged of asked.at.n points. */
void sk_machine_trend(sk_machine *machine, const sk_asked *asked, sk_wanted wanted, sk_kriging *kriging);
/* The gradient of a function of what the batch's kriging gave (krige.h); its kernel is set here. */
surekrig_status sk_machine_slopes(sk_machine *machine, const surekrig_neighborhoods *batch, sk_krige_slopes wanted,
                                  surekrig_error *error);
sk_krige_theta sk_machine_theta(const sk_machine *machine);
const sk_backend *sk_machine_backend(const surekrig_model *model); /* as the settings say, or the fastest */

/* ---- scatter.c: [n][l] how far the neighbours' responses lie apart */

surekrig_status sk_scatter_std(const surekrig_model *model, const surekrig_neighborhoods *at, int threads,
                               double *scatter, surekrig_error *error);

/* ---- block.c: points that anybody names by their features, in the user's units */

typedef struct sk_block {
    const surekrig_model *m;
    sk_machine machine;
    double *x;         /* [capacity][features], for the caller to fill */
    double *place;     /* [capacity][coordinates]; x itself where that is the same */
    int64_t *neighbor; /* [capacity][k] */
    sk_kriging kriging;
    int64_t capacity;
    bool lent;              /* the machine is another block's */
    struct sk_found *nodes; /* found, of its places (nodes.c); or NULL */
    struct sk_rest *rest;   /* places that these leave alone; or NULL */
} sk_block;

surekrig_status sk_block_open(const surekrig_model *model, int64_t capacity, int threads, sk_block *block,
                              surekrig_error *error); /* to be closed also after a failure */
void sk_block_close(sk_block *block);
/* The neighbours of the first query.n points of x; of the query, n, row, group and own_group count. */
surekrig_status sk_block_neighbors(sk_block *block, surekrig_neighbor_query query, surekrig_error *error);
surekrig_status sk_block_krige(sk_block *block, int64_t count, sk_wanted wanted, sk_ticker *ticker,
                               surekrig_error *error);
/* The two of them, or by nodes (nodes.c) where the model has such: what a prediction is. First what it needs of the
 * data is found, then it is kriged. */
surekrig_status sk_block_find(sk_block *block, int64_t count, sk_wanted wanted, surekrig_error *error);
surekrig_status sk_block_krige_found(sk_block *block, int64_t count, sk_wanted wanted, sk_ticker *ticker,
                                     surekrig_error *error);
surekrig_status sk_block_predict(sk_block *block, int64_t count, sk_wanted wanted, sk_ticker *ticker,
                                 surekrig_error *error);
/* Of response q at a point of the block. field: without the nugget; noise: a variance added. */
double sk_block_mean(const sk_block *block, int64_t at, int64_t q);
double sk_block_sd(const sk_block *block, int64_t at, int64_t q, bool field, double noise);
/* The gamma2 that the variance there comes of: with local widths or a partner that of an observation over its share, so
 * that the field has the same part of it as kriging says. */
double sk_block_gamma2_std(const sk_block *block, int64_t at, int64_t q);

/* ---- lattice.c */

/* Where places in the plane share neighbourhoods, so that maps have no steps: a lattice, or none. */
surekrig_status sk_nodes_train(surekrig_model *model, surekrig_error *error);

/* ---- interval.c */

typedef struct sk_intervals {
    int levels;
    const double *level; /* [levels] as the caller gave them */
    double *half;        /* [l][levels] of the width, in sd; NULL: not wanted */
} sk_intervals;

/* Of response q. */
typedef struct sk_prediction {
    int64_t q;
    double mean, sd;
} sk_prediction;

/* levels and level are given, and checked even if no interval is wanted. To be closed also after a failure. */
surekrig_status sk_intervals_open(const surekrig_model *model, bool wanted, sk_intervals *intervals,
                                  surekrig_error *error);
/* Into lower and upper [..][levels], either of which may be NULL, at place `at`. */
void sk_intervals_write(const sk_intervals *intervals, sk_prediction of, int64_t at, double *lower, double *upper);
void sk_intervals_close(sk_intervals *intervals);

#endif
