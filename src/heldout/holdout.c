/* Points of the data left out in turn, each with neighbours to be predicted from: its nearest, or such as a target has.
 *   transplant   a target's neighbours, moved with it onto the point, each to the nearest datum: the gap around the
 *                target is around the point. Where too few find a datum of their own nearby, another point is tried
 *   similar      likewise, roughly
 *   distance     the nearest beyond a target's distance to its nearest datum (hands.c)
 *   task         without the rows that a target has no data from either, in places and times (task.c)
 *   thinned      the nearest in a random sample of the data (hands.c) */
#include "heldout/inside.h"

#include <stdlib.h>
#include <string.h>

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

uint64_t sk_holdout_seed(const surekrig_model *m, sk_holdout_wish wish)
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
surekrig_status sk_holdout_choose(const surekrig_model *m, sk_holdout_wish wish, sk_holdout *h, surekrig_error *error)
{
    int64_t n = m->data.n, taken = wish.avoid ? wish.avoid->n : 0, left = n - taken;
    bool enough = left >= wish.n / 2 && left > 0;
    int64_t draw = wish.n < n ? wish.n : n;
    if (taken && enough)
        draw = wish.n < left ? (int64_t)((double)wish.n * (double)n / (double)left) : n;
    surekrig_status status = allocate(m, draw, h, error);
    if (!status)
        status = sk_sample_rows(sk_holdout_seed(m, wish), n, draw, h->row, error);
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

surekrig_status sk_holdout_nearest(const surekrig_model *m, sk_holdout *h, int64_t from, int64_t n, double beyond,
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

/* ---- all */

static bool all_whole(const sk_holdout *h)
{
    for (int64_t i = 0; i < h->n; i++)
        if (h->count[i] != h->k)
            return false;
    return true;
}

void sk_holdout_drop_lonely(const surekrig_model *m, sk_holdout *h, double *weight)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < h->n; i++) {
        if (h->count[i] == 0)
            continue;
        h->row[kept] = h->row[i];
        h->target[kept] = h->target[i];
        h->count[kept] = h->count[i];
        if (weight)
            weight[kept] = weight[i];
        memmove(h->neighbor + kept * h->k, h->neighbor + i * h->k, (size_t)h->k * sizeof *h->neighbor);
        kept++;
    }
    h->n = kept;
    sk_holdout_places(m, h);
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
        status = sk_targets_are_as_rows(m, &alike, error);
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
        return sk_transplant(m, sk_holdout_seed(m, wish), NULL, h, error);
    case SK_GEOMETRY_DISTANCE:
        return sk_surround_beyond(m, sk_holdout_seed(m, wish), h, error);
    case SK_GEOMETRY_THINNED:
        return sk_surround_thinned(m, h, error);
    case SK_GEOMETRY_TASK:
        return sk_task_surround(m, sk_holdout_seed(m, wish), h, error);
    default:
        sk_holdout_places(m, h);
        return sk_holdout_nearest(m, h, 0, h->n, 0, error);
    }
}

/* Transplanted points by their row and target; the others come out by themselves, for rows do not depend on the metric. */
surekrig_status sk_holdout_again(const surekrig_model *m, sk_holdout_wish wish, const sk_holdout *like, sk_holdout *out,
                                 surekrig_error *error)
{
    sk_holdout h = {0};
    size_t bytes = (size_t)like->n * sizeof *like->row;
    bool transplanted = takes_after_targets(like->geometry);
    surekrig_status status = transplanted ? allocate(m, like->n, &h, error) : sk_holdout_choose(m, wish, &h, error);
    h.geometry = like->geometry;
    if (!status && transplanted) {
        memcpy(h.row, like->row, bytes);
        memcpy(h.target, like->target, bytes);
        status = sk_transplant(m, sk_holdout_seed(m, wish), like, &h, error);
    } else if (!status) {
        status = surround(m, wish, &h, error);
    }
    if (!status)
        sk_holdout_drop_lonely(m, &h, NULL);
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
    surekrig_status status = sk_holdout_choose(m, wish, h, error);
    h->geometry = geometry;
    return status ? status : surround(m, wish, h, error);
}

/* Rows alone. */
static surekrig_status rows_alone(const surekrig_model *m, sk_holdout_wish wish, sk_geometry geometry, sk_holdout *h,
                                  surekrig_error *error)
{
    surekrig_status status = sk_holdout_choose(m, wish, h, error);
    if (status)
        return status;
    h->geometry = geometry;
    sk_holdout_places(m, h);
    free(h->neighbor);
    free(h->count);
    h->neighbor = h->count = NULL;
    return SUREKRIG_OK;
}

surekrig_status sk_holdout_new(const surekrig_model *m, sk_holdout_wish wish, sk_holdout *out, surekrig_error *error)
{
    sk_holdout h = {0};
    sk_geometry geometry;
    surekrig_status status = geometry_of(m, wish, &geometry, error);
    if (status)
        return status;
    if (wish.once && sk_is_spread(&m->data) && (geometry == SK_GEOMETRY_NEAREST || geometry == SK_GEOMETRY_GROUP))
        return rows_alone(m, wish, geometry, out, error);
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
        sk_holdout_drop_lonely(m, &h, NULL);
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
