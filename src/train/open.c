/* A training is opened: the batch is drawn, its neighbours are found, distances in it measured, the loss set. */
#include "train/train.h"

#include <math.h>
#include <stdlib.h>

void sk_training_close(sk_training *t)
{
    sk_machine_close(&t->machine);
    sk_hyper_free(&t->trial);
    sk_holdout_free(&t->batch);
    sk_errors_free(&t->errors);
    sk_training_forget(t);
    void *owned[] = {t->rho_unit,         t->axis,         t->moved,       t->z,
                     t->offset,           t->variance_rel, t->scale_range, t->verdict.scale,
                     t->verdict.coverage, t->theta,        t->evaluation};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    *t = (sk_training){0};
}

static surekrig_status allocate(sk_training *t, surekrig_error *error)
{
    const surekrig_data *data = &t->m->data;
    int64_t levels = t->m->settings->coverage.count;
    t->z = sk_doubles(levels);
    t->offset = sk_doubles(t->m->kriged.d);
    t->scale_range = sk_doubles(2 * data->l);
    t->verdict.scale = sk_doubles(data->l);
    t->verdict.coverage = sk_doubles(levels);
    if (!t->z || !t->offset || !t->scale_range || !t->verdict.scale || !t->verdict.coverage)
        return sk_fail_memory(error, 8.0 * (double)(2 * levels + data->d + 3 * data->l), "the training");
    surekrig_status status = sk_hyper_new(t->m->kriged.d, data->l, &t->trial, error);
    if (!status)
        sk_hyper_copy(&t->m->hyper, &t->trial);
    return status;
}

/* Of the distance of two points, as far as it counts. */
static double square_of(const sk_training *t, const double *p, const double *q)
{
    double sum = 0;
    for (int64_t a = 0; a < t->trial.d; a++)
        sum += isinf(t->m->frame.side[a]) ? 0 : (p[a] - q[a]) * (p[a] - q[a]);
    return sum;
}

/* No digits are lost. */
static bool is_safe(double square)
{
    return square > 1e-280 && square < 1e280;
}

static double distance(const sk_training *t, const double *p, const double *q)
{
    double sum = 0;
    for (int64_t a = 0; a < t->trial.d; a++)
        sum = isinf(t->m->frame.side[a]) ? sum : hypot(sum, p[a] - q[a]);
    return sum;
}

/* The least distance above 0 that a table must have; space and time have one each, and either may be far below the
 * distance in both, as along the track of a satellite. */
static double least_apart(const sk_training *t, const double *p, const double *q, double apart)
{
    int64_t time = t->trial.time;
    if (time < 0)
        return apart > 0 ? apart : INFINITY;
    double later = fabs(p[time] - q[time]), away = 0;
    for (int64_t a = 0; a < t->trial.d; a++)
        away = a == time || isinf(t->m->frame.side[a]) ? away : hypot(away, p[a] - q[a]);
    return fmin(later > 0 ? later : INFINITY, away > 0 ? away : INFINITY);
}

/* Where the kernel's tables must be fast: distances inside some of the neighbourhoods, with room on both sides. */
static void measure_distances(sk_training *t)
{
    const sk_holdout *h = &t->batch;
    int64_t d = t->m->kriged.d, step = h->n / 256 + 1, pairs = 0;
    double nearest = INFINITY, farthest = 0;
    double least = INFINITY, most = 0; /* of squares, which spare a root a pair */
    for (int64_t a = 0; a < d; a++)
        t->offset[a] = 0;
    for (int64_t i = 0; i < h->n; i += step)
        for (int64_t j = 0; j < (h->count ? h->count[i] : h->k); j++) {
            const double *p = t->m->kriged.x + h->neighbor[i * h->k + j] * d;
            pairs++;
            for (int64_t a = 0; a < d; a++)
                t->offset[a] = hypot(t->offset[a], h->x[i * d + a] - p[a]);
            for (int64_t g = -1; g < j; g++) { /* -1: the point itself */
                const double *q = g < 0 ? h->x + i * d : t->m->kriged.x + h->neighbor[i * h->k + g] * d;
                double square = square_of(t, p, q);
                if (t->trial.time < 0 && is_safe(square)) {
                    least = square < least ? square : least;
                    most = square > most ? square : most;
                    continue;
                }
                double apart = is_safe(square) ? sqrt(square) : distance(t, p, q);
                nearest = fmin(nearest, least_apart(t, p, q, apart));
                farthest = fmax(farthest, apart);
            }
        }
    for (int64_t a = 0; a < d; a++)
        t->offset[a] /= sqrt((double)pairs);
    t->distance[0] = fmin(nearest, sqrt(least)) / 4;
    t->distance[1] = fmax(farthest, sqrt(most)) * 4;
}

static surekrig_status draw_batch(sk_training *t, surekrig_error *error)
{
    surekrig_status status = sk_holdout_new(t->m, (sk_holdout_wish){.n = t->m->settings->batch}, &t->batch, error);
    if (!status)
        status = sk_errors_new(t->m, t->batch.n, sk_loss_at(t->m->settings->loss)->needs_neighbors ? SK_WANT_BLOCK : 0,
                               &t->errors, error);
    t->variance_rel = status ? NULL : sk_doubles(t->batch.n);
    if (!status && !t->variance_rel)
        status = sk_fail_memory(error, 8.0 * (double)t->batch.n, "the batch");
    if (!status)
        measure_distances(t);
    return status;
}

static void set_loss(sk_training *t)
{
    surekrig_model *m = t->m;
    const surekrig_settings *settings = m->settings;
    for (int j = 0; j < settings->coverage.count; j++)
        t->z[j] = surekrig_quantile(settings->coverage.alpha[j]);
    t->loss = (sk_loss){sk_loss_at(settings->loss), settings->huber,          t->batch.n, m->data.l,
                        settings->coverage.count,   settings->coverage.alpha, t->z,       t->scale_range,
                        t->scale_range + m->data.l};
    for (int64_t q = 0; q < m->data.l; q++) {
        const sk_parameter *gamma2 = &settings->gamma2;
        double low = 1e-200, high = 1e200, spread = m->spread[q];
        if (gamma2->how == SK_FIXED)
            low = high = gamma2->fixed[0] / spread / spread;
        if (gamma2->how == SK_RANGE) {
            low = gamma2->lower / spread / spread;
            high = gamma2->upper / spread / spread;
        }
        t->scale_range[q] = m->data.noise ? 1 : low; /* with noise, gamma2 is in the variance already */
        t->scale_range[m->data.l + q] = m->data.noise ? 1 : high;
    }
}

surekrig_status sk_training_open(surekrig_model *m, const surekrig_progress *progress, sk_training *t,
                                 surekrig_error *error)
{
    double start = sk_now();
    *t = (sk_training){.m = m, .planned = 1};
    sk_ticker_start(&t->ticker, progress, "training");
    surekrig_status status = allocate(t, error);
    if (!status)
        status = draw_batch(t, error);
    if (!status)
        status = sk_training_space(t, error);
    if (!status) {
        set_loss(t);
        status = sk_machine_open(m, true, sk_thread_setting(m->settings), &t->machine, error);
        t->machine.distance = t->distance;
        t->machine.ticker = &t->ticker;
        m->info.batch = t->batch.n;
    }
    m->phase[1].seconds = sk_now() - start;
    if (status)
        sk_training_close(t);
    return status;
}
