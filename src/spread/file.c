/* Back to the file's order, in which sums are made: what own rows have goes to the ranks that the rows came from, which
 * had the file's rows one after another. */
#include "spread/inside.h"

#include <math.h>
#include <stdlib.h>

enum { ROUND = 1 << 16, ALL = 1 << 18, LEAST = 1 << 10 };

int64_t sk_rows_at_once(const sk_ranks *ranks)
{
    int64_t share = ALL / ranks->size;
    return share > ROUND ? ROUND : share < LEAST ? LEAST : share;
}

typedef struct numbered {
    int64_t number;
    double value;
} numbered;

typedef struct returning {
    const struct sk_rows *rows;
    const double *value;
    int64_t stride;
    int64_t *first;      /* [ranks + 1] number of the first row that came from each */
    int64_t *bytes, *in; /* [ranks] */
    double *column;      /* [came] out */
} returning;

/* Own rows that are the from-th to the to-th of those that came from a rank. */
static void range_of(const returning *g, int rank, const int64_t span[2], int64_t range[2])
{
    for (int side = 0; side < 2; side++) {
        int64_t number = g->first[rank] + span[side], end = g->first[rank + 1];
        range[side] = sk_count_below(g->rows->of.own, g->rows->of.number, number < end ? number : end);
    }
}

/* Of each rank's rows some: all give, and none gets more than so many. */
static bool give_back(returning *g, const int64_t span[2])
{
    const sk_ranks *ranks = &g->rows->of.link;
    int64_t range[2], count = 0, own = g->first[ranks->rank], all = 0;
    for (int r = 0; r < ranks->size; r++) {
        range_of(g, r, span, range);
        g->bytes[r] = (range[1] - range[0]) * (int64_t)sizeof(numbered);
        count += range[1] - range[0];
    }
    numbered *out = sk_alloc(count, sizeof *out), *to = out;
    for (int r = 0; r < ranks->size && out; r++) {
        range_of(g, r, span, range);
        for (int64_t i = range[0]; i < range[1]; i++)
            *to++ = (numbered){g->rows->of.number[i], g->value[i * g->stride]};
    }
    numbered *in = out ? sk_exchange(ranks, out, g->bytes, g->in) : NULL;
    for (int r = 0; r < ranks->size && in; r++)
        all += g->in[r] / (int64_t)sizeof *in;
    for (int64_t i = 0; i < all; i++)
        g->column[in[i].number - own] = in[i].value;
    free(out);
    free(in);
    return in != NULL;
}

double *sk_rows_to_file(const struct sk_rows *rows, const double *value, int64_t stride)
{
    const sk_ranks *ranks = &rows->of.link;
    int64_t *lists = sk_zeroed(3 * ranks->size + 1, sizeof *lists), most = 0;
    if (!lists)
        return NULL;
    returning g = {rows, value, stride, lists, lists + ranks->size + 1, lists + 2 * ranks->size + 1, NULL};
    for (int r = 0; r < ranks->size; r++)
        g.in[r] = sizeof rows->of.came;
    ranks->gather(ranks, &rows->of.came, g.in, g.bytes);
    for (int r = 0; r < ranks->size; r++) {
        g.first[r + 1] = g.first[r] + g.bytes[r];
        most = g.bytes[r] > most ? g.bytes[r] : most;
    }
    g.column = sk_doubles(rows->of.came);
    bool room = g.column;
    for (int64_t from = 0; from < most && room; from += ROUND)
        room = give_back(&g, (int64_t[]){from, from + ROUND});
    if (!room)
        free(g.column);
    free(lists);
    return room ? g.column : NULL;
}
