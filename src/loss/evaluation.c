/* What one theta leaves behind, whatever its loss. */
#include "loss/loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

surekrig_status sk_evaluation_new(const sk_loss *loss, sk_evaluation **out, surekrig_error *error)
{
    sk_evaluation *e = sk_zeroed(1, sizeof *e);
    int64_t pairs = sk_scale_pairs(loss);
    if (e) {
        e->mean_square = sk_doubles(loss->l);
        e->minimum = sk_doubles(loss->l);
        e->t = sk_doubles(loss->b * loss->l);
        e->unsorted = sk_doubles(pairs * loss->l);
        e->root = sk_doubles(pairs);
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
    if (sk_scale_pairs(loss) > 0)
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
    e->plain = loss->row->needs_variance ? 0 : sk_loss_sum(loss->row, &all, loss->delta) / b;
    for (int64_t i = 0; i < sk_scale_pairs(loss); i++)
        e->root[i] = sqrt(variance[i]);
    for (int64_t i = 0; i < sk_scale_room(loss); i++)
        e->node[i] = NAN;
    for (int64_t q = 0; q < loss->l; q++) {
        fill_response(e, loss, q, residual, variance);
        e->minimum[q] = sk_scale_minimum(loss, e, q);
    }
}
