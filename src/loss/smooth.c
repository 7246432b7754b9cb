/* The Lagrangian (M8) with the steps of coverage smoothed, and its derivatives by every residual and variance.
 *
 * With y = log gamma2 of a response, zeta_i = |r_i| / sqrt(v_i e^y), Phi the normal distribution and phi its density:
 *   C_j = mean Phi((z_j - zeta_i)/h),   h = (b l)^(-1/3)
 * moves C by about h^2/2 times the slope of the residuals' density, 0.001 at b = 1024 and 95 %, and is left with enough
 * points in its window to have a slope. Everything else is as in profile.c; the price of a large gamma2 (model.h) is
 * part of what is minimised over y. At that minimum the derivative through y vanishes (envelope theorem), so
 *   dL/dr_i = a_i sign(r_i) / sqrt(v_i e^y)     dL/dlog v_i = q_i - a_i zeta_i/2     summed over responses
 * where a_i = dL/dzeta_i and q_i is what v_i adds on its own: 1/b of a likelihood, half its share of an error's sum.
 * With the neighbours' likelihood Q is a mean over n = b + sum k_i points, to which they add
 *   (1/n) sum_q [ sum_i log det K_i + k_i y_q + S_iq e^(-y_q) ]. */
#include "loss/loss.h"

#include <float.h>
#include <math.h>

/* Sums over the batch; slopes are by the y of one response. */
typedef struct sums {
    double loss, slope;                                   /* Q as a mean over the batch */
    double inside[SK_LEVELS_MAX], density[SK_LEVELS_MAX]; /* C_j and its slope */
} sums;

/* Points that Q is a mean over. */
static double points(const sk_loss *loss, const sk_smooth *s)
{
    return (double)loss->b + s->neighbours;
}

static double window(const sk_loss *loss)
{
    return 1 / cbrt((double)(loss->b * loss->l));
}

/* phi((z - zeta)/h)/h; 0 where it underflows a share of anything. */
static double density(double z, double zeta, double h)
{
    double away = (z - zeta) / h;
    return fabs(away) < 9 ? exp(-away * away / 2) * M_SQRT1_2 * M_2_SQRTPI / 2 / h : 0;
}

static double inside(double z, double zeta, double h)
{
    double away = (z - zeta) / h;
    return away > 9 ? 1 : away < -9 ? 0 : erfc(-away * M_SQRT1_2) / 2;
}

static void add_up(const sk_loss *loss, const sk_smooth *s, int64_t mine, sums *sum)
{
    double h = window(loss), n = points(loss, s), all = (double)(loss->b * loss->l);
    *sum = (sums){0};
    for (int64_t q = 0; q < loss->l && s->square; q++) {
        double square = s->square[q] / s->scale[q];
        sum->loss += (s->log_determinant + s->neighbours * log(s->scale[q]) + square) / n;
        sum->slope += q == mine ? (s->neighbours - square) / n : 0;
    }
    for (int64_t i = 0; i < loss->b * loss->l; i++) {
        int64_t q = i % loss->l;
        double variance = s->variance[i / loss->l] * s->scale[q], zeta = fabs(s->residual[i]) / sqrt(variance);
        sk_point p = loss->row->slopes(zeta, variance, loss->delta);
        sum->loss += p.value / n;
        if (q == mine) /* dzeta/dy = -zeta/2 */
            sum->slope += (p.by_log_variance - p.by_zeta * zeta / 2) / n;
        for (int j = 0; j < loss->levels; j++) {
            sum->inside[j] += inside(loss->z[j], zeta, h) / all;
            sum->density[j] += q == mine ? density(loss->z[j], zeta, h) * zeta / 2 / all : 0;
        }
    }
}

static double excess(const sk_smooth *s, double scale)
{
    return fmax(log(scale / s->expected), 0);
}

/* dL/dlog Q, over Q: the logarithm of an error, a likelihood as it is. */
static double merit_slope(const sk_loss *loss, double value)
{
    return loss->row->likelihood ? 1 : 1 / fmax(value, DBL_MIN);
}

/* lambda_j + beta (C_j - alpha_j): dL/dC_j */
static double pull(const sk_loss *loss, sk_multipliers m, const sums *sum, int j)
{
    return m.lambda[j] + m.beta * (sum->inside[j] - loss->alpha[j]);
}

