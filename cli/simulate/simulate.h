/* What the files of 'surekrig simulate' share. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "cli.h"

/* ---- options.c */
enum { SIMULATE_AXES = 3 }; /* of a grid */

typedef struct simulate_clock {
    int64_t times;
    double rho;   /* length scale, in steps */
    bool forgets; /* as an autoregression does: a time needs the one before it alone */
} simulate_clock;

typedef struct simulate_job {
    surekrig_sample sample;
    double rho[SIMULATE_AXES], nu, tau2, gamma2;
    int rhos;             /* given: one, or one for each of two or three axes */
    simulate_clock clock; /* of a grid; times 0: none */
    double time_nu, mix;  /* of the covariance in time */
    int time;             /* which of their coordinates it is, or -1 */
    io_dates dates;       /* as which it is written */
    int64_t n;            /* points, at all times */
    double *x, *y;        /* [n][d], [n] */
    char **name;          /* [d] of the points' file */
    int names;
} simulate_job;

/* The grid and its corners, or a file of points. */
surekrig_status simulate_read_places(const cli_call *call, simulate_job *job, surekrig_error *error);
surekrig_status simulate_read_theta(const cli_call *call, simulate_job *job, surekrig_error *error);
surekrig_status simulate_read_time(const cli_call *call, simulate_job *job, surekrig_error *error);

/* ---- given.c */
surekrig_status simulate_given(const cli_call *call, surekrig_error *error);

/* ---- times.c: y: [times][points of the grid] */
surekrig_status simulate_times(const surekrig_sample *sample, const surekrig_theta *theta, simulate_clock clock,
                               double *y, surekrig_error *error);

#endif
