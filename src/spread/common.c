/* The same questions on all ranks: each answers those that lie in its box (ask.c), and all learn the answers. */
#include "spread/inside.h"

#include <stdlib.h>
#include <string.h>

typedef struct common {
    const sk_seek *seek;
    const surekrig_neighbor_query *query;
    int64_t mine, *which; /* questions answered here */
    int *home;            /* [n] */
    double *x;
    int64_t *row, *group, *list;
} common;

static surekrig_status find_mine(common *c, surekrig_error *error)
{
    const surekrig_neighbor_query *q = c->query;
    int64_t d = c->seek->data->d, n = q->n;
    c->which = sk_alloc(n, sizeof *c->which);
    c->home = sk_alloc(n, sizeof *c->home);
    c->x = sk_doubles(n * d);
    c->row = sk_alloc(n, sizeof *c->row);
    c->group = sk_alloc(n, sizeof *c->group);
    if (!c->which || !c->home || !c->x || !c->row || !c->group)
        return sk_fail_memory(error, 8.0 * (double)(n * (d + 4)), "questions");
    for (int64_t i = 0; i < n; i++) {
        c->home[i] = sk_seek_home(c->seek, q->x + i * d);
        if (c->home[i] != sk_ranks_of(c->seek->data)->rank)
            continue;
        memcpy(c->x + c->mine * d, q->x + i * d, (size_t)d * sizeof(double));
        c->row[c->mine] = q->row ? q->row[i] : -1;
        c->group[c->mine] = q->group && q->own_group ? q->own_group[i] : 0;
        c->which[c->mine++] = i;
    }
    surekrig_neighbor_query own = *q;
    own.n = c->mine;
    own.x = c->x;
    own.row = c->row;
    own.own_group = c->group;
    c->list = sk_alloc(c->mine * q->k, sizeof *c->list);
    return c->list ? sk_seek_apart(c->seek, &own, c->list, NULL, error)
                   : sk_fail_memory(error, 8.0 * (double)(c->mine * q->k), "neighbours");
}

static void free_common(common *c)
{
    free(c->which);
    free(c->home);
    free(c->x);
    free(c->row);
    free(c->group);
    free(c->list);
}

/* What this rank has to say: the rows, then each list as numbers in the file. To be freed. */
static sk_word *write_mine(const common *c, int64_t *count)
{
    const struct sk_rows *rows = c->seek->data->ranks->rows;
    int64_t all = c->mine * c->query->k, w = sk_row_words(rows), *row = sk_copy(c->list, all, sizeof *row);
    if (!row)
        return NULL;
    int64_t n = sk_rows_unique(all, row);
    *count = 1 + n * w + all;
    sk_word *out = sk_alloc(*count, sizeof *out), *at = out;
    if (out)
        (at++)->count = n;
    for (int64_t i = 0; i < n && out; i++, at += w)
        sk_row_pack(rows, row[i], at);
    for (int64_t i = 0; i < all && out; i++)
        (at++)->count = sk_number(c->seek->data, c->list[i]);
    free(row);
    return out;
}

static bool read_all(const common *c, const sk_word *in, const int64_t *bytes, int64_t *neighbor, int64_t *count)
{
    struct sk_rows *rows = c->seek->data->ranks->rows;
    int64_t w = sk_row_words(rows), k = c->query->k;
    bool room = true;
    for (int r = 0; r < rows->of.link.size && room; r++) {
        const sk_word *at = in + 1 + in->count * w;
        for (int64_t i = 0; i < in->count && room; i++)
            room = sk_row_add(rows, in + 1 + i * w) >= 0;
        for (int64_t i = 0; i < c->query->n && room; i++) {
            int64_t found = 0;
            for (int64_t j = 0; j < k && c->home[i] == r; j++, at++) {
                neighbor[i * k + j] = at->count < 0 ? -1 : sk_row_find(rows, at->count);
                found += at->count >= 0;
            }
            if (count && c->home[i] == r)
                count[i] = found;
        }
        in += bytes[r] / (int64_t)sizeof *in;
    }
    return room;
}

static surekrig_status find_some(const sk_seek *seek, const surekrig_neighbor_query *query, int64_t *neighbor,
                                 int64_t *count, surekrig_error *error)
{
    const sk_ranks *ranks = sk_ranks_of(seek->data);
    common c = {.seek = seek, .query = query};
    int64_t words = 0, *bytes = sk_alloc(ranks->size, sizeof *bytes);
    surekrig_status status = find_mine(&c, error);
    sk_word *out = status ? NULL : write_mine(&c, &words), *in = NULL;
    if (out && bytes)
        in = sk_gather(ranks, out, words * (int64_t)sizeof *out, bytes);
    if (!status && (!in || !read_all(&c, in, bytes, neighbor, count)))
        status = sk_fail_memory(error, 8.0 * (double)words * ranks->size, "neighbours of all ranks");
    seek->ready(seek->of);
    free(in);
    free(out);
    free(bytes);
    free_common(&c);
    return status;
}

/* So many at a time that what is told of them stays small beside the rows. */
static surekrig_status find_in_common(const sk_seek *seek, const surekrig_neighbor_query *query, int64_t *neighbor,
                                      int64_t *count, surekrig_error *error)
{
    enum { AT_ONCE = 4096 };
    int64_t d = seek->data->d;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t from = 0; from < query->n && !status; from += AT_ONCE) {
        surekrig_neighbor_query some = *query;
        some.n = query->n - from < AT_ONCE ? query->n - from : AT_ONCE;
        some.x = query->x + from * d;
        some.row = query->row ? query->row + from : NULL;
        some.own_group = query->own_group ? query->own_group + from : NULL;
        status = find_some(seek, &some, neighbor + from * query->k, count ? count + from : NULL, error);
    }
    return status;
}

surekrig_status sk_seek_neighbors(const sk_seek *seek, const surekrig_neighbor_query *query, int64_t *neighbor,
                                  int64_t *count, surekrig_error *error)
{
    surekrig_status status = SUREKRIG_OK;
    if (query->slack > 1 && !seek->guests)
        return sk_fail(error, SUREKRIG_INVALID, "nothing was prepared for an approximate search: set search to exact");
    if (seek->guests && sk_asks_other_groups(seek, query))
        status = sk_guests_group(seek->guests, seek->data, query->group, error);
    if (status)
        return status;
    return (seek->data->ranks->apart ? sk_seek_apart : find_in_common)(seek, query, neighbor, count, error);
}
