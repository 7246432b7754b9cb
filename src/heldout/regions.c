/* How far held-out points can be trusted. Errors side by side go together, so it is regions that count, not points: R
 * of them, cut like a cake by halves, with as many held-out points in each, whose means have the sd s. Two held-out
 * points are nearer to one another than r with the chance 1 / R, that of being in one region; two targets with the
 * chance 1 / T: they are worth T regions, one gap about one, wherever it is cut. The mean over new targets then differs
 * from that over the held-out points with variance s^2 / R + s^2 / T. Targets of one gap go together more than points
 * that are left out one by one, so the second s may be larger. Neither is less than chance makes it: c / (n / R) for
 * s^2, and max(u, c) / N for N targets, where u is the points' variance and c what it is where few of them show it, as
 * of hits when none has missed. Targets among the rows share their regions with the held-out points. What regions
 * differ by then counts only as far as the shares do, s^2 (1 / T - 1 / R), beside the chance of both: s^2 / T + u / N
 * in all. */
#include "heldout/heldout.h"

#include <math.h>
#include <stdlib.h>

enum { REGIONS = 16, LEAST = 16, PAIRED = 256 }; /* LEAST points a region; PAIRED with each other */

typedef struct places {
    int64_t n, d;
    const double *x; /* [n][d] */
} places;

void sk_regions_free(sk_regions *r)
{
    free(r->of);
    *r = (sk_regions){0};
}

/* ---- regions */

/* A held-out point, and where it lies along an axis. */
typedef struct placed {
    double at;
    int64_t point;
} placed;

static int by_place(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    return p->at != q->at ? (p->at > q->at) - (p->at < q->at) : (p->point > q->point) - (p->point < q->point);
}

/* Along which these reach farthest. x: [points][d] */
static int64_t longest_axis(const double *x, int64_t d, int64_t count, const placed *of)
{
    int64_t axis = 0;
    double longest = -1;
    for (int64_t a = 0; a < d; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < count; i++) {
            low = fmin(low, x[of[i].point * d + a]);
            high = fmax(high, x[of[i].point * d + a]);
        }
        axis = high - low > longest ? a : axis;
        longest = fmax(longest, high - low);
    }
    return axis;
}

/* Halves of these, along their longest axis, until each is a region: first, first + 1, ... */
static void deal(sk_regions *r, places x, int64_t first, int64_t regions, placed *of)
{
    int64_t left = x.n * (regions / 2) / regions;
    for (int64_t i = 0; i < x.n && regions == 1; i++)
        r->of[of[i].point] = first;
    if (regions == 1)
        return;
    int64_t axis = longest_axis(x.x, x.d, x.n, of);
    for (int64_t i = 0; i < x.n; i++)
        of[i].at = x.x[of[i].point * x.d + axis];
    qsort(of, (size_t)x.n, sizeof *of, by_place);
    deal(r, (places){left, x.d, x.x}, first, regions / 2, of);
    deal(r, (places){x.n - left, x.d, x.x}, first + regions / 2, regions - regions / 2, of + left);
}

/* ---- how many of them the targets are worth */

/* Squares of the distances between PAIRED of the places, evenly chosen, or all; how many. */
static int64_t pair(places x, double *square)
{
    int64_t many = x.n < PAIRED ? x.n : PAIRED, count = 0;
    for (int64_t i = 0; i < many; i++)
        for (int64_t j = 0; j < i; j++) {
            const double *p = x.x + i * x.n / many * x.d, *q = x.x + j * x.n / many * x.d;
            square[count] = 0;
            for (int64_t a = 0; a < x.d; a++)
                square[count] += (p[a] - q[a]) * (p[a] - q[a]);
            count++;
        }
    return count;
}

static double worth(places held, places targets, int64_t regions, double *square)
{
    int64_t pairs = pair(held, square), near = 0;
    sk_sort(pairs, square);
    double reach = square[pairs / regions];
    pairs = pair(targets, square);
    for (int64_t i = 0; i < pairs; i++)
        near += square[i] < reach;
    return near * regions > pairs ? (double)pairs / (double)near : (double)regions;
}

/* ---- */

/* In units of the frame's sides: the held-out points, then targets drawn at random. */
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

surekrig_status sk_regions_new(const surekrig_model *m, const sk_holdout *h, sk_regions *out, surekrig_error *error)
{
    int64_t most = h->n / LEAST, d = m->kriged.d, targets = m->kriged.targets ? PAIRED : 0;
    sk_regions r = {.n = h->n, .regions = most < REGIONS ? most : REGIONS, .asked = m->kriged.targets};
    *out = r;
    if (r.regions < 2) /* too few points to tell */
        return SUREKRIG_OK;
    double *x = gather(m, h, targets), *square = sk_doubles(PAIRED * PAIRED / 2);
    placed *of = sk_alloc(h->n, sizeof *of);
    r.of = sk_alloc(h->n, sizeof *r.of);
    r.targets = (double)r.regions;
    bool room = x && square && of && r.of;
    for (int64_t i = 0; i < h->n && room; i++)
        of[i].point = i;
    if (room)
        deal(&r, (places){h->n, d, x}, 0, r.regions, of);
    if (room && targets)
        r.targets = worth((places){h->n, d, x}, (places){targets, d, x + h->n * d}, r.regions, square);
    free(x);
    free(square);
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
