/* Cross-validation of a model on its own data, under its hyperparameters: each point is predicted without itself (M5),
 * or without the compact block or the group it is in, or from what was before a time, by the code that kriges new
 * points. Of many ranks that have parts of the rows each predicts its own, and what was found goes to where the rows came
 * from. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096 };

typedef struct work {
    const surekrig_model *m;
    const surekrig_validation *how;
    sk_own_rows rows;   /* to be predicted */
    int64_t *group;     /* [own rows], or NULL: leave-one-out */
    int64_t *own;       /* [BLOCK] */
    int64_t begin, end; /* of the rows, those that are predicted here */
    double unit;        /* of distances */
    surekrig_validated *out;
    sk_intervals intervals;
    sk_block block;
} work;

static void close_work(work *w)
{
    sk_block_close(&w->block);
    free(w->rows.row);
    free(w->group);
    free(w->own);
    sk_intervals_close(&w->intervals);
}

/* ---- which rows */

/* Own rows among those of these numbers, which increase. */
static void take_own(work *w, int64_t count, const int64_t *number)
{
    const surekrig_data *data = &w->m->data;
    for (int64_t i = 0, at; i < count; i++) {
        at = data->ranks ? sk_count_below(sk_own(data), data->ranks->number, number[i]) : number[i];
        if (at < sk_own(data) && sk_number(data, at) == number[i])
            w->rows.row[w->rows.own++] = at;
    }
}

/* A sample of all rows. */
static surekrig_status take_sample(work *w, surekrig_error *error)
{
    int64_t count = w->rows.all, *number = sk_alloc(count, sizeof *number);
    surekrig_status status = number ? sk_sample_rows(w->how->seed, w->m->data.n, count, number, error)
                                    : sk_fail_memory(error, 8.0 * (double)count, "the rows to be validated");
    if (!status)
        take_own(w, count, number);
    free(number);
    return status;
}

/* The rows that stand at places nth among the own rows of all ranks, a few at a time: their numbers. */
static surekrig_status find_nth(const work *w, int64_t count, const int64_t *nth, int64_t *number,
                                surekrig_error *error)
{
    const surekrig_data *data = &w->m->data;
    int64_t n = w->rows.own, at_once = sk_at_once(sk_ranks_of(data)), *own = sk_alloc(n, sizeof *own);
    surekrig_status status = own ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)n, "the rows to be validated");
    for (int64_t i = 0; i < n && !status; i++)
        own[i] = sk_number(data, w->rows.row[i]);
    for (int64_t from = 0; from < count && !status; from += at_once)
        status = sk_rows_nth(data, (sk_sorted){n, own}, count - from < at_once ? count - from : at_once, nth + from,
                             number + from, error);
    free(own);
    return status;
}

/* A sample of the rows after a time, where that is asked. */
static surekrig_status take_later(work *w, surekrig_error *error)
{
    int64_t asked = w->rows.all;
    surekrig_status status = sk_rows_after(w->m, *w->how->after, w->group, &w->rows, error);
    int64_t later = w->rows.all;
    if (status || asked >= later)
        return status;
    int64_t *number = sk_alloc(2 * asked, sizeof *number), *nth = number ? number + asked : NULL;
    status = number ? sk_sample_rows(w->how->seed, later, asked, nth, error)
                    : sk_fail_memory(error, 16.0 * (double)asked, "the rows to be validated");
    if (!status)
        status = find_nth(w, asked, nth, number, error);
    w->rows.all = asked;
    w->rows.own = 0;
    if (!status)
        take_own(w, asked, number);
    free(number);
    return status;
}

static surekrig_status choose_rows(work *w, surekrig_error *error)
{
    const surekrig_validation *how = w->how;
    int64_t own = sk_own(&w->m->data), asked = w->rows.all;
    bool grouped = how->blocks || how->after, some = asked < w->m->data.n && !how->after;
    w->rows.row = sk_alloc(some && asked < own ? asked : own, sizeof *w->rows.row);
    w->group = grouped ? sk_alloc(own, sizeof *w->group) : NULL;
    if (!w->rows.row || (grouped && !w->group))
        return sk_fail_memory(error, 16.0 * (double)own, "the rows to be validated");
    if (how->after)
        return take_later(w, error);
    surekrig_status status = some ? take_sample(w, error) : SUREKRIG_OK;
    for (int64_t i = 0; i < own && !some; i++)
        w->rows.row[w->rows.own++] = i;
    if (!status && how->blocks)
        status = sk_rows_blocks(w->m, how->blocks, w->group, error);
    if (!status && (how->by || how->group))
        status = sk_rows_by(w->m, how, &w->group, error);
    return status;
}

