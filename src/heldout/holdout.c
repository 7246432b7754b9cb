/* Points of the data left out in turn, each with neighbours to be predicted from: its nearest, or such as a target has.
 *   transplant   a target's neighbours, moved with it onto the point, each to the nearest datum: the gap around the
 *                target is around the point. Where too few find a datum of their own nearby, another point is tried
 *   similar      likewise, roughly
 *   distance     the nearest beyond a target's distance to its nearest datum
 *   task         without the rows that a target has no data from either, in places and times (task.c)
 *   thinned      the nearest in a random sample of the data, of n, n/2, n/4, ... points in turn, so that all scales are
 *                seen, as in a likelihood in which each point has the points before it, in random order, for
 *                neighbours */
#include "heldout/heldout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DISTANCES = 16, HALVINGS = 40 };
enum { FEW_ROWS = 400 }; /* with fewer, all that they say of each other is worth more than what some say of gaps */
static const double FEW = 0.25; /* share of the targets: where fewer find a place, another way is tried */

void sk_holdout_free(sk_holdout *h)
{
    free(h->row);
    free(h->neighbor);
    free(h->target);
    free(h->count);
    free(h->x);
    *h = (sk_holdout){0};
}

static surekrig_status allocate(const surekrig_model *m, int64_t n, sk_holdout *h, surekrig_error *error)
{
    *h = (sk_holdout){.n = n, .k = m->info.neighbors, .accepted = 1};
    h->row = sk_alloc(n, sizeof *h->row);
    h->neighbor = sk_alloc(n * h->k, sizeof *h->neighbor);
    h->target = sk_zeroed(n, sizeof *h->target);
    h->count = sk_alloc(n, sizeof *h->count);
    h->x = sk_doubles(n * m->kriged.d);
    if (h->row && h->neighbor && h->target && h->count && h->x)
        return SUREKRIG_OK;
    sk_holdout_free(h);
    return sk_fail_memory(error, 8.0 * (double)(n * (m->info.neighbors + m->kriged.d + 3)), "held-out points");
}

static uint64_t seed_of(const surekrig_model *m, sk_holdout_wish wish)
{
    return m->settings->seed + wish.part * 0x9e3779b97f4a7c15u;
}

/* ---- which rows */

/* Takes the rows to avoid out of the holdout's, which are in increasing order, by their numbers in the file. */
static surekrig_status drop(const surekrig_model *m, sk_holdout *h, const sk_holdout *avoid, surekrig_error *error)
{
    int64_t kept = 0, at = 0, *seen = sk_copy(avoid->row, avoid->n, sizeof *seen);
    if (!seen)
        return sk_fail_memory(error, 8.0 * (double)avoid->n, "the rows of the batch");
    for (int64_t i = 0; i < avoid->n; i++)
        seen[i] = sk_number(&m->data, seen[i]);
    sk_sort_numbers(avoid->n, seen);
    for (int64_t i = 0; i < h->n; i++) {
        while (at < avoid->n && seen[at] < h->row[i])
            at++;
        if (at == avoid->n || seen[at] != h->row[i])
            h->row[kept++] = h->row[i];
    }
    h->n = kept;
    free(seen);
    return SUREKRIG_OK;
}

/* The batch is a sample of its own; what avoids it is drawn somewhat larger, and may be smaller in the end. Fewer than
 * half of what was wished are worth less than rows that were seen before. */
static surekrig_status choose_rows(const surekrig_model *m, sk_holdout_wish wish, sk_holdout *h, surekrig_error *error)
{
    int64_t n = m->data.n, taken = wish.avoid ? wish.avoid->n : 0, left = n - taken;
    bool enough = left >= wish.n / 2 && left > 0;
    int64_t draw = wish.n < n ? wish.n : n;
    if (taken && enough)
        draw = wish.n < left ? (int64_t)((double)wish.n * (double)n / (double)left) : n;
    surekrig_status status = allocate(m, draw, h, error);
    if (!status)
        status = sk_sample_rows(seed_of(m, wish), n, draw, h->row, error);
    if (!status && taken && enough)
        status = drop(m, h, wish.avoid, error);
    if (!status)
        status = sk_rows_take(&m->data, h->n, h->row, error);
    if (!status)
        sk_model_derive(m);
    return status;
}

