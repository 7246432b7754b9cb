/* The loss of one response by its gamma2.
 *
 * A normal likelihood has a closed form. Other losses give their Q and two derivatives in x = log gamma2 (the row's
 * jet), falling to one minimum, found by Newton's method between bounds, and rising after it. A sum over the batch at
 * each of some hundred jumps of coverage would cost more than the kriging, so Q is kept at nodes of x a step H apart,
 * each computed when first asked for, and in between is the quintic through them, which misses Q by about H^6/46080
 * Q''''''' = 2e-14 Q'''''''. */
#include "loss/loss.h"

#include <math.h>

enum { REACH = 96, NODES = 2 * REACH + 1 }; /* nodes on each side of the minimum: a factor of 20 in g */
static const double H = 1.0 / 32;
static const double FARTHEST = 80; /* from the mean square, in log g: beyond, the residuals are zero but for a few */

double sk_scale_normal(const sk_loss *loss, const sk_evaluation *e, int64_t q, double g)
{
    (void)loss;
    return log(g) + e->mean_square[q] / g;
}

int64_t sk_scale_room(const sk_loss *loss)
{
    return loss->row->jet ? 3 * NODES * loss->l : 0;
}

int64_t sk_scale_pairs(const sk_loss *loss)
{
    return loss->row->jet && !loss->row->likelihood ? loss->b : 0;
}

static void jet_at(const sk_loss *loss, const sk_evaluation *e, int64_t q, double g, double jet[3])
{
    bool paired = sk_scale_pairs(loss) > 0;
    sk_scaled of = {loss->b, (paired ? e->unsorted : e->t) + q * loss->b, paired ? e->root : NULL, loss->delta};
    loss->row->jet(&of, g, jet);
}

/* The zero of dQ/dx: Newton's step where it stays between the bounds, else their middle. */
double sk_scale_minimum(const sk_loss *loss, const sk_evaluation *e, int64_t q)
{
    if (!loss->row->jet || !(e->mean_square[q] > 0))
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

double sk_scale_nodes(const sk_loss *loss, const sk_evaluation *e, int64_t q, double g)
{
    double place = log(g / e->minimum[q]) / H + REACH, jet[3];
    if (place >= 0 && place < NODES - 1) {
        int64_t number = (int64_t)place;
        return quintic(node(loss, e, q, number), node(loss, e, q, number + 1), place - (double)number);
    }
    jet_at(loss, e, q, g, jet);
    return jet[0];
}