/* ---- predictions */

static surekrig_status open_work(work *w, bool interval, surekrig_error *error)
{
    int64_t block = w->rows.all < BLOCK ? w->rows.all : BLOCK;
    surekrig_status status = sk_intervals_open(w->m, interval, &w->intervals, error);
    if (status)
        return status;
    w->own = sk_alloc(block, sizeof *w->own);
    if (!w->own)
        return sk_fail_memory(error, 8.0 * (double)block, "the rows to be validated");
    status = choose_rows(w, error);
    return status ? status : sk_block_open(w->m, block, w->how->threads, &w->block, error);
}

/* The rows of block i: where they begin; and how many. Of ranks that have parts some are through before others. */
static int64_t rows_of(const work *w, int64_t i, int64_t *count)
{
    int64_t from = w->begin + i * BLOCK, left = w->end > from ? w->end - from : 0;
    *count = left < BLOCK ? left : BLOCK;
    return from;
}

static surekrig_status find_block(void *of, sk_block *b, int64_t i, surekrig_error *error)
{
    work *w = of;
    const surekrig_model *m = w->m;
    int64_t d = m->data.d, count, from = rows_of(w, i, &count);
    for (int64_t j = 0; j < count; j++) {
        int64_t row = w->rows.row[from + j];
        memcpy(b->x + j * d, m->data.x + row * d, (size_t)d * sizeof(double));
        w->own[j] = w->group ? w->group[row] : 0;
    }
    surekrig_neighbor_query query = {.n = count, .row = w->rows.row + from, .group = w->group, .own_group = w->own};
    return sk_block_neighbors(b, query, error);
}

static surekrig_status krige_block(void *of, sk_block *b, int64_t i, sk_ticker *ticker, surekrig_error *error)
{
    int64_t count;
    rows_of(of, i, &count);
    return count ? sk_block_krige(b, count, (sk_wanted){true, true}, ticker, error) : SUREKRIG_OK;
}

static void write_row(const work *w, const sk_block *b, int64_t i, int64_t from)
{
    const surekrig_data *data = &w->m->data;
    surekrig_validated *out = w->out;
    int64_t row = w->rows.row[i], nearest = b->neighbor[from * w->m->info.neighbors];
    double noise = data->noise ? data->noise[row] : 0;
    for (int64_t q = 0, at = i * data->l; q < data->l; q++, at++) {
        out->mean[at] = sk_block_mean(b, from, q);
        out->sd[at] = sk_block_sd(b, from, q, false, noise);
        sk_intervals_write(&w->intervals, (sk_prediction){q, out->mean[at], out->sd[at]}, at, out->lower, out->upper);
    }
    out->distance[i] = w->unit * sk_frame_distance(&w->m->frame, b->place + from * w->m->kriged.d,
                                                   w->m->kriged.x + nearest * w->m->kriged.d);
    out->jittered += b->kriging.jitter[from] > 0;
    out->max_jitter = fmax(out->max_jitter, b->kriging.jitter[from]);
}

static void write_block(void *of, const sk_block *b, int64_t i)
{
    int64_t count, from = rows_of(of, i, &count);
    for (int64_t j = 0; j < count; j++)
        write_row(of, b, from + j, j);
}

/* Of all rows, or of this rank's share of them. Ranks that have parts ask together until the last is through: what they
 * leave out is theirs to know. */
