#include "loss/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums over points (M6) */

static double lool_sum(int64_t n, const double *residual, const double *variance)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += log(variance[i]) + residual[i] * residual[i] / variance[i];
    return sum;
}

static double mse_sum(int64_t n, const double *residual)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += residual[i] * residual[i];
    return sum;
}

/* delta^2 (sqrt(1 + (r/delta)^2) - 1), written without cancellation. */
static double huber_sum(int64_t n, const double *residual, double delta)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double ratio = residual[i] / delta;
        sum += residual[i] * residual[i] / (1 + sqrt(1 + ratio * ratio));
    }
    return sum;
}

surekrig_status surekrig_loss(const char *name, const surekrig_residuals *residuals, double delta, double *loss,
                              surekrig_error *error)
{
    int64_t n = residuals->n;
    const double *residual = residuals->residual, *variance = residuals->variance;
    bool lool = !strcmp(name, "lool"), huber = !strcmp(name, "huber");
    if (!lool && !huber && strcmp(name, "mse"))
        return sk_fail(error, SUREKRIG_INVALID, "there is no loss '%s': lool, mse or huber", name);
    if (huber && !(delta > 0))
        return sk_fail(error, SUREKRIG_INVALID, "the pseudo-Huber boundary must be positive, %g given", delta);
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(residual[i]))
            return sk_fail(error, SUREKRIG_INVALID, "residual %lld is %g", (long long)i + 1, residual[i]);
        if (lool && !(variance[i] > 0 && isfinite(variance[i])))
            return sk_fail(error, SUREKRIG_INVALID, "variance %lld is %g: it must be positive and finite",
                           (long long)i + 1, variance[i]);
    }
    *loss = lool ? lool_sum(n, residual, variance) : huber ? huber_sum(n, residual, delta) : mse_sum(n, residual);
    return SUREKRIG_OK;
}

/* ---- evaluations */

surekrig_status sk_evaluation_new(const sk_loss *loss, sk_evaluation **out, surekrig_error *error)
{
    sk_evaluation *e = sk_zeroed(1, sizeof *e);
    if (e) {
        e->mean_square = sk_doubles(loss->l);
        e->t = sk_doubles(loss->b * loss->l);
    }
    if (!e || !e->mean_square || !e->t) {
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
    free(e->t);
    free(e);
}

void sk_evaluation_fill(sk_evaluation *e, const sk_loss *loss, const double *residual, const double *variance)
{
    double b = (double)loss->b;
    e->log_variance = 0;
    for (int64_t i = 0; i < loss->b; i++)
        e->log_variance += log(variance[i]);
    e->log_variance /= b;
    e->plain = (loss->kind == SK_LOSS_HUBER ? huber_sum(loss->b * loss->l, residual, loss->delta)
                                            : mse_sum(loss->b * loss->l, residual)) / b;
    for (int64_t q = 0; q < loss->l; q++) {
        double *t = e->t + q * loss->b, sum = 0;
        for (int64_t i = 0; i < loss->b; i++) {
            double r = residual[i * loss->l + q];
            t[i] = fabs(r) / sqrt(variance[i]);
            sum += r * r / variance[i];
        }
        e->mean_square[q] = sum / b;
        sk_sort(loss->b, t);
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
        e->mean_square[q] = (b * e->mean_square[q] + sum) / points;
    }
}
