/* Conditional simulation: joint draws at new points, given the model and its data.
 *
 *   draw = mean + sqrt(gamma2) ( e + delta'b + sqrt(tau2) noise ),
 *
 * mean, gamma2 and delta at each point as predict has them.
 * e is the field's deviation from its kriged mean, zero at the data. Place by place in the order of sequence.c,
 *   e_i = kriged e + sqrt(v_i) normal
 * from the data that predict takes, with their nugget, and the nearest places before, which have none. Kriging is
 * linear in the responses, so the draws are its responses: they share neighbours and factorisations. With an unknown
 * mean e is kriged with one too, as its uncertainty given the data and the draws before asks. b ~ N(0, C) is the error
 * of the trend's slopes, one for a draw and response, C their covariance (mean.h). With k all points this is the exact
 * conditional process; with fewer, the mean is still that of predict, and the sd as nearly as predict's neighbours tell
 * what all data do. */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, GRAIN = 64 };
static const double PREDICTED = 0.2, SURROUNDED = 0.4; /* shares of the work that are done when these are */

typedef struct drawing {
    const surekrig_model *m;
    const surekrig_draws *how;
    int64_t points;    /* those with all their features */
    int64_t *target;   /* [points] which of the points asked they are */
    double *x;         /* [points][features] */
    double *at;        /* [points][coordinates]; x itself where these are the features */
    double *mean, *sd; /* [points][l] predict's, and sqrt(gamma2), in the user's units */
    double *delta;     /* [points][trend columns] */
    int64_t columns;   /* responses times draws, the draws of a response together */
    double *slope;     /* [columns][trend columns] b */
    sk_sequence order;
    sk_ticker ticker;
    int64_t used;                 /* data that are a neighbour of some place */
    surekrig_data all;            /* these and then the places; y: [used + places][columns] is e */
    surekrig_neighborhoods batch; /* at most BLOCK of one level */
    const int64_t *turn;          /* [batch.n] which places they are */
    double *kriged, *variance;    /* [BLOCK][columns], [BLOCK] */
    const sk_backend *back;       /* opened on all */
    void *state;
    sk_krige_theta theta;
    double *y; /* the caller's */
} drawing;

static void free_drawing(drawing *w)
{
    void *owned[] = {w->at != w->x ? w->at : NULL,
                     w->target,
                     w->x,
                     w->mean,
                     w->sd,
                     w->delta,
                     w->slope,
                     (void *)w->all.x,
                     (void *)w->all.y,
                     (void *)w->all.noise,
                     (void *)w->batch.neighbor,
                     (void *)w->batch.count,
                     (void *)w->batch.x,
                     w->kriged,
                     w->variance};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    sk_sequence_free(&w->order);
}

/* ---- what predict says */

static surekrig_status take_points(drawing *w, surekrig_error *error)
{
    const surekrig_draws *how = w->how;
    int64_t d = w->m->data.d, l = w->m->data.l, n = how->n;
    w->target = sk_alloc(n, sizeof *w->target);
    w->x = sk_doubles(n * d);
    w->mean = sk_doubles(n * l);
    w->sd = sk_doubles(n * l);
    w->delta = sk_doubles(n * w->m->trend.columns);
    w->at = w->m->metric.same ? w->x : sk_doubles(n * w->m->kriged.d);
    if (!w->target || !w->x || !w->at || !w->mean || !w->sd || !w->delta)
        return sk_fail_memory(error, 8.0 * (double)(n * (d + 2 * l + 1)), "the points of a simulation");
    for (int64_t i = 0; i < n; i++) {
        bool whole = true;
        for (int64_t a = 0; a < d; a++)
            whole &= !isnan(how->x[i * d + a]);
        if (!whole)
            continue;
        memcpy(w->x + w->points * d, how->x + i * d, (size_t)d * sizeof *w->x);
        w->target[w->points++] = i;
    }
    if (w->at != w->x)
        sk_metric_map(&w->m->metric, w->points, w->x, w->at);
    return SUREKRIG_OK;
}

/* The block's points as predict has them, from point `from` on. */
static void keep_predictions(drawing *w, const sk_block *b, int64_t from, int64_t count)
{
    const surekrig_model *m = w->m;
    int64_t l = m->data.l, columns = m->trend.columns;
    for (int64_t j = 0; j < count; j++) {
        double *delta = w->delta + (from + j) * columns;
        for (int64_t q = 0; q < l; q++) {
            w->mean[(from + j) * l + q] = sk_block_mean(b, j, q);
            w->sd[(from + j) * l + q] = m->spread[q] * sqrt(sk_block_gamma2_std(b, j, q));
        }
        sk_trend_features(&m->trend, b->x + j * m->data.d, delta);
        for (int64_t c = 0; c < columns; c++)
            delta[c] -= b->kriging.mean[j * m->kriged.l + l + c];
    }
}

