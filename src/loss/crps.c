/* The continuous ranked probability score of a normal prediction (M10), an error in the response's units:
 *   sqrt(v) A(z),  z = r/sqrt(v),  A(z) = z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)
 * By g = gamma2, with s = sqrt(g), z_i = t_i/s and root_i = sqrt(v_i):
 *   Q(g) = mean root_i s A(z_i)      dQ/ds = mean root_i (2 phi(z_i) - 1/sqrt(pi))
 *                                    d2Q/ds2 = mean root_i z_i^2 2 phi(z_i)/s >= 0
 * convex in s, so it falls to one minimum and rises after it. */
#include "loss/loss.h"

#include <math.h>

double sk_crps(double z)
{
    return z * erf(z / M_SQRT2) + exp(-z * z / 2) * M_2_SQRTPI / M_SQRT2 - M_2_SQRTPI / 2; /* 2 phi, 1/sqrt(pi) */
}

static double value(double r, double v, double delta)
{
    (void)delta;
    return sqrt(v) * sk_crps(r / sqrt(v));
}

static sk_point slopes(double zeta, double v, double delta)
{
    double sd = sqrt(v), own = sd * sk_crps(zeta);
    (void)delta;
    return (sk_point){own, sd * erf(zeta / M_SQRT2), own / 2};
}

static void jet(const sk_scaled *of, double g, double jet[3])
{
    double s = sqrt(g), slope = 0, bend = 0, b = (double)of->b; /* in s */
    jet[0] = 0;
    for (int64_t i = 0; i < of->b; i++) {
        double z = of->t[i] / s, two_phi = exp(-z * z / 2) * M_2_SQRTPI / M_SQRT2;
        jet[0] += of->root[i] * s * (z * erf(z / M_SQRT2) + two_phi - M_2_SQRTPI / 2);
        slope += of->root[i] * (two_phi - M_2_SQRTPI / 2);
        bend += of->root[i] * z * z * two_phi / s;
    }
    jet[0] /= b;
    jet[1] = s / 2 * slope / b; /* ds/dlog g = s/2 */
    jet[2] = (s / 4 * slope + g / 4 * bend) / b;
}

const sk_loss_row sk_loss_crps = {
    .name = "crps",
    .needs_variance = true,
    .value = value,
    .slopes = slopes,
    .scale = sk_scale_nodes,
    .jet = jet,
};
