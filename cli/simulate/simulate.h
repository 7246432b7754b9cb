/* What the files of 'surekrig simulate' share. */
#ifndef CLI_SIMULATE_H
#define CLI_SIMULATE_H

#include "cli.h"

/* ---- given.c */
surekrig_status simulate_given(const cli_call *call, surekrig_error *error);

/* times.c: y: [times][points of the grid] */
typedef struct simulate_clock {
    int64_t times;
    double rho; /* length scale, in steps */
} simulate_clock;
surekrig_status simulate_times(const surekrig_sample *sample, const surekrig_theta *theta, simulate_clock clock,
                               double *y, surekrig_error *error);

#endif