static surekrig_status predict_points(drawing *w, surekrig_error *error)
{
    const surekrig_model *m = w->m;
    sk_block b;
    surekrig_status status = sk_block_open(m, w->points < BLOCK ? w->points : BLOCK, w->how->threads, &b, error);
    for (int64_t from = 0; from < w->points && !status; from += BLOCK) {
        int64_t count = w->points - from < BLOCK ? w->points - from : BLOCK;
        memcpy(b.x, w->x + from * m->data.d, (size_t)(count * m->data.d) * sizeof *b.x);
        w->ticker.from = PREDICTED * (double)from / (double)w->points;
        w->ticker.span = PREDICTED * (double)count / (double)w->points;
        status = sk_block_predict(&b, count, (sk_wanted){true, true}, &w->ticker, error);
        if (!status)
            keep_predictions(w, &b, from, count);
    }
    sk_block_close(&b);
    return status;
}

/* The number of a column's draw and response, which does not depend on how many draws are asked for. */
static int64_t number_of(const drawing *w, int64_t column)
{
    return column % w->how->draws * w->m->data.l + column / w->how->draws;
}

/* b = U'z with C = U'U. */
static surekrig_status draw_slopes(drawing *w, surekrig_error *error)
{
    int64_t t = w->m->trend.columns;
    double pair[2], *u = sk_copy(w->m->trend.covariance, t * t, sizeof *u);
    w->slope = sk_zeroed(w->columns * t, sizeof *w->slope);
    surekrig_status status = u && w->slope ? SUREKRIG_OK
                                           : sk_fail_memory(error, 8.0 * (double)(w->columns * t), "slopes");
    if (!status && sk_cholesky(t, t, u, 0, 1))
        status = sk_fail(error, SUREKRIG_NUMERIC, "the covariance of the trend's slopes is singular");
    for (int64_t i = 0; i < w->columns * t && !status; i++) {
        sk_normal_pair(w->how->seed, SK_STREAM_SLOPES, (uint64_t)(number_of(w, i / t) * t + i % t), pair);
        for (int64_t c = i % t; c < t; c++)
            w->slope[i / t * t + c] += u[i % t * t + c] * pair[0];
    }
    free(u);
    return status;
}

/* ---- the deviations */

/* Numbers the data that are neighbours, in order, and the places after them. local: [n] the new number, or -1. */
static void number_rows(drawing *w, int64_t *local)
{
    int64_t n = w->m->data.n, *neighbor = w->order.neighbor;
    memset(local, -1, (size_t)n * sizeof *local);
    for (int64_t i = 0; i < w->order.n * w->order.k; i++)
        if (neighbor[i] < n)
            local[neighbor[i]] = 0;
    for (int64_t i = 0; i < n; i++)
        local[i] = local[i] < 0 ? -1 : w->used++;
    for (int64_t i = 0; i < w->order.n * w->order.k; i++)
        neighbor[i] = neighbor[i] < n ? local[neighbor[i]] : neighbor[i] - n + w->used;
}

/* Places and noise, as a share of gamma2, of all rows; e is zero until drawn. */
static surekrig_status gather_rows(drawing *w, const int64_t *local, surekrig_error *error)
{
    const surekrig_data *data = &w->m->kriged;
    int64_t rows = w->used + w->order.n, d = data->d;
    double *x = sk_doubles(rows * d), *noise = sk_zeroed(rows, sizeof *noise),
           share = sk_model_noise_share(w->m, &w->m->hyper);
    w->all = (surekrig_data){
        .n = rows, .d = d, .l = w->columns, .x = x, .y = sk_zeroed(rows * w->columns, sizeof(double)), .noise = noise};
    if (!x || !noise || !w->all.y)
        return sk_fail_memory(error, 8.0 * (double)(rows * (w->columns + d + 1)), "the draws");
    for (int64_t i = 0; i < data->n; i++) {
        if (local[i] < 0)
            continue;
        memcpy(x + local[i] * d, data->x + i * d, (size_t)d * sizeof *x);
        noise[local[i]] = w->m->hyper.tau2 + (data->noise ? data->noise[i] * share : 0);
    }
    memcpy(x + w->used * d, w->order.x, (size_t)(w->order.n * d) * sizeof *x);
    return SUREKRIG_OK;
}

