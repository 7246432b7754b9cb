/* The likelihood with pseudo-Huber residuals (M6):
 *   log v + 2 delta^2 (h - 1),  h = sqrt(1 + p/delta^2),  p = r^2/v;   2 p/(1 + h) is the same without cancellation
 * By x = log gamma2, with p_i = t_i^2/gamma2:
 *   Q(x) = x + mean 2 delta^2 (h_i - 1)      dQ/dx = 1 - mean p_i/h_i
 *                                            d2Q/dx2 = mean p_i (1 + h_i^2) / (2 h_i^3) >= 0
 * convex in x, so it falls to one minimum and rises after it. */
#include "loss/loss.h"

#include <math.h>

static double value(double r, double v, double delta)
{
    double p = r * r / v;
    return log(v) + 2 * p / (1 + sqrt(1 + p / (delta * delta)));
}

static sk_point slopes(double zeta, double v, double delta)
{
    double h = sqrt(1 + zeta * zeta / (delta * delta));
    return (sk_point){log(v) + 2 * zeta * zeta / (1 + h), 2 * zeta / h, 1};
}

static void jet(const sk_scaled *of, double g, double jet[3])
{
    double value = 0, slope = 0, bend = 0, b = (double)of->b;
    for (int64_t i = 0; i < of->b; i++) {
        double p = of->t[i] * of->t[i] / g, h = sqrt(1 + p / (of->delta * of->delta));
        value += 2 * p / (1 + h);
        slope += p / h;
        bend += p * (1 + h * h) / (2 * h * h * h);
    }
    jet[0] = log(g) + value / b;
    jet[1] = 1 - slope / b;
    jet[2] = bend / b;
}

const sk_loss_row sk_loss_looph = {
    .name = "looph",
    .likelihood = true,
    .needs_variance = true,
    .needs_delta = true,
    .value = value,
    .slopes = slopes,
    .scale = sk_scale_nodes,
    .jet = jet,
};
