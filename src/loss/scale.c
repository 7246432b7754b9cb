/* The loss as a function of gamma2 where that has no closed form.
 *
 * With g = gamma2, x = log g, z_i = t_i/sqrt(g), p_i = z_i^2 and root_i = sqrt(v_i), means over the batch:
 *   CRPS    q(x) = mean root_i sqrt(g) A(z_i),  A(z) = z (2 Phi(z) - 1) + 2 phi(z) - 1/sqrt(pi)               (M10)
 *           with s = sqrt(g):  dq/ds = mean root_i (2 phi(z_i) - 1/sqrt(pi)),  d2q/ds2 = mean root_i 2 p_i phi(z_i)/s
 * >= 0 LOOPH   q(x) = x + mean 2 delta^2 (h_i - 1),  h_i = sqrt(1 + p_i/delta^2) dq/dx = 1 - mean p_i/h_i,  d2q/dx2 =
 * mean p_i (1 + h_i^2) / (2 h_i^3) >= 0 So CRPS is convex in s and LOOPH in x: each falls to one minimum, found by
 * Newton's method between bounds, and rises after it. A sum over the batch at each of some hundred jumps of coverage
 * would cost more than the kriging, so q is kept at nodes of x a step H apart, each computed when first asked for with
 * two derivatives, and in between is the quintic through them, which misses q by about H^6/46080 q'''''' = 2e-14
 * q''''''. */
#include "loss/loss.h"

#include <math.h>

enum { REACH = 96, NODES = 2 * REACH + 1 }; /* nodes on each side of the minimum: a factor of 20 in g */
static const double H = 1.0 / 32;
static const double FARTHEST = 80; /* from the mean square, in log g: beyond, the residuals are zero but for a few */

int64_t sk_scale_room(const sk_loss *loss)
{
    return loss->kind == SK_LOSS_CRPS || loss->kind == SK_LOSS_LOOPH ? 3 * NODES * loss->l : 0;
}

double sk_crps(double z)
{
    return z * erf(z / M_SQRT2) + exp(-z * z / 2) * M_2_SQRTPI / M_SQRT2 - M_2_SQRTPI / 2; /* 2 phi, 1/sqrt(pi) */
}

static void crps_jet(int64_t b, const double *t, const double *root, double g, double jet[3])
{
    double s = sqrt(g), slope = 0, bend = 0; /* in s */
    jet[0] = 0;
    for (int64_t i = 0; i < b; i++) {
        double z = t[i] / s, two_phi = exp(-z * z / 2) * M_2_SQRTPI / M_SQRT2;
        jet[0] += root[i] * s * (z * erf(z / M_SQRT2) + two_phi - M_2_SQRTPI / 2);
        slope += root[i] * (two_phi - M_2_SQRTPI / 2);
        bend += root[i] * z * z * two_phi / s;
    }
    jet[0] /= (double)b;
    jet[1] = s / 2 * slope / (double)b; /* ds/dx = s/2 */
    jet[2] = (s / 4 * slope + g / 4 * bend) / (double)b;
}

static void looph_jet(int64_t b, const double *t, double delta, double g, double jet[3])
{
    double value = 0, slope = 0, bend = 0;
    for (int64_t i = 0; i < b; i++) {
        double p = t[i] * t[i] / g, h = sqrt(1 + p / (delta * delta));
        value += 2 * p / (1 + h); /* 2 delta^2 (h - 1) without cancellation */
        slope += p / h;
        bend += p * (1 + h * h) / (2 * h * h * h);
    }
    jet[0] = log(g) + value / (double)b;
    jet[1] = 1 - slope / (double)b;
    jet[2] = bend / (double)b;
}

/* q and its first two derivatives in log g. */
static void jet_at(const sk_loss *loss, const sk_evaluation *e, int64_t q, double g, double jet[3])
{
    if (loss->kind == SK_LOSS_CRPS)
        crps_jet(loss->b, e->unsorted + q * loss->b, e->root, g, jet);
    else
        looph_jet(loss->b, e->t + q * loss->b, loss->delta, g, jet);
}

/* The zero of dq/dx: Newton's step where it stays between the bounds, else their middle. */
double sk_scale_minimum(const sk_loss *loss, const sk_evaluation *e, int64_t q)
{
    if (sk_scale_room(loss) == 0 || !(e->mean_square[q] > 0))
        return e->mean_square[q];
    double x = log(e->mean_square[q]), low = x - FARTHEST, high = x + FARTHEST, jet[3], before;
    for (int step = 0; step < 200; step++) {
        jet_at(loss, e, q, exp(x), jet);
        *(jet[1] > 0 ? &high : &low) = before = x;
        x -= jet[1] / jet[2];
        if (!(x > low && x < high))
            x = low + (high - low) / 2;
        if (fabs(x - before) < 1e-13 * (1 + fabs(x)))
            break;
    }
    return exp(x);
}

/* The quintic with these jets at both ends, a share u of the step after the first. */
static double quintic(const double *a, const double *b, double u)
{
    double c0 = a[0], c1 = H * a[1], c2 = H * H * a[2] / 2;
    double value = b[0] - c0 - c1 - c2, slope = H * b[1] - c1 - 2 * c2, bend = H * H * b[2] / 2 - c2;
    double c3 = 10 * value - 4 * slope + bend, c4 = -15 * value + 7 * slope - 2 * bend,
           c5 = 6 * value - 3 * slope + bend;
    return c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5))));
}

static const double *node(const sk_loss *loss, const sk_evaluation *e, int64_t q, int64_t number)
{
    double *jet = e->node + 3 * (q * NODES + number);
    if (isnan(jet[0]))
        jet_at(loss, e, q, e->minimum[q] * exp((double)(number - REACH) * H), jet);
    return jet;
}

double sk_scale_loss(const sk_loss *loss, const sk_evaluation *e, int64_t q, double g)
{
    double place = log(g / e->minimum[q]) / H + REACH, jet[3];
    if (place >= 0 && place < NODES - 1) {
        int64_t number = (int64_t)place;
        return quintic(node(loss, e, q, number), node(loss, e, q, number + 1), place - (double)number);
    }
    jet_at(loss, e, q, g, jet);
    return jet[0];
}
