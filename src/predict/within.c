/* Which places need none of the data's first rows. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

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

/* Fills the block with the next points that have all their features; how many. which: [BLOCK] of the query's. */
static int64_t take(const surekrig_query *query, int64_t d, int64_t *from, double *x, int64_t *which)
{
    int64_t count = 0;
    for (; *from < query->n && count < BLOCK; ++*from) {
        bool whole = true;
        for (int64_t a = 0; a < d; a++)
            whole &= !isnan(query->x[*from * d + a]);
        if (!whole)
            continue;
        memcpy(x + count * d, query->x + *from * d, (size_t)d * sizeof *x);
        which[count++] = *from;
    }
    return count;
}

surekrig_status surekrig_within(const surekrig_model *m, const surekrig_query *query, int64_t fence, int *within,
                                surekrig_error *error)
{
    int64_t which[BLOCK], from = 0;
    int some[BLOCK];
    surekrig_status status = sk_refuse_many(&m->data, "a part of the rows is", error);
    if (!status)
        status = sk_query_check(m, query, error);
    if (status)
        return status;
    sk_block b;
    status = sk_block_open(m, BLOCK, query->threads, &b, error);
    for (int64_t i = 0; i < query->n; i++)
        within[i] = 1;
    while (from < query->n && !status) {
        int64_t count = take(query, m->data.d, &from, b.x, which);
        status = look(&b, count, fence, some, error);
        for (int64_t i = 0; i < count && !status; i++)
            within[which[i]] = some[i];
    }
    sk_block_close(&b);
    return status;
}
