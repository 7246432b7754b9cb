/* The errors of predicting held-out points under the model's hyperparameters (M5). */
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void sk_errors_free(sk_errors *e)
{
    void *owned[] = {
        e->kriged,      e->residual, e->variance, e->jitter, e->scale, e->scatter, e->block.log_determinant,
        e->block.square};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    if (e->partner)
        sk_errors_free(e->partner);
    free(e->partner);
    *e = (sk_errors){0};
}

surekrig_status sk_errors_new(const surekrig_model *m, int64_t n, int wants, sk_errors *out, surekrig_error *error)
{
    int64_t l = m->data.l, width = m->kriged.l;
    bool scale = wants & SK_WANT_SCALE, block = wants & SK_WANT_BLOCK;
    sk_errors e = {n,
                   sk_doubles(n * width),
                   sk_doubles(n * l),
                   sk_doubles(n),
                   sk_doubles(n),
                   scale ? sk_doubles(n * width) : NULL,
                   scale ? sk_doubles(n * l) : NULL,
                   {block ? sk_doubles(n) : NULL, block ? sk_doubles(n * width) : NULL},
                   0,
                   m->partner ? sk_zeroed(1, sizeof e) : NULL};
    if ((m->partner && !e.partner) || !e.kriged || !e.residual || !e.variance || !e.jitter ||
        (scale && !(e.scale && e.scatter)) || (block && !(e.block.log_determinant && e.block.square))) {
        sk_errors_free(&e);
        return sk_fail_memory(error, 8.0 * (double)(n * (3 * width + 2 * l + 3)), "held-out errors");
    }
    surekrig_status status = m->partner ? sk_errors_new(m->partner, n, wants, e.partner, error) : SUREKRIG_OK;
    if (status)
        sk_errors_free(&e);
    else
        *out = e;
    return status;
}

/* Variances of an observation, as a share of gamma2, not below round-off; residuals in units of the spread, as squares
 * are already. Of the trend's columns, which stand beside the responses, nothing is kept. */
static void finish_point(const surekrig_model *m, const sk_holdout *h, int64_t i, sk_errors *e)
{
    const surekrig_data *data = &m->data;
    int64_t row = h->row[i], l = data->l, width = m->kriged.l;
    double least = (double)h->k * DBL_EPSILON, noise = data->noise ? data->noise[row] * sk_model_noise_share(m) : 0;
    double *kriged = e->kriged + i * width, added = sk_trend_add(&m->trend, m->kriged.y + row * width + l, kriged);
    e->variance[i] = fmax(e->variance[i] + added + m->tau2 + noise, least);
    for (int64_t q = 0; q < l; q++) {
        e->residual[i * l + q] = (data->y[row * l + q] - m->center[q] - kriged[q]) / m->spread[q];
        if (e->scale)
            e->scale[i * l + q] = e->scale[i * width + q];
        if (e->block.square)
            e->block.square[i * l + q] = e->block.square[i * width + q];
    }
    e->neighbours += (double)(h->count ? h->count[i] : h->k);
}

surekrig_status sk_errors_fill(const surekrig_model *m, const sk_holdout *h, const sk_runner *run, sk_errors *e,
                               surekrig_error *error)
{
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, term);
    sk_kernel *kernel = NULL;
    surekrig_status status = sk_kernel_new(&theta, m->data.d, run->distance, &kernel, error);
    if (!status) {
        sk_krige_theta prepared = {kernel, m->tau2, sk_model_noise_share(m)};
        surekrig_neighborhoods batch = {h->n, h->k, h->neighbor, h->count, h->x};
        surekrig_kriged out = {e->kriged, e->variance, e->jitter, e->scale};
        sk_krige_job job = {&batch, &prepared, run->ticker, &out, e->block.square ? &e->block : NULL};
        status = run->back->run(run->state, &job, error);
        if (!status && e->scatter)
            status = sk_scatter(m, &batch, sk_thread_setting(m->settings), e->scatter, error);
    }
    e->neighbours = 0;
    for (int64_t i = 0; i < h->n && !status; i++)
        finish_point(m, h, i, e);
    sk_kernel_free(kernel);
    return status || !m->partner ? status : sk_errors_fill(m->partner, h, run->partner, e->partner, error);
}

double sk_errors_residual(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    int64_t at = i * m->data.l + q;
    return m->partner ? (e->residual[at] + m->partner->spread[q] / m->spread[q] * e->partner->residual[at]) / 2
                      : e->residual[at];
}

sk_signs sk_errors_signs(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    return (sk_signs){e->variance[i], e->scale[i * m->data.l + q], e->scatter[i * m->data.l + q]};
}

double sk_errors_variance(const surekrig_model *m, const sk_errors *e, int64_t i, int64_t q)
{
    double own = sk_widths_variance(m, q, sk_errors_signs(m, e, i, q));
    return m->partner ? sk_widths_average(m, q, own, sk_errors_variance(m->partner, e->partner, i, q)) : own;
}

surekrig_status sk_runner_open(const surekrig_model *m, sk_runner *run, surekrig_error *error)
{
    *run = (sk_runner){.distance = NULL};
    surekrig_status status = sk_backend_choose(sk_backend_name(m->settings), &run->back, error);
    if (status)
        return status;
    status = run->back->open(&(sk_krige_points){&m->kriged, m->center, m->info.neighbors,
                                                sk_thread_setting(m->settings), sk_model_unknown_mean(m), m->spread},
                             &run->state, error);
    if (status || !m->partner)
        return status;
    run->partner = sk_zeroed(1, sizeof *run);
    return run->partner ? sk_runner_open(m->partner, run->partner, error)
                        : sk_fail_memory(error, sizeof *run, "a second model");
}

void sk_runner_close(sk_runner *run)
{
    if (run->back)
        run->back->close(run->state);
    if (run->partner)
        sk_runner_close(run->partner);
    free(run->partner);
    *run = (sk_runner){0};
}
