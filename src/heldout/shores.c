/* Whether errors are larger beside the targets than elsewhere. Gaps need not lie at random: clouds prefer the mountains,
 * and what is held out all over the data then knows nothing of them. The data next to the targets, the shores, do: they
 * are left out together and predicted from farther inland, as the targets will be from them. With z the mean |error| / sd
 * on shores and on other held-out points,
 *   f = log(z_shore / z_other), of variance v between regions,   factor = exp(f (1 - v / f^2)) for f^2 > v, f > 0,
 * and 1 for what chance alone may do (a James-Stein estimate, its positive part). */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 2048, ENOUGH = 32 };
static const int64_t AT_MOST = 4; /* a part in so many of the data */

enum { TARGETS = 1 << 17 }; /* a sample of so many: millions of them take no longer */

/* The distance within which data are shores: half of the n targets lie as far from data, but no more than a part of the
 * data are hidden. far: of data to targets, [data]. scratch: [data or targets, the more]. */
static surekrig_status reach(const surekrig_model *m, surekrig_neighbor_query t, const double *far, double *scratch,
                             double *within, surekrig_error *error)
{
    const surekrig_data *data = &m->kriged;
    double share = 0;
    surekrig_status status = sk_distances(m, NULL, t, scratch, error);
    if (status)
        return status;
    sk_sort(t.n, scratch);
    *within = scratch[t.n / 2];
    memcpy(scratch, far, (size_t)sk_own(data) * sizeof *far);
    status = sk_values_nth(data, sk_own(data), scratch, data->n / AT_MOST, &share, error);
    *within = fmin(*within, share);
    return status;
}

/* shore: [own data] 1 where one is. */
static surekrig_status find(const surekrig_model *m, int64_t *shore, surekrig_error *error)
{
    const surekrig_data *data = &m->kriged;
    int64_t n = data->targets < TARGETS ? data->targets : TARGETS, own = sk_own(data), most = own > n ? own : n;
    double *far = sk_doubles(own), *scratch = sk_doubles(most), *target = sk_some_targets(m, m->settings->seed, n),
           within = 0;
    surekrig_index *targets = NULL;
    surekrig_status status = far && scratch && target ? SUREKRIG_OK
                                                      : sk_fail_memory(error, 24.0 * (double)most, "the shores");
    if (!status)
        status = sk_index_new(&(sk_points){n, data->d, target, &m->frame, sk_thread_setting(m->settings)}, &targets,
                              error);
    if (!status)
        status = sk_distances(m, &(sk_among){targets, target}, (surekrig_neighbor_query){.n = own, .x = data->x}, far,
                              error);
    if (!status)
        status = reach(m, (surekrig_neighbor_query){.n = n, .x = target}, far, scratch, &within, error);
    for (int64_t i = 0; i < own && !status; i++)
        shore[i] = far[i] < within;
    surekrig_index_free(targets);
    free(far);
    free(target);
    free(scratch);
    return status;
}

/* Some of the shores' rows, evenly in the file's order: row [POINTS], *count of them. */
static surekrig_status sample(const surekrig_data *data, const int64_t *shore, int64_t *row, int64_t *count,
                              surekrig_error *error)
{
    int64_t own = 0, nth[POINTS], *number = sk_alloc(sk_own(data), sizeof *number);
    if (!number)
        return sk_fail_memory(error, 8.0 * (double)sk_own(data), "the shores");
    for (int64_t i = 0; i < sk_own(data); i++)
        if (shore[i])
            number[own++] = sk_number(data, i);
    int64_t all = sk_sum(sk_ranks_of(data), own), wanted = all < POINTS ? all : POINTS;
    *count = 0;
    for (int64_t seen = 1; seen <= all && *count < wanted; seen++)
        if (seen * wanted > *count * all)
            nth[(*count)++] = seen - 1;
    surekrig_status status = sk_rows_nth(data, (sk_sorted){own, number}, *count, nth, row, error);
    free(number);
    return status ? status : sk_rows_take(data, *count, row, error);
}

/* The shores' points, with neighbours from farther inland. */
static surekrig_status hold_out(const surekrig_model *m, sk_holdout *h, surekrig_error *error)
{
    int64_t row[POINTS], n = 0, *own = NULL, *shore = sk_alloc(sk_own(&m->data), sizeof *shore);
    surekrig_status status = shore ? find(m, shore, error)
                                   : sk_fail_memory(error, 8.0 * (double)m->data.n, "the shores");
    if (!status)
        status = sample(&m->data, shore, row, &n, error);
    sk_model_derive(m);
    if (!status && n >= ENOUGH) {
        own = sk_alloc(n, sizeof *own);
        status = own ? sk_holdout_rows(m, n, row, h, error) : sk_fail_memory(error, 8.0 * (double)n, "the shores");
    }
    for (int64_t i = 0; i < n && own && !status; i++)
        own[i] = 1;
    surekrig_neighbor_query query = {.n = h->n, .x = h->x, .group = shore, .own_group = own};
    if (!status && n >= ENOUGH)
        status = sk_model_neighbors(m, query, h->neighbor, h->count, error);
    free(shore);
    free(own);
    return status;
}

/* Of errors, over responses and points. */
typedef struct sizes {
    double mean, error; /* and the standard error of its logarithm */
    int64_t regions;
} sizes;

static surekrig_status measure(const surekrig_model *m, const sk_holdout *h, const sk_errors *e, sizes *out,
                               surekrig_error *error)
{
    sk_regions regions = {0};
    double *value = sk_zeroed(h->n, sizeof *value);
    surekrig_status status = value ? sk_regions_new(m, h, &regions, error)
                                   : sk_fail_memory(error, 8.0 * (double)h->n, "the regions");
    for (int64_t i = 0; i < h->n && !status; i++)
        for (int64_t q = 0; q < m->data.l; q++)
            value[i] += sk_widths_size(m, e, i, q) / (double)m->data.l;
    if (!status)
        out->error = sk_regions_error(&regions, value, &out->mean) / out->mean;
    out->regions = regions.regions;
    sk_regions_free(&regions);
    free(value);
    return status;
}

surekrig_status sk_shores_measure(const surekrig_model *m, sk_machine *machine, const sk_holdout *others,
                                  const sk_errors *elsewhere, sk_shores *shores, surekrig_error *error)
{
    sk_holdout h = {0};
    sk_errors e = {0};
    sizes here = {1, NAN, 0}, there = {1, NAN, 0};
    *shores = (sk_shores){1, 0, 0};
    surekrig_status status = hold_out(m, &h, error);
    if (!status && h.n >= ENOUGH)
        status = sk_errors_new(m, h.n, SK_WANT_SCALE, &e, error);
    if (!status && h.n >= ENOUGH)
        status = sk_errors_fill(machine, &h, &e, error);
    if (!status && h.n >= ENOUGH)
        status = measure(m, &h, &e, &here, error);
    if (!status)
        status = measure(m, others, elsewhere, &there, error);
    double f = log(here.mean / there.mean), v = here.error * here.error + there.error * there.error;
    if (!status && isfinite(f) && isfinite(v))
        *shores = (sk_shores){f > 0 && f * f > v ? exp(f - v / f) : 1, sqrt(v),
                              here.error * sqrt((double)here.regions)};
    sk_holdout_free(&h);
    sk_errors_free(&e);
    return status;
}
