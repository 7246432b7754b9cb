/* Prediction on many ranks: all have the same points, cut into equal shares that lie together. Each rank predicts its
 * own, answers what others ask meanwhile, and all learn what each has found. */
#include "predict/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- shares: points halved along the longest side of their box */

typedef struct cutting {
    const surekrig_query *query;
    int64_t d;
    const double *unit; /* [d] of each feature */
    int64_t *point;     /* [n] */
} cutting;

static int64_t longest(const cutting *c, int64_t begin, int64_t end)
{
    int64_t axis = 0;
    double most = -1;
    for (int64_t a = 0; a < c->d; a++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = begin; i < end; i++) {
            low = fmin(low, c->query->x[c->point[i] * c->d + a]);
            high = fmax(high, c->query->x[c->point[i] * c->d + a]);
        }
        double side = (high - low) / c->unit[a];
        axis = side > most ? a : axis;
        most = fmax(side, most);
    }
    return axis;
}

/* A missing feature comes last. */
static bool before(const cutting *c, int64_t axis, int64_t i, int64_t j)
{
    double x = c->query->x[i * c->d + axis], y = c->query->x[j * c->d + axis];
    x = isnan(x) ? INFINITY : x;
    y = isnan(y) ? INFINITY : y;
    return x < y || (x == y && i < j);
}

static void halve(const cutting *c, int64_t axis, int64_t begin, int64_t middle, int64_t end)
{
    while (end - begin > 1) {
        int64_t *p = c->point, pivot = p[begin + (end - begin) / 2], low = begin, high = end - 1;
        while (low <= high) {
            while (before(c, axis, p[low], pivot))
                low++;
            while (before(c, axis, pivot, p[high]))
                high--;
            if (low <= high) {
                int64_t held = p[low];
                p[low++] = p[high];
                p[high--] = held;
            }
        }
        if (middle <= high)
            end = high + 1;
        else if (middle >= low)
            begin = low;
        else
            return;
    }
}

static int64_t share_at(int64_t n, int size, int rank)
{
    return n / size * rank + n % size * rank / size;
}

static void cut(const cutting *c, int size, int from, int to)
{
    int half = from + (to - from) / 2;
    if (to - from < 2)
        return;
    int64_t begin = share_at(c->query->n, size, from), end = share_at(c->query->n, size, to);
    halve(c, longest(c, begin, end), begin, share_at(c->query->n, size, half), end);
    cut(c, size, from, half);
    cut(c, size, half, to);
}

/* ---- this rank's share */

typedef struct share {
    const surekrig_model *m;
    const sk_errand *errand;
    int64_t *point, begin, n;
    double *x, *noise;
    surekrig_prediction own;
} share;

static void free_share(share *s)
{
    free(s->point);
    free(s->x);
    free(s->noise);
    free(s->own.mean);
    free(s->own.sd);
    free(s->own.lower);
    free(s->own.upper);
}

static surekrig_status take_share(share *s, const surekrig_prediction *wanted, surekrig_error *error)
{
    const surekrig_query *q = s->errand->query;
    const sk_ranks *ranks = sk_ranks_of(&s->m->data);
    int64_t d = s->m->data.d, l = s->m->data.l, levels = q->levels;
    double *unit = sk_doubles(d);
    s->point = sk_alloc(q->n, sizeof *s->point);
    s->begin = share_at(q->n, ranks->size, ranks->rank);
    s->n = share_at(q->n, ranks->size, ranks->rank + 1) - s->begin;
    s->x = sk_doubles(s->n * d);
    s->noise = q->noise ? sk_doubles(s->n) : NULL;
    s->own.mean = wanted->mean ? sk_doubles(s->n * l) : NULL;
    s->own.sd = wanted->sd ? sk_doubles(s->n * l) : NULL;
    s->own.lower = wanted->lower ? sk_doubles(s->n * l * levels) : NULL;
    s->own.upper = wanted->upper ? sk_doubles(s->n * l * levels) : NULL;
    bool room = unit && s->point && s->x && (s->noise || !q->noise) && (s->own.mean || !wanted->mean) &&
                (s->own.sd || !wanted->sd) && (s->own.lower || !wanted->lower) && (s->own.upper || !wanted->upper);
    for (int64_t a = 0; a < d && room; a++)
        unit[a] = s->m->box[d + a] - s->m->box[a];
    for (int64_t i = 0; i < q->n && room; i++)
        s->point[i] = i;
    if (room)
        cut(&(cutting){q, d, unit, s->point}, ranks->size, 0, ranks->size);
    for (int64_t i = 0; i < s->n && room; i++) {
        int64_t from = s->point[s->begin + i];
        memcpy(s->x + i * d, q->x + from * d, (size_t)d * sizeof *s->x);
        if (s->noise)
            s->noise[i] = q->noise[from];
    }
    free(unit);
    return room ? SUREKRIG_OK : sk_fail_memory(error, 8.0 * (double)(q->n + s->n * (d + 2 * l)), "a rank's points");
}

static surekrig_status predict_share(share *s, surekrig_error *error)
{
    surekrig_query own = *s->errand->query;
    surekrig_ranks *ranks = s->m->data.ranks;
    surekrig_status status = SUREKRIG_OK;
    own.n = s->n;
    own.x = s->x;
    own.noise = s->noise;
    sk_rows_mark(&s->m->data);
    ranks->apart = true;
    if (s->n)
        status = s->errand->predict(s->m, &own, ranks->link.rank ? NULL : s->errand->progress, &s->own, error);
    if (!status)
        status = sk_model_serve(s->m, error);
    ranks->apart = false;
    sk_rows_forget(&s->m->data);
    return status;
}

/* own: [share][width], to: [n][width], or NULL both. */
static bool spread(const share *s, const double *own, int64_t width, double *to)
{
    const sk_ranks *ranks = sk_ranks_of(&s->m->data);
    if (!to)
        return true;
    int64_t *bytes = sk_alloc(ranks->size, sizeof *bytes), n = s->errand->query->n;
    double *all = bytes ? sk_gather(ranks, own, s->n * width * (int64_t)sizeof *own, bytes) : NULL;
    for (int64_t i = 0; i < n && all; i++)
        memcpy(to + s->point[i] * width, all + i * width, (size_t)width * sizeof *to);
    free(all);
    free(bytes);
    return all != NULL;
}

surekrig_status sk_predict_apart(const surekrig_model *m, const sk_errand *errand, surekrig_prediction *out,
                                 surekrig_error *error)
{
    share s = {.m = m, .errand = errand};
    const sk_ranks *ranks = sk_ranks_of(&m->data);
    int64_t l = m->data.l, levels = errand->query->levels;
    surekrig_status status = take_share(&s, out, error);
    if (!status)
        status = predict_share(&s, error);
    if (!status &&
        !(spread(&s, s.own.mean, l, out->mean) && spread(&s, s.own.sd, l, out->sd) &&
          spread(&s, s.own.lower, l * levels, out->lower) && spread(&s, s.own.upper, l * levels, out->upper)))
        status = sk_fail_memory(error, 8.0 * (double)(errand->query->n * l), "what ranks have predicted");
    if (!status) {
        out->jittered = sk_sum(ranks, s.own.jittered);
        out->beyond = sk_sum(ranks, s.own.beyond);
        sk_most(ranks, 1, &s.own.max_jitter);
        out->max_jitter = s.own.max_jitter;
    }
    free_share(&s);
    return status;
}
