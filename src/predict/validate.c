/* Cross-validation of a model on its own data, under its hyperparameters: each point is predicted without itself (M5),
 * or without the compact block or the group it is in, or from what was before a time, by the code that kriges new
 * points. Blocks come of halving: the points are ordered along the longest side of their box and divided, as often as it
 * takes. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

/* ---- compact blocks */

typedef struct place {
    double at;
    int64_t row;
} place;

typedef struct cutter {
    const surekrig_model *m;
    int64_t *group;  /* [rows of the data] */
    int64_t largest; /* points of a block */
} cutter;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->row > y->row) - (x->row < y->row);
}

/* Along which the points reach farthest, as distances are measured. */
static int64_t longest_axis(const surekrig_model *m, int64_t n, const place *p)
{
    int64_t d = m->kriged.d, longest = 0;
    double most = -1;
    for (int64_t a = 0; a < d; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = 0; i < n; i++) {
            low = fmin(low, m->kriged.x[p[i].row * d + a]);
            high = fmax(high, m->kriged.x[p[i].row * d + a]);
        }
        double reach = (high - low) / m->frame.side[a];
        longest = reach > most ? a : longest;
        most = fmax(reach, most);
    }
    return longest;
}

/* n points into blocks numbered from first on. */
static void cut(cutter *c, int64_t n, place *p, int64_t first, int64_t blocks)
{
    if (blocks == 1) {
        for (int64_t i = 0; i < n; i++)
            c->group[p[i].row] = first;
        c->largest = n > c->largest ? n : c->largest;
        return;
    }
    int64_t axis = longest_axis(c->m, n, p), half = blocks / 2;
    int64_t many = n / blocks * half + n % blocks * half / blocks; /* n half / blocks */
    for (int64_t i = 0; i < n; i++)
        p[i].at = c->m->kriged.x[p[i].row * c->m->kriged.d + axis];
    qsort(p, (size_t)n, sizeof *p, by_place);
    cut(c, many, p, first, half);
    cut(c, n - many, p + many, first + half, blocks - half);
}

/* group: [n] the block of each row. */
static surekrig_status make_blocks(const surekrig_model *m, int64_t blocks, int64_t *group, surekrig_error *error)
{
    int64_t n = m->data.n;
    place *p = sk_alloc(n, sizeof *p);
    if (!p)
        return sk_fail_memory(error, 16.0 * (double)n, "the blocks");
    for (int64_t i = 0; i < n; i++)
        p[i].row = i;
    cutter c = {m, group, 0};
    cut(&c, n, p, 0, blocks);
    free(p);
    if (n - c.largest < m->info.neighbors)
        return sk_fail(error, SUREKRIG_INVALID,
                       "the largest of %lld blocks holds %lld of %lld points and leaves %lld, fewer than "
                       "the %lld neighbours that each is predicted from: ask for more blocks",
                       (long long)blocks, (long long)c.largest, (long long)n, (long long)(n - c.largest),
                       (long long)m->info.neighbors);
    return SUREKRIG_OK;
}

/* ---- predictions */

typedef struct work {
    const surekrig_model *m;
    const surekrig_validation *how;
    int64_t rows;
    int64_t *row;   /* [rows] */
    int64_t *group; /* [n], or NULL: leave-one-out */
    int64_t *own;   /* [BLOCK] */
    double unit;    /* of distances */
    sk_intervals intervals;
    sk_block block;
} work;

static void close_work(work *w)
{
    sk_block_close(&w->block);
    free(w->row);
    free(w->group);
    free(w->own);
    sk_intervals_close(&w->intervals);
}

/* A sample of those rows, where that is asked. */
static surekrig_status take_later(work *w, surekrig_error *error)
{
    int64_t later = 0, asked = w->rows;
    surekrig_status status = sk_rows_after(w->m, *w->how->after, w->group, w->row, &later, error);
    if (status)
        return status;
    w->rows = asked < later ? asked : later;
    int64_t *which = sk_alloc(w->rows, sizeof *which);
    status = which ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)w->rows, "the rows to be validated");
    if (!status && w->rows < later)
        status = sk_sample_rows(w->how->seed, later, w->rows, which, error);
    for (int64_t i = 0; i < w->rows && w->rows < later && !status; i++) /* both increase */
        w->row[i] = w->row[which[i]];
    free(which);
    return status;
}

static surekrig_status open_work(work *w, bool interval, surekrig_error *error)
{
    const surekrig_model *m = w->m;
    const surekrig_validation *how = w->how;
    int64_t n = m->data.n, rows = w->rows, block = rows < BLOCK ? rows : BLOCK;
    surekrig_status status = sk_intervals_open(m, interval, &w->intervals, error);
    if (status)
        return status;
    w->row = sk_alloc(how->after ? n : rows, sizeof *w->row);
    w->group = how->blocks || how->after ? sk_alloc(n, sizeof *w->group) : NULL;
    w->own = sk_alloc(block, sizeof *w->own);
    if (!w->row || !w->own || ((how->blocks || how->after) && !w->group))
        return sk_fail_memory(error, 8.0 * (double)(rows + n), "the rows to be validated");
    for (int64_t i = 0; i < n && rows == n; i++)
        w->row[i] = i;
    if (rows < n)
        status = sk_sample_rows(how->seed, n, rows, w->row, error);
    if (!status && how->blocks)
        status = make_blocks(m, how->blocks, w->group, error);
    if (!status && how->by)
        status = sk_rows_by(m, how->by, &w->group, error);
    if (!status && how->after)
        status = take_later(w, error);
    return status ? status : sk_block_open(m, block, how->threads, &w->block, error);
}

