/* Prediction in spans of points, put into the order of the index's leaves, or of the lattice's cells where there is
 * one, so that those that follow one another share neighbours and caches, and in a span block by block: neighbours,
 * then kriging. Memory is that of a span and a block whatever the number of points. Where there is a lattice, a span is
 * as long as the model has rows, if these are many: places scattered over it share its nodes only where many are asked
 * at once. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPAN = 1 << 18, SPAN_MOST = 1 << 22, BLOCK = 4096, NODES_BLOCK = 16384, GRAIN = 512 };
static const double BEYOND = 1.05; /* times what was seen: not for round-off's sake */

typedef struct stream {
    const surekrig_model *m;
    const sk_ranks *ranks; /* that predict a share each */
    const surekrig_query *query;
    surekrig_prediction *out;
    sk_ticker ticker;
    bool own;        /* the points are this rank's alone */
    double *note;    /* [n][2] of each point its jitter, and whether it is beyond what was seen; or NULL */
    int64_t span;    /* points of a span */
    int64_t most;    /* points of a block: where they share nodes, the more the better */
    int64_t count;   /* points of the span without a missing feature */
    int64_t *target; /* [span] which of the points asked they are */
    double *whole;   /* [span][features] */
    double *place;   /* [span][coordinates]; the same where these are the features */
    int64_t *order;  /* [span] */
    sk_intervals intervals;
    sk_block block;
} stream;

static void close_stream(stream *s)
{
    sk_block_close(&s->block);
    free(s->target);
    if (s->place != s->whole)
        free(s->place);
    free(s->whole);
    free(s->order);
    sk_intervals_close(&s->intervals);
}

static int64_t within(int64_t least, int64_t n, int64_t most)
{
    return n < least ? least : n > most ? most : n;
}

static surekrig_status open_stream(stream *s, bool interval, surekrig_error *error)
{
    const surekrig_model *m = s->m;
    s->span = sk_has_nodes(m) ? within(SPAN, m->data.n, SPAN_MOST) : SPAN;
    int64_t span = s->query->n < s->span ? s->query->n : s->span;
    surekrig_status status = sk_intervals_open(m, interval, &s->intervals, error);
    if (status)
        return status;
    s->target = sk_alloc(span, sizeof *s->target);
    s->whole = sk_doubles(span * m->data.d);
    s->place = m->metric.same ? s->whole : sk_doubles(span * m->kriged.d);
    s->order = sk_alloc(span, sizeof *s->order);
    if (!s->target || !s->whole || !s->place || !s->order)
        return sk_fail_memory(error, 8.0 * (double)(span * (m->data.d + 2)), "a span of predictions");
    s->most = sk_has_nodes(m) ? NODES_BLOCK : BLOCK;
    return sk_block_open(m, span < s->most ? span : s->most, s->query->threads, &s->block, error);
}

/* An interval needs both. */
static sk_wanted wanted(const surekrig_prediction *out)
{
    bool interval = out->lower || out->upper;
    return (sk_wanted){out->mean || interval, out->sd || interval};
}

/* from: the point's place in the block, which is NULL where a feature is missing. */
static void write_row(const stream *s, const sk_block *b, int64_t i, int64_t from)
{
    surekrig_prediction *out = s->out;
    int64_t l = s->m->data.l;
    sk_wanted want = wanted(out);
    double noise = s->query->noise && !s->query->latent ? s->query->noise[i] : 0;
    for (int64_t q = 0, at = i * l; q < l; q++, at++) {
        double mean = !b || !want.mean ? NAN : sk_block_mean(b, from, q);
        double sd = !b || !want.sd ? NAN : sk_block_sd(b, from, q, s->query->latent, noise);
        if (out->mean)
            out->mean[at] = mean;
        if (out->sd)
            out->sd[at] = sd;
        sk_intervals_write(&s->intervals, (sk_prediction){q, mean, sd}, at, out->lower, out->upper);
    }
}

/* Takes the points of [begin, end) that have all their features; the others are answered. */
static void take_span(stream *s, int64_t begin, int64_t end)
{
    int64_t d = s->m->data.d;
    s->count = 0;
    for (int64_t i = begin; i < end; i++) {
        bool whole = true;
        for (int64_t a = 0; a < d; a++)
            whole &= !isnan(s->query->x[i * d + a]);
        if (!whole) {
            write_row(s, NULL, i, 0);
            continue;
        }
        memcpy(s->whole + s->count * d, s->query->x + i * d, (size_t)d * sizeof(double));
        s->target[s->count++] = i;
    }
    if (s->place != s->whole)
        sk_metric_map(&s->m->metric, s->count, s->whole, s->place);
}

/* What the block says of points order[0], ... of the span. */
typedef struct writing {
    const stream *s;
    const sk_block *block;
    const int64_t *order;
} writing;

static void write_rows(void *context, int64_t begin, int64_t end, int worker)
{
    const writing *w = context;
    (void)worker;
    for (int64_t j = begin; j < end; j++)
        write_row(w->s, w->block, w->s->target[w->order[j]], j);
}

