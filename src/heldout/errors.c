/* The errors of predicting held-out points (M5), under the hyperparameters that the machine is set to. */
#include "heldout/inside.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void sk_errors_free(sk_errors *e)
{
    if (e->partner) {
        e->partner->kriging = (sk_kriging){0}; /* the first one's */
        sk_errors_free(e->partner);
    }
    free(e->partner);
    sk_kriging_free(&e->kriging);
    free(e->residual_std);
    free(e->variance_share);
    *e = (sk_errors){0};
}

/* All but the kriging. */
static surekrig_status new_own(const surekrig_model *m, int64_t n, sk_errors *e, surekrig_error *error)
{
    e->n = n;
    e->residual_std = sk_doubles(n * m->data.l);
    e->variance_share = sk_doubles(n);
    e->partner = m->partner ? sk_zeroed(1, sizeof *e) : NULL;
    if (!e->residual_std || !e->variance_share || (m->partner && !e->partner))
        return sk_fail_memory(error, 8.0 * (double)(n * (m->data.l + 1)), "held-out errors");
    return m->partner ? new_own(m->partner, n, e->partner, error) : SUREKRIG_OK;
}

surekrig_status sk_errors_new(const surekrig_model *m, int64_t n, int wants, sk_errors *out, surekrig_error *error)
{
    sk_errors e = {0};
    surekrig_status status = sk_kriging_new(m, n, wants, &e.kriging, error);
    if (!status)
        status = new_own(m, n, &e, error);
    if (status)
        sk_errors_free(&e);
    else
        *out = e;
    return status;
}

/* Of the trend's columns, which stand beside the responses, nothing is kept. */
static void finish_point(const sk_machine *machine, const sk_holdout *h, int64_t i, sk_errors *e)
{
    const surekrig_model *m = machine->m;
    const surekrig_data *data = &m->data;
    const sk_kriging *k = &e->kriging;
    int64_t row = h->row[i], l = data->l, width = m->kriged.l;
    double least = (double)h->k * DBL_EPSILON;
    double noise_share = data->noise ? data->noise[row] * sk_model_noise_share(m, machine->hyper) : 0;
    e->variance_share[i] = fmax(k->variance_share[i] + machine->hyper->tau2 + noise_share, least);
    for (int64_t q = 0; q < l; q++) {
        e->residual_std[i * l + q] = (data->y[row * l + q] - m->center[q] - k->mean[i * width + q]) / m->spread[q];
        if (k->scale_std)
            k->scale_std[i * l + q] = k->scale_std[i * width + q];
        if (k->block.square)
            k->block.square[i * l + q] = k->block.square[i * width + q];
    }
    e->neighbours += (double)(h->count ? h->count[i] : h->k);
}

static void finish(const sk_machine *machine, const sk_holdout *h, sk_errors *e)
{
    e->neighbours = 0;
    for (int64_t i = 0; i < h->n; i++)
        finish_point(machine, h, i, e);
    if (!e->partner)
        return;
    e->partner->kriging = *e->kriging.partner;
    finish(machine->partner, h, e->partner);
}

surekrig_status sk_errors_fill(sk_machine *machine, const sk_holdout *h, sk_errors *e, surekrig_error *error)
{
    sk_asked asked = {{h->n, h->k, h->neighbor, h->count, h->x}, NULL, h->row};
    surekrig_status status = h->neighbor
                                 ? sk_machine_krige(machine, &asked, (sk_wanted){true, true}, &e->kriging, error)
                                 : sk_krige_apart(machine, h, &e->kriging, &e->lacking, error);
    if (!status && !e->lacking)
        finish(machine, h, e);
    return status;
}

double sk_errors_residual_std(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    int64_t at = i * m->data.l + q;
    return m->partner ? (e->residual_std[at] + m->partner->spread[q] / m->spread[q] * e->partner->residual_std[at]) / 2
                      : e->residual_std[at];
}

sk_signs sk_errors_signs(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    int64_t at = i * m->data.l + q;
    return (sk_signs){e->variance_share[i], e->kriging.scale_std[at], e->kriging.scatter_std[at]};
}

double sk_errors_variance_std(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    double own = sk_widths_variance_std(m, q, sk_errors_signs(m, e, i, q));
    return m->partner ? sk_widths_average_std(m, q, own, sk_errors_variance_std(m->partner, e->partner, i, q)) : own;
}