static double slope_at(const sk_loss *loss, sk_multipliers m, const sk_smooth *s, int64_t q, double y)
{
    sums sum;
    s->scale[q] = exp(y);
    add_up(loss, s, q, &sum);
    double slope = merit_slope(loss, sum.loss) * sum.slope + 2 * s->price * excess(s, s->scale[q]);
    for (int j = 0; j < loss->levels; j++)
        slope += pull(loss, m, &sum, j) * sum.density[j];
    return slope;
}

/* From where it is downhill until the slope changes its sign, then by false position (Illinois). Where it never does,
 * the end of the range. */
static void minimise_one(const sk_loss *loss, sk_multipliers m, const sk_smooth *s, int64_t q)
{
    double low = log(loss->scale_low[q]), high = log(loss->scale_high[q]),
           end = fmin(fmax(log(s->scale[q]), low), high);
    double slope = slope_at(loss, m, s, q, end), from = end, before = slope;
    double direction = slope > 0 ? -1 : 1, limit = slope > 0 ? low : high;
    for (double step = 0.02; slope * direction < 0 && end != limit; step *= 2) {
        from = end;
        before = slope;
        end = direction > 0 ? fmin(end + step, limit) : fmax(end - step, limit);
        slope = slope_at(loss, m, s, q, end);
    }
    for (int i = 0; i < 60 && slope * before < 0 && fabs(end - from) > 1e-11 && fabs(slope) > 1e-13; i++) {
        double y = end - slope * (end - from) / (slope - before), at = slope_at(loss, m, s, q, y);
        if (at * slope < 0) {
            from = end;
            before = slope;
        } else {
            before /= 2;
        }
        end = y;
        slope = at;
    }
}

static void minimise(const sk_loss *loss, sk_multipliers m, const sk_smooth *s)
{
    bool moved = true;
    for (int sweep = 0; sweep < 50 && moved; sweep++) { /* one response needs no second */
        moved = false;
        for (int64_t q = 0; q < loss->l; q++) {
            double before = s->scale[q];
            if (loss->scale_low[q] >= loss->scale_high[q])
                continue;
            minimise_one(loss, m, s, q);
            moved |= loss->l > 1 && fabs(log(s->scale[q] / before)) > 1e-10;
        }
    }
}

double sk_smooth_lagrangian(const sk_loss *loss, sk_multipliers m, sk_smooth *s)
{
    sums sum;
    double h = window(loss), n = points(loss, s), all = (double)(loss->b * loss->l);
    minimise(loss, m, s);
    add_up(loss, s, -1, &sum);
    double merit = merit_slope(loss, sum.loss);
    for (int64_t i = 0; i < loss->b; i++)
        s->by_log_variance[i] = 0;
    for (int64_t i = 0; i < loss->b * loss->l; i++) {
        double variance = s->variance[i / loss->l] * s->scale[i % loss->l],
               zeta = fabs(s->residual[i]) / sqrt(variance);
        sk_point p = loss->row->slopes(zeta, variance, loss->delta);
        double a = merit * p.by_zeta / n, own = merit * p.by_log_variance / n;
        for (int j = 0; j < loss->levels; j++)
            a -= pull(loss, m, &sum, j) * density(loss->z[j], zeta, h) / all;
        s->by_residual[i] = (s->residual[i] < 0 ? -a : a) / sqrt(variance);
        s->by_log_variance[i / loss->l] += own - a * zeta / 2;
    }
    s->by_determinant = (double)loss->l / n;
    for (int64_t q = 0; q < loss->l && s->square; q++)
        s->by_square[q] = 1 / (n * s->scale[q]);
    double value = loss->row->likelihood ? sum.loss : log(fmax(sum.loss, DBL_MIN));
    for (int64_t q = 0; q < loss->l; q++)
        value += s->price * excess(s, s->scale[q]) * excess(s, s->scale[q]);
    for (int j = 0; j < loss->levels; j++) {
        double gap = sum.inside[j] - loss->alpha[j];
        value += m.lambda[j] * gap + m.beta / 2 * gap * gap;
    }
    return value;
}