static void write_points(stream *s, const sk_block *b, const int64_t *order, int64_t count)
{
    const sk_kriging *k = &b->kriging;
    double seen = s->m->info.seen_share;
    sk_parallel(&(sk_task){count, GRAIN, s->block.machine.threads, write_rows, &(writing){s, b, order}, NULL});
    for (int64_t j = 0; j < count; j++) {
        bool beyond = wanted(s->out).sd && seen > 0 && k->variance_share[j] + s->m->hyper.tau2 > BEYOND * seen;
        s->out->jittered += k->jitter[j] > 0;
        s->out->max_jitter = fmax(s->out->max_jitter, k->jitter[j]);
        s->out->beyond += beyond;
        if (s->note)
            memcpy(s->note + 2 * s->target[order[j]], (double[]){k->jitter[j], beyond}, 2 * sizeof(double));
    }
}

/* ---- a span's blocks, or this rank's share of them */

/* Where a rank's share of the span begins, in its order. */
static int64_t share_at(const stream *s, int rank)
{
    int size = s->ranks->size;
    if (s->own)
        return rank > s->ranks->rank ? s->count : 0;
    return s->count / size * rank + s->count % size * rank / size;
}

/* Points of block i of the share, in the span's order: where they begin; and how many. */
static const int64_t *points_of(const stream *s, int64_t i, int64_t *count)
{
    int64_t from = share_at(s, s->ranks->rank) + i * s->most, left = share_at(s, s->ranks->rank + 1) - from;
    *count = left < s->most ? left : s->most;
    return s->order + from;
}

static surekrig_status find_block(void *work, sk_block *b, int64_t i, surekrig_error *error)
{
    const stream *s = work;
    int64_t count, d = s->m->data.d;
    const int64_t *order = points_of(s, i, &count);
    for (int64_t j = 0; j < count; j++)
        memcpy(b->x + j * d, s->whole + order[j] * d, (size_t)d * sizeof(double));
    return sk_block_find(b, count, wanted(s->out), error);
}

static surekrig_status krige_block(void *work, sk_block *b, int64_t i, sk_ticker *ticker, surekrig_error *error)
{
    const stream *s = work;
    int64_t count;
    points_of(s, i, &count);
    return sk_block_krige_found(b, count, wanted(s->out), ticker, error);
}

static void write_block(void *work, const sk_block *b, int64_t i)
{
    stream *s = work;
    int64_t count;
    const int64_t *order = points_of(s, i, &count);
    write_points(s, b, order, count);
}

static surekrig_status predict_share(stream *s, int64_t begin, surekrig_error *error)
{
    int64_t from = share_at(s, s->ranks->rank), count = share_at(s, s->ranks->rank + 1) - from;
    double points = (double)s->query->n;
    sk_blocks all = {s,
                     (count + s->most - 1) / s->most,
                     find_block,
                     krige_block,
                     write_block,
                     &s->ticker,
                     (double)(begin + from) / points,
                     (double)count / points};
    return sk_blocks_run(&all, &s->block, error);
}

/* All ranks learn what each has written: of each point so many numbers. */
static bool spread(const stream *s, int64_t width, double *out)
{
    const sk_ranks *ranks = s->ranks;
    int64_t from = share_at(s, ranks->rank), count = share_at(s, ranks->rank + 1) - from;
    size_t bytes = (size_t)width * sizeof *out;
    if (!out)
        return true;
    int64_t *each = sk_alloc(ranks->size, sizeof *each);
    double *own = sk_doubles(count * width), *all = own && each ? sk_doubles(s->count * width) : NULL;
    for (int64_t i = 0; i < count && own; i++)
        memcpy(own + i * width, out + s->target[s->order[from + i]] * width, bytes);
    for (int r = 0; r < ranks->size && all; r++)
        each[r] = (share_at(s, r + 1) - share_at(s, r)) * (int64_t)bytes;
    if (all)
        ranks->gather(ranks, own, each, all);
    for (int64_t i = 0; i < s->count && all; i++)
        memcpy(out + s->target[s->order[i]] * width, all + i * width, bytes);
    free(each);
    free(own);
    free(all);
    return all != NULL;
}

/* What others still ask of rows that are here. */
static surekrig_status serve(const surekrig_model *m, surekrig_error *error)
{
    return m->held ? sk_seek_serve(sk_model_seek(m), error) : SUREKRIG_OK;
}

/* Each rank predicts its share, answers what others ask meanwhile, and hands it round. */
static surekrig_status predict_apart(stream *s, int64_t begin, surekrig_error *error)
{
    const surekrig_model *m = s->m;
    int64_t l = m->data.l, levels = s->query->levels;
    sk_rows_mark(&m->data);
    sk_part_ways(m, true);
    surekrig_status status = predict_share(s, begin, error);
    if (!status)
        status = serve(m, error);
    sk_part_ways(m, false);
    sk_rows_forget(&m->data);
    if (!status && !(spread(s, l, s->out->mean) && spread(s, l, s->out->sd) && spread(s, l * levels, s->out->lower) &&
                     spread(s, l * levels, s->out->upper)))
        status = sk_fail_memory(error, 8.0 * (double)(s->count * l), "what ranks have predicted");
    return status;
}

