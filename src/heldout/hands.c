/* Held-out points dealt in hands, which have different neighbours:
 *   distance     the nearest beyond a target's distance to its nearest datum
 *   thinned      the nearest in a random sample of the data, of n, n/2, n/4, ... points in turn, so that all scales are
 *                seen, as in a likelihood in which each point has the points before it, in random order, for
 *                neighbours
 *   farther      the nearest beyond a distance, which doubles from hand to hand, as far as a part of the data lies within */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCES = 16, HALVINGS = 40 };
enum { CENTERS = 64, DOUBLINGS = 24 };
static const double MOST_WITHIN = 1 / 16.0; /* share of the data that may lie within the farthest distance */

/* Where a hand begins; the first n % hands have one more than the others. */
static int64_t hand_at(int64_t n, int64_t hands, int64_t hand)
{
    int64_t longer = n % hands;
    return hand * (n / hands) + (hand < longer ? hand : longer);
}

/* Every hands-th row in turn: each hand is spread over all of the data, and in increasing order. */
static surekrig_status deal(const surekrig_model *m, sk_holdout *h, int64_t hands, surekrig_error *error)
{
    int64_t *dealt = sk_copy(h->row, h->n, sizeof *dealt), at = 0;
    if (!dealt)
        return sk_fail_memory(error, 8.0 * (double)h->n, "held-out points");
    for (int64_t hand = 0; hand < hands; hand++)
        for (int64_t i = hand; i < h->n; i += hands)
            h->row[at++] = dealt[i];
    free(dealt);
    sk_holdout_places(m, h);
    return SUREKRIG_OK;
}

static bool mostly_whole(const sk_holdout *h, int64_t from, int64_t n)
{
    int64_t whole = 0;
    for (int64_t i = from; i < from + n; i++)
        whole += h->count[i] == h->k;
    return 2 * whole >= n;
}

/* Neighbours beyond a distance. Where the data do not reach that far, it is halved until at least half of the points
 * have all their neighbours; where many data share a place, that may take any neighbours at all. */
static surekrig_status beyond(const surekrig_model *m, sk_holdout *h, int64_t from, int64_t n, double distance,
                              surekrig_error *error)
{
    distance = fmin(distance, sk_frame_diagonal(&m->frame));
    surekrig_status status = sk_holdout_nearest(m, h, from, n, distance, error);
    for (int halved = 1; !status && distance > 0 && !mostly_whole(h, from, n); halved++) {
        distance = halved < HALVINGS ? distance / 2 : 0;
        status = sk_holdout_nearest(m, h, from, n, distance, error);
    }
    return status;
}

surekrig_status sk_surround_beyond(const surekrig_model *m, uint64_t seed, sk_holdout *h, surekrig_error *error)
{
    double far[DISTANCES * 64];
    int64_t parts = DISTANCES < h->n ? DISTANCES : h->n;
    surekrig_status status = sk_target_distances(m, seed, DISTANCES * 64, far, error);
    if (!status)
        status = deal(m, h, parts, error);
    for (int64_t p = 0; p < parts && !status; p++) {
        int64_t from = hand_at(h->n, parts, p), end = hand_at(h->n, parts, p + 1);
        status = beyond(m, h, from, end - from, far[(2 * p + 1) * DISTANCES * 64 / (2 * parts)], error);
    }
    return status;
}

/* Likewise where each rank has a part of the rows, and so of the sample. */
static surekrig_status in_dealt_sample(const surekrig_model *m, sk_holdout *h, int64_t from, int64_t n, int64_t size,
                                       surekrig_error *error)
{
    int threads = sk_thread_setting(m->settings);
    sk_thin thin;
    surekrig_neighbor_query query = {.n = n,
                                     .x = h->x + from * m->kriged.d,
                                     .k = h->k,
                                     .row = h->row + from,
                                     .sectors = m->settings->sectors,
                                     .threads = threads};
    surekrig_status status = sk_thin_open(&m->kriged, &m->frame,
                                          (sk_sample){m->settings->seed + (uint64_t)size, size, threads}, &thin, error);
    if (!status)
        status = sk_thin_neighbors(&thin, &m->data, query, h->neighbor + from * h->k, h->count + from, error);
    sk_thin_close(&thin);
    sk_model_derive(m);
    return status;
}

