/* Many points' neighbours at once, over threads. */
#include "neighbors/neighbors.h"

#include <math.h>
#include <stdlib.h>

surekrig_status surekrig_index_new(int64_t n, int64_t d, const double *x, surekrig_index **index,
                                   surekrig_error *error)
{
    if (n < 1 || d < 1)
        return sk_fail(error, SUREKRIG_INVALID, "an index needs points: %lld in %lld dimensions given", (long long)n,
                       (long long)d);
    for (int64_t i = 0; i < n * d; i++)
        if (!isfinite(x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld, coordinate %lld: %g is not a finite number",
                           (long long)(i / d) + 1, (long long)(i % d) + 1, x[i]);
    return sk_index_new(n, d, x, NULL, index, error);
}

typedef struct batch {
    const surekrig_index *index;
    const surekrig_neighbor_query *query;
    int64_t d, *neighbor, *count;
    sk_candidate *heap; /* [threads][k] */
    double *scaled;     /* [threads][d] */
} batch;

static void run(void *context, int64_t begin, int64_t end, int worker)
{
    batch *b = context;
    const surekrig_neighbor_query *q = b->query;
    sk_candidate *heap = b->heap + worker * q->k;
    for (int64_t i = begin; i < end; i++) {
        sk_near near = {q->x + i * b->d, q->k, q->row ? q->row[i] : -1, q->group, q->group ? q->own_group[i] : 0,
                        q->min_distance};
        int64_t found = sk_nearest(b->index, &near, heap, b->scaled + worker * b->d);
        for (int64_t j = 0; j < q->k; j++)
            b->neighbor[i * q->k + j] = j < found ? heap[j].row : -1;
        if (b->count)
            b->count[i] = found;
    }
}

static surekrig_status check(const surekrig_neighbor_query *q, int64_t rows, int64_t d, surekrig_error *error)
{
    if (q->n < 0 || q->k < 1)
        return sk_fail(error, SUREKRIG_INVALID, "%lld neighbours of %lld points asked", (long long)q->k,
                       (long long)q->n);
    if (q->k > rows)
        return sk_fail(error, SUREKRIG_INVALID, "k = %lld neighbours asked, %lld points given", (long long)q->k,
                       (long long)rows);
    if (!(q->min_distance >= 0) || (q->group && !q->own_group))
        return sk_fail(error, SUREKRIG_INVALID, "the smallest distance is %g (it must not be negative), and groups "
                       "need the points' own", q->min_distance);
    for (int64_t i = 0; i < q->n * d; i++)
        if (!isfinite(q->x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld, coordinate %lld: %g is not a finite number",
                           (long long)(i / d) + 1, (long long)(i % d) + 1, q->x[i]);
    return SUREKRIG_OK;
}

surekrig_status surekrig_neighbors(const surekrig_index *index, const surekrig_neighbor_query *query,
                                   int64_t *neighbor, int64_t *count, surekrig_error *error)
{
    int64_t d, rows = sk_index_size(index, &d);
    surekrig_status status = check(query, rows, d, error);
    if (status)
        return status;
    int threads = sk_threads(query->threads);
    batch b = {index, query, d, neighbor, count, sk_alloc(threads * query->k, sizeof(sk_candidate)),
               sk_doubles(threads * d)};
    if (b.heap && b.scaled)
        sk_parallel(&(sk_task){.count = query->n, .grain = 64, .threads = threads, .run = run, .context = &b});
    else
        status = sk_fail_memory(error, 16.0 * threads * (double)(query->k + d), "the search for neighbours");
    free(b.heap);
    free(b.scaled);
    return status;
}
