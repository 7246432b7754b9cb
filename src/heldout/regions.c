/* How far held-out points can be trusted. Errors side by side go together, so it is regions that count, not points: R of
 * them, cut like a cake by halves, with as many held-out points in each, whose means have the sd s. The targets are spread over the regions in
 * shares w_r, as over T = 1 / sum w_r^2 equal ones. The mean over new targets then differs from that over the held-out
 * points with variance s^2 / R + s^2 / T. Targets of one gap go together more than points that are left out one by one,
 * so the second s may be larger. Neither is less than chance makes it: c / (n / R) for s^2, and max(u, c) / N for N targets,
 * where u is the points' variance and c what it is where few of them show it, as of hits when none has missed.
 * Targets among the rows share their regions with the held-out points. What regions differ by then counts only as far as
 * the shares do, s^2 (1 / T - 1 / R), beside the chance of both: s^2 / T + u / N in all. */
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

/* One of the held-out points or, from n on, of the targets, and where it lies along an axis. */
typedef struct placed {
    double at;
    int64_t point;
} placed;

typedef struct dealing {
    sk_regions *r;
    const double *x; /* [held-out points, then targets][d], in units of the frame's sides */
    int64_t d, targets;
    double share[REGIONS]; /* of the targets */
} dealing;

static double *gather(const surekrig_model *m, const sk_holdout *h, int64_t targets)
{
    int64_t d = m->kriged.d;
    double *x = sk_doubles((h->n + targets) * d);
    for (int64_t i = 0; i < h->n + targets && x; i++) {
        const double *from = i < h->n ? h->x + i * d : sk_holdout_target(m, m->settings->seed, i - h->n);
        for (int64_t a = 0; a < d; a++)
            x[i * d + a] = from[a] / m->frame.side[a];
    }
    return x;
}

static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    return p->at != q->at ? (p->at > q->at) - (p->at < q->at) : (p->point > q->point) - (p->point < q->point);
}

/* Along which the held-out points among these reach farthest. */
static int64_t longest_axis(const dealing *g, int64_t count, const placed *of)
{
    int64_t axis = 0;
    double longest = -1;
    for (int64_t a = 0; a < g->d; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++)
            if (of[i].point < g->r->n) {
                low = fmin(low, g->x[of[i].point * g->d + a]);
                high = fmax(high, g->x[of[i].point * g->d + a]);
            }
        axis = high - low > longest ? a : axis;
        longest = fmax(longest, high - low);
    }
    return axis;
}

/* Halves of these, along their longest axis, until each is a region; each has its share of the held-out points, and the
 * targets beside them. */
static void deal(dealing *g, int64_t first, int64_t regions, int64_t count, placed *of)
{
    int64_t n = g->r->n, held = 0, left = 0, cut = 0;
    if (regions == 1) {
        for (int64_t i = 0; i < count; i++)
            if (of[i].point < n)
                g->r->of[of[i].point] = first;
            else
                g->share[first] += 1 / (double)g->targets;
        return;
    }
    int64_t axis = longest_axis(g, count, of);
    for (int64_t i = 0; i < count; i++) {
        of[i].at = g->x[of[i].point * g->d + axis];
        held += of[i].point < n;
    }
    qsort(of, (size_t)count, sizeof *of, by_place);
    while (left < held * (regions / 2) / regions)
        left += of[cut++].point < n;
    deal(g, first, regions / 2, cut, of);
    deal(g, first + regions / 2, regions - regions / 2, count - cut, of + cut);
}

surekrig_status sk_regions_new(const surekrig_model *m, const sk_holdout *h, sk_regions *out, surekrig_error *error)
{
    int64_t most = h->n / LEAST, targets = m->kriged.targets < ASKED ? m->kriged.targets : ASKED;
    sk_regions r = {.n = h->n, .regions = most < REGIONS ? most : REGIONS, .asked = m->kriged.targets};
    *out = r;
    if (r.regions < 2) /* too few points to tell */
        return SUREKRIG_OK;
    double *x = gather(m, h, targets), squares = 0;
    placed *of = sk_alloc(h->n + targets, sizeof *of);
    r.of = sk_alloc(h->n, sizeof *r.of);
    bool room = x && of && r.of;
    dealing g = {.r = &r, .x = x, .d = m->kriged.d, .targets = targets};
    for (int64_t i = 0; i < h->n + targets && room; i++)
        of[i].point = i;
    if (room)
        deal(&g, 0, r.regions, h->n + targets, of);
    for (int64_t i = 0; i < r.regions; i++)
        squares += g.share[i] * g.share[i];
    r.targets = targets ? 1 / squares : (double)r.regions;
    free(x);
    free(of);
    if (!room)
        sk_regions_free(&r);
    *out = r;
    return room ? SUREKRIG_OK : sk_fail_memory(error, 24.0 * (double)h->n, "the regions");
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
           single = fmax(variance(r->n, value, &mean), chance), chances = r->asked ? single / (double)r->asked : 0,
           targets = fmax(fmax(s2, least * least) / r->targets, chances);
    if (r->shared)
        return sqrt(s2 / r->targets + chances);
    return sqrt(s2 / (double)r->regions + targets);
}