static surekrig_status validate_share(work *w, sk_ticker *ticker, surekrig_validated *out, surekrig_error *error)
{
    const surekrig_data *data = &w->m->data;
    const sk_ranks *ranks = sk_sharers(w->m);
    bool own = sk_is_spread(data);
    w->out = out;
    w->begin = own ? 0 : sk_slice(ranks, w->rows.own, ranks->rank);
    w->end = own ? w->rows.own : sk_slice(ranks, w->rows.own, ranks->rank + 1);
    double blocks = (double)((w->end - w->begin + BLOCK - 1) / BLOCK);
    sk_most(sk_ranks_of(data), 1, &blocks);
    sk_rows_mark(data);
    sk_part_ways(w->m, true);
    sk_blocks all = {w, (int64_t)blocks, find_block, krige_block, write_block, ticker, 0, 1};
    surekrig_status status = sk_blocks_run(&all, &w->block, error);
    sk_part_ways(w->m, false);
    sk_rows_forget(data);
    return status;
}

/* Of many ranks each is told of the rows that it gave. */
static surekrig_status check_outputs(const surekrig_model *m, int64_t rows, const surekrig_validated *out,
                                     surekrig_error *error)
{
    int64_t most = rows && rows < m->info.part ? rows : m->info.part, l = m->data.l;
    const sk_array all[] = {{"row", out->row, {most, 1, 1}},
                            {"mean", out->mean, {most, l, 1}},
                            {"sd", out->sd, {most, l, 1}},
                            {"distance", out->distance, {most, 1, 1}},
                            {0}};
    return sk_agree(sk_ranks_of(&m->data), sk_check_arrays(all, error), error);
}

static surekrig_status check(const surekrig_model *m, const surekrig_validation *how, surekrig_error *error)
{
    int64_t n = m->data.n;
    /* Rows that are here are not those that were given, whose groups these are; a rank that gave none may have NULL. */
    if (sk_sum(sk_ranks_of(&m->data), how->group != NULL) > 0 &&
        sk_refuse_many(&m->data, "groups that the model does not know are", error))
        return SUREKRIG_INVALID;
    if (how->rows < 0 || how->rows > n || how->threads < 0)
        return sk_fail(error, SUREKRIG_INVALID, "%lld rows on %d threads asked, the model has %lld rows",
                       (long long)how->rows, how->threads, (long long)n);
    if ((how->blocks != 0) + (how->by != NULL) + (how->after != NULL) + (how->group != NULL) > 1)
        return sk_fail(error, SUREKRIG_INVALID, "blocks, by, after and group are four ways: ask for one");
    if (how->blocks < 0 || how->blocks == 1 || how->blocks > n)
        return sk_fail(error, SUREKRIG_INVALID, "%lld blocks asked of %lld points: from 2 on, and at most one a point",
                       (long long)how->blocks, (long long)n);
    return SUREKRIG_OK;
}

surekrig_status surekrig_validate(const surekrig_model *m, const surekrig_validation *how,
                                  const surekrig_progress *progress, surekrig_validated *validated,
                                  surekrig_error *error)
{
    surekrig_status status =
        sk_check_needed((sk_needed[]){{"model", m}, {"validation", how}, {"validated", validated}, {0}}, error);
    if (!status)
        status = check(m, how, error);
    if (!status)
        status = check_outputs(m, how->rows, validated, error);
    if (status)
        return status;
    work w = {.m = m,
              .how = how,
              .rows.all = how->rows ? how->rows : m->data.n,
              .unit = sk_frame_unit(&m->frame),
              .intervals = {how->levels, how->level, NULL}};
    sk_ticker ticker;
    sk_ticker_start(&ticker, progress, "validation");
    surekrig_validated made = *validated, mine = {0};
    bool own = sk_is_spread(&m->data);
    made.jittered = 0;
    made.max_jitter = 0;
    status = open_work(&w, validated->lower || validated->upper, error);
    if (!status && own)
        status = sk_validated_new(m, &made, how->levels, w.rows.own, &mine, error);
    if (!status)
        status = validate_share(&w, &ticker, own ? &mine : &made, error);
    if (m->sharers)
        status = sk_validated_share(m, &made, how->levels, w.rows.all, status, error);
    if (!status)
        sk_validated_rows(m, &w.rows, own ? &mine : &made);
    if (!status && own)
        status = sk_validated_to_file(m, &mine, how->levels, &made, error);
    sk_validated_free(&mine);
    close_work(&w);
    if (!status)
        *validated = made;
    return status;
}
