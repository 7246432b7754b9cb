/* A grid's field from time to time: an autoregression of order one,
 *   z_0 = e_0,   z_t = a z_(t-1) + sqrt(1 - a^2) e_t,   a = exp(-1/rho),
 * of draws e_t in space: exactly the field whose covariance is theta's in space times exp(-|t - t'|/rho). */
#include "simulate.h"

#include <math.h>
#include <stdlib.h>

/* The nugget, which has no memory: a field of so short a range that no two points share anything. */
static surekrig_status add_nugget(surekrig_sample sample, const surekrig_theta *theta, int64_t n, double *y,
                                  surekrig_error *error)
{
    double rho[3] = {1e-290, 1e-290, 1e-290}, *noise = malloc((size_t)n * sizeof *noise);
    surekrig_term term = {1, 0.5, rho};
    surekrig_theta white = {1, &term, 0, theta->gamma2 * theta->tau2};
    sample.seed += 0x5851f42d4c957f2d; /* far from those of the field */
    surekrig_status status = noise ? surekrig_simulate(&sample, &white, noise, error) : cli_no_memory(error);
    for (int64_t i = 0; i < n && !status; i++)
        y[i] += noise[i];
    free(noise);
    return status;
}

surekrig_status simulate_times(const surekrig_sample *sample, const surekrig_theta *theta, simulate_clock clock,
                               double *y, surekrig_error *error)
{
    int64_t n = 1;
    for (int64_t axis = 0; axis < sample->d; axis++)
        n *= sample->size[axis];
    double a = exp(-1 / clock.rho), fresh = sqrt(-expm1(-2 / clock.rho)), *z = calloc((size_t)n, sizeof *z);
    surekrig_theta latent = *theta;
    surekrig_status status = z ? SUREKRIG_OK : cli_no_memory(error);
    latent.tau2 = 0;
    for (int64_t t = 0; t < clock.times && !status; t++) {
        surekrig_sample now = *sample;
        double *here = y + t * n;
        now.seed = sample->seed + 0x9e3779b97f4a7c15 * (uint64_t)t;
        status = surekrig_simulate(&now, &latent, here, error);
        for (int64_t i = 0; i < n && !status; i++)
            here[i] = z[i] = t ? a * z[i] + fresh * here[i] : here[i];
        if (!status && theta->tau2 > 0)
            status = add_nugget(now, theta, n, here, error);
    }
    free(z);
    return status;
}
