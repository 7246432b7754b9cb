/* Many points' neighbours at once, over threads. */
#include "neighbors/search.h"

#include <math.h>
#include <stdlib.h>

surekrig_status surekrig_index_new(int64_t n, int64_t d, const double *x, surekrig_index **index, surekrig_error *error)
{
    if (n < 1 || d < 1)
        return sk_fail(error, SUREKRIG_INVALID, "an index needs points: %lld in %lld dimensions given", (long long)n,
                       (long long)d);
    surekrig_status status = sk_check_arrays((sk_array[]){{"x", x, {n, d, 1}}, {0}}, error);
    if (!status)
        status = sk_check_needed((sk_needed[]){{"index", index}, {0}}, error);
    if (status)
        return status;
    for (int64_t i = 0; i < n * d; i++)
        if (!isfinite(x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld, coordinate %lld: %g is not a finite number",
                           (long long)(i / d) + 1, (long long)(i % d) + 1, x[i]);
    return sk_index_new(&(sk_points){n, d, x, NULL, 0}, index, error);
}

#define SEARCH(isa) sk_search_##isa,
static sk_search *const SEARCH[] = {SK_EACH_ISA(SEARCH)};

typedef struct work {
    const sk_batch *batch;
    sk_search *search;
    int64_t scratch; /* doubles of a worker */
} work;

static void run(void *context, int64_t begin, int64_t end, int worker)
{
    const work *w = context;
    w->search(w->batch, begin, end, w->batch->scratch + worker * w->scratch);
}

static surekrig_status check(const surekrig_neighbor_query *q, int64_t rows, int64_t d, surekrig_error *error)
{
    if (q->n < 0 || q->k < 1 || q->threads < 0)
        return sk_fail(error, SUREKRIG_INVALID, "%lld neighbours of %lld points on %d threads asked", (long long)q->k,
                       (long long)q->n, q->threads);
    if (q->k > rows)
        return sk_fail(error, SUREKRIG_INVALID, "k = %lld neighbours asked, %lld points given", (long long)q->k,
                       (long long)rows);
    if (!(q->min_distance >= 0) || (q->group && !q->own_group))
        return sk_fail(error, SUREKRIG_INVALID,
                       "the smallest distance is %g (it must not be negative), and groups "
                       "need the points' own",
                       q->min_distance);
    if (!(q->slack >= 0 && q->slack <= 1e6) || (q->slack > 1 && q->sectors))
        return sk_fail(error, SUREKRIG_INVALID, "a slack of %g: from 0 to 1e6, and none with sectors", q->slack);
    if (q->sectors < 0)
        return sk_fail(error, SUREKRIG_INVALID, "sectors = %d; it must not be negative", q->sectors);
    surekrig_status status = sk_check_arrays((sk_array[]){{"x", q->x, {q->n, d, 1}}, {0}}, error);
    if (status)
        return status;
    for (int64_t i = 0; q->row && i < q->n; i++)
        if (q->row[i] < -1 || q->row[i] >= rows)
            return sk_fail(error, SUREKRIG_INVALID, "point %lld: row %lld is to be left out, the index has %lld",
                           (long long)i + 1, (long long)q->row[i], (long long)rows);
    for (int64_t i = 0; i < q->n * d; i++)
        if (!isfinite(q->x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld, coordinate %lld: %g is not a finite number",
                           (long long)(i / d) + 1, (long long)(i % d) + 1, q->x[i]);
    return SUREKRIG_OK;
}

/* Many at once only where the points are more than a cache holds and the candidates are not. */
static int how_many_together(const surekrig_index *index, int64_t k)
{
    return index->width[0] * LEAF * index->d * 8 > SK_CACHED && k <= 2048 ? SK_TOGETHER : 1;
}

/* In order: 0.95 us a question where n = 1e6 and the questions come at random, 1.31 as they come; at n = 1e5 or for
 * questions in rows no difference, the order costing 0.02 us. */
enum { ORDERED_FROM = 256, LEAST_GRAIN = 16, MOST_GRAIN = 256 };

/* Work for everyone, but many questions in turn, that one may learn from another. */
static int64_t choose_grain(int64_t n, int threads)
{
    int64_t share = n / (8 * threads);
    return share < LEAST_GRAIN ? LEAST_GRAIN : share < MOST_GRAIN ? share : MOST_GRAIN;
}

/* b: but for the order and the scratch. */
static surekrig_status find_all(sk_batch b, sk_isa isa, surekrig_error *error)
{
    const surekrig_index *index = b.index;
    const surekrig_neighbor_query *query = b.query;
    int64_t n = query->n, *order = n < ORDERED_FROM ? NULL : sk_alloc(n, sizeof *order);
    int threads = sk_threads(query->threads);
    b.order = order;
    b.together = how_many_together(index, query->k);
    work w = {&b, SEARCH[isa], b.together * sk_search_scratch(index, query)};
    b.scratch = sk_doubles(threads * w.scratch);
    surekrig_status status = SUREKRIG_OK;
    if (!b.scratch || (n >= ORDERED_FROM && !order))
        status = sk_fail_memory(error, 8.0 * threads * (double)w.scratch, "the search for neighbours");
    if (!status && order)
        status = sk_index_order(index, n, query->x, threads, order, error);
    if (!status)
        sk_parallel(
            &(sk_task){.count = n, .grain = choose_grain(n, threads), .threads = threads, .run = run, .context = &w});
    free(b.scratch);
    free(order);
    return status;
}

surekrig_status sk_neighbors(const surekrig_index *index, const surekrig_neighbor_query *query, sk_isa isa,
                             int64_t *neighbor, int64_t *count, surekrig_error *error)
{
    return find_all((sk_batch){.index = index, .query = query, .neighbor = neighbor, .count = count}, isa, error);
}

surekrig_status sk_neighbors_part(const surekrig_index *index, const surekrig_neighbor_query *query,
                                  const sk_part_asked *part, int64_t *neighbor, surekrig_error *error)
{
    return find_all((sk_batch){.index = index, .query = query, .neighbor = neighbor, .part = part}, sk_isa_best(),
                    error);
}

surekrig_status surekrig_neighbors(const surekrig_index *index, const surekrig_neighbor_query *query, int64_t *neighbor,
                                   int64_t *count, surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"index", index}, {"query", query}, {0}}, error))
        return SUREKRIG_INVALID;
    int64_t d, rows = sk_index_size(index, &d);
    surekrig_status status = check(query, rows, d, error);
    if (!status)
        status = sk_check_arrays((sk_array[]){{"neighbor", neighbor, {query->n, query->k, 1}}, {0}}, error);
    return status ? status : sk_neighbors(index, query, sk_isa_best(), neighbor, count, error);
}

/* A point; two lists of squares and two of places, which are half as long; of the sectors, a vector of points, the
 * nearest's, and what each has. */
int64_t sk_search_scratch(const surekrig_index *index, const surekrig_neighbor_query *query)
{
    enum { MOST_LANES = 8, EACH = sizeof(sk_sector) / sizeof(double) };
    int64_t k = sk_nearest_first(index, query);
    return index->d + 3 * (2 * k + SK_SLACK) + MOST_LANES * index->d + k + MOST_LANES + sk_sectors(index->d) * EACH;
}