static surekrig_status find_neighbours(work *w, int64_t from, int64_t count, surekrig_error *error)
{
    const surekrig_model *m = w->m;
    int64_t d = m->data.d;
    for (int64_t j = 0; j < count; j++) {
        int64_t row = w->row[from + j];
        memcpy(w->block.x + j * d, m->data.x + row * d, (size_t)d * sizeof(double));
        w->own[j] = w->group ? w->group[row] : 0;
    }
    surekrig_neighbor_query query = {.n = count, .row = w->row + from, .group = w->group, .own_group = w->own};
    return sk_block_neighbors(&w->block, query, error);
}

static void write_row(const work *w, int64_t i, int64_t from, surekrig_validated *out)
{
    const surekrig_data *data = &w->m->data;
    const sk_block *b = &w->block;
    int64_t row = w->row[i], nearest = b->neighbor[from * w->m->info.neighbors];
    double noise = data->noise ? data->noise[row] : 0;
    for (int64_t q = 0, at = i * data->l; q < data->l; q++, at++) {
        out->mean[at] = sk_block_mean(b, from, q);
        out->sd[at] = sk_block_sd(b, from, q, false, noise);
        sk_intervals_write(&w->intervals, (sk_prediction){q, out->mean[at], out->sd[at]}, at, out->lower, out->upper);
    }
    out->row[i] = row;
    out->distance[i] = w->unit * sk_frame_distance(&w->m->frame, b->place + from * w->m->kriged.d,
                                                   w->m->kriged.x + nearest * w->m->kriged.d);
    out->jittered += b->kriging.jitter[from] > 0;
    out->max_jitter = fmax(out->max_jitter, b->kriging.jitter[from]);
}

static surekrig_status validate_block(work *w, int64_t from, int64_t count, sk_ticker *ticker, surekrig_validated *out,
                                      surekrig_error *error)
{
    ticker->from = (double)from / (double)w->rows;
    ticker->span = (double)count / (double)w->rows;
    surekrig_status status = find_neighbours(w, from, count, error);
    if (!status)
        status = sk_block_krige(&w->block, count, (sk_wanted){true, true}, ticker, error);
    for (int64_t j = 0; j < count && !status; j++)
        write_row(w, from + j, j, out);
    return status;
}

/* All rows, or this rank's share of them, from its first on. */
static surekrig_status validate_share(work *w, sk_ticker *ticker, surekrig_validated *out, surekrig_error *error)
{
    const sk_ranks *ranks = sk_sharers(w->m);
    int64_t end = sk_slice(ranks, w->rows, ranks->rank + 1);
    surekrig_status status = SUREKRIG_OK;
    sk_part_ways(w->m, true);
    for (int64_t from = sk_slice(ranks, w->rows, ranks->rank); from < end && !status; from += BLOCK)
        status = validate_block(w, from, end - from < BLOCK ? end - from : BLOCK, ticker, out, error);
    sk_part_ways(w->m, false);
    return status;
}

/* What others have found. */
static surekrig_status spread(const work *w, surekrig_validated *out, surekrig_status status, surekrig_error *error)
{
    const sk_ranks *ranks = sk_sharers(w->m);
    int64_t l = w->m->data.l, levels = w->how->levels;
    sk_shared part[] = {
        {out->mean, l}, {out->sd, l}, {out->lower, l * levels}, {out->upper, l * levels}, {out->distance, 1}};
    status = sk_share(ranks, w->rows, sizeof part / sizeof *part, part, status, error);
    if (status)
        return status;
    memcpy(out->row, w->row, (size_t)w->rows * sizeof *out->row);
    out->jittered = sk_sum(ranks, out->jittered);
    sk_most(ranks, 1, &out->max_jitter);
    return SUREKRIG_OK;
}

static surekrig_status check(const surekrig_model *m, const surekrig_validation *how, surekrig_error *error)
{
    int64_t n = m->data.n;
    if (how->rows < 0 || how->rows > n || how->threads < 0)
        return sk_fail(error, SUREKRIG_INVALID, "%lld rows on %d threads asked, the model has %lld rows",
                       (long long)how->rows, how->threads, (long long)n);
    if ((how->blocks != 0) + (how->by != NULL) + (how->after != NULL) > 1)
        return sk_fail(error, SUREKRIG_INVALID, "blocks, by and after are three ways: ask for one");
    if (how->blocks < 0 || how->blocks == 1 || how->blocks > n)
        return sk_fail(error, SUREKRIG_INVALID, "%lld blocks asked of %lld points: from 2 on, and at most one a point",
                       (long long)how->blocks, (long long)n);
    return SUREKRIG_OK;
}

surekrig_status surekrig_validate(const surekrig_model *m, const surekrig_validation *how,
                                  const surekrig_progress *progress, surekrig_validated *validated,
                                  surekrig_error *error)
{
    surekrig_status status = sk_refuse_many(&m->data, "cross-validation is", error);
    if (!status)
        status = check(m, how, error);
    if (status)
        return status;
    work w = {.m = m,
              .how = how,
              .rows = how->rows ? how->rows : m->data.n,
              .unit = sk_frame_unit(&m->frame),
              .intervals = {how->levels, how->level, NULL}};
    sk_ticker ticker;
    sk_ticker_start(&ticker, progress, "validation");
    surekrig_validated made = *validated;
    made.jittered = 0;
    made.max_jitter = 0;
    status = open_work(&w, validated->lower || validated->upper, error);
    if (!status)
        status = validate_share(&w, &ticker, &made, error);
    if (m->sharers)
        status = spread(&w, &made, status, error);
    close_work(&w);
    made.count = w.rows;
    if (!status)
        *validated = made;
    return status;
}
