/* Which places need no more than some of the data. */
#include "predict/predict.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

/* Of the block's places. The nodes' data and the place's own: which of them count may itself hang on the others. */
static surekrig_status look(sk_block *b, int64_t count, int64_t rows, int *within, surekrig_error *error)
{
    int64_t k = b->m->info.neighbors;
    bool nodes = b->m->lattice[2] > 0, own = !nodes;
    sk_within *of = nodes ? sk_zeroed(count, sizeof *of) : NULL;
    surekrig_status status = nodes && !of ? sk_fail_memory(error, (double)count, "places") : SUREKRIG_OK;
    if (!status && nodes)
        status = sk_nodes_within(b, count, rows, of, error);
    for (int64_t i = 0; i < count && !status && nodes; i++)
        own |= of[i].alone;
    if (!status && own)
        status = sk_block_neighbors(b, (surekrig_neighbor_query){.n = count}, error);
    for (int64_t i = 0; i < count && !status; i++) {
        within[i] = !nodes || of[i].within;
        for (int64_t j = i * k; j < (i + 1) * k && within[i] && (!nodes || of[i].alone); j++)
            within[i] = b->neighbor[j] < rows;
    }
    free(of);
    return status;
}

surekrig_status surekrig_within(const surekrig_model *m, const surekrig_query *query, int64_t rows, int *within,
                                surekrig_error *error)
{
    int64_t d = m->data.d;
    sk_block b;
    surekrig_status status = sk_block_open(m, query->n < BLOCK ? query->n : BLOCK, query->threads, &b, error);
    for (int64_t from = 0, count; from < query->n && !status; from += count) {
        count = query->n - from < BLOCK ? query->n - from : BLOCK;
        memcpy(b.x, query->x + from * d, (size_t)(count * d) * sizeof *b.x);
        status = look(&b, count, rows, within + from, error);
    }
    sk_block_close(&b);
    return status;
}