static surekrig_status prepare(drawing *w, surekrig_error *error)
{
    int64_t d = w->m->kriged.d, k = w->order.k, block = w->order.n < BLOCK ? w->order.n : BLOCK;
    int64_t *local = sk_alloc(w->m->data.n, sizeof *local);
    w->batch = (surekrig_neighborhoods){.k = k,
                                        .neighbor = sk_alloc(block * k, sizeof *local),
                                        .count = sk_alloc(block, sizeof *local),
                                        .x = sk_doubles(block * d)};
    w->kriged = sk_doubles(block * w->columns);
    w->variance = sk_doubles(block);
    surekrig_status status = SUREKRIG_OK;
    if (!local || !w->batch.neighbor || !w->batch.count || !w->batch.x || !w->kriged || !w->variance)
        status = sk_fail_memory(error, 8.0 * (double)(block * (k + w->columns + d) + w->m->data.n), "the draws");
    if (!status) {
        number_rows(w, local);
        status = gather_rows(w, local, error);
    }
    free(local);
    return status;
}

/* The normals of a draw at a point, for the field and for the nugget: the same whatever else is drawn. */
static void normals(const drawing *w, int64_t point, int64_t column, double pair[2])
{
    sk_normal_pair(w->how->seed, SK_STREAM_DRAWS, (uint64_t)(number_of(w, column) * w->how->n + w->target[point]),
                   pair);
}

/* e_i = kriged e + sqrt(v_i) normal */
static void finish_places(void *context, int64_t begin, int64_t end, int worker)
{
    const drawing *w = context;
    (void)worker;
    for (int64_t j = begin; j < end; j++) {
        double pair[2], sd = sqrt(fmax(w->variance[j], 0)),
                        *e = (double *)w->all.y + (w->used + w->turn[j]) * w->columns;
        for (int64_t c = 0; c < w->columns; c++) {
            normals(w, w->order.point[w->turn[j]], c, pair);
            e[c] = w->kriged[j * w->columns + c] + sd * pair[0];
        }
    }
}

static surekrig_status order_points(drawing *w, surekrig_error *error)
{
    w->ticker.from = PREDICTED;
    w->ticker.span = SURROUNDED - PREDICTED;
    return sk_sequence_new(w->m, &(sk_places){w->points, w->at, w->how->seed, w->how->threads, &w->ticker}, &w->order,
                           error);
}

static surekrig_status draw_batch(drawing *w, surekrig_error *error)
{
    int64_t d = w->all.d, k = w->order.k;
    for (int64_t j = 0; j < w->batch.n; j++) {
        memcpy((int64_t *)w->batch.neighbor + j * k, w->order.neighbor + w->turn[j] * k, (size_t)k * sizeof(int64_t));
        ((int64_t *)w->batch.count)[j] = w->order.count[w->turn[j]];
        memcpy((double *)w->batch.x + j * d, w->order.x + w->turn[j] * d, (size_t)d * sizeof(double));
    }
    surekrig_kriged out = {.mean = w->kriged, .variance = w->variance};
    surekrig_status status = w->back->run(w->state, &(sk_krige_job){&w->batch, &w->theta, &w->ticker, &out}, error);
    if (!status)
        sk_parallel(&(sk_task){.count = w->batch.n,
                               .grain = GRAIN,
                               .threads = sk_threads(w->how->threads),
                               .run = finish_places,
                               .context = w});
    return status;
}

static surekrig_status draw_levels(drawing *w, surekrig_error *error)
{
    double share = (1 - SURROUNDED) / (double)w->order.n;
    surekrig_status status = SUREKRIG_OK;
    for (int64_t level = 0; level < w->order.levels; level++)
        for (int64_t from = w->order.first[level]; from < w->order.first[level + 1] && !status; from += BLOCK) {
            int64_t left = w->order.first[level + 1] - from;
            w->batch.n = left < BLOCK ? left : BLOCK;
            w->turn = w->order.turn + from;
            w->ticker.from = SURROUNDED + share * (double)from;
            w->ticker.span = share * (double)w->batch.n;
            status = w->ticker.stopped ? sk_fail(error, SUREKRIG_STOPPED, "stopped") : draw_batch(w, error);
        }
    return status;
}

