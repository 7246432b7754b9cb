/* A block of points kriged under a model, mean and sd in the user's units: what prediction and validation do alike. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

void sk_block_close(sk_block *b)
{
    if (b->back)
        b->back->close(b->state);
    sk_kernel_free(b->kernel);
    void *owned[] = {b->x, b->neighbor, b->mean, b->scale, b->trend, b->variance, b->jitter};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *b = (sk_block){0};
}

const sk_backend *sk_block_backend(const surekrig_model *m)
{
    const sk_backend *asked = sk_backend_find(sk_backend_name(m->settings));
    return asked ? asked : sk_backend_find("auto");
}

surekrig_status sk_block_open(const surekrig_model *m, int64_t capacity, int threads, sk_block *b, surekrig_error *error)
{
    int64_t k = m->info.neighbors;
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, term);
    *b = (sk_block){.m = m, .threads = threads, .back = sk_block_backend(m)};
    b->x = sk_doubles(capacity * m->data.d);
    b->neighbor = sk_alloc(capacity * k, sizeof *b->neighbor);
    b->mean = sk_doubles(capacity * m->kriged.l);
    b->scale = m->widths.local ? sk_doubles(capacity * m->kriged.l) : NULL;
    b->trend = sk_doubles(m->trend.columns);
    b->variance = sk_doubles(capacity);
    b->jitter = sk_doubles(capacity);
    if (!b->x || !b->neighbor || !b->mean || !b->trend || !b->variance || !b->jitter || (m->widths.local && !b->scale))
        return sk_fail_memory(error, 8.0 * (double)(capacity * (k + m->data.d + m->kriged.l + 2)), "a block of predictions");
    surekrig_status status = sk_kernel_new(&theta, m->data.d, NULL, &b->kernel, error);
    if (!status)
        status = b->back->open(&(sk_krige_points){&m->kriged, m->center, k, threads, sk_model_unknown_mean(m), m->spread},
                               &b->state, error);
    return status;
}

surekrig_status sk_block_krige(sk_block *b, int64_t count, sk_wanted wanted, sk_ticker *ticker, surekrig_error *error)
{
    const surekrig_model *m = b->m;
    surekrig_neighborhoods batch = {count, m->info.neighbors, b->neighbor, NULL, b->x};
    sk_krige_theta theta = {b->kernel, m->tau2, sk_model_noise_share(m)};
    bool means = wanted.mean || m->trend.columns > 0; /* the trend's columns also widen the variance */
    surekrig_kriged out = {means ? b->mean : NULL, wanted.sd ? b->variance : NULL, b->jitter, wanted.sd ? b->scale : NULL};
    surekrig_status status = b->back->run(b->state, &(sk_krige_job){&batch, &theta, ticker, &out}, error);
    for (int64_t j = 0; j < count && !status && m->trend.columns > 0; j++) {
        sk_trend_features(&m->trend, b->x + j * m->data.d, b->trend);
        double added = sk_trend_add(&m->trend, b->trend, b->mean + j * m->kriged.l);
        if (wanted.sd)
            b->variance[j] += added;
    }
    return status;
}

double sk_block_mean(const sk_block *b, int64_t at, int64_t q)
{
    return b->m->center[q] + b->mean[at * b->m->kriged.l + q];
}

double sk_block_gamma2(const sk_block *b, int64_t at, int64_t q)
{
    const surekrig_model *m = b->m;
    double whole = b->variance[at] + m->tau2;
    if (!m->widths.local)
        return m->scale[q];
    return whole > 0 ? sk_widths_variance(m, q, whole, b->scale[at * m->kriged.l + q]) / whole : 0;
}

double sk_block_sd(const sk_block *b, int64_t at, int64_t q, bool field, double noise)
{
    double share = b->variance[at] + (field ? 0 : b->m->tau2);
    return hypot(b->m->spread[q] * sqrt(sk_block_gamma2(b, at, q) * share), sqrt(noise));
}