void sk_holdout_places(const surekrig_model *m, sk_holdout *h)
{
    size_t bytes = (size_t)m->kriged.d * sizeof(double);
    for (int64_t i = 0; i < h->n; i++)
        memcpy(h->x + i * m->kriged.d, m->kriged.x + h->row[i] * m->kriged.d, bytes);
}

/* ---- nearest, or beyond a distance */

static surekrig_status nearest(const surekrig_model *m, sk_holdout *h, int64_t from, int64_t n, double beyond,
                               surekrig_error *error)
{
    surekrig_neighbor_query query = {
        .n = n, .x = h->x + from * m->kriged.d, .row = h->row + from, .min_distance = beyond, .group = m->data.group};
    int64_t *own = m->data.group ? sk_alloc(n, sizeof *own) : NULL;
    if (m->data.group && !own)
        return sk_fail_memory(error, 8.0 * (double)n, "held-out points");
    for (int64_t i = 0; i < n && own; i++)
        own[i] = m->data.group[h->row[from + i]];
    query.own_group = own;
    surekrig_status status = sk_model_neighbors(m, query, h->neighbor + from * h->k, h->count + from, error);
    free(own);
    return status;
}

const double *sk_holdout_target(const surekrig_model *m, uint64_t seed, int64_t i)
{
    double u = sk_uniform(seed, SK_STREAM_TARGETS, (uint64_t)i);
    return m->kriged.target + (int64_t)(u * (double)m->kriged.targets) * m->kriged.d;
}

/* far: [n] the distances of n targets, drawn or all, to their nearest datum, in increasing order. */
static surekrig_status target_distances(const surekrig_model *m, uint64_t seed, int64_t n, double *far,
                                        surekrig_error *error)
{
    int64_t d = m->kriged.d, *row = sk_alloc(n, sizeof *row);
    double *x = sk_doubles(n * d);
    surekrig_status status = row && x ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(n * (d + 1)), "targets");
    for (int64_t i = 0; i < n && !status; i++)
        memcpy(x + i * d, n == m->kriged.targets ? m->kriged.target + i * d : sk_holdout_target(m, seed, i),
               (size_t)d * sizeof *x);
    surekrig_neighbor_query one = {.n = n, .x = x, .k = 1, .threads = sk_thread_setting(m->settings)};
    if (!status)
        status = sk_model_find(m, &one, row, NULL, error);
    for (int64_t i = 0; i < n && !status; i++)
        far[i] = sk_frame_distance(&m->frame, x + i * d, m->kriged.x + row[i] * d);
    if (!status)
        sk_sort(n, far);
    free(row);
    free(x);
    return status;
}

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
    surekrig_status status = nearest(m, h, from, n, distance, error);
    for (int halved = 1; !status && distance > 0 && !mostly_whole(h, from, n); halved++) {
        distance = halved < HALVINGS ? distance / 2 : 0;
        status = nearest(m, h, from, n, distance, error);
    }
    return status;
}

static surekrig_status beyond_distances(const surekrig_model *m, sk_holdout_wish wish, sk_holdout *h,
                                        surekrig_error *error)
{
    double far[DISTANCES * 64];
    int64_t parts = DISTANCES < h->n ? DISTANCES : h->n;
    surekrig_status status = target_distances(m, seed_of(m, wish), DISTANCES * 64, far, error);
    if (!status)
        status = deal(m, h, parts, error);
    for (int64_t p = 0; p < parts && !status; p++) {
        int64_t from = hand_at(h->n, parts, p), end = hand_at(h->n, parts, p + 1);
        status = beyond(m, h, from, end - from, far[(2 * p + 1) * DISTANCES * 64 / (2 * parts)], error);
    }
    return status;
}

/* ---- thinned */

