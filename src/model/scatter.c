/* How far the responses around a point lie apart: their variance around their mean, weighted with 1 / distance^2, in which each
 * doubling of the distance counts alike. The trend is off, as everywhere in kriging. */
#include "model/model.h"

#include <math.h>

enum { GRAIN = 256 };

/* Added to squared distances in units of the data's box: of neighbours at the point itself each counts alike, and no others. */
static const double NO_DISTANCE = 1e-290;

typedef struct scattering {
    const surekrig_model *m;
    const surekrig_neighborhoods *at;
    double *scatter;
} scattering;

/* Values are taken off the first one's, or squares of large ones would cancel. */
static double scatter_of(const surekrig_model *m, int64_t q, int64_t count, const int64_t *row, const double *x)
{
    int64_t d = m->data.d, width = m->kriged.l;
    const double *y = m->kriged.y + q;
    double spread = m->spread[q], first = y[row[0] * width] / spread, total = 0, sum = 0, squares = 0;
    for (int64_t j = 0; j < count; j++) {
        double weight = 1 / (sk_frame_square(&m->frame, x, m->data.x + row[j] * d) + NO_DISTANCE);
        double off = y[row[j] * width] / spread - first;
        total += weight;
        sum += weight * off;
        squares += weight * off * off;
    }
    double mean = sum / total, variance = squares / total - mean * mean;
    return variance > 0 ? variance : 0;
}

static void run(void *context, int64_t begin, int64_t end, int worker)
{
    (void)worker;
    const scattering *s = context;
    int64_t l = s->m->data.l, k = s->at->k;
    for (int64_t i = begin; i < end; i++)
        for (int64_t q = 0; q < l; q++)
            s->scatter[i * l + q] = scatter_of(s->m, q, s->at->count ? s->at->count[i] : k, s->at->neighbor + i * k,
                                               s->at->x + i * s->m->data.d);
}

void sk_scatter(const surekrig_model *m, const surekrig_neighborhoods *at, int threads, double *scatter)
{
    scattering s = {m, at, scatter};
    sk_parallel(&(sk_task){at->n, GRAIN, threads, run, &s, NULL});
}
