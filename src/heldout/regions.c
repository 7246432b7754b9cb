/* How far held-out points can be trusted. Errors side by side go together, so it is regions that count, not points: R of
 * them, with as many held-out points in each, whose means have the sd s. The targets are spread over the regions in
 * shares w_r, as over T = 1 / sum w_r^2 equal ones. The mean over new targets then differs from that over the held-out
 * points with variance s^2 / R + s^2 / T. Targets of one gap go together more than points that are left out one by one,
 * so the second s may be larger. Neither is less than chance makes it: c / (n / R) for s^2, and max(u, c) / N for N targets,
 * where u is the points' variance and c what it is where few of them show it, as of hits when none has missed. */
#include "heldout/heldout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REGIONS = 16, LEAST = 16, ASKED = 4096 }; /* LEAST points a region; ASKED targets at most */

void sk_regions_free(sk_regions *r)
{
    free(r->of);
    *r = (sk_regions){0};
}

/* The held-out points' places, and those of targets behind them. */
static double *gather(const surekrig_model *m, const sk_holdout *h, int64_t targets)
{
    int64_t d = m->kriged.d;
    double *x = sk_doubles((h->n + targets) * d);
    if (!x)
        return NULL;
    memcpy(x, h->x, (size_t)(h->n * d) * sizeof *x);
    for (int64_t i = 0; i < targets; i++)
        memcpy(x + (h->n + i) * d, sk_holdout_target(m, m->settings->seed, i), (size_t)d * sizeof *x);
    return x;
}

/* Along the order each region has as many of the n held-out points; a target is where the last of them was. */
static void deal(sk_regions *r, int64_t n, int64_t targets, const int64_t *order)
{
    double share[REGIONS] = {0}, squares = 0;
    int64_t seen = 0, regions = r->regions;
    for (int64_t o = 0; o < n + targets; o++) {
        int64_t at = order[o] < n ? seen++ : seen > 0 ? seen - 1 : 0, region = ((at + 1) * regions - 1) / n;
        if (order[o] < n)
            r->of[order[o]] = region;
        else
            share[region] += 1 / (double)targets;
    }
    for (int64_t i = 0; i < r->regions; i++)
        squares += share[i] * share[i];
    r->targets = targets ? 1 / squares : (double)r->regions;
}

surekrig_status sk_regions_new(const surekrig_model *m, const sk_holdout *h, sk_regions *out, surekrig_error *error)
{
    int64_t most = h->n / LEAST, targets = m->kriged.targets < ASKED ? m->kriged.targets : ASKED;
    sk_regions r = {.n = h->n, .regions = most < REGIONS ? most : REGIONS, .asked = m->kriged.targets};
    *out = r;
    if (r.regions < 2) /* too few points to tell */
        return SUREKRIG_OK;
    double *x = gather(m, h, targets);
    int64_t *order = sk_alloc(h->n + targets, sizeof *order);
    r.of = sk_alloc(h->n, sizeof *r.of);
    surekrig_status status = x && order && r.of ? SUREKRIG_OK
                                                : sk_fail_memory(error, 24.0 * (double)h->n, "the regions");
    if (!status)
        status = sk_seek_order(&(sk_seek){&m->kriged, m->index, &m->frame}, h->n + targets, x,
                               sk_thread_setting(m->settings), order, error);
    if (!status)
        deal(&r, h->n, targets, order);
    if (status)
        sk_regions_free(&r);
    *out = r;
    free(x);
    free(order);
    return status;
}

/* The regions' means. */
static void average(const sk_regions *r, const double *value, double *mean)
{
    int64_t count[REGIONS] = {0};
    for (int64_t b = 0; b < r->regions; b++)
        mean[b] = 0;
    for (int64_t i = 0; i < r->n; i++) {
        mean[r->of[i]] += value[i];
        count[r->of[i]]++;
    }
    for (int64_t b = 0; b < r->regions; b++)
        mean[b] /= (double)count[b];
}

/* The variance of n numbers, and their mean. */
static double variance(int64_t n, const double *value, double *mean)
{
    double sum = 0;
    *mean = 0;
    for (int64_t i = 0; i < n; i++)
        *mean += value[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        sum += (value[i] - *mean) * (value[i] - *mean);
    return sum / (double)(n - 1);
}

/* The regions' variance. */
static double between(const sk_regions *r, const double *value, double *mean)
{
    double region[REGIONS];
    average(r, value, region);
    return variance(r->regions, region, mean);
}

double sk_regions_error(const sk_regions *r, const double *value, double *mean)
{
    return r->regions < 2 ? NAN : sqrt(between(r, value, mean) / (double)r->regions);
}

double sk_regions_deviation(const sk_regions *r, const double *value, double least, double chance)
{
    double mean;
    if (r->regions < 2)
        return NAN;
    double s2 = fmax(between(r, value, &mean), chance * (double)r->regions / (double)r->n),
           single = fmax(variance(r->n, value, &mean), chance),
           targets = fmax(fmax(s2, least * least) / r->targets, r->asked ? single / (double)r->asked : 0);
    return sqrt(s2 / (double)r->regions + targets);
}