/* The neighbours of points from .. from+n-1 in a sample of the data. */
static surekrig_status in_sample(const surekrig_model *m, sk_holdout *h, int64_t from, int64_t n, int64_t size,
                                 surekrig_error *error)
{
    if (sk_refuse_many(&m->data, "holdout = thinned is", error))
        return SUREKRIG_INVALID;
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

static surekrig_status thin(const surekrig_model *m, sk_holdout *h, surekrig_error *error)
{
    int64_t levels = 1, least = 2 * h->k + 2;
    while (m->data.n >> levels >= least)
        levels++;
    levels = levels < h->n ? levels : h->n;
    surekrig_status status = deal(m, h, levels, error);
    for (int64_t i = 0; i < levels && !status; i++) {
        int64_t from = hand_at(h->n, levels, i), end = hand_at(h->n, levels, i + 1);
        status = i ? in_sample(m, h, from, end - from, m->data.n >> i, error)
                   : nearest(m, h, from, end - from, 0, error);
    }
    return status;
}

/* ---- all */

static bool all_whole(const sk_holdout *h)
{
    for (int64_t i = 0; i < h->n; i++)
        if (h->count[i] != h->k)
            return false;
    return true;
}

/* No neighbour: nothing to predict from. */
static void drop_lonely(const surekrig_model *m, sk_holdout *h)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < h->n; i++) {
        if (h->count[i] == 0)
            continue;
        h->row[kept] = h->row[i];
        h->target[kept] = h->target[i];
        h->count[kept] = h->count[i];
        memmove(h->neighbor + kept * h->k, h->neighbor + i * h->k, (size_t)h->k * sizeof *h->neighbor);
        kept++;
    }
    h->n = kept;
    sk_holdout_places(m, h);
}

