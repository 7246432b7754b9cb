/* How near to a datum a prediction may be sure. Where features are left out, or the nugget is a little too small, points
 * at nearly no distance from a datum get variances that nothing has tested: the batch has few such points. So rows with
 * the nearest neighbours are left out too, and where their errors are larger than their variances say, the least
 * variance is the mean of their squares. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 8192, NEAREST = 256, ENOUGH = 16 };
static const double NEAR = 0.1; /* times the batch's median variance: below it nothing was tested */
static const double SURE = 10;  /* by so much must the floor raise the near points' log likelihood */

typedef struct placed {
    double distance;
    int64_t number, row;
} placed;

static int by_distance(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    return p->distance < q->distance   ? -1
           : p->distance > q->distance ? 1
                                       : (p->number > q->number) - (p->number < q->number);
}

/* Of a sample of the rows, those that lie nearest to another one: row [NEAREST], *count of them. */
static surekrig_status nearest_rows(const surekrig_model *m, int64_t *row, int64_t *count, surekrig_error *error)
{
    int64_t n = m->data.n < LOOKED_AT ? m->data.n : LOOKED_AT, d = m->kriged.d;
    int64_t *sample = sk_alloc(n, sizeof *sample);
    placed *at = sk_alloc(n, sizeof *at);
    double *x = sk_doubles(n * d), *far = sk_doubles(n);
    surekrig_status status = sample && at && x && far
                                 ? sk_rows_sample(&m->data, m->settings->seed, n, sample, error)
                                 : sk_fail_memory(error, 8.0 * (double)(n * (d + 4)), "points near data");
    sk_model_derive(m);
    for (int64_t i = 0; i < n && !status; i++)
        memcpy(x + i * d, m->kriged.x + sample[i] * d, (size_t)d * sizeof *x);
    surekrig_neighbor_query each = {.n = n, .x = x, .row = sample, .slack = sk_model_slack(m)};
    if (!status)
        status = sk_distances(m, NULL, each, far, error);
    for (int64_t i = 0; i < n && !status; i++)
        at[i] = (placed){far[i], sk_number(&m->data, sample[i]), sample[i]};
    if (!status)
        qsort(at, (size_t)n, sizeof *at, by_distance);
    *count = n < NEAREST ? n : NEAREST;
    for (int64_t i = 0; i < *count && !status; i++)
        row[i] = at[i].row;
    free(sample);
    free(far);
    free(at);
    free(x);
    return status;
}

static double median_variance(const surekrig_model *m, const sk_errors *e, int64_t q, double *scratch)
{
    for (int64_t i = 0; i < e->n; i++)
        scratch[i] = sk_errors_variance_std(m, e, i, q);
    sk_sort(e->n, scratch);
    return scratch[e->n / 2];
}

/* How large squared errors are, in their variances: by their median, which points near data do not move. */
static double usual_square(const surekrig_model *m, const sk_errors *e, int64_t q, double *scratch)
{
    static const double NORMAL_MEDIAN = 0.4549; /* of a squared normal */
    for (int64_t i = 0; i < e->n; i++)
        scratch[i] = pow(sk_errors_residual_std(m, e, i, q), 2) / sk_errors_variance_std(m, e, i, q);
    sk_sort(e->n, scratch);
    return scratch[e->n / 2] / NORMAL_MEDIAN;
}

/* The least variance of response q; 0: none is needed. near, batch: errors. Variances are first multiplied by what all
 * errors ask for, lest heavy tails be taken for it. */
static double floor_std(const surekrig_model *m, const sk_errors *near, const sk_errors *batch, int64_t q,
                        double *scratch)
{
    double below = NEAR * median_variance(m, batch, q, scratch), usual = fmax(usual_square(m, batch, q, scratch), 1);
    double sum = 0, gain = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < near->n; i++)
        if (sk_errors_variance_std(m, near, i, q) < below) {
            sum += pow(sk_errors_residual_std(m, near, i, q), 2);
            count++;
        }
    double least = fmin(sum / fmax((double)count, 1), below);
    for (int64_t i = 0; i < near->n; i++) {
        double variance = usual * sk_errors_variance_std(m, near, i, q), more = fmax(variance, usual * least);
        if (variance < usual * below)
            gain += (log(variance / more) + pow(sk_errors_residual_std(m, near, i, q), 2) * (1 / variance - 1 / more)) /
                    2;
    }
    return count >= ENOUGH && gain > SURE ? least : 0;
}

surekrig_status sk_floor_train(surekrig_model *m, sk_machine *machine, const sk_errors *batch, surekrig_error *error)
{
    int64_t l = m->data.l, n = 0, row[NEAREST];
    sk_holdout near = {0};
    sk_errors e = {0};
    free(m->widths.floor_std);
    m->widths.floor_std = NULL;
    if (m->data.noise) /* variances are known */
        return SUREKRIG_OK;
    surekrig_status status = nearest_rows(m, row, &n, error);
    double *found = sk_zeroed(l, sizeof *found), *scratch = sk_doubles(batch->n);
    if (!status && (!found || !scratch))
        status = sk_fail_memory(error, 8.0 * (double)(l + batch->n), "the least variance");
    if (!status)
        status = sk_holdout_rows(m, n, row, &near, error);
    if (!status)
        status = sk_errors_new(m, near.n, SK_WANT_SCALE, &e, error);
    if (!status)
        status = sk_errors_fill(machine, &near, &e, error);
    bool any = false;
    for (int64_t q = 0; q < l && !status; q++) {
        found[q] = floor_std(m, &e, batch, q, scratch);
        any |= found[q] > 0;
    }
    if (any) {
        m->widths.floor_std = found;
        found = NULL;
    }
    free(found);
    free(scratch);
    sk_holdout_free(&near);
    sk_errors_free(&e);
    return status;
}
