/* Distances to the nearest: from targets to data, from rows to other rows; and whether the two are alike. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

surekrig_status sk_distances(const surekrig_model *m, const sk_among *among, surekrig_neighbor_query query, double *far,
                             surekrig_error *error)
{
    int64_t d = m->kriged.d, *row = sk_alloc(query.n, sizeof *row);
    const double *to = among ? among->x : m->kriged.x;
    query.k = 1;
    query.threads = sk_thread_setting(m->settings);
    surekrig_status status = !row    ? sk_fail_memory(error, 8.0 * (double)query.n, "distances to the nearest")
                             : among ? surekrig_neighbors(among->index, &query, row, NULL, error)
                                     : sk_model_find(m, &query, row, NULL, error);
    for (int64_t i = 0; i < query.n && !status; i++)
        far[i] = sk_frame_distance(&m->frame, query.x + i * d, to + row[i] * d);
    free(row);
    return status;
}

int64_t sk_holdout_target_number(const surekrig_model *m, uint64_t seed, int64_t i)
{
    return (int64_t)(sk_uniform(seed, SK_STREAM_TARGETS, (uint64_t)i) * (double)m->kriged.targets);
}

const double *sk_holdout_target(const surekrig_model *m, uint64_t seed, int64_t i)
{
    return m->kriged.target + sk_holdout_target_number(m, seed, i) * m->kriged.d;
}

double *sk_some_targets(const surekrig_model *m, uint64_t seed, int64_t n)
{
    int64_t d = m->kriged.d;
    double *x = sk_doubles(n * d);
    for (int64_t i = 0; i < n && x; i++)
        memcpy(x + i * d, n == m->kriged.targets ? m->kriged.target + i * d : sk_holdout_target(m, seed, i),
               (size_t)d * sizeof *x);
    return x;
}

surekrig_status sk_target_distances(const surekrig_model *m, uint64_t seed, int64_t n, double *far,
                                    surekrig_error *error)
{
    double *x = sk_some_targets(m, seed, n);
    if (!x)
        return sk_fail_memory(error, 8.0 * (double)(n * m->kriged.d), "targets");
    surekrig_status status = sk_distances(m, NULL, (surekrig_neighbor_query){.n = n, .x = x}, far, error);
    if (!status)
        sk_sort(n, far);
    free(x);
    return status;
}

surekrig_status sk_row_distances(const surekrig_model *m, sk_holdout_wish wish, int64_t *n, double *far,
                                 surekrig_error *error)
{
    sk_holdout h = {0};
    surekrig_status status = sk_holdout_choose(m, wish, &h, error);
    if (!status) {
        sk_holdout_places(m, &h);
        status = sk_holdout_nearest(m, &h, 0, h.n, 0, error);
    }
    *n = 0;
    for (int64_t i = 0; i < h.n && !status; i++) {
        double least = INFINITY;
        for (int64_t j = 0; j < h.count[i]; j++)
            least = fmin(least, sk_frame_distance(&m->frame, h.x + i * m->kriged.d,
                                                  m->kriged.x + h.neighbor[i * h.k + j] * m->kriged.d));
        if (h.count[i])
            far[(*n)++] = least;
    }
    if (!status)
        sk_sort(*n, far);
    sk_holdout_free(&h);
    return status;
}

/* The largest difference between the shares of two samples, both sorted, that lie below a value (Smirnov). */
static double difference(int64_t n, const double *a, int64_t k, const double *b)
{
    double most = 0;
    for (int64_t i = 0, j = 0; i < n && j < k;) {
        double at = fmin(a[i], b[j]);
        while (i < n && a[i] <= at)
            i++;
        while (j < k && b[j] <= at)
            j++;
        most = fmax(most, fabs((double)i / (double)n - (double)j / (double)k));
    }
    return most;
}

/* As far as distances to the nearest tell: at the 5 % of Smirnov's test, and none far beyond all rows, which few targets
 * would not show. */
surekrig_status sk_targets_are_as_rows(const surekrig_model *m, bool *alike, surekrig_error *error)
{
    enum { MOST = 256 };
    double there[MOST], here[MOST];
    int64_t targets = m->kriged.targets < MOST ? m->kriged.targets : MOST, rows = 0;
    surekrig_status status = sk_target_distances(m, m->settings->seed, targets, there, error);
    if (!status)
        status = sk_row_distances(m, (sk_holdout_wish){.n = MOST}, &rows, here, error);
    double n = (double)targets, k = (double)rows;
    *alike = !status && rows > 1 && there[targets - 1] <= 1.5 * here[rows - 1] &&
             difference(targets, there, rows, here) <= 1.36 * sqrt((n + k) / (n * k));
    return status;
}
