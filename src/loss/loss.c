#include "loss/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums over points (M6) */

static double lool_sum(const surekrig_residuals *of, double delta)
{
    double sum = 0;
    (void)delta;
    for (int64_t i = 0; i < of->n; i++)
        sum += log(of->variance[i]) + of->residual[i] * of->residual[i] / of->variance[i];
    return sum;
}

static double mse_sum(const surekrig_residuals *of, double delta)
{
    double sum = 0;
    (void)delta;
    for (int64_t i = 0; i < of->n; i++)
        sum += of->residual[i] * of->residual[i];
    return sum;
}

/* delta^2 (sqrt(1 + (r/delta)^2) - 1), written without cancellation. */
static double huber_sum(const surekrig_residuals *of, double delta)
{
    double sum = 0;
    for (int64_t i = 0; i < of->n; i++) {
        double ratio = of->residual[i] / delta;
        sum += of->residual[i] * of->residual[i] / (1 + sqrt(1 + ratio * ratio));
    }
    return sum;
}

static double crps_sum(const surekrig_residuals *of, double delta)
{
    double sum = 0;
    (void)delta;
    for (int64_t i = 0; i < of->n; i++)
        sum += sqrt(of->variance[i]) * sk_crps(of->residual[i] / sqrt(of->variance[i]));
    return sum;
}

/* log var + 2 delta^2 (sqrt(1 + z^2/delta^2) - 1), z = r/sd */
static double looph_sum(const surekrig_residuals *of, double delta)
{
    double sum = 0;
    for (int64_t i = 0; i < of->n; i++) {
        double square = of->residual[i] * of->residual[i] / of->variance[i];
        sum += log(of->variance[i]) + 2 * square / (1 + sqrt(1 + square / (delta * delta)));
    }
    return sum;
}

static const struct {
    const char *name;
    bool variance, boundary; /* what it needs */
    double (*sum)(const surekrig_residuals *of, double delta);
} LOSSES[] = {
    [SK_LOSS_LOOL] = {"lool", true, false, lool_sum},    [SK_LOSS_MSE] = {"mse", false, false, mse_sum},
    [SK_LOSS_HUBER] = {"huber", false, true, huber_sum}, [SK_LOSS_CRPS] = {"crps", true, false, crps_sum},
    [SK_LOSS_LOOPH] = {"looph", true, true, looph_sum},
};
enum { KINDS = sizeof LOSSES / sizeof *LOSSES };

surekrig_status surekrig_loss(const char *name, const surekrig_residuals *residuals, double delta, double *loss,
                              surekrig_error *error)
{
    const double *residual = residuals->residual, *variance = residuals->variance;
    int kind = 0;
    while (kind < KINDS && strcmp(name, LOSSES[kind].name))
        kind++;
    if (kind == KINDS)
        return sk_fail(error, SUREKRIG_INVALID, "there is no loss '%s': lool, mse, huber, crps or looph", name);
    if (LOSSES[kind].boundary && !(delta > 0))
        return sk_fail(error, SUREKRIG_INVALID, "the pseudo-Huber boundary must be positive, %g given", delta);
    for (int64_t i = 0; i < residuals->n; i++) {
        if (!isfinite(residual[i]))
            return sk_fail(error, SUREKRIG_INVALID, "residual %lld is %g", (long long)i + 1, residual[i]);
        if (LOSSES[kind].variance && !(variance[i] > 0 && isfinite(variance[i])))
            return sk_fail(error, SUREKRIG_INVALID, "variance %lld is %g: it must be positive and finite",
                           (long long)i + 1, variance[i]);
    }
    *loss = LOSSES[kind].sum(residuals, delta);
    return SUREKRIG_OK;
}

/* ---- evaluations */

surekrig_status sk_evaluation_new(const sk_loss *loss, sk_evaluation **out, surekrig_error *error)
{
    sk_evaluation *e = sk_zeroed(1, sizeof *e);
    bool crps = loss->kind == SK_LOSS_CRPS;
    if (e) {
        e->mean_square = sk_doubles(loss->l);
        e->minimum = sk_doubles(loss->l);
        e->t = sk_doubles(loss->b * loss->l);
        e->unsorted = sk_doubles(crps ? loss->b * loss->l : 0);
        e->root = sk_doubles(crps ? loss->b : 0);
        e->node = sk_doubles(sk_scale_room(loss));
    }
    if (!e || !e->mean_square || !e->minimum || !e->t || !e->unsorted || !e->root || !e->node) {
        sk_evaluation_free(e);
        return sk_fail_memory(error, 8.0 * (double)(loss->b * loss->l), "an evaluation's residuals");
    }
    *out = e;
    return SUREKRIG_OK;
}

void sk_evaluation_free(sk_evaluation *e)
{
    if (!e)
        return;
    free(e->mean_square);
    free(e->minimum);
    free(e->t);
    free(e->unsorted);
    free(e->root);
    free(e->node);
    free(e);
}

/* The parts that every loss has, for one response. */
static void fill_response(sk_evaluation *e, const sk_loss *loss, int64_t q, const double *residual,
                          const double *variance)
{
    double *t = e->t + q * loss->b, sum = 0;
    for (int64_t i = 0; i < loss->b; i++) {
        double r = residual[i * loss->l + q];
        t[i] = fabs(r) / sqrt(variance[i]);
        sum += r * r / variance[i];
    }
    e->mean_square[q] = sum / (double)loss->b;
    if (loss->kind == SK_LOSS_CRPS)
        memcpy(e->unsorted + q * loss->b, t, (size_t)loss->b * sizeof *t);
    sk_sort(loss->b, t);
}

void sk_evaluation_fill(sk_evaluation *e, const sk_loss *loss, const double *residual, const double *variance)
{
    double b = (double)loss->b;
    surekrig_residuals all = {loss->b * loss->l, residual, NULL};
    e->log_variance = 0;
    for (int64_t i = 0; i < loss->b; i++)
        e->log_variance += log(variance[i]);
    e->log_variance /= b;
    e->plain = (loss->kind == SK_LOSS_HUBER ? huber_sum(&all, loss->delta) : mse_sum(&all, 0)) / b;
    for (int64_t i = 0; loss->kind == SK_LOSS_CRPS && i < loss->b; i++)
        e->root[i] = sqrt(variance[i]);
    for (int64_t i = 0; i < sk_scale_room(loss); i++)
        e->node[i] = NAN;
    for (int64_t q = 0; q < loss->l; q++) {
        fill_response(e, loss, q, residual, variance);
        e->minimum[q] = sk_scale_minimum(loss, e, q);
    }
}

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
