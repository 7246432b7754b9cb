/* What the files of 'surekrig variogram' share. */
#ifndef CLI_VARIOGRAM_H
#define CLI_VARIOGRAM_H

#include "cli.h"

typedef struct variogram {
    int64_t n, d, l;
    const double *x, *y; /* [n][d], [n][l] */
    const char *const *x_names, *const *y_names;
    cli_training table;    /* of a table, or */
    surekrig_model *model; /* of a model; NULL: none */
    double *place, *rest;  /* [n][coordinates], [n][l] less the trend */
    int64_t coordinates;
    double length;    /* of a length scale, in these coordinates */
    const char *unit; /* of distances, in words */
    bool robust;
    int classes;
    double cutoff;
    double *distance, *pairs; /* [classes]: mean, and how many */
    double *semivariance;     /* [l][classes] */
    double *fitted;           /* [l][classes], or NULL */
} variogram;

/* ---- places.c: places and values */

surekrig_status variogram_of_table(const cli_call *call, variogram *v, surekrig_error *error);
surekrig_status variogram_of_model(const cli_call *call, variogram *v, surekrig_error *error);

/* ---- pairs.c: distances and semivariances, by class; v->classes of them are left */

surekrig_status variogram_compute(const cli_call *call, variogram *v, surekrig_error *error);

#endif
