/* What the two files share that try the ways of filling a step. */
#ifndef CLI_FILL_TRIAL_H
#define CLI_FILL_TRIAL_H

#include "steps.h"

enum { TRIAL_STEPS = 2 * FILL_REACH + 1 };

/* A piece of a step and of those around it. */
typedef struct trial {
    fill *f;
    int band, first, last; /* of the raster */
    io_window at;
    int64_t pixels;
    double *raw[TRIAL_STEPS], *seen[TRIAL_STEPS]; /* numbers as stored; without those held out */
    double *layers;                               /* [1 + covariates][pixels]: of one step at a time */
    double *mean, *sd;                            /* [pixels] of the last step kriged; valid ones as they are */
    surekrig_model **learned;                     /* [FILL_WAYS] of the first step kriged so; NULL: none yet */
} trial;

typedef struct trial_scores {
    int samples;
    int64_t n, most; /* of samples before, and with this one */
    double *y;       /* [n] held out */
    int *block;      /* [n] */
    double *mean[FILL_WAYS], *sd[FILL_WAYS];
    bool out[FILL_WAYS]; /* that cannot be gone */
    surekrig_model *learned[FILL_WAYS];
} trial_scores;

/* ---- trial_krige.c */
surekrig_status trial_krige(trial *t, fill_way way, surekrig_error *error);

#endif