static surekrig_status draw_deviations(drawing *w, surekrig_error *error)
{
    const surekrig_model *m = w->m;
    surekrig_term term[2];
    surekrig_theta theta = sk_model_theta(m, &m->hyper, term);
    sk_kernel *kernel = NULL;
    w->back = sk_machine_backend(m);
    surekrig_status status = prepare(w, error);
    if (!status)
        status = sk_kernel_new(&theta, m->kriged.d, NULL, &kernel, error);
    if (!status)
        status = w->back->open(&(sk_krige_points){&w->all, NULL, w->order.k, w->how->threads, sk_model_unknown_mean(m)},
                               &w->state, error);
    w->theta = (sk_krige_theta){kernel, 0, 1}; /* the nugget is among the rows' noises */
    if (!status)
        status = draw_levels(w, error);
    w->back->close(w->state);
    sk_kernel_free(kernel);
    return status;
}

/* ---- the draws */

static void write_points(void *context, int64_t begin, int64_t end, int worker)
{
    const drawing *w = context;
    int64_t l = w->m->data.l, t = w->m->trend.columns, draws = w->how->draws;
    double nugget = w->how->latent ? 0 : sqrt(w->m->hyper.tau2);
    (void)worker;
    for (int64_t i = begin; i < end; i++) {
        int64_t place = w->order.place[i];
        double pair[2], *to = w->y + w->target[i] * w->columns;
        for (int64_t c = 0; c < w->columns; c++) {
            int64_t at = i * l + c / draws;
            double e = place < 0 ? 0 : w->all.y[(w->used + place) * w->columns + c];
            for (int64_t a = 0; a < t; a++)
                e += w->delta[i * t + a] * w->slope[c * t + a];
            normals(w, i, c, pair);
            to[c] = w->mean[at] + w->sd[at] * (e + nugget * pair[1]);
        }
    }
}

static void write_missing(const drawing *w)
{
    for (int64_t i = 0, at = 0; i < w->how->n; i++) {
        if (at < w->points && w->target[at] == i) {
            at++;
            continue;
        }
        for (int64_t c = 0; c < w->columns; c++)
            w->y[i * w->columns + c] = NAN;
    }
}

static surekrig_status check(const surekrig_model *m, const surekrig_draws *how, const double *y, surekrig_error *error)
{
    if (how->n < 0 || how->draws < 1 || how->threads < 0)
        return sk_fail(error, SUREKRIG_INVALID, "%lld draws at %lld points on %d threads asked", (long long)how->draws,
                       (long long)how->n, how->threads);
    const sk_array all[] = {{"x", how->x, {how->n, m->data.d, 1}}, {"y", y, {how->n, m->data.l, how->draws}}, {0}};
    surekrig_status status = sk_check_arrays(all, error);
    if (status)
        return status;
    for (int64_t i = 0; i < how->n * m->data.d; i++)
        if (isinf(how->x[i]))
            return sk_fail(error, SUREKRIG_DATA, "point %lld, %s: %g is not a finite number",
                           (long long)(i / m->data.d) + 1, m->data.x_names[i % m->data.d], how->x[i]);
    return sk_metric_check(&m->metric, &m->data, (sk_metric_points){"point", how->n, how->x}, error);
}

surekrig_status surekrig_simulate_given(const surekrig_model *m, const surekrig_draws *how,
                                        const surekrig_progress *progress, double *y, surekrig_error *error)
{
    surekrig_status status = sk_check_needed((sk_needed[]){{"model", m}, {"draws", how}, {0}}, error);
    if (!status)
        status = sk_refuse_many(&m->data, "joint draws are", error);
    if (!status)
        status = check(m, how, y, error);
    if (status)
        return status;
    drawing w = {.m = m, .how = how, .columns = m->data.l * how->draws, .y = y};
    sk_ticker_start(&w.ticker, progress, "simulation");
    status = take_points(&w, error);
    if (!status)
        status = predict_points(&w, error);
    if (!status)
        status = draw_slopes(&w, error);
    if (!status)
        status = order_points(&w, error);
    if (!status && w.order.n > 0)
        status = draw_deviations(&w, error);
    if (!status) {
        sk_parallel(&(sk_task){.count = w.points,
                               .grain = GRAIN,
                               .threads = sk_threads(how->threads),
                               .run = write_points,
                               .context = &w});
        write_missing(&w);
    }
    free_drawing(&w);
    return status;
}
