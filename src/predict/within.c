/* Which places need none of the data's first rows. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16384 };

/* Of the block's places: their neighbours, or their nodes'. A place that its nodes leave alone needs both, for without
 * their neighbours it would not be known that it is alone. */
static surekrig_status look(sk_block *b, int64_t count, int64_t fence, int *within, surekrig_error *error)
{
    int64_t k = b->m->info.neighbors;
    bool any = false;
    sk_within *of = sk_zeroed(count, sizeof *of);
    surekrig_status status = of ? SUREKRIG_OK : sk_fail_memory(error, (double)count, "places");
    for (int64_t i = 0; i < count && !status && !sk_has_nodes(b->m); i++)
        of[i] = (sk_within){true, true};
    if (!status && sk_has_nodes(b->m))
        status = sk_nodes_within(b, count, fence, of, error);
    for (int64_t i = 0; i < count && !status; i++)
        any |= of[i].alone;
    if (!status && any)
        status = sk_block_neighbors(b, (surekrig_neighbor_query){.n = count}, error);
    for (int64_t i = 0; i < count && !status; i++) {
        within[i] = of[i].within;
        for (int64_t j = i * k; j < (i + 1) * k && within[i] && of[i].alone; j++)
            within[i] = b->neighbor[j] >= fence;
    }
    free(of);
    return status;
}

/* The points that have all their features, into point [n]: those of one cell of the lattice together, for they share its
 * nodes. */
static surekrig_status order_points(const surekrig_model *m, const surekrig_query *query, int64_t *point,
                                    int64_t *count, surekrig_error *error)
{
    int64_t d = m->data.d, n = 0, *whole = sk_alloc(query->n, sizeof *whole),
            *order = sk_alloc(query->n, sizeof *order);
    double *x = sk_doubles(query->n * d), *place = m->metric.same ? x : sk_doubles(query->n * m->kriged.d);
    surekrig_status status = whole && order && x && place
                                 ? SUREKRIG_OK
                                 : sk_fail_memory(error, 8.0 * (double)(query->n * (d + 2)), "places");
    for (int64_t i = 0; i < query->n && !status; i++) {
        bool complete = true;
        for (int64_t a = 0; a < d; a++)
            complete &= !isnan(query->x[i * d + a]);
        if (complete) {
            memcpy(x + n * d, query->x + i * d, (size_t)d * sizeof *x);
            order[n] = n;
            whole[n++] = i;
        }
    }
    if (!status && place != x)
        sk_metric_map(&m->metric, n, x, place);
    if (!status && sk_has_nodes(m))
        status = sk_nodes_order(m, n, place, order, error);
    for (int64_t i = 0; i < n && !status; i++)
        point[i] = whole[order[i]];
    *count = n;
    if (place != x)
        free(place);
    free(x);
    free(order);
    free(whole);
    return status;
}

surekrig_status surekrig_within(const surekrig_model *m, const surekrig_query *query, int64_t fence, int *within,
                                surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"model", m}, {"query", query}, {0}}, error))
        return SUREKRIG_INVALID;
    int64_t d = m->data.d, n = 0, *point = NULL;
    int *some = NULL;
    surekrig_status status = sk_refuse_many(&m->data, "a part of the rows is", error);
    if (!status)
        status = sk_query_check(m, query, error);
    if (!status)
        status = sk_check_arrays((sk_array[]){{"within", within, {query->n, 1, 1}}, {0}}, error);
    if (!status && (fence < 0 || fence > m->data.n))
        status = sk_fail(error, SUREKRIG_INVALID, "a fence of %lld rows: the model has %lld", (long long)fence,
                         (long long)m->data.n);
    if (status)
        return status;
    sk_block b;
    status = sk_block_open(m, BLOCK, query->threads, &b, error);
    point = sk_alloc(query->n, sizeof *point);
    some = sk_alloc(BLOCK, sizeof *some);
    if (!status && !(point && some))
        status = sk_fail_memory(error, 8.0 * (double)query->n, "places");
    if (!status)
        status = order_points(m, query, point, &n, error);
    for (int64_t i = 0; i < query->n; i++)
        within[i] = 1;
    for (int64_t from = 0; from < n && !status; from += BLOCK) {
        int64_t count = n - from < BLOCK ? n - from : BLOCK;
        for (int64_t i = 0; i < count; i++)
            memcpy(b.x + i * d, query->x + point[from + i] * d, (size_t)d * sizeof *b.x);
        status = look(&b, count, fence, some, error);
        for (int64_t i = 0; i < count && !status; i++)
            within[point[from + i]] = some[i];
    }
    free(point);
    free(some);
    sk_block_close(&b);
    return status;
}