static surekrig_status order_span(stream *s, int64_t begin, int64_t end, surekrig_error *error)
{
    const surekrig_model *m = s->m;
    sk_seek rows = {&m->kriged, m->index, &m->frame};
    take_span(s, begin, end);
    return sk_has_nodes(m) ? sk_nodes_order(m, s->count, s->place, s->order, error)
                           : sk_seek_order(&rows, s->count, s->place, s->query->threads, s->order, error);
}

static surekrig_status predict_spans(stream *s, surekrig_error *error)
{
    int64_t n = s->query->n;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t begin = 0; begin < n && !status; begin += s->span) {
        status = order_span(s, begin, begin + s->span < n ? begin + s->span : n, error);
        if (!status)
            status = s->ranks->size > 1 && !s->own ? predict_apart(s, begin, error) : predict_share(s, begin, error);
    }
    return status;
}

/* Of a rank's own points, while others predict theirs. The first order is made by all together. */
static surekrig_status predict_own(stream *s, surekrig_error *error)
{
    const surekrig_data *data = &s->m->data;
    surekrig_status status = order_span(s, 0, 0, error);
    sk_rows_mark(data);
    sk_part_ways(s->m, true);
    if (!status)
        status = predict_spans(s, error);
    if (!status)
        status = serve(s->m, error);
    sk_part_ways(s->m, false);
    sk_rows_forget(data);
    return status;
}

/* A noise may be missing where a feature is. */
surekrig_status sk_query_check(const surekrig_model *m, const surekrig_query *query, surekrig_error *error)
{
    if (query->n < 0 || query->threads < 0)
        return sk_fail(error, SUREKRIG_INVALID, "%lld points on %d threads asked", (long long)query->n, query->threads);
    if (query->noise && m->data.l != 1)
        return sk_fail(error, SUREKRIG_INVALID, "noise variances go with one response, the model has %lld",
                       (long long)m->data.l);
    surekrig_status status = sk_check_arrays((sk_array[]){{"x", query->x, {query->n, m->data.d, 1}}, {0}}, error);
    if (status)
        return status;
    for (int64_t i = 0; i < query->n * m->data.d; i++)
        if (isinf(query->x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld, %s: %g is not a finite number",
                           (long long)(i / m->data.d) + 1, m->data.x_names[i % m->data.d], query->x[i]);
    for (int64_t i = 0; query->noise && i < query->n; i++)
        if (query->noise[i] < 0 || isinf(query->noise[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld: its noise %g is not a variance", (long long)i + 1,
                           query->noise[i]);
    return sk_metric_check(&m->metric, &m->data, (sk_metric_points){"point", query->n, query->x}, error);
}

/* Ranks that have all rows share what is worth a message. */
static const sk_ranks *predicting(const surekrig_model *m, const surekrig_query *query)
{
    bool shared = !m->sharers || sk_is_worth_sharing(query->n, m->info.neighbors);
    return shared ? sk_sharers(m) : sk_ranks_of(&m->data);
}

surekrig_status sk_predict_here(const surekrig_model *m, const surekrig_query *query, const surekrig_progress *progress,
                                surekrig_prediction *made, double *note, surekrig_error *error)
{
    const sk_ranks *ranks = predicting(m, query);
    stream s = {.m = m, .ranks = ranks, .query = query, .out = made, .intervals = {query->levels, query->level, NULL}};
    s.own = note || (query->apart && m->sharers);
    s.note = note;
    sk_ticker_start(&s.ticker, sk_sharers(m)->rank ? NULL : progress, "prediction");
    surekrig_status status = open_stream(&s, made->lower || made->upper, error);
    if (!status)
        status = s.own ? predict_own(&s, error) : predict_spans(&s, error);
    close_stream(&s);
    return status;
}

surekrig_status surekrig_predict(const surekrig_model *m, const surekrig_query *query,
                                 const surekrig_progress *progress, surekrig_prediction *prediction,
                                 surekrig_error *error)
{
    if (sk_check_needed((sk_needed[]){{"model", m}, {"query", query}, {"prediction", prediction}, {0}}, error))
        return SUREKRIG_INVALID;
    const sk_ranks *ranks = predicting(m, query);
    surekrig_status status = sk_query_check(m, query, error);
    if (status)
        return status;
    surekrig_prediction made = *prediction;
    made.jittered = 0;
    made.max_jitter = 0;
    made.beyond = 0;
    bool apart = query->apart && (m->held || m->sharers);
    status = apart && m->held ? sk_predict_apart(m, query, progress, &made, error)
                              : sk_predict_here(m, query, progress, &made, NULL, error);
    if (status)
        return status;
    if (!apart) {
        made.jittered = sk_sum(ranks, made.jittered);
        made.beyond = sk_sum(ranks, made.beyond);
        sk_most(ranks, 1, &made.max_jitter);
    }
    *prediction = made;
    return SUREKRIG_OK;
}
