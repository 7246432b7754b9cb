/* Held-out points in the shape of the task, where there is a time: what a target has no data from, a point that stands
 * for it is predicted without.
 *   station   a place without data, at a time that has some: without all rows at the point's own place
 *   hole      a place with data, between two of its times: without the rows at its place as near in time as that
 *   outage    a time at which no place has data: without any rows in a stretch of time as long
 *   ahead     after the last time of all: without any rows after a cut; behind: before the first, likewise
 * Points go in folds, each a set of rows that are left out; one of holes has a stretch at each place. */
#include "heldout/inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 512, FOLDS = 16, NOWHERE = -1 };
static const double LONG = 5;     /* mean steps of time: a longer one without data is an outage */
static const double BEFORE = 0.3; /* share of the range of time that a cut leaves at least */

typedef enum kind { STATION, HOLE, OUTAGE, AHEAD, BEHIND } kind;
enum { KINDS = BEHIND + 1 };

typedef struct aim { /* what a target asks of a point that stands for it */
    kind kind;
    double before, after; /* from its time to what is known: infinite where nothing is */
} aim;

typedef struct point {
    int64_t row, fold; /* 0: stations; then FOLDS of each kind; then holes; NOWHERE */
    aim aim;
} point;

typedef struct stretch {
    double from, to;
} stretch;

typedef struct task {
    const surekrig_model *m;
    uint64_t seed;
    int64_t n, d;
    int64_t *place;   /* [n + SAMPLE] the first row at the place of each row, and of each target */
    int64_t *by_time; /* [n] rows */
    int64_t *series;  /* [n] rows, place by place, each in the order of time */
    int64_t *group;   /* [n] what a fold leaves out */
    double first, last, step;
    int64_t places, count[KINDS];
    aim aim[SAMPLE];
} task;

static double time_of(const task *t, int64_t row)
{
    return t->m->kriged.x[row * t->d + t->m->metric.time];
}

static void close_task(task *t)
{
    free(t->place);
    free(t->by_time);
    free(t->series);
    free(t->group);
    *t = (task){0};
}

/* ---- places and times */

typedef struct dated {
    int64_t place, row;
    double at;
} dated;

static int by_time(const void *a, const void *b)
{
    const dated *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->row > y->row) - (x->row < y->row);
}

static int by_place(const void *a, const void *b)
{
    const dated *x = a, *y = b;
    return x->place != y->place ? (x->place > y->place) - (x->place < y->place) : by_time(a, b);
}

static surekrig_status sort_rows(task *t, surekrig_error *error)
{
    dated *row = sk_alloc(t->n, sizeof *row);
    if (!row)
        return sk_fail_memory(error, 24.0 * (double)t->n, "the rows in time");
    for (int64_t i = 0; i < t->n; i++) {
        row[i] = (dated){t->place[i], i, time_of(t, i)};
        t->places += t->place[i] == i;
    }
    qsort(row, (size_t)t->n, sizeof *row, by_place);
    for (int64_t i = 0; i < t->n; i++)
        t->series[i] = row[i].row;
    qsort(row, (size_t)t->n, sizeof *row, by_time);
    int64_t steps = 0;
    for (int64_t i = 0; i < t->n; i++) {
        t->by_time[i] = row[i].row;
        steps += i > 0 && row[i].at > row[i - 1].at;
    }
    t->first = row[0].at;
    t->last = row[t->n - 1].at;
    t->step = (t->last - t->first) / (double)steps;
    free(row);
    return SUREKRIG_OK;
}

/* Rows and targets together, in a frame without time. */
static surekrig_status find_places(task *t, surekrig_error *error)
{
    int64_t all = t->n + SAMPLE;
    surekrig_data data = t->m->kriged;
    double *x = sk_doubles(all * t->d), *y = sk_zeroed(all, sizeof *y);
    sk_frame frame = {.d = t->d, .start = sk_copy(t->m->frame.start, t->d, sizeof(double))};
    sk_repeats alike = {0};
    surekrig_status status = x && y && frame.start ? SUREKRIG_OK
                                                   : sk_fail_memory(error, 8.0 * (double)(all * (t->d + 1)), "places");
    if (!status) {
        memcpy(x, data.x, (size_t)(t->n * t->d) * sizeof *x);
        for (int64_t i = 0; i < SAMPLE; i++)
            memcpy(x + (t->n + i) * t->d, sk_holdout_target(t->m, t->seed, i), (size_t)t->d * sizeof *x);
        frame.start[t->m->metric.time] = INFINITY;
        status = sk_repeats_find(&(surekrig_data){.n = all, .d = t->d, .l = 1, .x = x, .y = y}, &frame, &alike, error);
    }
    for (int64_t i = 0; i < all && !status; i++)
        t->place[i] = alike.of ? alike.of[i] : i;
    sk_repeats_free(&alike);
    free(frame.start);
    free(x);
    free(y);
    return status;
}

