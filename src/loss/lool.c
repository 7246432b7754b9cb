/* The normal likelihood (M6), twice its negative logarithm without constants:
 *   lool   log v + r^2/v                 of each point given its neighbours
 *   block  the same and log |K| + y_N' K^-1 y_N / gamma2, of each point together with its neighbours
 * Both have Q(g) = log g + mean t_i^2 / g, least at the mean square. */
#include "loss/loss.h"

#include <math.h>

static double value(double r, double v, double delta)
{
    (void)delta;
    return log(v) + r * r / v;
}

static sk_point slopes(double zeta, double v, double delta)
{
    (void)delta;
    return (sk_point){log(v) + zeta * zeta, 2 * zeta, 1};
}

const sk_loss_row sk_loss_lool = {
    .name = "lool",
    .likelihood = true,
    .needs_variance = true,
    .value = value,
    .slopes = slopes,
    .scale = sk_scale_normal,
};

/* ---- block */

/* log p(y_i, y_N) = log p(y_i | y_N) + log p(y_N), as a mean over the points of all blocks. */
void sk_evaluation_join(sk_evaluation *e, const sk_loss *loss, double neighbours, const double *log_determinant,
                        const double *square)
{
    double b = (double)loss->b, points = b + neighbours, sum = 0;
    for (int64_t i = 0; i < loss->b; i++)
        sum += log_determinant[i];
    e->log_variance = (b * e->log_variance + sum) / points;
    for (int64_t q = 0; q < loss->l; q++) {
        sum = 0;
        for (int64_t i = 0; i < loss->b; i++)
            sum += square[i * loss->l + q];
        e->minimum[q] = e->mean_square[q] = (b * e->mean_square[q] + sum) / points;
    }
}

/* Its slopes are lool's; smooth.c adds what the neighbours' terms change. */
const sk_loss_row sk_loss_block = {
    .name = "block",
    .likelihood = true,
    .needs_variance = true,
    .needs_neighbors = true,
    .slopes = slopes,
    .scale = sk_scale_normal,
};
