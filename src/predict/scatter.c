/* How far the responses around a point lie apart, the nearer the more: their variance around their mean, weighted with
 *   1 / (distance^2 + farthest^2 / k),
 * so that no datum counts alone for a point that is on it or close by. The trend is off, as everywhere in kriging. */
#include "predict/predict.h"

#include <math.h>
#include <stdlib.h>

enum { GRAIN = 256 };

typedef struct scattering {
    const surekrig_model *m;
    const surekrig_neighborhoods *at;
    double *weight; /* [threads][k] */
    double *scatter;
} scattering;

/* They add up to 1. Where all neighbours share the point's place, or distances are too large to be squared, they are
 * alike. */
static void set_weights(const surekrig_model *m, int64_t count, const int64_t *row, const double *x, double *weight)
{
    double farthest = 0, total = 0;
    for (int64_t j = 0; j < count; j++) {
        weight[j] = sk_frame_square(&m->frame, x, m->kriged.x + row[j] * m->kriged.d);
        farthest = fmax(farthest, weight[j]);
    }
    bool apart = farthest > 0 && isfinite(farthest);
    for (int64_t j = 0; j < count; j++)
        total += weight[j] = apart ? 1 / (weight[j] / farthest + 1 / (double)count) : 1;
    for (int64_t j = 0; j < count; j++)
        weight[j] /= total;
}

/* Values are taken off the first one's, or the squares of large ones would cancel. */
static double weighted_variance(const surekrig_model *m, int64_t q, int64_t count, const int64_t *row,
                                const double *weight)
{
    const double *y = m->kriged.y + q;
    int64_t width = m->kriged.l;
    double spread = m->spread[q], first = y[row[0] * width] / spread, mean = 0, squares = 0;
    for (int64_t j = 0; j < count; j++) {
        double off = y[row[j] * width] / spread - first;
        mean += weight[j] * off;
        squares += weight[j] * off * off;
    }
    return fmax(squares - mean * mean, 0);
}

static void run(void *context, int64_t begin, int64_t end, int worker)
{
    const scattering *s = context;
    int64_t l = s->m->data.l, k = s->at->k;
    double *weight = s->weight + worker * k;
    for (int64_t i = begin; i < end; i++) {
        int64_t count = s->at->count ? s->at->count[i] : k;
        const int64_t *row = s->at->neighbor + i * k;
        set_weights(s->m, count, row, s->at->x + i * s->m->kriged.d, weight);
        for (int64_t q = 0; q < l; q++)
            s->scatter[i * l + q] = weighted_variance(s->m, q, count, row, weight);
    }
}

surekrig_status sk_scatter_std(const surekrig_model *m, const surekrig_neighborhoods *at, int threads, double *scatter,
                               surekrig_error *error)
{
    threads = sk_threads(threads);
    scattering s = {m, at, sk_doubles(threads * at->k), scatter};
    if (!s.weight)
        return sk_fail_memory(error, 8.0 * (double)(threads * at->k), "the neighbours' weights");
    sk_parallel(&(sk_task){at->n, GRAIN, threads, run, &s, NULL});
    free(s.weight);
    return SUREKRIG_OK;
}
