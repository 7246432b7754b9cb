/* A sample of all rows, the same as one process draws, of which each rank has its own: rows dealt out anew, with an
 * index of their own. Which rows are in it every rank marks by itself, with a bit for each. */
#include "spread/inside.h"

#include <stdlib.h>
#include <string.h>

static void no_more(void *of)
{
    (void)of; /* coordinates come with rows */
}

/* Own rows that are marked, by their coordinates alone. */
static struct sk_rows *take_marked(const surekrig_data *data, int64_t size, const uint64_t *mark)
{
    struct sk_rows *rows = sk_zeroed(1, sizeof *rows);
    int64_t d = data->d, own = sk_own(data), to = 0;
    if (!rows)
        return NULL;
    *rows = (struct sk_rows){.of = {.link = data->ranks->link, .rows = rows}, .owners = 1, .n = size, .d = d};
    rows->of.number = sk_reserve(size, sizeof(int64_t));
    rows->x = sk_reserve(size * d, sizeof(double));
    rows->y = sk_reserve(1, sizeof(double)); /* of no response */
    if (!rows->of.number || !rows->x || !rows->y) {
        sk_rows_free(&rows->of);
        return NULL;
    }
    for (int64_t i = 0; i < own; i++) {
        int64_t number = sk_number(data, i);
        if (!(mark[number / 64] >> number % 64 & 1))
            continue;
        rows->of.number[to] = number;
        memcpy(rows->x + to++ * d, data->x + i * d, (size_t)d * sizeof(double));
    }
    rows->of.own = rows->of.held = rows->of.kept = to;
    return rows;
}

surekrig_status sk_thin_open(const surekrig_data *data, const sk_frame *frame, sk_sample of, sk_thin *t,
                             surekrig_error *error)
{
    int64_t words = data->n / 64 + 1;
    uint64_t *mark = sk_zeroed(words, sizeof *mark);
    *t = (sk_thin){.data = *data};
    if (mark)
        sk_sample_marks(of.seed, data->n, of.size, mark);
    struct sk_rows *rows = mark ? take_marked(data, of.size, mark) : NULL;
    free(mark);
    double *box = rows ? sk_doubles(rows->of.link.size * 2 * data->d) : NULL;
    t->data.ranks = rows ? &rows->of : NULL;
    t->box = box;
    if (!box)
        return sk_fail_memory(error, (double)words * 8 + 8.0 * (double)(sk_own(data) * data->d), "a thinned sample");
    t->data.n = of.size;
    t->data.l = 0;
    t->data.x = rows->x;
    t->data.y = rows->y;
    t->data.noise = NULL;
    t->data.group = NULL;
    surekrig_status status = SUREKRIG_OK;
    if (rows->of.own)
        status = sk_index_new(&(sk_points){rows->of.own, data->d, rows->x, frame, of.threads}, &t->index, error);
    if (!status)
        status = sk_seek_boxes(&t->data, box, error);
    t->seek = (sk_seek){&t->data, t->index, frame, box, no_more, NULL};
    return status;
}

void sk_thin_close(sk_thin *t)
{
    surekrig_index_free(t->index);
    sk_rows_free((surekrig_ranks *)t->data.ranks);
    free(t->box);
    *t = (sk_thin){0};
}

/* Rows of neighbours, by their numbers, come to be held among all. */
static surekrig_status take_neighbors(const sk_thin *t, const surekrig_data *data, int64_t n, int64_t *neighbor,
                                      surekrig_error *error)
{
    int64_t *number = sk_alloc(n, sizeof *number), count = 0;
    if (!number)
        return sk_fail_memory(error, 8.0 * (double)n, "neighbours");
    for (int64_t i = 0; i < n; i++)
        if (neighbor[i] >= 0)
            number[count++] = sk_number(&t->data, neighbor[i]);
    surekrig_status status = sk_rows_take(data, count, number, error);
    for (int64_t i = 0, at = 0; i < n && !status; i++)
        if (neighbor[i] >= 0)
            neighbor[i] = number[at++];
    free(number);
    return status;
}

surekrig_status sk_thin_neighbors(const sk_thin *t, const surekrig_data *data, surekrig_neighbor_query query,
                                  int64_t *neighbor, int64_t *count, surekrig_error *error)
{
    int64_t *own = sk_alloc(query.n, sizeof *own);
    if (!own)
        return sk_fail_memory(error, 8.0 * (double)query.n, "held-out points");
    for (int64_t i = 0; i < query.n; i++)
        own[i] = sk_number(data, query.row[i]);
    query.row = own;
    surekrig_status status = sk_rows_take(&t->data, query.n, own, error); /* -1: not in the sample */
    if (!status)
        status = sk_seek_neighbors(&t->seek, &query, neighbor, count, error);
    if (!status)
        status = take_neighbors(t, data, query.n * query.k, neighbor, error);
    free(own);
    return status;
}