/* The neighbours of points from .. from+n-1 in a sample of the data. */
static surekrig_status in_sample(const surekrig_model *m, sk_holdout *h, int64_t from, int64_t n, int64_t size,
                                 surekrig_error *error)
{
    if (sk_is_spread(&m->data))
        return in_dealt_sample(m, h, from, n, size, error);
    int64_t d = m->kriged.d, *row = sk_alloc(size, sizeof *row), *own = sk_alloc(n, sizeof *own);
    double *x = sk_doubles(size * d);
    surekrig_index *index = NULL;
    surekrig_status status = row && x && own
                                 ? sk_sample_rows(m->settings->seed + (uint64_t)size, m->data.n, size, row, error)
                                 : sk_fail_memory(error, 8.0 * (double)(size * (d + 1)), "a thinned sample");
    for (int64_t i = 0; i < size && !status; i++)
        memcpy(x + i * d, m->kriged.x + row[i] * d, (size_t)d * sizeof *x);
    for (int64_t i = 0, at = 0; i < n && !status; i++) { /* its own place in the sample, both in increasing order */
        while (at < size && row[at] < h->row[from + i])
            at++;
        own[i] = at < size && row[at] == h->row[from + i] ? at : -1;
    }
    if (!status)
        status = sk_index_new(&(sk_points){size, d, x, &m->frame, sk_thread_setting(m->settings)}, &index, error);
    surekrig_neighbor_query query = {.n = n,
                                     .x = h->x + from * d,
                                     .k = h->k,
                                     .row = own,
                                     .sectors = m->settings->sectors,
                                     .threads = sk_thread_setting(m->settings)};
    if (!status)
        status = surekrig_neighbors(index, &query, h->neighbor + from * h->k, h->count + from, error);
    for (int64_t i = from * h->k; i < (from + n) * h->k && !status; i++)
        if (h->neighbor[i] >= 0)
            h->neighbor[i] = row[h->neighbor[i]];
    surekrig_index_free(index);
    free(row);
    free(own);
    free(x);
    return status;
}

surekrig_status sk_surround_thinned(const surekrig_model *m, sk_holdout *h, surekrig_error *error)
{
    int64_t levels = 1, least = 2 * h->k + 2;
    while (m->data.n >> levels >= least)
        levels++;
    levels = levels < h->n ? levels : h->n;
    surekrig_status status = deal(m, h, levels, error);
    for (int64_t i = 0; i < levels && !status; i++) {
        int64_t from = hand_at(h->n, levels, i), end = hand_at(h->n, levels, i + 1);
        status = i ? in_sample(m, h, from, end - from, m->data.n >> i, error)
                   : sk_holdout_nearest(m, h, from, end - from, 0, error);
    }
    return status;
}

/* From a row to the nearest that it is kriged from, the median of some rows; 0: there is none, or most rows share their
 * places. */
static surekrig_status usual_distance(const surekrig_model *m, double *distance, surekrig_error *error)
{
    double far[CENTERS];
    int64_t n = 0;
    surekrig_status status = sk_row_distances(m, (sk_holdout_wish){.n = CENTERS}, &n, far, error);
    *distance = !status && n ? far[n / 2] : 0;
    return status;
}

/* The share of the points within a distance of one of them. */
static double share_within(const surekrig_model *m, const sk_holdout *h, double distance)
{
    int64_t d = m->kriged.d, n = h->n < CENTERS ? h->n : CENTERS, within = 0;
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0, center = i * h->n / n; j < h->n; j++)
            within += j != center && sk_frame_distance(&m->frame, h->x + center * d, h->x + j * d) < distance;
    return (double)within / ((double)n * (double)h->n);
}

/* Twice the usual distance, four times, ... as far as it goes: how many, and the share of the data within each. */
static int64_t doublings(const surekrig_model *m, const sk_holdout *h, double distance, double *share)
{
    int64_t most = h->n < DOUBLINGS ? h->n : DOUBLINGS, count = 0;
    while (distance > 0 && count < most &&
           (share[count] = share_within(m, h, ldexp(distance, (int)count + 1))) <= MOST_WITHIN)
        count++;
    return count;
}

surekrig_status sk_surround_farther(const surekrig_model *m, sk_holdout *h, double *weight, surekrig_error *error)
{
    double distance = 0, share[DOUBLINGS];
    sk_holdout_places(m, h);
    surekrig_status status = usual_distance(m, &distance, error);
    int64_t hands = status ? 0 : doublings(m, h, distance, share);
    h->n = hands ? h->n : 0;
    if (hands)
        status = deal(m, h, hands, error);
    for (int64_t i = 0; i < hands && !status; i++) {
        int64_t from = hand_at(h->n, hands, i), n = hand_at(h->n, hands, i + 1) - from;
        double apart = 1 / share[i]; /* so many points have nothing in common: errors within the distance go together */
        for (int64_t j = from; j < from + n; j++)
            weight[j] = fmin(1, apart / (double)n);
        status = sk_holdout_nearest(m, h, from, n, ldexp(distance, (int)i + 1), error);
    }
    if (hands && !status)
        sk_holdout_drop_lonely(m, h, weight); /* one in the middle of a shell of data */
    return status;
}
