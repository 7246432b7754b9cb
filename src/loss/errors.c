/* Errors of the means alone, which depend on no variance and so on no gamma2 (M6):
 *   mse    r^2
 *   huber  delta^2 (sqrt(1 + (r/delta)^2) - 1) */
#include "loss/loss.h"

#include <math.h>

static double square(double r, double v, double delta)
{
    (void)v;
    (void)delta;
    return r * r;
}

static sk_point square_slopes(double zeta, double v, double delta)
{
    double own = zeta * zeta * v;
    (void)delta;
    return (sk_point){own, 2 * zeta * v, own};
}

const sk_loss_row sk_loss_mse = {.name = "mse", .value = square, .slopes = square_slopes};

/* Without cancellation. */
static double pseudo_huber(double r, double v, double delta)
{
    double ratio = r / delta;
    (void)v;
    return r * r / (1 + sqrt(1 + ratio * ratio));
}

static sk_point huber_slopes(double zeta, double v, double delta)
{
    double r = zeta * sqrt(v), slope = r / sqrt(1 + r / delta * (r / delta));
    return (sk_point){pseudo_huber(r, v, delta), sqrt(v) * slope, r * slope / 2};
}

const sk_loss_row sk_loss_huber = {.name = "huber", .needs_delta = true, .value = pseudo_huber, .slopes = huber_slopes};