/* How many of the rows, which are in the order of time, have one of at most `at`, or below it. */
static int64_t until(const task *t, int64_t n, const int64_t *row, double at, bool below)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        double time = time_of(t, row[middle]);
        if (below ? time < at : time <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From a time to the rows' next ones on both sides. */
static void around(const task *t, int64_t n, const int64_t *row, double at, double *before, double *after)
{
    int64_t here = until(t, n, row, at, false), from = until(t, n, row, at, true);
    *before = here > 0 ? at - time_of(t, row[here - 1]) : INFINITY;
    *after = from < n ? time_of(t, row[from]) - at : INFINITY;
}

/* Where a place's rows begin among the series. */
static int64_t series_at(const task *t, int64_t place)
{
    int64_t low = 0, high = t->n;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (t->place[t->series[middle]] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static aim aim_at(const task *t, int64_t target)
{
    double at = sk_holdout_target(t->m, t->seed, target)[t->m->metric.time], before, after;
    int64_t place = t->place[t->n + target], begin, end;
    double farthest = (t->last - t->first) / 2; /* more cannot be tried */
    around(t, t->n, t->by_time, at, &before, &after);
    if (isinf(before) || isinf(after))
        return isinf(after) ? (aim){AHEAD, fmin(before, farthest), after}
                            : (aim){BEHIND, before, fmin(after, farthest)};
    if (before + after > LONG * t->step)
        return (aim){OUTAGE, before, after};
    if (place >= t->n)
        return (aim){STATION, 0, 0};
    begin = series_at(t, place);
    for (end = begin; end < t->n && t->place[t->series[end]] == place;)
        end++;
    around(t, end - begin, t->series + begin, at, &before, &after);
    return (aim){HOLE, before, after};
}

static surekrig_status open_task(const surekrig_model *m, uint64_t seed, task *t, surekrig_error *error)
{
    int64_t n = m->data.n;
    *t = (task){0};
    if (sk_refuse_many(&m->data, "targets where there is a time are", error))
        return SUREKRIG_INVALID;
    *t = (task){.m = m,
                .seed = seed,
                .n = n,
                .d = m->kriged.d,
                .place = sk_alloc(n + SAMPLE, sizeof *t->place),
                .by_time = sk_alloc(n, sizeof *t->by_time),
                .series = sk_alloc(n, sizeof *t->series),
                .group = sk_alloc(n, sizeof *t->group)};
    surekrig_status status = t->place && t->by_time && t->series && t->group
                                 ? find_places(t, error)
                                 : sk_fail_memory(error, 32.0 * (double)n, "the shape of the task");
    if (!status)
        status = sort_rows(t, error);
    for (int64_t i = 0; i < SAMPLE && !status; i++) {
        t->aim[i] = aim_at(t, i);
        t->count[t->aim[i].kind]++;
    }
    if (status)
        close_task(t);
    return status;
}

surekrig_status sk_task_fits(const surekrig_model *m, uint64_t seed, bool *fits, surekrig_error *error)
{
    task t;
    *fits = false;
    if (m->metric.time < 0 || m->kriged.targets < 1)
        return SUREKRIG_OK;
    surekrig_status status = open_task(m, seed, &t, error);
    if (status)
        return status;
    *fits = 2 * t.places <= t.n || 2 * (t.count[OUTAGE] + t.count[AHEAD] + t.count[BEHIND]) > SAMPLE;
    close_task(&t);
    return SUREKRIG_OK;
}

/* ---- points */

static double draw(const task *t, int64_t number)
{
    return sk_uniform(t->seed, SK_STREAM_ORDER, (uint64_t)number);
}

/* One of the n rows, in the order of time, whose time is the nearest to this. */
static int64_t row_at(const task *t, int64_t n, const int64_t *row, double at, double u)
{
    int64_t here = until(t, n, row, at, true);
    bool earlier = here == n || (here > 0 && at - time_of(t, row[here - 1]) < time_of(t, row[here]) - at);
    at = time_of(t, row[earlier ? here - 1 : here]);
    int64_t begin = until(t, n, row, at, true), end = until(t, n, row, at, false);
    return row[begin + (int64_t)(u * (double)(end - begin))];
}

/* A fold of outages, of times ahead or of times behind: the stretch that it leaves out, from one of the times on. Its
 * length is a target's, its place anywhere; of a cut, where enough is left. */
static stretch lay_stretch(const task *t, kind of, int64_t fold)
{
    double u = draw(t, -1 - of * FOLDS - fold), range = t->last - t->first, length = (1 - BEFORE) * range;
    int64_t which = of == OUTAGE ? fold % t->count[OUTAGE] : 0, at = 0;
    while (of == OUTAGE && (t->aim[at].kind != OUTAGE || which-- > 0))
        at++;
    if (of == OUTAGE)
        length = fmin(t->aim[at].before + t->aim[at].after, range / 2);
    double from = t->first + (of == AHEAD ? BEFORE * range + u * length : u * (range - length));
    from = of == BEHIND ? t->first + u * length : time_of(t, t->by_time[until(t, t->n, t->by_time, from, false) - 1]);
    if (of == BEHIND)
        return (stretch){-INFINITY, time_of(t, t->by_time[until(t, t->n, t->by_time, from, true)])};
    return (stretch){from, of == AHEAD ? INFINITY : from + length};
}

/* Inside a fold's stretch, as far from what is left as the target is, within a step; whether there is such a row. */
static bool find_row(const task *t, aim a, int64_t fold, double u, int64_t *row)
{
    stretch out = lay_stretch(t, a.kind, fold);
    double at = a.kind == AHEAD    ? out.from + a.before
                : a.kind == BEHIND ? out.to - a.after
                                   : out.from + (out.to - out.from) * a.before / (a.before + a.after);
    int64_t begin = until(t, t->n, t->by_time, out.from, false), end = until(t, t->n, t->by_time, out.to, true);
    if (begin >= end)
        return false;
    int64_t found = row_at(t, end - begin, t->by_time + begin, at, u);
    bool near = fabs(time_of(t, found) - at) <= t->step;
    *row = near ? found : *row;
    return near;
}

/* The i-th point stands for the i-th target. Where stretches are left out it is another row, in a fold that has one; or
 * nowhere. */
static point make_point(const task *t, int64_t i, int64_t row, int64_t *seen)
{
    aim a = t->aim[i % SAMPLE];
    int64_t fold = (int64_t)(draw(t, 2 * i) * FOLDS), tried = 0;
    if (a.kind == STATION)
        return (point){row, 0, a};
    if (a.kind == HOLE)
        return (point){row, 1 + KINDS * FOLDS + seen[t->place[row]]++, a};
    while (tried < FOLDS && !find_row(t, a, (fold + tried) % FOLDS, draw(t, 2 * i + 1), &row))
        tried++;
    return (point){row, tried == FOLDS ? NOWHERE : 1 + a.kind * FOLDS + (fold + tried) % FOLDS, a};
}

static int by_fold(const void *a, const void *b)
{
    const point *x = a, *y = b;
    return x->fold != y->fold ? (x->fold > y->fold) - (x->fold < y->fold) : (x->row > y->row) - (x->row < y->row);
}

/* What a fold leaves out, into group; own: [points] of each. */
static void leave_out(const task *t, int64_t points, const point *p, int64_t *own)
{
    kind of = p->aim.kind;
    stretch out = of < OUTAGE ? (stretch){0, 0} : lay_stretch(t, of, (p->fold - 1) % FOLDS);
    for (int64_t i = 0; i < t->n; i++) {
        double at = time_of(t, i);
        t->group[i] = of == STATION ? t->place[i] : of == HOLE ? -1 : at > out.from && at < out.to;
    }
    for (int64_t i = 0; i < points; i++)
        own[i] = of < OUTAGE ? t->place[p[i].row] : 1;
    for (int64_t i = 0; i < points && of == HOLE; i++) {
        double at = time_of(t, p[i].row);
        for (int64_t j = series_at(t, own[i]); j < t->n && t->place[t->series[j]] == own[i]; j++) {
            double gap = time_of(t, t->series[j]) - at;
            if (gap > -p[i].aim.before && gap < p[i].aim.after)
                t->group[t->series[j]] = own[i];
        }
    }
}

static surekrig_status make_points(const task *t, sk_holdout *h, point *p, surekrig_error *error)
{
    int64_t *seen = sk_zeroed(t->n, sizeof *seen);
    if (!seen)
        return sk_fail_memory(error, 8.0 * (double)t->n, "held-out points");
    for (int64_t i = 0; i < h->n; i++)
        p[i] = make_point(t, i, h->row[i], seen);
    free(seen);
    qsort(p, (size_t)h->n, sizeof *p, by_fold);
    for (int64_t i = 0; i < h->n; i++)
        h->row[i] = p[i].row;
    sk_holdout_places(t->m, h);
    return SUREKRIG_OK;
}

surekrig_status sk_task_surround(const surekrig_model *m, uint64_t seed, sk_holdout *h, surekrig_error *error)
{
    task t;
    surekrig_status status = open_task(m, seed, &t, error);
    if (status)
        return status;
    point *p = sk_alloc(h->n, sizeof *p);
    int64_t *own = sk_alloc(h->n, sizeof *own);
    status = p && own ? make_points(&t, h, p, error) : sk_fail_memory(error, 56.0 * (double)h->n, "held-out points");
    int64_t lost = 0; /* they come first */
    for (; lost < h->n && !status && p[lost].fold == NOWHERE; lost++)
        h->count[lost] = 0;
    h->accepted = (double)(h->n - lost) / (double)h->n;
    for (int64_t from = lost, end; from < h->n && !status; from = end) {
        for (end = from + 1; end < h->n && p[end].fold == p[from].fold;)
            end++;
        leave_out(&t, end - from, p + from, own);
        surekrig_neighbor_query query = {
            .n = end - from, .x = h->x + from * t.d, .row = h->row + from, .group = t.group, .own_group = own};
        status = sk_model_neighbors(m, query, h->neighbor + from * h->k, h->count + from, error);
    }
    free(p);
    free(own);
    close_task(&t);
    return status;
}