/* Of as many rows, each left out: the distances to the nearest of their neighbours, in increasing order. */
static surekrig_status row_distances(const surekrig_model *m, sk_holdout_wish wish, int64_t *n, double *far,
                                     surekrig_error *error)
{
    sk_holdout h = {0};
    surekrig_status status = choose_rows(m, wish, &h, error);
    if (!status) {
        sk_holdout_places(m, &h);
        status = nearest(m, &h, 0, h.n, 0, error);
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

/* Whether targets lie among the data as the data do themselves, as far as distances to the nearest tell: at the 5 % of
 * Smirnov's test, and none far beyond all rows, which few targets would not show. Then leaving out one row at a time is
 * the task itself, with all rows to learn from. */
static surekrig_status targets_are_as_rows(const surekrig_model *m, bool *alike, surekrig_error *error)
{
    enum { MOST = 256 };
    double there[MOST], here[MOST];
    int64_t targets = m->kriged.targets < MOST ? m->kriged.targets : MOST, rows = 0;
    surekrig_status status = target_distances(m, m->settings->seed, targets, there, error);
    if (!status)
        status = row_distances(m, (sk_holdout_wish){.n = MOST}, &rows, here, error);
    double n = (double)targets, k = (double)rows;
    *alike = !status && rows > 1 && there[targets - 1] <= 1.5 * here[rows - 1] &&
             difference(targets, there, rows, here) <= 1.36 * sqrt((n + k) / (n * k));
    return status;
}

static surekrig_status geometry_of(const surekrig_model *m, sk_holdout_wish wish, sk_geometry *geometry,
                                   surekrig_error *error)
{
    bool task = false;
    *geometry = (sk_geometry)m->settings->holdout;
    if (m->data.group && (*geometry == SK_GEOMETRY_AUTO || *geometry == SK_GEOMETRY_NEAREST))
        *geometry = SK_GEOMETRY_GROUP;
    if (*geometry != SK_GEOMETRY_AUTO)
        return SUREKRIG_OK;
    surekrig_status status = sk_task_fits(m, m->settings->seed, &task, error);
    bool alike = m->kriged.targets < 1 || (!wish.told && m->data.n < FEW_ROWS);
    if (!status && !task && !alike)
        status = targets_are_as_rows(m, &alike, error);
    *geometry = task ? SK_GEOMETRY_TASK : alike ? SK_GEOMETRY_NEAREST : SK_GEOMETRY_TRANSPLANT;
    return status;
}

surekrig_status sk_holdout_rows(const surekrig_model *m, int64_t n, const int64_t *row, sk_holdout *h,
                                surekrig_error *error)
{
    surekrig_status status = allocate(m, n, h, error);
    if (status)
        return status;
    h->geometry = SK_GEOMETRY_NEAREST;
    memcpy(h->row, row, (size_t)n * sizeof *row);
    sk_holdout_places(m, h);
    surekrig_neighbor_query query = {.n = n,
                                     .x = h->x,
                                     .k = h->k,
                                     .row = h->row,
                                     .sectors = m->settings->sectors,
                                     .slack = sk_model_slack(m),
                                     .threads = sk_thread_setting(m->settings)};
    status = sk_model_find(m, &query, h->neighbor, h->count, error);
    if (status)
        sk_holdout_free(h);
    return status;
}

/* Whose points stand for targets each, and may find no place. */
static bool takes_after_targets(sk_geometry geometry)
{
    return geometry == SK_GEOMETRY_TRANSPLANT || geometry == SK_GEOMETRY_SIMILAR;
}

/* Too few of the targets have found one. */
static bool found_few(const sk_holdout *h)
{
    return (takes_after_targets(h->geometry) || h->geometry == SK_GEOMETRY_TASK) && (h->accepted < FEW || h->n < 2);
}

static surekrig_status surround(const surekrig_model *m, sk_holdout_wish wish, sk_holdout *h, surekrig_error *error)
{
    switch (h->geometry) {
    case SK_GEOMETRY_TRANSPLANT:
    case SK_GEOMETRY_SIMILAR:
        return sk_transplant(m, seed_of(m, wish), NULL, h, error);
    case SK_GEOMETRY_DISTANCE:
        return beyond_distances(m, wish, h, error);
    case SK_GEOMETRY_THINNED:
        return thin(m, h, error);
    case SK_GEOMETRY_TASK:
        return sk_task_surround(m, seed_of(m, wish), h, error);
    default:
        sk_holdout_places(m, h);
        return nearest(m, h, 0, h->n, 0, error);
    }
}

/* Transplanted points by their row and target; the others come out by themselves, for rows do not depend on the metric. */
surekrig_status sk_holdout_again(const surekrig_model *m, sk_holdout_wish wish, const sk_holdout *like, sk_holdout *out,
                                 surekrig_error *error)
{
    sk_holdout h = {0};
    size_t bytes = (size_t)like->n * sizeof *like->row;
    bool transplanted = takes_after_targets(like->geometry);
    surekrig_status status = transplanted ? allocate(m, like->n, &h, error) : choose_rows(m, wish, &h, error);
    h.geometry = like->geometry;
    if (!status && transplanted) {
        memcpy(h.row, like->row, bytes);
        memcpy(h.target, like->target, bytes);
        status = sk_transplant(m, seed_of(m, wish), like, &h, error);
    } else if (!status) {
        status = surround(m, wish, &h, error);
    }
    if (!status)
        drop_lonely(m, &h);
    if (!status && (h.n != like->n || memcmp(h.row, like->row, bytes)))
        status = sk_fail(error, SUREKRIG_DATA, "the fitted metric leaves some held-out points without neighbours");
    if (status)
        sk_holdout_free(&h);
    else
        *out = h;
    return status;
}

static surekrig_status held_out_as(const surekrig_model *m, sk_holdout_wish wish, sk_geometry geometry, sk_holdout *h,
                                   surekrig_error *error)
{
    surekrig_status status = choose_rows(m, wish, h, error);
    h->geometry = geometry;
    return status ? status : surround(m, wish, h, error);
}

surekrig_status sk_holdout_new(const surekrig_model *m, sk_holdout_wish wish, sk_holdout *out, surekrig_error *error)
{
    sk_holdout h = {0};
    sk_geometry geometry;
    surekrig_status status = geometry_of(m, wish, &geometry, error);
    if (status)
        return status;
    if (geometry == SK_GEOMETRY_TASK && m->metric.time < 0)
        return sk_fail(error, SUREKRIG_INVALID,
                       "holdout = task is about time: name its column (time), which must not be the same in all rows");
    bool needs = takes_after_targets(geometry) || geometry == SK_GEOMETRY_DISTANCE || geometry == SK_GEOMETRY_TASK;
    if (needs && m->kriged.targets < 1)
        return sk_fail(error, SUREKRIG_INVALID,
                       "held-out points like the targets need targets: give them, or set "
                       "holdout to nearest or thinned");
    status = held_out_as(m, wish, geometry, &h, error);
    while (!status && found_few(&h)) {
        double accepted = h.accepted;
        sk_geometry next = h.geometry == SK_GEOMETRY_TRANSPLANT ? SK_GEOMETRY_SIMILAR : SK_GEOMETRY_DISTANCE;
        sk_holdout_free(&h);
        status = held_out_as(m, wish, next, &h, error);
        h.accepted = next == SK_GEOMETRY_DISTANCE ? accepted : h.accepted;
    }
    if (!status)
        drop_lonely(m, &h);
    if (!status && h.n < 2)
        status = sk_fail(error, SUREKRIG_DATA, "only %lld held-out points have neighbours as the targets do",
                         (long long)h.n);
    if (!status && all_whole(&h)) {
        free(h.count);
        h.count = NULL;
    }
    if (status)
        sk_holdout_free(&h);
    else
        *out = h;
    return status;
}
