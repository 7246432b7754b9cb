/* A block of points kriged under a model, mean and sd in the user's units: what prediction and validation do alike. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

void sk_block_close(sk_block *b)
{
    if (b->back)
        b->back->close(b->state);
    sk_kernel_free(b->kernel);
    if (b->partner) {
        b->partner->x = NULL; /* this one's */
        b->partner->neighbor = NULL;
        sk_block_close(b->partner);
    }
    void *owned[] = {b->x, b->neighbor, b->mean, b->scale, b->scatter, b->trend, b->variance, b->jitter, b->partner};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *b = (sk_block){0};
}

const sk_backend *sk_block_backend(const surekrig_model *m)
{
    const sk_backend *asked = sk_backend_find(sk_backend_name(m->settings));
    return asked ? asked : sk_backend_find("auto");
}

/* All but the places and the neighbours, which a partner shares. */
static surekrig_status open_own(const surekrig_model *m, int64_t capacity, int threads, sk_block *b,
                                surekrig_error *error)
{
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, term);
    *b = (sk_block){.m = m, .threads = threads, .back = sk_block_backend(m)};
    b->mean = sk_doubles(capacity * m->kriged.l);
    b->scale = m->widths.local ? sk_doubles(capacity * m->kriged.l) : NULL;
    b->scatter = m->widths.local ? sk_doubles(capacity * m->data.l) : NULL;
    b->trend = sk_doubles(m->trend.columns);
    b->variance = sk_doubles(capacity);
    b->jitter = sk_doubles(capacity);
    if (!b->mean || !b->trend || !b->variance || !b->jitter || (m->widths.local && !(b->scale && b->scatter)))
        return sk_fail_memory(error, 8.0 * (double)(capacity * (m->kriged.l + 2)), "a block of predictions");
    surekrig_status status = sk_kernel_new(&theta, m->data.d, NULL, &b->kernel, error);
    if (!status)
        status = b->back->open(&(sk_krige_points){&m->kriged, m->center, m->info.neighbors, threads,
                                                  sk_model_unknown_mean(m), m->spread},
                               &b->state, error);
    return status;
}

surekrig_status sk_block_open(const surekrig_model *m, int64_t capacity, int threads, sk_block *b,
                              surekrig_error *error)
{
    int64_t k = m->info.neighbors;
    surekrig_status status = open_own(m, capacity, threads, b, error);
    if (status)
        return status;
    b->x = sk_doubles(capacity * m->data.d);
    b->neighbor = sk_alloc(capacity * k, sizeof *b->neighbor);
    b->partner = m->partner ? sk_zeroed(1, sizeof *b) : NULL;
    if (!b->x || !b->neighbor || (m->partner && !b->partner))
        return sk_fail_memory(error, 8.0 * (double)(capacity * (k + m->data.d)), "a block of predictions");
    if (!m->partner)
        return SUREKRIG_OK;
    status = open_own(m->partner, capacity, threads, b->partner, error);
    b->partner->x = b->x;
    b->partner->neighbor = b->neighbor;
    return status;
}

static surekrig_status krige_own(sk_block *b, int64_t count, sk_wanted wanted, sk_ticker *ticker, surekrig_error *error)
{
    const surekrig_model *m = b->m;
    surekrig_neighborhoods batch = {count, m->info.neighbors, b->neighbor, NULL, b->x};
    sk_krige_theta theta = {b->kernel, m->tau2, sk_model_noise_share(m)};
    bool means = wanted.mean || m->trend.columns > 0; /* the trend's columns also widen the variance */
    surekrig_kriged out = {means ? b->mean : NULL, wanted.sd ? b->variance : NULL, b->jitter,
                           wanted.sd ? b->scale : NULL};
    surekrig_status status = b->back->run(b->state, &(sk_krige_job){&batch, &theta, ticker, &out}, error);
    if (!status && wanted.sd && b->scatter)
        status = sk_scatter(m, &batch, b->threads, b->scatter, error);
    for (int64_t j = 0; j < count && !status && m->trend.columns > 0; j++) {
        sk_trend_features(&m->trend, b->x + j * m->data.d, b->trend);
        double added = sk_trend_add(&m->trend, b->trend, b->mean + j * m->kriged.l);
        if (wanted.sd)
            b->variance[j] += added;
    }
    return status;
}

surekrig_status sk_block_krige(sk_block *b, int64_t count, sk_wanted wanted, sk_ticker *ticker, surekrig_error *error)
{
    if (!b->partner)
        return krige_own(b, count, wanted, ticker, error);
    ticker->span /= 2; /* one half of the work, then the other */
    surekrig_status status = krige_own(b, count, wanted, ticker, error);
    ticker->from += ticker->span;
    if (!status)
        status = krige_own(b->partner, count, wanted, ticker, error);
    for (int64_t j = 0; j < count && !status; j++)
        b->jitter[j] = fmax(b->jitter[j], b->partner->jitter[j]);
    return status;
}

double sk_block_mean(const sk_block *b, int64_t at, int64_t q)
{
    double own = b->m->center[q] + b->mean[at * b->m->kriged.l + q];
    return b->partner ? own / 2 + sk_block_mean(b->partner, at, q) / 2 : own;
}

/* Of an observation, without what its own noise adds, in units of the spread squared. */
static double observed(const sk_block *b, int64_t at, int64_t q)
{
    const surekrig_model *m = b->m;
    sk_signs signs = {.variance = b->variance[at] + m->tau2};
    if (b->scale) {
        signs.scale = b->scale[at * m->kriged.l + q];
        signs.scatter = b->scatter[at * m->data.l + q];
    }
    double own = sk_widths_variance(m, q, signs);
    return b->partner ? sk_widths_average(m, q, own, observed(b->partner, at, q)) : own;
}

double sk_block_gamma2(const sk_block *b, int64_t at, int64_t q)
{
    double whole = b->variance[at] + b->m->tau2;
    if (!b->m->widths.local && !b->partner)
        return b->m->scale[q];
    return whole > 0 ? observed(b, at, q) / whole : 0;
}

double sk_block_sd(const sk_block *b, int64_t at, int64_t q, bool field, double noise)
{
    double share = b->variance[at] + (field ? 0 : b->m->tau2);
    return hypot(b->m->spread[q] * sqrt(sk_block_gamma2(b, at, q) * share), sqrt(noise));
}
